//! What a host writes into a command, held to its bounds: a time, a title, a text, a side's name, a list of nicks.

use jiff::Timestamp;

use super::command::{Command, NotDone};
use crate::request::names::fold;
use crate::rules::Winner;
use crate::schedule::{self, FARTHEST_DAYS};

/// Characters of a game's title.
pub(super) const LONGEST_TITLE: u16 = 100;
/// Characters of a host's words to those who may come.
const LONGEST_TEXT: u16 = 30_000;

/// The side that a host names as the winner; without a name nobody has won.
///
/// # Errors
/// When it is no side of this game.
pub fn winner_named(said: &str) -> Result<Winner, NotDone> {
    match said.trim().to_lowercase().as_str() {
        "" | "draw" | "ничья" => Ok(Winner::Draw),
        "town" | "city" | "город" | "мирные" | "мирные жители" => Ok(Winner::Town),
        "mafia" | "мафия" => Ok(Winner::Mafia),
        "maniac" | "маньяк" => Ok(Winner::Maniac),
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
