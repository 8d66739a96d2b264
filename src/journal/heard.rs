//! A player's letter, judged.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Quota, WeightyFate, kind_of, word_of};
use crate::request::dates::Days;
use crate::request::{ProblemKind, TextEnd, Word};
use crate::rules::ledger::{Ask, Fate};
use crate::rules::{Kind, Order, PlayerId, TextRef};

/// One letter of a player, with the fate of every line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// The letter's number in the store.
    pub letter: u64,
    pub from: PlayerId,
    pub order: Order,
    /// The turn that was open, or being closed, when it was judged.
    pub turn: u16,
    pub standing: Standing,
    pub items: Vec<Item>,
    /// The lines as written, one a line, in the order of `items`; erasable.
    pub said: Option<TextRef>,
    /// The charset, where it was guessed.
    pub charset_guess: Option<String>,
    /// The body could not be read at all.
    pub undecodable: bool,
    /// Only its head was read: it is larger than `max_message`.
    #[serde(default)]
    pub too_large: bool,
    /// How the mail's quota of the day stood when it was answered.
    #[serde(default, skip_serializing_if = "Quota::is_open")]
    pub quota: Quota,
}

/// How the letter stands to the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Arrived in the open turn.
    OnTime,
    /// Arrived at or after this deadline and before the next turn: turn requests are refused, the rest goes on.
    Late { deadline: Timestamp },
    /// Arrived before this deadline, but was found after the close: it changes nothing by itself.
    FoundLate { deadline: Timestamp },
    /// From the dying commissioner while the turn waits for his shot: his pistol counts, all else is late.
    Window { deadline: Timestamp },
    /// The game is not being played (yet, or any more).
    NotPlaying,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    Ask {
        ask: Ask,
        fate: Fate,
        /// Not passed on: over the cap of private letters in a day, or of letters to the clan in an hour.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capped: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<TextEnd>,
        /// For a nick that fits nobody: the nearest.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        did_you_mean: Vec<PlayerId>,
        /// The nick was not quite as written: a case ending, a slip of the finger.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        guessed: bool,
    },
    /// A question whose answer goes out with the receipt.
    Question {
        word: Word,
    },
    Problem {
        word: Option<Word>,
        problem: ProblemKind,
    },
    /// A word that the game does not take now.
    NotNow {
        word: Word,
    },
    /// A request that wants a confirming answer.
    Weighty {
        word: Word,
        fate: WeightyFate,
    },
    /// Days without reminders; None where they could not be read.
    Absent {
        days: Option<Days>,
    },
}

impl Item {
    /// A note or talk, an attempt at one, or its cancellation: such lines stand in no export.
    pub fn is_private_text(&self) -> bool {
        let is_text = |kind: Kind| matches!(kind, Kind::Note | Kind::Pm | Kind::Clan);
        match self {
            Item::Ask { ask: Ask::Do { kind, .. }, .. } => is_text(*kind),
            Item::Ask { ask: Ask::Cancel { kind }, .. } => kind.is_some_and(is_text),
            Item::Problem { problem: ProblemKind::NoText | ProblemKind::DoubtfulText, .. } => true,
            Item::Problem { word: Some(word), .. } | Item::NotNow { word } => kind_of(*word).is_some_and(is_text),
            Item::Problem { word: None, .. } | Item::Question { .. } | Item::Weighty { .. } | Item::Absent { .. } => {
                false
            }
        }
    }

    pub fn word(&self) -> Option<Word> {
        match self {
            Item::Ask { ask: Ask::Do { kind, .. }, .. } => Some(word_of(*kind)),
            Item::Ask { ask: Ask::Cancel { .. }, .. } => Some(Word::Cancel),
            Item::Question { word } | Item::NotNow { word } | Item::Weighty { word, .. } => Some(*word),
            Item::Problem { word, .. } => *word,
            Item::Absent { .. } => Some(Word::Absence),
        }
    }
}
