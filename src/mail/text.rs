//! Plain text as it was meant: line ends, control characters, format=flowed (RFC 3676).

use crate::request::line::{begins_request, stands_alone};

/// Line ends as `\n`, no control characters but the tab.
pub fn tidy_lines(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' => {
                rest.next_if_eq(&'\n');
                tidy.push('\n');
            }
            '\n' | '\t' => tidy.push(c),
            c if c.is_control() => {}
            c => tidy.push(c),
        }
    }
    tidy
}

/// Undoes the soft line ends of format=flowed, by depth of quote. A request is never joined with its neighbours: many
/// programs leave a space at the end of a line that is one.
pub fn unflow(text: &str, del_sp: bool) -> String {
    let mut paragraphs = Paragraphs { text: String::with_capacity(text.len()), open: None };
    for line in text.split('\n') {
        paragraphs.take(line, del_sp);
    }
    paragraphs.close();
    if paragraphs.text.ends_with('\n') {
        paragraphs.text.pop();
    }
    paragraphs.text
}

struct Paragraphs {
    text: String,
    open: Option<Paragraph>,
}

/// A paragraph whose last line ended softly.
struct Paragraph {
    depth: usize,
    words: String,
}

impl Paragraphs {
    fn take(&mut self, line: &str, del_sp: bool) {
        let unquoted = line.trim_start_matches('>');
        let depth = line.len() - unquoted.len();
        let content = unquoted.strip_prefix(' ').unwrap_or(unquoted);
        let is_signature = content == "-- ";
        let mergeable = !content.is_empty() && !is_signature && !begins_request(content);
        let joins = mergeable && self.open.as_ref().is_some_and(|open| open.depth == depth);
        if !joins {
            self.close();
        }
        let first = self.open.is_none();
        let paragraph = self.open.get_or_insert(Paragraph { depth, words: String::new() });
        let soft = content.ends_with(' ') && !is_signature && !(first && stands_alone(content));
        let words = if soft && del_sp { content.strip_suffix(' ').unwrap_or(content) } else { content };
        paragraph.words.push_str(words);
        if !soft {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(paragraph) = self.open.take() {
            for _ in 0..paragraph.depth {
                self.text.push('>');
            }
            if paragraph.depth > 0 {
                self.text.push(' ');
            }
            self.text.push_str(&paragraph.words);
            self.text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_lines_are_joined_and_requests_are_not() {
        for (flowed, plain) in [
            ("раз \nдва\nтри", "раз два\nтри"),
            ("раз \n\nдва", "раз \n\nдва"),
            ("> раз \n> два\nтри", "> раз два\nтри"),
            ("> раз \n>> два", "> раз \n>> два"),
            (">> раз \n>> два", ">> раз два"),
            (" >раз", ">раз"),
            ("раз \n-- \nБоцман", "раз \n-- \nБоцман"),
            ("Суд Линча - Боцман \nОхота - Юнга \nпривет", "Суд Линча - Боцман \nОхота - Юнга \nпривет"),
            ("Доброе утро! \nСуд Линча - Боцман", "Доброе утро! \nСуд Линча - Боцман"),
            ("Записка - Юнга \nпрощай и \nпрости", "Записка - Юнга \nпрощай и прости"),
            ("Записка - Юнга: прощай и \nпрости", "Записка - Юнга: прощай и прости"),
            ("Статус \nпривет", "Статус \nпривет"),
            ("Слово - барсук-77 \nпривет", "Слово - барсук-77 \nпривет"),
        ] {
            assert_eq!(unflow(flowed, false), plain, "{flowed}");
        }
        assert_eq!(unflow("раз \nдва", true), "раздва");
    }

    #[test]
    fn lines_are_tidied() {
        assert_eq!(tidy_lines("a\r\nb\rc\0\u{7}\td"), "a\nb\nc\td");
    }
}
