//! One reduction: adders for the workers, then the merge.

use super::cell::Cell;
use super::target::{Part, Target};
use super::{Addend, Reducer};

/// One reduction into one array.
#[derive(Debug)]
#[must_use = "what is added reaches the array in the merge"]
pub struct Reduction<'a, T, R> {
    reducer: &'a R,
    target: Target<'a, T>,
}

impl<'a, T: Addend, R: Reducer<T>> Reduction<'a, T, R> {
    /// Begins a reduction into an array of rows of `dim` numbers.
    ///
    /// # Panics
    /// If the array's length is not a multiple of `dim`.
    #[cfg(not(all(loom, test)))]
    pub fn new(reducer: &'a mut R, target: &'a mut [T], dim: usize) -> Self {
        Reduction::begin(reducer, super::cell::cells_of(target), dim)
    }

    /// As [`Reduction::new`], into an array that others also hold.
    ///
    /// # Safety
    /// Until the reduction, its adders and its parts are gone, nothing else accesses the array.
    ///
    /// # Panics
    /// If the array's length is not a multiple of `dim`.
    pub unsafe fn of_cells(reducer: &'a mut R, target: &'a [std::cell::UnsafeCell<T>], dim: usize) -> Self {
        Reduction::begin(reducer, super::cell::cells_of_unsafe(target), dim)
    }

    /// Begins a reduction into cells that nothing else accesses.
    pub(super) fn begin(reducer: &'a mut R, target: &'a [Cell<T>], dim: usize) -> Self {
        let target = Target::new(target, dim);
        reducer.begin(target.shape());
        Reduction { reducer, target }
    }

    /// The adder of a worker, which has one at a time; what its earlier adders have added stays.
    ///
    /// # Panics
    /// If there is no such worker, if it already has an adder, or if rows do not have `D` numbers.
    pub fn adder<const D: usize>(&self, worker: usize) -> R::Adder<'_, D> {
        assert!(D == self.target.dim, "rows of {} numbers, not {D}", self.target.dim);
        assert!(worker < self.reducer.workers(), "worker {worker} of {}", self.reducer.workers());
        self.reducer.adder(self.target, worker)
    }

    /// Ends the first phase: returns the remaining work, one part for each worker. Parts can be merged in any order and
    /// at the same time.
    pub fn into_parts(self) -> Vec<PartOfReduction<'a, T, R>> {
        let Reduction { reducer, target } = self;
        // All adders borrowed the reduction, so none is left.
        Part::all(target, reducer.workers()).map(|part| PartOfReduction { reducer, part }).collect()
    }
}

/// A part of the target that is still to be combined with what the workers have kept for it.
#[derive(Debug)]
#[must_use = "what was added is lost without the merge"]
pub struct PartOfReduction<'a, T, R> {
    reducer: &'a R,
    part: Part<'a, T>,
}

impl<T: Addend, R: Reducer<T>> PartOfReduction<'_, T, R> {
    /// Completes the part.
    pub fn merge(self) {
        self.reducer.merge(self.part);
    }
}

#[cfg(not(all(loom, test)))]
pub use run::{Work, reduce, reduce_by};

#[cfg(not(all(loom, test)))]
mod run {
    use std::sync::Mutex;

    // All reducers, so that a new one need not be named here.
    use super::super::list::for_each_reducer;
    use super::super::*;

    impl<T: Addend, R: Reducer<T>> Reduction<'_, T, R> {
        /// Runs `body(worker, adder)` on every worker of the team, then merges, also on all of them.
        ///
        /// # Panics
        /// If team and reducer differ in size, or rows do not have `D` numbers.
        pub fn run<const D: usize>(
            self,
            team: &impl Team,
            body: impl for<'r> Fn(usize, &mut R::Adder<'r, D>) + Sync,
        ) {
            let (team_size, workers) = (team.size(), self.reducer.workers());
            assert!(team_size == workers, "a team of {team_size} for a reducer of {workers} workers");
            team.run(&|worker| body(worker, &mut self.adder(worker)));
            let parts = self.into_parts().into_iter().map(|part| Mutex::new(Some(part)));
            let parts: Vec<_> = parts.collect();
            team.run(&|worker| {
                let part = parts[worker].lock().expect("nobody panics with the lock").take();
                part.expect("each worker merges once").merge();
            });
        }
    }

    /// Adds to an array from all threads of a team: `body(worker, adder)` runs once on each. Returns the bytes that the
    /// reducer needed in addition to the array.
    ///
    /// The body's adder is of a kind chosen at run time. [`reduce_by`] compiles the body for each kind instead; a
    /// [`Reduction`] keeps the memory for the next one.
    pub fn reduce<T: Addend>(
        options: Options,
        target: &mut [T],
        team: &impl Team,
        body: impl for<'r> Fn(usize, &mut AnyAdder<'r, T, 1>) + Sync,
    ) -> usize {
        let mut reducer = AnyReducer::new(team.size(), options);
        Reduction::new(&mut reducer, target, 1).run(team, body);
        reducer.bytes()
    }

    /// What a worker does with an adder, whatever the adder's type: the form of a loop body that is compiled for every
    /// kind of reducer.
    pub trait Work<T: Addend, const D: usize>: Sync {
        /// The work of one worker.
        fn run<A: Adder<T, D>>(&self, worker: usize, adder: &mut A);
    }

    macro_rules! reduce_by {
        ($(
            $(#[doc = $about:literal])+
            $kind:ident = $name:literal {
                deterministic: $deterministic:literal, blocks: $blocks:literal, reducer: $reducer:ty, adder: $adder:ty
            }
        )+) => {
            /// As [`reduce`], for an array of rows of `D` numbers, with a body compiled for the kind of reducer.
            ///
            /// # Panics
            /// If the array's length is not a multiple of `D`.
            pub fn reduce_by<T: Addend, const D: usize>(
                options: Options,
                target: &mut [T],
                team: &impl Team,
                work: &impl Work<T, D>,
            ) -> usize {
                match options.kind {
                    $(Kind::$kind => with::<$reducer, T, D>(options, target, team, work),)+
                }
            }
        };
    }

    for_each_reducer!(reduce_by);

    fn with<R: Reducer<T>, T: Addend, const D: usize>(
        options: Options,
        target: &mut [T],
        team: &impl Team,
        work: &impl Work<T, D>,
    ) -> usize {
        let mut reducer = R::new(team.size(), options);
        Reduction::new(&mut reducer, target, D).run(team, |worker, adder| work.run(worker, adder));
        reducer.bytes()
    }
}
