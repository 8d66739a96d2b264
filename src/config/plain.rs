//! Files that somebody wrote for us, read so that nothing holds us up: plain files, and none without bound.

use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// A password or a proof word with room to spare, in bytes.
pub const LONGEST_SECRET: u64 = 64 << 10;
/// Ten times what the authorities of a whole system take, in bytes.
pub const LONGEST_BUNDLE: u64 = 4 << 20;

/// Why a file is not read: what follows its name in a sentence.
#[derive(Debug, thiserror::Error)]
pub enum PlainFault {
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("is {0}, and a plain file is wanted")]
    Kind(&'static str),
    #[error("is larger than the {0} KiB that it may have")]
    Large(u64),
}

impl PlainFault {
    pub fn is_missing(&self) -> bool {
        matches!(self, PlainFault::Unreadable(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Another user may read it.
    pub fn is_closed(&self) -> bool {
        matches!(self, PlainFault::Unreadable(error) if error.kind() == io::ErrorKind::PermissionDenied)
    }
}

impl From<PlainFault> for io::Error {
    fn from(fault: PlainFault) -> io::Error {
        match fault {
            PlainFault::Unreadable(error) => error,
            other => io::Error::other(format!("it {other}")),
        }
    }
}

/// All of a plain file, or of one to which a link leads; at most `most` bytes. It never waits for another program, as
/// reading a pipe would.
///
/// # Errors
/// When it can't be read, is none, or is larger.
pub fn read_plain(path: &Path, most: u64) -> Result<Vec<u8>, PlainFault> {
    // Opening alone may do something to a device.
    check_kind(&std::fs::metadata(path).map_err(PlainFault::Unreadable)?)?;
    // Another file may stand there by now.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| PlainFault::Unreadable(error.into()))?;
    let file = File::from(opened);
    check_kind(&file.metadata().map_err(PlainFault::Unreadable)?)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(PlainFault::Unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
        Ok(bytes)
    } else {
        Err(PlainFault::Large(most >> 10))
    }
}

/// What a command line names to be read: a file, a device, or what the shell hands in (`-`, `/dev/stdin`, `<(...)`), which is
/// waited for. A pipe that lies in a folder is not: nobody may ever write into it.
///
/// # Errors
/// When it can't be opened, or is a folder, a socket, or such a pipe.
pub fn open_named(path: &Path) -> Result<Box<dyn Read>, PlainFault> {
    // Opened by its name, a pipe on the standard input would wait for another writer.
    if ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|input| path == Path::new(input)) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let kind = std::fs::metadata(path).map_err(PlainFault::Unreadable)?.file_type();
    let lies_in_a_folder =
        || !["/dev", "/proc"].iter().any(|ours| path.starts_with(ours)) && path.canonicalize().is_ok();
    if kind.is_dir() || kind.is_socket() || kind.is_fifo() && lies_in_a_folder() {
        return Err(PlainFault::Kind(name_of(kind)));
    }
    Ok(Box::new(File::open(path).map_err(PlainFault::Unreadable)?))
}

fn check_kind(about: &Metadata) -> Result<(), PlainFault> {
    let kind = about.file_type();
    if kind.is_file() { Ok(()) } else { Err(PlainFault::Kind(name_of(kind))) }
}

/// What stands at a place.
pub(super) fn name_of(kind: FileType) -> &'static str {
    if kind.is_file() {
        "a plain file"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_file_of_its_size_is_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("word"), "palermo-42").unwrap();
        std::os::unix::fs::symlink("word", at("link")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for name in ["word", "link"] {
            assert_eq!(read_plain(&at(name), 10).unwrap(), b"palermo-42");
        }
        assert!(matches!(read_plain(&at("word"), 9), Err(PlainFault::Large(_))));
        for (path, kind) in [
            (at("folder"), "a folder"),
            (at("pipe"), "a pipe"),
            (at("socket"), "a socket"),
            ("/dev/zero".into(), "a device"),
        ] {
            let fault = read_plain(&path, 1 << 20).unwrap_err();
            assert_eq!(fault.to_string(), format!("is {kind}, and a plain file is wanted"));
        }
        assert!(read_plain(&at("nowhere"), 9).unwrap_err().is_missing());
        assert!(!read_plain(&at("pipe"), 9).unwrap_err().is_missing());
    }
}
