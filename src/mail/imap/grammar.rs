//! What an IMAP server says (RFC 3501, sections 7 and 9), as far as it is asked here: the bytes of one answer, its
//! literals included, into a [`Said`]. It never fails: what is not understood is [`Said::Other`].

use std::borrow::Cow;

use super::date::internal_date;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// How many letters the folder holds.
    Exists(u32),
    Fetched(Fetched),
    Folder(Listed),
    /// The numbers that a search found.
    Found(Vec<u32>),
    /// Upper-cased.
    Capabilities(Vec<String>),
    /// STORAGE of a quota root (RFC 9208), in units of 1024 bytes.
    Quota {
        used: u64,
        limit: u64,
    },
    /// OK, NO, BAD, BYE, PREAUTH: of a command, or of its own accord.
    Status(Status),
    /// The server waits for the rest of a command.
    Continue,
    /// Something else that a server may say.
    Other,
    /// No answer of a mail server.
    Noise,
}

/// A letter, or what was asked about it. Servers mix in what was not asked, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fetched {
    pub uid: Option<u32>,
    pub size: Option<u64>,
    /// INTERNALDATE, in seconds since 1970.
    pub second: Option<i64>,
    pub body: Option<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Lower-cased, with the backslash.
    pub attributes: Vec<String>,
    pub separator: Option<String>,
    /// As the server writes it: modified UTF-7.
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Status {
    /// Of the command that is answered; None: said of the server's own accord.
    pub tag: Option<String>,
    pub kind: StatusKind,
    /// The words of the response code, upper-cased: `UIDNEXT`, `5`. Empty when there is none.
    pub code: Vec<String>,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusKind {
    Ok,
    No,
    Bad,
    Bye,
    PreAuth,
}

impl Status {
    pub(super) fn is_ok(&self) -> bool {
        self.kind == StatusKind::Ok
    }

    pub(super) fn has_code(&self, word: &str) -> bool {
        self.code.first().is_some_and(|first| first == word)
    }

    /// The number behind a code: `[UIDNEXT 5]`.
    pub(super) fn number(&self, word: &str) -> Option<u32> {
        if self.has_code(word) { self.code.get(1)?.parse().ok() } else { None }
    }
}

/// Reads one whole answer, up to and with its last line end.
pub(super) fn read(answer: &[u8]) -> Said {
    let mut rest = Rest(answer);
    match rest.word() {
        b"+" => Said::Continue,
        b"*" => untagged(rest),
        tag if !tag.is_empty() && tag.iter().all(u8::is_ascii_alphanumeric) => {
            status(Some(lossy(tag)), &mut rest).unwrap_or(Said::Noise)
        }
        _ => Said::Noise,
    }
}

/// A string as a command has it. None when it cannot be one.
pub(super) fn quoted(text: &str) -> Option<String> {
    if text.contains(['\r', '\n', '\0']) {
        return None;
    }
    Some(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// `1:3,7` of 1, 2, 3, 7.
pub(super) fn uid_set(uids: impl IntoIterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for uid in uids {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(uid) => *last = uid,
            _ => runs.push((uid, uid)),
        }
    }
    let shown = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}:{last}") }
    };
    runs.iter().map(shown).collect::<Vec<_>>().join(",")
}

/// Lists may stand in lists; nobody needs more.
const DEEPEST: u8 = 16;

