//! What is refused at receipt (A15), and why. A refusal is an answer, not an error.

use serde::{Deserialize, Serialize};

use super::PlayerId;

/// In the order in which the first that fits is told. A refusal never tells more than its reader knows (A15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    UnknownSender,
    DeadSender,
    ExpelledSender,
    AfterDeadline,
    UnknownRequest,
    FirstTurn,
    Deprived,
    MafiaNoHunt,
    LonerNoHunt,
    NotYourRole,
    UnknownNick,
    TargetOut(PlayerId),
    SelfTarget,
    OwnClan,
    HealTwice(PlayerId),
    NoteAlreadySent,
    /// `relay_private = false` (A83): there is no private post in this game.
    RelayOff,
}
