//! A house for tests: config, database and Maildirs in a folder, the real daemon with a clock that the test moves.
#![expect(dead_code, reason = "each test uses its own part")]

pub mod binary;
pub mod random;
pub mod whole;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use jiff::Timestamp;
use mail_parser::{MessageParser, MimeHeaders};
use omerta::clock::Clock;
use omerta::config::Config;
use omerta::daemon::Daemon;
use omerta::desk::command::{self, Command, CommandError, NewGame};
use omerta::journal::Entry;
use omerta::letters::render::Templates;
use omerta::roster::Roster;
use omerta::rules::Role;
use omerta::rules::rulebook::Rulebook;
use omerta::table::Table;

/// The moment at which every house opens: a Monday, 12:00 in Moscow.
pub const OPENS: &str = "2026-11-30T09:00:00Z";

pub struct House {
    pub folder: PathBuf,
    clock: Arc<AtomicI64>,
    config: Arc<Config>,
    daemon: Option<Daemon>,
    written: u32,
    /// Removes the folder at the end; None when another house stands in it.
    _owner: Option<tempfile::TempDir>,
}

/// A small town, its roles dealt.
pub const SEVEN: [(&str, Role); 7] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Commissioner),
    ("Глеб", Role::Doctor),
    ("Дарья", Role::Citizen),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
];

/// A letter that somebody found in his Maildir.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Got {
    pub kind: String,
    pub turn: u16,
    pub subject: String,
    pub body: String,
    pub message_id: String,
    pub in_reply_to: Option<String>,
    pub attachments: BTreeMap<String, String>,
    pub raw: Vec<u8>,
}

impl House {
    pub fn new() -> House {
        House::with("")
    }

    /// `more` is added to config.toml.
    pub fn with(more: &str) -> House {
        House::of(&config_text(more))
    }

    /// With a config of its own.
    pub fn of(config: &str) -> House {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.toml"), config).unwrap();
        let mut house = House::in_folder(folder.path());
        house._owner = Some(folder);
        house
    }

    /// Moves into a folder that has its config already.
    pub fn in_folder(folder: &Path) -> House {
        let config = Config::load(&folder.join("config.toml")).unwrap_or_else(|faults| panic!("{faults:?}"));
        let opens: Timestamp = OPENS.parse().unwrap();
        let mut house = House {
            folder: folder.to_owned(),
            clock: Arc::new(AtomicI64::new(opens.as_microsecond())),
            config: Arc::new(config),
            daemon: None,
            written: 0,
            _owner: None,
        };
        house.open();
        house
    }

    /// Starts the daemon (again).
    pub fn open(&mut self) {
        self.daemon = None;
        static TEMPLATES: LazyLock<Arc<Templates>> =
            LazyLock::new(|| Arc::new(Templates::load(None).unwrap_or_else(|faults| panic!("{faults:?}"))));
        let clock = Clock::Injected(self.clock.clone());
        let daemon = Daemon::open(self.config.clone(), TEMPLATES.clone(), clock, Duration::from_millis(1));
        self.daemon = Some(daemon.unwrap_or_else(|error| panic!("{error}")));
    }