enum Value<'a> {
    Atom(&'a [u8]),
    Text(Cow<'a, [u8]>),
    List(Vec<Value<'a>>),
}

impl<'a> Value<'a> {
    /// None for NIL and for lists.
    fn into_text(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Value::Atom(atom) if atom.eq_ignore_ascii_case(b"NIL") => None,
            Value::Atom(atom) => Some(Cow::Borrowed(atom)),
            Value::Text(text) => Some(text),
            Value::List(_) => None,
        }
    }
}

fn untagged(mut rest: Rest<'_>) -> Said {
    let after_star = rest;
    let word = rest.word();
    if let Some(number) = number(word) {
        let kind = rest.word();
        return if kind.eq_ignore_ascii_case(b"FETCH") {
            fetched(rest).map_or(Said::Other, Said::Fetched)
        } else if kind.eq_ignore_ascii_case(b"EXISTS") {
            Said::Exists(u32::try_from(number).unwrap_or(u32::MAX))
        } else {
            Said::Other
        };
    }
    match word.to_ascii_uppercase().as_slice() {
        b"CAPABILITY" => Said::Capabilities(rest.words().map(|word| lossy(word).to_uppercase()).collect()),
        b"SEARCH" => Said::Found(rest.words().filter_map(|word| u32::try_from(number(word)?).ok()).collect()),
        b"QUOTA" => quota(rest).unwrap_or(Said::Other),
        b"LIST" | b"XLIST" => listed(rest).map_or(Said::Other, Said::Folder),
        b"OK" | b"NO" | b"BAD" | b"BYE" | b"PREAUTH" => status(None, &mut { after_star }).unwrap_or(Said::Other),
        _ => Said::Other,
    }
}

fn status(tag: Option<String>, rest: &mut Rest<'_>) -> Option<Said> {
    let kind = match rest.word().to_ascii_uppercase().as_slice() {
        b"OK" => StatusKind::Ok,
        b"NO" => StatusKind::No,
        b"BAD" => StatusKind::Bad,
        b"BYE" => StatusKind::Bye,
        b"PREAUTH" => StatusKind::PreAuth,
        _ => return None,
    };
    let line = lossy(rest.0);
    let line = line.trim();
    let (code, text) = match line.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((code, text)) => (code.split_whitespace().map(str::to_uppercase).collect(), text.trim()),
        None => (Vec::new(), line),
    };
    Some(Said::Status(Status { tag, kind, code, text: text.to_owned() }))
}

/// None when the list is not whole.
fn fetched(mut rest: Rest<'_>) -> Option<Fetched> {
    let mut found = Fetched::default();
    rest.skip_spaces();
    let Some(inside) = rest.0.strip_prefix(b"(") else { return rest.value(0).map(|_| found) };
    rest.0 = inside;
    while let Some(name) = rest.next_of_list(0)? {
        let Some(value) = rest.next_of_list(0)? else { break };
        let Value::Atom(name) = name else { continue };
        let is = |word: &[u8]| name.eq_ignore_ascii_case(word);
        let text = value.into_text();
        let as_number = || text.as_deref().and_then(number);
        if is(b"UID") {
            found.uid = as_number().and_then(|uid| u32::try_from(uid).ok());
        } else if is(b"RFC822.SIZE") {
            found.size = as_number();
        } else if is(b"INTERNALDATE") {
            found.second = text.and_then(|text| internal_date(&String::from_utf8_lossy(&text)));
        } else if name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"BODY[")) {
            found.body = text.map(Cow::into_owned);
        }
    }
    Some(found)
}

fn listed(mut rest: Rest<'_>) -> Option<Listed> {
    let Value::List(attributes) = rest.value(0)? else { return None };
    let attributes = attributes.into_iter().filter_map(Value::into_text).map(|text| lossy(&text).to_lowercase());
    let attributes = attributes.collect();
    let separator = rest.value(0)?.into_text().map(|text| lossy(&text));
    let name = match rest.value(0)? {
        Value::Atom(name) => lossy(name),
        Value::Text(name) => lossy(&name),
        Value::List(_) => return None,
    };
    Some(Listed { attributes, separator, name })
}

/// `* QUOTA "root" (STORAGE 10 512)`: the root may have other resources beside.
fn quota(mut rest: Rest<'_>) -> Option<Said> {
    rest.value(0)?;
    let Value::List(resources) = rest.value(0)? else { return None };
    let words: Vec<Cow<'_, [u8]>> = resources.into_iter().filter_map(Value::into_text).collect();
    let storage = words.chunks(3).find(|chunk| chunk.first().is_some_and(|name| name.eq_ignore_ascii_case(b"STORAGE")));
    let [_, used, limit] = storage? else { return None };
    Some(Said::Quota { used: number(used)?, limit: number(limit)? })
}

