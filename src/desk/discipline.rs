//! The host keeps order: warnings, votes taken away, expulsions, and what he forgives.

use jiff::Timestamp;

use super::bounds;
use super::command::{
    CommandError, Did, Forgiven, Moment, NotDone, Whom, all_playing, must_be_playing, must_count_in_this_turn, playing,
};
use super::{Open, Room, put_text};
use crate::draws;
use crate::journal::{Entry, Held};
use crate::request::orders::Verb;
use crate::rules::PlayerId;
use crate::rules::game::{FIRST_COURT, Player};
use crate::rules::ledger::HostAct;
use crate::rules::turn::Circumstances;
use crate::store::Tx;
use crate::table::{Phase, State, Table};

impl Room {
    pub(super) fn warn(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nick: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        let player = playing(&game.table, nick)?;
        must_have_reason(&game.table, Verb::Warn, player, text)?;
        let text = put_text(tx, game.id, text)?;
        self.record(tx, game, now, &Entry::HostWarned { player, text })?;
        Ok(Did::Warned { nick: game.table.nick(player).to_owned() })
    }

    pub(super) fn expel(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nick: &str,
        text: &str,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        let who = playing(&game.table, nick)?;
        must_have_reason(&game.table, Verb::Expel, who, text)?;
        must_count_in_this_turn(&game.table, at.arrived)?;
        self.act(tx, game, HostAct::Expel { who, left: false }, text, at)?;
        Ok(Did::Expelled { nick: game.table.nick(who).to_owned() })
    }

    /// Where an earlier loss is longer it stands (A35), nothing happens, and nobody gets a letter of it.
    pub(super) fn deprive(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nicks: &[String],
        turns: u16,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        let (players, turns) = (all_playing(&game.table, nicks)?, bounds::not_too_many(turns)?);
        must_count_in_this_turn(&game.table, at.arrived)?;
        let until = game.table.game.turn.saturating_add(turns.saturating_sub(1));
        let (mut nicks, mut longer) = (Vec::new(), Vec::new());
        for who in &players {
            let nick = game.table.nick(*who).to_owned();
            match game.table.player(*who).map_or(0, |player| player.deprived_until) {
                standing if standing > until => longer.push((nick, standing)),
                _ => {
                    self.act(tx, game, HostAct::Deprive { who: *who, turns }, "", at)?;
                    nicks.push(nick);
                }
            }
        }
        if nicks.is_empty() {
            return Err(NotDone::DeprivedLonger { longer }.into());
        }
        let first_court = (game.table.game.turn < FIRST_COURT).then_some(FIRST_COURT);
        Ok(Did::Deprived { nicks, turns, longer, first_court })
    }

    /// Forgives a miss or a silence; `all` in review takes back every miss of the closed turn and publishes it.
    pub(super) fn forgive(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        whom: &Whom,
        what: Forgiven,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        let act = |who| match what {
            Forgiven::Miss => HostAct::ForgiveMiss { who },
            Forgiven::Silence => HostAct::ForgiveSilence { who },
        };
        let count = |player: &Player| match what {
            Forgiven::Miss => player.missed,
            Forgiven::Silence => player.warned,
        };
        let in_review = game.table.phase == Phase::Review && game.table.state == State::Playing;
        match whom {
            Whom::All if in_review && what == Forgiven::Miss && game.table.window.is_none() => {
                let lots = self.lots(tx, game)?;
                let everybody = game.table.seats().map(|(player, _)| player).collect();
                let circumstances = Circumstances { pardoned: everybody, ..game.table.circumstances.clone() };
                let report = Box::new(draws::close(&game.table.game, &circumstances, &lots));
                self.record(tx, game, at.now, &Entry::MissesForgiven { report, circumstances })?;
                let published = game.table.held == Some(Held::ManyMisses);
                if published {
                    self.publish(tx, game, at.now)?;
                }
                Ok(Did::MissesOfTurnForgiven { published })
            }
            Whom::All => {
                must_be_playing(&game.table)?;
                must_count_in_this_turn(&game.table, at.arrived)?;
                let players: Vec<PlayerId> =
                    game.table.living().filter(|(_, player)| count(player) > 0).map(|(player, _)| player).collect();
                if players.is_empty() {
                    return Err(NotDone::NothingToForgive { what, nick: None }.into());
                }
                for who in players {
                    self.act(tx, game, act(who), "", at)?;
                }
                Ok(Did::Forgiven { what, nick: None, without: Vec::new() })
            }
            Whom::Nicks(nicks) => {
                let players = all_playing(&game.table, nicks)?;
                must_count_in_this_turn(&game.table, at.arrived)?;
                let has_one = |who: &PlayerId| game.table.player(*who).map_or(0, count) > 0;
                let (forgiven, without): (Vec<PlayerId>, Vec<PlayerId>) = players.into_iter().partition(has_one);
                let named = |players: &[PlayerId]| -> Vec<String> {
                    players.iter().map(|who| game.table.nick(*who).to_owned()).collect()
                };
                let (nicks, without) = (named(&forgiven).join(", "), named(&without));
                if forgiven.is_empty() {
                    return Err(NotDone::NothingToForgive { what, nick: Some(without.join(", ")) }.into());
                }
                for who in forgiven {
                    self.act(tx, game, act(who), "", at)?;
                }
                Ok(Did::Forgiven { what, nick: Some(nicks), without })
            }
        }
    }

    fn act(&mut self, tx: &Tx, game: &mut Open, act: HostAct, text: &str, at: &Moment) -> Result<(), CommandError> {
        let text = if text.is_empty() { None } else { Some(put_text(tx, game.id, text)?) };
        Ok(self.record(tx, game, at.now, &Entry::HostActed { order: at.order.clone(), act, text })?)
    }
}

/// Whom it concerns reads why, in a letter of his own.
fn must_have_reason(table: &Table, verb: Verb, who: PlayerId, text: &str) -> Result<(), NotDone> {
    if text.trim().is_empty() { Err(NotDone::NoReason { verb, nick: table.nick(who).to_owned() }) } else { Ok(()) }
}
