//! One player leaves, another takes the seat with all that was known there; nobody else learns anything.

use omerta::desk::command::{Command, CommandError, NotDone};
use omerta::journal::Entry;
use omerta::rules::PlayerId;

use crate::house::{House, address};
use crate::town::{HOST, MODERATOR, TAG, VERA, answer_last, mail, mailboxes, town, town_with, vote};

const NEW: &str = "nina@new.test";
const VERIFIED: &str = "[security]\nsender = \"verified\"\nauthserv_ids = [\"mx.game.test\"]\n";

fn replace(house: &mut House, nick: &str, address: &str) {
    house.command(TAG, Command::Replace { nick: nick.to_owned(), address: address.to_owned() });
    house.round();
    house.wait(1);
}

fn refused(house: &mut House, nick: &str, address: &str) -> NotDone {
    let command = Command::Replace { nick: nick.to_owned(), address: address.to_owned() };
    match house.try_command(TAG, command).unwrap_err() {
        CommandError::NotDone(why) => why,
        other => panic!("{other}"),
    }
}

#[test]
fn the_newcomer_gets_all_the_leaver_a_farewell_and_the_others_the_bare_fact() {
    let mut house = town();
    house.write(TAG, VERA, "Суд Линча - Глеб\nПроверка - Егор\nЗаписка - Анна: тайное слово");
    house.round();
    house.wait(1);
    let before: Vec<(String, usize)> =
        mailboxes(&house).into_iter().map(|name| (name.clone(), house.got(&name).len())).collect();
    replace(&mut house, "Вера", NEW);
    let new = house.got(NEW);
    assert_eq!(new.len(), 1, "{new:?}");
    assert_eq!(new[0].kind, "replacement");
    let word = house.proof_word(TAG, VERA);
    for part in [
        "Вы комиссар Каттани",
        "Борис",
        "за вами голос: Глеб",
        "Егор",
        "ваша предсмертная записка уже у ведущего",
        &word,
    ] {
        assert!(new[0].body.contains(part), "{part} in {}", new[0].body);
    }
    let own = address(TAG, VERA);
    let secrets = ["каттани", "комиссар", "борис", "проверк", "егор", "глеб", "слово", "записк", "new.test"];
    for (name, count) in before {
        let more: Vec<_> = house.got(&name).split_off(count);
        assert_eq!(more.len(), 1, "{name}: {more:?}");
        let kind = if name == own { "replacement" } else { "notice" };
        assert_eq!(more[0].kind, kind, "{name}");
        let said = format!("{}\n{}", more[0].subject, more[0].body).to_lowercase();
        let raw = String::from_utf8_lossy(&more[0].raw).to_lowercase();
        for secret in secrets {
            assert!(!said.contains(secret), "{name} reads {secret} in {said}");
        }
        assert!(!raw.contains("new.test"), "{name}");
        assert!(name == own || (said.contains("замена") && said.contains("вера")), "{name}: {said}");
    }
    assert!(house.got(MODERATOR).last().unwrap().body.contains("Вера"));
    let journal = house.journal(TAG);
    let hashed = journal.iter().any(|entry| matches!(entry, Entry::Replaced { address, .. } if address.len() == 64));
    assert!(hashed, "{journal:?}");
    assert!(!serde_json::to_string(&journal).unwrap().contains("new.test"));
}

#[test]
fn the_seat_is_played_from_the_new_address_and_the_old_one_is_shut_out() {
    let mut house = town();
    house.write(TAG, VERA, "Суд Линча - Глеб");
    house.round();
    replace(&mut house, "Вера", NEW);
    assert_eq!(vote(&mut house, VERA).as_deref(), Some("Глеб"), "the vote goes over");
    let old = address(TAG, VERA);
    let heard = house.got(&old).len();
    mail(&mut house, &old, "", "old-1@x.test", "Суд Линча - Анна");
    assert_eq!(vote(&mut house, VERA).as_deref(), Some("Глеб"));
    let answer = house.got(&old).split_off(heard);
    assert!(answer.iter().all(|got| got.kind == "refused"), "a stranger's answer: {answer:?}");
    mail(&mut house, NEW, "", "new-1@x.test", "Суд Линча - Жанна");
    assert_eq!(vote(&mut house, VERA).as_deref(), Some("Жанна"));
}

