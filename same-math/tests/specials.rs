//! Special values, exact cases, symmetry, order.

use same_math::*;

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
/// The smallest subnormal number, the smallest normal one, the largest.
const TINY: f64 = 5e-324;
const SMALL: f64 = f64::MIN_POSITIVE;
const LARGE: f64 = f64::MAX;

/// Compares bits, so that signs of zeros count, and there is only one NaN.
#[track_caller]
fn same(value: f64, expected: f64) {
    let expected = if expected.is_nan() { 0x7ff8_0000_0000_0000 } else { expected.to_bits() };
    assert_eq!(value.to_bits(), expected, "{value:e} is not {:e}", f64::from_bits(expected));
}

macro_rules! values {
    ($function:ident: $($x:expr => $value:expr),* $(,)?) => { $(same($function($x), $value);)* };
}

/// Every NaN, whatever its sign and payload.
fn nans() -> [f64; 4] {
    [NAN, -NAN, f64::from_bits(0x7ff0_0000_0000_0001), f64::from_bits(0xffff_ffff_ffff_ffff)]
}

#[test]
fn special_values_of_powers_of_e_and_two() {
    values!(exp: 0.0 => 1.0, -0.0 => 1.0, INFINITY => INFINITY, -INFINITY => 0.0, TINY => 1.0, -SMALL => 1.0,
        LARGE => INFINITY, -LARGE => 0.0, 709.782712893385 => INFINITY,
        -745.2 => 0.0, -745.13 => TINY, 1.0 => std::f64::consts::E);
    assert!(exp(709.782712893383).is_finite());
    values!(exp2: 0.0 => 1.0, -0.0 => 1.0, INFINITY => INFINITY, -INFINITY => 0.0, TINY => 1.0, 1024.0 => INFINITY,
        LARGE => INFINITY, -LARGE => 0.0, -1074.0 => TINY, -1076.0 => 0.0, -1022.0 => SMALL);
    values!(exp_m1: 0.0 => 0.0, -0.0 => -0.0, INFINITY => INFINITY, -INFINITY => -1.0, TINY => TINY, -TINY => -TINY,
        SMALL => SMALL, LARGE => INFINITY, -LARGE => -1.0, -50.0 => -1.0, -708.5 => -1.0, 709.79 => INFINITY);
}

#[test]
fn special_values_of_logarithms() {
    values!(ln: 1.0 => 0.0, 0.0 => -INFINITY, -0.0 => -INFINITY, -1.0 => NAN, -TINY => NAN, INFINITY => INFINITY,
        -INFINITY => NAN, TINY => -744.4400719213812, LARGE => 709.782712893384);
    values!(log2: 1.0 => 0.0, 0.0 => -INFINITY, -0.0 => -INFINITY, -1.0 => NAN, INFINITY => INFINITY,
        -INFINITY => NAN, TINY => -1074.0, LARGE => 1024.0);
    values!(ln_1p: 0.0 => 0.0, -0.0 => -0.0, -1.0 => -INFINITY, -1.5 => NAN, INFINITY => INFINITY, -INFINITY => NAN,
        TINY => TINY, -SMALL => -SMALL, LARGE => 709.782712893384, 1e300 => 690.7755278982137);
}

#[test]
fn special_values_of_circles() {
    values!(sin: 0.0 => 0.0, -0.0 => -0.0, INFINITY => NAN, -INFINITY => NAN, TINY => TINY, -SMALL => -SMALL);
    values!(cos: 0.0 => 1.0, -0.0 => 1.0, INFINITY => NAN, -INFINITY => NAN, TINY => 1.0);
    values!(tan: 0.0 => 0.0, -0.0 => -0.0, INFINITY => NAN, -INFINITY => NAN, TINY => TINY, -SMALL => -SMALL);
    assert!(cos(LARGE).abs() <= 1.0 && sin(-LARGE).abs() <= 1.0);
}

