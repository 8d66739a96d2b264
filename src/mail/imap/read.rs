//! One look at all folders: what is new is listed with its sizes, fetched in batches ([`super::fetch`]), and handed to the
//! loop with a mark of how far the folder has been read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};

use super::fault::Fault;
use super::fetch::{BATCH_BYTES, BATCH_LETTERS, Fetcher, next_batch};
use super::grammar::{Fetched, Said, uid_set};
use super::line::{Line, SMALL};
use super::reader::{Folder, quoted_name};
use super::{ImapSettings, fairly};
use crate::clock::Clock;
use crate::mail::link::FromInbox;

/// Bytes of the answer that tells a letter's size and date.
const LISTED_BYTES: u64 = 120;

/// What every part of the task needs.
pub(super) struct Hands {
    pub settings: ImapSettings,
    pub clock: Clock,
    pub to_loop: mpsc::Sender<FromInbox>,
    /// KiB of letters that may be asked for and not yet committed.
    pub room: Arc<Semaphore>,
}

impl Hands {
    pub(super) async fn tell(&self, words: FromInbox) -> Result<(), Fault> {
        self.to_loop.send(words).await.map_err(|_| Fault::LoopGone)
    }
}

/// A folder as it was opened.
pub(super) struct Selected {
    pub validity: u32,
    pub next_uid: Option<u32>,
    pub letters: u32,
}

/// A letter as it was listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub uid: u32,
    pub size: u64,
    /// When the server took it; None: it says nothing that can be read.
    pub second: Option<i64>,
}

/// How far a folder was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    Through,
    /// Many letters wait in it; none was read.
    Later,
}

/// Reads every folder. Returns what stood in the way of some: they were not read, the others were. A folder in which many
/// letters wait lets the others go first: who wrote to those does not wait for its end.
pub(super) async fn pass(hands: &Hands, line: &mut Line, folders: &mut [Folder]) -> Result<Vec<String>, Fault> {
    let mut unread = Vec::new();
    let (mut read, mut later) = (Vec::new(), Vec::new());
    let is_one_of_several = folders.len() > 1;
    for (index, folder) in folders.iter_mut().enumerate() {
        match read_folder(hands, line, folder, is_one_of_several).await? {
            Ok(Read::Through) => read.push(index),
            Ok(Read::Later) => later.push(index),
            Err(why) => unread.push(why),
        }
    }
    for index in later {
        let Some(folder) = folders.get_mut(index) else { continue };
        match read_folder(hands, line, folder, false).await? {
            Ok(_) => read.push(index),
            Err(why) => unread.push(why),
        }
    }
    // A letter that somebody moved meanwhile, from a folder not yet read into one that was, must not slip through. The
    // first folder is the last to be opened: of that one the server tells in IDLE.
    let last = read.pop();
    read.sort_unstable_by(|one, other| other.cmp(one));
    if last == Some(0) && !read.is_empty() {
        read.push(0);
    }
    for index in read {
        if let Some(folder) = folders.get_mut(index) {
            read_folder(hands, line, folder, false).await?.ok();
        }
    }
    Ok(unread)
}

/// Opens a folder. The inner error is the server's refusal.
pub(super) async fn select(line: &mut Line, wire: &str) -> Result<Result<Selected, String>, Fault> {
    let words = format!("SELECT {}", quoted_name(wire)?);
    let (mut validity, mut next_uid, mut letters) = (None, None, 0);
    let status = line
        .command(line.simple("SELECT"), &words, Vec::new(), |said| match said {
            Said::Exists(number) => letters = number,
            Said::Status(status) => {
                validity = status.number("UIDVALIDITY").or(validity);
                next_uid = status.number("UIDNEXT").or(next_uid);
            }
            _ => {}
        })
        .await?;
    if !status.is_ok() {
        return Ok(Err(status.text));
    }
    let Some(validity) = validity else {
        return Err(Fault::Unable("its letters have no lasting numbers (UIDVALIDITY)".to_owned()));
    };
    Ok(Ok(Selected { validity, next_uid, letters }))
}

/// Where a folder `yields`, it is not read while many letters wait in it. The inner error says why it could not be read.
async fn read_folder(
    hands: &Hands,
    line: &mut Line,
    folder: &mut Folder,
    yields: bool,
) -> Result<Result<Read, String>, Fault> {
    let selected = match select(line, &folder.wire).await? {
        Ok(selected) => selected,
        // Junk is an extra: what the server does not show of it cannot be missed.
        Err(_) if folder.junk => return Ok(Ok(Read::Through)),
        Err(words) => return Ok(Err(format!("the folder {} can't be opened ({words})", folder.name))),
    };
    let progress = folder.go_on(selected.validity, selected.next_uid);
    // Not all of these numbers need be letters.
    let most = selected.next_uid.map_or(selected.letters, |next| next.saturating_sub(progress.uid.saturating_add(1)));
    if yields && usize::try_from(most.min(selected.letters)).is_ok_and(|most| most > fairly::FEW) {
        return Ok(Ok(Read::Later));
    }
    folder.is_left = false;
    if !folder.looked_below {
        if !progress.revalidating {
            read_below(hands, line, folder, &selected, progress.uid).await?;
        }
        folder.looked_below = true;
    }
    line.news = false;
    let items = if selected.letters == 0 {
        VecDeque::new()
    } else {
        list(hands, line, folder, &format!("{}:*", progress.uid.saturating_add(1)), &selected).await?
    };
    let last = items.back().map_or(0, |item| item.uid);
    let is_new = |item: &Item| item.uid > progress.uid && !folder.ahead.contains(&item.uid);
    let new: VecDeque<Item> = items.into_iter().filter(is_new).collect();
    // Where fetching failed, letters come one after the other.
    if new.len() > fairly::FEW && folder.careful.is_none_or(|careful| careful.until < progress.uid) {
        fairly::hand_over(hands, line, folder, &selected, new).await?;
    } else {
        hand_over(hands, line, folder, selected.validity, new, true).await?;
        folder.handed_over_to(last);
    }
    if let Some(progress) = &mut folder.progress {
        progress.revalidating = false;
    }
    let marks = folder.new_mark();
    if !marks.is_empty() {
        hands.tell(FromInbox::Letters { letters: Vec::new(), marks, room: None }).await?;
    }
    Ok(Ok(Read::Through))
}

