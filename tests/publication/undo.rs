//! A resolution that is taken back: before publication without a trace, after it with a correction to exactly those
//! whose letters change.

use std::collections::BTreeMap;
use std::process::Command as Process;

use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::{Command, CommandError, NotDone};
use omerta::desk::fold;
use omerta::rules::{Kind, PlayerId};
use omerta::table::{Phase, Table};

use crate::house::binary::Said;
use crate::house::{Got, House, address};
use crate::town::{
    ANNA, BORIS, DARJA, EGOR, GLEB, HOST, MODERATOR, TAG, VERA, ZHANNA, after_a_murder, confirm, count, count_of,
    everyone, order, town,
};

/// A letter that the server took ten seconds before the deadline of the first turn, and that we find only now.
fn find_late(house: &mut House, player: u16, text: &str) {
    let deadline = house.table(TAG).closed_at.unwrap();
    let before = deadline.saturating_sub(SignedDuration::from_secs(10)).unwrap();
    house.write_at(TAG, player, text, before, 0);
    house.round();
    house.round();
}

/// The journal alone gives the table, and its export verifies.
fn replays(house: &mut House) {
    let rows = house.daemon().desk().store.read(|tx| tx.events_after(tx.game(TAG)?.unwrap().id, 0, 100_000)).unwrap();
    let mut folded: Option<Table> = None;
    for row in rows {
        fold(&mut folded, row.at, &serde_json::from_str(&row.body).unwrap());
    }
    let table = house.table(TAG);
    assert_eq!(folded.unwrap(), table);
    assert_eq!(serde_json::from_str::<Table>(&serde_json::to_string(&table).unwrap()).unwrap(), table);
    let omerta =
        |arguments: &[&str]| Said::of(&Process::new(env!("CARGO_BIN_EXE_omerta")).args(arguments).output().unwrap());
    let config = house.folder.join("config.toml");
    let export = omerta(&["export", TAG, "--config", config.to_str().unwrap()]);
    let file = house.folder.join("export.jsonl");
    std::fs::write(&file, &export.out).unwrap();
    let verified = omerta(&["verify", file.to_str().unwrap()]);
    assert_eq!((verified.code, verified.err.as_str()), (0, ""), "{}", export.out);
}

#[test]
fn before_publication_the_turn_is_judged_again_with_a_letter_that_was_found_late() {
    let mut house = after_a_murder("approve", "Анна");
    find_late(&mut house, GLEB, "Лечение - Анна");
    let dies = |house: &mut House| house.table(TAG).game.pending.map(|report| report.deaths.len());
    assert_eq!(dies(&mut house), Some(1), "it changes nothing by itself");
    let told = house.last(TAG, GLEB, "receipt").body.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("пришло вовремя") && told.contains("закрыт, когда письмо нашлось"), "{told}");
    assert!(!told.contains("после срока"), "{told}");
    let said = order(&mut house, "Отменить ход");
    assert!(said.body.contains("Расчёт хода 1 отменён"), "{}", said.body);
    assert_eq!((dies(&mut house), house.table(TAG).phase), (None, Phase::Review));
    let held = house.table(TAG);
    for command in [Command::Extend { by: "1h".to_owned() }, Command::Preview, Command::Undo, Command::Pause] {
        assert!(house.try_command(TAG, command).is_err(), "no voting is opened again");
    }
    assert_eq!(house.table(TAG), held);
    house.wait(3600 * 24);
    house.round();
    assert!(house.table(TAG).is_taken_back(), "nobody judges it but the host");
    let said = order(&mut house, "Закрыть ход");
    assert!(said.body.contains("рассчитан заново"), "{}", said.body);
    assert_eq!(dies(&mut house), Some(0));
    order(&mut house, "Опубликовать");
    for player in everyone() {
        assert_eq!((count_of(&house, player, "summary"), count_of(&house, player, "death")), (1, 0));
        assert_eq!(count_of(&house, player, "correction"), 0);
    }
    replays(&mut house);
}

