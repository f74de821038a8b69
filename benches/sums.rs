//! Nanoseconds a term of the sums: exact, binned, plain serial and plain vector, in L1 and from memory;
//! alternating rounds on one core, medians, as a table in Markdown.
//!
//! `cargo bench --bench sums -- --rounds 15`

mod timing;

use std::hint::black_box;
use std::time::Instant;

use cfd_engine::sum::{BinnedSum, ExactSum, WORDS};
use clap::Parser;

use timing::median;

/// Sums, nanoseconds a term.
#[derive(Parser)]
struct Options {
    /// Rounds, in each of which every sum runs once on every input.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Terms that fit into L1 beside the integers of an exact sum.
const CACHED: usize = 2048;

/// Terms that come from memory: 256 MiB.
const LARGE: usize = 1 << 25;

/// Terms summed in one measurement.
const MEASURED: usize = 1 << 25;

/// Independent partial sums of the plain vector sum.
const LANES: usize = 32;

fn main() {
    let options = Options::parse();
    let inputs = inputs();
    let sums = sums();
    let mut nanoseconds = vec![vec![Vec::new(); inputs.len()]; sums.len()];
    let mut fixed = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..=options.rounds {
        for (i, (_, terms)) in inputs.iter().enumerate() {
            for (s, (_, sum)) in sums.iter().enumerate() {
                let time = time_sum(*sum, terms);
                // The first round touches all memory.
                if round > 0 {
                    nanoseconds[s][i].push(time);
                }
            }
        }
        if round > 0 {
            fixed.iter_mut().zip(fixed_costs()).for_each(|(times, time)| times.push(time));
        }
    }

    println!("{} rounds, medians, ns a term; in brackets times the plain serial sum\n", options.rounds);
    let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    println!("| sum | {} |", names.join(" | "));
    println!("| --- |{}", " --- |".repeat(names.len()));
    for ((name, _), times) in sums.iter().zip(&nanoseconds) {
        let cells = times.iter().zip(&nanoseconds[0]).map(|(times, serial)| {
            let ratio = median(times.iter().zip(serial).map(|(time, serial)| time / serial).collect());
            format!("{:.2} ({ratio:.2})", median(times.clone()))
        });
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    let [words, drain, merge] = fixed.map(|times| median(times) / 1000.0);
    println!("\nOnce a sum: words {words:.2} us, words and clear {drain:.2} us, merge {merge:.2} us.");
}

/// The kinds of terms: all near one, signs and 40 binades mixed, half of them zero.
fn inputs() -> Vec<(&'static str, Vec<f64>)> {
    let mut state = 88_172_645_463_325_252u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut uniform = move || ((random() >> 11) as f64 / (1u64 << 53) as f64, random());
    let mut spread = move || {
        let (number, bits) = uniform();
        let magnitude = (1.0 + number) * 2f64.powi((bits % 40) as i32 - 20);
        if bits >> 40 & 1 == 1 { -magnitude } else { magnitude }
    };
    let spread: Vec<f64> = (0..LARGE).map(|_| spread()).collect();
    let cached = |term: &dyn Fn(f64) -> f64| spread[..CACHED].iter().map(|&number| term(number)).collect();
    vec![
        ("L1, all equal", cached(&|_| 0.7)),
        ("L1, 40 binades", cached(&|number| number)),
        ("L1, half zeros", cached(&|number| if number < 0.0 { 0.0 } else { number })),
        ("memory, 40 binades", spread),
    ]
}

type Sum = fn(&[f64], usize) -> f64;

/// The sums, each of `repeats` times the terms.
fn sums() -> Vec<(&'static str, Sum)> {
    vec![
        ("plain serial", |terms, repeats| {
            (0..repeats).fold(0.0, |sum, _| black_box(terms).iter().fold(sum, |sum, term| sum + term))
        }),
        ("plain vector", |terms, repeats| {
            (0..repeats).fold(0.0, |sum, _| sum + vector_sum(black_box(terms)))
        }),
        ("exact", |terms, repeats| {
            let mut sum = ExactSum::new();
            (0..repeats).for_each(|_| black_box(terms).iter().for_each(|&term| sum.add(term)));
            sum.value()
        }),
        ("binned, term by term", |terms, repeats| {
            let mut sum = BinnedSum::new();
            (0..repeats).for_each(|_| black_box(terms).iter().for_each(|&term| sum.add(term)));
            sum.value()
        }),
        ("binned, blocks", |terms, repeats| {
            let mut sum = BinnedSum::new();
            (0..repeats).for_each(|_| sum.add_slice(black_box(terms)));
            sum.value()
        }),
        #[cfg(target_arch = "x86_64")]
        ("binned, blocks, AVX-512 where there is", |terms, repeats| {
            let mut sum = BinnedSum::new();
            (0..repeats).for_each(|_| wide::add_slice(&mut sum, black_box(terms)));
            sum.value()
        }),
    ]
}

fn vector_sum(terms: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for terms in terms.chunks_exact(LANES) {
        for lane in 0..LANES {
            lanes[lane] += terms[lane];
        }
    }
    lanes.iter().sum()
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use cfd_engine::sum::BinnedSum;

    pub fn add_slice(sum: &mut BinnedSum, terms: &[f64]) {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the processor has the features, asked for in the line above.
            unsafe { add_slice_avx512(sum, terms) }
        } else {
            sum.add_slice(terms);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    fn add_slice_avx512(sum: &mut BinnedSum, terms: &[f64]) {
        sum.add_slice(terms);
    }
}

fn time_sum(sum: Sum, terms: &[f64]) -> f64 {
    let repeats = MEASURED / terms.len();
    let start = Instant::now();
    black_box(sum(terms, repeats));
    start.elapsed().as_secs_f64() * 1e9 / (repeats * terms.len()) as f64
}

/// Nanoseconds of making the message, of the same with clearing, and of merging, with 41 binades in use.
fn fixed_costs() -> [f64; 3] {
    const TIMES: u32 = 1000;
    let mut part = ExactSum::new();
    (-20..=20).for_each(|exponent| part.add(1.25 * 2f64.powi(exponent)));
    let mut words = [0; WORDS];
    let measure = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..TIMES).for_each(|_| work());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES)
    };
    let write = measure(&mut || black_box(&part).write_words(black_box(&mut words)));
    let mut total = ExactSum::new();
    let merge = measure(&mut || black_box(&mut total).merge(black_box(&part)));
    let drain = measure(&mut || {
        (-20..=20).for_each(|exponent| part.add(1.25 * 2f64.powi(exponent)));
        black_box(&mut part).drain_words(black_box(&mut words));
    });
    [write, drain, merge]
}
