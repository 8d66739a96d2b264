//! An [`Outgoing`] into the bytes of a letter (RFC 5322). The bytes are a pure function of the value: no clock, no
//! random boundary, no host name, so that a retry sends the very same letter.

use mail_builder::MessageBuilder;
use mail_builder::headers::HeaderType;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use mail_builder::headers::text::Text;
use mail_builder::mime::MimePart;
use sha2::{Digest, Sha256};

use crate::mail::{Attachment, AutoSubmitted, Outgoing, Picture};

/// The value of our `X-Loop`: a letter that bears it is our own.
pub const LOOP_MARK: &str = "omerta";

/// A header that can't be written. It never holds the value: that may be a secret or an attack on the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header {header} can't be written: {why}")]
pub struct HeaderFault {
    pub header: String,
    pub why: &'static str,
}

/// Writes the letter: one recipient, text/plain in UTF-8, CRLF throughout, 7-bit on the wire (plain ASCII as it is,
/// everything else quoted-printable or base64).
///
/// The Message-IDs that the letter answers come from other people's letters: those that don't look like one are left
/// out, and of References the last ten are written.
///
/// # Errors
/// A header value with a control character (CR, LF, NUL, ...), also one hidden in an encoded word; an address that is
/// not one; a header of `extra` that is not a name or that the letter has already.
pub fn write(out: &Outgoing) -> Result<Vec<u8>, HeaderFault> {
    let mut letter = MessageBuilder::new()
        .from(mailbox("From", &out.from)?)
        .to(mailbox("To", &out.to)?)
        .header("Subject", checked("Subject", &out.subject)?)
        .date(Date::new(out.date.as_second()));
    if !is_message_id(&out.message_id) {
        return Err(fault("Message-ID", "it is not a message id"));
    }
    letter = letter.message_id(MessageId::new(out.message_id.as_str()));
    if let Some(reply_to) = &out.reply_to {
        letter = letter.reply_to(mailbox("Reply-To", reply_to)?);
    }
    letter = thread(letter, out);
    letter = robot_headers(letter, out)?;
    letter.body(body(out)?).write_to_vec().map_err(|_| fault("body", "out of memory"))
}

const MAX_REFERENCES: usize = 10;
/// RFC 5321 allows 254 bytes; a little more does no harm, a line over 998 would.
const MAX_ADDRESS: usize = 320;
const MAX_MESSAGE_ID: usize = 250;
const WRITTEN_BY_US: [&str; 17] = [
    "from",
    "to",
    "cc",
    "bcc",
    "reply-to",
    "sender",
    "subject",
    "date",
    "message-id",
    "in-reply-to",
    "references",
    "auto-submitted",
    "x-auto-response-suppress",
    "x-loop",
    "x-omerta-letter",
    "x-omerta-game",
    "x-omerta-turn",
];

fn fault(header: &str, why: &'static str) -> HeaderFault {
    HeaderFault { header: header.to_owned(), why }
}

fn thread<'a>(mut letter: MessageBuilder<'a>, out: &'a Outgoing) -> MessageBuilder<'a> {
    if let Some(id) = out.in_reply_to.as_deref().filter(|id| is_message_id(id)) {
        letter = letter.in_reply_to(MessageId::new(id));
    }
    let mut references: Vec<&str> = out.references.iter().map(String::as_str).filter(|id| is_message_id(id)).collect();
    let surplus = references.len().saturating_sub(MAX_REFERENCES);
    references.drain(..surplus);
    if references.is_empty() { letter } else { letter.references(MessageId::new_list(references.into_iter())) }
}

fn robot_headers<'a>(mut letter: MessageBuilder<'a>, out: &'a Outgoing) -> Result<MessageBuilder<'a>, HeaderFault> {
    let auto = match out.auto {
        AutoSubmitted::Replied => Some("auto-replied"),
        AutoSubmitted::Generated => Some("auto-generated"),
        AutoSubmitted::Absent => None,
    };
    if let Some(auto) = auto {
        letter = letter.header("Auto-Submitted", Raw::new(auto));
        // Forums take this header, too, for the sign of a robot: it goes where Auto-Submitted goes.
        letter = letter.header("X-Auto-Response-Suppress", Raw::new("All"));
    }
    letter = letter.header("X-Loop", Raw::new(LOOP_MARK));
    letter = letter.header("X-Omerta-Letter", checked("X-Omerta-Letter", &out.kind)?);
    if let Some(game) = &out.game {
        letter = letter.header("X-Omerta-Game", checked("X-Omerta-Game", game)?);
    }
    letter = letter.header("X-Omerta-Turn", Raw::new(out.turn.to_string()));
    for (name, value) in &out.extra {
        let is_name = !name.is_empty() && name.len() <= 70 && name.bytes().all(|b| b.is_ascii_graphic() && b != b':');
        if !is_name {
            return Err(fault("extra", "its name is not a header name"));
        }
        let lower = name.to_ascii_lowercase();
        if WRITTEN_BY_US.contains(&lower.as_str()) || lower == "mime-version" || lower.starts_with("content-") {
            return Err(fault(name, "the letter has it already"));
        }
        letter = letter.header(name, checked(name, value)?);
    }
    Ok(letter)
}

