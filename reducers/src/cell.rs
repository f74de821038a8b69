//! A number in an array that several threads reach, and the atomics that say who may.
//!
//! A build of the tests with `--cfg loom` takes both from loom, which tries every order of the threads' steps and
//! fails where a cell is accessed by two threads at once.

#[cfg(not(all(loom, test)))]
use std::cell::UnsafeCell;
#[cfg(not(all(loom, test)))]
pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

#[cfg(all(loom, test))]
use loom::cell::UnsafeCell;
#[cfg(all(loom, test))]
pub(super) use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::Addend;

/// A number that is changed without synchronisation by whoever has the right to.
#[repr(transparent)]
#[derive(Debug)]
pub struct Cell<T>(UnsafeCell<T>);

// SAFETY: a cell is read and changed by unsafe functions alone, whose condition is that nobody else accesses it.
unsafe impl<T: Send> Sync for Cell<T> {}

impl<T: Addend> Cell<T> {
    /// A cell of its own.
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
    // SAFETY: a cell is a transparent wrapper around its number, and the mutable borrow says that only the cells reach
    // the numbers while they are borrowed.
    unsafe { &*(std::ptr::from_mut(values) as *const [Cell<T>]) }
}

/// The numbers of an array that somebody else holds as `UnsafeCell`s.
#[cfg(not(all(loom, test)))]
pub(super) fn cells_of_unsafe<T>(values: &[std::cell::UnsafeCell<T>]) -> &[Cell<T>] {
    // SAFETY: a cell is a transparent wrapper around an UnsafeCell.
    unsafe { &*(std::ptr::from_ref(values) as *const [Cell<T>]) }
}

/// Loom knows its own cells alone; its models make their targets of these.
#[cfg(all(loom, test))]
pub(super) fn cells_of_unsafe<T>(_values: &[std::cell::UnsafeCell<T>]) -> &[Cell<T>] {
    panic!("the models make their own cells")
}
