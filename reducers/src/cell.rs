//! A number in an array that several threads access, and the atomics that decide who may.
//!
//! A build of the tests with `--cfg loom` takes both from loom, which tries every order of the threads' steps and fails
//! if two threads access a cell at once.

#[cfg(not(all(loom, test)))]
use std::cell::UnsafeCell;
#[cfg(not(all(loom, test)))]
pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

#[cfg(all(loom, test))]
use loom::cell::UnsafeCell;
#[cfg(all(loom, test))]
pub(super) use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::Addend;

/// A number that those with the right to may change without synchronisation.
#[repr(transparent)]
#[derive(Debug)]
pub struct Cell<T>(UnsafeCell<T>);

// SAFETY: only unsafe functions read and change a cell, on the condition that nothing else accesses it.
unsafe impl<T: Send> Sync for Cell<T> {}

impl<T: Addend> Cell<T> {
    /// A standalone cell.
    pub(super) fn new(value: T) -> Cell<T> {
        Cell(UnsafeCell::new(value))
    }

    /// Adds to the number.
    ///
    /// # Safety
    /// No other thread accesses the cell at the same time.
    #[inline(always)]
    pub(super) unsafe fn add(&self, value: T) {
        #[cfg(not(all(loom, test)))]
        // SAFETY: the caller's condition; no reference to the number lives longer than this line.
        unsafe {
            let number = self.0.get();
            *number = (*number).plus(value);
        }
        #[cfg(all(loom, test))]
        // SAFETY: the caller's condition, which loom checks.
        self.0.with_mut(|number| unsafe { *number = (*number).plus(value) });
    }

    /// The number.
    ///
    /// # Safety
    /// No other thread changes the cell at the same time.
    #[inline(always)]
    pub(super) unsafe fn get(&self) -> T {
        #[cfg(not(all(loom, test)))]
        // SAFETY: the caller's condition.
        unsafe {
            *self.0.get()
        }
        #[cfg(all(loom, test))]
        // SAFETY: the caller's condition, which loom checks.
        self.0.with(|number| unsafe { *number })
    }
}

/// An array of numbers as an array of cells.
#[cfg(not(all(loom, test)))]
pub(super) fn cells_of<T>(values: &mut [T]) -> &[Cell<T>] {
    // SAFETY: a cell is a transparent wrapper of its number, and because of the mutable borrow, only the cells access
    // the numbers while they are borrowed.
    unsafe { &*(std::ptr::from_mut(values) as *const [Cell<T>]) }
}

/// The numbers of an array held elsewhere as `UnsafeCell`s.
#[cfg(not(all(loom, test)))]
pub(super) fn cells_of_unsafe<T>(values: &[std::cell::UnsafeCell<T>]) -> &[Cell<T>] {
    // SAFETY: a cell is a transparent wrapper of an UnsafeCell.
    unsafe { &*(std::ptr::from_ref(values) as *const [Cell<T>]) }
}

/// Loom knows only its own cells, from which its models make their targets.
#[cfg(all(loom, test))]
pub(super) fn cells_of_unsafe<T>(_values: &[std::cell::UnsafeCell<T>]) -> &[Cell<T>] {
    panic!("the models make their own cells")
}
