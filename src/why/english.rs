//! The steps in English.

use super::words::Speaker;
use super::{About, Asked, AskedEnd, NoMiss, ShotOrder, Step};
use crate::letters::Lang;
use crate::letters::facts::Fact;
use crate::letters::glossary;
use crate::letters::phrase::plural;
use crate::request::ProblemKind;
use crate::rules::admit::Refusal;
use crate::rules::grounds::{Blow, BlowEnd, Ending, HeirlessWhy, Idle, IdleWhy, KeptWhy, LostWhy, SilentWhy, Verdict};
use crate::rules::ledger::{HostAct, VoidWhy};
use crate::rules::report::{Cause, Learned, LynchOutcome, Status, When};
use crate::rules::rulebook::QuorumBase;
use crate::rules::{Kind, Role};

pub fn heading(s: &Speaker<'_>, about: About) -> String {
    match about {
        About::Lynch => "The court's verdict".to_owned(),
        About::Player(who) => {
            let report = s.story.report();
            let death = report.and_then(|report| report.deaths.iter().find(|death| death.who == who));
            let expelled = report.is_some_and(|report| report.expelled.iter().any(|one| one.who == who));
            let end = match (death.map(|death| death.when), report) {
                (Some(When::Night), _) => "dies in the night",
                (Some(When::Lynch), _) => "dies at the lynch court",
                (None, _) if expelled => "is expelled",
                (None, Some(_)) => "stays in the game",
                (None, None) => "the turn is not closed yet",
            };
            format!("{}: {end}", s.subject(who))
        }
        About::InVain => "What had no effect".to_owned(),
        About::Ending => "Who is left".to_owned(),
    }
}

