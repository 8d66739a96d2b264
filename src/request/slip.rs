//! Request words with a slip of the finger («Праверка - Аня»): an attempt, to be answered with the right form. Prose
//! with a dash in it is none: other words of the language that look alike, other cases of the request words, and
//! whatever is no nick behind the dash.

use strsim::osa_distance;

use super::cases::is_case_of;
use super::line::{mail_address, split_separator};
use super::typography::{
    clean_argument, is_colon, is_plausible_nick, is_quote, is_separator, shown, tidy, without_bullet,
};
use super::words::{self, Needs, Row, TABLE, find_kind, fold_letter};
use super::{Perhaps, ProblemKind, Word};

/// Shortest form in which a letter may be wrong; in a shorter one two may have changed places.
const ONE_WRONG: usize = 5;
/// Shortest form in which two letters may be wrong.
const TWO_WRONG: usize = 8;
/// Longest beginning of a line that can be a misspelt form, in characters. No form comes near it.
const LONGEST: usize = 40;
/// Most words of a nick behind a misspelt word: more are a sentence.
const NICK_WORDS: usize = 3;

/// Words of their own, one letter away from a request word, and other forms of the verbs.
const OTHER_WORDS: &[&str] = &[
    "волос",
    "голод",
    "голой",
    "голые",
    "колос",
    "логос",
    "голов",
    "город",
    "полос",
    "тонус",
    "похота",
    "пехота",
    "неохота",
    "убит",
    "убита",
    "убиты",
    "убито",
    "убыть",
    "рубить",
    "губить",
    "дубить",
    "забить",
    "избить",
    "любить",
    "бить",
    "сбить",
    "убрать",
    "убийца",
    "убийцы",
    "убийств",
    "течение",
    "влечение",
    "речение",
    "значение",
    "мечение",
    "лишение",
    "облечение",
    "влечение",
    "увлечение",
    "излечение",
    "лечит",
    "лечил",
    "лечим",
    "мечить",
    "калечить",
    "личить",
    "поверка",
    "поверить",
    "проверит",
    "проверил",
    "проверю",
    "проверять",
    "проверено",
    "писк",
    "диск",
    "иск",
    "риск",
    "происк",
    "прииск",
    "поискать",
    "клан",
    "клана",
    "кланы",
    "кланом",
    "план",
    "плану",
    "плана",
    "планы",
    "клапан",
    "клоун",
    "выстрелил",
    "выстрели",
    "выстрелы",
    "застрел",
    "записать",
    "запись",
    "запаска",
    "приписка",
    "замена",
    "измена",
    "смена",
    "подмена",
    "отмене",
    "отменю",
    "отменил",
    "отметка",
    "допуск",
    "выпуск",
    "впуск",
    "спуск",
    "пуск",
    "отпустил",
    "напуск",
    "адресат",
    "заявил",
    "заявление",
    "заявлена",
    "завка",
    "завязка",
    "зарядка",
    "жеребий",
    "lunch",
    "launch",
    "cheek",
    "chuck",
    "chick",
    "check",
    "checks",
    "checked",
    "chest",
    "cheque",
    "project",
    "protest",
    "protects",
    "piston",
    "pistols",
    "shot",
    "shout",
    "short",
    "shook",
    "shoots",
    "hoot",
    "scoot",
    "smooth",
    "sheet",
    "invested",
    "chancel",
    "dress",
    "addresses",
    "join",
    "votes",
    "voted",
    "kills",
    "killed",
    "hunts",
    "hunted",
    "heals",
    "healed",
    "seeks",
    "notes",
    "noted",
    "clans",
];

/// The request word that a line nearly begins with, when a separator and something like a nick follow.
pub fn read(line: &str) -> Option<Word> {
    let (end, _) = line.char_indices().take(LONGEST).find(|(_, c)| is_separator(*c))?;
    let (head, after) = line.split_at_checked(end)?;
    let head = head.trim_end_matches(|c: char| c == '*' || c == ' ' || is_quote(c));
    let (argument, tight) = split_separator(line.get(head.len()..)?)?;
    let written = folded(head);
    if written.chars().count() < ONE_WRONG - 1 || OTHER_WORDS.iter().any(|other| folded(other) == written) {
        return None;
    }
    let (row, form, wrong) = nearest(&written)?;
    let certain = wrong == 1 && written.chars().next() == form.chars().next();
    let takes = is_argument(row, argument, certain, after.starts_with(is_colon));
    let is_form_of_it = written.split(' ').zip(form.split(' ')).any(|(written, form)| is_other_form(written, form));
    let accusative = is_form_of_it && written.ends_with('у') && is_capital(argument);
    (takes && !tight && (!is_form_of_it || accusative)).then_some(row.word)
}

