//! The loops that are shared.

use std::hint::black_box;

use cfd_adapt::sharing::work;

/// A loop whose items may be executed in any order, on any threads.
pub trait Kernel: Sync {
    /// Its name in tables.
    fn name(&self) -> &str;
    /// How many items it has; asked after `prepare`.
    fn items(&self) -> usize;
    /// What must be done before each run, and is not measured: where a run changes what it works on, brings that
    /// back.
    fn prepare(&mut self) {}
    /// Executes an item.
    fn execute(&self, item: usize);
}

/// Nothing to do: what dealing costs.
pub struct Empty(pub usize);

impl Kernel for Empty {
    fn name(&self) -> &str {
        "empty"
    }

    fn items(&self) -> usize {
        self.0
    }

    fn execute(&self, item: usize) {
        black_box(item);
    }
}

/// A synthetic loop with the states of its items.
pub struct Synthetic {
    pub name: &'static str,
    pub states: Vec<u8>,
}

impl Kernel for Synthetic {
    fn name(&self) -> &str {
        self.name
    }

    fn items(&self) -> usize {
        self.states.len()
    }

    fn execute(&self, item: usize) {
        black_box(work(self.states[item], item));
    }
}
