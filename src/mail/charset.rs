//! Bytes into text: the declared charset where it holds, else a guess by what Russian looks like ([`super::russian`]).

use encoding_rs::{
    Encoding, IBM866, ISO_8859_5, KOI8_R, KOI8_U, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1251, WINDOWS_1252,
    X_MAC_CYRILLIC,
};

use super::Charset;
use super::russian::{self, CYRILLIC, Score};

/// How much of a text the look for UTF-16 takes, in bytes.
const SAMPLE: usize = 16 * 1024;

/// A decoded text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    pub charset: Charset,
    /// No charset makes sense of the bytes; the text is what is left of them.
    pub undecodable: bool,
}

/// Decodes a text. The declared charset is doubted where the bytes contradict it.
pub fn decode(bytes: &[u8], declared: Option<&str>) -> Decoded {
    let label = declared.map(str::trim).filter(|label| !label.is_empty());
    let declared = label.and_then(known_encoding);
    if let Some((encoding, skip)) = Encoding::for_bom(bytes)
        && let Some(rest) = bytes.get(skip..).map(without_blanks_alone)
        && (rest.is_empty()
            || encoding == UTF_8 && std::str::from_utf8(rest).is_ok()
            || looks_like_utf_16(rest, 1) == Some(encoding))
    {
        return lossy(encoding, rest, !says(label, encoding));
    }
    let least = if declared.is_some_and(is_utf_16) { 1 } else { 3 };
    if let Some(encoding) = looks_like_utf_16(bytes, least) {
        return lossy(encoding, without_foreign_line_end(bytes), !says(label, encoding));
    }
    if bytes.is_ascii() {
        return ascii(bytes, label, declared);
    }
    // Bytes of another charset are hardly ever valid UTF-8.
    if let Some(decoded) = mostly_utf_8(bytes, declared != Some(UTF_8)) {
        return decoded;
    }
    match declared {
        // UTF-16 of Latin or Cyrillic letters would have been seen above.
        Some(encoding) if is_no_charset(encoding, label) || is_utf_16(encoding) => undeclared(bytes),
        Some(encoding) => as_declared(encoding, bytes),
        None => match label.and_then(|label| in_odd_charset(bytes, label)) {
            Some(decoded) => unless_russian(bytes, decoded),
            None => undeclared(bytes),
        },
    }
}

/// Nothing, where a mark is followed by nothing but a line end.
fn without_blanks_alone(bytes: &[u8]) -> &[u8] {
    if bytes.trim_ascii().is_empty() { &[] } else { bytes }
}

/// Decodes a text in a charset that was guessed of more than this.
pub fn decode_in(bytes: &[u8], charset: &Charset) -> Decoded {
    match known_encoding(&charset.name) {
        Some(encoding) => lossy(encoding, bytes, charset.guessed),
        None => decode(bytes, Some(&charset.name)),
    }
}

/// Seven-bit text, which some charsets use for more than ASCII (UTF-7, ISO-2022-JP).
fn ascii(bytes: &[u8], label: Option<&str>, declared: Option<&'static Encoding>) -> Decoded {
    let plain = |charset| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Decoded { undecodable: has_many_controls(bytes), text, charset }
    };
    let us_ascii = || plain(Charset { name: "us-ascii".to_owned(), guessed: false });
    match declared {
        Some(encoding) if is_utf_16(encoding) => plain(named(UTF_8, !bytes.trim_ascii().is_empty())),
        Some(encoding) if is_no_charset(encoding, label) && encoding != UTF_8 => us_ascii(),
        Some(encoding) => match encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            Some(text) => Decoded {
                text: text.into_owned(),
                charset: named(encoding, false),
                undecodable: has_many_controls(bytes),
            },
            None => us_ascii(),
        },
        None => label.and_then(|label| in_odd_charset(bytes, label)).unwrap_or_else(us_ascii),
    }
}

/// Whether a label names this charset. `utf-16` leaves the order of bytes open.
fn says(label: Option<&str>, encoding: &'static Encoding) -> bool {
    let open = |label: &str| known_encoding(label) == Some(UTF_16LE) && !label.to_ascii_lowercase().ends_with("le");
    label.is_some_and(|label| known_encoding(label) == Some(encoding) || is_utf_16(encoding) && open(label))
}

/// Labels that say nothing of bytes that are no valid UTF-8.
fn is_no_charset(encoding: &'static Encoding, label: Option<&str>) -> bool {
    // encoding_rs knows ASCII only as a part of windows-1252.
    let ascii = encoding == WINDOWS_1252 && label.is_some_and(|label| label.to_ascii_lowercase().contains("ascii"));
    encoding == REPLACEMENT || encoding == UTF_8 || ascii
}

