//! One counter for all threads: the next item not taken.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Deals the items of a loop, each once. Relaxed order suffices: the counter is all that threads share, and the end of
/// the loop is a barrier.
pub(super) struct Counter {
    next: AtomicUsize,
    items: usize,
}

impl Counter {
    pub fn new(items: usize) -> Counter {
        Counter { next: AtomicUsize::new(0), items }
    }

    /// The next `chunk` items, fewer at the end; `None` when there are none left.
    pub fn chunk(&self, chunk: usize) -> Option<Range<usize>> {
        // Chunks larger than the loop could only make the counter overflow.
        let chunk = chunk.min(self.items);
        let start = self.next.fetch_add(chunk, Ordering::Relaxed);
        (start < self.items).then(|| start..self.items.min(start + chunk))
    }

    /// An equal part, for one of `workers`, of what is left: large ranges first, then ever smaller ones.
    pub fn guided(&self, workers: usize) -> Option<Range<usize>> {
        let part = |start: usize| (self.items - start).div_ceil(workers);
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |start| {
            (start < self.items).then(|| start + part(start))
        });
        taken.ok().map(|start| start..start + part(start))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::Counter;

    fn all(next: impl FnMut() -> Option<Range<usize>>) -> Vec<Range<usize>> {
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn chunks_are_equal_and_the_last_is_what_is_left() {
        let counter = Counter::new(10);
        assert_eq!(all(|| counter.chunk(4)), [0..4, 4..8, 8..10]);
        assert_eq!(counter.chunk(4), None);
        let counter = Counter::new(3);
        assert_eq!((counter.chunk(usize::MAX), counter.chunk(usize::MAX)), (Some(0..3), None));
        assert_eq!(Counter::new(0).chunk(1), None);
    }

    #[test]
    fn guided_ranges_shrink_to_single_items() {
        let counter = Counter::new(16);
        assert_eq!(all(|| counter.guided(4)), [0..4, 4..7, 7..10, 10..12, 12..13, 13..14, 14..15, 15..16]);
        assert_eq!(Counter::new(0).guided(4), None);
    }
}
