//! What a running daemon meets: each fault is met by the whole daemon, nothing is lost, nothing runs in a loop, the
//! operator is told once, and when the fault is over all goes on by itself.
//!
//! Each fault and its test:
//!
//! - the line cut, stalled, slow, garbled, half lines: imap/faults `no_fault_of_the_line_loses_a_letter`, smtp/faults
//!   `cuts_at_every_step`, `stalls_and_drips_at_every_step`, smtp/rubbish
//! - BYE in IDLE, a cut in IDLE, a cut without a word: imap/faults `goodbye_in_idle`, `a_cut_in_idle`,
//!   `a_cut_in_idle_without_a_word`
//! - 4xx and 5xx at every step, the answer after DATA lost: smtp/faults `refusals_at_every_step`, `cuts_at_every_step`;
//!   the daemon's part in [`told`]
//! - the provider's limit of a day comes to its end: [`quota`], [`told`]
//! - AUTH refused: imap/login `a_refused_login_is_told_once_and_not_tried_in_a_loop`, smtp/logins
//! - no storm of connections, by count: smtp/faults `no_storm_of_connections`
//! - UIDVALIDITY changed with new mail in between: imap/reading `a_renumbered_folder_is_read_again_and_says_so`
//! - messages flagged and expunged by another client: imap/reading `other_clients_may_flag_and_remove_letters_meanwhile`
//! - servers down across a deadline: realmail/outages
//! - disk full or read-only under the database, the outbox, the inbox: [`disks`]
//! - database locked by another program: tests/robust.rs `a_database_that_another_program_holds_is_waited_for`
//! - database damaged, while the daemon runs and before: [`database`]; moved away: tests/robust.rs
//! - two daemons: tests/cli.rs `a_second_daemon_on_the_same_database_is_refused`
//! - a task that panics, SIGTERM in the middle of a letter: [`tasks`]
//! - clocks that jump, a long gap: tests/robust.rs `a_jump_forward_closes_one_turn_and_only_after_the_mail`,
//!   `a_clock_set_back_repeats_nothing`; tests/arrival.rs
//!   `after_an_outage_one_deadline_fires_and_not_a_row_of_them`
//! - SIGHUP with a broken config: tests/robust.rs
//!   `the_service_manager_hears_of_everything_and_settings_are_read_again`
#![cfg(test)]

mod database;
mod disks;
mod quota;
mod tasks;
mod told;

#[path = "../house/mod.rs"]
mod house;

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
