//! The words of the host in his own letters. So far one: `Почему`, with a nick or alone.

use super::line::split_separator;
use super::own::{Piece, own_pieces};
use super::typography::{clean_argument, is_plausible_nick, shown, tidy, without_bullet};

/// What a host asks in a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAsk {
    /// The reasons of the turn that was closed last; of one player, if a nick is given.
    Why { nick: Option<String>, line: String },
}

impl HostAsk {
    /// The line as written.
    pub fn line(&self) -> &str {
        match self {
            HostAsk::Why { line, .. } => line,
        }
    }

    /// Whether it hurts so much that a second word is wanted: `replace`, `rule`, `finish`, `cancel`, `undo` after
    /// publication. A question does not.
    pub fn wants_confirming(&self) -> bool {
        match self {
            HostAsk::Why { .. } => false,
        }
    }
}

/// The host's requests, in the order of their lines. Never fails; other lines are passed over.
pub fn read(subject: &str, body: &str) -> Vec<HostAsk> {
    let own: Vec<HostAsk> = own_pieces(body)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Own(line) => read_line(line),
            Piece::Quote | Piece::Signature => None,
        })
        .take(super::read::MAX_ITEMS)
        .collect();
    if own.is_empty() { read_line(subject).into_iter().collect() } else { own }
}

fn read_line(raw: &str) -> Option<HostAsk> {
    let tidied = tidy(raw);
    let line = without_bullet(&tidied);
    let lower = line.to_lowercase();
    let word = ["почему", "why"].into_iter().find(|word| lower.starts_with(word))?;
    let rest: String = line.chars().skip(word.chars().count()).collect();
    if clean_argument(&rest).is_empty() {
        return Some(HostAsk::Why { nick: None, line: shown(raw) });
    }
    let (after, tight) = split_separator(&rest)?;
    // «Почему-то» is no request.
    if tight {
        return None;
    }
    let nick = clean_argument(after);
    is_plausible_nick(&nick).then(|| HostAsk::Why { nick: Some(nick), line: shown(raw) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_is_asked_with_a_nick_or_without() {
        for (line, asked) in [
            ("Почему - Глеб", Some(Some("Глеб"))),
            ("почему: «Дон Педро».", Some(Some("Дон Педро"))),
            ("• Why – Boatswain", Some(Some("Boatswain"))),
            ("Почему", Some(None)),
            ("Почему?", Some(None)),
            ("Почему так вышло", None),
            ("> Почему - Глеб", None),
            ("Почему-то все молчат, и это странно.", None),
        ] {
            let asks = read("Re: [palermo]", line);
            let nicks: Vec<Option<&str>> = asks.iter().map(|HostAsk::Why { nick, .. }| nick.as_deref()).collect();
            assert_eq!(nicks, asked.into_iter().collect::<Vec<_>>(), "{line}");
        }
        let asks = read("Почему - Глеб", "");
        assert_eq!(asks.first().map(HostAsk::line), Some("Почему - Глеб"));
    }
}
