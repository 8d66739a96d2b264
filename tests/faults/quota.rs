//! The provider's limit of a day comes to its end while talk is on its way: whoever was told that it is passed on is told
//! that it waits.

use omerta::store::{OutListing, OutState};

use crate::house::binary::Machine;
use crate::house::{address, raw_letter};
use crate::tasks::{Server, over};
use crate::{Daemon, TAG, begin};

fn listed(machine: &Machine) -> Vec<OutListing> {
    machine.store().read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap()
}

fn body(machine: &Machine, letter: &OutListing) -> String {
    let raw = machine.store().read(|tx| tx.out_bytes(letter.id)).unwrap().unwrap();
    let message = mail_parser::MessageParser::default().parse(&raw).unwrap();
    message.body_text(0).unwrap().replace("\r\n", " ").replace('\n', " ")
}

/// Of 40 letters a day 18 are kept for results and 15 of the rest are for talk; ten have left before anybody writes.
#[test]
fn talk_that_the_quota_catches_after_its_receipt_is_told_to_its_author_once() {
    let server = Server::start();
    let machine = over(&server, "daily = 40\n");
    begin(&machine);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the beginning is out", || machine.store().read(|tx| tx.next_out_due()).unwrap().is_none());
    // Each writes to the next one, so that a letter's reader tells its author.
    for player in 0..4 {
        let text = format!("ЛС - {}: привет", ["Борис", "Вера", "Глеб", "Анна"][usize::from(player)]);
        let raw = raw_letter(&address(TAG, player), TAG, &format!("{player}@palermo.test"), &text);
        machine.drop_in(&machine.now().to_string(), u32::from(player), &raw);
    }
    let of_kind = |letters: &[OutListing], kind: &str, to: u16, state: OutState| {
        let is_it =
            |letter: &&OutListing| letter.kind == kind && letter.to == address(TAG, to) && letter.state == state;
        letters.iter().filter(is_it).cloned().collect::<Vec<_>>()
    };
    machine.until("all are answered", || {
        let letters = listed(&machine);
        (0..4).all(|player| of_kind(&letters, "receipt", player, OutState::Sent).len() == 1)
    });
    machine.until("who must be told is told", || {
        let letters = listed(&machine);
        letters.iter().any(|letter| letter.kind == "notice")
            && letters.iter().all(|letter| letter.kind == "pm" || letter.state == OutState::Sent)
    });
    let letters = listed(&machine);
    let mut told = 0;
    for player in 0..4 {
        let receipt = body(&machine, &of_kind(&letters, "receipt", player, OutState::Sent)[0]);
        let waits = !of_kind(&letters, "pm", (player + 1) % 4, OutState::Queued).is_empty();
        let notices = of_kind(&letters, "notice", player, OutState::Sent);
        let owed = waits && receipt.contains("Передано игроку");
        assert_eq!(notices.len(), usize::from(owed), "{player}: {receipt}");
        assert_eq!(waits && !owed, receipt.contains("получит это позже"), "{player}: {receipt}");
        for notice in &notices {
            let body = body(&machine, notice);
            assert!(body.contains("ждёт") && body.contains("для игрока"), "{body}");
            assert!(notice.subject.contains("часть почты ждёт"), "{}", notice.subject);
        }
        told += notices.len();
    }
    assert!(told > 0, "nobody's talk was caught");
    assert_eq!(daemon.stop().0, Some(0));
}

/// Of the five letters of a day none is left: who asks learns why the others wait, and until when.
#[test]
fn status_and_the_morning_letter_name_the_limit_that_letters_wait_for() {
    let server = Server::start();
    let machine = over(&server, "daily = 5\n");
    begin(&machine);
    let status = machine.json(&["status", "--json"]);
    assert!(status.get("waits").is_none() && status["outbox"]["queued"] != 0, "there is room: {status}");
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the limit is reached", || machine.json(&["status", "--json"])["outbox"]["sent"] == 5);
    let status = machine.json(&["status", "--json"]);
    assert_eq!((&status["waits"]["for"], &status["waits"]["sent"]), (&"daily_limit".into(), &5.into()), "{status}");
    let until: jiff::Timestamp = status["waits"]["until"].as_str().unwrap().parse().unwrap();
    let wait = until.duration_since(machine.now());
    assert!((23..=24).contains(&wait.as_hours()), "{status}");
    let said = machine.ok(&["status"]);
    let words = "5 of the 5 letters that the provider allows in 24 hours have left: nothing leaves until 2026-12-01";
    assert!(said.contains(words), "{said}");
    machine.wait_seconds(22 * 3600);
    let morning = || listed(&machine).into_iter().find(|letter| letter.kind == "digest");
    machine.until("it is morning", || morning().is_some());
    let told = body(&machine, &morning().unwrap());
    assert!(told.contains("ушло 5 из 5") && told.contains("Для части писем места в этом пределе пока нет"), "{told}");
    assert_eq!(daemon.stop().0, Some(0));
}
