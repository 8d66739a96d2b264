//! From where a player's letters are judged again when one of them is heard between others: not each time from the
//! beginning of the turn, else thousands of letters before one act of the host would cost their square.

use std::collections::BTreeMap;

use super::Order;
use super::PlayerId;
use super::game::{Game, Player};
use super::ledger::{Act, Footing, Ledger};

/// Of so many players it is remembered.
const PLAYERS: usize = 8;

/// How things stood of a player after the letter of his that was heard last between others. It saves work and changes
/// nothing: it is no part of what makes two games the same, and is not kept with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Resume(BTreeMap<PlayerId, Judged>);

#[derive(Clone, Debug)]
struct Judged {
    /// All acts up to here that concern him.
    until: Order,
    /// How many of his lines were void by then.
    void: usize,
    /// What the host did to others, too.
    footing: Vec<Footing>,
    /// His alone, without what is void.
    ledger: Ledger,
}

impl PartialEq for Resume {
    fn eq(&self, _: &Resume) -> bool {
        true
    }
}

impl Eq for Resume {}

impl Resume {
    /// An act joins the others here: what was judged without it is no longer true.
    pub(super) fn forget_after(&mut self, order: &Order, act: &Act) {
        self.0.retain(|who, judged| judged.until < *order || !act.concerns(*who));
    }

    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

impl Game {
    /// The game as it was when the turn began; nothing is heard yet.
    pub(super) fn at_start(&self) -> Game {
        let ledger = Ledger { early_notes: self.ledger.early_notes.clone(), ..Ledger::default() };
        self.standing_on(self.ledger.start.iter().flatten(), ledger)
    }

    /// The game as far as it concerns this player's letters, after all acts before this place; nothing void is in it.
    /// And how many of his lines were void by then.
    pub(super) fn alone_before(&self, from: PlayerId, place: usize) -> (Game, usize) {
        let acts = &self.ledger.acts;
        let judged_before = |judged: &&Judged| acts.partition_point(|(order, _)| *order <= judged.until) <= place;
        let (mut alone, mut void, begin) = match self.ledger.resume.0.get(&from).filter(judged_before) {
            Some(judged) => {
                let ledger = Ledger { early_notes: self.ledger.early_notes.clone(), ..judged.ledger.clone() };
                let begin = acts.partition_point(|(order, _)| *order <= judged.until);
                (self.standing_on(judged.footing.iter(), ledger), judged.void, begin)
            }
            None => (self.at_start(), 0, 0),
        };
        for (order, act) in acts.iter().take(place).skip(begin).filter(|(_, act)| act.concerns(from)) {
            alone.take(order, act);
        }
        void = void.saturating_add(alone.ledger.void.len());
        alone.ledger.void.clear();
        alone.ledger.void_since.clear();
        (alone, void)
    }

    /// His letters up to here come to this, and `void` of his lines were void before.
    pub(super) fn remember(&mut self, from: PlayerId, until: &Order, alone: &Game, void: usize) {
        let known = &mut self.ledger.resume.0;
        if known.len() >= PLAYERS && !known.contains_key(&from) {
            known.pop_first();
        }
        let judged = Judged {
            until: until.clone(),
            void: void.saturating_add(alone.ledger.void.len()),
            footing: alone.players.iter().map(Footing::of).collect(),
            ledger: Ledger {
                standing: alone.ledger.standing.clone(),
                hunt_places: alone.ledger.hunt_places.clone(),
                expelled: alone.ledger.expelled.clone(),
                ..Ledger::default()
            },
        };
        known.insert(from, judged);
    }

    fn standing_on<'a>(&self, footing: impl Iterator<Item = &'a Footing>, ledger: Ledger) -> Game {
        let mut players = self.players.clone();
        for (player, was) in players.iter_mut().zip(footing) {
            was.stand(player);
        }
        Game { rulebook: self.rulebook.clone(), players, ledger, pending: None, ..*self }
    }
}

