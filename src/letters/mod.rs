//! Letters: what happened, in words for one reader. [`compose`] decides WHO MAY KNOW WHAT, here and nowhere else, and
//! makes the typed structs below; [`render`] turns a struct into words by a template and knows nothing of the game.

pub mod compose;
mod context;
mod embedded;
pub mod facts;
mod filters;
pub mod glossary;
pub mod guard;
pub mod markup;
mod morning;
pub mod orders;
pub mod phrase;
pub mod preview;
pub mod render;
pub mod roster;
pub mod rules_said;
pub mod samples;
pub mod signup;
pub mod view;
pub mod wrap;

pub use morning::{MorningLetter, MorningTurn, MorningWaits};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::{AskedWhy, HowEnded, WeightyFate};
use crate::request::{ProblemKind, TextEnd, Word};
use crate::rules::ledger::Caveat;
use crate::rules::report::{Cause, ExpelWhy, PublishVotes, Status};
use crate::rules::{Gender, Kind, Role, Winner};

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

/// The answer to a player's letter: every line with its fate, what now stands, until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub nick: String,
    /// When the receiving server took the letter.
    pub arrived: Timestamp,
    pub lines: Vec<Line>,
    /// What stands for this turn.
    pub standing: Vec<(Kind, String)>,
    pub vote: VoteState,
    pub deadline: Option<Timestamp>,
    pub paused: bool,
    /// Set when the letter came after this deadline.
    pub closed: Option<Timestamp>,
    /// The letter arrived before that deadline but was found after the close: nothing of it counts.
    pub found_late: bool,
    /// The charset was guessed: its name.
    pub charset_guess: Option<String>,
    /// The reader is no longer alive in the game as published.
    pub out: bool,
    /// The game has ended: nothing is taken any more.
    #[serde(default)]
    pub over: Option<Over>,
    /// The mail's quota of the day is nearly used up: this letter may come late.
    #[serde(default)]
    pub delayed: bool,
    pub answers: Vec<Answer>,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    Finished,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoteState {
    In(String),
    Missing,
    /// No lynch in this turn (R97), or the reader is out.
    NotNeeded,
    Deprived,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// As written, shortened to 120 characters, never the text of a note or of talk.
    pub said: String,
    pub word: Option<Word>,
    /// The nick for which a nearly right one was taken.
    pub understood: Option<String>,
    pub fate: LineFate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineFate {
    Accepted {
        kind: Kind,
        target: String,
        replaces: Option<(Kind, String)>,
        caveat: Option<Caveat>,
    },
    Duplicate {
        kind: Kind,
        target: String,
    },
    /// A note filed (R77): it can't be changed.
    Filed {
        to: String,
        end: TextEnd,
    },
    /// Talk passed on; `to` is None for the clan.
    Relayed {
        to: Option<String>,
        end: TextEnd,
        /// The mail's quota of the day leaves no room for talk: it will be passed on later.
        #[serde(default)]
        later: bool,
    },
    Withdrawn {
        what: Vec<(Kind, String)>,
    },
    NothingToWithdraw,
    Refused {
        kind: Option<Kind>,
        target: Option<String>,
        why: RefusalSaid,
    },
    Problem {
        problem: ProblemKind,
    },
    /// An information request whose answer stands below.
    Answered,
    /// A word that this game does not take now (sign-up closed, host's word, ...).
    NotNow,
    /// A request that wants a confirming answer.
    Weighty {
        fate: WeightyFate,
    },
    /// No reminders from that day to that one, as they are said to the reader.
    Away {
        first: String,
        last: String,
    },
    /// The days of an absence could not be read.
    NoDays,
}

/// [`crate::rules::admit::Refusal`] with nicks instead of numbers, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalSaid {
    DeadSender,
    ExpelledSender,
    AfterDeadline {
        deadline: Timestamp,
        arrived: Timestamp,
    },
    UnknownRequest,
    FirstTurn,
    Deprived,
    MafiaNoHunt,
    LonerNoHunt,
    NotYourRole,
    /// With the nearest nicks of the game, best first, at most three.
    UnknownNick {
        did_you_mean: Vec<String>,
    },
    TargetOut {
        nick: String,
    },
    SelfTarget,
    OwnClan,
    HealTwice {
        nick: String,
    },
    NoteAlreadySent,
    /// A note can't be cancelled (R79, A75).
    NoteStays,
    RelayOff,
    /// More private letters today than `relay_per_day`.
    RelayCap {
        limit: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Role(Box<RoleCard>),
    /// The receipt itself says what stands; this adds the turn and who is alive.
    Status {
        alive: u16,
        note_filed: bool,
        pistol: Option<String>,
    },
    Players {
        players: Vec<PlayerRow>,
    },
    Rules {
        deviations: Vec<(String, String)>,
    },
    Help,
    /// `Почему` of one who is not the host.
    HostOnly,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerRow {
    pub nick: String,
    pub characteristic: String,
    pub life: crate::rules::game::Life,
    pub gender: Option<Gender>,
    /// Where it was published.
    pub role: Option<Role>,
}

/// The letter held no request. `role` gives the examples that fit the reader; None: examples for all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Help {
    pub nick: String,
    pub deadline: Option<Timestamp>,
    pub vote: VoteState,
    pub undecodable: bool,
    /// The form was asked for.
    pub asked: bool,
    /// Nothing but the head was read.
    pub too_large: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stranger {
    /// Not registered in any game here. `tag` if the letter named one.
    Unknown,
    /// Plays (or hosts) several games: name one in the subject.
    WhichGame { candidates: Vec<GameName> },
    /// Expelled.
    Expelled,
    /// He plays in no game here, but could in these.
    HowToJoin { games: Vec<GameName> },
    /// He wanted to join a game whose sign-up is closed.
    SignupClosed { game: GameName },
}

/// The question whether a letter is the reader's own, and meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirm {
    /// None for a host.
    pub nick: Option<String>,
    /// When the receiving server took the letter.
    pub arrived: Timestamp,
    pub why: AskedWhy,
    /// The request lines as written, shortened to 120 characters, never the text of a note or of talk.
    pub lines: Vec<String>,
    /// The answer must arrive before it.
    pub until: Option<Timestamp>,
}

/// A seat in a game that is being played, offered to one of the waiting list. All of it is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatOffer {
    /// Of the player who leaves; the newcomer keeps it.
    pub nick: String,
    pub characteristic: String,
    /// The answer must arrive before it.
    pub until: Timestamp,
}

