//! Letters that can't be processed, and letters that do not arrive: who is told, what the command line does about it.
#![cfg(test)]

mod house;

use house::binary::Machine;
use house::{Got, House, OPENS, address, config_text, raw_letter};
use omerta::desk::command::Command;
use omerta::mail::link::Outcome;
use omerta::rules::Role;

const TAG: &str = "palermo";
const HOST: &str = "host@example.org";
const OWN_HOST: &str = "own-host@example.org";
const TOWN: [(&str, Role); 5] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
];

/// No letter can be journaled any more.
const POISON: &str = "CREATE TRIGGER poison BEFORE INSERT ON events WHEN NEW.kind = 'heard' \
                      BEGIN SELECT RAISE(ABORT, 'poison'); END";

fn sql(folder: &std::path::Path, statement: &str) {
    rusqlite::Connection::open(folder.join("omerta.db")).unwrap().execute_batch(statement).unwrap();
}

fn of_kind(got: Vec<Got>, kind: &str) -> Vec<Got> {
    got.into_iter().filter(|got| got.kind == kind).collect()
}

/// A game with a host of its own, in its first turn.
fn machine() -> Machine {
    let machine = Machine::new();
    let roster: String = std::iter::once("address,nick,role\n".to_owned())
        .chain((0..).zip(TOWN).map(|(n, (nick, role))| format!("{},{nick},{}\n", address(TAG, n), word(role))))
        .collect();
    std::fs::write(machine.folder.join("roster.csv"), roster).unwrap();
    machine.ok(&["game", "new", TAG, "--roster", "roster.csv", "--host", OWN_HOST]);
    machine.ok(&["game", "deadline", TAG, "+1h"]);
    machine.ok(&["game", "start", TAG]);
    machine
}

fn word(role: Role) -> String {
    serde_json::to_value(role).unwrap().as_str().unwrap().to_owned()
}

fn write(machine: &Machine, number: u32, player: u16, text: &str) {
    let raw = raw_letter(&address(TAG, player), TAG, &format!("{number}@players.test"), text);
    machine.drop_in(&machine.now().to_string(), number, &raw);
}

fn quarantined(machine: &Machine) -> Vec<String> {
    let listed = machine.json(&["quarantine", "--json"]);
    listed.as_array().unwrap().iter().map(|letter| letter["id"].to_string()).collect()
}

#[test]
fn a_letter_that_fails_is_told_of_listed_shown_retried_and_dropped() {
    let mut machine = machine();
    assert_eq!(machine.ok(&["quarantine"]).trim(), "nothing is quarantined");
    sql(&machine.folder, POISON);
    machine.start(&[]);
    write(&machine, 1, 0, "Статус");
    write(&machine, 2, 2, "Игроки");
    machine.until("both are kept", || quarantined(&machine).len() == 2);
    machine.until("the host is told", || !of_kind(machine.got(OWN_HOST), "alert").is_empty());
    machine.until("both are told", || [0, 2].iter().all(|player| told(&machine, *player)));
    let alerts = of_kind(machine.got(OWN_HOST), "alert");
    assert_eq!(alerts.len(), 1, "once a day");
    assert!(alerts[0].body.contains("omerta quarantine"), "{}", alerts[0].body);
    assert!(of_kind(machine.got(HOST), "alert").is_empty(), "the game's own hosts are told, and nobody else");
    let ids = quarantined(&machine);
    let listed = machine.ok(&["quarantine"]);
    assert!(ids.iter().all(|id| listed.contains(id.as_str())) && !listed.contains('@'), "{listed}");
    let shown = machine.say(&["quarantine", "show", &ids[0]]);
    assert_eq!(shown.code, 0);
    let raw = raw_letter(&address(TAG, 0), TAG, "1@players.test", "Статус");
    assert_eq!(shown.out.as_bytes(), raw, "the letter as it came, and nothing else");
    assert!(shown.err.contains(&format!("letter {} failed", ids[0])), "{}", shown.err);
    let again = machine.say(&["quarantine", "retry", "all"]);
    assert_eq!((again.code, again.out.matches("failed again and stays").count()), (65, 2), "{again:?}");
    sql(&machine.folder, "DROP TRIGGER poison");
    machine.wait_seconds(60);
    assert!(machine.ok(&["quarantine", "retry", &ids[0]]).contains("is taken in"));
    machine.until("the answer", || !of_kind(machine.got(&address(TAG, 0)), "answer").is_empty());
    assert!(machine.ok(&["quarantine", "drop", &ids[1]]).contains("given up"));
    assert_eq!(machine.say(&["quarantine", "drop", &ids[1]]).code, 65);
    assert_eq!(machine.say(&["quarantine", "retry", "seven"]).code, 64);
    assert!(quarantined(&machine).is_empty());
    assert_eq!(machine.stop(), Some(0));
}

