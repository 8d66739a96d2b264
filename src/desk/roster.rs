//! Photographs for the roster that goes to the forum.

use super::DeskError;
use crate::letters::roster::RosterPost;
use crate::mail::Picture;
use crate::store::{GameId, View};

/// Bytes of pictures in one letter: mailboxes take some twenty-five million, a third more than it for base64.
const MOST_BYTES: usize = 12 * 1024 * 1024;

/// The pictures of a roster, as many as fit into a letter.
///
/// # Errors
/// When the database cannot be read.
pub fn pictures(tx: &View, game: GameId, roster: &RosterPost) -> Result<Vec<Picture>, DeskError> {
    let (mut pictures, mut bytes) = (Vec::new(), 0usize);
    for row in &roster.players {
        let (Some(name), Some(applicant)) = (&row.picture, row.applicant) else { continue };
        let Some(jpeg) = tx.photograph(game, applicant)? else { continue };
        bytes = bytes.saturating_add(jpeg.len());
        if bytes > MOST_BYTES {
            break;
        }
        pictures.push(Picture { name: name.clone(), jpeg });
    }
    Ok(pictures)
}