/// A text in a charset that only the mail parser knows.
fn in_odd_charset(bytes: &[u8], label: &str) -> Option<Decoded> {
    let label = label.to_ascii_lowercase();
    let decoder = mail_parser::decoders::charsets::map::charset_decoder(label.as_bytes())?;
    Some(Decoded { text: decoder(bytes), charset: Charset { name: label, guessed: false }, undecodable: false })
}

/// Bytes that are neither ASCII nor UTF-8, under the label of some other charset.
fn as_declared(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let decoded = lossy(encoding, bytes, false);
    if !CYRILLIC.contains(&encoding) {
        if is_western(encoding) && is_mostly_high(bytes) {
            return undeclared(bytes);
        }
        return unless_russian(bytes, decoded);
    }
    let sample = russian::sample(bytes);
    let declared = Score::of(encoding, &sample);
    let (read, is_noise) = match russian::best_guess(&sample) {
        // The frames of the one are letters of the other, in mail always.
        Some((guess, score)) if encoding == KOI8_R && guess == KOI8_U => (lossy(guess, bytes, true), score.is_noise()),
        Some((guess, score)) if score.overrules(&declared) => (lossy(guess, bytes, true), !score.makes_sense()),
        _ => (decoded, declared.is_noise()),
    };
    Decoded { undecodable: read.undecodable || is_noise || has_many_controls(bytes), ..read }
}

/// What was decoded as declared, but for bytes that are Russian in another charset and nothing in this one.
fn unless_russian(bytes: &[u8], decoded: Decoded) -> Decoded {
    let sample = russian::sample(bytes);
    let declared = Score::of_text(&decoded.text);
    match russian::best_guess(&sample) {
        Some((guess, score)) if is_mostly_high(bytes) && score.is_surely_russian() && score.overrules(&declared) => {
            lossy(guess, bytes, true)
        }
        _ => Decoded { undecodable: decoded.undecodable || has_many_controls(bytes), ..decoded },
    }
}

/// A charset from the bytes alone; they are neither ASCII nor UTF-8.
fn undeclared(bytes: &[u8]) -> Decoded {
    if has_many_controls(bytes) {
        return Decoded { undecodable: true, ..lossy(UTF_8, bytes, true) };
    }
    if !is_mostly_high(bytes) {
        return lossy(WINDOWS_1252, bytes, true);
    }
    match russian::best_guess(&russian::sample(bytes)) {
        Some((guess, score)) if score.makes_sense() => lossy(guess, bytes, true),
        _ => Decoded { undecodable: true, ..lossy(UTF_8, bytes, true) },
    }
}

/// The charset that a label means, also in the spellings of old mail programs.
fn known_encoding(label: &str) -> Option<&'static Encoding> {
    let plain: String = label.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match plain.as_str() {
        "koi8" | "koi8r" | "koi" | "cskoi8r" => Some(KOI8_R),
        "koi8u" | "koi8ru" => Some(KOI8_U),
        "win1251" | "windows1251" | "cp1251" | "xcp1251" | "1251" | "ansi1251" | "win" => Some(WINDOWS_1251),
        "cp866" | "ibm866" | "866" | "dos866" | "dos" | "csibm866" | "xcp866" => Some(IBM866),
        "iso88595" | "88595" | "cyrillic" | "isoir144" => Some(ISO_8859_5),
        "maccyrillic" | "xmaccyrillic" | "xmacukrainian" | "macukrainian" | "cp10007" => Some(X_MAC_CYRILLIC),
        "utf8" | "utf8mb4" | "unicode11utf8" | "unicode20utf8" => Some(UTF_8),
        "utf16" | "utf16le" | "ucs2" | "unicode" => Some(UTF_16LE),
        "utf16be" => Some(UTF_16BE),
        _ => Encoding::for_label(label.trim().as_bytes()),
    }
}

fn named(encoding: &'static Encoding, guessed: bool) -> Charset {
    Charset { name: encoding.name().to_ascii_lowercase(), guessed }
}

fn lossy(encoding: &'static Encoding, bytes: &[u8], guessed: bool) -> Decoded {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let broken = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    let undecodable = broken * 5 > text.chars().filter(|c| !c.is_whitespace()).count();
    Decoded { text: text.into_owned(), charset: named(encoding, guessed), undecodable }
}

/// UTF-8, perhaps with a few broken characters (a client cut a line inside one).
fn mostly_utf_8(bytes: &[u8], guessed: bool) -> Option<Decoded> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let undecodable = has_many_controls(bytes);
        return Some(Decoded { text: text.to_owned(), charset: named(UTF_8, guessed), undecodable });
    }
    let decoded = lossy(UTF_8, bytes, guessed);
    let broken = decoded.text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    let sound = decoded.text.chars().filter(|c| !c.is_ascii() && *c != char::REPLACEMENT_CHARACTER).count();
    (sound > broken * 4).then_some(decoded)
}

