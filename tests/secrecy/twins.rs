//! Pairs of games, played step by step, and every mailbox compared as long as its reader is told the same in both.

use std::collections::BTreeMap;

use omerta::rules::deal::check_roster;

use super::house::address;
use super::make::{Dice, WAYS, script, twin};
use super::play::{Mailbox, News, Stage, text};
use super::premise::{Known, STEPS, Step, known};
use super::script::Script;

/// Games in one house, and twins of each.
const GAMES: usize = 6;
const TWINS: usize = 6;
/// How many twins are tried in one way before the next.
const TRIES: usize = 30;

/// A game and its twin, and for how many steps each reader's letters must be equal.
struct Pair {
    game: Script,
    twin: Script,
    readers: Vec<Reader>,
}

impl Pair {
    /// Until the last reader is told something else.
    fn steps(&self) -> usize {
        self.readers.iter().map(|reader| reader.alike).max().unwrap_or(0)
    }
}

#[derive(Clone, Debug)]
struct Reader {
    address: String,
    role: &'static str,
    alike: usize,
}

/// Plays at least so many pairs. Returns how many readers of each role read something of both, and of the public.
pub fn compare(pairs: usize) -> BTreeMap<&'static str, usize> {
    let batches = pairs.div_ceil(GAMES * TWINS);
    let workers = std::thread::available_parallelism().map_or(1, |workers| workers.get().min(4));
    let work = |worker: usize| {
        let mut readers: BTreeMap<&'static str, usize> = BTreeMap::new();
        for batch in (worker..batches).step_by(workers) {
            for (role, count) in play_batch(batch) {
                *readers.entry(role).or_default() += count;
            }
        }
        readers
    };
    let mut all: BTreeMap<&'static str, usize> = BTreeMap::new();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        for worker in running {
            let readers = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for (role, count) in readers {
                *all.entry(role).or_default() += count;
            }
        }
    });
    all
}

fn play_batch(batch: usize) -> BTreeMap<&'static str, usize> {
    let mut stages = Stage::like(1 + TWINS, "");
    let mut pairs: Vec<Vec<Pair>> = Vec::new();
    for game in 0..GAMES {
        let mut dice = Dice::new((batch * GAMES + game) as u64);
        let tag = format!("g{batch}-{game}");
        let found = find_pairs(&mut dice, &tag);
        let longest = found.iter().map(Pair::steps).max().unwrap_or(0);
        stages[0].add(&tag, &found[0].game, longest);
        for (stage, pair) in stages[1..].iter_mut().zip(&found) {
            stage.add(&tag, &pair.twin, pair.steps());
        }
        pairs.push(found);
    }
    let mut boxes: Vec<Vec<BTreeMap<String, Mailbox>>> =
        stages.iter().map(|stage| pairs.iter().map(|found| mailboxes(stage, &found[0].readers)).collect()).collect();
    let longest = pairs.iter().flatten().map(Pair::steps).max().unwrap_or(0);
    for number in 0..longest {
        let (turn, step) = match number.checked_sub(1) {
            None => (0, Step::Start),
            Some(number) => (number / STEPS.len(), STEPS[number % STEPS.len()]),
        };
        for stage in &mut stages {
            stage.play(turn, step);
        }
        for (game, found) in pairs.iter().enumerate() {
            let news: Vec<BTreeMap<String, News>> = boxes
                .iter_mut()
                .map(|stage| stage[game].iter_mut().map(|(who, mail)| (who.clone(), mail.news())).collect())
                .collect();
            for (pair, twin_news) in found.iter().zip(&news[1..]) {
                for reader in pair.readers.iter().filter(|reader| reader.alike > number) {
                    let (one, other) = (&news[0][&reader.address], &twin_news[&reader.address]);
                    assert!(one == other, "{}", difference(pair, reader, turn, step, one, other));
                }
            }
        }
    }
    let mut readers = BTreeMap::new();
    for reader in pairs.iter().flatten().flat_map(|pair| &pair.readers).filter(|reader| reader.alike > 1) {
        *readers.entry(reader.role).or_insert(0) += 1;
    }
    readers
}

