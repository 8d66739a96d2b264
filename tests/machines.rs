//! Bounces of letters of ours, and addresses that rest.
#![cfg(test)]

mod house;

use house::House;
use omerta::desk::command::{Command, Terms};
use omerta::desk::quarantine::Retried;
use omerta::rules::Role;
use omerta::store::{LetterState, NewLetter};

const TAG: &str = "palermo";
const TOWN: [(&str, Role); 4] =
    [("Анна", Role::Citizen), ("Борис", Role::Mafioso), ("Вера", Role::Citizen), ("Глеб", Role::Citizen)];

fn bounce(id: &str, address: &str, status: &str) -> String {
    format!(
        "Return-Path: <>\nFrom: MAILER-DAEMON@mx.test\nSubject: Undelivered\nMessage-ID: <{id}.{status}.{address}>\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n--b\n\
         Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.test\n\nFinal-Recipient: rfc822; {address}\n\
         Action: failed\nStatus: {status}\n\n--b\nContent-Type: message/rfc822\n\nMessage-ID: <{id}>\n\n\
         Суд Линча - Борис\n--b--\n"
    )
}

fn alerts(house: &House) -> Vec<String> {
    house.got("host@example.org").into_iter().filter(|got| got.kind == "alert").map(|got| got.body).collect()
}

#[test]
fn a_bounce_counts_only_with_our_message_id_and_our_address() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    house.round();
    let (game, _) = house.daemon().desk().table(TAG).unwrap();
    let letters = house.daemon().desk().store.read(|tx| tx.outbox(game)).unwrap();
    let anna = house::address(TAG, 0);
    let role = letters.into_iter().find(|letter| letter.kind == "role" && letter.to == anna).unwrap();
    let state = |house: &mut House| {
        let letters = house.daemon().desk().store.read(|tx| tx.outbox(game)).unwrap();
        letters.into_iter().find(|letter| letter.id == role.id).unwrap().state.word()
    };
    for (n, forged) in
        [bounce("nothing@game.test", &anna, "5.1.1"), bounce(&role.message_id, &house::address(TAG, 1), "5.1.1")]
            .into_iter()
            .enumerate()
    {
        house.drop_in(forged.as_bytes(), house.now(), u32::try_from(n).unwrap());
        house.round();
        assert_eq!((state(&mut house), alerts(&house).len()), ("sent", 0));
    }
    for micros in [2, 3] {
        house.drop_in(bounce(&role.message_id, &anna, "5.1.1").as_bytes(), house.now(), micros);
        (0..2).for_each(|_| house.round());
        assert_eq!(state(&mut house), "failed");
        let told = alerts(&house);
        assert_eq!(told.len(), 1, "told once: {told:?}");
        assert!(told[0].contains("Анна") && told[0].contains("role"), "{told:?}");
    }
    assert!(house.table(TAG).game.ledger.acts.is_empty(), "what a bounce quotes is no request");
    let before = house.got(&anna).len();
    house.write(TAG, 0, "Суд Линча - Борис");
    (0..2).for_each(|_| house.round());
    assert_eq!(house.got(&anna).len(), before + 1, "who writes from there is there");
}

#[test]
fn a_dead_address_holds_its_letters_and_no_deadline() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    house.round();
    let (game, _) = house.daemon().desk().table(TAG).unwrap();
    let anna = house::address(TAG, 0);
    let letters = house.daemon().desk().store.read(|tx| tx.outbox(game)).unwrap();
    let role = letters.into_iter().find(|letter| letter.kind == "role" && letter.to == anna).unwrap();
    house.drop_in(bounce(&role.message_id, &anna, "5.1.1").as_bytes(), house.now(), 1);
    house.round();
    let before = house.got(&anna).len();
    (1..4).for_each(|player| house.write(TAG, player, "Суд Линча - Борис"));
    house.close(TAG);
    house.round();
    assert_eq!(house.table(TAG).last.as_ref().map(|report| report.turn), Some(1), "the turn is closed");
    assert_eq!(house.got(&anna).len(), before, "nothing goes to a dead address");
    let held = |house: &mut House| house.daemon().desk().store.read(|tx| tx.held(game)).unwrap().len();
    assert!(held(&mut house) > 0);
    let unsent = house.daemon().desk().store.read(|tx| tx.unsent_of_turn(game, 1)).unwrap();
    assert!(unsent.is_empty(), "the next deadline does not wait for it: {unsent:?}");
    house.daemon().desk().store.write(|tx| tx.wake_address(&anna)).unwrap();
    house.round();
    assert_eq!(held(&mut house), 0);
    assert!(house.got(&anna).len() > before, "released, it goes out");
}

