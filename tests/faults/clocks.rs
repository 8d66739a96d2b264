//! A clock that is years ahead, and a mail server that can be asked what time it is: nothing is erased by a moment that the
//! server denies, nor before it was asked. What is erased is gone.

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;

use crate::house::binary::Machine;
use crate::inbox::{Folders, Scene};
use crate::proxy::{Fault, Proxy};
use crate::server::server;
use crate::{TAG, begun, times};

/// By a day more than what the shipped config keeps.
const RETENTION: SignedDuration = SignedDuration::from_hours(91 * 24);
const STRAY: &str = "From: <stray@example.org>\r\nTo: <mafia@example.org>\r\nMessage-ID: <stray@example.org>\r\n\r\n\
                     Who is there?\r\n";

/// As the server's clock shows it.
#[expect(clippy::disallowed_methods, reason = "the server's clock is the machine's")]
fn server_shows() -> Timestamp {
    // The database keeps no more of it.
    Timestamp::from_second(Timestamp::now().as_second()).unwrap()
}

/// A game that ended at this moment, and a letter of a stranger that came then and is taken in.
fn ended_at(moment: Timestamp, proxy: Proxy) -> Scene {
    let machine = begun();
    machine.set_clock(&moment.to_string());
    let mut scene = Scene::new("clocks", &machine, proxy, Folders::Filed);
    scene.machine.ok(&["game", "cancel", TAG]);
    scene.mailbox.append_at("INBOX", moment.as_second(), STRAY);
    let daemon = scene.start();
    scene.machine.until("the stray is taken in", || kept(&scene.machine) == (false, 1));
    assert_eq!(daemon.stop().0, Some(0));
    scene
}

/// Whether what is personal in the game is erased, and how many letters of strangers are kept.
fn kept(machine: &Machine) -> (bool, i64) {
    let open = Connection::open(machine.folder.join("omerta.db")).unwrap();
    open.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    let number = |sql| open.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    (number("SELECT count(*) FROM events WHERE kind = 'erased'") > 0, number("SELECT count(*) FROM letter_bytes"))
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_erased_by_a_moment_that_the_mail_server_denies() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let scene = ended_at(server_shows(), proxy);
        let wrong = server_shows() + RETENTION;
        scene.machine.set_clock(&wrong.to_string());
        // Before it can be asked nobody knows.
        scene.proxy.set(Fault::Refused);
        let daemon = scene.start();
        let beats =
            |moment| scene.machine.store().read(|tx| tx.daemon_status()).unwrap().is_some_and(|(at, _)| at >= moment);
        scene
            .machine
            .until("a whole round without the server", || times(&scene.machine, "the inbox: ") == 1 && beats(wrong));
        assert_eq!(kept(&scene.machine), (false, 1), "{}", scene.machine.log());
        scene.proxy.heal();
        let read = || scene.machine.store().read(|tx| tx.inbox_read()).unwrap();
        scene.machine.until("the mail is read through by that clock", || read().is_some_and(|read| read >= wrong));
        assert_eq!(kept(&scene.machine), (false, 1), "{}", scene.machine.log());
        assert_eq!(daemon.stop().0, Some(0));
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_outlived_its_time_by_both_clocks_is_erased() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let scene = ended_at(server_shows() - RETENTION, proxy);
        scene.machine.set_clock(&server_shows().to_string());
        let daemon = scene.start();
        scene.machine.until("both are erased", || kept(&scene.machine) == (true, 0));
        assert_eq!(daemon.stop().0, Some(0));
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}
