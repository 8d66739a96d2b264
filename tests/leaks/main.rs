//! What a game must not let out, searched for in every byte that the real binary writes: its log at every level, what
//! commands print and complain of, names of files, everybody's mailbox. Over Maildir; over real servers it is done in
//! realmail/leaks.

#![cfg(test)]

mod accounts;
mod config;
mod maildir;
mod scan;

#[path = "../house/mod.rs"]
mod house;
