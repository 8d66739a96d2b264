//! A host's letter: orders and questions, a line each. He must be proved: his letter answers one of ours to him, in its
//! turn or the next.

use jiff::Timestamp;

use super::command::{Command, CommandError, Forgiven, Moment, NotDone, Whom};
use super::receive::number;
use super::{DeskError, Open, Room, put_text};
use crate::journal::{Entry, HostHeard, OrderFate, Ordered};
use crate::mail::Incoming;
use crate::request::orders::{self, HostLine, Verb};
use crate::request::typography::clean_argument;
use crate::rules::Order;
use crate::store::{GameHead, LetterId, LetterState, Tx, View};
use crate::why;

/// A host who has proved himself, and his game.
pub(super) struct ProvedHost {
    pub head: GameHead,
    pub position: u16,
}

impl Room {
    /// The host to whom the letter's token was sent, if he is the one who writes. A token proves only its own
    /// recipient, and only in its turn and the next.
    pub(super) fn proved_host(&mut self, tx: &View, incoming: &Incoming) -> Result<Option<ProvedHost>, DeskError> {
        let Some(from) = incoming.from.as_deref() else { return Ok(None) };
        for token in super::route::tokens(incoming) {
            let Some(row) = tx.find_token(token)? else { continue };
            let Some(position) = row.reader.strip_prefix("host:").and_then(|position| position.parse().ok()) else {
                continue;
            };
            let Some(head) = row.game.map(|game| tx.game_by_id(game)).transpose()?.flatten() else { continue };
            let is_he = tx
                .officers(head.id)?
                .iter()
                .any(|officer| officer.role == "host" && officer.position == position && officer.address == from);
            if !is_he {
                continue;
            }
            let table = self.load(tx, &head)?;
            let turn = table.game.turn;
            self.tables.keep(head.id, head.seq, table);
            if turn <= row.turn.saturating_add(1) {
                return Ok(Some(ProvedHost { head, position }));
            }
        }
        Ok(None)
    }

    /// Does what a proved host's letter orders, line by line, each whole or not at all, and answers once.
    pub(super) fn obey_letter(
        &mut self,
        tx: &Tx,
        host: &ProvedHost,
        letter: LetterId,
        incoming: &Incoming,
        order: &Order,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        tx.set_letter(letter, LetterState::Done, Some(host.head.id), None)?;
        let reading = orders::read(&incoming.subject, &incoming.body);
        let mut game = self.open(tx, &host.head)?;
        if reading.lines.is_empty() && self.was_helped_today(tx, &game, host, now)? {
            return self.put_back(tx, game, now);
        }
        let arrived = Timestamp::from_second(order.second).unwrap_or(now).min(now);
        let at = Moment { arrived, order: order.clone(), now };
        let mut lines = Vec::new();
        let mut reasons: Vec<String> = Vec::new();
        for line in &reading.lines {
            let fate = match line.verb {
                Verb::Why => match self.reasons_for(tx, &game, line, now)? {
                    Ok(told) => {
                        reasons.push(told);
                        OrderFate::Answered
                    }
                    Err(why) => OrderFate::NotDone(why),
                },
                Verb::Status | Verb::Help => OrderFate::Answered,
                _ => match command_of(line) {
                    Ok(command) => self.obey_or_not(tx, &mut game, &command, &at)?,
                    Err(why) => OrderFate::NotDone(why),
                },
            };
            lines.push(Ordered { verb: line.verb, fate });
        }
        let written = |lines: &[String]| if lines.is_empty() { None } else { Some(lines.join("\n")) };
        let said: Vec<String> = reading.lines.iter().map(|line| line.line.clone()).collect();
        let said = written(&said).map(|said| put_text(tx, game.id, &said)).transpose()?;
        let reasons = written(&reasons).map(|told| put_text(tx, game.id, &told)).transpose()?;
        let heard =
            HostHeard { host: host.position, letter: number(letter), order: order.clone(), lines, said, reasons };
        self.record(tx, &mut game, now, &Entry::HostHeard(Box::new(heard)))?;
        // Letters that waited for a deadline which has now moved.
        self.hear_waiting(tx, &mut game, now)?;
        self.put_back(tx, game, now)
    }

