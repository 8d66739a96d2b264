//! What a command says: facts on stdout, faults on stderr. All of it goes through here, because a reader that has gone
//! away (`omerta letters palermo | head -1`) is no fault: the command ends quietly, as other programs do.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::exit;

/// Says a text, with a line's end after it, and gives the exit code.
pub fn say(text: &dyn Display) -> u8 {
    say_bytes(format!("{text}\n").as_bytes())
}

/// As [`say`], for what is to stay as it is.
pub fn say_bytes(bytes: &[u8]) -> u8 {
    written(&say_through(|out| out.write_all(bytes)))
}

/// Lends stdout to what writes it piece by piece.
///
/// # Errors
/// Those of `work`, and of stdout.
pub fn say_through<E: From<io::Error>>(work: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<(), E> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    work(&mut out)?;
    Ok(out.flush()?)
}

/// The exit code after writing to stdout.
pub fn written(done: &io::Result<()>) -> u8 {
    match done {
        Err(error) if !reader_left(error) => fail(exit::UNAVAILABLE, &format!("stdout can't be written: {error}")),
        _ => exit::OK,
    }
}

/// Whoever read our output has enough of it.
pub fn reader_left(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Prints a value as JSON, indented.
pub fn print_json(value: &serde_json::Value) -> u8 {
    match serde_json::to_string_pretty(value) {
        Ok(text) => say(&text),
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}

/// Says on stderr what went wrong, and gives the exit code back.
pub fn fail(code: u8, error: &dyn Display) -> u8 {
    complain(&format!("omerta: {error}"));
    code
}

/// Says a line on stderr as it stands.
pub fn complain(line: &str) {
    // Nobody is left to tell when stderr is gone, too.
    drop(io::stderr().write_all(format!("{line}\n").as_bytes()));
}

/// Rows in columns, the first row the heading; no column is wider than it must be. Widths are counted in characters.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|at| width(at).unwrap_or_default()).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Why nothing is written into a folder that the command line names, with the cure.
pub fn unwritable(folder: &Path, error: &io::Error) -> String {
    let cure = match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => "Name a folder, one that is there or can be made.",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "Look at who may write there.",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "Make room.",
        _ => "Name another folder.",
    };
    format!("{}: {error}. {cure}", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["ник", "state"], ["Аделаида", "x"], ["Ян", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), "ник       state\nАделаида  x\nЯн");
        assert_eq!(columns(&[]), "");
    }

    #[test]
    fn only_a_reader_who_left_is_no_fault() {
        assert_eq!(written(&Err(io::ErrorKind::BrokenPipe.into())), exit::OK);
        assert_eq!(written(&Err(io::ErrorKind::StorageFull.into())), exit::UNAVAILABLE);
    }
}
