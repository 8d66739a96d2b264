//! A roster that the host drew up elsewhere: CSV into rows, every fault at once.

mod accounts;
mod nick;

use std::collections::BTreeMap;
use std::fmt;

use csv::{ReaderBuilder, StringRecord};
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};
use unicode_normalization::UnicodeNormalization;

pub use accounts::{Account, read_accounts};
pub use nick::{check_nick, is_request_word};

pub use crate::address::fold_address;
use crate::address::read_address;
use crate::request::names::fold;
use crate::rules::{Gender, Role};

/// More is no roster but a slip.
const MOST_BYTES: usize = 1 << 20;
const MOST_PLAYERS: usize = 1_000;
/// Characters.
const LONGEST_REMARK: usize = 200;

/// The columns, by the names of the header line; the first two must be there.
const COLUMNS: [&str; 6] = ["address", "nick", "characteristic", "role", "gender", "forum_name"];

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster;

/// A player whom the host signed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterRow {
    /// In the file, counted from 1; the header is line 1.
    pub line: u64,
    /// Lower-cased.
    pub address: String,
    pub nick: String,
    /// Empty when none was given.
    pub characteristic: String,
    /// Some in all rows or in none.
    pub role: Option<Role>,
    pub gender: Option<Gender>,
    pub forum_name: Option<String>,
}

/// One fault. Its `Display` is one line that a host can act on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RosterFault {
    /// Counted from 1; 0 when the whole file is meant.
    pub line: u64,
    /// Empty when no column is at fault.
    pub column: &'static str,
    pub what: String,
    pub cure: String,
}

impl fmt::Display for RosterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if !self.column.is_empty() {
            write!(f, "{}: ", self.column)?;
        }
        write!(f, "{}. {}", self.what, self.cure)
    }
}

impl std::error::Error for RosterFault {}

impl Roster {
    /// Reads a roster: a header line with [`COLUMNS`] in any order, then a line a player; UTF-8, with or without a
    /// byte order mark; between the cells a comma, a semicolon or a tab.
    ///
    /// # Errors
    /// Every fault at once, in the order of lines.
    pub fn read(bytes: &[u8]) -> Result<Vec<RosterRow>, Vec<RosterFault>> {
        let text = text_of(bytes).map_err(|fault| vec![fault])?;
        let mut records = records(text)?.into_iter();
        let header = records.next().ok_or_else(|| {
            let cure = "Begin with the line address,nick and add a line a player.";
            vec![fault(0, "", "the roster is empty", cure)]
        })?;
        let places = columns(&header)?;
        let (mut rows, mut faults) = (Vec::new(), Vec::new());
        for record in records {
            let mut cells = Cells { record: &record, places: &places, faults: Vec::new() };
            rows.push(row(&mut cells));
            faults.append(&mut cells.faults);
        }
        if rows.is_empty() || rows.len() > MOST_PLAYERS {
            let what = format!("{} players stand in it", rows.len());
            faults.push(fault(0, "", what, format!("Write a line a player, at most {MOST_PLAYERS}.")));
        }
        same_twice(&rows, &mut faults);
        roles_in_part(&rows, &mut faults);
        faults.sort_by_key(|fault| fault.line);
        if faults.is_empty() { Ok(rows) } else { Err(faults) }
    }
}

fn fault(line: u64, column: &'static str, what: impl Into<String>, cure: impl Into<String>) -> RosterFault {
    RosterFault { line, column, what: what.into(), cure: cure.into() }
}

fn text_of(bytes: &[u8]) -> Result<&str, RosterFault> {
    if bytes.len() > MOST_BYTES {
        return Err(fault(0, "", "the file is too large for a roster", "Name the right file."));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.iter().take(error.valid_up_to());
        let line = 1 + before.filter(|byte| **byte == b'\n').count() as u64;
        fault(line, "", "the file is not UTF-8 text", "Save it anew as «CSV UTF-8».")
    })
}

struct Record {
    line: u64,
    cells: StringRecord,
}

/// All lines that are not blank.
fn records(text: &str) -> Result<Vec<Record>, Vec<RosterFault>> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |delimiter: u8| first.bytes().filter(|byte| *byte == delimiter).count();
    let delimiter = [b',', b';', b'\t'].into_iter().rev().max_by_key(|delimiter| count(*delimiter)).unwrap_or(b',');
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    let mut lines = Lines { text: text.as_bytes(), offset: 0, line: 1 };
    for record in reader.records() {
        match record {
            Ok(cells) if cells.iter().all(|cell| cell.trim().is_empty()) => {}
            Ok(cells) => records.push(Record { line: lines.at(cells.position()), cells }),
            Err(error) => {
                let line = lines.at(error.position());
                faults.push(fault(line, "", format!("is not CSV: {error}"), "Save the table anew as CSV."));
            }
        }
    }
    if faults.is_empty() { Ok(records) } else { Err(faults) }
}

