//! Correctly rounded dot products.
//!
//! A product of two numbers of 53 bits has 106, which two f64 can hold: p = round(a b) and its error a b - p, found by
//! Dekker's and Veltkamp's algorithms ("A floating-point technique for extending the available precision", Numer. Math.
//! 18 (1971)) without fused operations. Where these could overflow or lose bits, the significands are multiplied as
//! integers and added to a wider fixed-point number.

use core::fmt;
use core::mem::MaybeUninit;

use crate::bytes::{self, BytesError, Kind};
use crate::exact::ExactSum;
use crate::fixed_point::{DIGIT_BITS, FixedPoint};
use crate::non_finite::NonFinite;
use crate::root;
use crate::slices::Slices;
use crate::vector::processor::Registers;

/// Digits of 32 bits in a sum of products: its unit is 2^-2162, and 2^64 products stay below 2^2112.
const DIGITS: usize = 135;

/// Words of the message of a dot product: its digits, and one word of special values.
pub const DOT_WORDS: usize = DIGITS + 1;

/// Bytes of a dot product as [`ExactDot::to_bytes`] writes it.
pub const DOT_BYTES: usize = bytes::length(DOT_WORDS);

/// The unit of the sum is 2^-UNIT.
const UNIT: i32 = 2162;

/// The digit whose unit is 2^-1074.
const FIRST_OF_SUM: usize = 34;

/// The positions of 2^-1074 and of 2^-149 above the unit.
const LEAST: usize = FIRST_OF_SUM * DIGIT_BITS;
const LEAST_F32: usize = LEAST + 1074 - 149;

/// The position of 2^-2148, the product of the least numbers, above the unit.
const LEAST_PRODUCT: usize = 2162 - 2148;

/// Most products split at a time, where they do not fit in the windows, and how many are at first, and where all before them
/// have fitted.
const BLOCK: usize = 1024;
const FEW: usize = 32;

/// Factors up to this size, 2^500, are split without overflow, and so are their products.
const LARGEST_FACTOR: f64 = f64::from_bits((1023 + 500) << 52);

/// Products of at least this size, 2^-960, have errors that are multiples of 2^-1074.
const LEAST_SPLIT: f64 = f64::from_bits((1023 - 960) << 52);

