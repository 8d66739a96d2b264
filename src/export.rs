//! The journal as JSON lines, for anybody; and its check: replay, judge again, draw every lot again, compare.
//! Notes and private talk stand in no export, nor does the fact that there were any: their events are left out and the
//! rest is numbered anew.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::desk::fold;
use crate::draws;
use crate::journal::read::{self, JournalFault};
use crate::journal::{Entry, FORMAT, Heard, Item, Quota, Standing};
use crate::rules::deal;
use crate::rules::ledger::{Act, Ask, Fate};
use crate::rules::lots::Lots;
use crate::rules::report::Report;
use crate::rules::{Kind, RULES_VERSION, TextRef};
use crate::store::{GameId, Store, StoreError, View};
use crate::table::{State, Table};

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Journal(#[from] JournalFault),
    #[error("an event could not be written: {0}")]
    Encode(#[from] serde_json::Error),
    #[error("the export could not be written: {0}")]
    Write(#[from] std::io::Error),
}

impl From<StoreError> for ExportError {
    fn from(error: StoreError) -> ExportError {
        JournalFault::from(error).into()
    }
}

/// What differs, and in which line of the file.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {what}")]
pub struct Difference {
    pub line: usize,
    pub what: String,
}

/// The first line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// Always `omerta`.
    journal: String,
    format: u32,
    rules: u32,
    game: String,
    /// Hex; only of a game that has ended.
    seed: Option<String>,
    /// Nick and word.
    lot_words: Vec<(String, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    seq: u64,
    at: Timestamp,
    #[serde(flatten)]
    entry: Entry,
}

/// Writes a game's journal.
///
/// # Errors
/// When there is no such game, or something can't be read or written.
pub fn export(store: &Store, tag: &str, out: &mut impl Write) -> Result<(), ExportError> {
    store.read(|tx| {
        let head = read::game(tx, tag)?;
        let ended = head.state == State::Finished.word();
        let seed = if ended { tx.secret(head.id, "seed")? } else { None };
        let header = Header {
            journal: "omerta".to_owned(),
            format: FORMAT,
            rules: RULES_VERSION,
            game: head.tag.clone(),
            seed: seed.map(|seed| data_encoding::HEXLOWER.encode(&seed)),
            lot_words: words_of(tx, head.id)?,
        };
        writeln!(out, "{}", serde_json::to_string(&header)?)?;
        let mut scrub = Scrub::default();
        let mut number = 0;
        read::each(tx, head.id, |at, entry| {
            if let Some(entry) = scrub.entry(entry) {
                number += 1;
                writeln!(out, "{}", serde_json::to_string(&Row { seq: number, at, entry })?)?;
            }
            Ok(())
        })
    })
}

/// The words that went into the lots.
fn words_of(tx: &View, game: GameId) -> Result<Vec<(String, String)>, ExportError> {
    let mut seq = 0;
    loop {
        let events = tx.events_after(game, seq, 512)?;
        let Some(last) = events.last() else { return Ok(Vec::new()) };
        seq = last.seq;
        let Some(started) = events.iter().find(|event| event.kind == "started") else { continue };
        return Ok(match read::entry(started)? {
            Entry::Started { words, .. } => words,
            _ => Vec::new(),
        });
    }
}

/// Takes notes and talk out, and with them the gaps in the numbers of letters, lines and texts that would betray them.
#[derive(Default)]
struct Scrub {
    letters: BTreeMap<u64, u64>,
    /// New places of the lines that the rules hear, by letter and place as the journal has them.
    lines: BTreeMap<(u64, u16), u16>,
    texts: u32,
}

impl Scrub {
    fn entry(&mut self, entry: Entry) -> Option<Entry> {
        match entry {
            Entry::Heard(mut heard) => {
                let before = heard.items.len();
                self.lines(&heard);
                heard.items.retain(|item| !item.is_private_text());
                if heard.items.is_empty() && before > 0 {
                    return None;
                }
                heard.letter = self.letter(heard.letter);
                heard.said = None;
                heard.quota = Quota::Open;
                Some(Entry::Heard(heard))
            }
            // How many letters came and wait tells of private ones; of the game it tells nothing.
            Entry::Morning(_) => None,
            Entry::Rearranged { letter, order } => {
                let letter = self.letters.get(&letter).copied()?;
                Some(Entry::Rearranged { letter, order })
            }
            Entry::CopyFoundLate { letter, from, order, deadline } => {
                let letter = self.letters.get(&letter).copied()?;
                Some(Entry::CopyFoundLate { letter, from, order, deadline })
            }
            Entry::HostActed { order, act, text } => {
                Some(Entry::HostActed { order, act, text: text.map(|text| self.text(text)) })
            }
            Entry::JudgedAgain { mut report, circumstances, why_held, shown } => {
                self.report(&mut report);
                Some(Entry::JudgedAgain { report, circumstances, why_held, shown })
            }
            // Which letters had not left would tell of notes.
            Entry::TakenBack { turn, .. } => Some(Entry::TakenBack { turn, cancelled: Vec::new() }),
            Entry::Ruled { player, alive, text } => Some(Entry::Ruled { player, alive, text: self.text(text) }),
            Entry::StoryTold { turn, text } => Some(Entry::StoryTold { turn, text: self.text(text) }),
            Entry::HostWarned { player, text } => Some(Entry::HostWarned { player, text: self.text(text) }),
            Entry::Closed { mut report, circumstances, deadline, why_held, shown } => {
                self.report(&mut report);
                Some(Entry::Closed { report, circumstances, deadline, why_held, shown })
            }
            Entry::WindowClosed { mut report, circumstances, why_held, shown } => {
                self.report(&mut report);
                Some(Entry::WindowClosed { report, circumstances, why_held, shown })
            }
            Entry::MissesForgiven { mut report, circumstances } => {
                self.report(&mut report);
                Some(Entry::MissesForgiven { report, circumstances })
            }
            Entry::SignupHeard(mut heard) => {
                heard.letter = self.letter(heard.letter);
                heard.said = None;
                Some(Entry::SignupHeard(heard))
            }
            Entry::SignupOpened(mut opened) => {
                opened.text = opened.text.map(|text| self.text(text));
                Some(Entry::SignupOpened(opened))
            }
            // Of trouble with a letter, of talk that waits, of what a host asks and of who was asked, an export would
            // tell that there was such a letter.
            Entry::Alerted { .. }
            | Entry::TalkWaits { .. }
            | Entry::HostAsked { .. }
            | Entry::Asked(_)
            | Entry::Confirmed { .. }
            | Entry::AddressChanged { .. } => None,
            other => Some(other),
        }
    }

    fn letter(&mut self, letter: u64) -> u64 {
        let next = u64::try_from(self.letters.len()).unwrap_or(u64::MAX).saturating_add(1);
        *self.letters.entry(letter).or_insert(next)
    }

    /// The rules count the lines that they hear; talk they never hear.
    fn lines(&mut self, heard: &Heard) {
        let talk = |ask: &Ask| matches!(ask, Ask::Do { kind: Kind::Pm | Kind::Clan, .. });
        let is_heard = |item: &&Item| matches!(item, Item::Ask { ask, .. } if !talk(ask));
        let mut kept = 0u16;
        for (line, item) in (0u16..).zip(heard.items.iter().filter(is_heard)) {
            self.lines.insert((heard.letter, line), kept);
            kept = kept.saturating_add(u16::from(!item.is_private_text()));
        }
    }

    fn text(&mut self, text: TextRef) -> TextRef {
        self.texts = self.texts.saturating_add(1);
        TextRef { id: self.texts, hash: text.hash }
    }

    fn report(&mut self, report: &mut Report) {
        report.notes.clear();
        report.grounds.kept_notes.clear();
        report.standing.retain(|line| line.kind != Kind::Note);
        report.void.retain(|void| void.line.kind != Kind::Note);
        for line in report.standing.iter_mut().chain(report.void.iter_mut().map(|void| &mut void.line)) {
            line.line = self.lines.get(&(line.letter, line.line)).copied().unwrap_or(line.line);
            line.letter = self.letters.get(&line.letter).copied().unwrap_or_default();
        }
    }
}

/// What was checked, and agrees.
#[derive(Debug, PartialEq, Eq)]
pub struct Verified {
    /// The game's tag.
    pub game: String,
    pub events: u64,
    /// Letters that were judged again.
    pub letters: u64,
    /// Turns that were resolved again.
    pub turns: u64,
    /// Lots that were drawn again; None while the seed is not told.
    pub lots: Option<u64>,
}

impl std::fmt::Display for Verified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Verified { game, events, letters, turns, lots } = self;
        write!(f, "{events} events of {game} agree: {letters} letters judged again, {turns} turns resolved again, ")?;
        match lots {
            Some(lots) => write!(f, "{lots} lots drawn again from the seed"),
            None => f.write_str("lots not drawn again: the seed is told when the game has ended"),
        }
    }
}

