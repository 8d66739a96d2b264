//! Which feed tells of a game's topic: its own, if it was made with one or the host named one, else config's.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::command::{CommandError, NotDone};
use super::new::salted;
use super::{Desk, DeskError, Open, Room};
use crate::feed::address::{FeedAddress, NoFeedAddress};
use crate::journal::{By, Entry};
use crate::letters::orders::Did;
use crate::store::{FeedRow, GameId, Tx, View};
use crate::table::State;

/// Longest address, in characters.
const LONGEST: usize = 500;
/// Words for no feed at all.
const NONE: [&str; 5] = ["нет", "никакой", "ничего", "none", "no"];

/// A feed that is to be read.
#[derive(Clone, Debug)]
pub struct Watched {
    pub feed: FeedAddress,
    /// Whose topic it is, and until when their open turns run.
    pub games: BTreeMap<GameId, Option<Timestamp>>,
}

/// The feed by which a game goes.
pub(super) struct FeedOf {
    pub feed: FeedAddress,
    /// Nothing older tells of this game's topic.
    pub since: Option<Timestamp>,
    /// Somebody named it for this very game.
    named: bool,
}

impl Desk {
    /// Every feed to be read now, once, by its address; and whether there are games of which nobody knows which one
    /// config's feed tells of.
    ///
    /// # Errors
    /// When the database fails.
    pub fn watched(&mut self) -> Result<(BTreeMap<String, Watched>, bool), DeskError> {
        self.read(|room, tx| {
            let mut games: Vec<(GameId, FeedOf)> = Vec::new();
            for (game, row) in tx.feeds_in_play()? {
                games.extend(room.of_row(&row).map(|feed| (game, feed)));
            }
            if room.config.forum.activity_feed.is_some() {
                for game in tx.games_by_config(2)? {
                    games.extend(room.feed_of(tx, game)?.map(|feed| (game, feed)));
                }
            }
            // Of nobody else anything is remembered; of one that does not read, that it does not.
            let looked_at: BTreeSet<GameId> = games.iter().map(|(game, _)| *game).collect();
            room.deadlines.retain(|game, _| looked_at.contains(game));
            let (mut watched, mut many) = (BTreeMap::<String, Watched>::new(), false);
            for (game, of) in games {
                if room.is_anothers(tx, game, &of)? {
                    many = true;
                    continue;
                }
                let Some(deadline) = room.deadline_of(tx, game)? else { continue };
                let one = Watched { feed: of.feed.clone(), games: BTreeMap::new() };
                watched.entry(of.feed.whole().to_owned()).or_insert(one).games.insert(game, deadline);
            }
            Ok((watched, many))
        })
    }

    /// By which feed a game goes, and whether it is read: config's is not where another game goes by it, too. None for none.
    ///
    /// # Errors
    /// When the database fails.
    pub fn feed_of_game(&mut self, game: GameId) -> Result<Option<(FeedAddress, bool)>, DeskError> {
        self.read(|room, tx| {
            let Some(of) = room.feed_of(tx, game)? else { return Ok(None) };
            let is_read = !room.is_anothers(tx, game, &of)?;
            Ok(Some((of.feed, is_read)))
        })
    }
}

/// What is known of a game as of one of its events: its deadline, or that its journal does not read.
#[derive(Clone, Copy)]
pub(super) enum Told {
    Deadline(Option<Timestamp>),
    Unread,
}

impl Room {
    /// Until when the open turn of a game runs. It is asked for every second of every game, and so it is looked up only
    /// after an event, and its table is not kept at the cost of those that are worked with. None where the journal does not
    /// read: whoever tends the game says so, and the others' feeds are read all the same.
    fn deadline_of(&mut self, tx: &View, game: GameId) -> Result<Option<Option<Timestamp>>, DeskError> {
        let head = match tx.game_by_id(game) {
            Ok(Some(head)) => head,
            Err(error) if error.is_fatal() => return Err(error.into()),
            Ok(None) | Err(_) => return Ok(None),
        };
        let told = match self.deadlines.get(&game) {
            Some((seq, told)) if *seq == head.seq => *told,
            _ => {
                let is_kept = self.tables.holds(game);
                let told = match self.load(tx, &head) {
                    Ok(table) => {
                        let deadline = table.deadline;
                        if is_kept {
                            self.tables.keep(game, head.seq, table);
                        }
                        Told::Deadline(deadline)
                    }
                    Err(error) if error.is_fatal() => return Err(error),
                    Err(_) => Told::Unread,
                };
                self.deadlines.insert(game, (head.seq, told));
                told
            }
        };
        Ok(match told {
            Told::Deadline(deadline) => Some(deadline),
            Told::Unread => None,
        })
    }

    /// By which feed a game goes; None where its topic is not read.
    pub(super) fn feed_of(&self, tx: &View, game: GameId) -> Result<Option<FeedOf>, DeskError> {
        Ok(match tx.feed(game)? {
            Some(row) => self.of_row(&row),
            None => {
                let feed = self.config.forum.activity_feed.clone();
                feed.map(|feed| FeedOf { feed, since: None, named: false })
            }
        })
    }

    fn of_row(&self, row: &FeedRow) -> Option<FeedOf> {
        let feed = FeedAddress::new(&row.address).ok()?;
        Some(FeedOf { feed, since: Some(row.since), named: row.named })
    }

