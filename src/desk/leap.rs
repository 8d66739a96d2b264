//! A clock that has leapt by months. Where no mail server can be asked what time it is, nobody knows whether the program was
//! off for so long or the clock is wrong. While that is in doubt nothing happens by time alone, for much of it can't be
//! taken back. The doubt is over when the clock comes back, or when somebody says that it is right (`Продолжить`).

use jiff::{SignedDuration, Timestamp};

use super::command::{CommandError, Moment, NotDone, must_not_have_ended, nearest_second};
use super::{Desk, DeskError, Room};
use crate::desk::Open;
use crate::journal::Entry;
use crate::letters::Alert;
use crate::letters::orders::Did;
use crate::schedule::FARTHEST;
use crate::store::{GameId, StoreError, Tx, View};
use crate::table::{Phase, State, is_on};

/// Under this name the latest time stands that was ever believed. A clock that was set back does not lower it: that it is
/// right again later is no leap.
const BELIEVED: &str = "clock_believed";

/// A step forward of more is believed only with somebody's word. A wrong year is more; whoever holidays, or waits for the
/// retention to pass, is away for less.
const LEAP: SignedDuration = SignedDuration::from_hours(200 * 24);

/// Whether a clock that shows `now` is in doubt.
pub fn is_leap(believed: Timestamp, now: Timestamp) -> bool {
    now.duration_since(believed) > LEAP
}

impl Desk {
    /// The latest time that was ever believed; None in a new database.
    ///
    /// # Errors
    /// When the database fails.
    pub fn clock_believed(&mut self) -> Result<Option<Timestamp>, DeskError> {
        self.read(|_, tx| Ok(believed(tx)?))
    }

    /// The clock has leapt since it showed `from`. A game whose deadline lies in between pauses with what was left of the
    /// turn; a deadline that was past before is none of this. The hosts of every game that runs are told once. True where
    /// there are games at all.
    ///
    /// # Errors
    /// When the database fails.
    pub fn clock_leapt(&mut self, from: Timestamp, now: Timestamp) -> Result<bool, DeskError> {
        let games = self.read(|_, tx| Ok(tx.games()?))?;
        for head in games.iter().filter(|head| is_on(&head.state)) {
            match self.pause_if_leapt_over(head.id, from, now) {
                Err(error) if !error.is_fatal() => {
                    tracing::error!(game = head.id.0, %error, "a game can't be paused; the others are");
                }
                done => done?,
            }
        }
        Ok(!games.is_empty())
    }

    fn pause_if_leapt_over(&mut self, game: GameId, from: Timestamp, now: Timestamp) -> Result<(), DeskError> {
        self.write(|room, tx| {
            let Some(head) = tx.game_by_id(game)? else { return Ok(()) };
            let mut game = room.open(tx, &head)?;
            let is_open = game.table.state == State::Playing && game.table.phase == Phase::Open;
            let leapt = game.table.deadline.filter(|deadline| is_open && from < *deadline && *deadline <= now);
            if let Some(deadline) = leapt {
                room.record(tx, &mut game, now, &Entry::Paused { left: deadline.duration_since(from) })?;
            }
            let days = u32::try_from(now.duration_since(from).as_hours() / 24).unwrap_or(u32::MAX);
            room.alert_once(tx, &mut game, now, Alert::ClockLeapt { from, days })?;
            room.put_back(tx, game, now)
        })
    }
}

impl Room {
    /// The turn goes on with what was left of it. Who says so while the clock is in doubt says that it is right, for all
    /// games, and also where nothing is paused; a letter that was written before the leap knows nothing of it.
    pub(super) fn resume(&mut self, tx: &Tx, game: &mut Open, at: &Moment) -> Result<Did, CommandError> {
        let is_doubted = believed(tx)?.is_some_and(|believed| is_leap(believed, at.arrived));
        if is_doubted {
            believe(tx, at.now)?;
        }
        let left = game.table.paused_left.filter(|_| game.table.state == State::Paused);
        let Some(left) = left else {
            if is_doubted {
                return Ok(Did::ClockBelieved);
            }
            must_not_have_ended(&game.table)?;
            return Err(NotDone::NotPaused.into());
        };
        // By a clock that was years behind years were left.
        let deadline = at.now.saturating_add(left.min(FARTHEST)).map_err(|_| NotDone::TooFar)?;
        let deadline = nearest_second(deadline);
        self.record(tx, game, at.now, &Entry::Resumed { deadline })?;
        Ok(Did::Resumed { deadline })
    }
}

/// Of a database that knows no such time yet: when the daemon last left a sign of life.
fn believed(tx: &View) -> Result<Option<Timestamp>, StoreError> {
    match tx.mark(BELIEVED)?.and_then(|believed| believed.parse().ok()) {
        Some(believed) => Ok(Some(believed)),
        None => Ok(tx.daemon_status()?.map(|(at, _)| at)),
    }
}

/// What was believed already stays.
pub(super) fn believe(tx: &Tx, at: Timestamp) -> Result<(), StoreError> {
    let known = tx.mark(BELIEVED)?.and_then(|believed| believed.parse::<Timestamp>().ok());
    if known.is_none_or(|known| known < at) { tx.put_mark(BELIEVED, &at.to_string()) } else { Ok(()) }
}
