//! Sums and products with their errors, numbers in two parts, and pieces of polynomials.
//!
//! Without fused operations, a product's error needs halves of the factors. The upper half drops the lower 27 bits of
//! the mantissa, so that it has 26 bits and the lower half 27.
//!
//! Source: Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18, 1971,
//! DOI 10.1007/BF01397083.

use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { DOUBLE_DOUBLE;
    /// A result, and the lanes in which it is certain.
    record Checked checked { value: V<N>, sure: M<N> }

    /// The sum of two numbers, of which the second is at most about half an ulp of the first.
    record Double pair { high: V<N>, low: V<N> }

    /// The upper 26 bits.
    lanes fn upper(a: V<N>) -> V<N> {
        return from_bits(to_bits(a) & 0xfffffffff8000000);
    }

    /// a + b exactly, for |a| >= |b| or a = 0.
    lanes fn ordered_sum(a: V<N>, b: V<N>) -> Double<N> {
        let high = a + b;
        return pair(high, b - (high - a));
    }

    /// a + b exactly.
    lanes fn two_sum(a: V<N>, b: V<N>) -> Double<N> {
        let high = a + b;
        let of_b = high - a;
        return pair(high, (a - (high - of_b)) + (b - of_b));
    }

    /// a + b to a relative 2^-104 or so of the greater.
    lanes fn double_sum(a: Double<N>, b: Double<N>) -> Double<N> {
        let high = two_sum(a.high, b.high);
        let low = two_sum(a.low, b.low);
        let first = ordered_sum(high.high, high.low + low.high);
        return ordered_sum(first.high, first.low + low.low);
    }

    /// a b, exactly but for the last bit or two of the lower part.
    lanes fn two_product(a: V<N>, b: V<N>) -> Double<N> {
        let high = a * b;
        let a_upper = upper(a);
        let a_lower = a - a_upper;
        let b_upper = upper(b);
        let b_lower = b - b_upper;
        return pair(high, (((a_upper * b_upper - high) + a_upper * b_lower) + a_lower * b_upper) + a_lower * b_lower);
    }

    /// a^2, exactly but for the last bit or two of the lower part.
    lanes fn two_square(a: V<N>) -> Double<N> {
        let high = a * a;
        let a_upper = upper(a);
        let a_lower = a - a_upper;
        return pair(high, ((a_upper * a_upper - high) + 2.0 * (a_upper * a_lower)) + a_lower * a_lower);
    }

    /// a b to a relative 2^-102 or so.
    lanes fn double_product(a: Double<N>, b: Double<N>) -> Double<N> {
        let p = two_product(a.high, b.high);
        return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
    }

    /// c + a b, c in two parts.
    lanes fn plus_product(c: f64, c_rest: f64, a: Double<N>, b: Double<N>) -> Double<N> {
        return double_sum(pair(number(c), number(c_rest)), double_product(a, b));
    }

    /// a^2 to a relative 2^-102 or so.
    lanes fn double_square(a: Double<N>) -> Double<N> {
        let p = two_square(a.high);
        return ordered_sum(p.high, p.low + 2.0 * (a.high * a.low));
    }

    /// a / b to a relative 2^-76: the first part has 26 bits, and its product with the first 26 bits of b is exact.
    lanes fn quotient(a: Double<N>, b: Double<N>) -> Double<N> {
        let inverse = 1.0 / b.high;
        let q = upper(a.high * inverse);
        let b_upper = upper(b.high);
        let b_lower = (b.high - b_upper) + b.low;
        return pair(q, (((a.high - q * b_upper) - q * b_lower) + a.low) * inverse);
    }

    /// The root of a >= 0 to a relative 2^-100 or so.
    lanes fn double_root(a: Double<N>) -> Double<N> {
        let q = a.high.sqrt();
        let square = two_square(q);
        let d = ((a.high - square.high) - square.low) + a.low;
        return pair(q, d / ((q + q) + 1.0e-300));
    }

    /// c0 + c1 t + c2 t^2 + c3 t^3, given t^2, with few operations that wait for each other.
    lanes fn cubic(t: V<N>, t2: V<N>, c0: f64, c1: f64, c2: f64, c3: f64) -> V<N> {
        return (c0 + c1 * t) + (c2 + c3 * t) * t2;
    }

    /// Such a polynomial, a, and one of the second degree, b.
    lanes fn cubic_and_square(t: V<N>, t2: V<N>, a0: f64, a1: f64, a2: f64, a3: f64, b0: f64, b1: f64, b2: f64) -> Two<N> {
        return (two(a0, b0) + two(a1, b1) * two(t, t)) + two(a2 + a3 * t, b2) * two(t2, t2);
    }

    /// The sign of `sign` on the nonnegative `magnitude`.
    lanes fn with_sign(magnitude: V<N>, sign: V<N>) -> V<N> {
        return from_bits(to_bits(magnitude) | (to_bits(sign) & 0x8000000000000000));
    }

    /// 2^52 + 2^51: a sum with it is rounded to an integer, held in its lower bits in two's complement.
    const TO_INTEGER: f64 = 6755399441055744.0;

    /// 2^k for an integer k from -1022 to 1023, given k + TO_INTEGER.
    lanes fn power_of_shifted(shifted: V<N>) -> V<N> {
        return from_bits((to_bits(shifted) + 1023) << 52);
    }

    /// 2^k for an integer k from -1022 to 1023.
    lanes fn power_of_two(k: V<N>) -> V<N> {
        return power_of_shifted(k + TO_INTEGER);
    }

    /// a 2^k with one rounding, for an a near 1 and an integer k from -1100 to 1100.
    lanes fn scaled(a: V<N>, k: V<N>) -> V<N> {
        let half = (k * 0.5 + TO_INTEGER) - TO_INTEGER;
        return (a * power_of_two(half)) * power_of_two(k - half);
    }

    /// The one NaN that the functions return.
    lanes fn not_a_number(like: V<N>) -> V<N> {
        return from_bits((to_bits(like) & 0) | 0x7ff8000000000000);
    }

    /// Infinity.
    lanes fn infinity(like: V<N>) -> V<N> {
        return from_bits((to_bits(like) & 0) | 0x7ff0000000000000);
    }
}
