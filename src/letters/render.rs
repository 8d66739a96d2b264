//! A struct into words, by a template. Knows nothing of the game: what a letter may say was decided in
//! [`super::compose`]. The templates are built in; a folder of the operator's own replaces them one by one.

mod strays;

use std::collections::BTreeSet;
use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;

use self::strays::files_below;
pub use self::strays::strays;
use super::embedded::EMBEDDED;
use super::markup::Markup;
use super::preview::{Correction, Preview};
use super::{Answer, Heading, Lang, Letter, RoleCard, Summary, context, filters, samples, wrap};
use crate::config::nearest;
use crate::mail::Attachment;
use crate::rules::Role;

/// A letter in words, ready for [`crate::mail::write`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub subject: String,
    /// Lines of at most 76 characters, ending in `\n`.
    pub text: String,
    pub attachments: Vec<Attachment>,
    /// The operator's own template failed and the built-in one was taken instead.
    pub fault: Option<TemplateFault>,
}

/// What is wrong with a template of the operator's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}{}: {what}{}", line_said(*line), variables_said(variables))]
pub struct TemplateFault {
    /// `ru/receipt.txt`, as seen from the templates folder.
    pub file: String,
    pub line: Option<usize>,
    pub what: String,
    /// What the template may name at this place; empty when the fault is of another kind.
    pub variables: Vec<String>,
    /// From where to where in the file, in bytes.
    at: Option<(u32, u32)>,
    /// The line, and below it a caret under the place.
    pub excerpt: Option<Box<str>>,
}

impl TemplateFault {
    /// File and line: all that may be told of a fault that a real letter brought to light, for its words may repeat
    /// the letter's.
    fn place(&self) -> String {
        format!("{}{}", self.file, line_said(self.line))
    }
}

/// A built-in template failed: a defect of this program. Nothing of the letter is repeated.
#[derive(Debug, thiserror::Error)]
#[error("letter {kind} could not be put into words: {place}")]
pub struct RenderError {
    pub kind: &'static str,
    pub place: String,
}

pub struct Templates {
    russian: Shelf,
    english: Shelf,
}

/// The templates of one language.
struct Shelf {
    built_in: Environment<'static>,
    /// The built-in ones with the operator's own on top; None when he has none.
    own: Option<Environment<'static>>,
}

impl Templates {
    /// The built-in templates with those of `folder` (`ru/receipt.txt`, `en/roles/doctor.txt`, ...) on top.
    ///
    /// # Errors
    /// Every fault at once: a file that replaces nothing, bad syntax, a variable that is not in scope. Each letter is
    /// tried with samples, so a template that loads also renders them.
    pub fn load(folder: Option<&Path>) -> Result<Templates, Vec<TemplateFault>> {
        let mut faults = Vec::new();
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let what = "no such folder; leave `templates` empty to use the built-in ones".to_owned();
            faults.push(TemplateFault {
                file: folder.display().to_string(),
                line: None,
                what,
                variables: Vec::new(),
                at: None,
                excerpt: None,
            });
        }
        let mut shelf = |lang: Lang| {
            let built_in = built_in(lang).map_err(|error| faults.push(fault(lang, &error, None)));
            let own = folder.and_then(|folder| own(lang, folder, &mut faults));
            built_in.ok().map(|built_in| Shelf { built_in, own })
        };
        let (russian, english) = (shelf(Lang::Ru), shelf(Lang::En));
        match (russian, english, faults.is_empty()) {
            (Some(russian), Some(english), true) => Ok(Templates { russian, english }),
            _ => Err(faults),
        }
    }

    /// The words of one letter. `markup` matters only for a summary that is to be pasted.
    ///
    /// # Errors
    /// Only when a built-in template fails, which tests exclude; a failing template of the operator's is replaced by
    /// the built-in one and named in [`Rendered::fault`].
    pub fn render(&self, heading: &Heading, letter: &Letter, markup: Markup) -> Result<Rendered, RenderError> {
        let shelf = self.shelf(heading.lang);
        let mut fault = None;
        if let Some(own) = &shelf.own {
            match words(own, heading, letter, markup) {
                Ok(rendered) => return Ok(rendered),
                Err(failed) => fault = Some(failed),
            }
        }
        match words(&shelf.built_in, heading, letter, markup) {
            Ok(rendered) => Ok(Rendered { fault, ..rendered }),
            Err(failed) => Err(RenderError { kind: letter.kind(), place: failed.place() }),
        }
    }

    /// The lines that a part of a summary's template says, without wrapping: for a page that is no letter.
    ///
    /// # Errors
    /// As [`Templates::render`].
    pub fn lines_of(
        &self,
        part: &'static str,
        heading: &Heading,
        summary: &Summary,
    ) -> Result<Vec<String>, RenderError> {
        let shelf = self.shelf(heading.lang);
        let facts = context::of_summary(summary);
        let said = |shelf| fill(shelf, heading, part, &facts, None);
        let own = shelf.own.as_ref().and_then(|own| said(own).ok());
        let text = match own {
            Some(text) => text,
            None => said(&shelf.built_in).map_err(|failed| RenderError { kind: part, place: failed.place() })?,
        };
        let lines = text.lines().map(|line| wrap::unglue(line).trim().to_owned());
        Ok(lines.filter(|line| !line.is_empty()).collect())
    }

    fn shelf(&self, lang: Lang) -> &Shelf {
        match lang {
            Lang::Ru => &self.russian,
            Lang::En => &self.english,
        }
    }
}