#[test]
fn special_values_of_arcs() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    values!(atan: 0.0 => 0.0, -0.0 => -0.0, INFINITY => FRAC_PI_2, -INFINITY => -FRAC_PI_2,
        TINY => TINY, 1.0 => FRAC_PI_4,
        -LARGE => -FRAC_PI_2, -SMALL => -SMALL);
    values!(asin: 0.0 => 0.0, -0.0 => -0.0, 1.0 => FRAC_PI_2, -1.0 => -FRAC_PI_2,
        1.0000000000000002 => NAN, INFINITY => NAN,
        -INFINITY => NAN, TINY => TINY, -SMALL => -SMALL);
    values!(acos: 0.0 => FRAC_PI_2, -0.0 => FRAC_PI_2, 1.0 => 0.0, -1.0 => PI,
        1.0000000000000002 => NAN, INFINITY => NAN);
    let three_quarters = 2.356194490192345;
    for (y, x, angle) in [
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.0, -0.0, PI),
        (0.0, -1.0, PI),
        (1.0, 0.0, FRAC_PI_2),
        (1.0, -0.0, FRAC_PI_2),
        (1.0, 1.0, FRAC_PI_4),
        (1.0, -1.0, three_quarters),
        (INFINITY, INFINITY, FRAC_PI_4),
        (INFINITY, -INFINITY, three_quarters),
        (INFINITY, 3.0, FRAC_PI_2),
        (3.0, INFINITY, 0.0),
        (3.0, -INFINITY, PI),
        (TINY, LARGE, 0.0),
        (TINY, -LARGE, PI),
        (LARGE, TINY, FRAC_PI_2),
        (TINY, TINY, FRAC_PI_4),
        (LARGE, LARGE, FRAC_PI_4),
        (TINY, 1.0, TINY),
        (TINY, -1.0, PI),
        (SMALL, 2.0, SMALL / 2.0),
    ] {
        same(atan2(y, x), angle);
        same(atan2(-y, x), -angle);
    }
    for nan in nans() {
        for value in [atan2(nan, 1.0), atan2(1.0, nan), atan2(nan, INFINITY), atan2(0.0, nan)] {
            same(value, NAN);
        }
    }
}

#[test]
fn special_values_of_hyperbolas() {
    values!(sinh: 0.0 => 0.0, -0.0 => -0.0, INFINITY => INFINITY, -INFINITY => -INFINITY,
        TINY => TINY, 711.0 => INFINITY,
        -LARGE => -INFINITY, -SMALL => -SMALL);
    values!(cosh: 0.0 => 1.0, -0.0 => 1.0, INFINITY => INFINITY, -INFINITY => INFINITY,
        TINY => 1.0, -711.0 => INFINITY);
    values!(tanh: 0.0 => 0.0, -0.0 => -0.0, INFINITY => 1.0, -INFINITY => -1.0,
        TINY => TINY, LARGE => 1.0, -20.0 => -1.0);
    assert!(sinh(710.475).is_finite() && cosh(-710.475).is_finite());
    values!(cbrt: 0.0 => 0.0, -0.0 => -0.0, INFINITY => INFINITY, -INFINITY => -INFINITY,
        TINY => 1.7031839360032603e-108,
        27.0 => 3.0, -1e-300 => -1e-100);
}

