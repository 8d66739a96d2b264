//! The machine sleeps, and its clock is set back: nobody waits longer for it, and nothing happens twice.

use std::process::Command;

use jiff::SignedDuration;

use crate::house::address;
use crate::house::binary::Machine;
use crate::inbox::{Folders, Scene};
use crate::proxy::Proxy;
use crate::server::server;
use crate::{Daemon, TAG, answers, ask, begun};

fn outbox_is_empty(machine: &Machine) -> bool {
    machine.store().read(|tx| tx.next_out_due()).unwrap().is_none()
}

fn tell(daemon: &Daemon, signal: &str) {
    assert!(Command::new("kill").arg(signal).arg(daemon.pid().to_string()).status().unwrap().success());
}

/// As a laptop that was shut: its lines are forgotten, mail came, and the deadline has passed when it wakes.
#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_slept_over_a_deadline_reads_first_and_closes_once() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let mut scene = Scene::new("asleep", &begun(), proxy, Folders::Filed);
        let daemon = scene.start();
        scene.machine.until("it idles", || scene.proxy.heard().contains("IDLE"));
        scene.machine.until("the beginning is out", || outbox_is_empty(&scene.machine));
        tell(&daemon, "-STOP");
        scene.proxy.forget();
        scene.machine.wait_seconds(47 * 3600);
        scene.append_text(0, "Суд Линча - Борис");
        scene.machine.wait_seconds(3 * 3600);
        tell(&daemon, "-CONT");
        let got = |kind: &str| scene.machine.got(&address(TAG, 0)).iter().filter(|got| got.kind == kind).count();
        scene.machine.until("the turn is closed", || got("summary") == 1);
        scene.machine.until("all is out", || outbox_is_empty(&scene.machine));
        let shown = scene.machine.json(&["game", "show", TAG, "--json"]);
        assert_eq!(shown["turn"], 2, "{shown}");
        let came: Vec<String> = scene.machine.got(&address(TAG, 0)).iter().map(|got| got.kind.clone()).collect();
        assert_eq!((got("summary"), got("receipt")), (1, 1), "the vote came in time: {came:?}");
        assert_eq!(scene.told(), (0, 0), "{}", scene.machine.log());
        scene.end(daemon);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// Both while the daemon runs and while it is away.
#[test]
fn a_letter_that_is_to_be_tried_again_does_not_wait_for_a_clock_that_was_set_back() {
    const TOO_FAR: i64 = 40 * 3600;
    for is_away in [false, true] {
        let machine = begun();
        let opened = machine.now();
        let mut daemon = Some(Daemon::start(&machine, &[]));
        machine.until("the beginning is out", || outbox_is_empty(&machine));
        machine.wait_seconds(TOO_FAR);
        let (folder, aside) = (machine.folder.join("mail/out/p00@palermo.test"), machine.folder.join("aside"));
        std::fs::rename(&folder, &aside).unwrap();
        std::fs::write(&folder, "no folder").unwrap();
        ask(&machine, 0, "Статус");
        machine.until("it is tried", || {
            let letters = machine.store().read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap();
            letters.iter().any(|letter| letter.kind == "answer" && letter.attempts == 1)
        });
        if is_away {
            machine.until("a sign of life", || {
                let beat = machine.store().read(|tx| tx.daemon_status()).unwrap();
                beat.is_some_and(|(at, _)| at.duration_since(opened) > SignedDuration::from_hours(39))
            });
            assert_eq!(daemon.take().unwrap().stop().0, Some(0));
        }
        std::fs::remove_file(&folder).unwrap();
        std::fs::rename(&aside, &folder).unwrap();
        machine.set_clock(&opened.to_string());
        let daemon = daemon.unwrap_or_else(|| Daemon::start(&machine, &[]));
        machine.until("the queue is set by the clock", || machine.log().contains("the clock was set back"));
        machine.wait_seconds(90);
        machine.until("the answer", || answers(&machine, "answer") == 1);
        machine.until("nothing is left", || outbox_is_empty(&machine));
        assert_eq!(answers(&machine, "answer"), 1);
        assert_eq!(daemon.stop().0, Some(0));
    }
}

/// The battery of the clock is empty, or the program was off for months: nobody can be asked, so the host is.
#[test]
fn a_clock_that_leaps_over_a_deadline_closes_no_turn_without_the_hosts_word() {
    for is_away in [false, true] {
        let machine = begun();
        let mut daemon = Some(Daemon::start(&machine, &[]));
        machine.until("the beginning is out", || outbox_is_empty(&machine));
        machine.wait_seconds(8 * 3600);
        machine.until("a sign of life", || {
            let beat = machine.store().read(|tx| tx.daemon_status()).unwrap();
            beat.is_some_and(|(at, _)| machine.now().duration_since(at) < SignedDuration::from_mins(2))
        });
        if is_away {
            assert_eq!(daemon.take().unwrap().stop().0, Some(0));
        }
        let right = machine.now();
        machine.set_clock("2036-05-01T12:00:00Z");
        let daemon = daemon.unwrap_or_else(|| Daemon::start(&machine, &[]));
        let show = || machine.json(&["game", "show", TAG, "--json"]);
        machine.until("it pauses", || show()["state"] == "paused");
        let told =
            || machine.got("host@example.org").into_iter().filter(|got| got.subject.contains("Часы ушли")).count();
        machine.until("the host is told", || told() == 1);
        machine.until("all is out", || outbox_is_empty(&machine));
        assert_eq!((show()["turn"].as_u64(), told()), (Some(1), 1), "{}", machine.log());
        let doubted = machine.json(&["status", "--json"])["clock_believed"].is_string();
        assert!(doubted && machine.ok(&["status"]).contains("the clock shows"), "why nothing moves");
        // The clock is set right, and the turn goes on with what was left.
        machine.set_clock(&right.to_string());
        machine.until("it is seen", || machine.log().contains("the clock was set back"));
        machine.ok(&["game", "resume", TAG]);
        let deadline: jiff::Timestamp = show()["deadline"].as_str().unwrap().parse().unwrap();
        let left = deadline.duration_since(right).as_mins();
        assert!((39 * 60..=41 * 60).contains(&left), "{left}");
        assert_eq!(daemon.stop().0, Some(0));
    }
}

/// Weeks are an outage like any other: what was due is done.
#[test]
fn an_outage_of_weeks_is_believed() {
    let machine = begun();
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the beginning is out", || outbox_is_empty(&machine));
    assert_eq!(daemon.stop().0, Some(0));
    machine.wait_seconds(60 * 24 * 3600);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the turn is closed", || machine.json(&["game", "show", TAG, "--json"])["turn"] == 2);
    assert_eq!(daemon.stop().0, Some(0));
}
