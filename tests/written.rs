//! What was written, by people and their programs: each trap that real mail sets, one after the other, in letters of our own
//! making. The wide tables stand in tests/replies (quotes), tests/charsets (letters) and tests/requests.rs (lines).

#![cfg(test)]

mod house;

use house::{House, address};
use omerta::mail::parse::parse;
use omerta::request::read::read;
use omerta::request::words::kind_name;
use omerta::rules::Role;

/// What a letter asks for, in short: `lynch Аня; hunt Кок`.
fn asked(letter: &[u8]) -> String {
    let letter = parse(letter, None);
    let reading = read(&letter.subject, &letter.body);
    let requests = reading.requests().map(|request| match &request.argument {
        Some(argument) => format!("{} {argument}", kind_name(request.word)),
        None => kind_name(request.word).to_owned(),
    });
    requests.collect::<Vec<_>>().join("; ")
}

fn letter(head: &str, body: &[u8]) -> Vec<u8> {
    [b"From: <p01@players.test>\r\n", head.as_bytes(), b"\r\n\r\n", body].concat()
}

fn plain(body: &str) -> Vec<u8> {
    letter("Content-Type: text/plain; charset=utf-8", body.replace('\n', "\r\n").as_bytes())
}

fn page(html: &str) -> Vec<u8> {
    letter("Content-Type: text/html; charset=utf-8", html.as_bytes())
}

const QUOTED: &str = "Суд Линча - Боцман";

#[test]
fn quotes_at_any_depth_and_in_any_frame() {
    for mark in [">", "> ", ">>", "> > ", ">>> ", " > ", "AB> ", "АБ> ", ">>>>>>>>>> "] {
        assert_eq!(asked(&plain(&format!("Охота - Кок\n{mark}{QUOTED}\nСтатус"))), "hunt Кок; status", "{mark}");
    }
    for header in [
        "-----Исходное сообщение-----",
        "-------- Пересылаемое сообщение --------",
        "От: Омерта <a@b.test>\nОтправлено: 27 ноября 2026 г.\nКому: c@d.test\nТема: ход 3",
        "From: Omerta\nSent: Friday\nTo: c@d.test\nSubject: turn 3",
    ] {
        assert_eq!(asked(&plain(&format!("Охота - Кок\n\n{header}\n\n{QUOTED}"))), "hunt Кок", "{header}");
    }
    for html in [
        "<p>Охота - Кок</p><blockquote><p>QUOTED</p></blockquote>",
        "<div>Охота - Кок</div><div class=\"gmail_quote\"><div>QUOTED</div></div>",
        "<div>Охота - Кок</div><div id=\"divRplyFwdMsg\"><b>От:</b> X</div><div>QUOTED</div>",
        "<p>Охота - Кок</p><div class=\"moz-cite-prefix\">QUOTED<br></div>",
    ] {
        assert_eq!(asked(&page(&html.replace("QUOTED", QUOTED))), "hunt Кок", "{html}");
    }
}

/// Each above a quote with marks, where the letter goes on below, and above one without, where it does not.
#[test]
fn attribution_lines_of_every_program_wrapped_or_not() {
    for attribution in [
        "понедельник, 6 октября 2014 г. пользователь X написал:",
        "ср, 30 апр. 2025 г. в 15:19, X <a@b.test>:",
        "26.06.2014, 14:41, \"X\" <a@b.test>:",
        "Среда, 30 апреля 2025, 15:19 +03:00 от X <a@b.test>:",
        "30 апр. 2025 г., в 15:19, X <a@b.test> написал(а):",
        "30.04.2025 15:19, X пишет:",
        "X писал(а) 30.04.2025 15:19:",
        "Здравствуйте, X. Вы писали 30 апреля 2025 г., 15:19:",
        "Здравствуйте, X.\n\nВы писали 30 апреля 2025 г., 15:19:",
        "On Wed, 30 Apr 2025 at 15:19, X <a@b.test> wrote:",
        "30.04.2025 15:19, X пише:",
        "понедельник, 6 октября 2014 г. пользователь Ведущая игры\nОмерта написал:",
        "ср, 30 апр. 2025 г. в 15:19, Ведущая игры\n<a@b.test>:",
        "30 апр. 2025 г., в 15:19, Ведущая\n<a@b.test>\nнаписал(а):",
        "On Wed, 30 Apr 2025 at 15:19, X\n<a@b.test>\nwrote:",
    ] {
        let marked = format!("Охота - Кок\n\n{attribution}\n\n> {QUOTED}\n\nСтатус");
        assert_eq!(asked(&plain(&marked)), "hunt Кок; status", "{attribution}");
        let unmarked = format!("Охота - Кок\n\n{attribution}\n\n{QUOTED}\n\nСтатус");
        assert_eq!(asked(&plain(&unmarked)), "hunt Кок", "unmarked: {attribution}");
    }
}

