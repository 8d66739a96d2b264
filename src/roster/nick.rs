//! Which nicks are safe in requests and letters.

use crate::request::names::fold;
use crate::request::orders;

/// Characters. A nick longer than this, or of more words, is not known for a nick in a letter.
const LONGEST_NICK: usize = 40;
const MOST_NICK_WORDS: usize = 4;

/// What is wrong with a nick, and the cure: it must be found again in `Записка - Ник: текст`, in a list of nicks, in
/// quotes and out of them, and it must not read as a request of its own.
pub fn check_nick(nick: &str) -> Result<(), (String, String)> {
    let wrong = |what: String, cure: &str| Err((what, cure.to_owned()));
    if nick.is_empty() {
        return wrong("is empty".to_owned(), "Give each player a nick.");
    }
    if nick.chars().count() > LONGEST_NICK {
        return wrong(format!("is longer than {LONGEST_NICK} characters"), "Choose a shorter one.");
    }
    if nick.split(' ').count() > MOST_NICK_WORDS {
        return wrong(format!("has more than {MOST_NICK_WORDS} words"), "Choose a shorter one.");
    }
    let is_mark = |c: char| unicode_normalization::char::is_combining_mark(c);
    let fits = |c: char| c.is_alphanumeric() || is_mark(c) || " -'’_".contains(c);
    if let Some(stranger) = nick.chars().find(|c| !fits(*c) || is_invisible(*c)) {
        let cure = "Use letters, digits, spaces, hyphens and apostrophes: requests are told apart by the other signs.";
        return wrong(format!("\"{nick}\" holds `{}`", stranger.escape_debug()), cure);
    }
    if nick.split(' ').any(|word| !word.contains(char::is_alphanumeric)) || nick.contains("--") {
        return wrong(
            format!("\"{nick}\" holds a dash of its own"),
            "Only a hyphen within a word is safe in a request.",
        );
    }
    if nick.starts_with(|c: char| !c.is_alphanumeric()) || nick.ends_with('-') {
        return wrong(format!("\"{nick}\" does not begin and end with a letter"), "Leave the sign out.");
    }
    if is_request_word(nick) {
        return wrong(format!("\"{nick}\" is a word of the requests"), "Choose another nick, or add a word to it.");
    }
    Ok(())
}

/// Those of the letters and marks that show nothing: two nicks could differ by them alone.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{34F}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FFA0}'
            | '\u{E0100}'..='\u{E01EF}'
    )
}

/// A nick that is a request word or a host's order, or a word that the host uses in place of nicks. (To be joined with
/// `request::words`.)
pub fn is_request_word(nick: &str) -> bool {
    const WORDS: &[&str] = &[
        "суд линча",
        "линч",
        "суд",
        "голос",
        "lynch",
        "vote",
        "охота",
        "hunt",
        "убийство",
        "убить",
        "kill",
        "проверка",
        "проверить",
        "check",
        "investigate",
        "лечение",
        "лечить",
        "heal",
        "protect",
        "поиск",
        "seek",
        "пистолет",
        "выстрел",
        "pistol",
        "shoot",
        "записка",
        "предсмертная записка",
        "note",
        "last will",
        "лс",
        "pm",
        "клану",
        "clan",
        "заявка",
        "join",
        "отказ",
        "выйти",
        "leave",
        "withdraw",
        "отмена",
        "cancel",
        "роль",
        "role",
        "статус",
        "status",
        "игроки",
        "players",
        "правила",
        "rules",
        "помощь",
        "help",
        "почему",
        "why",
        "адрес",
        "address",
        "слово",
        "word",
        "жребий",
        "lot",
        "да",
        "yes",
        "отпуск",
        "away",
        "конец",
        "end",
        "сюжет",
        "story",
        "все",
        "всем",
        "all",
        "никто",
        "none",
        "камикадзе",
        "kamikaze",
    ];
    let folded = fold(nick);
    WORDS.iter().any(|word| fold(word) == folded) || !orders::read("", nick).lines.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nicks_that_would_break_a_letter_are_refused() {
        for nick in ["А", "Агент 007", "Мария-Антуанетта", "О’Генри", "kot_begemot", "Комиссар", "Иван Суд", "É"]
        {
            assert_eq!(check_nick(nick), Ok(()), "{nick}");
        }
        for nick in [
            "",
            "-",
            "- Анна",
            "Анна -",
            "Анна-",
            "Анна--Мария",
            "Анна – Мария",
            "_",
            "'Анна",
            "Анна.",
            "Анна, Борис",
            "Анна (игрок)",
            "│Анна",
            "|Анна",
            ">Анна",
            "‹ник›",
            "[b]Анна",
            "@all",
            "все",
            "Всем",
            "Да",
            "ЛС",
            "C\u{443}д",
            "Пауза",
            "Закрыть ход",
            "Анна\nБорис",
            "Анна\u{0}",
            "Анна\u{FE0F}",
            "Анна\u{3164}",
            "Анна\u{200B}",
            "😀",
            "А Б В Г Д",
        ] {
            assert!(check_nick(nick).is_err(), "{nick:?}");
        }
        assert!(check_nick(&"я".repeat(40)).is_ok() && check_nick(&"я".repeat(41)).is_err());
    }
}
