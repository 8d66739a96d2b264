//! Times and lengths of time as a host writes them.

use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{spoken, whole_second};

/// Why a text is no time for a deadline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhenFault {
    #[error(
        "\"{0}\" is not a time. Write 2026-12-05 21:00, 21:00, tomorrow 21:00, 2026-12-05T21:00:00+03:00, +2h or +1d."
    )]
    Form(String),
    #[error("{0} is already past. Name a later time; to close the turn at once there is `resolve`.")]
    Past(String),
    #[error("{0} is farther ahead than any calendar goes. Name an earlier time.")]
    Far(String),
}

/// A moment that was named, and what the clock makes of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    pub at: Timestamp,
    pub local: LocalTime,
}

/// Whether a local time exists, and how often: clocks are put forward and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocalTime {
    #[default]
    Once,
    /// The clock jumps over it: the moment is as much later as the clock jumps.
    Skipped,
    /// The clock is put back and shows it twice: the earlier one is meant.
    Twice,
}

impl LocalTime {
    pub fn is_once(&self) -> bool {
        *self == LocalTime::Once
    }
}

/// A host's WHEN: `2026-12-05 21:00[:SS]` in the zone, RFC 3339, the words of [`spoken`] (`21:00`, `завтра 21:00`), or
/// from now on: `+90s`, `+2h`, `+1d`, `через 2 часа`. A day is a calendar day: `+1d` keeps the hour across a clock
/// change.
///
/// # Errors
/// Says what is wrong and what to write.
pub fn parse_when(text: &str, now: Timestamp, zone: &TimeZone) -> Result<When, WhenFault> {
    let text = text.trim();
    let when = match later_by(text) {
        Some(span) => add(now, span, zone).map(When::once),
        None => absolute(text, now, zone),
    };
    let when = when.ok_or_else(|| match later_by(text).and_then(span_parts) {
        Some(_) => WhenFault::Far(text.to_owned()),
        None => WhenFault::Form(text.to_owned()),
    })?;
    if when.at > now { Ok(when) } else { Err(WhenFault::Past(text.to_owned())) }
}

/// How far a host moves a deadline: `+2h` or `2h` counts from the deadline itself; any other WHEN names the new one.
///
/// # Errors
/// Says what is wrong and what to write.
pub fn parse_extension(text: &str, now: Timestamp, zone: &TimeZone, deadline: Timestamp) -> Result<When, WhenFault> {
    let text = text.trim();
    let by = text.strip_prefix('+').or_else(|| after_word(text, &["на", "by"])).unwrap_or(text);
    match add(deadline, by, zone).map(When::once) {
        Some(when) if when.at > now => Ok(when),
        Some(_) => Err(WhenFault::Past(text.to_owned())),
        None if span_parts(by).is_some() => Err(WhenFault::Far(text.to_owned())),
        None => parse_when(text, now, zone),
    }
}

impl When {
    fn once(at: Timestamp) -> When {
        When { at, local: LocalTime::Once }
    }
}

/// `+2h`, «через 2 часа», `in 2 hours`: the length.
fn later_by(text: &str) -> Option<&str> {
    text.strip_prefix('+').or_else(|| after_word(text, &["через", "in"]))
}

fn after_word<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    words.contains(&first.to_lowercase().as_str()).then(|| rest.trim_start())
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
            "s" | "sec" | "second" | "seconds" | "с" | "сек" | "секунда" | "секунду" | "секунды" | "секунд" => {
                Some(Unit::Second)
            }
            "m" | "min" | "minute" | "minutes" | "м" | "мин" | "минута" | "минуту" | "минуты" | "минут" => {
                Some(Unit::Minute)
            }
            "h" | "hour" | "hours" | "ч" | "час" | "часа" | "часов" => Some(Unit::Hour),
            "d" | "day" | "days" | "д" | "дн" | "день" | "дня" | "дней" | "сутки" | "суток" => {
                Some(Unit::Day)
            }
            "w" | "week" | "weeks" | "нед" | "неделя" | "неделю" | "недели" | "недель" => {
                Some(Unit::Week)
            }
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

/// «на час», «через неделю»: one of a unit that is written out.
fn one_unit(text: &str) -> Option<Vec<(i64, Unit)>> {
    let name = text.trim().to_lowercase();
    let is_word = name.chars().count() > 2;
    Unit::named(&name).filter(|_| is_word).map(|unit| vec![(1, unit)])
}

