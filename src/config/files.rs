//! What the config names and this machine has: files that only the operator can make, and who else may read them.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use super::plain::{LONGEST_BUNDLE, LONGEST_SECRET, PlainFault, name_of, read_plain};
use super::{Config, Fault, InboxKind, OutboxKind, Password, Server};

/// Where programs are looked for when nobody says.
const USUAL_PATH: &str = "/bin:/usr/bin";

/// Files and programs that are not there, or not what they must be. Of what is closed to us nothing is said.
pub(super) fn faults(config: &Config, variable: impl Fn(&str) -> Option<OsString>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut blame = |key: &str, what: String, cure: &str| faults.push(config.fault(key, what, cure.to_owned()));
    if let Some(folder) = config.templates.as_ref().filter(|folder| !folder.is_dir()) {
        let what = no_folder(folder).unwrap_or_else(|| format!("the folder {} is not there", folder.display()));
        blame("templates", what, "Make the folder, or write \"\" for the built-in letters.");
    }
    for (key, folders) in folders_of_mail(config) {
        if let Some(what) = folders.iter().find_map(|folder| no_folder(folder)) {
            blame(key, what, "Take it away, or name a folder here that is there or can be made.");
        }
    }
    if let Some(what) = config.database.parent().and_then(no_folder) {
        blame("database", what, "Take it away, or name a file in a folder that is there or can be made.");
    }
    let own = [("host.word_file", &config.host.word_file), ("key_file", &config.key_file)];
    for (key, path) in own {
        match read_plain(path, LONGEST_SECRET) {
            Err(fault) if !fault.is_missing() && !fault.is_closed() => blame(key, told(path, &fault), cure_of(&fault)),
            _ => {}
        }
    }
    for (section, server) in [("inbox", &config.inbox.server), ("outbox", &config.outbox.server)] {
        let Some(Server { ca_file, login, .. }) = server else { continue };
        if let Some(path) = ca_file
            && let Err(fault) = read_plain(path, LONGEST_BUNDLE)
            && !fault.is_closed()
        {
            let cure = if fault.is_missing() { "Put the PEM certificate there." } else { cure_of(&fault) };
            blame(&format!("{section}.ca_file"), told(path, &fault), cure);
        }
        if let Some(Password::File(path)) = login.as_ref().map(|login| &login.password) {
            const WRITE: &str = "Write the password into it, on one line, and let nobody else read it (chmod 600).";
            let key = format!("{section}.password_file");
            match read_plain(path, LONGEST_SECRET) {
                Err(fault) if fault.is_closed() => {}
                Err(fault) => {
                    blame(&key, told(path, &fault), if fault.is_missing() { WRITE } else { cure_of(&fault) });
                }
                Ok(bytes) if matches!(bytes.first(), None | Some(b'\n' | b'\r')) => {
                    blame(&key, format!("the first line of {} is empty", path.display()), WRITE);
                }
                Ok(_) => {}
            }
        }
    }
    if config.outbox.kind == OutboxKind::Sendmail
        && let Some(program) = config.outbox.command.first()
        && let Some(what) = no_program(program, variable("PATH"))
    {
        blame("outbox.command", what, "Install it, or write the whole path of one that is there.");
    }
    faults.sort_by_key(|fault| fault.line);
    faults
}

/// The Maildir with its parts, and the folder of Maildirs, each with the key that names it.
fn folders_of_mail(config: &Config) -> Vec<(&'static str, Vec<PathBuf>)> {
    let mut folders = Vec::new();
    if config.inbox.kind == InboxKind::Maildir {
        let parts = ["", "new", "cur", "tmp"].map(|part| config.inbox.path.join(part));
        folders.push(("inbox.path", parts.to_vec()));
    }
    if config.outbox.kind == OutboxKind::Maildir {
        folders.push(("outbox.path", vec![config.outbox.path.clone()]));
    }
    folders
}

/// What stands where a folder is wanted, or on the way there, and is none. Nothing is said of a folder that is not there
/// yet, or that we may not look into.
fn no_folder(path: &Path) -> Option<String> {
    for place in path.ancestors() {
        match std::fs::metadata(place) {
            Ok(about) if about.is_dir() => return None,
            Ok(about) => {
                return Some(format!("{} is {}, and a folder is wanted", place.display(), name_of(about.file_type())));
            }
            Err(_) if place.is_symlink() => {
                return Some(format!("{} is a link that leads nowhere, and a folder is wanted", place.display()));
            }
            Err(_) => {}
        }
    }
    None
}

