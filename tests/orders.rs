//! The host's letters: every line does what `omerta game` does, whole or not at all, and is answered.
#![cfg(test)]

mod house;

use house::{Got, House, SEVEN};
use omerta::desk::command::{Command, Did};
use omerta::journal::Entry;
use omerta::letters::{self, Lang};
use omerta::table::State;

const HOST: &str = "host@example.org";

fn town() -> House {
    let mut house = House::new();
    house.new_game("palermo", &SEVEN, &[]);
    house.start("palermo");
    house.round();
    house
}

/// Answers the last letter that the host got.
fn order_at(house: &mut House, id: &str, text: &str, second: jiff::Timestamp) {
    let last = house.got(HOST).pop().unwrap().message_id;
    let letter = house::raw_letter(HOST, "palermo", id, text);
    let raw = [format!("In-Reply-To: <{last}>\r\n").into_bytes(), letter].concat();
    house.drop_in(&raw, second, 1);
}

fn order(house: &mut House, id: &str, text: &str) -> Got {
    let now = house.now();
    order_at(house, id, text, now);
    house.round();
    house.round();
    answer(house, id)
}

fn answer(house: &House, id: &str) -> Got {
    let answers: Vec<Got> = house.got(HOST).into_iter().filter(|got| got.in_reply_to.as_deref() == Some(id)).collect();
    assert_eq!(answers.len(), 1, "one answer to {id}: {answers:?}");
    answers.into_iter().next().unwrap()
}

#[test]
fn a_letter_of_orders_is_obeyed_line_by_line_and_answered_once() {
    let mut house = town();
    let deadline = house.table("palermo").deadline.unwrap();
    let text = "Продлить - +2ч\nПредупреждение - Глеб: первое слово\nвторое слово\nКонец\nЛишить голоса - Аня\nЛишить голоса - \
                Анна, Егор: 2 хода\nОпубликовать\nПауза";
    let got = order(&mut house, "h1@h.test", text);
    assert_eq!(got.kind, "answer");
    assert!(got.subject.contains("сделано 4 из 6"), "{}", got.subject);
    for part in [
        "│ Продлить - +2ч",
        "Предупреждение отправлено: Глеб.",
        "Игрока Аня в игре нет.",
        "Без голоса на 2 хода: Анна, Егор.",
    ] {
        assert!(got.body.contains(part), "{part} in {}", got.body);
    }
    assert!(!got.body.lines().any(|line| line.trim_start().starts_with("Продлить")), "{}", got.body);
    let table = house.table("palermo");
    assert_eq!(table.state, State::Paused);
    assert_eq!(table.paused_left.unwrap().as_secs(), deadline.duration_since(house.now()).as_secs() + 2 * 3600);
    let warning = house.last("palermo", 3, "warning");
    assert!(warning.body.contains("первое слово") && warning.body.contains("второе слово"), "{}", warning.body);
    for player in [0, 5] {
        assert!(house.kinds("palermo", player).contains(&"deprivation".to_owned()));
    }
    let got = order(&mut house, "h2@h.test", "Продолжить\nСтатус");
    assert!(got.body.contains("Идёт ход 1.") && got.body.contains("Живых 7:"), "{}", got.body);
    assert_eq!(house.table("palermo").state, State::Playing);
}

/// Below a quote it is the host's word; under a signature nobody can say, not even for what wants confirming.
#[test]
fn what_stands_under_a_signature_is_told_and_not_done() {
    let mut house = town();
    let text = "Отправлено с iPhone\n\n> Ход 1\n\nПауза\n\nОтправлено с iPhone\n\nЗакончить - город\nПродолжить";
    let got = order(&mut house, "h1@h.test", text);
    let body = got.body.replace('\n', " ");
    assert!(got.subject.contains("сделано 1 из 3") && body.matches("ниже подписи").count() == 2, "{body}");
    assert_eq!(house.table("palermo").state, State::Paused);
}

#[test]
fn the_command_line_ends_in_the_same_code_and_both_are_journaled() {
    let mut house = town();
    order(&mut house, "h1@h.test", "Пауза");
    house.command("palermo", Command::Resume);
    house.command("palermo", Command::Pause);
    let journal = house.journal("palermo");
    let by_letter = journal.iter().any(|entry| match entry {
        Entry::HostHeard(heard) => heard.host == 0 && heard.lines.len() == 1,
        _ => false,
    });
    let by_hand = journal.iter().any(|entry| matches!(entry, Entry::Commanded { did: Did::Paused }));
    assert!(by_letter && by_hand, "{journal:?}");
}

