//! What a closed turn tells, and whom: the public summary, the private letters, and what neither may say (rules.md,
//! section 3b). Not yet words.

use crate::rules::game::Game;
use crate::rules::ledger::{Act, HostAct};
use crate::rules::report::{Cause, Death, ExpelWhy, Expulsion, PublishVotes, Report, StoppedBy, When};
use crate::rules::rulebook::AnnounceSaves;
use crate::rules::{PlayerId, Role, Side};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// Died by night, by whatever means; also of a shot that is not public (A52).
    Dead {
        who: PlayerId,
        role: Role,
    },
    /// By the rope.
    Hanged {
        who: PlayerId,
        role: Role,
    },
    /// By the dying commissioner, where that is public.
    Shot {
        who: PlayerId,
        role: Role,
        by: PlayerId,
    },
    /// No role where it is not shown (A67).
    Expelled {
        who: PlayerId,
        role: Option<Role>,
    },
    /// There was a lynch and nobody hangs.
    NobodyHanged,
    /// Decided by lot (R68).
    Tie(Vec<PlayerId>),
    Vote {
        voter: PlayerId,
        candidate: PlayerId,
    },
    Nonvoter(PlayerId),
    /// How a night's dead died (A64).
    Cause(PlayerId),
    /// Who voted for whom, as a whole (R109).
    Votes,
    Deprived(PlayerId),
    Warned(PlayerId),
    Missed(PlayerId),
    /// To himself.
    OwnExpulsion(PlayerId),
    /// You are a ghost.
    Ghost(PlayerId),
    Promoted(PlayerId),
    Converted(PlayerId),
    /// To a living member of the clan: the foundling has turned.
    NewMember {
        to: PlayerId,
        who: PlayerId,
    },
    Note {
        from: PlayerId,
        to: PlayerId,
    },
    Hunter(PlayerId),
    Prey(PlayerId),
    /// An attack on him did not kill.
    Stopped(PlayerId),
    /// Somebody learned his status.
    Checked(PlayerId),
    /// Who learned of whom.
    Check {
        who: PlayerId,
        about: PlayerId,
    },
}

impl Fact {
    /// The word for it in cases (tests/scenarios/FORMAT.md).
    pub fn code(&self, game: &Game) -> String {
        let nick = |who: &PlayerId| game.player(*who).map_or("?", |player| player.nick.as_str());
        let of = |word: &str, who: &PlayerId| format!("{word}:{}", nick(who));
        match self {
            Fact::Dead { who, role } => format!("dead:{}:{}", nick(who), role.name()),
            Fact::Hanged { who, role } => format!("hanged:{}:{}", nick(who), role.name()),
            Fact::Shot { who, role, by } => format!("shot:{}:{}:{}", nick(who), role.name(), nick(by)),
            Fact::Expelled { who, role } => format!("expelled:{}:{}", nick(who), role.map_or("-", Role::name)),
            Fact::NobodyHanged => "nobody_hanged".to_owned(),
            Fact::Tie(among) => format!("tie:{}", among.iter().map(nick).collect::<Vec<_>>().join(",")),
            Fact::Vote { voter, candidate } => format!("vote:{}:{}", nick(voter), nick(candidate)),
            Fact::Nonvoter(who) => of("nonvoter", who),
            Fact::Cause(who) => of("cause", who),
            Fact::Votes => "votes".to_owned(),
            Fact::Deprived(who) => of("deprived", who),
            Fact::Warned(who) => of("warned", who),
            Fact::Missed(who) => of("missed", who),
            Fact::OwnExpulsion(who) => of("expelled", who),
            Fact::Ghost(who) => of("ghost", who),
            Fact::Promoted(who) => of("promoted", who),
            Fact::Converted(who) => of("converted", who),
            Fact::NewMember { to, who } => format!("new_member:{}:{}", nick(to), nick(who)),
            Fact::Note { from, to } => format!("note:{}>{}", nick(from), nick(to)),
            Fact::Hunter(who) => of("hunter", who),
            Fact::Prey(who) => of("prey", who),
            Fact::Stopped(who) => of("stopped", who),
            Fact::Checked(who) => of("checked", who),
            Fact::Check { who, about } => format!("check:{}:{}", nick(who), nick(about)),
        }
    }
}

