//! WHO MAY KNOW WHAT, here and nowhere else: from an event, and from what each reader may know, the letters that are
//! owed. Pure: the same journal always owes the same letters, whoever replays it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::facts::{self, Fact};
use super::view::{self, Reader, View};
use super::{
    Alert, Answer, CheckResult, Conversion, Death, Deprivation, Digest, DigestFact, DigestRow, ExpelledSaid, Expulsion,
    Fallen, Final, FinalRow, FinalTurn, Help, Letter, Line, LineFate, NextTurn, NobodyWhy, Notice, Opening,
    PistolQuestion, Promotion, Receipt, RefusalSaid, Relayed, Reminder, Rope, ShotSaid, Summary, VoteState, Warning,
};
use crate::journal::{By, Entry, Heard, Held, Item, Standing};
use crate::request::Word;
use crate::rules::admit::Refusal;
use crate::rules::game::{Game, Life};
use crate::rules::ledger::{Ask, Fate, HostAct, Target};
use crate::rules::report::{Cause, ExpelWhy, LynchOutcome, PublishVotes, Report, When};
use crate::rules::{Kind, PlayerId, Role, TextRef};
use crate::table::{State, Table};

/// What composing needs beside the table, looked up by the caller.
pub struct Context<'a> {
    /// An erasable text by its number; None when it has been erased.
    pub text: &'a dyn Fn(&TextRef) -> Option<String>,
    pub proof_word: &'a dyn Fn(PlayerId) -> String,
    /// A place in an order that has nothing to do with roles.
    pub rank: &'a dyn Fn(PlayerId) -> [u8; 32],
    pub hosts: u16,
    pub moderators: u16,
    pub forums: u16,
    /// The lots' seed in hex and the players' words; only a `final` letter tells them.
    pub seed: &'a dyn Fn() -> String,
    /// The forum member behind a nick, where he gave a name.
    pub person: &'a dyn Fn(PlayerId) -> Option<String>,
}

/// A letter owed, before it has words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    pub reader: Reader,
    pub letter: Letter,
    /// `X-Omerta-Turn`.
    pub turn: u16,
    /// Belongs to the results of a closed turn: the next deadline waits for it.
    pub result: bool,
    /// The letter that it answers, by its number in the store.
    pub answers: Option<u64>,
    /// Of no use after this moment.
    pub expires: Option<Timestamp>,
}

impl Owed {
    fn new(reader: Reader, letter: Letter, turn: u16) -> Owed {
        Owed { reader, letter, turn, result: false, answers: None, expires: None }
    }
}

/// The letters that an event owes. `table` has the event already folded in; `before` is the rules' state before it, needed
/// where a turn is published.
pub fn owed(table: &Table, before: Option<&Game>, entry: &Entry, context: &Context) -> Vec<Owed> {
    match entry {
        Entry::Started { .. } => started(table, context),
        Entry::DeadlineSet { deadline, was, by: By::Host } if is_running(table) => {
            to_all(table, context, &Notice::DeadlineMoved { was: *was, deadline: *deadline })
        }
        Entry::Paused { .. } => to_all(table, context, &Notice::Paused),
        Entry::Resumed { deadline } => to_all(table, context, &Notice::Resumed { deadline: *deadline }),
        Entry::Cancelled => to_all(table, context, &Notice::Cancelled),
        Entry::Heard(heard) => heard_letters(table, heard, context),
        Entry::HostActed { act, text, .. } => host_acted(table, act, text.as_ref(), context),
        Entry::HostWarned { player, text } => {
            let view = View::of(table, *player);
            let text = (context.text)(text).unwrap_or_default();
            let warning = Warning::Host { nick: view.my_nick(), text };
            vec![Owed::new(Reader::Player(*player), Letter::Warning(warning), table.game.turn)]
        }
        Entry::Reminded { .. } => reminders(table),
        Entry::Closed { report, why_held: Some(Held::Window), .. } => window_question(table, report),
        Entry::Closed { report, why_held, .. } | Entry::WindowClosed { report, why_held, .. } => {
            held_alert(table, report, *why_held, context)
        }
        Entry::Published { next } => published(table, before, *next, context),
        Entry::Alerted { alert } => to_hosts(table, context, &Letter::Alert(alert.clone())),
        Entry::Created(_)
        | Entry::Registered { .. }
        | Entry::Erased
        | Entry::DeadlineSet { .. }
        | Entry::Rearranged { .. }
        | Entry::MissesForgiven { .. } => Vec::new(),
    }
}

