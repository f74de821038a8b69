//! `atomic`: every addition is one atomic step on the target.

use super::cell::Cell;
use super::target::{Part, Target, no_such_row};
use super::{Addend, Adder, Options, Reducer, Shape};

/// Every addition is one atomic step on the target. Has no memory of its own; the order of additions to a row is
/// arbitrary.
#[derive(Debug)]
pub struct Atomic {
    workers: usize,
}

/// An adder of [`Atomic`].
#[derive(Debug)]
pub struct AtomicAdder<'a, T: Addend, const D: usize> {
    rows: &'a [[T::Atomic; D]],
}

impl<T: Addend> Reducer<T> for Atomic {
    type Adder<'a, const D: usize> = AtomicAdder<'a, T, D>;

    fn new(workers: usize, _options: Options) -> Self {
        Atomic { workers }
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn begin(&mut self, _shape: Shape) {}

    fn adder<'a, const D: usize>(&'a self, target: Target<'a, T>, _worker: usize) -> AtomicAdder<'a, T, D> {
        const { assert!(size_of::<T>() == size_of::<T::Atomic>()) };
        let rows: *const [[Cell<T>; D]] = target.cells.as_chunks::<D>().0;
        // SAFETY: an addend and its atomic form have the same layout, and a cell is a transparent wrapper of the
        // addend. While this reducer's adders live, nothing else accesses the cells.
        AtomicAdder { rows: unsafe { &*(rows as *const [[T::Atomic; D]]) } }
    }

    fn merge(&self, _part: Part<'_, T>) {}

    fn bytes(&self) -> usize {
        0
    }
}

impl<T: Addend, const D: usize> Adder<T, D> for AtomicAdder<'_, T, D> {
    #[inline(always)]
    fn add_row(&mut self, row: usize, values: [T; D]) {
        let Some(target) = self.rows.get(row) else { no_such_row(row, self.rows.len()) };
        for m in 0..D {
            T::add_atomically(&target[m], values[m]);
        }
    }
}
