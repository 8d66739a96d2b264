//! Nothing in our own letters may act when it comes back: which lines would be read as requests. Stricter than the
//! reader of requests: the words of players, moderators and hosts all count, behind any bullet, number or quotation
//! mark, in letters that only look alike.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::wrap::GLUE;
use crate::request::words;

/// Does the line begin as a request: a request word, then a separator or nothing? A two-word request word is enough.
/// Lines behind `│`, `|` and `>` are none, and neither is an example whose argument stands in `‹ ›`.
pub fn reads_as_request(line: &str) -> bool {
    if line.trim_start().starts_with(['│', '|', '>']) {
        return false;
    }
    let Some(Leading { two_words, rest }) = leading_request_word(line) else {
        return false;
    };
    let rest = rest.trim_start();
    let after = rest.trim_start_matches(is_separator).trim_start();
    let separated = after.len() < rest.len();
    if separated && after.starts_with('‹') {
        return false;
    }
    let bare = !rest.chars().any(char::is_alphanumeric);
    bare || two_words || separated || rest.starts_with('(')
}

/// A line that begins so may become a request when the words after it are broken off.
pub fn starts_with_request_word(text: &str) -> bool {
    leading_request_word(text).is_some()
}

/// Every word that begins a request, in both languages, as it is written.
pub fn words() -> impl Iterator<Item = &'static str> {
    FIRST_WORDS.iter().copied()
}

struct Leading {
    two_words: bool,
    rest: String,
}

/// The longest request word at the beginning and what follows it.
fn leading_request_word(line: &str) -> Option<Leading> {
    // Hardly any line begins so, and each line of each letter is asked: its first word is looked at before the rest.
    if !FIRST.contains(&first_word(folded(line.chars().take(LOOKED_AT)))) {
        return None;
    }
    let folded: String = folded(line.chars().take(LOOKED_AT)).collect();
    let folded = folded.trim_start_matches(|c: char| !c.is_alphabetic());
    let (first, after_first) = take_word(folded);
    let (second, after_second) = take_word(after_first.trim_start_matches(|c: char| c == ' ' || is_separator(c)));
    if FOLDED.contains(&format!("{first} {second}")) {
        return Some(Leading { two_words: true, rest: after_second.to_owned() });
    }
    FOLDED.contains(first).then(|| Leading { two_words: false, rest: after_first.to_owned() })
}

fn take_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !is_of_word(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn first_word(folded: impl Iterator<Item = char>) -> String {
    folded.skip_while(|c| !c.is_alphabetic()).take_while(|c| is_of_word(*c)).collect()
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Composed, without invisible characters, lower case, Latin letters as the Cyrillic ones that they look like.
fn folded(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    text.nfkc().filter(|c| !is_invisible(*c)).flat_map(char::to_lowercase).map(fold_letter)
}

fn fold_letter(c: char) -> char {
    if c.is_whitespace() || c == GLUE { ' ' } else { words::fold_letter(c) }
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'
            ..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    ) || (c.is_control() && !c.is_whitespace())
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | ':' | '=' | '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2190}'..='\u{21ff}' | '\u{2212}')
        || matches!(c, '\u{2e3a}' | '\u{2e3b}' | '\u{fe55}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{ff1a}')
}

/// A request word and what decides about it stand within so many characters of a line.
const LOOKED_AT: usize = 200;

static FOLDED: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| FIRST_WORDS.iter().map(|word| folded(word.chars()).collect()).collect());

/// The first words of all of them.
static FIRST: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| FIRST_WORDS.iter().map(|word| first_word(folded(word.chars()))).collect());