    /// A topic is one game's. Where config alone says whose it is, and another game that is being played has it too, nobody
    /// knows which of them it tells of.
    pub(super) fn is_anothers(&self, tx: &View, game: GameId, of: &FeedOf) -> Result<bool, DeskError> {
        if of.named {
            return Ok(false);
        }
        let is_configs = self.config.forum.activity_feed.as_ref() == Some(&of.feed);
        Ok(tx.shares_feed(game, of.feed.whole())?
            || is_configs && tx.games_by_config(2)?.iter().any(|other| *other != game))
    }

    /// A new game keeps config's feed, or the one that it was made with.
    pub(super) fn keep_feed(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        named: Option<Option<&FeedAddress>>,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let configs = self.config.forum.activity_feed.clone();
        match (named, configs) {
            (Some(feed), _) => self.set_feed(tx, game, feed, By::Host, now),
            (None, Some(feed)) => self.set_feed(tx, game, Some(&feed), By::Rule, now),
            (None, None) => Ok(()),
        }
    }

    /// The host names the feed of this game's topic, or says that it has none.
    pub(super) fn name_feed(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        said: &str,
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        if matches!(game.table.state, State::Finished | State::Cancelled) {
            return Err(NotDone::HasEnded.into());
        }
        let feed = read_feed(said)?;
        let was = self.feed_of(tx, game.id)?.map(|of| of.feed);
        let was_host = was.filter(|was| feed.as_ref() != Some(was)).map(|was| was.host().to_owned());
        self.set_feed(tx, game, feed.as_ref(), By::Host, now)?;
        Ok(Did::FeedSet { host: feed.map(|feed| feed.host().to_owned()), was: was_host })
    }

    fn set_feed(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        feed: Option<&FeedAddress>,
        by: By,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let salt = tx.secret(game.id, "salt")?.unwrap_or_default();
        // What was read of the same topic still holds.
        let same = self.feed_of(tx, game.id)?.filter(|before| Some(&before.feed) == feed);
        let since = match same {
            Some(before) => before.since.unwrap_or(Timestamp::UNIX_EPOCH),
            None => now,
        };
        let address = feed.map(|feed| feed.whole().to_owned()).unwrap_or_default();
        let hash = feed.map(|feed| salted(&salt, feed.whole()));
        tx.put_feed(game.id, &FeedRow { address, named: by == By::Host, since })?;
        self.record(tx, game, now, &Entry::FeedSet { feed: hash, by })
    }
}

/// The server asks for a feed, and it may stand where others can't come: who writes letters sends it to no machine there.
/// The operator, by config and command line, may.
///
/// # Errors
/// When it is no feed, or one that only the operator names.
pub(super) fn may_be_named_by_letter(said: &str) -> Result<(), NotDone> {
    match read_feed(said)? {
        Some(feed) if feed.is_inside() => Err(NotDone::FeedUnfit { why: NoFeedAddress::Inside }),
        _ => Ok(()),
    }
}

/// A feed as a host writes it, in whatever quotes, with the full stop of his sentence; None for none.
///
/// # Errors
/// When it is no address that may be asked for, or when it bears a password.
pub fn read_feed(said: &str) -> Result<Option<FeedAddress>, NotDone> {
    let wraps = |c: char| c.is_whitespace() || "<>«»‹›\"“”„'‘’".contains(c);
    let said = said.trim_start_matches(wraps).trim_end_matches(|c| wraps(c) || ".,;!".contains(c));
    if NONE.contains(&said.to_lowercase().as_str()) {
        return Ok(None);
    }
    let unfit = |why| NotDone::FeedUnfit { why };
    if said.chars().count() > LONGEST || said.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(unfit(NoFeedAddress::NoLink));
    }
    let feed = FeedAddress::new(said).map_err(unfit)?;
    if feed.holds_password() {
        return Err(unfit(NoFeedAddress::HoldsPassword));
    }
    Ok(Some(feed))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::config::Config;
    use crate::letters::render::Templates;
    use crate::store::Store;

    #[test]
    fn nothing_is_remembered_of_a_game_that_is_over_and_a_journal_that_does_not_read_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("omerta.db");
        let config = Config::parse("host.addresses = [\"h@example.org\"]", Path::new("/config.toml")).unwrap();
        let templates = Templates::load(None).unwrap();
        let mut desk = Desk::new(Store::open(&file).unwrap(), Arc::new(config), Arc::new(templates)).unwrap();
        let at = Timestamp::UNIX_EPOCH;
        for tag in ["palermo", "corleone"] {
            desk.write(|_, tx| {
                // It has no journal.
                let game = tx.create_game(tag, "", "playing", at)?;
                let address = format!("https://forum.test/{tag}");
                Ok(tx.put_feed(game, &FeedRow { address, named: true, since: at })?)
            })
            .unwrap();
        }
        let known = |desk: &mut Desk| {
            let (watched, _) = desk.watched().unwrap();
            assert!(watched.is_empty(), "nobody knows when their turns end");
            desk.room.deadlines.len()
        };
        assert_eq!((known(&mut desk), known(&mut desk)), (2, 2));
        let sql = rusqlite::Connection::open(&file).unwrap();
        sql.execute("UPDATE games SET state = 'finished' WHERE tag = 'palermo'", ()).unwrap();
        assert_eq!(known(&mut desk), 1);
        // A row that does not read, with a time that there is not, keeps no other game from its feed.
        sql.execute("UPDATE games SET wake = 9223372036854775807 WHERE tag = 'corleone'", ()).unwrap();
        assert!(desk.read(|_, tx| Ok(tx.game("corleone")?)).is_err());
        assert_eq!(known(&mut desk), 1);
    }
}
