//! Shares of a range.

use std::ops::Range;

/// The share of `count` things in a row that goes to worker number `worker` of `workers`.
pub fn share(count: usize, worker: usize, workers: usize) -> Range<usize> {
    count * worker / workers..count * (worker + 1) / workers
}
