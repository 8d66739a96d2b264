//! Day and night: signals, the service manager, clocks that jump, a database and folders that go away and come back.
#![cfg(test)]

mod house;

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use house::binary::{Machine, rest};
use house::{House, config_text};
use jiff::SignedDuration;
use omerta::rules::Role;

const TAG: &str = "palermo";
const TOWN: [(&str, Role); 4] =
    [("Анна", Role::Citizen), ("Борис", Role::Mafioso), ("Вера", Role::Citizen), ("Глеб", Role::Citizen)];

/// A daemon of ours, ended with the test.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(machine: &Machine, more: &[(&str, &str)]) -> Guarded {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(machine.folder.join("log")).unwrap();
    let mut command = machine.command(&["run"]);
    command.envs(more.iter().copied()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Guarded(command.spawn().unwrap())
}

fn signal(daemon: &Guarded, name: &str) {
    let told = Command::new("kill").arg(format!("-{name}")).arg(daemon.0.id().to_string()).status().unwrap();
    assert!(told.success());
}

fn ended(daemon: &mut Guarded) -> Option<i32> {
    let begun = Instant::now();
    loop {
        if let Some(status) = daemon.0.try_wait().unwrap() {
            return status.code();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the daemon does not end");
        rest();
    }
}

/// The manager's next word that holds `part`; others are passed over.
fn hears(manager: &UnixDatagram, part: &str) -> String {
    let begun = Instant::now();
    loop {
        let mut bytes = [0; 1024];
        match manager.recv(&mut bytes) {
            Ok(read) => {
                let said = String::from_utf8_lossy(&bytes[..read]).into_owned();
                if said.contains(part) {
                    return said;
                }
            }
            Err(error) => assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}"),
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "the manager never heard {part}");
    }
}

#[test]
fn the_service_manager_hears_of_everything_and_settings_are_read_again() {
    let machine = Machine::new();
    let path = machine.folder.join("manager");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut daemon = spawn(&machine, &[("NOTIFY_SOCKET", path.to_str().unwrap()), ("WATCHDOG_USEC", "900000")]);
    assert!(hears(&manager, "READY=1").contains("STATUS="));
    hears(&manager, "WATCHDOG=1");

    std::fs::write(machine.folder.join("config.toml"), config_text("no_such_key = 1")).unwrap();
    signal(&daemon, "HUP");
    assert!(hears(&manager, "RELOADING=1").contains("MONOTONIC_USEC="));
    assert!(hears(&manager, "READY=1").contains("the old ones stay"));
    let log = machine.log();
    let line = 1 + config_text("no_such_key = 1").lines().position(|line| line.starts_with("no_such")).unwrap();
    assert!(log.contains(&format!("config.toml:{line}: game.no_such_key: ")), "{log}");

    let other = config_text("").replace("omerta.db", "other.db").replace("mail/in", "mail/in2");
    std::fs::write(machine.folder.join("config.toml"), other).unwrap();
    signal(&daemon, "HUP");
    hears(&manager, "RELOADING=1");
    hears(&manager, "READY=1");
    assert!(machine.log().contains("`database` can't change"), "{}", machine.log());
    assert!(!machine.folder.join("other.db").exists());
    assert!(machine.folder.join("mail/in2/new").is_dir(), "the new inbox is read");
    hears(&manager, "WATCHDOG=1");

    signal(&daemon, "TERM");
    hears(&manager, "STOPPING=1");
    assert_eq!(ended(&mut daemon), Some(0));
}

#[test]
fn a_jump_forward_closes_one_turn_and_only_after_the_mail() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    for player in 0..4 {
        house.write(TAG, player, "Суд Линча - Борис");
    }
    house.set_clock(house.now() + SignedDuration::from_hours(240));
    (0..4).for_each(|_| house.round());
    let table = house.table(TAG);
    assert_eq!(table.last.as_ref().map(|report| report.turn), Some(1), "one turn, and not a row of them");
    let summaries = house.got_by(TAG, 0).into_iter().filter(|got| got.kind == "summary" || got.kind == "final");
    let bodies: String = summaries.map(|got| got.body).collect();
    assert!(bodies.contains("Борис"), "the votes that lay there counted: {bodies}");
}

#[test]
fn a_clock_set_back_repeats_nothing() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let opened = house.now();
    for player in 0..4 {
        house.write(TAG, player, "Суд Линча - Никто");
    }
    house.close(TAG);
    let (turn, deadline) = {
        let table = house.table(TAG);
        (table.game.turn, table.deadline.unwrap())
    };
    let before_deadline = deadline - SignedDuration::from_hours(2);
    house.round_at(before_deadline);
    let kinds = house.kinds(TAG, 0);
    assert!(kinds.iter().any(|kind| kind == "reminder"), "{kinds:?}");
    for moment in [opened, before_deadline, opened, before_deadline] {
        house.round_at(moment);
    }
    assert_eq!((house.kinds(TAG, 0), house.table(TAG).game.turn), (kinds, turn));
}

