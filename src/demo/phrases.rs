//! What people write round a nick: request words, dashes, small talk.

use crate::demo::luck::Luck;
use crate::letters::Lang;
use crate::request::Word;

/// A request as somebody might type it; each form means the same.
pub fn request(luck: &mut Luck, lang: Lang, word: Word, nick: &str) -> String {
    let mut said = luck.word(words(lang, word)).to_owned();
    match luck.below(8) {
        0 => said = said.to_lowercase(),
        1 => said = said.to_uppercase(),
        _ => {}
    }
    let separator = luck.word(&[" - ", " - ", " – ", " — ", ": ", " -- ", "  -  "]);
    let nick = match luck.below(8) {
        0 => format!("«{nick}»"),
        1 => format!("\"{nick}\""),
        2 => nick.to_lowercase(),
        _ => nick.to_owned(),
    };
    let bullet = luck.word(&["", "", "", "", "", "", "1. ", "• "]);
    let tail = match luck.below(8) {
        0 => ".",
        1 if word == Word::Lynch && lang == Lang::Ru => " (для всех)",
        _ => "",
    };
    format!("{bullet}{said}{separator}{nick}{tail}")
}

/// The same in the form of the rulebook.
pub fn tidy_request(lang: Lang, word: Word, nick: &str) -> String {
    format!("{} - {nick}", words(lang, word).first().copied().unwrap_or_default())
}

/// A request with a text behind the nick.
pub fn told(lang: Lang, word: Word, nick: &str, text: &str) -> String {
    format!("{}: {text}", tidy_request(lang, word, nick))
}

/// To the whole clan.
pub fn to_clan(lang: Lang, text: &str) -> String {
    tidy_request(lang, Word::Clan, text)
}

/// A word alone on its line.
pub fn bare(lang: Lang, word: Word) -> String {
    words(lang, word).first().copied().unwrap_or_default().to_owned()
}

/// A request that is none: the dash forgotten, the nick of nobody, or a slip of the finger.
pub fn mistake(luck: &mut Luck, lang: Lang, word: Word, nick: &str) -> String {
    let said = words(lang, word).first().copied().unwrap_or_default();
    match luck.below(3) {
        0 => format!("{said} {nick}"),
        1 => format!("{said} - {}", if lang == Lang::Ru { "Бармалей" } else { "Rumpelstiltskin" }),
        _ => format!("{said} - {}", slip(luck, nick)),
    }
}

/// Two neighbouring letters change places.
fn slip(luck: &mut Luck, nick: &str) -> String {
    let mut letters: Vec<char> = nick.chars().collect();
    let last = letters.len().saturating_sub(1);
    if last > 1 {
        let at = 1 + luck.below(last - 1);
        letters.swap(at, at + 1);
    }
    letters.into_iter().collect()
}

fn words(lang: Lang, word: Word) -> &'static [&'static str] {
    match (lang, word) {
        (Lang::Ru, Word::Lynch) => &["Суд Линча", "Суд Линча", "Линч", "Голос"],
        (Lang::Ru, Word::Hunt) => &["Охота"],
        (Lang::Ru, Word::Kill) => &["Убийство", "Убить"],
        (Lang::Ru, Word::Check) => &["Проверка", "Проверить"],
        (Lang::Ru, Word::Heal) => &["Лечение", "Лечить"],
        (Lang::Ru, Word::Seek) => &["Поиск"],
        (Lang::Ru, Word::Pistol) => &["Пистолет"],
        (Lang::Ru, Word::Note) => &["Записка"],
        (Lang::Ru, Word::Pm) => &["ЛС"],
        (Lang::Ru, Word::Clan) => &["Клану"],
        (Lang::Ru, Word::Status) => &["Статус"],
        (Lang::Ru, _) => &["Игроки"],
        (Lang::En, Word::Lynch) => &["Lynch", "Lynch", "Vote"],
        (Lang::En, Word::Hunt) => &["Hunt"],
        (Lang::En, Word::Kill) => &["Kill"],
        (Lang::En, Word::Check) => &["Check", "Investigate"],
        (Lang::En, Word::Heal) => &["Heal", "Protect"],
        (Lang::En, Word::Seek) => &["Seek"],
        (Lang::En, Word::Pistol) => &["Pistol"],
        (Lang::En, Word::Note) => &["Note"],
        (Lang::En, Word::Pm) => &["PM"],
        (Lang::En, Word::Clan) => &["Clan"],
        (Lang::En, Word::Status) => &["Status"],
        (Lang::En, _) => &["Players"],
    }
}

