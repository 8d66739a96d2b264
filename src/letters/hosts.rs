//! What the hosts alone are told: answers to their orders, the account of a turn, trouble.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::signup::SignupStands;
use super::{CheckResult, Summary};
use crate::journal::{Held, HowEnded};
use crate::rules::report::{Cause, ExpelWhy};
use crate::rules::{Kind, Role};

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
    /// He sent a bare «Да» that answers no open question.
    #[serde(default)]
    pub bare_yes: Option<Office>,
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
    /// Why the closed turn waits, and when it goes out without the host's word.
    #[serde(default)]
    pub held: Option<Held>,
    #[serde(default)]
    pub publishes: Option<Timestamp>,
    pub living: Vec<String>,
    /// Who still owes his vote.
    pub owing: Vec<String>,
    /// While people sign up.
    pub signup: Option<SignupStands>,
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
    /// Of one who sent many requests without effect only the last are told one by one.
    VoidMore {
        who: String,
        more: usize,
    },
    /// By the host's word before publication (R112), and his grounds.
    Ruled {
        who: String,
        alive: bool,
        grounds: String,
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
    /// The clock has leapt by so many days, and nobody can be asked whether it is right: nothing happens by itself.
    ClockLeapt {
        from: Timestamp,
        days: u32,
    },
    /// The provider takes no more letters from us: none is sent until then.
    SendingBlocked {
        until: Timestamp,
    },
    /// So many proof words in a day were wrong, of those who write from a host's address or (`of_all`) of everybody: no
    /// more are looked at until then, not even right ones.
    WordsRest {
        wrong: u32,
        of_all: bool,
        until: Timestamp,
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
    /// A player passes on what looks like a letter of ours on a status (A71): it is held until a host has seen it.
    ShowsLetter {
        nick: String,
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
    /// A seat that was offered to one of the waiting list is no more: its player is out.
    SeatGone {
        nick: String,
        /// The nick in his application; empty where there is none.
        who: String,
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
    /// It was named only then: what was written before belongs to another topic.
    Named { at: Timestamp },
    /// No player is in it at all: another topic, or other names.
    Nobody,
    /// Config alone says whose topic it is, and more than one game that is being played goes by it.
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
            Alert::ClockLeapt { .. } => "clock_leapt",
            Alert::SendingBlocked { .. } => "sending_blocked",
            Alert::WordsRest { .. } => "words_rest",
            Alert::Quarantined { .. } => "quarantined",
            Alert::Undelivered { .. } => "undelivered",
            Alert::ManyUndelivered { .. } => "many_undelivered",
            Alert::OfficerUndelivered { .. } => "officer_undelivered",
            Alert::Returned { .. } => "returned",
            Alert::Delayed { .. } => "delayed",
            Alert::Away { .. } => "away",
            Alert::ShowsLetter { .. } => "shows_letter",
            Alert::Moderator { .. } => "moderator",
            Alert::SilentInTopic { .. } => "silent_in_topic",
            Alert::TopicUnread { .. } => "topic_unread",
            Alert::SeatNotTaken { .. } => "seat_not_taken",
            Alert::SeatGone { .. } => "seat_gone",
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
