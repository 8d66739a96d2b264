//! WHO MAY KNOW WHAT, here and nowhere else: from an event, and from what each reader may know, the letters that are
//! owed. Pure: the same journal always owes the same letters, whoever replays it.

mod answer;
mod chronicle;
mod correction;
mod morning;
mod orders;
mod preview;
mod replacement;
mod signup;
mod turn;

pub use chronicle::{Chronicle, ChronicleLots, ChronicleRow, chronicle, told_to_all};
pub use preview::preview;

use crate::journal::{Asked, By, Entry, Held, Nag, Writer};
use crate::letters::view::{self, Reader, View};
use crate::letters::{
    Alert, Confirm, Deprivation, Expulsion, Letter, Moved, Notice, Office, Opening, PistolQuestion, Reasons, Reminder,
    RoleCard, VoteState, Warning,
};
use crate::rules::game::{Game, Life};
use crate::rules::ledger::HostAct;
use crate::rules::report::{ExpelWhy, Report};
use crate::rules::rulebook::NickSource;
use crate::rules::{Kind, PlayerId, TextRef};
use crate::table::{State, Table};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

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
    /// People who gave a seat up to another.
    pub formers: u16,
    /// The lots' seed in hex and the players' words; only a `final` letter tells them.
    pub seed: &'a dyn Fn() -> String,
    /// Forum name and password of a seat's account (R83); the password is empty where it can't be read now.
    pub account: &'a dyn Fn(PlayerId) -> Option<(String, String)>,
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
    /// The letter whose talk it passes on, likewise.
    pub passes_on: Option<u64>,
    /// Of no use after this moment.
    pub expires: Option<Timestamp>,
}

impl Owed {
    pub fn new(reader: Reader, letter: Letter, turn: u16) -> Owed {
        Owed { reader, letter, turn, result: false, answers: None, passes_on: None, expires: None }
    }
}

