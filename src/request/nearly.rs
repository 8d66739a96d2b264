//! A line that is nearly a host's order: its word stands there, or one slip of the finger away, and its form does not. It
//! is told, and never done.

use strsim::osa_distance;

use super::line::split_separator;
use super::orders::{Verb, forms_of};
use super::typography::{clean_argument, is_colon, is_separator};
use super::words::{fold_letter, strip_form};

/// Longer lines are a tale, whatever they begin with; in words.
const LONGEST: usize = 12;
/// Words of a line beside good orders that is told.
const FEW: usize = 3;
/// Shortest word in which a letter may be wrong, and in which two may.
const ONE_WRONG: usize = 5;
const TWO_WRONG: usize = 8;
/// What a time or its length begins with.
const BEFORE_A_TIME: [&str; 14] =
    ["на", "до", "в", "с", "ход", "срок", "сегодня", "завтра", "for", "till", "until", "by", "today", "tomorrow"];
/// Words that begin no order, and where it is plain which one is meant.
const OTHERS: &[(&str, Verb)] = &[
    ("исключение", Verb::Expel),
    ("лишение", Verb::Deprive),
    ("перенести", Verb::Deadline),
    ("перенесите", Verb::Deadline),
    ("поставить", Verb::Pause),
    ("поставьте", Verb::Pause),
    ("приостановить", Verb::Pause),
    ("снять", Verb::Resume),
    ("снимите", Verb::Resume),
    ("возобновить", Verb::Resume),
];
/// One letter away from the word of an order, and what people answer: «Принято, спасибо!».
const NO_SLIPS: [&str; 4] = ["принято", "открыто", "закрыто", "начато"];
/// A misspelt word of an order is not longer; in characters.
const MISSPELT: usize = 40;

/// The order that a line begins with, in a letter that orders nothing: «Пауза, пожалуйста», «Лишить Глеба голоса»,
/// «Продлите, пожалуйста, срок».
pub(super) fn begins(line: &str) -> Option<Verb> {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next()?;
    if words.count() >= LONGEST || line.contains('‹') {
        return None;
    }
    let whole = forms_of()
        .filter(|(_, form)| strip_form(line, form).is_some())
        .max_by_key(|(_, form)| form.len())
        .map(|(verb, _)| verb);
    let first = folded(first);
    let begun = || {
        let word_of = |form: &str| form.split(' ').next().map(folded);
        forms_of().find(|(_, form)| letters(&first) >= ONE_WRONG && word_of(form).as_deref() == Some(first.as_str()))
    };
    whole
        .or_else(|| OTHERS.iter().find(|(word, _)| *word == first).map(|(_, verb)| *verb))
        .or_else(|| begun().map(|(verb, _)| verb))
        .or_else(|| slip(&first, |form| form.split(' ').next().unwrap_or(form)))
}

/// Whether a line that [`begins`] like an order is hardly more than that: beside good orders longer ones are prose.
pub(super) fn is_alone(line: &str) -> bool {
    line.split_whitespace().count() <= FEW
}

/// «Исключть - Глеб: грубил»: an order but for a slip in its word, before what its argument would begin with.
pub(super) fn misspelt(line: &str) -> Option<Verb> {
    let (end, _) = line.char_indices().take(MISSPELT).find(|(_, c)| is_separator(*c))?;
    let (head, rest) = line.split_at_checked(end)?;
    let (after, tight) = split_separator(rest)?;
    if tight || !begins_argument(after) {
        return None;
    }
    slip(&folded(&clean_argument(head)), |form| form)
}

/// What no particle, and hardly any prose, begins with.
pub(super) fn begins_argument(after: &str) -> bool {
    after.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '+')
        || after.starts_with("http")
        || matches!(clean_argument(after).to_lowercase().as_str(), "нет" | "none")
}

