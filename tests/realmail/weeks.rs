//! A game of three weeks, from «Открыть» to the last letter, by letters alone: after `game new` nobody touches the command
//! line but to look. Every letter goes through both servers; the time is told to the daemon and stamped by the mailbox.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use mail_parser::MessageParser;
use omerta::config::Tls;
use serde_json::Value;

use crate::letters::{self, Charset};
use crate::players::{Party, TAG, TWELVE, Who};
use crate::servers::{DOMAIN, shared};

/// The twelfth takes somebody's seat in the third week.
const SIGNED: usize = 11;
const HOST_WORD: &str = "берёза-17";
/// Monday; in the second week the clock of Berlin goes forward.
const BEGINS: &str = "2026-03-16T09:30:00Z";
/// Whom the town hangs first. Whoever is no mafioso stays out of the clan's win until the last week.
const ORDER: [&str; 6] = ["citizen", "sergeant", "doctor", "foundling", "maniac", "commissioner"];

/// A letter of the game under one of ours.
#[derive(Debug)]
struct Answer {
    kind: String,
    subject: String,
    body: String,
    message_id: String,
}

struct Weeks {
    party: Party<'static>,
    written: usize,
}

#[test]
fn three_weeks_by_letters_alone() {
    let mut weeks = Weeks::new();
    weeks.sign_up();
    weeks.begin();
    let mut turn = 1;
    while weeks.show()["state"] == "playing" {
        assert!(turn < 12, "the game does not end");
        assert_eq!(weeks.show()["turn"], turn);
        weeks.before_the_deadline(turn);
        weeks.deadline(turn);
        turn += 1;
    }
    weeks.over(turn - 1);
}

impl Weeks {
    fn new() -> Weeks {
        let party = Party::new(8, Tls::Implicit, shared(), shared());
        let path = |name: &str| party.machine.folder.join(name);
        let config = std::fs::read_to_string(path("config.toml")).unwrap();
        let config = config
            .replace("Europe/Moscow", "Europe/Berlin")
            .replace("[host]\n", "[host]\nword_file = \"host.secret\"\n")
            .replace("deadline = \"21:00\"", "deadline = [\"Mon 21:00\", \"Thu 21:00\"]\npublish = \"approve\"");
        std::fs::write(path("config.toml"), config).unwrap();
        std::fs::write(path("host.secret"), HOST_WORD).unwrap();
        let mut weeks = Weeks { party, written: 0 };
        weeks.party.machine.set_clock(BEGINS);
        weeks.party.machine.ok(&["game", "new", TAG, "--rule", "photo_required=false"]);
        weeks.party.machine.start(&[]);
        weeks
    }

    fn sign_up(&mut self) {
        // The first letter of a host proves him by his word; later ones answer letters of the game.
        let opened =
            self.host_alone(&format!("Слово - {HOST_WORD}\nОткрыть\nНазвание: Весна\nИгроков: 7-11\nЖдём всех."));
        assert!(opened.subject.contains("1 из 1"), "{opened:?}");
        let ids: Vec<String> = (0..SIGNED)
            .map(|player| {
                self.minutes(7);
                let text = format!(
                    "Заявка - {}\nХарактеристика: живёт у моря\nПол: {}",
                    TWELVE[player].0,
                    ["ж", "м"][player % 2]
                );
                self.write(Who::Player(player), None, &text)
            })
            .collect();
        for (player, id) in ids.iter().enumerate() {
            let joined = self.answer(Who::Player(player), id);
            assert_eq!(joined.kind, "joined", "{joined:?}");
        }
        // One too many: he waits.
        let id = self.write(Who::Player(SIGNED), None, "Заявка - Нина\nХарактеристика: сестра\nПол: ж");
        let waits = self.answer(Who::Player(SIGNED), &id);
        assert!(waits.body.contains("впереди 0"), "{waits:?}");
        let id = self.write(Who::Player(4), None, "Жребий - ласточка");
        self.answer(Who::Player(4), &id);
    }

    fn begin(&mut self) {
        self.minutes(60);
        self.obeyed("Закрыть\nНачать", 2);
        self.party.machine.until("roles", || (0..SIGNED).all(|player| self.has(Who::Player(player), "role")));
        assert_eq!(self.show()["state"], "playing");
    }

    /// What happens in a turn while it is open.
    fn before_the_deadline(&mut self, turn: u16) {
        self.minutes(120);
        let living = self.living();
        match turn {
            1 => {
                self.obeyed("Пауза", 1);
                self.minutes(26 * 60);
                self.obeyed("Продолжить\nСтатус", 1);
            }
            2 => self.obeyed(&format!("Предупреждение - {}: не подсказывайте\nпогибшим", living[2]), 1),
            3 => self.obeyed("Пропустить - 30 марта", 1),
            4 => self.obeyed(&format!("Лишить голоса - {}", living[1]), 1),
            5 => self.obeyed("Продлить - на 30 минут", 1),
            _ => {}
        }
        let votes = self.letters_of(turn, &living);
        let ids: Vec<(Who, String)> = votes
            .into_iter()
            .map(|(player, text)| (Who::Player(player), self.write(Who::Player(player), None, &text)))
            .collect();
        for (who, id) in &ids {
            let receipt = self.answer(*who, id);
            assert_eq!(receipt.kind, "receipt", "{receipt:?}");
            assert!(!receipt.body.contains("Не принят"), "{receipt:?}");
        }
        if turn == 4 {
            // Somebody has no time any more; the seat goes to who waited.
            let leaves = living.iter().rev().find(|nick| !self.is_next(nick)).unwrap().clone();
            let new = self.party.address(Who::Player(SIGNED));
            let did = self.host(&format!("Замена - {leaves}: {new}"));
            assert!(did.subject.contains("1 из 1"), "{did:?}");
            self.party.machine.until("the newcomer's letter", || self.has(Who::Player(SIGNED), "replacement"));
        }
    }

