//! Where letters go to. [`MaildirOutbox`]: one Maildir for each recipient under a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::failpoint::{self, Point};
use crate::mail::maildir;

/// Files that a batch holds open at once: far below the 1,024 that a process may have.
const OPEN_FILES: usize = 256;

/// Names in recipients' `cur/`.
type Seen = BTreeMap<PathBuf, BTreeSet<String>>;

/// One letter on its way.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    pub address: &'a str,
    /// Names the letter for ever: a second delivery under the same name and time is no second copy.
    pub unique: &'a str,
    pub bytes: &'a [u8],
    pub at: Timestamp,
    /// It was tried before and may lie there already, seen by its owner. For a first attempt nobody looks through
    /// `cur/`, which may be long.
    pub again: bool,
}

/// A Maildir for each recipient, in a folder that is named by the lower-cased address.
#[derive(Debug)]
pub struct MaildirOutbox {
    root: PathBuf,
    /// Folders that are known to exist and to survive a power cut.
    ready: BTreeSet<PathBuf>,
}

impl MaildirOutbox {
    pub fn new(root: &Path) -> MaildirOutbox {
        MaildirOutbox { root: root.to_owned(), ready: BTreeSet::new() }
    }

    /// Where the letters to this address lie.
    pub fn folder(&self, address: &str) -> PathBuf {
        self.root.join(folder_name(address))
    }

    /// Delivers one letter, once: one that lies there already, seen or not, is left alone.
    ///
    /// # Errors
    /// Those of the file system; nothing can be seen of the letter then, or it may be there whole. Ask again.
    pub fn deliver(&mut self, address: &str, unique: &str, bytes: &[u8], at: Timestamp) -> io::Result<()> {
        self.deliver_all(&[Delivery { address, unique, bytes, at, again: true }]).pop().unwrap_or(Ok(()))
    }

    /// Delivers many: of each few hundred, all files are written before the first is waited for, and each folder is
    /// waited for once. The answers stand in the order of the letters.
    pub fn deliver_all(&mut self, letters: &[Delivery<'_>]) -> Vec<io::Result<()>> {
        let mut seen = BTreeMap::new();
        letters.chunks(OPEN_FILES).flat_map(|letters| self.deliver_some(letters, &mut seen)).collect()
    }

    /// Whether the folder of all takes a file of so many bytes, which is gone afterwards.
    ///
    /// # Errors
    /// Those of the file system: then nobody can get a letter.
    pub fn try_room(&self, bytes: usize) -> io::Result<()> {
        let file = self.root.join(".omerta-try");
        let tried = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&file).and_then(
            |mut opened| {
                opened.write_all(&vec![0; bytes])?;
                opened.sync_all()
            },
        );
        let removed = fs::remove_file(&file);
        tried.and(removed)
    }

    /// Removes what a crash of ours left in the `tmp/` folders more than 36 hours ago.
    ///
    /// # Errors
    /// When the folder of the outbox can't be listed.
    pub fn clean_tmp(&self, now: Timestamp) -> io::Result<usize> {
        if !self.root.exists() {
            return Ok(0);
        }
        let folders = fs::read_dir(&self.root)?.filter_map(Result::ok).map(|entry| entry.path());
        Ok(folders.filter_map(|folder| maildir::clean_tmp(&folder, now).ok()).sum())
    }

    fn deliver_some(&mut self, letters: &[Delivery<'_>], seen: &mut Seen) -> Vec<io::Result<()>> {
        let written: Vec<_> = letters.iter().map(|letter| self.write_tmp(letter, seen)).collect();
        let moved: Vec<_> = written.into_iter().map(|written| written?.map(Written::publish).transpose()).collect();
        let folders: BTreeSet<&PathBuf> = moved.iter().flatten().flatten().collect();
        let broken: BTreeMap<PathBuf, io::Error> = folders
            .into_iter()
            .filter_map(|new| maildir::sync_folder(new).err().map(|error| (new.clone(), error)))
            .collect();
        let settle = |moved: io::Result<Option<PathBuf>>| match moved?.and_then(|new| broken.get(&new)) {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Ok(()),
        };
        moved.into_iter().map(settle).collect()
    }

    /// None when the letter lies there already.
    fn write_tmp(&mut self, letter: &Delivery<'_>, seen: &mut Seen) -> io::Result<Option<Written>> {
        let folder = self.folder(letter.address);
        self.prepare(&folder)?;
        let name = file_name(letter);
        let new = folder.join("new");
        let (tmp, waiting) = (folder.join("tmp").join(&name), new.join(&name));
        if waiting.try_exists()? {
            return Ok(None);
        }
        if letter.again && !seen.contains_key(&folder) {
            seen.insert(folder.clone(), names_in(&folder.join("cur"))?);
        }
        if seen.get(&folder).is_some_and(|names| names.contains(&name)) {
            return Ok(None);
        }
        // A crash may have left half of it; the same letter twice in one batch is one file.
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&tmp)?;
        if let Err(full) = file.write_all(letter.bytes) {
            // Half a letter helps nobody, least of all a full disk.
            drop(fs::remove_file(&tmp));
            return Err(full);
        }
        Ok(Some(Written { file, tmp, new, name }))
    }

