//! Whoever is concerned by a fault is told, once; and what is told is true.

use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::Command;
use omerta::mail::link::Outcome;
use omerta::mail::pace::BLOCK;
use omerta::rules::{Kind, PlayerId, Role};
use omerta::store::{OutId, OutListing, OutRow, StoreError};

use crate::TAG;
use crate::house::{Got, House, address, config_text, raw_letter};

const TOWN: [(&str, Role); 5] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
];
const HOST: &str = "host@example.org";
const COHOST: &str = "cohost@example.org";

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

/// Turn 2 is open, its deadline an hour away.
fn second_turn() -> (House, Timestamp) {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    house.close(TAG);
    house.command(TAG, Command::Deadline { when: "+1h".to_owned() });
    house.round();
    let deadline = house.table(TAG).deadline.unwrap();
    (house, deadline)
}

/// The same, with two hosts.
fn with_cohost() -> House {
    let hosts = "[\"host@example.org\", \"cohost@example.org\"]";
    let mut house = House::of(&config_text("").replace("[\"host@example.org\"]", hosts));
    house.new_game(TAG, &TOWN, &[]);
    house.command(TAG, Command::Deadline { when: "+1h".to_owned() });
    house.command(TAG, Command::Start);
    house
}

fn alerts(house: &House, whose: &str) -> Vec<Got> {
    house.got(whose).into_iter().filter(|got| got.kind == "alert").collect()
}

fn notices(house: &House, player: u16, subject: &str) -> Vec<Got> {
    let of_kind = |got: &Got| got.kind == "notice" && got.subject.contains(subject);
    house.got_by(TAG, player).into_iter().filter(of_kind).collect()
}

/// Every letter that is due meets the same end, without any reaching anybody.
fn meet(house: &mut House, to: &str, outcome: &Outcome) -> Vec<OutRow> {
    let now = house.now();
    let due = house.daemon().desk().take_due_letters(now, 100, |letter| letter.address == to).unwrap();
    let outcomes = vec![outcome.clone(); due.len()];
    house.daemon().desk().settle_letters(&due, &outcomes, now).unwrap();
    due
}

fn listed(house: &mut House, id: OutId) -> OutListing {
    house.daemon().desk().store.read(|tx| tx.out(id)).unwrap().unwrap()
}

#[test]
fn a_providers_block_is_no_attempt_of_the_letter() {
    let mut house = with_cohost();
    let blocked = Outcome::Blocked { why: "550 5.4.5 daily limit".to_owned() };
    // More often than a letter has tries.
    for _ in 0..12 {
        let letters = meet(&mut house, HOST, &blocked);
        assert_eq!(letters.len(), 1);
        let letter = listed(&mut house, letters[0].id);
        assert_eq!((letter.attempts, letter.state.word()), (0, "queued"));
        assert!(meet(&mut house, HOST, &blocked).is_empty(), "nothing is due for a day");
        house.wait(BLOCK.as_secs());
    }
    let refused = Outcome::Refused { why: "550 no such user".to_owned() };
    let letters = meet(&mut house, HOST, &refused);
    assert_eq!(listed(&mut house, letters[0].id).state.word(), "failed");
}

#[test]
fn a_lost_letter_to_an_officer_is_told_to_the_hosts_once() {
    for (outcome, words) in [
        (Outcome::Refused { why: "550".to_owned() }, "Не доставлено"),
        (Outcome::Unknown { why: "cut".to_owned() }, "подтверждения мы так и не получили"),
    ] {
        let mut house = with_cohost();
        let twice = |house: &mut House, to: &str| {
            for _ in 0..2 {
                meet(house, to, &outcome);
                house.wait(120);
            }
        };
        twice(&mut house, "moderator@example.org");
        house.round();
        for host in [HOST, COHOST] {
            let told = alerts(&house, host);
            assert_eq!(told.len(), 1, "{outcome:?}: {told:?}");
            assert!(told[0].body.replace('\n', " ").contains(words), "{}", told[0].body);
            assert!(told[0].body.contains("модератору"), "{}", told[0].body);
        }
        house.command(TAG, Command::Pause);
        twice(&mut house, "moderator@example.org");
        house.round();
        assert_eq!(alerts(&house, HOST).len(), 1, "once a turn");
        house.command(TAG, Command::Resume);
        twice(&mut house, COHOST);
        house.round();
        let told = alerts(&house, HOST);
        assert!(told.len() == 2 && told[1].body.contains("ведущему"), "the other host is told: {told:?}");
        assert_eq!(alerts(&house, COHOST).len(), 1, "and not he who is out of reach");
        assert!(house.daemon().desk().store.read(|tx| tx.has_lost_letter_to_host(tx.game(TAG)?.unwrap().id)).unwrap());
    }
}

