//! The ways in, and the ways to be kept out.

use std::time::Duration;

use omerta::config::{Password, Tls};
use omerta::mail::link::TroubleKind;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::desk::{Desk, encrypted, plain};
use crate::house::whole::put;
use crate::proxy::Proxy;
use crate::server::{Client, letter, server, user};

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_tls_leads_in() {
    let ca_file = Some(server().ca_file.clone());
    for settings in [
        encrypted(&user(), server().imaps, Tls::Implicit, ca_file.clone()),
        encrypted(&user(), server().imap, Tls::Starttls, ca_file),
        plain(&user(), server().imap),
    ] {
        Client::of(&settings.server.login.as_ref().unwrap().user).append("INBOX", &letter("one"));
        let mut desk = Desk::new(settings.clone());
        desk.read_through().await;
        assert_eq!(desk.subjects(), ["one"], "{:?}", settings.server.tls);
        assert!(desk.troubles.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_believed_without_a_certificate() {
    for tls in [Tls::Implicit, Tls::Starttls] {
        let port = if tls == Tls::Implicit { server().imaps } else { server().imap };
        let proxy = Proxy::before(port).await;
        let mut desk = Desk::new(encrypted(&user(), proxy.port(), tls, None));
        desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
        assert_eq!(desk.troubles[0].kind, TroubleKind::Untrusted);
        assert!(desk.troubles[0].said.contains("ca_file"), "{}", desk.troubles[0].said);
        desk.linger(Duration::from_millis(300)).await;
        assert_eq!(desk.troubles.len(), 1);
        assert!(!proxy.heard().to_uppercase().contains("LOGIN"), "a password went to a stranger");
        // The name on the certificate counts too.
        let mut settings = encrypted(&user(), port, tls, Some(server().ca_file.clone()));
        settings.server.server = "ip6-localhost".to_owned();
        let resolves = tokio::net::lookup_host(("ip6-localhost", port)).await.is_ok();
        if resolves {
            let mut desk = Desk::new(settings);
            desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_login_is_told_once_and_not_tried_in_a_loop() {
    let user = user();
    Client::of(&user).append("INBOX", &letter("one"));
    let proxy = Proxy::before(server().imap).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "wrong-password\n").unwrap();
    let mut settings = plain(&user, proxy.port());
    settings.server.login.as_mut().unwrap().password = Password::File(file.clone());
    let mut desk = Desk::new(settings);
    desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
    assert_eq!(desk.troubles[0].kind, TroubleKind::LoginRefused);
    let said = &desk.troubles[0].said;
    assert!(said.contains("app password") && !said.contains("wrong-password") && !said.contains(&user), "{said}");
    desk.order(omerta::mail::link::ToInbox::ReadNow).await;
    desk.linger(Duration::from_millis(600)).await;
    assert_eq!((desk.troubles.len(), proxy.opened()), (1, 1));
    // Another password is tried at once.
    put(&file, &format!("{}\n", server().password));
    desk.read_through().await;
    assert_eq!((desk.recovered, proxy.opened()), (1, 2));
    assert_eq!(desk.subjects(), ["one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    let user = user();
    let mut settings = plain(&user, server().imap);
    settings.server.login.as_mut().unwrap().password = Password::File(file.clone());
    let mut desk = Desk::new(settings);
    desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
    assert_eq!(desk.troubles[0].kind, TroubleKind::NoPassword);
    assert!(desk.troubles[0].said.contains("password_file"), "{}", desk.troubles[0].said);
    put(&file, &server().password);
    desk.read_through().await;
    assert_eq!(desk.recovered, 1);
}

/// A server that says what the test wants, and tells what it heard.
async fn scripted(answers: &'static [(&'static str, &'static str)]) -> (u16, tokio::task::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let talking = tokio::spawn(async move {
        let (line, _) = listener.accept().await.unwrap();
        let (from, mut to) = line.into_split();
        let mut lines = BufReader::new(from).lines();
        let mut heard = Vec::new();
        to.write_all(b"* OK ready\r\n").await.unwrap();
        for (_, answer) in answers {
            let Ok(Some(said)) = lines.next_line().await else { break };
            let tag = said.split(' ').next().unwrap_or_default().to_owned();
            heard.push(said);
            to.write_all(answer.replace("TAG", &tag).as_bytes()).await.unwrap();
        }
        heard
    });
    (port, talking)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_goes_by_xoauth2() {
    let (port, talking) = scripted(&[
        ("the command", "+ \r\n"),
        ("the token", "+ eyJzdGF0dXMiOiI0MDEifQ==\r\n"),
        ("the empty line", "a1 NO [AUTHENTICATIONFAILED] no\r\n"),
    ])
    .await;
    let mut settings = plain("mafia@example.org", port);
    let command = ["printf", "t0ken"].map(str::to_owned).to_vec();
    settings.server.login.as_mut().unwrap().password = Password::Oauth2Command(command);
    let mut desk = Desk::new(settings);
    desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
    assert_eq!(desk.troubles[0].kind, TroubleKind::LoginRefused);
    assert!(desk.troubles[0].said.contains("oauth2_token_command"), "{}", desk.troubles[0].said);
    let heard = talking.await.unwrap();
    let token = data_encoding::BASE64.encode(b"user=mafia@example.org\x01auth=Bearer t0ken\x01\x01");
    assert_eq!(heard, ["a1 AUTHENTICATE XOAUTH2", token.as_str(), ""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_before_tls_can_not_keep_it_away() {
    let (port, talking) = scripted(&[("the command", "TAG NO not here\r\n"), ("nothing", "")]).await;
    let mut desk = Desk::new(encrypted("p01", port, Tls::Starttls, Some(server().ca_file.clone())));
    desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
    assert_eq!(desk.troubles[0].kind, TroubleKind::Unable);
    assert_eq!(talking.await.unwrap(), ["a1 STARTTLS"]);
}

/// The config refuses it, and yet a name may point elsewhere by now: no password in the clear to another machine.
#[tokio::test(flavor = "multi_thread")]
async fn without_tls_only_this_machine_is_spoken_to() {
    for name in ["192.0.2.1", "2001:db8::1", "[2001:db8::1]"] {
        let mut settings = plain("p01", 143);
        settings.server.server = name.to_owned();
        let mut desk = Desk::new(settings);
        desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
        assert_eq!(desk.troubles[0].kind, TroubleKind::Unable, "{name}: {:?}", desk.troubles);
        assert!(desk.troubles[0].said.contains("on this machine only"), "{name}: {:?}", desk.troubles);
    }
}

/// Another token each time is no other password: the provider would see a login a minute.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_not_tried_in_a_loop_however_new_the_next_one_is() {
    let proxy = Proxy::before(server().imap).await;
    let mut settings = plain(&user(), proxy.port());
    let command = ["sh", "-c", "date +%N"].map(str::to_owned).to_vec();
    settings.server.login.as_mut().unwrap().password = Password::Oauth2Command(command);
    settings.times.password = Duration::from_millis(20);
    settings.times.refused = Duration::from_millis(1500);
    let mut desk = Desk::new(settings);
    desk.until("the trouble", |desk| !desk.troubles.is_empty()).await;
    assert_eq!(desk.troubles[0].kind, TroubleKind::LoginRefused);
    desk.linger(Duration::from_millis(600)).await;
    assert_eq!((desk.troubles.len(), proxy.opened()), (1, 1));
    while proxy.opened() == 1 {
        desk.linger(Duration::from_millis(50)).await;
    }
}
