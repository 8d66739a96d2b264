//! The file of a case (tests/scenarios/FORMAT.md), as it is written. Unknown keys are errors, with file and line.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::outcome::Outcome;
use crate::config::{PlainFault, open_named};
use crate::rules::rulebook::Rulebook;

/// `rules`, `defaults`, `why` and the like are for the reader of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    #[serde(default)]
    pub topic: String,
    #[serde(default, rename = "title")]
    pub _title: String,
    pub kind: Option<Spanned<String>>,
    #[serde(default, rename = "basis")]
    pub _basis: String,
    #[serde(default, rename = "rules")]
    pub _rules: Vec<String>,
    #[serde(default, rename = "defaults")]
    pub _defaults: Vec<String>,
    #[serde(default, rename = "why")]
    pub _why: String,
    pub players: Vec<Seat>,
    #[serde(default)]
    toggles: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
    #[serde(default)]
    pub turn: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    pub nick: Spanned<String>,
    pub role: Spanned<String>,
    pub state: Option<Spanned<String>>,
    #[serde(default)]
    pub converted: bool,
    #[serde(default)]
    pub missed: u32,
    #[serde(default)]
    pub warned: u32,
    pub last_heal: Option<Spanned<String>>,
    pub note_to: Option<Spanned<String>>,
    pub pistol: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub number: u16,
    #[serde(default)]
    pub mail: Vec<Spanned<Mail>>,
    #[serde(default)]
    pub draw: Draw,
    #[serde(default)]
    pub silent: Vec<Spanned<String>>,
    #[serde(default)]
    pub window: Vec<Spanned<Mail>>,
    pub expect: Option<Outcome>,
}

/// A letter (`from`, `line`, `late`) or the host's act (`host`, `nick`, `reason`).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    pub from: Option<String>,
    pub line: Option<String>,
    #[serde(default)]
    pub late: bool,
    pub host: Option<String>,
    pub nick: Option<String>,
    pub reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    pub lynch_tie: Option<Spanned<String>>,
}

/// Why a file is no case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub file: String,
    /// From 1; None where the whole file is meant.
    pub line: Option<usize>,
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

/// Where a fault stands in a text.
pub struct Place<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl Place<'_> {
    /// At a byte of the text.
    pub fn fault(&self, at: usize, what: impl Into<String>) -> Fault {
        let before = self.text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        Fault { file: self.file.to_owned(), line: Some(before + 1), what: what.into() }
    }
}

/// More than any case, in bytes.
const LARGEST: u64 = 16 << 20;

/// # Errors
/// The file cannot be read, or is no case by its size.
pub fn read(path: &Path) -> Result<String, Fault> {
    let fault = |what: String| Fault { file: path.display().to_string(), line: None, what };
    let mut text = String::new();
    let named = open_named(path).map_err(|why| match why {
        PlainFault::Unreadable(error) => {
            fault(format!("cannot be read: {error}; look at its name, and at who may read it"))
        }
        other => fault(format!("{other}; name a file itself, or hand it in by `-`")),
    })?;
    let read = named.take(LARGEST.saturating_add(1)).read_to_string(&mut text);
    match read {
        Err(error) => {
            Err(fault(format!("cannot be read: {error}; look at its name, at who may read it, and that it is UTF-8")))
        }
        Ok(length) if u64::try_from(length).is_ok_and(|length| length > LARGEST) => {
            Err(fault(format!("is larger than {} MiB: is it the right one?", LARGEST >> 20)))
        }
        Ok(_) => Ok(text),
    }
}

impl Case {
    /// The rulebook that its toggles make, set as the command line sets them.
    ///
    /// # Errors
    /// A name or a value that is none, with the nearest or the allowed ones.
    pub fn rulebook(&self, place: &Place<'_>) -> Result<Rulebook, Fault> {
        let mut rulebook = Rulebook::default();
        for (name, value) in &self.toggles {
            let set = rulebook.set(name.get_ref(), &words(value.get_ref()));
            set.map_err(|fault| place.fault(name.span().start, fault.to_string()))?;
        }
        Ok(rulebook)
    }
}

/// A value as it would stand on the command line.
fn words(value: &toml::Value) -> String {
    match value {
        toml::Value::String(word) => word.clone(),
        toml::Value::Array(values) => values.iter().map(words).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// # Errors
/// The text is no TOML, or a key or value of it is none that cases have.
pub fn parse(place: &Place<'_>) -> Result<Case, Fault> {
    let case: Case = toml::from_str(place.text).map_err(|error| match error.span() {
        Some(span) => place.fault(span.start, error.message()),
        None => Fault { file: place.file.to_owned(), line: None, what: error.message().to_owned() },
    })?;
    match &case.kind {
        Some(kind) if kind.get_ref() != "turns" => {
            Err(place.fault(kind.span().start, format!("kind `{}` is not known; it must be `turns`", kind.get_ref())))
        }
        _ => Ok(case),
    }
}
