//! `omerta export`, `verify`, `backup`: the journal outside the database.

use std::path::Path;

use super::load::{Opened, Place};
use super::{exit, fail, out};
use crate::export::{self, ExportError};
use crate::journal::read::JournalFault;

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

pub fn verify(file: &Path) -> u8 {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return fail(exit::DATA, &format!("{}: {error}", file.display())),
    };
    match export::verify(&text) {
        Ok(said) => out::say(&said),
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