fn mailboxes(stage: &Stage, readers: &[Reader]) -> BTreeMap<String, Mailbox> {
    readers.iter().map(|reader| (reader.address.clone(), stage.mailbox(&reader.address))).collect()
}

/// A game and its twins, in each of which somebody is told the same until a turn is published at least.
fn find_pairs(dice: &mut Dice, tag: &str) -> Vec<Pair> {
    loop {
        let game = script(dice);
        let told = known(&game);
        let mut found: Vec<Pair> = Vec::new();
        let first_way = dice.below(WAYS);
        for number in 0..TRIES * TWINS {
            let other = twin(dice, &game, (first_way + found.len() + number / TRIES) % WAYS);
            // A roster that no host may make is no pair.
            if check_roster(&other.roles, &other.rulebook()).is_err() {
                continue;
            }
            if other == game || found.iter().any(|pair| pair.twin == other) {
                continue;
            }
            let readers = readers(tag, &game, &told, &other);
            let differs = first_difference(&game, &other);
            if readers.iter().any(|reader| reader.alike >= differs + STEPS.len()) {
                found.push(Pair { game: game.clone(), twin: other, readers });
            }
            if found.len() == TWINS {
                return found;
            }
        }
    }
}

/// The number of the step in which the two scripts part.
fn first_difference(game: &Script, twin: &Script) -> usize {
    if game.roles != twin.roles {
        return 0;
    }
    let turn = game.turns.iter().zip(&twin.turns).position(|(one, other)| one != other).unwrap_or(0);
    1 + turn * STEPS.len()
}

fn readers(tag: &str, game: &Script, told: &Known, twin: &Script) -> Vec<Reader> {
    let twin_told = known(twin);
    let mut readers = Vec::new();
    for player in 0..game.players() {
        let role = game.roles[usize::from(player)].name();
        readers.push(Reader { address: address(tag, player), role, alike: told.alike(&twin_told, Some(player)) });
    }
    for officer in ["moderator", "forum"] {
        let alike = told.alike(&twin_told, None);
        readers.push(Reader { address: format!("{officer}@{tag}.test"), role: "public", alike });
    }
    readers
}

fn difference(pair: &Pair, reader: &Reader, turn: usize, step: Step, one: &News, other: &News) -> String {
    let mut told =
        format!("turn {}, {step:?}: {} ({}) can tell two games apart\n", turn + 1, reader.address, reader.role);
    let shown = |letters: &[(String, Vec<u8>)]| {
        letters.iter().map(|(name, raw)| format!("{name}\n{}", text(raw))).collect::<Vec<_>>().join("\n")
    };
    let differ = |letter: &&(String, Vec<u8>), others: &[(String, Vec<u8>)]| !others.contains(letter);
    let here: Vec<_> = one.iter().filter(|letter| differ(letter, other)).cloned().collect();
    let there: Vec<_> = other.iter().filter(|letter| differ(letter, one)).cloned().collect();
    told.push_str(&format!("--- here\n{}\n--- there\n{}\n", shown(&here), shown(&there)));
    told.push_str(&format!("roles {:?}\nother {:?}\nrules {:?}\n", pair.game.roles, pair.twin.roles, pair.game.rules));
    for (number, (one, other)) in pair.game.turns.iter().zip(&pair.twin.turns).enumerate().take(turn + 1) {
        for event in one.events.iter().filter(|event| !other.events.contains(event)) {
            told.push_str(&format!("turn {} here only {event:?}\n", number + 1));
        }
        for event in other.events.iter().filter(|event| !one.events.contains(event)) {
            told.push_str(&format!("turn {} there only {event:?}\n", number + 1));
        }
    }
    told
}
