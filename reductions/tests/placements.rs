//! A million random placements: many sums, one exact sum.

use cfd_reductions::data::Synthetic;
use cfd_reductions::study::{Summed, results};

/// Results of one data set on 64 ranks over this many placements on nodes of eight.
fn check(kind: Synthetic, placements: u64) {
    let numbers: Vec<f64> = (0..64).map(|rank| kind.number(119, 0, rank)).collect();
    for of in results(&numbers, 8, placements, 119, &Summed::default()) {
        println!("{} {}: {} results of {} variants", kind.name(), of.what, of.results, of.variants);
        if of.what.starts_with("exact") {
            assert_eq!((of.results, of.variants), (1, placements));
        } else {
            assert!(of.results > 1, "{of:?}");
        }
    }
}

#[test]
fn ten_thousand_random_placements_have_one_exact_sum() {
    Synthetic::ALL.into_iter().for_each(|kind| check(kind, 10_000));
}

#[test]
#[ignore = "half a minute in an optimised build: run-scripts/nightly placements"]
fn a_million_random_placements_have_one_exact_sum() {
    Synthetic::ALL.into_iter().for_each(|kind| check(kind, 1_000_000));
}