/// After a start: letters that were committed, but not filed before the end, are handed over again. The loop knows
/// their places, and confirms them.
async fn read_below(
    hands: &Hands,
    line: &mut Line,
    folder: &mut Folder,
    selected: &Selected,
    last: u32,
) -> Result<(), Fault> {
    // Most of Junk is of strangers, and was never confirmed.
    if folder.junk || last == 0 || selected.letters == 0 {
        return Ok(());
    }
    let below = format!("1:{last}");
    let sets = if hands.settings.moves_from(line, &folder.name) {
        vec![below]
    } else {
        let unseen: Vec<u32> = unseen(line, &below, selected).await?.into_iter().collect();
        // Servers take no endless lines.
        unseen.chunks(BATCH_LETTERS).map(|uids| uid_set(uids.iter().copied())).collect()
    };
    for uids in sets {
        let items = list(hands, line, folder, &uids, selected).await?;
        let known = items.into_iter().filter(|item| item.uid <= last).collect();
        hand_over(hands, line, folder, selected.validity, known, false).await?;
    }
    Ok(())
}

async fn unseen(line: &mut Line, uids: &str, selected: &Selected) -> Result<BTreeSet<u32>, Fault> {
    const MOST: usize = 64 * 1024 * 1024;
    let mut found = BTreeSet::new();
    // All numbers come in one answer.
    let bytes = u64::from(selected.letters).saturating_mul(11);
    let budget = line.heavy("SEARCH", bytes, usize::try_from(bytes).unwrap_or(MOST).clamp(SMALL, MOST));
    let words = format!("UID SEARCH UID {uids} UNSEEN");
    line.command(budget, &words, Vec::new(), |said| {
        if let Said::Found(uids) = said {
            found.extend(uids);
        }
    })
    .await?;
    Ok(found)
}

/// Sizes and dates, by UID, in order.
pub(super) async fn list(
    hands: &Hands,
    line: &mut Line,
    folder: &Folder,
    uids: &str,
    selected: &Selected,
) -> Result<VecDeque<Item>, Fault> {
    let mut found: BTreeMap<u32, Item> = BTreeMap::new();
    let budget = line.heavy("the list of letters", u64::from(selected.letters).saturating_mul(LISTED_BYTES), SMALL);
    let words = format!("UID FETCH {uids} (UID RFC822.SIZE INTERNALDATE)");
    let unknown = hands.settings.max_message;
    let status = line
        .command(budget, &words, Vec::new(), |said| {
            let Said::Fetched(Fetched { uid: Some(uid), size, second, .. }) = said else { return };
            let item = found.entry(uid).or_insert(Item { uid, size: size.unwrap_or(unknown), second });
            item.size = size.unwrap_or(item.size);
            item.second = second.or(item.second);
        })
        .await?;
    if !status.is_ok() {
        return Err(Fault::Unable(format!("the folder {} can't be listed ({})", folder.name, status.text)));
    }
    Ok(found.into_values().collect())
}

/// Fetches the letters batch by batch and hands each batch to the loop. While the loop commits one, the next is fetched.
pub(super) async fn hand_over(
    hands: &Hands,
    line: &mut Line,
    folder: &mut Folder,
    validity: u32,
    mut rest: VecDeque<Item>,
    is_new: bool,
) -> Result<(), Fault> {
    let mut fetcher = Fetcher::new(hands, validity, is_new);
    let mut next = None;
    while let Some(batch) = next.take().or_else(|| take_batch(hands, folder, &mut rest)) {
        let last = batch.last().map_or(0, |item| item.uid);
        next = take_batch(hands, folder, &mut rest);
        let Some(fetched) = fetcher.fetch(line, folder, &batch, next.as_deref()).await? else {
            fetcher.drain(line).await?;
            let left = batch.into_iter().chain(next.take().unwrap_or_default());
            left.rev().for_each(|item| rest.push_front(item));
            continue;
        };
        let mut marks = Vec::new();
        if is_new {
            folder.handed_over_to(last);
            marks = folder.new_mark();
        }
        fetched.hand_over(hands, marks).await?;
    }
    Ok(())
}

/// The next letters, in their order: one alone where fetching failed.
fn take_batch(hands: &Hands, folder: &Folder, rest: &mut VecDeque<Item>) -> Option<Vec<Item>> {
    let first = rest.front()?.uid;
    let is_careful = folder.careful.is_some_and(|careful| first <= careful.until);
    let most = if is_careful { 1 } else { BATCH_LETTERS };
    Some(next_batch(
        hands,
        most,
        BATCH_BYTES,
        |fits| {
            if rest.front().is_some_and(fits) { rest.pop_front() } else { None }
        },
    ))
}
