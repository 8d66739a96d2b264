//! A game as a script: who plays which role, by which rules, and who writes what and when. The same script always plays
//! the same game; two scripts that differ in little are two games that differ in as little.

use omerta::rules::rulebook::Rulebook;
use omerta::rules::{Kind, Role};

/// As many as can play; none is like a word of the letters.
pub const NICKS: [&str; 14] = [
    "Анна",
    "Борис",
    "Вера",
    "Глеб",
    "Дарья",
    "Егор",
    "Жанна",
    "Ирина",
    "Клим",
    "Лев",
    "Майя",
    "Нина",
    "Олег",
    "Павел",
];
/// Fits nobody.
pub const NOBODY: &str = "Зюзюка";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub roles: Vec<Role>,
    pub rules: Vec<(&'static str, String)>,
    pub turns: Vec<Turn>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    pub events: Vec<Event>,
    /// When so many are missing that the turn waits for the host, he forgives all, or publishes the misses.
    pub forgives: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name within the turn and its place among those of one hour: an event that is dropped moves no other.
    pub slot: u32,
    pub when: When,
    pub what: What,
}

/// The hours of a turn, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    Morning,
    /// The host's acts, between morning and evening.
    Noon,
    Evening,
    /// Arrives in the last seconds and is read after the deadline.
    LastMinute,
    /// Arrives after the deadline and before the close.
    TooLate,
    /// Arrives before the deadline and is found after the close.
    Lost,
    /// Arrives after the close: in the next turn, or, where the closed one waits for the host, in its review.
    AfterClose,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// `twice`: the letter comes in two copies.
    Letter {
        from: u16,
        lines: Vec<Line>,
        twice: bool,
    },
    Host(Deed),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Do { kind: Kind, target: Option<u16> },
    Text { kind: Kind, target: Option<u16>, text: String },
    Cancel(Option<Kind>),
    Question(&'static str),
    Prose(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    Expel(u16),
    Deprive(u16),
    Forgive(u16),
    Warn(u16, String),
}

impl Script {
    pub fn players(&self) -> u16 {
        u16::try_from(self.roles.len()).unwrap()
    }

    pub fn rulebook(&self) -> Rulebook {
        let mut rulebook = Rulebook::default();
        for (name, value) in &self.rules {
            rulebook.set(name, value).unwrap();
        }
        rulebook
    }

    pub fn roster(&self, tag: &str) -> String {
        let mut roster = "address,nick,role,gender\n".to_owned();
        for (number, role) in (0u16..).zip(&self.roles) {
            let gender = ["m", "f", ""][usize::from(number % 3)];
            let (address, nick) = (super::house::address(tag, number), NICKS[usize::from(number)]);
            roster.push_str(&format!("{address},{nick},{},{gender}\n", role.name()));
        }
        roster
    }
}

impl Turn {
    /// What happens in those hours, in order of arrival.
    pub fn at(&self, when: When) -> impl Iterator<Item = &Event> {
        let mut events: Vec<&Event> = self.events.iter().filter(|event| event.when == when).collect();
        events.sort_by_key(|event| event.slot);
        events.into_iter()
    }
}

impl Event {
    /// Seconds between its arrival and the deadline of its turn.
    pub fn arrives(&self) -> i64 {
        let base = match self.when {
            When::Morning => -8 * 3600,
            When::Noon => -2 * 3600 - 600,
            When::Evening => -2 * 3600,
            When::LastMinute => -100,
            When::TooLate => 0,
            When::Lost => -200,
            When::AfterClose => 300,
        };
        assert!(self.slot < 100, "a turn has a hundred slots");
        base + i64::from(self.slot)
    }
}

/// A letter's text as a player would write it.
pub fn text_of(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let nick = |target: &Option<u16>| target.map_or(NOBODY, |target| NICKS[usize::from(target)]);
        text.push_str(&match line {
            Line::Do { kind, target } => format!("{} - {}\n", word(*kind), nick(target)),
            Line::Text { kind: Kind::Clan, text, .. } => format!("Клану: {text}\nКонец\n"),
            Line::Text { kind, target, text } => format!("{} - {}: {text}\nКонец\n", word(*kind), nick(target)),
            Line::Cancel(None) => "Отмена\n".to_owned(),
            Line::Cancel(Some(kind)) => format!("Отмена - {}\n", word(*kind)),
            Line::Question(word) => format!("{word}\n"),
            Line::Prose(words) => format!("{words}\n"),
        });
    }
    text
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Lynch => "Суд Линча",
        Kind::Hunt => "Охота",
        Kind::Kill => "Убийство",
        Kind::Check => "Проверка",
        Kind::Heal => "Лечение",
        Kind::Seek => "Поиск",
        Kind::Pistol => "Пистолет",
        Kind::Note => "Записка",
        Kind::Pm => "ЛС",
        Kind::Clan => "Клану",
    }
}
