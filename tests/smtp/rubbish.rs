//! Replies that are none, too many, too long or badly made.

use std::time::{Duration, Instant};

use omerta::mail::link::TroubleKind;

use crate::bench::{Bench, impatient, settings, word};
use crate::script::{Act, At, Server};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_reply_ends_the_line() {
    let rubbish: [&'static [u8]; 7] = [
        b"hello\r\n",
        b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\n",
        b"99 x\r\n",
        b"999 x\r\n",
        b"250-one\r\n354 another\r\n",
        b"\xd0\xbd\xd0\xb5\xd1\x82\r\n",
    ];
    for at in [At::Greeting, At::Ehlo, At::Auth, At::Mail, At::Rcpt, At::Data, At::Dot] {
        for bytes in rubbish {
            let server = Server::bad_at(at, Act::Say(bytes), 1).await;
            let mut bench = Bench::start(settings(server.port));
            let answer = bench.send(1).await;
            let expected = if at == At::Dot { "unknown" } else { "later" };
            assert_eq!(word(&answer), expected, "{at:?} {}: {answer:?}", bytes.escape_ascii());
            bench.send_until_taken(2).await;
            assert_eq!(bench.kinds(), [Some(TroubleKind::Unreachable), None], "{at:?} {}", bytes.escape_ascii());
            bench.close().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_replies_are_cut_short() {
    for bytes in [b"x".as_slice(), b"250-again\r\n"] {
        for at in [At::Greeting, At::Ehlo, At::Mail, At::Dot] {
            let server = Server::bad_at(at, Act::Babble(bytes), 1).await;
            let mut bench = Bench::start(settings(server.port));
            let began = Instant::now();
            let answer = bench.send(1).await;
            assert_eq!(word(&answer), if at == At::Dot { "unknown" } else { "later" }, "{at:?}");
            assert!(began.elapsed() < Duration::from_secs(20), "{at:?}: read to no end");
            bench.close().await;
        }
    }
}

/// RUSTSEC-2026-0562: a blank line in the answer to EHLO made the library panic.
#[tokio::test(flavor = "multi_thread")]
async fn a_blank_answer_to_ehlo() {
    for bytes in [b"250    \r\n".as_slice(), b"250-   \r\n250 \t \r\n", b"250 \r\n", b"250\r\n"] {
        let server = Server::bad_at(At::Ehlo, Act::Say(bytes), 1).await;
        let mut settings = settings(server.port);
        settings.server.login = None;
        let mut bench = Bench::start(settings);
        assert_eq!(word(&bench.send(1).await), "later", "{}", bytes.escape_ascii());
        bench.send_until_taken(2).await;
        bench.close().await;
    }
    let server = Server::bad_at(At::Ehlo, Act::Say(b"250-script\r\n250-   \r\n250 AUTH PLAIN\r\n"), 1).await;
    let mut bench = Bench::start(settings(server.port));
    assert_eq!(word(&bench.send(1).await), "sent");
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_nothing_are_never_taken_for_a_yes() {
    let cases: [(At, &'static [u8], &str); 6] = [
        (At::Mail, b"250 ok\r\n250 ok\r\n354 go\r\n250 taken\r\n", "later"),
        (At::Rcpt, b"250 ok\r\n354 go\r\n250 taken\r\n", "later"),
        (At::Data, b"354 go\r\n250 taken\r\n", "later"),
        (At::Data, b"250 ok\r\n", "later"),
        (At::Mail, b"354 go\r\n", "later"),
        (At::Dot, b"354 go\r\n", "unknown"),
    ];
    for (at, bytes, expected) in cases {
        let server = Server::bad_at(at, Act::Say(bytes), 1).await;
        let mut bench = Bench::start(settings(server.port));
        let answer = bench.send(1).await;
        assert_eq!(word(&answer), expected, "{at:?} {}: {answer:?}", bytes.escape_ascii());
        if at != At::Dot {
            assert_eq!(server.seen().letters, [], "{at:?}: no words without a go-ahead");
        }
        bench.send_until_taken(2).await;
        bench.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_replies_that_are_right() {
    let cases: [(At, &'static [u8]); 7] = [
        (At::Greeting, b"220-first\r\n220-second\r\n220 third\r\n"),
        (At::Greeting, b"220\r\n"),
        (At::Mail, b"250\r\n"),
        (At::Mail, b"250-one\n250 two\n"),
        (At::Rcpt, b"251 \xd0\xb4\xd0\xb0\r\n"),
        (At::Data, b"354\r\n"),
        (At::Dot, b"250-\r\n250-taken\r\n250 2.0.0 as 17\r\n"),
    ];
    for (at, bytes) in cases {
        let server = Server::bad_at(at, Act::Say(bytes), 1).await;
        let mut bench = Bench::start(impatient(server.port));
        let answer = bench.send(1).await;
        assert_eq!(word(&answer), "sent", "{at:?} {}: {answer:?}", bytes.escape_ascii());
        bench.close().await;
    }
}
