//! Bodies that others collected and that are not ours to keep here (email_reply_trimmer, crisp-email-reply-parser and
//! talon), out of the folder that is the argument: `cargo run --example collected -- DIR`. Without the folder it fails.
//!
//! Which line is the writer's own is known from the collection's right answer: its lines are found again in the body, in
//! order; every other line is quote or signature.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "run by hand, like a test"
)]

mod planting;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use omerta::mail::parse::parse;
use omerta::request::own::{Piece, own_pieces};

use planting::{Planted, REQUESTS, Side, Tally, plant_everywhere, said};

/// The right answer of most of crisp's bodies ends so.
const CRISP_END: &str = "et mollis ligula rutrum quis. Fusce sed odio id arcu varius aliquet nec nec nibh.";

/// Crisp's other bodies, and which of their lines are the writer's own, from 1. Lists' footers and what stands under a `--`
/// are not; a row of dashes and what stands under it are.
const CRISP_CUSTOM: &[(&str, &[(usize, usize)])] = &[
    ("email_1", &[(1, 9)]),
    ("email_2", &[(1, 1), (8, 35)]),
    ("email_3", &[(1, 6)]),
    ("email_4", &[(1, 2)]),
    ("email_5", &[(1, 15)]),
    ("email_6", &[(1, 4)]),
    ("correct_sig", &[(1, 2)]),
    ("sig_no_empty_line", &[(1, 1)]),
    ("email_one_is_not_on", &[(1, 6)]),
    ("email_sent_from", &[(1, 2)]),
    ("email_emoji", &[(1, 7)]),
    ("email_not_a_signature", &[(1, 16)]),
    ("email_not_a_signature_2", &[(1, 10)]),
    ("email_reply_header", &[(1, 12)]),
    ("email_zoho", &[(1, 3)]),
    ("email_with_regards", &[(1, 10)]),
    ("email_tricky_1_on_false_positive", &[(1, 7)]),
    ("email_tricky_2_url_with_wrote", &[(1, 9)]),
    ("email_tricky_3_code_block", &[(1, 13)]),
    ("email_tricky_4_from_in_body", &[(1, 6)]),
    ("email_tricky_6_regards_in_sentence", &[(1, 8)]),
    ("email_tricky_7_multiple_dashes", &[(1, 16)]),
    ("email_tricky_8_sent_from_in_content", &[(1, 6)]),
    ("email_tricky_9_nested_quotes", &[(1, 2)]),
    ("email_tricky_11_double_signature", &[(1, 5)]),
    ("email_tricky_13_timestamp_variations", &[(1, 10)]),
    ("email_tricky_16_unicode_signatures", &[(1, 11)]),
    ("email_tricky_17_forward_header", &[(1, 2)]),
    ("email_tricky_18_inline_reply", &[(3, 5), (7, 9), (11, 13)]),
    ("email_tricky_19_quote_without_header", &[(1, 2), (6, 8), (11, 13)]),
    ("email_tricky_20_html_entities", &[(1, 4)]),
];

fn main() {
    requests_planted_into_collected_bodies();
    requests_planted_into_collected_pages();
}

fn corpus() -> PathBuf {
    PathBuf::from(std::env::args_os().nth(1).expect("the folder of the collections is the argument"))
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).replace("\r\n", "\n")
}

fn texts(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), text(&path))).collect()
}

/// The lines of a body that the right answer holds too are its writer's.
fn sorted(body: &str, answer: &str) -> Option<Vec<(String, Side)>> {
    let mut wanted = answer.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let mut own = true;
    let mut lines = Vec::new();
    for line in body.lines() {
        if wanted.peek() == Some(&line.trim()) {
            wanted.next();
            own = true;
        } else if !line.trim().is_empty() {
            own = false;
        }
        lines.push((line.to_owned(), if own { Side::Own } else { Side::Gone }));
    }
    wanted.peek().is_none().then_some(lines)
}

