//! The store as the rest of the program sees it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::Timestamp;
use omerta::store::{
    EventRow, Fault, GameId, InboxCounts, LetterId, LetterState, NewLetter, NewOut, OutCounts, OutId, OutState, Seat,
    Store, StoreError, TokenRow, Tx,
};
use proptest::prelude::*;

type Done = Result<(), StoreError>;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn fresh() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("omerta.db")).unwrap();
    (folder, store)
}

fn new_game(store: &Store, tag: &str) -> GameId {
    store.write(|tx| tx.create_game(tag, "Палермо", "signup", at(1))).unwrap()
}

fn out_to(game: Option<GameId>, number: u32) -> NewOut {
    NewOut {
        game,
        reader: "player:1".into(),
        address: "katya@example.org".into(),
        kind: "receipt".into(),
        turn: 2,
        subject: "[palermo] Принято".into(),
        message_id: format!("{number}@example.org"),
        token: Some(format!("token{number}")),
        bytes: format!("Subject: {number}\r\n\r\n").into_bytes(),
        priority: 3,
        not_before: at(100),
        expires: None,
        held: false,
        result: false,
        letter: None,
    }
}

fn letter_at<'a>(place: &'a str, game: Option<GameId>, state: LetterState) -> NewLetter<'a> {
    NewLetter {
        place,
        second: 50,
        within: 7,
        sha256: [9; 32],
        sender: Some("katya@example.org"),
        message_id: Some("m1@example.org"),
        body_hash: "abc",
        raw: b"From: katya@example.org\r\n\r\n",
        game,
        state,
        received_at: at(51),
    }
}

#[test]
fn a_new_database_is_private_whatever_stands_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/down/omerta.db");
    let store = Store::open(&path).unwrap();
    new_game(&store, "palermo");
    let _lock = store.lock_for_daemon().unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&folder.path().join("deep")), 0o700);
    let mut names: Vec<String> = Vec::new();
    for entry in path.parent().unwrap().read_dir().unwrap() {
        let entry = entry.unwrap();
        assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["omerta.db", "omerta.db-shm", "omerta.db-wal", "omerta.db.lock"]);
}

#[test]
fn what_was_written_is_there_after_reopening() {
    let (folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store.write(|tx| tx.append(game, at(5), "opened", "{}")).unwrap();
    let key = store.key();
    drop(store);
    let store = Store::open_existing(&folder.path().join("omerta.db")).unwrap();
    assert_eq!(store.key(), key);
    assert_ne!(key, [0; 32]);
    let head = store.read(|tx| tx.game("PALERMO")).unwrap().unwrap();
    assert_eq!((head.id, head.title.as_str(), head.seq), (game, "Палермо", 1));
    let events = store.read(|tx| tx.events_after(game, 0, 10)).unwrap();
    assert_eq!((events[0].seq, events[0].at, events[0].body.as_str()), (1, at(5), "{}"));
}

#[test]
fn two_databases_have_two_keys() {
    assert_ne!(fresh().1.key(), fresh().1.key());
}

#[test]
fn an_error_undoes_all_of_a_transaction() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    let failed: Done = store.write(|tx| {
        tx.append(game, at(5), "opened", "{}")?;
        tx.enqueue(&out_to(Some(game), 1))?;
        tx.put_letter(&letter_at("a", Some(game), LetterState::Done))?;
        tx.enqueue(&out_to(Some(game), 1))?;
        Ok(())
    });
    assert!(failed.unwrap_err().is_conflict());
    store
        .read(|tx| {
            assert_eq!(tx.events_after(game, 0, 10)?, []);
            assert_eq!(tx.game_by_id(game)?.unwrap().seq, 0);
            assert_eq!(tx.outbox(game)?, []);
            assert_eq!(tx.outbox_counts()?, OutCounts::default());
            assert_eq!(tx.letter_at("a")?, None);
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn a_savepoint_undoes_only_its_part_also_on_a_panic() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            tx.append(game, at(1), "first", "{}")?;
            let poison: Done = tx.savepoint(|tx| {
                tx.append(game, at(2), "poison", "{}")?;
                tx.append(GameId(777), at(2), "nowhere", "{}")?;
                Ok(())
            });
            assert!(matches!(poison.unwrap_err().fault, Fault::NoSuchRow));
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                tx.savepoint(|tx| -> Done {
                    tx.append(game, at(2), "poison", "{}")?;
                    panic!("on purpose")
                })
            }));
            assert!(panicked.is_err());
            tx.savepoint(|tx| tx.savepoint(|tx| tx.append(game, at(3), "second", "{}")))
        })
        .unwrap();
    let events = store.read(|tx| tx.events_after(game, 0, 10)).unwrap();
    let said: Vec<_> = events.iter().map(|event| (event.seq, event.kind.as_str())).collect();
    assert_eq!(said, [(1, "first"), (2, "second")]);
}

#[test]
fn a_transaction_inside_a_transaction_is_refused_and_harms_nothing() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            tx.append(game, at(1), "first", "{}")?;
            assert!(store.write(|tx| tx.append(game, at(1), "inner", "{}")).is_err());
            tx.append(game, at(1), "second", "{}")
        })
        .unwrap();
    assert_eq!(store.read(|tx| tx.game_by_id(game)).unwrap().unwrap().seq, 2);
}