pub fn step(s: &Speaker<'_>, step: &Step) -> String {
    match step {
        Step::Asked(asked) => line(s, asked),
        Step::Withdrew { from, second, what } => {
            let what: Vec<String> = what.iter().map(|(kind, target)| s.request(*kind, Some(*target), "")).collect();
            format!("{}, letter of {}: takes back “{}”", s.subject(*from), s.arrival(*second), what.join("”, “"))
        }
        Step::Unread { from, second, problem, .. } => {
            let why = match problem {
                Some(ProblemKind::NoArgument) => "there is no nick",
                Some(ProblemKind::NoText) => "there is no text",
                Some(ProblemKind::NoSeparator) => "there is no dash between word and nick",
                Some(ProblemKind::SubjectReply) => "it stands in the subject of a reply only",
                Some(ProblemKind::Undecodable) => "the letter cannot be read",
                Some(ProblemKind::MisspeltWord) => "the request word is misspelt",
                Some(ProblemKind::DoubtfulText) => "it is not clear where the text ends",
                Some(ProblemKind::BelowSignature) => "the line stands under a signature",
                Some(ProblemKind::InBrackets) => "the nick stands in the brackets of an example",
                None => "it is not taken now",
            };
            format!("{}, letter of {}: a line was not understood, {why}", s.subject(*from), s.arrival(*second))
        }
        Step::HostActed { act, second } => {
            let (who, what) = match act {
                HostAct::Expel { who, left: true } => (who, "leaves the game by own wish".to_owned()),
                HostAct::Expel { who, left: false } => (who, "is expelled, and all requests fall".to_owned()),
                HostAct::Deprive { who, turns } => {
                    let count = u64::from(*turns);
                    (who, format!("loses the vote for {count} {}", plural(Lang::En, count, "turn", "turns", "turns")))
                }
                HostAct::ForgiveMiss { who } => (who, "is forgiven one missed vote".to_owned()),
                HostAct::ForgiveSilence { who } => (who, "is forgiven one warning".to_owned()),
            };
            format!("By the host, {}: {} {what}", s.arrival(*second), s.nick(*who))
        }
        Step::HostWarned(who) => format!("The host warns {} in words of his own", s.nick(*who)),
        Step::Ruled { who, alive: true } => format!("The host rules before publication: {} is alive", s.nick(*who)),
        Step::Ruled { who, alive: false } => format!("The host rules before publication: {} is dead", s.nick(*who)),
        Step::FirstTurn => "There is no lynch in the first turn".to_owned(),
        Step::Votes { candidate, voters } => {
            let count = voters.len() as u64;
            let votes = plural(Lang::En, count, "vote", "votes", "votes");
            format!("Against {}: {count} {votes}, by {}", s.nick(*candidate), s.nicks(voters))
        }
        Step::NoVote(who) => format!("Without a vote: {}", s.nicks(who)),
        Step::NoRightToVote(who) => {
            format!("Deprived of the vote in this turn: {}; so only the outcome is published", s.nicks(who))
        }
        Step::Quorum { most, least, base } => {
            let of = match s.story.table.game.rulebook.lynch_quorum_base {
                QuorumBase::VotesCast => "the votes cast",
                QuorumBase::Alive => "those alive at the turn's start",
                QuorumBase::AllPlayers => "all who began the game",
            };
            let enough = if most >= least { "that is enough" } else { "that is too few" };
            format!("Votes needed: {least} (taken of {of}, {base}); the most for one are {most}, {enough}")
        }
        Step::Tie { among, chosen } => {
            let chosen = chosen.map_or("nobody", |who| s.nick(who));
            format!("Several share the top: {}; the lot falls on {chosen}", s.nicks(among))
        }
        Step::Court { outcome, chosen } => {
            let nick = chosen.map_or("", |who| s.nick(who));
            match outcome {
                LynchOutcome::Hanged => format!("Hanged: {nick}"),
                LynchOutcome::AlreadyOut => {
                    format!("The court chose {nick}, who is out already; nobody takes the place")
                }
                LynchOutcome::NoQuorum => "Nobody is hanged: nobody has enough votes".to_owned(),
                LynchOutcome::NoVotes => "Nobody is hanged: there are no votes".to_owned(),
                LynchOutcome::FirstTurn => "There is no lynch in the first turn".to_owned(),
            }
        }
        Step::ClanAsleep(who) => {
            format!("Of the clan without a request in force, and not reckoned with: {}", s.people(who))
        }
        Step::Blow { blow, prey, undone } => {
            let undone = if *undone { "; the host ruled otherwise" } else { "" };
            format!("{}; {}{undone}", attack(s, blow, *prey), blow_end(blow))
        }
        Step::DoctorsElsewhere(heals) => match heals.as_slice() {
            [] => "Nobody heals in this turn: nothing stands in the way".to_owned(),
            heals => {
                let heal = |(doctor, patient): &(_, _)| format!("{} heals {}", s.subject(*doctor), s.nick(*patient));
                format!("{}: nothing stands in the way", heals.iter().map(heal).collect::<Vec<_>>().join(", "))
            }
        },
        Step::Idle(idle) => format!("{}: {}", asked(s, idle), idle_why(s, idle)),
        Step::HealedForNothing { doctor, patient } => {
            format!("{} is at the bed of {}: there is nothing to save from", s.subject(*doctor), s.nick(*patient))
        }
        Step::Shot { shot, order } => {
            let order = match order {
                ShotOrder::ThisTurn => "the order came in this turn",
                ShotOrder::Earlier => "the order stands since an earlier turn",
                ShotOrder::Window => "the target was named in answer to the question after the death",
            };
            let end = if shot.killed { "it kills" } else { "the doctor saves" };
            format!("{} shoots at {}: {order}, {end}", s.subject(shot.by), s.nick(shot.at))
        }
        Step::SilentPistol(silent) => {
            let why = match silent.why {
                SilentWhy::NoOrder => "there is no order".to_owned(),
                SilentWhy::Expelled => "an expulsion is no killing".to_owned(),
                SilentWhy::Hunting => "the cartridges went into a hunt".to_owned(),
                SilentWhy::TargetOut(at) => format!("the target, {}, is dead or out already", s.nick(at)),
            };
            format!("{} does not shoot: {why}", s.subject(silent.by))
        }
        Step::Learned(learned) => learns(s, learned),
        Step::LostCheck(lost) => {
            let why = match lost.why {
                LostWhy::KilledByNight => "the commissioner dies in the same night",
                LostWhy::Expelled => "the commissioner is expelled",
            };
            format!("{} checks {} and gets no answer: {why}", s.subject(lost.by), s.nick(lost.about))
        }
        Step::Died(death) => match death.causes.as_slice() {
            [] => format!("The host's word: {} dies", s.nick(death.who)),
            causes => format!("Death of {}; causes: {}", s.nick(death.who), s.causes(causes)),
        },
        Step::Missed { who, so_far, limit } => {
            format!("No vote of {}: miss {so_far}, {limit} mean expulsion", s.nick(*who))
        }
        Step::NoMiss { who, why } => {
            let why = match why {
                NoMiss::Out => "no miss is written down for one who is out of the game",
                NoMiss::Pardoned => "the miss is forgiven",
                NoMiss::Deprived => "no miss, there was no right to vote",
            };
            format!("No vote of {}: {why}", s.nick(*who))
        }
        Step::Silent { who, warned_before, by_hand } => {
            let then = match (by_hand, warned_before) {
                (true, _) => "only the host warns of that",
                (false, true) => "there was a warning before",
                (false, false) => "first warning",
            };
            format!("Silence of {} in the topic: {then}", s.nick(*who))
        }
        Step::Expelled(expulsion) => {
            format!("Expelled: {}, on the ground: {}", s.nick(expulsion.who), glossary::ground(Lang::En, expulsion.why))
        }
        Step::Promoted(who) => format!("{}: commissioner from the next turn on", s.subject(*who)),
        Step::Converted(who) => format!("{}: mafioso from the next turn on", s.subject(*who)),
        Step::Heirless(heirless) => {
            let heir = if heirless.role == Role::Boss {
                "The foundling does not turn"
            } else {
                "There is no new commissioner"
            };
            let why = match (heirless.why, heirless.role) {
                (HeirlessWhy::NoHeir, Role::Boss) => "no foundling is alive",
                (HeirlessWhy::NoHeir, _) => "no sergeant is alive",
                (HeirlessWhy::Expulsion, _) => "an expulsion does not count here",
                (HeirlessWhy::NoClan, _) => "no mafia is left",
            };
            format!("{heir}: {why}")
        }
        Step::NoteHanded { from, to } => format!("The death note of {} is handed to {}", s.nick(*from), s.nick(*to)),
        Step::NoteKept { from, to, why } => {
            let why = match why {
                KeptWhy::Death => "not after such a death",
                KeptWhy::Expulsion => "not after an expulsion",
                KeptWhy::Addressee => "its addressee can get it no more",
            };
            format!("The death note of {} to {} is not handed over: {why}", s.nick(*from), s.nick(*to))
        }
        Step::Unharmed(who) => format!("Nothing befell {} in this turn", s.nick(*who)),
        Step::Public(fact) => format!("The summary tells all: {}", said(s, fact)),
        Step::Hidden(fact) => format!("The summary does not tell: {}", said(s, fact)),
        Step::Private { reader, fact } => format!("A letter tells {}: {}", s.nick(*reader), said(s, fact)),
        Step::Ending(ending) => end(ending),
    }
}

