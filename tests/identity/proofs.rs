//! What proves a sender, in each mode.

use omerta::rules::PlayerId;

use crate::house::address;
use crate::town::{FAIL, HOST, PASS, RECEIVED, TAG, Town};

const VOTE: &str = "Суд Линча - Борис";

#[test]
fn in_address_mode_from_is_enough_unless_a_server_speaks_against_it() {
    let mut town = Town::new("address");
    town.write(0, "", VOTE);
    assert_eq!(town.vote(0).as_deref(), Some("Борис"));
    let spf = "Authentication-Results: mx.game.test; spf=fail smtp.mailfrom=palermo.test\r\n";
    town.write(2, spf, VOTE);
    assert_eq!(town.vote(2).as_deref(), Some("Борис"), "SPF alone never fails a letter");
    for (player, header) in [(3, FAIL), (4, "Authentication-Results: x.test; dkim=fail header.d=palermo.test\r\n")] {
        town.write(player, header, VOTE);
        assert_eq!(town.vote(player), None);
        assert_eq!(town.count(&address(TAG, player), "confirm"), 1);
    }
}

#[test]
fn in_verified_mode_a_server_a_token_or_the_word_is_wanted() {
    let mut town = Town::new("verified");
    town.write(0, "", VOTE);
    assert_eq!((town.vote(0), town.count(&address(TAG, 0), "confirm")), (None, 1));
    town.write(0, PASS, VOTE);
    assert_eq!(town.vote(0).as_deref(), Some("Борис"), "a trusted server");
    let summary = town.house.last(TAG, 2, "summary");
    town.reply(2, "", &summary, VOTE);
    assert_eq!(town.vote(2).as_deref(), Some("Борис"), "a token in In-Reply-To");
    let token = town.house.last(TAG, 3, "summary").message_id.split('@').next().unwrap().to_uppercase();
    let from = address(TAG, 3);
    town.deliver(&format!("{RECEIVED}From: <{from}>\r\nTo: <mafia+{token}@example.org>\r\nSubject: hello\r\n"), VOTE);
    assert_eq!(town.vote(3).as_deref(), Some("Борис"), "a token in a plus-address, in any case of letters");
    let word = town.word(4);
    town.deliver(
        &format!("{RECEIVED}From: <phone@elsewhere.test>\r\nSubject: [{TAG}]\r\n"),
        &format!("{VOTE}\nСлово - {word}"),
    );
    assert_eq!(town.vote(4).as_deref(), Some("Борис"), "the proof word, from any address");
    assert_eq!(town.count("phone@elsewhere.test", "receipt"), 0, "the answer goes to the registered address");
    assert_eq!(town.count(&address(TAG, 4), "receipt"), 1);
}

#[test]
fn a_word_without_a_tag_finds_the_only_game() {
    let mut town = Town::new("verified");
    let word = town.word(5);
    town.deliver(&format!("{RECEIVED}From: <phone@elsewhere.test>\r\n"), &format!("Слово: {word}\n{VOTE}"));
    assert_eq!(town.vote(5).as_deref(), Some("Борис"));
}

#[test]
fn a_token_proves_in_its_turn_and_the_next() {
    let mut town = Town::new("verified");
    // The card is a letter of the first turn, whenever it was asked for.
    let card = town.house.last(TAG, 2, "role");
    town.reply(2, "", &card, VOTE);
    assert_eq!(town.vote(2).as_deref(), Some("Борис"), "in the second turn");
    for player in [0, 1, 3, 4, 5] {
        let nick = if player % 2 == 0 { "Борис" } else { "Вера" };
        town.write(player, PASS, &format!("Суд Линча - {nick}"));
    }
    town.house.close(TAG);
    assert_eq!(town.house.table(TAG).game.turn, 3);
    let living: Vec<u16> = town.house.table(TAG).living().map(|(player, _)| player.0).collect();
    let player = *living.iter().find(|player| **player != 1).unwrap();
    let card = town.house.last(TAG, player, "role");
    town.reply(player, "", &card, "Статус\nСуд Линча - Борис");
    assert_eq!(town.vote(player), None, "in the third it is stale");
    let summary = town.house.last(TAG, player, "summary");
    assert_eq!(summary.turn, 2);
    town.reply(player, "", &summary, "Суд Линча - Борис");
    assert_eq!(town.vote(player).as_deref(), Some("Борис"), "that of the turn before is good");
}

