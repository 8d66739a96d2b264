//! What a host says when he opens sign-up.

/// What a host says when he opens sign-up. None: as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    pub title: Option<String>,
    pub text: Option<String>,
    pub min: Option<u16>,
    pub max: Option<u16>,
    /// A time as he wrote it.
    pub until: Option<String>,
}

impl Terms {
    /// Of a letter: the closing time behind the verb, and below it lines `Название - ...`, `Игроков - 7-12`, and his
    /// words. None when the numbers don't read.
    pub(super) fn of_letter(until: &str, below: &str) -> Option<Terms> {
        let until = Some(until.trim().to_owned()).filter(|until| !until.is_empty());
        let mut terms = Terms { until, ..Terms::default() };
        let mut text = Vec::new();
        for line in below.lines() {
            let (label, value) = line.split_once(['-', ':', '–', '—']).unwrap_or((line, ""));
            let value = value.trim();
            match label.trim().to_lowercase().as_str() {
                "название" | "title" if !value.is_empty() => terms.title = Some(value.to_owned()),
                "игроков" | "players" if !value.is_empty() => (terms.min, terms.max) = limits(value)?,
                _ => text.push(line),
            }
        }
        let text = text.join("\n").trim().to_owned();
        terms.text = Some(text).filter(|text| !text.is_empty());
        Some(terms)
    }
}

/// `7-12`, `от 7 до 12`, `12`: least and most.
fn limits(said: &str) -> Option<(Option<u16>, Option<u16>)> {
    let numbers = said.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let numbers: Vec<u16> = numbers.map(|digits| digits.parse().ok()).collect::<Option<_>>()?;
    match numbers.as_slice() {
        [most] => Some((None, Some(*most))),
        [least, most] => Some((Some(*least), Some(*most))),
        _ => None,
    }
}