#[test]
fn two_connections_see_each_other() {
    let (folder, daemon) = fresh();
    let command = Store::open_existing(&folder.path().join("omerta.db")).unwrap();
    let before = daemon.version_seen().unwrap();
    assert_eq!(daemon.version_seen().unwrap(), before);
    let game = new_game(&command, "palermo");
    assert_ne!(daemon.version_seen().unwrap(), before);
    daemon.write(|tx| tx.append(game, at(1), "first", "{}")).unwrap();
    command.write(|tx| tx.append(game, at(1), "second", "{}")).unwrap();
    daemon
        .read(|tx| {
            assert_eq!(tx.game_by_id(game)?.unwrap().seq, 2);
            command.write(|tx| tx.append(game, at(1), "third", "{}"))?;
            assert_eq!(tx.game_by_id(game)?.unwrap().seq, 2, "a look is at one moment");
            Done::Ok(())
        })
        .unwrap();
    assert_eq!(daemon.read(|tx| tx.events_after(game, 0, 10)).unwrap().len(), 3);
}

/// What a crash leaves: the files as they stand at this moment.
fn crash_copy(from: &Path, to: &Path) -> Store {
    std::fs::create_dir_all(to).unwrap();
    for name in ["omerta.db", "omerta.db-wal"] {
        std::fs::copy(from.join(name), to.join(name)).unwrap();
    }
    Store::open_existing(&to.join("omerta.db")).unwrap()
}

#[test]
fn a_crash_keeps_what_was_committed_and_nothing_else() {
    let (folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            tx.append(game, at(1), "first", "{}")?;
            tx.enqueue(&out_to(Some(game), 1)).map(|_| ())
        })
        .unwrap();
    let after_commit = crash_copy(folder.path(), &folder.path().join("after"));
    let inside = store
        .write(|tx| {
            tx.append(game, at(2), "second", "{}")?;
            tx.enqueue(&out_to(Some(game), 2))?;
            Ok::<_, StoreError>(crash_copy(folder.path(), &folder.path().join("inside")))
        })
        .unwrap();
    for left in [after_commit, inside] {
        left.write(|tx| {
            assert_eq!(tx.events_after(game, 0, 10)?.len(), 1);
            assert_eq!(tx.outbox(game)?.len(), 1);
            assert_eq!(tx.append(game, at(3), "again", "{}")?, 2);
            Done::Ok(())
        })
        .unwrap();
        assert_eq!(left.check_whole().unwrap(), Vec::<String>::new());
    }
    assert_eq!(store.read(|tx| tx.outbox(game)).unwrap().len(), 2);
}

#[test]
fn many_hands_open_and_write_one_new_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("omerta.db");
    let tags: Vec<String> = (0..6).map(|n| format!("game{n}")).collect();
    std::thread::scope(|scope| {
        for tag in &tags {
            let path = &path;
            scope.spawn(move || {
                let store = Store::open(path).unwrap();
                let game = new_game(&store, tag);
                let shared = store.write(|tx| match tx.game("shared")? {
                    Some(head) => Ok::<_, StoreError>(head.id),
                    None => tx.create_game("shared", "", "playing", at(1)),
                });
                for n in 0..10 {
                    store.write(|tx| tx.append(game, at(n), tag, "{}")).unwrap();
                    store.write(|tx| tx.append(*shared.as_ref().unwrap(), at(n), tag, "{}")).unwrap();
                }
            });
        }
    });
    let store = Store::open_existing(&path).unwrap();
    store
        .read(|tx| {
            assert_eq!(tx.games()?.len(), 7);
            let shared = tx.game("shared")?.unwrap();
            let events = tx.events_after(shared.id, 0, 100)?;
            assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), (1..=60).collect::<Vec<_>>());
            for tag in &tags {
                assert!(events.iter().filter(|event| event.kind == *tag).count() == 10);
            }
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn the_journal_can_only_grow_at_its_end() {
    let (folder, store) = fresh();
    let game = new_game(&store, "palermo");
    for n in 1..=3 {
        assert_eq!(store.write(|tx| tx.append(game, at(n), "event", "{}")).unwrap(), n);
    }
    let raw = rusqlite::Connection::open(folder.path().join("omerta.db")).unwrap();
    for tampering in [
        "UPDATE events SET body = '[]' WHERE seq = 2",
        "DELETE FROM events WHERE seq = 3",
        "DELETE FROM events",
        "INSERT INTO events (game, seq, at, kind, body) VALUES (1, 5, 0, 'gap', '')",
        "INSERT INTO events (game, seq, at, kind, body) VALUES (1, 3, 0, 'twice', '')",
        "INSERT OR REPLACE INTO events (game, seq, at, kind, body) VALUES (1, 3, 0, 'over', '')",
        "INSERT INTO events (game, seq, at, kind, body) VALUES (77, 1, 0, 'nowhere', '')",
    ] {
        let error = raw.execute_batch(tampering).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{tampering}: {error}");
    }
    let events = store.read(|tx| tx.events_after(game, 1, 1)).unwrap();
    assert_eq!(events, [EventRow { seq: 2, at: at(2), kind: "event".into(), body: "{}".into() }]);
}

