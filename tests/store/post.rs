//! Letters in and letters out.

use super::*;

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
            assert_eq!(tx.twin_by_raw(&[9; 32])?, None, "it has a sender and a Message-ID");
            let nameless = NewLetter { message_id: None, ..letter_at("INBOX/2/2", None, LetterState::Ignored) };
            let nameless = tx.put_letter(&nameless)?;
            assert_eq!(tx.twin_by_raw(&[9; 32])?.map(|row| row.id), Some(nameless));
            assert_eq!(tx.twin_by_raw(&[8; 32])?, None);
            // A letter becomes a twin with its state, and ceases to be one.
            tx.quarantine(first, "broken")?;
            assert_eq!(twin("katya@example.org", "m1@example.org", "abc")?, None);
            tx.set_letter(first, LetterState::Done, Some(game), Some(3))?;
            assert_eq!(twin("katya@example.org", "m1@example.org", "abc")?, Some(first));
            assert_eq!(tx.letter(first)?.unwrap().error, None);

            assert!(!tx.earlier_arrival(first, 50, "7")?);
            assert!(!tx.earlier_arrival(first, 51, "0")?);
            assert!(tx.earlier_arrival(first, 50, "6")?);
            assert!(tx.earlier_arrival(first, 49, "900")?);
            let row = tx.letter(first)?.unwrap();
            assert_eq!((row.second, row.within.as_str()), (49, "900"));
            assert_eq!(tx.raw(first)?.unwrap(), b"From: katya@example.org\r\n\r\n");
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn a_copy_makes_an_arrival_earlier_and_never_later() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            let id = tx.put_letter(&letter_at("a", None, LetterState::Done))?;
            for (second, within, earlier) in [
                (60, "1", false),
                (50, "8", false),
                (50, "7", false),
                (50, "6", true),
                (49, "9", true),
                (49, "9", false),
            ] {
                assert_eq!(tx.earlier_arrival(id, second, within)?, earlier, "{second} {within}");
            }
            let row = tx.letter(id)?.unwrap();
            assert_eq!((row.second, row.within.as_str()), (49, "9"));
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
            let put = |place: &str, game, second, within: &str| {
                tx.put_letter(&NewLetter { second, within, ..letter_at(place, Some(game), LetterState::Waiting) })
            };
            put("c", game, 10, "1")?;
            put("b", game, 10, "0")?;
            put("a", game, 10, "1")?;
            put("z", game, 9, "99")?;
            put("y", other, 1, "1")?;
            let places =
                || tx.waiting_letters(game).map(|rows| rows.into_iter().map(|row| row.place).collect::<Vec<_>>());
            assert_eq!(places()?, ["z", "b", "a", "c"]);
            tx.set_letter(tx.letter_at("b")?.unwrap(), LetterState::Done, Some(game), None)?;
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
            tx.set_letter(poison, LetterState::Done, None, None)?;
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
            const DAY: i64 = 24 * 60 * 60;
            // Sent at 301: counted for a day, and not before by a clock that was wrong then.
            for (now, sent) in [(300, 0), (301, 1), (301 + DAY, 1), (302 + DAY, 0)] {
                assert_eq!(tx.sent_in_a_day(at(now), 9)?, sent, "{now}");
            }
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
