//! Days as people write them: `3-7 мая`, `28 апреля - 3 мая`, `с 03.05 по 07.05.2026`, `May 3 to May 7`, `2026-05-03`.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::typography::is_dash;

/// From the first day to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Days {
    pub first: Date,
    pub last: Date,
}

impl Days {
    pub fn hold(&self, day: Date) -> bool {
        self.first <= day && day <= self.last
    }
}

/// Longest absence, in days: a slip in the year must not mute a player for a whole game.
const LONGEST: i32 = 60;
/// Longest text that is looked at, in characters.
const LONGEST_TEXT: usize = 80;

/// The days that a text names. Without a year they are the next such days, `today` included. None when it names none,
/// when they are over, or when they are too many.
pub fn read_days(written: &str, today: Date) -> Option<Days> {
    let (first, last) = period(written)?;
    let (first_month, last_month) = (first.month.or(last.month)?, last.month.or(first.month)?);
    let days = match (first.year, last.year.or(first.year)) {
        (year, Some(last_year)) => Days {
            first: Date::new(year.unwrap_or(last_year), first_month, first.day).ok()?,
            last: Date::new(last_year, last_month, last.day).ok()?,
        },
        (_, None) => {
            let this = today.year();
            let ends = |year: i16| Date::new(year, last_month, last.day).ok().filter(|last| *last >= today);
            let last = ends(this).or_else(|| ends(this.saturating_add(1)))?;
            let begins = |year: i16| Date::new(year, first_month, first.day).ok().filter(|first| *first <= last);
            Days { first: begins(last.year()).or_else(|| begins(last.year().saturating_sub(1)))?, last }
        }
    };
    let length = days.last.since(days.first).ok()?.get_days();
    (days.first <= days.last && days.last >= today && length < LONGEST).then_some(days)
}

/// Whether a text is days and nothing else.
pub fn is_period(written: &str) -> bool {
    period(written).is_some_and(|(first, last)| first.month.or(last.month).is_some())
}

#[derive(Clone, Copy)]
struct Day {
    day: i8,
    month: Option<i8>,
    year: Option<i16>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    /// A number and how many digits it has.
    Number(i16, usize),
    Month(i8),
    Dash,
    Dot,
    /// «по», `to`.
    To,
}

fn period(written: &str) -> Option<(Day, Day)> {
    let tokens = tokens(written)?;
    let (first, rest) = day(&tokens)?;
    match rest {
        [] => Some((first, first)),
        [Token::Dash | Token::To, rest @ ..] => match day(rest)? {
            (last, []) => Some((first, last)),
            _ => None,
        },
        _ => None,
    }
}

/// One day at the beginning, and what follows it.
fn day(tokens: &[Token]) -> Option<(Day, &[Token])> {
    use Token::{Dash, Dot, Month, Number};
    let year = |number: i16, digits: usize| if digits == 2 { number.checked_add(2000) } else { Some(number) };
    let (day, month, year, rest) = match tokens {
        [Number(y, 4), Dash, Number(m, 1..=2), Dash, Number(d, 1..=2), rest @ ..] => {
            (*d, Some(small(*m)?), Some(*y), rest)
        }
        [Number(d, 1..=2), Dot, Number(m, 1..=2), Dot, Number(y, digits @ (2 | 4)), rest @ ..] => {
            (*d, Some(small(*m)?), year(*y, *digits), rest)
        }
        [Number(d, 1..=2), Dot, Number(m, 1..=2), rest @ ..] => (*d, Some(small(*m)?), None, rest),
        [Number(d, 1..=2), Month(m), Number(y, 4), rest @ ..]
        | [Month(m), Number(d, 1..=2), Number(y, 4), rest @ ..] => (*d, Some(*m), Some(*y), rest),
        [Number(d, 1..=2), Month(m), rest @ ..] | [Month(m), Number(d, 1..=2), rest @ ..] => (*d, Some(*m), None, rest),
        [Number(d, 1..=2), rest @ ..] => (*d, None, None, rest),
        _ => return None,
    };
    Some((Day { day: small(day)?, month, year }, rest))
}

fn small(number: i16) -> Option<i8> {
    i8::try_from(number).ok()
}

