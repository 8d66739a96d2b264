//! A kill while the database of an older version is brought up to date: whatever instant it falls on, the next start finds
//! the old form whole, and the game goes on as if it had never been in another.

use std::collections::{BTreeMap, BTreeSet};

use omerta::failpoint::Point;
use rusqlite::Connection;
use serde_json::Value;

use crate::house::binary::Machine;
use crate::house::raw_letter;
use crate::maildir::{is_quiet, normal, steady, until};

const TAG: &str = "palermo";
const ROSTER: &str = "address,nick,role\np00@palermo.test,Анна,citizen\np01@palermo.test,Борис,mafioso\n\
                      p02@palermo.test,Вера,citizen\np03@palermo.test,Глеб,commissioner\n";

/// The form of an older version.
const OLDER: [&str; 2] =
    [include_str!("../../src/store/schema/0001_first.sql"), include_str!("../../src/store/schema/0002_identity.sql")];

/// A game in its second turn whose daemon is down: letters wait in the inbox and in the outbox.
fn game_at_rest() -> Machine {
    let mut machine = Machine::new();
    std::fs::write(machine.folder.join("roster.csv"), ROSTER).unwrap();
    machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    machine.ok(&["game", "deadline", TAG, "+1h"]);
    machine.ok(&["game", "start", TAG]);
    machine.start(&[]);
    write(&machine, 3, "Проверка - Борис");
    until("the first letter is read", || is_quiet(&machine));
    machine.wait_seconds(3_600 + 120);
    until("the second turn", || machine.json(&["game", "show", TAG, "--json"])["turn"] == 2);
    until("the results are out", || is_quiet(&machine) && queued(&machine) == 0);
    assert_eq!(machine.stop(), Some(0), "{}", machine.log());
    machine.ok(&["game", "extend", TAG, "+1h"]);
    for (player, text) in [(0, "Суд Линча - Борис\nЗаписка - Вера: это Борис"), (1, "Убийство - Глеб"), (2, "Статус")]
    {
        write(&machine, player, text);
    }
    assert!(queued(&machine) > 0 && machine.unread() == 3);
    machine
}

fn write(machine: &Machine, player: u32, text: &str) {
    let from = format!("p{player:02}@palermo.test");
    let raw = raw_letter(&from, TAG, &format!("{player}-{}@players.test", text.len()), text);
    machine.drop_in(&machine.now().to_string(), player, &raw);
}

fn queued(machine: &Machine) -> u64 {
    machine.store().read(|tx| tx.outbox_counts()).unwrap().queued
}

/// Another machine with the same game, in a database that the older version made and filled.
fn as_older(template: &Machine) -> Machine {
    let machine = template.copy();
    let (file, now) = (machine.folder.join("omerta.db"), machine.folder.join("now.db"));
    {
        // All of it in one file.
        let open = Connection::open(&file).unwrap();
        open.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").unwrap();
    }
    std::fs::rename(&file, &now).unwrap();
    let older = Connection::open(&file).unwrap();
    older.execute_batch(&format!("PRAGMA foreign_keys = OFF; ATTACH '{}' AS now", now.display())).unwrap();
    OLDER.iter().for_each(|sql| older.execute_batch(sql).unwrap());
    // What the triggers would count and refuse is counted and taken already.
    let triggers = strings(&older, "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger'");
    for name in strings(&older, "SELECT name FROM main.sqlite_schema WHERE type = 'trigger'") {
        older.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    let tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    for table in strings(&older, tables) {
        let columns = strings(&older, &format!("SELECT name FROM pragma_table_info('{table}', 'main')")).join(", ");
        let copy =
            format!("DELETE FROM main.{table}; INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table}");
        older.execute_batch(&copy).unwrap();
    }
    triggers.iter().for_each(|sql| older.execute_batch(sql).unwrap());
    let ours: i64 = older.query_row("PRAGMA now.application_id", (), |row| row.get(0)).unwrap();
    older.execute_batch(&format!("PRAGMA application_id = {ours}; PRAGMA user_version = {}", OLDER.len())).unwrap();
    drop(older);
    std::fs::remove_file(now).unwrap();
    machine
}

fn strings(open: &Connection, sql: &str) -> Vec<String> {
    let mut statement = open.prepare(sql).unwrap();
    let rows = statement.query_map((), |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// The number of the form, and every table, index and trigger of it; the file must be sound. Not by a command: that would
/// bring it up to date.
fn form(machine: &Machine) -> (usize, BTreeSet<String>) {
    let open = Connection::open(machine.folder.join("omerta.db")).unwrap();
    assert_eq!(strings(&open, "PRAGMA integrity_check"), ["ok"]);
    assert!(strings(&open, "SELECT \"table\" FROM pragma_foreign_key_check").is_empty());
    let version: i64 = open.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let schema = strings(&open, "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema");
    (usize::try_from(version).unwrap(), schema.into_iter().collect())
}

/// What must be the same whatever the form was, and however often the daemon died.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    journal: Vec<Value>,
    show: Value,
    letters: Value,
    /// Kind, turn, subject, body of every letter of an address, sorted.
    mail: BTreeMap<String, Vec<(String, u16, String, String)>>,
}

fn outcome(mut machine: Machine) -> Outcome {
    machine.start(&[]);
    machine.until("rest", || is_quiet(&machine) && queued(&machine) == 0);
    assert_eq!(machine.stop(), Some(0), "{}", machine.log());
    let mail = |address: String| {
        let got = machine.got(&address).into_iter();
        let mut got: Vec<_> = got.map(|got| (got.kind, got.turn, got.subject, steady(&got.body))).collect();
        got.sort();
        (address, got)
    };
    Outcome {
        journal: normal(&machine.ok(&["export", TAG])),
        show: machine.json(&["game", "show", TAG, "--json"]),
        letters: machine.json(&["letters", TAG, "--json"]),
        mail: machine.addresses().into_iter().map(mail).collect(),
    }
}

#[test]
fn a_kill_in_a_migration_leaves_the_old_form_whole_and_the_next_start_makes_the_newest() {
    let template = game_at_rest();
    let (newest, schema) = form(&template);
    let undisturbed = outcome(template.copy());
    let answered =
        |kind: &str| undisturbed.mail.values().flatten().filter(|(got, turn, ..)| got == kind && *turn == 2).count();
    assert_eq!((answered("receipt"), answered("answer"), answered("notice")), (2, 1, 6), "{:#?}", undisturbed.mail);
    let mut machine = as_older(&template);
    let older = form(&machine);
    assert_eq!(older.0, OLDER.len());
    assert!(older.1.len() < schema.len());
    // After each change, and once before the commit.
    let instants = newest - OLDER.len() + 1;
    for passing in 1..=instants {
        machine.start(&["--fail-at", &format!("{}:{passing}", Point::WhileMigrating.name())]);
        until("it dies in the migration", || !machine.lives());
        assert!(!machine.log().contains("omerta: "), "it died otherwise: {}", machine.log());
        assert_eq!(form(&machine), older, "killed at instant {passing}: {}", machine.log());
        assert_eq!(machine.unread(), 3, "nothing is read before the form is right");
    }
    let migrated = outcome(machine.copy());
    assert_eq!(migrated, undisturbed);
    // One instant more than there are, and the start goes through.
    machine.start(&["--fail-at", &format!("{}:{}", Point::WhileMigrating.name(), instants + 1)]);
    until("the letters are read", || machine.unread() == 0);
    assert_eq!(machine.stop(), Some(0), "{}", machine.log());
    assert_eq!(form(&machine), (newest, schema));
}
