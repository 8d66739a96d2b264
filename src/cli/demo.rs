//! `omerta demo`: the strings by which the demo moves the real daemon.

use std::cell::RefCell;
use std::error::Error;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{exit, fail, out};
use crate::clock::Clock;
use crate::config::Config;
use crate::daemon::Daemon;
use crate::demo::stage::Stage;
use crate::demo::{self, Controls, DemoError, Options, Standing, TAG};
use crate::desk::command::{self, Command, NewGame};
use crate::letters::Lang;
use crate::letters::render::Templates;
use crate::roster::Roster;
use crate::rules::rulebook::Rulebook;
use crate::table::Phase;

#[derive(Debug, Args)]
pub struct DemoArguments {
    /// How many bots play, 7 to 60
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(7..=60))]
    players: u16,
    /// The same seed plays the same game
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to put letters and journal; else a new folder under the system's temporary one
    #[arg(long)]
    dir: Option<PathBuf>,
    /// As fast as it goes, or slow enough to read along
    #[arg(long, value_enum, default_value = "fast")]
    pace: Pace,
    /// The language of the letters
    #[arg(long, value_enum, default_value = "ru")]
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

pub fn run(arguments: &DemoArguments) -> u8 {
    let folder = match &arguments.dir {
        Some(folder) => folder.clone(),
        None => match fresh_folder() {
            Ok(folder) => folder,
            Err(error) => return fail(exit::UNAVAILABLE, &error),
        },
    };
    let options = Options {
        players: arguments.players,
        seed: arguments.seed,
        folder,
        pace: match arguments.pace {
            Pace::Fast => demo::Pace::Fast,
            Pace::Slow => demo::Pace::Slow,
        },
        lang: match arguments.lang {
            DemoLang::Ru => Lang::Ru,
            DemoLang::En => Lang::En,
        },
    };
    let mut screen = std::io::stdout().lock();
    match demo::play(&options, &mut screen, start) {
        Ok(_) => exit::OK,
        // Whoever watched has seen enough.
        Err(DemoError::File(error)) if out::reader_left(&error) => exit::OK,
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}

/// A folder that nobody has used.
fn fresh_folder() -> std::io::Result<PathBuf> {
    for number in 1..10_000u32 {
        let folder = std::env::temp_dir().join(format!("omerta-demo-{number}"));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("the temporary folder is full of demos: remove some, or name a folder with --dir"))
}

/// A round of the daemon takes no longer than its work, so that the demo itself sets the pace.
const TICK: Duration = Duration::from_millis(1);
/// A daemon that has not come to rest after so many rounds never will.
const MOST_ROUNDS: u32 = 1_000;

fn start(stage: &Stage) -> Result<Controls, Box<dyn Error>> {
    let config = Config::load(&stage.config).map_err(|faults| said(&faults))?;
    let config = Arc::new(config);
    let templates = Arc::new(Templates::load(None).map_err(|faults| said(&faults))?);
    let clock = Clock::Injected(stage.clock.clone());
    let daemon = Daemon::open(config.clone(), templates, clock.clone(), TICK)?;
    let daemon = Rc::new(RefCell::new(daemon));
    let new = NewGame {
        tag: TAG.to_owned(),
        title: stage.title.clone(),
        roster: Roster::read(&std::fs::read(&stage.roster)?).map_err(|faults| said(&faults))?,
        rulebook: Rulebook::default(),
        settings: command::settings(&config),
        hosts: config.host.addresses.clone(),
        moderators: config.moderators.addresses.clone(),
        forums: config.forum.post_to.clone(),
        feed: None,
        seed: Some(stage.lots_seed()),
    };
    daemon.borrow_mut().desk().new_game(&new, clock.now())?;
    daemon.borrow_mut().desk().command(TAG, &Command::Start, clock.now())?;
    let obey = {
        let (daemon, clock) = (daemon.clone(), clock.clone());
        move |command: Command| -> Result<(), Box<dyn Error>> {
            daemon.borrow_mut().desk().command(TAG, &command, clock.now())?;
            Ok(())
        }
    };
    let publish = obey.clone();
    let watched = daemon.clone();
    Ok(Controls {
        set_clock: stage.clock_hand(),
        set_deadline: Box::new(move |at| obey(Command::Deadline { when: at.to_string() })),
        publish: Box::new(move || publish(Command::Publish)),
        settle: Box::new(move || settle(&mut daemon.borrow_mut())),
        standing: Box::new(move || {
            let (_, table) = watched.borrow_mut().desk().table(TAG)?;
            Ok(match (table.game.winner, table.phase) {
                (Some(winner), _) => Standing::Over(winner),
                (None, Phase::Review) => Standing::Review,
                (None, Phase::Open) => Standing::Open { turn: table.game.turn, deadline: table.deadline },
            })
        }),
        stop: Box::new(|| Ok(())),
    })
}

/// Lets the daemon go round until a round changes nothing any more.
fn settle(daemon: &mut Daemon) -> Result<(), Box<dyn Error>> {
    for _ in 0..MOST_ROUNDS {
        let before = daemon.desk().stamp()?;
        daemon.round()?;
        if daemon.desk().stamp()? == before {
            return Ok(());
        }
    }
    Err("the daemon does not come to rest".into())
}

fn said<T: std::fmt::Display>(faults: &[T]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
