//! A seat in a running game goes to the waiting list.

use omerta::desk::command::{Command, CommandError, NotDone, Terms};
use omerta::journal::{Entry, HowEnded};
use omerta::signup::Seating;

use crate::house::{Got, House};
use crate::opened;

const HOST: &str = "host@example.org";
const VERIFIED: &str = "[security]\nsender = \"verified\"\nauthserv_ids = [\"mx.game.test\"]\n";
const PROVED: &str = "Authentication-Results: mx.game.test; dmarc=pass header.from=home.test\r\n";

/// Seven play, three wait: `p0@home.test` to `p9@home.test`, and the first turn ends in six hours.
fn begun(more: &str) -> House {
    let mut house = opened(more, &[("photo_required", "false")], Terms { max: Some(7), ..Terms::default() });
    let nicks = ["Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна", "Захар", "Ирина", "Кирилл"];
    for (number, nick) in nicks.iter().enumerate() {
        house.mail_with(&format!("p{number}@home.test"), "[palermo]", &format!("Заявка - {nick}"), PROVED);
    }
    house.command("palermo", Command::Deadline { when: "+6h".to_owned() });
    house.command("palermo", Command::Start);
    house.round();
    house.wait(1);
    house
}

fn offer(house: &mut House, nick: &str) {
    house.command("palermo", Command::OfferSeat { nick: nick.to_owned() });
    house.round();
    house.wait(1);
}

fn refused(house: &mut House, nick: &str) -> NotDone {
    match house.try_command("palermo", Command::OfferSeat { nick: nick.to_owned() }).unwrap_err() {
        CommandError::NotDone(why) => why,
        other => panic!("{other}"),
    }
}

/// An answer to the last letter that an address got.
fn answer(house: &mut House, from: &str, text: &str) {
    let last = house.newest(from).message_id;
    house.mail_with(from, "Re: ", text, &format!("In-Reply-To: <{last}>\r\n"));
}

fn of_kind(house: &House, address: &str, kind: &str) -> Vec<Got> {
    house.got(address).into_iter().filter(|got| got.kind == kind).collect()
}

#[test]
fn who_is_left_out_stays_on_the_waiting_list() {
    let mut house = begun("");
    let told = house.newest("p8@home.test");
    assert_eq!(told.kind, "joined");
    assert!(told.subject.contains("на замену"), "{}", told.subject);
    assert!(told.body.contains("впереди 1"), "{}", told.body);
    // He may leave it, and learns where he stands; nobody else's game is touched by his letters.
    house.mail("p8@home.test", "[palermo]", "Отказ");
    assert!(house.newest("p8@home.test").body.contains("больше не записаны"));
    house.mail("p9@home.test", "статус", "Статус");
    assert!(house.newest("p9@home.test").body.contains("впереди 1"), "{}", house.newest("p9@home.test").body);
    house.mail("p9@home.test", "[palermo]", "Суд Линча - Анна");
    assert!(house.newest("p9@home.test").body.contains("для тех, кто играет"));
    assert!(!house.journal("palermo").iter().any(|entry| matches!(entry, Entry::Heard(_))));
}

#[test]
fn the_first_of_the_list_is_asked_and_takes_the_seat_by_a_plain_yes() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    let question = house.newest("p7@home.test");
    assert_eq!((question.kind.as_str(), question.turn), ("confirm", 1));
    assert!(question.body.contains("игрок Вера"), "{}", question.body);
    assert!(question.body.contains("18:00"), "until the deadline: {}", question.body);
    assert_eq!(of_kind(&house, "p8@home.test", "confirm"), [], "one at a time");
    assert!(matches!(refused(&mut house, "Вера"), NotDone::OfferedAlready { who, .. } if who == "Захар"));
    answer(&mut house, "p7@home.test", "Да");
    let kinds: Vec<String> = house.got("p7@home.test").into_iter().map(|got| got.kind).collect();
    assert!(kinds.ends_with(&["confirm".to_owned(), "replacement".to_owned()]), "{kinds:?}");
    let new = house.newest("p7@home.test");
    assert!(new.body.contains("под ником Вера"), "{}", new.body);
    assert!(new.body.contains("кодовое слово"), "{}", new.body);
    // All that a replacement by address does: a farewell, and the bare fact to everybody else.
    assert_eq!(house.newest("p2@home.test").kind, "replacement");
    for other in ["p0@home.test", "p6@home.test", HOST, "moderator@example.org"] {
        let told = house.newest(other);
        assert_eq!(told.kind, "notice", "{other}");
        assert!(!String::from_utf8_lossy(&told.raw).contains("p7@home"), "{other}");
    }
    // He plays from now on, and who left does not.
    house.mail("p7@home.test", "[palermo]", "Роль");
    assert_eq!(house.newest("p7@home.test").kind, "role");
    house.mail("p2@home.test", "[palermo]", "Роль");
    assert_eq!(house.newest("p2@home.test").kind, "refused");
    let table = house.table("palermo");
    assert!(table.people.offers.is_empty());
    let signup = table.signup.unwrap();
    let waiting: Vec<&str> = signup.standing(Seating::Waiting).into_iter().map(|(_, one)| one.nick.as_str()).collect();
    assert_eq!(waiting, ["Ирина", "Кирилл"]);
    let journal = serde_json::to_string(&house.journal("palermo")).unwrap();
    assert!(!journal.contains("home.test"));
}

