//! `omerta game ...`: the host's hands. Every verb is a [`Command`] of the desk, or a look.

use std::path::PathBuf;

use clap::Subcommand;
use jiff::Timestamp;
use serde_json::json;

use super::load::{self, Opened, Place};
use super::{exit, fail, out, print_json};
use crate::desk::DeskError;
use crate::desk::command::{self, Command, CommandError, Forgiven, Whom};
use crate::journal::{Held, winner_word};
use crate::letters::{Lang, orders};
use crate::rules::game::Life;
use crate::table::{Phase, State, Table};

#[derive(Debug, Subcommand)]
pub enum GameCommand {
    /// Make a game
    New(super::new::NewArguments),
    /// All games
    List {
        #[arg(long)]
        json: bool,
    },
    /// One game: turn, deadline, players with their roles
    Show {
        tag: String,
        #[arg(long)]
        json: bool,
    },
    /// Open sign-up by letter, or change its terms
    Open(super::signup::OpenArguments),
    /// Close sign-up
    Close { tag: String },
    /// Accept applicants, all of these or none
    Accept {
        tag: String,
        #[arg(required = true)]
        nicks: Vec<String>,
    },
    /// Decline applicants, all of these or none
    Decline {
        tag: String,
        #[arg(required = true)]
        nicks: Vec<String>,
    },
    /// Deal the roles and open turn 1
    Start { tag: String },
    /// Set the deadline: 21:00, `tomorrow 21:00`, `Friday 21:00`, `2026-12-05 21:00[:SS]` in the game's zone, RFC 3339, or +90s, +2h, +1d
    Deadline {
        tag: String,
        #[arg(required = true)]
        when: Vec<String>,
    },
    /// Move the deadline: +2h, or to a later time
    Extend {
        tag: String,
        #[arg(required = true)]
        by: Vec<String>,
    },
    /// Let no turn end by itself on these dates: `31 December, 1-8 January`; `none` takes all back
    Skip {
        tag: String,
        #[arg(required = true)]
        dates: Vec<String>,
    },
    /// Take requests, but let no deadline fire
    Pause { tag: String },
    /// Go on with what was left of the turn
    Resume { tag: String },
    /// End the turn at once
    Resolve { tag: String },
    /// Make known a closed turn that waits
    Publish { tag: String },
    /// The letters of a closed turn before they leave
    Preview {
        tag: String,
        #[arg(long)]
        json: bool,
    },
    /// Words of yours at the head of the next summary
    Story {
        tag: String,
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Before publication: rule that a player is alive after all, or dead
    Rule {
        tag: String,
        nick: String,
        #[arg(value_parser = ["alive", "dead"])]
        fate: String,
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Take back the resolution of the turn closed last; `resolve` judges it again
    Undo { tag: String },
    /// End the game without a winner
    Cancel { tag: String },
    /// Give a player's seat to another person
    ///
    /// Without an address the first of the waiting list is asked by letter, then the next
    Replace { tag: String, nick: String, address: Option<String> },
    /// Hand in forum accounts from a CSV with the header forum_name,password; each player gets one with his role
    ///
    /// While the game is on: other passwords of its accounts
    Accounts { tag: String, file: PathBuf },
    /// The roster for the forum, with the photographs
    Roster {
        tag: String,
        /// Write it and the photographs into this folder; without it the text alone is printed
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Note that the results stand in the topic, at this link
    Posted { tag: String, link: String },
    /// Note who wrote in the topic after all
    Wrote {
        tag: String,
        #[arg(required = true)]
        nicks: Vec<String>,
    },
    /// Note who was silent in the topic (rule 9.1)
    Silent {
        tag: String,
        #[arg(required = true)]
        nicks: Vec<String>,
    },
    /// Read the feed of the game's topic (rule 9.1) at this link; `none` reads none
    Feed {
        tag: String,
        /// The link, from https://, or `none`
        #[arg(value_name = "URL")]
        address: String,
    },
    /// End the game: town, mafia, maniac or draw has won
    Finish { tag: String, winner: Option<String> },
    /// Warn a player in your own words
    Warn {
        tag: String,
        nick: String,
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Take the vote from players
    Deprive {
        tag: String,
        #[arg(required = true)]
        nicks: Vec<String>,
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        turns: u16,
    },
    /// Forgive a missed vote, or a silence; `all` forgives everybody
    Forgive {
        tag: String,
        /// Nicks or `all`; behind them `miss` or `silence`, else a miss is meant
        #[arg(required = true, value_name = "NICK")]
        nicks: Vec<String>,
    },
    /// Expel a player
    Expel { tag: String, nick: String, text: Vec<String> },
    /// The chain of reasons of a turn, or of one player's fate in it; for the host alone
    Why(super::why::WhyArguments),
}

pub fn run(place: &Place, wanted: GameCommand) -> u8 {
    // Only a new game is worth a new database.
    let opened = match &wanted {
        GameCommand::New { .. } => Opened::desk(place),
        _ => Opened::looking(place),
    };
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let one = |tag: String, command: Command| (tag, command);
    let (tag, command) = match wanted {
        GameCommand::New(arguments) => return super::new::run(&mut opened, arguments),
        GameCommand::List { json } => return list(&mut opened, json),
        GameCommand::Show { tag, json } => return show(&mut opened, &tag, json),
        GameCommand::Why(arguments) => return super::why::run(&opened, &arguments),
        GameCommand::Open(arguments) => match arguments.read() {
            Ok((tag, terms)) => one(tag, Command::Open(terms)),
            Err(fault) => return fail(exit::DATA, &fault),
        },
        GameCommand::Close { tag } => one(tag, Command::Close),
        GameCommand::Accept { tag, nicks } => match Command::judging(nicks, true) {
            Some(command) => one(tag, command),
            None => return fail(exit::USAGE, &"name an applicant"),
        },
        GameCommand::Decline { tag, nicks } => match Command::judging(nicks, false) {
            Some(command) => one(tag, command),
            None => return fail(exit::USAGE, &"name an applicant"),
        },
        GameCommand::Start { tag } => one(tag, Command::Start),
        GameCommand::Deadline { tag, when } => one(tag, Command::Deadline { when: when.join(" ") }),
        GameCommand::Extend { tag, by } => one(tag, Command::Extend { by: by.join(" ") }),
        GameCommand::Skip { tag, dates } => one(tag, Command::Skip { dates: dates.join(" ") }),
        GameCommand::Pause { tag } => one(tag, Command::Pause),
        GameCommand::Resume { tag } => one(tag, Command::Resume),
        GameCommand::Resolve { tag } => one(tag, Command::Resolve),
        GameCommand::Publish { tag } => one(tag, Command::Publish),
        GameCommand::Preview { tag, json } => return super::publication::preview(&mut opened, &tag, json),
        GameCommand::Story { tag, text } => one(tag, Command::Story { text: text.join(" ") }),
        GameCommand::Rule { tag, nick, fate, text } => {
            one(tag, Command::Rule { nick, alive: fate == "alive", text: text.join(" ") })
        }
        GameCommand::Undo { tag } => one(tag, Command::Undo),
        GameCommand::Cancel { tag } => one(tag, Command::Cancel),
        GameCommand::Replace { tag, nick, address: Some(address) } => one(tag, Command::Replace { nick, address }),
        GameCommand::Replace { tag, nick, address: None } => one(tag, Command::OfferSeat { nick }),
        GameCommand::Accounts { tag, file } => match super::signup::read_accounts(&file) {
            Ok(accounts) => one(tag, Command::Accounts { accounts }),
            Err(code) => return code,
        },
        GameCommand::Roster { tag, output } => return super::roster::run(&mut opened, &tag, output.as_deref()),
        GameCommand::Posted { tag, link } => one(tag, Command::Posted { link }),
        GameCommand::Wrote { tag, nicks } => one(tag, Command::Watched { silent: false, nicks }),
        GameCommand::Silent { tag, nicks } => one(tag, Command::Watched { silent: true, nicks }),
        GameCommand::Feed { tag, address } => one(tag, Command::Feed { address }),
        GameCommand::Finish { tag, winner } => match command::winner_named(&winner.unwrap_or_default()) {
            Ok(winner) => one(tag, Command::Finish { winner }),
            Err(fault) => return fail(exit::USAGE, &CommandError::from(fault)),
        },
        GameCommand::Warn { tag, nick, text } => one(tag, Command::Warn { nick, text: text.join(" ") }),
        GameCommand::Deprive { tag, nicks, turns } => one(tag, Command::Deprive { nicks, turns }),
        GameCommand::Forgive { tag, mut nicks } => {
            let what = match nicks.as_slice() {
                [_, .., last] if last == "silence" => Some(Forgiven::Silence),
                [_, .., last] if last == "miss" => Some(Forgiven::Miss),
                _ => None,
            };
            if what.is_some() {
                nicks.pop();
            }
            let whom = if matches!(nicks.as_slice(), [all] if all == "all") { Whom::All } else { Whom::Nicks(nicks) };
            one(tag, Command::Forgive { whom, what: what.unwrap_or(Forgiven::Miss) })
        }
        GameCommand::Expel { tag, nick, text } => one(tag, Command::Expel { nick, text: text.join(" ") }),
    };
    let now = opened.clock.now();
    let done = opened.desk.command(&tag, &command, now);
    let zone = opened.desk.table(&tag).map(|(_, table)| table.zone).unwrap_or_default();
    say(done.map(|did| format!("{tag}: {}", orders::did(Lang::En, &zone, &did).what)))
}

pub(super) fn say(done: Result<String, CommandError>) -> u8 {
    match done {
        Ok(done) => out::say(&done),
        Err(CommandError::Desk(error)) if !matches!(error, DeskError::NoGame(_)) => fail(exit::UNAVAILABLE, &error),
        Err(error) => fail(exit::DATA, &error),
    }
}

fn list(opened: &mut Opened, json: bool) -> u8 {
    let games = match opened.desk.store.read(|tx| tx.games()) {
        Ok(games) => games,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    if json {
        let games: Vec<_> =
            games.iter().map(|game| json!({"tag": game.tag, "title": game.title, "state": game.state})).collect();
        return print_json(&json!(games));
    }
    if games.is_empty() {
        return out::say(&"no games yet; `omerta game new TAG` makes one");
    }
    let mut rows = vec![["TAG", "STATE", "TITLE"].map(str::to_owned).to_vec()];
    rows.extend(games.into_iter().map(|game| vec![game.tag, game.state, game.title]));
    out::say(&out::columns(&rows))
}

fn show(opened: &mut Opened, tag: &str, json: bool) -> u8 {
    let (id, table) = match opened.desk.table(tag) {
        Ok(found) => found,
        Err(error @ DeskError::NoGame(_)) => return fail(exit::DATA, &error),
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let seats = match opened.desk.store.read(|tx| tx.seats(id)) {
        Ok(seats) => seats,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let address = |player: u16| {
        seats.iter().find(|seat| seat.player == player).map(|seat| seat.address.clone()).unwrap_or_default()
    };
    // Of a game that has ended none is read, and its own is erased with what is personal.
    let has_ended = matches!(table.state, State::Finished | State::Cancelled);
    let feed = match if has_ended { Ok(None) } else { opened.desk.feed_of_game(id) } {
        Ok(feed) => feed,
        Err(error) => return fail(exit::UNAVAILABLE, &error),
    };
    let now = opened.clock.now();
    if json {
        let applicants = super::signup::rows(opened, id, &table);
        let players: Vec<_> = table
            .seats()
            .map(|(id, player)| {
                json!({
                    "nick": player.nick,
                    "address": address(id.0),
                    "role": player.role,
                    "state": life_word(player.life),
                    "missed": player.missed,
                    "warned": player.warned,
                    "voted": table.game.has_voted(id),
                })
            })
            .collect();
        let mut shown = json!({
            "tag": table.tag,
            "title": table.title,
            "state": table.state.word(),
            "phase": table.phase_word(now),
            "turn": table.game.turn,
            "deadline": table.deadline.map(|deadline| deadline.to_string()),
            "players": if table.game.players.is_empty() { super::signup::players(&applicants) } else { players },
            "winner": winner_word(table.game.winner),
        });
        // Only a game that was open for sign-up has it.
        let signup = super::signup::to_json(&table, &applicants);
        if let (true, Some(fields)) = (table.settings.handshake, shown.as_object_mut()) {
            fields.insert("silent".to_owned(), json!(silent(&table)));
        }
        // Only a game that has one.
        if let (Some((feed, _)), Some(fields)) = (&feed, shown.as_object_mut()) {
            fields.insert("feed".to_owned(), json!(feed.whole()));
        }
        if let (false, Some(fields)) = (signup.is_null(), shown.as_object_mut()) {
            fields.insert("signup".to_owned(), signup);
        }
        return print_json(&shown);
    }
    let mut lines = vec![format!("{} - {}: {}", table.tag, table.title, table.state.word())];
    lines.extend(standing(&table, now));
    lines.extend(feed.map(|(feed, is_read)| match is_read {
        true => format!("the topic's feed: {}", feed.whole()),
        false => format!(
            "the topic's feed: {}; it is not read, for another game goes by it, too: `omerta game feed {tag} URL` gives \
             this one its own",
            feed.whole()
        ),
    }));
    if table.game.players.is_empty() && table.signup.is_some() {
        let applicants = super::signup::rows(opened, id, &table);
        lines.extend([String::new(), out::columns(&super::signup::columns(&applicants))]);
        return out::say(&lines.join("\n"));
    }
    lines.extend([String::new(), out::columns(&player_rows(&table, &address))]);
    out::say(&lines.join("\n"))
}

/// How a game stands and what it waits for, in sentences; `status` tells the same.
pub fn standing(table: &Table, now: Timestamp) -> Vec<String> {
    let tag = &table.tag;
    let turn = table.game.turn;
    let local = |moment| load::local(&table.zone, moment);
    let mut lines = Vec::new();
    match (table.state, table.phase) {
        (State::Signup, _) => {
            lines.extend(super::signup::standing(table));
            let silent = silent(table);
            if !silent.is_empty() {
                lines.push(format!("have not answered the first letter: {}", orders::named(&silent, "without a nick")));
            }
            lines.push(format!("not begun: `omerta game start {tag}` deals the roles and opens turn 1"));
            lines.extend(table.deadline.map(|deadline| format!("the first deadline will be {}", local(deadline))));
        }
        (State::Paused, _) => {
            let left = table.paused_left.map(|left| format!("{left:#}")).unwrap_or_default();
            lines.push(format!("turn {turn} is paused with {left} left; `omerta game resume {tag}` goes on"));
        }
        (State::Playing, Phase::Open) => {
            let deadline = table.deadline.map(local).unwrap_or_else(|| "none".to_owned());
            match table.deadline.filter(|deadline| *deadline <= now) {
                None => lines.push(format!("turn {turn} is open; deadline {deadline}")),
                Some(passed) => {
                    let settled = passed.saturating_add(table.settings.settle).unwrap_or(passed);
                    lines.push(format!(
                        "turn {turn} is over since {deadline}; mail that is on its way is waited for until {}",
                        local(settled)
                    ));
                }
            }
            let owing = table.owing();
            if !owing.is_empty() {
                lines.push(format!("still owe a vote: {}", owing.join(", ")));
            }
        }
        (State::Playing, Phase::Review) if table.window.is_some() => {
            lines.push(format!("turn {turn} is closed and waits for a last word (pistol_mode); it goes on by itself"));
        }
        (State::Playing, Phase::Review) if table.is_taken_back() => {
            lines.push(format!("turn {turn} is taken back; `omerta game resolve {tag}` judges it again"));
        }
        (State::Playing, Phase::Review) => {
            lines.push(format!("turn {turn} is closed and waits for you; `omerta game publish {tag}` makes it known"));
            lines.extend(table.publishes_itself_at().map(|at| format!("it goes out by itself at {}", local(at))));
            if table.held == Some(Held::ManyMisses) {
                lines.push(format!(
                    "over a third of the living missed the vote; `omerta game forgive {tag} all` takes the misses back"
                ));
            }
        }
        (State::Finished, _) => lines.push(format!("winner: {}", winner_word(table.game.winner))),
        (State::Cancelled, _) => {}
    }
    lines
}

/// Nicks of those who have not answered the first letter (`handshake`).
fn silent(table: &Table) -> Vec<String> {
    table.silent_hands().into_iter().map(|who| table.nick_of(who)).collect()
}

fn player_rows(table: &Table, address: &dyn Fn(u16) -> String) -> Vec<Vec<String>> {
    let heading = ["NICK", "ROLE", "STATE", "VOTED", "MISSED", "WARNED", "ADDRESS"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(table.seats().map(|(id, player)| {
        let voted = player.life == Life::Alive && table.game.has_voted(id);
        vec![
            player.nick.clone(),
            player.role.map_or_else(|| "-".to_owned(), |role| load::word_of(&role)),
            life_word(player.life).to_owned(),
            if voted { "yes" } else { "-" }.to_owned(),
            player.missed.to_string(),
            player.warned.to_string(),
            address(id.0),
        ]
    }));
    rows
}

fn life_word(life: Life) -> &'static str {
    match life {
        Life::Alive => "alive",
        Life::Dead => "dead",
        Life::Expelled => "expelled",
    }
}
