//! Tasks that die, and an end in the middle of a letter, over an SMTP server of our own that counts its connections.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::house::binary::Machine;
use crate::house::config_text;
use crate::{Daemon, begin, times};

/// Takes every letter; or, told to be mute, says nothing after the final dot.
pub struct Server {
    port: u16,
    opened: Arc<AtomicUsize>,
    mute: Arc<AtomicBool>,
    letters: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let server = Server {
            port: listener.local_addr().unwrap().port(),
            opened: Arc::default(),
            mute: Arc::default(),
            letters: Arc::default(),
        };
        let (opened, mute, letters) = (server.opened.clone(), server.mute.clone(), server.letters.clone());
        std::thread::spawn(move || {
            for line in listener.incoming().flatten() {
                opened.fetch_add(1, Ordering::SeqCst);
                let (mute, letters) = (mute.clone(), letters.clone());
                // A client that goes away ends the talk.
                std::thread::spawn(move || talk(line, &mute, &letters).unwrap_or_default());
            }
        });
        server
    }

    fn message_ids(&self) -> Vec<String> {
        self.letters.lock().unwrap().clone()
    }
}

fn talk(line: TcpStream, mute: &AtomicBool, letters: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut answers = line.try_clone()?;
    answers.write_all(b"220 here\r\n")?;
    let mut said = BufReader::new(line).lines();
    while let Some(command) = said.next() {
        let command = command?.to_uppercase();
        let answer = if command.starts_with("DATA") {
            answers.write_all(b"354 go on\r\n")?;
            let mut id = String::new();
            for line in said.by_ref() {
                let line = line?;
                if let Some(found) = line.strip_prefix("Message-ID: ") {
                    id = found.to_owned();
                }
                if line == "." {
                    break;
                }
            }
            letters.lock().unwrap().push(id);
            if mute.load(Ordering::SeqCst) {
                continue;
            }
            "250 taken"
        } else if command.starts_with("EHLO") {
            "250 here"
        } else if command.starts_with("QUIT") {
            "221 bye"
        } else {
            "250 well"
        };
        answers.write_all(format!("{answer}\r\n").as_bytes())?;
    }
    Ok(())
}

/// `more` is added to the outbox.
pub fn over(server: &Server, more: &str) -> Machine {
    let machine = Machine::new();
    let smtp = format!("kind = \"smtp\"\nserver = \"127.0.0.1\"\nport = {}\ntls = \"none\"\n{more}", server.port);
    let config = config_text("").replace("kind = \"maildir\"\npath = \"mail/out\"\n", &smtp);
    std::fs::write(machine.folder.join("config.toml"), config).unwrap();
    machine
}

#[test]
fn a_sender_that_panics_is_started_again_and_loses_nothing() {
    let server = Server::start();
    let machine = over(&server, "");
    begin(&machine);
    let daemon = Daemon::start(&machine, &["--panic-in", "sender:3"]);
    let (all, mut ids) = all_left(&machine, &server);
    assert_eq!(ids.len(), all);
    ids.dedup();
    assert_eq!(ids.len(), all, "each once");
    assert_eq!(times(&machine, "a task that speaks with a mail server ended unexpectedly"), 1, "{}", machine.log());
    assert_eq!(times(&machine, "panics because a test wants it to"), 3, "{}", machine.log());
    assert!(server.opened.load(Ordering::SeqCst) <= 4);
    assert_eq!(daemon.stop().0, Some(0));
}

#[test]
fn an_end_waits_ten_seconds_for_the_server_and_no_longer() {
    let server = Server::start();
    server.mute.store(true, Ordering::SeqCst);
    let machine = over(&server, "");
    begin(&machine);
    let daemon = Daemon::start(&machine, &[]);
    machine.until("a letter is handed over", || !server.message_ids().is_empty());
    let (code, took) = daemon.stop();
    assert_eq!(code, Some(0), "{}", machine.log());
    assert!(took >= Duration::from_secs(9) && took < Duration::from_secs(13), "{took:?}");
    assert_eq!(server.opened.load(Ordering::SeqCst), 1);
    // What was not answered for is tried again, by its own name.
    server.mute.store(false, Ordering::SeqCst);
    let daemon = Daemon::start(&machine, &[]);
    let (all, mut ids) = all_left(&machine, &server);
    assert_eq!(ids.len(), all + 1, "one of them twice at most: {ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), all);
    assert_eq!(daemon.stop().0, Some(0));
}

/// Waits until every letter has left: how many there are, and the Message-IDs that the server took, in order.
fn all_left(machine: &Machine, server: &Server) -> (usize, Vec<String>) {
    let all = machine.json(&["letters", crate::TAG, "--json"]).as_array().unwrap().len();
    machine.until("every letter has left", || {
        machine.wait_seconds(40);
        machine.json(&["status", "--json"])["outbox"]["sent"] == all
    });
    let mut ids = server.message_ids();
    ids.sort();
    (all, ids)
}
