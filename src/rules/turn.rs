//! THE ORDER in which a turn is resolved (rules.md, section 3). It needs no loop: the pistol is the only reaction, there
//! is at most one commissioner, and successions act from the next turn.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::game::{FIRST_COURT, Game, Life};
use super::grounds::Grounds;
use super::ledger::{Ask, Filed, Target, VoidWhy};
use super::night::{Attack, Heal};
use super::report::{
    Death, ExpelWhy, Expulsion, Hunt, LynchOutcome, Murder, NoteDelivered, PublishVotes, Report, Shot, Stopped,
    VoidLine, Vote,
};
use super::rulebook::{HuntSpecialConflict, PistolMode};
use super::{Kind, PlayerId, Role, Side};

/// A chance that the rules ask for; the answer is an index into `among`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LotQuestion<'a> {
    /// The word that keys the draw (docs/lots.md).
    pub purpose: &'static str,
    pub turn: u16,
    /// In roster order, never empty.
    pub among: &'a [PlayerId],
    /// The final ballots it decides on: voter and candidate, in roster order of the voters.
    pub ballots: &'a [(PlayerId, PlayerId)],
}

/// [`LotQuestion::purpose`] of a tie at the lynch (R68).
pub const LYNCH_TIE: &str = "lynch_tie";

/// What a turn's result depends on beside the game itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Circumstances {
    /// Who wrote nothing in the topic for the whole period of rule 9.1 (R102, A69).
    pub silent: BTreeSet<PlayerId>,
    /// Whose miss of this turn the host forgives before it is written down (A70, R112).
    pub pardoned: BTreeSet<PlayerId>,
    /// The host's rulings before publication (R112): is he alive after all deaths?
    pub rulings: BTreeMap<PlayerId, bool>,
    pub window: WindowAnswer,
}

/// What the dying commissioner answered in the window (A50); `Silence` also where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowAnswer {
    #[default]
    Silence,
    Shoot(PlayerId),
    Dropped,
}

