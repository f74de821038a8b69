//! Threads that work together.

use std::num::NonZeroUsize;

/// Threads that work on a task together.
pub trait Team {
    /// The number of threads.
    fn size(&self) -> usize;
    /// Runs `task(0)`, `task(1)` ... `task(size - 1)`, at the same time if there are enough processors, and returns
    /// when all are done.
    fn run(&self, task: &(dyn Fn(usize) + Sync));
}

/// Threads started for each task; the calling thread is one of them.
///
/// For few large tasks, or if nothing else needs threads. A rayon thread pool, whose threads wait for work, is a
/// [`Team`] too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scoped(pub NonZeroUsize);

impl Team for Scoped {
    fn size(&self) -> usize {
        self.0.get()
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for worker in 1..self.size() {
                scope.spawn(move || task(worker));
            }
            task(0);
        });
    }
}

impl Team for rayon::ThreadPool {
    fn size(&self) -> usize {
        self.current_num_threads()
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        self.broadcast(|context| task(context.index()));
    }
}
