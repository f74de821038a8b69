//! Powers of e and of two.
//!
//! ```text
//! e^x = 2^n e^r, n the integer nearest to x / ln 2, |r| <= ln 2 / 2
//! e^r = 1 + r + r^2 / 2 + r^3 Q(r)
//! ```
//!
//! x - n ln 2 is exact for the leading 32 bits of ln 2; the contribution of the others is kept in a second number to
//! the end.

use crate::double_double::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { EXP;
    const LOG2_E: f64 = 1.4426950408889634;
    /// The leading 32 bits of ln 2, and the rest.
    const LN2_HIGH: f64 = 0.6931471806019545;
    const LN2_LOW: f64 = -4.2009150726810846e-11;
    /// The leading 26 bits of ln 2, and the rest.
    const LN2_SPLIT_HIGH: f64 = 0.6931471824645996;
    const LN2_SPLIT_LOW: f64 = -1.904654299957768e-09;
    const LN2: f64 = 0.6931471805599453;
    const EXP_0: f64 = 0.16666666666666674;
    const EXP_1: f64 = 0.04166666666666667;
    const EXP_2: f64 = 0.008333333333322215;
    const EXP_3: f64 = 0.0013888888888880322;
    const EXP_4: f64 = 0.0001984126988656445;
    const EXP_5: f64 = 2.480158733553284e-05;
    const EXP_6: f64 = 2.7557242366720414e-06;
    const EXP_7: f64 = 2.7557262728538607e-07;
    const EXP_8: f64 = 2.5110038570654266e-08;
    const EXP_9: f64 = 2.091868762816793e-09;
    const EXP2_0: f64 = 0.24022650695910072;
    const EXP2_1: f64 = 0.05550410866482164;
    const EXP2_2: f64 = 0.009618129107628345;
    const EXP2_3: f64 = 0.0013333558146402386;
    const EXP2_4: f64 = 0.0001540353039363283;
    const EXP2_5: f64 = 1.5252733846402678e-05;
    const EXP2_6: f64 = 1.3215486590503925e-06;
    const EXP2_7: f64 = 1.0178054863209206e-07;
    const EXP2_8: f64 = 7.0549788169676755e-09;
    const EXP2_9: f64 = 4.456170547023684e-10;
    const EXP2_10: f64 = 2.5616802042769005e-11;

    /// x = n ln 2 + high - low; `shifted` is n + TO_INTEGER, whose lowest bits are those of the integer n.
    record Reduced reduced { shifted: V<N>, n: V<N>, high: V<N>, low: V<N> }

    lanes fn exp_reduced(x: V<N>) -> Reduced<N> {
        let shifted = x * LOG2_E + TO_INTEGER;
        let n = shifted - TO_INTEGER;
        return reduced(shifted, n, x - n * LN2_HIGH, n * LN2_LOW);
    }

    /// (e^r - 1 - r - r^2 / 2) / r^3.
    lanes fn exp_tail(r: V<N>) -> V<N> {
        let r2 = r * r;
        let r4 = r2 * r2;
        let both = cubics(r, r2, EXP_0, EXP_1, EXP_2, EXP_3, EXP_4, EXP_5, EXP_6, EXP_7);
        return both.first + (both.second + (EXP_8 + EXP_9 * r) * r4) * r4;
    }

    /// e^(high - low) with only one significant rounding.
    lanes fn exp_of_reduced(a: Reduced<N>) -> V<N> {
        let r = a.high - a.low;
        let r2 = r * r;
        let tail = r2 * 0.5 + (r2 * r) * exp_tail(r);
        let one = ordered_sum(number(1.0), a.high);
        return one.high + (one.low + (tail - a.low));
    }

    lanes fn exp_common(x: V<N>) -> Checked<N> {
        let a = exp_reduced(x);
        let value = exp_of_reduced(a);
        let scaled_value = from_bits(to_bits(value) + (to_bits(a.shifted) << 52));
        return checked(scaled_value, x.abs().le(708.0));
    }

    scalar fn exp_rare(x: V<f64>) -> V<f64> {
        if (all(x.lt(-746.0))) { return number(0.0); }
        if (all(x.le(710.0))) {
            let a = exp_reduced(x);
            return scaled(exp_of_reduced(a), a.n);
        }
        if (all(x.eq(x))) { return infinity(x); }
        return not_a_number(x);
    }

    /// e^x. Short way: |x| <= 708; largest error seen 0.66 ulp, 0.77 where the result is subnormal. e^-inf = 0, e^inf =
    /// inf.
    public fn exp(x) = exp_common, exp_rare, exp_one, sm_exp;

    /// 2^(f + low) for |f| <= 1/2 and |low| <= 2^-54.
    lanes fn exp2_of_fraction(f: V<N>, low: V<N>) -> V<N> {
        let f_upper = upper(f);
        let high = f_upper * LN2_SPLIT_HIGH;
        let rest = f_upper * LN2_SPLIT_LOW + (f - f_upper) * LN2;
        let f2 = f * f;
        let f4 = f2 * f2;
        let both = cubics(f, f2, EXP2_0, EXP2_1, EXP2_2, EXP2_3, EXP2_4, EXP2_5, EXP2_6, EXP2_7);
        let back = both.second + ((EXP2_8 + EXP2_9 * f) + EXP2_10 * f2) * f4;
        let tail = f2 * (both.first + back * f4);
        let one = ordered_sum(number(1.0), high);
        return one.high + (one.low + (tail + (rest + low * LN2 * one.high)));
    }

    lanes fn exp2_common(x: V<N>) -> Checked<N> {
        let shifted = x + TO_INTEGER;
        let value = exp2_of_fraction(x - (shifted - TO_INTEGER), number(0.0));
        return checked(from_bits(to_bits(value) + (to_bits(shifted) << 52)), x.abs().le(1021.0));
    }

    scalar fn exp2_rare(x: V<f64>) -> V<f64> {
        if (all(x.lt(-1080.0))) { return number(0.0); }
        if (all(x.lt(1024.0))) {
            let n = (x + TO_INTEGER) - TO_INTEGER;
            return scaled(exp2_of_fraction(x - n, number(0.0)), n);
        }
        if (all(x.eq(x))) { return infinity(x); }
        return not_a_number(x);
    }

    /// 2^x, exact for integers. Short way: |x| <= 1021; largest error seen 0.65 ulp, 0.77 where the result is
    /// subnormal.
    public fn exp2(x) = exp2_common, exp2_rare, exp2_one, sm_exp2;

    const LOG2_10: f64 = 3.321928094887362;
    /// The leading 42 bits of log10 2, and the rest; ln 10 in two parts.
    const LOG10_2_HIGH: f64 = 0.30102999566395283;
    const LOG10_2_LOW: f64 = 2.8363394551044964e-14;
    const LN10: f64 = 2.302585092994046;
    const LN10_REST: f64 = -2.1707562233822494e-16;

    /// 10^x = 2^n e^((x - n log10 2) ln 10).
    lanes fn exp10_reduced(x: V<N>) -> Reduced<N> {
        let shifted = x * LOG2_10 + TO_INTEGER;
        let n = shifted - TO_INTEGER;
        let r = x - n * LOG10_2_HIGH;
        let product = two_product(r, number(LN10));
        return reduced(shifted, n, product.high, n * (LOG10_2_LOW * LN10) - (product.low + r * LN10_REST));
    }

    lanes fn exp10_common(x: V<N>) -> Checked<N> {
        let a = exp10_reduced(x);
        let value = exp_of_reduced(a);
        let scaled_value = from_bits(to_bits(value) + (to_bits(a.shifted) << 52));
        return checked(scaled_value, x.abs().le(307.0));
    }

    scalar fn exp10_rare(x: V<f64>) -> V<f64> {
        if (all(x.lt(-325.0))) { return number(0.0); }
        if (all(x.le(309.0))) {
            let a = exp10_reduced(x);
            return scaled(exp_of_reduced(a), a.n);
        }
        if (all(x.eq(x))) { return infinity(x); }
        return not_a_number(x);
    }

    /// 10^x, exact for integers from 0 to 22. Short way: |x| <= 307; largest error seen 0.67 ulp, 0.78 where the result is
    /// subnormal.
    public fn exp10(x) = exp10_common, exp10_rare, exp10_one, sm_exp10;

    /// E (e^r - 1) + (E - 1) with E = 2^n; E r is exact, and so is the greater part of E r^2 / 2.
    lanes fn exp_m1_common(x: V<N>) -> Checked<N> {
        let a = exp_reduced(x);
        let r = a.high - a.low;
        let r_low = (a.high - r) - a.low;
        let r_upper = upper(r);
        let half_square = 0.5 * (r_upper * r_upper);
        let rest = 0.5 * ((r - r_upper) * (r + r_upper)) + (r * r * r) * exp_tail(r);
        let e = power_of_shifted(a.shifted);
        let constant = e - 1.0;
        let constant_low = (e - constant) - 1.0;
        let first = ordered_sum(constant, e * r);
        let second = ordered_sum(first.high, e * half_square);
        let low = (second.low + first.low) + (constant_low + e * (rest + r_low * (1.0 + r)));
        let value = select(x.abs().lt(0.00000000000000001), x, second.high + low);
        return checked(value, x.abs().le(708.0));
    }

    scalar fn exp_m1_rare(x: V<f64>) -> V<f64> {
        if (all(x.lt(0.0))) { return number(-1.0); }
        return exp_rare(x);
    }

    /// e^x - 1. Short way: |x| <= 708; largest error seen 0.71 ulp. -1 for -inf, x for zeros and tiny numbers.
    public fn exp_m1(x) = exp_m1_common, exp_m1_rare, exp_m1_one, sm_expm1;
}
