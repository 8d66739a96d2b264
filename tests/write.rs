//! Our letters on the wire: what is written is what is read back, and nothing else gets in.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail with the test")]

use mail_parser::{MessageParser, MimeHeaders};
use proptest::prelude::*;

use omerta::mail::write::{LOOP_MARK, write};
use omerta::mail::{Attachment, AutoSubmitted, Outgoing};

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
        pictures: Vec::new(),
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
    assert_eq!(bytes.iter().filter(|&&b| b == b'\n').count(), bytes.windows(2).filter(|pair| pair == b"\r\n").count());
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
    // The boundary is the letter's own.
    let boundary = |raw: &str| raw.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let other = write(&Outgoing { message_id: "another@example.org".into(), ..out.clone() }).unwrap();
    assert_ne!(boundary(&raw), boundary(&String::from_utf8(other).unwrap()));
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
