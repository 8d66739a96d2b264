//! Letters as files (tests/mail/*.eml) against the right answers beside them (.json), through `omerta parse --json`'s own
//! words; and letters made here, for what a file would only hide.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;

use omerta::mail::Automatic;
use omerta::mail::parse::parse;
use omerta::request::read::read;
use omerta::request::words::kind_name;
use serde_json::{Value, json};

/// A letter as `omerta parse --json` shows it, problems as their number.
fn parsed(bytes: &[u8]) -> Value {
    let said: Value = serde_json::from_str(&omerta::cli::parse::json_line("x.eml", bytes)).unwrap();
    let mut said = said.as_object().unwrap().clone();
    let problems = said.get("problems").and_then(Value::as_array).unwrap().len();
    said.insert("problems".to_owned(), json!(problems));
    Value::Object(said)
}

#[test]
fn every_letter_reads_as_its_answer_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mail");
    let mut letters = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "eml") {
            continue;
        }
        letters += 1;
        let expected: Value = serde_json::from_slice(&std::fs::read(path.with_extension("json")).unwrap()).unwrap();
        let said = parsed(&std::fs::read(&path).unwrap());
        for (key, value) in expected.as_object().expect("an object") {
            assert_eq!(said.get(key), Some(value), "{key} of {}", path.display());
        }
    }
    assert!(letters >= 17, "the letters are gone");
}

/// Requests of a letter in short: `lynch Боцман; note Юнга = текст`.
fn requests(letter: &[u8]) -> String {
    let incoming = parse(letter, None);
    let reading = read(&incoming.subject, &incoming.body);
    let requests = reading.requests().map(|request| {
        let part =
            |mark: &str, value: &Option<String>| value.as_ref().map(|v| format!("{mark}{v}")).unwrap_or_default();
        format!("{}{}{}", kind_name(request.word), part(" ", &request.argument), part(" = ", &request.text))
    });
    requests.collect::<Vec<_>>().join("; ")
}

fn letter(headers: &str, body: &str) -> Vec<u8> {
    format!("From: p01@game.test\r\nTo: game@game.test\r\n{headers}\r\n\r\n{body}")
        .replace('\n', "\r\n")
        .replace("\r\r", "\r")
        .into_bytes()
}

const LETTER: &str = "Суд Линча - Боцман\nТак будет лучше для всех, поверьте.\n";

#[test]
fn every_charset_in_every_transfer_encoding() {
    for label in
        ["koi8-r", "koi8-u", "windows-1251", "iso-8859-5", "cp866", "x-mac-cyrillic", "utf-8", "utf-16le", "utf-16be"]
    {
        let bytes = match label {
            "utf-16le" => LETTER.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "utf-16be" => LETTER.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            _ => encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(LETTER).0.into_owned(),
        };
        for transfer in ["8bit", "quoted-printable", "base64"] {
            if transfer == "8bit" && label.starts_with("utf-16") {
                continue;
            }
            for declared in
                [format!("; charset={label}"), format!("; charset=\"{}\"", label.to_uppercase()), String::new()]
            {
                let encoded = match transfer {
                    "base64" => data_encoding::BASE64.encode(&bytes).into_bytes(),
                    "quoted-printable" => bytes.iter().flat_map(|b| format!("={b:02X}").into_bytes()).collect(),
                    _ => bytes.clone(),
                };
                let mut mail =
                    letter(&format!("Content-Type: text/plain{declared}\nContent-Transfer-Encoding: {transfer}"), "");
                mail.extend(encoded);
                assert_eq!(requests(&mail), "lynch Боцман", "{label} {transfer} {declared}");
                let incoming = parse(&mail, None);
                assert_eq!(incoming.body, LETTER.trim_end(), "{label} {transfer} {declared}");
                assert_eq!(incoming.charset.guessed, declared.is_empty(), "{label} {transfer} {declared}");
            }
        }
    }
}

