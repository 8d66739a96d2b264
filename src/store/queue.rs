//! Letters going out. A row is written in the transaction of the event that owes it; its words and its Message-ID are
//! fixed then, and only its fate changes.
//!
//! held → queued → sent | failed | expired | cancelled; `unknown` when the line broke after the words were handed over:
//! it may be tried again, with the same Message-ID.

use jiff::{SignedDuration, Timestamp};
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, params};

use super::value::{Micros, limit};
use super::{GameId, LetterId, OutState, StoreError, Tx, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutId(pub i64);

/// A letter to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOut {
    /// None for a stranger and the operator.
    pub game: Option<GameId>,
    /// Who it is for in the game's own terms: `player:3`, `host:0`, `moderator:1`, `post:0`, `stranger`, `operator`.
    pub reader: String,
    pub address: String,
    /// As in `X-Omerta-Letter`.
    pub kind: String,
    pub turn: u16,
    pub subject: String,
    /// Without angle brackets; never used before.
    pub message_id: String,
    pub token: Option<String>,
    pub bytes: Vec<u8>,
    /// Lower goes first.
    pub priority: u8,
    pub not_before: Timestamp,
    /// From then on it would be useless.
    pub expires: Option<Timestamp>,
    /// It waits for a release.
    pub held: bool,
    /// It carries the results of a turn: the next deadline waits for it.
    pub result: bool,
    /// The letter that it answers.
    pub letter: Option<LetterId>,
}

/// A letter whose time has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutRow {
    pub id: OutId,
    pub game: Option<GameId>,
    pub reader: String,
    pub address: String,
    pub kind: String,
    pub turn: u16,
    pub message_id: String,
    pub bytes: Vec<u8>,
    /// Attempts so far.
    pub attempts: u32,
    /// Queued or unknown.
    pub state: OutState,
    pub expires: Option<Timestamp>,
    /// From when on it was to be sent: it never changes.
    pub not_before: Timestamp,
}

/// A player's words to another, or to the clan, that have not left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TalkRow {
    pub game: GameId,
    /// The letter that they stood in.
    pub letter: LetterId,
    pub kind: String,
    pub reader: String,
}

