//! `omerta status`, `letters`: the mail as it stands.

use std::collections::BTreeMap;

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use super::load::{self, Opened, Place};
use super::{exit, fail, out, print_json, sample, shown};
use crate::desk::DeskError;
use crate::desk::leap::is_leap;
use crate::desk::quota::DailyLimit;
use crate::mail::pace::Class;
use crate::store::{GameHead, OutId, StoreError};
use crate::table::{Table, is_on};

#[derive(Debug, Args)]
pub struct LettersArguments {
    tag: String,
    /// Nothing: the list. `resend ID`: send a letter again. `release ID`: end a hold. `show ID`: the letter as its
    /// reader sees it. `preview KIND`: a letter of that kind, of invented facts, through your own templates
    #[arg(value_parser = ["resend", "release", "show", "preview"], hide_possible_values = true)]
    action: Option<String>,
    /// Its number; `release` takes an address too, `preview` a kind
    #[arg(value_name = "ID|KIND")]
    id: Option<String>,
    /// With `show`: the very bytes that were sent
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    #[arg(long)]
    json: bool,
}

/// More than that is no list that a person reads.
const RESTING_SHOWN: usize = 50;

/// What to do about a game that does not read.
const MEND: &str = "it stands still, the other games go on. If omerta was set back to an older version, install the newer \
                    one again; else keep the database, and restore the last backup (docs/ops.md)";

