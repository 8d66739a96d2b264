//! `omerta export`, `verify`, `backup`: the journal outside the database.

use std::io::Write;
use std::path::Path;

use super::load::{Opened, Place};
use super::{exit, fail};
use crate::export;

pub fn export(place: &Place, tag: &str) -> u8 {
    let opened = match Opened::desk(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let mut out = std::io::stdout().lock();
    match export::export(&opened.desk.store, tag, &mut out) {
        Ok(()) => match out.flush() {
            Ok(()) => exit::OK,
            Err(error) => fail(exit::UNAVAILABLE, &error),
        },
        Err(error) => fail(exit::DATA, &error),
    }
}

pub fn verify(file: &Path) -> u8 {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return fail(exit::DATA, &format!("{}: {error}", file.display())),
    };
    match export::verify(&text) {
        Ok(said) => {
            println!("{said}");
            exit::OK
        }
        Err(difference) => fail(exit::DATA, &format!("{}: {difference}", file.display())),
    }
}

pub fn backup(place: &Place, file: &Path) -> u8 {
    let opened = match Opened::desk(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    match opened.desk.store.backup(file) {
        Ok(()) => {
            println!("the database stands in {}", file.display());
            exit::OK
        }
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}
