//! Commands of the host and letters by pipe that are killed half-way while the daemon runs: each is done wholly or not at
//! all, and said again it is not done twice.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::house::binary::{Machine, rest};
use crate::house::raw_letter;

const TAG: &str = "palermo";
const ROSTER: &str = "address,nick\np00@palermo.test,Анна\np01@palermo.test,Борис\np02@palermo.test,Вера\n\
                      p03@palermo.test,Глеб\np04@palermo.test,Дарья\np05@palermo.test,Егор\np06@palermo.test,Жанна\n";
const TRIES: u64 = 12;

fn town() -> Machine {
    let mut machine = Machine::new();
    std::fs::write(machine.folder.join("roster.csv"), ROSTER).unwrap();
    machine.ok(&["game", "new", TAG, "--roster", "roster.csv"]);
    machine.start(&[]);
    machine.ok(&["game", "start", TAG]);
    machine
}

/// Starts a command, gives it so long, and kills it. True when it had ended well before.
fn cut(machine: &Machine, words: &[&str], input: &[u8], after: Duration) -> bool {
    use std::io::Write as _;
    let mut command = machine.command(words);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdin.take().unwrap().write_all(input));
    let begun = Instant::now();
    while begun.elapsed() < after {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        rest();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

/// How long the command takes when nobody cuts it.
fn usual(machine: &Machine, words: &[&str]) -> Duration {
    let begun = Instant::now();
    machine.ok(words);
    begun.elapsed()
}

#[test]
fn a_command_that_is_killed_is_done_wholly_or_not_at_all() {
    let mut machine = town();
    let whole = usual(&machine, &["game", "warn", TAG, "Анна", "раз"]);
    let count = |machine: &Machine| {
        let export = machine.ok(&["export", TAG]);
        let letters = machine.json(&["letters", TAG, "--json"]);
        let warned = letters.as_array().unwrap().iter().filter(|letter| letter["kind"] == "warning").count();
        (export.matches("\"host_warned\"").count(), export.matches("\"commanded\"").count(), warned)
    };
    let (events, commanded, letters) = count(&machine);
    assert_eq!((events, letters), (1, 1));
    let (mut done, mut ended_well, mut tries) = (0, 0, 0);
    // Ever later, until it comes to its end before it is cut.
    while ended_well < 2 {
        tries += 1;
        assert!(tries < 200, "it never comes to its end");
        let ended = cut(&machine, &["game", "warn", TAG, "Анна", "два"], b"", whole.mul_f64(f64::from(tries) / 12.0));
        let (now_events, now_commanded, now_letters) = count(&machine);
        assert_eq!(
            (now_events, now_commanded - commanded),
            (now_letters, now_events - events),
            "all of it, or nothing"
        );
        assert!(now_events - 1 == done || now_events - 1 == done + 1, "once at most");
        assert!(!ended || now_events - 1 == done + 1, "what ended well is done");
        (done, ended_well) = (now_events - 1, ended_well + u32::from(ended));
    }
    assert_eq!(machine.stop(), Some(0), "{}", machine.log());
    eprintln!("{} commands killed, {} of them done", tries - ended_well, done - ended_well as usize);
}

#[test]
fn a_letter_by_pipe_whose_deliverer_is_killed_counts_once_when_it_comes_again() {
    let mut machine = town();
    let letter = |number: u64| raw_letter("p00@palermo.test", TAG, &format!("pipe-{number}@players.test"), "Игроки");
    for number in 0..TRIES {
        let raw = letter(number);
        let ended = cut(&machine, &["deliver"], &raw, Duration::from_millis(3 * number));
        // Postfix tries again whatever did not end with 0.
        if !ended {
            let mut child = machine.command(&["deliver"]).stdin(Stdio::piped()).spawn().unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), &raw).unwrap();
            assert!(child.wait().unwrap().success());
        }
    }
    let heard = |machine: &Machine| {
        machine.ok(&["export", TAG]).lines().filter(|line| line.contains("\"event\":\"heard\"")).count()
    };
    let wanted = usize::try_from(TRIES).unwrap();
    machine.until("every letter is heard", || heard(&machine) == wanted);
    assert_eq!(machine.stop(), Some(0), "{}", machine.log());
    assert_eq!(heard(&machine), wanted, "each once");
}
