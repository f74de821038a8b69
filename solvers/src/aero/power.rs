//! x^n from correctly rounded operations, so every processor gives the same bits.
//!
//! x^n = exp(n ln x), in double-double numbers: a value is hi + lo, lo at most half a unit in the last place of hi.
//!
//! 1. x = m 2^e with m in [1/sqrt 2, sqrt 2), by multiplications with powers of two.
//! 2. s = (m - 1) / (m + 1), ln m = 2 s (1 + s^2/3 + s^4/5 + ...), ln x = e ln 2 + ln m.
//! 3. y = n ln x; y = k ln 2 + r with an integer k and |r| <= (ln 2)/2.
//! 4. exp(r / 16) - 1 by its series, then four times z -> 2 z + z^2.
//! 5. (1 + z) 2^k, again by multiplications with powers of two.
//!
//! The relative error before the last rounding is below 2^-60 for |n ln x| <= 745, so a result that is a normal
//! number is within 0.51 units in the last place of x^n; it is the nearest double but for near-ties. Results below the
//! smallest normal number are rounded twice. Sources: Dekker, "A floating-point technique for extending the
//! available precision", Numerische Mathematik 18 (1971), DOI 10.1007/BF01397083; Knuth, The Art of Computer
//! Programming, volume 2, section 4.2.2.

use cfd_engine::prelude::*;

/// Exponents of the powers of two by which numbers are scaled; they add up to more than any exponent of a double.
const SHIFTS: [f64; 11] = [512.0, 512.0, 256.0, 128.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0];
/// 2^SHIFTS.
const UP: [f64; 11] = powers_of(2.0);
/// 2^-SHIFTS.
const DOWN: [f64; 11] = powers_of(0.5);
/// ln 2 as a double-double number.
const LN2: [f64; 2] = [std::f64::consts::LN_2, 2.3190468138462996e-17];
/// 1/3 and 1/5 as double-double numbers.
const THIRD: [f64; 2] = [1.0 / 3.0, 1.850371707708594e-17];
const FIFTH: [f64; 2] = [0.2, -1.1102230246251566e-17];
/// 1.5 * 2^52: adding and subtracting it rounds to the nearest integer.
const ROUNDER: f64 = 6755399441055744.0;
/// 2^27 + 1: splits a double into two halves of 26 bits.
const SPLITTER: f64 = 134217729.0;

const fn powers_of(base: f64) -> [f64; 11] {
    let mut table = [1.0; 11];
    let mut at = 0;
    while at < 11 {
        let mut left = SHIFTS[at] as u32;
        while left > 0 {
            table[at] *= base;
            left -= 1;
        }
        at += 1;
    }
    table
}

/// a + b exactly, |a| >= |b|.
#[device]
fn ordered_sum(a: f64, b: f64) -> [f64; 2] {
    let s = a + b;
    [s, b - (s - a)]
}

/// a + b exactly.
#[device]
fn exact_sum(a: f64, b: f64) -> [f64; 2] {
    let s = a + b;
    let from_b = s - a;
    [s, (a - (s - from_b)) + (b - from_b)]
}

/// The upper 26 bits of a, and the rest.
#[device]
fn halves(a: f64) -> [f64; 2] {
    let scaled = SPLITTER * a;
    let upper = scaled - (scaled - a);
    [upper, a - upper]
}

/// a b exactly.
#[device]
fn exact_product(a: f64, b: f64) -> [f64; 2] {
    let p = a * b;
    let x: [f64; 2] = halves(a);
    let y: [f64; 2] = halves(b);
    [p, ((x[0] * y[0] - p) + x[0] * y[1] + x[1] * y[0]) + x[1] * y[1]]
}

/// a + b of double-double numbers.
#[device]
fn sum(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let s: [f64; 2] = exact_sum(a[0], b[0]);
    ordered_sum(s[0], s[1] + (a[1] + b[1]))
}

/// a b of double-double numbers.
#[device]
fn product(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let p: [f64; 2] = exact_product(a[0], b[0]);
    ordered_sum(p[0], p[1] + (a[0] * b[1] + a[1] * b[0]))
}

