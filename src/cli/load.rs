//! Finds and reads the config; the only place that looks at the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::config::{Config, Fault};

/// The variable that names the config file.
pub const CONFIG_VARIABLE: &str = "OMERTA_CONFIG";

/// Where a config is looked for when nobody names one.
const USUAL_PLACES: [&str; 2] = ["config.toml", "/etc/omerta/config.toml"];

/// The value of an environment variable.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
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
            cure: format!("Make one with `omerta init`, or name it with --config or ${CONFIG_VARIABLE}."),
        }]),
    }
}
