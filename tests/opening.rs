//! What the commands do before there is a database, with one that is not whole, and with files that are no files.
#![cfg(test)]

mod house;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use house::binary::{Machine, Said};
use house::raw_letter;
use serde_json::json;

fn names(machine: &Machine) -> Vec<String> {
    let entries = std::fs::read_dir(&machine.folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn pipe(at: &Path) {
    assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
}

#[test]
fn looking_makes_nothing_and_says_that_there_is_nothing_yet() {
    let machine = Machine::new();
    let before = names(&machine);
    let look = |arguments: &[&str], code: i32| {
        let said = machine.say(arguments);
        assert_eq!(said.code, code, "{arguments:?}: {said:?}");
        for part in ["there is no database yet at ", "omerta.db; `omerta game new` or `omerta run` makes it"] {
            assert_eq!(said.err.matches(part).count(), 1, "{arguments:?}: {said:?}");
        }
        assert_eq!(names(&machine), before, "{arguments:?}");
        said
    };
    let status = look(&["status", "--json"], 0).out;
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&status).unwrap(),
        json!({
            "daemon": "stopped",
            "inbox": {"last_read": null, "processed": 0, "quarantined": 0},
            "outbox": {"queued": 0, "sent": 0, "failed": 0},
            "games": [],
        })
    );
    assert!(look(&["status"], 0).out.contains("no games yet"));
    assert_eq!(look(&["game", "list", "--json"], 0).out.trim(), "[]");
    look(&["quarantine"], 0);
    for named in [
        &["letters", "palermo"][..],
        &["export", "palermo"],
        &["chronicle", "palermo", "-o", "page"],
        &["game", "show", "palermo"],
        &["game", "start", "palermo"],
        &["game", "why", "palermo"],
        &["rules", "palermo"],
    ] {
        look(named, 65);
    }
    machine.ok(&["check"]);
    assert_eq!(machine.say(&["backup", "copy.db"]).code, 69);
    assert_eq!(names(&machine), before);
    // A new game is worth a database, and looking at that one makes no lock.
    machine.ok(&["game", "new", "palermo"]);
    machine.ok(&["status"]);
    machine.ok(&["doctor"]);
    assert!(!machine.folder.join("omerta.db.lock").exists());
}

/// SQLite takes an empty file for a database that begins, and throws the log beside it away.
#[test]
fn an_emptied_file_keeps_its_log_and_is_no_database() {
    let machine = Machine::new();
    let (file, log) = (machine.folder.join("omerta.db"), machine.folder.join("omerta.db-wal"));
    std::fs::write(&file, "").unwrap();
    assert!(machine.say(&["status"]).err.contains("there is no database yet at "));
    std::fs::write(&log, "the last letters").unwrap();
    for command in [&["status"][..], &["check"], &["run"], &["game", "new", "palermo"]] {
        let said = ends(&machine, command);
        assert_eq!(said.code, 69, "{command:?}: {said:?}");
        assert!(said.err.contains("the file was removed or replaced"), "{command:?}: {said:?}");
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "the last letters", "{command:?}");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 0, "{command:?}");
    }
}

/// An administrator looks at the config of the service's own user.
#[test]
fn who_may_not_read_a_secret_may_check_the_config_all_the_same() {
    const NOBODY: u32 = 65_534;
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let open = |path: &Path, mode: u32| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    open(folder.path(), 0o755);
    let program = folder.path().join("omerta");
    std::fs::copy(env!("CARGO_BIN_EXE_omerta"), &program).unwrap();
    open(&program, 0o755);
    let text = "[host]\naddresses = [\"host@example.org\"]\n[inbox]\nkind = \"imap\"\nserver = \"i.example.org\"\nuser = \"m\"\n\
                password_file = \"imap.secret\"\n[outbox]\nkind = \"maildir\"\npath = \"out\"\nfrom = \"m@example.org\"\n";
    for (name, text, mode) in [("config.toml", text, 0o644), ("imap.secret", "hunter2\n", 0o600)] {
        std::fs::write(folder.path().join(name), text).unwrap();
        open(&folder.path().join(name), mode);
    }
    let run = |command: &str| {
        let mut run = Command::new("timeout");
        run.arg("60").arg(&program).arg(command).current_dir(folder.path()).uid(NOBODY).gid(NOBODY);
        let said = run.output().unwrap();
        (said.status.code(), String::from_utf8(said.stdout).unwrap() + &String::from_utf8(said.stderr).unwrap())
    };
    let (code, said) = run("check");
    assert_eq!(code, Some(0), "{said}");
    for part in ["warning: ", "inbox.password_file", "cannot be read", "Let the user who runs omerta read it."] {
        assert!(said.contains(part), "no «{part}» in {said}");
    }
    let (code, said) = run("run");
    assert_eq!(code, Some(78), "{said}");
    assert!(said.contains("inbox.password_file"), "{said}");
}

/// What a command says that must end by itself; a daemon that starts in spite of all is ended, with another exit code.
fn ends(machine: &Machine, arguments: &[&str]) -> Said {
    let command = machine.command(arguments);
    let mut timed = Command::new("timeout");
    timed.arg("60").arg(command.get_program()).args(command.get_args()).current_dir(&machine.folder);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => timed.env(name, value),
            None => timed.env_remove(name),
        };
    }
    Said::of(&timed.output().unwrap())
}

/// Everything that a command said.
fn all(said: &Said) -> String {
    format!("{}{}", said.out, said.err)
}

