//! A game over Maildir, with a clock that the test moves.
#![cfg(test)]

mod house;

use house::{House, SEVEN, address};
use omerta::desk::command::{Command, Forgiven, Whom};
use omerta::rules::Role;
use omerta::rules::game::Life;
use omerta::table::{Phase, State};

const TOWN: [(&str, Role); 8] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
    ("Ирина", Role::Foundling),
];

fn town() -> House {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house
}

/// Everybody votes for the given nick.
fn all_vote(house: &mut House, nick: &str) {
    let living: Vec<u16> = house.table("palermo").living().map(|(player, _)| player.0).collect();
    for player in living {
        house.write("palermo", player, &format!("Суд Линча - {nick}"));
    }
    house.round();
}

#[test]
fn a_whole_game_of_eight_is_played_by_letters_and_won_by_the_mafia() {
    let mut house = town();
    for player in 0..8 {
        assert_eq!(house.kinds("palermo", player), ["opening", "role"], "player {player}");
    }
    // Turn 1: the foundling is proof against the clan, and nobody is told why.
    house.write("palermo", 1, "Убийство - Ирина");
    house.write("palermo", 6, "Убийство — «Ирина».");
    house.close("palermo");
    let table = house.table("palermo");
    assert_eq!((table.game.turn, table.living().count()), (2, 8));
    assert_eq!(house.kinds("palermo", 0), ["opening", "role", "summary"]);
    // Turn 2: the Boss hangs, the commissioner is murdered, the foundling turns.
    for (player, nick) in
        [(0, "Жанна"), (1, "Вера"), (2, "Жанна"), (3, "Жанна"), (4, "Жанна"), (5, "Анна"), (6, "Вера")]
    {
        house.write("palermo", player, &format!("Суд Линча - {nick}"));
    }
    house.write("palermo", 7, "суд линча: вера");
    house.write("palermo", 1, "Убийство - Глеб");
    house.write("palermo", 6, "Убийство - Глеб");
    house.write("palermo", 3, "Проверка - Борис\nЗаписка - Анна: это Борис");
    house.close("palermo");
    let table = house.table("palermo");
    assert_eq!(table.game.turn, 3);
    assert_eq!(table.player(omerta::rules::PlayerId(7)).unwrap().role, Some(Role::FoundlingMafioso));
    let summary = house.last("palermo", 0, "summary");
    assert_eq!(summary.turn, 2);
    for word in ["Жанна", "Глеб", "комиссар", "босс"] {
        assert!(summary.body.to_lowercase().contains(&word.to_lowercase()), "{word} in {}", summary.body);
    }
    assert_eq!(house.kinds("palermo", 7).iter().filter(|kind| *kind == "conversion").count(), 1);
    assert_eq!(house.kinds("palermo", 1).iter().filter(|kind| *kind == "conversion").count(), 1);
    assert!(house.last("palermo", 1, "conversion").body.contains("Ирина"));
    assert!(house.last("palermo", 0, "note").body.contains("│ это Борис"));
    assert!(house.last("palermo", 3, "result").body.contains("Борис"));
    assert_eq!(house.kinds("palermo", 3).iter().filter(|kind| *kind == "death").count(), 1);
    // Turn 3: parity.
    for (player, nick) in [(0, "Вера"), (1, "Вера"), (2, "Борис"), (4, "Вера"), (5, "Вера"), (7, "Вера")]
    {
        house.write("palermo", player, &format!("Суд Линча - {nick}"));
    }
    house.write("palermo", 1, "Убийство - Анна");
    house.write("palermo", 7, "Убийство - Анна");
    house.close("palermo");
    let table = house.table("palermo");
    assert_eq!(table.state, State::Finished);
    assert_eq!(table.game.winner, Some(omerta::rules::Winner::Mafia));
    for player in 0..8 {
        assert_eq!(house.kinds("palermo", player).iter().filter(|kind| *kind == "final").count(), 1, "player {player}");
    }
    assert_eq!(house.got("host@example.org").iter().filter(|got| got.kind == "final").count(), 1);
    let moderator = house.got("moderator@example.org");
    let summaries: Vec<_> = moderator.iter().filter(|got| got.kind == "summary").collect();
    assert_eq!(summaries.len(), 3);
    for summary in summaries {
        assert!(summary.attachments.contains_key("summary.bbcode.txt"), "{:?}", summary.attachments.keys());
    }
}

