//! What the morning letter to the hosts is made of.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Heard, Item, Standing};
use crate::rules::PlayerId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Morning {
    pub day: Day,
    pub mail: MailHealth,
}

/// What happened since the last morning letter, or since the game began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Day {
    /// None before the game.
    pub since: Option<Timestamp>,
    /// Letters of players that were judged, and of those the late ones, and those with a line that was not understood.
    pub letters: u32,
    pub late: u32,
    pub unclear: u32,
    /// Letters about which the registered address was asked.
    pub asked: u32,
    /// Turns that were closed, and turns that were made known.
    pub closed: Vec<u16>,
    pub published: Vec<u16>,
}

/// How the mail stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailHealth {
    /// When the inbox was last read through.
    pub inbox_read: Option<Timestamp>,
    /// Letters that could not be processed and are kept, of all games.
    pub quarantined: u64,
    /// Letters that wait to be sent, of all games.
    pub queued: u64,
    /// None where the provider sets no limit.
    pub sent_today: Option<SentToday>,
    /// Living players whose address takes no mail.
    pub resting: Vec<PlayerId>,
    /// A letter to a host of the game has failed.
    pub host_unreached: bool,
}

/// In the last 24 hours, of what the provider allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentToday {
    pub sent: u64,
    pub daily: u32,
    /// Not every kind of letter has room in it before then; those that wait to be sent may be of another kind.
    #[serde(default)]
    pub waits_until: Option<Timestamp>,
}

impl Day {
    /// One more letter of a player.
    pub fn count(&mut self, heard: &Heard) {
        let unclear = heard.items.iter().any(|item| matches!(item, Item::Problem { .. }));
        let late = matches!(heard.standing, Standing::Late { .. } | Standing::FoundLate { .. });
        self.letters = self.letters.saturating_add(1);
        self.late = self.late.saturating_add(u32::from(late));
        self.unclear = self.unclear.saturating_add(u32::from(unclear || heard.undecodable || heard.too_large));
    }
}
