//! How Russian a text looks: with it the charset of bytes is guessed.

use encoding_rs::{Encoding, IBM866, ISO_8859_5, KOI8_R, KOI8_U, WINDOWS_1251, X_MAC_CYRILLIC};

use crate::request::line::{Saying, read_line};
use crate::request::typography::{tidy, without_bullet};
use crate::request::words;

/// The 8-bit charsets of Russian mail, in the order of their use: of equal guesses the first is taken.
pub const CYRILLIC: [&Encoding; 6] = [WINDOWS_1251, KOI8_R, KOI8_U, IBM866, ISO_8859_5, X_MAC_CYRILLIC];

/// How much of a text a guess looks at, in bytes.
const SAMPLE: usize = 16 * 1024;
/// How much of one line a guess looks at, in bytes: a page may be a single line.
const LINE: usize = 4 * 1024;
/// What stands before the first letter of a line, in bytes: a request word may be English.
const LEAD: usize = 64;
/// Most lines of a sample that are tried as requests.
const LINES: usize = 100;
/// By so much a guess, in its mean score for a letter, must beat the declared charset before it is believed.
const MARGIN: f64 = 0.3;
/// The same for a text of a word or less.
const SHORT_MARGIN: f64 = 0.9;
/// Fewer letters than these are a word or less.
const ENOUGH_LETTERS: usize = 6;
/// Below this score a text is no Russian in any charset. True letters of any length score 0.7 and more.
const GIBBERISH: f64 = 0.0;
/// The same for a text of a word or less, which may be anything.
const SHORT_GIBBERISH: f64 = -0.6;
/// From this score on a text is Russian, whatever its label says.
const RUSSIAN: f64 = 0.4;
/// Below this score a text under the label of a Cyrillic charset is no text.
const NOISE: f64 = -0.6;
/// ... if it has so many letters.
const NOISE_LETTERS: usize = 12;

/// The lines of a text that say something of its charset: those that are not ASCII.
pub fn sample(bytes: &[u8]) -> Vec<u8> {
    let mut sample = Vec::new();
    for line in bytes.split(|b| *b == b'\n') {
        let Some(first) = line.iter().position(|b| !b.is_ascii()) else { continue };
        let start = first.saturating_sub(LEAD);
        let room = SAMPLE.saturating_sub(sample.len());
        let end = line.len().min(first + LINE).min(start + room);
        sample.extend_from_slice(line.get(start..end).unwrap_or_default());
        if sample.len() >= SAMPLE {
            break;
        }
        sample.push(b'\n');
    }
    sample
}

/// The charset in which a sample looks most Russian.
pub fn best_guess(sample: &[u8]) -> Option<(&'static Encoding, Score)> {
    let scored = CYRILLIC.into_iter().map(|encoding| (encoding, Score::of(encoding, sample)));
    scored.reduce(|best, next| if next.1.is_better_than(&best.1) { next } else { best })
}

/// How Russian a reading of the bytes looks.
pub struct Score {
    sum: f64,
    letters: usize,
    /// Lines that begin as requests do, with a word in Russian letters or with something in them behind it.
    requests: usize,
}

impl Score {
    pub fn of(encoding: &'static Encoding, sample: &[u8]) -> Score {
        let (text, _) = encoding.decode_without_bom_handling(sample);
        Score::of_text(&text)
    }

    pub fn of_text(text: &str) -> Score {
        let mut score = Score { sum: 0.0, letters: 0, requests: 0 };
        let mut before = ' ';
        for c in text.chars().take(SAMPLE) {
            if !c.is_ascii() {
                score.letters += 1;
                score.sum += worth(c);
            }
            score.sum += worth_after(before, c);
            before = c;
        }
        // A page has its lines between marks.
        let lines = text.split(['\n', '<', '>']).filter(|line| !line.is_ascii()).take(LINES);
        score.requests = lines.filter(|line| line.len() <= LINE && is_request(line)).count();
        score
    }

    /// A line that reads as a request settles it; else the letters do.
    fn is_better_than(&self, other: &Score) -> bool {
        (self.requests, self.mean()) > (other.requests, other.mean())
    }

    /// Whether this guess is believed against the label that a text carries.
    pub fn overrules(&self, declared: &Score) -> bool {
        let margin = if self.letters < ENOUGH_LETTERS { SHORT_MARGIN } else { MARGIN };
        self.requests > declared.requests
            || self.requests == declared.requests && self.mean() > declared.mean() + margin
    }

    pub fn makes_sense(&self) -> bool {
        self.requests > 0 || self.mean() > if self.letters < ENOUGH_LETTERS { SHORT_GIBBERISH } else { GIBBERISH }
    }

    pub fn is_surely_russian(&self) -> bool {
        self.requests > 0 || self.mean() > RUSSIAN
    }

    pub fn is_noise(&self) -> bool {
        self.requests == 0 && self.letters >= NOISE_LETTERS && self.mean() < NOISE
    }

    fn mean(&self) -> f64 {
        let letters = f64::from(u32::try_from(self.letters.max(1)).unwrap_or(u32::MAX));
        self.sum / letters
    }
}

/// A misspelt request word is no evidence: a wrong charset misspells them all.
fn is_request(line: &str) -> bool {
    let tidied = tidy(line);
    let begins = without_bullet(&tidied);
    // Most readings fall here, and reading a line in full costs a search for misspelt words.
    (words::find(begins).is_some() || words::after_proof_form(begins).is_some())
        && !matches!(read_line(line), Saying::Prose | Saying::NoRequest | Saying::Misspelt(_))
}

/// A character by how often Russian uses it.
fn worth(c: char) -> f64 {
    match c.to_lowercase().next().unwrap_or(c) {
        'о' | 'е' | 'а' | 'и' | 'н' | 'т' => 1.0,
        'с' | 'р' | 'в' | 'л' | 'к' | 'м' | 'д' | 'п' | 'у' => 0.6,
        'я' | 'ы' | 'ь' | 'г' | 'з' | 'б' | 'ч' | 'й' => 0.2,
        'х' | 'ж' | 'ш' | 'ю' | 'ц' | 'ё' | 'і' | 'ї' | 'є' => -0.2,
        'щ' | 'э' | 'ф' | 'ґ' | 'ў' => -0.6,
        'ъ' => -1.0,
        '«' | '»' | '—' | '–' | '№' | '…' | '“' | '”' | '„' | '’' | '\u{a0}' | '\u{ad}' | '•' => {
            0.0
        }
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
