//! A letter's own lines into requests and problems. Never fails, whatever the letter is.

use super::join::{self, Field};
use super::line::{Asked, Saying, mail_address, read_line};
use super::own::{Piece, own_pieces};
use super::typography::{clean_argument, is_colon, is_dash, is_plausible_nick, is_quote, is_separator, tidy};
use super::words::{Needs, find_kind, fold_letter, kind_name};
use super::{Item, JoinFields, Problem, ProblemKind, Reading, Request, TextEnd, Word};

/// Most requests and problems kept of one letter. An honest letter has a dozen.
pub const MAX_ITEMS: usize = 200;
/// Most proof words kept of one letter.
const MAX_PROOF_WORDS: usize = 20;
/// Longest line kept for the receipt, in characters.
const LINE_CHARACTERS: usize = 200;

/// Reads a letter. The subject counts only when the body holds no request; behind a reply prefix it is a problem.
pub fn read(subject: &str, body: &str) -> Reading {
    let pieces = own_pieces(body);
    let reading = read_pieces(pieces.iter().copied());
    let subject = Subject::split(subject);
    let saying = read_line(subject.said);
    if let Saying::Proof(word) = saying {
        let mut reading = reading;
        reading.proof_words.push(word);
        return reading;
    }
    let says_nothing = matches!(saying, Saying::Prose | Saying::NoRequest | Saying::Example);
    if says_nothing || reading.requests().next().is_some() {
        return reading;
    }
    if subject.is_reply {
        return with_subject_reply(reading, subject.said);
    }
    let alone = read_pieces(std::iter::once(Piece::Own(subject.said)));
    let holds_its_text = alone.requests().any(|request| request.text.is_some());
    if holds_its_text {
        let mut reading = reading;
        reading.items.splice(0..0, alone.items);
        return reading;
    }
    // The subject is the letter's first line: the text of a note or the fields of a sign-up may stand in the body.
    read_pieces(std::iter::once(Piece::Own(subject.said)).chain(pieces))
}

/// A problem of the letter as a whole: its body could not be decoded.
pub fn undecodable() -> Item {
    Item::Problem(Problem { line: String::new(), problem: ProblemKind::Undecodable, word: None })
}

fn with_subject_reply(mut reading: Reading, said: &str) -> Reading {
    let alone = read_pieces(std::iter::once(Piece::Own(said)));
    // A note or a sign-up may lack its text here only because a subject has one line.
    let word = alone.requests().next().map(|request| request.word).or_else(|| {
        alone.problems().find(|problem| problem.problem == ProblemKind::NoText).and_then(|problem| problem.word)
    });
    if let Some(word) = word {
        reading.items.insert(0, problem(said, ProblemKind::SubjectReply, Some(word)));
    }
    reading
}

fn read_pieces<'a>(pieces: impl Iterator<Item = Piece<'a>>) -> Reading {
    let mut reader = Reader::default();
    for piece in pieces {
        match piece {
            Piece::Own(line) => reader.line(line),
            Piece::Quote => reader.close(TextEnd::Letter),
            Piece::Signature => reader.close(TextEnd::Signature),
        }
    }
    reader.close(TextEnd::Letter);
    reader.reading
}

#[derive(Default)]
struct Reader {
    reading: Reading,
    open: Open,
}

/// What the next lines may belong to.
#[derive(Default)]
enum Open {
    #[default]
    Nothing,
    Text(Draft),
    Join {
        fields: JoinFields,
        line: String,
        last: Option<Field>,
    },
}

/// A text while its lines come in.
struct Draft {
    word: Word,
    /// The first line: as written, and what of it follows the separator, tidied and as written.
    line: String,
    rest: String,
    raw_rest: String,
    lines: Vec<String>,
    doubtful: Option<String>,
}

impl Reader {
    fn line(&mut self, raw: &str) {
        let saying = read_line(raw);
        if let Saying::Proof(word) = saying {
            if self.reading.proof_words.len() < MAX_PROOF_WORDS {
                self.reading.proof_words.push(word);
            }
            return;
        }
        let taken = match &mut self.open {
            Open::Nothing => false,
            Open::Text(draft) => match draft.end_before(&saying) {
                Some(end) => {
                    self.close(end);
                    end == TextEnd::End
                }
                None => {
                    draft.take(raw, &saying);
                    true
                }
            },
            Open::Join { fields, last, .. } => take_field(fields, last, raw, &saying),
        };
        if !taken {
            self.ordinary(raw, saying);
        }
    }

