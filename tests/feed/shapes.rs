//! Feeds as four forums write them; made for these tests, after the templates of phpBB 3.3 (feed.xml.twig), Discourse
//! (topics/show.rss.erb), NodeBB (routes/feeds.js) and SMF 2.1 (Sources/News.php).

use jiff::Timestamp;
use omerta::feed::fetch::{Answer, Known, Limits, fetch};
use omerta::feed::reach::Reach;
use omerta::feed::read;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::forum::Forum;

const PHPBB: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="ru">
	<link rel="self" type="application/atom+xml" href="https://forum.test/app.php/feed/topic/7" />
	<title>Мафия в Палермо</title>
	<updated>2026-11-30T12:10:00+03:00</updated>
	<author><name><![CDATA[Мафия в Палермо]]></name></author>
	<id>https://forum.test/app.php/feed/topic/7</id>
	<entry>
		<author><name><![CDATA[Дон &amp; сын]]></name></author>
		<updated>2026-11-30T12:10:00+03:00 </updated>
		<published>2026-11-30T11:00:00+03:00</published>
		<id>https://forum.test/viewtopic.php?p=102#p102</id>
		<link href="https://forum.test/viewtopic.php?p=102#p102"/>
		<title type="html"><![CDATA[Re: Игра]]></title>
		<content type="html" xml:base="https://forum.test/viewtopic.php?p=102#p102"><![CDATA[
<p>Это <b>не</b> <author>я</author> &laquo;</p><hr />
]]></content>
	</entry>
	<entry>
		<author><name><![CDATA[Катя]]></name></author>
		<updated>2026-11-30T10:00:00+03:00</updated>
		<published>2026-11-30T10:00:00+03:00</published>
		<id>https://forum.test/viewtopic.php?p=101#p101</id>
	</entry>
</feed>"#;

const DISCOURSE: &str = r#"<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel>
    <title>Игра</title>
    <link>https://forum.test/t/igra/7</link>
    <description>Правила: https://forum.test/?a=1&b=2 и <b>жирно</b></description>
    <lastBuildDate>Mon, 30 Nov 2026 08:00:00 +0000</lastBuildDate>
    <atom:link href="https://forum.test/t/igra/7.rss" rel="self" type="application/rss+xml" />
      <item>
        <title>Игра</title>
        <dc:creator><![CDATA[@don Дон Корлеоне]]></dc:creator>
        <description><![CDATA[<p>Я за <a href="/u/x">@x</a></p>]]></description>
        <link>https://forum.test/t/igra/7/2</link>
        <pubDate>Mon, 30 Nov 2026 08:00:00 +0000</pubDate>
        <guid isPermaLink="false">forum.test-post-7-2</guid>
        <source url="https://forum.test/t/igra/7.rss">Игра</source>
      </item>
      <item>
        <title>Игра</title>
        <dc:creator><![CDATA[@katya]]></dc:creator>
        <link>https://forum.test/t/igra/7/1</link>
        <pubDate>Mon, 30 Nov 2026 07:00:00 +0000</pubDate>
        <guid isPermaLink="false">forum.test-post-7-1</guid>
      </item>
  </channel>
</rss>"#;

const NODEBB: &str = r#"<?xml version="1.0" encoding="UTF-8"?><rss xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom" version="2.0"><channel><title><![CDATA[Игра]]></title><link>https://forum.test/topic/7/igra</link><generator>RSS for Node</generator><lastBuildDate>Mon, 30 Nov 2026 08:30:00 GMT</lastBuildDate><atom:link href="https://forum.test/topic/7.rss" rel="self" type="application/rss+xml"/><pubDate>Sun, 29 Nov 2026 08:00:00 GMT</pubDate><ttl>60</ttl><item><title><![CDATA[Reply to Игра on Mon, 30 Nov 2026 08:00:00 GMT]]></title><description><![CDATA[<p>Линч!</p>]]></description><link>https://forum.test/post/102</link><guid isPermaLink="true">https://forum.test/post/102</guid><dc:creator><![CDATA[Дон]]></dc:creator><pubDate>Mon, 30 Nov 2026 08:00:00 GMT</pubDate></item><item><title><![CDATA[Reply to Игра on Mon, 30 Nov 2026 07:00:00 GMT]]></title><link>https://forum.test/post/101</link><guid isPermaLink="true">https://forum.test/post/101</guid><dc:creator><![CDATA[Катя]]></dc:creator><pubDate>Mon, 30 Nov 2026 07:00:00 GMT</pubDate></item></channel></rss>"#;

