//! Where everything is kept: one SQLite file, and the only place that speaks SQL.
//!
//! [`Store`] is the file, open. All work is done inside [`Store::write`] or [`Store::read`]: a [`View`] can look, a
//! [`Tx`] can also write, and what one transaction wrote is there as a whole or not at all.
//! The store knows no rules: an event, a snapshot and a letter are text and bytes to it.
//! Whatever is asked once a letter or once a tick is found by an index, so that its cost depends neither on the number
//! of games nor on how long the journals and the history of the post have grown.

mod accounts;
mod asked;
mod backup;
mod daemon;
mod error;
mod file;
mod games;
mod letters;
mod lock;
mod outbox;
mod people;
#[cfg(test)]
mod plans;
mod queue;
mod resting;
mod shut_out;
mod signup;
mod texts;
mod topic;
mod value;
mod whole;

use std::cell::Cell;
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior};

use crate::failpoint::{self, Point};

pub use asked::AskedRow;
pub use daemon::InboxCounts;
pub use error::{Fault, StoreError};
pub use games::{EventRow, GameHead, GameId};
pub use letters::{LetterId, LetterRow, LetterState, NewLetter};
pub use lock::DaemonLock;
pub use outbox::{OutCounts, OutListing, OutState, TokenRow};
pub use people::{Officer, OfficerPlace, Seat, SeatPlace};
pub use queue::{NewOut, OutId, OutRow, TalkRow};
pub use shut_out::Unsent;
pub use signup::{ApplicantRow, Application};
pub use topic::{AuthorRow, FeedRow, TopicRow};

/// The database, open. One connection; other processes may have the file open too.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    key: [u8; 32],
    /// Which file it was when it was opened.
    identity: file::Identity,
    /// It stands for a database that is not there.
    nothing: bool,
}

/// A transaction that looks, at one moment of the database.
pub struct View<'a> {
    connection: &'a Connection,
    path: &'a Path,
}

/// A transaction that writes.
pub struct Tx<'a> {
    view: View<'a>,
}

/// There is no such file, or nothing in it: SQLite takes both for a database that begins.
fn is_nothing(path: &Path) -> bool {
    std::fs::metadata(path).map_or(!path.exists(), |about| about.is_file() && about.len() == 0)
}

/// There is nothing, and there was something: its log lies there, or a daemon has it.
fn was_moved_away(path: &Path) -> bool {
    is_nothing(path) && (file::has_log(path) || (!path.exists() && lock::is_held(path)))
}

