//! Letters that are no player's requests: a host's orders, questions to a registered address, what the quota leaves.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::letters::orders::{Did, NotDone};
use crate::request::orders::Verb;
use crate::rules::{Order, PlayerId, TextRef};

/// What the provider's limit of a day leaves room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quota {
    #[default]
    Open,
    /// Talk waits.
    NoRelays,
    /// Talk and answers wait.
    NoReceipts,
}

impl Quota {
    pub fn is_open(&self) -> bool {
        *self == Quota::Open
    }
}

/// One letter of a host, with what became of every line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostHeard {
    /// His place among the hosts of the game, or, with `moderator`, among its moderators.
    pub host: u16,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moderator: bool,
    /// The letter's number in the store.
    pub letter: u64,
    pub order: Order,
    /// Empty: nothing in it was an order.
    pub lines: Vec<Ordered>,
    /// The lines as written, one a line, in the order of `lines`; erasable.
    pub said: Option<TextRef>,
    /// The chain of reasons that he asked for; erasable.
    pub reasons: Option<TextRef>,
    /// Nothing but a «Да» that answers no question which is still open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bare_yes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ordered {
    pub verb: Verb,
    pub fate: OrderFate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderFate {
    Done(Did),
    NotDone(NotDone),
    /// A question; its answer stands in the letter.
    Answered,
}

/// Who of a game writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    Player(PlayerId),
    /// In config's order; the first is the host, the rest co-hosts.
    Host(u16),
    Moderator(u16),
    /// By his number among those who sign up.
    Applicant(u16),
}

/// One question to a registered address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub who: Writer,
    /// The letter's number in the store.
    pub letter: u64,
    pub order: Order,
    pub why: AskedWhy,
    /// The request lines as written, one a line; erasable.
    pub said: Option<TextRef>,
    /// Which of a host's lines the question quotes, by their numbers from 0, in order: nothing else is done when he says
    /// «Да». None: all of them, or a journal of before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<u32>>,
    /// Of unproved letters nothing more is asked in this hour.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// The answer must arrive before this deadline; None when there is none now.
    pub until: Option<Timestamp>,
}

/// Why a letter is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedWhy {
    /// Its sender was not proved.
    Unproved,
    /// He was, but what it asks for can't be taken back: a new address, leaving the game, some words of the host.
    Weighty,
}

/// What became of a request that wants a confirming answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightyFate {
    /// The registered address was asked; nothing is done yet.
    Asked,
    Done,
    /// It can't be: no usable address, or one that this game can't take.
    Unfit,
}
