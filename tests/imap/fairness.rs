//! One who wrote thousands of letters keeps nobody else waiting, and nothing is lost by reading in another order.

use std::collections::BTreeSet;
use std::time::Duration;

use omerta::clock::Clock;
use omerta::store::{LetterId, LetterRow, StoreError};

use crate::desk::{Desk, plain};
use crate::house::binary::Machine;
use crate::house::{config_text, raw_letter};
use crate::proxy::{Fault, Proxy};
use crate::server::{Client, letter, letter_of, server, user};

/// So many letters of rita, and behind them one of anna.
fn flood(client: &mut Client, letters: usize) {
    for number in 0..letters {
        client.append("INBOX", &letter(&format!("r{number}")));
    }
    client.append("INBOX", &letter_of("anna", "anna"));
}

/// The number of the last letter that the mark covers.
fn mark(desk: &Desk) -> u32 {
    desk.marks.get("imap/INBOX").map_or(0, |mark| mark.split_once(':').unwrap().1.parse().unwrap())
}

/// The letters' own numbers.
fn uids(desk: &Desk) -> Vec<u32> {
    desk.letters.iter().map(|letter| letter.place.rsplit_once('/').unwrap().1.parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_comes_before_the_flood_and_a_crash_amid_it_loses_nothing() {
    const FLOOD: usize = 450;
    let user = user();
    let mut client = Client::of(&user);
    flood(&mut client, FLOOD);
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.until("the first batch", |desk| !desk.batches.is_empty()).await;
    assert_eq!(desk.batches, [51], "fifty of rita's, and anna's");
    assert!(desk.subjects().contains(&"anna".to_owned()));
    assert!(desk.letters.is_sorted_by(|one, other| one.order < other.order), "a batch is in order of arrival");
    // What was left out is not covered, however many batches come.
    let mut known: BTreeSet<u32> = uids(&desk).into_iter().collect();
    assert_eq!(mark(&desk), 50);
    desk.until("two more", |desk| desk.batches.len() == 3).await;
    assert_eq!((desk.batches.as_slice(), mark(&desk)), ([51, 100, 100].as_slice(), 250));
    known.extend(uids(&desk));
    assert_eq!(known.len(), 251);
    // What was handed over behind the mark comes a second time after a crash, and what was not comes at all.
    // Somebody reads the mailbox with another client: no flag tells what is done with.
    client.ask("SELECT INBOX");
    client.ask("STORE 1:* +FLAGS.SILENT (\\Seen)");
    let marks = desk.crash().await;
    let mut desk = Desk::with(plain(&user, server().imap), marks, Clock::System);
    desk.read_through().await;
    let again: BTreeSet<u32> = uids(&desk).into_iter().collect();
    assert_eq!(again, (251..=FLOOD as u32 + 1).collect());
    assert_eq!(mark(&desk), FLOOD as u32 + 1);
    known.extend(again);
    assert_eq!(known, (1..=FLOOD as u32 + 1).collect());
    // And then nothing more.
    let marks = desk.crash().await;
    let mut desk = Desk::with(plain(&user, server().imap), marks, Clock::System);
    desk.read_through().await;
    assert!(desk.letters.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_in_another_folder_does_not_wait_for_the_flooded_one() {
    let user = user();
    let mut client = Client::of(&user);
    flood(&mut client, 250);
    client.append("Junk", &letter_of("vera", "junk"));
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.read_through().await;
    assert_eq!((desk.subjects()[0].as_str(), desk.letters.len()), ("junk", 252));
    assert!(desk.letters[0].junk);
    // The server tells of the first folder all the same.
    client.append("INBOX", &letter_of("vera", "later"));
    desk.until("the letter", |desk| desk.letters.len() == 253).await;
    // The next time nothing waits, and nothing comes twice.
    let marks = desk.crash().await;
    let mut again = Desk::with(plain(&user, server().imap), marks, Clock::System);
    again.read_through().await;
    assert_eq!(again.letters.iter().filter(|letter| letter.junk).count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_writes_while_a_flood_is_read_does_not_wait_for_its_end() {
    let user = user();
    let mut client = Client::of(&user);
    flood(&mut client, 1_500);
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.until("the flood is being read", |desk| desk.batches.len() == 2).await;
    client.append("INBOX", &letter_of("boris", "boris"));
    let is_there = |desk: &Desk| desk.subjects().contains(&"boris".to_owned());
    desk.until("boris's letter", is_there).await;
    // One batch waits in the channel, one is being fetched, and before the next one it is looked again.
    assert!(desk.batches.len() <= 6, "{:?}", desk.batches);
    desk.read_through().await;
    desk.read_now().await;
    let all: BTreeSet<u32> = uids(&desk).into_iter().collect();
    assert_eq!((desk.letters.len(), all.len()), (1_502, 1_502), "each once");
    assert_eq!(mark(&desk), 1_502);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_handed_over_early_is_not_asked_for_again_on_the_next_line() {
    let user = user();
    let mut client = Client::of(&user);
    flood(&mut client, 450);
    let proxy = Proxy::before(server().imap).await;
    // Amid the third batch.
    proxy.set(Fault::CutAt("Subject: r170\r".to_owned()));
    let mut desk = Desk::new(plain(&user, proxy.port()));
    while proxy.opened() < 2 {
        desk.linger(Duration::from_millis(20)).await;
    }
    assert_eq!((desk.batches.as_slice(), mark(&desk)), ([51, 100].as_slice(), 150), "before the cut");
    proxy.heal();
    desk.read_through().await;
    let all: BTreeSet<u32> = uids(&desk).into_iter().collect();
    assert_eq!((desk.letters.len(), all.len()), (451, 451), "each once");
    assert_eq!(mark(&desk), 451);
}

/// The whole daemon, started when all of it lies in the mailbox: how many letters of the one are committed before the
/// other's, whose receipt is in the same commit. Counted in letters, not in seconds.
#[test]
fn wherever_the_others_letter_lies_few_of_the_flood_are_committed_before_her_receipt() {
    const FLOOD: usize = 600;
    const TAG: &str = "palermo";
    let mut machine = Machine::new();
    let address = |nick: &str| format!("{nick}@palermo.test");
    let roster = "address,nick,role\nrita@palermo.test,Рита,citizen\nanna@palermo.test,Анна,citizen\n\
                  boris@palermo.test,Борис,mafioso\nvera@palermo.test,Вера,citizen\n";
    std::fs::write(machine.folder.join("roster.csv"), roster).unwrap();
    machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    machine.ok(&["game", "deadline", TAG, "+72h"]);
    machine.ok(&["game", "start", TAG]);
    machine.start(&[]);
    machine.until("the roles are out", || !machine.got(&address("anna")).is_empty());
    machine.stop();
    let second = machine.now().as_second();
    for (name, place) in [("front", 0), ("midst", FLOOD / 2), ("behind", FLOOD)] {
        let (user, mut machine) = (user(), machine.copy());
        let mut client = Client::of(&user);
        let mut put = |from: &str, number: usize| {
            let id = format!("{from}-{number}@palermo.test");
            let nick = ["Борис", "Вера"][number % 2];
            let raw = raw_letter(&address(from), TAG, &id, &format!("Записка - {nick}: {number}"));
            client.append_at("INBOX", second, &String::from_utf8(raw).unwrap());
        };
        (0..place).for_each(|number| put("rita", number));
        put("anna", 0);
        (place..FLOOD).for_each(|number| put("rita", number));
        let imap = format!(
            "kind = \"imap\"\nserver = \"127.0.0.1\"\nport = {}\ntls = \"none\"\nuser = \"{user}\"\n\
             password_file = \"secret\"\n",
            server().imap
        );
        let config = config_text("").replace("kind = \"maildir\"\npath = \"mail/in\"\n", &imap);
        std::fs::write(machine.folder.join("config.toml"), config).unwrap();
        std::fs::write(machine.folder.join("secret"), &server().password).unwrap();
        machine.start(&[]);
        let has_receipt = || machine.got(&address("anna")).iter().any(|got| got.kind == "receipt");
        machine.until("her receipt", has_receipt);
        let store = machine.store();
        let hers = |row: &LetterRow| row.sender.as_deref() == Some(&address("anna"));
        let earlier = store.read(|tx| {
            let mut earlier = 0;
            while !tx.letter(LetterId(earlier + 1))?.is_none_or(|row| hers(&row)) {
                earlier += 1;
            }
            Ok::<_, StoreError>(earlier)
        });
        let earlier = earlier.unwrap();
        assert!(earlier <= 200, "{name}: {earlier} of the flood were committed before hers");
        let all = FLOOD as u64 + 1;
        machine.until("all of it", || store.read(|tx| tx.inbox_counts()).unwrap().processed == all);
        assert_eq!(machine.stop(), Some(0), "{name}: {}", machine.log());
    }
}