/// Replays an export.
///
/// # Errors
/// The first line that differs from what the rules and the lots give.
pub fn verify(text: &str) -> Result<Verified, Difference> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let differs = |line: usize| move |what: String| Difference { line, what };
    let (_, first) = lines.next().ok_or_else(|| differs(1)("the file is empty".to_owned()))?;
    let header: Header = serde_json::from_str(first)
        .map_err(|error| differs(1)(format!("no header: {error}; is it a file that `omerta export` wrote?")))?;
    if header.journal != "omerta" || header.format > FORMAT {
        return Err(differs(1)("written by a newer omerta; install that one".to_owned()));
    }
    let lots = lots_of(&header).map_err(differs(1))?;
    let mut table = None;
    let mut next = 1;
    let mut checked = Checked::default();
    for (line, text) in lines {
        let row: Row = serde_json::from_str(text).map_err(|error| differs(line)(format!("no event: {error}")))?;
        if row.seq != next {
            return Err(differs(line)(format!("event {next} was expected, this is {}", row.seq)));
        }
        next += 1;
        check(table.as_ref(), &row.entry, lots.as_ref(), &mut checked).map_err(differs(line))?;
        fold(&mut table, row.at, &row.entry);
    }
    let Some(table) = table else { return Err(differs(1)("the game was never made".to_owned())) };
    if table.tag != header.game {
        return Err(differs(1)(format!("the game is {}, not {}", table.tag, header.game)));
    }
    if lots.is_some() && table.state != State::Finished {
        let end = text.lines().count();
        return Err(differs(end)("the seed is told, but the game does not end here: lines are missing".to_owned()));
    }
    let Checked { letters, turns, lots: drawn } = checked;
    Ok(Verified { game: header.game, events: next - 1, letters, turns, lots: lots.map(|_| drawn) })
}

