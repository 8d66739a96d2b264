//! The command line as scripts and hosts use it: shapes of JSON, exit codes, faults on stderr with their cures, beside a
//! running daemon and without one.
#![cfg(test)]

mod house;

use std::process::Command;

use house::binary::{Machine, Said};
use house::raw_letter;
use serde_json::Value;

const TAG: &str = "palermo";
const ROSTER: &str = "address,nick,role,gender
p00@palermo.test,Анна,citizen,f
p01@palermo.test,Борис,mafioso,m
p02@palermo.test,Вера,citizen,f
p03@palermo.test,Глеб,commissioner,m
p04@palermo.test,Дарья,doctor,f
p05@palermo.test,Егор,citizen,m
p06@palermo.test,Жанна,citizen,f
";

/// A game, made and not yet started.
fn machine() -> Machine {
    let machine = Machine::new();
    std::fs::write(machine.folder.join("roster.csv"), ROSTER).unwrap();
    machine.ok(&["game", "new", TAG, "--title", "Палермо", "--roster", "roster.csv"]);
    machine
}

fn with_daemon() -> Machine {
    let mut machine = machine();
    machine.start(&[]);
    machine.ok(&["game", "start", TAG]);
    machine.until("the opening goes out", || machine.got("p00@palermo.test").len() == 2);
    machine
}

/// The keys of an object, each with the type of its value: `deadline: string`.
fn shape(value: &Value) -> Vec<String> {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    object.iter().map(|(name, value)| format!("{name}: {}", kind(value))).collect()
}

fn fails(said: &Said, code: i32, parts: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (code, ""), "{}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "no {part:?} in {:?}", said.err);
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
}

// --------------------------------------------------------------------------------------------------------------- JSON

#[test]
fn json_has_the_keys_and_types_that_scripts_rely_on() {
    let mut machine = machine();
    let show = |machine: &Machine| machine.json(&["game", "show", TAG, "--json"]);
    let signup = show(&machine);
    assert_eq!(
        (&signup["state"], &signup["phase"], &signup["deadline"]),
        (&"signup".into(), &Value::Null, &Value::Null)
    );
    assert_eq!(signup["players"][0]["role"], Value::Null);
    machine.ok(&["game", "start", TAG]);
    let playing = show(&machine);
    assert_eq!(
        shape(&playing),
        [
            "deadline: string",
            "phase: string",
            "players: array",
            "state: string",
            "tag: string",
            "title: string",
            "turn: number",
            "winner: string"
        ]
    );
    assert_eq!(playing["deadline"], "2026-12-01T18:00:00Z");
    assert_eq!(
        shape(&playing["players"][0]),
        [
            "address: string",
            "missed: number",
            "nick: string",
            "role: string",
            "state: string",
            "voted: bool",
            "warned: number"
        ]
    );
    let player = &playing["players"][3];
    assert_eq!(player["address"], "p03@palermo.test");
    assert_eq!((&player["role"], &player["state"]), (&"commissioner".into(), &"alive".into()));
    assert_eq!((&playing["state"], &playing["phase"]), (&"playing".into(), &"open".into()));
    assert_eq!((&playing["turn"], &playing["winner"]), (&1.into(), &"none".into()));
    let list = machine.json(&["game", "list", "--json"]);
    assert_eq!(shape(&list[0]), ["state: string", "tag: string", "title: string"]);

    let status = machine.json(&["status", "--json"]);
    assert_eq!(shape(&status), ["daemon: string", "games: array", "inbox: object", "outbox: object"]);
    assert_eq!(shape(&status["inbox"]), ["last_read: null", "processed: number", "quarantined: number"]);
    assert_eq!(shape(&status["outbox"]), ["failed: number", "queued: number", "sent: number"]);
    assert_eq!(status["daemon"], "stopped");
    // Opening to seven players, host and moderator; seven roles.
    assert_eq!(status["outbox"]["queued"], 16);
    assert_eq!(status["games"][0]["tag"], TAG);

    let letters = machine.json(&["letters", TAG, "--json"]);
    assert_eq!(letters.as_array().unwrap().len(), 16);
    assert_eq!(
        shape(&letters[0]),
        [
            "id: number",
            "kind: string",
            "message_id: string",
            "state: string",
            "subject: string",
            "to: string",
            "turn: number"
        ]
    );
    assert!(letters.as_array().unwrap().iter().all(|letter| letter["state"] == "queued"));

    machine.start(&[]);
    let sent = || machine.json(&["status", "--json"])["outbox"]["sent"] == 16;
    machine.until("all letters are sent", sent);
    let status = machine.json(&["status", "--json"]);
    assert_eq!((&status["daemon"], &status["outbox"]["queued"]), (&"running".into(), &0.into()));
    assert_eq!(shape(&status["inbox"])[0], "last_read: string");
    machine.ok(&["game", "pause", TAG]);
    let paused = show(&machine);
    assert_eq!((&paused["state"], &paused["deadline"]), (&"paused".into(), &Value::Null));
    machine.ok(&["game", "cancel", TAG]);
    let cancelled = show(&machine);
    assert_eq!((&cancelled["state"], &cancelled["phase"]), (&"cancelled".into(), &Value::Null));
}

