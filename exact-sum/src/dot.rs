//! Correctly rounded dot products.
//!
//! A product of two numbers of 53 bits has 106, which two f64 can hold: p = round(a b) and its error a b - p, found by
//! Dekker's and Veltkamp's algorithms ("A floating-point technique for extending the available precision", Numer. Math.
//! 18 (1971)) without fused operations. Where these could overflow or lose bits, the significands are multiplied as
//! integers and added to a wider fixed-point number.

use core::fmt;

use crate::bytes::{self, BytesError, Kind};
use crate::exact::ExactSum;
use crate::fixed_point::{DIGIT_BITS, FixedPoint};
use crate::non_finite::NonFinite;
use crate::vector::processor::Registers;

/// Digits of 32 bits in a sum of products: its unit is 2^-2162, and 2^64 products stay below 2^2112.
const DIGITS: usize = 135;

/// Words of the message of a dot product: its digits, and one word of special values.
pub const DOT_WORDS: usize = DIGITS + 1;

/// Bytes of a dot product as [`ExactDot::to_bytes`] writes it.
pub const DOT_BYTES: usize = bytes::length(DOT_WORDS);

/// The digit whose unit is 2^-1074.
const FIRST_OF_SUM: usize = 34;

/// The positions of 2^-1074 and of 2^-149 above the unit.
const LEAST: usize = FIRST_OF_SUM * DIGIT_BITS;
const LEAST_F32: usize = LEAST + 1074 - 149;

/// The position of 2^-2148, the product of the least numbers, above the unit.
const LEAST_PRODUCT: usize = 2162 - 2148;

/// Products split at a time.
const BLOCK: usize = 64;

/// Factors up to this size, 2^500, are split without overflow, and so are their products.
const LARGEST_FACTOR: f64 = f64::from_bits((1023 + 500) << 52);

/// Products of at least this size, 2^-960, have errors that are multiples of 2^-1074.
const LEAST_SPLIT: f64 = f64::from_bits((1023 - 960) << 52);

/// The exact sum of products: round(a_1 b_1 + a_2 b_2 + ... + a_n b_n), rounded once, when the value is asked for.
///
/// No product overflows, underflows or loses a bit on the way: 1e300 1e300 - 1e300 1e300 + 1e-300 1e-200 has the sum
/// 1e-500, which rounds to zero, with its sign. An infinite factor, or NaN, yields what IEEE 754 says of that product.
/// Up to 2^64 products. An accumulator has 2.5 KB and, like an [`ExactSum`], is plain numbers; all zeros are the empty
/// sum.
///
/// ```
/// use exact_sum::ExactDot;
///
/// let mut dot = ExactDot::new();
/// dot.add_products(&[1e200, 3.0, 1e200], &[1e200, 0.5, -1e200]);
/// assert_eq!(dot.value(), 1.5);
/// ```
#[repr(C)]
#[derive(Clone)]
pub struct ExactDot {
    /// Products that two f64 can hold.
    sum: ExactSum,
    /// All others.
    wide: FixedPoint<DIGITS>,
}

impl Default for ExactDot {
    fn default() -> ExactDot {
        ExactDot::new()
    }
}

impl fmt::Debug for ExactDot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExactDot({:e})", self.value())
    }
}

impl ExactDot {
    /// An empty sum: +0.0.
    pub const fn new() -> ExactDot {
        ExactDot { sum: ExactSum::new(), wide: FixedPoint::new() }
    }

