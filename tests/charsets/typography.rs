//! What phones put between letters, and lines that programs wrapped.

use omerta::mail::parse::parse;

use crate::said;

fn letter(kind: &str, body: &str) -> String {
    let head = format!("From: <p01@players.test>\r\nContent-Type: text/plain; charset=utf-8{kind}\r\n\r\n");
    said(&parse(format!("{head}{}", body.replace('\n', "\r\n")).as_bytes(), None))
}

#[test]
fn what_no_eye_sees_changes_nothing() {
    for (body, asked) in [
        // й and ё as two characters each, in the word and in the nick.
        ("Убии\u{306}ство - Андреи\u{306}", "kill Андрей"),
        ("Лечение - Семе\u{308}н", "heal Семён"),
        ("Су\u{ad}д Лин\u{ad}ча - Бо\u{ad}цман", "lynch Боцман"),
        ("\u{200b}Суд\u{200b} Линча\u{200d} - \u{200e}Аня\u{200f}", "lynch Аня"),
        ("Суд\u{a0}Линча\u{a0}-\u{a0}Аня\u{a0}", "lynch Аня"),
        ("Суд\u{202f}Линча\u{2009}–\u{2007}Аня", "lynch Аня"),
        ("\u{feff}Суд Линча - Аня", "lynch Аня"),
        ("Привет!\n\u{feff}Суд Ли\u{feff}нча - А\u{feff}ня\u{feff}", "lynch Аня"),
        ("\u{2060}Охота\u{2060} — «Аня»", "hunt Аня"),
    ] {
        assert_eq!(letter("", body), asked, "{}", body.escape_unicode());
    }
}

#[test]
fn flowed_lines_are_joined_but_requests_are_not() {
    for kind in ["; format=flowed", "; format=flowed; delsp=yes", "; format=\"Flowed\"; DelSp=Yes"] {
        for (body, asked) in [
            ("Суд Линча - Аня \nпривет всем \nи пока\n", "lynch Аня"),
            ("Суд Линча - Аня \nОхота - Боцман \n", "lynch Аня; hunt Боцман"),
            ("Доброе утро, \nСуд Линча - Аня \n", "lynch Аня"),
            ("> Ход 3 \n> начался \nСуд Линча - Аня \n", "lynch Аня"),
            (" Суд Линча - Аня \n-- \nОхота - Боцман\n", "lynch Аня; BelowSignature"),
            ("\u{200b}Суд Линча - Аня \nпривет \n", "lynch Аня"),
        ] {
            assert_eq!(letter(kind, body), asked, "{kind} {body}");
        }
    }
    let wrapped = "Записка - Аня: прощай  \nи прости\n";
    assert_eq!(letter("; format=flowed; delsp=yes", wrapped), "note Аня = прощай и прости");
}
