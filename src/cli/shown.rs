//! A letter of ours as its reader sees it: the fields of its header decoded, its words, what is attached.

use mail_parser::{Message, MessageParser, MimeHeaders};
use serde_json::json;

use super::{exit, fail, out, print_json};
use crate::mail::encoded::decode_words;

/// A letter, read.
pub struct Shown {
    /// In their order; of those that say how the rest is packed, none.
    pub headers: Vec<(String, String)>,
    pub text: String,
    attachments: Vec<Attached>,
}

struct Attached {
    name: String,
    content: Content,
}

enum Content {
    Text(String),
    /// So many bytes of something else.
    Bytes(usize),
}

impl Shown {
    /// None when the bytes are no letter.
    pub fn of(bytes: &[u8]) -> Option<Shown> {
        let letter = MessageParser::new().parse(bytes)?;
        let packing = |name: &str| {
            let name = name.to_ascii_lowercase();
            name == "mime-version" || name.starts_with("content-")
        };
        let headers = letter.headers_raw().filter(|(name, _)| !packing(name));
        let headers =
            headers.map(|(name, raw)| (name.to_owned(), decode_words(raw.as_bytes(), None).text.trim().to_owned()));
        let text = letter.body_text(0).map(|text| text.replace("\r\n", "\n")).unwrap_or_default();
        Some(Shown { headers: headers.collect(), text, attachments: attachments(&letter) })
    }

    pub fn in_words(&self) -> String {
        let mut words: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        words.push_str(&format!("\n{}", self.text));
        for Attached { name, content } in &self.attachments {
            if !words.ends_with('\n') {
                words.push('\n');
            }
            words.push_str(&match content {
                Content::Text(text) => format!("\n----- attached: {name} -----\n{text}"),
                Content::Bytes(length) => format!("\n----- attached: {name}, {length} bytes -----\n"),
            });
        }
        words
    }

    pub fn as_json(&self) -> serde_json::Value {
        let headers: serde_json::Map<String, serde_json::Value> =
            self.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let attached = |Attached { name, content }: &Attached| match content {
            Content::Text(text) => json!({ "name": name, "text": text }),
            Content::Bytes(length) => json!({ "name": name, "bytes": length }),
        };
        let attachments: Vec<_> = self.attachments.iter().map(attached).collect();
        json!({ "headers": headers, "text": self.text, "attachments": attachments })
    }
}

/// `omerta letters TAG show ID`.
pub fn letter(bytes: &[u8], raw: bool, json: bool) -> u8 {
    if raw {
        return out::say_bytes(bytes);
    }
    match Shown::of(bytes) {
        Some(shown) if json => print_json(&shown.as_json()),
        Some(shown) => out::say(&shown.in_words().trim_end()),
        None => fail(exit::DATA, &"this letter can't be read; --raw shows its bytes"),
    }
}

fn attachments(letter: &Message<'_>) -> Vec<Attached> {
    let read = letter.attachments().map(|part| {
        let content = match part.text_contents() {
            Some(text) => Content::Text(text.replace("\r\n", "\n")),
            None => Content::Bytes(part.contents().len()),
        };
        Attached { name: part.attachment_name().unwrap_or("without a name").to_owned(), content }
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{Attachment, AutoSubmitted, Outgoing, Picture, write};

    #[test]
    fn a_letter_is_shown_as_its_reader_sees_it() {
        let long = "Очень длинная тема, которая не помещается ни в одно кодированное слово и ни в одну строку письма";
        let bytes = write::write(&Outgoing {
            from: "Омерта <mafia@example.org>".to_owned(),
            to: "anna@example.org".to_owned(),
            reply_to: None,
            message_id: "1@example.org".to_owned(),
            in_reply_to: None,
            references: Vec::new(),
            date: jiff::Timestamp::UNIX_EPOCH,
            subject: format!("[palermo] {long}"),
            text: "Здравствуйте, Анна.\n\nОхота = открыта.\n".to_owned(),
            attachments: vec![Attachment {
                name: "summary.bbcode.txt".to_owned(), text: "[b]Итоги[/b]\n".to_owned()
            }],
            pictures: vec![Picture { name: "01-anna.jpg".to_owned(), jpeg: vec![0xFF, 0xD8, 0xFF] }],
            kind: "summary".to_owned(),
            game: Some("palermo".to_owned()),
            turn: 3,
            auto: AutoSubmitted::Generated,
            extra: Vec::new(),
        })
        .unwrap();
        let shown = Shown::of(&bytes).unwrap();
        let words = shown.in_words();
        for part in [
            "From: Омерта <mafia@example.org>\n",
            &format!("Subject: [palermo] {long}\n"),
            "X-Omerta-Turn: 3\n",
            "\n\nЗдравствуйте, Анна.\n\nОхота = открыта.\n",
            "\n----- attached: summary.bbcode.txt -----\n[b]Итоги[/b]\n",
            "\n----- attached: 01-anna.jpg, 3 bytes -----\n",
        ] {
            assert!(words.contains(part), "no {part:?} in {words}");
        }
        assert!(!words.contains("Content-") && !words.contains("=?utf-8") && !words.contains('\r'), "{words}");
        let json = shown.as_json();
        assert_eq!(json["headers"]["X-Omerta-Letter"], "summary");
        assert_eq!(json["attachments"][0]["text"], "[b]Итоги[/b]\n");
        assert!(Shown::of(b"").is_none_or(|shown| shown.text.is_empty()));
    }
}