fn line(s: &Speaker<'_>, line: &Asked) -> String {
    let request = s.request(line.kind, line.target, "unknown nick");
    let end = match line.end {
        AskedEnd::Stands => "stands".to_owned(),
        AskedEnd::StandsByVote => "stands, and so does the lynch vote".to_owned(),
        AskedEnd::Filed => "lies with the host".to_owned(),
        AskedEnd::Refused(refusal) => format!("refused, {}", refused(s, refusal)),
        AskedEnd::Void(why) => format!("without effect, {}", void(line.kind, why)),
        AskedEnd::Overtaken => "accepted, but an earlier letter that was read later has undone it".to_owned(),
        AskedEnd::FoundLate => "on time, but found after the turn was closed, and changes nothing by itself".to_owned(),
    };
    format!("{}, letter of {}: “{request}” — {end}", s.subject(line.from), s.arrival(line.second))
}

fn refused(s: &Speaker<'_>, refusal: Refusal) -> String {
    match refusal {
        Refusal::UnknownSender => "the sender is no player".to_owned(),
        Refusal::DeadSender => "the sender is a ghost".to_owned(),
        Refusal::ExpelledSender => "the sender is out of the game".to_owned(),
        Refusal::AfterDeadline => "the deadline had passed".to_owned(),
        Refusal::UnknownRequest => "there is no such request".to_owned(),
        Refusal::FirstTurn => "not in the first turn".to_owned(),
        Refusal::Deprived => "no right to vote in this turn".to_owned(),
        Refusal::MafiaNoHunt => "the mafia does not hunt".to_owned(),
        Refusal::LonerNoHunt => "loners do not hunt".to_owned(),
        Refusal::NotYourRole => "another role's power".to_owned(),
        Refusal::UnknownNick => "there is no such nick".to_owned(),
        Refusal::TargetOut(who) => format!("{} is out already", s.nick(who)),
        Refusal::SelfTarget => "not against oneself".to_owned(),
        Refusal::OwnClan => "the clan spares its own".to_owned(),
        Refusal::HealTwice(who) => format!("{} was healed the night before", s.nick(who)),
        Refusal::NoteAlreadySent => "a note lies with the host already".to_owned(),
        Refusal::RelayOff => "there are no private messages in this game".to_owned(),
    }
}