    /// Adds the product of two numbers.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        match split(a, b) {
            Some([product, error]) => {
                self.sum.add(product);
                self.sum.add(error);
            }
            None => self.add_wide(a, b),
        }
    }

    /// Adds the products of numbers at the same places.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn add_products(&mut self, a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len(), "a product has two factors");
        for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
            let mut parts = [[0.0; BLOCK]; 2];
            let all = match Registers::widest() {
                Registers::Portable => split_block(a, b, &mut parts),
                // SAFETY: the processor has the registers.
                #[cfg(target_arch = "x86_64")]
                Registers::Avx2 => unsafe { split_block_avx2(a, b, &mut parts) },
                // SAFETY: the processor has the registers.
                #[cfg(target_arch = "x86_64")]
                Registers::Avx512 => unsafe { split_block_avx512(a, b, &mut parts) },
            };
            if all {
                parts.iter().for_each(|parts| self.sum.add_slice(&parts[..a.len()]));
            } else {
                a.iter().zip(b).for_each(|(&a, &b)| self.add_product(a, b));
            }
        }
    }

    /// Adds a term: its product with one.
    pub fn add(&mut self, term: f64) {
        self.sum.add(term);
    }

    /// Subtracts the product of two numbers.
    pub fn subtract_product(&mut self, a: f64, b: f64) {
        self.add_product(-a, b);
    }

    /// Adds all products that `other` has received.
    pub fn merge(&mut self, other: &ExactDot) {
        self.wide.merge(&other.total(), 0);
    }

    /// Adds all terms that `sum` has received.
    pub fn merge_sum(&mut self, sum: &ExactSum) {
        self.sum.merge(sum);
    }

    /// Empties the sum.
    pub fn clear(&mut self) {
        self.sum.clear();
        self.wide = FixedPoint::new();
    }

    /// Whether the total is exactly zero, and no factor was infinite or NaN.
    pub fn is_zero(&self) -> bool {
        self.total().is_zero()
    }

    /// The sum so far, rounded once. A nonzero total that rounds to zero keeps its sign.
    pub fn value(&self) -> f64 {
        self.total().round_f64(LEAST)
    }

    /// The sum so far, rounded once to single precision.
    pub fn value_f32(&self) -> f32 {
        self.total().round_f32(LEAST_F32)
    }

    /// The message of this sum: ranks add their messages, word by word and wrapping, and convert the result back to a
    /// sum ([`from_words`](ExactDot::from_words)).
    pub fn words(&self) -> [u64; DOT_WORDS] {
        let mut words = [0; DOT_WORDS];
        self.total().write_words(&mut words);
        words
    }

    /// The sum that `words` encode: those of one sum, or the element-wise wrapping sum of those of up to 2^31 - 1.
    pub fn from_words(words: &[u64; DOT_WORDS]) -> ExactDot {
        let wide = FixedPoint::from_digits(&words[..DIGITS], 0, NonFinite::from_word(words[DIGITS]));
        ExactDot { sum: ExactSum::new(), wide }
    }

    /// This sum as bytes, as of [`ExactSum::to_bytes`].
    pub fn to_bytes(&self) -> [u8; DOT_BYTES] {
        let mut bytes = [0; DOT_BYTES];
        bytes::write(Kind::Dot, &self.words(), &mut bytes);
        bytes
    }

    /// The sum from which [`to_bytes`](ExactDot::to_bytes) made these bytes, also that of an earlier version.
    ///
    /// # Errors
    /// If they are not such bytes, or were damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<ExactDot, BytesError> {
        let mut words = [0; DOT_WORDS];
        bytes::read(Kind::Dot, bytes, &mut words)?;
        if bytes::are_digits(&words) { Ok(ExactDot::from_words(&words)) } else { Err(BytesError::Word) }
    }

    /// As [`ExactSum::is_intact`].
    #[doc(hidden)]
    pub fn is_intact(&self) -> bool {
        self.sum.is_intact() && self.wide.is_intact()
    }

    fn total(&self) -> FixedPoint<DIGITS> {
        let mut total = self.wide.clone();
        total.merge(&self.sum.total(), FIRST_OF_SUM);
        total
    }

    #[cold]
    #[inline(never)]
    fn add_wide(&mut self, a: f64, b: f64) {
        if a.is_finite() && b.is_finite() {
            self.wide.add_product(a, b, LEAST_PRODUCT);
        } else {
            self.wide.non_finite.note(a * b);
        }
    }
}

