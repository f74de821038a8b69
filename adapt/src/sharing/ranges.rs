//! Work sharing: a range for each worker; a worker without one takes half of the longest.
//!
//! 1. Each worker begins with an equal share of the items (Algorithm 20 of the thesis).
//! 2. It takes items from the front of its range.
//! 3. When its range is empty, it looks at all others' ranges and takes the back half of the longest (Algorithms 21 and
//!    22).
//! 4. When all are empty, it ends.
//!
//! In the thesis, a thief interrupts its victim with a signal, and the victim gives the items away. Here, begin and end
//! lie in one word, and a compare-and-swap changes both or neither: a thief waits for nobody, and no signal is needed.
//! A word that has changed and changed back does no harm, since it again says which items have not been taken.
//!
//! A thief that finds all ranges empty may miss items that another thief is just moving to its own range. That costs no
//! more than those items take: of two or more, half stayed where they came from.
//!
//! Sources: G. Rokos, Scalable multithreaded algorithms for mutable irregular data with application to anisotropic
//! mesh adaptivity, Imperial College London, 2014, chapter 7; D. Hendler, N. Shavit, Non-blocking steal-half work
//! queues, PODC 2002, DOI 10.1145/571825.571876.

use std::ops::Range;
#[cfg(not(all(loom, test)))]
use std::{
    hint::spin_loop,
    sync::atomic::{AtomicU64, Ordering},
};

#[cfg(all(loom, test))]
use ::loom::{
    hint::spin_loop,
    sync::atomic::{AtomicU64, Ordering},
};
use cfd_engine::plug::share;

/// The range of one worker: its begin in the upper half of the word, its end in the lower. It has cache lines of its
/// own, two because processors fetch lines in pairs.
#[repr(align(128))]
struct Slot(AtomicU64);

/// The ranges of all workers. Relaxed order suffices: the words are all that threads share, and the end of the loop is
/// a barrier.
pub(super) struct Ranges(Vec<Slot>);

fn pack(range: Range<u32>) -> u64 {
    u64::from(range.start) << 32 | u64::from(range.end)
}

fn unpack(word: u64) -> Range<u32> {
    (word >> 32) as u32..word as u32
}

impl Ranges {
    /// The items below `items` in equal shares.
    pub fn new(items: u32, workers: usize) -> Ranges {
        let slot = |worker| {
            let range = share(items as usize, worker, workers);
            Slot(AtomicU64::new(pack(range.start as u32..range.end as u32)))
        };
        Ranges((0..workers).map(slot).collect())
    }

    /// The next items for a worker, at most `piece` of its range, or of the longest if its own is empty; `None` if all
    /// are.
    pub fn next(&self, worker: usize, piece: u32) -> Option<Range<u32>> {
        loop {
            if let Some(range) = self.front(worker, piece) {
                return Some(range);
            }
            if !self.refill(worker) {
                return None;
            }
        }
    }

    /// Takes items from the front of a range.
    fn front(&self, worker: usize, piece: u32) -> Option<Range<u32>> {
        let word = &self.0[worker].0;
        let mut seen = word.load(Ordering::Relaxed);
        loop {
            let range = unpack(seen);
            if range.is_empty() {
                return None;
            }
            let middle = range.start + piece.min(range.end - range.start);
            let rest = pack(middle..range.end);
            match word.compare_exchange_weak(seen, rest, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(range.start..middle),
                Err(now) => seen = now,
            }
        }
    }

    /// Fills the empty range of a worker with the back half of the longest; false if all are empty.
    fn refill(&self, worker: usize) -> bool {
        while let Some((victim, seen)) = self.longest(worker) {
            let range = unpack(seen);
            let middle = range.end - (range.end - range.start).div_ceil(2);
            let front = pack(range.start..middle);
            let word = &self.0[victim].0;
            if word.compare_exchange(seen, front, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                // No other worker changes an empty range.
                self.0[worker].0.store(pack(middle..range.end), Ordering::Relaxed);
                return true;
            }
            // Another worker was faster.
            spin_loop();
        }
        false
    }

    /// The other worker with the longest range, and its word; none if all are empty.
    fn longest(&self, worker: usize) -> Option<(usize, u64)> {
        let workers = self.0.len();
        let (mut found, mut most) = (None, 0);
        // Starts with the next worker, so that thieves that see equal ranges do not all choose the same.
        for victim in (1..workers).map(|distance| (worker + distance) % workers) {
            let seen = self.0[victim].0.load(Ordering::Relaxed);
            let length = unpack(seen).len();
            if length > most {
                (found, most) = (Some((victim, seen)), length);
            }
        }
        found
    }
}

