//! One who writes thousands of letters delays nobody else's answer, and gains nothing by it.
#![cfg(test)]

mod house;

use std::os::unix::fs::MetadataExt;

use house::{House, address};
use omerta::rules::{Kind, PlayerId, Role};

const TAG: &str = "palermo";
const TOWN: [(&str, Role); 5] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Citizen),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
];

/// The second turn of a game.
fn house() -> House {
    let mut house = House::new();
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    house.close(TAG);
    house.command(TAG, omerta::desk::command::Command::Deadline { when: "+2h".to_owned() });
    house.round();
    house
}

/// So many letters of Анна, all different, each a second after the other; the last but one hunts, the last votes.
fn flood(house: &mut House, letters: usize) {
    for number in 0..letters {
        let text = match letters - number {
            2 => "Охота - Борис",
            1 => "Суд Линча - Вера",
            _ if number % 2 == 0 => "Суд Линча - Борис",
            _ => "Суд Линча - Глеб",
        };
        house.wait(1);
        house.write(TAG, 0, text);
    }
}

/// When a file was last touched or moved.
fn moved(file: &std::path::Path) -> (i64, i64) {
    let about = std::fs::metadata(file).unwrap();
    (about.ctime(), about.ctime_nsec())
}

/// The files of a folder.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn the_other_is_answered_while_the_flood_is_still_read_and_arrival_decides() {
    const LETTERS: usize = 600;
    let mut house = house();
    let before = house.got_by(TAG, 2).len();
    flood(&mut house, LETTERS);
    house.wait(1);
    house.write(TAG, 2, "Суд Линча - Анна\nОхота - Глеб");
    house.round();
    let receipts = house.got_by(TAG, 2);
    assert_eq!(receipts.len(), before + 1, "Вера has her receipt after one round");
    // Of all letters hers was among the first that were taken in: fifty of Анна's, then hers.
    let earlier = house.daemon().desk().store.read(|tx| {
        let mut hers = 0;
        let mut read = 0;
        while let Some(row) = tx.letter(omerta::store::LetterId(read + 1))? {
            read += 1;
            if row.sender.as_deref() == Some(&address(TAG, 2)) {
                hers = read;
            }
        }
        Ok::<_, omerta::store::StoreError>((hers, read))
    });
    assert_eq!(earlier.unwrap(), (51, i64::try_from(LETTERS).unwrap() + 1));
    // And her receipt had left before the last of the flood was read.
    let out = house.folder.join("mail/out").join(address(TAG, 2));
    let receipt = ["new", "cur"].iter().flat_map(|part| files(&out.join(part))).map(|file| moved(&file)).max().unwrap();
    let last = files(&house.folder.join("mail/in/cur")).iter().map(|file| moved(file)).max().unwrap();
    assert!(receipt < last, "the receipt waited for the whole flood: {receipt:?}, {last:?}");
    // The hunt that arrived first stands first, though it was read last; the last vote stands.
    let table = house.table(TAG);
    assert_eq!(table.game.ledger.hunters(), [PlayerId(0), PlayerId(2)]);
    assert_eq!(table.game.ledger.stands(PlayerId(0), Kind::Lynch).unwrap().target, PlayerId(2));
    assert_eq!(table.game.ledger.acts.len(), LETTERS + 1, "every letter counts");
    let order: Vec<_> = table.game.ledger.acts.iter().map(|(order, _)| order.clone()).collect();
    assert!(order.is_sorted(), "the journal's turn stands in the order of arrival");
    // Her answers are capped; the flood owes no more letters than that.
    let told = house.got_by(TAG, 0).iter().filter(|got| got.kind == "receipt").count();
    assert_eq!(told, 20, "replies_per_hour");
}

/// Letters taken in so far.
fn taken_in(house: &mut House) -> u64 {
    house.daemon().desk().store.read(|tx| tx.inbox_counts()).unwrap().processed
}

