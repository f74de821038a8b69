//! The correctly rounded sum.
//!
//! A superaccumulator with one 128-bit integer for every sign and exponent: a term adds its significand to
//! the integer of its own sign and exponent, so that no digit is shifted and no carry travels while terms
//! arrive. In the manner of the large superaccumulator of R. M. Neal, "Fast exact summation using small and
//! large superaccumulators" (2015), arXiv:1505.05571, section 4, with integers wide enough never to overflow.

use cfd_lanes::Vector;

use super::LaneSum;
use super::fixed_point::{FixedPoint, NonFinite, WORDS};
use super::slices::{Left, Slices};

const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
const FRACTION: u64 = (1 << FRACTION_BITS) - 1;

/// Exponent field of infinities and NaN.
const SPECIAL: u64 = 0x7ff;

/// Exponent field of the largest numbers.
const LARGEST_EXPONENT: usize = 0x7fe;

/// Digits of 32 bits that finite numbers have.
const DIGITS: usize = 66;

/// Exponents of one sign.
const EXPONENTS: usize = 1 << 11;

/// Exponents that are examined together: most groups are empty.
const GROUP: usize = 8;

/// The exact sum of up to 2^64 terms, rounded once, when it is asked for: sum = round(x_1 + x_2 + ... + x_n).
///
/// The result does not depend on the order of the terms nor on how they were distributed over accumulators
/// and merged. See the [module](super) for special values. An accumulator takes 64 KiB, of which terms touch
/// one 16-byte integer for each sign and binade that occurs; [`add`](ExactSum::add) takes about as long as
/// one and a half additions of a serial sum.
///
/// ```
/// use exact_sum::ExactSum;
///
/// let mut sum = ExactSum::new();
/// for term in [1e100, 1.0, -1e100] {
///     sum.add(term);
/// }
/// assert_eq!(sum.value(), 1.0);
/// ```
#[derive(Clone)]
pub struct ExactSum {
    /// Sum of the significands, by sign and exponent field: the upper 12 bits of an f64. A significand is
    /// below 2^53, so 2^64 of them stay below 2^117.
    bins: Box<[Bin; 2 * EXPONENTS]>,
    /// What has arrived several terms at a time and is not yet in the bins.
    slices: Slices,
    non_finite: NonFinite,
}

/// An integer of 128 bits. A term changes the lower half; the upper half waits for a carry, which takes 2^11 terms
/// or more: in a loop that is bound by memory, stores are what counts.
#[derive(Clone, Copy, Debug)]
struct Bin {
    low: u64,
    high: u64,
}

impl Bin {
    const EMPTY: Bin = Bin { low: 0, high: 0 };

    #[cold]
    #[inline(never)]
    fn carry(&mut self) {
        self.high = self.high.wrapping_add(1);
    }

    fn merge(&mut self, other: Bin) {
        let sum = self.value().wrapping_add(other.value());
        *self = Bin { low: sum as u64, high: (sum >> 64) as u64 };
    }

    fn value(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

impl Default for ExactSum {
    fn default() -> ExactSum {
        ExactSum::new()
    }
}

impl LaneSum for ExactSum {
    #[inline(always)]
    fn add_term(&mut self, term: f64) {
        self.add(term);
    }

    /// A third of the work that [`add`](ExactSum::add) is for each term.
    #[inline(always)]
    fn add_lanes<const W: usize, R: Vector<W>>(&mut self, terms: R) {
        // With few lanes, cutting terms takes as long as finding their integers.
        if W < 4 {
            return self.add_slice(&terms.to_array());
        }
        match self.slices.take(terms) {
            None => self.add_outside(&terms.to_array()),
            Some(Left::Nothing) => {}
            Some(Left::Rest(rest)) => self.add_rest(&terms.to_array(), &rest.to_array()),
        }
    }
}

impl std::fmt::Debug for ExactSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ExactSum({:e})", self.value())
    }
}

impl ExactSum {
    /// An empty sum: +0.0.
    pub fn new() -> ExactSum {
        let bins = vec![Bin::EMPTY; 2 * EXPONENTS].try_into().expect("the length is that of the array");
        ExactSum { bins, slices: Slices::new(), non_finite: NonFinite::default() }
    }

