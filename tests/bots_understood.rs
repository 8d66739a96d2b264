//! What the demo's bots write is what the reader understands.
#![cfg(test)]

use jiff::Timestamp;
use omerta::demo::bots::{Bot, Received};
use omerta::demo::luck::Luck;
use omerta::demo::people::{Habit, cast};
use omerta::demo::plans::{Moment, Town};
use omerta::demo::scribe::{self, Note};
use omerta::letters::Lang;
use omerta::rules::Role;
use omerta::{mail, request};

#[test]
fn each_letter_of_a_careful_player_is_understood() {
    for (lang, seed) in [(Lang::Ru, 1), (Lang::Ru, 2), (Lang::En, 3), (Lang::En, 4)] {
        let mut luck = Luck::new(seed);
        let people = cast(60, lang, &mut luck);
        let roles = [Role::Citizen, Role::Doctor, Role::Commissioner, Role::Maniac, Role::Kamikaze, Role::Mafioso];
        for (number, person) in people.iter().enumerate() {
            let mut bot = Bot::new(person.clone(), &people, lang, luck.split());
            let role = roles[luck.below(roles.len())];
            bot.hear(&Received {
                kind: "role".into(),
                subject: "[demo] Ваша роль".into(),
                text: "Город проснулся.\n\nНапишите:\n  Лечение - ‹ник›\n".into(),
                role: Some(role),
                message_id: "7@demo.test".into(),
                date: Timestamp::UNIX_EPOCH,
            });
            for turn in 1..4 {
                for moment in [Moment::Morning, Moment::Afternoon, Moment::Evening] {
                    for draft in bot.write(moment, turn, &Town::default()) {
                        let note = Note {
                            name: String::new(),
                            address: person.address.clone(),
                            to: "mafia@demo.test".into(),
                            subject: draft.subject.clone(),
                            message_id: format!("{number}.{turn}@c.test"),
                            answers: draft.answers.clone(),
                            lines: draft.lines.clone(),
                            style: draft.style,
                            date: Timestamp::UNIX_EPOCH,
                            lang,
                        };
                        let bytes = scribe::write(&note);
                        let incoming = mail::parse::parse(&bytes, Some("mafia@demo.test"));
                        assert_eq!(incoming.automatic, None);
                        assert_eq!(incoming.from.as_deref(), Some(person.address.as_str()));
                        let reading = request::read::read(&incoming.subject, &incoming.body);
                        let asks = draft.lines.iter().filter(|line| line.contains(['-', '–', '—'])).count();
                        if person.habit != Habit::Hasty && asks > 0 {
                            let got = reading.requests().count();
                            assert!(
                                got >= asks && reading.problems().count() == 0,
                                "{:?} {:?}\n{draft:?}\n{reading:?}\nBODY\n{}",
                                lang,
                                person.habit,
                                incoming.body
                            );
                        }
                    }
                }
            }
        }
    }
}
