//! Finds and reads the config; the only place that looks at the environment.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{exit, fail, out};
use crate::clock::Clock;
use crate::config::{Config, Fault, PlainFault, open_named, read_plain};
use crate::daemon::Manager;
use crate::desk::Desk;
use crate::letters::render::Templates;
use crate::store::{self, Store, StoreError};

/// The variable that names the config file.
pub const CONFIG_VARIABLE: &str = "OMERTA_CONFIG";

/// Twice the largest roster.
const LARGEST_FILE: u64 = 2 << 20;

/// Where a config is looked for when nobody names one.
const USUAL_PLACES: [&str; 2] = ["config.toml", "/etc/omerta/config.toml"];

/// The value of an environment variable.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A file that a command line names.
///
/// # Errors
/// When it can't be read, is no plain file, or is larger than any that is good for something: what follows its name, with
/// the cure.
pub fn file(path: &Path) -> Result<Vec<u8>, String> {
    read_plain(path, LARGEST_FILE).map_err(|fault| {
        let cure = match &fault {
            PlainFault::Unreadable(_) => "Look at its name, and at who may read it.",
            PlainFault::Kind(_) => "Save what it gives into a file, and name that one.",
            PlainFault::Large(_) => "Is it the right one?",
        };
        format!("{fault}. {cure}")
    })
}

/// What a file that a command line names gives, or what the shell hands in ([`open_named`]). At most `most` bytes.
///
/// # Errors
/// When it can't be read, is a folder or a pipe in one, or is larger: what follows its name, with the cure.
pub fn stream(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let named = open_named(path).map_err(|fault| format!("{fault}. {}", cure_of_named(&fault)))?;
    let mut bytes = Vec::new();
    let read = named.take(most.saturating_add(1)).read_to_end(&mut bytes);
    match read {
        Err(error) => Err(format!("cannot be read: {error}. Look at its name, and at who may read it.")),
        Ok(length) if u64::try_from(length).is_ok_and(|length| length > most) => {
            Err(format!("is larger than the {} MiB that it may have. Is it the right one?", most >> 20))
        }
        Ok(_) => Ok(bytes),
    }
}

fn cure_of_named(fault: &PlainFault) -> &'static str {
    match fault {
        PlainFault::Kind("a pipe") => "Save what it gives into a file, or hand it in: `... | omerta ... -`.",
        PlainFault::Kind(_) => "Name a file itself.",
        _ => "Look at its name, and at who may read it.",
    }
}

/// The config file: `named` (by `--config`), else `$OMERTA_CONFIG`, `./config.toml`, `/etc/omerta/config.toml`. Whoever
/// names a file means that file: the next place is tried only where nobody named one.
pub fn config_path(named: Option<&Path>) -> Option<PathBuf> {
    let usual = || USUAL_PLACES.iter().map(PathBuf::from).find(|path| path.exists());
    named.map(Path::to_path_buf).or_else(|| variable(CONFIG_VARIABLE).map(PathBuf::from)).or_else(usual)
}

/// Finds and reads the config.
///
/// # Errors
/// Every fault at once; one, when there is no file at all.
pub fn config(named: Option<&Path>) -> Result<Config, Vec<Fault>> {
    match config_path(named) {
        Some(path) => Config::load(&path),
        None => Err(vec![Fault {
            file: PathBuf::from("config.toml"),
            line: 0,
            key: String::new(),
            what: "is neither here nor in /etc/omerta".to_owned(),
            cure: format!("Copy the shipped config.toml here, or name it with --config or ${CONFIG_VARIABLE}."),
        }]),
    }
}

/// What the service manager that started us says of itself, if one did.
pub fn manager() -> Manager {
    let number = |name| variable(name)?.to_str()?.parse::<u64>().ok();
    // The watchdog of another process is none of ours.
    let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
    let watchdog = number("WATCHDOG_USEC").filter(|micros| ours && *micros > 0).map(Duration::from_micros);
    Manager { socket: variable("NOTIFY_SOCKET"), watchdog }
}

/// What the command line says of the place that a command works in.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// For tests: game time is read from this file.
    pub clock_file: Option<PathBuf>,
}

impl Place {
    pub fn clock(&self) -> Clock {
        match &self.clock_file {
            Some(file) => Clock::File(file.clone()),
            None => Clock::System,
        }
    }

    /// Config and templates, with every fault said on stderr.
    ///
    /// # Errors
    /// The exit code.
    pub fn read(&self) -> Result<(Arc<Config>, Arc<Templates>), u8> {
        self.read_quietly().map_err(|faults| {
            faults.iter().for_each(|fault| {
                fail(exit::CONFIG, fault);
            });
            exit::CONFIG
        })
    }

    /// Config and templates.
    ///
    /// # Errors
    /// Every fault of the config, or of the templates, in a line of its own.
    pub fn read_quietly(&self) -> Result<(Arc<Config>, Arc<Templates>), Vec<String>> {
        let config = config(self.config.as_deref()).map_err(|faults| lines_of(&faults))?;
        let templates = Templates::load(config.templates.as_deref()).map_err(|faults| lines_of(&faults))?;
        Ok((Arc::new(config), Arc::new(templates)))
    }
}

/// A desk over the configured database, for one command.
pub struct Opened {
    pub desk: Desk,
    pub clock: Clock,
}

impl Opened {
    /// Opens a database that is there.
    ///
    /// # Errors
    /// The exit code; what is wrong was said on stderr.
    pub fn existing(place: &Place) -> Result<Opened, u8> {
        Opened::with(place, Store::open_existing)
    }

    /// Opens the database; one that is not there is made.
    ///
    /// # Errors
    /// The exit code; what is wrong was said on stderr.
    pub fn desk(place: &Place) -> Result<Opened, u8> {
        Opened::with(place, Store::open)
    }

    /// Opens the database for a command that only a game, or nothing, can follow. Where there is none yet that is said
    /// on stderr, nothing is made, and the command sees an empty one.
    ///
    /// # Errors
    /// The exit code; what is wrong was said on stderr.
    pub fn looking(place: &Place) -> Result<Opened, u8> {
        Opened::with(place, |path| match Store::open_existing(path) {
            Err(error) if matches!(error.fault, store::Fault::Missing) => {
                let path = error.path.display();
                out::complain(&format!(
                    "omerta: there is no database yet at {path}; `omerta game new` or `omerta run` makes it. If there \
                     should be one, correct `database` in the config file."
                ));
                Store::nothing(&error.path)
            }
            opened => opened,
        })
    }

    fn with(place: &Place, open: fn(&Path) -> Result<Store, StoreError>) -> Result<Opened, u8> {
        let (config, templates) = place.read()?;
        let store = open(&config.database).map_err(|error| fail(exit::UNAVAILABLE, &error))?;
        let desk = Desk::new(store, config, templates).map_err(|error| fail(exit::UNAVAILABLE, &error))?;
        Ok(Opened { desk, clock: place.clock() })
    }
}

/// A moment in a zone, as a host reads it.
pub fn local(zone: &str, moment: jiff::Timestamp) -> String {
    match jiff::tz::TimeZone::get(zone) {
        Ok(zone_found) => format!("{} ({zone})", moment.to_zoned_datetime(zone_found).strftime("%Y-%m-%d %H:%M:%S")),
        Err(_) => moment.to_string(),
    }
}

fn lines_of(faults: &[impl ToString]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

/// The word by which a value stands in JSON.
pub fn word_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
