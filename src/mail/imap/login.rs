//! From nothing to a line that is logged in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use data_encoding::BASE64;
use rustls::pki_types::ServerName;
use tokio::io::BufReader;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::ImapSettings;
use super::fault::Fault;
use super::grammar::{Status, StatusKind, quoted};
use super::line::{Line, Stream};
use crate::config::{Login, Secret, Server, Tls};
use crate::failpoint::{self, Point};
use crate::mail::tls;

/// Connects and logs in with this password or token.
pub(super) async fn open(settings: &ImapSettings, login: &Login, secret: &Secret) -> Result<Line, Fault> {
    let mut line = connect(&settings.server, settings.times.step).await?;
    failpoint::pass(Point::ImapGreeted);
    // What was said before the login, and before TLS, is not what may be done after it.
    log_in(&mut line, login, secret).await?;
    failpoint::pass(Point::ImapLoggedIn);
    line.capabilities.clear();
    let status = line.ask("CAPABILITY", "CAPABILITY").await?;
    if !status.is_ok() || line.capabilities.is_empty() {
        return Err(Fault::Unable("it does not say what it can do (CAPABILITY)".to_owned()));
    }
    Ok(line)
}

/// The password at this moment. Files and commands may be slow: not on this thread.
pub(super) async fn secret(settings: &ImapSettings, login: &Login) -> Result<Secret, Fault> {
    let (password, variable) = (login.password.clone(), settings.variable);
    let reading = spawn_blocking(move || password.read(variable));
    match timeout(settings.times.step, reading).await {
        Ok(Ok(read)) => read.map_err(|fault| Fault::Password(fault.to_string())),
        Ok(Err(_)) | Err(_) => {
            Err(Fault::Password(format!("{}: it gave no password in time. Try it in a shell.", login.password.key())))
        }
    }
}

async fn connect(server: &Server, step: Duration) -> Result<Line, Fault> {
    let stream = reach(server, step).await?;
    failpoint::pass(Point::ImapConnected);
    match server.tls {
        Tls::Implicit => {
            let mut line = encrypt(Box::new(stream), server, step).await?;
            failpoint::pass(Point::ImapSecured);
            greet(&mut line).await?;
            Ok(line)
        }
        Tls::None => {
            let mut line = Line::new(Box::new(stream), step);
            greet(&mut line).await?;
            Ok(line)
        }
        Tls::Starttls => {
            let mut line = Line::new(Box::new(stream), step);
            greet(&mut line).await?;
            let status = line.ask("STARTTLS", "STARTTLS").await?;
            if !status.is_ok() {
                return Err(Fault::Unable(format!("it refuses STARTTLS ({}); try tls = \"implicit\"", status.text)));
            }
            encrypt(line.into_stream(), server, step).await
        }
    }
}

/// Bytes.
const READ_AT_ONCE: usize = 64 * 1024;

/// Tries every address of the server: where IPv6 leads nowhere, IPv4 may be well.
async fn reach(server: &Server, step: Duration) -> Result<TcpStream, Fault> {
    let looking = lookup_host((host_of(server), server.port));
    let found = timeout(step, looking).await.map_err(|_| Fault::Silent("the look-up of its name"))?;
    let addresses: Vec<SocketAddr> = found.map_err(Fault::Connect)?.collect();
    // The config has it so, and yet a name may point elsewhere by now: no password leaves this machine in the clear.
    if server.tls == Tls::None && addresses.iter().any(|address| !address.ip().is_loopback()) {
        return Err(Fault::Unable("tls = \"none\" is for a server on this machine only".to_owned()));
    }
    let share = step / u32::try_from(addresses.len().max(1)).unwrap_or(u32::MAX);
    let mut fault = Fault::Silent("the look-up of its name");
    for address in addresses {
        match timeout(share, TcpStream::connect(address)).await {
            Err(_) => fault = Fault::Silent("the connection"),
            Ok(Err(error)) => fault = Fault::Connect(error),
            Ok(Ok(stream)) => {
                stream.set_nodelay(true).map_err(Fault::Connect)?;
                return Ok(stream);
            }
        }
    }
    Err(fault)
}

/// An IPv6 address may stand in brackets.
fn host_of(server: &Server) -> &str {
    server.server.trim_start_matches('[').trim_end_matches(']')
}

