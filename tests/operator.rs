//! The command line under the hands of somebody who makes every mistake: each is told in a sentence that says what is
//! wrong, where, and how to mend it, and nothing waits, breaks or is lost.
#![cfg(test)]

mod house;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use house::binary::{Machine, Said};

/// The user `nobody`: the tests are run by root.
const NOBODY: u32 = 65_534;

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

/// Found out before it is needed.
#[test]
fn a_key_file_without_a_key_is_told_by_check_and_doctor() {
    let machine = Machine::new();
    let told = "does not hold a key of 64 hex digits";
    for (key, is_one) in [("", false), ("geheim\n", false), ("0123456789abcdef", false), (&"4F".repeat(32), true)] {
        let file = machine.folder.join("omerta.key");
        std::fs::write(&file, key).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let (check, doctor) = (machine.say(&["check"]), machine.say(&["doctor"]));
        assert_eq!((check.code, doctor.code), (0, 0), "{check:?} {doctor:?}");
        assert_eq!((check.out.contains(told), doctor.out.contains(told)), (!is_one, !is_one), "{key}: {}", check.out);
        assert!(!format!("{check:?}{doctor:?}").contains("geheim"));
    }
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

const ROSTER: &str = "address,nick,role\np00@p.test,Анна,citizen\np01@p.test,Борис,mafioso\np02@p.test,Вера,citizen\n\
                      p03@p.test,Глеб,citizen\n";

/// What is said names the argument or file that is wrong, and what to write instead; nothing is made.
#[test]
fn each_wrong_argument_is_told_with_its_cure() {
    let machine = Machine::new();
    std::fs::write(machine.folder.join("roster.csv"), ROSTER).unwrap();
    for (arguments, code, parts) in [
        (&["game", "new", "Палермо"][..], 65, &["`Палермо` is no tag", "begins with a letter: `palermo`"][..]),
        (&["game", "new", "a2", "--rule", "x"], 64, &["--rule x: write name=value", "`omerta rules` lists"]),
        (&["game", "new", "a2", "--rule", "x=y"], 64, &["--rule x=y: there is no rule `x`", "`omerta rules` lists"]),
        (&["game", "new", "a2", "--rule", "hunt_manic=true"], 64, &["did you mean `hunt_maniac`?"]),
        (
            &["game", "new", "a2", "--host", "anna"],
            64,
            &["--host anna: there is no single @", "as in anna@example.org"],
        ),
        (&["game", "new", "a2", "--moderator", "a@"], 64, &["--moderator a@: ", "as in anna@example.org"]),
        (&["game", "new", "a2", "--roster", "."], 65, &[".: is a folder, and a plain file is wanted"]),
        (&["game", "show", "nowhere"], 65, &["there is no game nowhere. `omerta game list` shows all"]),
        (&["verify", "nowhere"], 65, &["nowhere: cannot be read: ", "Look at its name"]),
        (&["verify", "."], 65, &[".: is a folder, and a plain file is wanted. Name a file itself."]),
        (&["parse", "."], 65, &[".: is a folder, and a plain file is wanted. Name a file itself."]),
        (&["case", "."], 65, &[".: is a folder, and a plain file is wanted; name a file itself"]),
        (&["parse", "/dev/zero"], 65, &["/dev/zero: is larger than the 32 MiB that it may have."]),
        (&["verify", "roster.csv"], 65, &["roster.csv: line 1: no header", "is it a file that `omerta export` wrote?"]),
        (&["parse", "nowhere"], 65, &["nowhere: cannot be read: ", "Look at its name"]),
        (&["case", "nowhere"], 65, &["nowhere: cannot be read: ", "look at its name"]),
        (&["case", "/dev/zero"], 65, &["/dev/zero: is larger than 16 MiB: is it the right one?"]),
        (
            &["verify", "/dev/zero"],
            65,
            &["/dev/zero: is larger than the 256 MiB that it may have. Is it the right one?"],
        ),
        (&["deliver"], 65, &["no letter on the standard input. Hand one in: `omerta deliver < letter.eml`"]),
        (&["statsu"], 64, &["unrecognized subcommand 'statsu'", "'status'"]),
        (&["status", "--jsn"], 64, &["--jsn", "'--json'"]),
    ] {
        let said = Said::of(&machine.command(arguments).stdin(Stdio::null()).output().unwrap());
        fails(&said, code, parts);
    }
    machine.ok(&["game", "new", "palermo", "--roster", "roster.csv"]);
    assert_eq!(machine.json(&["game", "list", "--json"]).as_array().unwrap().len(), 1);
    fails(&machine.say(&["backup", "nowhere/b.db"]), 69, &["there is no folder ", "/nowhere; make it, or name a file"]);
    // In the form of the command line, not of a letter.
    let told = ["no link to a topic's feed. Write it so: `omerta game feed TAG https://…`"];
    fails(&machine.say(&["game", "feed", "palermo", "there"]), 65, &told);
    let told = ["roster.csv: File exists (os error 17). Name a folder, one that is there or can be made."];
    fails(&machine.say(&["game", "roster", "palermo", "-o", "roster.csv"]), 69, &told);
    machine.ok(&["game", "start", "palermo"]);
    let told = ["no mail address of a player. Write: `omerta game replace TAG Nick address`"];
    fails(&machine.say(&["game", "replace", "palermo", "Анна", "there"]), 65, &told);
    fails(&machine.say(&["chronicle", "palermo", "-o", "d"]), 69, &["palermo is not finished", "It can be made once"]);
    fails(&machine.say(&["backup", "roster.csv"]), 69, &["roster.csv is there already; name another one"]);
}

/// A pipe in a folder, into which nobody may ever write, is told; what the shell hands in is read.
#[test]
fn a_pipe_that_has_a_name_is_not_waited_for_and_what_the_shell_hands_in_is_read() {
    let machine = Machine::new();
    pipe(&machine, "waits");
    for command in ["parse", "verify", "case"] {
        let told = ["waits: is a pipe, and a plain file is wanted", "hand it in"];
        fails(&machine.say(&[command, "waits"]), 65, &told);
    }
    let letter = "From: anna@example.org\nContent-Type: text/plain; charset=utf-8\n\nРоль\n";
    std::fs::write(machine.folder.join("letter.eml"), letter).unwrap();
    let program = env!("CARGO_BIN_EXE_omerta");
    for shell in [
        format!("cat letter.eml | {program} parse -"),
        format!("cat letter.eml | {program} parse /dev/stdin"),
        format!("{program} parse - < letter.eml"),
        format!("{program} parse <(cat letter.eml)"),
        format!("cat letter.eml > waits & {program} parse /dev/stdin < waits"),
    ] {
        let run = Command::new("bash").arg("-c").arg(&shell).current_dir(&machine.folder).output().unwrap();
        let said = Said::of(&run);
        assert!(said.code == 0 && said.out.contains("\n  role"), "{shell}: {said:?}");
    }
}

/// A template that lies beside the folders of the languages would replace nothing, and nobody would know.
#[test]
fn a_template_that_replaces_none_is_told_by_check_doctor_and_run() {
    let mut machine = Machine::new();
    let config = machine.folder.join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("templates = \"mine\"\n{text}")).unwrap();
    for folder in ["mine/ru", "mine/letters", "mine/mine/en/roles"] {
        std::fs::create_dir_all(machine.folder.join(folder)).unwrap();
    }
    let words = "Subject: Роль\n\n{{ letter.role }}\n";
    for file in ["role.txt", "letters/recipt.txt", "mine/en/roles/doctor.txt", "plan.html"] {
        std::fs::write(machine.folder.join("mine").join(file), words).unwrap();
    }
    std::fs::write(machine.folder.join("mine/ru/_end.txt"), "").unwrap();
    let told = [
        "role.txt: replaces no template: those that do lie in ru/ and en/; did you mean ru/role.txt or en/role.txt? ",
        "letters/recipt.txt: replaces no template: those that do lie in ru/ and en/; did you mean ru/receipt.txt or en/receipt.txt? ",
        "mine/en/roles/doctor.txt: replaces no template: those that do lie in ru/ and en/; did you mean en/roles/doctor.txt? ",
        "plan.html: replaces no template: those that do lie in ru/ and en/. ",
    ];
    let check = machine.ok(&["check"]);
    assert_eq!(check.matches("warning: ").count(), 4, "{check}");
    for told in told {
        assert!(check.contains(&format!("{told}Move it there, or take it away.")), "{told}: {check}");
    }
    let doctor = machine.say(&["doctor"]).out;
    machine.start(&[]);
    machine.until("the daemon runs", || machine.say(&["status", "--json"]).out.contains("\"daemon\": \"running\""));
    let log = machine.log();
    for told in told.map(str::trim_end).map(|told| told.trim_end_matches('.')) {
        assert!(doctor.contains(told) && log.contains(told), "{told}: {doctor} {log}");
    }
    assert_eq!(machine.stop(), Some(0));
}

