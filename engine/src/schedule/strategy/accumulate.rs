//! What a plug-in strategy provides: a way to combine what several workers add to one dat.
//!
//! A loop's elements are divided among the workers by rows, regardless of their targets. A worker executes a block of
//! elements, stores their increments in its own buffer, and hands the buffer over:
//!
//! ```text
//! begin          the step's increments go to these values
//! add            on every worker: a block of elements, their increments, their targets
//! into_parts     what is left to do, one part for each worker, when all have added
//! ```

use std::cell::UnsafeCell;

/// A plug-in strategy.
#[derive(Debug)]
pub struct Plug {
    /// Its name in configurations.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Whether a given number of ranks and threads always gives the same bits; otherwise they also depend on which
    /// thread comes first.
    pub is_repeatable: bool,
    /// Makes what receives one dat's increments: for this many workers, and this many rows in a block if it has blocks.
    pub make: fn(workers: usize, block_rows: usize) -> Box<dyn Accumulate>,
}

/// Combines what several workers add to one dat. It keeps its memory from step to step.
pub trait Accumulate: Send + Sync {
    /// Begins a step, whose increments go to rows of `dim` values.
    ///
    /// # Safety
    /// Until the accumulation and its parts are gone, nothing else accesses the values.
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
    /// Adds what a worker has stored, element by element, then slot by slot. For each worker, only one thread at a time
    /// calls it.
    fn add(&self, worker: usize, increments: &Increments<'_>);

    /// What is left when all have added: one part for each worker.
    fn into_parts(self: Box<Self>) -> Vec<Merge<'a>>;
}

/// Completes a part of the values.
pub type Merge<'a> = Box<dyn FnOnce() + Send + 'a>;

/// The increments of a block of elements.
#[derive(Clone, Copy, Debug)]
pub struct Increments<'a> {
    /// Number of elements.
    pub elements: usize,
    /// Values per row.
    pub dim: usize,
    /// A row for each element and slot.
    pub stored: &'a [f64],
    /// Where they go.
    pub slots: &'a [Slot<'a>],
}

/// The target of an increment: of element e, row `targets[e * arity + index]`.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Targets of the block's elements through a map.
    pub targets: &'a [u32],
    /// Targets per element.
    pub arity: usize,
    /// This slot's target among them.
    pub index: usize,
}
