//! The file: made, opened, and brought up to the form that this version knows.

use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::{Fault, StoreError, lock, whole};
use crate::dice;
use crate::failpoint::{self, Point};

/// The forms of the database, oldest first; `PRAGMA user_version` says how many were applied. Only ever appended to.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("schema/0001_first.sql"),
    include_str!("schema/0002_identity.sql"),
    include_str!("schema/0003_resting.sql"),
    include_str!("schema/0004_signup.sql"),
    include_str!("schema/0005_accounts.sql"),
    include_str!("schema/0006_topic.sql"),
    include_str!("schema/0007_intake.sql"),
    include_str!("schema/0008_feeds.sql"),
    include_str!("schema/0009_words.sql"),
    include_str!("schema/0010_perhaps.sql"),
];

/// `PRAGMA application_id` of our files: "omer".
const OURS: i64 = 0x6F6D_6572;

/// How long another program's lock is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// More than the number of different statements, so that each is compiled once.
const STATEMENTS_KEPT: usize = 200;

/// An absolute path: SQLite would read a relative one that begins with `file:` as an address.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(|error| StoreError::io(path, "opening", error))
}

/// Whatever stands at the place must be a plain file: SQLite would say of a pipe that the disk fails.
pub(super) fn check_kind(path: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(StoreError::new(path, "opening", Fault::Folder)),
        Ok(about) if !about.is_file() => Err(StoreError::new(path, "opening", Fault::NoFile)),
        _ => Ok(()),
    }
}

/// Makes the folder (0700) and an empty file (0600) before SQLite sees it; -wal and -shm take the mode of the file.
pub(super) fn create_if_missing(path: &Path) -> Result<(), StoreError> {
    check_kind(path)?;
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| StoreError::io(folder, "making the folder", error))?;
    }
    match create_private(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(StoreError::io(path, "making the file", error)),
        _ => Ok(()),
    }
}

/// What was written last lies in the log beside the file.
pub(super) fn has_log(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    std::fs::metadata(PathBuf::from(name)).is_ok_and(|log| log.len() > 0)
}

/// A new empty file that only its owner may read and write, whatever the umask says.
pub(super) fn create_private(path: &Path) -> std::io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))
}

/// Device and number of a file.
pub(super) type Identity = (u64, u64);

pub(super) fn identity(path: &Path) -> Result<Identity, StoreError> {
    match std::fs::metadata(path) {
        Ok(about) => Ok((about.dev(), about.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(StoreError::new(path, "looking for the file", Fault::Gone))
        }
        Err(error) => Err(StoreError::io(path, "looking for the file", error)),
    }
}

pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| StoreError::sqlite(path, "opening", error))?;
    connection.busy_timeout(PATIENCE).map_err(|error| StoreError::sqlite(path, "opening", error))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // Without it a statement is compiled anew for other values, in the hope of a better plan: a quarter of a letter's
    // price.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(|error| StoreError::sqlite(path, "opening", error))?;
    Ok(connection)
}

/// Sets the connection up, migrates, and gives the key of the database.
pub(super) fn prepare(connection: &Connection, path: &Path) -> Result<[u8; 32], StoreError> {
    // Nothing is written before it is sure that the file is ours.
    check_form(connection, path)?;
    write_ahead(connection, path)?;
    prepare_in_memory(connection, path)
}