/// The letters that an event owes. `table` has the event already folded in; `before` is the rules' state before it,
/// needed where a turn is published or judged again.
pub fn owed(table: &Table, before: Option<&Game>, entry: &Entry, context: &Context) -> Vec<Owed> {
    match entry {
        Entry::SignupHeard(heard) => signup::answer(table, heard, context),
        Entry::SignupClosed { dropped, .. } => {
            let mut owed = signup::news(table, dropped, context);
            owed.extend(signup::roster(table, context));
            owed
        }
        Entry::Placed { applicant } | Entry::ApplicantJudged { applicant, .. } => {
            signup::news(table, &[*applicant], context)
        }
        Entry::Greeted { who } => signup::greeted(table, who),
        Entry::PasswordsChanged { accounts } => passwords_changed(table, accounts, context),
        Entry::Started { .. } => {
            let mut owed = started(table, context);
            owed.extend(signup::left_out(table, context));
            // Only now all have a nick.
            if table.game.rulebook.nick_source == NickSource::Issued && table.signup.is_some() {
                owed.extend(signup::roster(table, context));
            }
            owed
        }
        Entry::DeadlineSet { deadline, was, by: By::Host } if is_running(table) => {
            to_all(table, context, &Notice::DeadlineMoved { was: *was, deadline: *deadline })
        }
        Entry::DeadlineSet { deadline, was: Some(was), by: By::AllVoted } => {
            to_all(table, context, &Notice::AllVoted { was: *was, deadline: *deadline })
        }
        Entry::DeadlineSet { deadline, was, by: By::VoteWithdrawn } => {
            to_all(table, context, &Notice::DeadlineMoved { was: *was, deadline: *deadline })
        }
        Entry::Paused { .. } => to_all(table, context, &Notice::Paused),
        Entry::Resumed { deadline } => to_all(table, context, &Notice::Resumed { deadline: *deadline }),
        Entry::Cancelled => {
            let mut owed = to_all(table, context, &Notice::Cancelled);
            owed.extend(signup::cancelled(table));
            owed
        }
        Entry::Heard(heard) => answer::heard_letters(table, heard, context),
        Entry::Rearranged { letter, order } => {
            before.map(|before| answer::rearranged(table, before, *letter, order, context)).unwrap_or_default()
        }
        Entry::TalkWaits { from, to } => {
            let view = View::of(table, *from);
            let to = to.iter().map(|to| to.map(|to| view.nick(to))).collect();
            let notice = Letter::Notice(Notice::TalkWaits { to });
            vec![Owed::new(Reader::Player(*from), notice, table.game.turn)]
        }
        Entry::CopyFoundLate { letter, from, order, deadline } => {
            answer::copy_found_late(table, (*letter, *from), order, *deadline, context)
        }
        Entry::HostActed { act, text, .. } => host_acted(table, act, text.as_ref(), context),
        Entry::HostWarned { player, text } => {
            let view = View::of(table, *player);
            let text = (context.text)(text).unwrap_or_default();
            let warning = Warning::Host { nick: view.my_nick(), text };
            vec![Owed::new(Reader::Player(*player), Letter::Warning(warning), table.game.turn)]
        }
        Entry::Reminded { before, .. } => reminders(table, before),
        Entry::Nagged { steps, .. } => nags(table, steps, context),
        Entry::Closed { report, why_held: Some(Held::Window), .. } => window_question(table, report),
        Entry::Closed { report, why_held, shown, .. } | Entry::WindowClosed { report, why_held, shown, .. } => {
            held_alert(table, report, why_held.filter(|why| !shown || *why != Held::Approval), context)
        }
        Entry::Previewed { next } => match preview(table, *next, context) {
            Some(shown) => to_hosts(table, context, &Letter::Preview(shown)),
            None => Vec::new(),
        },
        Entry::Published { next } => turn::published(table, before, *next, context),
        Entry::HostAsked { host, letter, unknown_nick, .. } => {
            // Its words are not in the journal of the first version.
            let text = (!unknown_nick).then(String::new);
            let roster = table.seats().map(|(_, player)| player.nick.clone()).collect();
            let letter_owed = Letter::Why(Reasons { text, roster });
            let owed = Owed::new(Reader::Host(*host), letter_owed, table.game.turn);
            vec![Owed { answers: Some(*letter), ..owed }]
        }
        Entry::HostHeard(heard) => orders::answer(table, heard, context),
        Entry::Morning(said) => to_hosts(table, context, &Letter::Morning(morning::letter(table, said))),
        Entry::Asked(asked) => vec![question(table, asked, context)],
        Entry::AddressChanged { player, .. } => moved(table, *player),
        Entry::Replaced { player, .. } => replacement::replaced(table, *player, context),
        Entry::SeatOffered { player, applicant, until, after } => {
            replacement::offered(table, *player, (*applicant, *until), *after, context)
        }
        Entry::OffersOver { player, end } => replacement::offers_over(table, *player, *end, context),
        Entry::Finished { .. } => turn::finals(table, true, context),
        Entry::Alerted { alert } => alerts(table, context, alert),
        Entry::FeedJudged { players, .. } => {
            let rulebook = &table.game.rulebook;
            let nicks = players.iter().map(|who| table.nick(*who).to_owned()).collect();
            let (days, by_itself) = (rulebook.activity_days, rulebook.activity_auto);
            alerts(table, context, &Alert::SilentInTopic { nicks, days, by_itself })
        }
        Entry::Created(_)
        | Entry::SignupOpened(_)
        | Entry::ApplicantCame { .. }
        | Entry::HandShaken { .. }
        | Entry::StartQuestioned { .. }
        | Entry::AccountsGiven { .. }
        | Entry::AccountsDealt { .. }
        | Entry::Registered { .. }
        | Entry::Commanded { .. }
        | Entry::StoryTold { .. }
        | Entry::TakenBack { .. }
        | Entry::Ruled { .. }
        | Entry::JudgedAgain { .. }
        | Entry::Erased
        | Entry::Posted { .. }
        | Entry::FeedSet { .. }
        | Entry::Watched { .. }
        | Entry::Confirmed { .. }
        | Entry::DeadlineSet { .. }
        | Entry::SkipsSet { .. }
        | Entry::MissesForgiven { .. } => Vec::new(),
    }
}

/// One question to the registered address, whoever wrote the letter.
fn question(table: &Table, asked: &Asked, context: &Context) -> Owed {
    let said = asked.said.as_ref().and_then(|said| (context.text)(said)).unwrap_or_default();
    let (reader, nick) = match asked.who {
        Writer::Player(player) => (Reader::Player(player), Some(View::of(table, player).my_nick())),
        Writer::Host(position) => (Reader::Host(position), None),
        Writer::Moderator(position) => (Reader::Moderator(position), None),
        Writer::Applicant(number) => (Reader::Applicant(number), None),
    };
    let confirm = Confirm {
        nick,
        arrived: Timestamp::from_second(asked.order.second).unwrap_or(Timestamp::UNIX_EPOCH),
        why: asked.why,
        lines: said.lines().map(str::to_owned).collect(),
        holds_more: asked.lines.is_some(),
        last: asked.last,
        until: asked.until,
    };
    let owed = Owed::new(reader, Letter::Confirm(confirm), table.game.turn);
    Owed { answers: Some(asked.letter), expires: asked.until, ..owed }
}

