//! A host's line as it is meant, where another mark stands in the place of its colon. People write «Глеб - грубил»,
//! «Глеб, грубил» and «Глеб на new@example.org».

use crate::request::orders::{HostLine, Wants};
use crate::request::typography::{clean_argument, is_colon, is_dash};
use crate::table::Table;

/// Words of a reason in which another nick is looked for: more than any nick has.
const LONGEST_NICK: usize = 16;

/// The line with its nick alone as the argument, where only so the argument begins with somebody's nick. A list of nicks is
/// left as it is, which is nobody's: the first of them alone was not meant, and an expulsion can't be taken back.
pub(super) fn untangled(table: &Table, line: &HostLine) -> HostLine {
    let mut line = line.clone();
    if line.verb.wants() != Wants::NickAndText || table.by_nick(&line.argument).is_some() {
        return line;
    }
    let found = line.argument.char_indices().find_map(|(at, mark)| {
        let (nick, rest) = line.argument.split_at_checked(at)?;
        let rest = rest.trim_start();
        // A dash inside a word belongs to it.
        let parts = mark == ',' || mark.is_whitespace() && rest.strip_prefix(is_dash).is_some_and(begins_apart);
        let said = rest.trim_start_matches(|c| c == ',' || is_dash(c)).trim();
        let is_nick = parts && table.by_nick(nick).is_some() && !begins_with_a_nick(table, said);
        is_nick.then(|| (nick.trim().to_owned(), said.to_owned()))
    });
    if let Some((nick, said)) = found {
        let below = std::mem::take(&mut line.text);
        line.text = [said, below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        line.argument = nick;
    }
    line
}

fn begins_apart(rest: &str) -> bool {
    rest.starts_with(char::is_whitespace)
}

fn begins_with_a_nick(table: &Table, said: &str) -> bool {
    let said = ["и ", "and "].iter().find_map(|word| said.strip_prefix(word)).unwrap_or(said);
    let ends = said.char_indices().filter(|(_, c)| !c.is_alphanumeric()).map(|(at, _)| at).chain([said.len()]);
    ends.take(LONGEST_NICK).any(|end| said.get(..end).is_some_and(|nick| table.by_nick(nick).is_some()))
}

/// `Ник: адрес`, `Ник на адрес`, `Ник, адрес`; without an address the whole is the nick.
pub(super) fn nick_and_address(argument: &str) -> (String, String) {
    if let Some((nick, address)) = argument.split_once(is_colon) {
        return (clean_argument(nick), address.trim().to_owned());
    }
    let is_between = |c: char| c.is_whitespace() || c == ',' || is_dash(c);
    // A hyphen may stand in an address.
    match argument.trim_end().rsplit_once(|c: char| c.is_whitespace() || c == ',') {
        Some((nick, address)) if address.contains('@') => {
            let nick = nick.trim_end_matches(is_between);
            let nick = ["на", "to"].iter().find_map(|word| nick.strip_suffix(word)?.strip_suffix(' ')).unwrap_or(nick);
            (clean_argument(nick), address.to_owned())
        }
        _ => (clean_argument(argument), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_a_nick_however_they_are_parted() {
        let (nick, address) = ("Глеб", "new-gleb@example.org");
        for parted in [": ", ":", " ", " на ", ", ", " - ", " — "] {
            let said = format!("{nick}{parted}{address}");
            let read = nick_and_address(&said);
            assert_eq!(read, (nick.to_owned(), address.to_owned()), "{said}");
        }
        assert_eq!(nick_and_address("Дон Педро"), ("Дон Педро".to_owned(), String::new()));
    }
}
