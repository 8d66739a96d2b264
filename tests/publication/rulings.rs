//! What the host rules before publication (R112), and what follows from it.

use omerta::desk::command::{Command, CommandError, NotDone};
use omerta::rules::{PlayerId, Role};
use omerta::why::{self, Story};

use crate::house::House;
use crate::town::{
    ANNA, BORIS, DARJA, EGOR, HOST, TAG, VERA, after_a_murder, confirm, count, count_of, everyone, order, town,
};

fn rule(house: &mut House, nick: &str, alive: bool) {
    house.command(TAG, Command::Rule { nick: nick.to_owned(), alive, text: "так решено".to_owned() });
}

fn reasons(house: &mut House, about: u16) -> String {
    let rows = house.daemon().desk().store.read(|tx| tx.events_after(tx.game(TAG)?.unwrap().id, 0, 100_000)).unwrap();
    let journal: Vec<_> = rows.into_iter().map(|row| (row.at, serde_json::from_str(&row.body).unwrap())).collect();
    let story = Story::of(journal, None).unwrap();
    why::words::plain(&why::words::say(&story, &why::explain(&story, Some(PlayerId(about))), house.now()))
}

#[test]
fn by_letter_a_ruling_saves_after_a_second_word_and_is_a_reason() {
    let mut house = after_a_murder("approve", "Анна");
    let asked = order(&mut house, "Решение - Анна: жива, письмо доктора потерялось не по его вине");
    assert_eq!(asked.kind, "confirm");
    assert_eq!(house.table(TAG).game.pending.unwrap().deaths.len(), 1);
    let said = confirm(&mut house, &asked);
    assert!(said.body.contains("Решено: игрок Анна жив."), "{}", said.body);
    assert_eq!(house.table(TAG).game.pending.unwrap().deaths.len(), 0);
    assert_eq!(count(&house, HOST, "preview"), 2, "the host sees what he has done");
    assert!(reasons(&mut house, ANNA).contains("Ведущий решает до публикации: игрок Анна жив"));
    order(&mut house, "Опубликовать");
    assert_eq!((house.table(TAG).living().count(), count_of(&house, ANNA, "death")), (7, 0));
}

#[test]
fn whoever_is_ruled_dead_is_succeeded() {
    let mut house = after_a_murder("approve", "Анна");
    rule(&mut house, "Вера", false);
    rule(&mut house, "Анна", true);
    house.command(TAG, Command::Publish);
    house.round();
    let table = house.table(TAG);
    assert_eq!(table.player(PlayerId(DARJA)).unwrap().role, Some(Role::Commissioner));
    assert_eq!((count_of(&house, VERA, "death"), count_of(&house, ANNA, "death")), (1, 0));
    assert_eq!(count_of(&house, DARJA, "promotion"), 1);
    assert!(reasons(&mut house, VERA).contains("Ведущий решает до публикации: игрок Вера мёртв"));
}

#[test]
fn a_ruling_may_end_the_game() {
    let mut house = after_a_murder("approve", "Анна");
    rule(&mut house, "Борис", false);
    rule(&mut house, "Жанна", false);
    let preview = house.got(HOST).into_iter().filter(|got| got.kind == "preview").count();
    house.round();
    assert!(count(&house, HOST, "preview") > preview);
    let shown = house.got(HOST).into_iter().rfind(|got| got.kind == "preview").unwrap();
    assert!(shown.body.contains("(откроется с публикацией)"), "{}", shown.body);
    assert!(!shown.body.contains(&"05".repeat(8)), "the seed is told at the end alone");
    house.command(TAG, Command::Publish);
    house.round();
    house.round();
    assert_eq!(house.table(TAG).state, omerta::table::State::Finished);
    for player in everyone() {
        assert_eq!(count_of(&house, player, "final"), 1);
    }
    assert!(house.try_command(TAG, Command::Undo).is_err());
}

#[test]
fn a_ruling_is_whole_or_refused_and_undo_takes_it_back() {
    let mut house = after_a_murder("approve", "Анна");
    let before = house.journal(TAG).len();
    for (nick, text) in [("Никто", "так"), ("Егор", " ")] {
        let wrong = Command::Rule { nick: nick.to_owned(), alive: false, text: text.to_owned() };
        assert!(house.try_command(TAG, wrong).is_err());
    }
    assert_eq!(house.journal(TAG).len(), before);
    let said = order(&mut house, "Решение - Егор: как-нибудь");
    let said = if said.kind == "confirm" { confirm(&mut house, &said) } else { said };
    assert!(said.body.contains("Решение - ‹Ник: жив, ваши слова›"), "{}", said.body);
    rule(&mut house, "Егор", false);
    assert_eq!(house.table(TAG).game.pending.unwrap().deaths.len(), 2);
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Resolve);
    assert_eq!(house.table(TAG).game.pending.unwrap().deaths.len(), 1);
    house.command(TAG, Command::Publish);
    house.round();
    assert_eq!(count_of(&house, EGOR, "death"), 0);
    let late = Command::Rule { nick: "Егор".to_owned(), alive: false, text: "поздно".to_owned() };
    let late = house.try_command(TAG, late);
    assert!(matches!(late, Err(CommandError::NotDone(NotDone::NothingToRule))), "{late:?}");
}

