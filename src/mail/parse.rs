//! Bytes into an [`Incoming`]. Never fails: what can't be read is missing or marked, never a panic; the work is linear in
//! the size of the letter.

use std::borrow::Cow;

use super::encoded::Words;
use super::headers::{self, Headers, MediaType};
use super::identity::{Testimony, mailbox};
use super::{Automatic, Incoming, automatic, body, encoded};

/// What is read of a letter at most. More is dropped, silently: no person writes so much.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the whole letter.
    pub message: usize,
    /// MIME parts.
    pub parts: usize,
    /// Multiparts inside each other.
    pub depth: usize,
    /// Bytes of readable text, all parts together.
    pub text: usize,
    /// Bytes of HTML, all parts together.
    pub page: usize,
    /// Characters of the subject.
    pub subject: usize,
    /// Message-IDs of In-Reply-To and References.
    pub references: usize,
    /// Addresses of To, Cc and Delivered-To.
    pub recipients: usize,
}

pub const LIMITS: Limits = Limits {
    message: 32 * 1024 * 1024,
    parts: 200,
    depth: 20,
    text: 512 * 1024,
    page: 4 * 1024 * 1024,
    subject: 1000,
    references: 50,
    recipients: 100,
};

/// Longest raw subject decoded, in bytes.
const RAW_SUBJECT: usize = 8 * 1024;

/// Reads a letter. `own` is our own address, if known: a letter from it is no person's.
pub fn parse(bytes: &[u8], own: Option<&str>) -> Incoming {
    read(bytes, own, |_| false)
}

/// As [`parse`], for those who act on what a person writes. Automatic mail says nothing to them: of it only the sender,
/// the Message-ID and the hash of the body are read, by which it may be a second copy of a person's letter.
pub fn parse_persons(bytes: &[u8], own: &str) -> Incoming {
    read(bytes, Some(own), |automatic| automatic.is_some())
}

fn read(bytes: &[u8], own: Option<&str>, hears_nothing: impl Fn(Option<Automatic>) -> bool) -> Incoming {
    let bytes = with_line_feeds(bytes.get(..LIMITS.message).unwrap_or(bytes));
    let (headers, rest) = headers::split(&bytes);
    let media = headers.media_type("content-type");
    let nothing = MediaType::default();
    let said = media.as_ref().unwrap_or(&nothing);
    let from = sender(&headers);
    let automatic = automatic::recognise(&headers, said, from.as_deref(), own);
    let message_id = headers.message_ids("message-id").into_iter().next();
    if hears_nothing(automatic) {
        let body_hash = body::hash(&headers, media, rest);
        return Incoming { automatic, from, message_id, body_hash, ..Incoming::default() };
    }
    let subject = subject(&headers, said.parameter("charset"));
    let body = body::read(&headers, media, rest);
    let (refers_to, answers) = refers_to(&headers);
    Incoming {
        automatic,
        from,
        testimony: Testimony::of(&headers),
        subject: subject.text,
        body: body.text,
        undecodable: body.undecodable,
        // The receipt names one guess: that of the body, or of a subject that had none beside it.
        charset: subject.guess.filter(|_| !body.charset.guessed).unwrap_or(body.charset),
        message_id,
        refers_to,
        answers,
        recipients: recipients(&headers),
        body_hash: body.hash,
        picture: body.picture,
    }
}

/// The sender of [`parse`] alone, for a letter's head: thousands are asked whose they are before one is read.
pub fn sender_of(head: &[u8]) -> Option<String> {
    sender(&headers::split(&with_line_feeds(head.get(..LIMITS.message).unwrap_or(head))).0)
}

/// Letters that were saved with bare carriage returns get line ends that mail has.
pub(super) fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.contains(&b'\n') || !bytes.contains(&b'\r') {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().map(|b| if *b == b'\r' { b'\n' } else { *b }).collect())
}

/// The one address of the one From. Two of either are nobody's.
fn sender(headers: &Headers<'_>) -> Option<String> {
    let mut fields = headers.all("from");
    let (Some(field), None) = (fields.next(), fields.next()) else { return None };
    mailbox::plain(field).or_else(|| sender_in(headers, field))
}

/// As [`sender`], whatever the field looks like.
fn sender_in(headers: &Headers<'_>, field: &[u8]) -> Option<String> {
    let address = headers.sole_address("from")?;
    let (local, domain) = address.rsplit_once('@')?;
    let address = if domain.is_ascii() { address } else { format!("{local}@{}", mailbox::ascii_domain(domain)?) };
    mailbox::is_sole_mailbox(field, &address).then_some(address)
}