// ------------------------------------------------------------------------------------------------------------- faults

#[test]
fn faults_have_their_exit_codes_and_cures() {
    let machine = machine();
    let say = |words: &[&str]| machine.say(words);
    fails(&say(&["game", "fly", TAG]), 64, &["fly"]);
    fails(&say(&["nonsense"]), 64, &["nonsense"]);
    fails(&say(&["game", "warn", TAG, "Анна"]), 64, &["<TEXT>"]);
    fails(&say(&["game", "new", "palermo2", "--roster", "roster.csv", "--rule", "x"]), 64, &["name=value"]);
    fails(&say(&["game", "new", "palermo2", "--roster", "roster.csv", "--rule", "x=1"]), 64, &["x"]);
    fails(&say(&["game", "new", "palermo2", "--roster", "nowhere.csv"]), 65, &["nowhere.csv"]);
    fails(&say(&["game", "new", TAG, "--roster", "roster.csv"]), 65, &["palermo is taken", "omerta game list"]);
    fails(&say(&["game", "new", "Палермо", "--roster", "roster.csv"]), 65, &["a-z, 0-9 and -"]);
    for words in [&["game", "show", "x"][..], &["letters", "x"], &["export", "x"], &["game", "start", "x"]] {
        fails(&say(words), 65, &["omerta: there is no game x. `omerta game list` shows all.\n"]);
    }
    fails(&say(&["game", "publish", TAG]), 65, &["no closed turn", "`omerta game show`"]);
    fails(&say(&["game", "resolve", TAG]), 65, &["has not begun", "`omerta game start`"]);
    fails(&say(&["game", "deadline", TAG, "soon"]), 65, &["\"soon\" is not a time. Write 2026-12-05 21:00"]);
    fails(&say(&["game", "deadline", TAG, "2020-01-01", "12:00"]), 65, &["past", "resolve"]);
    fails(&say(&["game", "extend", TAG, "+1h"]), 65, &["no deadline is set", "omerta game deadline"]);
    // Whatever the command, a file that is not there is bad data, and a config that is not there a config's fault.
    for words in [
        &["parse", "nofile"][..],
        &["case", "nofile"],
        &["verify", "nofile"],
        &["simulate", "--roster", "nofile"],
        &["game", "accounts", TAG, "nofile"],
        &["game", "open", TAG, "--text", "nofile"],
    ] {
        let said = say(words);
        fails(&said, 65, &["nofile: "]);
        assert!(said.err.starts_with("omerta: "), "{words:?}: {}", said.err);
    }
    let without_config = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.args(words).args(["--config", "nofile"]).current_dir(&machine.folder);
        Said::of(&command.output().unwrap())
    };
    for words in [&["status"][..], &["run"], &["game", "list"]] {
        fails(&without_config(words), 78, &["omerta: ", "nofile: cannot be read"]);
    }
    let doctor = without_config(&["doctor"]);
    assert!(doctor.code == 78 && doctor.out.contains("nofile: cannot be read"), "{doctor:?}");
    fails(&say(&["letters", TAG, "resend", "99"]), 65, &["no letter of that number", "omerta letters"]);
    fails(&say(&["letters", TAG, "resend"]), 64, &["which letter?"]);
    fails(&say(&["letters", TAG, "burn", "1"]), 64, &["burn", "resend, release, show, preview"]);
    fails(&say(&["verify", "roster.csv"]), 65, &["roster.csv: line 1: no header"]);
    std::fs::write(machine.folder.join("bad.csv"), "address,nick,role\nx,Анна,king\ny@y.test,,citizen\n").unwrap();
    fails(
        &say(&["game", "new", "palermo2", "--roster", "bad.csv"]),
        65,
        &["line 2: address", "line 2: role", "line 3: nick"],
    );
    machine.ok(&["game", "start", TAG]);
    fails(&say(&["game", "start", TAG]), 65, &["has started already"]);
    fails(&say(&["game", "expel", TAG, "Никто", "за дело"]), 65, &["nobody is called Никто", "Анна, Борис"]);
    let help = machine.say(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    assert!(!help.out.contains("fail-at") && !help.out.contains("clock-file"), "{}", help.out);
}

