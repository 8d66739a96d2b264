//! `omerta parse`: what the daemon would understand of a letter, and what it passed over and why.

use std::path::PathBuf;

use serde::Serialize;

use super::{exit, fail, load, out};
use crate::mail::parse::{LIMITS, parse};
use crate::mail::{Automatic, Incoming};
use crate::request::words::kind_name;
use crate::request::{JoinFields, ProblemKind, Reading, read};

/// Prints what is understood of each file, as JSON lines or in words. The exit code is 65 when a file can't be read; the
/// others are still printed. No config is needed; one that can be read says which letters are our own.
pub fn run(place: &load::Place, files: &[PathBuf], json: bool) -> u8 {
    let limit = u64::try_from(LIMITS.message).unwrap_or(u64::MAX);
    let own = load::config(place.config.as_deref()).ok().map(|config| config.outbox.from.address);
    let mut code = exit::OK;
    for file in files {
        let bytes = match load::stream(file, limit) {
            Ok(bytes) => bytes,
            Err(why) => {
                code = fail(exit::DATA, &format!("{}: {why}", file.display()));
                continue;
            }
        };
        let name = file.display().to_string();
        let text = if json { in_json(&name, &bytes, own.as_deref()) } else { in_words(&name, &bytes, own.as_deref()) };
        let said = out::say(&text);
        if said != exit::OK {
            return said;
        }
    }
    code
}

/// A person's letter is read; an automatic one holds no requests and no problems, one that can't be decoded a problem
/// alone, as in a game.
fn reading_of(letter: &Incoming) -> Reading {
    if letter.automatic.is_some() {
        return Reading::default();
    }
    if letter.undecodable {
        return Reading { items: vec![read::undecodable()], ..Reading::default() };
    }
    read::read(&letter.subject, &letter.body)
}

#[derive(Serialize)]
struct Said<'a> {
    file: &'a str,
    from: Option<&'a str>,
    automatic: Option<Automatic>,
    requests: Vec<RequestSaid<'a>>,
    problems: Vec<ProblemSaid<'a>>,
    charset: &'a str,
}

#[derive(Serialize)]
struct RequestSaid<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a JoinFields>,
}

#[derive(Serialize)]
struct ProblemSaid<'a> {
    line: &'a str,
    problem: &'static str,
}

/// What is understood of a letter, as one line of JSON.
pub fn json_line(file: &str, bytes: &[u8]) -> String {
    in_json(file, bytes, None)
}

fn in_json(file: &str, bytes: &[u8], own: Option<&str>) -> String {
    let letter = parse(bytes, own);
    let reading = reading_of(&letter);
    let requests = reading.requests().map(|request| RequestSaid {
        kind: kind_name(request.word),
        argument: request.argument.as_deref(),
        text: request.text.as_deref(),
        fields: request.fields.as_ref(),
    });
    let problems =
        reading.problems().map(|problem| ProblemSaid { line: &problem.line, problem: problem.problem.public_word() });
    let said = Said {
        file,
        from: letter.from.as_deref(),
        automatic: letter.automatic,
        requests: requests.collect(),
        problems: problems.collect(),
        charset: &letter.charset.name,
    };
    // Strings, lists and enums without data: nothing of it can fail.
    serde_json::to_string(&said).unwrap_or_default()
}

fn in_words(file: &str, bytes: &[u8], own: Option<&str>) -> String {
    let letter = parse(bytes, own);
    let reading = reading_of(&letter);
    let guessed = if letter.charset.guessed { " (guessed)" } else { "" };
    let from = letter.from.as_deref().unwrap_or("nobody (no single usable From address)");
    let mut lines = vec![format!("{file}: from {from}, charset {}{guessed}", letter.charset.name)];
    if let Some(automatic) = letter.automatic {
        lines.push(format!("  passed over: {}", automatic_in_words(automatic)));
        return lines.join("\n");
    }
    for request in reading.requests() {
        let mut line = format!("  {}", kind_name(request.word));
        if let Some(argument) = &request.argument {
            line += &format!(" - {argument}");
        }
        if let Some(fields) = &request.fields {
            line += &format!(" {}", serde_json::to_string(fields).unwrap_or_default());
        }
        lines.push(line);
        lines.extend(request.text.iter().flat_map(|text| text.lines()).map(|line| format!("    │ {line}")));
    }
    for problem in reading.problems() {
        lines.push(format!("  not understood: {:?}: {}", problem.line, problem_in_words(problem.problem)));
    }
    if reading.items.is_empty() {
        lines.push("  no request: all of it is prose, a quote or a signature".to_owned());
    }
    lines.join("\n")
}

