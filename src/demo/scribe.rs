//! Writes letters as people's mail programs do: old charsets, quotes above and below, signatures, HTML.

use std::fs;
use std::io;
use std::path::Path;

use encoding_rs::{Encoding, KOI8_R, UTF_8, WINDOWS_1251};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::letters::Lang;

/// A letter of a player, before it is bytes.
#[derive(Clone, Debug)]
pub struct Note {
    /// Somebody's name in his mail program; may be empty.
    pub name: String,
    pub address: String,
    pub to: String,
    pub subject: String,
    /// Without angle brackets.
    pub message_id: String,
    /// The letter that is answered.
    pub answers: Option<Answered>,
    pub lines: Vec<String>,
    pub style: Style,
    /// What the sender's clock shows: nobody believes it.
    pub date: Timestamp,
    pub lang: Lang,
}

/// A letter of ours, as it is quoted.
#[derive(Clone, Debug)]
pub struct Answered {
    pub message_id: String,
    pub text: String,
    pub date: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub coding: Coding,
    pub quote: Quote,
    pub signature: Signature,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Utf8Base64,
    Utf8Quoted,
    Koi8,
    Windows1251Quoted,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    None,
    /// The answer stands above the quote.
    Below,
    /// The answer stands under the quote.
    Above,
    /// A block of headers instead of marks, as Outlook does.
    Outlook,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    None,
    Dashes,
    Phone,
}

/// The bytes of the letter. What an old charset can't say is written in UTF-8.
pub fn write(note: &Note) -> Vec<u8> {
    let text = lines(note).join("\r\n") + "\r\n";
    let coding = fitting(note.style.coding, &format!("{}{}{text}", note.subject, note.name));
    let charset = encoding_of(coding);
    let name = charset.name().to_ascii_lowercase();
    let mut head = String::new();
    head.push_str(&format!("Return-Path: <{}>\r\n", note.address));
    head.push_str(&format!("From: {}<{}>\r\n", display_name(&note.name, charset), note.address));
    head.push_str(&format!("To: {}\r\n", note.to));
    head.push_str(&format!("Subject: {}\r\n", header_text(&note.subject, charset)));
    head.push_str(&format!("Date: {}\r\n", rfc2822(note.date)));
    head.push_str(&format!("Message-ID: <{}>\r\n", note.message_id));
    if let Some(answered) = &note.answers {
        head.push_str(&format!("In-Reply-To: <{0}>\r\nReferences: <{0}>\r\n", answered.message_id));
    }
    head.push_str("MIME-Version: 1.0\r\n");
    let (kind, transfer, body) = match coding {
        Coding::Utf8Base64 => ("plain", "base64", base64(text.as_bytes())),
        Coding::Html => ("html", "base64", base64(html(&text).as_bytes())),
        Coding::Koi8 => ("plain", "8bit", charset.encode(&text).0.into_owned()),
        Coding::Utf8Quoted | Coding::Windows1251Quoted => {
            ("plain", "quoted-printable", quoted_printable(&charset.encode(&text).0))
        }
    };
    head.push_str(&format!("Content-Type: text/{kind}; charset={name}\r\n"));
    head.push_str(&format!("Content-Transfer-Encoding: {transfer}\r\n\r\n"));
    let mut bytes = head.into_bytes();
    bytes.extend(body);
    bytes
}

/// Puts the letter into a Maildir as a mail server would, taken at that time; `number` tells letters of one
/// microsecond apart.
///
/// # Errors
/// Those of the file system.
pub fn hand_in(inbox: &Path, bytes: &[u8], arrived: Timestamp, number: usize) -> io::Result<()> {
    let name = format!("{}.M{:06}P1Q{number}.demo", arrived.as_second(), arrived.subsec_microsecond().max(0));
    let tmp = inbox.join("tmp").join(&name);
    fs::write(&tmp, bytes)?;
    fs::rename(tmp, inbox.join("new").join(name))
}

fn lines(note: &Note) -> Vec<String> {
    let mut own = note.lines.clone();
    match (note.style.signature, note.lang) {
        (Signature::None, _) => {}
        (Signature::Dashes, Lang::Ru) => {
            own.extend(["-- ", "С уважением,", "совершенно мирный житель"].map(String::from))
        }
        (Signature::Dashes, Lang::En) => {
            own.extend(["-- ", "Regards,", "a perfectly peaceful citizen"].map(String::from))
        }
        (Signature::Phone, Lang::Ru) => own.extend(["", "Отправлено с iPhone"].map(String::from)),
        (Signature::Phone, Lang::En) => own.extend(["", "Sent from my iPhone"].map(String::from)),
    }
    let Some(answered) = &note.answers else { return own };
    let quoted = || answered.text.lines().map(|line| format!("> {}", line.trim_end()));
    let attribution = attribution(note, answered);
    match note.style.quote {
        Quote::None => own,
        Quote::Below => {
            own.extend([String::new(), attribution]);
            own.extend(quoted());
            own
        }
        Quote::Above => {
            let mut all = vec![attribution];
            all.extend(quoted());
            all.push(String::new());
            all.extend(own);
            all
        }
        Quote::Outlook => {
            own.extend(outlook_block(note, answered));
            own.extend(answered.text.lines().map(|line| line.trim_end().to_owned()));
            own
        }
    }
}

