//! Letters of a line on their way to the loop: they are read here, on a thread beside it, so that the loop has only to
//! act on them. Their order stays, and no more of them are in memory than the reader of the mailbox has room for.

use jiff::Timestamp;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

use crate::desk::said::Opened;
use crate::mail::link::{Arrived, FromInbox, Room, Trouble};

/// What the task that reads the mailbox says ([`FromInbox`]), its letters read.
pub enum FromLine {
    Letters(Portions),
    ReadThrough { began: Timestamp },
    Skew { seconds: i64 },
    Trouble(Trouble),
    Recovered,
}

/// Letters of one batch, in order of arrival, and the marks that join the transaction of the last of them.
pub struct Portions {
    pub letters: Vec<Opened>,
    pub marks: Vec<(String, String)>,
    /// Given back when all of them are committed.
    pub _room: Room,
}

/// Hands on what comes until one of the two has gone. `own`: our own address.
pub async fn run(
    mut from_line: mpsc::Receiver<FromInbox>,
    to_loop: mpsc::Sender<FromLine>,
    own: watch::Receiver<String>,
) {
    loop {
        let news = tokio::select! {
            news = from_line.recv() => news,
            () = to_loop.closed() => None,
        };
        let said = match news {
            None => return,
            Some(FromInbox::Letters { letters, marks, room }) => {
                let own = own.borrow().clone();
                let Ok(letters) = spawn_blocking(move || open(letters, &own)).await else { return };
                FromLine::Letters(Portions { letters, marks, _room: room })
            }
            Some(FromInbox::ReadThrough { began }) => FromLine::ReadThrough { began },
            Some(FromInbox::Skew { seconds }) => FromLine::Skew { seconds },
            Some(FromInbox::Trouble(trouble)) => FromLine::Trouble(trouble),
            Some(FromInbox::Recovered) => FromLine::Recovered,
        };
        if to_loop.send(said).await.is_err() {
            return;
        }
    }
}

fn open(letters: Vec<Arrived>, own: &str) -> Vec<Opened> {
    letters.into_iter().map(|letter| Opened::new(letter, own)).collect()
}
