//! One game, played undisturbed and then again and again while the daemon is killed: over Maildirs and over real servers,
//! at named instants (each commit, each step on either line) and at random ones. `OMERTA_KILLS` asks for more kills in
//! all than the usual ones.
//!
//! What is promised, and the test that turns red when the line that keeps it is broken:
//!
//! - a letter is marked only after its commit: tests/faults/marks.rs
//! - an outbox row is settled only when the letter is delivered: [`maildir`]
//! - the attempt is stored before anything goes out: [`attempts`]
//! - a place that is known is not read again: [`maildir`]
//! - one Message-ID is one letter: tests/faults/told.rs `whoever_has_other_requests_after_a_second_judgement_is_told`
//! - a turn is closed once: tests/faults/told.rs `a_copy_in_time_that_is_found_after_the_close_is_told`
//! - a change of the database's form is made wholly or not at all: [`migration`]
//! - a host's command is done wholly or not at all, a letter by pipe counts once: [`commands`]

#![cfg(test)]

mod attempts;
mod commands;
mod maildir;
mod migration;
mod over_servers;

#[path = "../house/mod.rs"]
mod house;
#[path = "../realmail/letters.rs"]
mod letters;
#[expect(dead_code, reason = "the games over servers use more of it")]
#[path = "../realmail/players.rs"]
mod players;
#[expect(dead_code, reason = "the games over servers use more of it")]
#[path = "../realmail/servers.rs"]
mod servers;

/// So many kills at least in either half.
const KILLS: usize = 30;

#[expect(clippy::disallowed_methods, reason = "tests/run --full asks for more")]
fn kills_wanted() -> usize {
    let asked = std::env::var("OMERTA_KILLS").map_or(0, |kills| kills.parse().expect("OMERTA_KILLS is a number"));
    KILLS.max(asked / 2)
}
