//! A letter's own lines into requests and problems. Never fails, whatever the letter is.

use super::draft::{Draft, problem};
use super::join::{self, Field};
use super::line::{Asked, Saying, mail_address, read_line};
use super::own::{Piece, own_pieces};
use super::subject::Subject;
use super::typography::{clean_argument, is_separator, shown};
use super::words::{Needs, find_kind, fold_letter, kind_name};
use super::{Item, JoinFields, Perhaps, Problem, ProblemKind, Reading, Request, TextEnd, Word, slip};

/// Most requests and problems kept of one letter. An honest letter has a dozen.
pub const MAX_ITEMS: usize = 200;
/// Most proof words kept of one letter.
const MAX_PROOF_WORDS: usize = 20;

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
        let alone = !subject.is_reply && saying == Saying::Prose && reading == Reading::default();
        return if alone { read_pieces(std::iter::once(Piece::Own(subject.said))) } else { reading };
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
            Piece::Below(line) => reader.below_signature(line),
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
            Saying::Misspelt(word) => self.problem(raw, ProblemKind::MisspeltWord, word),
            Saying::Prose => self.perhaps(slip::read_unseparated(raw)),
            Saying::Example => self.perhaps(slip::read_bracketed(raw)),
            Saying::NoRequest | Saying::HostText | Saying::End | Saying::Proof(_) => {}
        }
    }

    fn perhaps(&mut self, perhaps: Option<Perhaps>) {
        if self.reading.perhaps.len() < MAX_ITEMS
            && let Some(perhaps) = perhaps
        {
            self.reading.perhaps.push(Perhaps { at: self.reading.items.len(), ..perhaps });
        }
    }

    /// Not acted on, and not passed over in silence: its writer is told.
    fn below_signature(&mut self, raw: &str) {
        let saying = read_line(raw);
        let Some(word) = saying.surely_asks() else { return };
        // Of a text no word is shown.
        let line = match saying {
            Saying::Asked(asked) if matches!(asked.needs, Needs::NickAndText | Needs::Text) => {
                Draft::begin(raw, asked).shown_line()
            }
            _ => shown(raw),
        };
        self.push(problem(&line, ProblemKind::BelowSignature, Some(word)));
    }

    fn asked(&mut self, raw: &str, asked: Asked) {
        let argument = clean_argument(&asked.rest);
        match asked.needs {
            Needs::NickAndText | Needs::Text => {
                self.close(TextEnd::Request);
                self.open = Open::Text(Draft::begin(raw, asked));
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
