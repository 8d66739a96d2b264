//! Games, journals, people, texts, the daemon's notes.

use super::*;

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
fn the_daemon_notes_where_it_stands() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            assert_eq!((tx.daemon_status()?, tx.inbox_read()?, tx.mark("INBOX")?), (None, None, None));
            tx.daemon_beat(at(5), 77)?;
            tx.daemon_beat(at(6), 78)?;
            assert_eq!(tx.daemon_status()?, Some((at(6), 78)));
            tx.set_inbox_read(at(6), at(9))?;
            tx.set_inbox_read(at(5), at(9))?;
            assert_eq!(tx.inbox_read()?, Some(at(6)), "time does not go back");
            tx.set_inbox_read(at(7), at(9))?;
            assert_eq!(tx.inbox_read()?, Some(at(7)));
            // The clock was set back: what it noted of the time to come says nothing.
            tx.set_inbox_read(at(3), at(4))?;
            assert_eq!(tx.inbox_read()?, Some(at(3)));
            tx.put_mark("INBOX", "1/7")?;
            tx.put_mark("INBOX", "1/8")?;
            assert_eq!(tx.mark("INBOX")?.as_deref(), Some("1/8"));
            tx.drop_mark("INBOX")?;
            assert_eq!(tx.mark("INBOX")?, None);
            Done::Ok(())
        })
        .unwrap();
}
