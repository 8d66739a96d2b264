//! Sign-up: the host opens and closes it and judges applicants; people apply, change what they said, and withdraw.

mod judge;
mod orders;

use jiff::Timestamp;

use self::judge::{Judge, cut};

use super::command::{CommandError, NotDone};
use super::identity::Question;
use super::place::shorten;
use super::receive::{day_before, number};
use super::said::Said;
pub use super::terms::Terms;
use super::{DeskError, Open, Room, put_text};
use crate::journal::{AskedWhy, By, Entry, Writer};
use crate::letters::{GameName, Letter, Stranger};
use crate::photo::{self, PhotoFault};
use crate::request::{self, Reading, Word};
use crate::rules::{Order, PlayerId};
use crate::signup::{Act, Applicant, Seating, Signup, SignupHeard};
use crate::store::{GameHead, LetterId, LetterState, Tx};
use crate::table::{State, Table};

/// Most who may apply for one game, and new ones in a day: whoever forges letters must not fill the disk.
const MOST_APPLICANTS: u16 = 2_000;
const NEW_IN_A_DAY: u32 = 300;
/// Photographs of one applicant.
const PHOTOGRAPHS_IN_A_DAY: u32 = 10;
/// Characters of a word for the lots.
const LOT_WORD: usize = 100;

/// A letter to a sign-up.
#[derive(Clone, Copy)]
pub(super) struct ApplicantsLetter<'a> {
    pub id: LetterId,
    /// The number of its sender, if he has written before.
    pub applicant: Option<u16>,
    pub order: &'a Order,
    pub incoming: &'a Said,
    pub too_large: bool,
}

/// When sign-up closes by itself, mail that is on its way waited for.
pub(super) fn closes_at(table: &Table) -> Option<Timestamp> {
    let signup = table.signup.as_ref().filter(|signup| signup.open)?;
    Some(super::close::settled(table, signup.until?))
}

impl Room {
    /// Before the deal: those who have a place become players, in the order in which they came.
    pub(super) fn seat_applicants(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), CommandError> {
        let Some(signup) = &game.table.signup else { return Ok(()) };
        if !signup.opened {
            return Err(NotDone::SignupNotOpen.into());
        }
        if signup.open {
            self.close_signup(tx, game, By::Host, now)?;
        }
        let signup = signing_up(&game.table)?;
        let kept = signup.standing(Seating::Kept);
        let kept: Vec<(u16, Applicant)> = kept.into_iter().map(|(number, one)| (number, one.clone())).collect();
        let players = u16::try_from(kept.len()).unwrap_or(u16::MAX);
        if let Some(min) = signup.min.filter(|min| players < *min) {
            return Err(NotDone::TooFew { players, min }.into());
        }
        let gives_nicks = super::accounts::gives_nicks(&game.table) && !game.table.people.account_names.is_empty();
        if gives_nicks {
            self.deal_accounts(tx, game, now)?;
        }
        let nameless = kept.iter().filter(|_| !gives_nicks).filter(|(_, applicant)| applicant.nick.is_empty()).count();
        if nameless > 0 {
            return Err(NotDone::Nameless { players: u16::try_from(nameless).unwrap_or(u16::MAX) }.into());
        }
        let salt = tx.secret(game.id, "salt").map_err(DeskError::from)?.unwrap_or_default();
        for (player, (number, applicant)) in (0u16..).map(PlayerId).zip(kept) {
            let row = tx.applicant(game.id, number).map_err(DeskError::from)?;
            let row = row.ok_or(DeskError::Broken("an applicant without an address"))?;
            tx.put_seat(game.id, player.0, &row.address, row.forum_name.as_deref()).map_err(DeskError::from)?;
            let registered = Entry::Registered {
                player,
                nick: game
                    .table
                    .people
                    .account(player)
                    .filter(|_| gives_nicks)
                    .map_or(applicant.nick, |(_, name)| name.to_owned()),
                characteristic: applicant.characteristic,
                gender: applicant.gender,
                address: super::new::salted(&salt, &row.address),
                applicant: Some(number),
            };
            self.record(tx, game, now, &registered)?;
        }
        Ok(())
    }

    // ----------------------------------------------------------------------------------------------- the applicants

    pub(super) fn hear_applicant(
        &mut self,
        tx: &Tx,
        head: &GameHead,
        letter: &ApplicantsLetter,
        proved: bool,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let mut game = self.open(tx, head)?;
        tx.set_letter(letter.id, LetterState::Done, Some(game.id), None)?;
        self.hear_in_signup(tx, &mut game, letter, proved, now)?;
        self.tend_offers(tx, &mut game, now, None)?;
        self.put_back(tx, game, now)
    }

