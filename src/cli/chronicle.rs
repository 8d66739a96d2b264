//! `omerta chronicle TAG -o DIR`: the finished game as a web page.

use std::io::{self, Write};
use std::path::Path;

use super::load::{Opened, Place};
use super::{exit, fail, out};
use crate::chronicle::{self, ChronicleError, GENERATOR, Page};
use crate::journal::read::JournalFault;

const FILE: &str = "index.html";

pub fn run(place: &Place, tag: &str, folder: &Path) -> u8 {
    let opened = match Opened::looking(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let (table, facts) = match chronicle::read(&opened.desk.store, tag) {
        Ok(read) => read,
        Err(error @ ChronicleError::Journal(JournalFault::NoGame(_) | JournalFault::Event { .. })) => {
            return fail(exit::DATA, &error);
        }
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let templates = match place.read() {
        Ok((_, templates)) => templates,
        Err(code) => return code,
    };
    let page = match Page::new(&table, &facts, &templates).and_then(|page| page.html()) {
        Ok(page) => page,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let file = folder.join(FILE);
    match write(folder, &file, &page) {
        Ok(()) => out::say(&format!("the chronicle of {} stands in {}", table.tag, file.display())),
        Err(error) => fail(exit::UNAVAILABLE, &out::unwritable(folder, &error)),
    }
}

/// Whole or not at all; a page that is not ours is not written over.
fn write(folder: &Path, file: &Path, page: &str) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    match std::fs::read(file) {
        Ok(there) if !String::from_utf8_lossy(&there).contains(GENERATOR) => {
            return Err(io::Error::other("an index.html that omerta did not write is there"));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut new = tempfile::Builder::new();
    // Anybody may read it, as far as the umask lets them: it is made for a web server.
    #[cfg(unix)]
    new.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut new = new.prefix(".chronicle").tempfile_in(folder)?;
    new.write_all(page.as_bytes())?;
    new.as_file().sync_all()?;
    new.persist(file)?;
    Ok(())
}
