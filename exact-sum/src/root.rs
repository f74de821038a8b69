//! Square roots of totals, rounded once.
//!
//! ```text
//! total = T 2^-unit, T an integer;  A = floor(T / 4^s) < 2^108;  M = floor(sqrt(A)) < 2^54
//! sqrt(total) = (M + rest) 2^(s - unit / 2), 0 <= rest < 1; rest = 0 where M^2 = A and A 4^s = T
//! ```
//!
//! s is the least for which M has a bit more than the result, so that this bit and whether rest = 0 decide the rounding.

use crate::fixed_point::{FixedPoint, make_positive};
use crate::slices::power_of_two;

/// Bits of M: one more than an f64.
const BITS: usize = f64::MANTISSA_DIGITS as usize + 1;

/// The exponent of half the least f64.
const HALF_LEAST: i32 = -1075;

/// The f64 nearest to the square root of a total in units of 2^-`unit`, `unit` even; NaN for negative ones.
pub(crate) fn sqrt<const DIGITS: usize>(total: FixedPoint<DIGITS>, unit: i32) -> f64 {
    if let Some(special) = total.non_finite.sum() {
        return if special > 0.0 { special } else { f64::NAN };
    }
    let mut digits = *total.digits();
    if make_positive(&mut digits) {
        return f64::NAN;
    }
    let number = crate::fixed_point::Magnitude { digits: &digits, first: 0 };
    // Half of the number's bits beyond 2 BITS, but M has no bits below half the least f64.
    let shift =
        number.bit_length().saturating_sub(2 * BITS).div_ceil(2).max((HALF_LEAST + unit / 2).max(0) as usize);
    let [low, high] = [0, 64].map(|bit| u128::from(number.bits_from(2 * shift + bit)));
    let of = high << 64 | low;
    let root = of.isqrt();
    let is_exact = root * root == of && !number.any_below(2 * shift);
    let (even, half) = (root >> 1, root & 1 == 1);
    let rounded = even + u128::from(half && (!is_exact || even & 1 == 1));
    // A product with a power of two: exact, or infinite.
    rounded as f64 * power_of_two(shift as i32 + 1 - unit / 2)
}
