//! What holds of every game, whatever is sent and whatever the toggles: random games, closed turn by turn.
#![cfg(test)]

mod chance;

use std::collections::BTreeSet;

use chance::{Script, acts, circumstances, closed, closed_with, game, play, script};
use omerta::rules::game::Game;
use omerta::rules::ledger::{Act, Ask, Fate, HostAct, Target};
use omerta::rules::report::{Cause, LynchOutcome, PublishVotes, Report};
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

/// One request each, in this order of arrival.
fn asked(game: &mut Game, asks: &[(u16, Kind, u16)]) {
    for (number, (from, kind, target)) in (0..).zip(asks) {
        let ask = Ask::Do { kind: *kind, target: Target::Player(PlayerId(*target)), text: None };
        hear(game, number, *from, ask);
    }
}

fn hear(game: &mut Game, number: u32, from: u16, ask: Ask) {
    let order = Order { second: i64::from(number), within: String::new() };
    game.hear(order, Act::Letter { letter: u64::from(number), from: PlayerId(from), asks: vec![ask] });
}

fn of_roles(roles: &[Role], toggles: &[(&str, &str)]) -> Game {
    let script = Script { roles: roles.to_vec(), toggles: Vec::new(), turns: Vec::new(), lots: Vec::new() };
    let mut game = game(&script);
    for (name, value) in toggles {
        game.rulebook.set(name, value).unwrap();
    }
    game
}

/// A20, A50: on a hunt he has spent his cartridges, whether it was served or not; on one that he gave up he has not.
#[test]
fn a_dying_commissioner_is_asked_unless_he_hunted_to_the_end() {
    const ROLES: [Role; 5] = [Role::Commissioner, Role::Citizen, Role::Mafioso, Role::Citizen, Role::Citizen];
    let window = |asks: &[(u16, Kind, u16)], gives_up: bool, blocks: &str| {
        let rules = [("pistol_mode", "window"), ("hunt_blocks_pistol", blocks), ("hunt_on_first_turn", "true")];
        let mut game = of_roles(&ROLES, &rules);
        asked(&mut game, asks);
        if gives_up {
            hear(&mut game, 50, 0, Ask::Cancel { kind: Some(Kind::Hunt) });
        }
        needs_window(&game, &close(&game, &Circumstances::default(), &mut |_| 0))
    };
    let (kill, hunt, before) = ((2, Kind::Kill, 0), (0, Kind::Hunt, 2), (1, Kind::Hunt, 2));
    let dying = Some(PlayerId(0));
    assert_eq!(window(&[kill], false, "true"), dying);
    assert_eq!(window(&[kill, hunt], false, "true"), None, "served");
    assert_eq!(window(&[kill, before, hunt], false, "true"), None, "somebody was before him");
    assert_eq!(window(&[kill, hunt], true, "true"), dying, "given up");
    assert_eq!(window(&[kill, hunt], false, "false"), dying, "it does not block");
    assert_eq!(window(&[], false, "true"), None, "he lives");
}

/// R109: a vote is hidden for those who are there and may not vote, and for nobody who has left earlier.
#[test]
fn a_deprivation_that_outlasts_its_bearer_hides_no_votes() {
    let mut game =
        of_roles(&[Role::Citizen, Role::Citizen, Role::Mafioso, Role::Citizen, Role::Citizen, Role::Citizen], &[]);
    game.turn = 2;
    game.hear(Order { second: 0, within: String::new() }, Act::Host(HostAct::Deprive { who: PlayerId(0), turns: 9 }));
    asked(
        &mut game,
        &[
            (2, Kind::Kill, 0),
            (1, Kind::Lynch, 3),
            (2, Kind::Lynch, 4),
            (3, Kind::Lynch, 1),
            (4, Kind::Lynch, 5),
            (5, Kind::Lynch, 2),
        ],
    );
    let report = close(&game, &Circumstances::default(), &mut |_| 0);
    assert_eq!((report.vote.publish, &report.vote.deprived[..]), (PublishVotes::OutcomeOnly, &[PlayerId(0)][..]));
    game.apply_report(&report);
    let report = close(&game, &Circumstances::default(), &mut |_| 0);
    assert_eq!((report.vote.publish, &report.vote.deprived[..]), (PublishVotes::ByNick, &[][..]), "he is dead");
}

/// A35: of two deprivations the longer one holds.
#[test]
fn a_second_deprivation_does_not_shorten_the_first() {
    let mut game = of_roles(&[Role::Citizen, Role::Citizen, Role::Mafioso, Role::Citizen], &[]);
    game.turn = 2;
    for (second, turns) in [(0, 3), (1, 1)] {
        game.hear(Order { second, within: String::new() }, Act::Host(HostAct::Deprive { who: PlayerId(0), turns }));
    }
    game.turn = 4;
    assert!(game.is_deprived(PlayerId(0)));
    game.turn = 5;
    assert!(!game.is_deprived(PlayerId(0)));
}

