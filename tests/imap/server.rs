//! A Dovecot of our own, started once for all tests and stopped when they end, and a plain client to prepare mailboxes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub struct Server {
    pub imaps: u16,
    pub imap: u16,
    pub ca_file: PathBuf,
    pub password: String,
}

/// The server; the first test that asks starts it.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(start)
}

/// A mailbox that no other test uses.
pub fn user() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    assert!(number <= PLAYERS, "more mailboxes are needed");
    format!("p{number:02}")
}

const PLAYERS: usize = 80;

fn start() -> Server {
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mailserver");
    let folder = tempfile::Builder::new().prefix("omerta-imap-").tempdir_in("/tmp").unwrap().keep();
    // The server's own users must get through.
    std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // Held together, so that they differ.
    let listeners: Vec<TcpListener> = (0..4).map(|_| TcpListener::bind(("127.0.0.1", 0)).unwrap()).collect();
    let ports: Vec<String> =
        listeners.iter().map(|listener| listener.local_addr().unwrap().port().to_string()).collect();
    drop(listeners);
    let output = Command::new(scripts.join("up.sh"))
        .arg(&folder)
        .envs(["IMAPS_PORT", "IMAP_PORT", "SUBMISSION_PORT", "SMTPS_PORT"].into_iter().zip(&ports))
        .env("PLAYERS", PLAYERS.to_string())
        .stdin(Stdio::null())
        .output()
        .expect("tests/mailserver/up.sh runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "no mail server for the tests: they need root and apt-get (tests/mailserver/up.sh installs Dovecot and Postfix)\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    stop_at_the_end(&scripts.join("down.sh"), &folder);
    let facts: BTreeMap<&str, &str> = told.lines().filter_map(|line| line.split_once('=')).collect();
    Server {
        imaps: facts["IMAPS_PORT"].parse().unwrap(),
        imap: facts["IMAP_PORT"].parse().unwrap(),
        ca_file: PathBuf::from(facts["MAIL_CA"]),
        password: facts["MAIL_PASSWORD"].to_owned(),
    }
}

/// A shell that waits for our end, whatever it is: then its input closes.
#[expect(clippy::zombie_processes, reason = "it outlives this process")]
fn stop_at_the_end(down: &std::path::Path, folder: &std::path::Path) {
    let mut waiting = Command::new("sh")
        .args(["-c", "cat >/dev/null; exec \"$0\" \"$1\""])
        .args([down, folder])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::mem::forget(waiting.stdin.take());
}

/// A person's mail client at the same mailbox.
pub struct Client {
    line: BufReader<TcpStream>,
    tag: usize,
}

impl Client {
    pub fn of(user: &str) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", server().imap)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut client = Client { line: BufReader::new(stream), tag: 0 };
        client.read_line();
        client.ask(&format!("LOGIN {user} {}", server().password));
        client
    }

    /// Runs a command; what the server says, with the last line. A refusal is a failure of the test.
    pub fn ask(&mut self, words: &str) -> String {
        self.send(words);
        self.end_of(words)
    }

    /// Puts a letter into a folder, taken at this second.
    pub fn append_at(&mut self, folder: &str, second: i64, letter: &str) {
        let date = jiff::Timestamp::from_second(second).unwrap().strftime("%d-%b-%Y %H:%M:%S +0000").to_string();
        self.put(&format!("APPEND {folder} \"{date}\""), letter);
    }

    /// Puts a letter into a folder now.
    pub fn append(&mut self, folder: &str, letter: &str) {
        self.put(&format!("APPEND {folder}"), letter);
    }

    pub fn append_seen(&mut self, folder: &str, letter: &str) {
        self.put(&format!("APPEND {folder} (\\Seen)"), letter);
    }

    /// How many letters a folder holds; 0 when there is no such folder.
    pub fn count(&mut self, folder: &str) -> usize {
        self.status(folder, "MESSAGES")
    }

    pub fn unseen(&mut self, folder: &str) -> usize {
        self.status(folder, "UNSEEN")
    }

    fn status(&mut self, folder: &str, what: &str) -> usize {
        self.send(&format!("STATUS {folder} ({what})"));
        let tag = format!("x{}", self.tag);
        let mut number = 0;
        loop {
            let line = self.read_line();
            if line.starts_with(&tag) {
                return number;
            }
            if let Some((_, rest)) = line.split_once(&format!("({what} ")) {
                number = rest.trim_end().trim_end_matches(')').parse().unwrap();
            }
        }
    }

    fn put(&mut self, words: &str, letter: &str) {
        // Where a folder was made anew a moment ago, Dovecot may still have the old one in its hands.
        for left in (0..500).rev() {
            self.send(&format!("{words} {{{}+}}\r\n{letter}", letter.len()));
            let (_, end) = self.said();
            if !end.contains("deleted under us") || left == 0 {
                assert!(end.starts_with("OK"), "{words}: {end}");
                return;
            }
            self.ask("NOOP");
        }
    }

    fn send(&mut self, words: &str) {
        self.tag += 1;
        let line = format!("x{} {words}\r\n", self.tag);
        self.line.get_mut().write_all(line.as_bytes()).unwrap();
    }

    fn end_of(&mut self, words: &str) -> String {
        let (said, end) = self.said();
        assert!(end.starts_with("OK"), "{words}: {end}");
        said
    }

    /// Up to the end of a command: all of it, and the last line without its tag.
    fn said(&mut self) -> (String, String) {
        let tag = format!("x{} ", self.tag);
        let mut said = String::new();
        loop {
            let line = self.read_line();
            said.push_str(&line);
            if let Some(end) = line.strip_prefix(&tag) {
                let end = end.to_owned();
                return (said, end);
            }
        }
    }

    fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.line.read_line(&mut line).unwrap();
        if let Some(size) = line.trim_end().strip_suffix('}').and_then(|line| line.rsplit_once('{')) {
            let mut literal = vec![0; size.1.parse().unwrap()];
            self.line.read_exact(&mut literal).unwrap();
            line.push_str(&String::from_utf8_lossy(&literal));
        }
        line
    }
}

/// A letter that can be told from others.
pub fn letter(subject: &str) -> String {
    letter_of("rita", subject)
}

pub fn letter_of(sender: &str, subject: &str) -> String {
    format!(
        "From: <{sender}@example.org>\r\nTo: <game@game.test>\r\nSubject: {subject}\r\nMessage-ID: <{subject}@example.org>\r\n\r\n\
         Суд Линча - {subject}\r\n"
    )
}
