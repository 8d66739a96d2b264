//! Many letters wait, perhaps of one who wrote thousands: whose they are is asked first, and what one wrote too much is
//! fetched last. How far the folder is read moves only as far as nothing older is left out: after a crash letters are
//! handed over a second time, and never none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::fault::Fault;
use super::fetch::{BATCH_BYTES, BATCH_LETTERS, Fetcher, next_batch};
use super::grammar::{Fetched, Said, uid_set};
use super::line::{Line, SMALL};
use super::read::{self, Hands, Item, Selected, list};
use super::reader::Folder;
use crate::mail::fair::{Fair, Turn};
use crate::mail::link::Arrived;
use crate::mail::parse;

/// So few new letters are read as they arrived: nobody waits long for them.
pub(super) const FEW: usize = 200;
/// A batch of what somebody wrote too much; after each it is looked for what has come. Up to three of them are on their
/// way to the database at once.
const EXCESS: usize = 100;
/// Of letters that nobody wrote too many of, it is looked so often.
const LOOKS: Duration = Duration::from_millis(250);
/// Bytes of a From that are read.
const FROM: u64 = 2_048;
/// While so many letters wait, their senders are not asked for but read in the letters themselves, fetched as they
/// arrived: a server opens a letter for its From, too, which is half the work of handing it out. Where one turns out to
/// have written too much, others are not kept waiting for his letters again: from then on it is asked first.
const MANY: usize = 3 * BATCH_LETTERS;
/// Letters, and bytes, that are fetched at once before it is known whose they are.
const UNKNOWN: usize = BATCH_LETTERS / 2;
const UNKNOWN_BYTES: u64 = 1024 * 1024;

/// Letters of a folder on their way to the loop, in another order than theirs.
struct Course {
    /// Whose they are was not asked yet.
    unsorted: VecDeque<Item>,
    fair: Fair<Item>,
    /// All that is listed and not handed over.
    open: BTreeSet<u32>,
    /// The last letter that lay there at the beginning.
    listed: u32,
    /// The last one that was listed at all.
    last: u32,
    looked: Instant,
    /// Somebody wrote too much.
    asks_first: bool,
}

/// Letters that are fetched together.
struct Portion {
    items: Vec<Item>,
    of: Of,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Known(Turn),
    /// Whose they are is seen when they have come.
    Unknown,
}

/// Hands the letters over that lay there when they were listed. What comes meanwhile is handed over with them, but for
/// what somebody wrote too much, which is left for the next look.
pub(super) async fn hand_over(
    hands: &Hands,
    line: &mut Line,
    folder: &mut Folder,
    selected: &Selected,
    mut new: VecDeque<Item>,
) -> Result<(), Fault> {
    let open: BTreeSet<u32> = new.iter().map(|item| item.uid).collect();
    let last = open.last().copied().unwrap_or_default();
    // A mailbox that was moved may hold its letters in any order: one that is heard after a later one makes receipts untrue.
    new.make_contiguous().sort_by_key(|item| (item.second.unwrap_or(i64::MAX), item.uid));
    let (fair, looked) = (Fair::default(), Instant::now());
    let mut course = Course { unsorted: new, fair, open, listed: last, last, looked, asks_first: false };
    let mut fetcher = Fetcher::new(hands, selected.validity, true);
    let mut next = None;
    loop {
        if course.looked.elapsed() >= LOOKS {
            fetcher.hear_ahead(line).await?;
            course.look_for_fresh(hands, line, folder, selected).await?;
        }
        let portion = match next.take() {
            Some(portion) => portion,
            None => match course.next(hands, line, folder, selected).await? {
                Some(portion) => portion,
                None => break,
            },
        };
        next = course.ahead(hands);
        let ahead = next.as_ref().map(|next| next.items.as_slice());
        let Some(mut batch) = fetcher.fetch(line, folder, &portion.items, ahead).await? else {
            // They are asked for one by one, in their order, and now: no folder is read through before.
            fetcher.drain(line).await?;
            folder.is_left = true;
            let left = course.left(portion.items.into_iter().chain(next.into_iter().flat_map(|next| next.items)));
            return read::hand_over(hands, line, folder, selected.validity, left, true).await;
        };
        let handed_over = course.without_excess(portion, &mut batch.letters);
        course.note(folder, &handed_over);
        batch.hand_over(hands, folder.new_mark()).await?;
        if next.is_none() && course.unsorted.is_empty() && course.fair.waited_long() == 0 {
            break;
        }
    }
    folder.is_left = !course.open.is_empty();
    Ok(())
}

