//! For which game a letter is meant.

use omerta::rules::{Kind, PlayerId};

use crate::house::address;
use crate::town::{RECEIVED, TAG, Town};

#[test]
fn a_letter_that_names_two_games_of_its_sender_counts_in_none() {
    let mut town = Town::new("address");
    let mut roster = format!("address,nick,role\n{},Анна,citizen\n", address(TAG, 0));
    for (number, role) in (1..).zip(["mafioso", "citizen", "commissioner", "doctor", "citizen", "citizen"]) {
        roster += &format!("{},Сосед {number},{role}\n", address("roma", number));
    }
    town.house.new_game_of("roma", &roster, &[]).unwrap();
    town.house.start("roma");
    town.house.close("roma");
    let from = address(TAG, 0);
    let mut vote = |subject: &str, whom: &str| {
        town.deliver(&format!("{RECEIVED}From: <{from}>\r\nSubject: {subject}\r\n"), &format!("Суд Линча - {whom}"));
        let other = town.house.table("roma").game.standing(PlayerId(0));
        let other = other.into_iter().any(|(kind, _)| kind == Kind::Lynch);
        (town.vote(0), other, town.count(&from, "refused"))
    };
    assert_eq!(vote("[palermo] and [roma]", "Анна"), (None, false, 1), "both are named");
    assert_eq!(vote("[list] [roma] [Roma]", "Анна"), (None, true, 1), "one is named, if twice");
    assert_eq!(vote("[palermo]", "Вера"), (Some("Вера".to_owned()), true, 1));
}