#[test]
fn the_words_of_a_letter_and_the_rows_of_letters_stay() {
    let (folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            tx.put_letter(&letter_at("a", Some(game), LetterState::Done))?;
            tx.enqueue(&out_to(Some(game), 1))
        })
        .unwrap();
    let raw = rusqlite::Connection::open(folder.path().join("omerta.db")).unwrap();
    for tampering in
        ["UPDATE outbox_bytes SET bytes = x'00'", "DELETE FROM letters WHERE id = 1", "DELETE FROM outbox WHERE id = 1"]
    {
        assert!(raw.execute_batch(tampering).is_err(), "{tampering}");
    }
}

#[test]
fn a_file_that_is_none_of_ours_is_left_alone_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("omerta.db");
    let said = |content: &[u8]| {
        std::fs::write(&path, content).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), content, "an alien file was changed");
        error
    };
    let error = said(&b"Subject: this is a letter, not a database\n".repeat(200));
    assert!(matches!(error.fault, Fault::NotADatabase), "{error}");
    assert!(error.to_string().contains("omerta.db: opening: the file is no SQLite database; correct"), "{error}");

    let alien = folder.path().join("alien.db");
    rusqlite::Connection::open(&alien).unwrap().execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    let error = said(&std::fs::read(&alien).unwrap());
    assert!(matches!(error.fault, Fault::Foreign), "{error}");

    let error = Store::open(folder.path()).unwrap_err();
    assert!(matches!(error.fault, Fault::CannotOpen), "{error}");
    let error = Store::open_existing(&folder.path().join("missing.db")).unwrap_err();
    assert!(matches!(error.fault, Fault::Missing), "{error}");
    assert!(!folder.path().join("missing.db").exists());
}

#[test]
fn a_damaged_file_is_named_damaged_and_nothing_panics() {
    let (folder, store) = fresh();
    let path = folder.path().join("omerta.db");
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            for n in 0..500 {
                tx.append(game, at(n), "event", &"x".repeat(300))?;
            }
            Done::Ok(())
        })
        .unwrap();
    assert!(store.settle_erasure().unwrap());
    drop(store);
    let whole = std::fs::read(&path).unwrap();

    let mut holed = whole.clone();
    let middle = whole.len() / 4096 / 2 * 4096;
    holed[middle..].fill(0x5A);
    std::fs::write(&path, &holed).unwrap();
    let seen = Store::open(&path).and_then(|store| store.read(|tx| tx.events_after(game, 0, 1000)));
    let error = seen.unwrap_err();
    assert!(matches!(error.fault, Fault::Damaged), "{error}");
    assert!(error.to_string().contains("put the last backup in its place"), "{error}");
    let wrong = Store::open(&path).and_then(|store| store.check_whole());
    assert!(wrong.is_err() || !wrong.unwrap().is_empty());

    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let seen = Store::open(&path).and_then(|store| store.read(|tx| tx.events_after(game, 0, 1000)));
    assert!(matches!(seen.unwrap_err().fault, Fault::Damaged));
}

#[test]
fn a_database_of_a_newer_version_is_refused_untouched() {
    let (folder, store) = fresh();
    let path = folder.path().join("omerta.db");
    drop(store);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error.fault, Fault::Newer { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("newer omerta"), "{error}");
    raw.pragma_update(None, "user_version", -1).unwrap();
    assert!(Store::open(&path).is_err());
}

#[test]
fn a_second_daemon_is_refused_while_the_first_lives() {
    let (folder, store) = fresh();
    let other = Store::open(&folder.path().join("omerta.db")).unwrap();
    assert!(!other.daemon_runs().unwrap());
    let lock = store.lock_for_daemon().unwrap();
    assert!(other.daemon_runs().unwrap());
    let error = other.lock_for_daemon().unwrap_err();
    assert!(matches!(error.fault, Fault::DaemonRunning), "{error}");
    new_game(&other, "palermo");
    drop(lock);
    assert!(!other.daemon_runs().unwrap());
    other.lock_for_daemon().unwrap();
}

