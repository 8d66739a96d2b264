//! Over Maildirs: at named instants, by SIGKILL in mid-turn, after letters were dropped, in mid-delivery, and at random
//! moments. Journal, game and every Maildir must be the same in the end.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use omerta::failpoint::Point;
use omerta::store::StoreError;
use serde_json::Value;

use crate::house::binary::{Machine, rest};
use crate::house::{self, raw_letter};
use crate::{KILLS, kills_wanted};

const TAG: &str = "palermo";
const ROSTER: &str = "address,nick,role
p00@palermo.test,Анна,citizen
p01@palermo.test,Борис,mafioso
p02@palermo.test,Вера,citizen
p03@palermo.test,Глеб,commissioner
p04@palermo.test,Дарья,doctor
p05@palermo.test,Егор,citizen
p06@palermo.test,Жанна,boss
p07@palermo.test,Ирина,foundling
p08@palermo.test,Кирилл,maniac
p09@palermo.test,Лев,sergeant
p10@palermo.test,Мария,kamikaze
p11@palermo.test,Нина,citizen
";
/// A moment of the game: the clock is set, letters lie in the inbox, and when all of it is done the host speaks.
struct Step {
    at: &'static str,
    /// Player, arrival, text. The same text of the same player is a copy of one letter; 100 + n is a copy by n.
    letters: Vec<(u16, &'static str, &'static str)>,
    commands: Vec<Vec<&'static str>>,
}

fn step(at: &'static str, letters: &[(u16, &'static str, &'static str)], commands: &[&[&'static str]]) -> Step {
    Step { at, letters: letters.to_vec(), commands: commands.iter().map(|words| words.to_vec()).collect() }
}

/// Four turns with everything in them that leaves a letter or an event.
fn script() -> Vec<Step> {
    let (first, second, third, fourth) =
        ("2026-11-30T10:00:00Z", "2026-11-30T17:00:00Z", "2026-12-02T10:00:00Z", "2026-12-03T10:00:00Z");
    vec![
        step("2026-11-30T09:00:00Z", &[], &[&["deadline", TAG, "2026-11-30 18:00"], &["start", TAG]]),
        step(
            first,
            &[
                (0, first, "ЛС - Вера: кто ты?\nЗаписка - Егор: прощай"),
                (1, first, "Убийство - Лев\nКлану: Льва"),
                (2, first, "Роль"),
                (3, first, "Проверка - Борис\nЗаписка - Анна: это Борис"),
                (4, first, "Лечение - Анна"),
                (5, first, "Всем привет"),
                (6, first, "Убийство - Лев"),
                (8, first, "Убийство - Нина"),
                (9, first, "Статус\nИгроки"),
                (99, first, "Суд Линча - Анна"),
            ],
            &[&["warn", TAG, "Егор", "не спите"]],
        ),
        step("2026-11-30T12:00:00Z", &[], &[]),
        step(
            "2026-11-30T15:00:30Z",
            &[
                (8, "2026-11-30T14:59:59Z", "Убийство - Егор"),
                (3, "2026-11-30T15:00:00Z", "Проверка - Жанна\nЗаписка - Вера: поздно"),
                (102, "2026-11-30T09:30:00Z", "Роль"),
            ],
            &[],
        ),
        step("2026-11-30T15:02:00Z", &[], &[]),
        step(
            second,
            &[
                (0, second, "Суд Линча - Жанна\nОхота - Борис"),
                (1, second, "Суд Линча - Анна\nУбийство - Вера"),
                (2, second, "Суд Линча - Жанна\nОхота - Анна"),
                (3, second, "Суд Линча - Жанна\nПроверка - Кирилл\nПистолет - Кирилл"),
                (4, second, "Суд Линча - Жанна\nЛечение - Вера"),
                (6, second, "Суд Линча - Анна\nУбийство - Вера\nЛС - Глеб: привет"),
                (7, second, "Суд Линча - Жанна"),
                (8, second, "Суд Линча - Жана\nУбийство - Дарья"),
                (10, second, "Суд Линча - Анна\nПоиск - Глеб"),
                (11, second, "Суд Линча - Жанна\nОтмена - Суд Линча"),
            ],
            &[&["pause", TAG]],
        ),
        step(
            "2026-11-30T18:00:00Z",
            &[
                (8, "2026-11-30T17:30:00Z", "Суд Линча - Жанна"),
                // The copy of a letter that was read long ago, by a way on which it arrived earlier.
                (100, "2026-11-30T16:30:00Z", "Суд Линча - Жанна\nОхота - Борис"),
            ],
            &[&["resume", TAG]],
        ),
        step("2026-12-01T18:30:00Z", &[], &[&["deadline", TAG, "2026-12-01 22:00"]]),
        step(
            "2026-12-01T19:00:30Z",
            &[
                (11, "2026-12-01T18:59:59Z", "Суд Линча - Жанна\nЗаписка - Анна: успела"),
                (7, "2026-12-01T19:00:00Z", "Суд Линча - Анна"),
            ],
            &[],
        ),
        step("2026-12-01T19:02:00Z", &[], &[]),
        step(
            third,
            &[(7, third, "Суд Линча - Лев\nУбийство - Лев"), (4, third, "Суд Линча - Ирина")],
            &[&["deprive", TAG, "Нина"], &["extend", TAG, "+1h"]],
        ),
        step("2026-12-02T19:02:00Z", &[], &[]),
        step(
            "2026-12-02T20:00:00Z",
            &[(7, "2026-12-02T19:30:00Z", "Статус"), (0, "2026-12-02T19:31:00Z", "Суд Линча - Ирина")],
            &[&["forgive", TAG, "all"]],
        ),
        step(
            fourth,
            &[
                (0, "2026-12-02T18:00:00Z", "Суд Линча - Нина"),
                (0, fourth, "Суд Линча - Вера"),
                (2, fourth, "Суд Линча - Нина"),
                (11, fourth, "Суд Линча - Вера"),
            ],
            &[&["expel", TAG, "Ирина", "грубость"]],
        ),
        step("2026-12-03T12:00:00Z", &[], &[&["resolve", TAG]]),
        step("2026-12-03T12:02:00Z", &[], &[]),
    ]
}