#[test]
fn a_database_that_lost_a_part_is_told_once_with_the_cure() {
    let machine = Machine::new();
    machine.ok(&["game", "new", "palermo"]);
    machine.ok(&["check"]);
    for (spoil, missing) in [
        ("ALTER TABLE letters DROP COLUMN error", "column letters.error is not there"),
        ("DROP TABLE outbox_bytes", "table outbox_bytes is not there"),
    ] {
        rusqlite::Connection::open(machine.folder.join("omerta.db")).unwrap().execute_batch(spoil).unwrap();
        for arguments in [&["status"][..], &["run"], &["check"], &["doctor"], &["game", "list"], &["deliver"]] {
            let said = ends(&machine, arguments);
            let code = if arguments == ["deliver"] { 75 } else { 69 };
            assert_eq!(said.code, code, "{arguments:?}: {said:?}");
            let said = all(&said);
            assert_eq!(said.matches("the file is damaged").count(), 1, "{arguments:?}: {said}");
            for part in [missing, "put the last backup in its place", "docs/ops.md"] {
                assert!(said.contains(part), "{arguments:?}: {said}");
            }
            assert!(!said.contains("no such table") && !said.contains("SQLite says"), "{arguments:?}: {said}");
        }
    }
    let checked = machine.say(&["check"]);
    assert!(checked.err.contains("config.toml:3: database: "), "{checked:?}");
}

#[test]
fn check_leaves_a_database_of_another_program_alone() {
    let machine = Machine::new();
    let other = machine.folder.join("omerta.db");
    std::fs::write(&other, "this is no database, but long enough to look like one").unwrap();
    let said = machine.say(&["check", "--json"]);
    assert!(said.code == 69 && said.out.contains("is no SQLite database"), "{said:?}");
    assert_eq!(std::fs::read(&other).unwrap(), b"this is no database, but long enough to look like one");
    assert_eq!(names(&machine).iter().filter(|name| name.starts_with("omerta.db")).count(), 1);
}

#[test]
fn a_pipe_in_the_place_of_the_hosts_word_stops_nobody() {
    let mut machine = Machine::new();
    machine.ok(&["game", "new", "palermo"]);
    let word = machine.folder.join("host.secret");
    pipe(&word);
    for arguments in [&["check"][..], &["run"]] {
        let said = ends(&machine, arguments);
        assert!(said.code == 78 && said.err.contains("host.secret is a pipe, and a plain file is wanted"), "{said:?}");
    }
    std::fs::remove_file(&word).unwrap();
    machine.start(&[]);
    machine.until("the daemon runs", || machine.store().read(|tx| tx.daemon_status()).unwrap().is_some());
    pipe(&word);
    let now = machine.now().to_string();
    machine.drop_in(&now, 1, &raw_letter("other@example.org", "palermo", "1@x.test", "Слово - palermo-42\nСтатус"));
    machine.drop_in(&now, 2, &raw_letter("host@example.org", "palermo", "2@x.test", "Слово - palermo-42\nСтатус"));
    machine.until("both letters are read", || machine.unread() == 0);
    machine.until("the pipe is told", || machine.log().contains("host.word_file is a pipe"));
    assert_eq!(machine.stop(), Some(0), "{}", machine.log());
}

#[test]
fn a_roster_that_is_no_file_is_refused() {
    let machine = Machine::new();
    let roster = machine.folder.join("roster.csv");
    pipe(&roster);
    let new = |file: &str| machine.say(&["game", "new", "palermo", "--roster", file]);
    let said = new("roster.csv");
    assert!(
        said.code == 65 && said.err.contains("roster.csv: is a pipe, and a plain file is wanted. Save"),
        "{said:?}"
    );
    std::fs::remove_file(&roster).unwrap();
    std::fs::write(&roster, vec![b'a'; 3 << 20]).unwrap();
    let said = new("roster.csv");
    assert!(said.code == 65 && said.err.contains("is larger than the 2048 KiB"), "{said:?}");
    let said = new("/dev/zero");
    assert!(said.code == 65 && said.err.contains("/dev/zero: is a device"), "{said:?}");
    machine.ok(&["game", "new", "palermo"]);
    pipe(&machine.folder.join("accounts.csv"));
    let said = machine.say(&["game", "accounts", "palermo", "accounts.csv"]);
    assert!(said.code == 65 && said.err.contains("accounts.csv: is a pipe"), "{said:?}");
}

#[test]
fn check_tells_what_is_odd_and_is_content() {
    let machine = Machine::new();
    std::fs::write(machine.folder.join("config.toml"), house::config_text("reminders = [\"3d\"]")).unwrap();
    std::fs::write(machine.folder.join("host.secret"), "palermo-42\n").unwrap();
    let said = machine.ok(&["check"]);
    assert_eq!(said.lines().filter(|line| line.starts_with("warning: ")).count(), 2, "{said}");
    assert!(said.contains("config.toml:19: game.reminders: a reminder 72h before the deadline"), "{said}");
    assert!(said.contains("host.word_file: ") && said.contains("chmod 600 "), "{said}");
    let json = machine.json(&["check", "--json"]);
    assert_eq!((&json["ok"], json["warnings"].as_array().unwrap().len()), (&json!(true), 2));
    let doctor = machine.json(&["doctor", "--json"]);
    let warned: Vec<&str> = doctor
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["state"] == "warning")
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(warned, ["config", "secrets"], "{doctor}");
}
