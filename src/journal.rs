//! What happened: the closed list of events of a game. Everything else is a fold of it. An event is a fact with its
//! outcome (a draw's result, a turn's report), so that replay never decides anything again.

mod heard;
mod letters;
mod morning;
mod people;
pub mod read;
mod words;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::letters::orders::Did;
use crate::letters::{Alert, Lang};
use crate::rules::ledger::HostAct;
use crate::rules::report::Report;
use crate::rules::rulebook::Rulebook;
use crate::rules::turn::Circumstances;
use crate::rules::{Gender, Order, PlayerId, Role, TextRef, Winner};
use crate::schedule::{DeadlineRule, Skips};
use crate::signup::{Seating, SignupHeard, SignupOpened};

pub use heard::{Heard, Item, Standing};
pub use letters::{Asked, AskedWhy, HostHeard, OrderFate, Ordered, Quota, WeightyFate, Writer};
pub use morning::{Day, MailHealth, Morning, SentToday};
pub use people::{HowEnded, OfferEnd};
pub use words::{kind_of, winner_word, word_of};

/// The version of the events' form. It grows when a reader of old journals has to know.
pub const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Entry {
    /// `game new`: the game keeps its own copy of all settings from here on.
    Created(Box<Created>),
    /// A seat is taken. The address stands in an erasable table; here only its salted hash.
    Registered {
        player: PlayerId,
        nick: String,
        characteristic: String,
        gender: Option<Gender>,
        address: String,
        /// His number among those who signed up by letter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        applicant: Option<u16>,
    },
    /// Sign-up by letter was opened, or its terms were changed while it was open.
    SignupOpened(Box<SignupOpened>),
    /// No more applications. Who has no nick by then has no place any more.
    SignupClosed {
        by: By,
        dropped: Vec<u16>,
    },
    /// Somebody's first letter to a sign-up; his number is his place in this order. The address stands in an erasable
    /// table; here only its salted hash.
    ApplicantCame {
        applicant: u16,
        address: String,
    },
    /// A letter of an applicant was judged.
    SignupHeard(Box<SignupHeard>),
    /// A place became free and went to the first of the waiting list.
    Placed {
        applicant: u16,
    },
    /// The host accepted or declined an applicant.
    ApplicantJudged {
        applicant: u16,
        seating: Seating,
    },
    /// The host handed in forum accounts (R83): their names, in the order of the list. The passwords stand sealed beside
    /// the journal.
    AccountsGiven {
        names: Vec<String>,
    },
    /// Each player's account, in roster order, by its place in that list: the one that bears his nick, else by lot.
    AccountsDealt {
        accounts: Vec<u16>,
    },
    /// These accounts of that list have other passwords now.
    PasswordsChanged {
        accounts: Vec<u16>,
    },
    /// A first letter to answer went to these, before the deal (`handshake`).
    Greeted {
        who: Vec<Writer>,
    },
    /// A proved letter came from one of them.
    HandShaken {
        who: Writer,
    },
    /// The host wanted to begin and was told who has not answered yet: his next word begins without their answer.
    StartQuestioned {
        silent: Vec<Writer>,
    },
    /// The deal (R6): by lot, or as the roster gave it.
    Started {
        roles: Vec<Role>,
        dealt_as_given: bool,
        deadline: Timestamp,
        /// Nick and word for the lots (`Жребий - ...`), in roster order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        words: Vec<(String, String)>,
    },
    /// The deadline of the open turn was set by the host, or by the rule.
    DeadlineSet {
        deadline: Timestamp,
        was: Option<Timestamp>,
        by: By,
    },
    /// The dates on which no turn ends of its own accord, all of them.
    SkipsSet {
        skips: Skips,
    },
    Paused {
        left: SignedDuration,
    },
    Resumed {
        deadline: Timestamp,
    },
    /// A player's letter was judged.
    Heard(Box<Heard>),
    /// A second copy of a letter had arrived earlier: the letter takes that place.
    Rearranged {
        letter: u64,
        order: Order,
    },
    /// A second copy of a late letter had arrived in time, and was found after the close: nothing changes by itself.
    CopyFoundLate {
        letter: u64,
        from: PlayerId,
        order: Order,
        deadline: Timestamp,
    },
    /// The mail's quota of the day holds talk back that its author was told is passed on: he was told that it waits, and
    /// for whom; None is the clan.
    TalkWaits {
        from: PlayerId,
        to: Vec<Option<PlayerId>>,
    },
    /// The host's act in mid-turn; `text` are his words to the one concerned.
    HostActed {
        order: Order,
        act: HostAct,
        text: Option<TextRef>,
    },
    /// A warning in words, without consequence by itself.
    HostWarned {
        player: PlayerId,
        text: TextRef,
    },
    /// Reminders so long before the deadline went out, as one letter.
    Reminded {
        turn: u16,
        before: Vec<SignedDuration>,
    },
    /// The turn was resolved. Until it is published nothing of it shows.
    Closed {
        report: Box<Report>,
        circumstances: Circumstances,
        deadline: Timestamp,
        why_held: Option<Held>,
        /// A preview of it goes to the hosts with the next event.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shown: bool,
    },
    /// The host forgave all misses of the closed turn that waits for him: it was judged again without them.
    MissesForgiven {
        report: Box<Report>,
        circumstances: Circumstances,
    },
    /// The window of the pistol is over: the turn was judged again with the answer, if there was one.
    WindowClosed {
        report: Box<Report>,
        circumstances: Circumstances,
        why_held: Option<Held>,
        /// As of [`Entry::Closed`].
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shown: bool,
    },
    /// The hosts were shown the letters of the closed turn before they leave; `next` is the deadline that the next turn
    /// would have.
    Previewed {
        next: Option<Timestamp>,
    },
    /// The resolution of the closed turn was taken back, or of the one published last; `cancelled` are its letters that
    /// had not left: reader, by his name in the outbox, and kind.
    TakenBack {
        turn: u16,
        cancelled: Vec<(String, String)>,
    },
    /// The host ruled before publication who is alive (R112); `text` are his grounds. The turn is judged again with it
    /// in the next event.
    Ruled {
        player: PlayerId,
        alive: bool,
        text: TextRef,
    },
    /// The closed turn was judged again: after a ruling, or when it had been taken back.
    JudgedAgain {
        report: Box<Report>,
        circumstances: Circumstances,
        why_held: Option<Held>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shown: bool,
    },
    /// A closed turn waits for the host: who was told of it.
    Nagged {
        turn: u16,
        steps: Vec<Nag>,
    },
    /// The host's story, which opens the summary of the turn that is published next; a later one replaces it.
    StoryTold {
        turn: u16,
        text: TextRef,
    },
    /// The closed turn was made known; `next` is the deadline of the next turn.
    Published {
        next: Option<Timestamp>,
    },
    Cancelled,
    /// After `retention`: addresses, texts and raw letters are gone, the journal stays.
    Erased,
    /// A command of the command line was done; what it did stands in the events before this one.
    Commanded {
        did: Did,
    },
    /// A proved host's letter was obeyed, line by line; what it did stands in the events before this one. Or his address
    /// sent a bare «Да», proved or not, which did nothing.
    HostHeard(Box<HostHeard>),
    /// A proved host asked for the reasons of the turn that was closed last. Written by the first version alone.
    HostAsked {
        host: u16,
        letter: u64,
        about: Option<PlayerId>,
        unknown_nick: bool,
    },
    /// The hosts were told of trouble, once a turn for each kind.
    Alerted {
        alert: Alert,
    },
    /// The morning letter to the hosts: what only the desk knew, and what happened since the last one.
    Morning(Box<Morning>),
    /// The registered address was asked whether a letter is its own, or whether what it asks for is meant.
    Asked(Box<Asked>),
    /// «Да»: the letter of that number is let in, with its first arrival; `by` is the letter that says so.
    Confirmed {
        who: Writer,
        letter: u64,
        by: u64,
    },
    /// A player's address is another one. It stands in an erasable table; here only its salted hash.
    AddressChanged {
        player: PlayerId,
        address: String,
    },
    /// The seat goes to another person, with all that its player was and knew; of his address the salted hash.
    Replaced {
        player: PlayerId,
        address: String,
        /// His number among those who signed up by letter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        applicant: Option<u16>,
    },
    /// The first of the waiting list is asked whether he takes a seat over; `after`: who was asked before him.
    SeatOffered {
        player: PlayerId,
        applicant: u16,
        /// An answer that arrives at this second is too late.
        until: Timestamp,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<OfferEnd>,
    },
    /// Nobody is asked for that seat any more.
    OffersOver {
        player: PlayerId,
        end: OfferEnd,
    },
    /// The results of a turn stand in the topic, at this link.
    Posted {
        link: String,
    },
    /// A moderator or the host said who was silent in the topic, or that he was not after all (R102).
    Watched {
        silent: bool,
        players: Vec<PlayerId>,
    },
    /// Which feed tells of this game's topic: of its address the salted hash, for it may hold a key; None for none. By the
    /// rule: it is config's, kept when the game was made. Without this event the game goes by config.
    FeedSet {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feed: Option<String>,
        by: By,
    },
    /// The topic's feed told who wrote nothing between that moment and the deadline (R102).
    FeedJudged {
        since: Timestamp,
        players: Vec<PlayerId>,
    },
    /// The host ended the game, and said who has won.
    Finished {
        winner: Winner,
    },
}

