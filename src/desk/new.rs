//! What a new game is made of.

use sha2::{Digest, Sha256};

use super::command::{CommandError, refused};
use crate::journal::{Publish, Settings};
use crate::roster::RosterRow;
use crate::rules::Role;

/// A short ASCII slug: it stands in subjects and file names.
pub(super) fn check_tag(tag: &str) -> Result<(), CommandError> {
    let fits = tag.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && tag.starts_with(|c: char| c.is_ascii_lowercase())
        && (2..=32).contains(&tag.len());
    if fits {
        return Ok(());
    }
    Err(refused(
        format!("`{tag}` is no tag"),
        "A tag has 2 to 32 of a-z, 0-9 and -, and begins with a letter: `palermo`",
    ))
}

/// The settings of a new game from config.
pub fn settings(config: &crate::config::Config) -> Settings {
    let game = &config.game;
    Settings {
        deadline: game.deadline.clone(),
        min_turn: game.min_turn,
        settle: game.settle,
        reminders: game.reminders.clone(),
        publish: match game.publish {
            crate::config::Publish::Auto => Publish::Auto,
            crate::config::Publish::Approve => Publish::Approve { after: None },
            crate::config::Publish::ApproveFor(after) => Publish::Approve { after: Some(after) },
        },
        relay_per_day: config.security.relay_per_day,
        pistol_window: game.pistol_window,
    }
}

/// Roles stand in all rows or none; the roster's reader has seen to that.
pub(super) fn roles_given(roster: &[RosterRow]) -> Option<Vec<Role>> {
    roster.iter().map(|row| row.role).collect::<Option<Vec<Role>>>().filter(|roles| !roles.is_empty())
}

/// The journal tells an address only so: whoever has the salt and the address can check it.
pub(super) fn salted(salt: &[u8], address: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(salt);
    hash.update(address.as_bytes());
    data_encoding::HEXLOWER.encode(&hash.finalize())
}
