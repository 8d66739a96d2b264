//! Many games of one set-up by simple bots, over the rules alone: no store, no mail, no clock. What the figures say and
//! what they do not say stands at [`caveat`]; what the bots do, in [`bots`].

mod bots;

use std::collections::BTreeMap;

use crate::demo::luck::Luck;
use crate::letters::Lang;
use crate::rules::deal::{self, DeckFault};
use crate::rules::game::{Game, Player};
use crate::rules::report::Cause;
use crate::rules::rulebook::Rulebook;
use crate::rules::turn::{self, Circumstances};
use crate::rules::{Role, Winner};

/// A game that lasts longer is counted as unfinished: nothing would end it.
pub const MOST_TURNS: u16 = 100;

/// To be read beside every result.
pub fn caveat(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => {
            "Играют здесь боты: город голосует почти наугад, чуть охотнее против тех, кого уже обвиняли; комиссар и сержант \
             действуют по тому, что знают, и никому ничего не говорят; клан во всём согласен; никто не пропускает \
             голосование, не разговаривает и не блефует. Сравнивайте по этим числам расклады между собой и не ждите таких же \
             от людей: город, который разговаривает, играет лучше, молчаливый - бывает, что и хуже."
        }
        Lang::En => {
            "The players here are bots: the town votes nearly at random, leaning to who was accused before; the commissioner \
             and the sergeant act on what they know and tell nobody; the clan agrees on everything; nobody misses a vote, \
             talks or bluffs. So compare set-ups with each other by these figures, and do not expect them of people: a town \
             that talks does better, one that is silent may do worse."
        }
    }
}

/// What is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    pub rulebook: Rulebook,
    pub roles: SetupRoles,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupRoles {
    /// Dealt anew in each game; the order does not matter.
    Deck(Vec<Role>),
    /// So many players of whom the rulebook's deck, or the roster itself, is a victory already.
    Over { players: usize, winner: Winner },
}

impl Setup {
    /// So many players with the deck that the rulebook gives them.
    ///
    /// # Errors
    /// When there is no such deck. One that is a victory already is no fault here: it is told as such.
    pub fn of_players(players: usize, rulebook: Rulebook) -> Result<Setup, DeckFault> {
        let roles = match deal::deck(players, &rulebook) {
            Ok(deck) => SetupRoles::Deck(deck),
            Err(DeckFault::AlreadyOver(winner)) => SetupRoles::Over { players, winner },
            Err(fault) => return Err(fault),
        };
        Ok(Setup { rulebook, roles })
    }

    /// The roles that a roster brings.
    ///
    /// # Errors
    /// When they contradict themselves.
    pub fn of_roles(roles: Vec<Role>, rulebook: Rulebook) -> Result<Setup, DeckFault> {
        let roles = match deal::check_roster(&roles, &rulebook) {
            Ok(()) => SetupRoles::Deck(roles),
            Err(DeckFault::AlreadyOver(winner)) => SetupRoles::Over { players: roles.len(), winner },
            Err(fault) => return Err(fault),
        };
        Ok(Setup { rulebook, roles })
    }

    pub fn players(&self) -> usize {
        match &self.roles {
            SetupRoles::Deck(deck) => deck.len(),
            SetupRoles::Over { players, .. } => *players,
        }
    }

    /// How many of each role, in the order of [`Role::ALL`]; empty where the game is over before it begins.
    pub fn deck(&self) -> Vec<(Role, usize)> {
        let SetupRoles::Deck(deck) = &self.roles else { return Vec::new() };
        let count = |role: Role| (role, deck.iter().filter(|other| **other == role).count());
        Role::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect()
    }
}

/// What came of the games. Sums alone, so that it does not matter who played which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub games: u64,
    /// By who won; None: still unfinished after [`MOST_TURNS`].
    pub ends: BTreeMap<Option<Winner>, End>,
    /// Deaths in all games, by cause; one with two causes counts for both.
    pub deaths: BTreeMap<Cause, u64>,
    pub turns: u64,
    pub shortest: Option<u16>,
    pub longest: Option<u16>,
}

/// Games that ended in one way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    pub games: u64,
    pub turns: u64,
    /// In how many of them somebody died of that in the last turn.
    pub last_deaths: BTreeMap<Cause, u64>,
}

/// Plays so many games on all cores. The same set-up, number and seed give the same tally.
pub fn play(setup: &Setup, games: u64, seed: u64) -> Tally {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = u64::try_from(threads).unwrap_or(1);
    let share = |first: u64| {
        let mut tally = Tally::default();
        let step = usize::try_from(threads).unwrap_or(1);
        (first..games).step_by(step).for_each(|number| play_one(setup, seed, number, &mut tally));
        tally
    };
    let mut whole = Tally::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(games)).map(|first| (first, scope.spawn(move || share(first)))).collect();
        for (first, worker) in workers {
            // A worker that could not finish is made up for here.
            whole.add(&worker.join().unwrap_or_else(|_| share(first)));
        }
    });
    whole
}

