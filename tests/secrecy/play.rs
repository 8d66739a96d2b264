//! Plays many scripts side by side in one house: the real daemon, Maildirs, and a clock that jumps from step to step.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::{Command, CommandError, Forgiven, NewGame, Whom, settings};
use omerta::roster::Roster;
use omerta::table::{Phase, State};

use super::house::{House, address, raw_letter};
use super::premise::Step;
use super::script::{Deed, Event, NICKS, Script, What, When, text_of};

/// 21:00 in Moscow on the day after the house opens.
const FIRST_DEADLINE: &str = "2026-12-01T18:00:00Z";

/// Games that are played at the same hours.
pub struct Stage {
    pub house: House,
    games: Vec<Game>,
    /// That were begun.
    steps: usize,
    /// Keeps the folder.
    _folder: Option<tempfile::TempDir>,
}

struct Game {
    tag: String,
    script: Script,
    /// Nobody writes in it after so many steps: no reader is left who could compare.
    steps: usize,
}

impl Stage {
    /// Stages in so many folders that all have the same keys.
    pub fn like(count: usize, more: &str) -> Vec<Stage> {
        let mut first = House::in_folder_of(more);
        first.0.shut();
        let mut folders = Vec::new();
        for _ in 1..count {
            let folder = new_folder();
            copy(&first.0.folder, folder.path());
            folders.push(folder);
        }
        first.0.open();
        let mut stages = vec![Stage { house: first.0, games: Vec::new(), steps: 0, _folder: Some(first.1) }];
        for folder in folders {
            let house = House::in_folder(folder.path());
            stages.push(Stage { house, games: Vec::new(), steps: 0, _folder: Some(folder) });
        }
        stages
    }

    /// Makes a game of which so many steps will be played.
    pub fn add(&mut self, tag: &str, script: &Script, steps: usize) {
        let daemon = self.house.daemon();
        let settings = settings(daemon.desk().config());
        let new = NewGame {
            tag: tag.to_owned(),
            title: format!("Игра {tag}"),
            roster: Roster::read(script.roster(tag).as_bytes()).unwrap(),
            rulebook: script.rulebook(),
            settings,
            // Nothing is secret from a host: his long letters would only cost time.
            hosts: Vec::new(),
            moderators: vec![format!("moderator@{tag}.test")],
            forums: vec![format!("forum@{tag}.test")],
            feed: None,
            seed: Some([5; 32]),
        };
        let now = self.house.now();
        self.house.daemon().desk().new_game(&new, now).unwrap_or_else(|error| panic!("{error}: {script:?}"));
        self.games.push(Game { tag: tag.to_owned(), script: script.clone(), steps });
    }

    /// One step of one turn (counted from zero) of all games.
    pub fn play(&mut self, turn: usize, step: Step) {
        self.steps += 1;
        let deadline: Timestamp = FIRST_DEADLINE.parse().unwrap();
        let deadline = deadline + SignedDuration::from_hours(24 * i64::try_from(turn).unwrap());
        let at = |seconds: i64| deadline + SignedDuration::from_secs(seconds);
        match step {
            Step::Start => self.start(),
            Step::Open => {
                self.drop_all(turn, When::Morning, deadline);
                self.look(at(-8 * 3600 + 120));
                self.look(at(-3 * 3600 + 1));
                self.house.set_clock(at(-2 * 3600 - 500));
                self.host_acts(turn);
                self.drop_all(turn, When::Evening, deadline);
                self.look(at(-2 * 3600 + 120));
            }
            Step::Settling => {
                self.drop_all(turn, When::TooLate, deadline);
                self.drop_all(turn, When::LastMinute, deadline);
                self.look(at(110));
            }
            Step::Closed => {
                self.house.set_clock(at(120));
                self.house.round();
                self.house.round();
            }
            Step::Answered => {
                self.drop_all(turn, When::Lost, deadline);
                self.drop_all(turn, When::AfterClose, deadline);
                self.look(at(420));
            }
            Step::Later => {
                self.host_decides(turn);
                self.house.round();
            }
        }
    }

    fn look(&mut self, moment: Timestamp) {
        self.house.set_clock(moment);
        self.house.round();
    }

    fn start(&mut self) {
        for number in 0..self.games.len() {
            let tag = self.games[number].tag.clone();
            self.house.command(&tag, Command::Deadline { when: FIRST_DEADLINE.to_owned() });
            self.house.command(&tag, Command::Start);
        }
        self.house.round();
    }

