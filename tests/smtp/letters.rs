//! What goes over a line that is in order: bytes, order, many letters, a line that died at rest, a block.

use std::time::Duration;

use omerta::mail::link::{Outcome, Parcel, TroubleKind};

use crate::bench::{Bench, FROM, TO, parcel, settings, word};
use crate::script::{Act, At, Letter, Server};

#[tokio::test(flavor = "multi_thread")]
async fn bytes_arrive_as_they_should() {
    let server = Server::good().await;
    let mut bench = Bench::start(settings(server.port));
    let cases: [(&[u8], &[u8]); 6] = [
        (b"Subject: x\r\n\r\nwords\r\n", b"Subject: x\r\n\r\nwords\r\n"),
        (b"a: b\r\n\r\n.\r\n..\r\n.dot\r\n.\r\n", b"a: b\r\n\r\n.\r\n..\r\n.dot\r\n.\r\n"),
        // What would be commands to a server that takes a bare LF or CR for an end.
        (b"a: b\r\n\r\nx\n.\nMAIL FROM:<e@x.test>\n", b"a: b\r\n\r\nx\r\n.\r\nMAIL FROM:<e@x.test>\r\n"),
        (b"a: b\r\n\r\nx\r.\rRSET\r\r\n", b"a: b\r\n\r\nx\r\n.\r\nRSET\r\n\r\n"),
        (b"a: b\r\n\r\nx\n.\r\nQUIT\r\n", b"a: b\r\n\r\nx\r\n.\r\nQUIT\r\n"),
        (b"a: b\r\n\r\nno end", b"a: b\r\n\r\nno end\r\n"),
    ];
    for (id, (stored, _)) in (1..).zip(cases) {
        assert_eq!(bench.send_bytes(id, stored).await, Outcome::Sent);
    }
    let letter = |bytes: &[u8]| Letter { from: FROM.to_owned(), to: TO.to_owned(), bytes: bytes.to_vec() };
    assert_eq!(server.seen().letters, cases.map(|(_, arrived)| letter(arrived)));
    let commands = server.seen().commands;
    assert_eq!(commands.len(), 2 + 3 * cases.len(), "nothing in a letter became a command: {commands:?}");
    bench.close().await;
    assert_eq!(server.seen().commands.last().unwrap(), "QUIT");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_letters_on_one_line() {
    let server = Server::good().await;
    let mut bench = Bench::start(settings(server.port));
    for id in 1..=1000 {
        bench.parcels.send(parcel(id, format!("Subject: {id}\r\n\r\n.\r\n").as_bytes())).await.unwrap();
    }
    for id in 1..=1000 {
        assert_eq!(bench.answer(id).await, Outcome::Sent);
    }
    let seen = server.seen();
    assert_eq!((seen.connections, seen.letters.len()), (1, 1000));
    assert!(
        (1..=1000)
            .zip(&seen.letters)
            .all(|(id, letter)| letter.bytes.starts_with(format!("Subject: {id}\r").as_bytes()))
    );
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_bit_letters_and_odd_addresses() {
    let server = Server::good().await;
    let mut bench = Bench::start(settings(server.port));
    assert_eq!(bench.send_bytes(1, "a: b\r\n\r\nслово\r\n".as_bytes()).await, Outcome::Sent);
    let mail = server.seen().commands.into_iter().find(|command| command.starts_with("MAIL")).unwrap();
    assert_eq!(mail, format!("MAIL FROM:<{FROM}> BODY=8BITMIME"));
    for (id, address) in
        (2..).zip(["", "anna", "a b@x.test", "a@x.test>\r\nRSET", "\"a>b\"@x.test", "а@x.test", "a@x.test\0"])
    {
        bench.parcels.send(Parcel { id, address: address.to_owned(), bytes: b"x\r\n".to_vec() }).await.unwrap();
        assert_eq!(word(&bench.answer(id).await), "refused", "{address:?}");
    }
    assert_eq!(server.seen().letters.len(), 1);
    assert_eq!(bench.send(20).await, Outcome::Sent);
    assert_eq!((server.seen().connections, bench.kinds()), (1, Vec::new()));

    let server = Server::bad_at(At::Ehlo, Act::Say(b"250-script.test\r\n250 AUTH PLAIN\r\n"), 1).await;
    let mut bench = Bench::start(settings(server.port));
    assert_eq!(word(&bench.send_bytes(1, "a: b\r\n\r\nслово\r\n".as_bytes()).await), "refused");
    assert_eq!(bench.send(2).await, Outcome::Sent);
}

/// A line that died at rest is no fault of the next letter: nothing was begun, and a new line is opened without a word.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_died_at_rest() {
    for act in
        [Act::Cut, Act::SayAndCut(b"421 4.4.2 idle for too long\r\n"), Act::Say(b"250 what nobody asked for\r\n")]
    {
        let server = Server::bad_at(At::Rest, act, 1).await;
        let mut bench = Bench::start(settings(server.port));
        assert_eq!(bench.send(1).await, Outcome::Sent);
        // Whether the farewell is seen before MAIL FROM or after it must make no difference.
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(bench.send(2).await, Outcome::Sent, "{act:?}");
        let seen = server.seen();
        assert_eq!((seen.connections, seen.letters.len()), (2, 2), "{act:?}");
        assert_eq!(bench.kinds(), [], "{act:?}: nobody is told");
        bench.close().await;
    }
}

/// The same when the server hangs up just as MAIL FROM comes; but once, and never for a letter that it has.
#[tokio::test(flavor = "multi_thread")]
async fn one_quiet_reconnect_and_no_second() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for (at, act, bad, outcome, connections) in [
        (At::Mail, Act::Cut, 1, "sent", 2),
        (At::Mail, Act::Say(b"421 4.4.2 bye\r\n"), 1, "sent", 2),
        (At::Mail, Act::Cut, 2, "later", 2),
        (At::Rcpt, Act::Cut, 1, "later", 1),
        (At::Data, Act::Cut, 1, "later", 1),
        (At::Dot, Act::Cut, 1, "unknown", 1),
        (At::Dot, Act::Say(b"421 4.3.2 bye\r\n"), 1, "later", 1),
    ] {
        // The first letter goes well; then the step is bad so many times.
        let passed = AtomicUsize::new(0);
        let server = Server::start(move |_, step| {
            (step == at && (1..=bad).contains(&passed.fetch_add(1, Ordering::SeqCst))).then_some(act)
        })
        .await;
        let mut bench = Bench::start(settings(server.port));
        assert_eq!(bench.send(1).await, Outcome::Sent);
        let answer = bench.send(2).await;
        assert_eq!(word(&answer), outcome, "{at:?} {act:?} {bad}: {answer:?}");
        assert_eq!(server.seen().connections, connections, "{at:?} {act:?} {bad}");
        bench.send_until_taken(3).await;
        bench.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_at_rest_is_closed_in_time() {
    let server = Server::good().await;
    let mut settings = settings(server.port);
    settings.patience.idle = Duration::from_millis(50);
    let mut bench = Bench::start(settings);
    assert_eq!(bench.send(1).await, Outcome::Sent);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.seen().commands.last().unwrap(), "QUIT");
    assert_eq!(bench.send(2).await, Outcome::Sent);
    assert_eq!((server.seen().connections, bench.kinds()), (2, Vec::new()));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_stops_everything() {
    for (at, reply) in [
        (At::Dot, b"550-5.4.5 Daily user sending limit exceeded. For more\r\n550 5.4.5 information\r\n".as_slice()),
        (At::Dot, b"554 5.7.1 [2] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc\r\n"),
        (At::Rcpt, b"450 4.7.1 too many messages from anna.secret@player.test\r\n"),
        (At::Mail, b"421 4.7.0 unusual rate of unsolicited mail\r\n"),
        (At::Greeting, b"421 4.7.0 unusual rate of unsolicited mail\r\n"),
    ] {
        let server = Server::bad_at(at, Act::Say(reply), usize::MAX).await;
        let mut settings = settings(server.port);
        settings.patience.longest_rest = Duration::from_secs(60);
        let mut bench = Bench::start(settings);
        for id in 1..=50 {
            bench.parcels.send(parcel(id, b"x\r\n")).await.unwrap();
        }
        for id in 1..=50 {
            let answer = bench.answer(id).await;
            let Outcome::Blocked { why } = &answer else { panic!("{at:?}: {answer:?}") };
            assert!(why.contains(std::str::from_utf8(&reply[..3]).unwrap()), "{why}");
        }
        let seen = server.seen();
        let mails = seen.commands.iter().filter(|command| command.starts_with("MAIL")).count();
        assert_eq!((seen.connections, mails), (1, usize::from(at != At::Greeting)), "{at:?}: a try prolongs it");
        assert_eq!(bench.kinds(), [], "{at:?}: the outcome says it");
        bench.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_task_ends_when_nobody_takes_its_answers() {
    let server = Server::good().await;
    let bench = Bench::start(settings(server.port));
    drop(bench.delivered);
    bench.parcels.send(parcel(1, b"x\r\n")).await.unwrap();
    tokio::time::timeout(Duration::from_secs(10), bench.task).await.expect("it goes on").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_of_another_kind_is_told_as_well() {
    let server = Server::start(|nth, at| match (nth, at) {
        (1, At::Greeting) => Some(Act::Cut),
        (2, At::Greeting) => Some(Act::Say(b"554 no service\r\n")),
        (3, At::Greeting) => Some(Act::Cut),
        _ => None,
    })
    .await;
    let mut bench = Bench::start(settings(server.port));
    bench.send_until_taken(1).await;
    use TroubleKind::{Unable, Unreachable};
    assert_eq!(bench.kinds(), [Some(Unreachable), Some(Unable), Some(Unreachable), None]);
    bench.close().await;
}
