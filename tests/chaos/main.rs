//! One game, played undisturbed and then again and again while the daemon is killed: over Maildirs and over real servers,
//! at named instants (each commit, each step on either line) and at random ones. `OMERTA_KILLS` asks for more kills in
//! all than the usual ones.

#![cfg(test)]

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
