//! `omerta game why`: the chain of reasons of a turn, or of one player's fate in it. For the host's eyes.

use clap::Args;
use serde_json::json;

use super::load::Opened;
use super::{exit, fail, out, print_json};
use crate::journal::Entry;
use crate::journal::read::{self, JournalFault};
use crate::why::{self, Story};

#[derive(Debug, Args)]
pub struct WhyArguments {
    tag: String,
    /// One player's fate; without it the whole turn
    nick: Option<String>,
    /// The turn; without it the one that was closed last
    #[arg(long, value_name = "N")]
    turn: Option<u16>,
    #[arg(long)]
    json: bool,
}

pub fn run(opened: &Opened, wanted: &WhyArguments) -> u8 {
    let journal = match read_journal(opened, &wanted.tag) {
        Ok(journal) => journal,
        Err(code) => return code,
    };
    let story = match Story::of(journal, wanted.turn) {
        Ok(story) => story,
        Err(none) => return fail(exit::DATA, &format!("{}: {none}", wanted.tag)),
    };
    let about = match &wanted.nick {
        None => None,
        Some(nick) => match story.table.by_nick(nick) {
            Some(who) => Some(who),
            None => {
                let cure = format!("`omerta game show {}` lists the players", wanted.tag);
                return fail(exit::DATA, &format!("nobody in this game is called {nick}; {cure}"));
            }
        },
    };
    let now = opened.clock.now();
    let said = why::words::say(&story, &why::explain(&story, about), now);
    if wanted.json {
        return print_json(&json!({ "tag": story.table.tag, "turn": story.turn, "chapters": said }));
    }
    out::say(&format!("{}\n{}", why::words::title(&story, now), why::words::plain(&said).trim_end()))
}

fn read_journal(opened: &Opened, tag: &str) -> Result<Vec<(jiff::Timestamp, Entry)>, u8> {
    let journal = opened.desk.store.read(|tx| {
        let mut journal = Vec::new();
        read::each(tx, read::game(tx, tag)?.id, |at, entry| {
            journal.push((at, entry));
            Ok::<(), JournalFault>(())
        })?;
        Ok(journal)
    });
    journal.map_err(|fault| match fault {
        JournalFault::NoGame(_) => fail(exit::DATA, &fault),
        JournalFault::Store(_) | JournalFault::Event { .. } => fail(exit::UNAVAILABLE, &fault),
    })
}