/// As [`prepare`], without a file.
pub(super) fn prepare_in_memory(connection: &Connection, path: &Path) -> Result<[u8; 32], StoreError> {
    let fault = |error| StoreError::sqlite(path, "opening", error);
    // What a savepoint would bring back stays in memory: a letter touches more pages than the 64 KiB behind which SQLite
    // would write each of them into a file as well. It says nothing of what is safe: that is the log's.
    // What one transaction of many letters touches stays in memory until its commit (4 MiB), and the log is carried over
    // into the file only every 32 MB: both for a mailbox in which thousands wait.
    connection
        .execute_batch(
            "PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = ON;
             PRAGMA recursive_triggers = ON;
             PRAGMA trusted_schema = OFF;
             PRAGMA cell_size_check = ON;
             PRAGMA secure_delete = ON;
             PRAGMA temp_store = MEMORY;
             PRAGMA journal_size_limit = 67108864;
             PRAGMA cache_size = -4096;
             PRAGMA wal_autocheckpoint = 8000;",
        )
        .map_err(fault)?;
    migrate(connection, path)?;
    whole::check(connection, path)?;
    match connection.query_row("SELECT value FROM database_key WHERE one = 1", (), |row| row.get(0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => Err(StoreError::new(path, "opening", Fault::HalfMade)),
        key => key.map_err(fault),
    }
}

/// Looks whether the file is ours and whole; one of an older form is not looked at further. Nothing is written.
pub(super) fn look(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    if check_form(connection, path)? == MIGRATIONS.len() { whole::check(connection, path) } else { Ok(()) }
}

/// The number of migrations that were applied to the file.
fn check_form(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    let number = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(|error| StoreError::sqlite(path, "opening", error))
    };
    let (application, form) = (number("application_id")?, number("user_version")?);
    let (tables, key): (i64, bool) = connection
        .query_row(
            "SELECT count(*), coalesce(max(name = 'database_key'), 0) FROM sqlite_schema WHERE type = 'table'",
            (),
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .map_err(|error| StoreError::sqlite(path, "opening", error))?;
    let wrong = |fault| Err(StoreError::new(path, "opening", fault));
    match (application, usize::try_from(form)) {
        (0 | OURS, Ok(0)) if tables == 0 => Ok(0),
        (OURS, Ok(form)) if form > MIGRATIONS.len() => {
            wrong(Fault::Newer { found: i64::try_from(form).unwrap_or(i64::MAX), known: known_form() })
        }
        (OURS, Ok(form)) if form > 0 && key => Ok(form),
        (OURS, _) => wrong(Fault::HalfMade),
        (0, _) if key => wrong(Fault::Unmarked),
        _ => wrong(Fault::Foreign),
    }
}

/// The form that this version knows.
fn known_form() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Turns write-ahead logging on. SQLite does not wait for a lock here, so we do.
#[expect(
    clippy::disallowed_methods,
    reason = "another process holds the file for a moment, and tells nobody when it is done"
)]
fn write_ahead(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    const STEP: Duration = Duration::from_millis(50);
    let mut waited = Duration::ZERO;
    loop {
        let answer = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match answer.map_err(|error| StoreError::sqlite(path, "opening", error)) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(_) => {
                let said = "write-ahead logging cannot be turned on; the file must lie on a local disk".to_owned();
                return Err(StoreError::new(path, "opening", Fault::Sqlite(said)));
            }
            Err(error) if error.is_locked() && waited < PATIENCE => {
                std::thread::sleep(STEP);
                waited += STEP;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Applies what is missing, all of it or nothing. Two processes that do it at once do it one after the other.
fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    // What a migration finds otherwise than every version before left it is told in our words.
    let fault = |error| match Fault::from(error) {
        Fault::Sqlite(said) => {
            tracing::debug!(said, "a migration fails");
            StoreError::new(path, "bringing the file up to date", Fault::HalfMade)
        }
        fault => StoreError::new(path, "bringing the file up to date", fault),
    };
    match check_form(connection, path)? {
        form if form == MIGRATIONS.len() => return Ok(()),
        0 => {}
        // The daemon of an earlier version goes on as it began: it would not find what a migration takes away.
        _ if lock::is_held(path) => {
            return Err(StoreError::new(path, "bringing the file up to date", Fault::OlderDaemonRunning));
        }
        _ => {}
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(fault)?;
    let applied = check_form(connection, path)?;
    for sql in MIGRATIONS.iter().skip(applied) {
        transaction.execute_batch(sql).map_err(fault)?;
        failpoint::pass(Point::WhileMigrating);
    }
    fill_mailboxes(&transaction).map_err(fault)?;
    if applied == 0 {
        let key = dice::random_32()
            .map_err(|_| StoreError::new(path, "drawing the key of the database", Fault::Randomness))?;
        transaction.execute("INSERT INTO database_key (one, value) VALUES (1, ?1)", [key]).map_err(fault)?;
        transaction.pragma_update(None, "application_id", OURS).map_err(fault)?;
    }
    transaction.pragma_update(None, "user_version", known_form()).map_err(fault)?;
    failpoint::pass(Point::WhileMigrating);
    transaction.commit().map_err(fault)
}

/// SQL does not know which addresses are one mailbox: rows written before it was asked are filled in here.
fn fill_mailboxes(connection: &Connection) -> rusqlite::Result<()> {
    for (look, fill) in [
        ("SELECT DISTINCT address FROM seats WHERE mailbox = ''", "UPDATE seats SET mailbox = ?2 WHERE address = ?1"),
        (
            "SELECT DISTINCT address FROM officers WHERE mailbox = ''",
            "UPDATE officers SET mailbox = ?2 WHERE address = ?1",
        ),
    ] {
        let mut looking = connection.prepare(look)?;
        let addresses = looking.query_map((), |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
        for address in addresses {
            connection.execute(fill, [&address, &crate::address::fold_address(&address)])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("omerta.db");
        create_if_missing(&path).unwrap();
        let connection = connect(&path).unwrap();
        prepare(&connection, &path).unwrap();
        (folder, connection)
    }

    /// A database as the first version made it.
    fn of_the_first_form() -> (tempfile::TempDir, PathBuf, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("omerta.db");
        create_if_missing(&path).unwrap();
        let connection = connect(&path).unwrap();
        connection.execute_batch(MIGRATIONS.first().unwrap()).unwrap();
        connection.execute_batch("INSERT INTO database_key (one, value) VALUES (1, randomblob(32))").unwrap();
        connection.pragma_update(None, "application_id", OURS).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        (folder, path, connection)
    }

    #[test]
    fn every_promise_about_the_connection_is_kept() {
        let (_folder, connection) = fresh();
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((number("synchronous"), number("foreign_keys"), number("busy_timeout")), (2, 1, 10_000));
        assert_eq!((number("secure_delete"), number("recursive_triggers")), (1, 1));
        assert!(connection.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG).unwrap());
        assert_eq!(number("temp_store"), 2);
        assert_eq!((number("cache_size"), number("wal_autocheckpoint")), (-4096, 8000));
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn addresses_of_an_older_form_get_their_mailbox() {
        let (_folder, path, connection) = of_the_first_form();
        connection
            .execute_batch(
                "INSERT INTO games (id, tag, title, state, seq, created_at) VALUES (1, 'old', '', 'playing', 0, 0);
                 INSERT INTO seats (game, player, address) VALUES (1, 0, 'an.na+x@googlemail.com');
                 INSERT INTO officers (game, role, position, address) VALUES (1, 'host', 0, 'h@ya.ru');",
            )
            .unwrap();
        prepare(&connection, &path).unwrap();
        let mailbox = |table: &str| -> String {
            connection.query_row(&format!("SELECT mailbox FROM {table}"), (), |row| row.get(0)).unwrap()
        };
        assert_eq!((mailbox("seats"), mailbox("officers")), ("anna@gmail.com".to_owned(), "h@yandex.ru".to_owned()));
    }

    #[test]
    fn the_file_of_a_running_older_daemon_stays_as_it_is() {
        let (folder, path, connection) = of_the_first_form();
        let its_lock = std::fs::File::create(folder.path().join("omerta.db.lock")).unwrap();
        its_lock.try_lock().unwrap();
        let refused = prepare(&connection, &path).unwrap_err();
        assert!(matches!(refused.fault, Fault::OlderDaemonRunning), "{refused}");
        assert_eq!(check_form(&connection, &path).unwrap(), 1);
        drop(its_lock);
        prepare(&connection, &path).unwrap();
        assert_eq!(check_form(&connection, &path).unwrap(), MIGRATIONS.len());
    }

    #[test]
    fn words_that_no_state_has_are_refused_without_a_table_for_each_row() {
        let (_folder, path, connection) = of_the_first_form();
        prepare(&connection, &path).unwrap();
        for (table, states) in [
            ("letters", vec!["done", "waiting", "quarantined", "ignored"]),
            ("outbox", vec!["held", "queued", "sent", "unknown", "failed", "expired", "cancelled"]),
        ] {
            let made: String = connection
                .query_row("SELECT sql FROM sqlite_schema WHERE name = ?1", [table], |row| row.get(0))
                .unwrap();
            assert!(!made.contains("state IN"), "{made}");
            let (_, check) = made.split_once("state TEXT NOT NULL CHECK (").unwrap();
            let check = check.split_inclusive(')').next().unwrap().trim_end_matches(')');
            let takes = |state: &str| -> bool {
                let sql = format!("SELECT {check} FROM (SELECT ?1 AS state)");
                connection.query_row(&sql, [state], |row| row.get(0)).unwrap()
            };
            assert!(states.iter().all(|state| takes(state)), "{check}");
            assert!(!["", "Done", "gone", "queued "].iter().any(|state| takes(state)), "{check}");
        }
        let sound: String = connection.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        // The connection that changed it goes by it at once.
        let refused = connection.execute(
            "INSERT INTO letters (place, second, within, sha256, body_hash, too_large, state, received_at)
             VALUES ('x', 0, '', zeroblob(32), '', 0, 'gone', 0)",
            (),
        );
        assert!(refused.unwrap_err().to_string().contains("CHECK"));
    }

    #[test]
    fn every_table_is_strict_and_says_of_each_column_whether_it_may_be_null() {
        let (_folder, connection) = fresh();
        let tables: Vec<(String, bool)> = connection
            .prepare("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
            .unwrap()
            .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(tables.len() > 15);
        assert!(tables.iter().all(|(_, strict)| *strict), "{tables:?}");
        let nullable: Vec<String> = connection
            .prepare(
                "SELECT t.name || '.' || c.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND NOT c.\"notnull\" ORDER BY 1",
            )
            .unwrap()
            .query_map((), |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        expect_test::expect![[r#"
            applicants.forum_name
            games.wake
            letters.error
            letters.game
            letters.message_id
            letters.player
            letters.sender
            outbox.expires
            outbox.game
            outbox.letter
            outbox.next_attempt
            outbox.perhaps_at
            outbox.sent_at
            outbox.token
            outbox.why
            seats.forum_name
            texts.body
            texts.salt"#]]
        .assert_eq(&nullable.join("\n"));
    }
}