/// Closes the turn. It cannot fail and changes nothing: [`Game::apply_report`] folds the report into the next turn.
pub fn close(game: &Game, circumstances: &Circumstances, draw: &mut dyn FnMut(&LotQuestion<'_>) -> usize) -> Report {
    // 1. Nobody changes role inside a turn (A24, A45, A56, A57), so everything below asks for roles at its start.
    let mut turn = Closing::freeze(game, circumstances);
    // 2. One request a kind, and hunt against special ability (A18).
    turn.settle_hunt_against_special();
    // 3. Before the clan's unanimity is looked at: a void request is a sleeping mafioso (R46, R107).
    turn.void_what_has_no_vote();
    // 4. The votes were cast before the night, and the night cannot change them (R67). Nothing random comes earlier.
    turn.choose_by_votes(draw);
    if game.rulebook.lynch_before_night {
        // 10-11 come first (A33): what the hanged one planned for the night falls with him.
        turn.hang(draw);
        turn.shoot_from_the_rope();
        turn.void_what_the_dead_planned();
    }
    // 5. All together: none of the night's attacks waits for another (A16).
    let attacks = turn.lay_down_attacks();
    // 6. Before the deaths: a shield turns an attack into nothing, so that a healed commissioner does not shoot.
    let fatal = turn.shield(attacks);
    // 7. All at once, with all causes (A63).
    turn.die_by_night(fatal);
    // 8. Only a dead commissioner shoots, and not at a corpse; before the rope, being "немедленно" (R25).
    turn.shoot_by_night();
    // 9. After all of the night's deaths, of which R24 tells; even if the commissioner himself died (A47).
    let findings = turn.check();
    if !game.rulebook.lynch_before_night {
        // 10. Last of the deaths: R65 "К концу ночи".
        turn.hang(draw);
        // 11. At once (R25).
        turn.shoot_from_the_rope();
    }
    // R112: the host's word stands above what was resolved, and what follows takes it into account.
    turn.obey_rulings();
    // 12. The dead need no expulsion (A66); but a commissioner or Boss who leaves so is succeeded too.
    turn.write_down_misses_and_silences();
    // 13. From the exits of the whole turn (A54, A57); they touch different people.
    turn.succeed();
    // 14. After the expulsions: an expelled addressee must not get one (A74).
    turn.hand_over_notes();
    // 15. After the successions: R35 may bring in a new mafioso.
    turn.judge_victory();
    // 16. Who is told of the check depends on who is left (A47, A49).
    turn.hand_over_findings(findings);
    turn.into_report()
}

/// Does the turn wait for the dying commissioner's answer (A50), and whose? Ask it of the report that was closed without
/// an answer; then close again with what [`window_answer`] makes of the letters.
pub fn needs_window(game: &Game, report: &Report) -> Option<PlayerId> {
    if game.rulebook.pistol_mode != PistolMode::Window {
        return None;
    }
    let dying = report.deaths.iter().find(|death| death.role == Role::Commissioner)?.who;
    let hunted = |line: &Filed| line.from == dying && line.kind == Kind::Hunt;
    let stood_to_the_end = |void: &VoidLine| matches!(void.why, VoidWhy::NotFirst | VoidWhy::DeadBeforeNight);
    let hunts = report.standing.iter().any(hunted)
        || report.void.iter().any(|void| hunted(&void.line) && stood_to_the_end(void));
    (!(hunts && game.rulebook.hunt_blocks_pistol)).then_some(dying)
}

/// The letters that came in the window, in order of arrival. Bad ones are passed over; a target who died this turn is
/// no bad one, as the state is that before the close.
pub fn window_answer(game: &Game, dying: PlayerId, letters: &[(PlayerId, Vec<Ask>)]) -> WindowAnswer {
    let mut answer = WindowAnswer::Silence;
    let asks = letters.iter().filter(|(from, _)| *from == dying).flat_map(|(_, asks)| asks);
    for ask in asks {
        match ask {
            Ask::Do { kind: Kind::Pistol, target: Target::Player(target), .. }
                if *target != dying && game.is_living(*target) =>
            {
                answer = WindowAnswer::Shoot(*target);
            }
            Ask::Cancel { kind: Some(Kind::Pistol) } => answer = WindowAnswer::Dropped,
            Ask::Do { .. } | Ask::Cancel { .. } => {}
        }
    }
    answer
}

/// The turn while it is being closed.
pub(super) struct Closing<'g> {
    pub game: &'g Game,
    pub circumstances: &'g Circumstances,
    /// Who is left; it only shrinks (but for the host's rulings).
    pub in_play: BTreeSet<PlayerId>,
    /// The lines that still have force.
    pub lines: BTreeMap<(PlayerId, Kind), Filed>,
    /// Checks and heals that a hunt silences, unless A19 frees them.
    pub slotted: BTreeMap<PlayerId, Filed>,
    /// Whose hunt stands after step 3: he has spent his cartridges (A20).
    pub hunting: BTreeSet<PlayerId>,
    pub void: Vec<VoidLine>,
    pub vote: Vote,
    pub murder: Murder,
    pub hunt: Option<Hunt>,
    pub heals: Vec<Heal>,
    pub stopped: Vec<Stopped>,
    pub deaths: Vec<Death>,
    /// What killed whom, with those whose requests did it (A46).
    pub fatal: Vec<Attack>,
    pub shot: Option<Shot>,
    pub expelled: Vec<Expulsion>,
    pub missed: Vec<PlayerId>,
    pub warned: Vec<PlayerId>,
    pub promoted: Option<PlayerId>,
    pub converted: Option<PlayerId>,
    pub notes: Vec<NoteDelivered>,
    pub learns: Vec<super::report::Learned>,
    pub winner: Option<super::Winner>,
    pub grounds: Grounds,
}