#[test]
fn an_extension_that_arrived_before_the_deadline_counts_however_late_it_is_read() {
    let mut house = town();
    let deadline = house.table("palermo").deadline.unwrap();
    house.set_clock(deadline);
    let before = deadline.saturating_sub(jiff::SignedDuration::from_secs(1)).unwrap();
    // Between deadline and close it waits, and the host's letter makes it one of this turn's.
    house.write("palermo", 6, "Убийство - Анна");
    house.round();
    assert!(!house.kinds("palermo", 6).contains(&"receipt".to_owned()));
    order_at(&mut house, "h1@h.test", "Продлить - 1ч\nИсключить - Глеб: пора", before);
    house.wait(10);
    house.round();
    house.round();
    assert!(house.kinds("palermo", 6).contains(&"receipt".to_owned()), "it waits no longer");
    let table = house.table("palermo");
    assert_eq!(table.deadline.unwrap().duration_since(deadline).as_secs(), 3600);
    assert!(answer(&house, "h1@h.test").subject.contains("2 из 2"));
}

#[test]
fn what_arrives_after_the_deadline_does_not_touch_the_turn_that_is_being_closed() {
    let mut house = town();
    let deadline = house.table("palermo").deadline.unwrap();
    house.set_clock(deadline.saturating_add(jiff::SignedDuration::from_secs(5)).unwrap());
    let got = order(&mut house, "h1@h.test", "Исключить - Глеб: пора\nЛишить голоса - Анна\nПауза");
    assert!(got.subject.contains("0 из 3"), "{}", got.subject);
    assert!(got.body.contains("Дождитесь итогов"), "{}", got.body);
}

#[test]
fn a_letter_without_orders_gets_the_forms_once_a_day() {
    let mut house = town();
    let got = order(&mut house, "h1@h.test", "Добрый вечер, а что ты умеешь?");
    assert!(got.body.contains("Продлить - ‹+2ч›"), "{}", got.body);
    let now = house.now();
    order_at(&mut house, "h2@h.test", "Спасибо!", now);
    house.round();
    house.round();
    assert!(!house.got(HOST).iter().any(|got| got.in_reply_to.as_deref() == Some("h2@h.test")));
    // The forms themselves, quoted without a mark, order nothing.
    let before = house.table("palermo");
    let body = house.got(HOST).into_iter().find(|got| got.body.contains("‹+2ч›")).unwrap().body;
    order_at(
        &mut house,
        "h3@h.test",
        &body.lines().filter(|line| line.contains('‹')).collect::<Vec<_>>().join("\n"),
        now,
    );
    house.round();
    assert_eq!(house.table("palermo").deadline, before.deadline);
}

/// What is done by one word is undone by another, and the answer names it; or says that nothing undoes it.
#[test]
fn what_is_done_is_told_with_the_word_that_undoes_it() {
    let at = |second| jiff::Timestamp::from_second(second).unwrap();
    let (nick, nicks) = ("Анна".to_owned(), vec!["Анна".to_owned()]);
    for (did, russian, english) in [
        (Did::Paused, "«Продолжить»", "`resume`"),
        (Did::Resumed { deadline: at(9) }, "«Пауза»", "`pause`"),
        (Did::Published, "«Отменить ход»", "`undo`"),
        (Did::TakenBack { turn: 2, published: false }, "«Закрыть ход»", "`resolve`"),
        (Did::TakenBack { turn: 2, published: true }, "«Закрыть ход»", "`resolve`"),
        (Did::JudgedAgain { turn: 2, published: false }, "«Опубликовать»", "`publish`"),
        (Did::JudgedAgain { turn: 2, published: true }, "«Отменить ход»", "`undo`"),
        (Did::Ruled { nick: nick.clone(), alive: true }, "«Отменить ход»", "`undo`"),
        (Did::StoryTold { turn: 2, replaced: false }, "«Сюжет»", "`story`"),
        (Did::Replaced { nick }, "«Замена»", "`replace`"),
        (Did::Wrote { nicks: nicks.clone() }, "«Молчали»", "`silent`"),
        (Did::Silent { nicks, by_itself: true }, "«Писали»", "`wrote`"),
        (Did::Cancelled, "Вернуть это нельзя", "can't be taken back"),
    ] {
        for (lang, word) in [(Lang::Ru, russian), (Lang::En, english)] {
            let said = letters::orders::did(lang, "Europe/Moscow", &did);
            assert!(said.then.contains(word) && !said.what.is_empty(), "{did:?}: {said:?}");
        }
    }
}
