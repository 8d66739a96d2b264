//! What players can rely on in every random game: answers tell nothing, the order of writing matters only where the
//! rulebook says so, and every outcome has its reason.
#![cfg(test)]

mod chance;

use std::collections::BTreeSet;

use chance::{Event, Script, acts, circumstances, closed, game, play, script};
use omerta::rules::game::{Game, Life};
use omerta::rules::grounds::{BlowEnd, IdleWhy};
use omerta::rules::ledger::{Act, Ask, Fate, Filed, HostAct};
use omerta::rules::report::{Murder, Report, StoppedBy};
use omerta::rules::{Kind, Order, PlayerId, Role, Side};
use proptest::prelude::*;
use proptest::sample::Index;

/// The letters of a turn without what A13, R59 and R77 give to the order of writing: one line a player and slot, no
/// hunt, no note, no cancel.
fn without_order(game: &Game, acts: &[(Order, Act)]) -> Vec<(u64, PlayerId, Ask)> {
    let mut slots: BTreeSet<(PlayerId, Kind)> = BTreeSet::new();
    let mut lines = Vec::new();
    for (number, (_, act)) in (0..).zip(acts) {
        let Act::Letter { from, asks, .. } = act else { continue };
        for ask in asks {
            let Ask::Do { kind, .. } = ask else { continue };
            if matches!(kind, Kind::Hunt | Kind::Note | Kind::Pm | Kind::Clan) {
                continue;
            }
            // A55: with the toggle off murder and search share a slot.
            let shares = !game.rulebook.kamikaze_kills_too && *kind == Kind::Seek;
            if slots.insert((*from, if shares { Kind::Kill } else { *kind })) {
                lines.push((number * 100 + lines.len() as u64, *from, ask.clone()));
            }
        }
    }
    lines
}

fn hear_all(game: &Game, lines: &[(u64, PlayerId, Ask)]) -> (Game, Vec<(u64, Fate)>) {
    let mut game = game.clone();
    let mut fates = Vec::new();
    for (second, (letter, from, ask)) in (0..).zip(lines) {
        let order = Order { second, within: String::new() };
        let act = Act::Letter { letter: *letter, from: *from, asks: vec![ask.clone()] };
        fates.extend(game.hear(order, act).into_iter().map(|fate| (*letter, fate)));
    }
    // That a vote is still wanted is said, or not, by what came before.
    let bare = |(letter, fate): (u64, Fate)| match fate {
        Fate::Accepted { replaces, .. } => (letter, Fate::Accepted { replaces, caveat: None }),
        other => (letter, other),
    };
    let mut fates: Vec<(u64, Fate)> = fates.into_iter().map(bare).collect();
    fates.sort_by_key(|(letter, _)| *letter);
    (game, fates)
}

/// The report without the times of its lines.
fn timeless(mut report: Report) -> Report {
    let key = |line: &Filed| (line.from, line.kind, line.target);
    for line in report.standing.iter_mut().chain(report.void.iter_mut().map(|void| &mut void.line)) {
        line.order = Order { second: 0, within: String::new() };
    }
    report.standing.sort_by_key(key);
    report.void.sort_by_key(|void| (key(&void.line), void.why));
    report
}

fn player(script: &Script, index: &Index) -> PlayerId {
    PlayerId(u16::try_from(index.index(script.roles.len())).unwrap())
}

/// What a player may not know is made otherwise: the roles of those whom he does not know are dealt anew, whoever they
/// are, and nobody else has written anything.
fn same_to_the_eyes_of(who: PlayerId, game: &Game, acts: &[(Order, Act)], shift: usize) -> (Game, Vec<(Order, Act)>) {
    let mut other = game.clone();
    let known = |one: PlayerId| {
        one == who
            || game.side(who) == Some(Side::Mafia) && game.side(one) == Some(Side::Mafia)
            || game.player(one).is_some_and(|player| player.life != Life::Alive)
    };
    let hidden: Vec<PlayerId> = game.everybody().filter(|one| !known(*one)).collect();
    for (place, one) in hidden.iter().enumerate() {
        let from = hidden[(place + shift) % hidden.len()];
        let player = &mut other.players[usize::from(one.0)];
        player.role = game.role(from);
        player.pistol = None;
        player.note = None;
        player.missed = 0;
        player.last_heal = None;
    }
    let his = |act: &Act| match act {
        Act::Letter { from, .. } => *from == who,
        // An expulsion is public at once (A36); the rest is the concern of the one concerned.
        Act::Host(HostAct::Expel { .. }) => true,
        Act::Host(HostAct::Deprive { who: one, .. }) => *one == who,
        Act::Host(HostAct::ForgiveMiss { .. } | HostAct::ForgiveSilence { .. }) => false,
    };
    (other, acts.iter().filter(|(_, act)| his(act)).cloned().collect())
}