fn subject(headers: &Headers<'_>, hint: Option<&str>) -> Words {
    let raw = headers.raw("subject").unwrap_or_default();
    let raw = raw.get(..RAW_SUBJECT).unwrap_or(raw);
    let unfolded: Vec<u8> = raw.iter().copied().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    let words = encoded::decode_words(unfolded.trim_ascii(), hint);
    let text = words.text.chars().map(|c| if c.is_control() { ' ' } else { c });
    Words { text: text.take(LIMITS.subject).collect::<String>().trim().to_owned(), guess: words.guess }
}

/// And how many of them the letter answers.
fn refers_to(headers: &Headers<'_>) -> (Vec<String>, usize) {
    let mut ids = headers.message_ids("in-reply-to");
    let mut references = headers.message_ids("references");
    // The nearest letters stand last.
    ids.truncate(LIMITS.references);
    let answers = ids.len();
    let room = LIMITS.references - answers;
    ids.extend(references.split_off(references.len().saturating_sub(room)));
    (ids, answers)
}

fn recipients(headers: &Headers<'_>) -> Vec<String> {
    const FIELDS: &[&str] = &["to", "cc", "delivered-to", "x-original-to", "envelope-to"];
    let mut recipients: Vec<String> = Vec::new();
    for address in FIELDS.iter().flat_map(|field| headers.addresses(field)) {
        if recipients.len() < LIMITS.recipients && !recipients.contains(&address) {
            recipients.push(address);
        }
    }
    recipients
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of which senders are made, and what tricks are made of.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "anna",
            "Anna",
            "x.test",
            "mail.ru",
            "10.0.0.1",
            "a+b",
            "=?utf-8?B?0JDQvdC90LA=?=",
            "=?utf-8?B?PGFAYi50ZXN0Pg==?=",
            "=?utf-8?q?=3Ca=40b.test=3E?=",
            "=?utf-8?B?YUBiLnRlc3Q=?=",
            "=?utf-8?q?a=40b.test=2C?=",
            "=?koi8-r?q?",
            "?=",
            "Don Pedro",
            "@",
            "<",
            ">",
            " ",
            "\r\n ",
            ".",
            "-",
            "_",
            "'",
            "\"",
            ",",
            ";",
            ":",
            "(",
            ")",
            "\\",
            "Ян",
            "..",
            "group: ",
            "<a@b.test>",
            "a@b.test",
            "<p@X.test>",
            " <p@x.test>",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

        #[test]
        fn a_plain_sender_is_the_same_read_in_either_way(pieces in prop::collection::vec(piece(), 0..7)) {
            let letter = format!("From: {}\r\n\r\n", pieces.concat());
            let (headers, _) = headers::split(letter.as_bytes());
            let field = headers.raw("from").unwrap_or_default();
            if let Some(address) = mailbox::plain(field) {
                prop_assert_eq!(sender_in(&headers, field), Some(address));
            }
        }
    }

    #[test]
    fn of_automatic_mail_is_read_what_makes_it_a_copy_of_a_persons() {
        let head = "From: p@game.test\r\nMessage-ID: <a@b>\r\nSubject: x\r\nTo: o@game.test\r\n";
        let plain = "Content-Type: text/plain; charset=utf-8\r\n\r\nСуд Линча - Анна \r\n";
        let encoded = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n\
                       0KHRg9C0INCb0LjQvdGH0LAgLSDQkNC90L3QsA==\r\n";
        let parts = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\n\
                     Content-Type: image/png\r\n\r\ny\r\n--b--\r\n";
        for body in [plain, encoded, parts] {
            let persons = format!("{head}{body}");
            let listed = format!("List-Id: <l.test>\r\n{head}{body}");
            let whole = parse(persons.as_bytes(), Some("o@game.test"));
            assert_eq!(parse_persons(persons.as_bytes(), "o@game.test"), whole);
            let copy = parse_persons(listed.as_bytes(), "o@game.test");
            assert_eq!(copy.automatic, Some(Automatic::List));
            assert_eq!(
                (&copy.from, &copy.message_id, &copy.body_hash),
                (&whole.from, &whole.message_id, &whole.body_hash)
            );
            assert_eq!((copy.body.as_str(), copy.picture.len()), ("", 0));
        }
    }
}
