//! The loop: reads the inbox, gives each game what is due, empties the outbox, and waits. The only place where the
//! clock is asked what to do next.

mod batch;
mod lines;
mod trouble;

use std::collections::BTreeSet;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use self::batch::{Batch, InboxError, take_in};
use self::lines::{InboxLine, OutboxLine, Sender};
use self::trouble::Trouble;
use crate::cli::load::variable;
use crate::clock::Clock;
use crate::config::{Config, InboxKind, OutboxKind};
use crate::desk::{Desk, DeskError};
use crate::failpoint::{self, Point};
use crate::letters::render::Templates;
use crate::mail::imap::ImapSettings;
use crate::mail::inbox::MaildirInbox;
use crate::mail::link::{Delivered, FromInbox, FromOutbox, Outcome};
use crate::mail::outbox::{Delivery, MaildirOutbox};
use crate::mail::pace::{Load, Pace};
use crate::mail::sendmail::SendmailSettings;
use crate::mail::smtp::SmtpSettings;
use crate::store::{DaemonLock, GameId, Store, StoreError};

/// Why the daemon can't start, or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    #[error(transparent)]
    Desk(#[from] DeskError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the inbox {path} can't be opened: {source}")]
    Inbox { path: String, source: std::io::Error },
    #[error("{0}")]
    Unable(&'static str),
}

/// How often the daemon looks round when nothing wakes it, unless told otherwise.
pub const TICK: Duration = Duration::from_millis(200);
/// How often it leaves a sign of life in the database.
const BEAT: Duration = Duration::from_secs(5);
/// How long an orderly end waits for the letters that are on their way.
const FAREWELL: Duration = Duration::from_secs(20);
/// Outgoing letters in one round.
const ROUND: usize = 200;

/// Where letters come from. A line is started when the daemon runs.
enum Inbox {
    Maildir(Box<MaildirInbox>),
    Imap(Box<ImapSettings>),
    Line(InboxLine),
}

/// Where letters go to.
enum Outbox {
    Maildir(MaildirOutbox),
    Waiting(Box<(Sender, Pace)>),
    Line(OutboxLine),
}

pub struct Daemon {
    desk: Desk,
    clock: Clock,
    inbox: Inbox,
    /// To start a line again.
    imap: Option<ImapSettings>,
    outbox: Outbox,
    max_message: u64,
    daily: Option<u32>,
    /// The last look at the quota of the day.
    load: Option<(Instant, Load)>,
    /// The mail server's clock less ours, in seconds; unknown is zero.
    skew: i64,
    tick: Duration,
    /// When the last complete reading of the inbox began.
    read_through: Option<Timestamp>,
    last_beat: Option<Instant>,
    last_tidy: Option<Timestamp>,
    /// The inbox is in trouble; said once.
    inbox_trouble: bool,
    trouble: Trouble,
    looked_thoroughly: Option<Timestamp>,
    /// Said once of each.
    games_in_trouble: BTreeSet<GameId>,
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
        let inbox = open_inbox(&config, now)?;
        let outbox = open_outbox(&config, now)?;
        let daily = config.outbox.daily;
        let max_message = config.security.max_message;
        let desk = Desk::new(store, config, templates)?;
        Ok(Daemon {
            desk,
            clock,
            inbox,
            imap: None,
            outbox,
            max_message,
            daily,
            load: None,
            skew: 0,
            tick,
            read_through: None,
            last_beat: None,
            last_tidy: None,
            inbox_trouble: false,
            trouble: Trouble::default(),
            looked_thoroughly: None,
            games_in_trouble: BTreeSet::new(),
            _lock: lock,
        })
    }

    /// Runs until `shutdown` is done; the round that is under way is finished first.
    ///
    /// # Errors
    /// When the database fails for good.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) -> Result<(), DaemonError> {
        tokio::pin!(shutdown);
        self.start_lines()?;
        tracing::info!("reading the mail");
        loop {
            let rest = match self.round() {
                Ok(()) => {
                    self.trouble.over();
                    self.tick
                }
                // A full disk, a lock, a damaged file: nothing is lost by waiting, and nothing gained by ending.
                Err(error) => self.trouble.again(&error),
            };
            let news = tokio::select! {
                () = &mut shutdown => break,
                () = tokio::time::sleep(rest) => continue,
                Some(news) = from_inbox(&mut self.inbox) => News::Inbox(news),
                Some(news) = from_outbox(&mut self.outbox) => news,
            };
            if let Err(error) = self.take_news(news).await {
                self.trouble.again(&error);
                if matches!(self.inbox, Inbox::Line(_)) {
                    // The letters of that batch lie in the mailbox still: a new line reads on from what is committed.
                    self.start_inbox_again();
                }
            }
        }
        self.finish_sending().await?;
        // How far the mail was read stands in the database as of now, not as of some seconds ago.
        self.last_beat = None;
        self.beat()?;
        tracing::info!("stopped");
        Ok(())
    }

    fn start_lines(&mut self) -> Result<(), DaemonError> {
        if let Inbox::Imap(settings) = &self.inbox {
            let cursors = self.desk.cursors()?;
            let settings = (**settings).clone();
            self.imap = Some(settings.clone());
            self.inbox = Inbox::Line(InboxLine::start(settings, self.clock.clone(), cursors));
        }
        if let Outbox::Waiting(waiting) = &self.outbox {
            let (sender, mut pace) = (**waiting).clone();
            pace.set_blocked_until(self.desk.blocked_until()?);
            self.outbox = Outbox::Line(OutboxLine::start(sender, pace));
        }
        Ok(())
    }

    /// Waits for what became of the letters that were handed over, but not for ever: an orderly end must not send a
    /// letter a second time after the next start.
    async fn finish_sending(&mut self) -> Result<(), DaemonError> {
        let until = tokio::time::Instant::now() + FAREWELL;
        while let Outbox::Line(line) = &mut self.outbox
            && line.is_busy()
        {
            match tokio::time::timeout_at(until, line.delivered.recv()).await {
                Ok(Some(delivered)) => self.settle(delivered)?,
                // What is not known by now will be tried again, under the same Message-ID.
                Ok(None) | Err(_) => break,
            }
        }
        Ok(())
    }

    fn start_inbox_again(&mut self) {
        let Some(settings) = self.imap.clone() else { return };
        match self.desk.cursors() {
            Ok(cursors) => self.inbox = Inbox::Line(InboxLine::start(settings, self.clock.clone(), cursors)),
            Err(error) => tracing::error!(%error, "the inbox can't be read on"),
        }
    }

    async fn take_news(&mut self, news: News) -> Result<(), DaemonError> {
        match news {
            News::Inbox(FromInbox::Letters { letters, marks }) => {
                let places = self.desk.receive(&letters, &marks, self.clock.now())?;
                failpoint::pass(Point::AfterCommitBeforeMark);
                if let Inbox::Line(line) = &self.inbox {
                    line.committed(places).await;
                }
            }
            News::Inbox(FromInbox::ReadThrough { began }) => self.read_through = self.read_through.max(Some(began)),
            News::Inbox(FromInbox::Skew { seconds }) => self.skew = seconds,
            News::Inbox(FromInbox::Trouble(trouble)) => tracing::error!("the inbox: {}", trouble.said),
            News::Inbox(FromInbox::Recovered) => tracing::info!("the inbox can be read again"),
            News::Delivered(first) => self.settle(first)?,
            News::Outbox(FromOutbox::Trouble(trouble)) => tracing::error!("the outbox: {}", trouble.said),
            News::Outbox(FromOutbox::Recovered) => tracing::info!("letters can be sent again"),
        }
        Ok(())
    }

    /// What became of letters that were handed over.
    fn settle(&mut self, first: Delivered) -> Result<(), DaemonError> {
        let Outbox::Line(line) = &mut self.outbox else { return Ok(()) };
        let (letters, outcomes) = line.answers(first);
        let now = self.clock.now();
        failpoint::pass(Point::AfterDeliveryBeforeSettle);
        if outcomes.iter().any(|outcome| matches!(outcome, Outcome::Blocked { .. })) {
            line.pace.blocked(now);
            if let Some(until) = line.pace.blocked_until() {
                tracing::error!(%until, "the provider blocks sending: nothing leaves until then, for each try would prolong it");
                self.desk.set_blocked_until(until)?;
            }
        }
        Ok(self.desk.settle_letters(&letters, &outcomes, now)?)
    }

    /// One look round. What fails for a moment is tried again in the next one.
    ///
    /// # Errors
    /// When the database fails.
    pub fn round(&mut self) -> Result<(), DaemonError> {
        // A close wants every letter that lies there, whatever the folder's times say; a turn that waits asks once a second.
        let now = self.clock.now();
        let asked = self.looked_thoroughly.is_some_and(|asked| {
            (SignedDuration::ZERO..SignedDuration::from_secs(1)).contains(&now.duration_since(asked))
        });
        let thoroughly = !asked && !self.desk.games_due(now, 1)?.is_empty();
        if thoroughly {
            self.looked_thoroughly = Some(now);
        }
        match self.read_inbox(thoroughly) {
            Ok(()) => {
                if std::mem::take(&mut self.inbox_trouble) {
                    tracing::info!("the inbox can be read again");
                }
            }
            Err(InboxError::Desk(error)) => return Err(error.into()),
            Err(InboxError::Io(error)) => {
                if !std::mem::replace(&mut self.inbox_trouble, true) {
                    tracing::error!(%error, "the inbox can't be read; no turn is closed until it can");
                }
            }
        }
        for game in self.desk.games_due(self.clock.now(), 64)? {
            match self.desk.tend(game, self.clock.now(), self.read_by_both_clocks()) {
                Ok(_) => {}
                Err(DeskError::Store(error)) if error.is_fatal() => return Err(DeskError::Store(error).into()),
                // One game in trouble keeps no other from its deadline.
                Err(error) => {
                    if self.games_in_trouble.insert(game) {
                        tracing::error!(%error, "a game can't be tended; the others go on");
                    }
                }
            }
        }
        self.send()?;
        self.tidy()?;
        self.beat()
    }

    /// Once a day what has outlived its time is erased.
    fn tidy(&mut self) -> Result<(), DaemonError> {
        let now = self.clock.now();
        if self.last_tidy.is_some_and(|last| now.duration_since(last) < SignedDuration::from_hours(24)) {
            return Ok(());
        }
        self.last_tidy = Some(now);
        Ok(self.desk.tidy(now)?)
    }

    /// The moment of the last complete reading, as the slower of the two clocks shows it.
    fn read_by_both_clocks(&self) -> Option<Timestamp> {
        let read = self.read_through?;
        Some(read.saturating_add(SignedDuration::from_secs(self.skew.min(0))).unwrap_or(read))
    }

    /// Takes in everything that lies in the inbox. Only then is the inbox read through as of the moment before.
    fn read_inbox(&mut self, thoroughly: bool) -> Result<(), InboxError> {
        let began = self.clock.now();
        let inbox = match &mut self.inbox {
            Inbox::Maildir(inbox) => inbox,
            Inbox::Line(line) => {
                if thoroughly {
                    line.ask_to_read();
                }
                return Ok(());
            }
            Inbox::Imap(_) => return Ok(()),
        };
        let found = if thoroughly { inbox.scan_all()? } else { inbox.scan()? };
        let mut batch = Batch::default();
        for found in found {
            if self.desk.knows_place(&found.place)? {
                // Unmarked since a crash, or it can't be marked: it is known, and keeps nobody waiting.
                let _ = inbox.mark_done(&found);
                continue;
            }
            let Some(raw) = inbox.read(&found, self.max_message)? else { continue };
            batch.push(found, raw.bytes, raw.too_large);
            if batch.is_full() {
                take_in(&mut self.desk, inbox, &mut batch, self.clock.now())?;
            }
        }
        take_in(&mut self.desk, inbox, &mut batch, self.clock.now())?;
        self.read_through = Some(began);
        Ok(())
    }

    /// Sends what is due. The attempt and the next one are stored before the first byte goes out.
    fn send(&mut self) -> Result<(), DaemonError> {
        if matches!(self.outbox, Outbox::Line(_)) {
            return self.hand_over();
        }
        let Outbox::Maildir(outbox) = &mut self.outbox else { return Ok(()) };
        loop {
            let due = self.desk.take_due_letters(self.clock.now(), ROUND, |_| true)?;
            if due.is_empty() {
                return Ok(());
            }
            let deliveries: Vec<Delivery> = due
                .iter()
                .map(|letter| Delivery {
                    address: &letter.address,
                    unique: &letter.message_id,
                    bytes: &letter.bytes,
                    at: letter.not_before,
                    again: letter.attempts > 0,
                })
                .collect();
            failpoint::pass(Point::AfterAttemptBeforeDelivery);
            let results: Vec<Outcome> = outbox.deliver_all(&deliveries).into_iter().map(outcome).collect();
            failpoint::pass(Point::AfterDeliveryBeforeSettle);
            self.desk.settle_letters(&due, &results, self.clock.now())?;
        }
    }

    /// The same over a line to a server: within the pace, the quota of the day, and what the line can hold.
    fn hand_over(&mut self) -> Result<(), DaemonError> {
        const LOOK: Duration = Duration::from_secs(60);
        let now = self.clock.now();
        let Outbox::Line(line) = &mut self.outbox else { return Ok(()) };
        let room = line.room(now);
        if room == 0 {
            return Ok(());
        }
        let mut load = match self.load {
            Some((looked, load)) if looked.elapsed() < LOOK => load,
            _ => self.desk.load(now, self.daily)?,
        };
        let due = self.desk.take_due_letters(now, room, |letter| line.may_leave(letter, now, &mut load))?;
        let looked =
            self.load.filter(|(looked, _)| looked.elapsed() < LOOK).map_or_else(Instant::now, |(looked, _)| looked);
        self.load = Some((looked, load));
        failpoint::pass(Point::AfterAttemptBeforeDelivery);
        line.hand_over(due);
        Ok(())
    }

    /// The desk, for those who look on.
    pub fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }

    fn beat(&mut self) -> Result<(), DaemonError> {
        if self.last_beat.is_some_and(|beat| beat.elapsed() < BEAT) {
            return Ok(());
        }
        self.last_beat = Some(Instant::now());
        Ok(self.desk.beat(self.clock.now(), self.read_through)?)
    }
}

