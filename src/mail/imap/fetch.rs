//! The bytes of letters. The next batch is asked for before this one has come, so that the server always has something to
//! do; what is asked for and not yet committed takes no more memory than there is room for.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use tracing::warn;

use super::fault::Fault;
use super::grammar::{Fetched, Said, uid_set};
use super::line::{Budget, Line, Running};
use super::read::{Hands, Item};
use super::reader::{Careful, Folder, Way};
use crate::mail::inbox::{MAX_HEADER, header_end};
use crate::mail::link::{Arrived, FromInbox, Room};
use crate::rules::Order;

/// Letters in one batch, and their bytes at most (one larger letter may come alone).
pub(super) const BATCH_LETTERS: usize = 500;
pub(super) const BATCH_BYTES: u64 = 8 * 1024 * 1024;
/// KiB of letters in memory: three full batches.
pub(super) const ROOM: u32 = 24 * 1024;

/// The bytes of each letter that came, and whether they are its head only.
type Bodies = BTreeMap<u32, (Vec<u8>, bool)>;

/// Letters of one folder as they are fetched.
pub(super) struct Fetcher<'a> {
    hands: &'a Hands,
    validity: u32,
    is_new: bool,
    /// The batch behind the one that is waited for.
    ahead: Option<Asked>,
}

/// A batch in order of arrival.
pub(super) struct Batch {
    pub letters: Vec<Arrived>,
    room: Room,
}

/// Letters that were asked for.
struct Asked {
    batch: Vec<Item>,
    /// None: all that comes of them has come.
    running: Option<Running>,
    bodies: Bodies,
    room: OwnedSemaphorePermit,
}

impl Batch {
    pub(super) async fn hand_over(self, hands: &Hands, marks: Vec<(String, String)>) -> Result<(), Fault> {
        let Batch { letters, room } = self;
        if letters.is_empty() && marks.is_empty() {
            return Ok(());
        }
        hands.tell(FromInbox::Letters { letters, marks, room }).await
    }
}

