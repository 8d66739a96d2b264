//! A game whose daemon is killed again and again, at named instants and at random ones. Nothing is lost, nothing counts
//! twice; a letter comes twice only when the kill fell between the server's 250 and our commit, with the same
//! Message-ID and the same words. `OMERTA_KILLS` asks for more kills.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use omerta::config::Tls;
use omerta::failpoint::Point;
use omerta::store::StoreError;
use serde_json::Value;

use crate::house::binary::rest;
use crate::kills_wanted;
use crate::maildir::steady;
use crate::players::{Got, Party, TAG, Who};
use crate::servers::{Client, MailServer};

/// The instants that a game passes with lines to servers; the others are of Maildirs, and of a start.
fn points() -> Vec<Point> {
    let others = [Point::WhileMarking, Point::WhileDelivering, Point::WhileMigrating];
    Point::ALL.into_iter().filter(|point| !others.contains(point)).collect()
}

/// The clock is set, letters arrive (player, arrival, text), and when all of it is done the host speaks.
type Step = (&'static str, &'static [(usize, &'static str, &'static str)], &'static [&'static [&'static str]]);

/// Long before the servers' own time: their clocks are ahead, and hold up no close.
const STEPS: &[Step] = &[
    ("2026-03-02T09:00:00Z", &[], &[&["deadline", TAG, "2026-03-02 18:00"], &["start", TAG]]),
    (
        "2026-03-02T10:00:00Z",
        &[
            (1, "2026-03-02T09:30:00Z", "Убийство - Ирина"),
            (6, "2026-03-02T09:30:00Z", "Убийство - Ирина\nЗаписка - Вера: рано"),
            (10, "2026-03-02T09:30:01Z", "Убийство - Ирина\nПоиск - Анна"),
            (3, "2026-03-02T09:31:00Z", "Проверка - Жанна"),
            (4, "2026-03-02T09:31:00Z", "Лечение - Анна\nЛС - Вера: кто ты?"),
            (8, "2026-03-02T09:32:00Z", "Убийство - Анна"),
            (0, "2026-03-02T09:33:00Z", "Роль"),
        ],
        &[&["warn", TAG, "Егор", "не спите"]],
    ),
    ("2026-03-02T15:00:01Z", &[(9, "2026-03-02T15:00:00Z", "Статус")], &[]),
    (
        "2026-03-03T10:00:00Z",
        &[
            (0, "2026-03-03T09:00:00Z", "Суд Линча - Жанна"),
            (1, "2026-03-03T09:00:00Z", "Суд Линча - Вера\nУбийство - Нина"),
            (2, "2026-03-03T09:00:00Z", "Суд Линча - Жанна"),
            (3, "2026-03-03T09:00:00Z", "Суд Линча - Жанна\nПроверка - Борис\nПистолет - Кирилл"),
            (4, "2026-03-03T09:00:00Z", "Суд Линча - Жанна\nЛечение - Нина"),
            (5, "2026-03-03T09:00:00Z", "Суд Линча - Жанна\nОхота - Борис"),
        ],
        &[],
    ),
    (
        "2026-03-03T11:00:00Z",
        &[
            (6, "2026-03-03T10:30:00Z", "Суд Линча - Вера\nУбийство - Нина\nЗаписка - Вера: прощай"),
            (7, "2026-03-03T10:30:00Z", "Суд Линча - Жанна"),
            (8, "2026-03-03T10:30:00Z", "Суд Линча - Вера\nУбийство - Егор"),
            (9, "2026-03-03T10:30:00Z", "Суд Линча - Жанна"),
            (10, "2026-03-03T10:30:00Z", "Суд Линча - Вера\nУбийство - Нина\nПоиск - Глеб"),
            (11, "2026-03-03T10:30:00Z", "Суд Линча - Жанна"),
        ],
        &[],
    ),
    ("2026-03-03T12:00:00Z", &[], &[&["resolve", TAG]]),
    ("2026-03-03T12:00:01Z", &[], &[]),
];

/// In which step which instant is tried, and which passing of it.
const NAMED: [[(Point, u32); 7]; 4] = [
    [
        (Point::AfterDeliveryBeforeSettle, 2),
        (Point::WhileReceiving, 3),
        (Point::WhileClosing, 1),
        (Point::AfterCommitBeforeMark, 1),
        (Point::SmtpConnected, 1),
        (Point::AfterAttemptBeforeDelivery, 1),
        (Point::WhileWritingLetters, 14),
    ],
    [
        (Point::ImapConnected, 1),
        (Point::ImapSecured, 1),
        (Point::ImapGreeted, 1),
        (Point::ImapFetching, 2),
        (Point::ImapFiling, 1),
        (Point::ImapLoggedIn, 1),
        (Point::ImapProbing, 2),
    ],
    [
        (Point::SmtpSender, 2),
        (Point::SmtpSecured, 1),
        (Point::SmtpGreeted, 1),
        (Point::SmtpLoggedIn, 1),
        (Point::SmtpRecipient, 1),
        (Point::BeforeCommit, 1),
        (Point::SmtpData, 1),
    ],
    [
        (Point::ImapIdling, 1),
        (Point::SmtpAccepted, 2),
        (Point::BeforeCommit, 2),
        (Point::SmtpBeforeDot, 3),
        (Point::ImapFiling, 2),
        (Point::ImapSelected, 2),
        (Point::AfterCommit, 2),
    ],
];

#[derive(Clone, Copy, Debug)]
enum Kill {
    Never,
    /// Killed at rest, then started so that it dies at the n-th passing of a point.
    At(Point, u32),
    After(Duration),
}

struct Run<'a> {
    party: Party<'a>,
    kills: usize,
    arrived: usize,
    /// The named instant at which the daemon is to die by itself.
    waits_for: Option<Point>,
    hit: BTreeSet<&'static str>,
    /// Letters that lay with their reader while the outbox did not know it, after one kill or another.
    in_doubt: BTreeSet<String>,
    said: Vec<String>,
}

impl<'a> Run<'a> {
    fn play(template: &Party<'a>, mut kill: impl FnMut(usize) -> Kill) -> Run<'a> {
        template.inbox.forget_all_mail();
        let mut run = Run {
            party: template.copy(),
            kills: 0,
            arrived: 0,
            waits_for: None,
            hit: BTreeSet::new(),
            in_doubt: BTreeSet::new(),
            said: Vec::new(),
        };
        run.party.machine.start(&[]);
        for (number, step) in STEPS.iter().enumerate() {
            run.step(*step, kill(number));
        }
        assert_eq!(run.party.machine.stop(), Some(0), "{}", run.party.machine.log());
        let mut client = run.party.client();
        assert_eq!((client.count("INBOX"), client.count("Omerta")), (0, run.arrived), "nothing of ours stays behind");
        run
    }

    fn step(&mut self, (at, letters, commands): Step, kill: Kill) {
        if let Kill::At(point, passing) = kill {
            self.party.machine.kill();
            self.killed();
            self.waits_for = Some(point);
            self.party.machine.start(&["--fail-at", &format!("{}:{passing}", point.name())]);
        }
        self.party.machine.set_clock(at);
        for (player, arrived, text) in letters {
            self.party.append(arrived, *player, text);
            self.arrived += 1;
        }
        if let Kill::After(delay) = kill {
            let begun = Instant::now();
            while begun.elapsed() < delay {
                rest();
            }
            self.party.machine.kill();
            self.killed();
            self.party.machine.start(&[]);
        }
        // The host speaks when the letters are read, in every run alike.
        self.settle();
        for words in commands {
            let said = self.party.machine.say(&[&["game"], *words].concat());
            self.said.push(format!("{words:?} {} {}{}", said.code, said.out, said.err));
        }
        self.settle();
        // What a kill cut short comes again in a minute, and after a second cut in five.
        while self.party.machine.store().read(|tx| tx.next_out_due()).unwrap().is_some() {
            self.party.machine.wait_seconds(400);
            self.settle();
        }
        self.waits_for = None;
    }

    /// Lets the daemon do what is to be done now: all mail read and filed, every game tended, nothing that could leave.
    fn settle(&mut self) {
        let begun = Instant::now();
        let mut client = self.party.client();
        loop {
            if !self.party.machine.lives() {
                let Some(point) = self.waits_for.take() else {
                    panic!("it died by itself: {}", self.party.machine.log())
                };
                self.hit.insert(point.name());
                self.killed();
                self.party.machine.start(&[]);
            }
            let filed = client.count("INBOX") == 0 && client.count("Omerta") == self.arrived;
            if filed && self.is_quiet() {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain for rest: {}", self.unrest(&mut client));
            rest();
        }
    }

    /// What is not as it should be, for whoever has to find out why.
    fn unrest(&self, client: &mut Client) -> String {
        let machine = &self.party.machine;
        let folders = (client.count("INBOX"), client.count("Omerta"), self.arrived);
        let due = machine.store().read(|tx| tx.next_out_due()).unwrap();
        let (now, status) = (machine.now(), machine.ok(&["status", "--json"]));
        format!("{folders:?} letters; at {now}, next out {due:?}; {status}\n{}", machine.log())
    }

    fn is_quiet(&self) -> bool {
        let now = self.party.machine.now();
        let pid = self.party.machine.pid();
        let read = |tx: &omerta::store::View<'_>| -> Result<bool, StoreError> {
            Ok(tx.games_due(now, 1)?.is_empty()
                && tx.next_out_due()?.is_none_or(|next| next > now)
                && tx.daemon_status()?.is_some_and(|(_, beat)| beat == pid))
        };
        self.party.machine.store().read(read).unwrap()
    }

    /// After a kill: what was delivered and is not known to be.
    fn killed(&mut self) {
        self.kills += 1;
        self.party.outbox.until_delivered();
        let there: BTreeSet<String> =
            Party::everybody().flat_map(|who| self.party.got(who)).map(|got| got.message_id).collect();
        let said = self.party.machine.json(&["letters", TAG, "--json"]);
        for letter in said.as_array().unwrap() {
            let id = letter["message_id"].as_str().unwrap();
            if there.contains(id) && letter["state"] != "sent" {
                self.in_doubt.insert(id.to_owned());
            }
        }
    }
}

/// What must be the same however often the daemon died.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    journal: Vec<Value>,
    show: Value,
    said: Vec<String>,
    mail: BTreeMap<Who, BTreeSet<Got>>,
}

/// Gives also how many letters came more than once.
fn outcome(run: &Run<'_>) -> (Outcome, usize) {
    let copies = run.party.compare();
    for (id, count) in &copies {
        assert!(run.in_doubt.contains(id), "{count} copies of a letter that no kill cut short: {id}");
    }
    let machine = &run.party.machine;
    let export = machine.ok(&["export", TAG]);
    let file = machine.folder.join("journal.jsonl");
    std::fs::write(&file, &export).unwrap();
    machine.ok(&["verify", file.to_str().unwrap()]);
    let mut journal: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    journal.iter_mut().for_each(without_chance);
    let words = |who| run.party.got(who).into_iter().map(|got| Got { body: steady(&got.body), ..got }).collect();
    let outcome = Outcome {
        journal,
        show: machine.json(&["game", "show", TAG, "--json"]),
        said: run.said.clone(),
        mail: Party::everybody().map(|who| (who, words(who))).collect(),
    };
    (outcome, copies.len())
}

/// Says what differs first, instead of two whole games.
fn same_as(undisturbed: &Outcome, other: &Outcome, how: &str) {
    assert_eq!(undisturbed.said, other.said, "{how}: what the commands said");
    for (at, (one, other)) in undisturbed.journal.iter().zip(&other.journal).enumerate() {
        assert_eq!(one, other, "{how}: line {} of the journal", at + 1);
    }
    for (who, mail) in &undisturbed.mail {
        assert_eq!(mail, &other.mail[who], "{how}: the mail of {who:?}");
    }
    assert_eq!(undisturbed, other, "{how}");
}

/// Salts differ from run to run.
fn without_chance(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "hash");
            fields.values_mut().for_each(without_chance);
        }
        Value::Array(items) => items.iter_mut().for_each(without_chance),
        _ => {}
    }
}