#[test]
fn a_player_whose_letter_may_be_lost_is_told_to_the_hosts() {
    let mut house = with_cohost();
    let unknown = Outcome::Unknown { why: "cut".to_owned() };
    for _ in 0..2 {
        meet(&mut house, &address(TAG, 3), &unknown);
        house.wait(120);
    }
    house.round();
    let told = alerts(&house, HOST);
    assert!(!told.is_empty() && told.iter().all(|alert| alert.body.contains("Глеб")), "{told:?}");
}

/// A server that breaks loses many letters, and each of them twice.
#[test]
fn letters_that_are_lost_together_are_told_in_one_alert() {
    for (outcome, words) in [
        (Outcome::Unknown { why: "cut".to_owned() }, "подтверждения мы так и не получили"),
        (Outcome::Refused { why: "554".to_owned() }, "Эти письма не доставлены"),
    ] {
        let mut house = with_cohost();
        for _ in 0..3 {
            house.command(TAG, Command::Extend { by: "+1h".to_owned() });
        }
        // An opening, a role and three notices to each of five.
        for round in 0..2 {
            let now = house.now();
            let desk = house.daemon().desk();
            let due = desk.take_due_letters(now, 100, |letter| letter.reader.starts_with("player:")).unwrap();
            assert!(due.len() == 25 || round == 1, "{}", due.len());
            desk.settle_letters(&due, &vec![outcome.clone(); due.len()], now).unwrap();
            house.wait(120);
        }
        house.round();
        for host in [HOST, COHOST] {
            let told = alerts(&house, host);
            assert_eq!(told.len(), 1, "{outcome:?}: {told:?}");
            let body = &told[0].body;
            assert!(body.replace('\n', " ").contains(words), "{body}");
            assert_eq!(body.matches("письмо вида").count(), 20, "{body}");
            assert!(body.contains("И ещё 5 писем") && body.contains("игроку Дарья: письмо вида role"), "{body}");
            let beginning: String = body.chars().take(100).collect();
            assert!(!beginning.contains("вида") && !told[0].subject.contains("role"), "{beginning}");
        }
    }
}

#[test]
fn alerts_that_fail_call_no_alerts() {
    let mut house = with_cohost();
    let refused = Outcome::Refused { why: "550".to_owned() };
    let mut letters = 0;
    for _ in 0..20 {
        letters += meet(&mut house, HOST, &refused).len() + meet(&mut house, COHOST, &refused).len();
    }
    assert!(letters <= 4, "two hosts out of reach do not write each other for ever: {letters}");
}

#[test]
fn whoever_has_other_requests_after_a_second_judgement_is_told() {
    let (mut house, _) = second_turn();
    house.wait(300);
    let now = house.now();
    let first = raw_letter(&address(TAG, 0), TAG, "first@players.test", "Суд Линча - Борис");
    let second = raw_letter(&address(TAG, 0), TAG, "second@players.test", "Суд Линча - Вера");
    house.drop_in(&first, now - seconds(60), 0);
    house.drop_in(&second, now - seconds(30), 0);
    house.round();
    assert_eq!(house.table(TAG).game.standing(PlayerId(0)), [(Kind::Lynch, PlayerId(2))]);
    // A copy of the later one that changes nothing is not told.
    let detour = |raw: &[u8], way: &str| [format!("Received: from {way}\r\n").as_bytes(), raw].concat();
    house.drop_in(&detour(&second, "a"), now - seconds(40), 0);
    house.round();
    assert!(notices(&house, 0, "порядок").is_empty());
    house.drop_in(&detour(&second, "b"), now - seconds(90), 0);
    house.round();
    assert_eq!(house.table(TAG).game.standing(PlayerId(0)), [(Kind::Lynch, PlayerId(1))]);
    house.round();
    let told = notices(&house, 0, "порядок");
    assert_eq!(told.len(), 1);
    assert!(told[0].body.contains("голос: Борис"), "{}", told[0].body);
    for other in 1..5 {
        assert!(notices(&house, other, "порядок").is_empty(), "nobody else's concern");
    }
}

