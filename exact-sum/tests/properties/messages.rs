//! Words, bytes and shorter messages of sums, and how many terms and ranks there may be.

use exact_sum::{BYTES, BytesError, DigitRange, ExactDot, ExactSum, Part, WORDS, round};
use num_bigint::BigInt;
use proptest::prelude::*;

use crate::oracle::{DOUBLE, Random, exp2, power, units};

fn exact(terms: &[f64]) -> ExactSum {
    let mut sum = ExactSum::new();
    sum.add_slice(terms);
    sum
}

/// Word by word, as MPI_SUM adds.
fn add(words: &mut [u64], others: &[u64]) {
    words.iter_mut().zip(others).for_each(|(word, other)| *word = word.wrapping_add(*other));
}

/// The words of so many ranks that all have this sum.
fn of_ranks(sum: &ExactSum, ranks: u64) -> [u64; WORDS] {
    sum.words().map(|word| word.wrapping_mul(ranks))
}

#[test]
fn two_billion_ranks_are_the_most_whose_words_can_be_added() {
    const MOST: u64 = (1 << 31) - 1;
    // All digits 2^32 - 1, the worst of all: the least negative number, and 2^64 of the largest ones.
    let mut largest = exact(&[f64::MAX, -exp2(-1074)]);
    for _ in 0..64 {
        let same = largest.clone();
        largest.merge(&same);
    }
    for (sum, total) in [
        (exact(&[-exp2(-1074)]), BigInt::from(-1)),
        (exact(&[1.0, -exp2(-1074)]), power(1074) - 1),
        (exact(&[exp2(-1074) - exp2(900)]), units(exp2(-1074) - exp2(900))),
    ] {
        let words = of_ranks(&sum, MOST);
        assert_eq!(round(&words), DOUBLE.nearest(&(total * MOST), -1074));
        // As integers with a sign, which some libraries take the words for, no partial sum overflows.
        for word in sum.words() {
            assert!((word as i64).checked_mul(MOST as i64).is_some());
        }
        // What is made of the words is a sum like any other.
        let mut again = ExactSum::from_words(&words);
        again.subtract_sum(&ExactSum::from_words(&of_ranks(&sum, MOST - 1)));
        assert_eq!(again.words(), sum.words());
    }
    let mut again = ExactSum::from_words(&of_ranks(&largest, MOST));
    again.subtract_sum(&ExactSum::from_words(&of_ranks(&largest, MOST - 1)));
    assert_eq!((again.words(), again.value()), (largest.words(), f64::INFINITY));
    // One rank more, and the digits of the worst numbers overflow when they are carried.
    let digit = u128::from(u32::MAX);
    let carried = |ranks: u128| digit * ranks + ranks;
    assert!(carried(MOST.into()) < 1 << 63 && carried(u128::from(MOST) + 1) >= 1 << 63);
    // Special values of all ranks do not mix.
    let words = of_ranks(&exact(&[f64::INFINITY]), MOST);
    assert_eq!(round(&words), f64::INFINITY);
    assert_eq!(round(&of_ranks(&exact(&[f64::NEG_INFINITY]), MOST)), f64::NEG_INFINITY);
}

#[test]
fn sums_of_two_to_the_64_terms_come_back() {
    for term in [f64::MAX, -f64::MAX, exp2(-1074), -1.0 / 3.0] {
        let mut sum = exact(&[term]);
        for _ in 0..64 {
            let same = sum.clone();
            sum.merge(&same);
        }
        assert_eq!(sum.value(), if term.abs() == f64::MAX { term * 2.0 } else { term * exp2(64) });
        let mut rest = sum.clone();
        for _ in 0..3 {
            rest.subtract_sum(&sum);
        }
        rest.merge(&sum);
        rest.merge(&sum);
        rest.subtract(term);
        assert_eq!(rest.value(), -term);
    }
}

