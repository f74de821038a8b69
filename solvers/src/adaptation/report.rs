//! The values of an iteration: columns of the history.

use cfd_adapt::mesh::Statistics;
use cfd_adapt::operation::Counts;

/// Names of the values of an iteration.
pub(super) const COLUMNS: [&str; 11] = [
    "collapses",
    "splits",
    "swaps",
    "moves",
    "vertices",
    "elements",
    "complexity",
    "quality_min",
    "quality_mean",
    "length_min",
    "length_max",
];

/// Those that a line on the console shows.
pub(super) const ON_THE_CONSOLE: [&str; 6] =
    ["vertices", "elements", "quality_min", "quality_mean", "length_min", "length_max"];

/// Their values.
pub(super) fn values(counts: Counts, statistics: &Statistics, complexity: f64) -> Vec<f64> {
    let Counts { collapses, splits, swaps, moves } = counts;
    let Statistics { vertices, elements, quality_min, quality_mean, length_min, length_max, .. } =
        *statistics;
    let counts = [collapses, splits, swaps, moves, vertices, elements].map(|count| count as f64);
    counts.into_iter().chain([complexity, quality_min, quality_mean, length_min, length_max]).collect()
}
