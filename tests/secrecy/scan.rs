//! One rich game, and every byte that it wrote anywhere: letters, names of files, the log, what commands print.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command as Process;
use std::sync::Once;

use omerta::desk::command::Command;
use omerta::letters::Lang;
use omerta::rules::Role;

use super::house::{self, Got, House, address};

const TAG: &str = "palermo";
/// The moderator.
const UNREACHABLE: &str = "moderator@example.org";

/// In roster order; the nicks are no words of any letter.
const TOWN: [(&str, Role); 12] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Doctor),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Sergeant),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
    ("Ирина", Role::Foundling),
    ("Клим", Role::Kamikaze),
    ("Лев", Role::Maniac),
    ("Майя", Role::Citizen),
    ("Нина", Role::Citizen),
];

/// Stems of every role's name; none of them is part of a nick.
const ROLES: [&str; 9] =
    ["комиссар", "доктор", "сержант", "подкидыш", "мафиоз", "босс", "камикадзе", "маньяк", "мирный житель"];
/// And of what only some roles may ask for.
const DEEDS: [&str; 8] = ["убийств", "убить", "проверк", "лечени", "лечить", "поиск", "пистолет", "выстрел"];

/// Texts that players wrote: the mark, who wrote it, and who may read it.
const NOTE: &str = "сокровенное-завещание";
const UNDELIVERED: &str = "сокровенное-ненужное";
const PM: &str = "сокровенное-личное";
const CLAN: &str = "сокровенное-клановое";

struct Played {
    house: House,
    log: String,
}

thread_local! {
    /// What was logged on this thread: the daemon of a test works on the test's own.
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| log.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One subscriber for all threads: with one a thread, whoever comes first decides for all which places are heard.
fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false).with_writer(|| Log).init();
    });
    LOG.with_borrow_mut(Vec::clear);
}

/// Three turns with talk, notes, a check, a heal, a murder, a hanging, a shot, a promotion, a conversion, an expulsion, a
/// warning, a deprivation, a pause, nonsense and a stranger. Nobody has won at the end.
fn play() -> Played {
    listen();
    let mut house = House::with("[security]\nreplies_per_hour = 1000\n");
    // Nothing can be delivered to the moderator: a file stands where his folder should.
    std::fs::create_dir_all(house.folder.join("mail/out")).unwrap();
    std::fs::write(house.folder.join("mail/out").join(UNREACHABLE), "").unwrap();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    // Turn 1: talk and requests of all kinds, good and bad.
    house.write(TAG, 1, &format!("Клану: {CLAN}\nКонец\nУбийство - Анна"));
    house.write(TAG, 6, "Убийство - Анна");
    house.write(TAG, 8, "Убийство - Анна\nКамикадзе - Егор\nОтмена - Камикадзе\nУбийство - Анна");
    house.write(TAG, 2, "Лечение - Анна\nСтатус");
    house.write(TAG, 3, &format!("Проверка - Борис\nПистолет - Жанна\nЗаписка - Дарья: {NOTE}\nКонец"));
    house.write(TAG, 5, &format!("ЛС - Майя: {PM}\nКонец\nОхота - Клим"));
    house.write(TAG, 7, "Убийство - Вира\nПроверка - Борис\nКлану: пустите\nКонец\nРоль\nИгроки");
    house.write(TAG, 9, "Роль");
    house.write(TAG, 10, "Как погода");
    house.write(TAG, 0, "Статус");
    house.write(TAG, 11, &format!("Записка - Анна: {UNDELIVERED}\nКонец"));
    house.command(TAG, Command::Pause);
    house.round();
    house.command(TAG, Command::Resume);
    house.command(TAG, Command::Extend { by: "2h".to_owned() });
    let now = house.now();
    for (number, raw) in
        [&b"\xff\xfe\x00\x01 no letter"[..], b"From: <p00@palermo.test>\r\n\r\n\xd0", b""].iter().enumerate()
    {
        house.drop_in(raw, now, u32::try_from(number).unwrap());
    }
    house.drop_in(&house::raw_letter("stranger@else.test", TAG, "s@else.test", "Слово - барсук-77\nРоль"), now, 9);
    house.close(TAG);
    // Turn 2: the commissioner hangs and shoots the Boss: a promotion and a conversion.
    for (player, nick) in [(0, "Глеб"), (1, "Глеб"), (2, "Глеб"), (3, "Лев"), (4, "Лев"), (5, "Глеб"), (6, "Глеб")]
    {
        house.write(TAG, player, &format!("Суд Линча - {nick}"));
    }
    for player in 7..12 {
        house.write(TAG, player, "Суд Линча - Глеб");
    }
    house.write(TAG, 9, "Убийство - Майя");
    house.write(TAG, 3, "Проверка - Лев");
    house.command(TAG, Command::Warn { nick: "Егор".to_owned(), text: "не шумите".to_owned() });
    house.round();
    house.close(TAG);
    // Turn 3: one is without a vote, one is expelled, one forgets to vote.
    house.command(TAG, Command::Deprive { nicks: vec!["Клим".to_owned()], turns: 1 });
    house.command(TAG, Command::Expel { nick: "Нина".to_owned(), text: "так решено".to_owned() });
    for player in [0, 1, 4, 5, 7, 9] {
        house.write(TAG, player, "Суд Линча - Лев\nРоль\nСтатус\nИгроки\nПравила\nПомощь\nПочему");
    }
    house.round();
    let deadline = house.table(TAG).deadline.unwrap();
    house.round_at(deadline - jiff::SignedDuration::from_hours(2));
    house.close(TAG);
    house.round();
    Played { house, log: String::from_utf8(LOG.take()).unwrap() }
}