    fn drop_all(&mut self, turn: usize, when: When, deadline: Timestamp) {
        for number in 0..self.games.len() {
            let Game { tag, script, steps } = &self.games[number];
            let Some(row) = script.turns.get(turn).filter(|_| *steps >= self.steps) else { continue };
            for (name, raw) in row.at(when).flat_map(|event| letters(tag, turn, event, deadline.as_second())) {
                std::fs::write(self.house.folder.join("mail/in/new").join(name), raw).unwrap();
            }
        }
    }

    fn host_acts(&mut self, turn: usize) {
        for number in 0..self.games.len() {
            let Game { tag, script, steps } = &self.games[number];
            let Some(row) = script.turns.get(turn).filter(|_| *steps >= self.steps) else { continue };
            let tag = tag.clone();
            let deeds: Vec<Deed> = row
                .at(When::Noon)
                .filter_map(|event| match &event.what {
                    What::Host(deed) => Some(deed.clone()),
                    What::Letter { .. } => None,
                })
                .collect();
            for deed in deeds {
                let nick = |who: &u16| NICKS[usize::from(*who)].to_owned();
                let command = match &deed {
                    Deed::Expel(who) => Command::Expel { nick: nick(who), text: "Так решено".to_owned() },
                    Deed::Deprive(who) => Command::Deprive { nicks: vec![nick(who)], turns: 1 },
                    Deed::Forgive(who) => Command::Forgive { whom: Whom::Nicks(vec![nick(who)]), what: Forgiven::Miss },
                    Deed::Warn(who, text) => Command::Warn { nick: nick(who), text: text.clone() },
                };
                match self.house.try_command(&tag, command) {
                    // Against one who is out nothing can be done.
                    Ok(()) | Err(CommandError::NotDone(_) | CommandError::Refused { .. }) => {}
                    Err(CommandError::Desk(error)) => panic!("{error}"),
                }
            }
        }
    }

    fn host_decides(&mut self, turn: usize) {
        for number in 0..self.games.len() {
            let tag = self.games[number].tag.clone();
            if self.games[number].steps < self.steps {
                continue;
            }
            let table = self.house.table(&tag);
            if (table.state, table.phase) != (State::Playing, Phase::Review) {
                continue;
            }
            let forgives = self.games[number].script.turns.get(turn).is_some_and(|turn| turn.forgives);
            let command = match forgives {
                true => Command::Forgive { whom: Whom::All, what: Forgiven::Miss },
                false => Command::Publish,
            };
            self.house.command(&tag, command);
        }
    }

    pub fn mailbox(&self, address: &str) -> Mailbox {
        Mailbox { folder: self.house.folder.join("mail/out").join(address).join("new"), seen: BTreeSet::new() }
    }
}

/// Names of files and their bytes, in order.
pub type News = Vec<(String, Vec<u8>)>;

/// One reader's Maildir, of which only what is new is read.
pub struct Mailbox {
    folder: PathBuf,
    seen: BTreeSet<String>,
}

impl Mailbox {
    /// The letters since the last look; the `final` letter, which tells all, is left
    /// out.
    pub fn news(&mut self) -> News {
        let mut names: Vec<String> = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !self.seen.contains(name))
            .collect();
        names.sort();
        self.seen.extend(names.iter().cloned());
        let read = |name: String| (name.clone(), std::fs::read(self.folder.join(name)).unwrap());
        let tells_all = |letter: &(String, Vec<u8>)| text(&letter.1).contains("\r\nX-Omerta-Letter: final\r\n");
        names.into_iter().map(read).filter(|letter| !tells_all(letter)).collect()
    }
}

pub fn text(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).into_owned()
}

/// File names in the inbox and bytes.
fn letters(tag: &str, turn: usize, event: &Event, deadline: i64) -> Vec<(String, Vec<u8>)> {
    let What::Letter { from, lines, twice } = &event.what else { return Vec::new() };
    let id = format!("{turn}.{}@{tag}.players.test", event.slot);
    let raw = raw_letter(&address(tag, *from), tag, &id, &text_of(lines));
    let second = deadline + event.arrives();
    let name = |copy: u32| format!("{second}.M{copy}P{turn}Q{}.{tag}", event.slot);
    (0..if *twice { 2 } else { 1 }).map(|copy| (name(copy), raw.clone())).collect()
}

impl House {
    /// A house in a folder of memory, where there is one: thousands of letters are written and waited for.
    fn in_folder_of(more: &str) -> (House, tempfile::TempDir) {
        let folder = new_folder();
        std::fs::write(folder.path().join("config.toml"), super::house::config_text(more)).unwrap();
        (House::in_folder(folder.path()), folder)
    }
}

fn new_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}
