//! The search of tests/leaks over real servers: passwords, a login that is refused, an address that does not exist.

use std::collections::BTreeMap;

use omerta::config::Tls;

use crate::players::{Party, TAG, TWELVE, Who};
use crate::scan::{CLAN, HOST_WORD, NOTE, PM, STRAY, Secrets, UNDELIVERED, names_no_role};
use crate::servers::{DOMAIN, PASSWORD, shared};

const WRONG_PASSWORD: &str = "falsches-passwort-4711";
/// Its mailbox does not exist.
const GONE: &str = "nobody-lives-here";

#[test]
fn nothing_is_let_out_over_real_servers() {
    let mut party = Party::new(5, Tls::Implicit, shared(), shared());
    party.machine.log_level = "debug,omerta=trace";
    prepare(&party);
    a_login_is_refused(&mut party);
    play(&mut party);
    let addresses: Vec<String> = Party::everybody().map(|who| party.address(who)).collect();
    let gone = format!("{GONE}@{DOMAIN}");
    let more = [("a password", PASSWORD), ("a password", WRONG_PASSWORD), ("an address that rests", gone.as_str())];
    let secrets = Secrets::of(&party.machine, TAG, 13, &addresses, &more);
    for arguments in [&["status"][..], &["status", "--json"], &["export", TAG], &["quarantine"]] {
        let said = party.machine.say(arguments);
        assert_eq!(said.code, 0, "{said:?}");
        // The operator is told at which address nothing arrives.
        let allowed: &[&str] = if arguments[0] == "status" { &["an address that rests"] } else { &[] };
        let text = format!("{}{}", said.out, said.err);
        secrets.but(allowed).are_not_in(&format!("{arguments:?}"), text.as_bytes());
    }
    for arguments in [&["check"][..], &["doctor"], &["letters", TAG]] {
        let said = party.machine.say(arguments);
        let text = format!("{}{}", said.out, said.err);
        secrets
            .but(&["an address", "an address that rests", "a token"])
            .are_not_in(&format!("{arguments:?}"), text.as_bytes());
    }
    assert_eq!(party.machine.stop(), Some(0));
    let log = party.machine.log();
    for event in ["refused the login", "the login is not accepted", "there is no such mailbox", "stopped", "DEBUG"] {
        assert!(log.contains(event), "«{event}» was not provoked:\n{log}");
    }
    secrets.are_not_in("the log", log.as_bytes());
    names_no_role("the log", log.as_bytes());
    assert!(!log.contains('@'), "the log tells an address:\n{log}");
    mailboxes(&party, &secrets, &addresses);
}

/// The hosts' word, and a thirteenth player whose mail is refused.
fn prepare(party: &Party<'_>) {
    let path = |name: &str| party.machine.folder.join(name);
    let config = std::fs::read_to_string(path("config.toml")).unwrap();
    let config =
        config.replace("[host]\n", "[security]\nreplies_per_hour = 1000\n[host]\nword_file = \"host.secret\"\n");
    std::fs::write(path("config.toml"), config).unwrap();
    std::fs::write(path("host.secret"), HOST_WORD).unwrap();
    let roster = std::fs::read_to_string(path("roster.csv")).unwrap();
    std::fs::write(path("roster.csv"), format!("{roster}{GONE}@{DOMAIN},Ольга,citizen\n")).unwrap();
}

/// Both servers refuse the login; the daemon says so, and goes on with the right password.
fn a_login_is_refused(party: &mut Party<'_>) {
    party.machine.set_clock("2026-03-02T09:00:00Z");
    party.machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    party.machine.ok(&["game", "deadline", TAG, "2026-03-02 18:00"]);
    party.machine.ok(&["game", "start", TAG]);
    let secret = party.machine.folder.join("secret");
    std::fs::write(&secret, WRONG_PASSWORD).unwrap();
    party.machine.start(&[]);
    let log = || party.machine.log();
    party.machine.until("both logins are refused", || log().contains("the inbox:") && log().contains("the outbox:"));
    assert_eq!(party.machine.stop(), Some(0));
    std::fs::write(&secret, PASSWORD).unwrap();
    party.machine.start(&[]);
    let come = |party: &Party<'_>| party.count("role", 1) >= TWELVE.len();
    let mut looks = 0;
    party.machine.until("the letters, by the steps of the schedule", || {
        looks += 1;
        if looks % 100 == 0 {
            party.machine.wait_seconds(330);
        }
        come(party)
    });
}

