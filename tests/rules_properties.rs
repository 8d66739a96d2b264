//! What holds of every game, whatever is sent and whatever the toggles: random games, closed turn by turn.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on must fail")]

use std::collections::BTreeSet;

use omerta::rules::game::{Game, Life, Player};
use omerta::rules::ledger::{Act, Ask, Fate, HostAct, Ledger, Target};
use omerta::rules::report::{Cause, LynchOutcome, Report};
use omerta::rules::rulebook::{Rulebook, TOGGLES, Values};
use omerta::rules::turn::{Circumstances, WindowAnswer, close, needs_window, window_answer};
use omerta::rules::{Kind, Order, PlayerId, Role, TextRef};
use proptest::prelude::*;
use proptest::sample::Index;

const KINDS: [Kind; 10] = [
    Kind::Lynch,
    Kind::Hunt,
    Kind::Kill,
    Kind::Check,
    Kind::Heal,
    Kind::Seek,
    Kind::Pistol,
    Kind::Note,
    Kind::Pm,
    Kind::Clan,
];

#[derive(Clone, Debug)]
struct Script {
    roles: Vec<Role>,
    toggles: Vec<(Index, Index)>,
    turns: Vec<Vec<Event>>,
    lots: Vec<Index>,
}

#[derive(Clone, Debug)]
enum Event {
    Letter(Index, Vec<(Line, Index)>),
    Host(u8, Index),
    Silent(Index),
}

#[derive(Clone, Copy, Debug)]
enum Line {
    Ask(Kind),
    Unknown(Kind),
    Cancel(Option<Kind>),
}

fn line() -> impl Strategy<Value = Line> {
    let kind = || prop::sample::select(KINDS.to_vec());
    prop_oneof![
        12 => kind().prop_map(Line::Ask),
        8 => Just(Line::Ask(Kind::Lynch)),
        1 => kind().prop_map(Line::Unknown),
        1 => prop::option::of(kind()).prop_map(Line::Cancel),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let lines = prop::collection::vec((line(), any::<Index>()), 1..4);
    prop_oneof![
        20 => (any::<Index>(), lines).prop_map(|(from, lines)| Event::Letter(from, lines)),
        1 => (0u8..4, any::<Index>()).prop_map(|(act, who)| Event::Host(act, who)),
        1 => any::<Index>().prop_map(Event::Silent),
    ]
}

/// One of each special role, three mafiosi, and citizens; every role acts more than it would in a fair game.
fn roles() -> impl Strategy<Value = Vec<Role>> {
    let mut deck = Role::ALL.to_vec();
    deck.extend([Role::Mafioso, Role::Mafioso, Role::Citizen, Role::Citizen, Role::Citizen]);
    (Just(deck).prop_shuffle(), 4usize..15).prop_map(|(mut deck, players)| {
        deck.truncate(players);
        deck
    })
}

fn script() -> impl Strategy<Value = Script> {
    let toggles = prop::collection::vec((any::<Index>(), any::<Index>()), 0..8);
    let turns = prop::collection::vec(prop::collection::vec(event(), 0..40), 1..4);
    let lots = prop::collection::vec(any::<Index>(), 1..4);
    (roles(), toggles, turns, lots).prop_map(|(roles, toggles, turns, lots)| Script { roles, toggles, turns, lots })
}

fn game(script: &Script) -> Game {
    let mut rulebook = Rulebook::default();
    for (toggle, value) in &script.toggles {
        let toggle = toggle.get(TOGGLES);
        let values: &[&str] = match toggle.values {
            Values::YesNo => &["true", "false"],
            Values::Words(words) => words,
            Values::Share => &["0", "0.2", "0.5", "1"],
            Values::Count => &["0", "1", "2", "3"],
            Values::Roles => &["auto"],
        };
        rulebook.set(toggle.name, values[value.index(values.len())]).unwrap();
    }
    let player = |(number, role): (usize, &Role)| Player {
        nick: format!("Игрок {number}"),
        gender: None,
        characteristic: String::new(),
        role: Some(*role),
        life: Life::Alive,
        missed: 0,
        warned: 0,
        last_heal: None,
        pistol: None,
        note: None,
        deprived_until: 0,
        learned: Vec::new(),
    };
    let players = script.roles.iter().enumerate().map(player).collect();
    Game { rulebook, players, turn: 1, winner: None, quiet_turns: 0, ledger: Ledger::default(), pending: None }
}

fn acts(script: &Script, turn: &[Event]) -> Vec<(Order, Act)> {
    let who = |index: &Index| PlayerId(u16::try_from(index.index(script.roles.len())).unwrap());
    let ask = |(line, target): &(Line, Index)| match line {
        Line::Ask(kind) => Ask::Do { kind: *kind, target: Target::Player(who(target)), text: None },
        Line::Unknown(kind) => Ask::Do { kind: *kind, target: Target::Unknown, text: None },
        Line::Cancel(kind) => Ask::Cancel { kind: *kind },
    };
    let act = |(number, event): (usize, &Event)| {
        let act = match event {
            Event::Letter(from, lines) => {
                Act::Letter { letter: number as u64, from: who(from), asks: lines.iter().map(ask).collect() }
            }
            Event::Host(0, one) => Act::Host(HostAct::Expel { who: who(one), left: false }),
            Event::Host(1, one) => Act::Host(HostAct::Deprive { who: who(one), turns: 2 }),
            Event::Host(2, one) => Act::Host(HostAct::ForgiveMiss { who: who(one) }),
            Event::Host(_, one) => Act::Host(HostAct::ForgiveSilence { who: who(one) }),
            Event::Silent(_) => return None,
        };
        Some((Order { second: number as i64 / 3, within: format!("{:03}", number % 3) }, act))
    };
    turn.iter().enumerate().filter_map(act).collect()
}

fn circumstances(script: &Script, turn: &[Event]) -> Circumstances {
    let silent = turn.iter().filter_map(|event| match event {
        Event::Silent(who) => Some(PlayerId(u16::try_from(who.index(script.roles.len())).unwrap())),
        Event::Letter(..) | Event::Host(..) => None,
    });
    Circumstances { silent: silent.collect(), ..Circumstances::default() }
}

fn closed(script: &Script, game: &Game, turn: &[Event]) -> Report {
    closed_with(script, game, &circumstances(script, turn))
}

fn closed_with(script: &Script, game: &Game, circumstances: &Circumstances) -> Report {
    let mut lots = script.lots.iter().cycle();
    close(game, circumstances, &mut |question| {
        assert!(question.among.len() > 1);
        lots.next().map_or(0, |lot| lot.index(question.among.len()))
    })
}

/// Plays the script; after each turn `check` sees the state before the close, the fates told, and the report.
fn play(script: &Script, mut check: impl FnMut(&Game, &[(Act, Vec<Fate>)], &Report, &Game)) {
    let mut game = game(script);
    for turn in &script.turns {
        let heard = acts(script, turn);
        let fates: Vec<(Act, Vec<Fate>)> =
            heard.into_iter().map(|(order, act)| (act.clone(), game.hear(order, act))).collect();
        let report = closed(script, &game, turn);
        let before = game.clone();
        game.apply_report(&report);
        check(&before, &fates, &report, &game);
        game.winner = None;
        game.turn = report.turn + 1;
    }
}

fn set<T: Ord>(items: impl Iterator<Item = T>) -> BTreeSet<T> {
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
                prop_assert_eq!(&answered.void, &report.void);
                prop_assert_eq!(&answered.murder, &report.murder);
                prop_assert_eq!(&answered.hunt, &report.hunt);
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
