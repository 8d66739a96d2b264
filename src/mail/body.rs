//! The body of a message: its parts walked, the readable ones decoded, `text/plain` preferred to HTML.

use memchr::memchr_iter;
use sha2::{Digest, Sha256};

use super::Charset;
use super::charset;
use super::encoded::{Transferred, undo_transfer};
use super::headers::{self, Headers, MediaType};
use super::html;
use super::parse::LIMITS;
use super::text::{tidy_lines, unflow};

/// What could be read of a body.
#[derive(Debug, Default)]
pub struct Body {
    pub text: String,
    pub charset: Charset,
    pub undecodable: bool,
    /// SHA-256 over the decoded parts, in hex.
    pub hash: String,
    /// The largest picture; one too many bytes of it are kept where it is too large to be taken.
    pub picture: Vec<u8>,
}

/// Reads the body of a message.
pub fn read(headers: &Headers<'_>, media: Option<MediaType>, body: &[u8]) -> Body {
    let mut walk = Walk::new(false);
    let texts = walk.part(headers, media, body, 0);
    // What was guessed is told, wherever it stands.
    let useful = |text: &&Text| text.useful();
    let first = texts.iter().filter(useful).find(|text| text.charset.guessed);
    let first = first.or_else(|| texts.iter().find(useful)).or(texts.first());
    let charset = first.map(|text| text.charset.clone()).unwrap_or_default();
    let undecodable = texts.iter().any(|text| text.undecodable) || walk.sealed && !texts.iter().any(Text::useful);
    let joined = texts.iter().map(|text| text.text.trim_end_matches('\n')).collect::<Vec<_>>().join("\n");
    Body {
        text: joined,
        charset,
        undecodable,
        hash: data_encoding::HEXLOWER.encode(&walk.hash.finalize()),
        picture: walk.picture,
    }
}

/// [`Body::hash`] alone: nothing is put into letters for it.
pub fn hash(headers: &Headers<'_>, media: Option<MediaType>, body: &[u8]) -> String {
    let mut walk = Walk::new(true);
    walk.part(headers, media, body, 0);
    data_encoding::HEXLOWER.encode(&walk.hash.finalize())
}

/// One readable part.
#[derive(Debug)]
struct Text {
    text: String,
    html: bool,
    charset: Charset,
    undecodable: bool,
}

impl Text {
    fn useful(&self) -> bool {
        self.undecodable
            || self.text.chars().any(|c| !c.is_whitespace() && !crate::request::typography::is_invisible(c))
    }
}

struct Walk {
    hash: Sha256,
    /// Nobody wants to know more than the hash.
    only_hash: bool,
    parts: usize,
    /// Bytes of text that may still be decoded.
    room: usize,
    /// Bytes of HTML that may still be read.
    pages: usize,
    /// There is a part that only its addressee's key opens.
    sealed: bool,
    picture: Vec<u8>,
}

impl Walk {
    fn new(only_hash: bool) -> Walk {
        Walk {
            hash: Sha256::new(),
            only_hash,
            parts: 0,
            room: LIMITS.text,
            pages: LIMITS.page,
            sealed: false,
            picture: Vec::new(),
        }
    }

    fn part(&mut self, headers: &Headers<'_>, media: Option<MediaType>, body: &[u8], depth: usize) -> Vec<Text> {
        self.parts += 1;
        if self.parts > LIMITS.parts {
            return Vec::new();
        }
        let media = media.filter(|media| !media.kind.is_empty() && !media.subtype.is_empty());
        let media = media.unwrap_or_else(MediaType::plain);
        if media.kind == "multipart" && depth < LIMITS.depth {
            let children = media.parameter("boundary").map(|boundary| split_parts(body, boundary)).unwrap_or_default();
            if !children.is_empty() {
                return self.multipart(&media, children, depth);
            }
            // No boundary, or never there: what stands there is all there is.
            return self.leaf(headers, &MediaType::plain(), body, depth);
        }
        self.leaf(headers, &media, body, depth)
    }

