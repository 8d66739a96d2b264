//! The chain of reasons: of whole games by mail, in both languages.
#![cfg(test)]

mod house;

use expect_test::{ExpectFile, expect_file};
use house::House;
use omerta::desk::command::Command;
use omerta::journal::Entry;
use omerta::letters::Lang;
use omerta::letters::guard::reads_as_request;
use omerta::rules::{PlayerId, Role};
use omerta::why::{self, NoStory, Story};

const TOWN: [(&str, Role); 10] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Sergeant),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
    ("Ирина", Role::Foundling),
    ("Кирилл", Role::Kamikaze),
    ("Лев", Role::Maniac),
];

fn journal(house: &mut House) -> Vec<(jiff::Timestamp, Entry)> {
    let store = &house.daemon().desk().store;
    let rows = store.read(|tx| {
        let head = tx.game("palermo")?.unwrap();
        tx.events_after(head.id, 0, 10_000)
    });
    rows.unwrap().into_iter().map(|row| (row.at, serde_json::from_str(&row.body).unwrap())).collect()
}

fn told(house: &mut House, lang: Lang, turn: Option<u16>, about: Option<u16>) -> String {
    let mut story = Story::of(journal(house), turn).unwrap();
    story.table.lang = lang;
    let chapters = why::explain(&story, about.map(PlayerId));
    let said = why::words::say(&story, &chapters, house.now());
    let text = format!("{}\n{}", why::words::title(&story, house.now()), why::words::plain(&said));
    // Even of players whose nicks are request words.
    for (player, nick) in
        story.table.game.players.iter_mut().zip(["Охота", "Голос", "Hunt", "Суд Линча"].iter().cycle())
    {
        player.nick = (*nick).to_owned();
    }
    let odd = why::words::plain(&why::words::say(&story, &chapters, house.now()));
    for line in text.lines().chain(odd.lines()) {
        assert!(!reads_as_request(line), "reads as a request: {line}");
    }
    text
}

fn check(text: &str, expected: &ExpectFile) {
    expected.assert_eq(text);
}

/// Turn 2: the clan is split, the kamikaze finds the commissioner, whose pistol has stood since turn 1; the doctor is
/// at another bed, and his first heal was replaced.
fn second_turn() -> House {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.write("palermo", 3, "Пистолет - Жанна\nОхота - Борис");
    house.write("palermo", 1, "Убийство - Ирина");
    house.write("palermo", 5, "Лечение - Анна");
    house.close("palermo");
    for voter in [0, 1, 2, 3, 4, 6, 8, 9] {
        let nick = if voter % 2 == 0 { "Егор" } else { "Анна" };
        house.write("palermo", voter, &format!("Суд Линча - {nick}"));
    }
    house.write("palermo", 8, "Поиск - Глеб");
    house.write("palermo", 4, "Лечение - Глеб\nЛечение - Анна");
    house.write("palermo", 1, "Убийство - Анна\nЗаписка - Лев: никому ни слова");
    house.write("palermo", 6, "Убийство - Вера");
    house.write("palermo", 3, "Проверка - Борис");
    house.write("palermo", 7, "Охота - Лев");
    house.write("palermo", 9, "Убийство - Анна");
    house.close("palermo");
    house
}

#[test]
fn the_death_of_a_commissioner_is_explained_to_its_last_cause() {
    let mut house = second_turn();
    check(&told(&mut house, Lang::Ru, None, Some(3)), &expect_file!["why/commissioner.ru.txt"]);
    check(&told(&mut house, Lang::En, None, Some(3)), &expect_file!["why/commissioner.en.txt"]);
}

#[test]
fn a_whole_turn_is_explained() {
    let mut house = second_turn();
    check(&told(&mut house, Lang::Ru, None, None), &expect_file!["why/turn-2.ru.txt"]);
    check(&told(&mut house, Lang::Ru, Some(1), None), &expect_file!["why/turn-1.ru.txt"]);
    check(&told(&mut house, Lang::En, Some(2), None), &expect_file!["why/turn-2.en.txt"]);
}

