//! The host's letters: every line does what `omerta game` does, whole or not at all, and is answered.
#![cfg(test)]

mod house;

use house::{Got, House, SEVEN};
use omerta::desk::command::{Command, Did, Terms};
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

/// A letter of its own, which answers none of ours.
fn write(house: &mut House, from: &str, id: &str, text: &str) {
    let now = house.now();
    house.drop_in(&house::raw_letter(from, "palermo", id, text), now, 1);
    house.round();
    house.round();
    house.wait(1);
}

fn flat(body: &str) -> String {
    body.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_yes_in_a_letter_of_its_own_is_told_how_to_confirm_and_does_nothing() {
    let mut house = town();
    write(&mut house, HOST, "h1@h.test", "Отменить игру");
    assert_eq!(answer(&house, "h1@h.test").kind, "confirm");
    write(&mut house, HOST, "h2@h.test", "Да");
    let told = answer(&house, "h2@h.test");
    let body = flat(&told.body);
    assert_eq!((told.kind.as_str(), house.table("palermo").state), ("answer", State::Playing));
    assert!(body.contains("ответьте на то самое письмо") && body.contains("Слово - ‹слово›"), "{body}");
    assert!(!body.contains("Продлить"), "no forms: {body}");
    // Also for a moderator, who has no word.
    write(&mut house, "moderator@example.org", "m1@h.test", "Да!");
    let told = house.got("moderator@example.org").pop().unwrap();
    let body = flat(&told.body);
    assert!(body.contains("ответьте на то самое письмо") && !body.contains("Слово"), "{body}");
    // The question still waits for its own answer.
    let question = answer(&house, "h1@h.test").message_id;
    let letter = house::raw_letter(HOST, "palermo", "h3@h.test", "Да");
    let now = house.now();
    house.drop_in(&[format!("In-Reply-To: <{question}>\r\n").into_bytes(), letter].concat(), now, 1);
    house.round();
    assert_eq!(house.table("palermo").state, State::Cancelled);
}

/// Whoever forges the host's address fills no mailbox, and nothing goes to where he writes from.
#[test]
fn a_forged_yes_is_answered_to_the_registered_address_alone_and_not_often() {
    let mut house = town();
    let before = house.got(HOST).len();
    for number in 0..12 {
        write(&mut house, HOST, &format!("f{number}@h.test"), "Да");
    }
    let told = house.got(HOST).split_off(before);
    assert!((1..=5).contains(&told.len()), "{told:?}");
    let roles = ["комиссар", "мафиози", "босс", "доктор"];
    assert!(told.iter().all(|got| !roles.iter().any(|role| got.body.to_lowercase().contains(role))), "{told:?}");
    assert!(!house.journal("palermo").iter().any(|entry| matches!(entry, Entry::Confirmed { .. })));
}

/// What an answer says of taking back is what can be done.
#[test]
fn until_the_close_a_new_deadline_opens_the_turn_again_and_after_it_undo_takes_the_results_back() {
    let mut house = town();
    let told = flat(&order(&mut house, "h1@h.test", "Закрыть ход").body);
    assert!(told.contains("пока ход не закрыт, «Дедлайн» с новым временем продолжит его"), "{told}");
    assert!(told.contains("«Отменить ход»") && !told.contains("Вернуть это нельзя"), "{told}");
    let told = flat(&order(&mut house, "h2@h.test", "Дедлайн - +2ч").body);
    assert!(told.contains("Сделано. Срок хода"), "{told}");
    house.write("palermo", 0, "Охота - Борис");
    house.round();
    assert_eq!((house.table("palermo").game.turn, house.last("palermo", 0, "receipt").turn), (1, 1));
    order(&mut house, "h3@h.test", "Закрыть ход");
    house.wait(121);
    house.round();
    house.round();
    assert_eq!(house.table("palermo").game.turn, 2);
    house.command("palermo", Command::Undo);
    assert_eq!(house.table("palermo").game.turn, 1);
}

#[test]
fn status_says_what_a_turn_waits_for_between_its_deadline_and_its_publication() {
    let mut house = House::with("publish = \"approve 6h\"");
    house.new_game("palermo", &SEVEN, &[]);
    house.start("palermo");
    let deadline = house.table("palermo").deadline.unwrap();
    house.set_clock(deadline.saturating_add(jiff::SignedDuration::from_secs(5)).unwrap());
    let told = flat(&order(&mut house, "h1@h.test", "Статус").body);
    assert!(told.contains("Ход 1 окончен, срок прошёл") && !told.contains("Идёт ход"), "{told}");
    house.close("palermo");
    let told = flat(&order(&mut house, "h2@h.test", "Статус").body);
    assert!(told.contains("Ход 1 закрыт, итоги ждут вашего слова «Опубликовать»"), "{told}");
    assert!(told.contains("выйдут сами: понедельник, 30 ноября, 19:00"), "{told}");
    house.command("palermo", Command::Undo);
    let told = flat(&order(&mut house, "h3@h.test", "Статус").body);
    assert!(told.contains("Расчёт хода 1 отменён") && told.contains("«Закрыть ход»"), "{told}");
}

fn signing_up() -> House {
    signing_up_with("approve_applicants = true", Terms::default())
}

fn signing_up_with(more: &str, terms: Terms) -> House {
    let mut house = House::with(more);
    house.new_game_of_nobody("palermo", &[("photo_required", "false")]);
    house.command("palermo", Command::Open(terms));
    for (player, nick) in (0..).zip(["Анна", "Борис", "Вера", "Глеб"]) {
        house.write("palermo", player, &format!("Заявка - {nick}\nХарактеристика: кто-то\nПол: ж"));
        house.round();
        house.wait(1);
    }
    house.round();
    house
}

/// A place that becomes free goes to none of those who are declined in the same breath.
#[test]
fn who_is_declined_with_another_gets_no_place_on_the_way() {
    let mut house = signing_up_with("", Terms { max: Some(2), ..Terms::default() });
    let before = house.got_by("palermo", 2).len();
    house.command("palermo", Command::judging(vec!["Анна".to_owned(), "Вера".to_owned()], false).unwrap());
    house.round();
    let applicants = house.table("palermo").signup.unwrap().applicants;
    let seating: Vec<String> = applicants.iter().map(|one| format!("{:?}", one.seating)).collect();
    assert_eq!(seating, ["Declined", "Kept", "Declined", "Kept"]);
    assert_eq!(house.got_by("palermo", 2).len(), before + 1, "one letter, and no place in it");
}

#[test]
fn several_applicants_are_judged_in_one_line_all_or_none() {
    let mut house = signing_up();
    let seating = |house: &mut House| -> Vec<String> {
        let applicants = house.table("palermo").signup.unwrap().applicants;
        applicants.into_iter().map(|one| format!("{:?}", one.seating)).collect()
    };
    let told = order(&mut house, "h1@h.test", "Принять - Анна, Ольга, Вера");
    assert!(told.subject.contains("0 из 1") && told.body.contains("Заявки от игрока Ольга нет."), "{told:?}");
    assert_eq!(seating(&mut house), ["Pending"; 4]);
    let told = order(&mut house, "h2@h.test", "Принять - Анна, Борис\nОтказать - Вера, Глеб");
    assert!(told.subject.contains("2 из 2"), "{told:?}");
    let body = flat(&told.body);
    assert!(body.contains("Приняты заявки: Анна, Борис.") && body.contains("Отклонены заявки: Вера, Глеб."), "{body}");
    assert_eq!(seating(&mut house), ["Kept", "Kept", "Declined", "Declined"]);
    for player in 0..4 {
        assert!(house.got_by("palermo", player).len() > 1, "each is told");
    }
    // Twice the same is one.
    let told = order(&mut house, "h3@h.test", "Принять - Вера, Вера");
    assert!(flat(&told.body).contains("Заявка принята: Вера."), "{told:?}");
}

#[test]
fn a_time_too_far_ahead_is_refused_with_the_bound() {
    let mut house = town();
    let deadline = house.table("palermo").deadline;
    let text = "Дедлайн - 9999-01-01 21:00\nПродлить - +9999999ч\nДедлайн - +367д\nДедлайн - 31.12.9999 21:00";
    let told = order(&mut house, "h1@h.test", text);
    assert!(told.subject.contains("0 из 4"), "{told:?}");
    assert_eq!(flat(&told.body).matches("не дальше 366 дней").count(), 4, "{}", told.body);
    assert_eq!(house.table("palermo").deadline, deadline);
    assert!(order(&mut house, "h2@h.test", "Дедлайн - +366д").subject.contains("1 из 1"));
    let mut house = signing_up();
    let told = order(&mut house, "h1@h.test", "Открыть - 9999-01-01 21:00");
    assert!(told.subject.contains("0 из 1") && flat(&told.body).contains("не дальше 366 дней"), "{told:?}");
}

#[test]
fn a_title_and_a_text_have_bounds_and_the_answer_names_them() {
    let mut house = signing_up();
    let title = house.table("palermo").title;
    let told = order(&mut house, "h1@h.test", &format!("Открыть\nНазвание - {}", "и".repeat(101)));
    assert!(told.subject.contains("0 из 1") && told.body.contains("100 знаков"), "{told:?}");
    let long = format!("{}\n", "слово ".repeat(150)).repeat(80);
    let told = order(&mut house, "h2@h.test", &format!("Открыть\n{long}"));
    assert!(told.subject.contains("0 из 1") && flat(&told.body).contains("знаков"), "{}", told.subject);
    assert_eq!(house.table("palermo").title, title);
    let told = order(&mut house, "h3@h.test", &format!("Открыть\nНазвание - {}", "и".repeat(100)));
    assert!(told.subject.contains("1 из 1"), "{told:?}");
    assert_eq!(house.table("palermo").title.chars().count(), 100);
}

#[test]
fn nothing_is_posted_before_the_game() {
    let mut house = signing_up();
    let told = order(&mut house, "h1@h.test", "Опубликовано - https://forum.example.org/t/7");
    assert!(told.subject.contains("0 из 1") && flat(&told.body).contains("Игра ещё не началась"), "{told:?}");
    assert!(!house.journal("palermo").iter().any(|entry| matches!(entry, Entry::Posted { .. })));
}

/// With several games nothing is done, and the host learns how to say which one he means.
#[test]
fn a_host_of_two_games_who_names_none_is_asked_which_one() {
    let mut house = town();
    house.new_game("second", &SEVEN, &[]);
    let now = house.now();
    let raw = String::from_utf8(house::raw_letter(HOST, "palermo", "h1@h.test", "Пауза")).unwrap();
    house.drop_in(raw.replace("Subject: [palermo]", "Subject: Привет").as_bytes(), now, 1);
    house.round();
    house.round();
    let told = answer(&house, "h1@h.test");
    assert_eq!((told.kind.as_str(), told.in_reply_to.as_deref()), ("refused", Some("h1@h.test")));
    assert!(told.body.contains("palermo") && told.body.contains("second"), "{}", told.body);
    assert_eq!(house.table("palermo").state, State::Playing);
}

/// What is done by one word is undone by another, and the answer names it; or says that nothing undoes it.
#[test]
fn what_is_done_is_told_with_the_word_that_undoes_it() {
    let at = |second| jiff::Timestamp::from_second(second).unwrap();
    let (nick, nicks) = ("Анна".to_owned(), vec!["Анна".to_owned()]);
    for (did, russian, english) in [
        (Did::Paused, "«Продолжить»", "`resume`"),
        (Did::Resumed { deadline: at(9) }, "«Пауза»", "`pause`"),
        (Did::ClockBelieved, "Делать ничего не нужно", "Nothing is to be done"),
        (Did::Published, "«Отменить ход»", "`undo`"),
        (Did::TakenBack { turn: 2, published: false }, "«Закрыть ход»", "`resolve`"),
        (Did::TakenBack { turn: 2, published: true }, "«Закрыть ход»", "`resolve`"),
        (Did::JudgedAgain { turn: 2, published: false }, "«Опубликовать»", "`publish`"),
        (Did::JudgedAgain { turn: 2, published: true }, "«Отменить ход»", "`undo`"),
        (Did::Ruled { nick: nick.clone(), alive: true }, "«Отменить ход»", "`undo`"),
        (Did::StoryTold { turn: 2, replaced: false }, "«Сюжет»", "`story`"),
        (Did::Replaced { nick }, "«Замена»", "`replace`"),
        (Did::Wrote { nicks: nicks.clone(), again: None }, "«Молчали»", "`silent`"),
        (Did::Silent { nicks, by_itself: true, again: None }, "«Писали»", "`wrote`"),
        (Did::Cancelled, "Вернуть это нельзя", "can't be taken back"),
    ] {
        for (lang, word) in [(Lang::Ru, russian), (Lang::En, english)] {
            let said = letters::orders::did(lang, "Europe/Moscow", &did);
            assert!(said.then.contains(word) && !said.what.is_empty(), "{did:?}: {said:?}");
        }
    }
}

/// The deadline that stands already is told to the host, and nobody else is written to.
#[test]
fn a_deadline_that_stands_already_is_told_to_the_host_alone() {
    let mut house = town();
    let notices = |house: &House| {
        (0..7)
            .map(|player| house.kinds("palermo", player).iter().filter(|kind| *kind == "notice").count())
            .sum::<usize>()
    };
    let deadline = house.table("palermo").deadline.unwrap();
    let again = format!("Дедлайн - {deadline}");
    let told = flat(&order(&mut house, "h1@h.test", &again).body);
    assert!(told.contains("Сделано. Срок и так стоит на это время: "), "{told}");
    assert_eq!(house.table("palermo").deadline, Some(deadline));
    assert_eq!(notices(&house), 0);
    order(&mut house, "h2@h.test", "Дедлайн - +3ч");
    assert_eq!(notices(&house), 7);
}

/// What is to be done next is ours, and bears no mark of a quotation.
#[test]
fn the_hint_of_a_past_deadline_is_not_drawn_as_a_quotation() {
    let mut house = town();
    let got = order(&mut house, "h1@h.test", "Дедлайн - 2020-01-01 21:00");
    let quoted: Vec<&str> = got.body.lines().filter(|line| line.contains('│')).collect();
    assert_eq!(quoted, ["│ Дедлайн - 2020-01-01 21:00"], "{}", got.body);
    assert!(flat(&got.body).contains("Чтобы закончить ход сразу, напишите: «Закрыть ход»."), "{}", got.body);
}

/// The command line's form, word for word: what follows the nick needs no colon where the roster tells where the nick
/// ends, and nothing is done that can't be taken back.
#[test]
fn orders_are_understood_without_a_colon_as_on_the_command_line() {
    let mut house = town();
    let text = "Предупреждение - Глеб грубил\nЛишить голоса - Анна 2\nDeprive - Егор, Борис --turns 3\nПростить - Глеб miss\n\
                Forgive - Глеб, Анна silence\nИсключить - Борис грубил\nПредупреждение - Глеб и Анна шумят";
    let got = order(&mut house, "bare@h.test", text);
    for part in [
        "Предупреждение отправлено: Глеб.",
        "Без голоса на 2 хода: Анна.",
        "Без голоса на 3 хода: Егор, Борис.",
        "Прощать нечего, пропущенных голосов нет: Глеб.",
        "Прощать нечего, предупреждений за молчание нет: Глеб, Анна.",
        "Игрока Борис грубил в игре нет.",
        "Игрока Глеб и Анна шумят в игре нет.",
    ] {
        assert!(got.body.contains(part), "{part} in {}", got.body);
    }
    let warning = house.last("palermo", 3, "warning");
    assert!(warning.body.contains("│ грубил"), "{}", warning.body);
    // A ruling is read so too; it is asked about before it is done.
    let got = order(&mut house, "bare2@h.test", "Решение - Глеб alive ошибка");
    assert!(got.body.contains("Решать сейчас нечего"), "{}", got.body);
}
