//! The total of a sum as a fixed-point integer: the message that ranks add up, and its rounding to f64.
//!
//! ```text
//! word   0        1               66       67            68
//! of     2^-1074  2^-1042   ...   2^1038   2^1070        low half: ranks with +infinity or NaN
//!        \______ digits, 0..2^32 ______/   signed digit  high half: ranks with -infinity or NaN
//! ```
//!
//! A word has 64 bits and a digit 32, so the words of up to 2^31 - 1 ranks add up without overflow, whatever
//! the order, and nothing has to carry from one word to the next while they do: an integer all-reduce is
//! enough.

/// Words of the message of one sum: 68 digits and one word of special values.
pub const WORDS: usize = DIGITS + 1;

const DIGITS: usize = 68;
const DIGIT_BITS: usize = 32;
const TOP: usize = DIGITS - 1;

/// Bits of the significand of an f64, the hidden one included.
const PRECISION: usize = f64::MANTISSA_DIGITS as usize;

/// The one NaN that a sum returns.
const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);

/// The infinities and NaN among the terms. A NaN counts as both infinities: either way the sum is NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NonFinite {
    plus: bool,
    minus: bool,
}

impl NonFinite {
    /// Notes a term that is infinite or NaN.
    pub(super) fn note(&mut self, term: f64) {
        self.plus |= term.is_nan() || term > 0.0;
        self.minus |= term.is_nan() || term < 0.0;
    }

    /// Notes what another part of the sum has noted.
    pub(super) fn merge(&mut self, other: NonFinite) {
        self.plus |= other.plus;
        self.minus |= other.minus;
    }

    /// One rank's word; words of several ranks may be added up.
    pub(super) fn word(self) -> u64 {
        u64::from(self.plus) | u64::from(self.minus) << 32
    }

    /// What [`NonFinite::word`], or a sum of such words, says.
    pub(super) fn from_word(word: u64) -> NonFinite {
        NonFinite { plus: word as u32 != 0, minus: word >> 32 != 0 }
    }

    /// The sum, if these terms decide it.
    fn sum(self) -> Option<f64> {
        match (self.plus, self.minus) {
            (false, false) => None,
            (true, false) => Some(f64::INFINITY),
            (false, true) => Some(f64::NEG_INFINITY),
            (true, true) => Some(NAN),
        }
    }
}

/// A signed integer in units of 2^-1074, the smallest positive f64, in digits of 32 bits.
pub(super) struct FixedPoint {
    /// Signed digits, which may be out of range until [`FixedPoint::carry`].
    digits: [i64; DIGITS],
    non_finite: NonFinite,
}

impl FixedPoint {
    /// Zero and these special values.
    pub(super) fn new(non_finite: NonFinite) -> FixedPoint {
        FixedPoint { digits: [0; DIGITS], non_finite }
    }

    /// Adds `value` 2^`position` units. The digits hold 2^30 such additions, far more than there are
    /// positions and slices.
    pub(super) fn add(&mut self, value: i128, position: usize) {
        let (mut digit, shift) = (position / DIGIT_BITS, position % DIGIT_BITS);
        self.digits[digit] += i64::from((value << shift) as u32);
        let mut rest = value >> (DIGIT_BITS - shift);
        while rest != 0 {
            digit += 1;
            // A rest of -1 is nothing but the sign: the digits above need not see it.
            if digit == TOP || rest == -1 {
                self.digits[digit] += i64::try_from(rest).expect("2^64 terms stay below 2^2207 units");
                return;
            }
            self.digits[digit] += i64::from(rest as u32);
            rest >>= DIGIT_BITS;
        }
    }

    /// Adds a finite number.
    pub(super) fn add_number(&mut self, number: f64) {
        let exponent = (number.to_bits() >> (PRECISION - 1)) as usize & 0x7ff;
        let hidden = u64::from(exponent != 0) << (PRECISION - 1);
        let significand = i128::from(number.to_bits() & ((1 << (PRECISION - 1)) - 1) | hidden);
        self.add(if number < 0.0 { -significand } else { significand }, exponent.max(1) - 1);
    }

    /// Brings all digits but the top one into 0..2^32: then equal numbers have equal digits.
    fn carry(&mut self) {
        let mut carry = 0;
        for digit in &mut self.digits[..TOP] {
            let sum = *digit + carry;
            *digit = i64::from(sum as u32);
            carry = sum >> DIGIT_BITS;
        }
        self.digits[TOP] += carry;
    }

