//! The store as the rest of the program sees it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::Timestamp;
use omerta::store::{
    Fault, GameId, LetterId, LetterState, NewLetter, NewOut, OutCounts, OutId, OutState, Store, StoreError,
};

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
