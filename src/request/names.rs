//! Whom a nick means. Folding: case, ё/е, look-alike Latin and Cyrillic letters, spaces, quotes, NFC. What differs only
//! by folding is that nick. What is nearly a nick (a case ending, a beginning, one slip of the finger) is understood as
//! it when it fits one player and no other is near; else it is nobody's, and the nearest are named.

use strsim::osa_distance;
use unicode_normalization::UnicodeNormalization;

use super::cases::is_case_of;
use super::typography::{is_dash, is_emoji, is_quote, tidy};
use super::words::fold_letter;

/// Most suggestions made for a nick that fits nobody.
const SUGGESTIONS: usize = 3;
/// Below this likeness a nick is no suggestion.
const LIKENESS: f64 = 0.78;
/// What is longer than this is compared by its beginning, in characters, and is nearly nobody's nick.
const COMPARED_CHARACTERS: usize = 64;
/// Shortest beginning of a nick that may stand for it, in characters.
const BEGINNING: usize = 3;
/// Shortest nick in which a slip of the finger is no other name, in characters; with the first letter wrong.
const SLIP: usize = 4;
const SLIP_AT_FIRST: usize = 5;
/// How a writer names himself.
const HIMSELF: [&str; 13] = [
    "себя",
    "себе",
    "меня",
    "мне",
    "я",
    "самого себя",
    "саму себя",
    "себя самого",
    "себя саму",
    "myself",
    "me",
    "self",
    "i",
];

/// Whom a written nick means. Numbers are places in the list of nicks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// It differs from the nick by folding alone.
    Exact(usize),
    /// It is nearly this nick and no other: acted on, and the answer says how it was understood.
    Near(usize),
    /// Nobody, or more than one. Suggestions are never acted on; best first, at most three.
    Unknown { did_you_mean: Vec<usize> },
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

/// Finds the one nick that was written. All who ever played belong into the list, the dead too: else a vote for one of
/// them would become a vote for somebody alive with a nick like his.
pub fn find(nicks: &[&str], written: &str) -> Match {
    let folded: Vec<String> = nicks.iter().map(|nick| fold(nick)).collect();
    let said = fold(written);
    match same(&folded, &said).as_slice() {
        [] => {}
        [one] => return Match::Exact(*one),
        several => return Match::Unknown { did_you_mean: several.iter().copied().take(SUGGESTIONS).collect() },
    }
    // The brackets of a form: «<Боцман>», «[Боцман]».
    let bare = |written: &str| written.trim_matches(['<', '>', '[', ']', '‹', '›', ' ']).to_owned();
    let said = bare(&said);
    match same(&folded.iter().map(|nick| bare(nick)).collect::<Vec<_>>(), &said).as_slice() {
        [] => {}
        [one] => return Match::Near(*one),
        several => return Match::Unknown { did_you_mean: several.iter().copied().take(SUGGESTIONS).collect() },
    }
    // «Боцман (врёт)».
    let without_remark = said.strip_suffix(')').and_then(|head| head.rsplit_once('('));
    if let Some((nick, _)) = without_remark
        && let [one] = same(&folded, nick.trim_end()).as_slice()
    {
        return Match::Near(*one);
    }
    match only_near(&folded, &said) {
        Some(at) => Match::Near(at),
        None => {
            let mut did_you_mean = suggestions(&folded, &said);
            if let Some(at) = before_a_reason(&folded, &said) {
                did_you_mean.retain(|other| *other != at);
                did_you_mean.insert(0, at);
                did_you_mean.truncate(SUGGESTIONS);
            }
            Match::Unknown { did_you_mean }
        }
    }
}

/// Whether what was written is a nick, each of its words as it is or in another case («Глеба», «Дону Педро»).
pub fn is_in_another_case(nick: &str, written: &str) -> bool {
    has_words_of(&fold(nick), &fold(written), true)
}

/// Whether somebody is named by what stands behind a request word without a dash. Small letters that only begin like a
/// nick, or differ by a slip, go on with a sentence.
pub fn is_named(nicks: &[&str], written: &str) -> bool {
    match find(nicks, written) {
        Match::Exact(_) => true,
        Match::Near(at) => {
            written.starts_with(|c: char| !c.is_lowercase())
                || nicks.get(at).is_some_and(|nick| is_in_another_case(nick, written))
        }
        Match::Unknown { .. } => means_writer(written),
    }
}

/// Whether the writer himself is meant, unless somebody has that nick.
pub fn means_writer(written: &str) -> bool {
    let said = fold(written);
    HIMSELF.iter().any(|word| fold(word) == said)
}

