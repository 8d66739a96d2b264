//! The clauses that a step rests on, by their numbers in docs/rulebook.ru.md.

use super::{AskedEnd, NoMiss, ShotOrder, Step};
use crate::letters::facts::Fact;
use crate::rules::admit::Refusal;
use crate::rules::grounds::{Blow, BlowEnd, HeirlessWhy, IdleWhy, KeptWhy, LostWhy, SilentWhy, Verdict};
use crate::rules::ledger::{HostAct, VoidWhy};
use crate::rules::report::{Cause, ExpelWhy, LynchOutcome};
use crate::rules::{Kind, Role};

pub fn clauses(step: &Step) -> Vec<&'static str> {
    match step {
        Step::Asked(asked) => of_line(asked.kind, asked.end),
        Step::Withdrew { .. } => vec!["A13"],
        Step::Unread { .. } => vec!["A14"],
        Step::HostActed { act, .. } => match act {
            HostAct::Expel { left: true, .. } => vec!["A87"],
            HostAct::Expel { left: false, .. } => vec!["R86", "A36"],
            HostAct::Deprive { .. } => vec!["R88", "A35"],
            HostAct::ForgiveMiss { .. } | HostAct::ForgiveSilence { .. } => vec!["A70", "R112"],
        },
        Step::HostWarned(_) | Step::Ruled { .. } => vec!["R112"],
        Step::FirstTurn => vec!["R97"],
        Step::Votes { .. } => vec!["R66"],
        Step::NoVote(_) => vec!["R105"],
        Step::NoRightToVote(_) => vec!["R109", "R110"],
        Step::Quorum { .. } => vec!["R65", "A28"],
        Step::Tie { .. } => vec!["R68", "A29"],
        Step::Court { outcome, .. } => match outcome {
            LynchOutcome::Hanged | LynchOutcome::NoQuorum | LynchOutcome::NoVotes => vec!["R65"],
            LynchOutcome::AlreadyOut => vec!["A32"],
            LynchOutcome::FirstTurn => vec!["R97"],
        },
        Step::ClanAsleep(_) => vec!["R46", "A62"],
        Step::Blow { blow, .. } => of_blow(blow),
        Step::DoctorsElsewhere(_) => vec!["R27"],
        Step::Idle(idle) => match idle.why {
            IdleWhy::Split => vec!["R45"],
            IdleWhy::NobodyHome => vec!["A36"],
            IdleWhy::NoCommissioner => vec!["R50", "A56"],
            IdleWhy::NoPrey => vec!["A23"],
        },
        Step::HealedForNothing { .. } => vec!["R26"],
        Step::Shot { order, .. } => match order {
            ShotOrder::ThisTurn | ShotOrder::Window => vec!["R25", "A50"],
            ShotOrder::Earlier => vec!["R25", "A50", "A51"],
        },
        Step::SilentPistol(silent) => match silent.why {
            SilentWhy::NoOrder => vec!["A50"],
            SilentWhy::Hunting => vec!["A20"],
            SilentWhy::TargetOut(_) => vec!["A52"],
            SilentWhy::Expelled => vec!["A51", "A67"],
        },
        Step::Learned(learned) if learned.killers.is_empty() => vec!["R23", "A44"],
        Step::Learned(_) => vec!["R23", "R24", "A46"],
        Step::LostCheck(lost) => match lost.why {
            LostWhy::KilledByNight => vec!["A47"],
            LostWhy::Expelled => vec!["A49"],
        },
        Step::Died(_) => vec!["R70"],
        Step::Missed { .. } => vec!["R105", "A65"],
        Step::NoMiss { why, .. } => match why {
            NoMiss::Out => vec!["A66"],
            NoMiss::Pardoned => vec!["A70", "R112"],
            NoMiss::Deprived => vec!["A35"],
        },
        Step::Silent { warned_before: true, .. } => vec!["R103", "A69"],
        Step::Silent { warned_before: false, .. } => vec!["R102", "A69"],
        Step::Expelled(expulsion) => match expulsion.why {
            ExpelWhy::MissedVotes => vec!["R105"],
            ExpelWhy::Inactivity => vec!["R103"],
            ExpelWhy::Host => vec!["R86", "R112"],
            ExpelWhy::Left => vec!["A87"],
        },
        Step::Promoted(_) => vec!["R32", "A53", "A54"],
        Step::Converted(_) => vec!["R35", "A57"],
        Step::Heirless(heirless) => match (heirless.why, heirless.role) {
            (HeirlessWhy::NoHeir, Role::Boss) => vec!["R35"],
            (HeirlessWhy::NoHeir, _) => vec!["R32", "A54"],
            (HeirlessWhy::Expulsion, Role::Boss) => vec!["A60"],
            (HeirlessWhy::Expulsion, _) => vec!["A53"],
            (HeirlessWhy::NoClan, _) => vec!["A58"],
        },
        Step::NoteHanded { .. } => vec!["R78", "A73"],
        Step::NoteKept { why, .. } => match why {
            KeptWhy::Death => vec!["A73"],
            KeptWhy::Expulsion => vec!["A67"],
            KeptWhy::Addressee => vec!["A74"],
        },
        Step::Unharmed(_) => Vec::new(),
        Step::Public(fact) | Step::Hidden(fact) | Step::Private { fact, .. } => of_fact(fact),
        Step::Ending(ending) => match ending.verdict {
            Verdict::GoesOn => vec!["R16", "R17"],
            Verdict::ManiacBlocks => vec!["A77"],
            Verdict::NoMafia => vec!["R16", "A78"],
            Verdict::MafiaNotFewer => vec!["R17", "A76"],
            Verdict::ManiacAlone => vec!["R56", "A81"],
            Verdict::NobodyLeft => vec!["A79"],
            Verdict::Stalemate => vec!["A81"],
        },
    }
}

