//! The file itself: made, opened, shared, torn away in the middle of a write, damaged, copied.

use super::*;

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
    assert!(matches!(error.fault, Fault::Folder), "{error}");
    assert!(matches!(Store::open_existing(folder.path()).unwrap_err().fault, Fault::Folder));
    let pipe = folder.path().join("pipe.db");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for open in [Store::open, Store::open_existing, |path: &Path| Store::look(path).and_then(|()| Store::nothing(path))]
    {
        let error = open(&pipe).unwrap_err();
        assert!(matches!(error.fault, Fault::NoFile) && error.is_of_the_file(), "{error}");
    }
    let error = Store::open_existing(&folder.path().join("missing.db")).unwrap_err();
    assert!(matches!(error.fault, Fault::Missing), "{error}");
    assert!(!folder.path().join("missing.db").exists());
    Store::look(&folder.path().join("missing.db")).unwrap();
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
    assert!(matches!(Store::open(&path).unwrap_err().fault, Fault::HalfMade));
}

#[test]
fn a_file_that_is_ours_in_part_is_named_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("omerta.db");
    let said = |spoil: &str| {
        let _ = std::fs::remove_file(&path);
        drop(Store::open(&path).unwrap());
        rusqlite::Connection::open(&path).unwrap().execute_batch(spoil).unwrap();
        let error = Store::open(&path).unwrap_err();
        let said = error.to_string();
        assert!(!said.contains("CREATE") && !said.contains('\n') && said.len() < 300, "{said}");
        (error.fault, said)
    };
    for spoil in [
        "PRAGMA user_version = 0",
        "DELETE FROM database_key",
        "DROP TABLE database_key",
        "DROP TABLE database_key; PRAGMA user_version = 0",
        "PRAGMA user_version = -1",
    ] {
        let (fault, said) = said(spoil);
        assert!(matches!(fault, Fault::HalfMade), "{spoil}: {said}");
        assert!(said.contains("put the last backup in its place"), "{said}");
    }
    // As `sqlite3 old .dump | sqlite3 new` leaves it.
    let (fault, words) = said("PRAGMA application_id = 0; PRAGMA user_version = 0");
    assert!(matches!(fault, Fault::Unmarked), "{words}");
    // A migration meets what no version has left there.
    let (fault, broken) = said("PRAGMA user_version = 1");
    assert!(matches!(fault, Fault::HalfMade), "{broken}");
    for (spoil, missing) in [
        ("DROP TABLE outbox", "table outbox"),
        ("DROP TABLE resting", "table resting"),
        ("ALTER TABLE letters DROP COLUMN error", "column letters.error"),
        ("DROP INDEX outbox_due", "index outbox_due"),
    ] {
        let (fault, broken) = said(spoil);
        assert!(matches!(fault, Fault::Incomplete { .. }), "{spoil}: {broken}");
        assert!(broken.contains(&format!("the file is damaged, {missing} is not there; stop")), "{broken}");
        assert!(broken.contains("put the last backup in its place"), "{broken}");
        let looked = Store::look(&path).unwrap_err();
        assert_eq!(looked.to_string(), broken);
    }
    // Everything is there by name, and one part was made anew by hand or no longer holds.
    for (spoil, part) in [
        (
            "DROP INDEX outbox_by_token; CREATE INDEX outbox_by_token ON outbox (token) WHERE token IS NOT NULL",
            "index outbox_by_token",
        ),
        (
            "DROP TRIGGER events_are_never_changed;
             CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT 1; END",
            "trigger events_are_never_changed",
        ),
        (
            "PRAGMA foreign_keys = OFF; DROP TABLE resting;
             CREATE TABLE resting (address TEXT NOT NULL, out INTEGER NOT NULL, since INTEGER NOT NULL) STRICT;
             CREATE INDEX resting_by_out ON resting (out)",
            "table resting",
        ),
    ] {
        let (fault, broken) = said(spoil);
        assert!(matches!(fault, Fault::Altered { .. }), "{spoil}: {broken}");
        assert!(broken.contains(&format!("the file is damaged, {part} is not as omerta makes it; stop")), "{broken}");
        assert_eq!(Store::look(&path).unwrap_err().to_string(), broken);
    }
    let (fault, broken) = said("DROP TRIGGER events_are_never_deleted");
    assert!(matches!(fault, Fault::Incomplete { .. }), "{broken}");
    assert!(broken.contains("trigger events_are_never_deleted is not there"), "{broken}");
    // Nothing at all, and the mark alone, are files that were just made.
    std::fs::write(&path, "").unwrap();
    let _ = std::fs::remove_file(folder.path().join("omerta.db-wal"));
    let _ = std::fs::remove_file(folder.path().join("omerta.db-shm"));
    drop(Store::open(&path).unwrap());
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
