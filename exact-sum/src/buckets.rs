//! Terms of very different sizes, for which no window of bins fits.
//!
//! A bucket takes the significands of the terms of one sign whose exponents agree in all but the lowest three bits, shifted
//! by these: integers of up to 60 bits. Their halves of 30 bits are added apart, so that 2^34 terms fit into a bucket. The
//! idea is that of the large superaccumulator of R. M. Neal, "Fast exact summation using small and large superaccumulators"
//! (2015), arXiv:1505.05571, with an eighth of its buckets, which are added to a total, and emptied, that much faster.

use crate::fixed_point::{DIGIT_BITS, FixedPoint};
use crate::non_finite::NonFinite;
#[cfg(target_arch = "x86_64")]
use crate::vector::groups;

/// Buckets of each sign: by the upper eight bits of the exponent.
const BUCKETS: usize = 256;

/// Exponents of a bucket.
const EXPONENTS: usize = 8;

/// Buckets of a digit.
const PER_DIGIT: usize = DIGIT_BITS / EXPONENTS;

/// Bits of the lower half of a significand, shifted.
const HALF: u32 = 30;

/// Of an f64: the bits of the fraction, the bit before it, and the exponent field of what is not finite.
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
const HIDDEN: u64 = 1 << FRACTION_BITS;
const FIELD: u64 = 0x7ff;

/// Fewest terms for which emptying all buckets pays.
pub(crate) const FEWEST: usize = 256;

/// Most terms that buckets take.
pub(crate) const MOST: usize = 1 << 13;

/// What a bucket has of a term: the lower and the upper half of its significand, shifted.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Halves([u64; 2]);

/// Buckets of positive terms, then those of negative ones.
type Buckets = [Halves; 2 * BUCKETS];

/// Adds terms to a total.
#[inline(never)]
pub(crate) fn add<const DIGITS: usize>(terms: &[f64], total: &mut FixedPoint<DIGITS>) {
    let mut buckets = [Halves([0; 2]); 2 * BUCKETS];
    fill(&mut buckets, terms, &mut total.non_finite);
    empty(&buckets, total);
}

/// The same in registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(crate) fn add_avx2<const DIGITS: usize>(terms: &[f64], total: &mut FixedPoint<DIGITS>) {
    let mut buckets = [Halves([0; 2]); 2 * BUCKETS];
    let (groups, tail) = groups::<4>(terms);
    for group in groups {
        if !fill_four(&mut buckets, group) {
            fill(&mut buckets, group, &mut total.non_finite);
        }
    }
    fill(&mut buckets, tail, &mut total.non_finite);
    empty(&buckets, total);
}

/// The bucket of a number with these bits.
#[inline(always)]
fn bucket(bits: u64) -> usize {
    (bits >> (FRACTION_BITS + EXPONENTS.ilog2())) as usize
}

#[inline(always)]
fn fill(buckets: &mut Buckets, terms: &[f64], non_finite: &mut NonFinite) {
    for &term in terms {
        let bits = term.to_bits();
        let exponent = bits >> FRACTION_BITS & FIELD;
        if exponent == FIELD {
            non_finite.note(term);
            continue;
        }
        // A subnormal number lacks the hidden bit and has the unit of the next exponent.
        let subnormal = u64::from(exponent == 0);
        let significand = bits & (HIDDEN - 1) | (subnormal ^ 1) << FRACTION_BITS;
        let value = significand << (exponent & (EXPONENTS as u64 - 1) | subnormal);
        let Halves([low, high]) = &mut buckets[bucket(bits)];
        *low += value & ((1 << HALF) - 1);
        *high += value >> HALF;
    }
}

