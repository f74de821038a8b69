//! Who may add to a block of the target directly.

use std::fmt::Debug;

use super::cell::{AtomicBool, AtomicU32, Ordering};

/// A rule by which workers get exclusive use of blocks of the target.
///
/// This makes direct additions free of races: between a `claim` that returned true and the same worker's `release` of
/// that block, or the end of the reduction, no other worker's `claim` of it returns true; and what was added before a
/// `release` happens before the next successful `claim`.
pub trait Claim: Debug + Default + Send + Sync {
    /// Bytes per block.
    const BYTES: usize;
    /// Whether adders release their blocks when they end.
    const RELEASES: bool;
    /// Frees all of `blocks` blocks.
    fn begin(&mut self, blocks: usize);
    /// Tries to claim a block; never waits.
    fn claim(&self, block: usize, worker: u32) -> bool;
    /// Releases a block.
    fn release(&self, block: usize);
    /// Number of blocks for which there is room.
    fn capacity(&self) -> usize;
}

/// No worker ever gets a block: all copies are private.
#[derive(Debug, Default)]
pub struct Never;

impl Claim for Never {
    const BYTES: usize = 0;
    const RELEASES: bool = false;

    fn begin(&mut self, _blocks: usize) {}

    fn claim(&self, _block: usize, _worker: u32) -> bool {
        false
    }

    fn release(&self, _block: usize) {}

    fn capacity(&self) -> usize {
        0
    }
}

/// A lock for each block, held until the adder that got it ends.
///
/// Another worker may then get the block: if work is uneven, workers that continue take over what the others have left.
#[derive(Debug, Default)]
pub struct Locks(Vec<AtomicBool>);

impl Claim for Locks {
    const BYTES: usize = size_of::<AtomicBool>();
    const RELEASES: bool = true;

    fn begin(&mut self, blocks: usize) {
        self.0.clear();
        self.0.extend((0..blocks).map(|_| AtomicBool::new(false)));
    }

    fn claim(&self, block: usize, _worker: u32) -> bool {
        let lock = &self.0[block];
        // A look first: a taken lock stays taken for long, and looking moves no cache line. Acquire: makes the last
        // holder's additions visible.
        !lock.load(Ordering::Relaxed)
            && lock.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn release(&self, block: usize) {
        self.0[block].store(false, Ordering::Release);
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

/// The owner of each block, until the merge: the first worker that writes its number there by compare-and-swap.
#[derive(Debug, Default)]
pub struct Owners(Vec<AtomicU32>);

/// The number of no worker.
const NOBODY: u32 = u32::MAX;

impl Claim for Owners {
    const BYTES: usize = size_of::<AtomicU32>();
    const RELEASES: bool = false;

    fn begin(&mut self, blocks: usize) {
        self.0.clear();
        self.0.extend((0..blocks).map(|_| AtomicU32::new(NOBODY)));
    }

    fn claim(&self, block: usize, worker: u32) -> bool {
        // Relaxed: a block has one owner per reduction, and no other worker reads it before the merge.
        self.0[block].compare_exchange(NOBODY, worker, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn release(&self, _block: usize) {}

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}
