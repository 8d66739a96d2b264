//! One player's turn: what he asked, who came for him, what stopped it, how he ended, who hears of it.

use super::{About, Chapter, NoMiss, ShotOrder, Step, Story, asked, lynch};
use crate::letters::facts::{self, Fact};
use crate::rules::grounds::{Blow, BlowEnd};
use crate::rules::ledger::{Act, HostAct};
use crate::rules::report::{Cause, Report};
use crate::rules::rulebook::PistolMode;
use crate::rules::turn::{Circumstances, WindowAnswer};
use crate::rules::{Kind, PlayerId, Role, Side};

/// Everything: his letters, his deeds, his fate.
pub fn whole(story: &Story, who: PlayerId) -> Chapter {
    let mut steps = asked::lines_of(story, who);
    if let Some(report) = story.report() {
        steps.extend(asked::deeds_of(story, report, who));
    }
    steps.extend(fate(story, who).steps);
    Chapter { about: About::Player(who), steps }
}

/// What befell him and why.
pub fn fate(story: &Story, who: PlayerId) -> Chapter {
    let mut steps = host_acts(story, who);
    if let Some((report, circumstances)) = &story.closed {
        steps.extend(attacks_on(story, report, who));
        steps.extend(court_against(story, report, who));
        steps.extend(exit(story, report, circumstances, who));
        steps.extend(discipline(story, report, circumstances, who));
        steps.extend(heritage(report, who));
        if !is_touched(story, who) {
            steps.push(Step::Unharmed(who));
        }
        steps.extend(told(story, report, who));
    }
    Chapter { about: About::Player(who), steps }
}

/// Did anything befall him that wants a reason?
pub fn is_touched(story: &Story, who: PlayerId) -> bool {
    let Some((report, circumstances)) = &story.closed else { return !host_acts(story, who).is_empty() };
    report.deaths.iter().any(|death| death.who == who)
        || report.expelled.iter().any(|expulsion| expulsion.who == who)
        || report.grounds.blows.iter().any(|blow| blow.on == who)
        || report.promoted == Some(who)
        || report.converted == Some(who)
        || report.missed.contains(&who)
        || report.warned.contains(&who)
        || circumstances.rulings.contains_key(&who)
        || circumstances.pardoned.contains(&who)
        || !host_acts(story, who).is_empty()
}

/// A blow with what the report knows of it elsewhere.
pub fn blow_step(story: &Story, report: &Report, blow: &Blow) -> Step {
    let prey = report.hunt.as_ref().filter(|_| blow.cause == Cause::Hunting).map(|hunt| hunt.prey);
    let ruled = story.closed.as_ref().and_then(|(_, circumstances)| circumstances.rulings.get(&blow.on));
    let kills = matches!(blow.end, BlowEnd::Kills | BlowEnd::NotCovered | BlowEnd::HealSpent);
    Step::Blow { blow: blow.clone(), prey, undone: kills && ruled == Some(&true) }
}

fn host_acts(story: &Story, who: PlayerId) -> Vec<Step> {
    let acts = story.table.game.ledger.acts.iter().filter_map(|(order, act)| match act {
        Act::Host(act) => Some((order.second, act)),
        Act::Letter { .. } => None,
    });
    let his = acts.filter(|(_, act)| {
        let (HostAct::Expel { who: one, .. }
        | HostAct::Deprive { who: one, .. }
        | HostAct::ForgiveMiss { who: one }
        | HostAct::ForgiveSilence { who: one }) = act;
        *one == who
    });
    let warned = story.host_warned.iter().filter(|one| **one == who).map(|one| Step::HostWarned(*one));
    his.map(|(second, act)| Step::HostActed { act: act.clone(), second }).chain(warned).collect()
}

