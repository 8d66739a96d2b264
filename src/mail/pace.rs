//! When letters may leave: the pace, the quota of a day, what a failed try means. Pure: the time is an argument.

use jiff::{SignedDuration, Timestamp};

use crate::config::Rate;
use crate::mail::link::Outcome;

/// How much a letter matters when the quota of the day comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Talk between players: it stops first.
    Relay,
    /// Answers, reminders and whatever a player can do without for a day.
    Receipt,
    /// What a turn owes, roles, the hosts' letters: only the provider's limit stops them.
    Result,
}

/// What was sent and what is still to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Letters that left in the last 24 hours.
    pub sent: u64,
    /// Letters to keep free for results ([`reserve`]).
    pub reserve: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Go,
    /// Nothing leaves before this moment.
    Wait {
        until: Timestamp,
    },
    /// The quota has no room for this class; more important letters may go. It opens as old letters leave the window of
    /// 24 hours: ask again.
    Full,
}

/// What to do with a letter after a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Sent,
    /// It may have been taken, and a second try did not tell: it is left alone.
    Unknown,
    Failed,
    /// Once more, the same bytes with the same Message-ID.
    Again {
        after: SignedDuration,
    },
    /// The provider blocks us: the try does not count, and nothing at all leaves for [`BLOCK`].
    Blocked,
}

/// How long nothing leaves after a provider's block: each try would prolong it.
pub const BLOCK: SignedDuration = SignedDuration::from_hours(24);

/// After the last step of the schedule: when a letter of which nothing more was heard is looked at again, and when the next
/// try of one is made that is not given up.
pub const LAST_WAIT: SignedDuration = SignedDuration::from_hours(8);

/// The pace: a bucket that holds `rate.letters` and is filled again evenly. A wave may leave at once; after it the pace
/// is kept. Also remembers a block.
#[derive(Clone, Debug)]
pub struct Pace {
    rate: Option<Rate>,
    daily: Option<u32>,
    /// When the bucket will be full again.
    full_at: Timestamp,
    blocked_until: Option<Timestamp>,
}

impl Class {
    /// By the word in `X-Omerta-Letter`.
    pub fn of_kind(kind: &str) -> Class {
        match kind {
            "opening" | "role" | "result" | "pistol" | "promotion" | "conversion" | "death" | "expulsion"
            | "deprivation" | "replacement" | "note" | "summary" | "correction" | "final" | "preview" | "digest"
            | "alert" => Class::Result,
            "pm" | "clan" => Class::Relay,
            _ => Class::Receipt,
        }
    }
}

/// Letters to keep free: a summary and a private letter for each who lives, and ten for the hosts of each game.
pub fn reserve(living: u64, running_games: u64) -> u64 {
    living.saturating_mul(2).saturating_add(running_games.saturating_mul(10))
}

impl Pace {
    /// With a full bucket.
    pub fn new(rate: Option<Rate>, daily: Option<u32>, now: Timestamp) -> Pace {
        Pace { rate, daily, full_at: now, blocked_until: None }
    }

    pub fn may_send(&self, class: Class, now: Timestamp, load: Load) -> Verdict {
        if let Some(until) = self.blocked_until.filter(|until| now < *until) {
            return Verdict::Wait { until };
        }
        if !self.has_room(class, load) {
            return Verdict::Full;
        }
        match self.next_drop(now) {
            Some(until) if now < until => Verdict::Wait { until },
            _ => Verdict::Go,
        }
    }

    /// A letter is handed over: it counts, whatever becomes of it.
    pub fn sent(&mut self, now: Timestamp) {
        let Some((drop, _)) = self.drops() else { return };
        self.full_at = later(self.full_at(now).max(now), drop);
    }

    /// The provider blocks us: nothing leaves for [`BLOCK`].
    pub fn blocked(&mut self, now: Timestamp) {
        self.blocked_until = Some(later(now, BLOCK));
    }

    /// To be stored: a restart must not forget a block.
    pub fn blocked_until(&self) -> Option<Timestamp> {
        self.blocked_until
    }