/// Fills in four terms as [`fill`] does; false, with nothing done, if one of them is not finite.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_four(buckets: &mut Buckets, terms: &[f64; 4]) -> bool {
    use core::arch::x86_64::*;
    let every = |word: u64| _mm256_set1_epi64x(word as i64);
    // SAFETY: there are four terms.
    let bits = unsafe { _mm256_loadu_si256(terms.as_ptr().cast()) };
    let field = _mm256_and_si256(bits, every(FIELD << FRACTION_BITS));
    let special = _mm256_cmpeq_epi64(field, every(FIELD << FRACTION_BITS));
    if _mm256_testz_si256(special, special) == 0 {
        return false;
    }
    // All bits, as an integer -1, where a number is subnormal.
    let subnormal = _mm256_cmpeq_epi64(field, _mm256_setzero_si256());
    let hidden = _mm256_andnot_si256(subnormal, every(HIDDEN));
    let significand = _mm256_or_si256(_mm256_and_si256(bits, every(HIDDEN - 1)), hidden);
    let exponent = _mm256_srli_epi64::<{ FRACTION_BITS as i32 }>(bits);
    let shift = _mm256_sub_epi64(_mm256_and_si256(exponent, every(EXPONENTS as u64 - 1)), subnormal);
    let value = _mm256_sllv_epi64(significand, shift);
    let low = _mm256_and_si256(value, every((1 << HALF) - 1));
    let high = _mm256_srli_epi64::<{ HALF as i32 }>(value);
    let (even, odd) = (_mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high));
    let halves = [
        _mm256_castsi256_si128(even),
        _mm256_castsi256_si128(odd),
        _mm256_extracti128_si256::<1>(even),
        _mm256_extracti128_si256::<1>(odd),
    ];
    for (term, halves) in terms.iter().zip(halves) {
        let sums = (&raw mut buckets[bucket(term.to_bits())]).cast();
        // SAFETY: a bucket has 16 bytes, and is aligned to them.
        unsafe { _mm_store_si128(sums, _mm_add_epi64(_mm_load_si128(sums), halves)) };
    }
    true
}

/// Adds what is in the buckets to a total.
#[inline(always)]
fn empty<const DIGITS: usize>(buckets: &Buckets, total: &mut FixedPoint<DIGITS>) {
    // The buckets of a digit at a time. A number with the exponent field e has the unit 2^(e-1) 2^-1074.
    let (positive, negative) = buckets.split_at(BUCKETS);
    let mut halves = [0; BUCKETS / PER_DIGIT];
    for (digit, half) in halves.iter_mut().enumerate() {
        let buckets = |all: &[Halves]| all[PER_DIGIT * digit..][..PER_DIGIT].try_into().expect("as many");
        *half = difference(&buckets(positive), &buckets(negative));
    }
    total.add_halves(&halves);
}

/// What the buckets of a digit hold. Even for the lowest, in which significands are shifted by at least one.
#[inline(always)]
fn difference(positive: &[Halves; PER_DIGIT], negative: &[Halves; PER_DIGIT]) -> i128 {
    let mut difference = [[0i64; PER_DIGIT]; 2];
    for i in 0..PER_DIGIT {
        for half in 0..2 {
            difference[half][i] = positive[i].0[half].wrapping_sub(negative[i].0[half]) as i64;
        }
    }
    // Two buckets of at most 2^13 terms fit into a word.
    let [low, high] = difference.map(|[a, b, c, d]| {
        i128::from(a + (b << EXPONENTS)) + (i128::from(c + (d << EXPONENTS)) << (2 * EXPONENTS))
    });
    low + (high << HALF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_point::SUM_DIGITS;
    use crate::slices::all_kinds_of_terms;
    use crate::vector::processor::Registers;

    /// In registers, where there are any.
    fn in_registers(terms: &[f64], total: &mut FixedPoint<SUM_DIGITS>) {
        match Registers::widest() {
            Registers::Portable => add(terms, total),
            // SAFETY: the processor has the registers.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2 | Registers::Avx512 => unsafe { add_avx2(terms, total) },
        }
    }

    #[test]
    fn terms_in_buckets_have_the_total_of_terms_one_by_one() {
        let terms = all_kinds_of_terms();
        let all =
            (0..2047u64).flat_map(|exponent| [0, 1, (1 << 52) - 1].map(|fraction| exponent << 52 | fraction));
        let all: std::vec::Vec<f64> =
            all.flat_map(|bits| [bits, bits | 1 << 63]).map(f64::from_bits).collect();
        for terms in [&terms[..], &all, &all[..5], &[f64::MAX; 3], &[-f64::MAX; MOST], &[-0.0, 5e-324]] {
            let [mut alone, mut buckets, mut registers] = [const { FixedPoint::<SUM_DIGITS>::new() }; 3];
            for half in terms.chunks(terms.len().div_ceil(2)) {
                alone.add_numbers(half);
                add(half, &mut buckets);
                in_registers(half, &mut registers);
            }
            let words = [alone, buckets, registers].map(|total| {
                let mut words = [0; SUM_DIGITS + 1];
                total.write_words(&mut words);
                words
            });
            assert_eq!(words, [words[0]; 3]);
        }
        for add in [add, in_registers] {
            let mut total = FixedPoint::<SUM_DIGITS>::new();
            add(&[1.0, f64::NEG_INFINITY, 2.0, 0.0, 1.0], &mut total);
            assert_eq!(total.round_f64(0), f64::NEG_INFINITY);
        }
    }
}
