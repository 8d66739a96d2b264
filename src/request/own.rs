//! Which lines of a letter are its writer's own: quotes, attribution lines, forwarded headers and signatures are not.

use super::frame::{
    COMPANION_LABELS, SENDER_LABELS, begins_like_attribution, header_label, is_attribution,
    is_attribution_without_colon, is_footer, is_original_header, is_quoted, is_rule,
};
use super::join::read_field;
use super::line::{Saying, read_line};
use super::typography::{is_colon, tidy};

/// A piece of a letter, in the order of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A line of the writer's own.
    Own(&'a str),
    /// Quoted lines stood here.
    Quote,
    /// A signature or a footer begins.
    Signature,
    /// A line under it, up to the next marked quote: the signature's, or its writer's, who wrote on below his phone's
    /// footer. Nobody can say.
    Below(&'a str),
}

/// Most lines that an attribution is wrapped into.
const ATTRIBUTION_LINES: usize = 3;
/// Longest line that is looked at for an attribution, a footer or a header, in bytes.
const FRAME_LINE: usize = 1000;
/// How far below `От:` its companions may stand.
const HEADER_BLOCK: usize = 6;

/// Whether its writer fills in the form of an application, under its word or without it: he must hear how it is done.
pub fn gives_a_field(body: &str) -> bool {
    own_pieces(body).iter().any(|piece| matches!(piece, Piece::Own(line) if read_field(line).is_some()))
}

/// Sorts out a letter. Everything below an unmarked quote is quote; lines above, between and below `>` quotes are own,
/// those under a signature excepted: phones put theirs above the quote, and people answer under the quote.
pub fn own_pieces(body: &str) -> Vec<Piece<'_>> {
    let lines: Vec<&str> = body.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let letter = Lines { next_written: next_written(&lines), lines };
    let mut pieces = Vec::new();
    let (mut anything_own, mut signed) = (false, false);
    let mut at = 0;
    while let Some(line) = letter.lines.get(at) {
        let frame = letter.frame_at(at);
        let (used, rest_is_quote) = match frame {
            Frame::None => {
                anything_own |= !signed && !line.trim().is_empty();
                pieces.push(if signed { Piece::Below(line) } else { Piece::Own(line) });
                at += 1;
                continue;
            }
            Frame::Signature => {
                if !signed {
                    pieces.push(Piece::Signature);
                }
                signed = true;
                at += 1;
                continue;
            }
            Frame::Quoted => {
                signed = false;
                (1, false)
            }
            Frame::Header => (1, !letter.is_quoted_below(at + 1) && !letter.is_marked_quote_introduced(at + 1)),
            // A letter that begins with an attribution and no quote below it: its writer cut the quote and wrote on.
            Frame::Attribution(used) => (used, anything_own && !letter.is_quoted_below(at + used)),
        };
        if pieces.last() != Some(&Piece::Quote) {
            pieces.push(Piece::Quote);
        }
        if rest_is_quote {
            break;
        }
        at += used;
    }
    pieces
}

/// What a line is, when it is no line of the writer's own.
enum Frame {
    None,
    Quoted,
    /// The header of a quoted letter: all below it is that letter.
    Header,
    /// «X пишет:», in so many lines.
    Attribution(usize),
    Signature,
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    /// For each line the first one, from it on, that is not blank.
    next_written: Vec<usize>,
}