/// What is left of an answer.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn skip_spaces(&mut self) {
        while let Some((b' ', rest)) = self.0.split_first() {
            self.0 = rest;
        }
    }

    /// Takes everything up to a byte that ends it.
    fn take_until(&mut self, mut ends: impl FnMut(u8) -> bool) -> &'a [u8] {
        let length = self.0.iter().position(|&byte| ends(byte)).unwrap_or(self.0.len());
        self.take(length)
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at_checked(length).unwrap_or((self.0, &[]));
        self.0 = rest;
        taken
    }

    fn word(&mut self) -> &'a [u8] {
        self.skip_spaces();
        self.take_until(|byte| matches!(byte, b' ' | b'\r' | b'\n'))
    }

    fn words(mut self) -> impl Iterator<Item = &'a [u8]> {
        std::iter::from_fn(move || Some(self.word()).filter(|word| !word.is_empty()))
    }

    fn value(&mut self, depth: u8) -> Option<Value<'a>> {
        self.skip_spaces();
        let (first, after) = self.0.split_first()?;
        match first {
            b'(' if depth < DEEPEST => {
                self.0 = after;
                let mut values = Vec::new();
                while let Some(value) = self.next_of_list(depth)? {
                    values.push(value);
                }
                Some(Value::List(values))
            }
            b'"' => {
                self.0 = after;
                self.quoted_string().map(Value::Text)
            }
            b'{' => {
                let size = self.take_until(|byte| byte == b'\n');
                self.take(1);
                let size = literal_size(size)?;
                let text = self.take(size);
                (text.len() == size).then_some(Value::Text(Cow::Borrowed(text)))
            }
            _ => {
                let atom = self.atom();
                (!atom.is_empty()).then_some(Value::Atom(atom))
            }
        }
    }

    /// The next value of a list of this depth; the inner None is its end, the outer one says that it has none.
    fn next_of_list(&mut self, depth: u8) -> Option<Option<Value<'a>>> {
        self.skip_spaces();
        if let Some(rest) = self.0.strip_prefix(b")") {
            self.0 = rest;
            return Some(None);
        }
        self.value(depth + 1).map(Some)
    }

    fn quoted_string(&mut self) -> Option<Cow<'a, [u8]>> {
        let mut text = Cow::Borrowed(self.take_until(|byte| byte == b'"' || byte == b'\\'));
        loop {
            match self.take(1) {
                b"\"" => return Some(text),
                b"\\" => text.to_mut().extend_from_slice(self.take(1)),
                _ => return None,
            }
            text.to_mut().extend_from_slice(self.take_until(|byte| byte == b'"' || byte == b'\\'));
        }
    }

    /// An atom; in brackets it may hold spaces: `BODY[HEADER.FIELDS (FROM)]`.
    fn atom(&mut self) -> &'a [u8] {
        let mut in_brackets = false;
        self.take_until(|byte| {
            match byte {
                b'[' => in_brackets = true,
                b']' => in_brackets = false,
                _ => {}
            }
            matches!(byte, b'\r' | b'\n') || (!in_brackets && matches!(byte, b' ' | b'(' | b')' | b'"' | b'{'))
        })
    }
}

