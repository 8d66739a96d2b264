//! Request lines: text in, requests and problems out; never fails. [`words`]: the one table of words in both
//! languages. [`typography`]: what does not matter. [`own`] and [`frame`]: which lines are the writer's own.
//! [`line`]: what one line says. [`draft`]: a text and its end. [`join`]: the lines of a sign-up. [`slip`]: request words
//! with a slip of the finger. [`subject`]: tags and reply prefixes. [`read`]: a letter's subject and body into a
//! [`Reading`]. [`orders`]: the host's verbs. [`names`]: whom a nick means. [`cases`]: the endings of the Russian cases.
//! [`dates`]: days of the year.

pub mod cases;
pub mod dates;
pub mod draft;
pub mod frame;
pub mod join;
pub mod line;
pub mod names;
mod nearly;
pub mod orders;
pub mod own;
pub mod read;
pub mod slip;
pub mod subject;
pub mod turns;
pub mod typography;
pub mod words;

use serde::{Deserialize, Serialize};

/// What a player's line asks for; the host's are [`orders::Verb`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    Lynch,
    Hunt,
    Kill,
    Check,
    Heal,
    Seek,
    Pistol,
    Note,
    Pm,
    Clan,
    Join,
    Leave,
    Cancel,
    Role,
    Status,
    Players,
    Rules,
    Help,
    Why,
    Address,
    Lot,
    Yes,
    Absence,
}

/// The fields of a sign-up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characteristic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gender: Option<crate::rules::Gender>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forum_name: Option<String>,
}

/// Where a text (note, pm, clan) ended; the receipt says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextEnd {
    /// The letter ended, or its own part did (quote).
    Letter,
    Signature,
    /// `Конец` / `End`.
    End,
    /// A line that is a request of its own.
    Request,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub word: Word,
    /// The nick as written, cleaned of what does not matter; for `cancel` the kind's word (`lynch`).
    pub argument: Option<String>,
    pub text: Option<String>,
    pub text_end: Option<TextEnd>,
    pub fields: Option<JoinFields>,
    /// The line as written, for the receipt (for a text word its first line up to the nick, never the text).
    pub line: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    NoArgument,
    NoText,
    NoSeparator,
    SubjectReply,
    Undecodable,
    DoubtfulText,
    /// Nearly a request word, a separator and something like a nick.
    MisspeltWord,
    /// A request under a signature or a footer, where its writer may have put it, or a quote have left it.
    BelowSignature,
    /// A nick of the game in the brackets of our examples.
    InBrackets,
}

impl ProblemKind {
    /// The word of `omerta parse --json`. Scripts know these six; ours are more.
    pub fn public_word(self) -> &'static str {
        match self {
            ProblemKind::NoArgument => "no_argument",
            ProblemKind::NoText => "no_text",
            ProblemKind::NoSeparator => "no_separator",
            ProblemKind::SubjectReply => "subject_reply",
            ProblemKind::Undecodable => "undecodable",
            // A line of which one cannot be sure that it is a request.
            ProblemKind::DoubtfulText
            | ProblemKind::MisspeltWord
            | ProblemKind::BelowSignature
            | ProblemKind::InBrackets => "doubtful_text",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub line: String,
    pub problem: ProblemKind,
    /// The request word that the line began with, if it did.
    pub word: Option<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Request(Request),
    Problem(Problem),
}

/// A letter, read. Items stand in the order of their lines: the lower line is the later one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub items: Vec<Item>,
    /// Proof words found (`Слово - ...`), folded as [`words::fold_proof_word`] says; they are in no item and no text.
    pub proof_words: Vec<String>,
    /// Lines that are attempts where a nick of the game stands in them, and prose elsewhere.
    pub perhaps: Vec<Perhaps>,
}

/// A one-word request word and something else, with no separator between them («Линч Анна») or in the brackets of our
/// examples («Линч - ‹Анна›»).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perhaps {
    /// So many items stand above the line.
    pub at: usize,
    pub word: Word,
    /// What stands where the nick would.
    pub nick: String,
    /// The line as written, without a word of a text.
    pub line: String,
    /// What is wrong with it, if it is an attempt.
    pub problem: ProblemKind,
}

impl Reading {
    /// The same with the lines in which a nick stands as the attempts that they are, each at its place.
    #[must_use]
    pub fn with_attempts(&self, is_nick: impl Fn(&str) -> bool) -> Reading {
        let mut reading = self.clone();
        for perhaps in std::mem::take(&mut reading.perhaps).into_iter().rev().filter(|perhaps| is_nick(&perhaps.nick)) {
            let Perhaps { at, word, line, problem, .. } = perhaps;
            let attempt = Item::Problem(Problem { line, problem, word: Some(word) });
            reading.items.insert(at.min(reading.items.len()), attempt);
        }
        reading.items.truncate(read::MAX_ITEMS);
        reading
    }

    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.items.iter().filter_map(|item| match item {
            Item::Request(request) => Some(request),
            Item::Problem(_) => None,
        })
    }

    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.items.iter().filter_map(|item| match item {
            Item::Problem(problem) => Some(problem),
            Item::Request(_) => None,
        })
    }
}
