//! Values that are legal, and that hardly anybody means.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::clash::Clash;
use super::{Config, Game, OutboxKind, Server, Tls};

/// Less than this and nobody can look up what happened in a game that has just ended.
const SHORT_RETENTION: SignedDuration = SignedDuration::from_hours(3 * 24);
/// How many turns are looked at: more than any week has.
const TURNS: usize = 200;

/// All of them; the first of the keys that the file has is the one to look at.
pub(super) fn odd(config: &Config) -> Vec<Clash> {
    let mut odd = Vec::new();
    if config.retention < SHORT_RETENTION {
        let what = "is less than three days: what players wrote is gone before anybody asks how a game went";
        odd.push(clash(&["retention"], what, "Write more, as in \"90d\", if nothing demands it.".to_owned()));
    }
    odd.extend(port(&["inbox.port", "inbox.tls", "inbox.server"], &config.inbox.server, 993, 143));
    odd.extend(port(&["outbox.port", "outbox.tls", "outbox.server"], &config.outbox.server, 465, 587));
    if config.outbox.kind == OutboxKind::Maildir {
        let limits = [("outbox.rate", config.outbox.rate.is_some()), ("outbox.daily", config.outbox.daily.is_some())];
        for (key, _) in limits.into_iter().filter(|(_, is_set)| *is_set) {
            let what = "does nothing with kind = \"maildir\": folders take every letter at once";
            odd.push(clash(&[key], what, "Take it out, or write the kind that it was meant for.".to_owned()));
        }
    }
    odd.extend(turns(&config.game));
    odd
}

fn clash(keys: &[&'static str], what: impl Into<String>, cure: String) -> Clash {
    Clash { keys: keys.to_vec(), what: what.into(), cure }
}

/// A port of one kind of TLS with the other kind.
fn port(keys: &[&'static str], server: &Option<Server>, implicit: u16, otherwise: u16) -> Option<Clash> {
    let server = server.as_ref()?;
    let (wanted, other) = match (server.port, server.tls) {
        (993 | 465, Tls::Starttls) => ("implicit", otherwise),
        (143 | 25 | 587, Tls::Implicit) => ("starttls", implicit),
        _ => return None,
    };
    let is = if server.tls == Tls::Implicit { "implicit" } else { "starttls" };
    let what = format!("{} is a port for tls = \"{wanted}\", and tls is \"{is}\"", server.port);
    Some(clash(keys, what, format!("Write tls = \"{wanted}\", or port = {other}.")))
}

fn turns(game: &Game) -> Vec<Clash> {
    let mut odd = Vec::new();
    let between = shortest(game, SignedDuration::ZERO);
    if let Some(between) = between.filter(|between| *between < game.min_turn) {
        let what = format!(
            "min_turn, {}, is longer than the {} between two deadlines, so that some are passed over",
            said(game.min_turn),
            said(between)
        );
        let cure = format!("Write min_turn = \"{}\" or less, or deadlines that lie farther apart.", said(between));
        odd.push(clash(&["game.min_turn", "game.deadline"], what, cure));
    }
    let shortest = shortest(game, game.min_turn);
    let early = |turn: SignedDuration| game.reminders.iter().find(|reminder| **reminder > turn).map(|one| (turn, *one));
    if let Some((turn, reminder)) = shortest.and_then(early) {
        let what = format!(
            "a reminder {} before the deadline is not sent in a turn of {}, the shortest there can be",
            said(reminder),
            said(turn)
        );
        let cure = format!("Write reminders = [..] of at most \"{}\".", said(turn));
        odd.push(clash(&["game.reminders", "game.deadline"], what, cure));
    }
    odd
}

/// The shortest time between two deadlines, by clocks that nobody changes.
fn shortest(game: &Game, min_turn: SignedDuration) -> Option<SignedDuration> {
    let deadlines = game.deadline.upcoming(Timestamp::UNIX_EPOCH, &TimeZone::UTC, min_turn, TURNS);
    deadlines.windows(2).filter_map(|two| Some(two.last()?.duration_since(*two.first()?))).min()
}

/// As it stands in the file: `24h`.
fn said(span: SignedDuration) -> String {
    match span.as_secs() {
        seconds if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}
