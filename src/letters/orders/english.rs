//! The words of [`super`] in English.

use super::forms::english as form;
use super::{Did, Lang, NotDone, Said, discipline, local};
use crate::feed::address::NoFeedAddress;
use crate::request::orders::Verb;
use crate::rules::Winner;
use crate::schedule::LocalTime;

pub(super) fn did(did: &Did, zone: &str) -> Said {
    match did {
        Did::Begun { players, deadline } => Said::new(
            format!(
                "the game has begun with {}; the first deadline is {}",
                counted(*players, "player", "players"),
                local(*deadline, zone)
            ),
            "The roles are dealt and can't be dealt again; `cancel` ends the game without a winner.",
        ),
        Did::DeadlineSet { deadline, was, local: clock } => Said::new(
            format!("the deadline is {}{}", local(*deadline, zone), of_the_clock(*clock)),
            match was {
                Some(was) => {
                    format!("It was {}; until then `deadline` with that time sets it back.", local(*was, zone))
                }
                None => "`deadline` with another time moves it.".to_owned(),
            },
        ),
        Did::DeadlineStands { deadline } => Said::new(
            format!("that is the deadline already: {}; the players were not written to", local(*deadline, zone)),
            "`deadline` with another time moves it.",
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
            "Until it is closed, `deadline` with another time lets it go on. After that `undo` takes the resolution back (of \
             the game's last turn only before publication), but no voting is opened again.",
        ),
        Did::Paused => {
            Said::new("the game is paused; requests are taken, no deadline fires", "`resume` lets it go on.")
        }
        Did::Resumed { deadline } => {
            Said::new(format!("the game goes on; deadline {}", local(*deadline, zone)), "`pause` stops it again.")
        }
        Did::ClockBelieved => Said::new("the clock is right, and what is due goes on", "Nothing is to be done."),
        Did::Published => Said::new(
            "the results are published",
            "`undo` takes them back until the next turn is closed: those whose letters change get a correction. Not if the \
             game is over with them.",
        ),
        Did::Previewed => Said::new("the preview is on its way to all hosts", "`publish` makes the turn known."),
        Did::StoryTold { turn, replaced } => Said::new(
            format!(
                "the summary of turn {turn} will open with your story{}",
                if *replaced { "; the earlier one is dropped" } else { "" }
            ),
            "Another `story` takes its place.",
        ),
        Did::TakenBack { turn, published: false } => Said::new(
            format!("the resolution of turn {turn} is taken back, and your rulings with it; no voting is opened again"),
            "`resolve` judges it again, with letters that arrived in time but were found late.",
        ),
        Did::TakenBack { turn, published: true } => Said::new(
            format!(
                "the results of turn {turn} are taken back: letters that had not left are cancelled, requests of the next \
                 turn are kept, your rulings are gone, no voting is opened again"
            ),
            "What shall still hold, `rule` again; `resolve` judges the turn again. Then `publish`: a correction goes to those alone whose \
             letters have changed.",
        ),
        Did::JudgedAgain { turn, published: false } => {
            Said::new(format!("turn {turn} is judged again"), "`publish` makes it known.")
        }
        Did::JudgedAgain { turn, published: true } => Said::new(
            format!("turn {turn} is judged again and published"),
            "`undo` takes the results back until the next turn is closed: those whose letters change get a correction. Not \
             if the game is over with them.",
        ),
        Did::Ruled { nick, alive } => Said::new(
            format!(
                "{nick} is {} by your ruling; the turn is judged again and a preview is on its way",
                if *alive { "alive" } else { "dead" }
            ),
            "`publish` makes it known; `undo`, before it or after, takes all rulings on the turn back.",
        ),
        Did::Cancelled => Said::new("the game is cancelled", "This can't be taken back."),
        Did::Replaced { nick } => Said::new(
            format!(
                "another person plays as {nick} now and was sent the role and all that went with it; the old address is shut out"
            ),
            "If the nick has a forum password, change it. `replace` with the same nick and the old address brings the former player back.",
        ),
        Did::SeatOffered { nick, who, until } => Said::new(
            format!(
                "{} is asked to take over the seat of {nick}, and has until {}; then the next one is asked. You are told of each step",
                first_in_line(who),
                local(*until, zone)
            ),
            format!("To name somebody yourself: {}", form(Verb::Replace)),
        ),
        Did::AccountsTaken { accounts } => Said::new(
            format!(
                "{} taken, passwords sealed; the file is not needed any more",
                counted(*accounts, "forum account is", "forum accounts are")
            ),
            "Until the game begins another file takes the place of this one.",
        ),
        Did::PasswordsChanged { nicks } => Said::new(
            format!("the passwords are changed; the role letter went out again to {}", nicks.join(", ")),
            "Another file changes them again.",
        ),
        Did::Posted { link } => {
            Said::new(format!("noted: the results are posted, {link}"), "If the link is wrong, send another one.")
        }
        Did::Wrote { nicks, again } => Said::new(
            format!("noted who wrote in the topic: {}{}", nicks.join(", "), judged_again(*again)),
            "Until the turn is made known, `silent` with the same nicks takes it back.",
        ),
        Did::Silent { nicks, by_itself, again } => Said::new(
            format!(
                "noted who was silent in the topic: {}{}; {}",
                nicks.join(", "),
                judged_again(*again),
                if *by_itself {
                    "the warning (or, for a second silence, the expulsion) comes with the results"
                } else {
                    "what follows is for the host to decide: `warn` or `expel`"
                }
            ),
            "Until the turn is made known, `wrote` with the same nicks takes it back.",
        ),
        Did::FeedSet { host: Some(host), was } => Said::new(
            format!(
                "the feed of this game's topic is read from {host}; silence is judged only where all of the topic was seen: what \
                 was written in another one before this minute does not count"
            ),
            match was {
                Some(was) => format!(
                    "The feed before was at {was}: `feed` with that link reads it again. `feed` with `none` reads none."
                ),
                None => "`feed` with `none` reads it no more.".to_owned(),
            },
        ),
        Did::FeedSet { host: None, was } => Said::new(
            "no feed of this game's topic is read any more: you or a moderator will say who was silent",
            match was {
                Some(was) => format!("The feed before was at {was}: `feed` with that link reads it again."),
                None => format!("To read one: {}", form(Verb::Feed)),
            },
        ),
        Did::Finished { winner } => Said::new(
            format!("the game is over: {}; everybody gets the last letter with roles and votes", won(*winner)),
            "This can't be taken back.",
        ),
        Did::Expelled { nick } => Said::new(format!("{nick} is expelled"), "This can't be taken back."),
        Did::Warned { nick } => {
            Said::new(format!("{nick} is warned"), "A warning in words has no consequence by itself.")
        }
        Did::Deprived { nicks, turns, longer, first_court } => {
            discipline::did(Lang::En, nicks, *turns, longer, *first_court)
        }
        Did::Forgiven { what, nick, without } => discipline::forgiven(Lang::En, *what, nick.as_deref(), without),
        Did::MissesOfTurnForgiven { published: true } => Said::new(
            "all misses of this turn are forgiven and its results are published",
            "`undo` takes the results back until the next turn is closed: those whose letters change get a correction. The \
             misses stay forgiven. Not if the game is over with them.",
        ),
        Did::MissesOfTurnForgiven { published: false } => {
            Said::new("all misses of this turn are forgiven", "`publish` makes the turn known.")
        }
        Did::SignupOpened { until, min, max, again, commitment } => Said::new(
            format!(
                "sign-up is open{}{}{}; the seed of the lots has this SHA-256, tell it to all: {commitment}",
                if *again { " as before, with these terms" } else { "" },
                until.map(|until| format!(" until {}", local(until, zone))).unwrap_or_default(),
                limits(*min, *max),
            ),
            "`close` ends it; `open` with other terms changes them.",
        ),
        Did::SignupClosed { players, waiting, lacking } => Said::new(
            format!(
                "sign-up is closed: {} a place, {} for one{}",
                counted(*players, "has", "have"),
                counted(*waiting, "waits", "wait"),
                if lacking.is_empty() {
                    String::new()
                } else {
                    format!("; a characteristic or a photograph is still missing of {}", lacking.join(", "))
                }
            ),
            "`start` begins the game; `open` opens sign-up again.",
        ),
        Did::Accepted { nick, waits: false } => {
            Said::new(format!("{nick} is accepted and told so"), "`decline` takes it back.")
        }
        Did::Accepted { nick, waits: true } => Said::new(
            format!("{nick} is accepted, but all places are taken: first free place, in the order of arrival"),
            "`open` with more players makes room; `decline` takes it back.",
        ),
        Did::Declined { nick } => Said::new(format!("{nick} is declined and told so"), "`accept` takes it back."),
        Did::AcceptedAll { nicks, waiting } if waiting.is_empty() => {
            Said::new(format!("accepted and told so: {}", nicks.join(", ")), "`decline` takes it back.")
        }
        Did::AcceptedAll { nicks, waiting } => Said::new(
            format!(
                "{}, they wait for one: {}; all are told",
                if nicks.is_empty() {
                    "there is no place".to_owned()
                } else {
                    format!("accepted: {}; there is no place for the others", nicks.join(", "))
                },
                waiting.join(", ")
            ),
            "`open` with more players makes room; `decline` takes it back.",
        ),
        Did::DeclinedAll { nicks } => {
            Said::new(format!("declined and told so: {}", nicks.join(", ")), "`accept` takes it back.")
        }
    }
}