/// The names of all built-in templates, as a folder of overrides may hold them: `ru/receipt.txt`.
pub fn names() -> impl Iterator<Item = String> {
    EMBEDDED.iter().map(|(lang, name, _)| format!("{}/{name}", folder_of(*lang)))
}

fn words(
    shelf: &Environment<'static>,
    heading: &Heading,
    letter: &Letter,
    markup: Markup,
) -> Result<Rendered, TemplateFault> {
    let letter = as_the_reader_knows(letter);
    let mut attachments = Vec::new();
    let facts = match &letter {
        Letter::Preview(preview) => serde_json::json!({ "letters": letters_inside(shelf, heading, preview, markup)? }),
        Letter::Correction(correction) => {
            let (said, posts) = corrected_letters(shelf, heading, correction, markup)?;
            attachments = posts;
            said
        }
        letter => context::of_letter(letter),
    };
    let output = fill(shelf, heading, &format!("{}.txt", template_of(&letter)), &facts, None)?;
    let (subject, text) = split_subject(heading, &letter, &output)?;
    if let Letter::Summary(summary) = &letter
        && summary.paste
    {
        attachments.push(paste(shelf, heading, summary, markup)?);
    }
    if let Letter::Roster(roster) = &letter {
        attachments.push(Attachment { name: markup.roster_file().to_owned(), text: roster.paste(markup) });
    }
    Ok(Rendered { subject, text: wrap::wrap(text), attachments, fault: None })
}

/// The letters of a preview in words, as each would leave.
fn letters_inside(
    shelf: &Environment<'static>,
    heading: &Heading,
    preview: &Preview,
    markup: Markup,
) -> Result<Vec<serde_json::Value>, TemplateFault> {
    let mut letters = Vec::new();
    for inside in &preview.letters {
        let said = words(shelf, heading, &inside.letter, markup)?;
        letters.push(serde_json::json!({
            "everyone": inside.everyone,
            "readers": context::of_readers(&inside.readers),
            "kind": inside.letter.kind(),
            "subject": said.subject,
            "text": said.text,
            "posts": said.attachments.into_iter().map(|post| post.text).collect::<Vec<_>>(),
        }));
    }
    Ok(letters)
}

/// What is true now, in full, and by their subjects the letters that are true no longer. A post that changed goes along
/// anew.
fn corrected_letters(
    shelf: &Environment<'static>,
    heading: &Heading,
    correction: &Correction,
    markup: Markup,
) -> Result<(serde_json::Value, Vec<Attachment>), TemplateFault> {
    let (mut letters, mut posts, mut void) = (Vec::new(), Vec::new(), Vec::new());
    for letter in &correction.letters {
        let said = words(shelf, heading, letter, markup)?;
        letters.push(serde_json::json!({ "subject": said.subject, "text": said.text }));
        posts.extend(said.attachments);
    }
    for letter in &correction.void {
        void.push(words(shelf, heading, letter, markup)?.subject);
    }
    void.sort();
    void.dedup();
    Ok((serde_json::json!({ "letters": letters, "void": void }), posts))
}