fn automatic_in_words(automatic: Automatic) -> &'static str {
    match automatic {
        Automatic::AutoReply => "an automatic answer (auto-reply); it changes nothing and gets no answer",
        Automatic::Bounce => "a report that a letter did not arrive (bounce)",
        Automatic::List => "a mailing list's letter (list)",
        Automatic::Own => "a letter of our own (self)",
    }
}

fn problem_in_words(problem: ProblemKind) -> &'static str {
    match problem {
        ProblemKind::NoArgument => "a request word without a nick behind it (no_argument)",
        ProblemKind::NoText => "no text behind the nick or below it (no_text)",
        ProblemKind::NoSeparator => "no dash between the request word and the nick (no_separator)",
        ProblemKind::SubjectReply => "a request in the subject of an answer is never acted on (subject_reply)",
        ProblemKind::Undecodable => "the letter's characters can't be read (undecodable)",
        ProblemKind::MisspeltWord => "nearly a request word, but none (doubtful_text)",
        ProblemKind::BelowSignature => "a request under a signature or a phone's footer: put it above (doubtful_text)",
        ProblemKind::InBrackets => "a nick in the brackets of our examples (doubtful_text)",
        ProblemKind::DoubtfulText => {
            "this line of a text may be a request: put | before it, or End above it (doubtful_text)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTER: &str = "From: P01@game.test\nContent-Type: text/plain; charset=utf-8\n\nОхота - Кок\nСтатус\nСуд Линча -\n\
                          ЛС - Юнга: раз\nдва\nКонец\nЗаявка\nПерсонаж - Боцман\nПол - м\n";

    #[test]
    fn json_has_the_promised_keys_and_no_others() {
        assert_eq!(
            json_line("a.eml", LETTER.as_bytes()),
            concat!(
                r#"{"file":"a.eml","from":"p01@game.test","automatic":null,"requests":["#,
                r#"{"kind":"hunt","argument":"Кок"},{"kind":"status"},{"kind":"pm","argument":"Юнга","text":"раз\nдва"},"#,
                r#"{"kind":"join","fields":{"character":"Боцман","gender":"m"}}],"#,
                r#""problems":[{"line":"Суд Линча -","problem":"no_argument"}],"charset":"utf-8"}"#
            )
        );
        let automatic = format!("Auto-Submitted: auto-replied\n{LETTER}");
        assert_eq!(
            json_line("a.eml", automatic.as_bytes()),
            r#"{"file":"a.eml","from":"p01@game.test","automatic":"auto-reply","requests":[],"problems":[],"charset":"utf-8"}"#
        );
        assert_eq!(
            json_line("a.eml", b""),
            r#"{"file":"a.eml","from":null,"automatic":null,"requests":[],"problems":[],"charset":"us-ascii"}"#
        );
    }

    /// Scripts know six words; a reason of ours that is finer is told by the nearest of them.
    #[test]
    fn problems_are_told_by_the_promised_words() {
        let letter = "Subject: Re: Статус\n\n";
        let body = "Суд Линча -\nЛС - Юнга\n\nКонец\nСуд Линча Юнга\nПраверка - Аня\nЛС - Юнга: раз\nОхота -\n\
                    Отправлено с iPhone\nСтатус";
        let words = |letter: String| -> Vec<String> {
            let said: serde_json::Value = serde_json::from_str(&json_line("a.eml", letter.as_bytes())).unwrap();
            let problems = said.get("problems").and_then(|problems| problems.as_array()).unwrap().clone();
            problems.iter().map(|problem| problem["problem"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(
            words(format!("{letter}{body}")),
            [
                "subject_reply",
                "no_argument",
                "no_text",
                "no_separator",
                "doubtful_text",
                "doubtful_text",
                "doubtful_text"
            ]
        );
        let undecodable = "Content-Transfer-Encoding: base64\n\n0KHRg9C0INCb0LjQvdGH0LAgLSDQkdC+0YbQvNCw0L0K0";
        assert_eq!(words(undecodable.to_owned()), ["undecodable"]);
    }

    #[test]
    fn words_tell_what_was_passed_over_and_why() {
        let said = in_words("a.eml", LETTER.as_bytes(), None);
        for part in ["hunt - Кок", "pm - Юнга", "    │ два", "not understood: \"Суд Линча -\"", "(no_argument)"]
        {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert!(in_words("a.eml", b"Auto-Submitted: auto-replied\n\nx", None).contains("passed over"));
        assert!(in_words("a.eml", b"From: a@b.test\n\nx", None).contains("no request"));
    }
}
