//! Which games are tended first.

use super::*;

/// However many have ended and wait to be erased, and however long: a reminder or a deadline waits behind none of them.
#[test]
fn games_that_are_over_stand_behind_those_that_are_played() {
    let (_folder, store) = fresh();
    let ended: Vec<GameId> = (0..5).map(|number| new_game(&store, &format!("old{number}"))).collect();
    let played = [("signup", 90), ("playing", 80), ("paused", 70)].map(|(state, wake)| {
        let game = new_game(&store, state);
        store.write(|tx| tx.set_game(game, state, Some(at(wake)))).unwrap();
        game
    });
    for (game, second) in ended.iter().zip(1..) {
        let state = if second % 2 == 0 { "cancelled" } else { "finished" };
        store.write(|tx| tx.set_game(*game, state, Some(at(second)))).unwrap();
    }
    let due = |now: i64, most: usize| store.read(|tx| tx.games_due(at(now), most)).unwrap();
    let [signup, playing, paused] = played;
    assert_eq!(due(100, 3), [paused, playing, signup]);
    assert_eq!(due(100, 5), [paused, playing, signup, ended[0], ended[1]]);
    assert_eq!(due(100, 99).len(), 8);
    assert_eq!(due(75, 2), [paused, ended[0]]);
    assert_eq!(due(3, 99), ended[..3]);
}
