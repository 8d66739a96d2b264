//! A town whose host sees every turn before it goes out, and what the tests do in it.

use jiff::Timestamp;
use omerta::rules::Role;

use crate::house::{self, Got, House};

pub const TAG: &str = "palermo";
pub const HOST: &str = "host@example.org";
pub const MODERATOR: &str = "moderator@example.org";

pub const ANNA: u16 = 0;
pub const BORIS: u16 = 1;
pub const VERA: u16 = 2;
pub const GLEB: u16 = 3;
pub const DARJA: u16 = 4;
pub const EGOR: u16 = 5;
pub const ZHANNA: u16 = 6;

const PLAYERS: [(&str, Role); 7] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Commissioner),
    ("Глеб", Role::Doctor),
    ("Дарья", Role::Sergeant),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
];

/// Turn 1 is open, an hour before its deadline.
pub fn town(publish: &str) -> House {
    let mut house = House::with(&format!("publish = \"{publish}\""));
    house.new_game(TAG, &PLAYERS, &[]);
    house.start(TAG);
    house.round();
    house
}

/// Turn 1 is closed: the clan has killed whom it named.
pub fn after_a_murder(publish: &str, victim: &str) -> House {
    let mut house = town(publish);
    for clan in [BORIS, ZHANNA] {
        house.write(TAG, clan, &format!("Убийство - {victim}"));
    }
    house.close(TAG);
    house
}

/// The host answers the last letter that he got, and gets his answer.
pub fn order(house: &mut House, text: &str) -> Got {
    let now = house.now();
    let id = format!("h{}@h.test", house.got(HOST).len());
    write_as_host(house, &id, text, now);
    house.round();
    house.round();
    let answers: Vec<Got> = house.got(HOST).into_iter().filter(|got| got.in_reply_to.as_deref() == Some(&id)).collect();
    assert_eq!(answers.len(), 1, "one answer to {text}: {answers:?}");
    answers.into_iter().next().unwrap()
}

fn write_as_host(house: &mut House, id: &str, text: &str, second: Timestamp) {
    let last = house.got(HOST).pop().unwrap().message_id;
    let letter = house::raw_letter(HOST, TAG, id, text);
    let raw = [format!("In-Reply-To: <{last}>\r\n").into_bytes(), letter].concat();
    house.drop_in(&raw, second, 1);
}

/// How many letters of a kind an address has got.
pub fn count(house: &House, address: &str, kind: &str) -> usize {
    house.got(address).iter().filter(|got| got.kind == kind).count()
}

pub fn count_of(house: &House, player: u16, kind: &str) -> usize {
    count(house, &house::address(TAG, player), kind)
}

pub fn everyone() -> std::ops::RangeInclusive<u16> {
    ANNA..=ZHANNA
}

/// The host says «Да» to a question; gives the answer to the letter that it let in.
pub fn confirm(house: &mut House, question: &Got) -> Got {
    let now = house.now();
    let letter = house::raw_letter(HOST, TAG, &format!("yes-{}", question.message_id), "Да");
    house.drop_in(&[format!("In-Reply-To: <{}>\r\n", question.message_id).into_bytes(), letter].concat(), now, 2);
    house.round();
    house.round();
    let answers = |got: &Got| got.in_reply_to == question.in_reply_to && got.kind == "answer";
    house.got(HOST).into_iter().rfind(answers).unwrap()
}
