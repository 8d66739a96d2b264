//! The lines of a sign-up: a label, a separator, a value.

use super::JoinFields;
use super::typography::{clean_argument, is_separator, tidy, without_bullet};
use super::words::fold_letter;
use crate::rules::Gender;

/// Longest characteristic kept, in characters.
const CHARACTERISTIC_CHARACTERS: usize = 1000;

/// A field of a sign-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Character,
    Characteristic,
    Gender,
    ForumName,
}

/// The labels, lower-case.
const LABELS: &[(Field, &[&str])] = &[
    (Field::Character, &["персонаж", "character"]),
    (Field::Characteristic, &["характеристика", "tagline"]),
    (Field::Gender, &["пол", "gender"]),
    (Field::ForumName, &["форумный ник", "ник на форуме", "forum name", "forum nick"]),
];

/// The field that a line gives, and its value, tidied.
pub fn read_field(raw: &str) -> Option<(Field, String)> {
    let tidied = tidy(raw);
    let line = without_bullet(&tidied);
    let at = line.find(is_separator)?;
    let (label, rest) = line.split_at_checked(at)?;
    let label = folded(label.trim_matches(|c: char| !c.is_alphanumeric()));
    let value = rest.trim_start_matches(|c: char| is_separator(c) || c == ' ');
    let (field, _) = LABELS.iter().find(|(_, names)| names.iter().any(|name| folded(name) == label))?;
    (!value.starts_with('‹')).then(|| (*field, value.to_owned()))
}

/// Puts a value where it belongs; the later of two counts, an empty one never.
pub fn set(fields: &mut JoinFields, field: Field, value: &str) {
    let cleaned = clean_argument(value);
    match field {
        Field::Character if !cleaned.is_empty() => fields.character = Some(cleaned),
        Field::ForumName if !cleaned.is_empty() => fields.forum_name = Some(cleaned),
        Field::Characteristic if !value.is_empty() => {
            fields.characteristic = Some(value.chars().take(CHARACTERISTIC_CHARACTERS).collect());
        }
        Field::Gender => fields.gender = gender(&cleaned).or(fields.gender),
        _ => {}
    }
}

/// The next line of a characteristic that a mail program wrapped.
pub fn append_to_characteristic(fields: &mut JoinFields, line: &str) {
    if let Some(characteristic) = &mut fields.characteristic {
        let room = CHARACTERISTIC_CHARACTERS.saturating_sub(characteristic.chars().count());
        let joined = format!(" {}", tidy(line));
        characteristic.extend(joined.chars().take(room));
    }
}

fn gender(written: &str) -> Option<Gender> {
    match written.to_lowercase().as_str() {
        "м" | "муж" | "мужской" | "мужчина" | "мужик" | "парень" | "m" | "male" | "man" | "he" => {
            Some(Gender::Male)
        }
        "ж" | "жен" | "женский" | "женщина" | "девушка" | "f" | "female" | "woman" | "she" | "w" => {
            Some(Gender::Female)
        }
        _ => None,
    }
}

fn folded(label: &str) -> String {
    label.chars().map(fold_letter).collect()
}
