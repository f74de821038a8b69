//! Errors against values of big-number arithmetic (`reference.py`, and `tables/hard.cpp` for hard arguments).

use std::collections::BTreeMap;

type One = fn(f64) -> f64;
type Two = fn(f64, f64) -> f64;

const ONE: [(&str, One); 27] = [
    ("exp", same_math::exp),
    ("exp2", same_math::exp2),
    ("exp_m1", same_math::exp_m1),
    ("ln", same_math::ln),
    ("log2", same_math::log2),
    ("ln_1p", same_math::ln_1p),
    ("cbrt", same_math::cbrt),
    ("sin", same_math::sin),
    ("cos", same_math::cos),
    ("tan", same_math::tan),
    ("atan", same_math::atan),
    ("asin", same_math::asin),
    ("acos", same_math::acos),
    ("sinh", same_math::sinh),
    ("cosh", same_math::cosh),
    ("tanh", same_math::tanh),
    ("exp10", same_math::exp10),
    ("log10", same_math::log10),
    ("rsqrt", same_math::rsqrt),
    ("sin_pi", same_math::sin_pi),
    ("cos_pi", same_math::cos_pi),
    ("asinh", same_math::asinh),
    ("acosh", same_math::acosh),
    ("atanh", same_math::atanh),
    ("erf", same_math::erf),
    ("gamma", same_math::gamma),
    ("ln_gamma", same_math::ln_gamma),
];
/// Those without published hard arguments.
const NOT_HARD: [&str; 12] = [
    "exp10", "log10", "rsqrt", "sin_pi", "cos_pi", "hypot", "asinh", "acosh", "atanh", "erf", "gamma",
    "ln_gamma",
];
const TWO: [(&str, Two); 3] =
    [("atan2", same_math::atan2), ("powf", same_math::powf), ("hypot", same_math::hypot)];

/// A function's tolerance in ulp: a little more than the measured error.
fn allowed(name: &str) -> f64 {
    match name {
        "cbrt" => 0.501,
        "sin" | "cos" => 0.85,
        "tanh" | "powf" | "exp" | "exp2" | "exp10" | "sin_pi" | "cos_pi" => 0.8,
        "rsqrt" | "ln_gamma" => 0.501,
        // Subnormal results are rounded twice.
        "gamma" => 0.751,
        "hypot" => 0.751,
        _ => 0.75,
    }
}

/// A double's index among all doubles.
fn place(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

/// The bits of a number, in hexadecimal digits.
fn number(digits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(digits, 16).expect("a field is bits"))
}

/// Compares a function with its exact value, given by the nearest double and the rest in thousandths of an ulp. Next to
/// a power of two, an ulp has two sizes; the error is measured in the smaller one.
fn check(name: &str, arguments: &[&str], nearest: &str, rest: &str) {
    let value = match *arguments {
        [x] => ONE.iter().find(|(own, _)| *own == name).expect("a function").1(number(x)),
        [x, y] => TWO.iter().find(|(own, _)| *own == name).expect("a function").1(number(x), number(y)),
        _ => panic!("{name} of {arguments:?}"),
    };
    let (nearest, rest): (f64, f64) = (number(nearest), rest.parse().expect("thousandths of an ulp"));
    let error = ((place(value) - place(nearest)) as f64 - rest / 1000.0).abs();
    assert!(error <= allowed(name), "{name} {arguments:?}: {value:e}, wrong by {error:.3} ulp");
    if name == "cbrt" {
        assert_eq!(value.to_bits(), nearest.to_bits(), "{name} {arguments:?}");
    }
}

#[test]
fn results_are_within_an_ulp_of_big_numbers_and_cube_roots_are_the_nearest() {
    let mut tried = 0;
    for line in include_str!("reference.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [name, arguments @ .., nearest, rest] = fields.as_slice() else { panic!("{line}") };
        check(name, arguments, nearest, rest);
        tried += 1;
    }
    assert!(tried > 7000);
}

/// Published arguments with results that are hard to round, with a hard reduction, or with powers that are exact or
/// halfway.
#[test]
fn results_at_hard_arguments_are_within_an_ulp_and_cube_roots_are_the_nearest() {
    let mut hard = BTreeMap::new();
    for line in include_str!("hard.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [name, arguments @ .., nearest, rest, equal_bits] = fields.as_slice() else { panic!("{line}") };
        check(name, arguments, nearest, rest);
        *hard.entry(*name).or_insert(0) += u32::from(equal_bits.parse().unwrap_or(u32::MAX) >= 36);
    }
    for name in ONE.iter().map(|(name, _)| name).chain(TWO.iter().map(|(name, _)| name)) {
        if NOT_HARD.contains(name) {
            continue;
        }
        assert!(hard[name] >= 7, "{name}: {} arguments with 36 equal bits or more", hard[name]);
    }
}

#[test]
fn integer_powers_are_within_an_ulp_of_big_numbers() {
    // At most one double away from powf, whose values are checked; exact products below.
    let mut state = 5u64;
    for _ in 0..20_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = f64::from_bits((state >> 12) | ((1023 - 2 + (state & 3)) << 52));
        for n in [-40, -17, -16, -5, -2, 3, 4, 7, 11, 16, 17, 33] {
            let (product, power) = (same_math::powi(x, n), same_math::powf(x, f64::from(n)));
            assert!((place(product) - place(power)).abs() <= 1, "{x:e}^{n}: {product:e}, {power:e}");
            assert_eq!(same_math::powi(-x, n), if n % 2 == 0 { product } else { -product });
        }
        assert_eq!(same_math::powi(x, 2), x * x);
        assert_eq!(same_math::powi(x, 1), x);
        assert_eq!(same_math::powi(x, 0), 1.0);
        assert_eq!(same_math::powi(x, -1), 1.0 / x);
    }
}
