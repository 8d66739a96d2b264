//! Sign-up by mail, from nothing to a running game.
#![cfg(test)]

mod accounts;
mod by_mail;
mod handshake;
#[path = "../house/mod.rs"]
mod house;
mod line;
mod roster;
mod waiting;

use house::{Got, House};
use omerta::desk::command::{Command, Terms};
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

    /// An application with an attachment.
    fn mail_picture(&mut self, from: &str, text: &str, kind: &str, picture: &[u8]) {
        self.wait(1);
        let now = self.now();
        let encoded = data_encoding::BASE64.encode(picture);
        let lines: Vec<&str> = encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let raw = format!(
            "From: <{from}>\r\nTo: <mafia@example.org>\r\nSubject: [palermo]\r\nMessage-ID: <{}-{from}>\r\n\
             MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n\
             --b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n\
             --b\r\nContent-Type: {kind}; name=\"me.pic\"\r\nContent-Disposition: attachment\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--b--\r\n",
            now.as_microsecond(),
            text.replace('\n', "\r\n"),
            lines.join("\r\n")
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
