//! What is committed is marked as seen, or moved to `done_folder`. Only the loop says what is committed; nothing else is
//! touched, and nothing is ever removed that does not lie in `done_folder`.

use std::collections::{BTreeMap, BTreeSet};

use tokio::time::Instant;
use tracing::warn;

use super::ImapSettings;
use super::fault::{Fault, harmless};
use super::grammar::uid_set;
use super::line::Line;
use super::names;
use super::read::{Hands, select};
use super::reader::quoted_name;

/// Letters in one command.
const CHUNK: usize = 200;

/// Letters that are committed and not filed yet, by folder and UIDVALIDITY.
#[derive(Default)]
pub(super) struct Filing(BTreeMap<(String, u32), Waiting>);

#[derive(Default)]
struct Waiting {
    uids: BTreeSet<u32>,
    /// Of these the ones whose copy lies in `done_folder` already: they only have to go.
    copied: BTreeSet<u32>,
    /// The server refused; it is asked again then.
    not_before: Option<Instant>,
}

enum Way {
    Seen,
    Move(String),
    Copy(String),
}

impl ImapSettings {
    /// True when letters of this folder leave it after they are committed.
    pub(super) fn moves_from(&self, line: &Line, folder: &str) -> bool {
        !matches!(self.way(line, folder), Way::Seen)
    }

    fn way(&self, line: &Line, folder: &str) -> Way {
        match &self.done_folder {
            Some(done) if !names::is_same(done, folder) => {
                let wire = names::to_wire(done);
                if line.can("MOVE") {
                    Way::Move(wire)
                } else if line.can("UIDPLUS") {
                    Way::Copy(wire)
                } else {
                    // Without UID EXPUNGE only a plain one could remove the letter, and others' letters with it.
                    Way::Seen
                }
            }
            _ => Way::Seen,
        }
    }
}

impl Filing {
    /// Places as this task gave them; others are not its own.
    pub(super) fn add(&mut self, places: &[String]) {
        for place in places {
            if let Some((folder, validity, uid)) = parse(place) {
                self.0.entry((folder, validity)).or_default().uids.insert(uid);
            }
        }
    }

    pub(super) fn is_due(&self) -> bool {
        self.0.values().any(Waiting::is_due)
    }

    /// Files the next few. What the server refuses waits; reading goes on.
    pub(super) async fn file_some(&mut self, hands: &Hands, line: &mut Line) -> Result<(), Fault> {
        let Some((key, waiting)) = self.0.iter_mut().find(|(_, waiting)| waiting.is_due()) else { return Ok(()) };
        let (folder, validity) = key.clone();
        let refused = match select(line, &names::to_wire(&folder)).await? {
            // The folder was renumbered: the letters come again under their new places.
            Ok(selected) if selected.validity != validity => {
                waiting.uids.clear();
                None
            }
            Ok(_) => waiting.file_some(line, &hands.settings.way(line, &folder)).await?,
            Err(words) => Some(words),
        };
        waiting.not_before = None;
        if let Some(words) = refused {
            let (letters, words) = (waiting.uids.len(), harmless(&words, &hands.settings.server));
            warn!(folder, letters, "the mailbox does not let letters be marked or moved: {words}");
            waiting.not_before = Some(Instant::now() + hands.settings.times.filing);
        }
        self.0.retain(|_, waiting| !waiting.uids.is_empty());
        Ok(())
    }
}

impl Waiting {
    fn is_due(&self) -> bool {
        self.not_before.is_none_or(|then| then <= Instant::now())
    }

    /// Returns the server's words when it refuses.
    async fn file_some(&mut self, line: &mut Line, way: &Way) -> Result<Option<String>, Fault> {
        let some: BTreeSet<u32> = self.uids.iter().copied().take(CHUNK).collect();
        let set = uid_set(some.iter().copied());
        let refused = match way {
            Way::Seen => refusal(line, &format!("UID STORE {set} +FLAGS.SILENT (\\Seen)")).await?,
            Way::Move(done) => put(line, "MOVE", &set, done).await?,
            Way::Copy(done) => self.copy(line, &some, done).await?,
        };
        if refused.is_none() {
            self.uids.retain(|uid| !some.contains(uid));
            self.copied.retain(|uid| !some.contains(uid));
        }
        Ok(refused)
    }

    /// Nothing is removed before its copy is certain, and nothing is copied twice.
    async fn copy(&mut self, line: &mut Line, uids: &BTreeSet<u32>, done: &str) -> Result<Option<String>, Fault> {
        let fresh: Vec<u32> = uids.difference(&self.copied).copied().collect();
        if !fresh.is_empty() {
            let refused = put(line, "COPY", &uid_set(fresh.iter().copied()), done).await?;
            if refused.is_some() {
                return Ok(refused);
            }
            self.copied.extend(fresh);
        }
        let set = uid_set(uids.iter().copied());
        let refused = refusal(line, &format!("UID STORE {set} +FLAGS.SILENT (\\Deleted)")).await?;
        if refused.is_some() {
            return Ok(refused);
        }
        refusal(line, &format!("UID EXPUNGE {set}")).await
    }
}

/// Moves or copies; makes the folder when it is missing.
async fn put(line: &mut Line, verb: &'static str, set: &str, done: &str) -> Result<Option<String>, Fault> {
    let words = format!("UID {verb} {set} {}", quoted_name(done)?);
    let status = line.ask(verb, &words).await?;
    if status.is_ok() {
        return Ok(None);
    }
    if !create(line, done).await? {
        return Ok(Some(status.text));
    }
    refusal(line, &words).await
}

/// Makes a folder when it is missing; not every server says that it is (TRYCREATE). True when it was made.
pub(super) async fn create(line: &mut Line, wire: &str) -> Result<bool, Fault> {
    let name = quoted_name(wire)?;
    let created = line.ask("CREATE", &format!("CREATE {name}")).await?.is_ok();
    if created {
        // So that people's clients show it; it is no harm when the server refuses.
        line.ask("SUBSCRIBE", &format!("SUBSCRIBE {name}")).await?;
    }
    Ok(created)
}

async fn refusal(line: &mut Line, words: &str) -> Result<Option<String>, Fault> {
    let status = line.ask("filing", words).await?;
    Ok((!status.is_ok()).then_some(status.text))
}

/// Folder, UIDVALIDITY and UID of a place.
fn parse(place: &str) -> Option<(String, u32, u32)> {
    let mut parts = place.strip_prefix("imap/")?.rsplitn(3, '/');
    let (uid, validity, folder) = (parts.next()?, parts.next()?, parts.next()?);
    Some((folder.to_owned(), validity.parse().ok()?, uid.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_as_they_were_given() {
        assert_eq!(parse("imap/INBOX/5/17"), Some(("INBOX".to_owned(), 5, 17)));
        assert_eq!(parse("imap/[Gmail]/Спам/5/17"), Some(("[Gmail]/Спам".to_owned(), 5, 17)));
        for other in ["1764.M5.host", "imap/INBOX/5", "imap/INBOX/x/17", "imap/INBOX/5/-1", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