#[test]
fn a_deadline_is_counted_from_now_and_an_extension_from_the_deadline() {
    let machine = machine();
    machine.ok(&["game", "start", TAG]);
    let deadline = || machine.json(&["game", "show", TAG, "--json"])["deadline"].clone();
    // The config may be named before or after the words; Machine names it after them.
    machine.ok(&["game", "deadline", TAG, "+90s"]);
    assert_eq!(deadline(), "2026-11-30T09:01:30Z");
    machine.ok(&["game", "extend", TAG, "+2h"]);
    assert_eq!(deadline(), "2026-11-30T11:01:30Z");
    machine.ok(&["game", "extend", TAG, "1d"]);
    assert_eq!(deadline(), "2026-12-01T11:01:30Z");
    machine.ok(&["game", "deadline", TAG, "2026-12-05 21:00"]);
    assert_eq!(deadline(), "2026-12-05T18:00:00Z");
    machine.ok(&["game", "deadline", TAG, "2026-12-05", "22:00:30"]);
    assert_eq!(deadline(), "2026-12-05T19:00:30Z");
    machine.ok(&["game", "deadline", TAG, "2026-12-06T00:00:00+03:00"]);
    assert_eq!(deadline(), "2026-12-05T21:00:00Z");
}

#[test]
fn every_fault_of_a_config_is_told_at_once_wherever_it_was_named() {
    let folder = tempfile::tempdir().unwrap();
    let bad = "languag = \"ru\"\ntimezone = \"Mars\"\n[inbox]\nkind = \"pigeon\"\n";
    std::fs::write(folder.path().join("config.toml"), bad).unwrap();
    std::fs::write(folder.path().join("other.toml"), bad).unwrap();
    let omerta = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.args(["game", "list"]).env_remove("OMERTA_CONFIG").current_dir(folder.path());
        command
    };
    let faults = |said: &Said, file: &str| {
        fails(
            said,
            78,
            &[&format!("{file}:1: "), &format!("{file}:2: timezone: "), &format!("{file}:4: inbox.kind: ")],
        );
        assert!(
            said.err.lines().count() >= 3 && said.err.lines().all(|line| line.starts_with("omerta: ")),
            "{}",
            said.err
        );
    };
    faults(&Said::of(&omerta().output().unwrap()), "config.toml");
    let other = folder.path().join("other.toml");
    let named = other.to_str().unwrap();
    faults(&Said::of(&omerta().args(["--config", named]).output().unwrap()), named);
    faults(&Said::of(&omerta().env("OMERTA_CONFIG", named).output().unwrap()), named);
    fails(
        &Said::of(&omerta().args(["--config", "no.toml"]).output().unwrap()),
        78,
        &["no.toml", "shipped config.toml"],
    );
    // A config that is named wins over the variable, and the variable over the folder.
    let good = folder.path().join("good.toml");
    std::fs::write(&good, house::config_text("")).unwrap();
    for command in
        [omerta().args(["--config", "good.toml"]).env("OMERTA_CONFIG", named), omerta().env("OMERTA_CONFIG", &good)]
    {
        let said = Said::of(&command.output().unwrap());
        assert!(said.code == 0 && said.err.starts_with("omerta: there is no database yet"), "{said:?}");
    }
}