#[test]
fn a_copy_that_was_in_time_counts_when_the_turn_is_judged_again() {
    let mut house = after_a_murder("approve", "Анна");
    let deadline = house.table(TAG).closed_at.unwrap();
    let raw = crate::house::raw_letter(&address(TAG, GLEB), TAG, "twice@players.test", "Лечение - Анна");
    house.drop_in(&raw, deadline, 0);
    house.round();
    house.drop_in(&raw, deadline.saturating_sub(SignedDuration::from_secs(60)).unwrap(), 0);
    house.round();
    assert_eq!(house.table(TAG).game.pending.unwrap().deaths.len(), 1);
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Resolve);
    assert_eq!(house.table(TAG).game.pending.unwrap().deaths.len(), 0);
    replays(&mut house);
}

/// The letters of turn 1 that its publication owes, by reader: kind and text.
fn results(house: &House) -> BTreeMap<String, Vec<(String, String)>> {
    let readers = everyone().map(|player| address(TAG, player)).chain([HOST.to_owned(), MODERATOR.to_owned()]);
    let of_turn = |got: &Got| {
        let kinds = ["summary", "death", "result", "digest", "promotion", "note", "warning", "notice", "conversion"];
        got.turn == 1 && kinds.contains(&got.kind.as_str())
    };
    readers
        .map(|reader| {
            let mut letters: Vec<(String, String)> = house
                .got(&reader)
                .into_iter()
                .filter(of_turn)
                .map(|got| (got.kind.clone(), format!("{}{:?}", got.body, got.attachments)))
                .collect();
            letters.sort();
            (reader, letters)
        })
        .collect()
}

/// Whoever would have got other letters, had the late one come in time, gets a correction; nobody else.
#[test]
fn after_publication_exactly_those_are_corrected_whose_letters_change() {
    let late = [
        (VERA, "Проверка - Борис"),
        (GLEB, "Лечение - Анна"),
        (GLEB, "Лечение - Егор"),
        (ANNA, "Записка - Егор: берегите себя"),
        (BORIS, "Отмена - Убийство"),
        (VERA, "Пистолет - Жанна"),
        (EGOR, "ЛС - Анна: привет"),
    ];
    let (mut corrected, mut spared) = (0, 0);
    for (player, text) in late {
        let mut house = after_a_murder("auto", "Анна");
        house.round();
        let was = results(&house);
        find_late(&mut house, player, text);
        house.command(TAG, Command::Undo);
        house.command(TAG, Command::Resolve);
        house.round();
        house.round();
        assert_eq!(house.table(TAG).game.turn, 2);
        replays(&mut house);
        let mut twin = town("auto");
        for clan in [BORIS, ZHANNA] {
            twin.write(TAG, clan, "Убийство - Анна");
        }
        let deadline = twin.table(TAG).deadline.unwrap();
        twin.write_at(TAG, player, text, deadline.saturating_sub(SignedDuration::from_secs(10)).unwrap(), 0);
        twin.close(TAG);
        twin.round();
        let should = results(&twin);
        for (reader, letters) in &was {
            let corrections = count(&house, reader, "correction");
            let differs = letters != &should[reader];
            assert_eq!(corrections, usize::from(differs), "{text}: {reader}");
            if differs {
                corrected += 1;
                let correction = house.got(reader).into_iter().find(|got| got.kind == "correction").unwrap();
                for (kind, body) in should[reader].iter().filter(|letter| !letters.contains(letter)) {
                    let first = body.split("\n\n").next().unwrap();
                    assert!(correction.body.contains(first), "{text}: no {kind} for {reader}: {}", correction.body);
                }
            } else {
                spared += 1;
            }
            assert_eq!(&results(&house)[reader], letters, "nothing else of the turn is sent again: {reader}");
        }
    }
    assert!(corrected > 10 && spared > 10, "{corrected} corrected, {spared} spared");
}

#[test]
fn a_check_found_late_is_told_to_those_who_learn_it_and_to_the_host_alone() {
    let mut house = after_a_murder("auto", "Анна");
    find_late(&mut house, VERA, "Проверка - Борис");
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Resolve);
    house.round();
    let with: Vec<u16> = everyone().filter(|player| count_of(&house, *player, "correction") > 0).collect();
    assert_eq!(with, [VERA, DARJA]);
    assert_eq!((count(&house, HOST, "correction"), count(&house, MODERATOR, "correction")), (1, 0));
    let told = house.last(TAG, VERA, "correction");
    assert!(told.body.contains("игрок Борис — мафиози") && told.turn == 1, "{}", told.body);
    assert!(!told.subject.contains("мафи"), "{}", told.subject);
}

