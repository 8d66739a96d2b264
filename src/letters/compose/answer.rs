//! The one answer to a letter, and what the letter passes on.

use super::{Context, Owed, to_hosts};
use crate::journal::{Heard, Item, Quota, Standing};
use crate::letters::view::{Reader, View};
use crate::letters::{
    Alert, Answer, Help, Lang, Letter, Line, LineFate, Notice, Over, Receipt, RefusalSaid, Relayed, VoteState,
    shows_letter_of_ours,
};
use crate::request::Word;
use crate::request::dates::Days;
use crate::rules::admit::Refusal;
use crate::rules::game::{Game, Life};
use crate::rules::ledger::{Act, Ask, Caveat, Fate, Target};
use crate::rules::{Kind, Order, PlayerId};
use crate::table::{Phase, State, Table};
use jiff::Timestamp;

/// The one answer to a letter, and what the letter passes on.
pub(super) fn heard_letters(table: &Table, heard: &Heard, context: &Context) -> Vec<Owed> {
    let mut owed = vec![answer(table, heard, context)];
    let mut shown = false;
    for item in &heard.items {
        if let Item::Absent { days: Some(days) } = item {
            let (first, last) = said_days(table.lang, *days);
            let away = Alert::Away { nick: table.nick(heard.from).to_owned(), first, last };
            owed.extend(to_hosts(table, context, &Letter::Alert(away)));
        }
        let Item::Ask {
            ask: Ask::Do { kind, target, text: Some(text) },
            fate: Fate::Accepted { .. },
            capped: None,
            ..
        } = item
        else {
            continue;
        };
        if matches!(heard.standing, Standing::FoundLate { .. } | Standing::NotPlaying) {
            continue;
        }
        let author = table.nick(heard.from).to_owned();
        let words = (context.text)(text).unwrap_or_default();
        let is_talk = matches!(kind, Kind::Pm | Kind::Clan);
        shown |= is_talk && shows_letter_of_ours(&words);
        let relayed = |reader: PlayerId| Relayed {
            nick: table.nick(reader).to_owned(),
            author: author.clone(),
            text: words.clone(),
            author_dead: false,
        };
        let mut pass_on = |to: PlayerId, letter: Letter| {
            let passed_on = Owed::new(Reader::Player(to), letter, heard.turn);
            owed.push(Owed { passes_on: Some(heard.letter), ..passed_on });
        };
        match (kind, target) {
            (Kind::Pm, Target::Player(to)) => pass_on(*to, Letter::Pm(relayed(*to))),
            (Kind::Clan, _) => {
                for mate in table.game.clan(heard.from) {
                    let alive = table.player(mate).is_some_and(|player| player.life == Life::Alive);
                    if mate != heard.from && alive {
                        pass_on(mate, Letter::Clan(relayed(mate)));
                    }
                }
            }
            _ => {}
        }
    }
    if shown {
        let alert = Alert::ShowsLetter { nick: table.nick(heard.from).to_owned() };
        owed.extend(to_hosts(table, context, &Letter::Alert(alert)));
    }
    if let Standing::FoundLate { deadline } = heard.standing {
        let alert = Alert::FoundLate { nick: table.nick(heard.from).to_owned(), arrived: arrival(heard), deadline };
        owed.extend(to_hosts(table, context, &Letter::Alert(alert)));
    }
    owed
}

/// A copy that arrived earlier has moved a letter, and the turn was judged again: whose requests stand otherwise now
/// is told how.
pub(super) fn rearranged(table: &Table, before: &Game, letter: u64, order: &Order, context: &Context) -> Vec<Owed> {
    let note = |game: &Game, who: PlayerId| game.player(who).and_then(|player| player.note.clone());
    let mut owed = Vec::new();
    for who in table.game.everybody() {
        let (was, is) = (note(before, who), note(&table.game, who));
        let note_to = if was == is { None } else { is };
        if before.standing(who) == table.game.standing(who) && note_to.is_none() {
            continue;
        }
        // A closed turn is not judged again by itself: that is the hosts' to decide.
        if table.phase == Phase::Review {
            let deadline = table.closed_at.unwrap_or_default();
            let alert = Alert::FoundLate { nick: table.nick(who).to_owned(), arrived: moment(order), deadline };
            owed.extend(to_hosts(table, context, &Letter::Alert(alert)));
            continue;
        }
        let view = View::of(table, who);
        let notice = Notice::Rearranged {
            arrived: moment(order),
            standing: view.standing(),
            vote: view.vote(),
            note_to: note_to.map(|note| view.nick(note.to)),
            deadline: view.deadline(),
        };
        let reader = Reader::Player(who);
        let told = Owed::new(reader, Letter::Notice(notice), table.game.turn);
        let is_author = table.game.ledger.acts.iter().any(
            |(_, act)| matches!(act, Act::Letter { letter: number, from, .. } if *number == letter && *from == who),
        );
        owed.push(Owed { answers: is_author.then_some(letter), ..told });
    }
    owed
}

