//! How a letter stands in time, and what follows from it for each of its lines.

use jiff::Timestamp;

use super::receive::{PlayersLetter, number};
use crate::journal::{Item, Standing};
use crate::rules::admit::Refusal;
use crate::rules::ledger::{Act, Ask, Fate};
use crate::rules::{Kind, Order, PlayerId};
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
