//! What must hold for any bytes and any text, and for a request in any typography.

use omerta::mail::parse::{LIMITS, parse};
use omerta::request::names::{Match, find, fold};
use omerta::request::own::own_pieces;
use omerta::request::read::{MAX_ITEMS, read};
use omerta::request::{Item, Word};
use proptest::prelude::*;
use proptest::sample::select;

/// Pieces of mail that get a parser into trouble, in any order.
fn mail_piece() -> impl Strategy<Value = Vec<u8>> {
    let known = select(vec![
        "From: a@b.test\r\n",
        "From: =?utf-8?B?0KHR?= <a@b>, c\r\n",
        "From:\n",
        "Subject: =?koi8-r?Q?=F3_?= =?x?B?&?=\n",
        "Content-Type: multipart/mixed; boundary=b\n",
        "Content-Type: multipart/alternative; boundary=\"b\"\n",
        "Content-Type: text/plain; charset=utf-16; format=flowed\n",
        "Content-Type: text/html\n",
        "Content-Type: message/rfc822\n",
        "Content-Type: ;;=;\"\n",
        "Content-Transfer-Encoding: base64\n",
        "Content-Transfer-Encoding: quoted-printable\n",
        "Return-Path: <>\n",
        "References: <a@b> <\n",
        "--b\n",
        "--b--\n",
        "\n",
        "\r\n",
        "\r",
        "\0",
        "=",
        "=?",
        "?=",
        "=D0",
        "0J7RhQ==\n",
        "<div>",
        "<blockquote>",
        "</p>",
        "<br",
        "&nbsp;",
        "&#x;",
        "Записка - Юнга: текст\n",
        "Суд Линча - Боцман \n",
        "> ",
        "-- \n",
        "\u{feff}",
        " ",
        "\t",
    ]);
    prop_oneof![4 => known.prop_map(|piece: &str| piece.as_bytes().to_vec()), 1 => proptest::collection::vec(any::<u8>(), 0..20)]
}

/// Pieces of letters.
fn text_piece() -> impl Strategy<Value = String> {
    let known = select(vec![
        "Суд Линча",
        "Охота",
        "Записка",
        "ЛС",
        "Клану",
        "Заявка",
        "Персонаж - ",
        "Характеристика: ",
        "Отмена",
        "Слово - ",
        "Да",
        "Конец",
        " - ",
        ":",
        "—",
        "Юнга",
        "барсук-77",
        "‹ник›",
        "|",
        "│ ",
        "> ",
        "-- ",
        "\n",
        "\n\n",
        "«",
        "»",
        "(для всех)",
        "27.11.2026 19:40, X пишет:",
        "От: x\nКому: y\nТема: z\n",
        "-----Исходное сообщение-----",
        "Отправлено с iPhone",
        "1. ",
        "• ",
        "\u{ad}",
        "\u{200b}",
        "\u{306}",
        "😀",
        ")",
        "?",
        ".",
    ]);
    prop_oneof![6 => known.prop_map(str::to_owned), 1 => ".{0,10}"]
}

fn body() -> impl Strategy<Value = String> {
    proptest::collection::vec(text_piece(), 0..40).prop_map(|pieces| pieces.concat())
}