impl<'g> Closing<'g> {
    /// Step 1. Players and roles at the turn's start less those expelled meanwhile; step 2's first half, the last valid
    /// line of each kind, is what the ledger holds.
    fn freeze(game: &'g Game, circumstances: &'g Circumstances) -> Self {
        let lines = game.ledger.all_standing().map(|line| ((line.from, line.kind), line.clone())).collect();
        let expelled = game.ledger.expelled().map(|(who, left)| Expulsion {
            who,
            why: if left { ExpelWhy::Left } else { ExpelWhy::Host },
            role: game.role(who).unwrap_or(Role::Citizen),
        });
        let mut turn = Closing {
            game,
            circumstances,
            in_play: game.living().into_iter().collect(),
            lines,
            slotted: BTreeMap::new(),
            hunting: BTreeSet::new(),
            void: game.ledger.void().to_vec(),
            vote: Vote {
                outcome: LynchOutcome::FirstTurn,
                publish: PublishVotes::NoLynch,
                ballots: Vec::new(),
                tally: BTreeMap::new(),
                base: 0,
                tied: Vec::new(),
                chosen: None,
                nonvoters: Vec::new(),
                deprived: Vec::new(),
            },
            murder: Murder::None,
            hunt: None,
            heals: Vec::new(),
            stopped: Vec::new(),
            deaths: Vec::new(),
            fatal: Vec::new(),
            shot: None,
            expelled: expelled.collect(),
            missed: Vec::new(),
            warned: Vec::new(),
            promoted: None,
            converted: None,
            notes: Vec::new(),
            learns: Vec::new(),
            winner: None,
            grounds: Grounds::default(),
        };
        turn.vote.deprived = turn.deprived();
        turn
    }

    /// Step 2 (R21, A18). With `last` the ledger has settled it at receipt.
    fn settle_hunt_against_special(&mut self) {
        let hunters: Vec<PlayerId> =
            self.lines.keys().filter(|(_, kind)| *kind == Kind::Hunt).map(|(who, _)| *who).collect();
        for who in hunters {
            let special = match self.role(who) {
                Role::Commissioner => Kind::Check,
                Role::Doctor => Kind::Heal,
                _ => continue,
            };
            if !self.lines.contains_key(&(who, special)) {
                continue;
            }
            match self.game.rulebook.hunt_special_conflict {
                HuntSpecialConflict::Hunt => {
                    let line = self.lines.remove(&(who, special));
                    self.slotted.extend(line.map(|line| (who, line)));
                }
                HuntSpecialConflict::Special => self.strike(who, Kind::Hunt, VoidWhy::Slot),
                HuntSpecialConflict::Last => {}
            }
        }
    }

    /// Step 3, the gate of rule 10 (R107, A68, A27, A35). Not in the first turn. Who sends a vote alone has waived the
    /// rest (R108): there is nothing to do.
    fn void_what_has_no_vote(&mut self) {
        if self.has_lynch() {
            let owes = |who: &PlayerId| !self.has_voted(*who) && !self.vote.deprived.contains(who);
            self.vote.nonvoters = self.in_play.iter().copied().filter(owes).collect();
            let keys: Vec<(PlayerId, Kind)> = self.lines.keys().copied().collect();
            for (who, kind) in keys {
                if kind.is_status_request() && self.status_falls(who) {
                    self.strike(who, kind, VoidWhy::StatusWithoutVote);
                }
                let hunt_falls = self.game.rulebook.hunt_needs_vote && self.vote.nonvoters.contains(&who);
                if kind == Kind::Hunt && hunt_falls {
                    self.strike(who, kind, VoidWhy::HuntWithoutVote);
                }
            }
        }
        let hunts = self.lines.keys().filter(|(_, kind)| *kind == Kind::Hunt);
        self.hunting = hunts.map(|(who, _)| *who).collect();
    }

    /// Would a status request of his fall under R107 in this turn?
    pub fn status_falls(&self, who: PlayerId) -> bool {
        let rulebook = &self.game.rulebook;
        let deprived_falls = self.vote.deprived.contains(&who) && !rulebook.deprived_status_counts;
        self.has_lynch() && rulebook.status_needs_vote && (self.vote.nonvoters.contains(&who) || deprived_falls)
    }

