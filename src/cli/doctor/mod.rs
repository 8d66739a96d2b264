//! `omerta doctor`: everything is tried for real, a row a check: ok, warning or fault, and how to mend it. No row holds
//! a password.

mod here;
mod mail;
mod topic;

use std::fmt::Write as _;

use serde::Serialize;

use super::load::Place;
use super::{exit, fail, out, print_json};
use crate::config::{Config, Fault};
use crate::letters::render::{Templates, strays};

/// One check.
#[derive(Clone, Debug, Serialize)]
struct Row {
    name: &'static str,
    state: State,
    what: String,
    /// Empty when nothing has to be mended.
    cure: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warning,
    Fault,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Warning => "WARNING",
            State::Fault => "FAULT",
        }
    }
}

/// What was found so far.
#[derive(Default)]
struct Rows(Vec<Row>);

impl Rows {
    fn ok(&mut self, name: &'static str, what: impl Into<String>) {
        self.0.push(Row { name, state: State::Ok, what: what.into(), cure: String::new() });
    }

    fn warning(&mut self, name: &'static str, what: impl Into<String>, cure: impl Into<String>) {
        self.0.push(Row { name, state: State::Warning, what: what.into(), cure: cure.into() });
    }

    fn fault(&mut self, name: &'static str, what: impl Into<String>, cure: impl Into<String>) {
        self.0.push(Row { name, state: State::Fault, what: what.into(), cure: cure.into() });
    }
}

/// The exit code: 0 without a fault, 78 when the config can't be read, else 69.
pub fn run(place: &Place, json: bool) -> u8 {
    let mut rows = Rows::default();
    let config = read(place, &mut rows);
    if let Some(config) = &config {
        let clock = place.clock();
        here::look(config, &clock, &mut rows);
        mail::look(config, &clock, &mut rows);
        topic::look(config, &mut rows);
    }
    let Rows(rows) = rows;
    let faults = rows.iter().filter(|row| row.state == State::Fault).count();
    let said = if json {
        match serde_json::to_value(&rows) {
            Ok(rows) => print_json(&rows),
            Err(error) => return fail(exit::UNAVAILABLE, &error),
        }
    } else {
        out::say_bytes(in_words(&rows).as_bytes())
    };
    match (config, faults) {
        (None, _) => exit::CONFIG,
        (Some(_), 1..) => exit::UNAVAILABLE,
        (Some(_), 0) => said,
    }
}

fn read(place: &Place, rows: &mut Rows) -> Option<Config> {
    let config = match super::load::config(place.config.as_deref()) {
        Ok(config) => config,
        Err(faults) => {
            for fault in faults {
                let (what, cure) = apart(fault);
                rows.fault("config", what, cure);
            }
            return None;
        }
    };
    rows.ok("config", config.file.display().to_string());
    for (what, cure) in config.odd_values().into_iter().chain(config.no_key()).map(apart) {
        rows.warning("config", what, cure);
    }
    let faults = config.faults_of_files(super::load::variable).into_iter().chain(config.closed_files());
    for (what, cure) in faults.map(apart) {
        rows.fault("files", what, cure);
    }
    match Templates::load(config.templates.as_deref()) {
        Ok(_) => rows
            .ok("templates", config.templates.as_ref().map_or("built in".to_owned(), |own| own.display().to_string())),
        Err(faults) => {
            for fault in faults {
                rows.fault("templates", fault.to_string(), "Mend the file, or take it out of the folder of templates.");
            }
        }
    }
    for stray in config.templates.iter().flat_map(|folder| strays(folder)) {
        rows.warning("templates", stray.to_string(), "Move it there, or take it away.");
    }
    Some(config)
}

/// What is wrong with its place, and the cure.
fn apart(mut fault: Fault) -> (String, String) {
    let cure = std::mem::take(&mut fault.cure);
    (fault.to_string().trim_end().to_owned(), cure)
}

fn in_words(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let mut words = String::new();
    for row in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(words, "{:<7}  {:<width$}  {}", row.state.word(), row.name, row.what);
        if !row.cure.is_empty() {
            let _ = writeln!(words, "{:<7}  {:<width$}  -> {}", "", "", row.cure);
        }
    }
    words
}
