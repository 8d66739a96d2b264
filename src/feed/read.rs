//! A feed's bytes into posts. RSS and Atom as forums write them: phpBB (Atom, `author` and `name`), Discourse (RSS,
//! `dc:creator` with `@name Full Name`), NodeBB (RSS, `dc:creator`), SMF (Atom, `author` and `name`; its RSS tells the
//! author to moderators alone, as `mail (name)`).
//!
//! Nothing here fails on a single post: what has no author or no time is passed over. What fails is a document that is
//! broken or cut, for then nobody knows what is missing.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::Event;

use super::Post;

/// Why a feed does not read. Each is a half sentence that follows the feed's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("is no RSS or Atom feed. Open it in a browser: a login or a page of the forum is no feed")]
    NoFeed,
    #[error("is broken off or no whole XML")]
    Broken,
    #[error("holds more posts than the feed of one topic should")]
    TooLong,
    #[error("does not say who wrote the posts. SMF tells it only in its Atom feed: type=atom")]
    NoAuthors,
}

/// Posts in one feed; forums give 5 to 255.
const MOST_POSTS: usize = 2000;
/// Of one name, date or number, in characters; the rest is dropped.
const LONGEST: usize = 300;
/// Elements within each other. A feed needs five.
const DEEPEST: usize = 100;

/// What of an item is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Creator,
    Author,
    Published,
    Updated,
    Id,
    Link,
}

/// An item that is being read.
#[derive(Default)]
struct Item {
    creator: String,
    author: String,
    published: String,
    updated: String,
    id: String,
    link: String,
}

/// The posts of a feed, in its order.
///
/// # Errors
/// When it is no feed, or not a whole one.
pub fn read(bytes: &[u8]) -> Result<Vec<Post>, Unreadable> {
    let text = decoded(bytes);
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.trim_markup_names_in_closing_tags = true;
    // Forums forget to escape it in names and links.
    config.allow_dangling_amp = true;
    let mut open: Vec<String> = Vec::new();
    let (mut posts, mut items, mut is_feed) = (Vec::new(), 0_usize, false);
    // The item that is open, and how deep it lies.
    let mut item: Option<(usize, Item)> = None;
    loop {
        match reader.read_event().map_err(|_| if is_feed { Unreadable::Broken } else { Unreadable::NoFeed })? {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                if open.is_empty() {
                    is_feed = is_feed || matches!(local(&name), "rss" | "feed" | "RDF");
                }
                if open.len() >= DEEPEST || !is_feed {
                    return Err(Unreadable::NoFeed);
                }
                open.push(name.chars().take(LONGEST).collect());
                if item.is_none() && matches!(local(&name), "item" | "entry") {
                    item = Some((open.len(), Item::default()));
                }
            }
            Event::End(_) => {
                if item.as_ref().is_some_and(|(depth, _)| *depth == open.len())
                    && let Some((_, whole)) = item.take()
                {
                    items = items.saturating_add(1);
                    if items > MOST_POSTS {
                        return Err(Unreadable::TooLong);
                    }
                    posts.extend(whole.post());
                }
                open.pop();
            }
            Event::Text(text) => add(&mut item, &open, &text),
            Event::CData(text) => add(&mut item, &open, &text),
            Event::GeneralRef(name) => match name.resolve_char_ref() {
                Ok(Some(c)) => add(&mut item, &open, c.encode_utf8(&mut [0; 4])),
                _ => add(&mut item, &open, resolve_predefined_entity(&name).unwrap_or_default()),
            },
            Event::Eof => break,
            _ => {}
        }
    }
    if !is_feed {
        return Err(Unreadable::NoFeed);
    }
    if !open.is_empty() {
        return Err(Unreadable::Broken);
    }
    if posts.is_empty() && items > 0 { Err(Unreadable::NoAuthors) } else { Ok(posts) }
}

/// The text of a document: by its mark, else by what its first line says of itself, else UTF-8. (quick-xml's own decoder
/// panics on a declaration that comes late.)
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let head: String = bytes.iter().take(256).map(|byte| char::from(*byte)).collect();
    let said = head.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")).map(|(declaration, _)| declaration);
    let label =
        said.and_then(|said| said.split_once("encoding=")).map(|(_, label)| label.trim_matches(['"', '\'', ' ']));
    let label = label.and_then(|label| label.split(['"', '\'', ' ']).next());
    // Who can be read so far does not write UTF-16, whatever he says.
    let encoding =
        label.and_then(|label| Encoding::for_label(label.as_bytes())).filter(|found| found.is_ascii_compatible());
    encoding.unwrap_or(UTF_8).decode(bytes).0
}

