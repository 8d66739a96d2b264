//! A real Postfix, with the real certificates of its own authority.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use omerta::config::{Login, Password, Secret, Tls};
use omerta::mail::link::{Outcome, Parcel, TroubleKind};
use omerta::mail::smtp::SmtpSettings;

use crate::bench::{Bench, settings, with_tls, word};

/// A mail server of its own; stopped and removed with this value.
struct MailServer {
    folder: tempfile::TempDir,
    smtps: u16,
    submission: u16,
}

impl MailServer {
    fn start() -> MailServer {
        let folder = tempfile::Builder::new().prefix("omerta-smtp-").tempdir_in("/tmp").unwrap();
        // Postfix and Dovecot give up root and must still pass.
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let [imaps, imap, submission, smtps] = free_ports();
        let script = scripts().join("up.sh");
        let output = Command::new(&script)
            .arg(folder.path().join("server"))
            .env("IMAPS_PORT", imaps.to_string())
            .env("IMAP_PORT", imap.to_string())
            .env("SUBMISSION_PORT", submission.to_string())
            .env("SMTPS_PORT", smtps.to_string())
            .env("PLAYERS", "5")
            .output()
            .unwrap_or_else(|error| panic!("{} can't be run: {error}", script.display()));
        assert!(
            output.status.success(),
            "no mail server, and these tests need one. Run them as root on Debian (tests/mailserver/up.sh installs \
             postfix and dovecot), or install postfix, dovecot-imapd, dovecot-lmtpd and openssl.\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        MailServer { folder, smtps, submission }
    }

    fn settings(&self, tls: Tls) -> SmtpSettings {
        let port = if tls == Tls::Implicit { self.smtps } else { self.submission };
        let mut settings = with_tls(settings(port), tls, Some(self.folder.path().join("server/tls/ca.pem")));
        settings.server.server = "localhost".to_owned();
        settings.from = "game@game.test".to_owned();
        settings.server.login =
            Some(Login { user: "game".to_owned(), password: Password::Plain(Secret::new("test-password")) });
        settings
    }

    /// The letters in a mailbox, once there are so many.
    async fn letters(&self, user: &str, count: usize) -> Vec<Vec<u8>> {
        let new = self.folder.path().join("server/mail").join(user).join("new");
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let entries =
                std::fs::read_dir(&new).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| Vec::new());
            if entries.len() >= count {
                return entries.iter().map(|entry| std::fs::read(entry.path()).unwrap()).collect();
            }
            assert!(Instant::now() < until, "{} of {count} letters came to {user}", entries.len());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(Command::new(scripts().join("down.sh")).arg(self.folder.path().join("server")).output());
    }
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mailserver")
}

