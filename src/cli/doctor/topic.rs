//! The topic's feed, read once: whether it can be, and whose names are in it.

use std::collections::BTreeSet;

use super::Rows;
use crate::config::Config;
use crate::feed::fetch::{Answer, Known, Limits, fetch};

/// Names in one row.
const MOST: usize = 20;

pub(super) fn look(config: &Config, rows: &mut Rows) {
    const NAME: &str = "topic";
    let Some(feed) = &config.forum.activity_feed else { return };
    let posts = match fetch(feed, &Known::default(), &Limits::default()) {
        Ok(Answer::Posts { posts, .. }) => posts,
        Ok(Answer::Unchanged) => return,
        Err(fault) => {
            let what = format!("the feed at {} can't be read: {fault}", feed.host());
            return rows.warning(NAME, what, "Mail and deadlines go on; docs/ops.md tells which feeds are read.");
        }
    };
    let Some(newest) = posts.iter().map(|post| post.at).max() else {
        return rows.warning(NAME, "the feed holds no post", "Nothing, if nobody has written in the topic yet.");
    };
    let names: BTreeSet<&str> = posts.iter().map(|post| post.author.as_str()).collect();
    let shown: Vec<&str> = names.iter().copied().take(MOST).collect();
    let more = if names.len() > MOST { " and others" } else { "" };
    let (count, names) = (posts.len(), shown.join(", "));
    rows.ok(NAME, format!("{count} posts, the newest of {newest:.0}, by {names}{more}"));
}
