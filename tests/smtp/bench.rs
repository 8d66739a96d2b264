//! The task under test with its three channels.

use std::path::PathBuf;
use std::time::Duration;

use omerta::config::{Login, Password, Secret, Server, Tls};
use omerta::mail::link::{Delivered, FromOutbox, Outcome, Parcel, Trouble, TroubleKind};
use omerta::mail::smtp::{self, Patience, SmtpSettings};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

pub const FROM: &str = "mafia@game.test";
pub const TO: &str = "anna.secret@player.test";
pub const PASSWORD: &str = "correct-horse";
/// No test waits longer for anything that must come.
pub const PATIENT: Duration = Duration::from_secs(20);

pub struct Bench {
    pub parcels: mpsc::Sender<Parcel>,
    pub delivered: mpsc::Receiver<Delivered>,
    pub news: mpsc::Receiver<FromOutbox>,
    pub task: JoinHandle<()>,
}

impl Bench {
    pub fn start(settings: SmtpSettings) -> Bench {
        let (parcels, parcels_in) = mpsc::channel(2000);
        let (delivered_out, delivered) = mpsc::channel(2000);
        let (news_out, news) = mpsc::channel(2000);
        let task = tokio::spawn(smtp::run(settings, parcels_in, delivered_out, news_out));
        Bench { parcels, delivered, news, task }
    }

    /// Sends one letter and waits for its answer.
    pub async fn send(&mut self, id: i64) -> Outcome {
        self.send_bytes(id, b"Subject: x\r\n\r\nwords\r\n").await
    }

    pub async fn send_bytes(&mut self, id: i64, bytes: &[u8]) -> Outcome {
        self.parcels.send(parcel(id, bytes)).await.unwrap();
        self.answer(id).await
    }

    pub async fn answer(&mut self, id: i64) -> Outcome {
        let answer = tokio::time::timeout(PATIENT, self.delivered.recv()).await.expect("no answer in 20 s").unwrap();
        assert_eq!(answer.id, id, "answers come in the order of the letters");
        names_nobody(&format!("{answer:?}"));
        answer.outcome
    }

    /// Everything that was said by now.
    pub fn news(&mut self) -> Vec<FromOutbox> {
        let mut all = Vec::new();
        while let Ok(one) = self.news.try_recv() {
            names_nobody(&format!("{one:?}"));
            all.push(one);
        }
        all
    }

    /// The kinds of trouble said by now; None for a recovery.
    pub fn kinds(&mut self) -> Vec<Option<TroubleKind>> {
        let kind = |news: &FromOutbox| match news {
            FromOutbox::Trouble(Trouble { kind, .. }) => Some(*kind),
            FromOutbox::Recovered => None,
        };
        self.news().iter().map(kind).collect()
    }

    /// Sends letters from `id` on, one after the other, until one is taken.
    pub async fn send_until_taken(&mut self, mut id: i64) -> i64 {
        let until = tokio::time::Instant::now() + PATIENT;
        while self.send(id).await != Outcome::Sent {
            assert!(tokio::time::Instant::now() < until, "the line does not recover");
            tokio::time::sleep(Duration::from_millis(10)).await;
            id += 1;
        }
        id
    }

    /// Closes the channel of parcels; the task must end by itself, without a further answer.
    pub async fn close(mut self) {
        drop(self.parcels);
        tokio::time::timeout(PATIENT, self.task).await.expect("the task does not end").unwrap();
        assert!(self.delivered.recv().await.is_none(), "an answer to nothing");
    }
}

pub fn parcel(id: i64, bytes: &[u8]) -> Parcel {
    Parcel { id, address: TO.to_owned(), bytes: bytes.to_vec() }
}

/// A server on this machine without TLS, with a login.
pub fn settings(port: u16) -> SmtpSettings {
    let password = Password::Plain(Secret::new(PASSWORD));
    SmtpSettings {
        server: Server {
            server: "127.0.0.1".to_owned(),
            port,
            tls: Tls::None,
            ca_file: None,
            login: Some(Login { user: FROM.to_owned(), password }),
        },
        from: FROM.to_owned(),
        variable: |_| None,
        patience: Patience {
            rest: Duration::from_millis(40),
            longest_rest: Duration::from_millis(200),
            ..Patience::default()
        },
    }
}

/// For servers that stall.
pub fn impatient(port: u16) -> SmtpSettings {
    let mut settings = settings(port);
    let short = Duration::from_millis(300);
    settings.patience =
        Patience { connect: short, password: short, reply: short, words: short, verdict: short, ..settings.patience };
    settings
}

pub fn with_password(mut settings: SmtpSettings, password: Password) -> SmtpSettings {
    settings.server.login = Some(Login { user: FROM.to_owned(), password });
    settings
}

pub fn with_tls(mut settings: SmtpSettings, tls: Tls, ca_file: Option<PathBuf>) -> SmtpSettings {
    settings.server.tls = tls;
    settings.server.ca_file = ca_file;
    settings
}

pub fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Sent => "sent",
        Outcome::Later { .. } | Outcome::Unable { .. } => "later",
        Outcome::Refused { .. } => "refused",
        Outcome::Unknown { .. } => "unknown",
        Outcome::Blocked { .. } => "blocked",
    }
}

fn names_nobody(said: &str) {
    for secret in ["anna", "player.test", PASSWORD, "mafia@"] {
        assert!(!said.contains(secret), "{secret} stands in {said}");
    }
}
