//! A clock that has leapt over a deadline. Where no mail server can be asked what time it is, nobody knows whether weeks have
//! passed or the clock is wrong: the game pauses with what was left of the turn, and the host goes on when he has looked.

use jiff::Timestamp;

use super::{Desk, DeskError};
use crate::journal::Entry;
use crate::letters::Alert;
use crate::store::GameId;
use crate::table::{Phase, State};

impl Desk {
    /// The clock showed `from` when we last looked at it. A deadline that has passed since fires only by the host's word; one
    /// that was past before is none of this.
    ///
    /// # Errors
    /// When the database fails; then nothing of it happened.
    pub fn clock_leapt(&mut self, game: GameId, from: Timestamp, now: Timestamp) -> Result<(), DeskError> {
        self.write(|room, tx| {
            let Some(head) = tx.game_by_id(game)? else { return Ok(()) };
            let mut game = room.open(tx, &head)?;
            let is_open = game.table.state == State::Playing && game.table.phase == Phase::Open;
            let leapt = game.table.deadline.filter(|deadline| is_open && from < *deadline && *deadline <= now);
            if let Some(deadline) = leapt {
                room.record(tx, &mut game, now, &Entry::Paused { left: deadline.duration_since(from) })?;
                let days = u32::try_from(now.duration_since(from).as_hours() / 24).unwrap_or(u32::MAX);
                room.alert_once(tx, &mut game, now, Alert::ClockLeapt { from, days })?;
            }
            room.put_back(tx, game, now)
        })
    }
}
