//! What becomes of letters after they are committed, and the server's clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use omerta::clock::Clock;
use omerta::mail::link::ToInbox;

use crate::desk::{Desk, PATIENCE, plain};
use crate::proxy::{Fault, Proxy};
use crate::server::{Client, letter, server, user};

/// The desk goes on while the test waits for something in the mailbox.
async fn wait_for(desk: &mut Desk, what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "it did not happen: {what}");
        desk.linger(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_committed_letter_is_seen_and_no_other() {
    let user = user();
    let mut client = Client::of(&user);
    client.append("INBOX", &letter("one"));
    let mut desk = Desk::new(plain(&user, server().imap));
    desk.read_through().await;
    desk.linger(Duration::from_millis(100)).await;
    assert_eq!(client.unseen("INBOX"), 1, "nothing is marked before it is committed");
    desk.confirm_all().await;
    client.append("INBOX", &letter("two"));
    wait_for(&mut desk, "one letter is seen", || client.unseen("INBOX") == 1).await;
    desk.until("the second letter", |desk| desk.letters.len() == 2).await;
    assert_eq!(client.unseen("INBOX"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn committed_letters_go_to_the_done_folder_one_way_or_the_other() {
    for hidden in ["nothing", " MOVE", "[TRYCREATE]"] {
        let user = user();
        let mut client = Client::of(&user);
        let proxy = Proxy::before(server().imap).await;
        proxy.set(Fault::Replace(vec![(hidden.to_owned(), hidden.to_lowercase().replace(' ', " X"))]));
        client.append("INBOX", &letter("one"));
        client.append("Junk", &letter("junk"));
        let mut settings = plain(&user, proxy.port());
        settings.done_folder = Some("Омерта".to_owned());
        let mut desk = Desk::new(settings);
        desk.confirms = true;
        desk.until("the letters", |desk| desk.letters.len() == 2).await;
        wait_for(&mut desk, &format!("both are moved, {hidden}"), || client.count("&BB4EPAQ1BEAEQgQw-") == 2).await;
        wait_for(&mut desk, "they are gone", || client.count("INBOX") + client.count("Junk") == 0).await;
        // A letter that somebody else wants to remove is none of our business.
        client.append("INBOX", &letter("two"));
        desk.confirms = false;
        desk.until("the letter", |desk| desk.letters.len() == 3).await;
        client.append("INBOX", &letter("doomed"));
        client.ask("SELECT INBOX");
        client.ask("STORE 2 +FLAGS (\\Deleted)");
        client.ask("UNSELECT");
        desk.confirm_all().await;
        wait_for(&mut desk, "it is moved", || client.count("INBOX") == 1).await;
        desk.read_now().await;
        assert_eq!((client.count("INBOX"), client.count("&BB4EPAQ1BEAEQgQw-")), (1, 3), "{hidden}");
        let heard = proxy.heard();
        assert_eq!(heard.contains("UID MOVE"), hidden != " MOVE", "{hidden}");
        assert_eq!(heard.contains("UID COPY"), hidden == " MOVE", "{hidden}");
        let expunges = heard.lines().filter(|line| line.contains("EXPUNGE"));
        assert!(expunges.clone().all(|line| line.contains("UID EXPUNGE ")), "{:?}", expunges.collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_uidplus_nothing_is_removed() {
    let user = user();
    let mut client = Client::of(&user);
    let proxy = Proxy::before(server().imap).await;
    let hide = |word: &str| (format!(" {word}"), format!(" X{word}"));
    proxy.set(Fault::Replace(vec![hide("MOVE"), hide("UIDPLUS")]));
    client.append("INBOX", &letter("one"));
    let mut settings = plain(&user, proxy.port());
    settings.done_folder = Some("Done".to_owned());
    let mut desk = Desk::new(settings);
    desk.confirms = true;
    desk.read_through().await;
    wait_for(&mut desk, "it is seen", || client.unseen("INBOX") == 0).await;
    assert_eq!((client.count("INBOX"), client.count("Done")), (1, 0));
    assert!(!proxy.heard().contains("EXPUNGE"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_copy_deletes_nothing_and_reading_goes_on() {
    let user = user();
    let mut client = Client::of(&user);
    let proxy = Proxy::before(server().imap).await;
    let hide = (" MOVE".to_owned(), " XMOVE".to_owned());
    let refuse = ("OK [COPYUID".to_owned(), "NO [OVERQUOTA".to_owned());
    proxy.set(Fault::Replace(vec![hide.clone(), refuse]));
    let mut settings = plain(&user, proxy.port());
    settings.done_folder = Some("Done".to_owned());
    settings.times.poll = Duration::from_millis(100);
    let mut desk = Desk::new(settings);
    desk.confirms = true;
    // The probe of the clock is deleted again, and is done with.
    desk.until("the probe", |desk| !desk.skews.is_empty()).await;
    let deletions = || proxy.heard().matches("\\Deleted").count();
    let of_the_probe = deletions();
    client.append("INBOX", &letter("one"));
    wait_for(&mut desk, "a copy is tried", || proxy.heard().contains("UID COPY")).await;
    client.append("INBOX", &letter("two"));
    desk.until("the next letter", |desk| desk.letters.len() == 2).await;
    assert_eq!(client.count("INBOX"), 2);
    assert_eq!(deletions(), of_the_probe, "nothing may be deleted that was not copied");
    assert!(desk.troubles.is_empty());
    proxy.set(Fault::Replace(vec![hide]));
    wait_for(&mut desk, "both are filed later", || client.count("INBOX") == 0).await;
}

/// The copy lies in the folder, and the letter can't be removed for a while: it is not copied again each time.
#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_can_not_be_removed_is_copied_once() {
    let user = user();
    let mut client = Client::of(&user);
    let proxy = Proxy::before(server().imap).await;
    let hide = (" MOVE".to_owned(), " XMOVE".to_owned());
    let refuse = ("OK Store".to_owned(), "NO Store".to_owned());
    let mut settings = plain(&user, proxy.port());
    settings.done_folder = Some("Done".to_owned());
    settings.times.poll = Duration::from_millis(100);
    proxy.set(Fault::Replace(vec![hide.clone()]));
    let mut desk = Desk::new(settings);
    desk.confirms = true;
    desk.until("the probe", |desk| !desk.skews.is_empty()).await;
    desk.read_through().await;
    proxy.set(Fault::Replace(vec![hide.clone(), refuse]));
    let removals = || proxy.heard().matches("\\Deleted").count();
    let of_the_probe = removals();
    client.append("INBOX", &letter("one"));
    wait_for(&mut desk, "it is tried three times", || removals() >= of_the_probe + 3).await;
    proxy.set(Fault::Replace(vec![hide]));
    wait_for(&mut desk, "it is gone", || client.count("INBOX") == 0).await;
    assert_eq!((client.count("Done"), proxy.heard().matches("UID COPY").count()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_committed_before_a_crash_is_filed_after_it() {
    for done_folder in [None, Some("Done".to_owned())] {
        let user = user();
        let mut client = Client::of(&user);
        client.append("INBOX", &letter("one"));
        client.append("INBOX", &letter("two"));
        let mut settings = plain(&user, server().imap);
        settings.done_folder = done_folder.clone();
        let mut desk = Desk::new(settings.clone());
        desk.read_through().await;
        let marks = desk.crash().await;
        let mut desk = Desk::with(settings, marks.clone(), Clock::System);
        desk.confirms = true;
        desk.read_through().await;
        assert_eq!(desk.subjects(), ["one", "two"], "the loop is asked about them again");
        assert_eq!(desk.marks, marks);
        assert!(desk.letters.iter().all(|letter| !letter.revalidated));
        wait_for(&mut desk, "they are filed", || client.unseen("INBOX") == 0).await;
        wait_for(&mut desk, "they are moved", || done_folder.is_none() || client.count("Done") == 2).await;
        let letters = desk.letters.len();
        desk.read_now().await;
        assert_eq!(desk.letters.len(), letters, "once, at the start");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_clock_is_looked_at() {
    let user = user();
    let mut client = Client::of(&user);
    let mut settings = plain(&user, server().imap);
    settings.done_folder = Some("Done".to_owned());
    settings.times.probe = Duration::from_millis(100);
    settings.times.poll = Duration::from_millis(50);
    let mut desk = Desk::new(settings.clone());
    desk.until("two probes", |desk| desk.skews.len() == 2).await;
    assert!(desk.skews.iter().all(|seconds| seconds.abs() <= 1), "{:?}", desk.skews);
    desk.crash().await;
    assert_eq!(client.count("Done"), 0, "the probe is removed again");
    // A clock of ours that shows 1970 is far behind.
    let clock = Clock::Injected(Arc::new(AtomicI64::new(0)));
    let mut desk = Desk::with(settings, [].into(), clock);
    desk.until("a probe", |desk| !desk.skews.is_empty()).await;
    assert!(desk.skews[0] > 1_700_000_000, "{:?}", desk.skews);
}

/// No turn is closed by our clock alone: it may have been set wrong a moment ago.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::disallowed_methods, reason = "our clock is right at first")]
async fn the_servers_clock_is_known_before_the_mail_is_read_through_also_after_a_leap_of_ours() {
    const DAY: i64 = 24 * 60 * 60;
    let user = user();
    let mut settings = plain(&user, server().imap);
    settings.done_folder = Some("Done".to_owned());
    let shown = Arc::new(AtomicI64::new(jiff::Timestamp::now().as_microsecond()));
    let mut desk = Desk::with(settings, [].into(), Clock::Injected(Arc::clone(&shown)));
    desk.read_through().await;
    assert!(matches!(desk.skews[..], [skew] if skew.abs() < 60), "{:?}", desk.skews);
    desk.order(ToInbox::ReadNow).await;
    desk.read_through().await;
    assert_eq!(desk.skews.len(), 1, "once a day is enough");
    for (leap, behind) in [(DAY, DAY), (-3 * DAY, -2 * DAY)] {
        let before = desk.skews.len();
        let showed = shown.fetch_add(leap * 1_000_000, Ordering::SeqCst);
        desk.order(ToInbox::ReadNow).await;
        while desk.step().await.is_none_or(|began| began.as_microsecond() == showed) {}
        assert_eq!(desk.skews.len(), before + 1);
        assert!((desk.skews[before] + behind).abs() < 60, "{:?}", desk.skews);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_done_folder_the_clock_is_not_looked_at() {
    let user = user();
    let proxy = Proxy::before(server().imap).await;
    let mut desk = Desk::new(plain(&user, proxy.port()));
    desk.read_through().await;
    desk.linger(Duration::from_millis(100)).await;
    assert!(desk.skews.is_empty() && !proxy.heard().contains("APPEND"));
}