    fn multipart(&mut self, media: &MediaType, children: Vec<&[u8]>, depth: usize) -> Vec<Text> {
        self.sealed |= media.subtype == "encrypted";
        let mut read: Vec<Vec<Text>> = Vec::new();
        for child in children {
            let (headers, body) = headers::split(child);
            read.push(self.part(&headers, headers.media_type("content-type"), body, depth + 1));
        }
        match media.subtype.as_str() {
            "alternative" => best_alternative(read),
            // Pictures and styles stand round the first readable part.
            "related" => read.into_iter().find(|texts| texts.iter().any(Text::useful)).unwrap_or_default(),
            _ => read.into_iter().flatten().collect(),
        }
    }

    fn leaf(&mut self, headers: &Headers<'_>, media: &MediaType, body: &[u8], depth: usize) -> Vec<Text> {
        let encoding = headers.plain("content-transfer-encoding").unwrap_or_default();
        let transferred = undo_transfer(body, &encoding);
        let is_text = media.kind == "text" || !media.subtype.is_empty() && media.kind.is_empty();
        self.digest(&transferred.bytes, is_text);
        if self.only_hash {
            return Vec::new();
        }
        self.sealed |= media.is("application", "pkcs7-mime") || media.is("application", "x-pkcs7-mime");
        let readable = media.is("text", "plain")
            || media.is("text", "html")
            || is_text && media.subtype.is_empty()
            || is_text && depth == 0 && media.subtype != "calendar";
        if looks_like_a_picture(headers, media) && transferred.bytes.len() > self.picture.len() {
            self.picture = transferred.bytes;
            self.picture.truncate(crate::photo::MOST_BYTES + 1);
            return Vec::new();
        }
        if !readable || depth > 0 && is_attached(headers, media) {
            return Vec::new();
        }
        vec![self.text(media, transferred)]
    }

    fn text(&mut self, media: &MediaType, transferred: Transferred) -> Text {
        let is_html = media.is("text", "html");
        // Most of a page is marks: what counts is what is left when they are gone.
        let room = if is_html { LIMITS.page.min(self.pages) } else { self.room };
        let bytes = cut_at_line(&transferred.bytes, room);
        if is_html {
            self.pages -= bytes.len().min(self.pages);
        }
        let cut = bytes.len() < transferred.bytes.len();
        let declared = media.parameter("charset").map(str::to_owned);
        let declared = declared.or_else(|| is_html.then(|| charset_in_html(bytes)).flatten());
        let decoded = charset::decode(bytes, declared.as_deref());
        let flowed = media.parameter("format").is_some_and(|format| format.eq_ignore_ascii_case("flowed"));
        let del_sp = media.parameter("delsp").is_some_and(|del_sp| del_sp.eq_ignore_ascii_case("yes"));
        let mut text = tidy_lines(&decoded.text);
        if is_html {
            text = tidy_lines(&html::to_text(&text));
        } else if flowed {
            text = unflow(&text, del_sp);
        }
        if text.len() > self.room {
            let mut room = self.room;
            let fits = |c: &char| {
                let left = room.checked_sub(c.len_utf8());
                room = left.unwrap_or_default();
                left.is_some()
            };
            text = text.chars().take_while(fits).collect();
        }
        self.room -= text.len().min(self.room);
        let mut text = Text {
            text,
            html: is_html,
            charset: decoded.charset,
            undecodable: decoded.undecodable || transferred.broken,
        };
        // A letter of which nothing is left is no empty one.
        text.undecodable |= cut && !text.useful();
        text
    }

