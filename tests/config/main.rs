//! config.toml: the shipped file, and what is said about files that are wrong.

#![cfg(test)]

mod clash;
mod feed;
mod files;
mod odd;

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use jiff::SignedDuration;
use omerta::config::{Config, Fault, InboxKind, OutboxKind, Password, Publish, Rate, Tls};

const SHIPPED: &str = include_str!("../../config.toml");
const FILE: &str = "/etc/omerta/config.toml";

fn parse(text: &str) -> Result<Config, Vec<Fault>> {
    Config::parse(text, Path::new(FILE))
}

/// The shipped file with one line put in the place of another.
fn shipped_with(line: &str, replacement: &str) -> String {
    assert_eq!(SHIPPED.matches(line).count(), 1, "{line}");
    SHIPPED.replace(line, replacement)
}

/// A small right config, and more keys for its last section.
fn with_host(rest: &str) -> String {
    format!("host.addresses = [\"host@example.org\"]\n{rest}")
}

fn check(text: &str, expected: Expect) {
    let faults = parse(text).expect_err("the text has faults");
    let lines: Vec<String> = faults.iter().map(|fault| fault.to_string().replace(FILE, "F")).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn the_shipped_file_says_what_stands_without_it() {
    let shipped = parse(SHIPPED).unwrap();
    let bare = parse(&with_host("")).unwrap();
    assert_eq!(shipped, bare);
}

#[test]
fn the_shipped_file_holds_every_key_with_a_comment() {
    let mut section = String::new();
    let mut explained = Vec::new();
    let mut after_comment = false;
    for line in SHIPPED.lines() {
        let bare = line.trim_start_matches("# ");
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = format!("{name}.");
        } else if let Some((key, value)) = bare.split_once(" = ").filter(|(key, _)| !key.contains(' ')) {
            // The lines of passwords and of servers stand in groups under one comment.
            if value.contains(" # ") || after_comment {
                explained.push(format!("{section}{key}"));
            }
        }
        after_comment = line.starts_with('#');
    }
    for key in Config::known_keys() {
        assert!(explained.contains(&key), "{key} is not explained in config.toml");
    }
    for key in &explained {
        assert!(Config::known_keys().contains(key), "{key} in config.toml is no key");
    }
}

#[test]
fn every_commented_key_of_the_shipped_file_is_right_too() {
    let one_password =
        |line: &str| !line.contains("password_") && !line.contains("oauth2") && !line.contains("# password =");
    let text: String = SHIPPED
        .lines()
        .filter(|line| one_password(line) || line.contains("password_file ="))
        .map(|line| {
            let bare = line.trim_start_matches("# ");
            let is_key = bare.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
            let line = if is_key { bare } else { line };
            line.replace("kind = \"maildir\"                    # \"maildir\" or", "kind = \"imap\" #")
                .replace("kind = \"maildir\"                    # \"maildir\",", "kind = \"smtp\" #")
                + "\n"
        })
        .collect();
    let config = parse(&text).unwrap();
    assert_eq!((config.inbox.kind, config.outbox.kind), (InboxKind::Imap, OutboxKind::Smtp));
    let server = config.inbox.server.unwrap();
    assert_eq!((server.server.as_str(), server.port, server.tls), ("imap.example.org", 993, Tls::Implicit));
    assert_eq!(server.ca_file, Some(PathBuf::from("/etc/omerta/ca.pem")));
    assert_eq!(server.login.unwrap().password, Password::File(PathBuf::from("/etc/omerta/imap.secret")));
    assert_eq!(config.outbox.rate, Some(Rate { letters: 60, per: SignedDuration::from_mins(1) }));
    assert_eq!(config.outbox.daily, Some(500));
    assert_eq!(config.inbox.done_folder.as_deref(), Some("Omerta"));
}

#[test]
fn paths_start_at_the_folder_of_the_file() {
    let text = with_host(
        "database = \"./data//game.db\"\nkey_file = \"/var/key\"\nhost.word_file = \"../word\"\ntemplates = \"mine\"",
    );
    let config = parse(&text).unwrap();
    assert_eq!(config.database, Path::new("/etc/omerta/data/game.db"));
    assert_eq!(config.key_file, Path::new("/var/key"));
    assert_eq!(config.host.word_file, Path::new("/etc/omerta/../word"));
    assert_eq!(config.templates.as_deref(), Some(Path::new("/etc/omerta/mine")));
    assert_eq!(config.inbox.path, Path::new("/etc/omerta/mail/in"));
}

