//! The correctly rounded sum.
//!
//! A small superaccumulator (R. M. Neal, "Fast exact summation using small and large superaccumulators" (2015),
//! arXiv:1505.05571) behind a window of slices: terms are cut several at a time (`slices`), and the digits of the
//! fixed-point total are touched only once in thousands of terms, and by terms outside the window.
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
pub const BYTES: usize = bytes::length(WORDS);

/// Single terms that are collected before they are added.
const BUFFER: usize = 32;

/// Digits of a sum whose terms are of similar size.
const FEW: usize = 16;

/// The position of 2^-149, the least f32, above 2^-1074.
const LEAST_F32: usize = 1074 - 149;

/// The exact sum of up to 2^64 terms, rounded once, when the value is asked for: sum = round(x_1 + x_2 + ... + x_n).
///
/// The result depends neither on the order of the terms nor on how they were distributed over accumulators and merged.
/// See the [crate](crate) for special values. An accumulator is 1.4 KB of plain numbers, without a pointer: it may be
/// copied, moved and sent as it is; all zeros are the empty sum.
///
/// ```
/// use exact_sum::ExactSum;
///
/// let mut sum = ExactSum::new();
/// sum.add(1e100);
/// sum.add_slice(&[1.0, -1e100]);
/// assert_eq!(sum.value(), 1.0);
/// ```
// Every field consists of 8-byte words, so to C, Fortran and MPI the accumulator is an array of them. The window comes
// first: aligning a sum aligns it.
#[repr(C)]
#[derive(Clone)]
pub struct ExactSum {
    unbuffered: Unbuffered,
    /// Terms that arrived one by one; the first `pending` of them have not been added yet.
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
        // Fewer lanes than a register of this processor may have: better added together with others.
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

    /// Subtracts a term: adds its negative.
    #[inline(always)]
    pub fn subtract(&mut self, term: f64) {
        self.add(-term);
    }

    /// Adds all terms of `terms`: several times faster than one by one.
    pub fn add_slice(&mut self, terms: &[f64]) {
        self.unbuffered.add_slice(Registers::widest(), terms);
    }

    /// The same in arrays (1 for `lanes`), or in registers of 4 or 8 lanes; false, with nothing added, if the processor
    /// has none that wide. For tests and measurements.
    #[doc(hidden)]
    pub fn add_slice_in_lanes(&mut self, lanes: usize, terms: &[f64]) -> bool {
        let registers = Registers::available().find(|registers| registers.lanes() == lanes);
        registers.inspect(|&registers| self.unbuffered.add_slice(registers, terms)).is_some()
    }

    /// Adds all terms of `terms`, which are single-precision numbers.
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

    /// Adds a sum in digits of 32 bits: digit k has the unit 2^(32 k - 1074) and is a signed integer in two's
    /// complement; `plus` and `minus` say which infinities were among the terms, both for a NaN.
    ///
    /// # Panics
    /// If there are more digits than the 68 of a sum.
    pub fn add_digits(&mut self, digits: &[u64], plus: bool, minus: bool) {
        assert!(digits.len() <= SUM_DIGITS, "a sum has {SUM_DIGITS} digits");
        let non_finite = NonFinite::new(plus, minus);
        self.unbuffered.total.merge(&FixedPoint::<SUM_DIGITS>::from_digits(digits, 0, non_finite), 0);
    }

    /// Empties the sum.
    pub fn clear(&mut self) {
        // The window stays: later terms will resemble earlier ones.
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

    /// The sum so far, rounded once to single precision: not [`value`](ExactSum::value) rounded again.
    ///
    /// A nonzero total that rounds to zero keeps its sign.
    pub fn value_f32(&self) -> f32 {
        self.total().round_f32(LEAST_F32)
    }

    /// The message of this sum: ranks add their messages, word by word and wrapping, and [`round`] the result. Layout
    /// in `docs/reductions.md`.
    pub fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        self.total().write_words(&mut words);
        words
    }

    /// Writes [`ExactSum::words`] into `words`.
    ///
    /// # Panics
    /// If `words` does not have exactly [`WORDS`] words.
    pub fn write_words(&self, words: &mut [u64]) {
        check_length(words);
        self.total().write_words(words);
    }

    /// Writes [`ExactSum::words`] into `words` and empties the sum.
    ///
    /// # Panics
    /// If `words` does not have exactly [`WORDS`] words.
    pub fn drain_words(&mut self, words: &mut [u64]) {
        self.write_words(words);
        self.clear();
    }

    /// The sum that `words` encode: those of one sum, or the element-wise wrapping sum of those of up to 2^31 - 1.
    ///
    /// # Panics
    /// If there are not [`WORDS`] words.
    pub fn from_words(words: &[u64]) -> ExactSum {
        let mut sum = ExactSum::new();
        sum.unbuffered.total = total_of(words);
        sum
    }

    /// This sum as bytes, the same on every processor, with a version and a checksum; equal sums have equal bytes.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes::write(Kind::Sum, &self.words(), &mut bytes);
        bytes
    }

    /// The sum from which [`to_bytes`](ExactSum::to_bytes) made these bytes, also that of an earlier version.
    ///
    /// # Errors
    /// If they are not such bytes, or were damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<ExactSum, BytesError> {
        let mut words = [0; WORDS];
        bytes::read(Kind::Sum, bytes, &mut words)?;
        if bytes::are_digits(&words) { Ok(ExactSum::from_words(&words)) } else { Err(BytesError::Word) }
    }

    /// Whether the memory holds an accumulator: false for most words that were never one.
    #[doc(hidden)]
    pub fn is_intact(&self) -> bool {
        self.unbuffered.slices.is_intact()
            && self.unbuffered.total.is_intact()
            && self.pending < BUFFER as u64
    }

    /// The total of all terms so far.
    pub(crate) fn total(&self) -> FixedPoint<SUM_DIGITS> {
        let mut total = self.unbuffered.total.clone();
        self.unbuffered.slices.add_to(&mut total);
        add_numbers(&mut total, &self.buffer[..self.pending as usize]);
        total
    }

    /// The total of all terms so far, if it needs few digits: the number of the first one, the digits of the magnitude,
    /// and whether the total is negative.
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
            // Terms too large for the window, or too few for a batch.
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

    /// Adds terms that did not fit in the window of slices.
    #[cold]
    #[inline(never)]
    fn add_outside(&mut self, terms: &[f64]) {
        self.move_window(terms);
        add_numbers(&mut self.total, terms);
    }

    /// Adds the rest that the window of slices has left of terms.
    #[cold]
    #[inline(never)]
    fn add_rest(&mut self, terms: &[f64], rest: &[f64]) {
        if self.slices.is_too_high(1) {
            self.move_window(terms);
        }
        add_numbers(&mut self.total, rest);
    }

    /// Moves the window so that terms like these fit in it.
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

/// The exact sum that `words` encode, rounded once to the nearest f64, ties to even.
///
/// `words` are those of one [`ExactSum`] or the element-wise wrapping sum of those of up to 2^31 - 1 of them. The
/// result is infinite if the exact sum is 2^1024 - 2^970 or more in magnitude. Subnormal results are exact. See the
/// [crate](crate) for special values.
///
/// # Panics
/// If there are not exactly [`WORDS`] words.
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
mod tests;
