//! An SMTP server that does as it is told: refuses, hangs up, stalls, drips, babbles.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Greeting,
    Ehlo,
    StartTls,
    Auth,
    Mail,
    Rcpt,
    Data,
    /// In the middle of the words.
    Words,
    Dot,
    /// After a letter was taken, when nobody asked for anything.
    Rest,
    Other,
}

#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// These bytes, as they are.
    Say(&'static [u8]),
    SayAndCut(&'static [u8]),
    Cut,
    Stall,
    /// A right answer, byte by byte, each after so long.
    Drip(Duration),
    /// The same bytes for ever.
    Babble(&'static [u8]),
}

/// What the server saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub connections: usize,
    /// Without AUTH's secrets undone, in order, of all connections.
    pub commands: Vec<String>,
    pub letters: Vec<Letter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub from: String,
    pub to: String,
    /// As it was meant: dots undone, every line with its CRLF.
    pub bytes: Vec<u8>,
}

/// What to do at a step of the n-th connection (from 1); None: what a good server does.
pub type Script = Box<dyn Fn(usize, At) -> Option<Act> + Send + Sync>;

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Seen>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Server {
    pub async fn start(script: impl Fn(usize, At) -> Option<Act> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let script: Arc<Script> = Arc::new(Box::new(script));
        let accepting = tokio::spawn({
            let seen = Arc::clone(&seen);
            async move {
                let mut talks = tokio::task::JoinSet::new();
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    stream.set_nodelay(true).unwrap();
                    let nth = {
                        let mut seen = seen.lock().unwrap();
                        seen.connections += 1;
                        seen.connections
                    };
                    let talk = Talk {
                        stream: BufReader::new(stream),
                        script: Arc::clone(&script),
                        seen: Arc::clone(&seen),
                        nth,
                    };
                    talks.spawn(talk.serve());
                }
            }
        });
        Server { port, seen, accepting }
    }

    /// A good server, but for one step of the first `connections`.
    pub async fn bad_at(step: At, act: Act, connections: usize) -> Server {
        Server::start(move |nth, at| (at == step && nth <= connections).then_some(act)).await
    }

    pub async fn good() -> Server {
        Server::start(|_, _| None).await
    }

    pub fn seen(&self) -> Seen {
        self.seen.lock().unwrap().clone()
    }
}

struct Talk {
    stream: BufReader<TcpStream>,
    script: Arc<Script>,
    seen: Arc<Mutex<Seen>>,
    nth: usize,
}

impl Talk {
    /// Ends when the client or the script hangs up.
    async fn serve(mut self) -> Option<()> {
        self.answer(At::Greeting, b"220 script.test ESMTP\r\n").await?;
        let (mut from, mut to) = (String::new(), String::new());
        loop {
            let command = self.line().await?;
            self.seen.lock().unwrap().commands.push(command.clone());
            let verb = command.split(' ').next().unwrap_or_default().to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" => {
                    let offers = b"250-script.test\r\n250-8BITMIME\r\n250-STARTTLS\r\n250-AUTH PLAIN LOGIN XOAUTH2\r\n250 OK\r\n";
                    self.answer(At::Ehlo, offers).await?;
                }
                "STARTTLS" => drop(self.answer(At::StartTls, b"454 4.7.0 no TLS today\r\n").await?),
                "AUTH" => {
                    if command == "AUTH LOGIN" {
                        for question in [b"334 VXNlcm5hbWU6\r\n", b"334 UGFzc3dvcmQ6\r\n"] {
                            self.send(question).await?;
                            let word = self.line().await?;
                            self.seen.lock().unwrap().commands.push(word);
                        }
                    }
                    self.answer(At::Auth, b"235 2.7.0 welcome\r\n").await?;
                }
                "MAIL" => {
                    from = path(&command);
                    self.answer(At::Mail, b"250 2.1.0 ok\r\n").await?;
                }
                "RCPT" => {
                    to = path(&command);
                    self.answer(At::Rcpt, b"250 2.1.5 ok\r\n").await?;
                }
                "DATA" => {
                    if !self.answer(At::Data, b"354 go on\r\n").await? {
                        continue;
                    }
                    let bytes = self.words().await?;
                    self.seen.lock().unwrap().letters.push(Letter { from: from.clone(), to: to.clone(), bytes });
                    self.answer(At::Dot, b"250 2.0.0 taken\r\n").await?;
                    if let Some(act) = (self.script)(self.nth, At::Rest) {
                        self.act(act, b"").await?;
                    }
                }
                "RSET" => drop(self.answer(At::Other, b"250 2.0.0 ok\r\n").await?),
                "QUIT" => {
                    self.send(b"221 bye\r\n").await?;
                    return None;
                }
                _ => drop(self.answer(At::Other, b"502 5.5.1 what?\r\n").await?),
            }
        }
    }

    /// True when the answer was the right one.
    async fn answer(&mut self, at: At, right: &[u8]) -> Option<bool> {
        match (self.script)(self.nth, at) {
            None => self.send(right).await.map(|()| true),
            Some(act) => self.act(act, right).await,
        }
    }

    async fn act(&mut self, act: Act, right: &[u8]) -> Option<bool> {
        match act {
            Act::Say(bytes) => {
                self.send(bytes).await?;
                Some(bytes.starts_with(b"354"))
            }
            Act::SayAndCut(bytes) => {
                self.send(bytes).await?;
                None
            }
            Act::Cut => None,
            Act::Stall => {
                std::future::pending::<()>().await;
                None
            }
            Act::Drip(pause) => {
                for byte in right {
                    tokio::time::sleep(pause).await;
                    self.send(&[*byte]).await?;
                }
                Some(true)
            }
            Act::Babble(bytes) => loop {
                self.send(bytes).await?;
            },
        }
    }

    async fn words(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let mut line = Vec::new();
            if self.stream.read_until(b'\n', &mut line).await.ok()? == 0 {
                return None;
            }
            assert!(line.ends_with(b"\r\n"), "a bare LF came over the wire");
            assert!(!line[..line.len() - 2].contains(&b'\r'), "a bare CR came over the wire");
            if let Some(act) = (self.script)(self.nth, At::Words) {
                self.act(act, b"").await?;
            }
            if line == b".\r\n" {
                return Some(bytes);
            }
            bytes.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        }
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.stream.read_line(&mut line).await.ok()?;
        (count > 0).then(|| line.trim_end_matches("\r\n").to_owned())
    }

    async fn send(&mut self, bytes: &[u8]) -> Option<()> {
        self.stream.get_mut().write_all(bytes).await.ok()
    }
}

/// What stands in the angle brackets.
fn path(command: &str) -> String {
    let inner = command.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inner.map(|(path, _)| path.to_owned()).unwrap_or_default()
}
