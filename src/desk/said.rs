//! A letter and what it says. Its game, its proof and its requests all hang on that, and reading is dear: so it is read
//! once, and only if somebody asks.

use std::cell::OnceCell;
use std::ops::Deref;

use crate::mail::{Incoming, parse};
use crate::request::{Reading, read};

pub(super) struct Said {
    incoming: Incoming,
    reading: OnceCell<Reading>,
}

static NOTHING: Reading = Reading { items: Vec::new(), proof_words: Vec::new() };

impl Said {
    /// `own` is our own address.
    pub(super) fn parse(raw: &[u8], own: &str) -> Said {
        Said { incoming: parse::parse(raw, Some(own)), reading: OnceCell::new() }
    }

    pub(super) fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| read::read(&self.incoming.subject, &self.incoming.body))
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

    #[test]
    fn a_letter_is_read_once_and_one_that_cannot_be_says_nothing() {
        let said = Said::parse("From: <p@game.test>\n\nСуд Линча - Анна\n".as_bytes(), "omerta@game.test");
        assert_eq!(said.reading().requests().count(), 1);
        assert!(std::ptr::eq(said.reading(), said.reading_if_readable(false)));
        assert_eq!(said.reading_if_readable(true), &Reading::default());
    }
}
