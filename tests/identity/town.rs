//! A running game in its second turn, and letters with any header at all.

use jiff::Timestamp;
use omerta::desk::command::Command;
use omerta::journal::Entry;
use omerta::rules::{Kind, PlayerId, Role};
use omerta::store::StoreError;

use crate::house::{Got, House, address};

pub const TAG: &str = "palermo";
pub const HOST: &str = "host@example.org";
/// Above our own `Received`, by a server that config trusts.
pub const PASS: &str = "Authentication-Results: mx.game.test; dmarc=pass header.from=palermo.test\r\n";
pub const FAIL: &str = "Authentication-Results: anybody.test; dmarc=fail header.from=palermo.test\r\n";
pub const RECEIVED: &str = "Received: from relay.test by mx.game.test; Mon, 30 Nov 2026 12:00:00 +0300\r\n";

const PLAYERS: [(&str, Role); 6] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
    ("Егор", Role::Citizen),
];

pub struct Town {
    pub house: House,
}

impl Town {
    /// `sender` is `address` or `verified`. The second turn ends in six hours.
    pub fn new(sender: &str) -> Town {
        let security =
            format!("[security]\nsender = \"{sender}\"\nauthserv_ids = [\"mx.game.test\"]\nreplies_per_hour = 100\n");
        let mut house = House::with(&security);
        std::fs::write(house.folder.join("host.secret"), "филин-42\n").unwrap();
        house.open();
        house.new_game(TAG, &PLAYERS, &[]);
        house.start(TAG);
        house.close(TAG);
        house.command(TAG, Command::Deadline { when: "+6h".to_owned() });
        house.round();
        Town { house }
    }

    /// Delivers a letter now: header lines as they are, then the text.
    pub fn deliver(&mut self, header: &str, text: &str) {
        let now = self.house.now();
        self.deliver_at(header, text, now);
    }

    pub fn deliver_at(&mut self, header: &str, text: &str, second: Timestamp) {
        let raw = format!(
            "{header}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n{}\r\n",
            text.replace('\n', "\r\n")
        );
        self.house.drop_in(raw.as_bytes(), second, 0);
        self.house.round();
        self.house.round();
        self.house.wait(1);
    }

    /// A usual letter of a player: `header` stands above our own `Received`.
    pub fn write(&mut self, player: u16, header: &str, text: &str) {
        let from = address(TAG, player);
        self.deliver(&format!("{header}{RECEIVED}From: <{from}>\r\nSubject: [{TAG}]\r\n"), text);
    }

    /// The same as an answer to a letter of ours.
    pub fn reply(&mut self, player: u16, header: &str, to: &Got, text: &str) {
        let from = address(TAG, player);
        let rest = format!("From: <{from}>\r\nSubject: Re: {}\r\nIn-Reply-To: <{}>\r\n", to.subject, to.message_id);
        self.deliver(&format!("{header}{RECEIVED}{rest}"), text);
    }

    pub fn journal(&mut self) -> Vec<Entry> {
        let rows = self.house.daemon().desk().store.read(|tx| {
            let game = tx.game(TAG)?.unwrap();
            let mut rows = Vec::new();
            while let Some(more) =
                Some(tx.events_after(game.id, rows.len() as i64, 100)?).filter(|more| !more.is_empty())
            {
                rows.extend(more);
            }
            Ok::<_, StoreError>(rows)
        });
        rows.unwrap().into_iter().map(|row| serde_json::from_str(&row.body).unwrap()).collect()
    }

    pub fn word(&mut self, player: u16) -> String {
        self.house.proof_word(TAG, player)
    }

    /// The nick for which a player's vote stands.
    pub fn vote(&mut self, player: u16) -> Option<String> {
        let table = self.house.table(TAG);
        let standing = table.game.standing(PlayerId(player));
        let vote = standing.into_iter().find(|(kind, _)| *kind == Kind::Lynch);
        vote.map(|(_, whom)| table.nick(whom).to_owned())
    }

    /// How many letters of a kind an address has got.
    pub fn count(&self, address: &str, kind: &str) -> usize {
        self.house.got(address).iter().filter(|got| got.kind == kind).count()
    }

    /// Every address that has a Maildir of letters of ours, with the number of letters.
    pub fn mailboxes(&self) -> Vec<(String, usize)> {
        let folders = std::fs::read_dir(self.house.folder.join("mail/out")).unwrap();
        let mut names: Vec<String> = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.into_iter().map(|name| (name.clone(), self.house.got(&name).len())).collect()
    }
}