#[test]
fn a_hosts_word_counts_as_it_stands_in_its_file_now() {
    let mut town = Town::new("address");
    let header = format!("{RECEIVED}From: <host@phone.test>\r\nSubject: [{TAG}]\r\n");
    let file = town.house.folder.join("host.secret");
    crate::house::whole::put(&file, "сова-17\n");
    town.deliver(&header, "Почему\nСлово - филин 42");
    assert_eq!(town.count(HOST, "answer"), 0, "the old word");
    town.deliver(&header, "Почему\nСлово - сова 17");
    assert_eq!(town.count(HOST, "answer"), 1, "the new one, without a restart");
    std::fs::remove_file(&file).unwrap();
    town.deliver(&header, "Почему\nСлово - сова 17");
    assert_eq!(town.count(HOST, "answer"), 1, "no file, no word");
}

#[test]
fn a_letter_that_names_a_game_without_its_sender_touches_no_other() {
    let mut town = Town::new("address");
    let roster = "address,nick,role\na@corleone.test,Карло,citizen\nb@corleone.test,Борис,mafioso\n\
                  v@corleone.test,Вито,citizen\ng@corleone.test,Джина,commissioner\nd@corleone.test,Дино,doctor\n";
    town.house.new_game_of("corleone", roster, &[]).unwrap();
    town.house.start("corleone");
    let own = address(TAG, 0);
    town.deliver(&format!("{RECEIVED}From: <{own}>\r\nSubject: [corleone]\r\n"), VOTE);
    assert_eq!((town.vote(0), town.count(&own, "receipt"), town.count(&own, "refused")), (None, 0, 1));
}

#[test]
fn a_host_is_always_proved_or_asked() {
    for mode in ["address", "verified"] {
        let mut town = Town::new(mode);
        let header = format!("{RECEIVED}From: <{HOST}>\r\nSubject: [{TAG}]\r\n");
        town.deliver(&header, "Почему");
        assert_eq!((town.count(HOST, "answer"), town.count(HOST, "confirm")), (0, 1), "{mode}");
        let passed = "Authentication-Results: mx.game.test; dkim=pass header.d=example.org\r\n";
        town.deliver(&format!("{passed}{header}"), "Почему");
        assert_eq!(town.count(HOST, "answer"), 1, "{mode}: a trusted server");
        town.deliver(&format!("{RECEIVED}From: <host@phone.test>\r\nSubject: [{TAG}]\r\n"), "Почему\nСлово - филин 42");
        assert_eq!(town.count(HOST, "answer"), 2, "{mode}: the hosts' word, from anywhere");
        assert_eq!(town.count("host@phone.test", "answer"), 0);
        // And the question that was asked first, once it is confirmed.
        let confirm = town.house.got(HOST).into_iter().find(|got| got.kind == "confirm").unwrap();
        let reply = format!("{RECEIVED}From: <{HOST}>\r\nIn-Reply-To: <{}>\r\n", confirm.message_id);
        town.deliver(&reply, "Да");
        assert_eq!(town.count(HOST, "answer"), 3, "{mode}: confirmed");
        town.deliver(&reply, "Да.");
        let reasons = town
            .house
            .got(HOST)
            .into_iter()
            .filter(|got| got.kind == "answer" && got.subject.contains("разбор"))
            .count();
        assert_eq!(reasons, 3, "{mode}: once");
    }
}

