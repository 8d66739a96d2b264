//! The one answer to a host's letter.

use jiff::Timestamp;

use super::{Context, Owed, to_hosts};
use crate::journal::{HostHeard, OrderFate, Ordered};
use crate::letters::orders::{did, not_done, taught_line};
use crate::letters::view::Reader;
use crate::letters::{Alert, Letter, Office, OrderSaid, Orders, Reasons, Stands};
use crate::request::orders::Verb;
use crate::table::{Phase, State, Table};

/// The reasons if they alone were asked for, else what became of every line.
pub(super) fn answer(table: &Table, heard: &HostHeard, context: &Context) -> Vec<Owed> {
    if !heard.moderator {
        return vec![answer_to(Reader::Host(heard.host), table, heard, context)];
    }
    let mut owed = vec![answer_to(Reader::Moderator(heard.host), table, heard, context)];
    let done = heard.lines.iter().filter_map(|line| match &line.fate {
        OrderFate::Done(done) => Some(did(table.lang, &table.zone, done).what),
        OrderFate::NotDone(_) | OrderFate::Answered => None,
    });
    let done: Vec<String> = done.collect();
    if !done.is_empty() {
        owed.extend(to_hosts(table, context, &Letter::Alert(Alert::Moderator { done })));
    }
    owed
}

fn answer_to(reader: Reader, table: &Table, heard: &HostHeard, context: &Context) -> Owed {
    let reasons = heard.reasons.as_ref().and_then(|text| (context.text)(text));
    let letter = match (heard.lines.as_slice(), reasons) {
        ([Ordered { verb: Verb::Why, fate: OrderFate::Answered }], text @ Some(_)) => {
            Letter::Why(Reasons { text, roster: Vec::new() })
        }
        (_, reasons) => Letter::Orders(orders(table, heard, reasons, context)),
    };
    let owed = Owed::new(reader, letter, table.game.turn);
    Owed { answers: Some(heard.letter), ..owed }
}

fn orders(table: &Table, heard: &HostHeard, reasons: Option<String>, context: &Context) -> Orders {
    let said = heard.said.as_ref().and_then(|said| (context.text)(said)).unwrap_or_default();
    let mut said = said.lines().map(str::to_owned);
    let mut lines = Vec::new();
    for ordered in &heard.lines {
        let said = said.next().unwrap_or_default();
        let (done, told) = match &ordered.fate {
            OrderFate::Done(done) => (true, did(table.lang, &table.zone, done)),
            OrderFate::NotDone(why) => (false, not_done(table.lang, why)),
            OrderFate::Answered => continue,
        };
        lines.push(OrderSaid { said, done, what: told.what, then: told.then });
    }
    let asked = |verb: Verb| heard.lines.iter().any(|line| line.verb == verb && line.fate == OrderFate::Answered);
    let arrived = Timestamp::from_second(heard.order.second).unwrap_or(Timestamp::UNIX_EPOCH);
    let forms = if heard.lines.is_empty() && !heard.bare_yes || asked(Verb::Help) {
        let told = |verb: &&Verb| !heard.moderator || verb.is_moderators();
        Verb::ALL.iter().filter(told).map(|verb| taught_line(table.lang, *verb)).collect()
    } else {
        Vec::new()
    };
    Orders {
        arrived,
        lines,
        stands: asked(Verb::Status).then(|| stands(table, arrived)),
        reasons,
        forms,
        bare_yes: heard.bare_yes.then_some(if heard.moderator { Office::Moderator } else { Office::Host }),
    }
}

fn stands(table: &Table, arrived: Timestamp) -> Stands {
    let is_open = table.phase == Phase::Open;
    Stands {
        state: table.state.word().to_owned(),
        phase: table.phase_word(arrived).map(str::to_owned),
        turn: table.game.turn,
        deadline: table.deadline.filter(|_| is_open),
        held: table.held.filter(|_| table.state == State::Playing && !is_open),
        publishes: table.publishes_itself_at().filter(|_| table.state == State::Playing && !is_open),
        living: table.living().map(|(_, player)| player.nick.clone()).collect(),
        owing: if is_open { table.owing() } else { Vec::new() },
        signup: super::signup::stands(table),
    }
}
