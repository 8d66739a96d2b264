//! What is the time at the server? A letter to ourselves is put into `done_folder`, its INTERNALDATE is read, and it is
//! removed. Deadlines are judged by when the server took a letter, so its clock matters.

use std::collections::BTreeSet;

use jiff::Timestamp;
use tracing::debug;

use super::ImapSettings;
use super::fault::{Fault, harmless};
use super::filing::create;
use super::grammar::{Said, Status, uid_set};
use super::line::Line;
use super::names;
use super::read::{Hands, select};
use super::reader::quoted_name;
use super::visit::internal_second;
use crate::clock::Clock;
use crate::mail::link::FromInbox;

/// Tells the loop how far the server's clock is off.
pub(super) async fn probe(hands: &Hands, line: &mut Line) -> Result<(), Fault> {
    if let Some(seconds) = look(&hands.settings, &hands.clock, line).await? {
        hands.tell(FromInbox::Skew { seconds }).await?;
    }
    Ok(())
}

/// What makes such a letter ours: nobody else's is ever removed.
const MARK: &str = "X-Omerta-Clock";
const KEY: &str = "8f0c2d6e5b1a4937";

/// Removes letters that stayed behind when the daemon died in the middle of a look.
async fn tidy_up(line: &mut Line) -> Result<(), Fault> {
    let mut left = BTreeSet::new();
    let words = format!("UID SEARCH HEADER {MARK} {KEY}");
    line.command(line.simple("SEARCH"), &words, Vec::new(), |said| {
        if let Said::Found(uids) = said {
            left.extend(uids);
        }
    })
    .await?;
    if !left.is_empty() {
        remove(line, &uid_set(left)).await?;
    }
    Ok(())
}

async fn remove(line: &mut Line, uids: &str) -> Result<(), Fault> {
    line.ask("STORE", &format!("UID STORE {uids} +FLAGS.SILENT (\\Deleted)")).await?;
    line.ask("EXPUNGE", &format!("UID EXPUNGE {uids}")).await?;
    Ok(())
}

/// The server's clock less ours, in seconds. Without a folder for the letter, or where it could not be removed again, it
/// stays unknown.
pub(super) async fn look(settings: &ImapSettings, clock: &Clock, line: &mut Line) -> Result<Option<i64>, Fault> {
    let Some(done) = settings.done_folder.as_deref().filter(|_| line.can("UIDPLUS")) else { return Ok(None) };
    let is_read = |folder: &String| names::is_same(folder, done);
    if settings.folders.iter().any(is_read) {
        return Ok(None);
    }
    let wire = names::to_wire(done);
    let mut before = clock.now();
    let mut status = append(line, &wire).await?;
    if !status.is_ok() && create(line, &wire).await? {
        before = clock.now();
        status = append(line, &wire).await?;
    }
    let after = clock.now();
    // [APPENDUID validity uid]: where the letter is.
    let placed = status.number("APPENDUID").zip(status.code.get(2).and_then(|uid| uid.parse::<u32>().ok()));
    let Some((validity, uid)) = placed.filter(|_| status.is_ok()) else {
        debug!("the server's clock can't be looked at: {}", harmless(&status.text, &settings.server));
        return Ok(None);
    };
    let Ok(selected) = select(line, &wire).await? else { return Ok(None) };
    if selected.validity != validity {
        return Ok(None);
    }
    let taken = internal_second(line, uid).await?;
    remove(line, &uid.to_string()).await?;
    tidy_up(line).await?;
    Ok(taken.map(|taken| skew(before, after, taken)))
}

async fn append(line: &mut Line, wire: &str) -> Result<Status, Fault> {
    let letter = format!("Subject: omerta looks at the clock\r\n{MARK}: {KEY}\r\n\r\nThis letter may be deleted.\r\n");
    let words = format!("APPEND {} (\\Seen) {{{}}}", quoted_name(wire)?, letter.len());
    line.command(line.simple("APPEND"), &words, vec![letter.into_bytes()], |_| {}).await
}

/// The server took the letter in this second of its clock, between two moments of ours. Less than that is no skew.
pub(super) fn skew(before: Timestamp, after: Timestamp, taken: i64) -> i64 {
    let (before, after) = (before.as_second(), after.as_second());
    if taken > after { taken.saturating_sub(after) } else { taken.saturating_sub(before).min(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_may_be_right_is_right() {
        let at = |millis: i64| Timestamp::from_millisecond(millis).unwrap();
        assert_eq!(skew(at(10_900), at(11_100), 10), 0);
        assert_eq!(skew(at(10_900), at(11_100), 11), 0);
        assert_eq!(skew(at(10_900), at(11_100), 71), 60);
        assert_eq!(skew(at(10_900), at(11_100), 5), -5);
        assert_eq!(skew(at(10_000), at(15_000), 12), 0);
    }
}
