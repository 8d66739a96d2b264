//! Who plays and who leads: addresses and forum names, apart from the journal so that they can be erased.

use rusqlite::params;

use super::value::count;
use super::{GameId, StoreError, Tx, View};
use crate::address::fold_address;

/// A player's seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub player: u16,
    pub address: String,
    pub forum_name: Option<String>,
}

/// Where an address plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatPlace {
    pub game: GameId,
    pub player: u16,
    /// The game's state.
    pub state: String,
}

/// A host (`host`), a moderator (`moderator`) or an address that posts what it gets (`post_to`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Officer {
    pub role: String,
    /// 0 is the first host, the others are his co-hosts.
    pub position: u16,
    pub address: String,
}

/// Where an address leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficerPlace {
    pub game: GameId,
    pub role: String,
    pub position: u16,
    /// The game's state.
    pub state: String,
}

impl Tx<'_> {
    /// Seats a player, or gives the seat another address.
    ///
    /// # Errors
    /// A conflict when the address has another seat in this game, or there is no such game.
    pub fn put_seat(
        &self,
        game: GameId,
        player: u16,
        address: &str,
        forum_name: Option<&str>,
    ) -> Result<(), StoreError> {
        self.change(
            "writing a seat",
            "INSERT INTO seats (game, player, address, mailbox, forum_name) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (game, player) DO UPDATE
             SET address = excluded.address, mailbox = excluded.mailbox, forum_name = excluded.forum_name",
            params![game, player, address, fold_address(address), forum_name],
        )?;
        Ok(())
    }

    /// Frees a seat: who withdraws during sign-up.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_seat(&self, game: GameId, player: u16) -> Result<(), StoreError> {
        self.change("freeing a seat", "DELETE FROM seats WHERE game = ?1 AND player = ?2", params![game, player])?;
        Ok(())
    }

    /// Remembers who gives a seat up to another: the last letter goes to all who ever played.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn put_former(&self, game: GameId, player: u16, address: &str) -> Result<(), StoreError> {
        self.change(
            "writing a former player",
            "INSERT INTO former_players (game, player, address) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![game, player, address],
        )?;
        Ok(())
    }

    /// Who gave the seat up has it again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_former(&self, game: GameId, player: u16, address: &str) -> Result<(), StoreError> {
        self.change(
            "forgetting a former player",
            "DELETE FROM former_players WHERE game = ?1 AND player = ?2 AND address = ?3",
            params![game, player, address],
        )?;
        Ok(())
    }

    /// # Errors
    /// A conflict when the role is none of `host`, `moderator`, `post_to`, or there is no such game.
    pub fn put_officer(&self, game: GameId, role: &str, position: u16, address: &str) -> Result<(), StoreError> {
        self.change(
            "writing an officer",
            "INSERT INTO officers (game, role, position, address, mailbox) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (game, role, position) DO UPDATE SET address = excluded.address, mailbox = excluded.mailbox",
            params![game, role, position, address, fold_address(address)],
        )?;
        Ok(())
    }

    /// Keeps a secret of a game by name; the one before is overwritten.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn put_secret(&self, game: GameId, name: &str, value: &[u8]) -> Result<(), StoreError> {
        self.change(
            "writing a secret",
            "INSERT INTO secrets (game, name, value) VALUES (?1, ?2, ?3)
             ON CONFLICT (game, name) DO UPDATE SET value = excluded.value",
            params![game, name, value],
        )?;
        Ok(())
    }

    /// Forgets a secret of a game.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_secret(&self, game: GameId, name: &str) -> Result<(), StoreError> {
        self.change("erasing a secret", "DELETE FROM secrets WHERE game = ?1 AND name = ?2", params![game, name])?;
        Ok(())
    }

    /// Erases what is personal in a game that is over: addresses, forum names, all texts, raw letters, the words of
    /// letters sent. The journal, the secrets and the rows of letters (without sender or words) stay. Letters that
    /// were still to go out are cancelled. Afterwards [`super::Store::settle_erasure`] takes it off the disk.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn erase_person_data(&self, game: GameId) -> Result<(), StoreError> {
        const ERASING: &str = "erasing personal data";
        self.cancel_all_of(game)?;
        for sql in [
            "DELETE FROM seats WHERE game = ?1",
            "DELETE FROM accounts WHERE game = ?1",
            "DELETE FROM photographs WHERE game = ?1",
            "DELETE FROM applicants WHERE game = ?1",
            "DELETE FROM former_players WHERE game = ?1",
            "DELETE FROM addresses_before WHERE game = ?1",
            "DELETE FROM asked WHERE game = ?1",
            "DELETE FROM topics WHERE game = ?1",
            "DELETE FROM topic_authors WHERE game = ?1",
            "DELETE FROM feeds WHERE game = ?1",
            "DELETE FROM officers WHERE game = ?1",
            "UPDATE texts SET salt = NULL, body = NULL WHERE game = ?1",
            "DELETE FROM letter_bytes WHERE letter IN (SELECT id FROM letters WHERE game = ?1)",
            "UPDATE letters SET sender = NULL, error = NULL WHERE game = ?1",
            "DELETE FROM outbox_bytes WHERE out IN (SELECT id FROM outbox WHERE game = ?1)",
            "UPDATE outbox SET address = '', subject = '', why = NULL WHERE game = ?1",
        ] {
            self.change(ERASING, sql, params![game])?;
        }
        Ok(())
    }
}