/// Every mailbox that there is.
fn mailboxes(house: &House) -> BTreeMap<String, Vec<Got>> {
    let folders = std::fs::read_dir(house.folder.join("mail/out")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.map(|name| (name.clone(), house.got(&name))).collect()
}

fn player_of(mailbox: &str) -> Option<u16> {
    (0..12).find(|player| address(TAG, *player) == mailbox)
}

/// Subject, text, attachments and every header, decoded where it is coded.
fn whole(got: &Got) -> String {
    let attachments: String = got.attachments.iter().map(|(name, text)| format!("{name}\n{text}\n")).collect();
    format!("{}\n{}\n{}\n{attachments}", String::from_utf8_lossy(&got.raw), got.subject, got.body)
}

fn proof_words(house: &mut House) -> Vec<String> {
    let keys = omerta::keys::Keys::new(house.daemon().desk().store.key());
    keys.proof_words(TAG, 12, &[], Lang::Ru)
}

#[test]
fn what_one_wrote_and_who_one_is_stands_only_where_it_belongs() {
    let mut played = play();
    let words = proof_words(&mut played.house);
    let boxes = mailboxes(&played.house);
    let kinds: std::collections::BTreeSet<&str> = boxes.values().flatten().map(|got| got.kind.as_str()).collect();
    for kind in [
        "opening",
        "role",
        "receipt",
        "answer",
        "help",
        "refused",
        "reminder",
        "result",
        "promotion",
        "conversion",
        "death",
        "expulsion",
        "warning",
        "deprivation",
        "note",
        "pm",
        "clan",
        "notice",
        "summary",
        "digest",
    ] {
        assert!(kinds.contains(kind), "the game has no {kind} letter, only {kinds:?}");
    }
    let tokens: Vec<(&String, String)> = boxes
        .iter()
        .flat_map(|(owner, letters)| letters.iter().map(move |got| (owner, got.message_id.clone())))
        .map(|(owner, id)| (owner, id.split('@').next().unwrap().to_owned()))
        .collect();
    for (mailbox, letters) in &boxes {
        let reader = player_of(mailbox);
        for got in letters {
            let text = whole(got);
            let says = |mark: &str| text.contains(mark);
            let about = format!("{mailbox} {} «{}»", got.kind, got.subject);
            for (owner, token) in &tokens {
                assert!(*owner == mailbox || !says(token), "{about} holds a token of {owner}");
            }
            for player in 0..12 {
                let own = reader == Some(player);
                assert!(own || !says(&address(TAG, player)), "{about} tells the address of {player}");
                assert!(own || !says(&words[usize::from(player)]), "{about} tells the proof word of {player}");
            }
            assert!(!says("stranger@else.test") || mailbox == "stranger@else.test", "{about}");
            assert!(!says(NOTE) || (reader, got.kind.as_str()) == (Some(4), "note"), "{about} tells the note");
            assert!(!says(UNDELIVERED), "{about} tells a note that was not handed over");
            assert!(!says(PM) || (reader, got.kind.as_str()) == (Some(10), "pm"), "{about} tells a private letter");
            let of_clan = matches!(reader, Some(6 | 8)) && got.kind == "clan";
            assert!(!says(CLAN) || of_clan, "{about} tells what the clan says");
        }
    }
    assert!(boxes[&address(TAG, 4)].iter().any(|got| got.body.contains(NOTE)), "the note was never handed over");
    assert!(boxes[&address(TAG, 6)].iter().any(|got| got.body.contains(CLAN)), "the clan's talk was never passed on");
    assert!(boxes[&address(TAG, 10)].iter().any(|got| got.body.contains(PM)), "the private letter was never passed on");
}

/// Whose role a reader may find beside a nick: his clan's, the commissioner's, what he checked. The dead are public.
fn may_know(reader: Option<u16>) -> &'static [u16] {
    match reader {
        Some(1 | 6 | 8) => &[1, 6, 7, 8],
        Some(7) => &[1, 7, 8],
        Some(3) => &[1, 9],
        // The sergeant has a copy of the checks.
        Some(4) => &[1, 3, 9],
        _ => &[],
    }
}

