//! Any text: the first line is the subject, the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::request::read::{MAX_ITEMS, read};
use omerta::request::{Item, Word, orders};

fuzz_target!(|text: &str| {
    let (subject, body) = text.split_once('\n').unwrap_or(("", text));
    let reading = read(subject, body);
    assert!(reading.items.len() <= MAX_ITEMS);
    for item in &reading.items {
        let Item::Request(request) = item else { continue };
        assert!(request.argument.as_ref().is_none_or(|argument| !argument.trim().is_empty()));
        let is_text = matches!(request.word, Word::Note | Word::Pm | Word::Clan);
        assert_eq!(request.text.as_ref().is_some_and(|text| !text.trim().is_empty()), is_text);
    }
    orders::read(subject, body);
});
