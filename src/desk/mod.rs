//! The straight line, read top to bottom: a letter, a deadline and a host's command all become events; events owe
//! letters; events and letters are committed in one transaction. `intake`: many letters at once; [`receive`]: one of them;
//! [`said`]: what it says. [`close`]: a deadline. `identity`: who wrote it, and who is asked whether he did. [`command`]:
//! the host's hands; `orders`: his letters. `bounds`: what a host may write into a command. `handshake`: a first letter
//! to answer. `replacement`: a seat goes to another person; `offers`: the waiting list is
//! asked for it. `moderator`: what the forum's moderators tell; [`activity`]: what the topic's feed tells. `signup`:
//! who asks to play. [`roster`]: photographs for the forum. `accounts`, `vault`: forum accounts, and what lies sealed.
//! [`post`]: letters into outbox rows.

mod accounts;
pub mod activity;
mod bounces;
mod bounds;
mod caps;
pub mod close;
pub mod command;
mod discipline;
pub mod feeds;
mod handshake;
mod identity;
mod intake;
pub mod leap;
mod meant;
mod moderator;
mod morning;
mod nagging;
mod new;
mod offers;
mod orders;
pub mod outgoing;
pub mod place;
pub mod post;
mod publication;
pub mod quarantine;
pub mod quota;
pub mod receive;
mod replacement;
pub mod roster;
mod route;
pub mod said;
mod signup;
mod skip;
mod terms;
mod undo;
mod vault;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::config::Config;
use crate::dice;
use crate::failpoint::{self, Point};
use crate::journal::Entry;
use crate::keys::Keys;
use crate::letters::compose;
use crate::letters::render::Templates;
use crate::rules::TextRef;
use crate::rules::lots::Lots;
use crate::store::{GameHead, GameId, Store, StoreError, Tx, View};
use crate::table::{Phase, State, Table, is_on};

