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
