//! A total as a fixed-point integer, in digits of 32 bits held in words of 64.
//!
//! ```text
//! digit  0        1               66       67
//! of     2^-1074  2^-1042   ...   2^1038   2^1070        for sums; those of dot products begin at 2^-2162
//!        \_______ in 0..2^32 ____________/  signed       after a carry; in between any integers
//! ```
//!
//! A word has room for 2^30 additions to its digit before digits must be carried, and for the carried digits of 2^31 -
//! 1 ranks.

use core::ops::Range;

use crate::non_finite::NonFinite;
use crate::rounding::{F32, F64, Format};

/// Bits of a digit.
pub(crate) const DIGIT_BITS: usize = 32;

/// Digits of a sum: 2^64 terms stay below 2^2162 units of 2^-1074.
pub(crate) const SUM_DIGITS: usize = 68;

/// Additions after which digits are carried: each is below 2^32, so their total, and that of those for which room was made
/// last, stays below 2^63.
const ADDITIONS: u64 = 1 << 30;

/// Numbers for which room is made at once.
const MOST_NUMBERS: usize = 1 << 20;

/// Fraction bits of an f64.
const FRACTION_BITS: usize = f64::MANTISSA_DIGITS as usize - 1;

/// A signed integer, and the special values among its terms.
#[repr(C)]
#[derive(Clone)]
pub(crate) struct FixedPoint<const DIGITS: usize> {
    digits: [i64; DIGITS],
    /// Additions since digits were last carried.
    added: u64,
    /// Digits that may be nonzero: the end of their range, and how many digits there are from its start to the top.
    touched: [u64; 2],
    pub(crate) non_finite: NonFinite,
}

impl<const DIGITS: usize> FixedPoint<DIGITS> {
    const TOP: usize = DIGITS - 1;

    /// Zero.
    pub(crate) const fn new() -> Self {
        FixedPoint { digits: [0; DIGITS], added: 0, touched: [0; 2], non_finite: NonFinite::NONE }
    }

    /// The number with these digits, each a signed integer in two's complement, from digit `first` on. To be carried
    /// before anything is added.
    pub(crate) fn from_digits(digits: &[u64], first: usize, non_finite: NonFinite) -> Self {
        let mut number = FixedPoint { added: ADDITIONS, non_finite, ..FixedPoint::new() };
        number.touch(first..first + digits.len());
        number.digits[first..].iter_mut().zip(digits).for_each(|(digit, &word)| *digit = word as i64);
        number
    }

    /// Sets the number to zero.
    pub(crate) fn clear(&mut self) {
        let used = self.used();
        self.digits[used].fill(0);
        (self.added, self.touched, self.non_finite) = (0, [0; 2], NonFinite::NONE);
    }

    /// Adds `value` 2^`position` units.
    pub(crate) fn add(&mut self, value: i128, position: usize) {
        self.make_room(1);
        let (mut digit, shift) = (position / DIGIT_BITS, position % DIGIT_BITS);
        // 128 bits reach four or five digits, and the sign one more.
        self.touch(digit..digit + 6);
        self.add_to_digit(digit, i64::from((value << shift) as u32));
        let mut rest = value >> (DIGIT_BITS - shift);
        while rest != 0 {
            digit += 1;
            // A rest of -1 is nothing but the sign: the digits above need not see it.
            if digit == Self::TOP || rest == -1 {
                return self.add_to_digit(digit, rest as i64);
            }
            self.add_to_digit(digit, i64::from(rest as u32));
            rest >>= DIGIT_BITS;
        }
    }

    /// Adds numbers, also infinite ones and NaN, in units of which a digit 0 at 2^-1074 is one.
    pub(crate) fn add_numbers(&mut self, numbers: &[f64]) {
        for numbers in numbers.chunks(MOST_NUMBERS) {
            self.make_room(numbers.len() as u64);
            let mut touched = DIGITS..0;
            for &number in numbers {
                if number == 0.0 {
                    continue;
                }
                if !number.is_finite() {
                    self.non_finite.note(number);
                    continue;
                }
                let (significand, position) = parts(number);
                // The mask tells the compiler that there are as many digits.
                let (digit, shift) = ((position / DIGIT_BITS) & 63, position % DIGIT_BITS);
                touched = touched.start.min(digit)..touched.end.max(digit + 3);
                let sign = number.to_bits() as i64 >> 63;
                let value = (significand as i64 ^ sign) - sign;
                let low = (value << shift) as u64;
                self.add_to_digit(digit, i64::from(low as u32));
                self.add_to_digit(digit + 1, (low >> DIGIT_BITS) as i64);
                self.add_to_digit(digit + 2, value >> 1 >> (63 - shift));
            }
            if !touched.is_empty() {
                self.touch(touched);
            }
        }
    }