/// The co-hosts, too, learn what was ruled and why.
#[test]
fn a_ruling_stands_in_the_digest_and_in_the_morning_letter() {
    let mut house = after_a_murder("approve", "Анна");
    rule(&mut house, "Анна", true);
    rule(&mut house, "Егор", false);
    let preview = house.table(TAG);
    assert_eq!(preview.game.pending.unwrap().deaths.len(), 1);
    house.command(TAG, Command::Publish);
    house.round();
    let flat = |body: &str| body.split_whitespace().collect::<Vec<_>>().join(" ");
    let digest = house.got(HOST).into_iter().rfind(|got| got.kind == "digest").unwrap();
    let body = flat(&digest.body);
    assert!(body.contains("По решению ведущего игрок Анна жив (R112): так решено"), "{body}");
    assert!(body.contains("По решению ведущего игрок Егор мёртв (R112): так решено"), "{body}");
    house.round_at("2026-12-01T06:00:00Z".parse().unwrap());
    let morning = house.got(HOST).into_iter().rfind(|got| got.subject.contains("утренняя сводка")).unwrap();
    let body = flat(&morning.body);
    assert!(body.contains("ведущий решил (R112): игрок Анна жив, игрок Егор мёртв"), "{body}");
    for player in everyone() {
        let letters = house.got_by(TAG, player);
        assert!(letters.iter().all(|got| !got.body.contains("решению ведущего")), "{player}");
    }
}

/// One who changes his mind thousands of times makes no digest of thousands of lines.
#[test]
fn of_what_had_no_effect_the_last_is_told_and_the_rest_is_counted() {
    let mut house = town("auto");
    for number in 0..15 {
        house.write(TAG, BORIS, ["Убийство - Анна", "Убийство - Вера"][number % 2]);
    }
    house.close(TAG);
    let digest = house.got(HOST).into_iter().rfind(|got| got.kind == "digest").unwrap();
    let body = digest.body.split_whitespace().collect::<Vec<_>>().join(" ");
    // Fourteen were replaced by later ones.
    assert_eq!(body.matches("Борис: убийство").count(), 10 + 1, "{body}");
    assert!(body.contains("Борис: без действия ещё 4 заявки из отправленных раньше"), "{body}");
}

/// An ending too waits for the host's word, and until then he may take it back.
#[test]
fn an_ending_is_taken_back_until_it_is_published_and_not_after() {
    let mut house = after_a_murder("approve", "Анна");
    rule(&mut house, "Борис", false);
    rule(&mut house, "Жанна", false);
    assert!(house.table(TAG).game.pending.unwrap().winner.is_some());
    house.command(TAG, Command::Undo);
    house.command(TAG, Command::Resolve);
    assert!(house.table(TAG).game.pending.unwrap().winner.is_none());
    for player in everyone() {
        assert_eq!(count_of(&house, player, "final"), 0);
    }
    rule(&mut house, "Борис", false);
    rule(&mut house, "Жанна", false);
    house.command(TAG, Command::Publish);
    house.round();
    let refused = house.try_command(TAG, Command::Undo);
    assert!(matches!(refused, Err(CommandError::NotDone(NotDone::EndIsTold))), "{refused:?}");
}

/// Published or not, what was ruled goes with the resolution.
#[test]
fn a_ruling_is_taken_back_after_publication_too_and_the_host_is_told() {
    let mut house = after_a_murder("approve", "Анна");
    let asked = order(&mut house, "Решение - Анна: жива, так решено");
    let said = confirm(&mut house, &asked);
    let flat = |body: &str| body.split_whitespace().collect::<Vec<_>>().join(" ");
    let promise = "«Отменить ход», до публикации или после, снимет все решения по этому ходу.";
    assert!(flat(&said.body).contains(promise), "{}", said.body);
    order(&mut house, "Опубликовать");
    assert_eq!(house.table(TAG).living().count(), 7);
    let asked = order(&mut house, "Отменить ход");
    let said = confirm(&mut house, &asked);
    assert!(flat(&said.body).contains("ваши решения по этому ходу сняты"), "{}", said.body);
    order(&mut house, "Закрыть ход");
    let table = house.table(TAG);
    assert_eq!((table.game.pending.map(|report| report.deaths.len()), table.circumstances.rulings.len()), (Some(1), 0));
    order(&mut house, "Опубликовать");
    house.round();
    assert_eq!((house.table(TAG).living().count(), count_of(&house, ANNA, "correction")), (6, 1));
}

/// What follows the ruling in its letter stands in the preview, and there is one of both.
#[test]
fn the_preview_is_of_the_letters_as_they_will_leave() {
    let mut house = after_a_murder("approve", "Анна");
    let previews = |house: &House| house.got(HOST).into_iter().filter(|got| got.kind == "preview").collect::<Vec<_>>();
    order(&mut house, "Сюжет - Ясное утро.");
    let before = previews(&house);
    assert!(before.last().unwrap().body.contains("Ясное утро."), "a new story is shown");
    let asked = order(&mut house, "Решение - Анна: жива, так решено\nСюжет - Туман.");
    confirm(&mut house, &asked);
    let after = previews(&house);
    assert_eq!(after.len(), before.len() + 1);
    let shown = &after.last().unwrap().body;
    assert!(shown.contains("Туман.") && !shown.contains("Ясное утро."), "{shown}");
}

/// «Да» does what the question quoted, and the question says that there is more.
#[test]
fn what_the_question_did_not_quote_is_named_as_not_meant_and_not_done() {
    let mut house = town("approve");
    let asked = order(&mut house, "Решение - Вера: жива, так решено\nЗамена - Глеб: new@example.org\nСтатус");
    let body = asked.body.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(body.contains("Замена - Глеб") && !body.contains("Решение - Вера"), "{body}");
    assert!(body.contains("Остальные распоряжения письма сейчас невыполнимы"), "{body}");
    let said = confirm(&mut house, &asked);
    assert!(said.subject.contains("сделано 1 из 2"), "{}", said.subject);
    assert!(house.table(TAG).circumstances.rulings.is_empty());
    let whole = order(&mut house, "Замена - Глеб: other@example.org");
    assert!(!whole.body.contains("Остальные распоряжения"), "{}", whole.body);
}
