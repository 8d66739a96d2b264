//! The mail: logins, what the servers can do, certificates, clock, room, and a letter to ourselves and back.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::Rows;
use crate::cli::load::variable;
use crate::cli::trial::{Trial, places, with_tag};
use crate::clock::Clock;
use crate::config::{Config, InboxKind, OutboxKind};
use crate::mail::imap::visit::{FolderFound, Visit as ImapVisit};
use crate::mail::imap::{ImapSettings, Times};
use crate::mail::link::{Trouble, TroubleKind};
use crate::mail::smtp::visit::Visit as SmtpVisit;
use crate::mail::smtp::{Patience, SmtpSettings};
use crate::provider;

const STEP: Duration = Duration::from_secs(20);
const LETTER: Duration = Duration::from_secs(120);
const TAGGED_LETTER: Duration = Duration::from_secs(20);
/// Seconds by which the clocks may differ.
const SKEW: i64 = 5;
const LARGE_SKEW: i64 = 60;
/// A certificate that ends sooner is worth a word.
const SOON: SignedDuration = SignedDuration::from_hours(14 * 24);

pub(super) fn look(config: &Config, clock: &Clock, rows: &mut Rows) {
    let trial = match Trial::new() {
        Ok(trial) => trial,
        Err(error) => return rows.fault("mail", error.to_string(), "Look at the limits of this machine."),
    };
    let imap = match config.inbox.kind {
        InboxKind::Maildir => {
            maildir("inbox", config, &config.inbox.path, rows);
            None
        }
        InboxKind::Imap => imap(&trial, config, clock, rows),
    };
    let smtp = match config.outbox.kind {
        OutboxKind::Maildir => {
            maildir("outbox", config, &config.outbox.path, rows);
            None
        }
        OutboxKind::Sendmail => {
            sendmail(config, rows);
            None
        }
        OutboxKind::Smtp => smtp(&trial, config, clock, rows),
    };
    if let (Some(mut imap), Some(mut smtp)) = (imap, smtp) {
        if let Err(trouble) = round_trip(&trial, config, clock, &mut imap, &mut smtp, rows) {
            told("round trip", config, &trouble, rows);
        }
        trial.runtime.block_on(smtp.close());
        trial.runtime.block_on(imap.close());
    }
}

/// What stands in its place, or on the way there, was told of the config.
fn maildir(name: &'static str, config: &Config, path: &std::path::Path, rows: &mut Rows) {
    let key = format!("{name}.path");
    if config.faults_of_files(variable).iter().any(|fault| fault.key == key) {
        return;
    }
    let folder = path.ancestors().find(|folder| folder.exists()).unwrap_or(path);
    let writable = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK);
    match writable {
        Ok(()) if folder == path => rows.ok(name, format!("Maildir {}", path.display())),
        Ok(()) => rows.ok(name, format!("Maildir {} is not there yet; it is made at first use", path.display())),
        Err(error) => {
            let cure = format!("Let the user who runs omerta write into {}.", folder.display());
            rows.fault(name, format!("Maildir {}: {error}", path.display()), cure);
        }
    }
}

/// What is wrong with the program was told of the config.
fn sendmail(config: &Config, rows: &mut Rows) {
    if config.faults_of_files(variable).iter().all(|fault| fault.key != "outbox.command") {
        rows.ok("outbox", format!("the command {}", config.outbox.command.join(" ")));
    }
}

/// A trouble as a row; with a refused login, what the provider likely means by it.
fn told(name: &'static str, config: &Config, trouble: &Trouble, rows: &mut Rows) {
    let cure = match trouble.kind {
        TroubleKind::LoginRefused => provider::of_address(&config.outbox.from.address).refused.en,
        TroubleKind::Untrusted => {
            "With a server of your own name its authority by ca_file; else do not trust this network."
        }
        TroubleKind::NoPassword => "Look at the password key of that section.",
        TroubleKind::Unreachable => "Look at server, port and tls, and at the network.",
        TroubleKind::Unable => "Look at the section of that server in config.toml.",
    };
    rows.fault(name, trouble.said.clone(), cure);
}

fn imap(trial: &Trial, config: &Config, clock: &Clock, rows: &mut Rows) -> Option<ImapVisit> {
    let Some(mut settings) = ImapSettings::new(&config.inbox, config.security.max_message, variable) else {
        rows.fault("login imap", "[inbox] names no server with a login", "omerta check says what is missing.");
        return None;
    };
    settings.times = Times { step: STEP, ..settings.times };
    let place = format!("{}:{}", settings.server.server, settings.server.port);
    let mut visit = match trial.imap(settings, None) {
        Ok(visit) => visit,
        Err(trouble) => {
            told("login imap", config, &trouble, rows);
            return None;
        }
    };
    rows.ok("login imap", place);
    let tls = config.inbox.server.as_ref().is_some_and(|server| server.tls != crate::config::Tls::None);
    certificate("tls imap", tls, visit.trusted_until(clock.now()), clock.now(), rows);
    capabilities(&visit, rows);
    match examined(trial, config, clock, &mut visit, rows) {
        Ok(()) => Some(visit),
        Err(trouble) => {
            told("mailbox", config, &trouble, rows);
            None
        }
    }
}

fn certificate(name: &'static str, tls: bool, until: Option<Timestamp>, now: Timestamp, rows: &mut Rows) {
    match until {
        _ if !tls => rows.ok(name, "none (the server is on this machine)"),
        None => rows.warning(name, "trusted, but its end can't be told", "Look at the certificate by hand."),
        Some(until) => {
            let what = format!("trusted until {}", until.strftime("%Y-%m-%d"));
            if until.duration_since(now) < SOON {
                rows.warning(name, what, "Whoever runs the server must renew the certificate; then no mail flows.");
            } else {
                rows.ok(name, what);
            }
        }
    }
}