/// A number of its own for each game, so that no two games share their chances.
fn luck_of(seed: u64, number: u64) -> Luck {
    let mut of_all = Luck::new(seed);
    Luck::new(Luck::new(of_all.draw() ^ number.wrapping_mul(0xD134_2543_DE82_EF95)).draw())
}

fn play_one(setup: &Setup, seed: u64, number: u64, tally: &mut Tally) {
    let deck = match &setup.roles {
        SetupRoles::Deck(deck) => deck,
        SetupRoles::Over { winner, .. } => return tally.note(Some(*winner), 0, &[]),
    };
    let mut luck = luck_of(seed, number);
    let players = (0..deck.len()).map(|_| Player::new("")).collect();
    let mut game = Game::new(setup.rulebook.clone(), players);
    game.start(&deal::deal(deck.clone(), &mut |choices| luck.below(choices)));
    let mut bots = bots::Bots::new(deck.len());
    loop {
        bots.write(&mut game, &mut luck);
        let mut report =
            turn::close(&game, &Circumstances::default(), &mut |question| luck.below(question.among.len()));
        if let Some(dying) = turn::needs_window(&game, &report) {
            let window = bots.last_shot(&game, dying, &mut luck);
            let circumstances = Circumstances { window, ..Circumstances::default() };
            report = turn::close(&game, &circumstances, &mut |question| luck.below(question.among.len()));
        }
        let causes: Vec<Cause> = report.deaths.iter().flat_map(|death| death.causes.iter().copied()).collect();
        causes.iter().for_each(|cause| count(&mut tally.deaths, *cause));
        let turn = game.turn;
        bots.remember(&report);
        game.apply_report(&report);
        if game.winner.is_some() || turn >= MOST_TURNS {
            return tally.note(game.winner, turn, &causes);
        }
    }
}

fn count(counts: &mut BTreeMap<Cause, u64>, cause: Cause) {
    let count = counts.entry(cause).or_default();
    *count = count.saturating_add(1);
}

impl Tally {
    fn note(&mut self, winner: Option<Winner>, turns: u16, last_causes: &[Cause]) {
        let end = self.ends.entry(winner).or_default();
        end.games = end.games.saturating_add(1);
        end.turns = end.turns.saturating_add(u64::from(turns));
        let mut causes = last_causes.to_vec();
        causes.sort();
        causes.dedup();
        causes.into_iter().for_each(|cause| count(&mut end.last_deaths, cause));
        self.games = self.games.saturating_add(1);
        self.turns = self.turns.saturating_add(u64::from(turns));
        self.shortest = Some(self.shortest.map_or(turns, |shortest| shortest.min(turns)));
        self.longest = self.longest.max(Some(turns));
    }

    fn add(&mut self, other: &Tally) {
        let sum = |into: &mut BTreeMap<Cause, u64>, from: &BTreeMap<Cause, u64>| {
            for (cause, more) in from {
                let count = into.entry(*cause).or_default();
                *count = count.saturating_add(*more);
            }
        };
        for (winner, more) in &other.ends {
            let end = self.ends.entry(*winner).or_default();
            end.games = end.games.saturating_add(more.games);
            end.turns = end.turns.saturating_add(more.turns);
            sum(&mut end.last_deaths, &more.last_deaths);
        }
        sum(&mut self.deaths, &other.deaths);
        self.games = self.games.saturating_add(other.games);
        self.turns = self.turns.saturating_add(other.turns);
        self.shortest = [self.shortest, other.shortest].into_iter().flatten().min();
        self.longest = self.longest.max(other.longest);
    }
}

