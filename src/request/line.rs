//! One line of a letter: what it says, apart from everything round it.

use super::typography::{clean_argument, is_colon, is_plausible_nick, is_remark, is_separator, tidy, without_bullet};
use super::words::{self, Found, Needs};
use super::{Word, dates, slip};

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saying {
    /// A request word, a separator and something after it.
    Asked(Asked),
    /// A word that takes no argument, alone.
    Bare(Word),
    /// A word with nothing where its argument should stand, with a separator or without one.
    Missing { word: Word, separator: bool },
    /// A two-word request word and something like a nick, but no separator between them.
    Unseparated(Word),
    /// Nearly a request word, a separator and something like a nick: an attempt.
    Misspelt(Word),
    /// Begins like a request, but is none and no attempt (`Роль - так себе`, `Слово - не воробей`).
    NoRequest,
    /// One of our own examples, its argument in `‹ ›`.
    Example,
    /// The proof word, folded.
    Proof(String),
    /// A text word of the host with its separator.
    HostText,
    /// `Конец` / `End`, alone.
    End,
    /// Anything else.
    Prose,
}

/// A request word and its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub word: Word,
    pub needs: Needs,
    /// What follows the separator, tidied.
    pub rest: String,
    /// How many dashes and colons the tidied line has up to its argument: with it the raw line is cut at the same place.
    pub separators: usize,
}

impl Asked {
    /// A request and nothing more: inside a text such a line is a request of its own.
    pub fn is_complete(&self) -> bool {
        match self.needs {
            Needs::Nick | Needs::Kind | Needs::Fields | Needs::Words => is_plausible_nick(&clean_argument(&self.rest)),
            Needs::NickAndText | Needs::Text => true,
            Needs::Nothing | Needs::Address => false,
        }
    }
}

impl Saying {
    /// The word of a line that surely asks for something, wherever it stands. An address belongs into a signature, and so
    /// may a lone word before a colon.
    pub fn surely_asks(&self) -> Option<Word> {
        match self {
            Saying::Asked(asked) if asked.needs == Needs::NickAndText => {
                let nick = asked.rest.split(is_colon).next().unwrap_or_default();
                is_plausible_nick(&clean_argument(nick)).then_some(asked.word)
            }
            Saying::Asked(asked) => asked.is_complete().then_some(asked.word),
            Saying::Bare(word) | Saying::Unseparated(word) => Some(*word),
            Saying::Misspelt(word) => (*word != Word::Address).then_some(*word),
            Saying::Missing { .. }
            | Saying::NoRequest
            | Saying::Example
            | Saying::Proof(_)
            | Saying::HostText
            | Saying::End
            | Saying::Prose => None,
        }
    }
}

/// Reads one line. Lines beginning with `│` (relayed text) and `|` (marked as text) are prose.
pub fn read_line(raw: &str) -> Saying {
    let tidied = tidy(raw);
    let line = without_bullet(&tidied);
    if line.is_empty() {
        return Saying::Prose;
    }
    if tidied.starts_with(['│', '|', '>']) || line.starts_with(['│', '|', '>']) {
        return Saying::Prose;
    }
    if let Some(rest) = words::after_proof_form(line) {
        return read_proof(rest);
    }
    if words::after_end_form(line).is_some_and(is_nothing) {
        return Saying::End;
    }
    if words::after_host_text_form(line).is_some_and(|rest| split_separator(rest).is_some()) {
        return Saying::HostText;
    }
    match words::find(line) {
        Some(found) => match read_found(&tidied, found) {
            // «Суд Линьча - Аня» begins with «Суд».
            Saying::Prose if split_separator(found.rest).is_none() => misspelt_or_prose(line),
            saying => saying,
        },
        None => misspelt_or_prose(line),
    }
}

fn misspelt_or_prose(line: &str) -> Saying {
    slip::read(line).map_or(Saying::Prose, Saying::Misspelt)
}

/// Whether a line must stay a line of its own where a mail program's soft line ends are undone (format=flowed): joined
/// with the next one a nick would swallow it.
pub fn stands_alone(raw: &str) -> bool {
    match read_line(raw) {
        Saying::Asked(asked) => match asked.needs {
            Needs::Text => false,
            Needs::NickAndText => !asked.rest.contains(is_colon),
            _ => true,
        },
        Saying::Prose | Saying::NoRequest => false,
        _ => true,
    }
}

/// Whether a line begins a request or an attempt: nothing may be joined before it.
pub fn begins_request(raw: &str) -> bool {
    !matches!(read_line(raw), Saying::Prose | Saying::NoRequest)
}

fn read_proof(rest: &str) -> Saying {
    let separated = split_separator(rest).map(|(argument, _)| argument);
    let argument = clean_argument(separated.unwrap_or(rest));
    match words::fold_proof_word(&argument) {
        Some(word) => Saying::Proof(word),
        // Nearly a proof word: no text that holds it is passed on.
        None if separated.is_some() && (!argument.contains(' ') || argument.contains(|c: char| c.is_ascii_digit())) => {
            Saying::NoRequest
        }
        None => Saying::Prose,
    }
}

