//! How much may leave, and when: a provider's block, the pace, and the limit of a day while its server is slow.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use omerta::store::OutState;

use crate::house::binary::Machine;
use crate::house::config_text;
use crate::house::whole::put;
use crate::script::{Act, At, Server};
use crate::tasks::{self, over};
use crate::{Daemon, HURRY, TAG, begin, begun, times};

fn sending_to(port: u16, more: &str) -> Machine {
    let machine = begun();
    let smtp = format!("kind = \"smtp\"\nserver = \"127.0.0.1\"\nport = {port}\ntls = \"none\"\n{more}");
    let config = config_text("").replace("kind = \"maildir\"\npath = \"mail/out\"\n", &smtp);
    std::fs::write(machine.folder.join("config.toml"), config).unwrap();
    machine
}

fn sent(machine: &Machine) -> u64 {
    machine.store().read(|tx| tx.outbox_counts()).unwrap().sent
}

/// The daemon has looked round since the clock was set as it is now.
fn until_it_looked(machine: &Machine) {
    let now = machine.now();
    machine.until("a sign of life", || {
        let beat = machine.store().read(|tx| tx.daemon_status()).unwrap();
        beat.is_some_and(|(at, _)| at >= now)
    });
}

/// Each try would prolong it: none is made for a day, not even by a daemon that is started anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_block_is_kept_for_a_day_also_by_the_next_daemon() {
    let blocks = Arc::new(AtomicBool::new(true));
    let does = Arc::clone(&blocks);
    let server = Server::start(move |_, at| {
        let reply = b"550 5.4.5 Daily user sending limit exceeded\r\n";
        (at == At::Dot && does.load(Ordering::SeqCst)).then_some(Act::Say(reply))
    })
    .await;
    let run = move || {
        let machine = sending_to(server.port, "");
        let daemon = Daemon::start(&machine, &["--hurry", HURRY]);
        machine.until("it is told", || times(&machine, "the provider blocks sending") > 0);
        let status = || machine.json(&["status", "--json"]);
        assert_eq!(status()["waits"]["for"], "block", "{}", status());
        assert_eq!(daemon.stop().0, Some(0));
        blocks.store(false, Ordering::SeqCst);
        let (begun, lines) = (machine.now(), server.seen().connections);
        assert_eq!((lines, server.seen().letters.len()), (1, 1), "one letter tried it for all");
        let daemon = Daemon::start(&machine, &["--hurry", HURRY]);
        for hours in [1, 12, 23] {
            machine.set_clock(&(begun + jiff::SignedDuration::from_hours(hours)).to_string());
            until_it_looked(&machine);
            assert_eq!(server.seen().connections, lines, "after {hours} h");
        }
        assert_eq!(times(&machine, "the provider blocks sending"), 1, "{}", machine.log());
        machine.set_clock(&(begun + jiff::SignedDuration::from_hours(24)).to_string());
        machine.wait_seconds(60);
        machine.until("all have left", || machine.store().read(|tx| tx.next_out_due()).unwrap().is_none());
        let letters = machine.store().read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap();
        assert!(
            letters.iter().all(|letter| [OutState::Sent, OutState::Expired].contains(&letter.state)),
            "{letters:?}"
        );
        let alerts: Vec<OutState> =
            letters.iter().filter(|letter| letter.kind == "alert").map(|letter| letter.state).collect();
        assert_eq!(alerts, [OutState::Sent], "the host is told, once");
        assert_eq!(server.seen().connections, lines + 1);
        assert_eq!(daemon.stop().0, Some(0));
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

#[test]
fn no_more_leave_in_a_minute_than_the_pace_allows() {
    let server = tasks::Server::start();
    let machine = over(&server, "rate = \"3/m\"\n");
    begin(&machine);
    let daemon = Daemon::start(&machine, &[]);
    // Game time stands still unless it is told to go on.
    for leave in [3, 6] {
        machine.until("as many as may have left", || sent(&machine) == leave);
        machine.wait_seconds(1);
        until_it_looked(&machine);
        assert_eq!(sent(&machine), leave);
        machine.wait_seconds(60);
    }
    assert_eq!(daemon.stop().0, Some(0));
}

/// What is on its way counts: a server that takes its time must not be given more than the provider allows.
#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_a_day_holds_while_the_server_is_slow() {
    let server = Server::start(|_, at| (at == At::Dot).then_some(Act::Drip(Duration::from_millis(150)))).await;
    let run = move || {
        let machine = sending_to(server.port, "daily = 5\n");
        let daemon = Daemon::start(&machine, &["--hurry", HURRY]);
        machine.until("the limit is reached", || sent(&machine) == 5);
        assert!(daemon.stop().0 == Some(0) && sent(&machine) == 5, "{}", sent(&machine));
        assert_eq!(server.seen().letters.len(), 5);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// A server may take longer to answer than it takes until the next try is due: that try is not made beside the first.
#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_is_still_on_its_way_is_not_sent_a_second_time() {
    let dots = AtomicUsize::new(0);
    let server = Server::start(move |_, at| {
        (at == At::Dot && dots.fetch_add(1, Ordering::SeqCst) == 0).then_some(Act::Drip(Duration::from_secs(1)))
    })
    .await;
    let run = move || {
        let machine = sending_to(server.port, "");
        let daemon = Daemon::start(&machine, &["--hurry", "20"]);
        machine.until("the first is handed over", || !server.seen().letters.is_empty());
        machine.wait_seconds(400);
        until_it_looked(&machine);
        assert_eq!(sent(&machine), 0, "it is on its way still");
        machine.until("all have left", || machine.store().read(|tx| tx.next_out_due()).unwrap().is_none());
        assert_eq!(daemon.stop().0, Some(0));
        let letters = server.seen().letters;
        let different: BTreeSet<Vec<u8>> = letters.iter().map(|letter| letter.bytes.clone()).collect();
        assert_eq!((letters.len(), u64::try_from(letters.len()).unwrap()), (different.len(), sent(&machine)));
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// A program of the sendmail kind, which is busy at its first letter.
#[test]
fn letters_leave_by_a_program_and_come_again_when_it_is_busy() {
    let machine = begun();
    let file = |name: &str| machine.folder.join(name);
    let script = "#!/bin/sh\nmkdir tried 2>/dev/null && exit 75\ncat > left/$$\n";
    std::fs::create_dir(file("left")).unwrap();
    std::fs::write(file("send"), script).unwrap();
    std::fs::set_permissions(file("send"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let sendmail = format!("kind = \"sendmail\"\ncommand = [\"{}\"]\n", file("send").display());
    let config = config_text("").replace("kind = \"maildir\"\npath = \"mail/out\"\n", &sendmail);
    std::fs::write(file("config.toml"), config).unwrap();
    let daemon = Daemon::start(&machine, &[]);
    machine.until("but for one all have left", || sent(&machine) == 9);
    machine.wait_seconds(70);
    machine.until("all have left", || machine.store().read(|tx| tx.next_out_due()).unwrap().is_none());
    let letters = machine.store().read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap();
    let left: Vec<String> = std::fs::read_dir(file("left"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!((letters.len(), left.len()), (10, 10));
    for letter in &letters {
        let copies =
            left.iter().filter(|bytes| bytes.contains(&format!("Message-ID: <{}>", letter.message_id))).count();
        assert_eq!((copies, letter.state), (1, OutState::Sent), "{letter:?}");
    }
    assert_eq!(daemon.stop().0, Some(0));
}

/// New settings of the outbox, read while a letter is on its way: its answer is waited for, and it leaves once.
#[tokio::test(flavor = "multi_thread")]
async fn settings_that_are_read_again_send_no_letter_twice() {
    let dots = AtomicUsize::new(0);
    let server = Server::start(move |_, at| {
        (at == At::Dot && dots.fetch_add(1, Ordering::SeqCst) == 0).then_some(Act::Drip(Duration::from_millis(200)))
    })
    .await;
    let run = move || {
        let machine = sending_to(server.port, "");
        let daemon = Daemon::start(&machine, &["--hurry", "20"]);
        machine.until("the first is handed over", || !server.seen().letters.is_empty());
        let file = machine.folder.join("config.toml");
        let config = std::fs::read_to_string(&file).unwrap();
        put(&file, &config.replace("tls = \"none\"\n", "tls = \"none\"\nrate = \"900/m\"\n"));
        assert!(Command::new("kill").arg("-HUP").arg(daemon.pid().to_string()).status().unwrap().success());
        machine.until("they are read again", || times(&machine, "the settings and templates were read again") == 1);
        machine.wait_seconds(400);
        machine.until("all have left", || machine.store().read(|tx| tx.next_out_due()).unwrap().is_none());
        assert_eq!(daemon.stop().0, Some(0));
        let letters = server.seen().letters;
        let different: BTreeSet<Vec<u8>> = letters.iter().map(|letter| letter.bytes.clone()).collect();
        assert_eq!((letters.len(), different.len()), (10, 10));
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}