impl<'a> Fetcher<'a> {
    /// `is_new`: they were never handed over.
    pub(super) fn new(hands: &'a Hands, validity: u32, is_new: bool) -> Fetcher<'a> {
        Fetcher { hands, validity, is_new, ahead: None }
    }

    /// The letters of a batch. `next`: what will be fetched after it. None: the server withheld one of several, and they
    /// are to be asked for one by one, after [`Fetcher::drain`].
    pub(super) async fn fetch(
        &mut self,
        line: &mut Line,
        folder: &mut Folder,
        batch: &[Item],
        next: Option<&[Item]>,
    ) -> Result<Option<Batch>, Fault> {
        let (Some(first), Some(last)) = (batch.first(), batch.last()) else {
            return Ok(Some(Batch { letters: Vec::new(), room: None }));
        };
        let way = folder.careful.filter(|careful| careful.uid == first.uid).map_or(Way::Whole, Careful::way);
        let is_careful = folder.careful.is_some_and(|careful| last.uid <= careful.until);
        let next = next.filter(|_| way == Way::Whole && !is_careful);
        let (mut bodies, room) = match self.fetch_bodies(line, batch, next, way).await {
            Ok(fetched) => fetched,
            Err(fault) => {
                folder.stumble(first.uid, last.uid);
                return Err(fault);
            }
        };
        let missing: Vec<u32> =
            batch.iter().filter(|item| !bodies.contains_key(&item.uid)).map(|item| item.uid).collect();
        if !missing.is_empty() && way != Way::Nothing {
            self.hear_ahead(line).await?;
            if let Some(stuck) = still_there(line, missing).await?.first() {
                folder.stumble(first.uid, last.uid);
                if batch.len() > 1 {
                    return Ok(None);
                }
                return Err(Fault::Unable(format!("it does not hand out letter {stuck} of {}", folder.name)));
            }
        }
        let mut letters: Vec<Arrived> =
            batch.iter().filter_map(|item| Some(self.arrived(folder, item, bodies.remove(&item.uid)?))).collect();
        letters.sort_by(|one, other| one.order.cmp(&other.order));
        Ok(Some(Batch { letters, room: Some(room) }))
    }

    /// Hears what was asked for ahead, and forgets it.
    pub(super) async fn drain(&mut self, line: &mut Line) -> Result<(), Fault> {
        self.hear_ahead(line).await?;
        self.ahead = None;
        Ok(())
    }

    async fn fetch_bodies(
        &mut self,
        line: &mut Line,
        batch: &[Item],
        next: Option<&[Item]>,
        way: Way,
    ) -> Result<(Bodies, OwnedSemaphorePermit), Fault> {
        let hands = self.hands;
        let mut asked = match self.ahead.take() {
            Some(asked) if asked.batch == batch => asked,
            other => {
                self.ahead = other;
                self.drain(line).await?;
                let room = wait_for_room(hands, batch).await?;
                if way == Way::Nothing {
                    return Ok((nothing_of(batch), room));
                }
                if let Some((large, small)) = with_large_ones(hands, batch, way) {
                    return Ok((self.fetch_heads(line, &large, &small).await?, room));
                }
                ask(hands, line, batch, room).await?
            }
        };
        // What would have to wait for room is asked for when this one is handed over: it may be this one that has it.
        if let Some(next) = next.filter(|next| with_large_ones(hands, next, Way::Whole).is_none())
            && let Some(room) = room_now(hands, next)
        {
            self.ahead = Some(ask(hands, line, next, room).await?);
        }
        if let Some(running) = asked.running.take() {
            let mut ahead = self.ahead.as_mut();
            line.end(running, Vec::new(), |said| {
                if let Said::Fetched(Fetched { uid: Some(uid), body: Some(body), .. }) = said {
                    match &mut ahead {
                        Some(ahead) if !asked.asks_for(uid) => ahead.take(uid, body),
                        _ => asked.take(uid, body),
                    }
                }
            })
            .await?;
        }
        Ok((asked.cut_to(hands.settings.max_message), asked.room))
    }

    /// Hears what was asked for ahead to its end, and keeps it.
    pub(super) async fn hear_ahead(&mut self, line: &mut Line) -> Result<(), Fault> {
        let Some(asked) = &mut self.ahead else { return Ok(()) };
        let Some(running) = asked.running.take() else { return Ok(()) };
        line.end(running, Vec::new(), |said| {
            if let Said::Fetched(Fetched { uid: Some(uid), body: Some(body), .. }) = said {
                asked.take(uid, body);
            }
        })
        .await?;
        Ok(())
    }

    /// Of letters that are too large only the heads.
    async fn fetch_heads(&mut self, line: &mut Line, large: &[Item], small: &[Item]) -> Result<Bodies, Fault> {
        let hands = self.hands;
        let mut bodies = fetch_parts(hands, line, small, WHOLE).await?;
        cut(&mut bodies, hands.settings.max_message);
        let heads = fetch_parts(hands, line, large, &format!("BODY.PEEK[HEADER]<0.{MAX_HEADER}>")).await?;
        bodies.extend(heads.into_iter().map(|(uid, (head, _))| (uid, (head, true))));
        Ok(bodies)
    }

    fn arrived(&self, folder: &Folder, item: &Item, (raw, too_large): (Vec<u8>, bool)) -> Arrived {
        let second = item.second.unwrap_or_else(|| self.hands.clock.now().as_second());
        Arrived {
            place: format!("imap/{}/{}/{}", folder.name, self.validity, item.uid),
            order: Order { second, within: format!("{:03}.{:010}", folder.index, item.uid) },
            raw,
            too_large,
            junk: folder.junk,
            revalidated: self.is_new && folder.progress.is_some_and(|progress| progress.revalidating),
        }
    }
}

impl Asked {
    /// The items are in the order of their numbers.
    fn asks_for(&self, uid: u32) -> bool {
        self.batch.binary_search_by_key(&uid, |item| item.uid).is_ok()
    }

    fn take(&mut self, uid: u32, body: Vec<u8>) {
        if self.asks_for(uid) {
            self.bodies.insert(uid, (body, false));
        }
    }

    fn cut_to(&mut self, max: u64) -> Bodies {
        cut(&mut self.bodies, max);
        std::mem::take(&mut self.bodies)
    }
}

/// So many letters, or so many bytes, as go into one batch: at least one, if there is one. `pop_if` takes the next one
/// out if it fits.
pub(super) fn next_batch(
    hands: &Hands,
    most: usize,
    most_bytes: u64,
    mut pop_if: impl FnMut(&dyn Fn(&Item) -> bool) -> Option<Item>,
) -> Vec<Item> {
    let (mut batch, mut bytes) = (Vec::new(), 0_u64);
    loop {
        let (number, before) = (batch.len(), bytes);
        let fits =
            |item: &Item| number == 0 || (number < most && before.saturating_add(cost(item, hands)) <= most_bytes);
        let Some(item) = pop_if(&fits) else { return batch };
        bytes = bytes.saturating_add(cost(&item, hands));
        batch.push(item);
    }
}

/// Bytes that will come for a letter.
pub(super) fn cost(item: &Item, hands: &Hands) -> u64 {
    if item.size > hands.settings.max_message { item.size.min(MAX_HEADER) } else { item.size }
}

const WHOLE: &str = "BODY.PEEK[]";

/// KiB that a batch will take; one letter may be larger than all the room there is.
fn room_of(hands: &Hands, batch: &[Item]) -> u32 {
    let bytes = batch.iter().map(|item| cost(item, hands)).fold(0, u64::saturating_add);
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX).min(ROOM)
}

