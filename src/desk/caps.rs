//! What a player may do only so often in a day, and what the mail may: talk that waits for the provider's limit, of which
//! its author is told.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::post::TALK;
use super::receive::{PlayersLetter, number};
use super::{Desk, DeskError, Open, Room};
use crate::journal::{Entry, Item, Quota};
use crate::rules::ledger::{Ask, Fate};
use crate::rules::{Kind, PlayerId};
use crate::store::{GameId, LetterId, TalkRow, Tx};

/// So much talk is looked at when the quota is full.
const LOOKED_AT: usize = 500;
/// So many letters to the clan of one player are passed on in an hour at least.
const CLAN_PER_HOUR: u32 = 20;
/// The cap that keeps letters of which the author was told that their talk waits.
const TOLD: &str = "talk waits";

/// For whom the talk of each player of each game waits; None is the clan.
type Waiting = BTreeMap<(GameId, PlayerId), Vec<Option<PlayerId>>>;

impl Desk {
    /// The quota of the day is full. Talk stops first, and its author was told of it in the receipt, unless there was
    /// still room at that time: then he is told now, once of each letter of his.
    ///
    /// # Errors
    /// When the database fails.
    pub fn tell_of_waiting_talk(&mut self, now: Timestamp) -> Result<(), DeskError> {
        let untold = self.read(|_, tx| {
            let mut talk = tx.due_talk(now, TALK, TOLD, LOOKED_AT)?;
            // Of the last letter there may be more, and its author is told of all of it at once.
            if talk.len() >= LOOKED_AT
                && let (Some(first), Some(last)) =
                    (talk.first().map(|row| row.letter), talk.last().map(|row| row.letter))
                && first != last
            {
                talk.retain(|row| row.letter != last);
            }
            Ok(talk)
        })?;
        if untold.is_empty() {
            return Ok(());
        }
        self.write(|room, tx| {
            for ((game, from), to) in waiting(tx, &untold)? {
                let Some(head) = tx.game_by_id(game)? else { continue };
                let mut game = room.open(tx, &head)?;
                room.record(tx, &mut game, now, &Entry::TalkWaits { from, to })?;
                room.put_back(tx, game, now)?;
            }
            Ok(())
        })
    }
}

impl Room {
    /// How the quota stands for the answer to a letter. Of talk that waits the answer tells, and nobody needs to again.
    pub(super) fn quota_for(
        &self,
        tx: &Tx,
        game: &Open,
        letter: LetterId,
        items: &[Item],
        now: Timestamp,
    ) -> Result<Quota, DeskError> {
        let quota = self.quota(tx, now)?;
        if !quota.is_open() && items.iter().any(Item::is_private_text) {
            tell_once(tx, game.id, letter)?;
        }
        Ok(quota)
    }
}

/// Notes down that the authors of these are told.
fn waiting(tx: &Tx, talk: &[TalkRow]) -> Result<Waiting, DeskError> {
    let mut letters: BTreeMap<(GameId, LetterId), Vec<Option<PlayerId>>> = BTreeMap::new();
    for TalkRow { game, letter, kind, reader } in talk {
        let reader = reader.strip_prefix("player:").and_then(|number| number.parse().ok()).map(PlayerId);
        letters.entry((*game, *letter)).or_default().push(reader.filter(|_| kind == "pm"));
    }
    let mut waiting = Waiting::new();
    for ((game, letter), to) in letters {
        let author = tx.letter(letter)?.and_then(|letter| letter.player).map(PlayerId);
        let (Some(author), true) = (author, tell_once(tx, game, letter)?) else { continue };
        let all = waiting.entry((game, author)).or_default();
        for to in to {
            if !all.contains(&to) {
                all.push(to);
            }
        }
    }
    Ok(waiting)
}

fn tell_once(tx: &Tx, game: GameId, letter: LetterId) -> Result<bool, DeskError> {
    Ok(tx.bump(game, TOLD, &number(letter).to_string(), 1)?)
}

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

/// Only so many private letters of a player are passed on in a day of the game's zone, and so many to his clan in an
/// hour, by their arrival: each becomes a letter to each who reads it. `replies`: answers to him in an hour.
pub(super) fn cap_talk(
    tx: &Tx,
    game: &Open,
    letter: &PlayersLetter,
    items: &mut [Item],
    replies: u32,
) -> Result<(), DeskError> {
    let arrived = Timestamp::from_second(letter.order.second).unwrap_or_default();
    for item in items {
        let Item::Ask { ask: Ask::Do { kind, .. }, fate: Fate::Accepted { .. }, capped, .. } = item else { continue };
        let (name, limit, during) = match kind {
            Kind::Pm => ("pm", game.table.settings.relay_per_day, day_in_zone(game, arrived)),
            Kind::Clan => ("clan", replies.max(CLAN_PER_HOUR), arrived.strftime("%FT%H").to_string()),
            _ => continue,
        };
        if !tx.bump(game.id, name, &format!("{}/{during}", letter.from.0), limit)? {
            *capped = Some(limit);
        }
    }
    Ok(())
}
