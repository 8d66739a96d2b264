//! The loop: reads the inbox, gives each game what is due, empties the outbox, and waits. The only place where the
//! clock is asked what to do next.

mod batch;
mod course;
mod ends;
mod heed;
mod lines;
mod notify;
mod opening;
mod reading;
mod send;
mod signals;
mod topic;
mod trouble;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use self::batch::{InboxError, Portion};
use self::course::Course;
use self::ends::{Inbox, News, Outbox};
pub use self::notify::Manager;
use self::notify::Notify;
use self::opening::{FromLine, Portions};
use self::reading::{Looked, Reading};
pub use self::signals::{Reread, Signals, Wish};
use self::topic::Topics;
use self::trouble::{Revival, Trouble};
use crate::clock::Clock;
use crate::config::Config;
use crate::desk::{Desk, DeskError};
use crate::failpoint::{self, Point};
use crate::letters::render::Templates;
use crate::mail::link::{FromOutbox, Outcome};
use crate::mail::pace::Load;
use crate::store::{DaemonLock, GameId, OutRow, Store, StoreError};

/// Why the daemon can't start, or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    #[error(transparent)]
    Desk(#[from] DeskError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the inbox {path} can't be opened: {source}; correct [inbox] `path`, or the owner and mode of the folder")]
    Inbox { path: String, source: std::io::Error },
    #[error("{0}")]
    Unable(&'static str),
}

impl DaemonError {
    /// A full disk or a lock: a later start may do without anybody's help.
    pub fn may_pass(&self) -> bool {
        match self {
            DaemonError::Desk(DeskError::Store(error)) | DaemonError::Store(error) => error.may_pass(),
            DaemonError::Desk(_) | DaemonError::Inbox { .. } | DaemonError::Unable(_) => false,
        }
    }
}

/// How often the daemon looks round when nothing wakes it, unless told otherwise.
pub const TICK: Duration = Duration::from_millis(200);
/// How long a stop waits for what becomes of letters that were handed over.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// Games in one round.
const GAMES: usize = 64;
/// A game that can't be tended, an outbox that takes nothing: tried again after so long.
const AGAIN: Duration = Duration::from_secs(30);

pub struct Daemon {
    desk: Desk,
    clock: Clock,
    inbox: Inbox,
    outbox: Outbox,
    /// The last look at the quota of the day.
    load: Option<(Instant, Load)>,
    reading: Reading,
    tick: Duration,
    /// The last sign of life in the database, by both kinds of time.
    last_beat: Option<(Instant, Timestamp)>,
    /// Something happened since.
    stirred: bool,
    last_tidy: Option<Timestamp>,
    /// What the clock showed in the last round.
    clock_showed: Option<Timestamp>,
    /// The latest time that was ever believed.
    believed: Option<Timestamp>,
    /// It has leapt, and nobody has said that it is right: nothing happens by time alone.
    doubts_clock: bool,
    /// The reading of a Maildir that has not come to its end.
    course: Option<Course>,
    /// How many letters one transaction takes in.
    portion: Portion,
    /// Letters from a line, and how far each folder is read with them, until they are committed.
    held: Option<Portions>,
    /// What became of letters, until it is committed.
    answers: Vec<(OutRow, Outcome)>,
    /// For which games that are due the inbox was looked through.
    looked: Looked,
    /// Games that could not be tended, and when.
    ailing: BTreeMap<GameId, Instant>,
    /// The inbox is in trouble; said once.
    inbox_trouble: bool,
    /// The Maildirs take no letter, since then; said once.
    outbox_trouble: Option<Timestamp>,
    /// Tasks that died and were started again.
    revival: Revival,
    trouble: Trouble,
    topics: Topics,
    notify: Notify,
    _lock: DaemonLock,
}

impl Daemon {
    /// Opens everything that the daemon needs.
    ///
    /// # Errors
    /// When the database is in use by another daemon, or something can't be opened.
    pub fn open(
        config: Arc<Config>,
        templates: Arc<Templates>,
        clock: Clock,
        tick: Duration,
    ) -> Result<Daemon, DaemonError> {
        let store = Store::open(&config.database)?;
        let lock = store.lock_for_daemon()?;
        let now = clock.now();
        let inbox = Inbox::open(&config, now)?;
        let outbox = Outbox::open(&config, now)?;
        let desk = Desk::new(store, config, templates)?;
        Ok(Daemon {
            desk,
            clock,
            inbox,
            outbox,
            load: None,
            reading: Reading::default(),
            tick,
            last_beat: None,
            stirred: true,
            last_tidy: None,
            clock_showed: None,
            believed: None,
            doubts_clock: false,
            course: None,
            portion: Portion::default(),
            held: None,
            answers: Vec::new(),
            looked: Looked::default(),
            ailing: BTreeMap::new(),
            inbox_trouble: false,
            outbox_trouble: None,
            revival: Revival::default(),
            trouble: Trouble::default(),
            topics: Topics::default(),
            notify: Notify::default(),
            _lock: lock,
        })
    }

    /// Lets the service manager know how things stand.
    pub fn told_to(mut self, manager: &Manager) -> Daemon {
        self.notify = Notify::to(manager);
        self
    }

    /// Runs until a signal ends it; the round that is under way is finished first, and letters that were handed over
    /// are waited for.
    ///
    /// # Errors
    /// When the database does not answer at the start.
    pub async fn run(mut self, mut signals: Signals, reread: Reread<'_>) -> Result<(), DaemonError> {
        self.start_lines()?;
        tracing::info!("reading the mail");
        self.notify.ready("reading the mail");
        let mut next_round = tokio::time::Instant::now();
        loop {
            if tokio::time::Instant::now() >= next_round {
                next_round = tokio::time::Instant::now() + self.round_and_rest();
            }
            let news = tokio::select! {
                wish = signals.next() => match wish {
                    Wish::Stop => break,
                    Wish::Reload => {
                        self.reload(reread).await;
                        continue;
                    }
                },
                () = tokio::time::sleep_until(next_round) => continue,
                Some(news) = self.inbox.news(), if self.held.is_none() => news,
                Some(news) = self.outbox.news() => news,
            };
            self.hear(news);
            // In trouble the next round comes in its time, whatever is heard.
            if !self.trouble.is_on() {
                next_round = tokio::time::Instant::now();
            }
        }
        self.notify.stopping("waiting for the answers to the last letters");
        self.drain().await;
        // How far the mail was read stands in the database as of now, not as of some seconds ago.
        self.last_beat = None;
        if let Err(error) = self.beat() {
            tracing::warn!(%error, "the last sign of life was not written");
        }
        tracing::info!("stopped");
        Ok(())
    }

    /// A part of a round, and how long to rest after it.
    fn round_and_rest(&mut self) -> Duration {
        let rest = match self.part_of_round() {
            Ok(more) => {
                self.trouble.over();
                let status = if self.inbox_trouble { "the inbox can't be read" } else { "reading the mail" };
                self.notify.status(status);
                if more { Duration::ZERO } else { self.tick }
            }
            // A full disk, a lock, a damaged file: nothing is lost by waiting, and nothing gained by ending.
            Err(error) => {
                self.notify.status(&format!("can't go on for now: {error}"));
                self.notify.mail_moved();
                self.trouble.again(&error)
            }
        };
        self.notify.schedule_moved();
        if let Inbox::Line(line) = &mut self.inbox {
            // One batch of letters may come so slowly that the manager would lose its patience, and again after a restart.
            if line.has_heard() {
                self.notify.mail_moved();
            }
            if self.notify.waits_for_mail() {
                line.ask_to_read(lines::ASK);
            }
        }
        self.notify.feed();
        rest.min(self.notify.longest_rest())
    }

    fn start_lines(&mut self) -> Result<(), DaemonError> {
        let (cursors, blocked) = (self.desk.cursors()?, self.desk.blocked_until()?);
        let inbox = std::mem::replace(&mut self.inbox, Inbox::None);
        self.inbox = inbox.started(&self.clock, cursors, &self.desk.config().outbox.from.address);
        let outbox = std::mem::replace(&mut self.outbox, Outbox::None);
        self.outbox = outbox.started(blocked);
        Ok(())
    }

    /// What was read and not committed lies in the mailbox still.
    fn open_inbox_again(&mut self, config: &Config) -> Result<(), DaemonError> {
        let inbox = Inbox::open(config, self.clock.now())?;
        let cursors = self.desk.cursors()?;
        self.held = None;
        self.course = None;
        self.inbox_trouble = false;
        self.inbox = inbox.started(&self.clock, cursors, &config.outbox.from.address);
        Ok(())
    }

    async fn open_outbox_again(&mut self, config: &Config) -> Result<(), DaemonError> {
        let outbox = Outbox::open(config, self.clock.now())?;
        let blocked = self.desk.blocked_until()?;
        self.drain().await;
        self.load = None;
        self.outbox_trouble = None;
        self.outbox = outbox.started(blocked);
        Ok(())
    }

    /// Waits for what becomes of the letters that were handed over, and stores it. What is not heard in time is tried
    /// again by the queue's schedule.
    async fn drain(&mut self) {
        let end = tokio::time::Instant::now() + LAST_ANSWERS;
        while self.outbox.is_waited_for() {
            match tokio::time::timeout_at(end, self.outbox.news()).await {
                Ok(Some(news)) => self.hear(news),
                Ok(None) | Err(_) => break,
            }
        }
        while let Err(error) = self.store_answers() {
            tracing::error!(%error, "what became of the last letters could not be written");
            if tokio::time::Instant::now() >= end {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Takes in what a line says; the next round acts on it.
    fn hear(&mut self, news: News) {
        if matches!(news, News::Inbox(_)) {
            self.notify.mail_moved();
        }
        match news {
            News::Inbox(FromLine::Letters(portions)) => self.held = Some(portions),
            News::Inbox(FromLine::ReadThrough { began }) => self.reading.through(began),
            News::Inbox(FromLine::Skew { seconds }) => self.reading.skew = seconds,
            News::Inbox(FromLine::Trouble(trouble)) => {
                self.inbox_trouble = true;
                tracing::error!("the inbox: {}{}", trouble.said, trouble.kind.goes_on());
            }
            News::Inbox(FromLine::Recovered) => {
                self.inbox_trouble = false;
                tracing::info!("the inbox can be read again");
            }
            News::Delivered(first) => {
                if let Outbox::Line(line) = &mut self.outbox {
                    self.answers.extend(line.answers(first));
                }
            }
            News::Outbox(FromOutbox::Trouble(trouble)) => {
                tracing::error!("the outbox: {}{}", trouble.said, trouble.kind.goes_on());
            }
            News::Outbox(FromOutbox::Recovered) => tracing::info!("letters can be sent again"),
        }
    }

    /// One look round. What fails for a moment is tried again in the next one.
    ///
    /// # Errors
    /// When the database fails.
    pub fn round(&mut self) -> Result<(), DaemonError> {
        while self.part_of_round()? {}
        Ok(())
    }

    /// As much of a round as takes a moment: however many letters wait, answers leave and lines are heard in between.
    /// True when letters are left to be read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn part_of_round(&mut self) -> Result<bool, DaemonError> {
        self.desk.store.check_place()?;
        self.heed_clock()?;
        self.revive_lines()?;
        self.store_answers()?;
        self.receive_held()?;
        let mut more = self.held.is_some();
        if !self.doubts_clock {
            self.watch_topics()?;
        }
        let due = self.games_due()?;
        // A server is asked each time: it has its own pace.
        let is_maildir = matches!(self.inbox, Inbox::Maildir(_));
        let begins = self.course.is_none();
        let thoroughly = if is_maildir { begins && self.looked.is_owed(&due) } else { !due.is_empty() };
        match self.read_inbox(thoroughly) {
            Ok(is_left) => {
                more |= is_left;
                if thoroughly {
                    self.looked.was_given(due);
                }
                if matches!(self.inbox, Inbox::Maildir(_)) && std::mem::take(&mut self.inbox_trouble) {
                    tracing::info!("the inbox can be read again");
                }
            }
            Err(InboxError::Desk(error)) => return Err(error.into()),
            Err(InboxError::Io(error)) => {
                if !std::mem::replace(&mut self.inbox_trouble, true) {
                    let folder = self.desk.config().inbox.path.display().to_string();
                    tracing::error!(%error, folder, "the inbox can't be read; no turn is closed until it can");
                }
            }
        }
        // Said, and tried again: that is all that can be asked of it.
        if self.inbox_trouble || matches!(self.inbox, Inbox::Maildir(_)) {
            self.notify.mail_moved();
        }
        // No turn is closed before all is read.
        for game in if more || self.doubts_clock { Vec::new() } else { self.games_due()? } {
            self.tend(game)?;
        }
        self.send()?;
        if !self.doubts_clock {
            self.tidy()?;
        }
        self.beat()?;
        Ok(more)
    }

    /// A task that ended by itself is started again; it is not to end as long as we live.
    fn revive_lines(&mut self) -> Result<(), DaemonError> {
        let inbox = matches!(&self.inbox, Inbox::Line(line) if line.is_dead());
        let outbox = matches!(&self.outbox, Outbox::Line(line) if line.is_dead());
        if !(inbox || outbox) || !self.revival.is_time() {
            return Ok(());
        }
        let config = self.desk.config().clone();
        if inbox {
            self.open_inbox_again(&config)?;
        }
        if outbox && let Outbox::Line(line) = &mut self.outbox {
            self.answers.extend(line.last_words());
            self.outbox = Outbox::open(&config, self.clock.now())?.started(self.desk.blocked_until()?);
        }
        Ok(())
    }

    /// Writes down what became of letters that were handed over.
    fn store_answers(&mut self) -> Result<(), DaemonError> {
        if self.answers.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        failpoint::pass(Point::AfterDeliveryBeforeSettle);
        // Letters that were on their way are answered so, too: the block is known by then.
        if let Outbox::Line(line) = &mut self.outbox
            && line.pace.blocked_until().is_none_or(|until| until <= now)
            && self.answers.iter().any(|(_, outcome)| matches!(outcome, Outcome::Blocked { .. }))
        {
            line.pace.blocked(now);
            if let Some(until) = line.pace.blocked_until() {
                self.desk.set_blocked_until(until, now)?;
                tracing::error!(%until, "the provider blocks sending: nothing leaves until then, for each try would prolong it");
            }
        }
        let (letters, outcomes): (Vec<OutRow>, Vec<Outcome>) = self.answers.iter().cloned().unzip();
        self.desk.settle_letters(&letters, &outcomes, now)?;
        self.answers.clear();
        self.stirred = true;
        Ok(())
    }

    /// Letters that a line brought, a portion at a time. They are kept until they are committed; how far the folder was
    /// read is committed with the last of them.
    fn receive_held(&mut self) -> Result<(), DaemonError> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let rest = held.letters.split_off(self.portion.letters().min(held.letters.len()));
        let (portion, since) = (held.letters.len(), Instant::now());
        let marks = if rest.is_empty() { held.marks.as_slice() } else { &[] };
        let done = self.desk.receive_opened(&held.letters, marks, self.clock.now());
        match &done {
            Err(_) => held.letters.extend(rest),
            Ok(_) if rest.is_empty() => self.held = None,
            Ok(_) => held.letters = rest,
        }
        let places = done?;
        self.portion.learn(portion, since.elapsed());
        self.stirred = true;
        failpoint::pass(Point::AfterCommitBeforeMark);
        if let Inbox::Line(line) = &mut self.inbox {
            line.committed(places);
        }
        Ok(())
    }

    /// Games that want attention, but for those that ail.
    fn games_due(&mut self) -> Result<Vec<GameId>, DaemonError> {
        self.ailing.retain(|_, since| since.elapsed() < AGAIN);
        let most = GAMES.saturating_add(self.ailing.len());
        let mut due = self.desk.games_due(self.clock.now(), most)?;
        due.retain(|game| !self.ailing.contains_key(game));
        Ok(due)
    }

    /// One game that does not read must not keep the others from their deadlines.
    fn tend(&mut self, game: GameId) -> Result<(), DaemonError> {
        match self.desk.tend(game, self.clock.now(), self.reading.by_both_clocks()) {
            Ok(moved) => self.stirred |= moved,
            Err(error) if error.is_fatal() => return Err(error.into()),
            Err(error) => {
                tracing::error!(game = game.0, %error, "a game can't be tended; the others go on");
                self.ailing.insert(game, Instant::now());
            }
        }
        Ok(())
    }

    /// The desk, for those who look on.
    pub fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }

    /// How often the folder of letters that are done with was listed; None where there is no such folder.
    pub fn inbox_listings(&self) -> Option<u64> {
        match &self.inbox {
            Inbox::Maildir(inbox) => Some(inbox.listings()),
            Inbox::Imap(_) | Inbox::Line(_) | Inbox::None => None,
        }
    }
}
