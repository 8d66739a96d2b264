//! The host's hands: each command is checked whole before anything of it is done.

use jiff::{SignedDuration, Timestamp};

use super::close::{erase_undelivered_notes, next_deadline};
pub use super::new::settings;
use super::new::{check_tag, roles_given, salted};
use super::{Desk, DeskError, Open, Room, put_text};
use crate::dice;
use crate::draws;
use crate::journal::{By, Created, Entry, Held, Settings};
use crate::roster::RosterRow;
use crate::rules::deal;
use crate::rules::game::Life;
use crate::rules::ledger::HostAct;
use crate::rules::lots::Lots;
use crate::rules::rulebook::Rulebook;
use crate::rules::turn::Circumstances;
use crate::rules::{Order, PlayerId, Role};
use crate::schedule;
use crate::store::Tx;
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
    Pause,
    Resume,
    /// This second is the deadline.
    Resolve,
    Publish,
    Cancel,
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
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    Nick(String),
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgiven {
    Miss,
    Silence,
}

impl Forgiven {
    fn said(self) -> &'static str {
        match self {
            Forgiven::Miss => "a missed vote",
            Forgiven::Silence => "a silence",
        }
    }
}

/// A new game, as the host ordered it.
pub struct NewGame {
    pub tag: String,
    pub title: String,
    pub roster: Vec<RosterRow>,
    pub rulebook: Rulebook,
    pub settings: Settings,
    pub hosts: Vec<String>,
    pub moderators: Vec<String>,
    pub forums: Vec<String>,
    /// Only for demos and tests, which play the same game again: the seed of all its lots. None draws one.
    pub seed: Option<[u8; 32]>,
}

/// Why a command was not done, and what to do instead.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Desk(#[from] DeskError),
    #[error(transparent)]
    When(#[from] schedule::WhenFault),
    #[error("{what}. {cure}.")]
    Refused { what: String, cure: String },
}

pub(super) fn refused(what: impl Into<String>, cure: impl Into<String>) -> CommandError {
    CommandError::Refused { what: what.into(), cure: cure.into() }
}

/// What a command did, for the command line to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    pub said: String,
}

fn done(said: impl Into<String>) -> Done {
    Done { said: said.into() }
}

impl Desk {
    /// Makes a game and seats its roster. The seed of all its lots is drawn here and its hash published.
    ///
    /// # Errors
    /// [`CommandError::Refused`] when the tag is taken or the roster can't be played; nothing is made then.
    pub fn new_game(&mut self, new: &NewGame, now: Timestamp) -> Result<Done, CommandError> {
        check_tag(&new.tag)?;
        let roles_given = roles_given(&new.roster);
        match &roles_given {
            Some(roles) => deal::check_roster(roles, &new.rulebook),
            None => deal::deck(new.roster.len(), &new.rulebook).map(|_| ()),
        }
        .map_err(|fault| {
            refused(format!("these players can't be dealt a game: {fault}"), "Mend the roster or the rules")
        })?;
        let seed = match new.seed {
            Some(seed) => seed,
            None => dice::random_32().map_err(DeskError::from)?,
        };
        let salt = dice::random_32().map_err(DeskError::from)?;
        let commitment = Lots { seed, words: Vec::new() }.commitment();
        let made = self.write(|room, tx| {
            if tx.game(&new.tag)?.is_some() {
                return Ok(None);
            }
            let created = Created {
                tag: new.tag.clone(),
                title: new.title.clone(),
                language: room.config.language,
                zone: room.config.zone_name().to_owned(),
                host_name: room.config.host.name.clone(),
                rulebook: new.rulebook.clone(),
                settings: new.settings.clone(),
                commitment,
                roles_given,
            };
            let id = tx.create_game(&new.tag, &new.title, State::Signup.word(), now)?;
            tx.put_secret(id, "seed", &seed)?;
            tx.put_secret(id, "salt", &salt)?;
            let officers = [("host", &new.hosts), ("moderator", &new.moderators), ("post_to", &new.forums)];
            for (role, addresses) in officers {
                for (position, address) in (0u16..).zip(addresses) {
                    tx.put_officer(id, role, position, address)?;
                }
            }
            let mut game =
                Open { id, seq: 0, snapshot: 0, state: String::new(), wake: None, table: Table::new(&created) };
            room.record(tx, &mut game, now, &Entry::Created(Box::new(created)))?;
            for (player, row) in (0u16..).map(PlayerId).zip(&new.roster) {
                tx.put_seat(id, player.0, &row.address, row.forum_name.as_deref())?;
                let registered = Entry::Registered {
                    player,
                    nick: row.nick.clone(),
                    characteristic: row.characteristic.clone(),
                    gender: row.gender,
                    address: salted(&salt, &row.address),
                };
                room.record(tx, &mut game, now, &registered)?;
            }
            room.put_back(tx, game, now)?;
            Ok(Some(()))
        })?;
        match made {
            Some(()) => Ok(done(format!("game {} is made, {} players are seated", new.tag, new.roster.len()))),
            None => {
                Err(refused(format!("the tag {} is taken", new.tag), "Choose another; `omerta game list` shows all"))
            }
        }
    }

