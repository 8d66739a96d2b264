//! Letters to those who sign up. Of the others they tell nothing but how many are before the reader.

use jiff::Timestamp;

use super::{Context, Owed, to_hosts};
use crate::journal::Writer;
use crate::letters::roster::RosterPost;
use crate::letters::signup::{ApplicantStands, Handshake, JoinFate, JoinLine, Joined, PlaceSaid, SignupStands};
use crate::letters::view::Reader;
use crate::letters::{Alert, Letter, Notice};
use crate::request::Word;
use crate::signup::{Act, Applicant, Seating, Signup, SignupHeard};
use crate::table::{State, Table};

/// The answer to an applicant's letter; and the hosts hear of him where they are to judge him.
pub(super) fn answer(table: &Table, heard: &SignupHeard, context: &Context) -> Vec<Owed> {
    let Some(mut joined) = joined(table, heard.applicant).filter(|_| !heard.seated) else { return Vec::new() };
    let said = heard.said.as_ref().and_then(|said| (context.text)(said)).unwrap_or_default();
    let mut said = said.lines().map(str::to_owned);
    joined.arrived = Timestamp::from_second(heard.order.second).ok();
    joined.lines =
        heard.acts.iter().map(|act| JoinLine { said: said.next().unwrap_or_default(), fate: fate(act) }).collect();
    let applied = heard.acts.iter().any(|act| matches!(act, Act::Applied { .. }));
    if applied {
        let text = table.signup.as_ref().and_then(|signup| signup.text.as_ref());
        joined.text = text.and_then(|text| (context.text)(text));
    }
    if applied || heard.acts.iter().any(|act| matches!(act, Act::Asked { word: Word::Rules })) {
        joined.rules = Some(table.game.rulebook.deviations());
    }
    let alert = Alert::AwaitsAcceptance { nick: joined.nick.clone(), characteristic: joined.characteristic.clone() };
    let letter = Letter::Joined(Box::new(joined));
    let mut owed = vec![Owed {
        answers: Some(heard.letter),
        ..Owed::new(Reader::Applicant(heard.applicant), letter, table.game.turn)
    }];
    if heard.tell_host {
        owed.extend(to_hosts(table, context, &Letter::Alert(alert)));
    }
    owed
}

/// To those whose place has changed without a letter of theirs.
pub(super) fn news(table: &Table, applicants: &[u16], _context: &Context) -> Vec<Owed> {
    applicants.iter().filter_map(|number| to_one(table, *number)).collect()
}

/// To the hosts: who plays, for the forum; not while somebody has no nick.
pub(super) fn roster(table: &Table, context: &Context) -> Vec<Owed> {
    let post = RosterPost::of(table);
    if post.players.is_empty() || post.players.iter().any(|one| one.nick.is_empty()) {
        return Vec::new();
    }
    to_hosts(table, context, &Letter::Roster(post))
}

/// The first letter to answer.
pub(super) fn greeted(table: &Table, who: &[Writer]) -> Vec<Owed> {
    let mut owed = Vec::new();
    for who in who {
        let reader = match who {
            Writer::Player(player) => Reader::Player(*player),
            Writer::Applicant(number) => Reader::Applicant(*number),
            Writer::Host(_) | Writer::Moderator(_) => continue,
        };
        let letter = Letter::Handshake(Handshake { nick: table.nick_of(*who) });
        owed.push(Owed::new(reader, letter, table.game.turn));
    }
    owed
}

/// To one to whom a seat was offered: it is not free any more.
pub(super) fn offer_gone(table: &Table, number: u16) -> Option<Owed> {
    let joined = Joined { place: PlaceSaid::OfferGone, ..joined(table, number)? };
    Some(Owed::new(Reader::Applicant(number), Letter::Joined(Box::new(joined)), table.game.turn))
}

/// To those for whom there was no place when the game began.
pub(super) fn left_out(table: &Table, context: &Context) -> Vec<Owed> {
    let Some(signup) = &table.signup else { return Vec::new() };
    let waits = |applicant: &Applicant| matches!(applicant.seating, Seating::Pending | Seating::Waiting);
    let numbers: Vec<u16> =
        signup.numbered().filter(|(_, applicant)| waits(applicant)).map(|(number, _)| number).collect();
    let mut owed = news(table, &numbers, context);
    for letter in &mut owed {
        if let Letter::Joined(joined) = &mut letter.letter
            && let PlaceSaid::Reserve { begins, .. } = &mut joined.place
        {
            *begins = true;
        }
    }
    owed
}

