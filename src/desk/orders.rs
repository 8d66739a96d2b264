//! A host's letter: orders and questions, a line each. He must be proved, and what hurts wants a confirming answer
//! besides.

use jiff::Timestamp;

use super::command::{Command, CommandError, Did, Forgiven, Moment, NotDone, Terms, Whom, winner_named};
use super::feeds;
use super::identity::{QUESTIONS_PER_HOUR, Question};
use super::meant::{nick_and_address, ruling_said, untangled};
use super::place::shorten;
use super::publication::shows;
use super::receive::number;
use super::said::Said;
use super::{DeskError, Open, Room, put_text};
use crate::journal::{AskedWhy, Entry, HostHeard, OrderFate, Ordered, Writer};
use crate::request::orders::{self, HostLine, Verb};
use crate::request::typography::clean_argument;
use crate::request::{Word, turns};
use crate::rules::Order;
use crate::store::{GameHead, LetterId, LetterState, Tx, View};
use crate::table::{Phase, Table};
use crate::why;

/// A letter of a host, who may be unproved.
pub(super) struct HostsLetter<'a> {
    pub id: LetterId,
    /// A host or a moderator.
    pub who: Writer,
    pub order: &'a Order,
    pub incoming: &'a Said,
    pub proved: bool,
}

/// What became of the lines of one letter.
struct Obeyed {
    host: u16,
    moderator: bool,
    lines: Vec<Ordered>,
    reasons: Vec<String>,
}

/// What was asked before a deadline is answered before it, as the question says: behind it the same words mean another
/// turn, «Отменить ход» above all.
fn has_lapsed(table: &Table, asked: i64, answer: &Order) -> bool {
    let is_behind = |end: Option<Timestamp>, second: i64| end.is_some_and(|end| second >= end.as_second());
    match table.phase {
        Phase::Review => !is_behind(table.closed_at, asked),
        Phase::Open => !is_behind(table.deadline, asked) && is_behind(table.deadline, answer.second),
    }
}

impl Room {
    /// A host is always proved, or asked; and asked besides where what he wants can't be taken back.
    pub(super) fn hear_host(
        &mut self,
        tx: &Tx,
        head: &GameHead,
        letter: &HostsLetter,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let mut game = self.open(tx, head)?;
        tx.set_letter(letter.id, LetterState::Done, Some(game.id), None)?;
        let who = letter.who;
        if let Some(row) = self.confirms(tx, &game, who, letter.incoming, letter.incoming.reading())?
            && !has_lapsed(&game.table, row.second, letter.order)
            && tx.drop_asked(row.id)?
        {
            let (asked, by) = (number(row.id), number(letter.id));
            self.record(tx, &mut game, now, &Entry::Confirmed { who, letter: asked, by })?;
            let own = self.config.outbox.from.address.clone();
            let incoming = Said::parse(&tx.raw(row.id)?.unwrap_or_default(), &own);
            let order = Order { second: row.second, within: row.within.clone() };
            let letter = HostsLetter { id: row.id, order: &order, incoming: &incoming, proved: true, ..*letter };
            let lines = orders::read(&incoming.subject, &incoming.body).told();
            let quoted = asked_lines(tx, &game, row.id)?;
            let lines: Vec<(HostLine, bool)> = (0_u32..)
                .zip(lines)
                .map(|(number, line)| {
                    (line, quoted.as_ref().is_none_or(|quoted| quoted.binary_search(&number).is_ok()))
                })
                .collect();
            self.obey_letter(tx, &mut game, &letter, &lines, now)?;
            return self.put_back(tx, game, now);
        }
        let lines = orders::read(&letter.incoming.subject, &letter.incoming.body).told();
        let may_weigh = |line: &HostLine| {
            !line.below_signature && !line.nearly && (line.verb.wants_confirming() || line.verb == Verb::Undo)
        };
        if lines.is_empty() && letter.incoming.reading().requests().any(|request| request.word == Word::Yes) {
            self.tell_how_to_confirm(tx, &mut game, letter, now)?;
        } else if lines.is_empty() && !letter.proved {
            // Nothing is wanted, and nobody has shown that he may want anything.
        } else {
            // Whoever has not proved who he is learns nothing of what could be done: of him alone it is asked whether he
            // wrote.
            let why = if letter.proved { AskedWhy::Weighty } else { AskedWhy::Unproved };
            let mut weighs = vec![false; lines.len()];
            let mut asks = vec![!letter.proved; lines.len()];
            if letter.proved && lines.iter().any(may_weigh) {
                let written: Vec<_> = lines.iter().cloned().map(|line| (line, true)).collect();
                let fates = self.what_would_be_done(tx, &mut game, letter, &written, now)?;
                // What was published has been read: taking it back hurts, also where a line above publishes it.
                let is_published = game.table.phase == Phase::Open;
                let would_be =
                    |fate: &OrderFate| matches!(fate, OrderFate::Done(Did::TakenBack { published: true, .. }));
                weighs = (lines.iter().zip(&fates))
                    .map(|(line, fate)| may_weigh(line) && (line.verb != Verb::Undo || is_published || would_be(fate)))
                    .collect();
                asks = (weighs.iter().zip(&fates))
                    .map(|(weighs, fate)| *weighs && matches!(fate, OrderFate::Done(_)))
                    .collect();
            }
            if asks.contains(&true) {
                // What weighs and could not be done is not asked about; its refusal stands in the answer.
                let quoted = (0_u32..).zip(lines.iter().zip(weighs.iter().zip(asks)));
                let (numbers, quoted): (Vec<u32>, _) = quoted
                    .filter(|(_, (_, (weighs, asks)))| *asks || !**weighs)
                    .map(|(number, (line, _))| (number, shorten(&line.line)))
                    .unzip();
                let numbers = (numbers.len() < lines.len()).then_some(numbers);
                let question = Question { who, letter: letter.id, order: letter.order, why, lines: quoted, numbers };
                self.ask(tx, &mut game, question, now)?;
            } else {
                let lines: Vec<_> = lines.into_iter().map(|line| (line, true)).collect();
                self.obey_letter(tx, &mut game, letter, &lines, now)?;
            }
        }
        self.put_back(tx, game, now)
    }

