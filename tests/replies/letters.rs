//! Whole letters of every program: request lines above, between and below its quotes, and inside them.

use omerta::mail::parse::parse;

use super::bodies::{Mark, PAGES, PLAIN, Plain};
use super::planting::{Planted, REQUESTS, Side, Tally, plant_everywhere, said};

const OWN: &[&str] = &["Привет!", "Вот что я думаю: дело ясное."];
const QUOTED: &[&str] = &["Ход 3 закрыт.", "", "Живы: Боцман, Юнга, Кок.", "Ответьте до 21:00.", "", "Ведущий"];

/// The shapes that a reply takes: above its quote, below it, on both sides, in the middle of it; and where a program puts a
/// footer: below it and above the footer, below both with the footer over the quote, and on both sides of both.
const SHAPES: usize = 7;

fn body(program: &Plain, shape: usize) -> Option<Vec<(String, Side)>> {
    let own = |lines: &[&str]| lines.iter().map(|line| ((*line).to_owned(), Side::Own)).collect::<Vec<_>>();
    let gone = |lines: &[&str]| lines.iter().map(|line| ((*line).to_owned(), Side::Gone)).collect::<Vec<_>>();
    let quoted: Vec<(String, Side)> = QUOTED
        .iter()
        .map(|line| match program.mark {
            Mark::Angle => format!("> {line}"),
            Mark::Initials => format!("ОМ> {line}"),
            Mark::None => (*line).to_owned(),
        })
        .map(|line| (line.trim_end().to_owned(), Side::Gone))
        .collect();
    let blank = || own(&[""]);
    let above = [gone(program.above), gone(&[""])].concat();
    // An attribution alone says nothing of an unmarked quote's end: its writer can only answer above.
    match shape {
        0 => Some([own(OWN), blank(), foot(program), above, quoted].concat()),
        _ if program.mark == Mark::None => None,
        1 => Some([above, quoted, blank(), own(OWN)].concat()),
        2 => Some([own(OWN), blank(), above, quoted, blank(), own(OWN)].concat()),
        4.. if foot(program).is_empty() => None,
        4 => Some([above, quoted, blank(), own(OWN), blank(), foot(program)].concat()),
        5 => Some([own(&[""]), foot(program), above, quoted, blank(), own(OWN)].concat()),
        6 => {
            Some([own(OWN), blank(), foot(program), above, quoted, blank(), own(OWN), blank(), foot(program)].concat())
        }
        _ => {
            let (first, second) = quoted.split_at(3);
            Some([above, first.to_vec(), blank(), own(OWN), blank(), second.to_vec()].concat())
        }
    }
}

/// A phone's footer stands between the reply and the quote; a signature stands at the end, and is no place for a quote.
fn foot(program: &Plain) -> Vec<(String, Side)> {
    let is_footer = !program.footer.is_empty() && !program.footer.starts_with("--");
    let lines = if is_footer { vec![program.footer.to_owned(), String::new()] } else { Vec::new() };
    lines.into_iter().map(|line| (line, Side::Gone)).collect()
}

#[test]
fn plain_replies_of_every_program() {
    let mut all = Tally::default();
    let mut bodies = 0;
    for program in PLAIN {
        for lines in (0..SHAPES).filter_map(|shape| body(program, shape)) {
            bodies += 1;
            for planted in plant_everywhere(&lines) {
                all.take(program.program, &[], &planted, &said(&planted.body));
            }
        }
    }
    println!("{bodies} bodies; {}", all.report("plain"));
    assert!(bodies >= 60 && all.letters >= 2000, "{bodies} bodies, {} letters", all.letters);
    assert!(all.inside > 500 && all.outside > 500, "{} inside, {} outside", all.inside, all.outside);
    assert!(all.acted_on.is_empty(), "acted on:\n{}", all.acted_on.join("\n"));
    assert!(all.lost.is_empty(), "lost:\n{}", all.lost.join("\n"));
}

#[test]
fn pages_of_every_program() {
    let mut all = Tally::default();
    for (program, page) in PAGES {
        for (line, request) in REQUESTS {
            for (place, counts) in [("OWN", true), ("QUOTED", false), ("BELOW", true)] {
                if !page.contains(place) {
                    continue;
                }
                let filled = ["OWN", "QUOTED", "BELOW"].iter().fold((*page).to_owned(), |page, other| {
                    page.replace(other, if *other == place { line } else { "просто слова" })
                });
                let letter = format!("From: a@b.test\nContent-Type: text/html; charset=utf-8\n\n{filled}");
                let body = parse(letter.as_bytes(), None).body;
                let planted = Planted { body, request, counts };
                all.take(program, &[], &planted, &said(&planted.body));
            }
        }
    }
    println!("{}", all.report("pages"));
    assert!(all.letters >= 160, "{}", all.letters);
    assert!(all.acted_on.is_empty(), "acted on:\n{}", all.acted_on.join("\n"));
    assert!(all.lost.is_empty(), "lost:\n{}", all.lost.join("\n"));
}

#[test]
fn a_page_of_any_depth_is_read_or_said_to_be_unreadable() {
    let head = "From: a@b.test\nContent-Type: text/html; charset=utf-8\n\n";
    let deep = format!("{head}{}Суд Линча - Боцман", "<div>".repeat(200_000));
    assert_eq!(said(&parse(deep.as_bytes(), None).body), ["lynch Боцман"]);
    let endless = format!("{head}{}Суд Линча - Боцман", "<img src=x>\n".repeat(400_000));
    let read = parse(endless.as_bytes(), None);
    assert!(read.undecodable, "nothing of it was read, and nobody was told");
}