/// Whose requests brought what, what stopped it, and where the doctors were.
fn attacks_on(story: &Story, report: &Report, who: PlayerId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut could_be_saved = false;
    for blow in report.grounds.blows.iter().filter(|blow| blow.on == who && blow.cause != Cause::Lynch) {
        let kind = match blow.cause {
            Cause::Mafia | Cause::Maniac => Some(Kind::Kill),
            Cause::Kamikaze | Cause::KamikazeSelf => Some(Kind::Seek),
            Cause::Hunt | Cause::Hunting => Some(Kind::Hunt),
            Cause::Pistol | Cause::Lynch => None,
        };
        steps.extend(blow.by.iter().filter_map(|by| asked::in_force(story, *by, kind?)));
        if blow.cause == Cause::Mafia {
            steps.extend(asleep(story, report));
        }
        steps.extend(
            report
                .shot
                .as_ref()
                .filter(|_| blow.cause == Cause::Pistol)
                .map(|shot| Step::Shot { shot: shot.clone(), order: order_of(story, report) }),
        );
        if !(blow.cause == Cause::Pistol && blow.end == BlowEnd::Kills) {
            steps.push(blow_step(story, report, blow));
        }
        could_be_saved |=
            blow.end == BlowEnd::Kills && matches!(blow.cause, Cause::Mafia | Cause::Maniac | Cause::Kamikaze);
    }
    if could_be_saved {
        steps.extend(asked::heals_without_force(story, who));
        steps.push(Step::DoctorsElsewhere(report.grounds.heals.clone()));
    }
    steps
}

/// R46: who of the clan was not reckoned with.
pub fn asleep(story: &Story, report: &Report) -> Option<Step> {
    let game = &story.table.game;
    let sends = |who: &PlayerId| report.standing.iter().any(|line| line.from == *who && line.kind == Kind::Kill);
    let sleepers: Vec<PlayerId> =
        game.living().into_iter().filter(|who| game.side(*who) == Some(Side::Mafia) && !sends(who)).collect();
    (!sleepers.is_empty()).then_some(Step::ClanAsleep(sleepers))
}

/// A50: where the order for the shot came from.
fn order_of(story: &Story, report: &Report) -> ShotOrder {
    let window = story.closed.as_ref().map(|(_, circumstances)| circumstances.window);
    let is_window = story.table.game.rulebook.pistol_mode == PistolMode::Window;
    match window {
        Some(WindowAnswer::Shoot(_)) if is_window => ShotOrder::Window,
        _ if report.standing.iter().any(|line| line.kind == Kind::Pistol) => ShotOrder::ThisTurn,
        _ => ShotOrder::Earlier,
    }
}

fn court_against(story: &Story, report: &Report, who: PlayerId) -> Vec<Step> {
    if !report.vote.tally.contains_key(&who) {
        return Vec::new();
    }
    let mut steps = vec![lynch::votes(report, who)];
    if report.vote.chosen == Some(who) || report.vote.tied.contains(&who) {
        steps.extend(lynch::verdict(report));
    }
    let under_a_doctor = |blow: &&Blow| blow.on == who && blow.cause == Cause::Lynch && blow.end == BlowEnd::NotCovered;
    steps.extend(report.grounds.blows.iter().filter(under_a_doctor).map(|blow| blow_step(story, report, blow)));
    steps
}

/// Death or expulsion, and the pistol.
fn exit(story: &Story, report: &Report, circumstances: &Circumstances, who: PlayerId) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    steps.extend(circumstances.rulings.get(&who).map(|alive| Step::Ruled { who, alive: *alive }));
    steps.extend(report.deaths.iter().filter(|death| death.who == who).cloned().map(Step::Died));
    if let Some(shot) = report.shot.as_ref().filter(|shot| shot.by == who) {
        steps.push(Step::Shot { shot: shot.clone(), order: order_of(story, report) });
    }
    steps.extend(report.grounds.silent_pistol.filter(|silent| silent.by == who).map(Step::SilentPistol));
    steps
}

