//! Sums against exact arithmetic: the sum of all terms as a big integer in units of 2^-1074, rounded by a search over
//! all f64.

use exact_sum::{BinnedSum, ExactSum, WORDS, round};
use num_bigint::BigInt;
use proptest::prelude::*;

use crate::oracle::{Random, exp2, nearest, power, units};

/// The sum that every order and grouping must give.
fn expected(terms: &[f64]) -> f64 {
    let nan = terms.iter().any(|term| term.is_nan());
    let infinite = |sign: f64| terms.contains(&(sign * f64::INFINITY));
    match (nan, infinite(1.0), infinite(-1.0)) {
        (true, _, _) | (_, true, true) => f64::from_bits(0x7ff8_0000_0000_0000),
        (_, true, _) => f64::INFINITY,
        (_, _, true) => f64::NEG_INFINITY,
        _ => nearest(&terms.iter().map(|&term| units(term)).sum()),
    }
}

fn exact(terms: &[f64]) -> ExactSum {
    let mut sum = ExactSum::new();
    sum.add_slice(terms);
    sum
}

fn binned(terms: &[f64]) -> BinnedSum {
    let mut sum = BinnedSum::new();
    sum.add_slice(terms);
    sum
}

/// Any f64, each exponent as likely as any other; also infinities and NaN.
fn any_bits() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits)
}

fn finite() -> impl Strategy<Value = f64> {
    any_bits().prop_filter("finite", |term| term.is_finite())
}

fn subnormal() -> impl Strategy<Value = f64> {
    (any::<bool>(), 0u64..1 << 53).prop_map(|(negative, bits)| {
        let magnitude = f64::from_bits(bits);
        if negative { -magnitude } else { magnitude }
    })
}

/// Few significant bits and few exponents: sums often meet ties and cancel to zero.
fn coarse() -> impl Strategy<Value = f64> {
    (-3i32..=3, prop::sample::select(vec![-1074, -1022, -1021, -54, -53, -1, 0, 1, 52, 53, 54, 1021, 1022]))
        .prop_map(|(factor, exponent)| f64::from(factor) * exp2(exponent))
}

/// Near the largest number: partial sums overflow.
fn huge() -> impl Strategy<Value = f64> {
    (any::<bool>(), 0x7fcu64..0x7ff, any::<u64>()).prop_map(|(negative, exponent, fraction)| {
        f64::from_bits(u64::from(negative) << 63 | exponent << 52 | (fraction >> 12))
    })
}

fn terms() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        prop::collection::vec(finite(), 0..60),
        prop::collection::vec(subnormal(), 0..60),
        prop::collection::vec(coarse(), 0..12),
        prop::collection::vec(huge(), 0..40),
        prop::collection::vec(-1.0..1.0f64, 0..60),
        prop::collection::vec(prop_oneof![coarse(), finite(), huge(), Just(0.0), Just(-0.0)], 0..40),
        prop::collection::vec(prop_oneof![20 => finite(), 1 => any_bits(), 1 => Just(f64::INFINITY)], 0..40),
    ]
}

/// The same terms twice with opposite signs, with a few exceptions: almost everything cancels.
fn cancelling() -> impl Strategy<Value = Vec<f64>> {
    (prop::collection::vec(finite(), 0..40), prop::collection::vec(prop_oneof![finite(), coarse()], 0..4))
        .prop_map(|(pairs, rest)| pairs.iter().copied().chain(pairs.iter().map(|x| -x)).chain(rest).collect())
}

fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