/// A product as the sum of two numbers, if they can hold it.
#[inline(always)]
fn split(a: f64, b: f64) -> Option<[f64; 2]> {
    let (product, error, exact) = two_product(a, b);
    exact.then_some([product, error])
}

/// The products of a block as two numbers each; false if some cannot be held.
#[inline(always)]
fn split_block(a: &[f64], b: &[f64], parts: &mut [[f64; BLOCK]; 2]) -> bool {
    let [products, errors] = parts;
    let mut all = true;
    for (((&a, &b), product), error) in a.iter().zip(b).zip(products).zip(errors) {
        let exact;
        (*product, *error, exact) = two_product(a, b);
        all &= exact;
    }
    all
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn split_block_avx2(a: &[f64], b: &[f64], parts: &mut [[f64; BLOCK]; 2]) -> bool {
    split_block(a, b, parts)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn split_block_avx512(a: &[f64], b: &[f64], parts: &mut [[f64; BLOCK]; 2]) -> bool {
    split_block(a, b, parts)
}

/// A rounded product, its error, and whether the two are the product.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64, bool) {
    let product = a * b;
    let ([a_high, a_low], [b_high, b_low]) = (halves(a), halves(b));
    let error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    let small = (a.abs() <= LARGEST_FACTOR) & (b.abs() <= LARGEST_FACTOR);
    let large = (product.abs() >= LEAST_SPLIT) | (a == 0.0) | (b == 0.0);
    (product, error, small & large)
}

/// A number as the sum of two of 26 bits, the lower one signed.
#[inline(always)]
fn halves(number: f64) -> [f64; 2] {
    const SPLITTER: f64 = 134_217_729.0;
    let scaled = SPLITTER * number;
    let high = scaled - (scaled - number);
    [high, number - high]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(products: &[(f64, f64)]) -> ExactDot {
        let mut dot = ExactDot::new();
        products.iter().for_each(|&(a, b)| dot.add_product(a, b));
        dot
    }

    #[test]
    fn special_factors_give_what_their_product_is() {
        let (inf, nan, tiny) = (f64::INFINITY, f64::NAN, f64::from_bits(1));
        for (products, expected) in [
            (&[(inf, 2.0), (-1.0, 1e308)][..], inf),
            (&[(inf, -2.0), (1e308, 1e308)], -inf),
            (&[(inf, 1.0), (inf, -1.0)], nan),
            (&[(inf, 0.0)], nan),
            (&[(nan, 0.0), (1.0, 1.0)], nan),
            (&[(1e308, 1e308)], inf),
            (&[(1e308, -1e308)], -inf),
            (&[(tiny, tiny)], 0.0),
            (&[(tiny, -tiny)], -0.0),
            (&[(-0.0, 1.0), (0.0, -5.0)], 0.0),
            (&[], 0.0),
        ] {
            let expected = if expected.is_nan() { f64::from_bits(0x7ff8_0000_0000_0000) } else { expected };
            assert_eq!(dot(products).value().to_bits(), expected.to_bits(), "{products:?}");
            let (a, b): (std::vec::Vec<f64>, std::vec::Vec<f64>) = products.iter().copied().unzip();
            let mut slices = ExactDot::new();
            slices.add_products(&a, &b);
            assert_eq!(slices.words(), dot(products).words(), "{products:?}");
        }
    }

    #[test]
    fn terms_and_products_are_added_to_one_total() {
        let mut sum = dot(&[(3.0, 0.5), (1e300, 1e300)]);
        sum.add(1e-300);
        sum.subtract_product(1e300, 1e300);
        let mut terms = ExactSum::new();
        terms.add_slice(&[-1.5, 0.25]);
        sum.merge_sum(&terms);
        sum.subtract_product(0.5, 0.5);
        assert_eq!(sum.value(), 1e-300);
        assert!(sum.is_intact() && !sum.is_zero());
        let mut zero = sum.clone();
        zero.subtract_product(1e-300, 1.0);
        assert!(zero.is_zero());
        sum.clear();
        assert_eq!(sum.words(), ExactDot::new().words());
    }
}