/// As editors of every system save it; and as they spoil it.
#[test]
fn a_config_is_read_as_editors_save_it() {
    let machine = Machine::new();
    let said = |bytes: &[u8]| {
        std::fs::write(machine.folder.join("config.toml"), bytes).unwrap();
        machine.say(&["check"])
    };
    for good in [
        "\u{feff}[host]\naddresses = [\"h@example.org\"]\n",
        "[host]\r\naddresses = [\"h@example.org\"]\r\n",
        "\t[host]\n\t\taddresses\t=\t[\"h@example.org\"]\t",
    ] {
        let said = said(good.as_bytes());
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{good:?}");
    }
    let host = "[host]\naddresses = [\"h@example.org\"]\n";
    for (bad, line) in [
        (b"[host]\nname = \"\xc2\xe5\xe4\"\naddresses = [\"h@example.org\"]\n".to_vec(), ":2: is not UTF-8 text. Save"),
        (b"\xff\xfe[\0h\0".to_vec(), ":1: is not UTF-8 text. Save the file as UTF-8"),
        (b"[host]\raddresses = [\"h@example.org\"]\r".to_vec(), ":1: is not TOML: carriage return"),
        (format!("{host}{host}").into_bytes(), ":3: is not TOML: duplicate key"),
        (format!("{host}[outbxo]\n").into_bytes(), ":3: outbxo: is an unknown key. Did you mean `outbox`?"),
        (
            "[host]\naddresses = [“h@example.org”]\n".as_bytes().to_vec(),
            ":2: is not TOML: string values must be quoted",
        ),
        (b"".to_vec(), "host.addresses: the host has no address. Name at least one"),
        (format!("x = {}", "[".repeat(100_000)).into_bytes(), ":1: is not TOML"),
    ] {
        fails(&said(&bad), 78, &[line]);
    }
}