    /// Who writes what: from turn 2 on everybody votes, but one forgets it in turn 2.
    fn letters_of(&self, turn: u16, living: &[String]) -> Vec<(usize, String)> {
        let roles = self.roles();
        let prey = self.prey();
        let forgets = living.iter().rev().find(|nick| **nick != prey).unwrap();
        let line = |nick: &String| {
            let other = living.iter().find(|other| *other != nick && **other != prey).unwrap();
            let vote = format!("Суд Линча - {}", if *nick == prey { other } else { &prey });
            match (turn, roles[nick].as_str()) {
                (1, "commissioner") => Some(format!("Проверка - {other}")),
                (1, "doctor") => Some(format!("Лечение - {nick}")),
                (1, "citizen") => Some(format!("Записка - {other}: если что, помните меня")),
                (1, _) => None,
                (2, _) if nick == forgets => None,
                (3, "commissioner") => Some(format!("{vote}\nПроверка - {other}")),
                (3, "boss") => Some(format!("{vote}\nКлану: ночью тихо")),
                _ => Some(vote),
            }
        };
        // Who was deprived of the vote in turn 4 has nothing to send.
        let mute = (turn == 4).then(|| living[1].clone());
        living
            .iter()
            .filter(|nick| Some(*nick) != mute.as_ref())
            .filter_map(|nick| Some((self.seat(nick), line(nick)?)))
            .collect()
    }

    /// The deadline passes; the host has the turn before him, and lets it go.
    fn deadline(&mut self, turn: u16) {
        let deadline: Timestamp = self.show()["deadline"].as_str().unwrap().parse().unwrap();
        let previews = self.count(Who::Host, "preview");
        let close = deadline + SignedDuration::from_secs(2);
        self.party.machine.set_clock(&close.to_string());
        self.party.machine.until("a preview", || self.count(Who::Host, "preview") > previews);
        assert_eq!(self.show()["phase"], "review");
        self.minutes(40);
        if turn == 2 {
            self.obeyed("Сюжет - Ночь была ветреной.\nНикто не спал.\nКонец\nОпубликовать", 2);
        } else {
            self.obeyed("Опубликовать", 1);
        }
        let readers = usize::from(turn > 3) + SIGNED + 1;
        self.party.until_come("summary", turn, readers - usize::from(turn > 3));
        self.party.until_all_sent();
        if self.show()["state"] != "playing" {
            return;
        }
        match turn {
            2 => {
                let missed = self.show();
                let missed: Vec<&Value> =
                    missed["players"].as_array().unwrap().iter().filter(|player| player["missed"] == 1).collect();
                assert_eq!(missed.len(), 1, "one forgot: {missed:?}");
                self.obeyed(&format!("Простить - {}", missed[0]["nick"].as_str().unwrap()), 1);
            }
            3 => {
                // Taken back after publication, judged again: nothing changes, so nobody is corrected.
                let undone = self.host("Отменить ход");
                assert!(undone.subject.contains("1 из 1"), "{undone:?}");
                self.obeyed("Закрыть ход", 1);
                self.minutes(1);
                self.obeyed("Опубликовать", 1);
                assert_eq!(self.party.count("correction", turn), 0);
            }
            _ => {}
        }
        assert_eq!(self.show()["turn"], turn + 1);
    }

    fn over(&mut self, turns: u16) {
        let show = self.show();
        assert_eq!((&show["state"], &show["winner"]), (&"finished".into(), &"mafia".into()));
        let days = self.party.machine.now().duration_since(BEGINS.parse().unwrap()).as_hours() / 24;
        assert!(days >= 21, "{turns} turns took {days} days");
        for who in Party::everybody() {
            self.party.machine.until("the last letter", || self.has(who, "final"));
            assert_eq!(self.count(who, "final"), 1, "{who:?}");
        }
        assert_eq!(self.party.compare(), BTreeMap::new(), "no letter came twice");
        assert_eq!(self.party.machine.stop(), Some(0));
        assert_eq!(self.party.machine.log(), "");
        let journal = self.party.machine.folder.join("journal.jsonl");
        std::fs::write(&journal, self.party.machine.ok(&["export", TAG])).unwrap();
        self.party.machine.ok(&["verify", &journal.display().to_string()]);
        // Every vote that was sent is in the journal, and each letter was filed away.
        let mut client = self.party.client();
        assert_eq!((client.count("INBOX"), client.count("Omerta")), (0, self.written));
    }