#[test]
fn every_letter_gets_one_answer_in_its_thread() {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.close("palermo");
    house.write("palermo", 0, "Суд Линча - Борис\nОхота - Вира\nКак дела?");
    house.round();
    house.round();
    let receipt = house.last("palermo", 0, "receipt");
    assert_eq!(receipt.in_reply_to.as_deref(), Some("letter-1@players.test"));
    assert!(receipt.subject.starts_with("[palermo] "), "{}", receipt.subject);
    assert!(receipt.body.contains("Борис") && receipt.body.contains("Вера"), "{}", receipt.body);
    assert_eq!(house.kinds("palermo", 0).iter().filter(|kind| *kind == "receipt").count(), 1);
    // Facts alone are answered as such; prose is explained once a day.
    house.write("palermo", 2, "Статус\nИгроки");
    house.write("palermo", 4, "Всем привет, как погода");
    house.write("palermo", 4, "И ещё раз привет");
    house.round();
    assert_eq!(house.kinds("palermo", 2), ["answer", "opening", "role", "summary"]);
    assert_eq!(house.kinds("palermo", 4), ["help", "opening", "role", "summary"]);
    house.write("palermo", 5, "Роль");
    house.round();
    assert_eq!(house.kinds("palermo", 5), ["opening", "role", "role", "summary"]);
    assert_eq!(house.last("palermo", 5, "role").turn, 1);
}

#[test]
fn talk_is_relayed_under_nicks_alone() {
    let mut house = town();
    house.write("palermo", 1, "Клану: этой ночью Вера\nсогласны?");
    house.write("palermo", 0, "ЛС - Вера: ты кто\nСуд Линча сегодня не для нас");
    house.round();
    let clan = house.last("palermo", 6, "clan");
    assert!(clan.body.contains("│ этой ночью Вера\n") && clan.body.contains("Борис"), "{}", clan.body);
    for player in [0, 2, 3, 4, 5, 7] {
        assert!(!house.kinds("palermo", player).contains(&"clan".to_owned()));
    }
    let pm = house.last("palermo", 2, "pm");
    assert!(pm.body.contains("│ ты кто\n") && pm.body.contains("Анна"), "{}", pm.body);
    assert!(!String::from_utf8_lossy(&pm.raw).contains(&address("palermo", 0)));
}

#[test]
fn a_third_of_misses_waits_for_the_host() {
    let mut house = town();
    house.close("palermo");
    for player in 0..4 {
        house.write("palermo", player, "Суд Линча - Жанна");
    }
    house.close("palermo");
    let table = house.table("palermo");
    assert_eq!((table.game.turn, table.phase), (2, Phase::Review));
    assert_eq!(table.living().count(), 8, "nothing shows before publication");
    assert!(house.got("host@example.org").iter().any(|got| got.kind == "alert"));
    // Until it is published every answer is made from the state before the close.
    house.write("palermo", 6, "Суд Линча - Вера\nЗаписка - Борис: прощай");
    house.round();
    let receipt = house.last("palermo", 6, "receipt");
    assert!(receipt.body.contains("Принято, хотя и не всё") || receipt.body.contains("срок"), "{}", receipt.body);
    house.command("palermo", Command::Forgive { whom: Whom::All, what: Forgiven::Miss });
    house.round();
    let table = house.table("palermo");
    assert_eq!((table.game.turn, table.phase), (3, Phase::Open));
    assert!(table.seats().all(|(_, player)| player.missed == 0));
    assert_eq!(table.player(omerta::rules::PlayerId(6)).unwrap().life, Life::Dead);
}

#[test]
fn paused_games_take_requests_and_go_on_with_what_was_left() {
    let mut house = town();
    house.close("palermo");
    let left = house.table("palermo").deadline.unwrap().duration_since(house.now());
    house.command("palermo", Command::Pause);
    house.wait(3 * 24 * 3600);
    house.round();
    assert_eq!(house.table("palermo").game.turn, 2);
    all_vote(&mut house, "Борис");
    house.command("palermo", Command::Resume);
    house.round();
    let deadline = house.table("palermo").deadline.unwrap();
    assert_eq!(deadline.duration_since(house.now()).as_secs(), left.as_secs());
    house.close("palermo");
    assert_eq!(house.table("palermo").player(omerta::rules::PlayerId(1)).unwrap().life, Life::Dead);
    assert!(house.kinds("palermo", 0).iter().filter(|kind| *kind == "notice").count() >= 2);
}