    /// Ends the daemon without a word, as a power cut would between two rounds.
    pub fn shut(&mut self) {
        self.daemon = None;
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.clock.load(Ordering::SeqCst)).unwrap()
    }

    pub fn set_clock(&self, moment: Timestamp) {
        self.clock.store(moment.as_microsecond(), Ordering::SeqCst);
    }

    pub fn wait(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    pub fn daemon(&mut self) -> &mut Daemon {
        self.daemon.as_mut().expect("the daemon is shut")
    }

    /// One round of the daemon.
    pub fn round(&mut self) {
        self.daemon().round().unwrap_or_else(|error| panic!("{error}"));
    }

    /// Lets time pass to a moment, then lets the daemon look round twice: once to read, once to act on what it read.
    pub fn round_at(&mut self, moment: Timestamp) {
        self.set_clock(moment);
        self.round();
        self.round();
    }

    // ------------------------------------------------------------------------------------------------------- the host

    /// Makes a game whose roles stand in the roster; the players are `NICK@players.test` in translation `pN@...`.
    pub fn new_game(&mut self, tag: &str, players: &[(&str, Role)], rules: &[(&str, &str)]) {
        let roster: String = std::iter::once("address,nick,role\n".to_owned())
            .chain((0..).zip(players).map(|(n, (nick, role))| {
                let role = serde_json::to_value(role).unwrap();
                format!("{},{nick},{}\n", address(tag, n), role.as_str().unwrap())
            }))
            .collect();
        self.new_game_of(tag, &roster, rules).unwrap_or_else(|error| panic!("{error}"));
    }

    pub fn new_game_of(&mut self, tag: &str, roster: &str, rules: &[(&str, &str)]) -> Result<(), CommandError> {
        let mut rulebook = Rulebook::default();
        for (name, value) in rules {
            rulebook.set(name, value).unwrap_or_else(|fault| panic!("{fault}"));
        }
        let new = NewGame {
            tag: tag.to_owned(),
            title: format!("Игра {tag}"),
            roster: Roster::read(roster.as_bytes()).unwrap_or_else(|faults| panic!("{faults:?}")),
            rulebook,
            settings: command::settings(&self.config),
            hosts: self.config.host.addresses.clone(),
            moderators: self.config.moderators.addresses.clone(),
            forums: self.config.forum.post_to.clone(),
            feed: None,
            seed: Some([5; 32]),
        };
        let now = self.now();
        self.daemon().desk().new_game(&new, now).map(|_| ())
    }

    /// Makes a game that players sign up for by letter; its sign-up is not open yet.
    pub fn new_game_of_nobody(&mut self, tag: &str, rules: &[(&str, &str)]) {
        let mut rulebook = Rulebook::default();
        for (name, value) in rules {
            rulebook.set(name, value).unwrap_or_else(|fault| panic!("{fault}"));
        }
        let new = NewGame {
            tag: tag.to_owned(),
            title: format!("Игра {tag}"),
            roster: Vec::new(),
            rulebook,
            settings: command::settings(&self.config),
            hosts: self.config.host.addresses.clone(),
            moderators: self.config.moderators.addresses.clone(),
            forums: self.config.forum.post_to.clone(),
            feed: None,
            seed: None,
        };
        let now = self.now();
        self.daemon().desk().new_game(&new, now).unwrap_or_else(|error| panic!("{error}"));
    }

    pub fn command(&mut self, tag: &str, command: Command) {
        self.try_command(tag, command).unwrap_or_else(|error| panic!("{error}"));
    }

    pub fn try_command(&mut self, tag: &str, command: Command) -> Result<(), CommandError> {
        let now = self.now();
        self.daemon().desk().command(tag, &command, now).map(|_| ())
    }

    /// Starts a game whose turn ends in an hour.
    pub fn start(&mut self, tag: &str) {
        self.command(tag, Command::Deadline { when: "+1h".to_owned() });
        self.command(tag, Command::Start);
        self.round();
    }

    /// The word of who sits on that seat now.
    pub fn proof_word(&mut self, tag: &str, player: u16) -> String {
        let table = self.table(tag);
        let keys = omerta::keys::Keys::new(self.daemon().desk().store.key());
        let words = keys.proof_words(tag, table.game.players.len(), &table.taken_over, table.lang);
        words[usize::from(player)].clone()
    }

    pub fn table(&mut self, tag: &str) -> Table {
        self.daemon().desk().table(tag).unwrap_or_else(|error| panic!("{error}")).1
    }

    /// Sets the deadline an hour from now, passes it, and lets the turn be closed and published.
    /// Every event of the game, in order.
    pub fn journal(&mut self, tag: &str) -> Vec<Entry> {
        let read = self.daemon().desk().store.read(|tx| {
            let game = tx.game(tag)?.unwrap();
            tx.events_after(game.id, 0, 100_000)
        });
        read.unwrap().iter().map(|event| serde_json::from_str(&event.body).unwrap()).collect()
    }

    pub fn close(&mut self, tag: &str) {
        let deadline = match self.table(tag).deadline {
            Some(deadline) => deadline,
            None => panic!("{tag} has no deadline"),
        };
        self.round();
        self.round_at(deadline.saturating_add(self.config.game.settle).unwrap());
    }

    // ---------------------------------------------------------------------------------------------------- the players

    /// Writes a letter as the n-th player of a game, now.
    pub fn write(&mut self, tag: &str, player: u16, text: &str) {
        let now = self.now();
        self.write_at(tag, player, text, now, 0);
    }

    /// The same, but the server took it at another second and microsecond.
    pub fn write_at(&mut self, tag: &str, player: u16, text: &str, second: Timestamp, micros: u32) {
        self.written += 1;
        let id = format!("letter-{}@players.test", self.written);
        let raw = raw_letter(&address(tag, player), tag, &id, text);
        self.drop_in(&raw, second, micros);
    }

    /// Leaves out raw bytes that another house got, so that the later ones bear the same names in both.
    pub fn skip_letter(&mut self) {
        self.written += 1;
    }

    /// Puts raw bytes into the inbox, as delivered at that second.
    pub fn drop_in(&mut self, raw: &[u8], second: Timestamp, micros: u32) -> PathBuf {
        self.written += 1;
        let name = format!("{}.M{micros:06}P{}.host.test", second.as_second(), self.written);
        let path = self.folder.join("mail/in/new").join(name);
        std::fs::write(&path, raw).unwrap();
        path
    }

    /// What an address has got so far, oldest first.
    pub fn got(&self, address: &str) -> Vec<Got> {
        let mut files = Vec::new();
        for part in ["new", "cur"] {
            let folder = self.folder.join("mail/out").join(address).join(part);
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                files.push(entry.unwrap().path());
            }
        }
        let mut letters: Vec<(PathBuf, Got)> =
            files.into_iter().map(|file| (file.clone(), read_letter(&std::fs::read(&file).unwrap()))).collect();
        letters.sort_by_key(|(file, _)| file.file_name().map(ToOwned::to_owned));
        letters.into_iter().map(|(_, got)| got).collect()
    }

    pub fn got_by(&self, tag: &str, player: u16) -> Vec<Got> {
        self.got(&address(tag, player))
    }

    /// The kinds of letters that a player has got, in alphabetical order.
    pub fn kinds(&self, tag: &str, player: u16) -> Vec<String> {
        let mut kinds: Vec<String> = self.got_by(tag, player).into_iter().map(|got| got.kind).collect();
        kinds.sort();
        kinds
    }

    /// The newest letter of a kind.
    pub fn last(&self, tag: &str, player: u16, kind: &str) -> Got {
        let of_kind = |got: &Got| got.kind == kind;
        match self.got_by(tag, player).into_iter().rfind(of_kind) {
            Some(got) => got,
            None => panic!("player {player} of {tag} has no {kind}; only {:?}", self.kinds(tag, player)),
        }
    }
}

