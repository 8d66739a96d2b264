//! A resolution taken back, a ruling of the host, and the turn judged again.

use jiff::Timestamp;

use super::close::why_held;
use super::command::{CommandError, Did, NotDone, playing};
use super::publication::{is_shown, must_wait_for_the_host};
use super::{DeskError, Open, Room, put_text};
use crate::draws;
use crate::journal::{Entry, Held};
use crate::request::orders::Verb;
use crate::rules::turn::Circumstances;
use crate::store::{OutId, Tx};
use crate::table::{Phase, State, Table};

impl Room {
    /// Takes back the resolution of the closed turn, or of the one that was published last. Nothing is drawn and no
    /// voting opens: `resolve` judges the same letters again, with those that were found late.
    pub(super) fn take_back(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<Did, CommandError> {
        let published = is_published(&game.table)?;
        let turn = if published { game.table.game.turn.saturating_sub(1) } else { game.table.game.turn };
        let unsent =
            if published { tx.unsent_letters_of_turn(game.id, turn).map_err(DeskError::from)? } else { Vec::new() };
        let ids: Vec<OutId> = unsent.iter().map(|(id, _, _)| *id).collect();
        tx.cancel(&ids).map_err(DeskError::from)?;
        let cancelled = unsent.into_iter().map(|(_, reader, kind)| (reader, kind)).collect();
        self.record(tx, game, now, &Entry::TakenBack { turn, cancelled })?;
        self.snapshot(tx, game)?;
        Ok(Did::TakenBack { turn, published })
    }

    /// The host's word stands above what was resolved (R112).
    pub(super) fn rule(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nick: &str,
        alive: bool,
        text: &str,
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        if must_wait_for_the_host(&game.table).is_err() {
            return Err(NotDone::NothingToRule.into());
        }
        if text.trim().is_empty() {
            return Err(NotDone::Incomplete { verb: Verb::Rule }.into());
        }
        let player = playing(&game.table, nick)?;
        let text = put_text(tx, game.id, text.trim())?;
        self.record(tx, game, now, &Entry::Ruled { player, alive, text })?;
        let mut circumstances = game.table.circumstances.clone();
        circumstances.rulings.insert(player, alive);
        let held = game.table.held.filter(|why| *why == Held::ManyMisses).unwrap_or(Held::Approval);
        self.judge_turn_again(tx, game, circumstances, Some(held), now)?;
        self.snapshot(tx, game)?;
        Ok(Did::Ruled { nick: game.table.nick(player).to_owned(), alive })
    }

    /// By `resolve`, of a turn that was taken back: it waits for the host again only where every turn does.
    pub(super) fn resolve_again(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<Did, CommandError> {
        let turn = game.table.game.turn;
        let circumstances = game.table.circumstances.clone();
        let report = draws::close(&game.table.game, &circumstances, &self.lots(tx, game)?);
        // Misses that were told once need no second word of the host.
        let was_told = game.table.undo.revision.is_some();
        let held = why_held(&game.table, &report).filter(|why| !(was_told && *why == Held::ManyMisses));
        self.judge_turn_again(tx, game, circumstances, held, now)?;
        self.go_on_from_close(tx, game, now, held)?;
        Ok(Did::JudgedAgain { turn, published: held.is_none() })
    }

    pub(super) fn judge_turn_again(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        circumstances: Circumstances,
        why_held: Option<Held>,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let report = Box::new(draws::close(&game.table.game, &circumstances, &self.lots(tx, game)?));
        let shown = is_shown(&game.table, why_held);
        self.record(tx, game, now, &Entry::JudgedAgain { report, circumstances, why_held, shown })
    }
}

/// Whether the turn that can be taken back has been published; or why there is none.
fn is_published(table: &Table) -> Result<bool, NotDone> {
    match (table.state, table.phase) {
        (State::Paused, _) => Err(NotDone::IsPaused),
        (State::Signup, _) => Err(NotDone::NotBegun),
        (State::Finished, _) => Err(NotDone::EndIsTold),
        (State::Cancelled, _) => Err(NotDone::HasEnded),
        (State::Playing, Phase::Review) if table.window.is_some() => Err(NotDone::WaitsForShot),
        (State::Playing, Phase::Review) if table.is_taken_back() => Err(NotDone::NothingToTakeBack),
        (State::Playing, Phase::Review) => Ok(false),
        (State::Playing, Phase::Open) if table.undo.told.is_some() => Ok(true),
        (State::Playing, Phase::Open) => Err(NotDone::NothingToTakeBack),
    }
}
