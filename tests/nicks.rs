//! Whom a nick means, over rosters of any kind: what is taken without a remark differs by folding alone, and nobody is
//! taken for another player.

#![cfg(test)]

mod house;

use house::House;
use omerta::request::names::{Match, find, fold};
use omerta::rules::Role;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const POOL: &[&str] = &[
    "Саша",
    "Паша",
    "Анна",
    "Анно",
    "Дон",
    "Дон Педро",
    "Лис",
    "Лиса",
    "Рыжий Лис",
    "Сапожник",
    "Сапёр",
    "Боцман",
    "Боцманша",
    "Кот-Баюн",
    "Юля",
    "Юлия",
    "Александр",
    "Александра",
    "Отец",
    "Лев",
    "Игорь",
    "Nika",
    "Игрок 5",
    "Игрок 6",
    "Мария",
    "Марина",
    "Белая Ворона",
    "Чёрный Кот",
];

/// Nicks of the pool, each with its accusative or dative.
const DECLINED: &[(&str, &[&str])] = &[
    ("Саша", &["Сашу", "Саше", "Сашей"]),
    ("Паша", &["Пашу", "Паше"]),
    ("Анна", &["Анну", "Анне", "Анны", "Анной"]),
    ("Анно", &["Анну"]),
    ("Дон", &["Дона", "Дону"]),
    ("Дон Педро", &["Дона Педро", "Дону Педро"]),
    ("Лис", &["Лиса", "Лису", "Лисом"]),
    ("Лиса", &["Лису", "Лисе", "Лисой"]),
    ("Рыжий Лис", &["Рыжего Лиса", "Рыжему Лису"]),
    ("Сапожник", &["Сапожника", "Сапожнику", "Сапожником"]),
    ("Сапёр", &["Сапёра", "Саперу"]),
    ("Боцман", &["Боцмана", "Боцману"]),
    ("Боцманша", &["Боцманшу", "Боцманше"]),
    ("Юля", &["Юлю", "Юле"]),
    ("Юлия", &["Юлию", "Юлии"]),
    ("Александр", &["Александра", "Александру"]),
    ("Александра", &["Александру", "Александре"]),
    ("Отец", &["Отца", "Отцу"]),
    ("Лев", &["Льва", "Льву"]),
    ("Игорь", &["Игоря", "Игорю"]),
    ("Белая Ворона", &["Белую Ворону", "Белой Вороне"]),
    ("Чёрный Кот", &["Черного Кота", "Чёрному коту"]),
];

fn roster() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(POOL, 1..=POOL.len())
}

/// One slip of the finger in a nick.
fn slipped(nick: &str, at: usize, with: char, how: usize) -> String {
    let mut letters: Vec<char> = nick.chars().collect();
    let at = at % letters.len();
    match how % 4 {
        0 => letters[at] = with,
        1 => letters.insert(at, with),
        2 => drop(letters.remove(at)),
        _ if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => {}
    }
    letters.into_iter().collect()
}

proptest! {
    #[test]
    fn a_case_is_its_own_players_or_nobodys((nick, cases) in select(DECLINED), which in any::<usize>(), mut others in roster()) {
        others.retain(|other| other != &nick);
        let written = cases[which % cases.len()];
        let alone = find(&[nick], written);
        prop_assert_eq!(alone, Match::Near(0), "{} of {} alone", written, nick);
        others.push(nick);
        match find(&others, written) {
            // «Лиса» is a nick of its own.
            Match::Exact(at) => prop_assert_eq!(fold(others[at]), fold(written)),
            Match::Near(at) => prop_assert_eq!(others[at], nick, "{} in {:?}", written, others),
            Match::Unknown { did_you_mean } => prop_assert!(!did_you_mean.is_empty()),
        }
    }

    #[test]
    fn a_slip_never_names_another_player(nicks in roster(), who in any::<usize>(), at in any::<usize>(), with in select(vec!['а', 'у', 'н', 'п', 'x', 'ш']), how in any::<usize>()) {
        let meant = who % nicks.len();
        let written = slipped(nicks[meant], at, with, how);
        match find(&nicks, &written) {
            Match::Exact(found) => prop_assert_eq!(fold(nicks[found]), fold(&written)),
            Match::Near(found) => prop_assert_eq!(found, meant, "{} in {:?}", written, nicks),
            Match::Unknown { did_you_mean } => prop_assert!(did_you_mean.len() <= 3),
        }
    }

    #[test]
    fn nobody_is_taken_for_another(nicks in roster(), who in any::<usize>()) {
        let meant = who % nicks.len();
        prop_assert_eq!(find(&nicks, nicks[meant]), Match::Exact(meant));
        prop_assert_eq!(find(&nicks, &nicks[meant].to_uppercase()), Match::Exact(meant));
    }
}

const TOWN: [(&str, Role); 8] = [
    ("Сапожник", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Дон Педро", Role::Citizen),
    ("Саша", Role::Citizen),
    ("Паша", Role::Citizen),
    ("Жанна", Role::Citizen),
    ("Егор", Role::Citizen),
];

#[test]
fn the_receipt_says_how_a_nick_was_understood() {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.close("palermo");
    house.write("palermo", 0, "Суд Линча - Дона Педро\nОхота - Веру");
    house.write("palermo", 2, "Суд Линча - Сапожник");
    house.write("palermo", 3, "Суд Линча - Ваша");
    house.write("palermo", 4, "Праверка - Вера\nОтмена - Записка");
    house.write("palermo", 6, &"Статус\n".repeat(2000));
    house.round();
    let body = house.last("palermo", 0, "receipt").body;
    assert!(body.contains("понято как «Дон Педро»") && body.contains("понято как «Вера»"), "{body}");
    assert!(body.contains("Ваш голос: игрок Дон Педро"), "{body}");
    assert!(!house.last("palermo", 2, "receipt").body.contains("понято как"));
    let body = house.last("palermo", 3, "receipt").body;
    assert!(body.contains("игрок Саша") && body.contains("игрок Паша") && !body.contains("понято как"), "{body}");
    let body = house.last("palermo", 4, "receipt").body;
    assert!(body.contains("Проверка - ‹ник›") && body.contains("записку отозвать нельзя"), "{body}");
    let body = house.last("palermo", 6, "answer").body;
    assert_eq!(body.matches("живых игроков").count(), 1, "{body}");
    assert!(body.len() < 4000, "{}", body.len());
}

/// Every letter of a folder is answered or is automatic: `OMERTA_CORPUS=DIR cargo test --test nicks -- --ignored`.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test is told where its letters lie")]
#[ignore = "needs OMERTA_CORPUS=DIR, a folder of letters"]
fn every_letter_of_a_corpus_has_an_answer() {
    let mut folders = vec![std::path::PathBuf::from(std::env::var_os("OMERTA_CORPUS").unwrap())];
    let mut counts = std::collections::BTreeMap::<&str, u32>::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let begun = std::time::Instant::now();
            let bytes = std::fs::read(&path).unwrap();
            let line = omerta::cli::parse::json_line("letter", &bytes);
            let said: serde_json::Value = serde_json::from_str(&line).unwrap();
            let some = |key: &str| said[key].as_array().is_some_and(|list| !list.is_empty());
            let kind = match () {
                () if !said["automatic"].is_null() => "automatic",
                () if some("requests") => "requests",
                () if some("problems") => "problems",
                () => "prose",
            };
            *counts.entry(kind).or_default() += 1;
            assert!(begun.elapsed().as_secs() < 10, "{} takes {:?}", path.display(), begun.elapsed());
        }
    }
    eprintln!("{counts:?}");
    assert!(!counts.is_empty());
}
