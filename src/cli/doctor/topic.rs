//! The topics' feeds, config's and those of games that run, each read once: whether it can be, and whose names are in it.

use std::collections::{BTreeMap, BTreeSet};

use super::Rows;
use crate::config::Config;
use crate::feed::address::FeedAddress;
use crate::feed::fetch::{Answer, Known, Limits, fetch};
use crate::store::{Store, StoreError};
use crate::table::is_on;

const NAME: &str = "topic";
/// Names in one row.
const MOST: usize = 20;
/// Feeds that are tried: nobody waits for more, and a forum may have them all.
const MOST_FEEDS: usize = 10;

pub(super) fn look(config: &Config, rows: &mut Rows) {
    // What is wrong with the database was told.
    let mut of_games = of_games(config).unwrap_or_default();
    if let Some(feed) = &config.forum.activity_feed {
        of_games.remove(feed.whole());
        read(feed, "", rows);
    }
    let left = of_games.len().saturating_sub(MOST_FEEDS);
    for (feed, tags) in of_games.into_values().take(MOST_FEEDS) {
        read(&feed, &format!("{}: ", tags.join(", ")), rows);
    }
    if left > 0 {
        rows.ok(NAME, format!("feeds of games that were not tried here: {left}; the daemon reads them, too"));
    }
}

/// Feeds of games that are not over, by their address, each with the games' tags.
fn of_games(config: &Config) -> Result<BTreeMap<String, (FeedAddress, Vec<String>)>, StoreError> {
    let mut feeds = BTreeMap::new();
    if !config.database.exists() {
        return Ok(feeds);
    }
    Store::open_existing(&config.database)?.read(|tx| {
        for head in tx.games()?.into_iter().filter(|head| is_on(&head.state)) {
            let Some(row) = tx.feed(head.id)? else { continue };
            // An empty address is that of a game whose topic is not read.
            if let Ok(feed) = FeedAddress::new(&row.address) {
                let (_, tags) = feeds.entry(row.address).or_insert_with(|| (feed, Vec::new()));
                tags.push(head.tag);
            }
        }
        Ok(feeds)
    })
}

/// `whose`: what stands before the words.
fn read(feed: &FeedAddress, whose: &str, rows: &mut Rows) {
    let posts = match fetch(feed, &Known::default(), &Limits::default()) {
        Ok(Answer::Posts { posts, .. }) => posts,
        Ok(Answer::Unchanged) => return,
        Err(fault) => {
            let what = format!("{whose}the feed at {} can't be read: {fault}", feed.host());
            return rows.warning(NAME, what, "Mail and deadlines go on; docs/ops.md tells which feeds are read.");
        }
    };
    let Some(newest) = posts.iter().map(|post| post.at).max() else {
        let cure = "Nothing, if nobody has written in the topic yet.";
        return rows.warning(NAME, format!("{whose}the feed holds no post"), cure);
    };
    let names: BTreeSet<&str> = posts.iter().map(|post| post.author.as_str()).collect();
    let shown: Vec<&str> = names.iter().copied().take(MOST).collect();
    let more = if names.len() > MOST { " and others" } else { "" };
    let (count, names) = (posts.len(), shown.join(", "));
    rows.ok(NAME, format!("{whose}{count} posts, the newest of {newest:.0}, by {names}{more}"));
}
