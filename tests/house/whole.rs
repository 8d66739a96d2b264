//! Files that a running daemon reads.

use std::path::Path;

/// In place of what is there, at one instant: nobody reads an empty or a half file.
pub fn put(path: &Path, text: &str) {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(&beside, path).unwrap();
}
