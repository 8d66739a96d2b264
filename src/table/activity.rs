//! Who writes in the topic and who does not (R102-R104, A69): by a moderator's word, by the host's, by the topic's feed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::Entry;
use crate::rules::PlayerId;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Who was silent, as far as it is known in the open turn.
    pub silent: BTreeSet<PlayerId>,
    /// Of whom a person said in the open turn that he wrote: no feed knows better.
    pub wrote: BTreeSet<PlayerId>,
    /// When the game began or went on after a pause: no silence is older.
    pub since: Option<Timestamp>,
    /// From when silence counts anew: since a deadline at which it was judged, or since somebody else took the seat.
    pub anew: BTreeMap<PlayerId, Timestamp>,
}

impl Activity {
    /// Folds one event in.
    pub fn apply(&mut self, at: Timestamp, entry: &Entry) {
        match entry {
            Entry::Started { .. } => self.since = Some(at),
            Entry::Resumed { .. } => self.since = Some(at),
            Entry::Replaced { player, .. } => {
                self.anew.insert(*player, at);
            }
            Entry::Watched { silent: true, players } => {
                self.silent.extend(players);
                self.wrote.retain(|who| !players.contains(who));
            }
            Entry::Watched { silent: false, players } => {
                self.wrote.extend(players);
                self.silent.retain(|who| !players.contains(who));
            }
            Entry::FeedJudged { players, .. } => self.silent.extend(players),
            Entry::Published { .. } => {
                self.silent.clear();
                self.wrote.clear();
            }
            _ => {}
        }
    }

    /// The results of a deadline are made known, and with them the silence of these players.
    pub fn judged(&mut self, silent: &BTreeSet<PlayerId>, deadline: Timestamp) {
        self.anew.extend(silent.iter().map(|who| (*who, deadline)));
    }

    /// Since when a player's silence counts; None before the game.
    pub fn counts_since(&self, player: PlayerId) -> Option<Timestamp> {
        let anew = self.anew.get(&player).copied();
        self.since.map(|since| anew.map_or(since, |anew| anew.max(since)))
    }
}
