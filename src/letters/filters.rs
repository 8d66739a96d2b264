//! The words that templates call: `{{ letter.deadline | deadline }}`, `{{ 3 | plural("голос", "голоса", "голосов") }}`.

use jiff::Timestamp;
use minijinja::{Environment, Error, ErrorKind, State, Value};
use serde::de::DeserializeOwned;

use super::markup::Markup;
use super::phrase::{self, Telling};
use super::{Lang, glossary, rules_said, wrap};
use crate::rules::report::Status;

/// Adds every filter and function to the templates of one language.
pub fn register(shelf: &mut Environment<'static>, lang: Lang) {
    times(shelf, lang);
    numbers(shelf, lang);
    glossary_words(shelf, lang);
    texts(shelf, lang);
    markups(shelf);
}

/// `deadline`: with the time left. `moment`: without. `arrival`: to the second. `city()`.
fn times(shelf: &mut Environment<'static>, lang: Lang) {
    shelf.add_filter("deadline", move |state: &State, at: String| {
        Ok::<_, Error>(unbroken(&telling(state, lang)?.deadline(time(&at)?)))
    });
    shelf.add_filter("moment", move |state: &State, at: String| {
        Ok::<_, Error>(unbroken(&telling(state, lang)?.moment(time(&at)?)))
    });
    shelf.add_filter("arrival", move |state: &State, at: String| {
        Ok::<_, Error>(telling(state, lang)?.arrival(time(&at)?))
    });
    shelf.add_function("city", move |state: &State| Ok::<_, Error>(telling(state, lang)?.city()));
}

/// `plural`: the noun's form alone. `persons`: «двоих». `gendered(m, f, neutral)`. `variant([...])`: by the turn's
/// number alone, so that no hidden fact shows in the choice.
fn numbers(shelf: &mut Environment<'static>, lang: Lang) {
    shelf.add_filter("plural", move |n: u64, one: String, few: String, many: Option<String>| {
        let many = many.unwrap_or_else(|| few.clone());
        phrase::plural(lang, n, &one, &few, &many).to_owned()
    });
    shelf.add_filter("persons", move |n: u64| phrase::persons(lang, n));
    shelf.add_filter("gendered", |gender: Value, male: String, female: String, neutral: String| {
        match gender.as_str() {
            Some("m") => male,
            Some("f") => female,
            _ => neutral,
        }
    });
    shelf.add_function("variant", |state: &State, choices: Vec<String>| {
        let turn =
            state.lookup("heading").and_then(|heading| heading.get_attr("turn").ok()).and_then(|turn| turn.as_usize());
        let at = turn.unwrap_or(0).checked_rem(choices.len()).unwrap_or(0);
        choices.get(at).cloned().ok_or_else(|| wrong("variant() needs a list"))
    });
}

fn glossary_words(shelf: &mut Environment<'static>, lang: Lang) {
    shelf.add_filter("role", move |value: Value| Ok::<_, Error>(glossary::role(lang, read(&value)?)));
    shelf.add_filter("role_article", move |value: Value| {
        Ok::<_, Error>(glossary::role_with_article(lang, read(&value)?))
    });
    shelf.add_filter("kind", move |value: Value| Ok::<_, Error>(glossary::kind(lang, read(&value)?)));
    shelf.add_filter("deed", move |value: Value, nick: String| {
        Ok::<_, Error>(glossary::deed(lang, read(&value)?, &nick))
    });
    shelf.add_filter("example", move |value: Value| Ok::<_, Error>(glossary::example(lang, read(&value)?)));
    shelf.add_filter("word_example", move |value: Value| {
        Ok::<_, Error>(glossary::word_example(lang, read(&value)?).map(str::to_owned))
    });
    shelf.add_filter("cause", move |value: Value| Ok::<_, Error>(glossary::cause(lang, read(&value)?)));
    shelf.add_filter("ground", move |value: Value| Ok::<_, Error>(glossary::ground(lang, read(&value)?)));
    shelf.add_filter("void", move |value: Value| Ok::<_, Error>(glossary::void(lang, read(&value)?)));
    shelf.add_filter("hunt_result", move |value: Value| Ok::<_, Error>(glossary::hunt(lang, read(&value)?)));
    shelf.add_filter("shield", move |value: Value| Ok::<_, Error>(glossary::shield(lang, read(&value)?)));
    shelf.add_filter("status", move |value: Value| {
        Ok::<_, Error>(match read::<Status>(&value)? {
            Status::Role(role) => glossary::role_checked(lang, role),
            Status::Side(side) => glossary::side(lang, side),
        })
    });
    shelf.add_filter("toggle", move |pair: Vec<String>| {
        let name = pair.first().map(String::as_str).unwrap_or_default();
        let value = pair.get(1).map(|value| wrap::unglue(value)).unwrap_or_default();
        rules_said::sentence(lang, name, &value)
    });
}

/// `quoted`: `│ ` before every line. `listed`: with «и» before the last. `table`: two columns in a plain letter.
fn texts(shelf: &mut Environment<'static>, lang: Lang) {
    shelf.add_filter("quoted", |text: String| wrap::quote(&text));
    shelf.add_filter("lines", |text: String| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>());
    shelf.add_filter("pairs", |rows: Vec<Vec<Value>>, between: String| {
        let said = |row: Vec<Value>| row.iter().map(Value::to_string).collect::<Vec<_>>().join(&between);
        rows.into_iter().map(said).collect::<Vec<_>>()
    });
    shelf.add_filter("listed", move |items: Vec<String>| phrase::enumeration(lang, &items));
    shelf
        .add_filter("table", |rows: Vec<Vec<String>>, left: String, right: String| phrase::table(&rows, &left, &right));
}

fn markups(shelf: &mut Environment<'static>) {
    shelf.add_filter("bold", |state: &State, text: String| Ok::<_, Error>(markup(state)?.bold(&text)));
    shelf.add_filter("para", |state: &State, text: String| Ok::<_, Error>(markup(state)?.paragraph(&text)));
    shelf.add_filter("bullets", |state: &State, items: Vec<String>| Ok::<_, Error>(markup(state)?.list(&items)));
}

fn telling(state: &State, lang: Lang) -> Result<Telling, Error> {
    let heading = state.lookup("heading").ok_or_else(|| wrong("no heading"))?;
    let zone = heading.get_attr("zone")?.to_string();
    let now = time(&heading.get_attr("now")?.to_string())?;
    Ok(Telling { lang, zone, now })
}

fn markup(state: &State) -> Result<Markup, Error> {
    let value = state.lookup("markup").ok_or_else(|| wrong("no markup"))?;
    read(&value)
}

/// A number stays on one line with the word behind it.
fn unbroken(text: &str) -> String {
    let mut after_digit = false;
    let glued = text.chars().map(|c| {
        let out = if c == ' ' && after_digit { wrap::GLUE } else { c };
        after_digit = c.is_ascii_digit();
        out
    });
    glued.collect()
}

fn time(text: &str) -> Result<Timestamp, Error> {
    text.parse().map_err(|_| wrong("not a time"))
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    serde_json::to_value(value)
        .and_then(serde_json::from_value)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

fn wrong(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}
