//! The toggles by name: what each may be, how one is set from words, and what differs from the default.

use super::Role;
use super::rulebook::{ROLES_VALUES, Rulebook, SHARE_VALUES};

/// A toggle's name and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toggle {
    pub name: &'static str,
    /// The number of the ruling that it decides, or of both.
    pub ruling: &'static str,
    pub values: Values,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    YesNo,
    Words(&'static [&'static str]),
    Share,
    Count,
    Roles,
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Values::YesNo => f.write_str("true or false"),
            Values::Words(words) => f.write_str(&words.join(", ")),
            Values::Share => f.write_str(SHARE_VALUES),
            Values::Count => f.write_str("a whole number from 0 on"),
            Values::Roles => f.write_str(ROLES_VALUES),
        }
    }
}

/// In the order of the rulings. A test holds it to the fields of [`Rulebook`].
pub const TOGGLES: &[Toggle] = &[
    toggle("mafia_share", "A1", Values::Share),
    toggle("mafia_rounding", "A1", Values::Words(&["ceil", "floor", "nearest"])),
    toggle("roles", "A3", Values::Roles),
    toggle("min_players", "A4", Values::Count),
    toggle("boss", "A5", Values::Words(&["with_foundling", "always", "never"])),
    toggle("clan_knows_roles", "A6", Values::YesNo),
    toggle("boss_knows_foundling", "A7", Values::YesNo),
    toggle("commissioner_knows_sergeant", "A8", Values::YesNo),
    toggle("nick_source", "A9", Values::Words(&["character", "issued"])),
    toggle("photo_required", "A10", Values::YesNo),
    toggle("reveal_person_on_death", "A11", Values::YesNo),
    toggle("reveal_persons_at_end", "A11", Values::YesNo),
    toggle("hunt_on_first_turn", "A17", Values::YesNo),
    toggle("hunt_special_conflict", "A18", Values::Words(&["hunt", "last", "special"])),
    toggle("unsatisfied_hunt_frees_special", "A19", Values::YesNo),
    toggle("hunt_blocks_pistol", "A20", Values::YesNo),
    toggle("hunt_change_keeps_place", "A21", Values::YesNo),
    toggle("hunt_maniac", "A23", Values::Words(&["nothing", "kills_maniac", "kills_hunter"])),
    toggle("maniac_may_hunt", "A25", Values::YesNo),
    toggle("tell_hunter_result", "A26", Values::YesNo),
    toggle("hunt_needs_vote", "A27", Values::YesNo),
    toggle("lynch_quorum", "A28", Values::Share),
    toggle("lynch_quorum_base", "A28", Values::Words(&["votes_cast", "alive", "all_players"])),
    toggle("self_vote", "A30", Values::Words(&["allowed", "rejected"])),
    toggle("lynch_dead_falls_to_next", "A32", Values::YesNo),
    toggle("lynch_before_night", "A33", Values::YesNo),
    toggle("publish_nonvoters", "A34", Values::YesNo),
    toggle("deprived_is_miss", "A35", Values::YesNo),
    toggle("deprived_status_counts", "A35", Values::YesNo),
    toggle("doctor_vs_hunt", "A37", Values::Words(&["none", "target", "hunter", "both"])),
    toggle("doctor_saves_from_maniac", "A38", Values::YesNo),
    toggle("doctor_saves_from_kamikaze", "A39", Values::YesNo),
    toggle("doctor_saves_from_pistol", "A40", Values::YesNo),
    toggle("heal_absorbs", "A41", Values::Words(&["all", "one"])),
    toggle("void_heal_blocks_repeat", "A42", Values::YesNo),
    toggle("announce_saves", "A43", Values::Words(&["none", "doctor", "patient", "public"])),
    toggle("check_reveals", "A44", Values::Words(&["role", "team"])),
    toggle("check_shows_foundling", "A45", Values::YesNo),
    toggle("check_killer_detail", "A46", Values::Words(&["side", "nick"])),
    toggle("dead_commissioner_gets_check", "A47", Values::YesNo),
    toggle("sergeant_gets_killers", "A49", Values::YesNo),
    toggle("pistol_mode", "A50", Values::Words(&["standing", "turn", "window"])),
    toggle("pistol_public", "A52", Values::YesNo),
    toggle("expulsion_triggers_succession", "A53, A60", Values::YesNo),
    toggle("kamikaze_kills_too", "A55", Values::YesNo),
    toggle("foundling_before_win_check", "A58", Values::YesNo),
    toggle("foundling_immune_after_conversion", "A59", Values::YesNo),
    toggle("mafia_may_kill_own", "A61", Values::YesNo),
    toggle("public_causes", "A64", Values::YesNo),
    toggle("missed_votes_limit", "A65", Values::Count),
    toggle("status_needs_vote", "A68", Values::YesNo),
    toggle("reveal_on_expulsion", "A67", Values::YesNo),
    toggle("note_on_expulsion", "A67", Values::YesNo),
    toggle("activity_days", "A69", Values::Count),
    toggle("activity_auto", "A69", Values::YesNo),
    toggle("ghost_private", "A72", Values::YesNo),
    toggle("note_on", "A73", Values::Words(&["any_death", "mafia_or_lynch"])),
    toggle("note_to_dead", "A74", Values::Words(&["deliver", "drop"])),
    toggle("maniac_counts_as_peaceful", "A76", Values::YesNo),
    toggle("maniac_blocks_victory", "A77", Values::YesNo),
    toggle("stalemate_turns", "A81", Values::Count),
    toggle("relay_private", "A83", Values::YesNo),
];

