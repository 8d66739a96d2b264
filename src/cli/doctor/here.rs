//! What is on this machine: secrets, disk, database.

use std::path::Path;

use rustix::fs::Access;

use super::Rows;
use crate::clock::Clock;
use crate::config::{Config, Fault, OutboxKind, open_to_others};
use crate::store::{Store, StoreError};

/// Below this much free room nothing can be promised.
const TOO_LITTLE: u64 = 50 << 20;
const LITTLE: u64 = 500 << 20;

pub(super) fn look(config: &Config, clock: &Clock, rows: &mut Rows) {
    secrets(config, rows);
    disk(config, rows);
    database(config, clock, rows);
}

fn secrets(config: &Config, rows: &mut Rows) {
    let open = config.open_secrets();
    if open.is_empty() {
        rows.ok("secrets", "only their owner can read them");
    }
    for Fault { what, cure, .. } in open {
        rows.warning("secrets", what, cure);
    }
}

fn disk(config: &Config, rows: &mut Rows) {
    let folder = config.database.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let room = match rustix::fs::statvfs(folder) {
        Ok(about) => about.f_bavail.saturating_mul(about.f_frsize),
        Err(error) => return rows.warning("disk", format!("{}: {error}", folder.display()), "Look at the folder."),
    };
    let what = format!("{} MiB free at {}", room >> 20, folder.display());
    if room < TOO_LITTLE {
        rows.fault("disk", what, "Make room: without it no letter can be taken in.");
    } else if room < LITTLE {
        rows.warning("disk", what, "Make room soon.");
    } else {
        rows.ok("disk", what);
    }
}

fn database(config: &Config, clock: &Clock, rows: &mut Rows) {
    let path = &config.database;
    if !path.exists() {
        // What is no folder, or on the way to it, was told of the config.
        let folder = path.ancestors().skip(1).find(|folder| folder.exists()).filter(|folder| folder.is_dir());
        let writable = |folder| rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK);
        let what = format!("{} is not there yet", path.display());
        return match folder.map(|folder| (folder, writable(folder))) {
            Some((folder, Err(error))) => {
                let cure = format!("Let the user who runs omerta write into {}.", folder.display());
                rows.fault("database", format!("{what}, and can't be made: {error}"), cure);
            }
            _ => rows.ok("database", format!("{what}; it is made at first use")),
        };
    }
    if let Some(mode) = open_to_others(path) {
        let what = format!("{} can be read by others (mode {mode:o})", path.display());
        rows.fault("database", what, format!("chmod 600 {}", path.display()));
    }
    match examined(config, clock, rows) {
        Ok(()) => {}
        Err(error) => rows.fault("database", error.to_string(), "See \"When something is wrong\" in docs/ops.md."),
    }
}

fn examined(config: &Config, clock: &Clock, rows: &mut Rows) -> Result<(), StoreError> {
    let store = Store::open_existing(&config.database)?;
    let wrong = store.check_whole()?;
    let size = std::fs::metadata(&config.database).map(|about| about.len()).unwrap_or_default();
    for said in &wrong {
        let cure = "Stop the daemon, keep the file and its -wal, restore the last backup (docs/ops.md).";
        rows.fault("database", said.clone(), cure);
    }
    if wrong.is_empty() {
        rows.ok("database", format!("{}: sound, {} KiB", config.database.display(), size >> 10));
    }
    let daemon = if store.daemon_runs()? { "running" } else { "not running: `omerta run` starts it" };
    rows.ok("daemon", daemon);
    let Some(daily) = config.outbox.daily.filter(|_| config.outbox.kind != OutboxKind::Maildir) else { return Ok(()) };
    let most = usize::try_from(daily).unwrap_or(usize::MAX);
    let sent = store.read(|view| view.sent_in_a_day(clock.now(), most))?;
    let what = format!("{sent} of {daily} letters sent in 24 hours");
    if sent >= u64::from(daily) {
        rows.fault(
            "daily",
            what,
            "Letters wait until older ones are a day old; raise outbox.daily only if the provider allows more.",
        );
    } else if sent.saturating_mul(10) >= u64::from(daily).saturating_mul(8) {
        rows.warning("daily", what, "Soon letters will have to wait.");
    } else {
        rows.ok("daily", what);
    }
    Ok(())
}
