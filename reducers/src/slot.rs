//! What a worker keeps for itself between its adders and the merge.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// The private state of one worker: changed by one adder at a time, read by all workers when they merge.
///
/// The lock is never waited for. It turns misuse, two adders of one worker, into a panic instead of a data race.
#[derive(Debug, Default)]
pub(super) struct Slot<P>(RwLock<P>);

impl<P: Default> Slot<P> {
    /// One slot per worker.
    pub(super) fn for_each(workers: usize) -> Vec<Slot<P>> {
        (0..workers).map(|_| Slot::default()).collect()
    }
}

impl<P> Slot<P> {
    /// The state, for the worker's adder.
    pub(super) fn hold(&self, worker: usize) -> RwLockWriteGuard<'_, P> {
        match self.0.try_write() {
            Ok(state) => state,
            // A worker that panicked left its state behind; the next reduction starts with a clean one.
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => panic!("worker {worker} has an adder already"),
        }
    }

    /// The state, for the merge, when no adder is left.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, P> {
        match self.0.try_read() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => panic!("an adder was forgotten, not dropped, before the merge"),
        }
    }

    /// The state, when nothing else can access it.
    pub(super) fn get_mut(&mut self) -> &mut P {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
