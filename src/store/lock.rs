//! One daemon to a database.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use super::{Fault, Store, StoreError};

/// Held by the daemon as long as it lives; the system ends it with the process, however that dies.
#[derive(Debug)]
pub struct DaemonLock {
    _file: File,
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
        match self.lock_file()?.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(StoreError::io(&self.path, "looking for the daemon", error)),
        }
    }

    fn lock_file(&self) -> Result<File, StoreError> {
        let mut name = self.path.clone().into_os_string();
        name.push(".lock");
        let path = PathBuf::from(name);
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
