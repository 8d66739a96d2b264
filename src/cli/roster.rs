//! `omerta game roster`: who plays, for the forum, and the photographs as files.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::load::Opened;
use super::{exit, fail, out};
use crate::desk::DeskError;
use crate::letters::roster::RosterPost;

pub fn run(opened: &mut Opened, tag: &str, folder: Option<&Path>) -> u8 {
    let (id, table) = match opened.desk.table(tag) {
        Ok(found) => found,
        Err(error @ DeskError::NoGame(_)) => return fail(exit::DATA, &error),
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let markup = opened.desk.config().forum.markup;
    let roster = RosterPost::of(&table);
    if roster.players.is_empty() {
        return fail(exit::DATA, &format!("{tag} has no players yet"));
    }
    let text = roster.paste(markup);
    let Some(folder) = folder else { return out::say(&text.trim_end()) };
    let mut files = vec![(markup.roster_file().to_owned(), text.into_bytes())];
    for row in &roster.players {
        let (Some(name), Some(applicant)) = (&row.picture, row.applicant) else { continue };
        match opened.desk.store.read(|tx| tx.photograph(id, applicant)) {
            Ok(Some(jpeg)) => files.push((name.clone(), jpeg)),
            Ok(None) => {}
            Err(error) => return fail(exit::UNAVAILABLE, &error),
        }
    }
    let write = || -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        files.iter().try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
    };
    match write() {
        Ok(()) => out::say(&format!("{tag}: {} files in {}", files.len(), folder.display())),
        Err(error) => fail(exit::UNAVAILABLE, &out::unwritable(folder, &error)),
    }
}
