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

/// What somebody is told or not told: name, value, and in how many games of a hundred.
const OFTEN: [(&str, &str, usize); 10] = [
    ("clan_knows_roles", "false", 35),
    ("boss_knows_foundling", "true", 20),
    ("commissioner_knows_sergeant", "true", 20),
    ("announce_saves", "doctor", 15),
    ("announce_saves", "patient", 15),
    ("check_reveals", "team", 25),
    ("sergeant_gets_killers", "true", 15),
    ("tell_hunter_result", "true", 20),
    ("pistol_public", "false", 20),
    ("publish_nonvoters", "false", 20),
];

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
    let players = if dice.chance(85) { 7 + dice.below(2) } else { 9 + dice.below(6) };
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
    let mut rules = Vec::new();
    for (name, value, percent) in OFTEN {
        if dice.chance(percent) {
            rules.push((name, value.to_owned()));
        }
    }
    for _ in 0..dice.below(6) {
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
    if dice.chance(50) {
        let who = whom(dice, players);
        let deed = match dice.below(7) {
            0 => Deed::Expel(who),
            1..5 => Deed::Deprive(who),
            5 => Deed::Forgive(who),
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
            if dice.chance(25) {
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

/// The ways in which two games can differ without everybody being told.
pub const WAYS: usize = 8;

/// The same game but for one thing done in that way, and now and then for one more.
pub fn twin(dice: &mut Dice, script: &Script, way: usize) -> Script {
    let mut twin = script.clone();
    edit(dice, &mut twin, way);
    if dice.chance(35) {
        let way = dice.below(WAYS);
        edit(dice, &mut twin, way);
    }
    twin
}

fn edit(dice: &mut Dice, script: &mut Script, way: usize) {
    let players = script.players();
    match way {
        0 => swap_with_requests(script, whom(dice, players), whom(dice, players)),
        1 => swap_within_a_side(dice, script),
        2 => exchange_a_role(dice, script),
        3 => aim_elsewhere(dice, script),
        4 => add_or_drop_a_letter(dice, script),
        5 => write_otherwise(dice, script),
        6 => vote_otherwise(dice, script),
        _ => murder_otherwise(dice, script),
    }
}

/// Two players change roles and all that they write but for the votes.
fn swap_with_requests(script: &mut Script, one: u16, other: u16) {
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

fn swap_within_a_side(dice: &mut Dice, script: &mut Script) {
    let side = *dice.of(&[Side::Mafia, Side::Mafia, Side::Town]);
    let mut places: Vec<usize> = (0..script.roles.len()).filter(|place| script.roles[*place].side() == side).collect();
    dice.shuffle(&mut places);
    if let [one, other, ..] = places[..] {
        script.roles.swap(one, other);
    }
}

/// A foundling for a citizen, a kamikaze or a Boss for a mafioso, a sergeant or a doctor for a citizen, and back.
fn exchange_a_role(dice: &mut Dice, script: &mut Script) {
    let (plain, special) = *dice.of(&[
        (Role::Citizen, Role::Foundling),
        (Role::Citizen, Role::Foundling),
        (Role::Mafioso, Role::Kamikaze),
        (Role::Mafioso, Role::Boss),
        (Role::Citizen, Role::Sergeant),
        (Role::Citizen, Role::Doctor),
    ]);
    let (from, to) = if script.roles.contains(&special) { (special, plain) } else { (plain, special) };
    let places: Vec<usize> = (0..script.roles.len()).filter(|place| script.roles[*place] == from).collect();
    if !places.is_empty() {
        script.roles[*dice.of(&places)] = to;
    }
}

/// A night's request, or a pistol order, names another.
fn aim_elsewhere(dice: &mut Dice, script: &mut Script) {
    let players = script.players();
    let mut targets: Vec<&mut Option<u16>> = lines(script)
        .filter_map(|line| match line {
            Line::Do { kind, target } if *kind != Kind::Lynch => Some(target),
            _ => None,
        })
        .collect();
    if !targets.is_empty() {
        let place = dice.below(targets.len());
        *targets[place] = Some(whom(dice, players));
    }
}

fn write_otherwise(dice: &mut Dice, script: &mut Script) {
    let players = script.players();
    let mut texts: Vec<(&mut Option<u16>, &mut String)> = lines(script)
        .filter_map(|line| match line {
            Line::Text { target, text, .. } => Some((target, text)),
            _ => None,
        })
        .collect();
    if texts.is_empty() {
        return add_or_drop_a_letter(dice, script);
    }
    let place = dice.below(texts.len());
    let (target, words) = &mut texts[place];
    if dice.chance(60) {
        **words = text(dice);
    } else {
        **target = Some(whom(dice, players));
    }
}

fn lines(script: &mut Script) -> impl Iterator<Item = &mut Line> {
    script.turns.iter_mut().flat_map(|turn| &mut turn.events).flat_map(|event| match &mut event.what {
        What::Letter { lines, .. } => lines.as_mut_slice(),
        What::Host(_) => &mut [],
    })
}

fn add_or_drop_a_letter(dice: &mut Dice, script: &mut Script) {
    let players = script.players();
    let turns = script.turns.len();
    let turn = &mut script.turns[dice.below(turns)];
    if !turn.events.is_empty() && dice.chance(30) {
        turn.events.remove(dice.below(turn.events.len()));
        return;
    }
    let slot = turn.events.iter().map(|event| event.slot).max().unwrap_or(0) + 1;
    let lines = vec![odd_line(dice, players)];
    let when = *dice.of(&[When::Morning, When::Evening, When::LastMinute, When::TooLate, When::AfterClose]);
    let what = What::Letter { from: whom(dice, players), lines, twice: dice.chance(10) };
    turn.events.push(Event { slot, when, what });
}

/// Where somebody is without a vote, another votes otherwise or another is without one: only the outcome is told.
fn vote_otherwise(dice: &mut Dice, script: &mut Script) {
    let players = script.players();
    let turns = script
        .turns
        .iter_mut()
        .skip(1)
        .filter(|turn| turn.events.iter().any(|event| matches!(event.what, What::Host(Deed::Deprive(_)))));
    let mut turns: Vec<&mut Turn> = turns.collect();
    if turns.is_empty() {
        return aim_elsewhere(dice, script);
    }
    let place = dice.below(turns.len());
    let events = &mut turns[place].events;
    if dice.chance(25) {
        for event in events.iter_mut() {
            if let What::Host(Deed::Deprive(who)) = &mut event.what {
                *who = whom(dice, players);
            }
        }
        return;
    }
    let place = dice.below(events.len());
    if let What::Letter { lines, .. } = &mut events[place].what {
        for line in lines {
            if let Line::Do { kind: Kind::Lynch, target } = line {
                *target = Some(whom(dice, players));
            }
        }
    }
}

/// All murders of one night name another victim, or quarrel, or are not asked for; or the heals do.
fn murder_otherwise(dice: &mut Dice, script: &mut Script) {
    let players = script.players();
    let turns = script.turns.len();
    let turn = &mut script.turns[dice.below(turns)];
    let wanted = *dice.of(&[Kind::Kill, Kind::Kill, Kind::Heal, Kind::Seek]);
    let (victim, way) = (whom(dice, players), dice.below(3));
    for event in &mut turn.events {
        let What::Letter { lines, .. } = &mut event.what else { continue };
        for line in lines {
            let Line::Do { kind, target } = line else { continue };
            if *kind != wanted {
                continue;
            }
            match way {
                0 => *target = Some(victim),
                1 => *target = Some(whom(dice, players)),
                _ => *line = Line::Question("Статус"),
            }
        }
    }
}
