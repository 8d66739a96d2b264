//! A header block into its fields, and what stands in them. Lenient, linear, bounded.

use mail_parser::{Address, HeaderValue, MessageParser};
use memchr::memchr;

/// Most header fields read of one part; later ones are dropped.
const MAX_FIELDS: usize = 2000;
/// Longest header value read, in bytes; what is beyond is dropped.
const MAX_VALUE: usize = 64 * 1024;
/// Longest header name, in bytes.
const MAX_NAME: usize = 100;
/// Most addresses read of one field.
const MAX_ADDRESSES: usize = 100;
/// Longest address, in bytes (RFC 5321).
const MAX_ADDRESS: usize = 320;

/// The header fields of a message or of a part, in their order.
#[derive(Debug, Default)]
pub struct Headers<'a> {
    fields: Vec<Field<'a>>,
}

#[derive(Debug)]
struct Field<'a> {
    /// As it stands.
    name: &'a [u8],
    /// As it stands, line ends and all.
    value: &'a [u8],
}

/// A media type and its parameters.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MediaType {
    /// `text`, lower-cased.
    pub kind: String,
    /// `plain`, lower-cased.
    pub subtype: String,
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// What a part is that does not say what it is.
    pub fn plain() -> MediaType {
        MediaType { kind: "text".to_owned(), subtype: "plain".to_owned(), parameters: Vec::new() }
    }

    /// A parameter by its lower-case name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn is(&self, kind: &str, subtype: &str) -> bool {
        self.kind == kind && self.subtype == subtype
    }
}

/// Cuts a message or a part into its header and its body. A message without any header is all body.
pub fn split(message: &[u8]) -> (Headers<'_>, &[u8]) {
    // Room for as many as most letters have.
    let mut headers = Headers { fields: Vec::with_capacity(24) };
    // Where the value of the last field begins and ends in the message.
    let mut value: Option<(&[u8], usize, usize)> = None;
    let mut at = 0;
    let mut body = message.len();
    while let Some(rest) = message.get(at..).filter(|rest| !rest.is_empty()) {
        let line = memchr(b'\n', rest).map_or(rest, |end| rest.get(..=end).unwrap_or(rest));
        let next = at + line.len();
        if line.trim_ascii_start().is_empty() {
            body = next;
            break;
        }
        let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
        match if is_folded { None } else { name_of(line) } {
            Some((name, colon)) => {
                headers.add(message, value.take());
                value = Some((name, at + colon + 1, next));
            }
            None => match &mut value {
                Some((_, _, end)) => *end = next,
                // mbox's separator.
                None if at == 0 && line.starts_with(b"From ") => {}
                None => {
                    body = at;
                    break;
                }
            },
        }
        at = next;
    }
    headers.add(message, value);
    (headers, message.get(body..).unwrap_or_default())
}

impl<'a> Headers<'a> {
    /// The raw value of the first field of a name (lower-case).
    pub fn raw(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// The raw values of all fields of a name.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.fields.iter().filter(move |field| field.is(name)).map(|field| field.value)
    }

    /// The raw values of all fields of a name that stand above the first one of the name `floor`, and whether there is
    /// such a floor; without it all of them.
    pub fn above(&self, name: &str, floor: &str) -> (Vec<&'a [u8]>, bool) {
        let end = self.fields.iter().position(|field| field.is(floor));
        let above = self.fields.iter().take(end.unwrap_or(self.fields.len()));
        (above.filter(|field| field.is(name)).map(|field| field.value).collect(), end.is_some())
    }

    pub fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// A value that is plain text, unfolded, trimmed and lower-cased.
    pub fn plain(&self, name: &str) -> Option<String> {
        self.raw(name).map(|value| String::from_utf8_lossy(value).trim().to_lowercase())
    }

    /// The usable addresses of a field; those of groups too.
    pub fn addresses(&self, name: &str) -> Vec<String> {
        self.parsed_addresses(name).map(|(list, _)| list.into_iter().flatten().collect()).unwrap_or_default()
    }

    /// The address of a field that holds one and nothing else; a group is none.
    pub fn sole_address(&self, name: &str) -> Option<String> {
        match self.parsed_addresses(name)? {
            (list, false) if list.len() == 1 => list.into_iter().next().flatten(),
            _ => None,
        }
    }

    /// Each entry of a field, None where it is no usable address, and whether there are groups.
    fn parsed_addresses(&self, name: &str) -> Option<(Vec<Option<String>>, bool)> {
        with_parsed(b"To:", self.raw(name)?, |parsed| match parsed {
            HeaderValue::Address(Address::List(list)) => (normal(list.iter()), false),
            HeaderValue::Address(Address::Group(groups)) => {
                (normal(groups.iter().flat_map(|group| &group.addresses)), true)
            }
            _ => (Vec::new(), false),
        })
    }

