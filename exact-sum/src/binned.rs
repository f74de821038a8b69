//! A binned sum: every term is cut into slices on a fixed grid of bins, and slices of equal bins are added exactly.
//!
//! The idea is that of the indexed sum of P. Ahrens, J. Demmel and H. D. Nguyen, "Algorithms for Efficient Reproducible
//! Floating Point Summation", ACM Trans. Math. Softw. 46(3) (2020), DOI 10.1145/3389360: of a grid of bins, each 40
//! bits wide, only the three highest that the largest term reaches are kept. Unlike there, a term is cut by a constant
//! of its bin, not by the running sum, so a slice depends on the term alone, and slices are added as integers. Bin b
//! has the quantum u_b = 2^(40 b - 1074) and the cutter m_b = 1.5 2^52 u_b:
//!
//! ```text
//! rest <- x; for b = top, top - 1, top - 2:
//!   t     <- rest + m_b                     a multiple of u_b, which is the spacing of f64 around m_b
//!   sum_b <- sum_b + (bits(t) - bits(m_b))  the slice in quanta, because an encoding counts the spacings
//!   rest  <- rest - (t - m_b)               exact; at most u_b / 2, which is what the next bin can take
//! ```
//!
//! A term of at most u_b / 2 leaves the slice 0 in bin b (ties go to even), so a bin's sum is the same whether its
//! slices were cut before or after the top bin was known.

use core::ops::RangeInclusive;

use crate::LaneSum;
use crate::bytes::{self, BytesError, Kind};
use crate::fixed_point::{FixedPoint, SUM_DIGITS};
use crate::non_finite::NonFinite;
use crate::slices::{self, Window, power_of_two};
use crate::vector::Vector;
use crate::vector::processor::Registers;

/// Bins kept.
const FOLD: usize = 3;

/// Bits of a bin.
const WIDTH: usize = slices::WIDTH as usize;

/// The top bin of the lowest window, which reaches down to the quantum 2^-1074.
const LOWEST_TOP: usize = FOLD - 1;

/// The bin of the largest f64.
const HIGHEST_TOP: usize = 52;

/// The top bins as the first word of a message.
const TOPS: RangeInclusive<u64> = LOWEST_TOP as u64..=HIGHEST_TOP as u64;

/// Factor for terms while the top bin is [`HIGHEST_TOP`], whose cutter would overflow. Far below the window, scaling is
/// inexact, but there all slices are 0.
const DOWNSCALE: i32 = -64;

/// Words of a message.
const WORDS: usize = 2 + 2 * FOLD;

/// Bytes of a binned sum as [`BinnedSum::to_bytes`] writes it.
pub const BINNED_BYTES: usize = bytes::length(WORDS);

/// Terms that a running sum can take: slices are at most 2^39 quanta, and a sum has 63 bits.
const CAPACITY: u64 = 1 << 23;

/// Terms cut together before the window is checked.
const BLOCK: usize = 1024;

/// Independent running sums of a block.
const LANES: usize = 16;

/// A sum of the three highest bins, with the same bits for every order and grouping of its terms.
///
/// For n terms, abs(value - sum x_i) <= n 2^-80 max abs(x_i) + 1/2 ulp(value): each term loses at most half a
/// quantum of the lowest bin, and the sum of the slices is rounded once, correctly. Up to 2^64 terms. See the
/// [crate](crate) for special values.
///
/// ```
/// use exact_sum::BinnedSum;
///
/// let mut sum = BinnedSum::new();
/// sum.add_slice(&[1e16, 1.0, -1e16]);
/// assert_eq!(sum.value(), 1.0);
/// ```
#[derive(Clone, Debug)]
pub struct BinnedSum {
    /// The highest bin of the window.
    top: usize,
    /// Largest magnitude that fits in the window: 2^39 u_top.
    limit: f64,
    /// Factor by which terms are multiplied before they are cut.
    scale: f64,
    /// Cutters of the window's bins, highest first.
    cutters: [f64; FOLD],
    /// Running sums, in quanta, of the last `pending` terms.
    sums: [i64; FOLD],
    /// Sums, in quanta, of the earlier terms.
    totals: [i128; FOLD],
    pending: u64,
    /// The terms that arrived several at a time.
    window: Window<FOLD, false>,
    non_finite: NonFinite,
}

