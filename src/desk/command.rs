//! The host's hands: each command is checked whole before anything of it is done. A letter and `omerta game` end here
//! alike.

use jiff::{SignedDuration, Timestamp};

pub use super::bounds::winner_named;
use super::bounds::{self, time};
use super::close::{erase_undelivered_notes, next_deadline};
pub use super::new::{NewGame, settings};
use super::publication::{may_preview, shows};
pub use super::signup::Terms;
use super::{Desk, DeskError, Open, Room};
use crate::draws;
use crate::journal::{By, Entry};
pub use crate::letters::orders::{Did, Forgiven, NotDone};
use crate::letters::{Lang, orders};
use crate::roster::Account;
use crate::rules::game::Life;
use crate::rules::lots::Lots;
use crate::rules::{Order, PlayerId, Role, Winner};
use crate::schedule;
use crate::store::{StoreError, Tx};
use crate::table::{Phase, State, Table, whole_second};

/// What a host can want of a game that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Start,
    /// A time as the host wrote it.
    Deadline {
        when: String,
    },
    Extend {
        by: String,
    },
    /// Dates on which no turn ends of its own accord, as the host wrote them; «нет» takes all back.
    Skip {
        dates: String,
    },
    Pause,
    Resume,
    /// This second is the deadline.
    Resolve,
    Publish,
    /// The hosts get the letters of the closed turn.
    Preview,
    Story {
        text: String,
    },
    /// Before publication: who is alive after all.
    Rule {
        nick: String,
        alive: bool,
        text: String,
    },
    /// Takes back the resolution of the turn closed last.
    Undo,
    Cancel,
    /// Another person takes the seat over.
    Replace {
        nick: String,
        address: String,
    },
    /// The waiting list is asked who takes the seat over.
    OfferSeat {
        nick: String,
    },
    /// The results stand in the topic, at this link.
    Posted {
        link: String,
    },
    /// Who was silent in the topic, or was not after all.
    Watched {
        silent: bool,
        nicks: Vec<String>,
    },
    /// The feed of this game's topic, as the host wrote it; «нет» reads none.
    Feed {
        address: String,
    },
    /// The game ends as the host says.
    Finish {
        winner: Winner,
    },
    Expel {
        nick: String,
        text: String,
    },
    Warn {
        nick: String,
        text: String,
    },
    Deprive {
        nicks: Vec<String>,
        turns: u16,
    },
    Forgive {
        whom: Whom,
        what: Forgiven,
    },
    /// Forum accounts, one for each player; while the game is on, other passwords of them.
    Accounts {
        accounts: Vec<Account>,
    },
    /// Opens sign-up, or changes its terms.
    Open(Terms),
    Close,
    /// Accepts or declines these applicants, all or none ([`Command::judging`]).
    Judge {
        nicks: Vec<String>,
        accept: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    Nicks(Vec<String>),
    All,
}

/// When a command came: its arrival decides to which turn it belongs, the present moment stands in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    pub arrived: Timestamp,
    /// Its place among the letters and commands of that second.
    pub order: Order,
    pub now: Timestamp,
}

impl Moment {
    /// Of the command line: it arrives as it is read.
    pub fn at(now: Timestamp) -> Moment {
        let order = Order { second: now.as_second(), within: format!("host/{:06}", now.subsec_microsecond()) };
        Moment { arrived: now, order, now }
    }
}

/// Why a command was not done, and what to do instead.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Desk(#[from] DeskError),
    #[error("{}", in_english(.0))]
    NotDone(NotDone),
    /// A new game that can't be made.
    #[error("{what}. {cure}.")]
    Refused { what: String, cure: String },
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> CommandError {
        CommandError::Desk(error.into())
    }
}

impl From<NotDone> for CommandError {
    fn from(why: NotDone) -> CommandError {
        CommandError::NotDone(why)
    }
}

fn in_english(why: &NotDone) -> String {
    let said = orders::not_done(Lang::En, why);
    format!("{}. {}", said.what, orders::for_the_shell(&said.then))
}

impl Desk {
    /// Does one command of the command line, or refuses it whole.
    ///
    /// # Errors
    /// [`CommandError::NotDone`] with what is wrong; then nothing of it was done.
    pub fn command(&mut self, tag: &str, command: &Command, now: Timestamp) -> Result<Did, CommandError> {
        let mut refusal = None;
        let done = self.write(|room, tx| {
            let head = tx.game(tag)?.ok_or_else(|| DeskError::NoGame(tag.to_owned()))?;
            let mut game = room.open(tx, &head)?;
            match room.obey(tx, &mut game, command, &Moment::at(now)) {
                Ok(did) => {
                    if shows(&game.table, &did) {
                        room.show_preview(tx, &mut game, now)?;
                    }
                    room.record(tx, &mut game, now, &Entry::Commanded { did: did.clone() })?;
                    // Letters that waited for a deadline which has now moved.
                    room.hear_waiting(tx, &mut game, now)?;
                    room.put_back(tx, game, now)?;
                    Ok(did)
                }
                Err(CommandError::Desk(error)) => Err(error),
                Err(error) => {
                    refusal = Some(error);
                    Err(DeskError::Refused)
                }
            }
        });
        let Some(refusal) = refusal else { return Ok(done?) };
        if let CommandError::NotDone(why @ NotDone::SilentPlayers { .. }) = &refusal {
            self.write(|room, tx| {
                let Some(head) = tx.game(tag)? else { return Ok(()) };
                let mut game = room.open(tx, &head)?;
                room.remember_silent(tx, &mut game, why, now)?;
                room.put_back(tx, game, now)
            })?;
        }
        Err(refusal)
    }
}

