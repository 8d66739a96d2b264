//! Pace, quota and schedule, whatever the times and the order of asking.

#![cfg(test)]

use jiff::{SignedDuration, Timestamp};
use omerta::config::Rate;
use omerta::mail::link::Outcome;
use omerta::mail::pace::{BLOCK, Class, Fate, Load, Pace, Verdict, fate, reserve, retry_after};
use proptest::prelude::*;

const CLASSES: [Class; 3] = [Class::Relay, Class::Receipt, Class::Result];

fn start() -> Timestamp {
    "2026-12-05T18:00:00Z".parse().unwrap()
}

fn rate(letters: u32, seconds: i64) -> Rate {
    Rate { letters, per: SignedDuration::from_secs(seconds) }
}

/// When each of `count` letters leaves that all want to leave at once.
fn wave(pace: &mut Pace, mut now: Timestamp, count: usize) -> Vec<Timestamp> {
    let mut left = Vec::new();
    while left.len() < count {
        match pace.may_send(Class::Result, now, Load::default()) {
            Verdict::Go => {
                pace.sent(now);
                left.push(now);
            }
            Verdict::Wait { until } => {
                assert!(until > now, "waiting that is no waiting: a busy loop");
                now = until;
            }
            Verdict::Full => panic!("there is no quota"),
        }
    }
    left
}

#[test]
fn a_wave_leaves_at_once_and_then_the_pace_is_kept() {
    let mut pace = Pace::new(Some(rate(60, 60)), None, start());
    let seconds: Vec<i64> =
        wave(&mut pace, start(), 65).iter().map(|at| at.as_second() - start().as_second()).collect();
    assert_eq!(seconds[..60], [0; 60]);
    assert_eq!(seconds[60..], [1, 2, 3, 4, 5]);
    // An hour later the bucket is full again, and no fuller.
    let later = start() + SignedDuration::from_hours(1);
    let seconds: Vec<i64> = wave(&mut pace, later, 62).iter().map(|at| at.as_second() - later.as_second()).collect();
    assert_eq!((seconds[59], seconds[60], seconds[61]), (0, 1, 2));
}

#[test]
fn without_a_rate_nothing_waits() {
    let mut pace = Pace::new(None, None, start());
    assert!(wave(&mut pace, start(), 10_000).iter().all(|at| *at == start()));
}

#[test]
fn relays_stop_first_then_receipts_and_results_at_the_limit() {
    let pace = Pace::new(None, Some(500), start());
    let load = |sent| Load { sent, reserve: reserve(40, 2) };
    let last =
        |class: Class| (0..=500).take_while(|sent| pace.may_send(class, start(), load(*sent)) == Verdict::Go).count();
    assert_eq!(reserve(40, 2), 100);
    assert_eq!(CLASSES.map(last), [300, 400, 500]);
    // A reserve above the quota leaves something for answers.
    let large = Load { sent: 0, reserve: 5000 };
    assert_eq!(pace.may_send(Class::Receipt, start(), large), Verdict::Go);
    // A quota of one is for a result.
    let tiny = Pace::new(None, Some(1), start());
    assert_eq!(tiny.may_send(Class::Result, start(), Load::default()), Verdict::Go);
    assert_eq!(tiny.may_send(Class::Result, start(), Load { sent: 1, reserve: 0 }), Verdict::Full);
}

#[test]
fn a_block_stops_every_class_for_a_day() {
    let mut pace = Pace::new(Some(rate(60, 60)), Some(500), start());
    pace.blocked(start());
    let until = start() + BLOCK;
    for class in CLASSES {
        assert_eq!(
            pace.may_send(class, until - SignedDuration::from_secs(1), Load::default()),
            Verdict::Wait { until }
        );
        assert_eq!(pace.may_send(class, until, Load::default()), Verdict::Go);
    }
    let mut restarted = Pace::new(None, None, start());
    restarted.set_blocked_until(pace.blocked_until());
    assert_eq!(restarted.may_send(Class::Result, start(), Load::default()), Verdict::Wait { until });
}

#[test]
fn letters_are_of_three_classes() {
    for (kind, class) in [
        ("summary", Class::Result),
        ("opening", Class::Result),
        ("role", Class::Result),
        ("result", Class::Result),
        ("note", Class::Result),
        ("alert", Class::Result),
        ("receipt", Class::Receipt),
        ("reminder", Class::Receipt),
        ("confirm", Class::Receipt),
        ("pm", Class::Relay),
        ("clan", Class::Relay),
    ] {
        assert_eq!(Class::of_kind(kind), class, "{kind}");
    }
}

