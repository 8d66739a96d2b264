//! Whether a file has every table, column and index of its form. A file that lost one would be found out statement by
//! statement, in SQLite's own words.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;

use super::{Fault, StoreError};

/// What the migrations make, a part a line. To make a database in memory and look at that would cost each command ten times
/// what this costs; a test keeps the list true.
const EXPECTED: &str = include_str!("schema/parts.txt");

/// `table games`, `index games_by_wake`, `column games.wake`.
const PARTS: &str = "
    SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'
    UNION ALL
    SELECT 'column ' || made.name || '.' || its.name
    FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS its
    WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%'";

/// Of a file that has the newest form.
///
/// # Errors
/// When a part is missing, or the file can't be read.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = parts(connection).map_err(|error| StoreError::sqlite(path, "opening", error))?;
    let missing: Vec<&str> = EXPECTED.lines().filter(|part| !found.contains(*part)).collect();
    // Without a table its columns are missing, too.
    let told = missing.iter().find(|part| part.starts_with("table ")).or_else(|| missing.first());
    match told {
        Some(part) => Err(StoreError::new(path, "opening", Fault::Incomplete { missing: (*part).to_owned() })),
        None => Ok(()),
    }
}

fn parts(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    connection.prepare(PARTS)?.query_map((), |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `UPDATE_EXPECT=1` a new migration writes itself into the list.
    #[test]
    fn the_list_is_what_the_migrations_make() {
        let connection = Connection::open_in_memory().unwrap();
        super::super::file::MIGRATIONS.iter().for_each(|sql| connection.execute_batch(sql).unwrap());
        let lines: Vec<String> = parts(&connection).unwrap().into_iter().map(|part| part + "\n").collect();
        expect_test::expect_file!["schema/parts.txt"].assert_eq(&lines.concat());
    }
}
