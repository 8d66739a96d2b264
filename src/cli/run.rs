//! `omerta run`: the daemon, until a signal ends it.

use std::io::IsTerminal;

use super::load::Place;
use super::{exit, fail};
use crate::daemon::{self, Daemon, TICK};

pub fn run(place: &Place) -> u8 {
    start_log();
    let (config, templates) = match place.read() {
        Ok(read) => read,
        Err(code) => return code,
    };
    let daemon = match Daemon::open(config, templates, place.clock(), TICK) {
        Ok(daemon) => daemon,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    match runtime.block_on(daemon::run_until_signal(daemon)) {
        Ok(()) => exit::OK,
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}

/// The log goes to stderr; `OMERTA_LOG` sets its level.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("OMERTA_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    // A second start of the log, as in tests, is no harm.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .try_init();
}
