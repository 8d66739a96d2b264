//! Any bytes as a feed: posts whose fields are bounded, or none; and what two readings in a row say of the topic.
#![no_main]

use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use omerta::feed::reach::Reach;
use omerta::feed::read::read;

fuzz_target!(|bytes: &[u8]| {
    let Ok(posts) = read(bytes) else { return };
    for post in &posts {
        assert!(!post.author.is_empty() && !post.id.is_empty());
        assert!(post.author.chars().count() <= 300 && post.id.chars().count() <= 400);
    }
    let now = Timestamp::from_second(1_800_000_000).unwrap();
    let Some(reach) = Reach::after(None, &posts, now) else { return };
    assert!(reach.since <= now && reach.newest <= now && reach.since <= reach.newest);
    // The same feed again leaves no gap.
    assert_eq!(Reach::after(Some(&reach), &posts, now), Some(reach));
});