    fn hear_in_signup(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &ApplicantsLetter,
        proved: bool,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let reading = letter.incoming.reading_if_readable(letter.too_large);
        if let Some(applicant) = letter.applicant
            && self.let_applicant_in(tx, game, applicant, letter, reading, now)?
        {
            return self.shake_hands(tx, game, Writer::Applicant(applicant), now).map(|_| ());
        }
        let applies = reading.requests().any(|request| request.word == Word::Join);
        let takes = game.table.signup.as_ref().is_some_and(|signup| signup.takes(letter.order.second));
        let applicant = match letter.applicant {
            Some(applicant) => applicant,
            None if applies && takes => match self.new_applicant(tx, game, letter, now)? {
                Some(applicant) => applicant,
                None => return Ok(()),
            },
            None => return self.tell_how_to_join(tx, game, letter, takes, now),
        };
        if !proved && !reading.items.is_empty() {
            let question = Question {
                who: Writer::Applicant(applicant),
                letter: letter.id,
                order: letter.order,
                why: AskedWhy::Unproved,
                lines: super::receive::lines_of(reading),
                numbers: None,
            };
            return self.ask(tx, game, question, now);
        }
        let address = letter.incoming.from.as_deref().unwrap_or_default();
        let answers = proved && self.shake_hands(tx, game, Writer::Applicant(applicant), now)?;
        let says_nothing =
            !answers && reading.items.is_empty() && letter.incoming.picture.is_empty() && !is_unread(letter);
        // Who is asked whether he takes a seat must not take our silence for a yes.
        let is_asked = game.table.people.offer_to(applicant).is_some_and(|(_, offer)| offer.answer.is_none());
        let is_silent = says_nothing && !is_asked && !request::own::gives_a_field(&letter.incoming.body);
        if is_silent && tx.last_kind(address, "joined", day_before(now))? {
            return Ok(());
        }
        self.judge_letter(tx, game, applicant, letter, reading, now)
    }

    /// «Да» lets in the letter about which the applicant was asked, with its first arrival.
    fn let_applicant_in(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        applicant: u16,
        answer: &ApplicantsLetter,
        reading: &Reading,
        now: Timestamp,
    ) -> Result<bool, DeskError> {
        let who = Writer::Applicant(applicant);
        let Some(row) = self.confirms(tx, game, who, answer.incoming, reading)? else { return Ok(false) };
        if !tx.drop_asked(row.id)? {
            return Ok(false);
        }
        self.record(tx, game, now, &Entry::Confirmed { who, letter: number(row.id), by: number(answer.id) })?;
        let own = self.config.outbox.from.address.clone();
        let incoming = Said::parse(&tx.raw(row.id)?.unwrap_or_default(), &own);
        let order = Order { second: row.second, within: row.within.clone() };
        let letter = ApplicantsLetter {
            id: row.id,
            applicant: Some(applicant),
            order: &order,
            incoming: &incoming,
            too_large: row.too_large,
        };
        let reading = incoming.reading_if_readable(row.too_large);
        self.judge_letter(tx, game, applicant, &letter, reading, now)?;
        Ok(true)
    }

    /// None when so many have come that no more are written down.
    fn new_applicant(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &ApplicantsLetter,
        now: Timestamp,
    ) -> Result<Option<u16>, DeskError> {
        let Some(address) = letter.incoming.from.as_deref() else { return Ok(None) };
        let next = game.table.signup.as_ref().and_then(Signup::next_number);
        let Some(applicant) = next.filter(|next| *next < MOST_APPLICANTS) else { return Ok(None) };
        if !tx.bump(game.id, "applicants", &now.strftime("%F").to_string(), NEW_IN_A_DAY)? {
            return Ok(None);
        }
        tx.put_applicant(game.id, applicant, address)?;
        let salt = tx.secret(game.id, "salt")?.unwrap_or_default();
        let address = super::new::salted(&salt, address);
        self.record(tx, game, now, &Entry::ApplicantCame { applicant, address })?;
        Ok(Some(applicant))
    }

