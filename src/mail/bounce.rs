//! What a bounce says: which letter of ours did not arrive, at whose address, and whether for good. RFC 3464 first, then
//! what servers without it write. Linear and bounded; the returned letter is read for its headers and nothing else.

use super::body;
use super::encoded::undo_transfer;
use super::headers::{self, Headers, MediaType};
use super::parse::{LIMITS, with_line_feeds};

/// A bounce, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounce {
    /// Message-IDs under which the letter may have left, without angle brackets: of the returned headers, and those to
    /// which the bounce itself refers.
    pub message_ids: Vec<String>,
    /// Where the returned letter asked to be answered: a server on its way may have given it another Message-ID, but our
    /// plus-address has its token.
    pub reply_to: Vec<String>,
    /// Addresses, lower-cased, that did not get it.
    pub failures: Vec<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// As we wrote it (Original-Recipient), and as the last server knew it (Final-Recipient).
    pub addresses: Vec<String>,
    pub weight: Weight,
    /// RFC 3463; such as `5.1.1`.
    pub status: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is still tried.
    Delayed,
    /// This letter did not arrive; the next one may: a full mailbox, a policy, a server that was away too long.
    Soft,
    /// Nothing will ever arrive at this address.
    Hard,
}

/// Most failures, and most Message-IDs, read of one bounce.
const MOST: usize = 20;
/// Multiparts inside each other, and parts of all of them.
const DEPTH: usize = 6;
const PARTS: usize = 50;
/// Lines of prose that are read.
const LINES: usize = 400;

/// Reads a letter that was recognised as a bounce.
pub fn read(bytes: &[u8]) -> Bounce {
    let bytes = with_line_feeds(bytes.get(..LIMITS.message).unwrap_or(bytes));
    let (headers, rest) = headers::split(&bytes);
    let mut found = Found::default();
    found.part(&headers, rest, 0);
    let prose = String::from_utf8_lossy(&found.prose).into_owned();
    let told: Vec<&str> = prose.lines().take(LINES).take_while(|line| !is_returned(line)).collect();
    let told = told.join("\n");
    let mut message_ids = std::mem::take(&mut found.message_ids);
    if message_ids.is_empty() {
        message_ids
            .extend(in_prose(&prose, "Message-ID", |fields| fields.message_ids("message-id")).into_iter().take(1));
    }
    for field in ["in-reply-to", "references"] {
        message_ids.extend(headers.message_ids(field));
    }
    message_ids.truncate(MOST);
    let mut reply_to = std::mem::take(&mut found.reply_to);
    if reply_to.is_empty() {
        reply_to.extend(in_prose(&prose, "Reply-To", |fields| fields.addresses("reply-to")));
    }
    reply_to.truncate(MOST);
    let mut failures: Vec<Failure> = found.statuses.iter().flat_map(|status| groups(status)).take(MOST).collect();
    if found.statuses.is_empty() {
        let subject = headers.plain("subject").unwrap_or_default();
        failures = without_report(&headers, &told, &subject);
    }
    Bounce { message_ids, reply_to, failures }
}

/// Whether a server's refusal, by its code (RFC 3463), says that nothing will ever arrive at the address. Words alone
/// are not believed here: we keep none of a server's.
pub fn is_gone(refusal: &str) -> bool {
    status_in(refusal).is_some_and(|status| weight(Some(&status), "") == Weight::Hard)
}

#[derive(Default)]
struct Found {
    parts: usize,
    statuses: Vec<String>,
    message_ids: Vec<String>,
    reply_to: Vec<String>,
    prose: Vec<u8>,
}