/// Counts lines on the way through a text. (The reader's own count is short by the line break before a record.)
struct Lines<'a> {
    text: &'a [u8],
    offset: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of a record; records must come in their order.
    fn at(&mut self, position: Option<&csv::Position>) -> u64 {
        let start = position.map_or(self.offset, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX));
        while let Some(byte) = self.text.get(self.offset)
            && (self.offset < start || matches!(byte, b'\r' | b'\n'))
        {
            self.line += u64::from(*byte == b'\n');
            self.offset += 1;
        }
        self.line
    }
}

/// Where each column stands; by its name.
fn columns(header: &Record) -> Result<BTreeMap<&'static str, usize>, Vec<RosterFault>> {
    let mut places = BTreeMap::new();
    let mut faults = Vec::new();
    for (place, cell) in header.cells.iter().enumerate() {
        let name = cell.trim().to_lowercase();
        let known = COLUMNS.iter().find(|column| **column == name);
        match known {
            Some(column) if places.insert(*column, place).is_some() => {
                faults.push(fault(header.line, column, "the column stands twice", "Take one of them out."));
            }
            Some(_) => {}
            None => {
                let cure = format!("The columns are {}.", COLUMNS.join(", "));
                faults.push(fault(header.line, "", format!("there is no column `{name}`"), cure));
            }
        }
    }
    if places.is_empty() {
        let cure = "Begin the file with the line address,nick,characteristic,role,gender,forum_name.";
        return Err(vec![fault(header.line, "", "the header line is missing", cure)]);
    }
    for column in COLUMNS.into_iter().take(2).filter(|column| !places.contains_key(column)) {
        let cure = "Begin the file with the line address,nick,characteristic,role,gender,forum_name.";
        faults.push(fault(header.line, column, "the column is missing in the header line", cure));
    }
    if faults.is_empty() { Ok(places) } else { Err(faults) }
}

/// One line, and what was found wrong in it.
struct Cells<'a> {
    record: &'a Record,
    places: &'a BTreeMap<&'static str, usize>,
    faults: Vec<RosterFault>,
}

impl Cells<'_> {
    /// Composed (NFC), with single spaces, without spaces at the ends. What a letter could not carry is a fault.
    fn cell(&mut self, column: &'static str) -> String {
        let raw = self.places.get(column).and_then(|place| self.record.cells.get(*place)).unwrap_or_default();
        if let Some(stranger) = raw.trim().chars().find(|c| c.is_control() || turns_text_around(*c)) {
            let what = format!("holds a character that cannot be seen ({})", stranger.escape_unicode());
            self.blame(column, what, "Take it out; a cell is one line of plain text.");
        }
        raw.nfc().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn blame(&mut self, column: &'static str, what: impl Into<String>, cure: impl Into<String>) {
        self.faults.push(fault(self.record.line, column, what, cure));
    }
}

fn row(cells: &mut Cells<'_>) -> RosterRow {
    let beyond = cells.record.cells.iter().skip(cells.places.len());
    if beyond.filter(|cell| !cell.trim().is_empty()).count() > 0 {
        cells.blame(
            "",
            "there are more cells than columns",
            "Put quotes around a cell that holds a comma or semicolon.",
        );
    }
    let written = cells.cell("address");
    let address = read_address(&written).unwrap_or_else(|fault| {
        cells.blame(
            "address",
            format!("\"{written}\" is not a mail address: {fault}"),
            "Write it bare: anna@example.org.",
        );
        String::new()
    });
    let faults_so_far = cells.faults.len();
    let nick = cells.cell("nick");
    if faults_so_far == cells.faults.len()
        && let Err((what, cure)) = check_nick(&nick)
    {
        cells.blame("nick", what, cure);
    }
    let characteristic = remark(cells, "characteristic");
    let role = role(cells);
    let gender = gender(cells);
    let forum_name = Some(remark(cells, "forum_name")).filter(|name| !name.is_empty());
    RosterRow { line: cells.record.line, address, nick, characteristic, role, gender, forum_name }
}

fn remark(cells: &mut Cells<'_>, column: &'static str) -> String {
    let text = cells.cell(column);
    if text.chars().count() > LONGEST_REMARK {
        cells.blame(column, "is too long", format!("Write at most {LONGEST_REMARK} characters."));
    }
    text
}