#[test]
fn special_values_of_inverse_hyperbolas_and_the_error_function() {
    values!(asinh: 0.0 => 0.0, -0.0 => -0.0, INFINITY => INFINITY, -INFINITY => -INFINITY, TINY => TINY,
        -SMALL => -SMALL, LARGE => 710.475860073944, 1e150 => 346.0809111296668, -1.1e150 => -346.17622130947115);
    values!(acosh: 1.0 => 0.0, 0.9999999999999999 => NAN, -1.0 => NAN, 0.0 => NAN, INFINITY => INFINITY,
        -INFINITY => NAN, LARGE => 710.475860073944, 1.0000000000000002 => 2.1073424255447014e-8);
    values!(atanh: 0.0 => 0.0, -0.0 => -0.0, 1.0 => INFINITY, -1.0 => -INFINITY, 1.0000000000000002 => NAN,
        -INFINITY => NAN, TINY => TINY, -SMALL => -SMALL, 0.9999999999999999 => 18.714973875118524);
    // 2 / sqrt pi is 1.128...: the smallest numbers are rounded to themselves.
    values!(erf: 0.0 => 0.0, -0.0 => -0.0, INFINITY => 1.0, -INFINITY => -1.0, LARGE => 1.0, -6.0 => -1.0, TINY => TINY,
        -4.0 * TINY => -5.0 * TINY, 5.0 => 0.9999999999984626, 1e-300 => 1.1283791670955126e-300);
    for nan in nans() {
        values!(asinh: nan => NAN);
        values!(acosh: nan => NAN);
        values!(atanh: nan => NAN);
        values!(erf: nan => NAN);
    }
}

#[test]
fn special_values_of_the_gamma_function_and_factorials() {
    values!(gamma: 0.0 => INFINITY, -0.0 => -INFINITY, INFINITY => INFINITY, -INFINITY => NAN, -1.0 => NAN, -30.0 => NAN,
        -LARGE => NAN, LARGE => INFINITY, TINY => INFINITY, -TINY => -INFINITY, SMALL => 4.49423283715579e307,
        171.6243769563027 => 1.7976931348622299e308, 171.62437695630274 => INFINITY, -184.5 => -0.0, -185.5 => 0.0,
        -1e15 - 0.5 => -0.0, -1e15 - 1.5 => 0.0, 0.5 => 1.772453850905516, -0.5 => -3.544907701811032);
    values!(ln_gamma: 0.0 => INFINITY, -0.0 => INFINITY, INFINITY => INFINITY, -INFINITY => INFINITY, -1.0 => INFINITY,
        -LARGE => INFINITY, LARGE => INFINITY, TINY => 744.4400719213812, -TINY => 744.4400719213812, 1.0 => 0.0, 2.0 => 0.0,
        2.5599833278516383e305 => 1.7976931348623157e308, 2.559983327851639e305 => INFINITY, -0.5 => 1.2655121234846454);
    let mut factorial = 1.0;
    for n in 1..=23 {
        // 22! is the last that is a double.
        same(gamma(f64::from(n)), factorial);
        factorial *= f64::from(n);
    }
    assert_eq!([single::gamma(5.0), single::gamma(36.0), single::ln_gamma(1.0)], [24.0, f32::INFINITY, 0.0]);
    for nan in nans() {
        values!(gamma: nan => NAN);
        values!(ln_gamma: nan => NAN);
    }
}

/// Gamma (x + 1) = x Gamma x, and the sign between the poles alternates.
#[test]
fn gamma_keeps_its_recurrence_and_its_logarithm_agrees() {
    for x in numbers(20_000).filter(|x| x.abs() < 150.0 && x.abs() > 1e-10 && *x != x.round()) {
        let (value, next) = (gamma(x), gamma(x + 1.0));
        if (x + 1.0) - 1.0 == x && x + 1.0 != 0.0 {
            assert!((next - x * value).abs() <= 4e-16 * next.abs(), "{x:e}: {next:e}, {:e}", x * value);
        }
        let logarithm = ln_gamma(x);
        assert!((logarithm - ln(value.abs())).abs() <= 1e-15 * logarithm.abs().max(1.0), "{x:e}");
        assert_eq!(value < 0.0, x < 0.0 && x.floor().rem_euclid(2.0) == 1.0, "{x:e}: {value:e}");
    }
}

