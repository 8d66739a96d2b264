//! Players who mail. A bot knows only what the letters tell it: its role from `X-Omerta-Role`, its clan, the dead and
//! the results from the nicks in the text.

use std::collections::BTreeSet;

use jiff::Timestamp;
use mail_parser::{HeaderName, Message, MessageParser};

use crate::demo::luck::Luck;
use crate::demo::people::Person;
use crate::demo::scribe::{Answered, Coding, Signature, Style};
use crate::letters::Lang;
use crate::rules::Role;

/// A letter of the daemon, as its reader sees it.
#[derive(Clone, Debug)]
pub struct Received {
    /// `X-Omerta-Letter`.
    pub kind: String,
    pub subject: String,
    pub text: String,
    pub role: Option<Role>,
    pub message_id: String,
    pub date: Timestamp,
}

impl Received {
    /// None when the bytes are no letter.
    pub fn read(bytes: &[u8]) -> Option<Received> {
        let letter = MessageParser::new().parse(bytes)?;
        let role = header(&letter, "X-Omerta-Role").map(serde_json::Value::String);
        Some(Received {
            kind: header(&letter, "X-Omerta-Letter").unwrap_or_default(),
            subject: letter.subject().unwrap_or_default().to_owned(),
            text: letter.body_text(0).unwrap_or_default().into_owned(),
            role: role.and_then(|role| serde_json::from_value(role).ok()),
            message_id: letter.message_id().unwrap_or_default().to_owned(),
            date: letter
                .date()
                .and_then(|date| Timestamp::from_second(date.to_timestamp()).ok())
                .unwrap_or(Timestamp::UNIX_EPOCH),
        })
    }
}

fn header(letter: &Message<'_>, name: &str) -> Option<String> {
    let raw = letter.header_raw(HeaderName::parse(name.to_owned())?)?;
    Some(raw.trim().to_owned())
}

/// Somebody who plays.
#[derive(Clone, Debug)]
pub struct Bot {
    pub person: Person,
    pub lang: Lang,
    pub(super) luck: Luck,
    pub(super) style: Style,
    pub(super) role: Option<Role>,
    pub(super) in_play: bool,
    /// Nicks of the living, as the last summary has them.
    pub(super) living: BTreeSet<String>,
    /// Fellows of the clan; for the sergeant the commissioner.
    pub(super) friends: BTreeSet<String>,
    pub(super) guilty: BTreeSet<String>,
    pub(super) checked: BTreeSet<String>,
    pub(super) last_healed: Option<String>,
    pub(super) note_sent: bool,
    pub(super) pistol_at: Option<String>,
    pub(super) last_letter: Option<Answered>,
    pub(super) last_subject: String,
    pub(super) today: Today,
}

/// What a bot remembers of the turn that is open.
#[derive(Clone, Debug, Default)]
pub(super) struct Today {
    pub(super) turn: u16,
    /// In the afternoon, not in the morning.
    pub(super) afternoon: bool,
    pub(super) requested: bool,
    pub(super) vote: Option<String>,
    pub(super) changed: bool,
    /// The right lines, once the answer says that the first were wrong.
    pub(super) to_mend: Vec<String>,
    pub(super) answered: bool,
    /// Whom the clan wants to kill.
    pub(super) plan: Option<String>,
}

impl Bot {
    /// `cast` are all nicks at the table: they stand in the opening letter and on the forum.
    pub fn new(person: Person, cast: &[Person], lang: Lang, mut luck: Luck) -> Bot {
        let codings = [Coding::Utf8Base64, Coding::Koi8, Coding::Windows1251Quoted, Coding::Utf8Quoted, Coding::Html];
        let signatures = [Signature::None, Signature::None, Signature::Dashes, Signature::Phone];
        let style = Style {
            coding: luck.pick(&codings).copied().unwrap_or(Coding::Utf8Base64),
            quote: crate::demo::scribe::Quote::None,
            signature: luck.pick(&signatures).copied().unwrap_or(Signature::None),
        };
        Bot {
            person,
            lang,
            luck,
            style,
            role: None,
            in_play: true,
            living: cast.iter().map(|person| person.nick.clone()).collect(),
            friends: BTreeSet::new(),
            guilty: BTreeSet::new(),
            checked: BTreeSet::new(),
            last_healed: None,
            note_sent: false,
            pistol_at: None,
            last_letter: None,
            last_subject: String::new(),
            today: Today::default(),
        }
    }

