//! Dates without a deadline, and the deadline that comes early because every lynch vote is in.

use jiff::{SignedDuration, Timestamp};

use super::command::{CommandError, NotDone};
use super::{DeskError, Open, Room};
use crate::journal::{By, Entry};
use crate::letters::orders::Did;
use crate::schedule::Skips;
use crate::store::Tx;
use crate::table::{Phase, State, Table, whole_second};

/// Words that take all skipped dates back.
const NONE: [&str; 5] = ["нет", "никогда", "ничего", "none", "no"];

impl Room {
    /// More dates on which no turn ends of its own accord; the deadline that is set stays where it is.
    pub(super) fn skip(&mut self, tx: &Tx, game: &mut Open, said: &str, now: Timestamp) -> Result<Did, CommandError> {
        if matches!(game.table.state, State::Finished | State::Cancelled) {
            return Err(NotDone::HasEnded.into());
        }
        let zone = super::command::zone(&game.table)?;
        let today = zone.to_datetime(now).date();
        let skips = if NONE.contains(&said.trim().to_lowercase().as_str()) {
            Skips::default()
        } else {
            let more = Skips::parse(said, today).ok_or_else(|| NotDone::NoDates { said: said.to_owned() })?;
            game.table.skips.with(&more, today)
        };
        self.record(tx, game, now, &Entry::SkipsSet { skips: skips.clone() })?;
        let stays = game.table.deadline.filter(|deadline| skips.holds(zone.to_datetime(*deadline).date()));
        Ok(Did::Skipping { dates: skips, stays })
    }

    /// `early_close`: the last vote that was owed is in, so the turn ends with this second.
    pub(super) fn close_early(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        if !all_votes_are_in(&game.table) {
            return Ok(());
        }
        // The second after this one: what has arrived by now is in time.
        let deadline = whole_second(now).saturating_add(SignedDuration::from_secs(1)).unwrap_or(now);
        match game.table.deadline {
            Some(was) if deadline < was => {
                self.record(tx, game, now, &Entry::DeadlineSet { deadline, was: Some(was), by: By::AllVoted })
            }
            _ => Ok(()),
        }
    }

    /// A vote was withdrawn before the early deadline and read after it: the turn goes on to the deadline that it had,
    /// lest somebody miss a vote that he had hours to give. True when it does.
    pub(super) fn goes_on_after_all(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<bool, DeskError> {
        let Some(early) = game.table.early.filter(|early| game.table.deadline == Some(early.deadline)) else {
            return Ok(false);
        };
        if game.table.owing().is_empty() || early.was <= early.deadline {
            return Ok(false);
        }
        let was = Some(early.deadline);
        self.record(tx, game, now, &Entry::DeadlineSet { deadline: early.was, was, by: By::VoteWithdrawn })?;
        Ok(true)
    }
}

/// Whether the turn may end early: from the second one on, once a turn, and not where nobody may vote.
pub(super) fn all_votes_are_in(table: &Table) -> bool {
    let runs = table.state == State::Playing && table.phase == Phase::Open;
    table.settings.early_close
        && runs
        && table.game.turn >= 2
        && table.early.is_none()
        && table.living().any(|(player, _)| table.game.has_voted(player))
        && table.living().all(|(player, _)| !table.game.owes_vote(player))
}
