//! Trying the mail for real, for `init` and `doctor`: logins, and a letter to ourselves that is looked for, found and
//! taken away.

use std::io;
use std::time::Duration;

use data_encoding::HEXLOWER;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::config::{Mailbox, Secret};
use crate::dice;
use crate::letters::Lang;
use crate::mail::imap::ImapSettings;
use crate::mail::imap::visit::{FoundLetter, Visit as ImapVisit};
use crate::mail::link::{Trouble, TroubleKind};
use crate::mail::smtp::SmtpSettings;
use crate::mail::smtp::visit::Visit as SmtpVisit;
use crate::mail::{AutoSubmitted, Outgoing, write};

/// How often the mailbox is looked into.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// The runtime under a trial.
pub struct Trial {
    pub runtime: Runtime,
}

/// A letter to ourselves that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    pub folder: String,
    pub after: Duration,
    /// The second in which the server took it (INTERNALDATE).
    pub second: Option<i64>,
    /// Whether it could be taken away again.
    pub removed: bool,
}

impl Trial {
    /// # Errors
    /// When the system gives no runtime.
    pub fn new() -> io::Result<Trial> {
        Ok(Trial { runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()? })
    }

    /// # Errors
    /// What stands in the way.
    pub fn imap(&self, settings: ImapSettings, secret: Option<Secret>) -> Result<ImapVisit, Trouble> {
        self.runtime.block_on(ImapVisit::open(settings, secret))
    }

    /// # Errors
    /// What stands in the way.
    pub fn smtp(&self, settings: SmtpSettings) -> Result<SmtpVisit, Trouble> {
        self.runtime.block_on(SmtpVisit::open(settings))
    }

    /// Sends a letter to ourselves and returns its Message-ID.
    ///
    /// # Errors
    /// When it can't be written or is not taken.
    pub fn send(
        &self,
        smtp: &mut SmtpVisit,
        from: &Mailbox,
        to: &str,
        lang: Lang,
        clock: &Clock,
    ) -> Result<String, Trouble> {
        let unable = |said: String| Trouble { kind: TroubleKind::Unable, said };
        let random = dice::random_32().map_err(|error| unable(error.to_string()))?;
        let random: Vec<u8> = random.into_iter().take(12).collect();
        let domain = from.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
        let id = format!("omerta-test-{}@{domain}", HEXLOWER.encode(&random));
        let bytes = write::write(&letter(from, to, &id, lang, clock)).map_err(|fault| unable(fault.to_string()))?;
        self.runtime.block_on(smtp.send(to, bytes))?;
        Ok(id)
    }

    /// Waits for a letter, in any of the folders, and takes it away. None when the time is over.
    ///
    /// # Errors
    /// When the line to the mailbox breaks.
    pub fn look_for(
        &self,
        imap: &mut ImapVisit,
        folders: &[String],
        id: &str,
        patience: Duration,
    ) -> Result<Option<Returned>, Trouble> {
        let begun = Instant::now();
        loop {
            for folder in folders {
                if let Some(FoundLetter { uid, second }) = self.runtime.block_on(imap.find(folder, id))? {
                    let after = begun.elapsed();
                    let removed = self.runtime.block_on(imap.remove(uid))?;
                    return Ok(Some(Returned { folder: folder.clone(), after, second, removed }));
                }
            }
            if begun.elapsed() >= patience {
                return Ok(None);
            }
            let pause = {
                let _on_the_runtime = self.runtime.enter();
                tokio::time::sleep(LOOK_AGAIN)
            };
            self.runtime.block_on(pause);
        }
    }
}

/// The folders in which a letter may turn up: those that are read, the one for junk, and where a running daemon puts
/// what it has read.
///
/// # Errors
/// When the line to the mailbox breaks.
pub fn places(
    trial: &Trial,
    imap: &mut ImapVisit,
    folders: &[String],
    done_folder: Option<&str>,
) -> Result<Vec<String>, Trouble> {
    let junk = trial.runtime.block_on(imap.junk())?;
    let mut places = folders.to_vec();
    for more in junk.into_iter().chain(done_folder.map(str::to_owned)) {
        if !places.contains(&more) {
            places.push(more);
        }
    }
    Ok(places)
}

/// The address with a tag, as letters of a game have it in Reply-To.
pub fn with_tag(address: &str) -> String {
    match address.split_once('@') {
        Some((local, domain)) => format!("{local}+omerta-test@{domain}"),
        None => address.to_owned(),
    }
}

fn letter(from: &Mailbox, to: &str, id: &str, lang: Lang, clock: &Clock) -> Outgoing {
    let (subject, text) = match lang {
        Lang::Ru => ("omerta: проверка почты", "Это пробное письмо программы omerta самой себе. Его можно удалить.\n"),
        Lang::En => {
            ("omerta: a test letter", "This is a letter of omerta to itself, to try the mail. It may be deleted.\n")
        }
    };
    Outgoing {
        from: from.to_string(),
        to: to.to_owned(),
        reply_to: None,
        message_id: id.to_owned(),
        in_reply_to: None,
        references: Vec::new(),
        date: clock.now(),
        subject: subject.to_owned(),
        text: text.to_owned(),
        attachments: Vec::new(),
        pictures: Vec::new(),
        kind: "test".to_owned(),
        game: None,
        turn: 0,
        auto: AutoSubmitted::Generated,
        extra: Vec::new(),
    }
}
