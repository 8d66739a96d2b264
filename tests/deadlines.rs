//! Deadlines as hosts and players meet them: a time in the host's own words, skipped dates, the early close.
#![cfg(test)]

mod house;

use house::{Got, House, SEVEN};
use jiff::Timestamp;
use omerta::desk::command::{Command, CommandError};
use omerta::journal::{By, Entry};
use omerta::table::Phase;

const HOST: &str = "host@example.org";

fn town(more: &str) -> House {
    let mut house = House::with(more);
    house.new_game("palermo", &SEVEN, &[]);
    house.start("palermo");
    house.round();
    house
}

/// The second turn, the first in which votes are owed.
fn second_turn(more: &str) -> House {
    let mut house = town(more);
    house.close("palermo");
    assert_eq!(house.table("palermo").game.turn, 2);
    house
}

fn order(house: &mut House, id: &str, text: &str) -> Got {
    house.round();
    let last = house.got(HOST).pop().unwrap().message_id;
    let letter = house::raw_letter(HOST, "palermo", id, text);
    let raw = [format!("In-Reply-To: <{last}>\r\n").into_bytes(), letter].concat();
    let now = house.now();
    house.drop_in(&raw, now, 1);
    house.round();
    house.round();
    let answers: Vec<Got> = house.got(HOST).into_iter().filter(|got| got.in_reply_to.as_deref() == Some(id)).collect();
    assert_eq!(answers.len(), 1, "one answer to {id}: {answers:?}");
    answers.into_iter().next().unwrap()
}