fn same(nicks: &[String], said: &str) -> Vec<usize> {
    if said.is_empty() {
        return Vec::new();
    }
    (0..).zip(nicks).filter(|(_, nick)| *nick == said).map(|(at, _)| at).collect()
}

/// «Анну, потому что он врал», «Анну!!! мафия»: the nick that stands before a mark and a reason. It is only suggested: a
/// mark may part two nicks as well.
fn before_a_reason(nicks: &[String], said: &str) -> Option<usize> {
    let (nick, _) = said.split_once([',', ';', '.', '!', '?', '…', ':', '('])?;
    let nick = nick.trim_end();
    match same(nicks, nick).as_slice() {
        [one] => Some(*one),
        _ => only_near(nicks, nick),
    }
}

/// The one nick that nearly fits, if no other is near.
fn only_near(nicks: &[String], said: &str) -> Option<usize> {
    if said.chars().nth(COMPARED_CHARACTERS).is_some() {
        return None;
    }
    let mut fitting = (0..).zip(nicks).filter_map(|(at, nick)| fit(nick, said).map(|fit| (at, fit)));
    let (one, fit) = fitting.next()?;
    let alone = fitting.next().is_none();
    let others = (0..).zip(nicks).filter(|(at, _)| *at != one);
    (alone && !others.into_iter().any(|(_, nick)| is_close(nick, said, fit))).then_some(one)
}

/// In what a written nick differs from the one that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// Its words, apart from case endings and from how they are parted.
    Words,
    /// It goes on.
    Beginning,
    /// One letter is wrong, missing or too many, or two have changed places.
    Slip,
}

fn fit(nick: &str, said: &str) -> Option<Fit> {
    if nick.chars().nth(COMPARED_CHARACTERS).is_some() {
        return None;
    }
    if has_words_of(nick, said, true) {
        return Some(Fit::Words);
    }
    let length = said.chars().count();
    if length >= BEGINNING && begins(nick, said) {
        return Some(Fit::Beginning);
    }
    let letters = nick.chars().count();
    let first_differs = nick.chars().next() != said.chars().next();
    let long_enough = letters.min(length) >= if first_differs { SLIP_AT_FIRST } else { SLIP };
    (long_enough && same_digits(nick, said) && is_within(nick, said, 1)).then_some(Fit::Slip)
}

/// Whether another nick is so near to what was written that nobody can tell which of the two was meant.
fn is_close(nick: &str, said: &str, fit: Fit) -> bool {
    let nick: String = nick.chars().take(COMPARED_CHARACTERS).collect();
    // «Дона» is «Дон» in another case, and the first word of «Дон Педро».
    if has_words_of(&nick, said, false) || nick.starts_with(said) || is_within(&nick, said, 1) {
        return true;
    }
    match fit {
        Fit::Words => false,
        Fit::Beginning => {
            let beginning: String = nick.chars().take(said.chars().count()).collect();
            is_within(&beginning, said, 1)
        }
        Fit::Slip => is_within(&nick, said, 2) || is_near_a_case(&nick, said),
    }
}

/// Whether the written words are the nick's, each as it is or in another case; or, where not `all` are asked for, its
/// first ones.
fn has_words_of(nick: &str, said: &str, all: bool) -> bool {
    let mut named = words(nick);
    let mut written = words(said).peekable();
    let some = written.peek().is_some();
    let each = written.all(|written| named.next().is_some_and(|name| written == name || is_case_of(written, name)));
    some && each && (!all || named.next().is_none())
}

/// Whether a nick goes on from what was written, and not in the middle of a number.
fn begins(nick: &str, said: &str) -> bool {
    let in_a_number = |rest: &str| said.ends_with(char::is_numeric) && rest.starts_with(char::is_numeric);
    nick.strip_prefix(said).is_some_and(|rest| !in_a_number(rest)) || has_words_of(nick, said, false)
}

/// «Игрок 5» is no slip for «Игрок 6».
fn same_digits(nick: &str, said: &str) -> bool {
    nick.chars().filter(|c| c.is_numeric()).eq(said.chars().filter(|c| c.is_numeric()))
}

fn is_within(nick: &str, said: &str, distance: usize) -> bool {
    nick.chars().count().abs_diff(said.chars().count()) <= distance && osa_distance(nick, said) <= distance
}

/// One slip away from a case of a nick's: only the last letters of a word change with the case.
fn is_near_a_case(nick: &str, said: &str) -> bool {
    let (nick, said) = (stem(nick), stem(said));
    nick.chars().count() >= 2 && is_within(&nick, &said, 1)
}