/// What a line has to say.
enum News {
    Inbox(FromInbox),
    Delivered(Delivered),
    Outbox(FromOutbox),
}

async fn from_inbox(inbox: &mut Inbox) -> Option<FromInbox> {
    match inbox {
        Inbox::Line(line) => line.from.recv().await,
        Inbox::Maildir(_) | Inbox::Imap(_) => None,
    }
}

async fn from_outbox(outbox: &mut Outbox) -> Option<News> {
    match outbox {
        Outbox::Line(line) => tokio::select! {
            Some(delivered) = line.delivered.recv() => Some(News::Delivered(delivered)),
            Some(news) = line.news.recv() => Some(News::Outbox(news)),
            else => None,
        },
        Outbox::Maildir(_) | Outbox::Waiting(_) => None,
    }
}

fn open_inbox(config: &Config, now: Timestamp) -> Result<Inbox, DaemonError> {
    if config.inbox.kind == InboxKind::Imap {
        let settings = ImapSettings::new(&config.inbox, config.security.max_message, variable)
            .ok_or(DaemonError::Unable("[inbox] names no server with a login; `omerta check` says what is missing"))?;
        return Ok(Inbox::Imap(Box::new(settings)));
    }
    let inbox = MaildirInbox::open(&config.inbox.path)
        .map_err(|source| DaemonError::Inbox { path: shown(&config.inbox.path), source })?;
    if let Err(error) = inbox.clean_tmp(now) {
        tracing::warn!(%error, "old temporary files of the inbox stay");
    }
    Ok(Inbox::Maildir(Box::new(inbox)))
}

