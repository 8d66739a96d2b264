//! The command line under the hands of somebody who makes every mistake: each is told in a sentence that says what is
//! wrong, where, and how to mend it, and nothing waits, breaks or is lost.
#![cfg(test)]

mod house;

use std::process::Command;

use house::binary::{Machine, Said};

fn pipe(machine: &Machine, name: &str) {
    assert!(Command::new("mkfifo").arg(machine.folder.join(name)).status().unwrap().success());
}

/// Nothing on stdout; on stderr each of the parts, and no panic.
fn fails(said: &Said, code: i32, parts: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (code, ""), "{}", said.err);
    assert!(!said.err.contains("panicked"), "{}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "no {part:?} in {:?}", said.err);
    }
}

/// What stands in the place of a folder or a file is told by `check`, and `doctor` blames nobody's permissions.
#[test]
fn what_is_no_folder_and_no_file_is_told_by_check_and_doctor() {
    let machine = Machine::new();
    std::fs::create_dir(machine.folder.join("mail")).unwrap();
    for name in ["mail/in", "mail/out"] {
        std::fs::write(machine.folder.join(name), "").unwrap();
    }
    let said = machine.say(&["check"]);
    fails(
        &said,
        78,
        &["inbox.path: ", "mail/in is a plain file, and a folder is wanted. Take it away", "outbox.path: "],
    );
    let said = machine.say(&["doctor"]);
    assert_eq!(said.code, 69, "{}", said.out);
    assert!(
        said.out.contains("mail/out is a plain file, and a folder is wanted") && !said.out.contains("Let the user")
    );
    assert_eq!(said.out.matches("FAULT").count(), 2, "{}", said.out);
    fails(&machine.say(&["run"]), 78, &["mail/in is a plain file", "mail/out is a plain file"]);
    std::fs::remove_dir_all(machine.folder.join("mail")).unwrap();

    pipe(&machine, "omerta.db");
    let told = "omerta.db: opening: the place holds a pipe, a socket or a device; name a plain file by `database`";
    fails(&machine.say(&["check"]), 69, &["database: ", told]);
    let said = machine.say(&["doctor"]);
    assert!(said.code == 69 && said.out.contains(told), "{}", said.out);
    fails(&machine.say(&["run"]), 69, &[told]);
    fails(&machine.say(&["status"]), 69, &[told]);

    // Neither is waited for, nor read without end.
    std::fs::remove_file(machine.folder.join("config.toml")).unwrap();
    pipe(&machine, "config.toml");
    for command in ["check", "status", "run"] {
        fails(&machine.say(&[command]), 78, &["config.toml: is a pipe, and a plain file is wanted. Name the config"]);
    }
    std::fs::remove_file(machine.folder.join("config.toml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", machine.folder.join("config.toml")).unwrap();
    fails(&machine.say(&["check"]), 78, &["config.toml: is a device, and a plain file is wanted."]);
}

/// The clock was months ahead for a while. Whoever asks is told nothing of a reading that is yet to come.
#[test]
fn a_clock_that_was_set_back_leaves_no_reading_in_the_future() {
    let mut machine = Machine::new();
    // Before the daemon has made a database stderr says so.
    let read = |machine: &Machine| machine.say(&["status", "--json"]).out;
    machine.set_clock("2027-03-01T09:00:00Z");
    machine.start(&[]);
    machine.until("the inbox is read", || read(&machine).contains("2027-03-01"));
    assert_eq!(machine.stop(), Some(0));
    machine.set_clock("2026-12-01T09:00:00Z");
    let said = machine.ok(&["status"]);
    assert!(
        said.contains("last read through 2027-03-01 12:00:00 (Europe/Moscow), by a clock that was ahead of"),
        "{said}"
    );
    machine.start(&[]);
    machine.until("the inbox is read by the clock of now", || read(&machine).contains("2026-12-01"));
    let said = machine.ok(&["status"]);
    assert!(said.contains("last read through 2026-12-01 12:00:00 (Europe/Moscow)\n"), "{said}");
}