    fn tell_how_to_join(
        &mut self,
        tx: &Tx,
        game: &Open,
        letter: &ApplicantsLetter,
        takes: bool,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let name = GameName { tag: game.table.tag.clone(), title: game.table.title.clone() };
        let owed = if takes {
            Letter::Refused(Stranger::HowToJoin { games: vec![name] })
        } else {
            Letter::Refused(Stranger::SignupClosed { game: name })
        };
        self.answer_stranger(tx, letter.incoming, letter.id, owed, now)
    }

    /// Judges each line, and journals the letter with what became of it.
    fn judge_letter(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        applicant: u16,
        letter: &ApplicantsLetter,
        reading: &Reading,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let Some(signup) = &game.table.signup else { return Ok(()) };
        let before = signup.applicant(applicant).cloned().unwrap_or_default();
        let mut judge =
            Judge { table: &game.table, signup, number: applicant, order: letter.order, now: before.clone() };
        let (mut acts, mut said, mut forum_name) = (Vec::new(), Vec::new(), None);
        for item in &reading.items {
            let (line, act) = judge.item(item);
            judge.now.take(&act, letter.order);
            let fields = match (item, &act) {
                (request::Item::Request(request), Act::Applied { .. }) => request.fields.as_ref(),
                _ => None,
            };
            forum_name = fields.and_then(|fields| fields.forum_name.clone()).or(forum_name);
            said.push(shorten(line).replace(['\n', '\r'], " "));
            acts.push(act);
        }
        let mut after = judge.now;
        let takes = signup.takes(letter.order.second);
        if is_unread(letter) {
            acts.push(Act::Unread { too_large: letter.too_large });
        }
        if !letter.incoming.picture.is_empty() && takes && after.seating.is_in() {
            let fault = self.take_photograph(tx, game, applicant, letter, now)?;
            let act = Act::Photograph { fault };
            after.take(&act, letter.order);
            acts.push(act);
        }
        if let Some(name) = forum_name {
            tx.set_forum_name(game.id, applicant, &cut(&name))?;
        }
        let waits = |one: &Applicant| one.seating == Seating::Pending && !one.nick.is_empty();
        let tell_host = waits(&after) && (!waits(&before) || before.nick != after.nick);
        let seated = self.sits_at_once(tx, game, applicant, &acts, now)?;
        let heard = SignupHeard {
            applicant,
            letter: number(letter.id),
            order: letter.order.clone(),
            acts,
            said: if said.is_empty() { None } else { Some(put_text(tx, game.id, &said.join("\n"))?) },
            tell_host,
            seated,
        };
        self.record(tx, game, now, &Entry::SignupHeard(Box::new(heard)))?;
        self.fill_places(tx, game, now)
    }

    /// Keeps a photograph, or says why not. They cost time to read: so many in a day and no more.
    fn take_photograph(
        &self,
        tx: &Tx,
        game: &Open,
        applicant: u16,
        letter: &ApplicantsLetter,
        now: Timestamp,
    ) -> Result<Option<PhotoFault>, DeskError> {
        let key = format!("{applicant}/{}", now.strftime("%F"));
        if !tx.bump(game.id, "photographs", &key, PHOTOGRAPHS_IN_A_DAY)? {
            return Ok(Some(PhotoFault::TooMany));
        }
        Ok(match photo::encode(&letter.incoming.picture) {
            Ok(jpeg) => {
                tx.put_photograph(game.id, applicant, &jpeg)?;
                None
            }
            Err(fault) => Some(fault),
        })
    }

    /// What somebody is told who plays nowhere: how he may join, if there is a game that he could.
    pub(super) fn stranger_may_join(&self, tx: &Tx) -> Result<Stranger, DeskError> {
        let mut games = Vec::new();
        for game in tx.open_signups(SIGNUPS_NAMED)? {
            games.extend(tx.game_by_id(game)?.map(|head| GameName { tag: head.tag, title: head.title }));
        }
        Ok(if games.is_empty() { Stranger::Unknown } else { Stranger::HowToJoin { games } })
    }
}

/// Most open games that a stranger is told of.
const SIGNUPS_NAMED: usize = 10;

fn is_unread(letter: &ApplicantsLetter) -> bool {
    letter.too_large || letter.incoming.undecodable
}

/// The sign-up of a game that has not begun.
fn signing_up(table: &Table) -> Result<&Signup, NotDone> {
    match (table.state, &table.signup) {
        (State::Signup, Some(signup)) => Ok(signup),
        (State::Signup, None) => Err(NotDone::HasRoster),
        (State::Playing | State::Paused, _) => Err(NotDone::StartedAlready),
        (State::Finished | State::Cancelled, _) => Err(NotDone::HasEnded),
    }
}
