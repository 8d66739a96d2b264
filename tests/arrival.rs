//! Order of arrival decides everywhere, not order of reading.
#![cfg(test)]

mod house;

use house::{House, address, raw_letter};
use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::Command;
use omerta::rules::game::Life;
use omerta::rules::{Kind, PlayerId, Role};

const TOWN: [(&str, Role); 7] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Mafioso),
];

/// Turn 2 is open, its deadline an hour away.
fn second_turn() -> (House, Timestamp) {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.close("palermo");
    house.command("palermo", Command::Deadline { when: "+1h".to_owned() });
    let deadline = house.table("palermo").deadline.unwrap();
    (house, deadline)
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

fn votes(house: &mut House) -> Vec<(u16, u16)> {
    let table = house.table("palermo");
    let last = table.last.expect("a turn was published");
    last.vote.ballots.iter().map(|(voter, whom)| (voter.0, whom.0)).collect()
}

fn everybody_else_votes(house: &mut House, except: &[u16]) {
    for player in (0..7).filter(|player| !except.contains(player)) {
        house.write("palermo", player, "Суд Линча - Егор");
    }
}

#[test]
fn the_second_before_the_deadline_is_in_and_the_deadline_second_is_not() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[0, 2]);
    house.set_clock(deadline + seconds(30));
    house.write_at("palermo", 0, "Суд Линча - Борис", deadline - seconds(1), 999_999);
    house.write_at("palermo", 2, "Суд Линча - Борис", deadline, 0);
    house.round();
    // Between deadline and close letters are read, but judged only at the close.
    assert!(!house.kinds("palermo", 0).contains(&"receipt".to_owned()));
    house.round_at(deadline + seconds(120));
    let votes = votes(&mut house);
    assert!(votes.contains(&(0, 1)) && !votes.iter().any(|(voter, _)| *voter == 2), "{votes:?}");
    let late = house.last("palermo", 2, "receipt");
    assert_eq!(late.turn, 2);
    for moment in [deadline, deadline] {
        let clock =
            moment.to_zoned_datetime(jiff::tz::TimeZone::get("Europe/Moscow").unwrap()).strftime("%H:%M").to_string();
        assert!(late.body.contains(&clock), "{clock} in {}", late.body);
    }
    assert_eq!(house.table("palermo").player(PlayerId(2)).unwrap().missed, 1);
}

#[test]
fn a_letter_on_time_that_is_found_after_the_close_changes_nothing_and_is_told() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[0]);
    house.round_at(deadline + seconds(120));
    assert_eq!(house.table("palermo").game.turn, 3);
    let before = house.table("palermo");
    house.write_at("palermo", 0, "Суд Линча - Борис\nЗаписка - Вера: это Борис", deadline - seconds(60), 0);
    house.round_at(deadline + seconds(600));
    let table = house.table("palermo");
    assert_eq!(table.game, before.game);
    let told = house.last("palermo", 0, "receipt");
    assert!(told.body.contains("наш") || told.body.contains("позже"), "{}", told.body);
    let alerts: Vec<_> = house.got("host@example.org").into_iter().filter(|got| got.kind == "alert").collect();
    assert!(alerts.iter().any(|alert| alert.body.contains("Анна")), "{alerts:?}");
}

#[test]
fn two_hunts_in_one_second_are_served_by_their_microseconds() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[]);
    let second = house.now();
    // Read in the other order: the file of the later one is written first.
    house.write_at("palermo", 2, "Охота - Жанна", second, 500_000);
    house.round();
    house.write_at("palermo", 0, "Охота - Борис", second, 400_000);
    house.round();
    house.round_at(deadline + seconds(120));
    let table = house.table("palermo");
    let hunt = table.last.as_ref().unwrap().hunt.clone().expect("a hunt was served");
    assert_eq!((hunt.hunter, hunt.prey), (PlayerId(0), PlayerId(1)));
    assert_eq!(table.player(PlayerId(6)).unwrap().life, Life::Alive);
}

#[test]
fn an_older_letter_that_is_read_later_replaces_nothing_newer() {
    let (mut house, deadline) = second_turn();
    let newer = house.now() + seconds(60);
    let older = house.now() + seconds(30);
    house.wait(90);
    house.write_at("palermo", 0, "Суд Линча - Борис", newer, 0);
    house.round();
    house.write_at("palermo", 0, "Суд Линча - Вера", older, 0);
    house.round();
    let standing = house.table("palermo").game.standing(PlayerId(0));
    assert_eq!(standing, [(Kind::Lynch, PlayerId(1))]);
    let answered = house.kinds("palermo", 0).into_iter().filter(|kind| kind == "receipt").count();
    assert_eq!(answered, 2);
    everybody_else_votes(&mut house, &[0]);
    house.round_at(deadline + seconds(120));
    assert!(votes(&mut house).contains(&(0, 1)));
}

