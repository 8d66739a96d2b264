//! The header of any letter: tokens are found where ours stand, and nothing else has their form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::keys::{Keys, is_token, tokens_in};
use omerta::mail::parse::parse;

fuzz_target!(|head: &str| {
    let tokens = |letter: &str| -> Vec<String> {
        let letter = parse(letter.as_bytes(), None);
        tokens_in(&letter.refers_to, &letter.recipients).collect()
    };
    let found = tokens(head);
    assert!(found.len() <= 64 && found.iter().all(|token| is_token(token)));
    assert!(!is_token(head) || head.len() == 16 && head == head.to_ascii_lowercase());
    // A real answer among anything that the writer's program may add below it.
    let token = Keys::new([7; 32]).token("palermo", head, 3);
    assert!(is_token(&token));
    let answer = format!("To: Mafia <mafia+{token}@example.org>\nIn-Reply-To: <{token}@example.org>\n{head}");
    assert!(tokens(&answer).contains(&token));
});
