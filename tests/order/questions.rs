//! What hurts is asked about before it is done: nothing keeps the question from whoever has proved who he is.

use omerta::desk::command::Command;
use omerta::journal::Entry;
use omerta::table::{Phase, State};

use crate::house::{Got, House, SEVEN};
use crate::town::{HOST, TAG, mail, town};

const CANCEL: &str = "Отменить игру";

/// By a token: an answer to one of our letters.
fn proved(house: &mut House, id: &str, answers: &str, text: &str) -> Option<Got> {
    mail(house, HOST, &format!("In-Reply-To: <{answers}>\r\n"), id, text);
    house.got(HOST).into_iter().find(|got| got.in_reply_to.as_deref() == Some(id))
}

fn any_letter(house: &House) -> String {
    house.got(HOST).into_iter().find(|got| got.kind == "digest").unwrap().message_id
}

#[test]
fn forged_letters_use_up_no_question_to_who_is_proved() {
    let mut house = town();
    let token = any_letter(&house);
    for number in 0..7 {
        mail(&mut house, HOST, "", &format!("forged{number}@x.test"), &format!("Замена - Вера: a{number}@x.test"));
    }
    assert_eq!(house.got(HOST).iter().filter(|got| got.kind == "confirm").count(), 5, "no mailbox is filled by them");
    let question = proved(&mut house, "h1@x.test", &token, CANCEL).expect("he is asked");
    assert_eq!(question.kind, "confirm");
    proved(&mut house, "h2@x.test", &question.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Cancelled);
}

#[test]
fn an_order_that_is_sent_again_is_asked_about_again_and_only_the_last_question_counts() {
    let mut house = town();
    let token = any_letter(&house);
    let first = proved(&mut house, "h1@x.test", &token, CANCEL).expect("he is asked");
    let second = proved(&mut house, "h2@x.test", &token, CANCEL).expect("he is asked again");
    proved(&mut house, "h3@x.test", &first.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Playing);
    proved(&mut house, "h4@x.test", &second.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Cancelled);
}

#[test]
fn the_question_comes_while_answers_pause() {
    let mut house = town();
    let token = any_letter(&house);
    let answered: Vec<bool> =
        (0..24).map(|number| proved(&mut house, &format!("s{number}@x.test"), &token, "Статус").is_some()).collect();
    assert!(answered[0] && !answered[23], "answers pause: {answered:?}");
    let question = proved(&mut house, "h1@x.test", &token, CANCEL).expect("he is asked");
    proved(&mut house, "h2@x.test", &question.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Cancelled);
}

/// A second word is wanted for what could be done, and for nothing else.
#[test]
fn what_could_not_be_done_is_refused_at_once() {
    for bad in [
        "Замена - Зоя: nina@new.test",
        "Замена - Вера: нина на почте",
        "Замена - Вера: p00@palermo.test",
        "Замена - : nina@new.test",
        "Решение - Вера: жива",
        "Решение - Вера: жива, слово",
        "Закончить - соседи",
    ] {
        let mut house = town();
        let token = any_letter(&house);
        let table = house.table(TAG);
        let answer = proved(&mut house, "h1@x.test", &token, bad).expect("he is answered");
        assert_eq!(answer.kind, "answer", "{bad}: {}", answer.body);
        assert!(answer.subject.contains("сделано 0 из 1"), "{bad}: {}", answer.subject);
        assert_eq!(house.table(TAG).game, table.game, "{bad}");
    }
}

/// How much there is of what an order could leave behind.
fn counted(house: &mut House) -> Vec<(&'static str, i64)> {
    let database = rusqlite::Connection::open(house.folder.join("omerta.db")).unwrap();
    let mut count = |table: &'static str| {
        let rows = format!("SELECT count(*) FROM {table}");
        (table, database.query_row(&rows, (), |row| row.get(0)).unwrap())
    };
    ["events", "outbox", "texts", "caps", "letters", "asked"].map(&mut count).into()
}