fn void(kind: Kind, why: VoidWhy) -> &'static str {
    match (why, kind) {
        (VoidWhy::Slot, Kind::Hunt) => "its place is taken by a role request",
        (VoidWhy::Slot, Kind::Kill) => "its place is taken by a search",
        (VoidWhy::Slot, Kind::Seek) => "its place is taken by a murder",
        (VoidWhy::Slot, _) => "its place is taken by a hunt",
        (VoidWhy::Replaced, _) => "replaced by a later one",
        (VoidWhy::Duplicate, _) => "it repeats an earlier one",
        (VoidWhy::Withdrawn, _) => "taken back",
        (VoidWhy::StatusWithoutVote, _) => "there is no lynch vote",
        (VoidWhy::HuntWithoutVote, _) => "there is no lynch vote, and a hunt wants one here",
        (VoidWhy::NotFirst, _) => "another hunt came first",
        (VoidWhy::SenderExpelled, _) => "its sender was expelled",
        (VoidWhy::Deprived, _) => "its sender was deprived of the vote",
        (VoidWhy::DeadBeforeNight, _) => "its sender was dead before the night",
    }
}

fn asked(s: &Speaker<'_>, idle: &Idle) -> String {
    format!("{}, “{}”", s.subject(idle.from), s.request(idle.kind, Some(idle.target), ""))
}

fn idle_why(s: &Speaker<'_>, idle: &Idle) -> String {
    match idle.why {
        IdleWhy::Split => "the clan named several, and its plan failed".to_owned(),
        IdleWhy::NobodyHome => format!("nobody is there, {} is out by that hour", s.nick(idle.target)),
        IdleWhy::NoCommissioner => format!("{} was not the commissioner at the turn's start", s.nick(idle.target)),
        IdleWhy::NoPrey => "the prey is the maniac: neither he nor the hunter dies".to_owned(),
    }
}

fn attack(s: &Speaker<'_>, blow: &Blow, prey: Option<crate::rules::PlayerId>) -> String {
    let (on, by) = (s.nick(blow.on), s.people(&blow.by));
    match blow.cause {
        Cause::Mafia => format!("The clan is of one mind, its victim is {on}: {by}"),
        Cause::Maniac => format!("The maniac comes to {on}: {by}"),
        Cause::Kamikaze => format!("Commissioner at the turn's start is {on}, and the kamikaze finds him: {by}"),
        Cause::Hunt => {
            format!("First in the queue of hunters: {by}; the prey, {}, dies by the rules", s.person(blow.on))
        }
        Cause::Hunting => {
            let prey = prey.map_or_else(|| "?".to_owned(), |prey| s.person(prey));
            format!("First in the queue of hunters: {by}; the prey, {prey}, is no mafia, and the hunter dies")
        }
        Cause::KamikazeSelf => format!("The kamikaze finds the commissioner and dies with him: {on}"),
        Cause::Pistol => format!("A bullet for {on} from {by}"),
        Cause::Lynch => format!("The rope for {on}"),
    }
}

