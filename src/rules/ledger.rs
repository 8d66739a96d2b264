//! What was heard in the current turn, in order of arrival, and what of it stands. A letter that is read later but
//! arrived earlier is put in its place and the turn is judged again: order of arrival decides, not order of reading.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::admit::Refusal;
use super::game::{Life, Note};
use super::report::VoidLine;
use super::resume::Resume;
use super::{Kind, Order, PlayerId, TextRef};

/// Whom a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Player(PlayerId),
    /// A nick that fits nobody (A15).
    Unknown,
    /// The line needs none (`Клану`).
    Nobody,
}

/// One request line of a player, its nick already looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    Do {
        kind: Kind,
        target: Target,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextRef>,
    },
    /// `None`: all of this turn's, but never the pistol order (A14).
    Cancel { kind: Option<Kind> },
}

/// What the host does in mid-turn; it works at once (section 3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAct {
    Expel {
        who: PlayerId,
        left: bool,
    },
    /// From this turn on, for so many turns (R87, R88, A35).
    Deprive {
        who: PlayerId,
        turns: u16,
    },
    ForgiveMiss {
        who: PlayerId,
    },
    ForgiveSilence {
        who: PlayerId,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Letter { letter: u64, from: PlayerId, asks: Vec<Ask> },
    Host(HostAct),
}

/// What became of one line at receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Accepted {
        /// The target of the line of this kind (or of the other kind that shares its slot) that it replaces.
        replaces: Option<(Kind, PlayerId)>,
        caveat: Option<Caveat>,
    },
    /// The same as what stands already (A13).
    Duplicate,
    Withdrawn {
        what: Vec<(Kind, PlayerId)>,
    },
    NothingToWithdraw,
    Refused(Refusal),
}

/// Accepted, but the receipt warns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// A hunt stands: check or heal will not act unless it is withdrawn (A18).
    HuntBlocksThis,
    /// The hunt was accepted and silences the check or heal that stands (A18).
    HuntSilencesSpecial,
    /// The hunt silences the pistol order in this turn (A20).
    HuntSilencesPistol,
    /// Without a lynch vote this will be void (R107).
    NeedsVote,
}

/// Why an accepted line had no effect at the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidWhy {
    Replaced,
    Duplicate,
    Withdrawn,
    Slot,
    StatusWithoutVote,
    HuntWithoutVote,
    NotFirst,
    SenderExpelled,
    Deprived,
    DeadBeforeNight,
}

/// One accepted line and its place: act (in order of arrival) and line within the letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filed {
    pub order: Order,
    pub letter: u64,
    pub line: u16,
    pub from: PlayerId,
    pub kind: Kind,
    pub target: PlayerId,
    pub text: Option<TextRef>,
}

/// The turn so far: what arrived, and what follows from it by the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Sorted by order of arrival.
    pub acts: Vec<(Order, Act)>,
    #[serde(skip)]
    pub(super) resume: Resume,
    /// What the acts of this turn can change, as it was before the first of them.
    pub(super) start: Option<Vec<Footing>>,
    /// What stands, by player and kind; the pistol orders of earlier turns are with the players.
    pub(super) standing: BTreeMap<PlayerId, BTreeMap<Kind, Filed>>,
    /// Since when each standing hunt has its place in the queue (R59, A21).
    pub(super) hunt_places: BTreeMap<PlayerId, Place>,
    /// What lost its force before the deadline.
    pub(super) void: Vec<VoidLine>,
    /// When each of them did: the place of the act that took it.
    pub(super) void_since: Vec<Order>,
    /// By the host in this turn; true: he left by himself (A87).
    pub(super) expelled: BTreeMap<PlayerId, bool>,
    /// Notes that came after the deadline: they belong to the next turn (A12).
    pub(super) early_notes: BTreeMap<PlayerId, Note>,
}

/// Place in the queue: act, then line in the letter.
pub(super) type Place = (Order, u16);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Footing {
    pub life: Life,
    pub missed: u32,
    pub warned: u32,
    pub pistol: Option<PlayerId>,
    pub note: Option<Note>,
    pub deprived_until: u16,
}