    /// Does one command, or refuses it whole.
    ///
    /// # Errors
    /// [`CommandError::Refused`] with what is wrong and the cure.
    pub fn command(&mut self, tag: &str, command: &Command, now: Timestamp) -> Result<Done, CommandError> {
        let mut refusal = None;
        let done = self.write(|room, tx| {
            let head = tx.game(tag)?.ok_or_else(|| DeskError::NoGame(tag.to_owned()))?;
            let mut game = room.open(tx, &head)?;
            match room.obey(tx, &mut game, command, now) {
                Ok(done) => {
                    // Letters that waited for a deadline which has now moved.
                    room.hear_waiting(tx, &mut game, now)?;
                    room.put_back(tx, game, now)?;
                    Ok(done)
                }
                Err(CommandError::Desk(error)) => Err(error),
                Err(error) => {
                    refusal = Some(error);
                    Err(DeskError::Refused)
                }
            }
        });
        refusal.map_or_else(|| Ok(done?), Err)
    }
}

impl Room {
    fn obey(&mut self, tx: &Tx, game: &mut Open, command: &Command, now: Timestamp) -> Result<Done, CommandError> {
        match command {
            Command::Start => self.start(tx, game, now),
            Command::Deadline { when } => {
                may_move_deadline(&game.table)?;
                let deadline = schedule::parse_when(when, now, &zone(&game.table)?, None)?;
                self.set_deadline(tx, game, deadline, now)
            }
            Command::Extend { by } => {
                may_move_deadline(&game.table)?;
                let deadline = game.table.deadline;
                if deadline.is_none() {
                    return Err(refused("no deadline is set", "Set one with `omerta game deadline`"));
                }
                let by = format!("+{}", by.trim().trim_start_matches('+'));
                let later = schedule::parse_when(&by, now, &zone(&game.table)?, deadline)?;
                if deadline.is_some_and(|deadline| whole_second(later) <= deadline) {
                    return Err(refused("that moves nothing", "Say by how much: +2h"));
                }
                self.set_deadline(tx, game, later, now)
            }
            Command::Resolve => {
                must_be_open(&game.table)?;
                let was = game.table.deadline;
                if was.is_some_and(|deadline| deadline <= now) {
                    return Err(refused("the deadline has passed, the turn is being closed", "Wait for the results"));
                }
                let deadline = whole_second(now);
                self.record(tx, game, now, &Entry::DeadlineSet { deadline, was, by: By::Rule })?;
                Ok(done(format!(
                    "turn {} of {} is over as of now; it is closed when the mail that is on its way has come in",
                    game.table.game.turn, game.table.tag
                )))
            }
            Command::Pause => {
                must_be_open(&game.table)?;
                let Some(deadline) = game.table.deadline else {
                    return Err(refused("no deadline is set", "Set one with `omerta game deadline`"));
                };
                if deadline <= now {
                    return Err(refused("the deadline has passed, the turn is being closed", "Wait for the results"));
                }
                let left = deadline.duration_since(now);
                self.record(tx, game, now, &Entry::Paused { left })?;
                Ok(done(format!("{} is paused; requests are taken, no deadline fires", game.table.tag)))
            }
            Command::Resume => {
                if game.table.ended.is_some() {
                    must_be_open(&game.table)?;
                }
                let Some(left) = game.table.paused_left.filter(|_| game.table.state == State::Paused) else {
                    return Err(refused(format!("{} is not paused", game.table.tag), "Nothing is to be done"));
                };
                let deadline =
                    now.saturating_add(left).map_err(|_| refused("the time left is too long", "Set a deadline"))?;
                let deadline = nearest_second(deadline);
                self.record(tx, game, now, &Entry::Resumed { deadline })?;
                Ok(done(format!("{} goes on; deadline {}", game.table.tag, local(&game.table, deadline))))
            }
            Command::Publish => {
                if game.table.state != State::Playing || game.table.phase != Phase::Review {
                    return Err(refused("no closed turn waits for publication", "`omerta game show` tells the phase"));
                }
                if game.table.window.is_some() {
                    return Err(refused(
                        "the turn waits for a last word (pistol_mode = \"window\")",
                        "It goes on by itself when the window is over",
                    ));
                }
                self.publish(tx, game, now)?;
                Ok(done(format!("the results of {} are published", game.table.tag)))
            }
            Command::Cancel => {
                if matches!(game.table.state, State::Finished | State::Cancelled) {
                    return Err(refused(format!("{} has ended already", game.table.tag), "Nothing is to be done"));
                }
                self.record(tx, game, now, &Entry::Cancelled)?;
                erase_undelivered_notes(tx, game.id)?;
                Ok(done(format!("{} is cancelled", game.table.tag)))
            }
            Command::Expel { nick, text } => {
                must_not_be_in_review(&game.table)?;
                let who = self.playing(&game.table, nick)?;
                self.act(tx, game, HostAct::Expel { who, left: false }, text, now)?;
                Ok(done(format!("{nick} is expelled")))
            }
            Command::Warn { nick, text } => {
                if text.trim().is_empty() {
                    return Err(refused("a warning without words", "Write what for, after the nick"));
                }
                let player = self.playing(&game.table, nick)?;
                let text = put_text(tx, game.id, text)?;
                self.record(tx, game, now, &Entry::HostWarned { player, text })?;
                Ok(done(format!("{nick} is warned")))
            }
            Command::Deprive { nicks, turns } => {
                must_not_be_in_review(&game.table)?;
                let players: Result<Vec<PlayerId>, CommandError> =
                    nicks.iter().map(|nick| self.playing(&game.table, nick)).collect();
                for who in players? {
                    self.act(tx, game, HostAct::Deprive { who, turns: (*turns).max(1) }, "", now)?;
                }
                Ok(done(format!("{} may not vote", nicks.join(", "))))
            }
            Command::Forgive { whom, what } => self.forgive(tx, game, whom, *what, now),
        }
    }

