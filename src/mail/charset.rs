//! Bytes into text: the declared charset where it holds, else a guess by what Russian looks like.

use encoding_rs::{
    Encoding, IBM866, ISO_8859_5, KOI8_R, KOI8_U, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1251, WINDOWS_1252,
    X_MAC_CYRILLIC,
};

use super::Charset;
use crate::request::line::begins_request;

/// How much of a text a guess looks at, in bytes.
const SAMPLE: usize = 16 * 1024;
/// By so much a guess, in its mean score for a letter, must beat the declared charset before it is believed.
const MARGIN: f64 = 0.4;
/// A declared charset is doubted only over so many letters.
const ENOUGH_LETTERS: usize = 6;
/// Below this score a text is no Russian in any charset. True letters of any length score 0.7 and more.
const GIBBERISH: f64 = 0.0;
/// The same for a text of a word or less, which may be anything.
const SHORT_GIBBERISH: f64 = -0.6;

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
    if let Some((encoding, skip)) = Encoding::for_bom(bytes)
        && let Some(rest) = bytes.get(skip..)
        && (encoding == UTF_8 || looks_like_utf_16(rest, 1) == Some(encoding))
    {
        return lossy(encoding, rest, declared.and_then(known_encoding) != Some(encoding));
    }
    let label = declared.map(str::trim).filter(|label| !label.is_empty());
    let Some(label) = label else {
        return undeclared(bytes);
    };
    match known_encoding(label) {
        Some(encoding) if encoding == REPLACEMENT => Decoded { undecodable: !bytes.is_ascii(), ..undeclared(bytes) },
        // encoding_rs knows ASCII only as a part of windows-1252.
        Some(encoding) if encoding == WINDOWS_1252 && label.to_ascii_lowercase().contains("ascii") => undeclared(bytes),
        Some(encoding) => as_declared(encoding, bytes),
        None => match mail_parser::decoders::charsets::map::charset_decoder(label.to_ascii_lowercase().as_bytes()) {
            Some(decoder) => {
                let charset = Charset { name: label.to_ascii_lowercase(), guessed: false };
                Decoded { text: decoder(bytes), charset, undecodable: false }
            }
            None => undeclared(bytes),
        },
    }
}

fn as_declared(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return utf_16(encoding, bytes);
    }
    if bytes.is_ascii() {
        return match encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            Some(text) => Decoded { text: text.into_owned(), charset: named(encoding, false), undecodable: false },
            None => undeclared(bytes),
        };
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        // Bytes of another charset are hardly ever valid UTF-8.
        return Decoded { text: text.to_owned(), charset: named(UTF_8, encoding != UTF_8), undecodable: false };
    }
    if encoding == UTF_8 {
        return mostly_utf_8(bytes).unwrap_or_else(|| undeclared(bytes));
    }
    if encoding == WINDOWS_1252 || encoding.name().starts_with("ISO-8859-1") {
        return if is_mostly_high(bytes) { undeclared(bytes) } else { lossy(encoding, bytes, false) };
    }
    if !CYRILLIC.contains(&encoding) && encoding != KOI8_U {
        return lossy(encoding, bytes, false);
    }
    let declared = Score::of(encoding, bytes);
    match best_guess(bytes) {
        Some((guess, score)) if score.letters >= ENOUGH_LETTERS && score.mean() > declared.mean() + MARGIN => {
            lossy(guess, bytes, true)
        }
        _ => lossy(encoding, bytes, false),
    }
}

/// A charset from the bytes alone.
fn undeclared(bytes: &[u8]) -> Decoded {
    if let Some(encoding) = looks_like_utf_16(bytes, 3) {
        return Decoded { charset: named(encoding, true), ..utf_16(encoding, bytes) };
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let charset =
            if text.is_ascii() { Charset { name: "us-ascii".to_owned(), guessed: false } } else { named(UTF_8, true) };
        return Decoded { text: text.to_owned(), charset, undecodable: has_many_controls(text) };
    }
    if !is_mostly_high(bytes) {
        if let Some(decoded) = mostly_utf_8(bytes) {
            return Decoded { charset: named(UTF_8, true), ..decoded };
        }
        return Decoded {
            undecodable: bytes.iter().filter(|b| is_control(**b)).count() * 10 > bytes.len(),
            ..lossy(WINDOWS_1252, bytes, true)
        };
    }
    match best_guess(bytes) {
        Some((guess, score)) if score.makes_sense() => lossy(guess, bytes, true),
        _ => Decoded { undecodable: true, ..lossy(UTF_8, bytes, true) },
    }
}

const CYRILLIC: [&Encoding; 5] = [WINDOWS_1251, KOI8_R, IBM866, ISO_8859_5, X_MAC_CYRILLIC];

