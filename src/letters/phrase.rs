//! Times, numbers and lists in words. Every time is absolute and names its zone; «завтра» is never said.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

use super::Lang;
use super::wrap::WIDTH;

/// What a time is told against: the reader's language, the zone of the game and the moment of writing.
#[derive(Clone, Debug)]
pub struct Telling {
    pub lang: Lang,
    pub zone: String,
    pub now: Timestamp,
}

impl Telling {
    /// «вторник, 2 декабря, 21:00 (Москва) — через 5 ч 20 мин»; a past time stands without the last part. The year is
    /// said when it is not this one, and a change of the clocks on the way is said too.
    pub fn deadline(&self, at: Timestamp) -> String {
        let moment = self.moment(at);
        if at <= self.now {
            return moment;
        }
        let left = time_left(self.lang, at.as_second().saturating_sub(self.now.as_second()));
        match self.lang {
            Lang::Ru if left == LESS_RU => format!("{moment} — меньше чем через минуту"),
            Lang::Ru => format!("{moment} — через {left}"),
            Lang::En => format!("{moment}, in {left}"),
        }
    }

    /// «вторник, 2 декабря, 21:00 (Москва)».
    pub fn moment(&self, at: Timestamp) -> String {
        let changed = at > self.now && self.local(at).offset() != self.local(self.now).offset();
        let place = match (changed, self.lang) {
            (false, _) => self.city(),
            (true, Lang::Ru) => format!("{}, с учётом перевода часов", self.city()),
            (true, Lang::En) => format!("{}, after the clocks change", self.city()),
        };
        format!("{} ({place})", self.day_and_hour(at))
    }

    /// «вторник, 2 декабря, 21:00»: the place must be said beside it.
    pub fn day_and_hour(&self, at: Timestamp) -> String {
        let then = self.local(at);
        let now = self.local(self.now);
        let year = if then.year() == now.year() { String::new() } else { self.year(&then) };
        format!("{}{year}, {}", self.day(&then), hours(&then))
    }

    /// «вторник, 2 декабря 2025 года, 21:00 (Москва)», whenever it is told.
    pub fn dated(&self, at: Timestamp) -> String {
        let then = self.local(at);
        format!("{}{}, {} ({})", self.day(&then), self.year(&then), hours(&then), self.city())
    }

    fn day(&self, then: &ZonedDateTime) -> String {
        format!("{}, {} {}", weekday(self.lang, then), then.day(), month(self.lang, then))
    }

    fn year(&self, then: &ZonedDateTime) -> String {
        match self.lang {
            Lang::Ru => format!(" {} года", then.year()),
            Lang::En => format!(" {}", then.year()),
        }
    }

    /// «15:40:12», or with its day when that is not today.
    pub fn arrival(&self, at: Timestamp) -> String {
        let then = self.local(at);
        let clock = format!("{:02}:{:02}:{:02}", then.hour(), then.minute(), then.second());
        if then.date() == self.local(self.now).date() {
            return clock;
        }
        match self.lang {
            Lang::Ru => format!("{clock} ({} {})", then.day(), month(self.lang, &then)),
            Lang::En => format!("{clock} ({} {})", then.day(), month(self.lang, &then)),
        }
    }

    pub fn city(&self) -> String {
        city(self.lang, &self.zone)
    }

    fn local(&self, at: Timestamp) -> ZonedDateTime {
        at.to_zoned_datetime(TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC))
    }
}

/// The form of a noun that goes with `n`: 1 голос, 2 голоса, 5 голосов, 11 голосов, 21 голос. English has two forms
/// and takes the second for all but one.
pub fn plural<'a>(lang: Lang, n: u64, one: &'a str, few: &'a str, many: &'a str) -> &'a str {
    if lang == Lang::En {
        return if n == 1 { one } else { few };
    }
    match (n % 10, n % 100) {
        (_, 11..=14) => many,
        (1, _) => one,
        (2..=4, _) => few,
        _ => many,
    }
}

/// «Анна, Борис и Вера».
pub fn enumeration(lang: Lang, items: &[String]) -> String {
    let and = match lang {
        Lang::Ru => "и",
        Lang::En => "and",
    };
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {and} {last}", rest.join(", ")),
    }
}

/// How many persons somebody is short of, in the Russian genitive: «двоих», «21 жителя».
pub fn persons(lang: Lang, n: u64) -> String {
    match (lang, n) {
        (Lang::En, 1) => "one".to_owned(),
        (Lang::En, 2) => "two".to_owned(),
        (Lang::En, 3) => "three".to_owned(),
        (Lang::En, _) => n.to_string(),
        (Lang::Ru, 1) => "одного".to_owned(),
        (Lang::Ru, 2) => "двоих".to_owned(),
        (Lang::Ru, 3) => "троих".to_owned(),
        (Lang::Ru, 4) => "четверых".to_owned(),
        (Lang::Ru, 5) => "пятерых".to_owned(),
        (Lang::Ru, _) => format!("{n} {}", plural(lang, n, "жителя", "жителей", "жителей")),
    }
}

