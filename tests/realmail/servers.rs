//! Dovecot and Postfix in a folder of their own, each of which can be stopped and started again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use omerta::config::{Login, Password, Secret, Server, Tls};

use crate::house::binary::rest;

pub const PASSWORD: &str = "test-password";
pub const DOMAIN: &str = "game.test";
/// Mailboxes p01, p02, ..
const MAILBOXES: usize = 135;

pub struct MailServer {
    folder: tempfile::TempDir,
    imaps: u16,
    imap: u16,
    submission: u16,
    smtps: u16,
}

/// The server that tests share whose servers stay up; the first one that asks starts it.
pub fn shared() -> &'static MailServer {
    static SERVER: OnceLock<MailServer> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = MailServer::start();
        stop_at_the_end(&server.folder());
        server
    })
}

impl MailServer {
    pub fn start() -> MailServer {
        let folder = tempfile::Builder::new().prefix("omerta-real-").tempdir_in("/tmp").unwrap();
        // Postfix and Dovecot give up root and must still pass.
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        // Held together, so that they differ.
        let held = [(); 4].map(|()| TcpListener::bind(("127.0.0.1", 0)).unwrap());
        let [imaps, imap, submission, smtps] = held.each_ref().map(|held| held.local_addr().unwrap().port());
        drop(held);
        let server = MailServer { folder, imaps, imap, submission, smtps };
        let script = scripts().join("up.sh");
        let output = Command::new(&script)
            .arg(server.folder())
            .env("IMAPS_PORT", imaps.to_string())
            .env("IMAP_PORT", imap.to_string())
            .env("SUBMISSION_PORT", submission.to_string())
            .env("SMTPS_PORT", smtps.to_string())
            .env("PLAYERS", MAILBOXES.to_string())
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("{} can't be run: {error}", script.display()));
        assert!(
            output.status.success(),
            "no mail server, and these tests need one. Run them as root on Debian (tests/mailserver/up.sh installs \
             postfix and dovecot), or install postfix, dovecot-imapd, dovecot-lmtpd and openssl.\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        server
    }

    fn folder(&self) -> PathBuf {
        self.folder.path().join("server")
    }

    pub fn ca_file(&self) -> PathBuf {
        self.folder().join("tls/ca.pem")
    }

    /// Where the server is read.
    pub fn inbox_port(&self, tls: Tls) -> u16 {
        if tls == Tls::Implicit { self.imaps } else { self.imap }
    }

    /// Where the server takes letters.
    pub fn outbox_port(&self, tls: Tls) -> u16 {
        if tls == Tls::Implicit { self.smtps } else { self.submission }
    }

    /// How a player's client sends.
    pub fn sending_as(&self, user: &str) -> Server {
        Server {
            server: "localhost".to_owned(),
            port: self.smtps,
            tls: Tls::Implicit,
            ca_file: Some(self.ca_file()),
            login: Some(Login { user: user.to_owned(), password: Password::Plain(Secret::new(PASSWORD)) }),
        }
    }

    // ------------------------------------------------------------------------------------------- stopped and started

    /// Returns when no session is left either.
    pub fn stop_dovecot(&self) {
        let master = std::fs::read_to_string(self.folder().join("dovecot/run/master.pid")).unwrap();
        let master = master.trim();
        let sessions = std::fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap_or_default();
        let config = self.folder().join("dovecot/dovecot.conf");
        succeeds(Command::new("doveadm").arg("-c").arg(config).arg("stop"));
        let begun = Instant::now();
        while [master].into_iter().chain(sessions.split_whitespace()).any(lives) {
            assert!(begun.elapsed() < Duration::from_secs(20), "Dovecot does not stop");
            rest();
        }
    }

    pub fn start_dovecot(&self) {
        let config = self.folder().join("dovecot/dovecot.conf");
        succeeds(Command::new("dovecot").arg("-c").arg(config));
    }

    pub fn postfix(&self, verb: &str) {
        let etc = self.folder().join("postfix/etc");
        succeeds(Command::new("postfix").arg("-c").arg(&etc).arg(verb).env("MAIL_CONFIG", &etc));
    }

    // ------------------------------------------------------------------------------------------------------ the mail

    /// The letters of a mailbox that nobody has touched over IMAP, as bytes, in order of delivery.
    pub fn letters(&self, user: &str) -> Vec<Vec<u8>> {
        let folder = self.folder().join("mail").join(user);
        let mut files: Vec<PathBuf> = ["new", "cur"]
            .into_iter()
            .flat_map(|part| std::fs::read_dir(folder.join(part)))
            .flatten()
            .map(|entry| entry.unwrap().path())
            .collect();
        // A name begins with the moment of delivery.
        files.sort_by_key(|file| file.file_name().map(ToOwned::to_owned));
        files.iter().flat_map(std::fs::read).collect()
    }