fn blow_end(blow: &Blow) -> &'static str {
    match (blow.end, blow.cause) {
        (BlowEnd::Kills, _) => "it kills",
        (BlowEnd::StoppedByDoctor, _) => "the doctor is near, no death",
        (BlowEnd::StoppedByBirth, _) => "the mafia cannot kill the foundling, no death",
        (BlowEnd::NotCovered, Cause::Lynch) => "the doctor heals, but does not save from the court",
        (BlowEnd::NotCovered, _) => "the doctor is near, but does not save from this",
        (BlowEnd::HealSpent, _) => "the doctor is near, but the heal went to another attack",
    }
}

fn learns(s: &Speaker<'_>, learned: &Learned) -> String {
    let status = match learned.status {
        Status::Role(role) => glossary::role_checked(Lang::En, role),
        Status::Side(side) => glossary::side(Lang::En, side),
    };
    let killers = match learned.killers.as_slice() {
        [] => String::new(),
        causes => format!("; killed by: {}", s.causes(causes)),
    };
    let nicks = match learned.killer_nicks.as_slice() {
        [] => String::new(),
        nicks => format!(" ({})", s.nicks(nicks)),
    };
    format!("{} learns of a check: {} is {status}{killers}{nicks}", s.subject(learned.who), s.nick(learned.about))
}

/// What a fact is called.
fn said(s: &Speaker<'_>, fact: &Fact) -> String {
    match fact {
        Fact::Dead { role, .. } => format!("the death in the night and the role, {}", glossary::role(Lang::En, *role)),
        Fact::Hanged { role, .. } => format!("the hanging and the role, {}", glossary::role(Lang::En, *role)),
        Fact::Shot { role, by, .. } => {
            format!("the shot, by {}, and the role, {}", s.nick(*by), glossary::role(Lang::En, *role))
        }
        Fact::Expelled { role: Some(role), .. } => {
            format!("the expulsion and the role, {}", glossary::role(Lang::En, *role))
        }
        Fact::Expelled { role: None, .. } => "the expulsion, no role".to_owned(),
        Fact::NobodyHanged => "nobody is hanged".to_owned(),
        Fact::Tie(among) => format!("several share the top: {}", s.nicks(among)),
        Fact::Vote { voter, candidate } => format!("the vote of {} against {}", s.nick(*voter), s.nick(*candidate)),
        Fact::Nonvoter(_) => "that there is no vote".to_owned(),
        Fact::Cause(_) => "the cause of death".to_owned(),
        Fact::Votes => "who voted how".to_owned(),
        Fact::Deprived(_) => "the loss of the vote".to_owned(),
        Fact::Warned(_) => "the warning for silence".to_owned(),
        Fact::Missed(_) => "the missed vote".to_owned(),
        Fact::OwnExpulsion(_) => "the expulsion".to_owned(),
        Fact::Ghost(_) => "of the death, and of what a ghost may do".to_owned(),
        Fact::Promoted(who) => format!("{} becomes commissioner", s.nick(*who)),
        Fact::Converted(who) => format!("{} becomes a mafioso", s.nick(*who)),
        Fact::NewMember { who, .. } => format!("{} belongs to the clan now", s.nick(*who)),
        Fact::Note { from, to } => format!("the death note of {} to {}", s.nick(*from), s.nick(*to)),
        Fact::Hunter(_) => "who the hunter is".to_owned(),
        Fact::Prey(_) => "who the prey is".to_owned(),
        Fact::Stopped(_) => "the attack that failed".to_owned(),
        Fact::Checked(_) => "that there was a check".to_owned(),
        Fact::Check { about, .. } => format!("what the check of {} shows", s.nick(*about)),
    }
}

fn end(ending: &Ending) -> String {
    let Ending { town, mafia, maniacs, verdict } = ending;
    let verdict = match verdict {
        Verdict::GoesOn => "the game goes on",
        Verdict::ManiacBlocks => "while the maniac lives, nobody else has won",
        Verdict::NoMafia => "no mafia is left, the town has won",
        Verdict::MafiaNotFewer => "the mafia is not fewer than the peaceful, it has won",
        Verdict::ManiacAlone => "only the maniac is left, he has won",
        Verdict::NobodyLeft => "nobody is left, a draw",
        Verdict::Stalemate => "nobody died for too long, a draw",
    };
    format!("Alive are {town} of the town, {mafia} of the mafia, {maniacs} maniacs: {verdict}")
}
