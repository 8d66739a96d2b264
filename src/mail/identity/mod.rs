//! Who wrote a letter, as far as its header can tell. Pure: [`results`] reads one `Authentication-Results`, [`mailbox`]
//! the one mailbox of the one From, and [`Testimony`] is what the servers say of the sender. What a token of ours and a
//! proof word prove is for the desk to know.
//!
//! A sender can write any header. Only what stands above the topmost `Received` was surely put there by the server that
//! took the letter for us: that server writes its `Received` at the top of what it was sent, and its findings above. Some
//! providers write their findings below; those are not believed, for the sender could have written them.

pub mod mailbox;
pub mod results;

use super::headers::Headers;
use results::{Found, Results, read_results};

/// Most `Authentication-Results` read of one letter.
const MAX_FIELDS: usize = 20;

/// What servers say of a letter's sender.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Testimony {
    /// The results that may speak against the sender.
    results: Vec<Results>,
    /// They stand above a `Received`: a pass among them is our own server's word.
    above_received: bool,
}

impl Testimony {
    /// Reads what stands above the topmost `Received`. A letter without any (a Maildir or a pipe may give such) says not
    /// what our server wrote and what its sender: all of it may speak against the sender, nothing for him.
    pub fn of(headers: &Headers<'_>) -> Testimony {
        let (fields, above_received) = headers.above("authentication-results", "received");
        let results = fields.into_iter().take(MAX_FIELDS).filter_map(read_results).collect();
        Testimony { results, above_received }
    }

    /// DMARC failed, whichever server says so; or no server gives a DMARC verdict, and DKIM failed and never passed. SPF
    /// alone says nothing against a letter: forwarding breaks it.
    pub fn speaks_against(&self) -> bool {
        let has = |method: &str, result: &str| self.found().any(|found| found.is(method, result));
        if has("dmarc", "fail") {
            return true;
        }
        has("dkim", "fail") && !has("dmarc", "pass") && !has("dkim", "pass")
    }

    /// One of these servers says that DMARC passed for the domain of this address, or a DKIM signature or SPF of a domain
    /// that is aligned with it.
    pub fn speaks_for(&self, address: &str, trusted: &[String]) -> bool {
        let Some((_, domain)) = address.rsplit_once('@') else { return false };
        self.above_received
            && !self.speaks_against()
            && self
                .results
                .iter()
                .filter(|results| results.sound && trusted.iter().any(|id| id.eq_ignore_ascii_case(&results.server)))
                .flat_map(|results| &results.found)
                .any(|found| proves(found, domain))
    }

    fn found(&self) -> impl Iterator<Item = &Found> {
        self.results.iter().flat_map(|results| &results.found)
    }
}

/// Whether one result proves that a letter comes from this domain.
fn proves(found: &Found, domain: &str) -> bool {
    if found.result != "pass" {
        return false;
    }
    let named = |property: &str| found.property(property).map(domain_of);
    match found.method.as_str() {
        // Without the domain it is that of From, of which there is one.
        "dmarc" => named("header.from").is_none_or(|from| from.eq_ignore_ascii_case(domain)),
        "dkim" => named("header.d").or_else(|| named("header.i")).is_some_and(|signer| is_aligned(signer, domain)),
        "spf" => named("smtp.mailfrom").is_some_and(|sender| is_aligned(sender, domain)),
        _ => false,
    }
}

fn domain_of(value: &str) -> &str {
    value.rsplit_once('@').map_or(value, |(_, domain)| domain)
}

