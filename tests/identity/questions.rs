//! "Was this you?": what «Да» lets in, and what it does not.

use jiff::{SignedDuration, Timestamp};
use omerta::journal::{AskedWhy, Entry};

use crate::house::address;
use crate::town::{FAIL, HOST, PASS, RECEIVED, TAG, Town};

const VOTE: &str = "Суд Линча - Борис";

/// A vote that is not proved, and the question about it.
fn asked(mode: &str) -> (Town, crate::house::Got) {
    let mut town = Town::new(mode);
    town.write(0, FAIL, VOTE);
    let question = town.house.last(TAG, 0, "confirm");
    assert_eq!(town.vote(0), None);
    (town, question)
}

#[test]
fn yes_lets_the_letter_in_with_its_first_arrival_and_one_answer() {
    for mode in ["address", "verified"] {
        let (mut town, question) = asked(mode);
        assert!(question.body.contains("│ Суд Линча - Борис"), "{}", question.body);
        let arrived = town.journal().into_iter().find_map(|entry| match entry {
            Entry::Asked(asked) => Some(asked.order),
            _ => None,
        });
        town.house.wait(600);
        // A later letter is proved and stands: the confirmed one is older and does not replace it.
        town.write(0, PASS, "Суд Линча - Вера");
        town.reply(0, "", &question, "Да");
        assert_eq!(town.vote(0).as_deref(), Some("Вера"), "{mode}: the older letter never replaces a newer one");
        let heard = town.journal().into_iter().rev().find_map(|entry| match entry {
            Entry::Heard(heard) => Some(heard.order),
            _ => None,
        });
        assert_eq!(heard, arrived, "{mode}: the first arrival");
        assert_eq!(town.count(&address(TAG, 0), "receipt"), 2, "{mode}: one for each letter, none for «Да» itself");
    }
}

#[test]
fn yes_counts_once() {
    let (mut town, question) = asked("verified");
    town.reply(0, "", &question, "Да, это я"); // prose
    assert_eq!(town.vote(0), None);
    town.reply(0, "", &question, "  да.\n\n> Суд Линча - Вера");
    assert_eq!(town.vote(0).as_deref(), Some("Борис"));
    town.write(0, PASS, "Отмена");
    town.reply(0, "", &question, "Да!");
    assert_eq!(town.vote(0), None, "a second «Да» brings nothing back");
    assert!(town.house.last(TAG, 0, "receipt").body.contains("Подтверждать здесь нечего"));
}

#[test]
fn what_is_no_answer_of_the_registered_address_confirms_nothing() {
    let (mut town, question) = asked("verified");
    let refer = format!("In-Reply-To: <{}>\r\nSubject: Re: {}\r\n", question.message_id, question.subject);
    let own = address(TAG, 0);
    for (header, text) in [
        // The token alone: an auto-responder, or one who quotes.
        (format!("{RECEIVED}From: <{own}>\r\n{refer}"), "Меня нет, отвечу в понедельник"),
        (format!("{RECEIVED}From: <{own}>\r\n{refer}"), "> Да"),
        (format!("{RECEIVED}From: <{own}>\r\nAuto-Submitted: auto-replied\r\n{refer}"), "Да"),
        (format!("{RECEIVED}From: <{own}>\r\nPrecedence: bulk\r\n{refer}"), "Да"),
        // The word alone.
        (format!("{PASS}{RECEIVED}From: <{own}>\r\nSubject: [{TAG}]\r\n"), "Да"),
        // From elsewhere, with another player's own proof, or against the servers.
        (format!("{RECEIVED}From: <evil@elsewhere.test>\r\n{refer}"), "Да"),
        (format!("{PASS}{RECEIVED}From: <{}>\r\n{refer}", address(TAG, 1)), "Да"),
        (format!("{FAIL}{RECEIVED}From: <{own}>\r\n{refer}"), "Да"),
        (format!("{RECEIVED}From: <evil@elsewhere.test>\r\nReply-To: <{own}>\r\nSender: <{own}>\r\n{refer}"), "Да"),
    ] {
        town.deliver(&header, text);
        assert_eq!(town.vote(0), None, "{header}{text}");
    }
    // Another question's token does not confirm this letter.
    town.write(2, FAIL, VOTE);
    let other = town.house.last(TAG, 2, "confirm");
    town.reply(0, PASS, &other, "Да");
    assert_eq!((town.vote(0), town.vote(2)), (None, None));
    town.reply(0, "", &question, "Да");
    assert_eq!(town.vote(0).as_deref(), Some("Борис"));
}

/// All others have voted; the header of the answer to the question, and the deadline.
fn asked_among_voters() -> (Town, String, Timestamp) {
    let (mut town, question) = asked("verified");
    for player in 1..6 {
        town.write(player, PASS, "Суд Линча - Вера");
    }
    let deadline = town.house.table(TAG).deadline.unwrap();
    let refer = format!(
        "{RECEIVED}From: <{}>\r\nSubject: Re: {}\r\nIn-Reply-To: <{}>\r\n",
        address(TAG, 0),
        question.subject,
        question.message_id
    );
    (town, refer, deadline)
}

#[test]
fn yes_must_arrive_before_the_deadline() {
    let (mut town, refer, deadline) = asked_among_voters();
    town.house.set_clock(deadline);
    town.deliver_at(&refer, "Да", deadline);
    town.house.close(TAG);
    let told = town.house.table(TAG).told.last().cloned().unwrap();
    assert_eq!((told.turn, told.ballots.len()), (2, 5));
    assert!(!told.ballots.iter().any(|(voter, _)| voter.0 == 0), "in the second of the deadline it is late: {told:?}");
}