#[test]
fn the_schedule_of_tries() {
    let minutes = [1, 5, 15, 30, 60, 120, 240, 480];
    for id in [0, 1, 2, 17, i64::MAX, i64::MIN] {
        for (attempt, minutes) in (1..).zip(minutes) {
            let seconds = retry_after(attempt, id).unwrap().as_secs();
            assert!((minutes * 60..=minutes * 66).contains(&seconds), "{id} {attempt}: {seconds}");
        }
        assert_eq!((retry_after(0, id), retry_after(9, id), retry_after(u32::MAX, id)), (None, None, None));
    }
    // Letters that failed together come apart.
    let eighth: std::collections::BTreeSet<_> = (0..100).map(|id| retry_after(8, id)).collect();
    assert!(eighth.len() > 90, "{}", eighth.len());
}

#[test]
fn an_unknown_letter_goes_once_more_and_no_more() {
    let why = String::new;
    let unknown = Outcome::Unknown { why: why() };
    let after = retry_after(1, 7).unwrap();
    assert_eq!(fate(&unknown, 1, false, 7), Fate::Again { after });
    assert_eq!(fate(&unknown, 2, true, 7), Fate::Unknown);
    assert_eq!(fate(&unknown, 9, false, 7), Fate::Unknown, "the schedule is at its end");
    let later = Outcome::Later { why: why() };
    assert_eq!(fate(&later, 1, false, 7), Fate::Again { after });
    assert_eq!(fate(&later, 1, true, 7), Fate::Again { after }, "the second copy was not handed over yet");
    assert_eq!((fate(&later, 9, false, 7), fate(&later, 9, true, 7)), (Fate::Failed, Fate::Unknown));
    let refused = Outcome::Refused { why: why() };
    assert_eq!((fate(&refused, 1, false, 7), fate(&refused, 2, true, 7)), (Fate::Failed, Fate::Unknown));
    assert_eq!(fate(&Outcome::Sent, 2, true, 7), Fate::Sent);
    assert_eq!(fate(&Outcome::Blocked { why: why() }, 3, false, 7), Fate::Blocked);
}

proptest! {
    /// In no stretch of time do more letters leave than a full bucket and what falls into it meanwhile.
    #[test]
    fn the_pace_is_never_exceeded(
        letters in 1_u32..50,
        seconds in 1_i64..1000,
        pauses in proptest::collection::vec(-30_000_i64..100_000, 1..200),
    ) {
        let mut pace = Pace::new(Some(rate(letters, seconds)), None, start());
        let drop = SignedDuration::from_secs(seconds) / i32::try_from(letters).unwrap();
        let (mut now, mut latest, mut left) = (start(), start(), Vec::new());
        for pause in pauses {
            now += SignedDuration::from_millis(pause);
            match pace.may_send(Class::Result, now, Load::default()) {
                Verdict::Go => {
                    pace.sent(now);
                    // By a clock that never goes back.
                    latest = latest.max(now);
                    left.push(latest);
                }
                Verdict::Wait { until } => {
                    prop_assert!(until > now);
                    prop_assert!(until.duration_since(now) <= SignedDuration::from_secs(seconds), "longer than the bucket takes");
                }
                Verdict::Full => prop_assert!(false),
            }
        }
        for (from, first) in left.iter().enumerate() {
            for (to, last) in left.iter().enumerate().skip(from) {
                let fallen = last.duration_since(*first).as_nanos() / drop.as_nanos() + 1;
                let most = i128::from(letters) + fallen;
                prop_assert!(i128::try_from(to - from + 1).unwrap() <= most, "{} letters, {most} allowed", to - from + 1);
            }
        }
    }

    /// Whatever the load: a class that matters more may go when one that matters less may, and nothing goes at the limit.
    #[test]
    fn the_order_of_classes_holds(daily in 0_u32..2000, sent in 0_u64..2500, reserve in prop_oneof![0_u64..3000, Just(u64::MAX)]) {
        let pace = Pace::new(None, Some(daily), start());
        let goes = CLASSES.map(|class| pace.may_send(class, start(), Load { sent, reserve }) == Verdict::Go);
        prop_assert!(goes.is_sorted(), "{goes:?}");
        prop_assert_eq!(goes[2], sent < u64::from(daily));
    }

    /// Any numbers at all: an answer.
    #[test]
    fn nothing_overflows(
        letters in any::<u32>(),
        nanos in 1_i64..,
        second in Timestamp::MIN.as_second()..Timestamp::MAX.as_second(),
        daily in any::<Option<u32>>(),
        sent in any::<u64>(),
        living in any::<u64>(),
        attempt in any::<u32>(),
        id in any::<i64>(),
    ) {
        let now = Timestamp::from_second(second).unwrap();
        let rate = Rate { letters, per: SignedDuration::from_nanos(nanos) };
        let mut pace = Pace::new(Some(rate), daily, now);
        let load = Load { sent, reserve: reserve(living, living) };
        for _ in 0..3 {
            pace.may_send(Class::Receipt, now, load);
            pace.sent(now);
        }
        pace.blocked(now);
        pace.may_send(Class::Relay, Timestamp::MIN, load);
        prop_assert_eq!(retry_after(attempt, id), retry_after(attempt, id));
    }
}
