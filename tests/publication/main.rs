//! Between the close of a turn and its publication: what the host sees, says and takes back.
#![cfg(test)]

#[path = "../house/mod.rs"]
mod house;

mod approve;
mod rulings;
mod silence;
mod town;
mod undo;
