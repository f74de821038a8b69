//! Roots, differences, traits, strides, single precision and complex numbers, against big integers.

use exact_sum::{ComplexDot, ComplexSum, ExactDot, ExactSum};
use num_bigint::BigInt;

use crate::oracle::{DOUBLE, Random, exp2, nearest, units};

/// A number of any exponent within `binades` around 1, or zero.
fn number(random: &mut Random, binades: i32) -> f64 {
    let exponent = (random.next() >> 33) as i32 % binades - binades / 2;
    let half = exponent / 2;
    random.signed()
        * exp2(half)
        * exp2(exponent - half)
        * f64::from(u8::from(!random.next().is_multiple_of(16)))
}

fn numbers(random: &mut Random, count: usize, binades: i32) -> Vec<f64> {
    (0..count).map(|_| number(random, binades)).collect()
}

/// In units of 2^-2148.
fn total(a: &[f64], b: &[f64]) -> BigInt {
    a.iter().zip(b).map(|(&a, &b)| units(a) * units(b)).sum()
}

/// Whether `root` is the f64 nearest to the square root of a total in units of 2^-2148.
fn is_nearest_root(root: f64, total: &BigInt) -> bool {
    let four = total * 4;
    let neighbour = |bits: u64| match f64::from_bits(bits) {
        f64::INFINITY => BigInt::from(1) << 2098u32,
        number => units(number),
    };
    let even = root.to_bits().is_multiple_of(2);
    let middle = |bits: u64| (units(root) + neighbour(bits)).pow(2);
    let above = middle(root.to_bits() + 1);
    let reaches = root == 0.0 || {
        let below = middle(root.to_bits() - 1);
        below < four || even && below == four
    };
    reaches && (four < above || even && four == above)
}

#[test]
fn roots_of_totals_are_the_nearest_numbers() {
    let mut random = Random(5);
    for case in 0..100_000 {
        let binades = [2, 60, 500, 2000][case % 4];
        let count = 1 + case % 5;
        let a = numbers(&mut random, count, binades);
        let mut dot = ExactDot::new();
        dot.add_squares(&a);
        assert!(is_nearest_root(dot.sqrt(), &total(&a, &a)), "{a:?}: {:e}", dot.sqrt());
    }
    // Squares of numbers with a bit more than an f64 are ties.
    for odd in 1..2000u64 {
        let (high, low) = (exp2(53) + 2.0 * odd as f64, if odd % 3 == 0 { 1.0 } else { -1.0 });
        for (change, scale) in [(0.0, 1.0), (1e-300, exp2(-500)), (-1e-300, exp2(400))] {
            let (a, b) = ([high, 2.0 * high, low, change], [high, low, low, 1.0]);
            let [a, b] = [a, b].map(|factors| factors.map(|factor| factor * scale));
            let dot: ExactDot = a.into_iter().zip(b).collect();
            assert!(is_nearest_root(dot.sqrt(), &total(&a, &b)), "{a:?} {b:?}");
        }
    }
    // The least and the largest totals.
    for (a, b, root) in [
        (5e-324, 5e-324, 5e-324),
        (5e-324, 1e-323, 5e-324),
        (5e-324, 1.5e-323, 1e-323),
        (f64::MAX, f64::MAX, f64::MAX),
        (f64::MAX, f64::INFINITY, f64::INFINITY),
        (0.0, 5.0, 0.0),
    ] {
        assert_eq!(ExactDot::from_iter([(a, b)]).sqrt(), root, "{a:e} {b:e}");
    }
    let mut beyond = ExactDot::new();
    beyond.add_squares(&[f64::MAX, f64::MAX]);
    assert_eq!(beyond.sqrt(), f64::INFINITY);
    for negative in [(-1.0, 5e-324), (-1.0, f64::INFINITY), (0.0, f64::NAN)] {
        assert_eq!(ExactDot::from_iter([negative]).sqrt().to_bits(), 0x7ff8_0000_0000_0000);
    }
}

#[test]
fn differences_of_dot_products_are_the_nearest_numbers() {
    let mut random = Random(6);
    for case in 0..20_000 {
        let binades = [4, 100, 1500][case % 3];
        let [a, b, c, d] = [0; 4].map(|_| numbers(&mut random, case % 40, binades));
        let (mut dot, mut other) = (ExactDot::new(), ExactDot::new());
        dot.add_products(&a, &b);
        other.add_products(&c, &d);
        let expected = DOUBLE.nearest(&(total(&a, &b) - total(&c, &d)), -2148);
        let mut difference = dot.clone();
        difference -= &other;
        assert_eq!(difference.value().to_bits(), expected.to_bits());
        dot.subtract_products(&c, &d);
        assert_eq!(dot.value().to_bits(), expected.to_bits());
        assert_eq!(dot, difference);
        difference += &other;
        assert_eq!(difference.value(), DOUBLE.nearest(&total(&a, &b), -2148));
    }
}