fn attribution(note: &Note, answered: &Answered) -> String {
    let sent = answered.date.to_zoned_datetime(TimeZone::UTC);
    let (day, time) = (sent.strftime("%d.%m.%Y"), sent.strftime("%H:%M"));
    match (note.lang, note.message_id.len() % 3) {
        (Lang::En, _) => format!("On {day} at {time}, Omerta <{}> wrote:", note.to),
        (Lang::Ru, 0) => format!("{day}, {time}, \"Омерта\" <{}>:", note.to),
        (Lang::Ru, 1) => format!("{day} {time}, Омерта пишет:"),
        (Lang::Ru, _) => format!("вт, {day} г. в {time}, Омерта <{}>:", note.to),
    }
}

fn outlook_block(note: &Note, answered: &Answered) -> Vec<String> {
    let sent = answered.date.to_zoned_datetime(TimeZone::UTC).strftime("%d.%m.%Y %H:%M").to_string();
    let plain = note.subject.trim_start_matches("Re: ");
    let (rule, from, when, to, about) = match note.lang {
        Lang::Ru => ("-----Исходное сообщение-----", "От", "Отправлено", "Кому", "Тема"),
        Lang::En => ("-----Original Message-----", "From", "Sent", "To", "Subject"),
    };
    vec![
        String::new(),
        rule.to_owned(),
        format!("{from}: Omerta <{}>", note.to),
        format!("{when}: {sent}"),
        format!("{to}: {}", note.address),
        format!("{about}: {plain}"),
        String::new(),
    ]
}

fn fitting(coding: Coding, text: &str) -> Coding {
    let unmappable = encoding_of(coding).encode(text).2;
    if unmappable { Coding::Utf8Base64 } else { coding }
}

fn encoding_of(coding: Coding) -> &'static Encoding {
    match coding {
        Coding::Utf8Base64 | Coding::Utf8Quoted | Coding::Html => UTF_8,
        Coding::Koi8 => KOI8_R,
        Coding::Windows1251Quoted => WINDOWS_1251,
    }
}

fn rfc2822(date: Timestamp) -> String {
    jiff::fmt::rfc2822::to_string(&date.to_zoned_datetime(TimeZone::UTC)).unwrap_or_default()
}

fn display_name(name: &str, charset: &'static Encoding) -> String {
    if name.is_empty() { String::new() } else { format!("{} ", header_text(name, charset)) }
}

/// RFC 2047, in the letter's charset, cut between characters.
fn header_text(text: &str, charset: &'static Encoding) -> String {
    const PAYLOAD: usize = 42;
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut words: Vec<Vec<u8>> = vec![Vec::new()];
    for letter in text.chars() {
        let bytes = charset.encode(letter.encode_utf8(&mut [0; 4])).0.into_owned();
        match words.last_mut() {
            Some(word) if word.len() + bytes.len() <= PAYLOAD => word.extend(bytes),
            _ => words.push(bytes),
        }
    }
    let name = charset.name();
    let encode = |word: &Vec<u8>| format!("=?{name}?B?{}?=", data_encoding::BASE64.encode(word));
    words.iter().map(encode).collect::<Vec<_>>().join("\r\n ")
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    data_encoding::BASE64_MIME.encode(bytes).into_bytes()
}

fn html(text: &str) -> String {
    let mut page = String::from("<html><body>");
    for line in text.lines() {
        let line = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        page.push_str(&if line.is_empty() { "<div><br></div>".to_owned() } else { format!("<div>{line}</div>") });
    }
    page + "</body></html>"
}

/// RFC 2045, 6.7: lines of at most 76 characters, a space at a line's end encoded.
fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    const ROOM: usize = 75;
    let mut out = Vec::with_capacity(bytes.len() * 2);
    let mut column = 0;
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte == b'\r' && rest.next_if_eq(&b'\n').is_some() {
            out.extend(b"\r\n");
            column = 0;
            continue;
        }
        let ends_line = rest.peek().is_none_or(|next| *next == b'\r');
        let is_plain = (byte.is_ascii_graphic() && byte != b'=') || (byte == b' ' && !ends_line);
        let width = if is_plain { 1 } else { 3 };
        if column + width > ROOM {
            out.extend(b"=\r\n");
            column = 0;
        }
        if is_plain {
            out.push(byte);
        } else {
            out.extend(format!("={byte:02X}").into_bytes());
        }
        column += width;
    }
    out
}

