//! Dates on which no turn ends of its own accord: holidays, the host's journeys.

use std::fmt;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::spoken::{day_number, first_from, month_number, year_number};

/// Spans of dates in order, none touching the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Skips(Vec<Span>);

/// Both days belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Span {
    first: Date,
    last: Date,
}

/// A host skips at most so many spans, and none is longer than so many days: a slip of the pen must not end a game.
const MOST_SPANS: usize = 50;
const MOST_DAYS: i32 = 100;

/// A date as written: what is left out comes from what stands beside it.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    day: i8,
    month: Option<i8>,
    year: Option<i16>,
}

impl Skips {
    /// `31 декабря, 1-8 января`, `31.12 - 08.01`, `2026-12-31`; a date without a year is the first such one from
    /// `today` on. None when the text is anything else, names a day that is over, or more than is sensible.
    pub fn parse(text: &str, today: Date) -> Option<Skips> {
        let lower = text.to_lowercase().replace(['–', '—', '−', '‑'], "-").replace(" и ", ",").replace(" and ", ",");
        let mut spans = Vec::new();
        // From the right: «1, 2 и 8 января» names the month once.
        let mut beside = Written::default();
        for part in lower.rsplit([',', ';']) {
            let (first, last) = ends(part.trim())?;
            let last = Written { month: last.month.or(beside.month), year: last.year.or(beside.year), ..last };
            let first = Written { month: first.month.or(last.month), ..first };
            beside = last;
            spans.push(span(first, last, today)?);
        }
        let fits = |span: &Span| span.last >= today && (span.last - span.first).get_days() < MOST_DAYS;
        if spans.len() > MOST_SPANS || !spans.iter().all(fits) {
            return None;
        }
        Some(Skips(merged(spans)))
    }

    /// These and those, without what is over.
    #[must_use]
    pub fn with(&self, more: &Skips, today: Date) -> Skips {
        let all = self.0.iter().chain(&more.0).copied().filter(|span| span.last >= today);
        let mut spans = merged(all.collect());
        spans.truncate(MOST_SPANS);
        Skips(spans)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn holds(&self, date: Date) -> bool {
        self.span_of(date).is_some()
    }

    /// The first instant after the skipped days that `moment` falls into; None when its day is not skipped.
    pub(super) fn end_of(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let span = self.span_of(zone.to_datetime(moment).date())?;
        let midnight = span.last.checked_add(1.day()).ok()?.at(0, 0, 0, 0);
        let begins = zone.to_ambiguous_timestamp(midnight).compatible().ok()?;
        // Where the clock goes back over midnight a date can come twice.
        Some(begins.max(moment.checked_add(1.nanosecond()).ok()?))
    }

    fn span_of(&self, date: Date) -> Option<&Span> {
        self.0.iter().find(|span| span.first <= date && date <= span.last)
    }
}

fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(before) if before.last.tomorrow().is_ok_and(|next| span.first <= next) => {
                before.last = before.last.max(span.last);
            }
            _ => merged.push(span),
        }
    }
    merged
}

fn span(first: Written, last: Written, today: Date) -> Option<Span> {
    let first = match (first.year, last.year) {
        (Some(year), _) => Date::new(year, first.month?, first.day).ok()?,
        // The year stands behind the last day: «31 декабря - 8 января 2027».
        (None, Some(year)) => {
            let within = Date::new(year, first.month?, first.day).ok()?;
            let last = Date::new(year, last.month?, last.day).ok()?;
            if within <= last { within } else { Date::new(year.checked_sub(1)?, first.month?, first.day).ok()? }
        }
        // A span that has begun is meant, not the one of next year.
        (None, None) => {
            let end = first_from(today, last.month?, last.day)?;
            let begin = Date::new(end.year(), first.month?, first.day).ok()?;
            if begin <= end { begin } else { Date::new(end.year() - 1, first.month?, first.day).ok()? }
        }
    };
    let last = match last.year {
        Some(year) => Date::new(year, last.month?, last.day).ok()?,
        None => first_from(first, last.month?, last.day)?,
    };
    (first <= last).then_some(Span { first, last })
}

/// The two ends of a part: `1-8 января`, `31.12 - 08.01`, `2026-12-31 - 2027-01-08`, or one day.
fn ends(part: &str) -> Option<(Written, Written)> {
    if let Some(day) = written(part) {
        return Some((day, day));
    }
    let spaced = part.split_once(" - ").or_else(|| part.split_once(" to ")).or_else(|| part.split_once(" по "));
    if let Some((first, last)) = spaced {
        let first = first.trim();
        let first = first.strip_prefix("с ").or_else(|| first.strip_prefix("from ")).unwrap_or(first);
        return Some((written(first.trim())?, written(last.trim())?));
    }
    let (first, last) = part.split_once('-')?;
    Some((written(first.trim())?, written(last.trim())?))
}

