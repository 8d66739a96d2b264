//! HTML into plain lines: what a reader sees, quotes marked with `> `. A stream of tokens, no tree, no recursion.

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StartTag, Token, Tokenizer};

/// Most open elements that are remembered: more are read, but neither begin a quote nor hide anything.
const MAX_OPEN: usize = 256;
/// Most `> ` before a line.
const MAX_MARKS: usize = 5;

/// What a reader sees of HTML.
pub fn to_text(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut page = Page::default();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => page.start(&tag),
            Token::EndTag(tag) => page.end(&tag.name),
            Token::String(text) => page.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    page.finish()
}

#[derive(Default)]
struct Page {
    text: String,
    line: String,
    /// A space is owed before the next word.
    gap: bool,
    open: Vec<Open>,
    quotes: usize,
    hidden: usize,
    preformatted: usize,
    /// Everything from here on is a quoted letter (Outlook).
    rest_is_quote: bool,
}

struct Open {
    name: Vec<u8>,
    quote: bool,
    hidden: bool,
    preformatted: bool,
}

impl Page {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        if name == b"br" {
            self.new_line();
            return;
        }
        if is_block(name) {
            self.end_line();
        } else if matches!(name, b"td" | b"th") {
            self.gap = true;
        }
        if is_start_of_quoted_letter(tag) {
            self.end_line();
            self.rest_is_quote = true;
        }
        if is_void(name) || tag.self_closing || self.open.len() >= MAX_OPEN {
            return;
        }
        let open = Open {
            name: name.to_vec(),
            quote: name == b"blockquote" || has_quote_class(tag),
            hidden: is_unseen(name) || is_styled_away(tag),
            preformatted: name == b"pre",
        };
        if open.quote {
            self.end_line();
        }
        self.quotes += usize::from(open.quote);
        self.hidden += usize::from(open.hidden);
        self.preformatted += usize::from(open.preformatted);
        self.open.push(open);
    }

    fn end(&mut self, name: &[u8]) {
        if name == b"br" {
            self.new_line();
            return;
        }
        if is_block(name) {
            self.end_line();
        }
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else {
            return;
        };
        for closed in self.open.split_off(at) {
            if closed.quote {
                self.end_line();
            }
            self.quotes -= usize::from(closed.quote);
            self.hidden -= usize::from(closed.hidden);
            self.preformatted -= usize::from(closed.preformatted);
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        for c in text.chars() {
            match c {
                '\n' if self.preformatted > 0 => self.new_line(),
                '\r' if self.preformatted > 0 => {}
                ' ' | '\t' | '\n' | '\r' | '\u{c}' if self.preformatted == 0 => self.gap = true,
                _ => {
                    if self.gap && !self.line.is_empty() {
                        self.line.push(' ');
                    }
                    self.gap = false;
                    self.line.push(if c == '\u{a0}' { ' ' } else { c });
                }
            }
        }
    }

    /// Ends the line, if there is anything on it.
    fn end_line(&mut self) {
        if self.line.is_empty() {
            self.gap = false;
        } else {
            self.new_line();
        }
    }

    fn new_line(&mut self) {
        self.gap = false;
        if self.hidden > 0 {
            return;
        }
        let marks = (self.quotes + usize::from(self.rest_is_quote)).min(MAX_MARKS);
        for _ in 0..marks {
            self.text.push_str("> ");
        }
        self.text.push_str(self.line.trim_end());
        self.text.push('\n');
        self.line.clear();
    }

    fn finish(mut self) -> String {
        self.hidden = 0;
        self.end_line();
        self.text
    }
}