#[test]
fn bytes_are_the_same_everywhere_and_damage_is_noticed() {
    let sum = exact(&[-1.5, exp2(-1074)]);
    let bytes = sum.to_bytes();
    // Written down: -1.5 + 2^-1074 is -(3 2^1073 - 1) units.
    assert_eq!(bytes[..16], *b"XSUM\x01\0\0\0\x01\0\0\0\0\0\0\0");
    assert_eq!(bytes[8 + 8 * 33..][..16], [0, 0, 0xfa, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    assert_eq!(bytes[8 + 8 * 67..], [[0xff; 8], [0; 8]].concat());
    assert_eq!(ExactSum::from_bytes(&bytes).expect("bytes of a sum").words(), sum.words());

    let wrong = |at: usize, byte: u8| {
        let mut bytes = bytes;
        bytes[at] = byte;
        ExactSum::from_bytes(&bytes).expect_err("damaged")
    };
    assert_eq!(wrong(0, b'Y'), BytesError::Header);
    assert_eq!(wrong(4, 2), BytesError::Version(2));
    assert_eq!(wrong(5, 1), BytesError::Header);
    assert_eq!(wrong(12, 1), BytesError::Digit);
    assert_eq!(wrong(BYTES - 1, 1), BytesError::Digit);
    assert_eq!(wrong(8 + 8 * 67 + 7, 0x7f), BytesError::Digit);
    let length = ExactSum::from_bytes(&bytes[1..]).expect_err("too short");
    assert_eq!(length, BytesError::Length { found: BYTES - 1, expected: BYTES });
    assert_eq!(
        ExactDot::from_bytes(&bytes).expect_err("a sum"),
        BytesError::Length { found: BYTES, expected: 1096 }
    );
    for error in [wrong(0, b'Y'), wrong(4, 2), wrong(12, 1), length] {
        assert!(error.to_string().len() > 20, "{error}");
    }
}

/// A message of all ranks: short, and whole where somebody's part does not fit.
fn send(parts: &[Part], range: &mut DigitRange) -> f64 {
    if parts.iter().all(|part| range.fits(part)) {
        let mut digits = vec![0; range.len()];
        parts.iter().for_each(|part| add(&mut digits, part.digits(range)));
        let value = range.round(&digits);
        range.follow(&digits);
        value
    } else {
        let mut words = vec![0; WORDS];
        parts.iter().for_each(|part| add(&mut words, part.words()));
        range.miss(&words);
        round(&words)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_range_of_digits_gives_the_value(
        seed in any::<u64>(), ranks in 1usize..9, first in 0usize..70, length in 0usize..70, binades in 1u64..300)
    {
        let mut random = Random(seed);
        let mut range = DigitRange::new(first..first + length);
        for step in 0..30u64 {
            let lowest = (random.next() >> 30) % (2046 - binades);
            let special = if step == 20 { f64::INFINITY } else { 0.0 };
            let mut all = exact(&[special]);
            let parts: Vec<Part> = (0..ranks).map(|rank| {
                let mut sum = exact(if rank == 0 { std::slice::from_ref(&special) } else { &[] });
                for _ in 0..random.next() >> 61 {
                    let exponent = lowest + (random.next() >> 30) % binades;
                    let term = f64::from_bits(random.next() & !(0x7ff << 52) | exponent << 52);
                    sum.add(term);
                    all.add(term);
                }
                prop_assert_eq!(round(sum.part().words()).to_bits(), sum.value().to_bits());
                Ok(sum.drain_part())
            }).collect::<Result<_, TestCaseError>>()?;
            prop_assert_eq!(send(&parts, &mut range).to_bits(), all.value().to_bits());
        }
    }
}

#[test]
fn a_range_follows_what_is_sent() {
    let parts =
        |terms: &[f64]| -> Vec<Part> { terms.iter().map(|&term| exact(&[term]).drain_part()).collect() };
    let mut range = DigitRange::WHOLE;
    assert!(range.is_whole() && range.len() == WORDS);
    send(&parts(&[1.0, 0.3, -2.5]), &mut range);
    assert_eq!(range.len(), 3, "53 bits, and some below");
    // The same again does not change it, a term that needs more does once.
    send(&parts(&[1.0, 0.3, -2.5]), &mut range);
    assert_eq!(range.len(), 3);
    assert_eq!(send(&parts(&[1.0, 1e30, -2.5]), &mut range), 1e30);
    assert_eq!(range.len(), 6, "from 0.3's last bit to 1e30");
    // What cancels shows in no digit: for some time whole parts are sent, then a range is tried again, ever more rarely.
    let mut whole = 0;
    for _ in 0..1000 {
        assert_eq!(send(&parts(&[1e200, 1.0, -1e200]), &mut range), 1.0);
        whole += u32::from(range.is_whole());
    }
    assert!((990..1000).contains(&whole), "{whole} of 1000");
    // Small again for a long time, the range shrinks.
    send(&parts(&[1.0, 1e30]), &mut range);
    for _ in 0..10_000 {
        send(&parts(&[1.0, 0.25]), &mut range);
    }
    assert_eq!(range.len(), 1);
    // Zeros fit into everything, an infinity needs the whole.
    assert_eq!(send(&parts(&[0.0, -0.0]), &mut range).to_bits(), 0);
    assert_eq!(range.len(), 1);
    assert_eq!(send(&parts(&[f64::INFINITY, 1.0]), &mut range), f64::INFINITY);
    assert!(range.is_whole());
}
