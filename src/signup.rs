//! Sign-up by letter: its events, and their fold. Who has asked to play, what he has said of himself, what is missing of
//! it, who has a place and who waits for one. What became of a letter is decided by the desk and stands in its event.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::Entry;
use crate::photo::PhotoFault;
use crate::request::names::fold;
use crate::request::{ProblemKind, Word};
use crate::rules::rulebook::{NickSource, Rulebook};
use crate::rules::{Gender, Order, TextRef};

/// `open`: what the host said. What is None stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignupOpened {
    pub title: Option<String>,
    /// The host's words to those who may come; erasable.
    pub text: Option<TextRef>,
    pub min: Option<u16>,
    pub max: Option<u16>,
    /// Applications that arrive at this second are too late; None: until the host closes it.
    pub until: Option<Timestamp>,
    /// SHA-256 of the lots' seed, hex; at the first opening, which draws it.
    pub commitment: Option<String>,
}

/// One letter of an applicant, with the fate of every line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignupHeard {
    pub applicant: u16,
    /// The letter's number in the store.
    pub letter: u64,
    pub order: Order,
    pub acts: Vec<Act>,
    /// The lines as written, one a line, in the order of `acts`; erasable.
    pub said: Option<TextRef>,
    /// The hosts are told: he waits for their word, and has not waited before or under another nick.
    pub tell_host: bool,
    /// He takes a seat over at once: the letter with its role is the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seated: bool,
}

/// A line of an applicant's letter, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Applied {
        given: Given,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nick_fault: Option<NickFault>,
        /// Where he stands after it.
        seating: Seating,
    },
    /// He gave his place up.
    Left,
    /// There was no place to give up.
    NothingToLeave,
    /// A word for the lots.
    LotWord {
        word: String,
    },
    /// A photograph was attached. It stands in an erasable table.
    Photograph {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<PhotoFault>,
    },
    /// The letter could not be read, or only its head.
    Unread {
        too_large: bool,
    },
    /// A question: the answer to his letter tells all that can be told.
    Asked {
        word: Word,
    },
    Problem {
        word: Option<Word>,
        problem: ProblemKind,
    },
    /// Sign-up was closed when the letter arrived.
    TooLate {
        word: Word,
    },
    /// A word that means nothing before the game.
    NotNow {
        word: Word,
    },
    /// «Да» of one to whom a seat is offered.
    TakesSeat,
    /// «Да», but nothing is offered to him, or not any more.
    NothingOffered,
}

/// What a sign-up said of its writer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nick: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characteristic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gender: Option<Gender>,
    /// A forum name; it stands in an erasable table.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forum_name: bool,
}

/// Why a nick was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NickFault {
    /// It could not be found again in a request.
    Unfit,
    /// It is a word of the requests, which would be taken for one in a letter.
    Word,
    /// It names a role, or the host: the others would take a word about it for what it is not.
    Misleading,
    /// Somebody else has one that players would take for it.
    Taken,
}

/// Where an applicant stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seating {
    /// He has written, but nothing that was taken.
    #[default]
    Came,
    /// He waits for the host's word.
    Pending,
    /// All places are taken.
    Waiting,
    Kept,
    Left,
    Declined,
    /// He had no nick when sign-up closed.
    Dropped,
}

impl Seating {
    /// Whether he still wants to play and may.
    pub fn is_in(self) -> bool {
        matches!(self, Seating::Pending | Seating::Waiting | Seating::Kept)
    }
}

/// What is still asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    Character,
    Characteristic,
    Photograph,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applicant {
    /// Empty until one was taken.
    pub nick: String,
    pub characteristic: String,
    pub gender: Option<Gender>,
    pub forum_name: bool,
    pub photograph: bool,
    pub word: Option<String>,
    pub seating: Seating,
    /// The arrival of the letter by which he came in, last time.
    pub since: Option<Order>,
}

impl Applicant {
    /// R81: name, characteristic, photograph; A9 and A10 say where they are not asked for.
    pub fn missing(&self, rulebook: &Rulebook) -> Vec<Missing> {
        let mut missing = Vec::new();
        if self.nick.is_empty() && rulebook.nick_source == NickSource::Character {
            missing.push(Missing::Character);
        }
        if self.characteristic.is_empty() {
            missing.push(Missing::Characteristic);
        }
        if !self.photograph && rulebook.photo_required {
            missing.push(Missing::Photograph);
        }
        missing
    }

