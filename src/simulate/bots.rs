//! What the bots of a simulation ask for. Each acts on what a player of his role may know, in the simplest way that is
//! not foolish:
//!
//! - **The town** votes for a living player by chance; who got votes in the last turn is a little more likely.
//! - **The commissioner** checks whom he has not checked, votes for an enemy whom he knows, never for one whom he knows
//!   to be honest, and points his pistol at that enemy. **The sergeant** votes like him by the copies that he gets, and
//!   hunts a mafioso whom he knows. Nobody hunts on a guess, and neither tells the town.
//! - **The doctor** heals a living player by chance, himself too, never the one of the turn before.
//! - **The clan** kills one outsider by chance, all naming the same, and votes together. **The kamikaze** looks for the
//!   commissioner among those with whom he has not tried.
//! - **The maniac** kills by chance and votes like the town.

use std::collections::BTreeSet;

use crate::demo::luck::Luck;
use crate::rules::game::Game;
use crate::rules::ledger::{Act, Ask, Target};
use crate::rules::report::{Report, Status};
use crate::rules::turn::WindowAnswer;
use crate::rules::{Kind, Order, PlayerId, Role, Side};

/// How much likelier each vote of the last turn makes a player: a vote against two for being there at all.
const BEING_THERE: usize = 2;

pub(super) struct Bots {
    /// Votes in the last turn.
    accused: Vec<usize>,
    /// With whom the kamikaze has tried.
    tried: BTreeSet<PlayerId>,
}

impl Bots {
    pub(super) fn new(players: usize) -> Bots {
        Bots { accused: vec![0; players], tried: BTreeSet::new() }
    }

    /// Everybody's letter of a turn, in a queue by chance.
    pub(super) fn write(&mut self, game: &mut Game, luck: &mut Luck) {
        let living = game.living();
        let outsiders: Vec<PlayerId> =
            living.iter().copied().filter(|who| game.side(*who) != Some(Side::Mafia)).collect();
        let prey = luck.pick(&outsiders).copied();
        let accused_by_clan = self.vote_among(&outsiders, luck);
        let mut writers = living.clone();
        luck.shuffle(&mut writers);
        for (number, writer) in (0u64..).zip(writers) {
            let mut asks = Vec::new();
            let mut ask = |kind: Kind, target: Option<PlayerId>| {
                asks.extend(target.map(|target| Ask::Do { kind, target: Target::Player(target), text: None }));
            };
            let others: Vec<PlayerId> = living.iter().copied().filter(|who| *who != writer).collect();
            let (enemy, honest) = known(game, writer);
            match game.role(writer).unwrap_or(Role::Citizen) {
                Role::Commissioner => {
                    ask(Kind::Check, luck.pick(&unchecked(game, writer, &others)).copied());
                    ask(Kind::Pistol, enemy);
                }
                Role::Sergeant => ask(Kind::Hunt, enemy.filter(|who| game.side(*who) == Some(Side::Mafia))),
                Role::Doctor => {
                    let last = game.player(writer).and_then(|player| player.last_heal);
                    let patients: Vec<PlayerId> = living.iter().copied().filter(|who| Some(*who) != last).collect();
                    ask(Kind::Heal, luck.pick(&patients).copied());
                }
                Role::Maniac => ask(Kind::Kill, luck.pick(&others).copied()),
                Role::Kamikaze => {
                    ask(Kind::Kill, prey.filter(|_| game.rulebook.kamikaze_kills_too));
                    let untried: Vec<PlayerId> =
                        outsiders.iter().copied().filter(|who| !self.tried.contains(who)).collect();
                    let sought = luck.pick(&untried).copied();
                    self.tried.extend(sought);
                    ask(Kind::Seek, sought);
                }
                Role::Mafioso | Role::Boss | Role::FoundlingMafioso => ask(Kind::Kill, prey),
                Role::Citizen | Role::Foundling => {}
            }
            if game.turn > 1 {
                let vote = match game.side(writer) {
                    Some(Side::Mafia) => accused_by_clan,
                    _ => enemy.or_else(|| {
                        let doubtful: Vec<PlayerId> =
                            others.iter().copied().filter(|who| !honest.contains(who)).collect();
                        self.vote_among(if doubtful.is_empty() { &others } else { &doubtful }, luck)
                    }),
                };
                ask(Kind::Lynch, vote);
            }
            let order = Order { second: i64::try_from(number).unwrap_or(i64::MAX), within: String::new() };
            game.hear(order, Act::Letter { letter: number, from: writer, asks });
        }
    }

    /// The dying commissioner shoots an enemy whom he knows, else anybody.
    pub(super) fn last_shot(&self, game: &Game, dying: PlayerId, luck: &mut Luck) -> WindowAnswer {
        let others: Vec<PlayerId> = game.living().into_iter().filter(|who| *who != dying).collect();
        let target = known(game, dying).0.or_else(|| luck.pick(&others).copied());
        target.map_or(WindowAnswer::Silence, WindowAnswer::Shoot)
    }

    /// What the summary tells all.
    pub(super) fn remember(&mut self, report: &Report) {
        self.accused.iter_mut().for_each(|votes| *votes = 0);
        for (who, votes) in &report.vote.tally {
            if let Some(accused) = self.accused.get_mut(usize::from(who.0)) {
                *accused = usize::try_from(*votes).unwrap_or(usize::MAX);
            }
        }
    }

    fn vote_among(&self, candidates: &[PlayerId], luck: &mut Luck) -> Option<PlayerId> {
        let weight = |who: &PlayerId| {
            self.accused.get(usize::from(who.0)).copied().unwrap_or_default().saturating_add(BEING_THERE)
        };
        let whole: usize = candidates.iter().map(weight).fold(0, usize::saturating_add);
        let mut drawn = luck.below(whole);
        candidates.iter().copied().find(|who| match drawn.checked_sub(weight(who)) {
            Some(left) => {
                drawn = left;
                false
            }
            None => true,
        })
    }
}

/// A living enemy of whom he was told, and all whom he knows to be honest.
fn known(game: &Game, who: PlayerId) -> (Option<PlayerId>, Vec<PlayerId>) {
    let told = game.player(who).map(|player| player.learned.as_slice()).unwrap_or_default();
    let side = |status: Status| match status {
        Status::Role(role) => role.side(),
        Status::Side(side) => side,
    };
    let is_enemy =
        |about: PlayerId, status: Status| side(status) != Side::Town && game.is_living(about) && about != who;
    let enemy = told.iter().find(|learned| is_enemy(learned.about, learned.status)).map(|learned| learned.about);
    let honest = told.iter().filter(|learned| side(learned.status) == Side::Town).map(|learned| learned.about);
    (enemy, honest.collect())
}

/// Whom he has not checked yet; all, once he has checked everybody.
fn unchecked(game: &Game, who: PlayerId, others: &[PlayerId]) -> Vec<PlayerId> {
    let told = game.player(who).map(|player| player.learned.as_slice()).unwrap_or_default();
    let unknown = |other: &&PlayerId| !told.iter().any(|learned| learned.about == **other);
    let left: Vec<PlayerId> = others.iter().filter(unknown).copied().collect();
    if left.is_empty() { others.to_vec() } else { left }
}