// ---------------------------------------------------------------------------------------------- beside a running daemon

#[test]
fn a_running_daemon_acts_on_commands_at_once() {
    let mut machine = with_daemon();
    let sent = |kind: &str| machine.got("p00@palermo.test").iter().filter(|got| got.kind == kind).count();
    machine.ok(&["game", "deadline", TAG, "+3h"]);
    machine.until("the deadline is told", || sent("notice") == 1);
    // A letter that was lost on its way goes out again as it was.
    let letters = machine.json(&["letters", TAG, "--json"]);
    let role = letters
        .as_array()
        .unwrap()
        .iter()
        .find(|letter| letter["kind"] == "role" && letter["to"] == "p00@palermo.test");
    let (id, message_id) = (role.unwrap()["id"].to_string(), role.unwrap()["message_id"].as_str().unwrap().to_owned());
    let is_role = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("X-Omerta-Letter: role");
    let files = machine.files("p00@palermo.test");
    let file = files.iter().find(|file| is_role(&std::fs::read(file).unwrap())).unwrap();
    let bytes = std::fs::read(file).unwrap();
    std::fs::remove_file(file).unwrap();
    let said = machine.ok(&["letters", TAG, "resend", &id]);
    assert_eq!(said, format!("letter {id} goes out again with the same words\n"));
    machine.until("the letter is there again", || std::fs::read(file).is_ok_and(|again| again == bytes));
    assert!(String::from_utf8_lossy(&bytes).contains(&message_id));
    assert_eq!(machine.ok(&["letters", TAG, "show", &id, "--raw"]).as_bytes(), bytes);
    // A vote, so that few enough miss it; the turn ends by the host's word.
    machine.ok(&["game", "resolve", TAG]);
    assert_eq!(machine.json(&["game", "show", TAG, "--json"])["phase"], "settling");
    machine.wait_seconds(121);
    machine.until("the summary goes out", || sent("summary") == 1);
    // Turn 2: nobody votes; the host publishes.
    machine.ok(&["game", "resolve", TAG]);
    machine.wait_seconds(121);
    machine.until("the turn waits", || machine.json(&["game", "show", TAG, "--json"])["phase"] == "review");
    let words = machine.ok(&["game", "show", TAG]);
    assert!(
        words.contains("`omerta game publish palermo`") && words.contains("`omerta game forgive palermo all`"),
        "{words}"
    );
    machine.ok(&["game", "publish", TAG]);
    machine.until("the second summary goes out", || sent("summary") == 2);
    assert_eq!(machine.stop(), Some(0), "{}", machine.log());
    assert_eq!(machine.json(&["status", "--json"])["daemon"], "stopped");
}

#[test]
fn a_second_daemon_on_the_same_database_is_refused() {
    let mut machine = with_daemon();
    let second = machine.say(&["run"]);
    fails(&second, 69, &["another daemon works on this database; stop it first"]);
    assert!(machine.lives(), "{}", machine.log());
    assert_eq!(machine.stop(), Some(0), "SIGTERM ends it in order");
    machine.start(&[]);
    machine.until("the next one takes over", || machine.json(&["status", "--json"])["daemon"] == "running");
}