/// Both addresses are told, each without the other.
fn moved(table: &Table, player: PlayerId) -> Vec<Owed> {
    let to = |reader: Reader, here: bool| {
        let nick = View::of(table, player).my_nick();
        Owed::new(reader, Letter::Moved(Moved { nick, here }), table.game.turn)
    };
    vec![to(Reader::Player(player), true), to(Reader::Before(player), false)]
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

/// The later step reaches whom the earlier one does.
fn nags(table: &Table, steps: &[Nag], context: &Context) -> Vec<Owed> {
    let mut owed = Vec::new();
    if steps.iter().any(|step| matches!(step, Nag::Host | Nag::AllHosts)) {
        owed = to_hosts(table, context, &Letter::Alert(Alert::AwaitsApproval));
        owed.retain(|letter| steps.contains(&Nag::AllHosts) || letter.reader == Reader::Host(0));
    }
    if steps.contains(&Nag::Everybody) {
        owed.extend(to_all(table, context, &Notice::ResultsAwaited));
    }
    owed
}

/// To the hosts, but not to the one who is out of reach.
fn alerts(table: &Table, context: &Context, alert: &Alert) -> Vec<Owed> {
    let mut owed = to_hosts(table, context, &Letter::Alert(alert.clone()));
    if let Alert::OfficerUndelivered { office: Office::Host, number, .. } = alert {
        owed.retain(|letter| letter.reader != Reader::Host(*number));
    }
    owed
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
            early_close: table.settings.early_close,
        };
        owed.push(Owed::new(reader, Letter::Opening(opening), table.game.turn));
    }
    for player in shuffled(table.seats().map(|(player, _)| player), context) {
        let card = own_card(table, player, context);
        owed.push(Owed::new(Reader::Player(player), Letter::Role(card), 1));
    }
    owed
}

/// The role card with the forum account: for its own player, and nobody else.
fn own_card(table: &Table, player: PlayerId, context: &Context) -> RoleCard {
    let forum_account = (context.account)(player);
    RoleCard { forum_account, ..View::of(table, player).role_card((context.proof_word)(player)) }
}

/// Whose passwords have changed: the role letter again.
fn passwords_changed(table: &Table, accounts: &[u16], context: &Context) -> Vec<Owed> {
    let holders = accounts.iter().filter_map(|account| table.people.holder(*account));
    let plays = |player: &PlayerId| table.player(*player).is_some_and(|player| player.life != Life::Expelled);
    holders
        .filter(plays)
        .map(|player| Owed::new(Reader::Player(player), Letter::Role(own_card(table, player, context)), 1))
        .collect()
}

fn shuffled(players: impl Iterator<Item = PlayerId>, context: &Context) -> Vec<PlayerId> {
    let mut players: Vec<PlayerId> = players.collect();
    players.sort_by_key(|player| (context.rank)(*player));
    players
}

/// Who is away on the day of the reminder gets none.
fn reminders(table: &Table, before: &[SignedDuration]) -> Vec<Owed> {
    let Some(deadline) = table.deadline else { return Vec::new() };
    let zone = TimeZone::get(&table.zone).unwrap_or(TimeZone::UTC);
    let before = before.iter().min().copied().unwrap_or_default();
    let today = deadline.saturating_sub(before).unwrap_or(deadline).to_zoned_datetime(zone).date();
    table
        .living()
        .filter(|(player, _)| !table.away.get(player).is_some_and(|days| days.hold(today)))
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
            let is_miss = table.game.rulebook.deprived_is_miss;
            let deprivation = Deprivation { nick: table.nick(*who).to_owned(), until_turn, is_miss };
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
        None | Some(Held::Window | Held::TakenBack) => Vec::new(),
        Some(Held::ManyMisses) => {
            let nicks = report.missed.iter().map(|who| table.nick(*who).to_owned()).collect();
            let living = u16::try_from(table.living().count()).unwrap_or(u16::MAX);
            to_hosts(table, context, &Letter::Alert(Alert::ManyMisses { nicks, living }))
        }
        Some(Held::Approval) => to_hosts(table, context, &Letter::Alert(Alert::AwaitsApproval)),
    }
}