/// Without the ends of its lines.
fn flat(body: &str) -> String {
    body.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn vote_all(house: &mut House, but: &[u16]) {
    for player in (0..7).filter(|player| !but.contains(player)) {
        house.write("palermo", player, if player == 1 { "Суд Линча - Анна" } else { "Суд Линча - Борис" });
    }
    house.round();
    house.round();
}

#[test]
fn a_host_names_a_deadline_in_his_own_words_and_all_are_told_the_old_and_the_new() {
    let mut house = town("");
    let got = order(&mut house, "h1@h.test", "Дедлайн - завтра 22:00");
    assert!(flat(&got.body).contains("Срок хода: вторник, 1 декабря 2026 года, 22:00 (Москва)."), "{}", got.body);
    assert_eq!(house.table("palermo").deadline, Some(at("2026-12-01T19:00:00Z")));
    let notice = house.last("palermo", 3, "notice");
    assert!(notice.body.contains("1 декабря, 22:00 (Москва)"), "{}", notice.body);
    assert!(notice.body.contains("30 ноября, 13:00 (Москва)"), "{}", notice.body);
    order(&mut house, "h2@h.test", "Продлить - на 2 часа");
    assert_eq!(house.table("palermo").deadline, Some(at("2026-12-01T21:00:00Z")));
    order(&mut house, "h3@h.test", "Продлить - до среды 21:00");
    assert_eq!(house.table("palermo").deadline, Some(at("2026-12-02T18:00:00Z")));
    order(&mut house, "h4@h.test", "Продлить - до 4 декабря 21:00");
    assert_eq!(house.table("palermo").deadline, Some(at("2026-12-04T18:00:00Z")));
    let got = order(&mut house, "h5@h.test", "Дедлайн - когда-нибудь");
    assert!(got.body.contains("на время не похоже"), "{}", got.body);
}

#[test]
fn a_deadline_in_an_hour_that_comes_twice_is_told_and_the_notice_names_the_change() {
    let mut house = House::of(&house::config_text("").replace("Europe/Moscow", "Europe/Berlin"));
    house.new_game("palermo", &SEVEN, &[]);
    house.start("palermo");
    house.round();
    let got = order(&mut house, "h1@h.test", "Дедлайн - 28.03.2027 02:30");
    assert!(flat(&got.body).contains("воскресенье, 28 марта 2027 года, 03:30 (Берлин)"), "{}", got.body);
    assert!(flat(&got.body).contains("перескакивают"), "{}", got.body);
    let notice = house.last("palermo", 3, "notice");
    assert!(flat(&notice.body).contains("перевод"), "{}", notice.body);
}

#[test]
fn no_turn_ends_on_a_skipped_date_until_the_dates_are_taken_back() {
    let mut house = town("");
    let got = order(&mut house, "h1@h.test", "Пропустить - 1-3 декабря, 5 декабря");
    assert!(flat(&got.body).contains("2026-12-01 - 2026-12-03, 2026-12-05"), "{}", got.body);
    house.close("palermo");
    assert_eq!(house.table("palermo").deadline, Some(at("2026-12-04T18:00:00Z")));
    house.close("palermo");
    // Nobody has voted, so the turn waits for the host.
    house.command("palermo", Command::Publish);
    assert_eq!(house.table("palermo").deadline, Some(at("2026-12-06T18:00:00Z")));
    let got = order(&mut house, "h2@h.test", "Пропустить - 6 декабря");
    assert!(flat(&got.body).contains("остаётся на месте"), "{}", got.body);
    assert_eq!(house.table("palermo").deadline, Some(at("2026-12-06T18:00:00Z")), "what is set stays");
    order(&mut house, "h3@h.test", "Пропустить - нет");
    assert!(house.table("palermo").skips.is_empty());
    let refused = house.try_command("palermo", Command::Skip { dates: "однажды".to_owned() });
    assert!(matches!(refused, Err(CommandError::NotDone(_))), "{refused:?}");
}

#[test]
fn the_turn_is_over_when_every_vote_that_is_owed_is_in() {
    let mut house = second_turn("early_close = true");
    assert!(house.last("palermo", 0, "opening").body.contains("досрочное закрытие"));
    let was = house.table("palermo").deadline.unwrap();
    house.command("palermo", Command::Deprive { nicks: vec!["Жанна".to_owned()], turns: 1 });
    vote_all(&mut house, &[5, 6]);
    assert_eq!(house.table("palermo").deadline, Some(was), "Егор owes a vote");
    house.wait(61);
    let now = house.now();
    house.write("palermo", 5, "Суд Линча - Борис");
    house.round();
    house.round();
    let table = house.table("palermo");
    let deadline = Timestamp::from_second(now.as_second() + 1).unwrap();
    assert_eq!(table.deadline, Some(deadline), "the deprived one owes none");
    assert!(house.last("palermo", 2, "notice").subject.contains("ход окончен"));
    // A letter of the second in which the turn ends is too late, and the settling time is kept.
    house.set_clock(deadline);
    house.write("palermo", 5, "Суд Линча - Анна");
    house.round();
    assert_eq!(house.table("palermo").phase, Phase::Open);
    house.round_at(Timestamp::from_second(deadline.as_second() + 120).unwrap());
    let table = house.table("palermo");
    assert_eq!(table.game.turn, 3);
    let vote = &table.last.as_ref().unwrap().vote;
    assert_eq!(vote.ballots.iter().filter(|(_, target)| target.0 == 1).count(), 5, "{vote:?}");
}

#[test]
fn never_in_the_first_turn_and_never_unless_the_game_wants_it() {
    let mut house = town("early_close = true");
    let was = house.table("palermo").deadline;
    vote_all(&mut house, &[]);
    assert_eq!(house.table("palermo").deadline, was);
    let mut house = second_turn("");
    let was = house.table("palermo").deadline;
    vote_all(&mut house, &[]);
    assert_eq!(house.table("palermo").deadline, was);
}

#[test]
fn a_vote_withdrawn_in_time_gives_the_turn_its_deadline_back_once() {
    let mut house = second_turn("early_close = true");
    let was = house.table("palermo").deadline.unwrap();
    vote_all(&mut house, &[]);
    let early = house.table("palermo").deadline.unwrap();
    assert!(early < was);
    // It arrived before the early deadline, and another after it; both are read behind it.
    let before = Timestamp::from_second(early.as_second() - 1).unwrap();
    house.set_clock(Timestamp::from_second(early.as_second() + 30).unwrap());
    house.write_at("palermo", 4, "Отмена - Суд Линча", before, 900_000);
    let now = house.now();
    house.write_at("palermo", 0, "Суд Линча - Вера", now, 0);
    house.round();
    house.round_at(Timestamp::from_second(early.as_second() + 121).unwrap());
    let table = house.table("palermo");
    assert_eq!((table.game.turn, table.deadline), (2, Some(was)));
    assert_eq!(table.owing(), ["Дарья"]);
    assert!(house.last("palermo", 2, "notice").subject.contains("новый срок"));
    let journal = house.journal("palermo");
    let voted_late =
        |entry: &Entry| matches!(entry, Entry::Heard(heard) if format!("{:?}", heard.standing) == "OnTime");
    assert_eq!(journal.iter().filter(|entry| voted_late(entry)).count(), 9, "the later letter is in time after all");
    house.write("palermo", 4, "Суд Линча - Борис");
    house.round();
    house.round();
    assert_eq!(house.table("palermo").deadline, Some(was), "once a turn");
    let set = |by: By| move |entry: &&Entry| matches!(entry, Entry::DeadlineSet { by: found, .. } if *found == by);
    assert_eq!(journal.iter().filter(set(By::AllVoted)).count(), 1);
    assert_eq!(journal.iter().filter(set(By::VoteWithdrawn)).count(), 1);
}

#[test]
fn a_host_who_extends_an_early_close_is_obeyed() {
    let mut house = second_turn("early_close = true");
    vote_all(&mut house, &[]);
    let early = house.table("palermo").deadline.unwrap();
    house.command("palermo", Command::Extend { by: "+2h".to_owned() });
    house.round();
    house.round();
    let later = Timestamp::from_second(early.as_second() + 7_200).unwrap();
    assert_eq!(house.table("palermo").deadline, Some(later));
}