    pub fn is_in_play(&self) -> bool {
        self.in_play
    }

    /// Nicks of the living, as far as this player has heard.
    pub fn living(&self) -> Vec<String> {
        self.living.iter().cloned().collect()
    }

    /// What the commissioner lets slip in the topic: somebody guilty who still lives.
    pub fn hint(&self) -> Option<String> {
        if self.role != Some(Role::Commissioner) || !self.in_play {
            return None;
        }
        self.guilty.intersection(&self.living).next().cloned()
    }

    /// Takes in a letter of the daemon.
    pub fn hear(&mut self, letter: &Received) {
        match letter.kind.as_str() {
            "role" => self.learn_role(letter),
            "promotion" => self.role = Some(Role::Commissioner),
            "conversion" => self.hear_conversion(letter),
            "summary" => self.hear_summary(letter),
            "result" => self.hear_result(letter),
            "clan" => self.hear_clan(letter),
            "death" | "expulsion" | "final" => self.in_play = false,
            "receipt" | "help" | "answer" => self.today.answered = true,
            _ => {}
        }
        self.last_subject.clone_from(&letter.subject);
        self.last_letter =
            Some(Answered { message_id: letter.message_id.clone(), text: letter.text.clone(), date: letter.date });
    }

    pub(super) fn is_mafia(&self) -> bool {
        matches!(self.role, Some(Role::Mafioso | Role::Boss | Role::Kamikaze | Role::FoundlingMafioso))
    }

    fn learn_role(&mut self, letter: &Received) {
        self.role = letter.role.or(self.role);
        if self.is_mafia() || self.role == Some(Role::Sergeant) {
            self.friends.extend(self.nicks_in(&letter.text));
        }
    }

    fn hear_conversion(&mut self, letter: &Received) {
        if !self.is_mafia() {
            self.role = Some(Role::FoundlingMafioso);
            self.friends.clear();
        }
        self.friends.extend(self.nicks_in(&letter.text));
    }

    fn hear_summary(&mut self, letter: &Received) {
        let Some(told) = living_part(&letter.text) else { return };
        let mut living: BTreeSet<String> = self.nicks_in(told).into_iter().collect();
        if contains_word(told, &self.person.nick) {
            living.insert(self.person.nick.clone());
        } else {
            self.in_play = false;
        }
        self.living = living;
    }

    fn hear_result(&mut self, letter: &Received) {
        let text = letter.text.to_lowercase();
        let is_guilty = ["мафи", "босс", "камикадзе", "маньяк", "mafi", "boss", "kamikaze", "maniac"]
            .iter()
            .any(|word| text.contains(word));
        let about = self.nicks_in(&letter.text);
        if is_guilty {
            self.guilty.extend(about);
        }
    }

    /// The plan is the first nick in the quoted lines of a fellow's letter.
    fn hear_clan(&mut self, letter: &Received) {
        let quoted: String = letter.text.lines().filter(|line| line.starts_with('│')).collect::<Vec<_>>().join("\n");
        let named = self.nicks_in(&quoted);
        if let Some(victim) = named.into_iter().find(|nick| !self.friends.contains(nick)) {
            self.today.plan = Some(victim);
        }
    }

    /// Other players' nicks in a text.
    fn nicks_in(&self, text: &str) -> Vec<String> {
        let others = self.living.iter().filter(|nick| **nick != self.person.nick);
        others.filter(|nick| contains_word(text, nick)).cloned().collect()
    }
}

/// From «В живых» to the full stop; the list may run over several lines.
fn living_part(text: &str) -> Option<&str> {
    let after = ["В живых", "Still alive", "Alive", "alive", "Living"].iter().find_map(|mark| text.split_once(mark))?.1;
    Some(after.split_once('.').map_or(after, |(list, _)| list))
}