impl Found {
    fn part(&mut self, headers: &Headers<'_>, body: &[u8], depth: usize) {
        self.parts += 1;
        if self.parts > PARTS || depth > DEPTH {
            return;
        }
        let media = headers.media_type("content-type").unwrap_or_else(MediaType::plain);
        if media.kind == "multipart" {
            let boundary = media.parameter("boundary").unwrap_or_default();
            let children = body::split_parts(body, boundary);
            if children.is_empty() {
                self.prose.extend_from_slice(body);
            }
            for child in children {
                let (headers, body) = headers::split(child);
                self.part(&headers, body, depth + 1);
            }
            return;
        }
        let encoding = headers.plain("content-transfer-encoding").unwrap_or_default();
        let bytes = undo_transfer(body, &encoding).bytes;
        match (media.kind.as_str(), media.subtype.as_str()) {
            ("message", "delivery-status" | "global-delivery-status") => {
                self.statuses.push(String::from_utf8_lossy(&bytes).into_owned());
            }
            ("message", "rfc822" | "global" | "global-headers") | ("text", "rfc822-headers") => {
                let (returned, _) = headers::split(&bytes);
                self.message_ids.extend(returned.message_ids("message-id").into_iter().take(1));
                self.reply_to.extend(returned.addresses("reply-to").into_iter().take(1));
            }
            ("text", "plain") | ("", _) => {
                self.prose.extend_from_slice(&bytes);
                self.prose.push(b'\n');
            }
            _ => {}
        }
    }
}

/// The groups of a delivery status, one for each recipient (RFC 3464, 2.1); the first is about the whole letter.
fn groups(status: &str) -> Vec<Failure> {
    let mut failures = Vec::new();
    let lines: Vec<&str> = status.lines().collect();
    for group in lines.split(|line| line.trim().is_empty()) {
        let block = group.join("\n");
        let (fields, _) = headers::split(block.as_bytes());
        let mut addresses: Vec<String> =
            ["original-recipient", "final-recipient"].into_iter().filter_map(|name| recipient(&fields, name)).collect();
        addresses.dedup();
        if addresses.is_empty() {
            continue;
        }
        let action = fields.plain("action").unwrap_or_default();
        let diagnostic = fields.plain("diagnostic-code").unwrap_or_default();
        let status = fields.plain("status").and_then(|status| status_in(&status));
        // The code of the last server is the exact one; ours may only say that it failed (5.0.0).
        let exact = status_in(&diagnostic).filter(|_| status.as_deref().is_none_or(|status| status.ends_with(".0.0")));
        let status = exact.or(status);
        let weight = match action.split_whitespace().next().unwrap_or_default() {
            "delayed" => Weight::Delayed,
            "failed" | "" => weight(status.as_deref(), &diagnostic),
            // Delivered, relayed, expanded: nothing failed.
            _ => continue,
        };
        failures.push(Failure { addresses, weight, status });
        if failures.len() >= MOST {
            break;
        }
    }
    failures
}

/// `rfc822; a@example.org`.
fn recipient(fields: &Headers<'_>, name: &str) -> Option<String> {
    let value = fields.plain(name)?;
    headers::normal_address(value.rsplit(';').next().unwrap_or_default())
}

/// A bounce in prose alone: Exim and Mail.ru name the recipients in a header, qmail and others in the text.
fn without_report(headers: &Headers<'_>, told: &str, subject: &str) -> Vec<Failure> {
    let mut addresses = headers.addresses("x-failed-recipients");
    if addresses.is_empty() {
        addresses = told.lines().filter_map(address_line).take(MOST).collect();
        addresses.dedup();
    }
    let status = status_in(told);
    let told = told.to_lowercase();
    let delayed = ["(delay)", "delayed", "warning"].iter().any(|word| subject.contains(word))
        || ["will be retried", "will retry", "still being retried", "warning message only"]
            .iter()
            .any(|word| told.contains(word));
    let several = addresses.len() > 1;
    let weigh = || match (delayed, weight(status.as_deref(), &told)) {
        (true, _) => Weight::Delayed,
        // Whose words are whose is not sure: an address must not rest for what another's server said. Nothing is lost by
        // it: each letter of ours has one recipient.
        (false, Weight::Hard) if several => Weight::Soft,
        (false, weight) => weight,
    };
    let failure = |address| Failure { addresses: vec![address], weight: weigh(), status: status.clone() };
    addresses.into_iter().take(MOST).map(failure).collect()
}

