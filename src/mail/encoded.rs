//! Transfer encodings and encoded words (RFC 2045, RFC 2047), as lenient as real mail needs it.

use super::Charset;
use super::charset;

/// Most pieces of a header that are looked at together for their charset.
const MOST_TOGETHER: usize = 20;

/// Bytes of a part with its transfer encoding undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transferred {
    pub bytes: Vec<u8>,
    /// There was something, and nothing of it could be decoded; or its end is missing.
    pub broken: bool,
}

/// Undoes a transfer encoding. An unknown one is none.
pub fn undo_transfer(body: &[u8], encoding: &str) -> Transferred {
    match encoding.trim().to_ascii_lowercase().as_str() {
        "base64" => from_base64_lines(body),
        "quoted-printable" => Transferred { bytes: from_quoted_printable(body, false), broken: false },
        _ => Transferred { bytes: body.to_vec(), broken: false },
    }
}

/// Base64 by lines. What follows it unencoded (a list's footer) is dropped; a body that is plain text in spite of its
/// label is taken as it is.
fn from_base64_lines(body: &[u8]) -> Transferred {
    let mut sextets = Sextets::default();
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3);
    let mut seen_any = false;
    for line in body.split(|b| *b == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let foreign = line.iter().filter(|b| sextet(**b).is_none() && **b != b'=').count();
        if foreign * 10 > line.len() || line.contains(&b' ') {
            if !seen_any {
                let readable = line.iter().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
                return Transferred { bytes: if readable { body.to_vec() } else { Vec::new() }, broken: !readable };
            }
            break;
        }
        seen_any = true;
        sextets.feed(line, &mut bytes);
    }
    // A single sextet is no byte: the letter was cut on the way, and what is missing may be what matters.
    Transferred { broken: seen_any && bytes.is_empty() || sextets.count == 1, bytes }
}

#[derive(Default)]
struct Sextets {
    bits: u32,
    count: u32,
}

impl Sextets {
    fn feed(&mut self, line: &[u8], bytes: &mut Vec<u8>) {
        for byte in line {
            match sextet(*byte) {
                Some(value) => {
                    self.bits = (self.bits << 6 | u32::from(value)) & 0x00ff_ffff;
                    self.count += 1;
                    // Each sextet but the first of four completes a byte.
                    let spare = match self.count {
                        2 => 4,
                        3 => 2,
                        4 => 0,
                        _ => continue,
                    };
                    bytes.push(u8::try_from(self.bits >> spare & 0xff).unwrap_or_default());
                    self.count %= 4;
                }
                // Padding begins a new group: some programs join encoded pieces.
                None if *byte == b'=' => *self = Sextets::default(),
                None => {}
            }
        }
    }
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Quoted-printable; `in_word` is its form in headers, where `_` is a space.
fn from_quoted_printable(encoded: &[u8], in_word: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'_' if in_word => bytes.push(b' '),
            b'=' => match after {
                [high, low, tail @ ..] if hex(*high).is_some() && hex(*low).is_some() => {
                    bytes.push(hex(*high).unwrap_or_default() << 4 | hex(*low).unwrap_or_default());
                    rest = tail;
                }
                _ => match soft_line_end(after) {
                    Some(tail) => rest = tail,
                    None => bytes.push(b'='),
                },
            },
            other => bytes.push(*other),
        }
    }
    bytes
}

/// What follows `=` at the end of a line, behind spaces that a relay may have added.
fn soft_line_end(after: &[u8]) -> Option<&[u8]> {
    let blanks = after.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    match after.get(blanks..)? {
        [] => Some(&[]),
        [b'\n', tail @ ..] => Some(tail),
        _ => None,
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// A header in letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub text: String,
    /// The charset of its words, where it was not declared or declared wrongly.
    pub guess: Option<Charset>,
}

/// A header's words: encoded ones decoded (also when a character is split between two), raw 8-bit ones by the hint or by
/// a guess.
pub fn decode_words(raw: &[u8], hint: Option<&str>) -> Words {
    let pieces = pieces(raw);
    let mut words = Words::default();
    for piece in &pieces {
        if piece.bytes.is_ascii() && piece.charset.is_none() {
            words.text.push_str(&String::from_utf8_lossy(&piece.bytes));
            continue;
        }
        // RFC 6532: raw UTF-8 needs no label.
        let plain_utf_8 = piece.charset.is_none() && std::str::from_utf8(&piece.bytes).is_ok();
        let label = if plain_utf_8 { Some("utf-8") } else { piece.charset.as_deref().or(hint) };
        let decoded = match guess_for(piece, &pieces, label) {
            Some(guess) => charset::decode_in(&piece.bytes, &guess),
            None => charset::decode(&piece.bytes, label),
        };
        words.text.push_str(&decoded.text);
        if decoded.charset.guessed {
            words.guess.get_or_insert(decoded.charset);
        }
    }
    words
}

/// The charset that all words of one label are in, where it is not the one that they name: together they tell more than
/// each alone.
fn guess_for(piece: &Piece, pieces: &[Piece], label: Option<&str>) -> Option<Charset> {
    if piece.bytes.is_ascii() {
        return None;
    }
    let is_of_it = |other: &&Piece| other.charset == piece.charset || other.charset.is_none() && other.bytes.is_ascii();
    let others = pieces.iter().take(MOST_TOGETHER).filter(is_of_it);
    let together: Vec<u8> = others.flat_map(|other| &other.bytes).copied().collect();
    Some(charset::decode(&together, label).charset).filter(|charset| charset.guessed)
}

/// A run of bytes of one header in one charset.
struct Piece {
    /// Lower-cased; None for what is not encoded.
    charset: Option<String>,
    bytes: Vec<u8>,
}

fn pieces(raw: &[u8]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let (before, word) = next_word(rest);
        let (plain, after) = match &word {
            Some(word) => (before, word.after),
            None => (rest, &[][..]),
        };
        // White space between two encoded words is none.
        let between = word.is_some() && plain.trim_ascii().is_empty();
        let joins = between && pieces.last().is_some_and(|last| last.charset.is_some());
        if !plain.is_empty() && !joins {
            pieces.push(Piece { charset: None, bytes: plain.to_vec() });
        }
        if let Some(word) = word {
            let charset = Some(word.charset.to_ascii_lowercase());
            match pieces.last_mut() {
                Some(last) if last.charset == charset => last.bytes.extend(word.bytes),
                _ => pieces.push(Piece { charset, bytes: word.bytes }),
            }
        }
        rest = after;
    }
    pieces
}