impl Course {
    /// What is fetched next. It may have to be asked whose letters are; and before what somebody wrote too much it is
    /// looked for what has come.
    async fn next(
        &mut self,
        hands: &Hands,
        line: &mut Line,
        folder: &Folder,
        selected: &Selected,
    ) -> Result<Option<Portion>, Fault> {
        if let Some(portion) = self.ready(hands) {
            return Ok(Some(portion));
        }
        while self.fair.turn().is_none_or(|turn| turn == Turn::Excess) && !self.unsorted.is_empty() {
            self.sort_some(line).await?;
        }
        if self.fair.turn() == Some(Turn::Excess) {
            self.look_for_fresh(hands, line, folder, selected).await?;
        }
        Ok(self.fair.turn().map(|turn| self.of_turn(hands, turn)))
    }

    /// What is fetched behind the portion that is fetched now. When nothing old is left, what came meanwhile is for the next
    /// look, however fast it comes: no turn is closed before this one ends.
    fn ahead(&mut self, hands: &Hands) -> Option<Portion> {
        let is_waited_for = !self.unsorted.is_empty() || self.fair.waited_long() > 0;
        if is_waited_for { self.ready(hands) } else { None }
    }

    /// Letters of which nothing need be asked before they are fetched.
    fn ready(&mut self, hands: &Hands) -> Option<Portion> {
        match self.fair.turn() {
            Some(turn) if turn != Turn::Excess => Some(self.of_turn(hands, turn)),
            _ if !self.asks_first && self.unsorted.len() > MANY => Some(self.of_unknown(hands)),
            _ => None,
        }
    }

    /// Asks whose some letters are. A server that does not say it gets them read as they arrived.
    async fn sort_some(&mut self, line: &mut Line) -> Result<(), Fault> {
        let some: Vec<Item> = self.unsorted.drain(..BATCH_LETTERS.min(self.unsorted.len())).collect();
        let senders = senders(line, &some).await?;
        for item in some {
            match &senders {
                Some(senders) => self.fair.add(item, senders.get(&item.uid).map(String::as_str)),
                None => self.fair.add(item, Some(&item.uid.to_string())),
            }
        }
        Ok(())
    }

    async fn look_for_fresh(
        &mut self,
        hands: &Hands,
        line: &mut Line,
        folder: &Folder,
        selected: &Selected,
    ) -> Result<(), Fault> {
        self.looked = Instant::now();
        let found = list(hands, line, folder, &format!("{}:*", self.last.saturating_add(1)), selected).await?;
        let fresh: Vec<Item> = found.into_iter().filter(|item| item.uid > self.last).collect();
        for some in fresh.chunks(BATCH_LETTERS) {
            let senders = senders(line, some).await?.unwrap_or_default();
            for item in some {
                self.open.insert(item.uid);
                self.last = self.last.max(item.uid);
                self.fair.add_fresh(*item, senders.get(&item.uid).map(String::as_str));
            }
        }
        Ok(())
    }

    /// Letters of one line only, so that no batch holds more of what one wrote too much than it should.
    fn of_turn(&mut self, hands: &Hands, turn: Turn) -> Portion {
        let most = if turn == Turn::Excess { EXCESS } else { BATCH_LETTERS };
        let fair = &mut self.fair;
        let mut items = next_batch(hands, most, BATCH_BYTES, |fits| {
            let is_next = fair.turn() == Some(turn) && fair.peek().is_some_and(fits);
            if is_next { fair.pop() } else { None }
        });
        items.sort_by_key(|item| item.uid);
        Portion { items, of: Of::Known(turn) }
    }

    fn of_unknown(&mut self, hands: &Hands) -> Portion {
        let unsorted = &mut self.unsorted;
        let mut items = next_batch(hands, UNKNOWN, UNKNOWN_BYTES, |fits| {
            if unsorted.front().is_some_and(fits) { unsorted.pop_front() } else { None }
        });
        items.sort_by_key(|item| item.uid);
        Portion { items, of: Of::Unknown }
    }