#[test]
fn special_values_of_powers() {
    for y in [0.0, -0.0] {
        for x in [0.0, -0.0, 2.0, -2.0, INFINITY, -INFINITY, TINY, NAN] {
            same(powf(x, y), 1.0);
        }
    }
    for y in [0.5, -3.0, INFINITY, -INFINITY, LARGE, -TINY, NAN] {
        same(powf(1.0, y), 1.0);
    }
    for (x, y, power) in [
        (0.0, 3.0, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, 0.5, 0.0),
        (0.0, -3.0, INFINITY),
        (-0.0, -3.0, -INFINITY),
        (-0.0, -2.0, INFINITY),
        (0.0, INFINITY, 0.0),
        (0.0, -INFINITY, INFINITY),
        (-0.0, -INFINITY, INFINITY),
        (-1.0, INFINITY, 1.0),
        (-1.0, -INFINITY, 1.0),
        (0.5, INFINITY, 0.0),
        (0.5, -INFINITY, INFINITY),
        (-2.0, INFINITY, INFINITY),
        (2.0, -INFINITY, 0.0),
        (INFINITY, 0.5, INFINITY),
        (INFINITY, -0.5, 0.0),
        (-INFINITY, 3.0, -INFINITY),
        (-INFINITY, 2.0, INFINITY),
        (-INFINITY, -3.0, -0.0),
        (-INFINITY, -2.0, 0.0),
        (-INFINITY, 0.5, INFINITY),
        (-8.0, 1.0 / 3.0, NAN),
        (-2.0, 3.0, -8.0),
        (-2.0, 4.0, 16.0),
        (-2.0, -1.0, -0.5),
        (-2.0, 9007199254740993.0, INFINITY),
        (2.0, 1024.0, INFINITY),
        (2.0, -1074.0, TINY),
        (-2.0, 1023.0, -8.98846567431158e307),
        (2.0, -1076.0, 0.0),
        (TINY, 0.5, 2.2227587494850775e-162),
        (0.9999999999999999, LARGE, 0.0),
        (1.0000000000000002, LARGE, INFINITY),
        (LARGE, 2.0, INFINITY),
        (-LARGE, 3.0, -INFINITY),
        (TINY, 2.0, 0.0),
        (-TINY, 3.0, -0.0),
        (3.0, TINY, 1.0),
        (LARGE, 1.0, LARGE),
        (TINY, 1.0, TINY),
        (-TINY, 1.0, -TINY),
        (TINY, -1.0, INFINITY),
        (-1.0, LARGE, 1.0),
        (-1.0, 4503599627370497.0, -1.0),
    ] {
        same(powf(x, y), power);
    }
    for nan in nans() {
        for value in [powf(nan, 1.0), powf(2.0, nan), powf(nan, INFINITY), powf(nan, nan), powf(0.0, nan)] {
            same(value, NAN);
        }
        for value in [powi(nan, 1), powi(nan, 2), powi(nan, -1), powi(nan, 7), powi(nan, i32::MIN)] {
            same(value, NAN);
        }
        same(powi(nan, 0), 1.0);
    }
    for (x, n, power) in [
        (0.0, 3, 0.0),
        (-0.0, 3, -0.0),
        (-0.0, -3, -INFINITY),
        (-0.0, -1, -INFINITY),
        (0.0, i32::MIN, INFINITY),
        (-0.0, i32::MAX, -0.0),
        (INFINITY, -7, 0.0),
        (-INFINITY, 5, -INFINITY),
        (-INFINITY, -5, -0.0),
        (1.0, i32::MIN, 1.0),
        (-1.0, i32::MAX, -1.0),
        (-1.0, i32::MIN, 1.0),
        (2.0, -1074, TINY),
        (-2.0, 1023, -8.98846567431158e307),
        (1e200, 2, INFINITY),
        (1e-200, 2, 0.0),
        (1e100, 4, INFINITY),
        (10.0, 16, 1e16),
        (-10.0, 15, -1e15),
        (TINY, 3, 0.0),
        (3.0, 20, 3486784401.0),
    ] {
        same(powi(x, n), power);
    }
}