impl Store {
    /// Opens the database; makes it, and its folder, if there is none (modes 0600 and 0700); brings it up to the form
    /// that this version knows.
    ///
    /// # Errors
    /// When the file cannot be made, opened or brought up to date, is no database of ours, or is of a newer version.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let path = file::absolute(path)?;
        // Another file in its place would take its log away from the one that was moved.
        if was_moved_away(&path) {
            return Err(StoreError::new(&path, "opening", Fault::Gone));
        }
        file::create_if_missing(&path)?;
        Store::open_file(path)
    }

    /// As [`Store::open`], for commands that make no sense without a database.
    ///
    /// # Errors
    /// As [`Store::open`], and when there is no such file.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        let path = file::absolute(path)?;
        file::check_kind(&path)?;
        if is_nothing(&path) {
            let why = if was_moved_away(&path) { Fault::Gone } else { Fault::Missing };
            return Err(StoreError::new(&path, "opening", why));
        }
        Store::open_file(path)
    }

    fn open_file(path: PathBuf) -> Result<Store, StoreError> {
        let connection = file::connect(&path)?;
        let key = file::prepare(&connection, &path)?;
        let identity = file::identity(&path)?;
        Ok(Store { connection, path, key, identity, nothing: false })
    }

    /// In the place of a database that is not there yet: an empty one in memory, into which nothing is ever written.
    ///
    /// # Errors
    /// When the system has no room or no random numbers.
    pub fn nothing(path: &Path) -> Result<Store, StoreError> {
        let fault = |error| StoreError::sqlite(path, "opening", error);
        let connection = Connection::open_in_memory().map_err(fault)?;
        let key = file::prepare_in_memory(&connection, path)?;
        Ok(Store { connection, path: path.to_owned(), key, identity: (0, 0), nothing: true })
    }

    /// Looks whether the file, if there is one, is a database of ours and whole. It is not brought up to date.
    ///
    /// # Errors
    /// When it is not, or cannot be read.
    pub fn look(path: &Path) -> Result<(), StoreError> {
        let path = file::absolute(path)?;
        file::check_kind(&path)?;
        if was_moved_away(&path) {
            return Err(StoreError::new(&path, "opening", Fault::Gone));
        }
        if path.exists() { file::look(&file::connect(&path)?, &path) } else { Ok(()) }
    }

    /// Does `work` in one transaction that is written as a whole, safe on the disk, when `work` gives `Ok`, and leaves
    /// no trace when it gives `Err` or panics. The file is locked for other writers from the start. An error of the
    /// store that `work` does not hand on must have been met in a [`Tx::savepoint`], or half a step may be written.
    ///
    /// # Errors
    /// What `work` gives, or a [`StoreError`]. A transaction inside a transaction is an error.
    pub fn write<T, E>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T, E>) -> Result<T, E>
    where
        E: From<StoreError>,
    {
        let fault = |doing, error| StoreError::sqlite(&self.path, doing, error);
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
            .map_err(|error| fault("beginning to write", error))?;
        let done = work(&Tx { view: self.view() })?;
        if self.connection.is_autocommit() {
            return Err(StoreError::new(&self.path, "committing", Fault::Undone).into());
        }
        if self.nothing {
            return Err(StoreError::new(&self.path, "committing", Fault::Missing).into());
        }
        failpoint::pass(Point::BeforeCommit);
        transaction.commit().map_err(|error| fault("committing", error))?;
        failpoint::pass(Point::AfterCommit);
        Ok(done)
    }

    /// Does `work` at one moment of the database: what others write meanwhile is not seen.
    ///
    /// # Errors
    /// What `work` gives, or a [`StoreError`].
    pub fn read<T, E>(&self, work: impl FnOnce(&View<'_>) -> Result<T, E>) -> Result<T, E>
    where
        E: From<StoreError>,
    {
        let _ends_when_dropped = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
            .map_err(|error| StoreError::sqlite(&self.path, "beginning to read", error))?;
        work(&self.view())
    }

    /// The random secret of this database, drawn when it was made: tokens and proof words come from it, never a lot.
    pub fn key(&self) -> [u8; 32] {
        self.key
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that was opened lies where it lay: what is written into one that was removed is lost.
    ///
    /// # Errors
    /// When it is gone, or another one lies there.
    pub fn check_place(&self) -> Result<(), StoreError> {
        match file::identity(&self.path) {
            Ok(identity) if identity == self.identity => Ok(()),
            Ok(_) => Err(StoreError::new(&self.path, "looking for the file", Fault::Gone)),
            Err(error) => Err(error),
        }
    }

    /// A number that changes when another connection (a command line beside the daemon) has written.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn version_seen(&self) -> Result<i64, StoreError> {
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|error| StoreError::sqlite(&self.path, "looking for news", error))
    }

    fn view(&self) -> View<'_> {
        View { connection: &self.connection, path: &self.path }
    }
}

/// Without the key.
impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
}

impl<'a> Deref for Tx<'a> {
    type Target = View<'a>;

    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

impl Tx<'_> {
    /// Does a part of the work so that its failure undoes only that part: one poison letter leaves its neighbours be.
    ///
    /// # Errors
    /// What `work` gives. If the system undid the whole transaction (a full disk), every later step of it fails too.
    pub fn savepoint<T, E>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T, E>) -> Result<T, E>
    where
        E: From<StoreError>,
    {
        self.change("setting a savepoint", "SAVEPOINT part", ())?;
        let undo = UndoPart { tx: self, armed: Cell::new(true) };
        let done = work(self)?;
        self.change("ending a savepoint", "RELEASE part", ())?;
        undo.armed.set(false);
        Ok(done)
    }

    /// One statement that writes; gives the number of rows it changed.
    fn change(&self, doing: &'static str, sql: &str, values: impl Params) -> Result<usize, StoreError> {
        let mut statement = self.statement(doing, sql)?;
        statement.execute(values).map_err(|error| self.fault(doing, error))
    }

    /// One row more; gives its number. `RETURNING` and `count(DISTINCT ..)` make a table of their own each time: what is
    /// done for each letter does without.
    fn insert(&self, doing: &'static str, sql: &str, values: impl Params) -> Result<i64, StoreError> {
        let mut statement = self.statement(doing, sql)?;
        statement.insert(values).map_err(|error| self.fault(doing, error))
    }

    /// As [`Tx::change`], for a row that must be there.
    fn change_one(&self, doing: &'static str, sql: &str, values: impl Params) -> Result<(), StoreError> {
        match self.change(doing, sql, values)? {
            0 => Err(StoreError::new(self.path, doing, Fault::NoSuchRow)),
            _ => Ok(()),
        }
    }
}

