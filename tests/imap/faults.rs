//! A line that misbehaves: nothing is lost, nothing spins, and it comes back by itself.

use std::time::Duration;

use omerta::mail::link::TroubleKind;

use crate::desk::{Desk, plain};
use crate::proxy::{Fault, Proxy, line_faults};
use crate::server::{Client, letter, server, user};

/// As long as a fault lasts.
const WHILE: Duration = Duration::from_millis(1300);

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_of_the_line_loses_a_letter() {
    let running = line_faults("Subject: n1").map(|fault| {
        tokio::spawn(async move {
            let user = user();
            let mut client = Client::of(&user);
            for number in 0..3 {
                client.append("INBOX", &letter(&format!("n{number}")));
            }
            let proxy = Proxy::before(server().imap).await;
            proxy.set(fault.clone());
            let mut settings = plain(&user, proxy.port());
            settings.times.step = Duration::from_millis(400);
            let mut desk = Desk::new(settings);
            desk.linger(WHILE).await;
            let tries = proxy.opened();
            // The first wait is 40 ms, the longest 200 ms.
            assert!((2..=15).contains(&tries), "{fault:?}: {tries} lines in {WHILE:?}");
            assert_eq!(desk.troubles.len(), 1, "{fault:?}: {:?}", desk.troubles);
            assert_eq!(desk.troubles[0].kind, TroubleKind::Unreachable, "{fault:?}: {:?}", desk.troubles);
            proxy.heal();
            desk.read_through().await;
            assert_eq!(desk.recovered, 1, "{fault:?}");
            desk.linger(Duration::from_millis(50)).await;
            assert_eq!(desk.subjects(), ["n0", "n1", "n2"], "{fault:?}: once each, in order");
        })
    });
    for test in running {
        test.await.unwrap();
    }
}

/// Something happens to a line that idles; a letter that comes afterwards must come through.
async fn after_idle(name: &str, harm: impl AsyncFnOnce(&Proxy)) {
    let user = user();
    let mut client = Client::of(&user);
    let proxy = Proxy::before(server().imap).await;
    let mut settings = plain(&user, proxy.port());
    settings.times.idle = Duration::from_millis(300);
    settings.times.done = Duration::from_millis(200);
    let mut desk = Desk::new(settings);
    desk.read_through().await;
    while !proxy.heard().contains("IDLE") {
        desk.linger(Duration::from_millis(10)).await;
    }
    harm(&proxy).await;
    client.append("INBOX", &letter("after"));
    desk.until("the letter", |desk| desk.letters.len() == 1).await;
    assert_eq!(proxy.opened(), 2, "{name}");
    // What came back at the first try is nobody's trouble.
    assert!(desk.troubles.is_empty(), "{name}: {:?}", desk.troubles);
}

#[tokio::test(flavor = "multi_thread")]
async fn goodbye_in_idle() {
    after_idle("BYE", async |proxy: &Proxy| proxy.say("* BYE shutting down\r\n")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_in_idle() {
    after_idle("cut", async |proxy: &Proxy| proxy.cut()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_in_idle_without_a_word() {
    after_idle("silence", async |proxy: &Proxy| {
        proxy.set(Fault::Silent);
        // Until DONE gets no answer.
        tokio::time::sleep(Duration::from_millis(450)).await;
        proxy.heal();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_in_idle() {
    after_idle("noise", async |proxy: &Proxy| proxy.say("\u{1}\u{2} what\r\n")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_is_renewed() {
    let user = user();
    let proxy = Proxy::before(server().imap).await;
    let mut settings = plain(&user, proxy.port());
    settings.times.idle = Duration::from_millis(50);
    let mut desk = Desk::new(settings);
    for _ in 0..4 {
        desk.read_through().await;
    }
    assert!(proxy.heard().matches("IDLE").count() >= 3);
    assert_eq!(proxy.opened(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_letter_that_is_not_handed_out_does_not_stop_the_mailbox() {
    let user = user();
    let mut client = Client::of(&user);
    for subject in ["before", "poison", "after"] {
        client.append("INBOX", &letter(subject));
    }
    let proxy = Proxy::before(server().imap).await;
    proxy.set(Fault::Replace(vec![("(UID 2 BODY[] ".to_owned(), "(UID 2 XODY[] ".to_owned())]));
    let mut settings = plain(&user, proxy.port());
    settings.times.backoff = Duration::from_millis(5);
    settings.times.longest_backoff = Duration::from_millis(20);
    let mut desk = Desk::new(settings);
    desk.read_through().await;
    assert_eq!(desk.subjects(), ["before", "poison", "after"]);
    assert!(desk.letters[1].too_large && !desk.letters[0].too_large && !desk.letters[2].too_large);
    assert_eq!(desk.troubles[0].kind, TroubleKind::Unable);
    assert!(proxy.opened() >= 7, "a letter is given up only after many tries");
    // Nor does one whose head is not handed out either.
    let hide = |part: &str| (format!("(UID 4 BODY[{part}]"), format!("(UID 4 XODY[{part}]"));
    proxy.set(Fault::Replace(vec![hide(""), hide("HEADER")]));
    client.append("INBOX", &letter("worse"));
    client.append("INBOX", &letter("fine"));
    desk.until("both", |desk| desk.letters.len() == 5).await;
    assert_eq!(desk.subjects()[3..], ["-", "fine"]);
    assert!(desk.letters[3].raw.is_empty());
}
