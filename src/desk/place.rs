//! How a letter stands in time, and what follows from it for each of its lines.

use jiff::Timestamp;

use super::receive::{PlayersLetter, number};
use super::{DeskError, Open};
use crate::journal::{Entry, Item, Standing};
use crate::request;
use crate::rules::admit::Refusal;
use crate::rules::ledger::{Act, Ask, Fate};
use crate::rules::{Kind, Order, PlayerId};
use crate::store::{LetterRow, LetterState, Tx};
use crate::table::{Phase, State, Table};

/// Where a letter stands in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Now(Standing),
    /// Between the deadline and the close letters are kept and judged only at the close.
    Wait,
}

/// Where a letter stands in time: its arrival against the deadlines, by whole seconds.
pub fn place(table: &Table, from: PlayerId, order: &Order, now: Timestamp) -> Place {
    if !matches!(table.state, State::Playing | State::Paused) {
        return Place::Now(Standing::NotPlaying);
    }
    let before = |moment: Timestamp| order.second < moment.as_second();
    if let Some(deadline) = table.closed_at {
        if before(deadline) {
            return Place::Now(Standing::FoundLate { deadline });
        }
        if let Some(window) = &table.window
            && window.dying == Some(from)
            && before(window.until)
        {
            return Place::Now(Standing::Window { deadline });
        }
        // The turn after it had opened before it was taken back: what belongs there waits for it.
        if let Some(revision) = &table.undo.revision {
            let is_late = revision.opened.is_some_and(before);
            return if is_late { Place::Now(Standing::Late { deadline }) } else { Place::Wait };
        }
        if table.phase == Phase::Review || table.opened.is_some_and(before) {
            return Place::Now(Standing::Late { deadline });
        }
    }
    match table.deadline {
        Some(deadline) if now >= deadline || !before(deadline) => Place::Wait,
        _ => Place::Now(Standing::OnTime),
    }
}

/// A letter without a request is answered like any other, however late it was found.
pub(super) fn settle_standing(standing: Standing, items: &[Item]) -> Standing {
    match standing {
        Standing::FoundLate { deadline } if !items.iter().any(|item| matches!(item, Item::Ask { .. })) => {
            Standing::Late { deadline }
        }
        _ => standing,
    }
}

/// Gives every line its fate, from the state as published.
pub(super) fn judge_items(table: &Table, letter: &PlayersLetter, standing: Standing, items: &mut [Item]) {
    let asks: Vec<Ask> = items
        .iter()
        .filter_map(|item| match item {
            Item::Ask { ask, .. } => Some(ask.clone()),
            _ => None,
        })
        .collect();
    if standing == Standing::NotPlaying {
        for item in items.iter_mut() {
            if let (Item::Ask { .. }, Some(word)) = (&item, item.word()) {
                *item = Item::NotNow { word };
            }
        }
        return;
    }
    let act = Act::Letter { letter: number(letter.id), from: letter.from, asks };
    let mut fates = table.game.judge(letter.order, &act).into_iter();
    for item in items.iter_mut() {
        let Item::Ask { ask, fate, .. } = item else { continue };
        let Some(judged) = fates.next() else { continue };
        *fate = match standing {
            Standing::Late { .. } => late_fate(ask, judged),
            Standing::Window { .. } => window_fate(ask, judged),
            Standing::FoundLate { .. } => found_late_fate(judged),
            Standing::OnTime | Standing::NotPlaying => judged,
        };
    }
}

/// After the deadline turn requests are refused; a note belongs to the next turn; talk goes on.
fn late_fate(ask: &Ask, judged: Fate) -> Fate {
    match (ask, judged) {
        (_, refused @ Fate::Refused(Refusal::DeadSender | Refusal::ExpelledSender)) => refused,
        (Ask::Do { kind: Kind::Note | Kind::Pm | Kind::Clan, .. }, judged) => judged,
        _ => Fate::Refused(Refusal::AfterDeadline),
    }
}

/// In the window the pistol is no late request.
fn window_fate(ask: &Ask, judged: Fate) -> Fate {
    match ask {
        Ask::Do { kind: Kind::Pistol, .. } | Ask::Cancel { kind: Some(Kind::Pistol) } => judged,
        _ => late_fate(ask, judged),
    }
}

/// Found after the close: whatever would have been accepted changes nothing now.
fn found_late_fate(judged: Fate) -> Fate {
    match judged {
        refused @ Fate::Refused(Refusal::DeadSender | Refusal::ExpelledSender) => refused,
        _ => Fate::Refused(Refusal::AfterDeadline),
    }
}

/// The deadline that a letter with requests has missed, by its arrival as it was known until now, and who wrote it.
pub(super) fn missed_deadline(
    tx: &Tx,
    game: &Open,
    letter: &LetterRow,
) -> Result<Option<(PlayerId, Timestamp)>, DeskError> {
    // Only what was late for a turn is looked for in the journal, which is long.
    let was_late = game.table.closed_at.is_some() && letter.state == LetterState::Done;
    if !was_late || !matches!(game.table.state, State::Playing | State::Paused) {
        return Ok(None);
    }
    let mut seq = 0;
    loop {
        let events = tx.events_after(game.id, seq, 512)?;
        let Some(last) = events.last() else { return Ok(None) };
        seq = last.seq;
        for event in events.iter().filter(|event| event.kind == "heard") {
            let Entry::Heard(heard) = serde_json::from_str(&event.body)? else { continue };
            if heard.letter != number(letter.id) {
                continue;
            }
            let asks = heard.items.iter().any(|item| matches!(item, Item::Ask { .. }));
            return Ok(match heard.standing {
                Standing::Late { deadline } if asks && letter.second >= deadline.as_second() => {
                    Some((heard.from, deadline))
                }
                _ => None,
            });
        }
    }
}

/// The days that a letter names, as its day of arrival understands them.
pub(super) fn days_named(table: &Table, order: &Order, request: &request::Request) -> Option<request::dates::Days> {
    let zone = jiff::tz::TimeZone::get(&table.zone).unwrap_or(jiff::tz::TimeZone::UTC);
    let arrived = Timestamp::from_second(order.second).unwrap_or_default().to_zoned_datetime(zone);
    request::dates::read_days(request.argument.as_deref()?, arrived.date())
}

/// At most 120 characters of a line.
pub(super) fn shorten(line: &str) -> String {
    let mut short: String = line.chars().take(120).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
