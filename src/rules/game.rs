//! The state of a game: what the journal folds into.

use serde::{Deserialize, Serialize};

use super::ledger::Ledger;
use super::report::{Learned, Report};
use super::rulebook::{PistolMode, Rulebook};
use super::{Gender, Kind, PlayerId, Role, Side, TextRef, Winner};

/// The first turn with a lynch court (R97).
pub const FIRST_COURT: u16 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    Alive,
    Dead,
    Expelled,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// Under which he plays, and under no other (R84).
    pub nick: String,
    pub gender: Option<Gender>,
    /// A few words for the roster (R81); empty if none were given.
    pub characteristic: String,
    /// None before the deal.
    pub role: Option<Role>,
    /// As published; a host's expulsion counts at once (A36).
    pub life: Life,
    /// Missed votes (R105) and silences (R102) so far.
    pub missed: u32,
    pub warned: u32,
    /// Who was really healed in the turn before (R30, A42).
    pub last_heal: Option<PlayerId>,
    /// The standing pistol order (A50).
    pub pistol: Option<PlayerId>,
    /// The note that lies with the host (R77).
    pub note: Option<Note>,
    /// The last turn in which he may not vote (R88); 0 if none.
    pub deprived_until: u16,
    /// Checks that he was told of, oldest first (R31).
    pub learned: Vec<Learned>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub to: PlayerId,
    pub text: TextRef,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    pub rulebook: Rulebook,
    /// In roster order; index = `PlayerId`.
    pub players: Vec<Player>,
    /// The turn that is open (or being closed); 0 before the deal.
    pub turn: u16,
    pub winner: Option<Winner>,
    /// Turns without a death, running (A81).
    pub quiet_turns: u32,
    /// What was heard in this turn.
    pub ledger: Ledger,
    /// The closed turn that is not yet published; until it is, the state above stands as before the close.
    pub pending: Option<Report>,
}

impl Player {
    /// Somebody who has just signed up (R7, R80).
    pub fn new(nick: &str) -> Player {
        Player {
            nick: nick.to_owned(),
            gender: None,
            characteristic: String::new(),
            role: None,
            life: Life::Alive,
            missed: 0,
            warned: 0,
            last_heal: None,
            pistol: None,
            note: None,
            deprived_until: 0,
            learned: Vec::new(),
        }
    }
}

impl Game {
    /// A game before the deal.
    pub fn new(rulebook: Rulebook, players: Vec<Player>) -> Game {
        Game { rulebook, players, turn: 0, winner: None, quiet_turns: 0, ledger: Ledger::default(), pending: None }
    }

    /// The deal (R6): a role each, in roster order; turn 1 opens.
    pub fn start(&mut self, roles: &[Role]) {
        for (player, role) in self.players.iter_mut().zip(roles) {
            player.role = Some(*role);
        }
        self.turn = 1;
    }

    /// Whether a note of his lies with the host (R77).
    pub fn note_filed(&self, who: PlayerId) -> bool {
        self.player(who).is_some_and(|player| player.note.is_some()) || self.ledger.has_early_note(who)
    }

    pub fn player(&self, who: PlayerId) -> Option<&Player> {
        self.players.get(usize::from(who.0))
    }

    /// None before the deal, and for a number that is nobody's.
    pub fn role(&self, who: PlayerId) -> Option<Role> {
        self.player(who)?.role
    }

    pub fn side(&self, who: PlayerId) -> Option<Side> {
        self.role(who).map(Role::side)
    }

    /// Everybody who ever played, in roster order.
    pub fn everybody(&self) -> impl Iterator<Item = PlayerId> + use<> {
        let count = u16::try_from(self.players.len()).unwrap_or(u16::MAX);
        (0..count).map(PlayerId)
    }

    pub fn is_living(&self, who: PlayerId) -> bool {
        self.player(who).is_some_and(|player| player.life == Life::Alive)
    }

    /// In roster order, as published; the host's expulsions of this turn count.
    pub fn living(&self) -> Vec<PlayerId> {
        self.everybody().filter(|who| self.is_living(*who)).collect()
    }

    /// May he not vote in this turn (R88)?
    pub fn is_deprived(&self, who: PlayerId) -> bool {
        self.player(who).is_some_and(|player| player.deprived_until >= self.turn && player.deprived_until > 0)
    }