#[test]
fn a_game_over_servers_ends_the_same_whatever_instant_the_daemon_dies_at() {
    let server = MailServer::start();
    let template = Party::new(0, Tls::Implicit, &server, &server);
    template.machine.set_clock(STEPS[0].0);
    template.machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    let (undisturbed, copies) = outcome(&Run::play(&template, |_| Kill::Never));
    assert_eq!(copies, 0, "without a kill nothing comes twice");
    assert_eq!(undisturbed.show["turn"], 3, "{:?} {:#}", undisturbed.said, undisturbed.show);
    let mut hit = BTreeSet::new();
    let (mut kills, mut copies, mut seed) = (0, 0, 0_u64);
    let mut try_named = |named: &[(Point, u32)]| {
        let run = Run::play(&template, |step| named.get(step).map_or(Kill::Never, |(point, at)| Kill::At(*point, *at)));
        let (same, more) = outcome(&run);
        same_as(&undisturbed, &same, &format!("at named instants: {named:?}"));
        (kills, copies) = (kills + run.kills, copies + more);
        run.hit
    };
    for named in &NAMED {
        hit.extend(try_named(named));
    }
    // On a busy machine a step may end before its instant came: what was missed is tried in other steps.
    for round in 0..5 {
        let missing: Vec<Point> = points().into_iter().filter(|point| !hit.contains(point.name())).collect();
        if missing.is_empty() {
            break;
        }
        let other: Vec<_> = (0..STEPS.len()).map(|step| (missing[(step + round) % missing.len()], 1)).collect();
        hit.extend(try_named(&other));
    }
    assert_eq!(hit, points().iter().map(|point| point.name()).collect(), "every instant is passed");
    while kills < kills_wanted() {
        seed += 1;
        let mut whims = seed;
        let run = Run::play(&template, |_| whim(&mut whims));
        let (same, more) = outcome(&run);
        same_as(&undisturbed, &same, &format!("with the whims of seed {seed}"));
        (kills, copies) = (kills + run.kills, copies + more);
    }
    eprintln!("{kills} kills; {copies} letters came twice, each between the server's 250 and our commit");
}

fn whim(state: &mut u64) -> Kill {
    let mut below = |bound: u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % bound
    };
    match below(3) {
        0 => {
            let points = points();
            let point = points[usize::try_from(below(points.len() as u64)).unwrap()];
            Kill::At(point, 1 + u32::try_from(below(8)).unwrap())
        }
        _ => Kill::After(Duration::from_millis(below(900))),
    }
}
