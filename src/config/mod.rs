//! `config.toml` into a [`Config`], once. Field names are the keys of the file; the shipped `config.toml` explains each.
//!
//! [`Config::load`] names every fault at once, each with its line, its key and its cure. Secrets never print: a
//! password is a [`Password`], the way to it, and is read when it is needed.

mod clash;
mod fault;
mod files;
mod odd;
mod plain;
mod read;
mod secret;
mod section;
mod values;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

pub use fault::Fault;
pub use files::{key_in, open_to_others};
pub use plain::{LONGEST_BUNDLE, LONGEST_SECRET, PlainFault, open_named, read_plain};
pub use read::is_loopback;
pub use secret::{Password, Secret, SecretFault};
pub use section::nearest;
pub use values::{Mailbox, Rate, nearest_zone};

use crate::feed::address::FeedAddress;
use crate::letters::Lang;
pub use crate::letters::markup::Markup;
use crate::schedule::DeadlineRule;

/// Fifty times the shipped file, in bytes.
const LONGEST_CONFIG: u64 = 1 << 20;

/// The whole configuration. Paths are absolute, addresses lower-cased.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where this was read from.
    pub file: PathBuf,
    pub language: Lang,
    pub timezone: TimeZone,
    pub database: PathBuf,
    pub key_file: PathBuf,
    /// Folder of the user's own letter templates.
    pub templates: Option<PathBuf>,
    pub retention: SignedDuration,
    pub host: Host,
    pub moderators: Moderators,
    pub inbox: Inbox,
    pub outbox: Outbox,
    pub security: Security,
    pub forum: Forum,
    pub game: Game,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    pub name: String,
    /// Never empty: the first is the host, the rest are co-hosts.
    pub addresses: Vec<String>,
    pub word_file: PathBuf,
}

