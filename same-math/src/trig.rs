//! Sine, cosine and tangent.
//!
//! ```text
//! x = n pi / 2 + r, z = r^2
//! sin r = r + r z S(z), cos r = 1 - z / 2 + z^2 C(z)
//! ```
//!
//! n decides which of the two is the result, and its sign. z / 2 is kept as two numbers, the greater of which is exact.

use crate::double_double::*;
use crate::number::Number;
use crate::reduce::*;
use crate::text::text;
use crate::value::*;

text! { TRIG;
    const SIN_0: f64 = -0.16666666666666666;
    const SIN_1: f64 = 0.008333333333333323;
    const SIN_2: f64 = -0.00019841269841254725;
    const SIN_3: f64 = 2.7557319214025154e-06;
    const SIN_4: f64 = -2.505210487134952e-08;
    const SIN_5: f64 = 1.6058361806465589e-10;
    const SIN_6: f64 = -7.578471952611398e-13;
    const COS_0: f64 = 0.04166666666666665;
    const COS_1: f64 = -0.001388888888888281;
    const COS_2: f64 = 2.4801587294602085e-05;
    const COS_3: f64 = -2.7557315729188357e-07;
    const COS_4: f64 = 2.0875896223133832e-09;
    const COS_5: f64 = -1.1367892732172352e-11;

    const TRIG_LIMIT: f64 = 25735.0;

    /// z = r^2, rounded once, and z / 2 as a sum of two parts, the first exact.
    record Square square { z: V<N>, half: V<N>, half_rest: V<N> }

    lanes fn square_of(r: V<N>) -> Square<N> {
        let upper_r = upper(r);
        return square(r * r, 0.5 * (upper_r * upper_r), 0.5 * ((r - upper_r) * (r + upper_r)));
    }

    /// cos r as a greater part and a remainder, given C(z).
    lanes fn cos_parts(a: Angle<N>, s: Square<N>, series: V<N>) -> Double<N> {
        let one = ordered_sum(number(1.0), -s.half);
        return pair(one.high, one.low + (((s.z * s.z) * series - a.r * a.low) - s.half_rest));
    }

    /// sin r or cos r. The two series share one form whose coefficients depend on which it is: COS_6 would be 0.
    lanes fn wave_of(a: Angle<N>, sine: M<N>) -> V<N> {
        let s = square_of(a.r);
        let z2 = s.z * s.z;
        let z4 = z2 * z2;
        let front = select(sine, SIN_1, COS_1) + select(sine, SIN_2, COS_2) * s.z;
        let middle = select(sine, SIN_3, COS_3) + select(sine, SIN_4, COS_4) * s.z;
        let back = select(sine, SIN_5, COS_5) + blend(sine, SIN_6, 0.0) * s.z;
        let series = select(sine, SIN_0, COS_0) + s.z * ((front + middle * z2) + back * z4);
        let c = cos_parts(a, s, series);
        let sin_rest = (a.r * s.z) * series + a.low * (1.0 - s.half);
        return blend(sine, a.r + sin_rest, c.high + c.low);
    }

    /// The lowest two bits of an integer number of quarters, moved to the places of a sign and of the exponent of 2: 0
    /// or -0 if it is even.
    lanes fn quarter_bits(quarters: B<N>) -> V<N> {
        return from_bits(quarters << 62);
    }

    lanes fn sin_of(a: Angle<N>) -> V<N> {
        let quarters = quarter_bits(a.quarters);
        return from_bits(to_bits(wave_of(a, quarters.eq(0.0))) ^ (to_bits(quarters) & 0x8000000000000000));
    }

    lanes fn cos_of(a: Angle<N>) -> V<N> {
        let quarters = quarter_bits(a.quarters + 1);
        return from_bits(to_bits(wave_of(a, quarters.eq(0.0))) ^ (to_bits(quarters) & 0x8000000000000000));
    }

    /// SIN_0 in two parts, the first of 26 bits.
    const SIN_0_HIGH: f64 = -0.1666666641831398;
    const SIN_0_LOW: f64 = -2.4835268563894175e-09;

    /// sin r to a relative 2^-60, given S(z) - SIN_0: r^3 is in two parts as well.
    lanes fn long_sin(a: Angle<N>, z: V<N>, after: V<N>) -> Double<N> {
        let r_upper = upper(a.r);
        let r_lower = a.r - r_upper;
        let square = r_upper * r_upper;
        let square_upper = upper(square);
        let square_lower = (square - square_upper) + r_lower * (a.r + r_upper);
        let cube = upper(a.r * z);
        let cube_lower = (r_upper * square_upper - cube) + (r_lower * square_upper + a.r * square_lower);
        let first = ordered_sum(a.r, cube * SIN_0_HIGH);
        let rest = (cube * (SIN_0_LOW + after) + cube_lower * (SIN_0 + after)) + a.low * (1.0 - 0.5 * square);
        return ordered_sum(first.high, first.low + rest);
    }

    lanes fn tan_of(a: Angle<N>) -> V<N> {
        let even = quarter_bits(a.quarters).eq(0.0);
        let z = a.r * a.r;
        let z2 = z * z;
        let z4 = z2 * z2;
        let both = cubics(z, z2, SIN_1, SIN_2, SIN_3, SIN_4, COS_1, COS_2, COS_3, COS_4);
        let s = long_sin(a, z, z * (both.first + (SIN_5 + SIN_6 * z) * z4));
        let series = COS_0 + z * (both.second + COS_5 * z4);
        let parts = cos_parts(a, square_of(a.r), series);
        let c = ordered_sum(parts.high, parts.low);
        let above = pair(blend(even, s.high, -c.high), blend(even, s.low, -c.low));
        let below = pair(blend(even, c.high, s.high), blend(even, c.low, s.low));
        let value = quotient(above, below);
        return value.high + value.low;
    }

    lanes fn sin_common(x: V<N>) -> Checked<N> {
        let value = select(x.eq(0.0), x, sin_of(angle_common(x)));
        return checked(value, x.abs().le(TRIG_LIMIT));
    }

    scalar fn sin_rare(x: V<f64>) -> V<f64> {
        if (all(x.abs().lt(infinity(x)))) { return sin_of(angle_rare(x)); }
        return not_a_number(x);
    }

    /// sin x. Short way: |x| <= 25735; largest error seen 0.82 ulp, also beyond that. NaN for infinities, x for zeros.
    public fn sin(x) = sin_common, sin_rare, sin_one, sm_sin;

    lanes fn cos_common(x: V<N>) -> Checked<N> {
        return checked(cos_of(angle_common(x)), x.abs().le(TRIG_LIMIT));
    }

    scalar fn cos_rare(x: V<f64>) -> V<f64> {
        if (all(x.abs().lt(infinity(x)))) { return cos_of(angle_rare(x)); }
        return not_a_number(x);
    }

    /// cos x. Short way: |x| <= 25735; largest error seen 0.82 ulp, also beyond that. NaN for infinities.
    public fn cos(x) = cos_common, cos_rare, cos_one, sm_cos;

    lanes fn tan_common(x: V<N>) -> Checked<N> {
        let value = select(x.abs().lt(3.725290298461914e-9), x, tan_of(angle_common(x)));
        return checked(value, x.abs().le(TRIG_LIMIT));
    }

    scalar fn tan_rare(x: V<f64>) -> V<f64> {
        if (all(x.abs().lt(infinity(x)))) { return tan_of(angle_rare(x)); }
        return not_a_number(x);
    }

    /// tan x. Short way: |x| <= 25735; largest error seen 0.68 ulp, also beyond that. NaN for infinities, x for zeros.
    public fn tan(x) = tan_common, tan_rare, tan_one, sm_tan;
}

/// [`sin()`] and [`cos()`] of the same number, with their bits.
#[inline(always)]
pub fn sin_cos<N: Number>(x: N) -> (N, N) {
    (sin(x), cos(x))
}
