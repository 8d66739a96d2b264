//! The real binary in a folder: its command line, its daemon as a process that can be killed, and game time in a file.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use omerta::store::Store;
use serde_json::Value;

use super::{Got, config_text, read_letter};

/// Nothing that is waited for takes longer, unless it will never come.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(4);

pub struct Machine {
    pub folder: PathBuf,
    /// What `OMERTA_LOG` says.
    pub log_level: &'static str,
    daemon: Option<Child>,
    _owner: Option<tempfile::TempDir>,
}

/// What a command gave.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Machine {
    /// A config, the clock at [`super::OPENS`], no game.
    pub fn new() -> Machine {
        let owner = tempfile::tempdir().unwrap();
        std::fs::write(owner.path().join("config.toml"), config_text("")).unwrap();
        let machine = Machine::in_folder(owner);
        machine.set_clock(super::OPENS);
        machine
    }

    /// Another machine with everything that this one has on its disk. Its daemon must not run.
    pub fn copy(&self) -> Machine {
        assert!(self.daemon.is_none(), "a database in use is not copied");
        let owner = tempfile::tempdir().unwrap();
        copy_folder(&self.folder, owner.path());
        Machine::in_folder(owner)
    }

    fn in_folder(owner: tempfile::TempDir) -> Machine {
        Machine { folder: owner.path().to_owned(), log_level: "warn", daemon: None, _owner: Some(owner) }
    }

    // -------------------------------------------------------------------------------------------------- command line

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.args(arguments).arg("--config").arg(self.folder.join("config.toml"));
        command.arg("--clock-file").arg(self.folder.join("clock"));
        command.env_remove("OMERTA_CONFIG").env("OMERTA_LOG", self.log_level).current_dir(&self.folder);
        command
    }

    pub fn say(&self, arguments: &[&str]) -> Said {
        Said::of(&self.command(arguments).output().unwrap())
    }

    /// A command that must succeed; gives what it said.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let said = self.say(arguments);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{arguments:?}: {}", said.out);
        said.out
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        let said = self.ok(arguments);
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {said}"))
    }

    // ------------------------------------------------------------------------------------------------------- the time

    /// The daemon sees the old time or the new one, never half a file.
    pub fn set_clock(&self, moment: &str) {
        let moment: Timestamp = moment.parse().unwrap();
        let new = self.folder.join("clock.new");
        std::fs::write(&new, moment.to_string()).unwrap();
        std::fs::rename(new, self.folder.join("clock")).unwrap();
    }

    pub fn now(&self) -> Timestamp {
        std::fs::read_to_string(self.folder.join("clock")).unwrap().parse().unwrap()
    }

    pub fn wait_seconds(&self, seconds: i64) {
        let later = self.now() + jiff::SignedDuration::from_secs(seconds);
        self.set_clock(&later.to_string());
    }

    // ----------------------------------------------------------------------------------------------------- the daemon

    pub fn start(&mut self, arguments: &[&str]) {
        assert!(self.daemon.is_none(), "the daemon runs already");
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.folder.join("log")).unwrap();
        let mut command = self.command(&["run"]);
        let said = log.try_clone().unwrap();
        command.args(arguments).stdin(Stdio::null()).stdout(said).stderr(log);
        self.daemon = Some(command.spawn().unwrap());
    }

    pub fn pid(&self) -> u32 {
        self.daemon.as_ref().expect("no daemon runs").id()
    }

    pub fn while_it_stands<T>(&self, work: impl FnOnce() -> T) -> T {
        while_it_stands(self.pid(), work)
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        let mut daemon = self.daemon.take().expect("no daemon runs");
        daemon.kill().unwrap();
        daemon.wait().unwrap();
    }

    /// SIGTERM; gives the exit code.
    pub fn stop(&mut self) -> Option<i32> {
        let mut daemon = self.daemon.take().expect("no daemon runs");
        let told = Command::new("kill").arg("-TERM").arg(daemon.id().to_string()).status().unwrap();
        assert!(told.success());
        let begun = Instant::now();
        loop {
            if let Some(status) = daemon.try_wait().unwrap() {
                return status.code();
            }
            assert!(begun.elapsed() < PATIENCE, "the daemon does not stop");
            rest();
        }
    }

    /// Whether the daemon lives; one that has died is buried.
    pub fn lives(&mut self) -> bool {
        let Some(daemon) = &mut self.daemon else { return false };
        if daemon.try_wait().unwrap().is_some() {
            self.daemon = None;
        }
        self.daemon.is_some()
    }

    /// What the daemons wrote, to stderr and to stdout.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    // -------------------------------------------------------------------------------------------------------- the mail

    /// Puts a letter into the inbox as a mail server does: whole, under a name that holds its arrival.
    pub fn drop_in(&self, arrived: &str, micros: u32, raw: &[u8]) {
        let second = arrived.parse::<Timestamp>().unwrap().as_second();
        let name = format!("{second}.M{micros:06}P1.host.test");
        for part in ["tmp", "new", "cur"] {
            std::fs::create_dir_all(self.folder.join("mail/in").join(part)).unwrap();
        }
        let tmp = self.folder.join("mail/in/tmp").join(&name);
        std::fs::write(&tmp, raw).unwrap();
        std::fs::rename(tmp, self.folder.join("mail/in/new").join(name)).unwrap();
    }

    /// Letters that the daemon has not marked as seen.
    pub fn unread(&self) -> usize {
        std::fs::read_dir(self.folder.join("mail/in/new")).map(Iterator::count).unwrap_or_default()
    }

    /// Every address that got mail.
    pub fn addresses(&self) -> Vec<String> {
        let mut found: Vec<String> = std::fs::read_dir(self.folder.join("mail/out"))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        found
    }

    pub fn got(&self, address: &str) -> Vec<Got> {
        self.files(address).iter().map(|file| read_letter(&std::fs::read(file).unwrap())).collect()
    }

    /// The files of an address's letters, oldest first.
    pub fn files(&self, address: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = ["new", "cur"]
            .into_iter()
            .flat_map(|part| std::fs::read_dir(self.folder.join("mail/out").join(address).join(part)))
            .flatten()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort_by_key(|file| file.file_name().map(ToOwned::to_owned));
        files
    }

    /// The database as another process sees it.
    pub fn store(&self) -> Store {
        Store::open_existing(&self.folder.join("omerta.db")).unwrap()
    }

    /// Waits until something holds.
    pub fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "waited in vain for: {what}\n{}", self.log());
            rest();
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            // It is ours, and nothing is left to do when it is gone already.
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

impl Said {
    pub fn of(output: &Output) -> Said {
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A moment between two looks at a thing that is waited for.
#[expect(clippy::disallowed_methods, reason = "a look at another process has no other way to wait")]
pub fn rest() {
    std::thread::sleep(LOOK_AGAIN);
}

pub fn copy_folder(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A process stands still during `work`: what comes meanwhile comes at once for it.
pub fn while_it_stands<T>(pid: u32, work: impl FnOnce() -> T) -> T {
    let tell = |signal: &str| {
        assert!(Command::new("kill").arg(signal).arg(pid.to_string()).status().unwrap().success());
    };
    tell("-STOP");
    let done = work();
    tell("-CONT");
    done
}