impl Host {
    /// The hosts' proof word, folded as [`crate::request::words::fold_proof_word`] says: the first line of `word_file`.
    /// None when there is no such file, or no proof word in it.
    pub fn word(&self) -> Option<String> {
        let bytes = match read_plain(&self.word_file, LONGEST_SECRET) {
            Ok(bytes) => bytes,
            Err(fault) => {
                if !fault.is_missing() {
                    tracing::warn!("host.word_file {fault}; until it is mended the hosts have no proof word");
                }
                return None;
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let word = crate::request::words::fold_proof_word(text.lines().next()?);
        if word.is_none() {
            tracing::warn!("the first line of host.word_file is no proof word: letters, then two digits");
        }
        word
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moderators {
    pub addresses: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inbox {
    pub kind: InboxKind,
    /// The Maildir, with `kind = "maildir"`.
    pub path: PathBuf,
    /// Some exactly with `kind = "imap"`.
    pub server: Option<Server>,
    /// In the order in which letters of one second are read.
    pub folders: Vec<String>,
    /// None: a processed letter is only marked as seen.
    pub done_folder: Option<String>,
    pub poll: SignedDuration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxKind {
    Maildir,
    Imap,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outbox {
    pub kind: OutboxKind,
    /// The folder of Maildirs, one for each recipient, with `kind = "maildir"`.
    pub path: PathBuf,
    pub from: Mailbox,
    /// Some exactly with `kind = "smtp"`.
    pub server: Option<Server>,
    /// The program and its arguments; not empty with `kind = "sendmail"`.
    pub command: Vec<String>,
    /// None: no limit (the default, but for SMTP).
    pub rate: Option<Rate>,
    /// Letters in 24 hours; None: no limit (the default, but for SMTP).
    pub daily: Option<u32>,
    pub plus_addressing: bool,
    pub debug_headers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutboxKind {
    Maildir,
    Smtp,
    Sendmail,
}

/// A mail server and how to log in there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub server: String,
    pub port: u16,
    pub tls: Tls,
    /// An extra trust root, PEM.
    pub ca_file: Option<PathBuf>,
    /// None: no login (SMTP to a relay that knows us).
    pub login: Option<Login>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    pub user: String,
    pub password: Password,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    Implicit,
    Starttls,
    /// Only to a server on this machine.
    None,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Security {
    pub sender: SenderProof,
    pub authserv_ids: Vec<String>,
    /// Bytes.
    pub max_message: u64,
    pub replies_per_hour: u32,
    pub relay_per_day: u32,
}

/// What proves a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderProof {
    Address,
    Verified,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forum {
    pub markup: Markup,
    pub post_to: Vec<String>,
    pub activity_feed: Option<FeedAddress>,
}

/// The defaults for new games; a game keeps its own copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    pub deadline: DeadlineRule,
    pub min_turn: SignedDuration,
    pub settle: SignedDuration,
    /// How long before the deadline, the longest first.
    pub reminders: Vec<SignedDuration>,
    pub publish: Publish,
    pub approve_applicants: bool,
    pub handshake: bool,
    pub early_close: bool,
    pub pistol_window: SignedDuration,
    /// Toggles as (name, value), in alphabetical order of names; each is a valid setting of the rulebook.
    pub rules: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Publish {
    Auto,
    /// The host sees the turn first.
    Approve,
    /// The same, but it publishes itself after so long.
    ApproveFor(SignedDuration),
}

impl Config {
    /// Reads and checks the file.
    ///
    /// # Errors
    /// Every fault of the file at once, in the order of lines.
    pub fn load(path: &Path) -> Result<Config, Vec<Fault>> {
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let bytes = read_plain(&file, LONGEST_CONFIG).map_err(|fault| vec![Fault::unreadable(&file, &fault)])?;
        let text = String::from_utf8(bytes).map_err(|error| vec![Fault::not_text(&file, &error)])?;
        Config::parse(&text, &file)
    }

    /// The text of a config file that stands, or would stand, at `file` (an absolute path).
    ///
    /// # Errors
    /// Every fault of the text at once, in the order of lines.
    pub fn parse(text: &str, file: &Path) -> Result<Config, Vec<Fault>> {
        read::config(text, file).0
    }

    /// Every key that the file may hold, with its section: `outbox.rate`.
    pub fn known_keys() -> Vec<String> {
        read::config("", Path::new("/config.toml")).1
    }

    /// The line of the file on which a key stands (`inbox.ca_file`); 0 when it is not there.
    pub fn line_of(&self, key: &str) -> usize {
        read::line_of_key(&self.text(), key)
    }

    /// What this machine lacks of the files and programs that the config names and nobody but the operator can make.
    /// `variable` looks up the environment (`cli::load::variable`).
    pub fn faults_of_files(&self, variable: impl Fn(&str) -> Option<OsString>) -> Vec<Fault> {
        files::faults(self, variable)
    }

    /// Files that this user may not read: a fault for the daemon, and nothing where somebody else only checks.
    pub fn closed_files(&self) -> Vec<Fault> {
        files::closed(self)
    }

    /// Values that hardly anybody means.
    pub fn odd_values(&self) -> Vec<Fault> {
        let text = self.text();
        let line = |key: &str| read::line_of_key(&text, key);
        let told = |odd: clash::Clash| {
            let written = odd.keys.iter().find(|key| line(key) > 0).or(odd.keys.first());
            self.fault(written.copied().unwrap_or_default(), odd.what, odd.cure)
        };
        odd::odd(self).into_iter().map(told).collect()
    }

    /// A key file in which there is no key, which is a fault only where forum passwords are sealed with it.
    pub fn no_key(&self) -> Option<Fault> {
        files::no_key(self)
    }

    /// Files of secrets that others than their owner may open.
    pub fn open_secrets(&self) -> Vec<Fault> {
        files::open_secrets(self)
    }

    /// A fault at a key of this file.
    pub fn fault(&self, key: &str, what: String, cure: String) -> Fault {
        Fault { file: self.file.clone(), line: self.line_of(key), key: key.to_owned(), what, cure }
    }

    /// The file as it is now; empty where it can't be read any more.
    fn text(&self) -> String {
        let bytes = read_plain(&self.file, LONGEST_CONFIG).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// The zone's IANA name, as letters give it.
    pub fn zone_name(&self) -> &str {
        self.timezone.iana_name().unwrap_or("UTC")
    }
}