impl Ledger {
    /// What stands of this player and kind, of this turn's lines.
    pub fn stands(&self, player: PlayerId, kind: Kind) -> Option<&Filed> {
        self.standing.get(&player)?.get(&kind)
    }

    /// The kinds in which something stands.
    pub fn kinds(&self, player: PlayerId) -> impl Iterator<Item = Kind> + '_ {
        self.standing.get(&player).into_iter().flat_map(|lines| lines.keys().copied())
    }

    /// Everything that stands, by player and kind.
    pub fn all_standing(&self) -> impl Iterator<Item = &Filed> {
        self.standing.values().flat_map(BTreeMap::values)
    }

    /// What lost its force before the deadline, in the order in which it did.
    pub fn void(&self) -> &[VoidLine] {
        &self.void
    }

    /// Expelled in this turn by the host, and whether he left by himself.
    pub fn expelled(&self) -> impl Iterator<Item = (PlayerId, bool)> + '_ {
        self.expelled.iter().map(|(who, left)| (*who, *left))
    }

    /// The queue of the hunters whose hunts stand, first come first (R59).
    pub fn hunters(&self) -> Vec<PlayerId> {
        let mut queue: Vec<(&Place, PlayerId)> = self
            .hunt_places
            .iter()
            .filter(|(who, _)| self.stands(**who, Kind::Hunt).is_some())
            .map(|(who, place)| (place, *who))
            .collect();
        queue.sort();
        queue.into_iter().map(|(_, who)| who).collect()
    }

    pub(super) fn has_early_note(&self, player: PlayerId) -> bool {
        self.early_notes.contains_key(&player)
    }

    pub(super) fn take_early_notes(&mut self) -> BTreeMap<PlayerId, Note> {
        std::mem::take(&mut self.early_notes)
    }

    /// Was he in play when the turn began? None if the turn has heard nothing yet.
    pub(super) fn life_at_start(&self, player: PlayerId) -> Option<Life> {
        self.start.as_ref()?.get(usize::from(player.0)).map(|footing| footing.life)
    }

    /// Void lines from this number on came last and belong to this place among the others.
    pub(super) fn put_in_place(&mut self, from: usize, order: &Order) {
        let new = self.void.len().saturating_sub(from);
        let place = self.void_since.iter().take(from).rev().take_while(|since| *since > order).count();
        let place = from.saturating_sub(place);
        if let (Some(void), Some(since)) = (self.void.get_mut(place..), self.void_since.get_mut(place..)) {
            void.rotate_right(new.min(void.len()));
            since.rotate_right(new.min(since.len()));
        }
    }

    pub(super) fn strike(&mut self, player: PlayerId, kind: Kind, why: VoidWhy) -> Option<Filed> {
        let line = self.standing.get_mut(&player)?.remove(&kind)?;
        self.void.push(VoidLine { line: line.clone(), why });
        Some(line)
    }

    pub(super) fn strike_all(&mut self, player: PlayerId, why: VoidWhy) {
        let lines = self.standing.remove(&player).unwrap_or_default();
        self.void.extend(lines.into_values().map(|line| VoidLine { line, why }));
    }
}

impl VoidWhy {
    /// The word for it in cases.
    pub fn name(self) -> &'static str {
        match self {
            VoidWhy::Replaced => "replaced",
            VoidWhy::Duplicate => "duplicate",
            VoidWhy::Withdrawn => "withdrawn",
            VoidWhy::Slot => "slot",
            VoidWhy::StatusWithoutVote => "status_without_vote",
            VoidWhy::HuntWithoutVote => "hunt_without_vote",
            VoidWhy::NotFirst => "not_first",
            VoidWhy::SenderExpelled => "sender_expelled",
            VoidWhy::Deprived => "deprived",
            VoidWhy::DeadBeforeNight => "dead_before_night",
        }
    }
}
