//! Bounces of every dialect: recognised, read, told apart. Samples are of our own making, in the forms that servers use.
#![cfg(test)]

use omerta::mail::bounce::{self, Weight};
use omerta::mail::{Automatic, parse};

const ID: &str = "abcdefgh23456789@game.test";
const TO: &str = "anna@mail.test";

fn report(from: &str, action: &str, status: &str, diagnostic: &str) -> String {
    format!(
        "Return-Path: <>\nFrom: {from}\nTo: mafia@game.test\nSubject: Undelivered Mail Returned to Sender\n\
         Auto-Submitted: auto-replied\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\n\n\
         --b1\nContent-Type: text/plain\n\nThis is the mail system. I'm sorry.\n\n<{TO}>: no\n\n\
         --b1\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.mail.test\n\n\
         Final-Recipient: rfc822; Anna@Mail.test\nOriginal-Recipient: rfc822;{TO}\nAction: {action}\n\
         Status: {status}\nDiagnostic-Code: smtp; {diagnostic}\n\n\
         --b1\nContent-Type: message/rfc822\n\nReceived: from x by y\nMessage-ID: <{ID}>\nTo: {TO}\nSubject: x\n\n\
         Суд Линча - Борис\n--b1--\n"
    )
}

fn prose(headers: &str, told: &str) -> String {
    format!(
        "Return-Path: <>\nTo: mafia@game.test\n{headers}\n\n{told}\n\nReturn-Path: <mafia@game.test>\nReceived: from x\n\
         Message-ID: <{ID}>\nTo: {TO}\nSubject: x\n\nСуд Линча - Борис\n"
    )
}

fn weight_of(letter: &str) -> (Weight, Option<String>) {
    let read = bounce::read(letter.as_bytes());
    assert_eq!(read.message_ids.first().map(String::as_str), Some(ID), "{letter}");
    assert_eq!(read.failures.len(), 1, "{letter}");
    assert!(read.failures[0].addresses.contains(&TO.to_owned()), "{:?}", read.failures);
    (read.failures[0].weight, read.failures[0].status.clone())
}

#[test]
fn reports_of_rfc_3464_are_told_apart() {
    let daemon = "MAILER-DAEMON@mx.mail.test (Mail Delivery System)";
    for (action, status, diagnostic, weight) in [
        ("failed", "5.1.1", "550 5.1.1 User unknown", Weight::Hard),
        ("failed", "5.1.2", "bad host", Weight::Hard),
        ("failed", "5.1.10", "550 5.1.10 RESOLVER.ADR.RecipientNotFound", Weight::Hard),
        ("failed", "5.2.1", "550 5.2.1 mailbox disabled", Weight::Hard),
        ("failed", "5.4.4", "Host or domain name not found", Weight::Hard),
        ("failed", "5.0.0", "550 5.1.1 no such user", Weight::Hard),
        ("failed", "5.0.0", "550 No such user here", Weight::Hard),
        ("failed", "5.0.0", "550 rejected", Weight::Soft),
        ("failed", "5.1.8", "501 5.1.8 domain of sender does not exist", Weight::Soft),
        ("failed", "5.2.2", "552 5.2.2 mailbox full", Weight::Soft),
        ("failed", "5.7.1", "550 5.7.1 spam", Weight::Soft),
        ("failed", "4.4.7", "delivery time expired", Weight::Soft),
        ("delayed", "4.4.1", "connection timed out", Weight::Delayed),
    ] {
        let letter = report(daemon, action, status, diagnostic);
        assert_eq!(parse::parse(letter.as_bytes(), None).automatic, Some(Automatic::Bounce));
        assert_eq!(weight_of(&letter).0, weight, "{action} {status} {diagnostic}");
    }
    let delivered = report(daemon, "delivered", "2.0.0", "250 ok");
    assert_eq!(bounce::read(delivered.as_bytes()).failures, [], "a success is no failure");
}

#[test]
fn bounces_without_a_report_are_told_apart() {
    let to_anna = format!("X-Failed-Recipients: {TO}\n");
    for (name, headers, told, weight) in [
        (
            "exim",
            format!("From: Mailer-Daemon@mx.test\n{to_anna}Subject: Mail delivery failed"),
            format!("This message was created automatically.\n\n  {TO}\n    550 Unrouteable address\n"),
            Weight::Hard,
        ),
        (
            "mail.ru",
            format!("From: mailer-daemon@corp.mail.ru\n{to_anna}Subject: Mail failure.\nContent-Type: text/plain; charset=utf-8"),
            format!("К сожалению, Ваше письмо не может быть доставлено.\n\n  {TO}\n    550 <{TO}>:\n    User\n unknown\n"),
            Weight::Hard,
        ),
        (
            "mail.ru, full",
            format!("From: mailer-daemon@corp.mail.ru\n{to_anna}Subject: Mail failure."),
            format!("  {TO}\n    552 5.2.2 mailbox full\n"),
            Weight::Soft,
        ),
        (
            "mail.ru, a domain without mail",
            format!("From: mailer-daemon@corp.mail.ru\n{to_anna}Subject: Mail failure."),
            format!("  {TO}\n    an MX or SRV record indicated no SMTP service\n"),
            Weight::Hard,
        ),
        (
            "mail.ru, refused for what is in it",
            format!("From: mailer-daemon@corp.mail.ru\n{to_anna}Subject: Mail failure."),
            format!("  {TO}\n    SMTP error from remote mail server after end of data:\n    host mx.test: 550 :\n    User unknown\n"),
            Weight::Soft,
        ),
        (
            "qmail",
            "From: MAILER-DAEMON@mx.test\nSubject: failure notice".to_owned(),
            format!("Hi. This is the qmail-send program at mx.test.\n\n<{TO}>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n--- Below this line is a copy of the message.\n"),
            Weight::Hard,
        ),
        (
            "gmail, delay",
            "From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>\nSubject: Delivery Status Notification (Delay)".to_owned(),
            format!("This is an automatically generated Delivery Status Notification\n\nDelivery to the following recipient has been delayed:\n\n     {TO}\n\nMessage will be retried for 2 more day(s)\n"),
            Weight::Delayed,
        ),
        (
            "exchange",
            "From: postmaster@mx.test\nSubject: Undeliverable: x".to_owned(),
            format!("Delivery has failed to these recipients or groups:\n\n{TO}<mailto:{TO}>\nThe email address you entered couldn't be found. DSN code 5.1.1.\n\nOriginal message headers:\n"),
            Weight::Hard,
        ),
    ] {
        let letter = prose(&headers, &told);
        assert_eq!(parse::parse(letter.as_bytes(), None).automatic, Some(Automatic::Bounce), "{name}");
        assert_eq!(weight_of(&letter).0, weight, "{name}");
    }
}