    fn prepare(&mut self, folder: &Path) -> io::Result<()> {
        if self.ready.contains(folder) && folder.join("new").is_dir() {
            return Ok(());
        }
        let is_first = !self.root.exists();
        maildir::create(folder)?;
        maildir::sync_folder(folder)?;
        maildir::sync_folder(&self.root)?;
        if is_first && let Some(above) = self.root.parent().filter(|above| !above.as_os_str().is_empty()) {
            maildir::sync_folder(above)?;
        }
        self.ready.insert(folder.to_owned());
        Ok(())
    }
}

/// A letter in `tmp/` that the disk may not have yet.
struct Written {
    file: File,
    tmp: PathBuf,
    new: PathBuf,
    name: String,
}

impl Written {
    /// Onto the disk and into `new/`, whose path it gives back.
    fn publish(self) -> io::Result<PathBuf> {
        self.file.sync_all()?;
        failpoint::pass(Point::WhileDelivering);
        let target = self.new.join(&self.name);
        match fs::rename(&self.tmp, &target) {
            // The same letter stood earlier in this batch.
            Err(gone) if gone.kind() == io::ErrorKind::NotFound && target.try_exists()? => {}
            other => other?,
        }
        Ok(self.new)
    }
}

fn names_in(cur: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(cur)? {
        names.extend(maildir::read_name(&entry?.file_name()).map(|name| name.unique));
    }
    Ok(names)
}

/// The order of names is the order of sending.
fn file_name(letter: &Delivery<'_>) -> String {
    let micros = letter.at.subsec_microsecond();
    let (second, micros) =
        if micros < 0 { (letter.at.as_second() - 1, micros + 1_000_000) } else { (letter.at.as_second(), micros) };
    let unique = shortened(percent(letter.unique, |letter| letter.is_ascii_alphanumeric() || "_+@=-".contains(letter)));
    format!("{second}.M{micros:06}Q{unique}{}", maildir::OUR_SUFFIX)
}

/// An address as the name of a folder: nothing in it leads elsewhere.
fn folder_name(address: &str) -> String {
    let address = address.trim().to_lowercase();
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._+@=-".contains(letter);
    let name = percent(&address, plain);
    if name.is_empty() {
        return "%".to_owned();
    }
    match name.strip_prefix('.') {
        Some(rest) => shortened(format!("%2e{rest}")),
        None => shortened(name),
    }
}

fn percent(text: &str, plain: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if plain(letter) {
            safe.push(letter);
        } else {
            for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                safe.push_str(&format!("%{byte:02x}"));
            }
        }
    }
    safe
}

/// A file's name has at most 255 bytes. `name` is ASCII.
fn shortened(name: String) -> String {
    const ROOM: usize = 200;
    if name.len() <= ROOM {
        return name;
    }
    let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(name.as_bytes()));
    let start: String = name.chars().take(ROOM - 34).collect();
    format!("{start}%-{}", digest.chars().take(32).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_leads_out_of_the_folder() {
        for (address, name) in [
            ("Anna@Example.org", "anna@example.org"),
            ("a+b=c-d_e@x.test", "a+b=c-d_e@x.test"),
            ("../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd"),
            ("..", "%2e."),
            (".", "%2e"),
            ("", "%"),
            ("a\0b", "a%00b"),
            ("Ёж@x.test", "%d1%91%d0%b6@x.test"),
            ("%2e", "%252e"),
        ] {
            assert_eq!(folder_name(address), name);
        }
        let long = folder_name(&format!("{}@x.test", "я".repeat(500)));
        assert!(long.len() <= 200 && long != folder_name(&format!("{}@y.test", "я".repeat(500))));
    }

    #[test]
    fn names_sort_as_letters_were_sent() {
        let name = |at: &str, unique: &str| {
            file_name(&Delivery { address: "", unique, bytes: b"", at: at.parse().unwrap(), again: false })
        };
        assert_eq!(name("2026-12-01T12:00:00.000042Z", "17"), "1796126400.M000042Q17.omerta");
        assert_eq!(name("2026-12-01T12:00:00Z", "a/../b.c:d"), "1796126400.M000000Qa%2f%2e%2e%2fb%2ec%3ad.omerta");
        assert_eq!(name("1969-12-31T23:59:59.5Z", "x"), "-1.M500000Qx.omerta");
    }
}
