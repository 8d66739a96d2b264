//! A deadline: what a game does of its own accord when time passes.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::place::{Place, place};
use super::publication::{deadline_after, is_shown};
use super::receive::PlayersLetter;
use super::said::Said;
use super::{Desk, DeskError, Open, Room};
use crate::config::InboxKind;
use crate::draws;
use crate::failpoint::{self, Point};
use crate::journal::{Entry, Held, Item, Publish, Standing};
use crate::letters::Alert;
use crate::letters::view::Reader;
use crate::rules::ledger::Ask;
use crate::rules::report::Report;
use crate::rules::rulebook::PistolMode;
use crate::rules::turn::{self, Circumstances, WindowAnswer};
use crate::rules::{Kind, Order, PlayerId};
use crate::store::{GameId, LetterState, Tx};
use crate::table::{Phase, State, Table};

impl Desk {
    /// Games that want attention now, at most so many.
    ///
    /// # Errors
    /// When the database fails.
    pub fn games_due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<GameId>, DeskError> {
        self.read(|_, tx| Ok(tx.games_due(now, limit)?))
    }

    /// Gives one game what is due: letters that waited, reminders, the close of its turn, its publication. `read` is
    /// the moment at which the last complete reading of the inbox began. True when anything happened.
    ///
    /// # Errors
    /// When the database fails; then nothing of it happened.
    pub fn tend(&mut self, game: GameId, now: Timestamp, read: Option<Timestamp>) -> Result<bool, DeskError> {
        self.write(|room, tx| {
            let Some(head) = tx.game_by_id(game)? else { return Ok(false) };
            let mut game = room.open(tx, &head)?;
            let before = game.seq;
            room.hear_waiting(tx, &mut game, now)?;
            room.greet(tx, &mut game, now)?;
            match (game.table.state, game.table.phase) {
                (State::Playing, Phase::Open) => {
                    room.remind(tx, &mut game, now)?;
                    room.close_early(tx, &mut game, now)?;
                    room.close_if_due(tx, &mut game, now, read)?;
                }
                (State::Signup, _) => room.close_signup_if_due(tx, &mut game, now, read)?,
                (State::Finished | State::Cancelled, _) => room.erase_if_due(tx, &mut game, now, read)?,
                (State::Playing, Phase::Review) if game.table.window.is_some() => {
                    room.close_window_if_due(tx, &mut game, now, read)?;
                }
                (State::Playing, Phase::Review) if game.table.publishes_itself_at().is_some_and(|at| at <= now) => {
                    room.publish(tx, &mut game, now)?;
                }
                (State::Playing, Phase::Review) => room.nag_if_due(tx, &mut game, now)?,
                _ => {}
            }
            room.tend_offers(tx, &mut game, now, read)?;
            let moved = game.seq != before;
            room.put_back(tx, game, now)?;
            Ok(moved)
        })
    }
}

/// How long after the time for a close the hosts are told that the inbox is out of reach.
const PATIENCE: SignedDuration = SignedDuration::from_mins(5);

/// When mail that was on its way at a moment has surely come in.
pub fn settled(table: &Table, moment: Timestamp) -> Timestamp {
    moment.saturating_add(table.settings.settle).unwrap_or(moment)
}

/// Whether a resolved turn waits for the host.
pub(super) fn why_held(table: &Table, report: &Report) -> Option<Held> {
    if report.missed.len().saturating_mul(3) > table.living().count() {
        return Some(Held::ManyMisses);
    }
    (table.settings.publish != Publish::Auto).then_some(Held::Approval)
}

/// The moments of reminders that have not been sent in this turn and lie within it.
pub fn reminders_left(table: &Table) -> impl Iterator<Item = Timestamp> {
    reminders(table).map(|(_, at)| at)
}

fn reminders(table: &Table) -> impl Iterator<Item = (SignedDuration, Timestamp)> {
    let (deadline, opened) = (table.deadline, table.opened);
    table.settings.reminders.iter().copied().filter(|before| !table.reminded.contains(before)).filter_map(
        move |before| {
            let at = deadline?.saturating_sub(before).ok()?;
            (opened? <= at).then_some((before, at))
        },
    )
}

impl Room {
    /// Letters kept since the deadline whose turn has come after all: the deadline was moved.
    pub(super) fn hear_waiting(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        if game.table.deadline.is_some_and(|deadline| deadline <= now) {
            return Ok(());
        }
        self.hear_all_waiting(tx, game, now, &|table, from, order| match place(table, from, order, now) {
            Place::Now(standing) => Some(standing),
            Place::Wait => None,
        })
    }