    /// Adds a term.
    #[inline(always)]
    pub fn add(&mut self, term: f64) {
        let bits = term.to_bits();
        let sign_and_exponent = bits >> FRACTION_BITS;
        let exponent = sign_and_exponent & SPECIAL;
        if exponent == SPECIAL {
            return self.note_non_finite(term);
        }
        // Computed, not branched on: zeros among the terms would make the branch unpredictable.
        let hidden = u64::from(exponent != 0) << FRACTION_BITS;
        let bin = &mut self.bins[sign_and_exponent as usize];
        let (low, carry) = bin.low.overflowing_add(bits & FRACTION | hidden);
        bin.low = low;
        if carry {
            bin.carry();
        }
    }

    /// Adds terms that the window of slices has not taken.
    #[cold]
    #[inline(never)]
    fn add_outside(&mut self, terms: &[f64]) {
        self.move_window(terms);
        self.add_slice(terms);
    }

    /// Adds what the window of slices has left of terms.
    #[cold]
    #[inline(never)]
    fn add_rest(&mut self, terms: &[f64], rest: &[f64]) {
        if self.slices.is_too_high() {
            self.move_window(terms);
        }
        self.add_slice(rest);
    }

    /// Makes the window one that terms like these fit into.
    fn move_window(&mut self, terms: &[f64]) {
        let finite = terms.iter().map(|term| term.abs()).filter(|term| term.is_finite());
        let taken = self.slices.open(finite.fold(0.0, f64::max));
        taken.sums().for_each(|sum| self.add(sum));
    }

    #[cold]
    #[inline(never)]
    fn note_non_finite(&mut self, term: f64) {
        self.non_finite.note(term);
    }

    /// Adds all terms of `terms`.
    #[inline(always)]
    pub fn add_slice(&mut self, terms: &[f64]) {
        terms.iter().for_each(|&term| self.add(term));
    }

    /// Adds all terms that `other` has received.
    pub fn merge(&mut self, other: &ExactSum) {
        let groups = self.bins.chunks_exact_mut(GROUP).zip(other.bins.chunks_exact(GROUP));
        for (bins, others) in groups.filter(|(_, others)| !is_empty(others)) {
            bins.iter_mut().zip(others).for_each(|(bin, other)| bin.merge(*other));
        }
        other.slices.sums().for_each(|sum| self.add(sum));
        self.non_finite.merge(other.non_finite);
    }

    /// Adds a sum in digits of 32 bits: digit k has the unit 2^(32 k - 1074) and is a signed integer, in two's
    /// complement; `plus` and `minus` say which infinities were among the terms, both for a NaN.
    ///
    /// # Panics
    /// If there are more digits than finite terms can have: 66.
    pub fn add_digits(&mut self, digits: &[u64], plus: bool, minus: bool) {
        assert!(digits.len() <= DIGITS, "finite numbers have {DIGITS} digits");
        for (k, &digit) in digits.iter().enumerate() {
            let digit = digit as i64;
            // The unit of exponent field e is 2^(e - 1 - 1074); beyond the largest one the digit is shifted.
            let exponent = (32 * k + 1).min(LARGEST_EXPONENT);
            let value = u128::from(digit.unsigned_abs()) << (32 * k + 1 - exponent);
            let bin = &mut self.bins[if digit < 0 { EXPONENTS + exponent } else { exponent }];
            bin.merge(Bin { low: value as u64, high: (value >> 64) as u64 });
        }
        for (there, infinity) in [(plus, f64::INFINITY), (minus, f64::NEG_INFINITY)] {
            if there {
                self.non_finite.note(infinity);
            }
        }
    }

    /// Empties the sum.
    pub fn clear(&mut self) {
        self.bins.fill(Bin::EMPTY);
        self.slices = Slices::new();
        self.non_finite = NonFinite::default();
    }

    /// The sum so far, correctly rounded.
    pub fn value(&self) -> f64 {
        self.total().round()
    }

