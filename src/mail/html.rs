//! HTML into plain lines: what a reader sees, quotes marked with `> `. A stream of tokens, no tree, no recursion.

use std::hash::{DefaultHasher, Hash, Hasher};

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StartTag, Token, Tokenizer};

/// How far up an end tag looks for its beginning; one that stands farther away is passed over, so that the work stays
/// linear. Like elements inside each other count as one.
const LOOKED_UP: usize = 256;
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

/// An open element, or a run of like ones inside each other.
#[derive(PartialEq, Eq)]
struct Open {
    /// The hash of its name: pages with a million open elements stay small.
    name: u64,
    kind: Kind,
    quote: bool,
    hidden: bool,
    preformatted: bool,
    count: usize,
}

/// How an element stands to the end tags of others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Inline,
    Block,
    /// `td`: no end tag from inside reaches beyond it.
    Cell,
}

impl Page {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        if name == b"br" {
            self.new_line();
            return;
        }
        if is_block(name) {
            self.close_before_block();
            self.end_line();
        } else if matches!(name, b"td" | b"th") {
            self.gap = true;
        }
        if is_start_of_quoted_letter(tag) {
            self.end_line();
            self.rest_is_quote = true;
        }
        if is_void(name) {
            return;
        }
        let open = Open {
            name: hash(name),
            kind: kind_of(name),
            quote: name == b"blockquote" || has_quote_class(tag),
            hidden: is_unseen(name) || is_styled_away(tag),
            preformatted: name == b"pre",
            count: 1,
        };
        if open.quote {
            self.end_line();
        }
        self.quotes += usize::from(open.quote);
        self.hidden += usize::from(open.hidden);
        self.preformatted += usize::from(open.preformatted);
        match self.open.last_mut().filter(|last| Open { count: last.count, ..open } == **last) {
            Some(last) => last.count += 1,
            None => self.open.push(open),
        }
    }

    fn end(&mut self, name: &[u8]) {
        if name == b"br" {
            self.new_line();
            return;
        }
        if is_block(name) {
            self.end_line();
        }
        let (hashed, kind) = (hash(name), kind_of(name));
        for (above, open) in self.open.iter().rev().take(LOOKED_UP).enumerate() {
            if open.name == hashed {
                self.close_down_to(self.open.len() - above);
                return;
            }
            // Browsers pass over an end tag of a word inside a block, and of anything inside a cell.
            let closed = match kind {
                Kind::Inline => open.kind != Kind::Inline,
                Kind::Block => open.kind == Kind::Cell,
                Kind::Cell => false,
            };
            if closed {
                return;
            }
        }
    }

    /// Closes one of the run at the end of so many open elements, and all that is open inside it.
    fn close_down_to(&mut self, kept: usize) {
        let mut closed = self.open.split_off(kept.saturating_sub(1));
        if let Some(first) = closed.first_mut().filter(|first| first.count > 1) {
            let one = Open { count: 1, ..*first };
            self.open.push(Open { count: first.count - 1, ..*first });
            *first = one;
        }
        if closed.iter().any(|closed| closed.quote) {
            self.end_line();
        }
        // Gmail's frame round attribution and quote: what is written below the quote inside it is an answer.
        let is_quote = closed.first().is_some_and(|closed| closed.quote && closed.name == hash(b"blockquote"));
        if let Some(frame) = self.open.last_mut().filter(|frame| is_quote && frame.quote && frame.count == 1)
            && frame.name == hash(b"div")
        {
            frame.quote = false;
            self.quotes -= 1;
        }
        for closed in closed {
            self.quotes -= usize::from(closed.quote) * closed.count;
            self.hidden -= usize::from(closed.hidden) * closed.count;
            self.preformatted -= usize::from(closed.preformatted) * closed.count;
        }
    }

    /// What a browser closes by itself where a block begins: the head, and a paragraph.
    fn close_before_block(&mut self) {
        const NEAR: usize = 32;
        let (head, paragraph) = (hash(b"head"), hash(b"p"));
        let mut near = self.open.iter().rev().take(NEAR).enumerate();
        let found = near.find(|(_, open)| open.name == head || open.name == paragraph || open.kind != Kind::Inline);
        if let Some((above, open)) = found
            && (open.name == head || open.name == paragraph)
        {
            self.close_down_to(self.open.len() - above);
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

fn kind_of(name: &[u8]) -> Kind {
    match name {
        b"td" | b"th" | b"table" | b"caption" => Kind::Cell,
        b"head" | b"title" | b"style" | b"script" => Kind::Inline,
        _ if is_block(name) => Kind::Block,
        _ => Kind::Inline,
    }
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
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
        let deep = "<div>".repeat(40_000) + "a" + &"<blockquote>".repeat(20_000) + "b";
        assert_eq!(to_text(&deep), format!("a\n{}b\n", "> ".repeat(MAX_MARKS)));
        // What is closed deep inside leaves the quote round it alone.
        let quoted = format!("<blockquote>{0}a{1}b</blockquote>c", "<div><b>".repeat(3000), "</b></div>".repeat(3000));
        assert_eq!(to_text(&quoted), "> a\n> b\nc\n");
        let work = "<div><i>".to_owned() + &"<b>".repeat(20_000) + &"</i></div><p></p>".repeat(5000) + "a";
        assert!(to_text(&work).contains('a'));
    }

    #[test]
    fn tags_are_closed_as_a_browser_closes_them() {
        for (html, text) in [
            ("<p>a<blockquote>b</p>c</blockquote>d", "a\n> b\n> c\nd\n"),
            ("<span>a<blockquote>b</span>c</blockquote>d", "a\n> bc\nd\n"),
            ("<blockquote><table><tr><td>a</blockquote>b</td></tr></table></blockquote>c", "> a\n> b\nc\n"),
            ("<head><meta charset=utf-8><body><div>a</div>", "a\n"),
            ("<head><style>b</style><p>a", "a\n"),
        ] {
            assert_eq!(to_text(html), text, "{html}");
        }
    }
}