#[test]
fn the_trial_leaves_nothing_behind_and_what_could_not_be_done_is_not_asked_about() {
    let mut house = town();
    let token = any_letter(&house);
    let text = "Предупреждение - Глеб: тише\nЗамена - Зоя: nina@new.test\nЗамена - Вера: vera@new.test";
    let before = (counted(&mut house), house.table(TAG));
    let question = proved(&mut house, "h1@x.test", &token, text).expect("he is asked");
    assert_eq!(question.kind, "confirm");
    // One event, one letter, the text that it quotes, and of the caps the one of questions.
    assert_eq!(counted(&mut house), before.0.iter().map(|(of, n)| (*of, n + 1)).collect::<Vec<_>>());
    assert!(matches!(house.journal(TAG).last(), Some(Entry::Asked(_))));
    assert_eq!(house.table(TAG).game, before.1.game);
    assert!(question.body.contains("Глеб") && question.body.contains("Вера"), "{}", question.body);
    assert!(!question.body.contains("Зоя"), "{}", question.body);
    assert_eq!((house.got("vera@new.test").len(), house.kinds(TAG, 3).contains(&"warning".to_owned())), (0, false));
    let events = house.journal(TAG).len();
    house.open();
    assert_eq!(house.journal(TAG).len(), events);
    // Meanwhile it has become impossible: it is looked at once more.
    house.command(TAG, Command::Expel { nick: "Вера".to_owned(), text: "за дело".to_owned() });
    proved(&mut house, "h2@x.test", &question.message_id, "Да");
    let answer = house.got(HOST).into_iter().rfind(|got| got.in_reply_to.as_deref() == Some("h1@x.test")).unwrap();
    assert!(answer.subject.contains("сделано 1 из 3") && answer.body.contains("Вера уже вне игры"), "{}", answer.body);
    assert!(house.kinds(TAG, 3).contains(&"warning".to_owned()) && house.got("vera@new.test").is_empty());
}

/// A question is answered before the deadline, as it says: behind it «Отменить ход» would mean another turn, and a ruling
/// that nobody was asked about would have become possible.
#[test]
fn a_question_of_before_the_deadline_is_not_answered_behind_it() {
    for (text, quoted) in [
        ("Отменить ход", "Отменить ход"),
        ("Решение - Анна: мертва, так вышло\nЗамена - Егор: egor@new.test\nПредупреждение - Глеб: тише", "Егор"),
    ] {
        let mut house = House::with("publish = \"approve\"");
        house.new_game(TAG, &SEVEN, &[]);
        house.start(TAG);
        house.close(TAG);
        house.command(TAG, Command::Publish);
        house.round();
        let token = house.got(HOST).pop().unwrap().message_id;
        let question = proved(&mut house, "h1@x.test", &token, text).expect("he is asked");
        assert_eq!(question.kind, "confirm");
        assert!(question.body.contains(quoted), "{}", question.body);
        assert!(!question.body.contains("Анна"), "an open turn has nothing to rule on: {}", question.body);
        house.close(TAG);
        assert_eq!(house.table(TAG).phase, Phase::Review);
        proved(&mut house, "h2@x.test", &question.message_id, "Да").expect("he is told");
        let table = house.table(TAG);
        assert_eq!((table.phase, table.game.turn), (Phase::Review, 2), "{text}");
        assert!(house.got("egor@new.test").is_empty() && !house.kinds(TAG, 2).contains(&"warning".to_owned()));
        assert!(!house.journal(TAG).iter().any(|entry| matches!(entry, Entry::Confirmed { .. })), "{text}");
        // What is asked now is answered now.
        let question = proved(&mut house, "h3@x.test", &token, "Решение - Анна: мертва, так вышло").expect("asked");
        proved(&mut house, "h4@x.test", &question.message_id, "Да");
        assert!(house.journal(TAG).iter().any(|entry| matches!(entry, Entry::Ruled { .. })), "{text}");
    }
}

