//! The words of [`super`] in English.

use super::{Did, Forgiven, NotDone, Said, local};
use crate::request::orders::Verb;
use crate::schedule::LocalTime;

pub(super) fn did(did: &Did, zone: &str) -> Said {
    match did {
        Did::Begun { players, deadline } => Said::new(
            format!("the game has begun with {players} players; the first deadline is {}", local(*deadline, zone)),
            "The roles are dealt and can't be dealt again; `cancel` ends the game without a winner.",
        ),
        Did::DeadlineSet { deadline, was, local: clock } => Said::new(
            format!("the deadline is {}{}", local(*deadline, zone), of_the_clock(*clock)),
            match was {
                Some(was) => format!("It was {}; `deadline` with that time sets it back.", local(*was, zone)),
                None => "`deadline` with another time moves it.".to_owned(),
            },
        ),
        Did::Skipping { dates, .. } if dates.is_empty() => {
            Said::new("no date is skipped", "`skip` with dates skips them.")
        }
        Did::Skipping { dates, stays } => Said::new(
            format!("no turn ends by itself on {dates}"),
            match stays {
                Some(stays) => {
                    format!("The deadline that is set, {}, stays; `deadline` moves it.", local(*stays, zone))
                }
                None => "`skip` with `none` takes all of them back.".to_owned(),
            },
        ),
        Did::TurnOver { turn } => Said::new(
            format!("turn {turn} is over as of now; it is closed when the mail that is on its way has come in"),
            "This can't be taken back.",
        ),
        Did::Paused => {
            Said::new("the game is paused; requests are taken, no deadline fires", "`resume` lets it go on.")
        }
        Did::Resumed { deadline } => {
            Said::new(format!("the game goes on; deadline {}", local(*deadline, zone)), "`pause` stops it again.")
        }
        Did::Published => Said::new("the results are published", "Letters that have left can't be called back."),
        Did::Cancelled => Said::new("the game is cancelled", "This can't be taken back."),
        Did::Expelled { nick } => Said::new(format!("{nick} is expelled"), "This can't be taken back."),
        Did::Warned { nick } => {
            Said::new(format!("{nick} is warned"), "A warning in words has no consequence by itself.")
        }
        Did::Deprived { nicks, turns } => Said::new(
            format!("{} may not vote for {turns} turn{}", nicks.join(", "), if *turns == 1 { "" } else { "s" }),
            "It ends by itself.",
        ),
        Did::Forgiven { what, nick: None } => {
            Said::new(format!("{} is forgiven to everybody who has one", forgiven(*what)), "This can't be taken back.")
        }
        Did::Forgiven { what, nick: Some(nick) } => {
            Said::new(format!("{} is forgiven to {nick}", forgiven(*what)), "This can't be taken back.")
        }
        Did::MissesOfTurnForgiven { published: true } => Said::new(
            "all misses of this turn are forgiven and its results are published",
            "Letters that have left can't be called back.",
        ),
        Did::MissesOfTurnForgiven { published: false } => {
            Said::new("all misses of this turn are forgiven", "`publish` makes the turn known.")
        }
    }
}

/// What the clock made of the hour that was named.
fn of_the_clock(clock: LocalTime) -> &'static str {
    match clock {
        LocalTime::Once => "",
        LocalTime::Skipped => "; the clock skips the hour that you named, so it is as much later as the clock jumps",
        LocalTime::Twice => "; the clock shows this hour twice, the earlier one is meant",
    }
}

fn forgiven(what: Forgiven) -> &'static str {
    match what {
        Forgiven::Miss => "a missed vote",
        Forgiven::Silence => "a silence",
    }
}