/// What the summary tells everybody. `game` is the state before the close.
pub fn public(report: &Report, game: &Game) -> Vec<Fact> {
    let mut facts: Vec<Fact> = report.deaths.iter().map(|death| fallen(death, report, game)).collect();
    // A64; a shot that is not public is no public cause either (A52).
    let caused = report.deaths.iter().filter(|death| cause_is_public(death, report, game));
    facts.extend(caused.map(|death| Fact::Cause(death.who)));
    facts.extend(report.expelled.iter().map(|expulsion| expelled(expulsion, game)));
    facts.extend(vote(report, game));
    if game.rulebook.announce_saves == AnnounceSaves::Public {
        facts.extend(saved(report).into_iter().map(Fact::Stopped));
    }
    facts
}

/// What the summary must not tell. It holds no more than what this turn would have had to tell.
pub fn hidden(report: &Report, game: &Game) -> Vec<Fact> {
    let mut facts = Vec::new();
    let by_night = report.deaths.iter().filter(|death| death.when == When::Night);
    let silent = by_night.filter(|death| !shot_is_shown(death, report, game) && !cause_is_public(death, report, game));
    facts.extend(silent.map(|death| Fact::Cause(death.who)));
    // R61, A26.
    if let Some(hunt) = &report.hunt {
        facts.extend([Fact::Hunter(hunt.hunter), Fact::Prey(hunt.prey)]);
    }
    // A43, A59: nobody is told why a murder failed.
    let told = if game.rulebook.announce_saves == AnnounceSaves::Public { saved(report) } else { Vec::new() };
    let stopped = once(report.stopped.iter().map(|stopped| stopped.who));
    facts.extend(stopped.into_iter().filter(|who| !told.contains(who)).map(Fact::Stopped));
    // R111, A54, A57, A75.
    facts.extend(once(report.learns.iter().map(|learned| learned.about)).into_iter().map(Fact::Checked));
    facts.extend(report.promoted.map(Fact::Promoted));
    facts.extend(report.converted.map(Fact::Converted));
    facts.extend(report.notes.iter().map(|note| Fact::Note { from: note.from, to: note.to }));
    facts.extend(report.warned.iter().copied().map(Fact::Warned));
    // R109.
    if !report.vote.deprived.is_empty() {
        facts.push(Fact::Votes);
        facts.extend(report.vote.deprived.iter().copied().map(Fact::Deprived));
    }
    facts
}

/// The private letters of the turn: reader and what he is told.
pub fn private(report: &Report, game: &Game) -> Vec<(PlayerId, Fact)> {
    let mut letters: Vec<(PlayerId, Fact)> = Vec::new();
    let mut tell = |reader: PlayerId, fact: Fact| letters.push((reader, fact));
    for who in deprived_now(report, game) {
        tell(who, Fact::Deprived(who));
    }
    for learned in &report.learns {
        tell(learned.who, Fact::Check { who: learned.who, about: learned.about });
    }
    for death in &report.deaths {
        tell(death.who, Fact::Ghost(death.who));
    }
    // A43.
    for (reader, patient) in &report.told_of_saves {
        tell(*reader, Fact::Stopped(*patient));
    }
    // A26.
    if let Some(hunt) = report.hunt.as_ref().filter(|_| game.rulebook.tell_hunter_result) {
        tell(hunt.hunter, Fact::Hunter(hunt.hunter));
    }
    for who in report.missed.iter().filter(|who| !expelled_for_misses(report, **who)) {
        tell(*who, Fact::Missed(*who));
    }
    for who in &report.warned {
        tell(*who, Fact::Warned(*who));
    }
    for expulsion in &report.expelled {
        tell(expulsion.who, Fact::OwnExpulsion(expulsion.who));
    }
    if let Some(who) = report.promoted {
        tell(who, Fact::Promoted(who));
    }
    if let Some(who) = report.converted {
        tell(who, Fact::Converted(who));
        // R36: they are told of each other.
        for to in report.alive.iter().filter(|other| **other != who && game.side(**other) == Some(Side::Mafia)) {
            tell(*to, Fact::NewMember { to: *to, who });
        }
    }
    for note in &report.notes {
        tell(note.to, Fact::Note { from: note.from, to: note.to });
    }
    letters
}

