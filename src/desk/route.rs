//! Whose a letter is, and to which game it belongs.

use jiff::Timestamp;

use super::orders::ProvedHost;
use super::{DeskError, Room};
use crate::letters::{GameName, Lang};
use crate::mail::Incoming;
use crate::request::read;
use crate::rules::PlayerId;
use crate::store::{GameHead, SeatPlace, Tx, View};

/// Proof words tried in a day.
const TRIES_OF_ONE: u32 = 10;
const TRIES_OF_ALL: u32 = 100;

pub(super) enum Route {
    Seat {
        head: GameHead,
        player: PlayerId,
    },
    /// A host who proves himself by a token of ours.
    Host(ProvedHost),
    /// A host without proof, or a moderator.
    Officer,
    Several {
        candidates: Vec<GameName>,
    },
    Nobody,
}

impl Room {
    /// By a token of ours in it, else by `[tag]` in the subject, else by its sender.
    pub(super) fn route(&mut self, tx: &Tx, incoming: &Incoming, now: Timestamp) -> Result<Route, DeskError> {
        let Some(from) = incoming.from.as_deref() else { return Ok(Route::Nobody) };
        if let Some(host) = self.proved_host(tx, incoming)? {
            return Ok(Route::Host(host));
        }
        let seats = tx.seats_by_address(from)?;
        let mut named = self.game_by_token(tx, incoming)?;
        if named.is_none() {
            named = game_by_tag(tx, &incoming.subject)?;
        }
        let running: Vec<_> = seats.iter().filter(|seat| is_running(&seat.state)).collect();
        if let Some(head) = named {
            let seat = seats.iter().find(|seat| seat.game == head.id);
            match (seat, running.as_slice()) {
                // A finished game gives way to the sender's one running game.
                (_, [only]) if !is_running(&head.state) && only.game != head.id => {}
                (Some(seat), _) => return Ok(Route::Seat { player: PlayerId(seat.player), head }),
                (None, _) => {
                    if let Some(player) = self.proved_by_word(tx, &head, incoming, now)? {
                        return Ok(Route::Seat { player, head });
                    }
                    // It names a game in which he has no seat: his other games must not be touched by it.
                    if !running.is_empty() {
                        return several(tx, &running);
                    }
                }
            }
        }
        let seat = match running.as_slice() {
            [] => seats.last(),
            [only] => Some(*only),
            _ => return several(tx, &running),
        };
        if let Some(seat) = seat
            && let Some(head) = tx.game_by_id(seat.game)?
        {
            return Ok(Route::Seat { player: PlayerId(seat.player), head });
        }
        if !tx.games_of_officer(from)?.is_empty() || self.config.host.addresses.iter().any(|address| address == from) {
            return Ok(Route::Officer);
        }
        Ok(Route::Nobody)
    }

    /// Our Message-IDs and plus-addresses hold the token of the letter that is answered.
    fn game_by_token(&self, tx: &View, incoming: &Incoming) -> Result<Option<GameHead>, DeskError> {
        for token in tokens(incoming) {
            if let Some(row) = tx.find_token(token)?
                && let Some(game) = row.game
            {
                return Ok(tx.game_by_id(game)?);
            }
        }
        Ok(None)
    }

    /// The proof word lets a player write from any address.
    fn proved_by_word(
        &self,
        tx: &Tx,
        head: &GameHead,
        incoming: &Incoming,
        now: Timestamp,
    ) -> Result<Option<PlayerId>, DeskError> {
        let words = read::read(&incoming.subject, &incoming.body).proof_words;
        let Some(word) = words.first() else { return Ok(None) };
        // Words must not be guessed: so many tries a day from one address, and from all strangers of a game together.
        let day = now.strftime("%F").to_string();
        let from = incoming.from.as_deref().unwrap_or_default();
        let may_try = tx.bump(head.id, "proof words", &format!("{from}/{day}"), TRIES_OF_ONE)?
            && tx.bump(head.id, "proof words", &day, TRIES_OF_ALL)?;
        if !may_try {
            return Ok(None);
        }
        for seat in tx.seats(head.id)? {
            let player = PlayerId(seat.player);
            if [Lang::Ru, Lang::En].into_iter().any(|lang| self.keys.proves(&head.tag, player, lang, word)) {
                return Ok(Some(player));
            }
        }
        Ok(None)
    }
}

/// Nothing is done: the answer names the games among which the sender may choose.
fn several(tx: &View, running: &[&SeatPlace]) -> Result<Route, DeskError> {
    let mut candidates = Vec::new();
    for seat in running {
        if let Some(head) = tx.game_by_id(seat.game)? {
            candidates.push(GameName { tag: head.tag, title: head.title });
        }
    }
    Ok(Route::Several { candidates })
}

/// What may be tokens of ours in a letter: in the Message-IDs that it refers to, and in plus-addresses.
pub(super) fn tokens(incoming: &Incoming) -> impl Iterator<Item = &str> {
    let ids = incoming.refers_to.iter().filter_map(|id| id.split('@').next());
    let plus = incoming.recipients.iter().filter_map(|address| address.split('@').next()?.split('+').nth(1));
    ids.chain(plus).take(64)
}

fn is_running(state: &str) -> bool {
    matches!(state, "signup" | "playing" | "paused")
}

/// The first `[word]` of the subject that is a game's tag.
fn game_by_tag(tx: &View, subject: &str) -> Result<Option<GameHead>, DeskError> {
    for part in subject.split('[').skip(1).take(4) {
        let Some((tag, _)) = part.split_once(']') else { continue };
        if let Some(head) = tx.game(&tag.trim().to_lowercase())? {
            return Ok(Some(head));
        }
    }
    Ok(None)
}
