//! Pseudo-random numbers, the same on every machine.
//!
//! Source: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014,
//! DOI 10.1145/2660193.2660195 (SplitMix64).

/// What SplitMix64 adds from one number to the next.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijective hash: different numbers have different hashes.
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(STEP);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A sequence of numbers that follows from its seed.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(mix(seed))
    }

    pub fn next(&mut self) -> u64 {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// The numbers below `count` in random order (Fisher and Yates).
pub(crate) fn shuffled(count: u32, seed: u64) -> Vec<u32> {
    let mut numbers = Numbers::new(seed);
    let mut order: Vec<u32> = (0..count).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, numbers.below(last as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{Numbers, mix, shuffled};

    /// The published generator's first numbers from the seed 0.
    #[test]
    fn the_hash_is_split_mix_64() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(super::STEP), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn a_shuffle_has_each_number_once_and_moves_them() {
        let order = shuffled(1000, 3);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).collect::<Vec<u32>>());
        let kept = order.iter().enumerate().filter(|&(at, &number)| at == number as usize).count();
        assert!(kept < 10, "{kept} of 1000 stayed");
        assert_ne!(order, shuffled(1000, 4));
        assert!(shuffled(0, 1).is_empty());
    }

    #[test]
    fn numbers_below_a_bound_reach_all_of_them_alike() {
        let (mut numbers, mut counts) = (Numbers::new(1), [0; 5]);
        (0..5000).for_each(|_| counts[numbers.below(5) as usize] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
