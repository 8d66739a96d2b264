//! A line to a server that misbehaves when it is told to: cut, silent, slow, garbled. For tests of mail over a network.
//!
//! The test connects to [`Proxy::port`]; every byte goes to the real server and back, until a [`Fault`] is set. A fault
//! works on all lines, open and new, until [`Proxy::heal`].

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What happens to the bytes that the server sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// New lines are closed as soon as they are opened.
    Refused,
    /// The line is closed after so many bytes.
    CutAfter(usize),
    /// Nothing goes either way any more, and the line stays open.
    Silent,
    /// One byte at a time, with a pause after each.
    Drip(Duration),
    /// Bytes that are no protocol at all come instead.
    Garbage,
    /// The first half of what the server says, then the line is closed.
    Half,
    /// What the server says, with one text in place of another: a capability is hidden, an answer is changed.
    Replace(Vec<(String, String)>),
    /// The server's bytes are kept back once these are among them; the line is closed after them.
    CutAt(String),
    /// What the client says is kept back once these are among it, until the fault is another.
    HoldAt(String),
}

/// Whatever a line to a mailbox may do for a while; in the end it is cut within a letter, after these words of it.
pub fn line_faults(within: &str) -> [Fault; 10] {
    [
        Fault::Refused,
        Fault::CutAfter(10),
        Fault::CutAfter(400),
        Fault::CutAfter(1200),
        Fault::Silent,
        Fault::Drip(Duration::from_millis(30)),
        Fault::Garbage,
        Fault::Half,
        Fault::CutAt("FETCH (UID 2".to_owned()),
        Fault::CutAt(within.to_owned()),
    ]
}

/// Stops when it is dropped.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    accepting: tokio::task::JoinHandle<()>,
}

struct Shared {
    server: u16,
    fault: Mutex<Fault>,
    opened: AtomicUsize,
    /// Lines up to this number have gone silent for ever.
    forgotten: AtomicUsize,
    /// Counts up: every line that was opened before closes.
    cuts: watch::Sender<usize>,
    /// Bytes to be said to the client on every open line, as if the server said them.
    said: watch::Sender<Vec<u8>>,
    /// Everything that clients said, for tests that look at commands.
    heard: Mutex<Vec<u8>>,
}