fn is_utf_16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// Charsets of Latin letters, in which most letters are those of ASCII.
fn is_western(encoding: &'static Encoding) -> bool {
    const WESTERN: &[&str] = &[
        "windows-1250",
        "windows-1252",
        "windows-1254",
        "windows-1257",
        "windows-1258",
        "ISO-8859-2",
        "ISO-8859-3",
        "ISO-8859-4",
        "ISO-8859-10",
        "ISO-8859-13",
        "ISO-8859-14",
        "ISO-8859-15",
        "ISO-8859-16",
        "macintosh",
    ];
    WESTERN.contains(&encoding.name())
}

/// Every second byte is that of a Latin or Cyrillic block, in at least so many pairs.
fn looks_like_utf_16(bytes: &[u8], least: usize) -> Option<&'static Encoding> {
    let sample = bytes.get(..SAMPLE.min(bytes.len())).unwrap_or_default();
    let pairs = sample.chunks_exact(2);
    let count = pairs.len();
    let block = |at: usize| pairs.clone().filter(|pair| matches!(pair.get(at), Some(0 | 4))).count();
    let (high_first, high_second) = (block(0), block(1));
    if count >= least && high_second * 10 > count * 7 && high_first * 10 < count * 3 {
        Some(UTF_16LE)
    } else if count >= least && high_first * 10 > count * 7 && high_second * 10 < count * 3 {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// UTF-16 without the line end of eight bits a character that a server put behind it.
fn without_foreign_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\r\n").unwrap_or(bytes);
    if bytes.len() % 2 == 1 { bytes.strip_suffix(b"\n").unwrap_or(bytes) } else { bytes }
}

/// Whether most letters are none of ASCII, or whole words are: Cyrillic is so, German is not.
fn is_mostly_high(bytes: &[u8]) -> bool {
    let high = bytes.iter().filter(|b| !b.is_ascii()).count();
    let latin = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii() && !is_mark(*byte);
    let (mut whole, mut mixed) = (0, 0);
    for word in bytes.split(|byte| !is_letter(byte)).filter(|word| word.len() > 1 && !word.is_ascii()) {
        *(if word.iter().any(u8::is_ascii) { &mut mixed } else { &mut whole }) += 1;
    }
    high >= latin || whole > mixed || longest_high_run(bytes) >= 4
}

/// Quotes, dashes and the fixed space of the windows charsets: they stand between words.
fn is_mark(byte: u8) -> bool {
    matches!(byte, 0x84 | 0x85 | 0x91..=0x97 | 0xa0 | 0xab | 0xbb)
}

fn longest_high_run(bytes: &[u8]) -> usize {
    bytes.split(u8::is_ascii).map(<[u8]>::len).max().unwrap_or_default()
}

