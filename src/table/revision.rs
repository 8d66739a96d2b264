//! A turn that is taken back: what was told of it, what is kept of the turn that had opened after it, and the letters
//! that were found too late for its first judgement.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::hearing::is_talk;
use super::{Phase, Table};
use crate::journal::{Heard, Held, Item};
use crate::rules::game::Game;
use crate::rules::ledger::{Act, Ask};
use crate::rules::{Order, PlayerId, TextRef};

/// A letter that a closed turn was judged without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub letter: u64,
    pub from: PlayerId,
    pub order: Order,
    /// The deadline that it missed, or seemed to miss.
    pub deadline: Timestamp,
    pub asks: Vec<Ask>,
}

/// A turn as it was told when it was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The rules' state before its publication; its pending report is the one that was told.
    pub before: Game,
    pub story: Option<TextRef>,
    /// The next deadline.
    pub next: Option<Timestamp>,
    /// What the host had ruled by then.
    #[serde(default)]
    pub rulings: BTreeMap<PlayerId, bool>,
}

/// A published turn that is judged again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    pub told: Told,
    /// Readers (by their names in the outbox) and kinds of the letters that had not left and never will.
    pub cancelled: Vec<(String, String)>,
    /// What was heard in the turn after it.
    pub acts: Vec<(Order, Act)>,
    /// The story that waits for the turn after it.
    pub story: Option<TextRef>,
    pub deadline: Option<Timestamp>,
    pub opened: Option<Timestamp>,
    pub reminded: BTreeSet<SignedDuration>,
    /// Who came to a seat meanwhile: what was told of the turn, they were not told.
    #[serde(default)]
    pub newcomers: BTreeSet<PlayerId>,
}

/// What may be taken back, and what is needed for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Undo {
    /// The turn published last, until the next one is closed.
    pub told: Option<Box<Told>>,
    /// The published turn that was taken back.
    pub revision: Option<Box<Revision>>,
    /// The one that was published again: whose letters changed is told by it.
    pub corrected: Option<Box<Revision>>,
    /// Letters that arrived before the deadline and were found after the close.
    pub found_late: Vec<Missing>,
    /// Late letters: a copy of one may yet be found that was in time.
    pub late: Vec<Missing>,
    /// When the closed turn was judged again.
    pub again_at: Option<Timestamp>,
}

impl Undo {
    /// Another turn is closed: nothing of the one before can be taken back.
    pub(super) fn close(&mut self, deadline: Timestamp) {
        let of_this = |missing: &Missing| missing.deadline == deadline;
        self.found_late.retain(of_this);
        self.late.retain(of_this);
        self.told = None;
        self.corrected = None;
        self.again_at = None;
    }

    pub(super) fn keep(&mut self, heard: &Heard, deadline: Timestamp, in_time: bool) {
        let asks: Vec<Ask> = heard
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Ask { ask, .. } if !is_talk(ask) => Some(ask.clone()),
                _ => None,
            })
            .collect();
        if asks.is_empty() {
            return;
        }
        let (letter, from, order) = (heard.letter, heard.from, heard.order.clone());
        let missing = Missing { letter, from, order, deadline, asks };
        if in_time { self.found_late.push(missing) } else { self.late.push(missing) }
    }

    /// A copy of a late letter had arrived in time.
    pub(super) fn copy_found(&mut self, letter: u64, order: &Order, deadline: Timestamp) {
        let Some(place) = self.late.iter().position(|late| late.letter == letter && late.deadline == deadline) else {
            return;
        };
        let late = self.late.remove(place);
        self.found_late.push(Missing { order: order.clone(), ..late });
    }
}

impl Table {
    /// Whether the closed turn was taken back and has not been judged again.
    pub fn is_taken_back(&self) -> bool {
        self.held == Some(Held::TakenBack)
    }

    /// The resolution is forgotten, not the letters: those that were found late take their places among them.
    pub(super) fn take_back(&mut self, cancelled: &[(String, String)]) {
        match self.undo.told.take() {
            Some(told) if self.phase == Phase::Open => {
                let game = Game { pending: None, ..told.before.clone() };
                let next = std::mem::replace(&mut self.game, game);
                let last_story = self.last_story.take();
                let story = std::mem::replace(&mut self.story, last_story);
                self.undo.revision = Some(Box::new(Revision {
                    told: *told,
                    cancelled: cancelled.to_vec(),
                    acts: next.ledger.acts,
                    story,
                    deadline: self.deadline,
                    opened: self.opened,
                    reminded: std::mem::take(&mut self.reminded),
                    newcomers: BTreeSet::new(),
                }));
                self.told.pop();
                self.last = None;
                self.deadline = self.closed_at;
                self.phase = Phase::Review;
            }
            told => {
                self.undo.told = told;
                self.game.pending = None;
            }
        }
        // What the host ruled goes with the resolution, published or not.
        self.circumstances.rulings.clear();
        self.grounds.clear();
        self.undo.corrected = None;
        self.held = Some(Held::TakenBack);
        for missing in std::mem::take(&mut self.undo.found_late) {
            let Missing { letter, from, order, asks, .. } = missing;
            self.game.hear(order, Act::Letter { letter, from, asks });
        }
    }

    /// The next turn goes on from where it was: what was heard in it is judged again by the corrected state.
    pub(super) fn resume_after_correction(&mut self, mut revision: Box<Revision>) {
        self.opened = revision.opened;
        self.story = revision.story.take();
        if self.deadline == revision.deadline {
            self.reminded = std::mem::take(&mut revision.reminded);
        }
        for (order, act) in std::mem::take(&mut revision.acts) {
            self.game.hear(order, act);
        }
        self.undo.corrected = Some(revision);
    }
}
