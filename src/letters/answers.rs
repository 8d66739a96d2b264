//! What answers a letter: its receipt, facts that were asked for, the forms, a question whether one wrote it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{GameName, RoleCard};
use crate::journal::{AskedWhy, WeightyFate};
use crate::request::{ProblemKind, TextEnd, Word};
use crate::rules::ledger::Caveat;
use crate::rules::{Gender, Kind, Role};

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
        /// It looks like a letter of ours on a status (A71): a host sees it first.
        #[serde(default)]
        held: bool,
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
    /// More letters to the clan within the hour than are passed on.
    ClanCap {
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
    /// Nothing can be asked for any more: the game has ended.
    #[serde(default)]
    pub over: bool,
    /// Nor by who was expelled, or left.
    #[serde(default)]
    pub expelled: bool,
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
    /// The letter holds other lines besides: they could not be done, and «Да» does not mean them.
    #[serde(default)]
    pub holds_more: bool,
    /// Of unproved letters nothing more is asked in this hour.
    #[serde(default)]
    pub last: bool,
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