/// A42: who was hanged before the night is not at home, and the heal of him forbids nothing.
#[test]
fn a_heal_of_one_who_is_out_is_none() {
    let mut game = of_roles(
        &[Role::Citizen, Role::Doctor, Role::Mafioso, Role::Citizen, Role::Citizen],
        &[("lynch_before_night", "true")],
    );
    game.turn = 2;
    asked(&mut game, &[(1, Kind::Heal, 0), (1, Kind::Lynch, 0), (2, Kind::Lynch, 0), (3, Kind::Lynch, 0)]);
    let report = close(&game, &Circumstances::default(), &mut |_| 0);
    assert_eq!((report.vote.outcome, report.healed), (LynchOutcome::Hanged, None));
}

/// A43: who was saved and then expelled for his misses is told nothing more; the doctor is.
#[test]
fn of_a_save_nobody_is_told_whom_the_game_expels() {
    let told = |whom: &str| {
        let mut game = of_roles(
            &[Role::Citizen, Role::Doctor, Role::Mafioso, Role::Citizen, Role::Citizen],
            &[("announce_saves", whom), ("missed_votes_limit", "1")],
        );
        game.turn = 2;
        asked(
            &mut game,
            &[
                (1, Kind::Heal, 0),
                (2, Kind::Kill, 0),
                (1, Kind::Lynch, 3),
                (2, Kind::Lynch, 4),
                (3, Kind::Lynch, 1),
                (4, Kind::Lynch, 2),
            ],
        );
        let report = close(&game, &Circumstances::default(), &mut |_| 0);
        assert_eq!((report.stopped.len(), report.expelled.len()), (1, 1));
        report.told_of_saves
    };
    assert_eq!(told("patient"), []);
    assert_eq!(told("doctor"), [(PlayerId(1), PlayerId(0))]);
}

/// Step 14: in roster order, whatever took their authors out.
#[test]
fn notes_are_handed_over_in_roster_order() {
    let mut game = of_roles(
        &[Role::Citizen, Role::Citizen, Role::Mafioso, Role::Citizen, Role::Citizen],
        &[("note_on_expulsion", "true"), ("missed_votes_limit", "1")],
    );
    game.turn = 2;
    let note = |id: u32| Ask::Do {
        kind: Kind::Note,
        target: Target::Player(PlayerId(3)),
        text: Some(TextRef { id, hash: String::new() }),
    };
    hear(&mut game, 20, 1, note(1));
    hear(&mut game, 21, 0, note(0));
    asked(
        &mut game,
        &[(2, Kind::Kill, 1), (1, Kind::Lynch, 3), (2, Kind::Lynch, 4), (3, Kind::Lynch, 1), (4, Kind::Lynch, 2)],
    );
    let report = close(&game, &Circumstances::default(), &mut |_| 0);
    let authors: Vec<PlayerId> = report.notes.iter().map(|note| note.from).collect();
    assert_eq!(authors, [PlayerId(0), PlayerId(1)], "the first was expelled, the second killed");
}

/// R79, A75, A15: a note is never taken back, and a word that names nobody is no request.
#[test]
fn each_line_is_answered_as_what_it_is() {
    use omerta::rules::admit::Refusal;
    let mut game = of_roles(&[Role::Citizen, Role::Mafioso, Role::Citizen, Role::Citizen], &[]);
    let note = Ask::Do { kind: Kind::Note, target: Target::Player(PlayerId(1)), text: Some(TextRef::default()) };
    hear(&mut game, 1, 0, note);
    let fate = |game: &Game, ask: Ask| {
        let order = Order { second: 9, within: String::new() };
        game.judge(&order, &Act::Letter { letter: 9, from: PlayerId(0), asks: vec![ask] })
    };
    let none = [Fate::Refused(Refusal::UnknownRequest)];
    assert_eq!(fate(&game, Ask::Cancel { kind: Some(Kind::Note) }), none);
    // In the first turn, where a vote for somebody is refused for another reason.
    assert_eq!(fate(&game, Ask::Do { kind: Kind::Lynch, target: Target::Nobody, text: None }), none);
    // An order that stands since an earlier turn and is given again replaces nothing.
    let mut armed = of_roles(&[Role::Commissioner, Role::Mafioso, Role::Citizen, Role::Citizen], &[]);
    armed.players[0].pistol = Some(PlayerId(1));
    let again = Ask::Do { kind: Kind::Pistol, target: Target::Player(PlayerId(1)), text: None };
    assert_eq!(fate(&armed, again), [Fate::Accepted { replaces: None, caveat: None }]);
    let other = Ask::Do { kind: Kind::Pistol, target: Target::Player(PlayerId(2)), text: None };
    assert_eq!(fate(&armed, other), [Fate::Accepted { replaces: Some((Kind::Pistol, PlayerId(1))), caveat: None }]);
    // R13, A72: talk reaches ghosts.
    game.players[2].life = omerta::rules::game::Life::Dead;
    let talk = Ask::Do { kind: Kind::Pm, target: Target::Player(PlayerId(2)), text: Some(TextRef::default()) };
    assert_eq!(fate(&game, talk), [Fate::Accepted { replaces: None, caveat: None }]);
}
