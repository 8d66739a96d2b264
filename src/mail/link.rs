//! How the daemon's loop speaks with the tasks that hold a line to a mail server: values over channels, nothing shared
//! but one counter. The tasks know bytes, folders and replies; the loop knows letters and the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use tokio::sync::OwnedSemaphorePermit;

use crate::rules::Order;

/// A letter as the inbox found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Where it lies: one place, one letter. IMAP: `imap/FOLDER/UIDVALIDITY/UID`.
    pub place: String,
    pub order: Order,
    pub raw: Vec<u8>,
    /// Only its head was read, because it is larger than `max_message`.
    pub too_large: bool,
    /// It lies in the Junk folder: only letters of people who play here are taken from there.
    pub junk: bool,
    /// UIDVALIDITY changed since the folder was read last: the letter may be known under another place.
    pub revalidated: bool,
}

/// The room that letters have in memory from when they are asked for until they are committed: whoever holds them holds
/// it, and who asks for more waits until it is given back.
pub type Room = Option<OwnedSemaphorePermit>;

/// From the task that reads the inbox.
#[derive(Debug)]
pub enum FromInbox {
    /// Letters in order of arrival, and how far each folder has been read with them: `marks` join the transaction that
    /// takes the letters in.
    Letters {
        letters: Vec<Arrived>,
        marks: Vec<(String, String)>,
        room: Room,
    },
    /// Everything that lay in the inbox at that moment was sent before this.
    ReadThrough {
        began: Timestamp,
    },
    /// The server's clock less ours, in seconds, as a probe told.
    Skew {
        seconds: i64,
    },
    /// The line is down or was refused; said once, until `Recovered`.
    Trouble(Trouble),
    Recovered,
}

/// How often anything came from the server in answer to a command, be it a part of an answer: a batch of letters over a
/// slow line takes minutes in which nothing can be handed over. News in IDLE, when nothing was asked, does not count.
#[derive(Clone, Debug, Default)]
pub struct Heard(Arc<AtomicU64>);

impl Heard {
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// To the task that reads the inbox.
#[derive(Debug)]
pub enum ToInbox {
    /// These places are committed: they may be marked as seen or moved to `done_folder`.
    Committed { places: Vec<String> },
    /// Look now: a deadline has passed and the inbox must be read through.
    ReadNow,
}

/// One letter to be handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// Its number in the outbox.
    pub id: i64,
    pub address: String,
    pub bytes: Vec<u8>,
}

/// From the task that sends: exactly one for each parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    pub id: i64,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server took it (250).
    Sent,
    /// 4xx, or no connection: to be tried again by the schedule. `why` names no address.
    Later { why: String },
    /// The server refuses us and not this letter (our login, our address, TLS), until somebody mends something. The letter
    /// is tried again by the schedule, and never given up for it.
    Unable { why: String },
    /// 5xx: it will never be taken.
    Refused { why: String },
    /// The words were handed over and no answer came: it may have been taken.
    Unknown { why: String },
    /// The provider blocks sending: every try would prolong it. Nothing may be sent for a day.
    Blocked { why: String },
}

/// From the task that sends, beside its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromOutbox {
    /// Letters can't be sent; said once of each kind, until `Recovered`.
    Trouble(Trouble),
    Recovered,
}

/// What is wrong with the line to a server, and the likely cause. Names no address and no password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// For the operator: what, where, and the cure.
    pub said: String,
}

impl TroubleKind {
    /// What the daemon does about it, for whoever reads its log; a command that only tries does nothing of it.
    pub fn goes_on(self) -> &'static str {
        match self {
            TroubleKind::Unreachable => " It is tried again by itself.",
            TroubleKind::LoginRefused => {
                " It is tried again when the password changes, and else rarely, so that the provider does not lock the \
                 mailbox."
            }
            TroubleKind::Untrusted | TroubleKind::NoPassword | TroubleKind::Unable => "",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// No connection, a time-out, a cut line: it is tried again by itself.
    Unreachable,
    /// The login was refused: it is not tried in a loop.
    LoginRefused,
    /// The certificate is not trusted.
    Untrusted,
    /// The password could not be read.
    NoPassword,
    /// The server does not do what is needed.
    Unable,
}
