//! The correctly rounded sum.
//!
//! A small superaccumulator (R. M. Neal, "Fast exact summation using small and large superaccumulators" (2015),
//! arXiv:1505.05571) with a window of slices before it: terms are cut several at a time (`slices`), and the digits of
//! the fixed-point total are touched only once in thousands of terms, and by terms that the window does not reach.
//!
//! ```text
//! add ─► buffer ─┐
//! add_slice ─────┴─► slices: four bins, in registers ─► total: 68 digits ─► value, words, bytes
//! ```

use core::fmt;

use crate::LaneSum;
use crate::bytes::{self, BytesError, Kind};
use crate::fixed_point::{FixedPoint, Magnitude, SUM_DIGITS, make_positive};
use crate::non_finite::NonFinite;
use crate::rounding::F64;
use crate::slices::{Left, Slices, UNROLLED};
use crate::vector::Vector;
use crate::vector::processor::Registers;
#[cfg(target_arch = "x86_64")]
use crate::vector::x86::{F64x4, F64x8};

/// Words of the message of one sum: 68 digits and one word of special values.
pub const WORDS: usize = SUM_DIGITS + 1;

/// Bytes of a sum as [`ExactSum::to_bytes`] writes it.
pub const BYTES: usize = bytes::HEADER + 8 * WORDS;

/// Terms that wait for one another.
const BUFFER: usize = 32;

/// Digits of a sum whose terms are of similar size.
const FEW: usize = 16;

/// Where 2^-149, the least f32, lies above 2^-1074.
const LEAST_F32: usize = 1074 - 149;

/// The exact sum of up to 2^64 terms, rounded once, when it is asked for: sum = round(x_1 + x_2 + ... + x_n).
///
/// The result does not depend on the order of the terms nor on how they were distributed over accumulators and
/// merged. See the [crate](crate) for special values. An accumulator is 1.4 KB of plain numbers, without a pointer:
/// it may be copied, moved and sent as it is; all zeros are the empty sum.
///
/// ```
/// use exact_sum::ExactSum;
///
/// let mut sum = ExactSum::new();
/// sum.add(1e100);
/// sum.add_slice(&[1.0, -1e100]);
/// assert_eq!(sum.value(), 1.0);
/// ```
// Every field is made of words of 8 bytes, so that the accumulator is an array of them to C, Fortran and MPI. The
// window comes first: whoever aligns a sum aligns it.
#[repr(C)]
#[derive(Clone)]
pub struct ExactSum {
    unbuffered: Unbuffered,
    /// Terms that have arrived one by one; the first `pending` of them are still waiting for others.
    buffer: [f64; BUFFER],
    pending: u64,
}

/// A sum of terms that arrive several at a time.
#[repr(C)]
#[derive(Clone)]
struct Unbuffered {
    /// What is not yet in the total.
    slices: Slices,
    total: FixedPoint<SUM_DIGITS>,
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

    #[inline(always)]
    fn add_lanes<const W: usize, R: Vector<W>>(&mut self, terms: R) {
        // Fewer lanes than a register that this processor may have: better together with others.
        if W < 4 {
            return terms.to_array().into_iter().for_each(|term| self.add(term));
        }
        self.unbuffered.add_lanes(terms);
    }
}

impl fmt::Debug for ExactSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExactSum({:e})", self.value())
    }
}

impl ExactSum {
    /// An empty sum: +0.0.
    pub const fn new() -> ExactSum {
        ExactSum { unbuffered: Unbuffered::new(), buffer: [0.0; BUFFER], pending: 0 }
    }

    /// Adds a term.
    #[inline(always)]
    pub fn add(&mut self, term: f64) {
        // The buffer is never full.
        self.buffer[self.pending as usize % BUFFER] = term;
        self.pending += 1;
        if self.pending >= BUFFER as u64 {
            self.add_buffer();
        }
    }

    /// Subtracts a term: adds it with the other sign.
    #[inline(always)]
    pub fn subtract(&mut self, term: f64) {
        self.add(-term);
    }

    /// Adds all terms of `terms`: several times faster than one by one.
    pub fn add_slice(&mut self, terms: &[f64]) {
        self.unbuffered.add_slice(Registers::widest(), terms);
    }

