//! What does not matter in a line: the kind of dash, space and quote, invisible characters, emoji, closing marks.

use unicode_normalization::UnicodeNormalization;

/// Longest nick that a line inside a text may name and still be a request of its own, in characters.
const NICK_CHARACTERS: usize = 40;
/// Most words of such a nick.
const NICK_WORDS: usize = 4;
/// Longest argument kept, in characters: no nick, address or date comes near it.
const ARGUMENT_CHARACTERS: usize = 200;
/// Longest line kept for the receipt, in characters.
const LINE_CHARACTERS: usize = 200;

/// One line in composed letters (NFC), without invisible characters, every run of spaces a single one.
pub fn tidy(line: &str) -> String {
    let mut tidied = String::with_capacity(line.len());
    for c in line.nfc().filter(|c| !is_invisible(*c)) {
        if !c.is_whitespace() && !is_odd_space(c) {
            tidied.push(c);
        } else if !tidied.is_empty() && !tidied.ends_with(' ') {
            tidied.push(' ');
        }
    }
    if tidied.ends_with(' ') {
        tidied.pop();
    }
    tidied
}

/// A line as the receipt shows it.
pub fn shown(raw: &str) -> String {
    tidy(raw).chars().take(LINE_CHARACTERS).collect()
}

/// A nick, an address or a date without the quotes round it and whatever trails it: full stop, emoji, the rulebook's
/// remark in brackets. Empty when nothing is left that could be a name.
pub fn clean_argument(written: &str) -> String {
    let end = written.char_indices().nth(2 * ARGUMENT_CHARACTERS).map_or(written.len(), |(at, _)| at);
    let mut rest = written.get(..end).unwrap_or(written).trim_start_matches(|c: char| is_wrapping(c) || is_emoji(c));
    loop {
        let before = rest.len();
        rest = rest.trim_end_matches(|c: char| is_wrapping(c) || is_emoji(c) || is_closing_mark(c));
        rest = without_remark(rest);
        if !rest.contains('(') {
            rest = rest.trim_end_matches(')');
        }
        rest = rest.strip_suffix(is_dash).filter(|head| head.ends_with(' ')).unwrap_or(rest);
        if rest.len() == before {
            break;
        }
    }
    if !rest.chars().any(char::is_alphanumeric) {
        return String::new();
    }
    let cut: String = rest.chars().take(ARGUMENT_CHARACTERS).collect();
    cut.trim_end().to_owned()
}

/// Whether a cleaned argument could be a nick and nothing more.
pub fn is_plausible_nick(cleaned: &str) -> bool {
    !cleaned.is_empty()
        && cleaned.chars().take(NICK_CHARACTERS + 1).count() <= NICK_CHARACTERS
        && cleaned.split_whitespace().count() <= NICK_WORDS
        && !cleaned.contains(['.', ',', ';', '!', '?', '…'])
}

/// A line without its bullet, number or opening quote: what a request word may stand behind.
pub fn without_bullet(tidied: &str) -> &str {
    let line = tidied.trim_start_matches(is_bullet);
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - after_number.len();
    if digits == 0 || digits > 3 {
        return line;
    }
    // "1." "1)" and the keycap 1️⃣, whose square is a combining mark.
    match after_number.strip_prefix(['.', ')', ':', ']', '\u{20e3}']) {
        Some(rest) => rest.trim_start_matches(is_bullet),
        None => line,
    }
}

pub fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'
            ..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

pub fn is_colon(c: char) -> bool {
    matches!(c, ':' | '\u{fe55}' | '\u{ff1a}')
}

/// What may stand between a request word and its argument.
pub fn is_separator(c: char) -> bool {
    is_dash(c) || is_colon(c) || c == '→'
}

/// `‹ ›` are no quotes here: they mark our own examples.
pub fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '«' | '»' | '´' | '\u{2018}'..='\u{201f}' | '\u{2032}' | '\u{2033}' | '\u{ff02}')
}

/// Zero-width characters, soft hyphens, direction marks, variation selectors.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    ) || (c.is_control() && !c.is_whitespace())
}

pub fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}' | '\u{e0020}'..='\u{e007f}' | '\u{20e3}'
    )
}

/// Marks that end a sentence or a list's row. A question mark is none of them: a question is no order.
fn is_closing_mark(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | '!' | '…' | '。') || is_colon(c) || c.is_whitespace()
}

fn is_wrapping(c: char) -> bool {
    is_quote(c) || c == '*' || c.is_whitespace()
}

fn is_bullet(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '‹' | '|' | '│' | '>' | '(')
}

/// Blank glyphs that Unicode does not call white space.
fn is_odd_space(c: char) -> bool {
    matches!(c, '\u{2800}' | '\u{3164}')
}

/// «Боцман (для всех кроме мафии)» → «Боцман». Other brackets may belong to the nick.
fn without_remark(argument: &str) -> &str {
    let Some((nick, remark)) = argument.strip_suffix(')').and_then(|head| head.rsplit_once('(')) else {
        return argument;
    };
    if is_remark(remark) { nick } else { argument }
}

/// Whether brackets hold the rulebook's remark to whom a request is open (R94, R95).
pub fn is_remark(inside: &str) -> bool {
    let first = inside.split_whitespace().next().unwrap_or_default().to_lowercase();
    matches!(first.as_str(), "для" | "кроме" | "всем" | "все" | "for" | "except" | "all" | "everyone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_lose_what_does_not_matter() {
        for (written, nick) in [
            ("«Боцман».", "Боцман"),
            ("„Боцман“", "Боцман"),
            ("''Боцман''", "Боцман"),
            ("Боцман (для всех)", "Боцман"),
            ("Боцман (для всех кроме мафии).", "Боцман"),
            ("Боцман 😀👍🏽", "Боцман"),
            ("Боцман)))", "Боцман"),
            ("Боцман :)", "Боцман"),
            ("*Боцман*", "Боцман"),
            ("Кот (рыжий)", "Кот (рыжий)"),
            ("Кот-Баюн!", "Кот-Баюн"),
            ("Боцман?", "Боцман?"),
            ("???", ""),
            ("😀", ""),
        ] {
            assert_eq!(clean_argument(&tidy(written)), nick, "{written}");
        }
    }

    #[test]
    fn lines_are_tidied() {
        assert_eq!(tidy(" \u{a0}Су\u{ad}д\u{2009}\u{200b} Линча\u{feff} "), "Суд Линча");
        assert_eq!(tidy("и\u{306}"), "й");
        assert_eq!(without_bullet("12) «Суд"), "Суд");
        assert_eq!(without_bullet("2026 год"), "2026 год");
    }
}
