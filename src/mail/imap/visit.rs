//! A visit to a mailbox by hand, for `omerta init` and `omerta doctor`: logs in, looks round, finds a letter again and
//! takes it away. It reads no mail and keeps nothing.

use std::time::Duration;

use jiff::Timestamp;

use super::fault::{Fault, harmless};
use super::grammar::{Fetched, Said, quoted};
use super::line::Line;
use super::reader::list_folders;
use super::{ImapSettings, login, names, probe, read};
use crate::clock::Clock;
use crate::config::Secret;
use crate::mail::link::{Trouble, TroubleKind};
use crate::mail::tls;

/// A mailbox that is logged into.
pub struct Visit {
    settings: ImapSettings,
    line: Line,
}

/// A folder as the visit found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderFound {
    Letters(u32),
    /// In the server's words.
    Refused(String),
}

/// What a mailbox holds and may hold, in units of 1024 bytes (RFC 9208, STORAGE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    pub used: u64,
    pub limit: u64,
}

/// A letter of ours, found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundLetter {
    pub uid: u32,
    /// INTERNALDATE, in seconds since 1970.
    pub second: Option<i64>,
}

impl Visit {
    /// Connects and logs in; without a secret the configured password is read.
    ///
    /// # Errors
    /// What stands in the way, and the likely cause.
    pub async fn open(settings: ImapSettings, secret: Option<Secret>) -> Result<Visit, Trouble> {
        match Visit::try_open(&settings, secret).await {
            Ok(line) => Ok(Visit { settings, line }),
            Err(fault) => Err(trouble(&settings, &fault)),
        }
    }

    async fn try_open(settings: &ImapSettings, secret: Option<Secret>) -> Result<Line, Fault> {
        let unable = || Fault::Unable("the config names no login".to_owned());
        let login = settings.server.login.clone().ok_or_else(unable)?;
        let secret = match secret {
            Some(secret) => secret,
            None => login::secret(settings, &login).await?,
        };
        login::open(settings, &login, &secret).await
    }

    /// What the server can do: IDLE, MOVE, UIDPLUS, ...
    pub fn can(&self, capability: &str) -> bool {
        self.line.can(capability)
    }

