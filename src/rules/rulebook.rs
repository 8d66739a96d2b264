//! The toggles: each disputed reading of the rulebook is a switch. A game keeps its own copy.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Role;

/// One field a toggle; the default of each is the ruling named beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rulebook {
    /// A1: the clan's part of all players.
    pub mafia_share: Share,
    /// A1.
    pub mafia_rounding: Rounding,
    /// A3.
    pub roles: Roles,
    /// A4.
    pub min_players: u16,
    /// A5.
    pub boss: BossRule,
    /// A6: the clan's members know each other's roles.
    pub clan_knows_roles: bool,
    /// A7.
    pub boss_knows_foundling: bool,
    /// A8.
    pub commissioner_knows_sergeant: bool,
    /// A9.
    pub nick_source: NickSource,
    /// A10.
    pub photo_required: bool,
    /// A11: the forum member behind the nick is named at death.
    pub reveal_person_on_death: bool,
    /// A11.
    pub reveal_persons_at_end: bool,
    /// A17.
    pub hunt_on_first_turn: bool,
    /// A18.
    pub hunt_special_conflict: HuntSpecialConflict,
    /// A19.
    pub unsatisfied_hunt_frees_special: bool,
    /// A20.
    pub hunt_blocks_pistol: bool,
    /// A21.
    pub hunt_change_keeps_place: bool,
    /// A23.
    pub hunt_maniac: HuntManiac,
    /// A25.
    pub maniac_may_hunt: bool,
    /// A26.
    pub tell_hunter_result: bool,
    /// A27.
    pub hunt_needs_vote: bool,
    /// A28.
    pub lynch_quorum: Share,
    /// A28.
    pub lynch_quorum_base: QuorumBase,
    /// A30.
    pub self_vote: SelfVote,
    /// A32.
    pub lynch_dead_falls_to_next: bool,
    /// A33.
    pub lynch_before_night: bool,
    /// A34.
    pub publish_nonvoters: bool,
    /// A35.
    pub deprived_is_miss: bool,
    /// A35.
    pub deprived_status_counts: bool,
    /// A37.
    pub doctor_vs_hunt: DoctorVsHunt,
    /// A38.
    pub doctor_saves_from_maniac: bool,
    /// A39.
    pub doctor_saves_from_kamikaze: bool,
    /// A40.
    pub doctor_saves_from_pistol: bool,
    /// A41.
    pub heal_absorbs: HealAbsorbs,
    /// A42.
    pub void_heal_blocks_repeat: bool,
    /// A43.
    pub announce_saves: AnnounceSaves,
    /// A44.
    pub check_reveals: CheckReveals,
    /// A45.
    pub check_shows_foundling: bool,
    /// A46.
    pub check_killer_detail: KillerDetail,
    /// A47.
    pub dead_commissioner_gets_check: bool,
    /// A49.
    pub sergeant_gets_killers: bool,
    /// A50.
    pub pistol_mode: PistolMode,
    /// A52.
    pub pistol_public: bool,
    /// A53, A60.
    pub expulsion_triggers_succession: bool,
    /// A55.
    pub kamikaze_kills_too: bool,
    /// A58.
    pub foundling_before_win_check: bool,
    /// A59.
    pub foundling_immune_after_conversion: bool,
    /// A61.
    pub mafia_may_kill_own: bool,
    /// A64.
    pub public_causes: bool,
    /// A65: so many missed votes are the end.
    pub missed_votes_limit: u32,
    /// A68.
    pub status_needs_vote: bool,
    /// A67.
    pub reveal_on_expulsion: bool,
    /// A67.
    pub note_on_expulsion: bool,
    /// A69: days without a post that are a silence.
    pub activity_days: u32,
    /// A69: silences are warned of by themselves; else by the host's hand.
    pub activity_auto: bool,
    /// A72.
    pub ghost_private: bool,
    /// A73.
    pub note_on: NoteOn,
    /// A74.
    pub note_to_dead: NoteToDead,
    /// A76.
    pub maniac_counts_as_peaceful: bool,
    /// A77.
    pub maniac_blocks_victory: bool,
    /// A81: so many turns running without a death are a draw; 0 is never.
    pub stalemate_turns: u32,
    /// A83.
    pub relay_private: bool,
}