/// Turn 3: an expulsion, a loss of the vote, a second miss, a split count, a hunt that was not the first, talk, a note
/// whose author dies, and prose with a word too many.
#[test]
fn refusals_misses_and_the_hosts_acts_have_their_reasons() {
    let mut house = second_turn();
    house.write("palermo", 0, "Суд Линча - Вера\nОхота - Борис\nЛС - Вера: это тайна");
    house.write("palermo", 1, "Суд Линча - Анна\nУбийство - Нетакой");
    house.write("palermo", 2, "Охота\nОхота - Лев\nОхота - Борис\nОтмена - Охота\nПроверка - Глеб");
    house.write("palermo", 9, "Суд Линча - Вера");
    house.round();
    house.command("palermo", Command::Deprive { nicks: vec!["Лев".to_owned()], turns: 2 });
    house.command("palermo", Command::Warn { nick: "Дарья".to_owned(), text: "тише".to_owned() });
    house.command("palermo", Command::Expel { nick: "Вера".to_owned(), text: "правило 3".to_owned() });
    house.close("palermo");
    check(&told(&mut house, Lang::Ru, None, None), &expect_file!["why/turn-3.ru.txt"]);
    check(&told(&mut house, Lang::En, None, Some(1)), &expect_file!["why/boris-3.en.txt"]);
    check(&told(&mut house, Lang::Ru, None, Some(2)), &expect_file!["why/vera-3.ru.txt"]);
}

#[test]
fn no_text_of_a_note_or_of_talk_is_told_and_an_open_turn_shows_what_stands() {
    let mut house = second_turn();
    house.write("palermo", 1, "ЛС - Лев: никому ни слова\nКлану: никому ни слова\nСуд Линча - Лев");
    house.round();
    for turn in 1..=3 {
        for about in (0..10).map(Some).chain([None]) {
            for lang in [Lang::Ru, Lang::En] {
                assert!(!told(&mut house, lang, Some(turn), about).contains("никому"), "{turn} {about:?}");
            }
        }
    }
    check(&told(&mut house, Lang::Ru, Some(3), Some(1)), &expect_file!["why/open.ru.txt"]);
    assert_eq!(Story::of(journal(&mut house), Some(4)).unwrap_err(), NoStory::NoTurn { asked: 4, last: 3 });
    assert_eq!(Story::of(journal(&mut house), Some(0)).unwrap_err(), NoStory::NoTurn { asked: 0, last: 3 });
    let begin: Vec<_> = journal(&mut house).into_iter().take(5).collect();
    assert_eq!(Story::of(begin, None).unwrap_err(), NoStory::NotBegun);
}

#[test]
fn the_command_prints_it_for_people_and_for_scripts() {
    let mut house = second_turn();
    let config = house.folder.join("config.toml");
    house.shut();
    let omerta = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.arg("--config").arg(&config).args(arguments).output().unwrap()
    };
    let said = omerta(&["game", "why", "palermo", "глеб", "--turn", "2"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("Глеб (комиссар Каттани): погибает ночью") && text.contains("A64"), "{text}");
    let said = omerta(&["game", "why", "palermo", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&json["tag"], &json["turn"]), (&"palermo".into(), &2.into()));
    assert_eq!(json["chapters"][0]["heading"], "Решение суда");
    assert_eq!(json["chapters"][0]["steps"][0]["clauses"], serde_json::json!(["R66"]));
    for (arguments, expected) in [
        (["game", "why", "palermo", "Никто"], "nobody in this game is called Никто"),
        (["game", "why", "palermo", "--turn=9"], "there is no turn 9: the last one is 3"),
        (["game", "why", "nowhere", "--turn=1"], "there is no game nowhere"),
    ] {
        let said = omerta(&arguments);
        assert_eq!(said.status.code(), Some(65));
        let error = String::from_utf8(said.stderr).unwrap();
        assert!(error.contains(expected), "{error}");
    }
}

/// Nobody but the host learns even that there was a note (A75).
#[test]
fn a_kept_note_is_told_to_the_host_and_stands_in_no_export() {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[("note_on", "mafia_or_lynch")]);
    house.start("palermo");
    house.write("palermo", 0, "Записка - Вера: никому ни слова");
    house.write("palermo", 9, "Убийство - Анна");
    house.close("palermo");
    let text = told(&mut house, Lang::Ru, None, Some(0));
    assert!(
        text.contains("записку игроку Вера; она не передана: после такой смерти записок не передают (A73)"),
        "{text}"
    );
    let mut out = Vec::new();
    omerta::export::export(&house.daemon().desk().store, "palermo", &mut out).unwrap();
    let export = String::from_utf8(out).unwrap();
    assert!(export.contains("\"kept_notes\":[]") && !export.contains("\"note\""), "{export}");
    omerta::export::verify(&export).unwrap();
}
