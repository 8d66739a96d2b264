//! Letters of a line on their way to the loop: they are read here, on a thread beside it, so that the loop has only to
//! act on them. Their order stays, and no more of them are in memory than the reader of the mailbox has room for.

use jiff::Timestamp;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

use super::batch::Portion;
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

/// Letters of one batch or of a part of it, in order of arrival: what is read of letters takes memory too. The marks join
/// the transaction of the last of them.
pub struct Portions {
    pub letters: Vec<Opened>,
    pub marks: Vec<(String, String)>,
    /// Of the whole batch, with its last part: given back when that is committed.
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
            Some(FromInbox::Letters { mut letters, marks, room }) => {
                while letters.len() > Portion::MOST {
                    let rest = letters.split_off(Portion::MOST);
                    let part = std::mem::replace(&mut letters, rest);
                    let Some(letters) = open(part, &own).await else { return };
                    let part = FromLine::Letters(Portions { letters, marks: Vec::new(), _room: None });
                    if to_loop.send(part).await.is_err() {
                        return;
                    }
                }
                let Some(letters) = open(letters, &own).await else { return };
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

/// None: the runtime ends.
async fn open(letters: Vec<Arrived>, own: &watch::Receiver<String>) -> Option<Vec<Opened>> {
    let own = own.borrow().clone();
    spawn_blocking(move || letters.into_iter().map(|letter| Opened::new(letter, &own)).collect()).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Order;

    fn arrived(number: usize) -> Arrived {
        Arrived {
            place: number.to_string(),
            order: Order { second: 0, within: format!("{number:05}") },
            raw: format!("From: p{number}@x.test\n\nx\n").into_bytes(),
            too_large: false,
            junk: false,
            revalidated: false,
        }
    }

    #[tokio::test]
    async fn a_batch_comes_in_parts_in_its_order_and_its_marks_and_room_with_the_last() {
        const LETTERS: usize = 2 * Portion::MOST + 1;
        let (to_opening, from_line) = mpsc::channel(1);
        let (to_loop, mut from) = mpsc::channel(1);
        let (_own, own) = watch::channel("omerta@x.test".to_owned());
        let task = tokio::spawn(run(from_line, to_loop, own));
        let semaphore = std::sync::Arc::new(tokio::sync::Semaphore::new(1));
        let room = Some(semaphore.clone().acquire_owned().await.unwrap());
        let marks = vec![("imap/INBOX".to_owned(), "1:501".to_owned())];
        let letters = (0..LETTERS).map(arrived).collect();
        to_opening.send(FromInbox::Letters { letters, marks: marks.clone(), room }).await.unwrap();
        drop(to_opening);
        let (mut places, mut sizes, mut told) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(FromLine::Letters(part)) = from.recv().await {
            assert!(told.is_empty(), "nothing comes after the marks");
            sizes.push(part.letters.len());
            places.extend(part.letters.iter().map(|letter| letter.arrived.place.clone()));
            told.extend(part.marks);
            assert_eq!(semaphore.available_permits(), 0, "it is not committed");
        }
        assert_eq!(sizes, [Portion::MOST, Portion::MOST, 1]);
        assert_eq!(places, (0..LETTERS).map(|number| number.to_string()).collect::<Vec<_>>());
        assert_eq!((told, semaphore.available_permits()), (marks, 1));
        task.await.unwrap();
    }

    #[tokio::test]
    async fn it_ends_with_the_loop() {
        let (_to_opening, from_line) = mpsc::channel(1);
        let (to_loop, from) = mpsc::channel(1);
        let (_own, own) = watch::channel(String::new());
        let task = tokio::spawn(run(from_line, to_loop, own));
        drop(from);
        task.await.unwrap();
    }
}
