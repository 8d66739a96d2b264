//! Every case of tests/scenarios, played on the real engine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::path::{Path, PathBuf};

use omerta::scenario;

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_case_comes_out_as_it_says() {
    let files: Vec<PathBuf> = ["", "random", "own"].into_iter().flat_map(cases).collect();
    assert!(files.len() > 200, "only {} cases were found", files.len());
    let verdicts: Vec<scenario::Verdict> = files.iter().map(|file| scenario::play_file(file)).collect();
    let mut failures = String::new();
    for verdict in verdicts.iter().filter(|verdict| !verdict.ok) {
        let fault = verdict.fault.as_ref().map(ToString::to_string).unwrap_or_default();
        failures.push_str(&format!("{verdict}{fault}\n"));
    }
    assert!(failures.is_empty(), "\n{failures}");
}

const SMALL: &str = r#"
id = "SMALL"
kind = "turns"
players = [
  { nick = "Анна", role = "citizen" },
  { nick = "Борис", role = "mafioso" },
  { nick = "Вера", role = "doctor", last_heal = "Анна" },
  { nick = "Глеб", role = "citizen", note_to = "Анна" },
]
[[turn]]
number = 2
mail = [
  { from = "Анна", line = "Суд Линча - Борис" },
  { from = "Борис", line = "Здравствуйте\nОтмена - Записка\nСуд Линча - Анна" },
  { from = "Вера", line = "Лечение - Анна\nСуд Линча - Борис" },
  { from = "Глеб", line = "Здравствуйте\nКак дела?" },
  { from = "Глеб", line = "Отмена - Суд Линча" },
  { from = "Глеб", line = "Записка - Вера: тайна", late = true },
  { from = "Глеб", line = "Отмена - Охота", late = true },
  { from = "Прохожий", line = "Отмена" },
]
[turn.expect]
outcome = "hanged"
publish_votes = "by_nick"
lynch = "Борис"
tally = { "Борис" = 2, "Анна" = 1 }
deaths = [{ nick = "Борис", when = "lynch", causes = ["lynch"] }]
revealed = { "Борис" = "mafioso" }
missed = ["Глеб"]
alive = ["Анна", "Вера", "Глеб"]
winner = "town"
rejected = [
  { from = "Борис", line = "Отмена - Записка", why = "unknown_request" },
  { from = "Вера", line = "Лечение - Анна", why = "heal_twice" },
  { from = "Глеб", line = "Здравствуйте", why = "unknown_request" },
  { from = "Глеб", line = "Записка - Вера: тайна", why = "note_already_sent" },
  { from = "Глеб", line = "Отмена - Охота", why = "after_deadline" },
  { from = "Прохожий", line = "Отмена", why = "unknown_sender" },
]
"#;

fn differences(text: &str) -> Vec<String> {
    let verdict = scenario::play("small.toml", text).unwrap();
    assert_eq!(verdict.ok, verdict.turns.iter().all(|turn| turn.differences.is_empty()));
    verdict.turns.into_iter().flat_map(|turn| turn.differences).collect()
}

#[test]
fn letters_are_taken_line_by_line() {
    assert_eq!(differences(SMALL), Vec::<String>::new());
}

#[test]
fn a_wrong_expectation_is_a_difference() {
    let wrong = [
        ("missed = [\"Глеб\"]", "", "missed: expected nothing, got [\"Глеб\"]"),
        ("winner = \"town\"", "winner = \"mafia\"", "winner: expected \"mafia\", got \"town\""),
        ("\"Анна\", \"Вера\", \"Глеб\"]", "\"Вера\", \"Анна\", \"Глеб\"]", "alive: expected"),
        ("lynch = \"Борис\"", "lynch = \"Борис\"\nmurder = \"Анна\"", "murder: expected \"Анна\", got nothing"),
        ("\"Анна\" = 1 }", "\"Анна\" = 2 }", "tally: expected"),
        ("why = \"heal_twice\"", "why = \"target_out\"", "rejected: expected"),
    ];
    for (right, instead, expected) in wrong {
        let text = SMALL.replacen(right, instead, 1);
        assert_ne!(text, SMALL);
        let found = differences(&text);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
    }
}

#[test]
fn what_is_no_case_is_told_with_file_and_line() {
    let faults = [
        ("kind = \"turns\"", "kind = \"turns\"\nkin = 1", "small.toml:4: unknown field `kin`"),
        (
            "[[turn]]",
            "[toggles]\nhunt_manic = true\n[[turn]]",
            "small.toml:11: there is no rule `hunt_manic`; did you mean `hunt_maniac`?",
        ),
        (
            "[[turn]]",
            "[toggles]\nlynch_quorum = 1.5\n[[turn]]",
            "small.toml:11: `1.5` is no value of `lynch_quorum`: a decimal",
        ),
        (
            "[[turn]]",
            "[toggles]\npistol_mode = \"off\"\n[[turn]]",
            "small.toml:11: `off` is no value of `pistol_mode`: standing, turn, window",
        ),
        ("role = \"doctor\"", "role = \"nurse\"", "small.toml:7: `nurse` is no role"),
        ("last_heal = \"Анна\"", "last_heal = \"Нина\"", "small.toml:7: nobody here is called Нина"),
        ("from = \"Вера\", line", "from = \"Вера\", lines", "small.toml:15: unknown field `lines`"),
        (
            "{ from = \"Вера\", line = \"Лечение - Анна",
            "{ nick = \"Вера\", line = \"Лечение - Анна",
            "small.toml:15: mail is",
        ),
        ("lynch = \"Борис\"", "lynched = \"Борис\"", "small.toml:25: unknown field `lynched`"),
    ];
    for (right, instead, expected) in faults {
        let text = SMALL.replacen(right, instead, 1);
        assert_ne!(text, SMALL);
        let fault = scenario::play("small.toml", &text).unwrap_err().to_string();
        assert!(fault.starts_with(expected), "{fault}");
    }
}

#[test]
fn the_json_has_the_promised_form() {
    let verdict = scenario::play("small.toml", SMALL).unwrap();
    let json = serde_json::to_value([verdict]).unwrap();
    assert_eq!(json[0]["id"], "SMALL");
    assert_eq!(json[0]["ok"], true);
    assert_eq!(json[0]["turns"][0]["number"], 2);
    assert_eq!(json[0]["turns"][0]["got"]["tally"]["Борис"], 2);
    assert_eq!(json[0]["turns"][0]["differences"], serde_json::json!([]));
    assert_eq!(json[0].as_object().unwrap().len(), 3);
}

#[test]
fn the_exit_code_tells_whether_all_agree() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.toml");
    std::fs::write(&file, SMALL).unwrap();
    assert_eq!(omerta::cli::case::run(std::slice::from_ref(&file), true), 0);
    std::fs::write(&file, SMALL.replace("\"town\"", "\"mafia\"")).unwrap();
    assert_eq!(omerta::cli::case::run(std::slice::from_ref(&file), false), 65);
    assert_eq!(omerta::cli::case::run(&[folder.path().join("none.toml")], true), 65);
}
