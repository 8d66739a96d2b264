//! The feeds of the games' topics, beside the mail: a thread for each request, so that neither a slow forum nor a broken
//! feed can hold up anything; what it brings is stored by the next round. Games of one topic share its feed; of one forum
//! one feed is asked for at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use jiff::Timestamp;

use super::{Daemon, DaemonError};
use crate::desk::DeskError;
use crate::desk::feeds::Watched;
use crate::feed::address::FeedAddress;
use crate::feed::fetch::{Answer, Fault, Known, Limits, fetch};
use crate::feed::pace::{Pace, Spared};
use crate::store::GameId;

/// Requests under way, to all forums together.
const MOST_AT_ONCE: usize = 8;
/// Games beyond so many are looked at more seldom than once a second.
const EACH_SECOND: usize = 50;

/// What is known of the feeds between two readings. Nothing of it is missed after a restart: each is read once more.
#[derive(Default)]
pub struct Topics {
    /// By the whole address.
    feeds: BTreeMap<String, Feed>,
    /// By their names.
    forums: BTreeMap<String, Spared>,
    looked: Option<Timestamp>,
    /// Said once, until it is over.
    many_games: bool,
    /// Said once, until it is over.
    unknown: bool,
}

struct Feed {
    address: FeedAddress,
    games: BTreeSet<GameId>,
    pace: Pace,
    known: Known,
    request: Option<Request>,
    /// Said once, until it is over.
    trouble: bool,
}

/// A request that is under way.
struct Request {
    /// Whose topic it was when it was asked for.
    games: BTreeSet<GameId>,
    began: Timestamp,
    told: Receiver<Result<Answer, Fault>>,
}

impl Topics {
    /// Whether games and deadlines are to be looked at: once a second, and more seldom where there are many.
    fn look(&mut self, now: Timestamp) -> bool {
        let games: usize = self.feeds.values().map(|feed| feed.games.len()).sum();
        let rest = i64::try_from(games / EACH_SECOND).unwrap_or(i64::MAX);
        let since = self.looked.map(|looked| now.as_second().saturating_sub(looked.as_second()));
        let is_time = since.is_none_or(|since| !(0..=rest).contains(&since));
        if is_time {
            self.looked = Some(now);
        }
        is_time
    }

    /// Which feeds there are, and whose topics, may change; the forums are spared all the same.
    fn are(&mut self, watched: &BTreeMap<String, Watched>) {
        self.feeds.retain(|whole, _| watched.contains_key(whole));
        for (whole, one) in watched {
            let feed = self.feeds.entry(whole.clone()).or_insert_with(|| Feed::new(one.feed.clone()));
            let games = one.games.keys().copied().collect();
            if !feed.games.is_superset(&games) {
                // Who has come was told nothing yet: «unchanged» would leave it so.
                feed.known = Known::default();
                feed.pace.anew();
            }
            feed.games = games;
        }
        let hosts: BTreeSet<&str> = self.feeds.values().map(|feed| feed.address.host()).collect();
        self.forums.retain(|host, spared| hosts.contains(host.as_str()) || !spared.is_over());
    }

    /// Asks for what is due: first where a deadline waits for it, then who has waited longest; of each forum one feed.
    fn ask(&mut self, watched: &BTreeMap<String, Watched>, now: Timestamp) {
        let mut due: Vec<(bool, Option<Timestamp>, &String)> = Vec::new();
        for (whole, one) in watched {
            let passed = one.games.values().flatten().copied().filter(|deadline| *deadline <= now).max();
            if let Some(feed) =
                self.feeds.get(whole).filter(|feed| feed.request.is_none() && feed.pace.is_due(now, passed))
            {
                let asked = feed.pace.asked();
                let waits = passed.is_some_and(|deadline| asked.is_none_or(|asked| asked < deadline));
                due.push((!waits, asked, whole));
            }
        }
        due.sort();
        let busy = self.feeds.values().filter(|feed| feed.request.is_some());
        let mut busy: Vec<String> = busy.map(|feed| feed.address.host().to_owned()).collect();
        for (_, _, whole) in due {
            let Some(feed) = self.feeds.get_mut(whole) else { continue };
            let host = feed.address.host().to_owned();
            let forum = self.forums.entry(host.clone()).or_default();
            if busy.len() < MOST_AT_ONCE && !busy.contains(&host) && forum.may_be_asked(now) {
                forum.asking(now);
                feed.ask(now);
                busy.push(host);
            }
        }
    }
}

