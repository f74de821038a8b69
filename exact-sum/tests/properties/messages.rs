//! Words, bytes and shorter messages of sums, and the most terms and ranks.

use exact_sum::{BYTES, BinnedSum, BytesError, DOT_BYTES, DigitRange, ExactDot, ExactSum, WORDS, round};
use num_bigint::BigInt;
use proptest::prelude::*;

use crate::oracle::{DOUBLE, Random, exp2, power, units};

fn exact(terms: &[f64]) -> ExactSum {
    let mut sum = ExactSum::new();
    sum.add_slice(terms);
    sum
}

/// The words of `ranks` ranks that all have this sum.
fn of_ranks(sum: &ExactSum, ranks: u64) -> [u64; WORDS] {
    sum.words().map(|word| word.wrapping_mul(ranks))
}

#[test]
fn two_billion_ranks_are_the_most_whose_words_can_be_added() {
    const MOST: u64 = (1 << 31) - 1;
    // All digits 2^32 - 1, the worst case: the least negative number, and 2^64 of the largest ones.
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
        // As signed integers, which some libraries assume, no partial sum overflows either.
        for word in sum.words() {
            assert!((word as i64).checked_mul(MOST as i64).is_some());
        }
        // The sum made from the words is a sum like any other.
        let mut again = ExactSum::from_words(&words);
        again.subtract_sum(&ExactSum::from_words(&of_ranks(&sum, MOST - 1)));
        assert_eq!(again.words(), sum.words());
    }
    let mut again = ExactSum::from_words(&of_ranks(&largest, MOST));
    again.subtract_sum(&ExactSum::from_words(&of_ranks(&largest, MOST - 1)));
    assert_eq!((again.words(), again.value()), (largest.words(), f64::INFINITY));
    // With one rank more, the digits of the worst numbers overflow when carried.
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
fn bytes_are_the_same_everywhere() {
    let sum = exact(&[-1.5, exp2(-1074)]);
    let bytes = sum.to_bytes();
    // Written out: -1.5 + 2^-1074 is -(3 2^1073 - 1) units.
    assert_eq!(bytes[..16], *b"ESUM\x02\0\0\0\x01\0\0\0\0\0\0\0");
    assert_eq!(bytes[8 + 8 * 33..][..16], [0, 0, 0xfa, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    assert_eq!(bytes[8 + 8 * 67..BYTES - 8], [[0xff; 8], [0; 8]].concat());
    assert_eq!(bytes[BYTES - 8..], CHECKSUM);
    assert_eq!(ExactSum::from_bytes(&bytes).expect("bytes of a sum").words(), sum.words());
    // As the first version of the library wrote it.
    let first = [b"XSUM\x01", &bytes[5..BYTES - 8]].concat();
    assert_eq!(ExactSum::from_bytes(&first).expect("bytes of a sum").words(), sum.words());
}

/// The checksum of those bytes, worked out bit by bit from the definition of CRC-64/XZ, in Python.
const CHECKSUM: [u8; 8] = [239, 15, 48, 234, 84, 250, 90, 177];

/// Every way to change one bit, or to cut bytes off, is noticed.
#[track_caller]
fn damage_is_noticed<T>(bytes: &[u8], read: impl Fn(&[u8]) -> Result<T, BytesError>) {
    assert!(read(bytes).is_ok());
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let error = read(&damaged).err().unwrap_or_else(|| panic!("bit {bit}"));
        assert!(error.to_string().len() > 20, "{error}");
    }
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length} bytes");
    }
    assert!(read(&[bytes, &[0]].concat()).is_err(), "a byte more");
}

#[test]
fn damage_of_any_bit_is_noticed_and_kinds_are_told_apart() {
    let sum = exact(&[-1.5, exp2(-1074), f64::INFINITY]);
    let mut dot = ExactDot::new();
    dot.add_products(&[1e-300, 3.0], &[1e-300, -0.1]);
    let mut binned = BinnedSum::new();
    binned.add_slice(&[-1.5, 1e-9]);
    damage_is_noticed(&sum.to_bytes(), ExactSum::from_bytes);
    damage_is_noticed(&dot.to_bytes(), ExactDot::from_bytes);
    damage_is_noticed(&binned.to_bytes(), BinnedSum::from_bytes);
    assert_eq!(BinnedSum::from_bytes(&binned.to_bytes()).expect("bytes of a sum").words(), binned.words());
    assert_eq!(ExactDot::from_bytes(&dot.to_bytes()).expect("bytes of a sum").words(), dot.words());

    let wrong = |at: usize, byte: u8| {
        let mut bytes = sum.to_bytes();
        bytes[at] = byte;
        ExactSum::from_bytes(&bytes).expect_err("damaged")
    };
    assert_eq!(wrong(0, b'Y'), BytesError::Header);
    assert_eq!(wrong(4, 3), BytesError::Version(3));
    assert_eq!(wrong(5, 1), BytesError::Header);
    assert_eq!(wrong(12, 1), BytesError::Checksum);
    assert_eq!(
        ExactDot::from_bytes(&sum.to_bytes()).expect_err("a sum"),
        BytesError::Length { found: BYTES, expected: DOT_BYTES }
    );
    // The first version had no checksum: what cannot be a digit is noticed.
    let mut first = [b"XSUM\x01", &sum.to_bytes()[5..BYTES - 8]].concat();
    first[12] = 1;
    assert_eq!(ExactSum::from_bytes(&first).expect_err("a digit"), BytesError::Word);
}

