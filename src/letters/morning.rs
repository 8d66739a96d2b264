//! The facts of the morning letter.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::SentToday;

/// What happened since the last morning, how the game stands, what waits for the host, and how the mail is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MorningLetter {
    pub since: Option<Timestamp>,
    pub letters: u32,
    pub late: u32,
    pub unclear: u32,
    pub asked: u32,
    /// Before the game: who has not answered the first letter.
    pub silent: Vec<String>,
    /// Made known since then.
    pub turns: Vec<MorningTurn>,
    pub turn: u16,
    pub is_paused: bool,
    pub is_review: bool,
    pub deadline: Option<Timestamp>,
    pub living: usize,
    pub owing: Vec<String>,
    pub waits: MorningWaits,
    pub inbox_read: Option<Timestamp>,
    pub queued: u64,
    pub sent_today: Option<SentToday>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MorningTurn {
    pub turn: u16,
    pub fell: Vec<String>,
    /// Nick, and whether he is alive by the host's ruling (R112).
    #[serde(default)]
    pub ruled: Vec<(String, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MorningWaits {
    pub approval: bool,
    pub many_misses: bool,
    pub pause: bool,
    /// Living players whose address takes no mail.
    pub resting: Vec<String>,
    pub quarantined: u64,
    pub host_unreached: bool,
}
