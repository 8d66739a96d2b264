//! Logging in: each mechanism, and what a refusal does.

use std::time::Duration;

use omerta::config::{Password, Secret, Tls};
use omerta::mail::link::{FromOutbox, TroubleKind};

use crate::bench::{Bench, FROM, PASSWORD, impatient, settings, with_password, with_tls, word};
use crate::script::{Act, At, Server};

/// `\0mafia@game.test\0correct-horse`
const PLAIN: &str = "AUTH PLAIN AG1hZmlhQGdhbWUudGVzdABjb3JyZWN0LWhvcnNl";

fn auths(server: &Server) -> Vec<String> {
    let words = server.seen().commands.into_iter().skip_while(|command| !command.starts_with("AUTH"));
    words.take_while(|command| !command.starts_with("MAIL") && !command.starts_with("QUIT")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_mechanism_says_what_it_must() {
    let server = Server::good().await;
    let mut bench = Bench::start(settings(server.port));
    assert_eq!(word(&bench.send(1).await), "sent");
    assert_eq!(auths(&server), [PLAIN]);

    let server = Server::bad_at(At::Ehlo, Act::Say(b"250-script.test\r\n250 AUTH CRAM-MD5 LOGIN\r\n"), 1).await;
    let mut bench = Bench::start(settings(server.port));
    assert_eq!(word(&bench.send(1).await), "sent");
    assert_eq!(auths(&server), ["AUTH LOGIN", "bWFmaWFAZ2FtZS50ZXN0", "Y29ycmVjdC1ob3JzZQ=="]);

    let server = Server::good().await;
    let token = Password::Oauth2Command(["echo", "ya29.token"].map(str::to_owned).to_vec());
    let mut bench = Bench::start(with_password(settings(server.port), token));
    assert_eq!(word(&bench.send(1).await), "sent");
    // `user=mafia@game.test^Aauth=Bearer ya29.token^A^A`
    assert_eq!(auths(&server), ["AUTH XOAUTH2 dXNlcj1tYWZpYUBnYW1lLnRlc3QBYXV0aD1CZWFyZXIgeWEyOS50b2tlbgEB"]);

    let server = Server::bad_at(At::Ehlo, Act::Say(b"250 script.test\r\n"), 1).await;
    let mut without = settings(server.port);
    without.server.login = None;
    let mut bench = Bench::start(without);
    assert_eq!(word(&bench.send(1).await), "sent");
    assert_eq!(auths(&server), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_mechanism_that_we_know() {
    let server =
        Server::bad_at(At::Ehlo, Act::Say(b"250-script.test\r\n250 AUTH CRAM-MD5 XOAUTH2\r\n"), usize::MAX).await;
    let mut bench = Bench::start(settings(server.port));
    assert_eq!(word(&bench.send(1).await), "later");
    assert_eq!(bench.kinds(), [Some(TroubleKind::Unable)]);
    assert_eq!(auths(&server), Vec::<String>::new());
}

/// The server gives the reason of a refused token as a challenge, and wants an empty answer before it says no.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_refused() {
    let server = Server::start(|_, at| match at {
        At::Auth => Some(Act::Say(b"334 eyJzdGF0dXMiOiI0MDEifQ==\r\n")),
        At::Other => Some(Act::Say(b"535 5.7.8 bad token\r\n")),
        _ => None,
    })
    .await;
    let token = Password::Oauth2Command(["sh", "-c", "date +%N"].map(str::to_owned).to_vec());
    let mut bench = Bench::start(with_password(settings(server.port), token));
    for id in 1..=30 {
        assert_eq!(word(&bench.send(id).await), "later");
    }
    assert_eq!(bench.kinds(), [Some(TroubleKind::LoginRefused)]);
    assert_eq!(server.seen().connections, 1, "a new token each time is no reason to try again at once");
    assert_eq!(auths(&server)[1..], [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_password_is_not_tried_again_until_it_changes() {
    let server =
        Server::bad_at(At::Auth, Act::Say(b"535-5.7.8 Username and Password\r\n535 5.7.8 not accepted\r\n"), 2).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("smtp.secret");
    std::fs::write(&file, "old\n").unwrap();
    let mut settings = with_password(settings(server.port), Password::File(file.clone()));
    settings.patience.look = Duration::from_millis(20);
    let mut bench = Bench::start(settings);
    for id in 1..=40 {
        assert_eq!(word(&bench.send(id).await), "later");
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let news = bench.news();
    let [FromOutbox::Trouble(trouble)] = &news[..] else { panic!("{news:?}") };
    assert_eq!(trouble.kind, TroubleKind::LoginRefused);
    assert!(trouble.said.contains("535 5.7.8") && trouble.said.contains("app password"), "{}", trouble.said);
    assert_eq!(server.seen().connections, 1, "one login, and no second with the same password");

    std::fs::write(&file, "another wrong one\n").unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(word(&bench.send(41).await), "later");
    assert_eq!(server.seen().connections, 2);

    std::fs::write(&file, PASSWORD).unwrap();
    bench.send_until_taken(42).await;
    assert_eq!(server.seen().connections, 3);
    assert_eq!(bench.kinds(), [None]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_password_and_a_password_command_without_end() {
    let server = Server::good().await;
    let folder = tempfile::tempdir().unwrap();
    let missing = Password::File(folder.path().join("missing"));
    let mut bench = Bench::start(with_password(settings(server.port), missing));
    assert_eq!(word(&bench.send(1).await), "later");
    let news = bench.news();
    let [FromOutbox::Trouble(trouble)] = &news[..] else { panic!("{news:?}") };
    assert_eq!(trouble.kind, TroubleKind::NoPassword);
    assert!(!trouble.said.contains(".."), "{}", trouble.said);

    let runs = folder.path().join("runs");
    let script = format!("echo run >> '{}'; sleep 3", runs.display());
    let endless = Password::Command(["sh", "-c", &script].map(str::to_owned).to_vec());
    let mut bench = Bench::start(with_password(impatient(server.port), endless));
    for id in 1..=3 {
        assert_eq!(word(&bench.send(id).await), "later");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(bench.kinds(), [Some(TroubleKind::NoPassword)]);
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), "run\n", "no second command beside one that hangs");
    assert_eq!(server.seen().connections, 0);
}

/// The config refuses it, and yet: no password in the clear to another machine.
#[tokio::test(flavor = "multi_thread")]
async fn without_tls_only_this_machine_is_spoken_to() {
    for name in ["192.0.2.1", "2001:db8::1", "[2001:db8::1]"] {
        let mut away = with_tls(settings(25), Tls::None, None);
        away.server.server = name.to_owned();
        let mut bench = Bench::start(away);
        assert_eq!(word(&bench.send(1).await), "later");
        assert_eq!(bench.kinds(), [Some(TroubleKind::Unable)], "{name}");
    }
}

#[test]
fn settings_print_no_password() {
    let shown = format!("{:?}", with_password(settings(1), Password::Plain(Secret::new(PASSWORD))));
    assert!(shown.contains(FROM) && !shown.contains(PASSWORD), "{shown}");
}
