//! The letters of the daemon, fetched by their readers as mail programs do: from `new/`, then left in `cur/`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::demo::bots::Received;
use crate::mail::inbox::MaildirInbox;

/// A letter of the daemon and whose it is.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub address: String,
    pub letter: Received,
}

/// All Maildirs under the outbox's folder.
#[derive(Debug)]
pub struct Postbag {
    root: PathBuf,
    boxes: BTreeMap<String, MaildirInbox>,
}

impl Postbag {
    pub fn new(root: &Path) -> Postbag {
        Postbag { root: root.to_owned(), boxes: BTreeMap::new() }
    }

    /// Everything new, in the order in which it was sent.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn fetch(&mut self) -> io::Result<Vec<Fetched>> {
        const MAX: u64 = 10 * 1024 * 1024;
        self.look_for_boxes()?;
        let mut fetched = Vec::new();
        for (address, mailbox) in &mut self.boxes {
            for found in mailbox.scan_all()? {
                if let Some(letter) = mailbox.read(&found, MAX)?.and_then(|raw| Received::read(&raw.bytes)) {
                    fetched.push(((found.second, found.within.clone()), Fetched { address: address.clone(), letter }));
                }
                mailbox.mark_done(&found)?;
            }
        }
        fetched.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(fetched.into_iter().map(|(_, fetched)| fetched).collect())
    }

    fn look_for_boxes(&mut self) -> io::Result<()> {
        let entries = match std::fs::read_dir(&self.root) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type()?.is_dir() && !self.boxes.contains_key(&name) {
                self.boxes.insert(name, MaildirInbox::open(&entry.path())?);
            }
        }
        Ok(())
    }
}