fn role(cells: &mut Cells<'_>) -> Option<Role> {
    let name = cells.cell("role").to_lowercase();
    if name.is_empty() {
        return None;
    }
    let reader: StrDeserializer<'_, WordError> = name.as_str().into_deserializer();
    let role = Role::deserialize(reader).ok().filter(|role| *role != Role::FoundlingMafioso);
    if role.is_none() {
        let cure = "The roles are citizen, commissioner, doctor, sergeant, foundling, mafioso, boss, kamikaze, maniac.";
        cells.blame("role", format!("\"{name}\" is not dealt"), cure);
    }
    role
}

fn gender(cells: &mut Cells<'_>) -> Option<Gender> {
    let word = cells.cell("gender").to_lowercase();
    match word.as_str() {
        "" => None,
        "m" | "м" => Some(Gender::Male),
        "f" | "ж" => Some(Gender::Female),
        _ => {
            cells.blame("gender", format!("\"{word}\" is not understood"), "Write m or f, or leave it empty.");
            None
        }
    }
}

/// Line and paragraph separators, and what makes the text after it run the other way.
fn turns_text_around(c: char) -> bool {
    matches!(c, '\u{200E}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{61C}')
}

fn same_twice(rows: &[RosterRow], faults: &mut Vec<RosterFault>) {
    let mut addresses: BTreeMap<String, &RosterRow> = BTreeMap::new();
    let mut nicks: BTreeMap<String, &RosterRow> = BTreeMap::new();
    for row in rows {
        if !row.address.is_empty()
            && let Some(first) = addresses.insert(fold_address(&row.address), row)
        {
            let what = format!("\"{}\" is the mailbox of line {}", row.address, first.line);
            faults.push(fault(row.line, "address", what, "One address plays once in a game."));
        }
        // What cannot be seen is a fault of its own, and is not shown.
        let is_shown = !row.nick.is_empty() && !row.nick.chars().any(|c| c.is_control() || turns_text_around(c));
        if is_shown && let Some(first) = nicks.insert(fold(&row.nick), row) {
            let what = format!("\"{}\" cannot be told from \"{}\" of line {}", row.nick, first.nick, first.line);
            faults.push(fault(row.line, "nick", what, "Give one of them another nick."));
        }
    }
}

