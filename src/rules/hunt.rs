//! The hunt (R58-R63, A17-A27): one is served, the first that stands at the deadline.

use super::grounds::IdleWhy;
use super::ledger::{Filed, VoidWhy};
use super::night::Attack;
use super::report::{Cause, Hunt, HuntResult};
use super::rulebook::HuntManiac;
use super::turn::Closing;
use super::{Kind, PlayerId, Side};

impl Closing<'_> {
    /// R59, A21: the first hunter in the queue is served, the others are not.
    pub fn serve_the_first_hunt(&mut self) -> Option<Attack> {
        let queue = self.game.ledger.hunters();
        let mut standing = queue.into_iter().filter(|who| self.lines.contains_key(&(*who, Kind::Hunt)));
        let first = standing.next();
        let others: Vec<PlayerId> = standing.collect();
        for hunter in others {
            self.strike(hunter, Kind::Hunt, VoidWhy::NotFirst);
            self.free_the_special_of(hunter);
        }
        let hunter = first?;
        let line = self.lines.get(&(hunter, Kind::Hunt))?.clone();
        self.hunt = Some(Hunt { hunter, prey: line.target, result: HuntResult::Nothing });
        self.hunt_attack(&line)
    }

    /// The prey's side at the turn's start decides (A24).
    fn hunt_attack(&mut self, line: &Filed) -> Option<Attack> {
        let (hunter, prey) = (line.from, line.target);
        // A36: nobody at home; it keeps the first place all the same.
        if !self.in_play.contains(&prey) {
            self.note_idle(line, IdleWhy::NobodyHome);
            return None;
        }
        let kills = Attack { on: prey, cause: Cause::Hunt, by: vec![hunter] };
        let dies = Attack { on: hunter, cause: Cause::Hunting, by: vec![hunter] };
        match self.side(prey) {
            // R60.
            Side::Mafia => Some(kills),
            // R61, A24.
            Side::Town => Some(dies),
            // A23.
            Side::Maniac => match self.game.rulebook.hunt_maniac {
                HuntManiac::Nothing => {
                    self.note_idle(line, IdleWhy::NoPrey);
                    None
                }
                HuntManiac::KillsManiac => Some(kills),
                HuntManiac::KillsHunter => Some(dies),
            },
        }
    }

    /// After the shields: what became of it.
    pub fn note_the_hunts_result(&mut self, fatal: &[Attack], stopped: &[Attack]) {
        let is_hunt = |attack: &Attack| matches!(attack.cause, Cause::Hunt | Cause::Hunting);
        let Some(hunt) = &mut self.hunt else { return };
        let killed = fatal.iter().find(|attack| is_hunt(attack)).map(|attack| attack.cause);
        hunt.result = match killed {
            Some(Cause::Hunt) => HuntResult::Kills,
            Some(_) => HuntResult::Dies,
            None if stopped.iter().any(is_hunt) => HuntResult::Saved,
            None => HuntResult::Nothing,
        };
    }

    /// A19: check or heal of one whose hunt was not served. What wants a vote and has none stays silenced.
    fn free_the_special_of(&mut self, hunter: PlayerId) {
        if !self.game.rulebook.unsatisfied_hunt_frees_special || self.status_falls(hunter) {
            return;
        }
        if let Some(line) = self.slotted.remove(&hunter) {
            self.lines.insert((hunter, line.kind), line);
        }
    }
}