    /// The message of this sum: ranks add theirs up, word by word and wrapping, and [`round`](super::round)
    /// the result. Layout in `docs/reductions.md`.
    pub fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        self.write_words(&mut words);
        words
    }

    /// Writes [`ExactSum::words`] into `words`.
    ///
    /// # Panics
    /// If there is not room for exactly [`WORDS`] words.
    pub fn write_words(&self, words: &mut [u64]) {
        self.total().write_words(words);
    }

    /// Writes [`ExactSum::words`] into `words` and empties the sum: cheaper than `write_words` and `clear`,
    /// because only what terms have touched is cleared.
    ///
    /// # Panics
    /// If there is not room for exactly [`WORDS`] words.
    pub fn drain_words(&mut self, words: &mut [u64]) {
        std::mem::replace(&mut self.slices, Slices::new()).sums().for_each(|sum| self.add(sum));
        let mut total = FixedPoint::new(std::mem::take(&mut self.non_finite));
        let (plus, minus) = self.bins.split_at_mut(EXPONENTS);
        let groups = plus.chunks_exact_mut(GROUP).zip(minus.chunks_exact_mut(GROUP)).enumerate();
        for (group, (plus, minus)) in groups.filter(|(_, (plus, minus))| !is_empty(plus) || !is_empty(minus))
        {
            add_group(&mut total, group, plus, minus);
            plus.fill(Bin::EMPTY);
            minus.fill(Bin::EMPTY);
        }
        total.write_words(words);
    }

    fn total(&self) -> FixedPoint {
        let mut total = FixedPoint::new(self.non_finite);
        self.slices.sums().for_each(|sum| total.add_number(sum));
        let (plus, minus) = self.bins.split_at(EXPONENTS);
        let groups = plus.chunks_exact(GROUP).zip(minus.chunks_exact(GROUP)).enumerate();
        for (group, (plus, minus)) in groups.filter(|(_, (plus, minus))| !is_empty(plus) || !is_empty(minus))
        {
            add_group(&mut total, group, plus, minus);
        }
        total
    }
}

/// Adds the integers of one group of exponents, of both signs, to `total`.
fn add_group(total: &mut FixedPoint, group: usize, plus: &[Bin], minus: &[Bin]) {
    for (i, (&plus, &minus)) in plus.iter().zip(minus).enumerate() {
        // Subnormal numbers, exponent field 0, have the unit of exponent field 1.
        let exponent = (GROUP * group + i).max(1);
        total.add(plus.value().wrapping_sub(minus.value()) as i128, exponent - 1);
    }
}

#[inline(always)]
fn is_empty(bins: &[Bin]) -> bool {
    bins.iter().fold(0, |any, bin| any | bin.low | bin.high) == 0
}

#[cfg(test)]
mod tests {
    use cfd_lanes::Lanes;

    use super::super::round;
    use super::super::slices::all_kinds_of_terms;
    use super::*;

    fn exact(terms: &[f64]) -> ExactSum {
        let mut sum = ExactSum::new();
        sum.add_slice(terms);
        sum
    }

    fn sum(terms: &[f64]) -> f64 {
        exact(terms).value()
    }

