//! `block-private`, `block-lock`, `block-cas`: the array in blocks, each copied for a worker at its first use.

use std::sync::RwLockWriteGuard;

use super::cell::Cell;
use super::claim::{Claim, Locks, Never, Owners};
use super::slot::Slot;
use super::target::{Part, Target, no_such_row};
use super::{Addend, Adder, Options, Reducer, Shape};

/// Private copies of the blocks to which a worker adds, made at its first addition.
pub type BlockPrivate<T> = Blocks<T, Never>;

/// A lock for each block: the worker that gets it adds to the target; one that finds it taken, to a private copy.
pub type BlockLock<T> = Blocks<T, Locks>;

/// Blocks claimed by compare-and-swap: the first worker adds to the target, the others to private copies.
pub type BlockCas<T> = Blocks<T, Owners>;

/// The array in blocks of consecutive rows. At a worker's first addition to a block, the rule `C` decides where its
/// additions go, to the target or to a private copy; later ones find the place in a table.
///
/// Copies reach the target only in the merge, when no worker is adding any more, so no copy meets a worker that is
/// still adding to the target: uneven work loses nothing.
#[derive(Debug)]
pub struct Blocks<T, C> {
    shape: Shape,
    /// Requested size: blocks of `1 << largest` rows.
    largest: u32,
    /// Blocks have `1 << shift` rows, at most as many as the array.
    shift: u32,
    claims: C,
    private: Vec<Slot<Private<T>>>,
}

/// One worker's blocks.
#[derive(Debug)]
struct Private<T> {
    /// Where the worker adds to each block; null for a block it has not touched.
    bases: Vec<*const Cell<T>>,
    /// Blocks of the target that the worker has claimed.
    claimed: Vec<usize>,
    /// Blocks of which it has copies, and the copies.
    copied: Vec<usize>,
    copies: Vec<Vec<Cell<T>>>,
    /// Copies from earlier reductions, for reuse.
    spare: Vec<Vec<Cell<T>>>,
}

// SAFETY: the pointers lead to cells of the target, which outlives all adders, and of the copies held with them; only
// adders follow them, under the conditions stated there.
unsafe impl<T: Send> Send for Private<T> {}
// SAFETY: as above; the merge, which shares it, follows no pointer.
unsafe impl<T: Sync> Sync for Private<T> {}

impl<T> Default for Private<T> {
    fn default() -> Self {
        Private {
            bases: Vec::new(),
            claimed: Vec::new(),
            copied: Vec::new(),
            copies: Vec::new(),
            spare: Vec::new(),
        }
    }
}

/// An adder of [`Blocks`].
///
/// Everything that an addition reads is here and never changes; what a call changes lies elsewhere, so that the
/// compiler can keep the former in registers.
#[derive(Debug)]
pub struct BlockAdder<'a, T: Addend, C: Claim, const D: usize> {
    rows: usize,
    shift: u32,
    /// The table of `Private`: one entry per block.
    bases: *const *const Cell<T>,
    opener: Box<Opener<'a, T, C, D>>,
}

/// Decides where a worker's additions to a block go.
#[derive(Debug)]
struct Opener<'a, T: Addend, C: Claim, const D: usize> {
    shift: u32,
    bases: *mut *const Cell<T>,
    target: Target<'a, T>,
    claims: &'a C,
    worker: u32,
    private: RwLockWriteGuard<'a, Private<T>>,
}

impl<T: Addend, C: Claim> Reducer<T> for Blocks<T, C> {
    type Adder<'a, const D: usize>
        = BlockAdder<'a, T, C, D>
    where
        C: 'a;

    fn new(workers: usize, options: Options) -> Self {
        let largest = options.block_rows.next_power_of_two().trailing_zeros();
        Blocks {
            shape: Shape::default(),
            largest,
            shift: largest,
            claims: C::default(),
            private: Slot::for_each(workers),
        }
    }

    fn workers(&self) -> usize {
        self.private.len()
    }