#[test]
fn strangers_learn_only_how_to_join_and_only_once_a_day() {
    let mut house = town();
    for n in 0..3 {
        let raw = house::raw_letter("stranger@else.test", "palermo", &format!("s{n}@else.test"), "Суд Линча - Анна");
        let now = house.now();
        house.drop_in(&raw, now, 0);
    }
    house.round();
    let got = house.got("stranger@else.test");
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].kind, "refused");
    assert!(!got[0].body.contains("Анна") && !got[0].body.contains("Борис"), "{}", got[0].body);
}

#[test]
fn automatic_mail_changes_nothing_and_is_not_answered() {
    let mut house = town();
    house.close("palermo");
    let mut raw = b"Auto-Submitted: auto-replied\r\n".to_vec();
    raw.extend(house::raw_letter(&address("palermo", 0), "palermo", "auto@players.test", "Суд Линча - Борис"));
    let now = house.now();
    house.drop_in(&raw, now, 0);
    house.round();
    assert!(!house.table("palermo").game.has_voted(omerta::rules::PlayerId(0)));
    assert!(!house.kinds("palermo", 0).contains(&"receipt".to_owned()));
}

#[test]
fn many_games_share_one_daemon() {
    let mut house = House::new();
    for tag in ["palermo", "corleone", "trapani"] {
        house.new_game(tag, &TOWN, &[]);
        house.start(tag);
    }
    house.write("palermo", 1, "Убийство - Вера");
    house.write("palermo", 6, "Убийство - Вера");
    house.write("trapani", 1, "Убийство - Егор");
    house.write("trapani", 6, "Убийство - Егор");
    house.close("palermo");
    let alive = |house: &mut House, tag: &str, player| {
        house.table(tag).player(omerta::rules::PlayerId(player)).unwrap().life == Life::Alive
    };
    assert!(!alive(&mut house, "palermo", 2) && alive(&mut house, "corleone", 2) && alive(&mut house, "trapani", 2));
    assert!(alive(&mut house, "palermo", 5) && alive(&mut house, "corleone", 5) && !alive(&mut house, "trapani", 5));
}

#[test]
fn with_the_window_every_turn_waits_and_only_the_dying_is_asked() {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[("pistol_mode", "window")]);
    house.start("palermo");
    // Turn 1: nobody dies, and the turn waits all the same.
    let deadline = house.table("palermo").deadline.unwrap();
    let hours = |hours: i64| jiff::SignedDuration::from_hours(hours);
    let minutes = |minutes: i64| jiff::SignedDuration::from_mins(minutes);
    house.round_at(deadline + minutes(2));
    assert_eq!(house.table("palermo").phase_word(house.now()), Some("window"));
    assert!((0..8).all(|player| !house.kinds("palermo", player).contains(&"pistol".to_owned())));
    house.round_at(deadline + hours(3));
    assert_eq!(house.table("palermo").game.turn, 1);
    house.round_at(deadline + hours(3) + minutes(4));
    assert_eq!(house.table("palermo").game.turn, 2);
    // Turn 2: the commissioner is murdered, is asked, changes his mind once, and shoots the Boss.
    all_vote(&mut house, "Анна");
    house.write("palermo", 1, "Убийство - Глеб");
    house.write("palermo", 6, "Убийство - Глеб");
    house.write("palermo", 3, "Пистолет - Вера");
    let deadline = house.table("palermo").deadline.unwrap();
    house.round_at(deadline + minutes(2));
    let asked: Vec<u16> =
        (0..8).filter(|player| house.kinds("palermo", *player).contains(&"pistol".to_owned())).collect();
    assert_eq!(asked, [3]);
    assert!(house.last("palermo", 3, "pistol").body.contains("Вера"));
    house.wait(60);
    house.write("palermo", 3, "Пистолет - Борис");
    house.write("palermo", 5, "Суд Линча - Вера");
    house.round();
    house.wait(60);
    house.write("palermo", 3, "Пистолет - Жанна\nПроверка - Борис");
    house.round();
    assert!(house.table("palermo").living().count() == 8, "nothing shows before publication");
    assert!(house.last("palermo", 5, "receipt").subject.contains("0 из 1"));
    assert!(
        house.last("palermo", 3, "receipt").subject.contains("1 из 2"),
        "{}",
        house.last("palermo", 3, "receipt").subject
    );
    house.round_at(deadline + hours(3) + minutes(5));
    let table = house.table("palermo");
    assert_eq!(table.game.turn, 3);
    let dead = |player| table.player(omerta::rules::PlayerId(player)).unwrap().life == Life::Dead;
    assert!(dead(3) && dead(6) && dead(0) && !dead(1) && !dead(2));
}