/// None when anything stands there that belongs to no date.
fn tokens(written: &str) -> Option<Vec<Token>> {
    let written = written.trim().trim_end_matches(['.', '!']).to_lowercase();
    if written.chars().count() > LONGEST_TEXT {
        return None;
    }
    let mut tokens = Vec::new();
    let mut letters = written.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_ascii_digit() {
            let mut number = String::from(letter);
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                number.push(digit);
            }
            tokens.push(Token::Number(number.parse().ok()?, number.len()));
        } else if letter.is_alphabetic() {
            let mut word = String::from(letter);
            while let Some(letter) = letters.next_if(|letter| letter.is_alphabetic()) {
                word.push(letter);
            }
            tokens.extend(token_of(&word)?);
        } else if is_dash(letter) {
            tokens.push(Token::Dash);
        } else if letter == '.' || letter == '/' {
            tokens.push(Token::Dot);
        } else if !letter.is_whitespace() && letter != ',' {
            return None;
        }
    }
    Some(tokens)
}

/// A word that a date may hold; Some(None) for one that says nothing.
fn token_of(word: &str) -> Option<Option<Token>> {
    match word {
        "с" | "со" | "from" | "г" | "года" | "st" | "nd" | "rd" | "th" => return Some(None),
        "по" | "до" | "to" | "till" | "until" => return Some(Some(Token::To)),
        _ => {}
    }
    let month = (1i8..).zip(MONTHS).find(|(_, names)| {
        let (stem, english) = names;
        let russian = word.strip_prefix(stem).is_some_and(|ending| ending.chars().count() <= 1);
        russian || *english == word || (word.len() == 3 && english.starts_with(word))
    })?;
    Some(Some(Token::Month(month.0)))
}

/// The Russian stem and the English name.
const MONTHS: [(&str, &str); 12] = [
    ("январ", "january"),
    ("феврал", "february"),
    ("март", "march"),
    ("апрел", "april"),
    ("ма", "may"),
    ("июн", "june"),
    ("июл", "july"),
    ("август", "august"),
    ("сентябр", "september"),
    ("октябр", "october"),
    ("ноябр", "november"),
    ("декабр", "december"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn days_are_read_however_they_are_written() {
        let today = date("2026-11-30");
        for (written, first, last) in [
            ("3-7 мая", "2027-05-03", "2027-05-07"),
            ("3–7 мая.", "2027-05-03", "2027-05-07"),
            ("с 3 по 7 мая", "2027-05-03", "2027-05-07"),
            ("28 апреля - 3 мая", "2027-04-28", "2027-05-03"),
            ("28 апреля до 3 мая 2027 г.", "2027-04-28", "2027-05-03"),
            ("30 декабря - 3 января", "2026-12-30", "2027-01-03"),
            ("25 ноября - 1 декабря", "2026-11-25", "2026-12-01"),
            ("1 декабря", "2026-12-01", "2026-12-01"),
            ("01.12-05.12", "2026-12-01", "2026-12-05"),
            ("01.12 - 05.12.26", "2026-12-01", "2026-12-05"),
            ("1-5.12", "2026-12-01", "2026-12-05"),
            ("2026-12-01 - 2026-12-05", "2026-12-01", "2026-12-05"),
            ("3-7 May", "2027-05-03", "2027-05-07"),
            ("May 3-7", "2027-05-03", "2027-05-07"),
            ("from Dec 3rd to Dec 7th, 2026", "2026-12-03", "2026-12-07"),
            ("3-7 МАРТА", "2027-03-03", "2027-03-07"),
        ] {
            let days = Days { first: date(first), last: date(last) };
            assert_eq!(read_days(written, today), Some(days), "{written}");
            assert!(is_period(written), "{written}");
        }
        for written in [
            "",
            "мая",
            "3",
            "3-7",
            "40 мая",
            "31 июня",
            "7 мая - 3 мая 2027",
            "1-5.11.2026",
            "с понедельника",
            "3-7 мамы",
            "1 января - 1 декабря 2027",
            "3-7 мая и ещё",
            "99999 мая",
            "3 мая - 7 мая - 9 мая",
        ] {
            assert_eq!(read_days(written, today), None, "{written}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9 .,/-мая]{0,24}|\\PC{0,90}") {
            let _ = (read_days(&text, date("2026-11-30")), is_period(&text));
        }
    }
}