impl Lines<'_> {
    fn frame_at(&self, at: usize) -> Frame {
        let Some(line) = self.lines.get(at) else {
            return Frame::None;
        };
        if is_quoted(line) {
            return Frame::Quoted;
        }
        if line.len() > FRAME_LINE || line.trim().is_empty() {
            return Frame::None;
        }
        if matches!(line.trim_end(), "--") || is_footer(line) {
            return Frame::Signature;
        }
        let below_rule = is_rule(line).then(|| self.next_written.get(at + 1).copied()).flatten();
        if is_original_header(line)
            || self.is_header_block(at)
            || below_rule.is_some_and(|below| {
                self.is_header_block(below) || self.lines.get(below).is_some_and(|line| is_original_header(line))
            })
        {
            return Frame::Header;
        }
        self.attribution_at(at).map_or(Frame::None, Frame::Attribution)
    }

    fn is_quoted_below(&self, at: usize) -> bool {
        self.next_written.get(at).and_then(|at| self.lines.get(*at)).is_some_and(|line| is_quoted(line))
    }

    /// Proton writes an attribution below its header, and marks the quote.
    fn is_marked_quote_introduced(&self, at: usize) -> bool {
        let below = self.next_written.get(at).copied().unwrap_or(at);
        self.attribution_at(below).is_some_and(|used| self.is_quoted_below(below + used))
    }

    /// `От:` with `Кому:`, `Тема:`, `Отправлено:` below it; some programs name the sender later.
    fn is_header_block(&self, at: usize) -> bool {
        let is_in = |labels: &[&str], label: &Option<String>| {
            label.as_ref().is_some_and(|label| labels.contains(&label.as_str()))
        };
        let Some(first) = self.lines.get(at).map(|line| header_label(line)) else {
            return false;
        };
        let begins_with_sender = is_in(SENDER_LABELS, &first);
        if !begins_with_sender && !is_in(COMPANION_LABELS, &first) {
            return false;
        }
        let below = self.lines.iter().skip(at + 1).take(HEADER_BLOCK).take_while(|line| !line.trim().is_empty());
        let (mut senders, mut companions) = (usize::from(begins_with_sender), usize::from(!begins_with_sender));
        for label in below.map(|line| header_label(line)) {
            senders += usize::from(is_in(SENDER_LABELS, &label));
            companions += usize::from(is_in(COMPANION_LABELS, &label));
        }
        senders > 0 && companions >= 2
    }

    /// How many lines an attribution that begins here takes. One that lacks its colon is believed only when no more of
    /// its lines end in one.
    fn attribution_at(&self, at: usize) -> Option<usize> {
        let first = self.lines.get(at)?;
        let begins_like = begins_like_attribution(first.trim_start());
        let mut near = self.lines.iter().skip(at).take(ATTRIBUTION_LINES);
        if !near.any(|line| line.trim_end().ends_with(is_colon)) && !begins_like {
            return None;
        }
        let mut joined = String::new();
        let mut without_colon = None;
        for used in 1..=ATTRIBUTION_LINES {
            let line = self.lines.get(at + used - 1).filter(|line| Lines::may_be_wrapped(line));
            // The line above an attribution is no part of it: what is wrapped begins with its date or its writer.
            let Some(line) = line.filter(|_| used == 1 || begins_like || first.contains(['@', '<'])) else {
                break;
            };
            joined.push_str(&tidy(line));
            if is_attribution(&joined, self.is_quoted_below(at + used)) {
                return Some(used);
            }
            if without_colon.is_none() && is_attribution_without_colon(&joined) {
                without_colon = Some(used);
            }
            joined.push(' ');
        }
        without_colon
    }

    /// Whether a line may be one of an attribution.
    fn may_be_wrapped(line: &str) -> bool {
        !line.trim().is_empty()
            && !is_quoted(line)
            && line.len() <= FRAME_LINE
            && !matches!(read_line(line), Saying::Asked(_) | Saying::Bare(_))
    }
}

