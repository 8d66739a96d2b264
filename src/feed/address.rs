//! Which feed is read.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::{Host, Url};

/// A whole address that may be asked for: https, or plain http on this machine.
#[derive(Clone, PartialEq, Eq)]
pub struct FeedAddress(Url);

/// Why an address is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoFeedAddress {
    NoLink,
    /// Plain http, and not to this machine.
    InTheClear,
    /// It bears a name and a password, which have no business in a letter.
    HoldsPassword,
    /// By letter: a bare IP address, or a name that means something only here.
    Inside,
}

/// Names of machines that only their own network knows (RFC 6761, RFC 6762, RFC 8375, and `internal` of ICANN).
const INSIDE: [&str; 5] = ["localhost", "local", "internal", "arpa", "lan"];

impl FeedAddress {
    /// # Errors
    /// When it is no address, or one that would be asked for in the clear.
    pub fn new(written: &str) -> Result<FeedAddress, NoFeedAddress> {
        // A browser would write the space as %20: rather something was left out, or two addresses stand there.
        if written.trim().contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(NoFeedAddress::NoLink);
        }
        let url = Url::parse(written).map_err(|_| NoFeedAddress::NoLink)?;
        match url.scheme() {
            _ if url.host().is_none() => Err(NoFeedAddress::NoLink),
            "https" => Ok(FeedAddress(url)),
            "http" if is_loopback(&url) => Ok(FeedAddress(url)),
            "http" => Err(NoFeedAddress::InTheClear),
            _ => Err(NoFeedAddress::NoLink),
        }
    }

    /// `https://name:password@...`
    pub fn holds_password(&self) -> bool {
        !self.0.username().is_empty() || self.0.password().is_some()
    }

    /// Whether it leads, as it is written, not to a forum of the open Internet but perhaps to this machine or its
    /// neighbours: no bare IP address, no name without a dot, none that only the own network knows. What a name of the
    /// Internet resolves to is not looked up.
    pub fn is_inside(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.').to_ascii_lowercase();
                name.rsplit_once('.').is_none_or(|(_, last)| INSIDE.contains(&last))
            }
            Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => true,
        }
    }

    /// Where a redirect leads. Only the host that was named is ever asked, on the same door, and never in the clear after
    /// TLS. None where it leads elsewhere.
    pub fn redirected(&self, location: &str) -> Option<FeedAddress> {
        let next = self.0.join(location).ok()?;
        let same_host = next.host() == self.0.host();
        let same_door =
            next.port_or_known_default() == self.0.port_or_known_default() && next.scheme() == self.0.scheme();
        (same_host && same_door).then_some(FeedAddress(next))
    }

    /// For the request, and for whoever may read the database: it may hold a key.
    pub fn whole(&self) -> &str {
        self.0.as_str()
    }

    /// Tells one feed from another, and not what its address is.
    pub fn mark(&self) -> String {
        data_encoding::HEXLOWER.encode(&Sha256::digest(self.whole()))
    }

    /// For people: the host.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

impl fmt::Debug for FeedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FeedAddress({})", self.host())
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tls_or_this_machine() {
        for good in [
            "https://forum.test/topic/7.rss",
            "https://форум.рф/feed/topic/7?key=тайна",
            "http://127.0.0.1:8080/feed",
            "http://localhost/feed",
            "http://[::1]:80/feed",
        ] {
            assert!(FeedAddress::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "feed",
            "forum.test/feed",
            "https://",
            "ftp://forum.test/",
            "file:///etc/passwd",
            "http://forum.test/",
            "http://127.0.0.1.test/",
            "https://forum.test/topic 7.rss",
            "https://forum.test/7 https://forum.test/8",
            "https://forum.test/7\u{a0}rss",
            "https://forum.test/7\nrss",
        ] {
            assert!(FeedAddress::new(bad).is_err(), "{bad}");
        }
        assert_eq!(FeedAddress::new("http://forum.test/").unwrap_err(), NoFeedAddress::InTheClear);
    }

    #[test]
    fn what_leads_to_this_machine_or_its_neighbours_is_inside() {
        for inside in [
            "http://127.0.0.1:8080/feed",
            "https://127.1/",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://10.0.0.7/",
            "https://169.254.169.254/latest",
            "https://203.0.113.7/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[fe80::1]/",
            "https://[fd00::1]/",
            "http://localhost/",
            "https://LOCALHOST./",
            "https://me.localhost/",
            "https://printer/",
            "https://nas.local/",
            "https://db.internal/",
            "https://router.home.arpa/",
        ] {
            assert!(FeedAddress::new(inside).unwrap().is_inside(), "{inside}");
        }
        for outside in
            ["https://forum.test/7", "https://форум.рф/7", "https://forum.test./7", "https://local.forum.test/"]
        {
            assert!(!FeedAddress::new(outside).unwrap().is_inside(), "{outside}");
        }
    }

    #[test]
    fn a_redirect_stays_with_the_host_and_its_door() {
        let led = |from: &str, to: &str| {
            FeedAddress::new(from).unwrap().redirected(to).map(|address| address.whole().to_owned())
        };
        let feed = "https://forum.test/t/7.rss?a=1";
        assert_eq!(led(feed, "/topic/7.rss").as_deref(), Some("https://forum.test/topic/7.rss"));
        assert_eq!(led(feed, "8.rss").as_deref(), Some("https://forum.test/t/8.rss"));
        assert_eq!(led(feed, "https://FORUM.test:443/x").as_deref(), Some("https://forum.test/x"));
        for elsewhere in [
            "http://forum.test/t/7.rss",
            "https://other.test/t/7.rss",
            "//other.test/",
            "https://forum.test:8443/",
            "https://forum.test.evil.test/",
            "http://127.0.0.1/",
            "file:///etc/passwd",
            "https://",
        ] {
            assert_eq!(led(feed, elsewhere), None, "{elsewhere}");
        }
        assert_eq!(led("http://127.0.0.1:8080/", "http://127.0.0.1:22/"), None, "another door of this machine");
    }

    #[test]
    fn a_key_in_it_is_not_printed() {
        let address = FeedAddress::new("https://user:secret@forum.test/feed?key=secret").unwrap();
        assert_eq!(format!("{address:?} {}", address.host()), "FeedAddress(forum.test) forum.test");
    }
}