#[test]
fn above_between_and_below_quotes_a_request_is_real_and_behind_a_footer_none_is() {
    let body = format!("Охота - Кок\n> {QUOTED}\nСтатус\n> {QUOTED}\nИгроки");
    assert_eq!(asked(&plain(&body)), "hunt Кок; status; players");
    for footer in [
        "-- ",
        "--",
        "Отправлено с iPhone",
        "Отправлено из мобильной Яндекс Почты",
        "Отправлено из Почты Mail",
        "Отправлено из Почты Mail.ru",
        "Sent from my iPhone",
        "Sent from TypeApp<http://x.test/r>",
    ] {
        let letter = plain(&format!("Охота - Кок\n\n{footer}\n{QUOTED}"));
        assert_eq!(asked(&letter), "hunt Кок", "{footer}");
        let reading = read("", &parse(&letter, None).body);
        assert_eq!(reading.problems().count(), 1, "its writer is told: {footer}");
        let below = format!("Охота - Кок\n\n{footer}\n\n> {QUOTED}\n\nСтатус\n\n{footer}");
        assert_eq!(asked(&plain(&below)), "hunt Кок; status", "{footer}");
    }
    for prose in ["Sent from my custom mailer", "Отправлено с любовью", "Sent from heaven"] {
        assert_eq!(asked(&plain(&format!("{prose}\nОхота - Кок"))), "hunt Кок", "{prose}");
    }
}

#[test]
fn charsets_declared_and_not_in_body_and_subject() {
    for label in ["koi8-r", "koi8-u", "windows-1251", "iso-8859-5", "cp866", "x-mac-cyrillic", "utf-8"] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let bytes = encoding.encode("Суд Линча - Анечка, она хитрая").0;
        let bytes = bytes.split(|byte| *byte == b',').next().unwrap();
        for kind in [format!("; charset={label}"), String::new(), "; charset=iso-8859-1".to_owned()] {
            let mail = letter(&format!("Content-Type: text/plain{kind}"), bytes);
            assert_eq!(asked(&mail), "lynch Анечка", "{label}{kind}");
        }
        // A raw subject of eight bits, and encoded words that end inside a letter.
        let subject = [b"From: <p01@players.test>\r\nSubject: ", bytes, b"\r\n\r\n"].concat();
        assert_eq!(asked(&subject), "lynch Анечка", "{label}, raw");
        let words: Vec<String> =
            bytes.chunks(7).map(|chunk| format!("=?{label}?B?{}?=", data_encoding::BASE64.encode(chunk))).collect();
        let subject = letter(&format!("Subject: {}", words.join("\r\n ")), b"");
        assert_eq!(asked(&subject), "lynch Анечка", "{label}, in words");
    }
}

#[test]
fn other_names_of_charsets_are_known() {
    for (label, name) in [
        ("cp1251", "windows-1251"),
        ("win-1251", "windows-1251"),
        ("Windows1251", "windows-1251"),
        ("KOI8R", "koi8-r"),
        ("koi8", "koi8-r"),
        ("cp-866", "ibm866"),
        ("866", "ibm866"),
        ("mac-cyrillic", "x-mac-cyrillic"),
        ("ISO_8859-5", "iso-8859-5"),
        ("utf8", "utf-8"),
    ] {
        let bytes = encoding_rs::Encoding::for_label(name.as_bytes()).unwrap().encode("Суд Линча - Анечка").0;
        let mail = letter(&format!("Content-Type: text/plain; charset={label}"), &bytes);
        let charset = parse(&mail, None).charset;
        assert_eq!((asked(&mail).as_str(), charset.name.as_str(), charset.guessed), ("lynch Анечка", name, false));
    }
}

/// The soft line ends stand in the decoded text: `=20` is one, and a soft break of the transfer encoding is none.
#[test]
fn flowed_lines_are_joined_after_the_transfer_decoding_and_by_depth() {
    let head = |more: &str| {
        format!(
            "Content-Type: text/plain; charset=utf-8; format=flowed{more}\r\nContent-Transfer-Encoding: quoted-printable"
        )
    };
    let coded = |text: &str| -> String {
        text.bytes().map(|b| if b.is_ascii() { char::from(b).to_string() } else { format!("={b:02X}") }).collect()
    };
    let text = |mail: &[u8]| {
        let reading = read("", &parse(mail, None).body);
        reading.requests().filter_map(|request| request.text.clone()).collect::<Vec<_>>().join("|")
    };
    for (more, body, expected) in [
        ("", "Записка - Кок: прощай,=20\r\nмой=\r\n друг\r\n", "прощай, мой друг"),
        ("; delsp=yes", "Записка - Кок: про=20\r\nщай\r\n", "прощай"),
        ("", "Записка - Кок: прощай=20\r\n> чужое=20\r\nмоё\r\n", "прощай"),
    ] {
        assert_eq!(text(&letter(&head(more), coded(body).as_bytes())), expected, "{more} {body}");
    }
    for more in ["", "; delsp=yes"] {
        let body = coded("Суд Линча - Кок=20\r\nОхота - Юнга=20\r\nвсем привет\r\n");
        assert_eq!(asked(&letter(&head(more), body.as_bytes())), "lynch Кок; hunt Юнга");
    }
}