fn told(machine: &Machine, player: u16) -> bool {
    machine.got(&address(TAG, player)).iter().any(|got| got.body.contains("разобрать его само у нас не вышло"))
}

/// Just after a deadline: these letters arrived in time, are read, and will be judged at the close.
fn settling(letters: &[(u16, &str)]) -> House {
    const A_LITTLE: jiff::SignedDuration = jiff::SignedDuration::from_secs(5);
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let deadline = house.table(TAG).deadline.unwrap();
    for (number, (player, text)) in (1..).zip(letters) {
        house.write_at(TAG, *player, text, deadline - A_LITTLE, number);
    }
    house.round_at(deadline + A_LITTLE);
    house
}

#[test]
fn a_letter_that_fails_at_the_close_is_told_of_too_and_the_turn_closes() {
    let mut house = settling(&[(1, "Убийство - Анна")]);
    assert!(of_kind(house.got(HOST), "alert").is_empty());
    sql(&house.folder, POISON);
    house.close(TAG);
    house.round();
    assert_eq!(house.table(TAG).game.turn, 2, "one letter keeps no turn from its close");
    assert_eq!(of_kind(house.got(HOST), "alert").len(), 1);
    let kept = |got: &Got| got.body.contains("разобрать его само у нас не вышло");
    assert_eq!(house.got_by(TAG, 1).iter().filter(|got| kept(got)).count(), 1);
}

/// What failed half-way, its event written and its answer not, is undone in memory too.
#[test]
fn of_a_letter_that_fails_half_way_at_the_close_nothing_counts() {
    let mut house = settling(&[(1, "Убийство - Анна"), (3, "Проверка - Борис")]);
    let poison = "CREATE TRIGGER poison BEFORE INSERT ON outbox WHEN NEW.reader = 'player:1' AND NEW.kind = 'receipt' \
                  BEGIN SELECT RAISE(ABORT, 'poison'); END";
    sql(&house.folder, poison);
    house.close(TAG);
    house.round();
    let table = house.table(TAG);
    assert_eq!((table.game.turn, table.living().count()), (2, TOWN.len()), "nobody is killed by it");
    let report = table.last.as_ref().unwrap();
    assert_eq!((report.standing.len(), report.learns.len()), (1, 1), "the letter behind it counts");
    // And the journal folds into the very table again.
    house.open();
    assert_eq!(house.table(TAG), table);
}

#[test]
fn strangers_together_get_a_hundred_answers_a_day() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let write = |house: &mut House, from: &str, number: u32| {
        let raw = raw_letter(from, "", &format!("{number}@else.test"), "Хочу играть");
        let now = house.now();
        house.drop_in(&raw, now, number);
    };
    for number in 0..130 {
        write(&mut house, &format!("robot{number}@else.test"), number);
    }
    house.round();
    let answered = |house: &House| (0..130).filter(|n| !house.got(&format!("robot{n}@else.test")).is_empty()).count();
    assert_eq!(answered(&house), 100);
    house.wait(24 * 3_600);
    for number in 130..133 {
        write(&mut house, "Robot129@else.test", number);
        write(&mut house, "robot129@else.test", number + 10);
    }
    house.round();
    assert_eq!(house.got("robot129@else.test").len(), 1, "one letter a day, however the address is spelt");
}

/// A report of Postfix's about a letter of ours.
fn report(to: &str, action: &str, status: &str, message_id: &str, reply_to: &str) -> Vec<u8> {
    format!(
        "Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.test\r\nTo: mafia@example.org\r\nSubject: Delivery Status\r\n\
         Message-ID: <{action}-{status}-{}@mx.test>\r\nAuto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\r\n\r\n\
         --b1\r\nContent-Type: text/plain\r\n\r\nThis is the mail system.\r\n\r\n\
         --b1\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.test\r\n\r\n\
         Final-Recipient: rfc822; {to}\r\nAction: {action}\r\nStatus: {status}\r\n\r\n\
         --b1\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <{message_id}>\r\n{reply_to}To: {to}\r\n\r\n--b1--\r\n",
        message_id.len()
    )
    .into_bytes()
}

