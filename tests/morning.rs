//! The morning letter to the hosts: once a day, at nine of the game's zone, with what happened and what waits.
#![cfg(test)]

mod house;

use house::{Got, House, SEVEN};
use jiff::Timestamp;
use omerta::desk::command::Command;
use omerta::journal::Entry;

fn town(more: &str) -> House {
    let mut house = House::with(more);
    house.new_game("palermo", &SEVEN, &[]);
    house.start("palermo");
    house.round();
    house
}

fn mornings(house: &House) -> Vec<Got> {
    house.got("host@example.org").into_iter().filter(|got| got.subject.contains("утренняя сводка")).collect()
}

fn flat(body: &str) -> String {
    body.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Nine in the morning in Moscow.
fn nine(date: &str) -> Timestamp {
    format!("{date}T06:00:00Z").parse().unwrap()
}

fn second_before(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second() - 1).unwrap()
}

#[test]
fn it_comes_at_nine_once_and_tells_what_happened_since() {
    let mut house = town("");
    house.write("palermo", 0, "Охота - Борис");
    house.write("palermo", 3, "Лечение - Анна\nЛечение -");
    house.close("palermo");
    house.write("palermo", 2, "Суд Линча - Борис");
    house.round();
    house.round_at(second_before(nine("2026-12-01")));
    assert_eq!(mornings(&house), []);
    house.round_at(nine("2026-12-01"));
    house.wait(3_600);
    house.round();
    let got = mornings(&house);
    assert_eq!(got.len(), 1);
    let body = flat(&got[0].body);
    assert_eq!((got[0].kind.as_str(), got[0].turn), ("digest", 2));
    for part in [
        "объявлены итоги хода 1",
        "пришло 3 письма от игроков, не всё понятно было в 1",
        "Сейчас идёт ход 2, срок: вторник, 1 декабря, 21:00 (Москва)",
        "Вашего решения ничто не ждёт.",
        "в очереди на отправку",
    ] {
        assert!(body.contains(part), "{part} in {body}");
    }
    let table = house.table("palermo");
    let owing = format!("Голоса нет пока от {}: {}.", table.owing().len(), table.owing().join(", "));
    assert!(body.contains(&owing), "{owing} in {body}");
    assert!(!table.owing().contains(&"Вера".to_owned()));
    // Nobody else gets it, and what happened is told once.
    for player in 0..7 {
        assert!(house.got_by("palermo", player).iter().all(|got| !got.subject.contains("сводка")));
    }
    house.command("palermo", Command::Pause);
    house.round_at(nine("2026-12-02"));
    let got = mornings(&house).pop().unwrap();
    assert!(flat(&got.body).contains("игроки ничего не присылали"), "{}", got.body);
    assert!(flat(&got.body).contains("игра на паузе"), "{}", got.body);
}

#[test]
fn an_outage_makes_one_letter_and_a_long_pause_none() {
    let mut house = town("");
    house.command("palermo", Command::Pause);
    house.shut();
    house.set_clock(nine("2026-12-04"));
    house.open();
    house.round();
    house.round();
    assert_eq!(mornings(&house).len(), 1, "three mornings are told as one");
    for day in 5..=20 {
        house.round_at(nine(&format!("2026-12-{day:02}")));
    }
    assert_eq!(mornings(&house).len(), 4, "until the pause is a week old");
    house.command("palermo", Command::Resume);
    house.round();
    house.command("palermo", Command::Cancel);
    let so_far = mornings(&house).len();
    house.round_at(nine("2026-12-22"));
    assert_eq!(mornings(&house).len(), so_far, "an ended game is quiet");
}