    /// Adds to each digit an integer of less than 2^100 in units of half the digit's; the first one is even.
    pub(crate) fn add_halves(&mut self, halves: &[i128]) {
        let Some(start) = halves.iter().position(|&half| half != 0) else { return };
        let end = halves.iter().rposition(|&half| half != 0).map_or(start, |last| last + 1);
        self.make_room(2);
        self.touch(start.saturating_sub(1)..end + 3);
        // What is carried to the next digit stays in registers, so that each digit is changed once. Of 32 bits from half a
        // digit on, the lowest belongs to the digit before.
        let (mut carried, mut upper_bits) = (0, 0);
        for digit in start..end + 2 {
            carried += halves.get(digit).copied().unwrap_or(0);
            let bits = i64::from(carried as u32);
            self.add_to_digit(digit.saturating_sub(1), upper_bits | (bits & 1) << (DIGIT_BITS - 1));
            upper_bits = bits >> 1;
            carried >>= DIGIT_BITS;
        }
        self.add_to_digit(end + 1, upper_bits + ((carried as i64 & 1) << (DIGIT_BITS - 1)));
        self.add_to_digit(end + 2, (carried >> 1) as i64);
    }

    /// Adds the product of two finite numbers; the product of their units is 2^`position` of this number's unit.
    pub(crate) fn add_product(&mut self, a: f64, b: f64, position: usize) {
        let ((a_significand, a_position), (b_significand, b_position)) = (parts(a), parts(b));
        let magnitude = (u128::from(a_significand) * u128::from(b_significand)) as i128;
        let value = if (a < 0.0) != (b < 0.0) { -magnitude } else { magnitude };
        self.add(value, a_position + b_position + position);
    }

    /// Adds another number, whose digit 0 has the unit of this one's digit `from`.
    pub(crate) fn merge<const OTHERS: usize>(&mut self, other: &FixedPoint<OTHERS>, from: usize) {
        let mut other = other.clone();
        let (first, digits) = other.signed_digits();
        self.add_digits(from + first, digits, 1);
        self.non_finite = self.non_finite.and(other.non_finite);
    }

    /// Subtracts another number. Special values add up.
    pub(crate) fn subtract(&mut self, other: &Self) {
        let mut other = other.clone();
        let (first, digits) = other.signed_digits();
        self.add_digits(first, digits, -1);
        self.non_finite = self.non_finite.and(other.non_finite.negated());
    }

    /// Adds digits with this sign, of at most 32 bits.
    fn add_digits(&mut self, first: usize, digits: &[i64], sign: i64) {
        self.make_room(1);
        self.touch(first..first + digits.len());
        let digits = self.digits[first..].iter_mut().zip(digits);
        digits.for_each(|(digit, other)| *digit = digit.wrapping_add(sign.wrapping_mul(*other)));
    }

    /// Wraps around where the words were never those of a number.
    #[inline(always)]
    fn add_to_digit(&mut self, digit: usize, value: i64) {
        self.digits[digit] = self.digits[digit].wrapping_add(value);
    }

    /// Notes that digits may now be nonzero.
    #[inline(always)]
    fn touch(&mut self, digits: Range<usize>) {
        let [end, last] = self.touched;
        let behind = DIGITS.saturating_sub(digits.start);
        self.touched = [end.max(digits.end.min(DIGITS) as u64), last.max(behind as u64)];
    }

    /// All digits outside this range are zero.
    pub(crate) fn used(&self) -> Range<usize> {
        let [end, last] = self.touched.map(|digits| digits as usize);
        if end == 0 { 0..0 } else { DIGITS - last..end }
    }

    /// Whether the words can be those of a number. Arbitrary digits make a wrong number, but nothing else.
    pub(crate) fn is_intact(&self) -> bool {
        let [end, last] = self.touched;
        let range_is_one = end <= DIGITS as u64 && last <= DIGITS as u64 && end + last >= DIGITS as u64;
        self.added < 2 * ADDITIONS && (range_is_one || self.touched == [0; 2]) && self.non_finite.is_intact()
    }

    /// Makes room for so many additions.
    #[inline(always)]
    fn make_room(&mut self, additions: u64) {
        if self.added >= ADDITIONS {
            self.carry();
        }
        self.added += additions;
    }

    /// Brings all digits but the top one into 0..2^32, so that equal numbers have equal digits.
    #[inline(never)]
    pub(crate) fn carry(&mut self) {
        carry(&mut self.digits);
        self.added = 0;
        self.touch(0..DIGITS);
    }

