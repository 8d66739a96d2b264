//! What a player may do only so often in a day.

use jiff::Timestamp;

use super::receive::PlayersLetter;
use super::{DeskError, Open};
use crate::journal::Item;
use crate::rules::ledger::{Ask, Fate};
use crate::rules::{Kind, PlayerId};
use crate::store::Tx;

/// Prose is explained once a day of the game's zone to each player of each game, not each time. Help that was asked for
/// is another matter.
pub(super) fn first_prose_today(tx: &Tx, game: &Open, from: PlayerId, now: Timestamp) -> Result<bool, DeskError> {
    let key = format!("{}/{}", from.0, day_in_zone(game, now));
    Ok(tx.bump(game.id, "prose explained", &key, 1)?)
}

/// `2026-11-30`, as the game's zone has it.
fn day_in_zone(game: &Open, moment: Timestamp) -> String {
    let zone = jiff::tz::TimeZone::get(&game.table.zone).unwrap_or(jiff::tz::TimeZone::UTC);
    moment.to_zoned_datetime(zone).strftime("%F").to_string()
}

/// Only so many private letters of a player are passed on in a day of the game's zone, by their arrival.
pub(super) fn cap_talk(tx: &Tx, game: &Open, letter: &PlayersLetter, items: &mut [Item]) -> Result<(), DeskError> {
    let limit = game.table.settings.relay_per_day;
    for item in items {
        let Item::Ask { ask: Ask::Do { kind: Kind::Pm, .. }, fate: Fate::Accepted { .. }, capped, .. } = item else {
            continue;
        };
        let arrived = Timestamp::from_second(letter.order.second).unwrap_or_default();
        let key = format!("{}/{}", letter.from.0, day_in_zone(game, arrived));
        if !tx.bump(game.id, "pm", &key, limit)? {
            *capped = Some(limit);
        }
    }
    Ok(())
}
