//! The loop's ends of the lines to mail servers: channels to the tasks that hold them (mail/link.rs).

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use super::opening::{self, FromLine};
use crate::clock::Clock;
use crate::failpoint;
use crate::mail::imap::{self, ImapSettings};
use crate::mail::link::{Delivered, FromOutbox, Heard, Outcome, Parcel, ToInbox};
use crate::mail::pace::{Class, Load, Pace, Verdict};
use crate::mail::sendmail::{self, SendmailSettings};
use crate::mail::smtp::{self, SmtpSettings};
use crate::store::OutRow;

/// Orders that may wait for the task that reads; it takes them at once.
const ORDERS: usize = 64;
/// A turn that waits to be closed asks for the mail so often.
pub const ASK: Duration = Duration::from_secs(1);
/// Letters handed over and not yet answered for.
const IN_FLIGHT: usize = 50;
/// Letters are taken out of the queue so many at a time while others are on their way.
const REFILL: usize = IN_FLIGHT / 2;
/// A full quota is looked at again after so long, or so many times sooner as tests are in a hurry.
const FULL: Duration = Duration::from_secs(30);

/// To the task that reads a mailbox.
pub struct InboxLine {
    pub from: mpsc::Receiver<FromLine>,
    to: mpsc::Sender<ToInbox>,
    /// What the server says in answer to commands, and how much of it was seen to come.
    heard: Heard,
    seen: u64,
    /// Our own address, for those who read letters.
    own: watch::Sender<String>,
    asked: Option<Instant>,
    /// Committed, and not yet told for want of room.
    untold: Vec<String>,
}

impl InboxLine {
    /// Starts the task on the current runtime. `cursors` are the marks that were committed, `own` is our own address.
    pub fn start(settings: ImapSettings, clock: Clock, cursors: BTreeMap<String, String>, own: String) -> InboxLine {
        // One batch is committed while the next is read and the one after it is fetched.
        let (to_opening, fetched) = mpsc::channel(1);
        let (to_loop, from) = mpsc::channel(1);
        let (to, orders) = mpsc::channel(ORDERS);
        let (own, own_now) = watch::channel(own);
        let heard = Heard::default();
        tokio::spawn(imap::run(settings, clock, cursors, heard.clone(), to_opening, orders));
        tokio::spawn(opening::run(fetched, to_loop, own_now));
        InboxLine { from, to, heard, seen: 0, own, asked: None, untold: Vec::new() }
    }

    /// True when the server has answered anything since this was asked last, be it a part of an answer.
    pub fn has_heard(&mut self) -> bool {
        let heard = self.heard.so_far();
        std::mem::replace(&mut self.seen, heard) != heard
    }

    /// Our own address is another one now.
    pub fn own_is(&self, address: &str) {
        self.own.send_if_modified(|own| {
            let differs = own != address;
            address.clone_into(own);
            differs
        });
    }

    /// The inbox is wanted read through now, unless that was said less than `pause` ago.
    pub fn ask_to_read(&mut self, pause: Duration) {
        if self.asked.is_some_and(|asked| asked.elapsed() < pause) {
            return;
        }
        self.asked = Some(Instant::now());
        // A full channel: the task has been told already.
        let _ = self.to.try_send(ToInbox::ReadNow);
    }

    /// These places are committed and may be filed.
    pub fn committed(&mut self, places: Vec<String>) {
        self.untold.extend(places);
        let places = std::mem::take(&mut self.untold);
        if let Err(TrySendError::Full(ToInbox::Committed { places })) = self.to.try_send(ToInbox::Committed { places })
        {
            self.untold = places;
        }
    }

    /// The task has ended, which it does only when something is wrong with it, and all that it said was heard.
    pub fn is_dead(&self) -> bool {
        self.from.is_closed() && self.from.is_empty()
    }
}

/// To the task that sends.
pub struct OutboxLine {
    parcels: mpsc::Sender<Parcel>,
    pub delivered: mpsc::Receiver<Delivered>,
    pub news: mpsc::Receiver<FromOutbox>,
    /// Handed over and not yet answered for, in that order: they must not be taken a second time.
    in_flight: VecDeque<OutRow>,
    pub pace: Pace,
    /// Nothing may leave between these moments, by the pace or the provider's block.
    quiet: Option<(Timestamp, Timestamp)>,
    full_since: Option<Instant>,
}

/// How letters leave over a line.
#[derive(Clone)]
pub enum Sender {
    Smtp(Box<SmtpSettings>),
    Sendmail(SendmailSettings),
}

