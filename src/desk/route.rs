//! Whose a letter is, and to which game it belongs. Whether he proves it is for [`super::identity`] to say.

use jiff::Timestamp;

use super::said::Said;
use super::{DeskError, Room};
use crate::journal::Writer;
use crate::letters::GameName;
use crate::mail::Incoming;
use crate::request::Word;
use crate::rules::PlayerId;
use crate::signup::Seating;
use crate::store::{GameHead, GameId, SeatPlace, TokenRow, Tx, View};
use crate::table::{State, is_on};

/// Most open sign-ups that an answer lists.
const SIGNUPS_NAMED: usize = 10;

pub(super) enum Route {
    Seat {
        head: GameHead,
        player: PlayerId,
        proved: bool,
    },
    /// A host, who may be unproved.
    Host {
        head: GameHead,
        position: u16,
        proved: bool,
    },
    /// A moderator, who may be unproved.
    Moderator {
        head: GameHead,
        position: u16,
        proved: bool,
    },
    /// Somebody who signs up; None: his first letter to this game.
    Applicant {
        head: GameHead,
        applicant: Option<u16>,
        proved: bool,
    },
    /// A host or a moderator of no game that is on, or of several.
    Officer,
    Several {
        candidates: Vec<GameName>,
    },
    Nobody,
}

