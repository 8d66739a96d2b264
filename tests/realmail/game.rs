//! A game of twelve, every letter through both servers, in the real time: the first turn as in CHN-17, and a night into
//! which fall a lynch, a kamikaze's find, a dying commissioner's shot, a hunt, a healing, a promotion, a conversion and
//! a note. Every letter that is owed arrives once, and no other.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use omerta::config::Tls;

use crate::house::binary::{Said, rest};
use crate::players::{Party, TAG, TWELVE, Who, real_now};
use crate::servers::{piped, shared};

/// The clan comes to the foundling, and goes away; the maniac comes to one who is healed.
const FIRST: &[(usize, &str)] = &[
    (1, "Убийство - Ирина"),
    (6, "Убийство - Ирина"),
    (10, "Убийство - Ирина\nПоиск - Анна"),
    (3, "Проверка - Жанна"),
    (4, "Лечение - Анна"),
    (8, "Убийство - Анна"),
];

const NIGHT: &[(usize, &str)] = &[
    (0, "Суд Линча - Жанна"),
    (1, "Суд Линча - Вера\nУбийство - Нина"),
    (2, "Суд Линча - Жанна"),
    (3, "Суд Линча - Жанна\nПроверка - Борис\nПистолет - Кирилл"),
    (4, "Суд Линча - Жанна\nЛечение - Нина"),
    (5, "Суд Линча - Жанна\nОхота - Борис"),
    (6, "Суд Линча - Вера\nУбийство - Нина\nЗаписка - Вера: прощай"),
    (7, "Суд Линча - Жанна"),
    (8, "Суд Линча - Вера\nУбийство - Егор"),
    (9, "Суд Линча - Жанна"),
    (10, "Суд Линча - Вера\nУбийство - Нина\nПоиск - Глеб"),
    (11, "Суд Линча - Жанна"),
];

#[test]
fn a_game_of_twelve_over_implicit_tls() {
    play(Party::new(0, Tls::Implicit, shared(), shared()), false);
}

/// The same, and the commissioner's letters come by pipe.
#[test]
fn a_game_of_twelve_over_starttls_with_a_pipe_beside() {
    play(Party::new(1, Tls::Starttls, shared(), shared()), true);
}

fn play(mut party: Party, pipe: bool) {
    let over = AtomicBool::new(false);
    let folder = party.machine.folder.clone();
    thread::scope(|scope| {
        let _over = Over(&over);
        party.machine.set_clock(&real_now().to_string());
        scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                std::fs::write(folder.join("clock.real"), real_now().to_string()).unwrap();
                std::fs::rename(folder.join("clock.real"), folder.join("clock")).unwrap();
                rest();
            }
        });
        start(&mut party);
        turn(&mut party, 1, FIRST, pipe);
        turn(&mut party, 2, NIGHT, pipe);
        assert_eq!(party.machine.stop(), Some(0), "{}", party.machine.log());
        assert_eq!(party.machine.log(), "");
        let copies = party.compare();
        assert!(copies.is_empty(), "without a crash nothing comes twice: {copies:?}");
        nothing_is_left_behind(&party, FIRST.len() + NIGHT.len() - if pipe { 2 } else { 0 });
    });
}

/// Ends the ticking, also when the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn start(party: &mut Party) {
    party.machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    party.machine.start(&[]);
    party.machine.ok(&["game", "deadline", TAG, "+1h"]);
    party.machine.ok(&["game", "start", TAG]);
    party.until_come("role", 1, TWELVE.len());
    party.until_all_sent();
}

fn turn(party: &mut Party, number: u16, letters: &[(usize, &str)], pipe: bool) {
    for (player, text) in letters {
        if pipe && *player == 3 {
            deliver(party, *player, text);
        } else {
            party.send(*player, text);
        }
    }
    party.until_come("receipt", number, letters.len());
    let last = real_now().as_second();
    party.machine.until("the next second", || party.machine.now().as_second() > last + 1);
    party.machine.ok(&["game", "resolve", TAG]);
    party.until_come("summary", number, TWELVE.len() + 1);
    party.until_all_sent();
    for who in Party::everybody() {
        assert_eq!(party.kinds(who, number), expected(who, number, letters), "turn {number}, {who:?}");
    }
}

fn deliver(party: &mut Party, player: usize, text: &str) {
    let to = party.address(Who::Game);
    let letter = party.letter(player, &to, text);
    let said = Said::of(&piped(party.machine.command(&["deliver"]), &letter));
    assert_eq!((said.code, said.err.as_str()), (0, ""), "deliver");
}

/// What rules.md 3b owes to each, by kind, in alphabetical order.
fn expected(who: Who, turn: u16, letters: &[(usize, &str)]) -> Vec<&'static str> {
    let private: BTreeMap<usize, &[&str]> = match turn {
        1 => [(3, ["result"].as_slice()), (9, &["result"])].into(),
        // Борис is hunted, Глеб found by Мария, Кирилл shot by Глеб, Егор killed by Кирилл, Жанна hanged, Нина healed.
        _ => [
            (1, ["death"].as_slice()),
            (2, &["note"]),
            (3, &["death", "result"]),
            (5, &["death"]),
            (6, &["death"]),
            (7, &["conversion"]),
            (8, &["death"]),
            (9, &["promotion", "result"]),
            (10, &["death"]),
        ]
        .into(),
    };
    let mut kinds = vec![if who == Who::Host { "digest" } else { "summary" }];
    if let Who::Player(player) = who {
        kinds.extend(private.get(&player).copied().unwrap_or_default());
        kinds.extend(letters.iter().filter(|(from, _)| *from == player).map(|_| "receipt"));
    }
    match who {
        Who::Player(_) if turn == 1 => kinds.extend(["opening", "role"]),
        Who::Host | Who::Moderator if turn == 1 => kinds.push("opening"),
        _ => {}
    }
    kinds.sort_unstable();
    kinds
}

/// Every letter was filed, once.
fn nothing_is_left_behind(party: &Party, letters: usize) {
    let mut client = party.client();
    assert_eq!((client.count("INBOX"), client.count("Omerta")), (0, letters));
}
