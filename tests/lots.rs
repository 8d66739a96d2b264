//! docs/lots.md is what a stranger re-draws from: its script and the program must give the same lots.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

use std::process::Command;

use omerta::rules::Role;
use omerta::rules::deal::deal;
use omerta::rules::lots::{DEAL, Lots};
use omerta::rules::turn::LYNCH_TIE;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct Example {
    seed: String,
    words: Vec<(String, String)>,
    players: Vec<String>,
    deck: Vec<Role>,
    #[serde(default)]
    accounts: Vec<String>,
    /// The accounts gave the nicks.
    #[serde(default)]
    issued: bool,
    ties: Vec<Tie>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Tie {
    turn: u16,
    ballots: Vec<(String, String)>,
    among: Vec<String>,
}

/// The page's block of that language.
fn block(language: &str) -> String {
    let page = include_str!("../docs/lots.md");
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("the page has such a block");
    rest.split_once("```").expect("the block ends").0.to_owned()
}

fn by_program(example: &Example) -> String {
    let seed = data_encoding::HEXLOWER.decode(example.seed.as_bytes()).unwrap();
    let lots = Lots { seed: seed.try_into().unwrap(), words: example.words.clone() };
    let mut said = format!("commitment {}\n", lots.commitment());
    let mut stream = lots.stream(DEAL, 0, &[]);
    let dealt = deal(example.deck.clone(), &mut |n| stream.index_below(n));
    for (nick, role) in example.players.iter().zip(dealt) {
        said.push_str(&format!("{nick} {}\n", role.name()));
    }
    if !example.accounts.is_empty() {
        let words = example.words.iter().map(|(_, word)| (String::new(), word.clone())).collect();
        // Where the accounts give the nicks, nobody has one before.
        let nicks = if example.issued { vec![String::new(); example.players.len()] } else { example.players.clone() };
        let drawn = omerta::draws::accounts(&example.accounts, &nicks, &Lots { words, ..lots.clone() });
        for (nick, account) in example.players.iter().zip(drawn) {
            said.push_str(&format!("{nick} {}\n", example.accounts[usize::from(account)]));
        }
    }
    for tie in &example.ties {
        let drawn = lots.stream(LYNCH_TIE, tie.turn, &tie.ballots).index_below(tie.among.len());
        said.push_str(&format!("turn {} {}\n", tie.turn, tie.among[drawn]));
    }
    said
}

fn by_script(example: &Example) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (script, game) = (folder.path().join("lots.py"), folder.path().join("game.json"));
    std::fs::write(&script, block("python")).unwrap();
    std::fs::write(&game, serde_json::to_string(example).unwrap()).unwrap();
    let run = Command::new("python3").arg(&script).arg(&game).env("PYTHONIOENCODING", "utf-8").output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn the_pages_example_is_what_the_script_and_the_program_say() {
    let example: Example = serde_json::from_str(&block("json")).unwrap();
    let said = by_program(&example);
    assert_eq!(said, block("text"));
    assert_eq!(said, by_script(&example));
}

#[test]
fn the_script_draws_other_games_as_the_program_does() {
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    for seed in 0..8u8 {
        let nicks = |count: usize| (0..count).map(|number| format!("Игрок {number}")).collect::<Vec<_>>();
        let count = 7 + 9 * usize::from(seed);
        let example = Example {
            seed: data_encoding::HEXLOWER.encode(&[seed; 32]),
            words: (0..seed).map(|word| pair("Ёжик", &format!("слово {word}"))).collect(),
            players: nicks(count),
            deck: (0..count).map(|place| Role::ALL[place * Role::ALL.len() / count]).collect(),
            accounts: (0..count + 3)
                .map(|number| match number {
                    2 => nicks(6)[5].clone(),
                    // The same nick, written otherwise.
                    3 => nicks(5)[4].to_uppercase(),
                    _ => format!("Кот {number}"),
                })
                .collect(),
            issued: false,
            ties: (2..20)
                .map(|turn| Tie {
                    turn,
                    ballots: vec![pair("a", "b"); usize::from(turn % 3)],
                    among: nicks(2 + usize::from(turn) % 5),
                })
                .collect(),
        };
        assert_eq!(by_program(&example), by_script(&example), "seed {seed}");
    }
}

/// With `nick_source = "issued"` the nicks are the very names that were drawn: the script must not take them for accounts
/// that were somebody's before.
#[test]
fn the_script_draws_nicks_that_were_issued() {
    let accounts: Vec<String> = (0..9).map(|number| format!("Кот {number}")).collect();
    let words = vec![("Кот 3".to_owned(), "рябина".to_owned())];
    let empty = vec![(String::new(), "рябина".to_owned())];
    let drawn = omerta::draws::accounts(&accounts, &vec![String::new(); 7], &Lots { seed: [5; 32], words: empty });
    let players: Vec<String> = drawn.iter().map(|account| accounts[usize::from(*account)].clone()).collect();
    assert_ne!(players, accounts[..7], "the lots move somebody");
    let example = Example {
        seed: data_encoding::HEXLOWER.encode(&[5; 32]),
        words,
        players: players.clone(),
        deck: vec![Role::Citizen; 7],
        accounts,
        issued: true,
        ties: Vec::new(),
    };
    let said = by_script(&example);
    assert_eq!(by_program(&example), said);
    for nick in &players {
        assert!(said.contains(&format!("\n{nick} {nick}\n")), "{nick}: {said}");
    }
    // The draw can be found wrong: by another seed the nicks are not what was drawn.
    let forged = by_script(&Example { seed: data_encoding::HEXLOWER.encode(&[6; 32]), ..example });
    assert!(!players.iter().all(|nick| forged.contains(&format!("\n{nick} {nick}\n"))), "{forged}");
}

/// No name is likelier than another: numbers of the incomplete last round are passed over. Of so many names that every
/// second number is one of those, it shows.
#[test]
fn numbers_of_the_incomplete_round_are_passed_over() {
    const HALF: u64 = 1 << 63;
    let mut passed_over = 0;
    for seed in 0..40 {
        let lots = Lots { seed: [seed; 32], words: Vec::new() };
        // Of 2^64 - 1 names each number is its own lot, but for one number of all.
        let mut numbers = lots.stream(DEAL, 0, &[]);
        let expected = loop {
            let number = numbers.below(u64::MAX);
            if number <= HALF {
                break number;
            }
            passed_over += 1;
        };
        assert_eq!(lots.stream(DEAL, 0, &[]).below(HALF + 1), expected, "seed {seed}");
    }
    assert!(passed_over > 10, "{passed_over}");
}
