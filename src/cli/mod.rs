//! The command line: words into calls, and what they gave into text or JSON. A file a command group; nothing here
//! decides anything.

pub mod case;
pub mod check;
pub mod chronicle;
pub mod deliver;
pub mod demo;
pub mod doctor;
pub mod game;
mod help;
pub mod init;
pub mod journal;
pub mod load;
pub mod new;
pub mod out;
pub mod parse;
pub mod post;
pub mod publication;
pub mod quarantine;
pub mod roster;
pub mod rules;
pub mod run;
pub mod sample;
pub mod shown;
pub mod signup;
pub mod simulate;
pub mod trial;
pub mod why;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use out::{fail, print_json};

use crate::failpoint;

/// Exit codes, as sysexits has them.
pub mod exit {
    pub const OK: u8 = 0;
    pub const USAGE: u8 = 64;
    pub const DATA: u8 = 65;
    pub const UNAVAILABLE: u8 = 69;
    pub const TRY_AGAIN: u8 = 75;
    pub const CONFIG: u8 = 78;
}

#[derive(Debug, Parser)]
#[command(name = "omerta", version, about = "Runs forum games of Mafia over e-mail", arg_required_else_help = true)]
struct Arguments {
    /// The config file; else $OMERTA_CONFIG, ./config.toml, /etc/omerta/config.toml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// For tests: game time is read from this file (an RFC 3339 time) instead of the system's clock
    #[arg(long, global = true, hide = true, value_name = "FILE")]
    clock_file: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a whole game here and now: the real daemon over Maildir folders, every player a bot
    Demo(demo::DemoArguments),
    /// Run the daemon
    Run {
        /// For tests: end without a word at the N-th passing of a named point
        #[arg(long, hide = true, value_name = "NAME:N")]
        fail_at: Option<failpoint::Plan>,
        /// For tests: let a task panic the first N times
        #[arg(long, hide = true, value_name = "TASK:N")]
        panic_in: Option<failpoint::Panics>,
        /// For tests: wait for mail servers so many times shorter
        #[arg(long, hide = true, value_name = "N")]
        hurry: Option<u32>,
    },
    /// Set up: a mailbox, its password, deadlines; asks what the command line does not say, and tries it
    Init(Box<init::InitArguments>),
    /// Check config, templates and rules: every fault at once, with line, key and cure
    Check {
        #[arg(long)]
        json: bool,
    },
    /// Try everything for real: logins, certificates, a letter to ourselves, clock, quota, disk, database
    Doctor {
        #[arg(long)]
        json: bool,
    },
    /// Hand one letter in by pipe (Postfix, procmail, sieve); exit code 75 means: try again
    Deliver,
    /// Say what the daemon would understand of letters, and what it would pass over and why
    Parse {
        /// Letters as they came, each in a file
        #[arg(required = true, value_name = "FILE.eml")]
        files: Vec<PathBuf>,
        #[arg(long)]
        json: bool,
    },
    /// Adjudicate cases and compare with what they expect
    Case {
        /// Cases, each in a file; tests/scenarios/FORMAT.md says how they are written
        #[arg(required = true, value_name = "FILE.toml")]
        files: Vec<PathBuf>,
        #[arg(long)]
        json: bool,
    },
    /// Play many games of a set-up by bots: who wins how often, is this deck fair?
    Simulate(simulate::SimulateArguments),
    /// The host's hands: make, start and lead games
    Game {
        #[command(subcommand)]
        command: game::GameCommand,
    },
    /// The rulebook of a game, or of new games, with its deviations marked
    Rules {
        /// The game; without it new games
        tag: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// How things stand: the daemon, the mail, every game
    Status {
        #[arg(long)]
        json: bool,
    },
    /// The letters of a game: what was sent to whom, when, what is stuck
    Letters {
        #[command(flatten)]
        arguments: post::LettersArguments,
    },
    /// Letters that could not be processed, kept whole
    Quarantine {
        #[command(subcommand)]
        command: Option<quarantine::QuarantineCommand>,
        #[arg(long)]
        json: bool,
    },
    /// The journal of a game as JSON lines
    Export { tag: String },
    /// Replay an exported journal, draw every lot again, and compare
    Verify {
        /// What `omerta export` gave
        file: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// The finished game as a web page that needs nothing else
    Chronicle {
        tag: String,
        /// The folder that gets index.html; made if it is not there
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
    /// Copy the database while it is in use
    Backup {
        /// The copy; nothing is there yet
        file: PathBuf,
    },
    /// Completions for a shell
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man,
}

/// The whole command line, every word of it explained.
fn command() -> clap::Command {
    help::explained(Arguments::command())
}

/// Runs one command line and gives its exit code.
pub fn main(arguments: impl Iterator<Item = OsString>) -> u8 {
    let parsed = command().try_get_matches_from(arguments).and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            let help = !error.use_stderr();
            // Nobody is left to tell when the terminal is gone.
            let _ = error.print();
            return if help { exit::OK } else { exit::USAGE };
        }
    };
    let place = load::Place { config: arguments.config, clock_file: arguments.clock_file };
    match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Run { fail_at, panic_in, hurry } => {
            fail_at.into_iter().for_each(failpoint::plan);
            panic_in.into_iter().for_each(failpoint::plan_panics);
            hurry.into_iter().for_each(failpoint::be_in_a_hurry);
            run::run(&place)
        }
        Command::Init(arguments) => init::run(&place, &arguments),
        Command::Check { json } => check::run(&place, json),
        Command::Doctor { json } => doctor::run(&place, json),
        Command::Deliver => deliver::run(&place),
        Command::Parse { files, json } => parse::run(&place, &files, json),
        Command::Case { files, json } => case::run(&files, json),
        Command::Simulate(arguments) => simulate::run(&place, &arguments),
        Command::Game { command } => game::run(&place, command),
        Command::Rules { tag, json } => rules::run(&place, tag.as_deref(), json),
        Command::Status { json } => post::status(&place, json),
        Command::Letters { arguments } => post::letters(&place, &arguments),
        Command::Quarantine { command, json } => quarantine::run(&place, command.as_ref(), json),
        Command::Export { tag } => journal::export(&place, &tag),
        Command::Verify { file, json } => journal::verify(&file, json),
        Command::Chronicle { tag, output } => chronicle::run(&place, &tag, &output),
        Command::Backup { file } => journal::backup(&place, &file),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), "omerta", &mut script);
            out::say_bytes(&script)
        }
        Command::Man => {
            let render = |page: &mut dyn Write| clap_mangen::Man::new(command()).render(page);
            out::written(&out::say_through(|mut page| render(&mut page)))
        }
    }
}