    #[test]
    fn what_cancels_in_between_is_kept() {
        assert_eq!(sum(&[1.0, 1e100, 1.0, -1e100]), 2.0);
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX, -f64::MAX, 5e-324]), 5e-324);
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
    }

    #[test]
    fn zero_is_positive_and_so_is_the_empty_sum() {
        for terms in [&[][..], &[0.0], &[-0.0], &[-0.0, -0.0], &[1.5, -1.5], &[5e-324, -5e-324]] {
            assert_eq!(sum(terms).to_bits(), 0, "{terms:?}");
        }
    }

    #[test]
    fn infinities_and_nan_follow_ieee_with_one_nan() {
        const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
        let (inf, signalling) = (f64::INFINITY, f64::from_bits(0x7ff0_0000_0000_0001));
        for (terms, expected) in [
            ([1.0, inf, -1e308], inf),
            ([-inf, f64::MAX, -inf], -inf),
            ([inf, 0.0, -inf], NAN),
            ([f64::NAN, 1.0, 1.0], NAN),
            ([-f64::NAN, inf, inf], NAN),
            ([signalling, 1.0, -inf], NAN),
        ] {
            assert_eq!(sum(&terms).to_bits(), expected.to_bits(), "{terms:?}");
            let words = terms.map(|term| exact(&[term]).words());
            let total: Vec<u64> =
                (0..WORDS).map(|i| words.iter().fold(0, |sum: u64, w| sum.wrapping_add(w[i]))).collect();
            assert_eq!(round(&total).to_bits(), expected.to_bits(), "{terms:?}, one rank each");
        }
    }

    #[test]
    fn draining_gives_the_words_and_leaves_an_empty_sum() {
        let mut sum = exact(&[1e-310, -7.25, 3e200, f64::INFINITY]);
        let words = sum.words();
        let mut drained = [1; WORDS];
        sum.drain_words(&mut drained);
        assert_eq!(drained, words);
        assert_eq!(sum.words(), [0; WORDS]);
        sum.add(0.5);
        sum.clear();
        assert_eq!(sum.words(), [0; WORDS]);
    }

    #[test]
    fn equal_sums_have_equal_words() {
        assert_eq!(exact(&[3.0, -1.0, 0.5, 1e-300, -1e-300]).words(), exact(&[2.5]).words());
    }

    #[test]
    fn terms_of_all_lanes_are_added_like_terms_one_by_one() {
        fn check<const W: usize>(terms: &[f64]) {
            let mut lanes = ExactSum::new();
            let (mut others, mut alone) = (ExactSum::new(), ExactSum::new());
            for (i, group) in terms.chunks_exact(W).enumerate() {
                let sum = if i % 3 == 0 { &mut others } else { &mut lanes };
                sum.add_lanes(Lanes::<W>(group.try_into().expect("W of them")));
                alone.add_slice(group);
                if i % 50 == 0 {
                    lanes.merge(&others);
                    others.clear();
                    assert_eq!(lanes.words(), alone.words(), "{W} lanes, group {i}");
                    assert_eq!(lanes.value().to_bits(), alone.value().to_bits());
                }
                if i % 400 == 0 {
                    let (mut drained, expected) = ([0; WORDS], alone.words());
                    lanes.drain_words(&mut drained);
                    assert_eq!(drained, expected, "{W} lanes, group {i}");
                    alone.clear();
                }
            }
            for special in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                let mut sum = lanes.clone();
                sum.add_lanes(Lanes::<W>(std::array::from_fn(|i| if i == 1 { special } else { 1.0 })));
                sum.merge(&others);
                alone.merge(&others);
                assert_eq!(sum.value().is_nan(), special.is_nan());
                assert!(special.is_nan() || sum.value() == special);
            }
        }
        let terms = all_kinds_of_terms();
        check::<2>(&terms);
        check::<4>(&terms);
        check::<8>(&terms);
    }

    #[test]
    fn digits_of_either_sign_add_up_to_the_number_they_write() {
        // 2^63 at the unit 2^-1074, and signed digits that take a part of it back.
        let mut digits = vec![0u64; DIGITS];
        (digits[1], digits[0]) = (1 << 31, (-5i64) as u64);
        let mut sum = exact(&[5.0 * 5e-324]);
        sum.add_digits(&digits, false, false);
        assert_eq!(sum.value().to_bits(), 2f64.powi(63 - 1074).to_bits());
        // The largest numbers' digits: 2^1023 is digit 65's 2^17.
        let mut digits = vec![0u64; DIGITS];
        digits[65] = 1 << 17;
        let mut sum = ExactSum::new();
        sum.add_digits(&digits, false, false);
        assert_eq!(sum.value(), 2f64.powi(1023));
        digits[65] = (-(1i64 << 18)) as u64;
        sum.add_digits(&digits, false, false);
        assert_eq!(sum.value(), -(2f64.powi(1023)));
        sum.add_digits(&[], true, true);
        assert!(sum.value().is_nan());
    }

    #[test]
    fn merging_is_adding_the_terms_of_both() {
        let mut sum = exact(&[1e16, 1.0]);
        sum.merge(&exact(&[1.0]));
        assert_eq!(sum.value(), 1e16 + 2.0);
        sum.merge(&exact(&[1.0, f64::INFINITY]));
        assert_eq!(sum.value(), f64::INFINITY);
    }
}
