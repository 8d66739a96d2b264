//! Each command of a host by a Russian letter, by an English letter and by the command line: one deed, the same letters
//! to everybody, the same game; and a bad one by either way changes nothing and is answered with the right form.
#![cfg(test)]

#[path = "../house/mod.rs"]
mod house;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command as Process;
use std::sync::Mutex;

use house::binary::copy_folder;
use house::{Got, House, SEVEN};
use jiff::Timestamp;
use omerta::desk::command::{Command, Did, Terms};
use omerta::journal::{Entry, OrderFate};
use omerta::request::orders::Verb;
use omerta::rules::Winner;
use serde_json::Value;
use tempfile::TempDir;

use self::rows::{BAD, GOOD, Row};

const TAG: &str = "palermo";
const HOST: &str = "host@example.org";
const HOST_WORD: &str = "берёза-17";

/// How the game stands when the command comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scene {
    /// Made, nobody asked yet.
    Made,
    /// Sign-up is open, the host accepts; Анна is in, Борис waits for his word.
    SignUp,
    /// Everybody is in, nothing is dealt.
    Full,
    /// Turn 1.
    Playing,
    Paused,
    /// Turn 3, and Егор was silent in the first one and has missed a vote in the second.
    Missed,
    /// Turn 1 is closed, and the host has it before him.
    Review,
    /// Turn 1 is published, turn 2 has begun.
    Published,
    Over,
}

impl Scene {
    /// A house of its own in which it stands so, and the folder that it lives in. Each scene is played once.
    fn build(self) -> (House, TempDir) {
        static PLAYED: Mutex<BTreeMap<Scene, (TempDir, Timestamp)>> = Mutex::new(BTreeMap::new());
        let mut played = PLAYED.lock().unwrap();
        let (model, now) = played.entry(self).or_insert_with(|| {
            let (mut house, folder) = self.play();
            house.shut();
            (folder, house.now())
        });
        let folder = tempfile::tempdir().unwrap();
        copy_folder(model.path(), folder.path());
        let house = House::in_folder(folder.path());
        house.set_clock(*now);
        (house, folder)
    }

    fn play(self) -> (House, TempDir) {
        let more = match self {
            Scene::SignUp | Scene::Full => "approve_applicants = true",
            Scene::Review => "publish = \"approve\"",
            _ => "",
        };
        let folder = tempfile::tempdir().unwrap();
        // Before the deal a host has no letter to answer: his word proves him.
        let config = house::config_text(more).replace("[host]\n", "[host]\nword_file = \"host.secret\"\n");
        std::fs::write(folder.path().join("config.toml"), config).unwrap();
        std::fs::write(folder.path().join("host.secret"), HOST_WORD).unwrap();
        let mut house = House::in_folder(folder.path());
        match self {
            Scene::Made => house.new_game_of_nobody(TAG, &[("photo_required", "false")]),
            Scene::SignUp => {
                signed_up(&mut house, 2);
                house.command(TAG, Command::judging(vec!["Анна".to_owned()], true).unwrap());
            }
            Scene::Full => {
                signed_up(&mut house, SEVEN.len());
                for (nick, _) in SEVEN {
                    house.command(TAG, Command::judging(vec![nick.to_owned()], true).unwrap());
                }
            }
            _ => {
                house.new_game(TAG, &SEVEN, &[]);
                house.start(TAG);
            }
        }
        match self {
            Scene::Paused => house.command(TAG, Command::Pause),
            Scene::Over => house.command(TAG, Command::Finish { winner: Winner::Draw }),
            Scene::Review | Scene::Published => house.close(TAG),
            Scene::Missed => {
                house.command(TAG, Command::Watched { silent: true, nicks: vec!["Егор".to_owned()] });
                house.close(TAG);
                for player in (0..7).filter(|player| *player != 5) {
                    house.write(TAG, player, "Суд Линча - Дарья");
                }
                house.close(TAG);
            }
            _ => {}
        }
        house.round();
        house.round();
        (house, folder)
    }
}