/// Every word that begins a request, in both languages.
const FIRST_WORDS: &[&str] = &[
    // players
    "суд линча",
    "линч",
    "суд",
    "голос",
    "охота",
    "убийство",
    "убить",
    "проверка",
    "проверить",
    "лечение",
    "лечить",
    "поиск",
    "камикадзе",
    "пистолет",
    "выстрел",
    "записка",
    "предсмертная записка",
    "лс",
    "клану",
    "заявка",
    "отказ",
    "выйти",
    "отмена",
    "роль",
    "статус",
    "игроки",
    "правила",
    "помощь",
    "почему",
    "адрес",
    "слово",
    "жребий",
    "да",
    "отпуск",
    "конец",
    "персонаж",
    "характеристика",
    "пол",
    "форумный ник",
    "lynch",
    "vote",
    "hunt",
    "kill",
    "check",
    "investigate",
    "heal",
    "protect",
    "seek",
    "kamikaze",
    "pistol",
    "shoot",
    "note",
    "last will",
    "pm",
    "clan",
    "join",
    "leave",
    "withdraw",
    "cancel",
    "role",
    "status",
    "players",
    "rules",
    "help",
    "why",
    "address",
    "word",
    "lot",
    "yes",
    "away",
    "end",
    "character",
    "tagline",
    "gender",
    "forum name",
    // hosts and moderators
    "открыть",
    "открыть запись",
    "закрыть",
    "закрыть запись",
    "закрыть ход",
    "закончить ход",
    "принять",
    "отказать",
    "отклонить",
    "начать",
    "начать игру",
    "срок",
    "дедлайн",
    "продлить",
    "пауза",
    "на паузу",
    "продолжить",
    "продолжить игру",
    "предпросмотр",
    "опубликовать",
    "опубликовать итоги",
    "отменить ход",
    "отмена хода",
    "отменить игру",
    "отмена игры",
    "пропустить",
    "пропустить даты",
    "предупреждение",
    "предупредить",
    "лишить голоса",
    "простить",
    "исключить",
    "замена",
    "заменить",
    "решение",
    "сюжет",
    "закончить",
    "закончить игру",
    "подвести итоги",
    "опубликовано",
    "писали",
    "писал",
    "писала",
    "молчали",
    "молчал",
    "молчала",
    "лента",
    "лента темы",
    "open",
    "close",
    "accept",
    "decline",
    "start",
    "deadline",
    "extend",
    "skip",
    "pause",
    "resume",
    "preview",
    "publish",
    "resolve",
    "undo",
    "warn",
    "warning",
    "deprive",
    "forgive",
    "expel",
    "replace",
    "replacement",
    "rule",
    "ruling",
    "story",
    "finish",
    "finish game",
    "cancel game",
    "posted",
    "wrote",
    "silent",
    "feed",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_that_read_as_requests_are_told_from_prose() {
        for line in [
            "Охота - Анна",
            "  • «Суд Линча» — Анна",
            "2) голос: Анна",
            "Суд Линча Анна",
            "Роль.",
            "Статус",
            "Лечение (для всех) - Анна",
            "Deadline: Tuesday",
            "ЛС - Анна: привет",
            "  • Закрыть ход",
        ] {
            assert!(reads_as_request(line), "{line}");
        }
        for line in
            ["Охота - ‹ник›", "│ Охота - Анна", "Голос Анны слышен", "Охотник — Анна", "Слова", "| Голос | Анна |"]
        {
            assert!(!reads_as_request(line), "{line}");
        }
    }

    /// What is said of a line by looking at all of it, as if its first word did not tell enough.
    fn at_length(line: &str) -> bool {
        let folded: String = folded(line.chars().take(LOOKED_AT)).collect();
        let folded = folded.trim_start_matches(|c: char| !c.is_alphabetic());
        let (first, after_first) = take_word(folded);
        let (second, _) = take_word(after_first.trim_start_matches(|c: char| c == ' ' || is_separator(c)));
        FOLDED.contains(&format!("{first} {second}")) || FOLDED.contains(first)
    }

    proptest! {
        #[test]
        fn the_first_word_tells_enough(before in "(?s).{0,4}", word in 0..FIRST_WORDS.len(), after in "(?s).{0,8}", any in "(?s).{0,300}") {
            for line in [format!("{before}{}{after}", FIRST_WORDS[word]), FIRST_WORDS[word].to_uppercase(), any] {
                prop_assert_eq!(starts_with_request_word(&line), at_length(&line), "{}", line);
            }
        }
    }

    #[test]
    fn disguised_request_words_are_recognised() {
        for line in [
            "Гoлос - Анна",
            "ГО\u{ad}ЛОС\u{a0}— Анна",
            "Го\u{200b}лос: Анна",
            "Выи\u{306}ти",
            "Охота → Анна",
            "Суд-Линча Анна",
            "Предсмертная-записка Анна: ‹x›",
            "Охота - Анна ‹x›",
        ] {
            assert!(reads_as_request(line), "{line}");
        }
    }
}
