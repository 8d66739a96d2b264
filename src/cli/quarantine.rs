//! `omerta quarantine`: letters that could not be processed, for the host's own eyes.

use clap::Subcommand;
use serde_json::json;

use super::load::{self, Opened, Place};
use super::{exit, fail, out, print_json};
use crate::desk::quarantine::Retried;
use crate::store::{LetterId, LetterRow};

#[derive(Debug, Subcommand)]
pub enum QuarantineCommand {
    /// The letter as it came; why it failed goes to stderr
    Show { id: i64 },
    /// Try again, with the arrival that the letter had: a number, or `all`
    Retry {
        /// The letter's number, or `all`
        id: String,
    },
    /// Give a letter up: it is kept, and never acted on
    Drop { id: i64 },
}

pub fn run(place: &Place, command: Option<&QuarantineCommand>, json: bool) -> u8 {
    let mut opened = match Opened::looking(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let letters = match opened.desk.store.read(|tx| tx.quarantined()) {
        Ok(letters) => letters,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    match command {
        None => list(&opened, letters, json),
        Some(QuarantineCommand::Show { id }) => show(&opened, &letters, LetterId(*id)),
        Some(QuarantineCommand::Drop { id }) => match opened.desk.drop_quarantined(LetterId(*id)) {
            Ok(true) => out::say(&format!("letter {id} is given up; it is kept, and nothing acts on it")),
            Ok(false) => none_such(),
            Err(error) => fail(exit::UNAVAILABLE, &error),
        },
        Some(QuarantineCommand::Retry { id }) => {
            let ids: Vec<LetterId> = match id.as_str() {
                "all" => letters.iter().map(|letter| letter.id).collect(),
                id => match id.parse() {
                    Ok(id) => vec![LetterId(id)],
                    Err(_) => return fail(exit::USAGE, &"say the number of a letter, or `all`"),
                },
            };
            retry(&mut opened, &ids)
        }
    }
}

fn none_such() -> u8 {
    fail(exit::DATA, &"no letter of that number is quarantined; `omerta quarantine` lists them")
}

/// Each by itself, oldest first: one that fails again stops nobody.
fn retry(opened: &mut Opened, ids: &[LetterId]) -> u8 {
    let mut code = exit::OK;
    let mut said = Vec::new();
    for id in ids {
        let now = opened.clock.now();
        match opened.desk.retry_quarantined(*id, now) {
            Ok(Retried::Done) => said.push(format!("letter {} is taken in, as of its arrival", id.0)),
            Ok(Retried::Failed(error)) => {
                said.push(format!("letter {} failed again and stays: {error}", id.0));
                code = exit::DATA;
            }
            Ok(Retried::NotQuarantined) => return none_such(),
            Ok(Retried::Gone) => return fail(exit::DATA, &format!("the bytes of letter {} were erased", id.0)),
            Err(error) => return fail(exit::UNAVAILABLE, &error),
        }
    }
    if said.is_empty() {
        said.push("nothing is quarantined".to_owned());
    }
    let told = out::say(&said.join("\n"));
    if code == exit::OK { told } else { code }
}

fn show(opened: &Opened, letters: &[LetterRow], id: LetterId) -> u8 {
    let Some(letter) = letters.iter().find(|letter| letter.id == id) else { return none_such() };
    match opened.desk.store.read(|tx| tx.raw(id)) {
        Ok(Some(raw)) => {
            let why = letter.error.as_deref().unwrap_or("no reason was noted");
            // The letter alone stands on stdout, so that it can be saved as it came.
            out::complain(&format!("letter {} failed: {why}", id.0));
            out::say_bytes(&raw)
        }
        Ok(None) => fail(exit::DATA, &format!("the bytes of letter {} were erased", id.0)),
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}

fn list(opened: &Opened, letters: Vec<LetterRow>, json: bool) -> u8 {
    if json {
        let letters: Vec<_> = letters
            .iter()
            .map(|letter| json!({"id": letter.id.0, "received": letter.received_at.to_string(), "error": letter.error}))
            .collect();
        return print_json(&json!(letters));
    }
    if letters.is_empty() {
        return out::say(&"nothing is quarantined");
    }
    let mut rows = vec![["ID", "RECEIVED", "WHY"].map(str::to_owned).to_vec()];
    let zone = opened.desk.config().zone_name();
    rows.extend(letters.into_iter().map(|letter| {
        let received = load::local(zone, letter.received_at);
        vec![letter.id.0.to_string(), received, letter.error.unwrap_or_default()]
    }));
    out::say(&out::columns(&rows))
}
