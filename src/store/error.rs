//! What can go wrong with the database, and the cure. Never an address, a text or a role.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// A failure of the store: what was being done, in which file, what is wrong, what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("database {}: {doing}: {fault}", .path.display())]
pub struct StoreError {
    pub path: PathBuf,
    /// What was being done: "writing an event".
    pub doing: &'static str,
    pub fault: Fault,
}

/// What is wrong, and the cure.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("there is no such file; start `omerta run` once, make a game, or correct `database` in the config file")]
    Missing,
    #[error(
        "the file was removed or replaced while it was in use, and nothing is written any more; move it back, or stop the daemon and put a backup in its place (docs/ops.md)"
    )]
    Gone,
    #[error("the file is no SQLite database; correct `database` in the config file, or put a backup in its place")]
    NotADatabase,
    #[error("the place is a folder; name a file in it by `database` in the config file")]
    Folder,
    #[error("the place holds a pipe, a socket or a device; name a plain file by `database` in the config file")]
    NoFile,
    #[error("the file belongs to another program; correct `database` in the config file")]
    Foreign,
    #[error(
        "the file holds tables of omerta without its marks, as a copy by hand (.dump, .recover) does; put a backup by `omerta backup` in its place"
    )]
    Unmarked,
    #[error(
        "the file is marked as omerta's and is not whole; put the last backup in its place, or take the file away if no game was ever in it"
    )]
    HalfMade,
    #[error(
        "the file is damaged; stop the daemon, keep a copy of the file with its -wal, and put the last backup in its place"
    )]
    Damaged,
    #[error(
        "the file is damaged, {missing} is not there; stop the daemon, keep a copy of the file with its -wal, and put the last backup in its place: a file that `omerta backup` wrote (docs/ops.md)"
    )]
    Incomplete {
        /// `table outbox`, `column games.wake`.
        missing: String,
    },
    #[error(
        "the file is damaged, {part} is not as omerta makes it; stop the daemon, keep a copy of the file with its -wal, and put the last backup in its place: a file that `omerta backup` wrote (docs/ops.md)"
    )]
    Altered {
        /// `index outbox_due`, `trigger events_are_never_changed`.
        part: String,
    },
    #[error(
        "the file was written by a newer omerta (its form is {found}, this one knows up to {known}); install the newer omerta"
    )]
    Newer { found: i64, known: i64 },
    #[error("the disk is full; make room, nothing was written")]
    Full,
    #[error(
        "the file cannot be written; check the owner and mode of the file and its folder, and that the disk is not mounted read-only"
    )]
    ReadOnly,
    #[error(
        "the file cannot be opened; check that it is a file, the owner and mode of it and of its folder, and that the disk is not mounted read-only"
    )]
    CannotOpen,
    #[error("another program has held the file for over ten seconds; end it, or try again")]
    Locked,
    #[error("the disk answers with errors; look at the system's log, and move the file to a sound disk")]
    Disk,
    #[error("another daemon works on this database; stop it first")]
    DaemonRunning,
    #[error("the daemon of an earlier version works on this database; stop it, and start the new one")]
    OlderDaemonRunning,
    #[error("the file {} is there already; name another one", .0.display())]
    Exists(PathBuf),
    #[error("there is no folder {}; make it, or name a file elsewhere", .0.display())]
    NoFolder(PathBuf),
    #[error("the transaction was undone after an earlier failure; nothing of it was written")]
    Undone,
    #[error("the row is taken, or what it refers to is missing ({0})")]
    Conflict(String),
    #[error("there is no such row")]
    NoSuchRow,
    #[error("a value in it is out of its range; the file may be damaged: put the last backup in its place")]
    BadValue,
    #[error("the system gives no random numbers")]
    Randomness,
    #[error("{0}")]
    Io(std::io::Error),
    /// A fault of this program, or one that SQLite names in its own words.
    #[error("SQLite says: {0}")]
    Sqlite(String),
}

impl StoreError {
    pub(super) fn new(path: &Path, doing: &'static str, fault: Fault) -> StoreError {
        StoreError { path: path.to_owned(), doing, fault }
    }

    pub(super) fn io(path: &Path, doing: &'static str, error: std::io::Error) -> StoreError {
        let fault = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Fault::Full,
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => Fault::ReadOnly,
            _ => Fault::Io(error),
        };
        StoreError::new(path, doing, fault)
    }

    pub(super) fn sqlite(path: &Path, doing: &'static str, error: rusqlite::Error) -> StoreError {
        StoreError::new(path, doing, Fault::from(error))
    }

    /// Waiting may help: another program holds the file.
    pub fn is_locked(&self) -> bool {
        matches!(self.fault, Fault::Locked)
    }

    /// Waiting or room on the disk may help, and nothing has to be mended.
    pub fn may_pass(&self) -> bool {
        matches!(self.fault, Fault::Locked | Fault::Full)
    }

    /// Not only this letter or game is in trouble, but the file or the disk.
    pub fn is_fatal(&self) -> bool {
        !matches!(self.fault, Fault::Conflict(_) | Fault::NoSuchRow | Fault::BadValue)
    }

    /// It lies in what stands in the file, whoever opens it and whenever.
    pub fn is_of_the_file(&self) -> bool {
        matches!(
            self.fault,
            Fault::Gone
                | Fault::NotADatabase
                | Fault::Folder
                | Fault::NoFile
                | Fault::Foreign
                | Fault::Unmarked
                | Fault::HalfMade
                | Fault::Damaged
                | Fault::Incomplete { .. }
                | Fault::Altered { .. }
                | Fault::Newer { .. }
        )
    }

    /// A unique value is taken, or a reference leads nowhere.
    pub fn is_conflict(&self) -> bool {
        matches!(self.fault, Fault::Conflict(_))
    }
}

impl Fault {
    /// What SQLite says in words alone. Every statement of ours was tried on a whole file.
    fn said(said: String) -> Fault {
        let missing = |start: &str, kind: &str| said.strip_prefix(start).map(|name| format!("{kind} {name}"));
        match missing("no such table: ", "table").or_else(|| missing("no such column: ", "column")) {
            Some(missing) => Fault::Incomplete { missing },
            None => Fault::Sqlite(said),
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        match error {
            rusqlite::Error::SqliteFailure(failure, said) => {
                // SQLite's own sentences name tables and columns, never values.
                let said = said.unwrap_or_else(|| failure.to_string());
                match failure.code {
                    ErrorCode::NotADatabase => Fault::NotADatabase,
                    ErrorCode::DatabaseCorrupt => Fault::Damaged,
                    ErrorCode::DiskFull => Fault::Full,
                    ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Fault::ReadOnly,
                    ErrorCode::CannotOpen => Fault::CannotOpen,
                    ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Fault::Locked,
                    ErrorCode::SystemIoFailure => Fault::Disk,
                    ErrorCode::ConstraintViolation => Fault::Conflict(said),
                    _ => Fault::said(said),
                }
            }
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => Fault::BadValue,
            rusqlite::Error::QueryReturnedNoRows => Fault::NoSuchRow,
            // Its own Display repeats the whole statement.
            rusqlite::Error::SqlInputError { msg, .. } => Fault::said(msg),
            other => Fault::Sqlite(other.to_string()),
        }
    }
}
