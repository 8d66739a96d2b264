//! The lots: every chance of a game from one seed that is published as a hash beforehand (docs/lots.md, which defines
//! every byte; a stranger's script re-draws from it, so nothing here may change without a new [`DOMAIN`]).

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The first field of every message: names this way of drawing and its version.
pub const DOMAIN: &str = "omerta lots 1";

/// The purpose word of the deal, which is drawn in turn 0 without ballots (R6).
pub const DEAL: &str = "deal";

/// Seed and players' words of one game.
#[derive(Clone, PartialEq, Eq)]
pub struct Lots {
    /// 256 bits from the operating system, secret until the game is over.
    pub seed: [u8; 32],
    /// Nick and word (`Жребий - ...`), in the order in which the final letter lists them.
    pub words: Vec<(String, String)>,
}

impl Lots {
    /// What is published beforehand: SHA-256 of the seed, in hex.
    pub fn commitment(&self) -> String {
        hex(&Sha256::digest(self.seed))
    }

    /// The numbers of one draw. The same purpose, turn and ballots always give the same numbers.
    pub fn stream(&self, purpose: &str, turn: u16, ballots: &[(String, String)]) -> Stream {
        let mut message = Vec::new();
        write_field(&mut message, DOMAIN);
        write_field(&mut message, purpose);
        message.extend_from_slice(&u32::from(turn).to_be_bytes());
        write_pairs(&mut message, &self.words);
        write_pairs(&mut message, ballots);
        Stream { seed: self.seed, message, counter: 0, left: Vec::new() }
    }
}

impl fmt::Debug for Lots {
    /// The seed never prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lots").field("words", &self.words.len()).finish_non_exhaustive()
    }
}

/// Numbers without end: HMAC-SHA256 in counter mode, eight bytes a number.
pub struct Stream {
    seed: [u8; 32],
    message: Vec<u8>,
    counter: u64,
    /// What of the last block is unused, its next byte at the end.
    left: Vec<u8>,
}

impl Stream {
    /// A number from 0 to `n` - 1, each as likely as the other: numbers from the incomplete last round are rejected.
    /// For `n` of 0 or 1 it is 0, and nothing is drawn.
    pub fn below(&mut self, n: u64) -> u64 {
        if n <= 1 {
            return 0;
        }
        // 2^64 mod n, without leaving 64 bits.
        let incomplete = (u64::MAX % n).wrapping_add(1) % n;
        loop {
            let number = self.number();
            if number <= u64::MAX - incomplete {
                return number % n;
            }
        }
    }

    /// Fisher-Yates from the last place down.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index_below(last.saturating_add(1));
            items.swap(last, other);
        }
    }

    /// [`Stream::below`] for places in a list.
    pub fn index_below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap_or(u64::MAX);
        usize::try_from(self.below(n)).unwrap_or(0)
    }

    fn number(&mut self) -> u64 {
        if self.left.is_empty() {
            self.left = self.block();
            self.left.reverse();
        }
        let mut number = 0u64;
        for _ in 0..8 {
            number = number << 8 | u64::from(self.left.pop().unwrap_or_default());
        }
        number
    }

    fn block(&mut self) -> Vec<u8> {
        let mut mac = Hmac::<Sha256>::new(&padded(self.seed));
        mac.update(&self.message);
        mac.update(&self.counter.to_be_bytes());
        self.counter = self.counter.wrapping_add(1);
        mac.finalize().into_bytes().to_vec()
    }
}

/// The key as HMAC takes it: filled up with zeroes to one block of SHA-256, as RFC 2104 says of shorter keys.
fn padded(seed: [u8; 32]) -> hmac::digest::Key<Hmac<Sha256>> {
    let mut key = hmac::digest::Key::<Hmac<Sha256>>::default();
    for (place, byte) in key.iter_mut().zip(seed) {
        *place = byte;
    }
    key
}

/// Length in four bytes, most significant first, then the text in UTF-8.
fn write_field(message: &mut Vec<u8>, text: &str) {
    message.extend_from_slice(&count(text.len()));
    message.extend_from_slice(text.as_bytes());
}

/// How many, in four bytes, then both fields of each.
fn write_pairs(message: &mut Vec<u8>, pairs: &[(String, String)]) {
    message.extend_from_slice(&count(pairs.len()));
    for (one, other) in pairs {
        write_field(message, one);
        write_field(message, other);
    }
}

fn count(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lots(seed: u8) -> Lots {
        Lots { seed: [seed; 32], words: vec![("Анна".to_owned(), "рябина".to_owned())] }
    }

    #[test]
    fn the_commitment_is_the_hash_of_the_seed() {
        // printf '\0%.0s' $(seq 32) | sha256sum
        assert_eq!(lots(0).commitment(), "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925");
    }

    #[test]
    fn every_part_of_the_key_counts() {
        let ballots = [("Анна".to_owned(), "Борис".to_owned())];
        let first = |mut stream: Stream| (0..4).map(|_| stream.below(1 << 40)).collect::<Vec<_>>();
        let base = first(lots(1).stream("deal", 1, &ballots));
        assert_eq!(base, first(lots(1).stream("deal", 1, &ballots)));
        let other_word = Lots { words: vec![("Анна".to_owned(), "калина".to_owned())], ..lots(1) };
        // Fields that run into each other would give the same bytes here.
        let shifted = Lots { words: vec![("Аннар".to_owned(), "ябина".to_owned())], ..lots(1) };
        for other in [
            lots(2).stream("deal", 1, &ballots),
            lots(1).stream("lynch_tie", 1, &ballots),
            lots(1).stream("deal", 2, &ballots),
            lots(1).stream("deal", 1, &[]),
            other_word.stream("deal", 1, &ballots),
            shifted.stream("deal", 1, &ballots),
        ] {
            assert_ne!(base, first(other));
        }
    }

    #[test]
    fn numbers_stay_below_and_a_shuffle_loses_nothing() {
        let mut stream = lots(3).stream("x", 0, &[]);
        assert_eq!((stream.below(0), stream.below(1)), (0, 0));
        for n in [2, 3, 7, 1000, u64::MAX] {
            for _ in 0..100 {
                assert!(stream.below(n) < n);
            }
        }
        let mut items: Vec<u32> = (0..50).collect();
        stream.shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<u32>>());
        items.sort();
        assert_eq!(items, (0..50).collect::<Vec<u32>>());
    }

    #[test]
    fn each_of_three_is_as_likely() {
        let mut stream = lots(4).stream("x", 0, &[]);
        let mut drawn = [0u32; 3];
        for _ in 0..3000 {
            drawn[stream.index_below(3)] += 1;
        }
        assert!(drawn.iter().all(|count| (900..1100).contains(count)), "{drawn:?}");
    }
}
