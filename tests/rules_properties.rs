//! What holds of every game, whatever is sent and whatever the toggles: random games, closed turn by turn.
#![cfg(test)]

mod chance;

use std::collections::BTreeSet;

use chance::{Script, acts, circumstances, closed, closed_with, game, play, script};
use omerta::rules::game::Game;
use omerta::rules::ledger::{Act, Ask, Fate, Target};
use omerta::rules::report::{Cause, LynchOutcome, Report};
use omerta::rules::turn::{Circumstances, WindowAnswer, close, needs_window, window_answer};
use omerta::rules::{Kind, Order, PlayerId, Role, TextRef};
use proptest::prelude::*;
use proptest::sample::Index;

pub fn set<T: Ord>(items: impl Iterator<Item = T>) -> BTreeSet<T> {
    items.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// R64-R69: what is counted is what was validly cast, one a head.
    #[test]
    fn votes_counted_are_the_valid_ballots(script in script()) {
        play(&script, |before, _, report, _| {
            let voters = set(report.vote.ballots.iter().map(|(voter, _)| *voter));
            assert_eq!(voters.len(), report.vote.ballots.len());
            assert_eq!(report.vote.tally.values().sum::<u32>() as usize, voters.len());
            for voter in &voters {
                assert!(before.is_living(*voter) && !before.is_deprived(*voter));
            }
            for who in before.living() {
                let accounted = [voters.contains(&who), report.vote.nonvoters.contains(&who), before.is_deprived(who)];
                let expected = usize::from(report.turn >= 2);
                assert!(accounted.into_iter().filter(|is| *is).count() >= expected);
                assert_eq!(before.owes_vote(who), report.vote.nonvoters.contains(&who));
            }
            if report.vote.outcome == LynchOutcome::Hanged {
                assert!(report.deaths.iter().any(|death| Some(death.who) == report.vote.chosen));
            }
            if let Some(chosen) = report.vote.chosen {
                let votes = |who: &PlayerId| report.vote.tally.get(who).copied().unwrap_or(0);
                let quorum = before.rulebook.lynch_quorum;
                assert!(quorum.reached(u64::from(votes(&chosen)), u64::from(report.vote.base)));
                assert!(report.vote.tied.is_empty() || report.vote.tied.contains(&chosen));
                assert!(report.vote.tied.iter().all(|one| votes(one) == votes(&chosen)));
            }
        });
    }

    /// Who is left is who was there, less the dead and the expelled; nobody leaves twice or acts afterwards.
    #[test]
    fn everybody_leaves_once(script in script()) {
        let mut gone: BTreeSet<PlayerId> = BTreeSet::new();
        play(&script, |before, fates, report, after| {
            for (act, fates) in fates {
                if let Act::Letter { from, .. } = act && gone.contains(from) {
                    assert!(fates.iter().all(|fate| matches!(fate, Fate::Refused(_))) || before.rulebook.ghost_private);
                }
            }
            assert!(report.standing.iter().all(|line| !gone.contains(&line.from)));
            let leavers: Vec<PlayerId> = report.deaths.iter().map(|death| death.who)
                .chain(report.expelled.iter().map(|expulsion| expulsion.who)).collect();
            for who in &leavers {
                assert!(gone.insert(*who), "{who:?} leaves twice");
            }
            let left: Vec<PlayerId> = before.everybody().filter(|who| !gone.contains(who)).collect();
            assert_eq!(&report.alive, &left);
            assert_eq!(after.living(), left);
            for death in &report.deaths {
                assert!(!death.causes.is_empty() && death.causes.is_sorted());
                assert_eq!(death.causes.contains(&Cause::Lynch), Some(death.who) == report.vote.chosen
                    && report.vote.outcome == LynchOutcome::Hanged);
            }
        });
    }

    /// Every accepted line ends either standing or void, never both and never lost.
    #[test]
    fn no_accepted_line_is_lost(script in script()) {
        play(&script, |before, fates, report, _| {
            let mut accepted: BTreeSet<(u64, usize)> = BTreeSet::new();
            for (act, fates) in fates {
                let Act::Letter { letter, asks, .. } = act else { continue };
                for (line, (ask, fate)) in asks.iter().zip(fates).enumerate() {
                    let Ask::Do { kind, .. } = ask else { continue };
                    let is_filed = !matches!(kind, Kind::Note | Kind::Pm | Kind::Clan);
                    if is_filed && matches!(fate, Fate::Accepted { .. } | Fate::Duplicate) {
                        accepted.insert((*letter, line));
                    }
                }
            }
            let standing = report.standing.iter().map(|line| (line.letter, usize::from(line.line)));
            let void = report.void.iter().map(|void| (void.line.letter, usize::from(void.line.line)));
            let ended: Vec<(u64, usize)> = standing.chain(void).collect();
            assert_eq!(ended.len(), accepted.len(), "{:?}", before.rulebook.deviations());
            assert_eq!(set(ended.into_iter()), accepted);
        });
    }

    /// Order of arrival decides, not order of reading.
    #[test]
    fn another_order_of_reading_gives_the_same_turn(
        script in script(), keys in prop::collection::vec(any::<u32>(), 40), moved in any::<Index>(),
    ) {
        let mut game = game(&script);
        for turn in &script.turns {
            let heard = acts(&script, turn);
            let mut straight = game.clone();
            for (order, act) in heard.clone() {
                let foretold = straight.judge(&order, &act);
                prop_assert_eq!(foretold, straight.hear(order, act));
            }
            let mut shuffled: Vec<(u32, (Order, Act))> = keys.iter().copied().zip(heard.clone()).collect();
            shuffled.sort_by_key(|(key, _)| *key);
            let mut otherwise = game.clone();
            for (_, (order, act)) in shuffled {
                otherwise.hear(order, act);
            }
            prop_assert_eq!(&otherwise, &straight);
            // A letter that is first heard too late, and whose earlier copy is then found, ends where it belongs.
            if !heard.is_empty() {
                let late = moved.index(heard.len());
                let mut corrected = game.clone();
                for (place, (order, act)) in heard.iter().cloned().enumerate() {
                    if place != late {
                        corrected.hear(order, act);
                    }
                }
                let (order, act) = heard[late].clone();
                let number = if let Act::Letter { letter, .. } = &act { Some(*letter) } else { None };
                let end = Order { second: 1_000, within: String::new() };
                match number {
                    Some(letter) => {
                        corrected.hear(end, act);
                        prop_assert!(corrected.rearrange(letter, order).is_some());
                    }
                    None => drop(corrected.hear(order, act)),
                }
                prop_assert_eq!(&corrected, &straight);
            }
            let report = closed(&script, &straight, turn);
            prop_assert_eq!(&report, &closed(&script, &otherwise, turn));
            let copy: Game = serde_json::from_str(&serde_json::to_string(&straight).unwrap()).unwrap();
            prop_assert_eq!(&copy, &straight);
            let copy: Report = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
            prop_assert_eq!(&copy, &report);
            game = straight;
            game.apply_report(&report);
            game.winner = None;
            game.turn = report.turn + 1;
        }
    }

    /// A50: what is answered in the window changes the shot and what follows from it, and nothing before it.
    #[test]
    fn the_window_changes_only_the_shot(script in script(), target in any::<Index>()) {
        let mut game = game(&script);
        game.rulebook.set("pistol_mode", "window").unwrap();
        for turn in &script.turns {
            for (order, act) in acts(&script, turn) {
                game.hear(order, act);
            }
            let report = closed(&script, &game, turn);
            if let Some(dying) = needs_window(&game, &report) {
                let target = PlayerId(u16::try_from(target.index(script.roles.len())).unwrap());
                let ask = Ask::Do { kind: Kind::Pistol, target: Target::Player(target), text: None };
                let window = window_answer(&game, dying, &[(dying, vec![ask])]);
                let valid = target != dying && game.is_living(target);
                prop_assert_eq!(window == WindowAnswer::Shoot(target), valid);
                let again = Circumstances { window, ..circumstances(&script, turn) };
                let answered = closed_with(&script, &game, &again);
                // A33, A36: one who is shot at the rope before the night is no prey any more.
                if !game.rulebook.lynch_before_night {
                    prop_assert_eq!(&answered.hunt, &report.hunt);
                    prop_assert_eq!(&answered.murder, &report.murder);
                    prop_assert_eq!(&answered.void, &report.void);
                }
                prop_assert!(answered.deaths.iter().any(|death| death.who == dying));
                if let (true, Some(shot)) = (valid, &answered.shot) {
                    prop_assert_eq!((shot.by, shot.at), (dying, target));
                }
            }
            game.apply_report(&report);
            game.winner = None;
            game.turn = report.turn + 1;
        }
    }
}

