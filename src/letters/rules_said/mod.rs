//! What a toggle of the rulebook means, in a sentence for players: of every value, the default too. The names and values
//! are those of [`crate::rules::rulebook`].

mod english;
mod russian;

use super::{Lang, glossary};
use crate::rules::Role;
use crate::rules::rulebook::{Share, TOGGLES};

/// The sentence for a toggle's value, with the number of its ruling; «имя = значение» for a value that has none.
pub fn sentence(lang: Lang, name: &str, value: &str) -> String {
    let Some(toggle) = TOGGLES.iter().find(|toggle| toggle.name == name) else {
        return format!("{name} = {value}");
    };
    match bare_sentence(lang, name, value) {
        Some(text) => format!("{text} ({})", toggle.ruling),
        None => format!("{name} = {value}"),
    }
}

/// The same without the number.
pub fn bare_sentence(lang: Lang, name: &str, value: &str) -> Option<String> {
    let sentences = match lang {
        Lang::Ru => russian::SENTENCES,
        Lang::En => english::SENTENCES,
    };
    let of_value = |any: &str| sentences.iter().find(|said| said.0 == name && said.1 == any);
    let (_, _, text) = of_value(value).or_else(|| of_value(ANY))?;
    let shown = if name == "roles" { roles(lang, value) } else { value.to_owned() };
    Some(text.replace("{%}", &percent(lang, value)).replace("{}", &shown))
}

/// Any value.
const ANY: &str = "*";

/// `0.25` as `25`, exactly.
fn percent(lang: Lang, value: &str) -> String {
    let Some(hundredths) = Share::parse(value).map(Share::hundredths) else { return value.to_owned() };
    match lang {
        Lang::Ru => hundredths.replace('.', ","),
        Lang::En => hundredths,
    }
}

/// `mafioso,mafioso,doctor` as «доктор, мафиози ×2», in the order of the roles.
fn roles(lang: Lang, value: &str) -> String {
    let listed: Vec<Role> = value.split(',').filter_map(|name| Role::named(name.trim())).collect();
    let said = Role::ALL.into_iter().filter_map(|role| match listed.iter().filter(|one| **one == role).count() {
        0 => None,
        1 => Some(glossary::role(lang, role).to_owned()),
        count => Some(format!("{} ×{count}", glossary::role(lang, role))),
    });
    said.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::guard::reads_as_request;
    use crate::rules::rulebook::{Rulebook, Values};

    #[test]
    fn every_value_of_every_toggle_has_its_own_sentence_in_both_languages() {
        for toggle in TOGGLES {
            let values: &[&str] = match toggle.values {
                Values::YesNo => &["true", "false"],
                Values::Words(words) => words,
                Values::Share => &["0.25", "0.3"],
                Values::Count => &["0", "3"],
                Values::Roles => &["auto", "doctor"],
            };
            for lang in [Lang::Ru, Lang::En] {
                let mut said: Vec<String> =
                    values.iter().filter_map(|value| bare_sentence(lang, toggle.name, value)).collect();
                for text in &said {
                    let cyrillic = text.chars().any(|c| ('а'..='я').contains(&c));
                    assert_eq!(cyrillic, lang == Lang::Ru, "{text}");
                    assert!(!reads_as_request(text), "{text}");
                    assert!(!text.ends_with('.') && !text.contains('_'), "{text}");
                }
                said.sort();
                said.dedup();
                assert_eq!(said.len(), values.len(), "{} in {lang:?}", toggle.name);
            }
        }
    }

    /// Sentences for toggles and values that are none would never be read.
    #[test]
    fn no_sentence_is_of_an_unknown_value() {
        assert_eq!(russian::SENTENCES.len(), english::SENTENCES.len());
        for ((name, value, _), other) in russian::SENTENCES.iter().zip(english::SENTENCES) {
            assert_eq!((*name, *value), (other.0, other.1));
            let tried = if *value == ANY { "1" } else { value };
            let tried = if *name == "roles" && *value == ANY { "doctor" } else { tried };
            Rulebook::default().set(name, tried).unwrap();
        }
    }

    #[test]
    fn values_are_filled_in_and_unknown_toggles_are_shown_as_they_are() {
        assert_eq!(
            sentence(Lang::En, "lynch_quorum", "0.333333"),
            "an execution needs at least 33.3333 % of the votes (A28)"
        );
        assert!(sentence(Lang::Ru, "mafia_share", "0.333").contains("33,3 %"));
        assert_eq!(sentence(Lang::Ru, "missed_votes_limit", "3"), "пропущенных голосований до исключения: 3 (A65)");
        assert_eq!(sentence(Lang::Ru, "new_toggle", "odd"), "new_toggle = odd");
        assert_eq!(
            sentence(Lang::Ru, "roles", "mafioso,doctor,mafioso"),
            "состав ролей назначен: доктор, мафиози ×2 (A3)"
        );
    }
}
