//! `omerta letters TAG preview KIND`: a letter of that kind in both languages, of invented facts, through the operator's
//! own templates. It tells nothing of the game but its name: what really goes out is shown by `omerta game preview`.

use serde_json::json;

use super::load::{Opened, Place};
use super::{exit, fail, out, print_json};
use crate::config::{Markup, nearest};
use crate::letters::render::{Rendered, Templates};
use crate::letters::samples::{self, Sample};
use crate::letters::{GameName, Heading, Lang, Letter};
use crate::store::GameHead;
use crate::table::Table;

/// A sample as its reader would get it.
struct Shown {
    lang: Lang,
    name: String,
    headers: Vec<(&'static str, String)>,
    rendered: Rendered,
}

/// Shows the first letter of a kind, or the very sample that is named, in both languages.
///
/// The markup of a summary is that of the config, as it is for real letters.
pub fn preview(place: &Place, opened: &mut Opened, head: &GameHead, kind: Option<&str>, json: bool) -> u8 {
    let names = names();
    let Some(asked) = kind else { return fail(exit::USAGE, &format!("which kind? {}", kinds_said(&names))) };
    let Some(name) = sample_named(&names, asked) else {
        let all = names.iter().flat_map(|(kind, name)| [*kind, name.as_str()]);
        let near = nearest(asked, all).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return fail(exit::USAGE, &format!("`{asked}` is no kind of letter{near}. {}", kinds_said(&names)));
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
    for fault in shown.iter().filter_map(|one| one.rendered.fault.as_ref()) {
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

fn show(
    templates: &Templates,
    (from, markup): (&str, Markup),
    head: &GameHead,
    table: &Table,
    (name, heading, letter): Sample,
) -> Result<Shown, u8> {
    let heading = of_this_game(heading, head, table);
    let rendered = templates.render(&heading, &letter, markup);
    let rendered = rendered.map_err(|error| fail(exit::UNAVAILABLE, &error))?;
    let mut headers = vec![
        ("From", from.to_owned()),
        ("To", "reader@example.org".to_owned()),
        ("Subject", rendered.subject.clone()),
        ("X-Omerta-Letter", letter.kind().to_owned()),
    ];
    if let Some(game) = &heading.game {
        headers.push(("X-Omerta-Game", game.tag.clone()));
    }
    headers.push(("X-Omerta-Turn", heading.turn.to_string()));
    let answers = matches!(
        letter,
        Letter::Receipt(_)
            | Letter::Answer(_)
            | Letter::Help(_)
            | Letter::Refused(_)
            | Letter::Orders(_)
            | Letter::Why(_)
    );
    headers.push(("Auto-Submitted", if answers { "auto-replied" } else { "auto-generated" }.to_owned()));
    Ok(Shown { lang: heading.lang, name, headers, rendered })
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

fn in_words(shown: &Shown) -> String {
    let language = if shown.lang == Lang::Ru { "Russian" } else { "English" };
    let mut words = format!("===== {}, in {language}, of invented facts =====\n", shown.name);
    for (name, value) in &shown.headers {
        words.push_str(&format!("{name}: {value}\n"));
    }
    words.push_str(&format!("\n{}", shown.rendered.text));
    for attachment in &shown.rendered.attachments {
        words.push_str(&format!("\n----- attached: {} -----\n{}", attachment.name, attachment.text));
    }
    words
}

fn as_json(shown: &Shown) -> serde_json::Value {
    let headers: serde_json::Map<String, serde_json::Value> =
        shown.headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let attached = shown.rendered.attachments.iter();
    let attachments: Vec<_> = attached.map(|part| json!({ "name": part.name, "text": part.text })).collect();
    json!({
        "language": shown.lang,
        "sample": shown.name,
        "headers": headers,
        "text": shown.rendered.text,
        "attachments": attachments,
    })
}
