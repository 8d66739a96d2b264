//! Mail program × charset × transfer encoding × place of the request × label: all read right, and a guess says so.

use omerta::mail::parse::parse;

use crate::clients::{CLIENTS, Client};
use crate::coding::{CHARSETS, Charset, TRANSFERS, Transfer};
use crate::said;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    FirstLine,
    BelowGreeting,
    Subject,
    HtmlOnly,
    BelowQuote,
    SecondPart,
}

const PLACES: [Place; 6] =
    [Place::FirstLine, Place::BelowGreeting, Place::Subject, Place::HtmlOnly, Place::BelowQuote, Place::SecondPart];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Right,
    None,
    Wrong(&'static str),
}

/// Wrong labels; each charset meets every one of them from each program, at one place or another.
const WRONG: [&str; 14] = [
    "koi8-r",
    "windows-1251",
    "us-ascii",
    "iso-8859-1",
    "gb2312",
    "utf-8",
    "windows-1250",
    "ibm866",
    "iso-8859-5",
    "x-mac-cyrillic",
    "koi8-u",
    "windows-1252",
    "utf-16",
    "x-user-defined",
];

struct Case {
    client: &'static Client,
    charset: Charset,
    transfer: Transfer,
    place: Place,
    label: Label,
}

#[test]
fn every_letter_of_the_matrix_is_read() {
    let cases = cases();
    assert!(cases.len() > 7500, "{} letters", cases.len());
    let share = cases.len().div_ceil(4);
    let faults: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().filter_map(Case::fault).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let shown = faults.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} of {} letters:\n{shown}", faults.len(), cases.len());
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, client) in CLIENTS.iter().enumerate() {
        for (at, charset) in CHARSETS.into_iter().enumerate() {
            for (coded, transfer) in TRANSFERS.into_iter().enumerate() {
                for (stands, place) in PLACES.into_iter().enumerate() {
                    if impossible(client, charset, transfer, place).is_some() {
                        continue;
                    }
                    let wrong = WRONG[(number + at + coded + stands * TRANSFERS.len()) % WRONG.len()];
                    let wrong = if charset.label().starts_with(wrong) { "iso-8859-7" } else { wrong };
                    for label in [Label::Right, Label::None, Label::Wrong(wrong)] {
                        cases.push(Case { client, charset, transfer, place, label });
                    }
                }
            }
        }
    }
    cases
}

/// What cannot be, and why.
fn impossible(client: &Client, charset: Charset, transfer: Transfer, place: Place) -> Option<&'static str> {
    let is_raw = matches!(transfer, Transfer::EightBit | Transfer::Binary);
    if charset.is_utf_16() && transfer == Transfer::EightBit {
        return Some("lines of 8bit hold no NUL (RFC 2045, section 2.8), and each space of UTF-16 is one");
    }
    if charset.is_utf_16() && is_raw && place == Place::Subject {
        return Some("a header holds no NUL, and its line ends at the byte that is half of a letter");
    }
    if client.attribution.is_none() && place == Place::BelowQuote {
        return Some("a quote without marks has no end: nothing says that the writer goes on below it");
    }
    None
}

impl Case {
    fn fault(&self) -> Option<String> {
        let bytes = self.letter();
        let letter = parse(&bytes, Some("game@game.test"));
        let said = said(&letter);
        let expected = format!("lynch {}", self.nick());
        let right = said == expected
            && !letter.undecodable
            && letter.automatic.is_none()
            && letter.from.as_deref() == Some("p01@players.test")
            && letter.charset.guessed == self.is_guess();
        (!right).then(|| {
            let Case { client, charset, transfer, place, label } = self;
            format!(
                "{}, {}, {transfer:?}, {place:?}, {label:?}: {said:?}, {:?}, undecodable {}, from {:?}",
                client.name,
                charset.label(),
                letter.charset,
                letter.undecodable,
                letter.from
            )
        })
    }

    /// Whether the receipt must say that the charset was guessed.
    fn is_guess(&self) -> bool {
        let is_raw = matches!(self.transfer, Transfer::EightBit | Transfer::Binary);
        match self.label {
            Label::Right => false,
            // RFC 6532: a raw header is UTF-8. Its body is empty, and so in any charset.
            _ if self.place == Place::Subject && is_raw && self.charset == Charset::Named("utf-8") => false,
            // The same bytes are the same letters there: nothing had to be guessed.
            Label::Wrong("koi8-u") if self.charset == Charset::Named("koi8-r") => false,
            // It leaves the order of bytes open.
            Label::Wrong("utf-16") if self.charset.is_utf_16() => false,
            _ => true,
        }
    }

