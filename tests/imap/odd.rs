//! Servers as Dovecot is none: one that knows XLIST, one whose letters are out of reach for a moment.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::desk::{Desk, plain};

/// Answers to the n-th line (from 1) and what it said; `TAG` stands for the command's.
type Answers = fn(usize, &str) -> String;

async fn odd(answers: Answers) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let all = Arc::clone(&heard);
    tokio::spawn(async move {
        for nth in 1.. {
            let Ok((line, _)) = listener.accept().await else { return };
            let all = Arc::clone(&all);
            tokio::spawn(async move {
                let (from, mut to) = line.into_split();
                let mut lines = BufReader::new(from).lines();
                to.write_all(b"* OK ready\r\n").await.ok();
                while let Ok(Some(said)) = lines.next_line().await {
                    let (tag, words) = said.split_once(' ').unwrap();
                    all.lock().unwrap().push(words.to_owned());
                    to.write_all(answers(nth, words).replace("TAG", tag).as_bytes()).await.ok();
                }
            });
        }
    });
    (port, heard)
}

fn body(uid: u32, subject: &str) -> String {
    let letter = format!("From: <rita@example.org>\r\nSubject: {subject}\r\n\r\n\r\n");
    format!("* {uid} FETCH (UID {uid} BODY[] {{{}}}\r\n{letter})\r\n", letter.len())
}

fn listed(uid: u32) -> String {
    format!("* {uid} FETCH (UID {uid} RFC822.SIZE 60 INTERNALDATE \"01-Mar-2026 10:00:0{uid} +0000\")\r\n")
}

/// As Gmail's forerunners had it: the folder's name says nothing, its mark does.
fn knows_xlist(_: usize, words: &str) -> String {
    let said = match words {
        "CAPABILITY" => "* CAPABILITY IMAP4rev1 XLIST\r\n".to_owned(),
        "XLIST \"\" \"*\"" => "* XLIST (\\HasNoChildren) \"/\" INBOX\r\n* XLIST (\\Spam) \"/\" Bulk\r\n".to_owned(),
        "LIST \"\" \"*\"" => "* LIST () \"/\" INBOX\r\n* LIST () \"/\" Bulk\r\n".to_owned(),
        "SELECT \"INBOX\"" => "* 0 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n".to_owned(),
        "SELECT \"Bulk\"" => "* 1 EXISTS\r\n* OK [UIDVALIDITY 8] x\r\n".to_owned(),
        "UID FETCH 1:* (UID RFC822.SIZE INTERNALDATE)" => listed(1),
        "UID FETCH 1 (UID BODY.PEEK[])" => body(1, "junk"),
        _ => String::new(),
    };
    format!("{said}TAG OK done\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn junk_is_found_by_xlist() {
    let (port, heard) = odd(knows_xlist).await;
    let mut desk = Desk::new(plain("anybody", port));
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["junk"], "{:?}", heard.lock().unwrap());
    assert!(desk.letters[0].junk && desk.letters[0].place == "imap/Bulk/8/1", "{:?}", desk.letters);
}

/// On the first line every letter is refused, and whether it lies there, too.
fn is_out_of_reach_at_first(nth: usize, words: &str) -> String {
    let said = match words {
        "CAPABILITY" => "* CAPABILITY IMAP4rev1\r\n".to_owned(),
        "SELECT \"INBOX\"" => "* 2 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n".to_owned(),
        "UID FETCH 1:* (UID RFC822.SIZE INTERNALDATE)" => listed(1) + &listed(2),
        words if words.starts_with("UID FETCH") && nth == 1 => {
            return "TAG NO [UNAVAILABLE] the letters are out of reach\r\n".to_owned();
        }
        "UID FETCH 1:2 (UID BODY.PEEK[])" => body(1, "n1") + &body(2, "n2"),
        "UID FETCH 1 (UID BODY.PEEK[])" => body(1, "n1"),
        "UID FETCH 2 (UID BODY.PEEK[])" => body(2, "n2"),
        _ => String::new(),
    };
    format!("{said}TAG OK done\r\n")
}

