//! `omerta rules`: the rulebook of a game, or the one that new games get, with its deviations marked.

use serde_json::{Value, json};

use super::load::{self, Opened, Place};
use super::{exit, fail, out, print_json};
use crate::letters::{Lang, rules_said};
use crate::rules::rulebook::{Rulebook, TOGGLES};

pub fn run(place: &Place, tag: Option<&str>, as_json: bool) -> u8 {
    let (rulebook, lang) = match tag {
        Some(tag) => match of_game(place, tag) {
            Ok(found) => found,
            Err(code) => return code,
        },
        None => match of_config(place) {
            Ok(found) => found,
            Err(code) => return code,
        },
    };
    let rows = rows(&rulebook, lang);
    if as_json {
        let rules: Vec<Value> = rows.iter().map(Row::json).collect();
        return print_json(&json!({ "game": tag, "rules": rules }));
    }
    out::say(&plain(&rows, tag, lang).trim_end().to_owned())
}

struct Row {
    name: &'static str,
    ruling: &'static str,
    value: String,
    default: String,
    sentence: String,
}

impl Row {
    fn deviates(&self) -> bool {
        self.value != self.default
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "value": self.value,
            "default": self.default,
            "deviates": self.deviates(),
            "ruling": self.ruling,
            "sentence": self.sentence,
        })
    }
}

fn rows(rulebook: &Rulebook, lang: Lang) -> Vec<Row> {
    let default = Rulebook::default();
    let row = |toggle: &crate::rules::rulebook::Toggle| {
        let value = rulebook.get(toggle.name).unwrap_or_default();
        Row {
            name: toggle.name,
            ruling: toggle.ruling,
            sentence: rules_said::bare_sentence(lang, toggle.name, &value).unwrap_or_default(),
            default: default.get(toggle.name).unwrap_or_default(),
            value,
        }
    };
    TOGGLES.iter().map(row).collect()
}

fn plain(rows: &[Row], tag: Option<&str>, lang: Lang) -> String {
    let changed = rows.iter().filter(|row| row.deviates()).count();
    let of = match (tag, lang) {
        (Some(tag), Lang::Ru) => format!("Правила игры [{tag}]"),
        (None, Lang::Ru) => "Правила новых игр".to_owned(),
        (Some(tag), Lang::En) => format!("Rules of the game [{tag}]"),
        (None, Lang::En) => "Rules of new games".to_owned(),
    };
    let (marked, was) = match lang {
        Lang::Ru => ("отличий от обычных (они помечены *)", "обычно"),
        Lang::En => ("deviations from the default, marked *", "default"),
    };
    let mut text = format!("{of}; {marked}: {changed}\n\n");
    for row in rows {
        let mark = if row.deviates() { '*' } else { ' ' };
        let usual = if row.deviates() { format!(" [{was}: {}]", row.default) } else { String::new() };
        text.push_str(&format!("{mark} {} = {}{usual}\n    {} ({})\n", row.name, row.value, row.sentence, row.ruling));
    }
    text
}

/// A game keeps its own copy.
fn of_game(place: &Place, tag: &str) -> Result<(Rulebook, Lang), u8> {
    let mut opened = Opened::looking(place)?;
    let (_, table) = opened.desk.table(tag).map_err(|error| fail(exit::DATA, &error))?;
    Ok((table.game.rulebook, table.lang))
}

fn of_config(place: &Place) -> Result<(Rulebook, Lang), u8> {
    let config = load::config(place.config.as_deref()).map_err(|faults| {
        faults.iter().for_each(|fault| {
            fail(exit::CONFIG, fault);
        });
        exit::CONFIG
    })?;
    let mut rulebook = Rulebook::default();
    for (name, value) in &config.game.rules {
        rulebook.set(name, value).map_err(|fault| fail(exit::CONFIG, &fault))?;
    }
    Ok((rulebook, config.language))
}