impl Default for BinnedSum {
    fn default() -> BinnedSum {
        BinnedSum::new()
    }
}

impl LaneSum for BinnedSum {
    #[inline(always)]
    fn add_term(&mut self, term: f64) {
        self.add(term);
    }

    #[inline(always)]
    fn add_lanes<const W: usize, R: Vector<W>>(&mut self, terms: R) {
        if self.window.take(terms).is_none() {
            self.add_apart(&terms.to_array());
        }
    }
}

impl BinnedSum {
    /// An empty sum: +0.0.
    pub fn new() -> BinnedSum {
        let mut sum = BinnedSum {
            top: 0,
            limit: 0.0,
            scale: 1.0,
            cutters: [0.0; FOLD],
            sums: [0; FOLD],
            totals: [0; FOLD],
            pending: 0,
            window: Window::closed(),
            non_finite: NonFinite::NONE,
        };
        sum.place_window(LOWEST_TOP);
        sum
    }

    /// Adds a term.
    #[inline(always)]
    pub fn add(&mut self, term: f64) {
        // The comparison is false for NaN, too.
        if term.abs() <= self.limit { self.deposit(term) } else { self.add_outside(term) }
    }

    /// Adds terms that did not fit in the lanes' window, then makes that window the sum's.
    #[cold]
    #[inline(never)]
    fn add_apart(&mut self, terms: &[f64]) {
        terms.iter().for_each(|&term| self.add(term));
        self.settle();
        if self.top < HIGHEST_TOP {
            self.window = Window::new(self.limit, self.cutters);
        }
    }

    /// Adds the slices in the lanes' window, and closes it.
    fn settle(&mut self) {
        let quanta = core::array::from_fn(|bin| self.quanta_in_lanes(bin));
        self.window = Window::closed();
        self.deposit_sums(quanta, Window::<FOLD, false>::MOST_TERMS);
    }

    /// The sum of the slices that lanes have added to a bin.
    fn quanta_in_lanes(&self, bin: usize) -> i64 {
        let quantum = power_of_two(quantum_exponent(self.top - bin));
        self.window.sums(bin).iter().map(|sum| (sum / quantum) as i64).sum()
    }

    /// The sum of all slices in a bin, in quanta.
    fn total(&self, bin: usize) -> i128 {
        self.totals[bin] + i128::from(self.sums[bin]) + i128::from(self.quanta_in_lanes(bin))
    }

