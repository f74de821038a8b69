//! A sum on threads: the same bits for every number of them.
//!
//! ```text
//! cargo run --release --example threads
//! ```

use exact_sum::ExactSum;
use std::thread;

/// Each thread sums a part; parts are merged as they come.
fn sum_on_threads(terms: &[f64], threads: usize) -> f64 {
    thread::scope(|scope| {
        let parts: Vec<_> = terms
            .chunks(terms.len().div_ceil(threads))
            .map(|part| scope.spawn(move || part.iter().sum::<ExactSum>()))
            .collect();
        let sums = parts.into_iter().map(|part| part.join().expect("a thread sums"));
        sums.sum::<ExactSum>().value()
    })
}

fn main() {
    let terms: Vec<f64> = (0..1_000_000).map(|i| f64::from(i % 1009 - 504) / f64::from(i % 97 + 1)).collect();
    for threads in [1, 2, 7, 64] {
        let plain: f64 =
            terms.chunks(terms.len().div_ceil(threads)).map(|part| part.iter().sum::<f64>()).sum();
        let exact = sum_on_threads(&terms, threads);
        println!("{threads:2} threads: {:016x}, plain {:016x}", exact.to_bits(), plain.to_bits());
        assert_eq!(exact, sum_on_threads(&terms, 1));
    }
}