#[test]
fn a_refusal_brings_the_next_and_the_hosts_are_told_until_nobody_is_left() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    answer(&mut house, "p7@home.test", "Отказ");
    assert_eq!(house.newest("p8@home.test").kind, "confirm");
    let told = house.newest(HOST);
    assert_eq!(told.kind, "alert");
    assert!(told.body.contains("Захар") && told.body.contains("Ирина"), "{}", told.body);
    // Who refused is off the list: his «Да» comes too late.
    house.mail("p7@home.test", "[palermo]", "Да");
    assert_eq!(house.newest("p7@home.test").kind, "refused");
    answer(&mut house, "p8@home.test", "Отказ");
    answer(&mut house, "p9@home.test", "Отказ");
    let told = house.newest(HOST);
    assert!(told.body.contains("Больше спросить некого"), "{}", told.body);
    assert!(told.body.contains("Замена - ‹Вера: адрес›"), "{}", told.body);
    assert!(house.table("palermo").people.offers.is_empty());
    assert_eq!(refused(&mut house, "Вера"), NotDone::NobodyWaits);
    assert!(!house.journal("palermo").iter().any(|entry| matches!(entry, Entry::Replaced { .. })));
}

#[test]
fn silence_until_the_deadline_brings_the_next_who_has_a_deadline_of_his_own() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    let deadline = house.table("palermo").deadline.unwrap();
    house.set_clock(deadline.saturating_add(jiff::SignedDuration::from_secs(30)).unwrap());
    house.round();
    assert_eq!(of_kind(&house, "p8@home.test", "confirm"), [], "mail that is on its way is waited for");
    house.round_at(deadline.saturating_add(jiff::SignedDuration::from_secs(125)).unwrap());
    house.round();
    assert_eq!(house.newest("p8@home.test").kind, "confirm");
    let table = house.table("palermo");
    let (_, offer) = table.people.offer_to(8).unwrap();
    assert_eq!((Some(offer.until), table.game.turn), (table.deadline, 2), "asked for the new turn");
    assert!(house.got(HOST).iter().any(|got| got.kind == "alert" && got.body.contains("Не ответил в срок")));
    // Too late, and he stays on the list.
    house.wait(1);
    house.mail("p7@home.test", "[palermo]", "Да");
    let told = house.newest("p7@home.test");
    assert!(told.body.contains("срок ответа уже прошёл"), "{}", told.body);
    answer(&mut house, "p8@home.test", "Да");
    assert_eq!(house.newest("p8@home.test").kind, "replacement");
    // For another seat he is asked again.
    house.command("palermo", Command::OfferSeat { nick: "Глеб".to_owned() });
    house.round();
    assert_eq!(house.newest("p7@home.test").kind, "confirm");
}

#[test]
fn a_yes_of_the_last_second_counts_when_the_turn_is_closed() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    let deadline = house.table("palermo").deadline.unwrap();
    let last = house.newest("p7@home.test").message_id;
    house.set_clock(deadline.saturating_add(jiff::SignedDuration::from_secs(10)).unwrap());
    let raw = format!(
        "From: <p7@home.test>\r\nTo: <mafia@example.org>\r\nSubject: Re:\r\nMessage-ID: <yes@home.test>\r\n\
         In-Reply-To: <{last}>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nДа\r\n"
    );
    let arrived = deadline.saturating_sub(jiff::SignedDuration::from_secs(1)).unwrap();
    house.drop_in(raw.as_bytes(), arrived, 0);
    house.round();
    house.round();
    let told = house.newest("p7@home.test");
    assert_eq!(told.kind, "joined");
    assert!(told.body.starts_with("Принято: место ваше."), "{}", told.body);
    house.shut();
    house.open();
    house.round_at(deadline.saturating_add(jiff::SignedDuration::from_secs(125)).unwrap());
    house.round();
    let kinds: Vec<String> = house.got("p7@home.test").into_iter().map(|got| got.kind).collect();
    assert!(kinds.contains(&"replacement".to_owned()), "{kinds:?}");
    let kinds: Vec<String> = house.got("p8@home.test").into_iter().map(|got| got.kind).collect();
    assert!(!kinds.contains(&"confirm".to_owned()), "{kinds:?}");
}

