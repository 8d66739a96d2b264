//! The loop's end of the channels, as tests need it: takes letters and marks in, and confirms them when it is told to.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use omerta::clock::Clock;
use omerta::config::{Login, Password, Secret, Server, Tls};
use omerta::mail::imap::{self, ImapSettings, Times};
use omerta::mail::link::{Arrived, FromInbox, Heard, Room, ToInbox, Trouble};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::server::server;

/// Longer than anything here takes, on any machine.
pub const PATIENCE: Duration = Duration::from_secs(10);

pub struct Desk {
    pub letters: Vec<Arrived>,
    /// What would be committed with the letters.
    pub marks: BTreeMap<String, String>,
    pub troubles: Vec<Trouble>,
    pub recovered: usize,
    pub skews: Vec<i64>,
    /// The sizes of the batches.
    pub batches: Vec<usize>,
    /// Confirms every batch at once.
    pub confirms: bool,
    /// The room of letters that are not committed, while `keeps` is set.
    pub kept: Vec<Room>,
    pub keeps: bool,
    from_inbox: mpsc::Receiver<FromInbox>,
    to_inbox: Option<mpsc::Sender<ToInbox>>,
    task: JoinHandle<()>,
}

/// Times for tests: everything soon, but nothing at once.
pub fn fast() -> Times {
    let millis = Duration::from_millis;
    Times {
        step: Duration::from_secs(5),
        done: Duration::from_secs(5),
        idle: Duration::from_secs(60),
        poll: Duration::from_secs(60),
        gap: millis(10),
        backoff: millis(40),
        longest_backoff: millis(200),
        refused: Duration::from_secs(60),
        password: millis(50),
        filing: millis(100),
        probe: Duration::from_secs(60),
        leap: Duration::from_secs(60),
    }
}

/// The mailbox of a user, read without TLS on this port.
pub fn plain(user: &str, port: u16) -> ImapSettings {
    let password = Password::Plain(Secret::new(server().password.clone()));
    ImapSettings {
        server: Server {
            server: "127.0.0.1".to_owned(),
            port,
            tls: Tls::None,
            ca_file: None,
            login: Some(Login { user: user.to_owned(), password }),
        },
        folders: vec!["INBOX".to_owned()],
        done_folder: None,
        max_message: 1024 * 1024,
        variable: |_| None,
        times: fast(),
    }
}

/// The same over TLS.
pub fn encrypted(user: &str, port: u16, tls: Tls, ca_file: Option<PathBuf>) -> ImapSettings {
    let mut settings = plain(user, port);
    settings.server.server = "localhost".to_owned();
    settings.server.tls = tls;
    settings.server.ca_file = ca_file;
    settings
}

impl Desk {
    pub fn new(settings: ImapSettings) -> Desk {
        Desk::with(settings, BTreeMap::new(), Clock::System)
    }

    pub fn with(settings: ImapSettings, cursors: BTreeMap<String, String>, clock: Clock) -> Desk {
        let (to_loop, from_inbox) = mpsc::channel(1);
        let (to_inbox, from_loop) = mpsc::channel(16);
        let task = tokio::spawn(imap::run(settings, clock, cursors.clone(), Heard::default(), to_loop, from_loop));
        Desk {
            letters: Vec::new(),
            marks: cursors,
            troubles: Vec::new(),
            recovered: 0,
            skews: Vec::new(),
            batches: Vec::new(),
            confirms: false,
            kept: Vec::new(),
            keeps: false,
            from_inbox,
            to_inbox: Some(to_inbox),
            task,
        }
    }

    /// The next thing that the inbox says, taken in. Tells what it was.
    pub async fn step(&mut self) -> Option<jiff::Timestamp> {
        let said = timeout(PATIENCE, self.from_inbox.recv()).await.expect("the inbox says something").expect("it runs");
        match said {
            FromInbox::Letters { letters, marks, room } => {
                if self.keeps {
                    self.kept.push(room);
                }
                if !letters.is_empty() {
                    self.batches.push(letters.len());
                }
                let places = letters.iter().map(|letter| letter.place.clone()).collect();
                self.letters.extend(letters);
                self.marks.extend(marks);
                if self.confirms {
                    self.order(ToInbox::Committed { places }).await;
                }
                None
            }
            FromInbox::ReadThrough { began } => Some(began),
            FromInbox::Skew { seconds } => {
                self.skews.push(seconds);
                None
            }
            FromInbox::Trouble(trouble) => {
                self.troubles.push(trouble);
                None
            }
            FromInbox::Recovered => {
                self.recovered += 1;
                None
            }
        }
    }

    pub async fn until(&mut self, what: &str, mut is_so: impl FnMut(&Desk) -> bool) {
        let begun = Instant::now();
        while !is_so(self) {
            assert!(begun.elapsed() < PATIENCE, "it did not happen: {what}; {:?} {:?}", self.subjects(), self.troubles);
            self.step().await;
        }
    }

    pub async fn read_through(&mut self) {
        while self.step().await.is_none() {}
    }

    /// Says that the inbox is to be read now, and waits until it was.
    #[expect(clippy::disallowed_methods, reason = "the inbox under test runs by the system's clock")]
    pub async fn read_now(&mut self) {
        let asked = jiff::Timestamp::now();
        self.order(ToInbox::ReadNow).await;
        while self.step().await.is_none_or(|began| began < asked) {}
    }

    /// Takes in whatever is said within this time.
    pub async fn linger(&mut self, time: Duration) {
        let end = tokio::time::Instant::now() + time;
        while tokio::time::timeout_at(end, self.step()).await.is_ok() {}
    }

    pub async fn order(&self, order: ToInbox) {
        self.to_inbox.as_ref().unwrap().send(order).await.expect("the inbox listens");
    }

    pub async fn confirm_all(&self) {
        let places = self.letters.iter().map(|letter| letter.place.clone()).collect();
        self.order(ToInbox::Committed { places }).await;
    }

    pub fn subjects(&self) -> Vec<String> {
        self.letters.iter().map(subject).collect()
    }

    /// Ends the task as a crash would; the marks are what was committed.
    pub async fn crash(self) -> BTreeMap<String, String> {
        self.task.abort();
        self.task.await.ok();
        self.marks
    }

    /// The loop goes away; the task ends by itself.
    pub async fn leave(mut self) {
        self.to_inbox = None;
        timeout(PATIENCE, self.task).await.expect("the task ends with its loop").expect("without a panic");
    }
}

pub fn subject(letter: &Arrived) -> String {
    let head = String::from_utf8_lossy(&letter.raw).into_owned();
    head.lines().find_map(|line| line.strip_prefix("Subject: ")).unwrap_or("-").to_owned()
}
