//! Letters that could not be processed: who is told, and how they are tried again.

use jiff::Timestamp;

use super::route::Route;
use super::said::Said;
use super::{Desk, DeskError, Room};
use crate::letters::compose::Owed;
use crate::letters::view::Reader;
use crate::letters::{Alert, Letter};
use crate::mail::link::Arrived;
use crate::rules::Order;
use crate::store::{GameId, LetterId, LetterState, Tx};
use crate::table::is_on;

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
            match tx.savepoint(|tx| room.take_in(tx, &arrived, None, Some(id), now)) {
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
    /// The hosts get one alert a day (those of its game where it is known), and the player whose letter it was learns
    /// that it is kept. That this can't be told must not undo that the letter is kept.
    pub(super) fn tell_of_quarantine(
        &mut self,
        tx: &Tx,
        raw: &[u8],
        letter: LetterId,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let own = self.config.outbox.from.address.clone();
        let incoming = Said::parse(raw, &own);
        for step in [Room::tell_the_hosts, Room::tell_its_writer] {
            match tx.savepoint(|tx| step(self, tx, &incoming, letter, now)) {
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

    fn tell_the_hosts(&mut self, tx: &Tx, incoming: &Said, letter: LetterId, now: Timestamp) -> Result<(), DeskError> {
        let game = match tx.letter(letter)?.and_then(|letter| letter.game) {
            Some(game) => Some(game),
            None => self.game_of(tx, incoming, now)?,
        };
        if !tx.bump(game, "quarantine told", &now.strftime("%F").to_string(), 1)? {
            return Ok(());
        }
        let mut hosts: Vec<String> = Vec::new();
        if let Some(game) = game {
            let officers = tx.officers(game)?.into_iter().filter(|officer| officer.role == "host");
            hosts.extend(officers.map(|officer| officer.address));
        }
        if hosts.is_empty() {
            hosts.extend(self.config.host.addresses.iter().map(ToString::to_string));
        }
        let count = u32::try_from(tx.inbox_counts()?.quarantined).unwrap_or(u32::MAX);
        for address in hosts {
            let reader = Reader::Stranger(address);
            let letter = Letter::Alert(Alert::Quarantined { count });
            let owed = Owed::new(reader, letter, 0);
            self.enqueue_outside(tx, now, &owed)?;
        }
        Ok(())
    }

    /// The game to which a letter belongs; where that very game does not read, the one that its sender plays.
    fn game_of(&mut self, tx: &Tx, incoming: &Said, now: Timestamp) -> Result<Option<GameId>, DeskError> {
        match self.route(tx, incoming, now) {
            Ok(Route::Seat { head, .. } | Route::Host { head, .. }) => return Ok(Some(head.id)),
            Ok(_) => return Ok(None),
            Err(error) if error.is_fatal() => return Err(error),
            Err(_) => self.tables.forget_all(),
        }
        let Some(from) = &incoming.from else { return Ok(None) };
        let seats = tx.seats_by_address(from)?;
        let mut running = seats.iter().filter(|seat| is_on(&seat.state));
        Ok(running.next().filter(|_| running.next().is_none()).map(|seat| seat.game))
    }

    fn tell_its_writer(&mut self, tx: &Tx, incoming: &Said, letter: LetterId, now: Timestamp) -> Result<(), DeskError> {
        if incoming.automatic.is_some() {
            return Ok(());
        }
        let (game, player) = match tx.letter(letter)?.and_then(|letter| letter.game.zip(letter.player)) {
            // It was proved when it was kept for the close.
            Some((game, player)) => (game, player),
            None => match self.route(tx, incoming, now)? {
                Route::Seat { head, player, proved: true } => (head.id, player.0),
                _ => return Ok(()),
            },
        };
        let Some(seat) = tx.seat(game, player)? else { return Ok(()) };
        let day = format!("{player}/{}", now.strftime("%F"));
        if !tx.bump(game, "quarantine told", &day, self.config.security.replies_per_hour)? {
            return Ok(());
        }
        let answers = u64::try_from(letter.0).ok();
        // The game itself may be what does not read: the letter goes out without it.
        let reader = Reader::Stranger(seat.address);
        let letter = Letter::Kept;
        let owed = Owed { answers, ..Owed::new(reader, letter, 0) };
        self.enqueue_outside(tx, now, &owed)
    }
}
