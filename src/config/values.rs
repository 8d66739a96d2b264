//! The values that keys take: what each kind looks like in the file, and what is said when it does not.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use toml::de::DeValue;

use super::section::{Bad, Raw, nearest};
use super::{Publish, Secret};
use crate::address::{is_one_mailbox, read_address};
use crate::letters::phrase;
use crate::schedule::{self, DeadlineRule, RuleFault, parse_span};

/// A display name and an address: `Омерта <mafia@example.org>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// Empty when there is none.
    pub name: String,
    /// Lower-cased.
    pub address: String,
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() { f.write_str(&self.address) } else { write!(f, "{} <{}>", self.name, self.address) }
    }
}

/// At most so many letters in so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub letters: u32,
    pub per: SignedDuration,
}

type Read<T> = Result<T, Vec<Bad>>;

pub(super) fn text<'a>(raw: &'a Raw<'_>) -> Read<&'a str> {
    let Some(text) = raw.get_ref().as_str() else {
        let what = format!("must be a text in quotes, not {}", kind_of(raw.get_ref()));
        return Err(Bad::new(raw, what, "Put quotes around the value: key = \"value\"."));
    };
    match text.chars().find(|c| c.is_control()) {
        Some(c) => Err(Bad::new(raw, format!("holds a control character ({})", c.escape_unicode()), "Take it out.")),
        None => Ok(text),
    }
}

pub(super) fn non_empty(raw: &Raw<'_>) -> Read<String> {
    let text = text(raw)?.trim();
    if text.is_empty() {
        Err(Bad::new(raw, "is empty", "Write a value between the quotes."))
    } else {
        Ok(text.to_owned())
    }
}

/// An empty text stands for no value.
pub(super) fn optional(raw: &Raw<'_>) -> Read<Option<String>> {
    Ok(Some(text(raw)?.trim().to_owned()).filter(|text| !text.is_empty()))
}

/// A link without a login: whoever runs the forum finds that in his logs. None for an empty text.
pub(super) fn feed_link(raw: &Raw<'_>) -> Read<Option<String>> {
    let link = optional(raw)?;
    if link.as_deref().is_some_and(|link| link.contains(char::is_whitespace)) {
        return Err(Bad::new(raw, "has a space in it", "Write the address of one feed, as a browser shows it."));
    }
    let login = |url: url::Url| !url.username().is_empty() || url.password().is_some();
    if link.as_deref().and_then(|link| url::Url::parse(link).ok()).is_some_and(login) {
        let cure = "Take out what stands between // and @; only a feed that is open to all is read.";
        return Err(Bad::new(raw, "has a login in it", cure));
    }
    Ok(link)
}

/// Passwords are taken as they stand, spaces too.
pub(super) fn secret(raw: &Raw<'_>) -> Read<Secret> {
    let text = text(raw)?;
    if text.is_empty() { Err(Bad::new(raw, "is empty", "Write the password.")) } else { Ok(Secret::new(text)) }
}

pub(super) fn boolean(raw: &Raw<'_>) -> Read<bool> {
    raw.get_ref().as_bool().ok_or_else(|| {
        let what = format!("must be true or false, not {}", kind_of(raw.get_ref()));
        Bad::new(raw, what, "Write true or false, without quotes.")
    })
}

/// A whole number from `least` to `most`.
pub(super) fn number<T: TryFrom<i64> + PartialOrd + fmt::Display>(raw: &Raw<'_>, least: T, most: T) -> Read<T> {
    let cure = || format!("Write a whole number from {least} to {most}, without quotes.");
    let Some(integer) = raw.get_ref().as_integer() else {
        return Err(Bad::new(raw, format!("must be a number, not {}", kind_of(raw.get_ref())), cure()));
    };
    let number =
        i64::from_str_radix(integer.as_str(), integer.radix()).ok().and_then(|number| T::try_from(number).ok());
    number.filter(|number| *number >= least && *number <= most).ok_or_else(|| {
        let what = format!("{integer} is out of bounds");
        Bad::new(raw, what, cure())
    })
}

