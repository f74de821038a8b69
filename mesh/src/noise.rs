//! Pseudo-random numbers, the same on every machine.
//!
//! Source: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014,
//! doi:10.1145/2660193.2660195.

/// 64 pseudo-random bits that depend only on `seed`: the finaliser of SplitMix64.
pub(crate) fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A pseudo-random number in [-1, 1) that depends only on `seed`.
pub(crate) fn noise(seed: u64) -> f64 {
    // The upper 53 bits as a number in [0, 1).
    let unit = (mixed(seed) >> 11) as f64 / (1u64 << 53) as f64;
    2.0 * unit - 1.0
}
