//! `omerta run`: the daemon, until a signal ends it.

use std::io::IsTerminal;
use std::sync::Arc;

use super::load::{Place, manager, variable};
use super::{exit, fail};
use crate::config::Config;
use crate::daemon::{Daemon, Signals, TICK};
use crate::letters::render::{Templates, strays};

pub fn run(place: &Place) -> u8 {
    start_log();
    let (config, templates) = match read(place) {
        Ok(read) => read,
        Err(faults) => {
            faults.iter().for_each(|fault| {
                fail(exit::CONFIG, fault);
            });
            return exit::CONFIG;
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let run = || {
        let _on_the_runtime = runtime.enter();
        let signals = Signals::listen()?;
        let daemon = Daemon::open(config, templates, place.clock(), TICK)?.told_to(&manager());
        runtime.block_on(daemon.run(signals, &|| read(place)))
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

/// Config and templates, and the files that the config names; other commands do without those.
fn read(place: &Place) -> Result<(Arc<Config>, Arc<Templates>), Vec<String>> {
    let (config, templates) = place.read_quietly()?;
    let faults = config.faults_of_files(variable).into_iter().chain(config.closed_files());
    let faults: Vec<String> = faults.map(|fault| fault.to_string()).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    for stray in config.templates.iter().flat_map(|folder| strays(folder)) {
        tracing::warn!("[templates] {stray}; move it there, or take it away");
    }
    Ok((config, templates))
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
