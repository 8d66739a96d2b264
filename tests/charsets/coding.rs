//! Text into bytes, and bytes into lines, as mail programs do it.

use encoding_rs::Encoding;

/// A charset of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    Named(&'static str),
    Utf16Le,
    Utf16Be,
    /// With a byte order mark before the first letter.
    Utf16LeMarked,
    Utf16BeMarked,
}

pub const CHARSETS: [Charset; 11] = [
    Charset::Named("koi8-r"),
    Charset::Named("koi8-u"),
    Charset::Named("windows-1251"),
    Charset::Named("iso-8859-5"),
    Charset::Named("ibm866"),
    Charset::Named("x-mac-cyrillic"),
    Charset::Named("utf-8"),
    Charset::Utf16Le,
    Charset::Utf16Be,
    Charset::Utf16LeMarked,
    Charset::Utf16BeMarked,
];

impl Charset {
    pub fn label(self) -> &'static str {
        match self {
            Charset::Named(label) => label,
            Charset::Utf16Le => "utf-16le",
            Charset::Utf16Be => "utf-16be",
            Charset::Utf16LeMarked | Charset::Utf16BeMarked => "utf-16",
        }
    }

    pub fn is_utf_16(self) -> bool {
        !matches!(self, Charset::Named(_))
    }

    pub fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Charset::Named(label) => {
                let (bytes, _, unmappable) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
                assert!(!unmappable, "{label} cannot say {text}");
                bytes.into_owned()
            }
            Charset::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Charset::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Charset::Utf16LeMarked => Charset::Utf16Le.bytes(&format!("\u{feff}{text}")),
            Charset::Utf16BeMarked => Charset::Utf16Be.bytes(&format!("\u{feff}{text}")),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    EightBit,
    Quoted,
    Base64,
    Binary,
}

pub const TRANSFERS: [Transfer; 4] = [Transfer::EightBit, Transfer::Quoted, Transfer::Base64, Transfer::Binary];

impl Transfer {
    pub fn label(self) -> &'static str {
        match self {
            Transfer::EightBit => "8bit",
            Transfer::Quoted => "quoted-printable",
            Transfer::Base64 => "base64",
            Transfer::Binary => "binary",
        }
    }

    pub fn body(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Transfer::EightBit | Transfer::Binary => bytes.to_vec(),
            Transfer::Quoted => quoted(bytes),
            Transfer::Base64 => {
                let coded = data_encoding::BASE64.encode(bytes);
                coded.as_bytes().chunks(76).flat_map(|line| [line, b"\r\n"].concat()).collect()
            }
        }
    }

    /// A header's words: encoded, in several where they are long, or raw.
    pub fn words(self, bytes: &[u8], label: &str) -> Vec<u8> {
        let word = |kind: &str, text: String| format!("=?{label}?{kind}?{text}?=");
        let words: Vec<String> = match self {
            Transfer::EightBit | Transfer::Binary => return bytes.to_vec(),
            // Cut wherever the line was full, also inside a letter.
            Transfer::Quoted => bytes.chunks(9).map(|chunk| word("Q", in_word(chunk))).collect(),
            Transfer::Base64 => bytes.chunks(15).map(|chunk| word("B", data_encoding::BASE64.encode(chunk))).collect(),
        };
        words.join("\r\n ").into_bytes()
    }
}

fn in_word(bytes: &[u8]) -> String {
    let letter = |byte: &u8| match byte {
        b' ' => "_".to_owned(),
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => char::from(*byte).to_string(),
        other => format!("={other:02X}"),
    };
    bytes.iter().map(letter).collect()
}

fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut width = 0;
    let is_text = !bytes.contains(&0);
    for (at, byte) in bytes.iter().enumerate() {
        let ends_line = matches!(bytes.get(at + 1), None | Some(b'\r' | b'\n'));
        let plain = matches!(byte, b'!'..=b'<' | b'>'..=b'~') || *byte == b' ' && !ends_line;
        if is_text && matches!(byte, b'\r' | b'\n') {
            lines.push(*byte);
            width = 0;
            continue;
        }
        let written = if plain && is_text { vec![*byte] } else { format!("={byte:02X}").into_bytes() };
        if width + written.len() > 75 {
            lines.extend(b"=\r\n");
            width = 0;
        }
        width += written.len();
        lines.extend(written);
    }
    lines
}
