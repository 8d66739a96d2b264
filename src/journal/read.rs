//! A game's journal out of the store, for those who tell of it: the export, the chronicle, `why`.

use jiff::Timestamp;

use super::Entry;
use crate::store::{EventRow, GameHead, GameId, StoreError, View};

/// So many events are in memory at a time.
const AT_A_TIME: usize = 512;

/// Why a journal can't be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalFault {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no game {0}. `omerta game list` shows all.")]
    NoGame(String),
    // Where it does not read, and no more: the parser repeats values, and values may be roles.
    #[error("event {seq} of the journal does not read, at its character {}", .source.column())]
    Event { seq: i64, source: serde_json::Error },
}

/// The game of that tag.
///
/// # Errors
/// When there is none, or the database can't be read.
pub fn game(tx: &View, tag: &str) -> Result<GameHead, JournalFault> {
    tx.game(tag)?.ok_or_else(|| JournalFault::NoGame(tag.to_owned()))
}

/// Gives every event of a game to `work`, in order.
///
/// # Errors
/// What `work` gives, and when the journal can't be read.
pub fn each<E: From<JournalFault>>(
    tx: &View,
    game: GameId,
    mut work: impl FnMut(Timestamp, Entry) -> Result<(), E>,
) -> Result<(), E> {
    let mut seq = 0;
    loop {
        let events = tx.events_after(game, seq, AT_A_TIME).map_err(JournalFault::from)?;
        let Some(last) = events.last() else { return Ok(()) };
        seq = last.seq;
        for event in events {
            work(event.at, entry(&event)?)?;
        }
    }
}

/// What an event says.
///
/// # Errors
/// When it does not read.
pub fn entry(event: &EventRow) -> Result<Entry, JournalFault> {
    serde_json::from_str(&event.body).map_err(|source| JournalFault::Event { seq: event.seq, source })
}