    fn nick(&self) -> &'static str {
        if self.charset == Charset::Named("koi8-u") { "Їжак" } else { "Аня" }
    }

    fn letter(&self) -> Vec<u8> {
        let request = format!("Суд Линча - {}", self.nick());
        let subject = match self.place {
            Place::Subject => {
                let label = match self.label {
                    Label::Right => self.charset.label(),
                    // RFC 1428: what a relay writes that does not know.
                    Label::None => "unknown-8bit",
                    Label::Wrong(label) => label,
                };
                self.transfer.words(&self.charset.bytes(&request), label)
            }
            _ => b"Re: [palermo] 3".to_vec(),
        };
        let mut letter = format!(
            "Return-Path: <p01@players.test>\r\nFrom: {} <p01@players.test>\r\nTo: <game@game.test>\r\n{}\r\n\
             Message-ID: <1@players.test>\r\nDate: Mon, 30 Nov 2026 15:19:00 +0300\r\nSubject: ",
            self.client.from, self.client.head
        )
        .into_bytes();
        letter.extend(subject);
        letter.extend(b"\r\nMIME-Version: 1.0\r\n");
        letter.extend(self.body(&request));
        letter
    }

    fn body(&self, request: &str) -> Vec<u8> {
        let footer = match self.client.footer {
            "" => String::new(),
            footer => format!("\r\n{footer}\r\n"),
        };
        // Phones leave a space behind what they complete.
        let spaced = if self.client.plain_extra.contains("delsp") { " " } else { "" };
        let greeting = "Добрый день, город!\r\nЯ долго думал и вот что решил.\r\n\r\n";
        let text = match self.place {
            Place::FirstLine | Place::HtmlOnly | Place::SecondPart => format!("{request}{spaced}\r\n{footer}"),
            Place::BelowGreeting => format!("{greeting}{request}{spaced}\r\n{footer}"),
            Place::BelowQuote => {
                let attribution = self.client.attribution.unwrap_or_default();
                format!("{attribution}\r\n> Ход 3.\r\n> Суд Линча - Боцман\r\n\r\n{request}{spaced}\r\n{footer}")
            }
            Place::Subject => String::new(),
        };
        match self.place {
            Place::HtmlOnly => self.part("html", &self.page(&text)),
            Place::SecondPart => {
                let first = self.part("plain", "Добрый день!\r\n");
                let picture = b"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n";
                multipart("mixed", &[&first, picture, &self.part("plain", &text)])
            }
            _ if self.client.alternative && self.place != Place::Subject => {
                multipart("alternative", &[&self.part("plain", &text), &self.part("html", &self.page(&text))])
            }
            _ => self.part("plain", &text),
        }
    }

    fn page(&self, text: &str) -> String {
        let (before, after) = self.client.page;
        let text = text.trim_end().replace('>', "&gt;").replace("\r\n", "<br>\r\n");
        format!("{before}{text}{after}\r\n")
    }

    fn part(&self, subtype: &str, text: &str) -> Vec<u8> {
        let label = match self.label {
            Label::Right => Some(self.charset.label()),
            Label::None => None,
            Label::Wrong(label) => Some(label),
        };
        let charset = label.map(|label| format!("; {}", self.client.charset.replace("{}", label))).unwrap_or_default();
        let extra = if subtype == "plain" { self.client.plain_extra } else { "" };
        let mut part = format!(
            "Content-Type: text/{subtype}{charset}{extra}\r\nContent-Transfer-Encoding: {}\r\n\r\n",
            self.transfer.label()
        )
        .into_bytes();
        part.extend(self.transfer.body(&self.charset.bytes(text)));
        part
    }
}

fn multipart(subtype: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut whole = format!("Content-Type: multipart/{subtype}; boundary=\"b_1\"\r\n\r\n").into_bytes();
    for part in parts {
        whole.extend(b"--b_1\r\n");
        whole.extend(*part);
        whole.extend(b"\r\n");
    }
    whole.extend(b"--b_1--\r\n");
    whole
}
