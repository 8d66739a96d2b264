//! A clock that is set back while things wait by it. One that is set forward needs nobody: what waits is due.

use jiff::SignedDuration;

use super::ends::Outbox;
use super::{Daemon, DaemonError};

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
        Ok(())
    }
}
