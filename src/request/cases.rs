//! The endings of the Russian cases: whether one word is another one's accusative, dative, genitive or instrumental
//! («Сапожника», «Анне», «Рыжим Лисом»). Words come folded, as [`super::names::fold`] leaves them.

/// Endings of the nominative and of the cases that a nick may be written in; the longest nominative that fits counts,
/// the empty one (a consonant) for all that end otherwise.
const ENDINGS: &[(&str, &[&str])] = &[
    // Adjectives and surnames like them.
    ("ый", &["ого", "ому", "ым", "ом"]),
    ("ий", &["его", "ему", "им", "ем", "ого", "ому", "ом", "ьего", "ьему", "ьим", "ьем", "ия", "ию", "ием", "ии"]),
    ("ой", &["ого", "ому", "ым", "им", "ом", "оя", "ою", "оем", "ое"]),
    ("ое", &["ого", "ому", "ым", "им", "ом"]),
    ("ее", &["его", "ему", "им", "ем"]),
    ("ая", &["ую", "ой", "ою", "ей", "ею", "аю", "ае", "аи"]),
    ("яя", &["юю", "ей", "ею"]),
    ("ые", &["ых", "ым", "ыми"]),
    ("ие", &["их", "им", "ими", "ия", "ию", "ием", "ии"]),
    // Nouns.
    ("ия", &["ию", "ии", "ией", "иею"]),
    ("а", &["у", "ы", "и", "е", "ой", "ою", "ей", "ею"]),
    ("я", &["ю", "и", "е", "ей", "ею"]),
    ("о", &["а", "у", "ом", "е"]),
    ("е", &["я", "ю", "ем", "а", "у"]),
    ("ы", &["ов", "ев", "ам", "ами", "ах"]),
    ("и", &["ов", "ев", "ей", "ам", "ями", "ами", "ям", "ах", "ях"]),
    ("ь", &["я", "ю", "ем", "е", "и", "ью"]),
    ("й", &["я", "ю", "ем", "е", "и"]),
    ("", &["а", "у", "ом", "ем", "е", "ым", "ы"]),
];
/// Endings in which the vowel before the last consonant drops out («Отец», «Отца»; «Лев», «Льва»; «Боец», «Бойца»).
const AFTER_A_LOST_VOWEL: &[&str] = &["а", "у", "ом", "ем", "е", "я", "ю", "и", "ью"];

/// Whether `written` is `name` in one of its other cases. A word of one letter has none.
pub fn is_case_of(written: &str, name: &str) -> bool {
    let letters = |word: &str| word.chars().count();
    if written == name || letters(name) < 2 || !name.ends_with(is_russian_letter) {
        return false;
    }
    let regular = ENDINGS.iter().find_map(|(nominative, cases)| name.strip_suffix(nominative).zip(Some(cases)));
    let is_regular =
        regular.is_some_and(|(stem, cases)| written.strip_prefix(stem).is_some_and(|ending| cases.contains(&ending)));
    is_regular || loses_its_vowel(written, name)
}

fn loses_its_vowel(written: &str, name: &str) -> bool {
    let bare = name.strip_suffix('ь').unwrap_or(name);
    let mut letters = bare.chars();
    let (Some(last), Some(vowel)) = (letters.next_back(), letters.next_back()) else {
        return false;
    };
    let stem = letters.as_str();
    if !matches!(vowel, 'е' | 'о') || is_vowel(last) || last == 'й' || stem.is_empty() {
        return false;
    }
    let Some(after) = written.strip_prefix(stem) else {
        return false;
    };
    let after = after.strip_prefix(['ь', 'й']).unwrap_or(after);
    after.strip_prefix(last).is_some_and(|ending| AFTER_A_LOST_VOWEL.contains(&ending))
}

fn is_russian_letter(letter: char) -> bool {
    matches!(letter, 'а'..='я')
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'а' | 'е' | 'и' | 'о' | 'у' | 'ы' | 'э' | 'ю' | 'я')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_of_russian_words_are_recognised() {
        for (name, cases) in [
            ("сапожник", "сапожника сапожнику сапожником сапожнике"),
            ("анна", "анну анны анне анной анною"),
            ("юля", "юлю юли юле юлей"),
            ("мария", "марию марии марией"),
            ("саша", "сашу саши саше сашей"),
            ("николай", "николая николаю николаем николае"),
            ("юрий", "юрия юрию юрием юрии"),
            ("игорь", "игоря игорю игорем игоре"),
            ("ночь", "ночи ночью"),
            ("отец", "отца отцу отцом отце"),
            ("боец", "бойца бойцу бойцом бойце"),
            ("лев", "льва льву львом льве"),
            ("павел", "павла павлу павлом павле"),
            ("стрелок", "стрелка стрелку стрелком стрелке"),
            ("кок", "кока коку коком коке"),
            ("конек", "конька коньку коньком коньке"),
            ("огонь", "огня огню огнем огне"),
            ("любовь", "любви любовью"),
            ("рыжий", "рыжего рыжему рыжим рыжем"),
            ("черный", "черного черному черным черном"),
            ("слепой", "слепого слепому слепым слепом"),
            ("лисий", "лисьего лисьему лисьим лисьем"),
            ("белая", "белую белой белою"),
            ("синяя", "синюю синей"),
            ("солнышко", "солнышка солнышку солнышком солнышке"),
            ("сердце", "сердца сердцу"),
            ("иванов", "иванова иванову ивановым иванове"),
            ("близнецы", "близнецов близнецам близнецами"),
        ] {
            for written in cases.split(' ') {
                assert!(is_case_of(written, name), "{written} of {name}");
            }
            assert!(!is_case_of(name, name));
        }
    }

    #[test]
    fn other_words_are_no_cases() {
        for (written, name) in [
            ("пашу", "саша"),
            ("анно", "анна"),
            ("лис", "лиса"),
            ("боцманша", "боцман"),
            ("коке", "кокос"),
            ("маню", "мао"),
            ("nikу", "nik"),
            ("у", "я"),
            ("", "анна"),
            ("а", ""),
        ] {
            assert!(!is_case_of(written, name), "{written} of {name}");
        }
    }
}
