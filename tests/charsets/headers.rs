//! Encoded words and what programs make of them.

use omerta::mail::parse::parse;

use crate::said;

fn letter(headers: &[u8]) -> omerta::mail::Incoming {
    parse(&[b"From: <p01@players.test>\r\n", headers, b"\r\n\r\n"].concat(), None)
}

#[test]
fn subjects_are_read_however_they_are_cut() {
    let request = "lynch Аня";
    for (subject, guess) in [
        // Inside a letter; each word alone is no UTF-8.
        (&b"=?utf-8?Q?=D0=A1=D1=83=D0=B4_=D0=9B=D0?=\r\n =?utf-8?Q?=B8=D0=BD=D1=87=D0=B0_-_=D0=90=D0=BD=D1?=\r\n =?utf-8?Q?=8F?="[..], None),
        (b"=?utf-8?B?0KHRg9C0INCb0LjQ?= =?UTF-8?B?vdGH0LAgLSDQkNC90Y8=?=", None),
        // B and Q together, cut inside a letter.
        (b"=?utf-8?B?0KHRg9C0INCb0LjQ?=\r\n\t=?utf-8?q?=BD=D1=87=D0=B0_-_=D0=90=D0=BD=D1=8F?=", None),
        (b"=?koi8-r?Q?=F3=D5=C4_=EC=C9=CE=DE=C1?= - =?windows-1251?B?wO3/?=", None),
        (b"=?koi8-r*ru?Q?=F3=D5=C4_=EC=C9=CE=DE=C1_-_=E1=CE=D1?=", None),
        // Wrong labels: windows-1251 as KOI8-R and as Latin, in one word and in several with plain text between.
        (b"=?koi8-r?Q?=D1=F3=E4_=CB=E8=ED=F7=E0_-_=C0=ED=FF?=", Some("windows-1251")),
        (b"=?iso-8859-1?Q?=D1=F3=E4?= =?iso-8859-1?Q?_=CB=E8=ED=F7=E0?= - =?iso-8859-1?Q?=C0=ED=FF?=", Some("windows-1251")),
        (b"=?us-ascii?Q?=F3=D5=C4_=EC=C9=CE=DE=C1_-_=E1=CE=D1?=", Some("koi8-r")),
        // Raw, in one line and in two.
        (b"\xf3\xd5\xc4 \xec\xc9\xce\xde\xc1 - \xe1\xce\xd1", Some("koi8-r")),
        (b"\xd1\xf3\xe4 \xcb\xe8\xed\xf7\xe0\r\n - \xc0\xed\xff", Some("windows-1251")),
        ("Суд Линча - Аня".as_bytes(), None),
        ("Суд Линча -\r\n Аня".as_bytes(), None),
        // Raw UTF-8 beside an encoded word.
        (b"=?utf-8?B?0KHRg9C0INCb0LjQvdGH0LA=?= - \xd0\x90\xd0\xbd\xd1\x8f", None),
    ] {
        let letter = letter(&[b"Subject: ", subject].concat());
        assert_eq!(said(&letter), request, "{}: {:?}", subject.escape_ascii(), letter.subject);
        let guessed = letter.charset.guessed.then_some(letter.charset.name.as_str());
        assert_eq!(guessed, guess, "{}", subject.escape_ascii());
    }
}

#[test]
fn a_raw_subject_follows_the_label_of_the_body() {
    let letter = letter(b"Subject: \xf3\xd5\xc4 - \xe1\xce\xd1\r\nContent-Type: text/plain; charset=koi8-r");
    assert_eq!((said(&letter).as_str(), letter.charset.guessed), ("lynch Аня", false));
}

#[test]
fn a_display_name_in_any_charset_hides_no_address() {
    for name in [
        &b"=?koi8-r?Q?=E1=CE=D1?="[..],
        b"=?utf-8?Q?=D0=90=D0?= =?utf-8?Q?=BD=D1=8F?=",
        b"\xe1\xce\xd1",
        b"\xc0\xed\xff",
        "Аня".as_bytes(),
        "\"Аня, просто Аня\"".as_bytes(),
        b"=?utf-16?B?BBAEPQRP?=",
        b"=?x-unknown?B?!!!?=",
    ] {
        let head = [b"From: ", name, b"\r\n <P01@players.test>\r\n\r\n"].concat();
        assert_eq!(parse(&head, None).from.as_deref(), Some("p01@players.test"), "{}", name.escape_ascii());
    }
}

#[test]
fn a_file_with_a_name_in_any_charset_is_no_text_of_the_letter() {
    for disposition in [
        "attachment; filename*=utf-8''%D0%A1%D1%83%D0%B4.txt",
        "inline; filename*0*=koi8-r'ru'%F3%D5; filename*1*=%C4.txt",
        "inline; filename=\"=?koi8-r?B?89XE?=.txt\"",
        "inline; filename=\"Суд.txt\"",
    ] {
        let body = format!(
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
             Охота - Аня\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: {disposition}\r\n\r\n\
             Суд - Боцман\r\n--b--\r\n"
        );
        let bytes = [b"From: <p01@players.test>\r\n", body.as_bytes()].concat();
        assert_eq!(said(&parse(&bytes, None)), "hunt Аня", "{disposition}");
    }
}
