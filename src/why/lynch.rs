//! The lynch: who voted, against what quorum, and what came of the one chosen.

use super::{About, Chapter, Step, Story};
use crate::rules::PlayerId;
use crate::rules::report::{LynchOutcome, Report};

pub fn chapter(story: &Story) -> Option<Chapter> {
    let report = story.report()?;
    let mut steps = Vec::new();
    if report.vote.outcome == LynchOutcome::FirstTurn {
        steps.push(Step::FirstTurn);
    } else {
        let mut counted: Vec<(PlayerId, u32)> =
            report.vote.tally.iter().map(|(candidate, votes)| (*candidate, *votes)).collect();
        counted.sort_by_key(|(candidate, votes)| (std::cmp::Reverse(*votes), *candidate));
        steps.extend(counted.into_iter().map(|(candidate, _)| votes(report, candidate)));
        let some = |who: &Vec<PlayerId>| if who.is_empty() { None } else { Some(who.clone()) };
        steps.extend(some(&report.vote.nonvoters).map(Step::NoVote));
        steps.extend(some(&report.vote.deprived).map(Step::NoRightToVote));
        steps.extend(verdict(report));
    }
    Some(Chapter { about: About::Lynch, steps })
}

/// Who voted against somebody.
pub fn votes(report: &Report, candidate: PlayerId) -> Step {
    let voters = report.vote.ballots.iter().filter(|(_, against)| *against == candidate).map(|(voter, _)| *voter);
    Step::Votes { candidate, voters: voters.collect() }
}

/// From the count to the rope.
pub fn verdict(report: &Report) -> Vec<Step> {
    let vote = &report.vote;
    let quorum =
        report.grounds.quorum.map(|quorum| Step::Quorum { most: quorum.most, least: quorum.least, base: quorum.base });
    let tie = (!vote.tied.is_empty()).then(|| Step::Tie { among: vote.tied.clone(), chosen: vote.chosen });
    let court = Step::Court { outcome: vote.outcome, chosen: vote.chosen };
    quorum.into_iter().chain(tie).chain([court]).collect()
}
