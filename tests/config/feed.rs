//! The feed's address: what is refused of it.

use crate::{parse, with_host};

#[test]
fn a_feed_with_a_password_in_it_is_refused_and_not_told() {
    for link in ["https://anna:hunter2@forum.example.org/feed", "https://hunter2@forum.example.org/feed"] {
        let faults = parse(&with_host(&format!("forum.activity_feed = \"{link}\""))).unwrap_err();
        assert!(faults[0].what.contains("login") && !faults[0].to_string().contains("hunter2"), "{}", faults[0]);
    }
}

#[test]
fn a_feed_with_a_space_in_it_is_refused() {
    for link in
        ["https://forum.example.org/topic 7.rss", "https://f.example.org/7 https://f.example.org/8", "https://f\u{a0}/"]
    {
        let faults = parse(&with_host(&format!("forum.activity_feed = \"{link}\""))).expect_err(link);
        assert_eq!((faults.len(), faults[0].what.as_str()), (1, "has a space in it"), "{faults:?}");
    }
    let feed =
        parse(&with_host("forum.activity_feed = \" https://f.example.org/7.rss \"")).unwrap().forum.activity_feed;
    assert_eq!(feed.unwrap().whole(), "https://f.example.org/7.rss");
}
