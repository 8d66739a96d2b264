//! How often the mailbox is read, and what the service manager hears of it.

use std::os::unix::net::UnixDatagram;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::house::binary::{Machine, rest};
use crate::inbox::{Folders, Scene};
use crate::proxy::{Fault, Proxy};
use crate::server::server;
use crate::{Daemon, TAG, begin, begun};

/// How often the mailbox was opened.
fn looks(scene: &Scene) -> usize {
    scene.proxy.heard().matches("SELECT \"INBOX\"").count()
}

/// A server without IDLE, and a config that asks for the mail every few hours.
#[tokio::test(flavor = "multi_thread")]
async fn near_a_deadline_the_mailbox_is_read_more_often() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        proxy.set(Fault::Replace(vec![(" IDLE".to_owned(), " XDLE".to_owned())]));
        let mut scene = Scene::new("near", &begun(), proxy, Folders::Filed);
        let file = scene.machine.folder.join("config.toml");
        let config = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, config.replace("done_folder", "poll = \"5h\"\ndone_folder")).unwrap();
        let daemon = Daemon::start(&scene.machine, &["--hurry", "30"]);
        scene.machine.until("it is read", || looks(&scene) > 0);
        // Near one it would be read every half second.
        let (mut last, mut since) = (looks(&scene), Instant::now());
        scene.machine.until("far from it nobody asks", || {
            if looks(&scene) != last {
                (last, since) = (looks(&scene), Instant::now());
            }
            since.elapsed() > Duration::from_secs(2)
        });
        // The turn ends in 48 hours.
        scene.machine.wait_seconds(48 * 3600 - 20 * 60);
        scene.append(0);
        scene.until_answered([1, 0, 0, 0]);
        // Each look opens it two or three times, and so does filing.
        let seen = looks(&scene);
        scene.machine.until("it is read again and again", || looks(&scene) > seen + 15);
        assert_eq!(scene.told(), (0, 0));
        scene.end(daemon);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// A batch that takes longer than the manager's patience is progress: killed for it, the next daemon would fetch the same
/// batch, and be killed for it.
#[tokio::test(flavor = "multi_thread")]
async fn letters_that_come_slowly_are_a_sign_of_life() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let mut scene = Scene::new("slow", &begun(), proxy, Folders::Filed);
        let path = scene.machine.folder.join("manager");
        let manager = UnixDatagram::bind(&path).unwrap();
        manager.set_nonblocking(true).unwrap();
        let signs = || {
            let mut bytes = [0; 1024];
            let mut signs = 0;
            while let Ok(read) = manager.recv(&mut bytes) {
                signs += usize::from(String::from_utf8_lossy(&bytes[..read]).contains("WATCHDOG=1"));
            }
            signs
        };
        scene.append_text(0, &format!("Статус\n{}", "слова и слова\n".repeat(150)));
        scene.proxy.set(Fault::HoldAt("BODY.PEEK[]".to_owned()));
        let log = std::fs::File::create(scene.machine.folder.join("log")).unwrap();
        let mut command = scene.machine.command(&["run"]);
        command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "900000");
        let daemon = Daemon(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap());
        scene.machine.until("the letter is asked for", || scene.proxy.heard().contains("BODY.PEEK[]"));
        // While nothing comes there is no sign of life (eight would fit in), but for what was heard before.
        signs();
        let (mut heard, begun) = (0, Instant::now());
        while begun.elapsed() < Duration::from_millis(2400) {
            heard += signs();
            rest();
        }
        assert!(heard <= 2, "{heard} signs of life while nothing comes");
        scene.proxy.set(Fault::Drip(Duration::from_millis(2)));
        let (mut heard, begun) = (0, Instant::now());
        while heard < 5 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{heard} signs of life while a letter comes slowly");
            heard += signs();
            assert!(scene.answers() == [0; 4], "the letter has come already");
            rest();
        }
        scene.proxy.heal();
        scene.until_answered([1, 0, 0, 0]);
        scene.end(daemon);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// Whoever wrote in time by the server's clock counts: a turn is not closed before that clock is past the deadline, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_clock_is_behind_ours_holds_up_the_close() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let machine = Machine::new();
        machine.set_clock("2090-03-01T09:00:00Z");
        begin(&machine);
        let scene = Scene::new("behind", &machine, proxy, Folders::Filed);
        let daemon = scene.start();
        scene.machine.until("it is read", || looks(&scene) > 0);
        scene.machine.wait_seconds(48 * 3600 + 10 * 60);
        let host = || scene.machine.got("host@example.org");
        scene.machine.until("the host is told that it waits", || host().iter().any(|got| got.kind == "alert"));
        assert_eq!(scene.machine.json(&["game", "show", TAG, "--json"])["turn"], 1);
        assert!(host().iter().filter(|got| got.kind == "alert").count() == 1);
        assert_eq!(daemon.stop().0, Some(0));
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}