/// A text header's value: checked, and in encoded words where it must be.
fn checked<'a>(name: &str, value: &'a str) -> Result<HeaderType<'a>, HeaderFault> {
    refuse_controls(name, value)?;
    if !value.contains("=?") {
        return Ok(Text::new(value).into());
    }
    // Written as it stands, a nick such as `=?utf-8?B?0J8=?=` would be read as another one.
    refuse_controls(name, &decoded(value))?;
    Ok(Raw::new(encoded_words(value)).into())
}

fn refuse_controls(header: &str, value: &str) -> Result<(), HeaderFault> {
    if value.chars().any(char::is_control) { Err(fault(header, "it holds a control character")) } else { Ok(()) }
}

/// What a reader of the header would see after decoding its encoded words.
fn decoded(value: &str) -> String {
    let header = format!("Subject: {value}\r\n\r\n");
    mail_parser::MessageParser::new()
        .parse_headers(header.as_bytes())
        .and_then(|letter| letter.subject().map(str::to_owned))
        .unwrap_or_default()
}

/// RFC 2047, base64, words of at most 75 characters, cut between characters only.
fn encoded_words(value: &str) -> String {
    const PAYLOAD: usize = 45;
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in value.chars() {
        if word.len() + letter.len_utf8() > PAYLOAD {
            words.push(std::mem::take(&mut word));
        }
        word.push(letter);
    }
    words.push(word);
    let encode = |word: &String| format!("=?utf-8?B?{}?=", data_encoding::BASE64.encode(word.as_bytes()));
    words.iter().map(encode).collect::<Vec<_>>().join(" ")
}

/// `Name <local@domain>`, `<local@domain>` or `local@domain`.
fn mailbox<'a>(header: &str, value: &'a str) -> Result<Address<'a>, HeaderFault> {
    refuse_controls(header, value)?;
    let value = value.trim();
    let (name, address) = match value.strip_suffix('>').and_then(|value| value.rsplit_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"').trim(), address),
        None => ("", value),
    };
    let special = |b: u8| b"<>()[]\\,;:\"".contains(&b);
    let is_address = address.len() <= MAX_ADDRESS
        && address.bytes().all(|b| b.is_ascii_graphic() && !special(b))
        && address
            .split_once('@')
            .is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty() && !domain.contains('@'));
    if !is_address {
        return Err(fault(header, "it is not one plain address"));
    }
    Ok(Address::new_address((!name.is_empty()).then_some(name), address))
}

fn is_message_id(id: &str) -> bool {
    let special = |b: u8| b == b'<' || b == b'>';
    !id.is_empty() && id.len() <= MAX_MESSAGE_ID && id.bytes().all(|b| b.is_ascii_graphic() && !special(b))
}

fn body(out: &Outgoing) -> Result<MimePart<'_>, HeaderFault> {
    let text = MimePart::new("text/plain", canonical(&out.text));
    if out.attachments.is_empty() && out.pictures.is_empty() {
        return Ok(text);
    }
    let mut parts = vec![text];
    for Attachment { name, text } in &out.attachments {
        file_name(name)?;
        // Named in Content-Type as well: some webmail looks only there.
        let kind = ContentType::new("text/plain").attribute("charset", "utf-8").attribute("name", name);
        parts.push(MimePart::new(kind, canonical(text)).attachment(name.as_str()));
    }
    for Picture { name, jpeg } in &out.pictures {
        file_name(name)?;
        let kind = ContentType::new("image/jpeg").attribute("name", name);
        parts.push(MimePart::new(kind, jpeg.as_slice()).attachment(name.as_str()));
    }
    let kind = ContentType::new("multipart/mixed").attribute("boundary", boundary(&out.message_id));
    Ok(MimePart::new(kind, parts))
}

fn file_name(name: &str) -> Result<(), HeaderFault> {
    let fits =
        !name.is_empty() && name.len() <= 70 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if fits { Ok(()) } else { Err(fault("Content-Disposition", "the file name is not plain ASCII")) }
}

/// The letter's own Message-ID gives the boundary. `=_` stands in no base64 and no quoted-printable text, and nobody
/// who writes what we quote can know the id of a letter that is not yet written.
fn boundary(message_id: &str) -> String {
    let digest = Sha256::digest(message_id.as_bytes());
    let hex = data_encoding::HEXLOWER.encode(&digest);
    format!("=_{}", hex.chars().take(32).collect::<String>())
}

/// Lines that end in CRLF, the last one too, without other control characters: those become U+FFFD, so that a reader
/// sees that something stood there.
fn canonical(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 32 + 2);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => {
                letters.next_if_eq(&'\n');
                lines.push_str("\r\n");
            }
            '\n' => lines.push_str("\r\n"),
            '\t' => lines.push('\t'),
            _ if letter.is_control() => lines.push(char::REPLACEMENT_CHARACTER),
            _ => lines.push(letter),
        }
    }
    if !lines.ends_with("\r\n") {
        lines.push_str("\r\n");
    }
    lines
}
