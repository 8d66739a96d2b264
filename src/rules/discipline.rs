//! Step 12: missed votes (R105-R107, A65, A66) and silences (R102-R104, A69), of those still in play.

use super::grounds::{SilentPistol, SilentWhy};
use super::report::{ExpelWhy, Expulsion};
use super::turn::Closing;
use super::{PlayerId, Role};

impl Closing<'_> {
    /// Misses first: if both limits fall in one turn there is one expulsion, for the votes (A70).
    pub fn write_down_misses_and_silences(&mut self) {
        for who in self.who_missed() {
            let so_far = self.game.player(who).map_or(0, |player| player.missed);
            self.missed.push(who);
            if so_far.saturating_add(1) >= self.game.rulebook.missed_votes_limit {
                self.expel(who, ExpelWhy::MissedVotes);
            }
        }
        // A69: else the host warns by hand.
        if self.game.rulebook.activity_auto {
            self.write_down_silences();
        }
        // A51.
        let by = self.expelled.iter().find(|expulsion| expulsion.role == Role::Commissioner);
        if let Some(by) = by.map(|expulsion| expulsion.who) {
            self.grounds.silent_pistol.get_or_insert(SilentPistol { by, why: SilentWhy::Expelled });
        }
    }

    fn write_down_silences(&mut self) {
        let silent = self.circumstances.silent.iter().copied();
        let silent: Vec<PlayerId> = silent.filter(|who| self.in_play.contains(who)).collect();
        for who in silent {
            let warned_before = self.game.player(who).is_some_and(|player| player.warned > 0);
            if warned_before {
                self.expel(who, ExpelWhy::Inactivity);
            } else {
                self.warned.push(who);
            }
        }
    }

    /// In roster order. The deprived could not vote: no miss, unless the toggle says so (A35).
    fn who_missed(&self) -> Vec<PlayerId> {
        let deprived_miss = self.game.rulebook.deprived_is_miss && self.has_lynch();
        let missed = |who: &PlayerId| {
            let deprived = deprived_miss && self.vote.deprived.contains(who);
            (self.vote.nonvoters.contains(who) || deprived) && !self.circumstances.pardoned.contains(who)
        };
        self.in_play.iter().copied().filter(missed).collect()
    }

    fn expel(&mut self, who: PlayerId, why: ExpelWhy) {
        self.in_play.remove(&who);
        self.expelled.push(Expulsion { who, why, role: self.role(who) });
    }
}