/// She writes when the flood is being read: counted in letters, not in seconds.
#[test]
fn who_writes_while_a_flood_is_read_is_next() {
    const LETTERS: usize = 1_200;
    let mut house = house();
    let (before, receipts) = (taken_in(&mut house), house.got_by(TAG, 2).len());
    flood(&mut house, LETTERS);
    let all = before + LETTERS as u64;
    assert!(house.daemon().part_of_round().unwrap());
    let read = taken_in(&mut house);
    assert!((before + 1..=before + 200).contains(&read), "a portion is no more than a moment's: {read}");
    house.wait(1);
    house.write(TAG, 2, "Суд Линча - Анна");
    let mut parts = 0;
    while house.got_by(TAG, 2).len() == receipts {
        assert!(house.daemon().part_of_round().unwrap(), "the flood was read to its end before her letter");
        parts += 1;
    }
    assert!(parts <= 4, "{parts} portions of the flood were read before her letter");
    assert!(taken_in(&mut house) < all, "the flood is not read through yet");
    house.round();
    assert_eq!(taken_in(&mut house), all + 1, "and it is all the same");
    let table = house.table(TAG);
    assert_eq!(table.game.ledger.acts.len(), LETTERS + 1, "every letter counts");
    assert!(table.game.ledger.acts.is_sorted_by_key(|(order, _)| order.clone()), "in the order of arrival");
}

/// Her letter lies before the flood, amid it or behind it when the daemon starts: counted in letters, not in seconds.
/// Over IMAP: imap/fairness.
#[test]
fn wherever_the_others_letter_lies_few_of_the_flood_are_taken_in_before_her_receipt() {
    const LETTERS: usize = 600;
    for place in [0, LETTERS / 2, LETTERS] {
        let mut house = house();
        let (before, receipts) = (taken_in(&mut house), house.got_by(TAG, 2).len());
        flood(&mut house, place);
        house.wait(1);
        house.write(TAG, 2, "Суд Линча - Анна");
        flood(&mut house, LETTERS - place);
        while house.got_by(TAG, 2).len() == receipts {
            assert!(house.daemon().part_of_round().unwrap(), "the flood was read to its end before her receipt");
        }
        let read = taken_in(&mut house) - before;
        assert!(read <= 200, "behind {place} letters, hers was answered after {read}");
        house.round();
        assert_eq!(taken_in(&mut house) - before, LETTERS as u64 + 1, "and all are taken in");
        let table = house.table(TAG);
        assert_eq!(table.game.ledger.acts.len(), LETTERS + 1, "every letter counts");
        assert!(table.game.ledger.acts.is_sorted_by_key(|(order, _)| order.clone()), "in the order of arrival");
    }
}

/// The queue of letters that wait to be sent: of one who had many answers the later ones stand behind the others'.
#[test]
fn the_answers_of_a_flood_stand_behind_everybody_elses() {
    let mut house = house();
    // Nothing leaves for now.
    let (out, aside) = (house.folder.join("mail/out"), house.folder.join("aside"));
    std::fs::rename(&out, &aside).unwrap();
    std::fs::write(&out, "").unwrap();
    flood(&mut house, 30);
    house.wait(1);
    house.write(TAG, 2, "Суд Линча - Анна");
    house.write(TAG, 3, "Статус");
    house.round();
    let in_an_hour = house.now() + jiff::SignedDuration::from_hours(1);
    let queue = house.daemon().desk().store.read(|tx| tx.due_out(in_an_hour, 100)).unwrap();
    let order: Vec<String> = queue.iter().map(|letter| letter.address.clone()).collect();
    let place = |player: u16| order.iter().position(|to| *to == address(TAG, player)).unwrap();
    assert_eq!(order.iter().filter(|to| **to == address(TAG, 0)).count(), 21, "{order:?}");
    assert_eq!((place(2), place(3)), (5, 6), "behind five answers to Анна: {order:?}");
    // They come when the folder is there again, each once.
    std::fs::remove_file(&out).unwrap();
    std::fs::rename(&aside, &out).unwrap();
    house.wait(120);
    house.round();
    assert_eq!(house.last(TAG, 2, "receipt").turn, 2);
    assert_eq!(house.got_by(TAG, 0).iter().filter(|got| got.kind == "receipt").count(), 20);
}

/// What is asked for a role is answered before everybody's receipts, however much its reader wrote before.
#[test]
fn a_role_never_waits_behind_answers() {
    let mut house = house();
    let (out, aside) = (house.folder.join("mail/out"), house.folder.join("aside"));
    std::fs::rename(&out, &aside).unwrap();
    std::fs::write(&out, "").unwrap();
    house.write(TAG, 2, "Суд Линча - Анна");
    flood(&mut house, 10);
    house.wait(1);
    house.write(TAG, 0, "Роль");
    house.round();
    let in_an_hour = house.now() + jiff::SignedDuration::from_hours(1);
    let queue = house.daemon().desk().store.read(|tx| tx.due_out(in_an_hour, 100)).unwrap();
    let kinds: Vec<&str> = queue.iter().map(|letter| letter.kind.as_str()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "receipt").count(), 11, "{kinds:?}");
    assert_eq!(kinds.first(), Some(&"role"), "{kinds:?}");
}

