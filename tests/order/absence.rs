//! A player says that he will be away: no reminders on those days, and the host knows.

use omerta::journal::{Entry, Item};

use crate::house::House;
use crate::town::{HOST, TAG, town_with};

const REMINDED: &str = "reminders = [\"2h\"]\n";

fn reminded(house: &House, player: u16) -> usize {
    house.kinds(TAG, player).iter().filter(|kind| *kind == "reminder").count()
}

/// Two hours before the deadline of this very day, which is 30 November.
fn remind(house: &mut House) {
    let deadline = house.table(TAG).deadline.unwrap();
    house.round_at(deadline.saturating_sub(jiff::SignedDuration::from_mins(119)).unwrap());
}

#[test]
fn who_is_away_gets_no_reminder_and_the_host_is_asked_to_forgive() {
    let mut house = town_with(REMINDED);
    house.write(TAG, 0, "Отпуск - 29 ноября - 2 декабря");
    house.write(TAG, 3, "Отпуск 30 ноября - 1 декабря");
    house.write(TAG, 4, "Away - 1-5 December");
    house.round();
    house.round();
    let receipt = house.last(TAG, 0, "receipt");
    assert!(receipt.body.contains("с 29.11.2026 по 02.12.2026"), "{}", receipt.body);
    let told: Vec<_> = house.got(HOST).into_iter().filter(|got| got.kind == "alert").collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].body.contains("Анна") && told[0].body.contains("Простить"), "{}", told[0].body);
    remind(&mut house);
    let got: Vec<usize> = (0..7).map(|player| reminded(&house, player)).collect();
    assert_eq!(got, [0, 1, 1, 0, 1, 1, 1], "Anna and Gleb are away today, Daria is not yet");
    let journaled = house.journal(TAG).iter().any(|entry| match entry {
        Entry::Heard(heard) => heard.items.iter().any(|item| matches!(item, Item::Absent { days: Some(_) })),
        _ => false,
    });
    assert!(journaled);
}

#[test]
fn days_that_are_none_are_answered_with_the_form() {
    let mut house = town_with(REMINDED);
    house.write(TAG, 0, "Отпуск - на днях");
    house.round();
    house.round();
    let receipt = house.last(TAG, 0, "receipt");
    assert!(receipt.body.contains("Отпуск - ‹3-7 мая›"), "{}", receipt.body);
    assert!(!house.got(HOST).iter().any(|got| got.kind == "alert"));
    remind(&mut house);
    assert_eq!(reminded(&house, 0), 1);
}
