//! The order and the moment of arrival are the server's (INTERNALDATE, UID), never the order of reading.

use omerta::config::Tls;
use serde_json::Value;

use crate::players::{Party, TAG, TWELVE, Who};
use crate::servers::shared;

/// A game in its second turn, whose deadline is at 15:00:00 of 3 March; long before the servers' own time.
fn second_turn(number: usize) -> Party<'static> {
    let mut party = Party::new(number, Tls::Implicit, shared(), shared());
    party.machine.set_clock("2026-03-02T09:00:00Z");
    party.machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    party.machine.ok(&["game", "deadline", TAG, "2026-03-02 18:00"]);
    party.machine.ok(&["game", "start", TAG]);
    party.machine.start(&[]);
    party.until_come("role", 1, TWELVE.len());
    party.machine.set_clock("2026-03-02T15:00:02Z");
    party.until_come("summary", 1, TWELVE.len() + 1);
    party.machine.ok(&["game", "deadline", TAG, "2026-03-03 18:00"]);
    party.until_all_sent();
    party
}

/// Closes the second turn and gives its report.
fn closed(party: &Party<'_>) -> Value {
    party.machine.set_clock("2026-03-03T15:00:02Z");
    party.machine.until("the close", || journal(party).iter().any(is_close));
    journal(party).into_iter().find(is_close).unwrap()
}

fn is_close(line: &Value) -> bool {
    line["event"] == "closed" && line["report"]["turn"] == 2
}

fn journal(party: &Party<'_>) -> Vec<Value> {
    party.machine.ok(&["export", TAG]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every player but these votes against Жанна, long before the deadline.
fn vote_all_but(party: &mut Party<'_>, silent: &[usize]) {
    for player in (0..TWELVE.len()).filter(|player| !silent.contains(player)) {
        party.append("2026-03-03T09:00:00Z", player, "Суд Линча - Жанна");
    }
}

fn voted(party: &Party<'_>) -> Vec<String> {
    let show = party.machine.json(&["game", "show", TAG, "--json"]);
    let missed = |player: &&Value| player["missed"] == 0;
    show["players"].as_array().unwrap().iter().filter(missed).map(|p| p["nick"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_last_second_counts_and_the_deadline_second_does_not() {
    let mut party = second_turn(2);
    vote_all_but(&mut party, &[0, 1, 2]);
    party.append("2026-03-03T14:59:59Z", 0, "Суд Линча - Жанна");
    party.append("2026-03-03T15:00:00Z", 1, "Суд Линча - Жанна");
    party.until_come("receipt", 2, TWELVE.len() - 2);
    closed(&party);
    party.until_come("receipt", 2, TWELVE.len() - 1);
    let voted = voted(&party);
    assert!(voted.contains(&"Анна".to_owned()) && !voted.contains(&"Борис".to_owned()), "{voted:?}");
    // On time, and read after the close: it changes nothing, the sender is told, and the host.
    let digests = party.kinds(Who::Host, 2);
    party.append("2026-03-03T14:59:58Z", 2, "Суд Линча - Жанна");
    party
        .machine
        .until("the host's alert", || party.got(Who::Host).iter().filter(|got| got.kind == "alert").count() == 1);
    assert!(!digests.contains(&"alert".to_owned()));
    party.until_all_sent();
    let answered = |kind: &str| party.got(Who::Player(2)).iter().filter(|got| got.kind == kind).count();
    assert_eq!(answered("receipt"), 1, "the sender is told");
    assert!(!self::voted(&party).contains(&"Вера".to_owned()));
    assert_eq!(party.machine.stop(), Some(0));
    assert!(party.compare().is_empty());
}

#[test]
fn two_hunts_of_one_second_stand_in_the_order_of_their_numbers() {
    let mut party = second_turn(3);
    vote_all_but(&mut party, &[5, 11, 0]);
    // The later letter is put into the mailbox first: the server gives it the lower number, but not the earlier second.
    party.append("2026-03-03T10:00:01Z", 0, "Суд Линча - Жанна\nОхота - Кирилл");
    party.append("2026-03-03T10:00:00Z", 11, "Суд Линча - Жанна\nОхота - Борис");
    party.append("2026-03-03T10:00:00Z", 5, "Суд Линча - Жанна\nОхота - Мария");
    party.until_come("receipt", 2, TWELVE.len());
    let close = closed(&party);
    // One hunt a turn: the first that came in.
    assert_eq!(close["report"]["hunt"]["hunter"], 11, "{:#}", close["report"]);
    party.machine.stop();
}

#[test]
fn an_older_letter_that_is_read_later_replaces_nothing() {
    let mut party = second_turn(4);
    vote_all_but(&mut party, &[0]);
    party.append("2026-03-03T10:00:00Z", 0, "Суд Линча - Лев");
    party.until_come("receipt", 2, TWELVE.len());
    party.append("2026-03-03T09:00:00Z", 0, "Суд Линча - Нина");
    party.until_come("receipt", 2, TWELVE.len() + 1);
    let close = closed(&party);
    // Анна's ballot is for Лев, the later of the two by arrival.
    let ballots = close["report"]["vote"]["ballots"].as_array().unwrap();
    let hers: Vec<&Value> = ballots.iter().filter(|ballot| ballot[0] == 0).collect();
    assert_eq!(hers, [&serde_json::json!([0, 9])], "{ballots:?}");
    party.machine.stop();
}
