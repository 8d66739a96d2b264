//! The files of a new set-up, all or none: each is written whole beside its place and then takes it, the config last.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::config::Secret;

/// What is to be written.
pub struct Files<'a> {
    pub config: &'a Path,
    pub text: &'a str,
    /// Beside the config, each 0600.
    pub secrets: Vec<(PathBuf, Secret)>,
    /// What is there already is kept as `NAME.bak`, `NAME.bak1` and so on; without it nothing is ever overwritten.
    pub force: bool,
}

/// The name under which an older file is kept, the first that nothing has: what was kept before stays.
pub fn backup_of(path: &Path) -> PathBuf {
    let named = |ending: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut backup = named(".bak".to_owned());
    let mut number = 0_u64;
    while backup.symlink_metadata().is_ok() {
        number = number.saturating_add(1);
        backup = named(format!(".bak{number}"));
    }
    backup
}

/// Writes all of them.
///
/// # Errors
/// When one can't be written; then everything is as it was.
pub fn save(files: &Files<'_>) -> io::Result<()> {
    let folder = files.config.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut ready = Vec::new();
    for (path, secret) in &files.secrets {
        ready.push((path.as_path(), written(folder, format!("{}\n", secret.reveal()).as_bytes())?));
    }
    ready.push((files.config, written(folder, files.text.as_bytes())?));
    let mut undo = Undo::default();
    for (path, file) in ready {
        if files.force && path.symlink_metadata().is_ok() {
            let backup = backup_of(path);
            std::fs::rename(path, &backup)?;
            undo.moved.push((backup, path.to_path_buf()));
        }
        file.persist_noclobber(path).map_err(|error| error.error)?;
        undo.made.push(path.to_path_buf());
    }
    std::fs::File::open(folder)?.sync_all()?;
    undo.made.clear();
    undo.moved.clear();
    Ok(())
}

/// A file of mode 0600 that goes away by itself unless it takes its place.
fn written(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(".omerta-init-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// What is undone when a later step fails.
#[derive(Default)]
struct Undo {
    made: Vec<PathBuf>,
    /// Where it lies now, and where it lay.
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Drop for Undo {
    fn drop(&mut self) {
        // The first fault is the one that is told.
        for path in &self.made {
            let _ = std::fs::remove_file(path);
        }
        for (now, before) in &self.moved {
            let _ = std::fs::rename(now, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let (config, secret) = (folder.path().join("config.toml"), folder.path().join("mail.secret"));
        let files = |force| Files {
            config: &config,
            text: "new",
            secrets: vec![(secret.clone(), Secret::new("hunter2"))],
            force,
        };
        std::fs::write(&config, "old").unwrap();
        save(&files(false)).unwrap_err();
        assert_eq!(names(folder.path()), ["config.toml"]);
        assert_eq!(std::fs::read_to_string(&config).unwrap(), "old");
        save(&files(true)).unwrap();
        assert_eq!(names(folder.path()), ["config.toml", "config.toml.bak", "mail.secret"]);
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "hunter2\n");
        for path in [&config, &secret] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(std::fs::read_to_string(folder.path().join("config.toml.bak")).unwrap(), "old");
    }

    #[test]
    fn a_fault_in_the_middle_brings_the_old_files_back() {
        let folder = tempfile::tempdir().unwrap();
        let (config, secret) = (folder.path().join("config.toml"), folder.path().join("mail.secret"));
        std::fs::write(&secret, "old").unwrap();
        // A secret in a folder that is not there comes behind one that took its place.
        std::fs::write(&config, "old").unwrap();
        let nowhere = folder.path().join("nowhere/word.secret");
        let secrets = vec![(secret.clone(), Secret::new("new")), (nowhere, Secret::new("new"))];
        save(&Files { config: &config, text: "new", secrets, force: true }).unwrap_err();
        assert_eq!(std::fs::read_to_string(&config).unwrap(), "old");
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "old");
        assert_eq!(names(folder.path()), ["config.toml", "mail.secret"]);
    }

    #[test]
    fn what_was_kept_before_stays() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        std::fs::write(&config, "mine").unwrap();
        // Nothing at the end of it, and a name all the same.
        std::os::unix::fs::symlink("nowhere", folder.path().join("config.toml.bak2")).unwrap();
        for text in ["first", "second", "third"] {
            save(&Files { config: &config, text, secrets: Vec::new(), force: true }).unwrap();
        }
        let kept = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            ["config.toml.bak", "config.toml.bak1", "config.toml.bak3", "config.toml"].map(kept),
            ["mine", "first", "second", "third"]
        );
    }
}
