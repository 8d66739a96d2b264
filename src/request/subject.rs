//! A letter's subject: game tags and reply prefixes, and what is said behind them.

use super::typography::{is_colon, tidy};
use super::words::fold_letter;

/// A subject without its game tags and reply prefixes.
pub struct Subject<'a> {
    pub said: &'a str,
    pub is_reply: bool,
}

impl<'a> Subject<'a> {
    pub fn split(subject: &'a str) -> Subject<'a> {
        let mut said = subject.trim();
        let mut is_reply = false;
        loop {
            if let Some((_, rest)) = said.strip_prefix('[').and_then(|tag| tag.split_once(']')) {
                said = rest.trim_start();
            } else if let Some(rest) = strip_reply_prefix(said) {
                said = rest.trim_start();
                is_reply = true;
            } else {
                return Subject { said, is_reply };
            }
        }
    }
}

/// `Re:`, `RE[2]:`, `Fwd:`, `Отв:`, `НА:` in either alphabet …
fn strip_reply_prefix(subject: &str) -> Option<&str> {
    const PREFIXES: &[&str] = &[
        "re",
        "fw",
        "fwd",
        "отв",
        "ответ",
        "пересл",
        "перес",
        "пер",
        "переслано",
        "на",
        "aw",
        "wg",
        "sv",
        "vs",
        "antw",
        "rv",
        "tr",
        "res",
        "enc",
        "odp",
        "pd",
        "від",
        "відп",
        "вiдп",
        "перев",
        "рe",
    ];
    let (prefix, rest) = subject.split_once(is_colon)?;
    if prefix.len() > 40 {
        return None;
    }
    let name =
        prefix.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '(' | ')' | '^' | ' ' | '.'));
    let folded = |text: &str| text.chars().map(fold_letter).collect::<String>();
    let name = folded(&tidy(name));
    PREFIXES.iter().any(|known| folded(known) == name).then_some(rest)
}
