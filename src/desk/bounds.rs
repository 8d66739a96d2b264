//! What a host writes into a command, held to its bounds: a time, a title, a text, a side's name, a list of nicks.

use jiff::Timestamp;

use super::command::{Command, NotDone};
use crate::request::names::fold;
use crate::rules::Winner;
use crate::schedule::{self, FARTHEST_DAYS};

/// Characters of a game's title.
pub(super) const LONGEST_TITLE: u16 = 100;
/// Turns for which a vote can be taken. No game is longer, and who shall never vote again is expelled (R88, A35).
const MOST_TURNS: u16 = 30;
/// Characters of a host's words to those who may come.
const LONGEST_TEXT: u16 = 30_000;

/// The side that a host names as the winner; without a name nobody has won.
///
/// # Errors
/// When it is no side of this game.
pub fn winner_named(said: &str) -> Result<Winner, NotDone> {
    let lower = said.trim().to_lowercase();
    let side = ["победа ", "победил ", "победила ", "победили ", "выиграл ", "выиграла "]
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .unwrap_or(&lower);
    match side.trim() {
        "" | "draw" | "ничья" => Ok(Winner::Draw),
        "town" | "city" | "город" | "города" | "мирные" | "мирных" | "мирные жители" | "мирных жителей" => {
            Ok(Winner::Town)
        }
        "mafia" | "мафия" | "мафии" => Ok(Winner::Mafia),
        "maniac" | "маньяк" | "маньяка" => Ok(Winner::Maniac),
        _ => Err(NotDone::NoSuchWinner { said: super::place::shorten(said.trim()) }),
    }
}

pub(super) fn time(said: &str, when: Result<schedule::When, schedule::WhenFault>) -> Result<schedule::When, NotDone> {
    when.map_err(|fault| match fault {
        schedule::WhenFault::Form(_) => NotDone::NoTime { said: super::place::shorten(said) },
        schedule::WhenFault::Past(_) => NotDone::PastTime,
        schedule::WhenFault::Far(_) => NotDone::TooFarAhead { days: FARTHEST_DAYS },
    })
}

/// A slip of the pen («9999», a few zeros too many) must not put a game to sleep for good.
pub(super) fn not_too_far(moment: Timestamp, from: Timestamp) -> Result<Timestamp, NotDone> {
    match from.saturating_add(schedule::FARTHEST) {
        Ok(farthest) if moment <= farthest => Ok(moment),
        _ => Err(NotDone::TooFarAhead { days: FARTHEST_DAYS }),
    }
}

/// For how many turns a vote is taken: the current one at least (A35).
pub(super) fn not_too_many(turns: u16) -> Result<u16, NotDone> {
    if turns > MOST_TURNS { Err(NotDone::TooManyTurns { most: MOST_TURNS }) } else { Ok(turns.max(1)) }
}

/// A title stands in subjects: one line, and not a long one. None where none is said.
pub(super) fn title(said: Option<&str>) -> Result<Option<&str>, NotDone> {
    let Some(title) = said.map(str::trim).filter(|title| !title.is_empty()) else { return Ok(None) };
    let fits = title.chars().count() <= usize::from(LONGEST_TITLE)
        && !title.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    if fits { Ok(Some(title)) } else { Err(NotDone::TitleUnfit { most: LONGEST_TITLE }) }
}

/// The host's words to those who may come; None where there are none.
pub(super) fn text(said: Option<&str>) -> Result<Option<&str>, NotDone> {
    let text = said.map(str::trim).filter(|text| !text.is_empty());
    match text.map(|text| text.chars().count()) {
        Some(length) if length > usize::from(LONGEST_TEXT) => Err(NotDone::TextTooLong { most: LONGEST_TEXT }),
        _ => Ok(text),
    }
}

/// Names in one entry of a list.
const MOST_NAMES: usize = 64;

/// The nicks that a host lists. An entry that is nobody's nick is read as «Егор и Жанна», if each of them is somebody's;
/// else it stays as it is, for the answer. A nick may have such a word in it: the longest one counts.
pub(super) fn listed(said: &[String], is_nick: impl Fn(&str) -> bool) -> Vec<String> {
    let mut nicks: Vec<String> = Vec::new();
    for entry in said {
        let parts = if is_nick(entry) { None } else { parts_of(entry, &is_nick) };
        for nick in parts.unwrap_or_else(|| vec![entry.clone()]) {
            if !nicks.iter().any(|other| fold(other) == fold(&nick)) {
                nicks.push(nick);
            }
        }
    }
    nicks
}

fn parts_of(entry: &str, is_nick: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let with_commas = entry.replace(',', " , ");
    let words: Vec<&str> = with_commas.split_whitespace().collect();
    let joins = |word: &str| word == "," || matches!(word.to_lowercase().as_str(), "и" | "and");
    let mut names: Vec<&[&str]> = words.split(|word| joins(word)).collect();
    let between: Vec<&str> = words.iter().copied().filter(|word| joins(word)).collect();
    names.retain(|name| !name.is_empty());
    if names.len() < 2 || names.len() > MOST_NAMES || between.len() + 1 != names.len() {
        return None;
    }
    let (mut nicks, mut at) = (Vec::new(), 0);
    while at < names.len() {
        let (nick, end) = (at + 1..=names.len()).rev().find_map(|end| {
            let mut nick = names.get(at)?.join(" ");
            for (join, name) in between.get(at..end - 1)?.iter().zip(names.get(at + 1..end)?) {
                nick = format!("{nick} {join} {}", name.join(" "));
            }
            is_nick(&nick).then_some((nick, end))
        })?;
        nicks.push(nick);
        at = end;
    }
    Some(nicks)
}

impl Command {
    /// Accepts or declines whom a host names, each once; None when he names nobody.
    pub fn judging(nicks: Vec<String>, accept: bool) -> Option<Command> {
        let mut once: Vec<String> = Vec::new();
        for nick in nicks {
            if !once.iter().any(|other| fold(other) == fold(&nick)) {
                once.push(nick);
            }
        }
        (!once.is_empty()).then_some(Command::Judge { nicks: once, accept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_people_write_it_and_a_nick_as_it_stands() {
        let known = ["Егор", "Жанна", "Вера", "Том и Джерри", "Том", "Иван Иванович"];
        let is_nick = |nick: &str| known.iter().any(|known| fold(known) == fold(nick));
        let listed = |said: &str| listed(&[said.to_owned()], is_nick).join("|");
        for (said, read) in [
            ("Егор и Жанна", "Егор|Жанна"),
            ("егор AND жанна", "егор|жанна"),
            ("Егор, Жанна и Вера", "Егор|Жанна|Вера"),
            ("Том и Джерри", "Том и Джерри"),
            ("Том и Джерри и Вера", "Том и Джерри|Вера"),
            ("Том и Вера", "Том|Вера"),
            ("Иван  Иванович и Егор", "Иван Иванович|Егор"),
            ("Егор и егор", "Егор"),
            // What is not understood whole is left whole.
            ("Егор и Джерри", "Егор и Джерри"),
            ("Егор и", "Егор и"),
            ("и Егор", "и Егор"),
            ("Егор и и Вера", "Егор и и Вера"),
            ("и", "и"),
            ("", ""),
        ] {
            assert_eq!(listed(said), read, "{said}");
        }
        let many = vec!["Егор"; 10_000].join(" и ");
        assert_eq!(listed(&many), many);
    }
}
