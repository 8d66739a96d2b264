//! The state of a game: what the journal folds into.

use serde::{Deserialize, Serialize};

use super::ledger::Ledger;
use super::report::{Learned, Report};
use super::rulebook::Rulebook;
use super::{Gender, PlayerId, Role, TextRef, Winner};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    Alive,
    Dead,
    Expelled,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    pub nick: String,
    pub gender: Option<Gender>,
    /// A few words for the roster (R81); empty if none were given.
    pub characteristic: String,
    /// None before the deal.
    pub role: Option<Role>,
    /// As published; a host's expulsion counts at once (A36).
    pub life: Life,
    /// Missed votes (R105) and silences (R102) so far.
    pub missed: u32,
    pub warned: u32,
    /// Who was really healed in the turn before (R30, A42).
    pub last_heal: Option<PlayerId>,
    /// The standing pistol order (A50).
    pub pistol: Option<PlayerId>,
    /// The note that lies with the host (R77).
    pub note: Option<Note>,
    /// The last turn in which he may not vote (R88); 0 if none.
    pub deprived_until: u16,
    /// Checks that he was told of, oldest first (R31).
    pub learned: Vec<Learned>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub to: PlayerId,
    pub text: TextRef,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    pub rulebook: Rulebook,
    /// In roster order; index = `PlayerId`.
    pub players: Vec<Player>,
    /// The turn that is open (or being closed); 0 before the deal.
    pub turn: u16,
    pub winner: Option<Winner>,
    /// Turns without a death, running (A81).
    pub quiet_turns: u32,
    /// What was heard in this turn.
    pub ledger: Ledger,
    /// The closed turn that is not yet published; until it is, the state above stands as before the close.
    pub pending: Option<Report>,
}
