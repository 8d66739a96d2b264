//! The one table of request words, Russian and English.

use super::Word;
use super::typography::{is_dash, tidy};

/// What must follow a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A nick.
    Nick,
    /// A nick, then a text.
    NickAndText,
    /// A text.
    Text,
    /// The lines of a sign-up.
    Fields,
    /// Nothing: the word stands alone on its line.
    Nothing,
    /// The word of another request, or nothing.
    Kind,
    /// A mail address; without one the line is prose.
    Address,
    /// Any words.
    Words,
}

/// A row of the table. Forms are lower-case, with `е` for `ё`; the first Russian and English ones are the names used in
/// answers.
#[derive(Debug)]
pub struct Row {
    pub word: Word,
    pub needs: Needs,
    pub forms: &'static [&'static str],
    /// Other cases of the Russian words, for `Отмена - голоса` alone.
    genitives: &'static [&'static str],
}

/// Every word a letter may begin a line with.
pub const TABLE: &[Row] = &[
    row(
        Word::Lynch,
        Needs::Nick,
        &["суд линча", "линч", "суд", "голос", "lynch", "vote"],
        &["суда линча", "суда", "линча", "голоса"],
    ),
    row(Word::Hunt, Needs::Nick, &["охота", "hunt"], &["охоты", "охоту"]),
    row(Word::Kill, Needs::Nick, &["убийство", "убить", "kill"], &["убийства"]),
    row(Word::Check, Needs::Nick, &["проверка", "проверить", "check", "investigate"], &["проверки", "проверку"]),
    row(Word::Heal, Needs::Nick, &["лечение", "лечить", "heal", "protect"], &["лечения"]),
    row(Word::Seek, Needs::Nick, &["поиск", "камикадзе", "seek", "kamikaze"], &["поиска"]),
    row(Word::Pistol, Needs::Nick, &["пистолет", "выстрел", "pistol", "shoot"], &["пистолета", "выстрела"]),
    row(
        Word::Note,
        Needs::NickAndText,
        &["записка", "предсмертная записка", "note", "last will"],
        &["записки", "записку"],
    ),
    row(Word::Pm, Needs::NickAndText, &["лс", "pm"], &[]),
    row(Word::Clan, Needs::Text, &["клану", "clan"], &[]),
    row(Word::Join, Needs::Fields, &["заявка", "join"], &["заявки", "заявку"]),
    row(Word::Leave, Needs::Nothing, &["отказ", "выйти", "leave", "withdraw"], &["отказа"]),
    row(Word::Cancel, Needs::Kind, &["отмена", "cancel"], &[]),
    row(Word::Role, Needs::Nothing, &["роль", "role"], &[]),
    row(Word::Status, Needs::Nothing, &["статус", "status"], &[]),
    row(Word::Players, Needs::Nothing, &["игроки", "players"], &[]),
    row(Word::Rules, Needs::Nothing, &["правила", "rules"], &[]),
    row(Word::Help, Needs::Nothing, &["помощь", "help"], &[]),
    row(Word::Why, Needs::Nothing, &["почему", "why"], &[]),
    row(Word::Address, Needs::Address, &["адрес", "address"], &["адреса"]),
    row(Word::Lot, Needs::Words, &["жребий", "lot"], &["жребия"]),
    row(Word::Yes, Needs::Nothing, &["да", "yes"], &[]),
    row(Word::Absence, Needs::Words, &["отпуск", "away"], &["отпуска"]),
];

/// Proof words are announced by these; they are no requests.
const PROOF_FORMS: &[&str] = &["слово", "word"];
/// Text words of the host: a player's text ends before them too.
const HOST_TEXT_FORMS: &[&str] = &["сюжет", "story"];
/// End a text, alone on their line.
const END_FORMS: &[&str] = &["конец", "end"];

/// A word at the beginning of a line, and the rest of that line.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    pub row: &'static Row,
    pub form: &'static str,
    pub rest: &'a str,
}

/// The longest request word that a tidied line begins with.
pub fn find(line: &str) -> Option<Found<'_>> {
    let mut best: Option<Found<'_>> = None;
    for row in TABLE {
        for form in row.forms {
            if let Some(rest) = strip_form(line, form)
                && best.is_none_or(|found| rest.len() < found.rest.len())
            {
                best = Some(Found { row, form, rest });
            }
        }
    }
    best
}

/// What follows `Слово` or `Word`.
pub fn after_proof_form(line: &str) -> Option<&str> {
    PROOF_FORMS.iter().find_map(|form| strip_form(line, form))
}

/// What follows a text word of the host.
pub fn after_host_text_form(line: &str) -> Option<&str> {
    HOST_TEXT_FORMS.iter().find_map(|form| strip_form(line, form))
}

/// What follows `Конец` or `End`.
pub fn after_end_form(line: &str) -> Option<&str> {
    END_FORMS.iter().find_map(|form| strip_form(line, form))
}

