//! Arc functions.
//!
//! ```text
//! atan (a / b), 0 <= a <= b: atan t for t = a / b up to sqrt(2) - 1, then pi / 4 + atan t for t = (a - b) / (b + a)
//! atan t = t + t z A(z), z = t^2
//! asin s = s + s z B(z), z = s^2 <= 1/4; beyond, pi / 2 - 2 asin s for s = sqrt((1 - x) / 2)
//! ```
//!
//! Quotients and roots have a second part, found from their product and square. Small arguments need no formula of their
//! own: below 2^-28 the series is less than a quarter of an ulp, and x is the result.

use crate::double_double::*;
use crate::number::Number;
use crate::reduce::{PI_2, PI_2_REST};
use crate::text::text;
use crate::value::*;

text! { ARC;
    const ATAN_0: f64 = -0.333333333333332;
    const ATAN_1: f64 = 0.19999999999953663;
    const ATAN_2: f64 = -0.14285714280204045;
    const ATAN_3: f64 = 0.11111110783814938;
    const ATAN_4: f64 = -0.09090897767090082;
    const ATAN_5: f64 = 0.07692060362085973;
    const ATAN_6: f64 = -0.06663105461140305;
    const ATAN_7: f64 = 0.05847897449310383;
    const ATAN_8: f64 = -0.050393311659798226;
    const ATAN_9: f64 = 0.038064965399898586;
    const ATAN_10: f64 = -0.01790735719533335;
    const ASIN_0: f64 = 0.16666666666666763;
    const ASIN_1: f64 = 0.07499999999970261;
    const ASIN_2: f64 = 0.044642857175121196;
    const ASIN_3: f64 = 0.030381942683618456;
    const ASIN_4: f64 = 0.02237221565988742;
    const ASIN_5: f64 = 0.017351600103855325;
    const ASIN_6: f64 = 0.013980961271656052;
    const ASIN_7: f64 = 0.011397777640056925;
    const ASIN_8: f64 = 0.010786519218435986;
    const ASIN_9: f64 = 0.0036830801138423453;
    const ASIN_10: f64 = 0.02176340592706115;
    const ASIN_11: f64 = -0.02107716150154832;
    const ASIN_12: f64 = 0.03267680949176345;
    /// The leading 50 bits of pi / 4, so that multiples up to 4 are exact, and the rest.
    const PI_4_HIGH: f64 = 0.7853981633974483;
    const PI_4_LOW: f64 = 3.061616997868383e-17;

    /// quarters pi / 4 + t + rest.
    record Arc arc { quarters: V<N>, t: V<N>, rest: V<N> }

    /// atan (a / b) for 0 <= a <= b.
    lanes fn arc_of(a: V<N>, b: V<N>) -> Arc<N> {
        let near_one = (b * 0.4142135623730951).lt(a);
        let less = ordered_sum(-b, a);
        let more = ordered_sum(b, a);
        let above = pair(blend(near_one, less.high, a), blend(near_one, less.low, 0.0));
        let below = pair(blend(near_one, more.high, b), blend(near_one, more.low, 0.0));
        let q = quotient(above, below);
        let t = q.high + q.low;
        let z = t * t;
        let z2 = z * z;
        let z4 = z2 * z2;
        let both = cubics(z, z2, ATAN_0, ATAN_1, ATAN_2, ATAN_3, ATAN_4, ATAN_5, ATAN_6, ATAN_7);
        let back = both.second + ((ATAN_8 + ATAN_9 * z) + ATAN_10 * z2) * z4;
        let series = both.first + back * z4;
        return arc(blend(near_one, 1.0, 0.0), q.high, (t * z) * series + q.low);
    }

    /// An arc as a number.
    lanes fn arc_sum(a: Arc<N>) -> V<N> {
        let total = ordered_sum(a.quarters * PI_4_HIGH, a.t);
        return total.high + (total.low + (a.rest + a.quarters * PI_4_LOW));
    }

    /// `turn` pi / 4 less an arc, where `mask`. A number is negated by its bits: one operation, whatever the mask.
    lanes fn turned(a: Arc<N>, turn: f64, mask: M<N>) -> Arc<N> {
        let sign = to_bits(blend(mask, -0.0, 0.0));
        return arc(
            blend(mask, turn - a.quarters, a.quarters),
            from_bits(to_bits(a.t) ^ sign),
            from_bits(to_bits(a.rest) ^ sign)
        );
    }

    lanes fn atan_common(x: V<N>) -> Checked<N> {
        let size = x.abs();
        let limited = lesser(size, number(1.0e300));
        let over = number(1.0).lt(limited);
        let first = arc_of(lesser(number(1.0), limited), greater(limited, number(1.0)));
        let value = with_sign(arc_sum(turned(first, 2.0, over)), x);
        return checked(value, x.eq(x));
    }

    scalar fn atan_rare(x: V<f64>) -> V<f64> {
        return not_a_number(x);
    }

    /// atan x. Short way: all but NaN; largest error seen 0.73 ulp. +-pi / 2 for infinities, x for zeros.
    public fn atan(x) = atan_common, atan_rare, atan_one, sm_atan;

    lanes fn atan2_of(y: V<N>, x: V<N>) -> V<N> {
        let size_x = x.abs();
        let size_y = y.abs();
        let over = size_x.lt(size_y);
        let left = with_sign(number(1.0), x).lt(0.0);
        let first = arc_of(lesser(size_x, size_y), greater(size_y, size_x));
        return with_sign(arc_sum(turned(turned(first, 2.0, over), 4.0, left)), y);
    }

    lanes fn atan2_common(y: V<N>, x: V<N>) -> Checked<N> {
        let size_x = x.abs();
        let size_y = y.abs();
        let less = lesser(size_x, size_y);
        let more = greater(size_y, size_x);
        let usual = number(1.0e-150).le(more) & more.le(1.0e150) & (number(1.0e-150).le(less) | less.eq(0.0));
        return checked(atan2_of(y, x), usual);
    }

    scalar fn atan2_rare(y: V<f64>, x: V<f64>) -> V<f64> {
        if (!all(x.eq(x) & y.eq(y))) { return not_a_number(x); }
        let size_x = x.abs();
        let size_y = y.abs();
        let zero = number(0.0);
        let one = number(1.0);
        // Infinities and zeros have directions that are multiples of pi / 4.
        if (all(size_x.eq(infinity(x)))) {
            return atan2_of(with_sign(select(size_y.eq(size_x), one, zero), y), with_sign(one, x));
        }
        if (all(size_y.eq(infinity(x)))) { return atan2_of(with_sign(one, y), zero); }
        if (all(size_y.eq(0.0))) { return atan2_of(with_sign(zero, y), with_sign(one, x)); }
        // As good as an axis: 2^-400.
        if (all(size_y.lt(size_x * 3.872591914849318e-121))) {
            if (all(zero.lt(x))) { return with_sign(size_y / size_x, y); }
            return atan2_of(with_sign(zero, y), with_sign(one, x));
        }
        if (all(size_x.lt(size_y * 3.872591914849318e-121))) { return atan2_of(with_sign(one, y), zero); }
        // By 2^-600, 2^600.
        let greater = select(size_x.lt(size_y), size_y, size_x);
        let scale = select(one.lt(greater), 2.409919865102884e-181, 4.149515568880993e180);
        return atan2_of(y * scale, x * scale);
    }

    /// The angle of the point (x, y), from -pi to pi. Short way: the greater magnitude between 1e-150 and 1e150, the
    /// lesser at least 1e-150 or zero; largest error seen 0.69 ulp. Zeros and infinities as in IEEE 754.
    public fn atan2(y, x) = atan2_common, atan2_rare, atan2_one, sm_atan2;

    /// asin of |x| or of s = sqrt((1 - |x|) / 2): the greater part and the rest.
    record ArcSine arc_sine { beyond: M<N>, s: V<N>, rest: V<N> }

    lanes fn arc_sine_of(x: V<N>) -> ArcSine<N> {
        let size = x.abs();
        let beyond = number(0.5).lt(size);
        let z = blend(beyond, (1.0 - size) * 0.5, size * size);
        let root = z.sqrt();
        let root_high = upper(root);
        let root_low = (z - root_high * root_high) / ((root_high + root) + 1.0e-300);
        let s = blend(beyond, root, size);
        let s_high = blend(beyond, root_high, size);
        let s_low = blend(beyond, root_low, 0.0);
        let z2 = z * z;
        let z4 = z2 * z2;
        let back = cubic(z, z2, ASIN_8, ASIN_9, ASIN_10, ASIN_11) + ASIN_12 * z4;
        let both = cubics(z, z2, ASIN_0, ASIN_1, ASIN_2, ASIN_3, ASIN_4, ASIN_5, ASIN_6, ASIN_7);
        let series = both.first + (both.second + back * z4) * z4;
        return arc_sine(beyond, s_high, (s * z) * series + s_low);
    }

    lanes fn asin_common(x: V<N>) -> Checked<N> {
        let a = arc_sine_of(x);
        let factor = blend(a.beyond, -2.0, 1.0);
        let total = ordered_sum(blend(a.beyond, PI_2, 0.0), factor * a.s);
        let value = total.high + (total.low + (factor * a.rest + blend(a.beyond, PI_2_REST, 0.0)));
        return checked(with_sign(value, x), x.abs().le(1.0));
    }

    scalar fn outside_of_range(x: V<f64>) -> V<f64> {
        return not_a_number(x);
    }

    /// asin x. Short way: |x| <= 1; largest error seen 0.67 ulp. NaN beyond, x for zeros.
    public fn asin(x) = asin_common, outside_of_range, asin_one, sm_asin;

    lanes fn acos_common(x: V<N>) -> Checked<N> {
        let a = arc_sine_of(x);
        let left = x.lt(0.0);
        let factor = blend(a.beyond, blend(left, -2.0, 2.0), blend(left, 1.0, -1.0));
        let quarters = blend(a.beyond, blend(left, 2.0, 0.0), 1.0);
        let total = ordered_sum(quarters * PI_2, factor * a.s);
        let value = total.high + (total.low + (factor * a.rest + quarters * PI_2_REST));
        return checked(value, x.abs().le(1.0));
    }

    /// acos x. Short way: |x| <= 1; largest error seen 0.66 ulp. NaN beyond.
    public fn acos(x) = acos_common, outside_of_range, acos_one, sm_acos;
}
