//! Games played by random letters: what the journal alone gives again. The table, the letters owed, the export and its
//! check; and that an export holds no note and no talk, nor a sign that there were any.
#![cfg(test)]

mod house;

use std::collections::BTreeSet;
use std::process::Command as Process;

use house::House;
use house::binary::Said;
use house::random::{PRIVATE, TAG, play};
use jiff::Timestamp;
use mail_parser::MessageParser;
use omerta::config::Config;
use omerta::desk::fold;
use omerta::journal::Entry;
use omerta::keys::Keys;
use omerta::letters::compose::{self, Context, Owed};
use omerta::letters::render::Templates;
use omerta::letters::view::Reader;
use omerta::letters::{GameName, Heading};
use omerta::store::StoreError;
use omerta::table::Table;
use serde_json::Value;

/// So many games a test; more when the long tests are asked for.
#[expect(clippy::disallowed_methods, reason = "tests/run --full asks for more")]
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let many = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse::<u64>().ok());
    0..many.map_or(usual, |cases| (cases / 200).max(usual))
}

// ------------------------------------------------------------------------------------------------ the journal's fold

/// Every event of a game with its time.
fn journal(house: &mut House) -> Vec<(Timestamp, Entry)> {
    let rows = house.daemon().desk().store.read(|tx| {
        let game = tx.game(TAG)?.unwrap();
        let mut rows = Vec::new();
        while let Some(more) = Some(tx.events_after(game.id, rows.len() as i64, 100)?).filter(|more| !more.is_empty()) {
            rows.extend(more);
        }
        Ok::<_, StoreError>(rows)
    });
    rows.unwrap().into_iter().map(|row| (row.at, serde_json::from_str(&row.body).unwrap())).collect()
}

fn fold_of(journal: &[(Timestamp, Entry)]) -> Table {
    let mut table = None;
    for (at, entry) in journal {
        fold(&mut table, *at, entry);
    }
    table.unwrap()
}

/// The table in memory, the fold of all events, and the snapshot with the few events behind it are one.
fn the_fold_is_the_table(house: &mut House) {
    let in_memory = house.table(TAG);
    let folded = fold_of(&journal(house));
    assert_eq!(folded, in_memory);
    let written = serde_json::to_string(&in_memory).unwrap();
    assert_eq!(serde_json::from_str::<Table>(&written).unwrap(), in_memory, "a snapshot loses something");
    house.open();
    assert_eq!(house.table(TAG), in_memory, "after a restart");
}

/// A letter as the outbox has it.
#[derive(Debug, PartialEq, Eq)]
struct Sent {
    kind: String,
    reader: String,
    turn: u16,
    subject: String,
    text: String,
}

/// What the outbox holds is what the journal owes, letter by letter and word by word.
fn the_journal_owes_what_was_sent(house: &mut House) {
    let journal = journal(house);
    let config = Config::load(&house.folder.join("config.toml")).unwrap();
    let templates = Templates::load(None).unwrap();
    let store = &house.daemon().desk().store;
    let keys = Keys::new(store.key());
    let (owed, sent) = store
        .read(|tx| {
            let game = tx.game(TAG)?.unwrap();
            let mut owed = Vec::new();
            let mut table: Option<Table> = None;
            for (at, entry) in &journal {
                let before = table.as_ref().map(|table| table.game.clone());
                fold(&mut table, *at, entry);
                let table = table.as_ref().unwrap();
                let seats = table.game.players.len();
                let words = keys.proof_words(TAG, seats, &table.taken_over, table.lang);
                let context = Context {
                    text: &|text| tx.text(game.id, text.id).unwrap(),
                    proof_word: &|player| words[usize::from(player.0)].clone(),
                    rank: &|player| keys.rank(TAG, table.game.turn, player),
                    hosts: 1,
                    moderators: 1,
                    forums: 0,
                    formers: 0,
                    seed: &|| "05".repeat(32),
                    account: &|_| None,
                    person: &|_| None,
                };
                let before =
                    before.as_ref().filter(|_| matches!(entry, Entry::Published { .. } | Entry::Rearranged { .. }));
                let letters = compose::owed(table, before, entry, &context);
                owed.extend(letters.iter().map(|letter| in_words(letter, table, *at, &config, &templates)));
            }
            let mut sent = Vec::new();
            for row in tx.outbox(game.id)? {
                let bytes = tx.out_bytes(row.id)?.unwrap();
                let message = MessageParser::default().parse(&bytes).unwrap();
                let text = message.body_text(0).unwrap_or_default().replace("\r\n", "\n");
                let text = text.trim_end().to_owned();
                sent.push(Sent { kind: row.kind, reader: row.reader, turn: row.turn, subject: row.subject, text });
            }
            Ok::<_, StoreError>((owed, sent))
        })
        .unwrap();
    for (owed, sent) in owed.iter().zip(&sent) {
        assert_eq!(owed, sent);
    }
    assert_eq!(owed.len(), sent.len());
    assert!(sent.len() > 100, "{} letters only", sent.len());
}

