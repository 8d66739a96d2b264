//! The host ends a game before anybody has won it.

use omerta::desk::command::{Command, CommandError, NotDone};
use omerta::rules::Winner;
use omerta::table::State;

use crate::house::{House, address};
use crate::town::{HOST, MODERATOR, TAG, answer_last, town};

fn finals(house: &House, address: &str) -> Vec<String> {
    house.got(address).into_iter().filter(|got| got.kind == "final").map(|got| got.body).collect()
}

#[test]
fn everybody_gets_the_last_letter_and_nothing_more_is_taken() {
    let mut house = town();
    let question = answer_last(&mut house, HOST, "h1@x.test", "Закончить - мафия");
    assert_eq!(question.kind, "confirm", "{question:?}");
    assert_eq!(house.table(TAG).state, State::Playing);
    answer_last(&mut house, HOST, "h2@x.test", "Да");
    let table = house.table(TAG);
    assert_eq!((table.state, table.game.winner), (State::Finished, Some(Winner::Mafia)));
    for reader in (0..7).map(|player| address(TAG, player)).chain([HOST.to_owned(), MODERATOR.to_owned()]) {
        let finals = finals(&house, &reader);
        assert_eq!(finals.len(), 1, "{reader}");
        assert!(finals[0].contains("Игру закончил ведущий. Победила мафия."), "{}", finals[0]);
        assert!(finals[0].contains("Вера — комиссар Каттани"), "{}", finals[0]);
    }
    let again = house.try_command(TAG, Command::Finish { winner: Winner::Town });
    assert!(matches!(again, Err(CommandError::NotDone(NotDone::HasEnded))));
    house.wait(100_000);
    house.round();
    assert_eq!(house.table(TAG).game.turn, table.game.turn, "no deadline fires any more");
}

#[test]
fn a_side_that_is_none_is_answered_with_the_right_words() {
    let mut house = town();
    let answer = answer_last(&mut house, HOST, "h1@x.test", "Finish - марсиане");
    assert!(answer.body.contains("город, мафия, маньяк или ничья"), "{}", answer.body);
    assert_eq!(house.table(TAG).state, State::Playing);
}

#[test]
fn a_closed_turn_is_made_known_before_the_end() {
    let mut house = town();
    // Nobody votes: the turn waits for the host.
    house.close(TAG);
    let refused = house.try_command(TAG, Command::Finish { winner: Winner::Town });
    assert!(matches!(refused, Err(CommandError::NotDone(NotDone::InReview { .. }))), "{refused:?}");
    house.command(TAG, Command::Publish);
    house.command(TAG, Command::Finish { winner: Winner::Town });
}
