//! What the daemon does when a round fails.

use std::collections::BTreeSet;
use std::time::Duration;

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
}
