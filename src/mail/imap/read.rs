//! One look at all folders: what is new is listed with its sizes, fetched in batches, and handed to the loop with a mark
//! of how far the folder has been read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::sync::mpsc;
use tracing::warn;

use super::fault::Fault;
use super::grammar::{Fetched, Said, uid_set};
use super::line::{Line, SMALL};
use super::reader::{Careful, Folder, Way, quoted_name};
use super::{ImapSettings, fairly};
use crate::clock::Clock;
use crate::mail::inbox::{MAX_HEADER, header_end};
use crate::mail::link::{Arrived, FromInbox};
use crate::rules::Order;

/// Letters in one batch, and their bytes at most (one larger letter may come alone).
pub(super) const BATCH_LETTERS: usize = 500;
const BATCH_BYTES: u64 = 8 * 1024 * 1024;
/// Bytes of the answer that tells a letter's size and date.
const LISTED_BYTES: u64 = 120;

/// What every part of the task needs.
pub(super) struct Hands {
    pub settings: ImapSettings,
    pub clock: Clock,
    pub to_loop: mpsc::Sender<FromInbox>,
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
    size: u64,
    /// When the server took it; None: it says nothing that can be read.
    pub second: Option<i64>,
}

/// Reads every folder. Returns what stood in the way of some: they were not read, the others were.
pub(super) async fn pass(hands: &Hands, line: &mut Line, folders: &mut [Folder]) -> Result<Vec<String>, Fault> {
    let mut unread = Vec::new();
    for folder in folders.iter_mut() {
        if let Err(why) = read_folder(hands, line, folder).await? {
            unread.push(why);
        }
    }
    // A letter that somebody moved meanwhile, from a folder not yet read into one that was, must not slip through.
    if folders.len() > 1
        && let Some(first) = folders.first_mut()
    {
        read_folder(hands, line, first).await?.ok();
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

/// The inner error says why the folder could not be read.
async fn read_folder(hands: &Hands, line: &mut Line, folder: &mut Folder) -> Result<Result<(), String>, Fault> {
    let selected = match select(line, &folder.wire).await? {
        Ok(selected) => selected,
        // Junk is an extra: what the server does not show of it cannot be missed.
        Err(_) if folder.junk => return Ok(Ok(())),
        Err(words) => return Ok(Err(format!("the folder {} can't be opened ({words})", folder.name))),
    };
    let progress = folder.go_on(selected.validity, selected.next_uid);
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
        hands.tell(FromInbox::Letters { letters: Vec::new(), marks }).await?;
    }
    Ok(Ok(()))
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
    while let Some(first) = rest.front().copied() {
        let is_careful = folder.careful.is_some_and(|careful| first.uid <= careful.until);
        let most = if is_careful { 1 } else { BATCH_LETTERS };
        let batch =
            next_batch(hands, most, |fits| if rest.front().is_some_and(fits) { rest.pop_front() } else { None });
        let last = batch.last().map_or(first.uid, |item| item.uid);
        let Some(letters) = fetch_batch(hands, line, folder, validity, &batch, is_new).await? else {
            batch.into_iter().rev().for_each(|item| rest.push_front(item));
            continue;
        };
        let mut marks = Vec::new();
        if is_new {
            folder.handed_over_to(last);
            marks = folder.new_mark();
        }
        if !letters.is_empty() || !marks.is_empty() {
            hands.tell(FromInbox::Letters { letters, marks }).await?;
        }
    }
    Ok(())
}

/// The letters of a batch in order of arrival. None: the server withheld one of several, and they are to be asked for
/// one by one.
pub(super) async fn fetch_batch(
    hands: &Hands,
    line: &mut Line,
    folder: &mut Folder,
    validity: u32,
    batch: &[Item],
    is_new: bool,
) -> Result<Option<Vec<Arrived>>, Fault> {
    let (Some(first), Some(last)) = (batch.first(), batch.last()) else { return Ok(Some(Vec::new())) };
    let way = folder.careful.filter(|careful| careful.uid == first.uid).map_or(Way::Whole, Careful::way);
    let mut fetched = match fetch(hands, line, batch, way).await {
        Ok(fetched) => fetched,
        Err(fault) => {
            folder.stumble(first.uid, last.uid);
            return Err(fault);
        }
    };
    let missing = batch.iter().filter(|item| !fetched.contains_key(&item.uid)).map(|item| item.uid);
    let withheld = if way == Way::Nothing { Vec::new() } else { still_there(line, missing.collect()).await? };
    if let Some(stuck) = withheld.first() {
        folder.stumble(first.uid, last.uid);
        if batch.len() > 1 {
            return Ok(None);
        }
        return Err(Fault::Unable(format!("it does not hand out letter {stuck} of {}", folder.name)));
    }
    let revalidated = is_new && folder.progress.is_some_and(|progress| progress.revalidating);
    let mut letters: Vec<Arrived> = batch
        .iter()
        .filter_map(|item| {
            let (raw, too_large) = fetched.remove(&item.uid)?;
            Some(arrived(hands, folder, validity, item, raw, too_large, revalidated))
        })
        .collect();
    letters.sort_by(|one, other| one.order.cmp(&other.order));
    Ok(Some(letters))
}

/// So many letters, or so many bytes, as go into one batch: at least one, if there is one. `pop_if` takes the next one
/// out if it fits.
pub(super) fn next_batch(
    hands: &Hands,
    most: usize,
    mut pop_if: impl FnMut(&dyn Fn(&Item) -> bool) -> Option<Item>,
) -> Vec<Item> {
    let (mut batch, mut bytes) = (Vec::new(), 0_u64);
    loop {
        let (number, before) = (batch.len(), bytes);
        let fits =
            |item: &Item| number == 0 || (number < most && before.saturating_add(cost(item, hands)) <= BATCH_BYTES);
        let Some(item) = pop_if(&fits) else { return batch };
        bytes = bytes.saturating_add(cost(&item, hands));
        batch.push(item);
    }
}

/// Bytes that will come for a letter.
fn cost(item: &Item, hands: &Hands) -> u64 {
    if item.size > hands.settings.max_message { item.size.min(MAX_HEADER) } else { item.size }
}

/// The bytes of each letter that came, and whether they are its head only.
async fn fetch(
    hands: &Hands,
    line: &mut Line,
    batch: &[Item],
    way: Way,
) -> Result<BTreeMap<u32, (Vec<u8>, bool)>, Fault> {
    let max = hands.settings.max_message;
    let (large, small): (Vec<Item>, Vec<Item>) = batch.iter().partition(|item| item.size > max || way == Way::Head);
    if way == Way::Nothing {
        for item in batch {
            warn!(uid = item.uid, "the server does not hand out a letter; it is passed over, and stays where it lies");
        }
        return Ok(batch.iter().map(|item| (item.uid, (Vec::new(), true))).collect());
    }
    let mut letters = BTreeMap::new();
    fetch_parts(hands, line, &small, "BODY.PEEK[]", &mut letters).await?;
    for (body, too_large) in letters.values_mut() {
        // The size that the server told was not true.
        if u64::try_from(body.len()).is_ok_and(|size| size > max) {
            body.truncate(usize::try_from(MAX_HEADER).unwrap_or(usize::MAX));
            body.truncate(header_end(body));
            *too_large = true;
        }
    }
    let mut heads = BTreeMap::new();
    fetch_parts(hands, line, &large, &format!("BODY.PEEK[HEADER]<0.{MAX_HEADER}>"), &mut heads).await?;
    letters.extend(heads.into_iter().map(|(uid, (head, _))| (uid, (head, true))));
    Ok(letters)
}

async fn fetch_parts(
    hands: &Hands,
    line: &mut Line,
    items: &[Item],
    part: &str,
    letters: &mut BTreeMap<u32, (Vec<u8>, bool)>,
) -> Result<(), Fault> {
    if items.is_empty() {
        return Ok(());
    }
    let asked: BTreeSet<u32> = items.iter().map(|item| item.uid).collect();
    let bytes = items.iter().map(|item| cost(item, hands)).fold(0, u64::saturating_add);
    let largest = items.iter().map(|item| cost(item, hands)).max().unwrap_or(0);
    let budget = line.heavy("the letters", bytes, size_of_answer(largest.saturating_mul(2), hands));
    let words = format!("UID FETCH {} (UID {part})", uid_set(asked.iter().copied()));
    line.command(budget, &words, Vec::new(), |said| {
        if let Said::Fetched(Fetched { uid: Some(uid), body: Some(body), .. }) = said
            && asked.contains(&uid)
        {
            letters.insert(uid, (body, false));
        }
    })
    .await?;
    Ok(())
}

/// Sizes that servers tell are not always true: there is room for some more.
fn size_of_answer(expected: u64, hands: &Hands) -> usize {
    const LEAST: u64 = 1024 * 1024;
    let most = hands.settings.max_message.saturating_add(LEAST);
    usize::try_from(expected.max(LEAST).min(most.max(LEAST))).unwrap_or(usize::MAX)
}

/// Letters that did not come: another client may have moved them. Those that still lie there were withheld.
async fn still_there(line: &mut Line, uids: Vec<u32>) -> Result<Vec<u32>, Fault> {
    let mut there = Vec::new();
    if uids.is_empty() {
        return Ok(there);
    }
    let words = format!("UID FETCH {} (UID)", uid_set(uids.iter().copied()));
    line.command(line.simple("FETCH"), &words, Vec::new(), |said| {
        if let Said::Fetched(Fetched { uid: Some(uid), .. }) = said
            && uids.contains(&uid)
        {
            there.push(uid);
        }
    })
    .await?;
    Ok(there)
}

fn arrived(
    hands: &Hands,
    folder: &Folder,
    validity: u32,
    item: &Item,
    raw: Vec<u8>,
    too_large: bool,
    revalidated: bool,
) -> Arrived {
    let second = item.second.unwrap_or_else(|| hands.clock.now().as_second());
    Arrived {
        place: format!("imap/{}/{validity}/{}", folder.name, item.uid),
        order: Order { second, within: format!("{:03}.{:010}", folder.index, item.uid) },
        raw,
        too_large,
        junk: folder.junk,
        revalidated,
    }
}
