//! What the demo puts up before the game: a config, a roster and mail folders in an empty folder.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::demo::people::Person;
use crate::demo::{DemoError, FIRST_NOON, GAME_ADDRESS, HOST_ADDRESS, MODERATOR_ADDRESS, Options, ZONE};
use crate::letters::Lang;
use crate::mail::maildir;
use crate::rules::Gender;

/// What the daemon is started with.
#[derive(Clone, Debug)]
pub struct Stage {
    /// `config.toml` of the demo.
    pub config: PathBuf,
    /// `roster.csv`, for `game new --roster`.
    pub roster: PathBuf,
    pub title: String,
    /// Microseconds since 1970, for [`crate::clock::Clock::Injected`].
    pub clock: Arc<AtomicI64>,
    seed: u64,
}

impl Stage {
    /// Moves the injected clock: for [`Controls::set_clock`].
    pub fn clock_hand(&self) -> Box<dyn FnMut(Timestamp)> {
        let clock = Arc::clone(&self.clock);
        Box::new(move |now| clock.store(now.as_microsecond(), Ordering::SeqCst))
    }

    /// The seed of the game's lots, so that the demo plays the same game again. A real game draws its own.
    pub fn lots_seed(&self) -> [u8; 32] {
        Sha256::digest(format!("omerta demo {}", self.seed)).into()
    }

    /// The demo's folder.
    pub fn folder(&self) -> &Path {
        self.config.parent().unwrap_or(Path::new("."))
    }
}

/// Config, roster and mail folders.
///
/// # Errors
/// When the folder is in use or a file can't be written.
pub fn build(options: &Options, people: &[Person]) -> Result<Stage, DemoError> {
    let folder = &options.folder;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(DemoError::FolderInUse { folder: folder.display().to_string() });
    }
    maildir::create(&folder.join("mail/in"))?;
    let (config, roster) = (folder.join("config.toml"), folder.join("roster.csv"));
    fs::write(&config, config_text(options.lang))?;
    fs::write(&roster, roster_text(people))?;
    let title = match options.lang {
        Lang::Ru => "Палермо за один вечер",
        Lang::En => "Palermo in One Evening",
    };
    Ok(Stage {
        config,
        roster,
        title: title.to_owned(),
        clock: Arc::new(AtomicI64::new(FIRST_NOON * 1_000_000)),
        seed: options.seed,
    })
}

/// The bots see their roles in a header: that is what `debug_headers` is for.
fn config_text(lang: Lang) -> String {
    let (language, host, from) = match lang {
        Lang::Ru => ("ru", "Ведущая", "Омерта"),
        Lang::En => ("en", "The Host", "Omerta"),
    };
    format!(
        r#"language = "{language}"
timezone = "{ZONE}"
database = "omerta.db"

[host]
name = "{host}"
addresses = ["{HOST_ADDRESS}"]

[moderators]
addresses = ["{MODERATOR_ADDRESS}"]

[inbox]
kind = "maildir"
path = "mail/in"

[outbox]
kind = "maildir"
path = "mail/out"
from = "{from} <{GAME_ADDRESS}>"
debug_headers = true

[security]
sender = "address"

[game]
deadline = "21:00"
min_turn = "6h"
settle = "2m"
reminders = ["3h"]
publish = "auto"
"#
    )
}

fn roster_text(people: &[Person]) -> String {
    let mut text = String::from("address,nick,characteristic,role,gender,forum_name\n");
    for person in people {
        let gender = match person.gender {
            Some(Gender::Male) => "m",
            Some(Gender::Female) => "f",
            None => "",
        };
        text.push_str(&format!("{},{},\"{}\",,{gender},\n", person.address, person.nick, person.characteristic));
    }
    text
}

/// Whom an address belongs to.
pub fn names(lang: Lang, people: &[Person]) -> BTreeMap<String, String> {
    let (host, moderator) = match lang {
        Lang::Ru => ("ведущая", "модератор"),
        Lang::En => ("the host", "the moderator"),
    };
    let mut names: BTreeMap<String, String> =
        people.iter().map(|person| (person.address.clone(), person.nick.clone())).collect();
    names.insert(HOST_ADDRESS.to_owned(), host.to_owned());
    names.insert(MODERATOR_ADDRESS.to_owned(), moderator.to_owned());
    names
}