fn bounce(house: &mut House, raw: &[u8]) {
    house.wait(1);
    let now = house.now();
    house.drop_in(raw, now, 1);
    house.round();
}

#[test]
fn the_second_report_of_a_delay_is_told_and_no_other() {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let anna = address(TAG, 0);
    let id = house.last(TAG, 0, "role").message_id;
    for (number, told) in [0, 1, 1].into_iter().enumerate() {
        let mut raw = report(&anna, "delayed", "4.4.1", &id, "");
        raw.extend_from_slice(format!("{number}").as_bytes());
        let raw = String::from_utf8(raw).unwrap().replace("delayed-4.4.1", &format!("delayed-{number}"));
        bounce(&mut house, raw.as_bytes());
        let alerts = of_kind(house.got(HOST), "alert");
        assert_eq!(alerts.len(), told, "report {number}");
        assert!(alerts.iter().all(|alert| alert.body.contains("всё ещё в пути: его ждёт игрок Анна")), "{alerts:?}");
    }
}

#[test]
fn a_bounce_under_another_message_id_is_known_by_the_plus_address_of_its_own_reader() {
    let config = config_text("").replace("[outbox]\n", "[outbox]\nplus_addressing = true\n");
    let mut house = House::of(&config);
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let (anna, boris) = (address(TAG, 0), address(TAG, 1));
    let token = house.last(TAG, 0, "role").message_id.split('@').next().unwrap().to_owned();
    let reply_to = format!("Reply-To: <mafia+{token}@example.org>\r\n");
    let rests = |house: &mut House, address: &str| house.daemon().desk().store.read(|tx| tx.rests(address)).unwrap();
    bounce(&mut house, &report(&boris, "failed", "5.1.1", "rewritten-1@mx.test", &reply_to));
    assert!(!rests(&mut house, &boris) && !rests(&mut house, &anna), "the token is not his");
    bounce(&mut house, &report(&anna, "failed", "5.1.1", "rewritten-22@mx.test", ""));
    assert!(!rests(&mut house, &anna), "nothing names a letter of ours");
    bounce(&mut house, &report(&anna, "failed", "5.1.1", "rewritten-333@mx.test", &reply_to));
    assert!(rests(&mut house, &anna));
    assert_eq!(of_kind(house.got(HOST), "alert").len(), 1);
}

#[test]
fn an_address_that_the_server_refuses_for_good_rests_is_shown_and_is_released() {
    for (why, rests) in [
        ("RCPT TO: 550 5.1.1, there is no such mailbox", true),
        ("RCPT TO: 550 5.7.1, refused", false),
        ("RCPT TO: 550, refused", false),
        ("MAIL FROM: 550 5.1.8, the sender's domain", false),
    ] {
        let machine = machine();
        let mut house = House::in_folder(&machine.folder);
        let anna = address(TAG, 0);
        let now = OPENS.parse().unwrap();
        let desk = house.daemon().desk();
        let letters = desk.take_due_letters(now, 100, |letter| letter.address == anna).unwrap();
        let refused = vec![Outcome::Refused { why: why.to_owned() }; letters.len()];
        desk.settle_letters(&letters[..1], &refused[..1], now).unwrap();
        desk.command(TAG, &Command::Extend { by: "1h".to_owned() }, now).unwrap();
        house.round();
        let alerts = of_kind(house.got(OWN_HOST), "alert");
        assert_eq!(alerts.len(), 1, "{why}");
        assert_eq!(alerts[0].body.contains("Такого адреса больше нет"), rests, "{why}: {}", alerts[0].body);
        house.shut();
        let status = machine.ok(&["status"]);
        assert_eq!(status.contains(&format!("resting: {anna}")), rests, "{why}: {status}");
        let json = machine.json(&["status", "--json"]);
        assert_eq!(json["resting"].as_array().map_or(0, Vec::len), usize::from(rests), "{why}: {json}");
        let released = machine.say(&["letters", TAG, "release", &anna.to_uppercase()]);
        assert_eq!(released.code, if rests { 0 } else { 65 }, "{why}: {released:?}");
        if rests {
            assert!(status.contains("letters held: 2"), "{status}");
            assert!(released.out.contains("letters that go out now: 2"), "{released:?}");
            assert!(!machine.ok(&["status"]).contains("resting:"));
        }
    }
}
