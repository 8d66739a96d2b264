//! Games, their journals and the snapshots of them.

use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, params};

use super::value::{Micros, limit};
use super::{StoreError, Tx, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub i64);

/// What the store itself knows of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameHead {
    pub id: GameId,
    /// As written at its creation; found in any case of letters.
    pub tag: String,
    pub title: String,
    pub state: String,
    /// The next instant at which the game wants attention.
    pub wake: Option<Timestamp>,
    /// The number of its last event; 0 before the first.
    pub seq: i64,
}

/// One event of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    pub seq: i64,
    pub at: Timestamp,
    pub kind: String,
    pub body: String,
}

impl Tx<'_> {
    /// # Errors
    /// A conflict when the tag is taken (in any case of letters).
    pub fn create_game(&self, tag: &str, title: &str, state: &str, at: Timestamp) -> Result<GameId, StoreError> {
        self.one(
            "making a game",
            "INSERT INTO games (tag, title, state, wake, seq, created_at) VALUES (?1, ?2, ?3, NULL, 0, ?4) RETURNING id",
            params![tag, title, state, Micros(at)],
            |row| row.get(0),
        )
    }

    /// # Errors
    /// When there is no such game.
    pub fn set_game(&self, game: GameId, state: &str, wake: Option<Timestamp>) -> Result<(), StoreError> {
        self.change_one(
            "writing a game's state",
            "UPDATE games SET state = ?2, wake = ?3 WHERE id = ?1",
            params![game, state, wake.map(Micros)],
        )
    }

    /// Adds an event to the journal and gives its number: the first is 1, none is left out.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn append(&self, game: GameId, at: Timestamp, kind: &str, body: &str) -> Result<i64, StoreError> {
        let seq: i64 =
            self.one("numbering an event", "SELECT seq + 1 FROM games WHERE id = ?1", params![game], |row| row.get(0))?;
        self.change(
            "writing an event",
            "INSERT INTO events (game, seq, at, kind, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![game, seq, Micros(at), kind, body],
        )?;
        Ok(seq)
    }

    /// Keeps the state that the journal folds into up to `seq`; the one before is forgotten.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn save_snapshot(&self, game: GameId, seq: i64, body: &str) -> Result<(), StoreError> {
        self.change(
            "writing a snapshot",
            "INSERT INTO snapshots (game, seq, body) VALUES (?1, ?2, ?3)
             ON CONFLICT (game) DO UPDATE SET seq = excluded.seq, body = excluded.body",
            params![game, seq, body],
        )?;
        Ok(())
    }
}

impl View<'_> {
    /// The game of this tag, in any case of letters.
    ///
    /// # Errors
    /// When the database cannot be read; so it is with every method of a [`View`].
    pub fn game(&self, tag: &str) -> Result<Option<GameHead>, StoreError> {
        self.row(
            "looking for a game",
            "SELECT id, tag, title, state, wake, seq FROM games WHERE tag = ?1",
            params![tag],
            GameHead::read,
        )
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn game_by_id(&self, game: GameId) -> Result<Option<GameHead>, StoreError> {
        self.row(
            "looking for a game",
            "SELECT id, tag, title, state, wake, seq FROM games WHERE id = ?1",
            params![game],
            GameHead::read,
        )
    }

    /// All games, oldest first. Its cost grows with their number.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn games(&self) -> Result<Vec<GameHead>, StoreError> {
        self.rows(
            "listing the games",
            "SELECT id, tag, title, state, wake, seq FROM games ORDER BY id",
            (),
            GameHead::read,
        )
    }

    /// Games that want attention at `now` or did before, the longest waiting first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn games_due(&self, now: Timestamp, at_most: usize) -> Result<Vec<GameId>, StoreError> {
        let mut due: Vec<GameId> = self.rows(
            "looking for games that are due",
            "SELECT id FROM games INDEXED BY games_by_wake
             WHERE wake <= ?1 AND state IN ('signup', 'playing', 'paused') ORDER BY wake, id LIMIT ?2",
            params![Micros(now), limit(at_most)],
            |row| row.get(0),
        )?;
        let over: Vec<GameId> = self.rows(
            "looking for games to be tidied",
            "SELECT id FROM games INDEXED BY games_by_wake
             WHERE wake <= ?1 AND state NOT IN ('signup', 'playing', 'paused') ORDER BY wake, id LIMIT ?2",
            params![Micros(now), limit(at_most.saturating_sub(due.len()))],
            |row| row.get(0),
        )?;
        due.extend(over);
        Ok(due)
    }

    /// The next instant at which any game wants attention.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn next_wake(&self) -> Result<Option<Timestamp>, StoreError> {
        self.row(
            "looking for the next deadline",
            "SELECT wake FROM games WHERE wake IS NOT NULL ORDER BY wake LIMIT 1",
            (),
            |row| row.get(0).map(|Micros(at)| at),
        )
    }

    /// The journal after event number `seq` (0: from the start), in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn events_after(&self, game: GameId, seq: i64, at_most: usize) -> Result<Vec<EventRow>, StoreError> {
        self.rows(
            "reading a journal",
            "SELECT seq, at, kind, body FROM events WHERE game = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
            params![game, seq, limit(at_most)],
            |row| {
                let Micros(at) = row.get("at")?;
                Ok(EventRow { seq: row.get("seq")?, at, kind: row.get("kind")?, body: row.get("body")? })
            },
        )
    }

    /// The event behind which the last snapshot stands; 0 when there is none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn snapshot_seq(&self, game: GameId) -> Result<i64, StoreError> {
        let seq =
            self.row("looking for a snapshot", "SELECT seq FROM snapshots WHERE game = ?1", params![game], |row| {
                row.get(0)
            })?;
        Ok(seq.unwrap_or(0))
    }

    /// The last snapshot and the number of the event up to which it goes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn snapshot(&self, game: GameId) -> Result<Option<(i64, String)>, StoreError> {
        self.row("reading a snapshot", "SELECT seq, body FROM snapshots WHERE game = ?1", params![game], |row| {
            Ok((row.get("seq")?, row.get("body")?))
        })
    }
}

impl GameHead {
    fn read(row: &Row<'_>) -> rusqlite::Result<GameHead> {
        Ok(GameHead {
            id: row.get("id")?,
            tag: row.get("tag")?,
            title: row.get("title")?,
            state: row.get("state")?,
            wake: row.get::<_, Option<Micros>>("wake")?.map(|Micros(at)| at),
            seq: row.get("seq")?,
        })
    }
}

impl ToSql for GameId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for GameId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<GameId> {
        value.as_i64().map(GameId)
    }
}