/// «Да» answers what the question quoted, and nothing else of the letter, though it has become possible meanwhile.
#[test]
fn what_was_not_asked_about_is_not_done_by_the_answer() {
    let mut house = town();
    let token = any_letter(&house);
    let now_hers = crate::house::address(TAG, 2);
    let text = format!("Замена - Вера: {now_hers}\nЗамена - Егор: egor@new.test\nПредупреждение - Глеб: тише");
    let question = proved(&mut house, "h1@x.test", &token, &text).expect("he is asked");
    assert!(question.body.contains("Егор") && question.body.contains("Глеб"), "{}", question.body);
    assert!(!question.body.contains("Вера"), "it is her address already: {}", question.body);
    // Another takes the seat, and she could come back to it.
    let another = Command::Replace { nick: "Вера".to_owned(), address: "another@new.test".to_owned() };
    house.command(TAG, another);
    proved(&mut house, "h2@x.test", &question.message_id, "Да");
    let answer = house.got(HOST).into_iter().rfind(|got| got.in_reply_to.as_deref() == Some("h1@x.test")).unwrap();
    assert!(answer.subject.contains("сделано 2 из 3"), "{answer:?}");
    assert!(answer.body.contains("выполнить это было нельзя"), "{}", answer.body);
    assert!(!house.got("egor@new.test").is_empty());
    let replaced = |house: &mut House| {
        house
            .journal(TAG)
            .iter()
            .filter(|entry| matches!(entry, Entry::Replaced { player, .. } if player.0 == 2))
            .count()
    };
    assert_eq!(replaced(&mut house), 1, "nobody was asked about her");
    // Asked about by itself it is done.
    let question = proved(&mut house, "h3@x.test", &token, &format!("Замена - Вера: {now_hers}")).expect("he is asked");
    proved(&mut house, "h4@x.test", &question.message_id, "Да");
    assert_eq!(replaced(&mut house), 2);
}

/// Who is not proved gets the same question whatever he wrote, and only at the registered address.
#[test]
fn who_is_not_proved_learns_nothing_of_what_could_be_done() {
    let mut house = town();
    for (number, order) in ["Замена - Вера: vera@new.test", "Замена - Зоя: vera@new.test"].into_iter().enumerate()
    {
        mail(&mut house, HOST, "", &format!("forged{number}@x.test"), order);
        let got = house.got(HOST).pop().unwrap();
        assert!(got.kind == "confirm" && got.body.contains(order), "{got:?}");
    }
}

/// What fails while it is only tried whether an order could be done (a disk that is full for a moment) is no answer to
/// that: the order must not be done unasked for it. The trigger lets the database fail in the trial and not behind it: of
/// how many changes behind the letter's own row, nobody knows, so all are tried.
#[test]
fn a_database_that_fails_in_the_trial_lets_nothing_be_done_unasked() {
    let mut house = town();
    let token = any_letter(&house);
    let other = rusqlite::Connection::open(house.folder.join("omerta.db")).unwrap();
    let fail = "CREATE TABLE trouble (since INTEGER, until INTEGER);
         INSERT INTO trouble VALUES (0, 0);
         CREATE TRIGGER trouble_since AFTER INSERT ON letters BEGIN
             UPDATE trouble SET since = total_changes();
         END;
         CREATE TRIGGER trouble_here BEFORE INSERT ON outbox WHEN NEW.kind = 'notice' BEGIN
             SELECT RAISE(ABORT, 'no room') FROM trouble WHERE total_changes() - since < until;
         END;";
    other.execute_batch(fail).unwrap();
    let mut failed = 0;
    for until in (0..240).step_by(8) {
        other.execute("UPDATE trouble SET until = ?1", [until]).unwrap();
        let id = format!("h{until}@x.test");
        let before = house.journal(TAG).len();
        let got = proved(&mut house, &id, &token, CANCEL);
        assert_eq!(house.table(TAG).state, State::Playing, "with {until}: cancelled unasked");
        match got {
            Some(question) => assert_eq!(question.kind, "confirm", "with {until}"),
            None => {
                failed += 1;
                assert_eq!(house.journal(TAG).len(), before, "with {until}: half a letter was written");
            }
        }
    }
    assert!(failed > 0, "it never failed");
}