impl Room {
    /// Does one command, or nothing: whatever is wrong is found before the first event is written.
    pub(super) fn obey(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        command: &Command,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        let Moment { arrived, now, .. } = *at;
        match command {
            Command::Start => self.start(tx, game, now),
            Command::Deadline { when } => {
                may_move_deadline(&game.table)?;
                let when = time(when, schedule::parse_when(when, arrived, &zone(&game.table)?))?;
                self.set_deadline(tx, game, when, at)
            }
            Command::Extend { by } => {
                may_move_deadline(&game.table)?;
                let deadline = game.table.deadline.ok_or(NotDone::NoDeadline)?;
                let later = time(by, schedule::parse_extension(by, arrived, &zone(&game.table)?, deadline))?;
                if whole_second(later.at) <= deadline {
                    return Err(NotDone::MovesNothing.into());
                }
                self.set_deadline(tx, game, later, at)
            }
            Command::Resolve if game.table.is_taken_back() => self.resolve_again(tx, game, now),
            Command::Skip { dates } => self.skip(tx, game, dates, now),
            Command::Resolve => {
                must_be_open(&game.table, arrived)?;
                let was = game.table.deadline;
                let deadline = whole_second(now);
                self.record(tx, game, now, &Entry::DeadlineSet { deadline, was, by: By::Rule })?;
                Ok(Did::TurnOver { turn: game.table.game.turn })
            }
            Command::Pause => {
                must_be_open(&game.table, arrived)?;
                let deadline = game.table.deadline.ok_or(NotDone::NoDeadline)?;
                self.record(tx, game, now, &Entry::Paused { left: deadline.duration_since(arrived) })?;
                Ok(Did::Paused)
            }
            Command::Resume => self.resume(tx, game, at),
            Command::Publish => self.publish_by_hand(tx, game, now),
            Command::Preview => Ok(may_preview(&game.table)?),
            Command::Rule { nick, alive, text } => self.rule(tx, game, nick, *alive, text, now),
            Command::Undo => self.take_back(tx, game, now),
            Command::Story { text } => self.tell_story(tx, game, text, now),
            Command::Cancel => {
                must_not_have_ended(&game.table)?;
                self.record(tx, game, now, &Entry::Cancelled)?;
                erase_undelivered_notes(tx, game.id)?;
                Ok(Did::Cancelled)
            }
            Command::Replace { nick, address } => self.replace(tx, game, nick, address, at),
            Command::OfferSeat { nick } => self.offer_seat(tx, game, nick, at),
            Command::Accounts { accounts } => self.take_accounts(tx, game, accounts, now),
            Command::Posted { link } => self.posted(tx, game, link, now),
            Command::Watched { silent, nicks } => self.watched(tx, game, *silent, nicks, at),
            Command::Feed { address } => self.name_feed(tx, game, address, now),
            Command::Finish { winner } => self.finish(tx, game, *winner, now),
            Command::Expel { nick, text } => self.expel(tx, game, nick, text, at),
            Command::Warn { nick, text } => self.warn(tx, game, nick, text, now),
            Command::Deprive { nicks, turns } => self.deprive(tx, game, nicks, *turns, at),
            Command::Forgive { whom, what } => self.forgive(tx, game, whom, *what, at),
            Command::Open(_) | Command::Close | Command::Judge { .. } => self.obey_signup(tx, game, command, at),
        }
    }

    /// A closed turn is made known first: what it did must not be lost.
    fn finish(&mut self, tx: &Tx, game: &mut Open, winner: Winner, now: Timestamp) -> Result<Did, CommandError> {
        must_not_have_ended(&game.table)?;
        match (game.table.state, game.table.phase) {
            (State::Signup, _) => return Err(NotDone::NotBegun.into()),
            (_, Phase::Review) if game.table.window.is_some() => return Err(NotDone::WaitsForShot.into()),
            (_, Phase::Review) => return Err(NotDone::InReview { turn: game.table.game.turn }.into()),
            (_, Phase::Open) => {}
        }
        self.record(tx, game, now, &Entry::Finished { winner })?;
        erase_undelivered_notes(tx, game.id)?;
        Ok(Did::Finished { winner })
    }