#[test]
fn aliases_of_a_mailbox_are_one_sender() {
    let mut town = Town::new("address");
    let roster = "address,nick,role\nan.na@gmail.com,Анна,citizen\nboris@ya.ru,Борис,mafioso\n\
                  v@x.test,Вера,citizen\ng@x.test,Глеб,commissioner\nd@x.test,Дарья,doctor\n";
    town.house.new_game_of("corleone", roster, &[]).unwrap();
    town.house.start("corleone");
    town.house.close("corleone");
    town.deliver(&format!("{RECEIVED}From: <anna+game@googlemail.com>\r\n"), "Суд Линча - Вера");
    town.deliver(&format!("{RECEIVED}From: <Boris@Yandex.ru>\r\n"), "Суд Линча - Вера");
    let table = town.house.table("corleone");
    assert_eq!(table.game.standing(PlayerId(0)).len(), 1);
    assert_eq!(table.game.standing(PlayerId(1)).len(), 1);
    assert_eq!((town.count("an.na@gmail.com", "receipt"), town.count("boris@ya.ru", "receipt")), (1, 1));
    // A stranger with many aliases is one stranger.
    for from in ["stranger@gmail.com", "s.tranger@gmail.com", "stranger+2@googlemail.com"] {
        town.deliver(&format!("{RECEIVED}From: <{from}>\r\n"), "Здравствуйте");
    }
    let refused: usize = town.mailboxes().iter().map(|(name, _)| town.count(name, "refused")).sum();
    assert_eq!(refused, 1);
}

#[test]
fn wrong_words_are_counted_and_right_ones_are_not() {
    let mut town = Town::new("verified");
    let word = town.word(4);
    let from =
        |n: u32| format!("{RECEIVED}From: <phone@elsewhere.test>\r\nMessage-ID: <{n}@x>\r\nSubject: [{TAG}]\r\n");
    for n in 0..12 {
        town.deliver(&from(n), &format!("Слово - {word}\nСтатус"));
    }
    assert_eq!(town.count(&address(TAG, 4), "answer"), 12, "the right word is never used up");
    for n in 20..30 {
        town.deliver(&from(n), "Слово - пустышка-11\nСтатус");
    }
    town.deliver(&from(30), &format!("Слово - {word}\nСтатус"));
    assert_eq!(town.count(&address(TAG, 4), "answer"), 12, "after ten wrong ones nothing is tried any more that day");
    town.house.wait(86_400);
    town.deliver(&from(31), &format!("Слово - {word}\nСтатус"));
    assert_eq!(town.count(&address(TAG, 4), "answer"), 13);
}

/// Who writes from another address each time has no more tries than all of them together.
#[test]
fn wrong_words_from_many_addresses_are_counted_together() {
    let mut town = Town::new("verified");
    let word = town.word(4);
    for n in 0..100 {
        let raw = format!(
            "{RECEIVED}From: <phone{n}@elsewhere.test>\r\nMessage-ID: <{n}@elsewhere.test>\r\nSubject: [{TAG}]\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\r\nСлово - пустышка-11\r\n"
        );
        let now = town.house.now();
        town.house.drop_in(raw.as_bytes(), now, n);
    }
    town.house.round();
    let told = town.house.got(HOST).into_iter().filter(|got| got.subject.contains("Кодовое слово")).count();
    assert_eq!(told, 1, "the hosts are told");
    let right =
        |n: u32| format!("{RECEIVED}From: <phone@right.test>\r\nMessage-ID: <{n}@right.test>\r\nSubject: [{TAG}]\r\n");
    town.deliver(&right(1), &format!("Слово - {word}\nСтатус"));
    assert_eq!(town.count(&address(TAG, 4), "answer"), 0, "after a hundred nothing is tried any more that day");
    town.house.wait(86_400);
    town.deliver(&right(2), &format!("Слово - {word}\nСтатус"));
    assert_eq!(town.count(&address(TAG, 4), "answer"), 1);
}

