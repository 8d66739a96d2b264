//! The host keeps order: who is replaced, how a game is ended.

#![cfg(test)]

mod ending;
mod replacement;
mod town;

#[path = "../house/mod.rs"]
mod house;
