//! Any page: it becomes lines, and no line of a quote becomes the writer's own by being read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::mail::html::to_text;

fuzz_target!(|page: &str| {
    let text = to_text(page);
    assert!(text.is_empty() || text.ends_with('\n'));
    // An entity is longer than what it stands for, and a line has at most five marks.
    assert!(text.len() <= 16 * page.len() + 16);
});