#[test]
fn parts_are_chosen_as_a_reader_would() {
    let plain = "Content-Type: text/plain; charset=utf-8\n\n";
    let html = "Content-Type: text/html; charset=utf-8\n\n";
    let multipart = |kind: &str, parts: &[String]| {
        let body: String = parts.iter().map(|part| format!("--b\n{part}\n")).collect();
        letter(&format!("Content-Type: multipart/{kind}; boundary=b"), &format!("{body}--b--\n"))
    };
    for (mail, expected) in [
        (multipart("alternative", &[format!("{plain}Охота - Кок"), format!("{html}<p>Охота - Юнга</p>")]), "hunt Кок"),
        (multipart("alternative", &[format!("{html}<p>Охота - Юнга</p>"), format!("{plain}Охота - Кок")]), "hunt Кок"),
        (multipart("alternative", &[format!("{plain}\u{a0}\n\n"), format!("{html}<p>Охота - Юнга</p>")]), "hunt Юнга"),
        (multipart("mixed", &[format!("{plain}Охота - Кок"), format!("{plain}Статус")]), "hunt Кок; status"),
        (
            multipart(
                "mixed",
                &[
                    format!("{plain}Охота - Кок"),
                    "Content-Type: text/plain\nContent-Disposition: attachment; filename=x.txt\n\nСтатус".to_owned(),
                    "Content-Type: message/rfc822\n\nSubject: x\n\nСтатус".to_owned(),
                ],
            ),
            "hunt Кок",
        ),
        (
            multipart("related", &[format!("{html}Охота - Кок"), "Content-Type: image/png\n\nСтатус".to_owned()]),
            "hunt Кок",
        ),
        (letter("Content-Type: multipart/mixed; boundary=never", "Охота - Кок"), "hunt Кок"),
        (letter("Content-Type: multipart/mixed", "Охота - Кок"), "hunt Кок"),
        (letter("Content-Type: multipart/mixed; boundary=b", "--b\n\nОхота - Кок"), "hunt Кок"),
        (letter("Content-Type: nonsense", "Охота - Кок"), "hunt Кок"),
        (letter("X: y", "Охота - Кок"), "hunt Кок"),
        (letter("Content-Transfer-Encoding: base64", "Охота - Кок"), "hunt Кок"),
        ("From: p01@game.test\r\rОхота - Кок\rСтатус".as_bytes().to_vec(), "hunt Кок; status"),
        (
            letter("Content-Type: text/plain; format=flowed", "Суд Линча - Боцман \nОхота - Кок \nпривет"),
            "lynch Боцман; hunt Кок",
        ),
        (
            letter("Content-Type: text/plain; format=flowed; delsp=yes", "ЛС - Кок: при \nвет \n> Статус"),
            "pm Кок = привет",
        ),
    ] {
        assert_eq!(requests(&mail), expected, "{}", String::from_utf8_lossy(&mail));
    }
}

#[test]
fn automatic_mail_is_known() {
    use Automatic::{AutoReply, Bounce, List, Own};
    for (headers, automatic) in [
        ("X: y", None),
        ("Return-Path: <>", Some(AutoReply)),
        ("Return-Path: < >", Some(AutoReply)),
        ("Return-Path: <p01@game.test>", None),
        ("Auto-Submitted: auto-replied", Some(AutoReply)),
        ("Auto-Submitted: auto-generated; x=y", Some(AutoReply)),
        ("Auto-Submitted: No", None),
        ("Auto-Submitted: no (a person)", None),
        ("Precedence: bulk", Some(AutoReply)),
        ("Precedence: junk", Some(AutoReply)),
        ("Precedence: list", Some(AutoReply)),
        ("Precedence: auto_reply", Some(AutoReply)),
        ("Precedence: first-class", None),
        ("List-Id: <x.game.test>", Some(List)),
        ("List-Id: <x.game.test>\nPrecedence: list", Some(List)),
        ("X-Auto-Response-Suppress: All", None),
        ("Content-Type: multipart/report; report-type=delivery-status; boundary=b", Some(Bounce)),
        ("Content-Type: multipart/report; boundary=b\nReturn-Path: <>\nAuto-Submitted: auto-replied", Some(Bounce)),
        ("Content-Type: multipart/report; report-type=disposition-notification; boundary=b", Some(AutoReply)),
        ("X-Loop: omerta", Some(Own)),
        ("X-Loop: somebody@else.test", None),
        ("X-Omerta-Letter: receipt\nAuto-Submitted: auto-replied\nList-Id: <x>", Some(Own)),
    ] {
        assert_eq!(parse(&letter(headers, "Да"), None).automatic, automatic, "{headers}");
    }
    let received = |count: usize| letter(&vec!["Received: from a by b"; count].join("\n"), "Да");
    assert_eq!(parse(&received(50), None).automatic, None);
    assert_eq!(parse(&received(51), None).automatic, Some(AutoReply));
    assert_eq!(parse(&letter("X: y", "Да"), Some("P01@Game.test")).automatic, Some(Own));
    let bounce = b"From: MAILER-DAEMON@mx.test\r\n\r\n\xd0\x94\xd0\xb0";
    assert_eq!(parse(bounce, None).automatic, Some(Bounce));
}