fn free_ports() -> [u16; 4] {
    let listeners = [(); 4].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

fn to(user: &str, id: i64, bytes: &[u8]) -> Parcel {
    Parcel { id, address: format!("{user}@game.test"), bytes: bytes.to_vec() }
}

/// One test, so that one server is started.
#[tokio::test(flavor = "multi_thread")]
async fn letters_through_postfix() {
    let server = tokio::task::spawn_blocking(MailServer::start).await.unwrap();
    for (tls, user) in [(Tls::Implicit, "p01"), (Tls::Starttls, "p02")] {
        let mut bench = Bench::start(server.settings(tls));
        let stored = b"Subject: dots\r\nMessage-ID: <1@game.test>\r\n\r\n.\n..\r.x\r\n\n.\r\nlast";
        bench.parcels.send(to(user, 1, stored)).await.unwrap();
        assert_eq!(bench.answer(1).await, Outcome::Sent, "{tls:?}");
        let letters = server.letters(user, 1).await;
        let text = String::from_utf8(letters[0].clone()).unwrap().replace("\r\n", "\n");
        assert!(text.contains("Return-Path: <game@game.test>\n"), "{text}");
        assert!(text.ends_with("\n\n.\n..\n.x\n\n.\nlast\n"), "{text}");
        unknown_recipients(&mut bench).await;
        wrong_password(&server, tls).await;
        bench.close().await;
    }
    a_thousand(&server).await;
    distrust(&server).await;
    restart(&server).await;
}

async fn unknown_recipients(bench: &mut Bench) {
    bench.parcels.send(to("nobody", 2, b"Subject: x\r\n\r\n")).await.unwrap();
    let Outcome::Refused { why } = bench.answer(2).await else { panic!("nobody is known") };
    assert_eq!(why, "RCPT TO: 550 5.1.1, there is no such mailbox");
    bench
        .parcels
        .send(Parcel { id: 3, address: "x@elsewhere.test".to_owned(), bytes: b"x\r\n".to_vec() })
        .await
        .unwrap();
    assert_ne!(word(&bench.answer(3).await), "unknown");
    bench.parcels.send(to("p03", 4, b"Subject: x\r\n\r\n")).await.unwrap();
    assert_eq!(bench.answer(4).await, Outcome::Sent, "the line is used on");
}

async fn wrong_password(server: &MailServer, tls: Tls) {
    let mut settings = server.settings(tls);
    settings.server.login = Some(Login { user: "game".to_owned(), password: Password::Plain(Secret::new("wrong")) });
    let mut bench = Bench::start(settings);
    bench.parcels.send(to("p01", 1, b"x\r\n")).await.unwrap();
    assert_eq!(word(&bench.answer(1).await), "later");
    assert_eq!(bench.kinds(), [Some(TroubleKind::LoginRefused)]);
    bench.close().await;
}

async fn a_thousand(server: &MailServer) {
    let mut bench = Bench::start(server.settings(Tls::Implicit));
    for id in 1..=1000 {
        bench.parcels.send(to("p04", id, format!("Subject: {id}\r\n\r\n.\r\n").as_bytes())).await.unwrap();
    }
    let mut before = Instant::now();
    let mut waits = Vec::new();
    for id in 1..=1000 {
        assert_eq!(bench.answer(id).await, Outcome::Sent);
        waits.push(before.elapsed());
        before = Instant::now();
    }
    // Without TCP_NODELAY each letter waits 40 ms for an acknowledgement; a busy machine delays some, not all.
    waits.sort();
    assert!(waits[200] < Duration::from_millis(35), "{:?}", waits[200]);
    bench.close().await;
    let log = server.folder.path().join("server/postfix.log");
    let one_line = |log: &str| log.lines().any(|line| line.contains("disconnect from") && line.contains("data=1000"));
    let until = Instant::now() + Duration::from_secs(10);
    while !one_line(&std::fs::read_to_string(&log).unwrap()) {
        assert!(Instant::now() < until, "more than one line was opened for a thousand letters");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.letters("p04", 1000).await;
}

async fn distrust(server: &MailServer) {
    for tls in [Tls::Implicit, Tls::Starttls] {
        let mut settings = server.settings(tls);
        settings.server.ca_file = None;
        let mut bench = Bench::start(settings);
        bench.parcels.send(to("p01", 1, b"x\r\n")).await.unwrap();
        assert_eq!(word(&bench.answer(1).await), "later");
        assert_eq!(bench.kinds(), [Some(TroubleKind::Untrusted)], "{tls:?}");
        bench.close().await;
    }
}

async fn restart(server: &MailServer) {
    let mut bench = Bench::start(server.settings(Tls::Starttls));
    bench.parcels.send(to("p05", 1, b"Subject: before\r\n\r\n")).await.unwrap();
    assert_eq!(bench.answer(1).await, Outcome::Sent);
    let etc = server.folder.path().join("server/postfix/etc");
    let postfix = |verb: &str| {
        let status = Command::new("postfix").arg("-c").arg(&etc).arg(verb).env("MAIL_CONFIG", &etc).output().unwrap();
        assert!(status.status.success(), "postfix {verb}");
    };
    postfix("stop");
    bench.parcels.send(to("p05", 2, b"Subject: during\r\n\r\n")).await.unwrap();
    assert_eq!(word(&bench.answer(2).await), "later");
    postfix("start");
    let mut id = 3;
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        bench.parcels.send(to("p05", id, b"Subject: after\r\n\r\n")).await.unwrap();
        if bench.answer(id).await == Outcome::Sent {
            break;
        }
        assert!(Instant::now() < until, "it does not recover");
        tokio::time::sleep(Duration::from_millis(50)).await;
        id += 1;
    }
    assert_eq!(bench.kinds(), [Some(TroubleKind::Unreachable), None]);
    bench.close().await;
    assert_eq!(server.letters("p05", 2).await.len(), 2);
}