fn signed_up(house: &mut House, players: usize) {
    house.new_game_of_nobody(TAG, &[("photo_required", "false")]);
    house.command(TAG, Command::Open(Terms::default()));
    for (number, (nick, _)) in (0..).zip(&SEVEN[..players]) {
        let text = format!("Заявка - {nick}\nХарактеристика: кто-то\nПол: ж");
        house.write(TAG, number, &text);
        house.round();
        house.wait(1);
    }
    house.round();
}

/// What only looks has no deed to compare: Preview, Why, Status, Help.
const LOOKS: [Verb; 4] = [Verb::Preview, Verb::Why, Verb::Status, Verb::Help];

#[test]
fn the_table_knows_every_verb() {
    let tried: BTreeSet<Verb> = GOOD.iter().map(|row| row.verb).chain(LOOKS).collect();
    assert_eq!(tried, Verb::ALL.iter().copied().collect());
    let bad: BTreeSet<Verb> = BAD.iter().map(|row| row.verb).collect();
    // Those take no argument and are refused by the scene alone.
    assert_eq!(bad, GOOD.iter().map(|row| row.verb).collect());
}

#[test]
fn by_three_ways_the_same_is_done() {
    for row in GOOD {
        let what = format!("{:?} in {:?}", row.verb, row.scene);
        let hand = by_hand(row);
        assert_eq!(hand.code, Some(0), "{what}: {}", hand.said);
        assert!(!hand.said.trim().is_empty(), "{what}");
        for text in [row.russian, row.english] {
            let letter = by_letter(row, text);
            assert_eq!(letter.did.len(), 1, "{what}: {text}: {}", letter.said);
            assert_eq!(letter.did, hand.did, "{what}: {text}");
            assert_eq!(letter.game, hand.game, "{what}: {text}");
            assert_eq!(letter.letters, hand.letters, "{what}: {text}");
            assert!(
                letter.said.contains("сделано 1 из 1") || letter.said.contains("Сделано"),
                "{what}: {}",
                letter.said
            );
        }
    }
}

#[test]
fn a_bad_one_changes_nothing_by_either_way_and_is_answered_with_the_form() {
    for row in BAD {
        let what = format!("{:?} in {:?}", row.verb, row.scene);
        let before = {
            let (mut house, _folder) = row.scene.build();
            Outcome::of(&mut house)
        };
        let hand = by_hand(row);
        assert!(matches!(hand.code, Some(64 | 65)), "{what}: {:?} {}", hand.code, hand.said);
        assert!(hand.said.starts_with("omerta: ") || hand.said.contains("error: "), "{what}: {}", hand.said);
        assert_eq!((&hand.game, &hand.letters, hand.did.len()), (&before.game, &before.letters, 0), "{what}");
        for text in [row.russian, row.english] {
            let letter = by_letter(row, text);
            assert_eq!(letter.did, Vec::<Value>::new(), "{what}: {text}");
            assert!(!letter.asked, "{what}: {text}: what can't be done is not asked about");
            assert_eq!((&letter.game, &letter.letters), (&before.game, &before.letters), "{what}: {text}");
            assert!(letter.said.contains("сделано 0 из 1"), "{what}: {text}: {}", letter.said);
        }
    }
}

#[test]
fn a_title_that_is_too_long_or_of_several_lines_is_refused() {
    let (mut house, _folder) = Scene::Made.build();
    house.shut();
    for title in ["и".repeat(101).as_str(), "раз\nдва"] {
        for order in [["new", "second"], ["open", TAG]] {
            let (code, said) = omerta(&house, &["game", order[0], order[1], "--title", title]);
            assert!(code == Some(65) && said.contains("100 characters"), "{order:?} {title}: {code:?} {said}");
        }
    }
    let (code, said) = omerta(&house, &["game", "new", "second", "--title", &"и".repeat(100)]);
    assert_eq!(code, Some(0), "{said}");
}

/// What a command left behind.
struct Outcome {
    code: Option<i32>,
    /// The answer's subject and words, or what the command line printed.
    said: String,
    did: Vec<Value>,
    /// A second word was wanted.
    asked: bool,
    game: Value,
    /// Kind, reader and turn of each letter, but for the host's own answers.
    letters: Vec<(String, String, u16)>,
}

