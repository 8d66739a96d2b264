//! What comes back, and addresses at which nothing arrives.

use super::*;

#[test]
fn a_letter_comes_back_once_and_only_one_that_has_left() {
    let (_folder, store) = fresh();
    store
        .write(|tx| {
            let [queued, held, sent, cut, dead] =
                [1, 2, 3, 4, 5].map(|number| NewOut { held: number == 2, ..out_to(None, number) });
            let (queued, held) = (tx.enqueue(&queued)?, tx.enqueue(&held)?);
            let (sent, cut, dead) = (tx.enqueue(&sent)?, tx.enqueue(&cut)?, tx.enqueue(&dead)?);
            tx.sent(&[sent], at(101))?;
            tx.uncertain(cut, "line broke", Some(at(400)))?;
            tx.failed(dead, "550 no", None)?;
            for (id, state) in [(queued, OutState::Queued), (held, OutState::Held), (dead, OutState::Failed)] {
                assert!(!tx.bounced(id, "it came back: 5.1.1")?, "{state:?}");
                assert_eq!(tx.out(id)?.unwrap().state, state);
            }
            for id in [sent, cut] {
                assert!(tx.bounced(id, "it came back: 5.1.1")?);
                let row = tx.out(id)?.unwrap();
                assert_eq!((row.state, row.why.as_deref()), (OutState::Failed, Some("it came back: 5.1.1")));
                assert!(!tx.bounced(id, "once more")?);
            }
            assert!(tx.due_out(at(999), 9)?.iter().all(|row| row.id == queued), "it is not tried again");
            Done::Ok(())
        })
        .unwrap();
}

#[test]
fn an_address_rests_until_it_is_released_and_no_other_with_it() {
    const GONE: &str = "katya@example.org";
    const OTHER: &str = "nina@example.org";
    let (_folder, store) = fresh();
    let game = new_game(&store, "palermo");
    store
        .write(|tx| {
            let state = |id| tx.out(id).map(|row| row.unwrap().state);
            let put = |number, address: &str, held| {
                let out = NewOut { address: address.into(), held, result: true, ..out_to(Some(game), number) };
                tx.enqueue(&out)
            };
            let (first, second, other, waits) =
                (put(1, GONE, false)?, put(2, GONE, false)?, put(3, OTHER, false)?, put(4, OTHER, true)?);
            tx.sent(&[first], at(101))?;
            assert!(!tx.rests(GONE)?);
            assert_eq!(tx.wake_address(GONE)?, None);
            assert!(tx.let_rest(GONE, first, at(200))?);
            assert!(!tx.let_rest(GONE, first, at(300))?, "it rests already");
            assert_eq!(tx.resting(9)?, [(GONE.to_owned(), at(200), 1)], "since the first time");
            assert!(tx.rests(GONE)? && !tx.rests(OTHER)?);
            assert_eq!((state(first)?, state(second)?), (OutState::Sent, OutState::Held));
            assert_eq!((state(other)?, state(waits)?), (OutState::Queued, OutState::Held));
            let unsent: Vec<OutId> = tx.unsent_of_turn(game, 2)?.into_iter().map(|(id, _)| id).collect();
            assert_eq!(unsent, [other, waits], "no deadline waits for who can't be reached");
            assert_eq!(tx.wake_address(OTHER)?, None);
            assert_eq!(state(waits)?, OutState::Held, "what is held for another reason stays");
            assert_eq!(tx.wake_address(GONE)?, Some(1));
            assert_eq!((state(first)?, state(second)?, tx.rests(GONE)?), (OutState::Sent, OutState::Queued, false));
            assert_eq!(tx.due_out(at(100), 9)?.len(), 2, "due from when it was to be sent");
            Done::Ok(())
        })
        .unwrap();
}