/// A table of two columns for a plain letter. Every line begins with `|`, which no reader takes for a request; rows
/// that would be too wide are not padded.
pub fn table(rows: &[Vec<String>], left: &str, right: &str) -> String {
    let head = [left.to_owned(), right.to_owned()];
    let cells = |row: &[String]| (row.first().cloned().unwrap_or_default(), row.get(1).cloned().unwrap_or_default());
    let lines: Vec<(String, String)> = std::iter::once(cells(&head)).chain(rows.iter().map(|row| cells(row))).collect();
    let width = |text: &str| text.chars().count();
    let first = lines.iter().map(|(cell, _)| width(cell)).max().unwrap_or(0);
    let second = lines.iter().map(|(_, cell)| width(cell)).max().unwrap_or(0);
    let fits = first.saturating_add(second).saturating_add(7) <= WIDTH;
    let pad = |text: &str, to: usize| {
        let room = if fits { to.saturating_sub(width(text)) } else { 0 };
        format!("{text}{}", " ".repeat(room))
    };
    let rows: Vec<String> =
        lines.iter().map(|(left, right)| format!("| {} | {} |", pad(left, first), pad(right, second))).collect();
    rows.join("\n")
}

const LESS_RU: &str = "меньше минуты";

/// «2 дня 3 ч», «5 ч 20 мин», «20 мин», «меньше минуты»: the two largest parts, whole minutes.
fn time_left(lang: Lang, seconds: i64) -> String {
    let minutes = seconds / 60;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    let (hour, minute, less) = match lang {
        Lang::Ru => ("ч", "мин", LESS_RU),
        Lang::En => ("h", "min", "less than a minute"),
    };
    let day = match lang {
        Lang::Ru => plural(lang, days.unsigned_abs(), "день", "дня", "дней"),
        Lang::En => plural(lang, days.unsigned_abs(), "day", "days", "days"),
    };
    match (days, hours, minutes) {
        (0, 0, 0) => less.to_owned(),
        (0, 0, m) => format!("{m} {minute}"),
        (0, h, 0) => format!("{h} {hour}"),
        (0, h, m) => format!("{h} {hour} {m} {minute}"),
        (d, 0, _) => format!("{d} {day}"),
        (d, h, _) => format!("{d} {day} {h} {hour}"),
    }
}

fn hours(at: &ZonedDateTime) -> String {
    if at.second() == 0 {
        format!("{:02}:{:02}", at.hour(), at.minute())
    } else {
        format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
    }
}

fn weekday(lang: Lang, at: &ZonedDateTime) -> &'static str {
    use jiff::civil::Weekday as W;
    match (at.weekday(), lang) {
        (W::Monday, Lang::Ru) => "понедельник",
        (W::Tuesday, Lang::Ru) => "вторник",
        (W::Wednesday, Lang::Ru) => "среда",
        (W::Thursday, Lang::Ru) => "четверг",
        (W::Friday, Lang::Ru) => "пятница",
        (W::Saturday, Lang::Ru) => "суббота",
        (W::Sunday, Lang::Ru) => "воскресенье",
        (W::Monday, Lang::En) => "Monday",
        (W::Tuesday, Lang::En) => "Tuesday",
        (W::Wednesday, Lang::En) => "Wednesday",
        (W::Thursday, Lang::En) => "Thursday",
        (W::Friday, Lang::En) => "Friday",
        (W::Saturday, Lang::En) => "Saturday",
        (W::Sunday, Lang::En) => "Sunday",
    }
}

fn month(lang: Lang, at: &ZonedDateTime) -> &'static str {
    let (russian, english) = match at.month() {
        1 => ("января", "January"),
        2 => ("февраля", "February"),
        3 => ("марта", "March"),
        4 => ("апреля", "April"),
        5 => ("мая", "May"),
        6 => ("июня", "June"),
        7 => ("июля", "July"),
        8 => ("августа", "August"),
        9 => ("сентября", "September"),
        10 => ("октября", "October"),
        11 => ("ноября", "November"),
        _ => ("декабря", "December"),
    };
    match lang {
        Lang::Ru => russian,
        Lang::En => english,
    }
}

/// The city of an IANA zone name, in the reader's language where we know it.
fn city(lang: Lang, zone: &str) -> String {
    let known = CITIES.iter().find(|(name, _)| *name == zone);
    match (known, lang) {
        (Some((_, russian)), Lang::Ru) => (*russian).to_owned(),
        _ => zone.rsplit('/').next().unwrap_or(zone).replace('_', " "),
    }
}

