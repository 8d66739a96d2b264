//! The night: attacks laid down together (step 5), shields (step 6), deaths (step 7).

use std::collections::BTreeSet;

use super::grounds::{Blow, BlowEnd, Idle, IdleWhy};
use super::ledger::{Filed, VoidWhy};
use super::report::{Cause, Murder, Stopped, StoppedBy, When};
use super::rulebook::{AnnounceSaves, DoctorVsHunt, HealAbsorbs};
use super::turn::Closing;
use super::{Kind, PlayerId, Role, Side};

/// One cause of death at one bed, with all whose requests brought it there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Attack {
    pub on: PlayerId,
    pub cause: Cause,
    pub by: Vec<PlayerId>,
}

/// A heal that is really carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heal {
    pub doctor: PlayerId,
    pub patient: PlayerId,
}

impl Closing<'_> {
    /// Step 5. In the order of patients and causes.
    pub fn lay_down_attacks(&mut self) -> Vec<Attack> {
        let mut attacks: Vec<Attack> = Vec::new();
        attacks.extend(self.serve_the_first_hunt());
        attacks.extend(self.clan_attack());
        attacks.extend(self.maniac_attacks());
        attacks.extend(self.seek_attacks());
        attacks.sort();
        attacks
    }

    /// Step 6. The foundling against the clan, then the doctor against what he covers; what remains is fatal.
    pub fn shield(&mut self, attacks: Vec<Attack>) -> Vec<Attack> {
        let (unfounded, attacks): (Vec<Attack>, Vec<Attack>) =
            attacks.into_iter().partition(|attack| self.foundling_is_immune(attack));
        self.heals = self.heals_carried_out();
        self.note_idle_heals();
        self.grounds.heals = self.heals.iter().map(|heal| (heal.doctor, heal.patient)).collect();
        for attack in &unfounded {
            self.note_blow(attack, BlowEnd::StoppedByBirth);
        }
        let mut busy: BTreeSet<PlayerId> = BTreeSet::new();
        let mut healed: Vec<Attack> = Vec::new();
        let mut fatal: Vec<Attack> = Vec::new();
        for attack in attacks {
            let free = |heal: &&Heal| heal.patient == attack.on && !busy.contains(&heal.doctor);
            let doctor = self.heals.iter().find(free).map(|heal| heal.doctor);
            let at_bed = self.heals.iter().any(|heal| heal.patient == attack.on);
            let covered = self.doctor_covers(attack.cause);
            match doctor {
                Some(doctor) if covered => {
                    // A41.
                    if self.game.rulebook.heal_absorbs == HealAbsorbs::One {
                        busy.insert(doctor);
                    }
                    self.note_blow(&attack, BlowEnd::StoppedByDoctor);
                    healed.push(attack);
                }
                _ => {
                    let end = match (at_bed, covered) {
                        (false, _) => BlowEnd::Kills,
                        (true, false) => BlowEnd::NotCovered,
                        (true, true) => BlowEnd::HealSpent,
                    };
                    self.note_blow(&attack, end);
                    fatal.push(attack);
                }
            }
        }
        self.stopped.extend(unfounded.iter().map(|attack| stopped(attack, StoppedBy::Foundling)));
        self.stopped.extend(healed.iter().map(|attack| stopped(attack, StoppedBy::Doctor)));
        self.note_the_hunts_result(&fatal, &healed);
        fatal
    }

    /// Step 7. A63: simultaneous; one body may have several causes.
    pub fn die_by_night(&mut self, fatal: Vec<Attack>) {
        let bodies: BTreeSet<PlayerId> = fatal.iter().map(|attack| attack.on).collect();
        for body in bodies {
            let causes = fatal.iter().filter(|attack| attack.on == body).map(|attack| attack.cause).collect();
            self.die(body, When::Night, causes);
        }
        self.fatal = fatal;
    }

    /// R26, R30, A16: the patient is there to be healed. A doctor who is out has lost his line already.
    fn heals_carried_out(&self) -> Vec<Heal> {
        let heals = self.asked(Kind::Heal).filter(|line| self.in_play.contains(&line.target));
        heals.map(|line| Heal { doctor: line.from, patient: line.target }).collect()
    }

    /// A36: a patient who is out by then is not at home; a doctor who is, has lost his line already.
    fn note_idle_heals(&mut self) {
        let idle = self.asked(Kind::Heal).filter(|line| !self.in_play.contains(&line.target));
        let idle: Vec<Filed> = idle.cloned().collect();
        idle.iter().for_each(|line| self.note_idle(line, IdleWhy::NobodyHome));
    }

    /// R27-R29, A37-A39. The kamikaze himself is no patient; the pistol is looked at when it is drawn.
    fn doctor_covers(&self, cause: Cause) -> bool {
        let rulebook = &self.game.rulebook;
        match cause {
            Cause::Mafia => true,
            Cause::Maniac => rulebook.doctor_saves_from_maniac,
            Cause::Kamikaze => rulebook.doctor_saves_from_kamikaze,
            Cause::Hunt => matches!(rulebook.doctor_vs_hunt, DoctorVsHunt::Target | DoctorVsHunt::Both),
            Cause::Hunting => matches!(rulebook.doctor_vs_hunt, DoctorVsHunt::Hunter | DoctorVsHunt::Both),
            Cause::KamikazeSelf | Cause::Pistol | Cause::Lynch => false,
        }
    }

    /// R33, A59: from the clan's murder only.
    fn foundling_is_immune(&self, attack: &Attack) -> bool {
        let immune = match self.role(attack.on) {
            Role::Foundling => true,
            Role::FoundlingMafioso => self.game.rulebook.foundling_immune_after_conversion,
            _ => false,
        };
        immune && attack.cause == Cause::Mafia
    }

    /// R42-R47, A62: unanimous among those who sent a request that has force, or the plan fails.
    fn clan_attack(&mut self) -> Option<Attack> {
        let named = self.kills_of(Side::Mafia);
        let victims: BTreeSet<PlayerId> = named.iter().map(|line| line.target).collect();
        let victim = *victims.first()?;
        if victims.len() > 1 {
            self.murder = Murder::Split;
            named.iter().for_each(|line| self.note_idle(line, IdleWhy::Split));
            return None;
        }
        // A36: he is named even if he is out by then; but nobody is found at home.
        self.murder = Murder::Victim(victim);
        if !self.in_play.contains(&victim) {
            named.iter().for_each(|line| self.note_idle(line, IdleWhy::NobodyHome));
            return None;
        }
        let by = named.into_iter().map(|line| line.from).collect();
        Some(Attack { on: victim, cause: Cause::Mafia, by })
    }

    /// R55.
    fn maniac_attacks(&mut self) -> Vec<Attack> {
        let mut attacks: Vec<Attack> = Vec::new();
        for line in self.kills_of(Side::Maniac) {
            let (maniac, victim) = (line.from, line.target);
            if !self.in_play.contains(&victim) {
                self.note_idle(&line, IdleWhy::NobodyHome);
                continue;
            }
            match attacks.iter_mut().find(|attack| attack.on == victim) {
                Some(attack) => attack.by.push(maniac),
                None => attacks.push(Attack { on: victim, cause: Cause::Maniac, by: vec![maniac] }),
            }
        }
        attacks
    }

    /// R49, R50, A56: against the commissioner of the turn's start; the finder perishes with him, healed or not (A39).
    fn seek_attacks(&mut self) -> Vec<Attack> {
        let mut attacks: Vec<Attack> = Vec::new();
        let searches: Vec<Filed> = self.asked(Kind::Seek).cloned().collect();
        for line in searches {
            let (kamikaze, victim) = (line.from, line.target);
            if self.role(victim) != Role::Commissioner {
                self.note_idle(&line, IdleWhy::NoCommissioner);
                continue;
            }
            if !self.in_play.contains(&victim) {
                self.note_idle(&line, IdleWhy::NobodyHome);
                continue;
            }
            attacks.push(Attack { on: kamikaze, cause: Cause::KamikazeSelf, by: vec![kamikaze] });
            match attacks.iter_mut().find(|attack| attack.on == victim) {
                Some(attack) => attack.by.push(kamikaze),
                None => attacks.push(Attack { on: victim, cause: Cause::Kamikaze, by: vec![kamikaze] }),
            }
        }
        attacks
    }

    fn kills_of(&self, side: Side) -> Vec<Filed> {
        self.asked(Kind::Kill).filter(|line| self.side(line.from) == side).cloned().collect()
    }

    pub fn note_blow(&mut self, attack: &Attack, end: BlowEnd) {
        let Attack { on, cause, by } = attack.clone();
        self.grounds.blows.push(Blow { on, cause, by, end });
    }

    pub fn note_idle(&mut self, line: &Filed, why: IdleWhy) {
        self.grounds.idle.push(Idle { from: line.from, kind: line.kind, target: line.target, why });
    }

    /// A43: who is told that the doctor stopped something, and at whose bed; all are told by the summary, or nobody.
    pub fn told_of_saves(&self) -> Vec<(PlayerId, PlayerId)> {
        let by_doctor = |stopped: &&Stopped| stopped.by == StoppedBy::Doctor;
        let patients: BTreeSet<PlayerId> = self.stopped.iter().filter(by_doctor).map(|stopped| stopped.who).collect();
        let expelled = |who: PlayerId| self.expelled.iter().any(|expulsion| expulsion.who == who);
        let told: Vec<(PlayerId, PlayerId)> = match self.game.rulebook.announce_saves {
            AnnounceSaves::None | AnnounceSaves::Public => Vec::new(),
            AnnounceSaves::Patient => patients.into_iter().map(|patient| (patient, patient)).collect(),
            AnnounceSaves::Doctor => {
                let at_bed = self.heals.iter().filter(|heal| patients.contains(&heal.patient));
                at_bed.map(|heal| (heal.doctor, heal.patient)).collect()
            }
        };
        told.into_iter().filter(|(reader, _)| !expelled(*reader)).collect()
    }

    /// R30, A42: which heal forbids itself for the next turn.
    pub fn healed(&self) -> Option<(PlayerId, PlayerId)> {
        if let Some(heal) = self.heals.first() {
            return Some((heal.doctor, heal.patient));
        }
        let fell =
            |void: &&super::report::VoidLine| void.line.kind == Kind::Heal && void.why == VoidWhy::StatusWithoutVote;
        let void = self.void.iter().find(fell).filter(|_| self.game.rulebook.void_heal_blocks_repeat)?;
        Some((void.line.from, void.line.target))
    }
}

fn stopped(attack: &Attack, by: StoppedBy) -> Stopped {
    Stopped { who: attack.on, cause: attack.cause, by }
}
