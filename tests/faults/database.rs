//! A database that is damaged: the daemon says what, where and how to mend it, writes nothing over it, and goes on from
//! a backup.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use crate::house::binary::Machine;
use crate::{Daemon, answers, ask, begin, times};

const CURE: &str = "keep a copy of the file with its -wal, and put the last backup in its place";

/// All pages but the first are noise.
fn damage(file: &Path) {
    let size = std::fs::metadata(file).unwrap().len();
    let mut open = OpenOptions::new().write(true).open(file).unwrap();
    open.seek(SeekFrom::Start(4096)).unwrap();
    open.write_all(&vec![0xA5; usize::try_from(size - 4096).unwrap()]).unwrap();
}

/// Everything stands in the file itself, and what other connections remember of it is old.
fn settle(file: &Path) {
    let other = rusqlite::Connection::open(file).unwrap();
    other.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    other.execute_batch("UPDATE daemon SET beat_at = beat_at + 1; PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
}

fn put_backup_in_place(machine: &Machine) {
    let file = machine.folder.join("omerta.db");
    for end in ["-wal", "-shm"] {
        // They are not always there.
        let _ = std::fs::remove_file(machine.folder.join(format!("omerta.db{end}")));
    }
    std::fs::copy(machine.folder.join("backup.db"), &file).unwrap();
}

#[test]
fn damaged_while_the_daemon_runs() {
    let machine = Machine::new();
    begin(&machine);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the roles are there", || answers(&machine, "role") == 1);
    machine.until("nothing waits", || machine.json(&["status", "--json"])["outbox"]["queued"] == 0);
    machine.ok(&["backup", "backup.db"]);
    let file = machine.folder.join("omerta.db");
    settle(&file);
    damage(&file);
    let noise = std::fs::read(&file).unwrap();
    ask(&machine, 1, "Статус");
    machine.until("it is said", || times(&machine, CURE) > 0);
    machine.until("it is tried again", || times(&machine, "a round failed") >= 2);
    let log = machine.log();
    let said: Vec<&str> = log.lines().filter(|line| line.contains("can't go on for now")).collect();
    assert!(said.iter().all(|line| line.contains("omerta.db")), "{said:#?}");
    let mut different = said.clone();
    different.dedup_by_key(|line| line.split("error=").nth(1).unwrap_or_default().to_owned());
    assert_eq!(different.len(), said.len(), "each once: {said:#?}");
    assert_eq!(machine.unread(), 1, "the letter waits in the mailbox");
    assert!(daemon.stop().0.is_some_and(|code| code == 0), "it ends in order: {}", machine.log());
    assert!(std::fs::read(&file).unwrap() == noise, "nothing was written over it");
    let again = machine.say(&["run"]);
    assert_eq!(again.code, 69, "{again:?}");
    assert!(again.err.contains("omerta.db") && again.err.contains("the last backup"), "{again:?}");
    assert!(std::fs::read(&file).unwrap() == noise, "nor at a start");
    put_backup_in_place(&machine);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the letter is answered", || answers(&machine, "answer") == 1);
    assert_eq!(answers(&machine, "role"), 1, "what had left before the backup does not leave again");
    assert_eq!(daemon.stop().0, Some(0));
}