impl View<'_> {
    /// # Errors
    /// When the database cannot be read.
    pub fn seat(&self, game: GameId, player: u16) -> Result<Option<Seat>, StoreError> {
        self.row(
            "reading a seat",
            "SELECT player, address, forum_name FROM seats WHERE game = ?1 AND player = ?2",
            params![game, player],
            Seat::read,
        )
    }

    /// The seats of a game by number.
    ///
    /// Running games and their seats, together.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn running_seats(&self) -> Result<(u64, u64), StoreError> {
        self.one(
            "counting the players of running games",
            "SELECT count(*), coalesce(sum((SELECT count(*) FROM seats WHERE seats.game = games.id)), 0)
             FROM games WHERE state IN ('signup', 'playing', 'paused')",
            (),
            |row| Ok((count(row.get(0)?), count(row.get(1)?))),
        )
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn seats(&self, game: GameId) -> Result<Vec<Seat>, StoreError> {
        self.rows(
            "reading the seats",
            "SELECT player, address, forum_name FROM seats WHERE game = ?1 ORDER BY player",
            params![game],
            Seat::read,
        )
    }

    /// Where a mailbox plays, by any address of it: games that are on first, then those that are finished or cancelled.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn seats_by_address(&self, address: &str) -> Result<Vec<SeatPlace>, StoreError> {
        self.rows(
            "looking for a player",
            "SELECT seats.game, seats.player, games.state
             FROM seats JOIN games ON games.id = seats.game
             WHERE seats.mailbox = ?1
             ORDER BY games.state IN ('finished', 'cancelled'), seats.game",
            params![fold_address(address)],
            |row| Ok(SeatPlace { game: row.get("game")?, player: row.get("player")?, state: row.get("state")? }),
        )
    }

    /// Who gave up a seat: (player, address).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn formers(&self, game: GameId) -> Result<Vec<(u16, String)>, StoreError> {
        self.rows(
            "reading the former players",
            "SELECT player, address FROM former_players WHERE game = ?1 ORDER BY player, address",
            params![game],
            |row| Ok((row.get("player")?, row.get("address")?)),
        )
    }

    /// Hosts, then moderators, then addresses that post; each by position.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn officers(&self, game: GameId) -> Result<Vec<Officer>, StoreError> {
        // The names of the roles happen to be in this order.
        self.rows(
            "reading the officers",
            "SELECT role, position, address FROM officers WHERE game = ?1 ORDER BY role, position",
            params![game],
            |row| Ok(Officer { role: row.get("role")?, position: row.get("position")?, address: row.get("address")? }),
        )
    }

    /// Where a mailbox leads, by any address of it: games that are on first, then those that are finished or cancelled.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn games_of_officer(&self, address: &str) -> Result<Vec<OfficerPlace>, StoreError> {
        self.rows(
            "looking for an officer",
            "SELECT officers.game, officers.role, officers.position, games.state
             FROM officers JOIN games ON games.id = officers.game
             WHERE officers.mailbox = ?1
             ORDER BY games.state IN ('finished', 'cancelled'), officers.game, officers.role, officers.position",
            params![fold_address(address)],
            |row| {
                Ok(OfficerPlace {
                    game: row.get("game")?,
                    role: row.get("role")?,
                    position: row.get("position")?,
                    state: row.get("state")?,
                })
            },
        )
    }

    /// # Errors
    /// When the database cannot be read.
    pub fn secret(&self, game: GameId, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.row(
            "reading a secret",
            "SELECT value FROM secrets WHERE game = ?1 AND name = ?2",
            params![game, name],
            |row| row.get("value"),
        )
    }
}

impl Seat {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Seat> {
        Ok(Seat { player: row.get("player")?, address: row.get("address")?, forum_name: row.get("forum_name")? })
    }
}
