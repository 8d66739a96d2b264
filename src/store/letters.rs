//! Letters that came in. The raw bytes are kept; the row itself stays for ever, so that no letter is taken twice.

use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, params};

use super::value::Micros;
use super::{GameId, StoreError, Tx, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LetterId(pub i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterState {
    Done,
    /// It came after the deadline and is judged when the turn is closed.
    Waiting,
    /// It could not be processed; kept whole.
    Quarantined,
    /// A second copy, automatic mail, our own.
    Ignored,
}

/// A letter as it is taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLetter<'a> {
    /// Where it lies, in a form that never comes again: folder, UIDVALIDITY and UID; or the name of the file.
    pub place: &'a str,
    /// Of arrival, since 1970.
    pub second: i64,
    /// Order inside the second, sorted as text: microseconds, or folder and UID. Equal ones are ordered by place.
    pub within: &'a str,
    /// Of the raw bytes.
    pub sha256: [u8; 32],
    pub sender: Option<&'a str>,
    pub message_id: Option<&'a str>,
    pub body_hash: &'a str,
    /// Only the head was read.
    pub too_large: bool,
    pub raw: &'a [u8],
    pub game: Option<GameId>,
    /// Who of the game wrote it.
    pub player: Option<u16>,
    pub state: LetterState,
    /// When we took it in.
    pub received_at: Timestamp,
}

/// A letter, without its bytes ([`View::raw`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterRow {
    pub id: LetterId,
    pub place: String,
    pub second: i64,
    pub within: String,
    pub sender: Option<String>,
    pub message_id: Option<String>,
    pub body_hash: String,
    pub too_large: bool,
    pub game: Option<GameId>,
    /// Who of the game wrote it.
    pub player: Option<u16>,
    pub state: LetterState,
    pub error: Option<String>,
    pub received_at: Timestamp,
}

impl Tx<'_> {
    /// # Errors
    /// A conflict when a letter of this place was taken in already.
    pub fn put_letter(&self, letter: &NewLetter<'_>) -> Result<LetterId, StoreError> {
        let id = self.insert(
            "taking a letter in",
            "INSERT INTO letters
                 (place, second, within, sha256, sender, message_id, body_hash, too_large, game, player, state, error, received_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, NULL, ?12)",
            params![
                letter.place,
                letter.second,
                letter.within,
                letter.sha256,
                letter.sender,
                letter.message_id,
                letter.body_hash,
                letter.too_large,
                letter.game,
                letter.player,
                letter.state,
                Micros(letter.received_at),
            ],
        )?;
        self.change(
            "keeping a letter's bytes",
            "INSERT INTO letter_bytes (letter, raw) VALUES (?1, ?2)",
            params![id, letter.raw],
        )?;
        Ok(LetterId(id))
    }

    /// A quarantined letter is taken in after all: what was read of it replaces what stood there.
    ///
    /// # Errors
    /// When there is no such letter.
    pub fn read_again(&self, id: LetterId, letter: &NewLetter<'_>) -> Result<(), StoreError> {
        self.change_one(
            "taking a letter in again",
            "UPDATE letters SET sender = ?2, message_id = ?3, body_hash = ?4, state = ?5, error = NULL
             WHERE id = ?1 AND state = 'quarantined'",
            params![id, letter.sender, letter.message_id, letter.body_hash, letter.state],
        )
    }

    /// A quarantined letter is given up; its error stays. False when it is not quarantined.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn give_up(&self, id: LetterId) -> Result<bool, StoreError> {
        let changed = self.change(
            "giving a letter up",
            "UPDATE letters SET state = 'ignored' WHERE id = ?1 AND state = 'quarantined'",
            params![id],
        )?;
        Ok(changed > 0)
    }

    /// Writes a letter's fate; an error noted before is forgotten.
    ///
    /// # Errors
    /// When there is no such letter.
    pub fn set_letter(
        &self,
        id: LetterId,
        state: LetterState,
        game: Option<GameId>,
        player: Option<u16>,
    ) -> Result<(), StoreError> {
        // It hardly ever changes the state, and the indexes that hang on it would be written anew all the same.
        let kept = self.change(
            "writing a letter's game",
            "UPDATE letters SET game = ?3, player = ?4, error = NULL WHERE id = ?1 AND state = ?2",
            params![id, state, game, player],
        )?;
        if kept > 0 {
            return Ok(());
        }
        self.change_one(
            "writing a letter's state",
            "UPDATE letters SET state = ?2, game = ?3, player = ?4, error = NULL WHERE id = ?1",
            params![id, state, game, player],
        )
    }

    /// A second copy arrived earlier: that is when the letter arrived. Says whether it changed anything.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn earlier_arrival(&self, id: LetterId, second: i64, within: &str) -> Result<bool, StoreError> {
        let changed = self.change(
            "writing an earlier arrival",
            "UPDATE letters SET second = ?2, within = ?3 WHERE id = ?1 AND (second, within) > (?2, ?3)",
            params![id, second, within],
        )?;
        Ok(changed > 0)
    }

    /// Sets a letter aside that could not be processed. `error` must hold no address, text or role.
    ///
    /// # Errors
    /// When there is no such letter.
    pub fn quarantine(&self, id: LetterId, error: &str) -> Result<(), StoreError> {
        self.change_one(
            "quarantining a letter",
            "UPDATE letters SET state = 'quarantined', error = ?2 WHERE id = ?1",
            params![id, error],
        )
    }

    /// Erases sender and bytes of letters that belong to no game and were taken in before `before`; quarantined ones
    /// are kept.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn erase_strays(&self, before: Timestamp) -> Result<(), StoreError> {
        for sql in [
            "DELETE FROM letter_bytes WHERE letter IN
                 (SELECT id FROM letters WHERE game IS NULL AND received_at < ?1 AND state <> 'quarantined')",
            "UPDATE letters SET sender = NULL
             WHERE game IS NULL AND received_at < ?1 AND state <> 'quarantined' AND sender IS NOT NULL",
        ] {
            self.change("erasing letters of strangers", sql, params![Micros(before)])?;
        }
        Ok(())
    }
}

