//! The letters of Russian mail programs in every charset they have ever used, rightly labelled, wrongly and not at all.
#![cfg(test)]

mod clients;
mod coding;
mod headers;
mod matrix;
mod readme;
mod typography;
mod unreadable;

use omerta::mail::Incoming;
use omerta::request::read::read;
use omerta::request::words::kind_name;

/// What a letter asks for, in short: `lynch Аня`; problems by their names.
fn said(letter: &Incoming) -> String {
    let reading = read(&letter.subject, &letter.body);
    let requests = reading.requests().map(|request| {
        let part = |mark: &str, text: &Option<String>| text.as_ref().map(|text| format!("{mark}{text}"));
        [kind_name(request.word).to_owned()]
            .into_iter()
            .chain(part(" ", &request.argument))
            .chain(part(" = ", &request.text))
            .collect::<String>()
    });
    let problems = reading.problems().map(|problem| format!("{:?}", problem.problem));
    requests.chain(problems).collect::<Vec<_>>().join("; ")
}