/// RFC 7489, section 3.1, without its list of public suffixes: the same domain, or one of them lies within the other. The
/// outer one must have a dot: nobody signs for all of `ru`.
fn is_aligned(one: &str, other: &str) -> bool {
    let (one, other) =
        (one.trim_end_matches('.').to_ascii_lowercase(), other.trim_end_matches('.').to_ascii_lowercase());
    let is_within = |inner: &str, outer: &str| {
        outer.contains('.') && inner.strip_suffix(outer).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
    };
    !one.is_empty() && (one == other || is_within(&one, &other) || is_within(&other, &one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::headers::split;

    fn testimony(header: &str) -> Testimony {
        Testimony::of(&split(format!("{header}\n\nbody").as_bytes()).0)
    }

    #[test]
    fn only_what_stands_above_the_topmost_received_counts() {
        let trusted = ["mx.game.test".to_owned()];
        let pass = "Authentication-Results: mx.game.test; dmarc=pass header.from=players.test";
        let fail = "Authentication-Results: other.test; dmarc=fail";
        for (header, for_, against) in [
            (format!("{pass}\nReceived: from a by b"), true, false),
            (format!("Received: from a by b\n{pass}"), false, false),
            (format!("Received: from a by b\n{pass}\nReceived: from c by a"), false, false),
            (pass.to_owned(), false, false),
            (format!("{fail}\nReceived: from a by b"), false, true),
            (format!("Received: from a by b\n{fail}"), false, false),
            (fail.to_owned(), false, true),
            (format!("{fail}\n{pass}\nReceived: from a by b"), false, true),
            (format!("ARC-{pass}\nReceived: from a by b"), false, false),
            (format!("X-{pass}\nReceived: from a by b"), false, false),
        ] {
            let testimony = testimony(&header);
            assert_eq!(
                (testimony.speaks_for("p@players.test", &trusted), testimony.speaks_against()),
                (for_, against),
                "{header}"
            );
            assert!(!testimony.speaks_for("p@players.test", &[]), "nobody is trusted unless configured");
        }
    }

    #[test]
    fn a_pass_counts_only_for_an_aligned_domain() {
        let trusted = ["mx.game.test".to_owned()];
        for (said, proved) in [
            ("dmarc=pass", true),
            ("dmarc=pass (p=none) header.from=Players.TEST", true),
            ("dmarc=pass header.from=evil.test", false),
            ("dmarc=none header.from=players.test", false),
            ("dmarc=bestguesspass header.from=players.test", false),
            ("dkim=pass header.d=players.test", true),
            ("dkim=pass header.d=mail.players.test", true),
            ("dkim=pass header.i=@players.test", true),
            ("dkim=pass header.i=someone@mail.players.test", true),
            ("dkim=pass header.d=evil.test header.i=@players.test", false),
            ("dkim=pass header.d=evilplayers.test", false),
            ("dkim=pass header.d=players.test.evil.test", false),
            ("dkim=pass header.d=test", false),
            ("dkim=pass", false),
            ("dkim=fail header.d=players.test", false),
            ("spf=pass smtp.mailfrom=p@players.test", true),
            ("spf=pass smtp.mailfrom=bounces.players.test", true),
            ("spf=pass smtp.mailfrom=evil.test", false),
            ("spf=pass smtp.mailfrom=\"p@players.test\"@evil.test", false),
            ("spf=pass smtp.helo=players.test", false),
            ("spf=softfail smtp.mailfrom=players.test", false),
            ("auth=pass smtp.auth=p@players.test", false),
            ("iprev=pass", false),
            ("none", false),
            ("dkim=pass header.d=players.test; dmarc=fail", false),
        ] {
            let testimony = testimony(&format!("Authentication-Results: MX.game.test; {said}\nReceived: from a by b"));
            assert_eq!(testimony.speaks_for("p@players.test", &trusted), proved, "{said}");
        }
    }

    #[test]
    fn what_speaks_against_a_sender() {
        for (said, against) in [
            ("dmarc=fail", true),
            ("dmarc=fail; dkim=pass header.d=players.test", true),
            ("dmarc=fail; dmarc=pass", true),
            ("dkim=fail header.d=players.test", true),
            ("dkim=fail; spf=fail", true),
            ("dmarc=none; dkim=fail", true),
            ("dkim=fail; dkim=pass header.d=list.test", false),
            ("dkim=fail; dmarc=pass", false),
            ("spf=fail smtp.mailfrom=players.test", false),
            ("dkim=none; spf=softfail", false),
            ("dkim=permerror", false),
            ("(dmarc=fail) dkim=pass", false),
            ("dkim=pass reason=\"dmarc=fail\"", false),
            ("none", false),
        ] {
            let testimony = testimony(&format!("Authentication-Results: anybody.test; {said}\nReceived: from a by b"));
            assert_eq!(testimony.speaks_against(), against, "{said}");
        }
    }
}
