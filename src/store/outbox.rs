//! What became of the letters that went out, and what an answer to one of them refers to.

use jiff::{SignedDuration, Timestamp};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, params};
use subtle::ConstantTimeEq;

use super::value::{Micros, count, limit};
use super::{GameId, LetterId, OutId, StoreError, Tx, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutState {
    Held,
    Queued,
    Sent,
    Unknown,
    Failed,
    Expired,
    Cancelled,
}

/// A letter as `omerta letters` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutListing {
    pub id: OutId,
    pub kind: String,
    pub reader: String,
    /// The address.
    pub to: String,
    pub turn: u16,
    pub subject: String,
    pub state: OutState,
    pub message_id: String,
    pub attempts: u32,
    /// When it was sent, if it was.
    pub at: Option<Timestamp>,
    /// Why the last attempt failed.
    pub why: Option<String>,
}

/// What a token, or the Message-ID of one of our letters, stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    pub out: OutId,
    pub game: Option<GameId>,
    pub reader: String,
    pub turn: u16,
    pub kind: String,
    /// The letter that ours answered.
    pub letter: Option<LetterId>,
    pub state: OutState,
}

/// Letters out: held and queued now, sent and failed of all time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutCounts {
    pub queued: u64,
    pub sent: u64,
    pub failed: u64,
}

impl Tx<'_> {
    /// 1 for the first letter to this reader, then 2, and so on: tokens are made from it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn next_letter_number(&self, game: impl Into<Option<GameId>>, reader: &str) -> Result<u64, StoreError> {
        let game = game.into().unwrap_or(GameId(0));
        self.change(
            "numbering a letter",
            "INSERT INTO letter_numbers (game, reader, n) VALUES (?1, ?2, 1)
             ON CONFLICT (game, reader) DO UPDATE SET n = n + 1",
            params![game, reader],
        )?;
        let number = self.one(
            "reading a letter's number",
            "SELECT n FROM letter_numbers WHERE game = ?1 AND reader = ?2",
            params![game, reader],
            |row| row.get(0),
        )?;
        Ok(count(number))
    }

    /// Counts one more of something that is capped, such as the private letters of a player (`key`) on a day; false,
    /// and nothing is counted, when `limit` was reached before.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn bump(&self, game: impl Into<Option<GameId>>, name: &str, key: &str, limit: u32) -> Result<bool, StoreError> {
        if limit == 0 {
            return Ok(false);
        }
        let counted = self.change(
            "counting what is capped",
            "INSERT INTO caps (game, name, key, n) VALUES (?1, ?2, ?3, 1)
             ON CONFLICT (game, name, key) DO UPDATE SET n = n + 1 WHERE n < ?4",
            params![game.into().unwrap_or(GameId(0)), name, key, limit],
        )?;
        Ok(counted > 0)
    }
}

