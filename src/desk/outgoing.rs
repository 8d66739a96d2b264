//! The queue's side of the desk: what is due, what became of it, and signs of life.

use jiff::{SignedDuration, Timestamp};

use super::{Desk, DeskError, Room};
use crate::journal::Entry;
use crate::letters::Alert;
use crate::mail::link::Outcome;
use crate::rules::PlayerId;
use crate::store::{OutId, OutRow, OutState, Tx};

/// A provider that blocks sending blocks for a day, and every try prolongs it.
const BLOCK: SignedDuration = SignedDuration::from_hours(24);

impl Desk {
    /// Takes letters that are due out of the queue, at most so many: the attempt and the moment of the next one are
    /// stored before this returns. `retry_after` gives the wait after the n-th attempt.
    ///
    /// # Errors
    /// When the database fails; then no letter may be sent.
    pub fn take_due_letters(
        &mut self,
        now: Timestamp,
        at_most: usize,
        retry_after: impl Fn(u32) -> Option<SignedDuration>,
    ) -> Result<Vec<OutRow>, DeskError> {
        let due = self.read(|_, tx| Ok(tx.due_out(now, at_most)?))?;
        if due.is_empty() {
            return Ok(due);
        }
        self.write(|_, tx| {
            tx.expire(now)?;
            let mut taken = Vec::with_capacity(due.len());
            for letter in due {
                let wait = retry_after(letter.attempts.saturating_add(1)).unwrap_or(SignedDuration::from_hours(8));
                let next = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
                if !tx.attempting(&[letter.id], next)?.is_empty() {
                    taken.push(letter);
                }
            }
            Ok(taken)
        })
    }

    /// Writes down what became of letters that were handed over.
    ///
    /// # Errors
    /// When the database fails: they will be tried again, with the same Message-ID.
    pub fn settle_letters(
        &mut self,
        letters: &[OutRow],
        results: &[Outcome],
        now: Timestamp,
        retry_after: impl Fn(u32) -> Option<SignedDuration>,
    ) -> Result<(), DeskError> {
        self.write(|room, tx| {
            let sent: Vec<OutId> = letters
                .iter()
                .zip(results)
                .filter(|(_, result)| **result == Outcome::Sent)
                .map(|(letter, _)| letter.id)
                .collect();
            tx.sent(&sent, now)?;
            for (letter, result) in letters.iter().zip(results) {
                let wait = retry_after(letter.attempts.saturating_add(1));
                let again = wait.and_then(|wait| now.saturating_add(wait).ok());
                let (why, again) = match result {
                    Outcome::Sent => continue,
                    Outcome::Later { why } => (why, again),
                    Outcome::Blocked { why } => (why, Some(now.saturating_add(BLOCK).unwrap_or(now))),
                    Outcome::Refused { why } => (why, None),
                    // Once more, with the same Message-ID; then it is left as it is.
                    Outcome::Unknown { why } => {
                        let again = again.filter(|_| letter.state != OutState::Unknown);
                        tx.uncertain(letter.id, why, again)?;
                        continue;
                    }
                };
                tracing::warn!(letter = letter.id.0, kind = letter.kind, why, "a letter was not taken");
                tx.failed(letter.id, why, again)?;
                if again.is_none() {
                    room.undelivered(tx, letter, now)?;
                }
            }
            Ok(())
        })
    }

    /// Erases what strangers wrote longer ago than `retention`, and takes what was erased off the disk.
    ///
    /// # Errors
    /// When the database fails.
    pub fn tidy(&mut self, now: Timestamp) -> Result<(), DeskError> {
        let before = now.saturating_sub(self.config().retention).unwrap_or(Timestamp::MIN);
        self.write(|_, tx| Ok(tx.erase_strays(before)?))?;
        self.store.settle_erasure()?;
        Ok(())
    }

    /// Leaves a sign of life and how far the inbox is read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn beat(&mut self, now: Timestamp, read_through: Option<Timestamp>) -> Result<(), DeskError> {
        self.write(|_, tx| {
            tx.daemon_beat(now, std::process::id())?;
            if let Some(read) = read_through {
                tx.set_inbox_read(read)?;
            }
            Ok(())
        })
    }
}

/// How far everything has come: it changes with every letter in or out and with every event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    letters: u64,
    queued: u64,
    sent: u64,
    events: i64,
}

impl Desk {
    /// # Errors
    /// When the database fails.
    pub fn stamp(&mut self) -> Result<Stamp, DeskError> {
        self.read(|_, tx| {
            let (inbox, outbox) = (tx.inbox_counts()?, tx.outbox_counts()?);
            Ok(Stamp {
                letters: inbox.processed + inbox.quarantined,
                queued: outbox.queued,
                sent: outbox.sent,
                events: tx.games()?.iter().map(|game| game.seq).sum(),
            })
        })
    }
}

impl Room {
    /// A letter of a game will never arrive: the hosts learn which (its kind and its reader's nick).
    fn undelivered(&mut self, tx: &Tx, letter: &OutRow, now: Timestamp) -> Result<(), DeskError> {
        let player = letter.reader.strip_prefix("player:").and_then(|number| number.parse().ok()).map(PlayerId);
        let head = letter.game.map(|game| tx.game_by_id(game)).transpose()?.flatten();
        let (Some(player), Some(head)) = (player, head) else { return Ok(()) };
        let mut game = self.open(tx, &head)?;
        let nick = game.table.nick(player).to_owned();
        let alert = Alert::Undelivered { kind: letter.kind.clone(), nick };
        self.record(tx, &mut game, now, &Entry::Alerted { alert })?;
        self.put_back(tx, game)
    }
}
