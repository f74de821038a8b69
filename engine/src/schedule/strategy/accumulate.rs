//! What a strategy from outside the engine offers: to bring together what several workers add to one dat.
//!
//! A loop's elements are divided among the workers by rows, without regard to their targets. A worker executes a block of
//! elements, whose increments are stored in a buffer of its own, and hands the buffer over:
//!
//! ```text
//! begin          the step's increments go to these values
//! add            on every worker: a block of elements, their increments, their targets
//! into_parts     what is left to do, one part for each worker, when all have added
//! ```

use std::cell::UnsafeCell;

/// A strategy from outside.
#[derive(Debug)]
pub struct Plug {
    /// Its name in configurations.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// One number of ranks and threads always gives the same bits; otherwise they also depend on which thread comes first.
    pub is_repeatable: bool,
    /// What one dat's increments are handed to: for so many workers, with so many rows in a block if it has blocks.
    pub make: fn(workers: usize, block_rows: usize) -> Box<dyn Accumulate>,
}

/// Brings together what several workers add to one dat. It keeps its memory from step to step.
pub trait Accumulate: Send + Sync {
    /// Begins a step, whose increments go to rows of `dim` values.
    ///
    /// # Safety
    /// Until the accumulation and its parts are gone, nobody else accesses the values.
    unsafe fn begin<'a>(
        &'a mut self,
        values: &'a [UnsafeCell<f64>],
        dim: usize,
    ) -> Box<dyn Accumulation<'a> + 'a>;

    /// Bytes it holds.
    fn bytes(&self) -> usize;
}

/// The increments of one step of a loop to one dat.
pub trait Accumulation<'a>: Sync {
    /// Adds what a worker has stored, element by element, then slot by slot. A worker calls it from one thread at a time.
    fn add(&self, worker: usize, increments: &Increments<'_>);

    /// What is left when all have added: a part for each worker.
    fn into_parts(self: Box<Self>) -> Vec<Merge<'a>>;
}

/// Completes a part of the values.
pub type Merge<'a> = Box<dyn FnOnce() + Send + 'a>;

/// The increments of a block of elements.
#[derive(Clone, Copy, Debug)]
pub struct Increments<'a> {
    /// Number of elements.
    pub elements: usize,
    /// Values of a row.
    pub dim: usize,
    /// Of each element, for each slot, a row.
    pub stored: &'a [f64],
    /// Where they go.
    pub slots: &'a [Slot<'a>],
}

/// The target of an increment: of element e, row `targets[e * arity + index]`.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Targets of the block's elements through a map.
    pub targets: &'a [u32],
    /// Targets of an element.
    pub arity: usize,
    /// The one of this slot.
    pub index: usize,
}