impl OutboxLine {
    /// Starts the task on the current runtime.
    pub fn start(sender: Sender, pace: Pace) -> OutboxLine {
        let (parcels, orders) = mpsc::channel(IN_FLIGHT);
        let (answers, delivered) = mpsc::channel(IN_FLIGHT);
        let (tell, news) = mpsc::channel(IN_FLIGHT);
        match sender {
            Sender::Smtp(settings) => tokio::spawn(smtp::run(*settings, orders, answers, tell)),
            Sender::Sendmail(settings) => tokio::spawn(sendmail::run(settings, orders, answers, tell)),
        };
        OutboxLine { parcels, delivered, news, in_flight: VecDeque::new(), pace, quiet: None, full_since: None }
    }

    /// How many letters may be taken out of the queue now.
    pub fn room(&self, now: Timestamp) -> usize {
        // A clock that was set back must not make anybody wait: the pace is asked again.
        let quiet = self.is_dead() || self.quiet.is_some_and(|(since, until)| since <= now && now < until);
        if quiet || self.is_full() { 0 } else { places(self.in_flight.len()) }
    }

    /// The quota of the day had no room for a letter at the last look.
    pub fn is_full(&self) -> bool {
        self.full_since.is_some_and(|since| since.elapsed() < FULL / failpoint::hurry())
    }

    /// What has left, and what is on its way: the provider may have that already, and counts it.
    pub fn with_those_on_their_way(&self, left: Load) -> Load {
        let on_their_way = u64::try_from(self.in_flight.len()).unwrap_or(u64::MAX);
        Load { sent: left.sent.saturating_add(on_their_way), ..left }
    }

    /// Whether this letter may leave now; counts it against the pace if so.
    pub fn may_leave(&mut self, letter: &OutRow, now: Timestamp, load: &mut Load) -> bool {
        if self.in_flight.iter().any(|other| other.id == letter.id) {
            return false;
        }
        match self.pace.may_send(Class::of_kind(&letter.kind), now, *load) {
            Verdict::Go => {
                self.pace.sent(now);
                load.sent = load.sent.saturating_add(1);
                self.full_since = None;
                true
            }
            Verdict::Wait { until } => {
                self.quiet = Some((now, until));
                false
            }
            Verdict::Full => {
                self.full_since = Some(Instant::now());
                false
            }
        }
    }

    /// Hands letters over whose attempt is stored. There is room for them: [`OutboxLine::room`] was asked.
    pub fn hand_over(&mut self, letters: Vec<OutRow>) {
        for mut letter in letters {
            let parcel =
                Parcel { id: letter.id.0, address: letter.address.clone(), bytes: std::mem::take(&mut letter.bytes) };
            if self.parcels.try_send(parcel).is_ok() {
                self.in_flight.push_back(letter);
            }
        }
    }

    pub fn has_letters(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// The task has ended, which it does only when something is wrong with it, and all its answers were heard.
    pub fn is_dead(&self) -> bool {
        self.delivered.is_closed() && self.delivered.is_empty()
    }

    /// What became of the letters of a dead task. It takes one after the other and answers in that order: of the first
    /// it is unknown, and the others were never begun.
    pub fn last_words(&mut self) -> Vec<(OutRow, Outcome)> {
        let why = || "the sender ended unexpectedly".to_owned();
        let outcome = |place| if place == 0 { Outcome::Unknown { why: why() } } else { Outcome::Later { why: why() } };
        self.in_flight.drain(..).enumerate().map(|(place, letter)| (letter, outcome(place))).collect()
    }

    /// Every answer that has come by now, beginning with `first`.
    pub fn answers(&mut self, first: Delivered) -> Vec<(OutRow, Outcome)> {
        let mut all = vec![first];
        while let Ok(next) = self.delivered.try_recv() {
            all.push(next);
        }
        all.into_iter().filter_map(|Delivered { id, outcome }| Some((self.taken_back(id)?, outcome))).collect()
    }

    fn taken_back(&mut self, id: i64) -> Option<OutRow> {
        let place = self.in_flight.iter().position(|letter| letter.id.0 == id)?;
        self.in_flight.remove(place)
    }
}

/// Places for letters beside those that are on their way.
///
/// Each time letters are taken their attempts are committed, which costs the disk a wait, so one commit covers many. No
/// promise hangs on how many: the attempt of each is still stored before its first byte, and each 250 is stored when it
/// is heard, whatever else is on its way; only a kill between the two sends a letter twice. Nor does a letter leave
/// later for it: those that are on their way go before it anyhow, and it finds fewer of them.
fn places(in_flight: usize) -> usize {
    let free = IN_FLIGHT.saturating_sub(in_flight);
    if free < REFILL { 0 } else { free }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_commit_covers_the_attempts_of_many_letters() {
        let (mut in_flight, mut commits) = (0, 0);
        for _ in 0..1000 {
            let places = places(in_flight);
            in_flight += places;
            commits += usize::from(places > 0);
            assert!((1..=IN_FLIGHT).contains(&in_flight), "the line neither waits for letters nor overflows");
            // An answer has come.
            in_flight -= 1;
        }
        assert!(commits <= 1000 / REFILL + 1, "{commits}");
    }
}
