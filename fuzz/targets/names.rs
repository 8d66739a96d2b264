//! A roster, a nick a line, and below it the nick that somebody wrote.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omerta::request::names::{Match, find, fold};

fuzz_target!(|text: &str| {
    let mut nicks: Vec<&str> = text.split('\n').take(40).collect();
    let written = nicks.pop().unwrap_or_default();
    let alike = |at: usize| nicks.get(at).is_some_and(|nick| fold(nick) == fold(written));
    match find(&nicks, written) {
        Match::Exact(at) => assert!(alike(at)),
        Match::Near(at) => assert!(at < nicks.len() && !alike(at)),
        Match::Unknown { did_you_mean } => {
            assert!(did_you_mean.len() <= 3 && did_you_mean.iter().all(|at| *at < nicks.len()));
            // Whoever is named exactly, and is alone with that nick, is found.
            let same = (0..nicks.len()).filter(|at| alike(*at)).count();
            assert!(same != 1 || fold(written).is_empty());
        }
    }
    assert_eq!(fold(&fold(written)), fold(written));
});
