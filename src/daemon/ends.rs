//! The two ends of the line: where letters come from, and where they go to.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::DaemonError;
use super::lines::{InboxLine, OutboxLine, Sender};
use super::opening::FromLine;
use crate::cli::load::variable;
use crate::clock::Clock;
use crate::config::{Config, InboxKind, OutboxKind};
use crate::mail::imap::ImapSettings;
use crate::mail::inbox::MaildirInbox;
use crate::mail::link::{Delivered, FromOutbox};
use crate::mail::outbox::MaildirOutbox;
use crate::mail::pace::Pace;
use crate::mail::sendmail::SendmailSettings;
use crate::mail::smtp::SmtpSettings;

/// Where letters come from. A line is started when the daemon runs.
pub enum Inbox {
    Maildir(Box<MaildirInbox>),
    Imap(Box<ImapSettings>),
    Line(InboxLine),
    /// While it is exchanged.
    None,
}

/// Where letters go to.
pub enum Outbox {
    Maildir(MaildirOutbox),
    Waiting(Box<(Sender, Pace)>),
    Line(OutboxLine),
    /// While it is exchanged.
    None,
}

/// What a line has to say.
pub enum News {
    Inbox(FromLine),
    Delivered(Delivered),
    Outbox(FromOutbox),
}

impl Inbox {
    /// # Errors
    /// When a Maildir can't be made or read, or there is no server with a login.
    pub fn open(config: &Config, now: Timestamp) -> Result<Inbox, DaemonError> {
        if config.inbox.kind == InboxKind::Imap {
            let settings = ImapSettings::new(&config.inbox, config.security.max_message, variable).ok_or(
                DaemonError::Unable("[inbox] names no server with a login; `omerta check` says what is missing"),
            )?;
            return Ok(Inbox::Imap(Box::new(settings)));
        }
        let path = &config.inbox.path;
        let inbox = MaildirInbox::open(path)
            .map_err(|source| DaemonError::Inbox { path: path.display().to_string(), source })?;
        if let Err(error) = inbox.clean_tmp(now) {
            tracing::warn!(%error, "old temporary files of the inbox stay");
        }
        Ok(Inbox::Maildir(Box::new(inbox)))
    }

    /// Starts the task that reads a mailbox, on the current runtime; `cursors` are the marks that were committed,
    /// `own` is our own address.
    pub fn started(self, clock: &Clock, cursors: BTreeMap<String, String>, own: &str) -> Inbox {
        match self {
            Inbox::Imap(mut settings) => {
                if !clock.goes_by_itself() {
                    settings.times.leap = Duration::MAX;
                }
                Inbox::Line(InboxLine::start(*settings, clock.clone(), cursors, own.to_owned()))
            }
            other => other,
        }
    }

    pub async fn news(&mut self) -> Option<News> {
        match self {
            Inbox::Line(line) => line.from.recv().await.map(News::Inbox),
            Inbox::Maildir(_) | Inbox::Imap(_) | Inbox::None => None,
        }
    }
}

impl Outbox {
    /// # Errors
    /// When the config says not how to send.
    pub fn open(config: &Config, now: Timestamp) -> Result<Outbox, DaemonError> {
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

    /// Starts the task that sends, on the current runtime.
    pub fn started(self, blocked_until: Option<Timestamp>) -> Outbox {
        match self {
            Outbox::Waiting(waiting) => {
                let (sender, mut pace) = *waiting;
                pace.set_blocked_until(blocked_until);
                Outbox::Line(OutboxLine::start(sender, pace))
            }
            other => other,
        }
    }

    pub async fn news(&mut self) -> Option<News> {
        match self {
            Outbox::Line(line) => tokio::select! {
                Some(delivered) = line.delivered.recv() => Some(News::Delivered(delivered)),
                Some(news) = line.news.recv() => Some(News::Outbox(news)),
                else => None,
            },
            Outbox::Maildir(_) | Outbox::Waiting(_) | Outbox::None => None,
        }
    }

    /// Letters handed over and not yet answered for.
    pub fn is_waited_for(&self) -> bool {
        matches!(self, Outbox::Line(line) if line.has_letters())
    }
}
