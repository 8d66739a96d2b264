//! Bounces of letters of ours, and addresses that rest.
#![cfg(test)]

mod house;

use house::House;
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
