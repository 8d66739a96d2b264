//! Who signs up: addresses and forum names of applicants, apart from the journal so that they can be erased.

use rusqlite::params;

use super::value::limit;
use super::{GameId, StoreError, Tx, View};
use crate::address::fold_address;

/// Somebody who asked to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicantRow {
    pub address: String,
    pub forum_name: Option<String>,
}

/// Where an address has applied: the game signs up still, but may not be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    pub game: GameId,
    pub applicant: u16,
}

impl Tx<'_> {
    /// Marks a game as one that people sign up for.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn set_signup(&self, game: GameId, open: bool) -> Result<(), StoreError> {
        self.change(
            "opening or closing a sign-up",
            "INSERT INTO signups (game, open) VALUES (?1, ?2) ON CONFLICT (game) DO UPDATE SET open = excluded.open",
            params![game, open],
        )?;
        Ok(())
    }

    /// # Errors
    /// When the database cannot be written.
    pub fn set_title(&self, game: GameId, title: &str) -> Result<(), StoreError> {
        self.change("naming a game", "UPDATE games SET title = ?2 WHERE id = ?1", params![game, title])?;
        Ok(())
    }

    /// # Errors
    /// A conflict when the number or the mailbox is taken, or there is no such game.
    pub fn put_applicant(&self, game: GameId, applicant: u16, address: &str) -> Result<(), StoreError> {
        self.change(
            "writing an applicant",
            "INSERT INTO applicants (game, applicant, address, mailbox) VALUES (?1, ?2, ?3, ?4)",
            params![game, applicant, address, fold_address(address)],
        )?;
        Ok(())
    }

    /// # Errors
    /// When the database cannot be written.
    pub fn set_forum_name(&self, game: GameId, applicant: u16, name: &str) -> Result<(), StoreError> {
        self.change(
            "writing a forum name",
            "UPDATE applicants SET forum_name = ?3 WHERE game = ?1 AND applicant = ?2",
            params![game, applicant, name],
        )?;
        Ok(())
    }

    /// Keeps a photograph; the one before is overwritten.
    ///
    /// # Errors
    /// When there is no such applicant.
    pub fn put_photograph(&self, game: GameId, applicant: u16, jpeg: &[u8]) -> Result<(), StoreError> {
        self.change(
            "writing a photograph",
            "INSERT INTO photographs (game, applicant, jpeg) VALUES (?1, ?2, ?3)
             ON CONFLICT (game, applicant) DO UPDATE SET jpeg = excluded.jpeg",
            params![game, applicant, jpeg],
        )?;
        Ok(())
    }
}

impl View<'_> {
    /// # Errors
    /// When the database cannot be read.
    pub fn has_signup(&self, game: GameId) -> Result<bool, StoreError> {
        let found =
            self.row("looking for a sign-up", "SELECT 1 FROM signups WHERE game = ?1", params![game], |row| {
                row.get::<_, i64>(0)
            })?;
        Ok(found.is_some())
    }

    /// Games that are open for sign-up, oldest first, at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_signups(&self, at_most: usize) -> Result<Vec<GameId>, StoreError> {
        self.rows(
            "looking for open sign-ups",
            "SELECT game FROM signups WHERE open = 1 ORDER BY game LIMIT ?1",
            params![limit(at_most)],
            |row| row.get(0),
        )
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn applicant(&self, game: GameId, applicant: u16) -> Result<Option<ApplicantRow>, StoreError> {
        self.row(
            "reading an applicant",
            "SELECT address, forum_name FROM applicants WHERE game = ?1 AND applicant = ?2",
            params![game, applicant],
            |row| Ok(ApplicantRow { address: row.get("address")?, forum_name: row.get("forum_name")? }),
        )
    }

    /// The number of a mailbox among those who signed up for a game.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn applicant_of(&self, game: GameId, address: &str) -> Result<Option<u16>, StoreError> {
        self.row(
            "looking for an applicant of a game",
            "SELECT applicant FROM applicants WHERE mailbox = ?1 AND game = ?2",
            params![fold_address(address), game],
            |row| row.get("applicant"),
        )
    }

    /// Games that are being played for which a mailbox has applied, by any address of it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn applied_and_on(&self, address: &str) -> Result<Vec<GameId>, StoreError> {
        self.rows(
            "looking for somebody who waits",
            "SELECT applicants.game
             FROM applicants JOIN games ON games.id = applicants.game
             WHERE applicants.mailbox = ?1 AND games.state IN ('playing', 'paused')
             ORDER BY applicants.game",
            params![fold_address(address)],
            |row| row.get("game"),
        )
    }

    /// Where a mailbox has applied, by any address of it, among the games that have not begun.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn applications(&self, address: &str) -> Result<Vec<Application>, StoreError> {
        self.rows(
            "looking for an applicant",
            "SELECT applicants.game, applicants.applicant
             FROM applicants JOIN games ON games.id = applicants.game
             WHERE applicants.mailbox = ?1 AND games.state = 'signup'
             ORDER BY applicants.game",
            params![fold_address(address)],
            |row| Ok(Application { game: row.get("game")?, applicant: row.get("applicant")? }),
        )
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn photograph(&self, game: GameId, applicant: u16) -> Result<Option<Vec<u8>>, StoreError> {
        self.row(
            "reading a photograph",
            "SELECT jpeg FROM photographs WHERE game = ?1 AND applicant = ?2",
            params![game, applicant],
            |row| row.get("jpeg"),
        )
    }
}
