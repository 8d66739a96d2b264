//! What the chronicle of a game that is over may tell the whole world: what everybody was told of each turn, and what the
//! last letter reveals, but for the people behind the nicks.

use jiff::Timestamp;
use serde::Serialize;

use super::turn;
use crate::letters::Summary;
use crate::rules::game::{Game, Life, Player};
use crate::rules::{Gender, PlayerId, Role, Winner};
use crate::table::{State, Table};

/// The whole game as the world may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chronicle {
    pub winner: Winner,
    /// The host said so before anybody had won by the rules.
    pub by_host: bool,
    pub ended: Option<Timestamp>,
    pub roster: Vec<ChronicleRow>,
    /// Toggles that differ from the default.
    pub deviations: Vec<(String, String)>,
    pub turns: Vec<Summary>,
    pub lots: ChronicleLots,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChronicleRow {
    pub nick: String,
    pub characteristic: String,
    pub gender: Option<Gender>,
    pub life: Life,
    pub role: Role,
    /// What he was dealt, where he became something else.
    pub dealt: Option<Role>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChronicleLots {
    /// Hex.
    pub seed: String,
    pub commitment: String,
    /// Nick and word.
    pub words: Vec<(String, String)>,
    /// The roster itself gave the roles; no lot was drawn for them.
    pub dealt_as_given: bool,
}

/// What everybody was told of the turn that was published last. `table` has the publication folded in, `before` is the
/// state before it.
pub fn told_to_all(table: &Table, before: &Game, story: Vec<String>) -> Option<Summary> {
    let report = table.last.as_deref()?;
    let summary = turn::summary(table, before, report, None, false);
    // Without the forum's members: they are told of in letters alone, and this page goes to everybody and stays.
    Some(Summary { story, ..summary })
}

/// The chronicle of a game; None while it would betray something.
pub fn chronicle(table: &Table, turns: Vec<Summary>, by_host: bool, seed: String) -> Option<Chronicle> {
    let winner = table.game.winner.filter(|_| table.state == State::Finished)?;
    let row = |(who, player): (PlayerId, &Player)| {
        let role = player.role.unwrap_or(Role::Citizen);
        let dealt = table.dealt.get(usize::from(who.0)).copied();
        ChronicleRow {
            nick: player.nick.clone(),
            characteristic: player.characteristic.clone(),
            gender: player.gender,
            life: player.life,
            role,
            // The turned foundling's role says itself what he was.
            dealt: dealt.filter(|dealt| *dealt != role && role != Role::FoundlingMafioso),
        }
    };
    Some(Chronicle {
        winner,
        by_host,
        ended: table.ended,
        roster: table.seats().map(row).collect(),
        deviations: table.game.rulebook.deviations(),
        turns,
        lots: ChronicleLots {
            seed,
            commitment: table.commitment.clone(),
            words: table.lot_words.clone(),
            dealt_as_given: table.dealt_as_given,
        },
    })
}
