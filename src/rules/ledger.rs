//! What was heard in the current turn, in order of arrival, and what of it stands. A letter that is read later but
//! arrived earlier is put in its place and the turn is judged again: order of arrival decides, not order of reading.

use serde::{Deserialize, Serialize};

use super::admit::Refusal;
use super::{Kind, Order, PlayerId, TextRef};

/// Whom a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Player(PlayerId),
    /// A nick that fits nobody (A15).
    Unknown,
    /// The line needs none (`Клану`).
    Nobody,
}

/// One request line of a player, its nick already looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    Do {
        kind: Kind,
        target: Target,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextRef>,
    },
    /// `None`: all of this turn's, but never the pistol order (A14).
    Cancel { kind: Option<Kind> },
}

/// What the host does in mid-turn; it works at once (section 3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAct {
    Expel {
        who: PlayerId,
        left: bool,
    },
    /// From this turn on, for so many turns (R88, A35).
    Deprive {
        who: PlayerId,
        turns: u16,
    },
    ForgiveMiss {
        who: PlayerId,
    },
    ForgiveSilence {
        who: PlayerId,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Letter { letter: u64, from: PlayerId, asks: Vec<Ask> },
    Host(HostAct),
}

/// What became of one line at receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Accepted {
        /// The target of the line of this kind (or of the other kind that shares its slot) that it replaces.
        replaces: Option<(Kind, PlayerId)>,
        caveat: Option<Caveat>,
    },
    /// The same as what stands already (A13).
    Duplicate,
    Withdrawn {
        what: Vec<(Kind, PlayerId)>,
    },
    NothingToWithdraw,
    Refused(Refusal),
}

/// Accepted, but the receipt warns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// A hunt stands: check or heal will not act unless it is withdrawn (A18).
    HuntBlocksThis,
    /// The hunt was accepted and silences the check or heal that stands (A18).
    HuntSilencesSpecial,
    /// The hunt silences the pistol order in this turn (A20).
    HuntSilencesPistol,
    /// Without a lynch vote this will be void (R107).
    NeedsVote,
}

/// Why an accepted line had no effect at the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidWhy {
    Replaced,
    Duplicate,
    Withdrawn,
    Slot,
    StatusWithoutVote,
    HuntWithoutVote,
    NotFirst,
    SenderExpelled,
    Deprived,
    DeadBeforeNight,
}

/// One accepted line and its place: act (in order of arrival) and line within the letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filed {
    pub order: Order,
    pub letter: u64,
    pub line: u16,
    pub from: PlayerId,
    pub kind: Kind,
    pub target: PlayerId,
    pub text: Option<TextRef>,
}

/// The turn so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Sorted by order of arrival.
    pub acts: Vec<(Order, Act)>,
    // the rules room adds here what it derives: standing lines, void lines, the state at the turn's start
}