fn judged_again(turn: Option<u16>) -> String {
    turn.map(|turn| format!("; turn {turn} is judged again")).unwrap_or_default()
}

fn counted(n: u16, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn named(nicks: &[String]) -> String {
    super::named(nicks, "without a nick")
}

fn first_in_line(nick: &str) -> String {
    if nick.is_empty() {
        "the first of the waiting list".to_owned()
    } else {
        format!("the first of the waiting list (nick in the application: {nick})")
    }
}

fn limits(min: Option<u16>, max: Option<u16>) -> String {
    match (min, max) {
        (None, None) => String::new(),
        (Some(min), None) => format!(", at least {min} players"),
        (None, Some(max)) => format!(", at most {max} players"),
        (Some(min), Some(max)) => format!(", {min} to {max} players"),
    }
}

fn won(winner: Winner) -> &'static str {
    match winner {
        Winner::Town => "the town has won",
        Winner::Mafia => "the mafia has won",
        Winner::Maniac => "the maniac has won",
        Winner::Draw => "a draw",
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
        NotDone::PastTime => Said::new("that time is past already", "`resolve` ends the turn at once."),
        NotDone::TooFar => Said::new("the time left is too long", "Set a deadline."),
        NotDone::TooFarAhead { days } => Said::new(
            format!("that is too far off: a deadline is at most {} ahead", counted(*days, "day", "days")),
            "Name an earlier time; it can be moved again later.",
        ),
        NotDone::TitleUnfit { most } => Said::new(
            format!("a title is one line of at most {}", counted(*most, "character", "characters")),
            "Make it shorter; the rest may stand in the words to the players.",
        ),
        NotDone::TextTooLong { most } => Said::new(
            format!("the words to the players have more than {}", counted(*most, "character", "characters")),
            "Make them shorter, or give a link to the topic.",
        ),
        NotDone::NothingToPost => Said::new(
            "the game has not begun: there is nothing to post yet",
            "Send the link when the results of a turn stand in the topic.",
        ),
        NotDone::EndIsTold => Said::new(
            "the game is over, roles and seed are told to everybody: that can't be taken back",
            "If the last letter is wrong, say so in the topic.",
        ),
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
        NotDone::NothingToForgive { what, nick } => discipline::nothing_to_forgive(Lang::En, *what, nick.as_deref()),
        NotDone::TooManyTurns { most } => discipline::too_many(Lang::En, *most),
        NotDone::NoTurns { said } => discipline::no_turns(Lang::En, said),
        NotDone::DeprivedLonger { longer } => discipline::stand_longer(Lang::En, longer),
        NotDone::NothingToPublish => {
            Said::new("no closed turn waits for publication", "`status` tells how the game stands.")
        }
        NotDone::NothingToTakeBack => Said::new("there is nothing to take back", "`status` tells how the game stands."),
        NotDone::NothingToRule => Said::new(
            "no closed turn waits for publication, so there is nothing to rule on",
            "If it is published, `undo` first.",
        ),
        NotDone::NotJudged => Said::new("the turn is taken back: there is nothing to show", "`resolve` first."),
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
        NotDone::HostsWord => {
            Said::new("that is a word of the host", "From moderators we take `posted`, `wrote` and `silent`.")
        }
        NotDone::BelowSignature => Said::new(
            "the line stands below the signature, where nobody can tell whether it is yours",
            "If it is, write it again, above the signature.",
        ),
        NotDone::NotAsked => Said::new(
            "when the letter came it could not be done, and so our question did not name it",
            "If you still want it, write the line again: we shall ask.",
        ),
        NotDone::NoLink => Said::new("that is no link", format!("Write: {}", form(Verb::Posted))),
        NotDone::FeedUnfit { why: NoFeedAddress::NoLink } => {
            Said::new("that is no link to a topic's feed", format!("Write it so: {}", form(Verb::Feed)))
        }
        NotDone::FeedUnfit { why: NoFeedAddress::InTheClear } => Said::new(
            "this link would be read in the clear (http), and anybody on the way could say who wrote",
            format!("Give one with https: {}", form(Verb::Feed)),
        ),
        NotDone::FeedUnfit { why: NoFeedAddress::HoldsPassword } => Said::new(
            "the link bears a name and a password, and a password has no business in a letter",
            format!("Give one without: {} Only a feed that is open to all is read.", form(Verb::Feed)),
        ),
        NotDone::FeedUnfit { why: NoFeedAddress::Inside } => Said::new(
            "by letter we take no bare IP address, and no machine of the server's own network",
            format!("Give the feed by the forum's name: {}", form(Verb::Feed)),
        ),
        NotDone::AddressUnfit => {
            Said::new("that is no mail address of a player", format!("Write: {}", form(Verb::Replace)))
        }
        NotDone::AddressTaken => {
            Said::new("somebody of this game has or had that address: one address plays once", "Give another address.")
        }
        NotDone::AddressSame => {
            Said::new("that is this player's address already", "Give the address of who takes the seat.")
        }
        NotDone::NobodyWaits => Said::new(
            "nobody is on the waiting list who could take this seat",
            format!("Name somebody yourself: {}", form(Verb::Replace)),
        ),
        NotDone::OfferedAlready { nick, who } => Said::new(
            format!("{} was asked already to take over the seat of {nick}; the answer is awaited", first_in_line(who)),
            format!("To name somebody yourself: {}", form(Verb::Replace)),
        ),
        NotDone::SilentPlayers { nicks } => Said::new(
            format!("the game has not begun; these have not answered the first letter: {}", named(nicks)),
            "Wait for them, or say `start` once more: then it begins without their answer, and they play too.",
        ),
        NotDone::HandshakeFirst => Said::new(
            "sign-up is still open, and nobody was sent a first letter (handshake = true)",
            "First `close`: each gets a letter to answer.",
        ),
        NotDone::TooFewAccounts { accounts, players } => Said::new(
            format!(
                "there {} for {}",
                if *accounts == 1 { "is 1 forum account".to_owned() } else { format!("are {accounts} forum accounts") },
                counted(*players, "player", "players")
            ),
            "Hand in a file with at least as many accounts as players: omerta game accounts",
        ),
        NotDone::UnknownAccount { name } => Said::new(
            format!("this game has no forum account {name}"),
            "While a game is on only passwords of its own accounts can be changed.",
        ),
        NotDone::AccountNoNick { line, what } => Said::new(
            format!("line {line}: the forum name is to be the nick, and {what}"),
            "Give that forum account another name.",
        ),
        NotDone::NoKey { what } => Said::new("the forum passwords can't be used (key_file)", what),
        NotDone::NoSuchWinner { said } => {
            Said::new(format!("there is no side \"{said}\""), "Write town, mafia, maniac or draw.")
        }
        NotDone::Incomplete { verb } => Said::new("something is missing", format!("Write: {}", form(*verb))),
        NotDone::NotInForm { verb } => discipline::not_in_form(Lang::En, *verb),
        NotDone::NoReason { verb, nick } => discipline::no_reason(Lang::En, *verb, nick),
        NotDone::CantDeal { fault } => {
            Said::new(format!("the roles can't be dealt: {fault}"), "Mend the roster or the rules.")
        }
        NotDone::HasRoster => {
            Said::new("the players of this game stand in a roster: nobody signs up", "Make a game without a roster.")
        }
        NotDone::SignupNotOpen => Said::new("sign-up is not open", "`open` opens it."),
        NotDone::BadLimits { .. } => Said::new("so few players can't be", "Write the least and the most: 7-12."),
        NotDone::UnknownApplicant { said, nicks } if nicks.is_empty() => {
            Said::new(format!("nobody called {said} has applied"), "Nobody with a nick has applied yet.")
        }
        NotDone::UnknownApplicant { said, nicks } => {
            Said::new(format!("nobody called {said} has applied"), format!("They are: {}.", nicks.join(", ")))
        }
        NotDone::JudgedAlready { nick } => {
            Said::new(format!("that is so already for {nick}"), "Nothing is to be done.")
        }
        NotDone::NoRoom { nick } => Said::new(
            format!("{nick} is on the waiting list, and no place is free"),
            "`open` with more players makes room, and the list moves up in the order of arrival.",
        ),
        NotDone::NickTaken { nick } => {
            Said::new(format!("somebody else is called {nick} by now"), "Let the applicant choose another nick.")
        }
        NotDone::TooFew { players, min } => Said::new(
            format!("{} a place, and the least is {min}", counted(*players, "has", "have")),
            "Wait for more, or `open` with smaller numbers.",
        ),
        NotDone::Nameless { players } => Said::new(
            format!("{} a place and no nick yet, and nobody can play without one", counted(*players, "has", "have")),
            "Let them send an application with the name of a person to play.",
        ),
        NotDone::UnknownZone { zone } => Said::new(format!("the zone {zone} is unknown"), "Mend `timezone`."),
    }
}