/// What keeps the desk from its work. None of it is a player's fault, and none of it names a role, an address or a
/// text.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    #[error(transparent)]
    Store(#[from] StoreError),
    // Where it does not read, and no more: the parser repeats values, and values may be roles.
    #[error("the journal of a game does not read: event {seq} of {tag}, at its character {}", .source.column())]
    Journal { tag: String, seq: i64, source: serde_json::Error },
    #[error("an event could not be written as JSON: {0}")]
    Encode(#[from] serde_json::Error),
    #[error("a {kind} letter could not be put into words: {what}")]
    Render { kind: &'static str, what: String },
    #[error("a {kind} letter can't be sent: {what}")]
    Header { kind: String, what: String },
    #[error("the system has no source of randomness: {0}")]
    Dice(#[from] getrandom::Error),
    #[error(transparent)]
    Vault(#[from] vault::VaultFault),
    #[error("there is no game {0}. `omerta game list` shows all.")]
    NoGame(String),
    /// A command was refused: the transaction is taken back.
    #[error("the command was refused")]
    Refused,
    #[error("{0}")]
    Broken(&'static str),
}

impl DeskError {
    /// The database or the system is in trouble, and not only one letter or game.
    pub fn is_fatal(&self) -> bool {
        match self {
            DeskError::Store(error) => error.is_fatal(),
            DeskError::Dice(_) => true,
            _ => false,
        }
    }
}

/// The desk and its one drawer, the database.
pub struct Desk {
    pub store: Store,
    room: Room,
}

/// What the desk works with inside a transaction.
pub struct Room {
    config: Arc<Config>,
    keys: Keys,
    templates: Arc<Templates>,
    tables: Tables,
    /// Of the games whose topics are read, as of which event.
    deadlines: BTreeMap<GameId, (i64, feeds::Told)>,
}

impl Desk {
    /// # Errors
    /// When the database's key can't be read.
    pub fn new(store: Store, config: Arc<Config>, templates: Arc<Templates>) -> Result<Desk, DeskError> {
        let keys = Keys::new(store.key());
        Ok(Desk {
            store,
            room: Room { config, keys, templates, tables: Tables::default(), deadlines: BTreeMap::new() },
        })
    }

    pub fn config(&self) -> &Config {
        &self.room.config
    }

    /// Works on with other settings; the database stays.
    pub fn set_settings(&mut self, config: Arc<Config>, templates: Arc<Templates>) {
        self.room.config = config;
        self.room.templates = templates;
    }

    /// One transaction. When it fails nothing of it stays, not even in memory.
    fn write<T>(&mut self, work: impl FnOnce(&mut Room, &Tx) -> Result<T, DeskError>) -> Result<T, DeskError> {
        let room = &mut self.room;
        let done = self.store.write(|tx| work(room, tx));
        if done.is_err() {
            self.room.tables.forget_all();
        }
        done
    }

    /// Does something in each game that runs, a transaction a game: one whose journal does not read keeps no other from it.
    /// True where there are games at all. `failing`: what could not be done, for the log.
    fn in_each_running_game(
        &mut self,
        now: Timestamp,
        failing: &str,
        work: impl Fn(&mut Room, &Tx, &mut Open) -> Result<(), DeskError>,
    ) -> Result<bool, DeskError> {
        let games = self.read(|_, tx| Ok(tx.games()?))?;
        for head in games.iter().filter(|head| is_on(&head.state)) {
            let done = self.write(|room, tx| {
                let Some(head) = tx.game_by_id(head.id)? else { return Ok(()) };
                let mut game = room.open(tx, &head)?;
                work(room, tx, &mut game)?;
                room.put_back(tx, game, now)
            });
            match done {
                Err(error) if !error.is_fatal() => {
                    tracing::error!(game = head.id.0, %error, "{failing}; the other games go on");
                }
                done => done?,
            }
        }
        Ok(!games.is_empty())
    }

    fn read<T>(&mut self, work: impl FnOnce(&mut Room, &View) -> Result<T, DeskError>) -> Result<T, DeskError> {
        let room = &mut self.room;
        self.store.read(|tx| work(room, tx))
    }

    /// A game's table as it stands, for those who only look.
    ///
    /// # Errors
    /// When there is no such game, or the database does not answer.
    pub fn table(&mut self, tag: &str) -> Result<(GameId, Table), DeskError> {
        self.read(|room, tx| {
            let head = tx.game(tag)?.ok_or_else(|| DeskError::NoGame(tag.to_owned()))?;
            let table = room.load(tx, &head)?;
            room.tables.keep(head.id, head.seq, table.clone());
            Ok((head.id, table))
        })
    }
}

/// The version of the fold: it grows when the same events would give another table, or a table of another form.
const FOLD: &str = "12";

fn read_snapshot(body: &str) -> Option<Table> {
    let (version, table) = body.split_once('\n')?;
    if version == FOLD { serde_json::from_str(table).ok() } else { None }
}

/// How many events may stand behind a snapshot before the next one is taken.
const SNAPSHOT_EVERY: i64 = 128;

impl Room {
    /// The fold of a game's journal: from memory, else from its last snapshot and the few events behind it.
    fn load(&mut self, tx: &View, head: &GameHead) -> Result<Table, DeskError> {
        let broken = |seq: i64| move |source| DeskError::Journal { tag: head.tag.clone(), seq, source };
        let (mut seq, mut table) = match self.tables.take(head.id) {
            Some((seq, table)) if seq <= head.seq => (seq, Some(table)),
            _ => match tx.snapshot(head.id)? {
                // A snapshot only saves time: one of another version, or one that does not read, is passed over.
                Some((seq, body)) => match read_snapshot(&body) {
                    Some(table) => (seq, Some(table)),
                    None => (0, None),
                },
                None => (0, None),
            },
        };
        while seq < head.seq {
            let events = tx.events_after(head.id, seq, 512)?;
            if events.is_empty() {
                return Err(DeskError::Broken("the journal ends before its last event"));
            }
            for event in events {
                let entry: Entry = serde_json::from_str(&event.body).map_err(broken(event.seq))?;
                fold(&mut table, event.at, &entry);
                seq = event.seq;
            }
        }
        table.ok_or(DeskError::Broken("a game without its first event"))
    }

    /// The one way in which anything happens: the event joins the journal, folds into the table, and the letters it
    /// owes are put in the outbox, all in the caller's transaction.
    fn record(&mut self, tx: &Tx, game: &mut Open, now: Timestamp, entry: &Entry) -> Result<(), DeskError> {
        let seq = tx.append(game.id, now, entry.name(), &serde_json::to_string(entry)?)?;
        let before =
            matches!(entry, Entry::Published { .. } | Entry::Rearranged { .. }).then(|| game.table.game.clone());
        game.table.apply(now, entry);
        game.seq = seq;
        let owed = self.with_context(tx, game.id, &game.table, |context| {
            compose::owed(&game.table, before.as_ref(), entry, context)
        })?;
        for letter in owed {
            self.enqueue(tx, game, now, &letter)?;
            failpoint::pass(Point::WhileWritingLetters);
        }
        if seq - game.snapshot >= SNAPSHOT_EVERY {
            self.snapshot(tx, game)?;
        }
        Ok(())
    }

    /// Lets letters be composed with all that stands beside the table.
    fn with_context<T>(
        &self,
        tx: &View,
        game: GameId,
        table: &Table,
        work: impl FnOnce(&compose::Context) -> T,
    ) -> Result<T, DeskError> {
        let (turn, tag) = (table.game.turn, table.tag.as_str());
        // Most letters tell none.
        let proof_words = std::cell::OnceCell::new();
        let officers = tx.officers(game)?;
        let count = |role: &str| {
            u16::try_from(officers.iter().filter(|officer| officer.role == role).count()).unwrap_or(u16::MAX)
        };
        let formers = u16::try_from(tx.formers(game)?.len()).unwrap_or(u16::MAX);
        // What can't be read must not become an empty letter.
        let failed = std::cell::Cell::new(None);
        let done = {
            let note = |error: StoreError| failed.set(Some(error));
            work(&compose::Context {
                text: &|text| tx.text(game, text.id).map_err(note).ok().flatten(),
                proof_word: &|player| {
                    let words = proof_words.get_or_init(|| self.proof_words(table));
                    words.get(usize::from(player.0)).cloned().unwrap_or_default()
                },
                rank: &|player| self.keys.rank(tag, turn, player),
                hosts: count("host"),
                moderators: count("moderator"),
                forums: count("post_to"),
                formers,
                seed: &|| match tx.secret(game, "seed") {
                    Ok(seed) => data_encoding::HEXLOWER.encode(&seed.unwrap_or_default()),
                    Err(error) => {
                        note(error);
                        String::new()
                    }
                },
                account: &|player| {
                    let (number, name) = table.people.account(player)?;
                    let password = self.password(tx, game, table, number).unwrap_or_else(|error| {
                        // The letter says whom to ask.
                        tracing::error!(%error, "a forum password can't be told");
                        String::new()
                    });
                    Some((name.to_owned(), password))
                },
                person: &|player| tx.seat(game, player.0).map_err(note).ok().flatten().and_then(|seat| seat.forum_name),
            })
        };
        match failed.take() {
            Some(error) => Err(error.into()),
            None => Ok(done),
        }
    }

    fn snapshot(&mut self, tx: &Tx, game: &mut Open) -> Result<(), DeskError> {
        let body = format!("{FOLD}\n{}", serde_json::to_string(&game.table)?);
        tx.save_snapshot(game.id, game.seq, &body)?;
        game.snapshot = game.seq;
        Ok(())
    }

    /// Opens a game for work.
    fn open(&mut self, tx: &Tx, head: &GameHead) -> Result<Open, DeskError> {
        let table = self.load(tx, head)?;
        Ok(Open {
            id: head.id,
            seq: head.seq,
            snapshot: tx.snapshot_seq(head.id)?,
            state: head.state.clone(),
            wake: head.wake,
            table,
        })
    }

    /// Puts a game back: its state and the next moment at which it wants attention.
    fn put_back(&mut self, tx: &Tx, game: Open, now: Timestamp) -> Result<(), DeskError> {
        let (state, wake) = (game.table.state.word(), wake(&game.table, now, self.config.retention));
        if (state, wake) != (game.state.as_str(), game.wake) {
            tx.set_game(game.id, state, wake)?;
        }
        self.tables.keep(game.id, game.seq, game.table);
        Ok(())
    }

    fn seed(&self, tx: &View, game: GameId) -> Result<[u8; 32], DeskError> {
        let seed = tx.secret(game, "seed")?.ok_or(DeskError::Broken("a game without its seed"))?;
        seed.try_into().map_err(|_| DeskError::Broken("a seed of another length"))
    }

    fn lots(&self, tx: &View, game: &Open) -> Result<Lots, DeskError> {
        Ok(Lots { seed: self.seed(tx, game.id)?, words: game.table.lot_words.clone() })
    }
}

/// Folds an event into a table that may not be there yet.
pub fn fold(table: &mut Option<Table>, at: Timestamp, entry: &Entry) {
    if let Entry::Created(created) = entry {
        *table = Some(Table::new(created));
    }
    if let Some(table) = table {
        table.apply(at, entry);
    }
}

/// A game taken out for work within a transaction.
pub struct Open {
    pub id: GameId,
    pub seq: i64,
    snapshot: i64,
    /// As the database has them.
    state: String,
    wake: Option<Timestamp>,
    pub table: Table,
}

/// The next moment at which a game wants attention without anybody writing.
pub fn wake(table: &Table, now: Timestamp, retention: SignedDuration) -> Option<Timestamp> {
    [deed_due(table, now, retention), offers::due(table, now), morning::next(table)].into_iter().flatten().min()
}

fn deed_due(table: &Table, now: Timestamp, retention: SignedDuration) -> Option<Timestamp> {
    match (table.state, table.phase) {
        (State::Playing, Phase::Open) => {
            let deadline = table.deadline?;
            let close = close::settled(table, deadline);
            // After the deadline nobody is reminded any more.
            let reminder = close::reminders_left(table).min().filter(|_| now < deadline);
            if now < deadline && skip::all_votes_are_in(table) {
                return Some(now);
            }
            Some(reminder.map_or(close, |at| at.min(close)))
        }
        (State::Playing, Phase::Review) => match &table.window {
            Some(window) => Some(close::settled(table, window.until)),
            None => {
                let nag = nagging::nags_left(table).map(|(_, due)| due).min();
                table.publishes_itself_at().into_iter().chain(nag).min()
            }
        },
        (State::Signup, _) => signup::closes_at(table),
        (State::Finished | State::Cancelled, _) if !table.erased => table.ended?.saturating_add(retention).ok(),
        _ => None,
    }
}

/// Tables kept in memory: as many as are in use, within bounds.
#[derive(Default)]
struct Tables {
    kept: BTreeMap<GameId, (i64, u64, Table)>,
    uses: u64,
}

/// A table of sixty players in mid-turn takes some 100 kB.
const TABLES_KEPT: usize = 64;

impl Tables {
    fn take(&mut self, game: GameId) -> Option<(i64, Table)> {
        self.kept.remove(&game).map(|(seq, _, table)| (seq, table))
    }

    fn holds(&self, game: GameId) -> bool {
        self.kept.contains_key(&game)
    }

    fn keep(&mut self, game: GameId, seq: i64, table: Table) {
        self.uses = self.uses.wrapping_add(1);
        self.kept.insert(game, (seq, self.uses, table));
        if self.kept.len() > TABLES_KEPT {
            let oldest = self.kept.iter().min_by_key(|(_, (_, used, _))| *used).map(|(game, _)| *game);
            oldest.map(|game| self.kept.remove(&game));
        }
    }

    fn forget_all(&mut self) {
        self.kept.clear();
    }
}

/// Puts a text where it can be erased; the journal gets its number and its salted hash.
fn put_text(tx: &Tx, game: GameId, text: &str) -> Result<TextRef, DeskError> {
    let mut salt = [0u8; 16];
    for (to, from) in salt.iter_mut().zip(dice::random_32()?) {
        *to = from;
    }
    Ok(tx.put_text(game, &salt, text)?)
}