    fn start(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<Did, CommandError> {
        match game.table.state {
            State::Signup => {}
            State::Playing | State::Paused => return Err(NotDone::StartedAlready.into()),
            State::Finished | State::Cancelled => return Err(NotDone::HasEnded.into()),
        }
        super::handshake::hands_are_shaken(&game.table)?;
        self.seat_applicants(tx, game, now)?;
        self.deal_accounts(tx, game, now)?;
        let words = game.table.words_for_lots();
        let (roles, dealt_as_given) = match game.table.roles_given.clone() {
            Some(roles) => (roles, true),
            None => (self.deal(tx, game, words.clone())?, false),
        };
        let deadline = match game.table.deadline.filter(|deadline| *deadline > now) {
            Some(deadline) => deadline,
            None => next_deadline(&game.table, now)?,
        };
        self.record(tx, game, now, &Entry::Started { roles, dealt_as_given, deadline, words })?;
        self.snapshot(tx, game)?;
        let players = u16::try_from(game.table.game.players.len()).unwrap_or(u16::MAX);
        Ok(Did::Begun { players, deadline })
    }

    fn deal(&mut self, tx: &Tx, game: &Open, words: Vec<(String, String)>) -> Result<Vec<Role>, CommandError> {
        let lots = Lots { words, ..self.lots(tx, game)? };
        draws::deal(game.table.game.players.len(), &game.table.game.rulebook, &lots)
            .map_err(|fault| NotDone::CantDeal { fault: fault.to_string() }.into())
    }

    fn set_deadline(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        when: schedule::When,
        at: &Moment,
    ) -> Result<Did, CommandError> {
        let deadline = bounds::not_too_far(whole_second(when.at), at.arrived)?;
        if deadline <= at.arrived {
            return Err(NotDone::PastTime.into());
        }
        let was = game.table.deadline;
        if was == Some(deadline) {
            return Ok(Did::DeadlineStands { deadline });
        }
        self.record(tx, game, at.now, &Entry::DeadlineSet { deadline, was, by: By::Host })?;
        Ok(Did::DeadlineSet { deadline, was, local: when.local })
    }
}

/// A living player of a running game.
pub(super) fn playing(table: &Table, nick: &str) -> Result<PlayerId, NotDone> {
    must_be_playing(table)?;
    let Some(who) = table.by_nick(nick) else {
        let nicks = table.seats().map(|(_, player)| player.nick.clone()).collect();
        return Err(NotDone::UnknownNick { said: nick.to_owned(), nicks });
    };
    match table.player(who).map(|player| player.life) {
        Some(Life::Alive) => Ok(who),
        _ => Err(NotDone::OutAlready { nick: table.nick(who).to_owned() }),
    }
}

/// Living players, as a host lists them.
pub(super) fn all_playing(table: &Table, nicks: &[String]) -> Result<Vec<PlayerId>, NotDone> {
    let nicks = bounds::listed(nicks, |nick| table.by_nick(nick).is_some());
    nicks.iter().map(|nick| playing(table, nick)).collect()
}

pub(super) fn must_be_playing(table: &Table) -> Result<(), NotDone> {
    if matches!(table.state, State::Playing | State::Paused) { Ok(()) } else { Err(NotDone::NotPlaying) }
}

/// What the host does counts in the turn in which it arrives; one that is being closed is judged without it.
pub(super) fn must_count_in_this_turn(table: &Table, arrived: Timestamp) -> Result<(), NotDone> {
    if table.state == State::Paused { Ok(()) } else { must_be_open(table, arrived) }
}

/// Before the game a deadline may be set as well, and until the close it may be moved: letters that wait are then in
/// time.
fn may_move_deadline(table: &Table) -> Result<(), NotDone> {
    match (table.state, table.phase) {
        (State::Signup, _) | (State::Playing, Phase::Open) => Ok(()),
        _ => must_be_open(table, Timestamp::MIN),
    }
}

pub(super) fn must_not_have_ended(table: &Table) -> Result<(), NotDone> {
    if matches!(table.state, State::Finished | State::Cancelled) { Err(NotDone::HasEnded) } else { Ok(()) }
}

/// The turn runs, and the order came before its deadline.
fn must_be_open(table: &Table, arrived: Timestamp) -> Result<(), NotDone> {
    match (table.state, table.phase) {
        (State::Playing, Phase::Open) if table.deadline.is_some_and(|deadline| deadline <= arrived) => {
            Err(NotDone::BeingClosed)
        }
        (State::Playing, Phase::Open) => Ok(()),
        (State::Playing, Phase::Review) => Err(NotDone::InReview { turn: table.game.turn }),
        (State::Paused, _) => Err(NotDone::IsPaused),
        (State::Signup, _) => Err(NotDone::NotBegun),
        (State::Finished | State::Cancelled, _) => Err(NotDone::HasEnded),
    }
}

/// What a pause cuts in the middle of a second must not cost the players that second.
pub(super) fn nearest_second(moment: Timestamp) -> Timestamp {
    whole_second(moment.saturating_add(SignedDuration::from_millis(500)).unwrap_or(moment))
}

pub(super) fn zone(table: &Table) -> Result<jiff::tz::TimeZone, NotDone> {
    jiff::tz::TimeZone::get(&table.zone).map_err(|_| NotDone::UnknownZone { zone: table.zone.clone() })
}
