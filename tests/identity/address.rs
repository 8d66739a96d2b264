//! A new address: asked for from the old one, confirmed from the old one.

use omerta::journal::Entry;

use crate::house::address;
use crate::town::{FAIL, PASS, RECEIVED, TAG, Town};

const NEW: &str = "anna@new.test";

fn ask(mode: &str) -> (Town, crate::house::Got) {
    let mut town = Town::new(mode);
    town.write(0, PASS, &format!("Адрес - {NEW}"));
    let question = town.house.last(TAG, 0, "confirm");
    assert_eq!(town.count(NEW, "confirm"), 0, "the old address is asked, and it alone");
    (town, question)
}

#[test]
fn an_address_changes_when_the_old_one_confirms_it() {
    for mode in ["address", "verified"] {
        let (mut town, question) = ask(mode);
        let own = address(TAG, 0);
        town.reply(0, "", &question, "Да");
        let told = |town: &Town, address: &str| {
            let letters = town.house.got(address);
            letters.into_iter().filter(|got| got.kind == "answer").collect::<Vec<_>>()
        };
        let (here, before) = (told(&town, NEW), told(&town, &own));
        assert_eq!((here.len(), before.len()), (1, 1), "{mode}: both are told");
        for letter in here.iter().chain(&before) {
            let text = String::from_utf8_lossy(&letter.raw).into_owned();
            let (_, body) = text.split_once("\r\n\r\n").unwrap_or_default();
            assert!(!letter.body.contains('@') && !body.contains("new.test"), "{mode}: {text}");
        }
        let changed = town.journal().into_iter().any(|entry| match entry {
            Entry::AddressChanged { address, .. } => address.len() == 64 && !address.contains('@'),
            _ => false,
        });
        assert!(changed, "{mode}: the journal has a hash");
        let header = "Authentication-Results: mx.game.test; dmarc=pass header.from=new.test\r\n";
        town.deliver(&format!("{header}{RECEIVED}From: <{NEW}>\r\n"), "Суд Линча - Борис");
        assert_eq!(town.vote(0).as_deref(), Some("Борис"), "{mode}: the new address plays");
        town.write(0, PASS, "Суд Линча - Вера");
        assert_eq!(town.vote(0).as_deref(), Some("Борис"), "{mode}: the old one does not");
    }
}

#[test]
fn nothing_but_the_old_address_confirms_it() {
    let (mut town, question) = ask("address");
    let refer = format!("Subject: Re: {}\r\nIn-Reply-To: <{}>\r\n", question.subject, question.message_id);
    town.deliver(&format!("{RECEIVED}From: <{NEW}>\r\n{refer}"), "Да");
    let word = town.word(0);
    town.deliver(&format!("{RECEIVED}From: <{NEW}>\r\n{refer}"), &format!("Да\nСлово - {word}"));
    town.write(0, "", "Да");
    town.reply(0, FAIL, &question, "Да");
    assert!(!town.journal().iter().any(|entry| matches!(entry, Entry::AddressChanged { .. })));
    assert_eq!(town.count(NEW, "answer"), 0);
}

#[test]
fn an_address_that_plays_or_leads_here_is_not_taken_and_the_answer_tells_nothing() {
    let mut town = Town::new("address");
    let taken = address(TAG, 3);
    let mut answers = Vec::new();
    for wanted in [taken.as_str(), "host@example.org", "mafia@example.org", "mafia+x@example.org.", "..@x.test"] {
        town.write(0, "", &format!("Адрес - {wanted}"));
        let receipt = town.house.last(TAG, 0, "receipt");
        let said = receipt.body.split("не подойдёт").nth(1).map(str::to_owned);
        answers.push(said);
    }
    assert!(answers.first().is_some_and(Option::is_some));
    assert_eq!(town.count(&address(TAG, 0), "confirm"), 0);
    assert!(!town.journal().iter().any(|entry| matches!(entry, Entry::Asked(_))));
}