/// `terms` distributed among parts: `parts[i]` is the part of term i.
fn split(terms: &[f64], parts: &[usize], count: usize) -> Vec<Vec<f64>> {
    (0..count)
        .map(|part| terms.iter().zip(parts).filter(|&(_, &p)| p == part).map(|(&term, _)| term).collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_sum_is_the_correctly_rounded_sum(terms in prop_oneof![terms(), cancelling()]) {
        let (sum, expected) = (exact(&terms), expected(&terms));
        prop_assert!(same_bits(sum.value(), expected), "{:e} instead of {expected:e}", sum.value());
        prop_assert!(same_bits(round(&sum.words()), expected));
    }

    #[test]
    fn order_changes_no_bit((terms, shuffled) in prop_oneof![terms(), cancelling()]
        .prop_flat_map(|terms| (Just(terms.clone()), Just(terms).prop_shuffle())))
    {
        prop_assert_eq!(exact(&terms).words(), exact(&shuffled).words());
        prop_assert_eq!(binned(&terms).words(), binned(&shuffled).words());
        prop_assert!(same_bits(binned(&terms).value(), binned(&shuffled).value()));
    }

    #[test]
    fn parts_merged_in_any_order_change_no_bit(
        terms in terms(),
        parts in prop::collection::vec(0usize..7, 60),
        order in Just([0, 1, 2, 3, 4, 5, 6]).prop_shuffle(),
    ) {
        let parts = split(&terms, &parts, 7);
        let (mut merged, mut merged_binned) = (ExactSum::new(), BinnedSum::new());
        let mut by_words = [0u64; WORDS];
        for &part in &order {
            merged.merge(&exact(&parts[part]));
            for (word, other) in by_words.iter_mut().zip(exact(&parts[part]).words()) {
                *word = word.wrapping_add(other);
            }
            merged_binned.merge(&BinnedSum::from_words(&binned(&parts[part]).words()));
        }
        prop_assert_eq!(merged.words(), exact(&terms).words());
        prop_assert!(same_bits(round(&by_words), expected(&terms)));
        prop_assert_eq!(merged_binned.words(), binned(&terms).words());
    }

    #[test]
    fn merging_is_associative(terms in terms(), parts in prop::collection::vec(0usize..4, 60)) {
        let parts = split(&terms, &parts, 4);
        let tree = |pairs: [[usize; 2]; 2]| {
            let [left, right] = pairs.map(|[a, b]| {
                let (mut exact_sum, mut binned_sum) = (exact(&parts[a]), binned(&parts[a]));
                exact_sum.merge(&exact(&parts[b]));
                binned_sum.merge(&binned(&parts[b]));
                (exact_sum, binned_sum)
            });
            let (mut exact_sum, mut binned_sum) = left;
            exact_sum.merge(&right.0);
            binned_sum.merge(&right.1);
            (exact_sum.words(), binned_sum.words())
        };
        prop_assert_eq!(tree([[0, 1], [2, 3]]), tree([[3, 0], [2, 1]]));
    }

    #[test]
    fn binned_sum_keeps_its_bound(terms in prop_oneof![terms(), cancelling()]) {
        let (value, expected) = (binned(&terms).value(), expected(&terms));
        let largest = terms.iter().fold(0.0, |largest: f64, term| largest.max(term.abs()));
        if !terms.iter().all(|term| term.is_finite()) {
            prop_assert!(same_bits(value, expected));
        } else if value.is_finite() {
            let above = value.abs().next_up().min(f64::MAX);
            let ulp = units(above) - units(above.next_down());
            let error = units(value) - terms.iter().map(|&term| units(term)).sum::<BigInt>();
            let error = if error < BigInt::from(0) { -error } else { error };
            // Both sides times 2^81: n 2^-80 largest + ulp / 2.
            let bound = units(largest) * (2 * terms.len()) + ulp * power(80);
            prop_assert!(error * power(81) <= bound, "{value:e} instead of {expected:e}");
        } else {
            prop_assert!(expected.is_infinite() || expected.abs() > f64::MAX * (1.0 - 1e-15));
        }
    }

    #[test]
    fn binned_sum_in_blocks_is_the_sum_of_its_terms(
        start in terms(), scale in -1000i32..1000, seed in any::<u64>(), length in 900usize..2600)
    {
        // More terms than a block, the larger ones in the middle: windows rise within blocks and between them.
        let mut random = Random(seed);
        let numbers = (0..length).map(|i| {
            let rise = if i > length / 2 { 90 } else { 0 };
            random.signed() * exp2((scale + rise).clamp(-1022, 1022))
        });
        let terms: Vec<f64> = start.into_iter().chain(numbers).collect();
        let mut one_by_one = BinnedSum::new();
        terms.iter().rev().for_each(|&term| one_by_one.add(term));
        prop_assert_eq!(binned(&terms).words(), one_by_one.words());
    }
}

#[test]
fn ten_million_terms_are_summed_exactly() {
    // Multiples of 2^-66 up to 2: the exact sum fits in 128 bits.
    let mut random = Random(20);
    let (mut exact, mut binned, mut total) = (ExactSum::new(), BinnedSum::new(), 0i128);
    for _ in 0..10_000_000 {
        let integer = random.next() as i64 >> 10;
        let exponent = (random.next() % 14) as i32;
        let term = integer as f64 * exp2(exponent - 66);
        exact.add(term);
        binned.add(term);
        total += i128::from(integer) << exponent;
    }
    let expected = nearest(&(BigInt::from(total) * power(1074 - 66)));
    assert_eq!(exact.value(), expected);
    // All of these bits lie within the window of the binned sum.
    assert_eq!(binned.value(), expected);
}

#[test]
fn binned_sum_takes_any_number_of_largest_slices() {
    // 2^39 quanta, the largest slice, 2^25 times: running sums of 64 bits would overflow without renormalisation.
    let largest = exp2(39 + 40 * 25 - 1074);
    let terms = vec![largest; 1 << 20];
    let mut sum = BinnedSum::new();
    (0..32).for_each(|_| sum.add_slice(&terms));
    assert_eq!(sum.value(), largest * exp2(25));
}

#[test]
fn a_hundred_thousand_terms_of_all_exponents_are_summed_exactly() {
    let mut random = Random(3);
    let mut terms = Vec::new();
    while terms.len() < 100_000 {
        let term = f64::from_bits(random.next());
        if term.is_finite() {
            terms.push(term);
        }
    }
    let mut sum = exact(&terms);
    let total: BigInt = terms.iter().map(|&term| units(term)).sum();
    assert_eq!(sum.value(), nearest(&total));
    // The remainder after subtracting the rounded sum, and so on, down to the last bit.
    let mut rest = total;
    while rest != BigInt::from(0) {
        let part = nearest(&rest).clamp(-f64::MAX, f64::MAX);
        assert_eq!(sum.value().clamp(-f64::MAX, f64::MAX), part);
        sum.add(-part);
        rest -= units(part);
    }
    assert_eq!(sum.words(), [0; WORDS]);
}

#[test]
fn ties_are_rounded_to_even_in_every_binade() {
    for exponent in -1021..=1023 {
        // One and a half units in the last place: a tie between two neighbours.
        let (number, half) = (exp2(exponent), exp2(exponent - 53));
        for (terms, nearest) in [
            (vec![number, half], number),
            (vec![number, half, half, half], number.next_up().next_up()),
            (vec![-number, -half], -number),
        ] {
            assert_eq!(exact(&terms).value(), nearest, "2^{exponent}");
            assert_eq!(exact(&terms).value(), expected(&terms), "2^{exponent}");
        }
        if exponent > -1021 {
            let least = exp2(-1074);
            assert_eq!(exact(&[number, half, least]).value(), number.next_up(), "2^{exponent}");
            assert_eq!(exact(&[number, half, half, half, -least]).value(), number.next_up(), "2^{exponent}");
        }
    }
}

#[test]
fn sums_in_the_subnormal_range_are_exact() {
    let least = exp2(-1074);
    for count in [1u64, 2, 3, (1 << 10) - 1, 1 << 10] {
        let sum = exact(&vec![least; count as usize]);
        assert_eq!(sum.value().to_bits(), count);
    }
    // Across the boundary to normal numbers, whose spacing is the same.
    let largest_subnormal = f64::from_bits((1 << 52) - 1);
    assert_eq!(exact(&[largest_subnormal, least]).value(), f64::MIN_POSITIVE);
    assert_eq!(exact(&[f64::MIN_POSITIVE, -least]).value(), largest_subnormal);
}

#[test]
fn only_the_total_overflows() {
    let max = f64::MAX;
    let half_ulp = exp2(970);
    assert_eq!(exact(&[max, max, max, -max, -max]).value(), max);
    assert_eq!(binned(&[max, max, max, -max, -max]).value(), max);
    assert_eq!(exact(&[max, max]).value(), f64::INFINITY);
    assert_eq!(exact(&[-max, -half_ulp]).value(), f64::NEG_INFINITY);
    assert_eq!(exact(&[max, half_ulp, -exp2(-1074)]).value(), max);
}