pub fn status(place: &Place, json: bool) -> u8 {
    let mut opened = match Opened::looking(place) {
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
    let mut broken: BTreeMap<String, String> = BTreeMap::new();
    for head in games {
        // Only what runs is folded: the row of a game that has ended says all that is told of it.
        if !is_on(&head.state) {
            rows.push((head, None));
            continue;
        }
        match opened.desk.table(&head.tag) {
            Ok((_, table)) => rows.push((head, Some(table))),
            Err(error) if error.is_fatal() => return fail(exit::UNAVAILABLE, &error),
            // One game that does not read hides nothing of the others.
            Err(error) => {
                broken.insert(head.tag.clone(), error.to_string());
                rows.push((head, None));
            }
        }
    }
    let unreached = match unreached_hosts(&opened, &rows) {
        Ok(unreached) => unreached,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let resting = match opened.desk.store.read(|tx| tx.resting(RESTING_SHOWN)) {
        Ok(resting) => resting,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let waits = match waiting(&mut opened, outbox.queued, now) {
        Ok(waits) => waits,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let doubted = match opened.desk.clock_believed() {
        Ok(believed) => believed.filter(|believed| running && is_leap(*believed, now)),
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let daemon = if running { "running" } else { "stopped" };
    if json {
        let games: Vec<_> = rows
            .iter()
            .map(|(head, table)| {
                let table = table.as_ref();
                let mut row = json!({
                    "tag": head.tag,
                    "state": head.state,
                    "phase": table.and_then(|table| table.phase_word(now)),
                    "turn": table.map(|table| table.game.turn),
                    "deadline": table.and_then(|table| table.deadline).map(|deadline| deadline.to_string()),
                    "owe": table.map(Table::owing).unwrap_or_default(),
                });
                // As with what rests, below.
                if let (Some(why), Some(row)) = (broken.get(&head.tag), row.as_object_mut()) {
                    row.insert("broken".to_owned(), json!(why));
                }
                row
            })
            .collect();
        let mut facts = json!({
            "daemon": daemon,
            "inbox": {
                "last_read": read.map(|read| read.to_string()),
                "processed": inbox.processed,
                "quarantined": inbox.quarantined,
            },
            "outbox": {"queued": outbox.queued, "sent": outbox.sent, "failed": outbox.failed},
            "games": games,
        });
        // Scripts rely on the keys above; this one is there only while something rests.
        if !resting.is_empty()
            && let Some(facts) = facts.as_object_mut()
        {
            let row = |(address, since, held): &(String, Timestamp, u64)| json!({"address": address, "since": since.to_string(), "held": held});
            facts.insert("resting".to_owned(), resting.iter().map(row).collect());
        }
        if let (Some(waits), Some(facts)) = (&waits, facts.as_object_mut()) {
            facts.insert("waits".to_owned(), waits.json());
        }
        if let (Some(believed), Some(facts)) = (doubted, facts.as_object_mut()) {
            facts.insert("clock_believed".to_owned(), json!(believed.to_string()));
        }
        return print_json(&facts);
    }
    let zone = opened.desk.config().zone_name().to_owned();
    let mut lines = Vec::new();
    lines.push(match running {
        true => "daemon: running".to_owned(),
        false => "daemon: stopped; `omerta run` starts it".to_owned(),
    });
    lines.extend(doubted.map(|believed| {
        format!(
            "the clock shows {}, and was last believed at {}: nothing happens by itself and nothing is erased until it is set \
             right, or `omerta game resume TAG`, of any game, says that it is right",
            load::local(&zone, now),
            load::local(&zone, believed)
        )
    }));
    lines.push(match read {
        Some(read) => {
            // A clock that was set back, and nothing has been read through since.
            let ahead = if read > now { ", by a clock that was ahead of the one of now" } else { "" };
            let read = load::local(&zone, read);
            format!("inbox: letters taken in: {}; last read through {read}{ahead}", inbox.processed)
        }
        None => "inbox: never read".to_owned(),
    });
    if inbox.quarantined > 0 {
        lines.push(format!("quarantine: letters that failed: {}; `omerta quarantine` lists them", inbox.quarantined));
    }
    lines.push(format!("outbox: {} waiting, {} sent, {} failed", outbox.queued, outbox.sent, outbox.failed));
    lines.extend(waits.map(|waits| format!("  {}", waits.said(&zone))));
    if outbox.failed > 0 {
        lines.push(
            "  `omerta letters TAG` tells which failed and why, `omerta letters TAG resend ID` tries again".to_owned(),
        );
    }
    for (address, since, held) in resting {
        let since = load::local(&zone, since);
        lines.push(format!(
            "resting: {address} since {since}: nothing arrives there; letters held: {held}; `omerta letters TAG release {address}` lets them go"
        ));
    }
    for tag in unreached {
        lines.push(format!(
            "{tag}: a letter to a host did not arrive; `omerta letters {tag}` tells which and why, `omerta letters {tag} resend ID` tries again"
        ));
    }
    for (head, table) in &rows {
        lines.push(format!("{}: {}", head.tag, head.state));
        lines.extend(broken.get(&head.tag).map(|why| format!("  {why}\n  {MEND}")));
        let standing = table.iter().flat_map(|table| super::game::standing(table, now));
        lines.extend(standing.map(|line| format!("  {line}")));
    }
    if rows.is_empty() {
        lines.push("no games yet; `omerta game new TAG --roster FILE.csv` makes one".to_owned());
    }
    out::say(&lines.join("\n"))
}

/// What keeps letters of the outbox waiting.
enum Waits {
    /// The provider said that it takes no mail of ours for a while.
    Blocked { until: Timestamp },
    /// Its limit of a day has no room for letters of that class, and of those that matter less.
    Limit { limit: DailyLimit, class: Class, until: Timestamp },
}

impl Waits {
    fn json(&self) -> serde_json::Value {
        match self {
            Waits::Blocked { until } => json!({"for": "block", "until": until.to_string()}),
            Waits::Limit { limit, until, .. } => {
                json!({"for": "daily_limit", "until": until.to_string(), "daily": limit.daily, "sent": limit.sent})
            }
        }
    }

    fn said(&self, zone: &str) -> String {
        match self {
            Waits::Blocked { until } => {
                format!("the provider blocks us: nothing leaves until {}", load::local(zone, *until))
            }
            Waits::Limit { limit, class, until } => {
                let (DailyLimit { daily, sent, .. }, until) = (limit, load::local(zone, *until));
                let which = match class {
                    Class::Result => "nothing leaves",
                    Class::Receipt => "the rest is kept for results; answers, reminders and talk wait",
                    Class::Relay => "talk between players waits",
                };
                format!(
                    "{sent} of the {daily} letters that the provider allows in 24 hours have left: {which} until {until}"
                )
            }
        }
    }
}

fn waiting(opened: &mut Opened, queued: u64, now: Timestamp) -> Result<Option<Waits>, DeskError> {
    if queued == 0 {
        return Ok(None);
    }
    if let Some(until) = opened.desk.blocked_until()?.filter(|until| now < *until) {
        return Ok(Some(Waits::Blocked { until }));
    }
    let limit = opened.desk.daily_limit(now)?;
    Ok(limit.and_then(|limit| limit.waits.map(|(class, until)| Waits::Limit { limit, class, until })))
}

/// Running games a letter of which to a host has failed or may not have arrived.
fn unreached_hosts(opened: &Opened, rows: &[(GameHead, Option<Table>)]) -> Result<Vec<String>, StoreError> {
    opened.desk.store.read(|tx| {
        let mut tags = Vec::new();
        for (head, _) in rows.iter().filter(|(_, table)| table.is_some()) {
            if tx.has_lost_letter_to_host(head.id)? {
                tags.push(head.tag.clone());
            }
        }
        Ok(tags)
    })
}

pub fn letters(place: &Place, arguments: &LettersArguments) -> u8 {
    let mut opened = match Opened::looking(place) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let game = match opened.desk.store.read(|tx| tx.game(&arguments.tag)) {
        Ok(Some(game)) => game,
        Ok(None) => return fail(exit::DATA, &DeskError::NoGame(arguments.tag.clone())),
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    if arguments.action.as_deref() == Some("preview") {
        return sample::preview(place, &mut opened, &game, arguments.id.as_deref(), arguments.json);
    }
    let letters = match opened.desk.store.read(|tx| tx.outbox(game.id)) {
        Ok(letters) => letters,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let Some(action) = &arguments.action else { return list(&letters, arguments.json) };
    if let ("release", Some(address)) = (action.as_str(), arguments.id.as_deref().filter(|id| id.contains('@'))) {
        let address = address.to_lowercase();
        return match opened.desk.store.write(|tx| tx.wake_address(&address)) {
            Ok(Some(released)) => {
                out::say(&format!("the address rests no longer; letters that go out now: {released}"))
            }
            Ok(None) => fail(exit::DATA, &"this address does not rest; `omerta letters TAG` shows what is held"),
            Err(error) => fail(exit::UNAVAILABLE, &error),
        };
    }
    let id = match arguments.id.as_deref().and_then(|id| id.parse().ok()).map(OutId) {
        Some(id) if letters.iter().any(|letter| letter.id == id) => id,
        Some(_) => return fail(exit::DATA, &"this game has no letter of that number; `omerta letters TAG` lists them"),
        None => return fail(exit::USAGE, &"which letter? `omerta letters TAG` lists their numbers"),
    };
    let now = opened.clock.now();
    let done = match action.as_str() {
        "resend" => opened.desk.store.write(|tx| tx.resend(id, now)).map(|()| "goes out again with the same words"),
        "release" => opened.desk.store.write(|tx| tx.release(&[id])).map(|released| match released {
            0 => "is not held; nothing was done",
            _ => "is held no longer and goes out",
        }),
        "show" => {
            return match opened.desk.store.read(|tx| tx.out_bytes(id)) {
                Ok(Some(bytes)) => match opened.desk.readable(bytes) {
                    Ok(bytes) => shown::letter(&bytes, arguments.raw, arguments.json),
                    Err(error) => fail(exit::UNAVAILABLE, &error),
                },
                Ok(None) => fail(exit::DATA, &format!("the words of letter {} were erased", id.0)),
                Err(error) => fail(exit::UNAVAILABLE, &error),
            };
        }
        other => return fail(exit::USAGE, &format!("`{other}` is none of resend, release, show, preview")),
    };
    match done {
        Ok(said) => out::say(&format!("letter {} {said}", id.0)),
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
    if letters.is_empty() {
        return out::say(&"no letters yet: the first ones go out when the game starts");
    }
    let heading = ["ID", "STATE", "KIND", "TURN", "TO", "SUBJECT", ""];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(letters.iter().map(|letter| {
        vec![
            letter.id.0.to_string(),
            letter.state.word().to_owned(),
            letter.kind.clone(),
            letter.turn.to_string(),
            letter.to.clone(),
            letter.subject.clone(),
            letter.why.as_deref().map(|why| format!("({why})")).unwrap_or_default(),
        ]
    }));
    out::say(&out::columns(&rows))
}
