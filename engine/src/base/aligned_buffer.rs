//! Aligned buffers: arrays that begin with a cache line.
//!
//! Neither a row of four numbers nor a register of eight then straddles two lines.

use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

use crate::base::memory::{self, LINE};

/// Cells of values that begin with a cache line.
pub struct AlignedBuffer<T> {
    /// The values, with padding before and after so that `start` falls on a line.
    cells: Vec<UnsafeCell<T>>,
    start: usize,
    len: usize,
}

impl<T: Pod> AlignedBuffer<T> {
    /// A buffer of `len` values, zeros in untouched pages that `fill` then sets.
    pub fn new(len: usize, fill: impl FnOnce(&mut [T])) -> AlignedBuffer<T> {
        let mut values = memory::zeroed::<T>(len + LINE / size_of::<T>());
        let start = values.as_ptr().align_offset(LINE);
        fill(&mut values[start..start + len]);
        let mut values = ManuallyDrop::new(values);
        // SAFETY: a cell has the layout of its value, and the vector has been given up.
        let cells =
            unsafe { Vec::from_raw_parts(values.as_mut_ptr().cast(), values.len(), values.capacity()) };
        AlignedBuffer { cells, start, len }
    }
}

impl<T> Deref for AlignedBuffer<T> {
    type Target = [UnsafeCell<T>];
    fn deref(&self) -> &[UnsafeCell<T>] {
        &self.cells[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for AlignedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [UnsafeCell<T>] {
        &mut self.cells[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::AlignedBuffer;

    #[test]
    fn values_begin_with_a_cache_line_and_are_those_set() {
        for len in [0, 1, 8, 9, 1000] {
            let mut lines = AlignedBuffer::<f64>::new(len, |values| values.fill(2.5));
            assert!(lines.as_ptr().addr().is_multiple_of(64) && lines.len() == len);
            assert!(lines.iter_mut().all(|value| *value.get_mut() == 2.5));
        }
    }
}