    /// The same in arrays (1 for `lanes`), or in registers of 4 or 8 lanes; false, and nothing has been added, where
    /// the processor has none of so many. For tests and measurements.
    #[doc(hidden)]
    pub fn add_slice_in_lanes(&mut self, lanes: usize, terms: &[f64]) -> bool {
        let registers = Registers::available().find(|registers| registers.lanes() == lanes);
        registers.inspect(|&registers| self.unbuffered.add_slice(registers, terms)).is_some()
    }

    /// Adds all terms of `terms`, numbers of single precision.
    pub fn add_f32_slice(&mut self, terms: &[f32]) {
        let mut wide = [0.0; 128];
        for terms in terms.chunks(wide.len()) {
            let wide = &mut wide[..terms.len()];
            wide.iter_mut().zip(terms).for_each(|(wide, &term)| *wide = f64::from(term));
            self.add_slice(wide);
        }
    }

    /// Adds all terms that `other` has received.
    pub fn merge(&mut self, other: &ExactSum) {
        self.unbuffered.total.merge(&other.total(), 0);
    }

    /// Subtracts all terms that `other` has received.
    pub fn subtract_sum(&mut self, other: &ExactSum) {
        self.unbuffered.total.subtract(&other.total());
    }

    /// Adds a sum in digits of 32 bits: digit k has the unit 2^(32 k - 1074) and is a signed integer, in two's
    /// complement; `plus` and `minus` say which infinities were among the terms, both for a NaN.
    ///
    /// # Panics
    /// If there are more digits than a sum has: 68.
    pub fn add_digits(&mut self, digits: &[u64], plus: bool, minus: bool) {
        assert!(digits.len() <= SUM_DIGITS, "a sum has {SUM_DIGITS} digits");
        let non_finite = NonFinite::new(plus, minus);
        self.unbuffered.total.merge(&FixedPoint::<SUM_DIGITS>::from_digits(digits, 0, non_finite), 0);
    }

    /// Empties the sum.
    pub fn clear(&mut self) {
        // The window stays: terms to come will be like those before.
        self.unbuffered.slices.empty();
        self.unbuffered.total.clear();
        self.pending = 0;
    }

    /// Whether the total is exactly zero, and no term was infinite or NaN.
    pub fn is_zero(&self) -> bool {
        self.total().is_zero()
    }

    /// The sum so far, correctly rounded.
    pub fn value(&self) -> f64 {
        match self.few_digits() {
            Some((first, digits, negative)) => {
                f64::from_bits(F64.encode(negative, &Magnitude { digits: &digits, first }, 0))
            }
            None => self.total().round_f64(0),
        }
    }

    /// The sum so far, rounded once to single precision: not [`value`](ExactSum::value) rounded once more.
    ///
    /// A total that is not zero but rounds to zero has its own sign.
    pub fn value_f32(&self) -> f32 {
        self.total().round_f32(LEAST_F32)
    }

