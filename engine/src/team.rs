//! The worker threads of one rank.
//!
//! The calling thread is worker 0: it alone talks to other ranks, and it has no other thread to wait for while it polls
//! messages. Workers 1, 2, ... are the threads of a pool of the domain's own, always the same thread for the same
//! worker, so that a worker finds in its caches, and in its part of the memory, what it touched in the loop before.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytemuck::Zeroable;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::memory;
use crate::schedule::share;

/// Fewer values than this a worker are not worth waking it for.
const FEWEST_VALUES: usize = 4096;

/// How often the calling thread looks whether the others are done before it sleeps: some tens of microseconds.
const LONGEST_WATCH: usize = 2000;

/// The workers.
pub(crate) struct Team {
    /// All but the calling thread.
    pool: Option<ThreadPool>,
    workers: usize,
}

impl Team {
    /// # Panics
    /// If the system has no room for so many threads.
    pub(crate) fn new(workers: usize) -> Team {
        let workers = workers.max(1);
        let name = |thread| format!("cfd-worker-{}", thread + 1);
        let pool = (workers > 1).then(|| {
            let pool = ThreadPoolBuilder::new().num_threads(workers - 1).thread_name(name).build();
            pool.unwrap_or_else(|error| {
                panic!("cannot start {} worker threads: {error}; ask for fewer threads", workers - 1)
            })
        });
        Team { pool, workers }
    }

    /// Number of workers, the calling thread among them.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Calls `own` here and `others` with the number of every other worker on its thread, at the same time, and waits
    /// for all.
    pub(crate) fn run(&self, own: impl FnOnce(), others: impl Fn(usize) + Sync) {
        match &self.pool {
            None => own(),
            Some(pool) => {
                let busy = AtomicUsize::new(self.workers - 1);
                pool.in_place_scope(|scope| {
                    let (others, busy) = (&others, &busy);
                    scope.spawn_broadcast(move |_, thread| {
                        let _done = Done(busy);
                        others(thread.index() + 1);
                    });
                    own();
                    // Shares are equal, so the others are about to be done: waking up again would take longer.
                    for _ in 0..LONGEST_WATCH {
                        if busy.load(Ordering::Acquire) == 0 {
                            break;
                        }
                        std::hint::spin_loop();
                    }
                });
            }
        }
    }

    /// The values in memory that each worker has touched its share of first; large arrays in huge pages.
    pub(crate) fn place<T: Zeroable + Copy + Send + Sync>(&self, values: Vec<T>) -> Vec<T> {
        let mut placed = memory::zeroed(values.len());
        self.copy(&values, &mut placed);
        placed
    }

    /// Copies the values to the beginning of fresh pages, zero and touched by nobody. Each worker touches its share
    /// first, so that it lies near the worker where memory is not equally near to all.
    pub(crate) fn copy<T: Zeroable + Copy + Send + Sync>(&self, values: &[T], placed: &mut [T]) {
        let len = placed.len();
        if self.workers == 1 || len < FEWEST_VALUES {
            return placed[..values.len()].copy_from_slice(values);
        }
        let mut pieces: Vec<std::sync::Mutex<(usize, &mut [T])>> = Vec::new();
        let mut left = placed;
        for worker in 0..self.workers {
            let range = share(len, worker, self.workers);
            let (piece, behind) = left.split_at_mut(range.len());
            pieces.push(std::sync::Mutex::new((range.start, piece)));
            left = behind;
        }
        let fill = |worker: usize| {
            let mut piece = pieces[worker].lock().expect("each piece is taken once");
            let (start, piece) = &mut *piece;
            let from = values.len().min(*start)..values.len().min(*start + piece.len());
            let (copied, zero) = piece.split_at_mut(from.len());
            copied.copy_from_slice(&values[from]);
            zero.fill(T::zeroed());
        };
        self.run(|| fill(0), fill);
    }
}

/// Counts a worker as done when it is dropped, also by a panic.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::Team;

    #[test]
    fn every_worker_works_once_and_the_caller_is_the_first() {
        for workers in [1, 2, 7] {
            let team = Team::new(workers);
            let caller = std::thread::current().id();
            let seen = Mutex::new(Vec::new());
            let note = |worker: usize| {
                let here = std::thread::current().id();
                assert_eq!(worker == 0, here == caller);
                seen.lock().expect("nobody panics").push(worker);
            };
            team.run(|| note(0), note);
            let mut seen = seen.into_inner().expect("nobody panics");
            seen.sort_unstable();
            assert_eq!(seen, (0..workers).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_worker_that_panics_takes_its_caller_along() {
        let caught = std::panic::catch_unwind(|| {
            Team::new(3).run(|| (), |worker| assert_ne!(worker, 2, "the second one fails"));
        });
        assert!(caught.is_err());
    }

    #[test]
    fn placed_values_are_those_given_and_zeros_behind_them() {
        for workers in [1, 3] {
            for (given, len) in [(10_000, 10_003), (10_000, 30_000), (5, 9), (0, 12_345)] {
                let values: Vec<f64> = (0..given).map(|i| i as f64 + 0.5).collect();
                let (team, mut placed) = (Team::new(workers), vec![0.0; len]);
                team.copy(&values, &mut placed);
                assert_eq!(placed[..given], values[..]);
                assert!(placed[given..].iter().all(|&v| v == 0.0));
                assert_eq!(team.place(values.clone()), values);
            }
        }
    }
}
