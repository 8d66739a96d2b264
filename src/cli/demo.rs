//! `omerta demo`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::demo;
use crate::letters::Lang;

#[derive(Debug, Args)]
pub struct DemoArguments {
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(7..=60))]
    players: u16,
    /// The same seed plays the same game
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to put letters and journal; else a new folder under the system's temporary one
    #[arg(long)]
    dir: Option<PathBuf>,
    /// How fast the letters fly: `fast`, or a pause after each one for reading along
    #[arg(long, default_value = "fast")]
    pace: Pace,
    #[arg(long, default_value = "ru")]
    lang: DemoLang,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pace {
    Fast,
    Slow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DemoLang {
    Ru,
    En,
}
