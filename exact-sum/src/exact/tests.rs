use std::vec;
use std::vec::Vec;

use super::*;
use crate::fixed_point::SUM_DIGITS as DIGITS;
use crate::slices::all_kinds_of_terms;

fn exact(terms: &[f64]) -> ExactSum {
    let mut sum = ExactSum::new();
    sum.add_slice(terms);
    sum
}

fn sum(terms: &[f64]) -> f64 {
    exact(terms).value()
}

#[test]
fn what_cancels_in_between_is_kept() {
    assert_eq!(sum(&[1.0, 1e100, 1.0, -1e100]), 2.0);
    assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX, -f64::MAX, 5e-324]), 5e-324);
    assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
}

#[test]
fn zero_is_positive_and_so_is_the_empty_sum() {
    for terms in [&[][..], &[0.0], &[-0.0], &[-0.0, -0.0], &[1.5, -1.5], &[5e-324, -5e-324]] {
        assert_eq!(sum(terms).to_bits(), 0, "{terms:?}");
    }
}

#[test]
fn infinities_and_nan_follow_ieee_with_one_nan() {
    const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
    let (inf, signalling) = (f64::INFINITY, f64::from_bits(0x7ff0_0000_0000_0001));
    for (terms, expected) in [
        ([1.0, inf, -1e308], inf),
        ([-inf, f64::MAX, -inf], -inf),
        ([inf, 0.0, -inf], NAN),
        ([f64::NAN, 1.0, 1.0], NAN),
        ([-f64::NAN, inf, inf], NAN),
        ([signalling, 1.0, -inf], NAN),
    ] {
        assert_eq!(sum(&terms).to_bits(), expected.to_bits(), "{terms:?}");
        let words = terms.map(|term| exact(&[term]).words());
        let total: Vec<u64> =
            (0..WORDS).map(|i| words.iter().fold(0, |sum: u64, w| sum.wrapping_add(w[i]))).collect();
        assert_eq!(round(&total).to_bits(), expected.to_bits(), "{terms:?}, one rank each");
    }
}

#[test]
fn draining_gives_the_words_and_leaves_an_empty_sum() {
    let mut sum = exact(&[1e-310, -7.25, 3e200, f64::INFINITY]);
    let words = sum.words();
    let mut drained = [1; WORDS];
    sum.drain_words(&mut drained);
    assert_eq!(drained, words);
    assert_eq!(sum.words(), [0; WORDS]);
    sum.add(0.5);
    sum.clear();
    assert_eq!(sum.words(), [0; WORDS]);
}

#[test]
fn equal_sums_have_equal_words() {
    assert_eq!(exact(&[3.0, -1.0, 0.5, 1e-300, -1e-300]).words(), exact(&[2.5]).words());
}

#[test]
fn terms_of_all_lanes_are_added_like_terms_one_by_one() {
    fn check<const W: usize>(terms: &[f64]) {
        let mut lanes = ExactSum::new();
        let (mut others, mut alone) = (ExactSum::new(), ExactSum::new());
        for (i, group) in terms.chunks_exact(W).enumerate() {
            let sum = if i % 3 == 0 { &mut others } else { &mut lanes };
            sum.add_lanes::<W, [f64; W]>(group.try_into().expect("W of them"));
            alone.add_slice(group);
            if i % 50 == 0 {
                lanes.merge(&others);
                others.clear();
                assert_eq!(lanes.words(), alone.words(), "{W} lanes, group {i}");
                assert_eq!(lanes.value().to_bits(), alone.value().to_bits());
            }
            if i % 400 == 0 {
                let (mut drained, expected) = ([0; WORDS], alone.words());
                lanes.drain_words(&mut drained);
                assert_eq!(drained, expected, "{W} lanes, group {i}");
                alone.clear();
            }
        }
        for special in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let mut sum = lanes.clone();
            sum.add_lanes::<W, [f64; W]>(std::array::from_fn(|i| if i == 1 { special } else { 1.0 }));
            sum.merge(&others);
            alone.merge(&others);
            assert_eq!(sum.value().is_nan(), special.is_nan());
            assert!(special.is_nan() || sum.value() == special);
        }
    }
    let terms = all_kinds_of_terms();
    check::<2>(&terms);
    check::<4>(&terms);
    check::<8>(&terms);
}

#[test]
fn slices_of_any_length_have_the_same_words_in_all_registers() {
    let terms = all_kinds_of_terms();
    let mut alone = ExactSum::new();
    let mut registers: Vec<(usize, ExactSum)> =
        [1, 4, 8].into_iter().map(|lanes| (lanes, ExactSum::new())).collect();
    let (mut rest, mut length) = (&terms[..], 0);
    while !rest.is_empty() {
        length = (length * 5 + 3) % 211;
        let slice = rest.split_off(..length.min(rest.len())).expect("not more than there are");
        alone.total.add_numbers(slice);
        registers.retain_mut(|(lanes, sum)| sum.add_slice_in_lanes(*lanes, slice));
        for (lanes, sum) in &registers {
            assert_eq!(sum.words(), alone.words(), "{lanes} lanes, {} terms left", rest.len());
        }
    }
    assert_eq!(registers.len(), Registers::available().count());
    assert!(!alone.add_slice_in_lanes(3, &terms));
}

#[test]
fn all_zeros_are_the_empty_sum_and_other_words_are_not_taken_for_one() {
    // SAFETY: a sum has no padding, and any of its fields can be zero.
    let zeros: ExactSum = unsafe { core::mem::zeroed() };
    assert!(zeros.is_intact() && zeros.is_zero() && ExactSum::new().is_intact());
    let mut sum = exact(&[1e-300, 1e300, 3.0]);
    sum.add(2.0);
    assert!(sum.is_intact() && !sum.is_zero());
    sum.pending = u64::MAX;
    assert!(!sum.is_intact());
    for word in [u64::MAX, 0xa5a5_a5a5_a5a5_a5a5, 1] {
        // SAFETY: every field consists of words, which may have any value.
        let odd: ExactSum = unsafe { core::mem::transmute([word; size_of::<ExactSum>() / 8]) };
        assert!(!odd.is_intact(), "{word:x}");
    }
}

#[test]
fn digits_of_either_sign_add_up_to_the_number_they_write() {
    // 2^63 at the unit 2^-1074, and signed digits that take part of it back.
    let mut digits = vec![0u64; DIGITS];
    (digits[1], digits[0]) = (1 << 31, (-5i64) as u64);
    let mut sum = exact(&[5.0 * 5e-324]);
    sum.add_digits(&digits, false, false);
    assert_eq!(sum.value().to_bits(), 2f64.powi(63 - 1074).to_bits());
    // The largest numbers' digits: 2^1023 is digit 65's 2^17.
    let mut digits = vec![0u64; DIGITS];
    digits[65] = 1 << 17;
    let mut sum = ExactSum::new();
    sum.add_digits(&digits, false, false);
    assert_eq!(sum.value(), 2f64.powi(1023));
    digits[65] = (-(1i64 << 18)) as u64;
    sum.add_digits(&digits, false, false);
    assert_eq!(sum.value(), -(2f64.powi(1023)));
    sum.add_digits(&[], true, true);
    assert!(sum.value().is_nan());
}

#[test]
fn merging_is_adding_the_terms_of_both() {
    let mut sum = exact(&[1e16, 1.0]);
    sum.merge(&exact(&[1.0]));
    assert_eq!(sum.value(), 1e16 + 2.0);
    sum.merge(&exact(&[1.0, f64::INFINITY]));
    assert_eq!(sum.value(), f64::INFINITY);
}