    /// The message of this sum: ranks add theirs up, word by word and wrapping, and [`round`]
    /// the result. Layout in `docs/reductions.md`.
    pub fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        self.total().write_words(&mut words);
        words
    }

    /// Writes [`ExactSum::words`] into `words`.
    ///
    /// # Panics
    /// If there is not room for exactly [`WORDS`] words.
    pub fn write_words(&self, words: &mut [u64]) {
        check_length(words);
        self.total().write_words(words);
    }

    /// Writes [`ExactSum::words`] into `words` and empties the sum.
    ///
    /// # Panics
    /// If there is not room for exactly [`WORDS`] words.
    pub fn drain_words(&mut self, words: &mut [u64]) {
        self.write_words(words);
        self.clear();
    }

    /// The sum that `words` stand for: those of one sum, or the element-wise wrapping sum of those of up to 2^31 - 1.
    ///
    /// # Panics
    /// If there are not [`WORDS`] words.
    pub fn from_words(words: &[u64]) -> ExactSum {
        let mut sum = ExactSum::new();
        sum.unbuffered.total = total_of(words);
        sum
    }

    /// This sum as bytes, the same on every processor; equal sums have equal bytes.
    ///
    /// ```text
    /// bytes  0..4    4                     5                6..8   8..560
    ///        "XSUM"  version of this form, kind: 0, a sum   zeros  the words, each little-endian
    ///                1
    /// ```
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes::write(Kind::Sum, &self.words(), &mut bytes);
        bytes
    }

    /// The sum of which [`to_bytes`](ExactSum::to_bytes) has made these bytes.
    ///
    /// # Errors
    /// If they are not such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<ExactSum, BytesError> {
        let mut words = [0; WORDS];
        bytes::read(Kind::Sum, bytes, &mut words)?;
        Ok(ExactSum::from_words(&words))
    }

    /// Whether the memory holds an accumulator: false for most words that were never one.
    #[doc(hidden)]
    pub fn is_intact(&self) -> bool {
        self.unbuffered.slices.is_intact()
            && self.unbuffered.total.is_intact()
            && self.pending < BUFFER as u64
    }

    /// What has arrived so far.
    pub(crate) fn total(&self) -> FixedPoint<SUM_DIGITS> {
        let mut total = self.unbuffered.total.clone();
        self.unbuffered.slices.add_to(&mut total);
        add_numbers(&mut total, &self.buffer[..self.pending as usize]);
        total
    }

    /// What has arrived so far, if it needs few digits: the first one's number, those of the
    /// magnitude, and whether it is negative.
    pub(crate) fn few_digits(&self) -> Option<(usize, [i64; FEW], bool)> {
        let (total, slices) = (&self.unbuffered.total, &self.unbuffered.slices);
        if self.pending > 0 || total.non_finite != NonFinite::NONE {
            return None;
        }
        let (used, sliced) = (total.used(), slices.digits());
        let first = match (used.is_empty(), sliced.is_empty()) {
            (false, false) => used.start.min(sliced.start),
            (true, _) => sliced.start,
            (_, true) => used.start,
        };
        // One more for a carry.
        if used.end.max(sliced.end) + 1 - first > FEW {
            return None;
        }
        let mut digits = [0; FEW];
        digits
            .iter_mut()
            .skip(used.start.saturating_sub(first))
            .zip(&total.digits()[used])
            .for_each(|(to, from)| *to = *from);
        slices.add_to_digits(first, &mut digits);
        let negative = make_positive(&mut digits);
        Some((first, digits, negative))
    }

    #[cold]
    #[inline(never)]
    fn add_buffer(&mut self) {
        self.pending = 0;
        self.unbuffered.add_slice(Registers::widest(), &self.buffer);
    }
}

impl Unbuffered {
    const fn new() -> Unbuffered {
        Unbuffered { slices: Slices::new(), total: FixedPoint::new() }
    }

