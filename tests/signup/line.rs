//! By the real binary: from `game new` to the verified journal.

use std::path::Path;
use std::process::Command;

use crate::house::binary::rest;
use crate::house::config_text;

fn omerta(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_omerta"));
    let said = command.arg("--config").arg(folder.join("config.toml")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (said.status.code(), text(said.stdout), text(said.stderr))
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let (code, out, error) = omerta(folder, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {out}{error}");
    out
}

#[test]
fn the_command_line_makes_opens_closes_and_starts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("config.toml"), config_text("")).unwrap();
    std::fs::write(folder.join("text.txt"), "Зима, порт.\n").unwrap();
    done(folder, &["game", "new", "palermo"]);
    let (code, _, error) = omerta(folder, &["game", "start", "palermo"]);
    assert_eq!(code, Some(65), "{error}");
    let text = folder.join("text.txt").display().to_string();
    let opened = done(
        folder,
        &["game", "open", "palermo", "--title", "Зима", "--text", &text, "--min", "5", "--max", "9", "--until", "+2d"],
    );
    assert!(opened.contains("5 to 9 players"), "{opened}");
    for number in 0..7 {
        let letter = format!(
            "From: p{number}@home.test\r\nTo: mafia@example.org\r\nSubject: [palermo]\r\nMessage-ID: <m{number}@home.test>\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\r\nЗаявка - Игрок {number}\r\nЖребий - слово {number}\r\n"
        );
        let inbox = folder.join("mail/in/new");
        std::fs::create_dir_all(&inbox).unwrap();
        // Without a time in its name the file's own time is its arrival.
        std::fs::write(inbox.join(format!("letter-{number}")), letter).unwrap();
    }
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_omerta"));
    let mut daemon = daemon.arg("--config").arg(folder.join("config.toml")).arg("run").spawn().unwrap();
    let mut shown = serde_json::Value::Null;
    let begun = std::time::Instant::now();
    while begun.elapsed() < std::time::Duration::from_secs(60) {
        rest();
        shown = serde_json::from_str(&done(folder, &["game", "show", "palermo", "--json"])).unwrap();
        if shown["players"].as_array().unwrap().len() == 7 {
            break;
        }
    }
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    assert_eq!(shown["state"], "signup");
    assert_eq!(shown["players"].as_array().unwrap().len(), 7, "{shown}");
    assert_eq!(shown["title"], "Зима");
    assert_eq!(shown["signup"]["applicants"][0]["seating"], "kept");
    done(folder, &["game", "close", "palermo"]);
    done(folder, &["game", "decline", "palermo", "Игрок 6"]);
    done(folder, &["game", "accept", "palermo", "Игрок 6"]);
    done(folder, &["game", "start", "palermo"]);
    let shown: serde_json::Value = serde_json::from_str(&done(folder, &["game", "show", "palermo", "--json"])).unwrap();
    assert_eq!((shown["state"].as_str(), shown["turn"].as_u64()), (Some("playing"), Some(1)));
    let journal = folder.join("palermo.jsonl");
    std::fs::write(&journal, done(folder, &["export", "palermo"])).unwrap();
    done(folder, &["verify", &journal.display().to_string()]);
    // No address stands in it.
    assert!(!std::fs::read_to_string(&journal).unwrap().contains("home.test"));
}
