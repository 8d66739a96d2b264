//! What is read, in which order, and how far.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use omerta::clock::Clock;
use omerta::mail::link::ToInbox;

use crate::desk::{Desk, PATIENCE, plain};
use crate::proxy::{Fault, Proxy};
use crate::server::{Client, letter, letter_of, server, user};

#[tokio::test(flavor = "multi_thread")]
async fn letters_come_in_batches_by_when_the_server_took_them() {
    let user = user();
    let mut client = Client::of(&user);
    const LETTERS: i64 = 1050;
    for number in 0..LETTERS {
        client.append_at("INBOX", 1_700_000_000 - number, &letter_of(&format!("p{number}"), &format!("n{number}")));
    }
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.read_through().await;
    assert_eq!(desk.batches, [500, 500, 50]);
    // The numbers run the other way: no letter is heard after one that arrived later.
    assert!(desk.letters.is_sorted_by(|one, other| one.order < other.order));
    let newest = desk.letters.iter().max_by_key(|letter| letter.order.clone()).unwrap();
    assert_eq!((newest.order.second, newest.order.within.as_str()), (1_700_000_000, "000.0000000001"));
    let parts: Vec<&str> = newest.place.split('/').collect();
    assert_eq!((parts[0], parts[1], parts[3]), ("imap", "INBOX", "1"));
    assert_eq!(desk.marks["imap/INBOX"], format!("{}:{LETTERS}", parts[2]));
    assert_eq!(String::from_utf8(newest.raw.clone()).unwrap(), letter_of("p0", "n0"));
    assert!(desk.letters.iter().all(|letter| !letter.junk && !letter.too_large && !letter.revalidated));
    // Nothing comes twice, neither now nor after a start.
    desk.read_now().await;
    assert_eq!(desk.letters.len(), LETTERS as usize);
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_goes_on_where_it_was_committed() {
    let user = user();
    let mut client = Client::of(&user);
    client.append_seen("INBOX", &letter("one"));
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.read_through().await;
    let marks = desk.crash().await;
    // Seen by somebody already: letters are told apart by their numbers, not by flags.
    client.append_seen("INBOX", &letter("two"));
    let mut desk = Desk::with(plain(&user, server().imap), marks, Clock::System);
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_bytes_are_many_batches() {
    let user = user();
    let mut client = Client::of(&user);
    let body = "x".repeat(72) + "\r\n";
    for number in 0..5 {
        client.append("INBOX", &(letter(&format!("n{number}")) + &body.repeat(3 * 1024 * 1024 / 74)));
    }
    let mut settings = plain(&user, server().imap);
    settings.max_message = 10 * 1024 * 1024;
    settings.times.step = PATIENCE;
    let mut desk = Desk::new(settings);
    desk.read_through().await;
    assert_eq!(desk.batches, [2, 2, 1]);
    assert_eq!(desk.subjects(), ["n0", "n1", "n2", "n3", "n4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_letter_that_is_too_large_only_the_head_comes() {
    let user = user();
    let mut client = Client::of(&user);
    let large = letter("large") + &"x".repeat(40_000);
    client.append("INBOX", &large);
    client.append("INBOX", &letter("small"));
    let proxy = Proxy::before(server().imap).await;
    let mut settings = plain(&user, proxy.port());
    settings.max_message = 10_000;
    let mut desk = Desk::new(settings);
    desk.read_through().await;
    let heard = proxy.heard();
    let asked: Vec<&str> = heard.lines().filter_map(|line| Some(line.split_once("UID FETCH ")?.1)).collect();
    assert!(asked.contains(&"2 (UID BODY.PEEK[])"), "{asked:?}");
    assert!(!asked.iter().any(|words| words.starts_with('1') && words.contains("BODY.PEEK[]")), "{asked:?}");
    assert_eq!(desk.subjects(), ["large", "small"]);
    assert!(desk.letters[0].too_large && !desk.letters[1].too_large);
    assert_eq!(String::from_utf8_lossy(&desk.letters[0].raw), large.split_inclusive("\r\n\r\n").next().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn junk_is_read_last_by_its_mark_or_its_name() {
    let user = user();
    let mut client = Client::of(&user);
    client.append_at("Junk", 1_700_000_000, &letter("junk"));
    client.append_at("INBOX", 1_700_000_000, &letter("plain"));
    let proxy = Proxy::before(server().imap).await;
    for hidden in ["nothing", "SPECIAL-USE", "\\Junk"] {
        proxy.set(Fault::Replace(vec![(hidden.to_owned(), "X".repeat(hidden.len()))]));
        let mut desk = Desk::new(plain(&user, proxy.port()));
        desk.read_through().await;
        assert_eq!(desk.subjects(), ["plain", "junk"], "{hidden}");
        assert!(!desk.letters[0].junk && desk.letters[1].junk);
        assert!(desk.letters[0].order < desk.letters[1].order);
        assert!(desk.letters[1].place.starts_with("imap/Junk/"));
        let marks = desk.crash().await;
        let mut again = Desk::with(plain(&user, proxy.port()), marks, Clock::System);
        again.read_through().await;
        assert_eq!(again.letters.iter().filter(|letter| letter.junk).count(), 0, "{hidden}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_count_in_the_order_of_the_config() {
    let user = user();
    let mut client = Client::of(&user);
    client.ask("CREATE &BBgEMwRABDA-");
    client.append_at("&BBgEMwRABDA-", 1_700_000_000, &letter("game"));
    client.append_at("INBOX", 1_700_000_000, &letter("inbox"));
    let mut settings = plain(&user, server().imap);
    settings.folders = vec!["Игра".to_owned(), "INBOX".to_owned()];
    let mut desk = Desk::new(settings);
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["game", "inbox"]);
    assert!(desk.letters[0].order < desk.letters[1].order);
    assert!(desk.letters[0].place.starts_with("imap/Игра/"));
    assert!(desk.marks.contains_key("imap/Игра"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_there_is_told_and_the_others_are_read() {
    let user = user();
    let mut client = Client::of(&user);
    client.append("INBOX", &letter("here"));
    let mut settings = plain(&user, server().imap);
    settings.folders.push("Later".to_owned());
    settings.times.poll = Duration::from_millis(50);
    let mut desk = Desk::new(settings);
    desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
    assert!(desk.troubles[0].said.contains("Later"), "{:?}", desk.troubles);
    assert_eq!(desk.subjects(), ["here"]);
    // It is never said that all was read, and the trouble is said once.
    let silent = tokio::time::timeout(Duration::from_millis(300), desk.step()).await;
    assert!(silent.is_err(), "{silent:?} {:?}", desk.troubles);
    client.ask("CREATE Later");
    desk.read_through().await;
    assert_eq!((desk.recovered, desk.troubles.len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renumbered_folder_is_read_again_and_says_so() {
    let user = user();
    let mut client = Client::of(&user);
    client.ask("CREATE Game");
    client.append("Game", &letter("old"));
    let mut settings = plain(&user, server().imap);
    settings.folders = vec!["Game".to_owned()];
    let mut desk = Desk::new(settings.clone());
    desk.read_through().await;
    let marks = desk.crash().await;
    client.ask("DELETE Game");
    client.ask("CREATE Game");
    client.append("Game", &letter("old"));
    client.append("Game", &letter("between"));
    let proxy = Proxy::before(server().imap).await;
    settings.server.port = proxy.port();
    let mut desk = Desk::with(settings.clone(), marks.clone(), Clock::System);
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["old", "between"]);
    assert!(desk.letters.iter().all(|letter| letter.revalidated));
    assert_ne!(desk.marks["imap/Game"].split(':').next(), marks["imap/Game"].split(':').next());
    client.append("Game", &letter("after"));
    desk.read_now().await;
    assert!(!desk.letters[2].revalidated);
    let marks = desk.crash().await;
    // The same numbers, but the server counts from the beginning again.
    proxy.set(Fault::Replace(vec![("[UIDNEXT 4]".to_owned(), "[UIDNEXT 1]".to_owned())]));
    let mut desk = Desk::with(settings.clone(), marks.clone(), Clock::System);
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["old", "between", "after"]);
    assert!(desk.letters.iter().all(|letter| letter.revalidated));
    desk.crash().await;
    // It says nothing about the next number.
    proxy.set(Fault::Replace(vec![("[UIDNEXT 4]".to_owned(), "[UIDNOTE 4]".to_owned())]));
    let mut desk = Desk::with(settings, marks, Clock::System);
    desk.read_through().await;
    assert!(desk.letters.iter().all(|letter| !letter.revalidated));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mark_of_a_renumbered_folder_waits_until_it_is_through() {
    let user = user();
    let mut client = Client::of(&user);
    client.ask("CREATE Game");
    for number in 0..501 {
        client.append("Game", &letter(&format!("n{number}")));
    }
    let mut settings = plain(&user, server().imap);
    settings.folders = vec!["Game".to_owned()];
    let marks = [("imap/Game".to_owned(), "1:7".to_owned())].into();
    let mut desk = Desk::with(settings.clone(), marks, Clock::System);
    desk.until("the first batch", |desk| desk.batches.len() == 1).await;
    assert_eq!(desk.marks["imap/Game"], "1:7");
    let marks = desk.crash().await;
    let mut desk = Desk::with(settings, marks, Clock::System);
    desk.read_through().await;
    assert_eq!(desk.letters.len(), 501);
    assert!(desk.letters.iter().all(|letter| letter.revalidated));
    assert!(desk.marks["imap/Game"].ends_with(":501"));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_clients_may_flag_and_remove_letters_meanwhile() {
    let user = user();
    let mut client = Client::of(&user);
    for number in 0..1550 {
        client.append("INBOX", &letter(&format!("n{number}")));
    }
    client.ask("SELECT INBOX");
    let mut desk = Desk::new(plain(&user, server().imap));
    // The first batch is taken, the second waits in the channel, the third is fetched: the rest goes away now.
    desk.step().await;
    client.ask("STORE 1:700 +FLAGS (\\Seen $Forwarded)");
    client.ask("STORE 1545:1550 +FLAGS (\\Deleted)");
    client.ask("EXPUNGE");
    desk.read_through().await;
    assert!(desk.troubles.is_empty(), "{:?}", desk.troubles);
    let subjects = desk.subjects();
    assert_eq!(subjects[..1544], (0..1544).map(|number| format!("n{number}")).collect::<Vec<_>>());
    client.ask("STORE 1:10 -FLAGS (\\Seen)");
    client.append("INBOX", &letter("last"));
    desk.read_now().await;
    assert_eq!(desk.subjects().last().unwrap(), "last");
    assert_eq!(desk.letters.len(), subjects.len() + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_while_the_folders_were_read_is_not_promised() {
    let user = user();
    let mut client = Client::of(&user);
    for number in 0..1001 {
        client.append("INBOX", &letter(&format!("n{number}")));
    }
    let micros = Arc::new(AtomicI64::new(1_000_000));
    let clock = Clock::Injected(Arc::clone(&micros));
    let mut desk = Desk::with(plain(&user, server().imap), [].into(), clock);
    desk.step().await;
    // One batch is taken, and the reading is not over.
    micros.store(2_000_000, Ordering::SeqCst);
    let began = loop {
        if let Some(began) = desk.step().await {
            break began;
        }
    };
    assert_eq!((desk.letters.len(), began.as_microsecond()), (1001, 1_000_000));
}

/// Some rule of the mailbox moves a letter from a folder that is not read yet into one that was: it is read through only
/// with that letter.
#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_is_moved_while_the_folders_are_read_does_not_slip_through() {
    let user = user();
    let mut client = Client::of(&user);
    client.ask("CREATE Second");
    client.append("Junk", &letter("moved"));
    let proxy = Proxy::before(server().imap).await;
    let mut settings = plain(&user, proxy.port());
    settings.folders = vec!["INBOX".to_owned(), "Second".to_owned()];
    proxy.set(Fault::HoldAt("SELECT \"Junk\"".to_owned()));
    let mut desk = Desk::new(settings);
    while !proxy.heard().contains("SELECT \"Junk\"") {
        desk.linger(Duration::from_millis(10)).await;
    }
    client.ask("SELECT Junk");
    client.ask("MOVE 1 Second");
    client.ask("UNSELECT");
    proxy.heal();
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["moved"]);
    assert!(desk.letters[0].place.starts_with("imap/Second/"), "{:?}", desk.letters);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_wakes_idle_within_a_second() {
    let user = user();
    let mut client = Client::of(&user);
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.read_through().await;
    desk.linger(Duration::from_millis(200)).await;
    for number in 0..2 {
        client.append("INBOX", &letter(&format!("n{number}")));
        let begun = Instant::now();
        desk.until("the letter", |desk| desk.letters.len() > number).await;
        // Dovecot itself waits for half a second.
        assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
        desk.read_through().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_three_folders_idle_hears_the_first() {
    let user = user();
    let mut client = Client::of(&user);
    client.ask("CREATE Second");
    let mut settings = plain(&user, server().imap);
    settings.folders = vec!["INBOX".to_owned(), "Second".to_owned()];
    client.append("Junk", &letter("junk"));
    let mut desk = Desk::new(settings);
    desk.read_through().await;
    desk.linger(Duration::from_millis(200)).await;
    client.append("INBOX", &letter("first"));
    // Well before the next poll.
    desk.until("the letter", |desk| desk.subjects().contains(&"first".to_owned())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_idle_the_folder_is_looked_at_now_and_then() {
    let user = user();
    let mut client = Client::of(&user);
    let proxy = Proxy::before(server().imap).await;
    proxy.set(Fault::Replace(vec![(" IDLE".to_owned(), " XDLE".to_owned())]));
    let mut settings = plain(&user, proxy.port());
    settings.times.poll = Duration::from_millis(150);
    let mut desk = Desk::new(settings);
    desk.read_through().await;
    client.append("INBOX", &letter("late"));
    desk.until("the letter", |desk| desk.letters.len() == 1).await;
    assert!(!proxy.heard().contains("IDLE"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_to_read_now_interrupts_idle() {
    let user = user();
    let mut client = Client::of(&user);
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.read_through().await;
    desk.linger(Duration::from_millis(200)).await;
    // IDLE says nothing of other folders.
    client.append("Junk", &letter("junk"));
    let begun = Instant::now();
    desk.read_now().await;
    assert!(begun.elapsed() < Duration::from_millis(1000), "{:?}", begun.elapsed());
    assert_eq!(desk.subjects(), ["junk"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_task_ends_with_its_loop() {
    let user = user();
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.order(ToInbox::ReadNow).await;
    desk.read_through().await;
    desk.leave().await;
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    Desk::new(plain(&user, closed)).leave().await;
}
