//! Times and lengths of time as a host writes them.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::whole_second;

/// Why a text is no time for a deadline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhenFault {
    #[error("\"{0}\" is not a time. Write 2026-12-05 21:00, 2026-12-05T21:00:00+03:00, +90s, +2h or +1d.")]
    Form(String),
    #[error("{0} is already past. Name a later time; to close the turn at once there is `resolve`.")]
    Past(String),
    #[error("there is no deadline that could be moved by {0}. Set one first, as in 2026-12-05 21:00.")]
    NoDeadline(String),
}

/// A host's WHEN: `2026-12-05 21:00[:SS]` in the zone, RFC 3339, or `+90s`, `+2h`, `+1d`. A `+` counts from `now` when a
/// deadline is set, and from the deadline itself when it is extended (`extends` holds it). A day is a calendar day:
/// `+1d` keeps the hour across a clock change.
///
/// # Errors
/// Says what is wrong and what to write.
pub fn parse_when(
    text: &str,
    now: Timestamp,
    zone: &TimeZone,
    extends: Option<Timestamp>,
) -> Result<Timestamp, WhenFault> {
    let text = text.trim();
    let form = || WhenFault::Form(text.to_owned());
    let when = match text.strip_prefix('+') {
        Some(span) => add(extends.unwrap_or(now), span, zone).ok_or_else(form)?,
        None => absolute(text, zone).ok_or_else(form)?,
    };
    if when > now { Ok(when) } else { Err(WhenFault::Past(text.to_owned())) }
}

/// A length of time: numbers with units, `90s`, `2m`, `12h`, `90d`, `1w`, `1h30m`, in Latin or Russian letters
/// (`2ч`). A day has 24 hours. None when the text is anything else, or too long for a clock.
pub fn parse_span(text: &str) -> Option<SignedDuration> {
    let parts = span_parts(text)?;
    let seconds = |(number, unit): (i64, Unit)| number.checked_mul(unit.seconds());
    let total = parts.into_iter().try_fold(0i64, |total, part| total.checked_add(seconds(part)?))?;
    Some(SignedDuration::from_secs(total))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
}

impl Unit {
    fn seconds(self) -> i64 {
        match self {
            Unit::Second => 1,
            Unit::Minute => 60,
            Unit::Hour => 3_600,
            Unit::Day => 86_400,
            Unit::Week => 604_800,
        }
    }

    fn named(name: &str) -> Option<Unit> {
        match name {
            "s" | "sec" | "с" | "сек" => Some(Unit::Second),
            "m" | "min" | "м" | "мин" => Some(Unit::Minute),
            "h" | "ч" => Some(Unit::Hour),
            "d" | "д" | "дн" => Some(Unit::Day),
            "w" | "нед" => Some(Unit::Week),
            _ => None,
        }
    }
}

fn span_parts(text: &str) -> Option<Vec<(i64, Unit)>> {
    let lower = text.trim().to_lowercase();
    let mut rest = lower.as_str();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let after_number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = rest.strip_suffix(after_number)?.parse::<i64>().ok()?;
        let after_unit = after_number.trim_start().trim_start_matches(char::is_alphabetic);
        let unit = Unit::named(after_number.strip_suffix(after_unit)?.trim())?;
        parts.push((number, unit));
        rest = after_unit.trim_start();
    }
    if parts.is_empty() { None } else { Some(parts) }
}

fn add(base: Timestamp, span: &str, zone: &TimeZone) -> Option<Timestamp> {
    let mut when = base.to_zoned_datetime(zone.clone());
    for (number, unit) in span_parts(span)? {
        let span = match unit {
            Unit::Second => jiff::Span::new().try_seconds(number),
            Unit::Minute => jiff::Span::new().try_minutes(number),
            Unit::Hour => jiff::Span::new().try_hours(number),
            Unit::Day => jiff::Span::new().try_days(number),
            Unit::Week => jiff::Span::new().try_weeks(number),
        };
        when = when.checked_add(span.ok()?).ok()?;
    }
    Some(whole_second(when.timestamp()))
}