    // ------------------------------------------------------------------------------------------------------ who is who

    fn show(&self) -> Value {
        self.party.machine.json(&["game", "show", TAG, "--json"])
    }

    fn living(&self) -> Vec<String> {
        let show = self.show();
        let alive = show["players"].as_array().unwrap().iter().filter(|player| player["state"] == "alive");
        alive.map(|player| player["nick"].as_str().unwrap().to_owned()).collect()
    }

    fn roles(&self) -> BTreeMap<String, String> {
        let show = self.show();
        let word = |player: &Value, key: &str| player[key].as_str().unwrap().to_owned();
        show["players"].as_array().unwrap().iter().map(|player| (word(player, "nick"), word(player, "role"))).collect()
    }

    /// Whom the town hangs this turn.
    fn prey(&self) -> String {
        let (roles, living) = (self.roles(), self.living());
        let first = |role: &&str| living.iter().find(|nick| roles[*nick] == **role).cloned();
        ORDER.iter().find_map(first).unwrap()
    }

    fn is_next(&self, nick: &str) -> bool {
        self.prey() == nick
    }

    /// The mailbox in which a nick's owner reads and writes.
    fn seat(&self, nick: &str) -> usize {
        let show = self.show();
        let player = show["players"].as_array().unwrap().iter().find(|player| player["nick"] == nick).unwrap();
        (0..TWELVE.len()).find(|seat| player["address"] == self.party.address(Who::Player(*seat))).unwrap()
    }

    // ------------------------------------------------------------------------------------------------------ the letters

    fn minutes(&self, minutes: i64) {
        self.party.machine.wait_seconds(minutes * 60);
    }

    /// Puts a letter into the game's mailbox as taken now; gives its Message-ID.
    fn write(&mut self, from: Who, answers: Option<&str>, text: &str) -> String {
        self.written += 1;
        let id = format!("week-{}", self.written);
        let charset = match from {
            Who::Player(player) => Charset::of(player),
            _ => Charset::Utf8Base64,
        };
        let to = self.party.address(Who::Game);
        let letter = letters::letter(&self.party.user(from), &to, &format!("[{TAG}]"), &id, charset, text);
        let headers = answers.map(|id| format!("In-Reply-To: <{id}>\r\n")).unwrap_or_default();
        self.party.client().append(self.party.machine.now(), &[headers.into_bytes(), letter].concat());
        format!("{id}@{DOMAIN}")
    }

    /// The host writes under the newest letter that he has, and says «Да» when he is asked.
    fn host(&mut self, text: &str) -> Answer {
        let newest = self.all(Who::Host).pop().map(|(_, answer)| answer.message_id).unwrap();
        let id = self.write(Who::Host, Some(&newest), text);
        let answer = self.answer(Who::Host, &id);
        if answer.kind != "confirm" {
            return answer;
        }
        self.write(Who::Host, Some(&answer.message_id), "Да");
        self.answer_but(Who::Host, &id, &answer.message_id)
    }

    fn host_alone(&mut self, text: &str) -> Answer {
        let id = self.write(Who::Host, None, text);
        self.answer(Who::Host, &id)
    }

    /// So many lines are done, all of them.
    fn obeyed(&mut self, text: &str, lines: usize) {
        let answer = self.host(text);
        assert!(answer.subject.contains(&format!("{lines} из {lines}")), "{text}: {answer:?}");
    }

    fn answer(&self, who: Who, id: &str) -> Answer {
        self.answer_but(who, id, "")
    }

    /// The letter under one of ours, but for a question that was asked there before.
    fn answer_but(&self, who: Who, id: &str, question: &str) -> Answer {
        let mut found = None;
        self.party.machine.until(&format!("an answer to {id}"), || {
            let is_it = |(under, answer): &(String, Answer)| under == id && answer.message_id != question;
            found = self.all(who).into_iter().rfind(is_it);
            found.is_some()
        });
        found.unwrap().1
    }

    fn has(&self, who: Who, kind: &str) -> bool {
        self.count(who, kind) > 0
    }

    fn count(&self, who: Who, kind: &str) -> usize {
        self.all(who).iter().filter(|(_, answer)| answer.kind == kind).count()
    }

    /// Everything that somebody has got, and what it answers.
    fn all(&self, who: Who) -> Vec<(String, Answer)> {
        let read = |raw: &Vec<u8>| {
            let message = MessageParser::default().parse(raw).unwrap();
            let header = |name: &str| message.header_raw(name).map(|value| value.trim().to_owned()).unwrap_or_default();
            let answer = Answer {
                kind: header("X-Omerta-Letter"),
                subject: message.subject().unwrap_or_default().to_owned(),
                body: message.body_text(0).unwrap_or_default().replace("\r\n", "\n"),
                message_id: message.message_id().unwrap_or_default().to_owned(),
            };
            (header("In-Reply-To").trim_matches(['<', '>']).to_owned(), answer)
        };
        self.party.outbox.letters(&self.party.user(who)).iter().map(read).collect()
    }
}
