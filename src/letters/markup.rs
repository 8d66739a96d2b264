//! The markups of forums: the ready-to-paste part of a summary, and how a player's words are made harmless in each.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Markup {
    #[default]
    Bbcode,
    Markdown,
    Html,
    Text,
}

impl Markup {
    /// The name of the attachment; ASCII.
    pub fn file_name(self) -> &'static str {
        match self {
            Markup::Bbcode => "summary.bbcode.txt",
            Markup::Markdown => "summary.md",
            Markup::Html => "summary.html",
            Markup::Text => "summary.txt",
        }
    }

    /// A nick, a characteristic or a line of story as plain text: it fakes no bold line, shows no picture, pings
    /// nobody and links nowhere. What a reader sees stays the same.
    pub fn harmless(self, text: &str) -> String {
        let text = without_links(text);
        match self {
            Markup::Bbcode => text.replace('[', "[\u{2060}"),
            Markup::Markdown => escape_markdown(&text),
            Markup::Html => escape_html(&text),
            Markup::Text => text,
        }
    }

    /// Bold, for text that is harmless already.
    pub fn bold(self, text: &str) -> String {
        match self {
            Markup::Bbcode => format!("[b]{text}[/b]"),
            Markup::Markdown => format!("**{text}**"),
            Markup::Html => format!("<b>{text}</b>"),
            Markup::Text => text.to_owned(),
        }
    }

    /// One paragraph.
    pub fn paragraph(self, text: &str) -> String {
        match self {
            Markup::Html => format!("<p>{text}</p>"),
            Markup::Bbcode | Markup::Markdown | Markup::Text => text.to_owned(),
        }
    }

    /// A picture by the name of its file, in the place of which its address will stand.
    pub fn picture(self, file: &str) -> String {
        match self {
            Markup::Bbcode => format!("[img]{file}[/img]"),
            Markup::Markdown => format!("![]({file})"),
            Markup::Html => format!("<img src=\"{file}\" alt=\"\">"),
            Markup::Text => file.to_owned(),
        }
    }

    /// The name of the file with the roster; ASCII.
    pub fn roster_file(self) -> &'static str {
        match self {
            Markup::Bbcode => "roster.bbcode.txt",
            Markup::Markdown => "roster.md",
            Markup::Html => "roster.html",
            Markup::Text => "roster.txt",
        }
    }

    /// A list, an item a line.
    pub fn list(self, items: &[String]) -> String {
        let (before, mark, end, after) = match self {
            Markup::Bbcode => ("[list]\n", "[*]", "", "\n[/list]"),
            Markup::Markdown => ("", "- ", "", ""),
            Markup::Html => ("<ul>\n", "<li>", "</li>", "\n</ul>"),
            Markup::Text => ("", "• ", "", ""),
        };
        let lines: Vec<String> = items.iter().map(|item| format!("{mark}{item}{end}")).collect();
        format!("{before}{}{after}", lines.join("\n"))
    }
}

/// An invisible joiner (U+2060) after `@`, after the colon of `://`, and after a full stop inside a word: forums make
/// links and pings of these by themselves, whatever the markup.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c }).peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        out.push(c);
        let next = chars.peek().copied().unwrap_or(' ');
        let in_word = before.is_alphanumeric() && next.is_alphanumeric();
        if c == '@' || (c == ':' && next == '/') || (c == '.' && in_word) {
            out.push('\u{2060}');
        }
        before = c;
    }
    out
}

fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Backslashes do not stop raw HTML everywhere; entities do.
            '<' | '>' | '&' => out.push_str(&escape_html(c.encode_utf8(&mut [0; 4]))),
            _ if c.is_ascii_punctuation() && !matches!(c, ',' | '\'' | '"' | '?' | '%' | ';' | '/' | '@') => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Markup; 4] = [Markup::Bbcode, Markup::Markdown, Markup::Html, Markup::Text];

    #[test]
    fn nick_cannot_fake_markup() {
        assert_eq!(Markup::Bbcode.harmless("[img]x[/img]"), "[\u{2060}img]x[\u{2060}/img]");
        assert_eq!(Markup::Markdown.harmless("**Итоги** _x_ `y` # z"), "\\*\\*Итоги\\*\\* \\_x\\_ \\`y\\` \\# z");
        assert_eq!(Markup::Markdown.harmless("![x](y) <b>"), "\\!\\[x\\]\\(y\\) &lt;b&gt;");
        assert_eq!(
            Markup::Html.harmless("<img src='x' onerror=\"y\">&"),
            "&lt;img src=&#39;x&#39; onerror=&quot;y&quot;&gt;&amp;"
        );
    }

    #[test]
    fn nothing_links_or_pings_in_any_markup() {
        for markup in ALL {
            let text = markup.harmless("@all http://evil.ru www.evil.ru a@b.ru evil.ru/x");
            for bad in ["@all", "http://", "evil.ru", "www.evil", "a@b"] {
                assert!(!text.contains(bad), "{markup:?}: {text}");
            }
        }
    }

    #[test]
    fn ordinary_nicks_stay_as_they_are() {
        for markup in ALL {
            for nick in ["Сапожник", "Дядя Стёпа", "Nika", "Д'Артаньян, мушкетёр"] {
                if markup != Markup::Html {
                    assert_eq!(markup.harmless(nick), nick);
                }
            }
        }
    }

    #[test]
    fn line_breaks_cannot_start_a_new_line() {
        for markup in ALL {
            assert!(!markup.harmless("Анна\r\n# Итоги").contains(['\r', '\n']));
        }
    }
}