    /// What would become of each line of a proved letter now: all of it is tried, and all is taken back.
    fn what_would_be_done(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &HostsLetter,
        lines: &[(HostLine, bool)],
        now: Timestamp,
    ) -> Result<Vec<OrderFate>, DeskError> {
        let mut fates = Vec::new();
        let tried = tx.savepoint(|tx| {
            let obeyed = self.obey_lines(tx, game, letter, lines, now)?;
            fates = obeyed.into_iter().flat_map(|obeyed| obeyed.lines).map(|line| line.fate).collect();
            Err::<(), _>(DeskError::Refused)
        });
        match tried {
            Ok(()) | Err(DeskError::Refused) => {}
            Err(error) => return Err(error),
        }
        *game = self.open_again(tx, game.id)?;
        Ok(fates)
    }

    /// Does what a letter orders, line by line, each whole or not at all, and answers once. Its host is proved. With each
    /// line stands whether it may be done: it wants no confirming answer, or has it. A letter without orders is answered
    /// with the forms.
    fn obey_letter(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &HostsLetter,
        written: &[(HostLine, bool)],
        now: Timestamp,
    ) -> Result<(), DeskError> {
        if written.is_empty() && self.was_helped_today(tx, game, letter.who, now)? {
            return Ok(());
        }
        let Some(Obeyed { host, moderator, lines, reasons }) = self.obey_lines(tx, game, letter, written, now)? else {
            return Ok(());
        };
        let joined = |lines: &[String]| if lines.is_empty() { None } else { Some(lines.join("\n")) };
        let said: Vec<String> = written.iter().map(|(line, _)| line.line.clone()).collect();
        let said = joined(&said).map(|said| put_text(tx, game.id, &said)).transpose()?;
        let reasons = joined(&reasons).map(|told| put_text(tx, game.id, &told)).transpose()?;
        let order = letter.order.clone();
        let heard =
            HostHeard { host, moderator, letter: number(letter.id), order, lines, said, reasons, bare_yes: false };
        self.record(tx, game, now, &Entry::HostHeard(Box::new(heard)))?;
        // Letters that waited for a deadline which has now moved.
        self.hear_waiting(tx, game, now)
    }