    pub fn set_blocked_until(&mut self, until: Option<Timestamp>) {
        self.blocked_until = until;
    }

    fn has_room(&self, class: Class, load: Load) -> bool {
        self.daily.is_none_or(|daily| has_room(daily, class, load))
    }

    /// When there will be one drop in the bucket.
    fn next_drop(&self, now: Timestamp) -> Option<Timestamp> {
        let (drop, full) = self.drops()?;
        Some(earlier(self.full_at(now), full - drop))
    }

    /// A clock that was set back must not make anybody wait longer than an empty bucket takes to fill.
    fn full_at(&self, now: Timestamp) -> Timestamp {
        match self.drops() {
            Some((_, full)) => self.full_at.min(later(now, full)),
            None => now,
        }
    }

    /// The time in which one letter's drop falls, and in which the bucket fills. At least a nanosecond.
    fn drops(&self) -> Option<(SignedDuration, SignedDuration)> {
        let rate = self.rate?;
        let letters = i32::try_from(rate.letters).unwrap_or(i32::MAX).max(1);
        let drop = (rate.per / letters).max(SignedDuration::from_nanos(1));
        Some((drop, drop.saturating_mul(letters)))
    }
}

/// Whether the quota of a day leaves room for one more letter of a class.
pub fn has_room(daily: u32, class: Class, load: Load) -> bool {
    load.sent < room(daily, class, load.reserve)
}

/// How many letters may have left in a day before those of a class must wait. `reserve`: as in [`Load`].
pub fn room(daily: u32, class: Class, reserve: u64) -> u64 {
    let daily = u64::from(daily);
    // A reserve above the quota would silence every answer for ever.
    let reserve = reserve.min(daily / 4 * 3);
    match class {
        Class::Result => daily,
        Class::Receipt => daily - reserve,
        // Of what is not reserved, talk gets three quarters.
        Class::Relay => (daily - reserve) / 4 * 3,
    }
}

/// What a try means. `attempt` counts the tries of this letter, this one included; `was_unknown`: an earlier try ended
/// in [`Outcome::Unknown`].
pub fn fate(outcome: &Outcome, attempt: u32, was_unknown: bool, id: i64) -> Fate {
    let given_up = if was_unknown { Fate::Unknown } else { Fate::Failed };
    match outcome {
        Outcome::Sent => Fate::Sent,
        Outcome::Later { .. } => retry_after(attempt, id).map_or(given_up, |after| Fate::Again { after }),
        Outcome::Unable { .. } => Fate::Again { after: retry_after(attempt, id).unwrap_or(LAST_WAIT) },
        // Once more and not twelve times: every copy that was taken after all is one letter more in the player's inbox.
        Outcome::Unknown { .. } if was_unknown => Fate::Unknown,
        Outcome::Unknown { .. } => retry_after(attempt, id).map_or(Fate::Unknown, |after| Fate::Again { after }),
        Outcome::Refused { .. } => given_up,
        Outcome::Blocked { .. } => Fate::Blocked,
    }
}

/// How long after the n-th try the next one is made: 1, 5, 15, 30 min, 1, 2, 4, 8 h, and up to a tenth more, so that
/// letters that failed together do not all come again together. None: the letter has failed. The same for the same
/// letter and try, whenever it is asked.
pub fn retry_after(attempt: u32, id: i64) -> Option<SignedDuration> {
    const MINUTES: [i64; 8] = [1, 5, 15, 30, 60, 120, 240, 480];
    let index = usize::try_from(attempt.checked_sub(1)?).ok()?;
    let seconds = MINUTES.get(index)? * 60;
    let jitter = mixed(id, attempt) % (seconds.unsigned_abs() / 10 + 1);
    Some(SignedDuration::from_secs(seconds.saturating_add_unsigned(jitter)))
}

/// Numbers that stand side by side become far apart (SplitMix64).
fn mixed(id: i64, attempt: u32) -> u64 {
    let mut bits = id.cast_unsigned().wrapping_add(u64::from(attempt).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}

fn earlier(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_sub(by).unwrap_or(Timestamp::MIN)
}
