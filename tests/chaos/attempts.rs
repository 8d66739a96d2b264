//! The attempt is stored before anything goes out: a daemon that dies with letters in its hands, however often it is
//! started again, neither hammers at a server nor loses a letter.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use omerta::failpoint::Point;
use rusqlite::Connection;

use crate::house::binary::{Machine, rest};
use crate::house::config_text;
use crate::maildir::until;

const TAG: &str = "palermo";
const ROSTER: &str = "address,nick,role\np00@palermo.test,Анна,citizen\np01@palermo.test,Борис,mafioso\n\
                      p02@palermo.test,Вера,citizen\np03@palermo.test,Глеб,commissioner\n\
                      p04@palermo.test,Дарья,doctor\n";

/// A game that has begun, whose letters wait for the daemon.
fn begun(config: &str) -> Machine {
    let machine = Machine::new();
    std::fs::write(machine.folder.join("config.toml"), config).unwrap();
    std::fs::write(machine.folder.join("roster.csv"), ROSTER).unwrap();
    machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    machine.ok(&["game", "deadline", TAG, "+48h"]);
    machine.ok(&["game", "start", TAG]);
    machine
}

/// The least and the most attempts of a letter that has not left.
fn attempts(machine: &Machine) -> (i64, i64) {
    let open = Connection::open(machine.folder.join("omerta.db")).unwrap();
    let sql = "SELECT min(attempts), max(attempts) FROM outbox WHERE next_attempt IS NOT NULL";
    open.query_row(sql, (), |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

/// Dies at that point, and again and again while the clock stands still, which must do nothing more.
fn die_at(machine: &mut Machine, point: Point) {
    let plan = format!("{}:1", point.name());
    machine.start(&["--fail-at", &plan]);
    until("it dies with letters in its hands", || !machine.lives());
    assert_eq!(attempts(machine), (1, 1), "stored before the first byte: {}", machine.log());
    let next = machine.store().read(|tx| tx.next_out_due()).unwrap().unwrap();
    let wait = next.duration_since(machine.now()).as_secs();
    assert!((60..=66).contains(&wait), "the next try is a minute away: {wait} s");
    for _ in 0..2 {
        machine.start(&["--fail-at", &plan]);
        let pid = machine.pid();
        until("it has looked round", || {
            machine.store().read(|tx| tx.daemon_status()).unwrap().is_some_and(|(_, beat)| beat == pid)
        });
        assert_eq!(machine.stop(), Some(0), "nothing is due: {}", machine.log());
        assert_eq!(attempts(machine), (1, 1));
    }
}

#[test]
fn a_maildir_that_a_daemon_dies_at() {
    let mut machine = begun(&config_text(""));
    die_at(&mut machine, Point::AfterAttemptBeforeDelivery);
    assert!(machine.addresses().is_empty(), "nothing had gone out");
    machine.wait_seconds(67);
    machine.start(&[]);
    until("all has left", || machine.store().read(|tx| tx.next_out_due()).unwrap().is_none());
    assert_eq!(machine.stop(), Some(0));
    // An opening and a role for each, and an opening for the host and the moderator.
    let letters: usize = machine.addresses().iter().map(|address| machine.files(address).len()).sum();
    assert_eq!(letters, 12, "each once");
}

#[test]
fn a_server_that_a_daemon_dies_at() {
    // The system itself takes the calls; nobody answers.
    let server = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let smtp = format!("kind = \"smtp\"\nserver = \"127.0.0.1\"\nport = {port}\ntls = \"none\"\n");
    let mut machine = begun(&config_text("").replace("kind = \"maildir\"\npath = \"mail/out\"\n", &smtp));
    let dialled = || std::iter::from_fn(|| server.accept().ok()).count();
    die_at(&mut machine, Point::SmtpConnected);
    assert_eq!(dialled(), 1, "started three times, dialled once");
    machine.wait_seconds(67);
    machine.start(&[]);
    let begun = Instant::now();
    let mut again = 0;
    while again == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it dials when the time has come");
        again = dialled();
        rest();
    }
    machine.kill();
    assert_eq!(attempts(&machine).1, 2);
}