#[test]
fn two_addresses_in_prose_never_take_the_blame_for_each_other() {
    let letter = prose(
        &format!("From: mailer-daemon@mx.test\nX-Failed-Recipients: {TO}, boris@mail.test"),
        "a: 550 User unknown\nb: mailbox full",
    );
    let read = bounce::read(letter.as_bytes());
    assert_eq!(read.failures.iter().map(|failure| failure.weight).collect::<Vec<_>>(), [Weight::Soft; 2]);
}

#[test]
fn a_person_who_writes_of_a_failure_and_other_robots_are_no_bounce() {
    for (headers, kind) in [
        ("From: anna@mail.test\nSubject: Undeliverable: x", None),
        ("From: postmaster@mail.test\nSubject: Привет", None),
        ("From: anna@mail.test\nReturn-Path: <>", Some(Automatic::AutoReply)),
        ("From: anna@mail.test\nAuto-Submitted: auto-replied (vacation)", Some(Automatic::AutoReply)),
        ("From: anna@mail.test\nAuto-Submitted: no", None),
        ("From: anna@mail.test\nPrecedence: bulk", Some(Automatic::AutoReply)),
        (
            "From: a@mail.test\nContent-Type: multipart/report; report-type=feedback-report; boundary=b",
            Some(Automatic::AutoReply),
        ),
        ("From: a@mail.test\nList-Id: <x.y>", Some(Automatic::List)),
        ("From: a@mail.test\nX-Loop: omerta", Some(Automatic::Own)),
        ("From: MAFIA@game.test", Some(Automatic::Own)),
    ] {
        let letter = format!("{headers}\n\nСуд Линча - Борис\n");
        assert_eq!(parse::parse(letter.as_bytes(), Some("mafia@game.test")).automatic, kind, "{headers}");
    }
    let looped = format!("From: a@mail.test\n{}\nx\n", "Received: from a by b\n".repeat(51));
    assert_eq!(parse::parse(looped.as_bytes(), None).automatic, Some(Automatic::AutoReply));
}

/// The corpus of sisimai is not ours to ship: OMERTA_CORPUS is the folder that holds `sisimai`.
#[test]
#[ignore = "needs OMERTA_CORPUS"]
#[expect(clippy::disallowed_methods, reason = "where the corpus lies is said from outside")]
fn every_letter_of_sisimais_corpus_is_what_it_is() {
    let folder = std::path::PathBuf::from(std::env::var("OMERTA_CORPUS").expect("OMERTA_CORPUS")).join("sisimai");
    // Sisimai's own table, where it has one: a row a recipient. Of two in one prose we believe nothing bad of either.
    let table = std::fs::read_to_string(folder.join("expected-ru-and-autoreply.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    let judged: Vec<&Vec<&str>> = rows.iter().filter(|row| row[0].contains("/lhost-")).collect();
    let other = judged.iter().filter(|row| {
        let bytes = std::fs::read(folder.join(row[0].rsplit('/').next().unwrap())).unwrap();
        let failure = &bounce::read(&bytes).failures[row[1].parse::<usize>().unwrap() - 1];
        (failure.weight == Weight::Hard) != (row[5] == "true")
    });
    let other: Vec<(&str, &str)> = other.map(|row| (row[0], row[1])).collect();
    assert_eq!(other, [("maildir/bsd/lhost-mailru-03.eml", "2")], "of {}", judged.len());
    let (mut bounces, mut replies, mut hard, mut nameless) = (0, 0, 0, Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "eml") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        let automatic = parse::parse(&bytes, None).automatic;
        if name.starts_with("rfc3834") {
            assert_eq!(automatic, Some(Automatic::AutoReply), "{name}");
            replies += 1;
            continue;
        }
        assert_eq!(automatic, Some(Automatic::Bounce), "{name}");
        bounces += 1;
        let read = bounce::read(&bytes);
        if read.failures.is_empty() {
            nameless.push(name.clone());
        }
        let is_hard = read.failures.iter().any(|failure| failure.weight == Weight::Hard);
        hard += usize::from(is_hard);
    }
    println!("bounces {bounces}, auto-replies {replies}, hard {hard}, nameless {nameless:?}");
    assert_eq!((bounces, replies), (54, 6));
    assert_eq!(nameless, ["rfc3464-04.eml"], "one is cut short and names nobody who plays");
}