    /// Line by line; None where neither a host nor a moderator writes.
    fn obey_lines(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &HostsLetter,
        written: &[(HostLine, bool)],
        now: Timestamp,
    ) -> Result<Option<Obeyed>, DeskError> {
        let arrived = Timestamp::from_second(letter.order.second).unwrap_or(now).min(now);
        let at = Moment { arrived, order: letter.order.clone(), now };
        let mut lines = Vec::new();
        let mut reasons: Vec<String> = Vec::new();
        let (host, moderator) = match letter.who {
            Writer::Moderator(position) => (position, true),
            Writer::Host(position) => (position, false),
            Writer::Player(_) | Writer::Applicant(_) => return Ok(None),
        };
        let mut is_to_be_shown = false;
        for (line, may) in written {
            // What does not belong to the same preview finds it sent.
            if is_to_be_shown && !matches!(line.verb, Verb::Rule | Verb::Story | Verb::Preview) {
                self.show_preview(tx, game, now)?;
                is_to_be_shown = false;
            }
            let fate = match line.verb {
                _ if line.below_signature => OrderFate::NotDone(NotDone::BelowSignature),
                verb if moderator && !verb.is_moderators() => OrderFate::NotDone(NotDone::HostsWord),
                verb if line.nearly => OrderFate::NotDone(NotDone::NotInForm { verb }),
                Verb::Why => match self.reasons_for(tx, game, line, now)? {
                    Ok(told) => {
                        reasons.push(told);
                        OrderFate::Answered
                    }
                    Err(why) => OrderFate::NotDone(why),
                },
                Verb::Status | Verb::Help => OrderFate::Answered,
                _ => match command_of(&untangled(&game.table, line)) {
                    Ok(command) => self.obey_or_not(tx, game, &command, &at, *may)?,
                    Err(why) => OrderFate::NotDone(why),
                },
            };
            is_to_be_shown |= matches!(&fate, OrderFate::Done(did) if shows(&game.table, did));
            lines.push(Ordered { verb: line.verb, fate });
        }
        if is_to_be_shown {
            self.show_preview(tx, game, now)?;
        }
        Ok(Some(Obeyed { host, moderator, lines, reasons }))
    }

    /// A «Да» that answers no open question says nothing about what. Whoever wrote it, the registered address is told
    /// what to answer, and not often: who forges it must not fill a mailbox.
    fn tell_how_to_confirm(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &HostsLetter,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let (host, moderator) = match letter.who {
            Writer::Moderator(position) => (position, true),
            Writer::Host(position) => (position, false),
            Writer::Player(_) | Writer::Applicant(_) => return Ok(()),
        };
        let hour = format!("{}/{}", letter.who.reader().key(), now.strftime("%FT%H"));
        if !tx.bump(game.id, "bare yes", &hour, QUESTIONS_PER_HOUR)? {
            return Ok(());
        }
        let heard = HostHeard {
            host,
            moderator,
            letter: number(letter.id),
            order: letter.order.clone(),
            lines: Vec::new(),
            said: None,
            reasons: None,
            bare_yes: true,
        };
        self.record(tx, game, now, &Entry::HostHeard(Box::new(heard)))
    }

