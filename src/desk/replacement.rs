//! A seat goes to another person, with all that its player was and knew. The address, the tokens and the proof word of
//! who leaves are shut out, and what was still on its way to him goes to the newcomer.

use jiff::Timestamp;

use super::command::{CommandError, Moment, NotDone, playing};
use super::post::Envelope;
use super::{DeskError, Open, Room};
use crate::address::{fold_address, is_one_mailbox, read_address};
use crate::journal::{Entry, HowEnded, OfferEnd};
use crate::letters::orders::Did;
use crate::letters::view::Reader;
use crate::rules::PlayerId;
use crate::store::{Tx, Unsent, View};
use crate::table::{Phase, State, Table};

/// Unsent letters of these kinds go on to the newcomer as they are. The others are answers to who left, or stand in the
/// newcomer's first letter, with his own proof word.
const GOES_ON: &[&str] = &["summary", "note", "pm", "clan", "pistol", "notice"];

impl Room {
    pub(super) fn replace(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nick: &str,
        written: &str,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        let who = playing(&game.table, nick)?;
        if is_being_closed(&game.table, at.now) {
            return Err(NotDone::BeingClosed.into());
        }
        let address = self.address_of_newcomer(tx, game, who, written)?;
        if let Some(offer) = game.table.people.offers.get(&who) {
            let end = OfferEnd { applicant: offer.applicant, how: HowEnded::SeatGone };
            self.record(tx, game, at.now, &Entry::OffersOver { player: who, end })?;
        }
        self.seat_newcomer(tx, game, who, &address, at.now)?;
        Ok(Did::Replaced { nick: game.table.nick(who).to_owned() })
    }

    /// Gives a seat to whom that address belongs, which [`Room::address_of_newcomer`] has found fit.
    pub(super) fn seat_newcomer(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        who: PlayerId,
        address: &str,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let seat = tx.seat(game.id, who.0)?.ok_or(DeskError::Broken("a player without a seat"))?;
        let applicant = tx.applicant_of(game.id, address)?;
        let row = applicant.map(|number| tx.applicant(game.id, number)).transpose()?.flatten();
        let forum_name = row.and_then(|row| row.forum_name);
        tx.put_former(game.id, who.0, &seat.address)?;
        tx.drop_former(game.id, who.0, address)?;
        tx.change_address(game.id, who.0, address)?;
        // The forum member behind the nick is another one.
        tx.put_seat(game.id, who.0, address, forum_name.as_deref())?;
        let unsent = tx.shut_out(game.id, &Reader::Player(who).key())?;
        let salt = tx.secret(game.id, "salt")?.unwrap_or_default();
        let hash = super::new::salted(&salt, address);
        self.record(tx, game, now, &Entry::Replaced { player: who, address: hash, applicant })?;
        for letter in unsent.iter().filter(|letter| GOES_ON.contains(&letter.kind.as_str())) {
            self.send_on(tx, game, who, letter, now)?;
        }
        Ok(())
    }

    /// One address plays once: nobody's of this game, and nobody's who played in it under another nick.
    pub(super) fn address_of_newcomer(
        &self,
        tx: &View,
        game: &Open,
        who: PlayerId,
        written: &str,
    ) -> Result<String, CommandError> {
        let bare = written.trim().trim_start_matches('<').trim_end_matches(['>', '.', ',', ';']);
        let address = read_address(bare).map_err(|_| NotDone::AddressUnfit)?;
        let own = tx.seat(game.id, who.0)?;
        if own.is_some_and(|seat| is_one_mailbox(&seat.address, &address)) {
            return Err(NotDone::AddressSame.into());
        }
        let mailbox = fold_address(&address);
        let played = tx.formers(game.id)?;
        if played.iter().any(|(player, former)| *player != who.0 && fold_address(former) == mailbox) {
            return Err(NotDone::AddressTaken.into());
        }
        match self.new_address(tx, game, who, Some(&address))? {
            Some(address) => Ok(address),
            None if self.is_our_own(&address) => Err(NotDone::AddressUnfit.into()),
            None => Err(NotDone::AddressTaken.into()),
        }
    }

    /// The same words to the newcomer: a letter of its own, with another token.
    fn send_on(
        &mut self,
        tx: &Tx,
        game: &Open,
        who: PlayerId,
        letter: &Unsent,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let Some(bytes) = tx.out_bytes(letter.id)? else { return Ok(()) };
        let Some(words) = super::post::words_of(&bytes, &letter.subject) else { return Ok(()) };
        let reader = Reader::Player(who);
        let envelope = Envelope {
            reader: &reader,
            kind: &letter.kind,
            turn: letter.turn,
            result: letter.result,
            answers: None,
            // Whose words they are: he is told where they are held back.
            passes_on: letter.letter.and_then(|letter| u64::try_from(letter.0).ok()),
            expires: letter.expires,
            held: false,
        };
        self.put_words(tx, game, now, &envelope, words)
    }
}

/// Letters of who leaves wait to be judged: their answers must not go to the newcomer.
pub(super) fn is_being_closed(table: &Table, now: Timestamp) -> bool {
    table.state == State::Playing
        && table.phase == Phase::Open
        && table.deadline.is_some_and(|deadline| deadline <= now)
}