#[test]
fn the_sender_is_one_or_none() {
    for (headers, from) in [
        ("From: A <P01@Game.Test>", Some("p01@game.test")),
        ("From: a@b.test\nFrom: c@d.test", None),
        ("From: a@b.test, c@d.test", None),
        ("From: team: a@b.test;", None),
        ("From:", None),
        ("X: y", None),
    ] {
        let mail = format!("{headers}\n\nДа");
        assert_eq!(parse(mail.as_bytes(), None).from.as_deref(), from, "{headers}");
    }
}

#[test]
fn one_letter_is_known_again_by_its_body() {
    let once = parse(&letter("X: y", "Охота - Кок\n"), None);
    let again = parse(b"Received: from elsewhere\nFrom: p01@game.test\n\n\xd0\x9e\xd1\x85\xd0\xbe\xd1\x82\xd0\xb0 - \xd0\x9a\xd0\xbe\xd0\xba", None);
    assert_eq!(once.body_hash, again.body_hash);
    let encoded = parse(
        &letter("Content-Transfer-Encoding: base64", &data_encoding::BASE64.encode("Охота - Кок".as_bytes())),
        None,
    );
    assert_eq!(once.body_hash, encoded.body_hash);
    assert_ne!(once.body_hash, parse(&letter("X: y", "Охота - Юнга"), None).body_hash);
}

#[test]
fn an_unreadable_letter_says_so() {
    for (headers, body) in [
        ("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64", "!!!! ????"),
        (
            "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable",
            "=FF=FD=80=81=82=FF=FF=FE=98",
        ),
        ("Content-Type: multipart/encrypted; boundary=b", "--b\nContent-Type: application/octet-stream\n\nxyz\n--b--"),
        ("Content-Type: application/pkcs7-mime", "xyz"),
    ] {
        let mail = letter(headers, body);
        assert!(parse(&mail, None).undecodable, "{headers}");
        assert_eq!(parsed(&mail).get("problems"), Some(&json!(1)), "{headers}");
    }
    assert!(!parse(&letter("Content-Type: image/png", "xyz"), None).undecodable);
}

#[test]
fn work_is_bounded() {
    let nested: String =
        (0..20_000).map(|i| format!("Content-Type: multipart/mixed; boundary=b{i}\n\n--b{i}\n")).collect();
    let inside = "Content-Type: message/rfc822\n\n".repeat(100_000);
    let wide = "Content-Type: multipart/mixed; boundary=b\n\n".to_owned() + &"--b\n\nОхота - Кок\n".repeat(50_000);
    let long_line = "\n".to_owned() + &"Охота - ".repeat(400_000);
    let headers = "X: y\n".repeat(200_000);
    let deep_html = "Content-Type: text/html\n\n".to_owned() + &"<div><blockquote>".repeat(100_000);
    for mail in [nested, inside, wide, long_line, headers, deep_html] {
        let incoming = parse(mail.as_bytes(), None);
        assert!(incoming.body.len() <= 4 * omerta::mail::parse::LIMITS.text);
    }
}
