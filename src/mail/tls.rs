//! TLS to a mail server: whom to trust, and what to say when a server is not trusted.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::crypto::ring;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore};

use crate::config::{LONGEST_BUNDLE, PlainFault, read_plain};

/// Why there is no TLS. Each says the cure.
#[derive(Debug, thiserror::Error)]
pub enum TlsFault {
    #[error("ca_file: {path} {error}. It must be a PEM file that the user who runs omerta may read.")]
    NoFile { path: String, error: PlainFault },
    #[error("ca_file: {path} is no PEM file: {error}. Its certificates begin with -----BEGIN CERTIFICATE-----.")]
    NoPem { path: String, error: PemError },
    #[error("ca_file: {path} holds no certificate. It must be a PEM file: -----BEGIN CERTIFICATE-----.")]
    Empty { path: String },
    #[error("ca_file: a certificate in {path} is no trust root: {error}. Take the certificate of the authority.")]
    NoRoot { path: String, error: rustls::Error },
    #[error(
        "this system trusts no certificate authority. Install its bundle (Debian: apt install ca-certificates), or \
         name the server's own authority by ca_file."
    )]
    NoRoots,
    #[error("TLS cannot be set up: {0}")]
    Protocol(#[from] rustls::Error),
}

/// Trusts what the system trusts, and the certificates of `ca_file`. Reads files: a changed bundle works at the next
/// connection.
///
/// # Errors
/// When `ca_file` can't be used, or nothing at all is trusted.
pub fn client_config(ca_file: Option<&Path>) -> Result<Arc<ClientConfig>, TlsFault> {
    let roots = roots(ca_file)?;
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// When a handshake failed because the server's certificate is not trusted: why, and the cure. None when it failed for
/// another reason.
pub fn distrust(error: &io::Error) -> Option<String> {
    distrusted(error.get_ref()?.downcast_ref::<rustls::Error>()?)
}

/// The same of TLS's own error.
pub fn distrusted(error: &rustls::Error) -> Option<String> {
    let rustls::Error::InvalidCertificate(why) = error else { return None };
    Some(match why {
        CertificateError::UnknownIssuer => {
            "its authority is unknown here. If it is your own server, name its CA by ca_file".to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "it has expired. Renew it, and look at this machine's clock".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet. Look at this machine's clock".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another name. Write the name from the certificate into server".to_owned()
        }
        other => format!("{other:?}"),
    })
}

/// The certificates that a server showed, its own first.
pub fn shown(connection: &ClientConnection) -> Vec<CertificateDer<'static>> {
    connection
        .peer_certificates()
        .map(|shown| shown.iter().map(|one| one.clone().into_owned()).collect())
        .unwrap_or_default()
}

/// Until when a server's certificates would be trusted, in seconds since 1970: the earliest end in the chain. The
/// verifier is asked as if it were later, again and again; None when it does not trust them now, or for longer than a
/// life.
pub fn trusted_until(
    ca_file: Option<&Path>,
    server: &str,
    shown: &[CertificateDer<'_>],
    now: Timestamp,
) -> Option<Timestamp> {
    const LONG: i64 = 100 * 366 * 24 * 3600;
    const LONGEST_CHAIN: usize = 16;
    let roots = Arc::new(roots(ca_file).ok()?);
    let verifier =
        WebPkiServerVerifier::builder_with_provider(roots, Arc::new(ring::default_provider())).build().ok()?;
    let name = ServerName::try_from(server.trim_start_matches('[').trim_end_matches(']').to_owned()).ok()?;
    let (own, others) = shown.split_first()?;
    let at = |second: i64| {
        let moment = UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(second).unwrap_or_default()));
        verifier.verify_server_cert(own, others, &name, &[], moment)
    };
    let mut end = now.as_second().checked_add(LONG)?;
    for _ in 0..LONGEST_CHAIN {
        match at(end) {
            Ok(_) => return Timestamp::from_second(end).ok().filter(|end| *end > now),
            Err(rustls::Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
                let not_after = i64::try_from(not_after.as_secs()).ok()?;
                if not_after >= end || not_after < now.as_second() {
                    return None;
                }
                end = not_after;
            }
            Err(_) => return None,
        }
    }
    None
}

/// The certificates of the authorities that this system trusts, as they are at this moment.
pub fn system_roots() -> Vec<CertificateDer<'static>> {
    rustls_native_certs::load_native_certs().certs
}

fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, TlsFault> {
    let mut roots = RootCertStore::empty();
    // A bundle of the system may hold relics that nobody can read: the others are good.
    roots.add_parsable_certificates(system_roots());
    if let Some(file) = ca_file {
        add_roots(&mut roots, file)?;
    }
    if roots.is_empty() { Err(TlsFault::NoRoots) } else { Ok(roots) }
}

fn add_roots(roots: &mut RootCertStore, file: &Path) -> Result<(), TlsFault> {
    let path = file.display().to_string();
    let pem = read_plain(file, LONGEST_BUNDLE).map_err(|error| TlsFault::NoFile { path: path.clone(), error })?;
    let mut found = 0_usize;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| TlsFault::NoPem { path: path.clone(), error })?;
        roots.add(certificate).map_err(|error| TlsFault::NoRoot { path: path.clone(), error })?;
        found += 1;
    }
    if found == 0 { Err(TlsFault::Empty { path }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_ca_file_is_told_with_its_cure() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        let said = |file: &Path| client_config(Some(file)).unwrap_err().to_string();
        assert!(said(&file).contains("cannot be read"), "{}", said(&file));
        std::fs::write(&file, "no certificate\n").unwrap();
        assert!(said(&file).contains("holds no certificate"), "{}", said(&file));
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(said(&file).contains("is no trust root"), "{}", said(&file));
    }
}
