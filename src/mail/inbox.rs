//! Where letters come from. [`MaildirInbox`]: files in a folder, which other clients read and move at the same time.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tracing::{error, info, warn};

use crate::mail::{maildir, parse};

/// A letter that waits in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its identity: the file's name up to `:`.
    pub place: String,
    /// Where it was when it was last seen.
    pub file: PathBuf,
    /// When the receiving server took it, in seconds since 1970: the time in the file's name, else its mtime.
    pub second: i64,
    /// Sorts the letters of one second: microseconds in the name, then the name.
    pub within: String,
    /// Bytes.
    pub size: u64,
}

/// A letter as it lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    pub bytes: Vec<u8>,
    /// The letter is larger than was asked for: `bytes` is its header only.
    pub too_large: bool,
}

/// A Maildir that is read. It remembers which letters are done with, so that each look at an unchanged folder is two
/// questions to the file system.
#[derive(Debug)]
pub struct MaildirInbox {
    folder: PathBuf,
    new: Watch,
    cur: Watch,
    /// Seen and not yet done with, by place.
    waiting: BTreeMap<String, Found>,
    /// Done with and still lying there, by place.
    done: BTreeSet<String>,
    /// Places that the log was told about once.
    warned: BTreeSet<String>,
    listed_all: Option<Instant>,
    /// How often `cur/` was listed, which holds all that is done with: each time costs as much as it holds.
    listings: u64,
    /// Done with, but not to be marked as seen, as on a disk that is read-only; oldest first.
    unmarked: Vec<Found>,
    /// When marking failed last; said once.
    marks_fail: Option<Instant>,
}

