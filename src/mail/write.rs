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

use crate::mail::{Attachment, AutoSubmitted, Outgoing};

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
    if out.attachments.is_empty() {
        return Ok(text);
    }
    let mut parts = vec![text];
    for Attachment { name, text } in &out.attachments {
        let is_name = !name.is_empty()
            && name.len() <= 70
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        if !is_name {
            return Err(fault("Content-Disposition", "the file name is not plain ASCII"));
        }
        // Named in Content-Type as well: some webmail looks only there.
        let kind = ContentType::new("text/plain").attribute("charset", "utf-8").attribute("name", name);
        parts.push(MimePart::new(kind, canonical(text)).attachment(name.as_str()));
    }
    let kind = ContentType::new("multipart/mixed").attribute("boundary", boundary(&out.message_id));
    Ok(MimePart::new(kind, parts))
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

#[cfg(test)]
mod tests {
    use mail_parser::{MessageParser, MimeHeaders};
    use proptest::prelude::*;

    use super::*;

    fn letter() -> Outgoing {
        Outgoing {
            from: "Омерта <mafia@example.org>".into(),
            to: "anna@example.net".into(),
            reply_to: Some("mafia+k7q2@example.org".into()),
            message_id: "k7q2.1.receipt@example.org".into(),
            in_reply_to: Some("abc@client.test".into()),
            references: (0..12).map(|n| format!("r{n}@client.test")).collect(),
            date: "2026-12-01T12:40:12Z".parse().unwrap(),
            subject: "[palermo] Ход 3: принято 1 из 2".into(),
            text: "Принято.\n\n  • за вами голос: Дон Педро\n.\nFrom here\n".into(),
            attachments: vec![],
            kind: "receipt".into(),
            game: Some("palermo".into()),
            turn: 3,
            auto: AutoSubmitted::Replied,
            extra: vec![("X-Omerta-Role".into(), "doctor".into())],
        }
    }

    fn header<'a>(parsed: &'a mail_parser::Message<'_>, name: &str) -> Option<&'a str> {
        parsed.header_raw(mail_parser::HeaderName::parse(name.to_owned())?).map(str::trim)
    }

    fn check_wire(bytes: &[u8]) {
        assert!(bytes.ends_with(b"\r\n"));
        for line in bytes.split(|&b| b == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            assert!(line.len() <= 998, "a line of {} bytes", line.len());
            assert!(!line.contains(&b'\r'));
        }
        assert_eq!(
            bytes.iter().filter(|&&b| b == b'\n').count(),
            bytes.windows(2).filter(|pair| pair == b"\r\n").count()
        );
        assert!(bytes.iter().all(|&b| b.is_ascii() && b != 0));
        let head = String::from_utf8_lossy(bytes);
        let head = head.split("\r\n\r\n").next().unwrap().to_lowercase();
        assert!(!head.contains("\r\nbcc:") && !head.contains("\r\ncc:"));
    }

    #[test]
    fn a_letter_is_read_back_as_it_was_written() {
        let out = letter();
        let bytes = write(&out).unwrap();
        check_wire(&bytes);
        let read = MessageParser::new().parse(&bytes).unwrap();
        let from = read.from().unwrap().first().unwrap();
        assert_eq!((from.name(), from.address()), (Some("Омерта"), Some("mafia@example.org")));
        assert_eq!(read.to().unwrap().first().unwrap().address(), Some("anna@example.net"));
        assert_eq!(read.to().unwrap().iter().count(), 1);
        assert_eq!(read.reply_to().unwrap().first().unwrap().address(), Some("mafia+k7q2@example.org"));
        assert_eq!(read.subject(), Some(out.subject.as_str()));
        assert_eq!(read.message_id(), Some(out.message_id.as_str()));
        assert_eq!(read.in_reply_to().as_text(), Some("abc@client.test"));
        let references = read.references().as_text_list().unwrap();
        assert_eq!((references.len(), &*references[0]), (10, "r2@client.test"));
        assert_eq!(read.date().unwrap().to_timestamp(), out.date.as_second());
        assert_eq!(read.body_text(0).unwrap(), out.text.replace('\n', "\r\n"));
        for (name, value) in [
            ("Auto-Submitted", "auto-replied"),
            ("X-Auto-Response-Suppress", "All"),
            ("X-Loop", LOOP_MARK),
            ("X-Omerta-Letter", "receipt"),
            ("X-Omerta-Game", "palermo"),
            ("X-Omerta-Turn", "3"),
            ("X-Omerta-Role", "doctor"),
            ("MIME-Version", "1.0"),
        ] {
            assert_eq!(header(&read, name), Some(value), "{name}");
        }
        assert_eq!(bytes, write(&out).unwrap());
    }

    #[test]
    fn a_forum_gets_no_sign_of_a_robot() {
        let bytes = write(&Outgoing { auto: AutoSubmitted::Absent, ..letter() }).unwrap();
        let text = String::from_utf8(bytes).unwrap().to_lowercase();
        assert!(!text.contains("auto-submitted") && !text.contains("auto-response"));
        let bytes = write(&Outgoing { auto: AutoSubmitted::Generated, ..letter() }).unwrap();
        assert!(String::from_utf8(bytes).unwrap().contains("\r\nAuto-Submitted: auto-generated\r\n"));
    }

