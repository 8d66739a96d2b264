//! The words of the host in his own letters. So far one: `Почему`, with a nick or alone.

use super::line::split_separator;
use super::own::{Piece, own_pieces};
use super::typography::{clean_argument, is_plausible_nick, tidy, without_bullet};

/// What a host asks in a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAsk {
    /// The reasons of the turn that was closed last; of one player, if a nick is given.
    Why { nick: Option<String> },
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
        return Some(HostAsk::Why { nick: None });
    }
    let (after, tight) = split_separator(&rest)?;
    // «Почему-то» is no request.
    if tight {
        return None;
    }
    let nick = clean_argument(after);
    is_plausible_nick(&nick).then_some(HostAsk::Why { nick: Some(nick) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_is_asked_with_a_nick_or_without() {
        let of = |nick: &str| vec![HostAsk::Why { nick: Some(nick.to_owned()) }];
        for (line, asked) in [
            ("Почему - Глеб", of("Глеб")),
            ("почему: «Дон Педро».", of("Дон Педро")),
            ("• Why – Boatswain", of("Boatswain")),
            ("Почему", vec![HostAsk::Why { nick: None }]),
            ("Почему?", vec![HostAsk::Why { nick: None }]),
            ("Почему так вышло", vec![]),
            ("> Почему - Глеб", vec![]),
            ("Почему-то все молчат, и это странно.", vec![]),
        ] {
            assert_eq!(read("Re: [palermo]", line), asked, "{line}");
        }
        assert_eq!(read("Почему - Глеб", ""), of("Глеб"));
    }
}
