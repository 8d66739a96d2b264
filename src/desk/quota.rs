//! The provider's limit of a day, told to people: how much of it is used, which letters wait for it, and until when.

use jiff::{SignedDuration, Timestamp};

use super::{Desk, DeskError, Room};
use crate::config::OutboxKind;
use crate::mail::pace::{self, Class};
use crate::store::View;

/// How the limit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyLimit {
    /// Letters in 24 hours.
    pub daily: u32,
    pub sent: u64,
    /// Letters of this class, and of those that matter less, wait until then; None: there is room for all.
    pub waits: Option<(Class, Timestamp)>,
}

impl Desk {
    /// None where the provider sets no limit.
    ///
    /// # Errors
    /// When the database fails.
    pub fn daily_limit(&mut self, now: Timestamp) -> Result<Option<DailyLimit>, DeskError> {
        self.read(|room, tx| room.daily_limit(tx, now))
    }
}

impl Room {
    pub(super) fn daily_limit(&self, tx: &View, now: Timestamp) -> Result<Option<DailyLimit>, DeskError> {
        let outbox = &self.config.outbox;
        let Some(daily) = outbox.daily.filter(|_| outbox.kind != OutboxKind::Maildir) else { return Ok(None) };
        let sent = tx.sent_in_a_day(now, usize::MAX)?;
        let (games, seats) = tx.running_seats()?;
        let reserve = pace::reserve(seats, games);
        let mut waits = None;
        for class in [Class::Result, Class::Receipt, Class::Relay] {
            if let Some(over) = sent.checked_sub(pace::room(daily, class, reserve)) {
                // When so many of the oldest have left the window of 24 hours, there is room for one.
                let opens = tx.sent_in_a_day_at(now, over)?;
                waits = opens.and_then(|at| at.checked_add(SignedDuration::from_hours(24)).ok()).map(|at| (class, at));
                break;
            }
        }
        Ok(Some(DailyLimit { daily, sent, waits }))
    }
}
