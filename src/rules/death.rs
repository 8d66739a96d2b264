//! What a death brings with it: the pistol (steps 8 and 11), the check's knowledge of it (step 9), the note (step 14).

use super::game::{Life, Note};
use super::grounds::{BlowEnd, KeptNote, KeptWhy, LostCheck, LostWhy, SilentPistol, SilentWhy};
use super::night::Attack;
use super::report::{Cause, Death, Learned, NoteDelivered, Shot, Status, Stopped, StoppedBy, When};
use super::rulebook::{CheckReveals, KillerDetail, NoteOn, NoteToDead, PistolMode};
use super::turn::{Closing, WindowAnswer};
use super::{Kind, PlayerId, Role};

/// What a check found; who is told of it is settled when all have left who leave.
pub(super) struct Finding {
    by: PlayerId,
    about: PlayerId,
    status: Status,
    killers: Vec<Cause>,
    killer_nicks: Vec<PlayerId>,
}

impl Closing<'_> {
    /// He is out at once; his votes and requests stay (A16).
    pub fn die(&mut self, who: PlayerId, when: When, causes: Vec<Cause>) {
        self.in_play.remove(&who);
        self.deaths.push(Death { who, when, causes, role: self.role(who) });
    }

    /// Step 8 (R25).
    pub fn shoot_by_night(&mut self) {
        self.shoot(When::Night);
    }

    /// Step 11 (R25).
    pub fn shoot_from_the_rope(&mut self) {
        self.shoot(When::Lynch);
    }

    /// A51: after any killing and after the rope; there is one commissioner, who dies once. A52: at a corpse no shot is
    /// fired, and there is no second choice.
    fn shoot(&mut self, when: When) {
        let dying = self.deaths.iter().find(|death| death.role == Role::Commissioner && death.when == when);
        let Some(by) = dying.map(|death| death.who) else { return };
        match self.aim(by) {
            Ok(at) => self.fire(by, at, when),
            Err(why) => self.grounds.silent_pistol = Some(SilentPistol { by, why }),
        }
    }

    /// Whom the dying commissioner shoots, or why nobody.
    fn aim(&self, by: PlayerId) -> Result<PlayerId, SilentWhy> {
        // A20: on a hunt he spends his cartridges.
        if self.game.rulebook.hunt_blocks_pistol && self.hunting.contains(&by) {
            return Err(SilentWhy::Hunting);
        }
        let at = self.pistol_order(by).ok_or(SilentWhy::NoOrder)?;
        if self.in_play.contains(&at) { Ok(at) } else { Err(SilentWhy::TargetOut(at)) }
    }

    fn fire(&mut self, by: PlayerId, at: PlayerId, when: When) {
        let killed = !self.doctor_stops_the_bullet(at);
        self.shot = Some(Shot { by, at, when, killed });
        let bullet = Attack { on: at, cause: Cause::Pistol, by: vec![by] };
        let end = match (killed, self.doctor_is_at(at)) {
            (false, _) => BlowEnd::StoppedByDoctor,
            (true, true) => BlowEnd::NotCovered,
            (true, false) => BlowEnd::Kills,
        };
        self.note_blow(&bullet, end);
        if killed {
            self.fatal.push(bullet);
            self.die(at, when, vec![Cause::Pistol]);
        } else {
            self.stopped.push(Stopped { who: at, cause: Cause::Pistol, by: StoppedBy::Doctor });
        }
    }

    /// Before the night has come there is no doctor about (A33): no heal is carried out yet.
    pub fn doctor_is_at(&self, patient: PlayerId) -> bool {
        self.heals.iter().any(|heal| heal.patient == patient)
    }

    /// A50.
    fn pistol_order(&self, commissioner: PlayerId) -> Option<PlayerId> {
        let standing = self.game.player(commissioner).and_then(|player| player.pistol);
        match (self.game.rulebook.pistol_mode, self.circumstances.window) {
            (PistolMode::Turn, _) => self.lines.get(&(commissioner, Kind::Pistol)).map(|line| line.target),
            (PistolMode::Window, WindowAnswer::Shoot(at)) => Some(at),
            (PistolMode::Window, WindowAnswer::Dropped) => None,
            (PistolMode::Window, WindowAnswer::Silence) | (PistolMode::Standing, _) => standing,
        }
    }

    /// A40, A41: even when the heal is used up.
    fn doctor_stops_the_bullet(&self, at: PlayerId) -> bool {
        self.game.rulebook.doctor_saves_from_pistol && self.doctor_is_at(at)
    }

    /// Step 9 (R23, R24, A44-A48): the status at the turn's start, of one who was expelled too; killers and means of
    /// who died in this night, not at the rope.
    pub fn check(&self) -> Vec<Finding> {
        let finding = |line: &super::ledger::Filed| {
            let about = line.target;
            let by_night = self.deaths.iter().find(|death| death.who == about && death.when == When::Night);
            let killers = by_night.map(|death| death.causes.clone()).unwrap_or_default();
            let killer_nicks = if killers.is_empty() { Vec::new() } else { self.killer_nicks(about) };
            Finding { by: line.from, about, status: self.status_shown(about), killers, killer_nicks }
        };
        self.asked(Kind::Check).map(finding).collect()
    }

    /// A44, A45.
    fn status_shown(&self, about: PlayerId) -> Status {
        let role = self.role(about);
        match self.game.rulebook.check_reveals {
            CheckReveals::Team => Status::Side(role.side()),
            CheckReveals::Role if role == Role::Foundling && !self.game.rulebook.check_shows_foundling => {
                Status::Role(Role::Citizen)
            }
            CheckReveals::Role => Status::Role(role),
        }
    }

    /// A46: all whose requests made the kill.
    fn killer_nicks(&self, about: PlayerId) -> Vec<PlayerId> {
        if self.game.rulebook.check_killer_detail == KillerDetail::Side {
            return Vec::new();
        }
        let attacks = self.fatal.iter().filter(|attack| attack.on == about);
        let mut killers: Vec<PlayerId> = attacks.flat_map(|attack| attack.by.iter().copied()).collect();
        killers.sort();
        killers.dedup();
        killers
    }

    /// A47, A49: the commissioner, even as a ghost, and the living sergeant; nobody whom the game has expelled.
    pub fn hand_over_findings(&mut self, findings: Vec<Finding>) {
        let sergeants: Vec<PlayerId> =
            self.in_play.iter().copied().filter(|who| self.role(*who) == Role::Sergeant).collect();
        for finding in findings {
            let (by, about) = (finding.by, finding.about);
            if self.finding_is_lost(&finding) {
                self.grounds.lost_checks.push(LostCheck { by, about, why: LostWhy::KilledByNight });
                continue;
            }
            if self.is_expelled(by) {
                self.grounds.lost_checks.push(LostCheck { by, about, why: LostWhy::Expelled });
            } else {
                self.learns.push(self.learned(&finding, finding.by, true));
            }
            for sergeant in &sergeants {
                let with_killers = self.game.rulebook.sergeant_gets_killers;
                self.learns.push(self.learned(&finding, *sergeant, with_killers));
            }
        }
    }

    /// A47: with the toggle off, the check of a commissioner who was killed in the night is lost to all.
    fn finding_is_lost(&self, finding: &Finding) -> bool {
        let died_by_night = |death: &Death| death.who == finding.by && death.when == When::Night;
        !self.game.rulebook.dead_commissioner_gets_check && self.deaths.iter().any(died_by_night)
    }

    fn learned(&self, finding: &Finding, who: PlayerId, with_killers: bool) -> Learned {
        let (killers, killer_nicks) = if with_killers {
            (finding.killers.clone(), finding.killer_nicks.clone())
        } else {
            (Vec::new(), Vec::new())
        };
        Learned { turn: self.game.turn, who, about: finding.about, status: finding.status, killers, killer_nicks }
    }

    /// Step 14 (R78, A73-A75).
    pub fn hand_over_notes(&mut self) {
        let after_expulsion = if self.game.rulebook.note_on_expulsion { None } else { Some(KeptWhy::Expulsion) };
        let dead = self.deaths.iter().map(|death| {
            let kept = if self.death_hands_over(death) { None } else { Some(KeptWhy::Death) };
            (death.who, kept)
        });
        let expelled = self.expelled.iter().map(|expulsion| (expulsion.who, after_expulsion));
        let mut authors: Vec<(PlayerId, Option<KeptWhy>)> = dead.chain(expelled).collect();
        authors.sort_by_key(|(author, _)| *author);
        for (from, kept) in authors {
            let Some(Note { to, text }) = self.game.player(from).and_then(|player| player.note.clone()) else {
                continue;
            };
            let kept = kept.or_else(|| (!self.addressee_gets_it(to)).then_some(KeptWhy::Addressee));
            match kept {
                None => self.notes.push(NoteDelivered { from, to, text }),
                Some(why) => self.grounds.kept_notes.push(KeptNote { from, to, text, why }),
            }
        }
    }

    /// A73.
    fn death_hands_over(&self, death: &Death) -> bool {
        match self.game.rulebook.note_on {
            NoteOn::AnyDeath => true,
            NoteOn::MafiaOrLynch => death.causes.iter().any(|cause| matches!(cause, Cause::Mafia | Cause::Lynch)),
        }
    }

    /// A74.
    fn addressee_gets_it(&self, to: PlayerId) -> bool {
        let alive_or_ghost = !self.is_expelled(to);
        match self.game.rulebook.note_to_dead {
            NoteToDead::Deliver => alive_or_ghost,
            NoteToDead::Drop => self.in_play.contains(&to),
        }
    }

    /// In this turn or an earlier one.
    fn is_expelled(&self, who: PlayerId) -> bool {
        let earlier = self.game.player(who).is_some_and(|player| player.life == Life::Expelled);
        earlier || self.expelled.iter().any(|expulsion| expulsion.who == who)
    }
}