/// Text that stands in a field of the open item is added to it.
fn add(item: &mut Option<(usize, Item)>, open: &[String], text: &str) {
    let Some((depth, item)) = item else { return };
    let Some(field) = open.get(*depth..).and_then(field) else { return };
    let place = item.place(field);
    let room = LONGEST.saturating_sub(place.chars().count());
    place.extend(text.chars().take(room));
}

/// Which field lies at this path within an item. A prefix other than Dublin Core's belongs to something else, as in
/// `media:credit` or `itunes:author`.
fn field(path: &[String]) -> Option<Field> {
    let names: Vec<&str> = path.iter().map(|name| name.strip_prefix("atom:").unwrap_or(name)).collect();
    Some(match *names.as_slice() {
        ["dc:creator"] | ["creator"] => Field::Creator,
        ["author"] | ["author", "name"] => Field::Author,
        ["pubDate"] | ["published"] | ["dc:date"] => Field::Published,
        ["updated"] => Field::Updated,
        ["guid"] | ["id"] => Field::Id,
        ["link"] => Field::Link,
        _ => return None,
    })
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

impl Item {
    fn place(&mut self, field: Field) -> &mut String {
        match field {
            Field::Creator => &mut self.creator,
            Field::Author => &mut self.author,
            Field::Published => &mut self.published,
            Field::Updated => &mut self.updated,
            Field::Id => &mut self.id,
            Field::Link => &mut self.link,
        }
    }

    /// None without an author or a time. The time is when it was written, not when it was edited, where both are told.
    fn post(self) -> Option<Post> {
        let author = if self.creator.trim().is_empty() { name_beside_mail(&self.author) } else { self.creator.trim() };
        let author = plain(without_full_name(author));
        let at = time(&self.published).or_else(|| time(&self.updated))?;
        let id = if self.id.trim().is_empty() { self.link.trim() } else { self.id.trim() };
        // Without a number of its own a post is known by who wrote it when.
        let id = if id.is_empty() { format!("{author}/{at}") } else { id.to_owned() };
        (!author.is_empty()).then_some(Post { author, at, id })
    }
}

/// RSS has `mail (name)` where Dublin Core has a name.
fn name_beside_mail(author: &str) -> &str {
    let author = author.trim();
    let name = author.strip_suffix(')').and_then(|rest| rest.split_once(" (")).filter(|(mail, _)| mail.contains('@'));
    name.map_or(author, |(_, name)| name.trim())
}

/// Discourse: `@name`, and behind it the full name, if the forum shows it. A name there holds no space.
fn without_full_name(author: &str) -> &str {
    match author.strip_prefix('@') {
        Some(name) => name.split_whitespace().next().unwrap_or_default(),
        None => author,
    }
}

/// phpBB and SMF keep names as HTML, and put that into the feed. What steers a terminal (`omerta doctor` shows names) is
/// no part of one.
fn plain(name: &str) -> String {
    let name = unescape(name).unwrap_or(name.into());
    let visible: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn time(written: &str) -> Option<Timestamp> {
    const MAIL: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let written = written.trim();
    MAIL.parse_timestamp(written).ok().or_else(|| written.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posts(feed: &str) -> Vec<(String, String, String)> {
        let posts = read(feed.as_bytes()).unwrap_or_else(|error| panic!("{error}: {feed}"));
        posts.into_iter().map(|post| (post.author, post.at.to_string(), post.id)).collect()
    }

    fn rss(items: &str) -> String {
        format!(r#"<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>{items}</channel></rss>"#)
    }

    fn author(item: &str) -> String {
        let posts = posts(&rss(&format!("<item>{item}<pubDate>Mon, 30 Nov 2026 10:00:00 GMT</pubDate></item>")));
        posts.into_iter().next().map(|(author, ..)| author).unwrap_or_default()
    }

    #[test]
    fn names_in_every_dress() {
        for (item, name) in [
            ("<dc:creator><![CDATA[@katya Катя Иванова]]></dc:creator>", "katya"),
            ("<dc:creator>@katya</dc:creator>", "katya"),
            ("<dc:creator>Дон  Корлеоне </dc:creator>", "Дон Корлеоне"),
            ("<author>kot@forum.test (Кот (старый))</author>", "Кот (старый)"),
            ("<author>kot@forum.test</author>", "kot@forum.test"),
            ("<author>Кот</author>", "Кот"),
            ("<author>noreply@forum.test</author><dc:creator>Кот</dc:creator>", "Кот"),
            ("<dc:creator>О&#039;Нил &amp; сын</dc:creator>", "О'Нил & сын"),
            ("<dc:creator><![CDATA[О&#039;Нил]]></dc:creator>", "О'Нил"),
            ("<dc:creator>R&D</dc:creator>", "R&D"),
            ("<dc:creator>Кот&#27;[2J\u{7}</dc:creator>", "Кот [2J"),
            ("<dc:creator>«a@b.test»</dc:creator>", "«a@b.test»"),
            ("<dc:creator/><author>Кот</author>", "Кот"),
            ("<itunes:author>Нет</itunes:author><media:credit>Нет</media:credit><dc:creator>Кот</dc:creator>", "Кот"),
            ("<source><author>Нет</author></source><author>Кот</author>", "Кот"),
        ] {
            assert_eq!(author(item), name, "{item}");
        }
    }

    #[test]
    fn times_as_forums_write_them() {
        for (written, moment) in [
            ("Mon, 30 Nov 2026 13:00:00 +0300", "2026-11-30T10:00:00Z"),
            ("Mon, 30 Nov 2026 10:00:00 GMT", "2026-11-30T10:00:00Z"),
            ("Tue, 30 Nov 2026 10:00:00 GMT", "2026-11-30T10:00:00Z"),
            ("30 Nov 2026 10:00 UT", "2026-11-30T10:00:00Z"),
            (" 2026-11-30T13:00:00+03:00 ", "2026-11-30T10:00:00Z"),
            ("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"),
        ] {
            let feed = rss(&format!("<item><author>a</author><pubDate>{written}</pubDate></item>"));
            assert_eq!(posts(&feed)[0].1, moment, "{written}");
        }
        let edited = "<item><author>a</author><updated>2026-12-01T00:00:00Z</updated><published>2026-11-30T10:00:00Z</published></item>";
        assert_eq!(posts(&rss(edited))[0].1, "2026-11-30T10:00:00Z", "an edit is no new post");
    }

    #[test]
    fn a_post_without_author_or_time_is_passed_over() {
        let whole = "<item><author>a</author><pubDate>2026-11-30T10:00:00Z</pubDate><guid>1</guid></item>";
        let bare = "<item><author>b</author><pubDate>вчера</pubDate></item><item><pubDate>2026-11-30T10:00:00Z</pubDate></item>";
        assert_eq!(posts(&rss(&format!("{bare}{whole}"))), [("a".into(), "2026-11-30T10:00:00Z".into(), "1".into())]);
        assert_eq!(read(rss(bare).as_bytes()), Err(Unreadable::NoAuthors));
        assert_eq!(posts(&rss("")), []);
    }

    #[test]
    fn what_is_no_feed_or_not_a_whole_one_is_told_apart() {
        let whole = rss("<item><author>a</author><pubDate>2026-11-30T10:00:00Z</pubDate></item>");
        for cut in (30..whole.len()).rev().filter(|cut| whole.is_char_boundary(*cut)) {
            let read = read(&whole.as_bytes()[..cut]);
            assert!(read.is_err(), "{cut} of {}: {read:?}", whole.len());
        }
        for none in ["", "привет", "{}", "<html><body><p>Войдите</p></body></html>", "<!DOCTYPE html><html>", "<a/>"]
        {
            assert_eq!(read(none.as_bytes()), Err(Unreadable::NoFeed), "{none}");
        }
        let deep = format!("<rss>{}", "<a>".repeat(100_000));
        assert_eq!(read(deep.as_bytes()), Err(Unreadable::NoFeed));
        let many = rss(&"<item/>".repeat(MOST_POSTS + 1));
        assert_eq!(read(many.as_bytes()), Err(Unreadable::TooLong));
    }

    #[test]
    fn an_old_forum_writes_windows_1251() {
        let head = r#"<?xml version="1.0" encoding="windows-1251"?>"#;
        let feed = format!("{head}{}", rss("<item><author>Кот</author><pubDate>2026-11-30T10:00:00Z</pubDate></item>"));
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(&feed);
        assert_eq!(read(&bytes).unwrap()[0].author, "Кот");
        for lie in ["utf-16", "klingon", ""] {
            let feed = feed.replace("windows-1251", lie);
            assert_eq!(read(feed.as_bytes()).unwrap()[0].author, "Кот", "{lie}");
        }
        let late = format!("{}{head}{}", " ".repeat(10_000), feed.replace("<item>", &format!("{head}<item>")));
        assert_eq!(read(late.as_bytes()).unwrap()[0].author, "Кот");
    }

    #[test]
    fn fields_are_bounded() {
        let long = "я".repeat(1 << 20);
        let feed = rss(&format!(
            "<item><author>{long}</author><guid>{long}</guid><pubDate>2026-11-30T10:00:00Z</pubDate></item>"
        ));
        let post = &read(feed.as_bytes()).unwrap()[0];
        assert_eq!((post.author.chars().count(), post.id.chars().count()), (LONGEST, LONGEST));
        // Each field in a thousand pieces: still linear.
        let pieces = "<![CDATA[я]]>".repeat(200_000);
        let feed = rss(&format!("<item><author>{pieces}</author><pubDate>2026-11-30T10:00:00Z</pubDate></item>"));
        assert_eq!(read(feed.as_bytes()).unwrap()[0].author.chars().count(), LONGEST);
    }
}