#[test]
fn no_line_joins_a_nick_with_a_role_that_its_reader_may_not_know() {
    let mut played = play();
    let table = played.house.table(TAG);
    let out: Vec<u16> = table
        .seats()
        .filter(|(_, player)| player.life != omerta::rules::game::Life::Alive)
        .map(|(who, _)| who.0)
        .collect();
    assert!(out.contains(&3) && out.contains(&6) && out.contains(&11), "{out:?}");
    let mut seen = 0;
    for (mailbox, letters) in mailboxes(&played.house) {
        let reader = player_of(&mailbox);
        if mailbox == "host@example.org" {
            continue;
        }
        for got in letters {
            let parts = std::iter::once(&got.body).chain(got.attachments.values()).flat_map(|part| part.lines());
            for line in std::iter::once(got.subject.as_str()).chain(parts) {
                let lower = line.to_lowercase();
                // His own words, said again.
                if line.starts_with("│ ") {
                    continue;
                }
                if !ROLES.iter().any(|role| lower.contains(role)) {
                    continue;
                }
                for (number, (nick, _)) in (0u16..).zip(TOWN) {
                    if !line.contains(nick) {
                        continue;
                    }
                    seen += 1;
                    let fell = out.contains(&number) && matches!(got.kind.as_str(), "summary" | "receipt" | "answer");
                    let knows = reader == Some(number) || may_know(reader).contains(&number);
                    assert!(fell || knows, "{mailbox} {} turn {}: {line}", got.kind, got.turn);
                }
            }
        }
    }
    assert!(seen > 30, "only {seen} lines join a nick with a role: the scan looks past them");
}

#[test]
fn subjects_and_first_words_name_no_role() {
    let played = play();
    for (mailbox, letters) in mailboxes(&played.house) {
        for got in letters {
            let head: String = got.body.chars().take(100).collect();
            for shown in [got.subject.to_lowercase(), head.to_lowercase()] {
                for word in ROLES.iter().chain(&DEEDS).chain(&["клан", "мафи", "охот"]) {
                    assert!(!shown.contains(word), "{mailbox} {}: «{shown}» names {word}", got.kind);
                }
            }
            assert!(got.subject.starts_with("[palermo] ") || got.kind == "refused", "{}", got.subject);
        }
    }
}