#[test]
fn every_nan_becomes_the_one_nan() {
    for nan in nans() {
        for function in
            [exp, exp2, exp_m1, ln, log2, ln_1p, cbrt, sin, cos, tan, atan, asin, acos, sinh, cosh, tanh]
        {
            same(function(nan), NAN);
        }
    }
}

/// Numbers of all magnitudes and signs.
fn numbers(count: usize) -> impl Iterator<Item = f64> {
    let mut state = 99u64;
    (0..count).map(move |i| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let bits = state ^ (state >> 29);
        // Every second number is of moderate magnitude.
        let exponent = if i % 2 == 0 { bits >> 52 & 0x7ff } else { 1003 + (bits >> 52) % 32 };
        f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52)
    })
}

#[test]
fn odd_functions_are_odd_and_even_ones_even() {
    for x in numbers(200_000).filter(|x| !x.is_nan()) {
        for function in [cbrt, sin, tan, atan, asin, sinh, tanh, asinh, atanh, erf] {
            let (value, opposite) = (function(x), function(-x));
            same(opposite, if value.is_nan() { NAN } else { -value });
        }
        for function in [cos, cosh] {
            same(function(-x), function(x));
        }
    }
}

#[test]
fn exact_cases_are_exact() {
    for n in -1074..1024 {
        let power = exp2(f64::from(n));
        same(
            power,
            if n < -1022 {
                f64::from_bits(1 << (n + 1074))
            } else {
                f64::from_bits(((n + 1023) as u64) << 52)
            },
        );
        same(log2(power), f64::from(n));
        same(powf(2.0, f64::from(n)), power);
        same(powi(2.0, n), power);
    }
    for n in 0..200_000u32 {
        let x = f64::from(n) * 1.03125;
        same(powf(x, 2.0), x * x);
        let cube = f64::from(n) * f64::from(n) * f64::from(n);
        if n < 200_000 && cube < 9e15 {
            same(cbrt(cube), f64::from(n));
        }
    }
}

type Function = fn(f64) -> f64;

/// Increasing functions, with the ends of the interval.
const RISING: [(Function, f64, f64); 15] = [
    (exp, -745.0, 709.0),
    (exp2, -1074.0, 1023.0),
    (exp_m1, -40.0, 709.0),
    (ln, 1e-300, 1e300),
    (log2, 1e-300, 1e300),
    (ln_1p, -0.999, 1e10),
    (cbrt, -1e10, 1e10),
    (atan, -1e3, 1e3),
    (asin, -1.0, 1.0),
    (sinh, -710.0, 710.0),
    (tanh, -25.0, 25.0),
    (asinh, -1e10, 1e10),
    (acosh, 1.0, 1e10),
    (atanh, -1.0, 1.0),
    (erf, -7.0, 7.0),
];

/// Places where one formula takes over from another: ranges, breakpoints, roundings to the nearest integer.
const BREAKPOINTS: [f64; 18] = [
    0.5,
    1.0,
    0.4142135623730951,
    2.414213562373095,
    std::f64::consts::FRAC_1_SQRT_2,
    std::f64::consts::SQRT_2,
    0.34657359027997264,
    1.0397207708399179,
    20.0,
    708.0,
    3.725290298461914e-9,
    1e-17,
    1021.0,
    2.0,
    4.0,
    1.5,
    0.9375,
    6.0,
];

#[test]
fn rising_functions_fall_back_by_an_ulp_at_most_at_breakpoints() {
    for (function, from, to) in RISING {
        for center in BREAKPOINTS.iter().flat_map(|&point| [point, -point]).filter(|&x| from < x && x < to) {
            let mut before = f64::NEG_INFINITY;
            for step in -200i64..200 {
                let x = f64::from_bits((center.to_bits() as i64 + step * center.signum() as i64) as u64);
                let value = function(x);
                let back = before.to_bits().abs_diff(value.to_bits());
                assert!(value >= before || back <= 1, "{x:e}: {before:e}, then {value:e}");
                before = value;
            }
        }
    }
}

