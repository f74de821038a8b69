//! Nanoseconds per term of sums and dot products, each from an empty accumulator to the rounded result.
//!
//! ```sh
//! cd exact-sum/compare
//! XSUM=~/xsum REPROBLAS=~/ReproBLAS cargo run --release -- [TERMS...]
//! ```
//!
//! Without the C libraries (`build.rs` says where from), their rows are missing. Everything is measured in turn, many times;
//! printed are medians, and in brackets their ratio to the plain loop.

use std::hint::black_box;
use std::time::Instant;

use accurate::sum::OnlineExactSum;
use accurate::traits::*;
use exact_sum::{BinnedSum, ExactDot, ExactSum};
use xsum::{Xsum, XsumLarge, XsumSmall};

/// Rounds, and the least time of a measurement in nanoseconds.
const ROUNDS: usize = 31;
const SPAN: f64 = 50_000.0;

const BINADES: [u64; 4] = [1, 40, 150, 2000];

type Way = (&'static str, fn(&[f64], &[f64]) -> f64);

#[cfg(xsum_c)]
unsafe extern "C" {
    fn compare_xsum_small(terms: *const f64, count: i32) -> f64;
    fn compare_xsum_large(terms: *const f64, count: i32) -> f64;
}

#[cfg(reproblas)]
unsafe extern "C" {
    fn reproBLAS_dsum(count: i32, terms: *const f64, stride: i32) -> f64;
    fn reproBLAS_ddot(count: i32, a: *const f64, a_stride: i32, b: *const f64, b_stride: i32) -> f64;
}

const WAYS: &[Way] = &[
    ("plain loop", |a, _| a.iter().fold(0.0, |sum, term| sum + term)),
    ("plain, 32 partial sums, SSE2", |a, _| partial_sums(a)),
    #[cfg(target_arch = "x86_64")]
    ("plain, 32 partial sums, widest registers", |a, _| wide_partial_sums(a)),
    ("exact-sum: ExactSum", |a, _| {
        let mut sum = ExactSum::new();
        sum.add_slice(a);
        sum.value()
    }),
    ("exact-sum: ExactSum, one by one", |a, _| {
        let mut sum = ExactSum::new();
        a.iter().for_each(|&term| sum.add(term));
        sum.value()
    }),
    ("exact-sum: BinnedSum", |a, _| {
        let mut sum = BinnedSum::new();
        sum.add_slice(a);
        sum.value()
    }),
    ("crate xsum: small", |a, _| {
        let mut sum = XsumSmall::new();
        sum.add_list(a);
        sum.sum()
    }),
    ("crate xsum: large", |a, _| {
        let mut sum = XsumLarge::new();
        sum.add_list(a);
        sum.sum()
    }),
    ("crate accurate: OnlineExactSum", |a, _| {
        a.iter().copied().sum_with_accumulator::<OnlineExactSum<f64>>()
    }),
    // SAFETY: as many terms as their number.
    #[cfg(xsum_c)]
    ("Neal's xsum: small", |a, _| unsafe { compare_xsum_small(a.as_ptr(), a.len() as i32) }),
    // SAFETY: as above.
    #[cfg(xsum_c)]
    ("Neal's xsum: large", |a, _| unsafe { compare_xsum_large(a.as_ptr(), a.len() as i32) }),
    // SAFETY: as above.
    #[cfg(reproblas)]
    ("ReproBLAS: dsum", |a, _| unsafe { reproBLAS_dsum(a.len() as i32, a.as_ptr(), 1) }),
    ("plain dot product", |a, b| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)),
    ("exact-sum: ExactDot", |a, b| {
        let mut dot = ExactDot::new();
        dot.add_products(a, b);
        dot.value()
    }),
    // SAFETY: as above, of both.
    #[cfg(reproblas)]
    ("ReproBLAS: ddot", |a, b| unsafe { reproBLAS_ddot(a.len() as i32, a.as_ptr(), 1, b.as_ptr(), 1) }),
];

/// Sums that do not wait for each other: what a compiler makes of a loop whose order it may change.
#[inline(always)]
fn partial_sums(terms: &[f64]) -> f64 {
    let mut lanes = [0.0; 32];
    let (groups, tail) = terms.as_chunks::<32>();
    for group in groups {
        for lane in 0..32 {
            lanes[lane] += group[lane];
        }
    }
    lanes.iter().sum::<f64>() + tail.iter().sum::<f64>()
}

#[cfg(target_arch = "x86_64")]
fn wide_partial_sums(terms: &[f64]) -> f64 {
    #[target_feature(enable = "avx512f")]
    fn avx512(terms: &[f64]) -> f64 {
        partial_sums(terms)
    }
    #[target_feature(enable = "avx2")]
    fn avx2(terms: &[f64]) -> f64 {
        partial_sums(terms)
    }
    // SAFETY: the processor has the registers.
    match () {
        () if is_x86_feature_detected!("avx512f") => unsafe { avx512(terms) },
        // SAFETY: as above.
        () if is_x86_feature_detected!("avx2") => unsafe { avx2(terms) },
        () => partial_sums(terms),
    }
}

/// Terms of both signs in so many binades around 1 (xorshift64*).
fn terms(count: usize, binades: u64, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut random = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let mut term = || {
        let exponent = 1023 - binades / 2 + (random() >> 20) % binades;
        f64::from_bits(random() & (1 << 63 | ((1 << 52) - 1)) | exponent << 52)
    };
    (0..count).map(|_| term()).collect()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let counts: Vec<usize> =
        std::env::args().skip(1).map(|count| count.parse().expect("a number of terms")).collect();
    println!("{}; C: {}\n", env!("RUST_COMPILER"), env!("C_COMPILER"));
    for count in if counts.is_empty() { vec![1000, 4096, 100_000] } else { counts } {
        let inputs = BINADES.map(|binades| [terms(count, binades, 1), terms(count, binades, 2)]);
        let repeats = (SPAN / count as f64).ceil() as usize;
        let mut times = vec![vec![Vec::new(); BINADES.len()]; WAYS.len()];
        for _ in 0..ROUNDS {
            for (i, [a, b]) in inputs.iter().enumerate() {
                for ((_, way), times) in WAYS.iter().zip(&mut times) {
                    let start = Instant::now();
                    for _ in 0..repeats {
                        black_box(way(black_box(a), black_box(b)));
                    }
                    times[i].push(start.elapsed().as_secs_f64() * 1e9 / (repeats * count) as f64);
                }
            }
        }
        println!("| {count} terms | {} |", BINADES.map(|binades| format!("{binades} binades")).join(" | "));
        println!("| --- |{}", " ---: |".repeat(BINADES.len()));
        let mut plain = Vec::new();
        for ((name, _), times) in WAYS.iter().zip(times) {
            let medians: Vec<f64> = times.into_iter().map(median).collect();
            if name.starts_with("plain loop") || name.starts_with("plain dot") {
                plain = medians.clone();
            }
            let cells: Vec<String> = medians
                .iter()
                .zip(&plain)
                .map(|(time, plain)| format!("{time:.2} ({:.2})", time / plain))
                .collect();
            println!("| {name} | {} |", cells.join(" | "));
        }
        println!();
    }
}