impl Tx<'_> {
    /// # Errors
    /// A conflict when the Message-ID or the token was used before.
    pub fn enqueue(&self, out: &NewOut) -> Result<OutId, StoreError> {
        let (state, next_attempt) =
            if out.held { (OutState::Held, None) } else { (OutState::Queued, Some(Micros(out.not_before))) };
        let id = self.insert(
            "writing a letter to be sent",
            "INSERT INTO outbox
                 (game, reader, address, kind, turn, subject, message_id, token, priority, result, letter, state,
                  not_before, next_attempt, attempts, expires, sent_at, why)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 0, ?15, NULL, NULL)",
            params![
                out.game,
                out.reader,
                out.address,
                out.kind,
                out.turn,
                out.subject,
                out.message_id,
                out.token,
                out.priority,
                out.result,
                out.letter,
                state,
                Micros(out.not_before),
                next_attempt,
                out.expires.map(Micros),
            ],
        )?;
        self.change(
            "writing a letter to be sent",
            "INSERT INTO outbox_bytes (out, bytes) VALUES (?1, ?2)",
            params![id, out.bytes],
        )?;
        Ok(OutId(id))
    }

    /// Counts an attempt and sets when the next is due if nothing more is heard of this one. To be committed before
    /// the letters are handed over. Gives those that are still in the queue: only they may be sent.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn attempting(&self, ids: &[OutId], next_attempt: Timestamp) -> Result<Vec<OutId>, StoreError> {
        let mut still_queued = Vec::with_capacity(ids.len());
        for id in ids {
            let changed = self.change(
                "counting an attempt",
                "UPDATE outbox SET attempts = attempts + 1, next_attempt = ?2
                 WHERE id = ?1 AND next_attempt IS NOT NULL",
                params![id, Micros(next_attempt)],
            )?;
            if changed > 0 {
                still_queued.push(*id);
            }
        }
        Ok(still_queued)
    }

    /// The clock was set back by so much, and shows `now`: of what has not left, what waits for a later moment waits no
    /// longer than it did, and nothing was written at a moment that is yet to come.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn clock_set_back(&self, by: SignedDuration, now: Timestamp) -> Result<(), StoreError> {
        self.change(
            "setting the queue by the clock",
            "UPDATE outbox SET not_before = min(not_before, ?1),
                 next_attempt = CASE WHEN next_attempt > ?1 THEN max(next_attempt - ?2, ?1) ELSE next_attempt END
             WHERE (next_attempt IS NOT NULL OR state = 'held') AND (next_attempt > ?1 OR not_before > ?1)",
            params![Micros(now), i64::try_from(by.as_micros()).unwrap_or(i64::MAX)],
        )?;
        Ok(())
    }

    /// The letters were taken over by the next server.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn sent(&self, ids: &[OutId], at: Timestamp) -> Result<(), StoreError> {
        for id in ids {
            self.change(
                "marking a letter as sent",
                "UPDATE outbox SET state = 'sent', next_attempt = NULL, sent_at = ?2, why = NULL
                 WHERE id = ?1 AND state <> 'sent'",
                params![id, Micros(at)],
            )?;
        }
        Ok(())
    }

    /// The next server may have taken the letter: it counts against the limit of a day as one that has left.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn may_have_left(&self, id: OutId, at: Timestamp) -> Result<(), StoreError> {
        self.change(
            "counting a letter that may have left",
            "UPDATE outbox SET perhaps_at = ?2 WHERE id = ?1",
            params![id, Micros(at)],
        )?;
        Ok(())
    }

    /// An attempt failed; with `retry_at` the letter stays in the queue, without it that was the last one.
    /// A letter that has left the queue meanwhile stays as it is. `why` must hold no address, text or role.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn failed(&self, id: OutId, why: &str, retry_at: Option<Timestamp>) -> Result<(), StoreError> {
        let state = if retry_at.is_some() { OutState::Queued } else { OutState::Failed };
        self.set_fate(id, state, why, retry_at)
    }

    /// The try was none: the letter keeps the attempts that it had before, and is due again at that moment.
    /// A letter that has left the queue meanwhile stays as it is. `why` must hold no address, text or role.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_off(&self, id: OutId, why: &str, until: Timestamp) -> Result<(), StoreError> {
        self.change(
            "putting a letter off",
            "UPDATE outbox SET attempts = max(attempts - 1, 0), why = ?2, next_attempt = ?3
             WHERE id = ?1 AND next_attempt IS NOT NULL",
            params![id, why, Micros(until)],
        )?;
        Ok(())
    }

    /// The line broke after the words were handed over: nobody knows. With `retry_at` it is tried again.
    /// A letter that has left the queue meanwhile stays as it is. `why` must hold no address, text or role.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn uncertain(&self, id: OutId, why: &str, retry_at: Option<Timestamp>) -> Result<(), StoreError> {
        self.set_fate(id, OutState::Unknown, why, retry_at)
    }

    fn set_fate(&self, id: OutId, state: OutState, why: &str, retry_at: Option<Timestamp>) -> Result<(), StoreError> {
        self.change(
            "writing a letter's fate",
            "UPDATE outbox SET state = ?2, why = ?3, next_attempt = ?4 WHERE id = ?1 AND next_attempt IS NOT NULL",
            params![id, state, why, retry_at.map(Micros)],
        )?;
        Ok(())
    }

    /// Takes letters out of the queue that would be useless by now; gives their number. One of unknown fate stays
    /// unknown and is not tried again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn expire(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.change(
            "ending letters that are useless by now",
            "UPDATE outbox SET state = CASE state WHEN 'unknown' THEN 'unknown' ELSE 'expired' END, next_attempt = NULL
             WHERE expires <= ?1 AND (state = 'held' OR next_attempt IS NOT NULL)",
            params![Micros(now)],
        )
    }

    /// Cancels what is held or queued; what was sent stays sent, and one of unknown fate is not tried again. Gives
    /// the number of letters that it stopped.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn cancel(&self, ids: &[OutId]) -> Result<usize, StoreError> {
        let mut stopped = 0;
        for id in ids {
            stopped += self.change(
                "cancelling a letter",
                "UPDATE outbox
                 SET state = CASE state WHEN 'unknown' THEN 'unknown' ELSE 'cancelled' END, next_attempt = NULL
                 WHERE id = ?1 AND (state = 'held' OR next_attempt IS NOT NULL)",
                params![id],
            )?;
        }
        Ok(stopped)
    }

    /// As [`Tx::cancel`], for a whole game.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn cancel_all_of(&self, game: GameId) -> Result<usize, StoreError> {
        self.change(
            "cancelling a game's letters",
            "UPDATE outbox
             SET state = CASE state WHEN 'unknown' THEN 'unknown' ELSE 'cancelled' END, next_attempt = NULL
             WHERE game = ?1 AND (state = 'held' OR next_attempt IS NOT NULL)",
            params![game],
        )
    }

    /// Lets held letters go, each at its own time; others are left alone. Gives the number released.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn release(&self, ids: &[OutId]) -> Result<usize, StoreError> {
        let mut released = 0;
        for id in ids {
            released += self.change(
                "releasing a letter",
                "UPDATE outbox SET state = 'queued', next_attempt = not_before WHERE id = ?1 AND state = 'held'",
                params![id],
            )?;
        }
        Ok(released)
    }

    /// Sends a letter again, the same bytes with the same Message-ID, whatever became of it and even if it would be
    /// useless by now.
    ///
    /// # Errors
    /// When there is no such letter, or its words were erased.
    pub fn resend(&self, id: OutId, now: Timestamp) -> Result<(), StoreError> {
        self.change_one(
            "sending a letter again",
            "UPDATE outbox SET state = 'queued', next_attempt = ?2, attempts = 0, expires = NULL, why = NULL
             WHERE id = ?1 AND EXISTS (SELECT 1 FROM outbox_bytes WHERE out = ?1)",
            params![id, Micros(now)],
        )
    }
}

