//! What the daemon notes about itself: its beat, how far the inbox was read, its marks.

use jiff::Timestamp;
use rusqlite::params;

use super::value::{Micros, count};
use super::{StoreError, Tx, View};

/// Letters in: processed of all time, quarantined now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxCounts {
    pub processed: u64,
    pub quarantined: u64,
}

impl Tx<'_> {
    /// # Errors
    /// When the database cannot be written.
    pub fn daemon_beat(&self, at: Timestamp, pid: u32) -> Result<(), StoreError> {
        self.change(
            "writing the daemon's beat",
            "INSERT INTO daemon (one, beat_at, pid) VALUES (1, ?1, ?2)
             ON CONFLICT (one) DO UPDATE SET beat_at = excluded.beat_at, pid = excluded.pid",
            params![Micros(at), pid],
        )?;
        Ok(())
    }

    /// The whole inbox was read at a moment not before `at`. An earlier instant than the one noted changes nothing, unless
    /// that one is yet to come: then it was noted by a clock that has been set back since.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_inbox_read(&self, at: Timestamp, now: Timestamp) -> Result<(), StoreError> {
        self.change(
            "noting that the inbox was read",
            "INSERT INTO inbox_read (one, at) VALUES (1, ?1)
             ON CONFLICT (one) DO UPDATE SET at = excluded.at WHERE excluded.at > at OR at > ?2",
            params![Micros(at), Micros(now)],
        )?;
        Ok(())
    }

    /// Notes where the daemon stands, by name: how far a folder was read, whether sending is halted.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_mark(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.change(
            "writing a mark",
            "INSERT INTO marks (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            params![name, value],
        )?;
        Ok(())
    }

    /// # Errors
    /// When the database cannot be written.
    pub fn drop_mark(&self, name: &str) -> Result<(), StoreError> {
        self.change("removing a mark", "DELETE FROM marks WHERE name = ?1", params![name])?;
        Ok(())
    }
}

impl View<'_> {
    /// The daemon's last beat and its process number.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn daemon_status(&self) -> Result<Option<(Timestamp, u32)>, StoreError> {
        self.row("reading the daemon's beat", "SELECT beat_at, pid FROM daemon WHERE one = 1", (), |row| {
            let Micros(at) = row.get("beat_at")?;
            Ok((at, row.get("pid")?))
        })
    }

    /// When the whole inbox was last read through.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn inbox_read(&self) -> Result<Option<Timestamp>, StoreError> {
        self.row("reading when the inbox was read", "SELECT at FROM inbox_read WHERE one = 1", (), |row| {
            row.get("at").map(|Micros(at)| at)
        })
    }

    /// Rows of letters are never deleted: the last number is how many there are.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn inbox_counts(&self) -> Result<InboxCounts, StoreError> {
        self.one(
            "counting the letters",
            "SELECT (SELECT count(*) FROM letters WHERE state = 'quarantined') AS quarantined,
                 (SELECT coalesce(max(id), 0) FROM letters) AS letters,
                 (SELECT count(*) FROM letters WHERE state = 'waiting') AS waiting",
            (),
            |row| {
                let number = |name| row.get(name).map(count);
                let (quarantined, open) = (number("quarantined")?, number("waiting")?);
                let processed = number("letters")?.saturating_sub(quarantined).saturating_sub(open);
                Ok(InboxCounts { processed, quarantined })
            },
        )
    }

    /// Every mark whose name begins so, such as how far each folder was read.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn marks(&self, beginning: &str) -> Result<Vec<(String, String)>, StoreError> {
        self.rows(
            "reading the marks",
            "SELECT name, value FROM marks WHERE name >= ?1 AND name < ?1 || char(1114111) ORDER BY name",
            params![beginning],
            |row| Ok((row.get("name")?, row.get("value")?)),
        )
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn mark(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.row("reading a mark", "SELECT value FROM marks WHERE name = ?1", params![name], |row| row.get("value"))
    }
}