#[test]
fn logs_names_of_files_and_commands_tell_nothing() {
    let mut played = play();
    let words = proof_words(&mut played.house);
    let mut secrets: Vec<String> = [NOTE, UNDELIVERED, PM, CLAN, "@palermo.test"].map(str::to_owned).to_vec();
    secrets.extend(words);
    // The seed of the lots, in hex and as JSON lists bytes.
    secrets.extend(["0505050505".to_owned(), "5,5,5,5,5".to_owned()]);
    let tokens: Vec<String> = mailboxes(&played.house)
        .values()
        .flatten()
        .map(|got| got.message_id.split('@').next().unwrap().to_owned())
        .collect();
    let nicks = TOWN.map(|(nick, _)| nick.to_owned());
    let roles = Role::ALL.map(|role| format!("\"{}\"", role.name()));
    let keeps = |what: &str, text: &str, more: &[&[String]]| {
        let marks = secrets.iter().chain(more.iter().copied().flatten());
        for mark in marks {
            assert!(!text.contains(mark.as_str()), "{what} tells {mark}:\n{text}");
        }
    };
    assert!(played.log.contains("a letter could not be delivered"), "{}", played.log);
    assert!(!played.log.contains('@'), "the log tells an address: {}", played.log);
    keeps("the log", &played.log, &[&tokens, &nicks, &roles]);
    // A file is named by its own letter's token, and by nothing else.
    for mailbox in mailboxes(&played.house).keys().filter(|mailbox| *mailbox != UNREACHABLE) {
        for part in ["new", "cur", "tmp"] {
            for file in std::fs::read_dir(played.house.folder.join("mail/out").join(mailbox).join(part)).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                keeps("a file's name", &name, &[&nicks]);
                // Four letters of a token may spell a role by chance.
                let name = tokens.iter().fold(name, |name, token| name.replace(token.as_str(), ""));
                assert!(Role::ALL.iter().all(|role| !name.contains(role.name())), "{name}");
            }
        }
    }
    let config = played.house.folder.join("config.toml");
    let run = |arguments: &[&str]| {
        let done =
            Process::new(env!("CARGO_BIN_EXE_omerta")).arg("--config").arg(&config).args(arguments).output().unwrap();
        (done.status.success(), String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap())
    };
    let (done, status, _) = run(&["status"]);
    assert!(done && status.contains(TAG), "{status}");
    keeps("status", &status, &[&tokens, &roles]);
    for role in ROLES {
        assert!(!status.to_lowercase().contains(role), "{status}");
    }
    keeps("status --json", &run(&["status", "--json"]).1, &[&tokens, &roles]);
    let (done, export, _) = run(&["export", TAG]);
    assert!(done && export.lines().count() > 30, "{export}");
    // Notes and talk are not told, not even that there was one.
    let talk = ["\"note\"", "\"pm\"", "\"clan\"", "\"notes\":[{"].map(str::to_owned);
    keeps("export", &export, &[&tokens, &talk]);
    for arguments in [
        &["game", "expel", TAG, "Ктото", "сокровенное"][..],
        &["game", "warn", TAG, "Глеб", "сокровенное"],
        &["game", "show", "corleone"],
        &["game", "publish", TAG],
        &["game", "start", TAG],
        &["game", "deadline", TAG, "вчера"],
        &["letters", TAG, "show", "100000"],
        &["export", "corleone"],
        &["verify", "config.toml"],
        &["game", "new", TAG, "--roster", "config.toml"],
    ] {
        let (done, _, error) = run(arguments);
        assert!(!done, "{arguments:?} did not fail");
        keeps(&format!("{arguments:?}"), &error, &[&tokens, &roles, &["сокровенное".to_owned()]]);
        assert!(ROLES.iter().all(|role| !error.to_lowercase().contains(role)), "{error}");
    }
}