/// A player writes from another address from now on. Neither letter names either address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub nick: String,
    /// To the address that is played from now on; else to the one before.
    pub here: bool,
}

/// Another person plays under the nick from now on. Neither side learns who the other is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    Newcomer(Box<Newcomer>),
    /// A plain farewell without secrets.
    Leaver {
        nick: String,
    },
}

/// All that goes over with a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newcomer {
    pub card: RoleCard,
    pub players: Vec<PlayerRow>,
    pub deviations: Vec<(String, String)>,
    /// What the predecessor asked for and still stands.
    pub standing: Vec<(Kind, String)>,
    pub vote: VoteState,
    pub note_filed: bool,
    pub missed: u32,
    pub missed_limit: u32,
    /// Warnings for silence (R102).
    pub warned: u32,
    pub paused: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reminder {
    pub nick: String,
    pub deadline: Timestamp,
    /// The lynch vote is missing. Never a role request: the locked screen may show it.
    pub vote_missing: bool,
    /// A first miss is on record: the next one expels.
    pub missed: u32,
    pub missed_limit: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promotion {
    pub nick: String,
    pub card: RoleCard,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conversion {
    /// To the foundling: you are a mafioso now.
    Turned { card: Box<RoleCard> },
    /// To each living member of the clan.
    NewMember { nick: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    pub nick: String,
    pub gender: Option<Gender>,
    /// By the rope (public anyway), or in the night.
    pub hanged: bool,
    pub game_over: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expulsion {
    pub nick: String,
    pub gender: Option<Gender>,
    pub why: ExpelWhy,
    /// The host's own words.
    pub text: String,
    pub role_shown: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// A missed vote (R105).
    Missed { nick: String, missed: u32, limit: u32 },
    /// A silence (R102).
    Silent { nick: String },
    /// The host's own words.
    Host { nick: String, text: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deprivation {
    pub nick: String,
    /// The last turn without a vote.
    pub until_turn: u16,
}

/// The chain of reasons of a turn, in words; for hosts alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasons {
    /// None: the nick fits nobody.
    pub text: Option<String>,
    pub roster: Vec<String>,
}

/// The answer to a host's letter: every line with what it did, and the facts asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orders {
    /// When the receiving server took the letter.
    pub arrived: Timestamp,
    pub lines: Vec<OrderSaid>,
    pub stands: Option<Stands>,
    /// The chain of reasons, where he asked for it among other things.
    pub reasons: Option<String>,
    /// The forms of all orders: he asked for them, or ordered nothing.
    pub forms: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderSaid {
    /// As written.
    pub said: String,
    pub done: bool,
    pub what: String,
    /// How to undo it, or the cure.
    pub then: String,
}

/// How a game stands, for its host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stands {
    /// `signup`, `playing`, ... as `omerta game show --json` has them.
    pub state: String,
    pub phase: Option<String>,
    pub turn: u16,
    pub deadline: Option<Timestamp>,
    pub living: Vec<String>,
    /// Who still owes his vote.
    pub owing: Vec<String>,
    /// While people sign up.
    pub signup: Option<signup::SignupStands>,
}

/// Whom do you take with you?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PistolQuestion {
    pub nick: String,
    pub until: Timestamp,
    /// The order that stands if he stays silent.
    pub standing: Option<String>,
}

/// A note, a private letter or the clan's talk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relayed {
    pub nick: String,
    pub author: String,
    pub text: String,
    /// The author is dead (a note).
    pub author_dead: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    DeadlineMoved {
        was: Option<Timestamp>,
        deadline: Timestamp,
    },
    /// `early_close`: the turn is over before its time.
    AllVoted {
        was: Timestamp,
        deadline: Timestamp,
    },
    Paused,
    Resumed {
        deadline: Timestamp,
    },
    ResultsAwaited,
    /// Another person plays under this nick: that, and nothing more, is public.
    Replaced {
        nick: String,
    },
    Cancelled,
    /// The host moved or ended something with words of his own.
    Host {
        text: String,
    },
    /// So many letters came in an hour that answers pause; the letters count all the same.
    AnswersPause,
    /// The mail's quota of the day holds back what the reader wrote to others, although he was told that it is passed on:
    /// whom it waits for; None is the clan.
    TalkWaits {
        to: Vec<Option<String>>,
    },
    /// A copy of one of the reader's letters had arrived earlier, and the turn was judged again: what stands now.
    Rearranged {
        arrived: Timestamp,
        standing: Vec<(Kind, String)>,
        vote: VoteState,
        /// To whom the note that is filed now goes, where that changed.
        note_to: Option<String>,
        deadline: Option<Timestamp>,
    },
    /// A copy of a letter that was late had arrived in time, but was found after the close: it changes nothing.
    CopyFoundLate {
        arrived: Timestamp,
        deadline: Timestamp,
    },
    /// The doctor was in time (A43); `own`: the reader was the patient.
    Saved {
        nick: String,
        own: bool,
    },
    /// To the hunter, where A26 says so.
    HuntEnded {
        prey: String,
        result: crate::rules::report::HuntResult,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fallen {
    pub nick: String,
    pub gender: Option<Gender>,
    pub role: Role,
    /// Only where `public_causes` says so (A64).
    pub causes: Vec<Cause>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rope {
    /// R97.
    FirstTurn,
    Hanged {
        nick: String,
        gender: Option<Gender>,
        role: Role,
        votes: Option<u32>,
        of: Option<u32>,
    },
    /// `reason` is None when only the outcome is published (R110).
    Nobody {
        reason: Option<NobodyWhy>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NobodyWhy {
    NoVotes,
    NoQuorum,
    /// The chosen one had died by then (A32).
    AlreadyOut {
        nick: String,
    },
}

/// The results of a turn, as all may read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub turn: u16,
    /// Who died in the night or by a shot that is not public, in roster order; not who was shot where the shot is public.
    pub night: Vec<Fallen>,
    pub shot: Option<ShotSaid>,
    pub rope: Rope,
    pub publish: PublishVotes,
    /// Voter and whom; in roster order. Empty unless published by nick.
    pub ballots: Vec<(String, String)>,
    /// Most votes first.
    pub tally: Vec<(String, u32)>,
    /// A tie, decided by lot.
    pub tied: Vec<String>,
    pub nonvoters: Vec<String>,
    pub expelled: Vec<ExpelledSaid>,
    /// Only with `announce_saves = "public"`.
    pub saved: Vec<String>,
    pub alive: Vec<String>,
    pub next: Option<NextTurn>,
    pub winner: Option<Winner>,
    /// Nick and forum name of the dead, only with `reveal_person_on_death` (A11).
    #[serde(default)]
    pub persons: Vec<(String, String)>,
    /// The host's story for this turn.
    pub story: Vec<String>,
    /// For a moderator or a forum: the ready-made part.
    pub paste: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShotSaid {
    pub by: String,
    pub at: Fallen,
    pub in_the_night: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpelledSaid {
    pub nick: String,
    pub gender: Option<Gender>,
    pub role: Option<Role>,
    pub why: ExpelWhy,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextTurn {
    pub turn: u16,
    pub deadline: Option<Timestamp>,
}

/// The end: winner, all roles, the votes turn by turn, the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Final {
    pub winner: Winner,
    /// The host said so before anybody had won by the rules.
    #[serde(default)]
    pub by_host: bool,
    pub roster: Vec<FinalRow>,
    pub turns: Vec<FinalTurn>,
    /// Hex.
    pub seed: String,
    pub commitment: String,
    /// Nick and word.
    pub lot_words: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalRow {
    pub nick: String,
    pub role: Role,
    pub life: crate::rules::game::Life,
    pub gender: Option<Gender>,
    /// The forum member behind the nick, where he gave a name (A11).
    pub person: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalTurn {
    pub turn: u16,
    /// Empty where results by nick were not given (R109).
    pub ballots: Vec<(String, String)>,
    pub fell: Vec<String>,
}

/// To the hosts after a turn: everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    pub summary: Summary,
    /// One sentence a fact, already in words of rules: see [`DigestFact`].
    pub facts: Vec<DigestFact>,
    /// Everybody with role, counters.
    pub table: Vec<DigestRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestRow {
    pub nick: String,
    pub role: Role,
    pub life: crate::rules::game::Life,
    pub missed: u32,
    pub warned: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DigestFact {
    /// What was asked and stood at the deadline.
    Stood {
        who: String,
        kind: Kind,
        target: String,
    },
    Void {
        who: String,
        kind: Kind,
        target: String,
        why: crate::rules::ledger::VoidWhy,
    },
    MurderSplit,
    Murder {
        victim: String,
    },
    Hunt {
        hunter: String,
        prey: String,
        result: crate::rules::report::HuntResult,
    },
    Stopped {
        who: String,
        cause: Cause,
        by: crate::rules::report::StoppedBy,
    },
    Died {
        who: String,
        causes: Vec<Cause>,
    },
    Learned {
        who: String,
        result: CheckResult,
    },
    Promoted {
        who: String,
    },
    Converted {
        who: String,
    },
    NoteDelivered {
        from: String,
        to: String,
    },
    Missed {
        who: String,
    },
    Warned {
        who: String,
    },
    Expelled {
        who: String,
        why: ExpelWhy,
    },
    Lot {
        among: Vec<String>,
        chosen: String,
    },
}

/// Trouble, to the hosts and the operator. Never a role, an address or a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alert {
    /// A letter of a player arrived in time and was found after the close.
    FoundLate {
        nick: String,
        arrived: Timestamp,
        deadline: Timestamp,
    },
    /// More than a third of the living would miss the vote at once: the turn waits for the host.
    ManyMisses {
        nicks: Vec<String>,
        living: u16,
    },
    /// The turn is closed and waits for the host's word (`publish = "approve"`).
    AwaitsApproval,
    /// Somebody who signs up waits for the host's word.
    AwaitsAcceptance {
        nick: String,
        characteristic: String,
    },
    /// The deadline waits: results of the turn before are still unsent.
    ResultsUnsent {
        nicks: Vec<String>,
    },
    /// The inbox could not be read through.
    InboxUnreachable {
        since: Timestamp,
    },
    Quarantined {
        count: u32,
    },
    /// A player's letter will never arrive; `unknown`: it may have arrived, and nobody can tell.
    Undelivered {
        kind: String,
        nick: String,
        #[serde(default)]
        unknown: bool,
    },
    /// The same of several letters at once; `more`: so many beside those that are listed.
    ManyUndelivered {
        letters: Vec<LostLetter>,
        more: u32,
        unknown: bool,
    },
    /// The same of a letter to a host, a moderator or a forum; `number` counts from 0 in config's order.
    OfficerUndelivered {
        kind: String,
        office: Office,
        number: u16,
        unknown: bool,
    },
    /// A letter that had left came back. `nick` is None for a moderator's letter or the forum's. `rests`: nothing
    /// arrives at that address, so that further letters are held.
    Returned {
        kind: String,
        nick: Option<String>,
        rests: bool,
    },
    /// A player is away and asks to be forgiven what he misses.
    Away {
        nick: String,
        first: String,
        last: String,
    },
    /// What a moderator's letter did, a sentence a line.
    Moderator {
        done: Vec<String>,
    },
    /// The topic's feed told who wrote nothing for so many days. `by_itself`: warnings come with the results.
    SilentInTopic {
        nicks: Vec<String>,
        days: u32,
        by_itself: bool,
    },
    /// Who was silent could not be told from the topic's feed: nobody is judged for it at this deadline.
    TopicUnread {
        why: TopicGap,
        days: u32,
    },
    /// Another person has the seat, and who left knows the password of its forum account (R83).
    ChangePassword {
        nick: String,
        forum_name: String,
    },
    /// One of the waiting list does not take the seat of that player.
    SeatNotTaken {
        nick: String,
        /// The nick in his application; empty where there is none.
        who: String,
        how: HowEnded,
        /// Who is asked now, and until when; None: nobody is left.
        next: Option<(String, Timestamp)>,
    },
    /// A letter is on its way for long: the second report of it.
    Delayed {
        kind: String,
        nick: Option<String>,
    },
}

/// A player's letter that will never arrive, or may not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostLetter {
    pub kind: String,
    pub nick: String,
}

/// Why the feed does not tell who was silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "gap")]
pub enum TopicGap {
    /// It was never read.
    Never,
    /// It was read last before the deadline.
    Until { at: Timestamp },
    /// It holds only the newest posts: earlier ones nobody has seen.
    Since { at: Timestamp },
    /// No player is in it at all: another topic, or other names.
    Nobody,
    /// There is one feed, and more than one game is being played.
    ManyGames,
}

/// Who is in a game without playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Office {
    Host,
    Moderator,
    Forum,
}

impl Alert {
    /// Which trouble it is.
    pub fn name(&self) -> &'static str {
        match self {
            Alert::FoundLate { .. } => "found_late",
            Alert::ManyMisses { .. } => "many_misses",
            Alert::AwaitsApproval => "awaits_approval",
            Alert::AwaitsAcceptance { .. } => "awaits_acceptance",
            Alert::ResultsUnsent { .. } => "results_unsent",
            Alert::InboxUnreachable { .. } => "inbox_unreachable",
            Alert::Quarantined { .. } => "quarantined",
            Alert::Undelivered { .. } => "undelivered",
            Alert::ManyUndelivered { .. } => "many_undelivered",
            Alert::OfficerUndelivered { .. } => "officer_undelivered",
            Alert::Returned { .. } => "returned",
            Alert::Delayed { .. } => "delayed",
            Alert::Away { .. } => "away",
            Alert::Moderator { .. } => "moderator",
            Alert::SilentInTopic { .. } => "silent_in_topic",
            Alert::TopicUnread { .. } => "topic_unread",
            Alert::SeatNotTaken { .. } => "seat_not_taken",
            Alert::ChangePassword { .. } => "change_password",
        }
    }

    /// What is told once a turn: the trouble, and of an officer's letters whose they are.
    pub fn key(&self) -> String {
        match self {
            Alert::OfficerUndelivered { office, number, .. } => format!("officer_undelivered/{office:?}/{number}"),
            _ => self.name().to_owned(),
        }
    }
}