/// Files that are there and may not be read by the user who asks.
pub(super) fn closed(config: &Config) -> Vec<Fault> {
    let mut files = secret_files(config);
    for (key, server) in [("inbox.ca_file", &config.inbox.server), ("outbox.ca_file", &config.outbox.server)] {
        files.extend(server.as_ref().and_then(|server| server.ca_file.as_deref()).map(|path| (key, path)));
    }
    let told = |(key, path): (&'static str, &Path)| match read_plain(path, LONGEST_BUNDLE) {
        Err(fault) if fault.is_closed() => Some(config.fault(key, told(path, &fault), cure_of(&fault).to_owned())),
        _ => None,
    };
    files.into_iter().filter_map(told).collect()
}

/// Secrets that others than their owner may open.
pub(super) fn open_secrets(config: &Config) -> Vec<Fault> {
    let mut secrets = secret_files(config);
    for (key, server) in [("inbox.password", &config.inbox.server), ("outbox.password", &config.outbox.server)] {
        let login = server.as_ref().and_then(|server| server.login.as_ref());
        if login.is_some_and(|login| matches!(login.password, Password::Plain(_))) {
            secrets.push((key, &config.file));
        }
    }
    let told = |(key, path): (&'static str, &Path)| {
        let mode = open_to_others(path)?;
        let what = format!("{} can be read by others than its owner (mode {mode:o})", path.display());
        Some(config.fault(key, what, format!("chmod 600 {}", path.display())))
    };
    secrets.into_iter().filter_map(told).collect()
}

/// A key file that holds no key: nobody needs it before there are forum passwords, and then it is too late.
pub(super) fn no_key(config: &Config) -> Option<Fault> {
    let bytes = read_plain(&config.key_file, LONGEST_SECRET).ok()?;
    if key_in(&bytes).is_some() {
        return None;
    }
    let what = format!("{} does not hold a key of 64 hex digits", config.key_file.display());
    let cure =
        "Put the right one back from a backup; if there never was one, take the file away: it is made at first use.";
    Some(config.fault("key_file", what, cure.to_owned()))
}

/// The key that a key file holds.
pub fn key_in(bytes: &[u8]) -> Option<[u8; 32]> {
    let key = data_encoding::HEXLOWER_PERMISSIVE.decode(bytes.trim_ascii()).ok()?;
    key.try_into().ok()
}

/// The files of secrets, each once, with the key that names it.
pub(super) fn secret_files(config: &Config) -> Vec<(&'static str, &Path)> {
    let mut files: Vec<(&'static str, &Path)> = Vec::new();
    for (key, server) in
        [("inbox.password_file", &config.inbox.server), ("outbox.password_file", &config.outbox.server)]
    {
        let login = server.as_ref().and_then(|server| server.login.as_ref());
        if let Some(Password::File(path)) = login.map(|login| &login.password) {
            files.push((key, path));
        }
    }
    files.push(("host.word_file", &config.host.word_file));
    files.push(("key_file", &config.key_file));
    let mut once: Vec<(&'static str, &Path)> = Vec::new();
    for (key, path) in files {
        if once.iter().all(|(_, earlier)| *earlier != path) {
            once.push((key, path));
        }
    }
    once
}

/// The mode of a plain file that others than its owner may open.
pub fn open_to_others(path: &Path) -> Option<u32> {
    let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mode = about.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

fn told(path: &Path, fault: &PlainFault) -> String {
    match fault.is_missing() {
        true => format!("the file {} is not there", path.display()),
        false => format!("{} {fault}", path.display()),
    }
}

fn cure_of(fault: &PlainFault) -> &'static str {
    match fault {
        PlainFault::Unreadable(_) => "Let the user who runs omerta read it.",
        PlainFault::Kind(_) | PlainFault::Large(_) => "Put the right file there, or name it here.",
    }
}

/// Why a program can't be run. One without a slash is looked for as the system does.
fn no_program(program: &str, path: Option<OsString>) -> Option<String> {
    let is_file = |place: &Path| std::fs::metadata(place).is_ok_and(|about| about.is_file());
    let runs = |place: &Path| is_file(place) && rustix::fs::access(place, Access::EXEC_OK).is_ok();
    if !program.contains('/') {
        let path = path.unwrap_or_else(|| USUAL_PATH.into());
        let is_there = std::env::split_paths(&path).any(|folder| runs(&folder.join(program)));
        return (!is_there).then(|| format!("there is no program {program} in any folder of $PATH"));
    }
    let place = PathBuf::from(program);
    match (is_file(&place), runs(&place)) {
        (_, true) => None,
        (true, false) => Some(format!("{program} may not be executed by us")),
        (false, false) if place.exists() => Some(format!("{program} is no program")),
        (false, false) => Some(format!("the program {program} is not there")),
    }
}