/// A written request and the nick it is for, with typography that may not matter.
fn varied_request() -> impl Strategy<Value = (String, Word, &'static str)> {
    let word = select(vec![
        ("Суд Линча", Word::Lynch),
        ("голос", Word::Lynch),
        ("Охота", Word::Hunt),
        ("Лечение", Word::Heal),
        ("Убийство", Word::Kill),
        ("ПРОВЕРКА", Word::Check),
        ("Поиск", Word::Seek),
        ("Vote", Word::Lynch),
        ("hunt", Word::Hunt),
    ]);
    let nick = select(vec!["Боцман", "Кот-Баюн", "Рыжий Лис", "Nika", "Ёж", "Игрок 5"]);
    let bullet = select(vec!["", "- ", "• ", "1. ", "2) ", "* ", "\u{a0}", "👉 ", "\u{feff}"]);
    let separator =
        select(vec![" - ", " – ", " — ", " − ", " ‑ ", ": ", " : ", " -- ", " — ", "\u{a0}—\u{2009}", "  -  ", "— "]);
    let quotes = select(vec![("", ""), ("«", "»"), ("\"", "\""), ("“", "”"), ("„", "“"), ("'", "'"), ("‘", "’")]);
    let tail =
        select(vec!["", ".", "!", " ", " 😀", ".\u{a0}", " (для всех)", " (для всех кроме мафии).", " 👍🏽", ";", "…"]);
    let hidden = select(vec!["", "\u{ad}", "\u{200b}", "\u{2060}"]);
    (word, nick, bullet, separator, quotes, tail, hidden).prop_map(
        |((word, kind), nick, bullet, separator, (open, close), tail, hidden)| {
            let mut letters = nick.chars();
            let first = letters.next().map(String::from).unwrap_or_default();
            let rest = letters.as_str();
            (format!("{bullet}{word}{separator}{open}{first}{hidden}{rest}{close}{tail}"), kind, nick)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_a_letter(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let letter = parse(&bytes, None);
        prop_assert!(!letter.body.contains('\0') && !letter.subject.contains(['\0', '\n', '\r']));
    }

    #[test]
    fn any_mail_is_a_letter(pieces in proptest::collection::vec(mail_piece(), 0..60)) {
        let bytes = pieces.concat();
        let letter = parse(&bytes, Some("a@b.test"));
        prop_assert!(!letter.body.contains(['\0', '\r']) && letter.refers_to.len() <= LIMITS.references);
        let reading = read(&letter.subject, &letter.body);
        prop_assert!(reading.items.len() <= MAX_ITEMS);
    }

    #[test]
    fn any_text_is_read(subject in body(), body in body()) {
        let reading = read(&subject, &body);
        for item in &reading.items {
            if let Item::Request(request) = item {
                prop_assert!(request.argument.as_ref().is_none_or(|argument| !argument.trim().is_empty()));
                prop_assert!(request.text.as_ref().is_none_or(|text| !text.trim().is_empty()));
                prop_assert_eq!(request.text.is_some(), matches!(request.word, Word::Note | Word::Pm | Word::Clan));
            }
        }
    }

    #[test]
    fn any_unicode_is_read(subject in any::<String>(), body in any::<String>()) {
        read(&subject, &body);
        own_pieces(&body);
        fold(&body);
    }

    #[test]
    fn typography_never_changes_a_request((line, word, nick) in varied_request()) {
        let reading = read("", &line);
        let requests: Vec<_> = reading.requests().map(|request| (request.word, request.argument.as_deref())).collect();
        prop_assert_eq!(requests, vec![(word, Some(nick))]);
        prop_assert_eq!(reading.problems().count(), 0);
    }

    #[test]
    fn quoted_lines_are_never_requests((line, ..) in varied_request(), mark in select(vec!["> ", ">", ">> ", "│ ", "AB> "])) {
        prop_assert_eq!(read("", &format!("{mark}{line}")).items.len(), 0);
    }

    #[test]
    fn a_request_ends_a_text((line, word, nick) in varied_request()) {
        let body = format!("ЛС - Юнга: привет\n{line}");
        let reading = read("", &body);
        let words: Vec<_> = reading.requests().map(|request| (request.word, request.argument.as_deref())).collect();
        prop_assert_eq!(words, vec![(Word::Pm, Some("Юнга")), (word, Some(nick))]);
    }

    #[test]
    fn a_marked_line_is_always_text((line, ..) in varied_request()) {
        let body = format!("ЛС - Юнга: привет\n| {line}\nпока");
        let reading = read("", &body);
        prop_assert_eq!(reading.items.len(), 1);
    }

    #[test]
    fn whoever_is_named_exactly_folds_alike(nicks in proptest::collection::vec("[А-Яа-яA-Za-zёЁ -]{0,6}", 0..8), written in "[А-Яа-яA-Za-zёЁ -]{0,6}") {
        let nicks: Vec<&str> = nicks.iter().map(String::as_str).collect();
        match find(&nicks, &written) {
            Match::Exact(at) => {
                prop_assert_eq!(fold(nicks[at]), fold(&written));
                prop_assert_eq!(nicks.iter().filter(|nick| fold(nick) == fold(&written)).count(), 1);
            }
            Match::Near(at) => prop_assert!(at < nicks.len()),
            Match::Unknown { did_you_mean } => prop_assert!(did_you_mean.len() <= 3 && did_you_mean.iter().all(|at| *at < nicks.len())),
        }
    }

    #[test]
    fn folding_twice_is_folding_once(nick in any::<String>()) {
        let once = fold(&nick);
        prop_assert_eq!(fold(&once), once);
    }
}
