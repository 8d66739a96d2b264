//! A folder of letters, one file a letter: `tmp/` while it is written, `new/` until it is seen, `cur/` afterwards. What
//! the inbox and the outbox share: how files are named and how folders are made.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use jiff::Timestamp;

/// Ends the name of every file that we put into a Maildir.
pub const OUR_SUFFIX: &str = ".omerta";

/// What a file's name says about its letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterName {
    /// The name up to `:`. It stays when another client moves the letter or sets flags.
    pub unique: String,
    /// Delivery time in seconds since 1970; None when the name has none.
    pub second: Option<i64>,
    /// The `M` field; 0 when there is none.
    pub micros: u32,
    /// The letters after `:2,`.
    pub flags: String,
}

/// Reads a file's name. None for names that are no letter's (dotfiles).
pub fn read_name(name: &OsStr) -> Option<LetterName> {
    let name = readable(name);
    if name.is_empty() || name.starts_with('.') {
        return None;
    }
    let (unique, info) = name.split_once(':').unwrap_or((&name, ""));
    let flags = info.strip_prefix("2,").unwrap_or_default().to_owned();
    let mut fields = unique.split('.');
    let second = fields.next().and_then(delivery_second);
    let micros = fields.next().filter(|_| second.is_some()).and_then(microseconds);
    // A time stands before a dot: a file that is named by a bare number was named by somebody's hand.
    let second = second.filter(|_| unique.contains('.'));
    Some(LetterName { unique: unique.to_owned(), second, micros: micros.unwrap_or(0), flags })
}

/// Makes `new/`, `cur/` and `tmp/` where they are missing, for nobody else to read.
///
/// # Errors
/// When a folder can't be made or what stands there is no folder.
pub fn create(folder: &Path) -> io::Result<()> {
    for part in ["tmp", "new", "cur"] {
        DirBuilder::new().recursive(true).mode(0o700).create(folder.join(part))?;
    }
    Ok(())
}

/// Makes the names in a folder survive a power cut.
///
/// # Errors
/// Those of the file system.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Removes files of ours that a crash left in `tmp/` more than 36 hours ago. Other people's files are not touched.
///
/// # Errors
/// When `tmp/` can't be listed; a file that can't be removed is left for the next time.
pub fn clean_tmp(folder: &Path, now: Timestamp) -> io::Result<usize> {
    const HOURS_36: i64 = 36 * 60 * 60;
    let mut removed = 0;
    for entry in fs::read_dir(folder.join("tmp"))? {
        let entry = entry?;
        let is_ours = entry.file_name().as_encoded_bytes().ends_with(OUR_SUFFIX.as_bytes());
        let is_old = |entry: &fs::DirEntry| {
            entry.metadata().is_ok_and(|about| about.is_file() && about.mtime() < now.as_second() - HOURS_36)
        };
        if is_ours && is_old(&entry) && fs::remove_file(entry.path()).is_ok() {
            removed += 1;
        }
    }
    Ok(removed)
}

/// A file's name as text. Bytes that are not UTF-8 become `\x..`, so that two names never become one.
fn readable(name: &OsStr) -> String {
    if let Some(name) = name.to_str() {
        return name.to_owned();
    }
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Nine to eleven digits: the years 1973 to 5138. Fewer are a hand-made name (`1.eml`), more are milliseconds.
fn delivery_second(field: &str) -> Option<i64> {
    let is_time = (9..=11).contains(&field.len()) && field.bytes().all(|b| b.is_ascii_digit());
    field.parse().ok().filter(|_| is_time)
}

/// `M` and digits in the middle field (`M123456P42Q7`). They are not padded: `M5` is five microseconds.
fn microseconds(field: &str) -> Option<u32> {
    field.split('M').skip(1).find_map(|after| {
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|micros| *micros < 1_000_000)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn check(name: &str, second: Option<i64>, micros: u32, unique: &str, flags: &str) {
        let read = read_name(OsStr::new(name)).unwrap();
        let told = (read.second, read.micros, read.unique.as_str(), read.flags.as_str());
        assert_eq!(told, (second, micros, unique, flags), "{name}");
    }

    #[test]
    fn names_tell_their_times() {
        let plain = "1764450000.M123456P42.host";
        check(plain, Some(1_764_450_000), 123_456, plain, "");
        check("1764450000.M123456P42.host:2,RS", Some(1_764_450_000), 123_456, plain, "RS");
        check("1764450000.M5P42.host,S=9", Some(1_764_450_000), 5, "1764450000.M5P42.host,S=9", "");
        check("1764450000.R3fI2V1M77.h", Some(1_764_450_000), 77, "1764450000.R3fI2V1M77.h", "");
        check("1764450000.42_1.host", Some(1_764_450_000), 0, "1764450000.42_1.host", "");
        check("1764450000.MxP1.host", Some(1_764_450_000), 0, "1764450000.MxP1.host", "");
        check("1764450000.M99999999999P1.host", Some(1_764_450_000), 0, "1764450000.M99999999999P1.host", "");
        check("1764450000.P1.Mail", Some(1_764_450_000), 0, "1764450000.P1.Mail", "");
    }

    #[test]
    fn names_made_by_hand_have_no_time() {
        for name in ["1.eml", "письмо.eml", "20261130.eml", "1764450000123.eml", "1764450000", "-764450000.M1.h"]
        {
            check(name, None, 0, name, "");
        }
        check("a:1,x", None, 0, "a", "");
        check("a:2,FS", None, 0, "a", "FS");
    }

    #[test]
    fn dotfiles_are_no_letters_and_broken_names_stay_apart() {
        assert_eq!(read_name(OsStr::new(".hidden")), None);
        assert_eq!(read_name(OsStr::new("")), None);
        let one = read_name(OsStr::from_bytes(b"1764450000.M1.\xff")).unwrap();
        let two = read_name(OsStr::from_bytes(b"1764450000.M1.\xfe")).unwrap();
        assert_ne!(one.unique, two.unique);
        assert_eq!(one.micros, 1);
    }
}
