//! The lynch: the count, the quarter, the tie (step 4), and the rope (step 10).

use super::PlayerId;
use super::game::Life;
use super::grounds::{BlowEnd, Quorum};
use super::night::Attack;
use super::report::{Cause, LynchOutcome, PublishVotes, When};
use super::rulebook::{QuorumBase, Rounding};
use super::turn::{Closing, LYNCH_TIE, LotQuestion};

type Draw<'d> = dyn FnMut(&LotQuestion<'_>) -> usize + 'd;

impl Closing<'_> {
    /// Step 4. With `lynch_dead_falls_to_next` only the count: the choice waits for the rope (A32).
    pub fn choose_by_votes(&mut self, draw: &mut Draw<'_>) {
        if !self.has_lynch() {
            return;
        }
        // R109, R110: one deprived is enough to hide the votes.
        let hide = !self.vote.deprived.is_empty();
        self.vote.publish = if hide { PublishVotes::OutcomeOnly } else { PublishVotes::ByNick };
        // R66, R67, A36: the night's dead have voted, the expelled have not; votes for an expelled one stand.
        self.vote.ballots = self.asked(super::Kind::Lynch).map(|line| (line.from, line.target)).collect();
        for (_, candidate) in &self.vote.ballots {
            let count = self.vote.tally.entry(*candidate).or_default();
            *count = count.saturating_add(1);
        }
        self.vote.base = self.quorum_base();
        self.vote.outcome = if self.vote.ballots.is_empty() { LynchOutcome::NoVotes } else { LynchOutcome::NoQuorum };
        if !self.game.rulebook.lynch_dead_falls_to_next {
            self.choose(|_| true, draw);
        }
    }

    /// Step 10. The chosen one is hanged if he is there to be hanged (R65, A32); nobody takes his place.
    pub fn hang(&mut self, draw: &mut Draw<'_>) {
        if self.game.rulebook.lynch_dead_falls_to_next && self.has_lynch() {
            let living = self.in_play.clone();
            self.choose(|candidate| living.contains(&candidate), draw);
        }
        let Some(chosen) = self.vote.chosen else { return };
        if self.in_play.contains(&chosen) {
            self.vote.outcome = LynchOutcome::Hanged;
            // R29: even under a doctor's hands.
            let end = if self.doctor_is_at(chosen) { BlowEnd::NotCovered } else { BlowEnd::Kills };
            self.note_blow(&Attack { on: chosen, cause: Cause::Lynch, by: Vec::new() }, end);
            self.die(chosen, When::Lynch, vec![Cause::Lynch]);
        } else {
            self.vote.outcome = LynchOutcome::AlreadyOut;
        }
    }

    /// R65, R68, A29: the quarter first, then a draw among all who share the top.
    fn choose(&mut self, may_be_chosen: impl Fn(PlayerId) -> bool, draw: &mut Draw<'_>) {
        let candidates = || self.vote.tally.iter().filter(|(candidate, _)| may_be_chosen(**candidate));
        let Some(most) = candidates().map(|(_, votes)| *votes).max() else { return };
        let (share, base) = (self.game.rulebook.lynch_quorum, self.vote.base);
        self.grounds.quorum = Some(Quorum { most, least: share.of(base, Rounding::Ceil), base });
        // A28: equality is enough.
        if !share.reached(u64::from(most), u64::from(base)) {
            return;
        }
        let top: Vec<PlayerId> =
            candidates().filter(|(_, votes)| **votes == most).map(|(candidate, _)| *candidate).collect();
        let index = if top.len() > 1 {
            let ballots = &self.vote.ballots;
            draw(&LotQuestion { purpose: LYNCH_TIE, turn: self.game.turn, among: &top, ballots })
        } else {
            0
        };
        self.vote.chosen = top.get(index).or(top.first()).copied();
        if top.len() > 1 {
            self.vote.tied = top;
        }
    }

    /// A28: a quarter of what.
    fn quorum_base(&self) -> u32 {
        let count = match self.game.rulebook.lynch_quorum_base {
            QuorumBase::VotesCast => self.vote.ballots.len(),
            QuorumBase::AllPlayers => self.game.players.len(),
            QuorumBase::Alive => {
                let expelled = self.game.ledger.expelled().count();
                self.game.players.iter().filter(|player| player.life == Life::Alive).count() + expelled
            }
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}