    /// Judges waiting letters in order of arrival; `stands` says how each stands to the deadline, or leaves it.
    fn hear_all_waiting(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        stands: &dyn Fn(&Table, PlayerId, &Order) -> Option<Standing>,
    ) -> Result<(), DeskError> {
        let own = self.config.outbox.from.address.clone();
        for letter in tx.waiting_letters(game.id)? {
            let order = Order { second: letter.second, within: letter.within.clone() };
            let Some(player) = letter.player else { continue };
            let Some(standing) = stands(&game.table, PlayerId(player), &order) else { continue };
            let raw = tx.raw(letter.id)?.unwrap_or_default();
            let incoming = Said::parse(&raw, &own);
            let judged = PlayersLetter {
                id: letter.id,
                from: PlayerId(player),
                order: &order,
                incoming: &incoming,
                too_large: letter.too_large,
                confirmed: false,
            };
            let done = tx.savepoint(|tx| {
                tx.set_letter(letter.id, LetterState::Done, Some(game.id), Some(player))?;
                self.judge(tx, game, &judged, standing, now)
            });
            match done {
                Ok(()) => {}
                Err(DeskError::Store(error)) if error.is_fatal() => return Err(error.into()),
                // One poison letter must not keep a turn from its close: it is set aside, whole.
                Err(error) => {
                    tracing::error!(%error, "a letter that waited could not be processed and was quarantined");
                    tx.quarantine(letter.id, &error.to_string())?;
                    self.tell_of_quarantine(tx, &raw, letter.id, now)?;
                    *game = self.open_again(tx, game.id)?;
                }
            }
        }
        Ok(())
    }

    /// The game as the transaction has it: what was half done in memory is forgotten.
    pub(super) fn open_again(&mut self, tx: &Tx, game: GameId) -> Result<Open, DeskError> {
        self.tables.forget_all();
        let head = tx.game_by_id(game)?.ok_or(DeskError::Broken("a game that was there is gone"))?;
        self.open(tx, &head)
    }

    /// One reminder goes out for all that are due by now: after an outage there may be several.
    fn remind(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        if game.table.deadline.is_none_or(|deadline| deadline <= now) {
            return Ok(());
        }
        let mut before: Vec<SignedDuration> =
            reminders(&game.table).filter(|(_, at)| *at <= now).map(|(before, _)| before).collect();
        if before.is_empty() {
            return Ok(());
        }
        before.sort();
        let turn = game.table.game.turn;
        self.record(tx, game, now, &Entry::Reminded { turn, before })
    }

    /// A turn is closed when the inbox was read through at a moment later than its deadline plus `settle`, and not
    /// while results of the turn before are still on their way to somebody who lives. Whatever it waits for, the hosts
    /// are told once.
    fn close_if_due(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        read: Option<Timestamp>,
    ) -> Result<(), DeskError> {
        let Some(deadline) = game.table.deadline else { return Ok(()) };
        let settled = settled(&game.table, deadline);
        if now < settled {
            return Ok(());
        }
        if read.is_none_or(|read| read < settled) {
            if now.duration_since(settled) < PATIENCE {
                return Ok(());
            }
            return self.alert_once(tx, game, now, Alert::InboxUnreachable { since: read.unwrap_or(deadline) });
        }
        let nicks = self.living_without_results(tx, game)?;
        if !nicks.is_empty() {
            return self.alert_once(tx, game, now, Alert::ResultsUnsent { nicks });
        }
        self.close(tx, game, now)
    }

    /// What is personal in an ended game is kept no longer than `retention`. A mail server that is asked has its say, too:
    /// nothing erased can be brought back.
    fn erase_if_due(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        read: Option<Timestamp>,
    ) -> Result<(), DeskError> {
        let by = if self.config.inbox.kind == InboxKind::Imap { read } else { Some(now) };
        let due = super::wake(&game.table, now, self.config.retention);
        let due = due.zip(by).is_some_and(|(due, by)| due <= by);
        if !due {
            return Ok(());
        }
        tx.erase_person_data(game.id)?;
        self.record(tx, game, now, &Entry::Erased)?;
        self.snapshot(tx, game)
    }

    pub(super) fn alert_once(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        alert: Alert,
    ) -> Result<(), DeskError> {
        if game.table.alerted.contains(&alert.key()) {
            return Ok(());
        }
        self.record(tx, game, now, &Entry::Alerted { alert })
    }

    fn living_without_results(&self, tx: &Tx, game: &Open) -> Result<Vec<String>, DeskError> {
        let Some(last) = &game.table.last else { return Ok(Vec::new()) };
        let unsent = tx.unsent_of_turn(game.id, last.turn)?;
        let waits = |player| unsent.iter().any(|(_, reader)| *reader == Reader::Player(player).key());
        Ok(game.table.living().filter(|(player, _)| waits(*player)).map(|(_, player)| player.nick.clone()).collect())
    }