/// The words of all ranks, added as MPI_SUM adds, and whether all sums fit into the range.
fn added(sums: &[ExactSum], range: &DigitRange) -> (bool, Vec<u64>) {
    let (mut fit, mut total) = (true, vec![0u64; range.len()]);
    for sum in sums {
        let mut words = vec![1; range.len()];
        fit &= sum.write_digits(range, &mut words);
        total.iter_mut().zip(words).for_each(|(word, other)| *word = word.wrapping_add(other));
    }
    (fit, total)
}

/// The value of all ranks' sums: by a short message, or a whole one if some sum does not fit.
fn send(sums: &[ExactSum], range: &mut DigitRange) -> f64 {
    let (fit, digits) = added(sums, range);
    if fit {
        let value = range.round(&digits);
        range.follow(&digits);
        value
    } else {
        let (fit, words) = added(sums, &DigitRange::WHOLE);
        assert!(fit, "everything fits into the whole");
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
            let mut all = ExactSum::new();
            let sums: Vec<ExactSum> = (0..ranks).map(|rank| {
                let mut sum = ExactSum::new();
                let terms: Vec<f64> = (0..random.next() >> 61).map(|_| {
                    let exponent = lowest + (random.next() >> 30) % binades;
                    f64::from_bits(random.next() & !(0x7ff << 52) | exponent << 52)
                }).chain((rank == 0).then_some(special)).collect();
                // In the window alone, or not.
                if random.next() >> 63 == 0 {
                    sum.add_slice(&[terms.iter().fold(0.0, |largest: f64, term| largest.max(term.abs()))]);
                    sum.clear();
                    sum.add_slice(&terms);
                } else {
                    terms.iter().for_each(|&term| sum.add(term));
                }
                all.add_slice(&terms);
                sum
            }).collect();
            for sum in &sums {
                let (_, words) = added(std::slice::from_ref(sum), &DigitRange::WHOLE);
                prop_assert_eq!(ExactSum::from_words(&words).words(), sum.words());
            }
            prop_assert_eq!(send(&sums, &mut range).to_bits(), all.value().to_bits());
        }
    }
}

#[test]
fn a_range_follows_what_is_sent() {
    let parts = |terms: &[f64]| -> Vec<ExactSum> { terms.iter().map(|&term| exact(&[term])).collect() };
    let mut range = DigitRange::WHOLE;
    assert!(range.is_whole() && range.len() == WORDS);
    send(&parts(&[1.0, 0.3, -2.5]), &mut range);
    assert_eq!(range.len(), 3, "53 bits, and some below");
    // The same terms again change nothing; a term that needs more does so once.
    send(&parts(&[1.0, 0.3, -2.5]), &mut range);
    assert_eq!(range.len(), 3);
    assert_eq!(send(&parts(&[1.0, 1e30, -2.5]), &mut range), 1e30);
    assert_eq!(range.len(), 6, "from 0.3's last bit to 1e30");
    // Cancellation shows in no digit: for some time whole sums are sent, then a range is tried again, ever more rarely.
    let mut whole = 0;
    for _ in 0..1000 {
        assert_eq!(send(&parts(&[1e200, 1.0, -1e200]), &mut range), 1.0);
        whole += u32::from(range.is_whole());
    }
    assert!((990..1000).contains(&whole), "{whole} of 1000");
    // When terms stay small for a long time, the range shrinks.
    send(&parts(&[1.0, 1e30]), &mut range);
    for _ in 0..10_000 {
        send(&parts(&[1.0, 0.25]), &mut range);
    }
    assert_eq!(range.len(), 1);
    // Zeros fit in every range; an infinity needs the whole.
    assert_eq!(send(&parts(&[0.0, -0.0]), &mut range).to_bits(), 0);
    assert_eq!(range.len(), 1);
    assert_eq!(send(&parts(&[f64::INFINITY, 1.0]), &mut range), f64::INFINITY);
    assert!(range.is_whole());
}