    fn begin(&mut self, shape: Shape) {
        let other_size = shape != self.shape;
        self.shift = self.largest.min(shape.rows.next_power_of_two().trailing_zeros());
        let blocks = shape.rows.div_ceil(1 << self.shift);
        self.claims.begin(blocks);
        for private in &mut self.private {
            let private = private.get_mut();
            private.bases.clear();
            private.bases.resize(blocks, std::ptr::null());
            private.claimed.clear();
            private.copied.clear();
            private.spare.append(&mut private.copies);
            if other_size {
                private.spare = Vec::new();
            }
        }
        self.shape = shape;
    }

    fn adder<'a, const D: usize>(&'a self, target: Target<'a, T>, worker: usize) -> BlockAdder<'a, T, C, D> {
        let mut private = self.private[worker].hold(worker);
        let bases = private.bases.as_mut_ptr();
        let opener = Opener {
            shift: self.shift,
            bases,
            target,
            claims: &self.claims,
            worker: u32::try_from(worker).expect("a process has less than 2^32 threads"),
            private,
        };
        BlockAdder { rows: self.shape.rows, shift: self.shift, bases, opener: Box::new(opener) }
    }

    fn merge(&self, mut part: Part<'_, T>) {
        for private in &self.private {
            let private = private.read();
            for (&block, copy) in private.copied.iter().zip(&private.copies) {
                let first = block << self.shift;
                let rows = (self.shape.rows - first).min(1 << self.shift);
                // SAFETY: without adders, nothing changes a copy.
                unsafe { part.add(first, &copy[..rows * self.shape.dim]) }
            }
        }
    }

    fn bytes(&self) -> usize {
        let block = (self.shape.dim * size_of::<T>()) << self.shift;
        let of = |private: &Private<T>| {
            let lists = private.claimed.capacity() + private.copied.capacity();
            let boxes = private.copies.capacity() + private.spare.capacity();
            private.bases.capacity() * size_of::<*const T>()
                + lists * size_of::<usize>()
                + boxes * size_of::<Vec<T>>()
                + (private.copies.len() + private.spare.len()) * block
        };
        self.claims.capacity() * C::BYTES
            + self.private.iter().map(|private| of(&private.read())).sum::<usize>()
    }
}

impl<T: Addend, C: Claim, const D: usize> Adder<T, D> for BlockAdder<'_, T, C, D> {
    #[inline(always)]
    fn add_row(&mut self, row: usize, values: [T; D]) {
        if row >= self.rows {
            no_such_row(row, self.rows);
        }
        let block = row >> self.shift;
        // SAFETY: the table has an entry for the block of every row. Its pointer leads to the block's cells: those of
        // the target, if this worker has claimed them, or of its own copy. They hold all rows of the block, and nothing
        // else accesses them before the claim is released or the merge begins.
        unsafe {
            let mut base = *self.bases.add(block);
            if base.is_null() {
                base = self.opener.open(block);
            }
            let inside = row - (block << self.shift);
            let cells = &*base.add(inside * D).cast::<[Cell<T>; D]>();
            for m in 0..D {
                cells[m].add(values[m]);
            }
        }
    }
}

impl<T: Addend, C: Claim, const D: usize> Opener<'_, T, C, D> {
    /// Decides where the worker's additions to a block go, and records it in the table.
    #[cold]
    #[inline(never)]
    fn open(&mut self, block: usize) -> *const Cell<T> {
        let private = &mut *self.private;
        let base = if self.claims.claim(block, self.worker) {
            private.claimed.push(block);
            self.target.cells[(block << self.shift) * D..].as_ptr()
        } else {
            let mut copy = private.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend((0..D << self.shift).map(|_| Cell::new(T::IDENTITY)));
            private.copied.push(block);
            private.copies.push(copy);
            private.copies[private.copies.len() - 1].as_ptr()
        };
        // SAFETY: the table has an entry for the block; it is accessed only through this pointer and the adder's copy
        // of it, so both stay valid.
        unsafe { *self.bases.add(block) = base };
        base
    }
}

impl<T: Addend, C: Claim, const D: usize> Drop for Opener<'_, T, C, D> {
    fn drop(&mut self) {
        if C::RELEASES {
            for block in self.private.claimed.drain(..) {
                // SAFETY: as in `open`. Null, so that the worker's next adder claims the block again.
                unsafe { *self.bases.add(block) = std::ptr::null() };
                self.claims.release(block);
            }
        }
    }
}
