//! The real binary against real servers: Dovecot and Postfix on this machine, games played by letters that go through
//! both, and what is left of promises when the daemon is killed or a server is down.

#![cfg(test)]

mod arrivals;
mod game;
mod kills;
mod leaks;
mod letters;
mod mailbox;
mod outages;
mod players;
mod servers;

#[path = "../house/mod.rs"]
mod house;
#[path = "../leaks/scan.rs"]
mod scan;
