//! `omerta case FILE.toml...`: adjudicates cases and compares with what they expect.

use std::path::PathBuf;

use super::{exit, fail, out};
use crate::scenario;

/// Plays each file; the results go to stdout, files that are no cases to stderr. The exit code is 65 when a case does not
/// agree, or a file is no case.
pub fn run(files: &[PathBuf], json: bool) -> u8 {
    let verdicts: Vec<scenario::Verdict> = files.iter().map(|file| scenario::play_file(file)).collect();
    for fault in verdicts.iter().filter_map(|verdict| verdict.fault.as_ref()) {
        fail(exit::DATA, fault);
    }
    if json {
        match serde_json::to_string_pretty(&verdicts) {
            Ok(text) => drop(out::say(&text)),
            Err(fault) => out::complain(&format!("the results cannot be written as JSON: {fault}")),
        }
    } else {
        for verdict in verdicts.iter().filter(|verdict| verdict.fault.is_none()) {
            out::say(verdict);
        }
    }
    if verdicts.iter().all(|verdict| verdict.ok) { exit::OK } else { exit::DATA }
}
