//! Letters: what happened, in words for one reader. [`compose`] decides WHO MAY KNOW WHAT, here and nowhere else, and
//! makes the typed structs below; [`render`] turns a struct into words by a template and knows nothing of the game.

mod answers;
pub mod compose;
mod context;
mod embedded;
pub mod facts;
mod filters;
pub mod glossary;
pub mod guard;
mod hosts;
pub mod markup;
mod morning;
pub mod orders;
pub mod phrase;
mod players;
pub mod preview;
pub mod render;
pub mod roster;
pub mod rules_said;
pub mod samples;
pub mod signup;
mod turn;
pub mod view;
pub mod wrap;

pub use answers::{
    Answer, Confirm, Help, Line, LineFate, Over, PlayerRow, Receipt, RefusalSaid, SeatOffer, Stranger, VoteState,
};
pub use hosts::{
    Alert, Digest, DigestFact, DigestRow, LostLetter, Office, OrderSaid, Orders, Reasons, Stands, TopicGap,
};
pub use morning::{MorningLetter, MorningTurn, MorningWaits};
pub use players::{
    Conversion, Death, Deprivation, Expulsion, Moved, Newcomer, Notice, PistolQuestion, Promotion, Relayed, Reminder,
    Replacement, Warning, shows_letter_of_ours,
};
pub use turn::{ExpelledSaid, Fallen, Final, FinalRow, FinalTurn, NextTurn, NobodyWhy, Rope, ShotSaid, Summary};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::AskedWhy;
use crate::rules::report::{Cause, Status};
use crate::rules::{Gender, Role};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    #[default]
    Ru,
    En,
}

/// What every letter knows beside its own facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    pub lang: Lang,
    /// None for a stranger who named no game and for the operator.
    pub game: Option<GameName>,
    /// The turn that is open at writing, or the one being closed; 0 before the deal.
    pub turn: u16,
    /// IANA name; every time in the letter is given in it.
    pub zone: String,
    pub now: Timestamp,
    /// «Ведущая».
    pub host_name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameName {
    pub tag: String,
    pub title: String,
}

/// A letter's facts. The variant names are the kinds of `X-Omerta-Letter` ([`Letter::kind`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letter {
    /// To somebody who signs up: where he stands, and what is still missing.
    Joined(Box<signup::Joined>),
    /// To each player after sign-up: a first letter to answer.
    Handshake(signup::Handshake),
    Opening(Opening),
    /// To the hosts: who plays, for the forum.
    Roster(roster::RosterPost),
    Role(RoleCard),
    Receipt(Receipt),
    /// Facts asked for, and nothing else in the letter.
    Answer(Receipt),
    /// The form with examples: the letter held no request.
    Help(Help),
    Refused(Stranger),
    /// "Was this you?"
    Confirm(Confirm),
    /// To one of the waiting list: does he take a seat over?
    Offer(SeatOffer),
    /// The letter could not be processed and is kept: a person will see to it.
    Kept,
    Reminder(Reminder),
    Result(CheckResult),
    Promotion(Promotion),
    Conversion(Conversion),
    Death(Death),
    Expulsion(Expulsion),
    Warning(Warning),
    Deprivation(Deprivation),
    Note(Relayed),
    Pm(Relayed),
    Clan(Relayed),
    Notice(Notice),
    Summary(Summary),
    Final(Final),
    /// The question to a dying commissioner, only with `pistol_mode = "window"` (A50).
    Pistol(PistolQuestion),
    /// To the host: the reasons that he asked for.
    Why(Reasons),
    /// To the host: what became of his orders.
    Orders(Orders),
    /// To both addresses of a player whose address has changed.
    Moved(Moved),
    /// To the hosts: a closed turn before it goes out.
    Preview(preview::Preview),
    /// To those whose letters of a published turn have changed.
    Correction(preview::Correction),
    /// To both sides of a replacement.
    Replacement(Replacement),
    Digest(Digest),
    /// To the hosts, once a day.
    Morning(MorningLetter),
    Alert(Alert),
}

impl Letter {
    /// Whether such a letter is written only in answer to one that came in.
    pub fn is_answer(&self) -> bool {
        matches!(
            self,
            Letter::Receipt(_)
                | Letter::Answer(_)
                | Letter::Kept
                | Letter::Help(_)
                | Letter::Refused(_)
                | Letter::Orders(_)
                | Letter::Why(_)
        )
    }