#[test]
fn neither_the_old_word_nor_an_old_token_proves_the_leaver() {
    let mut house = town_with(VERIFIED);
    let old = address(TAG, VERA);
    let token = house.got(&old).pop().unwrap().message_id;
    let old_word = house.proof_word(TAG, VERA);
    replace(&mut house, "Вера", NEW);
    let word = house.proof_word(TAG, VERA);
    assert_ne!(old_word, word);
    mail(&mut house, &old, "", "a@x.test", &format!("Суд Линча - Анна\nСлово - {old_word}"));
    mail(&mut house, NEW, "", "b@x.test", &format!("Суд Линча - Анна\nСлово - {old_word}"));
    mail(&mut house, NEW, &format!("In-Reply-To: <{token}>\r\n"), "c@x.test", "Суд Линча - Анна");
    assert_eq!(vote(&mut house, VERA), None, "forged by who left");
    answer_last(&mut house, NEW, "d@x.test", "Суд Линча - Егор");
    assert_eq!(vote(&mut house, VERA).as_deref(), Some("Егор"), "the newcomer's own token proves");
    mail(&mut house, "nina@phone.test", "", "e@x.test", &format!("Суд Линча - Глеб\nСлово - {word}"));
    assert_eq!(vote(&mut house, VERA).as_deref(), Some("Глеб"), "and so does the new word");
}

#[test]
fn what_was_on_its_way_to_who_left_goes_to_the_newcomer_alone() {
    let mut house = town();
    let old = address(TAG, VERA);
    // Nothing of these leaves before the replacement: the daemon does not go round.
    house.write(TAG, 0, "ЛС - Вера: приходи к фонтану");
    let now = house.now();
    let letters = [omerta::mail::link::Arrived {
        place: "pipe:1".to_owned(),
        raw: crate::house::raw_letter(&address(TAG, 0), TAG, "pm@x.test", "ЛС - Вера: приходи к мосту"),
        order: omerta::rules::Order { second: now.as_second(), within: "0".to_owned() },
        junk: false,
        too_large: false,
        revalidated: false,
    }];
    house.daemon().desk().receive(&letters, &[], now).unwrap();
    let before = house.got(&old).len();
    house.command(TAG, Command::Replace { nick: "Вера".to_owned(), address: NEW.to_owned() });
    // It is still known whose words are on their way: where the quota holds them back, their author is told.
    house.daemon().desk().tell_of_waiting_talk(now).unwrap();
    let told =
        |entry: &Entry| matches!(entry, Entry::TalkWaits { from: PlayerId(0), to } if *to == [Some(PlayerId(VERA))]);
    assert_eq!(house.journal(TAG).iter().filter(|entry| told(entry)).count(), 1);
    house.round();
    let new: Vec<String> = house.got(NEW).into_iter().map(|got| format!("{} {}", got.kind, got.body)).collect();
    assert!(new.iter().any(|letter| letter.starts_with("pm ") && letter.contains("приходи к мосту")), "{new:?}");
    assert!(new.iter().any(|letter| letter.contains("приходи к фонтану")), "{new:?}");
    let old = house.got(&old).split_off(before);
    assert_eq!(old.len(), 1, "{old:?}");
    assert!(!old[0].body.contains("приходи"));
}

#[test]
fn one_address_plays_once() {
    let mut house = town();
    assert_eq!(refused(&mut house, "Вера", &address(TAG, 0)), NotDone::AddressTaken);
    assert_eq!(refused(&mut house, "Вера", &address(TAG, VERA)), NotDone::AddressSame);
    assert_eq!(refused(&mut house, "Вера", HOST), NotDone::AddressTaken);
    assert_eq!(refused(&mut house, "Вера", MODERATOR), NotDone::AddressTaken);
    assert_eq!(refused(&mut house, "Вера", "mafia@example.org"), NotDone::AddressUnfit);
    assert_eq!(refused(&mut house, "Вера", "нина на почте"), NotDone::AddressUnfit);
    assert!(matches!(refused(&mut house, "Зоя", NEW), NotDone::UnknownNick { .. }));
    replace(&mut house, "Вера", NEW);
    assert_eq!(refused(&mut house, "Анна", &address(TAG, VERA)), NotDone::AddressTaken, "she knows Vera's secrets");
    // She may have her own seat again, and then the word is a third one.
    replace(&mut house, "Вера", &address(TAG, VERA));
    let word = house.proof_word(TAG, VERA);
    assert!(house.last(TAG, VERA, "replacement").body.contains(&word));
    house.command(TAG, Command::Finish { winner: omerta::rules::Winner::Town });
    house.round();
    let finals = |address: &str| house.got(address).iter().filter(|got| got.kind == "final").count();
    assert_eq!((finals(&address(TAG, VERA)), finals(NEW)), (1, 1), "each who ever played gets one");
}