/// A letter to the clan becomes one to each mate, and the caps of the answers hold for it too. What is not passed on its
/// author learns, even while his letters get no answer.
#[test]
fn talk_beyond_the_caps_is_not_passed_on_and_its_author_hears_of_it_once() {
    let mut house = House::new();
    let clan = [TOWN.as_slice(), &[("Егор", Role::Mafioso), ("Жанна", Role::Mafioso), ("Зоя", Role::Citizen)]].concat();
    house.new_game(TAG, &clan, &[]);
    house.start(TAG);
    house.command(TAG, omerta::desk::command::Command::Deadline { when: "+9h".to_owned() });
    let told = |house: &House, player: u16, subject: &str| {
        house.got_by(TAG, player).iter().filter(|got| got.subject.contains(subject)).count()
    };
    let got = |house: &House, player: u16, kind: &str| {
        house.got_by(TAG, player).iter().filter(|got| got.kind == kind).count()
    };
    for number in 0..60 {
        house.wait(1);
        house.write(TAG, 1, &format!("Клану: {number}"));
    }
    house.round();
    assert_eq!([5, 6].map(|mate| got(&house, mate, "clan")), [20, 20], "of sixty");
    assert_eq!(got(&house, 1, "receipt"), 20);
    assert_eq!((told(&house, 1, "Ответы на час умолкают"), told(&house, 1, "Не всё передано другим")), (1, 1));
    // In the next hour it goes on.
    house.wait(3_600);
    house.write(TAG, 1, "Клану: ещё");
    house.round();
    assert_eq!([5, 6].map(|mate| got(&house, mate, "clan")), [21, 21]);
    // Private letters that are over their cap while there are no answers.
    (0..20).for_each(|_| {
        house.wait(1);
        house.write(TAG, 2, "Статус");
    });
    for number in 0..30 {
        house.wait(1);
        house.write(TAG, 2, &format!("ЛС - Анна: {number}"));
    }
    house.round();
    assert_eq!((got(&house, 0, "pm"), got(&house, 2, "receipt")), (10, 0));
    assert_eq!((told(&house, 2, "Ответы на час умолкают"), told(&house, 2, "Не всё передано другим")), (1, 1));
}

/// However much talk of others, who were told of it, waits before his.
#[test]
fn of_talk_that_waits_every_author_is_told() {
    let mut house = House::with("[security]\nrelay_per_day = 1000");
    house.new_game(TAG, &TOWN, &[]);
    house.start(TAG);
    let out = house.folder.join("mail/out");
    std::fs::rename(&out, house.folder.join("aside")).unwrap();
    std::fs::write(&out, "").unwrap();
    for letter in 0..22 {
        let lines: Vec<String> = (0..25).map(|line| format!("ЛС - Вера: {letter}.{line}")).collect();
        house.wait(1);
        house.write(TAG, 0, &lines.join("\n"));
    }
    house.wait(1);
    house.write(TAG, 3, "ЛС - Вера: и я");
    house.round();
    let in_an_hour = house.now() + jiff::SignedDuration::from_hours(1);
    for _ in 0..4 {
        house.daemon().desk().tell_of_waiting_talk(in_an_hour).unwrap();
    }
    let letters = house.daemon().desk().store.read(|tx| tx.outbox(tx.game(TAG)?.unwrap().id)).unwrap();
    assert_eq!(letters.iter().filter(|letter| letter.kind == "pm").count(), 22 * 25 + 1);
    let told = |reader: &str| {
        letters.iter().filter(|one| one.reader == reader && one.subject.contains("часть почты ждёт")).count()
    };
    assert_eq!((told("player:0"), told("player:3")), (2, 1), "of each five hundred, and then no more");
}

/// A folder that takes no letters is its owner's trouble and nobody else's.
#[test]
fn a_recipient_whose_folder_is_broken_delays_nobody_else() {
    let mut house = house();
    let (folder, aside) = (house.folder.join("mail/out").join(address(TAG, 3)), house.folder.join("aside"));
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(&folder, "").unwrap();
    let answers = |house: &House, player| house.got_by(TAG, player).iter().filter(|got| got.kind == "answer").count();
    // The only letter that is due can't be delivered.
    house.write(TAG, 3, "Статус");
    house.round();
    for asked in 1..=3 {
        house.write(TAG, 2, "Статус");
        house.write(TAG, 3, "Игроки");
        house.round();
        assert_eq!(answers(&house, 2), asked, "at once, whatever becomes of Глеб's");
    }
    // His wait, and come once each.
    let counts = house.daemon().desk().store.read(|tx| tx.outbox_counts()).unwrap();
    assert_eq!((counts.queued, counts.failed), (4, 0));
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&aside, &folder).unwrap();
    house.wait(120);
    house.round();
    assert_eq!(answers(&house, 3), 4);
}

