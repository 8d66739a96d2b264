//! One open line to the server: connecting, TLS, login, and one letter after the other. Every step has its time-out; a
//! line on which a step was lost is not used again.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Mechanism;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset, Starttls};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;
use rustls::ClientConfig;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::bytes::on_the_wire;
use super::reply::{Meaning, Reply, Step};
use super::wire::Wire;
use super::{Patience, SmtpSettings};
use crate::config::{Secret, Server, Tls};
use crate::failpoint::{self, Point};
use crate::mail::link::Parcel;
use crate::mail::tls::{distrust, shown};

pub(super) const TOO_LONG: &str = "the server took too long";

/// Why a letter did not go, or a line did not come about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The server said no.
    Said { step: Step, reply: Reply },
    /// No answer, or none that makes sense.
    Lost { step: Step, how: &'static str },
    /// The certificate is not trusted.
    Untrusted { why: String },
    /// There is nothing to trust it by.
    NoTls { why: String },
    /// There is no password to log in with.
    NoPassword { why: String },
    /// The server cannot do what our settings ask for.
    Unable { why: &'static str },
    /// This letter cannot go by this server.
    Unfit { why: &'static str },
}

pub(super) struct Line {
    connection: AsyncSmtpConnection,
    wire: Wire,
    patience: Patience,
    /// The server hangs up, or could not take back a letter half begun.
    spent: bool,
    /// What the server showed, its own first; empty without TLS.
    pub certificates: Vec<CertificateDer<'static>>,
}

impl Line {
    /// Connects, and logs in with the secret if the settings name a login.
    pub(super) async fn open(
        settings: &SmtpSettings,
        trust: Arc<ClientConfig>,
        secret: Option<&Secret>,
    ) -> Result<Line, Fault> {
        let (server, patience) = (&settings.server, settings.patience);
        let stream = dial(server, patience.connect).await?;
        failpoint::pass(Point::SmtpConnected);
        let (wire, certificates) = match server.tls {
            Tls::Implicit => {
                let stream = secure(server, patience, trust, stream, Step::Connect).await?;
                let shown = shown(stream.get_ref().1);
                (Wire::tls(stream), shown)
            }
            Tls::Starttls => {
                let stream = ask_for_tls(stream, patience).await?;
                let stream = secure(server, patience, trust, stream, Step::StartTls).await?;
                let shown = shown(stream.get_ref().1);
                (Wire::greeted(stream), shown)
            }
            Tls::None => (Wire::plain(stream), Vec::new()),
        };
        failpoint::pass(Point::SmtpSecured);
        let connection = hello(&wire, patience).await?;
        failpoint::pass(Point::SmtpGreeted);
        let mut line = Line { connection, wire, patience, spent: false, certificates };
        if let (Some(login), Some(secret)) = (&server.login, secret) {
            line.log_in(&login.user, secret, login.password.is_token()).await?;
            failpoint::pass(Point::SmtpLoggedIn);
        }
        Ok(line)
    }

    /// False when the next letter needs a new line.
    pub(super) fn is_usable(&self) -> bool {
        !self.spent && self.wire.is_idle()
    }

    /// Everything up to the final dot. Until this has ended well, the server has no letter.
    pub(super) async fn offer(&mut self, from: &str, parcel: &Parcel) -> Result<(), Fault> {
        let (mail, rcpt) = self.envelope(from, parcel)?;
        let offered = self.offer_words(mail, rcpt, &parcel.bytes).await;
        if let Err(fault) = &offered {
            self.take_back(fault).await;
        }
        offered
    }

    /// The final dot, and the answer to it.
    pub(super) async fn finish(&mut self) -> Result<(), Fault> {
        failpoint::pass(Point::SmtpBeforeDot);
        let dot = self.connection.message_iter(std::iter::empty::<&[u8]>());
        let finished =
            within(self.patience.verdict, Step::Verdict, dot).await.and_then(|reply| taken(&reply, Step::Verdict));
        match &finished {
            Err(Fault::Said { step, reply }) if reply.meaning(*step) != Meaning::Busy => {}
            Err(_) => self.spent = true,
            Ok(()) => failpoint::pass(Point::SmtpAccepted),
        }
        finished
    }

    /// A farewell; the line is closed with or without an answer.
    pub(super) async fn close(mut self) {
        drop(tokio::time::timeout(self.patience.farewell, self.connection.quit()).await);
    }

    fn envelope(&self, from: &str, parcel: &Parcel) -> Result<(Mail, Rcpt), Fault> {
        let from: Address = from.parse().map_err(|_| Fault::Unfit { why: "outbox.from is no address" })?;
        let to = parcel.address.parse::<Address>().ok().filter(|_| is_harmless(&parcel.address));
        let to = to.ok_or(Fault::Unfit { why: "the recipient's address can't be written" })?;
        let mut parameters = Vec::new();
        if !parcel.bytes.is_ascii() {
            if !self.connection.server_info().supports_feature(Extension::EightBitMime) {
                return Err(Fault::Unfit { why: "the server takes 7-bit letters only" });
            }
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        Ok((Mail::new(Some(from), parameters), Rcpt::new(to, Vec::new())))
    }

    async fn offer_words(&mut self, mail: Mail, rcpt: Rcpt, bytes: &[u8]) -> Result<(), Fault> {
        let wait = self.patience.reply;
        taken(&within(wait, Step::Mail, self.connection.command(mail)).await?, Step::Mail)?;
        failpoint::pass(Point::SmtpSender);
        taken(&within(wait, Step::Rcpt, self.connection.command(rcpt)).await?, Step::Rcpt)?;
        failpoint::pass(Point::SmtpRecipient);
        let go_ahead = within(wait, Step::Data, self.connection.command(Data)).await?;
        if !go_ahead.has_code(354) {
            return Err(Fault::Lost { step: Step::Data, how: "the server answered something else" });
        }
        failpoint::pass(Point::SmtpData);
        let words = on_the_wire(bytes);
        let speak = async {
            self.wire.write_all(&words).await?;
            self.wire.flush().await
        };
        match tokio::time::timeout(self.patience.words, speak).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Fault::Lost { step: Step::Words, how: "the line was cut" }),
            Err(_) => Err(Fault::Lost { step: Step::Words, how: TOO_LONG }),
        }
    }

    /// After a refusal the line can be used on: the letter half begun is taken back.
    async fn take_back(&mut self, fault: &Fault) {
        let goes_on = match fault {
            Fault::Said { step, reply } => reply.meaning(*step) != Meaning::Busy,
            _ => false,
        };
        self.spent = !goes_on || within(self.patience.reply, Step::Mail, self.connection.command(Rset)).await.is_err();
    }

    async fn log_in(&mut self, user: &str, secret: &Secret, is_token: bool) -> Result<(), Fault> {
        let offered = self.connection.server_info();
        let (can, cure) = if is_token {
            (offered.supports_auth_mechanism(Mechanism::Xoauth2), "the server offers no XOAUTH2")
        } else {
            let can = [Mechanism::Plain, Mechanism::Login].map(|mechanism| offered.supports_auth_mechanism(mechanism));
            (can.contains(&true), "the server offers no login by password")
        };
        if !can {
            return Err(Fault::Unable { why: cure });
        }
        let secret = secret.reveal();
        let words = if is_token {
            // The server gives its reasons as a challenge, and says 535 after an empty answer.
            let token = format!("user={user}\u{1}auth=Bearer {secret}\u{1}\u{1}");
            vec![format!("AUTH XOAUTH2 {}", BASE64.encode(token.as_bytes())), String::new()]
        } else if offered.supports_auth_mechanism(Mechanism::Plain) {
            vec![format!("AUTH PLAIN {}", BASE64.encode(format!("\0{user}\0{secret}").as_bytes()))]
        } else {
            vec!["AUTH LOGIN".to_owned(), BASE64.encode(user.as_bytes()), BASE64.encode(secret.as_bytes())]
        };
        for word in words {
            let command = self.connection.command(format!("{word}\r\n"));
            let answer = within(self.patience.reply, Step::Login, command).await?;
            if !answer.has_code(334) {
                return taken(&answer, Step::Login);
            }
        }
        Err(Fault::Lost { step: Step::Login, how: "the server asks for more than we have" })
    }
}

/// Every address that the name has is tried.
async fn dial(server: &Server, wait: Duration) -> Result<TcpStream, Fault> {
    let lost = |how| Fault::Lost { step: Step::Connect, how };
    let name = server.server.trim_start_matches('[').trim_end_matches(']');
    let found = tokio::time::timeout(wait, tokio::net::lookup_host((name, server.port))).await;
    let found = found.map_err(|_| lost("looking up its name took too long"))?;
    let found: Vec<SocketAddr> = found.map_err(|_| lost("its name is not known"))?.collect();
    // The config has it so, and yet a name may point elsewhere by now: no password leaves this machine in the clear.
    if server.tls == Tls::None && found.iter().any(|address| !address.ip().is_loopback()) {
        return Err(Fault::Unable { why: "tls = \"none\" is for a server on this machine only" });
    }
    let mut fault = lost("its name has no address");
    for address in found {
        match tokio::time::timeout(wait, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Without it each letter waits for the delayed ACK of the one before: 21 a second, not 515.
                drop(stream.set_nodelay(true));
                return Ok(stream);
            }
            Ok(Err(_)) => fault = lost("the connection was refused"),
            Err(_) => fault = lost("it does not answer"),
        }
    }
    Err(fault)
}

