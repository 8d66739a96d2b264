//! `omerta game open` and what `omerta game show` tells of a sign-up.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::load::{self, Opened};
use super::{exit, fail};
use crate::desk::command::Terms;
use crate::roster::{self, Account};
use crate::signup::{Missing, Seating};
use crate::store::GameId;
use crate::table::{State, Table};

#[derive(Debug, Args)]
pub struct OpenArguments {
    tag: String,
    /// What the game is called in letters
    #[arg(long)]
    title: Option<String>,
    /// Your words to those who may come
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,
    /// Fewer players are not dealt
    #[arg(long)]
    min: Option<u16>,
    /// Further applicants wait for a free place
    #[arg(long)]
    max: Option<u16>,
    /// When sign-up closes by itself: `2026-12-05 21:00` in the game's zone, RFC 3339, or +2d
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
}

/// Longest text, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

impl OpenArguments {
    /// # Errors
    /// When the text can't be read, in words.
    pub fn read(self) -> Result<(String, Terms), String> {
        let text = match &self.text {
            None => None,
            Some(path) => {
                let fault = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
                let bytes = load::file(path).map_err(|error| fault(&error))?;
                if bytes.len() > LONGEST_TEXT {
                    return Err(fault(&"too long for a letter; at most 64 KiB"));
                }
                Some(String::from_utf8(bytes).map_err(|_| fault(&"not UTF-8 text; save it as UTF-8 in your editor"))?)
            }
        };
        Ok((self.tag, Terms { title: self.title, text, min: self.min, max: self.max, until: self.until }))
    }
}

/// Says what is wrong with a file of forum accounts, all of it.
pub fn read_accounts(path: &Path) -> Result<Vec<Account>, u8> {
    let bytes = load::file(path).map_err(|error| fail(exit::DATA, &format!("{}: {error}", path.display())))?;
    roster::read_accounts(&bytes).map_err(|faults| {
        for fault in faults {
            fail(exit::DATA, &format!("{}: {fault}", path.display()));
        }
        exit::DATA
    })
}

/// One who signs up, as a host sees him.
#[derive(Debug, Serialize)]
pub struct ApplicantShown {
    nick: String,
    address: String,
    characteristic: String,
    seating: Seating,
    missing: Vec<Missing>,
}

/// Those who are in, or were declined; by seating and arrival.
pub fn rows(opened: &Opened, id: GameId, table: &Table) -> Vec<ApplicantShown> {
    let Some(signup) = table.signup.as_ref().filter(|_| table.state == State::Signup) else { return Vec::new() };
    let seatings = [Seating::Kept, Seating::Pending, Seating::Waiting, Seating::Declined];
    let standing = seatings.into_iter().flat_map(|seating| signup.standing(seating));
    let address = |number: u16| {
        let row = opened.desk.store.read(|tx| tx.applicant(id, number)).ok().flatten();
        row.map(|row| row.address).unwrap_or_default()
    };
    let shown = standing.map(|(number, one)| ApplicantShown {
        nick: one.nick.clone(),
        address: address(number),
        characteristic: one.characteristic.clone(),
        seating: one.seating,
        missing: one.missing(&table.game.rulebook),
    });
    shown.collect()
}

/// Who has a place, in the form of `players`.
pub fn players(applicants: &[ApplicantShown]) -> Vec<Value> {
    let kept = applicants.iter().filter(|one| one.seating == Seating::Kept);
    let player = |one: &ApplicantShown| json!({"nick": one.nick, "address": one.address, "role": null, "state": "alive", "missed": 0, "warned": 0, "voted": false});
    kept.map(player).collect()
}

/// `signup` of `omerta game show --json`; null where there is none.
pub fn to_json(table: &Table, applicants: &[ApplicantShown]) -> Value {
    match table.signup.as_ref().filter(|_| table.state == State::Signup) {
        None => Value::Null,
        Some(signup) => json!({
            "open": signup.open,
            "until": signup.until.map(|until| until.to_string()),
            "min": signup.min,
            "max": signup.max,
            "applicants": applicants,
        }),
    }
}

pub fn columns(applicants: &[ApplicantShown]) -> Vec<Vec<String>> {
    let heading = ["NICK", "PLACE", "MISSING", "ADDRESS"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(applicants.iter().map(|one| {
        let missing: Vec<String> = one.missing.iter().map(load::word_of).collect();
        let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
        vec![or_dash(one.nick.clone()), load::word_of(&one.seating), or_dash(missing.join(", ")), one.address.clone()]
    }));
    rows
}

/// How a sign-up stands, in sentences.
pub fn standing(table: &Table) -> Vec<String> {
    let Some(signup) = &table.signup else { return Vec::new() };
    let tag = &table.tag;
    let until = signup.until.map(|until| format!(" until {}", load::local(&table.zone, until))).unwrap_or_default();
    let kept = signup.standing(Seating::Kept).len();
    let have = if kept == 1 { "has" } else { "have" };
    let accounts = match table.people.account_names.len() {
        0 => None,
        1 => Some("1 forum account is handed in".to_owned()),
        accounts => Some(format!("{accounts} forum accounts are handed in")),
    };
    let mut lines = vec![match (signup.open, signup.opened) {
        (true, _) => format!("sign-up is open{until}, {kept} {have} a place; `omerta game close {tag}` closes it"),
        (false, true) => format!("sign-up is closed, {kept} {have} a place; `omerta game open {tag}` opens it again"),
        (false, false) => format!("nobody can sign up yet; `omerta game open {tag}` lets them"),
    }];
    lines.extend(accounts);
    lines
}
