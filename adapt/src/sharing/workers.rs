//! One task for all workers of a thread pool.

use std::sync::Mutex;

use cfd_engine::plug::{ThreadPool, UNBROKEN};

/// Calls `task` with each worker's number, on its thread; returns when all have ended.
pub(crate) fn on_all(pool: &ThreadPool, task: impl Fn(usize) + Sync) {
    pool.run(|| task(0), &task);
}

/// The same, returning the results, worker by worker.
pub(crate) fn gather<R: Send + Default>(pool: &ThreadPool, task: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<R>> = (0..pool.workers()).map(|_| Mutex::default()).collect();
    on_all(pool, |worker| {
        let result = task(worker);
        *results[worker].lock().expect(UNBROKEN) = result;
    });
    results.into_iter().map(|result| result.into_inner().expect(UNBROKEN)).collect()
}