    /// Adds all terms of `terms`: several times faster than one by one.
    pub fn add_slice(&mut self, terms: &[f64]) {
        match Registers::widest() {
            Registers::Portable => self.add_blocks(terms),
            // SAFETY: the processor has the registers.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2 => unsafe { self.add_slice_avx2(terms) },
            // SAFETY: the processor has the registers.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx512 => unsafe { self.add_slice_avx512(terms) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn add_slice_avx2(&mut self, terms: &[f64]) {
        self.add_blocks(terms);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn add_slice_avx512(&mut self, terms: &[f64]) {
        self.add_blocks(terms);
    }

    /// Adds terms in blocks that the compiler vectorises for the caller's target features.
    #[inline(always)]
    fn add_blocks(&mut self, terms: &[f64]) {
        for block in terms.chunks(BLOCK) {
            let (whole, rest) = block.split_at(block.len() / LANES * LANES);
            match self.cut_block(whole) {
                Some(sums) => self.deposit_sums(sums, whole.len() as u64),
                // Terms outside the window raise it, one by one.
                None => whole.iter().for_each(|&term| self.add(term)),
            }
            rest.iter().for_each(|&term| self.add(term));
        }
    }

    /// Adds all terms that `other` has received.
    pub fn merge(&mut self, other: &BinnedSum) {
        self.raise(other.top);
        let below = self.top - other.top;
        for (bin, total) in self.totals.iter_mut().skip(below).enumerate() {
            *total += other.total(bin);
        }
        self.non_finite = self.non_finite.and(other.non_finite);
    }

    /// Empties the sum.
    pub fn clear(&mut self) {
        *self = BinnedSum::new();
    }

    /// The sum so far.
    pub fn value(&self) -> f64 {
        let mut total = FixedPoint::<SUM_DIGITS>::new();
        total.non_finite = self.non_finite;
        for bin in 0..FOLD {
            total.add(self.total(bin), WIDTH * (self.top - bin));
        }
        total.round_f64(0)
    }

    /// The sum as integers: the top bin, the sums of its bins (two words each, low first), special values. Ranks gather
    /// these and [`merge`](BinnedSum::merge) the sums that [`from_words`](BinnedSum::from_words) makes of them.
    pub fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        words[0] = self.top as u64;
        for bin in 0..FOLD {
            let total = self.total(bin);
            words[1 + 2 * bin] = total as u64;
            words[2 + 2 * bin] = (total >> 64) as u64;
        }
        words[WORDS - 1] = self.non_finite.word();
        words
    }

    /// The sum that [`words`](BinnedSum::words) encode.
    ///
    /// # Panics
    /// If the first word is not a bin with which a window can begin.
    pub fn from_words(words: &[u64; WORDS]) -> BinnedSum {
        assert!(TOPS.contains(&words[0]), "the first word of a binned sum is its top bin");
        let mut sum = BinnedSum::new();
        sum.raise(words[0] as usize);
        for bin in 0..FOLD {
            sum.totals[bin] = (u128::from(words[2 + 2 * bin]) << 64 | u128::from(words[1 + 2 * bin])) as i128;
        }
        sum.non_finite = NonFinite::from_word(words[WORDS - 1]);
        sum
    }

    /// This sum as bytes, as of [`ExactSum::to_bytes`](crate::ExactSum::to_bytes).
    pub fn to_bytes(&self) -> [u8; BINNED_BYTES] {
        let mut bytes = [0; BINNED_BYTES];
        bytes::write(Kind::Binned, &self.words(), &mut bytes);
        bytes
    }

    /// The sum from which [`to_bytes`](BinnedSum::to_bytes) made these bytes.
    ///
    /// # Errors
    /// If they are not such bytes, or were damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<BinnedSum, BytesError> {
        let mut words = [0; WORDS];
        bytes::read(Kind::Binned, bytes, &mut words)?;
        if TOPS.contains(&words[0]) { Ok(BinnedSum::from_words(&words)) } else { Err(BytesError::Word) }
    }

    #[inline(always)]
    fn deposit(&mut self, term: f64) {
        let mut sums = [0; FOLD];
        cut(term * self.scale, &self.cutters, |bin, quanta| sums[bin] = quanta as i64);
        self.deposit_sums(sums, 1);
    }

    #[inline(always)]
    fn deposit_sums(&mut self, sums: [i64; FOLD], terms: u64) {
        if self.pending + terms > CAPACITY {
            self.renormalise();
        }
        for bin in 0..FOLD {
            self.sums[bin] += sums[bin];
        }
        self.pending += terms;
    }

    /// The sums of the slices of `terms`, a whole number of lanes; None if one of them does not fit in the window.
    #[inline(always)]
    fn cut_block(&self, terms: &[f64]) -> Option<[i64; FOLD]> {
        let mut sums = [[0u64; LANES]; FOLD];
        let mut outside = [0u64; LANES];
        for terms in terms.chunks_exact(LANES) {
            for lane in 0..LANES {
                outside[lane] |= if terms[lane].abs() <= self.limit { 0 } else { u64::MAX };
                cut(terms[lane] * self.scale, &self.cutters, |bin, quanta| {
                    sums[bin][lane] = sums[bin][lane].wrapping_add(quanta);
                });
            }
        }
        let fits = outside.iter().all(|&outside| outside == 0);
        fits.then(|| sums.map(|lanes| lanes.iter().fold(0, |sum: u64, &lane| sum.wrapping_add(lane)) as i64))
    }