#[test]
fn a_copy_in_time_that_is_found_after_the_close_is_told() {
    let (mut house, deadline) = second_turn();
    for player in 1..5 {
        house.write(TAG, player, "Суд Линча - Дарья");
    }
    house.set_clock(deadline + seconds(20));
    let late = raw_letter(&address(TAG, 0), TAG, "late@players.test", "Суд Линча - Вера");
    house.drop_in(&late, deadline + seconds(10), 0);
    house.round_at(deadline + seconds(120));
    let before = house.table(TAG).game;
    assert_eq!(before.turn, 3);
    let copy = |way: &str| [format!("Received: from {way}\r\n").as_bytes(), &late].concat();
    house.drop_in(&copy("a"), deadline + seconds(5), 0);
    house.round_at(deadline + seconds(300));
    assert!(notices(&house, 0, "успевало").is_empty() && alerts(&house, HOST).is_empty(), "that one was late too");
    house.drop_in(&copy("b"), deadline - seconds(60), 0);
    house.round_at(deadline + seconds(600));
    house.drop_in(&copy("c"), deadline - seconds(90), 0);
    house.round_at(deadline + seconds(900));
    assert_eq!(house.table(TAG).game, before, "it changes nothing by itself");
    assert_eq!(notices(&house, 0, "успевало").len(), 1);
    let told = alerts(&house, HOST);
    assert!(told.len() == 1 && told[0].body.contains("Анна"), "{told:?}");
}

#[test]
fn a_game_that_has_ended_answers_as_one() {
    let (mut house, _) = second_turn();
    house.command(TAG, Command::Pause);
    let refusal = |house: &mut House, command: Command| house.try_command(TAG, command).unwrap_err().to_string();
    let by = || Command::Extend { by: "+1h".to_owned() };
    let to = || Command::Deadline { when: "+1h".to_owned() };
    for command in [by(), to()] {
        let said = refusal(&mut house, command);
        assert!(said.contains("is paused") && said.contains("resume"), "{said}");
    }
    house.command(TAG, Command::Cancel);
    house.write(TAG, 0, "Статус");
    house.write(TAG, 2, "Суд Линча - Борис\nСтатус");
    house.round();
    house.round();
    let answer = house.last(TAG, 0, "answer");
    let receipt = house.last(TAG, 2, "receipt");
    for body in [&answer.body, &receipt.body] {
        assert!(body.contains("Игра отменена"), "{body}");
        assert!(!body.contains("Сейчас за вами") && !body.contains("Срок ещё не назначен"), "{body}");
    }
    for command in [by(), to(), Command::Resume, Command::Pause] {
        let said = refusal(&mut house, command.clone());
        assert!(said.contains("has ended") && said.contains("new game"), "{command:?}: {said}");
    }
}

#[test]
fn a_pause_costs_no_second() {
    let (mut house, deadline) = second_turn();
    for (paused_at, for_so_long) in [(900, 50), (300, 999), (999, 1_001), (500, 0)] {
        let whole = Timestamp::from_second(house.now().as_second() + 2).unwrap();
        house.set_clock(whole + SignedDuration::from_millis(paused_at));
        house.command(TAG, Command::Pause);
        house.set_clock(house.now() + SignedDuration::from_millis(for_so_long));
        let was = house.table(TAG).paused_left.unwrap();
        house.command(TAG, Command::Resume);
        let left = house.table(TAG).deadline.unwrap().duration_since(house.now());
        assert!((left - was).abs() <= SignedDuration::from_millis(500), "{left} of {was}");
    }
    let moved = house.table(TAG).deadline.unwrap().duration_since(deadline);
    assert!(moved.as_secs().abs() <= 3, "{moved}");
}

/// Over a line with a limit of a day; nothing answers there, and nothing is sent. Борис and Дарья are the clan.
fn with_limit(daily: u32) -> House {
    let smtp = format!("kind = \"smtp\"\nserver = \"127.0.0.1\"\nport = 1\ntls = \"none\"\ndaily = {daily}\n");
    let many = "[security]\nrelay_per_day = 100\nreplies_per_hour = 100\n";
    let mut house = House::of(&config_text(many).replace("kind = \"maildir\"\npath = \"mail/out\"\n", &smtp));
    let mut town = TOWN;
    town[4].1 = Role::Boss;
    house.new_game(TAG, &town, &[]);
    house.command(TAG, Command::Deadline { when: "+1h".to_owned() });
    house.command(TAG, Command::Start);
    house
}

/// A server that answers nothing after the last dot may have taken the letter: the provider may count it.
#[test]
fn what_may_have_left_counts_against_the_limit_of_a_day() {
    let mut house = with_limit(80);
    let load = |house: &mut House| {
        let now = house.now();
        house.daemon().desk().load(now, Some(80)).unwrap().sent
    };
    let player = address(TAG, 0);
    let before = load(&mut house);
    let unknown = Outcome::Unknown { why: "cut".to_owned() };
    let letters = u64::try_from(meet(&mut house, &player, &unknown).len()).unwrap();
    assert!(letters > 0);
    assert_eq!(load(&mut house), before + letters);
    house.wait(70);
    // It is counted once, whatever the second try says: here that the server is busy, and then that all is well.
    assert_eq!(
        meet(&mut house, &player, &Outcome::Later { why: "450".to_owned() }).len(),
        usize::try_from(letters).unwrap()
    );
    assert_eq!(load(&mut house), before + letters);
    house.wait(600);
    assert!(!meet(&mut house, &player, &Outcome::Sent).is_empty());
    assert_eq!(load(&mut house), before + letters);
    let now = house.now();
    let limit = house.daemon().desk().daily_limit(now).unwrap().unwrap();
    assert_eq!(limit.sent, before + letters);
    house.wait(24 * 3600 + 1);
    assert_eq!(load(&mut house), 0, "a day later it counts no more");
}