    /// Line ends and trailing blanks of a text may change on the way; they are no part of what was written.
    fn digest(&mut self, bytes: &[u8], is_text: bool) {
        if is_text {
            let text = bytes.trim_ascii_end();
            let mut start = 0;
            for end in memchr_iter(b'\n', text).chain([text.len()]) {
                self.hash.update(text.get(start..end).unwrap_or_default().trim_ascii_end());
                self.hash.update(b"\n");
                start = end + 1;
            }
        } else {
            self.hash.update(bytes);
        }
        self.hash.update([0]);
    }
}

fn best_alternative(alternatives: Vec<Vec<Text>>) -> Vec<Text> {
    let rank = |texts: &Vec<Text>| {
        let useful = |html: bool| texts.iter().any(|text| text.html == html && text.useful() && !text.undecodable);
        if useful(false) {
            0
        } else if useful(true) {
            1
        } else {
            2
        }
    };
    alternatives.into_iter().filter(|texts| !texts.is_empty()).min_by_key(rank).unwrap_or_default()
}

/// By its type; or by its name, for programs that call every file a stream of octets.
fn looks_like_a_picture(headers: &Headers<'_>, media: &MediaType) -> bool {
    const ENDINGS: &[&str] = &[".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"];
    let disposition = headers.media_type("content-disposition");
    let named = |media: &MediaType| {
        let name = media.parameter("filename").or(media.parameter("name")).unwrap_or_default().to_lowercase();
        ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    media.kind == "image"
        || media.is("application", "octet-stream") && (named(media) || disposition.as_ref().is_some_and(named))
}

fn is_attached(headers: &Headers<'_>, media: &MediaType) -> bool {
    let disposition = headers.media_type("content-disposition");
    let named = |media: &MediaType| media.parameter("filename").is_some() || media.parameter("name").is_some();
    disposition.as_ref().is_some_and(|disposition| disposition.kind == "attachment" || named(disposition))
        || named(media)
}

/// The parts between the lines `--boundary`; the closing line may be missing.
pub(super) fn split_parts<'a>(body: &'a [u8], boundary: &str) -> Vec<&'a [u8]> {
    let boundary = boundary.trim_end().as_bytes();
    let mut parts = Vec::new();
    if boundary.is_empty() {
        return parts;
    }
    let mut start: Option<usize> = None;
    let mut at = 0;
    for line in body.split_inclusive(|b| *b == b'\n') {
        let marker = line.strip_prefix(b"--").and_then(|line| line.strip_prefix(boundary)).map(<[u8]>::trim_ascii_end);
        if let Some(tail @ (b"" | b"--")) = marker {
            if let Some(start) = start.take() {
                parts.push(without_last_line_end(body.get(start..at).unwrap_or_default()));
            }
            if tail == b"--" || parts.len() >= LIMITS.parts {
                return parts;
            }
            start = Some(at + line.len());
        }
        at += line.len();
    }
    parts.extend(start.and_then(|start| body.get(start..)));
    parts
}

/// The line end before a boundary belongs to the boundary.
fn without_last_line_end(part: &[u8]) -> &[u8] {
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    part.strip_suffix(b"\r").unwrap_or(part)
}

/// At most so many bytes, whole lines if there are any.
fn cut_at_line(bytes: &[u8], room: usize) -> &[u8] {
    let Some(cut) = bytes.get(..room).filter(|_| bytes.len() > room) else {
        return bytes;
    };
    match cut.iter().rposition(|b| *b == b'\n') {
        Some(end) => cut.get(..end).unwrap_or(cut),
        None => cut,
    }
}

/// `<meta charset=...>` in both its forms.
fn charset_in_html(bytes: &[u8]) -> Option<String> {
    const LOOKED_AT: usize = 2048;
    let start = String::from_utf8_lossy(bytes.get(..LOOKED_AT.min(bytes.len()))?).to_ascii_lowercase();
    let (_, value) = start.split_once("charset=")?;
    let value = value.trim_start_matches(['"', '\'', ' ']);
    let label: String = value.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    (!label.is_empty()).then_some(label)
}
