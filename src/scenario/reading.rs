//! The letters of a case, line by line.

use crate::journal::kind_of;
use crate::request::names::{Match, find};
use crate::request::read::read;
use crate::request::{Request, Word};
use crate::rules::ledger::{Ask, Target};
use crate::rules::{Kind, PlayerId, TextRef};

/// One line of a letter, as it was written.
pub struct Line {
    pub said: String,
    pub heard: Heard,
}

pub enum Heard {
    Ask(Ask),
    /// A request that asks for facts, or is none of the turn's.
    Information,
    /// No request; a known word without a nick too.
    Unknown,
}

impl Heard {
    /// An unknown line that is heard at all (being the letter's only one) is refused as such.
    pub fn ask(&self) -> Option<Ask> {
        match self {
            Heard::Ask(ask) => Some(ask.clone()),
            Heard::Information => None,
            Heard::Unknown => Some(Ask::Do { kind: Kind::Lynch, target: Target::Nobody, text: None }),
        }
    }
}

/// The requests of a letter in their order, each with its line as it was written.
pub fn read_letter(text: &str, nicks: &[&str]) -> Vec<Line> {
    let written: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.starts_with('>')).collect();
    let reading = read("", text);
    let mut below = 0;
    let mut lines = Vec::new();
    for request in reading.requests() {
        let said = request.line.trim();
        let found = written.iter().enumerate().skip(below).find(|(_, line)| line.contains(said));
        if let Some((index, _)) = found {
            below = index + 1;
        }
        let said = found.map_or(said, |(_, line)| line).to_owned();
        lines.push(Line { said, heard: heard(request, nicks) });
    }
    lines
}

/// The first line that is the sender's own.
pub fn first_line(text: &str) -> String {
    let own = |line: &&str| !line.is_empty() && !line.starts_with('>');
    text.lines().map(str::trim).find(own).or(text.lines().next()).unwrap_or_default().trim().to_owned()
}

fn heard(request: &Request, nicks: &[&str]) -> Heard {
    let kind = match (request.word, kind_of(request.word)) {
        (_, Some(kind)) => kind,
        (Word::Cancel, None) => return cancelled(request),
        _ => return Heard::Information,
    };
    let text = request.text.as_ref().map(|_| TextRef::default());
    let target = match &request.argument {
        _ if kind == Kind::Clan => Target::Nobody,
        None => return Heard::Unknown,
        Some(nick) => match find(nicks, nick) {
            Match::Exact(index) | Match::Near(index) => {
                u16::try_from(index).map_or(Target::Unknown, |index| Target::Player(PlayerId(index)))
            }
            Match::Unknown { .. } => Target::Unknown,
        },
    };
    Heard::Ask(Ask::Do { kind, target, text })
}

fn cancelled(request: &Request) -> Heard {
    let kind = match request.argument.as_deref() {
        None => None,
        Some("lynch") => Some(Kind::Lynch),
        Some("hunt") => Some(Kind::Hunt),
        Some("kill") => Some(Kind::Kill),
        Some("check") => Some(Kind::Check),
        Some("heal") => Some(Kind::Heal),
        Some("seek") => Some(Kind::Seek),
        Some("pistol") => Some(Kind::Pistol),
        Some("note") => Some(Kind::Note),
        Some("pm") => Some(Kind::Pm),
        Some("clan") => Some(Kind::Clan),
        Some(_) => return Heard::Unknown,
    };
    Heard::Ask(Ask::Cancel { kind })
}