impl View<'_> {
    /// All letters of a game, oldest first. Its cost grows with their number.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn outbox(&self, game: GameId) -> Result<Vec<OutListing>, StoreError> {
        self.rows(
            "listing a game's letters",
            "SELECT id, kind, reader, address, turn, subject, state, message_id, attempts, sent_at, why
             FROM outbox WHERE game = ?1 ORDER BY id",
            params![game],
            OutListing::read,
        )
    }

    /// Whether a letter to a host of the game has failed, or may not have arrived. Its cost grows with the game's
    /// letters.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_lost_letter_to_host(&self, game: GameId) -> Result<bool, StoreError> {
        self.one(
            "looking for lost letters to a host",
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE game = ?1 AND next_attempt IS NULL
                            AND state IN ('failed', 'unknown') AND reader >= 'host:' AND reader < 'host;')",
            params![game],
            |row| row.get(0),
        )
    }

    /// The letters of a game that wait for a release, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn held(&self, game: GameId) -> Result<Vec<OutListing>, StoreError> {
        self.rows(
            "listing a game's held letters",
            "SELECT id, kind, reader, address, turn, subject, state, message_id, attempts, sent_at, why
             FROM outbox WHERE game = ?1 AND state = 'held' ORDER BY id",
            params![game],
            OutListing::read,
        )
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn out(&self, id: OutId) -> Result<Option<OutListing>, StoreError> {
        self.row(
            "reading a letter sent",
            "SELECT id, kind, reader, address, turn, subject, state, message_id, attempts, sent_at, why
             FROM outbox WHERE id = ?1",
            params![id],
            OutListing::read,
        )
    }

    /// The bytes of a letter sent or to be sent; None when they were erased.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn out_bytes(&self, id: OutId) -> Result<Option<Vec<u8>>, StoreError> {
        self.row("reading a letter's bytes", "SELECT bytes FROM outbox_bytes WHERE out = ?1", params![id], |row| {
            row.get("bytes")
        })
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn outbox_counts(&self) -> Result<OutCounts, StoreError> {
        Ok(OutCounts {
            queued: self.counted("out_queued")?,
            sent: self.counted("out_sent")?,
            failed: self.counted("out_failed")?,
        })
    }

    /// One of the counts that triggers keep.
    fn counted(&self, name: &str) -> Result<u64, StoreError> {
        self.one("reading a count", "SELECT n FROM counts WHERE name = ?1", params![name], |row| row.get(0).map(count))
    }

    /// The letters with the results of a turn that are still held or queued, and their readers.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn unsent_of_turn(&self, game: GameId, turn: u16) -> Result<Vec<(OutId, String)>, StoreError> {
        self.rows(
            "looking for results not yet sent",
            "SELECT id, reader FROM outbox
             WHERE game = ?1 AND turn = ?2 AND result = 1 AND state IN ('held', 'queued')
                 AND NOT EXISTS (SELECT 1 FROM resting WHERE resting.address = outbox.address) ORDER BY id",
            params![game, turn],
            |row| Ok((row.get("id")?, row.get("reader")?)),
        )
    }

    /// The same with their kinds, also to addresses at which nothing arrives: what may still be cancelled.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn unsent_letters_of_turn(&self, game: GameId, turn: u16) -> Result<Vec<(OutId, String, String)>, StoreError> {
        self.rows(
            "looking for results that can be cancelled",
            "SELECT id, reader, kind FROM outbox
             WHERE game = ?1 AND turn = ?2 AND result = 1 AND state IN ('held', 'queued') ORDER BY id",
            params![game, turn],
            |row| Ok((row.get("id")?, row.get("reader")?, row.get("kind")?)),
        )
    }

    /// The letter of ours that bears this token. The index is asked for its beginning alone; the rest is compared in
    /// constant time, so that answers cannot be timed to guess it letter by letter.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn find_token(&self, token: &str) -> Result<Option<TokenRow>, StoreError> {
        const SELECTOR: usize = 6;
        const SAME_SELECTOR: usize = 100;
        let selector: String = token.chars().take(SELECTOR).collect();
        let rows = self.rows(
            "looking for a token",
            "SELECT id, game, reader, turn, kind, letter, state, token FROM outbox
             WHERE token >= ?1 AND token < ?1 || '~' LIMIT ?2",
            params![selector, limit(SAME_SELECTOR)],
            |row| Ok((TokenRow::read(row)?, row.get::<_, String>("token")?)),
        )?;
        Ok(rows.into_iter().find(|(_, own)| own.as_bytes().ct_eq(token.as_bytes()).into()).map(|(row, _)| row))
    }

    /// The letter of ours with this Message-ID: a bounce names it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn find_message_id(&self, message_id: &str) -> Result<Option<TokenRow>, StoreError> {
        self.row(
            "looking for a Message-ID",
            "SELECT id, game, reader, turn, kind, letter, state FROM outbox WHERE message_id = ?1",
            params![message_id],
            TokenRow::read,
        )
    }

    /// How many answers to letters went to an address in a game since then (by the time from which they were due);
    /// what was sent of our own accord is not counted.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn count_sent_to(
        &self,
        address: &str,
        game: impl Into<Option<GameId>>,
        since: Timestamp,
    ) -> Result<u64, StoreError> {
        self.one(
            "counting the answers to an address",
            "SELECT count(*) FROM outbox
             WHERE address = ?1 AND (kind IN ('receipt', 'answer', 'help', 'confirm', 'refused') OR (kind = 'role' AND letter IS NOT NULL))
               AND not_before >= ?3 AND game IS ?2",
            params![address, game.into(), Micros(since)],
            |row| row.get(0).map(count),
        )
    }

    /// Whether a letter of this kind went to an address since then.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_kind(&self, address: &str, kind: &str, since: Timestamp) -> Result<bool, StoreError> {
        self.one(
            "looking for an earlier letter to an address",
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE address = ?1 AND kind = ?2 AND not_before >= ?3)",
            params![address, kind, Micros(since)],
            |row| row.get(0),
        )
    }

    /// How many letters were sent in the 24 hours before, or may have been, to anybody; `at_most` bounds the counting (the
    /// provider's daily limit). What was sent while the clock was wrong, at a moment that is yet to come, is none of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sent_in_a_day(&self, now: Timestamp, at_most: usize) -> Result<u64, StoreError> {
        let since = now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
        self.one(
            "counting what was sent",
            "SELECT count(*) FROM
                 (SELECT 1 FROM outbox WHERE sent_at BETWEEN ?1 AND ?2
                  UNION ALL SELECT 1 FROM outbox WHERE perhaps_at BETWEEN ?1 AND ?2 AND sent_at IS NULL
                  LIMIT ?3)",
            params![Micros(since), Micros(now), limit(at_most)],
            |row| row.get(0).map(count),
        )
    }

    /// When one of those was, or may have been, sent, the oldest first, so many of them left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sent_in_a_day_at(&self, now: Timestamp, left_out: u64) -> Result<Option<Timestamp>, StoreError> {
        let since = now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
        self.row(
            "looking for the next room in the quota",
            "SELECT sent_at AS at FROM outbox WHERE sent_at BETWEEN ?1 AND ?2
             UNION ALL SELECT perhaps_at FROM outbox WHERE perhaps_at BETWEEN ?1 AND ?2 AND sent_at IS NULL
             ORDER BY at LIMIT 1 OFFSET ?3",
            params![Micros(since), Micros(now), i64::try_from(left_out).unwrap_or(i64::MAX)],
            |row| row.get("at").map(|Micros(at)| at),
        )
    }
}