pub fn greeting(luck: &mut Luck, lang: Lang) -> &'static str {
    luck.pick(&match lang {
        Lang::Ru => ["Добрый вечер!", "Привет ведущим.", "Здравствуйте.", "Доброе утро, город.", "И снова я."],
        Lang::En => ["Good evening!", "Hello there.", "Dear host,", "Morning, town.", "Me again."],
    })
    .copied()
    .unwrap_or_default()
}

/// No request at all.
pub fn small_talk(luck: &mut Luck, lang: Lang) -> &'static str {
    luck.pick(&match lang {
        Lang::Ru => [
            "Ну и ночка выдалась, весь дом не спал. Подозреваю всех, а больше всего соседа снизу.",
            "Спасибо за прошлый ход, читали с семьёй вслух. Заявку пришлю попозже, надо подумать.",
            "А правда, что мэр брал взятки борщом? Спрашиваю для знакомого.",
        ],
        Lang::En => [
            "What a night, nobody in the house slept. I suspect everyone, the man downstairs most of all.",
            "Thank you for the last turn, we read it aloud at dinner. My request comes later, I have to think.",
            "Is it true that the mayor took bribes in soup? Asking for a friend.",
        ],
    })
    .copied()
    .unwrap_or_default()
}

pub fn private_words(luck: &mut Luck, lang: Lang) -> &'static str {
    luck.pick(&match lang {
        Lang::Ru => [
            "я за вас, вы за меня. Идёт?",
            "кого вы подозреваете? Обещаю никому не показывать.",
            "вы вчера странно молчали. Всё ли у вас хорошо дома?",
        ],
        Lang::En => [
            "I stand by you, you stand by me. Deal?",
            "whom do you suspect? I promise to show it to nobody.",
            "you were oddly quiet yesterday. Is all well at home?",
        ],
    })
    .copied()
    .unwrap_or_default()
}

/// A note that is read after its author's death. The nick stands in the nominative.
pub fn last_words(lang: Lang, suspect: &str) -> String {
    match lang {
        Lang::Ru => format!("если читаете это, меня уже нет. Присмотритесь, пожалуйста: {suspect}."),
        Lang::En => format!("if you read this, I am gone. Please keep an eye on this one: {suspect}."),
    }
}

pub fn clan_plan(lang: Lang, victim: &str) -> String {
    match lang {
        Lang::Ru => format!("сегодня ночью идём к такому соседу: {victim}. Пишите все одинаково."),
        Lang::En => format!("tonight we call on this neighbour: {victim}. All write the same."),
    }
}

/// Before a corrected line.
pub fn sorry(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => "Ой, опечатка. Вот так:",
        Lang::En => "Oops, a slip. Like this:",
    }
}

pub fn changed_my_mind(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => "Всё обдумав, меняю голос.",
        Lang::En => "On reflection I change my vote.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_keeps_the_nick_and_a_separator() {
        let mut luck = Luck::new(3);
        for _ in 0..500 {
            let line = request(&mut luck, Lang::Ru, Word::Lynch, "Дон Педро");
            assert!(line.to_lowercase().contains("дон педро"), "{line}");
            assert!(line.contains(['-', '–', '—', ':']), "{line}");
        }
    }

    #[test]
    fn a_slip_changes_the_nick_and_keeps_its_letters() {
        let mut luck = Luck::new(3);
        for nick in ["Дон Педро", "Ёжик", "Nika"] {
            let slipped = slip(&mut luck, nick);
            assert_ne!(slipped, nick);
            let sorted = |text: &str| {
                let mut letters: Vec<char> = text.chars().collect();
                letters.sort_unstable();
                letters
            };
            assert_eq!(sorted(&slipped), sorted(nick));
        }
        assert_eq!(slip(&mut luck, "Ян"), "Ян");
        assert_eq!(slip(&mut luck, ""), "");
    }

    #[test]
    fn no_small_talk_begins_like_a_request() {
        let mut luck = Luck::new(5);
        for lang in [Lang::Ru, Lang::En] {
            for _ in 0..50 {
                for text in [small_talk(&mut luck, lang), greeting(&mut luck, lang), sorry(lang)] {
                    assert!(!text.contains(" - ") && !text.contains(" — "), "{text}");
                }
            }
        }
    }
}