fn roles_in_part(rows: &[RosterRow], faults: &mut Vec<RosterFault>) {
    let named = |line: u64| faults.iter().any(|fault| fault.line == line && fault.column == "role");
    let without: Vec<u64> =
        rows.iter().filter(|row| row.role.is_none() && !named(row.line)).map(|row| row.line).collect();
    if without.len() < rows.len() {
        let missing =
            |line| fault(line, "role", "is empty, while other rows have one", "Give roles in all rows or in none.");
        faults.extend(without.into_iter().map(missing));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: Expect) {
        let said = match Roster::read(text.as_bytes()) {
            Ok(rows) => rows.iter().map(|row| format!("{row:?}\n")).collect::<String>(),
            Err(faults) => faults.iter().map(|fault| format!("{fault}\n")).collect(),
        };
        expected.assert_eq(&said);
    }

    #[test]
    fn a_roster_is_read() {
        check(
            "\u{FEFF}nick; address ;GENDER;role;forum_name;characteristic\r\n\
             Анна; Anna@Example.org ;f;doctor;anna_k;\"Держит кафе; не спит\"\r\n\
             \r\n\
             Nika;nika@example.org;;citizen;;\r\n\
             Кот  Бегемот;kot@example.org;м;BOSS\r\n",
            expect![[r#"
                RosterRow { line: 2, address: "anna@example.org", nick: "Анна", characteristic: "Держит кафе; не спит", role: Some(Doctor), gender: Some(Female), forum_name: Some("anna_k") }
                RosterRow { line: 4, address: "nika@example.org", nick: "Nika", characteristic: "", role: Some(Citizen), gender: None, forum_name: None }
                RosterRow { line: 5, address: "kot@example.org", nick: "Кот Бегемот", characteristic: "", role: Some(Boss), gender: Some(Male), forum_name: None }
            "#]],
        );
        check(
            "address,nick\na@example.org,Жан-Поль\nb@example.org,O'Hara\n",
            expect![[r#"
            RosterRow { line: 2, address: "a@example.org", nick: "Жан-Поль", characteristic: "", role: None, gender: None, forum_name: None }
            RosterRow { line: 3, address: "b@example.org", nick: "O'Hara", characteristic: "", role: None, gender: None, forum_name: None }
        "#]],
        );
    }

    #[test]
    fn all_faults_come_at_once() {
        check(
            "address,nick,role,gender,characteristic\n\
             anna.example.org,Анна,doctor,f,\n\
             a.b+x@gmail.com,Пётр,capo,x,\n\
             ab@googlemail.com,петр,,m,\n\
             c@example.org,,foundling_mafioso,,\n\
             d@example.org,\"Аня: Ваня\",citizen,,\n\
             e@example.org,Суд Линча,citizen,,\n\
             f@example.org,\"Лев\nBcc: x@example.org\",citizen,,\n\
             g@example.org,Кто - то,citizen,,очень длинная,ещё\n\
             h@example.org,«Граф»,citizen,,\n\
             i@example.org,Раз два три четыре пять,citizen,,\n\
             j@example.org,Анна\u{202E},citizen,,\n",
            expect![[r#"
                line 2: address: "anna.example.org" is not a mail address: there is no single @ in it. Write it bare: anna@example.org.
                line 3: role: "capo" is not dealt. The roles are citizen, commissioner, doctor, sergeant, foundling, mafioso, boss, kamikaze, maniac.
                line 3: gender: "x" is not understood. Write m or f, or leave it empty.
                line 4: address: "ab@googlemail.com" is the mailbox of line 3. One address plays once in a game.
                line 4: nick: "петр" cannot be told from "Пётр" of line 3. Give one of them another nick.
                line 4: role: is empty, while other rows have one. Give roles in all rows or in none.
                line 5: nick: is empty. Give each player a nick.
                line 5: role: "foundling_mafioso" is not dealt. The roles are citizen, commissioner, doctor, sergeant, foundling, mafioso, boss, kamikaze, maniac.
                line 6: nick: "Аня: Ваня" holds `:`. Use letters, digits, spaces, hyphens and apostrophes: requests are told apart by the other signs.
                line 7: nick: "Суд Линча" is a word of the requests. Choose another nick, or add a word to it.
                line 8: nick: holds a character that cannot be seen (\u{a}). Take it out; a cell is one line of plain text.
                line 10: there are more cells than columns. Put quotes around a cell that holds a comma or semicolon.
                line 10: nick: "Кто - то" holds a dash of its own. Only a hyphen within a word is safe in a request.
                line 11: nick: "«Граф»" holds `«`. Use letters, digits, spaces, hyphens and apostrophes: requests are told apart by the other signs.
                line 12: nick: has more than 4 words. Choose a shorter one.
                line 13: nick: holds a character that cannot be seen (\u{202e}). Take it out; a cell is one line of plain text.
            "#]],
        );
    }

    #[test]
    fn nicks_that_a_vote_could_not_tell_apart_are_told() {
        let latin = "A\u{43d}\u{43d}\u{430}";
        check(
            &format!("address,nick\na@example.org,Анна\nb@example.org,{latin}\n"),
            expect![[r#"
                line 3: nick: "Aнна" cannot be told from "Анна" of line 2. Give one of them another nick.
            "#]],
        );
    }

    #[test]
    fn a_wrong_header_is_told_first() {
        check(
            "mail,nick,nick\na@example.org,Анна,Анна\n",
            expect![[r#"
            line 1: there is no column `mail`. The columns are address, nick, characteristic, role, gender, forum_name.
            line 1: nick: the column stands twice. Take one of them out.
            line 1: address: the column is missing in the header line. Begin the file with the line address,nick,characteristic,role,gender,forum_name.
        "#]],
        );
        check(
            "",
            expect![[r#"
            the roster is empty. Begin with the line address,nick and add a line a player.
        "#]],
        );
        check(
            "address,nick\n",
            expect![[r#"
            0 players stand in it. Write a line a player, at most 1000.
        "#]],
        );
        check(
            "a@example.org,Анна\nb@example.org,Борис\n",
            expect![[r#"
                line 1: the header line is missing. Begin the file with the line address,nick,characteristic,role,gender,forum_name.
            "#]],
        );
    }

    #[test]
    fn other_charsets_are_told() {
        let faults = Roster::read(b"address,nick\na@example.org,\xC0\xED\xED\xE0\n").unwrap_err();
        assert_eq!(faults[0].to_string(), "line 2: the file is not UTF-8 text. Save it anew as «CSV UTF-8».");
        assert!(Roster::read(&vec![b'a'; MOST_BYTES + 1]).is_err());
    }

    #[test]
    fn an_unclosed_quote_swallows_no_player_in_silence() {
        check(
            "address,nick\na@example.org,\"Анна\nb@example.org,Борис\n",
            expect![[r#"
                line 2: nick: holds a character that cannot be seen (\u{a}). Take it out; a cell is one line of plain text.
            "#]],
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), tail in "[\"a,;@\\n\\r\u{0}я]{0,60}") {
            let _ = Roster::read(&bytes);
            let _ = Roster::read(format!("address,nick,role\n{tail}").as_bytes());
        }
    }
}
