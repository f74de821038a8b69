//! `dense`: a private copy of the whole array for every worker but the first.

use std::marker::PhantomData;
use std::sync::RwLockWriteGuard;

use super::cell::Cell;
use super::slot::Slot;
use super::target::{Part, Target, no_such_row};
use super::{Addend, Adder, Options, Reducer, Shape};

/// A private copy of the whole array for every worker but the first, which alone uses the target until the merge.
///
/// Workers fill their own copies, so that the pages lie near them, and only workers with an adder do so.
#[derive(Debug)]
pub struct Dense<T> {
    shape: Shape,
    copies: Vec<Slot<Copied<T>>>,
}

/// A worker's copy: empty until the worker has an adder.
#[derive(Debug)]
struct Copied<T>(Vec<Cell<T>>);

impl<T> Default for Copied<T> {
    fn default() -> Self {
        Copied(Vec::new())
    }
}

/// An adder of [`Dense`].
#[derive(Debug)]
pub struct DenseAdder<'a, T, const D: usize> {
    rows: *const [Cell<T>; D],
    len: usize,
    _held: RwLockWriteGuard<'a, Copied<T>>,
    _target: PhantomData<&'a [Cell<T>]>,
}

impl<T: Addend> Reducer<T> for Dense<T> {
    type Adder<'a, const D: usize> = DenseAdder<'a, T, D>;

    fn new(workers: usize, _options: Options) -> Self {
        Dense { shape: Shape::default(), copies: Slot::for_each(workers) }
    }

    fn workers(&self) -> usize {
        self.copies.len()
    }

    fn begin(&mut self, shape: Shape) {
        self.shape = shape;
        self.copies.iter_mut().for_each(|copy| copy.get_mut().0.clear());
    }

    fn adder<'a, const D: usize>(&'a self, target: Target<'a, T>, worker: usize) -> DenseAdder<'a, T, D> {
        let mut held = self.copies[worker].hold(worker);
        let len = self.shape.rows * self.shape.dim;
        let cells = if worker == 0 {
            target.cells
        } else {
            if held.0.is_empty() {
                held.0.reserve_exact(len);
                held.0.extend((0..len).map(|_| Cell::new(T::IDENTITY)));
            }
            &held.0[..]
        };
        let rows = cells.as_chunks::<D>().0;
        DenseAdder { rows: rows.as_ptr(), len: rows.len(), _held: held, _target: PhantomData }
    }

    fn merge(&self, mut part: Part<'_, T>) {
        for copy in &self.copies[1..] {
            // SAFETY: without adders, nothing changes a copy.
            unsafe { part.add(0, &copy.read().0) }
        }
    }

    fn bytes(&self) -> usize {
        self.copies.iter().map(|copy| copy.read().0.capacity() * size_of::<T>()).sum()
    }
}

impl<T: Addend, const D: usize> Adder<T, D> for DenseAdder<'_, T, D> {
    #[inline(always)]
    fn add_row(&mut self, row: usize, values: [T; D]) {
        if row >= self.len {
            no_such_row(row, self.len);
        }
        // SAFETY: `rows` points to `len` rows, of the target or of the copy that `_held` keeps; only worker 0 accesses
        // the target, and only its worker accesses a copy, with one adder at a time.
        unsafe {
            let cells = &*self.rows.add(row);
            for m in 0..D {
                cells[m].add(values[m]);
            }
        }
    }
}