fn discipline(story: &Story, report: &Report, circumstances: &Circumstances, who: PlayerId) -> Vec<Step> {
    let (game, mut steps) = (&story.table.game, Vec::new());
    let player = game.player(who);
    if report.missed.contains(&who) {
        let so_far = player.map_or(0, |player| player.missed).saturating_add(1);
        steps.push(Step::Missed { who, so_far, limit: game.rulebook.missed_votes_limit });
    } else if circumstances.pardoned.contains(&who) {
        steps.push(Step::NoMiss { who, why: NoMiss::Pardoned });
    } else if report.vote.nonvoters.contains(&who) {
        steps.push(Step::NoMiss { who, why: NoMiss::Out });
    } else if report.vote.deprived.contains(&who) && report.alive.contains(&who) && report.turn >= 2 {
        steps.push(Step::NoMiss { who, why: NoMiss::Deprived });
    }
    if circumstances.silent.contains(&who) {
        let warned_before = player.is_some_and(|player| player.warned > 0);
        steps.push(Step::Silent { who, warned_before, by_hand: !game.rulebook.activity_auto });
    }
    steps.extend(report.expelled.iter().filter(|expulsion| expulsion.who == who).cloned().map(Step::Expelled));
    steps
}

/// Who follows him, whom he follows, and his note.
fn heritage(report: &Report, who: PlayerId) -> Vec<Step> {
    let mut steps = Vec::new();
    let left_as = |role: Role| {
        report.deaths.iter().any(|death| death.who == who && death.role == role)
            || report.expelled.iter().any(|expulsion| expulsion.who == who && expulsion.role == role)
    };
    let heirs = [
        (report.promoted, Role::Commissioner, Step::Promoted as fn(PlayerId) -> Step),
        (report.converted, Role::Boss, Step::Converted),
    ];
    for (heir, role, step) in heirs {
        steps.extend(heir.filter(|heir| *heir == who || left_as(role)).map(step));
    }
    let heirless = report.grounds.heirless.iter().filter(|heirless| left_as(heirless.role));
    steps.extend(heirless.copied().map(Step::Heirless));
    let handed = report.notes.iter().filter(|note| note.from == who || note.to == who);
    steps.extend(handed.map(|note| Step::NoteHanded { from: note.from, to: note.to }));
    let kept = report.grounds.kept_notes.iter().filter(|note| note.from == who);
    steps.extend(kept.map(|note| Step::NoteKept { from: note.from, to: note.to, why: note.why }));
    steps
}

/// What the summary says and hides of him, and who is told of him by letter.
fn told(story: &Story, report: &Report, who: PlayerId) -> Vec<Step> {
    let game = &story.table.game;
    let public = facts::public(report, game).into_iter().filter(|fact| subject(fact) == Some(who));
    let hidden = facts::hidden(report, game).into_iter().filter(|fact| subject(fact) == Some(who));
    let private = facts::private(report, game).into_iter();
    let private = private.filter(|(reader, fact)| *reader == who || subject(fact) == Some(who));
    let public = public.map(Step::Public);
    public.chain(hidden.map(Step::Hidden)).chain(private.map(|(reader, fact)| Step::Private { reader, fact })).collect()
}

/// Whom a fact is about; of a vote the summary's list is enough.
fn subject(fact: &Fact) -> Option<PlayerId> {
    match fact {
        Fact::Dead { who, .. } | Fact::Hanged { who, .. } | Fact::Shot { who, .. } | Fact::Expelled { who, .. } => {
            Some(*who)
        }
        Fact::Nonvoter(who)
        | Fact::Cause(who)
        | Fact::Deprived(who)
        | Fact::Warned(who)
        | Fact::Missed(who)
        | Fact::OwnExpulsion(who)
        | Fact::Ghost(who)
        | Fact::Promoted(who)
        | Fact::Converted(who)
        | Fact::Hunter(who)
        | Fact::Prey(who)
        | Fact::Stopped(who)
        | Fact::Checked(who) => Some(*who),
        Fact::NewMember { who, .. } => Some(*who),
        Fact::Note { from, .. } => Some(*from),
        Fact::Check { about, .. } => Some(*about),
        Fact::NobodyHanged | Fact::Tie(_) | Fact::Vote { .. } | Fact::Votes => None,
    }
}
