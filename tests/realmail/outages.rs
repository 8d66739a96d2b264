//! A server that is down across a deadline, and an orderly end in the middle of a wave of letters.

use std::time::{Duration, Instant};

use omerta::config::Tls;

use crate::house::binary::rest;
use crate::players::{Party, TAG, TWELVE, Who};
use crate::servers::MailServer;

fn alerts(party: &Party<'_>) -> usize {
    party.got(Who::Host).iter().filter(|got| got.kind == "alert").count()
}

fn turn(party: &Party<'_>) -> u64 {
    party.machine.json(&["game", "show", TAG, "--json"])["turn"].as_u64().unwrap()
}

fn queued(party: &Party<'_>) -> u64 {
    party.machine.store().read(|tx| tx.outbox_counts()).unwrap().queued
}

/// Game time goes on by the steps of the schedule, until nothing waits to be sent.
fn until_sent(party: &Party<'_>) {
    let mut last = Instant::now();
    party.machine.until("what waited has left", || {
        if last.elapsed() > Duration::from_secs(2) {
            party.machine.wait_seconds(330);
            last = Instant::now();
        }
        queued(party) == 0
    });
}

/// One pair of servers: the game's mailbox lies at one, everybody else's at the other.
#[test]
fn servers_that_are_down_hold_up_and_lose_nothing() {
    let (inbox, outbox) = (MailServer::start(), MailServer::start());
    let mut party = Party::new(0, Tls::Implicit, &inbox, &outbox);
    party.machine.set_clock("2026-03-02T09:00:00Z");
    party.machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    party.machine.ok(&["game", "deadline", TAG, "2026-03-02 18:00"]);
    party.machine.ok(&["game", "start", TAG]);
    party.machine.start(&[]);
    an_orderly_end_in_a_wave(&mut party);
    no_inbox(&mut party);
    no_outbox(&mut party);
    assert_eq!(party.machine.stop(), Some(0), "{}", party.machine.log());
    let copies = party.compare();
    assert!(copies.is_empty(), "without a crash nothing comes twice: {copies:?}");
    assert_eq!(alerts(&party), 1, "{:#?}", party.got(Who::Host));
}

fn an_orderly_end_in_a_wave(party: &mut Party<'_>) {
    party.machine.until("a letter leaves", || party.outbox.holds_letters());
    assert_eq!(party.machine.stop(), Some(0), "{}", party.machine.log());
    party.outbox.until_delivered();
    let there = Party::everybody().map(|who| party.got(who).len()).sum::<usize>();
    let said = party.machine.json(&["letters", TAG, "--json"]);
    let sent = said.as_array().unwrap().iter().filter(|letter| letter["state"] == "sent").count();
    assert_eq!(sent, there, "an orderly end knows what has left");
    party.machine.start(&[]);
    until_sent(party);
    party.until_come("role", 1, TWELVE.len());
}

/// The game's mailbox is out of reach from before the deadline until long after it.
fn no_inbox(party: &mut Party<'_>) {
    party.append("2026-03-02T12:00:00Z", 3, "Проверка - Борис");
    party.until_come("receipt", 1, 1);
    party.inbox.stop_dovecot();
    let to = party.address(Who::Game);
    let letter = party.letter(3, &to, "Проверка - Жанна");
    let arrived = "2026-03-02T14:59:59Z".parse().unwrap();
    party.inbox.drop_in(&party.user(Who::Game), arrived, &letter);
    party.machine.set_clock("2026-03-02T15:04:30Z");
    still(party, 0);
    party.machine.set_clock("2026-03-02T15:05:01Z");
    party.machine.until("the host is told", || alerts(party) == 1);
    party.machine.set_clock("2026-03-02T16:00:00Z");
    still(party, 1);
    party.inbox.start_dovecot();
    party.until_come("summary", 1, TWELVE.len() + 1);
    party.until_come("result", 1, 2);
    party.until_all_sent();
    assert_eq!((turn(party), alerts(party)), (2, 1));
    let result = party.got(Who::Player(3)).into_iter().find(|got| got.kind == "result").unwrap().body;
    assert!(result.contains("Жанна") && !result.contains("Борис"), "the letter of the outage counts: {result}");
}

/// The turn waits, and the host is not told again.
fn still(party: &Party<'_>, told: usize) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        assert_eq!((turn(party), alerts(party)), (1, told));
        rest();
    }
}

fn no_outbox(party: &mut Party<'_>) {
    party.outbox.postfix("stop");
    for player in 0..TWELVE.len() {
        party.append("2026-03-02T16:00:00Z", player, "Суд Линча - Жанна");
    }
    party.machine.until("answers wait", || queued(party) == u64::try_from(TWELVE.len()).unwrap());
    party.machine.until("the operator is told", || party.machine.log().contains("the outbox: "));
    party.outbox.postfix("start");
    until_sent(party);
    party.outbox.until_delivered();
    assert_eq!(party.count("receipt", 2), TWELVE.len());
    assert_eq!(party.machine.log().matches("the outbox: ").count(), 1, "{}", party.machine.log());
}

/// The task that reads the mailbox dies before it has read anything, twice: it is started again, and nothing is lost.
#[test]
fn a_reader_that_panics_is_started_again_and_loses_nothing() {
    let mut party = Party::new(7, Tls::Implicit, crate::servers::shared(), crate::servers::shared());
    party.machine.set_clock("2026-03-02T09:00:00Z");
    party.machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    party.machine.ok(&["game", "deadline", TAG, "2026-03-02 18:00"]);
    party.machine.ok(&["game", "start", TAG]);
    for player in 0..3 {
        party.append("2026-03-02T08:59:00Z", player, "Статус");
    }
    party.machine.start(&["--panic-in", "reader:2"]);
    party.until_come("answer", 1, 3);
    party.until_all_sent();
    assert_eq!(party.count("answer", 1), 3, "each is answered once");
    let log = party.machine.log();
    assert_eq!(log.matches("panics because a test wants it to").count(), 2, "{log}");
    assert_eq!(log.matches("a task that speaks with a mail server ended unexpectedly").count(), 1, "{log}");
    // Letters are filed after their answers were written: that may still go on, and a look in the middle of a move may see
    // a letter at both ends.
    party.machine.until("each is filed", || party.client().count("Omerta") == 3);
    assert_eq!(party.machine.stop(), Some(0));
    let mut client = party.client();
    assert_eq!((client.count("INBOX"), client.count("Omerta")), (0, 3));
}
