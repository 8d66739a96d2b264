//! What a host orders of a sign-up: its terms, its end, and who has a place.

use jiff::Timestamp;

use super::signing_up;
use crate::desk::bounds;
use crate::desk::command::{self, Command, CommandError, Did, Moment, NotDone, Terms};
use crate::desk::{DeskError, Open, Room, put_text};
use crate::dice;
use crate::journal::{By, Entry};
use crate::rules::lots::Lots;
use crate::rules::rulebook::NickSource;
use crate::signup::{Applicant, Seating, Signup, SignupOpened};
use crate::store::Tx;
use crate::table::State;

impl Room {
    pub(in crate::desk) fn obey_signup(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        command: &Command,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        match command {
            Command::Open(terms) => self.open_signup(tx, game, terms, at),
            Command::Close => {
                if !signing_up(&game.table)?.open {
                    return Err(NotDone::SignupNotOpen.into());
                }
                self.close_signup(tx, game, By::Host, at.now)
            }
            Command::Judge { nicks, accept } => self.judge_applicants(tx, game, nicks, *accept, at.now),
            _ => Err(DeskError::Broken("not a command of the sign-up").into()),
        }
    }

    fn open_signup(&mut self, tx: &Tx, game: &mut Open, terms: &Terms, at: &Moment) -> Result<Did, CommandError> {
        let signup = signing_up(&game.table)?;
        let again = signup.open;
        let until = match &terms.until {
            Some(when) => {
                let zone = command::zone(&game.table)?;
                let moment = crate::schedule::parse_when(when, at.arrived, &zone);
                let until = crate::table::whole_second(bounds::time(when, moment)?.at);
                let until = bounds::not_too_far(until, at.arrived)?;
                if until <= at.now {
                    return Err(NotDone::PastTime.into());
                }
                Some(until)
            }
            None => signup.until.filter(|until| *until > at.now),
        };
        let (min, max) = (terms.min.or(signup.min), terms.max.or(signup.max));
        if max == Some(0) || min.zip(max).is_some_and(|(min, max)| min > max) {
            return Err(NotDone::BadLimits { min, max }.into());
        }
        let text = bounds::text(terms.text.as_deref())?;
        let title = bounds::title(terms.title.as_deref())?.map(str::to_owned);
        let commitment = if signup.opened { None } else { Some(self.draw_seed(tx, game)?) };
        let text = text.map(|text| put_text(tx, game.id, text)).transpose()?;
        if let Some(title) = &title {
            tx.set_title(game.id, title).map_err(DeskError::from)?;
        }
        tx.set_signup(game.id, true).map_err(DeskError::from)?;
        let opened = SignupOpened { title, text, min: terms.min, max: terms.max, until, commitment };
        self.record(tx, game, at.now, &Entry::SignupOpened(Box::new(opened)))?;
        self.fill_places(tx, game, at.now)?;
        Ok(Did::SignupOpened { until, min, max, again, commitment: game.table.commitment.clone() })
    }

    /// The seed of all lots, unless there is one; gives the hash that is published now.
    fn draw_seed(&mut self, tx: &Tx, game: &Open) -> Result<String, DeskError> {
        let seed = match tx.secret(game.id, "seed")? {
            Some(_) => self.seed(tx, game.id)?,
            None => {
                let seed = dice::random_32()?;
                tx.put_secret(game.id, "seed", &seed)?;
                seed
            }
        };
        Ok(Lots { seed, words: Vec::new() }.commitment())
    }

    /// No more applications: who has no nick loses his place, and the next in line gets it.
    pub(super) fn close_signup(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        by: By,
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        let signup = signing_up(&game.table)?;
        let must_name = game.table.game.rulebook.nick_source == NickSource::Character;
        let nameless = |applicant: &Applicant| must_name && applicant.seating.is_in() && applicant.nick.is_empty();
        let dropped = signup.numbered().filter(|(_, applicant)| nameless(applicant)).map(|(number, _)| number);
        let dropped: Vec<u16> = dropped.collect();
        tx.set_signup(game.id, false).map_err(DeskError::from)?;
        self.record(tx, game, now, &Entry::SignupClosed { by, dropped })?;
        self.fill_places(tx, game, now)?;
        self.send_handshakes(tx, game, now)?;
        let signup = signing_up(&game.table)?;
        let count = |seating| u16::try_from(signup.standing(seating).len()).unwrap_or(u16::MAX);
        let rulebook = &game.table.game.rulebook;
        let kept = signup.standing(Seating::Kept);
        let lacking = kept.iter().filter(|(_, applicant)| !applicant.missing(rulebook).is_empty());
        let lacking = lacking.map(|(_, applicant)| applicant.nick.clone()).filter(|nick| !nick.is_empty()).collect();
        Ok(Did::SignupClosed { players: count(Seating::Kept), waiting: count(Seating::Waiting), lacking })
    }