#[test]
fn pages_are_lines_without_styles_and_scripts() {
    for html in [
        "Охота - Кок<br>Статус",
        "<p>Охота - Кок</p><p>Статус</p>",
        "<div>Охота - Кок</div><div>Статус</div>",
        "<ul><li>Охота - Кок</li><li>Статус</li></ul>",
        "<table><tr><td>Охота - Кок</td></tr><tr><td>Статус</td></tr></table>",
        "<div>Охота&nbsp;-&nbsp;Кок</div><div>&nbsp;Статус&#160;</div>",
        "<style>Игроки</style><script>document.write('Игроки')</script><div>Охота - Кок</div>Статус",
    ] {
        assert_eq!(asked(&page(html)), "hunt Кок; status", "{html}");
    }
}

#[test]
fn what_phones_make_of_a_line_changes_nothing() {
    for body in [
        "Суд Линча — Саня",
        "Суд Линча -- Саня",
        "Суд Линча - «Саня»",
        "Суд Линча - “Саня”",
        "Суд\u{a0}Линча\u{a0}-\u{a0}Саня",
        "\u{200b}Суд Линча\u{200d} - \u{feff}Саня",
        "Суд Линча - Саня 👍",
        "Су\u{ad}д Лин\u{ad}ча - Са\u{ad}ня",
        // The first letter of each word is Latin.
        "Cуд Линча - Cаня",
    ] {
        let reading = read("", &parse(&plain(body), None).body);
        let nicks: Vec<_> = reading.requests().filter_map(|request| request.argument.clone()).collect();
        let nick = nicks.first().map(String::as_str).unwrap_or_default();
        let found = omerta::request::names::find(&["Боцман", "Саня"], nick);
        assert_eq!(found, omerta::request::names::Match::Exact(1), "{body}");
    }
    assert_eq!(asked(&plain("Убии\u{306}ство - Андреи\u{306}")), "kill Андрей");
}

#[test]
fn a_subject_behind_any_prefix_is_never_acted_on() {
    for prefix in ["Re:", "Fwd:", "FW:", "Отв:", "Ответ:", "Пересл:", "HA:", "НА:", "RE[3]:", "Re: Отв:"]
    {
        let mail = letter(&format!("Subject: {prefix} {QUOTED}"), "привет".as_bytes());
        let letter = parse(&mail, None);
        let reading = read(&letter.subject, &letter.body);
        assert_eq!((reading.requests().count(), reading.problems().count()), (0, 1), "{prefix}");
    }
    assert_eq!(asked(&letter(&format!("Subject: {QUOTED}"), "привет".as_bytes())), "lynch Боцман");
}

const TOWN: [(&str, Role); 6] = [
    ("Сапожник", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Жанна", Role::Citizen),
    ("Егор", Role::Citizen),
    ("Лев", Role::Citizen),
];

/// What was understood otherwise than it was written, or not at all, is told to its writer.
#[test]
fn receipts_tell_of_guesses_and_of_lines_under_a_footer() {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.close("palermo");
    let koi8 = encoding_rs::KOI8_R.encode("Суд Линча - Сапожник\r\nОн мне никогда не нравился.\r\n").0;
    let head = format!(
        "Return-Path: <{0}>\r\nFrom: <{0}>\r\nSubject: [palermo]\r\nMessage-ID: <k@x.test>\r\n\r\n",
        address("palermo", 1)
    );
    let raw = [head.as_bytes(), &koi8].concat();
    let now = house.now();
    house.drop_in(&raw, now, 1);
    house.write("palermo", 2, "Голос - Сапожника");
    house.write("palermo", 3, "голосую за Сапожника");
    house.write("palermo", 4, "Охота - Вера\n\n> Ход 2\n\nОтправлено с iPhone\n\nСуд Линча - Сапожник");
    house.write("palermo", 5, "Отправлено с iPhone\n\n> Ход 2\n\nСуд Линча - Сапожник");
    house.round();
    // The bytes are kept as they came, whatever they were read as.
    let kept: i64 = rusqlite::Connection::open(house.folder.join("omerta.db"))
        .unwrap()
        .query_row("SELECT count(*) FROM letter_bytes WHERE raw = ?1", [&raw], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, 1);
    let told = |player: u16, kind: &str| house.last("palermo", player, kind).body.replace('\n', " ");
    let body = told(1, "receipt");
    assert!(body.contains("угадывать: koi8-r") && body.contains("Ваш голос: игрок Сапожник"), "{body}");
    let body = told(2, "receipt");
    assert!(body.contains("понято как «Сапожник»") && body.contains("Ваш голос: игрок Сапожник"), "{body}");
    let body = told(3, "help");
    assert!(body.contains("заявки в нём мы не нашли") && body.contains("Суд Линча - ‹ник›"), "{body}");
    let body = told(4, "receipt");
    assert!(body.contains("ниже подписи") && body.contains("Голоса на суде Линча от вас ещё нет"), "{body}");
    assert!(told(5, "receipt").contains("Ваш голос: игрок Сапожник"));
}
