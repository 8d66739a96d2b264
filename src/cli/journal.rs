//! `omerta export`, `verify`, `backup`: the journal outside the database.

use std::path::Path;

use super::load::{self, Opened, Place};
use super::{exit, fail, out};
use crate::export::{self, ExportError, Verified};
use crate::journal::read::JournalFault;

/// A hundred times the journal of a long game with many players, in bytes.
const LARGEST_JOURNAL: u64 = 256 << 20;

pub fn export(place: &Place, tag: &str) -> u8 {
    let opened = match Opened::looking(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    match out::say_through(|mut lines| export::export(&opened.desk.store, tag, &mut lines)) {
        Ok(()) => exit::OK,
        Err(ExportError::Write(error)) => out::written(&Err(error)),
        Err(error @ ExportError::Journal(JournalFault::Store(_))) => fail(exit::UNAVAILABLE, &error),
        Err(error) => fail(exit::DATA, &error),
    }
}

/// Whether an export agrees with the rules and the lots. With `json` the first difference is told on stdout, too: `ok`,
/// and then what was checked, or `line` and `differs`.
pub fn verify(file: &Path, json: bool) -> u8 {
    let read = load::stream(file, LARGEST_JOURNAL);
    let no_text = |_| "is not UTF-8 text. Name a file that `omerta export` wrote.".to_owned();
    let text = match read.and_then(|bytes| String::from_utf8(bytes).map_err(no_text)) {
        Ok(text) => text,
        Err(why) => return fail(exit::DATA, &format!("{}: {why}", file.display())),
    };
    match export::verify(&text) {
        Ok(Verified { game, events, letters, turns, lots }) if json => out::say(&serde_json::json!({
            "ok": true, "game": game, "events": events, "letters": letters, "turns": turns, "lots": lots,
        })),
        Ok(verified) => out::say(&verified),
        Err(difference) if json => {
            let said = serde_json::json!({ "ok": false, "line": difference.line, "differs": difference.what });
            match out::say(&said) {
                exit::OK => exit::DATA,
                code => code,
            }
        }
        Err(difference) => fail(exit::DATA, &format!("{}: {difference}", file.display())),
    }
}

pub fn backup(place: &Place, file: &Path) -> u8 {
    let opened = match Opened::existing(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    match opened.desk.store.backup(file) {
        Ok(()) => out::say(&format!("the database stands in {}", file.display())),
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}