    /// The carried digits, followed by the word of special values.
    pub(crate) fn write_words(mut self, words: &mut [u64]) {
        self.carry();
        for (word, digit) in words.iter_mut().zip(self.digits) {
            *word = digit as u64;
        }
        words[DIGITS] = self.non_finite.word();
    }

    /// Replaces the digits by those of the magnitude, each with the number's sign: a number that needs few digits then
    /// has few nonzero ones, whatever its sign. They begin with the digit of the first number.
    pub(crate) fn signed_digits(&mut self) -> (usize, &[i64]) {
        let used = self.used();
        let digits = &mut self.digits[used.start..(used.end + 1).min(DIGITS)];
        if make_positive(digits) {
            digits.iter_mut().for_each(|digit| *digit = digit.wrapping_neg());
        }
        (used.start, digits)
    }

    /// Whether the number is zero and no special value was among its terms.
    pub(crate) fn is_zero(&self) -> bool {
        let mut carried = self.clone();
        carried.carry();
        self.non_finite == NonFinite::NONE && carried.digits.iter().all(|&digit| digit == 0)
    }

    /// The digits, not carried.
    pub(crate) fn digits(&self) -> &[i64; DIGITS] {
        &self.digits
    }

    /// The nearest f64, ties to even; 2^-1074 is 2^`least` units.
    pub(crate) fn round_f64(mut self, least: usize) -> f64 {
        self.non_finite.sum().unwrap_or_else(|| f64::from_bits(self.round(&F64, least)))
    }

    /// The nearest f32, ties to even; 2^-149 is 2^`least` units.
    pub(crate) fn round_f32(mut self, least: usize) -> f32 {
        match self.non_finite.sum() {
            Some(sum) if sum.is_nan() => f32::NAN,
            Some(sum) => sum as f32,
            None => f32::from_bits(self.round(&F32, least) as u32),
        }
    }

    fn round(&mut self, format: &Format, least: usize) -> u64 {
        let used = self.used();
        let digits = &mut self.digits[used.start..(used.end + 1).min(DIGITS)];
        let negative = make_positive(digits);
        format.encode(negative, &Magnitude { digits, first: used.start }, least)
    }
}

/// A nonnegative number with digits in range; they begin with digit `first`, and the others are zero.
pub(crate) struct Magnitude<'a> {
    pub(crate) digits: &'a [i64],
    pub(crate) first: usize,
}

impl Magnitude<'_> {
    /// Number of bits up to the highest one set.
    pub(crate) fn bit_length(&self) -> usize {
        let highest = self.digits.iter().rposition(|&digit| digit != 0);
        let bits = |digit: usize| 64 - self.digits[digit].leading_zeros() as usize;
        highest.map_or(0, |digit| DIGIT_BITS * (self.first + digit) + bits(digit))
    }

    /// Bits `from..from + 64`.
    pub(crate) fn bits_from(&self, from: usize) -> u64 {
        let (digit, shift) = (from / DIGIT_BITS, from % DIGIT_BITS);
        let window =
            (0..3).rev().fold(0u128, |window, i| window << DIGIT_BITS | self.digit(digit + i) as u128);
        (window >> shift) as u64
    }

    /// Whether one of the bits `0..end` is set.
    pub(crate) fn any_below(&self, end: usize) -> bool {
        let (whole, bits) = (end / DIGIT_BITS, end % DIGIT_BITS);
        self.digits.iter().take(whole.saturating_sub(self.first)).any(|&digit| digit != 0)
            || self.digit(whole) & ((1 << bits) - 1) != 0
    }

    fn digit(&self, at: usize) -> i64 {
        at.checked_sub(self.first).and_then(|at| self.digits.get(at)).map_or(0, |&digit| digit)
    }
}

/// Carries digits, of which there must be one more than the number has, and negates a negative number; returns whether
/// it was negative.
#[inline(always)]
pub(crate) fn make_positive(digits: &mut [i64]) -> bool {
    carry(digits);
    let negative = digits.last().is_some_and(|&top| top < 0);
    if negative {
        digits.iter_mut().for_each(|digit| *digit = digit.wrapping_neg());
        carry(digits);
    }
    negative
}

/// Brings all digits but the last one into 0..2^32.
#[inline(always)]
fn carry(digits: &mut [i64]) {
    let Some((top, digits)) = digits.split_last_mut() else { return };
    let mut carry = 0;
    for digit in digits {
        let sum = digit.wrapping_add(carry);
        *digit = i64::from(sum as u32);
        carry = sum >> DIGIT_BITS;
    }
    *top = top.wrapping_add(carry);
}

