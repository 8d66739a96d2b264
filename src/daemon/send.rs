//! Letters on their way out of the queue: into Maildirs, or over a line to a server.

use std::time::{Duration, Instant};

use super::ends::Outbox;
use super::{AGAIN, Daemon};
use crate::desk::DeskError;
use crate::failpoint::{self, Point};
use crate::mail::link::Outcome;
use crate::mail::outbox::Delivery;

/// Outgoing letters in one round.
const ROUND: usize = 200;

impl Daemon {
    /// Sends what is due. The attempt and the next one are stored before the first byte goes out.
    pub(super) fn send(&mut self) -> Result<(), DeskError> {
        if matches!(self.outbox, Outbox::Line(_)) {
            return self.hand_over();
        }
        let Outbox::Maildir(outbox) = &mut self.outbox else { return Ok(()) };
        loop {
            let now = self.clock.now();
            // While nothing can be delivered one letter tries it for all: the others keep their attempts.
            let most = match self.outbox_trouble {
                Some(since) if now.duration_since(since).abs().unsigned_abs() < AGAIN => return Ok(()),
                Some(_) => 1,
                None => ROUND,
            };
            let due = self.desk.take_due_letters(now, most, |_| true)?;
            if due.is_empty() {
                return Ok(());
            }
            self.stirred = true;
            let deliveries: Vec<Delivery> = due
                .iter()
                .map(|letter| Delivery {
                    address: &letter.address,
                    unique: &letter.message_id,
                    bytes: &letter.bytes,
                    at: letter.not_before,
                    again: letter.attempts > 0,
                })
                .collect();
            failpoint::pass(Point::AfterAttemptBeforeDelivery);
            let results = outbox.deliver_all(&deliveries);
            failpoint::pass(Point::AfterDeliveryBeforeSettle);
            let largest = deliveries.iter().map(|letter| letter.bytes.len()).max().unwrap_or_default();
            // Where nothing was taken, is it the disk, or only one recipient's folder? His letters wait by their own
            // schedule, and nobody else's.
            let is_taken = results.iter().any(Result::is_ok);
            let trouble = if is_taken { None } else { outbox.try_room(largest).err() };
            let was_in_trouble = self.outbox_trouble.is_some();
            self.outbox_trouble = trouble.as_ref().map(|_| now);
            match &trouble {
                Some(error) if !was_in_trouble => {
                    let folder = self.desk.config().outbox.path.display().to_string();
                    tracing::error!(%error, folder, "letters can't be delivered; see to the folder and the disk, it is tried again by itself");
                }
                None if was_in_trouble => tracing::info!("letters can be delivered again"),
                _ => {}
            }
            let results: Vec<Outcome> = results.into_iter().map(|result| outcome(result, trouble.is_some())).collect();
            self.desk.settle_letters(&due, &results, self.clock.now())?;
        }
    }

    /// The same over a line to a server: within the pace, the quota of the day, and what the line can hold.
    fn hand_over(&mut self) -> Result<(), DeskError> {
        const LOOK: Duration = Duration::from_secs(60);
        let now = self.clock.now();
        let daily = self.desk.config().outbox.daily;
        let lasts = LOOK / failpoint::hurry();
        let Outbox::Line(line) = &mut self.outbox else { return Ok(()) };
        let room = line.room(now);
        if room == 0 {
            return Ok(());
        }
        let mut load = match self.load {
            Some((looked, load)) if looked.elapsed() < lasts => load,
            _ => line.with_those_on_their_way(self.desk.load(now, daily)?),
        };
        let due = self.desk.take_due_letters(now, room, |letter| line.may_leave(letter, now, &mut load))?;
        let looked =
            self.load.filter(|(looked, _)| looked.elapsed() < lasts).map_or_else(Instant::now, |(looked, _)| looked);
        self.load = Some((looked, load));
        failpoint::pass(Point::AfterAttemptBeforeDelivery);
        line.hand_over(due);
        if line.is_full() {
            self.desk.tell_of_waiting_talk(now)?;
        }
        Ok(())
    }
}

/// A Maildir takes a letter, or it can't now. What is stored names no folder: its name is the address.
fn outcome(result: std::io::Result<()>, nobody_gets_any: bool) -> Outcome {
    match result {
        Ok(()) => Outcome::Sent,
        Err(error) if nobody_gets_any => Outcome::Later { why: error.kind().to_string() },
        Err(error) => Outcome::Later { why: format!("the recipient's folder under [outbox] path: {}", error.kind()) },
    }
}