fn is_block(name: &[u8]) -> bool {
    matches!(
        name,
        b"p" | b"div"
            | b"li"
            | b"ul"
            | b"ol"
            | b"dl"
            | b"dt"
            | b"dd"
            | b"tr"
            | b"table"
            | b"tbody"
            | b"thead"
            | b"tfoot"
            | b"blockquote"
            | b"pre"
            | b"hr"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"section"
            | b"article"
            | b"header"
            | b"footer"
            | b"main"
            | b"aside"
            | b"nav"
            | b"figure"
            | b"figcaption"
            | b"address"
            | b"center"
            | b"fieldset"
            | b"form"
            | b"body"
            | b"html"
            | b"caption"
            | b"details"
            | b"summary"
    )
}

fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"br"
            | b"hr"
            | b"img"
            | b"input"
            | b"meta"
            | b"link"
            | b"base"
            | b"area"
            | b"col"
            | b"embed"
            | b"source"
            | b"track"
            | b"wbr"
            | b"param"
    )
}

fn is_unseen(name: &[u8]) -> bool {
    matches!(name, b"style" | b"script" | b"head" | b"title" | b"template" | b"select" | b"object" | b"svg")
}

fn is_styled_away(tag: &StartTag<()>) -> bool {
    let style = attribute(tag, b"style").replace(' ', "");
    style.contains("display:none") || style.contains("mso-hide:all")
}

/// The marks that mail programs put on what they quote.
fn has_quote_class(tag: &StartTag<()>) -> bool {
    const CLASSES: &[&str] = &[
        "gmail_quote",
        "gmail_attr",
        "moz-cite-prefix",
        "moz-forward-container",
        "yahoo_quoted",
        "protonmail_quote",
        "zmail_extra",
        "mailru-blockquote",
        "tutanota_quote",
        "outlookmessageheader",
    ];
    let class = attribute(tag, b"class");
    class.split_ascii_whitespace().any(|name| CLASSES.contains(&name.strip_prefix("x_").unwrap_or(name)))
}

/// Outlook begins the quoted letter with a mark, and does not enclose it.
fn is_start_of_quoted_letter(tag: &StartTag<()>) -> bool {
    let id = attribute(tag, b"id");
    let id = id.strip_prefix("x_").unwrap_or(&id);
    matches!(id, "divrplyfwdmsg" | "appendonsend" | "mail-editor-reference-message-container" | "stopspelling")
}

fn attribute(tag: &StartTag<()>, name: &[u8]) -> String {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_become_lines() {
        for (html, text) in [
            ("<div>Суд Линча&nbsp;- Боцман</div><div>Проверка - Кок</div>", "Суд Линча - Боцман\nПроверка - Кок\n"),
            ("a<br>b<br/>c", "a\nb\nc\n"),
            ("<div>a<br></div><div><br></div><div>b</div>", "a\n\nb\n"),
            ("<p>a</p>\n<p>b</p>", "a\nb\n"),
            ("<ul><li>a</li><li>b</ul>", "a\nb\n"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc\n"),
            ("a<blockquote>b<blockquote>c</blockquote></blockquote>d", "a\n> b\n> > c\nd\n"),
            ("a<div class=\"gmail_quote\">b<div>c</div></div>d", "a\n> b\n> c\nd\n"),
            ("a<div class='x_gmail_quote'>b", "a\n> b\n"),
            ("a<div id=\"divRplyFwdMsg\">b</div>c", "a\n> b\n> c\n"),
            ("<head><title>t</title><style>s { }</style></head><script>'</p>'</script>a", "a\n"),
            ("<div style=\"display: none\">hidden</div>a", "a\n"),
            ("a &amp; b &lt;c&gt; &#1057;", "a & b <c> С\n"),
            ("<b>Суд</b> <i>Линча</i>\n-   Боцман", "Суд Линча - Боцман\n"),
            ("<pre>a\n  b</pre>", "a\n  b\n"),
            ("", ""),
            ("a</div></p></b>b<unknown>c", "a\nbc\n"),
        ] {
            assert_eq!(to_text(html), text, "{html}");
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = "<div>".repeat(100_000) + "a" + &"<blockquote>".repeat(100_000) + "b";
        assert!(to_text(&deep).contains('a'));
    }
}
