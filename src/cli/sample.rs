//! `omerta letters TAG preview KIND`: a letter of that kind in both languages, of invented facts, through the operator's
//! own templates. It tells nothing of the game but its name: what really goes out is shown by `omerta game preview`.

use serde_json::json;

use super::load::{Opened, Place};
use super::shown::Shown;
use super::{exit, fail, out, print_json};
use crate::config::{Markup, nearest};
use crate::letters::render::{TemplateFault, Templates};
use crate::letters::samples::{self, Sample};
use crate::letters::{GameName, Heading, Lang};
use crate::mail::{AutoSubmitted, Outgoing, write};
use crate::store::GameHead;
use crate::table::Table;

/// A sample as its reader would get it.
struct Sampled {
    lang: Lang,
    name: String,
    letter: Shown,
    /// What is wrong with the operator's own template.
    fault: Option<TemplateFault>,
}

/// To whom a sample is addressed.
const READER: &str = "reader@example.org";

/// Shows the first letter of a kind, or the very sample that is named, in both languages.
///
/// The markup of a summary is that of the config, as it is for real letters.
pub fn preview(place: &Place, opened: &mut Opened, head: &GameHead, kind: Option<&str>, json: bool) -> u8 {
    let names = names();
    let Some(asked) = kind else { return fail(exit::USAGE, &format!("which kind? {}", kinds_said(&names))) };
    let Some(name) = sample_named(&names, asked) else {
        let all = names.iter().flat_map(|(kind, name)| [*kind, name.as_str()]);
        let near = nearest(asked, all).map_or_else(|| ".".to_owned(), |near| format!("; did you mean `{near}`?"));
        return fail(exit::USAGE, &format!("`{asked}` is no kind of letter{near} {}", kinds_said(&names)));
    };
    let (_, table) = match opened.desk.table(&head.tag) {
        Ok(found) => found,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let templates = match place.read() {
        Ok((_, templates)) => templates,
        Err(code) => return code,
    };
    let config = opened.desk.config();
    let (from, markup) = (config.outbox.from.to_string(), config.forum.markup);
    let mut shown = Vec::new();
    for lang in [Lang::Ru, Lang::En] {
        let found = samples::named(lang).into_iter().find(|(sample, _, _)| *sample == name);
        let Some(sample) = found else { continue };
        match show(&templates, (&from, markup), head, &table, sample) {
            Ok(one) => shown.push(one),
            Err(code) => return code,
        }
    }
    for fault in shown.iter().filter_map(|one| one.fault.as_ref()) {
        out::complain(&format!("omerta: {fault}; the built-in template was taken"));
    }
    if json {
        return print_json(&json!(shown.iter().map(as_json).collect::<Vec<_>>()));
    }
    let mut words: Vec<String> = shown.iter().map(in_words).collect();
    let kind = names.iter().find(|(_, sample)| *sample == name).map(|(kind, _)| *kind).unwrap_or_default();
    let of_kind = names.iter().filter(|(other, _)| *other == kind).map(|(_, name)| name.as_str());
    let others: Vec<&str> = of_kind.filter(|other| *other != name).collect();
    if !others.is_empty() {
        words.push(format!("Other letters of the kind {kind}, to be named in its place:\n{}", listed(&others)));
    }
    out::say(&words.join("\n"))
}

/// The letter is written as a real one is, and read back: what is shown is what would arrive. Its Message-ID and date are
/// nobody's, and are left out.
fn show(
    templates: &Templates,
    (from, markup): (&str, Markup),
    head: &GameHead,
    table: &Table,
    (name, heading, letter): Sample,
) -> Result<Sampled, u8> {
    let heading = of_this_game(heading, head, table);
    let rendered = templates.render(&heading, &letter, markup);
    let rendered = rendered.map_err(|error| fail(exit::UNAVAILABLE, &error))?;
    let fault = rendered.fault;
    let bytes = write::write(&Outgoing {
        from: from.to_owned(),
        to: READER.to_owned(),
        reply_to: None,
        message_id: format!("sample.{READER}"),
        in_reply_to: None,
        references: Vec::new(),
        date: heading.now,
        subject: rendered.subject,
        text: rendered.text,
        attachments: rendered.attachments,
        pictures: Vec::new(),
        kind: letter.kind().to_owned(),
        game: heading.game.as_ref().map(|game| game.tag.clone()),
        turn: heading.turn,
        auto: if letter.is_answer() { AutoSubmitted::Replied } else { AutoSubmitted::Generated },
        extra: Vec::new(),
    });
    let bytes = bytes.map_err(|error| fail(exit::UNAVAILABLE, &error))?;
    let Some(mut letter) = Shown::of(&bytes) else {
        return Err(fail(exit::UNAVAILABLE, &format!("the letter {name} does not read")));
    };
    letter.headers.retain(|(name, _)| !["Message-ID", "Date"].contains(&name.as_str()));
    Ok(Sampled { lang: heading.lang, name, letter, fault })
}

/// The names of this game and its host in the place of the invented ones. A time that is told stays invented, and so
/// does the moment of writing, for both belong together.
fn of_this_game(heading: Heading, head: &GameHead, table: &Table) -> Heading {
    let game = heading.game.map(|_| GameName { tag: head.tag.clone(), title: table.title.clone() });
    Heading { game, zone: table.zone.clone(), host_name: table.host_name.clone(), ..heading }
}

/// Every kind with the names of its samples, in their order.
fn names() -> Vec<(&'static str, String)> {
    samples::named(Lang::En).into_iter().map(|(name, _, letter)| (letter.kind(), name)).collect()
}

/// The sample of that name, else the first of that kind.
fn sample_named(names: &[(&'static str, String)], asked: &str) -> Option<String> {
    let exact = names.iter().find(|(_, name)| name == asked);
    exact.or_else(|| names.iter().find(|(kind, _)| *kind == asked)).map(|(_, name)| name.clone())
}

fn kinds_said(names: &[(&'static str, String)]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for (kind, _) in names {
        if !kinds.contains(kind) {
            kinds.push(kind);
        }
    }
    format!("The kinds are:\n{}", listed(&kinds))
}

/// Words in lines of a terminal.
fn listed(words: &[&str]) -> String {
    const WIDTH: usize = 76;
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len().saturating_add(word.len()) < WIDTH => {
                line.push_str(", ");
                line.push_str(word);
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines.join("\n")
}

fn in_words(sampled: &Sampled) -> String {
    let language = if sampled.lang == Lang::Ru { "Russian" } else { "English" };
    format!("===== {}, in {language}, of invented facts =====\n{}", sampled.name, sampled.letter.in_words())
}

fn as_json(sampled: &Sampled) -> serde_json::Value {
    let mut json = sampled.letter.as_json();
    if let Some(facts) = json.as_object_mut() {
        facts.insert("language".to_owned(), json!(sampled.lang));
        facts.insert("sample".to_owned(), json!(sampled.name));
    }
    json
}