fn in_words(owed: &Owed, table: &Table, at: Timestamp, config: &Config, templates: &Templates) -> Sent {
    let heading = Heading {
        lang: table.lang,
        game: Some(GameName { tag: table.tag.clone(), title: table.title.clone() }),
        turn: owed.turn,
        zone: table.zone.clone(),
        now: at,
        host_name: table.host_name.clone(),
    };
    let rendered = templates.render(&heading, &owed.letter, config.forum.markup).unwrap();
    let reader = match &owed.reader {
        Reader::Stranger(address) => panic!("{address} is no reader of a game"),
        reader => reader.key(),
    };
    let text = rendered.text.trim_end().to_owned();
    Sent { kind: owed.letter.kind().to_owned(), reader, turn: owed.turn, subject: rendered.subject, text }
}

#[test]
fn the_journal_alone_gives_the_table_and_the_letters_again_and_no_change_of_it_goes_unseen() {
    let mut events = BTreeSet::new();
    let mut houses = Vec::new();
    for seed in seeds(2) {
        let mut house = play(seed, true, &mut the_fold_is_the_table);
        the_fold_is_the_table(&mut house);
        the_journal_owes_what_was_sent(&mut house);
        events.extend(journal(&mut house).iter().map(|(_, entry)| entry.name()));
        houses.push(house);
    }
    for event in ["heard", "rearranged", "host_acted", "host_warned", "deadline_set", "paused", "resumed", "reminded"] {
        assert!(events.contains(event), "no {event} in any game: {events:?}");
    }
    verify_names_the_line_that_was_changed(houses);
}

// ---------------------------------------------------------------------------------------------------------- the export

fn omerta(arguments: &[&str]) -> Said {
    Said::of(&Process::new(env!("CARGO_BIN_EXE_omerta")).args(arguments).output().unwrap())
}

fn export(house: &House) -> String {
    let config = house.folder.join("config.toml");
    let said = omerta(&["export", TAG, "--config", config.to_str().unwrap()]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    said.out
}

/// Verifies a text as a file; the exit code and what was said.
fn verify(house: &House, text: &str) -> Said {
    let file = house.folder.join("export.jsonl");
    std::fs::write(&file, text).unwrap();
    omerta(&["verify", file.to_str().unwrap()])
}

fn verify_json(house: &House, text: &str) -> Said {
    let file = house.folder.join("export.jsonl");
    std::fs::write(&file, text).unwrap();
    omerta(&["verify", file.to_str().unwrap(), "--json"])
}

fn must_verify(house: &House, text: &str) {
    let said = verify(house, text);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
}

/// Each line without what chance gives each house: salts.
fn without_chance(export: &str) -> Vec<Value> {
    let clean = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        for name in ["address", "text"] {
            if let Some(field) = value.get_mut(name).filter(|field| !field.is_null()) {
                *field = field.get("id").cloned().unwrap_or(Value::Null);
            }
        }
        value
    };
    export.lines().map(clean).collect()
}

#[test]
fn an_export_holds_no_private_text_nor_a_sign_of_one() {
    let mut texts = 0;
    for seed in seeds(2) {
        let mut midgame = Vec::new();
        let mut look = |house: &mut House| midgame.push(export(house));
        let house = play(seed, true, &mut look);
        let whole = export(&house);
        for export in midgame.iter().chain([&whole]) {
            must_verify(&house, export);
            let lower = export.to_lowercase();
            for sign in [PRIVATE, "\"note\"", "\"pm\"", "\"clan\"", "\"notes\":[{", "no_text"] {
                assert!(!lower.contains(sign), "seed {seed}: {sign} in the export");
            }
        }
        let seed_told = |export: &str| !without_chance(export)[0]["seed"].is_null();
        assert!(!midgame.is_empty() && !midgame.iter().any(|export| seed_told(export)) && seed_told(&whole));
        let twin = export(&play(seed, false, &mut |_| {}));
        let (with, without) = (without_chance(&whole), without_chance(&twin));
        for (at, (one, other)) in with.iter().zip(&without).enumerate() {
            assert_eq!(one, other, "seed {seed}, line {}", at + 1);
        }
        assert_eq!(with.len(), without.len(), "seed {seed}");
        texts += house
            .folder
            .join("mail/out")
            .read_dir()
            .unwrap()
            .flatten()
            .map(|address| {
                let got = house.got(address.file_name().to_str().unwrap());
                got.iter().filter(|got| ["note", "pm", "clan"].contains(&got.kind.as_str())).count()
            })
            .sum::<usize>();
    }
    assert!(texts > 10, "{texts} private letters only");
}

