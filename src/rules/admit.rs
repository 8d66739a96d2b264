//! What is refused at receipt (A15), and why. A refusal is an answer, not an error.

use serde::{Deserialize, Serialize};

use super::game::{Game, Life, Player};
use super::ledger::{Ask, Target};
use super::rulebook::{NoteToDead, SelfVote};
use super::{Kind, PlayerId, Role, Side};

/// In the order in which the first that fits is told. A refusal never tells more than its reader knows (A15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    UnknownSender,
    DeadSender,
    ExpelledSender,
    AfterDeadline,
    UnknownRequest,
    FirstTurn,
    Deprived,
    MafiaNoHunt,
    LonerNoHunt,
    NotYourRole,
    UnknownNick,
    TargetOut(PlayerId),
    SelfTarget,
    OwnClan,
    HealTwice(PlayerId),
    NoteAlreadySent,
    /// `relay_private = false` (A83): there is no private post in this game.
    RelayOff,
}

impl Refusal {
    /// The word for it in cases.
    pub fn name(self) -> &'static str {
        match self {
            Refusal::UnknownSender => "unknown_sender",
            Refusal::DeadSender => "dead_sender",
            Refusal::ExpelledSender => "expelled_sender",
            Refusal::AfterDeadline => "after_deadline",
            Refusal::UnknownRequest => "unknown_request",
            Refusal::FirstTurn => "first_turn",
            Refusal::Deprived => "deprived",
            Refusal::MafiaNoHunt => "mafia_no_hunt",
            Refusal::LonerNoHunt => "loner_no_hunt",
            Refusal::NotYourRole => "not_your_role",
            Refusal::UnknownNick => "unknown_nick",
            Refusal::TargetOut(_) => "target_out",
            Refusal::SelfTarget => "self_target",
            Refusal::OwnClan => "own_clan",
            Refusal::HealTwice(_) => "heal_twice",
            Refusal::NoteAlreadySent => "note_already_sent",
            Refusal::RelayOff => "relay_off",
        }
    }
}

/// A line that was let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admitted {
    /// `Клану`: it names nobody.
    Talk,
    Request(PlayerId),
    Cancel(Option<Kind>),
}

/// The checks of A15 in the order of [`Refusal`], against the state as it stands now.
pub(super) fn admit(game: &Game, from: PlayerId, ask: &Ask) -> Result<Admitted, Refusal> {
    let sender = game.player(from).ok_or(Refusal::UnknownSender)?;
    sender_is_in_play(game, sender, ask)?;
    let (kind, target) = match ask {
        // R79, A75: a note cannot be taken back.
        Ask::Cancel { kind: Some(Kind::Note) } => return Err(Refusal::UnknownRequest),
        Ask::Cancel { kind } => return Ok(Admitted::Cancel(*kind)),
        Ask::Do { kind, target, .. } => (*kind, *target),
    };
    if kind != Kind::Clan && target == Target::Nobody {
        return Err(Refusal::UnknownRequest);
    }
    the_turn_allows(game, from, kind)?;
    the_role_allows(game, sender, kind)?;
    if kind == Kind::Clan {
        return Ok(Admitted::Talk);
    }
    let Target::Player(target) = target else { return Err(Refusal::UnknownNick) };
    let named = game.player(target).ok_or(Refusal::UnknownNick)?;
    the_target_is_in_play(game, kind, target, named)?;
    the_target_fits(game, sender, from, kind, target)?;
    if kind == Kind::Note && (sender.note.is_some() || game.ledger.has_early_note(from)) {
        return Err(Refusal::NoteAlreadySent);
    }
    if kind == Kind::Pm && !game.rulebook.relay_private {
        return Err(Refusal::RelayOff);
    }
    Ok(Admitted::Request(target))
}

fn sender_is_in_play(game: &Game, sender: &Player, ask: &Ask) -> Result<(), Refusal> {
    match sender.life {
        Life::Alive => Ok(()),
        // A72.
        Life::Dead if game.rulebook.ghost_private && matches!(ask, Ask::Do { kind: Kind::Pm, .. }) => Ok(()),
        Life::Dead => Err(Refusal::DeadSender),
        Life::Expelled => Err(Refusal::ExpelledSender),
    }
}

/// R97, R98, A17; R88.
fn the_turn_allows(game: &Game, from: PlayerId, kind: Kind) -> Result<(), Refusal> {
    let first_turn = game.turn <= 1;
    let no_hunt_yet = kind == Kind::Hunt && !game.rulebook.hunt_on_first_turn;
    if first_turn && (kind == Kind::Lynch || no_hunt_yet) {
        return Err(Refusal::FirstTurn);
    }
    if kind == Kind::Lynch && game.is_deprived(from) {
        return Err(Refusal::Deprived);
    }
    Ok(())
}

fn the_role_allows(game: &Game, sender: &Player, kind: Kind) -> Result<(), Refusal> {
    let role = sender.role.unwrap_or(Role::Citizen);
    if role.may(kind, &game.rulebook) {
        return Ok(());
    }
    Err(match (kind, role.side()) {
        (Kind::Hunt, Side::Mafia) => Refusal::MafiaNoHunt,
        (Kind::Hunt, Side::Maniac) => Refusal::LonerNoHunt,
        (_, Side::Town | Side::Mafia | Side::Maniac) => Refusal::NotYourRole,
    })
}

fn the_target_is_in_play(game: &Game, kind: Kind, target: PlayerId, named: &Player) -> Result<(), Refusal> {
    let a_ghost_will_do = match kind {
        Kind::Pm => true,
        // R76, A74.
        Kind::Note => game.rulebook.note_to_dead == NoteToDead::Deliver,
        _ => false,
    };
    match named.life {
        Life::Alive => Ok(()),
        Life::Dead if a_ghost_will_do => Ok(()),
        Life::Dead | Life::Expelled => Err(Refusal::TargetOut(target)),
    }
}

fn the_target_fits(game: &Game, sender: &Player, from: PlayerId, kind: Kind, target: PlayerId) -> Result<(), Refusal> {
    let clan_murder = kind == Kind::Kill && sender.role.map(Role::side) == Some(Side::Mafia);
    // A15: oneself only for the heal, the vote and the clan's murder.
    let oneself_will_do = match kind {
        Kind::Heal => true,
        Kind::Lynch => game.rulebook.self_vote == SelfVote::Allowed,
        _ => clan_murder,
    };
    if target == from && !oneself_will_do {
        return Err(Refusal::SelfTarget);
    }
    // A61; a murder of oneself is `own_clan` where it is refused, never `self_target`.
    if clan_murder && !game.rulebook.mafia_may_kill_own && game.side(target) == Some(Side::Mafia) {
        return Err(Refusal::OwnClan);
    }
    // R30, A42.
    if kind == Kind::Heal && sender.last_heal == Some(target) {
        return Err(Refusal::HealTwice(target));
    }
    Ok(())
}
