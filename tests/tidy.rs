//! The invariants of ARCHITECTURE.md, as far as a machine can check them.

#![cfg(test)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Lines of a file.
const LONGEST: usize = 500;

/// Letters that are worded by the template of another kind.
const SHARED_TEMPLATE: &[(&str, &str)] = &[("answer", "receipt")];
/// The foundling must not know what he is (R34): his card is the citizen's.
const NO_CARD: &[&str] = &["foundling"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file of ours below a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
        for path in entries.into_iter().map(|entry| entry.path()) {
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn rust_files(folder: &str) -> Vec<PathBuf> {
    let found: Vec<PathBuf> =
        files(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).collect();
    assert!(!found.is_empty(), "no Rust in {folder}");
    found
}

/// The lines of a file that are code: no comments, and nothing of its tests.
fn code(path: &Path) -> Vec<(usize, String)> {
    let whole = std::fs::read_to_string(path).unwrap();
    let lines = whole.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    lines
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(at, line)| (at + 1, line.split(" // ").next().unwrap_or_default().to_owned()))
        .collect()
}

/// Words as code has them: `rand` is not in `random`.
fn names_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

fn none(faults: &[String], rule: &str) {
    assert!(faults.is_empty(), "{rule}\n  {}", faults.join("\n  "));
}

fn modules() -> BTreeSet<String> {
    let lib = text("src/lib.rs");
    let names = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.map(str::to_owned).collect()
}

/// The strings between quotes in the body of the function that begins with `head`.
fn quoted_in(path: &str, head: &str) -> Vec<String> {
    let whole = text(path);
    let body = whole.split_once(head).unwrap_or_else(|| panic!("{path} has no {head}")).1;
    let body = body.split_once("\n    }\n").unwrap().0;
    body.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_rules_know_no_world() {
    const WORLD: &[&str] = &[
        "tokio",
        "rusqlite",
        "lettre",
        "jiff",
        "std::time",
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "SystemTime",
        "Instant",
        "getrandom",
        "rand",
        "tracing",
        "println",
        "eprintln",
    ];
    // Nothing iterates in an accidental order.
    const ORDER: &[&str] = &["HashMap", "HashSet"];
    let mut faults = Vec::new();
    for path in rust_files("src/rules") {
        for (at, line) in code(&path) {
            let named = WORLD.iter().chain(ORDER).filter(|word| names_word(&line, word));
            faults.extend(named.map(|word| format!("{}:{at}: {word}", name(&path))));
            let sibling = line.split("crate::").skip(1).any(|path| !path.starts_with("rules"));
            if sibling || line.contains("use crate as") {
                faults.push(format!("{}:{at}: a module beside the rules: {}", name(&path), line.trim()));
            }
        }
    }
    none(&faults, "src/rules has no clock, dice, files, mail, and no module beside it");
}

#[test]
fn only_the_ends_are_asynchronous() {
    let may = |name: &str| {
        ["src/daemon", "src/mail/imap", "src/mail/inbox", "src/mail/outbox", "src/mail/smtp", "src/mail/sendmail"]
            .iter()
            .any(|room| name.strip_prefix(room).is_some_and(|rest| rest.starts_with('.') || rest.starts_with('/')))
            || name == "src/main.rs"
    };
    let mut faults = Vec::new();
    for path in rust_files("src").into_iter().filter(|path| !may(&name(path))) {
        for (at, line) in
            code(&path).into_iter().filter(|(_, line)| names_word(line, "async") || line.contains(".await"))
        {
            faults.push(format!("{}:{at}: {}", name(&path), line.trim()));
        }
    }
    none(&faults, "async stands only in daemon, inbox, outbox and main");
}

#[test]
fn lints_are_expected_with_a_reason_and_never_allowed() {
    let mut faults = Vec::new();
    let here = Path::new(file!()).file_name();
    for path in rust_files("src").into_iter().chain(rust_files("tests")) {
        if path.file_name() == here {
            continue;
        }
        let whole = std::fs::read_to_string(&path).unwrap();
        for (at, line) in whole.lines().enumerate() {
            if line.contains("#[allow")
                || line.contains("#![allow")
                || line.contains("#[ignore") && !line.contains("#[ignore = \"needs ")
            {
                faults.push(format!("{}:{}: {}", name(&path), at + 1, line.trim()));
            }
        }
        for after in whole.split("#[expect(").skip(1) {
            if !after.split("]\n").next().is_some_and(|attribute| attribute.contains("reason = ")) {
                faults.push(format!("{}: an #[expect] without its reason", name(&path)));
            }
        }
    }
    none(
        &faults,
        "#[expect(.., reason = \"..\")], never #[allow]; a test is ignored only for want of what is not ours to ship",
    );
}

#[test]
fn a_file_is_a_room_and_not_a_house() {
    let mut faults = Vec::new();
    for path in rust_files("src").into_iter().chain(rust_files("tests")) {
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        if lines > LONGEST {
            faults.push(format!("{}: {lines} lines", name(&path)));
        }
    }
    none(&faults, &format!("a file has at most {LONGEST} lines"));
}

#[test]
fn no_machine_of_anybody_stands_in_the_files() {
    // Put together here, so that this file does not find itself.
    let paths = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
    let mut faults = Vec::new();
    let top = std::fs::read_dir(root()).unwrap().flatten().map(|entry| entry.path());
    let ends = ["md", "toml", "lock"];
    let top = top.filter(|path| path.extension().is_some_and(|end| ends.iter().any(|known| end == *known)));
    let folders = ["src", "tests", "docs", "templates", "benches", ".ci"].into_iter().flat_map(files);
    for path in top.chain(folders) {
        let bytes = std::fs::read(&path).unwrap();
        let whole = String::from_utf8_lossy(&bytes);
        let found = paths.iter().filter(|part| whole.contains(**part));
        faults.extend(found.map(|part| format!("{}: {part}", name(&path))));
    }
    let lock = text("Cargo.lock");
    let strangers = lock.lines().filter(|line| {
        line.starts_with("source = ") && *line != "source = \"registry+https://github.com/rust-lang/crates.io-index\""
    });
    faults.extend(strangers.map(|line| format!("Cargo.lock: {line}")));
    if root().join(".cargo").exists() {
        faults.push(".cargo: a registry or a flag of one machine".to_owned());
    }
    none(&faults, "the tree builds anywhere: no path of one machine, no registry but crates.io");
}

#[test]
fn every_room_is_in_the_tour_and_on_the_map() {
    let modules = modules();
    assert!(modules.len() > 10, "{modules:?}");
    let mut faults = Vec::new();
    for path in rust_files("src") {
        let name = name(&path);
        let top =
            name.trim_start_matches("src/").split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        if !["main", "lib"].contains(&top.as_str()) && !modules.contains(&top) {
            faults.push(format!("{name} is not in src/lib.rs"));
        }
    }
    let map = text("ARCHITECTURE.md");
    for module in &modules {
        let (file, folder) = (root().join(format!("src/{module}.rs")), root().join(format!("src/{module}/mod.rs")));
        if !file.exists() && !folder.exists() {
            faults.push(format!("src/lib.rs names {module}, which is not there"));
        }
        if !map.contains(&format!("`{module}`")) {
            faults.push(format!("ARCHITECTURE.md does not name `{module}`"));
        }
    }
    none(&faults, "src/lib.rs and ARCHITECTURE.md name every module");
}

#[test]
fn the_map_shows_no_room_that_is_not_there() {
    let map = text("ARCHITECTURE.md");
    let modules = modules();
    let named = map.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let strangers: Vec<String> = named.filter(|name| !modules.contains(*name)).map(str::to_owned).collect();
    none(&strangers, "ARCHITECTURE.md has a row for a module that src/lib.rs does not name");
}

#[test]
fn every_letter_and_every_role_speaks_both_languages() {
    let kinds = quoted_in("src/letters/mod.rs", "fn kind(&self) -> &'static str {");
    assert!(kinds.len() > 15, "{kinds:?}");
    let roles: Vec<String> = {
        let whole = text("src/rules/mod.rs");
        let body = whole.split_once("pub enum Role {").unwrap().1.split_once('}').unwrap().0.to_owned();
        body.lines().filter_map(|line| line.trim().strip_suffix(',')).map(snake_case).collect()
    };
    assert!(roles.len() >= 10, "{roles:?}");
    let mut faults = Vec::new();
    for language in ["ru", "en"] {
        let exists = |file: String| root().join("templates").join(language).join(file).exists();
        for kind in &kinds {
            let shared = SHARED_TEMPLATE.iter().find(|(own, _)| own == kind).map_or(kind.as_str(), |(_, other)| other);
            if !exists(format!("{shared}.txt")) {
                faults.push(format!("templates/{language}/{shared}.txt"));
            }
        }
        for role in roles.iter().filter(|role| !NO_CARD.contains(&role.as_str())) {
            if !exists(format!("roles/{role}.txt")) {
                faults.push(format!("templates/{language}/roles/{role}.txt"));
            }
        }
    }
    let of = |language: &str| -> BTreeSet<String> {
        let folder = format!("templates/{language}/");
        files(&folder).iter().map(|path| name(path).replace(&folder, "")).collect()
    };
    let (russian, english) = (of("ru"), of("en"));
    faults.extend(russian.symmetric_difference(&english).map(|file| format!("{file} is in one language only")));
    none(&faults, "every letter and every role has its Russian and its English text");
}

#[test]
fn scripts_install_into_the_checkout_alone() {
    let mut found = 0;
    let mut faults = Vec::new();
    for file in ["tests/run", "tests/fuzz", "benches/mail/run"] {
        for (at, line) in text(file).lines().enumerate().filter(|(_, line)| line.contains("cargo install")) {
            found += 1;
            if !line.contains("cargo install --root target/tools ") {
                faults.push(format!("{file}:{}: {}", at + 1, line.trim()));
            }
        }
        let looks_there = text(file).contains("PATH=\"$PATH:$PWD/target/tools/bin\"");
        if text(file).contains("cargo install") && !looks_there {
            faults.push(format!("{file} does not look into target/tools/bin"));
        }
    }
    assert_eq!(found, 2, "cargo-deny and cargo-fuzz");
    none(&faults, "whoever runs a script finds nothing new outside the checkout");
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

#[test]
fn the_checks_themselves_see() {
    assert!(names_word("use rand::Rng;", "rand") && !names_word("let random = 1;", "rand"));
    assert!(names_word("std::fs::read", "std::fs") && !names_word("std::fsx", "std::fs"));
    assert_eq!(snake_case("FoundlingMafioso"), "foundling_mafioso");
    assert!(code(&root().join("src/clock.rs")).iter().any(|(_, line)| line.contains("pub enum Clock")));
    assert!(!code(&root().join("src/clock.rs")).iter().any(|(_, line)| line.contains("//")));
}
