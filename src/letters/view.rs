//! What one reader may know of a game: the only window through which letters look at it. The whole state is private
//! to this file; whatever a method here returns, its reader may be told.

use jiff::Timestamp;

use super::{CheckResult, PlayerRow, RoleCard, Seat, VoteState};
use crate::journal::Held;
use crate::rules::game::Life;
use crate::rules::report::Learned;
use crate::rules::{Kind, PlayerId, Role};
use crate::table::{Phase, State, Table};

/// Who reads a letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    Player(PlayerId),
    /// A player at the address that he had before.
    Before(PlayerId),
    /// Who gave a seat up to another person, in the order of the seats.
    Former(u16),
    /// In config's order; the first is the host, the rest co-hosts.
    Host(u16),
    Moderator(u16),
    /// A forum's mail-in address.
    Forum(u16),
    /// Somebody who signs up, by his number.
    Applicant(u16),
    /// Somebody who plays in no game here.
    Stranger(String),
}

impl Reader {
    /// The reader's name in the outbox; a stranger's address is not in it.
    pub fn key(&self) -> String {
        match self {
            Reader::Player(player) => format!("player:{}", player.0),
            Reader::Before(player) => format!("before:{}", player.0),
            Reader::Former(number) => format!("former:{number}"),
            Reader::Host(position) => format!("host:{position}"),
            Reader::Moderator(position) => format!("moderator:{position}"),
            Reader::Forum(position) => format!("post:{position}"),
            Reader::Applicant(number) => format!("applicant:{number}"),
            Reader::Stranger(_) => "stranger".to_owned(),
        }
    }
}

/// What a player may know.
pub struct View<'a> {
    table: &'a Table,
    me: PlayerId,
}

