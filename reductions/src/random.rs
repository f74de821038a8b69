//! Pseudo-random numbers that are the same everywhere: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014,
//! doi:10.1145/2660193.2660195).

/// The increment of the generator's state.
const GROWTH: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number that follows the state `x`.
pub fn splitmix64(x: u64) -> u64 {
    let mut z = x.wrapping_add(GROWTH);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 64 bits for a rank in a set: `splitmix64(splitmix64(splitmix64(seed) ^ set) ^ rank)`.
pub fn draw(seed: u64, set: u64, rank: u64) -> u64 {
    splitmix64(splitmix64(splitmix64(seed) ^ set) ^ rank)
}

/// The generator as a sequence.
#[derive(Clone, Debug)]
pub struct Sequence {
    state: u64,
}

impl Sequence {
    /// A sequence that depends only on `seed`.
    pub fn new(seed: u64) -> Sequence {
        Sequence { state: seed }
    }

    /// The next 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        let bits = splitmix64(self.state);
        self.state = self.state.wrapping_add(GROWTH);
        bits
    }

    /// A number below `limit`, which is not zero: the upper bits of a product, with a bias below `limit` / 2^64.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u128::from(self.next_bits()) * u128::from(limit)) >> 64) as u32
    }

    /// The numbers below `count` in a random order (Fisher, Yates).
    pub fn permutation(&mut self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        for last in (1..count).rev() {
            let other = self.below(last + 1);
            order.swap(last as usize, other as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first outputs of the authors' program for the seed 1234567.
        let mut sequence = Sequence::new(1234567);
        let expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431];
        assert_eq!(expected.map(|_| sequence.next_bits()), expected);
    }

    #[test]
    fn a_permutation_holds_every_number_once_and_all_orders_occur() {
        let mut orders = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let order = Sequence::new(seed).permutation(4);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            orders.insert(order);
        }
        assert_eq!(orders.len(), 24);
    }
}
