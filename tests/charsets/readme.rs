//! The letter that the README shows to newcomers.

use omerta::mail::parse::parse;

use super::said;

const README: &str = include_str!("../../README.md");

/// As it stands there, it is read without a guess, of which the answer would warn.
#[test]
fn the_letter_of_the_readme_needs_no_guess() {
    let lines = README.lines().skip_while(|line| !line.trim_start().starts_with("From: "));
    let letter: Vec<&str> = lines.map(str::trim_start).take_while(|line| !line.starts_with('`')).collect();
    let letter = parse(letter.join("\n").split("What is going on").next().unwrap().as_bytes(), None);
    assert_eq!(letter.from.as_deref(), Some("anna@example.org"));
    assert_eq!(letter.subject, "[palermo]");
    assert_eq!((said(&letter).as_str(), letter.charset.guessed), ("role", false));
}
