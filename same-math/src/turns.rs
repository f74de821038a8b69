//! Sine and cosine of multiples of pi.
//!
//! ```text
//! x = n / 2 + r, |r| <= 1/4: exact; sin (pi x) and cos (pi x) are the sine or cosine of pi r, with a sign
//! ```

use crate::double_double::*;
use crate::number::Number;
use crate::reduce::*;
use crate::text::text;
use crate::trig::*;
use crate::value::*;

text! { TURNS;
    const PI_HIGH: f64 = 3.141592653589793;
    const PI_REST: f64 = 1.2246467991473532e-16;

    /// |x| <= 2^50.
    lanes fn turn(x: V<N>) -> Angle<N> {
        let shifted = x * 2.0 + TO_INTEGER;
        let r = x - 0.5 * (shifted - TO_INTEGER);
        let product = two_product(r, number(PI_HIGH));
        return angle(to_bits(shifted), product.high, product.low + r * PI_REST);
    }

    /// For multiples of 1/2 the result has no rounding, and a zero has the sign of x.
    lanes fn sin_pi_of(x: V<N>, sign: V<N>) -> V<N> {
        let value = sin_of(turn(x));
        return select(value.eq(0.0), with_sign(number(0.0), sign), value);
    }

    lanes fn cos_pi_of(x: V<N>) -> V<N> {
        return cos_of(turn(x)) + 0.0;
    }

    /// |x| - 2 n for an integer n, at most 1 in magnitude; |x| < 2^53.
    lanes fn less_whole_turns(x: V<N>) -> V<N> {
        let half = 0.5 * x.abs();
        return x.abs() - 2.0 * ((half + 4503599627370496.0) - 4503599627370496.0);
    }

    lanes fn sin_pi_common(x: V<N>) -> Checked<N> {
        return checked(sin_pi_of(x, x), number(1.0e-280).le(x.abs()) & x.abs().le(1125899906842624.0));
    }

    scalar fn sin_pi_rare(x: V<f64>) -> V<f64> {
        if (all(x.eq(0.0))) { return x; }
        if (all(x.abs().lt(1.0e-270))) {
            let product = two_product(x * 1.6069380442589903e+60, number(PI_HIGH));
            return (product.high + (product.low + x * 1.6069380442589903e+60 * PI_REST)) * 6.223015277861142e-61;
        }
        if (all(x.abs().lt(9007199254740992.0))) {
            let value = sin_pi_of(less_whole_turns(x), number(1.0));
            return from_bits(to_bits(value) ^ (to_bits(x) & 0x8000000000000000));
        }
        if (all(x.abs().lt(infinity(x)))) { return with_sign(number(0.0), x); }
        return not_a_number(x);
    }

    /// sin (pi x), exact for multiples of 1/2; a zero has the sign of x. Short way: 1e-280 to 2^50 in magnitude; largest error
    /// seen 0.83 ulp. NaN for infinities.
    public fn sin_pi(x) = sin_pi_common, sin_pi_rare, sin_pi_one, sm_sinpi;

    lanes fn cos_pi_common(x: V<N>) -> Checked<N> {
        return checked(cos_pi_of(x), x.abs().le(1125899906842624.0));
    }

    scalar fn cos_pi_rare(x: V<f64>) -> V<f64> {
        if (all(x.abs().lt(9007199254740992.0))) { return cos_pi_of(less_whole_turns(x)); }
        if (all(x.abs().lt(infinity(x)))) { return number(1.0); }
        return not_a_number(x);
    }

    /// cos (pi x), exact for multiples of 1/2; +0 where it is zero. Short way: |x| <= 2^50; largest error seen 0.83 ulp. NaN for
    /// infinities.
    public fn cos_pi(x) = cos_pi_common, cos_pi_rare, cos_pi_one, sm_cospi;
}