pub(super) fn not_done(why: &NotDone) -> Said {
    match why {
        NotDone::StartedAlready => Said::new("the game has started already", "`status` tells how it stands."),
        NotDone::NotBegun => Said::new("the game has not begun", "`start` first."),
        NotDone::HasEnded => Said::new("the game has ended", "Make a new game."),
        NotDone::IsPaused => Said::new("the game is paused", "`resume` first."),
        NotDone::NotPaused => Said::new("the game is not paused", "Nothing is to be done."),
        NotDone::NotPlaying => Said::new("the game is not being played", "`status` tells how it stands."),
        NotDone::NoDeadline => Said::new("no deadline is set", "Set one with `deadline`."),
        NotDone::MovesNothing => Said::new("that moves nothing", "Say by how much: +2h."),
        NotDone::PastTime => Said::new("that time has passed", "`resolve` ends the turn at once."),
        NotDone::TooFar => Said::new("the time left is too long", "Set a deadline."),
        NotDone::NoTime { said } => Said::new(
            format!("\"{said}\" is not a time"),
            "Write 2026-12-05 21:00, 21:00, tomorrow 21:00, 05.12 21:00, 2026-12-05T21:00:00+03:00, +90s, +2h or +1d.",
        ),
        NotDone::NoDates { said } => Said::new(
            format!("\"{said}\" is not dates to come"),
            "Write 31 December, 1-8 January; 31.12, 01.01-08.01; 2026-12-31 - 2027-01-08; or none.",
        ),
        NotDone::BeingClosed => {
            Said::new("the deadline has passed, the turn is being closed", "Wait for the results, then say it again.")
        }
        NotDone::InReview { turn } => Said::new(
            format!("turn {turn} is closed and waits for publication: this would not count in it"),
            "`publish` it first, then say it again.",
        ),
        NotDone::NothingToPublish => {
            Said::new("no closed turn waits for publication", "`status` tells how the game stands.")
        }
        NotDone::WaitsForShot => Said::new(
            "the turn waits for a last word (pistol_mode = \"window\")",
            "It goes on by itself when the window is over.",
        ),
        NotDone::UnknownNick { said, nicks } => {
            Said::new(format!("nobody is called {said}"), format!("They are: {}.", nicks.join(", ")))
        }
        NotDone::OutAlready { nick } => {
            Said::new(format!("{nick} is out of the game already"), "Nothing is to be done.")
        }
        NotDone::Incomplete { verb } => Said::new("something is missing", format!("Write: {}", form(*verb))),
        NotDone::CantDeal { fault } => {
            Said::new(format!("the roles can't be dealt: {fault}"), "Mend the roster or the rules.")
        }
        NotDone::UnknownZone { zone } => Said::new(format!("the zone {zone} is unknown"), "Mend `timezone`."),
    }
}

pub(super) fn form(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "Start",
        Verb::Deadline => "Deadline - ‹2026-12-05 21:00›",
        Verb::Extend => "Extend - ‹+2h›",
        Verb::Skip => "Skip - ‹31 December, 1-8 January›",
        Verb::Pause => "Pause",
        Verb::Resume => "Resume",
        Verb::Resolve => "Resolve",
        Verb::Publish => "Publish",
        Verb::Warn => "Warn - ‹Nick: your words›",
        Verb::Deprive => "Deprive - ‹Nick, Nick: 2›",
        Verb::Forgive => "Forgive - ‹Nick›",
        Verb::Expel => "Expel - ‹Nick: your words›",
        Verb::Cancel => "Cancel game",
        Verb::Why => "Why - ‹Nick›",
        Verb::Status => "Status",
        Verb::Help => "Help",
    }
}

/// What a word that stands alone is for.
pub(super) fn purpose(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "deal the roles and begin",
        Verb::Pause => "stop the clock",
        Verb::Resume => "let the clock run on",
        Verb::Resolve => "end the turn now",
        Verb::Publish => "make a closed turn known",
        Verb::Cancel => "end the game without a winner",
        Verb::Status => "learn how the game stands",
        Verb::Help => "get this list",
        Verb::Deadline
        | Verb::Extend
        | Verb::Skip
        | Verb::Warn
        | Verb::Deprive
        | Verb::Forgive
        | Verb::Expel
        | Verb::Why => "",
    }
}