impl Proxy {
    /// Stands before the server on this port of 127.0.0.1.
    pub async fn before(server: u16) -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let shared = Arc::new(Shared {
            server,
            fault: Mutex::new(Fault::None),
            opened: AtomicUsize::new(0),
            forgotten: AtomicUsize::new(0),
            cuts: watch::Sender::new(0),
            said: watch::Sender::new(Vec::new()),
            heard: Mutex::new(Vec::new()),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Proxy { port, shared, accepting }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many lines were ever opened.
    pub fn opened(&self) -> usize {
        self.shared.opened.load(Ordering::SeqCst)
    }

    pub fn set(&self, fault: Fault) {
        *self.shared.fault.lock().unwrap() = fault;
    }

    pub fn heal(&self) {
        self.set(Fault::None);
    }

    /// Every open line goes silent for ever, as behind a router that has forgotten it; new ones are in order.
    pub fn forget(&self) {
        self.shared.forgotten.store(self.opened(), Ordering::SeqCst);
    }

    /// Closes every open line now.
    pub fn cut(&self) {
        self.shared.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Says something to the clients of all open lines, as if the server said it.
    pub fn say(&self, words: &str) {
        self.shared.said.send_replace(words.as_bytes().to_vec());
    }

    /// What clients said so far; cut into lines by whoever asks.
    pub fn heard(&self) -> String {
        String::from_utf8_lossy(&self.shared.heard.lock().unwrap()).into_owned()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((client, _)) = listener.accept().await {
        let number = shared.opened.fetch_add(1, Ordering::SeqCst) + 1;
        if shared.fault() == Fault::Refused {
            continue;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", shared.server)).await else { continue };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let mut cuts = shared.cuts.subscribe();
        let (up, down) = (Arc::clone(&shared), Arc::clone(&shared));
        tokio::spawn(async move {
            tokio::select! {
                () = forward(from_client, to_server, up, number) => {}
                () = answer(from_server, to_client, down, number) => {}
                _ = cuts.changed() => {}
            }
        });
    }
}

impl Shared {
    fn fault(&self) -> Fault {
        self.fault.lock().unwrap().clone()
    }

    /// As it is for a line of this number.
    fn fault_of(&self, number: usize) -> Fault {
        if number <= self.forgotten.load(Ordering::SeqCst) { Fault::Silent } else { self.fault() }
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        matches!(self.fault(), Fault::HoldAt(text) if find(bytes, text.as_bytes()).is_some())
    }
}

async fn forward(mut client: OwnedReadHalf, mut server: OwnedWriteHalf, shared: Arc<Shared>, number: usize) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let Ok(read @ 1..) = client.read(&mut buffer).await else { return };
        if shared.fault_of(number) == Fault::Silent {
            continue;
        }
        shared.heard.lock().unwrap().extend_from_slice(&buffer[..read]);
        while shared.holds(&buffer[..read]) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        if server.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

async fn answer(mut server: OwnedReadHalf, mut client: OwnedWriteHalf, shared: Arc<Shared>, number: usize) {
    let mut buffer = vec![0; 16 * 1024];
    let mut said = shared.said.subscribe();
    let mut passed = 0;
    loop {
        let bytes = tokio::select! {
            read = server.read(&mut buffer) => match read {
                Ok(read @ 1..) => &buffer[..read],
                _ => return,
            },
            Ok(()) = said.changed() => {
                let words = said.borrow_and_update().clone();
                if client.write_all(&words).await.is_err() {
                    return;
                }
                continue;
            }
        };
        if pass(bytes, &mut passed, &mut client, &shared, number).await.is_none() {
            return;
        }
    }
}

/// None when the line is to be closed.
async fn pass(
    bytes: &[u8],
    passed: &mut usize,
    client: &mut OwnedWriteHalf,
    shared: &Shared,
    number: usize,
) -> Option<()> {
    match shared.fault_of(number) {
        Fault::None | Fault::Refused | Fault::HoldAt(_) => client.write_all(bytes).await.ok()?,
        Fault::CutAfter(limit) => {
            let rest = limit.saturating_sub(*passed).min(bytes.len());
            client.write_all(&bytes[..rest]).await.ok()?;
            if rest < bytes.len() {
                return None;
            }
        }
        Fault::Silent => {}
        Fault::Drip(pause) => {
            for byte in bytes {
                client.write_all(&[*byte]).await.ok()?;
                tokio::time::sleep(pause).await;
                if !matches!(shared.fault(), Fault::Drip(_)) {
                    return None;
                }
            }
        }
        Fault::Garbage => {
            let noise: Vec<u8> = (0..bytes.len().max(64)).map(|at| (at * 151 + 7) as u8).collect();
            client.write_all(&noise).await.ok()?;
            client.write_all(b"\r\n").await.ok()?;
        }
        Fault::Half => {
            client.write_all(&bytes[..bytes.len() / 2]).await.ok()?;
            return None;
        }
        Fault::Replace(texts) => {
            let mut whole = bytes.to_vec();
            for (from, to) in &texts {
                whole = replace(&whole, from.as_bytes(), to.as_bytes());
            }
            client.write_all(&whole).await.ok()?;
        }
        Fault::CutAt(text) => {
            if let Some(at) = find(bytes, text.as_bytes()) {
                client.write_all(&bytes[..at]).await.ok()?;
                return None;
            }
            client.write_all(bytes).await.ok()?;
        }
    }
    *passed += bytes.len();
    Some(())
}

fn find(whole: &[u8], part: &[u8]) -> Option<usize> {
    whole.windows(part.len()).position(|window| window == part)
}

fn replace(whole: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut rest = whole;
    let mut new = Vec::new();
    while let Some(at) = find(rest, from) {
        new.extend_from_slice(&rest[..at]);
        new.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    new.extend_from_slice(rest);
    new
}

/// Each fault is what its name says: a proxy that did nothing would make every test that uses it pass.
#[tokio::test]
async fn the_proxy_misbehaves_as_it_is_told() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let server = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut line, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = line.split();
                tokio::io::copy(&mut from, &mut to).await
            });
        }
    });
    let proxy = Proxy::before(server).await;
    let echo = async |words: &str| -> String {
        let mut line = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        line.write_all(words.as_bytes()).await.unwrap();
        let mut heard = Vec::new();
        let wait = tokio::time::timeout(Duration::from_millis(100), async {
            while let Ok(1..) = line.read_buf(&mut heard).await {}
        });
        let ended = if wait.await.is_ok() { "closed" } else { "open" };
        format!("{} {ended}", String::from_utf8_lossy(&heard))
    };
    assert_eq!(echo("hello").await, "hello open");
    for (fault, expected) in [
        (Fault::Refused, " closed"),
        (Fault::CutAfter(3), "hel closed"),
        (Fault::Silent, " open"),
        (Fault::Drip(Duration::from_millis(60)), "he open"),
        (Fault::Half, "he closed"),
        (Fault::Replace(vec![("ll".to_owned(), "LL".to_owned())]), "heLLo open"),
        (Fault::CutAt("lo".to_owned()), "hel closed"),
        (Fault::HoldAt("lo".to_owned()), " open"),
        (Fault::HoldAt("other".to_owned()), "hello open"),
    ] {
        proxy.set(fault.clone());
        assert_eq!(echo("hello").await, expected, "{fault:?}");
    }
    proxy.set(Fault::Garbage);
    assert!(!echo("hello").await.contains("hello"));
    proxy.heal();
    assert_eq!(echo("hello").await, "hello open");
    assert_eq!(proxy.opened(), 12);
    assert!(proxy.heard().contains("hello"));
    let mut line = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
    line.write_all(b"x").await.unwrap();
    assert_eq!(line.read_u8().await.unwrap(), b'x');
    proxy.say("y");
    assert_eq!(line.read_u8().await.unwrap(), b'y');
    proxy.forget();
    line.write_all(b"z").await.unwrap();
    assert_eq!(echo("hello").await, "hello open");
    assert!(tokio::time::timeout(Duration::from_millis(100), line.read_u8()).await.is_err());
    proxy.cut();
    assert_eq!(line.read(&mut [0]).await.unwrap_or(0), 0);
}