#[test]
fn a_database_that_is_moved_away_is_not_written_to_and_comes_back() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let (here, away) = (house.folder.join("omerta.db"), house.folder.join("away.db"));
    std::fs::rename(&here, &away).unwrap();
    house.write(TAG, 0, "Роль");
    let before = house.got_by(TAG, 0).len();
    for _ in 0..3 {
        let error = house.daemon().round().unwrap_err().to_string();
        assert!(error.contains("was removed or replaced"), "{error}");
    }
    // A stranger in its place is no better.
    std::fs::copy(&away, &here).unwrap();
    assert!(house.daemon().round().is_err());
    std::fs::remove_file(&here).unwrap();
    std::fs::rename(&away, &here).unwrap();
    house.round();
    house.round();
    assert_eq!(house.got_by(TAG, 0).len(), before + 1, "the letter was answered after all");
}

/// A new file under its name would get the log of the one that was moved.
#[test]
fn no_command_makes_a_database_in_the_place_of_one_that_was_moved_away() {
    let machine = Machine::new();
    let daemon = spawn(&machine, &[("OMERTA_LOG", "info")]);
    machine.until("the daemon runs", || machine.log().contains("reading the mail"));
    let (here, away) = (machine.folder.join("omerta.db"), machine.folder.join("away.db"));
    let log = machine.folder.join("omerta.db-wal");
    // The first round tidies up, and empties the log.
    machine.until("a sign of life", || machine.store().read(|tx| tx.daemon_status()).unwrap().is_some());
    let is_safe = || {
        std::fs::rename(&here, &away).unwrap();
        let written = std::fs::metadata(&log).unwrap();
        for arguments in [&["status"][..], &["backup", "backup.db"], &["game", "list"]] {
            let said = machine.say(arguments);
            assert!(said.code == 69 && said.err.contains("was removed or replaced"), "{arguments:?}: {said:?}");
            assert!(!here.exists() && !machine.folder.join("backup.db").exists(), "{arguments:?}");
        }
        let now = std::fs::metadata(&log).unwrap();
        assert!(written.len() > 0 && now.len() >= written.len() && now.ino() == written.ino(), "{now:?} {written:?}");
        std::fs::rename(&away, &here).unwrap();
        machine.ok(&["status"]);
    };
    is_safe();
    // Nor after a death, when only the log tells.
    drop(daemon);
    is_safe();
}

fn times(machine: &Machine, words: &str) -> usize {
    machine.log().matches(words).count()
}

#[test]
fn a_database_that_another_program_holds_is_waited_for() {
    let machine = Machine::new();
    let mut daemon = spawn(&machine, &[("OMERTA_LOG", "debug")]);
    machine.until("the daemon runs", || machine.log().contains("reading the mail"));
    let other = rusqlite::Connection::open(machine.folder.join("omerta.db")).unwrap();
    other.busy_timeout(Duration::from_secs(10)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    machine.drop_in("2026-11-30T09:00:00Z", 1, &house::raw_letter("anna@else.test", TAG, "a@else.test", "Роль"));
    machine.until("the trouble is said", || times(&machine, "has held the file") > 0);
    machine.until("it is tried again", || times(&machine, "a round failed") >= 2);
    assert_eq!(times(&machine, "can't go on for now"), 1, "{}", machine.log());
    assert_eq!(machine.unread(), 1, "the letter waits");
    other.execute_batch("ROLLBACK").unwrap();
    machine.until("the letter is taken", || machine.unread() == 0);
    machine.until("it is said", || times(&machine, "the daemon goes on") == 1);
    assert!(times(&machine, "a round failed") <= 4, "no busy loop: {}", machine.log());
    signal(&daemon, "INT");
    assert_eq!(ended(&mut daemon), Some(0));
}

/// Something that is no folder stands in a folder's place.
fn block(folder: &Path, aside: &Path) {
    std::fs::rename(folder, aside).unwrap();
    std::fs::write(folder, "").unwrap();
}

fn unblock(folder: &Path, aside: &Path) {
    std::fs::remove_file(folder).unwrap();
    std::fs::rename(aside, folder).unwrap();
}

#[test]
fn no_turn_is_closed_while_the_inbox_is_away() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    for player in 0..4 {
        house.write(TAG, player, "Суд Линча - Никто");
    }
    let (folder, aside) = (house.folder.join("mail/in"), house.folder.join("mail/aside"));
    block(&folder, &aside);
    let later = house.now() + SignedDuration::from_hours(2);
    house.round_at(later);
    assert_eq!(house.table(TAG).game.turn, 1);
    unblock(&folder, &aside);
    house.round();
    house.round();
    assert_eq!(house.table(TAG).game.turn, 2, "closed with the letters that lay there");
}

#[test]
fn letters_wait_while_the_outbox_is_away() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let before = house.got_by(TAG, 0).len();
    let (folder, aside) = (house.folder.join("mail/out"), house.folder.join("mail/out-aside"));
    block(&folder, &aside);
    for _ in 0..5 {
        house.write(TAG, 0, "Роль");
        house.round();
    }
    unblock(&folder, &aside);
    house.wait(120);
    house.round();
    assert_eq!(house.got_by(TAG, 0).len(), before + 5);
}