fn play(party: &mut Party<'_>) {
    let at = "2026-03-02T10:00:00Z";
    for (player, text) in [
        (1, format!("Клану: {CLAN}\nКонец\nУбийство - Анна")),
        (6, "Убийство - Анна\nРоль".to_owned()),
        (3, format!("Проверка - Борис\nПистолет - Жанна\nЗаписка - Дарья: {NOTE}\nКонец")),
        (5, format!("ЛС - Вера: {PM}\nКонец\nПомощь")),
        (11, format!("Записка - Ирина: {UNDELIVERED}\nКонец\nСлово - барсук-77")),
        (7, "Убийство - Вира\nКак погода".to_owned()),
    ] {
        party.append(at, player, &text);
    }
    let word = format!(
        "From: <{}>\r\nTo: <{}>\r\nSubject: [{TAG}]\r\nMessage-ID: <host-1@{DOMAIN}>\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\nСлово - {HOST_WORD}\r\nПредупреждение - Егор: {STRAY}\r\n",
        party.address(Who::Host),
        party.address(Who::Game)
    );
    party.client().append(at.parse().unwrap(), word.as_bytes());
    party.client().append(at.parse().unwrap(), b"\xff\xfe\x00\x01 no letter\r\n");
    party.until_come("receipt", 1, 6);
    party.machine.set_clock("2026-03-02T15:00:02Z");
    party.until_come("summary", 1, TWELVE.len() + 1);
    party.machine.ok(&["game", "deadline", TAG, "2026-03-03 18:00"]);
    for player in 0..TWELVE.len() {
        party.append("2026-03-03T09:00:00Z", player, "Суд Линча - Глеб");
    }
    party.until_come("receipt", 2, TWELVE.len());
    party.machine.set_clock("2026-03-03T15:00:02Z");
    party.machine.until("the summary, or the host's look", || {
        let waits = party.machine.json(&["game", "show", TAG, "--json"])["phase"] == "review";
        waits || party.count("summary", 2) > TWELVE.len()
    });
    party.until_come("note", 2, 1);
    party.machine.until("nothing that can leave waits", || {
        let listed = party.machine.json(&["letters", TAG, "--json"]);
        listed.as_array().unwrap().iter().all(|letter| letter["state"] != "queued")
    });
    party.outbox.until_delivered();
}

fn mailboxes(party: &Party<'_>, secrets: &Secrets, addresses: &[String]) {
    let anywhere = secrets.but(&["an address", "a token", "a proof word", "a player's text"]);
    let mut ids = BTreeMap::new();
    for who in Party::everybody() {
        for got in party.got(who) {
            ids.insert(got.message_id.split('@').next().unwrap().to_owned(), who);
        }
    }
    let mut talk = 0;
    for who in Party::everybody() {
        for (raw, got) in party.outbox.letters(&party.user(who)).iter().zip(party.unsorted(who)) {
            let text = format!("{}\n{}\n{}", String::from_utf8_lossy(raw), got.subject, got.body).to_lowercase();
            let about = format!("{} to {who:?}", got.kind);
            anywhere.are_not_in(&about, text.as_bytes());
            for (id, whose) in &ids {
                assert!(*whose == who || !text.contains(id), "{about} holds a token of {whose:?}");
            }
            for other in addresses.iter().filter(|other| **other != party.address(who)) {
                assert!(!text.contains(other), "{about} tells the address {other}: {text}");
            }
            let reader = |player, kind: &str| who == Who::Player(player) && got.kind == kind;
            for (mark, may_read) in [
                (NOTE, reader(4, "note")),
                (PM, reader(2, "pm")),
                (CLAN, reader(6, "clan") || reader(10, "clan")),
                (UNDELIVERED, false),
            ] {
                assert!(may_read || !text.contains(mark), "{about} tells {mark}");
                talk += usize::from(text.contains(mark));
            }
        }
    }
    assert!(talk >= 4, "the note and the talk never came: {talk}");
}
