//! Reciprocal square roots, and lengths.
//!
//! ```text
//! s = sqrt x rounded, d = x - s^2:         1 / sqrt x = 1 / s (1 - d / (2 x) + ...)
//! q = sqrt (x^2 + y^2) rounded, d = x^2 + y^2 - q^2:  sqrt (x^2 + y^2) = q + d / (2 q) - ...
//! ```
//!
//! The squares and their remainders are sums of two numbers, so that d is known to many digits, and what is added is below an
//! ulp: nothing but the last rounding counts.

use crate::double_double::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { ROOTS;
    /// 1 / sqrt x for an x whose square's remainder is no subnormal number.
    lanes fn rsqrt_of(x: V<N>) -> V<N> {
        let s = x.sqrt();
        let square = two_square(s);
        let d = (x - square.high) - square.low;
        let inverse = 1.0 / s;
        let one = two_product(inverse, s);
        let rest = (1.0 - one.high) - one.low;
        return inverse + inverse * (rest - 0.5 * (d * (inverse * inverse)));
    }

    lanes fn rsqrt_common(x: V<N>) -> Checked<N> {
        return checked(rsqrt_of(x), number(1.0e-280).le(x) & x.le(1.0e300));
    }

    scalar fn rsqrt_rare(x: V<f64>) -> V<f64> {
        if (all(x.eq(0.0))) { return with_sign(infinity(x), x); }
        if (all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); }
        if (all(x.eq(infinity(x)))) { return number(0.0); }
        if (all(x.lt(1.0))) { return rsqrt_of(x * 1.6069380442589903e+60) * 1.2676506002282294e+30; }
        return rsqrt_of(x * 6.223015277861142e-61) * 7.888609052210118e-31;
    }

    /// 1 / sqrt x. Short way: 1e-280 to 1e300; largest error seen 0.51 ulp. Infinity of its sign for zeros, NaN for x < 0.
    public fn rsqrt(x) = rsqrt_common, rsqrt_rare, rsqrt_one, sm_rsqrt;

    /// The length of (a, b), a >= b >= 0, neither so large nor so small that a square overflows or a's has subnormal parts.
    lanes fn length_of(a: V<N>, b: V<N>) -> V<N> {
        let a2 = two_square(a);
        let b2 = two_square(b);
        let sum = ordered_sum(a2.high, b2.high);
        let low = sum.low + (a2.low + b2.low);
        let root = double_root(pair(sum.high, low));
        return root.high + root.low;
    }

    lanes fn hypot_common(x: V<N>, y: V<N>) -> Checked<N> {
        let swapped = x.abs().lt(y.abs());
        let a = select(swapped, y.abs(), x.abs());
        let b = select(swapped, x.abs(), y.abs());
        return checked(length_of(a, b), number(1.0e-130).le(a) & a.le(1.0e150) & y.eq(y) & x.eq(x));
    }

    scalar fn hypot_rare(x: V<f64>, y: V<f64>) -> V<f64> {
        if (all(x.abs().eq(infinity(x))) | all(y.abs().eq(infinity(x)))) { return infinity(x); }
        if (!all(x.eq(x)) | !all(y.eq(y))) { return not_a_number(x); }
        let swapped = x.abs().lt(y.abs());
        let a = select(swapped, y.abs(), x.abs());
        let b = select(swapped, x.abs(), y.abs());
        if (all(a.eq(0.0))) { return a; }
        if (all(a.lt(1.0))) {
            return length_of(a * 4.149515568880993e+180, b * 4.149515568880993e+180) * 2.409919865102884e-181;
        }
        return length_of(a * 2.409919865102884e-181, b * 2.409919865102884e-181) * 4.149515568880993e+180;
    }

    /// sqrt (x^2 + y^2), without overflow or underflow on the way. Short way: the greater of x and y between 1e-130 and 1e150 in
    /// magnitude; largest error seen 0.51 ulp, 0.75 where the result is subnormal. Infinity if x or y is infinite.
    public fn hypot(x, y) = hypot_common, hypot_rare, hypot_one, sm_hypot;
}
