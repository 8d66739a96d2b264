//! When turns end: hours, days and zone. Pure: the time is an argument.

use std::fmt;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

/// `deadline` of config.toml: `21:00`, several `Mon-Thu 21:00`, or `every 36h`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct DeadlineRule(Vec<Beat>);

/// One line of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Beat {
    /// On these days of the week at this local time; a flag a day, Monday first.
    At { days: [bool; 7], time: Time },
    /// So long after the deadline before.
    Every(SignedDuration),
}

/// Why a text is no deadline rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    #[error("the rule is empty")]
    Empty,
    #[error("\"{0}\" is not a time of day")]
    Time(String),
    #[error("\"{0}\" is not a day of the week")]
    Day(String),
    #[error("\"{0}\" is not a length of time from 1m to 366d")]
    Every(String),
    #[error("\"{0}\" cannot stand beside other rules")]
    Mixed(String),
}

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

impl DeadlineRule {
    /// `21:00` each day: the shipped default.
    pub fn every_evening() -> DeadlineRule {
        DeadlineRule(vec![Beat::At { days: [true; 7], time: Time::constant(21, 0, 0, 0) }])
    }

    /// A rule of one line.
    ///
    /// # Errors
    /// Says which part is not understood.
    pub fn parse(text: &str) -> Result<DeadlineRule, RuleFault> {
        DeadlineRule::parse_all(&[text])
    }

    /// A rule of several lines; `every ...` stands alone.
    ///
    /// # Errors
    /// Says which part is not understood.
    pub fn parse_all<S: AsRef<str>>(lines: &[S]) -> Result<DeadlineRule, RuleFault> {
        let beats = lines.iter().map(|line| parse_beat(line.as_ref().trim())).collect::<Result<Vec<_>, _>>()?;
        let every = beats.iter().find(|beat| matches!(beat, Beat::Every(_)));
        match (every, beats.len()) {
            (_, 0) => Err(RuleFault::Empty),
            (Some(every), 2..) => Err(RuleFault::Mixed(every.to_string())),
            _ => Ok(DeadlineRule(beats)),
        }
    }

    /// The first instant of the rule that is later than `now` and not nearer to it than `min_turn`. In a gap of the
    /// local clock the time is moved forward by the gap, in a fold the earlier one is taken. `every` counts from
    /// `previous`, or from `now` where there is none, and leaves out what an outage has missed.
    pub fn next(
        &self,
        now: Timestamp,
        zone: &TimeZone,
        min_turn: SignedDuration,
        previous: Option<Timestamp>,
    ) -> Timestamp {
        let soonest = SignedDuration::from_nanos(1).max(min_turn);
        let bound = now.checked_add(soonest).unwrap_or(Timestamp::MAX);
        let instants = self.0.iter().filter_map(|beat| match beat {
            Beat::At { days, time } => next_at(days, *time, bound, zone),
            Beat::Every(span) => next_every(*span, previous.unwrap_or(now), bound),
        });
        instants.min().unwrap_or(Timestamp::MAX)
    }

    /// The deadlines of the next `count` turns, each counted from the one before.
    pub fn upcoming(&self, now: Timestamp, zone: &TimeZone, min_turn: SignedDuration, count: usize) -> Vec<Timestamp> {
        let following = |last: &Timestamp| Some(self.next(*last, zone, min_turn, Some(*last)));
        std::iter::successors(Some(self.next(now, zone, min_turn, None)), following).take(count).collect()
    }
}

