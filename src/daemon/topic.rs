//! The feed of the game's topic, beside the mail: a thread for each request, so that neither a slow forum nor a broken
//! feed can hold up anything; what it brings is stored by the next round.

use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use jiff::Timestamp;

use super::{Daemon, DaemonError};
use crate::desk::DeskError;
use crate::desk::activity::TopicOf;
use crate::feed::address::FeedAddress;
use crate::feed::fetch::{Answer, Fault, Known, Limits, fetch};
use crate::feed::pace::Pace;
use crate::store::GameId;

/// What is known of the feed between two readings. Nothing of it is missed after a restart: the feed is read once more.
#[derive(Default)]
pub struct Topic {
    /// Whose topic, and by which feed.
    of: Option<(GameId, FeedAddress)>,
    pace: Pace,
    known: Known,
    request: Option<Request>,
    looked: Option<Timestamp>,
    /// Said once, until it is over.
    trouble: bool,
    many_games: bool,
}

/// A request that is under way.
struct Request {
    of: (GameId, FeedAddress),
    began: Timestamp,
    told: Receiver<Result<Answer, Fault>>,
}

impl Topic {
    /// Whose topic it is may change; the forum is spared all the same.
    fn is_of(&mut self, of: Option<(GameId, FeedAddress)>) {
        if self.of != of {
            (self.of, self.known) = (of, Known::default());
            self.pace.anew();
        }
    }

    fn ask(&mut self, of: &(GameId, FeedAddress), now: Timestamp) {
        let (tell, told) = sync_channel(1);
        let (address, known) = (of.1.clone(), self.known.clone());
        self.pace.asking(now);
        let thread = std::thread::Builder::new().name("topic's feed".to_owned());
        // When nobody listens any more the daemon has ended.
        let started = thread.spawn(move || drop(tell.send(fetch(&address, &known, &Limits::default()))));
        match started {
            Ok(_) => self.request = Some(Request { of: of.clone(), began: now, told }),
            Err(error) => self.failed(of.1.host(), &Fault::Down(error.to_string())),
        }
    }

    /// What the last request brought, if it is over and still wanted.
    fn heard(&mut self) -> Option<(Request, Result<Answer, Fault>)> {
        let told = match self.request.as_ref()?.told.try_recv() {
            Ok(told) => told,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => {
                Err(Fault::Down("the reader of feeds broke; please report it".to_owned()))
            }
        };
        let request = self.request.take()?;
        (self.of.as_ref() == Some(&request.of)).then_some((request, told))
    }

    fn failed(&mut self, host: &str, fault: &Fault) {
        self.pace.failed(match fault {
            Fault::Busy { after, .. } => *after,
            _ => None,
        });
        if !std::mem::replace(&mut self.trouble, true) {
            tracing::error!(
                "the topic's feed at {host} can't be read: {fault}. It is tried again, ever more seldom; mail and deadlines go on, and nobody is judged for silence by what was not read"
            );
        }
    }

    fn read(&mut self, answer: &Answer) {
        self.pace.read();
        if let Answer::Posts { known, .. } = answer {
            self.known.clone_from(known);
        }
        if std::mem::take(&mut self.trouble) {
            tracing::info!("the topic's feed can be read again");
        }
    }
}

impl Daemon {
    /// Stores what was read, and asks for the feed when it is time.
    pub(super) fn watch_topic(&mut self) -> Result<(), DaemonError> {
        let stored = self.store_topic();
        done(stored)?;
        let now = self.clock.now();
        // Games and deadlines are looked at once a second.
        if self.topic.request.is_some() || self.topic.looked.is_some_and(|looked| looked.as_second() == now.as_second())
        {
            return Ok(());
        }
        self.topic.looked = Some(now);
        let watched = self.desk.watched();
        let Some(watched) = done(watched)? else { return Ok(()) };
        let many = watched == TopicOf::ManyGames;
        if many && !self.topic.many_games {
            tracing::warn!(
                "more than one game is being played, and `activity_feed` is the feed of one topic: it is not read, and silence is left to the hosts"
            );
        }
        self.topic.many_games = many;
        let (TopicOf::Game { game, deadline }, Some(feed)) = (watched, self.desk.config().forum.activity_feed.clone())
        else {
            self.topic.is_of(None);
            return Ok(());
        };
        let of = (game, feed);
        self.topic.is_of(Some(of.clone()));
        if self.topic.pace.is_due(now, deadline.filter(|deadline| *deadline <= now)) {
            self.topic.ask(&of, now);
        }
        Ok(())
    }

    fn store_topic(&mut self) -> Result<(), DeskError> {
        let Some((request, told)) = self.topic.heard() else { return Ok(()) };
        match told {
            Ok(answer) => {
                self.desk.topic_read(request.of.0, &answer, request.began)?;
                self.topic.read(&answer);
            }
            Err(fault) => self.topic.failed(request.of.1.host(), &fault),
        }
        Ok(())
    }

    /// A request for the topic's feed is under way.
    pub fn is_reading_topic(&self) -> bool {
        self.topic.request.is_some()
    }
}

/// Only trouble of the database itself concerns the mail.
fn done<T>(result: Result<T, DeskError>) -> Result<Option<T>, DaemonError> {
    match result {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.is_fatal() => Err(error.into()),
        Err(error) => {
            tracing::error!(%error, "the topic of a game can't be watched");
            Ok(None)
        }
    }
}
