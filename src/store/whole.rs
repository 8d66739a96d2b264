//! Whether a file has every table, column, index and trigger of its form, each as it was made. A part that is not there
//! would be found out statement by statement, in SQLite's own words; one that was made anew by hand, without its UNIQUE or
//! its condition, never.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use super::{Fault, StoreError};

/// What the migrations make, a part a line, with the statement that made it. To make a database in memory and look at that
/// would cost each command ten times what this costs; a test keeps the list true.
const EXPECTED: &str = include_str!("schema/parts.txt");

/// Between a part and its statement.
const MADE_BY: &str = " = ";

/// `table games`, `index games_by_wake`, each with its statement; `column games.wake`, which is part of its table's.
const PARTS: &str = "
    SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'
    UNION ALL
    SELECT 'column ' || made.name || '.' || its.name, ''
    FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS its
    WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%'";

/// Of a file that has the newest form. What is there besides is not looked at.
///
/// # Errors
/// When a part is missing or was made otherwise, or the file can't be read.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = parts(connection).map_err(|error| StoreError::sqlite(path, "opening", error))?;
    let expected = || EXPECTED.lines().map(|line| line.split_once(MADE_BY).unwrap_or((line, "")));
    let wrong = |fault| Err(StoreError::new(path, "opening", fault));
    let missing: Vec<&str> = expected().map(|(part, _)| part).filter(|part| !found.contains_key(*part)).collect();
    // Without a table its columns are missing, too.
    if let Some(part) = missing.iter().find(|part| part.starts_with("table ")).or_else(|| missing.first()) {
        return wrong(Fault::Incomplete { missing: (*part).to_owned() });
    }
    match expected().find(|(part, made)| found.get(*part).is_none_or(|found| found != made)) {
        Some((part, _)) => wrong(Fault::Altered { part: part.to_owned() }),
        None => Ok(()),
    }
}

/// Each part, and how it was made.
fn parts(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let part = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, in_one_line(row.get_ref(1)?.as_str()?)));
    connection.prepare(PARTS)?.query_map((), part)?.collect()
}

/// Without comments, and with one space where there is any: what a dump or an editor does to it changes nothing.
fn in_one_line(statement: &str) -> String {
    let bare = statement.lines().map(|line| line.split_once("--").map_or(line, |(before, _)| before));
    let mut line = String::with_capacity(statement.len());
    for word in bare.flat_map(str::split_whitespace) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `UPDATE_EXPECT=1` a new migration writes itself into the list.
    #[test]
    fn the_list_is_what_the_migrations_make() {
        let connection = Connection::open_in_memory().unwrap();
        super::super::file::MIGRATIONS.iter().for_each(|sql| connection.execute_batch(sql).unwrap());
        let line = |(part, made): (String, String)| match made.is_empty() {
            true => format!("{part}\n"),
            false => format!("{part}{MADE_BY}{made}\n"),
        };
        let lines: Vec<String> = parts(&connection).unwrap().into_iter().map(line).collect();
        expect_test::expect_file!["schema/parts.txt"].assert_eq(&lines.concat());
    }
}
