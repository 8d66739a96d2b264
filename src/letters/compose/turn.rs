//! The letters of a closed turn: two waves, the hosts' digest, and the end.

use super::{Context, Owed, audience, correction, expulsion, shuffled, to_hosts};
use crate::letters::facts::{self, Fact};
use crate::letters::view::{self, Reader, View};
use crate::letters::{
    CheckResult, Conversion, Death, Digest, DigestFact, DigestRow, ExpelledSaid, Fallen, Final, FinalRow, FinalTurn,
    Letter, NextTurn, NobodyWhy, Notice, Promotion, Relayed, Rope, ShotSaid, Summary, Warning,
};
use crate::rules::game::Game;
use crate::rules::game::Life;
use crate::rules::report::{Cause, ExpelWhy, LynchOutcome, PublishVotes, Report, When};
use crate::rules::{Kind, PlayerId, Role};
use crate::table::{State, Table};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Two waves: the summary to each in roster order, then the private letters in an order that tells nothing.
pub(super) fn published(table: &Table, before: Option<&Game>, next: Option<Timestamp>, context: &Context) -> Vec<Owed> {
    let Some(before) = before else { return Vec::new() };
    let owed = letters(table, before, next, context);
    match &table.undo.corrected {
        Some(revision) => correction::corrected(table, revision, next, owed, context),
        None => owed,
    }
}

/// The letters of a turn, as if it was published for the first time.
pub(super) fn letters(table: &Table, before: &Game, next: Option<Timestamp>, context: &Context) -> Vec<Owed> {
    let Some(report) = table.last.as_deref() else { return Vec::new() };
    let persons = persons_of_the_dead(table, report, context);
    let story: Vec<String> = table.last_story.as_ref().and_then(|story| (context.text)(story)).into_iter().collect();
    let said = |paste: bool| Summary {
        persons: persons.clone(),
        story: story.clone(),
        ..summary(table, before, report, next, paste)
    };
    let mut owed = Vec::new();
    for reader in audience(table, context) {
        if matches!(reader, Reader::Host(_)) {
            continue;
        }
        let paste = matches!(reader, Reader::Moderator(_));
        owed.push(Owed::new(reader, Letter::Summary(said(paste)), report.turn));
    }
    for forum in 0..context.forums {
        owed.push(Owed::new(Reader::Forum(forum), Letter::Summary(said(true)), report.turn));
    }
    owed.extend(private_wave(table, before, report, context));
    owed.extend(to_hosts(
        table,
        context,
        &Letter::Digest(Digest { summary: said(false), ..digest(table, before, report, next, context) }),
    ));
    if table.state == State::Finished {
        owed.extend(finals(table, false, context));
    }
    for letter in &mut owed {
        letter.turn = report.turn;
        letter.result = true;
    }
    owed
}

/// A11: the forum members behind the nicks of the dead.
fn persons_of_the_dead(table: &Table, report: &Report, context: &Context) -> Vec<(String, String)> {
    if !table.game.rulebook.reveal_person_on_death {
        return Vec::new();
    }
    let dead = report.deaths.iter().map(|death| death.who);
    dead.filter_map(|who| Some((table.nick(who).to_owned(), (context.person)(who)?))).collect()
}