/// The ready-made post. What players wrote is made harmless before the template sees it.
fn paste(
    shelf: &Environment<'static>,
    heading: &Heading,
    summary: &Summary,
    markup: Markup,
) -> Result<Attachment, TemplateFault> {
    let facts = context::of_summary(&context::harmless(summary, markup));
    let mut heading = heading.clone();
    if let Some(game) = &mut heading.game {
        game.title = markup.harmless(&game.title);
    }
    heading.host_name = markup.harmless(&heading.host_name);
    let output = fill(shelf, &heading, "paste.txt", &facts, Some(markup))?;
    Ok(Attachment { name: markup.file_name().to_owned(), text: wrap::tidy(&output) })
}

#[derive(Serialize)]
struct Scope<'a> {
    heading: serde_json::Value,
    letter: &'a serde_json::Value,
    markup: Option<Markup>,
}

fn fill(
    shelf: &Environment<'static>,
    heading: &Heading,
    name: &str,
    facts: &serde_json::Value,
    markup: Option<Markup>,
) -> Result<String, TemplateFault> {
    let scope = Scope { heading: context::of_heading(heading), letter: facts, markup };
    let result = shelf.get_template(name).and_then(|template| template.render(Value::from(Serde(&scope))));
    result.map_err(|error| fault(heading.lang, &error, Some(facts)))
}

/// The template's first line is `Subject: ...`; the game's tag goes before it, whatever the template says.
fn split_subject<'a>(heading: &Heading, letter: &Letter, output: &'a str) -> Result<(String, &'a str), TemplateFault> {
    let (first, text) = output.trim_start().split_once('\n').unwrap_or((output, ""));
    let file = format!("{}/{}.txt", folder_of(heading.lang), template_of(letter));
    let Some(subject) = first.strip_prefix("Subject:") else {
        let what = "the first line must be `Subject: ...`".to_owned();
        return Err(TemplateFault { file, line: Some(1), what, variables: Vec::new(), at: None, excerpt: None });
    };
    if text.trim().is_empty() {
        let what = "no text below the subject".to_owned();
        return Err(TemplateFault { file, line: None, what, variables: Vec::new(), at: None, excerpt: None });
    }
    let subject = wrap::unglue(subject).split_whitespace().collect::<Vec<_>>().join(" ");
    let subject = match &heading.game {
        Some(game) => format!("[{}] {subject}", game.tag),
        None => subject,
    };
    Ok((subject, text))
}

/// A receipt and an answer have one shape; so have all letters that share a template.
fn template_of(letter: &Letter) -> &'static str {
    match letter {
        Letter::Answer(_) => "receipt",
        Letter::Why(_) => "why",
        Letter::Orders(_) => "orders",
        Letter::Moved(_) => "moved",
        Letter::Morning(_) => "morning",
        Letter::Offer(_) => "offer",
        Letter::Roster(_) => "roster",
        Letter::Kept => "kept",
        other => other.kind(),
    }
}

/// R34: the foundling does not know his own status; until he turns his card is the citizen's, to the byte.
fn as_the_reader_knows(letter: &Letter) -> Letter {
    let mut letter = letter.clone();
    let mask = |card: &mut RoleCard| {
        if card.role == Role::Foundling {
            card.role = Role::Citizen;
        }
    };
    match &mut letter {
        Letter::Role(card) => mask(card),
        Letter::Receipt(receipt) | Letter::Answer(receipt) => {
            for answer in &mut receipt.answers {
                if let Answer::Role(card) = answer {
                    mask(card);
                }
            }
        }
        _ => {}
    }
    letter
}

fn built_in(lang: Lang) -> Result<Environment<'static>, minijinja::Error> {
    let mut shelf = empty_shelf(lang)?;
    for (of, name, source) in EMBEDDED {
        if *of == lang {
            shelf.add_template(name, source)?;
        }
    }
    Ok(shelf)
}