/// The clock's offset from UTC differs between the two: a letter that names the later one says so.
pub fn clock_changes(from: Timestamp, to: Timestamp, zone: &TimeZone) -> bool {
    zone.to_offset(from) != zone.to_offset(to)
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

fn whole_second(when: Timestamp) -> Timestamp {
    Timestamp::from_second(when.as_second()).unwrap_or(when)
}

fn next_at(days: &[bool; 7], time: Time, bound: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    // A day earlier, for a gap may move the time of one day past midnight; a week and a day on, for every day of the
    // week to have come.
    let first = zone.to_datetime(bound).date().checked_sub(1.day()).unwrap_or(Date::MIN);
    let dates = first.series(1.day()).take(10);
    let runs =
        |date: &Date| days.get(usize::from(date.weekday().to_monday_zero_offset().unsigned_abs())) == Some(&true);
    let instant = |date: Date| zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible().ok();
    dates.filter(runs).filter_map(instant).filter(|instant| *instant >= bound).min()
}

fn next_every(span: SignedDuration, base: Timestamp, bound: Timestamp) -> Option<Timestamp> {
    let base = whole_second(base).as_second();
    let step = span.as_secs().max(1);
    let bound = bound.as_second() + i64::from(bound.subsec_nanosecond() > 0);
    let missing = bound.saturating_sub(base).max(step);
    let steps = missing / step + i64::from(missing % step > 0);
    Timestamp::from_second(base.checked_add(steps.checked_mul(step)?)?).ok()
}

fn parse_beat(line: &str) -> Result<Beat, RuleFault> {
    if line.is_empty() {
        return Err(RuleFault::Empty);
    }
    if let Some(span) = line.strip_prefix("every ") {
        let fitting = |span: &SignedDuration| (60..=366 * 86_400).contains(&span.as_secs());
        let span = parse_span(span).filter(fitting).ok_or_else(|| RuleFault::Every(span.trim().to_owned()))?;
        return Ok(Beat::Every(span));
    }
    let (days, time) = match line.rsplit_once(' ') {
        Some((days, time)) => (parse_days(days)?, time),
        None => ([true; 7], line),
    };
    let forms = ["%H:%M", "%H:%M:%S"];
    let parsed = forms.iter().find_map(|form| Time::strptime(form, time).ok());
    parsed.map(|time| Beat::At { days, time }).ok_or_else(|| RuleFault::Time(time.to_owned()))
}

/// `Mon`, `Mon-Thu`, `Fri-Mon`, `Mon, Wed-Fri`.
fn parse_days(text: &str) -> Result<[bool; 7], RuleFault> {
    let mut days = [false; 7];
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (parse_day(first)?, parse_day(last)?);
        let last = if last < first { last + 7 } else { last };
        for day in first..=last {
            if let Some(flag) = days.get_mut(day % 7) {
                *flag = true;
            }
        }
    }
    Ok(days)
}

fn parse_day(text: &str) -> Result<usize, RuleFault> {
    let name = text.trim().to_lowercase();
    let is_it = |(english, short, russian): &(&str, &str, &str)| name == *english || name == *short || name == *russian;
    DAYS.iter().position(is_it).ok_or_else(|| RuleFault::Day(text.trim().to_owned()))
}

const DAYS: [(&str, &str, &str); 7] = [
    ("monday", "mon", "пн"),
    ("tuesday", "tue", "вт"),
    ("wednesday", "wed", "ср"),
    ("thursday", "thu", "чт"),
    ("friday", "fri", "пт"),
    ("saturday", "sat", "сб"),
    ("sunday", "sun", "вс"),
];

impl fmt::Display for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Beat::Every(span) => {
                let seconds = span.as_secs();
                let units = [(86_400, "d"), (3_600, "h"), (60, "m")];
                let (size, unit) = units.into_iter().find(|(size, _)| seconds % size == 0).unwrap_or((1, "s"));
                write!(f, "every {}{unit}", seconds / size)
            }
            Beat::At { days, time } => {
                if days.contains(&false) {
                    let named = Weekday::Monday.cycle_forward().zip(days);
                    let names: Vec<String> = named
                        .filter(|(_, on)| **on)
                        .map(|(day, _)| format!("{day:?}").chars().take(3).collect())
                        .collect();
                    write!(f, "{} ", names.join(","))?;
                }
                if time.second() == 0 { write!(f, "{}", time.strftime("%H:%M")) } else { write!(f, "{time}") }
            }
        }
    }
}

impl fmt::Display for DeadlineRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.clone().into();
        f.write_str(&lines.join("; "))
    }
}

impl From<DeadlineRule> for Vec<String> {
    fn from(rule: DeadlineRule) -> Vec<String> {
        rule.0.iter().map(Beat::to_string).collect()
    }
}

impl TryFrom<Vec<String>> for DeadlineRule {
    type Error = RuleFault;

    fn try_from(lines: Vec<String>) -> Result<DeadlineRule, RuleFault> {
        DeadlineRule::parse_all(&lines)
    }
}
