//! A game with a poisoned journal beside it, damaged letters, an outbox that takes nothing for one, templates that fail.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::accounts::{self, PASSWORD};
use crate::house::binary::Machine;
use crate::house::{address, config_text, raw_letter};
use crate::scan::{CLAN, HOST_WORD, NOTE, PM, STRAY, Secrets, UNDELIVERED, names_no_role};

const TAG: &str = "palermo";
const POISONED: &str = "corleone";
const HOST: &str = "host@example.org";
const MODERATOR: &str = "moderator@example.org";
const STRANGER: &str = "stranger@else.test";
/// A value of an event that no fold can read.
const UNREADABLE: &str = "сокровенное-в-журнале";

const TOWN: [(&str, &str); 9] = [
    ("Анна", "citizen"),
    ("Борис", "mafioso"),
    ("Вера", "doctor"),
    ("Глеб", "commissioner"),
    ("Дарья", "sergeant"),
    ("Егор", "citizen"),
    ("Жанна", "boss"),
    ("Ирина", "foundling"),
    ("Клим", "maniac"),
];

struct Town {
    machine: Machine,
    written: u32,
}

impl Town {
    fn new() -> Town {
        let mut machine = Machine::new();
        machine.log_level = "debug,omerta=trace";
        let config = config_text("[security]\nreplies_per_hour = 1000\n")
            .replace("[host]\n", "templates = \"own\"\n[host]\nword_file = \"host.secret\"\n");
        let write = |name: &str, text: &str| {
            let path = machine.folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("config.toml", &config);
        write("host.secret", HOST_WORD);
        // They read well until they meet real words.
        let fails = |text: &str| format!("{{% if \"сокровенное\" in {text} %}}{{% include {text} %}}{{% endif %}}");
        write("own/ru/note.txt", &format!("Subject: x\n\nx\n{}", fails("letter.text")));
        write("own/ru/pm.txt", &format!("Subject: x\n\nx\n{}", fails("letter.text")));
        let town = Town { machine, written: 0 };
        // Nothing can be delivered to the moderator: a file stands where his folder should.
        std::fs::create_dir_all(town.machine.folder.join("mail/out")).unwrap();
        std::fs::write(town.machine.folder.join("mail/out").join(MODERATOR), "").unwrap();
        for tag in [TAG, POISONED] {
            let roster: String = std::iter::once("address,nick,role\n".to_owned())
                .chain((0..).zip(TOWN).map(|(n, (nick, role))| format!("{},{nick},{role}\n", address(tag, n))))
                .collect();
            let file = format!("{tag}.csv");
            std::fs::write(town.machine.folder.join(&file), roster).unwrap();
            town.machine.ok(&["game", "new", tag, "--roster", &file]);
            town.machine.ok(&["game", "deadline", tag, "+1h"]);
            if tag == TAG {
                accounts::give(&town.machine, tag, &TOWN.map(|(nick, _)| nick));
            }
            town.machine.ok(&["game", "start", tag]);
        }
        // The roles lie in the outbox.
        accounts::are_in_no_file("before the start", &files(&town.machine.folder, &[]));
        town
    }

    fn put(&mut self, raw: &[u8]) {
        self.written += 1;
        self.machine.drop_in(&self.machine.now().to_string(), self.written, raw);
    }

    fn write(&mut self, tag: &str, from: &str, text: &str) {
        let id = format!("letter-{}@players.test", self.written);
        self.put(&raw_letter(from, tag, &id, text));
    }

    fn play(&mut self, player: u16, text: &str) {
        self.write(TAG, &address(TAG, player), text);
    }

    fn until_read(&self) {
        self.machine.until("the letters are read", || self.machine.unread() == 0);
    }

    /// Passes the deadline and waits for the summary of that turn.
    fn close(&self, turn: u16) {
        self.until_read();
        self.machine.wait_seconds(3_600 + 180);
        let came = |got: &crate::house::Got| got.kind == "summary" && got.turn == turn;
        // While the moderator's folder takes nothing the others' letters wait a little, too.
        self.machine.until("the summary", || {
            self.machine.wait_seconds(1);
            self.machine.got(&address(TAG, 5)).iter().any(came)
        });
        self.machine.ok(&["game", "deadline", TAG, "+1h"]);
    }
}

fn played() -> Town {
    let mut town = Town::new();
    town.machine.start(&[]);
    town.play(1, &format!("Клану: {CLAN}\nКонец\nУбийство - Анна"));
    town.play(6, "Убийство - Анна\nРоль");
    town.play(3, &format!("Проверка - Борис\nПистолет - Жанна\nЗаписка - Дарья: {NOTE}\nКонец"));
    town.play(5, &format!("ЛС - Вера: {PM}\nКонец\nАдрес - p05-new@palermo.test"));
    town.play(5, &format!("Записка - Ирина: {UNDELIVERED}\nКонец"));
    town.play(7, &format!("Клану: {CLAN}\nКонец\nУбийство - Вира\nКак погода"));
    town.write(TAG, STRANGER, &format!("Роль\nЛС - Анна: {STRAY}\nКонец\nСлово - барсук-77"));
    town.write(TAG, HOST, &format!("Слово - {HOST_WORD}\nПродлить - +2h\nПредупреждение - Егор: {STRAY}"));
    town.write(TAG, HOST, "Исключить - Вера: так решено");
    for raw in [&b"\xff\xfe\x00\x01 no letter"[..], b"From: <p00@palermo.test>\r\n\r\n\xd0", b""] {
        town.put(raw);
    }
    town.until_read();
    accounts::change(&town.machine, TAG, TOWN[usize::from(accounts::CHANGED.0)].0);
    town.play(5, "Роль");
    town.until_read();
    accounts::are_in_no_file("while it runs", &files(&town.machine.folder, &[]));
    poison(&town.machine);
    town.write(POISONED, &address(POISONED, 0), &format!("ЛС - Вера: {STRAY}\nКонец"));
    town.until_read();
    town.machine.ok(&["game", "deadline", TAG, "+1h"]);
    town.close(1);
    for player in 0..9 {
        town.play(player, &format!("Суд Линча - {}", if player == 3 { "Клим" } else { "Глеб" }));
    }
    town.close(2);
    town
}

/// An event that does not read joins the journal of the other game.
fn poison(machine: &Machine) {
    let store = machine.store();
    let body = format!("{{\"event\":\"deprived\",\"players\":\"{UNREADABLE}\"}}");
    store
        .write(|tx| {
            let game = tx.game(POISONED)?.unwrap();
            tx.append(game.id, machine.now(), "deprived", &body)
        })
        .unwrap();
}

fn all_addresses() -> Vec<String> {
    let mut addresses: Vec<String> = [TAG, POISONED].iter().flat_map(|tag| (0..9).map(|n| address(tag, n))).collect();
    addresses.extend([HOST, MODERATOR, STRANGER, "p05-new@palermo.test"].map(str::to_owned));
    addresses
}

#[test]
fn nothing_is_let_out_by_logs_files_commands_and_mailboxes() {
    let mut town = played();
    let addresses = all_addresses();
    let passwords = accounts::passwords(9);
    let mut more: Vec<(&str, &str)> = passwords.iter().map(|password| (PASSWORD, password.as_str())).collect();
    more.push(("the journal", UNREADABLE));
    let secrets = Secrets::of(&town.machine, TAG, 9, &addresses, &more);
    let poisoned = Secrets::of(&town.machine, POISONED, 9, &[], &[]);
    commands(&town.machine, &secrets);
    accounts::faults(&town.machine, TAG, &secrets);
    town.machine.ok(&["backup", "omerta.db.saved"]);
    assert_eq!(town.machine.stop(), Some(0));
    let log = town.machine.log();
    for event in [
        "could not be delivered",
        "a template of your own failed",
        "was quarantined",
        "does not read: event",
        "stopped",
    ] {
        assert!(log.contains(event), "«{event}» was not provoked:\n{log}");
    }
    secrets.are_not_in("the log", log.as_bytes());
    poisoned.are_not_in("the log", log.as_bytes());
    names_no_role("the log", log.as_bytes());
    for (nick, _) in TOWN {
        assert!(!log.contains(nick), "the log names {nick}:\n{log}");
    }
    assert!(!log.contains('@'), "the log tells an address:\n{log}");
    // The folders of the outbox are named by addresses; below them nothing is.
    for (name, _) in files(&town.machine.folder, &["own", "palermo.csv", "corleone.csv"]) {
        let below = name
            .strip_prefix("mail/out/")
            .map_or(name.as_str(), |rest| rest.split_once('/').map_or("", |(_, below)| below));
        secrets.but(&["a token"]).are_not_in("a file's name", below.as_bytes());
    }
    accounts::are_in_no_file("at the end", &files(&town.machine.folder, &[]));
    letters(&town.machine, &secrets);
    closed_to_others(&town.machine);
    chronicle(&town.machine, &[&secrets, &poisoned]);
}

/// The page of the game that is over: roles, but no text, address, word or token.
fn chronicle(machine: &Machine, secrets: &[&Secrets]) {
    let early = machine.say(&["chronicle", TAG, "-o", "page"]);
    assert_eq!(early.code, 69, "{early:?}");
    names_no_role("the chronicle that is refused", format!("{early:?}").as_bytes());
    assert!(!machine.folder.join("page").exists());
    machine.ok(&["game", "finish", TAG, "town"]);
    let said = machine.ok(&["chronicle", TAG, "-o", "page"]);
    let page = std::fs::read(machine.folder.join("page/index.html")).unwrap();
    for secrets in secrets {
        secrets.are_not_in("what the chronicle's command says", said.as_bytes());
        secrets.are_not_in("the chronicle", &page);
    }
    let text = String::from_utf8(page).unwrap();
    assert!(TOWN.iter().all(|(nick, _)| text.contains(nick)), "{text}");
    let (_, body) = text.split_once("</style>").unwrap();
    assert!(!body.contains('@'), "an address in {text}");
}

/// Every mailbox but the owner's; and no letter holds the token of another's.
fn letters(machine: &Machine, secrets: &Secrets) {
    let texts = secrets.but(&[PASSWORD, "an address", "a token", "a proof word", "a player's text"]);
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let addresses: Vec<String> = machine.addresses().into_iter().filter(|address| address != MODERATOR).collect();
    let all: Vec<(String, crate::house::Got)> = addresses
        .iter()
        .flat_map(|owner| machine.got(owner).into_iter().map(move |got| (owner.clone(), got)))
        .collect();
    for (owner, got) in &all {
        let id = got.message_id.split('@').next().unwrap().to_owned();
        assert_eq!(ids.insert(id, owner.clone()), None, "a Message-ID twice");
    }
    let (mut notes, mut talk, mut told) = (0, 0, 0);
    for (owner, got) in &all {
        let text = format!("{}\n{}\n{}", got.subject, got.body, String::from_utf8_lossy(&got.raw)).to_lowercase();
        let about = format!("{} to {owner}", got.kind);
        texts.are_not_in(&about, text.as_bytes());
        for (id, whose) in &ids {
            assert!(whose == owner || !text.contains(id), "{about} holds a token of {whose}");
        }
        for other in all_addresses().iter().filter(|other| *other != owner) {
            // The question about a new address names it to its owner.
            let own_new = owner == &address(TAG, 5) && other == "p05-new@palermo.test";
            assert!(own_new || !text.contains(other), "{about} tells the address {other}");
        }
        let may_read = |mark: &str| match mark {
            NOTE => owner == &address(TAG, 4) && got.kind == "note",
            PM => owner == &address(TAG, 2) && got.kind == "pm",
            CLAN => owner == &address(TAG, 6) && got.kind == "clan",
            _ => false,
        };
        for mark in [NOTE, UNDELIVERED, PM, CLAN] {
            assert!(!text.contains(mark) || may_read(mark), "{about} tells {mark}");
        }
        told += accounts::told_to_their_own(TAG, owner, got, &text, 9);
        notes += usize::from(text.contains(NOTE));
        talk += usize::from(text.contains(PM)) + usize::from(text.contains(CLAN));
    }
    assert!(notes == 1 && talk >= 2, "the note and the talk never came: {notes}, {talk}");
    assert!(told > 9, "every player's password, and the new one: {told}");
}

/// Every command that prints facts, and every failure that is easily had.
fn commands(machine: &Machine, secrets: &Secrets) {
    let to_nobody = |arguments: &[&str], secrets: &Secrets| {
        let said = machine.say(arguments);
        let place = format!("{arguments:?}");
        secrets.are_not_in(&place, said.out.as_bytes());
        secrets.are_not_in(&place, said.err.as_bytes());
        said
    };
    for arguments in [&["status"][..], &["status", "--json"], &["quarantine"], &["quarantine", "--json"]] {
        let said = to_nobody(arguments, secrets);
        names_no_role(&format!("{arguments:?}"), said.out.as_bytes());
    }
    let quarantined = machine.json(&["quarantine", "--json"]);
    let id = quarantined[0]["id"].to_string();
    assert_eq!(to_nobody(&["quarantine", "retry", &id], secrets).code, 65);
    // The host's own config and his own eyes: addresses of officers in one, the letter in the other.
    to_nobody(&["check"], &secrets.but(&["an address"]));
    to_nobody(&["doctor"], &secrets.but(&["an address"]));
    let listed = to_nobody(&["letters", TAG], &secrets.but(&["an address", "a token"]));
    names_no_role("letters", listed.out.as_bytes());
    to_nobody(&["export", TAG], secrets);
    to_nobody(&["export", POISONED], &secrets.but(&["the journal"]));
    for arguments in [
        &["game", "show", POISONED][..],
        &["game", "warn", TAG, "Ктото", STRAY],
        &["game", "expel", TAG, "Ктото", STRAY],
        &["game", "show", "nowhere"],
        &["letters", TAG, "show", "100000"],
        &["letters", TAG, "release", "nobody@else.test"],
        &["quarantine", "show", "100000"],
        &["verify", "config.toml"],
        &["game", "new", "third", "--roster", "config.toml"],
    ] {
        let said = to_nobody(arguments, secrets);
        assert_ne!(said.code, 0, "{arguments:?} did not fail: {said:?}");
        names_no_role(&format!("{arguments:?}"), said.err.as_bytes());
    }
}

/// Database and mail are nobody else's to read.
fn closed_to_others(machine: &Machine) {
    use std::os::unix::fs::PermissionsExt;
    for name in ["omerta.db", "mail/out/host@example.org"] {
        let mode = std::fs::metadata(machine.folder.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o007, 0, "{name} is open to all: {mode:o}");
    }
}

/// Answers to all roles are built alike: the same headers in the same order, the same lines, in the order of arrival.
#[test]
fn answers_of_all_roles_have_one_shape_and_leave_in_the_order_of_arrival() {
    let mut town = Town::new();
    town.machine.start(&[]);
    let letters = ["Убийство - Анна", "Охота - Анна", "Отмена", "Роль", "Статус", "Лечение - Вира"];
    for (wanted, text) in (1..).zip(letters) {
        // Not in the order of the seats.
        let order: Vec<u16> = (0..9).map(|n| n * 4 % 9).collect();
        // Whoever lists a folder that grows may see a letter and not yet the one before it.
        let first = town.written + 1;
        town.written += 9;
        town.machine.while_it_stands(|| {
            for (number, player) in (first..).zip(&order) {
                let raw = raw_letter(&address(TAG, *player), TAG, &format!("letter-{number}@players.test"), text);
                town.machine.drop_in(&town.machine.now().to_string(), number, &raw);
            }
        });
        let answers = |player: u16| {
            let all = town.machine.got(&address(TAG, player));
            all.into_iter()
                .filter(|got| matches!(got.kind.as_str(), "receipt" | "answer" | "role"))
                .filter(|got| got.in_reply_to.is_some())
                .collect::<Vec<_>>()
        };
        town.machine.until("every answer", || (0..9).all(|player| answers(player).len() == wanted));
        let mut shapes: BTreeMap<Vec<String>, Vec<u16>> = BTreeMap::new();
        for player in 0..9 {
            shapes.entry(shape(&answers(player)[wanted - 1].raw)).or_default().push(player);
        }
        assert_eq!(shapes.len(), 1, "«{text}»: {shapes:#?}");
        // The outbox took them in the order of arrival, and the queue keeps it.
        let listed = town.machine.json(&["letters", TAG, "--json"]);
        let to: Vec<&str> = listed.as_array().unwrap().iter().map(|letter| letter["to"].as_str().unwrap()).collect();
        let last: Vec<&str> = to.iter().rev().take(9).rev().copied().collect();
        let arrived: Vec<String> = order.iter().map(|player| address(TAG, *player)).collect();
        assert_eq!(last, arrived, "«{text}»");
    }
    assert_eq!(town.machine.stop(), Some(0));
}

/// The names of the headers in their order, and the forms of the values that tell nobody apart.
fn shape(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw);
    let head = text.split("\r\n\r\n").next().unwrap();
    let fields = head.lines().filter(|line| !line.starts_with([' ', '\t']));
    fields
        .map(|field| {
            let (name, value) = field.split_once(':').unwrap();
            match name {
                "To" | "Message-ID" | "In-Reply-To" | "References" | "Reply-To" | "Subject" => name.to_owned(),
                _ => format!("{name}:{value}"),
            }
        })
        .collect()
}

/// Every file below a folder, by its path from there, without what `passed_over` names.
fn files(folder: &Path, passed_over: &[&str]) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if passed_over.iter().any(|over| name.starts_with(over)) {
                continue;
            }
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.insert(name, path);
        }
    }
    found
}