fn best_guess(bytes: &[u8]) -> Option<(&'static Encoding, Score)> {
    let scored = CYRILLIC.into_iter().map(|encoding| (encoding, Score::of(encoding, bytes)));
    // The first of equals: the order above is that of their use in mail.
    scored.reduce(|best, next| if next.1.mean() > best.1.mean() { next } else { best })
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

/// UTF-8 with a few broken characters (a client cut a line inside one).
fn mostly_utf_8(bytes: &[u8]) -> Option<Decoded> {
    let decoded = lossy(UTF_8, bytes, false);
    let broken = decoded.text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    let sound = decoded.text.chars().filter(|c| !c.is_ascii() && *c != char::REPLACEMENT_CHARACTER).count();
    (sound > broken * 4).then_some(decoded)
}

/// UTF-16; a wrong byte order shows in the letters.
fn utf_16(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let encoding = looks_like_utf_16(bytes, 3).unwrap_or(encoding);
    if std::str::from_utf8(bytes).is_ok_and(|text| !has_many_controls(text)) && looks_like_utf_16(bytes, 3).is_none() {
        return undeclared_8_bit(bytes);
    }
    lossy(encoding, bytes, false)
}

fn undeclared_8_bit(bytes: &[u8]) -> Decoded {
    Decoded { text: String::from_utf8_lossy(bytes).into_owned(), charset: named(UTF_8, true), undecodable: false }
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

/// Whether most letters are none of ASCII: Cyrillic is, German is not.
fn is_mostly_high(bytes: &[u8]) -> bool {
    let high = bytes.iter().filter(|b| !b.is_ascii()).count();
    let latin = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    high >= latin || longest_high_run(bytes) >= 4
}

fn longest_high_run(bytes: &[u8]) -> usize {
    bytes.split(u8::is_ascii).map(<[u8]>::len).max().unwrap_or_default()
}

fn has_many_controls(text: &str) -> bool {
    let controls = text.bytes().filter(|b| is_control(*b)).count();
    controls * 10 > text.len()
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b | 0x0c)
}

/// How Russian a reading of the bytes looks.
struct Score {
    sum: f64,
    letters: usize,
}

impl Score {
    fn of(encoding: &'static Encoding, bytes: &[u8]) -> Score {
        let sample = bytes.get(..SAMPLE.min(bytes.len())).unwrap_or_default();
        let (text, _) = encoding.decode_without_bom_handling(sample);
        let mut score = Score { sum: 0.0, letters: 0 };
        let mut before = ' ';
        for c in text.chars() {
            if !c.is_ascii() {
                score.letters += 1;
                score.sum += worth(c);
            }
            score.sum += worth_after(before, c);
            before = c;
        }
        // A line that reads as a request settles a letter of two words.
        let requests = text.lines().take(100).filter(|line| !line.is_ascii() && begins_request(line)).count();
        score.sum += 8.0 * f64::from(u32::try_from(requests).unwrap_or(u32::MAX));
        score
    }

    fn makes_sense(&self) -> bool {
        self.mean() > if self.letters < ENOUGH_LETTERS { SHORT_GIBBERISH } else { GIBBERISH }
    }

    fn mean(&self) -> f64 {
        let letters = f64::from(u32::try_from(self.letters.max(1)).unwrap_or(u32::MAX));
        self.sum / letters
    }
}

/// A character by how often Russian uses it.
fn worth(c: char) -> f64 {
    match c.to_lowercase().next().unwrap_or(c) {
        'о' | 'е' | 'а' | 'и' | 'н' | 'т' => 1.0,
        'с' | 'р' | 'в' | 'л' | 'к' | 'м' | 'д' | 'п' | 'у' => 0.6,
        'я' | 'ы' | 'ь' | 'г' | 'з' | 'б' | 'ч' | 'й' => 0.2,
        'х' | 'ж' | 'ш' | 'ю' | 'ц' | 'ё' | 'і' | 'ї' | 'є' => -0.2,
        'щ' | 'э' | 'ф' | 'ґ' => -0.6,
        'ъ' => -1.0,
        '«' | '»' | '—' | '–' | '№' | '…' | '“' | '”' | '„' | '’' | '\u{a0}' | '•' => 0.0,
        _ => -2.5,
    }
}

/// A character after another: what Russian never does.
fn worth_after(before: char, c: char) -> f64 {
    const VOWELS: &str = "аеиоуыэюяё";
    if !is_cyrillic(c) {
        return 0.0;
    }
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    let (first, second) = (lower(before), lower(c));
    let mut worth = 0.0;
    if before.is_lowercase() && c.is_uppercase() {
        worth -= 2.5;
    }
    // Capitals inside a word are rare; KOI8-R and windows-1251 taken for each other are full of them.
    if before.is_uppercase() && c.is_uppercase() {
        worth -= 0.3;
    }
    if before.is_ascii_alphabetic() {
        worth -= 1.0;
    }
    if is_cyrillic(before) {
        let (first_vowel, second_vowel) = (VOWELS.contains(first), VOWELS.contains(second));
        worth += if first_vowel == second_vowel { -0.2 } else { 0.3 };
        if matches!(second, 'ь' | 'ъ') && (first_vowel || matches!(first, 'ь' | 'ъ' | 'й')) {
            worth -= 2.0;
        }
        if second == 'ы' && (first_vowel || matches!(first, 'ж' | 'ш' | 'щ' | 'ч' | 'к' | 'г' | 'х' | 'ь' | 'й'))
        {
            worth -= 1.0;
        }
    } else if matches!(second, 'ь' | 'ъ' | 'ы') {
        worth -= 2.0;
    }
    worth
}

fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{4ff}')
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
                assert_eq!(decoded.charset.guessed, written != declared);
            }
        }
        assert_eq!(decode("Суд".as_bytes(), Some("koi8-r")).text, "Суд");
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
