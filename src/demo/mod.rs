//! `omerta demo`.

pub mod luck;
pub mod people;
pub mod scribe;
