//! Hyperbolic functions.
//!
//! ```text
//! |x| = n ln 2 + r, E = 2^(n - 1), e = 2^(-n - 1)
//! sinh |x| = (E - e) cosh r + (E + e) sinh r
//! cosh |x| = (E + e) cosh r + (E - e) sinh r
//! tanh |x| = their quotient
//! ```
//!
//! For n = 0, the first is sinh r and the second cosh r, so small arguments need no formula of their own. tanh 20 is 1,
//! rounded, and so is that of all greater arguments.

use crate::double_double::*;
use crate::exp::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { HYPERBOLIC;
    const SINH_0: f64 = 0.16666666666666677;
    const SINH_1: f64 = 0.008333333333321615;
    const SINH_2: f64 = 0.000198412698861604;
    const SINH_3: f64 = 2.755724418005491e-06;
    const SINH_4: f64 = 2.5109045530859753e-08;
    const COSH_0: f64 = 0.04166666666666667;
    const COSH_1: f64 = 0.0013888888888880938;
    const COSH_2: f64 = 2.4801587333963164e-05;
    const COSH_3: f64 = 2.755726430543036e-07;
    const COSH_4: f64 = 2.091814092790222e-09;

    /// The ingredients of both sums: r + r_low, cosh r - 1, sinh r - r.
    record Catenary catenary { grown: V<N>, shrunk: V<N>, r: V<N>, r_low: V<N>, cosh_rest: V<N>, sinh_rest: V<N> }

    lanes fn catenary_of(size: V<N>) -> Catenary<N> {
        let a = exp_reduced(size);
        let r = a.high - a.low;
        let r_low = (a.high - r) - a.low;
        let z = r * r;
        let z2 = z * z;
        let both = cubics(z, z2, SINH_0, SINH_1, SINH_2, SINH_3, COSH_0, COSH_1, COSH_2, COSH_3);
        let s = both.first + SINH_4 * (z2 * z2);
        let c = both.second + COSH_4 * (z2 * z2);
        // The exponent fields of E and e add up to 2044.
        let grown = (to_bits(a.shifted) + 1022) << 52;
        let shrunk = (grown & 0) + 0x7fc0000000000000 - grown;
        return catenary(from_bits(grown), from_bits(shrunk), r, r_low, 0.5 * z + z2 * c, r * z * s);
    }

    /// (E - e) cosh r + (E + e) sinh r, where e may be negative.
    lanes fn hyperbolic_sum(a: Catenary<N>, e: V<N>) -> Double<N> {
        let constant = a.grown - e;
        let constant_low = (a.grown - constant) - e;
        let slope = a.grown + e;
        let first = ordered_sum(constant, a.grown * a.r);
        let second = ordered_sum(first.high, e * a.r);
        let curved = constant * (a.cosh_rest + a.r * a.r_low) + slope * (a.sinh_rest + a.r_low);
        return pair(second.high, (second.low + first.low) + (constant_low + curved));
    }

    /// sinh |x| and cosh |x|: both sums at once, as greater parts and remainders.
    record Sums sums { high: Two<N>, low: Two<N> }

    lanes fn both_sums(a: Catenary<N>) -> Sums<N> {
        let e = two(a.shrunk, -a.shrunk);
        let grown = two(a.grown, a.grown);
        let constant = grown - e;
        let constant_low = (grown - constant) - e;
        let slope = grown + e;
        let greater_slope = a.grown * a.r;
        let rising = two(greater_slope, greater_slope);
        let falling = e * two(a.r, a.r);
        let first = constant + rising;
        let first_low = rising - (first - constant);
        let second = first + falling;
        let second_low = falling - (second - first);
        let cosh_rest = a.cosh_rest + a.r * a.r_low;
        let sinh_rest = a.sinh_rest + a.r_low;
        let curved = constant * two(cosh_rest, cosh_rest) + slope * two(sinh_rest, sinh_rest);
        return sums(second, (second_low + first_low) + (constant_low + curved));
    }

    lanes fn sinh_common(x: V<N>) -> Checked<N> {
        let size = x.abs();
        let a = catenary_of(size);
        let value = hyperbolic_sum(a, a.shrunk);
        let result = select(size.lt(3.725290298461914e-9), x, with_sign(value.high + value.low, x));
        return checked(result, size.le(708.0));
    }

    lanes fn cosh_common(x: V<N>) -> Checked<N> {
        let a = catenary_of(x.abs());
        let value = hyperbolic_sum(a, -a.shrunk);
        return checked(value.high + value.low, x.abs().le(708.0));
    }

    /// e^|x| / 2.
    scalar fn cosh_rare(x: V<f64>) -> V<f64> {
        let size = x.abs();
        if (all(size.lt(712.0))) {
            let a = exp_reduced(size);
            return scaled(exp_of_reduced(a), a.n - 1.0);
        }
        if (all(x.eq(x))) { return infinity(x); }
        return not_a_number(x);
    }

    scalar fn sinh_rare(x: V<f64>) -> V<f64> {
        if (all(x.lt(0.0))) { return -cosh_rare(x); }
        return cosh_rare(x);
    }

    /// sinh x. Short way: |x| <= 708; largest error seen 0.73 ulp. x for zeros and infinities.
    public fn sinh(x) = sinh_common, sinh_rare, sinh_one, sm_sinh;

    /// cosh x. Short way: |x| <= 708; largest error seen 0.69 ulp. inf for infinities.
    public fn cosh(x) = cosh_common, cosh_rare, cosh_one, sm_cosh;

    lanes fn tanh_common(x: V<N>) -> Checked<N> {
        let size = x.abs();
        let both = both_sums(catenary_of(lesser(size, number(20.0))));
        let high = both.high + both.low;
        let low = both.low - (high - both.high);
        let value = quotient(pair(high.first, low.first), pair(high.second, low.second));
        let result = select(size.lt(3.725290298461914e-9), x, with_sign(value.high + value.low, x));
        return checked(result, x.eq(x));
    }

    scalar fn tanh_rare(x: V<f64>) -> V<f64> {
        return not_a_number(x);
    }

    /// tanh x. Short way: all but NaN; largest error seen 0.75 ulp. +-1 for infinities, x for zeros.
    public fn tanh(x) = tanh_common, tanh_rare, tanh_one, sm_tanh;
}
