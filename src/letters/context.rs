//! What a template sees: the letter's facts as plain values, the strings cleaned.

use serde::Serialize;
use serde_json::Value;

use super::markup::Markup;
use super::preview::Recipient;
use super::wrap::GLUE;
use super::{Answer, Fallen, Heading, Letter, LineFate, NobodyWhy, Receipt, Rope, Summary};
use crate::journal::WeightyFate;

/// `letter` in a template: the facts of the variant, without its name.
pub fn of_letter(letter: &Letter) -> Value {
    let tagged = serde_json::to_value(letter).unwrap_or_default();
    let facts = match tagged {
        Value::Object(map) => map.into_iter().next().map(|(_, facts)| facts).unwrap_or_default(),
        other => other,
    };
    let mut facts = clean(facts, "", true);
    if let (Letter::Receipt(receipt) | Letter::Answer(receipt), Value::Object(map)) = (letter, &mut facts) {
        let counts = Counts::of(receipt);
        map.insert("good".to_owned(), counts.good.into());
        map.insert("total".to_owned(), counts.total.into());
        map.insert("topic".to_owned(), counts.topic.into());
    }
    facts
}

/// What the first line of a receipt says.
struct Counts {
    /// Lines that ask for something to be done, and those of them that were taken.
    total: usize,
    good: usize,
    /// The one thing that was asked, for the subject; empty when it is private or there are several.
    topic: &'static str,
}

impl Counts {
    fn of(receipt: &Receipt) -> Counts {
        let deeds = receipt.lines.iter().filter(|line| line.fate != LineFate::Answered);
        let good = deeds.clone().filter(|line| {
            matches!(
                line.fate,
                LineFate::Accepted { .. }
                    | LineFate::Duplicate { .. }
                    | LineFate::Filed { .. }
                    | LineFate::Relayed { .. }
                    | LineFate::Withdrawn { .. }
                    | LineFate::Weighty { fate: WeightyFate::Done }
                    | LineFate::Away { .. }
            )
        });
        let topic = match receipt.answers.as_slice() {
            [Answer::Status { .. }] => "status",
            [Answer::Players { .. }] => "players",
            [Answer::Rules { .. }] => "rules",
            _ => "",
        };
        Counts { total: deeds.clone().count(), good: good.count(), topic }
    }
}

/// The readers of a letter inside a preview.
pub fn of_readers(readers: &[Recipient]) -> Value {
    clean(to_value(&readers), "", true)
}

/// `letter` in `paste.txt`.
pub fn of_summary(summary: &Summary) -> Value {
    clean(to_value(summary), "", false)
}

/// `heading` in a template.
pub fn of_heading(heading: &Heading) -> Value {
    clean(to_value(heading), "", true)
}

/// The variables in scope, for whoever writes templates: `letter.nick`, `heading.turn`, ...
pub fn variables(facts: &Value) -> Vec<String> {
    let mut names: Vec<String> =
        ["lang", "game", "turn", "zone", "now", "host_name"].iter().map(|name| format!("heading.{name}")).collect();
    match facts {
        Value::Object(map) => names.extend(map.keys().map(|key| format!("letter.{key}"))),
        _ => names.push("letter".to_owned()),
    }
    names
}

/// The summary with everything that a player or the host wrote made harmless in that markup.
pub fn harmless(summary: &Summary, markup: Markup) -> Summary {
    let safe = |text: &String| markup.harmless(text);
    let all = |texts: &[String]| texts.iter().map(safe).collect();
    let fallen = |one: &Fallen| Fallen { nick: safe(&one.nick), ..one.clone() };
    let mut summary = summary.clone();
    summary.night = summary.night.iter().map(fallen).collect();
    if let Some(shot) = &mut summary.shot {
        shot.by = safe(&shot.by);
        shot.at = fallen(&shot.at);
    }
    match &mut summary.rope {
        Rope::Hanged { nick, .. } | Rope::Nobody { reason: Some(NobodyWhy::AlreadyOut { nick }) } => {
            *nick = safe(nick);
        }
        Rope::FirstTurn | Rope::Nobody { .. } => {}
    }
    summary.ballots = summary.ballots.iter().map(|(voter, target)| (safe(voter), safe(target))).collect();
    summary.tally = summary.tally.iter().map(|(nick, votes)| (safe(nick), *votes)).collect();
    summary.tied = all(&summary.tied);
    summary.nonvoters = all(&summary.nonvoters);
    for expelled in &mut summary.expelled {
        expelled.nick = safe(&expelled.nick);
    }
    summary.saved = all(&summary.saved);
    summary.alive = all(&summary.alive);
    summary.persons = summary.persons.iter().map(|(nick, person)| (safe(nick), safe(person))).collect();
    summary.story = summary
        .story
        .iter()
        .map(|text| super::wrap::break_lines(text).iter().map(safe).collect::<Vec<_>>().join("\n"))
        .collect();
    summary
}

fn to_value(facts: &impl Serialize) -> Value {
    serde_json::to_value(facts).unwrap_or_default()
}

/// One line for every string but the texts that have lines of their own; `glue` keeps a nick in one piece.
fn clean(value: Value, key: &str, glue: bool) -> Value {
    match value {
        Value::String(text) if matches!(key, "text" | "story" | "reasons") => {
            Value::String(text.chars().filter(|c| *c != GLUE && !turns_direction(*c)).collect())
        }
        Value::String(text) => {
            let short = glue && key != "said" && text.chars().count() <= 60;
            let one_line = text.chars().filter(|c| !turns_direction(*c)).map(|c| match c {
                '\u{2028}' | '\u{2029}' | GLUE => ' ',
                c if c.is_control() => ' ',
                c => c,
            });
            Value::String(one_line.map(|c| if c == ' ' && short { GLUE } else { c }).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| clean(item, key, glue)).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, item)| (key.clone(), clean(item, &key, glue))).collect())
        }
        other => other,
    }
}

/// Marks that turn the direction of writing could make a nick swallow the words around it.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
