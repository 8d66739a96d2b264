//! When turns end: hours, days and zone. Pure: the time is an argument.

mod skips;
mod spoken;
mod when;

use std::fmt;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

pub use skips::Skips;
pub use when::{LocalTime, When, WhenFault, local_time_of, parse_extension, parse_span, parse_when};

/// How long a turn may be, how far ahead a host may set a deadline, and how long a closed turn may wait for him: more is a
/// slip of the pen.
pub const FARTHEST_DAYS: u16 = 366;
pub const FARTHEST: SignedDuration = SignedDuration::from_hours(FARTHEST_DAYS as i64 * 24);

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
        self.next_outside(&Skips::default(), now, zone, min_turn, previous)
    }

    /// The same, but not on a skipped date: the rule goes on behind it.
    pub fn next_outside(
        &self,
        skips: &Skips,
        now: Timestamp,
        zone: &TimeZone,
        min_turn: SignedDuration,
        previous: Option<Timestamp>,
    ) -> Timestamp {
        let soonest = SignedDuration::from_nanos(1).max(min_turn);
        let mut bound = now.checked_add(soonest).unwrap_or(Timestamp::MAX);
        loop {
            let next = self.first_from(bound, previous.unwrap_or(now), zone);
            match skips.end_of(next, zone) {
                Some(end) => bound = end,
                None => return next,
            }
        }
    }

    /// The first instant of the rule that is not before `bound`.
    fn first_from(&self, bound: Timestamp, base: Timestamp, zone: &TimeZone) -> Timestamp {
        let instants = self.0.iter().filter_map(|beat| match beat {
            Beat::At { days, time } => next_at(days, *time, bound, zone),
            Beat::Every(span) => next_every(*span, base, bound),
        });
        instants.min().unwrap_or(Timestamp::MAX)
    }

    /// The deadlines of the next `count` turns, each counted from the one before.
    pub fn upcoming(&self, now: Timestamp, zone: &TimeZone, min_turn: SignedDuration, count: usize) -> Vec<Timestamp> {
        let following = |last: &Timestamp| Some(self.next(*last, zone, min_turn, Some(*last)));
        std::iter::successors(Some(self.next(now, zone, min_turn, None)), following).take(count).collect()
    }
}

/// The days of the week as a rule may name them.
pub fn day_names() -> impl Iterator<Item = &'static str> {
    DAYS.iter().flat_map(|(english, short, russian)| [*english, *short, *russian])
}

