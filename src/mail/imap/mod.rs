//! The mailbox over IMAP: reads it for the daemon's loop, and marks what is committed (mail/link.rs).
//!
//! [`run`] keeps one line open. A pass reads every folder from where it was read last (UIDs, never flags), then what is
//! committed is filed, then it waits: for news, for an order of the loop, or for the next look. Whatever happens to the
//! line, the next one goes on from the last letter that was handed over.

mod date;
mod fairly;
mod fault;
mod fetch;
mod filing;
mod grammar;
mod line;
mod login;
mod names;
mod probe;
mod read;
mod reader;
pub mod visit;
mod wait;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::config;
use crate::failpoint;
use crate::mail::link::{FromInbox, Heard, ToInbox};

/// Where the mailbox is, and how to read it.
#[derive(Clone, Debug)]
pub struct ImapSettings {
    pub server: config::Server,
    /// In the order in which letters of one second count.
    pub folders: Vec<String>,
    /// None: a committed letter is only marked as seen.
    pub done_folder: Option<String>,
    /// Bytes; of a larger letter only the head is fetched.
    pub max_message: u64,
    /// Looks up the environment, for passwords.
    pub variable: fn(&str) -> Option<OsString>,
    pub times: Times,
}

/// How long things may take. [`Times::default`] is for real servers; tests are in more of a hurry.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// A step towards the login, a command without much data, and any silence within an answer.
    pub step: Duration,
    /// The answer to DONE, which ends IDLE.
    pub done: Duration,
    /// IDLE is renewed after so long: routers and some providers forget quiet lines.
    pub idle: Duration,
    /// A look at all folders at least this often.
    pub poll: Duration,
    /// Two looks are at least so far apart.
    pub gap: Duration,
    /// After the first failure; it doubles with each.
    pub backoff: Duration,
    pub longest_backoff: Duration,
    /// A refused login is tried again after so long.
    pub refused: Duration,
    /// After a refused login the password is looked at so often: another one is tried at once.
    pub password: Duration,
    /// Letters that could not be filed are tried again after so long.
    pub filing: Duration,
    /// The server's clock is looked at so often.
    pub probe: Duration,
    /// Sooner when our own clock has leapt by more than this: it was set, or the machine was asleep.
    pub leap: Duration,
}

impl Default for Times {
    fn default() -> Times {
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        Times {
            step: minute,
            done: 15 * second,
            idle: 5 * minute,
            poll: minute,
            gap: second / 10,
            backoff: 2 * second,
            longest_backoff: 5 * minute,
            refused: 30 * minute,
            password: minute,
            filing: 5 * minute,
            probe: 24 * 60 * minute,
            leap: minute,
        }
    }
}

impl Times {
    /// All of them so many times shorter.
    fn shortened(self, by: u32) -> Times {
        Times {
            step: self.step / by,
            done: self.done / by,
            idle: self.idle / by,
            poll: self.poll / by,
            gap: self.gap / by,
            backoff: self.backoff / by,
            longest_backoff: self.longest_backoff / by,
            refused: self.refused / by,
            password: self.password / by,
            filing: self.filing / by,
            probe: self.probe / by,
            leap: self.leap,
        }
    }
}

impl ImapSettings {
    /// Of `[inbox]`; None when it is no mailbox that is logged into. `variable` looks up the environment
    /// (`cli::load::variable`).
    pub fn new(
        inbox: &config::Inbox,
        max_message: u64,
        variable: fn(&str) -> Option<OsString>,
    ) -> Option<ImapSettings> {
        let server = inbox.server.clone().filter(|server| server.login.is_some())?;
        let poll = Duration::try_from(inbox.poll).ok()?;
        Some(ImapSettings {
            server,
            folders: inbox.folders.clone(),
            done_folder: inbox.done_folder.clone(),
            max_message,
            variable,
            times: Times { poll, ..Times::default() }.shortened(failpoint::hurry()),
        })
    }
}

/// Reads the mailbox until the loop has gone. `cursors` are the marks that were committed: `imap/FOLDER` and
/// `UIDVALIDITY:UID` of the last letter that was read there. `heard` counts what the server
/// answers. Dropping the future closes the line.
pub async fn run(
    settings: ImapSettings,
    clock: Clock,
    cursors: BTreeMap<String, String>,
    heard: Heard,
    to_loop: mpsc::Sender<FromInbox>,
    mut from_loop: mpsc::Receiver<ToInbox>,
) {
    // The loop never waits for us, whatever the server does: its orders are taken at once and kept.
    let (keep, orders) = mpsc::unbounded_channel();
    let listening = async {
        while let Some(order) = from_loop.recv().await {
            if keep.send(order).is_err() {
                return;
            }
        }
    };
    let reading = reader::Reader::new(settings, clock, cursors, heard, to_loop, orders).run();
    tokio::select! {
        () = listening => {}
        () = reading => {}
    }
}