/// A copy of a late letter had arrived in time: its sender is told, and the hosts as of any letter found after the
/// close.
pub(super) fn copy_found_late(
    table: &Table,
    (letter, from): (u64, PlayerId),
    order: &Order,
    deadline: Timestamp,
    context: &Context,
) -> Vec<Owed> {
    let notice = Letter::Notice(Notice::CopyFoundLate { arrived: moment(order), deadline });
    let told = Owed::new(Reader::Player(from), notice, table.game.turn);
    let mut owed = vec![Owed { answers: Some(letter), ..told }];
    let alert = Alert::FoundLate { nick: table.nick(from).to_owned(), arrived: moment(order), deadline };
    owed.extend(to_hosts(table, context, &Letter::Alert(alert)));
    owed
}

fn arrival(heard: &Heard) -> Timestamp {
    moment(&heard.order)
}

fn moment(order: &Order) -> Timestamp {
    Timestamp::from_second(order.second).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Which letter answers: the role card if that alone was asked; facts alone: `answer`; no request at all: `help`;
/// else the receipt.
fn answer(table: &Table, heard: &Heard, context: &Context) -> Owed {
    let view = View::of(table, heard.from);
    let reader = Reader::Player(heard.from);
    let asked = matches!(heard.items.as_slice(), [Item::Question { word: Word::Help }]);
    let (letter, turn) = if heard.items.is_empty() || asked {
        let help = Help {
            nick: view.my_nick(),
            deadline: view.deadline(),
            vote: view.vote(),
            undecodable: heard.undecodable,
            asked,
            too_large: heard.too_large,
            over: matches!(table.state, State::Finished | State::Cancelled),
            expelled: table.player(heard.from).is_some_and(|player| player.life == Life::Expelled),
        };
        (Letter::Help(help), heard.turn)
    } else if matches!(heard.items.as_slice(), [Item::Question { word: Word::Role }]) && !table.dealt.is_empty() {
        (Letter::Role(super::own_card(table, heard.from, context)), 1)
    } else {
        let receipt = receipt(table, &view, heard, context);
        let only_questions = heard.items.iter().all(|item| matches!(item, Item::Question { .. }));
        (if only_questions { Letter::Answer(receipt) } else { Letter::Receipt(receipt) }, heard.turn)
    };
    Owed { answers: Some(heard.letter), ..Owed::new(reader, letter, turn) }
}

fn receipt(table: &Table, view: &View, heard: &Heard, context: &Context) -> Receipt {
    let said = heard.said.as_ref().and_then(|said| (context.text)(said)).unwrap_or_default();
    let mut said = said.lines().map(str::to_owned);
    let mut lines = Vec::new();
    let mut answers = Vec::new();
    for item in &heard.items {
        let said = if heard.said.is_some() { said.next().unwrap_or_default() } else { String::new() };
        if let Item::Question { word } = item {
            answers.extend(answer_to(table, view, heard.from, *word, context));
        }
        let understood = match item {
            Item::Ask { ask: Ask::Do { target: Target::Player(target), .. }, guessed: true, .. } => {
                Some(view.nick(*target))
            }
            _ => None,
        };
        lines.push(Line { said, word: item.word(), understood, fate: line_fate(view, heard, item, context) });
    }
    Receipt {
        nick: view.my_nick(),
        arrived: arrival(heard),
        lines,
        standing: view.standing(),
        vote: view.vote(),
        deadline: view.deadline(),
        paused: view.is_paused(),
        closed: match heard.standing {
            Standing::Late { deadline } | Standing::FoundLate { deadline } => Some(deadline),
            Standing::OnTime | Standing::Window { .. } | Standing::NotPlaying => None,
        },
        found_late: matches!(heard.standing, Standing::FoundLate { .. }),
        charset_guess: heard.charset_guess.clone(),
        out: view.life() != Life::Alive,
        over: match table.state {
            State::Finished => Some(Over::Finished),
            State::Cancelled => Some(Over::Cancelled),
            State::Signup | State::Playing | State::Paused => None,
        },
        delayed: heard.quota == Quota::NoReceipts,
        answers,
    }
}

fn answer_to(table: &Table, view: &View, from: PlayerId, word: Word, context: &Context) -> Option<Answer> {
    Some(match word {
        Word::Role if !table.dealt.is_empty() => Answer::Role(Box::new(super::own_card(table, from, context))),
        Word::Status => Answer::Status {
            alive: view.living_count(),
            note_filed: view.note_filed(),
            pistol: view.standing().into_iter().find(|(kind, _)| *kind == Kind::Pistol).map(|(_, target)| target),
        },
        Word::Players => Answer::Players { players: view.players() },
        Word::Rules => Answer::Rules { deviations: view.deviations() },
        Word::Help => Answer::Help,
        Word::Why => Answer::HostOnly,
        _ => return None,
    })
}

fn said_days(lang: Lang, days: Days) -> (String, String) {
    let form = match lang {
        Lang::Ru => "%d.%m.%Y",
        Lang::En => "%Y-%m-%d",
    };
    (days.first.strftime(form).to_string(), days.last.strftime(form).to_string())
}

fn line_fate(view: &View, heard: &Heard, item: &Item, context: &Context) -> LineFate {
    match item {
        Item::Question { .. } => LineFate::Answered,
        Item::Problem { problem, .. } => LineFate::Problem { problem: *problem },
        Item::NotNow { .. } => LineFate::NotNow,
        Item::Absent { days: None } => LineFate::NoDays,
        Item::Absent { days: Some(days) } => {
            let (first, last) = said_days(view.lang(), *days);
            LineFate::Away { first, last }
        }
        Item::Weighty { fate, .. } => LineFate::Weighty { fate: *fate },
        Item::Ask { ask, fate, capped, end, did_you_mean, .. } => {
            let (kind, target) = match ask {
                Ask::Do { kind, target: Target::Player(target), .. } => (Some(*kind), Some(view.nick(*target))),
                Ask::Do { kind, .. } => (Some(*kind), None),
                Ask::Cancel { kind } => (*kind, None),
            };
            let named = |what: &[(Kind, PlayerId)]| what.iter().map(|(kind, who)| (*kind, view.nick(*who))).collect();
            match fate {
                _ if capped.is_some() => {
                    let limit = capped.unwrap_or_default();
                    let is_clan = kind == Some(Kind::Clan);
                    let why = if is_clan { RefusalSaid::ClanCap { limit } } else { RefusalSaid::RelayCap { limit } };
                    LineFate::Refused { kind, target, why }
                }
                // R79, A75: the rules know no such request; the writer learns why.
                Fate::Refused(Refusal::UnknownRequest) if matches!(ask, Ask::Cancel { kind: Some(Kind::Note) }) => {
                    LineFate::Refused { kind, target, why: RefusalSaid::NoteStays }
                }
                Fate::Refused(refusal) => {
                    let why = refusal_said(view, heard, refusal, did_you_mean);
                    LineFate::Refused { kind, target, why }
                }
                Fate::Withdrawn { what } => LineFate::Withdrawn { what: named(what) },
                Fate::NothingToWithdraw => LineFate::NothingToWithdraw,
                Fate::Duplicate => {
                    LineFate::Duplicate { kind: kind.unwrap_or(Kind::Lynch), target: target.unwrap_or_default() }
                }
                Fate::Accepted { replaces, caveat } => {
                    let end = end.unwrap_or(crate::request::TextEnd::Letter);
                    match kind {
                        Some(Kind::Note) => LineFate::Filed { to: target.unwrap_or_default(), end },
                        Some(Kind::Pm | Kind::Clan) => {
                            let held = match ask {
                                Ask::Do { text: Some(text), .. } => {
                                    (context.text)(text).is_some_and(|words| shows_letter_of_ours(&words))
                                }
                                _ => false,
                            };
                            LineFate::Relayed { to: target, end, later: heard.quota != Quota::Open, held }
                        }
                        _ => LineFate::Accepted {
                            kind: kind.unwrap_or(Kind::Lynch),
                            target: target.unwrap_or_default(),
                            replaces: replaces.map(|(kind, who)| (kind, view.nick(who))),
                            caveat: caveat.filter(|caveat| is_still_so(view, *caveat)),
                        },
                    }
                }
            }
        }
    }
}

/// A vote that came in a lower line of the letter is not asked for.
fn is_still_so(view: &View, caveat: Caveat) -> bool {
    caveat != Caveat::NeedsVote || !matches!(view.vote(), VoteState::In(_))
}

fn refusal_said(view: &View, heard: &Heard, refusal: &Refusal, did_you_mean: &[PlayerId]) -> RefusalSaid {
    match refusal {
        Refusal::DeadSender => RefusalSaid::DeadSender,
        Refusal::ExpelledSender => RefusalSaid::ExpelledSender,
        Refusal::AfterDeadline => match heard.standing {
            Standing::Late { deadline } | Standing::FoundLate { deadline } | Standing::Window { deadline } => {
                RefusalSaid::AfterDeadline { deadline, arrived: arrival(heard) }
            }
            Standing::OnTime | Standing::NotPlaying => RefusalSaid::UnknownRequest,
        },
        Refusal::UnknownSender | Refusal::UnknownRequest => RefusalSaid::UnknownRequest,
        Refusal::FirstTurn => RefusalSaid::FirstTurn,
        Refusal::Deprived => RefusalSaid::Deprived,
        Refusal::MafiaNoHunt => RefusalSaid::MafiaNoHunt,
        Refusal::LonerNoHunt => RefusalSaid::LonerNoHunt,
        Refusal::NotYourRole => RefusalSaid::NotYourRole,
        Refusal::UnknownNick => {
            RefusalSaid::UnknownNick { did_you_mean: did_you_mean.iter().map(|who| view.nick(*who)).collect() }
        }
        Refusal::TargetOut(who) => RefusalSaid::TargetOut { nick: view.nick(*who) },
        Refusal::SelfTarget => RefusalSaid::SelfTarget,
        Refusal::OwnClan => RefusalSaid::OwnClan,
        Refusal::HealTwice(who) => RefusalSaid::HealTwice { nick: view.nick(*who) },
        Refusal::NoteAlreadySent => RefusalSaid::NoteAlreadySent,
        Refusal::RelayOff => RefusalSaid::RelayOff,
    }
}