impl Entry {
    /// The event's name as it stands in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            Entry::Created(_) => "created",
            Entry::Registered { .. } => "registered",
            Entry::SignupOpened(_) => "signup_opened",
            Entry::SignupClosed { .. } => "signup_closed",
            Entry::ApplicantCame { .. } => "applicant_came",
            Entry::SignupHeard(_) => "signup_heard",
            Entry::Placed { .. } => "placed",
            Entry::ApplicantJudged { .. } => "applicant_judged",
            Entry::AccountsGiven { .. } => "accounts_given",
            Entry::AccountsDealt { .. } => "accounts_dealt",
            Entry::PasswordsChanged { .. } => "passwords_changed",
            Entry::Greeted { .. } => "greeted",
            Entry::HandShaken { .. } => "hand_shaken",
            Entry::StartQuestioned { .. } => "start_questioned",
            Entry::Started { .. } => "started",
            Entry::DeadlineSet { .. } => "deadline_set",
            Entry::SkipsSet { .. } => "skips_set",
            Entry::Paused { .. } => "paused",
            Entry::Resumed { .. } => "resumed",
            Entry::Heard(_) => "heard",
            Entry::Rearranged { .. } => "rearranged",
            Entry::CopyFoundLate { .. } => "copy_found_late",
            Entry::TalkWaits { .. } => "talk_waits",
            Entry::HostActed { .. } => "host_acted",
            Entry::HostWarned { .. } => "host_warned",
            Entry::Reminded { .. } => "reminded",
            Entry::Closed { .. } => "closed",
            Entry::MissesForgiven { .. } => "misses_forgiven",
            Entry::WindowClosed { .. } => "window_closed",
            Entry::Previewed { .. } => "previewed",
            Entry::Nagged { .. } => "nagged",
            Entry::StoryTold { .. } => "story_told",
            Entry::TakenBack { .. } => "taken_back",
            Entry::Ruled { .. } => "ruled",
            Entry::JudgedAgain { .. } => "judged_again",
            Entry::Published { .. } => "published",
            Entry::Cancelled => "cancelled",
            Entry::Erased => "erased",
            Entry::Commanded { .. } => "commanded",
            Entry::HostHeard(_) => "host_heard",
            Entry::HostAsked { .. } => "host_asked",
            Entry::Alerted { .. } => "alerted",
            Entry::Morning(_) => "morning",
            Entry::Asked(_) => "asked",
            Entry::Confirmed { .. } => "confirmed",
            Entry::AddressChanged { .. } => "address_changed",
            Entry::Replaced { .. } => "replaced",
            Entry::SeatOffered { .. } => "seat_offered",
            Entry::OffersOver { .. } => "offers_over",
            Entry::Posted { .. } => "posted",
            Entry::Watched { .. } => "watched",
            Entry::FeedSet { .. } => "feed_set",
            Entry::FeedJudged { .. } => "feed_judged",
            Entry::Finished { .. } => "finished",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Host,
    Rule,
    /// `early_close`: every lynch vote was in.
    AllVoted,
    /// One of them was withdrawn in time after all: the deadline is again where it was.
    VoteWithdrawn,
}