impl Default for Rulebook {
    fn default() -> Self {
        Rulebook {
            mafia_share: Share { millionths: 250_000 },
            mafia_rounding: Rounding::Ceil,
            roles: Roles::Auto,
            min_players: 7,
            boss: BossRule::WithFoundling,
            clan_knows_roles: true,
            boss_knows_foundling: false,
            commissioner_knows_sergeant: false,
            nick_source: NickSource::Character,
            photo_required: true,
            reveal_person_on_death: false,
            reveal_persons_at_end: true,
            hunt_on_first_turn: false,
            hunt_special_conflict: HuntSpecialConflict::Hunt,
            unsatisfied_hunt_frees_special: false,
            hunt_blocks_pistol: true,
            hunt_change_keeps_place: false,
            hunt_maniac: HuntManiac::Nothing,
            maniac_may_hunt: false,
            tell_hunter_result: false,
            hunt_needs_vote: false,
            lynch_quorum: Share { millionths: 250_000 },
            lynch_quorum_base: QuorumBase::VotesCast,
            self_vote: SelfVote::Allowed,
            lynch_dead_falls_to_next: false,
            lynch_before_night: false,
            publish_nonvoters: true,
            deprived_is_miss: false,
            deprived_status_counts: true,
            doctor_vs_hunt: DoctorVsHunt::None,
            doctor_saves_from_maniac: true,
            doctor_saves_from_kamikaze: true,
            doctor_saves_from_pistol: false,
            heal_absorbs: HealAbsorbs::All,
            void_heal_blocks_repeat: false,
            announce_saves: AnnounceSaves::None,
            check_reveals: CheckReveals::Role,
            check_shows_foundling: true,
            check_killer_detail: KillerDetail::Side,
            dead_commissioner_gets_check: true,
            sergeant_gets_killers: false,
            pistol_mode: PistolMode::Standing,
            pistol_public: true,
            expulsion_triggers_succession: true,
            kamikaze_kills_too: true,
            foundling_before_win_check: true,
            foundling_immune_after_conversion: true,
            mafia_may_kill_own: true,
            public_causes: false,
            missed_votes_limit: 2,
            status_needs_vote: true,
            reveal_on_expulsion: true,
            note_on_expulsion: false,
            activity_days: 2,
            activity_auto: true,
            ghost_private: false,
            note_on: NoteOn::AnyDeath,
            note_to_dead: NoteToDead::Deliver,
            maniac_counts_as_peaceful: false,
            maniac_blocks_victory: false,
            stalemate_turns: 0,
            relay_private: true,
        }
    }
}

/// A part of a whole, exact: parsed from at most six decimals, never computed with in floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    millionths: u32,
}

impl Share {
    const WHOLE: u64 = 1_000_000;

    /// `0.25`, `1`, `0,3`. None: no decimal between 0 and 1 with at most six digits after the point.
    pub fn parse(text: &str) -> Option<Share> {
        let text = text.trim();
        let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.len() > 6 {
            return None;
        }
        let digits = |part: &str| part.chars().all(|sign| sign.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return None;
        }
        let whole: u32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let fraction: u32 = format!("{fraction:0<6}").parse().ok()?;
        let millionths = whole.checked_mul(1_000_000)?.checked_add(fraction)?;
        (u64::from(millionths) <= Share::WHOLE).then_some(Share { millionths })
    }

    /// Is `part` not less than this share of `base`? Equality is enough (A28).
    pub fn reached(self, part: u64, base: u64) -> bool {
        u128::from(part) * u128::from(Share::WHOLE) >= u128::from(self.millionths) * u128::from(base)
    }

    /// This share of `base` heads (A1).
    pub fn of(self, base: u32, rounding: Rounding) -> u32 {
        let exact = u64::from(self.millionths) * u64::from(base);
        let rounded = match rounding {
            Rounding::Ceil => exact.div_ceil(Share::WHOLE),
            Rounding::Floor => exact / Share::WHOLE,
            Rounding::Nearest => (exact + Share::WHOLE / 2) / Share::WHOLE,
        };
        u32::try_from(rounded).unwrap_or(u32::MAX)
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let whole = self.millionths / 1_000_000;
        let fraction = format!("{:06}", self.millionths % 1_000_000);
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() { write!(f, "{whole}") } else { write!(f, "{whole}.{fraction}") }
    }
}