impl Room {
    /// By a token of ours in it, else by `[tag]` in the subject, else by its sender.
    pub(super) fn route(&mut self, tx: &Tx, incoming: &Said, now: Timestamp) -> Result<Route, DeskError> {
        let Some(from) = incoming.from.as_deref() else { return Ok(Route::Nobody) };
        let tokens = self.tokens_in(tx, incoming)?;
        let seats = tx.seats_by_address(from)?;
        let mut named = match self.named_by_tokens(tx, incoming, &tokens, &seats)?.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            // The tag is what we ask for where a letter could mean several.
            games => {
                let mut meant = games_by_tags(tx, &incoming.subject)?;
                meant.retain(|tagged| games.iter().any(|head| head.id == tagged.id));
                match meant.as_slice() {
                    [only] => Some(only.clone()),
                    _ => return several(tx, games.iter().map(|head| head.id)),
                }
            }
        };
        // Who has a seat and leads a game is a host where he answers a letter to the host.
        if !incoming.testimony.speaks_against() {
            let of_it: Vec<TokenRow> =
                tokens.iter().filter(|token| token.game == named.as_ref().map(|head| head.id)).cloned().collect();
            if let Some((head, position)) = self.officer_by_token(tx, "host", from, &of_it)? {
                return Ok(Route::Host { head, position, proved: true });
            }
            if let Some((head, position)) = self.officer_by_token(tx, "moderator", from, &of_it)? {
                return Ok(Route::Moderator { head, position, proved: true });
            }
        }
        if named.is_none() {
            let tagged = games_by_tags(tx, &incoming.subject)?;
            let mut own = tagged.clone();
            own.retain(|head| is_on(&head.state));
            let own = concerning(tx, own, from, &seats)?;
            // Which of his games it is meant for nobody can tell: a guess would vote in the wrong one.
            if own.len() > 1 {
                return several(tx, own.iter().map(|head| head.id));
            }
            named = tagged.into_iter().next();
        }
        let running: Vec<_> = seats.iter().filter(|seat| is_on(&seat.state)).collect();
        let sole = match running.as_slice() {
            [only] => Some(only.game),
            _ => None,
        };
        // A finished game gives way to the sender's one running game.
        if let Some(head) = &named
            && !is_on(&head.state)
            && sole.is_some_and(|game| game != head.id)
        {
            named = None;
        }
        if let Some(route) = self.route_by_word(tx, named.as_ref(), sole, incoming, now)? {
            return Ok(route);
        }
        // That it was the last word of the day may stand in that game's journal by now.
        if let Some(head) = &mut named {
            *head = tx.game_by_id(head.id)?.ok_or(DeskError::Broken("a game that was there is gone"))?;
        }
        if let Some(head) = named {
            let seat = seats.iter().find(|seat| seat.game == head.id).map(|seat| PlayerId(seat.player));
            if let Some(player) = seat {
                let proved = self.is_proved(tx, &head, Writer::Player(player), incoming, &tokens)?;
                return Ok(Route::Seat { head, player, proved });
            }
            if let Some(position) = host_position(tx, head.id, from)? {
                let proved = self.is_proved(tx, &head, Writer::Host(position), incoming, &tokens)?;
                return Ok(Route::Host { head, position, proved });
            }
            if let Some(position) = officer_position(tx, head.id, "moderator", from)? {
                let proved = self.is_proved(tx, &head, Writer::Moderator(position), incoming, &tokens)?;
                return Ok(Route::Moderator { head, position, proved });
            }
            if head.state == State::Signup.word() && tx.has_signup(head.id)? || self.waits_for_seat(tx, &head, from)? {
                return self.route_applicant(tx, head, incoming, &tokens);
            }
            // It names a game in which he has no seat: his other games must not be touched by it.
            if !running.is_empty() {
                return several(tx, running.iter().map(|seat| seat.game));
            }
        }
        if let Some(route) = self.route_signup(tx, &running, incoming)? {
            return Ok(route);
        }
        if running.is_empty()
            && let Some(route) = self.route_waiting(tx, from, incoming)?
        {
            return Ok(route);
        }
        let seat = match running.as_slice() {
            [] => seats.last(),
            [only] => Some(*only),
            _ => return several(tx, running.iter().map(|seat| seat.game)),
        };
        if let Some(seat) = seat
            && let Some(head) = tx.game_by_id(seat.game)?
        {
            let player = PlayerId(seat.player);
            let proved = self.is_proved(tx, &head, Writer::Player(player), incoming, &tokens)?;
            return Ok(Route::Seat { head, player, proved });
        }
        self.route_officer(tx, from, incoming)
    }

    /// The game of the letter that this one answers; else those of the sender's games that are on of which it holds a
    /// token, and where there is none the first of any game.
    fn named_by_tokens(
        &self,
        tx: &Tx,
        incoming: &Said,
        tokens: &[TokenRow],
        seats: &[SeatPlace],
    ) -> Result<Vec<GameHead>, DeskError> {
        let answered = incoming.refers_to.get(..incoming.answers).unwrap_or_default();
        let mut of_answered = Vec::new();
        for token in crate::keys::tokens_in(answered, &[]) {
            of_answered.extend(tx.find_token(&token)?);
        }
        let mut games = games_of(tx, &of_answered)?;
        if games.is_empty() {
            games = games_of(tx, tokens)?;
        }
        if games.len() < 2 {
            return Ok(games);
        }
        let on = games.iter().filter(|head| is_on(&head.state)).cloned().collect();
        let own = concerning(tx, on, incoming.from.as_deref().unwrap_or_default(), seats)?;
        games.truncate(1);
        Ok(if own.is_empty() { games } else { own })
    }

    /// The proof word lets its bearer write from any address.
    fn route_by_word(
        &mut self,
        tx: &Tx,
        named: Option<&GameHead>,
        sole: Option<GameId>,
        incoming: &Said,
        now: Timestamp,
    ) -> Result<Option<Route>, DeskError> {
        let words = proof_words(incoming);
        if words.is_empty() {
            return Ok(None);
        }
        let head = match (named, sole) {
            (Some(head), _) => Some(head.clone()),
            (None, Some(game)) => tx.game_by_id(game)?,
            // From an address that nobody knows, without a tag: it is clear only where one game is on.
            (None, None) => match tx.running_games(2)?.as_slice() {
                [only] => tx.game_by_id(*only)?,
                _ => None,
            },
        };
        let Some(head) = head else { return Ok(None) };
        Ok(match self.proved_by_word(tx, &head, words, incoming, now)? {
            Some(Writer::Player(player)) => Some(Route::Seat { head, player, proved: true }),
            Some(Writer::Host(position)) => Some(Route::Host { head, position, proved: true }),
            // Who signs up has no proof word yet.
            Some(Writer::Moderator(_) | Writer::Applicant(_)) | None => None,
        })
    }

    /// A letter to a sign-up. Its first letter needs no proof but that no server speaks against it: whatever is answered
    /// goes to the address that it names.
    fn route_applicant(
        &mut self,
        tx: &Tx,
        head: GameHead,
        incoming: &Incoming,
        tokens: &[TokenRow],
    ) -> Result<Route, DeskError> {
        let from = incoming.from.as_deref().unwrap_or_default();
        let applicant = tx.applicant_of(head.id, from)?;
        let proved = match applicant {
            Some(number) => self.is_proved(tx, &head, Writer::Applicant(number), incoming, tokens)?,
            None => !incoming.testimony.speaks_against(),
        };
        Ok(Route::Applicant { head, applicant, proved })
    }

    /// A letter that names no game, of somebody who applies or has applied: the only sign-up that is open; else the one
    /// to which he has written. None when it is for the other ways to find its game.
    fn route_signup(&mut self, tx: &Tx, running: &[&SeatPlace], incoming: &Said) -> Result<Option<Route>, DeskError> {
        let from = incoming.from.as_deref().unwrap_or_default();
        let applies = incoming.reading().requests().any(|request| request.word == Word::Join);
        let games: Vec<GameId> = if applies {
            tx.open_signups(SIGNUPS_NAMED)?
        } else {
            let own = tx.applications(from)?.into_iter().map(|own| own.game);
            own.chain(running.iter().map(|seat| seat.game)).collect()
        };
        match games.as_slice() {
            [only] if applies || running.is_empty() => {
                let Some(head) = tx.game_by_id(*only)? else { return Ok(None) };
                if host_position(tx, head.id, from)?.is_some() {
                    return Ok(None);
                }
                self.route_applicant(tx, head, incoming, &[]).map(Some)
            }
            [] | [_] => Ok(None),
            several_of_them => several(tx, several_of_them.iter().copied()).map(Some),
        }
    }

    /// A letter that names no game, of somebody who waits for a seat in one that is being played.
    fn route_waiting(&mut self, tx: &Tx, from: &str, incoming: &Incoming) -> Result<Option<Route>, DeskError> {
        let mut waits = Vec::new();
        for game in tx.applied_and_on(from)? {
            let Some(head) = tx.game_by_id(game)? else { continue };
            if self.waits_for_seat(tx, &head, from)? {
                waits.push(head);
            }
        }
        match waits.as_slice() {
            [] => Ok(None),
            [only] => self.route_applicant(tx, only.clone(), incoming, &[]).map(Some),
            several_of_them => several(tx, several_of_them.iter().map(|head| head.id)).map(Some),
        }
    }

    /// Whether an address is on the waiting list of a game that is being played.
    fn waits_for_seat(&mut self, tx: &Tx, head: &GameHead, from: &str) -> Result<bool, DeskError> {
        if !matches!(head.state.as_str(), "playing" | "paused") {
            return Ok(false);
        }
        let Some(number) = tx.applicant_of(head.id, from)? else { return Ok(false) };
        let table = self.load(tx, head)?;
        let applicant = table.signup.as_ref().and_then(|signup| signup.applicant(number));
        let waits = applicant.is_some_and(|applicant| applicant.seating == Seating::Waiting);
        self.tables.keep(head.id, head.seq, table);
        Ok(waits)
    }

    /// A host whose letter names no game: his one game that is on.
    fn route_officer(&mut self, tx: &Tx, from: &str, incoming: &Incoming) -> Result<Route, DeskError> {
        let places = tx.games_of_officer(from)?;
        let hosted: Vec<_> = places.iter().filter(|place| place.role == "host" && is_on(&place.state)).collect();
        if let [only] = hosted.as_slice()
            && let Some(head) = tx.game_by_id(only.game)?
        {
            let proved = self.is_proved(tx, &head, Writer::Host(only.position), incoming, &[])?;
            return Ok(Route::Host { head, position: only.position, proved });
        }
        if hosted.len() > 1 {
            return several(tx, hosted.iter().map(|place| place.game));
        }
        let led: Vec<_> = places.iter().filter(|place| place.role == "moderator" && is_on(&place.state)).collect();
        if let ([only], true) = (led.as_slice(), hosted.is_empty())
            && let Some(head) = tx.game_by_id(only.game)?
        {
            let proved = self.is_proved(tx, &head, Writer::Moderator(only.position), incoming, &[])?;
            return Ok(Route::Moderator { head, position: only.position, proved });
        }
        let is_host = self.config.host.addresses.iter().any(|address| crate::address::is_one_mailbox(address, from));
        Ok(if is_host || !places.is_empty() { Route::Officer } else { Route::Nobody })
    }
}

