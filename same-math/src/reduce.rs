//! Arguments of sine and cosine, reduced by the nearest multiple of pi / 2.
//!
//! ```text
//! |x| <= 25735: x - n (P0 + P1 + P2), where P0 and P1 have 39 bits each, so n P0 and n P1 are exact up to n = 2^14
//! beyond:       x 2/pi modulo 4 as an integer of 192 bits
//! ```
//!
//! The first way leaves an error below 2^-116, and no double in its range is closer than 2^-58 to a multiple of pi / 2;
//! for the second, these are 2^-136 and 2^-62.
//!
//! Sources: Cody, Waite, "Software manual for the elementary functions", 1980; Payne, Hanek, "Radian reduction for
//! trigonometric functions", SIGNUM Newsletter 18, 1983, DOI 10.1145/1057600.1057602.

use crate::double_double::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { REDUCE;
    const TWO_BY_PI: f64 = 0.6366197723675814;
    const PI_2_0: f64 = 1.5707963267923333;
    const PI_2_1: f64 = 2.5633441515905732e-12;
    const PI_2_2: f64 = 3.9455541665632055e-24;
    const PI_2: f64 = 1.5707963267948966;
    const PI_2_REST: f64 = 6.123233995736766e-17;

    /// x = n pi / 2 + r + low, |r| <= pi / 4; `quarters` is n modulo 4 in its lowest bits.
    record Angle angle { quarters: B<N>, r: V<N>, low: V<N> }

    lanes fn angle_common(x: V<N>) -> Angle<N> {
        let shifted = x * TWO_BY_PI + TO_INTEGER;
        let n = shifted - TO_INTEGER;
        let first = x - n * PI_2_0;
        let second = two_sum(first, -(n * PI_2_1));
        return angle(to_bits(shifted), second.high, second.low - n * PI_2_2);
    }

    /// 64 bits of 2/pi: after 64 zeros, its digits.
    scalar fn digits_of_two_by_pi(i: Word) -> Word {
        if (i == 1) { return 0xa2f9836e4e441529; }
        if (i == 2) { return 0xfc2757d1f534ddc0; }
        if (i == 3) { return 0xdb6295993c439041; }
        if (i == 4) { return 0xfe5163abdebbc561; }
        if (i == 5) { return 0xb7246e3a424dd2e0; }
        if (i == 6) { return 0x06492eea09d1921c; }
        if (i == 7) { return 0xfe1deb1cb129a73e; }
        if (i == 8) { return 0xe88235f52ebb4484; }
        if (i == 9) { return 0xe99c7026b45f7e41; }
        if (i == 10) { return 0x3991d639835339f4; }
        if (i == 11) { return 0x9c845f8bbdf9283b; }
        if (i == 12) { return 0x1ff897ffde05980f; }
        if (i == 13) { return 0xef2f118b5a0a6d1f; }
        if (i == 14) { return 0x6d367ecf27cb09b7; }
        if (i == 15) { return 0x4f463f669e5fea2d; }
        if (i == 16) { return 0x7527bac7ebe5f17b; }
        if (i == 17) { return 0x3d0739f78a5292ea; }
        if (i == 18) { return 0x6bfb5fb11f8d5d08; }
        if (i == 19) { return 0x56033046fc7b6bab; }
        return 0;
    }

    /// For finite |x| >= 2^14.
    scalar fn angle_rare(x: V<f64>) -> Angle<f64> {
        let magnitude = word(x) & 0x7fffffffffffffff;
        let m = (magnitude & 0x000fffffffffffff) | 0x0010000000000000;
        // The digits from place `at` on: earlier ones only add multiples of 4 to the product.
        let at = difference(magnitude >> 52, 1013);
        let i = at >> 6;
        let up = at & 63;
        let down = difference(63, up);
        let d0 = digits_of_two_by_pi(i);
        let d1 = digits_of_two_by_pi(sum(i, 1));
        let d2 = digits_of_two_by_pi(sum(i, 2));
        let d3 = digits_of_two_by_pi(sum(i, 3));
        let f2 = (d0 << up) | ((d1 >> 1) >> down);
        let f1 = (d1 << up) | ((d2 >> 1) >> down);
        let f0 = (d2 << up) | ((d3 >> 1) >> down);
        // The product modulo 2^192; 2^190 is one quarter of a turn.
        let p0 = product_low(f0, m);
        let p1_low = product_high(f0, m);
        let p1 = sum(p1_low, product_low(f1, m));
        let mut p2 = sum(product_high(f1, m), product_low(f2, m));
        if (p1 < p1_low) { p2 = sum(p2, 1); }
        // The nearest quarter, and the fraction with its sign.
        let quarters = sum(p2, 0x2000000000000000) >> 62;
        let mut u2 = (p2 << 2) | (p1 >> 62);
        let mut u1 = (p1 << 2) | (p0 >> 62);
        let mut u0 = p0 << 2;
        let mut sign = number(1.0);
        if ((u2 >> 63) != 0) {
            sign = number(-1.0);
            let borrow_1 = select_word(u0 != 0, 1, 0);
            let borrow_2 = select_word((u0 | u1) != 0, 1, 0);
            u0 = difference(0, u0);
            u1 = difference(difference(0, u1), borrow_1);
            u2 = difference(difference(0, u2), borrow_2);
        }
        let h0 = from_integer(u2 >> 32) * 2.3283064365386963e-10;
        let h1 = from_integer(u2 & 0xffffffff) * 5.421010862427522e-20;
        let h2 = from_integer(u1 >> 32) * 1.262177448353619e-29;
        let h3 = from_integer(u1 & 0xffffffff) * 2.938735877055719e-39;
        let h4 = from_integer(u0 >> 32) * 6.842277657836021e-49;
        let front = ordered_sum(h0, h1);
        let fraction = ordered_sum(front.high, (front.low + h2) + (h3 + h4));
        let r = double_product(fraction, pair(number(PI_2), number(PI_2_REST)));
        let side = sign * select(x.lt(0.0), -1.0, 1.0);
        let n = from_integer(quarters) * select(x.lt(0.0), -1.0, 1.0);
        return angle(to_bits(n + TO_INTEGER), r.high * side, r.low * side);
    }
}
