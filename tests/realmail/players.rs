//! A game over real mail: the daemon as a process, its mailbox and everybody's own at the servers.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use mail_parser::MessageParser;
use omerta::config::Tls;

use crate::house::binary::Machine;
use crate::letters::{self, Charset};
use crate::servers::{Client, DOMAIN, MailServer, PASSWORD};

pub const TAG: &str = "palermo";
pub const TWELVE: [(&str, &str); 12] = [
    ("Анна", "citizen"),
    ("Борис", "mafioso"),
    ("Вера", "citizen"),
    ("Глеб", "commissioner"),
    ("Дарья", "doctor"),
    ("Егор", "citizen"),
    ("Жанна", "boss"),
    ("Ирина", "foundling"),
    ("Кирилл", "maniac"),
    ("Лев", "sergeant"),
    ("Мария", "kamikaze"),
    ("Нина", "citizen"),
];
/// Mailboxes of one game: the game's own, the host's, the moderator's, twelve players'.
const SEATS: usize = 15;

/// Somebody's mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    Game,
    Host,
    Moderator,
    Player(usize),
}

/// A letter from the game that somebody found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Got {
    pub kind: String,
    pub turn: u16,
    pub subject: String,
    pub body: String,
    pub message_id: String,
    pub reply_to: String,
}

pub struct Party<'a> {
    pub machine: Machine,
    /// Where the game's letters come in.
    pub inbox: &'a MailServer,
    /// Where everybody else reads.
    pub outbox: &'a MailServer,
    first: usize,
    written: usize,
}

