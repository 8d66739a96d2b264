//! Whether a file has every table, column and index of its form. A file that lost one would be found out statement by
//! statement, in SQLite's own words.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use rusqlite::Connection;

use super::file::MIGRATIONS;
use super::{Fault, StoreError};

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
    let missing: Vec<&String> = expected().difference(&found).collect();
    // Without a table its columns are missing, too.
    let told = missing.iter().find(|part| part.starts_with("table ")).or_else(|| missing.first());
    match told {
        Some(part) => Err(StoreError::new(path, "opening", Fault::Incomplete { missing: (**part).clone() })),
        None => Ok(()),
    }
}

fn parts(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    connection.prepare(PARTS)?.query_map((), |row| row.get(0))?.collect()
}

/// What the migrations make, once a process.
fn expected() -> &'static BTreeSet<String> {
    static EXPECTED: OnceLock<BTreeSet<String>> = OnceLock::new();
    let made = || -> rusqlite::Result<BTreeSet<String>> {
        let connection = Connection::open_in_memory()?;
        MIGRATIONS.iter().try_for_each(|sql| connection.execute_batch(sql))?;
        parts(&connection)
    };
    // Migrations that fail here fail on every new file, and say so there.
    EXPECTED.get_or_init(|| made().unwrap_or_default())
}
