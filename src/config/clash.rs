//! Settings that are each right and cannot stand together: two things at one place, an address that is two people, a
//! letter that would come back to us.

use std::path::{Path, PathBuf};

use super::{Config, InboxKind, OutboxKind, Password, Server};
use crate::address::{comes_to, is_one_mailbox, read_address};

/// Two settings that contradict each other.
pub(super) struct Clash {
    /// The keys that take part, the one to blame first. Blamed is the first that the file has.
    pub keys: Vec<&'static str>,
    pub what: String,
    pub cure: String,
}

/// All of them.
pub(super) fn clashes(config: &Config) -> Vec<Clash> {
    let mut clashes = addresses(config);
    clashes.extend(places(config));
    clashes
}

fn addresses(config: &Config) -> Vec<Clash> {
    let mut clashes = Vec::new();
    let mut clash = |keys: &[&'static str], what: String, cure: &str| {
        clashes.push(Clash { keys: keys.to_vec(), what, cure: cure.to_owned() });
    };
    let own = &config.outbox.from.address;
    if config.outbox.plus_addressing && own.split('@').next().is_some_and(|local| local.contains('+')) {
        let what = format!("\"{own}\" has a + in it, and so would the addresses to which players answer");
        let cure = "Write the mailbox's own address, without + and what follows it; or, if it must be so, \
                    plus_addressing = false.";
        clash(&["outbox.from"], what, cure);
    }
    let (host, moderators) = (&config.host.addresses, &config.moderators.addresses);
    let offices = [
        ("host.addresses", "[host]", host),
        ("moderators.addresses", "[moderators]", moderators),
        ("forum.post_to", "post_to in [forum]", &config.forum.post_to),
    ];
    for (key, whose, addresses) in offices {
        if let Some(address) = addresses.iter().find(|address| comes_to(address, own, config.outbox.plus_addressing)) {
            let what = match address == own {
                true => format!("\"{own}\" is also an address of {whose}"),
                false => format!("\"{own}\" is the same mailbox as \"{address}\", an address of {whose}"),
            };
            clash(
                &["outbox.from", key],
                what,
                "The game needs a mailbox of its own: what is sent to it is read as mail to the game.",
            );
        }
    }
    for (key, whose, addresses) in
        [("host.addresses", "[host]", host), ("moderators.addresses", "[moderators]", moderators)]
    {
        let forum = |address: &&String| addresses.iter().any(|other| is_one_mailbox(address, other));
        for address in config.forum.post_to.iter().filter(forum) {
            let what = format!("\"{address}\" is also an address of {whose}, who gets every summary anyway");
            let cure = "Keep here only the addresses by which the forum itself takes letters, or [] for none.";
            clash(&["forum.post_to", key], what, cure);
        }
    }
    clashes
}

/// A file or folder that a key names.
struct Named {
    key: &'static str,
    /// Where it really lies.
    place: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// We write it, or read it for one purpose.
    File,
    /// A file that may serve two servers: a password, a certificate.
    Shared,
    Folder,
}

fn places(config: &Config) -> Vec<Clash> {
    let named = named(config);
    let mut clashes = Vec::new();
    for (at, later) in named.iter().enumerate() {
        for earlier in named.iter().take(at) {
            clashes.extend(of_two(earlier, later));
        }
        if later.kind != Kind::Folder && later.place == real(&config.file) {
            let what = "is the config file itself".to_owned();
            clashes.push(Clash { keys: vec![later.key], what, cure: "Give it a name of its own.".to_owned() });
        }
        if let Some(clash) = beside_the_database(config, later) {
            clashes.push(clash);
        }
    }
    clashes
}

fn named(config: &Config) -> Vec<Named> {
    let mut named = vec![
        ("database", config.database.as_path(), Kind::File),
        ("key_file", &config.key_file, Kind::File),
        ("host.word_file", &config.host.word_file, Kind::File),
    ];
    if let Some(folder) = &config.templates {
        named.push(("templates", folder, Kind::Folder));
    }
    for (server, ca_file, password_file) in [
        (&config.inbox.server, "inbox.ca_file", "inbox.password_file"),
        (&config.outbox.server, "outbox.ca_file", "outbox.password_file"),
    ] {
        let Some(Server { ca_file: ca, login, .. }) = server else { continue };
        named.extend(ca.iter().map(|path| (ca_file, path.as_path(), Kind::Shared)));
        if let Some(Password::File(path)) = login.as_ref().map(|login| &login.password) {
            named.push((password_file, path, Kind::Shared));
        }
    }
    if config.inbox.kind == InboxKind::Maildir {
        named.push(("inbox.path", &config.inbox.path, Kind::Folder));
    }
    if config.outbox.kind == OutboxKind::Maildir {
        named.push(("outbox.path", &config.outbox.path, Kind::Folder));
    }
    named.into_iter().map(|(key, path, kind)| Named { key, place: real(path), kind }).collect()
}