/// Who comes to a seat while the turn is taken back was never told of it, though nothing changes for the others.
#[test]
fn who_came_to_a_seat_meanwhile_gets_the_turn_in_full() {
    let mut house = town("auto");
    house.write(TAG, VERA, "Проверка - Борис");
    house.close(TAG);
    house.round();
    house.command(TAG, Command::Undo);
    let replaced = Command::Replace { nick: "Вера".to_owned(), address: "nina@new.test".to_owned() };
    house.command(TAG, replaced);
    house.round();
    house.command(TAG, Command::Resolve);
    house.round();
    house.round();
    let kinds: Vec<String> = house.got("nina@new.test").into_iter().map(|got| got.kind).collect();
    assert_eq!(kinds, ["replacement", "summary", "result"]);
    assert!(house.got("nina@new.test").pop().unwrap().body.contains("игрок Борис — мафиози"));
    for player in everyone() {
        assert_eq!(count_of(&house, player, "correction"), 0);
        assert_eq!(count_of(&house, player, "summary"), 1);
    }
    replays(&mut house);
}

#[test]
fn the_next_turn_keeps_its_requests_and_its_deadline() {
    let mut house = after_a_murder("auto", "Анна");
    house.write(TAG, GLEB, "Суд Линча - Борис");
    house.write(TAG, DARJA, "Суд Линча - Анна");
    house.round();
    let deadline = house.table(TAG).deadline;
    find_late(&mut house, GLEB, "Лечение - Анна");
    house.command(TAG, Command::Undo);
    house.wait(60);
    house.write(TAG, EGOR, "Суд Линча - Жанна");
    let receipts = count_of(&house, EGOR, "receipt");
    house.round();
    house.round();
    assert_eq!(count_of(&house, EGOR, "receipt"), receipts, "it waits: the next turn is not open");
    house.command(TAG, Command::Resolve);
    house.round();
    house.round();
    let table = house.table(TAG);
    assert_eq!((table.phase, table.game.turn, table.deadline), (Phase::Open, 2, deadline));
    let voted = |who: u16| table.game.ledger.stands(PlayerId(who), Kind::Lynch).map(|line| line.target);
    assert_eq!(voted(GLEB), Some(PlayerId(BORIS)));
    assert_eq!(voted(EGOR), Some(PlayerId(ZHANNA)));
    // She had been dead when that vote came, and is alive now.
    assert_eq!(voted(DARJA), Some(PlayerId(ANNA)));
    assert_eq!(count_of(&house, EGOR, "receipt"), receipts + 1);
    replays(&mut house);
    house.close(TAG);
    // Many have not voted, so that it waits.
    house.command(TAG, Command::Publish);
    assert_eq!(house.table(TAG).game.turn, 3);
    let refused = house.try_command(TAG, Command::Undo);
    assert!(refused.is_ok(), "turn 2 is the last one now: {refused:?}");
}

#[test]
fn letters_that_had_not_left_are_cancelled_and_go_out_anew_in_full() {
    let mut house = after_a_murder("approve", "Анна");
    find_late(&mut house, GLEB, "Лечение - Анна");
    house.command(TAG, Command::Publish);
    house.command(TAG, Command::Undo);
    let states = |house: &mut House| -> BTreeMap<&'static str, usize> {
        let store = &house.daemon().desk().store;
        let rows = store.read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap();
        let of_turn = rows.iter().filter(|row| row.turn == 1 && ["summary", "death"].contains(&row.kind.as_str()));
        of_turn.fold(BTreeMap::new(), |mut counts, row| {
            *counts.entry(row.state.word()).or_default() += 1;
            counts
        })
    };
    assert_eq!(states(&mut house), BTreeMap::from([("cancelled", 9)]));
    house.round();
    assert_eq!(count_of(&house, ANNA, "death") + count_of(&house, EGOR, "summary"), 0);
    house.command(TAG, Command::Resolve);
    house.command(TAG, Command::Publish);
    house.round();
    house.round();
    for player in everyone() {
        assert_eq!((count_of(&house, player, "summary"), count_of(&house, player, "correction")), (1, 0));
        assert_eq!(count_of(&house, player, "death"), 0);
    }
    assert_eq!(states(&mut house), BTreeMap::from([("cancelled", 9), ("sent", 8)]));
}

