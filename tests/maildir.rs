//! Letters in folders: order of arrival, other clients at the same folder, crashes, many letters.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail with the test")]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use omerta::mail::inbox::{Found, MaildirInbox};
use omerta::mail::maildir;
use omerta::mail::outbox::{Delivery, MaildirOutbox};
use tempfile::TempDir;

const MAX: u64 = 10 * 1024 * 1024;

fn inbox() -> (TempDir, MaildirInbox) {
    let folder = tempfile::tempdir().unwrap();
    let inbox = MaildirInbox::open(&folder.path().join("in")).unwrap();
    (folder, inbox)
}

fn put(folder: &TempDir, name: &str) {
    fs::write(folder.path().join("in").join(name), format!("Subject: x\r\n\r\n{name}\r\n")).unwrap();
}

fn set_mtime(folder: &TempDir, name: &str, second: u64) {
    let file = File::options().write(true).open(folder.path().join("in").join(name)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(second)).unwrap();
}

fn places(found: &[Found]) -> Vec<&str> {
    found.iter().map(|found| found.place.as_str()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn folders_are_made_for_nobody_else() {
    let (folder, _inbox) = inbox();
    for part in ["in/new", "in/cur", "in/tmp"] {
        let mode = fs::metadata(folder.path().join(part)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{part}");
    }
}

#[test]
fn letters_stand_in_order_of_arrival_not_of_names() {
    let (folder, mut inbox) = inbox();
    put(&folder, "new/1764450001.M5P1.a");
    put(&folder, "new/1764450000.M900000P1.a");
    put(&folder, "new/1764450000.M20P1.b");
    put(&folder, "new/1764450000.M20P1.a");
    put(&folder, "new/1764450000.P9.z");
    put(&folder, "cur/1764449999.M1P1.z:2,S");
    put(&folder, "new/b.eml");
    put(&folder, "new/a.eml");
    put(&folder, "new/latest.eml");
    set_mtime(&folder, "new/b.eml", 1_764_450_000);
    set_mtime(&folder, "new/a.eml", 1_764_450_000);
    set_mtime(&folder, "new/latest.eml", 1_764_450_002);
    // A letter's own time counts, not when its file was touched.
    set_mtime(&folder, "new/1764450001.M5P1.a", 1_764_000_000);
    let found = inbox.scan().unwrap();
    assert_eq!(
        places(&found),
        [
            "1764449999.M1P1.z",
            "1764450000.P9.z",
            "a.eml",
            "b.eml",
            "1764450000.M20P1.a",
            "1764450000.M20P1.b",
            "1764450000.M900000P1.a",
            "1764450001.M5P1.a",
            "latest.eml",
        ]
    );
    let order: Vec<_> = found.iter().map(|found| (found.second, found.within.clone())).collect();
    assert!(order.is_sorted());
    assert_eq!(found[4].second, 1_764_450_000);
    assert_eq!(found[4].within, "000020.1764450000.M20P1.a");
    assert_eq!(found[8].second, 1_764_450_002);
}

#[test]
fn a_letter_that_is_done_with_moves_and_is_not_found_again() {
    let (folder, mut inbox) = inbox();
    put(&folder, "new/1764450000.M1P1.a");
    put(&folder, "new/1764450000.M2P1.b:2,F");
    put(&folder, "cur/1764450000.M3P1.c:2,RT");
    let found = inbox.scan().unwrap();
    for letter in &found {
        inbox.mark_done(letter).unwrap();
        inbox.mark_done(letter).unwrap();
    }
    let cur = folder.path().join("in/cur");
    assert_eq!(names(&cur), ["1764450000.M1P1.a:2,S", "1764450000.M2P1.b:2,FS", "1764450000.M3P1.c:2,RST"]);
    assert!(names(&folder.path().join("in/new")).is_empty());
    assert!(inbox.scan().unwrap().is_empty());
    assert!(inbox.scan_all().unwrap().is_empty());
    // A new start asks the database which are known: here they are again, with the same identity.
    let mut again = MaildirInbox::open(&folder.path().join("in")).unwrap();
    assert_eq!(places(&again.scan().unwrap()), places(&found));
}

#[test]
fn a_letter_stays_waiting_until_it_is_done_with() {
    let (folder, mut inbox) = inbox();
    put(&folder, "new/1764450000.M1P1.a");
    assert_eq!(inbox.scan().unwrap().len(), 1);
    put(&folder, "new/1764450000.M2P1.b");
    assert_eq!(places(&inbox.scan().unwrap()), ["1764450000.M1P1.a", "1764450000.M2P1.b"]);
    assert_eq!(inbox.scan().unwrap().len(), 2);
}

#[test]
fn letters_that_come_in_the_same_tick_are_never_missed() {
    let (folder, mut inbox) = inbox();
    let new = folder.path().join("in/new");
    inbox.scan().unwrap();
    for number in 0..200 {
        let before = fs::metadata(&new).unwrap().modified().unwrap();
        put(&folder, &format!("new/1764450000.M{number}P1.a"));
        // As a file system with a coarse clock would have it.
        File::open(&new).unwrap().set_modified(before).unwrap();
        assert_eq!(inbox.scan().unwrap().len(), number + 1);
    }
}

#[test]
fn a_letter_that_another_client_moved_before_we_saw_it_is_found() {
    let (folder, mut inbox) = inbox();
    put(&folder, "new/1764450000.M1P1.a");
    let first = inbox.scan().unwrap();
    inbox.mark_done(&first[0]).unwrap();
    inbox.scan().unwrap();
    put(&folder, "cur/1764450001.M1P1.b:2,S");
    assert_eq!(places(&inbox.scan().unwrap()), ["1764450001.M1P1.b"]);
}

#[test]
fn a_letter_that_another_client_moves_between_scan_and_read_is_read() {
    let (folder, mut inbox) = inbox();
    let root = folder.path().join("in");
    put(&folder, "new/1764450000.M1P1.a");
    let found = inbox.scan().unwrap().remove(0);
    fs::rename(root.join("new/1764450000.M1P1.a"), root.join("cur/1764450000.M1P1.a:2,F")).unwrap();
    let raw = inbox.read(&found, MAX).unwrap().unwrap();
    assert!(raw.bytes.ends_with(b"new/1764450000.M1P1.a\r\n") && !raw.too_large);
    fs::rename(root.join("cur/1764450000.M1P1.a:2,F"), root.join("cur/1764450000.M1P1.a:2,FR")).unwrap();
    inbox.mark_done(&found).unwrap();
    assert_eq!(names(&root.join("cur")), ["1764450000.M1P1.a:2,FRS"]);
    assert!(inbox.scan_all().unwrap().is_empty());
}

#[test]
fn a_letter_that_another_client_deleted_is_no_error() {
    let (folder, mut inbox) = inbox();
    put(&folder, "new/1764450000.M1P1.a");
    put(&folder, "new/1764450000.M2P1.b");
    let found = inbox.scan().unwrap();
    fs::remove_file(&found[0].file).unwrap();
    assert_eq!(inbox.read(&found[0], MAX).unwrap(), None);
    inbox.mark_done(&found[0]).unwrap();
    assert_eq!(places(&inbox.scan().unwrap()), ["1764450000.M2P1.b"]);
}

#[test]
fn what_is_no_letter_is_passed_over() {
    let (folder, mut inbox) = inbox();
    let root = folder.path().join("in");
    fs::write(folder.path().join("secret"), "no letter").unwrap();
    symlink(folder.path().join("secret"), root.join("new/1764450000.M1P1.link")).unwrap();
    symlink(folder.path().join("nowhere"), root.join("new/1764450000.M2P1.dangling")).unwrap();
    fs::create_dir(root.join("new/1764450000.M3P1.folder")).unwrap();
    put(&folder, "new/.1764450000.M4P1.dot");
    put(&folder, "tmp/1764450000.M5P1.unfinished");
    put(&folder, "new/1764450000.M6P1.letter");
    let found = inbox.scan().unwrap();
    assert_eq!(places(&found), ["1764450000.M6P1.letter"]);
    // A plain file that becomes a link between scan and read is not followed.
    fs::remove_file(&found[0].file).unwrap();
    symlink(folder.path().join("secret"), &found[0].file).unwrap();
    assert_eq!(inbox.read(&found[0], MAX).unwrap(), None);
}

#[test]
fn a_large_letter_gives_its_header_only() {
    let (folder, mut inbox) = inbox();
    let letter = format!("Subject: x\r\nFrom: a@b.test\r\n\r\n{}", "x".repeat(5000));
    fs::write(folder.path().join("in/new/1764450000.M1P1.a"), &letter).unwrap();
    let found = inbox.scan().unwrap().remove(0);
    assert_eq!(found.size, letter.len() as u64);
    let raw = inbox.read(&found, letter.len() as u64 - 1).unwrap().unwrap();
    assert_eq!((raw.bytes.as_slice(), raw.too_large), (&b"Subject: x\r\nFrom: a@b.test\r\n\r\n"[..], true));
    let raw = inbox.read(&found, letter.len() as u64).unwrap().unwrap();
    assert_eq!((raw.bytes, raw.too_large), (letter.into_bytes(), false));
}

#[test]
fn an_inbox_that_is_out_of_reach_says_so() {
    let (folder, mut inbox) = inbox();
    inbox.scan().unwrap();
    fs::remove_dir_all(folder.path().join("in")).unwrap();
    assert_eq!(inbox.scan().unwrap_err().kind(), io::ErrorKind::NotFound);
    assert_eq!(inbox.scan_all().unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn ten_thousand_letters_are_found_at_once_and_an_unchanged_folder_costs_nothing() {
    let (folder, mut inbox) = inbox();
    for number in 0..10_000 {
        put(&folder, &format!("new/{}.M{number}P1.a", 1_764_450_000 + number / 100));
    }
    let started = Instant::now();
    let found = inbox.scan().unwrap();
    assert_eq!(found.len(), 10_000);
    assert!(found.is_sorted_by_key(|found| (found.second, found.within.clone())));
    for letter in &found {
        assert!(inbox.read(letter, MAX).unwrap().is_some());
        inbox.mark_done(letter).unwrap();
    }
    assert!(inbox.scan().unwrap().is_empty());
    // Others moved or deleted them all: that is one more look, not ten thousand.
    for letter in &found {
        inbox.mark_done(letter).unwrap();
        inbox.read(letter, MAX).unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn ten_thousand_letters_moved_by_another_client_need_one_look() {
    let (folder, mut inbox) = inbox();
    let root = folder.path().join("in");
    for number in 0..10_000 {
        put(&folder, &format!("new/1764450000.M{number}P1.a"));
    }
    let found = inbox.scan().unwrap();
    for letter in &found {
        let to = root.join("cur").join(format!("{}:2,", letter.place));
        fs::rename(&letter.file, to).unwrap();
    }
    let started = Instant::now();
    for letter in &found {
        assert!(inbox.read(letter, MAX).unwrap().is_some());
        inbox.mark_done(letter).unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_letter_is_delivered_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut outbox = MaildirOutbox::new(&folder.path().join("out"));
    let now = at("2026-12-01T12:00:00.000042Z");
    outbox.deliver("Anna@Example.org", "17", b"one\r\n", now).unwrap();
    outbox.deliver("anna@example.org", "17", b"one\r\n", now).unwrap();
    let anna = folder.path().join("out/anna@example.org");
    let name = "1796126400.M000042Q17.omerta";
    assert_eq!(names(&anna.join("new")), [name]);
    assert_eq!(fs::read(anna.join("new").join(name)).unwrap(), b"one\r\n");
    assert!(names(&anna.join("tmp")).is_empty());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&anna), mode(&anna.join("new").join(name))), (0o700, 0o600));
    // Read by its owner: still there, so still no second copy, also after a new start.
    fs::rename(anna.join("new").join(name), anna.join("cur").join(format!("{name}:2,S"))).unwrap();
    outbox.deliver("anna@example.org", "17", b"one\r\n", now).unwrap();
    MaildirOutbox::new(&folder.path().join("out")).deliver("anna@example.org", "17", b"one\r\n", now).unwrap();
    assert!(names(&anna.join("new")).is_empty());
    outbox.deliver("anna@example.org", "18", b"two\r\n", now).unwrap();
    assert_eq!(names(&anna.join("new")).len(), 1);
}

#[test]
fn a_crash_between_write_and_rename_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let mut outbox = MaildirOutbox::new(folder.path());
    let now = at("2026-12-01T12:00:00Z");
    outbox.deliver("anna@example.org", "1", b"one\r\n", now).unwrap();
    let anna = folder.path().join("anna@example.org");
    let half = anna.join("tmp/1796126400.M000000Q2.omerta");
    fs::write(&half, b"tw").unwrap();
    outbox.deliver("anna@example.org", "2", b"two\r\n", now).unwrap();
    assert_eq!(fs::read(anna.join("new/1796126400.M000000Q2.omerta")).unwrap(), b"two\r\n");
    assert!(!half.exists());
}

#[test]
fn only_our_own_old_files_are_cleared_from_tmp() {
    let (folder, inbox) = inbox();
    let now = at("2026-12-03T12:00:00Z");
    let second = |hours: u64| u64::try_from(now.as_second()).unwrap() - hours * 3600;
    for (name, hours) in [("a.omerta", 37), ("b.omerta", 35), ("c.other", 400)] {
        put(&folder, &format!("tmp/{name}"));
        set_mtime(&folder, &format!("tmp/{name}"), second(hours));
    }
    assert_eq!(inbox.clean_tmp(now).unwrap(), 1);
    assert_eq!(names(&folder.path().join("in/tmp")), ["b.omerta", "c.other"]);
    let outbox = MaildirOutbox::new(&folder.path().join("nowhere"));
    assert_eq!(outbox.clean_tmp(now).unwrap(), 0);
}

#[test]
fn a_batch_answers_for_each_letter_and_keeps_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut outbox = MaildirOutbox::new(folder.path());
    // Where a file lies in the way of a recipient's folder, his letters fail and the others arrive.
    fs::write(folder.path().join("bad@example.org"), b"").unwrap();
    let now = at("2026-12-01T12:00:00Z");
    let unique: Vec<String> = (0..1500).map(|number| number.to_string()).collect();
    let addresses = ["a@example.org", "bad@example.org", "c@example.org"];
    let letters: Vec<Delivery<'_>> = unique
        .iter()
        .enumerate()
        .map(|(number, unique)| {
            let at = now + Duration::from_micros(number as u64);
            Delivery { address: addresses[number % 3], unique, bytes: b"x\r\n", at, again: false }
        })
        .collect();
    let started = Instant::now();
    let answers = outbox.deliver_all(&letters);
    println!("1,000 letters in {:?}", started.elapsed());
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.is_err(), number % 3 == 1, "{number}: {answer:?}");
    }
    let mut inbox = MaildirInbox::open(&folder.path().join("a@example.org")).unwrap();
    let found = inbox.scan().unwrap();
    let expected: Vec<String> =
        (0..1500).step_by(3).map(|number| format!("1796126400.M{number:06}Q{number}.omerta")).collect();
    assert_eq!(places(&found), expected);
    // Again, with one letter twice in the batch: nothing is doubled.
    let new = Delivery { address: "c@example.org", unique: "new", bytes: b"x\r\n", at: now, again: true };
    let again: Vec<_> = letters.iter().copied().chain([new, new]).collect();
    outbox.deliver_all(&again);
    assert_eq!(names(&folder.path().join("c@example.org/new")).len(), 501);
}

#[test]
fn no_address_leads_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("out");
    let mut outbox = MaildirOutbox::new(&root);
    for address in ["../x@y.test", "..", ".", "", "/etc/x", "a\0b", &"я".repeat(400)] {
        outbox.deliver(address, "1", b"x\r\n", at("2026-12-01T12:00:00Z")).unwrap();
    }
    assert_eq!(names(folder.path()), ["out"]);
    let folders: BTreeSet<String> = names(&root).into_iter().collect();
    assert_eq!(folders.len(), 7);
    assert!(maildir::read_name(std::ffi::OsStr::new("1796126400.M000000Q1.omerta")).is_some());
}
