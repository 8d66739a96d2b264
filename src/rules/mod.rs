//! The game itself: pure, without clock, dice, files or mail. Numbers R1-R113 and A1-A87 in comments are the clauses
//! of the rulebook (docs/rulebook.ru.md).
//!
//! Glossary: one English word per Russian term.
//!
//! | Russian | here |
//! |---|---|
//! | ход | turn |
//! | суд Линча, голос | lynch, vote |
//! | охота, охотник, добыча | hunt, hunter, prey |
//! | убийство | kill |
//! | проверка | check |
//! | лечение | heal |
//! | поиск (камикадзе) | seek |
//! | пистолет, выстрел | pistol, shot |
//! | предсмертная записка | note |
//! | предупреждение, лишение голоса, исключение | warn, deprive, expel |
//!
//! [`rulebook`]: the toggles, and [`toggle`]: their names. [`roles`]: a card a role. [`game`]: the state. [`admit`]:
//! what is refused at receipt. [`ledger`]: what stands in the current turn, [`hearing`]: how it comes to stand, and
//! [`between`]: how it does after something later was heard.
//! [`turn`]: THE ORDER in which a turn is resolved, a call a line, each in its own room: [`lynch`], [`hunt`], [`night`],
//! [`death`], [`discipline`], [`succession`], [`victory`]. [`report`]: what came of it, and [`grounds`]: why, where the
//! result alone does not show it. [`deal`] and [`lots`]: the only chance in the game.

pub mod admit;
mod between;
pub mod deal;
mod death;
mod discipline;
pub mod game;
pub mod grounds;
mod hearing;
mod hunt;
pub mod ledger;
pub mod lots;
mod lynch;
mod night;
pub mod report;
mod resume;
pub mod roles;
pub mod rulebook;
mod succession;
pub mod toggle;
pub mod turn;
mod victory;

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The version of these rules. It grows when the same letters would be judged otherwise.
pub const RULES_VERSION: u32 = 1;

/// A player's place in the roster, counted from zero. It never changes, not even when another person takes the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PlayerId(pub u16);

/// A number, or its digits as a text: so the keys of a JSON object are read wherever it stands.
impl<'de> Deserialize<'de> for PlayerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlayerId, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written<'a> {
            Number(u16),
            Digits(Cow<'a, str>),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(PlayerId(number)),
            Written::Digits(digits) => digits.parse().map(PlayerId).map_err(D::Error::custom),
        }
    }
}

/// R1-R4, R18-R57. The foundling who has turned (R35) is a role of its own: he acts, counts and is shown as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Citizen,
    Commissioner,
    Doctor,
    Sergeant,
    Foundling,
    FoundlingMafioso,
    Mafioso,
    Boss,
    Kamikaze,
    Maniac,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Town,
    Mafia,
    Maniac,
}

/// What a player may ask for in a turn. There is no abstention (A31): who does not want to vote, misses. `Pm` and
/// `Clan` are talk (A83): admitted or refused, never standing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Lynch,
    Hunt,
    Kill,
    Check,
    Heal,
    Seek,
    Pistol,
    Note,
    Pm,
    Clan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gender {
    #[serde(rename = "m")]
    Male,
    #[serde(rename = "f")]
    Female,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Winner {
    Town,
    Mafia,
    Maniac,
    Draw,
}

/// Place in the order of arrival: the second in which the receiving server took the letter (Unix time, but the rules
/// only compare it), then a text that sorts letters of one second as the inbox says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Order {
    pub second: i64,
    pub within: String,
}

/// A text that somebody wrote (a note, talk) and that can be erased: the rules and the journal hold only its number
/// within the game and its salted SHA-256 in hex.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextRef {
    pub id: u32,
    pub hash: String,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::PlayerId;

    #[test]
    fn player_numbers_are_read_as_values_and_as_keys() {
        let map: BTreeMap<PlayerId, u32> = serde_json::from_value(serde_json::json!({"7": 1})).unwrap();
        assert_eq!(map.get(&PlayerId(7)), Some(&1));
        assert_eq!(serde_json::from_str::<PlayerId>("7").unwrap(), PlayerId(7));
        for bad in ["\"x\"", "70000", "-1"] {
            assert!(serde_json::from_str::<PlayerId>(bad).is_err(), "{bad}");
        }
    }
}
