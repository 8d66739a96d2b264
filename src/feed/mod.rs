//! The feed of the game's topic on the forum: who has written there, and when. [`address`]: which feed; [`fetch`]: one
//! request for it, bounded in every way; [`read`]: its bytes into posts; [`reach`]: how far back we have seen all that
//! was written; [`pace`]: when it is asked for again. What follows from silence is the desk's (`desk/activity`).
//!
//! A feed holds only the newest posts. So two things are kept apart: who wrote, which each feed tells, and who did NOT
//! write, which is known only where what we read reaches back without a gap.

pub mod address;
pub mod fetch;
pub mod pace;
pub mod reach;
pub mod read;

use jiff::Timestamp;

/// One post in the topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// Its author's name on the forum.
    pub author: String,
    pub at: Timestamp,
    /// What the feed calls it, always the same for one post.
    pub id: String,
}