fn read_found(tidied: &str, found: Found<'_>) -> Saying {
    let word = found.row.word;
    let after_remark = skip_remark(found.rest);
    let Some((rest, tight)) = split_separator(after_remark) else {
        return read_unseparated(found, after_remark);
    };
    if rest.starts_with('‹') {
        return Saying::Example;
    }
    let nothing = clean_argument(rest).is_empty();
    let needs = found.row.needs;
    match needs {
        Needs::Nothing if nothing => return Saying::Bare(word),
        Needs::Nothing => return Saying::NoRequest,
        Needs::Address if mail_address(rest).is_none() => return Saying::NoRequest,
        // `Заявка:` and its fields below.
        Needs::Fields if nothing => return Saying::Bare(word),
        // The text may be a mark alone, or stand below.
        Needs::Text => {}
        _ if nothing => return Saying::Missing { word, separator: true },
        _ => {}
    }
    if tight && !matches!(needs, Needs::Address | Needs::Text) && is_compound(found.form, rest) {
        return Saying::Prose;
    }
    let before_rest = tidied.len().saturating_sub(rest.len());
    let separators = tidied.get(..before_rest).unwrap_or_default().chars().filter(|c| is_separator(*c)).count();
    Saying::Asked(Asked { word, needs, rest: rest.to_owned(), separators })
}

fn read_unseparated(found: Found<'_>, rest: &str) -> Saying {
    let word = found.row.word;
    if is_nothing(rest) {
        return match found.row.needs {
            Needs::Nothing | Needs::Kind | Needs::Fields => Saying::Bare(word),
            Needs::Address => Saying::Prose,
            Needs::Nick | Needs::NickAndText | Needs::Text | Needs::Words => Saying::Missing { word, separator: false },
        };
    }
    // «Отпуск 3-7 мая»: the dash belongs to the days.
    if word == Word::Absence && dates::is_period(rest) {
        let needs = found.row.needs;
        return Saying::Asked(Asked { word, needs, rest: rest.trim().to_owned(), separators: 0 });
    }
    let two_words = found.form.contains(' ');
    let marks = ['.', ',', ';', '!', '?', '…', ':'];
    let (mark, after_mark) =
        rest.split_at_checked(rest.len() - rest.trim_start_matches(marks).len()).unwrap_or(("", rest));
    // «Суд Линча, Аня»: a mark in the dash's place, and a nick alone behind it.
    let clause = if mark.is_empty() { rest.split(marks).next().unwrap_or_default() } else { after_mark };
    if two_words && clause.trim_start().starts_with('‹') {
        return Saying::Example;
    }
    if two_words && is_plausible_nick(&clean_argument(clause)) { Saying::Unseparated(word) } else { Saying::Prose }
}

/// What follows the separator at the beginning of a word's rest, and whether the separator is a lone hyphen with no space
/// on either side. A word may be in quotes or in bold.
pub(super) fn split_separator(rest: &str) -> Option<(&str, bool)> {
    let unquoted = rest.trim_start_matches(|c: char| c == '*' || super::typography::is_quote(c));
    let at_separator = unquoted.trim_start();
    let after = at_separator.trim_start_matches(|c: char| is_separator(c) || c == ' ');
    if !at_separator.starts_with(is_separator) {
        return None;
    }
    let tight =
        rest.len() == at_separator.len() && at_separator.strip_prefix(['-', '\u{2010}', '\u{2011}']) == Some(after);
    // The head of an arrow "->".
    let after = if tight { after } else { after.strip_prefix("> ").unwrap_or(after) };
    Some((after, tight && !after.is_empty()))
}

/// «Суд Линча (для всех) - Боцман».
fn skip_remark(rest: &str) -> &str {
    let inside = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match inside {
        Some((remark, after)) if is_remark(remark) => after,
        _ => rest,
    }
}

/// Whether a word and a tight hyphen are part of a longer word of prose: `Суд-то`, `check-in`.
fn is_compound(form: &str, rest: &str) -> bool {
    const PARTICLES: &[&str] = &["то", "таки", "ка", "либо", "нибудь", "да", "же", "с"];
    let first: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
    let english = form.is_ascii();
    PARTICLES.contains(&first.to_lowercase().as_str())
        || (english && first.starts_with(char::is_lowercase))
        || !rest.contains(is_colon) && !is_plausible_nick(&clean_argument(rest))
}

/// Final punctuation and nothing else.
fn is_nothing(rest: &str) -> bool {
    !rest.chars().any(|c| c.is_alphanumeric() || c == '‹')
}

/// The mail address that a line names, also where a program wrote it twice (`a@b.test <mailto:a@b.test>`).
pub fn mail_address(written: &str) -> Option<String> {
    let mut addresses = written
        .split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '[' | ']' | '(' | ')'))
        .map(|word| clean_argument(word.strip_prefix("mailto:").unwrap_or(word)))
        .filter(|word| !word.is_empty());
    let first = addresses.next().filter(|word| is_mail_address(word))?;
    addresses.all(|other| other == first).then_some(first)
}

fn is_mail_address(word: &str) -> bool {
    let Some((local, domain)) = word.split_once('@') else {
        return false;
    };
    let plain = |c: char| !c.is_control() && !matches!(c, ',' | ';' | ':' | '"' | '@');
    !local.is_empty()
        && local.chars().all(plain)
        && domain.contains('.')
        && domain.chars().all(plain)
        && domain.split('.').all(|label| !label.is_empty())
}