impl Outcome {
    fn of(house: &mut House) -> Outcome {
        let did = house.journal(TAG).into_iter().flat_map(deeds).map(|did| comparable(&did)).collect();
        let letters = letters(house);
        house.shut();
        Outcome { code: None, said: String::new(), did, asked: false, game: game(house), letters }
    }
}

/// Two games have two seeds.
fn comparable(did: &Did) -> Value {
    let mut did = serde_json::to_value(did).unwrap();
    if let Some(opened) = did.get_mut("signup_opened") {
        opened["commitment"] = Value::Null;
    }
    did
}

fn deeds(entry: Entry) -> Vec<Did> {
    match entry {
        Entry::Commanded { did } => vec![did],
        Entry::HostHeard(heard) => heard
            .lines
            .into_iter()
            .filter_map(|line| match line.fate {
                OrderFate::Done(did) => Some(did),
                OrderFate::NotDone(_) | OrderFate::Answered => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn by_hand(row: &Row) -> Outcome {
    let (mut house, _folder) = row.scene.build();
    let earlier = house.journal(TAG).into_iter().flat_map(deeds).count();
    house.shut();
    let (code, said) = omerta(&house, &[&["game"], row.line].concat());
    house.open();
    house.round();
    house.round();
    let mut outcome = Outcome::of(&mut house);
    outcome.did.drain(..earlier);
    Outcome { code, said, ..outcome }
}

fn by_letter(row: &Row, text: &str) -> Outcome {
    let (mut house, _folder) = row.scene.build();
    let earlier = house.journal(TAG).into_iter().flat_map(deeds).count();
    write(&mut house, "h1@h.test", None, &format!("Слово - {HOST_WORD}\n{text}"));
    let mut answer = answered(&house, "h1@h.test");
    let asked = answer.kind == "confirm";
    if asked {
        let question = answer.message_id;
        write(&mut house, "h2@h.test", Some(question.clone()), "Да");
        // What became of the letter is said under it, and not under the «Да».
        answer = answered(&house, "h1@h.test");
        assert_ne!(answer.message_id, question, "nothing is said to the «Да»");
    }
    let mut outcome = Outcome::of(&mut house);
    outcome.did.drain(..earlier);
    Outcome { said: format!("{}\n{}", answer.subject, answer.body), asked, ..outcome }
}

/// The host writes; an answer of his bears the question's id.
fn write(house: &mut House, id: &str, answers: Option<String>, text: &str) {
    let now = house.now();
    let headers = answers.map(|id| format!("In-Reply-To: <{id}>\r\n")).unwrap_or_default();
    let letter = house::raw_letter(HOST, TAG, id, text);
    house.drop_in(&[headers.into_bytes(), letter].concat(), now, 1);
    house.round();
    house.round();
}

/// The newest letter to the host under one of his own.
fn answered(house: &House, id: &str) -> Got {
    let found = house.got(HOST).into_iter().rfind(|got| got.in_reply_to.as_deref() == Some(id));
    found.unwrap_or_else(|| panic!("{id} is not answered"))
}

fn omerta(house: &House, arguments: &[&str]) -> (Option<i32>, String) {
    let clock = house.folder.join("clock");
    std::fs::write(&clock, house.now().to_string()).unwrap();
    let said = Process::new(env!("CARGO_BIN_EXE_omerta"))
        .args(arguments)
        .arg("--config")
        .arg(house.folder.join("config.toml"))
        .arg("--clock-file")
        .arg(clock)
        .output()
        .unwrap();
    (said.status.code(), String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned())
}

fn game(house: &House) -> Value {
    let (code, said) = omerta(house, &["game", "show", TAG, "--json"]);
    assert_eq!(code, Some(0), "{said}");
    serde_json::from_str(&said).unwrap()
}

fn letters(house: &mut House) -> Vec<(String, String, u16)> {
    let read = house.daemon().desk().store.read(|tx| {
        let game = tx.game(TAG)?.unwrap();
        tx.outbox(game.id)
    });
    let mut letters: Vec<_> = read.unwrap().into_iter().map(|row| (row.kind, row.to, row.turn)).collect();
    letters.retain(|(kind, to, _)| to != HOST || !["answer", "confirm"].contains(&kind.as_str()));
    letters.sort();
    letters
}
