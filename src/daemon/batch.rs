//! Letters of a Maildir on their way into the database.

use std::time::Duration;

use jiff::Timestamp;

use crate::desk::{Desk, DeskError};
use crate::failpoint::{self, Point};
use crate::mail::inbox::{Found, MaildirInbox};
use crate::mail::link::Arrived;
use crate::rules::Order;

/// Bytes in one transaction at most.
const BATCH_BYTES: usize = 16 * 1024 * 1024;

/// How many letters go into one transaction: as many as are judged in a moment, however busy the machine is. What comes
/// meanwhile waits for no more than one of them.
#[derive(Clone, Copy, Debug)]
pub struct Portion(usize);

impl Default for Portion {
    fn default() -> Portion {
        Portion(Portion::FIRST)
    }
}

impl Portion {
    /// What an index takes in at random places is written anew with each transaction: few large ones are cheaper.
    pub const MOST: usize = 250;
    const FIRST: usize = 100;
    const LEAST: usize = 5;
    /// So short that a few of them, and what else a round does, take less than a second.
    pub const MOMENT: Duration = Duration::from_millis(100);

    pub fn letters(self) -> usize {
        self.0
    }

    /// So many letters took so long.
    pub fn learn(&mut self, letters: usize, took: Duration) {
        let each = took.checked_div(u32::try_from(letters).unwrap_or(u32::MAX)).unwrap_or_default();
        let fitting = Portion::MOMENT.as_micros().checked_div(each.as_micros()).unwrap_or(u128::MAX);
        let fitting = usize::try_from(fitting).unwrap_or(usize::MAX).clamp(Portion::LEAST, Portion::MOST);
        // A few letters that were quick say nothing of many.
        if letters >= self.0 || fitting < self.0 {
            self.0 = fitting;
        }
    }
}

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

    pub fn is_full(&self, portion: Portion) -> bool {
        self.letters.len() >= portion.letters() || self.bytes >= BATCH_BYTES
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portion_is_what_a_moment_holds() {
        let mut portion = Portion::default();
        let after = |portion: &mut Portion, letters: usize, millis: u64| {
            portion.learn(letters, Duration::from_millis(millis));
            portion.letters()
        };
        assert_eq!(after(&mut portion, 100, 50), 200, "quick");
        assert_eq!(after(&mut portion, 200, 20), 250, "very quick");
        assert_eq!(after(&mut portion, 250, 1_250), 20, "five milliseconds each");
        assert_eq!(after(&mut portion, 3, 1), 20, "too few to tell");
        assert_eq!(after(&mut portion, 20, 50), 40);
        assert_eq!(after(&mut portion, 1, 60_000), 5, "never less");
        assert_eq!(after(&mut portion, 0, 0), 5);
    }
}