    /// Does his vote stand?
    pub fn has_voted(&self, who: PlayerId) -> bool {
        self.ledger.stands(who, Kind::Lynch).is_some()
    }

    /// R105, A65: would the deadline now write down a miss? From the second turn, for who may vote and has not.
    pub fn owes_vote(&self, who: PlayerId) -> bool {
        self.turn >= FIRST_COURT && self.is_living(who) && !self.is_deprived(who) && !self.has_voted(who)
    }

    /// What now stands for this turn, the standing pistol order included; a note never.
    pub fn standing(&self, who: PlayerId) -> Vec<(Kind, PlayerId)> {
        let lines = self.ledger.kinds(who).filter(|kind| *kind != Kind::Pistol);
        let lines = lines.filter_map(|kind| Some((kind, self.ledger.stands(who, kind)?.target)));
        let pistol = self.player(who).and_then(|player| player.pistol).map(|target| (Kind::Pistol, target));
        lines.chain(pistol).collect()
    }

    /// The other living members of his clan, in roster order (R10, R36, R37); empty for who belongs to none.
    pub fn clan(&self, who: PlayerId) -> Vec<PlayerId> {
        if self.side(who) != Some(Side::Mafia) {
            return Vec::new();
        }
        let is_member = |other: &PlayerId| *other != who && self.side(*other) == Some(Side::Mafia);
        self.living().into_iter().filter(is_member).collect()
    }

    /// The closed turn goes out, and with it the next one opens (R99). Nothing happens where none is closed.
    pub fn publish(&mut self) {
        if let Some(report) = self.pending.take() {
            self.apply_report(&report);
        }
    }

    /// Folds a closed turn into the state: lives, roles, counters, what is remembered, and an empty ledger for the
    /// next turn. A game that is won stays at its last turn.
    pub fn apply_report(&mut self, report: &Report) {
        self.forget_the_turn();
        for death in &report.deaths {
            self.change(death.who, |player| player.life = Life::Dead);
        }
        for expulsion in &report.expelled {
            self.change(expulsion.who, |player| player.life = Life::Expelled);
        }
        for who in &report.missed {
            self.change(*who, |player| player.missed = player.missed.saturating_add(1));
        }
        for who in &report.warned {
            self.change(*who, |player| player.warned = player.warned.saturating_add(1));
        }
        if let Some(who) = report.promoted {
            self.change(who, |player| player.role = Some(Role::Commissioner));
        }
        if let Some(who) = report.converted {
            self.change(who, |player| player.role = Some(Role::FoundlingMafioso));
        }
        for learned in &report.learns {
            self.change(learned.who, |player| player.learned.push(learned.clone()));
        }
        if let Some((doctor, patient)) = report.healed {
            self.change(doctor, |player| player.last_heal = Some(patient));
        }
        let early_notes = self.ledger.take_early_notes();
        for (who, note) in early_notes {
            self.change(who, |player| player.note = player.note.take().or(Some(note)));
        }
        self.forget_the_departed();
        self.quiet_turns = report.quiet_turns;
        self.winner = report.winner;
        self.pending = None;
        // A22: hunts too are a matter of one turn.
        self.ledger = Ledger::default();
        if self.winner.is_none() {
            self.turn = self.turn.saturating_add(1);
        }
    }

    /// What is good for one turn only: the heal of the turn before (R30), and pistol orders by A50.
    fn forget_the_turn(&mut self) {
        let keeps_pistol = self.rulebook.pistol_mode != PistolMode::Turn;
        for player in &mut self.players {
            player.last_heal = None;
            player.pistol = player.pistol.filter(|_| keeps_pistol);
        }
    }

    /// Orders and notes of who is out: handed over by now, or void without a word.
    fn forget_the_departed(&mut self) {
        for player in self.players.iter_mut().filter(|player| player.life != Life::Alive) {
            player.pistol = None;
            player.note = None;
        }
    }

    fn change(&mut self, who: PlayerId, change: impl FnOnce(&mut Player)) {
        if let Some(player) = self.players.get_mut(usize::from(who.0)) {
            change(player);
        }
    }
}
