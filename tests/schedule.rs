//! When turns end, in every zone that we bring along and round every change of its clock until 2040, against a second
//! calculation that knows nothing of the first.
#![cfg(test)]

use std::collections::BTreeSet;

use jiff::civil::{Date, Time, date, time};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp, ToSpan};
use omerta::schedule::{DeadlineRule, Skips};
use proptest::prelude::*;

const FROM: &str = "2026-01-01T00:00:00Z";
const UNTIL: &str = "2041-01-01T00:00:00Z";

fn zones() -> Vec<(String, TimeZone)> {
    let database = TimeZoneDatabase::bundled();
    let zones: Vec<(String, TimeZone)> =
        database.available().map(|name| (name.to_string(), database.get(name.as_str()).unwrap())).collect();
    assert!(zones.len() > 400, "the bundle has {} zones", zones.len());
    zones
}

/// Every zone whose clock is changed, but of those with the very same changes one.
fn changing() -> Vec<(String, TimeZone, Vec<Timestamp>)> {
    let mut seen = BTreeSet::new();
    let all = zones().into_iter().map(|(name, zone)| {
        let changes = changes(&zone);
        (name, zone, changes)
    });
    let offset = |zone: &TimeZone, at: Timestamp| zone.to_offset(at).seconds();
    all.filter(|(_, zone, changes)| {
        let offsets: Vec<(i64, i32)> = changes.iter().map(|at| (at.as_second(), offset(zone, *at))).collect();
        seen.insert(offsets)
    })
    .collect()
}

/// The moments at which a zone's clock is changed.
fn changes(zone: &TimeZone) -> Vec<Timestamp> {
    let (from, until): (Timestamp, Timestamp) = (FROM.parse().unwrap(), UNTIL.parse().unwrap());
    zone.following(from).map(|change| change.timestamp()).take_while(|at| *at < until).collect()
}

fn seconds(zone: &TimeZone, at: i64) -> i64 {
    i64::from(zone.to_offset(Timestamp::from_second(at).unwrap()).seconds())
}

/// A local time as seconds: by the offsets of the days before and behind it. The first of two; where there is none, by
/// the offset that was in force before.
fn instant(zone: &TimeZone, date: Date, hour: Time) -> i64 {
    let local = date.to_datetime(hour).to_zoned_datetime(TimeZone::UTC).unwrap().timestamp().as_second();
    let (before, behind) = (seconds(zone, local - 86_400), seconds(zone, local + 86_400));
    let exists = |offset: &i64| seconds(zone, local - offset) == *offset;
    let found = [before, behind].into_iter().filter(exists).map(|offset| local - offset).min();
    found.unwrap_or(local - before)
}

/// The first instant at that hour which is not before `bound`, on a date that is not skipped.
fn expected(zone: &TimeZone, hour: Time, bound: Timestamp, skips: &Skips) -> Timestamp {
    let first = zone.to_datetime(bound).date().checked_sub(2.days()).unwrap();
    let instants =
        first.series(1.day()).take(12).map(|date| Timestamp::from_second(instant(zone, date, hour)).unwrap());
    let fits = |at: &Timestamp| *at >= bound && !skips.holds(zone.to_datetime(*at).date());
    instants.filter(fits).min().unwrap()
}

const HOURS: [Time; 8] = [
    time(0, 0, 0, 0),
    time(0, 30, 0, 0),
    time(1, 59, 59, 0),
    time(2, 0, 0, 0),
    time(2, 30, 0, 0),
    time(3, 0, 0, 0),
    time(21, 0, 0, 0),
    time(23, 59, 0, 0),
];

fn rule(hour: Time) -> DeadlineRule {
    DeadlineRule::parse(&hour.strftime("%H:%M:%S").to_string()).unwrap()
}

#[test]
fn a_deadline_keeps_its_hour_round_every_change_of_every_clock() {
    let mut shifted = 0;
    for (name, zone, changes) in changing() {
        for change in changes {
            let day = zone.to_datetime(change).date();
            let around = format!("{} - {}", day.yesterday().unwrap(), day.tomorrow().unwrap());
            let skips = Skips::parse(&around, day.yesterday().unwrap()).unwrap();
            for (hour, ago) in HOURS.into_iter().flat_map(|hour| [(hour, 1), (hour, 26)]) {
                let (now, rule) = (change - SignedDuration::from_hours(ago), rule(hour));
                let said = format!("{name}, {hour} from {now}");
                let bound = now + SignedDuration::from_nanos(1);
                let next = rule.next(now, &zone, SignedDuration::ZERO, None);
                assert_eq!(next, expected(&zone, hour, bound, &Skips::default()), "{said}");
                assert!(next > now, "{said}");
                shifted += u32::from(zone.to_datetime(next).time() != hour);
                let least = SignedDuration::from_hours(12);
                let far = rule.next(now, &zone, least, Some(now));
                assert_eq!(far, expected(&zone, hour, now + least, &Skips::default()), "{said}");
                let outside = rule.next_outside(&skips, now, &zone, SignedDuration::ZERO, None);
                assert_eq!(outside, expected(&zone, hour, bound, &skips), "{said} without {skips}");
            }
        }
    }
    assert!(shifted > 100, "only {shifted} deadlines fell into a gap: the test has lost its point");
}