/// A nick that is no part of a longer word. A line may have been wrapped at its space.
fn contains_word(text: &str, word: &str) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|tail| tail.chars().next());
        !is_part(before) && !is_part(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::people::cast;

    fn bot(role: Option<Role>) -> Bot {
        let people = cast(7, Lang::Ru, &mut Luck::new(1));
        let me = people.iter().find(|person| person.nick == "Ёжик").unwrap().clone();
        let mut bot = Bot::new(me, &people, Lang::Ru, Luck::new(2));
        bot.hear(&letter("role", "Ваш клан:\n  • Кот-Баюн — мафиози\n", role));
        bot
    }

    fn letter(kind: &str, text: &str, role: Option<Role>) -> Received {
        Received {
            kind: kind.into(),
            subject: "[demo] Ход 1".into(),
            text: text.into(),
            role,
            message_id: "1@demo.test".into(),
            date: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn only_the_letters_teach() {
        let mafioso = bot(Some(Role::Mafioso));
        assert_eq!(mafioso.friends.iter().collect::<Vec<_>>(), ["Кот-Баюн"]);
        assert!(bot(Some(Role::Citizen)).friends.is_empty());
        assert_eq!(bot(None).role, None);
    }

    #[test]
    fn a_summary_tells_who_lives() {
        let mut bot = bot(Some(Role::Citizen));
        bot.hear(&letter(
            "summary",
            "Погибли: Дон Педро.\n\nВ живых 3: Ёжик, Кот-Баюн,\nNika.\nХод 2: Дон Педро",
            None,
        ));
        assert_eq!(bot.living(), ["Nika", "Ёжик", "Кот-Баюн"]);
        assert!(bot.is_in_play());
        bot.hear(&letter("summary", "Still alive 2: Кот-Баюн, Nika. Turn 3", None));
        assert!(!bot.is_in_play());
    }

    #[test]
    fn a_clan_letter_names_the_victim_and_no_fellow() {
        let mut bot = bot(Some(Role::Boss));
        bot.hear(&letter("clan", "Игрок Кот-Баюн пишет вам.\n\n│ идём к соседу: Дон\n│ Педро\nNika", None));
        assert_eq!(bot.today.plan, None);
        bot.hear(&letter("clan", "Игрок Кот-Баюн пишет вам.\n\n│ Кот-Баюн: идём к Дон Педро.\nNika", None));
        assert_eq!(bot.today.plan.as_deref(), Some("Дон Педро"));
    }

    #[test]
    fn a_conversion_makes_a_fellow() {
        let mut foundling = bot(Some(Role::Citizen));
        foundling.hear(&letter("conversion", "Вы подкидыш.\nВаш клан:\n • Дон Педро", None));
        assert!(foundling.is_mafia() && foundling.friends.contains("Дон Педро"));
        let mut mafioso = bot(Some(Role::Mafioso));
        mafioso.hear(&letter("conversion", "В клане пополнение: игрок Nika.", None));
        assert!(mafioso.role == Some(Role::Mafioso) && mafioso.friends.contains("Nika"));
    }

    #[test]
    fn only_whole_nicks_count() {
        assert!(contains_word("игрок Nika.", "Nika") && !contains_word("Nikanor", "Nika"));
        assert!(contains_word("Дон\nПедро", "Дон Педро"));
        assert!(!contains_word("слово: ёжик-77", "Ёжик"));
    }

    #[test]
    fn a_letter_is_read_with_its_role() {
        let bytes = "Message-ID: <a@b>\r\nSubject: x\r\nX-Omerta-Letter: role\r\nX-Omerta-Role: foundling_mafioso\r\n\
                     Date: Tue, 1 Dec 2026 12:00:00 +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nтекст\r\n";
        let read = Received::read(bytes.as_bytes()).unwrap();
        assert_eq!((read.kind.as_str(), read.role), ("role", Some(Role::FoundlingMafioso)));
        assert_eq!((read.message_id.as_str(), read.text.trim()), ("a@b", "текст"));
        assert_eq!(read.date, "2026-12-01T12:00:00Z".parse().unwrap());
    }
}
