//! Any bytes: the letter is parsed and read, and said as `omerta parse --json` says it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::cli::parse::json_line;
use omerta::mail::parse::{LIMITS, parse};
use omerta::request::read::{MAX_ITEMS, read};

fuzz_target!(|bytes: &[u8]| {
    let letter = parse(bytes, Some("mafia@example.org"));
    assert!(!letter.body.contains(['\0', '\r']));
    assert!(!letter.subject.contains(['\0', '\n', '\r']));
    assert!(letter.refers_to.len() <= LIMITS.references && letter.recipients.len() <= LIMITS.recipients);
    let reading = read(&letter.subject, &letter.body);
    assert!(reading.items.len() <= MAX_ITEMS);
    assert!(!json_line("letter", bytes).contains('\n'));
});