#[cfg(all(loom, test))]
mod loom {
    //! Every order of the steps of a few workers, with few switches between them and every value that relaxed loads may
    //! return.
    //!
    //! `RUSTFLAGS="--cfg loom" cargo test --package cfd-adapt --lib --release loom::`

    use std::sync::Arc;

    use loom::thread;

    use super::Ranges;

    fn each_item_is_dealt_once(items: u32, workers: usize, preemptions: Option<usize>) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = preemptions;
        model.check(move || {
            let ranges = Arc::new(Ranges::new(items, workers));
            let take = |worker: usize| {
                let ranges = Arc::clone(&ranges);
                move || std::iter::from_fn(|| ranges.next(worker, 1)).flatten().collect::<Vec<u32>>()
            };
            let others: Vec<_> = (1..workers).map(|worker| thread::spawn(take(worker))).collect();
            let mut dealt = take(0)();
            others.into_iter().for_each(|other| dealt.extend(other.join().expect("the worker ends")));
            dealt.sort_unstable();
            assert_eq!(dealt, (0..items).collect::<Vec<u32>>());
        });
    }

    #[test]
    fn two_workers_share_in_most_orders() {
        each_item_is_dealt_once(4, 2, Some(3));
    }

    #[test]
    fn three_workers_share_in_most_orders() {
        each_item_is_dealt_once(2, 3, Some(2));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{Ranges, pack, unpack};
    use crate::sharing::random::Numbers;

    fn range(ranges: &Ranges, worker: usize) -> std::ops::Range<u32> {
        unpack(ranges.0[worker].0.load(Ordering::Relaxed))
    }

    #[test]
    fn a_range_fits_into_a_word() {
        for range in [0..0, 0..u32::MAX, 7..9, u32::MAX - 1..u32::MAX] {
            assert_eq!(unpack(pack(range.clone())), range);
        }
    }

    #[test]
    fn the_idle_take_half_of_the_longest_range() {
        let ranges = Ranges::new(30, 3);
        // Worker 1 keeps four items, worker 2 its ten.
        assert_eq!(ranges.next(1, 6), Some(10..16));
        assert_eq!(ranges.next(0, 10), Some(0..10));
        assert_eq!(ranges.next(0, 2), Some(25..27));
        assert_eq!((range(&ranges, 0), range(&ranges, 1), range(&ranges, 2)), (27..30, 16..20, 20..25));
    }

    #[test]
    fn a_single_item_behind_a_long_one_is_taken_too() {
        let ranges = Ranges::new(4, 2);
        assert_eq!(ranges.next(0, 1), Some(0..1));
        assert_eq!(ranges.next(1, 2), Some(2..4));
        assert_eq!(ranges.next(1, 1), Some(1..2));
        assert_eq!((ranges.next(0, 1), ranges.next(1, 1)), (None, None));
    }

    /// One worker takes items one by one while the other takes all that it gets, so that it must take from the first
    /// again.
    #[test]
    fn each_item_is_dealt_once_while_others_take() {
        let (items, times) = if cfg!(miri) { (50, 2) } else { (1 << 14, 50) };
        for _ in 0..times {
            let (ranges, start) = (Ranges::new(items, 2), Barrier::new(2));
            let dealt: Vec<AtomicU32> = (0..items).map(|_| AtomicU32::new(0)).collect();
            let take = |worker, piece| {
                start.wait();
                while let Some(range) = ranges.next(worker, piece) {
                    range.for_each(|item| _ = dealt[item as usize].fetch_add(1, Ordering::Relaxed));
                }
            };
            std::thread::scope(|scope| {
                scope.spawn(|| take(0, 1));
                take(1, u32::MAX);
            });
            assert!(dealt.into_iter().all(|times| times.into_inner() == 1));
        }
    }

    /// Workers step in random order, some hardly ever.
    #[test]
    fn each_item_is_dealt_once_in_any_order_of_steps() {
        let seeds = if cfg!(miri) { 3 } else { 300 };
        for seed in 0..seeds {
            let mut numbers = Numbers::new(seed);
            let workers = 1 + numbers.below(9) as usize;
            let items = numbers.below(500) as u32;
            let lazy = numbers.below(workers as u64 + 1) as usize;
            let (ranges, mut dealt) = (Ranges::new(items, workers), vec![0; items as usize]);
            let mut idle = vec![false; workers];
            while idle.contains(&false) {
                let worker = numbers.below(workers as u64) as usize;
                if worker < lazy && numbers.below(50) > 0 {
                    continue;
                }
                match ranges.next(worker, 1 + numbers.below(8) as u32) {
                    Some(range) => range.for_each(|item| dealt[item as usize] += 1),
                    None => idle[worker] = true,
                }
            }
            assert!(dealt.iter().all(|&times| times == 1), "seed {seed}: {dealt:?}");
        }
    }
}
