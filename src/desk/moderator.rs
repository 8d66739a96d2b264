//! What a forum's moderators tell us: that the results are posted, and who was silent in the topic (R102). The host may
//! say the same by hand.

use jiff::Timestamp;

use super::command::{CommandError, Moment, NotDone, all_playing, must_be_playing, must_count_in_this_turn};
use super::publication::is_shown;
use super::{Open, Room};
use crate::journal::Entry;
use crate::letters::orders::Did;
use crate::store::Tx;
use crate::table::{Phase, State};

/// Longest link, in characters.
const LONGEST_LINK: usize = 500;

impl Room {
    pub(super) fn posted(&mut self, tx: &Tx, game: &mut Open, link: &str, now: Timestamp) -> Result<Did, CommandError> {
        if game.table.state == State::Signup {
            return Err(NotDone::NothingToPost.into());
        }
        let link = link.trim().trim_start_matches('<').trim_end_matches('>');
        let rest = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"));
        let is_link = rest.is_some_and(|rest| !rest.is_empty())
            && !link.contains(|c: char| c.is_whitespace() || c.is_control())
            && link.chars().count() <= LONGEST_LINK;
        if !is_link {
            return Err(NotDone::NoLink.into());
        }
        self.record(tx, game, now, &Entry::Posted { link: link.to_owned() })?;
        Ok(Did::Posted { link: link.to_owned() })
    }

    /// Whom nobody names is not judged: silence is never concluded from a list that may have a gap.
    pub(super) fn watched(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        silent: bool,
        nicks: &[String],
        at: &Moment,
    ) -> Result<Did, CommandError> {
        must_be_playing(&game.table)?;
        let mut players = all_playing(&game.table, nicks)?;
        // Of a turn that is closed and not yet made known it may still be said: it is judged with it.
        let in_review = game.table.state == State::Playing && game.table.phase == Phase::Review;
        if !in_review {
            must_count_in_this_turn(&game.table, at.arrived)?;
        }
        players.sort();
        players.dedup();
        let nicks = players.iter().map(|who| game.table.nick(*who).to_owned()).collect();
        let by_itself = game.table.game.rulebook.activity_auto;
        self.record(tx, game, at.now, &Entry::Watched { silent, players })?;
        let waits_for_its_judgement = game.table.window.is_some() || game.table.is_taken_back();
        let again = if in_review && !waits_for_its_judgement {
            let (circumstances, held) = (game.table.circumstances.clone(), game.table.held);
            self.judge_turn_again(tx, game, circumstances, held, at.now)?;
            if is_shown(&game.table, held) {
                self.preview_to_hosts(tx, game, at.now)?;
            }
            self.snapshot(tx, game)?;
            Some(game.table.game.turn)
        } else {
            None
        };
        Ok(if silent { Did::Silent { nicks, by_itself, again } } else { Did::Wrote { nicks, again } })
    }
}
