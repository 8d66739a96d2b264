//! Cases: one file, one small game, what must come of it (tests/scenarios/FORMAT.md). The letters are read, admitted and closed by
//! the same code that the daemon runs; here they only arrive from a file.

mod format;
mod outcome;
mod reading;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Serialize;

pub use format::Fault;
pub use outcome::Outcome;

use crate::rules::game::{Game, Life, Note, Player};
use crate::rules::ledger::{Act, Ask, Fate, HostAct, Ledger};
use crate::rules::turn::{self, Circumstances, LotQuestion};
use crate::rules::{Kind, Order, PlayerId, Role, TextRef};
use format::{Case, Mail, Place, Seat};
use outcome::LineRow;
use reading::{Heard, Line};
use toml::Spanned;

/// What came of one file.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    pub id: String,
    pub ok: bool,
    pub turns: Vec<TurnVerdict>,
    /// The file is no case; then nothing was played.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub fault: Option<Fault>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TurnVerdict {
    pub number: u16,
    pub got: Outcome,
    pub differences: Vec<String>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ok {
            return write!(f, "{}: ok", self.id);
        }
        write!(f, "{}: differs", self.id)?;
        for turn in &self.turns {
            for difference in &turn.differences {
                write!(f, "\n  turn {}: {difference}", turn.number)?;
            }
        }
        Ok(())
    }
}

/// Reads, plays and compares one file; a fault is a verdict too.
pub fn play_file(path: &Path) -> Verdict {
    let played = format::read(path).and_then(|text| play(&path.display().to_string(), &text));
    played.unwrap_or_else(|fault| Verdict {
        id: path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        ok: false,
        turns: Vec::new(),
        fault: Some(fault),
    })
}

/// Plays the case in `text`; `file` is its name in faults.
///
/// # Errors
/// The text is no case: the fault says where and why.
pub fn play(file: &str, text: &str) -> Result<Verdict, Fault> {
    let place = Place { file, text };
    let case = format::parse(&place)?;
    let mut table = Table { game: seat(&case, &place)?, place };
    let mut turns = Vec::new();
    for turn in &case.turn {
        turns.push(table.play(turn, &case.topic)?);
    }
    let ok = turns.iter().all(|turn: &TurnVerdict| turn.differences.is_empty());
    Ok(Verdict { id: case.id, ok, turns, fault: None })
}

fn as_text<S: serde::Serializer>(fault: &Option<Fault>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&fault.as_ref().map(Fault::to_string).unwrap_or_default())
}

/// The players as the case seats them.
fn seat(case: &Case, place: &Place<'_>) -> Result<Game, Fault> {
    let nicks: Vec<&str> = case.players.iter().map(|seat| seat.nick.get_ref().as_str()).collect();
    let mut players = Vec::new();
    for seat in &case.players {
        if nicks.iter().filter(|nick| *nick == seat.nick.get_ref()).count() > 1 {
            return Err(place.fault(seat.nick.span().start, format!("two players are called {}", seat.nick.get_ref())));
        }
        players.push(player(seat, &nicks, place)?);
    }
    Ok(Game {
        rulebook: case.rulebook(place)?,
        players,
        turn: 1,
        winner: None,
        quiet_turns: 0,
        ledger: Ledger::default(),
        pending: None,
    })
}

fn player(seat: &Seat, nicks: &[&str], place: &Place<'_>) -> Result<Player, Fault> {
    let find = |nick: &Option<Spanned<String>>| nick.as_ref().map(|nick| known(nick, nicks, place)).transpose();
    let role = Role::named(seat.role.get_ref())
        .ok_or_else(|| place.fault(seat.role.span().start, format!("`{}` is no role", seat.role.get_ref())))?;
    let life = match seat.state.as_ref().map(|state| (state.get_ref().as_str(), state.span().start)) {
        None | Some(("alive", _)) => Life::Alive,
        Some(("dead", _)) => Life::Dead,
        Some(("expelled", _)) => Life::Expelled,
        Some((other, at)) => return Err(place.fault(at, format!("`{other}` is no state: alive, dead or expelled"))),
    };
    Ok(Player {
        nick: seat.nick.get_ref().clone(),
        gender: None,
        characteristic: String::new(),
        role: Some(if seat.converted && role == Role::Foundling { Role::FoundlingMafioso } else { role }),
        life,
        missed: seat.missed,
        warned: seat.warned,
        last_heal: find(&seat.last_heal)?,
        pistol: find(&seat.pistol)?,
        note: find(&seat.note_to)?.map(|to| Note { to, text: TextRef::default() }),
        deprived_until: 0,
        learned: Vec::new(),
    })
}

