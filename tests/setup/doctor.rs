//! `omerta doctor` against real servers, well and with faults; `omerta check` on templates.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::init::{Folder, at, with};
use crate::servers::{PASSWORD, shared};

/// A set-up that was not tried.
fn set_up(user: &str) -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path().join("my.secret"), format!("{PASSWORD}\n")).unwrap();
    std::fs::set_permissions(folder.path().join("my.secret"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let flags = at(shared(), user);
    let said = folder.say(&with(&flags, &["--password-file", "my.secret", "--yes", "--no-login", "--lang", "en"]), "");
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

/// Replaces a line of the config by another.
fn mend(folder: &Folder, line: &str, by: &str) {
    let path = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(line).count(), 1, "{line}");
    std::fs::write(path, text.replace(line, by)).unwrap();
}

fn doctor(folder: &Folder, code: i32) -> Vec<(String, String, String)> {
    let said = folder.say(&["doctor", "--json"], "");
    assert_eq!(said.code, code, "{said:?}");
    let rows: Vec<Value> = serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    for row in &rows {
        assert_eq!(text(row, "cure").is_empty(), row["state"] == "ok", "a fault has its cure: {row}");
    }
    rows.iter().map(|row| (text(row, "name"), text(row, "state"), text(row, "what"))).collect()
}

fn state_of(rows: &[(String, String, String)], name: &str) -> String {
    rows.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("no {name}: {rows:?}")).1.clone()
}

#[test]
fn all_is_well_and_every_row_is_there() {
    let folder = set_up("p30");
    mend(&folder, "plus_addressing = false", "plus_addressing = true");
    folder.say(&["game", "new", "palermo"], "");
    let rows = doctor(&folder, 0);
    for name in [
        "config",
        "templates",
        "secrets",
        "disk",
        "database",
        "daemon",
        "daily",
        "login imap",
        "tls imap",
        "abilities",
        "idle",
        "folder",
        "clock",
        "login smtp",
        "tls smtp",
        "round trip",
        "plus address",
    ] {
        assert_eq!(state_of(&rows, name), "ok", "{rows:?}");
    }
    let until = &rows.iter().find(|row| row.0 == "tls imap").unwrap().2;
    assert!(until.starts_with("trusted until 20"), "{until}");
    shared().until_delivered();
    assert_eq!(shared().letters("p30"), Vec::<Vec<u8>>::new(), "nothing is left behind");
    let said = folder.say(&["doctor"], "");
    assert!(said.code == 0 && said.out.contains("ok       round trip"), "{said:?}");
}

#[test]
fn each_fault_is_named_with_its_cure() {
    let folder = set_up("p31");
    std::fs::write(folder.path().join("my.secret"), "not-the-password\n").unwrap();
    let rows = doctor(&folder, 69);
    assert_eq!((state_of(&rows, "login imap"), state_of(&rows, "login smtp")), ("fault".into(), "fault".into()));
    assert!(!format!("{rows:?}").contains("not-the-password"));

    let folder = set_up("p32");
    mend(&folder, "folders = [\"INBOX\"]", "folders = [\"INBOX\", \"Nowhere\"]");
    std::fs::set_permissions(folder.path().join("my.secret"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let rows = doctor(&folder, 69);
    assert!(rows.iter().any(|row| row.1 == "fault" && row.2.contains("Nowhere")), "{rows:?}");
    assert_eq!((state_of(&rows, "secrets"), state_of(&rows, "round trip")), ("warning".into(), "ok".into()));

    let folder = set_up("p33");
    let ca = shared().ca_file().display().to_string();
    let path = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(&format!("ca_file = \"{ca}\""), "# no ca_file")).unwrap();
    let rows = doctor(&folder, 69);
    assert_eq!((state_of(&rows, "login imap"), state_of(&rows, "login smtp")), ("fault".into(), "fault".into()));
    assert!(rows.iter().any(|row| row.0 == "login imap" && row.2.contains("not trusted")), "{rows:?}");

    std::fs::write(&path, "nonsense = 1\n").unwrap();
    assert_eq!(state_of(&doctor(&folder, 78), "config"), "fault");
}

/// A clock that is wrong by an hour, as the server sees it.
#[test]
fn a_clock_that_is_off_is_a_fault() {
    let folder = set_up("p34");
    let wrong = real_now() + jiff::SignedDuration::from_hours(1);
    std::fs::write(folder.path().join("clock"), wrong.to_string()).unwrap();
    let said = folder.say(&["doctor", "--json", "--clock-file", "clock"], "");
    let rows: Vec<Value> = serde_json::from_str(&said.out).unwrap();
    let clock = rows.iter().find(|row| row["name"] == "clock").unwrap();
    assert_eq!((said.code, clock["state"].as_str()), (69, Some("fault")), "{said:?}");
}

#[expect(clippy::disallowed_methods, reason = "the server's clock is the machine's")]
fn real_now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// With folders instead of servers there is no login to be tried.
#[test]
fn maildirs_are_looked_at_too() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("config.toml"), include_str!("../../config.toml")).unwrap();
    let rows = doctor(&folder, 0);
    assert_eq!((state_of(&rows, "inbox"), state_of(&rows, "outbox")), ("ok".into(), "ok".into()));
    assert!(rows.iter().all(|row| !row.0.starts_with("login")), "{rows:?}");
}

/// Every fault of every template of one's own: file, line, the line with a caret, and what may be named there.
#[test]
fn check_names_faults_of_templates() {
    let folder = Folder::new();
    let text = include_str!("../../config.toml").replace("templates = \"\"", "templates = \"mine\"");
    std::fs::write(folder.path().join("config.toml"), text).unwrap();
    std::fs::create_dir_all(folder.path().join("mine/ru")).unwrap();
    std::fs::write(folder.path().join("mine/ru/note.txt"), "Subject: Записка\nНикому: {{ letter.nikc }}\n").unwrap();
    std::fs::write(folder.path().join("mine/ru/pm.txt"), "Subject: ЛС\n{% if %}\n").unwrap();
    let said = folder.say(&["check"], "");
    assert_eq!(said.code, 78, "{said:?}");
    for part in
        ["mine/ru/note.txt:2", "mine/ru/pm.txt:2", "Никому: {{ letter.nikc }}", "   ^", "heading.turn", "letter."]
    {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    let said = folder.say(&["check", "--json"], "");
    let said: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(said["faults"].as_array().unwrap().len(), 2, "{said}");
    std::fs::remove_dir_all(folder.path().join("mine/ru")).unwrap();
    let said = folder.say(&["check"], "");
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
}
