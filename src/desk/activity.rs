//! What the topic's feed tells (R102-R104, A69). Who wrote is written down whenever the feed was read; who was silent is
//! concluded only at a deadline, and only where the feed was seen without a gap: else nobody is judged, and the hosts are
//! told why. A person's word, the host's or a moderator's, goes before the feed's.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Desk, DeskError, Open, Room};
use crate::feed::Post;
use crate::feed::address::FeedAddress;
use crate::feed::fetch::Answer;
use crate::feed::reach::Reach;
use crate::journal::Entry;
use crate::letters::{Alert, TopicGap};
use crate::request::names;
use crate::rules::PlayerId;
use crate::store::{AuthorRow, GameId, TopicRow, Tx, View};

/// How many days back a deadline may look, whatever the toggle says.
const LONGEST: i64 = 3650;

impl Desk {
    /// The feed of a game's topic was read at `began`. If the game goes by another by now, nothing happens.
    ///
    /// # Errors
    /// When the database fails; then nothing of it happened.
    pub fn topic_read(
        &mut self,
        game: GameId,
        read: &FeedAddress,
        answer: &Answer,
        began: Timestamp,
    ) -> Result<(), DeskError> {
        self.write(|room, tx| {
            let now = room.feed_of(tx, game)?.map(|of| of.feed);
            let Some(feed) = now.filter(|feed| feed == read).map(|feed| feed.mark()) else { return Ok(()) };
            let before = tx.topic(game)?.filter(|row| row.feed == feed).map(reach);
            match (answer, before) {
                (Answer::Unchanged, Some(mut reach)) => {
                    reach.unchanged(began);
                    Ok(tx.put_topic(game, &row(feed, reach))?)
                }
                (Answer::Unchanged, None) => Ok(()),
                (Answer::Posts { posts, .. }, before) => {
                    if before.is_none() {
                        tx.forget_topic(game)?;
                    }
                    for author in authors(posts, began) {
                        tx.saw_author(game, &author)?;
                    }
                    if let Some(reach) = Reach::after(before.as_ref(), posts, began) {
                        tx.put_topic(game, &row(feed, reach))?;
                    }
                    Ok(())
                }
            }
        })
    }
}

impl Room {
    /// At a deadline: who wrote nothing for `activity_days` joins those whom a person named.
    pub(super) fn judge_silence(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let Some(of) = self.feed_of(tx, game.id)? else { return Ok(()) };
        let feed = of.feed.mark();
        let days = game.table.game.rulebook.activity_days;
        // With none, nothing is a silence.
        if days == 0 {
            return Ok(());
        }
        let back = SignedDuration::from_hours(i64::from(days).min(LONGEST).saturating_mul(24));
        let Ok(since) = deadline.checked_sub(back) else { return Ok(()) };
        let last = last_posts(tx, game)?;
        let (activity, mut players) = (&game.table.activity, Vec::new());
        for (who, _) in game.table.living() {
            let counts = activity.counts_since(who).is_some_and(|from| from <= since);
            let said = activity.silent.contains(&who) || activity.wrote.contains(&who);
            let wrote = last.get(&who).is_some_and(|last| *last > since);
            if counts && !said && !wrote && !self.is_unknown_successor(tx, game, who, &last)? {
                players.push(who);
            }
        }
        if players.is_empty() {
            return Ok(());
        }
        let topic = tx.topic(game.id)?.filter(|row| row.feed == feed).map(reach);
        let somebody = last.values().any(|last| *last > since);
        let named = of.since.unwrap_or(Timestamp::UNIX_EPOCH);
        let is_anothers = self.is_anothers(tx, game.id, &of)?;
        // Before the feed was named the game was talked of elsewhere, whatever it shows of that time.
        let why = match topic {
            _ if is_anothers => TopicGap::ManyGames,
            None => TopicGap::Never,
            Some(topic) if topic.until < deadline => TopicGap::Until { at: topic.until },
            Some(topic) if topic.since > since => TopicGap::Since { at: topic.since },
            Some(_) if named > since => TopicGap::Named { at: named },
            Some(_) if !somebody => TopicGap::Nobody,
            Some(_) => return self.record(tx, game, now, &Entry::FeedJudged { since, players }),
        };
        self.alert_once(tx, game, now, Alert::TopicUnread { why, days })
    }

    /// Who took a seat over brought no forum name: until he is seen under the nick, nobody knows how he is called there.
    fn is_unknown_successor(
        &self,
        tx: &View,
        game: &Open,
        who: PlayerId,
        last: &BTreeMap<PlayerId, Timestamp>,
    ) -> Result<bool, DeskError> {
        let Some(since) = game.table.activity.anew.get(&who).filter(|_| game.table.predecessors(who) > 0) else {
            return Ok(false);
        };
        let seen = last.get(&who).is_some_and(|last| last >= since);
        Ok(!seen && tx.seat(game.id, who.0)?.is_some_and(|seat| seat.forum_name.is_none()))
    }
}

/// When each player was last seen in the topic; who was never seen is not in it.
fn last_posts(tx: &View, game: &Open) -> Result<BTreeMap<PlayerId, Timestamp>, DeskError> {
    let mut last = BTreeMap::new();
    for seat in tx.seats(game.id)? {
        let who = PlayerId(seat.player);
        let name = seat.forum_name.as_deref().unwrap_or(game.table.nick(who));
        if let Some(author) = tx.topic_author(game.id, &names::fold(name))? {
            last.insert(who, author.last);
        }
    }
    Ok(last)
}

/// The authors of these posts. A forum whose clock is ahead of ours tells of no future.
fn authors(posts: &[Post], now: Timestamp) -> impl Iterator<Item = AuthorRow> {
    let mut authors: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
    for post in posts {
        let at = post.at.min(now);
        let (first, last) = authors.entry(names::fold(&post.author)).or_insert((at, at));
        (*first, *last) = ((*first).min(at), (*last).max(at));
    }
    authors.into_iter().map(|(author, (first, last))| AuthorRow { author, first, last })
}

fn reach(row: TopicRow) -> Reach {
    Reach { since: row.since, until: row.until, newest: row.newest, newest_id: row.newest_id }
}

fn row(feed: String, reach: Reach) -> TopicRow {
    TopicRow { feed, since: reach.since, until: reach.until, newest: reach.newest, newest_id: reach.newest_id }
}
