//! Why a turn came out as it did, where its results alone do not show it. It is written down where each thing is decided,
//! and nothing is decided by it: only `why` reads it.

use serde::{Deserialize, Serialize};

use super::report::Cause;
use super::{Kind, PlayerId, Role, TextRef};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grounds {
    /// Everything that came for somebody's life, in the order in which it was resolved.
    pub blows: Vec<Blow>,
    /// Lines that had force and reached nobody, in roster order of a kind.
    pub idle: Vec<Idle>,
    /// Doctor and patient of every heal that was carried out.
    pub heals: Vec<(PlayerId, PlayerId)>,
    /// None where no vote was counted.
    pub quorum: Option<Quorum>,
    /// A commissioner left and did not shoot.
    pub silent_pistol: Option<SilentPistol>,
    pub lost_checks: Vec<LostCheck>,
    /// An office or a family without its heir.
    pub heirless: Vec<Heirless>,
    /// Notes of those who left which nobody gets. Like all notes they stand in no export.
    pub kept_notes: Vec<KeptNote>,
    pub ending: Ending,
}

/// One cause of death on its way to one player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blow {
    pub on: PlayerId,
    pub cause: Cause,
    /// Whose requests brought it; empty for the rope.
    pub by: Vec<PlayerId>,
    pub end: BlowEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlowEnd {
    Kills,
    /// R27.
    StoppedByDoctor,
    /// R33.
    StoppedByBirth,
    /// It kills: a doctor was near, but does not save from this (R29, A37-A40).
    NotCovered,
    /// It kills: the one heal is used up (A41).
    HealSpent,
}

/// A request in force that met nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    pub from: PlayerId,
    pub kind: Kind,
    pub target: PlayerId,
    pub why: IdleWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleWhy {
    /// The clan did not agree (R45).
    Split,
    /// Whom it names is out by then: expelled, or hanged before the night (A36).
    NobodyHome,
    /// The one searched is not the commissioner of the turn's start (R50, A56).
    NoCommissioner,
    /// A hunt for the maniac (A23).
    NoPrey,
}

/// The count of the lynch against its quorum (A28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quorum {
    /// What the one with most votes has, among those who may be chosen (A32).
    pub most: u32,
    /// So many are enough.
    pub least: u32,
    /// What the quarter is taken of.
    pub base: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SilentPistol {
    pub by: PlayerId,
    pub why: SilentWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilentWhy {
    /// A50.
    NoOrder,
    /// A20: he spent his cartridges on a hunt.
    Hunting,
    /// A52: dead or out already.
    TargetOut(PlayerId),
    /// A51: an expulsion is no killing.
    Expelled,
}

/// A check that was made and that its sender is not told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostCheck {
    pub by: PlayerId,
    pub about: PlayerId,
    pub why: LostWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LostWhy {
    /// A47: killed in the same night.
    KilledByNight,
    /// A49: he is no player any more.
    Expelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heirless {
    /// Whose bearer left: commissioner or Boss.
    pub role: Role,
    pub why: HeirlessWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeirlessWhy {
    /// There is no living sergeant, or foundling.
    NoHeir,
    /// A53, A60: an expulsion has no heir in this game.
    Expulsion,
    /// A58: no mafioso is left.
    NoClan,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptNote {
    pub from: PlayerId,
    pub to: PlayerId,
    pub text: TextRef,
    pub why: KeptWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptWhy {
    /// A73: not after such a death.
    Death,
    /// A67: not after an expulsion.
    Expulsion,
    /// A74: the addressee was expelled, or is a ghost where ghosts get none.
    Addressee,
}

/// Who is left at the turn's end, and what follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    pub town: u32,
    pub mafia: u32,
    pub maniacs: u32,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    #[default]
    GoesOn,
    /// A77: one of the sides would have won but for the living maniac.
    ManiacBlocks,
    /// R16, A78.
    NoMafia,
    /// R17, A76.
    MafiaNotFewer,
    /// R56, A81.
    ManiacAlone,
    /// A79.
    NobodyLeft,
    /// A81.
    Stalemate,
}
