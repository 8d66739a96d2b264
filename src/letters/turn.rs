//! What a closed turn and the end of the game tell to all.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::rules::report::{Cause, ExpelWhy, PublishVotes};
use crate::rules::{Gender, Role, Winner};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fallen {
    pub nick: String,
    pub gender: Option<Gender>,
    pub role: Role,
    /// Only where `public_causes` says so (A64).
    pub causes: Vec<Cause>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rope {
    /// R97.
    FirstTurn,
    Hanged {
        nick: String,
        gender: Option<Gender>,
        role: Role,
        votes: Option<u32>,
        of: Option<u32>,
    },
    /// `reason` is None when only the outcome is published (R110).
    Nobody {
        reason: Option<NobodyWhy>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NobodyWhy {
    NoVotes,
    NoQuorum,
    /// The chosen one had died by then (A32).
    AlreadyOut {
        nick: String,
    },
}

/// The results of a turn, as all may read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub turn: u16,
    /// Who died in the night or by a shot that is not public, in roster order; not who was shot where the shot is public.
    pub night: Vec<Fallen>,
    pub shot: Option<ShotSaid>,
    pub rope: Rope,
    pub publish: PublishVotes,
    /// Voter and whom; in roster order. Empty unless published by nick.
    pub ballots: Vec<(String, String)>,
    /// Most votes first.
    pub tally: Vec<(String, u32)>,
    /// A tie, decided by lot.
    pub tied: Vec<String>,
    pub nonvoters: Vec<String>,
    pub expelled: Vec<ExpelledSaid>,
    /// Only with `announce_saves = "public"`.
    pub saved: Vec<String>,
    pub alive: Vec<String>,
    pub next: Option<NextTurn>,
    pub winner: Option<Winner>,
    /// Nick and forum name of the dead, only with `reveal_person_on_death` (A11).
    #[serde(default)]
    pub persons: Vec<(String, String)>,
    /// The host's story for this turn.
    pub story: Vec<String>,
    /// For a moderator or a forum: the ready-made part.
    pub paste: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShotSaid {
    pub by: String,
    pub at: Fallen,
    pub in_the_night: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpelledSaid {
    pub nick: String,
    pub gender: Option<Gender>,
    pub role: Option<Role>,
    pub why: ExpelWhy,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextTurn {
    pub turn: u16,
    pub deadline: Option<Timestamp>,
}

/// The end: winner, all roles, the votes turn by turn, the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Final {
    pub winner: Winner,
    /// The host said so before anybody had won by the rules.
    #[serde(default)]
    pub by_host: bool,
    pub roster: Vec<FinalRow>,
    pub turns: Vec<FinalTurn>,
    /// Hex.
    pub seed: String,
    pub commitment: String,
    /// Nick and word.
    pub lot_words: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalRow {
    pub nick: String,
    pub role: Role,
    pub life: crate::rules::game::Life,
    pub gender: Option<Gender>,
    /// The forum member behind the nick, where he gave a name (A11).
    pub person: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalTurn {
    pub turn: u16,
    /// Empty where results by nick were not given (R109).
    pub ballots: Vec<(String, String)>,
    /// Who died.
    pub fell: Vec<String>,
    /// Who was expelled, or left.
    #[serde(default)]
    pub expelled: Vec<String>,
}