/// One of a closed list of words.
pub(super) fn choice<T: Copy>(raw: &Raw<'_>, choices: &[(&str, T)]) -> Read<T> {
    let word = text(raw)?.trim();
    if let Some((_, value)) = choices.iter().find(|(name, _)| *name == word) {
        return Ok(*value);
    }
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let cure = match nearest(word, choices.iter().map(|(name, _)| *name)) {
        Some(near) => format!("Did you mean \"{near}\"? It may be {}.", names.join(", ")),
        None => format!("It may be {}.", names.join(", ")),
    };
    Err(Bad::new(raw, format!("\"{word}\" is not one of its values"), cure))
}

/// An array, each element read by `read`; all bad elements are named.
pub(super) fn list<'a, T>(raw: &'a Raw<'a>, mut read: impl FnMut(&'a Raw<'a>) -> Read<T>) -> Read<Vec<T>> {
    let Some(array) = raw.get_ref().as_array() else {
        let what = format!("must be a list, not {}", kind_of(raw.get_ref()));
        return Err(Bad::new(raw, what, "Put square brackets around it: key = [\"one\", \"two\"]."));
    };
    let (mut values, mut bads) = (Vec::new(), Vec::new());
    for element in array {
        match read(element) {
            Ok(value) => values.push(value),
            Err(bad) => bads.extend(bad),
        }
    }
    if bads.is_empty() { Ok(values) } else { Err(bads) }
}

pub(super) fn address(raw: &Raw<'_>) -> Read<String> {
    let text = text(raw)?;
    read_address(text).map_err(|fault| {
        let what = format!("\"{text}\" is not a mail address: {fault}");
        Bad::new(raw, what, "Write it bare, as in \"anna@example.org\".")
    })
}

/// Addresses, none of them twice.
pub(super) fn addresses(raw: &Raw<'_>) -> Read<Vec<String>> {
    once_each(raw, |one, other| one == other)
}

/// Addresses of people: each mailbox once, however it is spelt.
pub(super) fn people(raw: &Raw<'_>) -> Read<Vec<String>> {
    once_each(raw, is_one_mailbox)
}

fn once_each(raw: &Raw<'_>, is_one: impl Fn(&str, &str) -> bool) -> Read<Vec<String>> {
    let mut before: Vec<String> = Vec::new();
    list(raw, |element| {
        let address = address(element)?;
        if let Some(same) = before.iter().find(|earlier| is_one(earlier, &address)) {
            let what = match *same == address {
                true => format!("\"{address}\" stands twice"),
                false => format!("\"{address}\" is the same mailbox as \"{same}\""),
            };
            return Err(Bad::new(element, what, "Take one of them out."));
        }
        before.push(address.clone());
        Ok(address)
    })
}

pub(super) fn mailbox(raw: &Raw<'_>) -> Read<Mailbox> {
    let whole = text(raw)?.trim();
    let (name, bare) = match whole.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        Some((name, bare)) => (name.trim().trim_matches('"'), bare),
        None => ("", whole),
    };
    let wrong = |what: String| Bad::new(raw, what, "Write it as in \"Омерта <mafia@example.org>\".");
    if name.contains(['<', '>', '@']) {
        return Err(wrong(format!("\"{name}\" is not a name for a sender")));
    }
    let address = read_address(bare).map_err(|fault| wrong(format!("\"{bare}\" is not a mail address: {fault}")))?;
    Ok(Mailbox { name: name.to_owned(), address })
}

pub(super) fn zone(raw: &Raw<'_>) -> Read<TimeZone> {
    let name = text(raw)?.trim();
    if let Ok(zone) = TimeZone::get(name) {
        return Ok(zone);
    }
    let cure = match nearest_zone(name) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => "Write an IANA name, as in \"Europe/Moscow\".".to_owned(),
    };
    Err(Bad::new(raw, format!("\"{name}\" is not a time zone"), cure))
}

/// The zone that a slip of the hand, a city alone, its Russian name or an offset may have meant.
pub fn nearest_zone(name: &str) -> Option<String> {
    if let Some(zone) = zone_of_offset(name).or_else(|| phrase::zone_of_city(name).map(str::to_owned)) {
        return Some(zone);
    }
    let all: Vec<String> = jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect();
    let city = |zone: &'_ str| zone.rsplit('/').next().unwrap_or_default().replace('_', " ").to_lowercase();
    let written = name.replace('_', " ").to_lowercase();
    let exact = all.iter().find(|zone| city(zone) == written).cloned();
    exact.or_else(|| nearest(name, all.iter().map(String::as_str)).map(str::to_owned)).or_else(|| {
        let cities: Vec<String> = all.iter().map(|zone| city(zone)).collect();
        let near = nearest(&written, cities.iter().map(String::as_str))?;
        all.iter().find(|zone| city(zone) == near).cloned()
    })
}

