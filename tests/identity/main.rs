//! Who wrote it: what proves a sender, what is asked of one who is not proved, and a table of forgeries of which none acts.

#![cfg(test)]

mod address;
mod forgeries;
mod meant;
mod proofs;
mod properties;
mod questions;
mod shown;
mod town;

#[path = "../house/mod.rs"]
mod house;