/// The operator's templates on top of ours, or None when he has none in this language; faults are collected.
fn own(lang: Lang, folder: &Path, faults: &mut Vec<TemplateFault>) -> Option<Environment<'static>> {
    let mut shelf = built_in(lang).map_err(|error| faults.push(fault(lang, &error, None))).ok()?;
    let mut found = false;
    for name in files_below(&folder.join(folder_of(lang)), "", 1) {
        let file = format!("{}/{name}", folder_of(lang));
        if !EMBEDDED.iter().any(|(of, known, _)| *of == lang && *known == name) {
            let all: Vec<String> = names().filter(|known| known.starts_with(folder_of(lang))).collect();
            let near = nearest(&file, all.iter().map(String::as_str));
            let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            let what = format!("replaces no template{near}; there are: {}", all.join(", "));
            faults.push(TemplateFault { file, line: None, what, variables: Vec::new(), at: None, excerpt: None });
            continue;
        }
        match std::fs::read_to_string(folder.join(&file)) {
            Err(error) => {
                faults.push(TemplateFault {
                    file,
                    line: None,
                    what: error.to_string(),
                    variables: Vec::new(),
                    at: None,
                    excerpt: None,
                });
            }
            Ok(source) => {
                found = true;
                if let Err(error) = shelf.add_template_owned(name, source) {
                    faults.push(fault(lang, &error, None));
                }
            }
        }
    }
    if !found {
        return None;
    }
    let mut tried = BTreeSet::new();
    for (heading, letter) in samples::all(lang) {
        for markup in [Markup::Bbcode, Markup::Text] {
            if let Err(failed) = words(&shelf, &heading, &letter, markup) {
                tried.insert(failed);
            }
        }
    }
    faults.extend(tried);
    for fault in faults.iter_mut().filter(|fault| fault.excerpt.is_none()) {
        let Ok(source) = std::fs::read_to_string(folder.join(&fault.file)) else { continue };
        fault.excerpt = excerpt(&source, fault).map(String::into_boxed_str);
        if let Some(near) = meant(&source, fault) {
            fault.what = format!("{}; did you mean `{near}`?", fault.what);
        }
    }
    Some(shelf)
}

/// The variable in scope that a misspelt one may have meant.
fn meant(source: &str, fault: &TemplateFault) -> Option<String> {
    let (start, end) = fault.at?;
    let written = source.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
    let variable = written.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).find(|word| {
        let is_path = word.starts_with("letter.") || word.starts_with("heading.");
        is_path && !fault.variables.iter().any(|known| word == known || word.starts_with(&format!("{known}.")))
    })?;
    nearest(variable, fault.variables.iter().map(String::as_str)).map(str::to_owned)
}

/// The line of a fault as it stands in the operator's file, and a caret below.
fn excerpt(source: &str, fault: &TemplateFault) -> Option<String> {
    let line = source.lines().nth(fault.line?.checked_sub(1)?)?;
    // Beside a place that lies in another line, the caret stands under the first word.
    let before = fault
        .at
        .and_then(|(at, _)| source.get(..usize::try_from(at).ok()?))
        .and_then(|before| before.rsplit('\n').next());
    let column = match before.filter(|before| line.starts_with(before)) {
        Some(before) => before.chars().count(),
        None => line.chars().take_while(|c| c.is_whitespace()).count(),
    };
    Some(format!("    {line}\n    {:column$}^", ""))
}

fn empty_shelf(lang: Lang) -> Result<Environment<'static>, minijinja::Error> {
    let mut shelf = Environment::new();
    shelf.set_undefined_behavior(UndefinedBehavior::Strict);
    shelf.set_auto_escape_callback(|_| AutoEscape::None);
    shelf
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    filters::register(&mut shelf, lang);
    Ok(shelf)
}

fn fault(lang: Lang, error: &minijinja::Error, facts: Option<&serde_json::Value>) -> TemplateFault {
    // The innermost error knows the file and line of an included template.
    let mut innermost = error;
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(inner) = inner.downcast_ref::<minijinja::Error>() {
            innermost = inner;
        }
        source = inner.source();
    }
    let what = match innermost.detail() {
        Some(detail) => format!("{}: {detail}", innermost.kind()),
        None => innermost.kind().to_string(),
    };
    TemplateFault {
        file: format!("{}/{}", folder_of(lang), innermost.name().unwrap_or("?")),
        line: innermost.line(),
        what,
        variables: facts.map(context::variables).unwrap_or_default(),
        at: innermost.range().and_then(|range| Some((range.start.try_into().ok()?, range.end.try_into().ok()?))),
        excerpt: None,
    }
}

fn folder_of(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => "ru",
        Lang::En => "en",
    }
}

fn line_said(line: Option<usize>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

fn variables_said(variables: &[String]) -> String {
    if variables.is_empty() { String::new() } else { format!(" (in scope: {})", variables.join(", ")) }
}