/// `UTC+3`, `GMT-5`: the database has such zones under names whose sign is the other way round.
fn zone_of_offset(name: &str) -> Option<String> {
    let upper = name.to_uppercase();
    let offset = upper.strip_prefix("UTC").or_else(|| upper.strip_prefix("GMT"))?;
    let hours: i8 = offset.trim_end_matches(":00").parse().ok().filter(|hours| *hours != 0)?;
    let zone = format!("Etc/GMT{:+}", hours.checked_neg()?);
    TimeZone::get(&zone).is_ok().then_some(zone)
}

/// `2m`, `12h`, `90d`, `1h30m`, `0s`; from `least` to `most` seconds.
pub(super) fn duration(raw: &Raw<'_>, least: i64, most: i64) -> Read<SignedDuration> {
    let text = text(raw)?.trim();
    let example = "Write a number and its unit, as in \"90s\", \"2m\", \"12h\" or \"90d\".";
    let Some(span) = parse_span(text) else {
        let near = nearest_span(text).map(|near| format!("Did you mean \"{near}\"? ")).unwrap_or_default();
        return Err(Bad::new(raw, format!("\"{text}\" is not a length of time"), near + example));
    };
    if span.as_secs() < least {
        return Err(Bad::new(raw, format!("\"{text}\" is too short"), format!("Write at least \"{least}s\".")));
    }
    if span > SignedDuration::from_secs(most) {
        let cure = format!("Write at most \"{}d\".", most / 86_400);
        return Err(Bad::new(raw, format!("\"{text}\" is too long"), cure));
    }
    Ok(span)
}

/// A number whose unit is misspelt: `12 huors`. The unit in its shortest form.
fn nearest_span(text: &str) -> Option<String> {
    const UNITS: [(&str, &str); 14] = [
        ("sec", "s"),
        ("seconds", "s"),
        ("секунд", "s"),
        ("min", "m"),
        ("minutes", "m"),
        ("минут", "m"),
        ("hrs", "h"),
        ("hours", "h"),
        ("часов", "h"),
        ("days", "d"),
        ("дней", "d"),
        ("суток", "d"),
        ("weeks", "w"),
        ("недель", "w"),
    ];
    let number: String = text.trim().chars().take_while(char::is_ascii_digit).collect();
    let unit = text.trim().strip_prefix(number.as_str())?.trim();
    let near = nearest(unit, UNITS.into_iter().map(|(long, _)| long)).filter(|_| !number.is_empty())?;
    UNITS.into_iter().find(|(long, _)| *long == near).map(|(_, short)| format!("{number}{short}"))
}

/// `10MiB`, `500 kB`, `2000000`: bytes, from `least`.
pub(super) fn size(raw: &Raw<'_>, least: u64) -> Read<u64> {
    let text = match raw.get_ref().as_integer() {
        Some(integer) => integer.to_string(),
        None => text(raw)?.trim().to_owned(),
    };
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = text.strip_prefix(digits).unwrap_or_default().trim().to_ascii_lowercase();
    let scale: Option<u64> = match unit.as_str() {
        "" | "b" => Some(1),
        "kb" => Some(1_000),
        "mb" => Some(1_000_000),
        "gb" => Some(1_000_000_000),
        "kib" | "k" => Some(1 << 10),
        "mib" | "m" => Some(1 << 20),
        "gib" | "g" => Some(1 << 30),
        _ => None,
    };
    let bytes = digits.parse::<u64>().ok().zip(scale).and_then(|(number, scale)| number.checked_mul(scale));
    match bytes {
        Some(bytes) if bytes >= least => Ok(bytes),
        Some(_) => {
            Err(Bad::new(raw, format!("\"{text}\" is too small"), format!("Write at least \"{}KiB\".", least >> 10)))
        }
        None => Err(Bad::new(raw, format!("\"{text}\" is not a size"), "Write it as in \"10MiB\" or \"500KiB\".")),
    }
}