fn is_running(table: &Table) -> bool {
    matches!(table.state, State::Playing | State::Paused)
}

/// Everyone in the game but the expelled, in roster order; then hosts, then moderators.
fn audience(table: &Table, context: &Context) -> Vec<Reader> {
    let mut readers: Vec<Reader> = table
        .seats()
        .filter(|(_, player)| player.life != Life::Expelled)
        .map(|(player, _)| Reader::Player(player))
        .collect();
    readers.extend((0..context.hosts).map(Reader::Host));
    readers.extend((0..context.moderators).map(Reader::Moderator));
    readers
}

fn to_all(table: &Table, context: &Context, notice: &Notice) -> Vec<Owed> {
    audience(table, context)
        .into_iter()
        .map(|reader| Owed::new(reader, Letter::Notice(notice.clone()), table.game.turn))
        .collect()
}

fn to_hosts(table: &Table, context: &Context, letter: &Letter) -> Vec<Owed> {
    (0..context.hosts).map(|host| Owed::new(Reader::Host(host), letter.clone(), table.game.turn)).collect()
}

/// The opening to all in roster order, then the roles in an order of their own.
fn started(table: &Table, context: &Context) -> Vec<Owed> {
    let mut owed = Vec::new();
    for reader in audience(table, context) {
        let nick = match &reader {
            Reader::Player(player) => Some(table.nick(*player).to_owned()),
            _ => None,
        };
        let opening = Opening {
            nick,
            roster: view::roster(table),
            deviations: table.game.rulebook.deviations(),
            commitment: table.commitment.clone(),
            dealt_as_given: table.dealt_as_given,
            deadline: table.deadline,
        };
        owed.push(Owed::new(reader, Letter::Opening(opening), table.game.turn));
    }
    for player in shuffled(table.seats().map(|(player, _)| player), context) {
        let card = View::of(table, player).role_card((context.proof_word)(player));
        owed.push(Owed::new(Reader::Player(player), Letter::Role(card), 1));
    }
    owed
}

fn shuffled(players: impl Iterator<Item = PlayerId>, context: &Context) -> Vec<PlayerId> {
    let mut players: Vec<PlayerId> = players.collect();
    players.sort_by_key(|player| (context.rank)(*player));
    players
}

// ---------------------------------------------------------------------------------------------------------- answers

/// The one answer to a letter, and what the letter passes on.
fn heard_letters(table: &Table, heard: &Heard, context: &Context) -> Vec<Owed> {
    let mut owed = vec![answer(table, heard, context)];
    for item in &heard.items {
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
        let relayed = |reader: PlayerId| Relayed {
            nick: table.nick(reader).to_owned(),
            author: author.clone(),
            text: words.clone(),
            author_dead: false,
        };
        match (kind, target) {
            (Kind::Pm, Target::Player(to)) => {
                owed.push(Owed::new(Reader::Player(*to), Letter::Pm(relayed(*to)), heard.turn));
            }
            (Kind::Clan, _) => {
                for mate in table.game.clan(heard.from) {
                    let alive = table.player(mate).is_some_and(|player| player.life == Life::Alive);
                    if mate != heard.from && alive {
                        owed.push(Owed::new(Reader::Player(mate), Letter::Clan(relayed(mate)), heard.turn));
                    }
                }
            }
            _ => {}
        }
    }
    if let Standing::FoundLate { deadline } = heard.standing {
        let alert = Alert::FoundLate { nick: table.nick(heard.from).to_owned(), arrived: arrival(heard), deadline };
        owed.extend(to_hosts(table, context, &Letter::Alert(alert)));
    }
    owed
}

