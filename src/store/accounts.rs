//! Passwords of forum accounts, sealed: this room cannot read them.

use rusqlite::params;

use super::{GameId, StoreError, Tx, View};

impl Tx<'_> {
    /// Keeps the sealed password of an account; the one before is overwritten.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn put_account(&self, game: GameId, account: u16, sealed: &[u8]) -> Result<(), StoreError> {
        self.change(
            "writing a forum account",
            "INSERT INTO accounts (game, account, password) VALUES (?1, ?2, ?3)
             ON CONFLICT (game, account) DO UPDATE SET password = excluded.password",
            params![game, account, sealed],
        )?;
        Ok(())
    }

    /// Forgets all accounts of a game.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_accounts(&self, game: GameId) -> Result<(), StoreError> {
        self.change("erasing forum accounts", "DELETE FROM accounts WHERE game = ?1", params![game])?;
        Ok(())
    }
}

impl View<'_> {
    /// The sealed password of an account.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn account(&self, game: GameId, account: u16) -> Result<Option<Vec<u8>>, StoreError> {
        self.row(
            "reading a forum account",
            "SELECT password FROM accounts WHERE game = ?1 AND account = ?2",
            params![game, account],
            |row| row.get("password"),
        )
    }

    /// Whether another game has accounts: its passwords are lost when the key is.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_accounts_beside(&self, game: GameId) -> Result<bool, StoreError> {
        self.one(
            "looking for forum accounts",
            "SELECT EXISTS (SELECT 1 FROM accounts WHERE game <> ?1)",
            params![game],
            |row| row.get(0),
        )
    }
}