impl View<'_> {
    /// All rows that a statement gives.
    fn rows<T>(
        &self,
        doing: &'static str,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.statement(doing, sql)?;
        let rows = statement.query_map(values, read).map_err(|error| self.fault(doing, error))?;
        rows.collect::<rusqlite::Result<Vec<T>>>().map_err(|error| self.fault(doing, error))
    }

    /// The first row that a statement gives, if any.
    fn row<T>(
        &self,
        doing: &'static str,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.statement(doing, sql)?;
        statement.query_row(values, read).optional().map_err(|error| self.fault(doing, error))
    }

    /// The row that a statement always gives: a count, a new number.
    fn one<T>(
        &self,
        doing: &'static str,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.row(doing, sql, values, read)?.ok_or_else(|| StoreError::new(self.path, doing, Fault::NoSuchRow))
    }

    /// After some failures SQLite undoes the whole transaction by itself; whatever came next would then be written
    /// alone. So every statement makes sure first.
    fn statement(&self, doing: &'static str, sql: &str) -> Result<rusqlite::CachedStatement<'_>, StoreError> {
        if self.connection.is_autocommit() {
            return Err(StoreError::new(self.path, doing, Fault::Undone));
        }
        #[cfg(test)]
        plans::heard(sql);
        self.connection.prepare_cached(sql).map_err(|error| self.fault(doing, error))
    }

    fn fault(&self, doing: &'static str, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path, doing, error)
    }
}

/// Undoes a part when it fails or panics.
struct UndoPart<'a, 'b> {
    tx: &'a Tx<'b>,
    armed: Cell<bool>,
}

impl Drop for UndoPart<'_, '_> {
    fn drop(&mut self) {
        if self.armed.get() {
            // If these fail the whole transaction is gone, which the next statement and the commit notice.
            let _ = self.tx.change("undoing a part", "ROLLBACK TO part", ());
            let _ = self.tx.change("ending a savepoint", "RELEASE part", ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> (tempfile::TempDir, Store, GameId) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("omerta.db")).unwrap();
        let game = store.write(|tx| tx.create_game("palermo", "", "playing", jiff::Timestamp::UNIX_EPOCH)).unwrap();
        (folder, store, game)
    }

    fn append(tx: &Tx<'_>, game: GameId, body: &str) -> Result<i64, StoreError> {
        tx.append(game, jiff::Timestamp::UNIX_EPOCH, "event", body)
    }

    fn pages(store: &Store, most: i64) {
        store.connection.pragma_update_and_check(None, "max_page_count", most, |_| Ok(())).unwrap();
    }

    #[test]
    fn a_full_disk_is_named_and_nothing_of_the_transaction_stays() {
        let (_folder, store, game) = fresh();
        pages(&store, 90);
        let big = "x".repeat(1_000_000);
        let error = store
            .write(|tx| {
                append(tx, game, "{}")?;
                append(tx, game, &big)
            })
            .unwrap_err();
        assert!(matches!(error.fault, Fault::Full), "{error}");
        assert!(error.to_string().ends_with("writing an event: the disk is full; make room, nothing was written"));
        pages(&store, 1_000_000);
        assert_eq!(store.read(|tx| tx.game_by_id(game)).unwrap().unwrap().seq, 0);
        assert_eq!(store.write(|tx| append(tx, game, &big)).unwrap(), 1);
    }

    #[test]
    fn when_the_system_undid_a_transaction_the_rest_of_it_is_not_written_alone() {
        let (_folder, store, game) = fresh();
        let done = store.write(|tx| {
            append(tx, game, "{}")?;
            let lost: Result<(), StoreError> = tx.savepoint(|tx| {
                append(tx, game, "{}")?;
                // What SQLite does by itself on some failures of the disk.
                tx.connection.execute_batch("ROLLBACK").map_err(|error| tx.fault("testing", error))?;
                Err(StoreError::new(tx.path, "testing", Fault::Full))
            });
            assert!(lost.is_err());
            let error = append(tx, game, "{}").unwrap_err();
            assert!(matches!(error.fault, Fault::Undone), "{error}");
            Ok::<_, StoreError>(())
        });
        assert!(matches!(done.unwrap_err().fault, Fault::Undone), "a swallowed error is found at the commit");
        assert_eq!(store.read(|tx| tx.game_by_id(game)).unwrap().unwrap().seq, 0);
    }

    #[test]
    fn a_lock_that_does_not_end_is_named() {
        let (_folder, store, game) = fresh();
        let other = Store::open(store.path()).unwrap();
        other.connection.busy_timeout(std::time::Duration::from_millis(30)).unwrap();
        store
            .write(|_| {
                let error = other.write(|tx| append(tx, game, "{}")).unwrap_err();
                assert!(error.is_locked(), "{error}");
                // Looking is never locked out.
                other.read(|tx| tx.game_by_id(game))
            })
            .unwrap();
        assert_eq!(other.write(|tx| append(tx, game, "{}")).unwrap(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let (_folder, store, game) = fresh();
        store.connection.pragma_update(None, "query_only", true).unwrap();
        let error = store.write(|tx| append(tx, game, "{}")).unwrap_err();
        assert!(matches!(error.fault, Fault::ReadOnly), "{error}");
    }

    #[test]
    fn errors_never_repeat_what_was_to_be_written() {
        let (_folder, store, game) = fresh();
        let error = store
            .write(|tx| {
                tx.put_seat(game, 1, "secret@example.org", Some("secret-name"))?;
                tx.put_seat(game, 2, "secret@example.org", Some("secret-name"))
            })
            .unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}