impl Feed {
    fn new(address: FeedAddress) -> Feed {
        Feed {
            address,
            games: BTreeSet::new(),
            pace: Pace::default(),
            known: Known::default(),
            request: None,
            trouble: false,
        }
    }

    fn ask(&mut self, now: Timestamp) {
        let (tell, told) = sync_channel(1);
        let (address, known) = (self.address.clone(), self.known.clone());
        self.pace.asking(now);
        let thread = std::thread::Builder::new().name("topic's feed".to_owned());
        // When nobody listens any more the daemon has ended, or nobody wants this feed.
        let started = thread.spawn(move || drop(tell.send(fetch(&address, &known, &Limits::default()))));
        match started {
            Ok(_) => self.request = Some(Request { games: self.games.clone(), began: now, told }),
            Err(error) => self.failed(&Fault::Down(error.to_string())),
        }
    }

    /// What the last request brought, if it is over.
    fn heard(&mut self) -> Option<(Request, Result<Answer, Fault>)> {
        let told = match self.request.as_ref()?.told.try_recv() {
            Ok(told) => told,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => {
                Err(Fault::Down("the reader of feeds broke; please report it".to_owned()))
            }
        };
        Some((self.request.take()?, told))
    }

    fn failed(&mut self, fault: &Fault) {
        self.pace.failed(match fault {
            Fault::Busy { after, .. } => *after,
            _ => None,
        });
        if !std::mem::replace(&mut self.trouble, true) {
            let host = self.address.host();
            tracing::error!(
                "the topic's feed at {host} can't be read: {fault}. It is tried again, ever more seldom; mail and deadlines go on, and nobody is judged for silence by what was not read"
            );
        }
    }

    /// What was read is stored only in part, or not at all: the whole is asked for once more.
    fn not_stored(&mut self, error: &DeskError) {
        self.known = Known::default();
        self.pace.failed(None);
        if !error.is_fatal() && !std::mem::replace(&mut self.trouble, true) {
            let host = self.address.host();
            tracing::error!(
                "what the topic's feed at {host} tells can't be stored: {error}. It is read again, ever more seldom; nobody is judged for silence by what was not stored"
            );
        }
    }

    /// One of its games could not be told, and that slows none of the others. Until it can be, the whole is asked for: it
    /// heard nothing yet of which «unchanged» could tell.
    fn read_in_part(&mut self, answer: &Answer, games: &BTreeSet<GameId>, error: &DeskError) {
        let trouble = std::mem::replace(&mut self.trouble, false);
        self.read(answer, games);
        self.known = Known::default();
        self.trouble = true;
        if !trouble {
            let host = self.address.host();
            tracing::error!(
                "what the topic's feed at {host} tells can't be stored for one of its games: {error}. The others have it; in that one nobody is judged for silence by what was not stored"
            );
        }
    }

    /// `games`: who was told.
    fn read(&mut self, answer: &Answer, games: &BTreeSet<GameId>) {
        self.pace.read();
        match answer {
            Answer::Posts { known, .. } if games.is_superset(&self.games) => self.known.clone_from(known),
            // Somebody has come meanwhile, who must be told as well.
            _ if !games.is_superset(&self.games) => self.pace.anew(),
            _ => {}
        }
        if std::mem::take(&mut self.trouble) {
            tracing::info!("the topic's feed at {} can be read again", self.address.host());
        }
    }
}

impl Daemon {
    /// Stores what was read, and asks for the feeds that it is time for.
    pub(super) fn watch_topics(&mut self) -> Result<(), DaemonError> {
        self.store_topics()?;
        let now = self.clock.now();
        if !self.topics.look(now) {
            return Ok(());
        }
        let (watched, many) = match self.desk.watched() {
            Ok(watched) => watched,
            Err(error) if error.is_fatal() => return Err(error.into()),
            Err(error) => {
                if !std::mem::replace(&mut self.topics.unknown, true) {
                    tracing::error!("which feeds are to be read can't be found out: {error}. Mail and deadlines go on");
                }
                return Ok(());
            }
        };
        self.topics.unknown = false;
        if many && !self.topics.many_games {
            tracing::warn!(
                "more than one game goes by config's `activity_feed`, which is the feed of one topic: for them it is not read, and silence is left to the hosts; `omerta game feed TAG URL` gives each its own"
            );
        }
        self.topics.many_games = many;
        self.topics.are(&watched);
        self.topics.ask(&watched, now);
        Ok(())
    }