/// The public facts of a turn, put in the order in which they are told.
pub(super) fn summary(table: &Table, before: &Game, report: &Report, next: Option<Timestamp>, paste: bool) -> Summary {
    let nick = |who: PlayerId| table.nick(who).to_owned();
    let gender = |who: PlayerId| table.player(who).and_then(|player| player.gender);
    let causes: BTreeMap<PlayerId, Vec<Cause>> =
        report.deaths.iter().map(|death| (death.who, death.causes.clone())).collect();
    let public = facts::public(report, before);
    let shows_cause = |who: PlayerId| public.contains(&Fact::Cause(who));
    let fallen = |who: PlayerId, role: Role| Fallen {
        nick: nick(who),
        gender: gender(who),
        role,
        causes: if shows_cause(who) { causes.get(&who).cloned().unwrap_or_default() } else { Vec::new() },
    };
    let in_the_night = |who: PlayerId| report.deaths.iter().any(|death| death.who == who && death.when == When::Night);
    let by_nick = report.vote.publish == PublishVotes::ByNick;
    let mut summary = Summary {
        turn: report.turn,
        night: Vec::new(),
        shot: None,
        rope: match report.vote.outcome {
            LynchOutcome::FirstTurn => Rope::FirstTurn,
            LynchOutcome::NoVotes => Rope::Nobody { reason: by_nick.then_some(NobodyWhy::NoVotes) },
            LynchOutcome::NoQuorum => Rope::Nobody { reason: by_nick.then_some(NobodyWhy::NoQuorum) },
            LynchOutcome::AlreadyOut | LynchOutcome::Hanged => Rope::Nobody {
                reason: report
                    .vote
                    .chosen
                    .filter(|_| by_nick)
                    .map(|chosen| NobodyWhy::AlreadyOut { nick: nick(chosen) }),
            },
        },
        publish: report.vote.publish,
        ballots: Vec::new(),
        tally: Vec::new(),
        tied: Vec::new(),
        nonvoters: Vec::new(),
        expelled: Vec::new(),
        saved: Vec::new(),
        alive: report.alive.iter().map(|who| nick(*who)).collect(),
        next: next.map(|deadline| NextTurn { turn: report.turn.saturating_add(1), deadline: Some(deadline) }),
        winner: report.winner,
        persons: Vec::new(),
        story: Vec::new(),
        paste,
    };
    for fact in &public {
        match fact {
            // Also who fell at the rope's hour by a shot that is not public: told apart, he would make it public (A52).
            Fact::Dead { who, role } => summary.night.push(fallen(*who, *role)),
            Fact::Shot { who, role, by } => {
                summary.shot =
                    Some(ShotSaid { by: nick(*by), at: fallen(*who, *role), in_the_night: in_the_night(*who) });
            }
            Fact::Hanged { who, role } => {
                summary.rope = Rope::Hanged {
                    nick: nick(*who),
                    gender: gender(*who),
                    role: *role,
                    votes: report.vote.tally.get(who).copied().filter(|_| by_nick),
                    of: u32::try_from(report.vote.ballots.len()).ok().filter(|_| by_nick),
                };
            }
            Fact::Vote { voter, candidate } => summary.ballots.push((nick(*voter), nick(*candidate))),
            Fact::Nonvoter(who) => summary.nonvoters.push(nick(*who)),
            Fact::Tie(among) => summary.tied = among.iter().map(|who| nick(*who)).collect(),
            Fact::Expelled { who, role } => {
                let why = report.expelled.iter().find(|row| row.who == *who).map_or(ExpelWhy::Host, |row| row.why);
                summary.expelled.push(ExpelledSaid { nick: nick(*who), gender: gender(*who), role: *role, why });
            }
            Fact::Stopped(who) => summary.saved.push(nick(*who)),
            _ => {}
        }
    }
    if by_nick {
        let mut tally: Vec<(PlayerId, u32)> = report.vote.tally.iter().map(|(who, votes)| (*who, *votes)).collect();
        tally.sort_by_key(|(who, votes)| (std::cmp::Reverse(*votes), *who));
        summary.tally = tally.into_iter().map(|(who, votes)| (nick(who), votes)).collect();
    }
    summary
}

/// The private letters of a turn, one reader after the other in the shuffled order.
fn private_wave(table: &Table, before: &Game, report: &Report, context: &Context) -> Vec<Owed> {
    let private = facts::private(report, before);
    let mut owed = Vec::new();
    for player in shuffled(table.seats().map(|(player, _)| player), context) {
        for (_, fact) in private.iter().filter(|(reader, _)| *reader == player) {
            for letter in private_letters(table, report, player, fact, context) {
                owed.push(Owed::new(Reader::Player(player), letter, report.turn));
            }
        }
    }
    owed
}

