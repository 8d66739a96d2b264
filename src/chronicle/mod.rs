//! The finished game as one web page that needs nothing else. The journal is replayed, and each turn is told as everybody
//! was told of it; [`crate::letters::compose`] decides what that is.

mod page;
mod words;

use std::collections::BTreeMap;

pub use page::{GENERATOR, Page, PageFault};

use crate::desk::fold;
use crate::journal::Entry;
use crate::journal::read::{self as journal, JournalFault};
use crate::letters::Summary;
use crate::letters::compose::{self, Chronicle};
use crate::store::{Store, StoreError};
use crate::table::{State, Table};

#[derive(Debug, thiserror::Error)]
pub enum ChronicleError {
    #[error(transparent)]
    Journal(#[from] JournalFault),
    #[error(
        "{tag} is not finished: a chronicle would betray the roles. It can be made once the last letter has gone out."
    )]
    Unfinished { tag: String },
    #[error("{tag} was cancelled: nobody was told the roles, so there is nothing to chronicle.")]
    Cancelled { tag: String },
}

impl From<StoreError> for ChronicleError {
    fn from(error: StoreError) -> ChronicleError {
        JournalFault::from(error).into()
    }
}

/// Replays a game that is over.
///
/// # Errors
/// When there is no such game, it is not over, or its journal can't be read.
pub fn read(store: &Store, tag: &str) -> Result<(Table, Chronicle), ChronicleError> {
    store.read(|tx| {
        let head = journal::game(tx, tag)?;
        let unfinished = || ChronicleError::Unfinished { tag: head.tag.clone() };
        if head.state == State::Cancelled.word() {
            return Err(ChronicleError::Cancelled { tag: head.tag.clone() });
        }
        if head.state != State::Finished.word() {
            return Err(unfinished());
        }
        let mut table = None::<Table>;
        // A turn that was taken back and published anew is told as it was told last.
        let mut turns: BTreeMap<u16, Summary> = BTreeMap::new();
        let mut by_host = false;
        journal::each(tx, head.id, |at, entry| {
            by_host |= matches!(entry, Entry::Finished { .. });
            let publishes = matches!(entry, Entry::Published { .. });
            let before = table.as_ref().filter(|_| publishes).map(|table| table.game.clone());
            fold(&mut table, at, &entry);
            if let (Some(table), Some(before)) = (&table, before) {
                let story = table.last_story.as_ref().map(|story| tx.text(head.id, story.id)).transpose()?;
                let story = story.flatten().into_iter().collect();
                let told = compose::told_to_all(table, &before, story);
                turns.extend(told.map(|told| (told.turn, told)));
            }
            Ok::<(), ChronicleError>(())
        })?;
        let table = table.ok_or_else(unfinished)?;
        let told = table.told.iter().filter_map(|told| turns.remove(&told.turn)).collect();
        let seed = tx.secret(head.id, "seed")?.unwrap_or_default();
        let seed = data_encoding::HEXLOWER.encode(&seed);
        let chronicle = compose::chronicle(&table, told, by_host, seed).ok_or_else(unfinished)?;
        Ok((table, chronicle))
    })
}