    #[cold]
    #[inline(never)]
    fn add_outside(&mut self, term: f64) {
        if !term.is_finite() {
            return self.non_finite.note(term);
        }
        let top = (self.top..HIGHEST_TOP).find(|&top| term.abs() <= limit(top));
        self.raise(top.unwrap_or(HIGHEST_TOP));
        self.deposit(term);
    }

    #[cold]
    #[inline(never)]
    fn renormalise(&mut self) {
        for bin in 0..FOLD {
            self.totals[bin] += i128::from(core::mem::take(&mut self.sums[bin]));
        }
        self.pending = 0;
    }

    /// Makes `top` the highest bin, unless it is below the window, and drops what falls out of the window.
    fn raise(&mut self, top: usize) {
        if top <= self.top {
            return;
        }
        self.settle();
        self.renormalise();
        let up = (top - self.top).min(FOLD);
        self.totals.rotate_right(up);
        self.totals[..up].fill(0);
        self.place_window(top);
    }

    /// Makes `top` the highest bin of a sum that is empty in all others.
    fn place_window(&mut self, top: usize) {
        self.top = top;
        self.limit = limit(top);
        let downscale = if top == HIGHEST_TOP { DOWNSCALE } else { 0 };
        self.scale = power_of_two(downscale);
        self.cutters =
            core::array::from_fn(|bin| 1.5 * power_of_two(quantum_exponent(top - bin) + 52 + downscale));
    }
}

/// Cuts a term into slices, highest first; `slice` receives each bin's number of quanta, in two's complement.
#[inline(always)]
fn cut(term: f64, cutters: &[f64; FOLD], mut slice: impl FnMut(usize, u64)) {
    let mut rest = term;
    for bin in 0..FOLD {
        let cutter = cutters[bin];
        let rounded = rest + cutter;
        slice(bin, rounded.to_bits().wrapping_sub(cutter.to_bits()));
        rest -= rounded - cutter;
    }
}

/// log2 of u_b.
fn quantum_exponent(bin: usize) -> i32 {
    (WIDTH * bin) as i32 - 1074
}

/// 2^39 u_b: the largest magnitude that fits in a window with the top bin `bin`.
fn limit(bin: usize) -> f64 {
    if bin == HIGHEST_TOP { f64::MAX } else { power_of_two(quantum_exponent(bin) + WIDTH as i32 - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slices::all_kinds_of_terms;

    #[test]
    fn terms_of_all_lanes_are_added_like_terms_one_by_one() {
        fn check<const W: usize>(terms: &[f64]) {
            let (mut lanes, mut others, mut alone) = (BinnedSum::new(), BinnedSum::new(), BinnedSum::new());
            for (i, group) in terms.chunks_exact(W).enumerate() {
                let sum = if i % 3 == 0 { &mut others } else { &mut lanes };
                let group: [f64; W] = group.try_into().expect("W of them");
                sum.add_lanes(group);
                group.iter().for_each(|&term| alone.add(term));
                if i % 50 == 0 {
                    // A single term may raise the window beneath the lanes.
                    let term = group[0] * 1e30;
                    lanes.add(term);
                    alone.add(term);
                    lanes.merge(&others);
                    others.clear();
                    assert_eq!(lanes.words(), alone.words(), "{W} lanes, group {i}");
                    assert_eq!(lanes.value().to_bits(), alone.value().to_bits());
                }
                if i % 400 == 0 {
                    lanes.clear();
                    alone.clear();
                }
            }
        }
        let mut terms = all_kinds_of_terms();
        terms[7000] = f64::NEG_INFINITY;
        terms[8000] = f64::NAN;
        terms[8500] = f64::MAX;
        check::<1>(&terms);
        check::<2>(&terms);
        check::<4>(&terms);
        check::<8>(&terms);
    }
}