fn capabilities(visit: &ImapVisit, rows: &mut Rows) {
    let known = ["IDLE", "MOVE", "UIDPLUS", "QUOTA"];
    let has: Vec<&str> = known.into_iter().filter(|word| visit.can(word)).collect();
    rows.ok(
        "abilities",
        format!("the server has {}", if has.is_empty() { "no extras".to_owned() } else { has.join(", ") }),
    );
    if !visit.can("IDLE") {
        rows.warning(
            "idle",
            "the server does not tell of new letters",
            "Letters are found at each `poll`; keep it short.",
        );
    } else {
        rows.ok("idle", "new letters are told at once");
    }
    if !visit.can("MOVE") && !visit.can("UIDPLUS") {
        rows.warning(
            "filing",
            "letters can't be moved to done_folder",
            "They are only marked as seen; that is enough.",
        );
    }
}

fn examined(
    trial: &Trial,
    config: &Config,
    clock: &Clock,
    visit: &mut ImapVisit,
    rows: &mut Rows,
) -> Result<(), Trouble> {
    for folder in &config.inbox.folders {
        match trial.runtime.block_on(visit.folder(folder))? {
            FolderFound::Letters(letters) => rows.ok("folder", format!("{folder}: {letters} letters")),
            FolderFound::Refused(words) => {
                rows.fault(
                    "folder",
                    format!("{folder} can't be opened ({words})"),
                    "Make the folder, or mend inbox.folders.",
                );
            }
        }
    }
    match trial.runtime.block_on(visit.skew(clock))? {
        None => rows.warning("clock", "the server's clock can't be compared", "With a done_folder it can."),
        Some(seconds) => clocks(seconds, rows),
    }
    if let Some(quota) = trial.runtime.block_on(visit.quota())? {
        let what = format!("{} of {} MiB used", quota.used >> 10, quota.limit >> 10);
        if quota.used >= quota.limit {
            rows.fault("quota", what, "Delete letters: a full mailbox takes none.");
        } else if quota.used.saturating_mul(10) >= quota.limit.saturating_mul(9) {
            rows.warning("quota", what, "Delete letters soon: a full mailbox takes none.");
        } else {
            rows.ok("quota", what);
        }
    }
    Ok(())
}

fn clocks(seconds: i64, rows: &mut Rows) {
    let what = format!("the server's clock differs by {seconds} s");
    let cure = "Let this machine's clock be set by the network (timedatectl set-ntp true): deadlines are counted by the \
                server's.";
    if seconds.abs() > LARGE_SKEW {
        rows.fault("clock", what, cure);
    } else if seconds.abs() > SKEW {
        rows.warning("clock", what, cure);
    } else {
        rows.ok("clock", what);
    }
}

fn smtp(trial: &Trial, config: &Config, clock: &Clock, rows: &mut Rows) -> Option<SmtpVisit> {
    let mut settings = SmtpSettings::new(&config.outbox, variable)?;
    settings.patience = Patience { connect: STEP, reply: STEP, ..Patience::default() };
    let place = format!("{}:{}", settings.server.server, settings.server.port);
    let tls = settings.server.tls != crate::config::Tls::None;
    match trial.smtp(settings) {
        Ok(visit) => {
            rows.ok("login smtp", place);
            certificate("tls smtp", tls, visit.trusted_until(clock.now()), clock.now(), rows);
            Some(visit)
        }
        Err(trouble) => {
            told("login smtp", config, &trouble, rows);
            None
        }
    }
}

fn round_trip(
    trial: &Trial,
    config: &Config,
    clock: &Clock,
    imap: &mut ImapVisit,
    smtp: &mut SmtpVisit,
    rows: &mut Rows,
) -> Result<(), Trouble> {
    let from = &config.outbox.from;
    let places = places(trial, imap, &config.inbox.folders, config.inbox.done_folder.as_deref())?;
    let plain = trial.send(smtp, from, &from.address, config.language, clock)?;
    match trial.look_for(imap, &places, &plain, LETTER)? {
        None => {
            let cure = "Look for an error report in the mailbox, and whether its letters come into inbox.folders.";
            rows.fault("round trip", "a letter to ourselves did not come within two minutes", cure);
            return Ok(());
        }
        Some(back) => {
            let left = if back.removed { "" } else { " (it stays there, marked as deleted)" };
            let what = format!(
                "a letter to ourselves came into {} after {:.1} s{left}",
                back.folder,
                back.after.as_secs_f64()
            );
            if config.inbox.folders.contains(&back.folder) || config.inbox.done_folder.as_ref() == Some(&back.folder) {
                rows.ok("round trip", what);
            } else {
                rows.warning("round trip", what, "Our letters count as junk there: mark one of them as no spam.");
            }
        }
    }
    if !config.outbox.plus_addressing {
        return Ok(());
    }
    let tagged = trial.send(smtp, from, &with_tag(&from.address), config.language, clock);
    let back = match tagged {
        Ok(id) => trial.look_for(imap, &places, &id, TAGGED_LETTER)?,
        Err(_) => None,
    };
    match back {
        Some(_) => rows.ok("plus address", "letters to it come here"),
        None => {
            let cure = "Write plus_addressing = false, else players' answers are lost.";
            rows.fault("plus address", "a letter to our address with a + did not come", cure);
        }
    }
    Ok(())
}
