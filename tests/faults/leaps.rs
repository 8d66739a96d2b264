//! The clock leaps by months over a Maildir, where nobody can be asked what time it is: nothing that can't be taken back
//! happens before it is right again, or somebody says that it is.

use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::{Command, Terms};
use omerta::rules::Role;
use omerta::table::{Phase, State};

use crate::house::House;

const TOWN: [(&str, Role); 5] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Citizen),
    ("Дина", Role::Citizen),
];
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// One game has ended, one turn waits for publication and one sign-up for its end; Palermo's turn ends in an hour.
fn lively() -> House {
    let mut house = House::with("publish = \"approve 6h\"");
    for tag in ["trapani", "corleone", "palermo"] {
        house.new_game(tag, &TOWN, &[]);
    }
    house.start("trapani");
    house.command("trapani", Command::Cancel);
    house.start("corleone");
    house.close("corleone");
    house.start("palermo");
    house.new_game_of_nobody("gela", &[("photo_required", "false")]);
    house.command("gela", Command::Open(Terms { until: Some("+3h".to_owned()), ..Terms::default() }));
    house.drop_in(
        b"From: <stray@example.org>\r\nTo: <mafia@example.org>\r\nMessage-ID: <stray@example.org>\r\n\r\nWho is there?\r\n",
        house.now(),
        0,
    );
    house.round();
    house.round();
    assert_eq!(standing(&mut house), AS_BEFORE);
    house
}

/// Trapani is not erased, Corleone not published, Gela's sign-up open, the stray's letter still there.
const AS_BEFORE: (bool, Phase, bool, bool) = (false, Phase::Review, true, true);

fn standing(house: &mut House) -> (bool, Phase, bool, bool) {
    let is_open = house.table("gela").signup.is_some_and(|signup| signup.open);
    let bytes: Vec<u8> = ["omerta.db", "omerta.db-wal"]
        .iter()
        .flat_map(|file| std::fs::read(house.folder.join(file)).unwrap_or_default())
        .collect();
    let stray = bytes.windows(13).any(|part| part == b"Who is there?");
    (house.table("trapani").erased, house.table("corleone").phase, is_open, stray)
}

fn alerts(house: &House) -> usize {
    house.got("host@example.org").iter().filter(|got| got.subject.contains("Часы ушли")).count()
}

/// Also where the daemon starts again meanwhile.
#[test]
fn a_wrong_leap_and_back_costs_nothing() {
    let mut house = lively();
    let right = house.now();
    house.set_clock("2036-05-01T12:00:00Z".parse().unwrap());
    for starts_again in [false, true] {
        if starts_again {
            house.shut();
            house.open();
        }
        for _ in 0..3 {
            house.round();
        }
        assert_eq!(standing(&mut house), AS_BEFORE);
        assert_eq!(house.table("palermo").state, State::Paused);
        assert_eq!(alerts(&house), 3, "of each game that runs once");
    }
    house.set_clock(right);
    house.round();
    assert_eq!(standing(&mut house), AS_BEFORE);
    house.command("palermo", Command::Resume);
    let left = house.table("palermo").deadline.unwrap().duration_since(right);
    assert!((59..=60).contains(&left.as_mins()), "{left}");
    // What is due by the right time happens by itself.
    house.round_at(right + SignedDuration::from_hours(7));
    assert_eq!(house.table("corleone").game.turn, 2);
    assert_eq!(alerts(&house), 3);
}

#[test]
fn an_outage_of_months_goes_on_at_a_word() {
    let mut house = lively();
    // A deadline so near the end of the outage that mail for it may still be on its way.
    house.new_game("marsala", &TOWN, &[]);
    house.start("marsala");
    house.command("marsala", Command::Deadline { when: "+4999h".to_owned() });
    let deadline = house.table("marsala").deadline.unwrap();
    // A sign of life: seconds of the real clock lie between two.
    house.shut();
    house.open();
    house.round();
    house.shut();
    house.set_clock(deadline + SignedDuration::from_secs(1));
    house.open();
    house.round();
    house.round_at(deadline + DAY);
    assert_eq!(standing(&mut house), AS_BEFORE);
    for tag in ["palermo", "marsala"] {
        assert_eq!(house.table(tag).state, State::Paused, "{tag}");
    }
    // In a game where nothing is paused.
    house.command("corleone", Command::Resume);
    house.round();
    house.round();
    assert_eq!(standing(&mut house), (true, Phase::Open, false, false));
    assert_eq!(house.table("palermo").state, State::Paused, "its host says when");
    house.command("palermo", Command::Resume);
    let left = house.table("palermo").deadline.unwrap().duration_since(house.now());
    assert!((59..=60).contains(&left.as_mins()), "{left}");
    assert!(house.try_command("corleone", Command::Resume).is_err(), "the clock is believed already");
}

