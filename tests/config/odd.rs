//! Values that are legal and hardly meant.

use std::path::Path;

use expect_test::{Expect, expect};
use omerta::config::Config;

use crate::{SHIPPED, with_host};

fn said(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).unwrap();
    let odd = Config::load(&file).unwrap_or_else(|faults| panic!("{faults:?}")).odd_values();
    odd.iter().map(|odd| odd.to_string().replace(&file.display().to_string(), "F")).collect()
}

fn warn(text: &str, expected: Expect) {
    expected.assert_eq(&(said(text).join("\n") + "\n"));
}

#[test]
fn the_shipped_file_and_what_people_run_have_nothing_odd() {
    let none: Vec<String> = Vec::new();
    assert_eq!(said(SHIPPED), none);
    for right in [
        "game.deadline = [\"Mon-Thu 21:00\", \"Sun 20:00\"]",
        "timezone = \"Europe/Berlin\"",
        "game.deadline = \"every 12h\"\ngame.reminders = [\"3h\"]",
        "game.deadline = [\"09:00\", \"21:00\"]\ngame.reminders = [\"12h\"]",
        "retention = \"3d\"",
    ] {
        assert_eq!(said(&with_host(right)), none, "{right}");
    }
    for (section, port, tls) in [
        ("inbox", 993, "implicit"),
        ("inbox", 143, "starttls"),
        ("inbox", 10993, "starttls"),
        ("outbox", 465, "implicit"),
        ("outbox", 587, "starttls"),
        ("outbox", 25, "none"),
    ] {
        assert_eq!(said(&server(section, port, tls)), none, "{section} {port} {tls}");
    }
    assert!(Config::parse(SHIPPED, Path::new("/nowhere/config.toml")).unwrap().odd_values().is_empty());
}

fn server(section: &str, port: u16, tls: &str) -> String {
    let kind = if section == "inbox" { "imap" } else { "smtp" };
    with_host(&format!(
        "[{section}]\nkind = \"{kind}\"\nserver = \"localhost\"\nuser = \"m\"\npassword = \"p\"\nport = {port}\n\
         tls = \"{tls}\"\n{}",
        if section == "inbox" { "" } else { "from = \"m@example.org\"\n" }
    ))
}

#[test]
fn a_port_of_the_other_kind_of_tls_is_told() {
    let all = [
        ("inbox", 993, "starttls"),
        ("inbox", 143, "implicit"),
        ("outbox", 25, "implicit"),
        ("outbox", 587, "implicit"),
        ("outbox", 465, "starttls"),
    ];
    let lines: Vec<String> =
        all.into_iter().flat_map(|(section, port, tls)| said(&server(section, port, tls))).collect();
    expect![[r#"
        F:7: inbox.port: 993 is a port for tls = "implicit", and tls is "starttls". Write tls = "implicit", or port = 143.
        F:7: inbox.port: 143 is a port for tls = "starttls", and tls is "implicit". Write tls = "starttls", or port = 993.
        F:7: outbox.port: 25 is a port for tls = "starttls", and tls is "implicit". Write tls = "starttls", or port = 465.
        F:7: outbox.port: 587 is a port for tls = "starttls", and tls is "implicit". Write tls = "starttls", or port = 465.
        F:7: outbox.port: 465 is a port for tls = "implicit", and tls is "starttls". Write tls = "implicit", or port = 587.
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn times_that_do_not_fit_each_other_are_told() {
    warn(
        &with_host(
            "retention = \"2d\"\n[game]\ndeadline = [\"09:00\", \"21:00\"]\nmin_turn = \"13h\"\nreminders = [\"25h\", \"3h\"]\n",
        ),
        expect![[r#"
            F:2: retention: is less than three days: what players wrote is gone before anybody asks how a game went. Write more, as in "90d", if nothing demands it.
            F:5: game.min_turn: min_turn, 13h, is longer than the 12h between two deadlines, so that some are passed over. Write min_turn = "12h" or less, or deadlines that lie farther apart.
            F:6: game.reminders: a reminder 25h before the deadline is not sent in a turn of 24h, the shortest there can be. Write reminders = [..] of at most "24h".
        "#]],
    );
    // Of a key that is not written the other one is told.
    warn(
        &with_host("[game]\ndeadline = \"every 90m\"\n"),
        expect![[r#"
            F:3: game.deadline: min_turn, 12h, is longer than the 90m between two deadlines, so that some are passed over. Write min_turn = "90m" or less, or deadlines that lie farther apart.
            F:3: game.deadline: a reminder 24h before the deadline is not sent in a turn of 12h, the shortest there can be. Write reminders = [..] of at most "12h".
        "#]],
    );
}

#[test]
fn a_pace_for_folders_is_told() {
    warn(
        &with_host("[outbox]\ndaily = 100\nrate = \"1/s\"\n"),
        expect![[r#"
            F:4: outbox.rate: does nothing with kind = "maildir": folders take every letter at once. Take it out, or write the kind that it was meant for.
            F:3: outbox.daily: does nothing with kind = "maildir": folders take every letter at once. Take it out, or write the kind that it was meant for.
        "#]],
    );
}