/// Whether these are the bytes of a program or an archive rather than of a text.
fn has_many_controls(bytes: &[u8]) -> bool {
    bytes.iter().filter(|b| is_control(**b)).count() * 20 > bytes.len()
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: &[&str] = &[
        "Суд Линча - Боцман",
        "СУД ЛИНЧА - БОЦМАН",
        "Охота - Юнга\nСпасибо.",
        "Так будет лучше для всех, поверьте.",
        "Привет",
        "Добрый день! Я в отпуске до 10 декабря.",
        "Vote - Боцман",
        "Записка - Юнга: ты всё поймёшь, объясню позже: эх, щука…",
    ];

    #[test]
    fn every_charset_is_read_as_declared_and_guessed_when_not() {
        for encoding in CYRILLIC {
            for letter in LETTERS {
                let (bytes, _, unmappable) = encoding.encode(letter);
                if unmappable {
                    continue;
                }
                let declared = decode(&bytes, Some(encoding.name()));
                assert_eq!((declared.text.as_str(), declared.charset.guessed), (*letter, false), "{}", encoding.name());
                for label in [None, Some("x-unknown"), Some("utf-8"), Some("us-ascii"), Some("iso-8859-1")] {
                    let guessed = decode(&bytes, label);
                    assert_eq!(guessed.text, *letter, "{} as {label:?}", encoding.name());
                    assert!(guessed.charset.guessed && !guessed.undecodable);
                }
            }
        }
    }

    #[test]
    fn a_wrong_cyrillic_label_is_found_out() {
        for written in CYRILLIC {
            for declared in CYRILLIC {
                let letter = "Суд Линча - Боцман\nТак будет лучше для всех, поверьте.";
                let (bytes, ..) = written.encode(letter);
                let decoded = decode(&bytes, Some(declared.name()));
                assert_eq!(decoded.text, letter, "{} declared as {}", written.name(), declared.name());
                let differs = declared.decode_without_bom_handling(&bytes).0 != letter;
                assert_eq!(decoded.charset.guessed, differs, "{} declared as {}", written.name(), declared.name());
            }
        }
        assert_eq!(decode("Суд".as_bytes(), Some("koi8-r")).text, "Суд");
    }

    #[test]
    fn a_short_line_is_read_in_every_charset_under_every_label() {
        let labels = [
            None,
            Some("x-unknown"),
            Some("us-ascii"),
            Some("utf-8"),
            Some("utf-16"),
            Some("utf-16be"),
            Some("iso-8859-1"),
            Some("iso-8859-2"),
            Some("iso-8859-7"),
            Some("windows-1250"),
            Some("windows-1252"),
            Some("gb2312"),
            Some("big5"),
            Some("shift_jis"),
            Some("euc-kr"),
            Some("iso-2022-jp"),
            Some("koi8-r"),
            Some("koi8-u"),
            Some("windows-1251"),
            Some("cp866"),
            Some("iso-8859-5"),
            Some("x-mac-cyrillic"),
        ];
        let mut faults = Vec::new();
        for letter in [
            "Суд Линча - Аня",
            "суд - аня",
            "СУД ЛИНЧА - АНЯ",
            "Vote - Аня",
            "Охота - Ёж",
            "Да",
            "Привет",
            "Проверка - Їжак",
        ] {
            for written in CYRILLIC {
                let (bytes, _, unmappable) = written.encode(letter);
                if unmappable {
                    continue;
                }
                for label in labels {
                    let decoded = decode(&bytes, label);
                    if decoded.text != letter || decoded.undecodable {
                        faults.push(format!("{letter}: {} as {label:?}: {}", written.name(), decoded.text));
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn a_request_outweighs_a_nick_of_rare_letters() {
        let mut faults = Vec::new();
        for nick in ["Ъъыщ", "ЪЫЩЭФ", "Щфъэцхж", "Эцихъ", "ъэщф", "Фыыыщ", "ЪЪЪ", "ъъъъъъъъ", "фщъЭЪЫЩФ", "ЮЪЩЪЮЪ"]
        {
            for word in ["Суд", "Охота", "Записка"] {
                let letter = format!("{word} - {nick}");
                for written in CYRILLIC {
                    let (bytes, ..) = written.encode(&letter);
                    let decoded = decode(&bytes, None);
                    if decoded.text != letter {
                        faults.push(format!("{letter}: {}: {}", written.name(), decoded.text));
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn unicode_in_all_its_forms() {
        let letter = "Суд Линча - Боцман";
        let le: Vec<u8> = letter.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = letter.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let bom = |bytes: &[u8]| [&[0xff, 0xfe], bytes].concat();
        for (bytes, label) in [
            (letter.as_bytes().to_vec(), Some("utf-8")),
            (letter.as_bytes().to_vec(), Some("UTF8")),
            (letter.as_bytes().to_vec(), None),
            (letter.as_bytes().to_vec(), Some("utf-16")),
            ([b"\xef\xbb\xbf", letter.as_bytes()].concat(), Some("utf-8")),
            (le.clone(), Some("utf-16le")),
            (le.clone(), Some("utf-16")),
            (le.clone(), None),
            (be.clone(), Some("utf-16be")),
            (be, Some("utf-16")),
            (bom(&le), Some("utf-16")),
            (bom(&le), None),
            (b"+BCEEQwQ0- +BBsEOAQ9BEcEMA- - +BBEEPgRGBDwEMAQ9-".to_vec(), Some("utf-7")),
        ] {
            assert_eq!(decode(&bytes, label).text, letter, "{label:?} {bytes:?}");
        }
    }

    #[test]
    fn western_letters_stay_western() {
        let (bytes, ..) = WINDOWS_1252.encode("Grüße aus Köln, naïve façade");
        assert_eq!(decode(&bytes, Some("iso-8859-1")).text, "Grüße aus Köln, naïve façade");
        assert_eq!(decode(&bytes, None).text, "Grüße aus Köln, naïve façade");
    }

    #[test]
    fn a_cut_character_does_not_change_the_charset() {
        let mut bytes = "Суд Линча - Боцман".as_bytes().to_vec();
        bytes.pop();
        let decoded = decode(&bytes, Some("utf-8"));
        assert!(decoded.text.starts_with("Суд Линча - Боцма") && !decoded.undecodable);
    }

    #[test]
    fn noise_is_undecodable_and_never_empty() {
        let noise: Vec<u8> = (0..400_u32).map(|i| u8::try_from((i * 7919 + i * i * 31) % 256).unwrap()).collect();
        for label in [None, Some("utf-8"), Some("x-unknown")] {
            let decoded = decode(&noise, label);
            assert!(decoded.undecodable && !decoded.text.is_empty(), "{label:?}");
        }
        assert!(decode(b"\xff\xfe\xfd\x80\x81\x82", Some("utf-8")).undecodable);
    }
}
