//! What the daemon does when a round fails.

use std::time::Duration;

use super::DaemonError;

/// Rounds that fail: the operator is told once, and the next round waits the longer the more have failed.
#[derive(Default)]
pub struct Trouble {
    rounds: u32,
    said: Option<String>,
}

impl Trouble {
    const LONGEST: Duration = Duration::from_secs(30);

    pub fn again(&mut self, error: &DaemonError) -> Duration {
        let said = error.to_string();
        if self.said.as_ref() != Some(&said) {
            tracing::error!(%error, "the daemon can't go on for now; it tries again by itself");
            self.said = Some(said);
        }
        self.rounds = self.rounds.saturating_add(1);
        Duration::from_millis(500).saturating_mul(1 << self.rounds.min(6)).min(Trouble::LONGEST)
    }

    pub fn over(&mut self) {
        if self.said.take().is_some() {
            tracing::info!("the daemon goes on");
        }
        self.rounds = 0;
    }
}