    /// Whether Postfix holds a letter that Dovecot has not got yet.
    pub fn holds_letters(&self) -> bool {
        holds_files(&self.folder().join("postfix/queue"))
    }

    /// Waits until Postfix has handed every letter to Dovecot.
    pub fn until_delivered(&self) {
        let begun = Instant::now();
        while self.holds_letters() {
            assert!(begun.elapsed() < Duration::from_secs(30), "letters stay in Postfix's queue");
            rest();
        }
    }

    /// Puts a letter into a mailbox as delivered at that moment, while Dovecot is down.
    pub fn drop_in(&self, user: &str, arrived: Timestamp, letter: &[u8]) {
        let path = self.folder().join("mail").join(user).join("new").join("1.outage.host");
        std::fs::write(&path, letter).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(arrived.as_second().unsigned_abs())).unwrap();
        succeeds(Command::new("chown").arg("mail:mail").arg(path));
    }

    /// Empties every mailbox. Nobody may be logged in.
    pub fn forget_all_mail(&self) {
        for entry in std::fs::read_dir(self.folder().join("mail")).unwrap() {
            std::fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(Command::new(scripts().join("down.sh")).arg(self.folder()).output());
    }
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mailserver")
}

/// A shell that waits for our end, whatever it is: then its input closes.
#[expect(clippy::zombie_processes, reason = "it outlives this process")]
fn stop_at_the_end(folder: &Path) {
    let mut waiting = Command::new("sh")
        .args(["-c", "cat >/dev/null; \"$0\" \"$1\"; rmdir \"$(dirname \"$1\")\""])
        .args([&scripts().join("down.sh"), folder])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::mem::forget(waiting.stdin.take());
}

/// False also for one that nobody has buried yet.
fn lives(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z') && !line.contains('X'))
}

/// The output goes to nobody: a server that kept our pipe would hang us.
fn succeeds(command: &mut Command) {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.as_ref().is_ok_and(std::process::ExitStatus::success), "{command:?}: {status:?}");
}

fn holds_files(queue: &Path) -> bool {
    let mut folders: Vec<PathBuf> = ["incoming", "active", "deferred", "maildrop"].map(|part| queue.join(part)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => return true,
                // It has gone meanwhile.
                Err(_) => {}
            }
        }
    }
    false
}

/// The result of a program that was given something to read.
pub fn piped(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

/// A plain IMAP client at one mailbox.
pub struct Client {
    line: BufReader<TcpStream>,
    tag: usize,
}

impl Client {
    pub fn of(server: &MailServer, user: &str) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", server.imap)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut client = Client { line: BufReader::new(stream), tag: 0 };
        client.read_line();
        client.ask(&format!("LOGIN {user} {PASSWORD}"), b"");
        client
    }

    /// Puts a letter into the inbox as taken at that second.
    pub fn append(&mut self, arrived: Timestamp, letter: &[u8]) {
        let date = arrived.strftime("%d-%b-%Y %H:%M:%S +0000");
        self.ask(&format!("APPEND INBOX \"{date}\" {{{}+}}", letter.len()), letter);
    }

    /// How many letters a folder holds; 0 when there is no such folder.
    pub fn count(&mut self, folder: &str) -> usize {
        let said = self.exchange(&format!("STATUS {folder} (MESSAGES)"), b"");
        let number = said.split_once("(MESSAGES ").and_then(|(_, rest)| rest.split_once(')'));
        number.map_or(0, |(number, _)| number.parse().unwrap())
    }

    fn ask(&mut self, words: &str, more: &[u8]) -> String {
        let said = self.exchange(words, more);
        assert!(said.lines().last().is_some_and(|last| last.contains(" OK ")), "{words}: {said}");
        said
    }

    fn exchange(&mut self, words: &str, more: &[u8]) -> String {
        self.tag += 1;
        let tag = format!("x{} ", self.tag);
        self.line.get_mut().write_all(format!("{tag}{words}\r\n").as_bytes()).unwrap();
        if !more.is_empty() {
            self.line.get_mut().write_all(&[more, b"\r\n"].concat()).unwrap();
        }
        let mut said = String::new();
        loop {
            let line = self.read_line();
            said.push_str(&line);
            if line.starts_with(&tag) {
                return said;
            }
        }
    }

    fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.line.read_line(&mut line).unwrap();
        if let Some((_, size)) = line.trim_end().strip_suffix('}').and_then(|line| line.rsplit_once('{')) {
            let mut literal = vec![0; size.parse().unwrap()];
            self.line.read_exact(&mut literal).unwrap();
        }
        line
    }
}
