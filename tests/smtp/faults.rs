//! Refusals, cuts and stalls at every step: the right answer, one a letter, no storm of connections, and a recovery
//! without help.

use std::time::Duration;

use omerta::config::Tls;
use omerta::mail::link::{Outcome, TroubleKind};
use tokio::task::JoinSet;

use crate::bench::{Bench, impatient, parcel, settings, with_tls, word};
use crate::script::{Act, At, Server};

const STEPS: [At; 8] = [At::Greeting, At::Ehlo, At::Auth, At::Mail, At::Rcpt, At::Data, At::Words, At::Dot];

const SHORT: &[u8] = b"Subject: x\r\n\r\nx\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn refusals_at_every_step() {
    use TroubleKind::{LoginRefused, Unable, Unreachable};
    let cases: [(At, &'static [u8], &str, Option<TroubleKind>); 22] = [
        (At::Greeting, b"421 4.3.2 busy\r\n", "later", Some(Unreachable)),
        (At::Greeting, b"554 5.3.2 no service for anna@player.test\r\n", "later", Some(Unable)),
        (At::Ehlo, b"450 4.3.2 busy\r\n", "later", Some(Unreachable)),
        (At::Ehlo, b"502 5.5.1 what?\r\n", "later", Some(Unable)),
        (At::Auth, b"454 4.7.0 later\r\n", "later", Some(Unreachable)),
        (At::Auth, b"535 5.7.8 wrong\r\n", "later", Some(LoginRefused)),
        (At::Mail, b"451 4.3.0 later\r\n", "later", None),
        (At::Mail, b"550 5.5.0 no\r\n", "later", Some(Unable)),
        (At::Mail, b"553 5.7.1 Sender address rejected: not owned by user\r\n", "later", Some(Unable)),
        (At::Mail, b"530 5.7.0 log in first\r\n", "later", Some(LoginRefused)),
        (At::Mail, b"421 4.4.2 bye\r\n", "later", Some(Unreachable)),
        (At::Rcpt, b"450 4.7.1 greylisted\r\n", "later", None),
        (At::Rcpt, b"550 5.1.1 <anna.secret@player.test>: no such user\r\n", "refused", None),
        (At::Rcpt, b"550-5.1.1 <anna.secret@player.test>: no such user\r\n550 5.1.1 sorry\r\n", "refused", None),
        (At::Rcpt, b"503 5.5.1 MAIL first\r\n", "later", Some(Unreachable)),
        (At::Data, b"451 4.3.0 later\r\n", "later", None),
        (At::Data, b"554 5.5.1 no recipients\r\n", "refused", None),
        (At::Dot, b"452 4.3.1 disk full\r\n", "later", None),
        (At::Dot, b"554 5.6.0 no\r\n", "refused", None),
        (At::Dot, b"552 5.3.4 too large\r\n", "refused", None),
        (At::Dot, b"421 4.3.2 shutting down\r\n", "later", Some(Unreachable)),
        (At::Dot, b"451 Ratelimit exceeded for mailbox\r\n", "blocked", None),
    ];
    for (at, reply, outcome, trouble) in cases {
        let server = Server::bad_at(at, Act::Say(reply), 1).await;
        let mut bench = Bench::start(settings(server.port));
        let case = format!("{at:?} {}", reply.escape_ascii());
        let answer = bench.send(1).await;
        assert_eq!(word(&answer), outcome, "{case}: {answer:?}");
        // What the server has against us is held against no letter.
        let is_of_us = matches!(trouble, Some(LoginRefused | Unable));
        assert_eq!(matches!(answer, Outcome::Unable { .. }), is_of_us, "{case}: {answer:?}");
        assert_eq!(bench.kinds(), Vec::from_iter(trouble.map(Some)), "{case}");
        if let Outcome::Refused { why } | Outcome::Later { why } | Outcome::Unable { why } = &answer {
            let code = std::str::from_utf8(&reply[..3]).unwrap();
            assert!(why.contains(code), "{case}: {why}");
        }
        if !matches!(trouble, Some(LoginRefused)) && outcome != "blocked" {
            // On a line in order the script refuses for ever: only a new line is better.
            let is_well = trouble.is_none();
            if is_well {
                assert_eq!(word(&bench.send(2).await), outcome, "{case}");
                assert_eq!(server.seen().connections, 1, "{case}: the line is used on");
            } else {
                bench.send_until_taken(2).await;
                assert_eq!(server.seen().connections, 2, "{case}");
                assert_eq!(bench.kinds(), [None], "{case}");
            }
        }
        bench.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cuts_at_every_step() {
    for at in STEPS {
        for first_bad in [1, 3] {
            let server = Server::bad_at(at, Act::Cut, first_bad).await;
            let mut bench = Bench::start(settings(server.port));
            let letter = if at == At::Words { long_letter() } else { SHORT.to_vec() };
            let answer = bench.send_bytes(1, &letter).await;
            // The words of a long letter may all be under way when the line is cut; whether the dot was is not known.
            let expected: &[&str] = match at {
                At::Dot => &["unknown"],
                At::Words => &["later", "unknown"],
                _ => &["later"],
            };
            assert!(expected.contains(&word(&answer)), "{at:?}: {answer:?}");
            let last = bench.send_until_taken(2).await;
            assert_eq!(bench.kinds(), [Some(TroubleKind::Unreachable), None], "{at:?}");
            let seen = server.seen();
            assert_eq!(seen.connections, first_bad + 1, "{at:?}: each connection is one try of one letter");
            let handed_over = if at == At::Dot { first_bad + 1 } else { 1 };
            assert_eq!(seen.letters.len(), handed_over, "{at:?}: {last} letters were tried");
            bench.close().await;
        }
    }
}

/// Larger than what a socket takes without its peer reading.
fn long_letter() -> Vec<u8> {
    let mut letter = b"Subject: long\r\n\r\n".to_vec();
    letter.extend(b"a line of sixty-four letters, that is to say: sixty-four bytes.\r\n".repeat(120_000));
    letter
}

#[tokio::test(flavor = "multi_thread")]
async fn stalls_and_drips_at_every_step() {
    let mut cases = JoinSet::new();
    for at in STEPS {
        for act in [Act::Stall, Act::Drip(Duration::from_millis(60))] {
            if at == At::Words && matches!(act, Act::Drip(_)) {
                continue;
            }
            cases.spawn(async move {
                let server = Server::bad_at(at, act, 1).await;
                let mut bench = Bench::start(impatient(server.port));
                // A letter that a socket does not take whole, so that a server that reads no further is felt.
                let letter = if at == At::Words { long_letter() } else { SHORT.to_vec() };
                let answer = bench.send_bytes(1, &letter).await;
                let expected = if at == At::Dot { "unknown" } else { "later" };
                assert_eq!(word(&answer), expected, "{at:?} {act:?}: {answer:?}");
                bench.send_until_taken(2).await;
                assert!(bench.kinds().starts_with(&[Some(TroubleKind::Unreachable)]), "{at:?} {act:?}");
                bench.close().await;
            });
        }
    }
    while let Some(case) = cases.join_next().await {
        case.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn starttls_refused_cut_stalled_or_not_offered() {
    const NOT_OFFERED: &[u8] = b"250-script.test\r\n250 AUTH PLAIN LOGIN\r\n";
    use TroubleKind::{Unable, Unreachable};
    for (at, act, trouble) in [
        (At::StartTls, Act::Say(b"454 4.7.0 not now\r\n"), Unreachable),
        (At::StartTls, Act::Say(b"502 5.5.1 never\r\n"), Unable),
        (At::StartTls, Act::Cut, Unreachable),
        (At::StartTls, Act::Stall, Unreachable),
        (At::StartTls, Act::SayAndCut(b"220 go\r\n"), Unreachable),
        (At::StartTls, Act::Say(b"220 go\r\n250 what is said before TLS is no answer under it\r\n"), Unreachable),
        (At::StartTls, Act::Say(b"354 go\r\n"), Unreachable),
        (At::Ehlo, Act::Say(NOT_OFFERED), Unable),
    ] {
        let server = Server::bad_at(at, act, usize::MAX).await;
        let mut bench = Bench::start(with_tls(impatient(server.port), Tls::Starttls, None));
        let answer = bench.send(1).await;
        assert_eq!(word(&answer), "later", "{act:?}");
        if matches!(act, Act::Say(bytes) if bytes.starts_with(b"220 go\r\n250")) {
            assert!(format!("{answer:?}").contains("the server said more than it was asked"), "{answer:?}");
        }
        assert_eq!(bench.kinds(), [Some(trouble)], "{act:?}");
        let commands = server.seen().commands;
        assert!(!commands.iter().any(|command| command.starts_with("AUTH")), "{act:?}: no password before TLS");
        bench.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_speaks_no_tls() {
    for act in [Act::Stall, Act::Cut, Act::Babble(b"220 no TLS here\r\n")] {
        let server = Server::bad_at(At::Greeting, act, usize::MAX).await;
        let mut bench = Bench::start(with_tls(impatient(server.port), Tls::Implicit, None));
        assert_eq!(word(&bench.send(1).await), "later", "{act:?}");
        assert_eq!(bench.kinds(), [Some(TroubleKind::Unreachable)], "{act:?}");
        bench.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_storm_of_connections() {
    for act in [Act::Cut, Act::Say(b"421 busy\r\n"), Act::Say(b"554 never\r\n")] {
        let server = Server::bad_at(At::Greeting, act, usize::MAX).await;
        let mut settings = settings(server.port);
        settings.patience.rest = Duration::from_secs(2);
        settings.patience.longest_rest = Duration::from_secs(60);
        let mut bench = Bench::start(settings);
        for id in 1..=500 {
            bench.parcels.send(parcel(id, b"x\r\n")).await.unwrap();
        }
        for id in 1..=500 {
            assert_eq!(word(&bench.answer(id).await), "later");
        }
        // One, a second one at once, and none for two seconds.
        assert_eq!(server.seen().connections, 2, "{act:?}");
        assert_eq!(bench.kinds().len(), 1, "{act:?}: trouble is told once");
        bench.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_listens_and_then_somebody_does() {
    let port = Server::good().await.port;
    let mut bench = Bench::start(settings(port));
    for id in 1..=50 {
        assert_eq!(word(&bench.send(id).await), "later");
    }
    assert_eq!(bench.kinds(), [Some(TroubleKind::Unreachable)]);
    bench.close().await;

    let server = Server::good().await;
    let mut away = settings(server.port);
    away.server.server = "no-such-name.invalid".to_owned();
    let mut bench = Bench::start(away);
    assert_eq!(word(&bench.send(1).await), "later");
    bench.close().await;
}