/// `<a@example.org>:` (qmail, Postfix), or an address alone on its line (Exim, Exchange, Gmail).
fn address_line(line: &str) -> Option<String> {
    let first = line.split_whitespace().next()?;
    let alone = line.split_whitespace().nth(1).is_none();
    let marked = first.starts_with('<');
    if !marked && !alone {
        return None;
    }
    // Exchange: `a@example.org<mailto:a@example.org>`.
    let first = first.split("<mailto:").next()?;
    headers::normal_address(first.trim_end_matches([':', ',']))
}

/// How much a failure weighs. Hard is what says that the address does not exist: a letter is refused for its content
/// (5.6, 5.7), its sender (5.1.7, 5.1.8) or a full mailbox (5.2.2) without its reader being gone.
fn weight(status: Option<&str>, said: &str) -> Weight {
    match status {
        Some("5.1.7" | "5.1.8" | "5.1.9") => Weight::Soft,
        Some("5.2.1" | "5.4.4") => Weight::Hard,
        Some(status) if status.starts_with("5.1.") => Weight::Hard,
        Some(status) if status.ends_with(".0.0") || status == "5.5.0" => by_words(said),
        Some(_) => Weight::Soft,
        None => by_words(said),
    }
}

/// What servers say of an address that does not exist.
const GONE: &[&str] = &[
    "user unknown",
    "unknown user",
    "user not found",
    "no such user",
    "no such local user",
    "no such recipient",
    "no mailbox here by that name",
    "unknown local part",
    "invalid mailbox",
    "invalid recipient",
    "unknown recipient",
    "recipient unknown",
    "unrouteable address",
    "account is disabled",
    "account has been disabled",
    "does not exist",
    "doesn't exist",
    "host or domain name not found",
    "couldn't find any host",
    "couldn't be found",
    // The domain says that it takes no mail at all (RFC 7505; 5.1.10).
    "indicated no smtp service",
    "does not accept mail",
    "нет такого пользователя",
    "не существует",
];

fn by_words(said: &str) -> Weight {
    // A sentence may be wrapped.
    let said = said.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    // A 550 that comes only after the whole letter is of its content, whatever it says (RFC 5321, 4.3.2): who is unknown
    // is refused before.
    if said.contains("end of data") {
        return Weight::Soft;
    }
    if GONE.iter().any(|words| said.contains(words)) { Weight::Hard } else { Weight::Soft }
}

/// The first enhanced status code of a text (RFC 3463): class, subject, detail. An IP address has four numbers.
fn status_in(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.')).find_map(|word| {
        let numbers: Vec<&str> = word.split('.').take(4).collect();
        let sound = |number: &&str| (1..=3).contains(&number.len());
        let class = numbers.first().is_some_and(|class| matches!(*class, "2" | "4" | "5"));
        (numbers.len() == 3 && class && numbers.iter().all(sound)).then(|| word.to_owned())
    })
}

/// Here the returned letter begins.
fn is_returned(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    ["received:", "return-path:", "message-id:", "------ this is a copy", "--- below this line is a copy"]
        .iter()
        .any(|beginning| line.starts_with(beginning))
}

/// A field of a letter that is returned in the text itself; its value may stand on the next line.
fn in_prose(prose: &str, wanted: &str, read: impl Fn(&Headers<'_>) -> Vec<String>) -> Vec<String> {
    let mut lines = prose.lines();
    while let Some(line) = lines.next() {
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.trim().eq_ignore_ascii_case(wanted) {
            let value = if value.trim().is_empty() { lines.next().unwrap_or_default() } else { value };
            let block = format!("{wanted}: {}\n\n", value.trim());
            return read(&headers::split(block.as_bytes()).0);
        }
    }
    Vec::new()
}
