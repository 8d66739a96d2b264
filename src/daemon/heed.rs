//! What the daemon makes of its clock. One that is set back: nobody waits longer for it. One that is set forward needs
//! nobody: what waits is due. Unless it is set forward by months, which is rather a mistake; who asks a mail server for the
//! time finds out (`mail/imap/probe`), the others ask a human (`desk/leap`).

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::ends::{Inbox, Outbox};
use super::{Daemon, DaemonError};
use crate::desk::leap::is_leap;

/// A step back of less is a clock that is kept right.
const STEP: SignedDuration = SignedDuration::from_mins(1);

impl Daemon {
    /// Whoever waits for a moment waits no longer than he did before the clock was set back. Deadlines are moments that
    /// people wrote down: they stay.
    pub(super) fn heed_clock(&mut self) -> Result<(), DaemonError> {
        let now = self.clock.now();
        self.reading.forget_what_is_to_come(now);
        // While we were away it may have been set, too.
        let showed = match self.clock_showed {
            Some(showed) => showed,
            None => self.desk.last_beat()?.unwrap_or(now),
        };
        let back = showed.duration_since(now);
        if back > STEP {
            tracing::warn!(seconds = back.as_secs(), "the clock was set back; the queue is set by it");
            let blocked = self.desk.clock_set_back(back, now)?;
            if let Outbox::Line(line) = &mut self.outbox {
                line.pace.set_blocked_until(blocked);
            }
            self.stirred = true;
        }
        self.clock_showed = Some(now);
        self.believe_or_doubt(now)
    }

    fn believe_or_doubt(&mut self, now: Timestamp) -> Result<(), DaemonError> {
        let is_doubted = |believed| is_leap(believed, now);
        // Somebody may have said that it is right.
        if self.believed.is_none_or(is_doubted) {
            self.believed = self.believed.max(self.desk.clock_believed()?);
        }
        let from = self.believed.filter(|believed| is_doubted(*believed) && matches!(self.inbox, Inbox::Maildir(_)));
        let was_doubted = self.doubts_clock;
        let Some(from) = from else {
            self.believed = self.believed.max(Some(now));
            self.doubts_clock = false;
            if was_doubted {
                tracing::info!("the clock is believed again; what is due goes on");
                self.stirred = true;
            }
            return Ok(());
        };
        if was_doubted {
            return Ok(());
        }
        if !self.desk.clock_leapt(from, now)? {
            // Nobody has anything to lose.
            self.believed = Some(now);
            return Ok(());
        }
        tracing::error!(
            days = now.duration_since(from).as_hours() / 24,
            "the clock has leapt: until it is set right, or somebody says that it is (`omerta game resume`), no turn closes, \
             nothing is published by itself and nothing erased"
        );
        self.doubts_clock = true;
        self.stirred = true;
        Ok(())
    }

    /// Once a day what has outlived its time is erased. Where a mail server can be asked what time it is, by the slower of
    /// the two clocks, and not before it was asked.
    pub(super) fn tidy(&mut self) -> Result<(), DaemonError> {
        const DAY: SignedDuration = SignedDuration::from_hours(24);
        let is_maildir = matches!(self.inbox, Inbox::Maildir(_));
        let now = if is_maildir { Some(self.clock.now()) } else { self.reading.by_both_clocks() };
        let Some(now) = now else { return Ok(()) };
        if self.last_tidy.is_some_and(|last| now.duration_since(last).abs() < DAY) {
            return Ok(());
        }
        self.desk.tidy(now)?;
        self.last_tidy = Some(now);
        Ok(())
    }

    /// A sign of life: soon after something happened or the clock was moved, else seldom, for each costs the disk a wait.
    pub(super) fn beat(&mut self) -> Result<(), DaemonError> {
        const OFTEN: Duration = Duration::from_secs(5);
        const SELDOM: Duration = Duration::from_secs(30);
        // What this round went by: a clock that has leapt since was not looked at yet.
        let now = self.clock_showed.unwrap_or_else(|| self.clock.now());
        if let Some((at, shown)) = self.last_beat {
            let moved = now.duration_since(shown).abs().unsigned_abs() >= SELDOM;
            let wait = if self.stirred || moved { OFTEN } else { SELDOM };
            if at.elapsed() < wait {
                return Ok(());
            }
        }
        self.desk.beat(now, self.reading.began(), self.believed)?;
        self.last_beat = Some((Instant::now(), now));
        self.stirred = false;
        Ok(())
    }
}