    /// One order: what fails half-way is taken back, in the database and in memory. So is what may not be done (`may`); it
    /// is tried all the same, for its own fault says more.
    fn obey_or_not(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        command: &Command,
        at: &Moment,
        may: bool,
    ) -> Result<OrderFate, DeskError> {
        let mut refusal = None;
        let done = tx.savepoint(|tx| match self.obey(tx, game, command, at) {
            Ok(did) if may => Ok(did),
            Ok(_) => {
                refusal = Some(NotDone::NotAsked);
                Err(DeskError::Refused)
            }
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
                self.remember_silent(tx, game, &why, at.now)?;
                Ok(OrderFate::NotDone(why))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// A letter without an order is answered with the forms once a day.
    fn was_helped_today(&self, tx: &Tx, game: &Open, who: Writer, now: Timestamp) -> Result<bool, DeskError> {
        let key = format!("{}/{}", who.reader().key(), now.strftime("%F"));
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

/// The numbers of the lines that the question about a letter quoted; None for all.
fn asked_lines(tx: &View, game: &Open, letter: LetterId) -> Result<Option<Vec<u32>>, DeskError> {
    let Some(body) = tx.question_about(game.id, letter)? else { return Ok(None) };
    match serde_json::from_str::<Entry>(&body)? {
        Entry::Asked(asked) => Ok(asked.lines),
        _ => Err(DeskError::Broken("an event of another kind than its row says")),
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
        Verb::Skip if argument.is_empty() => return Err(incomplete),
        Verb::Skip => Command::Skip { dates: argument.to_owned() },
        Verb::Pause => Command::Pause,
        Verb::Resume => Command::Resume,
        Verb::Resolve => Command::Resolve,
        Verb::Publish => Command::Publish,
        Verb::Preview => Command::Preview,
        Verb::Story if text.is_empty() => return Err(incomplete),
        Verb::Story => Command::Story { text },
        Verb::Undo => Command::Undo,
        Verb::Rule => {
            let (alive, text) = ruling_said(&text).ok_or_else(|| incomplete.clone())?;
            Command::Rule { nick: nick()?, alive, text }
        }
        Verb::Cancel => Command::Cancel,
        Verb::Posted if argument.is_empty() => return Err(incomplete),
        Verb::Posted => Command::Posted { link: argument.to_owned() },
        Verb::Silent | Verb::Wrote => {
            let nicks = nicks_of(argument);
            if nicks.is_empty() {
                return Err(incomplete);
            }
            Command::Watched { silent: line.verb == Verb::Silent, nicks }
        }
        Verb::Feed if argument.is_empty() => return Err(incomplete),
        Verb::Feed => {
            feeds::may_be_named_by_letter(argument)?;
            Command::Feed { address: argument.to_owned() }
        }
        Verb::Finish => Command::Finish { winner: winner_named(&clean_argument(argument))? },
        Verb::Replace => {
            let (nick, address) = nick_and_address(argument);
            if nick.is_empty() || nick.contains('@') {
                return Err(incomplete);
            }
            if address.is_empty() { Command::OfferSeat { nick } } else { Command::Replace { nick, address } }
        }
        Verb::Open => Command::Open(Terms::of_letter(argument, &text).ok_or(incomplete)?),
        Verb::Close => Command::Close,
        Verb::Accept | Verb::Decline => {
            let accept = line.verb == Verb::Accept;
            Command::judging(nicks_of(argument), accept).ok_or(incomplete)?
        }
        Verb::Warn => Command::Warn { nick: nick()?, text },
        Verb::Expel => Command::Expel { nick: nick()?, text },
        Verb::Deprive => {
            let (nicks, turns) = turns::split(argument);
            let nicks = nicks_of(nicks);
            if nicks.is_empty() {
                return Err(incomplete);
            }
            let turns = turns.map_err(|said| NotDone::NoTurns { said: shorten(said) })?;
            Command::Deprive { nicks, turns }
        }
        Verb::Forgive => {
            let (nicks, what) = argument.split_once(':').unwrap_or((argument, ""));
            let what = match what.trim().to_lowercase().as_str() {
                "" | "пропуск" | "miss" => Forgiven::Miss,
                "молчание" | "silence" => Forgiven::Silence,
                _ => return Err(incomplete),
            };
            let whom = match nicks_of(nicks) {
                none if none.is_empty() => return Err(incomplete),
                all if matches!(all.as_slice(), [all] if orders::EVERYBODY.contains(&all.to_lowercase().as_str())) => {
                    Whom::All
                }
                nicks => Whom::Nicks(nicks),
            };
            Command::Forgive { whom, what }
        }
        // Questions are answered, not obeyed.
        Verb::Why | Verb::Status | Verb::Help => return Err(incomplete),
    })
}

/// `Ник, Ник`.
fn nicks_of(said: &str) -> Vec<String> {
    said.split(',').map(clean_argument).filter(|nick| !nick.is_empty()).collect()
}
