//! Letters that could not be processed: who is told, and how they are tried again.

use jiff::Timestamp;

use super::route::Route;
use super::{Desk, DeskError, Room};
use crate::letters::compose::Owed;
use crate::letters::view::Reader;
use crate::letters::{Alert, Letter};
use crate::mail::link::Arrived;
use crate::mail::parse;
use crate::rules::Order;
use crate::store::{LetterId, LetterState, Tx};

/// What became of a letter that was tried again.
#[derive(Debug)]
pub enum Retried {
    Done,
    /// It failed again and stays where it is.
    Failed(DeskError),
    NotQuarantined,
    /// Its bytes were erased.
    Gone,
}

impl Desk {
    /// Tries a quarantined letter again. If it succeeds it counts with the arrival that it had.
    ///
    /// # Errors
    /// When the database fails.
    pub fn retry_quarantined(&mut self, id: LetterId, now: Timestamp) -> Result<Retried, DeskError> {
        self.write(|room, tx| {
            let Some(row) = tx.letter(id)?.filter(|row| row.state == LetterState::Quarantined) else {
                return Ok(Retried::NotQuarantined);
            };
            let Some(raw) = tx.raw(id)? else { return Ok(Retried::Gone) };
            let arrived = Arrived {
                place: row.place,
                order: Order { second: row.second, within: row.within },
                raw,
                too_large: row.too_large,
                junk: false,
                revalidated: false,
            };
            match tx.savepoint(|tx| room.take_in(tx, &arrived, Some(id), now)) {
                Ok(_) => Ok(Retried::Done),
                Err(error) if error.is_fatal() => Err(error),
                Err(error) => {
                    room.tables.forget_all();
                    tx.quarantine(id, &error.to_string())?;
                    Ok(Retried::Failed(error))
                }
            }
        })
    }

    /// Gives a quarantined letter up: it is kept with its error, and never acted on. False when it is not quarantined.
    ///
    /// # Errors
    /// When the database fails.
    pub fn drop_quarantined(&mut self, id: LetterId) -> Result<bool, DeskError> {
        self.write(|_, tx| Ok(tx.give_up(id)?))
    }
}

impl Room {
    /// The hosts get one alert a day, and the player whose letter it was learns that it is kept. That this can't be told
    /// must not undo that the letter is kept.
    pub(super) fn tell_of_quarantine(
        &mut self,
        tx: &Tx,
        arrived: &Arrived,
        letter: LetterId,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        for step in [Room::tell_the_hosts, Room::tell_its_writer] {
            match tx.savepoint(|tx| step(self, tx, arrived, letter, now)) {
                Ok(()) => {}
                Err(error) if error.is_fatal() => return Err(error),
                Err(error) => {
                    self.tables.forget_all();
                    tracing::error!(%error, "nobody could be told of a letter in quarantine");
                }
            }
        }
        Ok(())
    }

    fn tell_the_hosts(&mut self, tx: &Tx, _: &Arrived, _: LetterId, now: Timestamp) -> Result<(), DeskError> {
        if !tx.bump(None, "quarantine told", &now.strftime("%F").to_string(), 1)? {
            return Ok(());
        }
        let count = u32::try_from(tx.inbox_counts()?.quarantined).unwrap_or(u32::MAX);
        for address in self.config.host.addresses.clone() {
            let reader = Reader::Stranger(address.to_string());
            let letter = Letter::Alert(Alert::Quarantined { count });
            let owed = Owed { reader, letter, turn: 0, result: false, answers: None, expires: None };
            self.enqueue_outside(tx, now, &owed)?;
        }
        Ok(())
    }

    fn tell_its_writer(
        &mut self,
        tx: &Tx,
        arrived: &Arrived,
        letter: LetterId,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let own = self.config.outbox.from.address.clone();
        let incoming = parse::parse(&arrived.raw, Some(&own));
        if incoming.automatic.is_some() {
            return Ok(());
        }
        let Route::Seat { head, player, proved: true } = self.route(tx, &incoming, now)? else { return Ok(()) };
        let Some(seat) = tx.seat(head.id, player.0)? else { return Ok(()) };
        let day = format!("{}/{}", player.0, now.strftime("%F"));
        if !tx.bump(head.id, "quarantine told", &day, self.config.security.replies_per_hour)? {
            return Ok(());
        }
        let answers = u64::try_from(letter.0).ok();
        // The game itself may be what does not read: the letter goes out without it.
        let reader = Reader::Stranger(seat.address);
        let letter = Letter::Kept;
        let owed = Owed { reader, letter, turn: 0, result: false, answers, expires: None };
        self.enqueue_outside(tx, now, &owed)
    }
}
