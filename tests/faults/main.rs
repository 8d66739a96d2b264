//! What a running daemon meets: each fault is met by the whole daemon, nothing is lost, nothing runs in a loop, the
//! operator is told once, and when the fault is over all goes on by itself.
//!
//! Each fault and its test:
//!
//! - the line to the mailbox refused, cut, stalled, slow, garbled, half lines: [`inbox`]
//!   `a_line_that_misbehaves_is_told_once_and_goes_on_by_itself`; of the reader alone imap/faults
//! - BYE in IDLE, a cut in IDLE, a cut without a word, noise: [`inbox`]
//!   `what_happens_to_a_line_that_idles_costs_a_line_and_nothing_else`
//! - UIDVALIDITY changed with new mail in between, UIDNEXT missing or lower, a message expunged between list and fetch:
//!   [`inbox`] `what_becomes_of_a_folder_loses_and_repeats_nothing`; of the reader alone imap/reading
//! - the line to the SMTP server cut, stalled, slow, garbled, half lines, 4xx and 5xx at every step, the answer after DATA
//!   lost: [`outbox`]; of the sender alone smtp/faults, smtp/rubbish; who is told, [`told`]
//! - the provider's limit of a day comes to its end: [`quota`], [`told`]
//! - the provider's block, the pace, a slow server at the limit of a day, a program that is busy: [`sending`]
//! - a deadline that nears, letters that come slower than the watchdog waits, a server whose clock is behind: [`watch`]
//! - AUTH refused: [`inbox`] `a_refused_login_is_told_once_and_the_next_password_is_tried_by_itself`; alone imap/login `a_refused_login_is_told_once_and_not_tried_in_a_loop`, smtp/logins
//! - no storm of connections, by count: smtp/faults `no_storm_of_connections`; [`inbox`] and [`outbox`] count theirs
//! - messages flagged and expunged by another client: imap/reading `other_clients_may_flag_and_remove_letters_meanwhile`
//! - servers down across a deadline: realmail/outages
//! - disk full or read-only under the database, the outbox, the inbox: [`disks`]
//! - killed while letters are read and not committed: [`marks`]
//! - database locked by another program: tests/robust.rs `a_database_that_another_program_holds_is_waited_for`
//! - database damaged, while the daemon runs and before: [`database`]; moved away: tests/robust.rs
//! - two daemons: tests/cli.rs `a_second_daemon_on_the_same_database_is_refused`
//! - a task that panics, SIGTERM in the middle of a letter: [`tasks`]
//! - clocks that jump, a long gap: tests/robust.rs `a_jump_forward_closes_one_turn_and_only_after_the_mail`,
//!   `a_clock_set_back_repeats_nothing`; tests/arrival.rs
//!   `after_an_outage_one_deadline_fires_and_not_a_row_of_them`
//! - a machine that sleeps over a deadline, a queue by a clock that was set back: [`sleep`]
//! - a clock that leaps by months and back, an outage of months, a clock whose battery is empty: [`leaps`]
//! - a clock that is years ahead of the mail server's: [`clocks`]
//! - SIGHUP with a broken config: tests/robust.rs
//!   `the_service_manager_hears_of_everything_and_settings_are_read_again`
#![cfg(test)]

mod clocks;
mod database;
mod disks;
mod inbox;
mod leaps;
mod marks;
mod outbox;
mod quota;
mod sending;
mod sleep;
mod tasks;
mod told;
mod watch;

#[path = "../house/mod.rs"]
mod house;
#[path = "../proxy/mod.rs"]
mod proxy;
#[expect(dead_code, reason = "tests of the line itself use more of it")]
#[path = "../smtp/script.rs"]
mod script;
#[expect(dead_code, reason = "tests of the line itself use more of it")]
#[path = "../imap/server.rs"]
mod server;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use house::binary::{Machine, rest};

pub const TAG: &str = "palermo";
pub const ROSTER: &str = "address,nick,role\np00@palermo.test,Анна,citizen\np01@palermo.test,Борис,mafioso\n\
                          p02@palermo.test,Вера,citizen\np03@palermo.test,Глеб,citizen\n";

/// A daemon that says all that it does, ended with the test.
pub struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Daemon {
    pub fn start(machine: &Machine, arguments: &[&str]) -> Daemon {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(machine.folder.join("log")).unwrap();
        let mut command = machine.command(&["run"]);
        command.args(arguments).env("OMERTA_LOG", "debug");
        let daemon = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        machine.until("the daemon runs", || machine.log().contains("reading the mail"));
        Daemon(daemon)
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// SIGTERM; gives the exit code and how long the end took.
    pub fn stop(mut self) -> (Option<i32>, Duration) {
        let told = Command::new("kill").arg("-TERM").arg(self.0.id().to_string()).status().unwrap();
        assert!(told.success());
        let begun = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return (status.code(), begun.elapsed());
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "the daemon does not stop");
            rest();
        }
    }
}

/// A game of four whose first turn is open.
pub fn begin(machine: &Machine) {
    std::fs::write(machine.folder.join("roster.csv"), ROSTER).unwrap();
    machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    machine.ok(&["game", "deadline", TAG, "+48h"]);
    machine.ok(&["game", "start", TAG]);
}

/// A machine with that game, and no daemon: what a case copies.
pub fn begun() -> Machine {
    let machine = Machine::new();
    begin(&machine);
    machine
}

/// How many times shorter daemons wait for mail servers: a step of the mailbox is given up after a second, a reply of the
/// outbox after two, an answer to a letter's last dot after ten.
pub const HURRY: &str = "60";

/// Cases of one table, a few at a time, each on a thread of its own.
pub async fn side_by_side<C, F>(cases: impl IntoIterator<Item = (String, C)>, prepare: impl AsyncFn(String, C) -> F)
where
    F: FnOnce() + Send + 'static,
{
    const AT_ONCE: usize = 8;
    let mut running = tokio::task::JoinSet::new();
    for (name, case) in cases {
        if running.len() >= AT_ONCE {
            running.join_next().await.unwrap().unwrap();
        }
        let run = prepare(name, case).await;
        running.spawn_blocking(run);
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
}

/// A letter of the first player to the game, taken at the present second of the game's time.
pub fn ask(machine: &Machine, number: u32, text: &str) {
    let raw = house::raw_letter("p00@palermo.test", TAG, &format!("{number}@palermo.test"), text);
    machine.drop_in(&machine.now().to_string(), number, &raw);
}

pub fn answers(machine: &Machine, kind: &str) -> usize {
    machine.got("p00@palermo.test").iter().filter(|got| got.kind == kind).count()
}

pub fn times(machine: &Machine, words: &str) -> usize {
    machine.log().matches(words).count()
}
