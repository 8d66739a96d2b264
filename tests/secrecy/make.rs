//! Random games, and for each a twin that differs in what some of its players may not know.

use omerta::rules::deal::check_roster;
use omerta::rules::rulebook::{TOGGLES, Values};
use omerta::rules::{Kind, Role, Side};

use super::script::{Deed, Event, Line, Script, Turn, What, When};

/// SplitMix64: a test that fails by a seed fails by it again.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }
}

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
const QUESTIONS: [&str; 6] = ["Роль", "Статус", "Игроки", "Правила", "Помощь", "Почему"];

/// Not tossed: the window (its answers are the commissioner's alone and it has tests of its own), and how players are
/// chosen, which a roster does not ask.
const FIXED: [&str; 7] =
    ["pistol_mode", "mafia_share", "mafia_rounding", "roles", "min_players", "nick_source", "photo_required"];

pub fn script(dice: &mut Dice) -> Script {
    loop {
        let mut script = Script { roles: roles(dice), rules: rules(dice), turns: Vec::new() };
        if check_roster(&script.roles, &script.rulebook()).is_err() {
            continue;
        }
        let turns = *dice.of(&[1, 1, 2, 2, 2, 3]);
        script.turns = (0..turns).map(|_| turn(dice, &script)).collect();
        return script;
    }
}

fn roles(dice: &mut Dice) -> Vec<Role> {
    let players = if dice.chance(85) { 7 + dice.below(3) } else { 10 + dice.below(5) };
    let clan = players.div_ceil(4);
    let mut roles = Vec::new();
    for (role, percent) in [(Role::Boss, 60), (Role::Kamikaze, 50)] {
        if roles.len() < clan && dice.chance(percent) {
            roles.push(role);
        }
    }
    let has_boss = roles.contains(&Role::Boss);
    roles.resize(clan, Role::Mafioso);
    let town = [(Role::Commissioner, 90), (Role::Doctor, 85), (Role::Sergeant, 55), (Role::Maniac, 50)];
    roles.extend(town.into_iter().filter(|(_, percent)| dice.chance(*percent)).map(|(role, _)| role));
    if has_boss && dice.chance(80) {
        roles.push(Role::Foundling);
    }
    roles.truncate(players);
    roles.resize(players, Role::Citizen);
    dice.shuffle(&mut roles);
    roles
}

fn rules(dice: &mut Dice) -> Vec<(&'static str, String)> {
    let mut rules = vec![("boss", "always".to_owned())];
    for _ in 0..dice.below(7) {
        let toggle = dice.of(TOGGLES);
        if FIXED.contains(&toggle.name) || rules.iter().any(|(name, _)| *name == toggle.name) {
            continue;
        }
        let values: &[&str] = match toggle.values {
            Values::YesNo => &["true", "false"],
            Values::Words(words) => words,
            Values::Share => &["0", "0.25", "0.5"],
            Values::Count => &["1", "2", "3"],
            Values::Roles => continue,
        };
        rules.push((toggle.name, (*dice.of(values)).to_owned()));
    }
    if rules.iter().all(|(name, _)| *name != "boss") || dice.chance(50) {
        return rules;
    }
    rules.retain(|(name, _)| *name != "boss");
    rules
}

fn turn(dice: &mut Dice, script: &Script) -> Turn {
    let players = script.players();
    let mut turn = Turn { events: Vec::new(), forgives: dice.chance(50) };
    let victim = whom(dice, players);
    let accused = [whom(dice, players), whom(dice, players)];
    // Three in four do something; who is silent misses a vote.
    for player in 0..players {
        let mut lines = Vec::new();
        if dice.chance(88) {
            lines.push(Line::Do { kind: Kind::Lynch, target: Some(*dice.of(&accused)) });
        }
        lines.extend(deed(dice, script, player, victim));
        if dice.chance(12) {
            lines.push(odd_line(dice, players));
        }
        if lines.is_empty() {
            continue;
        }
        if lines.len() > 1 && dice.chance(40) {
            let rest = lines.split_off(1);
            let from = player;
            let what = What::Letter { from, lines: rest, twice: false };
            push(&mut turn, hour(dice), what);
        }
        let what = What::Letter { from: player, lines, twice: dice.chance(6) };
        push(&mut turn, hour(dice), what);
    }
    if dice.chance(35) {
        let who = whom(dice, players);
        let deed = match dice.below(5) {
            0 => Deed::Expel(who),
            1 | 2 => Deed::Deprive(who),
            3 => Deed::Forgive(who),
            _ => Deed::Warn(who, text(dice)),
        };
        push(&mut turn, When::Noon, What::Host(deed));
    }
    for when in [When::TooLate, When::Lost, When::AfterClose, When::AfterClose] {
        if dice.chance(30) {
            let from = whom(dice, players);
            let lines = vec![odd_line(dice, players)];
            push(&mut turn, when, What::Letter { from, lines, twice: false });
        }
    }
    dice.shuffle(&mut turn.events);
    for (slot, event) in (0..).zip(&mut turn.events) {
        event.slot = slot;
    }
    turn
}

fn push(turn: &mut Turn, when: When, what: What) {
    turn.events.push(Event { slot: 0, when, what });
}

fn hour(dice: &mut Dice) -> When {
    *dice.of(&[When::Morning, When::Morning, When::Evening, When::Evening, When::Evening, When::LastMinute])
}

