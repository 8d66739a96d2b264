//! What bounced, and the addresses that rest because nothing arrives there.

use jiff::Timestamp;
use rusqlite::params;

use super::value::Micros;
use super::{OutId, StoreError, Tx, View};

impl Tx<'_> {
    /// A letter that had left did not arrive. False, and nothing happens, when it failed before or never left. `why`
    /// must hold no address, text or role.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn bounced(&self, id: OutId, why: &str) -> Result<bool, StoreError> {
        let changed = self.change(
            "writing that a letter bounced",
            "UPDATE outbox SET state = 'failed', next_attempt = NULL, why = ?2
             WHERE id = ?1 AND state IN ('sent', 'unknown')",
            params![id, why],
        )?;
        Ok(changed > 0)
    }

    /// Lets an address rest: what waits in the queue for it is held. False when it rests already.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn let_rest(&self, address: &str, because_of: OutId, now: Timestamp) -> Result<bool, StoreError> {
        let new = self.change(
            "letting an address rest",
            "INSERT INTO resting (address, out, since) VALUES (?1, ?2, ?3) ON CONFLICT (address) DO NOTHING",
            params![address, because_of, Micros(now)],
        )?;
        self.change(
            "holding the letters to an address that rests",
            "UPDATE outbox INDEXED BY outbox_by_address SET state = 'held', next_attempt = NULL
             WHERE address = ?1 AND state = 'queued'",
            params![address],
        )?;
        Ok(new > 0)
    }

    /// An address rests no longer, and what is held for it goes out. Gives the number of letters; None when it did not
    /// rest.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn wake_address(&self, address: &str) -> Result<Option<usize>, StoreError> {
        let rested = self.change("waking an address", "DELETE FROM resting WHERE address = ?1", params![address])?;
        if rested == 0 {
            return Ok(None);
        }
        let released = self.change(
            "releasing the letters to an address",
            "UPDATE outbox INDEXED BY outbox_by_address SET state = 'queued', next_attempt = not_before
             WHERE address = ?1 AND state = 'held'",
            params![address],
        )?;
        Ok(Some(released))
    }
}

impl View<'_> {
    /// # Errors
    /// When the database cannot be read.
    pub fn rests(&self, address: &str) -> Result<bool, StoreError> {
        self.one(
            "looking whether an address rests",
            "SELECT EXISTS (SELECT 1 FROM resting WHERE address = ?1)",
            params![address],
            |row| row.get(0),
        )
    }

    /// Every address that rests, since when, and how many letters are held for it; at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn resting(&self, at_most: usize) -> Result<Vec<(String, Timestamp, u64)>, StoreError> {
        self.rows(
            "listing the addresses that rest",
            "SELECT address, since,
                 (SELECT count(*) FROM outbox INDEXED BY outbox_by_address
                  WHERE outbox.address = resting.address AND state = 'held') AS held
             FROM resting ORDER BY since, address LIMIT ?1",
            params![i64::try_from(at_most).unwrap_or(i64::MAX)],
            |row| {
                let Micros(since) = row.get("since")?;
                Ok((row.get("address")?, since, u64::try_from(row.get::<_, i64>("held")?).unwrap_or_default()))
            },
        )
    }

    /// The address to which a letter of ours was written.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn address_of_out(&self, id: OutId) -> Result<Option<String>, StoreError> {
        self.row("reading a letter's address", "SELECT address FROM outbox WHERE id = ?1", params![id], |row| {
            row.get("address")
        })
    }
}
