//! Why a turn came out as it did: the chain of reasons, for the host alone. [`story`] takes a turn out of the journal;
//! here its reasons become typed steps, each with the numbers of its clauses; [`words`] says them. Nothing is decided
//! again: a step is a fact of the journal or of the turn's report.

mod asked;
mod clauses;
mod english;
mod lynch;
mod player;
mod russian;
pub mod story;
pub mod words;

use crate::letters::facts::Fact;
use crate::request::{ProblemKind, Word};
use crate::rules::admit::Refusal;
use crate::rules::grounds::{Blow, Ending, Heirless, Idle, KeptWhy, LostCheck, SilentPistol};
use crate::rules::ledger::{HostAct, VoidWhy};
use crate::rules::report::{Death, Expulsion, Learned, LynchOutcome, Shot};
use crate::rules::{Kind, PlayerId};

pub use clauses::clauses;
pub use story::{NoStory, Story};

/// One outcome and the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    pub about: About,
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Lynch,
    /// What befell him.
    Player(PlayerId),
    /// Requests that were refused, void, or met nobody.
    InVain,
    Ending,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A request line, and what became of it.
    Asked(Asked),
    Withdrew {
        from: PlayerId,
        second: i64,
        what: Vec<(Kind, PlayerId)>,
    },
    /// A line that was no request: no nick, no dash, a word that is not taken now.
    Unread {
        from: PlayerId,
        second: i64,
        word: Option<Word>,
        problem: Option<ProblemKind>,
    },
    HostActed {
        act: HostAct,
        second: i64,
    },
    HostWarned(PlayerId),
    /// The host's word before publication (R112).
    Ruled {
        who: PlayerId,
        alive: bool,
    },
    FirstTurn,
    Votes {
        candidate: PlayerId,
        voters: Vec<PlayerId>,
    },
    NoVote(Vec<PlayerId>),
    NoRightToVote(Vec<PlayerId>),
    Quorum {
        most: u32,
        least: u32,
        base: u32,
    },
    Tie {
        among: Vec<PlayerId>,
        chosen: Option<PlayerId>,
    },
    Court {
        outcome: LynchOutcome,
        chosen: Option<PlayerId>,
    },
    /// Members of the clan without a request in force (R46).
    ClanAsleep(Vec<PlayerId>),
    Blow {
        blow: Blow,
        /// Of a hunt that turned against the hunter.
        prey: Option<PlayerId>,
        /// By the host's word before publication he lives all the same.
        undone: bool,
    },
    /// Where the doctors were while somebody died.
    DoctorsElsewhere(Vec<(PlayerId, PlayerId)>),
    Idle(Idle),
    HealedForNothing {
        doctor: PlayerId,
        patient: PlayerId,
    },
    Shot {
        shot: Shot,
        order: ShotOrder,
    },
    SilentPistol(SilentPistol),
    Learned(Learned),
    LostCheck(LostCheck),
    Died(Death),
    Missed {
        who: PlayerId,
        so_far: u32,
        limit: u32,
    },
    NoMiss {
        who: PlayerId,
        why: NoMiss,
    },
    Silent {
        who: PlayerId,
        warned_before: bool,
        by_hand: bool,
    },
    Expelled(Expulsion),
    Promoted(PlayerId),
    Converted(PlayerId),
    Heirless(Heirless),
    /// The fact, never the text.
    NoteHanded {
        from: PlayerId,
        to: PlayerId,
    },
    NoteKept {
        from: PlayerId,
        to: PlayerId,
        why: KeptWhy,
    },
    /// Nothing happened to him.
    Unharmed(PlayerId),
    Public(Fact),
    Hidden(Fact),
    Private {
        reader: PlayerId,
        fact: Fact,
    },
    Ending(Ending),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub from: PlayerId,
    pub kind: Kind,
    /// None for a nick that fits nobody.
    pub target: Option<PlayerId>,
    /// When the receiving server took the letter, Unix time.
    pub second: i64,
    pub end: AskedEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedEnd {
    Stands,
    /// It would have fallen without the lynch vote, and the vote is there (R107).
    StandsByVote,
    /// The note lies with the host.
    Filed,
    Refused(Refusal),
    Void(VoidWhy),
    /// Accepted at receipt; a letter that had arrived earlier and was read later has changed that.
    Overtaken,
    /// On time, but found after the close: it changes nothing by itself.
    FoundLate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShotOrder {
    ThisTurn,
    Earlier,
    Window,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMiss {
    /// A66.
    Out,
    /// A70, R112.
    Pardoned,
    /// A35.
    Deprived,
}

/// The reasons of the whole turn, or of one player's fate.
pub fn explain(story: &Story, about: Option<PlayerId>) -> Vec<Chapter> {
    let mut chapters = Vec::new();
    match about {
        Some(who) => chapters.push(player::whole(story, who)),
        None => {
            chapters.extend(lynch::chapter(story));
            let touched = story.table.game.everybody().filter(|who| player::is_touched(story, *who));
            chapters.extend(touched.map(|who| player::fate(story, who)));
            chapters.push(Chapter { about: About::InVain, steps: asked::in_vain(story) });
            let ending = story.report().map(|report| Step::Ending(report.grounds.ending));
            chapters.push(Chapter { about: About::Ending, steps: ending.into_iter().collect() });
        }
    }
    chapters.retain(|chapter| !chapter.steps.is_empty());
    chapters
}
