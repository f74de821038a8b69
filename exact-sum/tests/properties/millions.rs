//! A million random sums and dot products, each in several orders and groupings.

use exact_sum::{ExactDot, ExactSum, WORDS, round};
use num_bigint::BigInt;

use crate::oracle::{DOUBLE, Random, SINGLE, nearest, units};

/// A development build is not optimised enough for more.
const CASES: u64 = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };

/// Exponents of a case's terms, from the widest range to the narrowest.
const BINADES: [u64; 8] = [2046, 1000, 300, 120, 60, 40, 12, 2];

/// A number of either sign with one of `binades` exponent fields from `lowest` on; in one of 4 cases with few bits set,
/// so that ties occur.
fn number(random: &mut Random, lowest: u64, binades: u64) -> f64 {
    let bits = random.next();
    let exponent = (lowest + (random.next() >> 20) % binades).min(2046);
    let fraction = if bits & 3 == 0 { bits >> 50 << 49 } else { bits >> 12 };
    f64::from_bits((bits >> 2 & 1) << 63 | exponent << 52 | fraction & ((1 << 52) - 1))
}

/// Up to 24 numbers; in one case of four, all but a few cancel.
fn numbers(random: &mut Random) -> Vec<f64> {
    let binades = BINADES[(random.next() >> 30) as usize % BINADES.len()];
    let lowest = (random.next() >> 20) % (2048 - binades);
    let count = (random.next() >> 30) % 25;
    let mut numbers: Vec<f64> = (0..count).map(|_| number(random, lowest, binades)).collect();
    if random.next() >> 62 == 0 {
        let rest = numbers.len() / 4;
        let opposite: Vec<f64> = numbers[rest..].iter().map(|number| -number).collect();
        numbers.extend(opposite);
    }
    numbers
}

#[track_caller]
fn assert_same(found: f64, expected: f64, what: &str, terms: &[f64]) {
    // An exact zero is +0.
    let expected = if expected == 0.0 { expected.abs() } else { expected };
    assert_eq!(found.to_bits(), expected.to_bits(), "{what}: {found:e}, not {expected:e}, {terms:?}");
}

#[test]
fn a_million_sums_are_the_numbers_nearest_to_their_totals() {
    let mut random = Random(7);
    let (mut sum, mut other) = (ExactSum::new(), ExactSum::new());
    for case in 0..CASES {
        let terms = numbers(&mut random);
        let total: BigInt = terms.iter().map(|&term| units(term)).sum();
        let expected = DOUBLE.nearest(&total, -1074);
        if case % 1000 == 0 {
            assert_eq!(expected, nearest(&total), "two ways to round");
        }
        sum.clear();
        sum.add_slice(&terms);
        assert_same(sum.value(), expected, "a slice", &terms);
        let single = SINGLE.nearest(&total, -1074);
        assert_eq!(f64::from(sum.value_f32()).to_bits(), single.to_bits(), "single: {terms:?}");
        sum.clear();
        terms.iter().rev().for_each(|&term| sum.add(term));
        assert_same(sum.value(), expected, "one by one, backwards", &terms);
        // In two parts, merged as accumulators, as words and as bytes.
        let (left, right) = terms.split_at((random.next() >> 20) as usize % (terms.len() + 1));
        sum.clear();
        other.clear();
        sum.add_slice(left);
        other.add_slice(right);
        let (words, others) = (sum.words(), other.words());
        let added: [u64; WORDS] = std::array::from_fn(|i| words[i].wrapping_add(others[i]));
        assert_same(round(&added), expected, "words", &terms);
        let read = ExactSum::from_bytes(&other.to_bytes()).expect("bytes of a sum");
        sum.merge(&read);
        assert_same(sum.value(), expected, "merged", &terms);
        sum.subtract_sum(&other);
        assert_eq!(sum.words(), words, "{terms:?}");
    }
}

#[test]
fn a_million_dot_products_are_the_numbers_nearest_to_their_totals() {
    let mut random = Random(11);
    let (mut dot, mut other) = (ExactDot::new(), ExactDot::new());
    let mut underflows = 0;
    for _ in 0..CASES {
        let (mut a, mut b) = (numbers(&mut random), numbers(&mut random));
        let count = a.len().min(b.len());
        a.truncate(count);
        b.truncate(count);
        let total: BigInt = a.iter().zip(&b).map(|(&a, &b)| units(a) * units(b)).sum();
        let zero = total == BigInt::from(0);
        let expected = DOUBLE.nearest(&total, -2148);
        underflows += u32::from(expected == 0.0 && !zero);
        dot.clear();
        dot.add_products(&a, &b);
        assert_eq!(dot.value().to_bits(), expected.to_bits(), "a slice: {a:?} {b:?}");
        let single = SINGLE.nearest(&total, -2148);
        assert_eq!(f64::from(dot.value_f32()).to_bits(), single.to_bits(), "single: {a:?} {b:?}");
        assert_eq!(dot.is_zero(), zero);
        dot.clear();
        other.clear();
        let half = count / 2;
        (half..count).rev().for_each(|i| dot.add_product(b[i], a[i]));
        other.add_products(&a[..half], &b[..half]);
        dot.merge(&ExactDot::from_bytes(&other.to_bytes()).expect("bytes of a dot product"));
        assert_eq!(dot.value().to_bits(), expected.to_bits(), "parts: {a:?} {b:?}");
    }
    assert!(underflows > 1000, "{underflows} totals too small for a number");
}
