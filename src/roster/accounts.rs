//! The forum accounts that a host hands in (R83): CSV into names and passwords, every fault at once. No fault repeats
//! what stands in a cell.

use std::collections::BTreeMap;

use super::{LONGEST_REMARK, MOST_PLAYERS, RosterFault, fault, records, text_of, turns_text_around};
use crate::config::Secret;
use crate::request::names::fold;

const HEADER: [&str; 2] = ["forum_name", "password"];
const HOW: &str = "Begin the file with the line forum_name,password and add a line an account.";

/// One account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// In the file, counted from 1; the header is line 1.
    pub line: u64,
    pub forum_name: String,
    pub password: Secret,
}

/// Reads `forum_name,password` lines below that header; UTF-8, with or without a byte order mark; between the cells a
/// comma, a semicolon or a tab.
///
/// # Errors
/// Every fault at once, in the order of lines.
pub fn read_accounts(bytes: &[u8]) -> Result<Vec<Account>, Vec<RosterFault>> {
    let text = text_of(bytes).map_err(|fault| vec![fault])?;
    let mut records = records(text)?.into_iter();
    let Some(header) = records.next() else { return Err(vec![fault(0, "", "the file is empty", HOW)]) };
    let place = |column: &str| header.cells.iter().position(|cell| cell.trim().to_lowercase() == column);
    let [Some(name_at), Some(password_at)] = HEADER.map(place) else {
        return Err(vec![fault(header.line, "", "the header line is missing", HOW)]);
    };
    let (mut accounts, mut faults, mut lines) = (Vec::new(), Vec::new(), BTreeMap::new());
    for record in records {
        let line = record.line;
        let cell = |place: usize| record.cells.get(place).unwrap_or_default().trim();
        if record.cells.iter().skip(HEADER.len().max(header.cells.len())).any(|cell| !cell.trim().is_empty()) {
            let cure = "Put quotes around a cell that holds a comma or semicolon.";
            faults.push(fault(line, "", "there are more cells than columns", cure));
        }
        let forum_name = cell(name_at).split_whitespace().collect::<Vec<_>>().join(" ");
        for (column, written) in [("forum_name", forum_name.as_str()), ("password", cell(password_at))] {
            if written.is_empty() {
                faults.push(fault(line, column, "the cell is empty", "Each account has a name and a password."));
            }
            if written.chars().count() > LONGEST_REMARK {
                faults.push(fault(line, column, "is too long", format!("At most {LONGEST_REMARK} characters.")));
            }
            if written.chars().any(|c| c.is_control() || turns_text_around(c)) {
                let cure = "Take it out; a cell is one line of plain text.";
                faults.push(fault(line, column, "holds a character that cannot be seen", cure));
            }
        }
        if let Some(first) = lines.insert(fold(&forum_name), line).filter(|_| !forum_name.is_empty()) {
            let what = format!("the name stands in line {first} already (capitals and ё do not count)");
            faults.push(fault(line, "forum_name", what, "Give each account once."));
        }
        accounts.push(Account { line, forum_name, password: Secret::new(cell(password_at)) });
    }
    if accounts.is_empty() || accounts.len() > MOST_PLAYERS {
        let what = format!("{} accounts stand in it", accounts.len());
        faults.push(fault(0, "", what, format!("Write a line an account, at most {MOST_PLAYERS}.")));
    }
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(accounts) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String)>, Vec<String>> {
        let pairs = |rows: Vec<Account>| {
            rows.into_iter().map(|row| (row.forum_name, row.password.reveal().to_owned())).collect()
        };
        let said = |faults: Vec<RosterFault>| faults.iter().map(ToString::to_string).collect();
        read_accounts(text.as_bytes()).map(pairs).map_err(said)
    }

    #[test]
    fn names_and_passwords_are_read_however_the_table_was_saved() {
        let rows = vec![("Сапожник".to_owned(), "a,b;c".to_owned()), ("Кот Учёный".to_owned(), "Пароль 7".to_owned())];
        for text in [
            "\u{FEFF}forum_name,password\nСапожник,\"a,b;c\"\nКот  Учёный,Пароль 7\n",
            "Password;Forum_Name\r\n\"a,b;c\";Сапожник\r\n\r\nПароль 7;Кот Учёный",
        ] {
            assert_eq!(read(text), Ok(rows.clone()), "{text}");
        }
    }

    #[test]
    fn every_fault_is_told_and_no_cell_is_repeated() {
        let text =
            "forum_name,password\nАнна,sesame\nанна,sesame2\n,sesame3\nБорис,\nВера,ses\u{202E}ame\nГлеб,a,sesame4\n";
        let faults = read(text).unwrap_err();
        assert_eq!(faults.len(), 5, "{faults:#?}");
        assert!(faults[0].starts_with("line 3: forum_name: the name stands in line 2"), "{faults:#?}");
        for text in [text, "Анна,sesame\nБорис,sesame", "", "forum_name,password\n"] {
            let faults = read(text).unwrap_err().join("\n");
            assert!(!faults.is_empty() && !faults.contains("sesame"), "{faults}");
        }
    }
}
