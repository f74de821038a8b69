//! The thread pool of one rank: its workers.
//!
//! The calling thread is worker 0: it alone talks to other ranks, and has no other thread to wait for while it polls
//! messages. Workers 1, 2, ... are threads of the domain's own. A worker is always the same thread, so it finds what it
//! touched in the previous loop in its caches and in its part of the memory.
//!
//! An idle worker spins briefly before it sleeps, since waking a sleeping thread takes tens of microseconds, and
//! hundreds on a virtual machine. While it spins, it yields the processor to others.

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use bytemuck::Zeroable;

use crate::base::memory;
use crate::base::share::share;

/// Why a worker's lock is never poisoned.
pub const UNBROKEN: &str = "a worker that panics takes its rank down";

/// With fewer values than this per worker, waking one does not pay.
const FEWEST_VALUES: usize = 4096;

/// How long a thread spins before it sleeps: longer than the gap between two loops, shorter than output.
const LONGEST_WATCH: Duration = Duration::from_millis(1);

/// Checks before a spinning thread yields the processor.
const LOOKS: usize = 50;

/// The thread pool: the workers.
pub struct ThreadPool {
    shared: Arc<Shared>,
    /// All but the calling thread.
    threads: Vec<JoinHandle<()>>,
}

/// What the calling thread and the workers share: the current call.
#[derive(Default)]
struct Shared {
    /// Calls so far.
    calls: AtomicUsize,
    /// The current call; `None` ends the workers. Changed only while no worker is busy.
    call: UnsafeCell<Option<Call<'static>>>,
    /// Workers that have not finished the current call.
    busy: AtomicUsize,
    /// A call is under way.
    taken: AtomicBool,
    /// The payload of the first worker that panicked.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `call` is changed by the one caller (`taken`) while `busy` is 0, before `calls` is counted up (release);
// workers read it after they have seen that (acquire), and before they count themselves out of `busy` (release).
unsafe impl Sync for Shared {}

#[derive(Clone)]
struct Call<'a> {
    others: &'a (dyn Fn(usize) + Sync),
    caller: Thread,
}

impl Shared {
    /// A worker's loop: waits for a call and takes part in it.
    fn serve(&self, worker: usize) {
        for seen in 0.. {
            watch(|| self.calls.load(Ordering::Acquire) != seen);
            // SAFETY: see `Sync`.
            let Some(Call { others, caller }) = (unsafe { (*self.call.get()).clone() }) else { return };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| others(worker))) {
                self.panic().get_or_insert(panic);
            }
            if self.busy.fetch_sub(1, Ordering::Release) == 1 {
                caller.unpark();
            }
        }
    }

    fn panic(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.panic.lock().expect("nobody panics while holding it")
    }

    fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        self.panic().take()
    }

    /// Gives the workers a call, which must outlive their work on it.
    fn put(&self, call: Option<Call<'static>>, threads: &[JoinHandle<()>]) {
        // SAFETY: see `Sync`.
        unsafe { *self.call.get() = call };
        self.busy.store(threads.len(), Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Release);
        threads.iter().for_each(|thread| thread.thread().unpark());
    }
}

/// Waits until all workers are done when dropped, also by a panic.
struct CallGuard<'a>(&'a Shared);

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        watch(|| self.0.busy.load(Ordering::Acquire) == 0);
        self.0.taken.store(false, Ordering::Release);
    }
}

/// Returns when `is_time` holds; whoever makes it hold must wake the thread.
fn watch(is_time: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_time() {
        if since.elapsed() > LONGEST_WATCH {
            thread::park();
        } else if !(0..LOOKS).any(|_| {
            std::hint::spin_loop();
            is_time()
        }) {
            thread::yield_now();
        }
    }
}

impl ThreadPool {
    /// # Panics
    /// If the system cannot start that many threads.
    pub fn new(workers: usize) -> ThreadPool {
        let shared = Arc::new(Shared::default());
        let others = workers.max(1) - 1;
        let start = |thread: usize| {
            let shared = shared.clone();
            let builder = thread::Builder::new().name(format!("cfd-worker-{thread}"));
            builder.spawn(move || shared.serve(thread)).unwrap_or_else(|error| {
                panic!("cannot start {others} worker threads: {error}; ask for fewer threads")
            })
        };
        let threads = (1..=others).map(start).collect();
        ThreadPool { shared, threads }
    }

    /// Number of workers, the calling thread among them.
    pub fn workers(&self) -> usize {
        self.threads.len() + 1
    }

    /// Calls `own` here and, at the same time, `others` with its number on every other worker's thread; waits for all.
    ///
    /// # Panics
    /// With a worker's panic, or if a call is already under way.
    pub fn run(&self, own: impl FnOnce(), others: impl Fn(usize) + Sync) {
        if self.threads.is_empty() {
            return own();
        }
        assert!(!self.shared.taken.swap(true, Ordering::Acquire), "workers have one call at a time");
        let others: &(dyn Fn(usize) + Sync) = &others;
        // SAFETY: no worker uses it after `guard` is dropped.
        let others = unsafe {
            std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(others)
        };
        self.shared.take_panic();
        let guard = CallGuard(&self.shared);
        self.shared.put(Some(Call { others, caller: thread::current() }), &self.threads);
        own();
        drop(guard);
        if let Some(panic) = self.shared.take_panic() {
            resume_unwind(panic);
        }
    }