#[test]
fn a_turn_that_is_being_closed_is_closed_first() {
    let mut house = town();
    let deadline = house.table(TAG).deadline.unwrap();
    house.set_clock(deadline);
    assert_eq!(refused(&mut house, "Вера", NEW), NotDone::BeingClosed);
    assert_eq!(house.got(NEW).len(), 0);
}

#[test]
fn by_letter_it_wants_a_confirming_answer_and_is_told_how_to_undo() {
    let mut house = town();
    let question = answer_last(&mut house, HOST, "h1@x.test", &format!("Замена - Вера: {NEW}"));
    assert_eq!(question.kind, "confirm", "{question:?}");
    assert!(house.got(NEW).is_empty());
    let answer = answer_last(&mut house, HOST, "h2@x.test", "Да");
    assert!(answer.body.contains("Замена сделана") && answer.body.contains("Вернуть прежнего"), "{}", answer.body);
    assert_eq!(house.got(NEW).len(), 1);
    // Nobody signed up for this game by letter: there is no waiting list, and nothing to ask about.
    let answer = answer_last(&mut house, HOST, "h3@x.test", "Replace - Анна");
    assert_eq!(answer.kind, "answer");
    assert!(answer.body.contains("В очереди нет никого") && answer.body.contains("‹Ник: адрес›"), "{}", answer.body);
}

/// What the host takes from a player he takes from the seat: whoever sits there has no vote, and is told until when.
#[test]
fn a_vote_that_was_taken_stays_taken_when_the_same_letter_replaces_the_player() {
    let mut house = town();
    house.write(TAG, VERA, "Суд Линча - Глеб");
    house.round();
    let asked = answer_last(&mut house, HOST, "h1@x.test", "Лишить голоса - Вера: 3\nЗамена - Вера: nina@new.test");
    assert_eq!(asked.kind, "confirm");
    answer_last(&mut house, HOST, "h2@x.test", "Да");
    let new = house.got(NEW);
    assert_eq!(new[0].kind, "replacement");
    let said = new[0].body.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Голоса на суде Линча вы лишены до хода 4 включительно"), "{said}");
    assert_eq!(vote(&mut house, VERA), None);
    mail(&mut house, NEW, "", "n1@x.test", "Суд Линча - Анна");
    assert_eq!(vote(&mut house, VERA), None);
}

/// In the first turn, where nobody votes, the newcomer learns what awaits him in the second.
#[test]
fn a_vote_that_was_taken_in_the_first_turn_is_told_to_the_newcomer() {
    let mut house = House::new();
    house.new_game(TAG, &crate::house::SEVEN, &[]);
    house.start(TAG);
    house.command(TAG, Command::Deprive { nicks: vec!["Вера".to_owned()], turns: 2 });
    replace(&mut house, "Вера", NEW);
    let said = house.got(NEW)[0].body.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Голоса на суде Линча вы лишены до хода 2 включительно"), "{said}");
}

/// With `deprived_is_miss` it is not for nothing that he can't vote, and he is told so.
#[test]
fn a_newcomer_without_a_vote_learns_that_it_counts_as_missed_where_it_does() {
    for (is_miss, says, says_not) in
        [("false", "Голосовать в это время не нужно", "пропущенным"), ("true", "считается пропущенным", "не нужно")]
    {
        let mut house = House::new();
        house.new_game(TAG, &crate::house::SEVEN, &[("deprived_is_miss", is_miss)]);
        house.start(TAG);
        house.command(TAG, Command::Deprive { nicks: vec!["Вера".to_owned()], turns: 2 });
        house.round();
        replace(&mut house, "Вера", NEW);
        for letter in [house.got(NEW)[0].clone(), house.last(TAG, VERA, "deprivation")] {
            let said = letter.body.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(says) && !said.contains(says_not), "{is_miss}: {said}");
        }
    }
}