    /// Takes out what somebody wrote too much: it will be fetched once more, when its turn comes. Gives what is left.
    fn without_excess(&mut self, portion: Portion, letters: &mut Vec<Arrived>) -> Vec<Item> {
        let Portion { mut items, of: Of::Unknown } = portion else { return portion.items };
        let mut put_off = BTreeSet::new();
        let by_place: BTreeMap<u32, Item> = items.iter().map(|item| (item.uid, *item)).collect();
        // In order of arrival: it is his first letters that are heard.
        letters.retain(|letter| {
            let uid = letter.place.rsplit_once('/').and_then(|(_, uid)| uid.parse().ok()).unwrap_or_default();
            let sender = parse::sender_of(&letter.raw);
            let is_heard = by_place.get(&uid).is_none_or(|item| self.fair.is_heard_now(*item, sender.as_deref()));
            if !is_heard {
                put_off.insert(uid);
            }
            is_heard
        });
        self.asks_first |= !put_off.is_empty();
        items.retain(|item| !put_off.contains(&item.uid));
        items
    }

    /// What lay there at the beginning and is not handed over, these too, in its order. What has come since is left for
    /// the next look.
    fn left(self, fetched: impl Iterator<Item = Item>) -> VecDeque<Item> {
        let Course { unsorted, mut fair, listed, .. } = self;
        let mut left: Vec<Item> = fetched.collect();
        left.extend(unsorted);
        left.extend(std::iter::from_fn(|| fair.pop()));
        left.retain(|item| item.uid <= listed);
        left.sort_by_key(|item| item.uid);
        left.into()
    }

    /// A batch is handed over: how far is the folder read without a gap?
    fn note(&mut self, folder: &mut Folder, batch: &[Item]) {
        for item in batch {
            self.open.remove(&item.uid);
            folder.ahead.insert(item.uid);
        }
        let through = self.open.first().map_or(self.last, |open| open.saturating_sub(1));
        folder.handed_over_to(through);
    }
}

/// Whom the letters name as their senders, by UID; None when the server does not say it.
async fn senders(line: &mut Line, items: &[Item]) -> Result<Option<BTreeMap<u32, String>>, Fault> {
    let mut senders = BTreeMap::new();
    let uids = uid_set(items.iter().map(|item| item.uid));
    let words = format!("UID FETCH {uids} (UID BODY.PEEK[HEADER.FIELDS (FROM)]<0.{FROM}>)");
    let bytes = u64::try_from(items.len()).unwrap_or(u64::MAX).saturating_mul(FROM);
    let status = line
        .command(line.heavy("the senders", bytes, SMALL), &words, Vec::new(), |said| {
            if let Said::Fetched(Fetched { uid: Some(uid), body: Some(body), .. }) = said
                && let Some(sender) = parse::sender_of(&body)
            {
                senders.insert(uid, sender);
            }
        })
        .await?;
    Ok(status.is_ok().then_some(senders))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use tokio::sync::{Semaphore, mpsc};

    use super::super::ImapSettings;
    use super::*;
    use crate::clock::Clock;
    use crate::config::Config;

    fn hands() -> Hands {
        let text = "host.addresses = [\"host@example.org\"]\n[inbox]\nkind = \"imap\"\nserver = \"imap.example.org\"\n\
                    user = \"m\"\npassword = \"p\"\n";
        let config = Config::parse(text, Path::new("/etc/omerta/config.toml")).unwrap();
        let settings = ImapSettings::new(&config.inbox, 1024, |_| None).unwrap();
        let (to_loop, _) = mpsc::channel(1);
        Hands { settings, clock: Clock::System, to_loop, room: Arc::new(Semaphore::new(1)) }
    }

    fn item(uid: u32) -> Item {
        Item { uid, size: 100, second: None }
    }

    /// However fast others write: each letter that came while one was fetched would bring the next one in.
    #[test]
    fn what_came_meanwhile_is_fetched_ahead_only_while_something_old_waits() {
        let hands = hands();
        let mut course = Course {
            unsorted: VecDeque::new(),
            fair: Fair::default(),
            open: BTreeSet::new(),
            listed: 60,
            last: 60,
            looked: Instant::now(),
            asks_first: true,
        };
        (1..=60).for_each(|uid| course.fair.add(item(uid), Some("rita@x.test")));
        course.fair.add_fresh(item(61), Some("anna@x.test"));
        let uids = |portion: Option<Portion>| -> Vec<u32> {
            portion.into_iter().flat_map(|portion| portion.items).map(|item| item.uid).collect()
        };
        assert_eq!(uids(course.ahead(&hands)), [61]);
        while course.fair.waited_long() > 0 {
            course.fair.pop();
        }
        course.fair.add_fresh(item(62), Some("boris@x.test"));
        assert_eq!(uids(course.ahead(&hands)), [0; 0], "it is for the next look");
        course.unsorted.push_back(item(50));
        assert_eq!(uids(course.ahead(&hands)), [62]);
    }
}
