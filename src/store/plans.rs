//! Whatever is asked once a letter or once a tick must be found by an index. This is proved by SQLite's own plans, not
//! by a clock: every statement that the methods below really run is heard, and its plan is looked at.

use std::cell::RefCell;
use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::config::DbConfig;

use super::*;

thread_local! {
    static HEARD: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Notes a statement that is about to run in this thread.
pub(super) fn heard(sql: &str) {
    HEARD.with_borrow_mut(|heard| heard.insert(sql.to_owned()));
}

/// Walks along an index that holds only what waits now, from its start, until enough is found; never history.
const SHORT_WALKS: &[&str] = &[
    "SCAN outbox USING INDEX outbox_due",
    "SCAN letters USING INDEX letters_quarantined",
    "SCAN letters USING COVERING INDEX letters_quarantined",
    "SCAN letters USING COVERING INDEX letters_waiting",
    "SCAN games USING INDEX games_running",
    // No table: one answer of yes or no, and what a LIMIT has cut off.
    "SCAN CONSTANT ROW",
    "SCAN (subquery-1)",
    "SCAN (subquery-2)",
];

fn fresh() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("omerta.db")).unwrap();
    (folder, store)
}

/// All that is done for one letter, one deadline or one tick.
fn one_of_everything_hot(tx: &Tx<'_>, tag: &str) -> Result<(), StoreError> {
    let now = Timestamp::UNIX_EPOCH;
    let game = tx.create_game(tag, "", "playing", now)?;
    tx.set_game(game, "playing", Some(now))?;
    tx.game(tag)?;
    tx.game_by_id(game)?;
    tx.games_due(now, 10)?;
    tx.next_wake()?;
    let seq = tx.append(game, now, "kind", "{}")?;
    tx.events_after(game, 0, 100)?;
    tx.save_snapshot(game, seq, "{}")?;
    tx.snapshot(game)?;

    tx.put_seat(game, 1, "a@example.org", None)?;
    tx.put_former(game, 1, "b@example.org")?;
    tx.put_officer(game, "host", 0, "h@example.org")?;
    tx.put_secret(game, "seed", &[1])?;
    tx.seat(game, 1)?;
    tx.set_signup(game, true)?;
    tx.has_signup(game)?;
    tx.open_signups(10)?;
    tx.put_applicant(game, 1, "c@example.org")?;
    tx.set_forum_name(game, 1, "c")?;
    tx.applicant(game, 1)?;
    tx.applications("c@example.org")?;
    tx.applicant_of(game, "c@example.org")?;
    tx.applied_and_on("c@example.org")?;
    tx.put_photograph(game, 1, b"jpeg")?;
    tx.photograph(game, 1)?;
    tx.seats(game)?;
    tx.formers(game)?;
    tx.officers(game)?;
    tx.secret(game, "seed")?;
    let text = tx.put_text(game, &[1; 16], "text")?;
    tx.text(game, text.id)?;
    tx.erase_texts(game, &[text.id])?;

    tx.put_feed(game, &FeedRow { address: "f".into(), named: true, since: now })?;
    tx.feed(game)?;
    tx.feeds_in_play()?;
    tx.shares_feed(game, "f")?;
    tx.games_by_config(2)?;
    let topic = TopicRow { feed: "f".into(), since: now, until: now, newest: now, newest_id: "1".into() };
    tx.put_topic(game, &topic)?;
    tx.topic(game)?;
    tx.saw_author(game, &AuthorRow { author: "a".into(), first: now, last: now })?;
    tx.topic_author(game, "a")?;
    tx.forget_topic(game)?;

    let letter = tx.put_letter(&NewLetter {
        place: tag,
        second: 1,
        within: "1",
        sha256: [1; 32],
        sender: Some("a@example.org"),
        message_id: Some(tag),
        body_hash: "abc",
        too_large: false,
        raw: b"raw",
        game: Some(game),
        player: None,
        state: LetterState::Waiting,
        received_at: now,
    })?;
    tx.letter_at(tag)?;
    tx.letter(letter)?;
    tx.twin("a@example.org", tag, "abc")?;
    tx.twin_by_raw(&[1; 32])?;
    tx.waiting_letters(game)?;
    tx.raw(letter)?;
    tx.earlier_arrival(letter, 0, "0")?;
    tx.quarantine(letter, "broken")?;
    tx.quarantined()?;
    tx.set_letter(letter, LetterState::Done, Some(game), None)?;
    tx.inbox_counts()?;

    tx.next_letter_number(game, "player:1")?;
    tx.bump(game, "relay", "player:1", 10)?;
    let out = tx.enqueue(&NewOut {
        game: Some(game),
        reader: "player:1".into(),
        address: "a@example.org".into(),
        kind: "receipt".into(),
        turn: 1,
        subject: "subject".into(),
        message_id: tag.into(),
        token: Some(tag.into()),
        bytes: b"bytes".to_vec(),
        priority: 1,
        not_before: now,
        expires: None,
        held: true,
        result: true,
        letter: Some(letter),
    })?;
    tx.held(game)?;
    tx.unsent_of_turn(game, 1)?;
    tx.unsent_letters_of_turn(game, 1)?;
    tx.release(&[out])?;
    tx.expire(now)?;
    tx.due_out(now, 50)?;
    tx.due_talk(now, 6, "told", 50)?;
    tx.next_out_due()?;
    tx.attempting(&[out], now)?;
    tx.failed(out, "4xx", Some(now))?;
    tx.may_have_left(out, now)?;
    tx.uncertain(out, "cut", Some(now))?;
    tx.put_off(out, "blocked", now)?;
    tx.sent(&[out], now)?;
    tx.resend(out, now)?;
    tx.cancel(&[out])?;
    tx.out(out)?;
    tx.out_bytes(out)?;
    tx.find_token(tag)?;
    let asked = AskedRow { letter, game, reader: "player:1".into(), turn: 1 };
    tx.put_asked(&asked)?;
    tx.asked(letter)?;
    tx.question_about(game, letter)?;
    tx.asked_alike(game, "player:1", 1, letter)?;
    tx.drop_asked(letter)?;
    tx.change_address(game, 1, "new@example.org")?;
    tx.address_before(game, 1)?;
    tx.capped(game, "relay", "player:1")?;
    tx.running_games(2)?;
    tx.find_message_id(tag)?;
    tx.address_of_out(out)?;
    tx.rests("a@example.org")?;
    tx.bounced(out, "5.1.1")?;
    tx.let_rest("a@example.org", out, now)?;
    tx.wake_address("a@example.org")?;
    tx.count_sent_to("a@example.org", game, now)?;
    tx.last_kind("a@example.org", "receipt", now)?;
    tx.sent_in_a_day(now, 500)?;
    tx.sent_in_a_day_at(now, 1)?;
    tx.outbox_counts()?;

    tx.daemon_beat(now, 1)?;
    tx.daemon_status()?;
    tx.set_inbox_read(now, now)?;
    tx.inbox_read()?;
    tx.put_mark("INBOX", "1")?;
    tx.mark("INBOX")?;
    tx.drop_mark("INBOX")
}