/// Which request `Отмена` names: its word in any case, alone or with the nick it was for.
pub fn find_kind(argument: &str) -> Option<(Word, &str)> {
    let genitive = TABLE.iter().flat_map(|row| row.genitives.iter().map(move |form| (row.word, form)));
    let exact = find(argument).map(|found| (found.row.word, found.rest));
    genitive
        .filter_map(|(word, form)| strip_form(argument, form).map(|rest| (word, rest)))
        .chain(exact)
        .min_by_key(|(_, rest)| rest.len())
}

/// The name of a word in JSON and in the argument of `cancel`.
pub fn kind_name(word: Word) -> &'static str {
    match word {
        Word::Lynch => "lynch",
        Word::Hunt => "hunt",
        Word::Kill => "kill",
        Word::Check => "check",
        Word::Heal => "heal",
        Word::Seek => "seek",
        Word::Pistol => "pistol",
        Word::Note => "note",
        Word::Pm => "pm",
        Word::Clan => "clan",
        Word::Join => "join",
        Word::Leave => "leave",
        Word::Cancel => "cancel",
        Word::Role => "role",
        Word::Status => "status",
        Word::Players => "players",
        Word::Rules => "rules",
        Word::Help => "help",
        Word::Why => "why",
        Word::Address => "address",
        Word::Lot => "lot",
        Word::Yes => "yes",
        Word::Absence => "absence",
    }
}

/// The word that [`kind_name`] names.
pub fn by_kind_name(name: &str) -> Option<Word> {
    TABLE.iter().map(|row| row.word).find(|word| kind_name(*word) == name)
}

/// A proof word as it is compared: lower-case, `е` for `ё`, without its dash or space. None when it has not the form of
/// one (letters, then two digits).
pub fn fold_proof_word(written: &str) -> Option<String> {
    let tidied = tidy(written).to_lowercase().replace('ё', "е");
    let letters: String = tidied.chars().take_while(|c| c.is_alphabetic()).collect();
    let rest = tidied.strip_prefix(letters.as_str())?;
    let digits = rest.trim_start_matches(|c: char| is_dash(c) || c == ' ');
    let two_digits = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
    (!letters.is_empty() && two_digits).then(|| letters + digits)
}

/// A letter as it is compared: lower-case, `е` for `ё`, and one alphabet for the Latin and Cyrillic letters that look
/// alike (phones mix them: «Cаня»).
pub fn fold_letter(letter: char) -> char {
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    match lower {
        'a' => 'а',
        'b' => 'в',
        'c' => 'с',
        'e' | 'ё' | 'ë' => 'е',
        'h' => 'н',
        'i' => 'і',
        'k' => 'к',
        'm' => 'м',
        'o' => 'о',
        'p' => 'р',
        't' => 'т',
        'x' => 'х',
        'y' => 'у',
        other => other,
    }
}

const fn row(word: Word, needs: Needs, forms: &'static [&'static str], genitives: &'static [&'static str]) -> Row {
    Row { word, needs, forms, genitives }
}

/// The rest of a line that begins with a form as a whole word. A two-word form may be hyphenated.
pub(super) fn strip_form<'a>(line: &'a str, form: &str) -> Option<&'a str> {
    let mut letters = line.char_indices();
    for expected in form.chars() {
        let (_, written) = letters.next()?;
        let same = if expected == ' ' {
            written == ' ' || is_dash(written)
        } else {
            fold_letter(written) == fold_letter(expected)
        };
        if !same {
            return None;
        }
    }
    match letters.next() {
        None => Some(""),
        Some((_, next)) if next.is_alphanumeric() => None,
        Some((at, _)) => line.get(at..),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_finds_its_own_row() {
        for row in TABLE {
            for form in row.forms {
                let found = find(form).expect(form);
                assert_eq!((found.row.word, found.form, found.rest), (row.word, *form, ""));
                assert_eq!(find(&form.to_uppercase()).map(|f| f.row.word), Some(row.word));
                assert_eq!(find_kind(form), Some((row.word, "")));
            }
            assert_eq!(by_kind_name(kind_name(row.word)), Some(row.word));
            assert_eq!(serde_json::to_value(row.word).unwrap(), kind_name(row.word));
        }
    }

    #[test]
    fn a_word_is_whole_and_the_longest() {
        assert!(find("судья - Боцман").is_none());
        assert!(find("датчик").is_none());
        let found = find("суд линча - Боцман").unwrap();
        assert_eq!((found.form, found.rest), ("суд линча", " - Боцман"));
        assert_eq!(find("Cуд - Боцман").unwrap().row.word, Word::Lynch, "a Latin C");
        assert_eq!(find_kind("суда линча").map(|(word, _)| word), Some(Word::Lynch));
        assert_eq!(find_kind("поездки"), None);
    }

    #[test]
    fn proof_words_fold() {
        for written in ["барсук-77", "Барсук 77", "БАРСУК77", "барсук — 77"] {
            assert_eq!(fold_proof_word(written).as_deref(), Some("барсук77"), "{written}");
        }
        assert_eq!(fold_proof_word("Ёж-07").as_deref(), Some("еж07"));
        for prose in ["барсук", "77", "барсук-777", "барсук-7", "белый барсук-77", "барсук-77 и ещё"]
        {
            assert_eq!(fold_proof_word(prose), None, "{prose}");
        }
    }
}