#[test]
fn games_are_woken_in_time() {
    let (_folder, store) = fresh();
    let games: Vec<GameId> = ["a", "b", "c", "d"].iter().map(|tag| new_game(&store, tag)).collect();
    store
        .write(|tx| {
            assert_eq!(tx.next_wake()?, None);
            tx.set_game(games[0], "playing", Some(at(30)))?;
            tx.set_game(games[1], "playing", Some(at(10)))?;
            tx.set_game(games[2], "paused", None)?;
            tx.set_game(games[3], "playing", Some(at(20)))?;
            assert_eq!(tx.next_wake()?, Some(at(10)));
            assert_eq!(tx.games_due(at(9), 10)?, []);
            assert_eq!(tx.games_due(at(20), 10)?, [games[1], games[3]]);
            assert_eq!(tx.games_due(at(99), 1)?, [games[1]]);
            tx.set_game(games[1], "finished", None)?;
            assert_eq!(tx.next_wake()?, Some(at(20)));
            assert!(matches!(tx.set_game(GameId(99), "x", None).unwrap_err().fault, Fault::NoSuchRow));
            assert!(
                tx.create_game("A", "", "signup", at(1)).unwrap_err().is_conflict(),
                "tags differ in more than case"
            );
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn the_last_snapshot_replaces_the_one_before() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            assert_eq!(tx.snapshot(game)?, None);
            tx.save_snapshot(game, 1, "one")?;
            tx.save_snapshot(game, 2, "two")?;
            assert_eq!(tx.snapshot(game)?, Some((2, "two".to_owned())));
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn a_person_is_found_first_in_games_that_are_on() {
    let (_folder, store) = fresh();
    let (over, on) = (new_game(&store, "over"), new_game(&store, "on"));
    store
        .write(|tx| {
            tx.set_game(over, "finished", None)?;
            for game in [over, on] {
                tx.put_seat(game, 4, "katya@example.org", Some("Катя"))?;
                tx.put_officer(game, "host", 0, "host@example.org")?;
            }
            tx.put_seat(on, 5, "oleg@example.org", None)?;
            tx.put_officer(on, "post_to", 0, "forum@example.org")?;
            tx.put_officer(on, "moderator", 1, "b@example.org")?;
            tx.put_officer(on, "moderator", 0, "a@example.org")?;
            let places = tx.seats_by_address("katya@example.org")?;
            let found: Vec<_> = places.iter().map(|place| (place.game, place.player, place.state.as_str())).collect();
            assert_eq!(found, [(on, 4, "signup"), (over, 4, "finished")]);
            let led: Vec<_> = tx.games_of_officer("host@example.org")?.iter().map(|place| place.game).collect();
            assert_eq!(led, [on, over]);
            let officers: Vec<_> = tx.officers(on)?.into_iter().map(|officer| officer.address).collect();
            assert_eq!(officers, ["host@example.org", "a@example.org", "b@example.org", "forum@example.org"]);

            assert!(tx.put_seat(on, 6, "oleg@example.org", None).unwrap_err().is_conflict());
            tx.put_former(on, 5, "oleg@example.org")?;
            tx.put_seat(on, 5, "new@example.org", None)?;
            assert_eq!(tx.seats_by_address("oleg@example.org")?, []);
            assert_eq!(tx.formers(on)?, [(5, "oleg@example.org".to_owned())]);
            let five = Seat { player: 5, address: "new@example.org".into(), forum_name: None };
            assert_eq!(tx.seat(on, 5)?, Some(five.clone()));
            assert_eq!(tx.seats(on)?[1], five);
            tx.drop_seat(on, 5)?;
            assert_eq!(tx.seat(on, 5)?, None);
            assert!(tx.put_officer(on, "king", 0, "a@example.org").is_err());
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn a_text_has_a_salted_hash_and_its_number_never_comes_again() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            let text = tx.put_text(game, &[7; 16], "Это Саня")?;
            // printf '\x07%.0s' {1..16} | cat - <(printf 'Это Саня') | sha256sum
            assert_eq!(
                (text.id, text.hash.as_str()),
                (1, "0de5290b48327c11e818a7874750060834a5558c22ceffd47aab5372410118a4")
            );
            let other = tx.put_text(game, &[8; 16], "Это Саня")?;
            assert_ne!(other.hash, text.hash);
            assert_eq!(tx.text(game, 1)?.as_deref(), Some("Это Саня"));
            tx.erase_texts(game, &[1, 2, 55])?;
            assert_eq!((tx.text(game, 1)?, tx.text(game, 2)?, tx.text(game, 9)?), (None, None, None));
            assert_eq!(tx.put_text(game, &[7; 16], "снова")?.id, 3);
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn erasure_reaches_the_disk() {
    let (folder, store) = fresh();
    let game = new_game(&store, "palermo");
    let marks = ["nobody-may-read-this", "katya@example.org", "raw-letter-of-hers", "words-of-the-answer"];
    store
        .write(|tx| {
            tx.put_seat(game, 1, "katya@example.org", Some("katya@example.org"))?;
            tx.put_former(game, 1, "katya@example.org")?;
            tx.put_officer(game, "host", 0, "katya@example.org")?;
            tx.put_text(game, &[7; 16], &"nobody-may-read-this".repeat(1000))?;
            tx.put_letter(&NewLetter {
                raw: &b"raw-letter-of-hers".repeat(1000),
                ..letter_at("a", Some(game), LetterState::Done)
            })?;
            tx.enqueue(&NewOut { bytes: b"words-of-the-answer".repeat(1000), ..out_to(Some(game), 1) })
        })
        .unwrap();
    let on_disk = |mark: &str| {
        ["omerta.db", "omerta.db-wal"].iter().any(|name| {
            let bytes = std::fs::read(folder.path().join(name)).unwrap_or_default();
            bytes.windows(mark.len()).any(|window| window == mark.as_bytes())
        })
    };
    assert!(marks.iter().all(|mark| on_disk(mark)));
    store.write(|tx| tx.erase_person_data(game)).unwrap();
    assert!(store.settle_erasure().unwrap());
    assert_eq!(marks.iter().filter(|mark| on_disk(mark)).collect::<Vec<_>>(), Vec::<&&str>::new());
    store
        .read(|tx| {
            let listed = tx.outbox(game)?;
            assert_eq!((listed[0].to.as_str(), listed[0].state), ("", OutState::Cancelled));
            assert_eq!(tx.out_bytes(listed[0].id)?, None);
            assert!(tx.letter_at("a")?.is_some(), "or it would be taken again");
            Done::Ok(())
        })
        .unwrap();
    assert!(store.write(|tx| tx.resend(OutId(1), at(5))).is_err());
}

#[test]
fn letters_of_strangers_are_erased_by_age() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            let put = |place: &str, game, state| tx.put_letter(&letter_at(place, game, state));
            let (stray, broken) = (put("a", None, LetterState::Ignored)?, put("b", None, LetterState::Quarantined)?);
            let ours = put("c", Some(game), LetterState::Done)?;
            tx.erase_strays(at(51))?;
            assert!(tx.raw(stray)?.is_some());
            tx.erase_strays(at(52))?;
            assert_eq!(tx.raw(stray)?, None);
            assert_eq!(tx.letter(stray)?.unwrap().sender, None);
            assert!(tx.raw(broken)?.is_some() && tx.raw(ours)?.is_some());
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn a_letter_is_known_by_place_by_its_twin_and_by_its_bytes() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            let first = tx.put_letter(&letter_at("INBOX/1/7", Some(game), LetterState::Done))?;
            let copy = tx.put_letter(&letter_at("INBOX/2/1", None, LetterState::Ignored))?;
            assert_ne!(first, copy);
            assert_eq!(tx.letter_at("INBOX/1/7")?, Some(first));
            assert_eq!(tx.letter_at("INBOX/1/8")?, None);
            assert!(tx.put_letter(&letter_at("INBOX/1/7", None, LetterState::Done)).unwrap_err().is_conflict());
            let twin = |sender, id, hash| tx.twin(sender, id, hash).map(|row| row.map(|row| row.id));
            assert_eq!(twin("katya@example.org", "m1@example.org", "abc")?, Some(first));
            assert_eq!(twin("oleg@example.org", "m1@example.org", "abc")?, None);
            assert_eq!(twin("katya@example.org", "m2@example.org", "abc")?, None);
            assert_eq!(twin("katya@example.org", "m1@example.org", "abd")?, None);
            assert_eq!(tx.twin_by_raw(&[9; 32])?.map(|row| row.id), Some(first));
            assert_eq!(tx.twin_by_raw(&[8; 32])?, None);

            assert!(!tx.earlier_arrival(first, 50, 7)?);
            assert!(!tx.earlier_arrival(first, 51, 0)?);
            assert!(tx.earlier_arrival(first, 50, 6)?);
            assert!(tx.earlier_arrival(first, 49, 900)?);
            let row = tx.letter(first)?.unwrap();
            assert_eq!((row.second, row.within), (49, 900));
            assert_eq!(tx.raw(first)?.unwrap(), b"From: katya@example.org\r\n\r\n");
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn letters_wait_in_the_order_in_which_they_arrived() {
    let (_folder, store) = fresh();
    let (game, other) = (new_game(&store, "palermo"), new_game(&store, "other"));
    store
        .write(|tx| {
            let put = |place: &str, game, second, within| {
                tx.put_letter(&NewLetter { second, within, ..letter_at(place, Some(game), LetterState::Waiting) })
            };
            put("c", game, 10, 1)?;
            put("b", game, 10, 0)?;
            put("a", game, 10, 1)?;
            put("z", game, 9, 99)?;
            put("y", other, 1, 1)?;
            let places =
                || tx.waiting_letters(game).map(|rows| rows.into_iter().map(|row| row.place).collect::<Vec<_>>());
            assert_eq!(places()?, ["z", "b", "a", "c"]);
            tx.set_letter(tx.letter_at("b")?.unwrap(), LetterState::Done, Some(game))?;
            assert_eq!(places()?, ["z", "a", "c"]);
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn the_quarantine_is_counted_as_it_is_now() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            let poison = tx.put_letter(&letter_at("a", None, LetterState::Quarantined))?;
            tx.quarantine(poison, "the parser gave up")?;
            assert_eq!(tx.inbox_counts()?, InboxCounts { processed: 0, quarantined: 1 });
            let row = &tx.quarantined()?[0];
            assert_eq!((row.id, row.error.as_deref()), (poison, Some("the parser gave up")));
            tx.set_letter(poison, LetterState::Done, None)?;
            assert_eq!(tx.inbox_counts()?, InboxCounts { processed: 1, quarantined: 0 });
            assert_eq!(tx.letter(poison)?.unwrap().error, None);
            assert_eq!(tx.quarantined()?, []);
            assert!(tx.quarantine(LetterId(99), "x").is_err());
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn letters_leave_by_priority_and_never_before_their_time() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            let put = |number, priority, not_before| {
                tx.enqueue(&NewOut { priority, not_before: at(not_before), ..out_to(Some(game), number) })
            };
            let (late, second, first, third) = (put(1, 0, 200)?, put(2, 5, 100)?, put(3, 1, 100)?, put(4, 5, 90)?);
            let due = |now, limit| {
                tx.due_out(at(now), limit).map(|rows| rows.into_iter().map(|row| row.id).collect::<Vec<_>>())
            };
            assert_eq!(tx.next_out_due()?, Some(at(90)));
            assert_eq!(due(89, 9)?, []);
            assert_eq!(due(90, 9)?, [third]);
            assert_eq!(due(100, 9)?, [first, second, third]);
            assert_eq!(due(100, 2)?, [first, second]);
            assert_eq!(due(200, 9)?, [late, first, second, third]);

            assert_eq!(tx.attempting(&[first, second], at(160))?, [first, second]);
            assert_eq!(due(100, 9)?, [third]);
            let again = &tx.due_out(at(160), 1)?[0];
            assert_eq!((again.attempts, again.bytes.as_slice()), (1, b"Subject: 3\r\n\r\n".as_slice()));
            assert_eq!(again.message_id, "3@example.org");
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn the_fates_of_a_letter() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            let state = |id| tx.out(id).map(|row| row.unwrap().state);
            let counts = |queued, sent, failed| OutCounts { queued, sent, failed };
            let put = |number, held, expires| {
                tx.enqueue(&NewOut { held, expires, result: true, ..out_to(Some(game), number) })
            };
            let (held, useless) = (put(1, true, None)?, put(2, true, Some(at(150)))?);
            let (plain, cut, dead) = (put(3, false, None)?, put(4, false, None)?, put(5, false, None)?);
            assert_eq!(tx.outbox_counts()?, counts(5, 0, 0));
            assert_eq!(tx.held(game)?.iter().map(|row| row.id).collect::<Vec<_>>(), [held, useless]);
            assert_eq!(tx.unsent_of_turn(game, 2)?.len(), 5);
            assert_eq!(tx.unsent_of_turn(game, 1)?, []);
            assert_eq!(tx.due_out(at(999), 9)?.len(), 3, "held letters do not leave");

            tx.failed(held, "not in the queue", None)?;
            assert_eq!(state(held)?, OutState::Held);
            assert_eq!(tx.expire(at(149))?, 0);
            assert_eq!(tx.expire(at(150))?, 1);
            assert_eq!(tx.release(&[held, useless])?, 1, "what expired is not released");
            assert_eq!((state(held)?, state(useless)?), (OutState::Queued, OutState::Expired));

            tx.failed(plain, "450 later", Some(at(300)))?;
            assert_eq!(state(plain)?, OutState::Queued);
            tx.sent(&[plain, plain], at(301))?;
            assert_eq!(tx.out(plain)?.unwrap().at, Some(at(301)));
            tx.failed(plain, "too late to say so", None)?;
            assert_eq!(state(plain)?, OutState::Sent);

            tx.uncertain(cut, "line broke", Some(at(400)))?;
            assert_eq!(state(cut)?, OutState::Unknown);
            assert!(tx.due_out(at(400), 9)?.iter().any(|row| row.id == cut && row.state == OutState::Unknown));
            tx.uncertain(cut, "line broke again", None)?;
            assert!(tx.due_out(at(999), 9)?.iter().all(|row| row.id != cut));
            assert_eq!(tx.attempting(&[cut], at(1))?, [], "it left the queue");

            tx.failed(dead, "550 no such mailbox", None)?;
            assert_eq!(tx.out(dead)?.unwrap().why.as_deref(), Some("550 no such mailbox"));
            assert_eq!(tx.cancel(&[held, plain, dead])?, 1);
            assert_eq!(
                (state(held)?, state(plain)?, state(dead)?),
                (OutState::Cancelled, OutState::Sent, OutState::Failed)
            );
            assert_eq!(tx.outbox_counts()?, counts(0, 1, 1));
            assert_eq!(tx.unsent_of_turn(game, 2)?, []);
            assert_eq!(tx.next_out_due()?, None);

            tx.resend(dead, at(500))?;
            assert_eq!(tx.due_out(at(500), 9)?[0].id, dead);
            assert_eq!(tx.outbox_counts()?, counts(1, 1, 1));
            assert_eq!(tx.sent_since(at(301), 9)?, 1);
            assert_eq!(tx.sent_since(at(302), 9)?, 0);
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn an_unknown_letter_that_is_useless_by_now_is_not_tried_again() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            let id = tx.enqueue(&NewOut { expires: Some(at(150)), ..out_to(None, 1) })?;
            tx.uncertain(id, "line broke", Some(at(200)))?;
            assert_eq!(tx.due_out(at(200), 9)?, []);
            assert_eq!(tx.expire(at(200))?, 1);
            assert_eq!((tx.out(id)?.unwrap().state, tx.next_out_due()?), (OutState::Unknown, None));
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn tokens_numbers_and_caps() {
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            let letter = tx.put_letter(&letter_at("a", Some(game), LetterState::Done))?;
            let out = tx.enqueue(&NewOut { letter: Some(letter), ..out_to(Some(game), 1) })?;
            let row = TokenRow {
                out,
                game: Some(game),
                reader: "player:1".into(),
                turn: 2,
                kind: "receipt".into(),
                letter: Some(letter),
                state: OutState::Queued,
            };
            assert_eq!(tx.find_token("token1")?, Some(row.clone()));
            assert_eq!(tx.find_message_id("1@example.org")?, Some(row));
            assert_eq!((tx.find_token("token2")?, tx.find_message_id("x")?), (None, None));
            assert_eq!(tx.answers_to(letter)?.len(), 1);

            assert_eq!(tx.next_letter_number(game, "player:1")?, 1);
            assert_eq!(tx.next_letter_number(game, "player:1")?, 2);
            assert_eq!(tx.next_letter_number(game, "player:2")?, 1);
            assert_eq!(tx.next_letter_number(None, "stranger")?, 1);

            assert!(!tx.bump(game, "relay", "player:1 2026-12-05", 0)?);
            assert!(tx.bump(game, "relay", "player:1 2026-12-05", 2)?);
            assert!(tx.bump(game, "relay", "player:1 2026-12-05", 2)?);
            assert!(!tx.bump(game, "relay", "player:1 2026-12-05", 2)?);
            assert!(!tx.bump(game, "relay", "player:1 2026-12-05", 2)?);
            assert!(tx.bump(game, "relay", "player:1 2026-12-05", 3)?, "a refusal was not counted");
            assert!(tx.bump(game, "relay", "player:1 2026-12-06", 2)?);
            assert!(tx.bump(None, "relay", "player:1 2026-12-05", 2)?);
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn only_answers_to_this_address_in_this_game_are_capped() {
    let (_folder, store) = fresh();
    let (game, other) = (new_game(&store, "palermo"), new_game(&store, "other"));
    store
        .write(|tx| {
            let put = |number, game, kind: &str, when| {
                tx.enqueue(&NewOut { kind: kind.into(), not_before: at(when), ..out_to(game, number) })
            };
            put(1, Some(game), "receipt", 100)?;
            put(2, Some(game), "help", 110)?;
            put(3, Some(game), "summary", 110)?;
            put(4, Some(other), "receipt", 110)?;
            put(5, None, "refused", 110)?;
            assert_eq!(tx.count_sent_to("katya@example.org", game, at(100))?, 2);
            assert_eq!(tx.count_sent_to("katya@example.org", game, at(101))?, 1);
            assert_eq!(tx.count_sent_to("katya@example.org", other, at(100))?, 1);
            assert_eq!(tx.count_sent_to("katya@example.org", None, at(100))?, 1);
            assert_eq!(tx.count_sent_to("oleg@example.org", game, at(100))?, 0);
            assert!(tx.last_kind("katya@example.org", "help", at(110))?);
            assert!(!tx.last_kind("katya@example.org", "help", at(111))?);
            assert!(!tx.last_kind("oleg@example.org", "help", at(1))?);
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn the_daemon_notes_where_it_stands() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            assert_eq!((tx.daemon_status()?, tx.inbox_read()?, tx.mark("INBOX")?), (None, None, None));
            tx.daemon_beat(at(5), 77)?;
            tx.daemon_beat(at(6), 78)?;
            assert_eq!(tx.daemon_status()?, Some((at(6), 78)));
            tx.set_inbox_read(at(6))?;
            tx.set_inbox_read(at(5))?;
            assert_eq!(tx.inbox_read()?, Some(at(6)), "time does not go back");
            tx.set_inbox_read(at(7))?;
            assert_eq!(tx.inbox_read()?, Some(at(7)));
            tx.put_mark("INBOX", "1/7")?;
            tx.put_mark("INBOX", "1/8")?;
            assert_eq!(tx.mark("INBOX")?.as_deref(), Some("1/8"));
            tx.drop_mark("INBOX")?;
            assert_eq!(tx.mark("INBOX")?, None);
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn a_backup_is_private_complete_and_never_overwrites() {
    let (folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store.write(|tx| tx.append(game, at(1), "first", "{}")).unwrap();
    let target = folder.path().join("backup.db");
    store.read(|_| store.backup(&folder.path().join("inside.db"))).unwrap_err();
    store.backup(&target).unwrap();
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(store.backup(&target).unwrap_err().fault, Fault::Exists(_)));
    assert!(matches!(store.backup(store.path()).unwrap_err().fault, Fault::Exists(_)));
    assert!(store.backup(&folder.path().join("no/such/folder.db")).is_err());
    let left: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.iter().all(|path| path.extension().unwrap() != "part"), "{left:?}");
    let copy = Store::open_existing(&target).unwrap();
    assert_eq!(copy.key(), store.key());
    assert_eq!(copy.read(|tx| tx.events_after(game, 0, 9)).unwrap().len(), 1);
    assert_eq!(copy.check_whole().unwrap(), Vec::<String>::new());
}

/// One step in the life of the post; numbers choose among the letters there are.
#[derive(Clone, Debug)]
enum Step {
    Take(u8),
    SetLetter(usize, u8),
    Enqueue(bool, bool),
    Attempt(usize),
    Sent(usize),
    Failed(usize, bool),
    Uncertain(usize, bool),
    Cancel(usize),
    Release(usize),
    Resend(usize),
    Expire,
    Poison,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..4u8).prop_map(Step::Take),
        (any::<usize>(), 0..4u8).prop_map(|(which, state)| Step::SetLetter(which, state)),
        (any::<bool>(), any::<bool>()).prop_map(|(held, expires)| Step::Enqueue(held, expires)),
        any::<usize>().prop_map(Step::Attempt),
        any::<usize>().prop_map(Step::Sent),
        (any::<usize>(), any::<bool>()).prop_map(|(which, retry)| Step::Failed(which, retry)),
        (any::<usize>(), any::<bool>()).prop_map(|(which, retry)| Step::Uncertain(which, retry)),
        any::<usize>().prop_map(Step::Cancel),
        any::<usize>().prop_map(Step::Release),
        any::<usize>().prop_map(Step::Resend),
        Just(Step::Expire),
        Just(Step::Poison),
    ];
    proptest::collection::vec(step, 1..60)
}

const STATES: [LetterState; 4] =
    [LetterState::Done, LetterState::Waiting, LetterState::Quarantined, LetterState::Ignored];

fn chosen<T: Copy>(among: &[T], which: usize) -> Vec<T> {
    among.get(which % among.len().max(1)).copied().into_iter().collect()
}

fn take_step(
    tx: &Tx<'_>,
    game: GameId,
    number: usize,
    step: Step,
    letters: &mut Vec<LetterId>,
    outs: &mut Vec<OutId>,
) -> Done {
    let retry = |again: bool| again.then(|| at(200));
    match step {
        Step::Take(state) => {
            let place = number.to_string();
            letters.push(tx.put_letter(&letter_at(&place, Some(game), STATES[usize::from(state)]))?);
        }
        Step::SetLetter(which, state) => {
            for id in chosen(letters, which) {
                tx.set_letter(id, STATES[usize::from(state)], Some(game))?;
            }
        }
        Step::Enqueue(held, expires) => {
            let number = u32::try_from(number).unwrap();
            let expires = expires.then(|| at(150));
            outs.push(tx.enqueue(&NewOut { held, expires, ..out_to(Some(game), number) })?);
        }
        Step::Attempt(which) => {
            tx.attempting(&chosen(outs, which), at(130))?;
        }
        Step::Sent(which) => tx.sent(&chosen(outs, which), at(120))?,
        Step::Failed(which, again) => {
            for id in chosen(outs, which) {
                tx.failed(id, "why", retry(again))?;
            }
        }
        Step::Uncertain(which, again) => {
            for id in chosen(outs, which) {
                tx.uncertain(id, "why", retry(again))?;
            }
        }
        Step::Cancel(which) => {
            tx.cancel(&chosen(outs, which))?;
        }
        Step::Release(which) => {
            tx.release(&chosen(outs, which))?;
        }
        Step::Resend(which) => {
            for id in chosen(outs, which) {
                tx.resend(id, at(140))?;
            }
        }
        Step::Expire => {
            tx.expire(at(151))?;
        }
        Step::Poison => {
            let poison: Done = tx.savepoint(|tx| {
                tx.put_letter(&letter_at("poison", None, LetterState::Quarantined))?;
                tx.enqueue(&out_to(Some(game), 1_000_000))?;
                tx.set_game(GameId(77), "", None)
            });
            assert!(poison.is_err());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_counts_are_right_whatever_happens(steps in steps()) {
        let (folder, store) = fresh();
        let game = new_game(&store, "palermo");
        let (mut letters, mut outs): (Vec<LetterId>, Vec<OutId>) = (Vec::new(), Vec::new());
        let (mut sent, mut failed) = (0, 0);
        for (number, step) in steps.into_iter().enumerate() {
            let before = store.read(|tx| tx.outbox(game)).unwrap();
            store.write(|tx| take_step(tx, game, number, step, &mut letters, &mut outs)).unwrap();
            let after = store.read(|tx| tx.outbox(game)).unwrap();
            for (index, row) in after.iter().enumerate() {
                if before.get(index).map(|row| row.state) != Some(row.state) {
                    sent += u64::from(row.state == OutState::Sent);
                    failed += u64::from(row.state == OutState::Failed);
                }
            }
        }
        let raw = rusqlite::Connection::open(folder.path().join("omerta.db")).unwrap();
        let count = |sql: &str| raw.query_row(sql, (), |row| row.get::<_, u32>(0).map(u64::from)).unwrap();
        let queued = count("SELECT count(*) FROM outbox WHERE state IN ('held', 'queued')");
        let processed = count("SELECT count(*) FROM letters WHERE state IN ('done', 'ignored')");
        let quarantined = count("SELECT count(*) FROM letters WHERE state = 'quarantined'");
        let (ins, outs) = store.read(|tx| Ok::<_, StoreError>((tx.inbox_counts()?, tx.outbox_counts()?))).unwrap();
        prop_assert_eq!(ins, InboxCounts { processed, quarantined });
        prop_assert_eq!(outs, OutCounts { queued, sent, failed });
    }
}