async fn wait_for_room(hands: &Hands, batch: &[Item]) -> Result<OwnedSemaphorePermit, Fault> {
    let room = Arc::clone(&hands.room).acquire_many_owned(room_of(hands, batch));
    room.await.map_err(|_| Fault::LoopGone)
}

fn room_now(hands: &Hands, batch: &[Item]) -> Option<OwnedSemaphorePermit> {
    Arc::clone(&hands.room).try_acquire_many_owned(room_of(hands, batch)).ok()
}

async fn ask(hands: &Hands, line: &mut Line, batch: &[Item], room: OwnedSemaphorePermit) -> Result<Asked, Fault> {
    let (budget, words) = command(hands, line, batch, WHOLE);
    let running = Some(line.begin(budget, &words).await?);
    Ok(Asked { batch: batch.to_vec(), running, bodies: BTreeMap::new(), room })
}

/// Letters of which only the head is fetched, and the others; None when there are none of the former.
fn with_large_ones(hands: &Hands, batch: &[Item], way: Way) -> Option<(Vec<Item>, Vec<Item>)> {
    let is_large = |item: &Item| item.size > hands.settings.max_message || way == Way::Head;
    batch.iter().any(is_large).then(|| batch.iter().partition(|item| is_large(item)))
}

/// Letters that the server does not hand out: they are handed over empty.
fn nothing_of(batch: &[Item]) -> Bodies {
    for item in batch {
        warn!(uid = item.uid, "the server does not hand out a letter; it is passed over");
    }
    batch.iter().map(|item| (item.uid, (Vec::new(), true))).collect()
}

/// Where the size that the server told was not true, only the head stays.
fn cut(bodies: &mut Bodies, max: u64) {
    for (body, too_large) in bodies.values_mut() {
        if u64::try_from(body.len()).is_ok_and(|size| size > max) {
            body.truncate(usize::try_from(MAX_HEADER).unwrap_or(usize::MAX));
            body.truncate(header_end(body));
            *too_large = true;
        }
    }
}

async fn fetch_parts(hands: &Hands, line: &mut Line, items: &[Item], part: &str) -> Result<Bodies, Fault> {
    let mut bodies = BTreeMap::new();
    if items.is_empty() {
        return Ok(bodies);
    }
    let (budget, words) = command(hands, line, items, part);
    line.command(budget, &words, Vec::new(), |said| {
        if let Said::Fetched(Fetched { uid: Some(uid), body: Some(body), .. }) = said
            && items.binary_search_by_key(&uid, |item| item.uid).is_ok()
        {
            bodies.insert(uid, (body, false));
        }
    })
    .await?;
    Ok(bodies)
}

fn command(hands: &Hands, line: &Line, items: &[Item], part: &str) -> (Budget, String) {
    let bytes = items.iter().map(|item| cost(item, hands)).fold(0, u64::saturating_add);
    let largest = items.iter().map(|item| cost(item, hands)).max().unwrap_or(0);
    let budget = line.heavy("the letters", bytes, size_of_answer(largest.saturating_mul(2), hands));
    (budget, format!("UID FETCH {} (UID {part})", uid_set(items.iter().map(|item| item.uid))))
}

/// Sizes that servers tell are not always true: there is room for some more.
fn size_of_answer(expected: u64, hands: &Hands) -> usize {
    const LEAST: u64 = 1024 * 1024;
    let most = hands.settings.max_message.saturating_add(LEAST);
    usize::try_from(expected.max(LEAST).min(most.max(LEAST))).unwrap_or(usize::MAX)
}

/// Letters that did not come: another client may have moved them. Those that still lie there were withheld. A server that
/// does not say it has said nothing of the letters: none of them is gone.
async fn still_there(line: &mut Line, uids: Vec<u32>) -> Result<Vec<u32>, Fault> {
    let mut there = Vec::new();
    if uids.is_empty() {
        return Ok(there);
    }
    let words = format!("UID FETCH {} (UID)", uid_set(uids.iter().copied()));
    let status = line
        .command(line.simple("FETCH"), &words, Vec::new(), |said| {
            if let Said::Fetched(Fetched { uid: Some(uid), .. }) = said
                && uids.contains(&uid)
            {
                there.push(uid);
            }
        })
        .await?;
    Ok(if status.is_ok() { there } else { uids })
}
