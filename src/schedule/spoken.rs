//! A day and an hour in a host's own words: `завтра 21:00`, `в пятницу 21:00`, `5 декабря 21:00`, `05.12 21:00`.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::parse_day;

/// Which date was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    /// None was: the next such hour.
    Any,
    /// So many days after today.
    Ahead(i64),
    /// The next of these, today's included while its hour is to come.
    Weekday(Weekday),
    /// Without a year: the nearest one.
    OfYear {
        month: i8,
        day: i8,
    },
    Exact(Date),
}

/// Words that carry nothing: «в пятницу в 21:00», `on Friday at 21:00`.
const SMALL_WORDS: [&str; 11] = ["в", "во", "на", "к", "до", "at", "on", "by", "till", "until", "of"];

/// A host speaks of a time at most so far back or ahead when he leaves out the year.
const HALF_A_YEAR: i64 = 183;

/// The local time that a text names, seen from `now`; None when it names none. A date that has passed is still named.
pub(super) fn local_time(text: &str, now: Timestamp, zone: &TimeZone) -> Option<DateTime> {
    let lower = text.to_lowercase().replace(',', " ");
    let mut words: Vec<&str> = lower.split_whitespace().filter(|word| !SMALL_WORDS.contains(word)).collect();
    let place = words.iter().position(|word| time_of_day(word).is_some())?;
    let time = time_of_day(words.remove(place))?;
    let day = day_of(&words)?;
    let today = zone.to_datetime(now).date();
    let is_ahead = |date: &Date| {
        let moment = zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible();
        moment.is_ok_and(|moment| moment > now)
    };
    let date = match day {
        Day::Any => today.series(1.day()).take(3).find(is_ahead)?,
        Day::Ahead(days) => today.checked_add(days.days()).ok()?,
        Day::Weekday(wanted) => {
            let fits = |date: &Date| date.weekday() == wanted && is_ahead(date);
            today.series(1.day()).take(9).find(fits)?
        }
        Day::OfYear { month, day } => nearest(today, month, day)?,
        Day::Exact(date) => date,
    };
    Some(date.to_datetime(time))
}

/// The date of that name that is nearest to today: the one just gone by is meant as little as one a year off.
fn nearest(today: Date, month: i8, day: i8) -> Option<Date> {
    let years = [today.year() - 1, today.year(), today.year().checked_add(1)?];
    let dates = years.into_iter().filter_map(|year| Date::new(year, month, day).ok());
    let far = |date: &Date| date.duration_since(today).as_hours().abs() / 24;
    dates.filter(|date| far(date) <= HALF_A_YEAR).min_by_key(far)
}

/// The first date of that name from a day on; 29 February may be years off.
pub(super) fn first_from(day: Date, month: i8, of_month: i8) -> Option<Date> {
    let years = (0..9).filter_map(|years| day.year().checked_add(years));
    years.filter_map(|year| Date::new(year, month, of_month).ok()).find(|date| *date >= day)
}

fn time_of_day(word: &str) -> Option<Time> {
    let forms = ["%H:%M", "%H:%M:%S"];
    forms.iter().find_map(|form| Time::strptime(form, word).ok())
}

fn day_of(words: &[&str]) -> Option<Day> {
    match words {
        [] => Some(Day::Any),
        ["сегодня" | "today"] => Some(Day::Ahead(0)),
        ["завтра" | "tomorrow"] => Some(Day::Ahead(1)),
        ["послезавтра"] => Some(Day::Ahead(2)),
        [word] => weekday(word).map(Day::Weekday).or_else(|| numeric(word)),
        [day, month] | [day, month, _] if day_number(day).is_some() && month_number(month).is_some() => {
            named(day_number(day)?, month_number(month)?, words.get(2).copied())
        }
        [month, day] | [month, day, _] => named(day_number(day)?, month_number(month)?, words.get(2).copied()),
        // «5 декабря 2026 года».
        [day, month, year, "года" | "г" | "г."] => named(day_number(day)?, month_number(month)?, Some(year)),
        _ => None,
    }
}

fn named(day: i8, month: i8, year: Option<&str>) -> Option<Day> {
    match year {
        None => Some(Day::OfYear { month, day }),
        Some(year) => Date::new(year_number(year)?, month, day).ok().map(Day::Exact),
    }
}

/// `05.12`, `05.12.2026`, `05.12.26`, `2026-12-05`.
fn numeric(word: &str) -> Option<Day> {
    if let Ok(date) = Date::strptime("%Y-%m-%d", word) {
        return Some(Day::Exact(date));
    }
    match word.trim_end_matches('.').split('.').collect::<Vec<_>>().as_slice() {
        [day, month] => Some(Day::OfYear { month: day_number(month)?, day: day_number(day)? }),
        [day, month, year] => named(day_number(day)?, day_number(month)?, Some(year)),
        _ => None,
    }
}

/// One or two digits; `5th` and `5-го` as well.
pub(super) fn day_number(word: &str) -> Option<i8> {
    let endings = ["-го", "-е", "st", "nd", "rd", "th"];
    let bare = endings.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    let is_short = !bare.is_empty() && bare.len() <= 2 && bare.bytes().all(|byte| byte.is_ascii_digit());
    if is_short { bare.parse().ok() } else { None }
}

pub(super) fn year_number(word: &str) -> Option<i16> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    match (digits, word.len()) {
        (true, 4) => word.parse().ok(),
        (true, 2) => word.parse::<i16>().ok().map(|year| 2000 + year),
        _ => None,
    }
}

pub(super) fn month_number(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    let fits = |(russian, english): &(&str, &str)| {
        let short = |full: &str| full.chars().take(3).eq(word.chars());
        word == *russian || word == *english || short(russian) || short(english)
    };
    MONTHS.iter().position(fits).and_then(|index| i8::try_from(index + 1).ok())
}

/// «пятница», «пятницу», «пт», `Friday`, `Fri`.
fn weekday(word: &str) -> Option<Weekday> {
    let word = word.trim_end_matches('.');
    let full = RUSSIAN_DAYS.iter().position(|forms| forms.contains(&word));
    let index = full.or_else(|| parse_day(word).ok())?;
    Weekday::from_monday_zero_offset(i8::try_from(index).ok()?).ok()
}

const RUSSIAN_DAYS: [&[&str]; 7] = [
    &["понедельник", "понедельника"],
    &["вторник", "вторника"],
    &["среда", "среду", "среды"],
    &["четверг", "четверга"],
    &["пятница", "пятницу", "пятницы"],
    &["суббота", "субботу", "субботы"],
    &["воскресенье", "воскресенья"],
];

const MONTHS: [(&str, &str); 12] = [
    ("января", "january"),
    ("февраля", "february"),
    ("марта", "march"),
    ("апреля", "april"),
    ("мая", "may"),
    ("июня", "june"),
    ("июля", "july"),
    ("августа", "august"),
    ("сентября", "september"),
    ("октября", "october"),
    ("ноября", "november"),
    ("декабря", "december"),
];
