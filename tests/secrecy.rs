//! Promise 3: nobody learns what the rules hide from him. Two games that differ only in what a reader may not know send
//! him the same letters, to the byte, in the same order.
#![cfg(test)]

#[path = "secrecy/cases.rs"]
mod cases;
mod house;
#[path = "secrecy/make.rs"]
mod make;
#[path = "secrecy/play.rs"]
mod play;
#[path = "secrecy/premise.rs"]
mod premise;
#[path = "secrecy/scan.rs"]
mod scan;
#[path = "secrecy/script.rs"]
mod script;
#[path = "secrecy/shape.rs"]
mod shape;
#[path = "secrecy/twins.rs"]
mod twins;

/// How many pairs of games; `PROPTEST_CASES` raises it.
#[expect(clippy::disallowed_methods, reason = "as proptest itself does: tests/run sets how many cases")]
fn pairs() -> usize {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

#[test]
fn games_that_differ_in_secrets_send_the_same_letters() {
    let readers = twins::compare(pairs());
    println!("{readers:#?}");
    for (role, count) in &readers {
        assert!(*count >= 10, "only {count} readers are {role}: {readers:?}");
    }
    assert_eq!(readers.len(), 10, "nine roles and the public: {readers:?}");
}
