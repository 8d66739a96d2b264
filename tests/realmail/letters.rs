//! Players' letters as their mail clients write them, in three charsets, and their way through a mail server.

use omerta::mail::link::{Outcome, Parcel};
use omerta::mail::smtp::{self, Patience, SmtpSettings};
use tokio::sync::mpsc;

use crate::servers::{DOMAIN, MailServer};

#[derive(Clone, Copy, Debug)]
pub enum Charset {
    Koi8Bare,
    Windows1251Quoted,
    Utf8Base64,
}

impl Charset {
    /// Players' clients differ.
    pub fn of(player: usize) -> Charset {
        [Charset::Koi8Bare, Charset::Windows1251Quoted, Charset::Utf8Base64][player % 3]
    }

    fn name(self) -> (&'static str, &'static str) {
        match self {
            Charset::Koi8Bare => ("koi8-r", "8bit"),
            Charset::Windows1251Quoted => ("windows-1251", "quoted-printable"),
            Charset::Utf8Base64 => ("utf-8", "base64"),
        }
    }

    fn body(self, text: &str) -> Vec<u8> {
        let text = format!("{}\r\n", text.replace('\n', "\r\n"));
        match self {
            Charset::Koi8Bare => encoding_rs::KOI8_R.encode(&text).0.into_owned(),
            Charset::Windows1251Quoted => quoted(&encoding_rs::WINDOWS_1251.encode(&text).0),
            Charset::Utf8Base64 => {
                let coded = data_encoding::BASE64.encode(text.as_bytes());
                coded.as_bytes().chunks(76).flat_map(|line| [line, b"\r\n"].concat()).collect()
            }
        }
    }
}

/// A letter of one mailbox of the server to another, with an id of its own.
pub fn letter(from: &str, to: &str, subject: &str, id: &str, charset: Charset, text: &str) -> Vec<u8> {
    let (name, transfer) = charset.name();
    let head = format!(
        "From: <{from}@{DOMAIN}>\r\nTo: <{to}>\r\nSubject: {subject}\r\nMessage-ID: <{id}@{DOMAIN}>\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset={name}\r\nContent-Transfer-Encoding: {transfer}\r\n\r\n"
    );
    [head.into_bytes(), charset.body(text)].concat()
}

/// Sends letters as a user of the server; each is taken.
pub fn send(server: &MailServer, user: &str, to: &str, letters: Vec<Vec<u8>>) {
    let settings = SmtpSettings {
        server: server.sending_as(user),
        from: format!("{user}@{DOMAIN}"),
        variable: |_| None,
        patience: Patience::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (parcels, orders) = mpsc::channel(letters.len());
        let (answers, mut delivered) = mpsc::channel(letters.len());
        let (tell, _news) = mpsc::channel(8);
        for (id, bytes) in (0..).zip(letters) {
            parcels.send(Parcel { id, address: to.to_owned(), bytes }).await.unwrap();
        }
        drop(parcels);
        smtp::run(settings, orders, answers, tell).await;
        while let Some(answer) = delivered.recv().await {
            assert_eq!(answer.outcome, Outcome::Sent, "a player's letter");
        }
    });
}

fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    let mut width = 0;
    for byte in bytes {
        match byte {
            b'\r' => {}
            b'\n' => {
                coded.extend(b"\r\n");
                width = 0;
            }
            b' '..=b'<' | b'>'..=b'~' => {
                coded.push(*byte);
                width += 1;
            }
            _ => {
                coded.extend(format!("={byte:02X}").as_bytes());
                width += 3;
            }
        }
        if width > 70 {
            coded.extend(b"=\r\n");
            width = 0;
        }
    }
    coded
}
