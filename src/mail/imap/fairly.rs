//! Many letters wait, perhaps of one who wrote thousands: whose they are is asked first, and what one wrote too much is
//! fetched last. How far the folder is read moves only as far as nothing older is left out: after a crash letters are
//! handed over a second time, and never none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::fault::Fault;
use super::grammar::{Fetched, Said, uid_set};
use super::line::{Line, SMALL};
use super::read::{self, BATCH_LETTERS, Hands, Item, Selected, fetch_batch, list, next_batch};
use super::reader::Folder;
use crate::mail::fair::{Fair, Turn};
use crate::mail::link::FromInbox;
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
    let mut course = Course { unsorted: new, fair, open, listed: last, last, looked };
    loop {
        if course.fair.turn().is_none_or(|turn| turn == Turn::Excess) && !course.unsorted.is_empty() {
            course.sort_some(line).await?;
            continue;
        }
        let Some(turn) = course.fair.turn() else { break };
        if turn == Turn::Excess || course.looked.elapsed() >= LOOKS {
            course.look_for_fresh(hands, line, folder, selected).await?;
        }
        let Some(batch) = course.next_batch(hands) else { break };
        let Some(letters) = fetch_batch(hands, line, folder, selected.validity, &batch, true).await? else {
            // They are asked for one by one, in their order, and now: no folder is read through before.
            folder.is_left = true;
            return read::hand_over(hands, line, folder, selected.validity, course.left(batch), true).await;
        };
        course.note(folder, &batch);
        let marks = folder.new_mark();
        if !letters.is_empty() || !marks.is_empty() {
            hands.tell(FromInbox::Letters { letters, marks }).await?;
        }
        if course.unsorted.is_empty() && course.fair.waited_long() == 0 {
            break;
        }
    }
    folder.is_left = !course.open.is_empty();
    Ok(())
}

impl Course {
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
    fn next_batch(&mut self, hands: &Hands) -> Option<Vec<Item>> {
        let turn = self.fair.turn()?;
        let most = if turn == Turn::Excess { EXCESS } else { BATCH_LETTERS };
        let fair = &mut self.fair;
        let mut batch = next_batch(hands, most, |fits| {
            let is_next = fair.turn() == Some(turn) && fair.peek().is_some_and(fits);
            if is_next { fair.pop() } else { None }
        });
        batch.sort_by_key(|item| item.uid);
        Some(batch)
    }

    /// What lay there at the beginning and is not handed over, this batch too, in its order. What has come since is left
    /// for the next look.
    fn left(self, batch: Vec<Item>) -> VecDeque<Item> {
        let Course { unsorted, mut fair, listed, .. } = self;
        let mut left = batch;
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
