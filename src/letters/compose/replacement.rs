//! A seat goes to another person: who of the two learns what, and what all others do.

use super::{Context, Owed, audience};
use crate::letters::view::{Reader, View};
use crate::letters::{Letter, Newcomer, Notice, Replacement};
use crate::rules::PlayerId;
use crate::table::Table;

/// The newcomer gets all that the seat knows, the leaver a farewell, everybody else the bare fact.
pub(super) fn replaced(table: &Table, player: PlayerId, context: &Context) -> Vec<Owed> {
    let view = View::of(table, player);
    let newcomer = Newcomer {
        card: view.role_card((context.proof_word)(player)),
        players: view.players(),
        deviations: view.deviations(),
        standing: view.standing(),
        vote: view.vote(),
        note_filed: view.note_filed(),
        missed: view.missed(),
        missed_limit: view.missed_limit(),
        warned: view.warned(),
        paused: view.is_paused(),
    };
    let turn = table.game.turn;
    let letter = Letter::Replacement(Replacement::Newcomer(Box::new(newcomer)));
    let mut owed = vec![Owed::new(Reader::Player(player), letter, turn)];
    let farewell = Letter::Replacement(Replacement::Leaver { nick: view.my_nick() });
    owed.push(Owed::new(Reader::Before(player), farewell, turn));
    let notice = Notice::Replaced { nick: view.my_nick() };
    let others = audience(table, context).into_iter().filter(|reader| *reader != Reader::Player(player));
    owed.extend(others.map(|reader| Owed::new(reader, Letter::Notice(notice.clone()), turn)));
    owed
}