/// What the player's role does by night.
fn deed(dice: &mut Dice, script: &Script, player: u16, victim: u16) -> Option<Line> {
    let players = script.players();
    if dice.chance(15) {
        return Some(Line::Do { kind: Kind::Hunt, target: Some(whom(dice, players)) });
    }
    if !dice.chance(80) {
        return None;
    }
    let (kind, target) = match script.roles[usize::from(player)] {
        Role::Commissioner if dice.chance(30) => (Kind::Pistol, whom(dice, players)),
        Role::Commissioner => (Kind::Check, whom(dice, players)),
        Role::Doctor => (Kind::Heal, if dice.chance(40) { victim } else { whom(dice, players) }),
        Role::Kamikaze if dice.chance(40) => (Kind::Seek, whom(dice, players)),
        Role::Maniac => (Kind::Kill, whom(dice, players)),
        role if role.side() == Side::Mafia => {
            if dice.chance(15) {
                return Some(Line::Text { kind: Kind::Clan, target: None, text: text(dice) });
            }
            (Kind::Kill, if dice.chance(85) { victim } else { whom(dice, players) })
        }
        _ => return None,
    };
    Some(Line::Do { kind, target: Some(target) })
}

/// Anything that a player may write, whether it is his to write or not.
fn odd_line(dice: &mut Dice, players: u16) -> Line {
    let target = if dice.chance(90) { Some(whom(dice, players)) } else { None };
    match dice.below(12) {
        0..4 => {
            Line::Text { kind: *dice.of(&[Kind::Note, Kind::Note, Kind::Pm, Kind::Clan]), target, text: text(dice) }
        }
        4..7 => Line::Do { kind: KINDS[dice.below(7)], target },
        7 => Line::Cancel(None),
        8 => Line::Cancel(Some(KINDS[dice.below(8)])),
        9 | 10 => Line::Question(QUESTIONS[dice.below(QUESTIONS.len())]),
        _ => Line::Prose("Какая тёмная нынче ночь".to_owned()),
    }
}

fn whom(dice: &mut Dice, players: u16) -> u16 {
    u16::try_from(dice.below(usize::from(players))).unwrap()
}

fn text(dice: &mut Dice) -> String {
    format!("тайна номер {}", dice.below(100_000))
}

/// The same game but for one to four things, each of which somebody may not know.
pub fn twin(dice: &mut Dice, script: &Script) -> Script {
    let mut twin = script.clone();
    for _ in 0..1 + dice.below(4) {
        edit(dice, &mut twin);
    }
    twin
}

fn edit(dice: &mut Dice, script: &mut Script) {
    let players = script.players();
    match dice.below(10) {
        0 | 1 => swap(script, whom(dice, players), whom(dice, players)),
        2 => {
            let role = match *dice.of(&script.roles) {
                Role::Citizen => Role::Foundling,
                Role::Foundling => Role::Citizen,
                Role::Mafioso => Role::Kamikaze,
                Role::Kamikaze => Role::Mafioso,
                _ => return,
            };
            let mut places: Vec<usize> = (0..script.roles.len()).collect();
            dice.shuffle(&mut places);
            let other = |old: Role| match role {
                Role::Foundling => old == Role::Citizen && !script.roles.contains(&Role::Foundling),
                Role::Citizen => old == Role::Foundling,
                Role::Kamikaze => old == Role::Mafioso && !script.roles.contains(&Role::Kamikaze),
                _ => old == Role::Kamikaze,
            };
            if let Some(place) = places.into_iter().find(|place| other(script.roles[*place])) {
                script.roles[place] = role;
            }
        }
        3 => {
            let (one, other) = (whom(dice, players), whom(dice, players));
            script.roles.swap(usize::from(one), usize::from(other));
        }
        _ => edit_turn(dice, script),
    }
}

/// Two players change roles and all that they write.
fn swap(script: &mut Script, one: u16, other: u16) {
    script.roles.swap(usize::from(one), usize::from(other));
    for event in script.turns.iter_mut().flat_map(|turn| &mut turn.events) {
        if let What::Letter { from, lines, .. } = &mut event.what
            && !lines.iter().any(|line| matches!(line, Line::Do { kind: Kind::Lynch, .. }))
        {
            *from = match *from {
                from if from == one => other,
                from if from == other => one,
                from => from,
            };
        }
    }
}

fn edit_turn(dice: &mut Dice, script: &mut Script) {
    let players = script.players();
    let turns = script.turns.len();
    let turn = &mut script.turns[dice.below(turns)];
    let slot = turn.events.iter().map(|event| event.slot).max().unwrap_or(0) + 1;
    if turn.events.is_empty() || dice.chance(30) {
        let lines = vec![odd_line(dice, players)];
        let when = *dice.of(&[When::Morning, When::Evening, When::LastMinute, When::TooLate, When::AfterClose]);
        let what = What::Letter { from: whom(dice, players), lines, twice: dice.chance(10) };
        turn.events.push(Event { slot, when, what });
        return;
    }
    let place = dice.below(turn.events.len());
    if dice.chance(25) {
        turn.events.remove(place);
        return;
    }
    match &mut turn.events[place].what {
        What::Host(Deed::Deprive(who) | Deed::Forgive(who) | Deed::Warn(who, _)) => *who = whom(dice, players),
        What::Host(Deed::Expel(_)) => {}
        What::Letter { lines, twice, .. } => {
            let line = dice.below(lines.len());
            match &mut lines[line] {
                Line::Do { target, .. } => *target = Some(whom(dice, players)),
                Line::Text { target, text: words, .. } => {
                    if dice.chance(50) {
                        *words = text(dice);
                    } else {
                        *target = Some(whom(dice, players));
                    }
                }
                Line::Cancel(_) | Line::Question(_) => {
                    lines[line] = Line::Question(QUESTIONS[dice.below(QUESTIONS.len())])
                }
                Line::Prose(_) => *twice = !*twice,
            }
        }
    }
}
