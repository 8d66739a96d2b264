//! Two games each that were told apart once, or that random games seldom make.

use omerta::desk::command::Command;
use omerta::rules::{Kind, Role};

use super::house::{House, address};
use super::play::{Stage, text};
use super::premise::{STEPS, Step, known};
use super::script::{Deed, Event, Line, NICKS, Script, Turn, What, When};

/// The clan are 1 and 2, with the Boss; 3 is the commissioner, 4 the doctor, 5 the maniac, 6 the foundling.
const TOWN: [Role; 10] = [
    Role::Citizen,
    Role::Mafioso,
    Role::Boss,
    Role::Commissioner,
    Role::Doctor,
    Role::Maniac,
    Role::Foundling,
    Role::Citizen,
    Role::Citizen,
    Role::Citizen,
];

/// Plays both games to their end and holds that each of these readers finds the same letters in both.
fn read_alike(one: &Script, other: &Script, readers: &[u16]) {
    read_alike_until(1 + STEPS.len() * one.turns.len(), one, other, readers);
}

/// Plays so many steps; the rules must tell the readers the same as long.
fn read_alike_until(steps: usize, one: &Script, other: &Script, readers: &[u16]) {
    let (told, other_told) = (known(one), known(other));
    for reader in readers {
        let alike = told.alike(&other_told, Some(*reader));
        assert!(alike >= steps, "by the rules player {reader} is told something else after {alike} steps");
    }
    let mut stages = Stage::like(2, "");
    stages[0].add("palermo", one, steps);
    stages[1].add("palermo", other, steps);
    let mut addresses: Vec<String> = readers.iter().map(|reader| address("palermo", *reader)).collect();
    addresses.extend(["moderator@palermo.test".to_owned(), "forum@palermo.test".to_owned()]);
    let mut boxes: Vec<Vec<_>> =
        stages.iter().map(|stage| addresses.iter().map(|address| stage.mailbox(address)).collect()).collect();
    let turns = (0..one.turns.len()).flat_map(|turn| STEPS.map(|step| (turn, step)));
    for (turn, step) in std::iter::once((0, Step::Start)).chain(turns).take(steps) {
        for stage in &mut stages {
            stage.play(turn, step);
        }
        for (number, address) in addresses.iter().enumerate() {
            let (here, there) = (boxes[0][number].news(), boxes[1][number].news());
            let shown = |news: &[(String, Vec<u8>)]| news.iter().map(|(_, raw)| text(raw)).collect::<String>();
            assert!(here == there, "{address}, turn {}:\n{}\n---\n{}", turn + 1, shown(&here), shown(&there));
        }
    }
}

