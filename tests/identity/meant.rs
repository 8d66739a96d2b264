//! For which game a letter is meant.

use omerta::journal::Entry;
use omerta::rules::{Kind, PlayerId};

use crate::house::address;
use crate::town::{RECEIVED, TAG, Town};

/// Anna plays in Rome too.
fn with_a_second_game() -> Town {
    let mut town = Town::new("address");
    let mut roster = format!("address,nick,role\n{},Анна,citizen\n", address(TAG, 0));
    for (number, role) in (1..).zip(["mafioso", "citizen", "commissioner", "doctor", "citizen", "citizen"]) {
        roster += &format!("{},Сосед {number},{role}\n", address("roma", number));
    }
    town.house.new_game_of("roma", &roster, &[]).unwrap();
    town.house.start("roma");
    town.house.close("roma");
    town
}

#[test]
fn a_letter_that_names_two_games_of_its_sender_counts_in_none() {
    let mut town = with_a_second_game();
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

#[test]
fn a_letter_with_tokens_of_two_games_counts_in_the_one_that_it_answers_or_in_none() {
    let mut town = with_a_second_game();
    let from = address(TAG, 0);
    let of = |tag: &str| {
        let roles = town.house.got(&from).into_iter().filter(|got| got.kind == "role");
        roles.into_iter().find(|got| got.subject.starts_with(&format!("[{tag}]"))).unwrap().message_id
    };
    let (palermo, roma) = (of(TAG), of("roma"));
    let plus = format!("To: <mafia+{}@example.org>\r\n", palermo.split('@').next().unwrap());
    let mut heard = |header: &str| {
        let counts = |town: &mut Town| {
            let of =
                |town: &mut Town, tag| town.house.journal(tag).iter().filter(|e| matches!(e, Entry::Heard(_))).count();
            (of(town, TAG), of(town, "roma"), town.count(&from, "refused"))
        };
        let before = counts(&mut town);
        town.deliver(&format!("{RECEIVED}From: <{from}>\r\n{header}"), "Статус");
        let after = counts(&mut town);
        (after.0 - before.0, after.1 - before.1, after.2 - before.2)
    };
    let both = format!("References: <{palermo}> <{roma}>\r\n");
    let turned = format!("References: <{roma}> <{palermo}>\r\n");
    assert_eq!(heard(&both), (0, 0, 1), "two games in References");
    assert_eq!(heard(&turned), (0, 0, 1), "in the other order");
    assert_eq!(heard(&format!("{plus}References: <{roma}>\r\n")), (0, 0, 1), "a plus-address against References");
    assert_eq!(heard(&format!("{both}In-Reply-To: <{palermo}>\r\n")), (1, 0, 0), "what it answers decides");
    assert_eq!(heard(&format!("{turned}In-Reply-To: <{roma}>\r\n")), (0, 1, 0), "here too");
    assert_eq!(heard(&format!("{plus}In-Reply-To: <{roma}>\r\n")), (0, 1, 0), "against a plus-address too");
    assert_eq!(heard(&format!("{both}In-Reply-To: <other@forum.test>\r\n")), (0, 0, 1), "it answers none of ours");
    assert_eq!(heard(&format!("{both}Subject: [roma] to whom\r\n")), (0, 1, 0), "the tag that we asked for decides");
    assert_eq!(heard(&plus), (1, 0, 0));
    assert_eq!(heard(&format!("References: <{roma}> <{roma}>\r\n")), (0, 1, 0));
}