    fn ordinary(&mut self, raw: &str, saying: Saying) {
        match saying {
            Saying::Asked(asked) => self.asked(raw, asked),
            Saying::Bare(Word::Join) => {
                self.close(TextEnd::Request);
                self.open = Open::Join { fields: JoinFields::default(), line: shown(raw), last: None };
            }
            Saying::Bare(word) => self.request(raw, word, None),
            Saying::Missing { word: Word::Clan, .. } => self.problem(raw, ProblemKind::NoText, Word::Clan),
            Saying::Missing { word, .. } => self.problem(raw, ProblemKind::NoArgument, word),
            Saying::Unseparated(word) => self.problem(raw, ProblemKind::NoSeparator, word),
            Saying::Example | Saying::NoRequest | Saying::HostText | Saying::End | Saying::Prose | Saying::Proof(_) => {
            }
        }
    }

    fn asked(&mut self, raw: &str, asked: Asked) {
        let argument = clean_argument(&asked.rest);
        match asked.needs {
            Needs::NickAndText | Needs::Text => {
                self.close(TextEnd::Request);
                let raw_rest = after_separators(raw, asked.separators).to_owned();
                self.open = Open::Text(Draft::new(asked.word, raw, asked.rest, raw_rest));
            }
            Needs::Fields => {
                self.close(TextEnd::Request);
                let fields = JoinFields { character: Some(argument), ..JoinFields::default() };
                self.open = Open::Join { fields, line: shown(raw), last: Some(Field::Character) };
            }
            Needs::Kind => match cancelled(&argument) {
                Some(Cancelled::Everything) => self.request(raw, asked.word, None),
                Some(Cancelled::Kind(word)) => self.request(raw, asked.word, Some(kind_name(word).to_owned())),
                None => self.problem(raw, ProblemKind::NoArgument, asked.word),
            },
            Needs::Address => self.request(raw, asked.word, mail_address(&asked.rest)),
            Needs::Nick | Needs::Words | Needs::Nothing => {
                self.request(raw, asked.word, Some(argument));
            }
        }
    }

    fn request(&mut self, raw: &str, word: Word, argument: Option<String>) {
        self.close(TextEnd::Request);
        let line = shown(raw);
        self.push(Item::Request(Request { word, argument, text: None, text_end: None, fields: None, line }));
    }

    fn problem(&mut self, raw: &str, kind: ProblemKind, word: Word) {
        self.close(TextEnd::Request);
        self.push(problem(raw, kind, Some(word)));
    }

    /// Ends what is open.
    fn close(&mut self, end: TextEnd) {
        match std::mem::take(&mut self.open) {
            Open::Nothing => {}
            Open::Text(draft) => self.push(draft.finish(end)),
            Open::Join { fields, line, .. } => self.push(Item::Request(Request {
                word: Word::Join,
                argument: None,
                text: None,
                text_end: None,
                fields: Some(fields),
                line,
            })),
        }
    }

    fn push(&mut self, item: Item) {
        if self.reading.items.len() < MAX_ITEMS {
            self.reading.items.push(item);
        }
    }
}

impl Draft {
    fn new(word: Word, raw: &str, rest: String, raw_rest: String) -> Draft {
        Draft { word, line: raw.to_owned(), rest, raw_rest, lines: Vec::new(), doubtful: None }
    }

    /// Whether a line ends this text, and why; such a line is no part of it.
    fn end_before(&self, saying: &Saying) -> Option<TextEnd> {
        match saying {
            Saying::End => Some(TextEnd::End),
            Saying::Asked(asked) if asked.is_complete() => Some(TextEnd::Request),
            Saying::Missing { word: Word::Note | Word::Pm | Word::Clan, separator: true } => Some(TextEnd::Request),
            Saying::Bare(_) | Saying::HostText => Some(TextEnd::Request),
            _ => None,
        }
    }