    #[inline]
    fn add_slice(&mut self, registers: Registers, terms: &[f64]) {
        match registers {
            Registers::Portable => self.add_groups::<2, [f64; 2]>(terms),
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
        self.add_groups::<4, F64x4>(terms);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn add_slice_avx512(&mut self, terms: &[f64]) {
        self.add_groups::<8, F64x8>(terms);
    }

    #[inline(always)]
    fn add_lanes<const W: usize, R: Vector<W>>(&mut self, terms: R) {
        match self.slices.take(terms) {
            None => self.add_outside(&terms.to_array()),
            Some(Left::Nothing) => {}
            Some(Left::Rest(rest)) => self.add_rest(&terms.to_array(), &rest.to_array()),
        }
    }

    #[inline(always)]
    fn add_groups<const W: usize, R: Vector<W>>(&mut self, terms: &[f64]) {
        let (mut groups, tail) = terms.as_chunks::<W>();
        while !groups.is_empty() {
            let mut left = false;
            let taken = self.slices.take_groups::<W, R>(groups, |rest| {
                left = true;
                add_numbers(&mut self.total, rest);
            });
            let (before, after) = groups.split_at(taken);
            if left {
                if self.slices.is_too_high(UNROLLED) {
                    self.move_window(before[taken - UNROLLED..].as_flattened());
                }
                groups = after;
                continue;
            }
            // What is too large for the window, or not enough.
            let (few, others) = after.split_at(after.len().min(UNROLLED));
            few.iter().for_each(|group| self.add_lanes(R::load(group)));
            groups = others;
        }
        if !tail.is_empty() {
            let mut group = [0.0; W];
            group[..tail.len()].copy_from_slice(tail);
            self.add_lanes(R::load(&group));
        }
    }

    /// Adds terms that the window of slices has not taken.
    #[cold]
    #[inline(never)]
    fn add_outside(&mut self, terms: &[f64]) {
        self.move_window(terms);
        add_numbers(&mut self.total, terms);
    }

    /// Adds what the window of slices has left of terms.
    #[cold]
    #[inline(never)]
    fn add_rest(&mut self, terms: &[f64], rest: &[f64]) {
        if self.slices.is_too_high(1) {
            self.move_window(terms);
        }
        add_numbers(&mut self.total, rest);
    }

    /// Makes the window one that terms like these fit into.
    #[cold]
    #[inline(never)]
    fn move_window(&mut self, terms: &[f64]) {
        let finite = terms.iter().map(|term| term.abs()).filter(|term| term.is_finite());
        self.slices.open(finite.fold(0.0, f64::max), &mut self.total);
    }
}

#[inline(never)]
fn add_numbers(total: &mut FixedPoint<SUM_DIGITS>, numbers: &[f64]) {
    for &number in numbers {
        if !number.is_finite() {
            total.non_finite.note(number);
        } else if number != 0.0 {
            total.add_number(number);
        }
    }
}

/// The exact sum that `words` stand for, rounded once to the nearest f64, ties to even.
///
/// `words` are those of one [`ExactSum`] or the element-wise wrapping sum of those of up to
/// 2^31 - 1 of them. The result is infinite if the exact sum is 2^1024 - 2^970 or more in magnitude.
/// Subnormal results are exact. See the [crate](crate) for special values.
///
/// # Panics
/// If there are not [`WORDS`] words.
pub fn round(words: &[u64]) -> f64 {
    total_of(words).round_f64(0)
}

fn total_of(words: &[u64]) -> FixedPoint<SUM_DIGITS> {
    check_length(words);
    FixedPoint::from_digits(&words[..SUM_DIGITS], 0, NonFinite::from_word(words[SUM_DIGITS]))
}

fn check_length(words: &[u64]) {
    assert_eq!(words.len(), WORDS, "the message of an exact sum has {WORDS} words");
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::fixed_point::SUM_DIGITS as DIGITS;
    use crate::slices::all_kinds_of_terms;

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
                sum.add_lanes::<W, [f64; W]>(group.try_into().expect("W of them"));
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
                sum.add_lanes::<W, [f64; W]>(std::array::from_fn(|i| if i == 1 { special } else { 1.0 }));
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
    fn slices_of_any_length_have_the_same_words_in_all_registers() {
        let terms = all_kinds_of_terms();
        let mut alone = ExactSum::new();
        let mut registers: Vec<(usize, ExactSum)> =
            [1, 4, 8].into_iter().map(|lanes| (lanes, ExactSum::new())).collect();
        let (mut rest, mut length) = (&terms[..], 0);
        while !rest.is_empty() {
            length = (length * 5 + 3) % 211;
            let slice = rest.split_off(..length.min(rest.len())).expect("not more than there are");
            add_numbers(&mut alone.unbuffered.total, slice);
            registers.retain_mut(|(lanes, sum)| sum.add_slice_in_lanes(*lanes, slice));
            for (lanes, sum) in &registers {
                assert_eq!(sum.words(), alone.words(), "{lanes} lanes, {} terms left", rest.len());
            }
        }
        assert_eq!(registers.len(), Registers::available().count());
        assert!(!alone.add_slice_in_lanes(3, &terms));
    }

    #[test]
    fn all_zeros_are_the_empty_sum_and_other_words_are_not_taken_for_one() {
        // SAFETY: a sum has no padding, and any of its fields can be zero.
        let zeros: ExactSum = unsafe { core::mem::zeroed() };
        assert!(zeros.is_intact() && zeros.is_zero() && ExactSum::new().is_intact());
        let mut sum = exact(&[1e-300, 1e300, 3.0]);
        sum.add(2.0);
        assert!(sum.is_intact() && !sum.is_zero());
        sum.pending = u64::MAX;
        assert!(!sum.is_intact());
        for word in [u64::MAX, 0xa5a5_a5a5_a5a5_a5a5, 1] {
            // SAFETY: every field is made of words, which can be anything.
            let odd: ExactSum = unsafe { core::mem::transmute([word; size_of::<ExactSum>() / 8]) };
            assert!(!odd.is_intact(), "{word:x}");
        }
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