/// «Продолжить» says that the clock is right. Who sent it before the leap has not seen what the clock shows now.
#[test]
fn a_word_that_was_sent_before_the_leap_vouches_for_no_clock() {
    const HOST: &str = "host@example.org";
    let mut house = lively();
    let right = house.now();
    let known = house.got(HOST).into_iter().rfind(|got| got.subject.contains("[corleone]")).unwrap().message_id;
    let word = |id: &str| {
        let letter = crate::house::raw_letter(HOST, "corleone", id, "Продолжить");
        [format!("In-Reply-To: <{known}>\r\n").into_bytes(), letter].concat()
    };
    let answered = |house: &House, id: &str| house.got(HOST).iter().any(|got| got.in_reply_to.as_deref() == Some(id));
    house.set_clock("2036-05-01T12:00:00Z".parse().unwrap());
    house.drop_in(&word("before@h.test"), right, 5);
    for _ in 0..3 {
        house.round();
    }
    assert!(answered(&house, "before@h.test"), "it was read");
    assert_eq!(standing(&mut house), AS_BEFORE);
    let now = house.now();
    house.drop_in(&word("behind@h.test"), now, 6);
    for _ in 0..3 {
        house.round();
    }
    assert!(answered(&house, "behind@h.test"));
    assert_eq!(standing(&mut house), (true, Phase::Open, false, false), "sent by that clock it is believed");
}

/// A sign of life of a daemon that is still in doubt does not take back what somebody has said meanwhile.
#[test]
fn a_word_for_the_clock_stays_said() {
    let mut house = lively();
    let right = house.now();
    house.set_clock("2036-05-01T12:00:00Z".parse().unwrap());
    house.round();
    let now = house.now();
    let desk = house.daemon().desk();
    desk.command("corleone", &Command::Resume, now).unwrap();
    desk.beat(now, None, Some(right)).unwrap();
    assert_eq!(desk.clock_believed().unwrap(), Some(now));
}

/// The battery is empty: the machine starts years ago, and a minute later it is told the time.
#[test]
fn a_clock_that_was_years_behind_and_is_set_right_has_not_leapt() {
    let mut house = lively();
    let right = house.now();
    let deadline = house.table("palermo").deadline;
    for _ in 0..2 {
        house.shut();
        house.set_clock("2010-01-01T00:00:00Z".parse().unwrap());
        house.open();
        house.round();
    }
    house.round_at(right + SignedDuration::from_mins(30));
    assert_eq!((house.table("palermo").state, house.table("palermo").deadline), (State::Playing, deadline));
    assert_eq!((standing(&mut house), alerts(&house)), (AS_BEFORE, 0));
    house.close("palermo");
    assert_eq!(house.table("palermo").phase, Phase::Review);
}

#[test]
fn a_pause_by_a_clock_that_was_years_behind_does_not_put_a_game_to_sleep() {
    let mut house = lively();
    let right: Timestamp = house.now();
    house.set_clock("2010-01-01T00:00:00Z".parse().unwrap());
    house.round();
    house.command("palermo", Command::Pause);
    house.set_clock(right);
    house.round();
    house.command("palermo", Command::Resume);
    assert!(house.table("palermo").deadline.unwrap() <= right + DAY * 366);
}

/// Nobody has anything to lose, and nobody could say the word.
#[test]
fn without_games_every_clock_is_believed() {
    let mut house = House::new();
    house.round();
    house.round_at(house.now() + DAY * 400);
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.close("palermo");
    assert_eq!(house.table("palermo").game.turn, 2);
    assert_eq!(alerts(&house), 0);
}