    fn store_topics(&mut self) -> Result<(), DaemonError> {
        let now = self.clock.now();
        for feed in self.topics.feeds.values_mut() {
            let Some((request, told)) = feed.heard() else { continue };
            match told {
                Ok(answer) => {
                    // One game that can't be told keeps no other from it.
                    let (mut fault, mut somebody) = (None, false);
                    for game in &request.games {
                        match self.desk.topic_read(*game, &feed.address, &answer, request.began) {
                            Ok(()) => somebody = true,
                            Err(error) if error.is_fatal() => {
                                feed.not_stored(&error);
                                return Err(error.into());
                            }
                            Err(error) => fault = Some(error),
                        }
                    }
                    match fault {
                        None => feed.read(&answer, &request.games),
                        Some(error) if somebody => feed.read_in_part(&answer, &request.games, &error),
                        Some(error) => feed.not_stored(&error),
                    }
                }
                Err(fault) => {
                    if let Fault::Busy { after: Some(after), .. } = &fault {
                        self.topics.forums.entry(feed.address.host().to_owned()).or_default().busy(now, *after);
                    }
                    feed.failed(&fault);
                }
            }
        }
        Ok(())
    }

    /// A request for a topic's feed is under way.
    pub fn is_reading_topic(&self) -> bool {
        self.topics.feeds.values().any(|feed| feed.request.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// So many feeds, each of a game of its own, from the `first` on, each at a forum of its own: machines of loopback, at
    /// a port at which nobody listens.
    fn watched(first: u8, feeds: u8) -> BTreeMap<String, Watched> {
        let one = |number: u8| {
            let feed = FeedAddress::new(&format!("http://127.0.0.{number}:9/feed")).unwrap();
            let games = BTreeMap::from([(GameId(i64::from(number)), None)]);
            (feed.whole().to_owned(), Watched { feed, games })
        };
        (first..first.saturating_add(feeds)).map(one).collect()
    }

    #[test]
    fn the_more_games_the_seldomer_they_are_looked_at() {
        let seconds = |feeds: u8| {
            let mut topics = Topics::default();
            topics.are(&watched(1, feeds));
            (0..10).filter(|second| topics.look(at(*second))).collect::<Vec<_>>()
        };
        assert_eq!(seconds(49), (0..10).collect::<Vec<_>>());
        assert_eq!(seconds(50), [0, 2, 4, 6, 8]);
        assert_eq!(seconds(200), [0, 5]);
        let mut topics = Topics::default();
        assert!(topics.look(at(100)) && !topics.look(at(100)) && topics.look(at(99)), "a clock that was set back");
    }

    #[test]
    fn of_many_forums_a_few_are_asked_at_a_time() {
        let (mut topics, all) = (Topics::default(), watched(1, 20));
        topics.are(&all);
        let busy = |topics: &Topics| topics.feeds.values().filter(|feed| feed.request.is_some()).count();
        for second in 0..3 {
            topics.ask(&all, at(second));
            assert_eq!(busy(&topics), MOST_AT_ONCE, "whatever they have told, nobody has listened yet");
        }
        // Who was asked comes last: each has its turn.
        let told = topics.feeds.values_mut().filter(|feed| feed.request.is_some());
        let asked: Vec<String> = told.map(|feed| (feed.request = None, feed.address.whole().to_owned()).1).collect();
        topics.ask(&all, at(3_600));
        assert_eq!(busy(&topics), MOST_AT_ONCE);
        assert!(asked.iter().all(|whole| topics.feeds.get(whole).unwrap().request.is_none()));
    }

    #[test]
    fn of_feeds_that_nobody_wants_nothing_is_kept() {
        let mut topics = Topics::default();
        for first in (1..=200).step_by(20) {
            let all = watched(first, 20);
            topics.are(&all);
            topics.ask(&all, at(i64::from(first) * 60));
            assert_eq!(topics.feeds.len(), 20);
            assert!(topics.forums.len() <= 20, "{}", topics.forums.len());
        }
        // But for a forum that wants to be left alone, whoever asks next.
        topics.forums.get_mut("127.0.0.181").unwrap().busy(at(20_000), std::time::Duration::from_secs(7_200));
        topics.are(&BTreeMap::new());
        assert_eq!(
            (topics.feeds.len(), topics.forums.keys().map(String::as_str).collect::<Vec<_>>()),
            (0, vec!["127.0.0.181"])
        );
    }
}