/// How a step is disturbed.
#[derive(Clone, Copy, Debug)]
enum Kill {
    Never,
    /// Killed at rest, then started so that it dies at the n-th passing of a point.
    At(Point, u32),
    /// As soon as the letters lie there.
    AfterDrop,
    /// When the first outgoing letter can be seen.
    InDelivery,
    After(Duration),
}

/// A game in progress.
struct Run {
    machine: Machine,
    kills: usize,
    /// The instant at which the daemon is to die by itself.
    waits_for: Option<Point>,
    hit: BTreeSet<&'static str>,
    /// What the commands said.
    said: Vec<String>,
}

impl Run {
    fn play(template: &Machine, mut kill: impl FnMut(usize) -> Kill) -> Run {
        let mut run =
            Run { machine: template.copy(), kills: 0, waits_for: None, hit: BTreeSet::new(), said: Vec::new() };
        run.machine.start(&[]);
        for (number, step) in script().iter().enumerate() {
            run.step(step, kill(number));
        }
        assert_eq!(run.machine.stop(), Some(0), "{}", run.machine.log());
        run
    }

    fn step(&mut self, step: &Step, kill: Kill) {
        if let Kill::At(point, passing) = kill {
            self.waits_for = None;
            self.machine.kill();
            self.kills += 1;
            self.machine.start(&["--fail-at", &format!("{}:{passing}", point.name())]);
        }
        self.machine.set_clock(step.at);
        let before = delivered(&self.machine);
        for (micros, (player, arrived, text)) in (0..).zip(&step.letters) {
            drop_letter(&self.machine, *player, arrived, text, micros);
        }
        let begun = Instant::now();
        match kill {
            Kill::Never => {}
            Kill::At(point, _) => {
                self.waits_for = Some(point);
                until("a crash or rest", || !self.machine.lives() || is_quiet(&self.machine));
                self.revive();
            }
            Kill::AfterDrop => self.kill(),
            Kill::InDelivery => {
                let machine = &mut self.machine;
                until("a letter goes out", || !machine.lives() || delivered(machine) > before || is_quiet(machine));
                // It may have died at an instant that was meant for an earlier step.
                if machine.lives() { self.kill() } else { self.revive() }
            }
            Kill::After(delay) => {
                until("its moment", || begun.elapsed() >= delay);
                self.kill();
            }
        }
        let killed = !matches!(kill, Kill::Never);
        self.settle(killed);
        for words in &step.commands {
            let said = self.machine.say(&[&["game"], words.as_slice()].concat());
            self.said.push(format!("{words:?} {} {}{}", said.code, said.out, said.err));
        }
        self.settle(killed);
        if self.machine.store().read(|tx| tx.next_out_due()).unwrap().is_some() {
            // A crash cut an attempt short; the next one is due in a minute, a third one five minutes later.
            self.machine.wait_seconds(301);
            self.settle(false);
        }
    }