    /// The media type; `text/plain` where there is none or it makes no sense.
    pub fn media_type(&self, name: &str) -> Option<MediaType> {
        let value = self.raw(name)?;
        plain_media(value).or_else(|| media_in(value))
    }

    /// Message-IDs of a field, without their brackets.
    pub fn message_ids(&self, name: &str) -> Vec<String> {
        let Some(value) = self.raw(name) else {
            return Vec::new();
        };
        let text = String::from_utf8_lossy(value);
        let bracketed = text.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(id, _)| id);
        let mut ids: Vec<String> = bracketed.map(plain_id).filter(|id| !id.is_empty()).collect();
        if ids.is_empty() {
            ids = text.split_whitespace().filter(|id| id.contains('@')).map(plain_id).collect();
        }
        ids
    }

    fn add(&mut self, message: &'a [u8], field: Option<(&'a [u8], usize, usize)>) {
        if let Some((name, start, end)) = field
            && self.fields.len() < MAX_FIELDS
        {
            let value = message.get(start..end.min(start + MAX_VALUE)).unwrap_or_default();
            self.fields.push(Field { name, value });
        }
    }
}

impl Field<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// The name with which a field begins, and where its colon stands.
fn name_of(line: &[u8]) -> Option<(&[u8], usize)> {
    let colon = line.iter().take(MAX_NAME).position(|b| *b == b':')?;
    let name = line.get(..colon)?.trim_ascii_end();
    let sound = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    sound.then_some((name, colon))
}

/// A media type in its commonest form, `type/subtype; name=value` with plain words; None where it has another, which says
/// nothing. As [`media_in`] gives it: thousands of letters may wait.
fn plain_media(value: &[u8]) -> Option<MediaType> {
    let mut parts = value.trim_ascii().split(|byte| *byte == b';');
    let mut halves = parts.next()?.split(|byte| *byte == b'/');
    let (kind, subtype) = (plain_word(halves.next()?)?, plain_word(halves.next()?)?);
    if halves.next().is_some() {
        return None;
    }
    let parameters = parts.map(|part| {
        let mut halves = part.trim_ascii().split(|byte| *byte == b'=');
        let (name, value) = (plain_word(halves.next()?)?, plain_word(halves.next()?)?);
        halves.next().is_none().then(|| (name.to_ascii_lowercase(), value.to_owned()))
    });
    Some(MediaType {
        kind: kind.to_ascii_lowercase(),
        subtype: subtype.to_ascii_lowercase(),
        parameters: parameters.collect::<Option<_>>()?,
    })
}

fn plain_word(text: &[u8]) -> Option<&str> {
    let is_plain = !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    if is_plain { std::str::from_utf8(text).ok() } else { None }
}

/// As [`plain_media`], whatever the field looks like.
fn media_in(value: &[u8]) -> Option<MediaType> {
    with_parsed(b"Content-Type:", value, |parsed| {
        let content = parsed.as_content_type()?;
        let parameters = content.attributes().unwrap_or_default().iter();
        Some(MediaType {
            kind: content.ctype().trim().to_ascii_lowercase(),
            subtype: content.subtype().unwrap_or_default().trim().to_ascii_lowercase(),
            parameters: parameters
                .map(|parameter| (parameter.name.to_ascii_lowercase(), parameter.value.to_string()))
                .collect(),
        })
    })
    .flatten()
}

/// Lets the mail parser read one value under a name that tells it how.
fn with_parsed<T>(name: &[u8], value: &[u8], read: impl FnOnce(&HeaderValue<'_>) -> T) -> Option<T> {
    let block = [name, b" ", value.trim_ascii(), b"\r\n\r\n"].concat();
    let message = MessageParser::default().parse_headers(&block)?;
    let header = message.parts.first()?.headers.first()?;
    Some(read(header.value()))
}

fn normal<'x, 'y: 'x>(addresses: impl Iterator<Item = &'x mail_parser::Addr<'y>>) -> Vec<Option<String>> {
    addresses.take(MAX_ADDRESSES).map(|address| normal_address(address.address.as_deref()?)).collect()
}

/// An address in lower case; None when it is none.
pub fn normal_address(address: &str) -> Option<String> {
    let address = address.trim().trim_matches(['<', '>']).trim();
    let (local, domain) = address.rsplit_once('@')?;
    let sound = |part: &str| {
        !part.is_empty()
            && !part.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '@' | ',' | ';'))
    };
    (sound(local) && sound(domain) && address.len() <= MAX_ADDRESS).then(|| address.to_lowercase())
}