const fn toggle(name: &'static str, ruling: &'static str, values: Values) -> Toggle {
    Toggle { name, ruling, values }
}

/// Why a `name=value` is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    #[error("there is no rule `{name}`{}", nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownName { name: String, nearest: Option<&'static str> },
    #[error("`{value}` is no value of `{name}`: {allowed}{}", nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    BadValue { name: &'static str, value: String, allowed: Values, nearest: Option<&'static str> },
}

impl Rulebook {
    /// All names, in the order of the rulings.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TOGGLES.iter().map(|toggle| toggle.name)
    }

    /// Sets one toggle from words, as the command line and the host's letters give it.
    ///
    /// # Errors
    /// An unknown name (with the nearest known one), or a value that this toggle does not have (with those it has).
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), RuleFault> {
        let name = name.trim();
        let Some(toggle) = TOGGLES.iter().find(|toggle| toggle.name == name) else {
            return Err(RuleFault::UnknownName { name: name.to_owned(), nearest: nearest(name) });
        };
        *self = self.with(toggle, value.trim()).ok_or_else(|| RuleFault::BadValue {
            name: toggle.name,
            value: value.trim().to_owned(),
            allowed: toggle.values,
            nearest: nearest_value(toggle.values, value.trim()),
        })?;
        Ok(())
    }

    /// Name and value of what differs from the default, in the order of the rulings.
    pub fn deviations(&self) -> Vec<(String, String)> {
        let (ours, default) = (self.as_values(), Rulebook::default().as_values());
        let differs = |toggle: &&Toggle| ours.get(toggle.name) != default.get(toggle.name);
        let row = |toggle: &Toggle| (toggle.name.to_owned(), ours.get(toggle.name).map(said).unwrap_or_default());
        TOGGLES.iter().filter(differs).map(row).collect()
    }

    /// The value of one toggle in words; None for an unknown name.
    pub fn get(&self, name: &str) -> Option<String> {
        self.as_values().get(name).map(said)
    }

    fn with(&self, toggle: &Toggle, value: &str) -> Option<Rulebook> {
        let value = match toggle.values {
            Values::YesNo => serde_json::Value::Bool(value.parse().ok()?),
            Values::Count => serde_json::Value::from(value.parse::<u32>().ok()?),
            Values::Words(_) | Values::Share | Values::Roles => serde_json::Value::from(value),
        };
        let mut values = self.as_values();
        values.insert(toggle.name.to_owned(), value);
        serde_json::from_value(serde_json::Value::Object(values)).ok()
    }

    fn as_values(&self) -> serde_json::Map<String, serde_json::Value> {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(values)) => values,
            Ok(_) | Err(_) => serde_json::Map::new(),
        }
    }
}

fn nearest(name: &str) -> Option<&'static str> {
    let distance = |known: &&'static str| strsim::damerau_levenshtein(known, name);
    let near = Rulebook::names().min_by_key(distance)?;
    (distance(&near) <= near.len() / 2).then_some(near)
}