/// The next such hour after a moment.
pub fn next_hour(after: Timestamp, hour: Time, zone: &TimeZone) -> Option<Timestamp> {
    next_at(&[true; 7], hour, after.checked_add(SignedDuration::from_nanos(1)).ok()?, zone)
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
        let fitting = |span: &SignedDuration| span.as_secs() >= 60 && *span <= FARTHEST;
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

#[cfg(test)]
mod tests {
    use jiff::civil::DateTime;
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn hours(hours: i64) -> SignedDuration {
        SignedDuration::from_hours(hours)
    }

    fn next(rule: &str, now: &str, place: &str, min_turn: i64) -> String {
        let zone = zone(place);
        let next = DeadlineRule::parse(rule).unwrap().next(at(now), &zone, hours(min_turn), None);
        next.to_zoned_datetime(zone).strftime("%a %Y-%m-%d %H:%M:%S %:z").to_string()
    }

    #[test]
    fn the_first_instant_not_nearer_than_the_shortest_turn() {
        // Moscow is three hours ahead of UTC.
        let moscow = "Europe/Moscow";
        assert_eq!(next("21:00", "2026-12-01T10:00:00Z", moscow, 0), "Tue 2026-12-01 21:00:00 +03:00");
        assert_eq!(next("21:00", "2026-12-01T06:00:00Z", moscow, 12), "Tue 2026-12-01 21:00:00 +03:00");
        assert_eq!(next("21:00", "2026-12-01T06:00:01Z", moscow, 12), "Wed 2026-12-02 21:00:00 +03:00");
        assert_eq!(next("21:00", "2026-12-01T18:00:00Z", moscow, 0), "Wed 2026-12-02 21:00:00 +03:00");
        assert_eq!(next("9:30:15", "2026-12-01T18:00:00Z", moscow, 0), "Wed 2026-12-02 09:30:15 +03:00");
        assert_eq!(next("Fri 21:00", "2026-12-04T18:00:00Z", moscow, 0), "Fri 2026-12-11 21:00:00 +03:00");
    }

    #[test]
    fn days_of_the_week_take_turns() {
        let rule = DeadlineRule::parse_all(&["Mon-Thu 21:00", "Sun 20:00"]).unwrap();
        let deadlines = rule.upcoming(at("2026-12-01T18:00:00Z"), &zone("Europe/Moscow"), hours(12), 7);
        let said: Vec<String> = deadlines
            .iter()
            .map(|when| when.to_zoned_datetime(zone("Europe/Moscow")).strftime("%a %d %H:%M").to_string())
            .collect();
        let expected = [
            "Wed 02 21:00",
            "Thu 03 21:00",
            "Sun 06 20:00",
            "Mon 07 21:00",
            "Tue 08 21:00",
            "Wed 09 21:00",
            "Thu 10 21:00",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_gap_moves_the_deadline_forward_and_a_fold_takes_the_earlier() {
        let berlin = "Europe/Berlin";
        assert_eq!(next("02:30", "2027-03-27T12:00:00Z", berlin, 0), "Sun 2027-03-28 03:30:00 +02:00");
        assert_eq!(next("02:30", "2026-10-24T12:00:00Z", berlin, 0), "Sun 2026-10-25 02:30:00 +02:00");
        // The second 02:30 of that night is not a deadline of its own.
        assert_eq!(next("02:30", "2026-10-25T00:45:00Z", berlin, 0), "Mon 2026-10-26 02:30:00 +01:00");
        // Midnight was skipped in Cairo on that Friday, and a whole day in Apia.
        assert_eq!(next("00:00", "2026-04-23T12:00:00Z", "Africa/Cairo", 0), "Fri 2026-04-24 01:00:00 +03:00");
        assert_eq!(next("Fri 21:00", "2011-12-30T08:00:00Z", "Pacific/Apia", 0), "Sat 2011-12-31 21:00:00 +14:00");
    }

    #[test]
    fn every_counts_from_the_deadline_before_and_leaves_out_what_was_missed() {
        let rule = DeadlineRule::parse("every 36h").unwrap();
        let (utc, now) = (TimeZone::UTC, at("2026-12-01T10:00:00.5Z"));
        assert_eq!(rule.next(now, &utc, hours(12), None), at("2026-12-02T22:00:00Z"));
        assert_eq!(rule.next(now, &utc, hours(12), Some(at("2026-12-01T09:00:00Z"))), at("2026-12-02T21:00:00Z"));
        assert_eq!(rule.next(now, &utc, hours(36), Some(at("2026-12-01T09:00:00Z"))), at("2026-12-04T09:00:00Z"));
        assert_eq!(rule.next(now, &utc, hours(0), Some(at("2026-11-01T00:00:00Z"))), at("2026-12-02T12:00:00Z"));
        assert_eq!(rule.next(Timestamp::MAX, &utc, hours(0), None), Timestamp::MAX);
        assert_eq!(DeadlineRule::every_evening().next(Timestamp::MAX, &utc, hours(1), None), Timestamp::MAX);
    }

    #[test]
    fn rules_are_read_and_written() {
        for (text, said) in [
            ("21:00", "21:00"),
            (" every  36h ", "every 36h"),
            ("every 1d12h", "every 36h"),
            ("every 90m", "every 90m"),
            ("every 2d", "every 2d"),
            ("Mon-Sun 7:05", "07:05"),
            ("Fri-Mon 21:00:30", "Mon,Fri,Sat,Sun 21:00:30"),
            ("mon, Wed 20:00", "Mon,Wed 20:00"),
            ("Пн-Чт 21:00", "Mon,Tue,Wed,Thu 21:00"),
            ("Sunday 21:00", "Sun 21:00"),
        ] {
            let rule = DeadlineRule::parse(text).unwrap();
            assert_eq!(rule.to_string(), said);
            assert_eq!(DeadlineRule::parse(said).unwrap(), rule);
        }
        for (text, fault) in [
            ("", RuleFault::Empty),
            ("24:00", RuleFault::Time("24:00".to_owned())),
            ("21", RuleFault::Time("21".to_owned())),
            ("Mon", RuleFault::Time("Mon".to_owned())),
            ("Moon 21:00", RuleFault::Day("Moon".to_owned())),
            ("Mon- 21:00", RuleFault::Day(String::new())),
            ("every day", RuleFault::Every("day".to_owned())),
            ("every 0h", RuleFault::Every("0h".to_owned())),
            ("every 500d", RuleFault::Every("500d".to_owned())),
        ] {
            assert_eq!(DeadlineRule::parse(text), Err(fault), "{text}");
        }
        assert_eq!(DeadlineRule::parse_all(&["21:00", "every 36h"]), Err(RuleFault::Mixed("every 36h".to_owned())));
        assert_eq!(DeadlineRule::parse_all::<&str>(&[]), Err(RuleFault::Empty));
    }

    const ZONES: [&str; 10] = [
        "Europe/Moscow",
        "Europe/Berlin",
        "America/New_York",
        "Asia/Kathmandu",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Africa/Cairo",
        "America/Sao_Paulo",
        "Africa/Casablanca",
        "UTC",
    ];

    proptest! {
        #[test]
        fn a_deadline_is_never_too_near_and_keeps_its_hour(
            second in 1_300_000_000i64..2_230_000_000,
            place in 0..ZONES.len(),
            (hour, minute) in (0i8..24, 0i8..60),
            days in prop::sample::select(vec!["", "Mon-Thu ", "Sun ", "Fri-Mon ", "Wed,Sat "]),
            min_turn in 0i64..200 * 3_600,
        ) {
            let zone = zone(ZONES[place]);
            let now = Timestamp::from_second(second).unwrap();
            let min_turn = SignedDuration::from_secs(min_turn);
            let rule = DeadlineRule::parse(&format!("{days}{hour:02}:{minute:02}")).unwrap();
            let next = rule.next(now, &zone, min_turn, None);
            prop_assert!(next > now && next >= now + min_turn);
            let allowed = if days.is_empty() { 1 } else { 7 };
            prop_assert!(next <= now + min_turn + SignedDuration::from_hours(24 * (allowed + 1) + 2));
            let (local, wanted) = (zone.to_datetime(next), jiff::civil::time(hour, minute, 0, 0));
            if local.time() != wanted {
                let skipped = |date: Date| {
                    let offset = zone.to_ambiguous_timestamp(DateTime::from_parts(date, wanted)).offset();
                    matches!(offset, jiff::tz::AmbiguousOffset::Gap { .. })
                };
                let date = local.date();
                prop_assert!(skipped(date) || skipped(date.yesterday().unwrap()), "{local}");
            }
            let later = rule.next(next, &zone, SignedDuration::ZERO, Some(next));
            prop_assert!(later > next);
        }

        #[test]
        fn every_is_a_whole_number_of_steps(
            second in 0i64..2_230_000_000,
            ago in 0i64..10_000_000,
            step in 60i64..400_000,
            min_turn in 0i64..400_000,
        ) {
            let rule = DeadlineRule::parse(&format!("every {step}s")).unwrap();
            let (now, previous) = (Timestamp::from_second(second).unwrap(), Timestamp::from_second(second - ago).unwrap());
            let next = rule.next(now, &TimeZone::UTC, SignedDuration::from_secs(min_turn), Some(previous));
            prop_assert!(next > now && next.as_second() >= second + min_turn);
            prop_assert_eq!((next.as_second() - previous.as_second()) % step, 0);
            let one_less = next.as_second() - step;
            prop_assert!(one_less <= previous.as_second() || one_less <= now.as_second() || one_less < second + min_turn);
        }

    }
}
