//! A silent host: he is reminded, then all hosts are, then everybody learns that results are awaited; once each.

use jiff::SignedDuration;
use omerta::desk::command::Command;
use omerta::rules::Role;

use crate::house::{House, config_text};
use crate::town::{HOST, MODERATOR, TAG, count, count_of, everyone, order};

const COHOST: &str = "cohost@example.org";

fn of_two_hosts(publish: &str) -> House {
    let config = config_text(&format!("publish = \"{publish}\""));
    let mut house =
        House::of(&config.replace("[\"host@example.org\"]", "[\"host@example.org\", \"cohost@example.org\"]"));
    let names = ["Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна"];
    let role = |at: usize| if at == 1 { Role::Mafioso } else { Role::Citizen };
    let players: Vec<(&str, Role)> = names.iter().enumerate().map(|(at, name)| (*name, role(at))).collect();
    house.new_game(TAG, &players, &[]);
    house.start(TAG);
    house.close(TAG);
    house
}

/// Alerts of the host and of the co-host, notices of everybody, so many seconds after the deadline.
fn at(house: &mut House, seconds: i64) -> (usize, usize, usize) {
    let closed = house.table(TAG).closed_at.unwrap();
    house.round_at(closed.saturating_add(SignedDuration::from_secs(seconds)).unwrap());
    let notices: Vec<usize> = everyone().map(|player| count_of(house, player, "notice")).collect();
    assert!(notices.iter().all(|count| *count == notices[0]), "{notices:?}");
    assert_eq!(count(house, MODERATOR, "notice"), notices[0]);
    (count(house, HOST, "alert"), count(house, COHOST, "alert"), notices[0])
}

#[test]
fn the_host_then_the_cohosts_then_everybody_once_each() {
    let mut house = of_two_hosts("approve");
    const HOUR: i64 = 3600;
    for (seconds, told) in [
        (HOUR - 1, (0, 0, 0)),
        (HOUR, (1, 0, 0)),
        (3 * HOUR - 1, (1, 0, 0)),
        (3 * HOUR, (2, 1, 0)),
        (6 * HOUR - 1, (2, 1, 0)),
        (6 * HOUR, (2, 1, 1)),
        (100 * HOUR, (2, 1, 1)),
    ] {
        assert_eq!(at(&mut house, seconds), told, "{seconds} s after the deadline");
    }
    order(&mut house, "Опубликовать");
    house.close(TAG);
    // Both are told at once that nobody has voted; the host is reminded of this turn too.
    assert_eq!(at(&mut house, HOUR), (4, 2, 1), "the next turn has its own");
}

#[test]
fn after_an_outage_each_is_told_once_and_who_published_in_time_is_not_told_at_all() {
    let mut house = of_two_hosts("approve");
    house.shut();
    house.wait(20 * 3600);
    house.open();
    assert_eq!(at(&mut house, 20 * 3600), (1, 1, 1));
    let mut quick = of_two_hosts("approve");
    quick.command(TAG, Command::Publish);
    assert_eq!(at(&mut quick, 10 * 3600), (0, 0, 0));
    let mut auto = of_two_hosts("auto");
    assert_eq!(at(&mut auto, 5 * 3600), (0, 0, 0));
}

/// Of a turn that waits for the host it may still be said who was silent in it, and who was not.
#[test]
fn while_the_results_wait_it_is_still_told_who_was_silent_in_that_turn() {
    let mut house = of_two_hosts("approve");
    let warned = |house: &mut House| {
        let report = house.table(TAG).game.pending.unwrap();
        report.warned.iter().map(|who| who.0).collect::<Vec<_>>()
    };
    assert_eq!(warned(&mut house), Vec::<u16>::new());
    let told = order(&mut house, "Молчали - Вера, Егор\nПисали - Егор");
    assert!(told.subject.contains("2 из 2"), "{told:?}");
    assert_eq!(warned(&mut house), [2]);
    let shown = house.got(COHOST).into_iter().rfind(|got| got.kind == "preview").unwrap();
    assert!(shown.body.contains("Вера: предупреждение за молчание"), "the hosts see what changed: {}", shown.body);
    let by_itself = house.got(HOST).into_iter().rfind(|got| got.kind == "answer").unwrap().body;
    let by_itself = by_itself.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(by_itself.contains("Ход 1 рассчитан заново"), "{by_itself}");
    order(&mut house, "Опубликовать");
    assert_eq!(count_of(&house, 2, "warning"), 1);
    assert_eq!(count_of(&house, 5, "warning"), 0);
    let counts: Vec<u32> = house.table(TAG).seats().map(|(_, player)| player.warned).collect();
    assert_eq!(counts, [0, 0, 1, 0, 0, 0, 0]);
    // Whose silence was taken back is silent from where he was before.
    let anew: Vec<u16> = house.table(TAG).activity.anew.keys().map(|who| who.0).collect();
    assert_eq!(anew, [2]);
}
