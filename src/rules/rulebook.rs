//! The toggles: each disputed reading of the rulebook is a switch. A game keeps its own copy.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Role;
pub use super::toggle::{RuleFault, TOGGLES, Toggle, Values};

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

    /// `number` with so many digits after the point, trailing noughts dropped.
    fn decimal(number: u32, digits: u32) -> String {
        let unit = 10u32.saturating_pow(digits);
        let (whole, fraction) = (number / unit, number % unit);
        let width = usize::try_from(digits).unwrap_or_default();
        let fraction = format!("{fraction:0width$}");
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() { whole.to_string() } else { format!("{whole}.{fraction}") }
    }

    /// In hundredths, exactly: `25`, `33.3333`.
    pub fn hundredths(self) -> String {
        Share::decimal(self.millionths, 4)
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
        f.write_str(&Share::decimal(self.millionths, 6))
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

pub(super) const SHARE_VALUES: &str = "a decimal from 0 to 1 such as 0.25, at most six digits after the point";
pub(super) const ROLES_VALUES: &str =
    "auto, or a list of citizen, commissioner, doctor, sergeant, foundling, mafioso, boss, kamikaze, maniac";

#[cfg(test)]
mod tests {
    use super::*;

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
}
