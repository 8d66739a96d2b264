//! `omerta` runs forum games of Mafia over e-mail.
//!
//! The straight line, in reading order:
//! [`mail`] turns bytes into an [`mail::Incoming`]; [`request`] reads its lines; [`rules`] admits or refuses them and
//! closes turns; [`journal`] names what happened and [`table`] is the fold of it; [`letters`] turns events into words
//! for each reader; [`store`] commits events and letters together; [`desk`] is that line, read top to bottom; [`daemon`]
//! keeps time and opens the post.

pub mod address;
pub mod chronicle;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod desk;
pub mod dice;
pub mod draws;
pub mod export;
pub mod failpoint;
pub mod feed;
pub mod journal;
pub mod keys;
pub mod letters;
pub mod mail;
pub mod photo;
pub mod provider;
pub mod request;
pub mod roster;
pub mod rules;
pub mod scenario;
pub mod schedule;
pub mod signup;
pub mod simulate;
pub mod store;
pub mod table;
pub mod why;

pub mod cli;