fn add(base: Timestamp, span: &str, zone: &TimeZone) -> Option<Timestamp> {
    let mut when = base.to_zoned_datetime(zone.clone());
    for (number, unit) in span_parts(span).or_else(|| one_unit(span))? {
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

fn absolute(text: &str, now: Timestamp, zone: &TimeZone) -> Option<When> {
    if let Ok(when) = text.parse::<Timestamp>() {
        return Some(When::once(whole_second(when)));
    }
    const FORMS: [&str; 4] = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"];
    let written = FORMS.iter().find_map(|form| jiff::civil::DateTime::strptime(form, text).ok());
    let local = written.or_else(|| spoken::local_time(text, now, zone))?;
    let moment = zone.to_ambiguous_timestamp(local);
    // Past the end of all calendars is as far as it goes.
    let at = moment.compatible().unwrap_or(Timestamp::MAX);
    Some(When { at, local: kind_of(moment.offset()) })
}

/// Whether the local clock shows the time of a moment once or twice.
pub fn local_time_of(moment: Timestamp, zone: &TimeZone) -> LocalTime {
    kind_of(zone.to_ambiguous_timestamp(zone.to_datetime(moment)).offset())
}

fn kind_of(offset: AmbiguousOffset) -> LocalTime {
    match offset {
        AmbiguousOffset::Unambiguous { .. } => LocalTime::Once,
        AmbiguousOffset::Gap { .. } => LocalTime::Skipped,
        AmbiguousOffset::Fold { .. } => LocalTime::Twice,
    }
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

    fn when(text: &str, now: &str, place: &str) -> Result<(String, LocalTime), WhenFault> {
        let zone = zone(place);
        let said = |at: Timestamp| at.to_zoned_datetime(zone.clone()).strftime("%a %Y-%m-%d %H:%M:%S").to_string();
        parse_when(text, at(now), &zone).map(|when| (said(when.at), when.local))
    }

    #[test]
    fn a_hosts_when_is_read() {
        // Tuesday, 13:00 in Moscow.
        for (text, moment) in [
            ("2026-12-05 21:00", "Sat 2026-12-05 21:00:00"),
            ("2026-12-05 21:00:30", "Sat 2026-12-05 21:00:30"),
            (" 2026-12-05T21:00 ", "Sat 2026-12-05 21:00:00"),
            ("2026-12-05T21:00:00+05:00", "Sat 2026-12-05 19:00:00"),
            ("2026-12-05T21:00:00Z", "Sun 2026-12-06 00:00:00"),
            ("+90s", "Tue 2026-12-01 13:01:30"),
            ("+2h", "Tue 2026-12-01 15:00:00"),
            ("+2ч", "Tue 2026-12-01 15:00:00"),
            ("через 2 часа", "Tue 2026-12-01 15:00:00"),
            ("in 30 minutes", "Tue 2026-12-01 13:30:00"),
            ("+1d", "Wed 2026-12-02 13:00:00"),
            ("+1д", "Wed 2026-12-02 13:00:00"),
            ("21:00", "Tue 2026-12-01 21:00:00"),
            ("21:00:30", "Tue 2026-12-01 21:00:30"),
            ("9:30", "Wed 2026-12-02 09:30:00"),
            ("13:00", "Wed 2026-12-02 13:00:00"),
            ("до 21:00", "Tue 2026-12-01 21:00:00"),
            ("сегодня 21:00", "Tue 2026-12-01 21:00:00"),
            ("Сегодня в 21:00", "Tue 2026-12-01 21:00:00"),
            ("завтра 21:00", "Wed 2026-12-02 21:00:00"),
            ("21:00 завтра", "Wed 2026-12-02 21:00:00"),
            ("послезавтра, 21:00", "Thu 2026-12-03 21:00:00"),
            ("tomorrow 21:00", "Wed 2026-12-02 21:00:00"),
            ("tomorrow at 21:00", "Wed 2026-12-02 21:00:00"),
            ("today 21:00", "Tue 2026-12-01 21:00:00"),
            ("05.12 21:00", "Sat 2026-12-05 21:00:00"),
            ("5.12. 21:00", "Sat 2026-12-05 21:00:00"),
            ("05.12.2026 21:00", "Sat 2026-12-05 21:00:00"),
            ("05.12.26 21:00", "Sat 2026-12-05 21:00:00"),
            ("05.01 21:00", "Tue 2027-01-05 21:00:00"),
            ("5 декабря 21:00", "Sat 2026-12-05 21:00:00"),
            ("5 декабря в 21:00", "Sat 2026-12-05 21:00:00"),
            ("5-го дек. 21:00", "Sat 2026-12-05 21:00:00"),
            ("5 декабря 2026 года, 21:00", "Sat 2026-12-05 21:00:00"),
            ("2 января 21:00", "Sat 2027-01-02 21:00:00"),
            ("5 December 21:00", "Sat 2026-12-05 21:00:00"),
            ("December 5 2026 21:00", "Sat 2026-12-05 21:00:00"),
            ("on Dec 5th at 21:00", "Sat 2026-12-05 21:00:00"),
            ("пятница 21:00", "Fri 2026-12-04 21:00:00"),
            ("в пятницу 21:00", "Fri 2026-12-04 21:00:00"),
            ("в пятницу в 21:00", "Fri 2026-12-04 21:00:00"),
            ("Пт 21:00", "Fri 2026-12-04 21:00:00"),
            ("во вторник 21:00", "Tue 2026-12-01 21:00:00"),
            ("во вторник 12:00", "Tue 2026-12-08 12:00:00"),
            ("Friday 21:00", "Fri 2026-12-04 21:00:00"),
            ("on Sunday 20:00", "Sun 2026-12-06 20:00:00"),
        ] {
            let read = when(text, "2026-12-01T10:00:00.25Z", "Europe/Moscow");
            assert_eq!(read, Ok((moment.to_owned(), LocalTime::Once)), "{text}");
        }
        for text in [
            "",
            "+",
            "+h",
            "+-2h",
            "tomorrow",
            "завтра",
            "2026-13-05 21:00",
            "2026-12-05",
            "24:00",
            "32.12 21:00",
            "5 мартобря 21:00",
            "31 июня 21:00",
            "5 5 декабря 21:00",
            "21:00 22:00",
            "потом 21:00",
            "05/12 21:00",
            "05.12.126 21:00",
        ] {
            let read = when(text, "2026-12-01T10:00:00Z", "Europe/Moscow");
            assert_eq!(read, Err(WhenFault::Form(text.to_owned())), "{text}");
        }
        for text in ["+9999999999d", "+99999999999999w", "через 9999999999 дней"] {
            let read = when(text, "2026-12-01T10:00:00Z", "Europe/Moscow");
            assert_eq!(read, Err(WhenFault::Far(text.to_owned())), "{text}");
        }
        for text in
            ["2026-12-01 13:00", "2020-01-01T00:00:00Z", "+0s", "сегодня 12:59", "30.11 21:00", "30 ноября 21:00"]
        {
            let read = when(text, "2026-12-01T10:00:00Z", "Europe/Moscow");
            assert_eq!(read, Err(WhenFault::Past(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn an_hour_that_the_clock_skips_or_shows_twice_is_told() {
        let berlin = "Europe/Berlin";
        let skipped = Ok(("Sun 2027-03-28 03:30:00".to_owned(), LocalTime::Skipped));
        assert_eq!(when("2:30", "2027-03-27T12:00:00Z", berlin), skipped);
        assert_eq!(when("28 марта 02:30", "2027-03-20T12:00:00Z", berlin), skipped);
        let twice = Ok(("Sun 2026-10-25 02:30:00".to_owned(), LocalTime::Twice));
        assert_eq!(when("2026-10-25 02:30", "2026-10-24T12:00:00Z", berlin), twice);
        let first = parse_when("2026-10-25 02:30", at("2026-10-24T12:00:00Z"), &zone(berlin)).unwrap();
        assert_eq!(first.at, at("2026-10-25T00:30:00Z"), "the earlier one");
        // With its offset it is told which one is meant.
        let second = parse_when("2026-10-25T02:30:00+01:00", at("2026-10-24T12:00:00Z"), &zone(berlin)).unwrap();
        assert_eq!(second, When { at: at("2026-10-25T01:30:00Z"), local: LocalTime::Once });
        // A day keeps the hour, though this one has 25.
        let read = |text| parse_when(text, at("2026-10-24T19:00:00Z"), &zone(berlin)).map(|when| when.at);
        assert_eq!(read("+1d"), Ok(at("2026-10-25T20:00:00Z")));
        assert_eq!(read("+24h"), Ok(at("2026-10-25T19:00:00Z")));
    }

    #[test]
    fn a_deadline_is_extended_by_a_length_or_to_a_moment() {
        let read = |text: &str| {
            let (now, deadline) = (at("2026-12-01T10:00:00Z"), at("2026-12-01T18:00:00Z"));
            parse_extension(text, now, &zone("Europe/Moscow"), deadline).map(|when| when.at)
        };
        for (text, moment) in [
            ("+2h", "2026-12-01T20:00:00Z"),
            ("2h", "2026-12-01T20:00:00Z"),
            ("на 2 часа", "2026-12-01T20:00:00Z"),
            ("by 2 hours", "2026-12-01T20:00:00Z"),
            ("на сутки", "2026-12-02T18:00:00Z"),
            ("+1d 2ч", "2026-12-02T20:00:00Z"),
            ("до завтра 21:00", "2026-12-02T18:00:00Z"),
            ("2026-12-05 21:00", "2026-12-05T18:00:00Z"),
        ] {
            assert_eq!(read(text), Ok(at(moment)), "{text}");
        }
        for text in ["", "+", "на чуть-чуть", "2"] {
            assert_eq!(read(text), Err(WhenFault::Form(text.to_owned())), "{text}");
        }
        for text in ["+9999999999d", "9999999999d", "на 9999999999 дней"] {
            assert_eq!(read(text), Err(WhenFault::Far(text.to_owned())), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[+0-9a-zд :,.T-]{0,24}|\\PC{0,24}|(в|на|5|29|99)? ?(пятница|мая|фев|may|fri|02)? ?[0-9.]{0,9} [0-9]{1,2}:[0-9]{2}") {
            let now = at("2026-12-01T10:00:00Z");
            let _ = (parse_span(&text), DeadlineRule::parse(&text), parse_when(&text, now, &TimeZone::UTC));
        }
    }
}
