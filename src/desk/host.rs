//! A host's letter. He must be proved, and what hurts wants a confirming answer besides.

use jiff::Timestamp;

use super::identity::Question;
use super::receive::{number, shorten};
use super::{DeskError, Open, Room};
use crate::journal::{AskedWhy, Entry, Writer};
use crate::mail::{Incoming, parse};
use crate::request::host::{self, HostAsk};
use crate::request::read;
use crate::rules::Order;
use crate::store::{GameHead, LetterId, LetterState, Tx, View};
use crate::why;

/// A letter of a host, who may be unproved.
pub(super) struct HostsLetter<'a> {
    pub id: LetterId,
    pub position: u16,
    pub order: &'a Order,
    pub incoming: &'a Incoming,
    pub proved: bool,
}

impl Room {
    /// A host is always proved, or asked; and asked besides where what he wants can't be taken back.
    pub(super) fn hear_host(
        &mut self,
        tx: &Tx,
        head: &GameHead,
        letter: &HostsLetter,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let mut game = self.open(tx, head)?;
        tx.set_letter(letter.id, LetterState::Done, Some(game.id), None)?;
        let who = Writer::Host(letter.position);
        let reading = read::read(&letter.incoming.subject, &letter.incoming.body);
        if let Some(row) = self.confirms(tx, &game, who, letter.incoming, &reading)?
            && tx.drop_asked(row.id)?
        {
            let (asked, by) = (number(row.id), number(letter.id));
            self.record(tx, &mut game, now, &Entry::Confirmed { who, letter: asked, by })?;
            let own = self.config.outbox.from.address.clone();
            let incoming = parse::parse(&tx.raw(row.id)?.unwrap_or_default(), Some(&own));
            let asks = host::read(&incoming.subject, &incoming.body);
            self.answer_host(tx, &mut game, letter.position, row.id, asks, now)?;
            return self.put_back(tx, game, now);
        }
        let asks = host::read(&letter.incoming.subject, &letter.incoming.body);
        let is_weighty = asks.iter().any(HostAsk::wants_confirming);
        if asks.is_empty() || letter.proved && !is_weighty {
            self.answer_host(tx, &mut game, letter.position, letter.id, asks, now)?;
        } else {
            let why = if letter.proved { AskedWhy::Weighty } else { AskedWhy::Unproved };
            let lines = asks.iter().map(|ask| shorten(ask.line())).collect();
            let question = Question { who, letter: letter.id, order: letter.order, why, lines };
            self.ask(tx, &mut game, question, now)?;
        }
        self.put_back(tx, game, now)
    }

    /// Answers a host who is proved, and has confirmed what wants it; each question is journaled like any request.
    fn answer_host(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        position: u16,
        letter: LetterId,
        asks: Vec<HostAsk>,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let Some(HostAsk::Why { nick, .. }) = asks.into_iter().next() else { return Ok(()) };
        let about = nick.as_deref().and_then(|nick| game.table.by_nick(nick));
        let said = match (&nick, about) {
            (Some(_), None) => None,
            _ => Some(self.reasons(tx, game, about, now)?),
        };
        let entry = Entry::HostAsked {
            host: position,
            letter: number(letter),
            about,
            unknown_nick: nick.is_some() && about.is_none(),
        };
        self.record_with(tx, game, now, &entry, said.as_deref())
    }

    /// The chain of reasons, in words.
    fn reasons(
        &self,
        tx: &View,
        game: &Open,
        about: Option<crate::rules::PlayerId>,
        now: Timestamp,
    ) -> Result<String, DeskError> {
        let mut journal = Vec::new();
        let mut seq = 0;
        loop {
            let events = tx.events_after(game.id, seq, 512)?;
            let Some(last) = events.last() else { break };
            seq = last.seq;
            for event in events {
                journal.push((event.at, serde_json::from_str::<Entry>(&event.body)?));
            }
        }
        Ok(match why::Story::of(journal, None) {
            Ok(story) => why::words::plain(&why::words::say(&story, &why::explain(&story, about), now)),
            Err(none) => none.to_string(),
        })
    }
}
