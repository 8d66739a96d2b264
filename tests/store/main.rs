//! The store as the rest of the program sees it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

mod counts;
mod due;
mod file;
mod people;
mod post;
mod resting;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::Timestamp;
use omerta::store::{
    EventRow, Fault, GameId, InboxCounts, LetterId, LetterState, NewLetter, NewOut, OutCounts, OutId, OutState, Seat,
    Store, StoreError, TokenRow, Tx,
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
        within: "7",
        sha256: [9; 32],
        sender: Some("katya@example.org"),
        message_id: Some("m1@example.org"),
        body_hash: "abc",
        too_large: false,
        raw: b"From: katya@example.org\r\n\r\n",
        game,
        player: None,
        state,
        received_at: at(51),
    }
}