    fn kill(&mut self) {
        self.waits_for = None;
        self.machine.kill();
        self.kills += 1;
        self.machine.start(&[]);
    }

    /// Lets the daemon do all that is to be done now. After a kill letters may be left whose attempt was cut short;
    /// the new daemon has been through its first round then, so that nothing else is left.
    fn settle(&mut self, killed: bool) {
        until("rest", || {
            self.revive();
            let pid = self.machine.pid();
            let status = self.machine.store().read(|tx| tx.daemon_status()).unwrap();
            let queued = self.machine.store().read(|tx| tx.next_out_due()).unwrap().is_some();
            is_quiet(&self.machine) && if killed { status.is_some_and(|(_, beat)| beat == pid) } else { !queued }
        });
    }

    /// Starts the daemon again when it has died where it was to die.
    fn revive(&mut self) {
        if self.machine.lives() {
            return;
        }
        let Some(point) = self.waits_for.take() else { panic!("the daemon died by itself: {}", self.machine.log()) };
        self.kills += 1;
        self.hit.insert(point.name());
        self.machine.start(&[]);
    }
}

pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        rest();
    }
}

/// Every letter is read, every game has what was due, no letter can go out now.
pub fn is_quiet(machine: &Machine) -> bool {
    let now = machine.now();
    machine.unread() == 0
        && machine
            .store()
            .read(|tx| {
                let later = tx.next_out_due()?.is_none_or(|next| next > now);
                Ok::<_, StoreError>(later && tx.games_due(now, 1)?.is_empty())
            })
            .unwrap()
}

/// How many letters lie with their addressees.
fn delivered(machine: &Machine) -> usize {
    machine.addresses().iter().map(|address| machine.files(address).len()).sum()
}

fn drop_letter(machine: &Machine, player: u16, arrived: &str, text: &str, micros: u32) {
    let author = player % 100;
    let letter = text.bytes().fold(u64::from(author), |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let from = if author == 99 { "stranger@else.test".to_owned() } else { house::address(TAG, author) };
    let mut raw = format!("Received: by way {player}\r\n").into_bytes();
    raw.extend(raw_letter(&from, TAG, &format!("{letter:x}@players.test"), text));
    machine.drop_in(arrived, micros + u32::from(player), &raw);
}

/// A machine with the game made and its daemon not yet started: all runs begin from its very files, so that seed, proof
/// words and Message-IDs are the same in all.
fn template() -> Machine {
    let machine = Machine::new();
    std::fs::write(machine.folder.join("roster.csv"), ROSTER).unwrap();
    machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    machine
}

/// What must be the same however often the daemon died.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    journal: Vec<Value>,
    show: Value,
    said: Vec<String>,
    /// Kind, turn, subject, body of every letter of an address, sorted.
    mail: BTreeMap<String, Vec<(String, u16, String, String)>>,
}

