//! What the feed of a game's topic told: how far back all was seen, and when each author wrote first and last.

use jiff::Timestamp;
use rusqlite::params;

use super::value::{Micros, limit};
use super::{GameId, StoreError, Tx, View};

/// How far back every post of a topic was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicRow {
    /// Which feed told it.
    pub feed: String,
    pub since: Timestamp,
    pub until: Timestamp,
    pub newest: Timestamp,
    pub newest_id: String,
}

/// Somebody who writes in a topic; `author` is his name there, folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorRow {
    pub author: String,
    pub first: Timestamp,
    pub last: Timestamp,
}

/// The feed of a game's own topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedRow {
    /// Empty: none is read.
    pub address: String,
    /// For this very game; else it is config's, from when the game was made.
    pub named: bool,
    /// What was written before belongs to another topic.
    pub since: Timestamp,
}

impl Tx<'_> {
    /// # Errors
    /// When there is no such game.
    pub fn put_feed(&self, game: GameId, row: &FeedRow) -> Result<(), StoreError> {
        self.change(
            "writing which feed a topic has",
            "INSERT INTO feeds (game, address, named, since) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (game) DO UPDATE
             SET address = excluded.address, named = excluded.named, since = excluded.since",
            params![game, row.address, row.named, Micros(row.since)],
        )?;
        Ok(())
    }

    /// # Errors
    /// When there is no such game.
    pub fn put_topic(&self, game: GameId, row: &TopicRow) -> Result<(), StoreError> {
        self.change(
            "writing how far a topic was read",
            "INSERT INTO topics (game, feed, since, until, newest, newest_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (game) DO UPDATE SET feed = excluded.feed, since = excluded.since, until = excluded.until,
                 newest = excluded.newest, newest_id = excluded.newest_id",
            params![game, row.feed, Micros(row.since), Micros(row.until), Micros(row.newest), row.newest_id],
        )?;
        Ok(())
    }

    /// One more author, or later or earlier posts of one who is known.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn saw_author(&self, game: GameId, row: &AuthorRow) -> Result<(), StoreError> {
        self.change(
            "writing who wrote in a topic",
            "INSERT INTO topic_authors (game, author, first, last) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (game, author) DO UPDATE
             SET first = min(first, excluded.first), last = max(last, excluded.last)
             WHERE excluded.first < first OR excluded.last > last",
            params![game, row.author, Micros(row.first), Micros(row.last)],
        )?;
        Ok(())
    }

    /// Forgets what another feed told.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_topic(&self, game: GameId) -> Result<(), StoreError> {
        for sql in ["DELETE FROM topics WHERE game = ?1", "DELETE FROM topic_authors WHERE game = ?1"] {
            self.change("forgetting a topic", sql, params![game])?;
        }
        Ok(())
    }
}

impl View<'_> {
    /// # Errors
    /// When the database cannot be read.
    pub fn topic(&self, game: GameId) -> Result<Option<TopicRow>, StoreError> {
        self.row(
            "reading how far a topic was read",
            "SELECT feed, since, until, newest, newest_id FROM topics WHERE game = ?1",
            params![game],
            |row| {
                let (Micros(since), Micros(until)) = (row.get("since")?, row.get("until")?);
                let Micros(newest) = row.get("newest")?;
                Ok(TopicRow { feed: row.get("feed")?, since, until, newest, newest_id: row.get("newest_id")? })
            },
        )
    }

    /// When one author wrote, if ever.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn topic_author(&self, game: GameId, author: &str) -> Result<Option<AuthorRow>, StoreError> {
        self.row(
            "reading when somebody wrote in a topic",
            "SELECT author, first, last FROM topic_authors WHERE game = ?1 AND author = ?2",
            params![game, author],
            |row| {
                let (Micros(first), Micros(last)) = (row.get("first")?, row.get("last")?);
                Ok(AuthorRow { author: row.get("author")?, first, last })
            },
        )
    }

    /// None: the game goes by config.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn feed(&self, game: GameId) -> Result<Option<FeedRow>, StoreError> {
        self.row(
            "reading which feed a topic has",
            "SELECT address, named, since FROM feeds WHERE game = ?1",
            params![game],
            FeedRow::read,
        )
    }

    /// Feeds of games that are being played or pause, the oldest game first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn feeds_in_play(&self) -> Result<Vec<(GameId, FeedRow)>, StoreError> {
        self.rows(
            "looking for feeds to be read",
            "SELECT games.id AS game, address, named, since
             FROM games INDEXED BY games_running CROSS JOIN feeds ON feeds.game = games.id
             WHERE state IN ('signup', 'playing', 'paused') AND state <> 'signup' AND address <> '' ORDER BY games.id",
            (),
            |row| Ok((row.get("game")?, FeedRow::read(row)?)),
        )
    }

    /// Whether another game that is being played or pauses has the same feed.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn shares_feed(&self, game: GameId, address: &str) -> Result<bool, StoreError> {
        self.one(
            "looking for another game of the same topic",
            "SELECT EXISTS (SELECT 1 FROM games INDEXED BY games_running CROSS JOIN feeds ON feeds.game = games.id
             WHERE state IN ('signup', 'playing', 'paused') AND state <> 'signup' AND games.id <> ?1 AND address = ?2)",
            params![game, address],
            |row| row.get(0),
        )
    }

    /// Games that go by config's feed and are being played or pause, the oldest first; at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn games_by_config(&self, at_most: usize) -> Result<Vec<GameId>, StoreError> {
        self.rows(
            "looking for games that go by config's feed",
            "SELECT id FROM games INDEXED BY games_running
             WHERE state IN ('signup', 'playing', 'paused') AND state <> 'signup'
                 AND NOT EXISTS (SELECT 1 FROM feeds WHERE feeds.game = games.id)
             ORDER BY id LIMIT ?1",
            params![limit(at_most)],
            |row| row.get(0),
        )
    }
}

impl FeedRow {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<FeedRow> {
        let Micros(since) = row.get("since")?;
        Ok(FeedRow { address: row.get("address")?, named: row.get("named")?, since })
    }
}