impl OutListing {
    fn read(row: &Row<'_>) -> rusqlite::Result<OutListing> {
        Ok(OutListing {
            id: row.get("id")?,
            kind: row.get("kind")?,
            reader: row.get("reader")?,
            to: row.get("address")?,
            turn: row.get("turn")?,
            subject: row.get("subject")?,
            state: row.get("state")?,
            message_id: row.get("message_id")?,
            attempts: row.get("attempts")?,
            at: row.get::<_, Option<Micros>>("sent_at")?.map(|Micros(at)| at),
            why: row.get("why")?,
        })
    }
}

impl TokenRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<TokenRow> {
        Ok(TokenRow {
            out: row.get("id")?,
            game: row.get("game")?,
            reader: row.get("reader")?,
            turn: row.get("turn")?,
            kind: row.get("kind")?,
            letter: row.get("letter")?,
            state: row.get("state")?,
        })
    }
}

impl OutState {
    /// As in `omerta letters --json`.
    pub fn word(self) -> &'static str {
        match self {
            OutState::Held => "held",
            OutState::Queued => "queued",
            OutState::Sent => "sent",
            OutState::Unknown => "unknown",
            OutState::Failed => "failed",
            OutState::Expired => "expired",
            OutState::Cancelled => "cancelled",
        }
    }
}

impl ToSql for OutState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.word().into())
    }
}

impl FromSql for OutState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<OutState> {
        match value.as_str()? {
            "held" => Ok(OutState::Held),
            "queued" => Ok(OutState::Queued),
            "sent" => Ok(OutState::Sent),
            "unknown" => Ok(OutState::Unknown),
            "failed" => Ok(OutState::Failed),
            "expired" => Ok(OutState::Expired),
            "cancelled" => Ok(OutState::Cancelled),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}