/// A letter's words, but those of the morning letter: it counts what was read by its minute, which a kill may change.
pub fn steady(body: &str) -> String {
    if body.contains("\nПочтовый ящик") { String::new() } else { body.to_owned() }
}

fn outcome(run: &Run) -> Outcome {
    let machine = &run.machine;
    let mut mail = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for address in machine.addresses() {
        let got = machine.got(&address);
        for letter in &got {
            assert!(
                ids.insert(letter.message_id.clone()),
                "{address} has {} twice: {}",
                letter.message_id,
                letter.subject
            );
        }
        let mut got: Vec<_> = got.into_iter().map(|got| (got.kind, got.turn, got.subject, steady(&got.body))).collect();
        got.sort();
        mail.insert(address, got);
    }
    let letters = machine.json(&["letters", TAG, "--json"]);
    for letter in letters.as_array().unwrap() {
        // A reminder that a crash held back beyond its deadline would be useless; here none is.
        assert_eq!(letter["state"], "sent", "{letter}");
        assert!(ids.contains(letter["message_id"].as_str().unwrap()), "said to be sent and nowhere: {letter}");
    }
    let export = machine.ok(&["export", TAG]);
    let file = machine.folder.join("journal.jsonl");
    std::fs::write(&file, &export).unwrap();
    machine.ok(&["verify", file.to_str().unwrap()]);
    Outcome {
        journal: normal(&export),
        show: machine.json(&["game", "show", TAG, "--json"]),
        said: run.said.clone(),
        mail,
    }
}

/// The journal without what chance gives each run: salts. Letters of one moment may be read in any order, and are
/// numbered as they are read; here they stand in order of arrival, behind what the clock itself did then.
pub fn normal(export: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.iter_mut().for_each(without_chance);
    let arrival =
        |line: &Value| (line["at"].to_string(), line["order"]["second"].as_i64(), line["order"]["within"].to_string());
    lines.chunk_by_mut(|a, b| a["at"] == b["at"]).for_each(|run| run.sort_by_key(|line| line["event"] != "nagged"));
    lines.chunk_by_mut(|a, b| a["event"] == "heard" && b["event"] == "heard").for_each(|run| run.sort_by_key(arrival));
    lines
}

fn without_chance(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                if ["hash", "seq", "letter"].contains(&name.as_str()) {
                    *value = Value::Null;
                }
                without_chance(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_chance),
        _ => {}
    }
}

fn compare(undisturbed: &Outcome, run: &Run, how: &str) {
    let disturbed = outcome(run);
    assert_eq!(undisturbed.said, disturbed.said, "{how}: what the commands said");
    assert_eq!(undisturbed.show, disturbed.show, "{how}: the game");
    for (at, (one, other)) in undisturbed.journal.iter().zip(&disturbed.journal).enumerate() {
        assert_eq!(one, other, "{how}: line {} of the journal", at + 1);
    }
    assert_eq!(undisturbed.journal.len(), disturbed.journal.len(), "{how}: the journal's length");
    let addresses = |outcome: &Outcome| outcome.mail.keys().cloned().collect::<Vec<_>>();
    assert_eq!(addresses(undisturbed), addresses(&disturbed), "{how}: who got mail");
    for (address, got) in &undisturbed.mail {
        assert_eq!(got, &disturbed.mail[address], "{how}: the mail of {address}");
    }
}

/// The whims of one run.
struct Whims(u64);

impl Whims {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn kill(&mut self) -> Kill {
        match self.below(8) {
            0 => Kill::AfterDrop,
            1 | 2 => Kill::InDelivery,
            3 | 4 => Kill::After(Duration::from_millis(self.below(250))),
            _ => {
                let points = points();
                let point = points[usize::try_from(self.below(points.len() as u64)).unwrap()];
                Kill::At(point, 1 + u32::try_from(self.below(12)).unwrap())
            }
        }
    }
}