fn private_letters(table: &Table, report: &Report, reader: PlayerId, fact: &Fact, context: &Context) -> Vec<Letter> {
    let view = View::of(table, reader);
    let card = || view.role_card((context.proof_word)(reader));
    match fact {
        Fact::Ghost(who) => vec![Letter::Death(Death {
            nick: view.my_nick(),
            gender: view.gender(),
            hanged: report.deaths.iter().any(|death| death.who == *who && death.causes.contains(&Cause::Lynch)),
            game_over: report.winner.is_some(),
        })],
        Fact::Check { who, about } => report
            .learns
            .iter()
            .filter(|learned| learned.who == *who && learned.about == *about)
            .map(|learned| Letter::Result(view::check_result(table, learned)))
            .collect(),
        Fact::Promoted(_) => vec![Letter::Promotion(Promotion { nick: view.my_nick(), card: card() })],
        Fact::Converted(_) => vec![Letter::Conversion(Conversion::Turned { card: Box::new(card()) })],
        Fact::NewMember { who, .. } => {
            vec![Letter::Conversion(Conversion::NewMember { nick: table.nick(*who).to_owned() })]
        }
        Fact::Note { from, to } => report
            .notes
            .iter()
            .filter(|note| note.from == *from && note.to == *to)
            .map(|note| {
                Letter::Note(Relayed {
                    nick: view.my_nick(),
                    author: table.nick(*from).to_owned(),
                    text: (context.text)(&note.text).unwrap_or_default(),
                    author_dead: true,
                })
            })
            .collect(),
        Fact::Missed(_) => vec![Letter::Warning(Warning::Missed {
            nick: view.my_nick(),
            missed: view.missed(),
            limit: view.missed_limit(),
        })],
        Fact::Warned(_) => vec![Letter::Warning(Warning::Silent { nick: view.my_nick() })],
        // Whom the host expelled or deprived in mid-turn, he was told at once.
        Fact::OwnExpulsion(who) if !was_told_at_once(report, *who) => {
            let why = report.expelled.iter().find(|row| row.who == *who).map_or(ExpelWhy::Host, |row| row.why);
            vec![Letter::Expulsion(expulsion(table, *who, why, String::new()))]
        }
        Fact::Stopped(patient) => {
            vec![Letter::Notice(Notice::Saved { nick: table.nick(*patient).to_owned(), own: *patient == reader })]
        }
        Fact::Hunter(_) => report
            .hunt
            .iter()
            .map(|hunt| {
                Letter::Notice(Notice::HuntEnded { prey: table.nick(hunt.prey).to_owned(), result: hunt.result })
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The host's expulsion and a leave work in mid-turn and are told then.
fn was_told_at_once(report: &Report, who: PlayerId) -> bool {
    report.expelled.iter().any(|row| row.who == who && matches!(row.why, ExpelWhy::Host | ExpelWhy::Left))
}

/// Characters of the host's grounds for a ruling that the digest repeats.
const GROUNDS: usize = 300;

/// What had no effect: of each player the last few, for one may send thousands; of the others how many.
fn without_effect(table: &Table, report: &Report) -> Vec<DigestFact> {
    const SHOWN: usize = 10;
    let nick = |who: PlayerId| table.nick(who).to_owned();
    let mut left: BTreeMap<PlayerId, usize> = BTreeMap::new();
    for void in &report.void {
        *left.entry(void.line.from).or_default() += 1;
    }
    let more: Vec<DigestFact> = left
        .iter()
        .filter(|(_, count)| **count > SHOWN)
        .map(|(who, count)| DigestFact::VoidMore { who: nick(*who), more: count - SHOWN })
        .collect();
    let mut facts = Vec::new();
    for void in &report.void {
        let left = left.entry(void.line.from).or_default();
        *left = left.saturating_sub(1);
        if *left < SHOWN {
            facts.push(DigestFact::Void {
                who: nick(void.line.from),
                kind: void.line.kind,
                target: nick(void.line.target),
                why: void.why,
            });
        }
    }
    facts.extend(more);
    facts
}

fn digest(table: &Table, before: &Game, report: &Report, next: Option<Timestamp>, context: &Context) -> Digest {
    let nick = |who: PlayerId| table.nick(who).to_owned();
    let mut facts = Vec::new();
    for (who, alive) in &table.circumstances.rulings {
        let grounds = table.grounds.get(who).and_then(|text| (context.text)(text)).unwrap_or_default();
        let grounds = grounds.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(GROUNDS).collect();
        facts.push(DigestFact::Ruled { who: nick(*who), alive: *alive, grounds });
    }
    for line in &report.standing {
        if line.kind != Kind::Note {
            facts.push(DigestFact::Stood { who: nick(line.from), kind: line.kind, target: nick(line.target) });
        }
    }
    facts.extend(without_effect(table, report));
    match report.murder {
        crate::rules::report::Murder::None => {}
        crate::rules::report::Murder::Split => facts.push(DigestFact::MurderSplit),
        crate::rules::report::Murder::Victim(victim) => facts.push(DigestFact::Murder { victim: nick(victim) }),
    }
    if let Some(hunt) = &report.hunt {
        facts.push(DigestFact::Hunt { hunter: nick(hunt.hunter), prey: nick(hunt.prey), result: hunt.result });
    }
    for stopped in &report.stopped {
        facts.push(DigestFact::Stopped { who: nick(stopped.who), cause: stopped.cause, by: stopped.by });
    }
    for death in &report.deaths {
        facts.push(DigestFact::Died { who: nick(death.who), causes: death.causes.clone() });
    }
    for learned in &report.learns {
        let result: CheckResult = view::check_result(table, learned);
        facts.push(DigestFact::Learned { who: nick(learned.who), result });
    }
    facts.extend(report.promoted.map(|who| DigestFact::Promoted { who: nick(who) }));
    facts.extend(report.converted.map(|who| DigestFact::Converted { who: nick(who) }));
    for note in &report.notes {
        facts.push(DigestFact::NoteDelivered { from: nick(note.from), to: nick(note.to) });
    }
    facts.extend(report.missed.iter().map(|who| DigestFact::Missed { who: nick(*who) }));
    facts.extend(report.warned.iter().map(|who| DigestFact::Warned { who: nick(*who) }));
    facts.extend(report.expelled.iter().map(|row| DigestFact::Expelled { who: nick(row.who), why: row.why }));
    if let (Some(chosen), true) = (report.vote.chosen, report.vote.tied.len() > 1) {
        let among = report.vote.tied.iter().map(|who| nick(*who)).collect();
        facts.push(DigestFact::Lot { among, chosen: nick(chosen) });
    }
    let rows = table
        .seats()
        .map(|(_, player)| DigestRow {
            nick: player.nick.clone(),
            role: player.role.unwrap_or(Role::Citizen),
            life: player.life,
            missed: player.missed,
            warned: player.warned,
        })
        .collect();
    Digest { summary: summary(table, before, report, next, false), facts, table: rows }
}

/// The end, to everyone who ever played, the hosts and the moderators.
pub(super) fn finals(table: &Table, by_host: bool, context: &Context) -> Vec<Owed> {
    let Some(winner) = table.game.winner else { return Vec::new() };
    let nick = |who: PlayerId| table.nick(who).to_owned();
    let show_persons = table.game.rulebook.reveal_persons_at_end;
    let roster = table
        .seats()
        .map(|(who, player)| FinalRow {
            nick: player.nick.clone(),
            role: player.role.unwrap_or(Role::Citizen),
            life: player.life,
            gender: player.gender,
            person: show_persons.then(|| (context.person)(who)).flatten(),
        })
        .collect();
    // Nobody who died is expelled afterwards, nor the other way round.
    let is_expelled = |who: &PlayerId| table.player(*who).is_some_and(|player| player.life == Life::Expelled);
    let turns = table
        .told
        .iter()
        .map(|told| FinalTurn {
            turn: told.turn,
            ballots: told.ballots.iter().map(|(voter, whom)| (nick(*voter), nick(*whom))).collect(),
            fell: told.fell.iter().filter(|who| !is_expelled(who)).map(|who| nick(*who)).collect(),
            expelled: told.fell.iter().filter(|who| is_expelled(who)).map(|who| nick(*who)).collect(),
        })
        .collect();
    let last = Final {
        winner,
        by_host,
        roster,
        turns,
        seed: (context.seed)(),
        commitment: table.commitment.clone(),
        lot_words: table.lot_words.clone(),
    };
    let mut readers: Vec<Reader> = table.seats().map(|(player, _)| Reader::Player(player)).collect();
    readers.extend((0..context.formers).map(Reader::Former));
    readers.extend((0..context.hosts).map(Reader::Host));
    readers.extend((0..context.moderators).map(Reader::Moderator));
    readers.into_iter().map(|reader| Owed::new(reader, Letter::Final(last.clone()), table.game.turn)).collect()
}