#[test]
fn yes_that_arrived_in_time_and_was_read_after_the_deadline_counts() {
    let (mut town, refer, deadline) = asked_among_voters();
    town.house.set_clock(deadline.saturating_add(SignedDuration::from_secs(30)).unwrap());
    town.deliver_at(&refer, "Да", deadline.saturating_sub(SignedDuration::from_secs(1)).unwrap());
    town.house.close(TAG);
    let told = town.house.table(TAG).told.last().cloned().unwrap();
    assert_eq!((told.turn, told.ballots.len()), (2, 6));
    assert!(told.ballots.iter().any(|(voter, _)| voter.0 == 0), "{told:?}");
}

#[test]
fn a_hosts_yes_counts_in_the_turn_of_its_question_alone() {
    let mut town = Town::new("address");
    town.deliver(&format!("{RECEIVED}From: <{HOST}>\r\nSubject: [{TAG}]\r\n"), "Пауза");
    let question = town.house.got(HOST).into_iter().rfind(|got| got.kind == "confirm").unwrap();
    for player in 0..6 {
        town.write(player, PASS, if player == 4 { VOTE } else { "Суд Линча - Дарья" });
    }
    town.house.close(TAG);
    assert_eq!(town.house.table(TAG).game.turn, 3);
    let yes = format!("{RECEIVED}From: <{HOST}>\r\nIn-Reply-To: <{}>\r\n", question.message_id);
    town.deliver(&yes, "Да");
    let done = |entry: &Entry| matches!(entry, Entry::Confirmed { .. } | Entry::Paused { .. });
    assert!(!town.journal().iter().any(done), "what he wanted then may be wrong by now");
}

#[test]
fn a_flood_of_unproved_letters_makes_few_questions() {
    let mut town = Town::new("verified");
    for n in 0..20 {
        let header = format!("Message-ID: <{n}@evil.test>\r\n");
        town.write(0, &header, VOTE);
    }
    assert_eq!(town.count(&address(TAG, 0), "confirm"), 1, "the same letter again is not asked about again");
    for n in 0..20 {
        town.write(0, "", &format!("Суд Линча - Борис\nпривет {n}"));
    }
    assert_eq!(town.count(&address(TAG, 0), "confirm"), 5, "five in an hour");
    let questions: Vec<_> = town.house.got(&address(TAG, 0)).into_iter().filter(|got| got.kind == "confirm").collect();
    let says = |got: &crate::house::Got| got.body.contains("до конца часа о новых");
    assert_eq!(questions.iter().map(says).collect::<Vec<_>>(), [false, false, false, false, true], "he learns of it");
    assert_eq!(town.vote(0), None);
    // His own proved letters are answered all the same.
    town.write(0, PASS, VOTE);
    assert_eq!((town.vote(0).as_deref(), town.count(&address(TAG, 0), "receipt")), (Some("Борис"), 1));
}

#[test]
fn a_proved_copy_of_a_letter_that_was_asked_about_lets_it_in() {
    let mut town = Town::new("verified");
    let id = "Message-ID: <one@players.test>\r\n";
    town.write(0, id, VOTE);
    assert_eq!(town.vote(0), None);
    town.write(0, &format!("{PASS}{id}"), VOTE);
    assert_eq!(town.vote(0).as_deref(), Some("Борис"));
    assert_eq!(town.count(&address(TAG, 0), "receipt"), 1);
}

#[test]
fn prose_is_explained_and_not_asked_about() {
    let mut town = Town::new("verified");
    town.write(0, "", "Всем привет");
    assert_eq!((town.count(&address(TAG, 0), "help"), town.count(&address(TAG, 0), "confirm")), (1, 0));
}

#[test]
fn leaving_wants_a_second_word() {
    let mut town = Town::new("address");
    town.write(0, "", "Отказ\nСуд Линча - Борис");
    assert_eq!(town.vote(0).as_deref(), Some("Борис"), "the rest of the letter counts at once");
    let why = town.journal().into_iter().find_map(|entry| match entry {
        Entry::Asked(asked) => Some(asked.why),
        _ => None,
    });
    assert_eq!(why, Some(AskedWhy::Weighty));
    assert_eq!(town.house.table(TAG).living().count(), 6);
    let question = town.house.last(TAG, 0, "confirm");
    assert!(question.body.contains("│ Отказ") && !question.body.contains("│ Суд Линча"), "{}", question.body);
    let receipt = town.house.last(TAG, 0, "receipt");
    town.reply(0, "", &receipt, "Да");
    assert_eq!(town.house.table(TAG).living().count(), 6, "the receipt of the same letter asked nothing");
    town.reply(0, "", &question, "Да");
    assert_eq!(town.house.table(TAG).living().count(), 5);
    assert_eq!(town.count(&address(TAG, 0), "expulsion"), 1);
}

#[test]
fn an_export_tells_nothing_of_questions_and_verifies() {
    let (mut town, question) = asked("verified");
    town.reply(0, "", &question, "Да");
    town.write(2, PASS, "Отказ");
    let leaving = town.house.last(TAG, 2, "confirm");
    town.reply(2, "", &leaving, "Да");
    let mut export = Vec::new();
    omerta::export::export(&town.house.daemon().desk().store, TAG, &mut export).unwrap();
    let export = String::from_utf8(export).unwrap();
    assert!(!export.contains("\"event\":\"asked\"") && !export.contains("\"event\":\"confirmed\""), "{export}");
    omerta::export::verify(&export).unwrap();
    // And the journal folds into the very table again.
    let table = town.house.table(TAG);
    town.house.open();
    assert_eq!(town.house.table(TAG), table);
}