/// What a slip of the hand may have meant: a word of the toggle, a role of a list, or what people say for yes and no.
fn nearest_value(values: Values, written: &str) -> Option<&'static str> {
    let written = written.to_lowercase();
    let among = |words: &mut dyn Iterator<Item = &'static str>, written: &str| {
        let near = words.min_by_key(|word| strsim::damerau_levenshtein(word, written))?;
        (strsim::damerau_levenshtein(near, written) <= near.len() / 3).then_some(near)
    };
    match values {
        Values::YesNo => match written.as_str() {
            "yes" | "on" | "y" | "1" | "да" => Some("true"),
            "no" | "off" | "n" | "0" | "нет" => Some("false"),
            _ => among(&mut ["true", "false"].into_iter(), &written),
        },
        Values::Words(words) => among(&mut words.iter().copied(), &written),
        Values::Roles => {
            let is_one = |name: &&str| *name != "auto" && Role::named(name).is_none();
            let wrong = written.split(',').map(str::trim).find(is_one)?;
            among(&mut Role::ALL.into_iter().map(Role::name).chain(["auto"]), wrong)
        }
        Values::Share | Values::Count => None,
    }
}

fn said(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(word) => word.clone(),
        serde_json::Value::Array(words) => words.iter().map(said).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_every_field_and_every_value_is_taken() {
        let mut fields: Vec<String> = Rulebook::default().as_values().keys().cloned().collect();
        let mut names: Vec<String> = Rulebook::names().map(str::to_owned).collect();
        fields.sort();
        names.sort();
        assert_eq!(fields, names);
        for toggle in TOGGLES {
            let values: &[&str] = match toggle.values {
                Values::YesNo => &["true", "false"],
                Values::Words(words) => words,
                Values::Share => &["0", "0.3", "0.333333", "1"],
                Values::Count => &["0", "3"],
                Values::Roles => &["auto", "commissioner,mafioso"],
            };
            for value in values {
                let mut rulebook = Rulebook::default();
                rulebook.set(toggle.name, value).unwrap();
                assert_eq!(
                    rulebook.get(toggle.name).as_deref(),
                    Some(*value).map(|value| match value {
                        "0" if toggle.values == Values::Share => "0.0",
                        "1" if toggle.values == Values::Share => "1.0",
                        value => value,
                    })
                );
            }
            assert!(Rulebook::default().set(toggle.name, "nonsense").is_err(), "{}", toggle.name);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let fault = Rulebook::default().set("hunt_manic", "nothing").unwrap_err();
        assert_eq!(fault.to_string(), "there is no rule `hunt_manic`; did you mean `hunt_maniac`?");
        let fault = Rulebook::default().set("hunt_maniac", "dies").unwrap_err();
        assert_eq!(fault.to_string(), "`dies` is no value of `hunt_maniac`: nothing, kills_maniac, kills_hunter");
        let meant = |name: &str, value: &str| {
            let said = Rulebook::default().set(name, value).unwrap_err().to_string();
            said.split_once("did you mean `").map(|(_, near)| near.trim_end_matches("`?").to_owned())
        };
        assert_eq!(meant("hunt_maniac", "kill_maniac").as_deref(), Some("kills_maniac"));
        assert_eq!(meant("pistol_mode", "Standing").as_deref(), Some("standing"));
        assert_eq!(meant("roles", "doctor, comissioner").as_deref(), Some("commissioner"));
        assert_eq!(meant("photo_required", "да").as_deref(), Some("true"));
        assert_eq!(meant("photo_required", "flase").as_deref(), Some("false"));
        assert_eq!(meant("lynch_quorum", "a third"), None);
    }

    #[test]
    fn deviations_are_what_was_set_and_toml_refuses_what_is_unknown() {
        let rulebook: Rulebook =
            toml::from_str("lynch_quorum = \"0.3\"\npistol_mode = \"turn\"\nroles = [\"boss\"]").unwrap();
        let expected = [("roles", "boss"), ("lynch_quorum", "0.3"), ("pistol_mode", "turn")];
        assert_eq!(rulebook.deviations(), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(toml::from_str::<Rulebook>("mafia_share = 0.25").unwrap(), Rulebook::default());
        assert!(toml::from_str::<Rulebook>("pistol_mod = \"turn\"").is_err());
        let copy: Rulebook = serde_json::from_str(&serde_json::to_string(&rulebook).unwrap()).unwrap();
        assert_eq!(copy, rulebook);
    }
}