impl Footing {
    pub(super) fn of(player: &Player) -> Footing {
        Footing {
            life: player.life,
            missed: player.missed,
            warned: player.warned,
            pistol: player.pistol,
            note: player.note.clone(),
            deprived_until: player.deprived_until,
        }
    }

    fn stand(&self, player: &mut Player) {
        player.life = self.life;
        player.missed = self.missed;
        player.warned = self.warned;
        player.pistol = self.pistol;
        player.note.clone_from(&self.note);
        player.deprived_until = self.deprived_until;
    }
}

#[cfg(test)]
mod tests {
    use super::super::hearing::tests::TAKEN;
    use super::super::ledger::{Ask, HostAct, Target};
    use super::super::rulebook::Rulebook;
    use super::super::{Kind, Role};
    use super::*;

    fn game() -> Game {
        let players = (0..12).map(|number| Player::new(&format!("Игрок {number}"))).collect();
        let mut game = Game::new(Rulebook::default(), players);
        game.start(&[Role::Citizen; 12]);
        game.turn = 2;
        game
    }

    fn order(second: u16) -> Order {
        Order { second: i64::from(second), within: String::new() }
    }

    fn letter(number: u16, from: u16) -> Act {
        let ask = |kind, of: u16| Ask::Do { kind, target: Target::Player(PlayerId(2 + number % of)), text: None };
        Act::Letter { letter: number.into(), from: PlayerId(from), asks: vec![ask(Kind::Lynch, 7), ask(Kind::Hunt, 5)] }
    }

    /// Not a look at a clock: a count of judgements.
    #[test]
    fn a_flood_before_the_hosts_acts_costs_a_few_judgements_a_letter() {
        const LETTERS: u16 = 2_000;
        let hosts = [
            (LETTERS + 1, HostAct::Deprive { who: PlayerId(0), turns: 1 }),
            (LETTERS + 2, HostAct::Expel { who: PlayerId(4), left: false }),
            (LETTERS + 3, HostAct::ForgiveMiss { who: PlayerId(1) }),
        ];
        // Two write, the first of them much.
        let from = |number: u16| u16::from(number.is_multiple_of(10));
        let (mut forwards, mut acts_first) = (game(), game());
        for number in 0..LETTERS {
            forwards.hear(order(number), letter(number, from(number)));
        }
        for (second, act) in hosts {
            forwards.hear(order(second), Act::Host(act.clone()));
            acts_first.hear(order(second), Act::Host(act));
        }
        TAKEN.set(0);
        for number in 0..LETTERS {
            let act = letter(number, from(number));
            let foretold = acts_first.judge(&order(number), &act);
            assert_eq!(acts_first.hear(order(number), act), foretold);
        }
        assert_eq!(acts_first, forwards);
        assert!(TAKEN.get() <= 10 * usize::from(LETTERS), "{} judgements of {LETTERS} letters", TAKEN.get());
    }

    /// What is remembered of a player ends where an act joins those before it.
    #[test]
    fn an_act_among_those_that_were_judged_is_heard_in_its_place() {
        let acts: Vec<(u16, Act)> = vec![
            (1, letter(1, 0)),
            (2, Act::Host(HostAct::Deprive { who: PlayerId(0), turns: 1 })),
            (3, letter(3, 0)),
            (4, letter(4, 1)),
            (5, letter(5, 0)),
            (9, Act::Host(HostAct::Expel { who: PlayerId(7), left: false })),
        ];
        let mut forwards = game();
        for (second, act) in &acts {
            forwards.hear(order(*second), act.clone());
        }
        for reading in [[5, 0, 2, 4, 1, 3], [5, 4, 2, 1, 3, 0], [5, 2, 1, 4, 0, 3]] {
            let mut other = game();
            for (second, act) in reading.map(|place| &acts[place]) {
                let foretold = other.judge(&order(*second), act);
                assert_eq!(other.hear(order(*second), act.clone()), foretold);
            }
            assert_eq!(other, forwards, "{reading:?}");
        }
    }
}
