//! Chance for bots: SplitMix64. The same seed gives the same players with the same whims; it has nothing to do with the
//! lots of the game.

#[derive(Clone, Debug)]
pub struct Luck(u64);

impl Luck {
    pub fn new(seed: u64) -> Luck {
        Luck(seed)
    }

    /// A luck of its own for one more player: what one does changes nothing for the others.
    pub fn split(&mut self) -> Luck {
        Luck(self.draw())
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.draw() % bound).unwrap_or(0)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        among.get(self.below(among.len()))
    }

    /// One of some words that are known to be there.
    pub fn word<'a>(&mut self, among: &[&'a str]) -> &'a str {
        self.pick(among).copied().unwrap_or_default()
    }

    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_algorithm() {
        let mut luck = Luck::new(1_234_567);
        assert_eq!(
            [luck.draw(), luck.draw(), luck.draw()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn bounds_hold_and_a_shuffle_keeps_all() {
        let mut luck = Luck::new(7);
        assert!((0..1000).all(|_| luck.below(3) < 3));
        assert_eq!(luck.below(0), 0);
        assert_eq!(luck.pick::<u8>(&[]), None);
        let mut all: Vec<u8> = (0..50).collect();
        luck.shuffle(&mut all);
        assert!(!all.is_sorted());
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<u8>>());
    }
}