#[test]
fn what_is_personal_is_erased_after_the_retention() {
    let mut house = town();
    house.write("palermo", 0, "Записка - Вера: сокровенные слова");
    house.write("palermo", 2, "ЛС - Егор: между нами говоря");
    house.round();
    house.command("palermo", Command::Cancel);
    house.round();
    let bytes = |house: &House| -> Vec<u8> {
        ["omerta.db", "omerta.db-wal"]
            .iter()
            .flat_map(|file| std::fs::read(house.folder.join(file)).unwrap_or_default())
            .collect()
    };
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds(&bytes(&house), "p00@palermo.test") && holds(&bytes(&house), "между нами говоря"));
    house.wait(89 * 24 * 3600);
    house.round();
    assert!(holds(&bytes(&house), "p00@palermo.test"));
    house.wait(2 * 24 * 3600);
    house.round();
    house.wait(25 * 3600);
    house.round();
    let left = bytes(&house);
    for gone in ["p00@palermo.test", "сокровенные слова", "между нами говоря"] {
        assert!(!holds(&left, gone), "{gone} is still there");
    }
    assert_eq!(house.table("palermo").state, State::Cancelled, "the journal stays");
}

#[test]
fn a_forum_gets_the_post_itself_and_nothing_that_a_forum_drops() {
    let mut house = House::with("[forum]\nmarkup = \"markdown\"\npost_to = [\"topic@forum.test\"]\n");
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.write("palermo", 1, "Убийство - Вера");
    house.write("palermo", 6, "Убийство - Вера");
    house.close("palermo");
    let posts = house.got("topic@forum.test");
    assert_eq!(posts.iter().map(|got| got.kind.as_str()).collect::<Vec<_>>(), ["summary"]);
    let raw = String::from_utf8_lossy(&posts[0].raw).into_owned();
    for header in ["Auto-Submitted", "List-Id", "Reply-To", "Precedence"] {
        assert!(!raw.contains(header), "{header} in {raw}");
    }
    assert!(posts[0].attachments.is_empty());
    assert!(posts[0].body.contains("**") && posts[0].body.contains("Вера"), "{}", posts[0].body);
    let moderator = house.got("moderator@example.org").into_iter().find(|got| got.kind == "summary").unwrap();
    assert_eq!(
        moderator.attachments.get("summary.md").map(|post| post.replace("\r\n", "\n")),
        Some(posts[0].body.clone())
    );
}

#[test]
fn a_proved_host_is_told_the_reasons_and_nobody_else_is() {
    let mut house = town();
    house.write("palermo", 1, "Убийство - Вера");
    house.write("palermo", 6, "Убийство - Вера");
    house.close("palermo");
    let digest = house.got("host@example.org").into_iter().find(|got| got.kind == "digest").unwrap();
    let ask = |from: &str, id: &str, refers: &str, text: &str| {
        let letter = house::raw_letter(from, "palermo", id, text);
        [format!("In-Reply-To: <{refers}>\r\n").into_bytes(), letter].concat()
    };
    let now = house.now();
    house.drop_in(&ask("host@example.org", "h1@h.test", &digest.message_id, "Почему - Вера"), now, 1);
    // Without our token, with the token of another, and from another address.
    house.drop_in(&ask("host@example.org", "h2@h.test", "nothing@example.org", "Почему - Вера"), now, 2);
    let summary = house.last("palermo", 0, "summary").message_id;
    house.drop_in(&ask("host@example.org", "h3@h.test", &summary, "Почему - Вера"), now, 3);
    house.drop_in(&ask("mallory@else.test", "h4@h.test", &digest.message_id, "Почему - Вера"), now, 4);
    house.drop_in(&ask(&address("palermo", 0), "h5@h.test", &digest.message_id, "Почему - Вера"), now, 5);
    house.round();
    house.round();
    let answers: Vec<_> = house.got("host@example.org").into_iter().filter(|got| got.kind == "answer").collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let answer = &answers[0];
    assert_eq!(answer.in_reply_to.as_deref(), Some("h1@h.test"));
    for part in ["Борис", "Жанна", "Вера", "R4"] {
        assert!(answer.body.contains(part), "{part} in {}", answer.body);
    }
    assert!(!house.got("mallory@else.test").iter().any(|got| got.body.contains("Борис")));
    assert!(!house.got_by("palermo", 0).iter().any(|got| got.body.contains("R42") || got.subject.contains("разбор")));
}

