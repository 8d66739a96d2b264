//! When a feed is asked for: every ten minutes, more seldom while it can't be read, and once after each deadline; never
//! twice within half a minute, whatever happens.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

const USUAL: SignedDuration = SignedDuration::from_mins(10);
/// Between any two requests.
const SHORTEST: SignedDuration = SignedDuration::from_secs(30);
/// The first rest after a failure; each one doubles it.
const FIRST_REST: SignedDuration = SignedDuration::from_mins(1);
const LONGEST_REST: SignedDuration = SignedDuration::from_hours(1);
/// The longest that a busy forum may ask for.
const LONGEST_PATIENCE: SignedDuration = SignedDuration::from_hours(24);

/// Between requests for two feeds of one forum.
const BETWEEN: SignedDuration = SignedDuration::from_secs(5);

/// One forum, which may have many feeds.
#[derive(Clone, Debug, Default)]
pub struct Spared {
    asked: Option<Timestamp>,
    /// How long it wants to be left alone since `asked`.
    rest: SignedDuration,
}

impl Spared {
    pub fn may_be_asked(&self, now: Timestamp) -> bool {
        let since = self.asked.map(|asked| now.duration_since(asked));
        // Below zero the clock was set back.
        since.is_none_or(|since| since < SignedDuration::ZERO || since >= self.rest)
    }

    pub fn asking(&mut self, now: Timestamp) {
        (self.asked, self.rest) = (Some(now), BETWEEN);
    }

    /// It said for how long no feed of it should be asked for.
    pub fn busy(&mut self, now: Timestamp, after: Duration) {
        (self.asked, self.rest) = (Some(now), patience(after).max(BETWEEN));
    }

    /// Nothing is left of it worth remembering when none of its feeds is wanted any more.
    pub fn is_over(&self) -> bool {
        self.rest <= BETWEEN
    }
}

/// The pace of one feed. All times are the game's clock.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    asked: Option<Timestamp>,
    rest: SignedDuration,
    failures: u32,
    /// The forum wants to be left alone: not even a deadline counts.
    busy: bool,
}

impl Pace {
    /// Whether the feed is to be asked for. `deadline`: of the open turn, if it has passed; what is written before it
    /// counts, so that the feed is wanted once more after it.
    pub fn is_due(&self, now: Timestamp, deadline: Option<Timestamp>) -> bool {
        let Some(asked) = self.asked else { return true };
        let since = now.duration_since(asked);
        // A clock that was set back.
        if since < SignedDuration::ZERO {
            return true;
        }
        let passed = !self.busy && deadline.is_some_and(|deadline| asked < deadline && deadline <= now);
        since >= self.rest || (passed && since >= SHORTEST)
    }

    /// When it was asked for last.
    pub fn asked(&self) -> Option<Timestamp> {
        self.asked
    }

    /// Another game: it may be read soon.
    pub fn anew(&mut self) {
        if !self.busy {
            (self.failures, self.rest) = (0, SHORTEST);
        }
    }

    pub fn asking(&mut self, now: Timestamp) {
        self.asked = Some(now);
        self.rest = USUAL;
    }

    pub fn read(&mut self) {
        (self.failures, self.busy, self.rest) = (0, false, USUAL);
    }

    /// `after`: how long the forum wants to be left alone.
    pub fn failed(&mut self, after: Option<Duration>) {
        let doubled = FIRST_REST.saturating_mul(1 << self.failures.min(10)).min(LONGEST_REST);
        let patience = after.map_or(SignedDuration::ZERO, patience);
        self.failures = self.failures.saturating_add(1);
        self.busy = after.is_some();
        self.rest = doubled.max(patience).max(SHORTEST);
    }
}

fn patience(after: Duration) -> SignedDuration {
    SignedDuration::try_from(after).unwrap_or(LONGEST_PATIENCE).min(LONGEST_PATIENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// The seconds at which a feed is asked for within some hours, looked at each second.
    fn asked(hours: i64, deadline: i64, answer: impl Fn(i64) -> Option<Option<u64>>) -> Vec<i64> {
        let (mut pace, mut asked) = (Pace::default(), Vec::new());
        for second in 0..hours * 3600 {
            let passed = (deadline <= second).then(|| at(deadline));
            if pace.is_due(at(second), passed) {
                asked.push(second);
                pace.asking(at(second));
                match answer(second) {
                    None => pace.read(),
                    Some(after) => pace.failed(after.map(Duration::from_secs)),
                }
            }
        }
        asked
    }

    #[test]
    fn every_ten_minutes_and_once_after_the_deadline() {
        assert_eq!(asked(1, 99_999, |_| None), [0, 600, 1200, 1800, 2400, 3000]);
        assert_eq!(asked(1, 1300, |_| None), [0, 600, 1200, 1300, 1900, 2500, 3100]);
        assert_eq!(asked(1, 1205, |_| None), [0, 600, 1200, 1230, 1830, 2430, 3030], "not twice in half a minute");
    }

    #[test]
    fn the_longer_it_fails_the_seldomer_it_is_asked_for() {
        let asked = asked(24, 50_000, |_| Some(None));
        assert_eq!(asked[..7], [0, 60, 180, 420, 900, 1860, 3780]);
        assert!(asked.contains(&50_000), "a deadline is worth a try");
        assert!(asked.len() < 34, "{}", asked.len());
    }

    #[test]
    fn who_is_busy_is_left_alone() {
        assert_eq!(asked(6, 99_999, |_| Some(Some(7200))), [0, 7200, 14_400]);
        assert_eq!(asked(3, 100, |_| Some(Some(7200))), [0, 7200], "whatever deadline passes");
        assert_eq!(asked(25, 99_999, |_| Some(Some(u64::MAX))), [0, 86_400]);
    }

    #[test]
    fn a_clock_that_was_set_back_stops_nothing() {
        let mut pace = Pace::default();
        pace.asking(at(10_000));
        pace.read();
        assert!(pace.is_due(at(100), None));
    }
}
