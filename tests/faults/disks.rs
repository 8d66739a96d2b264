//! Disks that are full or read-only, under each of the three places that the daemon works with. Small file systems of
//! our own, so root is needed.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use crate::house::binary::Machine;
use crate::{Daemon, answers, ask, begin, times};

/// A file system in memory, taken away at the end.
struct Disk(PathBuf);

impl Disk {
    fn at(machine: &Machine, folder: &str, size: &str) -> Disk {
        let path = machine.folder.join(folder);
        std::fs::create_dir_all(&path).unwrap();
        let disk = Disk(path);
        disk.mount(&["-t", "tmpfs", "-o", &format!("size={size},mode=700"), "omerta-test"]);
        disk
    }

    fn mount(&self, words: &[&str]) {
        let done = Command::new("mount").args(words).arg(&self.0).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "mount: {said}; this test needs root, and the right to mount");
    }

    fn turn(&self, way: &str) {
        self.mount(&["-o", &format!("remount,{way}")]);
    }

    /// Not one byte more goes onto it.
    fn fill(&self) {
        let mut ballast = File::create(self.0.join("ballast")).unwrap();
        for size in [65_536, 4_096, 1] {
            while ballast.write(&vec![b'x'; size]).is_ok() {}
        }
    }

    fn empty(&self) {
        std::fs::remove_file(self.0.join("ballast")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a test that failed may still have a daemon on it.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// The daemon over a disk of its own for one of its places.
fn with_disk(place: &str, size: &str) -> (Machine, Disk) {
    let machine = Machine::new();
    let disk = Disk::at(&machine, place, size);
    let config = crate::house::config_text("").replace("\"omerta.db\"", "\"db/omerta.db\"");
    std::fs::write(machine.folder.join("config.toml"), config).unwrap();
    (machine, disk)
}

#[test]
fn the_databases_disk_is_full() {
    let (machine, disk) = with_disk("db", "6m");
    begin(&machine);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the roles are there", || answers(&machine, "role") == 1);
    disk.fill();
    // More than what the last pages of the log still hold.
    for number in 0..60 {
        ask(&machine, number, &format!("Статус\n{}", "слова ".repeat(2_000)));
    }
    machine.until("it is said", || times(&machine, "the disk is full") > 0);
    machine.until("it is tried again", || times(&machine, "a round failed") >= 2);
    disk.empty();
    machine.until("all are answered", || machine.unread() == 0 && answers(&machine, "answer") >= 20);
    machine.until("the end is said", || times(&machine, "the daemon goes on") == 1);
    let statuses = machine.json(&["status", "--json"]);
    assert_eq!(statuses["inbox"]["processed"], 60, "{statuses}");
    let said = machine.log().lines().filter(|line| line.contains("can't go on for now")).count();
    assert!(said <= 2, "once for each step that failed: {}", machine.log());
    assert!(times(&machine, "a round failed") <= 6, "no busy loop: {}", machine.log());
    assert_eq!(daemon.stop().0, Some(0));
}

#[test]
fn the_databases_disk_is_read_only_at_the_start() {
    let (machine, disk) = with_disk("db", "6m");
    begin(&machine);
    disk.turn("ro");
    let said = machine.say(&["run"]);
    assert_eq!(said.code, 69, "{said:?}");
    assert!(said.err.contains("omerta.db") && said.err.contains("read-only"), "{said:?}");
    disk.turn("rw");
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the roles are there", || answers(&machine, "role") == 1);
    assert_eq!(daemon.stop().0, Some(0));
}

/// Letters wait while their folder takes none, are told once, and come once each.
fn an_outbox_that_takes_nothing(break_it: impl Fn(&Disk), mend: impl Fn(&Disk)) {
    let (machine, disk) = with_disk("mail/out", "1m");
    begin(&machine);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the roles are there", || answers(&machine, "role") == 1);
    break_it(&disk);
    for number in 0..5 {
        ask(&machine, number, "Статус");
    }
    machine.until("all are read", || machine.unread() == 0);
    machine.until("it is said", || times(&machine, "letters can't be delivered") == 1);
    // In trouble one letter tries it for all.
    for _ in 0..3 {
        machine.wait_seconds(61);
        machine.until("it is tried", || machine.json(&["status", "--json"])["outbox"]["queued"] == 5);
    }
    assert_eq!(answers(&machine, "answer"), 0);
    mend(&disk);
    machine.until("all have come", || {
        machine.wait_seconds(31);
        answers(&machine, "answer") == 5
    });
    assert_eq!(times(&machine, "letters can't be delivered"), 1, "{}", machine.log());
    machine.until("the end is said", || times(&machine, "letters can be delivered again") == 1);
    assert_eq!(machine.json(&["status", "--json"])["outbox"]["failed"], 0);
    assert_eq!(daemon.stop().0, Some(0));
}

#[test]
fn the_outboxs_disk_is_full() {
    an_outbox_that_takes_nothing(Disk::fill, Disk::empty);
}

#[test]
fn the_outboxs_disk_is_read_only() {
    an_outbox_that_takes_nothing(|disk| disk.turn("ro"), |disk| disk.turn("rw"));
}

#[test]
fn the_inboxs_disk_is_full() {
    let (machine, disk) = with_disk("mail/in", "1m");
    begin(&machine);
    ask(&machine, 1, "Статус");
    disk.fill();
    let daemon = Daemon::start(&machine, &[]);
    machine.until("it is answered", || answers(&machine, "answer") == 1);
    machine.until("it is marked", || machine.unread() == 0);
    assert_eq!(daemon.stop().0, Some(0));
}

#[test]
fn the_inboxs_disk_is_read_only() {
    let (machine, disk) = with_disk("mail/in", "1m");
    begin(&machine);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("the roles are there", || answers(&machine, "role") == 1);
    for number in 0..3 {
        ask(&machine, number, "Статус");
        machine.until("it is marked", || machine.unread() == 0);
    }
    disk.turn("ro");
    disk.turn("rw");
    // All at once: the daemon must not mark them before the disk is read-only.
    let raw = crate::house::raw_letter("p00@palermo.test", crate::TAG, "last@palermo.test", "Статус");
    let name = format!("{}.M000009P1.host.test", machine.now().as_second());
    std::fs::write(disk.0.join("tmp").join(&name), raw).unwrap();
    std::fs::rename(disk.0.join("tmp").join(&name), disk.0.join("new").join(&name)).unwrap();
    disk.turn("ro");
    machine.until("it is answered", || answers(&machine, "answer") == 4);
    let marked = machine.unread() == 0;
    if !marked {
        machine.until("it is said", || times(&machine, "can't be marked as seen") == 1);
    }
    machine.wait_seconds(600);
    disk.turn("rw");
    machine.until("it is marked after all", || machine.unread() == 0);
    assert!(times(&machine, "can't be marked as seen") <= 1, "{}", machine.log());
    assert_eq!((answers(&machine, "answer"), daemon.stop().0), (4, Some(0)), "answered once");
}