    /// Moves the values to memory of which each worker has touched its share first; large arrays in huge pages.
    pub fn place<T: Zeroable + Copy + Send + Sync>(&self, values: Vec<T>) -> Vec<T> {
        let mut placed = memory::zeroed(values.len());
        self.copy(&values, &mut placed);
        placed
    }

    /// Copies the values to the beginning of fresh pages, zero and untouched. Each worker touches its share first,
    /// which places it near the worker where memory is not equally near to all.
    pub fn copy<T: Zeroable + Copy + Send + Sync>(&self, values: &[T], placed: &mut [T]) {
        let len = placed.len();
        if self.threads.is_empty() || len < FEWEST_VALUES {
            return placed[..values.len()].copy_from_slice(values);
        }
        let mut pieces: Vec<Mutex<(usize, &mut [T])>> = Vec::new();
        let mut left = placed;
        for worker in 0..self.workers() {
            let range = share(len, worker, self.workers());
            let (piece, behind) = left.split_at_mut(range.len());
            pieces.push(Mutex::new((range.start, piece)));
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

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.put(None, &self.threads);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{LONGEST_WATCH, ThreadPool};

    #[test]
    fn every_worker_works_once_and_the_caller_is_the_first() {
        for workers in [1, 2, 7] {
            let pool = ThreadPool::new(workers);
            let caller = std::thread::current().id();
            let seen = Mutex::new(Vec::new());
            let note = |worker: usize| {
                let here = std::thread::current().id();
                assert_eq!(worker == 0, here == caller);
                seen.lock().expect("nobody panics").push(worker);
            };
            pool.run(|| note(0), note);
            let mut seen = seen.into_inner().expect("nobody panics");
            seen.sort_unstable();
            assert_eq!(seen, (0..workers).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_worker_that_panics_takes_its_caller_along() {
        let caught = std::panic::catch_unwind(|| {
            ThreadPool::new(3).run(|| (), |worker| assert_ne!(worker, 2, "the second one fails"));
        });
        assert!(caught.is_err());
    }

    #[test]
    fn calls_follow_each_other_at_once_and_after_sleep() {
        let (pool, counted) = (ThreadPool::new(4), AtomicUsize::new(0));
        let count = || _ = counted.fetch_add(1, Ordering::Relaxed);
        // An interpreter is slow.
        let (calls, every) = if cfg!(miri) { (40, 10) } else { (3000, 500) };
        for call in 0..calls {
            if call % every == 0 {
                std::thread::sleep(3 * LONGEST_WATCH);
            }
            // Sometimes one of the others is late, and the caller sleeps.
            let late =
                |worker| (call % every == 7 && worker == 2).then(|| std::thread::sleep(3 * LONGEST_WATCH));
            pool.run(count, |worker| {
                late(worker);
                count();
            });
            assert_eq!(counted.load(Ordering::Relaxed), 4 * (call + 1));
        }
    }

    #[test]
    fn a_panic_waits_for_all_workers_and_is_over_with_its_call() {
        let (pool, done) = (ThreadPool::new(3), AtomicUsize::new(0));
        let both = AssertUnwindSafe(|| {
            pool.run(
                || panic!("the caller fails"),
                |worker| {
                    std::thread::sleep(LONGEST_WATCH);
                    done.fetch_add(1, Ordering::Relaxed);
                    assert_ne!(worker, 1, "and a worker");
                },
            );
        });
        assert!(catch_unwind(both).is_err());
        assert_eq!(done.load(Ordering::Relaxed), 2);
        pool.run(|| (), |_| _ = done.fetch_add(1, Ordering::Relaxed));
        assert_eq!(done.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn a_call_within_a_call_is_refused() {
        let pool = ThreadPool::new(2);
        let nested = AssertUnwindSafe(|| pool.run(|| pool.run(|| (), |_| ()), |_| ()));
        assert!(catch_unwind(nested).is_err());
    }

    #[test]
    fn placed_values_are_those_given_and_zeros_behind_them() {
        for workers in [1, 3] {
            for (given, len) in [(10_000, 10_003), (10_000, 30_000), (5, 9), (0, 12_345)] {
                let values: Vec<f64> = (0..given).map(|i| i as f64 + 0.5).collect();
                let (pool, mut placed) = (ThreadPool::new(workers), vec![0.0; len]);
                pool.copy(&values, &mut placed);
                assert_eq!(placed[..given], values[..]);
                assert!(placed[given..].iter().all(|&v| v == 0.0));
                assert_eq!(pool.place(values.clone()), values);
            }
        }
    }
}