/// The tenth wrong word in a host's name puts his word to rest: he is told once, and what helps; who sends the right
/// one then fares like who sends a wrong one.
#[test]
fn a_host_is_told_once_that_his_word_rests_and_leads_on_without_it() {
    let mut town = Town::new("verified");
    let from = |n: u32| format!("{RECEIVED}From: <{HOST}>\r\nMessage-ID: <{n}@x>\r\nSubject: [{TAG}]\r\n");
    let told = |town: &Town| -> Vec<_> {
        town.house.got(HOST).into_iter().filter(|got| got.subject.contains("Кодовое слово")).collect()
    };
    for n in 0..9 {
        town.deliver(&from(n), "Слово - пустышка-11\nСтатус");
    }
    town.deliver(&from(9), "Слово - филин-42\nСтатус");
    assert_eq!((town.count(HOST, "answer"), told(&town).len()), (1, 0), "nine do not use it up");
    town.deliver(&from(10), "Слово - пустышка-11\nСтатус");
    assert_eq!(told(&town).len(), 1, "the tenth");
    assert!(town.house.table(TAG).alerted.contains("words_rest"), "what is in memory is what the journal says");
    let alert = told(&town).remove(0);
    let said = alert.body.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "с адреса ведущего пришло 10 писем с неверным кодовым словом",
        "вторник, 1 декабря, 03:00 (Москва)",
        "отвечайте со своего обычного адреса на это письмо",
    ] {
        assert!(said.contains(part), "no «{part}» in {said}");
    }
    for (n, word) in [(11, "филин-42"), (12, "пустышка-12")] {
        town.house.wait(3_600);
        let asked = town.count(HOST, "confirm");
        town.deliver(&from(n), &format!("Слово - {word}\nСтатус"));
        let now = (town.count(HOST, "answer"), told(&town).len(), town.count(HOST, "confirm"));
        assert_eq!(now, (1, 1, asked + 1), "{word}: neither acts, both are asked about alike");
    }
    // What the letter advises helps.
    let answer = format!("{RECEIVED}From: <{HOST}>\r\nIn-Reply-To: <{}>\r\n", alert.message_id);
    town.deliver(&answer, "Статус");
    assert_eq!(town.count(HOST, "answer"), 2);
    town.house.wait(86_400);
    town.deliver(&from(13), "Слово - филин-42\nСтатус");
    assert_eq!(town.count(HOST, "answer"), 3, "on the next day it counts again");
    assert_eq!(told(&town).len(), 1, "once");
}

/// There is nothing to lead any more, and what is personal may be erased already.
#[test]
fn of_a_game_that_is_over_no_word_rests() {
    let mut town = Town::new("verified");
    town.house.command(TAG, omerta::desk::command::Command::Cancel);
    let told = |town: &Town| town.house.got(HOST).iter().filter(|got| got.subject.contains("Кодовое слово")).count();
    for n in 0..12 {
        let from = format!("{RECEIVED}From: <{HOST}>\r\nMessage-ID: <{n}@x>\r\nSubject: [{TAG}]\r\n");
        town.deliver(&from, "Слово - пустышка-11\nСтатус");
    }
    assert_eq!(told(&town), 0);
}

/// The letter that a player is likeliest to answer is the one with his role. From the third turn on it proves nothing:
/// he is told what to do, and one word is enough.
#[test]
fn who_answers_his_role_letter_in_the_fifth_turn_is_helped_on() {
    use omerta::desk::command::{Command, Forgiven, Whom};
    let mut town = Town::new("verified");
    while town.house.table(TAG).game.turn < 5 {
        town.house.close(TAG);
        town.house.command(TAG, Command::Forgive { whom: Whom::All, what: Forgiven::Miss });
        town.house.command(TAG, Command::Deadline { when: "+6h".to_owned() });
        town.house.round();
    }
    let card = town.house.last(TAG, 0, "role");
    town.reply(0, "", &card, VOTE);
    assert_eq!(town.vote(0), None);
    let question = town.house.last(TAG, 0, "confirm");
    let said = question.body.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "│ Суд Линча - Борис",
        "ответьте на это письмо, с этого же адреса, одной строкой: «Да»",
        "Ответ должен прийти до срока",
        "отвечайте на самое свежее наше письмо",
        "Слово - ‹кодовое слово›",
    ] {
        assert!(said.contains(part), "no «{part}» in {said}");
    }
    town.house.wait(3_600);
    town.reply(0, "", &question, "Да\n\n> Если да, ответьте на это письмо");
    assert_eq!(town.vote(0).as_deref(), Some("Борис"), "one word is enough");
    // What the question advises helps: the freshest letter, or the word.
    let receipt = town.house.last(TAG, 0, "receipt");
    town.reply(0, "", &receipt, "Суд Линча - Вера");
    assert_eq!(town.vote(0).as_deref(), Some("Вера"));
    let word = town.word(0);
    town.reply(0, "", &card, &format!("Суд Линча - Глеб\nСлово - {word}"));
    assert_eq!(town.vote(0).as_deref(), Some("Глеб"));
    assert_eq!(town.count(&address(TAG, 0), "confirm"), 1);
}