#[test]
fn iterators_operators_and_single_precision_give_the_same_sums() {
    let mut random = Random(7);
    for count in [0, 1, 255, 256, 257, 1000, 5000] {
        let terms = numbers(&mut random, count, 200);
        let sum = |terms: &mut dyn Iterator<Item = f64>| nearest(&terms.map(units).sum());
        let collected: ExactSum = terms.iter().collect();
        assert_eq!(collected.value(), sum(&mut terms.iter().copied()));
        assert_eq!(terms.iter().sum::<ExactSum>(), collected);
        assert_eq!(terms.iter().map(|&term| ExactSum::from(term)).sum::<ExactSum>(), collected);
        let mut strided = ExactSum::new();
        strided.extend(terms.iter().step_by(3));
        assert_eq!(strided.value(), sum(&mut terms.iter().copied().step_by(3)));
        assert_eq!(
            strided == collected,
            sum(&mut terms.iter().enumerate().filter(|(i, _)| i % 3 > 0).map(|(_, &t)| t)) == 0.0
        );
        let mut both = collected.clone();
        both += &strided;
        both -= &collected;
        for &term in terms.iter().step_by(3) {
            both -= term;
        }
        assert!(both.is_zero() && both == ExactSum::new());

        let singles: Vec<f32> = terms.iter().map(|&term| term as f32).collect();
        let wide: Vec<f64> = singles.iter().map(|&single| f64::from(single)).collect();
        let of_singles: ExactSum = singles.iter().collect();
        assert_eq!(of_singles, wide.iter().sum());
        let mut one_by_one = ExactSum::new();
        singles.iter().for_each(|&single| one_by_one.add_f32(single));
        assert_eq!(one_by_one, of_singles);
        let reversed: Vec<f32> = singles.iter().rev().copied().collect();
        let wide_reversed: Vec<f64> = wide.iter().rev().copied().collect();
        let mut dot = ExactDot::new();
        dot.add_f32_products(&singles, &reversed);
        assert_eq!(dot, wide.iter().copied().zip(wide_reversed.iter().copied()).collect());
        let expected = DOUBLE.nearest(&total(&wide, &wide_reversed), -2148);
        assert_eq!(dot.value(), expected);
    }
}

#[test]
fn parts_of_complex_sums_and_products_are_the_nearest_numbers() {
    let mut random = Random(8);
    for count in [0, 1, 2, 40, 300, 700] {
        let [a, b] = [0; 2].map(|_| -> Vec<[f64; 2]> {
            (0..count).map(|_| [number(&mut random, 200), number(&mut random, 900)]).collect()
        });
        let part = |of: &[[f64; 2]], i: usize| of.iter().map(|number| number[i]).collect::<Vec<_>>();
        let (mut sum, mut alone) = (ComplexSum::new(), ComplexSum::new());
        sum.add_slice(&a);
        a.iter().for_each(|&term| alone.add(term));
        assert_eq!(sum.value(), [0, 1].map(|i| nearest(&part(&a, i).into_iter().map(units).sum())));
        assert_eq!(sum, alone);
        sum.merge(&alone);
        assert_eq!(
            sum.value(),
            [0, 1].map(|i| nearest(&(part(&a, i).into_iter().map(units).sum::<BigInt>() * 2)))
        );
        let product = |i: usize, j: usize| total(&part(&a, i), &part(&b, j));
        let value = |re: BigInt, im: BigInt| [re, im].map(|total| DOUBLE.nearest(&total, -2148));
        let (mut dot, mut conjugate) = (ComplexDot::new(), ComplexDot::new());
        dot.add_products(&a, &b);
        assert_eq!(dot.value(), value(product(0, 0) - product(1, 1), product(0, 1) + product(1, 0)));
        conjugate.add_conjugate_products(&a, &b);
        assert_eq!(conjugate.value(), value(product(0, 0) + product(1, 1), product(0, 1) - product(1, 0)));
        dot.merge(&conjugate);
        assert_eq!(dot.value(), value(product(0, 0) * 2, product(0, 1) * 2));
    }
}