/// The place of an address among the hosts of a game.
pub(super) fn host_position(tx: &View, game: GameId, from: &str) -> Result<Option<u16>, DeskError> {
    officer_position(tx, game, "host", from)
}

/// The place of an address among those who have that role in a game.
fn officer_position(tx: &View, game: GameId, role: &str, from: &str) -> Result<Option<u16>, DeskError> {
    let officers = tx.officers(game)?.into_iter().filter(|officer| officer.role == role);
    let mut own = officers.filter(|officer| crate::address::is_one_mailbox(&officer.address, from));
    Ok(own.next().map(|officer| officer.position))
}

/// The proof words of a letter, whoever they belong to.
fn proof_words(incoming: &Said) -> &[String] {
    &incoming.reading().proof_words
}

/// Nothing is done: the answer names the games among which the sender may choose.
fn several(tx: &View, games: impl IntoIterator<Item = GameId>) -> Result<Route, DeskError> {
    let mut candidates = Vec::new();
    for game in games {
        if let Some(head) = tx.game_by_id(game)? {
            candidates.push(GameName { tag: head.tag, title: head.title });
        }
    }
    Ok(Route::Several { candidates })
}

/// The games of tokens, each once, in their order.
fn games_of(tx: &View, tokens: &[TokenRow]) -> Result<Vec<GameHead>, DeskError> {
    let mut games: Vec<GameHead> = Vec::new();
    for game in tokens.iter().filter_map(|token| token.game) {
        if !games.iter().any(|known| known.id == game) {
            games.extend(tx.game_by_id(game)?);
        }
    }
    Ok(games)
}

/// Those of the games in which an address plays, leads or moderates, or has applied to play.
fn concerning(tx: &View, games: Vec<GameHead>, from: &str, seats: &[SeatPlace]) -> Result<Vec<GameHead>, DeskError> {
    let mut own = Vec::new();
    for head in games {
        let concerns = seats.iter().any(|seat| seat.game == head.id)
            || host_position(tx, head.id, from)?.is_some()
            || officer_position(tx, head.id, "moderator", from)?.is_some()
            || head.state == State::Signup.word() && tx.applicant_of(head.id, from)?.is_some();
        if concerns {
            own.push(head);
        }
    }
    Ok(own)
}

/// The games whose tags stand as `[word]` in the subject, each once, in its order.
fn games_by_tags(tx: &View, subject: &str) -> Result<Vec<GameHead>, DeskError> {
    let mut games: Vec<GameHead> = Vec::new();
    for part in subject.split('[').skip(1).take(4) {
        let Some((tag, _)) = part.split_once(']') else { continue };
        if let Some(head) = tx.game(&tag.trim().to_lowercase())?
            && !games.iter().any(|known| known.id == head.id)
        {
            games.push(head);
        }
    }
    Ok(games)
}