struct EncodedWord<'a> {
    charset: String,
    bytes: Vec<u8>,
    after: &'a [u8],
}

/// The next `=?charset?B?...?=`, and what stands before it.
fn next_word(raw: &[u8]) -> (&[u8], Option<EncodedWord<'_>>) {
    let mut from = 0;
    while let Some(at) = find(raw.get(from..).unwrap_or_default(), b"=?").map(|at| at + from) {
        if let Some(word) = raw.get(at + 2..).and_then(read_word) {
            return (raw.get(..at).unwrap_or_default(), Some(word));
        }
        from = at + 2;
    }
    (raw, None)
}

/// `charset?B?...?=` and what follows it.
fn read_word(raw: &[u8]) -> Option<EncodedWord<'_>> {
    const LONGEST_CHARSET: usize = 40;
    let question = raw.iter().take(LONGEST_CHARSET).position(|b| *b == b'?')?;
    let charset = std::str::from_utf8(raw.get(..question)?).ok()?;
    let charset = charset.split('*').next().unwrap_or_default().trim();
    let [kind, b'?', encoded @ ..] = raw.get(question + 1..)? else {
        return None;
    };
    let end = find(encoded, b"?=")?;
    let (encoded, after) = (encoded.get(..end)?, encoded.get(end + 2..)?);
    let bytes = match kind {
        b'B' | b'b' => {
            let mut bytes = Vec::new();
            Sextets::default().feed(encoded, &mut bytes);
            bytes
        }
        b'Q' | b'q' => from_quoted_printable(encoded, true),
        _ => return None,
    };
    let plain = charset.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':'));
    (!charset.is_empty() && plain).then(|| EncodedWord { charset: charset.to_owned(), bytes, after })
}

fn find(haystack: &[u8], needle: &[u8; 2]) -> Option<usize> {
    haystack.windows(2).position(|pair| pair == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_decoded_and_joined() {
        for (raw, text) in [
            (&b"=?utf-8?B?UmU6IFtwYWxlcm1vXSDRhdC+0LQgMw==?="[..], "Re: [palermo] ход 3"),
            (b"=?koi8-r?B?89XEIOzJzt7BIC0g4s/DzcHO?=", "Суд Линча - Боцман"),
            (b"=?KOI8-R?Q?=F3=D5=C4_=EC=C9=CE=DE=C1?= - x", "Суд Линча - x"),
            // A character in two words.
            (b"=?utf-8?Q?=D0=A1=D1?=\r\n =?utf-8?Q?=83=D0=B4?=", "Суд"),
            (b"=?utf-8?B?0KHR?= =?UTF-8?B?g9C0?=", "Суд"),
            (b"=?utf-8?Q?a?= =?koi8-r?Q?=C1?=", "aа"),
            (b"=?utf-8*ru?Q?a?= b =?utf-8?Q?c?=", "a b c"),
            (b"=?utf-8?Q?a b?=", "a b"),
            (b"\xf3\xd5\xc4 \xec\xc9\xce\xde\xc1 - \xe2\xcf\xc3\xcd\xc1\xce", "Суд Линча - Боцман"),
            ("Суд Линча".as_bytes(), "Суд Линча"),
            (b"=?utf-8?X?a?= =?broken", "=?utf-8?X?a?= =?broken"),
            (b"", ""),
        ] {
            assert_eq!(decode_words(raw, None).text, text, "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn transfer_encodings_are_undone() {
        for (body, encoding, bytes) in [
            (&b"0J7RhQ==\r\n"[..], "base64", "Ох".as_bytes()),
            (b"0J7\nRhQ", "BASE64", "Ох".as_bytes()),
            (b"0J4=0YU=", "base64", "Ох".as_bytes()),
            (b"YWJj\n-- \nlist footer", "base64", b"abc"),
            (b"plain text, really", "base64", b"plain text, really"),
            (b"a=3Db=\r\nc=  \nd=zz=", "quoted-printable", b"a=bcd=zz"),
            (b"abc", "8bit", b"abc"),
            (b"abc", "x-uuencode", b"abc"),
        ] {
            assert_eq!(undo_transfer(body, encoding).bytes, bytes, "{}", body.escape_ascii());
        }
        assert!(undo_transfer(b"!!!! ????", "base64").broken);
        assert!(!undo_transfer(b"", "base64").broken);
    }
}
