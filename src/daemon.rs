//! The loop: reads the inbox, gives each game what is due, empties the outbox, and waits. The only place where the
//! clock is asked what to do next.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::clock::Clock;
use crate::config::Config;
use crate::desk::{Desk, DeskError};
use crate::failpoint::{self, Point};
use crate::letters::render::Templates;
use crate::mail::inbox::{Found, MaildirInbox};
use crate::mail::link::Arrived;
use crate::mail::outbox::{Delivery, MaildirOutbox};
use crate::rules::Order;
use crate::store::{DaemonLock, Store, StoreError};

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
    NotYet(&'static str),
}

/// How often the daemon looks round when nothing wakes it, unless told otherwise.
pub const TICK: Duration = Duration::from_millis(200);
/// How often it leaves a sign of life in the database.
const BEAT: Duration = Duration::from_secs(5);
/// Letters in one transaction, and their bytes at most.
const BATCH_LETTERS: usize = 200;
const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Outgoing letters in one round.
const ROUND: usize = 200;

pub struct Daemon {
    desk: Desk,
    clock: Clock,
    inbox: MaildirInbox,
    outbox: MaildirOutbox,
    max_message: u64,
    tick: Duration,
    /// When the last complete reading of the inbox began.
    read_through: Option<Timestamp>,
    last_beat: Option<Instant>,
    /// The inbox or outbox is in trouble; said once.
    inbox_trouble: bool,
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
        if config.inbox.kind != crate::config::InboxKind::Maildir {
            return Err(DaemonError::NotYet("this version reads a Maildir only: set inbox.kind = \"maildir\""));
        }
        if config.outbox.kind != crate::config::OutboxKind::Maildir {
            return Err(DaemonError::NotYet("this version writes to Maildirs only: set outbox.kind = \"maildir\""));
        }
        let store = Store::open(&config.database)?;
        let lock = store.lock_for_daemon()?;
        let inbox = MaildirInbox::open(&config.inbox.path)
            .map_err(|source| DaemonError::Inbox { path: shown(&config.inbox.path), source })?;
        let outbox = MaildirOutbox::new(&config.outbox.path);
        let now = clock.now();
        if let Err(error) = inbox.clean_tmp(now) {
            tracing::warn!(%error, "old temporary files of the inbox stay");
        }
        let max_message = config.security.max_message;
        let desk = Desk::new(store, config, templates)?;
        Ok(Daemon {
            desk,
            clock,
            inbox,
            outbox,
            max_message,
            tick,
            read_through: None,
            last_beat: None,
            inbox_trouble: false,
            _lock: lock,
        })
    }

    /// Runs until `shutdown` is done; the round that is under way is finished first.
    ///
    /// # Errors
    /// When the database fails for good.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) -> Result<(), DaemonError> {
        tokio::pin!(shutdown);
        tracing::info!("reading the mail");
        loop {
            self.round()?;
            tokio::select! {
                () = &mut shutdown => break,
                () = tokio::time::sleep(self.tick) => {}
            }
        }
        // How far the mail was read stands in the database as of now, not as of some seconds ago.
        self.last_beat = None;
        self.beat()?;
        tracing::info!("stopped");
        Ok(())
    }

    /// One look round. What fails for a moment is tried again in the next one.
    ///
    /// # Errors
    /// When the database fails.
    pub fn round(&mut self) -> Result<(), DaemonError> {
        let due = self.desk.games_due(self.clock.now(), 1)?;
        match self.read_inbox(!due.is_empty()) {
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
            self.desk.tend(game, self.clock.now(), self.read_through)?;
        }
        self.send()?;
        self.beat()
    }

    /// Takes in everything that lies in the inbox. Only then is the inbox read through as of the moment before.
    fn read_inbox(&mut self, thoroughly: bool) -> Result<(), InboxError> {
        let began = self.clock.now();
        let found = if thoroughly { self.inbox.scan_all()? } else { self.inbox.scan()? };
        let mut batch = Batch::default();
        for found in found {
            if self.desk.knows_place(&found.place)? {
                self.inbox.mark_done(&found)?;
                continue;
            }
            let Some(raw) = self.inbox.read(&found, self.max_message)? else { continue };
            batch.push(found, raw.bytes, raw.too_large);
            if batch.is_full() {
                self.take_in(&mut batch)?;
            }
        }
        self.take_in(&mut batch)?;
        self.read_through = Some(began);
        Ok(())
    }

    /// A letter is marked as done only after its transaction.
    fn take_in(&mut self, batch: &mut Batch) -> Result<(), InboxError> {
        if batch.letters.is_empty() {
            return Ok(());
        }
        self.desk.receive(&batch.letters, self.clock.now())?;
        failpoint::pass(Point::AfterCommitBeforeMark);
        for found in &batch.found {
            self.inbox.mark_done(found)?;
            failpoint::pass(Point::WhileMarking);
        }
        *batch = Batch::default();
        Ok(())
    }

    /// Sends what is due. The attempt and the next one are stored before the first byte goes out.
    fn send(&mut self) -> Result<(), DaemonError> {
        loop {
            let now = self.clock.now();
            let due = self.desk.take_due_letters(now, ROUND, retry_after)?;
            if due.is_empty() {
                return Ok(());
            }
            let names: Vec<String> = due.iter().map(|letter| letter.message_id.clone()).collect();
            let deliveries: Vec<Delivery> = due
                .iter()
                .zip(&names)
                .map(|(letter, unique)| Delivery {
                    address: &letter.address,
                    unique,
                    bytes: &letter.bytes,
                    at: letter.not_before,
                    again: letter.attempts > 0,
                })
                .collect();
            failpoint::pass(Point::AfterAttemptBeforeDelivery);
            let results = self.outbox.deliver_all(&deliveries);
            failpoint::pass(Point::AfterDeliveryBeforeSettle);
            self.desk.settle_letters(&due, &results, self.clock.now(), retry_after)?;
        }
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

/// Letters that go into one transaction, and where they lie.
#[derive(Default)]
struct Batch {
    letters: Vec<Arrived>,
    found: Vec<Found>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, found: Found, raw: Vec<u8>, too_large: bool) {
        self.bytes = self.bytes.saturating_add(raw.len());
        let order = Order { second: found.second, within: found.within.clone() };
        let place = found.place.clone();
        self.letters.push(Arrived { place, order, raw, too_large, junk: false, revalidated: false });
        self.found.push(found);
    }

    fn is_full(&self) -> bool {
        self.letters.len() >= BATCH_LETTERS || self.bytes >= BATCH_BYTES
    }
}

enum InboxError {
    Io(std::io::Error),
    Desk(DeskError),
}

impl From<std::io::Error> for InboxError {
    fn from(error: std::io::Error) -> Self {
        InboxError::Io(error)
    }
}

impl From<DeskError> for InboxError {
    fn from(error: DeskError) -> Self {
        InboxError::Desk(error)
    }
}

/// How long after the n-th attempt the next one is made: 1, 5, 15, 30 min, 1, 2, 4, 8 h; then the letter has failed.
pub fn retry_after(attempt: u32) -> Option<SignedDuration> {
    const MINUTES: [i64; 8] = [1, 5, 15, 30, 60, 120, 240, 480];
    let index = usize::try_from(attempt.checked_sub(1)?).ok()?;
    MINUTES.get(index).map(|minutes| SignedDuration::from_mins(*minutes))
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
    let listen = |kind| signal(kind).map_err(|_| DaemonError::NotYet("signals can't be listened to on this system"));
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
