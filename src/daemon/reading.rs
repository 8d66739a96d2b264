//! How far the mail was read, on clocks that may be wrong.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::store::GameId;

/// When the last complete reading of the inbox began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    began: Option<Timestamp>,
    /// The mail server's clock less ours, in seconds; unknown is zero.
    pub skew: i64,
}

impl Reading {
    pub fn through(&mut self, began: Timestamp) {
        self.began = self.began.max(Some(began));
    }

    /// A clock that was set back: what was read at a moment that is yet to come says nothing about that moment.
    pub fn forget_what_is_to_come(&mut self, now: Timestamp) {
        self.began = self.began.filter(|began| *began <= now);
    }

    pub fn began(&self) -> Option<Timestamp> {
        self.began
    }

    /// The same moment as the slower of the two clocks shows it.
    pub fn by_both_clocks(&self) -> Option<Timestamp> {
        let read = self.began?;
        Some(read.saturating_add(SignedDuration::from_secs(self.skew.min(0))).unwrap_or(read))
    }
}

/// The thorough looks that games get before their turns are closed. Each lists all that the inbox ever held, so a game
/// that is due and waits for something else does not get one in every round.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// Those that were due at the last look and have been ever since.
    games: BTreeSet<GameId>,
    last: Option<Instant>,
}

impl Looked {
    const AGAIN: Duration = Duration::from_secs(10);

    /// Whether one of them has become due since the last thorough look, or that look is long ago.
    pub(super) fn is_owed(&mut self, due: &[GameId]) -> bool {
        self.games.retain(|game| due.contains(game));
        let is_old = self.last.is_none_or(|last| last.elapsed() >= Looked::AGAIN);
        due.iter().any(|game| is_old || !self.games.contains(game))
    }

    /// The inbox was looked through for all of them.
    pub(super) fn was_given(&mut self, due: Vec<GameId>) {
        self.games.extend(due);
        self.last = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_reading_before_the_clock_was_set_back_is_none() {
        let mut reading = Reading::default();
        reading.through(at(1_000));
        reading.forget_what_is_to_come(at(1_000));
        assert_eq!(reading.began(), Some(at(1_000)));
        reading.forget_what_is_to_come(at(400));
        assert_eq!(reading.began(), None);
        reading.through(at(401));
        assert_eq!(reading.by_both_clocks(), Some(at(401)));
    }

    #[test]
    fn the_slower_clock_counts() {
        let mut reading = Reading::default();
        reading.through(at(1_000));
        for (skew, shown) in [(-30, 970), (30, 1_000), (0, 1_000)] {
            reading.skew = skew;
            assert_eq!(reading.by_both_clocks(), Some(at(shown)));
        }
    }
}