/// The lines of a statement's plan, those of its triggers included.
fn plan(store: &Store, sql: &str) -> Vec<String> {
    let mut statement = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let mut rows = statement.raw_query();
    let mut lines = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        lines.push(row.get::<_, String>("detail").unwrap());
    }
    lines
}

/// What is wrong with the plans of the statements heard: a line each.
fn faults(store: &Store, sorting_allowed: bool) -> Vec<String> {
    store.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRIGGER_EQP, true).unwrap();
    let heard = HEARD.with_borrow(Clone::clone);
    let mut faults = Vec::new();
    for sql in heard.iter().filter(|sql| !sql.contains("SAVEPOINT") && !sql.contains("RELEASE")) {
        for line in plan(store, sql) {
            let walks = line.starts_with("SCAN") && !SHORT_WALKS.contains(&line.as_str());
            let sorts = line.contains("TEMP B-TREE") && !sorting_allowed;
            if walks || sorts || line.contains("AUTOMATIC") {
                faults.push(format!("{line}  <=  {sql}"));
            }
        }
    }
    faults
}

/// A long life of the database: 20,000 letters in, 20,000 out, 500 games.
fn grow_old(store: &Store) {
    store
        .connection
        .execute_batch(
            "BEGIN;
             INSERT INTO games (tag, title, state, wake, seq, created_at)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
             SELECT 'old' || i, '', 'finished', NULL, 0, 0 FROM n;
             INSERT INTO seats (game, player, address, mailbox, forum_name)
             SELECT id, 0, 'p' || (id % 40) || '@example.org', 'p' || (id % 40) || '@example.org', NULL FROM games;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
             INSERT INTO letters
                 (place, second, within, sha256, sender, message_id, body_hash, too_large, game, state, error, received_at)
             SELECT 'old' || i, i, '0', randomblob(32), 'a@example.org', 'm' || i, 'h' || i, 0, 1 + i % 500, 'done', NULL, i
             FROM n;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
             INSERT INTO outbox
                 (game, reader, address, kind, turn, subject, message_id, token, priority, result, letter, state,
                  not_before, next_attempt, attempts, expires, sent_at, why)
             SELECT 1 + i % 500, 'player:1', 'a@example.org', 'receipt', 1, 's', 'old' || i, 't' || i, 1, i % 2, i,
                    'sent', i, NULL, 1, i, i, NULL
             FROM n;
             COMMIT;
             ANALYZE;",
        )
        .unwrap();
}

#[test]
fn what_is_asked_for_each_letter_uses_an_index_in_a_young_database() {
    let (_folder, store) = fresh();
    store.write(|tx| one_of_everything_hot(tx, "young")).unwrap();
    assert!(HEARD.with_borrow(BTreeSet::len) > 50);
    assert_eq!(faults(&store, false), Vec::<String>::new());
}

#[test]
fn and_in_an_old_one() {
    let (_folder, store) = fresh();
    grow_old(&store);
    // The plans are made anew, now that SQLite knows how much there is of everything.
    let store = Store::open(&store.path).unwrap();
    store.write(|tx| one_of_everything_hot(tx, "young")).unwrap();
    assert_eq!(faults(&store, false), Vec::<String>::new());
    let counts = store.read(|tx| tx.outbox_counts()).unwrap();
    assert_eq!((counts.sent, counts.queued), (20_001, 0));
    assert_eq!(store.read(|tx| tx.inbox_counts()).unwrap().processed, 20_001);
}

#[test]
fn a_person_is_found_by_address_and_only_the_games_of_that_person_are_sorted() {
    let (_folder, store) = fresh();
    grow_old(&store);
    let store = Store::open(&store.path).unwrap();
    store
        .write(|tx| {
            assert_eq!(tx.seats_by_address("p7@example.org")?.len(), 13);
            tx.games_of_officer("h@example.org")
        })
        .unwrap();
    assert_eq!(faults(&store, true), Vec::<String>::new());
}

#[test]
fn a_walk_over_everything_would_be_noticed() {
    let (_folder, store) = fresh();
    store.read(|tx| tx.games()).unwrap();
    store.write(|tx| tx.change("testing", "DELETE FROM snapshots WHERE body = ''", ())).unwrap();
    assert_eq!(faults(&store, true).len(), 2);
}
