//! Any combination of headers: nothing proves a sender but the ways that are meant to.

use omerta::mail::headers::split;
use omerta::mail::identity::Testimony;
use omerta::mail::identity::mailbox::is_sole_mailbox;
use omerta::mail::identity::results::read_results;
use omerta::mail::parse::parse;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::house::address;
use crate::town::{FAIL, PASS, RECEIVED, TAG, Town};

/// Lines of which a forger may build a header. None of them proves anything below our own `Received`.
fn line() -> impl Strategy<Value = String> {
    let anna = address(TAG, 0);
    let other = "evil@elsewhere.test";
    prop::sample::select(vec![
        PASS.to_owned(),
        FAIL.to_owned(),
        RECEIVED.to_owned(),
        format!("ARC-{PASS}"),
        "Authentication-Results: mx.game.test;\r\n dmarc=pass (ok)\r\n".to_owned(),
        "Authentication-Results : mx.game.test; dkim=pass header.d=palermo.test\r\n".to_owned(),
        "Received-SPF: pass\r\n".to_owned(),
        format!("From: <{anna}>\r\n"),
        format!("From: \"{anna}\" <{other}>\r\n"),
        format!("Sender: <{anna}>\r\n"),
        format!("Reply-To: <{other}>\r\n"),
        format!("Resent-From: <{anna}>\r\n"),
        format!("Return-Path: <{anna}>\r\n"),
        format!("Subject: Re: [{TAG}] \r\n"),
        "In-Reply-To: <abcdefghijklmnop@example.org>\r\n".to_owned(),
        "References: <a@b> <aaaaaaaaaaaaaaaa@example.org>\r\n".to_owned(),
        "To: <mafia+abcdefgh234567ab@example.org>\r\n".to_owned(),
        "X-Omerta-Game: palermo\r\n".to_owned(),
        " folded: <x@y>\r\n".to_owned(),
        "no header at all\r\n".to_owned(),
        "Delivered-To: mafia@example.org\r\n".to_owned(),
    ])
}

proptest! {
    /// What stands below the topmost `Received`, or in a letter without one, never speaks for a sender.
    #[test]
    fn nothing_below_our_own_received_speaks_for_a_sender(lines in prop::collection::vec(line(), 0..12)) {
        let trusted = ["mx.game.test".to_owned()];
        for header in [format!("{RECEIVED}{}", lines.concat()), lines.concat().replace(RECEIVED, "")] {
            let (headers, _) = split(header.as_bytes());
            prop_assert!(!Testimony::of(&headers).speaks_for("p00@palermo.test", &trusted), "{header}");
        }
    }

    /// A failure above it is never outvoted.
    #[test]
    fn a_failure_above_it_always_counts(above in prop::collection::vec(line(), 0..6), below in prop::collection::vec(line(), 0..6)) {
        let trusted = ["mx.game.test".to_owned()];
        let above = above.concat().replace(RECEIVED, "").replace("no header at all\r\n", "").replace(" folded: <x@y>\r\n", "");
        let header = format!("{above}{FAIL}{RECEIVED}{}", below.concat());
        let testimony = Testimony::of(&split(header.as_bytes()).0);
        prop_assert!(testimony.speaks_against() && !testimony.speaks_for("p00@palermo.test", &trusted), "{header}");
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "[;=\"()\\\\ a-z./@<>,:]{0,80}") {
        for value in [bytes.as_slice(), text.as_bytes()] {
            read_results(value);
            is_sole_mailbox(value, "p@x.test");
            parse(&[b"Authentication-Results: ", value, b"\r\nFrom: ", value, b"\r\n\r\n"].concat(), None);
        }
    }

    /// Of whatever stands in a From, the address is there in plain letters.
    #[test]
    fn a_sender_is_written_in_plain_letters(from in "[ <>\"(),:;@=?a-z.\\\\]{0,40}") {
        let incoming = parse(format!("From: {from}\r\n\r\nx").as_bytes(), None);
        if let Some(address) = incoming.from {
            prop_assert!(from.to_lowercase().contains(&address), "{from}: {address}");
            prop_assert_eq!(address.matches('@').count(), 1);
        }
    }
}

/// Reader of addresses or not: a group is no mailbox, even one that lacks its end.
#[test]
fn a_group_is_no_mailbox() {
    for from in ["players: <p@x.test>", "players : <p@x.test>", "\"players\": <p@x.test>;", "players: p@x.test;"] {
        assert!(!is_sole_mailbox(from.as_bytes(), "p@x.test"), "{from}");
    }
    assert!(is_sole_mailbox(b"Re: Anna <p@x.test>", "p@x.test"));
}

/// Random letters through the whole house: in a game where more than From is wanted none of them votes.
#[test]
fn random_letters_never_vote() {
    let mut town = Town::new("verified");
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for n in 0..150 {
        let lines = prop::collection::vec(line(), 0..9).new_tree(&mut runner).unwrap().current();
        let header = format!("{RECEIVED}{}Message-ID: <{n}@elsewhere.test>\r\n", lines.concat());
        town.deliver(&header, &format!("Суд Линча - Борис\nписьмо {n}"));
    }
    for player in 0..6 {
        assert_eq!(town.vote(player), None);
    }
    town.write(0, PASS, "Суд Линча - Борис");
    assert_eq!(town.vote(0).as_deref(), Some("Борис"));
}
