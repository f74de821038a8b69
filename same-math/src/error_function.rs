//! The error function.
//!
//! ```text
//! |x| < 0.9375:  erf x = x (c - z c / 3 + z^2 P(z)),  z = x^2,  c = 2 / sqrt pi; the first two terms in two parts
//! beyond:        erf |x| = 1 - e^(-x^2) R(t),  t = (|x| - 1) / (|x| + 3)
//! ```
//!
//! From |x| = 6 on, 1 is nearest.

use crate::double_double::*;
use crate::exp::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { ERROR_FUNCTION;
    const ERF_0: f64 = 0.11283791670955125;
    const ERF_1: f64 = -0.02686617064513014;
    const ERF_2: f64 = 0.005223977625411643;
    const ERF_3: f64 = -0.0008548327019554299;
    const ERF_4: f64 = 0.0001205533270376719;
    const ERF_5: f64 = -1.4925638161973991e-05;
    const ERF_6: f64 = 1.6461768511544554e-06;
    const ERF_7: f64 = -1.6359367607477754e-07;
    const ERF_8: f64 = 1.4727308057904132e-08;
    const ERF_9: f64 = -1.1661612246665656e-09;
    const ERF_10: f64 = 6.496515130915017e-11;
    const ERFC_0: f64 = 0.427583576155807;
    const ERFC_1: f64 = -1.0928480591355942;
    const ERFC_2: f64 = 1.3770969228149743;
    const ERFC_3: f64 = -1.2234841074807996;
    const ERFC_4: f64 = 0.7239166810270286;
    const ERFC_5: f64 = -0.22394682368082328;
    const ERFC_6: f64 = -0.02237167315134099;
    const ERFC_7: f64 = 0.04264272310247421;
    const ERFC_8: f64 = -0.002189848783933255;
    const ERFC_9: f64 = -0.008329239149799418;
    const ERFC_10: f64 = 9.994664153676236e-06;
    const ERFC_11: f64 = 0.0027347658181336902;
    const ERFC_12: f64 = -0.0007867496932568679;
    /// The leading 26 bits of c and of c / 3, and the rest.
    const ERF_C_HIGH: f64 = 1.1283791661262512;
    const ERF_C_LOW: f64 = 9.692613531930338e-10;
    const ERF_C3_HIGH: f64 = 0.37612638622522354;
    const ERF_C3_LOW: f64 = 2.806613983372287e-09;
    const ERF_C3: f64 = 0.37612638903183754;

    /// erf x for 0 <= x < 0.9375.
    lanes fn erf_near(x: V<N>) -> V<N> {
        let square = two_square(x);
        let z = square.high;
        let z2 = z * z;
        let z4 = z2 * z2;
        let back = cubic(z, z2, ERF_4, ERF_5, ERF_6, ERF_7) + ((ERF_8 + ERF_9 * z) + ERF_10 * z2) * z4;
        let series = z2 * (cubic(z, z2, ERF_0, ERF_1, ERF_2, ERF_3) + back * z4);
        let z_upper = upper(z);
        let second = ((z - z_upper) + square.low) * ERF_C3 + z_upper * ERF_C3_LOW;
        let slope = ordered_sum(number(ERF_C_HIGH), -(z_upper * ERF_C3_HIGH));
        let slope_low = slope.low + (ERF_C_LOW + (series - second));
        let slope_upper = upper(slope.high);
        let x_upper = upper(x);
        let rest = x * ((slope.high - slope_upper) + slope_low) + (x - x_upper) * slope_upper;
        return x_upper * slope_upper + rest;
    }

    /// erf x for 0.9375 <= x <= 6.
    lanes fn erf_far(x: V<N>) -> V<N> {
        let square = two_square(x);
        let a = exp_reduced(-square.high);
        let value = exp_of_reduced(reduced(a.shifted, a.n, a.high, a.low + square.low));
        let e = value * power_of_shifted(a.shifted);
        let t = (x - 1.0) / (x + 3.0);
        let t2 = t * t;
        let t4 = t2 * t2;
        let last = cubic(t, t2, ERFC_8, ERFC_9, ERFC_10, ERFC_11) + ERFC_12 * t4;
        let back = cubic(t, t2, ERFC_4, ERFC_5, ERFC_6, ERFC_7) + last * t4;
        // The product is subtracted as that of the upper halves, which is exact, and the rest.
        let r = cubic(t, t2, ERFC_0, ERFC_1, ERFC_2, ERFC_3) + back * t4;
        let e_upper = upper(e);
        let r_upper = upper(r);
        let front = ordered_sum(number(1.0), -(e_upper * r_upper));
        return front.high + (front.low - ((r - r_upper) * e + (e - e_upper) * r_upper));
    }

    lanes fn erf_common(x: V<N>) -> Checked<N> {
        let size = x.abs();
        let limited = select(size.lt(6.0), size, 6.0);
        let value = select(size.lt(0.9375), erf_near(limited), erf_far(limited));
        return checked(with_sign(value, x), number(1.0e-280).le(size) | size.eq(0.0));
    }

    /// The product with c of what is so small that its rounding shows is that of a greater number, made small again.
    scalar fn erf_rare(x: V<f64>) -> V<f64> {
        if (!all(x.eq(x))) { return not_a_number(x); }
        return with_sign(erf_near(x.abs() * 1.6069380442589903e+60) * 6.223015277861142e-61, x);
    }

    /// 2 / sqrt pi times the integral of e^(-t^2) from 0 to x. Short way: 0, and from 1e-280 in magnitude; largest error seen
    /// 0.87 ulp. +-1 for infinities, a zero for a zero.
    public fn erf(x) = erf_common, erf_rare, erf_one, sm_erf;
}