/// Whether an argument stands behind a verb without a dash: a nick or a time, and not the rest of a sentence. In a text
/// less is taken for it (`in_text`): a tale may say «Срок на исходе», and must not be cut off there.
pub(super) fn is_meant(verb: Verb, rest: &str, in_text: bool) -> bool {
    let rest = rest.trim();
    let words = rest.split_whitespace().count();
    let is_of_time = matches!(verb, Verb::Deadline | Verb::Extend | Verb::Skip);
    let first = rest.split_whitespace().next().unwrap_or_default().to_lowercase();
    begins_argument(rest) && (words <= 2 || rest.contains(is_colon) || !in_text && has_dash(rest))
        || !in_text && is_of_time && words <= 6 && BEFORE_A_TIME.contains(&first.as_str())
}

/// A dash between spaces.
fn has_dash(rest: &str) -> bool {
    rest.split_whitespace().any(|word| word.chars().all(is_separator))
}

fn slip(written: &str, part: impl Fn(&'static str) -> &'static str) -> Option<Verb> {
    // What is one word is no slip of another: «продлить» is near «продолжить».
    if NO_SLIPS.contains(&written) || forms_of().any(|(_, form)| folded(part(form)) == written) {
        return None;
    }
    let wrong = |form: &str| {
        let form = folded(form);
        // Two letters are wrong only in a word that begins alike: «показать» is no «отказать».
        let allowed = match letters(&form) {
            TWO_WRONG.. if form.chars().next() == written.chars().next() => 2,
            ONE_WRONG.. => 1,
            _ => return None,
        };
        // A word may be as long as a letter.
        let near = letters(&form).abs_diff(letters(written)) <= allowed;
        near.then(|| osa_distance(&form, written)).filter(|wrong| (1..=allowed).contains(wrong))
    };
    forms_of()
        .filter_map(|(verb, form)| Some((verb, wrong(part(form))?)))
        .min_by_key(|(_, wrong)| *wrong)
        .map(|(verb, _)| verb)
}

fn letters(word: &str) -> usize {
    word.chars().count()
}

fn folded(word: &str) -> String {
    word.chars().map(fold_letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearly_an_order_is_known_by_its_word() {
        for (line, verb) in [
            ("Пауза пожалуйста", Some(Verb::Pause)),
            ("Пуаза", Some(Verb::Pause)),
            ("Поставьте на паузу, пожалуйста", Some(Verb::Pause)),
            ("Продлите, пожалуйста, срок на 2 часа.", Some(Verb::Extend)),
            ("Лишить Глеба голоса на 2 хода", Some(Verb::Deprive)),
            ("Исключить Глеба за грубость", Some(Verb::Expel)),
            ("Почему погиб Глеб?", Some(Verb::Why)),
            ("Отменить", Some(Verb::Undo)),
            ("Снять с паузы", Some(Verb::Resume)),
            ("Лишение голоса - Глеб", Some(Verb::Deprive)),
            ("Extned the turn", Some(Verb::Extend)),
            ("Здравствуйте!", None),
            ("Спасибо!", None),
            ("Принято, спасибо!", None),
            ("Принтяь Глеба", Some(Verb::Accept)),
            ("Ирина", None),
            ("Как дела?", None),
            ("Показать итоги", None),
            ("На улице дождь", None),
            ("", None),
            ("Продлить - ‹+2ч›", None),
            ("Почему я так долго не писала и что со мной было в эти три дня, расскажу потом", None),
        ] {
            assert_eq!(begins(line), verb, "{line}");
        }
        for (line, verb) in [
            ("Исключть - Глеб: грубил", Some(Verb::Expel)),
            ("Продлть - +2ч", Some(Verb::Extend)),
            ("лишить голса: Глеб", Some(Verb::Deprive)),
            ("Продлить - +2ч", None),
            ("Продлть - это долго", None),
            ("Город - Глеб", None),
            ("Исключть", None),
        ] {
            assert_eq!(misspelt(line), verb, "{line}");
        }
        assert_eq!(misspelt(&"продлить ".repeat(10_000)), None);
    }
}
