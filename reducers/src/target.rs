//! The array to which workers add, and its division among them.

use std::ops::Range;

use super::Addend;
use super::cell::Cell;

/// The array to which workers add: rows of `dim` numbers.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a, T> {
    pub(super) cells: &'a [Cell<T>],
    pub(super) dim: usize,
}

impl<'a, T> Target<'a, T> {
    pub(super) fn new(cells: &'a [Cell<T>], dim: usize) -> Self {
        assert!(
            dim > 0 && cells.len().is_multiple_of(dim),
            "an array of {} numbers is not made of rows of {dim}",
            cells.len()
        );
        Target { cells, dim }
    }

    pub(super) fn shape(&self) -> Shape {
        Shape { rows: self.cells.len() / self.dim, dim: self.dim }
    }
}

/// The size of an array: `rows` rows of `dim` numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Number of rows.
    pub rows: usize,
    /// Numbers in a row.
    pub dim: usize,
}

/// Rows of the target that one worker completes once all have added theirs.
#[derive(Debug)]
pub struct Part<'a, T> {
    target: Target<'a, T>,
    index: usize,
    rows: Range<usize>,
}

impl<'a, T: Addend> Part<'a, T> {
    /// All parts. Their ranges do not overlap, and the caller makes them once per reduction, after all adders are gone:
    /// this makes [`Part::add`] sound.
    pub(super) fn all(target: Target<'a, T>, parts: usize) -> impl Iterator<Item = Part<'a, T>> {
        let rows = target.shape().rows;
        (0..parts).map(move |index| Part { target, index, rows: share(rows, parts, index) })
    }

    /// The part's number: it has the rows of the worker with this number in [`share`].
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Adds the numbers of `cells`, which belong to the rows from `first` on, to those rows that lie in the part.
    ///
    /// # Safety
    /// Nothing changes `cells` meanwhile.
    pub(super) unsafe fn add(&mut self, first: usize, cells: &[Cell<T>]) {
        let dim = self.target.dim;
        let (start, end) = (self.rows.start.max(first), self.rows.end.min(first + cells.len() / dim));
        if start >= end {
            return;
        }
        let there = &self.target.cells[start * dim..end * dim];
        let here = &cells[(start - first) * dim..(end - first) * dim];
        for (target, cell) in there.iter().zip(here) {
            // SAFETY: the row belongs to this part alone, and adders are gone; for the other cell, the caller's
            // condition.
            unsafe { target.add(cell.get()) }
        }
    }

    /// Adds a row of numbers, if it lies in the part.
    pub(super) fn add_row(&mut self, row: usize, values: &[T]) {
        if !self.rows.contains(&row) {
            return;
        }
        let dim = self.target.dim;
        for (target, &value) in self.target.cells[row * dim..(row + 1) * dim].iter().zip(values) {
            // SAFETY: the row belongs to this part alone, and adders are gone.
            unsafe { target.add(value) }
        }
    }
}

/// The share of one of `workers` workers in `count` things: consecutive ones, the same number for each but the last.
///
/// ```
/// use cfd_reducers::share;
/// assert_eq!([share(10, 3, 0), share(10, 3, 1), share(10, 3, 2)], [0..4, 4..8, 8..10]);
/// ```
pub fn share(count: usize, workers: usize, worker: usize) -> Range<usize> {
    let each = count.div_ceil(workers).max(1);
    let bound = |worker: usize| worker.saturating_mul(each).min(count);
    bound(worker)..bound(worker + 1)
}

/// Refuses an addition to a row that does not exist.
#[cold]
#[inline(never)]
pub(super) fn no_such_row(row: usize, rows: usize) -> ! {
    panic!("row {row} of an array of {rows} rows")
}