fn answers_to(who: PlayerId, game: &Game, acts: &[(Order, Act)]) -> Vec<Vec<Fate>> {
    let mut game = game.clone();
    let mut answers = Vec::new();
    for (order, act) in acts {
        let fates = game.hear(order.clone(), act.clone());
        if matches!(act, Act::Letter { from, .. } if *from == who) {
            answers.push(fates);
        }
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// R59, A13, A75 name all that the order of writing decides.
    #[test]
    fn another_order_of_writing_changes_nothing_else(script in script(), keys in prop::collection::vec(any::<u32>(), 120)) {
        let mut game = game(&script);
        for turn in &script.turns {
            let lines = without_order(&game, &acts(&script, turn));
            let mut shuffled: Vec<(u32, (u64, PlayerId, Ask))> = keys.iter().copied().cycle().zip(lines.clone()).collect();
            shuffled.sort_by_key(|(key, _)| *key);
            let shuffled: Vec<(u64, PlayerId, Ask)> = shuffled.into_iter().map(|(_, line)| line).collect();
            let (straight, fates) = hear_all(&game, &lines);
            let (otherwise, other_fates) = hear_all(&game, &shuffled);
            prop_assert_eq!(fates, other_fates);
            let report = closed(&script, &straight, turn);
            prop_assert_eq!(timeless(report.clone()), timeless(closed(&script, &otherwise, turn)));
            game = straight;
            game.apply_report(&report);
            game.winner = None;
            game.turn = report.turn + 1;
        }
    }

    /// A15: the same letters get the same answers in two games that differ only in what their writer may not know.
    #[test]
    fn an_answer_tells_nothing_that_its_reader_may_not_know(
        script in script(), who in any::<Index>(), shift in 0usize..15,
    ) {
        let who = player(&script, &who);
        let mut game = game(&script);
        for turn in &script.turns {
            let heard = acts(&script, turn);
            let (other, fewer) = same_to_the_eyes_of(who, &game, &heard, shift);
            prop_assert_eq!(answers_to(who, &game, &heard), answers_to(who, &other, &fewer));
            for (order, act) in heard {
                game.hear(order, act);
            }
            let report = closed(&script, &game, turn);
            game.apply_report(&report);
            game.winner = None;
            game.turn = report.turn + 1;
        }
    }

    /// R34: the foundling does not know his own status, and no answer tells him.
    #[test]
    fn a_foundling_is_answered_as_a_citizen(script in script(), who in any::<Index>()) {
        let who = player(&script, &who);
        let mut citizen = game(&script);
        citizen.players[usize::from(who.0)].role = Some(Role::Citizen);
        let mut foundling = citizen.clone();
        foundling.players[usize::from(who.0)].role = Some(Role::Foundling);
        let heard = acts(&script, &script.turns[0]);
        for turn in 1..4 {
            citizen.turn = turn;
            foundling.turn = turn;
            prop_assert_eq!(answers_to(who, &citizen, &heard), answers_to(who, &foundling, &heard));
        }
    }

    /// Every request in force came to something, or says why not; every death has a blow that killed.
    #[test]
    fn every_outcome_has_its_reason(script in script()) {
        play(&script, |before, _, report, _| {
            let grounds = &report.grounds;
            for line in report.standing.iter().filter(|line| matches!(line.kind, Kind::Kill | Kind::Seek | Kind::Hunt)) {
                let struck = grounds.blows.iter().any(|blow| blow.by.contains(&line.from));
                let idle = grounds.idle.iter().any(|idle| (idle.from, idle.kind) == (line.from, line.kind));
                assert!(struck || idle, "{line:?}");
            }
            for line in report.standing.iter().filter(|line| line.kind == Kind::Heal) {
                let healed = grounds.heals.contains(&(line.from, line.target));
                let idle = grounds.idle.iter().any(|idle| idle.from == line.from && idle.kind == Kind::Heal);
                assert!(healed != idle, "{line:?}");
            }
            let split = grounds.idle.iter().any(|idle| idle.why == IdleWhy::Split);
            assert_eq!(split, report.murder == Murder::Split);
            let kills = |end: BlowEnd| matches!(end, BlowEnd::Kills | BlowEnd::NotCovered | BlowEnd::HealSpent);
            for death in &report.deaths {
                let of = grounds.blows.iter().filter(|blow| blow.on == death.who && kills(blow.end));
                let causes: BTreeSet<_> = of.map(|blow| blow.cause).collect();
                assert_eq!(causes.into_iter().collect::<Vec<_>>(), death.causes);
            }
            let stopping = |by: StoppedBy| if by == StoppedBy::Doctor { BlowEnd::StoppedByDoctor } else { BlowEnd::StoppedByBirth };
            for stopped in &report.stopped {
                let is_it = |blow: &&omerta::rules::grounds::Blow| {
                    (blow.on, blow.cause, blow.end) == (stopped.who, stopped.cause, stopping(stopped.by))
                };
                assert!(grounds.blows.iter().any(|blow| is_it(&blow)), "{stopped:?}");
            }
            assert_eq!(grounds.blows.iter().filter(|blow| !kills(blow.end)).count(), report.stopped.len());
            let commissioner_left = report.deaths.iter().map(|death| death.role)
                .chain(report.expelled.iter().map(|expulsion| expulsion.role)).any(|role| role == Role::Commissioner);
            assert_eq!(commissioner_left, report.shot.is_some() || grounds.silent_pistol.is_some());
            assert_eq!(report.winner, grounds.ending.verdict.winner());
            let notes = before.players.iter().enumerate().filter(|(number, player)| {
                player.note.is_some() && !report.alive.contains(&PlayerId(u16::try_from(*number).unwrap()))
                    && player.life == Life::Alive
            });
            let handled = report.notes.iter().map(|note| note.from).chain(grounds.kept_notes.iter().map(|note| note.from));
            let handled: BTreeSet<PlayerId> = handled.collect();
            for (number, _) in notes {
                assert!(handled.contains(&PlayerId(u16::try_from(number).unwrap())));
            }
        });
    }

    /// Replay is the state: what was heard, heard again in its order, and the same report folded in.
    #[test]
    fn what_was_heard_gives_the_state_again(script in script()) {
        let mut live = game(&script);
        let mut again = live.clone();
        for turn in &script.turns {
            for (order, act) in acts(&script, turn) {
                live.hear(order, act);
            }
            for (order, act) in live.ledger.acts.clone() {
                again.hear(order, act);
            }
            prop_assert_eq!(&again, &live);
            let report = closed(&script, &live, turn);
            prop_assert_eq!(&closed(&script, &again, turn), &report);
            for game in [&mut live, &mut again] {
                game.pending = Some(report.clone());
                game.publish();
                prop_assert!(game.pending.is_none());
                game.winner = None;
                game.turn = report.turn + 1;
            }
        }
        prop_assert_eq!(again, live);
    }
}

/// The properties above are only worth what the random games hold.
#[test]
fn the_random_games_are_rich_enough() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut deaths, mut stopped, mut shots, mut idle, mut silences) = (0, 0, 0, 0, 0);
    for _ in 0..400 {
        let script = script().new_tree(&mut runner).unwrap().current();
        silences += script.turns.iter().flatten().filter(|event| matches!(event, Event::Silent(_))).count();
        play(&script, |_, _, report, _| {
            deaths += report.deaths.len();
            stopped += report.stopped.len();
            shots += usize::from(report.shot.is_some());
            idle += report.grounds.idle.len();
        });
        assert!(circumstances(&script, &script.turns[0]).rulings.is_empty());
    }
    for (what, count, least) in [
        ("deaths", deaths, 200),
        ("stopped", stopped, 20),
        ("shots", shots, 10),
        ("idle", idle, 20),
        ("silent", silences, 50),
    ] {
        assert!(count >= least, "only {count} {what}");
    }
}