fn arrival(heard: &Heard) -> Timestamp {
    Timestamp::from_second(heard.order.second).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Which letter answers: the role card if that alone was asked; facts alone: `answer`; no request at all: `help`;
/// else the receipt.
fn answer(table: &Table, heard: &Heard, context: &Context) -> Owed {
    let view = View::of(table, heard.from);
    let reader = Reader::Player(heard.from);
    let (letter, turn) = if heard.items.is_empty() {
        let help = Help {
            nick: view.my_nick(),
            deadline: view.deadline(),
            vote: view.vote(),
            undecodable: heard.undecodable,
            too_large: heard.too_large,
        };
        (Letter::Help(help), heard.turn)
    } else if matches!(heard.items.as_slice(), [Item::Question { word: Word::Role }]) && !table.dealt.is_empty() {
        (Letter::Role(view.role_card((context.proof_word)(heard.from))), 1)
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
        lines.push(Line { said, word: item.word(), fate: line_fate(view, heard, item) });
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
        answers,
    }
}

fn answer_to(table: &Table, view: &View, from: PlayerId, word: Word, context: &Context) -> Option<Answer> {
    Some(match word {
        Word::Role if !table.dealt.is_empty() => Answer::Role(view.role_card((context.proof_word)(from))),
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

fn line_fate(view: &View, heard: &Heard, item: &Item) -> LineFate {
    match item {
        Item::Question { .. } => LineFate::Answered,
        Item::Problem { problem, .. } => LineFate::Problem { problem: *problem },
        Item::NotNow { .. } => LineFate::NotNow,
        Item::Ask { ask, fate, capped, end, did_you_mean } => {
            let (kind, target) = match ask {
                Ask::Do { kind, target: Target::Player(target), .. } => (Some(*kind), Some(view.nick(*target))),
                Ask::Do { kind, .. } => (Some(*kind), None),
                Ask::Cancel { kind } => (*kind, None),
            };
            let named = |what: &[(Kind, PlayerId)]| what.iter().map(|(kind, who)| (*kind, view.nick(*who))).collect();
            match fate {
                _ if capped.is_some() => {
                    LineFate::Refused { kind, target, why: RefusalSaid::RelayCap { limit: capped.unwrap_or_default() } }
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
                    let end = end.clone().unwrap_or(crate::request::TextEnd::Letter);
                    match kind {
                        Some(Kind::Note) => LineFate::Filed { to: target.unwrap_or_default(), end },
                        Some(Kind::Pm | Kind::Clan) => LineFate::Relayed { to: target, end },
                        _ => LineFate::Accepted {
                            kind: kind.unwrap_or(Kind::Lynch),
                            target: target.unwrap_or_default(),
                            replaces: replaces.map(|(kind, who)| (kind, view.nick(who))),
                            caveat: *caveat,
                        },
                    }
                }
            }
        }
    }
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

fn reminders(table: &Table) -> Vec<Owed> {
    let Some(deadline) = table.deadline else { return Vec::new() };
    table
        .living()
        .filter(|(player, _)| View::of(table, *player).vote() == VoteState::Missing)
        .map(|(player, _)| {
            let view = View::of(table, player);
            let reminder = Reminder {
                nick: view.my_nick(),
                deadline,
                vote_missing: true,
                missed: view.missed(),
                missed_limit: view.missed_limit(),
            };
            let reader = Reader::Player(player);
            Owed { expires: Some(deadline), ..Owed::new(reader, Letter::Reminder(reminder), table.game.turn) }
        })
        .collect()
}

fn host_acted(table: &Table, act: &HostAct, text: Option<&TextRef>, context: &Context) -> Vec<Owed> {
    let turn = table.game.turn;
    match act {
        HostAct::Expel { who, left } => {
            let why = if *left { ExpelWhy::Left } else { ExpelWhy::Host };
            let text = text.and_then(|text| (context.text)(text)).unwrap_or_default();
            vec![Owed::new(Reader::Player(*who), Letter::Expulsion(expulsion(table, *who, why, text)), turn)]
        }
        HostAct::Deprive { who, .. } => {
            let until_turn = table.player(*who).map_or(turn, |player| player.deprived_until);
            let deprivation = Deprivation { nick: table.nick(*who).to_owned(), until_turn };
            vec![Owed::new(Reader::Player(*who), Letter::Deprivation(deprivation), turn)]
        }
        HostAct::ForgiveMiss { .. } | HostAct::ForgiveSilence { .. } => Vec::new(),
    }
}

fn expulsion(table: &Table, who: PlayerId, why: ExpelWhy, text: String) -> Expulsion {
    Expulsion {
        nick: table.nick(who).to_owned(),
        gender: table.player(who).and_then(|player| player.gender),
        why,
        text,
        role_shown: table.game.rulebook.reveal_on_expulsion,
    }
}

/// Only the one who is dying is asked; the wait is the same for all.
fn window_question(table: &Table, report: &Report) -> Vec<Owed> {
    let Some(window) = &table.window else { return Vec::new() };
    let Some(dying) = window.dying else { return Vec::new() };
    let view = View::of(table, dying);
    let standing = view.standing().into_iter().find(|(kind, _)| *kind == Kind::Pistol).map(|(_, target)| target);
    let question = PistolQuestion { nick: view.my_nick(), until: window.until, standing };
    let owed = Owed::new(Reader::Player(dying), Letter::Pistol(question), report.turn);
    vec![Owed { expires: Some(window.until), ..owed }]
}

fn held_alert(table: &Table, report: &Report, why: Option<Held>, context: &Context) -> Vec<Owed> {
    match why {
        None | Some(Held::Window) => Vec::new(),
        Some(Held::ManyMisses) => {
            let nicks = report.missed.iter().map(|who| table.nick(*who).to_owned()).collect();
            let living = u16::try_from(table.living().count()).unwrap_or(u16::MAX);
            to_hosts(table, context, &Letter::Alert(Alert::ManyMisses { nicks, living }))
        }
        Some(Held::Approval) => to_hosts(table, context, &Letter::Alert(Alert::AwaitsApproval)),
    }
}

// ----------------------------------------------------------------------------------------------------- a closed turn

/// Two waves: the summary to each in roster order, then the private letters in an order that tells nothing.
fn published(table: &Table, before: Option<&Game>, next: Option<Timestamp>, context: &Context) -> Vec<Owed> {
    let (Some(report), Some(before)) = (table.last.as_deref(), before) else { return Vec::new() };
    let persons = persons_of_the_dead(table, report, context);
    let said = |paste: bool| Summary { persons: persons.clone(), ..summary(table, before, report, next, paste) };
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
        &Letter::Digest(Digest { summary: said(false), ..digest(table, before, report, next) }),
    ));
    if table.state == State::Finished {
        owed.extend(finals(table, context));
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
fn summary(table: &Table, before: &Game, report: &Report, next: Option<Timestamp>, paste: bool) -> Summary {
    let nick = |who: PlayerId| table.nick(who).to_owned();
    let gender = |who: PlayerId| table.player(who).and_then(|player| player.gender);
    let causes: BTreeMap<PlayerId, Vec<Cause>> =
        report.deaths.iter().map(|death| (death.who, death.causes.clone())).collect();
    let public = facts::public(report, before);
    let shows_cause = |who: PlayerId| public.iter().any(|fact| *fact == Fact::Cause(who));
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

fn digest(table: &Table, before: &Game, report: &Report, next: Option<Timestamp>) -> Digest {
    let nick = |who: PlayerId| table.nick(who).to_owned();
    let mut facts = Vec::new();
    for line in &report.standing {
        if line.kind != Kind::Note {
            facts.push(DigestFact::Stood { who: nick(line.from), kind: line.kind, target: nick(line.target) });
        }
    }
    for void in &report.void {
        facts.push(DigestFact::Void {
            who: nick(void.line.from),
            kind: void.line.kind,
            target: nick(void.line.target),
            why: void.why,
        });
    }
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
fn finals(table: &Table, context: &Context) -> Vec<Owed> {
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
    let turns = table
        .told
        .iter()
        .map(|told| FinalTurn {
            turn: told.turn,
            ballots: told.ballots.iter().map(|(voter, whom)| (nick(*voter), nick(*whom))).collect(),
            fell: told.fell.iter().map(|who| nick(*who)).collect(),
        })
        .collect();
    let last = Final {
        winner,
        roster,
        turns,
        seed: (context.seed)(),
        commitment: table.commitment.clone(),
        lot_words: Vec::new(),
    };
    let mut readers: Vec<Reader> = table.seats().map(|(player, _)| Reader::Player(player)).collect();
    readers.extend((0..context.hosts).map(Reader::Host));
    readers.extend((0..context.moderators).map(Reader::Moderator));
    readers.into_iter().map(|reader| Owed::new(reader, Letter::Final(last.clone()), table.game.turn)).collect()
}
