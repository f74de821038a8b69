//! Values in memory that begins with a cache line.
//!
//! A row of four numbers, and a register of eight, then never lies on two lines.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// One cache line.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Cells of values, from the beginning of a cache line on.
pub struct Lines<T> {
    lines: Box<[UnsafeCell<Line>]>,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Pod> Lines<T> {
    /// So many zeros, in pages that nobody has touched. `fill` sets them.
    pub(crate) fn new(len: usize, fill: impl FnOnce(&mut [T])) -> Lines<T> {
        let mut lines =
            bytemuck::zeroed_slice_box::<Line>((len * size_of::<T>()).div_ceil(size_of::<Line>()));
        fill(&mut bytemuck::cast_slice_mut(&mut lines)[..len]);
        let lines = Box::into_raw(lines) as *mut [UnsafeCell<Line>];
        // SAFETY: a cell has the layout of its value, and the box was given up above.
        let lines = unsafe { Box::from_raw(lines) };
        Lines { lines, len, values: PhantomData }
    }
}

impl<T: Pod> Deref for Lines<T> {
    type Target = [UnsafeCell<T>];
    fn deref(&self) -> &[UnsafeCell<T>] {
        // SAFETY: the lines have room for `len` plain values, and alignment for any.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Pod> DerefMut for Lines<T> {
    fn deref_mut(&mut self) -> &mut [UnsafeCell<T>] {
        // SAFETY: as above, and the lines are borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn values_begin_with_a_cache_line_and_are_those_set() {
        for len in [0, 1, 8, 9, 1000] {
            let mut lines = Lines::<f64>::new(len, |values| values.fill(2.5));
            assert!(lines.as_ptr().addr().is_multiple_of(64) && lines.len() == len);
            assert!(lines.iter_mut().all(|value| *value.get_mut() == 2.5));
        }
    }
}
