//! One table of the file, key by key. What is not asked for by the end is an unknown key.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value as it stands in the file.
pub(super) type Raw<'a> = Spanned<DeValue<'a>>;

/// What is wrong at a place of the text; [`Section`] adds the key.
#[derive(Debug)]
pub(super) struct Bad {
    pub span: Range<usize>,
    pub what: String,
    pub cure: String,
}

impl Bad {
    pub(super) fn new(raw: &Raw<'_>, what: impl Into<String>, cure: impl Into<String>) -> Vec<Bad> {
        vec![Bad { span: raw.span(), what: what.into(), cure: cure.into() }]
    }
}

/// A [`Bad`] with its key.
#[derive(Debug)]
pub(super) struct Finding {
    pub span: Range<usize>,
    pub key: String,
    pub what: String,
    pub cure: String,
}

/// Everything that the readers of all sections found and asked for.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub findings: Vec<Finding>,
    /// Every key ever asked for, with its section.
    pub known: Vec<String>,
}

pub(super) struct Section<'a> {
    /// `outbox.`; empty for the top.
    prefix: String,
    table: Option<&'a DeTable<'a>>,
    /// Where a missing key would stand.
    span: Range<usize>,
    asked: Vec<&'static str>,
}

impl<'a> Section<'a> {
    pub(super) fn top(document: &'a Spanned<DeTable<'a>>) -> Section<'a> {
        Section { prefix: String::new(), table: Some(document.get_ref()), span: 0..0, asked: Vec::new() }
    }

    /// A table within this one; one that is not there is like an empty one.
    pub(super) fn section(&mut self, name: &'static str, notes: &mut Notes) -> Section<'a> {
        self.asked.push(name);
        let found = self.table.and_then(|table| table.get_key_value(name));
        let span = found.map_or(self.span.clone(), |(key, _)| key.span());
        let table = found.and_then(|(_, raw)| raw.get_ref().as_table());
        if let (Some((_, raw)), None) = (found, table) {
            let cure = format!("Write it as a section: a line [{}{name}], and its keys below.", self.prefix);
            notes.findings.push(self.finding(name, raw.span(), "is no section", cure));
        }
        Section { prefix: format!("{}{name}.", self.prefix), table, span, asked: Vec::new() }
    }

    /// The value of a key, read by `read`; None when it is not there, or is bad and noted so.
    pub(super) fn get<T>(
        &mut self,
        key: &'static str,
        notes: &mut Notes,
        read: impl FnOnce(&'a Raw<'a>) -> Result<T, Vec<Bad>>,
    ) -> Option<T> {
        self.asked.push(key);
        notes.known.push(format!("{}{key}", self.prefix));
        let raw = self.table?.get(key)?;
        match read(raw) {
            Ok(value) => Some(value),
            Err(bads) => {
                let named = |bad: Bad| self.finding(key, bad.span, bad.what, bad.cure);
                notes.findings.extend(bads.into_iter().map(named));
                None
            }
        }
    }

    /// True when the file has the key, good or bad.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.is_some_and(|table| table.contains_key(key))
    }

    /// Notes a fault at a key, or at the section's head when the key is not there.
    pub(super) fn blame(&self, key: &str, notes: &mut Notes, what: impl Into<String>, cure: impl Into<String>) {
        let found = self.table.and_then(|table| table.get_key_value(key));
        let span = found.map_or(self.span.clone(), |(key, _)| key.span());
        notes.findings.push(self.finding(key, span, what, cure));
    }

    /// The keys and values of a table whose keys are not ours to know.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a str, &'a Raw<'a>)> {
        self.table.into_iter().flat_map(|table| table.iter()).map(|(key, raw)| (key.get_ref().as_ref(), raw))
    }

    pub(super) fn finding(
        &self,
        key: &str,
        span: Range<usize>,
        what: impl Into<String>,
        cure: impl Into<String>,
    ) -> Finding {
        Finding { span, key: format!("{}{key}", self.prefix), what: what.into(), cure: cure.into() }
    }

    /// Every key that was never asked for is a fault.
    pub(super) fn finish(self, notes: &mut Notes) {
        for (key, _) in self.table.into_iter().flat_map(|table| table.iter()) {
            let name = key.get_ref().as_ref();
            if self.asked.contains(&name) {
                continue;
            }
            let cure = match nearest(name, self.asked.iter().copied()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("Take it out; known here: {}.", self.asked.join(", ")),
            };
            notes.findings.push(self.finding(name, key.span(), "is an unknown key", cure));
        }
    }
}

/// The candidate that a slip of the hand may have meant.
pub fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let word = word.to_lowercase();
    candidates
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}