/// A finite number's significand, and the position of its last bit above 2^-1074.
#[inline(always)]
fn parts(number: f64) -> (u64, usize) {
    let bits = number.to_bits();
    let exponent = (bits >> FRACTION_BITS) as usize & 0x7ff;
    let hidden = u64::from(exponent != 0) << FRACTION_BITS;
    (bits & ((1 << FRACTION_BITS) - 1) | hidden, exponent.max(1) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(terms: &[(i128, usize)]) -> f64 {
        let mut total = FixedPoint::<SUM_DIGITS>::new();
        terms.iter().for_each(|&(value, position)| total.add(value, position));
        total.round_f64(0)
    }

    #[test]
    fn small_numbers_are_their_own_encoding() {
        for units in [0, 1, 2, (1 << 52) - 1, 1 << 52, (1 << 53) - 1] {
            assert_eq!(rounded(&[(units, 0)]).to_bits(), units as u64);
            assert_eq!(rounded(&[(-units, 0)]), -f64::from_bits(units as u64));
        }
        assert_eq!(rounded(&[(1, 40), (-1, 40)]).to_bits(), 0);
    }

    #[test]
    fn ties_go_to_even_at_every_position() {
        for position in 0..2044 {
            let unit = f64::from_bits(((position as u64) + 1) << 52);
            let even = rounded(&[((1 << 53) + 1, position)]);
            assert_eq!(even, 2.0 * unit, "down to the even neighbour, position {position}");
            let odd = rounded(&[((1 << 53) + 3, position)]);
            assert_eq!(
                odd.to_bits(),
                (2.0 * unit).to_bits() + 2,
                "up to the even neighbour, position {position}"
            );
            if position > 0 {
                let above = rounded(&[((1 << 53) + 1, position), (1, position - 1)]);
                assert_eq!(above.to_bits(), even.to_bits() + 1, "above the tie, position {position}");
                let below = rounded(&[(-(1 << 53) - 3, position), (1, 0)]);
                assert_eq!((-below).to_bits(), odd.to_bits() - 1, "below the tie, position {position}");
            }
        }
    }

    #[test]
    fn overflow_begins_half_a_unit_above_the_largest_number() {
        let largest = ((1 << 53) - 1, 2045);
        assert_eq!(rounded(&[largest]), f64::MAX);
        assert_eq!(rounded(&[largest, (1, 2044), (-1, 0)]), f64::MAX);
        assert_eq!(rounded(&[largest, (1, 2044)]), f64::INFINITY);
        assert_eq!(rounded(&[(-(1 << 80), 2045)]), f64::NEG_INFINITY);
        assert_eq!(rounded(&[(1 << 103, 2080)]), f64::INFINITY);
        assert_eq!(rounded(&[(-(1 << 103), 2080)]), f64::NEG_INFINITY);
    }

    #[test]
    fn words_of_two_billion_ranks_do_not_overflow() {
        let ranks = u64::from(u32::MAX >> 1);
        let mut digits = FixedPoint::<SUM_DIGITS>::new();
        digits.add(-1, 0);
        let mut words = [0u64; SUM_DIGITS + 1];
        digits.write_words(&mut words);
        // All digits are 2^32 - 1, the worst case; the sum over ranks is -ranks units.
        words.iter_mut().for_each(|word| *word = word.wrapping_mul(ranks));
        let total = FixedPoint::<SUM_DIGITS>::from_digits(&words[..SUM_DIGITS], 0, NonFinite::NONE);
        assert_eq!(total.round_f64(0), -f64::from_bits(ranks));
    }

    #[test]
    fn digits_are_carried_before_a_word_overflows() {
        // The most additions between two carries, all of the largest digits.
        let largest = i64::from(u32::MAX) * ADDITIONS as i64;
        for sign in [1, -1] {
            let mut digits = [sign * largest; SUM_DIGITS];
            digits[SUM_DIGITS - 1] = 0;
            let mut full = FixedPoint { digits, added: ADDITIONS, ..FixedPoint::new() };
            full.touch(0..SUM_DIGITS);
            let mut carried = full.clone();
            carried.carry();
            for _ in 0..3 {
                full.add_numbers(&[1.5]);
                carried.add_numbers(&[1.5]);
            }
            assert_eq!(full.added, 3, "carried before the first of them");
            assert_eq!(full.signed_digits(), carried.signed_digits());
            // The carry itself has room.
            assert!(largest.checked_add(i64::from(u32::MAX)).is_some());
        }
    }
}
