//! A host's line as it is meant, where another mark stands in the place of its colon, or none as on the command line.
//! People write «Глеб - грубил», «Глеб, грубил», «Глеб на new@example.org» and «Глеб 2».

use crate::request::orders::{self, HostLine, Verb, Wants};
use crate::request::typography::{clean_argument, is_colon, is_dash};
use crate::table::Table;

/// Words of a reason in which another nick is looked for: more than any nick has.
const LONGEST_NICK: usize = 16;

/// The line with its nick alone as the argument, where only so the argument begins with somebody's nick. A list of nicks is
/// left as it is, which is nobody's: the first of them alone was not meant, and an expulsion can't be taken back.
pub(super) fn untangled(table: &Table, line: &HostLine) -> HostLine {
    let mut line = line.clone();
    if let Some(argument) = with_a_colon(table, &line) {
        line.argument = argument;
        return line;
    }
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
    let found = found.or_else(|| as_on_the_command_line(table, &line));
    if let Some((nick, said)) = found {
        let below = std::mem::take(&mut line.text);
        line.text = [said, below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        line.argument = nick;
    }
    line
}

/// `Глеб грубил`, `Глеб alive ошибка`: the longest nick and what follows it. Only where a wrong guess does no harm: a
/// warning changes nothing, a ruling is asked about first. A reason like a second nick may be that of an expulsion, which
/// can't be taken back.
fn as_on_the_command_line(table: &Table, line: &HostLine) -> Option<(String, String)> {
    let spaces = line.argument.char_indices().filter(|(_, mark)| mark.is_whitespace()).map(|(at, _)| at);
    let nick_and_said = |at| line.argument.split_at_checked(at).filter(|(nick, _)| table.by_nick(nick).is_some());
    let (nick, said) = spaces.filter_map(nick_and_said).next_back()?;
    let said = said.trim();
    let is_meant = match line.verb {
        Verb::Warn => !begins_with_a_nick(table, said),
        Verb::Rule => ruling_said(said).is_some(),
        _ => false,
    };
    is_meant.then(|| (nick.trim().to_owned(), said.to_owned()))
}

/// `Глеб, Анна 2`, `Глеб --turns 2`, `Глеб miss` with the colon that they lack; None where nothing of the kind is said,
/// or the whole is a nick.
fn with_a_colon(table: &Table, line: &HostLine) -> Option<String> {
    let argument = line.argument.trim();
    let is_nick = |said: &str| table.by_nick(&clean_argument(said)).is_some();
    let last_nick = |said: &str| is_nick(said.rsplit(',').next().unwrap_or(said));
    if argument.contains(is_colon) || last_nick(argument) {
        return None;
    }
    let (before, last) = argument.rsplit_once(char::is_whitespace)?;
    let before = before.trim_end();
    match line.verb {
        Verb::Deprive if last.chars().all(|c| c.is_ascii_digit()) => {
            let option = before.rsplit_once(char::is_whitespace);
            let option = option.filter(|(_, said)| {
                said.starts_with(is_dash) && said.trim_start_matches(is_dash).eq_ignore_ascii_case("turns")
            });
            let nicks = option.map_or(before, |(nicks, _)| nicks.trim_end());
            last_nick(nicks).then(|| format!("{nicks}: {last}"))
        }
        Verb::Forgive if orders::FORGIVEN.contains(&last.to_lowercase().as_str()) => {
            let everybody = orders::EVERYBODY.contains(&before.to_lowercase().as_str());
            (everybody || last_nick(before)).then(|| format!("{before}: {last}"))
        }
        _ => None,
    }
}

/// `жив, текст`, `dead: text`.
pub(super) fn ruling_said(said: &str) -> Option<(bool, String)> {
    let said = said.trim();
    let end = said.find(|c: char| !c.is_alphabetic()).unwrap_or(said.len());
    let (word, text) = said.split_at_checked(end)?;
    let alive = match word.to_lowercase().replace('ё', "е").as_str() {
        "жив" | "жива" | "alive" => true,
        "мертв" | "мертва" | "dead" => false,
        _ => return None,
    };
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || ",.:;-–—".contains(c));
    Some((alive, text.to_owned()))
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
