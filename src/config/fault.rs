//! What is wrong in a config file, where, and how to mend it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::plain::PlainFault;

/// One fault. Its `Display` is one line that a host can act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    pub file: PathBuf,
    /// Counted from 1; 0 when no line is at fault.
    pub line: usize,
    /// With its section (`outbox.rate`); empty when no key is at fault.
    pub key: String,
    pub what: String,
    pub cure: String,
}

impl Fault {
    pub(super) fn unreadable(file: &Path, fault: &PlainFault) -> Fault {
        let cure = match fault {
            PlainFault::Kind(_) => "Name the config file itself with --config, or save what it gives into one.",
            PlainFault::Large(_) => "Name the right file with --config.",
            _ if fault.is_missing() => "Name another file with --config, or copy the shipped config.toml there.",
            _ if fault.is_closed() => "Let the user who runs omerta read it.",
            PlainFault::Unreadable(_) => "See that it is a readable file.",
        };
        Fault::of_file(file, 0, fault.to_string(), cure)
    }

    pub(super) fn not_text(file: &Path, error: &std::string::FromUtf8Error) -> Fault {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count();
        Fault::of_file(file, line, "is not UTF-8 text".to_owned(), "Save the file as UTF-8 in your editor.")
    }

    pub(super) fn of_file(file: &Path, line: usize, what: String, cure: &str) -> Fault {
        Fault { file: file.to_path_buf(), line, key: String::new(), what, cure: cure.to_owned() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        let stop = if self.what.ends_with('?') { "" } else { "." };
        write!(f, "{}{stop} {}", self.what, self.cure)
    }
}

impl std::error::Error for Fault {}