impl View<'_> {
    /// Letters whose time has come, by priority, then by age. Those that are useless by now are left out:
    /// [`Tx::expire`] is to be called first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn due_out(&self, now: Timestamp, at_most: usize) -> Result<Vec<OutRow>, StoreError> {
        self.rows(
            "looking for letters to be sent",
            "SELECT outbox.id, game, reader, address, kind, turn, message_id, bytes, attempts, state, expires, not_before
             FROM outbox INDEXED BY outbox_due CROSS JOIN outbox_bytes ON outbox_bytes.out = outbox.id
             WHERE next_attempt IS NOT NULL AND next_attempt <= ?1 AND (expires IS NULL OR expires > ?1)
             ORDER BY priority, outbox.id LIMIT ?2",
            params![Micros(now), limit(at_most)],
            OutRow::read,
        )
    }

    /// Talk of players whose time has come and that waits in the queue, oldest first: the letter that it passes on, its
    /// kind and its reader. All of it stands at one priority.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn due_talk(
        &self,
        now: Timestamp,
        priority: u8,
        told: &str,
        at_most: usize,
    ) -> Result<Vec<TalkRow>, StoreError> {
        self.rows(
            "looking for talk to be sent",
            "SELECT game, letter, kind, reader FROM outbox INDEXED BY outbox_due
             WHERE next_attempt IS NOT NULL AND priority = ?2 AND next_attempt <= ?1
                 AND game IS NOT NULL AND letter IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM caps WHERE caps.game = outbox.game AND caps.name = ?4
                                     AND caps.key = CAST(outbox.letter AS TEXT))
             ORDER BY id LIMIT ?3",
            params![Micros(now), priority, limit(at_most), told],
            TalkRow::read,
        )
    }

    /// Whether a letter that has not left is of no use any more.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_expired(&self, now: Timestamp) -> Result<bool, StoreError> {
        self.one(
            "looking for letters of no use any more",
            "SELECT EXISTS (SELECT 1 FROM outbox INDEXED BY outbox_expiry
                            WHERE expires IS NOT NULL AND (state = 'held' OR next_attempt IS NOT NULL) AND expires <= ?1)",
            params![Micros(now)],
            |row| row.get(0),
        )
    }

    /// The next instant at which a letter is due.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn next_out_due(&self) -> Result<Option<Timestamp>, StoreError> {
        self.row(
            "looking for the next letter",
            "SELECT next_attempt FROM outbox WHERE next_attempt IS NOT NULL ORDER BY next_attempt LIMIT 1",
            (),
            |row| row.get(0).map(|Micros(at)| at),
        )
    }
}

impl TalkRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<TalkRow> {
        Ok(TalkRow {
            game: row.get("game")?,
            letter: row.get("letter")?,
            kind: row.get("kind")?,
            reader: row.get("reader")?,
        })
    }
}

impl OutRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<OutRow> {
        Ok(OutRow {
            id: row.get("id")?,
            game: row.get("game")?,
            reader: row.get("reader")?,
            address: row.get("address")?,
            kind: row.get("kind")?,
            turn: row.get("turn")?,
            message_id: row.get("message_id")?,
            bytes: row.get("bytes")?,
            attempts: row.get("attempts")?,
            state: row.get("state")?,
            expires: row.get::<_, Option<Micros>>("expires")?.map(|Micros(at)| at),
            not_before: row.get::<_, Micros>("not_before")?.0,
        })
    }
}

impl ToSql for OutId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for OutId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<OutId> {
        value.as_i64().map(OutId)
    }
}