async fn hello(wire: &Wire, patience: Patience) -> Result<AsyncSmtpConnection, Fault> {
    let name = ClientId::default();
    let connecting = AsyncSmtpConnection::connect_with_transport(Box::new(wire.clone()), &name);
    within(patience.reply, Step::Greeting, connecting).await
}

/// The plain dialogue up to STARTTLS. A server that does not offer it gets no password.
async fn ask_for_tls(stream: TcpStream, patience: Patience) -> Result<TcpStream, Fault> {
    let wire = Wire::plain(stream);
    let mut connection = hello(&wire, patience).await?;
    if !connection.can_starttls() {
        return Err(Fault::Unable { why: "the server offers no STARTTLS" });
    }
    let ready = within(patience.reply, Step::StartTls, connection.command(Starttls)).await?;
    taken(&ready, Step::StartTls)?;
    drop(connection);
    wire.into_plain().ok_or(Fault::Lost { step: Step::StartTls, how: "the server said more than it was asked" })
}

async fn secure(
    server: &Server,
    patience: Patience,
    trust: Arc<ClientConfig>,
    stream: TcpStream,
    step: Step,
) -> Result<TlsStream<TcpStream>, Fault> {
    let name = server.server.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(name).map_err(|_| Fault::Unable { why: "outbox.server is no name of a server" })?;
    let shaking = TlsConnector::from(trust).connect(name, stream);
    let error = match tokio::time::timeout(patience.connect, shaking).await {
        Ok(Ok(stream)) => return Ok(stream),
        Ok(Err(error)) => error,
        Err(_) => return Err(Fault::Lost { step, how: "the TLS handshake took too long" }),
    };
    if let Some(why) = distrust(&error) {
        return Err(Fault::Untrusted { why });
    }
    let is_tls = error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>());
    let how = if is_tls { "no TLS is spoken there (is it the right port?)" } else { "the line was cut" };
    Err(Fault::Lost { step, how })
}