fn next_written(lines: &[&str]) -> Vec<usize> {
    let mut next = vec![lines.len(); lines.len()];
    let mut below = lines.len();
    for (at, (line, slot)) in lines.iter().zip(next.iter_mut()).enumerate().rev() {
        if !line.trim().is_empty() {
            below = at;
        }
        *slot = below;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(body: &str) -> Vec<&str> {
        own_pieces(body)
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Own(line) if !line.trim().is_empty() => Some(line),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn attributions_of_all_programs_begin_a_quote() {
        for attribution in [
            "понедельник, 6 октября 2014 г. пользователь X написал:",
            "понедельник, 6 октября 2014 г. пользователь Ведущая игры\nОмерта <game@game.test> написал:",
            "ср, 30 апр. 2025 г. в 15:19, X <a@b.test>:",
            "ср, 30 апр. 2025 г. в 15:19, Омерта\n<game@game.test>:",
            "26.06.2014, 14:41, \"X\" <a@b.test>:",
            "Среда, 30 апреля 2025, 15:19 +03:00 от X <a@b.test>:",
            "30 апр. 2025 г., в 15:19, X <a@b.test> написал(а):",
            "30.04.2025 15:19, X пишет:",
            "X писал(а) 30.04.2025 15:19:",
            "Вы писали 30 апреля 2025 г., 15:19:",
            "On Mon, 6 Oct 2014 at 10:00, X <a@b.test> wrote:",
            "On Mon, 6 Oct 2014 at 10:00, X\n<a@b.test>\nwrote:",
            "30.04.2025 15:19, X пише:",
        ] {
            assert_eq!(own(&format!("моё\n\n{attribution}\n\n> чужое\nи моё")), ["моё", "и моё"], "{attribution}");
            assert_eq!(own(&format!("моё\n{attribution}\nчужое\nи чужое")), ["моё"], "unmarked: {attribution}");
        }
    }

    #[test]
    fn unmarked_quotes_go_on_to_the_end() {
        for header in [
            "-----Исходное сообщение-----",
            "-------- Пересылаемое сообщение --------",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "От: Омерта\nОтправлено: 27 ноября\nКому: p02\nТема: ход 2",
            "*От:* Омерта\n*Дата:* 27 ноября\n*Тема:* ход 2",
            "*-------- Original Message --------*",
            "---- On Tue, 22 Dec 2015 14:17:36 +0530 X <a@b.test> wrote ----",
            "________________________________\nFrom: Omerta\nSent: Friday\nTo: p02\nSubject: x",
        ] {
            assert_eq!(own(&format!("моё\n\n{header}\n\nчужое\n")), ["моё"], "{header}");
        }
    }

    #[test]
    fn prose_is_no_frame() {
        for prose in [
            "От: меня тебе привет",
            "Он пишет:",
            "Вот что я думаю:",
            "В 19:40 скажу одно:",
            "Отправлено в ад, как и просили",
            "A -> B",
            "-",
            "---",
        ] {
            assert_eq!(own(prose), [prose]);
        }
    }

    #[test]
    fn signatures_and_footers_end_a_letter() {
        for end in [
            "-- ",
            "--",
            "Отправлено с iPhone",
            "Отправлено из мобильной Яндекс Почты",
            "Отправлено из Почты Mail",
            "Отправлено с моего Samsung Galaxy",
            "Sent from my iPhone",
            "Get Outlook for iOS",
        ] {
            assert_eq!(own(&format!("моё\n{end}\nподпись")), ["моё"], "{end}");
        }
    }

    #[test]
    fn below_a_quote_its_reader_writes_whatever_footer_stands_above_it() {
        let quote = "26 нояб. 2026 г., в 15:19, Омерта написал(а):\n\n> чужое";
        for footer in ["Отправлено с iPhone", "Sent from my iPhone", "Отправлено из Почты Mail.ru", "-- \nАня", "--"]
        {
            for (body, written) in [
                (format!("{footer}\n\n{quote}\n\nмоё"), vec!["моё"]),
                (format!("моё\n\n{footer}\n\n{quote}\n\nи моё\n"), vec!["моё", "и моё"]),
                (format!("{quote}\n\nмоё\n\n{footer}"), vec!["моё"]),
                (format!("{footer}\n{quote}\nмоё\n> чужое\nи моё\n{footer}\nчьё"), vec!["моё", "и моё"]),
                (format!("моё\n{footer}\nчьё\n{quote}"), vec!["моё"]),
            ] {
                assert_eq!(own(&body), written, "{body}");
            }
            // A quote without marks has no end, and a header begins one.
            let unmarked = format!("{footer}\n\nОт: Омерта\nКому: p02\nТема: ход 2\n\nчужое");
            assert_eq!(own_pieces(&unmarked).last(), Some(&Piece::Quote), "{unmarked}");
        }
    }

    #[test]
    fn quotes_are_recognised() {
        for quote in ["> а", ">> а", " > а", "AB> а", ">а", "> > а"] {
            assert_eq!(own(quote), Vec::<&str>::new(), "{quote}");
        }
    }
}
