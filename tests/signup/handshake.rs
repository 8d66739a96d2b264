//! A first letter to answer before the deal.

use omerta::desk::command::{Command, CommandError, NotDone, Terms};
use omerta::journal::Entry;

use crate::house::{House, address};
use crate::opened;

const HOST: &str = "host@example.org";
const ON: &str = "handshake = true";

/// Seven have a place, one waits.
fn signed_up(more: &str) -> House {
    let mut house = opened(more, &[("photo_required", "false")], Terms { max: Some(7), ..Terms::default() });
    for number in 0..8 {
        house.mail(&format!("p{number}@home.test"), "[palermo]", &format!("Заявка - Игрок {number}"));
    }
    house
}

fn refused(house: &mut House) -> NotDone {
    match house.try_command("palermo", Command::Start).unwrap_err() {
        CommandError::NotDone(why) => why,
        other => panic!("{other}"),
    }
}

fn silent(house: &mut House) -> Vec<String> {
    match refused(house) {
        NotDone::SilentPlayers { nicks } => nicks,
        other => panic!("{other:?}"),
    }
}

fn greeted(house: &House, address: &str) -> usize {
    house.got(address).iter().filter(|got| got.kind == "handshake").count()
}

#[test]
fn each_who_has_a_place_gets_one_when_sign_up_closes_and_any_proved_answer_counts() {
    let mut house = signed_up(ON);
    assert_eq!(refused(&mut house), NotDone::HandshakeFirst);
    house.command("palermo", Command::Close);
    house.round();
    for number in 0..7 {
        let letter = house.newest(&format!("p{number}@home.test"));
        assert_eq!((letter.kind.as_str(), letter.turn), ("handshake", 0));
        assert!(letter.body.contains(&format!("ваш ник: Игрок {number}")), "{}", letter.body);
    }
    assert_eq!(greeted(&house, "p7@home.test"), 0, "who waits has nothing to answer");
    house.wait(1);
    // Any words; but not a robot's, not a forged letter.
    house.mail("p0@home.test", "Re: [palermo]", "Привет, дошло!");
    let told = house.newest("p0@home.test");
    assert!(told.body.contains("Ваш ответ получен"), "{}", told.body);
    house.mail("p1@home.test", "[palermo]", "Статус");
    house.mail_with("p2@home.test", "Re: [palermo]", "Меня нет", "Auto-Submitted: auto-replied\r\n");
    let against = "Authentication-Results: mx.test; dmarc=fail header.from=home.test\r\n";
    house.mail_with("p3@home.test", "Re: [palermo]", "Привет!", against);
    let expected: Vec<String> = (2..7).map(|number| format!("Игрок {number}")).collect();
    assert_eq!(silent(&mut house), expected);
    let shaken = |entry: &&Entry| matches!(entry, Entry::HandShaken { .. });
    assert_eq!(house.journal("palermo").iter().filter(shaken).count(), 2);
    // A second letter is no second answer; a second close greets nobody again.
    house.mail("p0@home.test", "[palermo]", "Статус");
    assert_eq!(house.journal("palermo").iter().filter(shaken).count(), 2);
    house.command("palermo", Command::Open(Terms { max: Some(8), ..Terms::default() }));
    house.command("palermo", Command::Close);
    house.round();
    assert_eq!((greeted(&house, "p0@home.test"), greeted(&house, "p7@home.test")), (1, 1));
}

#[test]
fn the_first_word_to_begin_names_the_silent_and_the_second_begins_without_them() {
    let mut house = signed_up(ON);
    house.command("palermo", Command::Close);
    house.round();
    house.wait(1);
    for number in 0..5 {
        house.mail(&format!("p{number}@home.test"), "Re: [palermo]", "Здесь.");
    }
    assert_eq!(silent(&mut house), ["Игрок 5", "Игрок 6"]);
    // One more answers, and one comes of whom the host was not told.
    house.mail("p5@home.test", "Re: [palermo]", "И я.");
    house.command("palermo", Command::judging(vec!["Игрок 0".to_owned()], false).unwrap());
    house.round();
    assert_eq!(greeted(&house, "p7@home.test"), 1, "his place went to the first who waits");
    assert_eq!(silent(&mut house), ["Игрок 6", "Игрок 7"]);
    house.shut();
    house.open();
    house.command("palermo", Command::Start);
    house.round();
    assert_eq!(house.table("palermo").state.word(), "playing");
    let journal = serde_json::to_string(&house.journal("palermo")).unwrap();
    assert!(!journal.contains("home.test"));
}

#[test]
fn by_letter_the_host_says_begin_twice() {
    let mut house = signed_up(ON);
    house.command("palermo", Command::Close);
    house.round();
    house.wait(1);
    for number in 1..7 {
        house.mail(&format!("p{number}@home.test"), "Re: [palermo]", "Здесь.");
    }
    let mut say = |text: &str| {
        let last = house.got(HOST).pop().map(|got| got.message_id);
        let header = last.map(|last| format!("In-Reply-To: <{last}>\r\n")).unwrap_or_default();
        house.mail_with(HOST, "Re: [palermo]", text, &header);
        house.newest(HOST)
    };
    // He answers the letter with the roster, which proves him.
    let told = say("Начать").body;
    assert!(told.contains("Не сделано. Пока не начали.") && told.contains("Игрок 0."), "{told}");
    let told = say("Статус").body;
    assert!(told.contains("Не ответили на первое письмо: Игрок 0."), "{told}");
    let told = say("Начать").body;
    assert!(told.contains("Игра началась"), "{told}");
}

#[test]
fn the_morning_letter_names_the_silent_until_all_have_answered() {
    let mut house = signed_up(ON);
    house.command("palermo", Command::Close);
    house.round();
    house.wait(1);
    for number in 0..6 {
        house.mail(&format!("p{number}@home.test"), "Re: [palermo]", "Здесь.");
    }
    let morning = "2026-12-01T06:00:00Z".parse().unwrap();
    house.round_at(morning);
    house.round();
    let told = house.newest(HOST);
    assert_eq!(told.kind, "digest");
    assert!(told.body.contains("пока не ответили: Игрок 6."), "{}", told.body);
    house.wait(1);
    house.mail("p6@home.test", "Re: [palermo]", "И я.");
    let count = house.got(HOST).len();
    house.round_at("2026-12-02T06:00:00Z".parse().unwrap());
    house.round();
    assert_eq!(house.got(HOST).len(), count, "nothing is waited for");
    house.command("palermo", Command::Start);
}

#[test]
fn a_roster_is_greeted_at_once_and_without_handshake_nobody_is() {
    let mut house = House::with(ON);
    let roster = "address,nick\n".to_owned()
        + &(0..7).map(|number| format!("{},Игрок {number}\n", address("palermo", number))).collect::<String>();
    house.new_game_of("palermo", &roster, &[]).unwrap();
    house.round();
    assert_eq!(house.kinds("palermo", 3), ["handshake"]);
    house.wait(1);
    for number in 0..7 {
        house.write("palermo", number, if number % 2 == 0 { "Привет" } else { "Правила" });
        house.round();
    }
    house.round();
    house.start("palermo");
    assert_eq!(house.table("palermo").state.word(), "playing");

    let mut plain = signed_up("");
    plain.command("palermo", Command::Close);
    plain.command("palermo", Command::Start);
    plain.round();
    assert_eq!(greeted(&plain, "p0@home.test"), 0);
}
