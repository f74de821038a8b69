//! Who may add to a block of the target directly.

use std::fmt::Debug;

use super::cell::{AtomicBool, AtomicU32, Ordering};

/// A rule by which workers get blocks of the target for themselves.
///
/// What makes direct additions free of races: between a `claim` that returned true and the `release` of the same
/// block by the same worker, or the end of the reduction, no other worker's `claim` of it returns true; and what was
/// added before a `release` happens before the next successful `claim`.
pub trait Claim: Debug + Default + Send + Sync {
    /// Bytes kept for each block.
    const BYTES: usize;
    /// True when adders give their blocks back as they end.
    const RELEASES: bool;
    /// Frees all of `blocks` blocks.
    fn begin(&mut self, blocks: usize);
    /// Tries to get a block; never waits.
    fn claim(&self, block: usize, worker: u32) -> bool;
    /// Gives a block back.
    fn release(&self, block: usize);
    /// Number of blocks there is room for.
    fn capacity(&self) -> usize;
}

/// Nobody ever gets a block: all copies are private.
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
/// Then another worker may get the block: where work is uneven, those that go on take over what the others have left.
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
        // A look first: a lock that is taken stays so for long, and looking moves no cache line. Acquire: what the
        // last holder has added is seen.
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

/// The owner of each block: the first worker that writes its number there by compare-and-swap, until the merge.
#[derive(Debug, Default)]
pub struct Owners(Vec<AtomicU32>);

/// No worker's number.
const NOBODY: u32 = u32::MAX;

impl Claim for Owners {
    const BYTES: usize = size_of::<AtomicU32>();
    const RELEASES: bool = false;

    fn begin(&mut self, blocks: usize) {
        self.0.clear();
        self.0.extend((0..blocks).map(|_| AtomicU32::new(NOBODY)));
    }

    fn claim(&self, block: usize, worker: u32) -> bool {
        // Relaxed: a block has one owner in a reduction, and nobody else reads it before the merge.
        self.0[block].compare_exchange(NOBODY, worker, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn release(&self, _block: usize) {}

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}
