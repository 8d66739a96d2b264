//! A reader's letters when another person takes his place.

use jiff::Timestamp;
use rusqlite::params;

use super::value::Micros;
use super::{GameId, LetterId, OutId, StoreError, Tx};

/// A letter that was still to go out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsent {
    pub id: OutId,
    pub kind: String,
    pub turn: u16,
    pub subject: String,
    /// It carries the results of a turn.
    pub result: bool,
    pub expires: Option<Timestamp>,
    /// The letter whose words it passes on, or that it answers.
    pub letter: Option<LetterId>,
}

impl Tx<'_> {
    /// An answer to anything that a reader was sent so far proves nothing any more, no question to him can be answered,
    /// and what was still to go out to him is cancelled. Gives those letters, oldest first. Its cost grows with the
    /// game's letters.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn shut_out(&self, game: GameId, reader: &str) -> Result<Vec<Unsent>, StoreError> {
        const DOING: &str = "shutting a reader out";
        let unsent = self.rows(
            DOING,
            "SELECT id, kind, turn, subject, result, expires, letter FROM outbox
             WHERE game = ?1 AND reader = ?2 AND state IN ('held', 'queued') ORDER BY id",
            params![game, reader],
            |row| {
                Ok(Unsent {
                    id: row.get("id")?,
                    kind: row.get("kind")?,
                    turn: row.get("turn")?,
                    subject: row.get("subject")?,
                    result: row.get("result")?,
                    expires: row.get::<_, Option<Micros>>("expires")?.map(|Micros(at)| at),
                    letter: row.get("letter")?,
                })
            },
        )?;
        for sql in [
            "UPDATE outbox
             SET state = CASE state WHEN 'unknown' THEN 'unknown' ELSE 'cancelled' END, next_attempt = NULL
             WHERE game = ?1 AND reader = ?2 AND (state = 'held' OR next_attempt IS NOT NULL)",
            "UPDATE outbox SET token = NULL WHERE game = ?1 AND reader = ?2",
            "DELETE FROM asked WHERE game = ?1 AND reader = ?2",
        ] {
            self.change(DOING, sql, params![game, reader])?;
        }
        Ok(unsent)
    }
}