/// A letter that did not come and of which the server says nothing is not one that another client took away.
#[tokio::test(flavor = "multi_thread")]
async fn letters_that_are_refused_for_a_moment_are_not_passed_over() {
    let (port, heard) = odd(is_out_of_reach_at_first).await;
    let mut desk = Desk::new(plain("anybody", port));
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["n1", "n2"], "{:?}", heard.lock().unwrap());
    assert!(desk.letters.iter().all(|letter| !letter.too_large));
    assert_eq!(desk.marks["imap/INBOX"], "7:2");
}

/// The second letter is told of while the first is fetched, and never again.
fn tells_once(_: usize, words: &str) -> String {
    let said = match words {
        "CAPABILITY" => "* CAPABILITY IMAP4rev1 IDLE\r\n".to_owned(),
        "IDLE" => return "+ idling\r\n".to_owned(),
        "SELECT \"INBOX\"" => "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n".to_owned(),
        "UID FETCH 1:* (UID RFC822.SIZE INTERNALDATE)" => listed(1),
        "UID FETCH 1 (UID BODY.PEEK[])" => body(1, "n1") + "* 2 EXISTS\r\n",
        "UID FETCH 2:* (UID RFC822.SIZE INTERNALDATE)" => listed(2),
        "UID FETCH 2 (UID BODY.PEEK[])" => body(2, "n2"),
        _ => String::new(),
    };
    format!("{said}TAG OK done\r\n")
}

/// What came between the list and IDLE is not announced in IDLE.
#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_is_told_of_before_idle_is_not_waited_for_in_idle() {
    let (port, heard) = odd(tells_once).await;
    let mut desk = Desk::new(plain("anybody", port));
    desk.until("both letters", |desk| desk.letters.len() == 2).await;
    assert_eq!(desk.subjects(), ["n1", "n2"]);
    assert!(!heard.lock().unwrap().iter().any(|words| words == "IDLE"), "{:?}", heard.lock().unwrap());
}

/// Between the reading and the filing the folder was made anew: number 1 is another letter now.
fn renumbers(_: usize, words: &str) -> String {
    static OPENED: AtomicUsize = AtomicUsize::new(0);
    let said = match words {
        "CAPABILITY" => "* CAPABILITY IMAP4rev1\r\n".to_owned(),
        "SELECT \"INBOX\"" => {
            let validity = if OPENED.fetch_add(1, Ordering::SeqCst) == 0 { 7 } else { 8 };
            format!("* 1 EXISTS\r\n* OK [UIDVALIDITY {validity}] x\r\n")
        }
        "UID FETCH 1:* (UID RFC822.SIZE INTERNALDATE)" => listed(1),
        "UID FETCH 1 (UID BODY.PEEK[])" => body(1, "n1"),
        _ => String::new(),
    };
    format!("{said}TAG OK done\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_took_the_number_of_a_committed_one_is_not_filed_for_it() {
    let (port, heard) = odd(renumbers).await;
    let mut desk = Desk::new(plain("anybody", port));
    desk.read_through().await;
    desk.confirm_all().await;
    desk.until("the other letter", |desk| desk.letters.len() == 2).await;
    // The look that brought it, and the one after the filing.
    desk.read_through().await;
    desk.read_through().await;
    let places: Vec<&str> = desk.letters.iter().map(|letter| letter.place.as_str()).collect();
    assert_eq!(places, ["imap/INBOX/7/1", "imap/INBOX/8/1"]);
    let marked = || heard.lock().unwrap().iter().filter(|words| words.contains("STORE")).count();
    assert_eq!(marked(), 0, "it is not committed: {:?}", heard.lock().unwrap());
    desk.confirm_all().await;
    desk.read_now().await;
    while marked() == 0 {
        desk.linger(Duration::from_millis(20)).await;
    }
}