fn of_line(kind: Kind, end: AskedEnd) -> Vec<&'static str> {
    match end {
        AskedEnd::Stands => of_kind(kind),
        AskedEnd::StandsByVote => of_kind(kind).into_iter().chain(["R107"]).collect(),
        AskedEnd::Filed => vec!["R77", "A75"],
        AskedEnd::Refused(refusal) => of_refusal(kind, refusal),
        AskedEnd::Void(why) => of_void(kind, why),
        AskedEnd::Overtaken => vec!["A12", "A13"],
        AskedEnd::FoundLate => vec!["A12"],
    }
}

fn of_kind(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Lynch => vec!["R64"],
        Kind::Hunt => vec!["R58"],
        Kind::Kill => vec!["R41"],
        Kind::Check => vec!["R23"],
        Kind::Heal => vec!["R26"],
        Kind::Seek => vec!["A55"],
        Kind::Pistol => vec!["R25", "A50"],
        Kind::Note => vec!["R77"],
        Kind::Pm | Kind::Clan => vec!["A83"],
    }
}

fn of_refusal(kind: Kind, refusal: Refusal) -> Vec<&'static str> {
    match refusal {
        Refusal::UnknownSender | Refusal::UnknownNick | Refusal::TargetOut(_) => vec!["A15"],
        Refusal::DeadSender => vec!["A72"],
        Refusal::ExpelledSender => vec!["A67"],
        Refusal::AfterDeadline => vec!["A12"],
        Refusal::UnknownRequest => vec!["A14"],
        Refusal::FirstTurn if kind == Kind::Hunt => vec!["R98", "A17"],
        Refusal::FirstTurn => vec!["R97", "R98"],
        Refusal::Deprived => vec!["R88", "A35"],
        Refusal::MafiaNoHunt => vec!["R40"],
        Refusal::LonerNoHunt => vec!["R53", "A25"],
        Refusal::NotYourRole => vec!["R96", "A15"],
        Refusal::SelfTarget if kind == Kind::Lynch => vec!["A30"],
        Refusal::SelfTarget => vec!["A15"],
        Refusal::OwnClan => vec!["A61"],
        Refusal::HealTwice(_) => vec!["R30", "A42"],
        Refusal::NoteAlreadySent => vec!["R77", "A75"],
        Refusal::RelayOff => vec!["A83"],
    }
}

fn of_void(kind: Kind, why: VoidWhy) -> Vec<&'static str> {
    match why {
        VoidWhy::Replaced | VoidWhy::Duplicate | VoidWhy::Withdrawn => vec!["A13"],
        VoidWhy::Slot if matches!(kind, Kind::Kill | Kind::Seek) => vec!["A55"],
        VoidWhy::Slot => vec!["R21", "A18"],
        VoidWhy::StatusWithoutVote => vec!["R107", "A68"],
        VoidWhy::HuntWithoutVote => vec!["A27"],
        VoidWhy::NotFirst => vec!["R59", "A21"],
        VoidWhy::SenderExpelled => vec!["A36"],
        VoidWhy::Deprived => vec!["R88", "A35"],
        VoidWhy::DeadBeforeNight => vec!["A33"],
    }
}

fn of_blow(blow: &Blow) -> Vec<&'static str> {
    let cause = match blow.cause {
        Cause::Mafia => "R44",
        Cause::Maniac => "R55",
        Cause::Kamikaze | Cause::KamikazeSelf => "R50",
        Cause::Hunt => "R60",
        Cause::Hunting => "R61",
        Cause::Pistol => "R25",
        Cause::Lynch => "R65",
    };
    let end = match blow.end {
        BlowEnd::Kills => None,
        BlowEnd::StoppedByBirth => Some("R33"),
        BlowEnd::HealSpent => Some("A41"),
        BlowEnd::StoppedByDoctor | BlowEnd::NotCovered => Some(match blow.cause {
            Cause::Mafia => "R27",
            Cause::Maniac => "A38",
            Cause::Kamikaze | Cause::KamikazeSelf => "A39",
            Cause::Hunt | Cause::Hunting => "A37",
            Cause::Pistol => "A40",
            Cause::Lynch => "R29",
        }),
    };
    [cause].into_iter().chain(end).collect()
}

fn of_fact(fact: &Fact) -> Vec<&'static str> {
    match fact {
        Fact::Dead { .. } | Fact::Hanged { .. } => vec!["R70"],
        Fact::Shot { .. } => vec!["A52"],
        Fact::Expelled { .. } | Fact::OwnExpulsion(_) => vec!["A67"],
        Fact::NobodyHanged => vec!["A34"],
        Fact::Tie(_) => vec!["R68"],
        Fact::Vote { .. } => vec!["R69"],
        Fact::Nonvoter(_) => vec!["A34"],
        Fact::Cause(_) => vec!["A64"],
        Fact::Votes => vec!["R109", "R110"],
        Fact::Deprived(_) => vec!["R109", "A35"],
        Fact::Warned(_) => vec!["R102"],
        Fact::Missed(_) => vec!["R105"],
        Fact::Ghost(_) => vec!["R71", "A72"],
        Fact::Promoted(_) => vec!["R32", "A54"],
        Fact::Converted(_) | Fact::NewMember { .. } => vec!["R36", "A59"],
        Fact::Note { .. } => vec!["R75", "A75"],
        Fact::Hunter(_) | Fact::Prey(_) => vec!["R61", "A26"],
        Fact::Stopped(_) => vec!["A43"],
        Fact::Checked(_) => vec!["R111", "A86"],
        Fact::Check { .. } => vec!["R23", "R31"],
    }
}