    fn start(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<Done, CommandError> {
        let table = &game.table;
        if table.state != State::Signup {
            return Err(refused(
                format!("{} has started already", table.tag),
                "`omerta game show` tells how it stands",
            ));
        }
        let (roles, dealt_as_given) = match table.roles_given.clone() {
            Some(roles) => (roles, true),
            None => (self.deal(tx, game)?, false),
        };
        let deadline = match game.table.deadline.filter(|deadline| *deadline > now) {
            Some(deadline) => deadline,
            None => next_deadline(&game.table, now)?,
        };
        self.record(tx, game, now, &Entry::Started { roles, dealt_as_given, deadline })?;
        self.snapshot(tx, game)?;
        Ok(done(format!(
            "{} has begun with {} players; the first deadline is {}",
            game.table.tag,
            game.table.game.players.len(),
            local(&game.table, deadline)
        )))
    }

    fn deal(&mut self, tx: &Tx, game: &Open) -> Result<Vec<Role>, CommandError> {
        let lots = self.lots(tx, game.id)?;
        draws::deal(game.table.game.players.len(), &game.table.game.rulebook, &lots)
            .map_err(|fault| refused(format!("the roles can't be dealt: {fault}"), "Mend the roster or the rules"))
    }

    fn set_deadline(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Result<Done, CommandError> {
        let deadline = whole_second(deadline);
        if deadline <= now {
            return Err(refused("that time has passed", "`omerta game resolve` ends the turn at once"));
        }
        let set = Entry::DeadlineSet { deadline, was: game.table.deadline, by: By::Host };
        self.record(tx, game, now, &set)?;
        Ok(done(format!("the deadline of {} is {}", game.table.tag, local(&game.table, deadline))))
    }

    fn act(&mut self, tx: &Tx, game: &mut Open, act: HostAct, text: &str, now: Timestamp) -> Result<(), CommandError> {
        let text = if text.is_empty() { None } else { Some(put_text(tx, game.id, text)?) };
        let order = Order { second: now.as_second(), within: format!("host/{:06}", now.subsec_microsecond()) };
        Ok(self.record(tx, game, now, &Entry::HostActed { order, act, text })?)
    }

    /// Forgives a miss or a silence; `all` in review takes back every miss of the closed turn and publishes it.
    fn forgive(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        whom: &Whom,
        what: Forgiven,
        now: Timestamp,
    ) -> Result<Done, CommandError> {
        let act = |who| match what {
            Forgiven::Miss => HostAct::ForgiveMiss { who },
            Forgiven::Silence => HostAct::ForgiveSilence { who },
        };
        let in_review = game.table.phase == Phase::Review && game.table.state == State::Playing;
        match whom {
            Whom::All if in_review && what == Forgiven::Miss && game.table.window.is_none() => {
                let lots = self.lots(tx, game.id)?;
                let everybody = game.table.seats().map(|(player, _)| player).collect();
                let circumstances = Circumstances { pardoned: everybody, ..game.table.circumstances.clone() };
                let report = Box::new(draws::close(&game.table.game, &circumstances, &lots));
                self.record(tx, game, now, &Entry::MissesForgiven { report, circumstances })?;
                if game.table.held == Some(Held::ManyMisses) {
                    self.publish(tx, game, now)?;
                    return Ok(done("all misses of this turn are forgiven and its results are published"));
                }
                Ok(done("all misses of this turn are forgiven"))
            }
            Whom::All => {
                must_not_be_in_review(&game.table)?;
                if !matches!(game.table.state, State::Playing | State::Paused) {
                    let what = format!("{} is not being played", game.table.tag);
                    return Err(refused(what, "`omerta game show` tells how it stands"));
                }
                let count = |player: &crate::rules::game::Player| match what {
                    Forgiven::Miss => player.missed,
                    Forgiven::Silence => player.warned,
                };
                let players: Vec<PlayerId> =
                    game.table.living().filter(|(_, player)| count(player) > 0).map(|(player, _)| player).collect();
                for who in players {
                    self.act(tx, game, act(who), "", now)?;
                }
                Ok(done(format!("{} is forgiven to everybody who has one", what.said())))
            }
            Whom::Nick(nick) => {
                must_not_be_in_review(&game.table)?;
                let who = self.playing(&game.table, nick)?;
                self.act(tx, game, act(who), "", now)?;
                Ok(done(format!("{} is forgiven to {nick}", what.said())))
            }
        }
    }

    /// A living player of a running game.
    fn playing(&self, table: &Table, nick: &str) -> Result<PlayerId, CommandError> {
        if !matches!(table.state, State::Playing | State::Paused) {
            return Err(refused(
                format!("{} is not being played", table.tag),
                "`omerta game show` tells how it stands",
            ));
        }
        let all = || table.seats().map(|(_, player)| player.nick.clone()).collect::<Vec<_>>().join(", ");
        let who = table
            .by_nick(nick)
            .ok_or_else(|| refused(format!("nobody is called {nick}"), format!("They are: {}", all())))?;
        match table.player(who).map(|player| player.life) {
            Some(Life::Alive) => Ok(who),
            _ => Err(refused(format!("{nick} is out of the game already"), "Nothing is to be done")),
        }
    }
}

/// What the host does counts in the turn in which it arrives; a closed one has been judged without it.
fn must_not_be_in_review(table: &Table) -> Result<(), CommandError> {
    if table.state == State::Playing && table.phase == Phase::Review {
        return Err(refused(
            format!("turn {} is closed and not yet published: this would not count in it", table.game.turn),
            "Publish the turn first, then say it again",
        ));
    }
    Ok(())
}

/// Before the game a deadline may be set as well.
fn may_move_deadline(table: &Table) -> Result<(), CommandError> {
    match table.state {
        State::Signup => Ok(()),
        State::Playing | State::Paused | State::Finished | State::Cancelled => must_be_open(table),
    }
}

/// What a pause cuts in the middle of a second must not cost the players that second.
fn nearest_second(moment: Timestamp) -> Timestamp {
    whole_second(moment.saturating_add(SignedDuration::from_millis(500)).unwrap_or(moment))
}

fn must_be_open(table: &Table) -> Result<(), CommandError> {
    match (table.state, table.phase) {
        (State::Playing, Phase::Open) => Ok(()),
        (State::Playing, Phase::Review) => Err(refused(
            format!("turn {} is closed and waits for publication", table.game.turn),
            "`omerta game publish` makes it known",
        )),
        (State::Paused, _) => Err(refused(format!("{} is paused", table.tag), "`omerta game resume` first")),
        (State::Signup, _) => Err(refused(format!("{} has not begun", table.tag), "`omerta game start` first")),
        (State::Finished | State::Cancelled, _) => Err(refused(format!("{} has ended", table.tag), "Make a new game")),
    }
}

fn zone(table: &Table) -> Result<jiff::tz::TimeZone, CommandError> {
    jiff::tz::TimeZone::get(&table.zone)
        .map_err(|_| refused(format!("the zone {} is unknown", table.zone), "Mend `timezone`"))
}

fn local(table: &Table, moment: Timestamp) -> String {
    match jiff::tz::TimeZone::get(&table.zone) {
        Ok(zone) => format!("{} ({})", moment.to_zoned_datetime(zone).strftime("%Y-%m-%d %H:%M:%S"), table.zone),
        Err(_) => moment.to_string(),
    }
}