#[test]
fn a_database_that_can_not_be_opened_is_unavailable() {
    let machine = Machine::new();
    std::fs::write(machine.folder.join("omerta.db"), "this is no database, but long enough to look like one").unwrap();
    for words in [&["status"][..], &["game", "list"], &["run"]] {
        fails(&machine.say(words), 69, &["omerta.db", "put a backup in its place"]);
    }
}

// --------------------------------------------------------------------------------------------------- what a host reads

#[test]
fn a_reader_who_leaves_is_no_fault() {
    let machine = machine();
    machine.ok(&["game", "start", TAG]);
    let everything: [&[&str]; 13] = [
        &["letters", TAG],
        &["letters", TAG, "--json"],
        &["letters", TAG, "show", "1"],
        &["letters", TAG, "resend", "1"],
        &["quarantine"],
        &["export", TAG],
        &["game", "show", TAG],
        &["game", "list", "--json"],
        &["game", "deadline", TAG, "+1h"],
        &["status"],
        &["check"],
        &["completions", "bash"],
        &["man"],
    ];
    for words in everything {
        let said = Said::of(&machine.command(words).stdout(nobody()).output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{words:?}");
    }
    let silent = machine.command(&["game", "show", "x"]).stderr(nobody()).stdout(nobody()).status().unwrap();
    assert_eq!(silent.code(), Some(65), "the exit code tells what stderr could not");
}

/// A pipe whose reader is gone: the first write fails, as it does sooner or later before `head -1`.
fn nobody() -> std::io::PipeWriter {
    let (_, writer) = std::io::pipe().unwrap();
    writer
}

#[test]
fn no_command_prints_past_the_one_place_that_knows_of_readers_who_left() {
    let mut paths = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli")];
    let mut read = 0;
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        read += 1;
        let code = std::fs::read_to_string(&path).unwrap();
        for way in ["println!(", "print!("] {
            assert!(!code.contains(way), "{}: {way} panics when stdout is closed; use cli::out", path.display());
        }
    }
    assert!(read > 10, "all of them were read");
}