/// a b of a double-double number and a double.
#[device]
fn multiple(a: [f64; 2], b: f64) -> [f64; 2] {
    let p: [f64; 2] = exact_product(a[0], b);
    ordered_sum(p[0], p[1] + a[1] * b)
}

/// ln x of a positive number.
#[device]
fn logarithm(x: f64) -> [f64; 2] {
    let mut m = x;
    let mut e = 0.0;
    for i in 0..11 {
        if m >= UP[i] {
            m *= DOWN[i];
            e += SHIFTS[i];
        }
    }
    for i in 0..11 {
        if m < 2.0 * DOWN[i] {
            m *= UP[i];
            e -= SHIFTS[i];
        }
    }
    if m >= std::f64::consts::SQRT_2 {
        m *= 0.5;
        e += 1.0;
    }
    // The numerator is exact; one correction makes the quotient a double-double number.
    let top = m - 1.0;
    let bottom: [f64; 2] = exact_sum(m, 1.0);
    let quotient = top / bottom[0];
    let back: [f64; 2] = exact_product(quotient, bottom[0]);
    let rest = ((top - back[0]) - back[1]) - quotient * bottom[1];
    let s: [f64; 2] = ordered_sum(quotient, rest / bottom[0]);
    let t: [f64; 2] = product(s, s);
    let mut tail = 1.0 / 29.0;
    for j in 0..11 {
        tail = TAIL[j] + t[0] * tail;
    }
    let inner: [f64; 2] = sum([FIFTH[0], FIFTH[1]], multiple(t, tail));
    let outer: [f64; 2] = sum([THIRD[0], THIRD[1]], product(t, inner));
    let series: [f64; 2] = sum([1.0, 0.0], product(t, outer));
    let ln_m: [f64; 2] = product([2.0 * s[0], 2.0 * s[1]], series);
    sum(multiple([LN2[0], LN2[1]], e), ln_m)
}

/// 1/27, 1/25, ..., 1/7.
const TAIL: [f64; 11] = [
    1.0 / 27.0,
    1.0 / 25.0,
    1.0 / 23.0,
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
];

/// exp(y), infinite or zero if a double cannot hold it.
#[device]
fn exponential(y: [f64; 2]) -> f64 {
    let top = y[0].min(800.0).max(-800.0);
    let mut k = (top * std::f64::consts::LOG2_E + ROUNDER) - ROUNDER;
    let r: [f64; 2] = sum([top, y[1]], multiple([LN2[0], LN2[1]], -k));
    let r: [f64; 2] = [0.0625 * r[0], 0.0625 * r[1]];
    let square: [f64; 2] = product(r, r);
    let mut tail = 1.0 + r[0] / 9.0;
    for j in 0..5 {
        tail = 1.0 + r[0] / DIVISORS[j] * tail;
    }
    let cubic = (r[0] * square[0]) / 6.0 * tail;
    let mut z: [f64; 2] = sum(sum(r, [0.5 * square[0], 0.5 * square[1]]), [cubic, 0.0]);
    for _ in 0..4 {
        let squared: [f64; 2] = product(z, z);
        z = sum([2.0 * z[0], 2.0 * z[1]], squared);
    }
    let whole: [f64; 2] = exact_sum(1.0, z[0]);
    let mut value = whole[0] + (whole[1] + z[1]);
    for i in 0..11 {
        if k >= SHIFTS[i] {
            value *= UP[i];
            k -= SHIFTS[i];
        }
        if -k >= SHIFTS[i] {
            value *= DOWN[i];
            k += SHIFTS[i];
        }
    }
    value
}

/// The divisors of the exponential's series, last term first.
const DIVISORS: [f64; 5] = [8.0, 7.0, 6.0, 5.0, 4.0];

/// x^n for positive x; not a number for any other.
#[device]
pub fn power(x: f64, n: f64) -> f64 {
    let y: [f64; 2] = multiple(logarithm(x), n);
    if x > 0.0 { exponential(y) } else { f64::NAN }
}