    /// The turn is closed: waiting letters are judged in order of arrival, the rules resolve it, and unless something
    /// holds it, it is published in the same transaction.
    fn close(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        let Some(deadline) = game.table.deadline else { return Ok(()) };
        self.hear_all_waiting(tx, game, now, &|_, _, order| {
            (order.second < deadline.as_second()).then_some(Standing::OnTime)
        })?;
        if self.goes_on_after_all(tx, game, now)? {
            return self.hear_waiting(tx, game, now);
        }
        self.hear_all_waiting(tx, game, now, &|_, _, _| Some(Standing::Late { deadline }))?;
        failpoint::pass(Point::WhileClosing);
        self.judge_silence(tx, game, deadline, now)?;
        let circumstances = Circumstances { silent: game.table.activity.silent.clone(), ..Circumstances::default() };
        let report = draws::close(&game.table.game, &circumstances, &self.lots(tx, game)?);
        let waits = game.table.game.rulebook.pistol_mode == PistolMode::Window;
        let why_held = if waits { Some(Held::Window) } else { why_held(&game.table, &report) };
        let shown = is_shown(&game.table, why_held);
        let closed = Entry::Closed { report: Box::new(report), circumstances, deadline, why_held, shown };
        self.record(tx, game, now, &closed)?;
        self.go_on_from_close(tx, game, now, why_held)
    }

    /// The window is over when the inbox was read through after it; the turn is judged again with the last word.
    fn close_window_if_due(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        read: Option<Timestamp>,
    ) -> Result<(), DeskError> {
        let Some(window) = &game.table.window else { return Ok(()) };
        let settled = settled(&game.table, window.until);
        if now < settled || read.is_none_or(|read| read < settled) {
            return Ok(());
        }
        let answer = match window.dying {
            Some(dying) => {
                let letters: Vec<_> = window.letters.iter().map(|(_, asks)| (dying, asks.clone())).collect();
                turn::window_answer(&game.table.game, dying, &letters)
            }
            None => WindowAnswer::Silence,
        };
        let circumstances = Circumstances { window: answer, ..game.table.circumstances.clone() };
        let report = draws::close(&game.table.game, &circumstances, &self.lots(tx, game)?);
        let why_held = why_held(&game.table, &report);
        let shown = is_shown(&game.table, why_held);
        let closed = Entry::WindowClosed { report: Box::new(report), circumstances, why_held, shown };
        self.record(tx, game, now, &closed)?;
        self.go_on_from_close(tx, game, now, why_held)
    }

    /// A judged turn goes out, unless something holds it; then the hosts see it first.
    pub(super) fn go_on_from_close(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        now: Timestamp,
        why_held: Option<Held>,
    ) -> Result<(), DeskError> {
        if why_held.is_none() {
            return self.publish(tx, game, now);
        }
        if is_shown(&game.table, why_held) {
            self.preview_to_hosts(tx, game, now)?;
        }
        self.snapshot(tx, game)
    }

    /// The closed turn is made known and the next one opened.
    pub(super) fn publish(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        let next = deadline_after(&game.table, now)?;
        self.record(tx, game, now, &Entry::Published { next })?;
        if next.is_none() {
            erase_undelivered_notes(tx, game.id)?;
        }
        self.snapshot(tx, game)
    }
}

/// The next deadline by the game's rule.
pub(super) fn next_deadline(table: &Table, now: Timestamp) -> Result<Timestamp, DeskError> {
    let zone = jiff::tz::TimeZone::get(&table.zone).map_err(|_| DeskError::Broken("the game's zone is unknown"))?;
    Ok(table.settings.deadline.next_outside(&table.skips, now, &zone, table.settings.min_turn, table.closed_at))
}

/// At the end notes that nobody got are erased (A75).
pub(super) fn erase_undelivered_notes(tx: &Tx, game: GameId) -> Result<(), DeskError> {
    // By the reports that were published: a turn may be judged again before that.
    let (mut seq, mut notes, mut delivered) = (0, Vec::new(), BTreeMap::new());
    loop {
        let events = tx.events_after(game, seq, 512)?;
        if events.is_empty() {
            break;
        }
        for event in events {
            seq = event.seq;
            match serde_json::from_str(&event.body)? {
                Entry::Heard(heard) => notes.extend(heard.items.iter().filter_map(note_of)),
                Entry::Closed { report, .. }
                | Entry::WindowClosed { report, .. }
                | Entry::JudgedAgain { report, .. }
                | Entry::MissesForgiven { report, .. } => {
                    let ids: Vec<u32> = report.notes.iter().map(|note| note.text.id).collect();
                    delivered.insert(report.turn, ids);
                }
                _ => {}
            }
        }
    }
    notes.retain(|note| !delivered.values().flatten().any(|id| id == note));
    Ok(tx.erase_texts(game, &notes)?)
}

fn note_of(item: &Item) -> Option<u32> {
    match item {
        Item::Ask { ask: Ask::Do { kind: Kind::Note, text: Some(text), .. }, .. } => Some(text.id),
        _ => None,
    }
}