/// Another user, who may not write: `doctor` says what can't be made, and where.
#[test]
fn who_may_not_write_is_told_where() {
    let machine = Machine::new();
    let open = |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    open(&machine.folder, 0o755);
    for name in ["config.toml", "clock"] {
        open(&machine.folder.join(name), 0o644);
    }
    // Where he can come to it.
    let program = machine.folder.join("omerta");
    // By a process of its own: a child that another test starts meanwhile would hold the file open, as one being written.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_omerta")).arg(&program).status().unwrap().success());
    open(&program, 0o755);
    let folder = machine.folder.display().to_string();
    let run = |command: &str| {
        let mut run = Command::new(&program);
        run.arg(command).current_dir(&machine.folder).env_remove("OMERTA_CONFIG").uid(NOBODY).gid(NOBODY);
        Said::of(&run.output().unwrap())
    };
    let said = run("doctor");
    assert_eq!(said.code, 69, "{said:?}");
    for part in ["omerta.db is not there yet, and can't be made: Permission denied", "Maildir "] {
        assert!(said.out.contains(part), "no {part:?} in {}", said.out);
    }
    assert_eq!(
        said.out.matches(&format!("Let the user who runs omerta write into {folder}.")).count(),
        3,
        "{}",
        said.out
    );
    let said = run("run");
    assert!(said.code == 69 && said.err.contains("check the owner and mode of the file and its folder"), "{said:?}");
}

/// No config is needed to read a letter; one that is there says which address is our own.
#[test]
fn parse_knows_a_letter_of_our_own_by_the_config() {
    let machine = Machine::new();
    fs::write(machine.folder.join("own.eml"), "From: Omerta <MAFIA@example.org>\nMessage-ID: <o@x>\n\nVote - Bob\n")
        .unwrap();
    let automatic = |arguments: &[&str]| machine.json(arguments)["automatic"].clone();
    assert_eq!(automatic(&["parse", "--json", "own.eml"]), "self");
    fs::write(machine.folder.join("config.toml"), "nonsense = 1\n").unwrap();
    assert_eq!(automatic(&["parse", "--json", "own.eml"]), serde_json::Value::Null);
}