/// The writer's own part, as the collections compare it.
fn trimmed(body: &str) -> String {
    let pieces = own_pieces(body);
    let lines = pieces.iter().filter_map(|piece| match piece {
        Piece::Own(line) => Some(line.trim()),
        Piece::Quote | Piece::Signature | Piece::Below(_) => None,
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn plain(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn show(what: &str, all: &[String]) {
    for one in all {
        println!("{what} {one}");
    }
}

fn requests_planted_into_collected_bodies() {
    let folder = corpus();
    let mut all = Tally::default();
    let trimmer = folder.join("email_reply_trimmer/test");
    let answers = texts(&trimmer.join("trimmed"));
    let (mut exact, mut bodies) = (0, 0);
    let mut differing = Vec::new();
    for (name, body) in texts(&trimmer.join("emails")) {
        bodies += 1;
        let answer = &answers[&name];
        if trimmed(&body) == plain(answer) {
            exact += 1;
        } else {
            differing.push(format!("{name}\nOURS:\n{}\nTHEIRS:\n{}\n-------", trimmed(&body), plain(answer)));
        }
        // A letter that is forwarded and nothing else: nothing of it is its sender's own here.
        let answer = if name == "forwarded_message.txt" { "" } else { answer };
        let Some(lines) = sorted(&body, answer) else {
            println!("{name}: the answer is not in the body");
            continue;
        };
        let before = said(&body);
        for planted in plant_everywhere(&lines) {
            all.take(&name, &before, &planted, &said(&planted.body));
        }
    }
    println!("email_reply_trimmer: {exact} of {bodies} exactly as there");
    show("DIFFERS", &differing);
    let crisp = folder.join("crisp-email-reply-parser");
    let bodies = texts(&crisp.join("test/fixtures"));
    for row in text(&crisp.join("expected.tsv")).lines().filter(|row| row.ends_with("COMMON_FIRST_FRAGMENT")) {
        let name = format!("{}.txt", row.split('\t').next().unwrap());
        let body = &bodies[&name];
        let Some((answer, _)) = body.split_once(CRISP_END) else {
            println!("{name}: the answer is not in the body");
            continue;
        };
        let before = said(body);
        for planted in plant_everywhere(&sorted(body, &format!("{answer}{CRISP_END}")).unwrap()) {
            all.take(&name, &before, &planted, &said(&planted.body));
        }
    }
    println!("{}", all.report("bodies"));
    let custom = crisp_bodies_of_their_own(&bodies);
    println!("{}", custom.report("crisp, custom"));
    all.acted_on.extend(custom.acted_on);
    all.lost.extend(custom.lost);
    show("ACTED ON", &all.acted_on);
    show("LOST", &all.lost);
    assert!(all.letters >= 2000, "the collections have shrunk");
    assert_eq!((all.acted_on.len(), all.lost.len()), (0, 0), "they are shown above");
}

/// The bodies whose right answer the collection tells in its tests only.
fn crisp_bodies_of_their_own(bodies: &BTreeMap<String, String>) -> Tally {
    let mut all = Tally::default();
    for (name, own) in CRISP_CUSTOM {
        let name = format!("{name}.txt");
        let body = &bodies[&name];
        let side = |number: usize| match own.iter().any(|(first, last)| (*first..=*last).contains(&number)) {
            true => Side::Own,
            false => Side::Gone,
        };
        let lines: Vec<_> = body.lines().enumerate().map(|(at, line)| (line.to_owned(), side(at + 1))).collect();
        let before = said(body);
        let planted = plant_everywhere(&lines);
        assert!(!planted.is_empty(), "{name} has no place for a request");
        for planted in planted {
            all.take(&name, &before, &planted, &said(&planted.body));
        }
    }
    all
}

fn requests_planted_into_collected_pages() {
    let folder = corpus().join("talon/tests/fixtures");
    let mut all = Tally::default();
    let (mut exact, mut pages) = (0, 0);
    for (name, page) in texts(&folder.join("html_replies")) {
        let letter = |page: &str| {
            let letter = format!("From: a@b.test\nContent-Type: text/html; charset=utf-8\n\n{page}");
            parse(letter.as_bytes(), None).body
        };
        pages += 1;
        let before = said(&letter(&page));
        let own = trimmed(&letter(&page));
        exact += usize::from(own == "Hi. I am fine.\nThanks,\nAlex");
        let places = [("Hi. I am fine.", true), ("Hello! How are you?", false), ("Sasha.", false)];
        let places: Vec<_> = places.into_iter().filter(|(mark, _)| page.contains(mark)).collect();
        assert!(places.len() >= 2, "{name} is not the page that it was");
        for (mark, counts) in places {
            for (line, request) in REQUESTS {
                let body = letter(&page.replacen(mark, &format!("{mark}<br>{line}<br>"), 1));
                let planted = Planted { body, request, counts };
                all.take(&name, &before, &planted, &said(&planted.body));
            }
        }
        if own != "Hi. I am fine.\nThanks,\nAlex" {
            println!("{name}: {own:?}");
        }
    }
    println!("talon HTML: {exact} of {pages} exact");
    let answers = texts(&folder.join("standard_replies"));
    let (mut exact, mut letters) = (0, 0);
    for (name, letter) in answers.iter().filter(|(name, _)| name.ends_with(".eml")) {
        let answer = answers.get(&name.replace(".eml", "_reply_text")).map_or("Hello", String::as_str);
        letters += 1;
        let body = parse(letter.as_bytes(), None).body;
        if trimmed(&body) == plain(answer) {
            exact += 1;
        } else {
            println!("{name}: {:?} and not {:?}", trimmed(&body), plain(answer));
        }
        let before = said(&body);
        for planted in plant_everywhere(&sorted(&body, "Hello").unwrap()) {
            all.take(name, &before, &planted, &said(&planted.body));
        }
    }
    println!("talon text: {exact} of {letters} exact");
    println!("{}", all.report("pages and letters"));
    show("ACTED ON", &all.acted_on);
    show("LOST", &all.lost);
    assert_eq!((all.acted_on.len(), all.lost.len()), (0, 0), "they are shown above");
}
