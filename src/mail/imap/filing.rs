//! What is committed is marked as seen, or moved to `done_folder`. Only the loop says what is committed; nothing else is
//! touched, and nothing is ever removed that does not lie in `done_folder`.

use std::collections::{BTreeMap, BTreeSet};

use tokio::time::Instant;
use tracing::warn;

use super::ImapSettings;
use super::fault::Fault;
use super::grammar::uid_set;
use super::line::Line;
use super::names;
use super::read::{Hands, select};
use super::reader::quoted_name;

/// Letters in one command.
const CHUNK: usize = 200;

/// Letters that are committed and not filed yet.
#[derive(Default)]
pub(super) struct Filing {
    /// By folder and UIDVALIDITY.
    waiting: BTreeMap<(String, u32), BTreeSet<u32>>,
    /// Of these the ones whose copy lies in `done_folder` already: they only have to go.
    copied: BTreeMap<(String, u32), BTreeSet<u32>>,
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
                self.waiting.entry((folder, validity)).or_default().insert(uid);
            }
        }
    }

    pub(super) fn is_due(&self) -> bool {
        !self.waiting.is_empty() && self.not_before.is_none_or(|then| then <= Instant::now())
    }

    /// Files the next few. What the server refuses waits; reading goes on.
    pub(super) async fn file_some(&mut self, hands: &Hands, line: &mut Line) -> Result<(), Fault> {
        let Some((key, waiting)) = self.waiting.first_key_value() else { return Ok(()) };
        let key = key.clone();
        let some: BTreeSet<u32> = waiting.iter().copied().take(CHUNK).collect();
        let refused = match select(line, &names::to_wire(&key.0)).await? {
            // The folder was renumbered: the letters come again under their new places.
            Ok(selected) if selected.validity != key.1 => {
                self.forget(&key, None);
                return Ok(());
            }
            Ok(_) => self.file_these(hands, line, &key, &some).await?,
            Err(words) => Some(words),
        };
        match refused {
            None => {
                self.not_before = None;
                self.forget(&key, Some(&some));
            }
            Some(words) => {
                let letters = self.waiting.values().map(BTreeSet::len).sum::<usize>();
                warn!(folder = key.0, letters, "the mailbox does not let letters be marked or moved: {words}");
                self.not_before = Some(Instant::now() + hands.settings.times.filing);
            }
        }
        Ok(())
    }

    /// Returns the server's words when it refuses.
    async fn file_these(
        &mut self,
        hands: &Hands,
        line: &mut Line,
        key: &(String, u32),
        uids: &BTreeSet<u32>,
    ) -> Result<Option<String>, Fault> {
        let set = uid_set(uids.iter().copied());
        match hands.settings.way(line, &key.0) {
            Way::Seen => refusal(line, &format!("UID STORE {set} +FLAGS.SILENT (\\Seen)")).await,
            Way::Move(done) => put(line, "MOVE", &set, &done).await,
            Way::Copy(done) => {
                let copied = self.copied.entry(key.clone()).or_default();
                let fresh: Vec<u32> = uids.difference(copied).copied().collect();
                if !fresh.is_empty() {
                    let refused = put(line, "COPY", &uid_set(fresh.iter().copied()), &done).await?;
                    if refused.is_some() {
                        return Ok(refused);
                    }
                    copied.extend(fresh);
                }
                let refused = refusal(line, &format!("UID STORE {set} +FLAGS.SILENT (\\Deleted)")).await?;
                if refused.is_some() {
                    return Ok(refused);
                }
                refusal(line, &format!("UID EXPUNGE {set}")).await
            }
        }
    }

    /// These are filed; None: all of the folder.
    fn forget(&mut self, key: &(String, u32), uids: Option<&BTreeSet<u32>>) {
        for letters in [&mut self.waiting, &mut self.copied] {
            let Some(kept) = letters.get_mut(key) else { continue };
            kept.retain(|uid| uids.is_some_and(|gone| !gone.contains(uid)));
            if kept.is_empty() {
                letters.remove(key);
            }
        }
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