async fn greet(line: &mut Line) -> Result<(), Fault> {
    let status = line.greeting().await?;
    match status.kind {
        StatusKind::Ok => Ok(()),
        // Whoever stands between us and the server could say this to keep TLS away.
        StatusKind::PreAuth => Err(Fault::Unable("it lets in without a login (PREAUTH)".to_owned())),
        StatusKind::No | StatusKind::Bad | StatusKind::Bye => Err(Fault::Bye(status.text)),
    }
}

async fn encrypt(stream: Box<dyn Stream>, server: &Server, step: Duration) -> Result<Line, Fault> {
    let ca_file: Option<PathBuf> = server.ca_file.clone();
    let config = spawn_blocking(move || tls::client_config(ca_file.as_deref()));
    let config = config.await.map_err(|_| Fault::Silent("the trust roots"))?.map_err(Fault::Tls)?;
    let name = ServerName::try_from(host_of(server).to_owned())
        .map_err(|_| Fault::Unable("its name in the config is no host name".to_owned()))?;
    // TLS asks for 4 KiB at a time; the system is asked for more at once.
    let stream = BufReader::with_capacity(READ_AT_ONCE, stream);
    let shaking = TlsConnector::from(config).connect(name, stream);
    match timeout(step, shaking).await {
        Err(_) => Err(Fault::Silent("the TLS handshake")),
        Ok(Ok(stream)) => {
            let certificates = tls::shown(stream.get_ref().1);
            let mut line = Line::new(Box::new(stream), step);
            line.certificates = certificates;
            Ok(line)
        }
        Ok(Err(error)) => Err(tls::distrust(&error).map_or(Fault::Connect(error), Fault::Untrusted)),
    }
}

async fn log_in(line: &mut Line, login: &Login, secret: &Secret) -> Result<(), Fault> {
    let (user, password) = (login.user.as_str(), secret.reveal());
    let (words, parts) = if login.password.is_token() {
        let answer = format!("user={user}\u{1}auth=Bearer {password}\u{1}\u{1}");
        ("AUTHENTICATE XOAUTH2".to_owned(), vec![BASE64.encode(answer.as_bytes()).into_bytes()])
    } else if line.can("AUTH=PLAIN") {
        let answer = format!("\0{user}\0{password}");
        ("AUTHENTICATE PLAIN".to_owned(), vec![BASE64.encode(answer.as_bytes()).into_bytes()])
    } else {
        let unable = || Fault::Unable("user or password hold a line end".to_owned());
        (format!("LOGIN {} {}", quoted(user).ok_or_else(unable)?, quoted(password).ok_or_else(unable)?), Vec::new())
    };
    let status = line.command(line.simple("the login"), &words, parts, |_| {}).await?;
    if status.is_ok() {
        Ok(())
    } else if is_passing(&status) {
        Err(Fault::Bye(status.text))
    } else {
        Err(Fault::LoginRefused(status.text))
    }
}

/// A refusal that says nothing about the password (RFC 5530; Gmail and Yandex say it in words).
fn is_passing(status: &Status) -> bool {
    const WORDS: [&str; 5] = ["too many", "simultaneous", "try again later", "temporar", "unavailable"];
    let text = status.text.to_lowercase();
    ["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG"].iter().any(|code| status.has_code(code))
        || (!status.has_code("AUTHENTICATIONFAILED") && WORDS.iter().any(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command would wait for the delayed acknowledgement of the one before.
    #[tokio::test]
    async fn what_is_said_leaves_at_once() {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { server: "127.0.0.1".to_owned(), port, tls: Tls::None, ca_file: None, login: None };
        assert!(reach(&server, Duration::from_secs(10)).await.unwrap().nodelay().unwrap());
    }

    #[test]
    fn a_busy_server_is_no_refused_password() {
        let status = |code: &[&str], text: &str| Status {
            tag: None,
            kind: StatusKind::No,
            code: code.iter().map(|word| (*word).to_owned()).collect(),
            text: text.to_owned(),
        };
        assert!(is_passing(&status(&["UNAVAILABLE"], "")));
        assert!(is_passing(&status(&["ALERT"], "Too many simultaneous connections. (Failure)")));
        assert!(!is_passing(&status(&["AUTHENTICATIONFAILED"], "invalid credentials or IMAP is temporarily disabled")));
        assert!(!is_passing(&status(&["ALERT"], "Application-specific password required")));
    }
}
