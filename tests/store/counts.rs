//! The counts are kept by triggers, or follow from the rows; whatever happens, they must equal what is there.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

/// One step in the life of the post; numbers choose among the letters there are.
#[derive(Clone, Debug)]
enum Step {
    Take(LetterState),
    SetLetter(usize, LetterState),
    Enqueue(bool, bool),
    Attempt(usize),
    Sent(usize),
    Failed(usize, bool),
    Uncertain(usize, bool),
    Cancel(usize),
    Release(usize),
    Resend(usize),
    Expire,
    Poison,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        letter_state().prop_map(Step::Take),
        (any::<usize>(), letter_state()).prop_map(|(which, state)| Step::SetLetter(which, state)),
        (any::<bool>(), any::<bool>()).prop_map(|(held, expires)| Step::Enqueue(held, expires)),
        any::<usize>().prop_map(Step::Attempt),
        any::<usize>().prop_map(Step::Sent),
        (any::<usize>(), any::<bool>()).prop_map(|(which, retry)| Step::Failed(which, retry)),
        (any::<usize>(), any::<bool>()).prop_map(|(which, retry)| Step::Uncertain(which, retry)),
        any::<usize>().prop_map(Step::Cancel),
        any::<usize>().prop_map(Step::Release),
        any::<usize>().prop_map(Step::Resend),
        Just(Step::Expire),
        Just(Step::Poison),
    ];
    proptest::collection::vec(step, 1..60)
}

fn letter_state() -> impl Strategy<Value = LetterState> {
    use LetterState::{Done, Ignored, Quarantined, Waiting};
    proptest::sample::select(vec![Done, Waiting, Quarantined, Ignored])
}

fn chosen<T: Copy>(among: &[T], which: usize) -> Vec<T> {
    among.get(which % among.len().max(1)).copied().into_iter().collect()
}

fn take_step(
    tx: &Tx<'_>,
    game: GameId,
    number: usize,
    step: Step,
    letters: &mut Vec<LetterId>,
    outs: &mut Vec<OutId>,
) -> Done {
    let retry = |again: bool| again.then(|| at(200));
    match step {
        Step::Take(state) => {
            let place = number.to_string();
            letters.push(tx.put_letter(&letter_at(&place, Some(game), state))?);
        }
        Step::SetLetter(which, state) => {
            for id in chosen(letters, which) {
                tx.set_letter(id, state, Some(game), None)?;
            }
        }
        Step::Enqueue(held, expires) => {
            let number = u32::try_from(number).unwrap();
            let expires = expires.then(|| at(150));
            outs.push(tx.enqueue(&NewOut { held, expires, ..out_to(Some(game), number) })?);
        }
        Step::Attempt(which) => {
            tx.attempting(&chosen(outs, which), at(130))?;
        }
        Step::Sent(which) => tx.sent(&chosen(outs, which), at(120))?,
        Step::Failed(which, again) => {
            for id in chosen(outs, which) {
                tx.failed(id, "why", retry(again))?;
            }
        }
        Step::Uncertain(which, again) => {
            for id in chosen(outs, which) {
                tx.uncertain(id, "why", retry(again))?;
            }
        }
        Step::Cancel(which) => {
            tx.cancel(&chosen(outs, which))?;
        }
        Step::Release(which) => {
            tx.release(&chosen(outs, which))?;
        }
        Step::Resend(which) => {
            for id in chosen(outs, which) {
                tx.resend(id, at(140))?;
            }
        }
        Step::Expire => {
            tx.expire(at(151))?;
        }
        Step::Poison => {
            let poison: Done = tx.savepoint(|tx| {
                tx.put_letter(&letter_at("poison", None, LetterState::Quarantined))?;
                tx.enqueue(&out_to(Some(game), 1_000_000))?;
                tx.set_game(GameId(77), "", None)
            });
            assert!(poison.is_err());
        }
    }
    Ok(())
}

/// Each case writes a database of its own, step by step: `PROPTEST_CASES`, which asks for thousands of cheap ones, is not meant.
#[test]
fn the_counts_are_right_whatever_happens() {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(32));
    let counted = |steps: Vec<Step>| {
        let (folder, store) = fresh();
        let game = new_game(&store, "palermo");
        let (mut letters, mut outs): (Vec<LetterId>, Vec<OutId>) = (Vec::new(), Vec::new());
        let (mut sent, mut failed) = (0, 0);
        for (number, step) in steps.into_iter().enumerate() {
            let before = store.read(|tx| tx.outbox(game)).unwrap();
            store.write(|tx| take_step(tx, game, number, step, &mut letters, &mut outs)).unwrap();
            let after = store.read(|tx| tx.outbox(game)).unwrap();
            for (index, row) in after.iter().enumerate() {
                if before.get(index).map(|row| row.state) != Some(row.state) {
                    sent += u64::from(row.state == OutState::Sent);
                    failed += u64::from(row.state == OutState::Failed);
                }
            }
        }
        let raw = rusqlite::Connection::open(folder.path().join("omerta.db")).unwrap();
        let count = |sql: &str| raw.query_row(sql, (), |row| row.get::<_, u32>(0).map(u64::from)).unwrap();
        let queued = count("SELECT count(*) FROM outbox WHERE state IN ('held', 'queued')");
        let processed = count("SELECT count(*) FROM letters WHERE state IN ('done', 'ignored')");
        let quarantined = count("SELECT count(*) FROM letters WHERE state = 'quarantined'");
        let (ins, outs) = store.read(|tx| Ok::<_, StoreError>((tx.inbox_counts()?, tx.outbox_counts()?))).unwrap();
        prop_assert_eq!(ins, InboxCounts { processed, quarantined });
        prop_assert_eq!(outs, OutCounts { queued, sent, failed });
        Ok(())
    };
    runner.run(&steps(), counted).unwrap();
}
