//! Logarithms.
//!
//! ```text
//! x = 2^k m, sqrt(1/2) <= m < sqrt(2), f = m - 1, s = f / (2 + f)
//! ln m = ln (1 + s) - ln (1 - s) = f - h + s (h + z R(z)), h = f^2 / 2, z = s^2
//! ```
//!
//! h is kept as two numbers, the greater of which is exact. The formula is that of fdlibm.

use crate::double_double::*;
use crate::exp::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { LOG;
    const LOG_0: f64 = 0.6666666666666735;
    const LOG_1: f64 = 0.3999999999940701;
    const LOG_2: f64 = 0.2857142874425772;
    const LOG_3: f64 = 0.2222219836559642;
    const LOG_4: f64 = 0.18183575881156705;
    const LOG_5: f64 = 0.1531373632862304;
    const LOG_6: f64 = 0.14799271202136;
    const LOG2_E_HIGH: f64 = 1.4426946640014648;
    const LOG2_E_LOW: f64 = 3.768874985636099e-07;

    /// x = 2^k m; `inverse` is 2^-k.
    record Parts parts { k: V<N>, m: V<N>, inverse: V<N> }

    /// The exponent and the remaining factor; `places` is added to the exponent.
    lanes fn log_parts(x: V<N>, places: f64) -> Parts<N> {
        // The exponent field of x / sqrt(1/2), plus one if the mantissa is greater.
        let shifted = to_bits(x) + 0x00095f619980c433;
        let k = from_bits((shifted >> 52) | 0x4330000000000000) - (4503599627371519.0 - places);
        let m = from_bits((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
        let inverse = from_bits((to_bits(m) & 0) + 0x7fe0000000000000 - (shifted & 0xfff0000000000000));
        return parts(k, m, inverse);
    }

    /// f - h and what follows: f exact, f^2 / 2 in two parts.
    record Series series { f: V<N>, half_square: V<N>, rest: V<N> }

    lanes fn log_series(f: V<N>) -> Series<N> {
        let s = f / (2.0 + f);
        let z = s * s;
        let z2 = z * z;
        let after = cubic(z, z2, LOG_1, LOG_2, LOG_3, LOG_4) + (LOG_5 + LOG_6 * z) * (z2 * z2);
        let tail = z * (LOG_0 + z * after);
        let f_upper = upper(f);
        let half_square = 0.5 * (f_upper * f_upper);
        let half_square_low = 0.5 * ((f - f_upper) * (f + f_upper));
        let rest = s * ((half_square + half_square_low) + tail) - half_square_low;
        return series(f, half_square, rest);
    }

    /// k ln 2 + ln (1 + f), f = m - 1, and `more`, which is small.
    lanes fn log_total(k: V<N>, f: V<N>, more: V<N>) -> V<N> {
        let a = log_series(f);
        let first = ordered_sum(k * LN2_HIGH, a.f);
        let second = ordered_sum(first.high, -a.half_square);
        return second.high + (((second.low + first.low) + (a.rest + k * LN2_LOW)) + more);
    }

    lanes fn is_normal_positive(x: V<N>) -> M<N> {
        return number(2.2250738585072014e-308).le(x) & x.le(1.7976931348623157e308);
    }

    lanes fn ln_common(x: V<N>) -> Checked<N> {
        let p = log_parts(x, 0.0);
        return checked(log_total(p.k, p.m - 1.0, number(0.0)), is_normal_positive(x));
    }

    scalar fn ln_rare(x: V<f64>) -> V<f64> {
        if (all(x.eq(0.0))) { return -infinity(x); }
        if (all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); }
        if (all(x.eq(infinity(x)))) { return x; }
        let p = log_parts(x * 18014398509481984.0, -54.0);
        return log_total(p.k, p.m - 1.0, number(0.0));
    }

    /// ln x. Short way: normal positive x; largest error seen 0.64 ulp. -inf for zeros, NaN for x < 0.
    public fn ln(x) = ln_common, ln_rare, ln_one, sm_log;

    /// k + ln (1 + f) / ln 2: the greater part of f - h has 21 bits, and so has that of 1 / ln 2.
    lanes fn log2_total(k: V<N>, f: V<N>) -> V<N> {
        let a = log_series(f);
        let both = ordered_sum(a.f, -a.half_square);
        let high = from_bits(to_bits(both.high) & 0xffffffff00000000);
        let low = (both.high - high) + (both.low + a.rest);
        let product = high * LOG2_E_HIGH;
        let rest = (low + high) * LOG2_E_LOW + low * LOG2_E_HIGH;
        let total = ordered_sum(k, product);
        return total.high + (total.low + rest);
    }

    lanes fn log2_common(x: V<N>) -> Checked<N> {
        let p = log_parts(x, 0.0);
        return checked(log2_total(p.k, p.m - 1.0), is_normal_positive(x));
    }

    scalar fn log2_rare(x: V<f64>) -> V<f64> {
        if (all(x.eq(0.0))) { return -infinity(x); }
        if (all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); }
        if (all(x.eq(infinity(x)))) { return x; }
        let p = log_parts(x * 18014398509481984.0, -54.0);
        return log2_total(p.k, p.m - 1.0);
    }

    /// log2 x, exact for powers of two. Short way: normal positive x; largest error seen 0.71 ulp. -inf for zeros, NaN
    /// for x < 0.
    public fn log2(x) = log2_common, log2_rare, log2_one, sm_log2;

    /// The leading 32 bits of 1 / ln 10, and the rest.
    const LOG10_E_HIGH: f64 = 0.4342944818781689;
    const LOG10_E_LOW: f64 = 2.5082946711645275e-11;

    /// k log10 2 + ln (1 + f) / ln 10, as for log2.
    lanes fn log10_total(k: V<N>, f: V<N>) -> V<N> {
        let a = log_series(f);
        let both = ordered_sum(a.f, -a.half_square);
        let high = from_bits(to_bits(both.high) & 0xffffffff00000000);
        let low = (both.high - high) + (both.low + a.rest);
        let product = high * LOG10_E_HIGH;
        let rest = (low + high) * LOG10_E_LOW + low * LOG10_E_HIGH;
        let total = ordered_sum(k * LOG10_2_HIGH, product);
        return total.high + (total.low + (rest + k * LOG10_2_LOW));
    }

    lanes fn log10_common(x: V<N>) -> Checked<N> {
        let p = log_parts(x, 0.0);
        return checked(log10_total(p.k, p.m - 1.0), is_normal_positive(x));
    }

    scalar fn log10_rare(x: V<f64>) -> V<f64> {
        if (all(x.eq(0.0))) { return -infinity(x); }
        if (all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); }
        if (all(x.eq(infinity(x)))) { return x; }
        let p = log_parts(x * 18014398509481984.0, -54.0);
        return log10_total(p.k, p.m - 1.0);
    }

    /// log10 x, exact for powers of ten. Short way: normal positive x; largest error seen 0.70 ulp. -inf for zeros, NaN for
    /// x < 0.
    public fn log10(x) = log10_common, log10_rare, log10_one, sm_log10;

    /// 1 + x = 2^k (1 + f + e), e the remainder of f; `inverse` is 2^-k.
    record OneAnd one_and { k: V<N>, f: V<N>, e: V<N>, inverse: V<N> }

    lanes fn log_one_and(x: V<N>) -> OneAnd<N> {
        let u = two_sum(number(1.0), x);
        let p = log_parts(u.high, 0.0);
        let c = u.low * p.inverse;
        let difference_from_one = p.m - 1.0;
        let f = difference_from_one + c;
        return one_and(p.k, f, (difference_from_one - f) + c, p.inverse);
    }

    /// k ln 2 + ln (1 + f) + e / (1 + f).
    lanes fn log_of_parts(a: OneAnd<N>, e: V<N>) -> V<N> {
        return log_total(a.k, a.f, e * (1.0 - a.f * (1.0 - a.f)));
    }

    /// ln (1 + x), x > -1 in two parts.
    lanes fn log_of_one_and(x: Double<N>) -> V<N> {
        let a = log_one_and(x.high);
        return log_of_parts(a, a.e + x.low * a.inverse);
    }

    lanes fn ln_1p_common(x: V<N>) -> Checked<N> {
        let a = log_one_and(x);
        let value = log_of_parts(a, a.e);
        let result = select(x.abs().lt(0.00000000000000001), x, value);
        return checked(result, number(-1.0).lt(x) & x.lt(1.0e300));
    }

    scalar fn ln_1p_rare(x: V<f64>) -> V<f64> {
        if (all(x.eq(-1.0))) { return -infinity(x); }
        if (all(x.lt(-1.0)) | !all(x.eq(x))) { return not_a_number(x); }
        if (all(x.eq(infinity(x)))) { return x; }
        return ln_common(x).value;
    }

    /// ln (1 + x). Short way: -1 < x < 1e300; largest error seen 0.63 ulp. -inf for -1, NaN below, x for zeros.
    public fn ln_1p(x) = ln_1p_common, ln_1p_rare, ln_1p_one, sm_log1p;
}