    /// One order: what fails half-way is taken back, in the database and in memory.
    fn obey_or_not(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        command: &Command,
        at: &Moment,
    ) -> Result<OrderFate, DeskError> {
        let mut refusal = None;
        let done = tx.savepoint(|tx| match self.obey(tx, game, command, at) {
            Ok(did) => Ok(did),
            Err(CommandError::Desk(error)) => Err(error),
            Err(CommandError::NotDone(why)) => {
                refusal = Some(why);
                Err(DeskError::Refused)
            }
            Err(CommandError::Refused { .. }) => Err(DeskError::Refused),
        });
        match (done, refusal) {
            (Ok(did), _) => Ok(OrderFate::Done(did)),
            (Err(DeskError::Refused), Some(why)) => {
                *game = self.open_again(tx, game.id)?;
                Ok(OrderFate::NotDone(why))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// A letter without an order is answered with the forms once a day.
    fn was_helped_today(&self, tx: &Tx, game: &Open, host: &ProvedHost, now: Timestamp) -> Result<bool, DeskError> {
        let key = format!("host:{}/{}", host.position, now.strftime("%F"));
        Ok(!tx.bump(game.id, "host forms", &key, 1)?)
    }

    fn reasons_for(
        &self,
        tx: &View,
        game: &Open,
        line: &HostLine,
        now: Timestamp,
    ) -> Result<Result<String, NotDone>, DeskError> {
        let nick = clean_argument(&line.argument);
        if nick.is_empty() {
            return Ok(Ok(self.reasons(tx, game, None, now)?));
        }
        match game.table.by_nick(&nick) {
            Some(about) => Ok(Ok(self.reasons(tx, game, Some(about), now)?)),
            None => {
                let nicks = game.table.seats().map(|(_, player)| player.nick.clone()).collect();
                Ok(Err(NotDone::UnknownNick { said: nick, nicks }))
            }
        }
    }

    /// The chain of reasons, in words.
    fn reasons(
        &self,
        tx: &View,
        game: &Open,
        about: Option<crate::rules::PlayerId>,
        now: Timestamp,
    ) -> Result<String, DeskError> {
        let mut journal = Vec::new();
        let mut seq = 0;
        loop {
            let events = tx.events_after(game.id, seq, 512)?;
            let Some(last) = events.last() else { break };
            seq = last.seq;
            for event in events {
                journal.push((event.at, serde_json::from_str::<Entry>(&event.body)?));
            }
        }
        Ok(match why::Story::of(journal, None) {
            Ok(story) => why::words::plain(&why::words::say(&story, &why::explain(&story, about), now)),
            Err(none) => none.to_string(),
        })
    }
}

/// The command that a line asks for; the command line makes the same ones.
fn command_of(line: &HostLine) -> Result<Command, NotDone> {
    let incomplete = NotDone::Incomplete { verb: line.verb };
    let (argument, text) = (line.argument.trim(), line.text.clone());
    let nick = || if argument.is_empty() { Err(incomplete.clone()) } else { Ok(clean_argument(argument)) };
    Ok(match line.verb {
        Verb::Start => Command::Start,
        Verb::Deadline if argument.is_empty() => return Err(incomplete),
        Verb::Deadline => Command::Deadline { when: argument.to_owned() },
        Verb::Extend if argument.is_empty() => return Err(incomplete),
        Verb::Extend => Command::Extend { by: argument.to_owned() },
        Verb::Pause => Command::Pause,
        Verb::Resume => Command::Resume,
        Verb::Resolve => Command::Resolve,
        Verb::Publish => Command::Publish,
        Verb::Cancel => Command::Cancel,
        Verb::Warn => Command::Warn { nick: nick()?, text },
        Verb::Expel => Command::Expel { nick: nick()?, text },
        Verb::Deprive => {
            let (nicks, turns) = match argument.rsplit_once(':') {
                Some((nicks, turns)) => (nicks, turns_said(turns).ok_or_else(|| incomplete.clone())?),
                None => (argument, 1),
            };
            let nicks: Vec<String> = nicks.split(',').map(clean_argument).filter(|nick| !nick.is_empty()).collect();
            if nicks.is_empty() {
                return Err(incomplete);
            }
            Command::Deprive { nicks, turns }
        }
        Verb::Forgive => {
            let (nick, what) = argument.split_once(':').unwrap_or((argument, ""));
            let what = match what.trim().to_lowercase().as_str() {
                "" | "пропуск" | "miss" => Forgiven::Miss,
                "молчание" | "silence" => Forgiven::Silence,
                _ => return Err(incomplete),
            };
            let nick = clean_argument(nick);
            match nick.to_lowercase().as_str() {
                "" => return Err(incomplete),
                "всем" | "all" => Command::Forgive { whom: Whom::All, what },
                _ => Command::Forgive { whom: Whom::Nick(nick), what },
            }
        }
        // Questions are answered, not obeyed.
        Verb::Why | Verb::Status | Verb::Help => return Err(incomplete),
    })
}

/// `2`, `2 хода`, `2 turns`.
fn turns_said(said: &str) -> Option<u16> {
    let number: String = said.trim().chars().take_while(char::is_ascii_digit).collect();
    number.parse().ok().filter(|turns| *turns > 0)
}