#[cfg(test)]
mod tests {
    use mail_parser::MessageParser;

    use super::*;

    const CODINGS: [Coding; 5] =
        [Coding::Utf8Base64, Coding::Utf8Quoted, Coding::Koi8, Coding::Windows1251Quoted, Coding::Html];

    fn note(coding: Coding, quote: Quote, lines: &[&str]) -> Note {
        Note {
            name: "Вера Ежова".into(),
            address: "p01@demo.test".into(),
            to: "mafia@demo.test".into(),
            subject: "Re: [demo] Ход 3: итоги, срок и всё, что надо знать о нём сегодня".into(),
            message_id: "1@client.demo.test".into(),
            answers: Some(Answered {
                message_id: "7@demo.test".into(),
                text: "Город проснулся.\nХод 3 открыт.\n".into(),
                date: "2026-12-01T12:00:00Z".parse().unwrap(),
            }),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            style: Style { coding, quote, signature: Signature::Dashes },
            date: "2026-12-01T13:00:00Z".parse().unwrap(),
            lang: Lang::Ru,
        }
    }

    const LINES: [&str; 4] =
        ["Суд Линча - Ёжик", "Охота: Дон Педро ", "", "= знак равенства и хвост, длинный, длиннее строки = ? <b>"];

    fn unmarked(page: &str) -> String {
        let text = page.replace("</div>", "\n").replace("<div>", "").replace("<br>", "");
        let text = text.replace("<html><body>", "").replace("</body></html>", "");
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }

    #[test]
    fn each_letter_gives_back_its_text_in_each_coding() {
        for coding in CODINGS {
            for quote in [Quote::None, Quote::Below, Quote::Above, Quote::Outlook] {
                let note = note(coding, quote, &LINES);
                let bytes = write(&note);
                let read = MessageParser::new().parse(&bytes).unwrap();
                assert_eq!(read.subject(), Some(note.subject.as_str()), "{coding:?}");
                let from = read.from().unwrap().first().unwrap();
                assert_eq!((from.name(), from.address()), (Some("Вера Ежова"), Some("p01@demo.test")));
                assert_eq!(read.message_id(), Some("1@client.demo.test"));
                assert_eq!(read.in_reply_to().as_text(), Some("7@demo.test"));
                assert_eq!(read.date().unwrap().to_timestamp(), note.date.as_second());
                let text = if coding == Coding::Html {
                    unmarked(&read.body_html(0).unwrap())
                } else {
                    read.body_text(0).unwrap().into_owned()
                };
                let read_lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
                let wrote = lines(&note);
                let wrote: Vec<&str> =
                    wrote.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect();
                assert_eq!(read_lines, wrote, "{coding:?} {quote:?}");
                assert!(bytes.split(|&byte| byte == b'\n').all(|line| line.len() <= 998));
            }
        }
    }

    #[test]
    fn the_charset_is_the_one_that_was_asked_for() {
        let raw =
            |coding| String::from_utf8_lossy(&write(&note(coding, Quote::None, &["Суд Линча - Ёжик"]))).into_owned();
        assert!(raw(Coding::Koi8).contains("charset=koi8-r") && raw(Coding::Koi8).contains("8bit"));
        assert!(raw(Coding::Windows1251Quoted).contains("charset=windows-1251"));
        assert!(raw(Coding::Windows1251Quoted).contains("=D1=F3=E4"));
        assert!(raw(Coding::Html).contains("text/html"));
    }

    #[test]
    fn what_an_old_charset_cannot_say_is_said_in_utf_8() {
        let bytes = write(&note(Coding::Koi8, Quote::None, &["Суд Линча — «Ёжик» 🙂"]));
        let read = MessageParser::new().parse(&bytes).unwrap();
        assert!(read.body_text(0).unwrap().starts_with("Суд Линча — «Ёжик» 🙂\r\n"));
        assert!(String::from_utf8(bytes).unwrap().contains("charset=utf-8"));
    }

    #[test]
    fn the_arrival_time_stands_in_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut inbox = crate::mail::inbox::MaildirInbox::open(folder.path()).unwrap();
        let arrived: Timestamp = "2026-12-01T12:00:00.000042Z".parse().unwrap();
        hand_in(folder.path(), b"x", arrived, 7).unwrap();
        hand_in(folder.path(), b"x", arrived, 8).unwrap();
        let found = inbox.scan().unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].second, arrived.as_second());
        assert!(found[0].within.starts_with("000042."));
    }
}
