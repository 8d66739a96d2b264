//! The price of a byte of a letter, from 1 KB to 10 MB, in the worst shapes: it should not grow with the letter.
//! Run: `cargo bench --bench reading`. The last column is the price at 10 MB over that at 10 KB: small is linear, as what is
//! beyond the limits is dropped.

use std::hint::black_box;
use std::time::{Duration, Instant};

use omerta::cli::parse::json_line;

const SIZES: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("requests", |size| plain(&"Суд Линча - Боцман\n".repeat(size / 32))),
    ("misspelt words", |size| plain(&"Праверка - Аня\n".repeat(size / 27))),
    ("a text without end", |size| plain(&format!("Записка - Юнга\n{}", "не верь коку\n".repeat(size / 22)))),
    ("one line", |size| plain(&format!("Охота - {}", "я".repeat(size / 2)))),
    ("dashes", |size| plain(&"- ".repeat(size / 2))),
    ("levels of quotes", |size| plain(&format!("{} x\n", ">".repeat(100)).repeat(size / 103))),
    ("attributions", |size| plain(&"пн, 30 нояб. 2026 г. в 15:19, X\n<a@b.test>\nпишет:\n".repeat(size / 70))),
    ("senders", |size| plain(&"От: Омерта\nКому:\n".repeat(size / 29))),
    ("combining marks", |size| plain(&format!("Охота - а{}", "\u{301}\u{323}".repeat(size / 4)))),
    ("direction marks", |size| plain(&"\u{202e}Охота\u{202c} - \u{2066}Кок\u{2069}\n".repeat(size / 32))),
    ("deep HTML", |size| html(&"<div><blockquote>".repeat(size / 17))),
    ("HTML that only opens", |size| html(&"<a href=\"".repeat(size / 9))),
    ("unclosed comments", |size| html(&"<!-- ".repeat(size / 5))),
    ("entities", |size| html(&"&nbsp;&#1057;&bogus".repeat(size / 19))),
    ("attributes", |size| html(&format!("<p {}>", "a=b c ".repeat(size / 6)))),
    ("encoded words", |size| {
        format!("From: a@b.test\nSubject: {}\n\nx\n", "=?utf-8?B?0KHRg9C0?=\n ".repeat(size / 23))
    }),
    ("references", |size| format!("From: a@b.test\nReferences: {}\n\nx\n", "<a@b.test> ".repeat(size / 11))),
    ("addresses", |size| format!("From: a@b.test\nTo: {}\n\nx\n", "a (b (c) <d@e.test>, ".repeat(size / 21))),
    ("headers", |size| format!("From: a@b.test\n{}\nx\n", "X-A: b\n".repeat(size / 7))),
    ("parts", |size| multipart(&"--b\n\nx\n".repeat(size / 7))),
    ("nested parts", |size| {
        let open = |at| format!("Content-Type: multipart/mixed; boundary=b{at}\n\n--b{at}\n");
        format!("From: a@b.test\n{}\nx\n", (0..size / 60).map(open).collect::<String>())
    }),
    ("base64 with junk", |size| {
        let body = "0KHRg9C0!*- ".repeat(size / 12);
        format!("From: a@b.test\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n{body}")
    }),
    ("quoted-printable", |size| {
        let body = "=D0=9E=\n=XX=".repeat(size / 12);
        format!(
            "From: a@b.test\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n{body}"
        )
    }),
    ("NULs", |size| plain(&"\0".repeat(size))),
];

fn main() {
    println!(
        "{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}   ns a byte; growth",
        "", "1 KB", "10 KB", "100 KB", "1 MB", "10 MB"
    );
    for (name, shape) in SHAPES {
        let prices: Vec<f64> = SIZES.iter().map(|size| price(&shape(*size))).collect();
        let growth = prices.last().unwrap_or(&0.0) / prices.get(1).unwrap_or(&1.0).max(0.01);
        let row: String = prices.iter().map(|price| format!("{price:>10.1}")).collect();
        println!("{name:<24}{row}{growth:>10.2}");
    }
}

/// Nanoseconds a byte: the least of several runs.
fn price(letter: &str) -> f64 {
    let begun = Instant::now();
    let mut least = Duration::MAX;
    let mut runs = 0;
    while runs < 1 || runs < 20 && begun.elapsed() < Duration::from_millis(100) {
        let start = Instant::now();
        black_box(json_line("letter", black_box(letter.as_bytes())));
        least = least.min(start.elapsed());
        runs += 1;
    }
    least.as_secs_f64() * 1e9 / f64::from(u32::try_from(letter.len()).unwrap_or(u32::MAX).max(1))
}

fn plain(body: &str) -> String {
    format!("From: a@b.test\nContent-Type: text/plain; charset=utf-8\n\n{body}")
}

fn html(body: &str) -> String {
    format!("From: a@b.test\nContent-Type: text/html; charset=utf-8\n\n{body}")
}

fn multipart(body: &str) -> String {
    format!("From: a@b.test\nContent-Type: multipart/mixed; boundary=b\n\n{body}--b--\n")
}
