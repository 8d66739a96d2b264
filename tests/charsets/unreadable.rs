//! What cannot be read is a problem to answer, never an empty letter.

use omerta::mail::parse::parse;

const LABELS: [&str; 8] =
    ["utf-8", "koi8-r", "windows-1251", "iso-8859-1", "x-unknown", "us-ascii", "utf-16", "x-mac-cyrillic"];

/// Is the letter answered as unreadable, on the way that `omerta parse` and the receipt take?
fn is_answered(head: &str, body: &[u8]) -> bool {
    let bytes = [b"From: <p01@players.test>\r\n", head.as_bytes(), b"\r\n\r\n", body].concat();
    let letter = parse(&bytes, None);
    let line = omerta::cli::parse::json_line("x", &bytes);
    assert_eq!(letter.undecodable, line.contains("\"undecodable\""));
    letter.undecodable && !line.contains("\"kind\"")
}

/// Bytes that repeat nothing (a linear congruence of 64 bits).
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..length).map(step).collect()
}

#[test]
fn noise_under_every_label_is_answered() {
    for seed in 1..20 {
        // In a few dozen bytes chance makes words that nobody can tell from a nick.
        for length in [100, 400, 5000] {
            let bytes = noise(seed, length);
            for label in LABELS {
                let head = format!("Content-Type: text/plain; charset={label}\r\nContent-Transfer-Encoding: base64");
                let body = data_encoding::BASE64.encode(&bytes);
                assert!(is_answered(&head, body.as_bytes()), "{label} {seed} {length}");
            }
            let body = data_encoding::BASE64.encode(&bytes);
            assert!(is_answered("Content-Transfer-Encoding: base64", body.as_bytes()), "no label {seed} {length}");
        }
    }
}

#[test]
fn an_archive_under_the_label_of_a_text_is_answered() {
    // gzip of «Суд Линча - Аня».
    let gzip = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &noise(77, 200)].concat();
    for label in LABELS {
        for (transfer, body) in [("8bit", gzip.clone()), ("base64", data_encoding::BASE64.encode(&gzip).into_bytes())] {
            let head = format!("Content-Type: text/plain; charset={label}\r\nContent-Transfer-Encoding: {transfer}");
            assert!(is_answered(&head, &body), "{label} {transfer}");
        }
    }
}

#[test]
fn base64_that_was_cut_is_answered() {
    let whole = data_encoding::BASE64.encode("Суд Линча - Боцман и больше ничего".as_bytes());
    let head = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64";
    let mut cuts = 0;
    for length in 1..whole.len() {
        let cut = &whole.as_bytes()[..length];
        // A single sextet is no byte: something is missing, and nobody can tell what.
        if length % 4 == 1 {
            assert!(is_answered(head, cut), "{length}");
            cuts += 1;
        }
    }
    assert!(cuts > 10);
    // Padding alone may be missing: some programs leave it out.
    assert!(!is_answered(head, whole.trim_end_matches('=').as_bytes()));
}
