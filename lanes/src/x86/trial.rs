//! Which of two ways is faster on this processor.

use std::time::Duration;

/// The time of the fastest trial of each way, tried alternately.
pub(super) fn fastest(first: impl Fn() -> Duration, second: impl Fn() -> Duration) -> (Duration, Duration) {
    const TRIALS: usize = 16;
    let least = |(a, b): (Duration, Duration), (c, d)| (a.min(c), b.min(d));
    (0..TRIALS).map(|_| (first(), second())).fold((Duration::MAX, Duration::MAX), least)
}
