//! Letters through a program.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use omerta::mail::link::{Delivered, FromOutbox, Outcome, Parcel, TroubleKind};
use omerta::mail::sendmail::{SendmailSettings, run};
use tokio::sync::mpsc;

use crate::bench::{PATIENT, word};

fn program(folder: &Path, name: &str, script: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\ncd '{}'\n{script}\n", folder.display())).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// The answers to letters to these addresses, and the news.
async fn send(command: &[&str], bytes: &[u8], addresses: &[&str]) -> (Vec<Outcome>, Vec<FromOutbox>) {
    let (parcels, parcels_in) = mpsc::channel(100);
    let (delivered_out, mut delivered) = mpsc::channel(100);
    let (news_out, mut news) = mpsc::channel(100);
    let settings = SendmailSettings {
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        from: "mafia@game.test".to_owned(),
        patience: Duration::from_millis(1500),
    };
    let task = tokio::spawn(run(settings, parcels_in, delivered_out, news_out));
    for (id, address) in (1..).zip(addresses) {
        parcels.send(Parcel { id, address: (*address).to_owned(), bytes: bytes.to_vec() }).await.unwrap();
    }
    drop(parcels);
    let mut outcomes = Vec::new();
    for id in 1..=i64::try_from(addresses.len()).unwrap() {
        let answer: Delivered = tokio::time::timeout(PATIENT, delivered.recv()).await.unwrap().unwrap();
        assert_eq!(answer.id, id);
        outcomes.push(answer.outcome);
    }
    tokio::time::timeout(PATIENT, task).await.expect("the task does not end").unwrap();
    let mut all = Vec::new();
    while let Ok(one) = news.try_recv() {
        all.push(one);
    }
    (outcomes, all)
}

#[tokio::test]
async fn the_program_gets_the_letter_and_the_address() {
    let folder = tempfile::tempdir().unwrap();
    let sendmail = program(folder.path(), "sendmail", "printf '%s\\n' \"$@\" >> words; cat >> letters");
    let odd = "-oQ$(touch${IFS}hacked)@x.test";
    let (outcomes, news) = send(&[&sendmail, "-v"], b"a: b\r\n\r\n.\nend", &["anna@x.test", odd]).await;
    assert_eq!((outcomes, news), (vec![Outcome::Sent, Outcome::Sent], Vec::new()));
    let words = std::fs::read_to_string(folder.path().join("words")).unwrap();
    let of = |address: &str| format!("-v\n-i\n-f\nmafia@game.test\n--\n{address}\n");
    assert_eq!(words, of("anna@x.test") + &of(odd));
    assert_eq!(std::fs::read_to_string(folder.path().join("letters")).unwrap(), "a: b\n\n.\nend\n".repeat(2));
    assert!(!folder.path().join("hacked").exists(), "a shell came between");
}

#[tokio::test]
async fn exit_codes_are_those_of_sysexits() {
    let folder = tempfile::tempdir().unwrap();
    for (end, expected) in [
        ("exit 0", "sent"),
        ("exit 75", "later"),
        ("exit 64", "later"),
        ("exit 65", "refused"),
        ("exit 67", "refused"),
        ("exit 68", "later"),
        ("exit 74", "later"),
        ("exit 77", "later"),
        ("exit 78", "later"),
        ("exit 1", "later"),
        ("exit 63", "later"),
        ("exit 79", "later"),
        ("exit 127", "later"),
        ("kill -9 $$", "later"),
    ] {
        let path = program(folder.path(), "send", &format!("cat > /dev/null\n{end}"));
        let (outcomes, news) = send(&[&path], b"x\r\n", &["anna@x.test"]).await;
        assert_eq!(word(&outcomes[0]), expected, "{end}: {outcomes:?}");
        assert_eq!(news, [], "{end}");
        assert!(!format!("{outcomes:?}").contains("anna"));
    }
}

#[tokio::test]
async fn a_program_that_does_not_read_or_does_not_end() {
    let folder = tempfile::tempdir().unwrap();
    let large = b"x\r\n".repeat(200_000);
    let deaf = program(folder.path(), "deaf", "exec sleep 30");
    assert_eq!(word(&send(&[&deaf], &large, &["a@x.test"]).await.0[0]), "later");
    let slow = program(folder.path(), "slow", "cat > /dev/null; exec sleep 30");
    assert_eq!(word(&send(&[&slow], &large, &["a@x.test"]).await.0[0]), "unknown");
    let hasty = program(folder.path(), "hasty", "exit 0");
    assert_eq!(word(&send(&[&hasty], &large, &["a@x.test"]).await.0[0]), "unknown");
    let rude = program(folder.path(), "rude", "exit 67");
    assert_eq!(word(&send(&[&rude], &large, &["a@x.test"]).await.0[0]), "refused");
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").display().to_string();
    let (outcomes, news) = send(&[&path], b"x\r\n", &["a@x.test", "b@x.test"]).await;
    assert!(outcomes.iter().all(|outcome| word(outcome) == "later"), "{outcomes:?}");
    let [FromOutbox::Trouble(trouble)] = &news[..] else { panic!("told once: {news:?}") };
    assert_eq!(trouble.kind, TroubleKind::Unable);
}

/// One at a time: two runs never overlap.
#[tokio::test]
async fn one_run_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let path =
        program(folder.path(), "send", "mkdir busy || echo overlap >> fault; cat > /dev/null; sleep 0.05; rmdir busy");
    let (outcomes, _) = send(&[&path], b"x\r\n", &["a@x.test"; 5]).await;
    assert_eq!(outcomes, vec![Outcome::Sent; 5]);
    assert!(!folder.path().join("fault").exists());
}