#[derive(Default)]
struct Checked {
    letters: u64,
    turns: u64,
    lots: u64,
}

fn lots_of(header: &Header) -> Result<Option<Lots>, String> {
    let Some(seed) = &header.seed else { return Ok(None) };
    let seed = data_encoding::HEXLOWER
        .decode(seed.as_bytes())
        .ok()
        .and_then(|seed| <[u8; 32]>::try_from(seed).ok())
        .ok_or("the seed is no 64 hex digits")?;
    Ok(Some(Lots { seed, words: header.lot_words.clone() }))
}

fn check(table: Option<&Table>, entry: &Entry, lots: Option<&Lots>, checked: &mut Checked) -> Result<(), String> {
    let Some(table) = table else {
        return match (entry, lots) {
            (Entry::Created(created), Some(lots)) if !created.signup && lots.commitment() != created.commitment => {
                Err("the seed is not the one whose hash was published".to_owned())
            }
            (Entry::Created(_), _) => Ok(()),
            _ => Err("the first event must be `created`".to_owned()),
        };
    };
    match entry {
        Entry::SignupOpened(opened) => match (&opened.commitment, lots) {
            (Some(told), Some(lots)) => same("the published hash of the seed", &lots.commitment(), told),
            _ => Ok(()),
        },
        Entry::AccountsDealt { accounts } => {
            let (nicks, words) = table.for_accounts();
            let names = &table.people.account_names;
            if let Some(lots) = lots {
                checked.lots += 1;
                let drawn = draws::accounts(names, &nicks, &Lots { seed: lots.seed, words });
                return same("the forum accounts", &drawn, accounts);
            }
            let given: BTreeSet<&u16> = accounts.iter().collect();
            same("how many have a forum account of their own", &nicks.len(), &given.len())
        }
        Entry::Started { roles, dealt_as_given, words, .. } => {
            same("the list of words for the lots", &table.words_for_lots(), words)?;
            if let Some(lots) = lots {
                same("the list of words in the header", words, &lots.words)?;
            }
            same("the deal by the roster", &table.roles_given.is_some(), dealt_as_given)?;
            if let Some(given) = &table.roles_given {
                return same("the deal", given, roles);
            }
            let Some(lots) = lots else {
                let deck =
                    deal::deck(table.game.players.len(), &table.game.rulebook).map_err(|fault| fault.to_string())?;
                let mut dealt = roles.clone();
                dealt.sort();
                return same("the deck", &deck, &dealt);
            };
            checked.lots += 1;
            let dealt =
                draws::deal(table.game.players.len(), &table.game.rulebook, lots).map_err(|fault| fault.to_string())?;
            same("the deal", &dealt, roles)
        }
        Entry::Heard(heard) => {
            checked.letters += 1;
            check_heard(table, heard)
        }
        Entry::Closed { report, circumstances, .. } => {
            checked.turns += 1;
            checked.lots += u64::from(report.vote.tied.len() > 1);
            let again = match lots {
                Some(lots) => draws::close(&table.game, circumstances, lots),
                None => draws::close_as_told(&table.game, circumstances, report.vote.chosen),
            };
            same("the turn's report", &again, report)
        }
        Entry::MissesForgiven { report, circumstances }
        | Entry::JudgedAgain { report, circumstances, .. }
        | Entry::WindowClosed { report, circumstances, .. } => {
            let again = match lots {
                Some(lots) => draws::close(&table.game, circumstances, lots),
                None => draws::close_as_told(&table.game, circumstances, report.vote.chosen),
            };
            same("the turn's report", &again, report)
        }
        _ => Ok(()),
    }
}

