//! What lies sealed in the database: forum passwords, and the letters that tell one until they have left. The key lies in
//! a file of its own, so that a stolen database or backup tells none of it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::config::{LONGEST_SECRET, key_in, read_plain};
use crate::dice;

/// What is sealed begins with this; no letter does.
const MARK: &[u8] = b"\0omerta sealed 1\0";

/// Why something sealed can't be made or read. It tells the path and nothing else.
#[derive(Debug, thiserror::Error)]
pub enum VaultFault {
    #[error(
        "the key file {path} is gone, and without it the forum passwords can't be read. Put it back from a backup."
    )]
    Lost { path: String },
    #[error("the key file {path} can't be read or written: {error}. See to its folder and its rights.")]
    File { path: String, error: io::Error },
    #[error("the key file {path} does not hold a key of 64 hex digits. Put the right one back from a backup.")]
    NoKey { path: String },
    #[error(
        "the key in {path} is not the one that the forum passwords were sealed with. Put the right one back from a backup."
    )]
    OtherKey { path: String },
    #[error("the system has no source of randomness: {0}")]
    Dice(#[from] getrandom::Error),
}

/// The key, read for one piece of work.
pub(super) struct Vault {
    key: [u8; 32],
    path: String,
}

impl Vault {
    /// # Errors
    /// When the file is gone, can't be read, or holds no key.
    pub fn open(path: &Path) -> Result<Vault, VaultFault> {
        let shown = path.display().to_string();
        let bytes = match read_plain(path, LONGEST_SECRET) {
            Ok(bytes) => bytes,
            Err(fault) if fault.is_missing() => return Err(VaultFault::Lost { path: shown }),
            Err(fault) => return Err(VaultFault::File { path: shown, error: fault.into() }),
        };
        match key_in(&bytes) {
            Some(key) => Ok(Vault { key, path: shown }),
            None => Err(VaultFault::NoKey { path: shown }),
        }
    }

    /// Makes the file where there is none; its owner alone may read it.
    ///
    /// # Errors
    /// When it can't be written, or what lies there is no key.
    pub fn open_or_make(path: &Path) -> Result<Vault, VaultFault> {
        match Vault::open(path) {
            Err(VaultFault::Lost { .. }) => {}
            known => return known,
        }
        let key = dice::random_32()?;
        let make = || -> io::Result<()> {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
            file.write_all(format!("{}\n", data_encoding::HEXLOWER.encode(&key)).as_bytes())?;
            file.sync_all()
        };
        let path = path.display().to_string();
        match make() {
            Ok(()) => Ok(Vault { key, path }),
            Err(error) => Err(VaultFault::File { path, error }),
        }
    }

    /// `about` must be the same when it is opened: what belongs to one account opens for no other.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn seal(&self, about: &str, plain: &[u8]) -> Result<Vec<u8>, VaultFault> {
        let mut nonce = [0u8; NONCE_LEN];
        for (to, from) in nonce.iter_mut().zip(dice::random_32()?) {
            *to = from;
        }
        let mut sealed = plain.to_vec();
        let key = self.cipher().ok_or_else(|| VaultFault::NoKey { path: self.path.clone() })?;
        let done = key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(about), &mut sealed);
        done.map_err(|_| VaultFault::NoKey { path: self.path.clone() })?;
        Ok([MARK, &nonce, &sealed].concat())
    }

    /// # Errors
    /// When it was sealed with another key, or about something else.
    pub fn unseal(&self, about: &str, sealed: &[u8]) -> Result<Vec<u8>, VaultFault> {
        let other = || VaultFault::OtherKey { path: self.path.clone() };
        let (nonce, rest) =
            sealed.strip_prefix(MARK).and_then(<[u8]>::split_first_chunk::<NONCE_LEN>).ok_or_else(other)?;
        let mut plain = rest.to_vec();
        let key = self.cipher().ok_or_else(other)?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let length = key.open_in_place(nonce, Aad::from(about), &mut plain).map_err(|_| other())?.len();
        plain.resize(length, 0);
        Ok(plain)
    }

    fn cipher(&self) -> Option<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, &self.key).ok().map(LessSafeKey::new)
    }
}

/// Whether bytes of the outbox are sealed.
pub(super) fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_own_key_and_about_its_own_thing() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one.key"), folder.path().join("other.key"));
        assert!(matches!(Vault::open(&one), Err(VaultFault::Lost { .. })));
        let vault = Vault::open_or_make(&one).unwrap();
        let sealed = vault.seal("palermo/3", "пароль".as_bytes()).unwrap();
        assert!(is_sealed(&sealed) && !String::from_utf8_lossy(&sealed).contains("пароль"));
        assert_ne!(sealed, vault.seal("palermo/3", "пароль".as_bytes()).unwrap());
        let again = Vault::open(&one).unwrap();
        assert_eq!(again.unseal("palermo/3", &sealed).unwrap(), "пароль".as_bytes());
        assert!(again.unseal("palermo/4", &sealed).is_err());
        let wrong = Vault::open_or_make(&other).unwrap();
        assert!(matches!(wrong.unseal("palermo/3", &sealed), Err(VaultFault::OtherKey { .. })));
        let mut bent = sealed;
        *bent.last_mut().unwrap() ^= 1;
        assert!(vault.unseal("palermo/3", &bent).is_err() && vault.unseal("palermo/3", b"").is_err());
        std::fs::write(&one, "no key").unwrap();
        assert!(matches!(Vault::open_or_make(&one), Err(VaultFault::NoKey { .. })));
    }
}