/// A one-word request word and what may be a nick behind it, with no separator: only a nick of the game makes it an
/// attempt, so that «Суд идёт» stays prose. `raw` is a line that [`super::line::read_line`] takes for prose.
pub fn read_unseparated(raw: &str) -> Option<Perhaps> {
    let tidied = tidy(raw);
    let line = without_bullet(&tidied);
    if tidied.starts_with(['│', '|', '>']) || line.starts_with(['│', '|', '>']) {
        return None;
    }
    let found = words::find(line)?;
    let (nick, shown_line) = match found.row.needs {
        Needs::Nick => (found.rest, raw),
        Needs::NickAndText => (found.rest.split(is_colon).next()?, before_text(raw)),
        _ => return None,
    };
    // A question orders nothing.
    if split_separator(found.rest).is_some() || nick.contains(['?', '‹']) {
        return None;
    }
    let nick = clean_argument(nick);
    let line = shown(shown_line);
    let problem = ProblemKind::NoSeparator;
    is_plausible_nick(&nick).then_some(Perhaps { at: 0, word: found.row.word, nick, line, problem })
}

/// A nick that was written into the brackets of an example of ours («Суд Линча - ‹Анна›»): only a nick of the game makes it
/// an attempt, and it is no request, for examples come back. `raw` is a line that [`super::line::read_line`] takes for one.
pub fn read_bracketed(raw: &str) -> Option<Perhaps> {
    let tidied = tidy(raw);
    let found = words::find(without_bullet(&tidied)).filter(|found| found.row.needs == Needs::Nick)?;
    let (argument, _) = split_separator(found.rest)?;
    let nick = argument.trim_end_matches(|c: char| c.is_whitespace() || ".,;!".contains(c));
    let nick = clean_argument(nick.strip_prefix('‹')?.strip_suffix('›')?);
    let is_ours = ["ник", "nick"].contains(&nick.to_lowercase().as_str());
    let (line, problem) = (shown(raw), ProblemKind::InBrackets);
    (!is_ours && is_plausible_nick(&nick)).then_some(Perhaps { at: 0, word: found.row.word, nick, line, problem })
}

/// A line up to its first colon.
fn before_text(raw: &str) -> &str {
    let end = raw.char_indices().find(|(_, c)| is_colon(*c)).map_or(raw.len(), |(at, c)| at + c.len_utf8());
    raw.get(..end).unwrap_or(raw)
}

/// The row and form that differ least, and by how many letters.
fn nearest(written: &str) -> Option<(&'static Row, String, usize)> {
    let letters = written.chars().count();
    let mut best: Option<(&'static Row, String, usize)> = None;
    for row in TABLE.iter().filter(|row| !matches!(row.needs, Needs::Nothing | Needs::Fields)) {
        for form in row.forms.iter().map(|form| folded(form)) {
            let length = form.chars().count();
            if length < ONE_WRONG - 1 || length.abs_diff(letters) > 2 {
                continue;
            }
            let wrong = osa_distance(&form, written);
            let allowed = match length {
                TWO_WRONG.. => wrong <= 2,
                ONE_WRONG.. => wrong <= 1,
                _ => wrong <= 1 && has_letters_of(&form, written),
            };
            if allowed && best.as_ref().is_none_or(|(_, _, least)| wrong < *least) {
                best = Some((row, form, wrong));
            }
        }
    }
    best
}

/// Whether what stands behind the separator is what such a request takes. A word that is not `certain` is none before
/// small letters: they go on with a sentence.
fn is_argument(row: &Row, argument: &str, certain: bool, colon: bool) -> bool {
    let nick = |written: &str| {
        let nick = clean_argument(written);
        let words = nick.split(' ').count();
        is_plausible_nick(&nick) && if is_capital(&nick) { words <= NICK_WORDS } else { certain && words == 1 }
    };
    match row.needs {
        Needs::Nick => nick(argument),
        Needs::NickAndText => nick(argument.split_once(is_colon).map_or(argument, |(before, _)| before)),
        Needs::Text => colon && certain && !clean_argument(argument).is_empty(),
        Needs::Kind => find_kind(&clean_argument(argument)).is_some_and(|(_, rest)| rest.is_empty()),
        Needs::Address => mail_address(argument).is_some(),
        Needs::Words => certain && argument.split(' ').count() == 1 && nick(argument),
        Needs::Nothing | Needs::Fields => false,
    }
}

/// A request word in another case, in the plural, or in another form of the verb.
fn is_other_form(written: &str, form: &str) -> bool {
    let plain = |word: &str| word.chars().all(|c| fold_letter(c) == c);
    let ends_like_english = ['s', 'd'].into_iter().any(|end| written.strip_suffix(end) == Some(form));
    plain(form) && is_case_of(written, form) || ends_like_english
}

fn has_letters_of(form: &str, written: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(form) == sorted(written)
}

fn is_capital(argument: &str) -> bool {
    let first = argument.chars().find(|c| c.is_alphanumeric());
    first.is_some_and(|c| c.is_uppercase() || c.is_numeric())
}

fn folded(words: &str) -> String {
    words.chars().map(fold_letter).collect()
}
