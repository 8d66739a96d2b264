//! Sign-up by mail, from nothing to a running game.
#![cfg(test)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a test that cannot go on must fail"
)]

mod by_mail;
#[path = "../house/mod.rs"]
mod house;
mod line;

use house::{Got, House};
use omerta::desk::command::{self, Command, NewGame, Terms};
use omerta::rules::rulebook::Rulebook;
use omerta::signup::{Applicant, Seating};

/// A house with a game that nobody has signed up for yet, and its sign-up opened.
fn opened(more: &str, rules: &[(&str, &str)], terms: Terms) -> House {
    let mut house = made(more, rules);
    house.command("palermo", Command::Open(terms));
    house
}

fn made(more: &str, rules: &[(&str, &str)]) -> House {
    let mut house = House::with(more);
    house.new_game_of_nobody("palermo", rules);
    house
}

impl House {
    fn new_game_of_nobody(&mut self, tag: &str, rules: &[(&str, &str)]) {
        let mut rulebook = Rulebook::default();
        for (name, value) in rules {
            rulebook.set(name, value).unwrap();
        }
        let config = self.daemon().desk().config();
        let new = NewGame {
            tag: tag.to_owned(),
            title: format!("Игра {tag}"),
            roster: Vec::new(),
            rulebook,
            settings: command::settings(config),
            hosts: config.host.addresses.clone(),
            moderators: config.moderators.addresses.clone(),
            forums: Vec::new(),
            seed: None,
        };
        let now = self.now();
        self.daemon().desk().new_game(&new, now).unwrap();
    }

    /// A letter from any address, with a subject of its own; it is read at once.
    fn mail(&mut self, from: &str, subject: &str, text: &str) {
        self.mail_with(from, subject, text, "");
    }

    fn mail_with(&mut self, from: &str, subject: &str, text: &str, headers: &str) {
        self.wait(1);
        let now = self.now();
        let id = format!("{}-{from}", now.as_microsecond());
        let raw = format!(
            "{headers}From: <{from}>\r\nTo: <mafia@example.org>\r\nSubject: {subject}\r\nMessage-ID: <{id}>\r\n\
             MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{}\r\n",
            text.replace('\n', "\r\n")
        );
        self.drop_in(raw.as_bytes(), now, 0);
        self.round();
        self.round();
    }

    /// A whole application.
    fn apply(&mut self, from: &str, nick: &str) {
        self.mail(from, "[palermo]", &format!("Заявка - {nick}\nХарактеристика - живёт у моря\nПол - ж"));
    }

    fn newest(&self, address: &str) -> Got {
        self.got(address).pop().unwrap_or_else(|| panic!("{address} has got nothing"))
    }

    fn applicants(&mut self) -> Vec<Applicant> {
        self.table("palermo").signup.unwrap().applicants
    }

    fn seatings(&mut self) -> Vec<(String, Seating)> {
        self.applicants().into_iter().map(|one| (one.nick, one.seating)).collect()
    }
}
