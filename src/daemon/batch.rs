//! Letters of a Maildir on their way into the database.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::desk::{Desk, DeskError};
use crate::failpoint::{self, Point};
use crate::mail::inbox::{Found, MaildirInbox};
use crate::mail::link::Arrived;
use crate::rules::Order;

/// Letters in one transaction, and their bytes at most.
const BATCH_LETTERS: usize = 200;
const BATCH_BYTES: usize = 16 * 1024 * 1024;

/// Letters that go into one transaction, and where they lie.
#[derive(Default)]
pub struct Batch {
    pub letters: Vec<Arrived>,
    found: Vec<Found>,
    bytes: usize,
}

impl Batch {
    pub fn push(&mut self, found: Found, raw: Vec<u8>, too_large: bool) {
        self.bytes = self.bytes.saturating_add(raw.len());
        let order = Order { second: found.second, within: found.within.clone() };
        let place = found.place.clone();
        self.letters.push(Arrived { place, order, raw, too_large, junk: false, revalidated: false });
        self.found.push(found);
    }

    pub fn is_full(&self) -> bool {
        self.letters.len() >= BATCH_LETTERS || self.bytes >= BATCH_BYTES
    }
}

/// So many waiting letters of one sender come before everybody's whose letters are fewer.
const EACH: usize = 50;

/// One who writes thousands of letters must not keep the others waiting: what a sender wrote beyond [`EACH`] is read
/// after everybody else's letters. Only the order of reading changes; what counts is the order of arrival, and all is
/// read before a turn is closed. A few letters stay as they are.
pub fn fairly(found: Vec<Found>, mut sender: impl FnMut(&Found) -> Option<String>) -> Vec<Found> {
    if found.len() <= BATCH_LETTERS {
        return found;
    }
    let mut waiting: BTreeMap<Option<String>, usize> = BTreeMap::new();
    let (mut first, excess): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|found| {
        let number = waiting.entry(sender(found)).or_default();
        *number = number.saturating_add(1);
        *number <= EACH
    });
    first.extend(excess);
    first
}

pub enum InboxError {
    Io(std::io::Error),
    Desk(DeskError),
}

impl From<std::io::Error> for InboxError {
    fn from(error: std::io::Error) -> Self {
        InboxError::Io(error)
    }
}

impl From<DeskError> for InboxError {
    fn from(error: DeskError) -> Self {
        InboxError::Desk(error)
    }
}

/// A letter is marked as done only after its transaction.
pub fn take_in(desk: &mut Desk, inbox: &mut MaildirInbox, batch: &mut Batch, now: Timestamp) -> Result<(), InboxError> {
    if batch.letters.is_empty() {
        return Ok(());
    }
    desk.receive(&batch.letters, &[], now)?;
    // What went into a file that was removed meanwhile is not safe: the letters stay unmarked.
    desk.store.check_place().map_err(DeskError::from)?;
    failpoint::pass(Point::AfterCommitBeforeMark);
    for found in &batch.found {
        // It is committed: that it can't be marked keeps nobody waiting.
        inbox.mark_or_put_aside(found);
        failpoint::pass(Point::WhileMarking);
    }
    *batch = Batch::default();
    Ok(())
}