impl MaildirInbox {
    /// Makes the folder where it is missing.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn open(folder: &Path) -> io::Result<MaildirInbox> {
        maildir::create(folder)?;
        Ok(MaildirInbox {
            folder: folder.to_owned(),
            new: Watch::new(folder.join("new")),
            cur: Watch::new(folder.join("cur")),
            waiting: BTreeMap::new(),
            done: BTreeSet::new(),
            warned: BTreeSet::new(),
            listed_all: None,
            listings: 0,
            unmarked: Vec::new(),
            marks_fail: None,
        })
    }

    /// Every letter that is not marked as done, in order of arrival. Files that are no letters are passed over.
    ///
    /// # Errors
    /// When a folder can't be read: the inbox is out of reach.
    pub fn scan(&mut self) -> io::Result<Vec<Found>> {
        const LOOK_EVERYWHERE: Duration = Duration::from_secs(600);
        if self.listed_all.is_none_or(|listed| listed.elapsed() >= LOOK_EVERYWHERE) {
            return self.scan_all();
        }
        let (new, cur) = (self.new.is_due()?, self.cur.is_due()?);
        if new || cur {
            self.list(new, cur)?;
        }
        Ok(self.in_order())
    }

    /// The same, but believes no modification time: what is asked before a turn is closed.
    ///
    /// # Errors
    /// As [`MaildirInbox::scan`].
    pub fn scan_all(&mut self) -> io::Result<Vec<Found>> {
        let started = Instant::now();
        self.list(true, true)?;
        self.listed_all = Some(started);
        Ok(self.in_order())
    }

    /// What lies in `new/` under a name that is not `known` and was not found before, in order of arrival; all names
    /// there are known afterwards. It costs little however many letters wait, and replaces no scan.
    ///
    /// # Errors
    /// As [`MaildirInbox::scan`].
    pub fn look_for_new(&mut self, known: &mut HashSet<OsString>) -> io::Result<Vec<Found>> {
        let mut letters = Vec::new();
        for entry in fs::read_dir(&self.new.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if known.contains(&name) {
                continue;
            }
            if let Some(maildir::LetterName { unique: place, .. }) = maildir::read_name(&name)
                && !self.waiting.contains_key(&place)
                && !self.done.contains(&place)
                && let Some(found) = self.inspect(&place, &entry.path())
            {
                self.waiting.insert(place, found.clone());
                letters.push(found);
            }
            known.insert(name);
        }
        letters.sort_by(|a, b| (a.second, &a.within).cmp(&(b.second, &b.within)));
        Ok(letters)
    }

    /// How often `cur/` was listed so far.
    pub fn listings(&self) -> u64 {
        self.listings
    }

    /// The letter's bytes; of one that is larger than `max` only the header. None when it is not there any more or
    /// can't be read now: as long as it lies there, the next scan finds it again.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn read(&mut self, found: &Found, max: u64) -> io::Result<Option<Raw>> {
        match read_file(&self.last_seen(found), max) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
            read => return self.unless_unreadable(found, read),
        }
        let Some(moved) = self.look_again(found)? else { return Ok(None) };
        match read_file(&moved, max) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(None),
            read => self.unless_unreadable(found, read),
        }
    }

    /// Whom the letter's header names as its sender, from its first bytes; None when that can't be said.
    pub fn sender(&self, found: &Found) -> Option<String> {
        const HEAD: u64 = 16 * 1024;
        let file = self.last_seen(found);
        if !fs::symlink_metadata(&file).ok()?.is_file() {
            return None;
        }
        let mut head = Vec::new();
        File::open(file).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        parse::sender_of(&head)
    }

    /// Moves the letter to `cur/` and marks it as seen; flags that it has stay. It is not found again. A letter that is
    /// not there any more is done with as well.
    ///
    /// # Errors
    /// When it can't be renamed; asking again does no harm.
    pub fn mark_done(&mut self, found: &Found) -> io::Result<()> {
        let is_moved = self.move_to_cur(&self.last_seen(found))?;
        if !is_moved && let Some(moved) = self.look_again(found)? {
            self.move_to_cur(&moved)?;
        }
        self.waiting.remove(&found.place);
        self.done.insert(found.place.clone());
        Ok(())
    }

    /// As [`MaildirInbox::mark_done`]. What can't be marked now is put aside until [`MaildirInbox::mark_again`]: it is
    /// done with, and must not be looked at in every round.
    pub fn mark_or_put_aside(&mut self, found: &Found) {
        if self.marks_fail.is_none() {
            match self.mark_done(found) {
                Ok(()) => return,
                Err(error) => {
                    self.marks_fail = Some(Instant::now());
                    error!(%error, folder = %self.folder.display(), "letters that are taken in can't be marked as seen; see to the folder and its disk, it is tried again by itself");
                }
            }
        }
        self.waiting.remove(&found.place);
        if self.done.insert(found.place.clone()) {
            self.unmarked.push(found.clone());
        }
    }

    /// Marks what was put aside, when it is time for another try.
    pub fn mark_again(&mut self) {
        const AGAIN: Duration = Duration::from_secs(30);
        if self.marks_fail.is_none_or(|failed| failed.elapsed() < AGAIN) {
            return;
        }
        let mut aside = std::mem::take(&mut self.unmarked).into_iter();
        while let Some(found) = aside.next() {
            if self.mark_done(&found).is_err() {
                self.marks_fail = Some(Instant::now());
                self.unmarked.push(found);
                self.unmarked.extend(aside);
                return;
            }
        }
        self.marks_fail = None;
        info!(folder = %self.folder.display(), "letters can be marked as seen again");
    }

    /// Removes what a crash of ours left in `tmp/` more than 36 hours ago.
    ///
    /// # Errors
    /// When `tmp/` can't be listed.
    pub fn clean_tmp(&self, now: Timestamp) -> io::Result<usize> {
        maildir::clean_tmp(&self.folder, now)
    }

    fn last_seen(&self, found: &Found) -> PathBuf {
        self.waiting.get(&found.place).unwrap_or(found).file.clone()
    }

    /// Another client moved the letter or set a flag: where is it now? One look finds all that were moved together, and
    /// a letter that an earlier look did not find is not looked for again.
    fn look_again(&mut self, found: &Found) -> io::Result<Option<PathBuf>> {
        if self.waiting.contains_key(&found.place) {
            self.scan_all()?;
        }
        Ok(self.waiting.get(&found.place).map(|waiting| waiting.file.clone()))
    }

    fn in_order(&self) -> Vec<Found> {
        let mut letters: Vec<Found> = self.waiting.values().cloned().collect();
        letters.sort_by(|a, b| (a.second, &a.within).cmp(&(b.second, &b.within)));
        letters
    }

    /// Reads `new/` before `cur/`: a letter that is moved meanwhile is seen in one of them.
    fn list(&mut self, new: bool, cur: bool) -> io::Result<()> {
        let mut seen = BTreeMap::new();
        // What one folder lost the other may have got: letters are forgotten only after a look at both.
        if new {
            seen.extend(self.new.list()?);
        }
        if cur {
            self.listings = self.listings.saturating_add(1);
            seen.extend(self.cur.list()?);
        }
        for (place, file) in &seen {
            if self.done.contains(place) {
                continue;
            }
            if let Some(waiting) = self.waiting.get_mut(place) {
                waiting.file.clone_from(file);
            } else if let Some(found) = self.inspect(place, file) {
                self.waiting.insert(place.clone(), found);
            }
        }
        if new && cur {
            self.waiting.retain(|place, _| seen.contains_key(place));
            self.done.retain(|place| seen.contains_key(place));
            self.warned.retain(|place| seen.contains_key(place));
        }
        Ok(())
    }

    /// None for what is no letter: a folder, a link, a pipe, or a file that went away meanwhile.
    fn inspect(&mut self, place: &str, file: &Path) -> Option<Found> {
        let name = maildir::read_name(file.file_name()?)?;
        let about = match fs::symlink_metadata(file) {
            Ok(about) if about.is_file() => about,
            Ok(_) => {
                self.warn_once(place, "it is no plain file");
                return None;
            }
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.warn_once(place, &error.to_string());
                return None;
            }
        };
        Some(Found {
            place: place.to_owned(),
            file: file.to_owned(),
            second: name.second.unwrap_or(about.mtime()),
            within: format!("{:06}.{place}", name.micros),
            size: about.len(),
        })
    }

    fn unless_unreadable(&mut self, found: &Found, read: io::Result<Raw>) -> io::Result<Option<Raw>> {
        match read {
            Ok(raw) => Ok(Some(raw)),
            Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) => {
                self.warn_once(&found.place, &error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn warn_once(&mut self, place: &str, why: &str) {
        if self.warned.insert(place.to_owned()) {
            warn!(file = place, folder = %self.folder.display(), "passed over in the inbox: {why}");
        }
    }

    /// False when the file is not there.
    fn move_to_cur(&mut self, file: &Path) -> io::Result<bool> {
        let Some(name) = file.file_name() else { return Ok(true) };
        let flags = maildir::read_name(name).map(|name| name.flags).unwrap_or_default();
        let in_cur = file.parent() == Some(self.cur.folder.as_path());
        if in_cur && flags.contains('S') {
            return Ok(file.symlink_metadata().is_ok());
        }
        let mut seen: BTreeSet<char> = flags.chars().collect();
        seen.insert('S');
        let info = format!(":2,{}", seen.into_iter().collect::<String>());
        // The name's own bytes, not the letter's place: a name need not be UTF-8.
        let mut target = unique_part(name).to_owned();
        target.push(info);
        let untouched = self.cur.is_untouched();
        match fs::rename(file, self.cur.folder.join(target)) {
            Ok(()) => {}
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
        if untouched {
            self.cur.accept_own_change();
        }
        Ok(true)
    }
}

/// One of the two folders, and when it was last listed.
#[derive(Debug)]
struct Watch {
    folder: PathBuf,
    /// The modification time (seconds, nanoseconds) just before the last listing.
    changed: Option<(i64, i64)>,
    /// When the folder was first listed with that time.
    since: Option<Instant>,
}

impl Watch {
    fn new(folder: PathBuf) -> Watch {
        Watch { folder, changed: None, since: None }
    }

    /// A file system's clock ticks slowly (up to two seconds): a letter that came in the tick of the last listing left
    /// no trace in the modification time. So a folder that has just changed is listed until the tick must be over.
    fn is_due(&self) -> io::Result<bool> {
        const COARSEST_TICK: Duration = Duration::from_secs(2);
        let still_fresh = self.since.is_none_or(|since| since.elapsed() <= COARSEST_TICK);
        Ok(still_fresh || self.changed != Some(self.modified()?))
    }

    fn modified(&self) -> io::Result<(i64, i64)> {
        let about = fs::metadata(&self.folder)?;
        Ok((about.mtime(), about.mtime_nsec()))
    }

    fn list(&mut self) -> io::Result<Vec<(String, PathBuf)>> {
        let modified = self.modified()?;
        let mut letters = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if let Some(name) = maildir::read_name(&entry.file_name()) {
                letters.push((name.unique, entry.path()));
            }
        }
        if self.changed != Some(modified) {
            self.changed = Some(modified);
            self.since = Some(Instant::now());
        }
        Ok(letters)
    }

    fn is_untouched(&self) -> bool {
        self.modified().is_ok_and(|modified| self.changed == Some(modified))
    }

    fn accept_own_change(&mut self) {
        self.changed = self.modified().ok();
    }
}

fn unique_part(name: &OsStr) -> &OsStr {
    let bytes = name.as_bytes();
    OsStr::from_bytes(bytes.split(|&byte| byte == b':').next().unwrap_or(bytes))
}

fn read_file(file: &Path, max: u64) -> io::Result<Raw> {
    // Opening a pipe would wait for ever, and a link may lead to any file of the machine.
    if !fs::symlink_metadata(file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    let opened = File::open(file)?;
    let size = opened.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= max {
        // It may grow while it is read.
        opened.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|read| read <= max) {
            return Ok(Raw { bytes, too_large: false });
        }
    } else {
        opened.take(max.min(MAX_HEADER)).read_to_end(&mut bytes)?;
    }
    bytes.truncate(header_end(&bytes));
    Ok(Raw { bytes, too_large: true })
}

/// Bytes of a letter's head that are read when the letter is too large.
pub(super) const MAX_HEADER: u64 = 256 * 1024;

/// Just after the first blank line; where there is none, all of it up to the last whole line.
pub(super) fn header_end(bytes: &[u8]) -> usize {
    let mut end = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if !line.ends_with(b"\n") {
            break;
        }
        end += line.len();
        if line == b"\n" || line == b"\r\n" {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_ends_at_the_blank_line() {
        for (bytes, kept) in [
            ("A: b\r\n\r\nbody", "A: b\r\n\r\n"),
            ("A: b\n\nbody", "A: b\n\n"),
            ("A: b\r\nC: d", "A: b\r\n"),
            ("\nbody", "\n"),
            ("no line", ""),
            ("", ""),
        ] {
            assert_eq!(header_end(bytes.as_bytes()), kept.len(), "{bytes:?}");
        }
    }
}