#[test]
fn what_waits_for_the_host_is_named() {
    let mut house = town("publish = \"approve\"");
    let deadline = house.table("palermo").deadline.unwrap();
    house.round_at(Timestamp::from_second(deadline.as_second() + 120).unwrap());
    house.round_at(nine("2026-12-01"));
    let got = mornings(&house).pop().unwrap();
    assert!(flat(&got.body).contains("итоги хода уйдут по вашему слову «Опубликовать»"), "{}", got.body);
    assert!(flat(&got.body).contains("Ход 1 закрыт, итоги ещё не объявлены. Живых по последним итогам 7."));
    let journaled = house.journal("palermo").into_iter().filter(|entry| matches!(entry, Entry::Morning(_))).count();
    assert_eq!(journaled, 1);
}

/// R112: who is alive by the host's word, and who is not.
#[test]
fn what_the_host_ruled_is_told_with_the_results_that_it_changed() {
    let mut house = town("publish = \"approve\"");
    for clan in [1, 6] {
        house.write("palermo", clan, "Убийство - Анна");
    }
    house.close("palermo");
    for (nick, alive) in [("Анна", true), ("Глеб", false)] {
        let ruling = Command::Rule { nick: nick.to_owned(), alive, text: "так решено".to_owned() };
        house.command("palermo", ruling);
    }
    house.command("palermo", Command::Publish);
    house.round_at(nine("2026-12-01"));
    let body = flat(&mornings(&house).pop().unwrap().body);
    let told = "объявлены итоги хода 1; из игры выбыли: Глеб; ведущий решил (R112): игрок Анна жив, игрок Глеб мёртв";
    assert!(body.contains(told), "{body}");
    // Of a turn without a ruling nothing of the kind is said, and of this one nothing twice.
    house.close("palermo");
    house.command("palermo", Command::Publish);
    house.round_at(nine("2026-12-02"));
    let body = flat(&mornings(&house).pop().unwrap().body);
    assert!(body.contains("объявлены итоги хода 2") && !body.contains("ведущий решил"), "{body}");
}

/// Nothing arrives at a player's address: the hosts read his nick every morning until it rests no longer. His address
/// stands in no letter.
#[test]
fn an_address_that_rests_is_named_by_its_nick() {
    let mut house = town("");
    let (id, to) = (house.last("palermo", 1, "role").message_id, house::address("palermo", 1));
    let bounce = format!(
        "Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.mail.test\r\nTo: mafia@example.org\r\n\
         Subject: Undelivered Mail Returned to Sender\r\nAuto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\r\n\r\n\
         --b1\r\nContent-Type: text/plain\r\n\r\nThis is the mail system.\r\n\r\n\
         --b1\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.mail.test\r\n\r\n\
         Final-Recipient: rfc822; {to}\r\nAction: failed\r\nStatus: 5.1.1\r\n\
         Diagnostic-Code: smtp; 550 5.1.1 User unknown\r\n\r\n\
         --b1\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <{id}>\r\nTo: {to}\r\n\r\nx\r\n--b1--\r\n"
    );
    let now = house.now();
    house.drop_in(bounce.as_bytes(), now, 7);
    house.round();
    house.command("palermo", Command::Deadline { when: "+5d".to_owned() });
    house.round_at(nine("2026-12-01"));
    house.round_at(nine("2026-12-02"));
    for got in mornings(&house) {
        let body = flat(&got.body);
        assert!(body.contains("письма не доходят, узнайте новый адрес: Борис"), "{body}");
        assert!(!String::from_utf8_lossy(&got.raw).contains(&to) && !body.contains(&to), "{body}");
    }
    assert_eq!(mornings(&house).len(), 2);
    // A letter from there shows that its owner reads: he rests no longer, and what was held for him goes out.
    house.write("palermo", 1, "Статус");
    house.round();
    house.round_at(nine("2026-12-03"));
    let got = mornings(&house).pop().unwrap();
    assert!(!got.body.contains("письма не доходят"), "{}", got.body);
    assert_eq!(mornings(&house).len(), 3);
    assert!(house.kinds("palermo", 1).contains(&"answer".to_owned()));
}
