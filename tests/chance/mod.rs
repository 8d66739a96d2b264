//! Random games: roles, toggles, letters and the host's acts, and the lots that fall.

use omerta::rules::game::{Game, Life, Player};
use omerta::rules::ledger::{Act, Ask, Fate, HostAct, Ledger, Target};
use omerta::rules::report::Report;
use omerta::rules::rulebook::{Rulebook, TOGGLES, Values};
use omerta::rules::turn::{Circumstances, close};
use omerta::rules::{Kind, Order, PlayerId, Role};
use proptest::prelude::*;
use proptest::sample::Index;

pub const KINDS: [Kind; 10] = [
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
pub struct Script {
    pub roles: Vec<Role>,
    pub toggles: Vec<(Index, Index)>,
    pub turns: Vec<Vec<Event>>,
    pub lots: Vec<Index>,
}

#[derive(Clone, Debug)]
pub enum Event {
    Letter(Index, Vec<(Line, Index)>),
    Host(u8, Index),
    Silent(Index),
}

#[derive(Clone, Copy, Debug)]
pub enum Line {
    Ask(Kind),
    /// What the sender's role is for, or a hunt.
    Own,
    Unknown(Kind),
    Cancel(Option<Kind>),
}

fn line() -> impl Strategy<Value = Line> {
    let kind = || prop::sample::select(KINDS.to_vec());
    prop_oneof![
        12 => kind().prop_map(Line::Ask),
        8 => Just(Line::Ask(Kind::Lynch)),
        12 => Just(Line::Own),
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
pub fn roles() -> impl Strategy<Value = Vec<Role>> {
    let mut deck = Role::ALL.to_vec();
    deck.extend([Role::Mafioso, Role::Mafioso, Role::Citizen, Role::Citizen, Role::Citizen]);
    (Just(deck).prop_shuffle(), 4usize..15).prop_map(|(mut deck, players)| {
        deck.truncate(players);
        deck
    })
}

pub fn script() -> impl Strategy<Value = Script> {
    let toggles = prop::collection::vec((any::<Index>(), any::<Index>()), 0..8);
    let turns = prop::collection::vec(prop::collection::vec(event(), 0..40), 1..4);
    let lots = prop::collection::vec(any::<Index>(), 1..4);
    (roles(), toggles, turns, lots).prop_map(|(roles, toggles, turns, lots)| Script { roles, toggles, turns, lots })
}

pub fn game(script: &Script) -> Game {
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

pub fn acts(script: &Script, turn: &[Event]) -> Vec<(Order, Act)> {
    let who = |index: &Index| PlayerId(u16::try_from(index.index(script.roles.len())).unwrap());
    let ask = |from: &Index, (line, target): &(Line, Index)| match line {
        Line::Own => {
            let kinds = own_kinds(script.roles[from.index(script.roles.len())]);
            let kind = kinds[target.index(kinds.len() * 8) % kinds.len()];
            Ask::Do { kind, target: Target::Player(who(target)), text: None }
        }
        Line::Ask(kind) => Ask::Do { kind: *kind, target: Target::Player(who(target)), text: None },
        Line::Unknown(kind) => Ask::Do { kind: *kind, target: Target::Unknown, text: None },
        Line::Cancel(kind) => Ask::Cancel { kind: *kind },
    };
    let act = |(number, event): (usize, &Event)| {
        let act = match event {
            Event::Letter(from, lines) => Act::Letter {
                letter: number as u64,
                from: who(from),
                asks: lines.iter().map(|line| ask(from, line)).collect(),
            },
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

fn own_kinds(role: Role) -> &'static [Kind] {
    match role {
        Role::Citizen | Role::Sergeant | Role::Foundling => &[Kind::Hunt],
        Role::Commissioner => &[Kind::Pistol, Kind::Check, Kind::Pistol, Kind::Hunt],
        Role::Doctor => &[Kind::Heal],
        Role::Mafioso | Role::Boss | Role::FoundlingMafioso | Role::Maniac => &[Kind::Kill],
        Role::Kamikaze => &[Kind::Seek, Kind::Kill],
    }
}

pub fn circumstances(script: &Script, turn: &[Event]) -> Circumstances {
    let silent = turn.iter().filter_map(|event| match event {
        Event::Silent(who) => Some(PlayerId(u16::try_from(who.index(script.roles.len())).unwrap())),
        Event::Letter(..) | Event::Host(..) => None,
    });
    Circumstances { silent: silent.collect(), ..Circumstances::default() }
}

pub fn closed(script: &Script, game: &Game, turn: &[Event]) -> Report {
    closed_with(script, game, &circumstances(script, turn))
}

pub fn closed_with(script: &Script, game: &Game, circumstances: &Circumstances) -> Report {
    let mut lots = script.lots.iter().cycle();
    close(game, circumstances, &mut |question| {
        assert!(question.among.len() > 1);
        lots.next().map_or(0, |lot| lot.index(question.among.len()))
    })
}

/// Plays the script; after each turn `check` sees the state before the close, the fates told, and the report.
pub fn play(script: &Script, mut check: impl FnMut(&Game, &[(Act, Vec<Fate>)], &Report, &Game)) {
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
