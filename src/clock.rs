//! The only place that reads a clock. Everything else is given the time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// Where game time comes from. Network time-outs use tokio's own clock.
#[derive(Clone, Debug)]
pub enum Clock {
    System,
    /// Microseconds since 1970, moved by whoever holds the other end: tests and the demo.
    Injected(Arc<AtomicI64>),
    /// A file that holds an RFC 3339 time: tests that run the real binary.
    File(PathBuf),
}

impl Clock {
    /// Only then a leap of it means something.
    pub fn goes_by_itself(&self) -> bool {
        matches!(self, Clock::System)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the place")]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::System => Timestamp::now(),
            Clock::Injected(micros) => {
                Timestamp::from_microsecond(micros.load(Ordering::SeqCst)).unwrap_or(Timestamp::UNIX_EPOCH)
            }
            Clock::File(path) => std::fs::read_to_string(path)
                .ok()
                .and_then(|text| text.trim().parse().ok())
                .unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }
}
