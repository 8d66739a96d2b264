//! Backups, the check of the whole file, and erasure that reaches the disk.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{Fault, Store, StoreError, file};

impl Store {
    /// Writes a copy of the whole database as it is now, mode 0600; the daemon may go on meanwhile. The copy appears
    /// under its name only when it is complete and safe on the disk.
    ///
    /// # Errors
    /// When `target` is there already, or cannot be written.
    pub fn backup(&self, target: &Path) -> Result<(), StoreError> {
        let target = file::absolute(target)?;
        if target.symlink_metadata().is_ok() {
            return Err(StoreError::new(&self.path, "making a backup", Fault::Exists(target)));
        }
        if let Some(folder) = target.parent().filter(|folder| !folder.is_dir()) {
            return Err(StoreError::new(&self.path, "making a backup", Fault::NoFolder(folder.to_owned())));
        }
        let mut part = target.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let written = self.write_backup(&part, &target);
        if written.is_err() {
            // What is left of it is of no use; that it cannot be removed is not the news.
            let _ = std::fs::remove_file(&part);
        }
        written
    }

    fn write_backup(&self, part: &Path, target: &Path) -> Result<(), StoreError> {
        const DOING: &str = "making a backup";
        let failed = |error| StoreError::io(target, DOING, error);
        let name = part.to_str().ok_or_else(|| StoreError::new(target, DOING, Fault::CannotOpen))?;
        match std::fs::remove_file(part) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        file::create_private(part).map_err(failed)?;
        self.connection.execute("VACUUM INTO ?1", [name]).map_err(|error| StoreError::sqlite(target, DOING, error))?;
        // SQLite leaves it to us to bring the copy to the disk.
        File::open(part).and_then(|file| file.sync_all()).map_err(failed)?;
        std::fs::rename(part, target).map_err(failed)?;
        match target.parent() {
            Some(folder) => File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed),
            None => Ok(()),
        }
    }

    /// Looks through the whole file; gives what is wrong with it, nothing if it is sound. Its cost grows with the file.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn check_whole(&self) -> Result<Vec<String>, StoreError> {
        let fault = |error| StoreError::sqlite(&self.path, "checking the file", error);
        let mut statement = self.connection.prepare("PRAGMA integrity_check(20)").map_err(fault)?;
        let said: Vec<String> = statement.query_map((), |row| row.get(0)).and_then(Iterator::collect).map_err(fault)?;
        let mut wrong: Vec<String> = said.into_iter().filter(|line| line != "ok").collect();
        let mut statement = self.connection.prepare("PRAGMA foreign_key_check").map_err(fault)?;
        let lost: Vec<String> = statement.query_map((), |row| row.get(0)).and_then(Iterator::collect).map_err(fault)?;
        wrong.extend(lost.into_iter().take(20).map(|table| format!("a row of {table} refers to nothing")));
        Ok(wrong)
    }

    /// Brings erasures from the write-ahead log into the file and empties the log, so that nothing erased is left on
    /// the disk. Other connections that are reading may prevent it: false, and it is to be tried again.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn settle_erasure(&self) -> Result<bool, StoreError> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, i64>(0))
            .map(|busy| busy == 0)
            .map_err(|error| StoreError::sqlite(&self.path, "emptying the write-ahead log", error))
    }
}
