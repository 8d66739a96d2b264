//! Random games: letters of all kinds by all roles, the host's whims, copies, restarts, pauses, to the end.

use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::{Command, Forgiven, Whom};
use omerta::rules::Role;
use omerta::table::{Phase, State};

use super::{House, address, raw_letter};

pub const TAG: &str = "palermo";
const TOWN: [(&str, Role); 12] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
    ("Ирина", Role::Foundling),
    ("Кирилл", Role::Maniac),
    ("Лев", Role::Sergeant),
    ("Мария", Role::Kamikaze),
    ("Нина", Role::Citizen),
];
/// A part of every private text; nothing else holds it.
pub const PRIVATE: &str = "тайнопись";

struct Luck(u64);

impl Luck {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn nick(&mut self) -> &'static str {
        if self.one_in(15) { "Никто" } else { TOWN[self.below(TOWN.len())].0 }
    }
}

/// A line of a letter, and whether it is a private text or about one.
fn line(luck: &mut Luck) -> (String, bool) {
    let nick = luck.nick();
    let number = luck.below(1_000);
    match luck.below(14) {
        0..4 => (format!("Суд Линча - {nick}"), false),
        4 => (format!("Охота - {nick}"), false),
        5 => (format!("Убийство - {nick}"), false),
        6 => {
            let word = luck.of(&["Проверка", "Лечение", "Поиск", "Пистолет"]);
            (format!("{word} - {nick}"), false)
        }
        7 => (luck.of(&["Отмена", "Отмена - Охота", "Отмена - Суд Линча", "Отмена - Лечение"]).to_owned(), false),
        8 => (luck.of(&["Статус", "Роль", "Игроки", "Правила"]).to_owned(), false),
        9 | 10 => (format!("Записка - {nick}: {PRIVATE} {number}"), true),
        11 => (format!("ЛС - {nick}: {PRIVATE} {number}"), true),
        12 => (format!("Клану: {PRIVATE} {number}"), true),
        _ => (luck.of(&["Отмена - Записка", "Записка - Анна", "Записка"]).to_owned(), true),
    }
}

/// A game of random letters to its end. Without `private` the same letters lack their private lines, and letters that
/// hold nothing else are not written. `look` is called in mid-game.
pub fn play(seed: u64, private: bool, look: &mut dyn FnMut(&mut House)) -> House {
    let mut luck = Luck(seed);
    let mut house = House::with("[security]\nreplies_per_hour = 1000");
    if luck.one_in(2) {
        let roster: String = std::iter::once("address,nick\n".to_owned())
            .chain((0..).zip(TOWN).map(|(n, (nick, _))| format!("{},{nick}\n", address(TAG, n))))
            .collect();
        house.new_game_of(TAG, &roster, &[]).unwrap();
    } else {
        house.new_game(TAG, &TOWN, &[("announce_saves", "public")]);
    }
    house.start(TAG);
    for turn in 1.. {
        notes_above_votes(&mut house, private, turn);
        let mut last: Option<Option<Vec<u8>>> = None;
        for number in 0..12 {
            house.wait(60);
            let player = u16::try_from(luck.below(TOWN.len())).unwrap();
            let lines: Vec<(String, bool)> = (0..=luck.below(3)).map(|_| line(&mut luck)).collect();
            let lines: Vec<String> =
                lines.into_iter().filter(|(_, is_private)| private || !is_private).map(|(line, _)| line).collect();
            let raw =
                raw_letter(&address(TAG, player), TAG, &format!("r{turn}-{number}@players.test"), &lines.join("\n"));
            let now = house.now();
            put(&mut house, (!lines.is_empty()).then_some(&raw), now);
            // A copy of a letter by a shorter way.
            let early = luck.one_in(5);
            if let Some(copied) = last.take().filter(|_| early) {
                put(&mut house, copied.as_ref(), now - SignedDuration::from_secs(90));
            }
            last = Some((!lines.is_empty()).then_some(raw));
            if luck.one_in(3) {
                house.round();
            }
            if luck.one_in(5) {
                host(&mut house, &mut luck);
            }
            if (turn, number) == (2, 6) {
                drop(house.try_command(TAG, Command::Pause));
            }
            if luck.one_in(16) {
                house.open();
            }
        }
        house.round();
        if turn == 2 {
            look(&mut house);
        }
        if house.table(TAG).state == State::Paused {
            house.command(TAG, Command::Resume);
        }
        if turn >= 3 {
            expel_all_but_the_town(&mut house);
        }
        end_turn(&mut house, &mut luck);
        if house.table(TAG).state == State::Finished {
            house.round();
            return house;
        }
    }
    unreachable!("a town without enemies wins")
}