const SMF_ATOM: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="ru">
	<title>Форум</title>
	<link rel="alternate" type="text/html" href="https://forum.test/index.php" />
	<updated>2026-11-30T08:30:00Z</updated>
	<author><name>Форум</name></author>
	<entry>
		<title><![CDATA[Re: Игра]]></title>
		<link rel="alternate" type="text/html" href="https://forum.test/index.php?topic=7.msg102#msg102" />
		<summary type="html"><![CDATA[Я &#171;за&#187;]]></summary>
		<category term="Игры" />
		<author><name><![CDATA[О&#039;Нил]]></name><uri>https://forum.test/index.php?action=profile;u=3</uri></author>
		<published>2026-11-30T08:00:00Z</published>
		<updated>2026-11-30T08:20:00Z</updated>
		<id>tag:forum.test,2026-11-30:msg=102</id>
	</entry>
	<entry>
		<author><name><![CDATA[Катя]]></name></author>
		<published>2026-11-30T07:00:00Z</published>
		<updated>2026-11-30T07:00:00Z</updated>
		<id>tag:forum.test,2026-11-30:msg=101</id>
	</entry>
</feed>"#;

/// SMF's RSS as a moderator gets it; a guest's has no author.
const SMF_RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xml:lang="ru-RU"><channel><title>Форум</title>
	<item>
		<title><![CDATA[Re: Игра]]></title>
		<link>https://forum.test/index.php?topic=7.msg102#msg102</link>
		<author>don@forum.test (Дон)</author>
		<comments>https://forum.test/index.php?action=post;topic=7.0</comments>
		<pubDate>Mon, 30 Nov 2026 08:00:00 GMT</pubDate>
		<guid isPermaLink="false">tag:forum.test,2026-11-30:msg=102</guid>
	</item>
	<item>
		<author>katya@forum.test (Катя)</author>
		<pubDate>Mon, 30 Nov 2026 07:00:00 GMT</pubDate>
		<guid>tag:forum.test,2026-11-30:msg=101</guid>
	</item>
</channel></rss>"#;

fn shapes() -> [(&'static str, &'static str, [&'static str; 2], &'static str); 5] {
    [
        ("phpBB", PHPBB, ["Дон & сын", "Катя"], "https://forum.test/viewtopic.php?p=102#p102"),
        ("Discourse", DISCOURSE, ["don", "katya"], "forum.test-post-7-2"),
        ("NodeBB", NODEBB, ["Дон", "Катя"], "https://forum.test/post/102"),
        ("SMF, Atom", SMF_ATOM, ["О'Нил", "Катя"], "tag:forum.test,2026-11-30:msg=102"),
        ("SMF, RSS", SMF_RSS, ["Дон", "Катя"], "tag:forum.test,2026-11-30:msg=102"),
    ]
}

#[test]
fn each_forum_tells_who_wrote_when() {
    for (forum, feed, authors, id) in shapes() {
        let posts = read::read(feed.as_bytes()).unwrap_or_else(|error| panic!("{forum}: {error}"));
        let told: Vec<(&str, String)> = posts.iter().map(|post| (post.author.as_str(), post.at.to_string())).collect();
        let (first, second) = ("2026-11-30T08:00:00Z".to_owned(), "2026-11-30T07:00:00Z".to_owned());
        assert_eq!(told, [(authors[0], first), (authors[1], second)], "{forum}");
        assert_eq!(posts[0].id, id, "{forum}");
    }
}

#[test]
fn each_comes_over_http_as_it_is() {
    for (forum, feed, authors, _) in shapes() {
        let answer = fetch(&Forum::showing(feed).address(), &Known::default(), &Limits::default());
        let Ok(Answer::Posts { posts, .. }) = answer else { panic!("{forum}: {answer:?}") };
        assert_eq!(posts.iter().map(|post| post.author.as_str()).collect::<Vec<_>>(), authors, "{forum}");
    }
}

#[test]
fn what_a_guest_of_smf_gets_as_rss_is_told_with_its_cure() {
    let guests = SMF_RSS.replace("<author>don@forum.test (Дон)</author>", "");
    let guests = guests.replace("<author>katya@forum.test (Катя)</author>", "");
    let fault = read::read(guests.as_bytes()).unwrap_err();
    assert!(fault.to_string().contains("type=atom"), "{fault}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// A piece of a forum's feed is replaced by any bytes: no panic, and nothing that grows.
    #[test]
    fn no_bytes_break_the_reader(
        shape in 0..5_usize,
        at in any::<Index>(),
        length in 0..40_usize,
        bytes in prop_oneof![
            vec(any::<u8>(), 0..30),
            "[<>&;/!?\\[\\]'\"=#x0-9a-z:@ «»я-]{0,30}".prop_map(String::into_bytes),
        ],
    ) {
        let mut feed = shapes()[shape].1.as_bytes().to_vec();
        let from = at.index(feed.len());
        let to = (from + length).min(feed.len());
        feed.splice(from..to, bytes);
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        if let Ok(posts) = read::read(&feed) {
            for post in &posts {
                prop_assert!(!post.author.is_empty() && !post.id.is_empty());
                prop_assert!(post.author.chars().count() <= 300 && post.id.chars().count() <= 400);
            }
            if let Some(reach) = Reach::after(None, &posts, now) {
                prop_assert!(reach.since <= reach.newest && reach.newest <= now);
                prop_assert_eq!(Reach::after(Some(&reach), &posts, now), Some(reach));
            }
        }
    }
}