/// The instants that a game passes without a line to a server.
fn points() -> Vec<Point> {
    Point::ALL.into_iter().filter(|point| !point.is_of_a_line() && *point != Point::WhileMigrating).collect()
}

#[test]
fn a_game_ends_the_same_whatever_instant_the_daemon_dies_at() {
    let template = template();
    // Each named instant, in a step in which it is passed.
    let named = |step: usize| match step {
        1 => Kill::At(Point::WhileReceiving, 4),
        2 => Kill::At(Point::AfterDeliveryBeforeSettle, 1),
        3 => Kill::At(Point::AfterCommitBeforeMark, 1),
        4 => Kill::At(Point::WhileClosing, 1),
        5 => Kill::At(Point::WhileMarking, 3),
        6 => Kill::AfterDrop,
        7 => Kill::After(Duration::from_millis(30)),
        8 => Kill::At(Point::AfterCommitBeforeMark, 1),
        9 => Kill::At(Point::WhileWritingLetters, 14),
        10 => Kill::At(Point::WhileDelivering, 2),
        11 => Kill::At(Point::WhileClosing, 1),
        12 => Kill::At(Point::AfterAttemptBeforeDelivery, 1),
        13 => Kill::At(Point::BeforeCommit, 1),
        14 => Kill::At(Point::AfterCommit, 1),
        15 => Kill::At(Point::AfterDeliveryBeforeSettle, 1),
        _ => Kill::InDelivery,
    };
    let mut whims = Whims(1);
    let (first, named, random) = thread::scope(|scope| {
        let first = scope.spawn(|| Run::play(&template, |_| Kill::Never));
        let named = scope.spawn(|| Run::play(&template, named));
        let random = Run::play(&template, |_| whims.kill());
        (first.join().unwrap(), named.join().unwrap(), random)
    });
    let undisturbed = outcome(&first);
    assert_rich(&undisturbed);
    let points: BTreeSet<&str> = points().iter().map(|point| point.name()).collect();
    assert_eq!(named.hit, points, "every instant is passed");
    compare(&undisturbed, &named, "at named instants");
    compare(&undisturbed, &random, "with the whims of seed 1");
    let mut kills = named.kills + random.kills;
    let wanted = kills_wanted();
    for seed in 2.. {
        if kills >= wanted {
            break;
        }
        let mut whims = Whims(seed);
        let run = Run::play(&template, |_| whims.kill());
        compare(&undisturbed, &run, &format!("with the whims of seed {seed}"));
        kills += run.kills;
    }
    assert!(kills >= wanted.max(KILLS), "{kills} kills only");
    eprintln!("{kills} kills over Maildirs; 0 letters came twice");
}

/// The script is worth the trouble: it ends, and leaves most kinds of events and letters.
fn assert_rich(outcome: &Outcome) {
    assert_eq!(outcome.show["state"], "finished", "{:#?} {:#}", outcome.said, outcome.show);
    assert_ne!(outcome.show["winner"], "none");
    let events: BTreeSet<&str> = outcome.journal.iter().filter_map(|line| line["event"].as_str()).collect();
    for event in
        ["heard", "rearranged", "reminded", "paused", "resumed", "host_acted", "host_warned", "misses_forgiven"]
    {
        assert!(events.contains(event), "no {event} among {events:?}");
    }
    let kinds: BTreeSet<&str> = outcome.mail.values().flatten().map(|(kind, ..)| kind.as_str()).collect();
    for kind in [
        "opening",
        "role",
        "receipt",
        "answer",
        "help",
        "refused",
        "reminder",
        "result",
        "death",
        "expulsion",
        "warning",
        "deprivation",
        "note",
        "pm",
        "clan",
        "notice",
        "summary",
        "alert",
        "final",
    ] {
        assert!(kinds.contains(kind), "no {kind} among {kinds:?}");
    }
    assert!(outcome.said.iter().all(|said| said.contains("] 0 ")), "{:#?}", outcome.said);
}