impl<'a> Party<'a> {
    /// The `number`-th game of these servers: a config and a roster, no daemon.
    pub fn new(number: usize, tls: Tls, inbox: &'a MailServer, outbox: &'a MailServer) -> Party<'a> {
        let machine = Machine::new();
        let party = Party { machine, inbox, outbox, first: 1 + number * SEATS, written: 0 };
        std::fs::write(party.machine.folder.join("config.toml"), party.config(tls)).unwrap();
        std::fs::write(party.machine.folder.join("secret"), PASSWORD).unwrap();
        let roster: String = std::iter::once("address,nick,role\n".to_owned())
            .chain(
                (0..).zip(TWELVE).map(|(n, (nick, role))| format!("{},{nick},{role}\n", party.address(Who::Player(n)))),
            )
            .collect();
        std::fs::write(party.machine.folder.join("roster.csv"), roster).unwrap();
        party
    }

    /// The same game once more, from the very same files.
    pub fn copy(&self) -> Party<'a> {
        Party {
            machine: self.machine.copy(),
            inbox: self.inbox,
            outbox: self.outbox,
            first: self.first,
            written: self.written,
        }
    }

    fn config(&self, tls: Tls) -> String {
        let (user, game) = (self.user(Who::Game), self.address(Who::Game));
        let word = if tls == Tls::Implicit { "implicit" } else { "starttls" };
        let line = |server: &MailServer, port: u16| {
            format!(
                "server = \"localhost\"\nport = {port}\ntls = \"{word}\"\nca_file = \"{}\"\nuser = \"{user}\"\n\
                 password_file = \"secret\"\n",
                server.ca_file().display()
            )
        };
        format!(
            "language = \"ru\"\ntimezone = \"Europe/Moscow\"\ndatabase = \"omerta.db\"\n\
             [host]\nname = \"Ведущая\"\naddresses = [\"{}\"]\n[moderators]\naddresses = [\"{}\"]\n\
             [inbox]\nkind = \"imap\"\n{}done_folder = \"Omerta\"\n\
             [outbox]\nkind = \"smtp\"\n{}from = \"Омерта <{game}>\"\nrate = \"100000/m\"\ndaily = 100000\n\
             [game]\ndeadline = \"21:00\"\nsettle = \"1s\"\nreminders = []\n",
            self.address(Who::Host),
            self.address(Who::Moderator),
            line(self.inbox, self.inbox.inbox_port(tls)),
            line(self.outbox, self.outbox.outbox_port(tls)),
        )
    }

    pub fn user(&self, who: Who) -> String {
        let seat = match who {
            Who::Game => 0,
            Who::Host => 1,
            Who::Moderator => 2,
            Who::Player(number) => 3 + number,
        };
        format!("p{:02}", self.first + seat)
    }

    pub fn address(&self, who: Who) -> String {
        format!("{}@{DOMAIN}", self.user(who))
    }

    pub fn everybody() -> impl Iterator<Item = Who> {
        [Who::Host, Who::Moderator].into_iter().chain((0..TWELVE.len()).map(Who::Player))
    }

    // ---------------------------------------------------------------------------------------------------- to the game

    /// A player's letter as bytes, in the charset of his client.
    pub fn letter(&mut self, player: usize, to: &str, text: &str) -> Vec<u8> {
        self.written += 1;
        let from = self.user(Who::Player(player));
        let id = format!("letter-{}-{}", self.first, self.written);
        letters::letter(&from, to, &format!("[{TAG}]"), &id, Charset::of(player), text)
    }

    /// Sends by SMTP; an answer to one of ours goes to where it asks to be answered.
    pub fn send(&mut self, player: usize, text: &str) {
        let from = Who::Player(player);
        let to = match self.got(from).into_iter().next_back() {
            Some(last) => last.reply_to,
            None => self.address(Who::Game),
        };
        let letter = self.letter(player, &to, text);
        letters::send(self.inbox, &self.user(from), &to, vec![letter]);
    }

    /// Puts a letter into the game's mailbox as taken at that moment.
    pub fn append(&mut self, arrived: &str, player: usize, text: &str) {
        let to = self.address(Who::Game);
        let letter = self.letter(player, &to, text);
        self.client().append(arrived.parse().unwrap(), &letter);
    }

    pub fn client(&self) -> Client {
        Client::of(self.inbox, &self.user(Who::Game))
    }

    // -------------------------------------------------------------------------------------------------- from the game

    /// What lies in a mailbox, in order of subject and kind.
    pub fn got(&self, who: Who) -> Vec<Got> {
        let mut got = self.unsorted(who);
        got.sort();
        got
    }

    /// The same in the order of [`MailServer::letters`].
    pub fn unsorted(&self, who: Who) -> Vec<Got> {
        self.outbox.letters(&self.user(who)).iter().map(|raw| read(raw)).collect()
    }

    pub fn kinds(&self, who: Who, turn: u16) -> Vec<String> {
        {
            let mut kinds: Vec<String> =
                self.got(who).into_iter().filter(|got| got.turn == turn).map(|got| got.kind).collect();
            kinds.sort();
            kinds
        }
    }

    pub fn count(&self, kind: &str, turn: u16) -> usize {
        Party::everybody().flat_map(|who| self.kinds(who, turn)).filter(|found| found == kind).count()
    }

    /// Waits until so many letters of a kind have come to everybody together.
    pub fn until_come(&self, kind: &str, turn: u16, count: usize) {
        self.machine.until(&format!("{count} letters {kind} of turn {turn}"), || self.count(kind, turn) >= count);
    }

    /// Waits until no letter is on its way.
    pub fn until_all_sent(&self) {
        self.machine
            .until("an empty queue", || self.machine.store().read(|tx| tx.outbox_counts()).unwrap().queued == 0);
        self.outbox.until_delivered();
    }

    /// What the outbox says, and what lies in the mailboxes: every letter is there, with its words, and no other. Gives
    /// the Message-IDs that lie there more than once, and how often.
    pub fn compare(&self) -> BTreeMap<String, usize> {
        self.until_all_sent();
        let said = self.machine.json(&["letters", TAG, "--json"]);
        let mut owed = BTreeSet::new();
        for letter in said.as_array().unwrap() {
            assert_eq!(letter["state"], "sent", "{letter}");
            let word = |name: &str| letter[name].as_str().unwrap().to_owned();
            assert!(owed.insert((word("to"), word("message_id"), word("kind"), word("subject"))), "twice: {letter}");
        }
        let mut there = BTreeSet::new();
        let mut copies = BTreeMap::new();
        let mut words: BTreeMap<String, Got> = BTreeMap::new();
        for who in Party::everybody() {
            for got in self.got(who) {
                *copies.entry(got.message_id.clone()).or_insert(0) += 1;
                there.insert((self.address(who), got.message_id.clone(), got.kind.clone(), got.subject.clone()));
                let first = words.entry(got.message_id.clone()).or_insert_with(|| got.clone());
                assert_eq!(first, &got, "other words under one Message-ID");
            }
        }
        let (missing, extra) =
            (owed.difference(&there).collect::<Vec<_>>(), there.difference(&owed).collect::<Vec<_>>());
        assert!(missing.is_empty() && extra.is_empty(), "never came: {missing:#?}; owed by nothing: {extra:#?}");
        copies.retain(|_, count| *count > 1);
        copies
    }
}

fn read(raw: &[u8]) -> Got {
    let message = MessageParser::default().parse(raw).expect("a letter of ours is no letter");
    let header = |name: &str| message.header_raw(name).map(|value| value.trim().to_owned()).unwrap_or_default();
    let reply_to = message.reply_to().and_then(|list| list.first()).and_then(|one| one.address());
    Got {
        kind: header("X-Omerta-Letter"),
        turn: header("X-Omerta-Turn").parse().unwrap_or_default(),
        subject: message.subject().unwrap_or_default().to_owned(),
        body: message.body_text(0).unwrap_or_default().replace("\r\n", "\n"),
        message_id: message.message_id().unwrap_or_default().to_owned(),
        reply_to: reply_to.unwrap_or_default().to_owned(),
    }
}

/// The real time.
#[expect(clippy::disallowed_methods, reason = "real servers stamp letters with it")]
pub fn real_now() -> Timestamp {
    Timestamp::now()
}
