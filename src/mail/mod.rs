//! Mail as bytes. [`parse`]: bytes into an [`Incoming`], never fails. [`write`]: an [`Outgoing`] into bytes.
//! [`automatic`]: is it a person; [`identity`]: which one; [`bounce`]: which letter of ours did not arrive. [`inbox`],
//! [`imap`] and [`outbox`]: where letters come from and go to. [`maildir`]: how a folder of letters names them.
//! [`smtp`] and [`sendmail`]: the tasks that send; [`pace`]: when they may. [`link`]: how the daemon's loop speaks with
//! the tasks that hold a line to a server; [`tls`]: whom they trust; [`fair`]: whose letters are read first.

pub mod automatic;
pub mod body;
pub mod bounce;
pub mod charset;
pub mod encoded;
pub mod fair;
pub mod headers;
pub mod html;
pub mod identity;
pub mod imap;
pub mod inbox;
pub mod link;
pub mod maildir;
pub mod outbox;
pub mod pace;
pub mod parse;
pub mod russian;
pub mod sendmail;
pub mod smtp;
pub mod text;
pub mod tls;
pub mod write;

use serde::{Deserialize, Serialize};

/// Why a letter is no person's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Automatic {
    AutoReply,
    Bounce,
    List,
    #[serde(rename = "self")]
    Own,
}

/// The charset in which the body was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charset {
    /// Lower-cased name (`utf-8`, `koi8-r`, ...).
    pub name: String,
    /// Not declared, or declared wrongly: a guess from the bytes.
    pub guessed: bool,
}

/// One letter, read. Every string is valid text without NUL; sizes are bounded by [`parse::LIMITS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// The address of From, local part and domain lower-cased, the domain in its ASCII form; None when there is no single
    /// usable one. `Sender`, `Reply-To` and `Resent-From` never count.
    pub from: Option<String>,
    /// What servers say of the sender.
    pub testimony: identity::Testimony,
    pub subject: String,
    /// The body as plain lines: transfer decoding, charset, format=flowed and HTML are undone; quoted HTML is marked
    /// with `> `. Quotes and signatures are still in it.
    pub body: String,
    /// The body could not be decoded: a problem to answer, never an empty letter.
    pub undecodable: bool,
    pub charset: Charset,
    pub automatic: Option<Automatic>,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// Message-IDs of In-Reply-To and References, without angle brackets, at most 50.
    pub refers_to: Vec<String>,
    /// How many of them, the first, are of In-Reply-To: what the letter answers.
    pub answers: usize,
    /// Lower-cased addresses of To, Cc and Delivered-To: a plus-address may hold a token.
    pub recipients: Vec<String>,
    /// SHA-256 over the decoded body parts, in hex: with sender and Message-ID it says whether two letters are one.
    pub body_hash: String,
    /// The largest picture attached, as it came; empty when there is none.
    pub picture: Vec<u8>,
}

/// What a letter of ours carries beside its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// `Омерта <mafia@example.org>`, as in config.
    pub from: String,
    pub to: String,
    pub reply_to: Option<String>,
    /// Without angle brackets.
    pub message_id: String,
    pub in_reply_to: Option<String>,
    /// Oldest first; at most 10 are written.
    pub references: Vec<String>,
    pub date: jiff::Timestamp,
    pub subject: String,
    pub text: String,
    pub attachments: Vec<Attachment>,
    pub pictures: Vec<Picture>,
    /// `X-Omerta-Letter`.
    pub kind: String,
    /// `X-Omerta-Game`.
    pub game: Option<String>,
    /// `X-Omerta-Turn`.
    pub turn: u16,
    pub auto: AutoSubmitted,
    /// Other headers (`X-Omerta-Role`, `List-Id`).
    pub extra: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoSubmitted {
    /// `auto-replied`: an answer to a letter.
    Replied,
    /// `auto-generated`: of our own accord.
    Generated,
    /// No such header: a forum's mail-in address would drop the letter.
    Absent,
}

/// A JPEG that goes along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// ASCII; `01-anna.jpg`.
    pub name: String,
    pub jpeg: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// ASCII; `summary.bbcode.txt`.
    pub name: String,
    pub text: String,
}
