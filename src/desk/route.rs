//! Whose a letter is, and to which game it belongs.

use super::{DeskError, Room};
use crate::letters::{GameName, Lang};
use crate::mail::Incoming;
use crate::request::read;
use crate::rules::PlayerId;
use crate::store::{GameHead, View};

pub(super) enum Route {
    Seat {
        head: GameHead,
        player: PlayerId,
    },
    /// A host or moderator who plays nowhere.
    Officer,
    Several {
        candidates: Vec<GameName>,
    },
    Nobody,
}

impl Room {
    /// By a token of ours in it, else by `[tag]` in the subject, else by its sender.
    pub(super) fn route(&self, tx: &View, incoming: &Incoming) -> Result<Route, DeskError> {
        let Some(from) = incoming.from.as_deref() else { return Ok(Route::Nobody) };
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
                    if let Some(player) = self.proved_by_word(tx, &head, incoming)? {
                        return Ok(Route::Seat { player, head });
                    }
                }
            }
        }
        let seat = match running.as_slice() {
            [] => seats.last(),
            [only] => Some(*only),
            several => {
                let mut candidates = Vec::new();
                for seat in several {
                    if let Some(head) = tx.game_by_id(seat.game)? {
                        candidates.push(GameName { tag: head.tag, title: head.title });
                    }
                }
                return Ok(Route::Several { candidates });
            }
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
        let ids = incoming.refers_to.iter().filter_map(|id| id.split('@').next());
        let plus = incoming.recipients.iter().filter_map(|address| address.split('@').next()?.split('+').nth(1));
        for token in ids.chain(plus).take(64) {
            if let Some(row) = tx.find_token(token)?
                && let Some(game) = row.game
            {
                return Ok(tx.game_by_id(game)?);
            }
        }
        Ok(None)
    }

    /// The proof word lets a player write from any address.
    fn proved_by_word(&self, tx: &View, head: &GameHead, incoming: &Incoming) -> Result<Option<PlayerId>, DeskError> {
        let words = read::read(&incoming.subject, &incoming.body).proof_words;
        let Some(word) = words.first() else { return Ok(None) };
        for seat in tx.seats(head.id)? {
            let player = PlayerId(seat.player);
            if [Lang::Ru, Lang::En].into_iter().any(|lang| self.keys.proves(&head.tag, player, lang, word)) {
                return Ok(Some(player));
            }
        }
        Ok(None)
    }
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