/// Votes of all for one, in the second turn, and what else is asked for.
fn two_turns(accused: u16, rules: &[(&'static str, &str)], night: &[(u16, Kind, u16)]) -> Script {
    let say = |slot: u32, from: u16, kind: Kind, target: u16| Event {
        slot,
        when: When::Evening,
        what: What::Letter { from, lines: vec![Line::Do { kind, target: Some(target) }], twice: false },
    };
    let mut events: Vec<Event> = (0..10).map(|from| say(u32::from(from), from, Kind::Lynch, accused)).collect();
    for (slot, (from, kind, target)) in (20..).zip(night) {
        events.push(say(slot, *from, *kind, *target));
    }
    let rules = rules.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Script { roles: TOWN.to_vec(), rules, turns: vec![Turn::default(), Turn { events, forgives: false }] }
}

/// A52: a shot that is not public looks like a death of the night, even when the commissioner was hanged.
#[test]
fn a_hidden_shot_from_the_rope_looks_like_a_death_of_the_night() {
    let rules = [("pistol_public", "false")];
    let shot = two_turns(3, &rules, &[(3, Kind::Pistol, 7)]);
    let murder = two_turns(3, &rules, &[(5, Kind::Kill, 7)]);
    read_alike(&shot, &murder, &[0, 1, 2, 4, 6, 7, 8, 9]);
}

/// A43, A59, R45: why a murder failed is nobody's to know, nor that one was tried.
#[test]
fn a_murder_that_failed_looks_like_none() {
    let none = two_turns(8, &[], &[]);
    for night in [
        // The foundling, a patient, a quarrel; a heal for nothing; a hunt on the maniac.
        &[(1, Kind::Kill, 6), (2, Kind::Kill, 6)][..],
        &[(1, Kind::Kill, 0), (2, Kind::Kill, 0), (4, Kind::Heal, 0)],
        &[(1, Kind::Kill, 0), (2, Kind::Kill, 7)],
        &[(4, Kind::Heal, 6)],
        &[(9, Kind::Hunt, 5)],
        &[(3, Kind::Pistol, 1), (5, Kind::Kill, 0), (4, Kind::Heal, 0)],
    ] {
        let readers: Vec<u16> = (0..10).filter(|player| night.iter().all(|(from, ..)| from != player)).collect();
        read_alike(&none, &two_turns(8, &[], night), &readers);
    }
}

/// Until a turn is published every answer is made from the state before its close, so that it betrays no death.
#[test]
fn a_review_betrays_nobody_who_died() {
    let reviewed = |victim: Option<u16>| {
        let night: Vec<(u16, Kind, u16)> = victim.map(|victim| (5, Kind::Kill, victim)).into_iter().collect();
        let mut script = two_turns(8, &[], &night);
        // Half of them miss the vote.
        script.turns[1].events.retain(|event| event.slot < 4 || event.slot == 5 || event.slot >= 20);
        let talk = |kind, target| Line::Text { kind, target: Some(target), text: "слово".to_owned() };
        let to = |kind, target| Line::Do { kind, target: Some(target) };
        for player in 0..10u16 {
            let lines = vec![
                to(Kind::Lynch, 0),
                to(Kind::Heal, 0),
                Line::Question("Статус"),
                Line::Question("Игроки"),
                talk(Kind::Pm, 0),
                talk(Kind::Note, 0),
                talk(Kind::Clan, 0),
                Line::Cancel(None),
            ];
            for (slot, when, lines) in [
                (60, When::AfterClose, lines),
                (75, When::AfterClose, vec![Line::Question("Роль")]),
                (60, When::Lost, vec![to(Kind::Lynch, 0)]),
            ] {
                let what = What::Letter { from: player, lines, twice: false };
                script.turns[1].events.push(Event { slot: slot + u32::from(player), when, what });
            }
        }
        script
    };
    let readers: Vec<u16> = (0..10).filter(|player| *player != 5).collect();
    let until_published = 1 + 2 * STEPS.len() - 1;
    read_alike_until(until_published, &reviewed(None), &reviewed(Some(0)), &readers);
    read_alike_until(until_published, &reviewed(None), &reviewed(Some(2)), &readers);
}

/// R109: without results by nick nothing tells how one voted, nor who was without a vote.
#[test]
fn where_somebody_is_deprived_only_the_outcome_is_told() {
    let deprived = |who: u16, stray: u16| {
        let mut script = two_turns(8, &[], &[]);
        let events = &mut script.turns[1].events;
        events.push(Event { slot: 50, when: When::Noon, what: What::Host(Deed::Deprive(who)) });
        for event in events.iter_mut() {
            if let What::Letter { from: 1, lines, .. } = &mut event.what {
                lines[0] = Line::Do { kind: Kind::Lynch, target: Some(stray) };
            }
        }
        script
    };
    read_alike(&deprived(7, 8), &deprived(7, 9), &[0, 2, 3, 4, 5, 6, 7, 8, 9]);
    read_alike(&deprived(7, 8), &deprived(6, 8), &[0, 1, 2, 3, 4, 5, 8, 9]);
}

/// A6: where the clan's roles are not told, its members may change them among themselves.
#[test]
fn a_clan_that_does_not_know_its_roles_can_change_them() {
    let rules = [("clan_knows_roles", "false")];
    let mut one = two_turns(8, &rules, &[(1, Kind::Kill, 9), (2, Kind::Kill, 9)]);
    let mut other = one.clone();
    (one.roles[0], one.roles[1]) = (Role::Mafioso, Role::Kamikaze);
    (other.roles[0], other.roles[1]) = (Role::Kamikaze, Role::Mafioso);
    read_alike(&one, &other, &[2, 3, 4, 5, 6, 7, 8, 9]);
}

/// Whom the host expels in mid-turn is out at once; what he was, the summary tells to all at the same time.
#[test]
fn the_role_of_one_expelled_in_mid_turn_waits_for_the_summary() {
    let mut house = House::new();
    let town: Vec<(&str, Role)> = NICKS.into_iter().zip(TOWN).collect();
    house.new_game("palermo", &town, &[]);
    house.start("palermo");
    house.command("palermo", Command::Expel { nick: "Егор".to_owned(), text: "так решено".to_owned() });
    let row = |house: &House| {
        let answer = house.last("palermo", 0, "answer");
        answer.body.lines().find(|line| line.contains("Егор")).unwrap().to_owned()
    };
    house.write("palermo", 0, "Игроки");
    house.round();
    assert!(!row(&house).contains("маньяк") && row(&house).contains("вне игры"), "{}", row(&house));
    house.close("palermo");
    house.write("palermo", 0, "Игроки");
    house.round();
    assert!(row(&house).contains("маньяк"), "{}", row(&house));
}
