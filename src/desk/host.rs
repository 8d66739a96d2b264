//! A host's letter. He must be proved: his letter answers one of ours to him, in its turn or the next.

use jiff::Timestamp;

use super::{DeskError, Open, Room};
use crate::journal::Entry;
use crate::mail::Incoming;
use crate::request::host::{self, HostAsk};
use crate::store::{GameHead, LetterId, LetterState, Tx, View};
use crate::why;

/// A host who has proved himself, and his game.
pub(super) struct ProvedHost {
    pub head: GameHead,
    pub position: u16,
}

impl Room {
    /// The host to whom the letter's token was sent, if he is the one who writes. A token proves only its own
    /// recipient, and only in its turn and the next.
    pub(super) fn proved_host(&mut self, tx: &View, incoming: &Incoming) -> Result<Option<ProvedHost>, DeskError> {
        let Some(from) = incoming.from.as_deref() else { return Ok(None) };
        for token in super::route::tokens(incoming) {
            let Some(row) = tx.find_token(token)? else { continue };
            let Some(position) = row.reader.strip_prefix("host:").and_then(|position| position.parse().ok()) else {
                continue;
            };
            let Some(head) = row.game.map(|game| tx.game_by_id(game)).transpose()?.flatten() else { continue };
            let is_he = tx
                .officers(head.id)?
                .iter()
                .any(|officer| officer.role == "host" && officer.position == position && officer.address == from);
            if !is_he {
                continue;
            }
            let table = self.load(tx, &head)?;
            let turn = table.game.turn;
            self.tables.keep(head.id, head.seq, table);
            if turn <= row.turn.saturating_add(1) {
                return Ok(Some(ProvedHost { head, position }));
            }
        }
        Ok(None)
    }

    /// Answers a proved host; each question is journaled like any request.
    pub(super) fn answer_host(
        &mut self,
        tx: &Tx,
        host: ProvedHost,
        letter: LetterId,
        incoming: &Incoming,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let asks = host::read(&incoming.subject, &incoming.body);
        let Some(HostAsk::Why { nick }) = asks.into_iter().next() else { return Ok(()) };
        let mut game = self.open(tx, &host.head)?;
        tx.set_letter(letter, LetterState::Done, Some(game.id), None)?;
        let about = nick.as_deref().and_then(|nick| game.table.by_nick(nick));
        let said = match (&nick, about) {
            (Some(_), None) => None,
            _ => Some(self.reasons(tx, &game, about, now)?),
        };
        let entry = Entry::HostAsked {
            host: host.position,
            letter: u64::try_from(letter.0).unwrap_or_default(),
            about,
            unknown_nick: nick.is_some() && about.is_none(),
        };
        self.record_with(tx, &mut game, now, &entry, said.as_deref())?;
        self.put_back(tx, game, now)
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