/// The size in `{123}` or `{123+}` at the end of a line without its line end.
pub(super) fn literal_size(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let inside = line.strip_suffix(b"}")?;
    let inside = inside.strip_suffix(b"+").unwrap_or(inside);
    let start = inside.iter().rposition(|&byte| byte == b'{')?;
    usize::try_from(number(inside.get(start.checked_add(1)?..)?)?).ok()
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_letter_is_read_with_everything_that_a_server_mixes_in() {
        let answer =
            b"* 12 FETCH (FLAGS (\\Seen $Forwarded) UID 7 INTERNALDATE \" 7-Feb-2026 21:59:59 +0300\" MODSEQ (5) \
            RFC822.SIZE 44827820 BODY[HEADER.FIELDS (X Y)] NIL BODY[] {7}\r\na (\"\r\nb)\r\n";
        let Said::Fetched(found) = read(answer) else { panic!("{:?}", read(answer)) };
        assert_eq!(found.uid, Some(7));
        assert_eq!(found.size, Some(44_827_820));
        assert_eq!(found.second, Some(1_770_490_799));
        assert_eq!(found.body.as_deref(), Some(&b"a (\"\r\nb"[..]));
        let Said::Fetched(head) = read(b"* 1 FETCH (BODY[HEADER]<0> \"A: \\\"b\\\\\" UID 4294967295)\r\n") else {
            panic!()
        };
        assert_eq!((head.uid, head.body.as_deref()), (Some(u32::MAX), Some(&b"A: \"b\\"[..])));
        assert_eq!(read(b"* 1 FETCH (UID 99999999999 BODY[] NIL)\r\n"), Said::Fetched(Fetched::default()));
    }

    #[test]
    fn what_servers_say() {
        let ok = |tag: Option<&str>, code: &[&str], text: &str| {
            Said::Status(Status {
                tag: tag.map(str::to_owned),
                kind: StatusKind::Ok,
                code: code.iter().map(|word| (*word).to_owned()).collect(),
                text: text.to_owned(),
            })
        };
        let folder = |attributes: &[&str], separator: Option<&str>, name: &str| {
            Said::Folder(Listed {
                attributes: attributes.iter().map(|word| (*word).to_owned()).collect(),
                separator: separator.map(str::to_owned),
                name: name.to_owned(),
            })
        };
        for (answer, expected) in [
            ("a1 OK done\r\n", ok(Some("a1"), &[], "done")),
            ("* OK [UIDNEXT 5] next\r\n", ok(None, &["UIDNEXT", "5"], "next")),
            ("a2 ok [appenduid 9 4]\r\n", ok(Some("a2"), &["APPENDUID", "9", "4"], "")),
            ("* 5 EXISTS\r\n", Said::Exists(5)),
            ("* 5 EXPUNGE\r\n", Said::Other),
            ("* FLAGS (\\Seen)\r\n", Said::Other),
            ("+ idling\r\n", Said::Continue),
            ("+\r\n", Said::Continue),
            ("* SEARCH\r\n", Said::Found(vec![])),
            ("* SEARCH 3 1 x 2\r\n", Said::Found(vec![3, 1, 2])),
            ("* CAPABILITY IMAP4rev1 Idle\r\n", Said::Capabilities(vec!["IMAP4REV1".into(), "IDLE".into()])),
            (
                "* LIST (\\HasNoChildren \\Junk) \".\" Junk\r\n",
                folder(&["\\hasnochildren", "\\junk"], Some("."), "Junk"),
            ),
            ("* XLIST (\\Spam) NIL {4}\r\na\"b \r\n", folder(&["\\spam"], None, "a\"b ")),
            ("* LIST (\\Junk\r\n", Said::Other),
            ("HTTP/1.1 400 Bad Request\r\n", Said::Noise),
            ("a1 WHAT\r\n", Said::Noise),
            ("\r\n", Said::Noise),
            ("", Said::Noise),
        ] {
            assert_eq!(read(answer.as_bytes()), expected, "{answer}");
        }
    }

    #[test]
    fn commands_are_written_so_that_nothing_slips_in() {
        assert_eq!(quoted("a \"b\" \\").as_deref(), Some("\"a \\\"b\\\" \\\\\""));
        assert_eq!(quoted("a\r\nb"), None);
        assert_eq!(uid_set([1, 2, 3, 7, 9, 10]), "1:3,7,9:10");
        assert_eq!(uid_set([u32::MAX]), "4294967295");
        assert_eq!(literal_size(b"* 1 FETCH (BODY[] {12}\r\n"), Some(12));
        assert_eq!(literal_size(b"* 1 FETCH (BODY[] {99999999999999999999}\r\n"), None);
        assert_eq!(literal_size(b"a {x}\r\n"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
            read(&[b"* 1 FETCH (", bytes.as_slice()].concat());
            read(&[b"* LIST ", bytes.as_slice()].concat());
            internal_date(&String::from_utf8_lossy(&bytes));
        }
    }
}