#[test]
fn a_host_is_told_how_things_stand() {
    let mut machine = machine();
    let show = |machine: &Machine| machine.ok(&["game", "show", TAG]);
    expect_test::expect![[r#"
        palermo - Палермо: signup
        not begun: `omerta game start palermo` deals the roles and opens turn 1

        NICK   ROLE  STATE  VOTED  MISSED  WARNED  ADDRESS
        Анна   -     alive  -      0       0       p00@palermo.test
        Борис  -     alive  -      0       0       p01@palermo.test
        Вера   -     alive  -      0       0       p02@palermo.test
        Глеб   -     alive  -      0       0       p03@palermo.test
        Дарья  -     alive  -      0       0       p04@palermo.test
        Егор   -     alive  -      0       0       p05@palermo.test
        Жанна  -     alive  -      0       0       p06@palermo.test
    "#]]
    .assert_eq(&show(&machine));
    machine.ok(&["game", "start", TAG]);
    machine.start(&[]);
    machine.until("the opening goes out", || machine.json(&["status", "--json"])["outbox"]["queued"] == 0);
    machine.ok(&["game", "resolve", TAG]);
    expect_test::expect![[r#"
        palermo - Палермо: playing
        turn 1 is over since 2026-11-30 12:00:00 (Europe/Moscow); mail that is on its way is waited for until 2026-11-30 12:02:00 (Europe/Moscow)

        NICK   ROLE          STATE  VOTED  MISSED  WARNED  ADDRESS
        Анна   citizen       alive  -      0       0       p00@palermo.test
        Борис  mafioso       alive  -      0       0       p01@palermo.test
        Вера   citizen       alive  -      0       0       p02@palermo.test
        Глеб   commissioner  alive  -      0       0       p03@palermo.test
        Дарья  doctor        alive  -      0       0       p04@palermo.test
        Егор   citizen       alive  -      0       0       p05@palermo.test
        Жанна  citizen       alive  -      0       0       p06@palermo.test
    "#]]
    .assert_eq(&show(&machine));
    machine.wait_seconds(121);
    machine.until("turn 2", || machine.json(&["game", "show", TAG, "--json"])["turn"] == 2);
    let vote = raw_letter("p00@palermo.test", TAG, "vote@palermo.test", "Суд Линча - Борис");
    machine.drop_in(&machine.now().to_string(), 0, &vote);
    machine.until("the vote counts", || machine.json(&["status", "--json"])["outbox"]["sent"] == 26);
    machine.stop();
    expect_test::expect![[r#"
        palermo - Палермо: playing
        turn 2 is open; deadline 2026-12-01 21:00:00 (Europe/Moscow)
        still owe a vote: Борис, Вера, Глеб, Дарья, Егор, Жанна

        NICK   ROLE          STATE  VOTED  MISSED  WARNED  ADDRESS
        Анна   citizen       alive  yes    0       0       p00@palermo.test
        Борис  mafioso       alive  -      0       0       p01@palermo.test
        Вера   citizen       alive  -      0       0       p02@palermo.test
        Глеб   commissioner  alive  -      0       0       p03@palermo.test
        Дарья  doctor        alive  -      0       0       p04@palermo.test
        Егор   citizen       alive  -      0       0       p05@palermo.test
        Жанна  citizen       alive  -      0       0       p06@palermo.test
    "#]]
    .assert_eq(&show(&machine));
    expect_test::expect![[r#"
        daemon: stopped; `omerta run` starts it
        inbox: letters taken in: 1; last read through 2026-11-30 12:02:01 (Europe/Moscow)
        outbox: 0 waiting, 26 sent, 0 failed
        palermo: playing
          turn 2 is open; deadline 2026-12-01 21:00:00 (Europe/Moscow)
          still owe a vote: Борис, Вера, Глеб, Дарья, Егор, Жанна
    "#]]
    .assert_eq(&machine.ok(&["status"]));
    let letters = machine.ok(&["letters", TAG]);
    let few: Vec<&str> = letters.lines().take(3).collect();
    expect_test::expect![[r#"
        ID  STATE  KIND     TURN  TO                     SUBJECT
        1   sent   opening  1     p00@palermo.test       [palermo] Игра начинается
        2   sent   opening  1     p01@palermo.test       [palermo] Игра начинается"#]]
    .assert_eq(&few.join("\n"));
}

/// One game whose journal does not read hides nothing of the others, and says what to do.
#[test]
fn status_shows_the_other_games_beside_one_that_does_not_read() {
    let machine = machine();
    machine.ok(&["game", "new", "corleone", "--roster", "roster.csv"]);
    let store = machine.store();
    store
        .write(|tx| {
            let game = tx.game("corleone")?.unwrap();
            tx.append(game.id, machine.now(), "deprived", "{\"event\":\"deprived\",\"players\":\"Анна\"}")
        })
        .unwrap();
    let status = machine.json(&["status", "--json"]);
    let games = status["games"].as_array().unwrap();
    let of = |tag: &str| games.iter().find(|game| game["tag"] == tag).unwrap();
    assert_eq!((of(TAG)["turn"].as_u64(), of(TAG).get("broken")), (Some(0), None));
    assert_eq!((of("corleone")["state"].as_str(), &of("corleone")["turn"]), (Some("signup"), &Value::Null));
    let why = of("corleone")["broken"].as_str().unwrap();
    assert!(why.contains("does not read") && !why.contains("Анна"), "{why}");
    let said = machine.ok(&["status"]);
    for part in ["palermo: signup", "corleone: signup", "does not read: event", "restore the last backup"] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}
