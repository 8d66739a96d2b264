//! How far back we have seen all that was written. A feed holds only the newest posts: between two readings more may be
//! written than it holds, and then nobody can be said to have been silent.

use jiff::Timestamp;

use super::Post;

/// No forum's feed is made for fewer posts (SMF's default is 5, phpBB's least as well): a shorter one holds all that there is.
const SMALLEST_FEED: usize = 5;

/// From when to when every post was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    pub since: Timestamp,
    /// When the last reading began, by our clock.
    pub until: Timestamp,
    /// The newest post that was ever seen, by the forum's clock.
    pub newest: Timestamp,
    pub newest_id: String,
}

impl Reach {
    /// What we know after a whole feed was read at `now`. None before the first post was seen.
    ///
    /// The oldest post of a feed proves nothing: some forums put the first post of the topic into every feed. So what is
    /// older than the second oldest is not taken for seen.
    pub fn after(before: Option<&Reach>, posts: &[Post], now: Timestamp) -> Option<Reach> {
        // Of posts of one second the first, as feeds put the newest first.
        let Some(newest) = posts.iter().rev().max_by_key(|post| post.at) else {
            // Of an empty feed nobody can say whether it is one.
            return before.cloned();
        };
        let mut times: Vec<Timestamp> = posts.iter().map(|post| post.at.min(now)).collect();
        times.sort();
        let all_since = times.get(1).or(times.first()).copied().unwrap_or(now);
        let joined = before.filter(|before| before.is_joined_by(posts));
        let since = joined.map_or(all_since, |before| before.since.min(all_since));
        // A post from the future must not hide the gaps until then.
        Some(Reach { since, until: now, newest: newest.at.min(now), newest_id: newest.id.clone() })
    }

    /// Whether nothing can be missing between what was seen and these posts: the newest one is among them, or, if it was
    /// deleted, older ones are.
    ///
    /// Where one post is all that was ever seen, it may be the first of the topic, which some forums put into every feed: of
    /// a feed that may be full it then proves nothing.
    fn is_joined_by(&self, posts: &[Post]) -> bool {
        let older = posts.iter().filter(|post| post.at <= self.newest).count();
        let has_newest = posts.iter().any(|post| post.id == self.newest_id);
        let saw_one = self.since == self.newest;
        older >= 2 || (has_newest && (!saw_one || posts.len() < SMALLEST_FEED))
    }

    /// The forum said that nothing changed.
    pub fn unchanged(&mut self, now: Timestamp) {
        self.until = self.until.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn posts(numbers: impl IntoIterator<Item = i64>) -> Vec<Post> {
        numbers.into_iter().map(|n| Post { author: format!("a{n}"), at: at(n * 10), id: format!("p{n}") }).collect()
    }

    /// Feeds one after the other, each read at so many seconds: since when all was seen.
    fn since(feeds: &[(Vec<Post>, i64)]) -> Option<i64> {
        let mut reach = None;
        for (posts, now) in feeds {
            reach = Reach::after(reach.as_ref(), posts, at(*now));
        }
        reach.map(|reach| reach.since.as_second())
    }

    #[test]
    fn a_feed_that_reaches_back_to_what_was_seen_leaves_no_gap() {
        assert_eq!(since(&[(posts(1..=5), 100)]), Some(20));
        assert_eq!(since(&[(posts(1..=5), 100), (posts(5..=9), 200)]), Some(20));
        assert_eq!(since(&[(posts(1..=5), 100), (posts((1..=7).rev()), 200)]), Some(20), "newest first");
    }

    #[test]
    fn a_feed_whose_oldest_post_is_newer_than_all_that_was_seen_has_a_gap() {
        assert_eq!(since(&[(posts(1..=5), 100), (posts(6..=9), 200)]), Some(70));
        assert_eq!(since(&[(posts(1..=5), 100), (posts(6..=9), 200), (posts(8..=12), 300)]), Some(70));
    }

    #[test]
    fn the_first_post_of_the_topic_in_every_feed_hides_no_gap() {
        let with_first = |numbers| [posts([0]), posts(numbers)].concat();
        assert_eq!(since(&[(with_first(1..=5), 100)]), Some(10));
        assert_eq!(since(&[(with_first(1..=5), 100), (with_first(7..=9), 200)]), Some(70));
        assert_eq!(since(&[(with_first(1..=5), 100), (with_first(5..=9), 200)]), Some(10));
    }

    #[test]
    fn a_first_post_that_was_all_there_was_hides_no_gap_either() {
        assert_eq!(since(&[(posts([0]), 50), (posts([0, 7, 8, 9, 10]), 200)]), Some(70), "1 to 6 are missing");
        assert_eq!(since(&[(posts([0]), 5), (posts([0]), 50), (posts([0, 7, 8, 9, 10]), 200)]), Some(70));
        // So few that no feed leaves one out.
        assert_eq!(since(&[(posts([0]), 50), (posts([0, 1, 2, 3]), 200)]), Some(0));
        assert_eq!(since(&[(posts([0, 1]), 50), (posts([0, 1, 2, 3, 4, 5]), 200)]), Some(10));
    }

    #[test]
    fn a_deleted_newest_post_is_no_gap() {
        assert_eq!(since(&[(posts(1..=5), 100), (posts([3, 4, 6, 7]), 200)]), Some(20));
    }

    #[test]
    fn a_post_from_the_future_hides_no_later_gap() {
        assert_eq!(since(&[(posts([1, 2, 99_999]), 100), (posts(20..=25), 300)]), Some(210));
    }

    #[test]
    fn an_empty_feed_says_nothing() {
        assert_eq!(since(&[(posts([]), 100)]), None);
        let seen = Reach::after(None, &posts(1..=5), at(100));
        assert_eq!(Reach::after(seen.as_ref(), &[], at(200)), seen);
    }
}
