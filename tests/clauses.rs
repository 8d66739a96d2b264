//! Every clause of the rulebook lives somewhere, and every clause that is named exists.
#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use omerta::rules::rulebook::{Rulebook, TOGGLES, Values};

const LANGUAGES: [(&str, &str); 2] = [("ru", "*(на усмотрение ведущего)*"), ("en", "*(host's judgement)*")];
/// A wider range, such as R1-R113, tells nobody where a clause lives.
const WIDEST: u16 = 6;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &str, ends: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == ends) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "nothing in {folder}");
    found
}

/// R1-R113, then A1-A87.
fn all() -> Vec<String> {
    (1..=113).map(|number| format!("R{number}")).chain((1..=87).map(|number| format!("A{number}"))).collect()
}

/// The clauses that a text names, with ranges as far as they are narrow.
fn named(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    for word in words {
        let Some(letter) = word.chars().next().filter(|letter| matches!(letter, 'R' | 'A')) else { continue };
        let numbers: String = word.chars().skip(1).collect();
        let mut ends = numbers.split('-').map(|end| end.trim_start_matches(letter).parse::<u16>().ok());
        let Some(Some(first)) = ends.next() else { continue };
        let last = match ends.next() {
            None => first,
            Some(Some(last)) => last,
            Some(None) => continue,
        };
        if last >= first && last - first <= WIDEST {
            found.extend((first..=last).map(|number| format!("{letter}{number}")));
        }
    }
    found
}

/// The paragraphs of the rulebook: clause and words, each on one line.
fn rulebook(language: &str) -> Vec<(String, String)> {
    let whole = text(&root().join(format!("docs/rulebook.{language}.md")));
    let mut clauses: Vec<(String, String)> = Vec::new();
    for line in whole.lines() {
        if let Some(item) = line.strip_prefix("- **") {
            let (clause, words) = item.split_once(".** ").unwrap_or_else(|| panic!("{line}"));
            clauses.push((clause.to_owned(), words.to_owned()));
        } else if let (Some(more), Some((_, words))) = (line.strip_prefix("  "), clauses.last_mut()) {
            words.push(' ');
            words.push_str(more);
        }
    }
    clauses
}

#[test]
fn the_rulebook_tells_every_clause_once_and_in_order() {
    let (russian, english) = (rulebook("ru"), rulebook("en"));
    for (language, clauses) in [("ru", &russian), ("en", &english)] {
        let told: Vec<String> = clauses.iter().map(|(clause, _)| clause.clone()).collect();
        assert_eq!(told, all(), "docs/rulebook.{language}.md");
        for (clause, words) in clauses {
            assert!(words.chars().count() >= 15, "{clause} says nothing");
            let cyrillic = words.chars().any(|c| ('а'..='я').contains(&c));
            assert_eq!(cyrillic, language == "ru", "{clause}: {words}");
        }
    }
    for ((clause, ru), (_, en)) in russian.iter().zip(&english) {
        assert_eq!(ru.contains(LANGUAGES[0].1), en.contains(LANGUAGES[1].1), "the mark of {clause}");
        assert_eq!(named(ru), named(en), "what {clause} refers to");
    }
}

#[test]
fn every_clause_is_in_the_code_or_in_a_case_or_is_the_hosts() {
    let mut code: BTreeSet<String> = BTreeSet::new();
    for path in files("src", "rs") {
        code.extend(named(&text(&path)));
    }
    let mut cases: BTreeSet<String> = BTreeSet::new();
    for path in files("tests/scenarios", "toml") {
        let case: BTreeMap<String, toml::Value> = toml::from_str(&text(&path)).unwrap();
        let listed = ["rules", "defaults"].iter().filter_map(|key| case.get(*key)?.as_array());
        cases.extend(listed.flatten().filter_map(|clause| clause.as_str()).map(str::to_owned));
    }
    let (_, mark) = LANGUAGES[0];
    let mut faults = Vec::new();
    for (clause, words) in rulebook("ru") {
        let lives = code.contains(&clause) || cases.contains(&clause);
        let hosts = words.contains(mark);
        if hosts && code.contains(&clause) {
            faults.push(format!("{clause} is marked as the host's, and stands in the code"));
        }
        if !lives && !hosts {
            faults.push(format!("{clause} is an orphan: neither in src nor in a case, nor marked as the host's"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    let known: BTreeSet<String> = all().into_iter().collect();
    let strange: Vec<&String> = code.union(&cases).filter(|clause| !known.contains(*clause)).collect();
    assert!(strange.is_empty(), "named, but in no rulebook: {strange:?}");
}

/// A newcomer finds each part of the rulebook in the code: the files that it names are there.
#[test]
fn the_rulebook_names_files_that_are_there() {
    for (language, _) in LANGUAGES {
        let whole = text(&root().join(format!("docs/rulebook.{language}.md")));
        let named: Vec<&str> = whole.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs")).collect();
        assert!(named.len() > 20, "{named:?}");
        for file in named {
            assert!(root().join(file).exists(), "{file}");
        }
    }
}

#[test]
fn every_toggle_stands_beside_its_ruling_with_its_default_and_its_values() {
    let default = Rulebook::default();
    for (language, _) in LANGUAGES {
        let clauses: BTreeMap<String, String> = rulebook(language).into_iter().collect();
        let toggles: usize = clauses.values().map(|words| words.matches(" = ").count()).sum();
        assert_eq!(toggles, TOGGLES.len(), "toggles in docs/rulebook.{language}.md");
        for toggle in TOGGLES {
            let ruling = toggle.ruling.split(", ").next().unwrap();
            let words = &clauses[ruling];
            let value = default.get(toggle.name).unwrap();
            let quoted = matches!(toggle.values, Values::Words(_) | Values::Roles);
            let value = if quoted { format!("\"{value}\"") } else { value };
            assert!(words.contains(&format!("`{} = {value}`", toggle.name)), "{language} {ruling}: {words}");
            if let Values::Words(values) = toggle.values {
                for value in values {
                    assert!(words.contains(&format!("\"{value}\"")), "{language} {ruling}: {value}");
                }
            }
        }
    }
}

#[test]
fn the_check_itself_sees() {
    let seen = named("R3, (A17) R102-R104, R1-R113; A5s R07x FAR9 R_1 A40–A41 (`R65`)");
    let expected = ["A17", "A40", "A41", "R102", "R103", "R104", "R3", "R65"];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
}
