//! What was asked in a turn, line by line, and what became of each.

use super::{Asked, AskedEnd, Step, Story};
use crate::journal::{Heard, Item, Standing};
use crate::rules::grounds::{Blow, BlowEnd, Idle};
use crate::rules::ledger::{Ask, Fate, Target};
use crate::rules::report::{Cause, Report};
use crate::rules::{Kind, PlayerId};

/// The lines that somebody wrote, in order of arrival. Talk that was let in is nobody's ruling and stands nowhere.
pub fn lines_of(story: &Story, who: PlayerId) -> Vec<Step> {
    story.letters.iter().filter(|heard| heard.from == who).flat_map(|heard| lines(story, heard)).collect()
}

/// The line in force by which somebody did something, as he wrote it.
pub fn in_force(story: &Story, from: PlayerId, kind: Kind) -> Option<Step> {
    let is_it = |step: &Step| matches!(step, Step::Asked(asked) if asked.kind == kind && stands(asked.end));
    lines_of(story, from).into_iter().find(is_it)
}

/// Heals that were to help somebody and had no force.
pub fn heals_without_force(story: &Story, patient: PlayerId) -> Vec<Step> {
    let for_him = |asked: &Asked| asked.kind == Kind::Heal && asked.target == Some(patient) && asked.from != patient;
    let is_it = |step: &Step| matches!(step, Step::Asked(asked) if for_him(asked) && !stands(asked.end));
    story.letters.iter().flat_map(|heard| lines(story, heard)).filter(is_it).collect()
}

/// Everything that was asked and did nothing, in order of arrival; then what had force and met nobody.
pub fn in_vain(story: &Story) -> Vec<Step> {
    let lost = |step: &Step| match step {
        Step::Asked(asked) => !stands(asked.end) && asked.end != AskedEnd::Filed,
        _ => true,
    };
    let mut steps: Vec<Step> = story.letters.iter().flat_map(|heard| lines(story, heard)).filter(lost).collect();
    if let Some(report) = story.report() {
        steps.extend(report.grounds.idle.iter().cloned().map(Step::Idle));
        let clan_came = report.grounds.blows.iter().any(|blow| blow.cause == Cause::Mafia);
        steps.extend(super::player::asleep(story, report).filter(|_| !clan_came));
        steps.extend(report.grounds.heals.iter().filter_map(|heal| healed_for_nothing(report, *heal)));
    }
    steps
}

/// What somebody's requests in force came to.
pub fn deeds_of(story: &Story, report: &Report, who: PlayerId) -> Vec<Step> {
    let idle = report.grounds.idle.iter().filter(|idle: &&Idle| idle.from == who).cloned().map(Step::Idle);
    let mut steps: Vec<Step> = idle.collect();
    let his = |blow: &&Blow| blow.by.contains(&who) && blow.on != who && blow.cause != Cause::Pistol;
    for blow in report.grounds.blows.iter().filter(his) {
        steps.push(super::player::blow_step(story, report, blow));
    }
    let heals = report.grounds.heals.iter().filter(|(doctor, _)| *doctor == who);
    for (doctor, patient) in heals {
        let at_bed = report.grounds.blows.iter().filter(|blow| blow.on == *patient && *patient != who);
        steps.extend(at_bed.map(|blow| super::player::blow_step(story, report, blow)));
        steps.extend(healed_for_nothing(report, (*doctor, *patient)));
    }
    let lost = report.grounds.lost_checks.iter().filter(|lost| lost.by == who);
    steps.extend(lost.copied().map(Step::LostCheck));
    steps.extend(report.learns.iter().filter(|learned| learned.who == who).cloned().map(Step::Learned));
    steps
}

/// He was at a bed to which nobody came.
fn healed_for_nothing(report: &Report, (doctor, patient): (PlayerId, PlayerId)) -> Option<Step> {
    let stirred = |end: BlowEnd| matches!(end, BlowEnd::StoppedByDoctor | BlowEnd::NotCovered | BlowEnd::HealSpent);
    let needed = report.grounds.blows.iter().any(|blow| blow.on == patient && stirred(blow.end));
    (!needed).then_some(Step::HealedForNothing { doctor, patient })
}

fn lines(story: &Story, heard: &Heard) -> Vec<Step> {
    let mut steps = Vec::new();
    // The ledger numbers the lines that it was given: all but talk.
    let mut filed = 0u16;
    for item in &heard.items {
        let (from, second) = (heard.from, heard.order.second);
        match item {
            Item::Ask { ask: Ask::Do { kind, target, .. }, fate, .. } => {
                let is_talk = matches!(kind, Kind::Pm | Kind::Clan);
                let target = match target {
                    Target::Player(target) => Some(*target),
                    Target::Unknown | Target::Nobody => None,
                };
                if !is_talk || matches!(fate, Fate::Refused(_)) {
                    let end = end_of(story, heard, filed, *kind, fate);
                    steps.push(Step::Asked(Asked { from, kind: *kind, target, second, end }));
                }
                filed = filed.saturating_add(u16::from(!is_talk));
            }
            Item::Ask { ask: Ask::Cancel { .. }, fate, .. } => {
                if let Fate::Withdrawn { what } = fate {
                    steps.push(Step::Withdrew { from, second, what: what.clone() });
                }
                filed = filed.saturating_add(1);
            }
            Item::Problem { word, problem } => {
                steps.push(Step::Unread { from, second, word: *word, problem: Some(*problem) });
            }
            Item::NotNow { word } => steps.push(Step::Unread { from, second, word: Some(*word), problem: None }),
            Item::Question { .. } | Item::Weighty { .. } | Item::Absent { .. } => {}
        }
    }
    steps
}

fn stands(end: AskedEnd) -> bool {
    matches!(end, AskedEnd::Stands | AskedEnd::StandsByVote)
}

/// R107: without his lynch vote a status request would have fallen, and the vote is there.
fn vote_bears_it(story: &Story, from: PlayerId) -> bool {
    let voted = story.report().is_some_and(|report| report.vote.ballots.iter().any(|(voter, _)| *voter == from));
    voted && story.table.game.rulebook.status_needs_vote
}

/// What became of a line in the end; at receipt it was told `fate`.
fn end_of(story: &Story, heard: &Heard, line: u16, kind: Kind, fate: &Fate) -> AskedEnd {
    if matches!(heard.standing, Standing::FoundLate { .. }) {
        return AskedEnd::FoundLate;
    }
    if let Fate::Refused(refusal) = fate {
        return AskedEnd::Refused(*refusal);
    }
    if kind == Kind::Note {
        return AskedEnd::Filed;
    }
    let is_it = |letter: u64, number: u16| letter == heard.letter && number == line;
    let ledger = &story.table.game.ledger;
    let (stands, void) = match story.report() {
        Some(report) => (
            report.standing.iter().any(|line| is_it(line.letter, line.line)),
            report.void.iter().find(|void| is_it(void.line.letter, void.line.line)),
        ),
        None => (
            ledger.all_standing().any(|line| is_it(line.letter, line.line)),
            ledger.void().iter().find(|void| is_it(void.line.letter, void.line.line)),
        ),
    };
    match (stands, void) {
        (true, _) if kind.is_status_request() && vote_bears_it(story, heard.from) => AskedEnd::StandsByVote,
        (true, _) => AskedEnd::Stands,
        (false, Some(void)) => AskedEnd::Void(void.why),
        (false, None) => AskedEnd::Overtaken,
    }
}