impl<'a> View<'a> {
    pub fn of(table: &'a Table, me: PlayerId) -> View<'a> {
        View { table, me }
    }

    pub fn lang(&self) -> super::Lang {
        self.table.lang
    }

    pub fn nick(&self, player: PlayerId) -> String {
        self.table.nick(player).to_owned()
    }

    pub fn my_nick(&self) -> String {
        self.nick(self.me)
    }

    pub fn life(&self) -> Life {
        self.table.player(self.me).map_or(Life::Alive, |player| player.life)
    }

    pub fn gender(&self) -> Option<crate::rules::Gender> {
        self.table.player(self.me).and_then(|player| player.gender)
    }

    pub fn is_playing(&self) -> bool {
        matches!(self.table.state, State::Playing | State::Paused)
    }

    pub fn is_paused(&self) -> bool {
        self.table.state == State::Paused
    }

    pub fn turn(&self) -> u16 {
        self.table.game.turn
    }

    /// Of the turn that is open; none while a closed turn waits to be published.
    pub fn deadline(&self) -> Option<Timestamp> {
        match self.table.phase {
            Phase::Open => self.table.deadline,
            Phase::Review => None,
        }
    }

    pub fn roster(&self) -> Vec<Seat> {
        roster(self.table)
    }

    /// Everybody's nick and published fate; a role only where it was shown (R70). Whom the host expels in mid-turn is out
    /// at once, but his role waits for the summary, which tells all of it at the same time.
    pub fn players(&self) -> Vec<PlayerRow> {
        let told = |who: PlayerId| self.table.told.iter().any(|turn| turn.fell.contains(&who));
        self.table
            .seats()
            .map(|(who, player)| PlayerRow {
                nick: player.nick.clone(),
                characteristic: player.characteristic.clone(),
                life: player.life,
                gender: player.gender,
                role: match player.life {
                    Life::Alive => None,
                    Life::Dead => player.role,
                    Life::Expelled => player.role.filter(|_| self.table.game.rulebook.reveal_on_expulsion && told(who)),
                },
            })
            .collect()
    }

    pub fn living_count(&self) -> u16 {
        u16::try_from(self.table.living().count()).unwrap_or(u16::MAX)
    }

    /// What the reader himself has asked for and what of it stands (R93).
    pub fn standing(&self) -> Vec<(Kind, String)> {
        if self.life() != Life::Alive || !self.is_playing() {
            return Vec::new();
        }
        self.table.game.standing(self.me).into_iter().map(|(kind, target)| (kind, self.nick(target))).collect()
    }

    pub fn vote(&self) -> VoteState {
        let game = &self.table.game;
        if self.life() != Life::Alive || !self.is_playing() || game.turn < 2 {
            return VoteState::NotNeeded;
        }
        if game.is_deprived(self.me) {
            return VoteState::Deprived;
        }
        match game.standing(self.me).into_iter().find(|(kind, _)| *kind == Kind::Lynch) {
            Some((_, target)) => VoteState::In(self.nick(target)),
            None => VoteState::Missing,
        }
    }

    pub fn note_filed(&self) -> bool {
        self.table.game.note_filed(self.me)
    }

    pub fn missed(&self) -> u32 {
        self.table.player(self.me).map_or(0, |player| player.missed)
    }

    pub fn warned(&self) -> u32 {
        self.table.player(self.me).map_or(0, |player| player.warned)
    }

    pub fn missed_limit(&self) -> u32 {
        self.table.game.rulebook.missed_votes_limit
    }

    pub fn deviations(&self) -> Vec<(String, String)> {
        self.table.game.rulebook.deviations()
    }

    /// R8, R9, R82: the role as its bearer knows it: an unturned foundling takes himself for a citizen (R34).
    fn my_role(&self) -> Role {
        match self.table.player(self.me).and_then(|player| player.role) {
            Some(Role::Foundling) | None => Role::Citizen,
            Some(role) => role,
        }
    }

    /// The checks that the reader was told of (R23, R31).
    pub fn results(&self) -> Vec<CheckResult> {
        let learned = self.table.player(self.me).map(|player| player.learned.as_slice()).unwrap_or_default();
        learned.iter().map(|learned| check_result(self.table, learned)).collect()
    }

    /// The role card: what the reader is, can do, and whom he knows.
    pub fn role_card(&self, proof_word: String) -> RoleCard {
        let role = self.my_role();
        let rulebook = &self.table.game.rulebook;
        let holder = |wanted: Role| {
            self.table.living().find(|(_, player)| player.role == Some(wanted)).map(|(_, player)| player.nick.clone())
        };
        let in_clan = matches!(role, Role::Mafioso | Role::Boss | Role::Kamikaze | Role::FoundlingMafioso);
        let clan = if in_clan {
            self.table
                .game
                .clan(self.me)
                .into_iter()
                .filter(|mate| *mate != self.me)
                .map(|mate| {
                    let role = self.table.player(mate).and_then(|player| player.role);
                    (self.nick(mate), role.filter(|_| rulebook.clan_knows_roles))
                })
                .collect()
        } else {
            Vec::new()
        };
        RoleCard {
            nick: self.my_nick(),
            role,
            alive: self.life() == Life::Alive,
            expelled: self.life() == Life::Expelled,
            over: matches!(self.table.state, State::Finished | State::Cancelled),
            clan,
            commissioner: (role == Role::Sergeant).then(|| holder(Role::Commissioner)).flatten(),
            sergeant: (role == Role::Commissioner && rulebook.commissioner_knows_sergeant)
                .then(|| holder(Role::Sergeant))
                .flatten(),
            foundling: (role == Role::Boss && rulebook.boss_knows_foundling).then(|| holder(Role::Foundling)).flatten(),
            proof_word,
            forum_account: None,
            results: self.results(),
            first_turn: self.turn() <= 1,
            turn: self.turn(),
            deadline: self.deadline(),
            may_hunt: !in_clan && (role != Role::Maniac || rulebook.maniac_may_hunt),
            hunt_on_first_turn: rulebook.hunt_on_first_turn,
            status_needs_vote: rulebook.status_needs_vote,
        }
    }
}

/// Nicks and characteristics: known to all who play.
pub fn roster(table: &Table) -> Vec<Seat> {
    table
        .seats()
        .map(|(_, player)| Seat {
            nick: player.nick.clone(),
            characteristic: player.characteristic.clone(),
            gender: player.gender,
        })
        .collect()
}

/// One check, in nicks. Whoever calls it has made sure that its reader learned it.
pub fn check_result(table: &Table, learned: &Learned) -> CheckResult {
    CheckResult {
        turn: learned.turn,
        own: table.was_commissioner(learned.who, learned.turn),
        about: table.nick(learned.about).to_owned(),
        status: learned.status,
        killers: learned.killers.clone(),
        killer_nicks: learned.killer_nicks.iter().map(|killer| table.nick(*killer).to_owned()).collect(),
    }
}

/// Why a turn waits: for the hosts only.
pub fn held(table: &Table) -> Option<Held> {
    table.held
}
