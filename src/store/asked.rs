//! Letters that wait for their writer's word, and the addresses that players had before.

use rusqlite::params;

use super::value::count;
use super::{GameId, LetterId, StoreError, Tx, View};

/// A letter of which somebody was asked whether it is his.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedRow {
    pub letter: LetterId,
    pub game: GameId,
    /// `player:3`, `host:0`.
    pub reader: String,
    /// The turn in which it may still be let in.
    pub turn: u16,
}

impl Tx<'_> {
    /// Remembers that a letter waits for its writer's word, and forgets those of his earlier turns.
    ///
    /// # Errors
    /// A conflict when it waits already.
    pub fn put_asked(&self, asked: &AskedRow) -> Result<(), StoreError> {
        const DOING: &str = "keeping a letter that is not proved";
        self.change(
            DOING,
            "DELETE FROM asked WHERE game = ?1 AND reader = ?2 AND turn < ?3",
            params![asked.game, asked.reader, asked.turn],
        )?;
        self.change(
            DOING,
            "INSERT INTO asked (letter, game, reader, turn) VALUES (?1, ?2, ?3, ?4)",
            params![asked.letter, asked.game, asked.reader, asked.turn],
        )?;
        Ok(())
    }

    /// Takes a letter from those that wait; false when it does not wait.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_asked(&self, letter: LetterId) -> Result<bool, StoreError> {
        let dropped =
            self.change("taking a letter that was not proved", "DELETE FROM asked WHERE letter = ?1", params![letter])?;
        Ok(dropped > 0)
    }

    /// Gives a seat another address; the one that it had is kept apart until the personal data are erased.
    ///
    /// # Errors
    /// A conflict when the address has another seat in this game.
    pub fn change_address(&self, game: GameId, player: u16, address: &str) -> Result<(), StoreError> {
        const DOING: &str = "changing an address";
        self.change(
            DOING,
            "INSERT INTO addresses_before (game, player, address)
             SELECT game, player, address FROM seats WHERE game = ?1 AND player = ?2
             ON CONFLICT (game, player) DO UPDATE SET address = excluded.address",
            params![game, player],
        )?;
        self.change_one(
            DOING,
            "UPDATE seats SET address = ?3, mailbox = ?4 WHERE game = ?1 AND player = ?2",
            params![game, player, address, crate::address::fold_address(address)],
        )
    }
}

impl View<'_> {
    /// # Errors
    /// When the database cannot be read.
    pub fn asked(&self, letter: LetterId) -> Result<Option<AskedRow>, StoreError> {
        self.row(
            "looking for a letter that is not proved",
            "SELECT letter, game, reader, turn FROM asked WHERE letter = ?1",
            params![letter],
            |row| {
                Ok(AskedRow {
                    letter: row.get("letter")?,
                    game: row.get("game")?,
                    reader: row.get("reader")?,
                    turn: row.get("turn")?,
                })
            },
        )
    }

    /// The event with which somebody was asked about a letter, the last if there were more. It reads back from the end of
    /// the game's journal, and stands in the turn that is open.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn question_about(&self, game: GameId, letter: LetterId) -> Result<Option<String>, StoreError> {
        self.row(
            "looking for a question to a host",
            "SELECT body FROM events
             WHERE game = ?1 AND kind = 'asked' AND body ->> '$.letter' = ?2 ORDER BY seq DESC LIMIT 1",
            params![game, letter],
            |row| row.get("body"),
        )
    }

    /// Of which letters with the same body somebody was asked in this turn.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn asked_alike(
        &self,
        game: GameId,
        reader: &str,
        turn: u16,
        letter: LetterId,
    ) -> Result<Vec<LetterId>, StoreError> {
        self.rows(
            "looking for the same letter",
            "SELECT asked.letter FROM asked JOIN letters ON letters.id = asked.letter
             WHERE asked.game = ?1 AND asked.reader = ?2 AND asked.turn = ?3
               AND letters.body_hash = (SELECT body_hash FROM letters WHERE id = ?4)",
            params![game, reader, turn, letter],
            |row| row.get(0),
        )
    }

    /// The address that a player had before the last change.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn address_before(&self, game: GameId, player: u16) -> Result<Option<String>, StoreError> {
        self.row(
            "looking for an earlier address",
            "SELECT address FROM addresses_before WHERE game = ?1 AND player = ?2",
            params![game, player],
            |row| row.get("address"),
        )
    }

    /// How often something capped was counted ([`Tx::bump`]).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn capped(&self, game: impl Into<Option<GameId>>, name: &str, key: &str) -> Result<u64, StoreError> {
        let n = self.row(
            "looking at a cap",
            "SELECT n FROM caps WHERE game = ?1 AND name = ?2 AND key = ?3",
            params![game.into().unwrap_or(GameId(0)), name, key],
            |row| row.get(0).map(count),
        )?;
        Ok(n.unwrap_or(0))
    }

    /// Games that are on, oldest first, at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn running_games(&self, at_most: usize) -> Result<Vec<GameId>, StoreError> {
        self.rows(
            "looking for games that are on",
            "SELECT id FROM games WHERE state IN ('signup', 'playing', 'paused') ORDER BY id LIMIT ?1",
            params![super::value::limit(at_most)],
            |row| row.get(0),
        )
    }
}