    /// When the certificates end, if they are trusted now.
    pub fn trusted_until(&self, now: Timestamp) -> Option<Timestamp> {
        let server = &self.settings.server;
        tls::trusted_until(server.ca_file.as_deref(), &server.server, &self.line.certificates, now)
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// When the line breaks.
    pub async fn folder(&mut self, name: &str) -> Result<FolderFound, Trouble> {
        let found = read::select(&mut self.line, &names::to_wire(name)).await;
        let found = found.map_err(|fault| trouble(&self.settings, &fault))?;
        Ok(match found {
            Ok(selected) => FolderFound::Letters(selected.letters),
            Err(words) => FolderFound::Refused(harmless(&words, &self.settings.server)),
        })
    }

    /// The folder for junk, by its mark or its name.
    ///
    /// # Errors
    /// When the line breaks.
    pub async fn junk(&mut self) -> Result<Option<String>, Trouble> {
        let listed = list_folders(&mut self.line, "LIST \"\" \"*\"").await;
        let folders = listed.map_err(|fault| trouble(&self.settings, &fault))?;
        let junk = names::marked_junk(&folders).or_else(|| names::named_junk(&folders));
        Ok(junk.map(|folder| names::from_wire(&folder.name)))
    }

    /// Looks once for a letter with this Message-ID (without angle brackets) in a folder; None too when there is no such
    /// folder.
    ///
    /// # Errors
    /// When the line breaks.
    pub async fn find(&mut self, folder: &str, message_id: &str) -> Result<Option<FoundLetter>, Trouble> {
        let found = find(&mut self.line, folder, message_id).await;
        found.map_err(|fault| trouble(&self.settings, &fault))
    }

    /// Takes away a letter that [`Visit::find`] found in the folder that is open. True when it is gone; without UIDPLUS
    /// it is only marked, for a plain EXPUNGE would take others' letters too.
    ///
    /// # Errors
    /// When the line breaks.
    pub async fn remove(&mut self, uid: u32) -> Result<bool, Trouble> {
        let removed = remove(&mut self.line, uid).await;
        removed.map_err(|fault| trouble(&self.settings, &fault))
    }

    /// The mailbox's room; None when the server tells nothing of it.
    ///
    /// # Errors
    /// When the line breaks.
    pub async fn quota(&mut self) -> Result<Option<Quota>, Trouble> {
        if !self.line.can("QUOTA") {
            return Ok(None);
        }
        let mut found = None;
        let budget = self.line.simple("GETQUOTAROOT");
        let asked = self.line.command(budget, "GETQUOTAROOT INBOX", Vec::new(), |said| {
            if let Said::Quota { used, limit } = said {
                found = Some(Quota { used, limit });
            }
        });
        asked.await.map_err(|fault| trouble(&self.settings, &fault))?;
        Ok(found)
    }

    /// The server's clock less ours, in seconds, by a letter that is put into `done_folder` and taken away again; None
    /// when that can't be done.
    ///
    /// # Errors
    /// When the line breaks.
    pub async fn skew(&mut self, clock: &Clock) -> Result<Option<i64>, Trouble> {
        let looked = probe::look(&self.settings, clock, &mut self.line).await;
        looked.map_err(|fault| trouble(&self.settings, &fault))
    }

    pub async fn close(mut self) {
        // Nobody waits for the farewell.
        drop(tokio::time::timeout(Duration::from_secs(2), self.line.ask("LOGOUT", "LOGOUT")).await);
    }
}

/// How far a moment of the server is off: it lies between two moments of ours, or else by so many seconds beside them.
pub fn skew_between(before: Timestamp, after: Timestamp, taken: i64) -> i64 {
    probe::skew(before, after, taken)
}

async fn find(line: &mut Line, folder: &str, message_id: &str) -> Result<Option<FoundLetter>, Fault> {
    if read::select(line, &names::to_wire(folder)).await?.is_err() {
        return Ok(None);
    }
    let unable = || Fault::Unable("a Message-ID holds a line end".to_owned());
    let words = format!("UID SEARCH HEADER Message-ID {}", quoted(message_id).ok_or_else(unable)?);
    let mut uid = None;
    line.command(line.simple("SEARCH"), &words, Vec::new(), |said| {
        if let Said::Found(uids) = said {
            uid = uids.last().copied().or(uid);
        }
    })
    .await?;
    let Some(uid) = uid else { return Ok(None) };
    Ok(Some(FoundLetter { uid, second: internal_second(line, uid).await? }))
}

/// When the server took a letter of the open folder.
pub(super) async fn internal_second(line: &mut Line, uid: u32) -> Result<Option<i64>, Fault> {
    let mut taken = None;
    let words = format!("UID FETCH {uid} (UID INTERNALDATE)");
    line.command(line.simple("FETCH"), &words, Vec::new(), |said| {
        if let Said::Fetched(Fetched { uid: Some(found), second, .. }) = said
            && found == uid
        {
            taken = second.or(taken);
        }
    })
    .await?;
    Ok(taken)
}

async fn remove(line: &mut Line, uid: u32) -> Result<bool, Fault> {
    let marked = line.ask("STORE", &format!("UID STORE {uid} +FLAGS.SILENT (\\Seen \\Deleted)")).await?;
    if !marked.is_ok() || !line.can("UIDPLUS") {
        return Ok(false);
    }
    Ok(line.ask("EXPUNGE", &format!("UID EXPUNGE {uid}")).await?.is_ok())
}

fn trouble(settings: &ImapSettings, fault: &Fault) -> Trouble {
    let gone = || Trouble { kind: TroubleKind::Unreachable, said: "The mailbox is left.".to_owned() };
    fault.trouble(&settings.server).unwrap_or_else(gone)
}
