//! Any letter that was taken for a bounce: bounded, its addresses usable, its Message-IDs without brackets.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::mail::bounce::read;

fuzz_target!(|bytes: &[u8]| {
    let bounce = read(bytes);
    assert!(bounce.message_ids.len() <= 20 && bounce.failures.len() <= 20);
    for id in &bounce.message_ids {
        assert!(!id.is_empty() && !id.contains(['<', '>']) && !id.contains(char::is_whitespace));
    }
    for failure in &bounce.failures {
        assert!(!failure.addresses.is_empty());
        for address in &failure.addresses {
            assert!(address.matches('@').count() == 1 && !address.contains(char::is_whitespace));
        }
        assert!(failure.status.as_ref().is_none_or(|status| status.len() <= 11 && status.split('.').count() == 3));
    }
});