/// A note in the line above a vote, and words of the host after it: numbers of lines and texts would betray the note.
fn notes_above_votes(house: &mut House, private: bool, turn: u16) {
    let living: Vec<(u16, String)> =
        house.table(TAG).living().map(|(player, living)| (player.0, living.nick.clone())).collect();
    let (_, last) = living.last().unwrap().clone();
    for (player, _) in living.into_iter().take(3) {
        let note = if private { format!("Записка - {last}: {PRIVATE} о {turn}\n") } else { String::new() };
        let text = format!("{note}Суд Линча - {last}");
        let raw = raw_letter(&address(TAG, player), TAG, &format!("v{turn}-{player}@players.test"), &text);
        let now = house.now();
        put(house, Some(&raw), now);
    }
    house.round();
    house.command(TAG, Command::Warn { nick: last, text: "не спите".to_owned() });
}

/// Into the inbox, or past it.
fn put(house: &mut House, raw: Option<&Vec<u8>>, arrived: Timestamp) {
    match raw {
        Some(raw) => drop(house.drop_in(raw, arrived, 0)),
        None => house.skip_letter(),
    }
}

/// Letters around the deadline, the close, and the host's word where the turn waits for it.
fn end_turn(house: &mut House, luck: &mut Luck) {
    let deadline = house.table(TAG).deadline.unwrap();
    let reminder = deadline - SignedDuration::from_hours(3);
    if reminder > house.now() {
        house.round_at(reminder);
    }
    for after in [-1, 0, 30] {
        let player = u16::try_from(luck.below(TOWN.len())).unwrap();
        let nick = luck.nick();
        let arrived = deadline + SignedDuration::from_secs(after);
        house.set_clock(deadline + SignedDuration::from_secs(40));
        house.write_at(TAG, player, &format!("Суд Линча - {nick}"), arrived, 0);
        house.round();
    }
    house.close(TAG);
    if house.table(TAG).phase == Phase::Review && house.table(TAG).state == State::Playing {
        let word =
            if luck.one_in(2) { Command::Publish } else { Command::Forgive { whom: Whom::All, what: Forgiven::Miss } };
        house.command(TAG, word);
    }
    house.round();
}

/// The host does something; what the game does not take now is refused.
fn host(house: &mut House, luck: &mut Luck) {
    let nick = luck.nick().to_owned();
    let command = match luck.below(8) {
        0 => Command::Pause,
        1 | 2 => Command::Resume,
        3 => Command::Extend { by: "+1h".to_owned() },
        4 => Command::Deprive { nicks: vec![nick], turns: 1 },
        5 => Command::Warn { nick, text: "тише".to_owned() },
        6 => Command::Forgive { whom: Whom::Nicks(vec![nick]), what: Forgiven::Miss },
        _ if luck.one_in(4) => Command::Expel { nick, text: "грубость".to_owned() },
        _ => Command::Deadline { when: "+5h".to_owned() },
    };
    drop(house.try_command(TAG, command));
}

fn expel_all_but_the_town(house: &mut House) {
    let is_enemy = |role: Option<Role>| {
        let enemies =
            [Role::Mafioso, Role::Boss, Role::Kamikaze, Role::Maniac, Role::Foundling, Role::FoundlingMafioso];
        role.is_some_and(|role| enemies.contains(&role))
    };
    let enemies: Vec<String> = house
        .table(TAG)
        .living()
        .filter(|(_, player)| is_enemy(player.role))
        .map(|(_, player)| player.nick.clone())
        .collect();
    for nick in enemies {
        house.command(TAG, Command::Expel { nick, text: "за дело".to_owned() });
    }
}