fn of_two(earlier: &Named, later: &Named) -> Option<Clash> {
    let keys = vec![later.key, earlier.key];
    let said = |what: String, cure: &str| Some(Clash { keys: keys.clone(), what, cure: cure.to_owned() });
    let is_pair = |one: &str, other: &str| [(one, other), (other, one)].contains(&(earlier.key, later.key));
    if earlier.place == later.place {
        let same_use = earlier.key.rsplit('.').next() == later.key.rsplit('.').next();
        if (earlier.kind, later.kind) == (Kind::Shared, Kind::Shared) && same_use {
            return None;
        }
        if is_pair("inbox.path", "outbox.path") {
            let what = "is the same folder as inbox.path, so that what we send would be read as mail to us".to_owned();
            return said(what, "Name two folders, as in \"mail/in\" and \"mail/out\".");
        }
        let what = format!("is the same place as {}: {}", earlier.key, later.place.display());
        return said(what, "Give each a place of its own.");
    }
    let (outer, inner) = match (later.place.starts_with(&earlier.place), earlier.place.starts_with(&later.place)) {
        (true, _) => (earlier, later),
        (_, true) => (later, earlier),
        _ => return None,
    };
    if outer.kind != Kind::Folder {
        let what = format!("lies below {}, which is a file: {}", outer.key, outer.place.display());
        return Some(Clash {
            keys: vec![inner.key, outer.key],
            what,
            cure: "Give each a place of its own.".to_owned(),
        });
    }
    let below = inner.place.strip_prefix(&outer.place).ok()?;
    let mail_is_looked_for = ["new", "cur", "tmp"].iter().any(|folder| below.starts_with(folder));
    let clashes = match outer.key {
        // Letters lie in new/ and cur/ of the one, and in a folder for each recipient in the other.
        "inbox.path" => mail_is_looked_for,
        "outbox.path" => inner.key == "templates",
        _ => false,
    };
    if is_pair("inbox.path", "outbox.path")
        && let Some(recipient) = recipient_of(below).filter(|_| outer.key == "outbox.path")
    {
        let what = format!(
            "lies in outbox.path, where the letters to {recipient} go, so that what we send would be read as mail to us"
        );
        let keys = vec![inner.key, outer.key];
        return Some(Clash { keys, what, cure: "Name two folders, as in \"mail/in\" and \"mail/out\".".to_owned() });
    }
    if !clashes {
        return None;
    }
    let what = format!("lies inside {}: {}", outer.key, outer.place.display());
    Some(Clash { keys: vec![inner.key, outer.key], what, cure: "Move it to a folder beside that one.".to_owned() })
}

/// Whose folder of the outbox a place is, or lies in.
fn recipient_of(below: &Path) -> Option<String> {
    let folder = below.components().next()?.as_os_str().to_str()?;
    read_address(folder).ok()
}

/// SQLite and the daemon keep files of their own beside the database.
fn beside_the_database(config: &Config, named: &Named) -> Option<Clash> {
    let taken = |ending: &&str| {
        let mut place = real(&config.database).into_os_string();
        place.push(ending);
        named.place == Path::new(&place)
    };
    let ending = ["-wal", "-shm", "-journal", ".lock"].into_iter().find(|ending| taken(ending))?;
    let what = format!("is where the database keeps its {ending} file");
    Some(Clash { keys: vec![named.key, "database"], what, cure: "Give it a name of its own.".to_owned() })
}

/// Where a path leads, links followed as far as the way is there; two names of one place are then the same.
fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    for existing in path.ancestors() {
        if let Ok(found) = existing.canonicalize() {
            return missing.iter().rev().fold(found, |place: PathBuf, part: &&std::ffi::OsStr| match part.to_str() {
                Some("..") => place.parent().map(Path::to_path_buf).unwrap_or_default(),
                _ => place.join(part),
            });
        }
        // `..` has no file name, and leads back.
        missing.push(existing.file_name().unwrap_or(std::ffi::OsStr::new("..")));
    }
    path.to_path_buf()
}
