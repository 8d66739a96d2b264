//! The next batch is asked for before this one has come. A server that a real one would not be: it waits for that, mixes
//! its answers, and breaks off in the middle of them.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::net::tcp::OwnedWriteHalf;

use crate::desk::{Desk, PATIENCE, plain};

/// What the server does once two commands for letters are out.
#[derive(Clone, Copy, PartialEq)]
enum Whim {
    /// Answers one at a time, like any server.
    None,
    /// Answers the second with the first, and ends it before that.
    Mixes,
    /// As that, but the line breaks amid the answers, once.
    BreaksOff,
}

struct Odd {
    port: u16,
    /// Letters whose bytes were asked for.
    asked: Arc<AtomicUsize>,
}

/// So many letters of so many bytes, each of another sender; the later ones came earlier, but for a line that breaks.
async fn odd(letters: u32, bytes: usize, mut whim: Whim) -> Odd {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let server = Odd { port: listener.local_addr().unwrap().port(), asked: Arc::default() };
    let asked = Arc::clone(&server.asked);
    // Where fetching failed letters are asked for one by one, up to the last number of the batch.
    let in_order = whim == Whim::BreaksOff;
    tokio::spawn(async move {
        while let Ok((line, _)) = listener.accept().await {
            let (from, mut to) = line.into_split();
            let mut lines = BufReader::new(from).lines();
            to.write_all(b"* OK ready\r\n").await.unwrap();
            let mut held: VecDeque<(String, Vec<u32>)> = VecDeque::new();
            while let Ok(Some(said)) = lines.next_line().await {
                let (tag, words) = said.split_once(' ').unwrap();
                let answer = match words.split(' ').collect::<Vec<_>>().as_slice() {
                    ["CAPABILITY"] => "* CAPABILITY IMAP4rev1\r\n".to_owned(),
                    ["SELECT", ..] => format!("* {letters} EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n"),
                    ["UID", "FETCH", set, what @ ..] => {
                        let uids = uids(set, letters);
                        if what.last() == Some(&"BODY.PEEK[])") {
                            asked.fetch_add(uids.len(), Ordering::SeqCst);
                            if whim == Whim::None {
                                write(&mut to, &uids, bytes).await;
                                to.write_all(format!("{tag} OK\r\n").as_bytes()).await.ok();
                                continue;
                            }
                            held.push_back((tag.to_owned(), uids));
                            if held.len() < 2 {
                                continue;
                            }
                            let ((first, of_first), (second, of_second)) =
                                (held.remove(0).unwrap(), held.remove(0).unwrap());
                            write(&mut to, &of_second[..of_second.len() / 2], bytes).await;
                            write(&mut to, &of_first[..of_first.len() / 2], bytes).await;
                            if whim == Whim::BreaksOff {
                                whim = Whim::None;
                                break;
                            }
                            write(&mut to, &of_second[of_second.len() / 2..], bytes).await;
                            to.write_all(format!("{second} OK\r\n").as_bytes()).await.ok();
                            write(&mut to, &of_first[of_first.len() / 2..], bytes).await;
                            to.write_all(format!("{first} OK\r\n").as_bytes()).await.ok();
                            whim = Whim::None;
                            continue;
                        }
                        let about = |uid: &u32| match what {
                            ["(UID", "RFC822.SIZE", ..] => {
                                let place = if in_order { *uid } else { letters - uid };
                                let (minute, second) = (place / 60, place % 60);
                                let date = format!("01-Mar-2026 10:{minute:02}:{second:02} +0000");
                                let size = letter(*uid, bytes).len();
                                format!("* {uid} FETCH (UID {uid} RFC822.SIZE {size} INTERNALDATE \"{date}\")\r\n")
                            }
                            _ => {
                                let from = format!("From: p{uid}@x.test\r\n\r\n");
                                let size = from.len();
                                format!(
                                    "* {uid} FETCH (UID {uid} BODY[HEADER.FIELDS (FROM)]<0> {{{size}}}\r\n{from})\r\n"
                                )
                            }
                        };
                        uids.iter().map(about).collect()
                    }
                    _ => String::new(),
                };
                to.write_all(format!("{answer}{tag} OK done\r\n").as_bytes()).await.ok();
            }
        }
    });
    server
}