    /// Takes what an act says. The desk uses it on a copy while it judges the lines of a letter.
    pub fn take(&mut self, act: &Act, order: &Order) {
        match act {
            Act::Applied { given, seating, .. } => {
                if !self.seating.is_in() && seating.is_in() {
                    self.since = Some(order.clone());
                }
                self.seating = *seating;
                if let Some(nick) = &given.nick {
                    self.nick.clone_from(nick);
                }
                if let Some(characteristic) = &given.characteristic {
                    self.characteristic.clone_from(characteristic);
                }
                self.gender = given.gender.or(self.gender);
                self.forum_name |= given.forum_name;
            }
            Act::Left => self.seating = Seating::Left,
            Act::LotWord { word } => self.word = Some(word.clone()),
            Act::Photograph { fault } => self.photograph |= fault.is_none(),
            Act::NothingToLeave
            | Act::Unread { .. }
            | Act::Asked { .. }
            | Act::Problem { .. }
            | Act::TooLate { .. }
            | Act::TakesSeat
            | Act::NothingOffered
            | Act::NotNow { .. } => {}
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signup {
    pub open: bool,
    /// It was open before.
    pub opened: bool,
    pub text: Option<TextRef>,
    pub min: Option<u16>,
    pub max: Option<u16>,
    pub until: Option<Timestamp>,
    /// By number.
    pub applicants: Vec<Applicant>,
}

impl Signup {
    pub fn applicant(&self, number: u16) -> Option<&Applicant> {
        self.applicants.get(usize::from(number))
    }

    /// The number of the next who comes; None when there are as many as can be.
    pub fn next_number(&self) -> Option<u16> {
        u16::try_from(self.applicants.len()).ok()
    }

    pub fn numbered(&self) -> impl Iterator<Item = (u16, &Applicant)> {
        (0u16..).zip(&self.applicants)
    }

    /// Those of a seating, in the order in which they came.
    pub fn standing(&self, seating: Seating) -> Vec<(u16, &Applicant)> {
        let mut found: Vec<_> = self.numbered().filter(|(_, applicant)| applicant.seating == seating).collect();
        found.sort_by(|(_, one), (_, other)| one.since.cmp(&other.since));
        found
    }

    /// Whether a place can be had.
    pub fn has_room(&self) -> bool {
        let kept = self.applicants.iter().filter(|applicant| applicant.seating == Seating::Kept).count();
        self.max.is_none_or(|max| kept < usize::from(max))
    }

    /// Whose place a free one would be.
    pub fn next_in_line(&self) -> Option<u16> {
        if !self.has_room() {
            return None;
        }
        self.standing(Seating::Waiting).first().map(|(number, _)| *number)
    }

    /// Whether somebody else who is in has a nick that players would take for this one.
    pub fn is_taken(&self, nick: &str, by_other_than: u16) -> bool {
        let folded = fold(nick);
        self.numbered().any(|(number, other)| {
            number != by_other_than && other.seating.is_in() && !other.nick.is_empty() && fold(&other.nick) == folded
        })
    }

    /// Whom the host means: somebody who is in, else one whom he declined.
    pub fn by_nick(&self, nick: &str) -> Option<u16> {
        let folded = fold(nick);
        let is_he = |(_, applicant): &(u16, &Applicant)| !applicant.nick.is_empty() && fold(&applicant.nick) == folded;
        let in_it = self.numbered().filter(is_he).find(|(_, applicant)| applicant.seating.is_in());
        let declined = || self.numbered().filter(is_he).find(|(_, applicant)| applicant.seating == Seating::Declined);
        in_it.or_else(declined).map(|(number, _)| number)
    }

    /// Whether an application that arrived in that second is in time.
    pub fn takes(&self, second: i64) -> bool {
        self.open && self.until.is_none_or(|until| second < until.as_second())
    }

    pub(crate) fn apply(&mut self, entry: &Entry) {
        match entry {
            Entry::SignupOpened(opened) => {
                self.open = true;
                self.opened = true;
                self.text = opened.text.clone().or(self.text.take());
                self.min = opened.min.or(self.min);
                self.max = opened.max.or(self.max);
                self.until = opened.until;
            }
            Entry::SignupClosed { dropped, .. } => {
                self.open = false;
                for number in dropped {
                    self.seat(*number, Seating::Dropped);
                }
            }
            Entry::ApplicantCame { .. } => self.applicants.push(Applicant::default()),
            Entry::SignupHeard(heard) => {
                if let Some(applicant) = self.applicants.get_mut(usize::from(heard.applicant)) {
                    for act in &heard.acts {
                        applicant.take(act, &heard.order);
                    }
                }
            }
            Entry::Placed { applicant } | Entry::Replaced { applicant: Some(applicant), .. } => {
                self.seat(*applicant, Seating::Kept);
            }
            Entry::ApplicantJudged { applicant, seating } => self.seat(*applicant, *seating),
            _ => {}
        }
    }

    fn seat(&mut self, number: u16, seating: Seating) {
        if let Some(applicant) = self.applicants.get_mut(usize::from(number)) {
            applicant.seating = seating;
        }
    }
}