fn known(nick: &Spanned<String>, nicks: &[&str], place: &Place<'_>) -> Result<PlayerId, Fault> {
    exactly(nick.get_ref(), nicks)
        .ok_or_else(|| place.fault(nick.span().start, format!("nobody here is called {}", nick.get_ref())))
}

/// The case names its people in full; only the letters are read with patience.
fn exactly(nick: &str, nicks: &[&str]) -> Option<PlayerId> {
    let index = nicks.iter().position(|known| *known == nick)?;
    u16::try_from(index).ok().map(PlayerId)
}

/// The game between two turns of a case.
struct Table<'a> {
    game: Game,
    place: Place<'a>,
}

impl Table<'_> {
    fn play(&mut self, turn: &format::Turn, topic: &str) -> Result<TurnVerdict, Fault> {
        self.game.turn = turn.number;
        self.game.winner = None;
        let mut post = Post::default();
        for (number, mail) in (0u32..).zip(&turn.mail) {
            self.deliver(number, mail, &mut post)?;
        }
        let window = self.window(turn)?;
        let (drawn, circumstances) = (self.drawn(turn)?, self.circumstances(turn)?);
        let mut strange_draw = None;
        let mut draw = |question: &LotQuestion<'_>| {
            let place = question.among.iter().position(|who| Some(*who) == drawn);
            if place.is_none() {
                strange_draw = Some("draw: a lot is drawn, and the case does not say which of the tied it falls on");
            }
            place.unwrap_or(0)
        };
        let mut report = turn::close(&self.game, &circumstances, &mut draw);
        if let Some(dying) = turn::needs_window(&self.game, &report) {
            let window = turn::window_answer(&self.game, dying, &window);
            report = turn::close(&self.game, &Circumstances { window, ..circumstances }, &mut draw);
        }
        let void = report.void.iter().map(|void| post.row(void.line.letter, void.line.line, void.why.name())).collect();
        let mut got = Outcome::of(&report, &self.game, std::mem::take(&mut post.rejected), void);
        if topic == "publication" {
            got = got.with_publication(&report, &self.game);
        }
        self.game.apply_report(&report);
        let mut differences =
            turn.expect.as_ref().map(|expected| Outcome::differences(expected, &got)).unwrap_or_default();
        differences.extend(strange_draw.map(str::to_owned));
        Ok(TurnVerdict { number: turn.number, got, differences })
    }

    fn deliver(&mut self, number: u32, mail: &Spanned<Mail>, post: &mut Post) -> Result<(), Fault> {
        let at = mail.span().start;
        let order = Order { second: i64::from(number), within: String::new() };
        let mail = mail.get_ref();
        match (&mail.from, &mail.line, &mail.host, &mail.nick) {
            (Some(from), Some(text), None, None) => {
                let letter = Letter { number: u64::from(number), order, from, late: mail.late };
                self.hear(&letter, text, post);
                Ok(())
            }
            (None, None, Some(host), Some(nick)) => {
                let who = exactly(nick, &self.nicks());
                let who = who.ok_or_else(|| self.place.fault(at, format!("nobody here is called {nick}")))?;
                let act = match host.as_str() {
                    "expel" => HostAct::Expel { who, left: mail.reason.as_deref() == Some("left") },
                    "deprive" => HostAct::Deprive { who, turns: 1 },
                    "forgive_miss" => HostAct::ForgiveMiss { who },
                    other => {
                        let what = format!("the host's act `{other}` is none of expel, deprive, forgive_miss");
                        return Err(self.place.fault(at, what));
                    }
                };
                self.game.hear(order, Act::Host(act));
                Ok(())
            }
            _ => Err(self.place.fault(at, "mail is either {from, line} or {host, nick}")),
        }
    }

    fn hear(&mut self, letter: &Letter<'_>, text: &str, post: &mut Post) {
        let lines = reading::read_letter(text, &self.nicks());
        let sender = exactly(letter.from, &self.nicks());
        let first = Line { said: reading::first_line(text), heard: Heard::Unknown };
        // A letter of which no line is a known request is refused with its first line; else the others are passed over.
        let known: Vec<Line> = lines.into_iter().filter(|line| !matches!(line.heard, Heard::Unknown)).collect();
        let lines = if known.is_empty() { vec![first] } else { known };
        let Some(from) = sender else {
            for line in lines.iter().filter(|line| !matches!(line.heard, Heard::Information)) {
                post.reject(letter, &line.said, "unknown_sender");
            }
            return;
        };
        let asks: Vec<(&Line, Ask)> = lines.iter().filter_map(|line| Some((line, line.heard.ask()?))).collect();
        post.keep(letter, asks.iter().map(|(line, _)| line.said.clone()).collect());
        let fates = if letter.late {
            asks.iter().map(|(_, ask)| self.hear_late(letter, from, ask)).collect()
        } else {
            let asks = asks.iter().map(|(_, ask)| ask.clone()).collect();
            self.game.hear(letter.order.clone(), Act::Letter { letter: letter.number, from, asks })
        };
        for ((line, _), fate) in asks.iter().zip(fates) {
            if let Fate::Refused(refusal) = fate {
                post.reject(letter, &line.said, refusal.name());
            }
        }
    }

    /// A12: refused by the state before the close; but a note belongs to the next turn, and talk goes on.
    fn hear_late(&mut self, letter: &Letter<'_>, from: PlayerId, ask: &Ask) -> Fate {
        use crate::rules::admit::Refusal::{AfterDeadline, DeadSender, ExpelledSender};
        let life = self.game.player(from).map_or(Life::Expelled, |player| player.life);
        match (life, ask) {
            (_, Ask::Do { kind: Kind::Pm | Kind::Clan, .. }) => {
                let act = Act::Letter { letter: letter.number, from, asks: vec![ask.clone()] };
                self.game.judge(&letter.order, &act).pop().unwrap_or(Fate::NothingToWithdraw)
            }
            (Life::Dead, _) => Fate::Refused(DeadSender),
            (Life::Expelled, _) => Fate::Refused(ExpelledSender),
            (Life::Alive, Ask::Do { kind: Kind::Note, target, text }) => {
                self.game.hear_late_note(from, *target, text.clone())
            }
            (Life::Alive, _) => Fate::Refused(AfterDeadline),
        }
    }

    /// Letters of the window; who is not known here writes a bad one.
    fn window(&self, turn: &format::Turn) -> Result<Vec<(PlayerId, Vec<Ask>)>, Fault> {
        let nicks = self.nicks();
        let mut letters = Vec::new();
        for mail in &turn.window {
            let (Some(from), Some(text)) = (&mail.get_ref().from, &mail.get_ref().line) else {
                return Err(self.place.fault(mail.span().start, "a letter in the window is {from, line}"));
            };
            let asks = reading::read_letter(text, &nicks).iter().filter_map(|line| line.heard.ask()).collect();
            letters.extend(exactly(from, &nicks).map(|from| (from, asks)));
        }
        Ok(letters)
    }

    fn circumstances(&self, turn: &format::Turn) -> Result<Circumstances, Fault> {
        let nicks = self.nicks();
        let silent = turn.silent.iter().map(|nick| known(nick, &nicks, &self.place));
        Ok(Circumstances { silent: silent.collect::<Result<_, Fault>>()?, ..Circumstances::default() })
    }

    fn drawn(&self, turn: &format::Turn) -> Result<Option<PlayerId>, Fault> {
        turn.draw.lynch_tie.as_ref().map(|nick| known(nick, &self.nicks(), &self.place)).transpose()
    }

    fn nicks(&self) -> Vec<&str> {
        self.game.players.iter().map(|player| player.nick.as_str()).collect()
    }
}

struct Letter<'a> {
    number: u64,
    order: Order,
    from: &'a str,
    late: bool,
}

/// The lines of a turn's letters as they were written, by letter, and the refused ones.
#[derive(Default)]
struct Post {
    written: BTreeMap<u64, (String, Vec<String>)>,
    rejected: Vec<LineRow>,
}

impl Post {
    fn keep(&mut self, letter: &Letter<'_>, lines: Vec<String>) {
        self.written.insert(letter.number, (letter.from.to_owned(), lines));
    }

    fn reject(&mut self, letter: &Letter<'_>, line: &str, why: &str) {
        self.rejected.push(LineRow { from: letter.from.to_owned(), line: line.to_owned(), why: why.to_owned() });
    }

    fn row(&self, letter: u64, line: u16, why: &str) -> LineRow {
        let (from, lines) = self.written.get(&letter).cloned().unwrap_or_default();
        let line = lines.get(usize::from(line)).cloned().unwrap_or_default();
        LineRow { from, line, why: why.to_owned() }
    }
}
