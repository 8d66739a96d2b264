//! A seat is offered to the waiting list, one after the other: who says yes takes it over, who declines or stays silent
//! until the deadline gives way to the next, and the hosts are told of each step.

use jiff::Timestamp;

use super::close::{next_deadline, settled};
use super::command::{CommandError, Moment, NotDone, playing};
use super::replacement::is_being_closed;
use super::{DeskError, Open, Room};
use crate::journal::{Entry, HowEnded, OfferEnd};
use crate::letters::orders::Did;
use crate::rules::PlayerId;
use crate::rules::game::Life;
use crate::signup::{Act, Seating};
use crate::store::{Tx, View};
use crate::table::people::Offer;
use crate::table::{Phase, State, Table};

/// When an offer ends without an answer, mail that is on its way waited for; at once where the seat is gone.
pub(super) fn due(table: &Table, now: Timestamp) -> Option<Timestamp> {
    if !is_on(table) {
        return None;
    }
    let offers = table.people.offers.iter();
    let due = offers.filter_map(|(player, offer)| match offer.answer {
        _ if !has_player(table, *player) => Some(now),
        None => Some(settled(table, offer.until)),
        Some(_) => None,
    });
    due.min()
}

fn has_player(table: &Table, seat: PlayerId) -> bool {
    table.player(seat).is_some_and(|player| player.life == Life::Alive)
}

fn is_on(table: &Table) -> bool {
    matches!(table.state, State::Playing | State::Paused)
}

impl Room {
    /// Asks the first of the waiting list whether he takes over the seat of that player.
    pub(super) fn offer_seat(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nick: &str,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        let player = playing(&game.table, nick)?;
        let nick = game.table.nick(player).to_owned();
        if is_being_closed(&game.table, at.now) {
            return Err(NotDone::BeingClosed.into());
        }
        if let Some(offer) = game.table.people.offers.get(&player) {
            return Err(NotDone::OfferedAlready { nick, who: game.table.applicant_nick(offer.applicant) }.into());
        }
        let Some(applicant) = self.next_to_ask(tx, game, player, &[])? else {
            return Err(NotDone::NobodyWaits.into());
        };
        let until = answers_until(&game.table, at.now)?;
        self.record(tx, game, at.now, &Entry::SeatOffered { player, applicant, until, after: None })?;
        Ok(Did::SeatOffered { nick, who: game.table.applicant_nick(applicant), until })
    }

    /// Does what has come due for each seat that is offered. `read` is the moment at which the last complete reading of
    /// the inbox began.
    pub(super) fn tend_offers(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        read: Option<Timestamp>,
    ) -> Result<(), DeskError> {
        if !is_on(&game.table) {
            return Ok(());
        }
        for (player, offer) in game.table.people.offers.clone() {
            let end = |how| OfferEnd { applicant: offer.applicant, how };
            let over = settled(&game.table, offer.until);
            match offer.answer {
                _ if !has_player(&game.table, player) => {
                    let end = end(HowEnded::SeatGone);
                    self.record(tx, game, now, &Entry::OffersOver { player, end })?;
                }
                Some(true) if is_being_closed(&game.table, now) => {}
                Some(true) => match self.address_of_applicant(tx, game, player, offer.applicant)? {
                    Some(address) => self.seat_newcomer(tx, game, player, &address, now)?,
                    None => self.ask_next(tx, game, player, &offer, HowEnded::Unfit, now)?,
                },
                Some(false) => self.ask_next(tx, game, player, &offer, HowEnded::Declined, now)?,
                None if over <= now && read.is_some_and(|read| over <= read) => {
                    self.ask_next(tx, game, player, &offer, HowEnded::Silent, now)?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Whether a letter says nothing but yes, and its writer can have the seat now.
    pub(super) fn sits_at_once(
        &self,
        tx: &View,
        game: &Open,
        applicant: u16,
        acts: &[Act],
        now: Timestamp,
    ) -> Result<bool, DeskError> {
        let says_yes = !acts.is_empty() && acts.iter().all(|act| *act == Act::TakesSeat);
        let Some((player, _)) = game.table.people.offer_to(applicant).filter(|_| says_yes) else { return Ok(false) };
        let is_free = has_player(&game.table, player) && !is_being_closed(&game.table, now);
        Ok(is_free && self.address_of_applicant(tx, game, player, applicant)?.is_some())
    }

    fn ask_next(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        player: PlayerId,
        before: &Offer,
        how: HowEnded,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let end = OfferEnd { applicant: before.applicant, how };
        let next = match self.next_to_ask(tx, game, player, &before.asked)? {
            Some(applicant) => {
                let until = answers_until(&game.table, now)?;
                Entry::SeatOffered { player, applicant, until, after: Some(end) }
            }
            None => Entry::OffersOver { player, end },
        };
        self.record(tx, game, now, &next)
    }

    /// The first of the waiting list who was not asked for this seat, is not being asked for another, and may sit here.
    fn next_to_ask(&self, tx: &View, game: &Open, player: PlayerId, asked: &[u16]) -> Result<Option<u16>, DeskError> {
        let Some(signup) = &game.table.signup else { return Ok(None) };
        for (number, _) in signup.standing(Seating::Waiting) {
            let is_asked = asked.contains(&number) || game.table.people.offer_to(number).is_some();
            if !is_asked && self.address_of_applicant(tx, game, player, number)?.is_some() {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// His address, unless somebody plays or leads by it in this game already.
    fn address_of_applicant(
        &self,
        tx: &View,
        game: &Open,
        player: PlayerId,
        applicant: u16,
    ) -> Result<Option<String>, DeskError> {
        let Some(row) = tx.applicant(game.id, applicant)? else { return Ok(None) };
        match self.address_of_newcomer(tx, game, player, &row.address) {
            Ok(address) => Ok(Some(address)),
            Err(CommandError::Desk(error)) => Err(error),
            Err(CommandError::NotDone(_) | CommandError::Refused { .. }) => Ok(None),
        }
    }
}

/// The deadline of the open turn; where there is none, the one that the game's rule would set.
fn answers_until(table: &Table, now: Timestamp) -> Result<Timestamp, DeskError> {
    let is_open = table.state == State::Playing && table.phase == Phase::Open;
    match table.deadline.filter(|deadline| is_open && now < *deadline) {
        Some(deadline) => Ok(deadline),
        None => next_deadline(table, now),
    }
}
