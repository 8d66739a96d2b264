//! A turn that is published again: who had other letters of it gets a correction, and nobody else.

use jiff::Timestamp;

use super::{Context, Owed, to_all, turn};
use crate::journal::Entry;
use crate::letters::preview::Correction;
use crate::letters::view::Reader;
use crate::letters::{Letter, Notice};
use crate::rules::game::Game;
use crate::table::revision::{Revision, Undo};
use crate::table::{State, Table};

/// The letters of the turn as they would be without a correction become what each reader still has to be told.
pub(super) fn corrected(
    table: &Table,
    revision: &Revision,
    next: Option<Timestamp>,
    owed: Vec<Owed>,
    context: &Context,
) -> Vec<Owed> {
    let turn = revision.told.before.turn;
    let was = told_before(table, revision, next, context);
    let mut readers: Vec<Reader> = Vec::new();
    for letter in owed.iter().chain(&was) {
        if !readers.contains(&letter.reader) {
            readers.push(letter.reader.clone());
        }
    }
    let of = |letters: &[Owed], reader: &Reader| -> Vec<Letter> {
        letters.iter().filter(|owed| owed.reader == *reader).map(|owed| owed.letter.clone()).collect()
    };
    let mut all = Vec::new();
    for reader in readers {
        if matches!(&reader, Reader::Player(who) if revision.newcomers.contains(who)) {
            all.extend(owed.iter().filter(|letter| letter.reader == reader).cloned());
            continue;
        }
        let cancelled = revision.cancelled.iter().filter(|(of, _)| *of == reader.key());
        let cancelled: Vec<&str> = cancelled.map(|(_, kind)| kind.as_str()).collect();
        for letter in for_one(of(&owed, &reader), of(&was, &reader), cancelled) {
            all.push(Owed { result: true, ..Owed::new(reader.clone(), letter, turn) });
        }
    }
    // The old deadline had passed meanwhile.
    if let (Some(deadline), true) = (next, next != revision.deadline) {
        all.extend(to_all(table, context, &Notice::DeadlineMoved { was: revision.deadline, deadline }));
    }
    all
}

/// What one reader gets: in full what had not left the first time, and what has changed as a correction.
fn for_one(now: Vec<Letter>, mut had: Vec<Letter>, mut cancelled: Vec<&str>) -> Vec<Letter> {
    let mut letters = Vec::new();
    // A correction that had not left: what its reader has got so far is older than what was told last.
    let unknown = cancelled.contains(&"correction");
    let mut fresh = Vec::new();
    for letter in now {
        let place = cancelled.iter().position(|kind| *kind == letter.kind());
        match place {
            Some(place) => {
                cancelled.remove(place);
                take(&mut had, |other| other.kind() == letter.kind());
                letters.push(letter);
            }
            None if matches!(letter, Letter::Final(_)) => letters.push(letter),
            None => fresh.push(letter),
        }
    }
    // It had not left, and is not owed any more.
    for kind in cancelled {
        take(&mut had, |other| other.kind() == kind);
    }
    if !unknown {
        fresh.retain(|letter| !take(&mut had, |other| other == letter));
    }
    if !fresh.is_empty() || !had.is_empty() {
        letters.push(Letter::Correction(Correction { letters: fresh, void: had }));
    }
    letters
}

fn take(letters: &mut Vec<Letter>, fits: impl Fn(&Letter) -> bool) -> bool {
    let place = letters.iter().position(fits);
    place.map(|place| letters.remove(place)).is_some()
}

/// The letters as they were owed when the turn was published before. The next deadline is no part of the comparison:
/// whoever moves it tells of it.
fn told_before(table: &Table, revision: &Revision, next: Option<Timestamp>, context: &Context) -> Vec<Owed> {
    let told = &revision.told;
    let next = if told.next.is_some() && next.is_some() { next } else { told.next };
    let before: Game = told.before.clone();
    let mut was = table.clone();
    was.undo = Undo::default();
    was.told.pop();
    was.game = before.clone();
    was.story.clone_from(&told.story);
    was.circumstances.rulings.clone_from(&told.rulings);
    was.state = State::Playing;
    was.apply(table.closed_at.unwrap_or(Timestamp::UNIX_EPOCH), &Entry::Published { next });
    turn::letters(&was, &before, next, context)
}