#[test]
fn a_late_note_belongs_to_the_next_turn_and_dies_with_its_author() {
    let script = Script {
        roles: vec![Role::Citizen, Role::Citizen, Role::Mafioso, Role::Citizen],
        toggles: Vec::new(),
        turns: Vec::new(),
        lots: Vec::new(),
    };
    let (anna, boris, vera) = (PlayerId(0), PlayerId(1), PlayerId(2));
    let text = TextRef { id: 7, hash: "x".to_owned() };
    let mut game = game(&script);
    let kill = Ask::Do { kind: Kind::Kill, target: Target::Player(anna), text: None };
    let order = Order { second: 1, within: String::new() };
    game.hear(order, Act::Letter { letter: 1, from: vera, asks: vec![kill] });
    for who in [anna, boris] {
        let fate = game.hear_late_note(who, Target::Player(vera), Some(text.clone()));
        assert_eq!(fate, Fate::Accepted { replaces: None, caveat: None });
        let fate = game.hear_late_note(who, Target::Player(vera), Some(text.clone()));
        assert_eq!(fate, Fate::Refused(omerta::rules::admit::Refusal::NoteAlreadySent));
    }
    let report = close(&game, &Circumstances::default(), &mut |_| 0);
    assert_eq!(report.notes, []);
    game.apply_report(&report);
    assert_eq!(game.players[0].note, None);
    assert_eq!(game.players[1].note.as_ref().map(|note| note.text.id), Some(7));
}