    /// `lynch_before_night`: status requests and hunts of those dead by then are void (A33).
    fn void_what_the_dead_planned(&mut self) {
        let keys: Vec<(PlayerId, Kind)> = self.lines.keys().copied().collect();
        for (who, kind) in keys {
            if (kind.is_status_request() || kind == Kind::Hunt) && !self.in_play.contains(&who) {
                self.strike(who, kind, VoidWhy::DeadBeforeNight);
            }
        }
    }

    /// R112: for those whom the host names, the night and the rope are corrected.
    fn obey_rulings(&mut self) {
        for (who, alive) in &self.circumstances.rulings {
            let expelled = self.expelled.iter().any(|expulsion| expulsion.who == *who);
            if expelled || !self.game.is_living(*who) {
                continue;
            }
            if *alive {
                self.deaths.retain(|death| death.who != *who);
                self.in_play.insert(*who);
            } else if self.in_play.contains(who) {
                self.die(*who, super::report::When::Night, Vec::new());
            }
        }
    }

    /// Step 16.
    fn into_report(mut self) -> Report {
        let slotted = std::mem::take(&mut self.slotted);
        self.void.extend(slotted.into_values().map(|line| VoidLine { line, why: VoidWhy::Slot }));
        let mut standing: Vec<Filed> = self.lines.values().cloned().collect();
        standing.sort_by(|one, other| (&one.order, one.line).cmp(&(&other.order, other.line)));
        self.deaths.sort_by_key(|death| death.who);
        self.stopped.sort_by_key(|stopped| (stopped.who, stopped.cause));
        self.expelled.sort_by_key(|expulsion| expulsion.who);
        let quiet = self.deaths.is_empty();
        Report {
            turn: self.game.turn,
            standing,
            told_of_saves: self.told_of_saves(),
            healed: self.healed(),
            void: self.void,
            vote: self.vote,
            murder: self.murder,
            hunt: self.hunt,
            stopped: self.stopped,
            deaths: self.deaths,
            shot: self.shot,
            learns: self.learns,
            missed: self.missed,
            warned: self.warned,
            expelled: self.expelled,
            promoted: self.promoted,
            converted: self.converted,
            notes: self.notes,
            alive: self.in_play.into_iter().collect(),
            winner: self.winner,
            quiet_turns: if quiet { self.game.quiet_turns.saturating_add(1) } else { 0 },
            grounds: self.grounds,
        }
    }

    /// R97: not in the first turn.
    pub fn has_lynch(&self) -> bool {
        self.game.turn >= FIRST_COURT
    }

    /// At the turn's start.
    pub fn role(&self, who: PlayerId) -> Role {
        self.game.role(who).unwrap_or(Role::Citizen)
    }

    pub fn side(&self, who: PlayerId) -> Side {
        self.role(who).side()
    }

    pub fn has_voted(&self, who: PlayerId) -> bool {
        self.lines.contains_key(&(who, Kind::Lynch))
    }

    /// The lines of one kind that have force, in roster order of their senders.
    pub fn asked(&self, kind: Kind) -> impl Iterator<Item = &Filed> {
        self.lines.values().filter(move |line| line.kind == kind)
    }

    pub fn strike(&mut self, who: PlayerId, kind: Kind, why: VoidWhy) {
        let line = self.lines.remove(&(who, kind));
        self.void.extend(line.map(|line| VoidLine { line, why }));
    }

    /// Who may not vote in this turn, the expelled among them too (A35), the dead of earlier turns not.
    fn deprived(&self) -> Vec<PlayerId> {
        let began_alive = |who: PlayerId| {
            self.game.ledger.life_at_start(who).map_or(self.game.is_living(who), |life| life == Life::Alive)
        };
        self.game.everybody().filter(|who| began_alive(*who) && self.game.is_deprived(*who)).collect()
    }
}
