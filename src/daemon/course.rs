//! A Maildir is read through in portions, so that whoever writes while thousands of letters wait is answered at once.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::io;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::Daemon;
use super::batch::{Batch, InboxError, Portion, take_in};
use super::ends::Inbox;
use super::lines::ASK;
use crate::failpoint;
use crate::mail::fair::{Fair, Turn};
use crate::mail::inbox::{Found, MaildirInbox};

/// Looks for what has come meanwhile cost no more than so small a part of the time.
const PART: u32 = 4;
/// So few letters are read as they arrived: nobody waits long for them.
const FEW: usize = 200;

/// A deadline, or a reminder of it, is near when it is no farther than this.
const NEAR: SignedDuration = SignedDuration::from_mins(30);
/// Then a mailbox is read at least so often.
const OFTEN: Duration = Duration::from_secs(15);

/// One reading of the inbox from its beginning to its end.
pub struct Course {
    began: Timestamp,
    /// In order of arrival; whose they are was not looked at yet.
    unsorted: VecDeque<Found>,
    fair: Fair<Found>,
    /// Letters that lay there when the reading began.
    listed: usize,
    /// The files' names that were looked at since.
    known: HashSet<OsString>,
    looked: Instant,
    look_took: Duration,
}

impl Course {
    fn begin(inbox: &mut MaildirInbox, thoroughly: bool, began: Timestamp) -> io::Result<Course> {
        let looked = Instant::now();
        let found = if thoroughly { inbox.scan_all()? } else { inbox.scan()? };
        Ok(Course {
            began,
            listed: found.len(),
            unsorted: found.into(),
            fair: Fair::default(),
            known: HashSet::new(),
            looked,
            look_took: Duration::ZERO,
        })
    }

    /// Whoever has written meanwhile comes before those who wrote too much; they themselves wait for the next reading.
    fn look_again(&mut self, inbox: &mut MaildirInbox) -> io::Result<()> {
        if self.looked.elapsed() < self.look_took.saturating_mul(PART) {
            return Ok(());
        }
        self.looked = Instant::now();
        for found in inbox.look_for_new(&mut self.known)? {
            let sender = inbox.sender(&found);
            self.fair.add_fresh(found, sender.as_deref());
        }
        self.look_took = self.looked.elapsed();
        Ok(())
    }

    /// The next letter; None when there is none, or none within the moment that began at `since`.
    fn next(&mut self, inbox: &MaildirInbox, since: Instant) -> Option<Found> {
        if self.listed <= FEW && self.fair.turn().is_none() {
            return self.unsorted.pop_front();
        }
        // What one wrote too much waits until it is known whose all the others are.
        while self.fair.turn().is_none_or(|turn| turn == Turn::Excess)
            && let Some(found) = self.unsorted.pop_front()
        {
            let sender = inbox.sender(&found);
            self.fair.add(found, sender.as_deref());
            if since.elapsed() >= Portion::MOMENT && self.fair.turn().is_none_or(|turn| turn == Turn::Excess) {
                return None;
            }
        }
        self.fair.pop()
    }

    /// All that lay there when the reading began is read.
    fn is_done(&self) -> bool {
        self.unsorted.is_empty() && self.fair.waited_long() == 0
    }
}

impl Daemon {
    /// Takes in a portion of what lies in the inbox; true when more is left. Only with its last portion is the inbox
    /// read through as of the moment at which the reading began.
    pub(super) fn read_inbox(&mut self, thoroughly: bool) -> Result<bool, InboxError> {
        let began = self.clock.now();
        let max_message = self.desk.config().security.max_message;
        let inbox = match &mut self.inbox {
            Inbox::Maildir(inbox) => inbox,
            Inbox::Line(_) => return self.ask_for_mail(thoroughly),
            Inbox::Imap(_) | Inbox::None => return Ok(false),
        };
        inbox.mark_again();
        // Should this portion fail, everything is looked for again.
        let mut course = match self.course.take() {
            Some(mut course) => {
                course.look_again(inbox)?;
                course
            }
            None => Course::begin(inbox, thoroughly, began)?,
        };
        let since = Instant::now();
        let mut batch = Batch::default();
        let is_for_fresh = course.fair.turn() == Some(Turn::Fresh);
        while !batch.is_full(self.portion) && since.elapsed() < Portion::MOMENT {
            // Who has just written is answered before anybody else's letter is judged.
            if !batch.letters.is_empty() && course.fair.turn() != Some(Turn::Fresh) && is_for_fresh {
                break;
            }
            let Some(found) = course.next(inbox, since) else { break };
            self.stirred = true;
            if self.desk.knows_place(&found.place)? {
                // Unmarked since a crash, or it can't be marked: it is known, and keeps nobody waiting.
                inbox.mark_or_put_aside(&found);
                continue;
            }
            let Some(raw) = inbox.read(&found, max_message)? else { continue };
            batch.push(found, raw.bytes, raw.too_large);
        }
        let (letters, since) = (batch.letters.len(), Instant::now());
        take_in(&mut self.desk, inbox, &mut batch, began)?;
        self.portion.learn(letters, since.elapsed());
        if course.is_done() {
            self.reading.through(course.began);
            return Ok(false);
        }
        self.course = Some(course);
        Ok(true)
    }

    /// A line has a pace of its own, the config's `poll`. While a deadline is near it is asked more often, so that whoever
    /// writes late learns in time that it counts; and again and again where a turn waits for it.
    fn ask_for_mail(&mut self, waited_for: bool) -> Result<bool, InboxError> {
        let near = self.clock.now().saturating_add(NEAR).unwrap_or(Timestamp::MAX);
        let pause = match waited_for {
            true => ASK,
            false if self.desk.games_due(near, 1)?.is_empty() => return Ok(false),
            false => OFTEN / failpoint::hurry(),
        };
        if let Inbox::Line(line) = &mut self.inbox {
            line.ask_to_read(pause);
        }
        Ok(false)
    }
}