/// In a game dealt by lot and in one dealt by its roster.
fn verify_names_the_line_that_was_changed(mut houses: Vec<House>) {
    let is_dealt_by_lot = |house: &mut House| house.table(TAG).roles_given.is_none();
    let by_lot = houses.iter_mut().position(is_dealt_by_lot).expect("a game dealt by lot");
    let by_roster = houses.iter_mut().position(|house| !is_dealt_by_lot(house)).expect("a game with given roles");
    for house in [&houses[by_lot], &houses[by_roster]] {
        let whole = export(house);
        let lines: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let find = |what: &str, fits: &dyn Fn(&Value) -> bool| {
            lines.iter().position(fits).unwrap_or_else(|| panic!("no line with {what}"))
        };
        let started = find("the deal", &|line| line["event"] == "started");
        let voted =
            find("ballots", &|line| line["report"]["vote"]["ballots"].as_array().is_some_and(|all| !all.is_empty()));
        let died = find("deaths", &|line| line["report"]["deaths"].as_array().is_some_and(|all| !all.is_empty()));
        let mut wrong: Vec<(&str, usize, Vec<Value>)> = Vec::new();
        let mut change = |what: &'static str, at: usize, change: &dyn Fn(&mut Value)| {
            let mut changed = lines.clone();
            change(&mut changed[at]);
            assert_ne!(changed[at], lines[at], "{what}: nothing was changed");
            wrong.push((what, at, changed));
        };
        change("a role", started, &|line| {
            let roles = line["roles"].as_array_mut().unwrap();
            let other = roles.iter().position(|role| *role != roles[0]).unwrap();
            roles.swap(0, other);
        });
        change("a ballot", voted, &|line| {
            let whom = line["report"]["vote"]["ballots"][0][1].as_u64().unwrap();
            line["report"]["vote"]["ballots"][0][1] = Value::from((whom + 1) % 12);
        });
        change("a death", died, &|line| {
            line["report"]["deaths"].as_array_mut().unwrap().pop();
        });
        change("a number", voted, &|line| line["seq"] = Value::from(line["seq"].as_u64().unwrap() + 1));
        change("the seed", 0, &|line| line["seed"] = Value::from("06".repeat(32)));
        change(
            "the judgement of a letter",
            find("a refusal", &|line| line["standing"] == "on_time" && line["items"].to_string().contains("refused")),
            &|line| {
                let items = line["items"].as_array_mut().unwrap();
                let item = items.iter_mut().find(|item| item.to_string().contains("refused")).unwrap();
                item["ask"]["fate"] = serde_json::json!("duplicate");
            },
        );
        let told: Value = serde_json::from_str(&verify_json(house, &whole).out).unwrap();
        let events = lines.len() - 1;
        assert_eq!(
            (&told["ok"], &told["game"], &told["events"]),
            (&Value::from(true), &Value::from(TAG), &Value::from(events))
        );
        assert!(
            told["lots"].as_u64().is_some_and(|lots| lots > 0) && told["turns"].as_u64().is_some_and(|turns| turns > 2),
            "{told}"
        );
        for (what, at, changed) in wrong {
            let text: String = changed.iter().map(|line| format!("{line}\n")).collect();
            let said = verify(house, &text);
            // The commitment that a wrong seed betrays stands in the first event.
            let line = if at == 0 { 2 } else { at + 1 };
            assert_eq!(said.code, 65, "{what}: {}", said.out);
            assert!(said.err.contains(&format!("line {line}: ")), "{what} in line {line}: {}", said.err);
            assert!(said.err.chars().count() < 1_000, "nobody reads that: {}", said.err);
            let in_json = verify_json(house, &text);
            assert_eq!((in_json.code, in_json.err.as_str()), (65, ""), "{what}");
            let told: Value = serde_json::from_str(&in_json.out).unwrap();
            assert_eq!((&told["ok"], &told["line"]), (&Value::from(false), &Value::from(line)), "{told}");
            assert!(said.err.contains(told["differs"].as_str().unwrap()), "{told}: {}", said.err);
            if what == "a ballot" {
                assert!(said.err.contains("differs in vote.ballots.0.1: the journal tells "), "{}", said.err);
            }
        }
        let cut: String = whole.lines().take(lines.len() - 2).map(|line| format!("{line}\n")).collect();
        assert_eq!(verify(house, &cut).code, 65, "the end is missing");
    }
}
