//! Letters that hold other letters: a closed turn as it will go out, for the eyes of the hosts, and what is corrected of
//! one that went out.

use serde::{Deserialize, Serialize};

use super::Letter;

/// Every letter of a closed turn and the public post, each once, with all who will get it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    pub letters: Vec<Previewed>,
}

/// One letter and its readers, in roster order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previewed {
    pub readers: Vec<Recipient>,
    /// All players who will get any letter get this one.
    pub everyone: bool,
    pub letter: Letter,
}

/// What one reader was told of a turn and what is true instead, after the turn was judged again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The letters of the turn as they are now; only those that differ.
    pub letters: Vec<Letter>,
    /// The letters that are true no longer.
    pub void: Vec<Letter>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// By nick.
    Player(String),
    Host,
    Moderator,
    Forum,
}
