//! The SMTP server misbehaves under the whole daemon, at every step of a letter: a cut, a stall, half a line, rubbish, a
//! slow drip, 4xx, 5xx. What the sender does by itself is tried in tests/smtp; here every letter must leave, once (twice
//! only when the answer to its last dot was lost, with the same bytes), the operator is told once, and a letter that is
//! refused for good is told to the hosts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use omerta::store::{OutListing, OutState};

use crate::house::binary::Machine;
use crate::house::config_text;
use crate::house::whole::put;
use crate::script::{Act, At, Server};
use crate::{Daemon, HURRY, TAG, side_by_side, times};

/// The server misbehaves in one way the first few times that it comes to a step.
#[derive(Clone, Copy, Debug)]
struct Case {
    at: At,
    act: Act,
    often: usize,
    /// The line itself is in trouble, of which the operator is told.
    told: bool,
    /// One letter is refused for good.
    fails: bool,
}

const RUBBISH: &[u8] = b"\x00\xff\x07 what?\r\n";
const STEPS: [At; 7] = [At::Greeting, At::Ehlo, At::Auth, At::Mail, At::Rcpt, At::Data, At::Dot];
const DRIP: Act = Act::Drip(Duration::from_millis(200));

fn cases() -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    for at in STEPS {
        // Each letter whose last answer is lost once.
        let often = if at == At::Dot { 1 } else { 2 };
        let line = |act| Case { at, act, often, told: true, fails: false };
        cases.extend([Act::Cut, Act::SayAndCut(b"2"), Act::SayAndCut(RUBBISH)].map(line));
        cases.push(Case { often: 1, ..line(Act::Stall) });
        // For the last answer there is more patience than it takes.
        cases.push(Case { often: 1, told: at != At::Dot, ..line(DRIP) });
    }
    for act in [Act::Cut, Act::Stall] {
        cases.push(Case { at: At::Words, act, often: 1, told: true, fails: false });
    }
    let replies: [(At, &'static [u8], bool, bool); 14] = [
        (At::Greeting, b"421 4.3.2 busy\r\n", true, false),
        (At::Greeting, b"554 5.3.2 no service\r\n", true, false),
        (At::Ehlo, b"450 4.3.2 busy\r\n", true, false),
        (At::Ehlo, b"502 5.5.1 what?\r\n", true, false),
        (At::Auth, b"454 4.7.0 later\r\n", true, false),
        (At::Auth, b"535 5.7.8 wrong\r\n", true, false),
        (At::Mail, b"451 4.3.0 later\r\n", false, false),
        (At::Mail, b"550 5.5.0 no\r\n", true, false),
        (At::Rcpt, b"450 4.7.1 greylisted\r\n", false, false),
        (At::Rcpt, b"550 5.7.1 no\r\n", false, true),
        (At::Data, b"451 4.3.0 later\r\n", false, false),
        (At::Data, b"554 5.5.1 no\r\n", false, true),
        (At::Dot, b"452 4.3.1 disk full\r\n", false, false),
        (At::Dot, b"554 5.6.0 no\r\n", false, true),
    ];
    cases.extend(replies.map(|(at, reply, told, fails)| Case { at, act: Act::Say(reply), often: 1, told, fails }));
    let name = |case: Case| match case.act {
        Act::Say(reply) => format!("{:?}, {}", case.at, reply.escape_ascii()),
        act => format!("{:?}, {act:?}", case.at),
    };
    cases.into_iter().map(|case| (name(case), case)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_letter_leaves_whatever_the_server_does_at_whatever_step() {
    let template = Arc::new(crate::begun());
    side_by_side(cases(), async move |name, case| {
        let met = AtomicUsize::new(0);
        let script =
            move |_, at| (at == case.at && met.fetch_add(1, Ordering::SeqCst) < case.often).then_some(case.act);
        let server = Server::start(script).await;
        let template = Arc::clone(&template);
        move || meet(&name, case, &template, &server)
    })
    .await;
}

fn meet(name: &str, case: Case, template: &Machine, server: &Server) {
    let machine = template.copy();
    let smtp = format!(
        "kind = \"smtp\"\nserver = \"127.0.0.1\"\nport = {}\ntls = \"none\"\nuser = \"mafia\"\npassword_file = \"secret\"\n",
        server.port
    );
    let config = config_text("").replace("kind = \"maildir\"\npath = \"mail/out\"\n", &smtp);
    std::fs::write(machine.folder.join("config.toml"), config).unwrap();
    std::fs::write(machine.folder.join("secret"), "one").unwrap();
    let daemon = Daemon::start(&machine, &["--hurry", HURRY]);
    if case.told {
        machine.until(&format!("{name}: it is told"), || times(&machine, "the outbox: ") == 1);
    }
    // A refused password is not tried again; another one is.
    put(&machine.folder.join("secret"), "two");
    // By the steps of the schedule.
    let mut last = Instant::now();
    machine.until(&format!("{name}: nothing waits"), || {
        if last.elapsed() > Duration::from_millis(700) {
            machine.wait_seconds(400);
            last = Instant::now();
        }
        machine.store().read(|tx| tx.next_out_due()).unwrap().is_none()
    });
    let letters = listed(&machine);
    let failed: Vec<&OutListing> = letters.iter().filter(|letter| letter.state != OutState::Sent).collect();
    assert_eq!(failed.len(), usize::from(case.fails), "{name}: {failed:?}");
    assert!(failed.iter().all(|letter| letter.state == OutState::Failed), "{name}: {failed:?}");
    let alerts = letters.iter().filter(|letter| letter.kind == "alert").count();
    assert_eq!(alerts, usize::from(case.fails), "{name}: the host is told of what is lost, and of nothing else");
    let seen = server.seen();
    let mut copies: BTreeMap<&[u8], usize> = BTreeMap::new();
    for letter in &seen.letters {
        *copies.entry(&letter.bytes).or_default() += 1;
    }
    let holds = |bytes: &[u8], id: &str| String::from_utf8_lossy(bytes).contains(&format!("Message-ID: <{id}>"));
    let sent = letters.iter().filter(|letter| letter.state == OutState::Sent);
    for letter in sent {
        let same: Vec<usize> =
            copies.iter().filter(|(bytes, _)| holds(bytes, &letter.message_id)).map(|(_, copies)| *copies).collect();
        // What the script refuses at the last dot it has seen, too.
        let most = if case.at == At::Dot { 2 } else { 1 };
        assert!(same.len() == 1 && same[0] <= most, "{name}: {same:?} copies of one letter");
    }
    let twice = copies.values().filter(|copies| **copies > 1).count();
    assert!(twice <= case.often, "{name}: {twice} letters came twice");
    assert!(seen.connections <= case.often + 8, "{name}: {} connections", seen.connections);
    let (told, over) = (times(&machine, "the outbox: "), times(&machine, "letters can be sent again"));
    assert_eq!((told, over), (usize::from(case.told), usize::from(case.told)), "{name}: {}", machine.log());
    assert_eq!(daemon.stop().0, Some(0), "{name}");
}

fn listed(machine: &Machine) -> Vec<OutListing> {
    let letters = machine.store().read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap();
    assert!(letters.len() >= 10);
    letters
}