fn absolute(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(when) = text.parse::<Timestamp>() {
        return Some(whole_second(when));
    }
    const FORMS: [&str; 4] = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"];
    let local = FORMS.iter().find_map(|form| jiff::civil::DateTime::strptime(form, text).ok())?;
    zone.to_ambiguous_timestamp(local).compatible().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::DeadlineRule;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    #[test]
    fn spans_are_read() {
        for (text, seconds) in [
            ("90s", 90),
            ("2m", 120),
            ("12h", 43_200),
            ("90d", 7_776_000),
            ("1w", 604_800),
            ("1h30m", 5_400),
            ("1h 30 m", 5_400),
            ("0s", 0),
            ("2ч", 7_200),
            ("2 мин", 120),
            ("3H", 10_800),
        ] {
            assert_eq!(parse_span(text), Some(SignedDuration::from_secs(seconds)), "{text}");
        }
        for text in [
            "",
            " ",
            "90",
            "h",
            "-2h",
            "+2h",
            "1.5h",
            "2 fortnights",
            "2hh",
            "99999999999999999999s",
            "9223372036854775807d",
        ] {
            assert_eq!(parse_span(text), None, "{text}");
        }
    }

    #[test]
    fn a_hosts_when_is_read() {
        let (moscow, now) = (zone("Europe/Moscow"), at("2026-12-01T10:00:00.25Z"));
        let deadline = Some(at("2026-12-01T18:00:00Z"));
        for (text, extends, when) in [
            ("2026-12-05 21:00", None, "2026-12-05T18:00:00Z"),
            ("2026-12-05 21:00:30", None, "2026-12-05T18:00:30Z"),
            (" 2026-12-05T21:00 ", None, "2026-12-05T18:00:00Z"),
            ("2026-12-05T21:00:00+05:00", None, "2026-12-05T16:00:00Z"),
            ("2026-12-05T21:00:00Z", None, "2026-12-05T21:00:00Z"),
            ("2026-12-05 21:00", deadline, "2026-12-05T18:00:00Z"),
            ("+90s", None, "2026-12-01T10:01:30Z"),
            ("+2h", None, "2026-12-01T12:00:00Z"),
            ("+2h", deadline, "2026-12-01T20:00:00Z"),
            ("+1d", None, "2026-12-02T10:00:00Z"),
            ("+1d 2ч", deadline, "2026-12-02T20:00:00Z"),
        ] {
            assert_eq!(parse_when(text, now, &moscow, extends), Ok(at(when)), "{text}");
        }
        for text in [
            "",
            "+",
            "+h",
            "+-2h",
            "tomorrow",
            "2026-13-05 21:00",
            "2026-12-05",
            "21:00",
            "+9999999999d",
            "+99999999999999w",
        ] {
            assert_eq!(parse_when(text, now, &moscow, None), Err(WhenFault::Form(text.to_owned())), "{text}");
        }
        for text in ["2026-12-01 13:00", "2020-01-01T00:00:00Z", "+0s"] {
            assert_eq!(parse_when(text, now, &moscow, None), Err(WhenFault::Past(text.to_owned())), "{text}");
        }
        // A day keeps the hour, though this one has 25.
        let (berlin, eve) = (zone("Europe/Berlin"), at("2026-10-24T19:00:00Z"));
        assert_eq!(parse_when("+1d", eve, &berlin, None), Ok(at("2026-10-25T20:00:00Z")));
        assert_eq!(parse_when("+24h", eve, &berlin, None), Ok(at("2026-10-25T19:00:00Z")));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[+0-9a-zд :,.T-]{0,24}|\\PC{0,24}") {
            let now = at("2026-12-01T10:00:00Z");
            let _ = (parse_span(&text), DeadlineRule::parse(&text), parse_when(&text, now, &TimeZone::UTC, None));
        }
    }
}