async fn within<T>(wait: Duration, step: Step, asking: impl Future<Output = Result<T, Error>>) -> Result<T, Fault> {
    match tokio::time::timeout(wait, asking).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(fault(step, &error)),
        Err(_) => Err(Fault::Lost { step, how: TOO_LONG }),
    }
}

fn fault(step: Step, error: &Error) -> Fault {
    use std::error::Error as _;
    if let Some(code) = error.status() {
        let text = error.source().map(ToString::to_string).unwrap_or_default();
        return Fault::Said { step, reply: Reply { code: code.into(), text } };
    }
    let io = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    let how = match io.map(std::io::Error::kind) {
        Some(std::io::ErrorKind::InvalidData) => "the server spoke out of turn",
        Some(_) => "the line was cut",
        None => "the server hung up or answered nothing that makes sense",
    };
    Fault::Lost { step, how }
}

/// The client library takes any 2xx or 3xx for a yes. A reply that belongs to another command is none.
fn taken(reply: &Response, step: Step) -> Result<(), Fault> {
    let code = u16::from(reply.code());
    if (200..300).contains(&code) {
        Ok(())
    } else {
        Err(Fault::Lost { step, how: "the server answered something else" })
    }
}

/// Nothing in it that could end the command it stands in.
fn is_harmless(address: &str) -> bool {
    address.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter would wait for the delayed acknowledgement of the one before: 21 a second, not 515.
    #[tokio::test]
    async fn what_is_said_leaves_at_once() {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { server: "127.0.0.1".to_owned(), port, tls: Tls::None, ca_file: None, login: None };
        assert!(dial(&server, Duration::from_secs(10)).await.unwrap().nodelay().unwrap());
    }
}