/// `60/m`, `1/s`, `500/d`, `10/30s`.
pub(super) fn rate(raw: &Raw<'_>) -> Read<Rate> {
    let text = text(raw)?.trim();
    let parts = text.split_once('/').and_then(|(letters, per)| {
        let letters = letters.trim().parse::<u32>().ok().filter(|letters| *letters > 0)?;
        let per = per.trim();
        let span = if per.starts_with(|c: char| c.is_ascii_digit()) {
            parse_span(per)
        } else {
            parse_span(&format!("1{per}"))
        };
        Some(Rate { letters, per: span.filter(|span| span.is_positive())? })
    });
    parts.ok_or_else(|| {
        let cure = "Write letters and time, as in \"60/m\", \"1/s\" or \"500/d\".";
        Bad::new(raw, format!("\"{text}\" is not a rate"), cure)
    })
}

/// A path, made absolute from `folder`.
pub(super) fn path(raw: &Raw<'_>, folder: &Path) -> Read<PathBuf> {
    let text = non_empty(raw)?;
    if text == "~" || text.starts_with("~/") {
        return Err(Bad::new(raw, "`~` is not understood here", "Write the whole path, from /."));
    }
    Ok(under(folder, &text))
}

/// An empty text stands for no path.
pub(super) fn optional_path(raw: &Raw<'_>, folder: &Path) -> Read<Option<PathBuf>> {
    match optional(raw)? {
        Some(_) => path(raw, folder).map(Some),
        None => Ok(None),
    }
}

/// `folder/relative`, without `.` and needless slashes; `..` stays, for a link may stand before it.
pub(super) fn under(folder: &Path, relative: &str) -> PathBuf {
    folder.join(relative).components().filter(|part| *part != Component::CurDir).collect()
}

/// The file of the database: SQLite's own spellings of what is no file would become one of that name.
pub(super) fn database(raw: &Raw<'_>, folder: &Path) -> Read<PathBuf> {
    let text = non_empty(raw)?;
    let begins = |start: &str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    if begins(":memory:") || begins("file:") {
        let cure = "Write the name of a file, as in \"omerta.db\"; the games are kept in it.";
        return Err(Bad::new(raw, format!("\"{text}\" is no name of a file"), cure));
    }
    path(raw, folder)
}

/// The name of a mail server, or its number; nothing else with it.
pub(super) fn server_name(raw: &Raw<'_>) -> Read<String> {
    let text = non_empty(raw)?;
    let bad = |what: String, cure: String| Err(Bad::new(raw, what, cure));
    let number = text.trim_start_matches('[').trim_end_matches(']');
    if number.parse::<std::net::IpAddr>().is_ok() {
        return Ok(text);
    }
    let (scheme, rest) = text.split_once("://").map_or((None, text.as_str()), |(scheme, rest)| (Some(scheme), rest));
    let rest = rest.split('/').next().unwrap_or_default();
    let (name, port) = match rest.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => (name, Some(port)),
        _ => (rest, None),
    };
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    let apart = |name: &str| match port {
        Some(port) => format!("Write them apart: server = \"{name}\" and port = {port}."),
        None => format!("Write the name alone: server = \"{name}\"."),
    };
    let example = || "Write the name of the server alone, as in server = \"imap.example.org\".".to_owned();
    let cure = if is_name(name) { apart(name) } else { example() };
    match (scheme, port) {
        // Whoever writes a whole address may have written a password into it.
        _ if text.contains('@') => bad("is a mail address, and no name of a server".to_owned(), example()),
        (Some(scheme), _) if is_name(scheme) => bad(format!("\"{scheme}://\" does not belong to the name"), cure),
        (Some(_), _) => bad(format!("\"{text}\" is no name of a server"), cure),
        (None, Some(port)) => bad(format!("\"{text}\" holds the port, {port}, too"), cure),
        (None, None) if is_name(&text) => Ok(text),
        (None, None) => match text.chars().find(|c| c.is_alphabetic() && !c.is_ascii()) {
            Some(c) => bad(
                format!("\"{text}\" is no name of a server: «{c}» is not a Latin letter"),
                "Write the name in Latin letters; of a Cyrillic one its form that begins with xn--.".to_owned(),
            ),
            None => bad(format!("\"{text}\" is no name of a server"), cure),
        },
    }
}

