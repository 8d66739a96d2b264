//! The date of arrival as a server writes it (RFC 3501, `date-time`).

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// The time of `17-Jul-1996 02:44:25 -0700`, in seconds since 1970.
pub(super) fn internal_date(text: &str) -> Option<i64> {
    usual(text).or_else(|| lenient(text))
}

fn lenient(text: &str) -> Option<i64> {
    Timestamp::strptime("%d-%b-%Y %H:%M:%S %z", text.trim()).ok().map(Timestamp::as_second)
}

/// A date that stands there as it should; None says nothing. As the slow way gives it: thousands may be listed.
fn usual(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const BETWEEN: [(usize, u8); 6] = [(2, b'-'), (6, b'-'), (11, b' '), (14, b':'), (17, b':'), (20, b' ')];
    let is = |at: usize, byte: u8| text.as_bytes().get(at) == Some(&byte);
    if text.len() != 26 || !BETWEEN.iter().all(|(at, byte)| is(*at, *byte)) {
        return None;
    }
    let number = |at: Range<usize>| {
        let digits = text.get(at)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<i16>().ok()).flatten()
    };
    let small = |at: Range<usize>| i8::try_from(number(at)?).ok();
    let month = MONTHS.iter().position(|name| text.get(3..6) == Some(name))?;
    let month = i8::try_from(month).ok()?.checked_add(1)?;
    let day = small(if is(0, b' ') { 1..2 } else { 0..2 })?;
    let time = DateTime::new(number(7..11)?, month, day, small(12..14)?, small(15..17)?, small(18..20)?, 0).ok()?;
    let east = match text.get(21..22)? {
        "+" => 60,
        "-" => -60,
        _ => return None,
    };
    let minutes = number(24..26).filter(|minutes| *minutes < 60)?;
    let minutes = i32::from(number(22..24)?).checked_mul(60)?.checked_add(i32::from(minutes))?;
    let offset = Offset::from_seconds(minutes.checked_mul(east)?).ok()?;
    Some(offset.to_timestamp(time).ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_of_arrival() {
        assert_eq!(internal_date("01-Jan-1970 03:00:00 +0300"), Some(0));
        assert_eq!(internal_date("17-Jul-1996 02:44:25 -0700"), Some(837_596_665));
        for wrong in ["", "yesterday", "32-Jan-2026 00:00:00 +0000"] {
            assert_eq!(internal_date(wrong), None, "{wrong}");
        }
        for in_the_short_way in ["17-Jul-1996 02:44:25 -0700", " 7-Feb-2026 21:59:59 +0330"] {
            assert!(usual(in_the_short_way).is_some(), "{in_the_short_way}");
            assert_eq!(usual(in_the_short_way), lenient(in_the_short_way));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

        #[test]
        fn a_usual_date_is_the_same_read_in_either_way(
            date in "[ 0-3][0-9]-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|dec|Юн)-(1969|0000|2000|20[0-9]{2})",
            time in " [0-2][0-9]:[0-6][0-9]:[0-6][0-9] [+-][0-2][0-9][0-7][0-9]",
        ) {
            let text = date + &time;
            if let Some(second) = usual(&text) {
                prop_assert_eq!(lenient(&text), Some(second), "{}", text);
            }
        }
    }
}