    /// Takes a line that is text, or looks half like a request: then the whole text is doubtful.
    fn take(&mut self, raw: &str, saying: &Saying) {
        let doubtful = matches!(
            saying,
            Saying::Asked(_) | Saying::Missing { separator: true, .. } | Saying::NoRequest | Saying::Example
        );
        if doubtful && self.doubtful.is_none() {
            self.doubtful = Some(shown(raw));
        }
        let unmarked =
            raw.trim_start().strip_prefix('|').map(|text| text.strip_prefix([' ', '\u{a0}']).unwrap_or(text));
        self.lines.push(unmarked.unwrap_or(raw).trim_end().to_owned());
    }

    fn finish(self, end: TextEnd) -> Item {
        let (nick, own_line, line) = self.split_first_line();
        if self.word != Word::Clan && nick.is_empty() {
            return problem(&self.line, ProblemKind::NoArgument, Some(self.word));
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

/// Whether a line is one of a sign-up, and takes it.
fn take_field(fields: &mut JoinFields, last: &mut Option<Field>, raw: &str, saying: &Saying) -> bool {
    if let Some((field, value)) = join::read_field(raw) {
        join::set(fields, field, &value);
        *last = Some(field);
        return true;
    }
    if !matches!(saying, Saying::Prose | Saying::NoRequest | Saying::End) {
        return false;
    }
    if raw.trim().is_empty() {
        *last = None;
    } else if *last == Some(Field::Characteristic) {
        join::append_to_characteristic(fields, raw);
    }
    true
}

enum Cancelled {
    Everything,
    Kind(Word),
}

fn cancelled(argument: &str) -> Option<Cancelled> {
    let folded: String = argument.chars().map(fold_letter).collect();
    if ["все", "всего", "all", "everything"].iter().any(|all| all.chars().map(fold_letter).eq(folded.chars())) {
        return Some(Cancelled::Everything);
    }
    let (word, rest) = find_kind(argument)?;
    // `Отмена - Охота - Юнга`: the nick says nothing new.
    let rest = rest.trim_start();
    (rest.is_empty() || rest.starts_with(is_separator)).then_some(Cancelled::Kind(word))
}

/// The rest of a raw line after so many dashes and colons: where its tidied form was cut.
fn after_separators(raw: &str, count: usize) -> &str {
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

/// A line as the receipt shows it.
fn shown(raw: &str) -> String {
    tidy(raw).chars().take(LINE_CHARACTERS).collect()
}

fn problem(raw: &str, problem: ProblemKind, word: Option<Word>) -> Item {
    Item::Problem(Problem { line: shown(raw), problem, word })
}

/// A subject without its game tags and reply prefixes.
struct Subject<'a> {
    said: &'a str,
    is_reply: bool,
}

impl<'a> Subject<'a> {
    fn split(subject: &'a str) -> Subject<'a> {
        let mut said = subject.trim();
        let mut is_reply = false;
        loop {
            if let Some((_, rest)) = said.strip_prefix('[').and_then(|tag| tag.split_once(']')) {
                said = rest.trim_start();
            } else if let Some(rest) = strip_reply_prefix(said) {
                said = rest.trim_start();
                is_reply = true;
            } else {
                return Subject { said, is_reply };
            }
        }
    }
}

/// `Re:`, `RE[2]:`, `Fwd:`, `Отв:`, `НА:` in either alphabet …
fn strip_reply_prefix(subject: &str) -> Option<&str> {
    const PREFIXES: &[&str] = &[
        "re",
        "fw",
        "fwd",
        "отв",
        "ответ",
        "пересл",
        "перес",
        "пер",
        "переслано",
        "на",
        "aw",
        "wg",
        "sv",
        "vs",
        "antw",
        "rv",
        "tr",
        "res",
        "enc",
        "odp",
        "pd",
        "від",
        "відп",
        "вiдп",
        "перев",
        "рe",
    ];
    let (prefix, rest) = subject.split_once(is_colon)?;
    if prefix.len() > 40 {
        return None;
    }
    let name =
        prefix.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '(' | ')' | '^' | ' ' | '.'));
    let folded = |text: &str| text.chars().map(fold_letter).collect::<String>();
    let name = folded(&tidy(name));
    PREFIXES.iter().any(|known| folded(known) == name).then_some(rest)
}
