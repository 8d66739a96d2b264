//! Notes and private talk: erasable. The journal holds only their numbers and salted hashes.

use rusqlite::params;
use sha2::{Digest, Sha256};

use super::{GameId, StoreError, Tx, View};
use crate::rules::TextRef;

impl Tx<'_> {
    /// Keeps a text. Its hash is SHA-256 over the salt and the text, in hex; `salt` must be random, or a short text
    /// could be guessed from its hash.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn put_text(&self, game: GameId, salt: &[u8; 16], text: &str) -> Result<TextRef, StoreError> {
        let hash = data_encoding::HEXLOWER.encode(&Sha256::new().chain_update(salt).chain_update(text).finalize());
        let id: u32 = self.one(
            "numbering a text",
            "SELECT 1 + coalesce(max(id), 0) FROM texts WHERE game = ?1",
            params![game],
            |row| row.get(0),
        )?;
        self.change(
            "writing a text",
            "INSERT INTO texts (game, id, hash, salt, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![game, id, hash, salt, text],
        )?;
        Ok(TextRef { id, hash })
    }

    /// Erases texts with their salts; number and hash stay.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn erase_texts(&self, game: GameId, ids: &[u32]) -> Result<(), StoreError> {
        for id in ids {
            self.change(
                "erasing a text",
                "UPDATE texts SET salt = NULL, body = NULL WHERE game = ?1 AND id = ?2",
                params![game, id],
            )?;
        }
        Ok(())
    }
}

impl View<'_> {
    /// None when there is no such text or it was erased.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn text(&self, game: GameId, id: u32) -> Result<Option<String>, StoreError> {
        let found = self.row(
            "reading a text",
            "SELECT body FROM texts WHERE game = ?1 AND id = ?2",
            params![game, id],
            |row| row.get("body"),
        )?;
        Ok(found.flatten())
    }
}
