//! The price of one letter against the number of games and the length of their journals: it should depend on neither.
//! Run: `cargo bench --bench flat`. Each figure is the median of 200 letters, each received, judged, journaled and
//! answered in a transaction of its own (with its fsync).

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use omerta::config::Config;
use omerta::desk::Desk;
use omerta::desk::command::{self, Command, NewGame};
use omerta::letters::render::Templates;
use omerta::mail::link::{Arrived, Outcome};
use omerta::roster::Roster;
use omerta::rules::Order;
use omerta::rules::rulebook::Rulebook;
use omerta::store::Store;

const LETTERS: u64 = 200;
const PLAYERS: u64 = 20;

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    println!("{:>6} games, {:>6} letters in the journal: {:>12} a letter", "", "", "");
    for (games, letters) in [(1, 0), (1, 1_000), (1, 10_000), (100, 0), (1_000, 0), (1_000, 10_000)] {
        let folder = tempfile::tempdir()?;
        let price = measure(folder.path(), games, letters)?;
        println!("{games:>6} games, {letters:>6} letters in the journal: {price:>12.1?} a letter");
    }
    Ok(())
}

fn measure(folder: &Path, games: u64, letters: u64) -> Done<Duration> {
    let mut house = House::build(folder, games)?;
    // The journal grows over many turns, as it does in life: votes, then a close.
    let mut written = 0;
    while written < letters {
        let batch = (letters - written).min(500);
        house.receive_many(batch)?;
        written += batch;
        house.close()?;
    }
    let mut times = Vec::new();
    for _ in 0..LETTERS {
        let letter = house.letter();
        let start = Instant::now();
        house.desk.receive(&[letter], &[], house.now)?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}

struct House {
    desk: Desk,
    now: Timestamp,
    written: u64,
}

impl House {
    fn build(folder: &Path, games: u64) -> Done<House> {
        let text = "timezone = \"Europe/Moscow\"\n[host]\naddresses = [\"host@example.org\"]\n[inbox]\nkind = \"maildir\"\n\
                    [outbox]\nkind = \"maildir\"\nfrom = \"mafia@example.org\"\n[security]\nreplies_per_hour = 1000000\n";
        let file = folder.join("config.toml");
        std::fs::write(&file, text)?;
        let config = Config::load(&file).map_err(|faults| format!("{faults:?}"))?;
        let templates = Templates::load(None).map_err(|faults| format!("{faults:?}"))?;
        let store = Store::open(&config.database)?;
        let settings = command::settings(&config);
        let mut desk = Desk::new(store, Arc::new(config), Arc::new(templates))?;
        let now: Timestamp = "2026-11-30T09:00:00Z".parse()?;
        for game in 0..games {
            let tag = format!("game{game}");
            let rows: String =
                (0..PLAYERS).map(|player| format!("p{player}@{tag}.test,Игрок {}\n", letters(player))).collect();
            let roster =
                Roster::read(format!("address,nick\n{rows}").as_bytes()).map_err(|faults| format!("{faults:?}"))?;
            let new = NewGame {
                title: tag.clone(),
                tag: tag.clone(),
                roster,
                rulebook: Rulebook::default(),
                settings: settings.clone(),
                hosts: vec!["host@example.org".to_owned()],
                moderators: Vec::new(),
                forums: Vec::new(),
                feed: None,
                seed: Some([1; 32]),
            };
            desk.new_game(&new, now)?;
            desk.command(&tag, &Command::Start, now)?;
        }
        Ok(House { desk, now, written: 0 })
    }

    /// The next letter of some player of the first game: a note of nothing, so that nobody dies of it.
    fn letter(&mut self) -> Arrived {
        self.written += 1;
        let player = self.written % PLAYERS;
        let text = format!(
            "From: p{player}@game0.test\r\nTo: mafia@example.org\r\nSubject: [game0]\r\nMessage-ID: <{}@bench.test>\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\r\nПистолет - Игрок а\r\n",
            self.written
        );
        Arrived {
            place: format!("{}", self.written),
            order: Order { second: self.now.as_second(), within: format!("{:012}", self.written) },
            raw: text.into_bytes(),
            too_large: false,
            junk: false,
            revalidated: false,
        }
    }

    fn receive_many(&mut self, count: u64) -> Done<()> {
        let letters: Vec<Arrived> = (0..count).map(|_| self.letter()).collect();
        self.desk.receive(&letters, &[], self.now)?;
        Ok(())
    }

    /// Ends the turn of the first game; nobody voted, so the host forgives all and publishes.
    fn close(&mut self) -> Done<()> {
        let Some(deadline) = self.desk.table("game0")?.1.deadline else { return Ok(()) };
        self.now = deadline.saturating_add(jiff::SignedDuration::from_mins(5))?;
        self.deliver_all()?;
        let (id, _) = self.desk.table("game0")?;
        self.desk.tend(id, self.now, Some(self.now))?;
        // Many misses wait for the host; the first turn has none.
        let forgive = Command::Forgive { whom: command::Whom::All, what: command::Forgiven::Miss };
        if self.desk.table("game0")?.1.held.is_some() {
            self.desk.command("game0", &forgive, self.now)?;
        }
        Ok(())
    }

    /// The outbox is emptied, as the daemon would: the next deadline waits for results.
    fn deliver_all(&mut self) -> Done<()> {
        loop {
            let due = self.desk.take_due_letters(self.now, 500, |_| true)?;
            if due.is_empty() {
                return Ok(());
            }
            let sent: Vec<Outcome> = due.iter().map(|_| Outcome::Sent).collect();
            self.desk.settle_letters(&due, &sent, self.now)?;
        }
    }
}

/// A nick's tail in letters: `а`, `б`, ...
fn letters(number: u64) -> char {
    "абвгдежзиклмнопрстуфхцчшщэюя".chars().nth(usize::try_from(number).unwrap_or_default()).unwrap_or('я')
}
