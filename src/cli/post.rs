//! `omerta status`, `letters`, `quarantine`: the mail as it stands.

use clap::Args;
use serde_json::json;

use super::load::{self, Opened, Place};
use super::{exit, fail, print_json};
use crate::rules::PlayerId;
use crate::store::OutId;
use crate::table::{State, Table};

#[derive(Debug, Args)]
pub struct LettersArguments {
    tag: String,
    /// Nothing: the list. `resend ID`: send a letter again. `release ID`: end a hold. `show ID`: the letter itself
    action: Option<String>,
    id: Option<i64>,
    #[arg(long)]
    json: bool,
}

pub fn status(place: &Place, json: bool) -> u8 {
    let mut opened = match Opened::desk(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let now = opened.clock.now();
    let facts = opened.desk.store.read(|tx| {
        Ok::<_, crate::store::StoreError>((tx.inbox_read()?, tx.inbox_counts()?, tx.outbox_counts()?, tx.games()?))
    });
    let (read, inbox, outbox, games) = match facts {
        Ok(facts) => facts,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let running = match opened.desk.store.daemon_runs() {
        Ok(running) => running,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let mut rows = Vec::new();
    for head in games {
        match opened.desk.table(&head.tag) {
            Ok((_, table)) => rows.push(table),
            Err(error) => return fail(exit::UNAVAILABLE, &error),
        }
    }
    let daemon = if running { "running" } else { "stopped" };
    if json {
        let games: Vec<_> = rows
            .iter()
            .map(|table| {
                json!({
                    "tag": table.tag,
                    "state": table.state.word(),
                    "phase": table.phase_word(now),
                    "turn": table.game.turn,
                    "deadline": table.deadline.map(|deadline| deadline.to_string()),
                    "owe": owing(table),
                })
            })
            .collect();
        return print_json(&json!({
            "daemon": daemon,
            "inbox": {
                "last_read": read.map(|read| read.to_string()),
                "processed": inbox.processed,
                "quarantined": inbox.quarantined,
            },
            "outbox": {"queued": outbox.queued, "sent": outbox.sent, "failed": outbox.failed},
            "games": games,
        }));
    }
    println!("daemon: {daemon}");
    match read {
        Some(read) => println!("inbox: last read through {}; {} letters", load::local("UTC", read), inbox.processed),
        None => println!("inbox: never read"),
    }
    if inbox.quarantined > 0 {
        println!("quarantine: {} letters, `omerta quarantine` lists them", inbox.quarantined);
    }
    println!("outbox: {} waiting, {} sent, {} failed", outbox.queued, outbox.sent, outbox.failed);
    for table in &rows {
        let deadline = table.deadline.map(|at| load::local(&table.zone, at)).unwrap_or_else(|| "-".to_owned());
        let phase = table.phase_word(now).unwrap_or("-");
        println!("{}: {}, turn {}, {phase}, deadline {deadline}", table.tag, table.state.word(), table.game.turn);
        let owing = owing(table);
        if !owing.is_empty() {
            println!("  still owe a vote: {}", owing.join(", "));
        }
    }
    exit::OK
}

/// Nicks of those who still owe their vote in the open turn.
fn owing(table: &Table) -> Vec<String> {
    if table.state != State::Playing {
        return Vec::new();
    }
    let owes = |player: PlayerId| table.game.owes_vote(player);
    table.living().filter(|(player, _)| owes(*player)).map(|(_, player)| player.nick.clone()).collect()
}

pub fn letters(place: &Place, arguments: &LettersArguments) -> u8 {
    let opened = match Opened::desk(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let game = match opened.desk.store.read(|tx| tx.game(&arguments.tag)) {
        Ok(Some(game)) => game,
        Ok(None) => return fail(exit::DATA, &format!("there is no game {}", arguments.tag)),
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let letters = match opened.desk.store.read(|tx| tx.outbox(game.id)) {
        Ok(letters) => letters,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let Some(action) = &arguments.action else { return list(&letters, arguments.json) };
    let id = match arguments.id.map(OutId) {
        Some(id) if letters.iter().any(|letter| letter.id == id) => id,
        Some(_) => return fail(exit::DATA, &"this game has no letter of that number"),
        None => return fail(exit::USAGE, &"which letter? `omerta letters TAG` lists their numbers"),
    };
    let now = opened.clock.now();
    let done = match action.as_str() {
        "resend" => opened.desk.store.write(|tx| tx.resend(id, now)),
        "release" => opened.desk.store.write(|tx| tx.release(&[id]).map(|_| ())),
        "show" => {
            return match opened.desk.store.read(|tx| tx.out_bytes(id)) {
                Ok(bytes) => {
                    println!("{}", String::from_utf8_lossy(&bytes.unwrap_or_default()));
                    exit::OK
                }
                Err(error) => fail(exit::UNAVAILABLE, &error),
            };
        }
        other => return fail(exit::USAGE, &format!("`{other}` is none of resend, release, show")),
    };
    match done {
        Ok(()) => {
            println!("letter {} goes out again with the same words", id.0);
            exit::OK
        }
        Err(error) => fail(exit::UNAVAILABLE, &error),
    }
}

fn list(letters: &[crate::store::OutListing], json: bool) -> u8 {
    if json {
        let letters: Vec<_> = letters
            .iter()
            .map(|letter| {
                json!({
                    "id": letter.id.0,
                    "kind": letter.kind,
                    "to": letter.to,
                    "turn": letter.turn,
                    "subject": letter.subject,
                    "state": letter.state.word(),
                    "message_id": letter.message_id,
                })
            })
            .collect();
        return print_json(&json!(letters));
    }
    for letter in letters {
        let why = letter.why.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
        println!(
            "{:>6} {:<10} {:<11} turn {:<3} {:<32} {}{why}",
            letter.id.0,
            letter.state.word(),
            letter.kind,
            letter.turn,
            letter.to,
            letter.subject
        );
    }
    exit::OK
}

pub fn quarantine(place: &Place, json: bool) -> u8 {
    let opened = match Opened::desk(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let letters = match opened.desk.store.read(|tx| tx.quarantined()) {
        Ok(letters) => letters,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    if json {
        let letters: Vec<_> = letters
            .iter()
            .map(|letter| json!({"id": letter.id.0, "received": letter.received_at.to_string(), "error": letter.error}))
            .collect();
        return print_json(&json!(letters));
    }
    for letter in letters {
        println!("{:>6} {} {}", letter.id.0, letter.received_at, letter.error.unwrap_or_default());
    }
    exit::OK
}