pub fn address(tag: &str, player: u16) -> String {
    format!("p{player:02}@{tag}.test")
}

pub fn raw_letter(from: &str, tag: &str, id: &str, text: &str) -> Vec<u8> {
    format!(
        "Return-Path: <{from}>\r\nFrom: <{from}>\r\nTo: <mafia@example.org>\r\nSubject: [{tag}]\r\nMessage-ID: <{id}>\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{}\r\n",
        text.replace('\n', "\r\n")
    )
    .into_bytes()
}

pub fn config_text(more: &str) -> String {
    format!(
        r#"language = "ru"
timezone = "Europe/Moscow"
database = "omerta.db"
[host]
name = "Ведущая"
addresses = ["host@example.org"]
[moderators]
addresses = ["moderator@example.org"]
[inbox]
kind = "maildir"
path = "mail/in"
[outbox]
kind = "maildir"
path = "mail/out"
from = "Омерта <mafia@example.org>"
[game]
deadline = "21:00"
settle = "2m"
{more}
"#
    )
}

fn read_letter(raw: &[u8]) -> Got {
    let message = MessageParser::default().parse(raw).expect("a letter of ours is no letter");
    let header = |name: &str| message.header_raw(name).map(|value| value.trim().to_owned());
    let attachments = message
        .attachments()
        .filter_map(|part| {
            Some((part.attachment_name()?.to_owned(), String::from_utf8_lossy(part.contents()).into_owned()))
        })
        .collect();
    Got {
        kind: header("X-Omerta-Letter").unwrap_or_default(),
        turn: header("X-Omerta-Turn").and_then(|turn| turn.parse().ok()).unwrap_or_default(),
        subject: message.subject().unwrap_or_default().to_owned(),
        body: message.body_text(0).unwrap_or_default().replace("\r\n", "\n"),
        message_id: message.message_id().unwrap_or_default().to_owned(),
        in_reply_to: message.in_reply_to().as_text().map(ToOwned::to_owned),
        attachments,
        raw: raw.to_owned(),
    }
}
