//! A closed turn that waits for a silent host: he is reminded, then all hosts are, then everybody learns that results are
//! awaited.

use jiff::{SignedDuration, Timestamp};

use super::{DeskError, Open, Room};
use crate::journal::{Entry, Nag};
use crate::store::Tx;
use crate::table::{Phase, State, Table};

/// Who hears of it how long after the turn was judged.
const STEPS: [(Nag, SignedDuration); 3] = [
    (Nag::Host, SignedDuration::from_hours(1)),
    (Nag::AllHosts, SignedDuration::from_hours(3)),
    (Nag::Everybody, SignedDuration::from_hours(6)),
];

/// The steps that are left in this turn, and when each is due; once each, however often the turn is judged again.
pub fn nags_left(table: &Table) -> impl Iterator<Item = (Nag, Timestamp)> {
    let waits = table.state == State::Playing && table.phase == Phase::Review && table.window.is_none();
    let since = table.closed_at.max(table.undo.again_at).filter(|_| waits);
    STEPS
        .into_iter()
        .filter(|(step, _)| !table.nagged.contains(step))
        .filter_map(move |(step, after)| Some((step, since?.saturating_add(after).ok()?)))
}

impl Room {
    /// One event for all that is due by now: after an outage there may be several steps.
    pub(super) fn nag_if_due(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        let steps: Vec<Nag> = nags_left(&game.table).filter(|(_, due)| *due <= now).map(|(step, _)| step).collect();
        if steps.is_empty() {
            return Ok(());
        }
        let turn = game.table.game.turn;
        self.record(tx, game, now, &Entry::Nagged { turn, steps })
    }
}