#[test]
fn so_many_hours_are_so_many_hours_whatever_the_clock_does() {
    let (rule, step) = (DeadlineRule::parse("every 36h").unwrap(), SignedDuration::from_hours(36));
    for (name, zone, changes) in changing() {
        for change in changes {
            let previous = change - SignedDuration::from_hours(20);
            let next = rule.next(previous + SignedDuration::from_mins(2), &zone, step / 3, Some(previous));
            assert_eq!(next.duration_since(previous), step, "{name} from {previous}");
            let day = zone.to_datetime(next).date();
            let skips = Skips::parse(&day.to_string(), day).unwrap();
            let outside = rule.next_outside(&skips, previous, &zone, SignedDuration::ZERO, Some(previous));
            assert!(!skips.holds(zone.to_datetime(outside).date()), "{name} from {previous}");
            assert_eq!(outside.duration_since(previous).as_secs() % step.as_secs(), 0, "{name} from {previous}");
            assert_eq!(outside.duration_since(previous), step * 2, "one step further is another day: {name}");
        }
    }
}

/// Apia went to bed on a Thursday and rose on a Saturday: Friday's deadline is Saturday's.
#[test]
fn the_deadline_of_a_day_that_a_zone_left_out_is_the_day_after() {
    let zone = TimeZone::get("Pacific/Apia").unwrap();
    let rule = DeadlineRule::parse("Fri 21:00").unwrap();
    for now in ["2011-12-30T08:00:00Z", "2011-12-30T11:00:00Z", "2011-12-31T06:59:59Z"] {
        let next = rule.next(now.parse().unwrap(), &zone, SignedDuration::ZERO, None);
        assert_eq!(next, "2011-12-31T07:00:00Z".parse().unwrap(), "from {now}");
    }
    let after = rule.next("2011-12-31T07:00:00Z".parse().unwrap(), &zone, SignedDuration::ZERO, None);
    assert_eq!(zone.to_datetime(after).date(), date(2012, 1, 6));
}

/// In St. John's clocks went back at one minute past midnight: the last hour of the day before came again, behind the
/// midnight at which the skipped day is over.
#[test]
fn a_skipped_day_that_comes_again_after_its_midnight_is_skipped_again() {
    let zone = TimeZone::get("America/St_Johns").unwrap();
    let rule = DeadlineRule::parse("every 36h").unwrap();
    let previous: Timestamp = "2010-11-05T15:00:00Z".parse().unwrap();
    let falls: Timestamp = "2010-11-07T03:00:00Z".parse().unwrap();
    assert_eq!(rule.next(previous, &zone, SignedDuration::ZERO, Some(previous)), falls);
    assert_eq!(zone.to_datetime(falls).to_string(), "2010-11-06T23:30:00");
    let skips = Skips::parse("2010-11-06", date(2010, 11, 1)).unwrap();
    let next = rule.next_outside(&skips, previous, &zone, SignedDuration::ZERO, Some(previous));
    assert_eq!(next, falls + SignedDuration::from_hours(36));
}

/// A slip of the pen must not end a game.
#[test]
fn no_more_dates_are_skipped_than_is_sensible() {
    let today = date(2026, 12, 1);
    let span = |first: Date, days: i64| format!("{first} - {}", first.checked_add((days - 1).days()).unwrap());
    assert!(Skips::parse(&span(today, 100), today).is_some());
    assert_eq!(Skips::parse(&span(today, 101), today), None);
    assert_eq!(Skips::parse("2026-11-30", today), None, "it is over");
    assert!(Skips::parse("2026-11-30 - 2026-12-01", today).is_some(), "today is left of it");
    let every_other = |days: i64| -> Vec<String> {
        (0..days).map(|n| today.checked_add((2 * n).days()).unwrap().to_string()).collect()
    };
    assert_eq!(Skips::parse(&every_other(50).join(", "), today).unwrap().to_string().matches(", ").count(), 49);
    assert_eq!(Skips::parse(&every_other(51).join(", "), today), None);
    // Not by several letters either: the nearest ones stay.
    let one_by_one =
        every_other(60).iter().fold(Skips::default(), |all, day| all.with(&Skips::parse(day, today).unwrap(), today));
    assert_eq!(one_by_one, Skips::parse(&every_other(50).join(", "), today).unwrap());
    let tomorrow = today.tomorrow().unwrap();
    assert!(!one_by_one.with(&Skips::default(), tomorrow).holds(today), "what is over goes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_hour_of_any_zone_at_any_moment(
        place in any::<prop::sample::Index>(),
        second in 1_767_225_600i64..2_240_524_800,
        (hour, minute, of_minute) in (0i8..24, 0i8..60, 0i8..60),
        min_turn in 0i64..100 * 3_600,
        skipped in prop::collection::vec((0i64..12, 0i64..5), 0..3),
    ) {
        let database = TimeZoneDatabase::bundled();
        let names: Vec<String> = database.available().map(|name| name.to_string()).collect();
        let zone = database.get(&names[place.index(names.len())]).unwrap();
        let (now, hour) = (Timestamp::from_second(second).unwrap(), time(hour, minute, of_minute, 0));
        let today = zone.to_datetime(now).date();
        let said = skipped.iter().map(|(ahead, days)| {
            let first = today.checked_add(ahead.days()).unwrap();
            format!("{first} - {}", first.checked_add(days.days()).unwrap())
        });
        let skips = said.map(|said| Skips::parse(&said, today).unwrap()).fold(Skips::default(), |all, more| all.with(&more, today));
        let min_turn = SignedDuration::from_secs(min_turn);
        let next = rule(hour).next_outside(&skips, now, &zone, min_turn, None);
        prop_assert!(next > now && next >= now + min_turn);
        prop_assert!(!skips.holds(zone.to_datetime(next).date()));
        let bound = now + min_turn.max(SignedDuration::from_nanos(1));
        let free = expected(&zone, hour, bound, &Skips::default());
        // The second calculation looks twelve days ahead.
        if skipped.iter().map(|(_, days)| days + 1).sum::<i64>() < 9 {
            prop_assert_eq!(next, expected(&zone, hour, bound, &skips));
        }
        prop_assert!(next >= free);
    }
}