fn words(nick: &str) -> impl Iterator<Item = &str> {
    nick.split([' ', '-', '_', '.']).filter(|word| !word.is_empty())
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
            ("Кок 🔪", "Кок"),
        ] {
            let expected = NICKS.iter().position(|known| *known == nick).unwrap();
            assert_eq!(find(NICKS, written), Match::Exact(expected), "{written}");
        }
    }

    #[test]
    fn what_nearly_fits_one_player_is_understood() {
        for (written, nick) in [
            ("Юнгу", "Юнга"),
            ("Рыжий", "Рыжий Лис"),
            ("Рыжего Лиса", "Рыжий Лис"),
            ("рыжему лису", "Рыжий Лис"),
            ("Кот Баюн", "Кот-Баюн"),
            ("Кота-Баюна", "Кот-Баюн"),
            ("Алёну", "Алёна"),
            ("Nikу", "Nika"),
            ("Аленна", "Алёна"),
            ("Боцмн", "Боцман"),
            ("Кока", "Кок"),
            ("Кок (врёт)", "Кок"),
            ("<Боцман>", "Боцман"),
            ("[юнгу]", "Юнга"),
            ("Кок›", "Кок"),
        ] {
            let expected = NICKS.iter().position(|known| *known == nick).unwrap();
            assert_eq!(find(NICKS, written), Match::Near(expected), "{written}");
        }
    }

    #[test]
    fn what_is_near_two_is_only_suggested() {
        for (nicks, written) in [
            (&["Саша", "Паша"][..], "Ваша"),
            (&["Анна", "Анно"], "Анну"),
            (&["Анна", "Анно"], "Анны"),
            (&["Дон", "Дон Педро"], "Дона"),
            (&["Лис", "Лиса"], "Лису"),
            (&["Лис", "Лиса"], "Лисы"),
            (&["Боцман", "Боцманша"], "Боцмана"),
            (&["Александр", "Александра"], "Александ"),
            (&["Сапожник", "Сапёр"], "Сапо"),
            (&["Игрок 5", "Игрок 6"], "Игрок"),
        ] {
            let Match::Unknown { did_you_mean } = find(nicks, written) else { panic!("{written} of {nicks:?}") };
            assert!(!did_you_mean.is_empty(), "{written}");
        }
        for (nicks, written, expected) in [
            (&["Лис", "[Лис]"][..], "[лис]", Match::Exact(1)),
            (&["Лис", "<Лис"], "<Лис>", Match::Unknown { did_you_mean: vec![0, 1] }),
            (&["Лис", "Лиса"], "Лиса", Match::Exact(1)),
            (&["Лис"], "Лиса", Match::Near(0)),
            (&["Лиса"], "Лису", Match::Near(0)),
            (&["Дон", "Дон Педро"], "Дон", Match::Exact(0)),
            (&["Дон", "Дон Педро"], "Дона Педро", Match::Near(1)),
            (&["Саша", "Паша"], "Сашу", Match::Near(0)),
            (&["Игрок 5"], "Игрок 6", Match::Unknown { did_you_mean: vec![0] }),
            (&["Игрок 12"], "Игрок 1", Match::Unknown { did_you_mean: vec![0] }),
            (&["Ли"], "Лу", Match::Unknown { did_you_mean: vec![] }),
        ] {
            assert_eq!(find(nicks, written), expected, "{written} of {nicks:?}");
        }
    }

    #[test]
    fn what_only_resembles_is_suggested() {
        for (written, best) in [
            ("Боцманн", "Боцман"),
            ("Боцмана", "Боцман"),
            ("игрок Кок", "Кок"),
            ("Кок, он врёт", "Кок"),
            ("Юнгу, потому что он вчера врал нам всем", "Юнга"),
            ("Рыжего Лиса!!! он точно из мафии, я проверил", "Рыжий Лис"),
            ("Саня; а Боцман пусть помолчит", "Саня"),
            ("Алёну (она весь ход молчала), и точка", "Алёна"),
            ("Ника", ""),
            ("Шляпник, потому что он вчера врал нам всем", ""),
        ] {
            match find(NICKS, written) {
                Match::Unknown { did_you_mean } if best.is_empty() => assert_eq!(did_you_mean, Vec::<usize>::new()),
                Match::Unknown { did_you_mean } => {
                    assert_eq!(did_you_mean.first().map(|at| NICKS[*at]), Some(best), "{written}");
                    assert!(did_you_mean.len() <= 3);
                }
                Match::Exact(at) | Match::Near(at) => panic!("{written} was taken for {}", NICKS[at]),
            }
        }
    }

    #[test]
    fn nicks_that_fold_alike_are_never_exact() {
        assert_eq!(find(&["Саня", "Cаня", "Кок"], "Саня"), Match::Unknown { did_you_mean: vec![0, 1] });
        assert_eq!(find(&["Саня"], ""), Match::Unknown { did_you_mean: vec![] });
    }
}
