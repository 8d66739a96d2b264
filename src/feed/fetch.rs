//! One request for a feed: https with the trust of the mail's, bounded in time, size and redirects, and never to another
//! host than the one in the config.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use ureq::http::header::{ETAG, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderValue, Response};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Error};

use super::Post;
use super::address::FeedAddress;
use super::read::{self, Unreadable};
use crate::mail::tls;

/// How much one reading may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The look-up of the name, the connection with TLS, the head of the answer: each.
    pub step: Duration,
    /// All of one request, its body included.
    pub whole: Duration,
    /// Of the body, unpacked; bytes.
    pub body: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { step: Duration::from_secs(15), whole: Duration::from_secs(45), body: 4 << 20 }
    }
}

/// By what a server knows that we have its last answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    etag: Option<HeaderValue>,
    modified: Option<HeaderValue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nobody has written since.
    Unchanged,
    Posts {
        posts: Vec<Post>,
        known: Known,
    },
}

/// Why a feed was not read. None of them shows the address: it may hold a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("it {0}")]
    Unreadable(#[from] Unreadable),
    #[error("the forum answers {0}: the topic is not to be read without a login. Give the address of a public feed")]
    Closed(u16),
    #[error("the forum answers {0}: there is no such feed. Look at its address, and whether the forum's feeds are on")]
    Gone(u16),
    #[error("the forum is busy or asks for patience (it answers {status})")]
    Busy { status: u16, after: Option<Duration> },
    #[error("the forum answers {0}")]
    Status(u16),
    #[error("the forum sends us to another host or from https to http. Write the address where the feed really is")]
    Elsewhere,
    #[error("the forum sends us round in circles")]
    Circles,
    #[error("it is larger than {0} bytes, as the feed of one topic hardly is")]
    TooLarge(u64),
    #[error("the forum's certificate is not trusted: {0}")]
    Untrusted(String),
    #[error("the forum does not answer in time")]
    Slow,
    #[error("there is no connection: {0}")]
    Down(String),
}

/// Redirects in a row.
const MOST_REDIRECTS: usize = 4;
/// A validator that is longer is not kept.
const LONGEST_VALIDATOR: usize = 512;

/// Asks for a feed, once. Blocks for a few times `limits.whole` at most: redirects are requests of their own.
///
/// # Errors
/// When it can't be read, and why.
pub fn fetch(address: &FeedAddress, known: &Known, limits: &Limits) -> Result<Answer, Fault> {
    let agent = agent(limits);
    let mut address = address.clone();
    for _ in 0..=MOST_REDIRECTS {
        let mut response = ask(&agent, &address, known)?;
        match response.status().as_u16() {
            200 => {
                let posts = read::read(&body(&mut response, limits)?)?;
                let known = Known { etag: kept(&response, &ETAG), modified: kept(&response, &LAST_MODIFIED) };
                return Ok(Answer::Posts { posts, known });
            }
            304 if *known != Known::default() => return Ok(Answer::Unchanged),
            301 | 302 | 303 | 307 | 308 => {
                let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
                address = location.and_then(|location| address.redirected(location)).ok_or(Fault::Elsewhere)?;
            }
            status @ (401 | 403) => return Err(Fault::Closed(status)),
            status @ (404 | 410) => return Err(Fault::Gone(status)),
            status @ (429 | 503) => return Err(Fault::Busy { status, after: patience(&response) }),
            status => return Err(Fault::Status(status)),
        }
    }
    Err(Fault::Circles)
}

/// A new one each time: trust is read anew, and no connection is kept for ten minutes.
fn agent(limits: &Limits) -> Agent {
    let roots: Vec<Certificate<'static>> =
        tls::system_roots().iter().map(|root| Certificate::from_der(root).to_owned()).collect();
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .build();
    Agent::config_builder()
        .tls_config(tls)
        // The environment says nothing here: only the host of the config is asked.
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .max_idle_connections(0)
        .user_agent(concat!("omerta/", env!("CARGO_PKG_VERSION")))
        .accept("application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.1")
        .timeout_resolve(Some(limits.step))
        .timeout_connect(Some(limits.step))
        .timeout_recv_response(Some(limits.step))
        .timeout_global(Some(limits.whole))
        .build()
        .new_agent()
}

fn ask(agent: &Agent, address: &FeedAddress, known: &Known) -> Result<Response<Body>, Fault> {
    let mut request = agent.get(address.whole());
    if let Some(etag) = &known.etag {
        request = request.header(IF_NONE_MATCH, etag);
    }
    if let Some(modified) = &known.modified {
        request = request.header(IF_MODIFIED_SINCE, modified);
    }
    request.call().map_err(fault)
}

fn body(response: &mut Response<Body>, limits: &Limits) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more. The limit counts what is unpacked.
    let most = limits.body.saturating_add(1);
    response.body_mut().as_reader().take(most).read_to_end(&mut bytes).map_err(|error| fault(error.into()))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limits.body {
        return Err(Fault::TooLarge(limits.body));
    }
    Ok(bytes)
}

fn kept(response: &Response<Body>, name: &HeaderName) -> Option<HeaderValue> {
    response.headers().get(name).filter(|value| value.len() <= LONGEST_VALIDATOR).cloned()
}

/// How long a busy server wants to be left alone, if it says so in seconds.
fn patience(response: &Response<Body>) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn fault(error: Error) -> Fault {
    match error {
        Error::Timeout(_) => Fault::Slow,
        Error::HostNotFound => Fault::Down("its name is not known".to_owned()),
        Error::Rustls(error) => match tls::distrusted(&error) {
            Some(why) => Fault::Untrusted(why),
            None => Fault::Down(error.to_string()),
        },
        Error::Io(error) => of_io(&error),
        Error::BodyExceedsLimit(limit) => Fault::TooLarge(limit),
        // Others may repeat the address.
        _ => Fault::Down("the forum does not speak HTTP as it should".to_owned()),
    }
}

fn of_io(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::TimedOut => Fault::Slow,
        _ => match tls::distrust(error) {
            Some(why) => Fault::Untrusted(why),
            None => Fault::Down(error.to_string()),
        },
    }
}
