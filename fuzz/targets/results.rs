//! An `Authentication-Results` field: read in bounds, and no address profits from what its owner may have written into it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::mail::headers::split;
use omerta::mail::identity::Testimony;
use omerta::mail::identity::results::read_results;

fuzz_target!(|value: &[u8]| {
    if let Some(results) = read_results(value) {
        assert!(!results.server.is_empty() && results.found.len() <= 50);
    }
    let trusted = ["mx.game.test".to_owned()];
    let says = |head: &[&[u8]]| {
        let message = head.concat();
        let testimony = Testimony::of(&split(&message).0);
        (testimony.speaks_for("p01@players.test", &trusted), testimony.speaks_against())
    };
    let (for_him, against) = says(&[b"Authentication-Results: ", value, b"\nReceived: from a by b\n\nx"]);
    assert!(!(for_him && against));
    // Written inside a comment of a trusted server's own field it is nothing.
    let quoted: Vec<u8> = value.iter().copied().filter(|b| b.is_ascii_alphanumeric() || b"=.;@- ".contains(b)).collect();
    let field = b"Authentication-Results: mx.game.test; spf=none (";
    let (for_him, _) = says(&[field, &quoted, b")\nReceived: from a by b\n\nx"]);
    assert!(!for_him);
});