#[test]
fn a_command_that_does_nothing_or_comes_too_late_is_refused_whole() {
    let mut house = town();
    let before = house.table("palermo");
    for command in [
        Command::Extend { by: "+0s".to_owned() },
        Command::Warn { nick: "Анна".to_owned(), text: " ".to_owned() },
        Command::Expel { nick: "Никто".to_owned(), text: "за дело".to_owned() },
    ] {
        assert!(house.try_command("palermo", command.clone()).is_err(), "{command:?}");
    }
    assert_eq!(house.table("palermo"), before);
    // In review the turn has been judged: an act would count nowhere.
    house.close("palermo");
    house.close("palermo");
    assert_eq!(house.table("palermo").phase, Phase::Review, "nobody voted");
    let before = house.table("palermo");
    let nick = || "Анна".to_owned();
    for command in [
        Command::Expel { nick: nick(), text: "за дело".to_owned() },
        Command::Deprive { nicks: vec![nick()], turns: 1 },
        Command::Forgive { whom: Whom::Nicks(vec![nick()]), what: Forgiven::Miss },
    ] {
        assert!(house.try_command("palermo", command.clone()).is_err(), "{command:?}");
    }
    assert_eq!(house.table("palermo"), before);
}

/// By arrival, within the window, and of nobody but the one who is asked.
#[test]
fn in_the_window_the_last_word_by_arrival_counts_and_nobody_elses() {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[("pistol_mode", "window")]);
    house.start("palermo");
    for player in [1, 6] {
        house.write("palermo", player, "Убийство - Глеб");
    }
    let deadline = house.table("palermo").deadline.unwrap();
    house.round_at(deadline + jiff::SignedDuration::from_mins(2));
    let until = house.table("palermo").window.unwrap().until;
    house.wait(60);
    let now = house.now();
    house.write_at("palermo", 3, "Пистолет - Жанна", now, 1);
    house.round();
    // Read later, but it came before; and one that came too late, and one of somebody else.
    house.write_at("palermo", 3, "Пистолет - Борис", now - jiff::SignedDuration::from_secs(20), 1);
    house.write_at("palermo", 5, "Пистолет - Анна", now, 2);
    house.round();
    let flat = |player: u16| {
        let body = house.last("palermo", player, "receipt").body;
        body.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (other, own) = (flat(5), flat(3));
    assert!(other.contains("после срока") && !own.contains("после срока"), "{other}\n{own}");
    house.set_clock(until);
    house.write_at("palermo", 3, "Пистолет - Дарья", until, 1);
    house.round();
    house.round_at(until + jiff::SignedDuration::from_mins(3));
    let table = house.table("palermo");
    assert_eq!(table.game.turn, 2);
    let shot = table.last.as_ref().unwrap().shot.as_ref().unwrap();
    assert_eq!((table.nick(shot.by), table.nick(shot.at)), ("Глеб", "Жанна"));
}

/// The vote that a role request needs may stand below it: the receipt asks only for what the whole letter lacks.
#[test]
fn a_vote_below_a_role_request_is_not_asked_for() {
    let mut house = House::new();
    house.new_game("palermo", &SEVEN, &[]);
    house.start("palermo");
    house.close("palermo");
    for (letter, is_asked_for) in [
        ("Лечение - Анна\nСуд Линча - Егор\nОтмена - Суд Линча", true),
        ("Лечение - Егор\nСуд Линча - Борис", false),
        ("Лечение - Вера", false),
    ] {
        house.write("palermo", 3, letter);
        house.round();
        let body = house.last("palermo", 3, "receipt").body;
        assert_eq!(body.contains("эта заявка не считается (правило 10)"), is_asked_for, "{letter}: {body}");
    }
}
