//! Request lines put into the bodies of replies: above, inside and below what is quoted there.

use omerta::request::read::read;
use omerta::request::words::kind_name;

/// Whose a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The writer of the reply.
    Own,
    /// A quote, its attribution, a signature: nothing there is a request.
    Gone,
}

/// Request lines, each with what it must be read as.
pub const REQUESTS: &[(&str, &str)] = &[
    ("Суд Линча - Боцман", "lynch Боцман"),
    ("охота — «Юнга».", "hunt Юнга"),
    ("Vote: Bosun", "lynch Bosun"),
    ("Отмена", "cancel"),
];

/// A body with one request line in it.
pub struct Planted {
    pub body: String,
    /// What [`said`] finds, if the line counts.
    pub request: &'static str,
    pub counts: bool,
}

/// Every request of a body in short.
pub fn said(body: &str) -> Vec<String> {
    let reading = read("", body);
    let in_short = |request: &omerta::request::Request| {
        let argument = request.argument.as_ref().map(|argument| format!(" {argument}")).unwrap_or_default();
        format!("{}{argument}", kind_name(request.word))
    };
    reading.requests().map(in_short).collect()
}

/// What went wrong with so many letters.
#[derive(Debug, Default)]
pub struct Tally {
    pub letters: usize,
    pub outside: usize,
    pub inside: usize,
    /// Requests in a quote that were acted on, and those outside that were not.
    pub acted_on: Vec<String>,
    pub lost: Vec<String>,
}

impl Tally {
    /// Counts a letter; `before` is what the body asked for without the planted line.
    pub fn take(&mut self, name: &str, before: &[String], planted: &Planted, said: &[String]) {
        self.letters += 1;
        *(if planted.counts { &mut self.outside } else { &mut self.inside }) += 1;
        let told = || format!("{name}: {said:?}\n{}\n------", planted.body);
        let mut others = said.to_vec();
        let found = others.iter().position(|one| one == planted.request).map(|at| others.remove(at)).is_some();
        if planted.counts && !(found && others == before) {
            self.lost.push(told());
        } else if !planted.counts && said != before {
            self.acted_on.push(told());
        }
    }

    pub fn report(&self, name: &str) -> String {
        let Tally { letters, outside, inside, acted_on, lost } = self;
        let (acted_on, lost) = (acted_on.len(), lost.len());
        format!(
            "{name}: {letters} letters; of {inside} requests inside {acted_on} acted on, of {outside} outside {lost} lost"
        )
    }
}

/// Plants each request at each place of a body where it is certain whose it would be.
pub fn plant_everywhere(lines: &[(String, Side)]) -> Vec<Planted> {
    let mut planted = Vec::new();
    for at in 0..=lines.len() {
        if let Some((mark, counts)) = place(lines, at) {
            for (line, request) in REQUESTS {
                let mut body: Vec<String> = lines.iter().map(|(line, _)| line.clone()).collect();
                body.insert(at, format!("{mark}{line}"));
                planted.push(Planted { body: body.join("\n"), request, counts });
            }
        }
    }
    planted
}

/// The mark that a line put before line `at` must carry, and whether it counts there. None where nobody could say: between
/// the lines of an attribution, of a header block or of a signature below its first, and between an attribution and its
/// quote.
fn place(lines: &[(String, Side)], at: usize) -> Option<(String, bool)> {
    let above = at.checked_sub(1).and_then(|above| lines.get(above));
    let below = lines.get(at);
    if above.is_none_or(|(_, side)| *side == Side::Own) {
        // Of a body that is nothing but a quote nobody can say what stands above it.
        let own = lines.iter().any(|(line, side)| *side == Side::Own && !line.trim().is_empty());
        return own.then(|| (String::new(), true));
    }
    let (above, _) = above?;
    let (before, after) = lines.split_at_checked(at)?;
    // Under a signature, where its writer is told and nothing is done.
    if ends_a_letter(above) {
        return Some((String::new(), false));
    }
    let own_below = after.iter().any(|(line, side)| *side == Side::Own && !line.trim().is_empty());
    let mark_above = mark(above);
    if !mark_above.is_empty() {
        if below.is_some_and(|(line, side)| *side == Side::Gone && mark(line) == mark_above) {
            return Some((mark_above.to_owned() + " ", false));
        }
        // Below the last quote, where people who answer at the bottom write, whatever footer stands above the quote.
        let nothing_below = after.iter().all(|(line, _)| line.trim().is_empty());
        return nothing_below.then(|| (String::new(), true));
    }
    // An unmarked quote: below a blank line that ends its header, and to the end.
    let marked_below = after.iter().any(|(line, _)| !mark(line).is_empty());
    let begun = before.iter().rev().skip(1).find(|(line, _)| !line.trim().is_empty());
    let in_quote = above.trim().is_empty()
        && begun.is_some_and(|(line, side)| {
            *side == Side::Gone && mark(line).is_empty() && line.contains(char::is_alphanumeric)
        });
    let header_below = below.is_some_and(|(line, _)| line.trim_end().ends_with(':'));
    (in_quote && !marked_below && !own_below && !header_below).then(|| (String::new(), false))
}

/// A phone's footer.
fn ends_a_letter(line: &str) -> bool {
    const FOOTERS: [&str; 5] = ["Sent from ", "Sent with ", "Отправлено ", "Надіслано ", "Von meinem "];
    FOOTERS.iter().any(|footer| line.starts_with(footer))
}

/// `> >`, and The Bat!'s `AB>`.
fn mark(line: &str) -> &str {
    let initials = line.chars().take_while(char::is_ascii_uppercase).take(3).count();
    let marks = line.char_indices().skip(initials).find(|(_, c)| !matches!(c, '>' | ' '));
    let end = marks.map_or(line.len(), |(at, _)| at);
    let mark = line.get(..end).unwrap_or_default();
    if mark.contains('>') { mark.trim_end() } else { "" }
}
