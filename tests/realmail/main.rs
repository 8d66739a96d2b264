//! The real binary against real servers: Dovecot and Postfix on this machine, games played by letters that go through
//! both, and what is left of promises when a server is down.

#![cfg(test)]

mod arrivals;
mod game;
mod leaks;
mod letters;
mod mailbox;
mod outages;
#[expect(dead_code, reason = "the games that are killed use more of it")]
mod players;
#[expect(dead_code, reason = "the games that are killed use more of it")]
mod servers;
mod weeks;

#[path = "../house/mod.rs"]
mod house;
#[path = "../leaks/scan.rs"]
mod scan;
