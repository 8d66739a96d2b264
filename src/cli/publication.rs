//! `omerta game preview`: the letters of a closed turn as they will leave.

use serde_json::json;

use super::game::say;
use super::load::Opened;
use super::{out, print_json};
use crate::letters::preview::Recipient;

pub fn preview(opened: &mut Opened, tag: &str, json: bool) -> u8 {
    let now = opened.clock.now();
    let (shown, said) = match opened.desk.preview(tag, now) {
        Ok(shown) => shown,
        Err(error) => return say(Err(error)),
    };
    let letters = shown.letters.iter().zip(&said);
    if json {
        let letters: Vec<_> = letters
            .map(|(inside, said)| {
                let posts: Vec<&str> = said.attachments.iter().map(|post| post.text.as_str()).collect();
                let to: Vec<String> = inside.readers.iter().map(named).collect();
                let (kind, subject, text) = (inside.letter.kind(), &said.subject, &said.text);
                json!({ "kind": kind, "to": to, "subject": subject, "text": text, "posts": posts })
            })
            .collect();
        return print_json(&json!(letters));
    }
    let mut lines = Vec::new();
    for (inside, said) in letters {
        let to = inside.readers.iter().map(named).collect::<Vec<_>>().join(", ");
        lines.push(format!("=== {} to {to}\nSubject: {}\n\n{}", inside.letter.kind(), said.subject, said.text));
        lines.extend(said.attachments.iter().map(|post| format!("--- {} ---\n{}", post.name, post.text)));
    }
    out::say(&lines.join("\n").trim_end())
}

fn named(reader: &Recipient) -> String {
    match reader {
        Recipient::Player(nick) => nick.clone(),
        Recipient::Host => "the hosts".to_owned(),
        Recipient::Moderator => "the moderators".to_owned(),
        Recipient::Forum => "the forum".to_owned(),
    }
}