fn plain_id(id: &str) -> String {
    const LONGEST_ID: usize = 500;
    id.chars().filter(|c| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>')).take(LONGEST_ID).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of which media types are made, and what tricks are made of.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "text",
            "Text",
            "plain",
            "PLAIN",
            "multipart",
            "mixed",
            "x-y_z",
            "1",
            "charset",
            "Charset",
            "utf-8",
            "KOI8-R",
            "boundary",
            "b",
            "format",
            "flowed",
            "name",
            "/",
            "/",
            ";",
            "; ",
            ";\r\n ",
            ";\n\t",
            "=",
            "=",
            " ",
            "\"",
            "*0",
            "*",
            "''",
            "%41",
            "(c)",
            ",",
            "Ян",
            "-",
            "_",
            "text/plain",
            "; charset=utf-8",
            "; a=b",
            "=?utf-8?q?a?=",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

        #[test]
        fn a_plain_media_type_is_the_same_read_in_either_way(pieces in prop::collection::vec(piece(), 0..9)) {
            let value = format!(" {}\r\n", pieces.concat());
            if let Some(media) = plain_media(value.as_bytes()) {
                prop_assert_eq!(media_in(value.as_bytes()), Some(media), "{}", value);
            }
            let usual = format!(" text/plain{value}");
            if let Some(media) = plain_media(usual.as_bytes()) {
                prop_assert_eq!(media_in(usual.as_bytes()), Some(media), "{}", usual);
            }
        }
    }

    #[test]
    fn headers_and_body_are_told_apart() {
        for (message, body, subject) in [
            (&b"Subject: a\r\nTo: b\r\n\r\nbody"[..], &b"body"[..], Some("a")),
            (b"Subject: a\n b\n\nbody", b"body", Some("a\n b")),
            (b"From x Mon\nSubject: a\n\nbody", b"body", Some("a")),
            (b"Subject : a\n\n", b"", Some("a")),
            (b"Subject: a\njunk\nTo: b\n\nbody", b"body", Some("a\njunk")),
            (b"no header at all\nx: y", b"no header at all\nx: y", None),
            (b"Subject: a", b"", Some("a")),
            (b"\nbody", b"body", None),
            (b"", b"", None),
        ] {
            let (headers, rest) = split(message);
            assert_eq!((rest, headers.plain("subject").as_deref()), (body, subject), "{}", message.escape_ascii());
        }
    }

    #[test]
    fn addresses_are_read() {
        for (from, address) in [
            ("<P01@Game.test>", Some("p01@game.test")),
            ("\"a@b.test\" <c@d.test>", Some("c@d.test")),
            ("=?utf-8?B?0KHRg9C0?= <c@d.test>", Some("c@d.test")),
            ("Боцман <c@d.test>", Some("c@d.test")),
            ("\"Боцман, просто\" <c@d.test>", Some("c@d.test")),
            ("c@d.test (Боцман)", Some("c@d.test")),
            ("a@b.test, c@d.test", None),
            ("a@b.test, nobody", None),
            ("team: a@b.test;", None),
            ("nobody", None),
            ("<a b@c.test>", None),
            ("a@b@c.test", None),
            ("", None),
        ] {
            let message = format!("From: {from}\n\n");
            assert_eq!(split(message.as_bytes()).0.sole_address("from").as_deref(), address, "{from}");
        }
        let (headers, _) = split(b"To: a@b.test, nobody, <C@d.test>\n\n");
        assert_eq!(headers.addresses("to"), ["a@b.test", "c@d.test"]);
    }

    #[test]
    fn media_types_are_read() {
        let (headers, _) = split(b"Content-Type: Text/Plain; Charset=\"KOI8-R\";\r\n format=Flowed\r\n\r\n");
        let media = headers.media_type("content-type").unwrap();
        assert!(plain_media(b" text/plain; charset=utf-8\r\n").is_some());
        assert!(media.is("text", "plain"));
        assert_eq!((media.parameter("charset"), media.parameter("format")), (Some("KOI8-R"), Some("Flowed")));
    }

    #[test]
    fn message_ids_are_read() {
        let (headers, _) = split(b"References: <a@b> <c\r\n @d>\r\nIn-Reply-To: a@b\r\n\r\n");
        assert_eq!(headers.message_ids("references"), ["a@b", "c@d"]);
        assert_eq!(headers.message_ids("in-reply-to"), ["a@b"]);
        // A bracket that was lost on the way is no part of an id.
        let (headers, _) = split(b"References: <a@b\r\nIn-Reply-To: c@d> said he\r\n\r\n");
        assert_eq!(
            (headers.message_ids("references"), headers.message_ids("in-reply-to")),
            (vec!["a@b".to_owned()], vec!["c@d".to_owned()])
        );
    }
}
