//! A file a command group; nothing here decides anything.

pub mod parse;