#[test]
fn a_warm_word_is_no_yes_and_its_writer_is_told_so() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    for _ in 0..2 {
        answer(&mut house, "p7@home.test", "Конечно, с удовольствием!");
        let told = house.newest("p7@home.test");
        assert_eq!(told.kind, "joined");
        assert!(told.body.contains("предложили вам место") && told.body.contains("«Да»"), "{}", told.body);
    }
    assert!(house.table("palermo").people.offers.values().all(|offer| offer.answer.is_none()));
    answer(&mut house, "p7@home.test", "Да");
    assert_eq!(house.newest("p7@home.test").kind, "replacement");
}

#[test]
fn who_was_asked_learns_that_the_seat_is_gone() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    house.command("palermo", Command::OfferSeat { nick: "Глеб".to_owned() });
    let expel = Command::Expel { nick: "Вера".to_owned(), text: "за дело".to_owned() };
    house.command("palermo", expel);
    house.round();
    house.round();
    assert!(house.newest("p7@home.test").subject.contains("Место уже не нужно"), "{:?}", house.newest("p7@home.test"));
    // And when the host names somebody after all.
    let replace = Command::Replace { nick: "Глеб".to_owned(), address: "new@home.test".to_owned() };
    house.command("palermo", replace);
    house.round();
    assert!(house.newest("p8@home.test").subject.contains("Место уже не нужно"));
    assert_eq!(house.newest("new@home.test").kind, "replacement");
    let gone = |entry: &Entry| matches!(entry, Entry::OffersOver { end, .. } if end.how == HowEnded::SeatGone);
    assert_eq!(house.journal("palermo").iter().filter(|entry| gone(entry)).count(), 2);
}

/// The hosts need not wait for the results to learn that a seat which they are filling is gone.
#[test]
fn the_hosts_learn_at_once_that_a_seat_on_offer_is_gone() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    offer(&mut house, "Глеб");
    let told = |house: &House| of_kind(house, HOST, "alert").len();
    house.mail("p2@home.test", "[palermo]", "Отказ");
    answer(&mut house, "p2@home.test", "Да");
    assert_eq!(told(&house), 1);
    let alert = house.newest(HOST).body;
    assert!(alert.contains("Игрок Вера") && alert.contains("Захар"), "{alert}");
    house.command("palermo", Command::Expel { nick: "Глеб".to_owned(), text: "за дело".to_owned() });
    house.round();
    house.round();
    assert_eq!(told(&house), 2);
    let alert = house.newest(HOST).body;
    assert!(alert.contains("Игрок Глеб") && alert.contains("Ирина"), "{alert}");
    // Who names somebody himself knows it.
    offer(&mut house, "Анна");
    house.command("palermo", Command::Replace { nick: "Анна".to_owned(), address: "new@home.test".to_owned() });
    house.round();
    house.round();
    assert_eq!(told(&house), 2);
}

#[test]
fn a_yes_that_nothing_proves_is_asked_about() {
    let mut house = begun(VERIFIED);
    offer(&mut house, "Вера");
    house.mail("p7@home.test", "[palermo]", "Да");
    assert!(house.table("palermo").people.offers.values().all(|offer| offer.answer.is_none()), "forged");
    assert_eq!(house.newest("p7@home.test").kind, "confirm");
    answer(&mut house, "p7@home.test", "Да");
    assert_eq!(house.newest("p7@home.test").kind, "replacement");
}

#[test]
fn a_host_asks_the_list_by_letter_and_is_told_the_form_where_nobody_waits() {
    let mut house = begun("");
    let by_letter = |house: &mut House, text: &str| {
        house.mail(HOST, "[palermo]", text);
        assert_eq!(house.newest(HOST).kind, "confirm", "it hurts: he is asked");
        answer(house, HOST, "Да");
        let answers = of_kind(house, HOST, "answer");
        answers.last().unwrap().body.clone()
    };
    let told = by_letter(&mut house, "Замена - Вера");
    assert!(told.contains("Сделано. Спросили первого в очереди (ник в заявке: Захар)"), "{told}");
    assert_eq!(house.newest("p7@home.test").kind, "confirm");
    for waits in ["p7@home.test", "p8@home.test", "p9@home.test"] {
        answer(&mut house, waits, "Отказ");
    }
    let told = by_letter(&mut house, "Замена - Глеб");
    assert!(told.contains("Не сделано. В очереди нет никого"), "{told}");
    assert!(told.contains("Замена - ‹Ник: адрес›"), "{told}");
    let told = by_letter(&mut house, "Замена - Глеб new@home.test");
    assert!(told.contains("Сделано. Замена сделана: за ник Глеб"), "an address needs no colon: {told}");
}

#[test]
fn the_journal_of_it_is_verified() {
    let mut house = begun("");
    offer(&mut house, "Вера");
    answer(&mut house, "p7@home.test", "Отказ");
    answer(&mut house, "p8@home.test", "Да");
    house.command("palermo", Command::Finish { winner: omerta::rules::Winner::Town });
    let mut out = Vec::new();
    omerta::export::export(&house.daemon().desk().store, "palermo", &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("seat_offered") && !text.contains("home.test"), "{text}");
    omerta::export::verify(&text).unwrap();
}