/// Who is told, one after the other, that a closed turn waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nag {
    Host,
    AllHosts,
    Everybody,
}

/// Why a closed turn waits before it is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// `publish = "approve"`.
    Approval,
    /// More than a third of the living would miss the vote at once.
    ManyMisses,
    /// It was taken back and is not judged again yet.
    TakenBack,
    /// `pistol_mode = "window"`: every turn waits, whether or not a commissioner died.
    Window,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    pub tag: String,
    pub title: String,
    pub language: Lang,
    /// IANA name.
    pub zone: String,
    pub host_name: String,
    pub rulebook: Rulebook,
    pub settings: Settings,
    /// SHA-256 of the lots' seed, hex.
    pub commitment: String,
    /// The roster's own roles, in its order, if it brought them.
    pub roles_given: Option<Vec<Role>>,
    /// Players sign up by letter: there is no roster. The commitment is published when sign-up opens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signup: bool,
}

/// What config.toml's `[game]` said when the game was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    pub deadline: DeadlineRule,
    pub min_turn: SignedDuration,
    pub settle: SignedDuration,
    pub reminders: Vec<SignedDuration>,
    pub publish: Publish,
    /// Private letters of one player in a day (A83).
    pub relay_per_day: u32,
    /// How long every closed turn waits with `pistol_mode = "window"` (A50).
    pub pistol_window: SignedDuration,
    /// The host accepts each application.
    #[serde(default)]
    pub approve_applicants: bool,
    /// Each player answers a first letter before the deal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handshake: bool,
    /// The turn ends as soon as every lynch vote is in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub early_close: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Publish {
    Auto,
    /// The host approves; with a time the turn publishes itself after it.
    Approve {
        after: Option<SignedDuration>,
    },
}
