//! Inverse hyperbolic functions.
//!
//! ```text
//! asinh |x| = ln (1 + f),  f = |x| + x^2 / (1 + sqrt (1 + x^2))
//! acosh x   = ln (1 + f),  f = t + sqrt (2 t + t^2),  t = x - 1
//! atanh |x| = ln (1 + f) / 2,  f = 2 |x| / (1 - |x|)
//! ```
//!
//! f is kept in two parts, so that nothing cancels at small arguments. Where x^2 would overflow, f is 2 |x|.

use crate::double_double::*;
use crate::log::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { INVERSE_HYPERBOLIC;
    /// ln 2 |x| for |x| > 1e150, where 1 is less than an ulp of x^2; infinity for infinity.
    scalar fn log_of_double(size: V<f64>) -> V<f64> {
        if (all(size.eq(infinity(size)))) { return size; }
        let p = log_parts(size, 1.0);
        return log_total(p.k, p.m - 1.0, number(0.0));
    }

    lanes fn asinh_common(x: V<N>) -> Checked<N> {
        let size = x.abs();
        let square = two_square(size);
        let above = two_sum(number(1.0), square.high);
        let root = double_root(pair(above.high, above.low + square.low));
        let below = two_sum(number(1.0), root.high);
        let halves = quotient(square, pair(below.high, below.low + root.low));
        let rest = ordered_sum(halves.high, halves.low);
        let f = ordered_sum(size, rest.high);
        let value = log_of_one_and(pair(f.high, f.low + rest.low));
        return checked(select(size.lt(3.725290298461914e-9), x, with_sign(value, x)), size.le(1.0e150));
    }

    scalar fn asinh_rare(x: V<f64>) -> V<f64> {
        if (!all(x.eq(x))) { return not_a_number(x); }
        return with_sign(log_of_double(x.abs()), x);
    }

    /// The inverse of sinh. Short way: at most 1e150 in magnitude; largest error seen 0.69 ulp. x for zeros and infinities.
    public fn asinh(x) = asinh_common, asinh_rare, asinh_one, sm_asinh;

    lanes fn acosh_common(x: V<N>) -> Checked<N> {
        let t = ordered_sum(x, number(-1.0));
        let square = double_square(t);
        let sum = two_sum(square.high, 2.0 * t.high);
        let root = double_root(pair(sum.high, sum.low + (square.low + 2.0 * t.low)));
        let f = ordered_sum(root.high, t.high);
        let value = log_of_one_and(pair(f.high, f.low + (root.low + t.low)));
        return checked(value, number(1.0).le(x) & x.le(1.0e150));
    }

    scalar fn acosh_rare(x: V<f64>) -> V<f64> {
        if (all(x.lt(1.0)) | !all(x.eq(x))) { return not_a_number(x); }
        return log_of_double(x);
    }

    /// The inverse of cosh, +0 for 1. Short way: 1 to 1e150; largest error seen 0.67 ulp. NaN for x < 1, infinity for infinity.
    public fn acosh(x) = acosh_common, acosh_rare, acosh_one, sm_acosh;

    lanes fn atanh_common(x: V<N>) -> Checked<N> {
        let size = x.abs();
        let halves = quotient(pair(size + size, number(0.0)), ordered_sum(number(1.0), -size));
        let value = 0.5 * log_of_one_and(ordered_sum(halves.high, halves.low));
        return checked(select(size.lt(3.725290298461914e-9), x, with_sign(value, x)), size.lt(1.0));
    }

    scalar fn atanh_rare(x: V<f64>) -> V<f64> {
        if (all(x.abs().eq(1.0))) { return with_sign(infinity(x), x); }
        return not_a_number(x);
    }

    /// The inverse of tanh. Short way: |x| < 1; largest error seen 0.67 ulp. x for zeros, infinities for +-1, NaN beyond.
    public fn atanh(x) = atanh_common, atanh_rare, atanh_one, sm_atanh;
}
