//! Powers.
//!
//! ```text
//! x^y = 2^(y log2 x), log2 x = k + s (C1 + z (C3 + z T(z)))
//! x = 2^k m, s = (m - 1) / (m + 1), z = s^2, C1 = 2 / ln 2, C3 = C1 / 3
//! ```
//!
//! s, z, C1, C3, the logarithm and its product with y are in two numbers each; the logarithm is accurate to a relative
//! 2^-64.

use crate::double_double::*;
use crate::exp::*;
use crate::log::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { POW;
    const POW_0: f64 = 0.5770780163555853;
    const POW_1: f64 = 0.4121985831111959;
    const POW_2: f64 = 0.32059889794806196;
    const POW_3: f64 = 0.26230819455848814;
    const POW_4: f64 = 0.22195253182632876;
    const POW_5: f64 = 0.1923919898170842;
    const POW_6: f64 = 0.16862646396584202;
    const POW_7: f64 = 0.17147528626182812;
    const POW_C1_HIGH: f64 = 2.8853900817779268;
    const POW_C1_LOW: f64 = 4.0710547481862066e-17;
    const POW_C3_HIGH: f64 = 0.9617966939259756;
    const POW_C3_LOW: f64 = 5.0577616648125907e-17;

    /// POW_0 in two parts, the first of 26 bits.
    const POW_0_HIGH: f64 = 0.5770780146121979;
    const POW_0_LOW: f64 = 1.7433874344163769e-09;

    /// log2 (x 2^places) for a normal positive x. First parts have 26 bits or are products of two such parts, so their
    /// products are exact; second parts, which wait for the polynomial, form a separate chain.
    lanes fn long_log2(x: V<N>, places: f64) -> Double<N> {
        let p = log_parts(x, places);
        let f = p.m - 1.0;
        let below = ordered_sum(number(2.0), f);
        let inverse = 1.0 / below.high;
        let below_high = upper(below.high);
        let below_low = (below.high - below_high) + below.low;
        let s = f * inverse;
        let s_high = upper(s);
        let s_low = ((f - s_high * below_high) - s_high * below_low) * inverse;
        let square = s_high * s_high;
        let z_high = upper(square);
        let z_low = (square - z_high) + s_low * (s_high + s);
        let z = s * s;
        let w = z * z;
        let both = cubic_and_square(z, w, POW_1, POW_2, POW_3, POW_4, POW_5, POW_6, POW_7);
        let series = both.first + both.second * (w * w);
        let fifth = z_high * POW_0_HIGH;
        let third = upper(POW_C3_HIGH + fifth);
        let third_low = (w * series + (z_high * POW_0_LOW + z_low * POW_0))
            + (POW_C3_LOW + (fifth - (third - POW_C3_HIGH)));
        let curved = z_high * third;
        let first = upper(POW_C1_HIGH + curved);
        let first_low = (z * third_low + z_low * third) + (POW_C1_LOW + (curved - (first - POW_C1_HIGH)));
        let fraction = s_high * first;
        let total = upper(p.k + fraction);
        return pair(total, (s * first_low + s_low * first) + (fraction - (total - p.k)));
    }

    /// 2^k value = x^y; k + TO_INTEGER; the exponent y log2 x.
    record Power power { shifted: V<N>, k: V<N>, value: V<N>, exponent: V<N> }

    lanes fn power_of(logarithm: Double<N>, y: V<N>) -> Power<N> {
        let y_high = upper(y);
        let product = y_high * logarithm.high;
        let product_low = (y - y_high) * logarithm.high + y * logarithm.low;
        let exponent = product + product_low;
        let shifted = exponent + TO_INTEGER;
        let k = shifted - TO_INTEGER;
        let f = two_sum(product - k, product_low);
        return power(shifted, k, exp2_of_fraction(f.high, f.low), exponent);
    }

    lanes fn powf_common(x: V<N>, y: V<N>) -> Checked<N> {
        let a = power_of(long_log2(x, 0.0), y);
        let value = from_bits(to_bits(a.value) + (to_bits(a.shifted) << 52));
        return checked(value, is_normal_positive(x) & a.exponent.abs().le(1021.0) & y.abs().lt(1.0e300));
    }

    scalar fn is_integer(y: V<f64>) -> bool {
        let size = y.abs();
        return all(number(4503599627370496.0).le(size) | ((size + 4503599627370496.0) - 4503599627370496.0).eq(size));
    }

    scalar fn powf_rare(x: V<f64>, y: V<f64>) -> V<f64> {
        let zero = number(0.0);
        let one = number(1.0);
        if (all(y.eq(0.0) | x.eq(1.0))) { return one; }
        if (!all(x.eq(x) & y.eq(y))) { return not_a_number(x); }
        let size = x.abs();
        let odd = is_integer(y) & !is_integer(y * 0.5);
        let mut result_sign = one;
        if (odd) { result_sign = with_sign(one, x); }
        if (all(size.eq(0.0) | size.eq(infinity(x)))) {
            if (all(size.eq(0.0)) == all(zero.lt(y))) { return zero * result_sign; }
            return infinity(x) * result_sign;
        }
        if (all(y.abs().eq(infinity(x)))) {
            if (all(size.eq(1.0))) { return one; }
            if (all(one.lt(size)) == all(zero.lt(y))) { return infinity(x); }
            return zero;
        }
        if (all(x.lt(0.0))) { if (!is_integer(y)) { return not_a_number(x); } }
        let limited = with_sign(select(y.abs().lt(1.0e300), y.abs(), 1.0e300), y);
        let mut logarithm = long_log2(size, 0.0);
        if (all(size.lt(2.2250738585072014e-308))) { logarithm = long_log2(size * 18014398509481984.0, -54.0); }
        let exponent = limited * logarithm.high;
        if (all(number(1025.0).lt(exponent))) { return infinity(x) * result_sign; }
        if (all(exponent.lt(-1080.0))) { return zero * result_sign; }
        let a = power_of(logarithm, limited);
        return scaled(a.value, a.k) * result_sign;
    }

    /// x^y. Short way: normal positive x and a result between 2^-1021 and 2^1021; largest error seen 0.77 ulp. Special
    /// values as in IEEE 754: 1 for y = 0 and for x = 1 whatever the other is, NaN for x < 0 unless y is an integer.
    public fn powf(x, y) = powf_common, powf_rare, powf_one, sm_pow;

    /// x^n for n from 3 to 16 by products in two parts each.
    lanes fn product_power(x: V<N>, n: i32) -> Double<N> {
        let mut result = pair(x, number(0.0));
        let mut square = two_square(x);
        if ((n & 2) != 0) {
            if ((n & 1) != 0) { result = double_product(result, square); } else { result = square; }
        }
        if (n >= 4) {
            square = double_square(square);
            if ((n & 4) != 0) {
                if ((n & 3) != 0) { result = double_product(result, square); } else { result = square; }
            }
        }
        if (n >= 8) {
            square = double_square(square);
            if ((n & 8) != 0) {
                if ((n & 7) != 0) { result = double_product(result, square); } else { result = square; }
            }
        }
        if (n >= 16) { result = double_square(square); }
        return result;
    }

    /// x^n: one rounding for n from -1 to 2; products for |n| <= 16 and 2^-60 <= |x| <= 2^60; otherwise as powf.
    lanes fn powi_common(x: V<N>, n: i32) -> Checked<N> {
        if (n == 0) { return checked(number(1.0), x.eq(x) | !x.eq(x)); }
        if (n == 1) { return checked(x, x.eq(x)); }
        if (n == 2) { return checked(x * x, x.eq(x)); }
        if (n == -1) { return checked(1.0 / x, x.eq(x)); }
        let size = x.abs();
        let mut sign = number(0.0);
        if ((n & 1) != 0) { sign = x; }
        if (n >= -16) {
            if (n <= 16) {
                let usual = number(8.673617379884035e-19).le(size) & size.le(1152921504606846976.0);
                if (n > 0) { return checked(with_sign(product_power(size, n).high, sign), usual); }
                let value = quotient(pair(number(1.0), number(0.0)), product_power(size, -n));
                return checked(with_sign(value.high + value.low, sign), usual);
            }
        }
        let result = powf_common(size, from_i32(n));
        return checked(with_sign(result.value, sign), result.sure);
    }

    scalar fn powi_rare(x: V<f64>, n: i32) -> V<f64> {
        if (!all(x.eq(x))) { return not_a_number(x); }
        let result = powf_common(x.abs(), from_i32(n));
        if (!all(result.sure)) { return powf_rare(x, from_i32(n)); }
        let mut sign = number(0.0);
        if ((n & 1) != 0) { sign = x; }
        return with_sign(result.value, sign);
    }

    /// x^n for an integer n: 1 for n = 0; x, x x and 1 / x rounded once; products in two parts for |n| <= 16 and 2^-60
    /// <= |x| <= 2^60, correct to 0.5001 ulp; otherwise as `powf`, with a largest error seen of 0.77 ulp.
    public fn powi(x, n: i32) = powi_common, powi_rare, powi_one, sm_powi;
}
