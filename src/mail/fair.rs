//! In which order waiting letters are read, so that one who writes thousands keeps nobody else waiting. Only the order
//! of reading: what counts in a game is the order of arrival, and all is read before a turn is closed.

use std::collections::{BTreeMap, VecDeque};

use crate::address::fold_address;

/// So many letters of one sender are read before what others wrote too much.
const EACH: usize = 50;
/// So many letters that came while others waited are read before one look at those that waited longer, and the other
/// way round: however many keep coming, those that lay there at the beginning come to their end.
const RUN: usize = 50;

/// Letters that wait to be read, in three lines: those that came since, the first of each sender, and the rest.
#[derive(Debug)]
pub struct Fair<T> {
    fresh: VecDeque<T>,
    quiet: VecDeque<T>,
    excess: VecDeque<T>,
    /// Letters of each sender so far, by the folded address; None: it could not be read.
    seen: BTreeMap<Option<String>, usize>,
    /// Read in a row: of those that came since, else of the others.
    run: usize,
    reads_fresh: bool,
}

impl<T> Default for Fair<T> {
    fn default() -> Fair<T> {
        Fair {
            fresh: VecDeque::new(),
            quiet: VecDeque::new(),
            excess: VecDeque::new(),
            seen: BTreeMap::new(),
            run: 0,
            reads_fresh: true,
        }
    }
}

/// From which line a letter was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It came while others waited.
    Fresh,
    /// It is among its sender's first.
    Quiet,
    /// Its sender wrote too much.
    Excess,
}

impl<T> Fair<T> {
    /// A letter that lay there at the beginning; they are given in order of arrival.
    pub fn add(&mut self, letter: T, sender: Option<&str>) {
        if self.is_quiet(sender) { self.quiet.push_back(letter) } else { self.excess.push_back(letter) }
    }

    /// A letter that was looked into before it was added, in order of arrival. False, and it waits behind the others, when
    /// its sender wrote too much; else it is the reader's.
    pub fn is_heard_now(&mut self, letter: T, sender: Option<&str>) -> bool {
        let is_quiet = self.is_quiet(sender);
        if !is_quiet {
            self.excess.push_back(letter);
        }
        is_quiet
    }

    /// A letter that came since. False, and it is left for another time, when its sender wrote too much.
    pub fn add_fresh(&mut self, letter: T, sender: Option<&str>) -> bool {
        let is_quiet = self.is_quiet(sender);
        if is_quiet {
            self.fresh.push_back(letter);
        }
        is_quiet
    }

    /// The line from which the next letter comes; None when no letter waits.
    pub fn turn(&self) -> Option<Turn> {
        let old = if self.quiet.is_empty() { Turn::Excess } else { Turn::Quiet };
        match (self.fresh.is_empty(), self.waited_long() == 0) {
            (true, true) => None,
            (true, false) => Some(old),
            (false, true) => Some(Turn::Fresh),
            (false, false) => {
                let goes_on = self.run < RUN;
                Some(if self.reads_fresh == goes_on { Turn::Fresh } else { old })
            }
        }
    }

    /// The next letter.
    pub fn pop(&mut self) -> Option<T> {
        let turn = self.turn()?;
        let is_fresh = turn == Turn::Fresh;
        self.run = if self.reads_fresh == is_fresh { self.run.saturating_add(1) } else { 1 };
        self.reads_fresh = is_fresh;
        match turn {
            Turn::Fresh => self.fresh.pop_front(),
            Turn::Quiet => self.quiet.pop_front(),
            Turn::Excess => self.excess.pop_front(),
        }
    }

    /// The letter that [`Fair::pop`] would give.
    pub fn peek(&self) -> Option<&T> {
        match self.turn()? {
            Turn::Fresh => self.fresh.front(),
            Turn::Quiet => self.quiet.front(),
            Turn::Excess => self.excess.front(),
        }
    }

    /// Letters that lay there at the beginning and are not read yet.
    pub fn waited_long(&self) -> usize {
        self.quiet.len().saturating_add(self.excess.len())
    }

    fn is_quiet(&mut self, sender: Option<&str>) -> bool {
        let seen = self.seen.entry(sender.map(fold_address)).or_default();
        *seen = seen.saturating_add(1);
        *seen <= EACH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which letters are read, as sender and number.
    fn read(fair: &mut Fair<(char, usize)>, most: usize) -> Vec<(char, usize)> {
        (0..most).map_while(|_| fair.pop()).collect()
    }

    fn add(fair: &mut Fair<(char, usize)>, sender: char, letters: std::ops::Range<usize>) {
        letters.for_each(|number| fair.add((sender, number), Some(&format!("{sender}@x.test"))));
    }

    #[test]
    fn what_one_wrote_beyond_fifty_is_read_last() {
        let mut fair = Fair::default();
        add(&mut fair, 'a', 0..200);
        add(&mut fair, 'b', 0..3);
        let order = read(&mut fair, 1_000);
        assert_eq!(order.len(), 203);
        assert_eq!(order[50..53], [('b', 0), ('b', 1), ('b', 2)]);
        let of_a: Vec<usize> = order.iter().filter(|(sender, _)| *sender == 'a').map(|(_, number)| *number).collect();
        assert!(of_a.is_sorted(), "a sender's letters keep their order");
    }

    #[test]
    fn one_who_writes_now_is_next() {
        let mut fair = Fair::default();
        add(&mut fair, 'a', 0..5_000);
        read(&mut fair, 777);
        assert!(fair.add_fresh(('b', 0), Some("b@x.test")));
        assert!(!fair.add_fresh(('a', 5_000), Some("a@x.test")), "he wrote too much");
        assert_eq!(read(&mut fair, 1), [('b', 0)]);
    }

    #[test]
    fn aliases_are_one_sender_and_letters_without_one_another() {
        let mut fair = Fair::default();
        (0..51).for_each(|number| fair.add(number, Some(&format!("k.a+{number}@gmail.com"))));
        (51..102).for_each(|number| fair.add(number, None));
        assert_eq!((fair.quiet.len(), fair.excess.len()), (100, 2));
    }

    #[test]
    fn letters_that_were_looked_into_are_heard_up_to_the_fiftieth_and_then_last() {
        let mut fair = Fair::default();
        let heard: Vec<usize> = (0..60).filter(|number| fair.is_heard_now(*number, Some("a@x.test"))).collect();
        assert_eq!(heard, (0..50).collect::<Vec<_>>());
        fair.add(60, Some("b@x.test"));
        fair.add(61, Some("a@x.test"));
        let rest: Vec<usize> = std::iter::from_fn(|| fair.pop()).collect();
        assert_eq!(rest[..2], [60, 50], "others come first");
        assert_eq!(rest[2..], (51..60).chain([61]).collect::<Vec<_>>());
    }

    /// Everybody is quiet, and more come than are read: those that were there first are read all the same.
    #[test]
    fn a_stream_without_end_does_not_starve_those_who_were_there_first() {
        let mut fair = Fair::default();
        add(&mut fair, 'a', 0..1_000);
        let mut reads = 0;
        while fair.waited_long() > 0 {
            assert!(fair.add_fresh(('b', reads), Some(&format!("b{reads}@x.test"))));
            fair.pop();
            reads += 1;
            assert!(reads <= 2 * 1_000 + 2 * RUN, "they wait for ever");
        }
    }
}
