//! A seat goes to another person: who of the two learns what, and what all others do. Before that, the waiting list.

use jiff::Timestamp;

use super::{Context, Owed, audience, to_hosts};
use crate::journal::{HowEnded, OfferEnd};
use crate::letters::view::{Reader, View};
use crate::letters::{Alert, Letter, Newcomer, Notice, Replacement, SeatOffer};
use crate::rules::PlayerId;
use crate::rules::game::Life;
use crate::table::Table;

/// The question to one of the waiting list; and the hosts learn what came of the one before.
pub(super) fn offered(
    table: &Table,
    player: PlayerId,
    (applicant, until): (u16, Timestamp),
    after: Option<OfferEnd>,
    context: &Context,
) -> Vec<Owed> {
    let characteristic = table.player(player).map(|player| player.characteristic.clone()).unwrap_or_default();
    let offer = SeatOffer { nick: table.nick(player).to_owned(), characteristic, until };
    let question = Owed::new(Reader::Applicant(applicant), Letter::Offer(offer), table.game.turn);
    let mut owed = vec![Owed { expires: Some(until), ..question }];
    if let Some(end) = after {
        owed.extend(not_taken(table, player, end, Some((table.applicant_nick(applicant), until)), context));
    }
    owed
}

/// Nobody is asked any more: the hosts learn it where they have to name somebody, the last one where he may not come.
pub(super) fn offers_over(table: &Table, player: PlayerId, end: OfferEnd, context: &Context) -> Vec<Owed> {
    let mut owed = Vec::new();
    if end.how == HowEnded::SeatGone {
        owed.extend(super::signup::offer_gone(table, end.applicant));
        // Who named somebody himself knows it; that a player is out he may not.
        if table.player(player).is_none_or(|player| player.life != Life::Alive) {
            let (nick, who) = (table.nick(player).to_owned(), table.applicant_nick(end.applicant));
            owed.extend(to_hosts(table, context, &Letter::Alert(Alert::SeatGone { nick, who })));
        }
    } else {
        owed.extend(not_taken(table, player, end, None, context));
    }
    owed
}

fn not_taken(
    table: &Table,
    player: PlayerId,
    end: OfferEnd,
    next: Option<(String, Timestamp)>,
    context: &Context,
) -> Vec<Owed> {
    let (nick, who) = (table.nick(player).to_owned(), table.applicant_nick(end.applicant));
    to_hosts(table, context, &Letter::Alert(Alert::SeatNotTaken { nick, who, how: end.how, next }))
}

/// The newcomer gets all that the seat knows, the leaver a farewell, everybody else the bare fact.
pub(super) fn replaced(table: &Table, player: PlayerId, context: &Context) -> Vec<Owed> {
    let view = View::of(table, player);
    let newcomer = Newcomer {
        card: super::own_card(table, player, context),
        players: view.players(),
        deviations: view.deviations(),
        standing: view.standing(),
        vote: view.vote(),
        note_filed: view.note_filed(),
        missed: view.missed(),
        missed_limit: view.missed_limit(),
        warned: view.warned(),
        deprived_until: table
            .player(player)
            .map(|player| player.deprived_until)
            .filter(|until| *until >= table.game.turn),
        deprived_is_miss: table.game.rulebook.deprived_is_miss,
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
    if let Some((_, forum_name)) = table.people.account(player) {
        let alert = Alert::ChangePassword { nick: view.my_nick(), forum_name: forum_name.to_owned() };
        owed.extend(to_hosts(table, context, &Letter::Alert(alert)));
    }
    owed
}