    /// The message.
    pub(super) fn write_words(mut self, words: &mut [u64]) {
        check_length(words);
        self.carry();
        for (word, digit) in words.iter_mut().zip(self.digits) {
            *word = digit as u64;
        }
        words[DIGITS] = self.non_finite.word();
    }

    /// The nearest f64, ties to even.
    pub(super) fn round(mut self) -> f64 {
        if let Some(sum) = self.non_finite.sum() {
            return sum;
        }
        self.carry();
        let negative = self.digits[TOP] < 0;
        if negative {
            self.digits.iter_mut().for_each(|digit| *digit = -*digit);
            self.carry();
        }
        let magnitude = self.round_magnitude();
        if negative { -magnitude } else { magnitude }
    }

    /// Rounds a number of at least zero whose digits are in range.
    fn round_magnitude(&self) -> f64 {
        let Some(highest) = self.digits.iter().rposition(|&digit| digit != 0) else {
            return 0.0;
        };
        if highest == TOP {
            return f64::INFINITY;
        }
        let bit_length = DIGIT_BITS * highest + (64 - self.digits[highest].leading_zeros() as usize);
        if bit_length <= PRECISION {
            // The number is below 2^53 units: in this range the encoding of an f64 is its number of units.
            return f64::from_bits(self.bits_from(0));
        }
        if bit_length > f64::MAX_EXP as usize + 1074 {
            return f64::INFINITY;
        }
        let dropped = bit_length - PRECISION;
        let significand = self.bits_from(dropped);
        let half = self.bits_from(dropped - 1) & 1;
        let odd = significand & 1;
        let round_up = half & (odd | u64::from(self.any_below(dropped - 1)));
        // The exponent field is `dropped` + 1; the significand's hidden bit adds that 1. Rounding up to the
        // next power of two carries into the exponent, and past the largest number into the encoding of
        // infinity.
        f64::from_bits(((dropped as u64) << (PRECISION - 1)) + significand + round_up)
    }

    /// Bits `from..from + 64` of a number whose digits are in range.
    fn bits_from(&self, from: usize) -> u64 {
        let (first, shift) = (from / DIGIT_BITS, from % DIGIT_BITS);
        let digits = self.digits[first..].iter().take(3).rev();
        let window = digits.fold(0u128, |window, &digit| window << DIGIT_BITS | digit as u128);
        (window >> shift) as u64
    }

    /// Whether one of the bits `0..end` of a number whose digits are in range is set.
    fn any_below(&self, end: usize) -> bool {
        let (whole, bits) = (end / DIGIT_BITS, end % DIGIT_BITS);
        self.digits[..whole].iter().any(|&digit| digit != 0) || self.digits[whole] & ((1 << bits) - 1) != 0
    }
}

/// The exact sum that `words` stand for, rounded once to the nearest f64, ties to even.
///
/// `words` are those of one [`ExactSum`](super::ExactSum) or the element-wise wrapping sum of those of up to
/// 2^31 - 1 of them. The result is infinite if the exact sum is 2^1024 - 2^970 or more in magnitude.
/// Subnormal results are exact. See the [module](super) for special values.
///
/// # Panics
/// If there are not [`WORDS`] words.
pub fn round(words: &[u64]) -> f64 {
    check_length(words);
    let mut total = FixedPoint::new(NonFinite::from_word(words[DIGITS]));
    for (digit, &word) in total.digits.iter_mut().zip(words) {
        *digit = word as i64;
    }
    total.round()
}

fn check_length(words: &[u64]) {
    assert_eq!(words.len(), WORDS, "the message of an exact sum has {WORDS} words");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(terms: &[(i128, usize)]) -> f64 {
        let mut total = FixedPoint::new(NonFinite::default());
        terms.iter().for_each(|&(value, position)| total.add(value, position));
        total.round()
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
        let mut digits = FixedPoint::new(NonFinite::default());
        digits.add(-1, 0);
        let mut words = [0; WORDS];
        digits.write_words(&mut words);
        // All digits are 2^32 - 1, the worst case; the sum over ranks is -ranks units.
        words.iter_mut().for_each(|word| *word = word.wrapping_mul(ranks));
        assert_eq!(round(&words), -f64::from_bits(ranks));
    }
}
