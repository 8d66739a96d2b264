//! Bounces of letters of ours, and addresses that rest.
#![cfg(test)]

mod house;

use house::House;
use omerta::rules::Role;

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
