//! `omerta run`: the daemon, until a signal ends it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::{exit, fail, load};
use crate::clock::Clock;
use crate::daemon::{Daemon, TICK};
use crate::letters::render::Templates;

#[derive(Debug, Args)]
pub struct RunArguments {
    /// For tests: game time is read from this file (an RFC 3339 time) instead of the system's clock
    #[arg(long, hide = true, value_name = "FILE")]
    clock_file: Option<PathBuf>,
}

pub fn run(config: Option<&Path>, arguments: &RunArguments) -> u8 {
    start_log();
    let config = match load::config(config) {
        Ok(config) => Arc::new(config),
        Err(code) => return code,
    };
    let templates = match Templates::load(config.templates.as_deref()) {
        Ok(templates) => Arc::new(templates),
        Err(faults) => {
            for fault in faults {
                fail(exit::CONFIG, &fault);
            }
            return exit::CONFIG;
        }
    };
    let clock = match &arguments.clock_file {
        Some(file) => Clock::File(file.clone()),
        None => Clock::System,
    };
    let daemon = match Daemon::open(config, templates, clock, TICK) {
        Ok(daemon) => daemon,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    match runtime.block_on(crate::daemon::run_until_signal(daemon)) {
        Ok(()) => exit::OK,
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}

/// The log goes to stderr; `OMERTA_LOG` sets its level.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("OMERTA_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    // A second start of the log, as in tests, is no harm.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).try_init();
}