#[test]
fn a_relative_file_gives_absolute_paths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, SHIPPED).unwrap();
    let config = Config::load(&path).unwrap();
    assert_eq!(config.database, folder.path().join("omerta.db"));
    assert!(Config::load(Path::new("config.toml")).unwrap().database.is_absolute());
}

#[test]
fn values_become_what_they_mean() {
    let config = parse(&with_host(
        "retention = \"1w\"\nlanguage = \"en\"\ntimezone = \"Asia/Yekaterinburg\"\n\
         [outbox]\nfrom = \"MAFIA@Example.org\"\nrate = \"10/30s\"\n\
         [security]\nmax_message = \"1_000\"\nreplies_per_hour = 1_000\n\
         [game]\ndeadline = [\"Mon-Thu 21:00\", \"Sun 20:00\"]\nmin_turn = \"1h30m\"\nsettle = \"0s\"\n\
         reminders = [\"3h\", \"1d\"]\npublish = \"approve 6h\"\n\
         [game.rules]\nmafia_share = 0.3\nhunt_on_first_turn = true\nroles = [\"boss\", \"citizen\"]\nmissed_votes_limit = 3\n",
    ));
    let faults = config.expect_err("a size is no number with underscores in quotes");
    assert_eq!((faults.len(), faults[0].key.as_str()), (1, "security.max_message"));
    let config = parse(&with_host(
        "retention = \"1w\"\nlanguage = \"en\"\ntimezone = \"Asia/Yekaterinburg\"\n\
         [outbox]\nfrom = \"MAFIA@Example.org\"\nrate = \"10/30s\"\n\
         [security]\nmax_message = 2_000_000\nreplies_per_hour = 1_000\n\
         [game]\ndeadline = [\"Mon-Thu 21:00\", \"Sun 20:00\"]\nmin_turn = \"1h30m\"\nsettle = \"0s\"\n\
         reminders = [\"3h\", \"1d\"]\npublish = \"approve 6h\"\n\
         [game.rules]\nmafia_share = 0.3\nhunt_on_first_turn = true\nmissed_votes_limit = 3\n",
    ))
    .unwrap();
    assert_eq!(config.retention, SignedDuration::from_hours(7 * 24));
    assert_eq!(config.zone_name(), "Asia/Yekaterinburg");
    assert_eq!(config.outbox.from.to_string(), "mafia@example.org");
    assert_eq!(config.outbox.rate, Some(Rate { letters: 10, per: SignedDuration::from_secs(30) }));
    assert_eq!((config.security.max_message, config.security.replies_per_hour), (2_000_000, 1_000));
    assert_eq!(config.game.deadline.to_string(), "Mon,Tue,Wed,Thu 21:00; Sun 20:00");
    assert_eq!(config.game.min_turn, SignedDuration::from_mins(90));
    assert_eq!(config.game.settle, SignedDuration::ZERO);
    assert_eq!(config.game.reminders, [SignedDuration::from_hours(24), SignedDuration::from_hours(3)]);
    assert_eq!(config.game.publish, Publish::ApproveFor(SignedDuration::from_hours(6)));
    let rules: Vec<(&str, &str)> =
        config.game.rules.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(rules, [("hunt_on_first_turn", "true"), ("mafia_share", "0.3"), ("missed_votes_limit", "3")]);
}

#[test]
fn a_games_settings_survive_being_stored() {
    let text = shipped_with("deadline = \"21:00\"", "deadline = \"every 36h\"").replace("\"auto\"", "\"approve 6h\"");
    let game = parse(&text).unwrap().game;
    let stored = serde_json::to_string(&game).unwrap();
    assert_eq!(serde_json::from_str::<omerta::config::Game>(&stored).unwrap(), game);
}

