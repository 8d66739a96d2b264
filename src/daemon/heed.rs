//! A clock that is set back while things wait by it. One that is set forward needs nobody: what waits is due. Unless it is
//! set forward by months, which is rather a mistake; who asks a mail server for the time finds out (`mail/imap/probe`).

use jiff::{SignedDuration, Timestamp};

use super::ends::{Inbox, Outbox};
use super::{Daemon, DaemonError};

/// A step back of less is a clock that is kept right.
const STEP: SignedDuration = SignedDuration::from_mins(1);

/// A step forward of more is believed only with the host's word. Whoever holidays, or moves the server, is away for less.
const LEAP: SignedDuration = SignedDuration::from_hours(90 * 24);

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
        if now.duration_since(showed) > LEAP && matches!(self.inbox, Inbox::Maildir(_)) {
            self.heed_leap(showed, now)?;
        }
        self.clock_showed = Some(now);
        Ok(())
    }

    fn heed_leap(&mut self, showed: Timestamp, now: Timestamp) -> Result<(), DaemonError> {
        tracing::error!(
            days = now.duration_since(showed).as_hours() / 24,
            "the clock has leapt; turns whose deadline lies in between pause until the host looks at it (`omerta game resume`)"
        );
        for game in self.desk.games_due(now, usize::MAX)? {
            match self.desk.clock_leapt(game, showed, now) {
                Ok(()) => {}
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(error) => tracing::error!(%error, "a game can't be paused"),
            }
        }
        self.stirred = true;
        Ok(())
    }
}