fn written(text: &str) -> Option<Written> {
    if let Ok(date) = Date::strptime("%Y-%m-%d", text) {
        return Some(Written { day: date.day(), month: Some(date.month()), year: Some(date.year()) });
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [word] if word.contains('.') => match word.trim_end_matches('.').split('.').collect::<Vec<_>>().as_slice() {
            [day] => Some(Written { day: day_number(day)?, ..Written::default() }),
            [day, month] => Some(Written { day: day_number(day)?, month: Some(day_number(month)?), year: None }),
            [day, month, year] => {
                Some(Written { day: day_number(day)?, month: Some(day_number(month)?), year: Some(year_number(year)?) })
            }
            _ => None,
        },
        [day] => Some(Written { day: day_number(day)?, ..Written::default() }),
        [day, month, rest @ ..] => {
            let (day, month) = match (day_number(day), month_number(month)) {
                (Some(day), Some(month)) => (day, month),
                _ => (day_number(month)?, month_number(day)?),
            };
            let year = match rest {
                [] => None,
                [year] | [year, "года" | "г" | "г."] => Some(year_number(year)?),
                _ => return None,
            };
            Some(Written { day, month: Some(month), year })
        }
        [] => None,
    }
}

/// As [`Skips::parse`] reads it: `2026-12-31, 2027-01-02 - 2027-01-08`.
impl fmt::Display for Skips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.0.iter().map(
            |Span { first, last }| {
                if first == last { first.to_string() } else { format!("{first} - {last}") }
            },
        );
        f.write_str(&said.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_read_however_they_are_written() {
        for (text, read) in [
            ("31 декабря, 1-8 января", "2026-12-31 - 2027-01-08"),
            ("31 декабря, 2-8 января", "2026-12-31, 2027-01-02 - 2027-01-08"),
            ("31 декабря – 8 января", "2026-12-31 - 2027-01-08"),
            ("с 31 декабря по 8 января", "2026-12-31 - 2027-01-08"),
            ("31 декабря - 8 января 2027", "2026-12-31 - 2027-01-08"),
            ("31.12, 02.01-08.01", "2026-12-31, 2027-01-02 - 2027-01-08"),
            ("31.12.2026 - 08.01.27", "2026-12-31 - 2027-01-08"),
            ("2026-12-31 - 2027-01-08", "2026-12-31 - 2027-01-08"),
            ("2026-12-31", "2026-12-31"),
            ("1, 3 и 5 января", "2027-01-01, 2027-01-03, 2027-01-05"),
            ("3 января, 1 января", "2027-01-01, 2027-01-03"),
            ("31 December, 2-8 January", "2026-12-31, 2027-01-02 - 2027-01-08"),
            ("from December 31 to January 8", "2026-12-31 - 2027-01-08"),
            ("1 декабря", "2026-12-01"),
            ("30 ноября", "2027-11-30"),
            ("28 ноября - 3 декабря", "2026-11-28 - 2026-12-03"),
        ] {
            let skips = Skips::parse(text, date(2026, 12, 1)).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(skips.to_string(), read, "{text}");
        }
        for text in [
            "",
            ",",
            "завтра",
            "5",
            "1-8",
            "31 июня",
            "8 - 1 января 2027",
            "2026-11-30",
            "1 января - 1 мая",
            "1 января 2027 - 1 мая 2027",
            "1-8-9 января",
        ] {
            assert_eq!(Skips::parse(text, date(2026, 12, 1)), None, "{text}");
        }
    }

    #[test]
    fn more_dates_join_and_what_is_over_goes() {
        let read = |text| Skips::parse(text, date(2026, 12, 1)).unwrap();
        let both = read("31 декабря").with(&read("1-8 января"), date(2026, 12, 2));
        assert_eq!(both.to_string(), "2026-12-31 - 2027-01-08");
        assert_eq!(read("1 декабря, 31 декабря").with(&Skips::default(), date(2026, 12, 2)).to_string(), "2026-12-31");
        assert!(both.holds(date(2027, 1, 8)) && !both.holds(date(2027, 1, 9)));
    }

    proptest! {
        #[test]
        fn what_is_said_is_read_back_and_nothing_panics(
            text in "\\PC{0,24}|[0-9]{1,2}(-[0-9]{1,2})? (января|may|ноября)(, ?[0-9]{1,2}\\.[0-9]{1,2}( - [0-9.]{1,8})?)?",
        ) {
            if let Some(skips) = Skips::parse(&text, date(2026, 12, 1)) {
                prop_assert!(!skips.is_empty());
                prop_assert_eq!(Skips::parse(&skips.to_string(), date(2026, 12, 1)), Some(skips));
            }
        }
    }
}