fn check_heard(table: &Table, heard: &Heard) -> Result<(), String> {
    if heard.standing != Standing::OnTime {
        return Ok(());
    }
    let (asks, fates): (Vec<Ask>, Vec<Fate>) = heard
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Ask { ask, fate, .. } => Some((ask.clone(), fate.clone())),
            _ => None,
        })
        .unzip();
    let act = Act::Letter { letter: heard.letter, from: heard.from, asks };
    same("a letter's judgement", &table.game.judge(&heard.order, &act), &fates)
}

fn same<T: PartialEq + Serialize>(what: &str, again: &T, told: &T) -> Result<(), String> {
    if again == told {
        return Ok(());
    }
    let value = |value: &T| serde_json::to_value(value).unwrap_or_default();
    let (place, again, told) = first_difference(value(again), value(told));
    Err(format!("{what} differs{place}: the journal tells {told}, the rules give {again}"))
}

/// Where two values part, and what stands there in each.
fn first_difference(again: Value, told: Value) -> (String, Value, Value) {
    let (mut place, mut again, mut told) = (String::new(), again, told);
    loop {
        let step = match (&again, &told) {
            (Value::Object(one), Value::Object(other)) => one
                .iter()
                .find(|(name, value)| other.get(*name) != Some(value))
                .and_then(|(name, value)| Some((name.clone(), value.clone(), other.get(name)?.clone()))),
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
                .iter()
                .zip(other)
                .enumerate()
                .find(|(_, (one, other))| one != other)
                .map(|(at, (one, other))| (at.to_string(), one.clone(), other.clone())),
            _ => None,
        };
        let Some((name, one, other)) = step else { return (place, again, told) };
        place.push_str(if place.is_empty() { " in " } else { "." });
        place.push_str(&name);
        (again, told) = (one, other);
    }
}
