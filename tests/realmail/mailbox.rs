//! One mailbox, two games, people who play in both: a letter finds its game by each of the ways that there are, through
//! both servers, and by none of them it is asked which game is meant.

use omerta::config::Tls;

use crate::letters;
use crate::players::{Got, Party, TAG, TWELVE, Who, real_now};
use crate::servers::{DOMAIN, shared};

const OTHER: &str = "corleone";
const ANNA: Who = Who::Player(0);

struct Mailbox {
    party: Party<'static>,
    written: usize,
}

impl Mailbox {
    fn new() -> Mailbox {
        let party = Party::new(6, Tls::Implicit, shared(), shared());
        let path = |name: &str| party.machine.folder.join(name);
        let config = std::fs::read_to_string(path("config.toml")).unwrap();
        std::fs::write(path("config.toml"), config.replace("[outbox]\n", "[outbox]\nplus_addressing = true\n"))
            .unwrap();
        // The first four play in both, under the same nicks.
        let roster = std::fs::read_to_string(path("roster.csv")).unwrap();
        let four: String = roster.lines().take(5).map(|line| format!("{line}\n")).collect();
        std::fs::write(path("four.csv"), four).unwrap();
        let mut mailbox = Mailbox { party, written: 0 };
        let machine = &mut mailbox.party.machine;
        machine.set_clock(&real_now().to_string());
        for (tag, roster) in [(TAG, "roster.csv"), (OTHER, "four.csv")] {
            machine.ok(&["game", "new", tag, "--roster", roster]);
            machine.ok(&["game", "deadline", tag, "+5h"]);
            machine.ok(&["game", "start", tag]);
        }
        machine.start(&[]);
        mailbox.party.until_come("role", 1, TWELVE.len() + 4);
        mailbox.party.until_all_sent();
        mailbox
    }

    /// What Anna has of a game, of one kind.
    fn of(&self, tag: &str, kind: &str) -> Vec<Got> {
        let of_game = |got: &Got| got.subject.starts_with(&format!("[{tag}]")) && got.kind == kind;
        self.party.got(ANNA).into_iter().filter(of_game).collect()
    }

    fn role_letter(&self, tag: &str) -> Got {
        self.of(tag, "role").remove(0)
    }

    /// A letter of Anna's with these headers.
    fn send(&mut self, to: &str, subject: &str, headers: &str, text: &str) {
        self.written += 1;
        let from = self.party.address(ANNA);
        let letter = format!(
            "From: <{from}>\r\nTo: <{to}>\r\nSubject: {subject}\r\nMessage-ID: <two-{}@{DOMAIN}>\r\n{headers}\
             MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\
             {text}\r\n",
            self.written
        );
        letters::send(shared(), &self.party.user(ANNA), to, vec![letter.into_bytes()]);
    }

    /// Sends a question so, and the game that is meant answers it, and only that one.
    fn goes_to(&mut self, tag: &str, way: &str, to: &str, subject: &str, headers: &str) {
        let other = if tag == TAG { OTHER } else { TAG };
        let before = (self.of(tag, "answer").len(), self.of(other, "answer").len());
        self.send(to, subject, headers, "Статус");
        let came = |mailbox: &Mailbox| mailbox.of(tag, "answer").len() + mailbox.of(other, "answer").len();
        self.party.machine.until(&format!("an answer: {way}"), || came(self) > before.0 + before.1);
        let after = (self.of(tag, "answer").len(), self.of(other, "answer").len());
        assert_eq!(after, (before.0 + 1, before.1), "{way}: the answer is the other game's");
    }
}

#[test]
fn each_of_four_ways_finds_the_game_and_none_asks_which() {
    let mut mailbox = Mailbox::new();
    let plain = mailbox.party.address(Who::Game);
    for tag in [TAG, OTHER] {
        let role = mailbox.role_letter(tag);
        let opening = mailbox.of(tag, "opening").remove(0);
        assert!(role.reply_to.contains('+'), "{}", role.reply_to);
        let reply = format!("In-Reply-To: <{}>\r\n", role.message_id);
        mailbox.goes_to(tag, "In-Reply-To", &plain, "Re: question", &reply);
        let thread = format!("References: <their-own@mail.test>\r\n <{}> <later@mail.test>\r\n", opening.message_id);
        mailbox.goes_to(tag, "References", &plain, "Re: question", &thread);
        mailbox.goes_to(tag, "the plus-address", &role.reply_to, "question", "");
        mailbox.goes_to(tag, "the subject", &plain, &format!("Fwd: [{}] question", tag.to_uppercase()), "");
        // Our token knows better than a subject that was left from another thread.
        let other = if tag == TAG { OTHER } else { TAG };
        mailbox.goes_to(tag, "token against tag", &plain, &format!("Re: [{other}] question"), &reply);
    }
    let votes = |mailbox: &Mailbox| {
        [TAG, OTHER].map(|tag| {
            let export = mailbox.party.machine.ok(&["export", tag]);
            export.lines().filter(|line| line.contains("\"hunt\"") && line.contains("\"heard\"")).count()
        })
    };
    let before = votes(&mailbox);
    mailbox.send(&plain, "question", "", "Охота - Борис");
    let asked = |mailbox: &Mailbox| -> Vec<Got> {
        mailbox.party.got(ANNA).into_iter().filter(|got| got.kind == "refused").collect()
    };
    mailbox.party.machine.until("the question which game", || !asked(&mailbox).is_empty());
    let asked = asked(&mailbox);
    assert_eq!(asked.len(), 1);
    assert!(asked[0].body.contains("[palermo]") && asked[0].body.contains("[corleone]"), "{}", asked[0].body);
    assert_eq!(votes(&mailbox), before, "nothing was done with it");
    // Who plays in one game alone needs none of it.
    mailbox.party.send(9, "Статус");
    let answers =
        |mailbox: &Mailbox| mailbox.party.got(Who::Player(9)).iter().filter(|got| got.kind == "answer").count();
    mailbox.party.machine.until("the answer to one who plays in one game", || answers(&mailbox) == 1);
    assert_eq!(mailbox.party.machine.stop(), Some(0), "{}", mailbox.party.machine.log());
}
