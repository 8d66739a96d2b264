//! The feed of the game's topic: the shapes that forums give it, a forum that misbehaves, and what follows in a game.
#![cfg(test)]

#[path = "../house/mod.rs"]
mod house;

mod doctor;
mod fetch;
mod forum;
mod game;
mod games;
mod shapes;