/// R70: one fact a death.
fn fallen(death: &Death, report: &Report, game: &Game) -> Fact {
    let (who, role) = (death.who, death.role);
    let by = report.shot.as_ref().filter(|_| shot_is_shown(death, report, game)).map(|shot| shot.by);
    match by {
        Some(by) => Fact::Shot { who, role, by },
        None if death.causes.contains(&Cause::Lynch) => Fact::Hanged { who, role },
        None => Fact::Dead { who, role },
    }
}

fn shot_is_shown(death: &Death, report: &Report, game: &Game) -> bool {
    game.rulebook.pistol_public && is_shot(death, report)
}

fn is_shot(death: &Death, report: &Report) -> bool {
    report.shot.as_ref().is_some_and(|shot| shot.killed && shot.at == death.who)
}

fn cause_is_public(death: &Death, report: &Report, game: &Game) -> bool {
    game.rulebook.public_causes && death.when == When::Night && !is_shot(death, report)
}

fn expelled(expulsion: &Expulsion, game: &Game) -> Fact {
    let role = Some(expulsion.role).filter(|_| game.rulebook.reveal_on_expulsion);
    Fact::Expelled { who: expulsion.who, role }
}

/// R69, R109, R110, A34.
fn vote(report: &Report, game: &Game) -> Vec<Fact> {
    let mut facts = Vec::new();
    if report.vote.publish == PublishVotes::NoLynch {
        return facts;
    }
    if !report.deaths.iter().any(|death| death.causes.contains(&Cause::Lynch)) {
        facts.push(Fact::NobodyHanged);
    }
    if report.vote.publish == PublishVotes::OutcomeOnly {
        return facts;
    }
    if !report.vote.tied.is_empty() {
        facts.push(Fact::Tie(report.vote.tied.clone()));
    }
    let ballots = report.vote.ballots.iter();
    facts.extend(ballots.map(|(voter, candidate)| Fact::Vote { voter: *voter, candidate: *candidate }));
    if game.rulebook.publish_nonvoters {
        facts.extend(report.vote.nonvoters.iter().copied().map(Fact::Nonvoter));
    }
    facts
}

/// Whom the doctor saved from something.
fn saved(report: &Report) -> Vec<PlayerId> {
    let by_doctor = report.stopped.iter().filter(|stopped| stopped.by == StoppedBy::Doctor);
    once(by_doctor.map(|stopped| stopped.who))
}

fn expelled_for_misses(report: &Report, who: PlayerId) -> bool {
    report.expelled.iter().any(|expulsion| expulsion.who == who && expulsion.why == ExpelWhy::MissedVotes)
}

/// Deprived by an act of this turn; who was deprived for several turns is told once.
fn deprived_now(report: &Report, game: &Game) -> Vec<PlayerId> {
    let deprived = |who: &&PlayerId| {
        game.ledger
            .acts
            .iter()
            .any(|(_, act)| matches!(act, Act::Host(HostAct::Deprive { who: one, .. }) if one == *who))
    };
    report.vote.deprived.iter().filter(deprived).copied().collect()
}

fn once(who: impl Iterator<Item = PlayerId>) -> Vec<PlayerId> {
    let mut all: Vec<PlayerId> = who.collect();
    all.sort();
    all.dedup();
    all
}
