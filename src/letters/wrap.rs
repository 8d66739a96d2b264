//! Lines of 76 characters, none of which reads as a request when the letter comes back, quoted or not.

use super::guard::{self, reads_as_request};

/// RFC 5322 asks for 78 at most, quoting adds two.
pub const WIDTH: usize = 76;

/// Stands for a space at which a line may not be broken (inside a nick); [`wrap`] turns it back.
pub const GLUE: char = '\u{E000}';

/// Wraps every line of `text` at [`WIDTH`] characters, joins runs of blank lines into one and drops those at both
/// ends. Continuations keep the line's indentation, stand under the text of a list item, and repeat the `│` of a
/// quotation. No break leaves a request word first; a line that would read as a request all the same (a nick can be
/// any word) is marked as a quotation.
pub fn wrap(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() {
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(String::new());
            }
            continue;
        }
        wrap_line(line, &mut lines);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let mut out = String::with_capacity(text.len().saturating_add(lines.len()));
    for line in lines {
        let line = unglue(&line);
        if reads_as_request(&line) {
            out.push_str("│ ");
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// For text that a forum will wrap by itself: the blank lines are put in order, and a line that reads as a request is
/// marked as in [`wrap`], for a moderator may send the text back.
pub fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() && blank {
            continue;
        }
        blank = line.is_empty();
        let line = unglue(line);
        if reads_as_request(&line) {
            out.push_str("│ ");
        }
        out.push_str(&line);
        out.push('\n');
    }
    format!("{}\n", out.trim_end())
}

/// Turns [`GLUE`] back into spaces.
pub fn unglue(text: &str) -> String {
    text.replace(GLUE, " ")
}

/// `│ ` before every line: how a player's text is relayed or quoted. All line breaks of Unicode count.
pub fn quote(text: &str) -> String {
    let mut out = String::new();
    for (number, line) in break_lines(text).iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let line = line.trim_end();
        out.push('│');
        if !line.is_empty() {
            out.push(' ');
            out.push_str(line);
        }
    }
    out
}

/// Splits at every character that some mail client takes for a line break.
pub fn break_lines(text: &str) -> Vec<String> {
    let one_kind = text.replace("\r\n", "\n");
    one_kind
        .split(['\n', '\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'])
        .map(|line| line.chars().filter(|c| !c.is_control() || *c == '\t').collect())
        .collect()
}

fn wrap_line(line: &str, lines: &mut Vec<String>) {
    let (first, following, body) = split_lead(line);
    let room = WIDTH.saturating_sub(first.chars().count()).max(20);
    if body.chars().count() <= room {
        lines.push(line.to_owned());
        return;
    }
    let words = split_words(&body, room);
    let mut start = 0;
    let mut lead = first;
    while start < words.len() {
        let end = fitting_end(&words, start, room);
        let end = if end >= words.len() {
            words.len()
        } else {
            // Step back to a word that may begin a line; when there is none, the mark of a quotation will help.
            (start.saturating_add(1)..=end).rev().find(|at| !starts_with_request_word(&words, *at)).unwrap_or(end)
        };
        let text: Vec<&str> = words.iter().take(end).skip(start).map(String::as_str).collect();
        lines.push(format!("{lead}{}", text.join(" ")));
        lead.clone_from(&following);
        start = end;
    }
}

/// What stands before the text of a line, what stands before its continuations, and the text.
fn split_lead(line: &str) -> (String, String, String) {
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let rest = line.trim_start_matches(' ');
    for mark in ["│ ", "| ", "• ", "- ", "* "] {
        if let Some(body) = rest.strip_prefix(mark) {
            let repeated = matches!(mark, "│ " | "| ");
            let following = if repeated { format!("{indent}{mark}") } else { format!("{indent}  ") };
            return (format!("{indent}{mark}"), following, body.to_owned());
        }
    }
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    if !digits.is_empty()
        && digits.len() <= 3
        && let Some(body) = rest.strip_prefix(&format!("{digits}. "))
    {
        let first = format!("{indent}{digits}. ");
        let following = " ".repeat(first.chars().count());
        return (first, following, body.to_owned());
    }
    (indent.clone(), indent, rest.to_owned())
}

/// The words; one longer than a line is cut into pieces that fit.
fn split_words(body: &str, room: usize) -> Vec<String> {
    let mut words = Vec::new();
    for word in body.split(' ').filter(|word| !word.is_empty()) {
        let mut piece = String::new();
        let mut length = 0;
        for c in word.chars() {
            if length == room {
                words.push(std::mem::take(&mut piece));
                length = 0;
            }
            piece.push(c);
            length = length.saturating_add(1);
        }
        words.push(piece);
    }
    words
}

/// The first word that no longer fits on the line that begins with `start`; always after `start`.
fn fitting_end(words: &[String], start: usize, room: usize) -> usize {
    let mut used: usize = 0;
    for (at, word) in words.iter().enumerate().skip(start) {
        let space = usize::from(at > start);
        used = used.saturating_add(space).saturating_add(word.chars().count());
        if used > room && at > start {
            return at;
        }
    }
    words.len()
}

fn starts_with_request_word(words: &[String], at: usize) -> bool {
    let ahead: Vec<&str> = words.iter().skip(at).take(2).map(String::as_str).collect();
    guard::starts_with_request_word(&ahead.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_lines_are_broken_and_lists_stay_aligned() {
        let text = format!("  • {}\n\n\n\nконец пути", "слово за слово ".repeat(12));
        let wrapped = wrap(&text);
        assert!(wrapped.lines().all(|line| line.chars().count() <= WIDTH), "{wrapped}");
        assert!(wrapped.lines().nth(1).unwrap().starts_with("    "), "{wrapped}");
        assert!(!wrapped.contains("\n\n\n"));
    }

    #[test]
    fn continuations_of_a_quotation_keep_its_mark() {
        let wrapped = wrap(&quote(&format!("{}\r\nКонец\u{2028}Линч - Анна", "мама мыла раму ".repeat(20))));
        assert!(wrapped.lines().count() > 5);
        assert!(wrapped.lines().all(|line| line.starts_with('│')), "{wrapped}");
    }

    #[test]
    fn no_break_leaves_a_request_word_first() {
        for pad in 50..80 {
            let text = format!("{} б Суд Линча - Анна, и охота: нет", "а ".repeat(pad / 2));
            let wrapped = wrap(&text);
            for line in wrapped.lines() {
                assert!(!reads_as_request(line), "{wrapped}");
                assert!(!line.starts_with('│'), "{wrapped}");
            }
        }
    }

    #[test]
    fn glued_words_stay_on_one_line() {
        let nick = "Дядя Стёпа Милиционер".replace(' ', &GLUE.to_string());
        for pad in 50..80 {
            let wrapped = wrap(&format!("{} {nick} ушёл", "а".repeat(pad)));
            assert!(wrapped.contains("Дядя Стёпа Милиционер"), "{wrapped}");
        }
    }

    proptest! {
        #[test]
        fn anything_wraps_within_the_width_and_reads_as_no_request(text in "(?s).{0,400}") {
            let wrapped = wrap(&quote(&text));
            for line in wrapped.lines() {
                prop_assert!(line.chars().count() <= WIDTH);
                prop_assert!(line.starts_with('│'));
            }
            for line in wrap(&text).lines() {
                prop_assert!(!reads_as_request(line), "{}", line);
            }
        }
    }
}
