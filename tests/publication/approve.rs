//! The host sees the turn before anybody else does, adds his story, and lets it go; or time does.

use std::process::Command as Process;

use omerta::desk::command::{Command, CommandError, NotDone};
use omerta::journal::Entry;
use omerta::table::Phase;

use crate::house::binary::Said;
use crate::town::{ANNA, BORIS, GLEB, HOST, MODERATOR, TAG, after_a_murder, count, count_of, everyone, order, town};

/// What a letter says without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

#[test]
fn the_host_sees_every_letter_before_anybody_gets_one_and_lets_them_go_by_letter() {
    let mut house = after_a_murder("approve", "Анна");
    assert_eq!(house.table(TAG).phase, Phase::Review);
    for player in everyone() {
        assert_eq!(count_of(&house, player, "summary") + count_of(&house, player, "death"), 0);
    }
    assert_eq!(count(&house, HOST, "alert"), 0, "the preview says all that the alert would");
    let preview = house.got(HOST).into_iter().find(|got| got.kind == "preview").unwrap();
    assert_eq!(preview.turn, 1);
    let published = order(&mut house, "Опубликовать");
    assert!(published.body.contains("Сделано. Итоги опубликованы."), "{}", published.body);
    let shown = flat(&preview.body);
    let mut letters = 0;
    for player in everyone() {
        for got in house.got_by(TAG, player).iter().filter(|got| got.turn == 1 && got.kind != "role") {
            if ["opening", "receipt"].contains(&got.kind.as_str()) {
                continue;
            }
            letters += 1;
            let first = got.body.split("\n\n").next().unwrap();
            assert!(shown.contains(&flat(first)), "{} of {player} was not shown: {}", got.kind, got.body);
        }
    }
    assert!(letters >= 8, "seven summaries and a death: {letters}");
    let post = house.got(MODERATOR).into_iter().find(|got| got.kind == "summary").unwrap();
    let post = post.attachments.values().next().unwrap().clone();
    assert!(shown.contains(&flat(&post)), "{post}\n{}", preview.body);
}

#[test]
fn a_preview_tells_no_proof_word_and_no_seed() {
    // The commissioner dies, so that the sergeant gets a new card.
    let house = after_a_murder("approve", "Вера");
    let preview = house.got(HOST).into_iter().find(|got| got.kind == "preview").unwrap();
    assert!(preview.body.contains("•••"), "{}", preview.body);
    for player in everyone() {
        let card = house.last(TAG, player, "role").body;
        let word = card
            .split(|c: char| c.is_whitespace() || "«».,;".contains(c))
            .find(|word| {
                word.rsplit_once('-').is_some_and(|(name, number)| {
                    number.len() == 2 && number.parse::<u8>().is_ok() && name.chars().all(char::is_alphabetic)
                })
            })
            .unwrap_or_else(|| panic!("no proof word in {card}"));
        assert!(!preview.body.contains(word), "{word}");
    }
}

#[test]
fn the_story_opens_every_summary_of_its_turn_alone() {
    let mut house = town("approve");
    order(&mut house, "Сюжет - черновик");
    for clan in [BORIS, 6] {
        house.write(TAG, clan, "Убийство - Анна");
    }
    house.close(TAG);
    let told = order(&mut house, "Сюжет - Шёл дождь.\nНа пристани нашли чемодан.\nКонец\nПредпросмотр");
    assert!(told.subject.contains("сделано 2 из 2"), "{}", told.subject);
    assert!(told.body.contains("прежний отброшен"), "{}", told.body);
    let previews: Vec<_> = house.got(HOST).into_iter().filter(|got| got.kind == "preview").collect();
    assert!(previews[0].body.contains("черновик") && previews[1].body.contains("│ На пристани нашли чемодан."));
    order(&mut house, "Опубликовать");
    for player in everyone() {
        let summary = house.last(TAG, player, "summary");
        assert!(summary.body.contains("│ Шёл дождь.\n│ На пристани нашли чемодан.\n"), "{}", summary.body);
        assert!(!summary.body.contains("черновик"));
    }
    let post = house.got(MODERATOR).into_iter().find(|got| got.kind == "summary").unwrap();
    let post = post.attachments.values().next().unwrap().clone();
    assert!(post.contains("Шёл дождь.") && !post.contains('│'), "{post}");
    house.close(TAG);
    order(&mut house, "Опубликовать");
    let second = house.last(TAG, GLEB, "summary");
    assert!(second.turn == 2 && !second.body.contains("Шёл дождь"), "{}", second.body);
}

#[test]
fn commands_out_of_place_change_nothing_and_say_what_to_do() {
    let mut house = town("approve");
    let before = house.journal(TAG).len();
    for command in [Command::Preview, Command::Publish] {
        let refused = house.try_command(TAG, command);
        assert!(matches!(refused, Err(CommandError::NotDone(NotDone::NothingToPublish))), "{refused:?}");
    }
    assert!(house.try_command(TAG, Command::Story { text: " \n".to_owned() }).is_err());
    assert_eq!(house.journal(TAG).len(), before);
    let answer = order(&mut house, "Сюжет");
    assert!(answer.body.contains("Пишите так: Сюжет - ‹ваши слова›"), "{}", answer.body);
    assert!(!house.journal(TAG).iter().any(|entry| matches!(entry, Entry::StoryTold { .. })));
}

#[test]
fn the_command_line_shows_the_same_letters() {
    let mut house = after_a_murder("approve", "Анна");
    house.shut();
    let config = house.folder.join("config.toml");
    let omerta = |arguments: &[&str]| {
        let all = [arguments, &["--config", config.to_str().unwrap()]].concat();
        Said::of(&Process::new(env!("CARGO_BIN_EXE_omerta")).args(all).output().unwrap())
    };
    let story = omerta(&["game", "story", TAG, "Шёл", "дождь."]);
    assert_eq!((story.code, story.err.as_str()), (0, ""));
    let text = omerta(&["game", "preview", TAG]);
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(text.out.contains("=== death to Анна\n") && text.out.contains("│ Шёл дождь."), "{}", text.out);
    let json = omerta(&["game", "preview", TAG, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let kinds: Vec<&str> = json.as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["summary", "summary", "death", "digest"]);
    assert_eq!(omerta(&["game", "publish", TAG]).code, 0);
    let late = omerta(&["game", "preview", TAG]);
    assert_eq!(late.code, 65);
    assert!(late.err.contains("omerta game show"), "{}", late.err);
}

#[test]
fn time_lets_a_turn_go_where_the_settings_say_so() {
    let mut house = after_a_murder("approve 6h", "Анна");
    let closed = house.table(TAG).closed_at.unwrap();
    let later =
        |hours: i64, seconds: i64| closed.saturating_add(jiff::SignedDuration::from_secs(hours * 3600 + seconds));
    house.round_at(later(6, -1).unwrap());
    assert_eq!(house.table(TAG).phase, Phase::Review);
    house.round_at(later(6, 0).unwrap());
    assert_eq!((house.table(TAG).phase, house.table(TAG).game.turn), (Phase::Open, 2));
    assert_eq!(count_of(&house, ANNA, "death"), 1);
    let mut silent = after_a_murder("approve", "Анна");
    silent.round_at(later(1000, 0).unwrap());
    assert_eq!(silent.table(TAG).phase, Phase::Review, "without a time it waits");
}