/// Between which shares the true one lies with 95 % (Wilson's interval): it never leaves 0 to 1, and is honest near them.
pub fn likely_share(hits: u64, of: u64) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    if of == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (of as f64, hits as f64 / of as f64);
    let middle = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    (((middle - spread) / whole).max(0.0), ((middle + spread) / whole).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(players: usize, rules: &[(&str, &str)]) -> Setup {
        let mut rulebook = Rulebook::default();
        for (name, value) in rules {
            rulebook.set(name, value).unwrap();
        }
        Setup::of_players(players, rulebook).unwrap()
    }

    fn won(tally: &Tally, winner: Winner) -> u64 {
        tally.ends.get(&Some(winner)).map_or(0, |end| end.games)
    }

    #[test]
    fn decks_that_are_over_before_they_begin_are_told_as_such() {
        for (roles, winner) in [(Role::Mafioso, Winner::Mafia), (Role::Citizen, Winner::Town)] {
            let setup = Setup::of_roles(vec![roles; 8], Rulebook::default()).unwrap();
            let tally = play(&setup, 50, 1);
            assert_eq!((tally.games, won(&tally, winner), tally.turns), (50, 50, 0));
            assert_eq!((tally.longest, tally.deaths.len()), (Some(0), 0));
        }
        let slip = Setup::of_roles(vec![Role::Sergeant, Role::Citizen, Role::Mafioso], Rulebook::default());
        assert_eq!(slip, Err(DeckFault::SergeantWithoutCommissioner));
    }

    /// One clan member who can't be found out but by votes, and one who is alone against a single citizen too many.
    #[test]
    fn nearly_decided_decks_come_out_as_they_must() {
        // Two against one: the clan kills one on the first night, and is not fewer then.
        let setup = Setup::of_roles(vec![Role::Citizen, Role::Citizen, Role::Mafioso], Rulebook::default()).unwrap();
        let tally = play(&setup, 200, 7);
        assert_eq!((won(&tally, Winner::Mafia), tally.turns), (200, 200));
        assert_eq!(tally.deaths, BTreeMap::from([(Cause::Mafia, 200)]));
        // Against nineteen the lone mafioso is found far more often than not.
        let mut crowd = vec![Role::Citizen; 19];
        crowd.push(Role::Mafioso);
        let tally = play(&Setup::of_roles(crowd, Rulebook::default()).unwrap(), 400, 7);
        assert!(won(&tally, Winner::Town) > 200 && won(&tally, Winner::Mafia) > 0, "{tally:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_tally_and_another_one_does_not() {
        let setup = setup(12, &[]);
        let tally = play(&setup, 300, 42);
        assert_eq!(tally, play(&setup, 300, 42));
        assert_ne!(tally, play(&setup, 300, 43));
        // Whoever plays which of them: one thread gives the same sums as many.
        let mut alone = Tally::default();
        (0..300).for_each(|number| play_one(&setup, 42, number, &mut alone));
        assert_eq!(tally, alone);
        assert_eq!(tally.games, 300);
        assert_eq!(tally.ends.values().map(|end| end.games).sum::<u64>(), 300);
    }

    #[test]
    fn every_role_acts_and_every_size_and_pistol_comes_to_an_end() {
        let causes = [
            Cause::Mafia,
            Cause::Maniac,
            Cause::Kamikaze,
            Cause::KamikazeSelf,
            Cause::Hunt,
            Cause::Pistol,
            Cause::Lynch,
        ];
        let tally = play(&setup(16, &[]), 400, 3);
        for cause in causes {
            assert!(tally.deaths.contains_key(&cause), "nobody died of {cause:?}: {tally:?}");
        }
        assert!(won(&tally, Winner::Town) > 0 && won(&tally, Winner::Mafia) > 0, "{tally:?}");
        for mode in ["turn", "window"] {
            let tally = play(&setup(12, &[("pistol_mode", mode)]), 200, 3);
            assert!(tally.deaths.contains_key(&Cause::Pistol), "{mode}: {tally:?}");
        }
        for players in 7..=20 {
            let tally = play(&setup(players, &[]), 20, 5);
            assert_eq!((tally.games, tally.ends.get(&None)), (20, None), "{players}");
        }
    }

    /// Nobody can kill, and nobody is ever hanged: whoever waits for the end of such a game waits for ever.
    #[test]
    fn a_game_that_nothing_ends_is_given_up_and_told_as_unfinished() {
        let mut rulebook = Rulebook::default();
        for (name, value) in
            [("lynch_quorum", "1"), ("lynch_quorum_base", "all_players"), ("kamikaze_kills_too", "false")]
        {
            rulebook.set(name, value).unwrap();
        }
        let deck = vec![Role::Citizen, Role::Citizen, Role::Citizen, Role::Kamikaze];
        let setup = Setup::of_roles(deck, rulebook).unwrap();
        let (done, wait) = std::sync::mpsc::channel();
        std::thread::spawn(move || done.send(play(&setup, 3, 1)));
        let tally = wait.recv_timeout(std::time::Duration::from_secs(120)).expect("it comes to an end");
        assert_eq!((tally.games, tally.ends.get(&None).map(|end| end.games)), (3, Some(3)), "{tally:?}");
        assert_eq!((tally.longest, tally.turns), (Some(MOST_TURNS), 3 * u64::from(MOST_TURNS)));
    }

    #[test]
    fn more_mafia_wins_more_often() {
        let share = |value: &str| won(&play(&setup(12, &[("mafia_share", value)]), 600, 9), Winner::Mafia);
        assert!(share("0.08") < share("0.25") && share("0.25") < share("0.4"));
    }

    #[test]
    fn the_interval_holds_the_share_and_narrows() {
        // Wilson's interval of 60 in 100, from any table of it.
        let (low, high) = likely_share(60, 100);
        assert!((low - 0.5020).abs() < 0.0001 && (high - 0.6906).abs() < 0.0001, "{low} {high}");
        assert_eq!(likely_share(0, 0), (0.0, 1.0));
        assert!(likely_share(0, 50).0.abs() < 1e-9 && (likely_share(50, 50).1 - 1.0).abs() < 1e-9);
        let width = |(low, high): (f64, f64)| high - low;
        assert!(width(likely_share(600, 1000)) < width(likely_share(60, 100)));
    }
}