#[test]
fn a_few_letters_are_read_in_the_order_of_arrival() {
    let mut house = house();
    flood(&mut house, 120);
    house.wait(1);
    house.write(TAG, 2, "Суд Линча - Анна");
    house.round();
    let last = house.daemon().desk().store.read(|tx| tx.letter(omerta::store::LetterId(121)));
    assert_eq!(last.unwrap().unwrap().sender, Some(address(TAG, 2)));
}

/// Prose is explained once a day to a player of a game. Help that he asks for is given each time, and takes nothing
/// from it; nor does what he wrote to another game.
#[test]
fn prose_is_explained_once_a_day_in_each_game() {
    let mut house = House::new();
    // The same people in both games.
    let roster = "address,nick\na@players.test,Анна\nb@players.test,Борис\nc@players.test,Вера\nd@players.test,Глеб\n\
                  e@players.test,Дарья\nf@players.test,Егор\ng@players.test,Жанна\n";
    for tag in [TAG, "corleone"] {
        house.new_game_of(tag, roster, &[]).unwrap();
        house.start(tag);
    }
    let helps = |house: &House| house.got("a@players.test").iter().filter(|got| got.kind == "help").count();
    let mut number = 0;
    let mut write = |house: &mut House, tag: &str, text: &str| {
        number += 1;
        house.wait(1);
        let raw = house::raw_letter("a@players.test", tag, &format!("{number}@players.test"), text);
        let now = house.now();
        house.drop_in(&raw, now, number);
        house.round();
    };
    write(&mut house, TAG, "Помощь");
    let asked = helps(&house) + house.got("a@players.test").iter().filter(|got| got.kind == "answer").count();
    assert_eq!(asked, 1);
    let before = helps(&house);
    write(&mut house, TAG, "Как погода");
    assert_eq!(helps(&house), before + 1, "help that was asked for uses nothing up");
    write(&mut house, TAG, "И снова погода");
    assert_eq!(helps(&house), before + 1, "once a day");
    write(&mut house, "corleone", "Как погода");
    assert_eq!(helps(&house), before + 2, "the other game is another matter");
    write(&mut house, "corleone", "И снова погода");
    assert_eq!(helps(&house), before + 2);
    // The next day of the games' zone.
    house.command(TAG, omerta::desk::command::Command::Deadline { when: "+5d".to_owned() });
    house.wait(24 * 3_600);
    write(&mut house, TAG, "Погода?");
    assert_eq!(helps(&house), before + 3, "the next day");
}

/// A game whose deadline waits for something is due in every round. What lies in the inbox since long is not listed in
/// every one of them, nor when nothing happens at all.
#[test]
fn done_letters_are_not_listed_in_every_round() {
    let mut house = house();
    house.write(TAG, 2, "Суд Линча - Анна");
    house.round();
    // The results of this turn never leave to Глеб: a file stands where his folder was.
    let folder = house.folder.join("mail/out").join(address(TAG, 3));
    std::fs::rename(&folder, house.folder.join("aside")).unwrap();
    std::fs::write(&folder, "").unwrap();
    house.close(TAG);
    house.command(
        TAG,
        omerta::desk::command::Command::Forgive {
            whom: omerta::desk::command::Whom::All,
            what: omerta::desk::command::Forgiven::Miss,
        },
    );
    house.round();
    house.command(TAG, omerta::desk::command::Command::Deadline { when: "+1h".to_owned() });
    let deadline = house.table(TAG).deadline.unwrap();
    house.round_at(deadline + jiff::SignedDuration::from_mins(3));
    let now = house.now();
    let due = house.daemon().desk().games_due(now, 10).unwrap();
    assert_eq!(due.len(), 1, "the game is due, and waits");
    // Until a file system's clock must have ticked, listing is no waste.
    (0..600).for_each(|_| house::binary::rest());
    let before = house.daemon().inbox_listings().unwrap();
    for _ in 0..200 {
        house.round();
    }
    let listings = house.daemon().inbox_listings().unwrap() - before;
    assert!(listings <= 2, "{listings} listings in 200 rounds");
    // A letter that comes is taken in at once all the same.
    house.write(TAG, 2, "Статус");
    house.round();
    assert!(files(&house.folder.join("mail/in/new")).is_empty());
}
