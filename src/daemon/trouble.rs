//! What the daemon does when a round fails.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::DaemonError;

/// Rounds that fail: the operator is told once of each fault, and the next round waits the longer the more have failed.
#[derive(Default)]
pub struct Trouble {
    rounds: u32,
    said: BTreeSet<String>,
}

impl Trouble {
    const SHORTEST: Duration = Duration::from_millis(500);
    const LONGEST: Duration = Duration::from_secs(30);

    /// How long to wait before the next round.
    pub fn again(&mut self, error: &DaemonError) -> Duration {
        // The same fault is met now at this statement, now at that; a trouble has few faults.
        if self.said.insert(error.to_string()) {
            tracing::error!(%error, "the daemon can't go on for now; it tries again by itself");
        }
        self.rounds = self.rounds.saturating_add(1);
        let rest = Trouble::SHORTEST.saturating_mul(1 << self.rounds.min(6)).min(Trouble::LONGEST);
        tracing::debug!(?rest, "a round failed");
        rest
    }

    pub fn is_on(&self) -> bool {
        self.rounds > 0
    }

    pub fn over(&mut self) {
        if self.is_on() {
            tracing::info!("the daemon goes on");
        }
        *self = Trouble::default();
    }
}

/// Tasks that die and are started again: at once, then ever more seldom, until one has lived for a while. The operator
/// is told once.
#[derive(Default)]
pub struct Revival {
    deaths: u32,
    last: Option<Instant>,
}

impl Revival {
    const LONGEST: Duration = Duration::from_secs(300);
    /// A task that has lived so long is well again.
    const WELL: Duration = Duration::from_secs(600);

    /// A task is dead: whether it is to be started again now. If so, this start is counted.
    pub fn is_time(&mut self) -> bool {
        self.is_time_after(self.last.map(|last| last.elapsed()))
    }

    fn is_time_after(&mut self, since: Option<Duration>) -> bool {
        if since.is_some_and(|since| since >= Revival::WELL) {
            self.deaths = 0;
        }
        let rest = match self.deaths {
            0 => Duration::ZERO,
            deaths => Duration::from_secs(1_u64 << deaths.min(9)).min(Revival::LONGEST),
        };
        if since.is_some_and(|since| since < rest) {
            return false;
        }
        if self.deaths == 0 {
            tracing::error!(
                "a task that speaks with a mail server ended unexpectedly; it is started again, the more seldom the more often it ends. No letter is lost; please report what stands above"
            );
        }
        self.deaths = self.deaths.saturating_add(1);
        self.last = Some(Instant::now());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_it_lasts_the_longer_it_rests() {
        let mut trouble = Trouble::default();
        let rests: Vec<u128> = (0..8).map(|_| trouble.again(&DaemonError::Unable("because")).as_millis()).collect();
        assert_eq!(rests, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
        trouble.over();
        assert_eq!(trouble.again(&DaemonError::Unable("because")).as_millis(), 1_000);
    }

    #[test]
    fn a_task_that_dies_again_and_again_is_started_ever_more_seldom() {
        let mut revival = Revival::default();
        let second = Duration::from_secs(1);
        assert!(revival.is_time_after(None));
        for rest in [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map(Duration::from_secs) {
            assert!(!revival.is_time_after(Some(rest - second)), "{rest:?}");
            assert!(revival.is_time_after(Some(rest)), "{rest:?}");
        }
        assert!(revival.is_time_after(Some(Revival::WELL)));
        assert!(revival.is_time_after(Some(2 * second)), "it had lived well in between");
    }
}
