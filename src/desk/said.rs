//! A letter and what it says. Its game, its proof and its requests all hang on that, and reading is dear: so it is read
//! once, and only if somebody asks. Letters of a line are read before they are taken in ([`Opened`]), on another thread.

use std::cell::OnceCell;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sha2::{Digest, Sha256};

use super::DeskError;
use crate::mail::link::Arrived;
use crate::mail::{Incoming, parse};
use crate::request::{Reading, names, read};
use crate::table::Table;

pub(super) struct Said {
    incoming: Incoming,
    /// Of the raw bytes.
    pub sha256: [u8; 32],
    reading: OnceCell<Reading>,
}

/// A letter that was read before its turn comes. Nothing hangs on whether it was: what is not read yet is read then.
pub struct Opened {
    pub arrived: Arrived,
    /// For whom it was read: our own address of that moment.
    own: String,
    said: Option<Said>,
}

impl Opened {
    /// Bytes of a letter that is read beforehand. What stands in a larger one is not kept in memory beside its bytes.
    const SMALL: usize = 64 * 1024;

    /// `own` is our own address. A letter that nobody can read is left to the one who takes it in.
    pub fn new(arrived: Arrived, own: &str) -> Opened {
        let is_small = arrived.raw.len() <= Opened::SMALL;
        let read = is_small.then(|| Said::parse_at_all(&arrived.raw, own).ok());
        Opened { arrived, own: own.to_owned(), said: read.flatten() }
    }

    /// As it was read for this address.
    pub(super) fn said(&self, own: &str) -> Option<&Said> {
        self.said.as_ref().filter(|_| self.own == own)
    }
}

/// A panic in the reading of one letter is that letter's failure.
fn contained<T>(work: impl FnOnce() -> T) -> Result<T, DeskError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| DeskError::Broken("the letter broke its reader"))
}

static NOTHING: Reading = Reading { items: Vec::new(), proof_words: Vec::new(), perhaps: Vec::new() };

impl Said {
    /// `own` is our own address.
    pub(super) fn parse(raw: &[u8], own: &str) -> Said {
        let (incoming, sha256) = (parse::parse_persons(raw, own), Sha256::digest(raw).into());
        Said { incoming, sha256, reading: OnceCell::new() }
    }

    /// The same of a letter that may break its reader.
    ///
    /// # Errors
    /// When it does: nothing is known of it then, and nobody else's letter is to suffer from it.
    pub(super) fn parse_at_all(raw: &[u8], own: &str) -> Result<Said, DeskError> {
        contained(|| Said::read_ahead(raw, own))
    }

    /// Reads what will be asked for, too.
    fn read_ahead(raw: &[u8], own: &str) -> Said {
        let said = Said::parse(raw, own);
        if said.incoming.automatic.is_none() {
            said.reading();
        }
        said
    }

    pub(super) fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| read::read(&self.incoming.subject, &self.incoming.body))
    }

    /// The same as it reads among the players of a game: what is a nick is known now.
    pub(super) fn reading_among(&self, table: &Table, too_large: bool) -> Reading {
        let nicks: Vec<&str> = table.game.players.iter().map(|player| player.nick.as_str()).collect();
        self.reading_if_readable(too_large).with_attempts(|written| names::is_named(&nicks, written))
    }

    /// The same; nothing where the letter can't be read.
    pub(super) fn reading_if_readable(&self, too_large: bool) -> &Reading {
        if too_large || self.incoming.undecodable { &NOTHING } else { self.reading() }
    }
}

impl Deref for Said {
    type Target = Incoming;

    fn deref(&self) -> &Incoming {
        &self.incoming
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Order;

    #[test]
    fn a_reader_that_panics_fails_its_letter_alone() {
        let read = contained(|| assert_eq!(1 + 1, 3, "as a reader that breaks"));
        assert!(matches!(read, Err(DeskError::Broken(_))));
        assert_eq!(contained(|| 7).unwrap(), 7);
    }

    #[test]
    fn a_letter_is_read_once_and_one_that_cannot_be_says_nothing() {
        let said = Said::parse("From: <p@game.test>\n\nСуд Линча - Анна\n".as_bytes(), "omerta@game.test");
        assert_eq!(said.reading().requests().count(), 1);
        assert!(std::ptr::eq(said.reading(), said.reading_if_readable(false)));
        assert_eq!(said.reading_if_readable(true), &Reading::default());
    }

    #[test]
    fn a_letter_that_was_read_beforehand_is_the_same_and_for_its_reader_alone() {
        let arrived = |raw: &str| Arrived {
            place: String::new(),
            order: Order { second: 0, within: String::new() },
            raw: raw.as_bytes().to_vec(),
            too_large: false,
            junk: false,
            revalidated: false,
        };
        let raw = "From: <p@game.test>\nMessage-ID: <a@b>\n\nСуд Линча - Анна\n";
        let opened = Opened::new(arrived(raw), "omerta@game.test");
        let said = opened.said("omerta@game.test").unwrap();
        let now = Said::parse(raw.as_bytes(), "omerta@game.test");
        assert_eq!((&said.incoming, said.sha256), (&now.incoming, now.sha256));
        assert_eq!(said.reading.get(), Some(now.reading()), "read to the end");
        // Whether a letter is our own hangs on our address.
        assert!(opened.said("other@game.test").is_none());
        let large = format!("{raw}{}", "x".repeat(Opened::SMALL));
        assert!(Opened::new(arrived(&large), "omerta@game.test").said("omerta@game.test").is_none());
    }
}