/// What the server has against us is no fault of the letter: it waits until that is mended, however long.
#[test]
fn a_letter_is_never_given_up_for_what_the_server_has_against_us() {
    let mut house = with_cohost();
    let unable = Outcome::Unable { why: "MAIL FROM: 550".to_owned() };
    for tries in 1..=12 {
        let letters = meet(&mut house, HOST, &unable);
        assert_eq!(letters.len(), 1, "try {tries}");
        let letter = listed(&mut house, letters[0].id);
        assert_eq!((letter.attempts, letter.state.word()), (tries, "queued"));
        assert!(meet(&mut house, HOST, &unable).is_empty(), "try {tries}: not at once again");
        house.wait(9 * 3600);
    }
}

fn last_receipt(house: &mut House, player: u16) -> String {
    let store = &house.daemon().desk().store;
    let last = store.read(|tx| {
        let game = tx.game(TAG)?.unwrap().id;
        let to = address(TAG, player);
        Ok::<_, StoreError>(tx.outbox(game)?.into_iter().rfind(|letter| letter.kind == "receipt" && letter.to == to))
    });
    body_of(house, last.unwrap().unwrap().id)
}

fn body_of(house: &mut House, letter: OutId) -> String {
    let raw = house.daemon().desk().store.read(|tx| tx.out_bytes(letter)).unwrap().unwrap();
    let message = mail_parser::MessageParser::default().parse(&raw).unwrap();
    message.body_text(0).unwrap().replace("\r\n", " ").replace('\n', " ")
}

/// Talk of which the receipt did not say that it waits, because there was still room then: once of each letter.
#[test]
fn talk_that_waits_after_its_receipt_is_told_once_and_to_its_author_alone() {
    let mut house = with_limit(200);
    house.write(TAG, 0, "ЛС - Вера: привет\nЛС - Глеб: и тебе");
    house.write(TAG, 1, "Клану: ночью идём к Вере");
    house.round();
    for player in 0..2 {
        assert!(last_receipt(&mut house, player).contains("Передано"));
    }
    let told = |house: &mut House| {
        let now = house.now();
        house.daemon().desk().tell_of_waiting_talk(now).unwrap();
        let letters = house.daemon().desk().store.read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap();
        letters.into_iter().filter(|letter| letter.subject.contains("часть почты ждёт")).collect::<Vec<_>>()
    };
    for _ in 0..3 {
        let told = told(&mut house);
        let readers: Vec<&str> = told.iter().map(|letter| letter.reader.as_str()).collect();
        assert_eq!(readers, ["player:0", "player:1"]);
        let (first, second) = (body_of(&mut house, told[0].id), body_of(&mut house, told[1].id));
        assert!(first.contains("для игрока Вера") && first.contains("для игрока Глеб"), "{first}");
        assert!(second.contains("для клана") && !second.contains("игрока"), "{second}");
        house.wait(60);
    }
    house.write(TAG, 0, "ЛС - Вера: ещё");
    house.round();
    assert_eq!(told(&mut house).len(), 3, "another letter is told of in its turn");
    let events = house.journal(TAG).iter().filter(|entry| entry.name() == "talk_waits").count();
    assert_eq!(events, 3);
}

/// Of 80 letters a day 20 are kept for results, and talk gets 45 of the rest.
#[test]
fn who_writes_into_a_spent_quota_is_told_in_the_receipt() {
    let mut house = with_limit(80);
    let queued = |house: &mut House| house.daemon().desk().store.read(|tx| tx.outbox_counts()).unwrap().queued;
    let mut seen = [false; 3];
    for _ in 0..40 {
        let ahead = queued(&mut house);
        house.write(TAG, 0, "ЛС - Вера: привет");
        house.round();
        let body = last_receipt(&mut house, 0);
        let (waits, late) =
            (body.contains("получит это") && body.contains("позже"), body.contains("мог прийти с опозданием"));
        assert_eq!((waits, late), (ahead >= 45, ahead >= 60), "{ahead} letters are ahead: {body}");
        assert_eq!(body.contains("Передано игроку"), !waits, "{body}");
        seen[usize::from(waits) + usize::from(late)] = true;
        house.wait(600);
        if seen == [true; 3] {
            return;
        }
    }
    panic!("not every state of the quota was met: {seen:?}");
}