/// To those who signed up for a game that will not be.
pub(super) fn cancelled(table: &Table) -> Vec<Owed> {
    let Some(signup) = table.signup.as_ref().filter(|_| table.game.players.is_empty()) else { return Vec::new() };
    let in_it = signup.numbered().filter(|(_, applicant)| applicant.seating.is_in());
    let letter = Letter::Notice(Notice::Cancelled);
    in_it.map(|(number, _)| Owed::new(Reader::Applicant(number), letter.clone(), table.game.turn)).collect()
}

pub(super) fn stands(table: &Table) -> Option<SignupStands> {
    let signup = table.signup.as_ref().filter(|_| table.state == State::Signup)?;
    let of = |seating| {
        let all = signup.standing(seating).into_iter();
        let stands = |(_, one): (u16, &Applicant)| ApplicantStands {
            nick: one.nick.clone(),
            missing: one.missing(&table.game.rulebook),
        };
        all.map(stands).collect()
    };
    Some(SignupStands {
        open: signup.open,
        until: signup.until.filter(|_| signup.open),
        silent: table.silent_hands().into_iter().map(|who| table.nick_of(who)).collect(),
        kept: of(Seating::Kept),
        pending: of(Seating::Pending),
        waiting: of(Seating::Waiting),
    })
}

fn to_one(table: &Table, number: u16) -> Option<Owed> {
    let joined = joined(table, number)?;
    Some(Owed::new(Reader::Applicant(number), Letter::Joined(Box::new(joined)), 0))
}

/// What an applicant is always told.
fn joined(table: &Table, number: u16) -> Option<Joined> {
    let signup = table.signup.as_ref()?;
    let applicant = signup.applicant(number)?;
    let in_it = applicant.seating.is_in() || applicant.seating == Seating::Came;
    let asks = in_it && table.state == State::Signup;
    Some(Joined {
        arrived: None,
        place: place(table, signup, number, applicant),
        lines: Vec::new(),
        missing: if asks { applicant.missing(&table.game.rulebook) } else { Vec::new() },
        nick: applicant.nick.clone(),
        characteristic: applicant.characteristic.clone(),
        gender: applicant.gender,
        forum_name: applicant.forum_name,
        photograph: applicant.photograph,
        lot_word: applicant.word.clone(),
        handshake: table.state == State::Signup && table.people.shaken.contains(&Writer::Applicant(number)),
        open: signup.open,
        until: signup.until.filter(|_| signup.open),
        text: None,
        rules: None,
        commitment: table.commitment.clone(),
    })
}

fn place(table: &Table, signup: &Signup, number: u16, applicant: &Applicant) -> PlaceSaid {
    let line_before = || {
        let line = signup.standing(Seating::Waiting);
        let before = line.iter().take_while(|(other, _)| *other != number).count();
        u16::try_from(before).unwrap_or(u16::MAX)
    };
    let offer = table.people.offer_to(number);
    match applicant.seating {
        Seating::Waiting if super::is_running(table) => match offer {
            Some((_, offer)) if offer.answer == Some(true) => PlaceSaid::SeatYours,
            Some((_, offer)) if offer.answer.is_none() => PlaceSaid::SeatOffered { until: offer.until },
            _ => PlaceSaid::Reserve { before: line_before(), begins: false },
        },
        Seating::Pending | Seating::Waiting if table.state != State::Signup => PlaceSaid::LeftOut,
        Seating::Came => PlaceSaid::None,
        Seating::Kept => PlaceSaid::Kept,
        Seating::Pending => PlaceSaid::Pending,
        Seating::Waiting => PlaceSaid::Waiting { before: line_before() },
        Seating::Left => PlaceSaid::Left,
        Seating::Declined => PlaceSaid::Declined,
        Seating::Dropped => PlaceSaid::Dropped,
    }
}

fn fate(act: &Act) -> JoinFate {
    match act {
        Act::Applied { nick_fault: Some(fault), .. } => JoinFate::Nick { fault: *fault },
        Act::Applied { .. } => JoinFate::Taken,
        Act::Left => JoinFate::LeftNow,
        Act::NothingToLeave => JoinFate::NothingToLeave,
        Act::LotWord { .. } => JoinFate::Word,
        Act::Photograph { fault } => JoinFate::Photograph { fault: *fault },
        Act::Unread { too_large } => JoinFate::Unread { too_large: *too_large },
        Act::Asked { .. } => JoinFate::Answered,
        Act::Problem { problem, .. } => JoinFate::Problem { problem: *problem },
        Act::TooLate { .. } => JoinFate::TooLate,
        Act::NotNow { .. } => JoinFate::NotNow,
        Act::TakesSeat => JoinFate::TookSeat,
        Act::NothingOffered => JoinFate::NothingOffered,
    }
}
