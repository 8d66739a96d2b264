//! What a player is told although he has not asked: what concerns him alone, talk that is passed on, notices to all.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{PlayerRow, RoleCard, VoteState};
use crate::rules::report::ExpelWhy;
use crate::rules::{Gender, Kind};

/// A player writes from another address from now on. Neither letter names either address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub nick: String,
    /// To the address that is played from now on; else to the one before.
    pub here: bool,
}

/// Another person plays under the nick from now on. Neither side learns who the other is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    Newcomer(Box<Newcomer>),
    /// A plain farewell without secrets.
    Leaver {
        nick: String,
    },
}

/// All that goes over with a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newcomer {
    pub card: RoleCard,
    pub players: Vec<PlayerRow>,
    pub deviations: Vec<(String, String)>,
    /// What the predecessor asked for and still stands.
    pub standing: Vec<(Kind, String)>,
    pub vote: VoteState,
    pub note_filed: bool,
    pub missed: u32,
    pub missed_limit: u32,
    /// Warnings for silence (R102).
    pub warned: u32,
    /// The last turn in which the seat has no vote (R109).
    #[serde(default)]
    pub deprived_until: Option<u16>,
    /// `deprived_is_miss`: each vote that is held in these turns counts as missed.
    #[serde(default)]
    pub deprived_is_miss: bool,
    pub paused: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reminder {
    pub nick: String,
    pub deadline: Timestamp,
    /// The lynch vote is missing. Never a role request: the locked screen may show it.
    pub vote_missing: bool,
    /// A first miss is on record: the next one expels.
    pub missed: u32,
    pub missed_limit: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promotion {
    pub nick: String,
    pub card: RoleCard,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conversion {
    /// To the foundling: you are a mafioso now.
    Turned { card: Box<RoleCard> },
    /// To each living member of the clan.
    NewMember { nick: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    pub nick: String,
    pub gender: Option<Gender>,
    /// By the rope (public anyway), or in the night.
    pub hanged: bool,
    pub game_over: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expulsion {
    pub nick: String,
    pub gender: Option<Gender>,
    pub why: ExpelWhy,
    /// The host's own words.
    pub text: String,
    pub role_shown: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// A missed vote (R105).
    Missed { nick: String, missed: u32, limit: u32 },
    /// A silence (R102).
    Silent { nick: String },
    /// The host's own words.
    Host { nick: String, text: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deprivation {
    pub nick: String,
    /// The last turn without a vote.
    pub until_turn: u16,
    /// As of [`Newcomer::deprived_is_miss`].
    #[serde(default)]
    pub is_miss: bool,
}

/// Whom do you take with you?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PistolQuestion {
    pub nick: String,
    pub until: Timestamp,
    /// The order that stands if he stays silent.
    pub standing: Option<String>,
}

/// A note, a private letter or the clan's talk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relayed {
    pub nick: String,
    pub author: String,
    pub text: String,
    /// The author is dead (a note).
    pub author_dead: bool,
}

/// By these words, in lower case, a letter of ours that tells a status is known again in a text (A71), where all of a row
/// stand in it: that it must not be shown, and by which rule; or a proof word. Who only asks not to be shown names no rule.
const WORDS_OF_OURS: [&[&str]; 5] = [
    &["не показыва", "правило 3)"],
    &["do not show", "rule 3)"],
    &["show this letter to nobody", "rule 3)"],
    &["ваше кодовое слово:"],
    &["your proof word:"],
];

/// Whether a player's text shows a letter of ours on a status (R85), however its lines were broken or marked.
pub fn shows_letter_of_ours(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words =
        lower.split(|c: char| c.is_whitespace() || matches!(c, '│' | '|' | '>')).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join(" ");
    WORDS_OF_OURS.iter().any(|row| row.iter().all(|words| joined.contains(words)))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    DeadlineMoved {
        was: Option<Timestamp>,
        deadline: Timestamp,
    },
    /// `early_close`: the turn is over before its time.
    AllVoted {
        was: Timestamp,
        deadline: Timestamp,
    },
    Paused,
    Resumed {
        deadline: Timestamp,
    },
    ResultsAwaited,
    /// Another person plays under this nick: that, and nothing more, is public.
    Replaced {
        nick: String,
    },
    Cancelled,
    /// The host moved or ended something with words of his own.
    Host {
        text: String,
    },
    /// So many letters came in an hour that answers pause; the letters count all the same.
    AnswersPause,
    /// As [`Notice::AnswersPause`], to a host or moderator: his orders are carried out all the same.
    HostAnswersPause,
    /// While answers pause the reader wrote more to others than is passed on.
    TalkKeptBack,
    /// The mail's quota of the day holds back what the reader wrote to others, although he was told that it is passed on:
    /// whom it waits for; None is the clan.
    TalkWaits {
        to: Vec<Option<String>>,
    },
    /// A copy of one of the reader's letters had arrived earlier, and the turn was judged again: what stands now.
    Rearranged {
        arrived: Timestamp,
        standing: Vec<(Kind, String)>,
        vote: VoteState,
        /// To whom the note that is filed now goes, where that changed.
        note_to: Option<String>,
        deadline: Option<Timestamp>,
    },
    /// A copy of a letter that was late had arrived in time, but was found after the close: it changes nothing.
    CopyFoundLate {
        arrived: Timestamp,
        deadline: Timestamp,
    },
    /// The doctor was in time (A43); `own`: the reader was the patient.
    Saved {
        nick: String,
        own: bool,
    },
    /// To the hunter, where A26 says so.
    HuntEnded {
        prey: String,
        result: crate::rules::report::HuntResult,
    },
}