/// The zone of a city by its Russian name, in any case.
pub fn zone_of_city(name: &str) -> Option<&'static str> {
    let name = name.trim().to_lowercase().replace('ё', "е");
    let is_it = |russian: &str| russian.to_lowercase().replace('ё', "е") == name;
    CITIES.iter().find(|(_, russian)| is_it(russian)).map(|(zone, _)| *zone)
}

/// Russian names; a zone that is not here is called by the last part of its IANA name.
const CITIES: &[(&str, &str)] = &[
    ("Europe/Moscow", "Москва"),
    ("Europe/Kaliningrad", "Калининград"),
    ("Europe/Samara", "Самара"),
    ("Europe/Saratov", "Саратов"),
    ("Europe/Volgograd", "Волгоград"),
    ("Europe/Astrakhan", "Астрахань"),
    ("Europe/Ulyanovsk", "Ульяновск"),
    ("Europe/Kirov", "Киров"),
    ("Europe/Simferopol", "Симферополь"),
    ("Asia/Yekaterinburg", "Екатеринбург"),
    ("Asia/Omsk", "Омск"),
    ("Asia/Novosibirsk", "Новосибирск"),
    ("Asia/Barnaul", "Барнаул"),
    ("Asia/Tomsk", "Томск"),
    ("Asia/Novokuznetsk", "Новокузнецк"),
    ("Asia/Krasnoyarsk", "Красноярск"),
    ("Asia/Irkutsk", "Иркутск"),
    ("Asia/Chita", "Чита"),
    ("Asia/Yakutsk", "Якутск"),
    ("Asia/Khandyga", "Хандыга"),
    ("Asia/Vladivostok", "Владивосток"),
    ("Asia/Ust-Nera", "Усть-Нера"),
    ("Asia/Magadan", "Магадан"),
    ("Asia/Sakhalin", "Сахалин"),
    ("Asia/Srednekolymsk", "Среднеколымск"),
    ("Asia/Kamchatka", "Камчатка"),
    ("Asia/Anadyr", "Анадырь"),
    ("Europe/Minsk", "Минск"),
    ("Europe/Kyiv", "Киев"),
    ("Europe/Kiev", "Киев"),
    ("Europe/Chisinau", "Кишинёв"),
    ("Europe/Riga", "Рига"),
    ("Europe/Vilnius", "Вильнюс"),
    ("Europe/Tallinn", "Таллин"),
    ("Asia/Tbilisi", "Тбилиси"),
    ("Asia/Yerevan", "Ереван"),
    ("Asia/Baku", "Баку"),
    ("Asia/Almaty", "Алматы"),
    ("Asia/Qyzylorda", "Кызылорда"),
    ("Asia/Aqtau", "Актау"),
    ("Asia/Aqtobe", "Актобе"),
    ("Asia/Atyrau", "Атырау"),
    ("Asia/Oral", "Уральск"),
    ("Asia/Bishkek", "Бишкек"),
    ("Asia/Tashkent", "Ташкент"),
    ("Asia/Samarkand", "Самарканд"),
    ("Asia/Dushanbe", "Душанбе"),
    ("Asia/Ashgabat", "Ашхабад"),
    ("Asia/Jerusalem", "Иерусалим"),
    ("Asia/Dubai", "Дубай"),
    ("Asia/Bangkok", "Бангкок"),
    ("Asia/Shanghai", "Шанхай"),
    ("Asia/Tokyo", "Токио"),
    ("Asia/Seoul", "Сеул"),
    ("Asia/Kolkata", "Калькутта"),
    ("Asia/Singapore", "Сингапур"),
    ("Australia/Sydney", "Сидней"),
    ("Europe/Istanbul", "Стамбул"),
    ("Europe/Athens", "Афины"),
    ("Europe/Belgrade", "Белград"),
    ("Europe/Berlin", "Берлин"),
    ("Europe/Bucharest", "Бухарест"),
    ("Europe/Budapest", "Будапешт"),
    ("Europe/Helsinki", "Хельсинки"),
    ("Europe/Lisbon", "Лиссабон"),
    ("Europe/London", "Лондон"),
    ("Europe/Madrid", "Мадрид"),
    ("Europe/Paris", "Париж"),
    ("Europe/Prague", "Прага"),
    ("Europe/Rome", "Рим"),
    ("Europe/Sofia", "София"),
    ("Europe/Stockholm", "Стокгольм"),
    ("Europe/Vienna", "Вена"),
    ("Europe/Warsaw", "Варшава"),
    ("Europe/Zurich", "Цюрих"),
    ("America/New_York", "Нью-Йорк"),
    ("America/Chicago", "Чикаго"),
    ("America/Los_Angeles", "Лос-Анджелес"),
    ("America/Toronto", "Торонто"),
    ("America/Argentina/Buenos_Aires", "Буэнос-Айрес"),
    ("UTC", "всемирное время"),
    ("Etc/UTC", "всемирное время"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn telling(lang: Lang, zone: &str, now: &str) -> Telling {
        Telling { lang, zone: zone.to_owned(), now: now.parse().unwrap() }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn deadline_is_absolute_and_names_its_zone() {
        let ru = telling(Lang::Ru, "Europe/Moscow", "2025-12-02T12:40:12Z");
        assert_eq!(ru.deadline(at("2025-12-02T18:00:00Z")), "вторник, 2 декабря, 21:00 (Москва) — через 5 ч 19 мин");
        let en = telling(Lang::En, "Europe/Moscow", "2025-12-02T12:40:00Z");
        assert_eq!(en.deadline(at("2025-12-02T18:00:00Z")), "Tuesday, 2 December, 21:00 (Moscow), in 5 h 20 min");
    }

    #[test]
    fn past_time_has_no_relative_part_and_another_year_is_said() {
        let ru = telling(Lang::Ru, "Europe/Moscow", "2026-01-02T12:00:00Z");
        assert_eq!(ru.deadline(at("2025-12-30T18:00:30Z")), "вторник, 30 декабря 2025 года, 21:00:30 (Москва)");
        let en = telling(Lang::En, "Asia/Tokyo", "2026-01-02T12:00:00Z");
        assert_eq!(en.deadline(at("2025-12-30T18:00:00Z")), "Wednesday, 31 December 2025, 03:00 (Tokyo)");
    }

    #[test]
    fn change_of_clocks_on_the_way_is_said() {
        let ru = telling(Lang::Ru, "Europe/Berlin", "2026-03-28T20:00:00Z");
        assert_eq!(
            ru.deadline(at("2026-03-29T19:00:00Z")),
            "воскресенье, 29 марта, 21:00 (Берлин, с учётом перевода часов) — через 23 ч"
        );
        let en = telling(Lang::En, "America/New_York", "2026-10-31T20:00:00Z");
        assert!(en.deadline(at("2026-11-02T02:00:00Z")).contains("(New York, after the clocks change)"));
    }

    #[test]
    fn time_left_names_two_parts_at_most() {
        let cases = [
            (0, "меньше минуты"),
            (59, "меньше минуты"),
            (60, "1 мин"),
            (3600, "1 ч"),
            (5 * 3600 + 20 * 60, "5 ч 20 мин"),
            (86_400, "1 день"),
            (2 * 86_400 + 3 * 3600 + 59, "2 дня 3 ч"),
            (11 * 86_400 + 60, "11 дней"),
            (21 * 86_400 + 3600, "21 день 1 ч"),
        ];
        for (seconds, said) in cases {
            assert_eq!(time_left(Lang::Ru, seconds), said);
        }
    }

    #[test]
    fn plural_follows_russian_and_english_grammar() {
        for (n, form) in [(0, "голосов"), (1, "голос"), (2, "голоса"), (4, "голоса"), (5, "голосов"), (11, "голосов")]
        {
            assert_eq!(plural(Lang::Ru, n, "голос", "голоса", "голосов"), form, "{n}");
        }
        for (n, form) in [(12, "голосов"), (14, "голосов"), (21, "голос"), (22, "голоса"), (111, "голосов")]
        {
            assert_eq!(plural(Lang::Ru, n, "голос", "голоса", "голосов"), form, "{n}");
        }
        assert_eq!(plural(Lang::En, 1, "vote", "votes", "votes"), "vote");
        assert_eq!(plural(Lang::En, 21, "vote", "votes", "votes"), "votes");
    }

    #[test]
    fn arrival_has_seconds_and_its_day_when_not_today() {
        let ru = telling(Lang::Ru, "Europe/Moscow", "2025-12-02T12:41:00Z");
        assert_eq!(ru.arrival(at("2025-12-02T12:40:12Z")), "15:40:12");
        assert_eq!(ru.arrival(at("2025-12-01T12:40:12Z")), "15:40:12 (1 декабря)");
    }

    #[test]
    fn unknown_zone_reads_as_utc_and_does_not_panic() {
        let ru = telling(Lang::Ru, "Mars/Olympus_Mons", "2025-12-02T12:40:00Z");
        assert_eq!(ru.deadline(at("2025-12-02T11:00:00Z")), "вторник, 2 декабря, 11:00 (Olympus Mons)");
    }

    #[test]
    fn cities_are_zones_that_exist() {
        for (zone, _) in CITIES {
            assert!(TimeZone::get(zone).is_ok(), "{zone}");
        }
    }
}