async fn write(to: &mut OwnedWriteHalf, uids: &[u32], bytes: usize) {
    for uid in uids {
        let letter = letter(*uid, bytes);
        let answer = format!("* {uid} FETCH (UID {uid} BODY[] {{{}}}\r\n{letter})\r\n", letter.len());
        to.write_all(answer.as_bytes()).await.ok();
    }
}

fn letter(uid: u32, bytes: usize) -> String {
    format!("From: p{uid}@x.test\r\nSubject: n{uid}\r\n\r\n{}\r\n", "x".repeat(bytes))
}

/// The numbers of `1:3,7`; `*` is the last one.
fn uids(set: &str, letters: u32) -> Vec<u32> {
    let number = |word: &str| if word == "*" { letters } else { word.parse().unwrap() };
    let run = |run: &str| {
        let (first, last) = run.split_once(':').unwrap_or((run, run));
        let (first, last) = (number(first), number(last));
        first.min(last)..=first.max(last)
    };
    set.split(',').flat_map(run).filter(|uid| *uid <= letters).collect()
}

/// Each once, and those of a batch in order of arrival.
fn check(desk: &Desk, letters: u32) {
    let subjects = desk.subjects();
    let all: BTreeSet<&String> = subjects.iter().collect();
    assert_eq!((subjects.len(), all.len()), (letters as usize, letters as usize), "each once");
    let mut rest = desk.letters.as_slice();
    for batch in &desk.batches {
        let (of_batch, others) = rest.split_at(*batch);
        assert!(of_batch.is_sorted_by(|one, other| one.order < other.order));
        rest = others;
    }
    assert!(desk.letters.iter().all(|letter| letter.place.ends_with(&desk_uid(letter))));
    assert_eq!(desk.marks["imap/INBOX"], format!("7:{letters}"));
}

/// What a letter's place ends with if its bytes are its own.
fn desk_uid(letter: &omerta::mail::link::Arrived) -> String {
    format!("/{}", crate::desk::subject(letter).trim_start_matches('n'))
}

/// So many that they are fetched before it is asked who wrote them.
const MANY: u32 = 2_300;

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_two_commands_may_be_mixed() {
    for (letters, whim) in [(150, Whim::None), (MANY, Whim::None), (MANY, Whim::Mixes)] {
        let server = odd(letters, 100, whim).await;
        let mut desk = Desk::new(plain("anybody", server.port));
        desk.read_through().await;
        check(&desk, letters);
        assert_eq!(desk.troubles, []);
        assert_eq!(server.asked.load(Ordering::SeqCst), letters as usize, "no line was given up");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_breaks_amid_two_batches_loses_nothing() {
    let server = odd(MANY, 100, Whim::BreaksOff).await;
    let mut desk = Desk::new(plain("anybody", server.port));
    desk.read_through().await;
    check(&desk, MANY);
    assert!(server.asked.load(Ordering::SeqCst) > MANY as usize, "some were asked for twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_is_asked_for_than_there_is_room() {
    const MIB: usize = 1024 * 1024;
    let server = odd(40, MIB - 1_000, Whim::None).await;
    let mut settings = plain("anybody", server.port);
    settings.max_message = 2 * 1024 * 1024;
    settings.times.step = PATIENCE;
    let mut desk = Desk::new(settings);
    desk.keeps = true;
    desk.until("three batches", |desk| desk.batches.len() == 3).await;
    assert_eq!(desk.batches, [8, 8, 8]);
    desk.linger(Duration::from_millis(200)).await;
    assert_eq!((desk.batches.len(), server.asked.load(Ordering::SeqCst)), (3, 24), "24 MiB are not committed");
    // As they are committed, others come.
    desk.kept.remove(0);
    desk.until("a fourth batch", |desk| desk.batches.len() == 4).await;
    assert_eq!(server.asked.load(Ordering::SeqCst), 32);
    desk.keeps = false;
    desk.kept.clear();
    desk.read_through().await;
    check(&desk, 40);
}
