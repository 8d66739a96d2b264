//! The morning letter to the hosts of a game that runs: what happened since the last one, and how the mail stands.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{DeskError, Open, Room};
use crate::journal::{Entry, MailHealth, Morning, SentToday};
use crate::rules::PlayerId;
use crate::rules::game::Life;
use crate::schedule;
use crate::store::Tx;
use crate::table::{State, Table};

/// Of the game's zone.
const HOUR: Time = Time::constant(9, 0, 0, 0);

/// After so long a pause nobody wants to be told every morning that nothing happens.
const LONG_PAUSE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// When the next one is due; None while the game is not played, or sleeps.
pub(super) fn next(table: &Table) -> Option<Timestamp> {
    // Before the game only somebody's silence is worth a letter.
    let waits_for_hands = !table.silent_hands().is_empty() && !table.people.greeted.is_empty();
    if !matches!(table.state, State::Playing | State::Paused) && !waits_for_hands {
        return None;
    }
    let zone = TimeZone::get(&table.zone).ok()?;
    let next = schedule::next_hour(table.day.since?, HOUR, &zone)?;
    let idle_since = table.paused_at.or(table.people.greeted_at.filter(|_| waits_for_hands));
    let sleeps = idle_since.is_some_and(|since| next.duration_since(since) > LONG_PAUSE);
    (!sleeps).then_some(next)
}

impl Room {
    /// One letter, however many mornings an outage has missed.
    pub(super) fn greet(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        if next(&game.table).is_none_or(|due| now < due) {
            return Ok(());
        }
        let mail = self.mail_health(tx, game, now)?;
        let morning = Morning { day: game.table.day.clone(), mail };
        self.record(tx, game, now, &Entry::Morning(Box::new(morning)))
    }

    fn mail_health(&self, tx: &Tx, game: &Open, now: Timestamp) -> Result<MailHealth, DeskError> {
        let queued = tx.outbox_counts()?.queued;
        let sent_today = self.daily_limit(tx, now)?.map(|limit| SentToday {
            sent: limit.sent.min(u64::from(limit.daily)),
            daily: limit.daily,
            waits_until: limit.waits.filter(|_| queued > 0).map(|(_, until)| until),
        });
        let mut resting = Vec::new();
        for seat in tx.seats(game.id)? {
            let player = PlayerId(seat.player);
            let lives = game.table.player(player).is_some_and(|player| player.life == Life::Alive);
            if lives && tx.rests(&seat.address)? {
                resting.push(player);
            }
        }
        Ok(MailHealth {
            inbox_read: tx.inbox_read()?,
            quarantined: tx.inbox_counts()?.quarantined,
            queued,
            sent_today,
            resting,
            host_unreached: tx.has_lost_letter_to_host(game.id)?,
        })
    }
}
