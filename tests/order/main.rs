//! Order: who is replaced, who is away, what moderators tell, how a game is ended.

#![cfg(test)]

mod absence;
mod ending;
mod moderators;
mod questions;
mod replacement;
mod town;

#[path = "../house/mod.rs"]
mod house;