/// Only of an address that does not exist is it said that it rests, and only its owner ends that by writing.
#[test]
fn a_full_mailbox_goes_on_and_a_forger_releases_nothing() {
    let mut house = House::with("[security]\nsender = \"verified\"\n");
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    house.round();
    let (game, _) = house.daemon().desk().table(TAG).unwrap();
    let letters = house.daemon().desk().store.read(|tx| tx.outbox(game)).unwrap();
    let role = |player: u16| {
        let whose = house::address(TAG, player);
        letters.iter().find(|letter| letter.kind == "role" && letter.to == whose).unwrap().message_id.clone()
    };
    let (gone, full) = (house::address(TAG, 0), house::address(TAG, 1));
    house.drop_in(bounce(&role(0), &gone, "5.1.1").as_bytes(), house.now(), 1);
    house.drop_in(bounce(&role(1), &full, "5.2.2").as_bytes(), house.now(), 2);
    (0..2).for_each(|_| house.round());
    let rests = |house: &mut House| {
        let resting = house.daemon().desk().store.read(|tx| tx.resting(9)).unwrap();
        resting.into_iter().map(|(address, _, _)| address).collect::<Vec<_>>()
    };
    assert_eq!(rests(&mut house), [gone.as_str()]);
    let told = alerts(&house);
    assert!(told.iter().any(|told| told.contains("Борис") && told.contains("Адрес, похоже, верен")), "{told:?}");
    // In her name, without a proof.
    house.write(TAG, 0, "Суд Линча - Борис");
    (0..2).for_each(|_| house.round());
    assert_eq!(rests(&mut house), [gone.as_str()]);
    let own = house::raw_letter(&gone, TAG, "own@palermo.test", "Статус");
    let own = [format!("In-Reply-To: <{}>\r\n", role(0)).into_bytes(), own].concat();
    house.drop_in(&own, house.now(), 3);
    (0..2).for_each(|_| house.round());
    assert_eq!(rests(&mut house), Vec::<String>::new());
}

/// An alert about a host's own letter would be the next to come back.
#[test]
fn a_hosts_letter_that_comes_back_calls_no_alert() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    house.round();
    let host = "host@example.org";
    let opening = house.got(host).into_iter().find(|got| got.kind == "opening").unwrap();
    house.drop_in(bounce(&opening.message_id, host, "5.2.2").as_bytes(), house.now(), 1);
    (0..2).for_each(|_| house.round());
    let (game, _) = house.daemon().desk().table(TAG).unwrap();
    let letters = house.daemon().desk().store.read(|tx| tx.outbox(game)).unwrap();
    let back = letters.iter().find(|letter| letter.message_id == opening.message_id).unwrap();
    assert_eq!(back.state.word(), "failed");
    assert!(!house.journal(TAG).iter().any(|entry| entry.name() == "alerted"));
}

#[test]
fn an_applicants_address_is_released_by_the_applicant_alone() {
    let mut house = House::new();
    house.new_game_of_nobody(TAG, &[("photo_required", "false")]);
    house.command(TAG, Command::Open(Terms::default()));
    let anna = house::address(TAG, 0);
    house.write(TAG, 0, "Заявка - Анна\nХарактеристика: кто-то\nПол: ж");
    (0..2).for_each(|_| house.round());
    let joined = house.last(TAG, 0, "joined").message_id;
    house.drop_in(bounce(&joined, &anna, "5.1.1").as_bytes(), house.now(), 1);
    (0..2).for_each(|_| house.round());
    let rests = |house: &mut House| house.daemon().desk().store.read(|tx| tx.rests(&anna)).unwrap();
    assert!(rests(&mut house));
    let fail = "Authentication-Results: mx.game.test; dmarc=fail\r\nReceived: from a by mx.game.test\r\n";
    let forged = house::raw_letter(&anna, TAG, "forged@elsewhere.test", "Статус");
    house.drop_in(&[fail.as_bytes(), &forged[..]].concat(), house.now(), 2);
    (0..2).for_each(|_| house.round());
    assert!(rests(&mut house), "the servers speak against it");
    house.write(TAG, 0, "Статус");
    (0..2).for_each(|_| house.round());
    assert!(!rests(&mut house));
}

#[test]
fn a_letter_in_quarantine_is_retried_with_its_arrival_or_given_up() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    house.round();
    let arrived = house.now();
    let put = |house: &mut House, place: &str| {
        let raw = house::raw_letter(&house::address(TAG, 0), TAG, place, "Суд Линча - Борис");
        let letter = NewLetter {
            place,
            second: arrived.as_second(),
            within: "000001",
            sha256: [0; 32],
            sender: None,
            message_id: None,
            body_hash: "",
            too_large: false,
            raw: &raw,
            game: None,
            player: None,
            state: LetterState::Quarantined,
            received_at: arrived,
        };
        house.daemon().desk().store.write(|tx| tx.put_letter(&letter)).unwrap()
    };
    let (first, second) = (put(&mut house, "a"), put(&mut house, "b"));
    house.wait(60);
    let now = house.now();
    let desk = house.daemon().desk();
    assert!(matches!(desk.retry_quarantined(first, now).unwrap(), Retried::Done));
    assert!(matches!(desk.retry_quarantined(first, now).unwrap(), Retried::NotQuarantined), "once");
    assert!(desk.drop_quarantined(second).unwrap());
    assert!(!desk.drop_quarantined(second).unwrap());
    assert!(desk.store.read(|tx| tx.raw(second)).unwrap().is_some(), "what is given up is kept");
    assert_eq!(desk.store.read(|tx| tx.inbox_counts()).unwrap().quarantined, 0);
    let acts = house.table(TAG).game.ledger.acts;
    assert_eq!(acts.iter().map(|(order, _)| order.second).collect::<Vec<_>>(), [arrived.as_second()]);
}