#[test]
fn special_values_of_powers_of_ten_roots_lengths_and_turns() {
    values!(exp10: 0.0 => 1.0, -0.0 => 1.0, INFINITY => INFINITY, -INFINITY => 0.0, TINY => 1.0, LARGE => INFINITY,
        -LARGE => 0.0, 308.3 => INFINITY, -324.0 => 0.0, -323.0 => 1e-323, 307.5 => 3.1622776601683794e307);
    values!(log10: 1.0 => 0.0, 0.0 => -INFINITY, -0.0 => -INFINITY, -1.0 => NAN, -TINY => NAN, INFINITY => INFINITY,
        -INFINITY => NAN, 1e-310 => -310.0);
    values!(rsqrt: 0.0 => INFINITY, -0.0 => -INFINITY, -1.0 => NAN, INFINITY => 0.0, -INFINITY => NAN, 4.0 => 0.5,
        SMALL => 6.703903964971299e153, TINY => 2f64.powi(537), 2f64.powi(1022) => 2f64.powi(-511));
    values!(sin_pi: 0.0 => 0.0, -0.0 => -0.0, 1.0 => 0.0, -3.0 => -0.0, 0.5 => 1.0, -1.5 => 1.0, 2.5 => 1.0, 3.5 => -1.0,
        1e300 => 0.0, -LARGE => -0.0, 4503599627370495.5 => -1.0, INFINITY => NAN, TINY => 1.5e-323, -TINY => -1.5e-323);
    values!(cos_pi: 0.0 => 1.0, 1.0 => -1.0, 0.5 => 0.0, -0.5 => 0.0, 1.5 => 0.0, 2.0 => 1.0, 9007199254740991.0 => -1.0,
        4503599627370495.5 => 0.0, 1e300 => 1.0, -INFINITY => NAN, TINY => 1.0);
    for (x, y, length) in [
        (3.0, -4.0, 5.0),
        (0.0, -0.0, 0.0),
        (-0.0, 2.0, 2.0),
        (INFINITY, NAN, INFINITY),
        (NAN, -INFINITY, INFINITY),
        (NAN, 1.0, NAN),
        (1.0, NAN, NAN),
        (NAN, NAN, NAN),
        (LARGE, LARGE, INFINITY),
        (3e300, 4e300, 5e300),
        (3.0 * TINY, 4.0 * TINY, 5.0 * TINY),
        (LARGE, 1.0, LARGE),
        (SMALL, 0.0, SMALL),
    ] {
        same(hypot(x, y), length);
        same(hypot(-y, x), length);
    }
    for n in 0..=22 {
        let power = (0..n).fold(1.0, |power, _| power * 10.0);
        same(exp10(f64::from(n)), power);
        same(log10(power), f64::from(n));
    }
    for nan in nans() {
        values!(exp10: nan => NAN);
        values!(log10: nan => NAN);
        values!(rsqrt: nan => NAN);
        values!(sin_pi: nan => NAN);
        values!(cos_pi: nan => NAN);
        assert_eq!(single::exp(nan as f32).to_bits(), 0x7fc0_0000);
    }
    for x in [0.0, -0.0, 1.25, -700.0, 1e300, INFINITY] {
        let (sine, cosine) = sin_cos(x);
        same(sine, sin(x));
        same(cosine, cos(x));
        same(sin_pi(-x), if x.is_finite() { -sin_pi(x) } else { NAN });
        same(cos_pi(-x), cos_pi(x));
    }
    assert_eq!(single::sin_cos(0.5), (single::sin(0.5), single::cos(0.5)));
    assert_eq!([single::powi(3.0, 2), single::hypot(3.0, 4.0), single::exp(89.0)], [9.0, 5.0, f32::INFINITY]);
}