/// The exact sum of products: round(a_1 b_1 + a_2 b_2 + ... + a_n b_n), rounded once, when the value is asked for.
///
/// No product overflows, underflows or loses a bit on the way: 1e300 1e300 - 1e300 1e300 + 1e-300 1e-200 has the sum
/// 1e-500, which rounds to zero, with its sign. An infinite factor, or NaN, yields what IEEE 754 says of that product.
/// Up to 2^64 products. An accumulator has 3.1 KB and, like an [`ExactSum`], is plain numbers; all zeros are the empty
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
    /// The window of their errors, 53 binades below.
    errors: Slices,
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
        ExactDot { sum: ExactSum::new(), errors: Slices::new(), wide: FixedPoint::new() }
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
        let (mut a, mut b) = (a, b);
        let mut block = FEW;
        while !a.is_empty() {
            let added = self.sum.add_products(&mut self.errors, [a, b], LEAST_SPLIT);
            (a, b) = (&a[added..], &b[added..]);
            // The next ones go a longer way, on which windows move.
            let next = a.len().min(block);
            block = if added > BLOCK { FEW } else { BLOCK };
            self.add_block(&a[..next], &b[..next]);
            (a, b) = (&a[next..], &b[next..]);
        }
    }

    /// Adds at most [`BLOCK`] products.
    fn add_block(&mut self, a: &[f64], b: &[f64]) {
        let mut parts = [[const { MaybeUninit::uninit() }; BLOCK]; 2];
        let [products, errors] = parts.each_mut().map(|parts| &mut parts[..a.len()]);
        let all = split_all(a, b, products, errors);
        let count = if all { a.len() } else { self.split_some(a, b, products, errors) };
        // SAFETY: so many numbers of both have been written.
        let [products, errors] = [products, errors]
            .map(|numbers| unsafe { core::slice::from_raw_parts(numbers.as_ptr().cast::<f64>(), count) });
        self.sum.add_slice(products);
        self.sum.add_slice_through(&mut self.errors, errors);
    }

    /// Writes the products that two numbers can hold, and adds the others; returns how many it has written.
    #[cold]
    fn split_some(&mut self, a: &[f64], b: &[f64], products: Room<'_>, errors: Room<'_>) -> usize {
        let mut count = 0;
        for (&a, &b) in a.iter().zip(b) {
            match split(a, b) {
                Some([product, error]) => {
                    products[count].write(product);
                    errors[count].write(error);
                    count += 1;
                }
                None => self.add_wide(a, b),
            }
        }
        count
    }

    /// Adds the products of single-precision numbers at the same places.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn add_f32_products(&mut self, a: &[f32], b: &[f32]) {
        assert_eq!(a.len(), b.len(), "a product has two factors");
        self.extend(a.iter().copied().zip(b.iter().copied()));
    }

    /// Adds the squares of numbers: [`sqrt`](ExactDot::sqrt) is then their Euclidean norm.
    pub fn add_squares(&mut self, numbers: &[f64]) {
        self.add_products(numbers, numbers);
    }

    /// Adds a term: its product with one.
    pub fn add(&mut self, term: f64) {
        self.sum.add(term);
    }

    /// Subtracts the product of two numbers.
    pub fn subtract_product(&mut self, a: f64, b: f64) {
        self.add_product(-a, b);
    }

    /// Subtracts the products of numbers at the same places.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn subtract_products(&mut self, a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len(), "a product has two factors");
        self.extend(a.iter().map(|a| -a).zip(b.iter().copied()));
    }

    /// Subtracts all products that `other` has received.
    pub fn subtract_dot(&mut self, other: &ExactDot) {
        self.wide.subtract(&other.total());
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
        self.errors.empty();
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

    /// The square root of the sum so far, rounded once: of squares, their Euclidean norm. No square overflows or
    /// underflows on the way. NaN for negative sums.
    ///
    /// ```
    /// use exact_sum::ExactDot;
    ///
    /// let mut squares = ExactDot::new();
    /// squares.add_squares(&[3e200, 3e200, 3e200, 3e200]);
    /// assert_eq!(squares.sqrt(), 6e200);
    /// ```
    pub fn sqrt(&self) -> f64 {
        root::sqrt(self.total(), UNIT)
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
        ExactDot { wide, ..ExactDot::new() }
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
        self.sum.is_intact() && self.errors.is_intact() && self.wide.is_intact()
    }

    fn total(&self) -> FixedPoint<DIGITS> {
        let mut sum = self.sum.total();
        self.errors.add_to(&mut sum);
        let mut total = self.wide.clone();
        total.merge(&sum, FIRST_OF_SUM);
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

/// Room for as many numbers as there are products.
type Room<'a> = &'a mut [MaybeUninit<f64>];

/// Writes all products and their errors, as many as there is room for; false if some cannot be held.
fn split_all(a: &[f64], b: &[f64], products: Room<'_>, errors: Room<'_>) -> bool {
    assert!(a.len() == b.len() && a.len() == products.len() && a.len() == errors.len());
    match Registers::widest() {
        Registers::Portable => split_block(a, b, products, errors),
        // SAFETY: the processor has the registers.
        #[cfg(target_arch = "x86_64")]
        Registers::Avx2 | Registers::Avx512 => unsafe { split_block_fused(a, b, products, errors) },
    }
}

/// Writes all products and their errors; false if some cannot be held.
#[inline(always)]
fn split_block(a: &[f64], b: &[f64], products: Room<'_>, errors: Room<'_>) -> bool {
    let mut all = true;
    for (((&a, &b), into_product), into_error) in a.iter().zip(b).zip(products).zip(errors) {
        let (product, error, exact) = two_product(a, b);
        into_product.write(product);
        into_error.write(error);
        all &= exact;
    }
    all
}

/// The same with a fused operation for the error, in registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn split_block_fused(a: &[f64], b: &[f64], products: Room<'_>, errors: Room<'_>) -> bool {
    use core::arch::x86_64::*;
    let (zero, sign) = (_mm256_setzero_pd(), _mm256_set1_pd(-0.0));
    let (least, most) = (_mm256_set1_pd(LEAST_SPLIT), _mm256_set1_pd(f64::MAX));
    let mut all = _mm256_cmp_pd::<_CMP_EQ_OQ>(zero, zero);
    let done = a.len() / 4 * 4;
    for i in (0..done).step_by(4) {
        let (into_product, into_error) = (&mut products[i..i + 4], &mut errors[i..i + 4]);
        // SAFETY: four numbers each.
        let (a, b) =
            unsafe { (_mm256_loadu_pd(a[i..i + 4].as_ptr()), _mm256_loadu_pd(b[i..i + 4].as_ptr())) };
        let product = _mm256_mul_pd(a, b);
        let error = _mm256_fmsub_pd(a, b, product);
        let size = _mm256_andnot_pd(sign, product);
        let zeros = _mm256_or_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(a, zero), _mm256_cmp_pd::<_CMP_EQ_OQ>(b, zero));
        let large = _mm256_or_pd(_mm256_cmp_pd::<_CMP_GE_OQ>(size, least), zeros);
        all = _mm256_and_pd(all, _mm256_and_pd(large, _mm256_cmp_pd::<_CMP_LE_OQ>(size, most)));
        // SAFETY: room for four numbers each.
        unsafe {
            _mm256_storeu_pd(into_product.as_mut_ptr().cast(), product);
            _mm256_storeu_pd(into_error.as_mut_ptr().cast(), error);
        }
    }
    let rest = split_block(&a[done..], &b[done..], &mut products[done..], &mut errors[done..]);
    rest && _mm256_movemask_pd(all) == 0xf
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
    use crate::slices::all_kinds_of_terms;

    fn dot(products: &[(f64, f64)]) -> ExactDot {
        let mut dot = ExactDot::new();
        products.iter().for_each(|&(a, b)| dot.add_product(a, b));
        dot
    }

    #[test]
    fn products_of_slices_have_the_total_of_products_one_by_one() {
        let all = all_kinds_of_terms();
        let narrow = |count: usize, odd: &[(usize, f64)]| {
            let mut factors: std::vec::Vec<f64> = (0..count).map(|i| all[i % 997] + 0.1).collect();
            odd.iter().for_each(|&(at, factor)| factors[at] = factor);
            factors
        };
        let (inf, nan, tiny) = (f64::INFINITY, f64::NAN, f64::from_bits(1));
        let ones = std::vec![1.5; 40_000];
        let odd = [(3000, 0.0), (3001, -0.0), (5000, 1e-170), (5100, 1e300), (9000, tiny), (9004, 1e-300)];
        // Large products without errors and small ones with small errors, then large ones with large errors.
        let uneven: std::vec::Vec<f64> =
            (0..9000).map(|i| if i >= 3000 { 1e11 + 0.1 * i as f64 } else { [1e12, 1e-11][i % 2] }).collect();
        let multiples = [&ones[..3000], &[0.7; 6000]].concat();
        for (a, b) in [
            (&uneven[..], &multiples[..]),
            (&all, &narrow(all.len(), &[])),
            (&all[..5000], &all[4970..9970]),
            (&narrow(40_000, &[]), &ones),
            (&narrow(40_000, &odd), &narrow(40_000, &odd)),
            (&narrow(40_000, &odd), &ones),
            (&narrow(20_000, &[(7000, inf)]), &ones[..20_000]),
            (&narrow(20_000, &[(7000, inf)]), &narrow(20_000, &[(7000, 0.0)])),
            (&narrow(20_000, &[(7001, nan)]), &ones[..20_000]),
            (&[1e-200; 9000], &[1e-200; 9000]),
            (&[f64::MAX; 9000], &[f64::MAX; 9000]),
        ] {
            let (mut alone, mut together, mut parts) = (ExactDot::new(), ExactDot::new(), ExactDot::new());
            a.iter().zip(b).for_each(|(&a, &b)| alone.add_product(a, b));
            together.add_products(a, b);
            for (a, b) in a.chunks(1777).zip(b.chunks(1777)) {
                parts.add_products(a, b);
            }
            assert_eq!(together.words(), alone.words());
            assert_eq!(parts.words(), alone.words());
        }
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
