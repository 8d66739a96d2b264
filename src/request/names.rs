//! Whom a nick means. Folding: case, ё/е, look-alike Latin and Cyrillic letters, spaces, quotes, NFC.

use unicode_normalization::UnicodeNormalization;

use super::typography::{is_dash, is_emoji, is_quote, tidy};
use super::words::fold_letter;

/// Most suggestions made for a nick that fits nobody.
const SUGGESTIONS: usize = 3;
/// Below this likeness a nick is no suggestion.
const LIKENESS: f64 = 0.78;
/// What is longer than this is compared by its beginning, in characters.
const COMPARED_CHARACTERS: usize = 64;

/// Whom a written nick means. Numbers are places in the list of nicks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    Exact(usize),
    /// Nobody, or more than one. Suggestions are never acted on; best first, at most three.
    Unknown {
        did_you_mean: Vec<usize>,
    },
}

/// A nick as it is compared.
pub fn fold(nick: &str) -> String {
    let mut folded = String::with_capacity(nick.len());
    for c in tidy(nick).chars() {
        match c {
            ' ' if folded.is_empty() || folded.ends_with(' ') => {}
            // Stress marks and what else combines; й and ё are letters by now.
            '\u{300}'..='\u{36f}' => {}
            _ if is_quote(c) || is_emoji(c) => {}
            _ if is_dash(c) => folded.push('-'),
            _ => folded.push(fold_letter(c)),
        }
    }
    folded.trim_end_matches(['.', ' ']).nfc().collect()
}

/// Finds the one nick that was written. What only resembles a nick is suggested, never taken.
pub fn find(nicks: &[&str], written: &str) -> Match {
    let folded: Vec<String> = nicks.iter().map(|nick| fold(nick)).collect();
    let said = fold(written);
    let without_brackets =
        said.strip_suffix(')').and_then(|head| head.rsplit_once('(')).map(|(nick, _)| nick.trim_end());
    for candidate in std::iter::once(said.as_str()).chain(without_brackets).filter(|said| !said.is_empty()) {
        let same: Vec<usize> = (0..).zip(&folded).filter(|(_, nick)| *nick == candidate).map(|(at, _)| at).collect();
        match same.as_slice() {
            [] => {}
            [one] => return Match::Exact(*one),
            several => return Match::Unknown { did_you_mean: several.iter().copied().take(SUGGESTIONS).collect() },
        }
    }
    Match::Unknown { did_you_mean: suggestions(&folded, &said) }
}

fn suggestions(nicks: &[String], said: &str) -> Vec<usize> {
    let said: String = said.chars().take(COMPARED_CHARACTERS).collect();
    let mut close: Vec<(usize, f64)> = (0..)
        .zip(nicks)
        .map(|(at, nick)| (at, likeness(nick, &said)))
        .filter(|(_, likeness)| *likeness >= LIKENESS)
        .collect();
    close.sort_by(|(left_at, left), (right_at, right)| right.total_cmp(left).then(left_at.cmp(right_at)));
    close.into_iter().take(SUGGESTIONS).map(|(at, _)| at).collect()
}

/// How much two folded nicks are alike, 0 to 1.
fn likeness(nick: &str, said: &str) -> f64 {
    if nick.is_empty() || said.is_empty() {
        return 0.0;
    }
    if stem(nick) == stem(said) || without_gaps(nick) == without_gaps(said) {
        return 0.99;
    }
    // «Боцман, он врёт», «игрок Боцман»: the nick with something round it.
    if holds_as_words(said, nick) {
        return 0.97;
    }
    let long_enough = said.chars().count() >= 3;
    if long_enough && (nick.starts_with(said) || holds_as_words(nick, said)) {
        return 0.95;
    }
    let nick: String = nick.chars().take(COMPARED_CHARACTERS).collect();
    strsim::jaro_winkler(&nick, said).max(strsim::normalized_damerau_levenshtein(&nick, said) + 0.1).min(0.94)
}

/// A nick without the endings of the Russian cases: «Сапожника» and «Сапожник», «Веру» and «Вера».
fn stem(nick: &str) -> String {
    const ENDINGS: &[&str] = &[
        "ого", "его", "ому", "ему", "ыми", "ими", "ами", "ями", "ой", "ей", "ом", "ем", "ым", "им", "ую", "юю", "ая",
        "яя", "ый", "ий", "ов", "ев", "ам", "ям", "ах", "ях", "а", "я", "у", "ю", "е", "ы", "и", "о", "ь", "й",
    ];
    let words = nick.split(' ').map(|word| {
        let letters = word.chars().count();
        let ending = ENDINGS.iter().find(|ending| word.ends_with(**ending) && letters >= ending.chars().count() + 2);
        ending.and_then(|ending| word.strip_suffix(ending)).unwrap_or(word)
    });
    words.collect::<Vec<_>>().join(" ")
}

fn without_gaps(nick: &str) -> String {
    nick.chars().filter(|c| !matches!(c, ' ' | '-' | '_' | '.')).collect()
}

/// Whether a nick stands in a text as whole words.
fn holds_as_words(text: &str, nick: &str) -> bool {
    text.match_indices(nick).any(|(at, found)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|tail| tail.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NICKS: &[&str] = &["Боцман", "Кок", "Юнга", "Саня", "Кот-Баюн", "Алёна", "Nika", "Рыжий Лис", "Боцманша"];

    #[test]
    fn typography_never_matters() {
        for (written, nick) in [
            ("боцман", "Боцман"),
            ("«Боцман»", "Боцман"),
            ("Cаня", "Саня"),
            ("САНЯ", "Саня"),
            ("кот–баюн", "Кот-Баюн"),
            ("Кот‑Баюн", "Кот-Баюн"),
            ("Алена", "Алёна"),
            ("Але\u{308}на", "Алёна"),
            ("Nіka", "Nika"),
            ("рыжий\u{a0} лис", "Рыжий Лис"),
            ("Бо\u{301}цман.", "Боцман"),
            ("Боцман (врёт)", "Боцман"),
            ("Кок 🔪", "Кок"),
        ] {
            let expected = NICKS.iter().position(|known| *known == nick).unwrap();
            assert_eq!(find(NICKS, written), Match::Exact(expected), "{written}");
        }
    }

    #[test]
    fn what_only_resembles_is_suggested() {
        for (written, best) in [
            ("Боцмана", "Боцман"),
            ("Боцмн", "Боцман"),
            ("Юнгу", "Юнга"),
            ("Рыжий", "Рыжий Лис"),
            ("Рыжего Лиса", "Рыжий Лис"),
            ("Кот Баюн", "Кот-Баюн"),
            ("игрок Кок", "Кок"),
            ("Кок, он врёт", "Кок"),
            ("Ника", ""),
        ] {
            match find(NICKS, written) {
                Match::Unknown { did_you_mean } if best.is_empty() => assert_eq!(did_you_mean, Vec::<usize>::new()),
                Match::Unknown { did_you_mean } => {
                    assert_eq!(did_you_mean.first().map(|at| NICKS[*at]), Some(best), "{written}");
                    assert!(did_you_mean.len() <= 3);
                }
                Match::Exact(at) => panic!("{written} was taken for {}", NICKS[at]),
            }
        }
    }

    #[test]
    fn nicks_that_fold_alike_are_never_exact() {
        assert_eq!(find(&["Саня", "Cаня", "Кок"], "Саня"), Match::Unknown { did_you_mean: vec![0, 1] });
        assert_eq!(find(&["Саня"], ""), Match::Unknown { did_you_mean: vec![] });
    }
}