#[test]
fn taken_back_twice_everybody_ends_with_what_is_true() {
    let mut house = after_a_murder("auto", "Анна");
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Resolve);
    house.round();
    for player in everyone() {
        assert_eq!(count_of(&house, player, "correction"), 0, "nothing has changed");
    }
    find_late(&mut house, GLEB, "Лечение - Анна");
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Publish);
    // Before these corrections leave, the host rules otherwise: what was told first is true again.
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Rule { nick: "Анна".to_owned(), alive: false, text: "так решено".to_owned() });
    house.command(TAG, Command::Publish);
    house.round();
    house.round();
    let table = house.table(TAG);
    assert_eq!((table.game.turn, table.living().count()), (2, 6));
    for player in everyone() {
        assert_eq!(count_of(&house, player, "correction"), 1, "what he has got is not certain");
    }
    replays(&mut house);
}

#[test]
fn by_letter_taking_back_what_was_published_wants_a_second_word() {
    let mut house = after_a_murder("auto", "Анна");
    let asked = order(&mut house, "Отменить ход");
    assert_eq!((asked.kind.as_str(), house.table(TAG).phase), ("confirm", Phase::Open));
    confirm(&mut house, &asked);
    assert!(house.table(TAG).is_taken_back());
    let said = order(&mut house, "Закрыть ход\nОтменить игру - нет");
    assert!(said.body.contains("рассчитан заново и опубликован"), "{}", said.body);
    assert_eq!((house.table(TAG).phase, house.table(TAG).game.turn), (Phase::Open, 2));
}

/// The line above has published the turn by then, though it was not published when the letter came.
#[test]
fn by_letter_taking_back_what_a_line_above_publishes_wants_a_second_word_too() {
    for (publish, above) in [("approve", "Опубликовать"), ("auto", "Закрыть ход")] {
        let mut house = after_a_murder(publish, "Анна");
        if publish == "auto" {
            house.command(TAG, Command::Undo);
        }
        let asked = order(&mut house, &format!("{above}\nОтменить ход"));
        assert_eq!((asked.kind.as_str(), house.table(TAG).phase), ("confirm", Phase::Review), "{}", asked.body);
        let said = confirm(&mut house, &asked);
        assert!(said.subject.contains("сделано 2 из 2"), "{}", said.subject);
        assert!(house.table(TAG).is_taken_back());
    }
    // In the other order nothing is taken back that anybody has read.
    let mut house = after_a_murder("approve", "Анна");
    let said = order(&mut house, "Отменить ход\nОпубликовать");
    assert_eq!(said.kind, "answer", "{}", said.body);
    assert!(said.body.contains("Расчёт хода 1 отменён"), "{}", said.body);
}

#[test]
fn there_is_not_always_something_to_take_back() {
    let mut house = town("auto");
    let refused = house.try_command(TAG, Command::Undo);
    assert!(matches!(refused, Err(CommandError::NotDone(NotDone::NothingToTakeBack))), "{refused:?}");
    let rule = Command::Rule { nick: "Анна".to_owned(), alive: false, text: "нет".to_owned() };
    let refused = house.try_command(TAG, rule);
    assert!(matches!(refused, Err(CommandError::NotDone(NotDone::NothingToRule))), "{refused:?}");
}

#[test]
fn a_next_deadline_that_passed_meanwhile_is_set_anew_and_told() {
    let mut house = after_a_murder("auto", "Анна");
    let was = house.table(TAG).deadline.unwrap();
    house.command(TAG, Command::Undo);
    let later: Timestamp = was.saturating_add(SignedDuration::from_secs(60)).unwrap();
    house.round_at(later);
    house.command(TAG, Command::Resolve);
    house.round();
    assert!(house.table(TAG).deadline.unwrap() > later);
    for player in everyone() {
        // That results are awaited, and the new deadline.
        assert_eq!((count_of(&house, player, "correction"), count_of(&house, player, "notice")), (0, 2));
    }
}

/// The host has seen them and let the turn go; judged again it waits for no second word.
#[test]
fn misses_that_were_told_once_hold_the_turn_no_second_time() {
    let mut house = town("auto");
    house.close(TAG);
    house.close(TAG);
    assert_eq!((house.table(TAG).phase, house.table(TAG).game.turn), (Phase::Review, 2), "nobody has voted");
    house.command(TAG, Command::Publish);
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Resolve);
    assert_eq!((house.table(TAG).phase, house.table(TAG).game.turn), (Phase::Open, 3));
}