/// A program and its arguments; one text is a line for the shell.
pub(super) fn command(raw: &Raw<'_>) -> Read<Vec<String>> {
    if raw.get_ref().is_str() {
        return Ok(["/bin/sh".to_owned(), "-c".to_owned(), non_empty(raw)?].to_vec());
    }
    let words = list(raw, |element| text(element).map(str::to_owned))?;
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        let cure = "Write the program and its arguments: [\"/usr/sbin/sendmail\", \"-i\"].";
        return Err(Bad::new(raw, "names no program", cure));
    }
    Ok(words)
}

pub(super) fn deadline(raw: &Raw<'_>) -> Read<DeadlineRule> {
    let lines = match raw.get_ref().as_array() {
        Some(_) => list(raw, |element| text(element).map(str::to_owned))?,
        None => vec![text(raw)?.to_owned()],
    };
    DeadlineRule::parse_all(&lines).map_err(|fault| {
        let form = "Write it as in \"21:00\", [\"Mon-Thu 21:00\", \"Sun 20:00\"] or \"every 36h\".";
        let near = match &fault {
            RuleFault::Time(time) => {
                let meant = time.replace(['.', '-', ','], ":");
                DeadlineRule::parse(&meant).is_ok().then_some(meant)
            }
            RuleFault::Day(day) => nearest(day, schedule::day_names()).map(str::to_owned),
            RuleFault::Every(span) => nearest_span(span),
            RuleFault::Empty | RuleFault::Mixed(_) => None,
        };
        let cure = near.map_or_else(|| form.to_owned(), |near| format!("Did you mean \"{near}\"? {form}"));
        Bad::new(raw, fault.to_string(), cure)
    })
}

pub(super) fn publish(raw: &Raw<'_>) -> Read<Publish> {
    let text = text(raw)?.trim();
    let after = || text.strip_prefix("approve").and_then(parse_span).filter(|span| span.is_positive());
    if after().is_some_and(|span| span > schedule::FARTHEST) {
        let cure = format!("Write at most \"approve {}d\".", schedule::FARTHEST_DAYS);
        return Err(Bad::new(raw, format!("\"{text}\" waits too long"), cure));
    }
    match text {
        "auto" => Ok(Publish::Auto),
        "approve" => Ok(Publish::Approve),
        _ => after().map(Publish::ApproveFor).ok_or_else(|| {
            let form = "It may be \"auto\", \"approve\" or, with a time, \"approve 6h\".";
            let (word, time) = text.split_once(' ').unwrap_or((text, ""));
            let near = nearest(word, ["auto", "approve"].into_iter()).map(|near| match near {
                "approve" if parse_span(time).is_some_and(|span| span.is_positive()) => format!("approve {time}"),
                near => near.to_owned(),
            });
            let cure = near.map_or_else(|| form.to_owned(), |near| format!("Did you mean \"{near}\"? {form}"));
            Bad::new(raw, format!("\"{text}\" is not one of its values"), cure)
        }),
    }
}

/// A toggle's value as text, whatever TOML type it has: `0.25`, `true`, `hunt`, `citizen,citizen,boss`,
/// `citizen=5,boss=1`.
pub(super) fn rule_value(raw: &Raw<'_>) -> Read<String> {
    let join = |parts: Read<Vec<String>>| parts.map(|parts| parts.join(","));
    match raw.get_ref() {
        DeValue::Array(_) => join(list(raw, rule_value)),
        DeValue::Table(table) => {
            let pair = |(key, value)| Ok(format!("{}={}", toml::Spanned::get_ref(key), rule_value(value)?));
            join(table.iter().map(pair).collect())
        }
        DeValue::Integer(number) => Ok(number.to_string()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Boolean(value) => Ok(value.to_string()),
        DeValue::String(_) => text(raw).map(|text| text.trim().to_owned()),
        DeValue::Datetime(_) => Err(Bad::new(raw, "is a date", "No rule takes a date; see rules.md for its values.")),
    }
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}