    #[test]
    fn an_attachment_is_a_named_part_and_the_bytes_are_the_same_each_time() {
        let markup = "[b]Итоги хода 3[/b]\n[quote]a=b[/quote]\n";
        let attachments = vec![Attachment { name: "summary.bbcode.txt".into(), text: markup.into() }];
        let out = Outgoing { attachments, ..letter() };
        let bytes = write(&out).unwrap();
        check_wire(&bytes);
        assert_eq!(bytes, write(&out).unwrap());
        let read = MessageParser::new().parse(&bytes).unwrap();
        assert_eq!(read.body_text(0).unwrap(), out.text.replace('\n', "\r\n"));
        assert_eq!(read.attachment_count(), 1);
        let part = read.attachment(0).unwrap();
        assert_eq!(part.attachment_name(), Some("summary.bbcode.txt"));
        assert!(part.content_disposition().unwrap().is_attachment());
        assert_eq!(part.content_type().unwrap().attribute("charset"), Some("utf-8"));
        assert_eq!(part.text_contents().unwrap(), markup.replace('\n', "\r\n"));
        let raw = String::from_utf8(bytes).unwrap();
        assert!(raw.contains("filename=\"summary.bbcode.txt\""));
        assert_ne!(boundary("a@b"), boundary("a@c"));
    }

    #[test]
    fn a_control_character_in_a_header_is_refused_and_never_repeated() {
        for bad in ["a\r\nBcc: x@y.test", "a\nb", "a\rb", "a\0b", "a\u{7f}", "a\u{85}b", "a\tb"] {
            let cases = [
                ("From", Outgoing { from: format!("{bad} <a@b.test>"), ..letter() }),
                ("To", Outgoing { to: format!("{bad}@b.test"), ..letter() }),
                ("Reply-To", Outgoing { reply_to: Some(format!("{bad}@b.test")), ..letter() }),
                ("Subject", Outgoing { subject: format!("Ник {bad}"), ..letter() }),
                ("Message-ID", Outgoing { message_id: format!("{bad}@b.test"), ..letter() }),
                ("X-Omerta-Letter", Outgoing { kind: bad.into(), ..letter() }),
                ("X-Omerta-Game", Outgoing { game: Some(bad.into()), ..letter() }),
                ("List-Id", Outgoing { extra: vec![("List-Id".into(), bad.into())], ..letter() }),
                ("extra", Outgoing { extra: vec![(format!("X-{bad}"), "v".into())], ..letter() }),
                (
                    "Content-Disposition",
                    Outgoing { attachments: vec![Attachment { name: bad.into(), text: String::new() }], ..letter() },
                ),
            ];
            for (name, out) in cases {
                let fault = write(&out).unwrap_err();
                assert_eq!(fault.header, name, "{bad:?}");
                assert!(!fault.to_string().contains(bad));
            }
        }
    }

    #[test]
    fn an_encoded_word_in_a_nick_hides_nothing() {
        // It decodes to CR LF.
        let hidden = Outgoing { subject: "[palermo] =?utf-8?B?DQpCY2M6IHhAeS50ZXN0?=".into(), ..letter() };
        assert_eq!(write(&hidden).unwrap_err().header, "Subject");
        // It decodes to another nick: the reader must see what was written.
        for literal in ["[palermo] =?utf-8?B?0J8=?=".to_owned(), "=?x".to_owned(), "=?q?Ж ".repeat(60) + "."] {
            let out = Outgoing { subject: literal.clone(), ..letter() };
            let bytes = write(&out).unwrap();
            check_wire(&bytes);
            assert_eq!(MessageParser::new().parse(&bytes).unwrap().subject(), Some(literal.as_str()));
        }
    }

    #[test]
    fn what_is_not_an_address_is_refused() {
        for bad in ["", "a", "@b", "a@", "a@b, c@d", "a@b c", "a@b>x", "<a@b", "я@b.test", "a@b@c"] {
            assert_eq!(write(&Outgoing { to: bad.into(), ..letter() }).unwrap_err().header, "To", "{bad:?}");
        }
        let long = format!("{}@b.test", "a".repeat(400));
        assert!(write(&Outgoing { to: long, ..letter() }).is_err());
    }

    #[test]
    fn headers_that_would_double_ours_are_refused() {
        for name in ["Bcc", "to", "SUBJECT", "X-Loop", "Content-Type", "MIME-Version"] {
            let extra = vec![(name.to_owned(), "x@y.test".to_owned())];
            assert_eq!(write(&Outgoing { extra, ..letter() }).unwrap_err().header, name);
        }
    }

    #[test]
    fn a_strangers_message_id_is_left_out_when_it_is_none() {
        let strange = ["a\r\nBcc: x@y", "a b@c", "", "я@b", "a>@b", &"x".repeat(5000)];
        for id in strange {
            let out = Outgoing { in_reply_to: Some(id.to_owned()), references: vec![id.to_owned()], ..letter() };
            let bytes = write(&out).unwrap();
            check_wire(&bytes);
            let text = String::from_utf8(bytes).unwrap();
            assert!(!text.contains("In-Reply-To") && !text.contains("References"), "{id:?}");
        }
    }

    proptest! {
        #[test]
        fn any_words_at_all_make_a_clean_letter(
            subject in any::<String>(), text in any::<String>(), markup in any::<String>(), kind in any::<String>()
        ) {
            let attachments = vec![Attachment { name: "summary.txt".into(), text: markup }];
            let out = Outgoing { subject, text, attachments, kind, ..letter() };
            if let Ok(bytes) = write(&out) {
                check_wire(&bytes);
                prop_assert_eq!(&bytes, &write(&out).unwrap());
                let read = MessageParser::new().parse(&bytes).unwrap();
                prop_assert_eq!(read.attachment_count(), 1);
                prop_assert_eq!(read.subject().unwrap_or_default().trim(), out.subject.trim());
            } else {
                prop_assert!((out.subject + &out.kind).chars().any(char::is_control)
                    || out.kind.contains("=?"));
            }
        }
    }
}