#[test]
fn all_faults_come_at_once_each_with_line_key_and_cure() {
    check(
        "langauge = \"ru\"\n\
         language = \"rus\"\n\
         timezone = \"Moscow\"\n\
         database = 5\n\
         key_file = \"~/omerta.key\"\n\
         retention = \"90\"\n\
         moderators = 1\n\
         [host]\n\
         name = \"\"\n\
         addresses = [\"host@example.org\", \"Host@example.org\", \"анна@example.org\"]\n\
         [inbox]\n\
         kind = \"pop3\"\n\
         port = 99999\n\
         [outbox]\n\
         from = \"Омерта\"\n\
         rate = \"0/m\"\n\
         plus_addressing = \"yes\"\n\
         daily = -1\n\
         [security]\n\
         max_message = \"ten\"\n\
         sender = \"adress\"\n\
         [forum]\n\
         post_to = \"forum@example.org\"\n\
         activity_feed = \"feed\"\n\
         [game]\n\
         deadline = [\"Mon-Thu 25:00\"]\n\
         reminders = [\"24h\", \"soon\"]\n\
         publish = \"never\"\n\
         settle = \"2d\"\n\
         [game.rules]\n\
         hunt = 2026-12-01\n\
         [gaem]\n",
        expect![[r#"
            F:1: langauge: is an unknown key. Did you mean `language`?
            F:2: language: "rus" is not one of its values. Did you mean "ru"? It may be "ru", "en".
            F:3: timezone: "Moscow" is not a time zone. Did you mean "Europe/Moscow"?
            F:4: database: must be a text in quotes, not a number. Put quotes around the value: key = "value".
            F:5: key_file: `~` is not understood here. Write the whole path, from /.
            F:6: retention: "90" is not a length of time. Write a number and its unit, as in "90s", "2m", "12h" or "90d".
            F:7: moderators: is no section. Write it as a section: a line [moderators], and its keys below.
            F:9: host.name: is empty. Write a value between the quotes.
            F:10: host.addresses: "host@example.org" stands twice. Take one of them out.
            F:10: host.addresses: "анна@example.org" is not a mail address: «а» is not a Latin letter. Write it bare, as in "anna@example.org".
            F:12: inbox.kind: "pop3" is not one of its values. It may be "maildir", "imap".
            F:13: inbox.port: 99999 is out of bounds. Write a whole number from 1 to 65535, without quotes.
            F:15: outbox.from: "Омерта" is not a mail address: there is no single @ in it. Write it as in "Омерта <mafia@example.org>".
            F:16: outbox.rate: "0/m" is not a rate. Write letters and time, as in "60/m", "1/s" or "500/d".
            F:17: outbox.plus_addressing: must be true or false, not a text. Write true or false, without quotes.
            F:18: outbox.daily: -1 is out of bounds. Write a whole number from 1 to 1000000, without quotes.
            F:20: security.max_message: "ten" is not a size. Write it as in "10MiB" or "500KiB".
            F:21: security.sender: "adress" is not one of its values. Did you mean "address"? It may be "address", "verified".
            F:23: forum.post_to: must be a list, not a text. Put square brackets around it: key = ["one", "two"].
            F:24: forum.activity_feed: is no link to a feed. Write the whole address, from https://, or "" for none.
            F:26: game.deadline: "25:00" is not a time of day. Write it as in "21:00", ["Mon-Thu 21:00", "Sun 20:00"] or "every 36h".
            F:27: game.reminders: "soon" is not a length of time. Write a number and its unit, as in "90s", "2m", "12h" or "90d".
            F:28: game.publish: "never" is not one of its values. It may be "auto", "approve" or, with a time, "approve 6h".
            F:29: game.settle: "2d" is too long. Write at most "1d".
            F:31: game.rules.hunt: is a date. No rule takes a date; see rules.md for its values.
            F:32: gaem: is an unknown key. Did you mean `game`?
        "#]],
    );
}

#[test]
fn a_misspelt_value_is_answered_with_the_nearest() {
    check(
        &with_host(
            "language = \"rus\"\n\
             timezone = \"Europe/Moskow\"\n\
             retention = \"90 dyas\"\n\
             [inbox]\nkind = \"imaps\"\ntls = \"startls\"\n\
             [outbox]\nkind = \"SMTP\"\nfrom = \"m@example.org\"\n\
             [security]\nsender = \"verfied\"\n\
             [forum]\nmarkup = \"bbcod\"\n\
             [game]\ndeadline = [\"Mon-Thr 21:00\"]\npublish = \"aprove\"\n\
             [game.rules]\nhunt_manic = true\npistol_mode = \"windows\"\nphoto_required = \"yes\"\n\
             roles = [\"boss\", \"comissioner\"]\n",
        ),
        expect![[r#"
            F:2: language: "rus" is not one of its values. Did you mean "ru"? It may be "ru", "en".
            F:3: timezone: "Europe/Moskow" is not a time zone. Did you mean "Europe/Moscow"?
            F:4: retention: "90 dyas" is not a length of time. Did you mean "90d"? Write a number and its unit, as in "90s", "2m", "12h" or "90d".
            F:6: inbox.kind: "imaps" is not one of its values. Did you mean "imap"? It may be "maildir", "imap".
            F:7: inbox.tls: "startls" is not one of its values. Did you mean "starttls"? It may be "implicit", "starttls", "none".
            F:9: outbox.kind: "SMTP" is not one of its values. Did you mean "smtp"? It may be "maildir", "smtp", "sendmail".
            F:12: security.sender: "verfied" is not one of its values. Did you mean "verified"? It may be "address", "verified".
            F:14: forum.markup: "bbcod" is not one of its values. Did you mean "bbcode"? It may be "bbcode", "markdown", "html", "text".
            F:16: game.deadline: "Thr" is not a day of the week. Did you mean "thursday"? Write it as in "21:00", ["Mon-Thu 21:00", "Sun 20:00"] or "every 36h".
            F:17: game.publish: "aprove" is not one of its values. Did you mean "approve"? It may be "auto", "approve" or, with a time, "approve 6h".
            F:19: game.rules.hunt_manic: there is no rule `hunt_manic`; did you mean `hunt_maniac`? The toggles and their values stand in docs/rulebook.ru.md.
            F:20: game.rules.pistol_mode: `windows` is no value of `pistol_mode`: standing, turn, window; did you mean `window`? The toggles and their values stand in docs/rulebook.ru.md.
            F:21: game.rules.photo_required: `yes` is no value of `photo_required`: true or false; did you mean `true`? The toggles and their values stand in docs/rulebook.ru.md.
            F:22: game.rules.roles: `boss,comissioner` is no value of `roles`: auto, or a list of citizen, commissioner, doctor, sergeant, foundling, mafioso, boss, kamikaze, maniac; did you mean `commissioner`? The toggles and their values stand in docs/rulebook.ru.md.
        "#]],
    );
    let cure = |line: &str| parse(&with_host(line)).expect_err("a fault")[0].cure.clone();
    assert_eq!(cure("game.publish = \"approve 100000d\""), "Write at most \"approve 366d\".");
    assert!(parse(&with_host("game.publish = \"approve 366d\"")).is_ok());
    for (line, near) in [
        ("timezone = \"Moskow\"", "Europe/Moscow"),
        ("timezone = \"москва\"", "Europe/Moscow"),
        ("timezone = \"Екатеринбург\"", "Asia/Yekaterinburg"),
        ("timezone = \"new york\"", "America/New_York"),
        ("timezone = \"UTC+3\"", "Etc/GMT-3"),
        ("timezone = \"Asia/Ekaterinburg\"", "Asia/Yekaterinburg"),
        ("game.publish = \"aprove 6h\"", "approve 6h"),
        ("game.publish = \"Auto\"", "auto"),
        ("game.deadline = \"21.00\"", "21:00"),
        ("game.deadline = \"every 36 huors\"", "36h"),
        ("game.settle = \"2 minuts\"", "2m"),
        ("game.settle = \"90 секнд\"", "90s"),
    ] {
        let cure = cure(line);
        assert!(cure.starts_with(&format!("Did you mean \"{near}\"?")), "{line}: {cure}");
    }
    for line in ["timezone = \"Nowhere\"", "game.publish = \"never\"", "game.settle = \"soon\""] {
        assert!(!cure(line).contains("Did you mean"), "{line}: {}", cure(line));
    }
}

/// The least and the most that each key takes, and what lies beyond.
#[test]
fn every_bound_is_kept_on_both_its_sides() {
    for (key, right, wrong) in [
        ("game.min_turn", &["\"0s\"", "\"3650d\""][..], &["\"3651d\""][..]),
        ("game.settle", &["\"0s\"", "\"1d\""], &["\"86401s\""]),
        ("game.reminders", &["[\"1s\"]", "[\"3650d\"]"], &["[\"0s\"]", "[\"3651d\"]"]),
        ("game.pistol_window", &["\"60s\"", "\"3650d\""], &["\"59s\"", "\"3651d\""]),
        ("game.deadline", &["\"every 1m\"", "\"every 366d\""], &["\"every 59s\"", "\"every 367d\""]),
        ("inbox.poll", &["\"1s\"", "\"1d\""], &["\"0s\"", "\"86401s\""]),
        ("inbox.port", &["1", "65535"], &["0", "65536"]),
        ("retention", &["\"0s\"", "\"3650d\""], &["\"3651d\""]),
        ("security.max_message", &["1024", "\"1KiB\""], &["1023"]),
        ("security.replies_per_hour", &["1", "1_000_000"], &["0", "1_000_001"]),
        ("security.relay_per_day", &["0", "1_000_000"], &["-1", "1_000_001"]),
        ("outbox.daily", &["1", "1_000_000"], &["0", "1_000_001"]),
    ] {
        for value in right {
            let read = parse(&with_host(&format!("{key} = {value}")));
            assert!(read.is_ok(), "{key} = {value}: {read:?}");
        }
        for value in wrong {
            let faults = parse(&with_host(&format!("{key} = {value}"))).expect_err(value);
            assert_eq!((faults.len(), faults[0].key.as_str()), (1, key), "{key} = {value}: {faults:?}");
        }
    }
    let game = parse(&with_host("game.reminders = [\"1h\", \"60m\", \"3h\"]")).unwrap().game;
    assert_eq!(game.reminders, [SignedDuration::from_hours(3), SignedDuration::from_hours(1)], "once each");
}

#[test]
fn a_server_wants_its_keys() {
    check(
        &with_host("inbox.kind = \"imap\"\noutbox.kind = \"smtp\"\n"),
        expect![[r#"
            F:2: inbox.user: is missing. Write user = "mafia@example.org" and password_file = "imap.secret".
            F:2: inbox.server: is missing. Write the name of the mail server: server = "imap.example.org".
            F:3: outbox.from: is missing. Write from = "Омерта <mafia@example.org>" with the mailbox that sends.
            F:3: outbox.server: is missing. Write the name of the mail server: server = "imap.example.org".
        "#]],
    );
    check(
        &with_host(
            "[inbox]\nkind = \"imap\"\nserver = \"imap.example.org\"\ntls = \"none\"\nuser = \"a\"\n\
             password = \"hunter2\"\npassword_env = \"P\"\ndone_folder = \"INBOX\"\nfolders = []\n\
             [outbox]\nkind = \"sendmail\"\npassword = \"hunter2\"\n",
        ),
        expect![[r#"
            F:5: inbox.tls: "none" would send the password to imap.example.org in the clear. Write "implicit" or "starttls"; without TLS only a server on this machine is taken.
            F:7: inbox.password: says a second time where the password is (password_env, password). Keep one of them.
            F:9: inbox.done_folder: is one of the folders that are read. Name a folder that is not read, as in done_folder = "Omerta".
            F:10: inbox.folders: names no folder. Write at least ["INBOX"].
            F:11: outbox.from: is missing. Write from = "Омерта <mafia@example.org>" with the mailbox that sends.
            F:11: outbox.command: is missing. Write command = ["/usr/sbin/sendmail", "-i"]; the recipient is put behind it.
            F:13: outbox.password: has no user. Add user = "mafia@example.org".
        "#]],
    );
}

#[test]
fn a_servers_name_is_a_name_and_nothing_else() {
    let said = |server: &str| {
        let text = with_host(&format!("[inbox]\nserver = \"{server}\"\n"));
        parse(&text).err().map(|faults| faults[0].to_string().replace(FILE, "F"))
    };
    let lines: Vec<String> = [
        "imaps://imap.example.org",
        "imaps://imap.example.org:993/INBOX",
        "imaps://mafia:hunter2@imap.example.org",
        "imap.example.org:993",
        "[::1]:993",
        "mafia@example.org",
        "imap example.org",
        "imap.example.org/",
        "почта.рф",
        "127.0.0.1:x",
    ]
    .into_iter()
    .map(|server| said(server).unwrap_or_else(|| panic!("{server} is taken")))
    .collect();
    assert!(!lines.join("").contains("hunter2"));
    expect![[r#"
        F:3: inbox.server: "imaps://" does not belong to the name. Write the name alone: server = "imap.example.org".
        F:3: inbox.server: "imaps://" does not belong to the name. Write them apart: server = "imap.example.org" and port = 993.
        F:3: inbox.server: is a mail address, and no name of a server. Write the name of the server alone, as in server = "imap.example.org".
        F:3: inbox.server: "imap.example.org:993" holds the port, 993, too. Write them apart: server = "imap.example.org" and port = 993.
        F:3: inbox.server: "[::1]:993" holds the port, 993, too. Write the name of the server alone, as in server = "imap.example.org".
        F:3: inbox.server: is a mail address, and no name of a server. Write the name of the server alone, as in server = "imap.example.org".
        F:3: inbox.server: "imap example.org" is no name of a server. Write the name of the server alone, as in server = "imap.example.org".
        F:3: inbox.server: "imap.example.org/" is no name of a server. Write the name alone: server = "imap.example.org".
        F:3: inbox.server: "почта.рф" is no name of a server: «п» is not a Latin letter. Write the name in Latin letters; of a Cyrillic one its form that begins with xn--.
        F:3: inbox.server: "127.0.0.1:x" is no name of a server. Write the name of the server alone, as in server = "imap.example.org".
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
    for right in ["imap.example.org", "IMAP-1.example.org.", "dovecot_1", "192.0.2.1", "::1", "[2001:db8::1]"] {
        assert_eq!(said(right), None);
    }
}

#[test]
fn a_database_is_a_file() {
    check(
        &with_host("database = \":memory:\""),
        expect![[r#"
            F:2: database: ":memory:" is no name of a file. Write the name of a file, as in "omerta.db"; the games are kept in it.
        "#]],
    );
    for name in ["file:omerta.db", "FILE::memory:?cache=shared", ":Memory:", "", "  "] {
        let faults = parse(&with_host(&format!("database = \"{name}\""))).expect_err(name);
        assert_eq!((faults.len(), faults[0].key.as_str()), (1, "database"), "{faults:?}");
    }
    parse(&with_host("database = \"memory\"")).unwrap();
}

#[test]
fn a_server_on_this_machine_may_go_without_tls() {
    for server in ["localhost", "127.0.0.1", "::1", "[::1]"] {
        let text = with_host(&format!(
            "[outbox]\nkind = \"smtp\"\nserver = \"{server}\"\ntls = \"none\"\nfrom = \"mafia@example.org\"\n"
        ));
        let outbox = parse(&text).unwrap().outbox;
        let found = outbox.server.unwrap();
        assert_eq!((found.port, found.tls, found.login), (587, Tls::None, None));
    }
}

#[test]
fn the_game_needs_a_mailbox_and_a_host_of_its_own() {
    check(
        "",
        expect![[r#"
        F: host.addresses: the host has no address. Name at least one: addresses = ["you@example.org"] under [host].
    "#]],
    );
    check(
        &shipped_with("host@example.org", "mafia@example.org"),
        expect![[r#"
        F:44: outbox.from: "mafia@example.org" is also an address of [host]. The game needs a mailbox of its own: what is sent to it is read as mail to the game.
    "#]],
    );
}

#[test]
fn what_is_not_toml_is_named_by_its_lines() {
    check(
        "language = ru\n[host]\naddresses = [\"a@b.org\"\nname = \"x\"\n",
        expect![[r#"
            F:1: is not TOML: string values must be quoted, expected literal string. A line is `key = value`; texts stand in quotes, lists in [ ], and no key twice.
            F:4: is not TOML: missing comma between array elements, expected `,`. A line is `key = value`; texts stand in quotes, lists in [ ], and no key twice.
        "#]],
    );
    check(
        "language = \"ru\"\nlanguage = \"en\"\n",
        expect![[r#"
        F:2: is not TOML: duplicate key. A line is `key = value`; texts stand in quotes, lists in [ ], and no key twice.
    "#]],
    );
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = Config::load(&folder.path().join("absent.toml")).unwrap_err();
    assert!(absent[0].to_string().contains("absent.toml: cannot be read"), "{}", absent[0]);
    let path = folder.path().join("config.toml");
    std::fs::write(&path, b"language = \"ru\"\nname = \"\xC2\xE5\xE4\"\n").unwrap();
    let cp1251 = Config::load(&path).unwrap_err();
    assert!(
        cp1251[0].to_string().ends_with("config.toml:2: is not UTF-8 text. Save the file as UTF-8 in your editor.")
    );
}

#[test]
fn passwords_do_not_print() {
    let text = with_host(
        "[inbox]\nkind = \"imap\"\nserver = \"imap.example.org\"\nuser = \"mafia\"\npassword = \"hunter2\"\n",
    );
    assert!(!format!("{:?}", parse(&text).unwrap()).contains("hunter2"));
    let faults = parse(&text.replace("imap.example.org\"", "imap.example.org\"\nport = 0")).unwrap_err();
    assert!(!format!("{faults:?}").contains("hunter2"));
}

#[test]
fn no_text_makes_it_panic() {
    let chars: Vec<char> = SHIPPED.chars().collect();
    let mut bad = 0;
    for at in (0..chars.len()).step_by(7) {
        let cut: String = chars.iter().take(at).collect();
        let mut holed = chars.clone();
        holed.remove(at);
        bad += usize::from(parse(&cut).is_err());
        bad += usize::from(parse(&holed.into_iter().collect::<String>()).is_err());
    }
    assert!(bad > 100);
}