fn open_outbox(config: &Config, now: Timestamp) -> Result<Outbox, DaemonError> {
    let unable = DaemonError::Unable("[outbox] says not how to send; `omerta check` says what is missing");
    let sender = match config.outbox.kind {
        OutboxKind::Maildir => return Ok(Outbox::Maildir(MaildirOutbox::new(&config.outbox.path))),
        OutboxKind::Smtp => {
            SmtpSettings::new(&config.outbox, variable).map(|settings| Sender::Smtp(Box::new(settings)))
        }
        OutboxKind::Sendmail => SendmailSettings::new(&config.outbox).map(Sender::Sendmail),
    };
    let pace = Pace::new(config.outbox.rate, config.outbox.daily, now);
    Ok(Outbox::Waiting(Box::new((sender.ok_or(unable)?, pace))))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Runs a daemon until SIGTERM or SIGINT.
///
/// # Errors
/// As [`Daemon::run`], and when signals can't be listened to.
pub async fn run_until_signal(daemon: Daemon) -> Result<(), DaemonError> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).map_err(|_| DaemonError::Unable("signals can't be listened to on this system"));
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;
    daemon
        .run(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
        .await
}

/// A Maildir takes a letter, or it can't now.
fn outcome(result: std::io::Result<()>) -> Outcome {
    match result {
        Ok(()) => Outcome::Sent,
        Err(error) => Outcome::Later { why: error.kind().to_string() },
    }
}
