//! Letters in, many in one transaction. One that fails stops nobody else.

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::receive::new_letter;
use super::said::{Opened, Said};
use super::{Desk, DeskError, Room};
use crate::failpoint::{self, Point};
use crate::mail::Incoming;
use crate::mail::link::Arrived;
use crate::store::{LetterState, Tx};

/// Whether a letter may be marked in the mailbox.
pub(super) enum Taken {
    Ours,
    /// A stranger's letter in the Junk folder: it stays as it lies there.
    Junk,
}

/// What becomes of the others when a letter fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    /// Nothing of any of them stays.
    TakesAllBack,
    /// It is quarantined alone. That costs each of them a tenth of its price.
    IsQuarantined,
}

impl Desk {
    /// Takes letters in, in the given order, in one transaction, and with them how far the inbox is read (`marks`). A
    /// letter that fails inside is quarantined whole and stops nobody else. Gives the places that may be marked as
    /// seen: not those of strangers' letters in the Junk folder.
    ///
    /// # Errors
    /// When the database fails; then nothing of it happened.
    pub fn receive(
        &mut self,
        letters: &[Arrived],
        marks: &[(String, String)],
        now: Timestamp,
    ) -> Result<Vec<String>, DeskError> {
        self.receive_each(letters.iter().map(|letter| (letter, None)), marks, now)
    }

    /// As [`Desk::receive`], for letters that were read already.
    ///
    /// # Errors
    /// As [`Desk::receive`].
    pub fn receive_opened(
        &mut self,
        letters: &[Opened],
        marks: &[(String, String)],
        now: Timestamp,
    ) -> Result<Vec<String>, DeskError> {
        let own = self.config().outbox.from.address.clone();
        self.receive_each(letters.iter().map(|letter| (&letter.arrived, letter.said(&own))), marks, now)
    }

    /// Hardly ever does a letter fail: only then all of them are taken in once more, each with care.
    fn receive_each<'a>(
        &mut self,
        letters: impl Iterator<Item = (&'a Arrived, Option<&'a Said>)> + Clone,
        marks: &[(String, String)],
        now: Timestamp,
    ) -> Result<Vec<String>, DeskError> {
        let mut take_in = |failing| self.write(|room, tx| room.take_all_in(tx, letters.clone(), marks, now, failing));
        match take_in(Failing::TakesAllBack) {
            Err(error) if !is_of_the_store(&error) => take_in(Failing::IsQuarantined),
            done => done,
        }
    }

    /// True when a letter of this place was taken in before.
    ///
    /// # Errors
    /// When the database fails.
    pub fn knows_place(&mut self, place: &str) -> Result<bool, DeskError> {
        self.read(|_, tx| Ok(tx.letter_at(place)?.is_some()))
    }
}

impl Room {
    fn take_all_in<'a>(
        &mut self,
        tx: &Tx,
        letters: impl Iterator<Item = (&'a Arrived, Option<&'a Said>)>,
        marks: &[(String, String)],
        now: Timestamp,
        failing: Failing,
    ) -> Result<Vec<String>, DeskError> {
        let mut ours = Vec::new();
        for (letter, said) in letters {
            if tx.letter_at(&letter.place)?.is_some() {
                ours.push(letter.place.clone());
                continue;
            }
            let taken = match failing {
                Failing::TakesAllBack => Ok(self.take_in(tx, letter, said, None, now)?),
                Failing::IsQuarantined => tx.savepoint(|tx| self.take_in(tx, letter, said, None, now)),
            };
            match taken {
                Ok(Taken::Ours) => {
                    ours.push(letter.place.clone());
                    failpoint::pass(Point::WhileReceiving);
                }
                Ok(Taken::Junk) => {}
                Err(error) if is_of_the_store(&error) => return Err(error),
                Err(error) => {
                    self.tables.forget_all();
                    tracing::error!(%error, "a letter could not be processed and was quarantined");
                    self.quarantine(tx, letter, now, &error)?;
                    ours.push(letter.place.clone());
                }
            }
        }
        for (name, value) in marks {
            tx.put_mark(name, value)?;
        }
        Ok(ours)
    }

    fn quarantine(&mut self, tx: &Tx, arrived: &Arrived, now: Timestamp, error: &DeskError) -> Result<(), DeskError> {
        let incoming = Incoming::default();
        let sha256 = Sha256::digest(&arrived.raw).into();
        let letter = tx.put_letter(&new_letter(arrived, &incoming, sha256, LetterState::Quarantined, now))?;
        tx.quarantine(letter, &error.to_string())?;
        self.tell_of_quarantine(tx, &arrived.raw, letter, now)
    }
}

/// The database is in trouble: nothing is known of the letter.
fn is_of_the_store(error: &DeskError) -> bool {
    matches!(error, DeskError::Store(error) if error.is_fatal())
}