impl View<'_> {
    /// The letter of this place, if it was taken in already.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn letter_at(&self, place: &str) -> Result<Option<LetterId>, StoreError> {
        self.row("looking for a letter by place", "SELECT id FROM letters WHERE place = ?1", params![place], |row| {
            row.get("id")
        })
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn letter(&self, id: LetterId) -> Result<Option<LetterRow>, StoreError> {
        self.row(
            "reading a letter",
            "SELECT id, place, second, within, sender, message_id, body_hash, too_large, game, player, state, error,
                 received_at
             FROM letters WHERE id = ?1",
            params![id],
            LetterRow::read,
        )
    }

    /// The first letter that was heard, or waits to be, with the same sender, Message-ID and body.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn twin(&self, sender: &str, message_id: &str, body_hash: &str) -> Result<Option<LetterRow>, StoreError> {
        self.row(
            "looking for a letter's twin",
            "SELECT id, place, second, within, sender, message_id, body_hash, too_large, game, player, state, error,
                 received_at
             FROM letters WHERE message_id = ?1 AND sender = ?2 AND body_hash = ?3
                 AND state IN ('done', 'waiting') ORDER BY id LIMIT 1",
            params![message_id, sender, body_hash],
            LetterRow::read,
        )
    }

    /// The first letter taken in with the same raw bytes, of those without a sender or without a Message-ID: the others are
    /// known by these ([`View::twin`]).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn twin_by_raw(&self, sha256: &[u8; 32]) -> Result<Option<LetterRow>, StoreError> {
        self.row(
            "looking for a letter's twin",
            "SELECT id, place, second, within, sender, message_id, body_hash, too_large, game, player, state, error,
                 received_at
             FROM letters WHERE sha256 = ?1 AND (sender IS NULL OR message_id IS NULL) ORDER BY id LIMIT 1",
            params![sha256],
            LetterRow::read,
        )
    }

    /// Letters of a game that wait for the close of its turn, in order of arrival.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn waiting_letters(&self, game: GameId) -> Result<Vec<LetterRow>, StoreError> {
        self.rows(
            "reading the letters that wait",
            "SELECT id, place, second, within, sender, message_id, body_hash, too_large, game, player, state, error,
                 received_at
             FROM letters WHERE game = ?1 AND state = 'waiting' ORDER BY second, within, place",
            params![game],
            LetterRow::read,
        )
    }

    /// Letters that could not be processed, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn quarantined(&self) -> Result<Vec<LetterRow>, StoreError> {
        self.rows(
            "reading the quarantine",
            "SELECT id, place, second, within, sender, message_id, body_hash, too_large, game, player, state, error,
                 received_at
             FROM letters WHERE state = 'quarantined' ORDER BY id",
            (),
            LetterRow::read,
        )
    }

    /// A letter's bytes; None when they were erased.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn raw(&self, id: LetterId) -> Result<Option<Vec<u8>>, StoreError> {
        self.row("reading a letter's bytes", "SELECT raw FROM letter_bytes WHERE letter = ?1", params![id], |row| {
            row.get("raw")
        })
    }
}

impl LetterRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<LetterRow> {
        let Micros(received_at) = row.get("received_at")?;
        Ok(LetterRow {
            id: row.get("id")?,
            place: row.get("place")?,
            second: row.get("second")?,
            within: row.get("within")?,
            sender: row.get("sender")?,
            message_id: row.get("message_id")?,
            body_hash: row.get("body_hash")?,
            too_large: row.get("too_large")?,
            game: row.get("game")?,
            player: row.get("player")?,
            state: row.get("state")?,
            error: row.get("error")?,
            received_at,
        })
    }
}

impl LetterState {
    pub fn word(self) -> &'static str {
        match self {
            LetterState::Done => "done",
            LetterState::Waiting => "waiting",
            LetterState::Quarantined => "quarantined",
            LetterState::Ignored => "ignored",
        }
    }
}

impl ToSql for LetterState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.word().into())
    }
}

impl FromSql for LetterState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<LetterState> {
        match value.as_str()? {
            "done" => Ok(LetterState::Done),
            "waiting" => Ok(LetterState::Waiting),
            "quarantined" => Ok(LetterState::Quarantined),
            "ignored" => Ok(LetterState::Ignored),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl ToSql for LetterId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for LetterId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<LetterId> {
        value.as_i64().map(LetterId)
    }
}
