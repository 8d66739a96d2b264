//! A visit to the sending server by hand, for `omerta init` and `omerta doctor`: a login without a letter, or with one.

use jiff::Timestamp;
use rustls::pki_types::CertificateDer;

use super::{Fault, Line, Meaning, Postman, SmtpSettings, cure, judge};
use crate::mail::link::{Outcome, Parcel, Trouble, TroubleKind};
use crate::mail::tls;

/// A server that took our login.
pub struct Visit {
    settings: SmtpSettings,
    line: Line,
}

impl Visit {
    /// Connects and logs in with the configured password.
    ///
    /// # Errors
    /// What stands in the way, and the likely cause.
    pub async fn open(settings: SmtpSettings) -> Result<Visit, Trouble> {
        let (news, _nobody_listens) = tokio::sync::mpsc::channel(1);
        let mut postman = Postman::new(settings.clone(), news);
        let opened = postman.open(false).await;
        match (opened, postman.line.take()) {
            (Ok(true), Some(line)) => Ok(Visit { settings, line }),
            (Err(fault), _) => Err(trouble(&settings, &fault)),
            _ => Err(told(&settings, TroubleKind::Unreachable, "the line was lost")),
        }
    }

    /// The certificates that the server showed, its own first; none without TLS.
    pub fn certificates(&self) -> &[CertificateDer<'static>] {
        &self.line.certificates
    }

    /// When the certificates end, if they are trusted now.
    pub fn trusted_until(&self, now: Timestamp) -> Option<Timestamp> {
        let server = &self.settings.server;
        tls::trusted_until(server.ca_file.as_deref(), &server.server, self.certificates(), now)
    }

    /// Hands a letter over.
    ///
    /// # Errors
    /// Why the server did not take it, or may not have.
    pub async fn send(&mut self, address: &str, bytes: Vec<u8>) -> Result<(), Trouble> {
        let parcel = Parcel { id: 0, address: address.to_owned(), bytes };
        let mut sent = self.line.offer(&self.settings.from, &parcel).await;
        if sent.is_ok() {
            sent = self.line.finish().await;
        }
        sent.map_err(|fault| trouble(&self.settings, &fault))
    }

    pub async fn close(self) {
        self.line.close().await;
    }
}

fn trouble(settings: &SmtpSettings, fault: &Fault) -> Trouble {
    let kind = match fault {
        Fault::Said { step, reply } => match reply.meaning(*step) {
            Meaning::LoginRefused => TroubleKind::LoginRefused,
            Meaning::Later | Meaning::Busy => TroubleKind::Unreachable,
            Meaning::Refused | Meaning::Blocked | Meaning::Unable => TroubleKind::Unable,
        },
        Fault::Lost { .. } => TroubleKind::Unreachable,
        Fault::Untrusted { .. } | Fault::NoTls { .. } => TroubleKind::Untrusted,
        Fault::NoPassword { .. } => TroubleKind::NoPassword,
        Fault::Unable { .. } | Fault::Unfit { .. } => TroubleKind::Unable,
    };
    let why = match judge(fault).0 {
        Outcome::Sent => String::new(),
        Outcome::Later { why }
        | Outcome::Unable { why }
        | Outcome::Refused { why }
        | Outcome::Unknown { why }
        | Outcome::Blocked { why } => why,
    };
    told(settings, kind, &why)
}

fn told(settings: &SmtpSettings, kind: TroubleKind, why: &str) -> Trouble {
    let server = &settings.server;
    let said = format!("outbox: {}:{}: {why}. {}", server.server, server.port, cure(kind));
    Trouble { kind, said }
}
