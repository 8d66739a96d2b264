//! `omerta case FILE.toml...`: adjudicates cases and compares with what they expect.

use std::path::PathBuf;

use super::out;
use crate::scenario;

/// All cases agree.
const OK: u8 = 0;
/// One does not, or a file is no case (EX_DATAERR).
const BAD_DATA: u8 = 65;

/// Plays each file; the results go to stdout, files that are no cases to stderr. Returns the exit code.
pub fn run(files: &[PathBuf], json: bool) -> u8 {
    let verdicts: Vec<scenario::Verdict> = files.iter().map(|file| scenario::play_file(file)).collect();
    for fault in verdicts.iter().filter_map(|verdict| verdict.fault.as_ref()) {
        out::complain(&fault.to_string());
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
    if verdicts.iter().all(|verdict| verdict.ok) { OK } else { BAD_DATA }
}
