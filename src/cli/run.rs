//! `omerta run`: the daemon, until a signal ends it.

use std::io::IsTerminal;

use super::load::{Place, manager};
use super::{exit, fail};
use crate::daemon::{Daemon, Signals, TICK};

pub fn run(place: &Place) -> u8 {
    start_log();
    let (config, templates) = match place.read() {
        Ok(read) => read,
        Err(code) => return code,
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let run = || {
        let _on_the_runtime = runtime.enter();
        let signals = Signals::listen()?;
        let daemon = Daemon::open(config, templates, place.clock(), TICK)?.told_to(&manager());
        runtime.block_on(daemon.run(signals, &|| place.read_quietly()))
    };
    let ended = run();
    // A task that talks to a server in its last moment is not waited for.
    runtime.shutdown_background();
    match ended {
        Ok(()) => exit::OK,
        Err(error) if error.may_pass() => fail(exit::TRY_AGAIN, &error),
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
