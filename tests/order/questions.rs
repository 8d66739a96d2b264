//! What hurts is asked about before it is done: nothing keeps the question from whoever has proved who he is.

use omerta::table::State;

use crate::house::{Got, House};
use crate::town::{HOST, TAG, mail, town};

const CANCEL: &str = "Отменить игру";

/// By a token: an answer to one of our letters.
fn proved(house: &mut House, id: &str, answers: &str, text: &str) -> Option<Got> {
    mail(house, HOST, &format!("In-Reply-To: <{answers}>\r\n"), id, text);
    house.got(HOST).into_iter().find(|got| got.in_reply_to.as_deref() == Some(id))
}

fn any_letter(house: &House) -> String {
    house.got(HOST).into_iter().find(|got| got.kind == "digest").unwrap().message_id
}

#[test]
fn forged_letters_use_up_no_question_to_who_is_proved() {
    let mut house = town();
    let token = any_letter(&house);
    for number in 0..7 {
        mail(&mut house, HOST, "", &format!("forged{number}@x.test"), &format!("Замена - Вера: a{number}@x.test"));
    }
    assert_eq!(house.got(HOST).iter().filter(|got| got.kind == "confirm").count(), 5, "no mailbox is filled by them");
    let question = proved(&mut house, "h1@x.test", &token, CANCEL).expect("he is asked");
    assert_eq!(question.kind, "confirm");
    proved(&mut house, "h2@x.test", &question.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Cancelled);
}

#[test]
fn an_order_that_is_sent_again_is_asked_about_again_and_only_the_last_question_counts() {
    let mut house = town();
    let token = any_letter(&house);
    let first = proved(&mut house, "h1@x.test", &token, CANCEL).expect("he is asked");
    let second = proved(&mut house, "h2@x.test", &token, CANCEL).expect("he is asked again");
    proved(&mut house, "h3@x.test", &first.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Playing);
    proved(&mut house, "h4@x.test", &second.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Cancelled);
}

#[test]
fn the_question_comes_while_answers_pause() {
    let mut house = town();
    let token = any_letter(&house);
    let answered: Vec<bool> =
        (0..24).map(|number| proved(&mut house, &format!("s{number}@x.test"), &token, "Статус").is_some()).collect();
    assert!(answered[0] && !answered[23], "answers pause: {answered:?}");
    let question = proved(&mut house, "h1@x.test", &token, CANCEL).expect("he is asked");
    proved(&mut house, "h2@x.test", &question.message_id, "Да");
    assert_eq!(house.table(TAG).state, State::Cancelled);
}
