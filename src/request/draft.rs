//! The text of a note, of private talk or of the clan's, while its lines come in: where it ends, and whether it is
//! doubtful.

use super::line::{Asked, Saying};
use super::typography::{clean_argument, is_colon, is_dash, is_plausible_nick, is_quote, is_separator, shown, tidy};
use super::{Item, Problem, ProblemKind, Request, TextEnd, Word};

/// A text while its lines come in.
pub struct Draft {
    word: Word,
    /// The first line: as written, and what of it follows the separator, tidied and as written.
    line: String,
    rest: String,
    raw_rest: String,
    lines: Vec<String>,
    doubtful: Option<String>,
}

/// A problem of a line.
pub fn problem(raw: &str, problem: ProblemKind, word: Option<Word>) -> Item {
    Item::Problem(Problem { line: shown(raw), problem, word })
}

impl Draft {
    /// Begins a text with its first line.
    pub fn begin(raw: &str, asked: Asked) -> Draft {
        let raw_rest = after_separators(raw, asked.separators).to_owned();
        Draft { word: asked.word, line: raw.to_owned(), rest: asked.rest, raw_rest, lines: Vec::new(), doubtful: None }
    }

    /// The first line up to the nick, without a word of the text.
    pub fn shown_line(&self) -> String {
        shown(&self.split_first_line().2)
    }

    /// Whether a line ends this text, and why; such a line is no part of it.
    pub fn end_before(&self, saying: &Saying) -> Option<TextEnd> {
        match saying {
            Saying::End => Some(TextEnd::End),
            Saying::Asked(asked) if asked.is_complete() => Some(TextEnd::Request),
            Saying::Missing { word: Word::Note | Word::Pm | Word::Clan, separator: true } => Some(TextEnd::Request),
            Saying::Bare(_) | Saying::HostText => Some(TextEnd::Request),
            _ => None,
        }
    }

    /// Takes a line that is text, or looks half like a request: then the whole text is doubtful.
    pub fn take(&mut self, raw: &str, saying: &Saying) {
        let doubtful = matches!(
            saying,
            Saying::Asked(_)
                | Saying::Missing { separator: true, .. }
                | Saying::Misspelt(_)
                | Saying::NoRequest
                | Saying::Example
        );
        if doubtful && self.doubtful.is_none() {
            self.doubtful = Some(shown(raw));
        }
        let unmarked =
            raw.trim_start().strip_prefix('|').map(|text| text.strip_prefix([' ', '\u{a0}']).unwrap_or(text));
        self.lines.push(unmarked.unwrap_or(raw).trim_end().to_owned());
    }

    /// The request that the text came to, or its problem.
    pub fn finish(self, end: TextEnd) -> Item {
        let (nick, own_line, line) = self.split_first_line();
        if self.word != Word::Clan && nick.is_empty() {
            return problem(&line, ProblemKind::NoArgument, Some(self.word));
        }
        if let Some(doubtful) = self.doubtful {
            return Item::Problem(Problem {
                line: doubtful,
                problem: ProblemKind::DoubtfulText,
                word: Some(self.word),
            });
        }
        let lines = std::iter::once(own_line).chain(self.lines).collect::<Vec<_>>().join("\n");
        let text = without_blank_ends(&lines);
        if text.is_empty() {
            return problem(&line, ProblemKind::NoText, Some(self.word));
        }
        Item::Request(Request {
            word: self.word,
            argument: (self.word != Word::Clan).then_some(nick),
            text: Some(text.to_owned()),
            text_end: Some(end),
            fields: None,
            line: shown(&line),
        })
    }

    /// The nick, the beginning of the text, and the line up to the nick for the receipt.
    fn split_first_line(&self) -> (String, String, String) {
        let raw = self.raw_rest.trim();
        if self.word == Word::Clan {
            let shown_line = self.line.strip_suffix(self.raw_rest.as_str()).unwrap_or_default();
            return (String::new(), raw.to_owned(), shown_line.to_owned());
        }
        let nothing_below = self.lines.iter().all(|line| line.trim().is_empty());
        let plausible = is_plausible_nick(&clean_argument(&self.rest));
        let (nick, text) = split_quoted(raw)
            .or_else(|| raw.split_once(is_colon))
            .or_else(|| (nothing_below || !plausible).then(|| split_at_spaced_dash(raw)).flatten())
            .unwrap_or((raw, ""));
        let shown_line = self.line.trim_end().strip_suffix(text).unwrap_or_default().trim_end().to_owned();
        (clean_argument(&tidy(nick)), text.trim().to_owned(), shown_line)
    }
}

/// The rest of a raw line after so many dashes and colons: where its tidied form was cut.
pub fn after_separators(raw: &str, count: usize) -> &str {
    let end = raw.char_indices().filter(|(_, c)| is_separator(*c)).nth(count.saturating_sub(1));
    let rest = end.and_then(|(at, c)| raw.get(at + c.len_utf8()..)).unwrap_or_default();
    rest.trim()
}

/// «Юнга» and what follows, where the nick stands in quotes.
fn split_quoted(raw: &str) -> Option<(&str, &str)> {
    let inside = raw.strip_prefix(is_quote)?;
    let end = inside.find(is_quote)?;
    let (nick, after) = inside.split_at_checked(end)?;
    let after = after.trim_start_matches(|c: char| is_quote(c) || c.is_whitespace());
    Some((nick, after.trim_start_matches(|c: char| is_separator(c) || c.is_whitespace())))
}

/// «Юнга — текст».
fn split_at_spaced_dash(raw: &str) -> Option<(&str, &str)> {
    let dashes = raw.char_indices().filter(|(_, c)| is_dash(*c));
    dashes.into_iter().find_map(|(at, dash)| {
        let (before, after) = (raw.get(..at)?, raw.get(at + dash.len_utf8()..)?);
        let spaced = before.ends_with(char::is_whitespace)
            && (after.starts_with(char::is_whitespace) || after.starts_with(is_dash));
        spaced.then(|| (before, after.trim_start_matches(|c: char| is_dash(c) || c.is_whitespace())))
    })
}

fn without_blank_ends(lines: &str) -> &str {
    let mut text = lines.trim_end();
    while let Some((first, rest)) = text.split_once('\n') {
        if !first.trim().is_empty() {
            break;
        }
        text = rest;
    }
    text
}