impl Serialize for Share {
    /// As a number: the shortest decimal of the float is the one we parsed.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.millionths) / 1_000_000.0)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        Share::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is no share: {SHARE_VALUES}")))
    }
}

/// A3: by the number of players, or as listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roles {
    #[default]
    Auto,
    List(Vec<Role>),
}

impl Serialize for Roles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Roles::Auto => serializer.serialize_str("auto"),
            Roles::List(roles) => roles.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Roles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Word(String),
            List(Vec<String>),
        }
        let names = match Written::deserialize(deserializer)? {
            Written::Word(word) if word == "auto" => return Ok(Roles::Auto),
            Written::Word(word) => word.split(',').map(|name| name.trim().to_owned()).collect(),
            Written::List(names) => names,
        };
        let role = |name: &String| {
            Role::named(name).ok_or_else(|| serde::de::Error::custom(format!("`{name}` is no role: {ROLES_VALUES}")))
        };
        Ok(Roles::List(names.iter().map(role).collect::<Result<_, D::Error>>()?))
    }
}

/// An enum whose variants are the words that a toggle may have.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($variant),+ }
    };
}

words!(/** A1. */ Rounding { Ceil, Floor, Nearest });
words!(/** A5. */ BossRule { WithFoundling, Always, Never });
words!(/** A9. */ NickSource { Character, Issued });
words!(/** A18: what wins when both a hunt and a special request were sent. */ HuntSpecialConflict { Hunt, Last, Special });
words!(/** A23. */ HuntManiac { Nothing, KillsManiac, KillsHunter });
words!(/** A28. */ QuorumBase { VotesCast, Alive, AllPlayers });
words!(/** A30. */ SelfVote { Allowed, Rejected });
words!(/** A37: whom the doctor saves when there is a hunt. */ DoctorVsHunt { None, Target, Hunter, Both });
words!(/** A41. */ HealAbsorbs { All, One });
words!(/** A43. */ AnnounceSaves { None, Doctor, Patient, Public });
words!(/** A44. */ CheckReveals { Role, Team });
words!(/** A46. */ KillerDetail { Side, Nick });
words!(/** A50. */ PistolMode { Standing, Turn, Window });
words!(/** A73. */ NoteOn { AnyDeath, MafiaOrLynch });
words!(/** A74. */ NoteToDead { Deliver, Drop });

/// A toggle's name and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toggle {
    pub name: &'static str,
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

const SHARE_VALUES: &str = "a decimal from 0 to 1 such as 0.25, at most six digits after the point";
const ROLES_VALUES: &str =
    "auto, or a list of citizen, commissioner, doctor, sergeant, foundling, mafioso, boss, kamikaze, maniac";

