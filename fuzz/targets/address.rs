//! The first line is a From field, the second an address: what is usable, what is one mailbox, and who the sender is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::address::{fold_address, is_one_mailbox, read_address};
use omerta::mail::identity::mailbox::{ascii_domain, is_sole_mailbox};
use omerta::mail::parse::parse;

fuzz_target!(|text: &str| {
    let (field, written) = text.split_once('\n').unwrap_or((text, text));
    if let Ok(address) = read_address(written) {
        // It may name a folder and stand in a header.
        assert!(address.is_ascii() && !address.contains(['/', '"', ' ', '<', '>', ',', ';', ':', '\\']));
        assert_eq!(read_address(&address), Ok(address.clone()));
        assert!(is_one_mailbox(&address, written));
        assert!(is_sole_mailbox(address.as_bytes(), &address));
    }
    // No reader of ours lets white space into an address.
    let bare: String = written.chars().filter(|c| !c.is_whitespace()).collect();
    let folded = fold_address(&bare);
    assert_eq!(fold_address(&folded), folded);
    is_sole_mailbox(field.as_bytes(), written);
    if let Some(domain) = ascii_domain(written) {
        assert_eq!(ascii_domain(&domain), Some(domain.clone()));
    }
    let letter = parse(format!("From: {field}\n\nx").as_bytes(), None);
    if let Some(from) = letter.from {
        assert!(from.matches('@').count() == 1 && !from.contains(char::is_whitespace));
    }
});