    /// Talk that shows a letter of ours on a status is held until a host has seen it (A71).
    pub fn waits_for_host(&self) -> bool {
        matches!(self, Letter::Pm(talk) | Letter::Clan(talk) if shows_letter_of_ours(&talk.text))
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Letter::Joined(_) => "joined",
            Letter::Handshake(_) => "handshake",
            Letter::Opening(_) => "opening",
            Letter::Role(_) => "role",
            Letter::Receipt(_) => "receipt",
            Letter::Answer(_) | Letter::Kept => "answer",
            Letter::Help(_) => "help",
            Letter::Refused(_) => "refused",
            Letter::Confirm(_) | Letter::Offer(_) => "confirm",
            Letter::Reminder(_) => "reminder",
            Letter::Result(_) => "result",
            Letter::Promotion(_) => "promotion",
            Letter::Conversion(_) => "conversion",
            Letter::Death(_) => "death",
            Letter::Expulsion(_) => "expulsion",
            Letter::Warning(_) => "warning",
            Letter::Deprivation(_) => "deprivation",
            Letter::Note(_) => "note",
            Letter::Pm(_) => "pm",
            Letter::Clan(_) => "clan",
            Letter::Notice(_) => "notice",
            Letter::Summary(_) => "summary",
            Letter::Final(_) => "final",
            Letter::Pistol(_) => "pistol",
            Letter::Why(_) | Letter::Orders(_) | Letter::Moved(_) => "answer",
            Letter::Preview(_) => "preview",
            Letter::Correction(_) => "correction",
            Letter::Replacement(_) => "replacement",
            Letter::Digest(_) | Letter::Morning(_) | Letter::Roster(_) => "digest",
            Letter::Alert(_) => "alert",
        }
    }

    /// Whether the password of a forum account stands in it.
    pub fn tells_password(&self) -> bool {
        let tells = |card: &RoleCard| card.forum_account.as_ref().is_some_and(|(_, password)| !password.is_empty());
        match self {
            Letter::Role(card) => tells(card),
            Letter::Replacement(Replacement::Newcomer(newcomer)) => tells(&newcomer.card),
            Letter::Receipt(receipt) | Letter::Answer(receipt) => {
                receipt.answers.iter().any(|answer| matches!(answer, Answer::Role(card) if tells(card)))
            }
            _ => false,
        }
    }

    /// Whether it says that talk of its reader is not passed on, for there was too much of it.
    pub fn keeps_talk_back(&self) -> bool {
        let why = |line: &Line| match &line.fate {
            LineFate::Refused { why, .. } => matches!(why, RefusalSaid::RelayCap { .. } | RefusalSaid::ClanCap { .. }),
            _ => false,
        };
        matches!(self, Letter::Receipt(receipt) if receipt.lines.iter().any(why))
    }

    /// It asks one who is proved whether he means it: without it nothing of what he wants is done.
    pub fn asks_the_proved(&self) -> bool {
        matches!(self, Letter::Confirm(confirm) if confirm.why == AskedWhy::Weighty)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    pub nick: String,
    pub characteristic: String,
    pub gender: Option<Gender>,
}

/// To each player when the game begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The reader's nick; None for host and moderators.
    pub nick: Option<String>,
    pub roster: Vec<Seat>,
    /// Toggles that differ from the default: (name, value), as [`crate::rules::rulebook`] gives them.
    pub deviations: Vec<(String, String)>,
    /// SHA-256 of the seed, hex.
    pub commitment: String,
    /// The roster itself gave the roles; no lot was drawn.
    pub dealt_as_given: bool,
    pub deadline: Option<Timestamp>,
    /// Turns end as soon as every lynch vote is in.
    pub early_close: bool,
}

/// To each player at the start, and on request with all results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleCard {
    pub nick: String,
    pub role: Role,
    pub alive: bool,
    /// He was expelled, or left.
    #[serde(default)]
    pub expelled: bool,
    /// The game has ended: there is nothing to hide, and nothing to do.
    #[serde(default)]
    pub over: bool,
    /// Other members of the clan; roles where the game tells them (A6).
    pub clan: Vec<(String, Option<Role>)>,
    /// For the sergeant (R31).
    pub commissioner: Option<String>,
    /// For the commissioner, where A8 says so.
    pub sergeant: Option<String>,
    /// For the Boss, where A7 says so.
    pub foundling: Option<String>,
    pub proof_word: String,
    /// Nick and password for the forum (R83), if the host gave them.
    pub forum_account: Option<(String, String)>,
    pub results: Vec<CheckResult>,
    pub first_turn: bool,
    /// The turn to which the deadline belongs; the heading may name another one (the closed turn, or 1).
    pub turn: u16,
    pub deadline: Option<Timestamp>,
    /// Toggles of the game that change what this role can do: what the card must not promise.
    pub may_hunt: bool,
    pub hunt_on_first_turn: bool,
    pub status_needs_vote: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    pub turn: u16,
    /// The reader is the commissioner himself (else the sergeant's copy).
    pub own: bool,
    pub about: String,
    pub status: Status,
    pub killers: Vec<Cause>,
    pub killer_nicks: Vec<String>,
}