/// In the order of the rulings. A test holds it to the fields of [`Rulebook`].
pub const TOGGLES: &[Toggle] = &[
    toggle("mafia_share", Values::Share),
    toggle("mafia_rounding", Values::Words(&["ceil", "floor", "nearest"])),
    toggle("roles", Values::Roles),
    toggle("min_players", Values::Count),
    toggle("boss", Values::Words(&["with_foundling", "always", "never"])),
    toggle("clan_knows_roles", Values::YesNo),
    toggle("boss_knows_foundling", Values::YesNo),
    toggle("commissioner_knows_sergeant", Values::YesNo),
    toggle("nick_source", Values::Words(&["character", "issued"])),
    toggle("photo_required", Values::YesNo),
    toggle("reveal_person_on_death", Values::YesNo),
    toggle("reveal_persons_at_end", Values::YesNo),
    toggle("hunt_on_first_turn", Values::YesNo),
    toggle("hunt_special_conflict", Values::Words(&["hunt", "last", "special"])),
    toggle("unsatisfied_hunt_frees_special", Values::YesNo),
    toggle("hunt_blocks_pistol", Values::YesNo),
    toggle("hunt_change_keeps_place", Values::YesNo),
    toggle("hunt_maniac", Values::Words(&["nothing", "kills_maniac", "kills_hunter"])),
    toggle("maniac_may_hunt", Values::YesNo),
    toggle("tell_hunter_result", Values::YesNo),
    toggle("hunt_needs_vote", Values::YesNo),
    toggle("lynch_quorum", Values::Share),
    toggle("lynch_quorum_base", Values::Words(&["votes_cast", "alive", "all_players"])),
    toggle("self_vote", Values::Words(&["allowed", "rejected"])),
    toggle("lynch_dead_falls_to_next", Values::YesNo),
    toggle("lynch_before_night", Values::YesNo),
    toggle("publish_nonvoters", Values::YesNo),
    toggle("deprived_is_miss", Values::YesNo),
    toggle("deprived_status_counts", Values::YesNo),
    toggle("doctor_vs_hunt", Values::Words(&["none", "target", "hunter", "both"])),
    toggle("doctor_saves_from_maniac", Values::YesNo),
    toggle("doctor_saves_from_kamikaze", Values::YesNo),
    toggle("doctor_saves_from_pistol", Values::YesNo),
    toggle("heal_absorbs", Values::Words(&["all", "one"])),
    toggle("void_heal_blocks_repeat", Values::YesNo),
    toggle("announce_saves", Values::Words(&["none", "doctor", "patient", "public"])),
    toggle("check_reveals", Values::Words(&["role", "team"])),
    toggle("check_shows_foundling", Values::YesNo),
    toggle("check_killer_detail", Values::Words(&["side", "nick"])),
    toggle("dead_commissioner_gets_check", Values::YesNo),
    toggle("sergeant_gets_killers", Values::YesNo),
    toggle("pistol_mode", Values::Words(&["standing", "turn", "window"])),
    toggle("pistol_public", Values::YesNo),
    toggle("expulsion_triggers_succession", Values::YesNo),
    toggle("kamikaze_kills_too", Values::YesNo),
    toggle("foundling_before_win_check", Values::YesNo),
    toggle("foundling_immune_after_conversion", Values::YesNo),
    toggle("mafia_may_kill_own", Values::YesNo),
    toggle("public_causes", Values::YesNo),
    toggle("missed_votes_limit", Values::Count),
    toggle("status_needs_vote", Values::YesNo),
    toggle("reveal_on_expulsion", Values::YesNo),
    toggle("note_on_expulsion", Values::YesNo),
    toggle("activity_days", Values::Count),
    toggle("activity_auto", Values::YesNo),
    toggle("ghost_private", Values::YesNo),
    toggle("note_on", Values::Words(&["any_death", "mafia_or_lynch"])),
    toggle("note_to_dead", Values::Words(&["deliver", "drop"])),
    toggle("maniac_counts_as_peaceful", Values::YesNo),
    toggle("maniac_blocks_victory", Values::YesNo),
    toggle("stalemate_turns", Values::Count),
    toggle("relay_private", Values::YesNo),
];

const fn toggle(name: &'static str, values: Values) -> Toggle {
    Toggle { name, values }
}

/// Why a `name=value` is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    #[error("there is no rule `{name}`{}", nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownName { name: String, nearest: Option<&'static str> },
    #[error("`{value}` is no value of `{name}`: {allowed}")]
    BadValue { name: &'static str, value: String, allowed: Values },
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
    }

    #[test]
    fn a_share_is_exact() {
        let share = Share::parse("0.1").unwrap();
        assert!(share.reached(1, 10));
        assert!(!share.reached(1, 11));
        assert_eq!(Share::parse("0.25").unwrap().of(13, Rounding::Ceil), 4);
        assert_eq!(Share::parse("0.25").unwrap().of(14, Rounding::Nearest), 4);
        assert_eq!(Share::parse("0.25").unwrap().of(13, Rounding::Nearest), 3);
        assert_eq!(Share::parse("0.25").unwrap().of(15, Rounding::Floor), 3);
        for wrong in ["", ".", "1.1", "-0.1", "0.1234567", "a", "١"] {
            assert_eq!(Share::parse(wrong), None, "{wrong}");
        }
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
