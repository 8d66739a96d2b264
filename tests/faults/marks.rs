//! A letter is marked, or moved, only when it is committed. The database is held by another program, so that letters are
//! read and can't be committed; then the daemon dies.

use std::io::Write;
use std::process::Stdio;

use rusqlite::Connection;

use crate::house::binary::{Machine, Said};
use crate::house::{address, raw_letter};
use crate::inbox::{Folders, Scene};
use crate::proxy::Proxy;
use crate::server::server;
use crate::{Daemon, TAG, answers, ask, begun, times};

/// Nobody else can write until it is dropped.
fn hold(machine: &Machine) -> Connection {
    let held = Connection::open(machine.folder.join("omerta.db")).unwrap();
    held.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    held
}

fn until_it_gives_up(machine: &Machine) {
    machine.until("the letters can't be committed", || times(machine, "can't go on for now") > 0);
}

#[test]
fn in_a_maildir() {
    let machine = begun();
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the beginning is out", || machine.store().read(|tx| tx.next_out_due()).unwrap().is_none());
    let held = hold(&machine);
    (0..3).for_each(|number| ask(&machine, number, "Статус"));
    until_it_gives_up(&machine);
    assert_eq!(machine.unread(), 3, "nothing is marked that is not committed");
    drop(daemon);
    drop(held);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("all are answered", || answers(&machine, "answer") == 3);
    machine.until("and marked", || machine.unread() == 0);
    assert_eq!(daemon.stop().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_mailbox() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let mut scene = Scene::new("held", &begun(), proxy, Folders::Filed);
        let daemon = scene.start();
        scene.machine.until("it idles", || scene.proxy.heard().contains("IDLE"));
        let held = hold(&scene.machine);
        (0..3).for_each(|player| scene.append(player));
        until_it_gives_up(&scene.machine);
        // The letters were tried to be committed, and whoever files has had its time.
        scene.machine.until("it is tried again", || times(&scene.machine, "a round failed") >= 3);
        assert!(scene.proxy.heard().contains("BODY.PEEK[]"), "the letters were read");
        assert_eq!((scene.mailbox.count("INBOX"), scene.mailbox.count("Omerta")), (3, 0), "and lie where they lay");
        drop(daemon);
        drop(held);
        assert!(scene.machine.got(&address(TAG, 0)).iter().all(|got| got.kind != "answer"));
        let daemon = scene.start();
        scene.until_answered([1, 1, 1, 0]);
        scene.end(daemon);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// Who hands a letter over by pipe keeps it as long as it is not committed: 75.
#[test]
fn by_pipe() {
    let machine = begun();
    let raw = raw_letter(&address(TAG, 0), TAG, "pipe@palermo.test", "Статус");
    let deliver = || {
        let mut command = machine.command(&["deliver"]);
        let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        running.stdin.take().unwrap().write_all(&raw).unwrap();
        Said::of(&running.wait_with_output().unwrap())
    };
    let held = hold(&machine);
    let said = deliver();
    assert!(said.code == 75 && said.err.contains("has held the file"), "{said:?}");
    drop(held);
    assert_eq!(deliver().code, 0);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("it is answered", || answers(&machine, "answer") == 1);
    assert_eq!(daemon.stop().0, Some(0));
}
