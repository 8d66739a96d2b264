//! Between the close of a turn and its publication: what the hosts are shown, and what they may still do.

use jiff::Timestamp;

use super::close::next_deadline;
use super::command::{CommandError, Did, NotDone};
use super::{Desk, DeskError, Open, Room, put_text};
use crate::journal::{Entry, Held, Publish};
use crate::letters::compose;
use crate::letters::preview::Preview;
use crate::letters::render::Rendered;
use crate::letters::{GameName, Heading};
use crate::request::orders::Verb;
use crate::store::Tx;
use crate::table::{Phase, State, Table};

impl Desk {
    /// The letters of the closed turn in words, one letter at a time, for those who look from the command line.
    ///
    /// # Errors
    /// [`CommandError::NotDone`] when no closed turn waits.
    pub fn preview(&mut self, tag: &str, now: Timestamp) -> Result<(Preview, Vec<Rendered>), CommandError> {
        let mut refusal = None;
        let shown = self.read(|room, tx| {
            let head = tx.game(tag)?.ok_or_else(|| DeskError::NoGame(tag.to_owned()))?;
            let table = room.load(tx, &head)?;
            if let Err(why) = must_be_judged(&table) {
                refusal = Some(why);
                return Err(DeskError::Refused);
            }
            let next = deadline_after(&table, now)?;
            let shown = room.with_context(tx, head.id, &table, |context| compose::preview(&table, next, context))?;
            let shown = shown.ok_or(DeskError::Refused)?;
            let heading = Heading {
                lang: table.lang,
                game: Some(GameName { tag: table.tag.clone(), title: table.title.clone() }),
                turn: table.game.turn,
                zone: table.zone.clone(),
                now,
                host_name: table.host_name.clone(),
            };
            let mut said = Vec::new();
            for inside in &shown.letters {
                said.push(room.words(&heading, &inside.letter)?);
            }
            Ok((shown, said))
        });
        match refusal {
            Some(why) => Err(why.into()),
            None => Ok(shown?),
        }
    }
}

impl Room {
    /// By the host's word, whatever the turn waited for.
    pub(super) fn publish_by_hand(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<Did, CommandError> {
        must_wait_for_the_host(&game.table)?;
        if game.table.is_taken_back() {
            self.resolve_again(tx, game, now)?;
        }
        // Where nothing holds it, judging it has published it.
        if game.table.phase == Phase::Review {
            self.publish(tx, game, now)?;
        }
        Ok(Did::Published)
    }

    /// Shows the hosts what the order has changed, or what it wanted to see, if it did ([`shows`]).
    pub(super) fn show_preview(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        if must_be_judged(&game.table).is_ok() { self.preview_to_hosts(tx, game, now) } else { Ok(()) }
    }

    pub(super) fn preview_to_hosts(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        let next = deadline_after(&game.table, now)?;
        self.record(tx, game, now, &Entry::Previewed { next })
    }

    /// The story belongs to the turn that is published next, whether it is still open or closed already.
    pub(super) fn tell_story(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        text: &str,
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        match game.table.state {
            State::Playing | State::Paused => {}
            State::Signup => return Err(NotDone::NotBegun.into()),
            State::Finished | State::Cancelled => return Err(NotDone::HasEnded.into()),
        }
        if text.trim().is_empty() {
            return Err(NotDone::Incomplete { verb: Verb::Story }.into());
        }
        let (turn, replaced) = (game.table.game.turn, game.table.story.is_some());
        let text = put_text(tx, game.id, text.trim())?;
        self.record(tx, game, now, &Entry::StoryTold { turn, text })?;
        Ok(Did::StoryTold { turn, replaced })
    }
}

/// Whether what was done changes how the closed turn will go out, so that the hosts see it again. Of several orders in a
/// letter all are done before: the preview is of the letters as they will leave.
pub(super) fn shows(table: &Table, did: &Did) -> bool {
    match did {
        Did::Ruled { .. } | Did::Previewed => true,
        Did::StoryTold { .. } => table.phase == Phase::Review && is_shown(table, table.held),
        _ => false,
    }
}

/// A preview can be sent.
pub(super) fn may_preview(table: &Table) -> Result<Did, NotDone> {
    must_be_judged(table)?;
    Ok(Did::Previewed)
}

/// Whether the hosts are shown a turn that is held so.
pub(super) fn is_shown(table: &Table, why_held: Option<Held>) -> bool {
    match why_held {
        None | Some(Held::Window | Held::TakenBack) => false,
        Some(Held::Approval | Held::ManyMisses) => table.settings.publish != Publish::Auto,
    }
}

/// A closed turn is there, judged to the end, and not yet published.
pub(super) fn must_wait_for_the_host(table: &Table) -> Result<(), NotDone> {
    if table.state != State::Playing || table.phase != Phase::Review {
        return Err(NotDone::NothingToPublish);
    }
    if table.window.is_some() {
        return Err(NotDone::WaitsForShot);
    }
    Ok(())
}

fn must_be_judged(table: &Table) -> Result<(), NotDone> {
    must_wait_for_the_host(table)?;
    if table.is_taken_back() { Err(NotDone::NotJudged) } else { Ok(()) }
}

/// The deadline that the next turn gets if the closed one is published now; None when the game is over with it.
pub(super) fn deadline_after(table: &Table, now: Timestamp) -> Result<Option<Timestamp>, DeskError> {
    let over = table.game.pending.as_ref().is_none_or(|report| report.winner.is_some());
    if over {
        return Ok(None);
    }
    // A turn that had opened before the one before it was taken back keeps its deadline, unless it has passed.
    let kept = table.undo.revision.as_ref().and_then(|revision| revision.deadline);
    match kept.filter(|deadline| *deadline > now) {
        Some(deadline) => Ok(Some(deadline)),
        None => Ok(Some(next_deadline(table, now)?)),
    }
}
