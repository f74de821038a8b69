//! The gamma function and the logarithm of its magnitude.
//!
//! ```text
//! Gamma x = Gamma y / (x (x + 1) ... (y - 1)),  y = x + n >= 32
//! ln Gamma y = (y - 1/2) (ln y - 1) + (ln (2 pi) - 1) / 2 + sum of B_2k / (2k (2k - 1) y^(2k - 1)), k = 1 to 13
//! ln |Gamma x| = ln pi - ln |x sin (pi x)| - ln Gamma (-x) for x < -64
//! ```
//!
//! All of it but the logarithms of the last line is in two numbers, to a relative 2^-93 or so: results are the nearest
//! doubles except where the exact value is that close to the middle of two. ln |Gamma| has zeros: at 1 and 2, and below
//! -2 next to every integer. Where it is below 2^-36, a series about the zero takes its place. Neither function has a
//! short way; lanes take it one by one.
//!
//! Source: Stirling's series, NIST Digital Library of Mathematical Functions, 5.11.1, with the remainder of 5.11(ii).

use crate::double_double::*;
use crate::exp::*;
use crate::log::*;
use crate::number::Number;
use crate::pow::*;
use crate::text::text;
use crate::turns::*;
use crate::value::*;

text! { GAMMA;
    /// ln 2 in three parts; products of the first two with integers up to 2^12 are exact.
    const LN2_FIRST: f64 = 0.6931471805592082;
    const LN2_SECOND: f64 = 7.371002565161996e-13;
    const LN2_THIRD: f64 = 5.8029889835956905e-25;
    /// 1 / n!.
    const BY_FACTORIAL_3: f64 = 0.16666666666666666;
    const BY_FACTORIAL_3_REST: f64 = 9.25185853854297e-18;
    const BY_FACTORIAL_4: f64 = 0.041666666666666664;
    const BY_FACTORIAL_4_REST: f64 = 2.3129646346357427e-18;
    const BY_FACTORIAL_5: f64 = 0.008333333333333333;
    const BY_FACTORIAL_5_REST: f64 = 1.1564823173178714e-19;
    const BY_FACTORIAL_6: f64 = 0.001388888888888889;
    const BY_FACTORIAL_6_REST: f64 = -5.300543954373577e-20;
    const BY_FACTORIAL_7: f64 = 0.0001984126984126984;
    const BY_FACTORIAL_8: f64 = 2.48015873015873e-05;
    const BY_FACTORIAL_9: f64 = 2.7557319223985893e-06;
    const BY_FACTORIAL_10: f64 = 2.755731922398589e-07;
    const BY_FACTORIAL_11: f64 = 2.505210838544172e-08;
    const BY_FACTORIAL_12: f64 = 2.08767569878681e-09;
    /// (ln (2 pi) - 1) / 2.
    const LN_ROOT_2_PI_LESS_HALF: f64 = 0.4189385332046727;
    const LN_ROOT_2_PI_LESS_HALF_REST: f64 = 1.6728209650585413e-17;
    const LN_PI: f64 = 1.1447298858494002;
    /// B_2k / (2k (2k - 1)), B Bernoulli numbers.
    const STIRLING_1: f64 = 0.08333333333333333;
    const STIRLING_1_REST: f64 = 4.625929269271485e-18;
    const STIRLING_2: f64 = -0.002777777777777778;
    const STIRLING_2_REST: f64 = 1.0601087908747154e-19;
    const STIRLING_3: f64 = 0.0007936507936507937;
    const STIRLING_3_REST: f64 = 6.883823317368282e-22;
    const STIRLING_4: f64 = -0.0005952380952380953;
    const STIRLING_4_REST: f64 = 5.36938218754726e-20;
    const STIRLING_5: f64 = 0.0008417508417508417;
    const STIRLING_6: f64 = -0.0019175269175269176;
    const STIRLING_7: f64 = 0.00641025641025641;
    const STIRLING_8: f64 = -0.029550653594771242;
    const STIRLING_9: f64 = 0.17964437236883057;
    const STIRLING_10: f64 = -1.3924322169059011;
    const STIRLING_11: f64 = 13.402864044168393;
    const STIRLING_12: f64 = -156.84828462600203;
    const STIRLING_13: f64 = 2193.1033333333335;

    /// 2^k value.
    record Exponential exponential { k: V<N>, value: Double<N> }

    /// e^(2 r) - 1 from q = e^r - 1.
    scalar fn doubled(q: Double<f64>) -> Double<f64> {
        return double_sum(pair(2.0 * q.high, 2.0 * q.low), double_square(q));
    }

    /// e^a for |a| <= 710 to a relative 2^-98 or so: e^r - 1 is a series for r / 64.
    scalar fn double_exp(a: Double<f64>) -> Exponential<f64> {
        let k = (a.high * LOG2_E + TO_INTEGER) - TO_INTEGER;
        let main = two_sum(a.high - k * LN2_FIRST, -(k * LN2_SECOND));
        let r = double_sum(main, two_sum(a.low, -(k * LN2_THIRD)));
        let s = pair(r.high * 0.015625, r.low * 0.015625);
        let t = s.high;
        let t2 = t * t;
        let back = cubic(t, t2, BY_FACTORIAL_7, BY_FACTORIAL_8, BY_FACTORIAL_9, BY_FACTORIAL_10);
        let tail = t * (back + (BY_FACTORIAL_11 + BY_FACTORIAL_12 * t) * (t2 * t2));
        let sixth = double_sum(pair(number(BY_FACTORIAL_6), number(BY_FACTORIAL_6_REST)), pair(tail, number(0.0)));
        let fifth = plus_product(BY_FACTORIAL_5, BY_FACTORIAL_5_REST, s, sixth);
        let fourth = plus_product(BY_FACTORIAL_4, BY_FACTORIAL_4_REST, s, fifth);
        let third = plus_product(BY_FACTORIAL_3, BY_FACTORIAL_3_REST, s, fourth);
        let second = plus_product(0.5, 0.0, s, third);
        let q = double_sum(s, double_product(double_square(s), second));
        let last = doubled(doubled(doubled(doubled(doubled(doubled(q))))));
        return exponential(k, double_sum(pair(number(1.0), number(0.0)), last));
    }

    /// ln a to 2^-98 or so, for a normal a up to 2^1020: one step of Newton's method from the logarithm of the first part.
    scalar fn double_ln(a: Double<f64>) -> Double<f64> {
        let y = ln_common(a.high).value;
        let e = double_exp(pair(-y, number(0.0)));
        let scale = power_of_two(e.k);
        let ratio = double_product(e.value, pair(a.high * scale, a.low * scale));
        let d = ratio.high - 1.0;
        return double_sum(pair(y, number(0.0)), two_sum(d, ratio.low - 0.5 * (d * d)));
    }

    /// ln Gamma y for y >= 32, to 2^-93 or a relative 2^-97 or so.
    scalar fn stirling(y: Double<f64>) -> Double<f64> {
        let inverse = 1.0 / y.high;
        let one = two_product(inverse, y.high);
        let w = ordered_sum(inverse, inverse * (((1.0 - one.high) - one.low) - inverse * y.low));
        let z = double_square(w);
        let t = z.high;
        let t2 = t * t;
        let t4 = t2 * t2;
        let back = cubic(t, t2, STIRLING_9, STIRLING_10, STIRLING_11, STIRLING_12) + STIRLING_13 * t4;
        let tail = t * (cubic(t, t2, STIRLING_5, STIRLING_6, STIRLING_7, STIRLING_8) + back * t4);
        let fourth = double_sum(pair(number(STIRLING_4), number(STIRLING_4_REST)), pair(tail, number(0.0)));
        let third = plus_product(STIRLING_3, STIRLING_3_REST, z, fourth);
        let second = plus_product(STIRLING_2, STIRLING_2_REST, z, third);
        let series = double_product(w, plus_product(STIRLING_1, STIRLING_1_REST, z, second));
        let constant = pair(number(LN_ROOT_2_PI_LESS_HALF), number(LN_ROOT_2_PI_LESS_HALF_REST));
        let factor = double_sum(y, pair(number(-0.5), number(0.0)));
        let logarithm = double_sum(double_ln(y), pair(number(-1.0), number(0.0)));
        return double_sum(double_product(factor, logarithm), double_sum(constant, series));
    }

    /// y = x + n, the least that is not below 32, and 2^-k x (x + 1) ... (y - 1).
    record Shifted shifted { y: Double<N>, product: Double<N>, k: V<N> }

    scalar fn shifted_up(x: V<f64>) -> Shifted<f64> {
        let mut y = pair(x, number(0.0));
        let mut product = pair(number(1.0), number(0.0));
        let mut k = number(0.0);
        let mut n = number(0.0);
        while (all(y.high.lt(32.0))) {
            product = double_product(product, y);
            if (all(number(1.0e200).lt(product.high.abs()))) {
                product = pair(product.high * 3.8725919148493183e-121, product.low * 3.8725919148493183e-121);
                k = k + 400.0;
            }
            n = n + 1.0;
            y = two_sum(x, n);
        }
        return shifted(y, product, k);
    }

    /// Where Gamma has a pole, or x is too large for anything else.
    scalar fn is_pole(x: V<f64>) -> bool {
        return all(x.le(0.0)) & is_integer(x);
    }

    lanes fn never(x: V<N>) -> Checked<N> {
        return checked(x, x.lt(x));
    }

    scalar fn gamma_rare(x: V<f64>) -> V<f64> {
        if (all(x.eq(0.0))) { return with_sign(infinity(x), x); }
        if (!all(x.eq(x)) | is_pole(x)) { return not_a_number(x); }
        // The next term is the Euler-Mascheroni constant.
        if (all(x.abs().lt(8.673617379884035e-19))) { return 1.0 / x; }
        if (all(number(172.0).lt(x))) { return infinity(x); }
        if (all(x.lt(-185.0))) { return with_sign(number(0.0), sin_pi_rare(x)); }
        let s = shifted_up(x);
        let e = double_exp(stirling(s.y));
        let ratio = quotient(e.value, s.product);
        return scaled(ratio.high + ratio.low, e.k - s.k);
    }

    /// The gamma function, the integral of t^(x - 1) e^-t over t > 0; n! = gamma (n + 1), exact up to 22!. Largest error
    /// seen 0.51 ulp, 0.76 where the result is subnormal. NaN for negative integers and -inf, an infinity for a zero.
    public fn gamma(x) = never, gamma_rare, gamma_one, sm_tgamma;

    /// A series about a zero in three parts, certain where its first term is below 2^-36.
    scalar fn near_zero(
        x: V<f64>, zero: f64, zero_rest: f64, zero_last: f64, slope: f64, slope_rest: f64, half_curvature: f64
    ) -> Checked<f64> {
        let distance = two_sum(x - zero, number(-zero_rest));
        let d = pair(distance.high, distance.low - zero_last);
        let first = double_product(d, pair(number(slope), number(slope_rest)));
        let value = first.high + (first.low + half_curvature * (d.high * d.high));
        return checked(value, first.high.abs().lt(1.4551915228366852e-11));
    }

    /// Next to the zeros that are so far from all other doubles, or so many doubles, that results fall below 2^-36.
    scalar fn ln_gamma_near_zeros(x: V<f64>) -> Checked<f64> {
        let mut zero = near_zero(x, 1.0, 0.0, 0.0, -0.5772156649015329, 4.942915152430645e-18, 0.8224670334241132);
        if (!all(zero.sure)) {
            zero = near_zero(x, 2.0, 0.0, 0.0, 0.42278433509846713,
                4.942915152430645e-18, 0.3224670334241132);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -2.4570247382208006, -3.7075610815513266e-17, -1.3622663121726005e-33, 1.5156034480216574,
                -4.0695290379659363e-17, 4.8583209516339965);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -2.7476826467274127, 9.055340329338315e-17, 3.322761057167369e-33, -1.9143501856115988,
                -6.288473508186805e-17, 9.575189475709667);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -3.14358088834998, -2.1818179852331714e-16, -1.1246581285745781e-32, 7.781884658131351,
                -1.2366266971852707e-16, 25.831338372387957);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -3.955294284858598, -1.999428391746348e-17, 6.2357435447617e-34, -20.725060845803707,
                1.4319348367658305e-15, 251.7146825868894);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -4.039361839740537, 2.1143995503980602e-16, -3.5961421111626576e-33, 26.790480886140593,
                7.29303362861673e-16, 324.25532293784715);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -4.991544640560048, 1.5174411760571722e-16, -9.643515906617392e-34, -116.53578161624363,
                -5.71604654736871e-15, 6995.235954894064);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -5.0082181683225935, -4.3926353491015815e-17, -2.68183947324466e-33, 123.3621845633534,
                -1.7685712092825869e-15, 7404.762432228682);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -5.998607480080875, -3.311862478893795e-16, 3.4720224807210337e-33, -716.2454304275473,
                -2.978324292002825e-14, 257851.58963956262);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -6.001385294453155, 6.415847287933042e-17, -1.116080967205309e-33, 723.7366299252801,
                1.1249184125179834e-14, 260548.41030309396);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -6.999801507890638, 1.0550130037400023e-17, -4.08696427365735e-34, -5035.967373768125,
                -3.431412146498085e-13, 12690641.16604718);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -7.000198333407325, 2.504354173632409e-16, 2.413795840298293e-32, 5044.029941110829,
                2.1055091809068177e-13, 12710958.833951395);
        }
        if (!all(zero.sure)) {
            zero = near_zero(x, -7.999975197095821, -5.261737128572354e-17, -2.0441803623138533e-33, -40315.71854218779,
                -1.3528231836249092e-12, 812764889.3354839);
        }
        return zero;
    }

    scalar fn ln_gamma_rare(x: V<f64>) -> V<f64> {
        if (!all(x.eq(x))) { return not_a_number(x); }
        let size = x.abs();
        if (all(size.eq(infinity(x))) | is_pole(x)) { return infinity(x); }
        if (all(number(2.5599833278516383e305).lt(x))) { return infinity(x); }
        let logarithm = ln_common(size);
        if (all(size.lt(8.673617379884035e-19))) {
            if (all(logarithm.sure)) { return -logarithm.value; }
            return -ln_rare(size);
        }
        if (all(x.lt(-64.0))) {
            // Far from all zeros: 100 and more, of which these logarithms are a small part.
            let sine = sin_pi_of(less_whole_turns(x), number(1.0)).abs();
            let less = (LN_PI - ln_common(sine).value) - logarithm.value;
            let total = stirling(pair(size, number(0.0)));
            let value = two_sum(less, -total.high);
            return value.high + (value.low - total.low);
        }
        let zero = ln_gamma_near_zeros(x);
        if (all(zero.sure)) { return zero.value + 0.0; }
        let s = shifted_up(x);
        let total = stirling(s.y);
        if (all(number(32.0).le(x))) { return total.high + total.low; }
        let rest = select(s.product.high.lt(0.0), -s.product.low, s.product.low);
        let less = double_ln(pair(s.product.high.abs(), rest));
        let value = double_sum(total, pair(-less.high, -less.low));
        return value.high + value.low;
    }

    /// The logarithm of the magnitude of the gamma function; +0 for 1 and 2. Largest error seen 0.53 ulp. inf for negative
    /// integers, zeros and infinities.
    public fn ln_gamma(x) = never, ln_gamma_rare, ln_gamma_one, sm_lgamma;
}
