//! One daemon to a database.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Fault, Store, StoreError};

/// Held by the daemon as long as it lives; the system ends it with the process, however that dies.
#[derive(Debug)]
pub struct DaemonLock {
    _file: File,
}

/// Whether a daemon has this database, be its file there or not. Nothing is made.
pub(super) fn is_held(database: &Path) -> bool {
    let held = OpenOptions::new().read(true).open(lock_path(database));
    held.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn lock_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

impl Store {
    /// Makes this process the only daemon of the database, by a lock on the file `<database>.lock`.
    ///
    /// # Errors
    /// When another process holds the lock, or the lock file cannot be made.
    #[expect(clippy::disallowed_methods, reason = "a lock that is held for an instant tells nobody when it is free")]
    pub fn lock_for_daemon(&self) -> Result<DaemonLock, StoreError> {
        // A process that only looks whether a daemon runs holds the lock for an instant; that is waited out.
        const TRIES: u32 = 10;
        const PAUSE: Duration = Duration::from_millis(20);
        let file = self.lock_file()?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(DaemonLock { _file: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => {
                    return Err(StoreError::io(&self.path, "locking the file for the daemon", error));
                }
            }
        }
        Err(StoreError::new(&self.path, "locking the file for the daemon", Fault::DaemonRunning))
    }

    /// Whether a daemon lives: it holds the lock. Truer than its last beat.
    ///
    /// # Errors
    /// When the lock file cannot be opened.
    pub fn daemon_runs(&self) -> Result<bool, StoreError> {
        let failed = |error| StoreError::io(&self.path, "looking for the daemon", error);
        let file = match OpenOptions::new().read(true).open(lock_path(&self.path)) {
            Ok(file) => file,
            // Where nobody has ever locked nobody runs; looking makes no file.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed(error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    fn lock_file(&self) -> Result<File, StoreError> {
        let path = lock_path(&self.path);
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|error| StoreError::io(&path, "opening the daemon's lock file", error))
    }
}