    /// The closing time has come, and the inbox was read through after it.
    pub(in crate::desk) fn close_signup_if_due(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        read: Option<Timestamp>,
    ) -> Result<(), DeskError> {
        let due = super::closes_at(&game.table).is_some_and(|at| at <= now && read.is_some_and(|read| at <= read));
        if !due {
            return Ok(());
        }
        match self.close_signup(tx, game, By::Rule, now) {
            Ok(_) => Ok(()),
            Err(CommandError::Desk(error)) => Err(error),
            Err(_) => Err(DeskError::Broken("a sign-up that was open could not be closed")),
        }
    }

    /// Of several, whom it fits already is passed over, unless it fits all; who fits not keeps the others from it. Places
    /// that become free are given when all are judged: none of these gets one on the way.
    fn judge_applicants(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nicks: &[String],
        accept: bool,
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        let signup = signing_up(&game.table)?;
        let nicks = &bounds::listed(nicks, |nick| signup.by_nick(nick).is_some());
        let (mut done, mut already) = (Vec::new(), None);
        for nick in nicks {
            match self.judge_applicant(tx, game, nick, accept, now) {
                Ok(did) => done.push(did),
                Err(CommandError::NotDone(why @ NotDone::JudgedAlready { .. })) => already = Some(why),
                Err(error) => return Err(error),
            }
        }
        self.fill_places(tx, game, now)?;
        self.send_handshakes(tx, game, now)?;
        let is_one = nicks.len() == 1;
        match (done.pop(), already) {
            (None, Some(why)) => Err(why.into()),
            (None, None) => Err(DeskError::Broken("nobody was named to be judged").into()),
            (Some(did), _) if is_one => Ok(did),
            (Some(last), _) => {
                done.push(last);
                Ok(all_of(done, accept))
            }
        }
    }

    /// Places that it makes free are not given yet.
    fn judge_applicant(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        nick: &str,
        accept: bool,
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        let signup = signing_up(&game.table)?;
        let found = signup.by_nick(nick).and_then(|number| Some((number, signup.applicant(number)?)));
        let Some((number, applicant)) = found else {
            let named = signup.applicants.iter().filter(|one| one.seating.is_in() && !one.nick.is_empty());
            let nicks = named.map(|one| one.nick.clone()).collect();
            return Err(NotDone::UnknownApplicant { said: nick.to_owned(), nicks }.into());
        };
        let nick = applicant.nick.clone();
        let seating = match (applicant.seating, accept) {
            (Seating::Kept, true) | (Seating::Declined, false) => return Err(NotDone::JudgedAlready { nick }.into()),
            (Seating::Waiting, true) => return Err(NotDone::NoRoom { nick }.into()),
            (Seating::Declined, true) if signup.is_taken(&nick, number) => {
                return Err(NotDone::NickTaken { nick }.into());
            }
            (_, true) if signup.has_room() => Seating::Kept,
            (_, true) => Seating::Waiting,
            (_, false) => Seating::Declined,
        };
        self.record(tx, game, now, &Entry::ApplicantJudged { applicant: number, seating })?;
        Ok(if accept { Did::Accepted { nick, waits: seating == Seating::Waiting } } else { Did::Declined { nick } })
    }

    /// Free places go to the first of the waiting list.
    pub(super) fn fill_places(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        while game.table.state == State::Signup
            && let Some(applicant) = game.table.signup.as_ref().and_then(Signup::next_in_line)
        {
            self.record(tx, game, now, &Entry::Placed { applicant })?;
        }
        Ok(())
    }
}

/// What became of each, in one sentence.
fn all_of(done: Vec<Did>, accept: bool) -> Did {
    let (mut nicks, mut waiting) = (Vec::new(), Vec::new());
    for did in done {
        match did {
            Did::Accepted { nick, waits: true } => waiting.push(nick),
            Did::Accepted { nick, .. } | Did::Declined { nick } => nicks.push(nick),
            _ => {}
        }
    }
    if accept { Did::AcceptedAll { nicks, waiting } } else { Did::DeclinedAll { nicks } }
}