#[test]
fn a_letter_delivered_twice_is_one_with_the_earliest_arrival() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[0, 2]);
    let raw = raw_letter(&address("palermo", 0), "palermo", "same@players.test", "Охота - Борис");
    let rival = house.now() + seconds(60);
    house.wait(120);
    house.write_at("palermo", 2, "Охота - Жанна\nСуд Линча - Егор", rival, 0);
    house.drop_in(&raw, rival + seconds(30), 0);
    house.round();
    // The first copy took the longer way.
    let mut detour = b"Received: from a detour\r\n".to_vec();
    detour.extend(&raw);
    house.drop_in(&detour, rival - seconds(30), 0);
    house.round();
    assert_eq!(house.kinds("palermo", 0).into_iter().filter(|kind| kind == "receipt").count(), 1);
    house.write("palermo", 0, "Суд Линча - Егор");
    house.round_at(deadline + seconds(120));
    let hunt = house.table("palermo").last.unwrap().hunt.expect("a hunt was served");
    assert_eq!(hunt.hunter, PlayerId(0), "the copy's arrival counts");
}

#[test]
fn the_next_turn_begins_with_its_publication() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[]);
    let published = deadline + seconds(120);
    house.round_at(published);
    // Arrived after the deadline and before the results: late, though it is read in the next turn.
    house.write_at("palermo", 0, "Суд Линча - Борис", deadline + seconds(60), 0);
    house.write_at("palermo", 2, "Суд Линча - Борис", published, 0);
    house.round_at(published + seconds(60));
    let table = house.table("palermo");
    assert!(!table.game.has_voted(PlayerId(0)));
    assert!(table.game.has_voted(PlayerId(2)));
}

#[test]
fn an_extension_before_the_close_takes_waiting_letters_in() {
    let (mut house, deadline) = second_turn();
    house.set_clock(deadline + seconds(10));
    house.write_at("palermo", 0, "Суд Линча - Борис", deadline + seconds(5), 0);
    house.round();
    assert!(!house.table("palermo").game.has_voted(PlayerId(0)));
    house.command("palermo", Command::Extend { by: "+2h".to_owned() });
    house.round();
    house.round();
    assert!(house.table("palermo").game.has_voted(PlayerId(0)));
    assert_eq!(house.table("palermo").game.turn, 2);
    assert!(house.kinds("palermo", 0).contains(&"receipt".to_owned()));
}

#[test]
fn no_turn_is_closed_before_the_inbox_was_read_after_settle() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[]);
    house.round();
    house.set_clock(deadline + seconds(119));
    house.round();
    house.round();
    assert_eq!(house.table("palermo").game.turn, 2);
    house.set_clock(deadline + seconds(120));
    house.round();
    assert_eq!(house.table("palermo").game.turn, 3);
}

#[test]
fn after_an_outage_one_deadline_fires_and_not_a_row_of_them() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[]);
    house.round();
    house.shut();
    house.set_clock(deadline + SignedDuration::from_hours(24 * 5));
    house.open();
    for _ in 0..5 {
        house.round();
    }
    let table = house.table("palermo");
    assert_eq!(table.game.turn, 3);
    assert!(table.deadline.unwrap() > house.now());
}

fn alerts(house: &House) -> usize {
    house.got("host@example.org").iter().filter(|got| got.kind == "alert").count()
}

#[test]
fn a_deadline_waits_for_results_that_have_not_reached_the_living() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[]);
    house.round();
    // Vera's Maildir can't be written: a file lies where the folder was.
    let folder = house.folder.join("mail/out").join(address("palermo", 2));
    let kept = house.folder.join("kept");
    std::fs::rename(&folder, &kept).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    house.open();
    house.round_at(deadline + seconds(120));
    assert_eq!(house.table("palermo").game.turn, 3);
    house.command("palermo", Command::Deadline { when: "+30s".to_owned() });
    for player in [0, 1, 3, 4, 6] {
        house.write("palermo", player, "Суд Линча - Анна");
    }
    let before = alerts(&house);
    for minutes in 1..40 {
        house.round_at(deadline + SignedDuration::from_mins(5 + minutes));
    }
    assert_eq!(house.table("palermo").game.turn, 3, "the deadline must wait");
    assert_eq!(alerts(&house), before + 1, "the host is told once");
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&kept, &folder).unwrap();
    house.round_at(deadline + SignedDuration::from_hours(10));
    house.round();
    assert_ne!(house.table("palermo").phase_word(house.now()), Some("settling"), "it fires when they have arrived");
    let summaries = house.got_by("palermo", 2).into_iter().filter(|got| got.kind == "summary" && got.turn == 2).count();
    assert_eq!(summaries, 1);
}

#[test]
fn no_turn_is_closed_while_the_inbox_is_out_of_reach_and_the_host_is_told_once() {
    let (mut house, deadline) = second_turn();
    everybody_else_votes(&mut house, &[]);
    house.round();
    let folder = house.folder.join("mail/in/new");
    let kept = house.folder.join("kept");
    std::fs::rename(&folder, &kept).unwrap();
    let before = alerts(&house);
    for minutes in 0..60 {
        house.round_at(deadline + SignedDuration::from_mins(minutes));
    }
    assert_eq!(house.table("palermo").game.turn, 2);
    assert_eq!(alerts(&house), before + 1);
    // A letter that the server took in time, while nobody could read it.
    std::fs::rename(&kept, &folder).unwrap();
    house.write_at("palermo", 0, "Суд Линча - Борис", deadline - seconds(1), 0);
    house.round();
    assert_eq!(house.table("palermo").game.turn, 3);
    assert!(votes(&mut house).contains(&(0, 1)));
}
