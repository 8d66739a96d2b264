//! What came of a closed turn: everything that `apply`, the letters and `why` need, with causes. Not yet words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::grounds::Grounds;
use super::ledger::{Filed, VoidWhy};
use super::{PlayerId, Role, Side, TextRef, Winner};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    Night,
    Lynch,
}

/// In the order in which several causes of one death are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    Mafia,
    Maniac,
    Kamikaze,
    /// Shot by a hunter (R60).
    Hunt,
    /// Perished on his own hunt (R61).
    Hunting,
    /// The kamikaze himself (R50).
    KamikazeSelf,
    Pistol,
    Lynch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LynchOutcome {
    Hanged,
    AlreadyOut,
    NoQuorum,
    NoVotes,
    FirstTurn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishVotes {
    ByNick,
    OutcomeOnly,
    NoLynch,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    pub outcome: LynchOutcome,
    pub publish: PublishVotes,
    /// Valid ballots in roster order of the voters.
    pub ballots: Vec<(PlayerId, PlayerId)>,
    pub tally: BTreeMap<PlayerId, u32>,
    /// What the quarter is taken of (A28).
    pub base: u32,
    /// Who shares the top, in roster order; empty when one stands alone or nobody has the quarter.
    pub tied: Vec<PlayerId>,
    pub chosen: Option<PlayerId>,
    /// Could have voted and did not, in roster order; the night's dead included.
    pub nonvoters: Vec<PlayerId>,
    /// Who was deprived of the vote in this turn.
    pub deprived: Vec<PlayerId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Murder {
    None,
    Split,
    Victim(PlayerId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HuntResult {
    Kills,
    Dies,
    Nothing,
    Saved,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunt {
    pub hunter: PlayerId,
    pub prey: PlayerId,
    pub result: HuntResult,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    pub who: PlayerId,
    pub when: When,
    /// All of them, in the order of [`Cause`].
    pub causes: Vec<Cause>,
    /// At the turn's start; shown to all (R70).
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    Doctor,
    Foundling,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    pub who: PlayerId,
    pub cause: Cause,
    pub by: StoppedBy,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shot {
    pub by: PlayerId,
    pub at: PlayerId,
    pub when: When,
    /// False: a doctor stopped it (A40).
    pub killed: bool,
}

/// What a check shows (A44, A45).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Role(Role),
    Side(Side),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    pub turn: u16,
    pub who: PlayerId,
    pub about: PlayerId,
    pub status: Status,
    /// R24; empty where it does not apply.
    pub killers: Vec<Cause>,
    pub killer_nicks: Vec<PlayerId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpelWhy {
    MissedVotes,
    Inactivity,
    Host,
    Left,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expulsion {
    pub who: PlayerId,
    pub why: ExpelWhy,
    pub role: Role,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteDelivered {
    pub from: PlayerId,
    pub to: PlayerId,
    pub text: TextRef,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoidLine {
    pub line: Filed,
    pub why: VoidWhy,
}

/// The result of one turn. Lists are in roster order unless said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub turn: u16,
    /// What stood at the deadline and had effect or could have had, in order of arrival.
    pub standing: Vec<Filed>,
    pub void: Vec<VoidLine>,
    pub vote: Vote,
    pub murder: Murder,
    pub hunt: Option<Hunt>,
    pub stopped: Vec<Stopped>,
    pub deaths: Vec<Death>,
    pub shot: Option<Shot>,
    /// To the commissioner and to the sergeant, a row each.
    pub learns: Vec<Learned>,
    /// All misses written down, the expelling ones too.
    pub missed: Vec<PlayerId>,
    /// First silences.
    pub warned: Vec<PlayerId>,
    /// In mid-turn by the host, and at its end.
    pub expelled: Vec<Expulsion>,
    pub promoted: Option<PlayerId>,
    pub converted: Option<PlayerId>,
    pub notes: Vec<NoteDelivered>,
    /// Who was told of saves (A43).
    pub told_of_saves: Vec<(PlayerId, PlayerId)>,
    pub alive: Vec<PlayerId>,
    pub winner: Option<Winner>,
    /// Carried to the next turn.
    pub healed: Option<(PlayerId, PlayerId)>,
    pub quiet_turns: u32,
    /// For `why` alone.
    #[serde(default)]
    pub grounds: Grounds,
}
