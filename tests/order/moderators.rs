//! Moderators are routed and proved as hosts are, and nothing but their own words counts from them.

use omerta::journal::Entry;
use omerta::rules::PlayerId;
use omerta::table::State;

use crate::house::{House, address};
use crate::town::{HOST, MODERATOR, TAG, answer_last, mail, town};

/// Everybody but these votes for Жанна.
fn vote_all(house: &mut House) {
    for player in 0..6 {
        house.write(TAG, player, "Суд Линча - Жанна");
    }
    house.write(TAG, 6, "Суд Линча - Анна");
    house.round();
    house.round();
}

fn told(house: &House) -> Vec<String> {
    let alerts = house.got(HOST).into_iter().filter(|got| got.kind == "alert");
    alerts.map(|got| got.body).collect()
}

#[test]
fn silence_told_by_a_moderator_is_warned_with_the_results() {
    let mut house = town();
    let answer = answer_last(&mut house, MODERATOR, "m1@x.test", "Молчали - Дарья, Егор\nПисали - Егор");
    assert!(answer.body.contains("сделано") || answer.subject.contains("2 из 2"), "{answer:?}");
    assert_eq!(told(&house).len(), 1, "the host is told, in one letter");
    assert!(told(&house)[0].contains("Дарья"));
    vote_all(&mut house);
    house.close(TAG);
    let table = house.table(TAG);
    let warned: Vec<u32> = (0..7).map(|player| table.player(PlayerId(player)).unwrap().warned).collect();
    assert_eq!(warned, [0, 0, 0, 0, 1, 0, 0]);
    assert!(house.kinds(TAG, 4).contains(&"warning".to_owned()));
    assert!(!house.kinds(TAG, 5).contains(&"warning".to_owned()));
}

#[test]
fn where_activity_auto_is_off_the_host_decides() {
    let mut house = House::new();
    let players = [
        ("Анна", omerta::rules::Role::Citizen),
        ("Борис", omerta::rules::Role::Mafioso),
        ("Вера", omerta::rules::Role::Citizen),
        ("Глеб", omerta::rules::Role::Citizen),
        ("Дарья", omerta::rules::Role::Citizen),
        ("Егор", omerta::rules::Role::Citizen),
        ("Жанна", omerta::rules::Role::Citizen),
    ];
    house.new_game(TAG, &players, &[("activity_auto", "false")]);
    house.start(TAG);
    house.wait(1);
    answer_last(&mut house, MODERATOR, "m1@x.test", "Silent - Дарья");
    assert!(told(&house)[0].replace("\n    ", " ").contains("решает ведущий"), "{:?}", told(&house));
    house.close(TAG);
    assert_eq!(house.table(TAG).player(PlayerId(4)).unwrap().warned, 0);
}

#[test]
fn a_link_is_journaled_and_the_host_is_told() {
    let mut house = town();
    let link = "https://forum.test/topic/7?p=12#p12";
    answer_last(&mut house, MODERATOR, "m1@x.test", &format!("Опубликовано - {link}"));
    let posted = |entry: &Entry| matches!(entry, Entry::Posted { link: found } if found == link);
    assert!(house.journal(TAG).iter().any(posted), "{:?}", house.journal(TAG));
    assert!(told(&house)[0].replace('\n', "").contains("forum.test/topic/7"), "{:?}", told(&house));
    let answer = answer_last(&mut house, MODERATOR, "m2@x.test", "Опубликовано - завтра");
    assert!(answer.body.contains("Опубликовано - ‹https://…›"), "{}", answer.body);
    assert_eq!(told(&house).len(), 1);
}

#[test]
fn a_moderator_orders_nothing_of_the_hosts_and_learns_nothing_of_his() {
    let mut house = town();
    let answer = answer_last(
        &mut house,
        MODERATOR,
        "m1@x.test",
        "Пауза\nСтатус\nПочему\nИсключить - Анна: вот\nЗаменить - Анна: a@b.test",
    );
    // A replacement wants a confirming answer, but not of him who may not order it.
    assert!(answer.subject.contains("0 из 5") && answer.body.contains("Это слово ведущего"), "{answer:?}");
    assert_eq!(house.table(TAG).state, State::Playing);
    assert!(house.got("a@b.test").is_empty());
    let forms = answer_last(&mut house, MODERATOR, "m3@x.test", "Здравствуйте! А что можно?");
    assert!(forms.body.contains("Молчали - ‹") && !forms.body.contains("Почему"), "{}", forms.body);
}

#[test]
fn an_unproved_moderator_is_asked_and_his_token_proves_no_host_and_no_player() {
    let mut house = town();
    mail(&mut house, MODERATOR, "", "m1@x.test", "Молчали - Дарья");
    assert_eq!(house.got(MODERATOR).last().unwrap().kind, "confirm");
    assert!(house.table(TAG).activity.silent.is_empty());
    answer_last(&mut house, MODERATOR, "m2@x.test", "Да");
    assert_eq!(house.table(TAG).activity.silent.len(), 1);
    let token = house.got(MODERATOR).pop().unwrap().message_id;
    mail(&mut house, HOST, &format!("In-Reply-To: <{token}>\r\n"), "h1@x.test", "Пауза");
    assert_eq!(house.table(TAG).state, State::Playing, "the host is asked");
    let own = address(TAG, 0);
    mail(&mut house, &own, &format!("In-Reply-To: <{token}>\r\n"), "p1@x.test", "Молчали - Вера");
    assert_eq!(house.table(TAG).activity.silent.len(), 1);
}
